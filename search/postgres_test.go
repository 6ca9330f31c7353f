package search_test

import (
	"context"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/unicode/norm"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/db/dbtest"
	"github.com/clausemill/clausemill/search"
)

// idAt is an id as one made at a time.
func idAt(at time.Time) string {
	made := fmt.Sprintf("%012x", at.UnixMilli())
	return made[:8] + "-" + made[8:] + db.NewID()[13:]
}

// Where words are so common that not every match can be ranked, the newest are:
// no page repeats a hit, filters hold, and what has just come in is found.
func TestPostgresCommonWords(t *testing.T) {
	t.Parallel()
	d, _ := dbtest.Database(t)
	h := newHouse(t, d, search.NewPostgres(d))
	const files, each = 400, 10
	for _, in := range []db.Scope{h.ours, h.theirs} {
		ids := make([]string, files)
		for i := range ids {
			ids[i] = idAt(time.Now().Add(time.Duration(i-files) * time.Hour))
		}
		for _, sql := range []string{
			`INSERT INTO files (id, team_id, name, size, sha256, language, lifecycle_stage, text_ready, generation)
				SELECT id, @team, 'lease ' || at || '.pdf', 1, '', 'en', CASE WHEN at % 40 = 0 THEN 'active' ELSE 'draft' END, true, 1
				FROM unnest(@ids::uuid[]) WITH ORDINALITY u (id, at)`,
			`INSERT INTO sentences (id, file_id, team_id, ordinal, block, page, start_at, end_at, text)
				SELECT gen_random_uuid(), id, @team, n, 0, 1, 0, 1, 'The tenant pays rent number ' || n || CASE WHEN at = 7 AND n = 3 THEN ' in doubloons' ELSE '' END
				FROM unnest(@ids::uuid[]) WITH ORDINALITY u (id, at), generate_series(1, @each::int) n ORDER BY at, n`,
		} {
			_, err := d.Pool().Exec(t.Context(), sql, pgx.NamedArgs{"ids": ids, "team": in.TeamID, "each": each})
			require.NoError(t, err)
		}
	}
	_, err := d.Pool().Exec(t.Context(), "ANALYZE")
	require.NoError(t, err)
	known, err := d.WordStatistics(t.Context())
	require.NoError(t, err)
	require.InDelta(t, slices.Min(slices.Collect(maps.Values(known.Frequencies))), known.Least, 1e-9)

	seen := map[string]bool{}
	for offset := 0; ; offset += 90 {
		q := search.Query{Text: "tenant rent", Limit: 90, Offset: offset, Facets: []search.Facet{search.Language}}
		if offset+90 > search.Window {
			break
		}
		page := h.sentences(t, h.ours, q)
		require.False(t, page.Exact)
		if len(page.Hits) == 0 {
			break
		}
		for _, hit := range page.Hits {
			require.False(t, seen[hit.SentenceID], "a page repeats a hit")
			seen[hit.SentenceID] = true
			row, err := d.File(t.Context(), h.ours, hit.FileID)
			require.NoError(t, err, "another team's file")
			require.Contains(t, row.Name, "lease")
		}
	}
	require.GreaterOrEqual(t, len(seen), 300)

	newest, err := d.Files(t.Context(), h.ours, db.FileFilter{}, "", files/2) // an hour apart, and looked up by three days
	require.NoError(t, err)
	listed := h.files(t, h.ours, search.Query{Text: "tenant rent", Limit: 50})
	require.False(t, listed.Exact)
	require.Len(t, listed.Hits, 50)
	for _, hit := range listed.Hits {
		require.True(t, slices.ContainsFunc(newest, func(f db.File) bool { return f.ID == hit.FileID }), "not one of the newest")
	}

	active := h.files(t, h.ours, search.Query{Text: "tenant rent", Filter: search.Filter{LifecycleStages: []string{"active"}}, Limit: 50})
	require.Equal(t, files/40, active.Total, "common words in few files")
	for _, hit := range active.Hits {
		row, err := d.File(t.Context(), h.ours, hit.FileID)
		require.NoError(t, err)
		require.Equal(t, db.LifecycleStage("active"), row.LifecycleStage)
	}

	h.file(t, h.ours, "coins.pdf", "Doubloons are coins.") // which the index finds by the rarer word
	rare := h.sentences(t, h.ours, search.Query{Text: "rent in doubloons"})
	require.Equal(t, 1, rare.Total)
	require.True(t, rare.Exact)

	late := h.file(t, h.ours, "late.pdf", "The tenant pays rent.")
	found := h.sentences(t, h.ours, search.Query{Text: `"tenant pays rent" -number`})
	require.Equal(t, late, found.Hits[0].FileID, "after the newest files were last counted")
	require.Equal(t, late, h.sentences(t, h.ours, search.Query{Text: "tenant", Filter: search.Filter{FileIDs: []string{late}}}).Hits[0].FileID)
	empty := h.sentences(t, h.ours, search.Query{})
	require.Equal(t, late, empty.Hits[0].FileID)
	require.False(t, empty.Exact)
}

// Where more match than can be paged through, and nothing is known of how common
// the words are, the first are ranked, and no page repeats what another had.
func TestPostgresCrowds(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	h := newHouse(t, d, search.NewPostgres(d))
	const files, each, labelled = 30, 40, 7
	ids := make([]string, files)
	for i := range files {
		id := h.create(t, h.ours, "lease.pdf", nil)
		ids[i] = id
		list := make([]string, each)
		for j := range list {
			list[j] = fmt.Sprintf("The zyklotron of %d%s in %d.", i, strings.Repeat(" or another", j%9), j)
		}
		require.NoError(t, saveText(t.Context(), d, h.ours, id, "en", list))
		if i%3 == 0 {
			require.NoError(t, d.InTx(t.Context(), func(tx *db.Tx) error {
				_, err := tx.Raw.Exec(t.Context(), `UPDATE sentences SET label = 'law', source = 'predicted', score = 0.5 WHERE file_id = $1 AND ordinal < $2`, id, labelled)
				require.NoError(t, err)
				_, _, err = tx.SetLifecycleStage(t.Context(), h.ours, id, "active")
				return err
			}))
		}
	}
	for _, q := range []search.Query{{Text: "zyklotron", Filter: search.Filter{FileIDs: ids}}, {Text: "-cyclotron"}} { // files are read one by one
		q.Limit, q.Facets = 50, search.Facets()
		listed := h.files(t, h.ours, q)
		require.Equal(t, files, listed.Total)
		require.True(t, listed.Exact)
		require.Equal(t, []db.FacetCount{{Value: "law", Count: files / 3 * labelled}}, listed.Facets[search.Label])
		for _, hit := range listed.Hits {
			require.Equal(t, each, hit.Matches)
			require.Len(t, hit.Hits, search.BestOfFile)
		}
	}
	for _, filter := range []search.Filter{{}, {LifecycleStages: []string{"active"}}} {
		// Those that are ranked are in less than half of the files.
		listed := h.files(t, h.ours, search.Query{Text: "zyklotron", Filter: filter, Facets: search.Facets(), Limit: 50})
		want := files
		if !filter.Tree().IsZero() {
			want = files / 3
		}
		require.Equal(t, want, listed.Total)
		require.True(t, listed.Exact)
		require.Equal(t, []db.FacetCount{{Value: "law", Count: files / 3 * labelled}}, listed.Facets[search.Label])
		require.Len(t, listed.Hits, want)
		for _, hit := range listed.Hits {
			require.Equal(t, each, hit.Matches)
			require.Len(t, hit.Hits, search.BestOfFile)
			require.Contains(t, hit.Hits[0].Snippet, "<em>zyklotron</em>")
		}
		seen := map[string]bool{}
		for offset := 0; offset < search.Window; offset += 50 {
			q := search.Query{Text: "zyklotron", Filter: filter, Facets: search.Facets(), Limit: 50, Offset: offset}
			page := h.sentences(t, h.ours, q)
			want := min(files*each, search.Window)
			if !filter.Tree().IsZero() {
				want = files * each / 3
			}
			if offset >= want {
				require.Empty(t, page.Hits)
				continue
			}
			require.Len(t, page.Hits, 50)
			require.Greater(t, page.Total, min(offset+50, want-1), "there is a next page")
			require.Equal(t, want < search.Window, page.Exact)
			scores := make([]float64, len(page.Hits))
			for i, hit := range page.Hits {
				require.False(t, seen[hit.SentenceID], "a page repeats a hit")
				seen[hit.SentenceID] = true
				scores[i] = -hit.Score
			}
			require.True(t, slices.IsSorted(scores), "%d", offset)
		}
	}
}

// A question of any length costs a bounded number of look-ups.
func TestPostgresLongQuestions(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	h := newHouse(t, d, search.NewPostgres(d))
	id := h.file(t, h.ours, "one.pdf", notice, law, licence, payment)

	pasted := "Whereas the parties wish it so: " + notice + " And whereas 1967 was a good year, this is all that they say."
	found := h.sentences(t, h.ours, search.Query{Text: pasted})
	require.True(t, found.Relaxed)
	require.Equal(t, notice, found.Hits[0].Text)
	require.Equal(t, id, h.files(t, h.ours, search.Query{Text: pasted}).Hits[0].FileID)
}

// TestSynonyms asks Postgres, and the engine that has it to fall back to.
func TestSynonyms(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	h := newHouse(t, d, search.NewPostgres(d))
	const god, force = "An act of God excuses delay.", "Force majeure events excuse the Supplier."
	h.file(t, h.ours, "one.pdf", god, force, law, licence)
	groups := [][]string{{"act of god", "force majeure"}, {"license", "licence"}, {"excuse", "relieve"}, {"règlement", "laws"}}
	for _, e := range []search.Engine{h.Engine, search.NewFallback(search.NewMeili(d, search.MeiliConfig{URL: "http://127.0.0.1:1", Prefix: "none"}), h.Engine)} {
		for text, want := range map[string][]string{
			"force majeure":             {force, god},
			"Force Majeure excuses":     {force, god},
			"act of god":                {force, god},
			"act of god supplier":       {force},
			"\"force majeure\"":         {force},
			"exclusive license":         {licence},
			"-\"force majeure\" excuse": {god},
			"majeure":                   {force},
			"règlement":                 {law},
			"reglement":                 {law},
		} {
			found, err := e.Sentences(t.Context(), h.ours, search.Query{Text: text, Synonyms: groups})
			require.NoError(t, err)
			require.ElementsMatch(t, want, texts(found), text)
			require.False(t, found.Relaxed, text)
			require.Empty(t, found.Corrected, text)
			require.Equal(t, "postgres", found.Engine)
		}
	}
	found := h.sentences(t, h.ours, search.Query{Text: "force majeure", Synonyms: groups})
	for _, hit := range found.Hits {
		require.NotEmpty(t, marked(hit.Snippet), hit.Snippet)
	}
}

// A word with synonyms is as common as all of them, where not all words are
// held.
func TestRelaxedSynonyms(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	h := newHouse(t, d, search.NewPostgres(d))
	const rare, common = "This index is for convenience of reading.", "Termination means termination, and to terminate is to give notice of termination."
	h.file(t, h.ours, "rare.pdf", rare)
	for i := range 3 {
		h.file(t, h.ours, fmt.Sprintf("%d.pdf", i), common, notice)
	}
	found := h.sentences(t, h.ours, search.Query{Text: "termination for convenience", Synonyms: [][]string{{"termination", "cancellation"}}})
	require.True(t, found.Relaxed)
	require.Equal(t, rare, found.Hits[0].Text)
}

// The best files come first, whichever way the planner joins them.
func TestPostgresRanksFiles(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	h := newHouse(t, d, search.NewPostgres(d))
	const files = 60
	for i := range files {
		id := h.create(t, h.ours, "upload.pdf", nil)
		padding := strings.Repeat("lorem ", 1+i*7%files) // the longer, the worse
		require.NoError(t, saveText(t.Context(), d, h.ours, id, "en", []string{"The hippopotamus " + padding + "ends."}))
	}
	joins := []string{"nestloop", "hashjoin", "mergejoin"}
	for _, chosen := range joins {
		require.NoError(t, d.InTx(t.Context(), func(tx *db.Tx) error {
			for _, join := range joins {
				if _, err := tx.Raw.Exec(t.Context(), fmt.Sprintf("SET LOCAL enable_%s = %t", join, join == chosen)); err != nil {
					return err
				}
			}
			return nil
		}))
		scores := []float64{}
		for _, hit := range h.files(t, h.ours, search.Query{Text: "hippopotamus", Limit: 40}).Hits {
			scores = append(scores, -hit.Score)
		}
		require.Len(t, scores, 40)
		require.True(t, slices.IsSorted(scores), "%s: %v", chosen, scores)
	}
}

// What is put as it was typed, or in a synonym, comes before what only has the
// same stems in the same places.
func TestPostgresRanksWordForWord(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	h := newHouse(t, d, search.NewPostgres(d))
	for _, tt := range []struct{ text, best, other string }{
		{"or other corporate organization", "A fund, a firm or other corporate organization of whatever kind is no party.", "Our corporate organization."},
		{"contract shall be terminable", "The Agreement shall be terminable by whichever party likes to do so.", "The agreements shall be terminated."},
		{"curee is final", "The curée is final, and whoever takes part in it in whatever way has been told so.", "A curée; its finality."},
		{"is being fied", "A copy of the present schedule is being filed with the register of the county.", "It was filed."},
	} {
		h.file(t, h.ours, "best.pdf", tt.best)
		for range 12 {
			h.file(t, h.ours, "other.pdf", tt.other)
		}
		q := search.Query{Text: tt.text, Synonyms: [][]string{{"agreement", "contract"}}, Limit: 10}
		require.Equal(t, tt.best, h.sentences(t, h.ours, q).Hits[0].Text)
		require.Equal(t, tt.best, h.files(t, h.ours, q).Hits[0].Hits[0].Text)
	}
}

// Words are respelled as if there were no accents, and told of with those that
// the best hit has.
func TestPostgresCorrectsAccents(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	h := newHouse(t, d, search.NewPostgres(d))
	h.file(t, h.ours, "one.pdf", norm.NFD.String("The Zürich agreement is about remunération."))
	for text, corrected := range map[string]string{
		"zurihc": "zürich", "zürihc": "zürich", "Zürich agrement": "zürich agreement", "zurich agrement": "zurich agreement", "remunneratiom": "remunération",
	} {
		found := h.sentences(t, h.ours, search.Query{Text: text})
		require.Equal(t, 1, found.Total, text)
		require.Equal(t, corrected, found.Corrected, text)
		require.Len(t, marked(found.Hits[0].Snippet), len(strings.Fields(text)), text)
	}
}

// The accents of a word come off in the same way where it is looked for as where
// it is found.
func TestPostgresFolds(t *testing.T) {
	t.Parallel()
	require.NoError(t, dbtest.New(t).InTx(t.Context(), func(tx *db.Tx) error {
		rows, err := tx.Raw.Query(t.Context(), `
			SELECT letter, unaccented(letter) FROM (
				SELECT 'e' || chr(n) || 'x' AS letter FROM generate_series(1, 131071) n WHERE n NOT BETWEEN 55296 AND 57343
			) letters`)
		require.NoError(t, err)
		defer rows.Close()
		for rows.Next() {
			var letter, unaccented string
			require.NoError(t, rows.Scan(&letter, &unaccented))
			if search.Fold(letter) != strings.ToLower(unaccented) {
				require.Equal(t, search.Fold(letter), strings.ToLower(unaccented), "%+q", letter)
			}
		}
		return rows.Err()
	}))
}

// Questions take turns, so that the longest of many is not the last of all.
func TestPostgresTakesTurns(t *testing.T) {
	t.Parallel()
	d, _ := dbtest.Database(t)
	h := newHouse(t, d, search.NewPostgres(d))
	h.file(t, h.ours, "one.pdf", notice, law)
	lock, err := d.Pool().Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = lock.Rollback(context.Background()) }() // if it still stands
	_, err = lock.Exec(t.Context(), "LOCK TABLE sentences")
	require.NoError(t, err)

	turns := max(2, runtime.GOMAXPROCS(0))
	found := make(chan int, 3*turns)
	for range 3 * turns {
		go func() {
			answer, err := h.Sentences(t.Context(), h.ours, search.Query{Text: "notice"})
			if err != nil {
				t.Error(err)
			}
			found <- len(answer.Hits)
		}()
	}
	waiting := func() (n int) {
		require.NoError(t, lock.QueryRow(t.Context(), "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'sentences'::regclass").Scan(&n))
		return n
	}
	others := int(d.Pool().Config().MaxConns) - 1 // connections beside that of the lock
	require.Eventually(t, func() bool { return waiting() >= min(turns, others) }, time.Minute, time.Millisecond)
	for range 50 {
		require.LessOrEqual(t, waiting(), turns)
	}
	given, giveUp := context.WithCancel(t.Context())
	giveUp()
	_, err = h.Sentences(given, h.ours, search.Query{Text: "notice"})
	require.ErrorIs(t, err, context.Canceled)
	require.NoError(t, lock.Rollback(t.Context()))
	for range 3 * turns {
		require.Equal(t, 1, <-found)
	}
}

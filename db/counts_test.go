package db_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/db/dbtest"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/query"
)

// countedLabels asks how many sentences there are, and how many have each label: "" is
// for none, and "*" for all of them.
func countedLabels(t *testing.T, d *db.DB, in db.Scope) map[string]int {
	t.Helper()
	figures := map[string]int{}
	for name, by := range map[string][]query.Field{"*": nil, "": {query.Label}} {
		q, err := query.Query{Source: query.Sentences, Metric: query.Metric{Op: query.Count}, GroupBy: by}.Checked(time.Now())
		require.NoError(t, err)
		groups, err := d.Aggregate(t.Context(), in, q, time.Minute)
		require.NoError(t, err)
		for _, g := range groups {
			key := name
			if len(by) > 0 && g.Keys[0] != nil {
				key = *g.Keys[0]
			}
			require.Len(t, groups, g.Groups)
			var n int
			require.NoError(t, json.Unmarshal(g.Value, &n))
			figures[key] = n
		}
	}
	return figures
}

// figures is the text and the number of each row that sql selects.
func figures(t *testing.T, d *db.DB, sql string, a ...any) map[string]int {
	t.Helper()
	all := map[string]int{}
	rows, err := d.Pool().Query(t.Context(), sql, a...)
	require.NoError(t, err)
	var what string
	var n int
	_, err = pgx.ForEachRow(rows, []any{&what, &n}, func() error {
		all[what] = n
		return nil
	})
	require.NoError(t, err)
	return all
}

// labelsOfRows is countedLabels from the rows themselves.
func labelsOfRows(t *testing.T, d *db.DB, team, hidden string) map[string]int {
	t.Helper()
	return figures(t, d, `
		WITH mine AS (
			SELECT s.* FROM sentences s JOIN files f ON f.id = s.file_id WHERE s.team_id = $1 AND ($2 = '' OR f.matter_id IS DISTINCT FROM nullif($2, '')::uuid)
		)
		SELECT '*', count(*) FROM mine
		UNION ALL SELECT '', count(*) FROM mine WHERE label IS NULL HAVING count(*) > 0
		UNION ALL SELECT node, count(*) FROM mine, unnest(CASE WHEN labels IS NULL THEN ARRAY[label] ELSE label_nodes(labels) END) node WHERE label IS NOT NULL GROUP BY node`, team, hidden)
}

// countedFiles asks how many files there are, from where they are and of which types, in
// every way that one can.
func countedFiles(t *testing.T, d *db.DB, in db.Scope) map[string]int {
	t.Helper()
	figures := map[string]int{}
	n, err := d.CountFiles(t.Context(), in, db.FileFilter{})
	require.NoError(t, err)
	figures["all"] = n
	for _, field := range []query.Field{query.FileSource, query.DocumentType, query.Matter} {
		q, err := query.Query{Source: query.Files, Metric: query.Metric{Op: query.Count}, GroupBy: []query.Field{field}}.Checked(time.Now())
		require.NoError(t, err)
		groups, err := d.Aggregate(t.Context(), in, q, time.Minute)
		require.NoError(t, err)
		for _, g := range groups {
			if g.Keys[0] != nil {
				require.NoError(t, json.Unmarshal(g.Value, &n))
				figures[fmt.Sprint(field, " ", *g.Keys[0])] = n
			}
		}
		definition, ok := query.Lookup(field)
		require.True(t, ok)
		require.NoError(t, d.Facets(t.Context(), in, time.Minute, func(f db.Facets) error {
			options, err := f.Options(t.Context(), query.Filter{}, definition, "", 100, 0)
			require.NoError(t, err)
			for _, o := range options {
				require.Equal(t, figures[fmt.Sprint(field, " ", o.Value)], o.Files)
				n, err := f.Count(t.Context(), query.Is(field, o.Value))
				require.NoError(t, err)
				require.Equal(t, o.Files, n)
			}
			return nil
		}))
	}
	types, err := d.DocumentTypes(t.Context(), in, true, "", 1000)
	require.NoError(t, err)
	for _, k := range types {
		require.Equal(t, figures[fmt.Sprint(query.DocumentType, " ", k.ID)], k.Files)
		if k.Assigned > 0 {
			figures["assigned "+k.ID] = k.Assigned
		}
	}
	return figures
}

// filesOfRows is countedFiles from the rows themselves.
func filesOfRows(t *testing.T, d *db.DB, in db.Scope) map[string]int {
	t.Helper()
	return figures(t, d, `
		WITH mine AS (SELECT * FROM files WHERE team_id = $1 AND (matter_id IS NULL OR matter_id <> ALL($2::uuid[])))
		SELECT 'all', count(*) FROM mine
		UNION ALL SELECT 'source ' || source, count(*) FROM mine GROUP BY 1
		UNION ALL SELECT 'documentType ' || document_type_id, count(*) FROM mine WHERE document_type_id IS NOT NULL GROUP BY 1
		UNION ALL SELECT 'matter ' || matter_id, count(*) FROM mine WHERE matter_id IS NOT NULL GROUP BY 1
		UNION ALL SELECT 'assigned ' || document_type_id, count(*) FROM mine WHERE document_type_source = 'assigned' GROUP BY 1`, in.TeamID, append([]string{}, in.Hidden...))
}

// TestCountByStatus counts files of any statuses, of a matter and outside of hidden ones.
func TestCountByStatus(t *testing.T) {
	t.Parallel()
	d, _ := dbtest.Database(t)
	in := scopeOf(t, d, "statuses@example.com")
	matters := make([]string, 2)
	require.NoError(t, d.InTx(t.Context(), func(tx *db.Tx) error {
		for i := range matters {
			m, err := tx.CreateMatter(t.Context(), in, db.MatterChange{Name: ptr(fmt.Sprint("Matter ", i))})
			if err != nil {
				return err
			}
			matters[i] = m.ID
		}
		return nil
	}))
	_, err := d.Pool().Exec(t.Context(), `
		INSERT INTO files (id, team_id, name, size, sha256, status, matter_id)
		SELECT gen_random_uuid(), $1, 'a.txt', 1, '', (ARRAY['completed', 'completed', 'failed', 'queued', 'completed', 'completed_with_warnings', 'completed'])[1 + n % 7], ($2::uuid[])[n % 3]
		FROM generate_series(1, 100) n`, in.TeamID, matters)
	require.NoError(t, err)
	guest := in
	guest.Hidden = matters[1:]
	for _, who := range []db.Scope{in, guest} {
		for _, matter := range []string{"", matters[0]} {
			for _, statuses := range [][]string{
				{"completed"}, {"failed"}, {"completed", "failed"}, {"completed", "completed_with_warnings", "failed", "queued", "processing", "cancelled"}, {"queued", "cancelled"}, {},
			} {
				filter := db.FileFilter{Statuses: statuses, MatterID: matter}
				files, err := d.Files(t.Context(), who, filter, "", 1000)
				require.NoError(t, err)
				n, err := d.CountFiles(t.Context(), who, filter)
				require.NoError(t, err)
				require.Equal(t, len(files), n, "%v %v", statuses, matter)
			}
		}
	}
}

// TestCountsAtAnyTime has many save texts, decide on sentences, give files types, delete
// them, restore some and purge others, while others fold what is counted: the figures are
// those of the rows.
func TestCountsAtAnyTime(t *testing.T) {
	t.Parallel()
	d, _ := dbtest.Database(t)
	in := scopeOf(t, d, "counted@example.com")
	in.Admin = true
	hidden := "Hidden"
	var matter db.Matter
	require.NoError(t, d.InTx(t.Context(), func(tx *db.Tx) (err error) {
		matter, err = tx.CreateMatter(t.Context(), in, db.MatterChange{Name: &hidden})
		return err
	}))
	group, ctx := errgroup.WithContext(t.Context())
	const writers, turns = 6, 12
	for w := range writers {
		group.Go(func() error {
			random := rand.New(rand.NewPCG(1, uint64(w)))
			for turn := range turns {
				if err := live(ctx, d, in, matter.ID, random); err != nil {
					return fmt.Errorf("writer %d, turn %d: %w", w, turn, err)
				}
			}
			return nil
		})
	}
	folded := keepFolding(t, d, in.TeamID)
	require.NoError(t, group.Wait())
	require.NoError(t, folded())

	agree := func() {
		t.Helper()
		now := labelsOfRows(t, d, in.TeamID, "")
		require.Greater(t, now["*"], writers*turns)
		require.Greater(t, len(now), 4)
		require.Equal(t, now, countedLabels(t, d, in))
		guest := in
		guest.Hidden = []string{matter.ID}
		seen := labelsOfRows(t, d, in.TeamID, matter.ID)
		require.Less(t, seen["*"], now["*"])
		require.Equal(t, seen, countedLabels(t, d, guest))

		var files, typed int
		require.NoError(t, d.Pool().QueryRow(t.Context(), `SELECT count(*), count(document_type_id) FROM files WHERE team_id = $1 AND matter_id = $2`, in.TeamID, matter.ID).Scan(&files, &typed))
		require.Positive(t, typed)
		require.Less(t, typed, files)
		found, err := d.MatterFacetValues(t.Context(), in, "document-types", db.MatterFileFilter{}, "", 10)
		require.NoError(t, err)
		require.Equal(t, []int{files, files - typed}, []int{found.Total, found.Missing})
		found, err = d.MatterFacetValues(t.Context(), guest, "stages", db.MatterFileFilter{}, "", 10)
		require.NoError(t, err)
		require.Zero(t, found.Total)
		for _, who := range []db.Scope{in, guest} {
			require.Equal(t, filesOfRows(t, d, who), countedFiles(t, d, who))
		}
	}
	agree()
	stale, err := d.StaleCounts(t.Context())
	require.NoError(t, err)
	require.Subset(t, []string{in.TeamID}, stale, "nobody counts in the trash")
	require.NoError(t, d.FoldCounts(t.Context(), in.TeamID))
	stale, err = d.StaleCounts(t.Context())
	require.NoError(t, err)
	require.Empty(t, stale)
	agree()
}

// keepFolding folds a team's counts until the function that it returns is called.
func keepFolding(t *testing.T, d *db.DB, team string) (stop func() error) {
	over := make(chan struct{})
	folding := make(chan error, 1)
	go func() {
		for {
			select {
			case <-over:
				folding <- nil
				return
			default:
			}
			if err := d.FoldCounts(t.Context(), team); err != nil {
				folding <- err
				return
			}
		}
	}()
	return func() error {
		close(over)
		return <-folding
	}
}

// live makes a file, decides on some of its sentences, and has it go and perhaps come back.
func live(ctx context.Context, d *db.DB, in db.Scope, matter string, random *rand.Rand) error {
	f := db.NewFile{ID: db.NewID(), Name: "lease.pdf", Size: 3, SHA256: []byte(db.NewID()), Source: "upload"}
	if random.IntN(3) == 0 {
		f.MatterID = matter
	}
	save := func(tx *db.Tx) error {
		text := textOf()
		text.Sentences = nil
		for i := range 4 + random.IntN(4) {
			s := db.Sentence{ID: db.NewID(), Ordinal: i, Page: 1, End: 5, Text: "Words"}
			labels := []db.ScoredLabel{}
			for range random.IntN(3) {
				score := random.Float32()
				labels = append(labels, db.ScoredLabel{Node: fmt.Sprintf("label_%d", 3*len(labels)+random.IntN(3)), Score: &score})
			}
			model := db.NewID()
			s.Predict(db.NewPredicted(&model, labels, nil))
			text.Sentences = append(text.Sentences, s)
		}
		_, err := tx.SaveText(ctx, in, f.ID, text)
		return err
	}
	steps := []func(tx *db.Tx) error{
		func(tx *db.Tx) error {
			if _, err := tx.CreateFile(ctx, in, f); err != nil {
				return err
			}
			return save(tx)
		},
		func(tx *db.Tx) error {
			sentences, err := tx.Sentences(ctx, in, f.ID)
			if err != nil {
				return err
			}
			for i, decision := range []db.Decision{{Set: true, Labels: []string{"label_0", "label_9"}}, {Set: true}, {Remove: []string{"label_0"}}, {Confirm: true}} {
				if _, _, err := tx.DecideSentences(ctx, in, []string{sentences[i].ID}, decision); err != nil {
					return err
				}
			}
			return nil
		},
	}
	if random.IntN(2) == 0 {
		steps = append(steps, save)
	} else {
		steps = append(steps, func(tx *db.Tx) error {
			kinds, err := tx.TypeKeys(ctx, in)
			if err == nil {
				_, err = tx.UpdateFile(ctx, in, f.ID, db.FileUpdate{DocumentTypeID: &kinds[0].ID})
			}
			return err
		})
	}
	var entry db.TrashEntry
	if fate := random.IntN(4); fate > 0 {
		steps = append(steps, func(tx *db.Tx) (err error) {
			entry, err = tx.DeleteFile(ctx, in, f.ID)
			return err
		}, func(tx *db.Tx) error {
			if fate == 1 {
				_, err := tx.PurgeTrash(ctx, in, entry.ID)
				return err
			}
			_, err := tx.RestoreTrash(ctx, in, []string{entry.ID}, "", true)
			return err
		})
	}
	for _, step := range steps {
		if err := d.InTx(ctx, step); err != nil {
			return err
		}
	}
	return nil
}

// namesCounted is what the facets and charts of names answer of files that match a filter,
// in every way that one can ask.
func namesCounted(t *testing.T, d *db.DB, in db.Scope, filter query.Filter) map[string]any {
	t.Helper()
	all := map[string]any{}
	for _, field := range []query.Field{query.Party, query.Counterparty} {
		definition, ok := query.Lookup(field)
		require.True(t, ok)
		require.NoError(t, d.Facets(t.Context(), in, time.Minute, func(f db.Facets) error {
			options, err := f.Options(t.Context(), filter, definition, "", 100, 0)
			all[string(field)+" options"] = options
			return err
		}))
		q := query.Query{Source: query.Files, Metric: query.Metric{Op: query.Count}, GroupBy: []query.Field{field}}
		if !filter.IsZero() {
			q.Filters = []query.Filter{filter}
		}
		q, err := q.Checked(time.Now())
		require.NoError(t, err)
		groups, err := d.Aggregate(t.Context(), in, q, time.Minute)
		require.NoError(t, err)
		for _, g := range groups {
			key := "nobody"
			if g.Keys[0] != nil {
				key = *g.Keys[0]
			}
			all[string(field)+" by "+key] = []any{string(g.Value), g.Groups, g.Names[0] == nil}
		}
	}
	for _, facet := range []db.MatterFacet{"parties", "counterparties"} {
		for _, part := range []string{"", "b"} {
			values, err := d.MatterFacetValues(t.Context(), in, facet, db.MatterFileFilter{Where: filter}, part, 100)
			require.NoError(t, err)
			all[fmt.Sprint(facet, " with ", part)] = values
		}
	}
	return all
}

// TestNamesAtAnyTime has many give files names, put them in matters and elsewhere, delete and
// restore them, and rename, close, delete and restore matters, while others fold what is
// counted: the figures are those of the files.
func TestNamesAtAnyTime(t *testing.T) {
	t.Parallel()
	d, _ := dbtest.Database(t)
	in := scopeOf(t, d, "names@example.com")
	in.Admin = true
	names := []string{"Alpha", "ALPHA", "  alpha ", "Beta B.V.", "béta b.v.", "Gamma", "---", strings.Repeat("Long ", 90)}
	some := func(random *rand.Rand) (parties []db.Party, counterparties []string) {
		parties, counterparties = []db.Party{}, []string{}
		for range random.IntN(4) {
			parties = append(parties, db.Party{Name: names[random.IntN(len(names))], Role: []string{"", "Buyer"}[random.IntN(2)]})
		}
		for range random.IntN(4) {
			counterparties = append(counterparties, names[random.IntN(len(names))])
		}
		return parties, counterparties
	}
	random := rand.New(rand.NewPCG(3, 4))
	matters := []string{""}
	for i := range 3 {
		name := fmt.Sprint("Matter ", i)
		parties, counterparties := some(random)
		require.NoError(t, d.InTx(t.Context(), func(tx *db.Tx) error {
			m, err := tx.CreateMatter(t.Context(), in, db.MatterChange{Name: &name, Parties: &parties, Counterparties: &counterparties})
			matters = append(matters, m.ID)
			return err
		}))
	}
	group, ctx := errgroup.WithContext(t.Context())
	for w := range 6 {
		group.Go(func() error {
			random := rand.New(rand.NewPCG(5, uint64(w)))
			for range 12 {
				f := db.NewFile{ID: db.NewID(), Name: "lease.pdf", Size: 3, SHA256: []byte(db.NewID()), Source: "upload", MatterID: matters[random.IntN(len(matters))]}
				f.Parties, _ = some(random)
				var entry db.TrashEntry
				for _, step := range []func(tx *db.Tx) error{
					func(tx *db.Tx) error {
						_, err := tx.CreateFile(ctx, in, f)
						return err
					},
					func(tx *db.Tx) error {
						parties, counterparties := some(random)
						_, err := tx.UpdateFile(ctx, in, f.ID, db.FileUpdate{Parties: &parties, Counterparties: &counterparties})
						return err
					},
					func(tx *db.Tx) error {
						parties, counterparties := some(random)
						_, err := tx.UpdateMatter(ctx, in, matters[1+random.IntN(len(matters)-1)], db.MatterChange{Parties: &parties, Counterparties: &counterparties})
						return err
					},
					func(tx *db.Tx) error {
						_, err := tx.UpdateFile(ctx, in, f.ID, db.FileUpdate{MatterID: &matters[random.IntN(len(matters))]})
						return err
					},
					func(tx *db.Tx) (err error) {
						if random.IntN(2) == 0 {
							entry, err = tx.DeleteFile(ctx, in, f.ID)
						}
						return err
					},
					func(tx *db.Tx) (err error) {
						if entry.ID != "" && random.IntN(2) == 0 {
							_, err = tx.RestoreTrash(ctx, in, []string{entry.ID}, "", true)
						}
						return err
					},
				} {
					if err := d.InTx(ctx, step); err != nil && fault.KindOf(err) != fault.NotFound && fault.KindOf(err) != fault.Invalid { // the matter may be in the trash
						return err
					}
				}
			}
			return nil
		})
	}
	group.Go(func() error {
		coming := matters[len(matters)-1]
		for range 12 {
			var entry db.TrashEntry
			for _, step := range []func(tx *db.Tx) error{
				func(tx *db.Tx) (err error) {
					entry, _, err = tx.DeleteMatter(ctx, in, coming)
					return err
				},
				func(tx *db.Tx) error {
					_, err := tx.RestoreTrash(ctx, in, []string{entry.ID}, "", true)
					return err
				},
			} {
				if err := d.InTx(ctx, step); err != nil {
					return err
				}
			}
		}
		return nil
	})
	folded := keepFolding(t, d, in.TeamID)
	require.NoError(t, group.Wait())
	require.NoError(t, folded())

	guest := in
	guest.Hidden = matters[1:2]
	everything := query.Is(query.FileSource, "upload") // for which files are read
	agree := func() map[string]any {
		t.Helper()
		mine := namesCounted(t, d, in, query.Filter{})
		require.Equal(t, namesCounted(t, d, in, everything), mine)
		seen := namesCounted(t, d, guest, query.Filter{})
		require.Equal(t, namesCounted(t, d, guest, everything), seen)
		require.NotEqual(t, mine, seen)
		return mine
	}
	before := agree()
	require.Greater(t, len(before), 12)
	require.NoError(t, d.FoldCounts(t.Context(), in.TeamID))
	require.Equal(t, before, agree())
	figures, err := d.Pool().Exec(t.Context(), `SELECT FROM name_changes WHERE team_id = $1`, in.TeamID)
	require.NoError(t, err)
	require.Zero(t, figures.RowsAffected())
}

package search_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/db/dbtest"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/nlp"
	"github.com/clausemill/clausemill/search"
)

// shelf is files of sentences with labels in one team of two.
type shelf struct {
	*search.Nearest
	db   *db.DB
	ours db.Scope
	dir  string // of indexes
	part int    // sentences that are kept in memory while one is built
	log  *lockedBuffer
}

// lockedBuffer is a log that is read while it is written.
type lockedBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

func newShelf(t testing.TB, d *db.DB) *shelf {
	t.Helper()
	l := &shelf{db: d, ours: newTeam(t, d, "ours"), dir: t.TempDir(), part: 20, log: new(lockedBuffer)}
	l.restart()
	return l
}

// restart is another process.
func (l *shelf) restart() { l.Nearest = search.NewNearest(l.db, l.stored, l.logger()) }

func (l *shelf) logger() *slog.Logger { return slog.New(slog.NewTextHandler(l.log, nil)) }

func (l *shelf) path(bytesID string) string { return filepath.Join(l.dir, bytesID) }

func (l *shelf) stored(_ context.Context, bytesID string) (string, func(), error) {
	if _, err := os.Stat(l.path(bytesID)); err != nil {
		return "", nil, fault.Wrap(fault.NotFound, "not found", err)
	}
	return l.path(bytesID), func() {}, nil
}

// build stores the index of a team as a worker does, and returns it. One that was there
// before is removed.
func (l *shelf) build(t testing.TB, in db.Scope) db.NearestIndex {
	t.Helper()
	build, err := search.BuildNearestInParts(t.Context(), l.db, db.System(in.TeamID), l.stored, l.logger(), l.part)
	require.NoError(t, err)
	defer build.Close()
	row := build.Before
	row.Seen = build.Seen
	if !build.Same {
		row = db.NearestIndex{BytesID: db.NewID(), Format: nlp.SegmentFormat, Files: build.Files, Seen: build.Seen}
		f, err := os.Create(l.path(row.BytesID))
		require.NoError(t, err)
		require.NoError(t, build.Write(f))
		require.NoError(t, f.Close())
		row.Sentences = build.Sentences
	}
	require.NoError(t, l.db.InTx(t.Context(), func(tx *db.Tx) error {
		return tx.SaveNearestIndex(t.Context(), in, row, build.Before.BytesID)
	}))
	if !build.Same && build.Before.BytesID != "" {
		_ = os.Remove(l.path(build.Before.BytesID)) // it may be missing
	}
	row, err = l.db.NearestIndex(t.Context(), in)
	require.NoError(t, err)
	return row
}

// delete moves a file into the trash.
func (l *shelf) delete(t testing.TB, fileID string) (entryID string) {
	t.Helper()
	require.NoError(t, l.db.InTx(t.Context(), func(tx *db.Tx) error {
		entry, err := tx.DeleteFile(t.Context(), l.ours, fileID)
		entryID = entry.ID
		return err
	}))
	return entryID
}

// write makes sentences the text of a file; "label: text" has a label.
func (l *shelf) write(t testing.TB, in db.Scope, fileID string, sentences ...string) {
	t.Helper()
	rows := make([]db.Sentence, len(sentences))
	predicted := "predicted"
	for i, s := range sentences {
		rows[i] = db.Sentence{ID: db.NewID(), Ordinal: i, Page: 1, Text: s, Labelling: db.Labelling{Source: &predicted}}
		if label, text, ok := strings.Cut(s, ": "); ok {
			rows[i].Label, rows[i].Text = &label, text
		}
	}
	require.NoError(t, l.db.InTx(context.Background(), func(tx *db.Tx) error {
		_, err := tx.SaveText(context.Background(), in, fileID, db.Text{Sentences: rows})
		return err
	}))
}

func (l *shelf) file(t testing.TB, in db.Scope, sentences ...string) string {
	t.Helper()
	id := db.NewID()
	require.NoError(t, l.db.InTx(context.Background(), func(tx *db.Tx) error {
		_, err := tx.CreateFile(context.Background(), in, db.NewFile{ID: id, Name: "lease.pdf", Size: 1, SHA256: []byte(id), Source: "upload"})
		return err
	}))
	l.write(t, in, id, sentences...)
	return id
}

func (l *shelf) texts(t testing.TB, q search.NearQuery) []string {
	t.Helper()
	if q.Limit == 0 {
		q.Limit = 10
	}
	near, err := l.Sentences(context.Background(), l.ours, q)
	require.NoError(t, err)
	texts := []string{}
	for i, n := range near {
		texts = append(texts, n.Text)
		require.Positive(t, n.Similarity)
		require.True(t, i == 0 || n.Similarity <= near[i-1].Similarity)
	}
	return texts
}

func TestNearestFollowsTheText(t *testing.T) {
	t.Parallel()
	l := newShelf(t, dbtest.New(t))
	query := search.NearQuery{Text: "The seller delivers the goods."}
	require.Empty(t, l.texts(t, query), "a team without files")

	first := l.file(t, l.ours, "The seller delivers the goods.", "This is governed by the law of Utah.")
	l.file(t, newTeam(t, l.db, "theirs"), "The seller delivers the goods.")
	require.Equal(t, []string{"The seller delivers the goods."}, l.texts(t, query), "and not that of another team")

	second := l.file(t, l.ours, "A seller delivers.", "Pay!")
	require.Equal(t, []string{"The seller delivers the goods.", "A seller delivers."}, l.texts(t, query), "what is new")
	query.Limit = 1
	require.Len(t, l.texts(t, query), 1)
	query.Limit, query.MinSimilarity = 0, 0.9
	require.Len(t, l.texts(t, query), 1)
	query.MinSimilarity = 0

	l.write(t, l.ours, first, "The buyer collects the goods.")
	require.Equal(t, []string{"A seller delivers.", "The buyer collects the goods."}, l.texts(t, query), "what was read again")
	l.delete(t, second)
	for range 3 { // where most is gone all is read again
		require.Equal(t, []string{"The buyer collects the goods."}, l.texts(t, query), "what is gone")
	}
}

func TestNearestFilters(t *testing.T) {
	t.Parallel()
	l := newShelf(t, dbtest.New(t))
	f := l.file(t, l.ours, "The seller delivers the goods.", "delivery: The seller delivers.", "law: The law of Utah governs.")
	other := l.file(t, l.ours, "delivery: Goods are delivered by the seller to Utah.")
	rows, err := l.db.Sentences(t.Context(), l.ours, f)
	require.NoError(t, err)
	text := "The seller delivers the goods."
	require.ElementsMatch(t, []string{"The seller delivers.", "Goods are delivered by the seller to Utah."},
		l.texts(t, search.NearQuery{Text: text, Without: rows[0].ID, Filter: db.SentenceFilter{}})[:2])
	for want, filter := range map[string]db.SentenceFilter{
		"The seller delivers. Goods are delivered by the seller to Utah.": {Labelled: true},
		"The seller delivers.":                       {Labelled: true, FileIDs: []string{f}},
		"Goods are delivered by the seller to Utah.": {FileIDs: []string{other}},
		"The seller delivers the goods.":             {Unlabelled: true},
		"":                                           {Labels: []string{"law"}},
	} {
		found := l.texts(t, search.NearQuery{Text: text, Filter: filter})
		if strings.HasPrefix(want, "The seller delivers. Goods") {
			require.ElementsMatch(t, []string{"The seller delivers.", "Goods are delivered by the seller to Utah."}, found)
			continue
		}
		require.Equal(t, want, strings.Join(found, " "))
	}
}

// TestNearestIsTheSame has many sentences with the same words: that with the same number
// comes first.
func TestNearestIsTheSame(t *testing.T) {
	t.Parallel()
	l := newShelf(t, dbtest.New(t))
	for i := range 40 {
		l.file(t, l.ours, fmt.Sprintf("term: The buyer pays the seller within %d days.", i+1), "The seller waits.")
	}
	for _, days := range []int{1, 17, 40} {
		text := fmt.Sprintf("The buyer pays the seller within %d days.", days)
		for _, filter := range []db.SentenceFilter{{}, {Labels: []string{"term"}}} {
			require.Equal(t, []string{text}, l.texts(t, search.NearQuery{Text: text, Filter: filter, Limit: 41})[:1])
		}
		require.Equal(t, []string{text}, l.texts(t, search.NearQuery{Text: text, Filter: db.SentenceFilter{Labels: []string{"term"}}, Limit: 1}))
	}
}

// TestNearestFiltersMany has the closest sentences all fail the filter, once
// with more matches behind them than are compared one by one, and once with few.
func TestNearestFiltersMany(t *testing.T) {
	t.Parallel()
	l := newShelf(t, dbtest.New(t))
	text := "The seller delivers lot iii to Utah."
	many := slices.Repeat([]string{text}, 600)
	for i := range 9000 {
		many = append(many, fmt.Sprintf("lot: The seller delivers lot %s.", strings.Repeat("i", i%100+1)))
	}
	l.file(t, l.ours, append(many, "rare: The buyer pays to Utah.", "rare: The seller waits.", "rare: Void.")...)
	for label, want := range map[string][]string{
		"lot":  {"The seller delivers lot iii.", "The seller delivers lot iii."},
		"rare": {"The buyer pays to Utah.", "The seller waits."},
	} {
		require.Equal(t, want, l.texts(t, search.NearQuery{Text: text, Filter: db.SentenceFilter{Labels: []string{label}}, Limit: 2}))
	}
}

func TestNearestNodes(t *testing.T) {
	t.Parallel()
	l := newShelf(t, dbtest.New(t))
	f := l.file(t, l.ours, "law: The law of Utah governs.", "law: The laws of Iowa govern.", "pay: The seller pays in Iowa.", "void: Nothing.", "own: Ohio law governs.")
	l.file(t, newTeam(t, l.db, "theirs"), "law: The law of Ohio.")
	rows, err := l.db.Sentences(t.Context(), l.ours, f)
	require.NoError(t, err)
	labels := []string{"void", "pay", "law", "unused"}
	nodes, err := l.Nodes(t.Context(), l.ours, "The law of Iowa governs.", rows[4].ID, labels, 10)
	require.NoError(t, err)
	require.Len(t, nodes, 2)
	require.Equal(t, "law", nodes[0].Label)
	require.Equal(t, 2, nodes[0].Support)
	require.Equal(t, "The laws of Iowa govern.", nodes[0].Example.Text)
	require.Equal(t, "pay", nodes[1].Label)
	require.Less(t, nodes[1].Similarity, nodes[0].Similarity)
	nodes, err = l.Nodes(t.Context(), l.ours, "The law of Iowa governs.", rows[0].ID, labels, 1)
	require.NoError(t, err)
	require.Len(t, nodes, 1)
	require.Equal(t, 1, nodes[0].Support, "a sentence does not speak for itself")
}

// TestNearestWhileTextsChange asks from many sides while files come and go.
func TestNearestWhileTextsChange(t *testing.T) {
	t.Parallel()
	d, _ := dbtest.Database(t)
	l := newShelf(t, d)
	l.file(t, l.ours, "The seller stays.")
	id := l.file(t, l.ours, "The seller delivers the goods.")
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 20 {
				near, err := l.Sentences(context.Background(), l.ours, search.NearQuery{Text: "The seller stays.", Limit: 5})
				if err != nil || near[0].Text != "The seller stays." {
					t.Error(near, err)
				}
			}
		})
	}
	for i := range 10 {
		l.write(t, l.ours, id, fmt.Sprint("The seller delivers ", i), "The seller pays.")
		l.file(t, l.ours, "Another seller.")
	}
	all.Wait()
	near, err := l.Sentences(t.Context(), l.ours, search.NearQuery{Text: "seller", Limit: 100})
	require.NoError(t, err)
	require.Len(t, near, 13)
}

// BenchmarkNearest asks for the ten closest of many sentences as they are
// stored: those of real contracts and copies of them.
func BenchmarkNearest(b *testing.B) {
	d, _ := dbtest.Database(b)
	h := newHouse(b, d, search.NewPostgres(d))
	files := h.fillCopies(b, benchSize(b))
	_, err := d.Pool().Exec(b.Context(), `
		UPDATE sentences SET source = 'predicted', score = 0.5, label = 'clause_' || ordinal WHERE ordinal % 12 = 0`)
	require.NoError(b, err)
	_, err = d.Pool().Exec(b.Context(), `UPDATE files SET progress_at = now() - random() * interval '90 days'`)
	require.NoError(b, err)
	_, err = d.Pool().Exec(b.Context(), `VACUUM ANALYZE`)
	require.NoError(b, err)
	all := slices.Concat(files...)
	l := &shelf{db: d, ours: h.ours, dir: b.TempDir(), part: 1_000_000, log: new(lockedBuffer)}
	n := search.NewNearest(d, nil, l.logger())
	ask := func(i int, filter db.SentenceFilter) error {
		_, err := n.Sentences(context.Background(), h.ours, search.NearQuery{Text: all[i*7919%len(all)], Filter: filter, Limit: 10})
		return err
	}
	begin := time.Now()
	require.NoError(b, ask(0, db.SentenceFilter{}))
	whole := time.Since(begin)
	begin = time.Now()
	index := l.build(b, h.ours)
	b.Logf("an index of %d sentences in %d files was built in %s", index.Sentences, index.Files, time.Since(begin).Round(time.Millisecond))
	n = search.NewNearest(d, l.stored, l.logger())
	begin = time.Now()
	require.NoError(b, ask(0, db.SentenceFilter{}))
	first := time.Since(begin)
	b.Logf("the first answer took %s, without the index %s: %.0f times as long", first.Round(time.Millisecond), whole.Round(time.Millisecond), float64(whole)/float64(first))
	l.restart()
	n = l.Nearest
	_, err = d.Pool().Exec(b.Context(), `UPDATE files SET text_ready = false WHERE id = (SELECT min(id::text)::uuid FROM files)`)
	require.NoError(b, err)
	begin = time.Now()
	require.NoError(b, ask(0, db.SentenceFilter{}))
	b.Logf("the first answer where a file was removed took %s", time.Since(begin).Round(time.Millisecond))
	labels := make([]string, 0, benchFile)
	for i := 0; i < benchFile; i += 12 {
		labels = append(labels, fmt.Sprint("clause_", i))
	}
	b.Run("matches of eight", func(b *testing.B) {
		measure(b, 8, func(i int) error { return ask(i, db.SentenceFilter{}) })
	})
	b.Run("matches", func(b *testing.B) {
		measure(b, 2, func(i int) error { return ask(i, db.SentenceFilter{}) })
	})
	b.Run("non-null", func(b *testing.B) {
		measure(b, 2, func(i int) error { return ask(i, db.SentenceFilter{Labelled: true}) })
	})
	b.Run("nodes", func(b *testing.B) {
		measure(b, 2, func(i int) error {
			_, err := n.Nodes(context.Background(), h.ours, files[i*7%len(files)][0], "", labels, 10)
			return err
		})
	})
}

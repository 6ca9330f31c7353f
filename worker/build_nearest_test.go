package worker_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/blob"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/jobs"
	"github.com/clausemill/clausemill/search"
)

// written is a file with sentences, whose text was read.
func (m *mill) written(in db.Scope, sentences ...string) string {
	m.t.Helper()
	id := db.NewID()
	rows := make([]db.Sentence, len(sentences))
	predicted := "predicted"
	for i, text := range sentences {
		rows[i] = db.Sentence{ID: db.NewID(), Ordinal: i, Page: 1, Text: text, Labelling: db.Labelling{Source: &predicted}}
	}
	require.NoError(m.t, m.db.InTx(m.t.Context(), func(tx *db.Tx) error {
		if _, err := tx.CreateFile(m.t.Context(), in, db.NewFile{ID: id, Name: "lease.pdf", Size: 1, SHA256: []byte(id), Source: "upload"}); err != nil {
			return err
		}
		if _, err := tx.SaveText(m.t.Context(), in, id, db.Text{Sentences: rows}); err != nil {
			return err
		}
		// It is searchable as well: nothing is left to do that would change the file.
		_, err := tx.Raw.Exec(m.t.Context(), `UPDATE files SET indexed_generation = generation, indexed_label_generation = label_generation WHERE id = $1`, id)
		return err
	}))
	return id
}

// TestNearestIndexIsBuilt follows the index of a team from its first sentences until the
// last file is gone.
func TestNearestIndexIsBuilt(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	ctx := t.Context()
	insert := func(args jobs.Args) {
		t.Helper()
		require.NoError(t, m.db.InTx(ctx, func(tx *db.Tx) error { return jobs.Insert(ctx, m.client, tx.Raw, args) }))
	}
	// ended waits for all jobs about indexes, and returns how many built one so far.
	ended := func() (builds int) {
		t.Helper()
		require.Eventually(t, func() bool {
			var open int
			require.NoError(t, m.db.Pool().QueryRow(ctx, `
				SELECT count(*) FILTER (WHERE finalized_at IS NULL), count(*) FILTER (WHERE kind = 'build_nearest' AND state = 'completed')
				FROM river_job WHERE kind IN ('plan_nearest', 'build_nearest')`).Scan(&open, &builds))
			return open == 0
		}, time.Minute, 20*time.Millisecond)
		return builds
	}
	stored := func() (ids []string) {
		t.Helper()
		require.NoError(t, m.blobs.Objects(ctx, func(o blob.Object) error {
			if strings.HasPrefix(o.Key, "nearest/") {
				ids = append(ids, o.ID)
			}
			return nil
		}))
		return ids
	}
	nearest := func() []string {
		t.Helper()
		n := search.NewNearest(m.db, func(ctx context.Context, id string) (string, func(), error) {
			return m.blobs.Local(ctx, blob.Nearest(id))
		}, m.config.Log)
		found, err := n.Sentences(ctx, m.in, search.NearQuery{Text: "The seller delivers.", Limit: 200})
		require.NoError(t, err)
		texts := make([]string, len(found))
		for i, f := range found {
			texts[i] = f.Text
		}
		return texts
	}
	files := make([]string, 0, 60)
	for i := range 60 {
		files = append(files, m.written(m.in, fmt.Sprint("The seller delivers ", strings.Repeat("q", i+2))))
	}
	m.start()
	insert(jobs.PlanNearest{})
	require.Zero(t, ended(), "a small team needs none")
	require.Empty(t, stored())

	insert(jobs.BuildNearest{TeamID: m.in.TeamID})
	require.Equal(t, 1, ended())
	first, err := m.db.NearestIndex(ctx, m.in)
	require.NoError(t, err)
	require.Equal(t, []int{60, 60}, []int{first.Files, first.Sentences})
	require.Equal(t, []string{first.BytesID}, stored())
	require.Len(t, nearest(), 60)
	insert(jobs.PlanNearest{})
	require.Equal(t, 1, ended(), "nothing has changed")

	files = append(files, m.written(m.in, "The seller delivers."))
	insert(jobs.PlanNearest{})
	require.Equal(t, 1, ended(), "little has changed")
	require.Equal(t, "The seller delivers.", nearest()[0])
	files = append(files, m.written(m.in, "A seller delivers."))
	insert(jobs.PlanNearest{})
	require.Equal(t, 2, ended())
	second, err := m.db.NearestIndex(ctx, m.in)
	require.NoError(t, err)
	require.Equal(t, 62, second.Files)
	require.Equal(t, []string{second.BytesID}, stored(), "the one before is removed")
	require.Len(t, nearest(), 62)

	// A worker may be killed between the bytes and the row, and a job may run twice.
	_, err = m.blobs.Put(ctx, blob.Nearest(db.NewID()), strings.NewReader("x"), 10)
	require.NoError(t, err)
	insert(jobs.BuildNearest{TeamID: m.in.TeamID})
	require.Equal(t, 3, ended())
	same, err := m.db.NearestIndex(ctx, m.in)
	require.NoError(t, err)
	require.Equal(t, second.BytesID, same.BytesID)
	w := m.start()
	n, err := w.Sweep(ctx, 0)
	require.NoError(t, err)
	require.Equal(t, 1, n)
	require.Equal(t, []string{second.BytesID}, stored())

	// What is damaged is built of all sentences.
	require.NoError(t, m.blobs.Delete(ctx, blob.Nearest(second.BytesID)))
	insert(jobs.BuildNearest{TeamID: m.in.TeamID})
	require.Equal(t, 4, ended())
	third, err := m.db.NearestIndex(ctx, m.in)
	require.NoError(t, err)
	require.Equal(t, []string{third.BytesID}, stored())
	require.Len(t, nearest(), 62)

	require.NoError(t, m.db.InTx(ctx, func(tx *db.Tx) error {
		for _, id := range files {
			if _, err := tx.DeleteFile(ctx, m.in, id); err != nil {
				return err
			}
		}
		return nil
	}))
	insert(jobs.PlanNearest{})
	require.Equal(t, 5, ended())
	_, err = m.db.NearestIndex(ctx, m.in)
	require.Equal(t, fault.NotFound, fault.KindOf(err))
	require.Empty(t, stored(), "with the last file it goes")
	require.Empty(t, nearest())
}

package db_test

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/db/dbtest"
	"github.com/clausemill/clausemill/fault"
)

func TestMain(m *testing.M) {
	code := m.Run()
	dbtest.Drop()
	os.Exit(code)
}

// bundle is a database with two teams that must never see each other's rows.
type bundle struct {
	db     *db.DB
	ours   db.Scope
	theirs db.Scope
}

func setup(t *testing.T) *bundle {
	t.Helper()
	b := &bundle{db: dbtest.New(t)}
	b.ours, b.theirs = scopeOf(t, b.db, "ours@example.com"), scopeOf(t, b.db, "theirs@example.com")
	return b
}

func scopeOf(t *testing.T, d *db.DB, email string) db.Scope {
	t.Helper()
	var user db.User
	require.NoError(t, d.InTx(t.Context(), func(tx *db.Tx) (err error) {
		user, err = tx.EnsureUser(t.Context(), email, "")
		return err
	}))
	return db.Scope{TeamID: user.PersonalTeamID, ActorKind: "user", ActorID: user.ID}
}

func (b *bundle) file(t *testing.T, in db.Scope, change ...func(*db.NewFile)) db.File {
	t.Helper()
	f := db.NewFile{ID: db.NewID(), Name: "lease.pdf", Size: 3, SHA256: []byte("abc"), Source: "upload"}
	for _, c := range change {
		c(&f)
	}
	var row db.File
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) (err error) {
		row, err = tx.CreateFile(t.Context(), in, f)
		return err
	}))
	return row
}

func TestFileRoundTrip(t *testing.T) {
	t.Parallel()
	b := setup(t)

	first := b.file(t, b.ours)
	require.Equal(t, db.FileQueued, first.Status)
	require.Nil(t, first.DuplicateOf)
	second := b.file(t, b.ours)
	require.Equal(t, first.ID, *second.DuplicateOf)
	require.Nil(t, b.file(t, b.theirs).DuplicateOf, "the same bytes in another team are nobody's business")

	_, err := b.db.File(t.Context(), b.theirs, first.ID)
	require.Equal(t, fault.NotFound, fault.KindOf(err))

	name := "new name.pdf"
	parties := []db.Party{{Name: "Acme", Role: "Supplier"}}
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		row, err := tx.UpdateFile(t.Context(), b.ours, first.ID, db.FileUpdate{Name: &name, Parties: &parties})
		require.Equal(t, name, row.Name)
		require.Equal(t, parties, row.Parties)
		require.JSONEq(t, "{}", string(row.Metadata))
		require.Equal(t, 2, row.Version)
		return err
	}))
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		row, err := tx.UpdateFile(t.Context(), b.ours, first.ID, db.FileUpdate{Metadata: json.RawMessage(`{"a":1}`)})
		require.Equal(t, parties, row.Parties)
		require.JSONEq(t, `{"a":1}`, string(row.Metadata))
		return err
	}))

	list, err := b.db.Files(t.Context(), b.ours, db.FileFilter{}, "", 1)
	require.NoError(t, err)
	require.Equal(t, second.ID, list[0].ID)
	list, err = b.db.Files(t.Context(), b.ours, db.FileFilter{}, list[0].ID, 10)
	require.NoError(t, err)
	require.Len(t, list, 1)
	n, err := b.db.CountFiles(t.Context(), b.ours, db.FileFilter{Name: "NEW_NAME", UpdatedSince: time.Unix(0, 0)})
	require.NoError(t, err)
	require.Zero(t, n, "an underscore is no wildcard")
}

func TestAttempt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.file(t, b.ours)
	a := db.Attempt{FileID: f.ID, Number: 1}
	in := db.System(b.ours.TeamID)

	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		_, err := tx.EnterStage(t.Context(), in, a, db.StageExtract)
		require.NoError(t, err)
		layer := "garbled"
		require.NoError(t, tx.ClearPages(t.Context(), in, f.ID))
		require.NoError(t, tx.AddPages(t.Context(), in, f.ID, 2, []db.Page{
			{Number: 1, Source: "text_layer", Text: "One."},
			{Number: 2, Source: "ocr", Pending: true, LayerText: &layer},
		}))
		require.NoError(t, tx.SaveRecognized(t.Context(), in, f.ID, db.Page{Number: 2, Text: "Two.", Confidence: 90}))
		require.NoError(t, tx.SaveRecognized(t.Context(), in, f.ID, db.Page{Number: 2, Text: "Late.", Confidence: 90}))
		row, err := tx.SaveText(t.Context(), in, f.ID, db.Text{
			Language:  "en",
			Documents: []db.Document{{ID: f.ID, Kind: "agreement", End: 9, FirstPage: 1, LastPage: 2}},
			Blocks:    []db.Block{{DocumentID: f.ID, Kind: "paragraph", Text: "One.", End: 4, Page: 1}},
			Sentences: []db.Sentence{{ID: db.NewID(), Text: "One.", End: 4, Page: 1}},
			Tokens:    []db.Token{{Token: "one", Stem: "one", Count: 1}}, TokenTotal: 1, Words: []string{"one"},
		})
		require.NoError(t, err)
		require.True(t, row.TextReady)
		require.False(t, row.Searchable())
		require.Equal(t, 2, row.PagesDone)
		require.Equal(t, 1, row.PagesOCR)
		require.NoError(t, tx.CompleteAttempt(t.Context(), in, a))
		_, err = tx.OpenAttempt(t.Context(), in, a)
		require.Equal(t, fault.Conflict, fault.KindOf(err))
		return nil
	}))
	pages, err := b.db.Pages(t.Context(), b.ours, f.ID)
	require.NoError(t, err)
	require.Equal(t, "Two.", pages[1].Text)
	require.NoError(t, b.db.FoldVocabulary(t.Context(), b.ours.TeamID))
	count, err := b.db.StemFiles(t.Context(), b.ours, []string{"one"})
	require.NoError(t, err)
	require.Equal(t, map[string]int{"one": 1}, count)
	events, err := b.db.LastEvent(t.Context(), b.ours)
	require.NoError(t, err, events)
	_, err = b.db.QueuePosition(t.Context(), b.ours, f)
	require.NoError(t, err)
}

func TestQueue(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.NoError(t, b.db.Heartbeat(t.Context(), "w1", map[string]int{"ocr": 2}))
	_, err := b.db.Admit(t.Context(), "ocr")
	require.NoError(t, err)
	_, err = b.db.RescueJobs(t.Context(), time.Second)
	require.NoError(t, err)
	_, err = b.db.QueueDepths(t.Context())
	require.NoError(t, err)
	_, err = b.db.FileJobs(t.Context(), b.ours, []string{db.NewID()})
	require.NoError(t, err)
	w, err := b.db.CountRequest(t.Context(), "x", 2, time.Minute)
	require.NoError(t, err)
	require.Equal(t, 1, w.Used)
	require.NoError(t, b.db.Prune(t.Context()))
}

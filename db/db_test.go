package db_test

import (
	"encoding/json"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
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

// TestFileState is of a file of which there is something in every column.
func TestFileState(t *testing.T) {
	t.Parallel()
	b := setup(t)
	file := b.file(t, b.ours)
	a := db.Attempt{FileID: file.ID, Number: 1}
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		if _, err := tx.EnterStage(t.Context(), b.ours, a, db.StageExtract); err != nil {
			return err
		}
		if err := tx.SetKind(t.Context(), b.ours, file.ID, "pdf", "application/pdf", 7); err != nil {
			return err
		}
		if err := tx.AddWarnings(t.Context(), b.ours, file.ID, db.Warning{Code: "no_text", Pages: []int{1, 2}, Message: `"none"`}); err != nil {
			return err
		}
		return tx.FailAttempt(t.Context(), b.ours, a, "", &fault.Error{Kind: fault.Invalid, Code: fault.OCRCrash, Message: "lost", Page: 3})
	}))
	file, err := b.db.File(t.Context(), b.ours, file.ID)
	require.NoError(t, err)
	require.Equal(t, 3, *file.ErrorPage)
	require.NotNil(t, file.StartedAt)
	require.NotNil(t, file.FinishedAt)
	require.Len(t, file.Warnings, 1)
	state, err := b.db.FileState(t.Context(), b.ours, file.ID)
	require.NoError(t, err)
	require.Equal(t, file.FileState, state)
}

// TestCopiesOfWhatGoes has the first of four copies deleted and the second get
// other bytes: those that are left are copies of the oldest of them.
func TestCopiesOfWhatGoes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	files := []db.File{b.file(t, b.ours), b.file(t, b.ours), b.file(t, b.ours), b.file(t, b.ours)}
	other := b.file(t, b.ours, func(f *db.NewFile) { f.SHA256 = []byte("xyz") })
	requireCopies := func(copies []db.File, of *string) {
		t.Helper()
		for _, f := range copies {
			row, err := b.db.File(t.Context(), b.ours, f.ID)
			require.NoError(t, err)
			require.Equal(t, of, row.DuplicateOf)
		}
	}
	requireCopies(files[1:], &files[0].ID)
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		_, err := tx.DeleteFile(t.Context(), b.ours, files[0].ID)
		return err
	}))
	requireCopies(files[1:2], nil)
	requireCopies(files[2:], &files[1].ID)
	var changes int
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		return tx.Raw.QueryRow(t.Context(), `SELECT label_generation FROM files WHERE id = $1`, files[1].ID).Scan(&changes)
	}))
	require.Equal(t, 1, changes, "a search engine has to hear of it")
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		_, err := tx.AddVersion(t.Context(), b.ours, files[1], db.NewVersion{
			BytesID: db.NewID(), Name: "lease.pdf", Size: 3, SHA256: []byte("new"), Source: db.VersionImported,
		}, false)
		return err
	}))
	requireCopies(files[1:3], nil)
	requireCopies(files[3:], &files[2].ID)
	requireCopies([]db.File{other}, nil)
}

func TestFileRoundTrip(t *testing.T) {
	t.Parallel()
	b := setup(t)

	first := b.file(t, b.ours)
	require.Equal(t, db.FileQueued, first.Status)
	require.Nil(t, first.DuplicateOf)
	second := b.file(t, b.ours)
	require.Equal(t, first.ID, *second.DuplicateOf)
	state, err := b.db.FileState(t.Context(), b.ours, first.ID)
	require.NoError(t, err)
	require.Equal(t, first.FileState, state)
	require.Nil(t, b.file(t, b.theirs).DuplicateOf, "the same bytes in another team are nobody's business")

	_, err = b.db.File(t.Context(), b.theirs, first.ID)
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
		require.NoError(t, tx.ReplacePages(t.Context(), in, f.ID, 2, []db.Page{
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
	_, err = b.db.TeamQueue(t.Context(), b.ours)
	require.NoError(t, err)
}

func TestQueue(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.NoError(t, b.db.Heartbeat(t.Context(), "w1", "1", map[string]int{"ocr": 2}, nil))
	_, err := b.db.Admit(t.Context(), "ocr", 0)
	require.NoError(t, err)
	_, err = b.db.RescueJobs(t.Context(), "worker", nil, time.Second)
	require.NoError(t, err)
	_, err = b.db.QueueDepths(t.Context())
	require.NoError(t, err)
	backlog, err := b.db.IndexBacklog(t.Context())
	require.NoError(t, err)
	require.Zero(t, backlog)
	_, err = b.db.FileJobs(t.Context(), b.ours, []string{db.NewID()})
	require.NoError(t, err)
	w, err := b.db.CountRequests(t.Context(), map[string]int{"x": 2}, time.Minute)
	require.NoError(t, err)
	require.Equal(t, 2, w["x"].Used)
	require.NoError(t, b.db.Prune(t.Context()))
}

func TestReading(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	in := db.System(b.ours.TeamID)
	f := b.file(t, b.ours)
	twin := b.file(t, b.ours)
	label, code, layer := "Governing Law", "ocr_timeout", "the layer"
	sentence := db.Sentence{ID: db.NewID(), Text: "English law governs.", End: 20, Page: 1}
	sentence.Label, sentence.Source = &label, ptr("validated")
	require.NoError(t, b.db.InTx(ctx, func(tx *db.Tx) error {
		require.NoError(t, tx.SetKind(ctx, in, f.ID, "pdf", "application/pdf", 3))
		require.NoError(t, tx.AddPages(ctx, in, f.ID, 3, []db.Page{
			{Number: 1, Source: "text_layer", Text: "English law governs.", Words: []byte{1}},
			{Number: 2, Source: "ocr", Pending: true, LayerText: &layer, Fields: []db.Field{{Start: 4, End: 9}}},
			{Number: 3, Source: "ocr", Pending: true, LayerText: &layer, Fields: []db.Field{{Start: 4, End: 9}}},
		}))
		pending, err := tx.PendingPages(ctx, in, f.ID)
		require.NoError(t, err)
		require.Equal(t, []db.PendingPage{{Number: 2}, {Number: 3}}, pending)
		n, err := tx.CopyPages(ctx, in, f.ID, twin.ID)
		require.NoError(t, err)
		require.Zero(t, n, "an unfinished reading is not copied")
		require.NoError(t, tx.SaveRecognized(ctx, in, f.ID, db.Page{Number: 2, Text: "Page two."}))
		require.NoError(t, tx.SaveRecognized(ctx, in, f.ID, db.Page{Number: 3, ErrorCode: &code, Text: "lost"}))
		_, err = tx.SaveText(ctx, in, f.ID, db.Text{
			Documents: []db.Document{{ID: f.ID, Kind: "agreement", Title: "Lease", End: 20, FirstPage: 1, LastPage: 1}},
			Blocks:    []db.Block{{DocumentID: f.ID, Kind: "paragraph", Text: sentence.Text, End: 20, Page: 1}, {Ordinal: 1, DocumentID: f.ID, Kind: "list_item", Number: "(a)", Text: "x", Page: 1}},
			Sentences: []db.Sentence{sentence},
			Tokens:    []db.Token{{Token: "law", Stem: "law", Count: 1}}, TokenTotal: 1, Words: []string{"law"},
		})
		return err
	}))

	read, err := b.db.Pages(ctx, b.ours, f.ID)
	require.NoError(t, err)
	require.Nil(t, read[1].Fields, "they are of the text layer")
	require.Equal(t, layer, read[2].Text)
	require.Equal(t, []db.Field{{Start: 4, End: 9}}, read[2].Fields)

	model := db.NewID()
	require.NoError(t, b.db.InTx(ctx, func(tx *db.Tx) error {
		require.NoError(t, tx.SaveModel(ctx, in, db.Model{ID: model, Version: 1, Status: db.ModelActive, BaseID: model, Metrics: json.RawMessage("{}")}, []byte{1}))
		return tx.SaveAnalysis(ctx, in, f.ID, db.Meaning{
			Analysis: db.Analysis{Generation: 1, Version: "1", ModelID: &model, Counts: db.Counts{Words: 3, Sentences: 1}},
			Sections: []db.Section{{ID: db.NewID(), Level: 1, Number: "1.", Path: "1", End: 20, FirstPage: 1, LastPage: 1, EndSentence: 1}},
		})
	}))
	elsewise, err := b.db.LabelledOtherwise(ctx, b.ours, db.NewID(), "", 9)
	require.NoError(t, err)
	require.Equal(t, []string{f.ID}, elsewise)
	inUse, err := b.db.ActiveModel(ctx, b.ours)
	require.NoError(t, err)
	require.Equal(t, model, inUse.ID)
	sections, err := b.db.Sections(ctx, b.ours, f.ID, db.SectionFilter{Depth: 1, Label: label}, -1, 9)
	require.NoError(t, err)
	require.Equal(t, label, *sections[0].Label, "of its sentences")
	require.Nil(t, sections[0].ModelID, "people gave it")

	pages, err := b.db.PagesWithWords(ctx, b.ours, f.ID, 1, 3)
	require.NoError(t, err)
	require.Equal(t, []byte{1}, pages[0].Words)
	require.Equal(t, layer, pages[2].Text, "a page that cannot be recognised keeps its layer")
	found, err := b.db.HasOCRText(ctx, b.ours, []string{f.ID, twin.ID, db.NewID()})
	require.NoError(t, err)
	require.Equal(t, map[string]bool{f.ID: true, twin.ID: false}, found)
	documents, err := b.db.Documents(ctx, b.ours, f.ID)
	require.NoError(t, err)
	require.Equal(t, "Lease", documents[0].Title)
	blocks, err := b.db.Blocks(ctx, b.ours, f.ID, 0, 10)
	require.NoError(t, err)
	require.Equal(t, "(a)", blocks[0].Number)
	require.Empty(t, blocks[0].Labels)
	blocks, err = b.db.Blocks(ctx, b.ours, f.ID, -1, 1)
	require.NoError(t, err)
	require.Equal(t, []db.BlockLabel{{Label: label, Validated: true}}, blocks[0].Labels)
	n, err := b.db.CountBlocks(ctx, b.ours, f.ID)
	require.NoError(t, err)
	require.Equal(t, 2, n)
	sentences, err := b.db.Sentences(ctx, b.ours, f.ID)
	require.NoError(t, err)
	decided, err := b.db.DecidedSentences(ctx, b.ours, f.ID)
	require.NoError(t, err)
	require.Equal(t, sentences, decided)
	tokens, err := b.db.FileTokens(ctx, b.ours, f.ID)
	require.NoError(t, err)
	require.JSONEq(t, `[{"token":"law","stem":"law","count":1}]`, string(tokens.Tokens))
	require.Equal(t, 1, tokens.TeamFiles)
	stale, err := b.db.StaleVocabularies(ctx)
	require.NoError(t, err)
	require.Contains(t, stale, b.ours.TeamID)
	ids, err := b.db.FileIDs(ctx, b.ours, db.FileFilter{Statuses: []string{"queued"}, Causes: nil}, 10)
	require.NoError(t, err)
	require.Equal(t, []string{f.ID, twin.ID}, ids)
	known, err := b.db.KnownBytes(ctx, []string{f.ID, db.NewID(), f.ID + ".18b2f3.tmp"})
	require.NoError(t, err)
	require.Equal(t, map[string]bool{f.ID: true}, known)
	states, err := b.db.FileJobStates(ctx, b.ours, f.ID)
	require.NoError(t, err)
	require.Empty(t, states)
	active, err := b.db.ActiveFiles(ctx, b.ours, 1)
	require.NoError(t, err)
	require.Equal(t, 1, active, "counted no further than asked")
	require.NoError(t, b.db.Ping(ctx))

	// Nothing of it is another team's.
	for name, read := range map[string]func(db.Scope) (int, error){
		"pages":     func(s db.Scope) (int, error) { l, err := b.db.Pages(ctx, s, f.ID); return len(l), err },
		"words":     func(s db.Scope) (int, error) { l, err := b.db.PagesWithWords(ctx, s, f.ID, 1, 9); return len(l), err },
		"pending":   func(s db.Scope) (int, error) { l, err := b.db.PendingPages(ctx, s, f.ID); return len(l), err },
		"ocr":       func(s db.Scope) (int, error) { l, err := b.db.HasOCRText(ctx, s, []string{f.ID}); return len(l), err },
		"documents": func(s db.Scope) (int, error) { l, err := b.db.Documents(ctx, s, f.ID); return len(l), err },
		"blocks":    func(s db.Scope) (int, error) { l, err := b.db.Blocks(ctx, s, f.ID, -1, 9); return len(l), err },
		"count":     func(s db.Scope) (int, error) { return b.db.CountBlocks(ctx, s, f.ID) },
		"sentences": func(s db.Scope) (int, error) { l, err := b.db.Sentences(ctx, s, f.ID); return len(l), err },
		"decided":   func(s db.Scope) (int, error) { l, err := b.db.DecidedSentences(ctx, s, f.ID); return len(l), err },
		"labelled":  func(s db.Scope) (int, error) { l, err := b.db.LabelledSentences(ctx, s, f.ID); return len(l), err },
		"models":    func(s db.Scope) (int, error) { l, err := b.db.Models(ctx, s); return len(l), err },
		"deciders":  func(s db.Scope) (int, error) { l, err := b.db.DecidedFiles(ctx, s, 9); return len(l), err },
		"others":    func(s db.Scope) (int, error) { l, err := b.db.OtherFiles(ctx, s, 9); return len(l), err },
		"people":    func(s db.Scope) (int, error) { l, err := b.db.Deciders(ctx, s); return len(l), err },
		"elsewise":  func(s db.Scope) (int, error) { return b.db.CountLabelledOtherwise(ctx, s, db.NewID()) },
		"measures":  func(s db.Scope) (int, error) { l, err := b.db.Measures(ctx, s, f.ID, nil, 9); return len(l), err },
		"sections": func(s db.Scope) (int, error) {
			l, err := b.db.Sections(ctx, s, f.ID, db.SectionFilter{}, -1, 9)
			return len(l), err
		},
		"counted":    func(s db.Scope) (int, error) { return b.db.CountSections(ctx, s, f.ID, db.SectionFilter{}) },
		"texts":      func(s db.Scope) (int, error) { l, err := b.db.PageTexts(ctx, s, f.ID); return len(l), err },
		"structures": func(s db.Scope) (int, error) { l, err := b.db.PageStructures(ctx, s, f.ID); return len(l), err },
		"reading": func(s db.Scope) (int, error) {
			_, err := b.db.FileText(ctx, s, f.ID)
			if fault.KindOf(err) == fault.NotFound {
				return 0, nil
			}
			return 1, err
		},
		"files":    func(s db.Scope) (int, error) { return b.db.CountFiles(ctx, s, db.FileFilter{IDs: []string{f.ID}}) },
		"ids":      func(s db.Scope) (int, error) { l, err := b.db.FileIDs(ctx, s, db.FileFilter{}, 9); return len(l), err },
		"attempts": func(s db.Scope) (int, error) { l, err := b.db.FileAttempts(ctx, s, f.ID); return len(l), err },
		"versions": func(s db.Scope) (int, error) { l, err := b.db.Versions(ctx, s, f.ID, 0, 9); return len(l), err },
		"bytes":    func(s db.Scope) (int, error) { l, err := b.db.BytesOf(ctx, s, f.ID); return len(l), err },
		"audit":    func(s db.Scope) (int, error) { l, err := b.db.AuditEvents(ctx, s, f.ID, 9); return len(l), err },
		"events":   func(s db.Scope) (int, error) { l, err := b.db.Events(ctx, s, 0, 9); return len(l), err },
		"stems":    func(s db.Scope) (int, error) { l, err := b.db.StemFiles(ctx, s, []string{"law"}); return len(l), err },
	} {
		n, err := read(b.theirs)
		require.NoError(t, err, name)
		require.Zero(t, n, name)
	}
	for name, write := range map[string]func(*db.Tx) error{
		"kind":    func(tx *db.Tx) error { return tx.SetKind(ctx, b.theirs, f.ID, "x", "x", 0) },
		"warning": func(tx *db.Tx) error { return tx.AddWarnings(ctx, b.theirs, f.ID, db.Warning{}) },
		"update":  func(tx *db.Tx) error { _, err := tx.UpdateFile(ctx, b.theirs, f.ID, db.FileUpdate{}); return err },
		"delete":  func(tx *db.Tx) error { _, err := tx.DeleteFile(ctx, b.theirs, f.ID); return err },
		"cancel":  func(tx *db.Tx) error { _, err := tx.CancelFile(ctx, b.theirs, f.ID); return err },
		"accept":  func(tx *db.Tx) error { _, err := tx.AcceptFile(ctx, b.theirs, f.ID); return err },
		"restart": func(tx *db.Tx) error {
			_, err := tx.RestartFile(ctx, b.theirs, f.ID, db.FileOptions{}, false)
			return err
		},
		"stage":   func(tx *db.Tx) error { _, _, err := tx.SetLifecycleStage(ctx, b.theirs, f.ID, "active"); return err },
		"meaning": func(tx *db.Tx) error { return tx.SaveAnalysis(ctx, b.theirs, f.ID, db.Meaning{}) },
		"model":   func(tx *db.Tx) error { _, err := tx.Model(ctx, b.theirs, model); return err },
		"active":  func(tx *db.Tx) error { _, err := tx.ActiveModel(ctx, b.theirs); return err },
		"data":    func(tx *db.Tx) error { _, err := tx.ModelData(ctx, b.theirs, model); return err },
		"made":    func(tx *db.Tx) error { _, err := tx.Analysis(ctx, b.theirs, f.ID); return err },
		"tokens":  func(tx *db.Tx) error { _, err := tx.FileTokens(ctx, b.theirs, f.ID); return err },
		"version": func(tx *db.Tx) error { _, err := tx.Version(ctx, b.theirs, f.ID, 1); return err },
		"earlier": func(tx *db.Tx) error { _, err := tx.FileAt(ctx, b.theirs, f.ID, 1); return err },
		"reading": func(tx *db.Tx) error { _, err := tx.Reading(ctx, b.theirs, f.ID, 1); return err },
	} {
		require.Equal(t, fault.NotFound, fault.KindOf(b.db.InTx(ctx, write)), name)
	}

	other := db.NewID()
	err = b.db.InTx(ctx, func(tx *db.Tx) error {
		_, err := tx.UpdateFile(ctx, b.ours, f.ID, db.FileUpdate{MatterID: &other})
		return err
	})
	require.Equal(t, fault.Invalid, fault.KindOf(err))
	err = b.db.InTx(ctx, func(tx *db.Tx) error {
		_, err := tx.UpdateFile(ctx, b.ours, f.ID, db.FileUpdate{IfVersion: 7})
		return err
	})
	require.Equal(t, fault.Conflict, fault.KindOf(err))
}

func TestEndsOfAnAttempt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	f := b.file(t, b.ours)
	tx := func(do func(tx *db.Tx) error) error { return b.db.InTx(ctx, do) }
	a := db.Attempt{FileID: f.ID, Number: 1}
	require.Contains(t, a.String(), "#1")

	cause := fault.File(fault.OCRTimeout, "the page took too long", nil)
	cause.Page = 4
	require.NoError(t, tx(func(tx *db.Tx) error {
		require.NoError(t, tx.AddWarnings(ctx, b.ours, f.ID, db.Warning{Code: "w", Message: "m", Pages: []int{1, 2}}))
		require.NoError(t, tx.AddWarnings(ctx, b.ours, f.ID, db.Warning{Code: "w", Message: "m", Pages: []int{2, 3}}))
		return tx.FailAttempt(ctx, b.ours, a, db.StageRecognize, cause)
	}))
	failed, err := b.db.File(ctx, b.ours, f.ID)
	require.NoError(t, err)
	require.Equal(t, db.FileFailed, failed.Status)
	require.Equal(t, []int{1, 2, 3}, failed.Warnings[0].Pages)
	require.Equal(t, 4, *failed.ErrorPage)
	require.True(t, failed.Retryable())
	require.Equal(t, fault.Conflict, fault.KindOf(tx(func(tx *db.Tx) error { _, err := tx.CancelFile(ctx, b.ours, f.ID); return err })))
	require.Equal(t, fault.Conflict, fault.KindOf(tx(func(tx *db.Tx) error { _, err := tx.AcceptFile(ctx, b.ours, f.ID); return err })))

	require.NoError(t, tx(func(tx *db.Tx) error {
		again, err := tx.RestartFile(ctx, b.ours, f.ID, db.FileOptions{From: "segment"}, false)
		require.Equal(t, 2, again.Attempt)
		require.Empty(t, again.Warnings)
		require.Nil(t, again.ErrorCode)
		return err
	}))
	late := tx(func(tx *db.Tx) error { _, err := tx.EnterStage(ctx, b.ours, a, db.StageExtract); return err })
	require.Equal(t, fault.Conflict, fault.KindOf(late), "the first attempt is overtaken")
	attempts, err := b.db.FileAttempts(ctx, b.ours, f.ID)
	require.NoError(t, err)
	require.Len(t, attempts, 1)
	require.Equal(t, "ocr_timeout", *attempts[0].ErrorCode, "a retry does not erase the diagnosis")
	require.NoError(t, tx(func(tx *db.Tx) error {
		_, err := tx.RestartFile(ctx, b.ours, f.ID, db.FileOptions{}, false)
		return err
	}))
	attempts, err = b.db.FileAttempts(ctx, b.ours, f.ID)
	require.NoError(t, err)
	require.Len(t, attempts, 2)
	require.Equal(t, db.FileCancelled, attempts[0].Status, "what is overtaken has an end")

	require.NoError(t, tx(func(tx *db.Tx) error {
		_, err := tx.SaveText(ctx, b.ours, f.ID, db.Text{})
		require.NoError(t, err)
		done, err := tx.AcceptFile(ctx, b.ours, f.ID)
		require.Equal(t, db.FileCompleted, done.Status)
		require.InDelta(t, 1, done.Progress(), 0)
		return err
	}))
}

func ptr[T any](v T) *T { return &v }

func TestLostConnectionIsUnavailable(t *testing.T) {
	t.Parallel()
	d, _ := dbtest.Database(t)
	err := d.InTx(t.Context(), func(tx *db.Tx) error {
		_, err := tx.Raw.Exec(t.Context(), `SELECT pg_terminate_backend(pg_backend_pid())`)
		require.Error(t, err)
		return err
	})
	require.Equal(t, fault.Unavailable, fault.KindOf(err), "%v", err)
	require.NoError(t, d.Ping(t.Context()))
}

// TestFileStates asks for files of several teams at once: each is told about its own.
func TestFileStates(t *testing.T) {
	t.Parallel()
	b := setup(t)
	own, other := b.file(t, b.ours), b.file(t, b.theirs)
	ours, theirs := b.ours.TeamID, b.theirs.TeamID
	ask := func(hidden []string) (ids []string) {
		states, err := b.db.FileStates(t.Context(), hidden, slices.Concat(
			refs(ours, own.ID), refs(theirs, own.ID), refs(ours, other.ID), refs(theirs, other.ID), refs(ours, db.NewID()), refs(ours, own.ID)))
		require.NoError(t, err)
		for _, s := range states {
			ids = append(ids, s.ID)
		}
		return ids
	}
	require.Equal(t, []string{own.ID, "", "", other.ID, "", own.ID}, ask(nil))
	matter := db.NewID()
	_, err := b.db.Conn().Exec(t.Context(), `INSERT INTO matters (id, team_id, name) VALUES ($1, $2, 'secret')`, matter, ours)
	require.NoError(t, err)
	_, err = b.db.Conn().Exec(t.Context(), `UPDATE files SET matter_id = $1 WHERE id = $2`, matter, own.ID)
	require.NoError(t, err)
	require.Equal(t, []string{"", "", "", other.ID, "", ""}, ask([]string{matter}))
}

// TestQueuePositions asks for the places of files in a long queue: those far behind are
// not counted to the end.
func TestQueuePositions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.file(t, b.ours)
	b.file(t, b.theirs)
	const waiting = db.MostAhead + 5
	_, err := b.db.Conn().Exec(t.Context(), `
		INSERT INTO files (id, team_id, name, kind, content_type, size, sha256, source, queued_at)
		SELECT gen_random_uuid(), team_id, name, kind, content_type, size, sha256, source, queued_at + n * interval '1 second'
		FROM files, generate_series(1, $2::int) n WHERE id = $1`, f.ID, waiting)
	require.NoError(t, err)
	ahead := func(id string) int {
		row, err := b.db.FileState(t.Context(), b.ours, id)
		require.NoError(t, err)
		q, err := b.db.TeamQueue(t.Context(), b.ours)
		require.NoError(t, err)
		return q.Ahead(row)
	}
	rows, _ := b.db.Conn().Query(t.Context(), `SELECT id::text FROM files WHERE team_id = $1 ORDER BY queued_at`, b.ours.TeamID)
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.Equal(t, f.ID, ids[0])
	for at, want := range map[int]int{0: 0, 1: 1, db.MostAhead - 1: db.MostAhead - 1, db.MostAhead: db.MostAhead, waiting: db.MostAhead} {
		require.Equal(t, want, ahead(ids[at]), at)
	}
	_, err = b.db.Conn().Exec(t.Context(), `UPDATE files SET queued_at = now() WHERE team_id = $1`, b.ours.TeamID)
	require.NoError(t, err)
	together := map[int]bool{ahead(ids[0]): true, ahead(ids[1]): true, ahead(ids[2]): true}
	require.Len(t, together, 3, "those of one moment are one after the other")
}

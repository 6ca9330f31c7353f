package db_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
)

// read ends a file's attempt with a text of one sentence.
func (b *bundle) read(t *testing.T, in db.Scope, fileID, sentence string) db.File {
	t.Helper()
	ctx := t.Context()
	var file db.File
	require.NoError(t, b.db.InTx(ctx, func(tx *db.Tx) error {
		f, err := tx.FileForUpdate(ctx, in, fileID)
		if err != nil {
			return err
		}
		a := db.Attempt{FileID: fileID, Number: f.Attempt}
		if err := tx.ReplacePages(ctx, in, fileID, 1, []db.Page{{Number: 1, Source: "text_layer", Text: sentence}}); err != nil {
			return err
		}
		length := len([]rune(sentence))
		document := db.Document{ID: db.NewID(), Kind: "agreement", Title: "Lease", End: length, FirstPage: 1, LastPage: 1}
		if file, err = tx.SaveText(ctx, in, fileID, db.Text{
			Language: "en", Documents: []db.Document{document},
			Blocks:    []db.Block{{DocumentID: document.ID, Kind: "paragraph", Text: sentence, End: length, Page: 1}},
			Sentences: []db.Sentence{{ID: db.NewID(), Page: 1, End: length, Text: sentence}},
		}); err != nil {
			return err
		}
		return tx.CompleteAttempt(ctx, in, a)
	}))
	return file
}

// TestVersions adds versions to a file, one of which brings the first one back.
func TestVersions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	f := b.file(t, b.ours, func(f *db.NewFile) { f.Name = "lease.docx" })
	require.Equal(t, f.ID, f.BytesID)
	require.Equal(t, 1, f.CurrentVersion)
	require.False(t, f.Current())
	f = b.read(t, b.ours, f.ID, "The term is one year.")
	require.True(t, f.Current())
	label := "renewal_term"
	require.NoError(t, b.db.InTx(ctx, func(tx *db.Tx) error {
		sentences, err := tx.Sentences(ctx, b.ours, f.ID)
		if err != nil {
			return err
		}
		_, err = tx.Raw.Exec(ctx, `UPDATE sentences SET label = $2, source = 'validated' WHERE id = $1`, sentences[0].ID, label)
		return err
	}))
	require.NoError(t, b.db.InTx(ctx, func(tx *db.Tx) error {
		return tx.SetAttribute(ctx, b.ours, f.ID, "governing_law", []db.Attribute{{Value: "Bavaria"}})
	}))

	add := func(v db.NewVersion) (next db.File) {
		t.Helper()
		require.NoError(t, b.db.InTx(ctx, func(tx *db.Tx) error {
			held, err := tx.FileForUpdate(ctx, b.ours, f.ID)
			if err != nil {
				return err
			}
			next, err = tx.AddVersion(ctx, b.ours, held, v, false)
			return err
		}))
		return next
	}
	second := db.NewVersion{BytesID: db.NewID(), Name: "Lease (signed).PDF", Size: 5, SHA256: []byte("second"), Source: db.VersionImported, Note: "signed"}
	next := add(second)
	require.Equal(t, 2, next.CurrentVersion)
	require.Equal(t, second.BytesID, next.BytesID)
	require.Equal(t, "lease.PDF", next.Name, "the name stays, but for what it says of the format")
	require.Equal(t, f.Attempt+1, next.Attempt)
	require.Equal(t, f.Version+1, next.Version)
	require.Equal(t, db.FileQueued, next.Status)
	require.Empty(t, next.Kind)
	require.True(t, next.Options.Unread)
	require.True(t, next.TextReady, "the text that is there stays until there is another one")
	require.False(t, next.Current())
	_, err := b.db.Reading(ctx, b.ours, f.ID, 1)
	require.Equal(t, fault.Conflict, fault.KindOf(err), "as it still is the text of the file")

	b.read(t, b.ours, f.ID, "The term is two years.")
	reading, err := b.db.Reading(ctx, b.ours, f.ID, 1)
	require.NoError(t, err)
	require.Equal(t, "en", reading.Language)
	require.Equal(t, "Lease", reading.Documents[0].Title)
	require.Equal(t, "The term is one year.", reading.Blocks[0].Text)
	require.Equal(t, []db.BlockLabel{{Label: label, Validated: true}}, reading.Blocks[0].Labels)
	require.Equal(t, "Bavaria", reading.Attributes[0].Value)

	// A third one takes the place of the second, and is replaced unread.
	add(db.NewVersion{BytesID: db.NewID(), Name: "lease.docx", Size: 6, SHA256: []byte("third"), Source: db.VersionExecuted})
	fourth := add(db.NewVersion{
		BytesID: f.ID, Name: "lease.docx", Kind: "docx", Size: f.Size, SHA256: f.SHA256, Source: db.VersionUploaded, Note: "restored from 1", RestoredFrom: 1,
	})
	require.Equal(t, f.ID, fourth.BytesID)
	require.Equal(t, "lease.docx", fourth.Name)
	require.NoError(t, b.db.InTx(ctx, func(tx *db.Tx) error { return tx.SetKind(ctx, b.ours, f.ID, "docx", "application/x", 1) }))
	b.read(t, b.ours, f.ID, "The term is one year.")
	_, err = b.db.Reading(ctx, b.ours, f.ID, 2)
	require.NoError(t, err)
	_, err = b.db.Reading(ctx, b.ours, f.ID, 3)
	require.Equal(t, fault.Conflict, fault.KindOf(err))
	_, err = b.db.Reading(ctx, b.ours, f.ID, 5)
	require.Equal(t, fault.NotFound, fault.KindOf(err))

	all, err := b.db.Versions(ctx, b.ours, f.ID, 0, 10)
	require.NoError(t, err)
	type told struct {
		number int
		source db.VersionSource
		sha    string
		bytes  string
		note   string
		read   bool
	}
	var got []told
	for _, v := range all {
		require.Equal(t, b.ours.ActorID, *v.AuthorID)
		got = append(got, told{v.Number, v.Source, string(v.SHA256), v.BytesID, v.Note, v.Read})
	}
	require.Equal(t, []told{
		{4, db.VersionUploaded, "abc", f.ID, "restored from 1", true},
		{3, db.VersionExecuted, "third", got[1].bytes, "", false},
		{2, db.VersionImported, "second", second.BytesID, "signed", true},
		{1, db.VersionUploaded, "abc", f.ID, "", true},
	}, got)
	require.Equal(t, 1, *all[0].RestoredFrom)
	require.Equal(t, "docx", all[0].Kind)
	older, err := b.db.Versions(ctx, b.ours, f.ID, 3, 1)
	require.NoError(t, err)
	require.Equal(t, all[2:3], older)

	at, err := b.db.FileAt(ctx, b.ours, f.ID, 2)
	require.NoError(t, err)
	require.Equal(t, []any{2, "second", second.BytesID, "Lease (signed).PDF"}, []any{at.CurrentVersion, string(at.SHA256), at.BytesID, at.Name})
	_, err = b.db.FileAt(ctx, b.ours, f.ID, 9)
	require.Equal(t, fault.NotFound, fault.KindOf(err))
	now, err := b.db.FileAt(ctx, b.ours, f.ID, 0)
	require.NoError(t, err)
	same, err := b.db.FileAt(ctx, b.ours, f.ID, 4)
	require.NoError(t, err)
	require.Equal(t, now, same)

	bytes, err := b.db.BytesOf(ctx, b.ours, f.ID)
	require.NoError(t, err)
	require.ElementsMatch(t, []string{f.ID, second.BytesID, got[1].bytes}, bytes)
	known, err := b.db.KnownBytes(ctx, append(bytes, db.NewID()))
	require.NoError(t, err)
	require.Len(t, known, 3)

	events, err := b.db.Events(ctx, b.ours, 0, 100)
	require.NoError(t, err)
	var added int
	for _, e := range events {
		if e.Kind == "file.version_added" {
			added++
		}
	}
	require.Equal(t, 3, added)
	require.Len(t, db.VersionSources(), 5)
	require.NoError(t, b.db.InTx(ctx, func(tx *db.Tx) error {
		entry, err := tx.DeleteFile(ctx, b.ours, f.ID)
		require.NoError(t, err)
		known, err = tx.KnownBytes(ctx, bytes)
		require.NoError(t, err)
		require.Len(t, known, len(bytes), "they can come back")
		gone, err := tx.PurgeTrash(ctx, b.ours, entry.ID)
		require.ElementsMatch(t, bytes, gone.Files[0].Bytes)
		return err
	}))
	known, err = b.db.KnownBytes(ctx, bytes)
	require.NoError(t, err)
	require.Empty(t, known)
}

// TestAuthorsOfUploads tells who uploaded: a person, a key or the service.
func TestAuthorsOfUploads(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var key db.APIKey
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) (err error) {
		key, err = tx.CreateAPIKey(t.Context(), db.APIKey{Kind: db.OrganizationKey, TeamID: b.ours.TeamID, Name: "import"}, []byte(db.NewID()))
		return err
	}))
	for _, who := range []db.Scope{b.ours, {TeamID: b.ours.TeamID, ActorKind: "key", ActorID: key.ID}, db.System(b.ours.TeamID)} {
		f := b.file(t, who)
		v, err := b.db.Version(t.Context(), who, f.ID, 1)
		require.NoError(t, err)
		require.Equal(t, who.ActorKind, *v.AuthorKind)
		if who.ActorID == "" {
			require.Nil(t, v.AuthorID)
			continue
		}
		require.Equal(t, who.ActorID, *v.AuthorID)
		require.NotNil(t, v.AuthorName)
	}
}

// TestReadingOfOtherBytes copies pages only of the bytes that a file has.
func TestReadingOfOtherBytes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	first, twin := b.file(t, b.ours), b.file(t, b.ours)
	b.read(t, b.ours, first.ID, "The term is one year.")
	copied := func() (n int) {
		t.Helper()
		err := b.db.InTx(ctx, func(tx *db.Tx) (err error) {
			if n, err = tx.CopyPages(ctx, b.ours, first.ID, twin.ID); err != nil {
				return err
			}
			return context.Canceled // nothing of it stays
		})
		require.ErrorIs(t, err, context.Canceled)
		return n
	}
	require.Equal(t, 1, copied())
	require.NoError(t, b.db.InTx(ctx, func(tx *db.Tx) error {
		held, err := tx.FileForUpdate(ctx, b.ours, first.ID)
		if err != nil {
			return err
		}
		_, err = tx.AddVersion(ctx, b.ours, held, db.NewVersion{BytesID: db.NewID(), Name: "a.pdf", Size: 1, SHA256: []byte("xyz"), Source: db.VersionImported}, false)
		return err
	}))
	require.Zero(t, copied(), "its pages are still those of the bytes before, but who would know when they go")
}

package db_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/db/dbtest"
	"github.com/clausemill/clausemill/fault"
)

// stays says of tables with rows of a thing why these do not go into the trash
// with it.
var stays = map[string]string{
	"field_marks.field_id":                      "goes along with its field, by its key",
	"field_models.field_id":                     "the same",
	"review_claims.sentence_id":                 "for two minutes",
	"assignments.file_id":                       "of members: held, and put back",
	"assignments.matter_id":                     "the same",
	"audit_events.file_id":                      "the audit stays",
	"audit_events.matter_id":                    "the same",
	"chat_participants.chat_id":                 "of members: held, and put back",
	"chat_messages.chat_id":                     "goes along with its chat, by its key",
	"chat_messages.file_id":                     "what was said of a file stays",
	"chat_messages.reference_file_id":           "the same",
	"chats.matter_id":                           "hidden with its matter, and gone with it",
	"chats.file_id":                             "what a chat is about is hidden while it is in the trash",
	"chats.reference_file_id":                   "the same",
	"file_categories.file_id":                   "goes along with its file, by its key",
	"file_categories.category_id":               "goes along with its category, by its key",
	"matter_categories.matter_id":               "goes along with its matter, by its key",
	"matter_categories.category_id":             "goes along with its category, by its key",
	"document_type_categories.document_type_id": "goes along with its type, by its key",
	"corpus_changes.document_type_id":           "of no team: whose analysis may be due",
	"document_type_categories.category_id":      "goes along with its category, by its key",
	"categories.parent_id":                      "moves up, and is held",
	"events.matter_id":                          "what was told was told, and is forgotten in a day",
	"file_likeness.file_id":                     "found anew",
	"file_likeness.other_id":                    "the same",
	"files.document_type_id":                    "held by the type",
	"files.duplicate_of":                        "found anew",
	"files.matter_id":                           "held by the matter",
	"files.parent_id":                           "held by the archive",
	"file_counts.matter_id":                     "of a team: counted again",
	"file_counts.document_type_id":              "the same",
	"file_count_changes.matter_id":              "the same",
	"file_count_changes.document_type_id":       "the same",
	"matter_document_types.document_type_id":    "held by the type",
	"matter_document_types.matter_id":           "of no team: found by the matter",
	"matter_people.matter_id":                   "who saw it sees it in the trash",
	"operation_files.file_id":                   "of no team: how far an operation is",
	"webhook_deliveries.webhook_id":             "webhooks are not kept",
}

// TestTrashTakesAllRows holds that whatever there is of a thing goes into the trash
// with it, or stays for a reason: in each table that refers to it, or to what goes
// along, by a foreign key or by the name of a column.
func TestTrashTakesAllRows(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for kind, shelf := range db.Shelves() {
		tables := append(slices.Collect(maps.Keys(shelf.Parts)), shelf.Table)
		names := []string{string(kind) + "_id"}
		for _, table := range tables {
			names = append(names, strings.TrimSuffix(table, "s")+"_id")
		}
		columns := []string{}
		require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
			rows, err := tx.Raw.Query(t.Context(), `
				SELECT c.relname || '.' || a.attname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
				WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relnamespace = 'public'::regnamespace AND c.relname <> 'trash' AND a.attname <> 'team_id'
					AND (a.attname = ANY($2) OR EXISTS (
						SELECT FROM pg_constraint f WHERE f.contype = 'f' AND f.conrelid = c.oid AND f.confrelid IN (SELECT to_regclass(t) FROM unnest($1::text[]) t) AND a.attnum = ANY(f.conkey)))
				ORDER BY 1`, tables, names)
			if err != nil {
				return err
			}
			columns, err = pgx.AppendRows(columns, rows, pgx.RowTo[string])
			return err
		}))
		taken := map[string]bool{}
		for _, column := range columns {
			table, _, _ := strings.Cut(column, ".")
			_, taken[table] = shelf.Parts[table]
			require.NotEqual(t, taken[table], stays[column] != "", "%s of a %s has to go into the trash, or not, for a reason", column, kind)
		}
		for table := range shelf.Parts {
			require.True(t, taken[table], table)
		}
	}
}

// TestTeamsAreLookedUpByIndex has a team that goes look its rows up in each table
// that refers to it by an index: one goes with each entry.
func TestTeamsAreLookedUpByIndex(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var slow []string
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		rows, err := tx.Raw.Query(t.Context(), `
			SELECT f.conrelid::regclass || '.' || a.attname FROM pg_constraint f
			JOIN pg_attribute a ON a.attrelid = f.conrelid AND a.attnum = f.conkey[1]
			WHERE f.contype = 'f' AND f.confrelid = 'teams'::regclass AND f.conrelid <> 'users'::regclass AND NOT EXISTS (
				SELECT FROM pg_index i WHERE i.indrelid = f.conrelid AND i.indkey[0] = f.conkey[1] AND i.indpred IS NULL)
			ORDER BY 1`)
		if err != nil {
			return err
		}
		slow, err = pgx.AppendRows(slow, rows, pgx.RowTo[string])
		return err
	}))
	require.Empty(t, slow)
}

// trashIDs lists the entries that somebody knows of, the first deleted first.
func (b *bundle) trashIDs(t *testing.T, in db.Scope) []string {
	t.Helper()
	ids, err := b.db.TrashIDs(t.Context(), in, db.TrashFilter{}, 100)
	require.NoError(t, err)
	return ids
}

// waiting returns once n transactions wait for others.
func (b *bundle) waiting(ctx context.Context, t *testing.T, n int) {
	t.Helper()
	require.Eventually(t, func() bool {
		var waiting int
		err := b.db.Pool().QueryRow(ctx, `SELECT count(DISTINCT pid) FROM pg_locks WHERE NOT granted
			AND pid IN (SELECT pid FROM pg_stat_activity WHERE datname = current_database())`).Scan(&waiting)
		return err == nil && waiting >= n
	}, time.Minute, time.Millisecond)
}

// do runs f in a transaction.
func (b *bundle) do(t *testing.T, f func(ctx context.Context, tx *db.Tx) error) {
	t.Helper()
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error { return f(t.Context(), tx) }))
}

// writtenAround begins beside in a transaction of its own while another one has written to a
// file once, calls then, and writes to the file again, which checks what it refers to.
func (b *bundle) writtenAround(t *testing.T, fileID string, beside func(tx *db.Tx) error, then func(ctx context.Context, tx *db.Tx) error) {
	t.Helper()
	done := make(chan error, 1)
	b.do(t, func(ctx context.Context, tx *db.Tx) error {
		if err := tx.SetKind(ctx, b.ours, fileID, "pdf", "application/pdf", 1); err != nil {
			return err
		}
		go func() { done <- b.db.InTx(ctx, beside) }()
		if err := then(ctx, tx); err != nil {
			return err
		}
		return tx.SetKind(ctx, b.ours, fileID, "pdf", "application/pdf", 2)
	})
	require.NoError(t, <-done)
}

// restore brings an entry back.
func (b *bundle) restore(t *testing.T, in db.Scope, ids ...string) (back db.Restored) {
	t.Helper()
	b.do(t, func(ctx context.Context, tx *db.Tx) (err error) {
		back, err = tx.RestoreTrash(ctx, in, ids, "", true)
		return err
	})
	return back
}

// works makes a matter and a document type, called Works.
func (b *bundle) works(t *testing.T) (matter db.Matter, kind db.DocumentType) {
	t.Helper()
	name := "Works"
	b.do(t, func(ctx context.Context, tx *db.Tx) (err error) {
		if matter, err = tx.CreateMatter(ctx, b.ours, db.MatterChange{Name: &name}); err != nil {
			return err
		}
		kind, err = tx.CreateDocumentType(ctx, b.ours, name, "")
		return err
	})
	return matter, kind
}

// TestTrashOfFiles deletes a file with all that can be in and around one, and
// restores it.
func TestTrashOfFiles(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	matter, kind := b.works(t)
	original := b.file(t, b.ours, func(f *db.NewFile) { f.MatterID, f.DocumentTypeID = matter.ID, kind.ID })
	copied := b.file(t, b.ours)
	entry := b.file(t, b.ours, func(f *db.NewFile) { f.ParentID, f.SHA256 = original.ID, []byte("x") })
	var chat db.Chat
	b.do(t, func(ctx context.Context, tx *db.Tx) (err error) {
		if _, err := tx.SaveText(ctx, b.ours, original.ID, db.Text{
			Sentences: []db.Sentence{{ID: db.NewID(), Text: "The law of Delaware governs."}}, Words: []string{"law"}, Tokens: []db.Token{{Token: "law", Stem: "law", Count: 1}},
		}); err != nil {
			return err
		}
		if err := tx.CompleteAttempt(ctx, b.ours, db.Attempt{FileID: original.ID, Number: 1}); err != nil {
			return err
		}
		if err := tx.SetFindable(ctx, b.ours, original.ID); err != nil {
			return err
		}
		if _, err := tx.Assign(ctx, b.ours, db.Assignee{FileID: original.ID}, b.ours.ActorID, db.AssignmentChange{}); err != nil {
			return err
		}
		if chat, _, err = tx.EnsureChat(ctx, b.ours, db.NewID(), "About it"); err != nil {
			return err
		}
		_, err = tx.UpdateChat(ctx, b.ours, chat.ID, db.ChatChange{FileID: &original.ID, ReferenceFileID: &copied.ID})
		return err
	})
	before, err := b.db.File(ctx, b.ours, original.ID)
	require.NoError(t, err)
	sentences, err := b.db.Sentences(ctx, b.ours, original.ID)
	require.NoError(t, err)

	b.do(t, func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.DeleteFile(ctx, b.theirs, original.ID)
		require.Equal(t, fault.NotFound, fault.KindOf(err), "not theirs")
		e, err := tx.DeleteFile(ctx, b.ours, original.ID)
		require.NoError(t, err)
		require.Equal(t, map[string]int{"assignments": 1, "files": 1}, e.Counts)
		require.Equal(t, original.Name, e.Name)
		_, err = tx.DeleteFile(ctx, b.ours, original.ID)
		require.Equal(t, fault.NotFound, fault.KindOf(err), "it has gone")
		return nil
	})
	for _, gone := range []func() error{
		func() error { _, err := b.db.File(ctx, b.ours, original.ID); return err },
		func() error { _, err := b.db.FiledSentence(ctx, b.ours, sentences[0].ID); return err },
		func() error { _, err := b.db.FileTokens(ctx, b.ours, original.ID); return err },
	} {
		require.Equal(t, fault.NotFound, fault.KindOf(gone()))
	}
	overview := func() db.MatterOverview {
		list, err := b.db.MatterOverviews(ctx, b.ours, db.MatterFilter{}, db.DuePlace{}, 10)
		require.NoError(t, err)
		require.Len(t, list, 1)
		return list[0]
	}
	require.Equal(t, 1, overview().Files, "what came out of it")
	require.Zero(t, overview().Open)
	work, err := b.db.Work(ctx, b.ours, db.WorkFilter{}, db.DuePlace{}, 10)
	require.NoError(t, err)
	require.Empty(t, work)
	about, err := b.db.Chat(ctx, b.ours, chat.ID)
	require.NoError(t, err)
	require.Nil(t, about.FileID)
	require.Nil(t, about.FileName)
	require.Equal(t, copied.ID, *about.ReferenceFileID)
	left, err := b.db.File(ctx, b.ours, copied.ID)
	require.NoError(t, err)
	require.Nil(t, left.DuplicateOf)
	left, err = b.db.File(ctx, b.ours, entry.ID)
	require.NoError(t, err)
	require.Nil(t, left.ParentID)
	require.NoError(t, b.db.FoldVocabulary(ctx, b.ours.TeamID))
	stems, err := b.db.StemFiles(ctx, b.ours, []string{"law"})
	require.NoError(t, err)
	require.Zero(t, stems["law"])
	deleted, err := b.db.DeletedFiles(ctx, b.ours, time.Now().Add(-time.Hour), "", 10)
	require.NoError(t, err)
	require.Len(t, deleted, 1)
	require.Equal(t, original.ID, deleted[0].FileID)

	require.Empty(t, b.trashIDs(t, b.theirs))
	require.Empty(t, b.restore(t, b.theirs, b.trashIDs(t, b.ours)...).Entries)
	ids := b.trashIDs(t, b.ours)
	require.Len(t, ids, 1)
	require.Equal(t, []string{original.ID}, b.restore(t, b.ours, ids...).Files)
	require.Empty(t, b.restore(t, b.ours, ids...).Entries, "it is back already")

	after, err := b.db.File(ctx, b.ours, original.ID)
	require.NoError(t, err)
	after.ProgressAt = before.ProgressAt
	require.Equal(t, before, after)
	require.Equal(t, 2, overview().Files)
	require.Equal(t, 1, overview().Open)
	about, err = b.db.Chat(ctx, b.ours, chat.ID)
	require.NoError(t, err)
	require.Equal(t, original.Name, *about.FileName)
	again, err := b.db.Sentences(ctx, b.ours, original.ID)
	require.NoError(t, err)
	require.Equal(t, sentences, again)
	left, err = b.db.File(ctx, b.ours, copied.ID)
	require.NoError(t, err)
	require.Equal(t, original.ID, *left.DuplicateOf)
	left, err = b.db.File(ctx, b.ours, entry.ID)
	require.NoError(t, err)
	require.Equal(t, original.ID, *left.ParentID)
	require.NoError(t, b.db.FoldVocabulary(ctx, b.ours.TeamID))
	stems, err = b.db.StemFiles(ctx, b.ours, []string{"law"})
	require.NoError(t, err)
	require.Equal(t, 1, stems["law"])
	deleted, err = b.db.DeletedFiles(ctx, b.ours, time.Time{}, "", 10)
	require.NoError(t, err)
	require.Empty(t, deleted)
	events, err := b.db.AuditEvents(ctx, b.ours, original.ID, 2)
	require.NoError(t, err)
	require.Equal(t, "file.restored", events[0].Action)
	require.Equal(t, "file.deleted", events[1].Action)
	timeline, err := b.db.Timeline(ctx, b.ours, matter.ID, 0, 2)
	require.NoError(t, err)
	require.Equal(t, "file.restored", timeline[0].Action, "in the matter as well")
	require.Equal(t, "file.deleted", timeline[1].Action)
}

// TestTrashOfUnfinishedFiles restores files that were being read.
func TestTrashOfUnfinishedFiles(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f, archived := b.file(t, b.ours), b.file(t, b.ours)
	b.do(t, func(ctx context.Context, tx *db.Tx) error {
		if err := tx.CompleteAttempt(ctx, b.ours, db.Attempt{FileID: archived.ID, Number: 1}); err != nil {
			return err
		}
		_, err := tx.DeleteFiles(ctx, b.ours, []string{f.ID, archived.ID, db.NewID()}, "")
		return err
	})
	back := b.restore(t, b.ours, b.trashIDs(t, b.ours)...)
	require.Len(t, back.Files, 2)
	require.Len(t, back.Reading, 1)
	require.Equal(t, f.ID, back.Reading[0].ID)
	require.Equal(t, 2, back.Reading[0].Attempt)
	require.Equal(t, db.FileQueued, back.Reading[0].Status)
	attempts, err := b.db.FileAttempts(t.Context(), b.ours, f.ID)
	require.NoError(t, err)
	require.Equal(t, db.FileCancelled, attempts[0].Status)
}

// TestTrashWaitsWithoutContainers deletes what a file is in, came out of and is a copy of while
// somebody writes to the file: they do not wait for one another.
func TestTrashWaitsWithoutContainers(t *testing.T) {
	t.Parallel()
	d, _ := dbtest.Database(t)
	b := &bundle{db: d, ours: scopeOf(t, d, "ours@example.com")}
	b.ours.Admin = true
	matter, kind := b.works(t)
	original := b.file(t, b.ours)
	archive := b.file(t, b.ours, func(f *db.NewFile) { f.SHA256 = []byte("zip") })
	f := b.file(t, b.ours, func(f *db.NewFile) { f.MatterID, f.DocumentTypeID, f.ParentID = matter.ID, kind.ID, archive.ID })
	require.Equal(t, &original.ID, f.DuplicateOf)
	for _, remove := range []func(tx *db.Tx) error{
		func(tx *db.Tx) error { _, _, err := tx.DeleteMatter(t.Context(), b.ours, matter.ID); return err },
		func(tx *db.Tx) error { _, err := tx.DeleteDocumentType(t.Context(), b.ours, kind.ID); return err },
		func(tx *db.Tx) error { _, err := tx.DeleteFile(t.Context(), b.ours, archive.ID); return err },
		func(tx *db.Tx) error { _, err := tx.DeleteFile(t.Context(), b.ours, original.ID); return err },
	} {
		b.writtenAround(t, f.ID, remove, func(ctx context.Context, tx *db.Tx) error {
			b.waiting(ctx, t, 1)
			for _, sql := range []string{`SELECT FROM matters FOR KEY SHARE NOWAIT`, `SELECT FROM document_types FOR KEY SHARE NOWAIT`, `SELECT FROM files FOR KEY SHARE NOWAIT`} {
				if _, err := tx.Raw.Exec(ctx, sql); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

// TestRestrictedWhileACopyIsWritten restricts the matter of a file and its copy, and takes the file
// out of it, while somebody writes to the copy: they do not wait for one another.
func TestRestrictedWhileACopyIsWritten(t *testing.T) {
	t.Parallel()
	d, _ := dbtest.Database(t)
	b := &bundle{db: d, ours: scopeOf(t, d, "ours@example.com")}
	b.ours.Admin = true
	matter, _ := b.works(t)
	within := func(f *db.NewFile) { f.MatterID = matter.ID }
	original, f := b.file(t, b.ours, within), b.file(t, b.ours, within)
	require.Equal(t, &original.ID, f.DuplicateOf)
	restricted, none := db.MatterRestricted, ""
	for _, hide := range []func(tx *db.Tx) error{
		func(tx *db.Tx) error {
			_, err := tx.UpdateMatter(t.Context(), b.ours, matter.ID, db.MatterChange{Access: &restricted})
			return err
		},
		func(tx *db.Tx) error {
			_, err := tx.UpdateFile(t.Context(), b.ours, original.ID, db.FileUpdate{MatterID: &none})
			return err
		},
		func(tx *db.Tx) error {
			_, err := tx.UpdateFile(t.Context(), b.ours, original.ID, db.FileUpdate{MatterID: &matter.ID})
			return err
		},
	} {
		b.writtenAround(t, f.ID, hide, func(context.Context, *db.Tx) error {
			time.Sleep(20 * time.Millisecond) // it waits for the copy, runs again, or is done
			return nil
		})
	}
}

// TestRestoredWhileItsMatterIsDeleted restores a file for which the deletion of its matter had
// waited while the file went into the trash. That one still has the file locked, though it is in
// the matter no more: nobody waits for the other, which would be a deadlock and fail the run of
// the tests.
func TestRestoredWhileItsMatterIsDeleted(t *testing.T) {
	t.Parallel()
	d, _ := dbtest.Database(t)
	b := &bundle{db: d, ours: scopeOf(t, d, "ours@example.com")}
	b.ours.Admin = true
	matter, _ := b.works(t)
	f := b.file(t, b.ours, func(f *db.NewFile) { f.MatterID = matter.ID })
	removed, restored := make(chan error, 1), make(chan error, 1)
	b.do(t, func(ctx context.Context, busy *db.Tx) error {
		var entry db.TrashEntry
		b.do(t, func(ctx context.Context, tx *db.Tx) (err error) {
			if entry, err = tx.DeleteFile(ctx, b.ours, f.ID); err != nil {
				return err
			}
			go func() {
				removed <- b.db.InTx(ctx, func(tx *db.Tx) error { _, _, err := tx.DeleteMatter(ctx, b.ours, matter.ID); return err })
			}()
			b.waiting(ctx, t, 1) // for the file
			_, err = busy.Raw.Exec(ctx, `SELECT FROM matters FOR KEY SHARE`)
			return err
		})
		b.waiting(ctx, t, 1) // for the matter
		go func() {
			restored <- b.db.InTx(ctx, func(tx *db.Tx) error {
				_, err := tx.RestoreTrash(ctx, b.ours, []string{entry.ID}, "", true)
				return err
			})
		}()
		b.waiting(ctx, t, 2) // for the file, too
		return nil
	})
	require.NoError(t, <-removed)
	require.NoError(t, <-restored)
	row, err := b.db.File(t.Context(), b.ours, f.ID)
	require.NoError(t, err)
	require.Nil(t, row.MatterID)
}

// TestDeletedWhileAFileComes deletes a matter and a document type for which a file is just
// coming, while somebody else waits to put that file there once more. Nobody waits for the
// other, which would be a deadlock and fail the run of the tests.
func TestDeletedWhileAFileComes(t *testing.T) {
	t.Parallel()
	d, _ := dbtest.Database(t)
	b := &bundle{db: d, ours: scopeOf(t, d, "ours@example.com")}
	b.ours.Admin = true
	for range 20 {
		matter, kind := b.works(t)
		f := b.file(t, b.ours)
		for _, way := range []struct {
			put    db.FileUpdate
			remove func(tx *db.Tx) error
		}{
			{db.FileUpdate{MatterID: &matter.ID}, func(tx *db.Tx) error { _, _, err := tx.DeleteMatter(t.Context(), b.ours, matter.ID); return err }},
			{db.FileUpdate{DocumentTypeID: &kind.ID}, func(tx *db.Tx) error { _, err := tx.DeleteDocumentType(t.Context(), b.ours, kind.ID); return err }},
		} {
			put := func(tx *db.Tx) error { _, err := tx.UpdateFile(t.Context(), b.ours, f.ID, way.put); return err }
			again, removed := make(chan error, 1), make(chan error, 1)
			b.do(t, func(ctx context.Context, tx *db.Tx) error {
				if err := put(tx); err != nil {
					return err
				}
				go func() { again <- b.db.InTx(ctx, put) }()
				go func() { removed <- b.db.InTx(ctx, way.remove) }()
				b.waiting(ctx, t, 2)
				return nil
			})
			require.NoError(t, <-removed)
			if err := <-again; err != nil { // it came too late
				require.Equal(t, fault.Invalid, fault.KindOf(err), err)
			}
		}
		row, err := b.db.File(t.Context(), b.ours, f.ID)
		require.NoError(t, err)
		require.Nil(t, row.MatterID)
		require.Nil(t, row.DocumentTypeID)
	}
}

// TestMatterComesBackWhileItsFilesGo restores a matter while its files are deleted and restored:
// they end up in it, without a deadlock, which would fail the run of the tests.
func TestMatterComesBackWhileItsFilesGo(t *testing.T) {
	t.Parallel()
	d, _ := dbtest.Database(t)
	in := scopeOf(t, d, "going@example.com")
	name := "The sale"
	var matter db.Matter
	var files [8]string
	require.NoError(t, d.InTx(t.Context(), func(tx *db.Tx) (err error) {
		if matter, err = tx.CreateMatter(t.Context(), in, db.MatterChange{Name: &name}); err != nil {
			return err
		}
		for i := range files {
			files[i] = db.NewID()
			f := db.NewFile{ID: files[i], Name: "lease.pdf", Size: 3, SHA256: []byte(files[i]), Source: "upload", MatterID: matter.ID}
			if _, err := tx.CreateFile(t.Context(), in, f); err != nil {
				return err
			}
		}
		return nil
	}))
	for range 40 {
		var gone db.TrashEntry
		require.NoError(t, d.InTx(t.Context(), func(tx *db.Tx) (err error) {
			gone, _, err = tx.DeleteMatter(t.Context(), in, matter.ID)
			return err
		}))
		group, ctx := errgroup.WithContext(t.Context())
		for _, id := range files {
			group.Go(func() error {
				var entry db.TrashEntry
				if err := d.InTx(ctx, func(tx *db.Tx) (err error) {
					entry, err = tx.DeleteFile(ctx, in, id)
					return err
				}); err != nil {
					return err
				}
				return d.InTx(ctx, func(tx *db.Tx) error {
					_, err := tx.RestoreTrash(ctx, in, []string{entry.ID}, "", true)
					return err
				})
			})
		}
		group.Go(func() error {
			return d.InTx(ctx, func(tx *db.Tx) error {
				_, err := tx.RestoreTrash(ctx, in, []string{gone.ID}, "", true)
				return err
			})
		})
		require.NoError(t, group.Wait())
		for _, id := range files {
			f, err := d.File(t.Context(), in, id)
			require.NoError(t, err)
			require.Equal(t, &matter.ID, f.MatterID)
		}
	}
}

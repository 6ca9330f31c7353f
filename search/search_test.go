package search_test

import (
	"cmp"
	"context"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/db/dbtest"
	"github.com/clausemill/clausemill/search"
)

func TestMain(m *testing.M) {
	code := m.Run()
	dbtest.Drop()
	os.Exit(code)
}

// house is an engine over a database with two teams that must never see each
// other's words.
type house struct {
	search.Engine
	db     *db.DB
	ours   db.Scope
	theirs db.Scope
}

func newHouse(t testing.TB, d *db.DB, e search.Engine) *house {
	t.Helper()
	return &house{Engine: e, db: d, ours: newTeam(t, d, "ours"), theirs: newTeam(t, d, "theirs")}
}

func newTeam(t testing.TB, d *db.DB, name string) db.Scope {
	t.Helper()
	var user db.User
	require.NoError(t, d.InTx(context.Background(), func(tx *db.Tx) (err error) {
		user, err = tx.EnsureUser(context.Background(), name+"-"+db.NewID()+"@example.com", name)
		return err
	}))
	return db.Scope{TeamID: user.PersonalTeamID, ActorKind: "user", ActorID: user.ID}
}

// file adds a file whose pages hold the given sentences, one page each, and
// makes it findable.
func (h *house) file(t testing.TB, in db.Scope, name string, sentences ...string) string {
	t.Helper()
	id := h.create(t, in, name, nil)
	h.text(t, in, id, "en", sentences...)
	h.index(t, in, id)
	return id
}

func (h *house) create(t testing.TB, in db.Scope, name string, change func(*db.NewFile)) string {
	t.Helper()
	f := db.NewFile{ID: db.NewID(), Name: name, Size: 1, SHA256: []byte(name), Source: "upload"}
	if change != nil {
		change(&f)
	}
	require.NoError(t, h.db.InTx(context.Background(), func(tx *db.Tx) error {
		_, err := tx.CreateFile(context.Background(), in, f)
		return err
	}))
	return f.ID
}

// text replaces the text of a file.
func (h *house) text(t testing.TB, in db.Scope, id, language string, sentences ...string) {
	t.Helper()
	require.NoError(t, saveText(context.Background(), h.db, in, id, language, sentences))
	require.NoError(t, h.db.FoldVocabulary(context.Background(), in.TeamID))
}

func saveText(ctx context.Context, d *db.DB, in db.Scope, id, language string, sentences []string) error {
	text := db.Text{Language: language}
	seen := map[string]bool{}
	at := 0
	for i, s := range sentences {
		length := len([]rune(s))
		text.Sentences = append(text.Sentences, db.Sentence{ID: db.NewID(), Ordinal: i, Page: i + 1, Start: at, End: at + length, Text: s})
		at += length + 1
		for _, w := range search.Words(s) {
			if !seen[w] {
				seen[w] = true
				text.Words = append(text.Words, w)
			}
		}
	}
	return d.InTx(ctx, func(tx *db.Tx) error {
		_, err := tx.SaveText(ctx, in, id, text)
		return err
	})
}

func (h *house) index(t testing.TB, in db.Scope, ids ...string) []db.Indexed {
	t.Helper()
	done, err := h.Index(context.Background(), refs(in, ids...))
	require.NoError(t, err)
	return done
}

func refs(in db.Scope, ids ...string) []db.FileRef {
	list := make([]db.FileRef, len(ids))
	for i, id := range ids {
		list[i] = db.FileRef{TeamID: in.TeamID, FileID: id}
	}
	return list
}

func (h *house) sentences(t testing.TB, in db.Scope, q search.Query) search.Sentences {
	t.Helper()
	found, err := h.Sentences(context.Background(), in, q)
	require.NoError(t, err, "%q", q.Text)
	require.Equal(t, h.Name(), found.Engine)
	if h.Name() != "postgres" || q.Text == "" || q.Offset > 0 {
		return found
	}
	// An answer in files has the same sentences beside them, unless only names match.
	q.Top, q.Facets = cmp.Or(q.Limit, search.DefaultLimit), nil
	if files := h.files(t, in, q); files.Top != nil {
		require.Equal(t, found.Hits, files.Top.Hits, "%q", q.Text)
		require.Equal(t, found.Total, files.Top.Total, "%q", q.Text)
	} else {
		require.NotEmpty(t, files.Hits, "%q", q.Text)
		require.True(t, files.Hits[0].NameMatch, "%q", q.Text)
	}
	return found
}

func (h *house) files(t testing.TB, in db.Scope, q search.Query) search.Files {
	t.Helper()
	found, err := h.Files(context.Background(), in, q)
	require.NoError(t, err, "%q", q.Text)
	require.Equal(t, h.Name(), found.Engine)
	return found
}

// texts are the sentences that were found, in order.
func texts(found search.Sentences) []string {
	list := []string{}
	for _, hit := range found.Hits {
		list = append(list, hit.Text)
	}
	return list
}

// marked are the words that a snippet marks, in order.
func marked(snippet string) []string {
	var list []string
	for _, part := range strings.Split(snippet, "<em>")[1:] {
		word, _, _ := strings.Cut(part, "</em>")
		list = append(list, word)
	}
	return list
}

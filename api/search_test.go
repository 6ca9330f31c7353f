package api_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/db"
)

// section gives a file a section with a heading.
func (b *bundle) section(t *testing.T, who caller, fileID, title string) {
	t.Helper()
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		_, err := tx.Raw.Exec(t.Context(), `INSERT INTO sections (id, file_id, team_id, ordinal, document, level, number, title, start_at, end_at, first_page, last_page, first_sentence, end_sentence)
			VALUES ($1, $2, $3, 0, 0, 1, '2', $4, 10, 50, 1, 1, 0, 0)`, db.NewID(), fileID, who.scope.TeamID, title)
		return err
	}))
}

func TestUnifiedSearch(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, who := range []caller{b.alice, b.mallory} {
		id := b.file(t, who).ID
		b.read(t, who, id, supply)
		b.section(t, who, id, "Delaware Courts")
		b.label(t, who, id, "governing_law")
		for _, line := range []string{`POST /api/matters {"name":"Delaware merger"}`, `POST /api/document-types {"name":"Delaware filing"}`, `POST /api/chats {"name":"About Delaware"}`} {
			var method, path, body string
			_, err := fmt.Sscanf(line, "%s %s", &method, &path)
			require.NoError(t, err)
			body = line[len(method)+len(path)+2:]
			require.Equal(t, http.StatusCreated, b.call(t, who, method+" "+path, body).Code, line)
		}
	}
	search := func(who caller, parameters string) *api.HitGroups {
		return get[api.FileHits](t, b.call(t, who, "GET /api/search?"+parameters, ""), http.StatusOK).Groups
	}
	all := search(b.alice, "q=delaware")
	require.Equal(t, "Delaware Courts", all.Sections.Items[0].Title)
	require.Equal(t, api.Span{Start: 10, End: 50}, all.Sections.Items[0].Span)
	require.Equal(t, 1, all.Sections.Total)
	require.Equal(t, "Delaware merger", all.Matters.Items[0].Name)
	require.Equal(t, 1, all.Matters.Total, "another team's is not found")
	require.Equal(t, "Delaware filing", all.DocumentTypes.Items[0].Name)
	require.Equal(t, "About Delaware", all.Chats.Items[0].Name)
	var keys []string
	for _, v := range all.Attributes.Items {
		keys = append(keys, v.Key)
	}
	require.Contains(t, keys, "governing_law")
	require.Equal(t, "Governed by law.", search(b.alice, "q=governed").Sentences.Items[0].Text)
	require.Equal(t, "Delaware merger", search(b.alice, "q=delawere+merger").Matters.Items[0].Name, "in spite of a typing error")

	misspelt := b.file(t, b.alice).ID
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		_, err := tx.SaveText(t.Context(), b.alice.scope, misspelt, db.Text{
			Language: "en", Words: []string{"governed"}, Sentences: []db.Sentence{{ID: db.NewID(), Page: 1, End: 9, Text: "Governed."}},
		})
		return err
	}))
	b.section(t, b.alice, misspelt, "Governed matters")
	require.NoError(t, b.db.FoldVocabulary(t.Context(), b.alice.scope.TeamID))
	require.Equal(t, "Governed matters", search(b.alice, "q=govermed").Sections.Items[0].Title, "headings are asked for what texts are")

	only := search(b.alice, "q=delaware&groups=matters,files")
	require.NotNil(t, only.Matters)
	require.Nil(t, only.Sections)
	require.Nil(t, only.Sentences)
	require.Nil(t, search(b.alice, ""))
	filtered := search(b.alice, "q=delaware&filter="+url.QueryEscape(`{"field":"attribute.governing_law","op":"missing"}`))
	require.Empty(t, filtered.Sections.Items)
	require.Empty(t, filtered.Attributes.Items)
	require.Nil(t, filtered.Matters)
	require.NotEmpty(t, search(b.aliceKey, "q=delaware").Matters.Items)
	require.Empty(t, search(b.acmeKey, "q=delaware").Chats.Items, "an organization takes part in no chat")
	require.NotNil(t, search(b.alice, "q=%00%ff+delaware"))
}

// TestUnifiedSearchWithoutAccents asks for what has accents without them, and the
// other way round.
func TestUnifiedSearchWithoutAccents(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, name := range []string{"Zürich", "Zurich"} {
		id := get[api.File](t, b.upload(t, b.alice, nil, [2]string{name + " lease.txt", "A text."}), http.StatusAccepted).ID
		require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
			if _, err := tx.SaveText(t.Context(), b.alice.scope, id, db.Text{
				Language: "en", Words: []string{strings.ToLower(name)}, Sentences: []db.Sentence{{ID: db.NewID(), Page: 1, End: 10, Text: "In " + name + "."}},
			}); err != nil {
				return err
			}
			return tx.SetAttribute(t.Context(), b.alice.scope, id, "venue", []db.Attribute{{Value: "Courts of " + name}})
		}))
		b.section(t, b.alice, id, name+" courts")
		for _, line := range []string{"POST /api/matters", "POST /api/document-types", "POST /api/chats"} {
			require.Equal(t, http.StatusCreated, b.call(t, b.alice, line, `{"name":"The `+name+` merger"}`).Code, line)
		}
	}
	require.NoError(t, b.db.FoldVocabulary(t.Context(), b.alice.scope.TeamID))
	for _, q := range []string{"zurich", "zürich", "ZÜRICH", "zu\u0308rich"} {
		found := get[api.FileHits](t, b.call(t, b.alice, "GET /api/search?q="+url.QueryEscape(q), ""), http.StatusOK)
		require.Equal(t, 2, found.Total, q)
		require.Empty(t, found.Corrected, q)
		require.Equal(t, 2, found.Groups.Sentences.Total, q)
		require.Equal(t, 2, found.Groups.Sections.Total, q)
		require.Equal(t, 1, found.Groups.Attributes.Total, "values that differ in accents are one")
		require.Equal(t, 2, found.Groups.Attributes.Items[0].Files, q)
		for _, group := range []*api.HitGroup[api.NameHit]{found.Groups.Matters, found.Groups.DocumentTypes, found.Groups.Chats} {
			require.Equal(t, 2, group.Total, q)
			for _, hit := range group.Items {
				require.Equal(t, 1.0, hit.Score, "%s: has the words as they are", hit.Name)
			}
		}
	}
}

func TestSynonymsOfATeam(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.file(t, b.alice).ID
	b.read(t, b.alice, id, supply)
	b.label(t, b.alice, id, "governing_law") // Governed by law.
	const line = "/api/search/synonyms"
	total := func(q string) int {
		found := get[api.SentenceHits](t, b.call(t, b.alice, "GET /api/files/search-index?q="+url.QueryEscape(q), ""), http.StatusOK)
		if found.Relaxed {
			return 0
		}
		return found.Total
	}
	require.Zero(t, total("ruled jurisprudence"))
	set := get[api.Synonyms](t, b.call(t, b.alice, "PUT "+line, `{"groups":[["Ruled","governed"],["law","jurisprudence ","Law"]]}`), http.StatusOK)
	require.Equal(t, [][]string{{"governed", "ruled"}, {"jurisprudence", "law"}}, set.Groups)
	require.Equal(t, 2, total("ruled jurisprudence"))
	require.Zero(t, total(`"ruled" jurisprudence`))
	require.Equal(t, "synonyms.set", b.audited(t, b.alice, b.alice.scope.TeamID))
	require.Empty(t, get[api.Synonyms](t, b.call(t, b.mallory, "GET "+line, ""), http.StatusOK).Groups)
	for _, bad := range []string{`[["one"]]`, `[["a","A"]]`, `[["a","--"]]`, `[[]]`} {
		get[api.Error](t, b.call(t, b.alice, "PUT "+line, `{"groups":`+bad+`}`), http.StatusUnprocessableEntity)
	}
	require.Empty(t, get[api.Synonyms](t, b.call(t, b.alice, "PUT "+line, `{"groups":[]}`), http.StatusOK).Groups)
	require.Zero(t, total("ruled jurisprudence"))
}

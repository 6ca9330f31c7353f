package api_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/nlp"
)

// analyze gives a processed file a section with one inside it, and one behind.
func (b *bundle) analyze(t testing.TB, who caller, id string) {
	t.Helper()
	in := db.System(who.scope.TeamID)
	f, err := b.db.File(t.Context(), in, id)
	require.NoError(t, err)
	first := 0
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		return tx.SaveAnalysis(t.Context(), in, id, db.Meaning{
			Analysis: db.Analysis{Generation: f.Generation, Version: nlp.Version, Counts: db.Counts{Words: 6, Sentences: 2, Sections: 3}},
			Sections: []db.Section{
				{ID: db.NewID(), Ordinal: 0, Level: 1, Title: "Lease", Start: 0, End: 23, FirstPage: 1, LastPage: 1, EndSentence: 1},
				{ID: db.NewID(), Ordinal: 1, Parent: &first, Level: 2, Number: "1.", Path: "1", Start: 7, End: 23, FirstPage: 1, LastPage: 1, EndSentence: 1},
				{ID: db.NewID(), Ordinal: 2, Document: 1, Level: 1, Title: "Exhibit A", Start: 24, End: 33, FirstPage: 2, LastPage: 2, FirstSentence: 1, EndSentence: 2},
			},
		})
	}))
}

func TestSections(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.file(t, b.alice)
	list, tree := "POST /api/files/"+f.ID+"/sections", "GET /api/files/"+f.ID+"/sections-new"
	none := func() {
		all := get[api.Sections](t, b.call(t, b.alice, list, ""), http.StatusOK)
		require.False(t, all.Analyzed)
		require.Empty(t, all.Items)
		require.Empty(t, get[api.SectionTree](t, b.call(t, b.alice, tree, ""), http.StatusOK).Items)
	}
	none()
	b.process(t, b.alice, f.ID)
	none() // there is text, but it is not analysed
	b.analyze(t, b.alice, f.ID)

	all := get[api.Sections](t, b.call(t, b.alice, list, ""), http.StatusOK)
	require.True(t, all.Analyzed)
	require.Equal(t, 3, all.Total)
	require.Len(t, all.Items, 3)
	require.Equal(t, "payment", *all.Items[1].Label, "of its sentence")
	require.Nil(t, all.Items[2].Label)
	require.Equal(t, 0, *all.Items[1].ParentIndex)
	require.Nil(t, all.Items[1].Text)

	quoted := get[api.Sections](t, b.call(t, b.alice, list, `{"includeText":true,"limit":2}`), http.StatusOK)
	require.Equal(t, "Lease\n\n", *quoted.Items[0].Text, "up to its first subsection")
	require.Equal(t, "The tenant pays.", *quoted.Items[1].Text)
	rest := get[api.Sections](t, b.call(t, b.alice, list, `{"includeText":true,"cursor":"`+quoted.NextCursor+`"}`), http.StatusOK)
	require.Len(t, rest.Items, 1)
	require.Equal(t, "Exhibit A", *rest.Items[0].Text)
	require.Empty(t, rest.NextCursor)

	b.call(t, b.alice, "POST /api/files/"+f.ID+"/reprocess", "")
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error { return tx.ReplacePages(t.Context(), b.alice.scope, f.ID, 0, nil) }))
	again := get[api.Error](t, b.call(t, b.alice, list, `{"includeText":true}`), http.StatusConflict)
	require.Equal(t, "not_ready", again.Code, "its pages are being read again")

	require.Equal(t, 2, get[api.Sections](t, b.call(t, b.alice, list, `{"depth":1}`), http.StatusOK).Total)
	require.Len(t, get[api.Sections](t, b.call(t, b.alice, list, `{"label":"payment"}`), http.StatusOK).Items, 2)
	require.Empty(t, get[api.Sections](t, b.call(t, b.alice, list, `{"label":"renewal"}`), http.StatusOK).Items)
	get[api.Error](t, b.call(t, b.alice, list, `{"depth":0}`), http.StatusUnprocessableEntity)

	whole := get[api.SectionTree](t, b.call(t, b.alice, tree, ""), http.StatusOK)
	require.Equal(t, 3, whole.Total)
	require.Len(t, whole.Items, 2)
	require.Equal(t, "1.", whole.Items[0].Children[0].Number)
	require.Empty(t, whole.Items[1].Children)

	b.call(t, b.alice, "POST /api/files/"+f.ID+"/reprocess", "")
	b.process(t, b.alice, f.ID)
	none() // those of the old text are gone
	get[api.Error](t, b.call(t, b.alice, list, `{"cursor":"`+quoted.NextCursor+`"}`), http.StatusConflict)
}

package api_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/sfdt"
)

func TestAlignFile(t *testing.T) {
	t.Parallel()
	b := setup(t)
	typeID, files := b.smallCorpus(t)
	path := func(file string) string { return "POST /api/files/" + file + "/sfdt/document-types-align" }
	out := get[api.Alignment](t, b.call(t, b.alice, path(files[0]), ""), http.StatusOK)
	require.Equal(t, api.Comparison{Scope: "documentType", DocumentTypeID: &typeID, Files: 5}, out.Compared)
	require.Equal(t, "text", out.Source)
	statuses := map[string]string{}
	for _, one := range out.Alignment {
		statuses[one.Node] = one.Status
	}
	require.Equal(t, map[string]string{capped: "typical", insured: "typical", law: "extra"}, statuses)
	alike := out.Alignment[0]
	require.InDelta(t, 0.8, alike.Frequency, 1e-9)
	require.NotEqual(t, files[0], alike.Reference.FileID)
	require.Contains(t, files, alike.Reference.FileID)
	require.Equal(t, []api.TextEdit{{Op: "=", Text: alike.Text}}, alike.Diff, "word for word")
	require.Equal(t, "Clause 2 speaks of governing_law and of nothing else.", out.Alignment[2].Text)

	strict := get[api.Alignment](t, b.call(t, b.alice, path(files[2]), `{"threshold":1}`), http.StatusOK)
	require.Equal(t, []string{"typical", "typical"}, []string{strict.Alignment[0].Status, strict.Alignment[1].Status})

	bare := get[api.Alignment](t, b.call(t, b.alice, path(files[4]), `{"documentTypeId":"`+typeID+`"}`), http.StatusOK)
	require.Len(t, bare.Alignment, 1, "half of the files have no other label")
	require.Equal(t, "missing", bare.Alignment[0].Status)
	require.Equal(t, capped, bare.Alignment[0].Node)
	require.Contains(t, bare.Alignment[0].Reference.Text, capped)
	saved, err := sfdt.Read(bare.SFDT)
	require.NoError(t, err)
	require.Len(t, saved.Comments, 1, "what is missing is said at the end")

	get[api.Error](t, b.call(t, b.alice, path(files[0]), `{"documentTypeId":"`+db.NewID()+`"}`), http.StatusUnprocessableEntity)
	get[api.Error](t, b.call(t, b.mallory, path(files[0]), ""), http.StatusNotFound)
	fresh := b.file(t, b.alice)
	get[api.Error](t, b.call(t, b.alice, path(fresh.ID), ""), http.StatusConflict)
	untyped := b.analyzedFile(t, b.alice, []string{capped})
	e := get[api.Error](t, b.call(t, b.alice, path(untyped), ""), http.StatusUnprocessableEntity)
	require.Contains(t, e.Message, "documentTypeId")
}

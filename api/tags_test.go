package api_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/db"
)

// newTag makes a tag and returns it.
func (b *bundle) newTag(t testing.TB, who caller, name string) api.Tag {
	t.Helper()
	body, err := json.Marshal(map[string]string{"name": name})
	require.NoError(t, err)
	return get[api.Tag](t, b.call(t, who, "POST /api/tags", string(body)), http.StatusCreated)
}

// TestTagNames gives tags names in any script: their keys can be written anywhere,
// and a name stands once.
func TestTagNames(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for name, key := range map[string]string{
		"Step-in  rights": "step_in_rights", "Größe der Lieferung": "grosse_der_lieferung", "Clause pénale": "clause_penale", "42": "42",
		"機密保持": "", "Конфиденциальность": "", "سرية": "", "A/S 機密": "",
	} {
		tag := b.newTag(t, b.alice, " "+name+" ")
		require.Equal(t, strings.Join(strings.Fields(name), " "), tag.Name)
		if key != "" {
			require.Equal(t, key, tag.Key)
		} else {
			require.Regexp(t, `^tag_[0-9a-f]{12}$`, tag.Key)
		}
		require.True(t, tag.Own)
		require.Equal(t, tag, get[api.Tag](t, b.call(t, b.alice, "GET /api/tags/"+tag.Key, ""), http.StatusOK))
	}
	for _, taken := range []string{"step in rights", "STEP-IN RIGHTS", "конфиденциальность", "Governing law", "機密保持"} {
		get[api.Error](t, b.call(t, b.alice, "POST /api/tags", `{"name":"`+taken+`"}`), http.StatusConflict)
	}
	for _, bad := range []string{`{"name":"…"}`, `{"name":" "}`, `{"name":"NULL"}`, `{}`, `{"name":"` + strings.Repeat("機", 101) + `"}`} {
		get[api.Error](t, b.call(t, b.alice, "POST /api/tags", bad), http.StatusUnprocessableEntity)
	}
	require.Equal(t, "機密保持 2", b.newTag(t, b.alice, "機密\t保持\u200b 2").Name, "nothing that cannot be seen")

	_, ids := b.contract(t, b.alice, said{"秘密を守る。", "", 0.1, "predicted"})
	assign := `{"sentenceIds":["` + ids[0] + `"],"newNode":{"name":"機密保持"}}`
	for range 2 {
		get[api.Decided](t, b.call(t, b.alice, "POST /api/sentences/bulk-assign-label", assign), http.StatusOK)
	}
	var found []api.Tag
	for _, tag := range get[api.Tags](t, b.call(t, b.alice, "GET /api/sentences/available-tags", ""), http.StatusOK).Items {
		if tag.Name == "機密保持" {
			found = append(found, tag)
		}
	}
	require.Len(t, found, 1)
	require.Equal(t, 1, found[0].Validated)
	list := get[api.List[api.Sentence]](t, b.call(t, b.alice, "GET /api/sentences?label="+url.QueryEscape(found[0].Key), ""), http.StatusOK)
	require.Equal(t, []string{"秘密を守る。"}, textsOf(list.Items))
}

func TestRenameTag(t *testing.T) {
	t.Parallel()
	b := setup(t)
	tag, other := b.newTag(t, b.alice, "Step in"), b.newTag(t, b.alice, "Seed delivery")
	_, ids := b.contract(t, b.alice, said{"A.", "", 0.1, "predicted"})
	get[api.Sentence](t, b.call(t, b.alice, "PATCH /api/sentences/"+ids[0]+"/validate?label=step_in", ""), http.StatusOK)
	patch := func(body string, status int) api.Tag {
		t.Helper()
		w := b.call(t, b.alice, "PATCH /api/tags/step_in", body)
		require.Equal(t, status, w.Code, w.Body.String())
		var out api.Tag
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &out))
		return out
	}
	renamed := patch(`{"name":"Entrée en jeu","family":"Control","description":"Who may take over."}`, http.StatusOK)
	require.Equal(t, "step_in", renamed.Key, "labels hold it")
	require.Equal(t, "Entrée en jeu", renamed.Name)
	require.Equal(t, "Control", renamed.Family)
	require.Equal(t, "Who may take over.", renamed.Description)
	require.Equal(t, 1, renamed.Validated)
	require.Equal(t, renamed, patch(`{}`, http.StatusOK))
	require.Equal(t, "entrée EN jeu", patch(`{"name":"entrée EN jeu"}`, http.StatusOK).Name, "its own in another case")
	for _, taken := range []string{"seed DELIVERY", "Governing Law"} {
		patch(`{"name":"`+taken+`"}`, http.StatusConflict)
	}
	patch(`{"name":"…"}`, http.StatusUnprocessableEntity)
	require.NotEqual(t, tag.Key, b.newTag(t, b.alice, "Step in").Key, "the name is free, the key is not")
	require.Equal(t, []string{"node.updated", "node.updated", "node.created"}, actionsOf(changes(t, b, tag.ID), "node."))

	get[api.Error](t, b.call(t, b.alice, "PATCH /api/tags/governing_law", `{"name":"x"}`), http.StatusConflict)
	get[api.Error](t, b.call(t, b.alice, "PATCH /api/tags/nothing", `{"name":"x"}`), http.StatusNotFound)
	get[api.Error](t, b.call(t, b.mallory, "PATCH /api/tags/"+other.Key, `{"name":"x"}`), http.StatusNotFound)
	get[api.Error](t, b.call(t, b.mallory, "GET /api/tags/"+other.Key, ""), http.StatusNotFound)
}

// TestTagsOfOthers keeps tags by which others have decided for admins.
func TestTagsOfOthers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	member := b.colleague(t, b.acme, "Mia")
	b.newTag(t, b.acme, "Weather")
	_, ids := b.contract(t, b.acme, said{"A.", "", 0.1, "predicted"}, said{"B.", "", 0.1, "predicted"})
	decide := func(who caller, id string) {
		t.Helper()
		get[api.Sentence](t, b.call(t, who, "PATCH /api/sentences/"+id+"/validate?label=weather", ""), http.StatusOK)
	}
	get[api.Tag](t, b.call(t, member, "PATCH /api/tags/weather", `{"name":"The weather"}`), http.StatusOK)
	decide(member, ids[0])
	get[api.Tag](t, b.call(t, member, "PATCH /api/tags/weather", `{"name":"Weather"}`), http.StatusOK)
	decide(b.acme, ids[1])
	for line, body := range map[string]string{
		"PATCH /api/tags/weather": `{"name":"Climate"}`, "DELETE /api/tags/weather?force=true": "", "POST /api/tags/weather/merge": `{"into":"governing_law"}`,
	} {
		get[api.Error](t, b.call(t, member, line, body), http.StatusForbidden)
	}
	get[api.Tag](t, b.call(t, b.acme, "PATCH /api/tags/weather", `{"name":"Climate"}`), http.StatusOK)
}

func TestMergeTags(t *testing.T) {
	t.Parallel()
	b := setup(t)
	from := b.newTag(t, b.alice, "Step in")
	b.newTag(t, b.alice, "Takeover")
	f, ids := b.contract(t, b.alice, said{"A.", "", 0.2, "predicted"}, said{"B.", "step_in", 0.9, "predicted"}, said{"C.", "step_in", 0.8, "predicted"}, said{"D.", "takeover", 0.8, "predicted"})
	kind := b.ofType(t, b.alice, f.ID)
	validate := func(id, label string) {
		t.Helper()
		get[api.Sentence](t, b.call(t, b.alice, "PATCH /api/sentences/"+id+"/validate?label="+label, ""), http.StatusOK)
	}
	validate(ids[0], "step_in")
	validate(ids[2], "null")
	merged := get[api.MergedTag](t, b.call(t, b.alice, "POST /api/tags/step_in/merge", `{"into":"takeover"}`), http.StatusOK)
	require.Equal(t, 2, merged.Sentences)
	require.Equal(t, 1, merged.Validated)

	list := get[api.List[api.Sentence]](t, b.call(t, b.alice, "GET /api/sentences?label=takeover", ""), http.StatusOK).Items
	require.Equal(t, []string{"A.", "B.", "D."}, textsOf(list))
	require.Equal(t, "validated", *list[0].Source, "it stays whose word it is")
	require.Equal(t, b.alice.scope.ActorID, *list[0].ValidatedBy)
	require.Equal(t, "predicted", *list[1].Source)
	require.Equal(t, "sentence.merged", changes(t, b, ids[0])[0].Action)
	require.Empty(t, changes(t, b, ids[1]), "it is no decision")
	require.Equal(t, "node.merged", changes(t, b, from.ID)[0].Action)
	back := get[api.Sentence](t, b.call(t, b.alice, "DELETE /api/sentences/"+ids[2]+"/validate", ""), http.StatusOK)
	require.Equal(t, "takeover", *back.Label, "what the model said is meant so")
	get[api.Error](t, b.call(t, b.alice, "GET /api/tags/step_in", ""), http.StatusNotFound)
	review := get[api.TypeReview](t, b.call(t, b.alice, "GET /api/document-types/"+kind+"/validation-analytics", ""), http.StatusOK)
	require.Equal(t, 1, review.Totals.Added)
	for _, l := range review.Labels {
		require.NotEqual(t, "step_in", l.Label)
	}
	retired, err := b.db.RetiredNodes(t.Context(), b.alice.scope)
	require.NoError(t, err)
	require.Equal(t, map[string]string{"step_in": "takeover"}, retired)
	require.NotEqual(t, "step_in", b.newTag(t, b.alice, "Step in").Key, "models know that key")

	get[api.MergedTag](t, b.call(t, b.alice, "POST /api/tags/takeover/merge", `{"into":"governing_law"}`), http.StatusOK)
	retired, err = b.db.RetiredNodes(t.Context(), b.alice.scope)
	require.NoError(t, err)
	require.Equal(t, map[string]string{"step_in": "governing_law", "takeover": "governing_law"}, retired)
	other := b.newTag(t, b.alice, "Other")
	for _, bad := range []string{other.Key, "nothing", "step_in"} {
		get[api.Error](t, b.call(t, b.alice, "POST /api/tags/other/merge", `{"into":"`+bad+`"}`), http.StatusUnprocessableEntity)
	}
	get[api.Error](t, b.call(t, b.alice, "POST /api/tags/governing_law/merge", `{"into":"other"}`), http.StatusConflict)
	get[api.Error](t, b.call(t, b.mallory, "POST /api/tags/other/merge", `{"into":"governing_law"}`), http.StatusNotFound)
}

func TestDeleteTag(t *testing.T) {
	t.Parallel()
	b := setup(t)
	tag := b.newTag(t, b.alice, "Weather")
	_, ids := b.contract(t, b.alice, said{"A.", "governing_law", 0.9, "predicted"}, said{"B.", "weather", 0.9, "predicted"}, said{"C.", "weather", 0.8, "predicted"})
	get[api.Sentence](t, b.call(t, b.alice, "PATCH /api/sentences/"+ids[0]+"/validate?label=weather", ""), http.StatusOK)
	get[api.Sentence](t, b.call(t, b.alice, "PATCH /api/sentences/"+ids[2]+"/validate", ""), http.StatusOK)
	refused := get[api.Error](t, b.call(t, b.alice, "DELETE /api/tags/weather", ""), http.StatusConflict)
	require.Contains(t, refused.Message, "3 sentences have the tag, 2 of them set by users")

	get[api.Message](t, b.call(t, b.alice, "DELETE /api/tags/weather?force=true", ""), http.StatusOK)
	list := get[api.List[api.Sentence]](t, b.call(t, b.alice, "GET /api/sentences", ""), http.StatusOK).Items
	require.Equal(t, "governing_law", *list[0].Label, "what the model says")
	require.Nil(t, list[1].Label)
	require.Nil(t, list[2].Label, "that there is nothing of the kind any more")
	for _, s := range list {
		require.Equal(t, "predicted", *s.Source)
	}
	require.Equal(t, "sentence.withdrawn", changes(t, b, ids[2])[0].Action)
	require.Equal(t, "node.deleted", changes(t, b, tag.ID)[0].Action)
	get[api.Error](t, b.call(t, b.alice, "DELETE /api/tags/weather", ""), http.StatusNotFound)
	get[api.Error](t, b.call(t, b.alice, "DELETE /api/tags/governing_law?force=true", ""), http.StatusConflict)
	counts, err := b.db.LabelCounts(t.Context(), b.alice.scope, "")
	require.NoError(t, err)
	require.Equal(t, []db.LabelCount{{Label: "governing_law", Sentences: 1}}, counts)
	b.newTag(t, b.alice, "Unused")
	get[api.Message](t, b.call(t, b.alice, "DELETE /api/tags/unused", ""), http.StatusOK)
}

package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/db"
)

const granted, fixed, ever = "license_grant", "non_transferable_license", "irrevocable_or_perpetual_license"

// labelsIn is the labels of a sentence, with ! behind those of people and - before those
// that they refused.
func labelsIn(s api.Sentence) string {
	var list []string
	for _, l := range s.Labels {
		name := l.Node
		if l.Source == "validated" {
			name += "!"
		}
		list = append(list, name)
	}
	for _, node := range s.Refused {
		list = append(list, "-"+node)
	}
	return strings.Join(list, " ")
}

// relabel has a model say something of a sentence anew.
func (b *bundle) relabel(t *testing.T, who caller, s api.Sentence, p db.Predicted) {
	t.Helper()
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		f, err := tx.File(t.Context(), who.scope, s.FileID)
		if err != nil {
			return err
		}
		return tx.SaveAnalysis(t.Context(), db.System(who.scope.TeamID), s.FileID, db.Meaning{
			Analysis: db.Analysis{Generation: f.Generation, ModelID: p.ModelID}, Labels: []db.Prediction{{SentenceID: s.ID, Predicted: p}},
		})
	}))
}

// TestDecideOnLabels decides on the labels of one sentence, one by one and all at once.
func TestDecideOnLabels(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, ids := b.contract(t, b.alice, said{"Licensor grants a non-transferable, perpetual license.", granted + "+" + fixed + "+" + ever, 0.9, "predicted"})
	path := "/api/sentences/" + ids[0] + "/validate"
	read := func() api.Sentence {
		t.Helper()
		return get[api.Neighbors](t, b.call(t, b.alice, "GET /api/sentences/"+ids[0]+"/neighbors", ""), http.StatusOK).Sentence
	}
	first := read()
	require.Equal(t, strings.Join([]string{granted, fixed, ever}, " "), labelsIn(first))
	require.Equal(t, granted, *first.Label)
	require.InDelta(t, 0.7, *first.Labels[2].Score, 1e-6)

	for _, step := range []struct{ body, want, source string }{
		{`{"remove":["` + fixed + `"]}`, granted + " " + ever + " -" + fixed, "predicted"},
		{`{"remove":["` + fixed + `"]}`, granted + " " + ever + " -" + fixed, "predicted"},
		{`{"add":["` + ever + `"]}`, ever + "! " + granted + " -" + fixed, "predicted"},
		{`{"add":["insurance"],"remove":["` + granted + `"]}`, ever + "! insurance! -" + granted + " -" + fixed, "validated"},
		{`{"labels":["` + granted + `","` + fixed + `"]}`, granted + "! " + fixed + "!", "validated"},
		{`{"label":"insurance"}`, "insurance!", "validated"},
		{`{"remove":["insurance"]}`, "-insurance", "validated"},
		{`{"label":null}`, "", "validated"},
		{`{"labels":[]}`, "", "validated"},
		{`{"add":["` + fixed + `"]}`, fixed + "!", "validated"},
	} {
		s := get[api.Sentence](t, b.call(t, b.alice, "PATCH "+path, step.body), http.StatusOK)
		require.Equal(t, step.want, labelsIn(s), step.body)
		require.Equal(t, step.source, *s.Source, step.body)
		require.Equal(t, s, read())
		require.Len(t, s.Prediction.Labels, 3, "what the model says stays")
	}
	for query, found := range map[string]int{"minScore=0.99": 1, "minScore=0.99&label=" + fixed: 1, "maxScore=0.99": 0, "minScore=0.99&source=predicted": 0} {
		listed := get[api.List[api.Sentence]](t, b.call(t, b.alice, "GET /api/sentences?"+query, ""), http.StatusOK)
		require.Len(t, listed.Items, found, "a label that was given has no score and is sure: %s", query)
	}
	for _, wrong := range []string{`{"label":null,"labels":[]}`, `{"labels":[],"add":["insurance"]}`, `{"add":["strange"]}`, `{"add":["insurance"],"remove":["insurance"]}`} {
		get[api.Error](t, b.call(t, b.alice, "PATCH "+path, wrong), http.StatusUnprocessableEntity)
	}
	require.Equal(t, first, get[api.Sentence](t, b.call(t, b.alice, "DELETE "+path, ""), http.StatusOK), "withdrawn as a whole")
	events := get[api.List[api.AuditEvent]](t, b.call(t, b.alice, "GET /api/audit?action=sentence.validated&resource="+ids[0], ""), http.StatusOK)
	require.Len(t, events.Items, 9, "what changes nothing is no decision")

	// A model that comes later has its say on what nobody decided.
	get[api.Sentence](t, b.call(t, b.alice, "PATCH "+path, `{"add":["`+granted+`"],"remove":["`+fixed+`"]}`), http.StatusOK)
	b.relabel(t, b.alice, first, predicted(db.NewID(), 0.8, fixed, "insurance", granted))
	require.Equal(t, granted+"! insurance -"+fixed, labelsIn(read()))
	get[api.Sentence](t, b.call(t, b.alice, "PATCH "+path, ``), http.StatusOK)
	b.relabel(t, b.alice, first, predicted(db.NewID(), 0.8, fixed, ever))
	require.Equal(t, granted+"! insurance! -"+fixed, labelsIn(read()), "all was decided")
	require.Equal(t, fixed+" "+ever, labelsIn(get[api.Sentence](t, b.call(t, b.alice, "DELETE "+path, ""), http.StatusOK)))

	// What a model predicts no longer is not refused by anybody: the sentence stays open.
	get[api.Sentence](t, b.call(t, b.alice, "DELETE "+path, ""), http.StatusOK)
	get[api.Sentence](t, b.call(t, b.alice, "PATCH "+path, `{"remove":["`+fixed+`"]}`), http.StatusOK)
	b.relabel(t, b.alice, first, predicted(db.NewID(), 0.8, fixed))
	require.Equal(t, "-"+fixed, labelsIn(read()))
	require.Equal(t, "predicted", *read().Source)
	b.relabel(t, b.alice, first, predicted(db.NewID(), 0.8, granted))
	require.Equal(t, granted+" -"+fixed, labelsIn(read()))
	get[api.Sentence](t, b.call(t, b.alice, "DELETE "+path, ""), http.StatusOK)

	sure, unsure := float32(0.95), float32(0.4)
	// Only what the score of a filter asks for is confirmed.
	b.relabel(t, b.alice, first, db.NewPredicted(first.ModelID, []db.ScoredLabel{{Node: granted, Score: &sure}, {Node: ever, Score: &unsure}}, nil))
	get[api.Decided](t, b.call(t, b.alice, "POST /api/sentences/bulk-validate", `{"filter":{"minScore":0.9}}`), http.StatusOK)
	require.Equal(t, granted+"! "+ever, labelsIn(read()))
	get[api.Sentence](t, b.call(t, b.alice, "DELETE "+path, ""), http.StatusOK)
}

// TestClauses decides on the sentences of a clause at once.
func TestClauses(t *testing.T) {
	t.Parallel()
	b := setup(t)
	list := []said{
		{"Licensor grants a license.", granted + "+" + fixed, 0.9, "predicted"}, {"It is for ever.", granted + "+" + ever, 0.8, "predicted"}, {"Sold in jars.", "", 0.1, "predicted"},
		{"Licensor grants a license.", granted, 0.7, "predicted"}, {"In another section.", granted, 0.7, "predicted"},
	}
	f, ids := b.contract(t, b.alice, list...)
	b.exec(t, `INSERT INTO sections (id, file_id, team_id, ordinal, document, level, number, path, title, start_at, end_at, first_page, last_page, first_sentence, end_sentence)
		VALUES ($1, $2, $3, 0, 0, 1, '', '', '', 0, 9, 1, 1, 0, 4), ($4, $2, $3, 1, 0, 1, '', '', '', 9, 19, 1, 1, 4, 5)`, db.NewID(), f.ID, b.alice.scope.TeamID, db.NewID())
	read := func() (sentences []api.Sentence, clauses []string) {
		sentences = get[api.List[api.Sentence]](t, b.call(t, b.alice, "GET /api/sentences?fileId="+f.ID, ""), http.StatusOK).Items
		for _, s := range sentences {
			for _, l := range s.Labels {
				if l.Node == granted {
					clauses = append(clauses, l.ClauseID)
				}
			}
		}
		return sentences, clauses
	}
	sentences, clauses := read()
	require.Len(t, clauses, 4)
	require.Equal(t, clauses[0], clauses[1])
	require.NotEqual(t, clauses[1], clauses[2], "the same words again")
	require.NotEqual(t, clauses[2], clauses[3], "of another section")
	require.NotEqual(t, clauses[0], sentences[0].Labels[1].ClauseID, "of another label")

	get[api.Sentence](t, b.call(t, b.alice, "PATCH /api/sentences/"+ids[1]+"/validate", `{"add":["`+granted+`"],"clause":true}`), http.StatusOK)
	after, _ := read()
	require.Equal(t, []string{granted + "! " + fixed, granted + "! " + ever, "", granted, granted}, []string{
		labelsIn(after[0]), labelsIn(after[1]), labelsIn(after[2]), labelsIn(after[3]), labelsIn(after[4]),
	})
	get[api.Sentence](t, b.call(t, b.alice, "PATCH /api/sentences/"+ids[0]+"/validate?clause=true", ""), http.StatusOK)
	after, _ = read()
	require.Equal(t, granted+"! "+fixed+"!", labelsIn(after[0]))
	require.Equal(t, granted+"! "+ever, labelsIn(after[1]), "what the sentence does not have is not confirmed")

	// The text is read anew.
	b.anew(t, f.ID)
	text := db.Text{Language: "en"}
	model := db.NewID()
	for i, s := range list {
		sentence := db.Sentence{ID: db.NewID(), Ordinal: i, Page: 1, Text: s.text}
		if s.label != "" {
			sentence.Predict(predicted(model, s.score, strings.Split(s.label, "+")...))
		}
		text.Sentences = append(text.Sentences, sentence)
	}
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		_, err := tx.SaveText(t.Context(), b.alice.scope, f.ID, text)
		return err
	}))
	_, again := read()
	require.Equal(t, clauses[0], again[0])
	require.Equal(t, clauses[2], again[2])
}

// TestSeveralLabels asks everything that goes by labels about sentences with several.
func TestSeveralLabels(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f, ids := b.contract(t, b.alice,
		said{"A perpetual license.", granted + "+" + ever, 0.9, "predicted"}, said{"A license.", granted, 0.9, "predicted"},
		said{"Fixed, and for ever.", fixed + "+" + ever, 0.6, "predicted"}, said{"Nothing.", "", 0.1, "predicted"})
	other, _ := b.contract(t, b.alice, said{"Another license.", granted, 0.8, "predicted"})
	typed := b.ofType(t, b.alice, f.ID, other.ID)
	list := func(query string) []string {
		t.Helper()
		return textsOf(get[api.List[api.Sentence]](t, b.call(t, b.alice, "GET /api/sentences"+query, ""), http.StatusOK).Items)
	}
	require.Equal(t, []string{"A perpetual license.", "Fixed, and for ever."}, list("?label="+ever))
	require.Equal(t, []string{"A perpetual license."}, list("?label="+ever+"&minScore=0.7"), "the score is that of the label")
	require.Empty(t, list("?label="+ever+"&source=validated"))
	require.Equal(t, []string{"Nothing."}, list("?label=null"))
	require.Equal(t, []string{"Fixed, and for ever.", "Nothing."}, list("/by-file-type/"+typed+"?label=null,"+fixed))
	counts := func(path string) map[string]int {
		found := map[string]int{}
		for _, tag := range get[api.Tags](t, b.call(t, b.alice, "GET "+path, ""), http.StatusOK).Items {
			if tag.Sentences > 0 {
				found[tag.Key] = tag.Sentences
			}
		}
		return found
	}
	want := map[string]int{granted: 3, ever: 2, fixed: 1}
	require.Equal(t, want, counts("/api/sentences/available-tags"))
	require.Equal(t, want, counts("/api/sentences/available-tags/"+typed))
	files := get[api.List[api.File]](t, b.call(t, b.alice, `GET /api/files?filter={"field":"label","op":"in","values":["`+ever+`"]}`, ""), http.StatusOK)
	require.Equal(t, f.ID, files.Items[0].ID)
	require.Len(t, files.Items, 1)

	group := func(filter string) map[string]float64 {
		found := map[string]float64{}
		body := `{"query":{"source":"sentences","metric":{"op":"count"},"groupBy":["label"],"limit":10` + filter + `}}`
		data := get[api.Data](t, b.call(t, b.alice, "POST "+widgets+"/execute-query", body), http.StatusOK)
		for i, key := range data.Keys {
			found[*key[0]], _ = data.Rows[i][1].(float64)
		}
		return found
	}
	require.Equal(t, map[string]float64{granted: 3, ever: 2, fixed: 1}, group(`,"filters":[{"field":"label","op":"exists"}]`))
	require.Equal(t, map[string]float64{ever: 2}, group(`,"filters":[{"field":"label","op":"in","values":["`+ever+`"]}]`))

	// The least certain of two labels is reviewed, though the other one is certain.
	queue := get[api.ReviewQueue](t, b.call(t, b.alice, "POST /api/review/claims", ""), http.StatusOK)
	require.Equal(t, "Fixed, and for ever.", queue.Items[0].Text)
	b.call(t, b.alice, "DELETE /api/review/claims", "")

	// What a filter finds is confirmed, and not what else its sentences have.
	done := get[api.Decided](t, b.call(t, b.alice, "POST /api/sentences/bulk-validate", `{"filter":{"label":"`+granted+`","minScore":0.85}}`), http.StatusOK)
	require.Equal(t, 2, done.Updated)
	read := func(id string) api.Sentence {
		t.Helper()
		return get[api.Neighbors](t, b.call(t, b.alice, "GET /api/sentences/"+id+"/neighbors", ""), http.StatusOK).Sentence
	}
	require.Equal(t, granted+"! "+ever, labelsIn(read(ids[0])))
	require.Equal(t, []string{"A perpetual license.", "A license."}, list("?label="+granted+"&source=validated"))
	get[api.Decided](t, b.call(t, b.alice, "POST /api/sentences/bulk-assign-label", `{"sentenceIds":["`+ids[0]+`","`+ids[2]+`"],"remove":["`+ever+`"]}`), http.StatusOK)
	require.Equal(t, granted+"! -"+ever, labelsIn(read(ids[0])))
	require.Equal(t, map[string]int{granted: 3, fixed: 1}, counts("/api/sentences/available-tags"))

	// A tag that is merged or deleted goes, and the other labels of its sentences stay.
	get[api.Decided](t, b.call(t, b.alice, "POST /api/sentences/bulk-assign-label", `{"sentenceIds":["`+ids[1]+`"],"newNode":{"name":"Seeds"}}`), http.StatusOK)
	get[api.Sentence](t, b.call(t, b.alice, "PATCH /api/sentences/"+ids[2]+"/validate", `{"add":["seeds"]}`), http.StatusOK)
	require.Equal(t, "seeds! "+fixed+" -"+ever, labelsIn(read(ids[2])))
	deleted := get[api.Deleted](t, b.call(t, b.alice, "DELETE /api/tags/seeds?force=true", ""), http.StatusOK)
	require.Equal(t, fixed+" -"+ever, labelsIn(read(ids[2])))
	require.Equal(t, granted, labelsIn(read(ids[1])), "what the model says")
	get[any](t, b.call(t, b.alice, "POST /api/trash/"+deleted.TrashID+"/restore", ""), http.StatusOK)
	require.Equal(t, "seeds! "+fixed+" -"+ever, labelsIn(read(ids[2])))
	require.Equal(t, "seeds!", labelsIn(read(ids[1])))
	b.call(t, b.alice, "POST /api/tags/seeds/merge", `{"into":"`+fixed+`"}`)
	require.Equal(t, fixed+"! -"+ever, labelsIn(read(ids[2])))
	require.Equal(t, fixed+"!", labelsIn(read(ids[1])))
}

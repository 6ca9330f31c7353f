package api_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/db"
)

// said is a sentence and what a model said of it: no source stands for nothing. Of
// several labels, with + between them, each has a tenth less than the one before.
type said struct {
	text, label string
	score       float32
	source      string
}

// contract is a file of who with the sentences of list.
func (b *bundle) contract(t testing.TB, who caller, list ...said) (api.File, []string) {
	t.Helper()
	f := b.file(t, who)
	b.anew(t, f.ID)
	ids := make([]string, len(list))
	document := db.NewID()
	text := db.Text{
		Language:  "en",
		Documents: []db.Document{{ID: document, Kind: "agreement", FirstPage: 1, LastPage: 1}},
		Blocks:    []db.Block{{DocumentID: document, Kind: "paragraph", Page: 1}},
	}
	model, at := db.NewID(), 0
	for i, s := range list {
		ids[i] = db.NewID()
		sentence := db.Sentence{ID: ids[i], Ordinal: i, Page: 1, Start: at, End: at + len(s.text), Text: s.text}
		if s.source != "" {
			sentence.Source, sentence.Score, sentence.ModelID = &s.source, &s.score, &model
		}
		switch labels := strings.Split(s.label, "+"); {
		case len(labels) > 1:
			sentence.Predict(predicted(model, s.score, labels...))
		case s.label != "":
			sentence.Label = &s.label
		}
		at += len(s.text) + 1
		text.Sentences = append(text.Sentences, sentence)
	}
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		_, err := tx.SaveText(t.Context(), who.scope, f.ID, text)
		return err
	}))
	return f, ids
}

// predicted is what a model says of labels, each with a tenth less than the one before.
func predicted(model string, score float32, labels ...string) db.Predicted {
	var scored []db.ScoredLabel
	for i, label := range labels {
		of := score - 0.1*float32(i)
		scored = append(scored, db.ScoredLabel{Node: label, Score: &of})
	}
	return db.NewPredicted(&model, scored, nil)
}

// ofType makes files of a new document type.
func (b *bundle) ofType(t testing.TB, who caller, fileIDs ...string) string {
	t.Helper()
	id := db.NewID()
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		_, err := tx.Raw.Exec(t.Context(), `INSERT INTO document_types (id, team_id, name) VALUES ($1, $2, $3)`, id, who.scope.TeamID, "type "+id)
		for _, file := range fileIDs {
			if err == nil {
				_, err = tx.UpdateFile(t.Context(), who.scope, file, db.FileUpdate{DocumentTypeID: &id})
			}
		}
		return err
	}))
	return id
}

func textsOf(list []api.Sentence) []string {
	texts := []string{}
	for _, s := range list {
		texts = append(texts, s.Text)
	}
	return texts
}

func TestSentences(t *testing.T) {
	t.Parallel()
	b := setup(t)
	old, oldIDs := b.contract(t, b.alice,
		said{"The law of Utah governs.", "governing_law", 0.9, "predicted"}, said{"Now therefore.", "", 0.2, "predicted"})
	young, _ := b.contract(t, b.alice,
		said{"This lasts a year.", "term", 0.6, "predicted"}, said{"It renews.", "term", 0.8, "validated"}, said{"Not yet read.", "", 0, ""})
	b.contract(t, b.mallory, said{"The law of Iowa governs.", "governing_law", 0.9, "predicted"})
	typed := b.ofType(t, b.alice, old.ID)

	ask := func(query string) api.List[api.Sentence] {
		t.Helper()
		return get[api.List[api.Sentence]](t, b.call(t, b.alice, "GET /api/sentences"+query, ""), http.StatusOK)
	}
	all := ask("")
	require.Equal(t, []string{"This lasts a year.", "It renews.", "Not yet read.", "The law of Utah governs.", "Now therefore."}, textsOf(all.Items))
	require.Equal(t, 5, *all.Total)
	require.Empty(t, all.NextCursor)
	law := all.Items[3]
	require.Equal(t, oldIDs[0], law.ID)
	require.Equal(t, old.ID, law.FileID)
	require.Equal(t, "lease.pdf", law.FileName)
	require.Equal(t, typed, *law.DocumentTypeID)
	require.Equal(t, api.Span{Start: 0, End: 24}, law.Span)
	require.Equal(t, "governing_law", *law.Label)
	require.Nil(t, all.Items[2].Source)

	for query, want := range map[string][]string{
		"?fileId=" + old.ID + "&label=governing_law":    {"The law of Utah governs."},
		"?documentTypeId=" + typed:                      {"The law of Utah governs.", "Now therefore."},
		"?label=null":                                   {"Now therefore."},
		"?label=null,term":                              {"This lasts a year.", "It renews.", "Now therefore."},
		"?source=validated":                             {"It renews."},
		"?minScore=0.5&maxScore=0.7":                    {"This lasts a year."},
		"?sort=score":                                   {"Now therefore.", "This lasts a year.", "It renews.", "The law of Utah governs."},
		"?sort=-score&label=term":                       {"It renews.", "This lasts a year."},
		"?groupKey=" + db.NewID():                       {},
		"/by-file-type/" + typed + "?label=null":        {"Now therefore."},
		"/by-file-type/" + b.ofType(t, b.alice):         {},
		"?fileId=" + young.ID + "&label=null&limit=500": {},
	} {
		require.Equal(t, want, textsOf(ask(query).Items), query)
	}

	for _, order := range []string{"", "&sort=score", "&sort=-score"} {
		whole := ask("?limit=500" + order)
		paged := []api.Sentence{}
		for next := ""; ; {
			page := ask("?limit=2" + order + "&cursor=" + next)
			require.LessOrEqual(t, len(page.Items), 2)
			paged = append(paged, page.Items...)
			if next = page.NextCursor; next == "" {
				break
			}
		}
		require.Equal(t, whole.Items, paged, order)
	}
	byPlace := ask("?limit=1").NextCursor
	for _, wrong := range []string{"cursor=x", "sort=score&cursor=" + byPlace, "sort=x", "source=x", "minScore=2", "limit=501"} {
		get[api.Error](t, b.call(t, b.alice, "GET /api/sentences?"+wrong, ""), http.StatusUnprocessableEntity)
	}
	theirs := b.ofType(t, b.mallory)
	get[api.Error](t, b.call(t, b.alice, "GET /api/sentences/by-file-type/"+theirs, ""), http.StatusNotFound)
	require.Empty(t, ask("?documentTypeId="+theirs).Items)
	require.NotEmpty(t, ask("/by-file-type/"+typed+"?documentTypeId="+strings.ToUpper(typed)).Items)
	get[api.Error](t, b.call(t, b.alice, "GET /api/sentences/by-file-type/"+typed+"?documentTypeId="+theirs, ""), http.StatusUnprocessableEntity)
}

func TestNeighbors(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, ids := b.contract(t, b.alice, said{text: "One."}, said{text: "Two."}, said{text: "Three."}, said{text: "Four."}, said{text: "Five."})
	ask := func(query string) api.Neighbors {
		return get[api.Neighbors](t, b.call(t, b.alice, "GET /api/sentences/"+query, ""), http.StatusOK)
	}
	out := ask(ids[2] + "/neighbors?window=1")
	require.Equal(t, "Three.", out.Sentence.Text)
	require.Equal(t, []string{"Two."}, textsOf(out.Before))
	require.Equal(t, []string{"Four."}, textsOf(out.After))
	out = ask(ids[0] + "/neighbors")
	require.Empty(t, out.Before)
	require.Equal(t, []string{"Two.", "Three.", "Four."}, textsOf(out.After))
	get[api.Error](t, b.call(t, b.mallory, "GET /api/sentences/"+ids[0]+"/neighbors", ""), http.StatusNotFound)
}

func TestTags(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f, _ := b.contract(t, b.alice, said{"A.", "step_in", 0.9, "predicted"}, said{"B.", "step_in", 0.9, "validated"})
	_, ids := b.contract(t, b.alice, said{"C.", "", 0.1, "predicted"})
	b.contract(t, b.mallory, said{"D.", "step_in", 0.9, "predicted"})
	typed := b.ofType(t, b.alice, f.ID)
	bulk := `{"sentenceIds":["` + ids[0] + `"],"newNode":{"name":"Step In","family":"Control"}}`
	require.Equal(t, 1, get[api.Decided](t, b.call(t, b.alice, "POST /api/sentences/bulk-assign-label", bulk), http.StatusOK).Updated)

	tag := func(who caller, path string) *api.Tag {
		for _, tag := range get[api.Tags](t, b.call(t, who, "GET /api/sentences/available-tags"+path, ""), http.StatusOK).Items {
			if tag.Key == "step_in" {
				return &tag
			}
		}
		return nil
	}
	own := *tag(b.alice, "")
	require.Equal(t, api.Tag{
		Key: "step_in", Name: "Step In", Family: "Control", Own: true, Sentences: 3, Validated: 2, ID: own.ID, CreatedBy: &b.alice.scope.ActorID,
	}, own)
	require.Equal(t, 2, tag(b.alice, "/"+typed).Sentences)
	require.Zero(t, tag(b.alice, "/"+b.ofType(t, b.alice)).Sentences)
	require.Equal(t, api.Tag{Key: "step_in", Name: "step_in", Sentences: 1}, *tag(b.mallory, ""), "in use, though no node of theirs")
	require.Nil(t, tag(b.acme, ""))
	get[api.Decided](t, b.call(t, b.alice, "POST /api/sentences/bulk-assign-label", `{"sentenceIds":[],"newNode":{"name":"Governing law"}}`), http.StatusOK)
	var law []api.Tag
	for _, tag := range get[api.Tags](t, b.call(t, b.alice, "GET /api/sentences/available-tags", ""), http.StatusOK).Items {
		if tag.Key == "governing_law" {
			law = append(law, tag)
		}
	}
	require.Len(t, law, 1, "what the program knows is not added again")
	require.Equal(t, "Law and enforcement", law[0].Family)
	require.False(t, law[0].Own)
	get[api.Error](t, b.call(t, b.mallory, "GET /api/sentences/available-tags/"+typed, ""), http.StatusNotFound)
}

func TestNullReview(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.contract(t, b.alice,
		said{"Sure.", "", 0.01, "predicted"}, said{"All is as it was.", "", 0.3, "predicted"}, said{"A clause.", "term", 0.9, "predicted"},
		said{"Said to be none.", "", 0.4, "validated"}, said{text: "Not yet read."})
	other, _ := b.contract(t, b.alice, said{"ALL IS\nas it was", "", 0.45, "predicted"}, said{"Doubtful.", "", 0.4, "predicted"})
	b.contract(t, b.mallory, said{"All is as it was.", "", 0.49, "predicted"})
	typed := b.ofType(t, b.alice, other.ID)
	ask := func(query string) api.List[api.NullReview] {
		return get[api.List[api.NullReview]](t, b.call(t, b.alice, "GET /api/sentences/null-review"+query, ""), http.StatusOK)
	}
	all := ask("").Items
	require.Len(t, all, 3)
	require.Equal(t, []string{"ALL IS\nas it was", "Doubtful.", "Sure."}, []string{all[0].Text, all[1].Text, all[2].Text})
	require.Equal(t, []int{2, 1, 1}, []int{all[0].GroupSize, all[1].GroupSize, all[2].GroupSize})
	require.Equal(t, 1, ask("?documentTypeId=" + typed).Items[0].GroupSize)
	require.Len(t, ask("?documentTypeId="+typed).Items, 2)
	require.Empty(t, ask("?documentTypeId="+db.NewID()).Items)

	first := ask("?limit=1")
	second := ask("?limit=2&cursor=" + first.NextCursor)
	require.Equal(t, all[:1], first.Items)
	require.Equal(t, all[1:], second.Items)
	require.Empty(t, second.NextCursor)

	group := get[api.List[api.Sentence]](t, b.call(t, b.alice, "GET /api/sentences?groupKey="+all[0].GroupKey, ""), http.StatusOK)
	require.Len(t, group.Items, 2)
	decided := get[api.Decided](t, b.call(t, b.alice, "POST /api/sentences/bulk-assign-label",
		`{"filter":{"groupKey":"`+all[0].GroupKey+`"},"label":null}`), http.StatusOK)
	require.Equal(t, 2, decided.Updated)
	require.Len(t, ask("").Items, 2, "what was decided on is not asked again")
}

func TestValidate(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f, ids := b.contract(t, b.alice, said{"The law of Utah governs.", "governing_law", 0.9, "predicted"}, said{"Void.", "", 0.3, "predicted"}, said{text: "Unread."})
	require.Equal(t, http.StatusOK, b.call(t, b.alice, "POST /api/sentences/bulk-assign-label",
		`{"sentenceIds":[],"newNode":{"name":"Step In"}}`).Code)
	patch := func(id, query, body string) api.Sentence {
		t.Helper()
		return get[api.Sentence](t, b.call(t, b.alice, "PATCH /api/sentences/"+id+"/validate"+query, body), http.StatusOK)
	}
	confirmed := patch(ids[0], "", "")
	require.Equal(t, "governing_law", *confirmed.Label)
	require.InDelta(t, 0.9, *confirmed.Score, 1e-6)
	require.Equal(t, "validated", *confirmed.Source)
	require.Equal(t, b.alice.scope.ActorID, *confirmed.ValidatedBy)
	require.NotNil(t, confirmed.ValidatedAt)

	require.Equal(t, "step_in", *patch(ids[1], "?label=step_in", "").Label)
	corrected := patch(ids[0], "", `{"label":"step_in"}`)
	require.Equal(t, "step_in", *corrected.Label)
	require.Nil(t, corrected.Score, "the model said nothing of it")
	require.Nil(t, corrected.ModelID)
	require.Nil(t, patch(ids[0], "", `{"label":null}`).Label)
	require.Nil(t, patch(ids[1], "?label=null", "").Label)
	require.Equal(t, "step_in", *patch(ids[2], "", `{"label":"step_in"}`).Label, "before any model has")

	audit, err := b.db.AuditEvents(t.Context(), b.alice.scope, ids[0], 10)
	require.NoError(t, err)
	require.Len(t, audit, 3)
	require.Equal(t, "sentence.validated", audit[1].Action)
	require.Contains(t, string(audit[1].Data), `"from": "governing_law"`)
	require.Contains(t, string(audit[1].Data), `"to": "step_in"`)
	require.NotContains(t, string(audit[1].Data), "Utah", "no words of contracts")
	events, err := b.db.Events(t.Context(), b.alice.scope, 0, 100)
	require.NoError(t, err)
	require.Equal(t, "sentences.validated", events[len(events)-1].Kind)
	decided, err := b.db.DecidedSentences(t.Context(), b.alice.scope, f.ID)
	require.NoError(t, err)
	require.Len(t, decided, 3, "what is carried over to a new reading")

	require.Nil(t, patch(ids[1], "?label=null", `{"label":null}`).Label, "twice the same")
	get[api.Error](t, b.call(t, b.alice, "PATCH /api/sentences/"+ids[0]+"/validate?label=step_in", `{"label":null}`), http.StatusUnprocessableEntity)
	get[api.Error](t, b.call(t, b.alice, "PATCH /api/sentences/"+ids[0]+"/validate?label=colour", ""), http.StatusUnprocessableEntity)
	get[api.Error](t, b.call(t, b.mallory, "PATCH /api/sentences/"+ids[0]+"/validate", ""), http.StatusNotFound)
	get[api.Error](t, b.call(t, b.mallory, "PATCH /api/sentences/"+ids[0]+"/validate?label=step_in", ""), http.StatusNotFound)
	require.Len(t, changes(t, b, ids[0]), 3)
}

// changes is what was done to a resource.
func changes(t *testing.T, b *bundle, id string) []db.AuditEvent {
	t.Helper()
	events, err := b.db.AuditEvents(context.Background(), b.alice.scope, id, 100)
	require.NoError(t, err)
	return events
}

func TestBulkDecisions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f, ids := b.contract(t, b.alice, said{"A.", "term", 0.9, "predicted"}, said{"B.", "", 0.3, "predicted"}, said{text: "C."})
	_, theirs := b.contract(t, b.mallory, said{"A.", "term", 0.9, "predicted"})
	quoted := func(ids ...string) string { return `"sentenceIds":["` + strings.Join(ids, `","`) + `"]` }
	post := func(path, body string, status int) string {
		t.Helper()
		w := b.call(t, b.alice, "POST /api/sentences/"+path, body)
		require.Equal(t, status, w.Code, w.Body.String())
		return w.Body.String()
	}

	refused := get[api.Error](t, b.call(t, b.alice, "POST /api/sentences/bulk-validate", "{"+quoted(ids[0], ids[2], theirs[0])+"}"), http.StatusUnprocessableEntity)
	require.ElementsMatch(t, []api.Detail{
		{Location: ids[2], Message: "has no prediction to confirm"}, {Location: theirs[0], Message: "not found"},
	}, refused.Details)
	require.Empty(t, changes(t, b, ids[0]), "all or nothing")
	post("bulk-assign-label", "{"+quoted(ids[0], theirs[0])+`,"newNode":{"name":"Void"}}`, http.StatusUnprocessableEntity)
	post("bulk-assign-label", "{"+quoted(ids[0])+`,"label":"void"}`, http.StatusUnprocessableEntity) // nor was the node kept

	require.Contains(t, post("bulk-validate", "{"+quoted(ids[0], ids[1], ids[0])+"}", http.StatusOK), `"updated":2`)
	require.Len(t, changes(t, b, ids[0]), 1)
	require.Contains(t, post("bulk-assign-label", `{"filter":{"fileId":["`+f.ID+`"]},"newNode":{"name":"Void"}}`, http.StatusOK), `"updated":3`)
	list := get[api.List[api.Sentence]](t, b.call(t, b.alice, "GET /api/sentences?label=void&source=validated", ""), http.StatusOK)
	require.Equal(t, []string{"A.", "B.", "C."}, textsOf(list.Items))
	require.Contains(t, post("bulk-assign-label", "{"+quoted(ids...)+`,"newNode":{"name":"void"}}`, http.StatusOK), `"updated":3`)
	require.Contains(t, post("bulk-validate", `{"filter":{"fileId":["`+db.NewID()+`"]}}`, http.StatusOK), `"updated":0`)

	for _, path := range []string{"bulk-validate", "bulk-assign-label"} {
		for _, wrong := range []string{
			"{}", `{"sentenceIds":["x"],"filter":{}}`, `{"filter":{"colour":"red"}}`, `{"sentenceIds":["x"],"label":null}`,
			`{"sentenceIds":[` + strings.Repeat(`"x",`, 10_000) + `"x"]}`,
		} {
			post(path, wrong, http.StatusUnprocessableEntity)
		}
	}
	for _, wrong := range []string{"", `,"label":null,"newNode":{"name":"a"}`, `,"label":1`, `,"newNode":{"name":"…"}`, `,"newNode":{"name":"Null"}`, `,"newNode":{"name":""}`} {
		post("bulk-assign-label", "{"+quoted(ids...)+wrong+"}", http.StatusUnprocessableEntity)
	}
}

func TestNearest(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f, ids := b.contract(t, b.alice,
		said{"The seller delivers the goods.", "", 0.4, "predicted"},
		said{"A seller delivers goods!", "delivery", 0.9, "predicted"},
		said{"The seller delivers.", "", 0.3, "predicted"},
		said{"The law of Utah governs.", "law", 0.9, "validated"})
	b.contract(t, b.mallory, said{"The seller delivers the goods.", "theft", 0.9, "validated"})
	for _, name := range []string{"Delivery", "Law"} {
		get[api.Decided](t, b.call(t, b.alice, "POST /api/sentences/bulk-assign-label", `{"sentenceIds":[],"newNode":{"name":"`+name+`","family":"F"}}`), http.StatusOK)
	}

	matches := func(query string) api.NearestMatches {
		t.Helper()
		return get[api.NearestMatches](t, b.call(t, b.alice, "GET /api/sentences/"+ids[0]+"/nearest-matches"+query, ""), http.StatusOK)
	}
	out := matches("")
	require.Equal(t, ids[0], out.SentenceID)
	require.Len(t, out.Items, 2)
	require.Equal(t, ids[1], out.Items[0].Sentence.ID)
	require.InDelta(t, 1, out.Items[0].Similarity, 1e-6)
	require.Equal(t, ids[2], matches("?label=null").Items[0].Sentence.ID)
	require.Len(t, matches("?limit=1").Items, 1)
	require.Len(t, matches("?minSimilarity=0.99").Items, 1)
	require.Empty(t, matches("?fileId="+db.NewID()).Items)
	require.Len(t, matches("?fileId="+f.ID).Items, 2)

	nodes := get[api.NearestNodes](t, b.call(t, b.alice, "GET /api/sentences/"+ids[0]+"/nearest-nodes", ""), http.StatusOK)
	require.Equal(t, ids[0], nodes.SentenceID)
	require.Len(t, nodes.Items, 1)
	require.InDelta(t, 1, nodes.Items[0].Similarity, 1e-6)
	nodes.Items[0].Similarity = 0
	require.Equal(t, api.NearNode{Key: "delivery", Name: "Delivery", Family: "F", Support: 1, ExampleSentenceID: ids[1], Example: "A seller delivers goods!"}, nodes.Items[0])

	labelled := func(query string) api.List[api.NearestLabelled] {
		t.Helper()
		return get[api.List[api.NearestLabelled]](t, b.call(t, b.alice, "GET /api/sentences/nearest-non-null"+query, ""), http.StatusOK)
	}
	review := labelled("")
	require.Len(t, review.Items, 2)
	require.Equal(t, ids[0], review.Items[0].Sentence.ID, "the most doubtful first")
	require.Equal(t, ids[1], review.Items[0].Nearest[0].Sentence.ID)
	require.Equal(t, api.Proposal{Label: "delivery", Score: 1, Support: 1}, *review.Items[0].Proposed)
	first := labelled("?limit=1")
	require.Equal(t, review.Items[1:], labelled("?limit=1&cursor="+first.NextCursor).Items)

	one := labelled("?sentenceId=" + ids[2])
	require.Equal(t, ids[2], one.Items[0].Sentence.ID)
	require.Len(t, one.Items, 1)
	asked := labelled("?text=Which+law+governs")
	require.Nil(t, asked.Items[0].Sentence)
	require.Equal(t, ids[3], asked.Items[0].Nearest[0].Sentence.ID)
	require.Nil(t, labelled("?text=zeppelin").Items[0].Proposed)
	require.Empty(t, labelled("?documentTypeId="+b.ofType(t, b.alice)).Items)
	require.Empty(t, labelled("?documentTypeId="+db.NewID()).Items)
	require.Len(t, labelled("?documentTypeId="+b.ofType(t, b.alice, f.ID)).Items, 2)

	for _, query := range []string{"sentenceId=" + ids[0], "sentenceId=" + db.NewID()} {
		get[api.Error](t, b.call(t, b.mallory, "GET /api/sentences/nearest-non-null?"+query, ""), http.StatusNotFound)
	}
	for _, wrong := range []string{"text=a&sentenceId=" + ids[0], "nearest=21", "limit=51", "cursor=x", "text=" + strings.Repeat("x", 4001)} {
		get[api.Error](t, b.call(t, b.alice, "GET /api/sentences/nearest-non-null?"+wrong, ""), http.StatusUnprocessableEntity)
	}
}

package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/db"
)

// TestWithdrawSentence has people decide, and take it back: what the model says
// counts again, whatever was decided in between.
func TestWithdrawSentence(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f, ids := b.contract(t, b.alice, said{"The law of Utah governs.", "governing_law", 0.9, "predicted"}, said{"Void.", "", 0.3, "predicted"}, said{text: "Unread."})
	read := func(id string) api.Sentence {
		t.Helper()
		return get[api.Neighbors](t, b.call(t, b.alice, "GET /api/sentences/"+id+"/neighbors", ""), http.StatusOK).Sentence
	}
	decide := func(id, label string) api.Sentence {
		t.Helper()
		return get[api.Sentence](t, b.call(t, b.alice, "PATCH /api/sentences/"+id+"/validate?label="+label, ""), http.StatusOK)
	}
	withdraw := func(id string) api.Sentence {
		t.Helper()
		return get[api.Sentence](t, b.call(t, b.alice, "DELETE /api/sentences/"+id+"/validate", ""), http.StatusOK)
	}
	before := read(ids[0])
	require.Nil(t, before.Prediction, "it is the sentence itself")
	require.Equal(t, before, withdraw(ids[0]), "nobody has decided")
	require.Empty(t, changes(t, b, ids[0]))

	decided := decide(ids[0], "anti_assignment")
	require.Equal(t, "governing_law", *decided.Prediction.Label)
	require.InDelta(t, 0.9, *decided.Prediction.Score, 1e-6)
	require.Equal(t, before.ModelID, decided.Prediction.ModelID)
	decided = decide(ids[0], "null")
	require.Equal(t, "governing_law", *decided.Prediction.Label, "what was said in between is none of the model's")
	require.Equal(t, before, withdraw(ids[0]))
	require.Equal(t, before, read(ids[0]))
	require.Equal(t, before, withdraw(ids[0]), "twice is once")
	decide(ids[1], "governing_law")
	require.Nil(t, withdraw(ids[1]).Label)
	require.Equal(t, "predicted", *read(ids[1]).Source)
	decide(ids[2], "governing_law")
	require.Nil(t, withdraw(ids[2]).Source, "no model has said anything of it")

	events := changes(t, b, ids[0])
	require.Len(t, events, 3)
	require.Equal(t, "sentence.withdrawn", events[0].Action)
	for _, words := range []string{`"from": null`, `"to": "governing_law"`, `"validatedBy": "` + b.alice.scope.ActorID} {
		require.Contains(t, string(events[0].Data), words)
	}
	outbox, err := b.db.Events(t.Context(), b.alice.scope, 0, 100)
	require.NoError(t, err)
	require.Equal(t, "sentences.withdrawn", outbox[len(outbox)-1].Kind)
	decisions, err := b.db.DecidedSentences(t.Context(), b.alice.scope, f.ID)
	require.NoError(t, err)
	require.Empty(t, decisions, "nothing of it is carried over, or learned from")
	get[api.Error](t, b.call(t, b.mallory, "DELETE /api/sentences/"+ids[0]+"/validate", ""), http.StatusNotFound)
}

func TestBulkWithdraw(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f, ids := b.contract(t, b.alice, said{"A.", "term", 0.9, "predicted"}, said{"B.", "term", 0.8, "predicted"}, said{"C.", "", 0.1, "predicted"})
	_, theirs := b.contract(t, b.mallory, said{"A.", "term", 0.9, "predicted"})
	quoted := func(ids ...string) string { return `{"sentenceIds":["` + strings.Join(ids, `","`) + `"]}` }
	withdraw := func(body string) int {
		t.Helper()
		return get[api.Decided](t, b.call(t, b.alice, "POST /api/sentences/bulk-withdraw", body), http.StatusOK).Updated
	}
	get[api.Decided](t, b.call(t, b.alice, "POST /api/sentences/bulk-assign-label", `{"filter":{"fileId":["`+f.ID+`"]},"label":"governing_law"}`), http.StatusOK)
	refused := get[api.Error](t, b.call(t, b.alice, "POST /api/sentences/bulk-withdraw", quoted(ids[0], theirs[0])), http.StatusUnprocessableEntity)
	require.Equal(t, []api.Detail{{Location: theirs[0], Message: "not found"}}, refused.Details)
	require.Len(t, changes(t, b, ids[0]), 1, "all or nothing")

	require.Equal(t, 1, withdraw(quoted(ids[0], ids[0])))
	require.Zero(t, withdraw(quoted(ids[0])), "twice is once")
	require.Zero(t, withdraw(`{"filter":{"source":"predicted"}}`))
	require.Equal(t, 2, withdraw(`{"filter":{"fileId":["`+f.ID+`"]}}`), "of those that were decided on")
	require.Zero(t, withdraw(`{"filter":{"fileId":["`+db.NewID()+`"]}}`))
	list := get[api.List[api.Sentence]](t, b.call(t, b.alice, "GET /api/sentences?label=term", ""), http.StatusOK)
	require.Equal(t, []string{"A.", "B."}, textsOf(list.Items))
	nodes, err := b.db.LabelCounts(t.Context(), b.alice.scope, "")
	require.NoError(t, err)
	require.Equal(t, []db.LabelCount{{Label: "term", Sentences: 2}}, nodes)

	// One label of a sentence is decided on, and what the model says of the others is open.
	get[api.Sentence](t, b.call(t, b.alice, "PATCH /api/sentences/"+ids[0]+"/validate", `{"add":["governing_law"]}`), http.StatusOK)
	decided := func(path, body string) api.Decided {
		t.Helper()
		return get[api.Decided](t, b.call(t, b.alice, "POST /api/sentences/"+path, body), http.StatusOK)
	}
	require.Zero(t, decided("bulk-assign-label", `{"sentenceIds":["`+ids[0]+`"],"add":["governing_law"]}`).Updated, "it was decided so")
	some := decided("bulk-assign-label", `{"filter":{"label":"term"},"add":["governing_law"],"dryRun":true}`)
	require.Equal(t, 1, some.Updated)
	require.Equal(t, []api.SentenceText{{SentenceID: ids[1], FileID: f.ID, Text: "B."}}, some.First)
	require.Zero(t, withdraw(`{"filter":{"label":"term"}}`), "nobody gave that")
	require.Equal(t, 1, withdraw(`{"filter":{"fileId":["`+f.ID+`"]}}`))
	decisions, err := b.db.DecidedSentences(t.Context(), b.alice.scope, f.ID)
	require.NoError(t, err)
	require.Empty(t, decisions)
	for _, wrong := range []string{"{}", `{"sentenceIds":["x"]}`, `{"sentenceIds":[],"filter":{}}`, `{"filter":{"colour":"red"}}`} {
		get[api.Error](t, b.call(t, b.alice, "POST /api/sentences/bulk-withdraw", wrong), http.StatusUnprocessableEntity)
	}
}

// TestWithdrawUnkept is about what was decided before the model's word was kept.
func TestWithdrawUnkept(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f, ids := b.contract(t, b.alice, said{"A.", "term", 0.9, "validated"})
	b.analyze(t, b.alice, f.ID)
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		_, err := tx.Raw.Exec(t.Context(), `UPDATE analyses SET keeps_overruled = false WHERE file_id = $1`, f.ID)
		return err
	}))
	s := get[api.Sentence](t, b.call(t, b.alice, "DELETE /api/sentences/"+ids[0]+"/validate", ""), http.StatusOK)
	require.Nil(t, s.Label)
	require.Nil(t, s.Source)
	var asked string
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		return tx.Raw.QueryRow(t.Context(), `SELECT args -> 'file_ids' ->> 0 FROM river_job WHERE kind = 'relabel_files' ORDER BY id DESC LIMIT 1`).Scan(&asked)
	}))
	require.Equal(t, f.ID, asked)
}

// TestWithdrawnIsNoVerdict looks at what review says of a model's predictions.
func TestWithdrawnIsNoVerdict(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f, ids := b.contract(t, b.alice, said{"A.", "governing_law", 0.9, "predicted"}, said{"B.", "governing_law", 0.8, "predicted"})
	kind := b.ofType(t, b.alice, f.ID)
	review := func() api.ReviewTotals {
		t.Helper()
		return get[api.TypeReview](t, b.call(t, b.alice, "GET /api/document-types/"+kind+"/validation-analytics", ""), http.StatusOK).Totals
	}
	for _, id := range ids {
		get[api.Sentence](t, b.call(t, b.alice, "PATCH /api/sentences/"+id+"/validate?label=null", ""), http.StatusOK)
	}
	require.Equal(t, 2, review().Rejected)
	get[api.Sentence](t, b.call(t, b.alice, "DELETE /api/sentences/"+ids[0]+"/validate", ""), http.StatusOK)
	require.Equal(t, 1, review().Rejected)
	get[api.Sentence](t, b.call(t, b.alice, "PATCH /api/sentences/"+ids[0]+"/validate", ""), http.StatusOK)
	require.Equal(t, 1, review().Rejected)
	require.Equal(t, 1, review().Confirmed, "what is decided anew counts")
}

// actionsOf are the actions of events that begin with what.
func actionsOf(events []db.AuditEvent, what string) (actions []string) {
	for _, e := range events {
		if strings.HasPrefix(e.Action, what) {
			actions = append(actions, e.Action)
		}
	}
	return actions
}

// guess is what a model of types says of a file: the key of a type, or nothing.
func (b *bundle) guess(t testing.TB, who caller, fileID, key string) {
	t.Helper()
	in := db.System(who.scope.TeamID)
	f, err := b.db.File(t.Context(), in, fileID)
	require.NoError(t, err)
	g := db.TypeGuess{Generation: f.Generation, ModelID: db.NewID(), Abstained: key == "", Scores: []db.TypeScore{{Type: "supply", Probability: 0.25}}}
	if key != "" {
		g.Scores = []db.TypeScore{{Type: key, Probability: 0.75}}
	}
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		return tx.SaveAnalysis(t.Context(), in, fileID, db.Meaning{Analysis: db.Analysis{Generation: f.Generation}, Type: &g})
	}))
}

func TestWithdrawType(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.file(t, b.alice)
	put := func(body string) api.File {
		t.Helper()
		return get[api.File](t, b.call(t, b.alice, "PUT /api/files/"+f.ID, body), http.StatusOK)
	}
	lease, own := b.typeOf(t, b.alice, "license"), b.ofType(t, b.alice)
	b.guess(t, b.alice, f.ID, "license")
	assigned := put(`{"documentTypeId":"` + own + `"}`)
	require.Equal(t, "assigned", *assigned.DocumentTypeSource)
	require.Nil(t, assigned.DocumentTypeScore)
	for range 2 {
		back := put(`{"documentTypeId":""}`)
		require.Equal(t, lease, *back.DocumentTypeID)
		require.Equal(t, "predicted", *back.DocumentTypeSource)
		require.InDelta(t, 0.75, *back.DocumentTypeScore, 1e-6)
	}
	events := changes(t, b, f.ID)
	require.Contains(t, string(events[1].Data), `"documentTypeId": ["`+own+`", "`+lease+`"]`)
	require.Contains(t, string(events[1].Data), `"documentTypeSource": ["assigned", "predicted"]`)
	require.Contains(t, string(events[0].Data), `"fields": []`)

	put(`{"documentTypeId":"` + own + `"}`)
	b.guess(t, b.alice, f.ID, "")
	require.Nil(t, put(`{"documentTypeId":""}`).DocumentTypeID, "the model does not know")
	require.Nil(t, put(`{}`).DocumentTypeSource)
}

func TestWithdrawParties(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.file(t, b.alice)
	b.read(t, b.alice, f.ID, supply)
	put := func(body string) api.File {
		t.Helper()
		return get[api.File](t, b.call(t, b.alice, "PUT /api/files/"+f.ID, body), http.StatusOK)
	}
	read := put(`{}`)
	require.Equal(t, "read", *read.PartiesSource)
	require.Len(t, read.Parties, 2)
	for _, taken := range []string{`{"parties":null}`, `{"counterparties":null}`, `{"parties":null,"counterparties":null}`} {
		given := put(`{"parties":[{"name":"Zeta"}],"counterparties":["Eta"]}`)
		require.Equal(t, "given", *given.PartiesSource)
		back := put(taken)
		require.Equal(t, read.Parties, back.Parties, taken)
		require.Equal(t, read.Counterparties, back.Counterparties)
		require.Equal(t, "read", *back.PartiesSource)
	}
	require.Equal(t, read.Parties, put(`{"parties":null}`).Parties)
	require.Empty(t, put(`{"parties":[]}`).Parties, "that there are none is said as well")
	get[api.Error](t, b.call(t, b.alice, "PUT /api/files/"+f.ID, `{"parties":null,"counterparties":["Eta"]}`), http.StatusUnprocessableEntity)

	unread := b.file(t, b.alice)
	get[api.File](t, b.call(t, b.alice, "PUT /api/files/"+unread.ID, `{"parties":[{"name":"Zeta"}]}`), http.StatusOK)
	none := get[api.File](t, b.call(t, b.alice, "PUT /api/files/"+unread.ID, `{"parties":null}`), http.StatusOK)
	require.Empty(t, none.Parties)
	require.Nil(t, none.PartiesSource)
}

func TestWithdrawLifecycleStage(t *testing.T) {
	t.Parallel()
	b := setup(t)
	member := b.colleague(t, b.acme, "Mia")
	f := b.file(t, b.acme)
	path := "/api/files/" + f.ID + "/lifecycle-stage"
	move := func(who caller, stage string) {
		t.Helper()
		require.Equal(t, http.StatusOK, b.call(t, who, "PUT "+path+"?stage="+stage, "").Code)
	}
	withdraw := func(who caller, status int) string {
		t.Helper()
		w := b.call(t, who, "DELETE "+path, "")
		require.Equal(t, status, w.Code, w.Body.String())
		return w.Body.String()
	}
	withdraw(member, http.StatusConflict)
	move(member, "signature")
	require.Contains(t, withdraw(member, http.StatusOK), `"lifecycleStage":"draft","previous":"signature"`)
	withdraw(member, http.StatusConflict)

	move(member, "review")
	move(member, "archived")
	withdraw(member, http.StatusForbidden)
	require.Equal(t, "archived", string(get[api.File](t, b.call(t, b.acme, "GET /api/files/"+f.ID, ""), http.StatusOK).LifecycleStage))
	for _, stage := range []string{"expired", "review"} {
		require.Equal(t, http.StatusForbidden, b.call(t, member, "PUT "+path+"?stage="+stage, "").Code)
		move(b.acme, stage)
		move(b.acme, "archived")
	}
	require.Contains(t, withdraw(b.acme, http.StatusOK), `"lifecycleStage":"review"`)
	events, err := b.db.AuditEvents(t.Context(), b.acme.scope, f.ID, 1)
	require.NoError(t, err)
	require.Equal(t, "file.lifecycle_withdrawn", events[0].Action)
	require.JSONEq(t, `{"from":"archived","to":"review"}`, string(events[0].Data))
	withdraw(b.mallory, http.StatusNotFound)
}

package api

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/jobs"
)

// sentencesReview lets people decide what sentences are. What they decide stands
// whatever a model says later, and goes with the words when a file is read again.
func (a *API) sentencesReview() {
	const which = "Names the sentences by `sentenceIds` or by `filter`, at most 10,000. All in one transaction: " +
		"where one cannot be done none is, and `details` say which and why. "
	session := a.area("Sentences", withSession)
	get(session, "/api/sentences/null-review", "Null review sentences", a.listNullReview, describe(
		"Sentences that were predicted to be no clause, those that came closest to being one first. Sentences of the same words, whatever their case and "+
			"punctuation, are one group: it is listed once, and `groupKey` as a filter selects all of it."))
	post(session, "/api/sentences/bulk-assign-label", "Bulk assign a label", a.bulkAssign, body(maxBulkBody), describe(which+
		"`label` is the key of an available tag, or null for no clause. With `newNode` in its place the tag is added to the team's first."))
	post(session, "/api/sentences/bulk-validate", "Bulk validate", a.bulkValidate, body(maxBulkBody), describe(which+
		"Confirms what was predicted for each."))
	patch(session, "/api/sentences/{sentenceid}/validate", "Validate the classification", a.validateSentence, eitherWay[Validation](a), describe(
		"Without a label the prediction is confirmed. `label` is the key of an available tag, or null for no clause; "+
			"it may be a query parameter (`label=null`) or in the body."))
	const back = "It is again what the model says of it, as `prediction` tells before, and what models learn from no longer has it. "
	del(session, "/api/sentences/{sentenceid}/validate", "Withdraw the decision", a.withdrawSentence, describe(back+
		"Where nobody decided nothing changes. Where the model's word is not known, as of what was decided before release 0.2.0, the sentence is unclassified until its file has been analysed once more, which is asked for."))
	post(session, "/api/sentences/bulk-withdraw", "Bulk withdraw decisions", a.bulkWithdraw, body(maxBulkBody), describe(which+
		"Takes back what people decided about each. "+back+"Those on which nobody decided stay as they are."))
}

// NullReview is a group of sentences of the same words that may be a clause.
type NullReview struct {
	Sentence
	Suggested *string `json:"suggested" doc:"The label that came closest; score is its likelihood"`
	GroupKey  string  `json:"groupKey"`
	GroupSize int     `json:"groupSize" doc:"Sentences of the team, or of the document type, with these words"`
}

func newNullReview(r db.ReviewSentence) NullReview {
	return NullReview{newSentence(r.FiledSentence), r.Suggested, r.Wording, r.Copies}
}

// reviewOrder is the order of the null review, for its cursors.
const reviewOrder db.SentenceOrder = "review"

func (a *API) listNullReview(ctx context.Context, in *struct {
	Page
	FileTypeID string `query:"fileTypeId" maxLength:"36" doc:"Of files of this document type"`
}) (List[NullReview], error) {
	after, err := in.sentencePlace(reviewOrder)
	if err != nil {
		return List[NullReview]{}, err
	}
	if in.FileTypeID != "" && !isID(in.FileTypeID) {
		return List[NullReview]{Items: []NullReview{}}, nil
	}
	rows, err := a.DB.ReviewSentences(ctx, auth.Scope(ctx), in.FileTypeID, after, in.Limit+1)
	if err != nil {
		return List[NullReview]{}, err
	}
	retired, err := a.DB.RetiredNodes(ctx, auth.Scope(ctx))
	if err != nil {
		return List[NullReview]{}, err
	}
	for i, r := range rows {
		if becomes, gone := retired[text(r.Suggested)]; gone {
			rows[i].Suggested = orNull(becomes)
		}
	}
	rows, more := cut(rows, in.Limit)
	groups := newList(rows, newNullReview)
	if more {
		groups.NextCursor = sentenceCursor(reviewOrder, rows[len(rows)-1].FiledSentence)
	}
	return groups, nil
}

// SentenceSelection names the sentences of a bulk request.
type SentenceSelection struct {
	SentenceIDs []string        `json:"sentenceIds,omitempty" maxItems:"10000" nullable:"false"`
	Filter      *SentenceFilter `json:"filter,omitempty" doc:"As in the list of sentences"`
}

// Decided is the answer to a bulk decision.
type Decided struct {
	Message string `json:"message"`
	Updated int    `json:"updated" doc:"How many sentences it is about"`
}

func newDecided(n int) Decided { return Decided{fmt.Sprintf("decided on %d sentences", n), n} }

// chooseSentences is the ids that s names, each once. Whether they exist is seen
// when they are changed.
func (a *API) chooseSentences(ctx context.Context, s SentenceSelection) ([]string, error) {
	if (s.SentenceIDs == nil) == (s.Filter == nil) {
		return nil, invalid("body", "must have either sentenceIds or filter")
	}
	if s.Filter == nil {
		for i, id := range s.SentenceIDs {
			if !isID(id) {
				return nil, invalid(fmt.Sprintf("body.sentenceIds[%d]", i), "not found")
			}
		}
		return slices.Compact(slices.Sorted(slices.Values(s.SentenceIDs))), nil
	}
	filter, satisfiable, err := s.Filter.filter()
	if err != nil || !satisfiable {
		return []string{}, err
	}
	ids, err := a.DB.SentenceIDs(ctx, auth.Scope(ctx), filter, maxBulk+1)
	if len(ids) > maxBulk {
		return nil, invalid("body.filter", "matches more than 10,000 sentences; narrow it")
	}
	return ids, err
}

type bulkAssignRequest struct {
	Body struct {
		SentenceSelection
		Label   OptionalLabel `json:"label,omitempty"`
		NewNode *NewNode      `json:"newNode,omitempty"`
	}
}

func (a *API) bulkAssign(ctx context.Context, in *bulkAssignRequest) (Decided, error) {
	if in.Body.Label.given == (in.Body.NewNode != nil) {
		return Decided{}, invalid("body", "must have either label or newNode")
	}
	ids, err := a.chooseSentences(ctx, in.Body.SentenceSelection)
	if err != nil {
		return Decided{}, err
	}
	err = a.DB.InTx(ctx, func(tx *db.Tx) error {
		decision := db.Decision{Label: in.Body.Label.key}
		if in.Body.NewNode != nil {
			if decision.Label, err = addNode(ctx, tx, *in.Body.NewNode); err != nil {
				return err
			}
		}
		return decide(ctx, tx, ids, decision)
	})
	return newDecided(len(ids)), err
}

// addNode adds a clause to the team's taxonomy, unless there is one of that name,
// and returns its key.
func addNode(ctx context.Context, tx *db.Tx, n NewNode) (*string, error) {
	name, err := tagName("body.newNode.name", n.Name)
	if err != nil {
		return nil, err
	}
	tags, err := taxonomy(ctx, tx.Queries, auth.Scope(ctx))
	if err != nil {
		return nil, err
	}
	if there := tagNamed(tags, name); there != nil {
		return &there.Key, nil
	}
	row, err := addTag(ctx, tx, tags, db.Node{Name: name, Family: cleanTitle(n.Family)})
	return &row.Key, err
}

func (a *API) bulkValidate(ctx context.Context, in *struct{ Body SentenceSelection }) (Decided, error) {
	ids, err := a.chooseSentences(ctx, in.Body)
	if err != nil {
		return Decided{}, err
	}
	err = a.DB.InTx(ctx, func(tx *db.Tx) error { return decide(ctx, tx, ids, db.Decision{Confirm: true}) })
	return newDecided(len(ids)), err
}

func (a *API) bulkWithdraw(ctx context.Context, in *struct{ Body SentenceSelection }) (Decided, error) {
	if in.Body.Filter != nil {
		in.Body.Filter.Source = cmp.Or(in.Body.Filter.Source, "validated")
	}
	ids, err := a.chooseSentences(ctx, in.Body)
	if err != nil {
		return Decided{}, err
	}
	n := 0
	err = a.DB.InTx(ctx, func(tx *db.Tx) error {
		n, err = a.withdraw(ctx, tx, ids)
		return err
	})
	return Decided{fmt.Sprintf("withdrew the decisions on %d sentences", n), n}, err
}

func (a *API) withdrawSentence(ctx context.Context, in *SentenceRef) (Sentence, error) {
	return inTx(ctx, a, newSentence, func(tx *db.Tx, scope db.Scope) (db.FiledSentence, error) {
		if _, err := tx.FiledSentence(ctx, scope, in.SentenceID); err != nil {
			return db.FiledSentence{}, err
		}
		if _, err := a.withdraw(ctx, tx, []string{in.SentenceID}); err != nil {
			return db.FiledSentence{}, err
		}
		return tx.FiledSentence(ctx, scope, in.SentenceID)
	})
}

// withdraw takes back the decisions about all of ids, or refuses to with what is
// wrong. It counts them.
func (a *API) withdraw(ctx context.Context, tx *db.Tx, ids []string) (int, error) {
	scope := auth.Scope(ctx)
	done, wrong, err := tx.WithdrawSentences(ctx, scope, ids)
	if err == nil {
		err = refusal("withdrawn", len(ids), wrong)
	}
	if err == nil {
		err = a.analyzeAgain(ctx, tx, done.Unread)
	}
	return done.Sentences, err
}

// analyzeAgain has files read anew of which it was not kept what the service said
// before people overruled it.
func (a *API) analyzeAgain(ctx context.Context, tx *db.Tx, fileIDs []string) error {
	if len(fileIDs) == 0 {
		return nil
	}
	scope := auth.Scope(ctx)
	op, err := tx.CreateOperation(ctx, scope, "relabel", len(fileIDs), nil)
	if err != nil {
		return err
	}
	return jobs.Insert(ctx, a.Jobs, tx.Raw, jobs.RelabelFiles{OperationID: op.ID, TeamID: scope.TeamID, FileIDs: fileIDs})
}

// Validation is what somebody says of a sentence.
type Validation struct {
	Label OptionalLabel `json:"label,omitempty"`
}

func (a *API) validateSentence(ctx context.Context, in *struct {
	SentenceRef
	Body *Validation
}) (Sentence, error) {
	scope := auth.Scope(ctx)
	decision := db.Decision{Confirm: true}
	if label := orNothing(in.Body).Label; label.given {
		decision = db.Decision{Label: label.key}
	}
	var row db.FiledSentence
	err := a.DB.InTx(ctx, func(tx *db.Tx) (err error) {
		if _, err = tx.FiledSentence(ctx, scope, in.SentenceID); err != nil {
			return err
		}
		if err := decide(ctx, tx, []string{in.SentenceID}, decision); err != nil {
			return err
		}
		row, err = tx.FiledSentence(ctx, scope, in.SentenceID)
		return err
	})
	return newSentence(row), err
}

// decide records a decision about all of ids, or refuses it with what is wrong.
func decide(ctx context.Context, tx *db.Tx, ids []string, d db.Decision) error {
	scope := auth.Scope(ctx)
	if d.Label != nil {
		tags, err := taxonomy(ctx, tx.Queries, scope)
		if err != nil {
			return err
		}
		if !hasTag(tags, *d.Label) {
			return invalid("label", "is none of the available tags")
		}
	}
	wrong, err := tx.DecideSentences(ctx, scope, ids, d)
	if err != nil {
		return err
	}
	return refusal("decided on", len(ids), wrong)
}

// refusal says which of so many sentences something cannot be done with, nil
// where it can with all.
func refusal(done string, of int, wrong []db.SentenceError) error {
	if len(wrong) == 0 {
		return nil
	}
	details := make([]Detail, len(wrong))
	for i, w := range wrong {
		details[i] = Detail{w.ID, w.Error}
	}
	message := fmt.Sprintf("nothing was changed: %d of %d sentences cannot be %s: %s %s", len(wrong), of, done, wrong[0].ID, wrong[0].Error)
	return newError(http.StatusUnprocessableEntity, message, details...)
}

// OptionalLabel is a label, null for no clause, or absent.
type OptionalLabel struct {
	given bool
	key   *string
}

// UnmarshalJSON tells null from absence.
func (l *OptionalLabel) UnmarshalJSON(b []byte) error {
	l.given = true
	if bytes.Equal(b, []byte("null")) {
		l.key = nil
		return nil
	}
	return json.Unmarshal(b, &l.key)
}

// MarshalJSON is the inverse; what is absent is left out by omitempty.
func (l OptionalLabel) MarshalJSON() ([]byte, error) { return json.Marshal(l.key) }

// Schema is a key or null.
func (OptionalLabel) Schema(huma.Registry) *huma.Schema {
	s := &huma.Schema{Type: huma.TypeString, Nullable: true, Description: "The key of an available tag; null for no clause"}
	s.PrecomputeMessages()
	return s
}

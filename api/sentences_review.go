package api

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/jobs"
)

// sentencesReview serves users' decisions on labels. A decision has precedence over any
// later prediction, and is carried over by its words when a file is reprocessed.
func (a *API) sentencesReview() {
	const which = " The sentences are selected by `sentenceIds`, by a `filter` with at least one condition, or by `all: true`; at most 10,000. All are changed in one transaction: " +
		"if one fails, none is changed, and `details` has the ones that failed and why. " +
		"With `dryRun` nothing changes: the answer has the number of affected sentences and the first of them. With `expect`, another number of affected sentences is 409."
	const beside = "`add` and `remove` decide on single labels: one that was predicted is confirmed, one that is removed is never predicted for the sentence again, and its other labels stay as they are."
	many := func(op *huma.Operation) {
		body(maxBulkBody)(op)
		lists("fileId", "label")(op)
	}
	session := a.area("Sentences", withSession)
	get(session, "/api/sentences/null-review", "listNullReviewSentences", "List unlabelled sentences, the most doubtful first", a.listNullReview, describe(
		"Lists sentences that were predicted to be no clause, those closest to being one first. Sentences with the same words, ignoring case and "+
			"punctuation, form one group, which is listed once. `groupKey` as a filter selects all sentences of a group."))
	post(session, "/api/sentences/bulk-assign-label", "bulkAssignLabel", "Assign a label to many sentences", a.bulkAssign, many, describe(
		"Decides on the labels of the selected sentences. `label` is the only label that they have, or null for no clause; `labels` are all of them. `newNode` instead first adds a tag to the team's taxonomy. "+beside+which))
	post(session, "/api/sentences/bulk-validate", "bulkValidateSentences", "Validate many sentences", a.bulkValidate, many, describe(
		"Confirms the predicted labels of each of the selected sentences: those of `labels`, or else those that `filter` names, or else all."+which))
	patch(session, "/api/sentences/{sentenceid}/validate", "validateSentence", "Confirm or correct the label of a sentence", a.validateSentence, eitherWay[Validation](a), describe(
		"Decides on the labels of a sentence, or confirms all predicted ones if the request says nothing. `label` is its only label, or null for no clause; "+
			"it is a query parameter (`label=null`) or in the body. `labels` are all of its labels. "+beside))
	const back = "The prediction of the model, which `prediction` shows before, applies again. Models no longer learn from the withdrawn label. "
	del(session, "/api/sentences/{sentenceid}/validate", "withdrawSentenceDecision", "Withdraw the decision on a sentence", a.withdrawSentence, describe(
		"Withdraws the label that users set on a sentence. "+back+
			"A sentence without a label set by users is left unchanged. Predictions are not stored for labels set before release 0.2.0: the sentence is then unclassified until its file has been analysed again, which is queued."))
	post(session, "/api/sentences/bulk-withdraw", "bulkWithdrawDecisions", "Withdraw decisions on many sentences", a.bulkWithdraw, many, describe(
		"Withdraws the labels that users set on the selected sentences. "+back+"Sentences without a label set by users are left unchanged."+which))
}

// NullReview is a group of sentences with the same words that may be a clause.
type NullReview struct {
	Sentence
	Suggested *string `json:"suggested" doc:"The closest label; score is its probability"`
	GroupKey  string  `json:"groupKey"`
	GroupSize int     `json:"groupSize" doc:"Number of sentences in the group, in the team or in the document type"`
}

func newNullReview(r db.ReviewSentence) NullReview {
	return NullReview{newSentence(r.FiledSentence), r.Suggested, r.Wording, r.Copies}
}

// reviewOrder is the order of the null review, for its cursors.
const reviewOrder db.SentenceOrder = "review"

func (a *API) listNullReview(ctx context.Context, in *struct {
	Page
	DocumentTypeID string `query:"documentTypeId" format:"uuid" doc:"Sentences of files of this document type"`
}) (List[NullReview], error) {
	after, err := in.sentencePlace(reviewOrder)
	if err != nil {
		return List[NullReview]{}, err
	}
	rows, err := a.DB.ReviewSentences(ctx, auth.Scope(ctx), in.DocumentTypeID, after, in.Limit+1)
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
		groups.NextCursor = sentenceCursor(reviewOrder, last(rows).FiledSentence)
	}
	return groups, nil
}

// SentenceSelection names the sentences of a bulk request, in one of three ways.
type SentenceSelection struct {
	SentenceIDs []string        `json:"sentenceIds,omitempty" maxItems:"10000" nullable:"false"`
	Filter      *SentenceFilter `json:"filter,omitempty" doc:"The filters of the list of sentences, at least one of them; fileId and label are one value or a list"`
	All         bool            `json:"all,omitempty" doc:"Every sentence of the team"`
	Intent

	decided bool // a filter and all select only what people decided on
}

// Decided is the answer to a bulk decision, or to its dry run.
type Decided struct {
	Message string         `json:"message"`
	DryRun  bool           `json:"dryRun,omitempty" doc:"true for a dry run, which changes nothing"`
	Updated int            `json:"updated" doc:"Number of sentences that were changed; for a dry run, the number that would be changed. What is decided so already does not count"`
	First   []SentenceText `json:"first,omitempty" doc:"At most ten of the affected sentences; only for a dry run"`
}

// SentenceText is a sentence by its words.
type SentenceText struct {
	SentenceID string `json:"sentenceId"`
	FileID     string `json:"fileId"`
	Text       string `json:"text"`
}

// decideMany runs a decision on many sentences in the transaction that selects them. do
// returns those that it affected, and done is the verb for the message. A dry run does
// everything and rolls it back.
func (a *API) decideMany(ctx context.Context, s SentenceSelection, done string, do func(tx *db.Tx, ids []string) ([]string, error)) (out Decided, err error) {
	rehearsed := errors.New("dry run")
	err = a.DB.InTx(ctx, func(tx *db.Tx) error {
		ids, err := chooseSentences(ctx, tx.Queries, s)
		if err != nil {
			return err
		}
		affected, err := do(tx, ids)
		if err != nil {
			return err
		}
		n := len(affected)
		if err := s.check(n, "sentences"); err != nil {
			return err
		}
		if !s.DryRun {
			out = Decided{Message: fmt.Sprintf("%s %d sentences", done, n), Updated: n}
			return nil
		}
		out = Decided{Message: fmt.Sprintf("nothing was changed: %d sentences would be affected", n), DryRun: true, Updated: n}
		some, _ := cut(affected, maxFirst)
		for _, id := range some {
			row, err := tx.FiledSentence(ctx, auth.Scope(ctx), id)
			if err != nil {
				return err
			}
			out.First = append(out.First, SentenceText{row.ID, row.FileID, row.Text})
		}
		return rehearsed
	})
	if errors.Is(err, rehearsed) {
		err = nil
	}
	return out, err
}

// chooseSentences is the ids that s selects, without duplicates. Whether the ids of a
// list exist is checked when they are changed.
func chooseSentences(ctx context.Context, q db.Queries, s SentenceSelection) ([]string, error) {
	if err := checkSelection("sentenceIds", s.SentenceIDs != nil, s.Filter, s.All); err != nil {
		return nil, err
	}
	if s.SentenceIDs != nil {
		for i, id := range s.SentenceIDs {
			if !isID(id) {
				return nil, invalid(fmt.Sprintf("body.sentenceIds[%d]", i), "not found")
			}
		}
		return slices.Compact(slices.Sorted(slices.Values(s.SentenceIDs))), nil
	}
	var filter db.SentenceFilter
	if s.Filter != nil {
		var err error
		if filter, err = s.Filter.filter(ctx, q); err != nil {
			return nil, err
		}
	}
	switch {
	case s.decided && len(filter.Labels) > 0: // of a label that is asked for
		filter.Source = cmp.Or(filter.Source, "validated")
	case s.decided:
		filter.Decided = true
	}
	ids, err := q.SentenceIDs(ctx, auth.Scope(ctx), filter, maxBulk+1)
	if len(ids) > maxBulk {
		return nil, tooMany("sentences")
	}
	return ids, err
}

type bulkAssignRequest struct {
	Body struct {
		SentenceSelection
		LabelDecision
		NewNode *NewNode `json:"newNode,omitempty"`
	}
}

// LabelDecision is what a user decides about labels.
type LabelDecision struct {
	Label  OptionalLabel `json:"label,omitempty"`
	Labels []string      `json:"labels,omitempty" maxItems:"20" nullable:"false" doc:"All labels, as keys of available tags; an empty list for no clause"`
	Add    []string      `json:"add,omitempty" maxItems:"20" nullable:"false" doc:"Labels to set or confirm, beside others"`
	Remove []string      `json:"remove,omitempty" maxItems:"20" nullable:"false" doc:"Labels to remove; a sentence that does not have them stays as it is"`
}

// decision is d for the database, and whether d says anything.
func (d LabelDecision) decision() (decision db.Decision, given bool, err error) {
	single := d.Add != nil || d.Remove != nil
	if d.Label.given && d.Labels != nil || single && (d.Label.given || d.Labels != nil) {
		return decision, true, invalid("body", "must have only one of label, labels, and add with remove")
	}
	for _, node := range d.Add {
		if slices.Contains(d.Remove, node) {
			return decision, true, invalid("body.remove", "has a label that is in add as well")
		}
	}
	switch {
	case single:
		return db.Decision{Add: unique(d.Add), Remove: d.Remove}, true, nil
	case d.Labels != nil:
		return db.Decision{Set: true, Labels: unique(d.Labels)}, true, nil
	case d.Label.key != nil:
		return db.Decision{Set: true, Labels: []string{*d.Label.key}}, true, nil
	}
	return db.Decision{Set: true}, d.Label.given, nil
}

// unique is list without what was in it before.
func unique(list []string) []string {
	var once []string
	for _, v := range list {
		if !slices.Contains(once, v) {
			once = append(once, v)
		}
	}
	return once
}

func (a *API) bulkAssign(ctx context.Context, in *bulkAssignRequest) (Decided, error) {
	decision, given, err := in.Body.decision()
	if err != nil {
		return Decided{}, err
	}
	if given == (in.Body.NewNode != nil) {
		return Decided{}, invalid("body", "must have either newNode or one of label, labels, add and remove")
	}
	return a.decideMany(ctx, in.Body.SentenceSelection, "decided on", func(tx *db.Tx, ids []string) ([]string, error) {
		if in.Body.NewNode != nil {
			key, err := addNode(ctx, tx, *in.Body.NewNode)
			if err != nil {
				return nil, err
			}
			decision.Labels = []string{*key}
		}
		return decide(ctx, tx, ids, decision)
	})
}

// addNode adds a node to the team's taxonomy, unless one has that name, and returns its
// key.
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

func (a *API) bulkValidate(ctx context.Context, in *struct {
	Body struct {
		SentenceSelection
		Labels []string `json:"labels,omitempty" minItems:"1" maxItems:"100" nullable:"false" doc:"Confirm these labels only"`
	}
}) (Decided, error) {
	decision := db.Decision{Confirm: true, Only: in.Body.Labels}
	if f := in.Body.Filter; f != nil {
		decision.Least, decision.Most = f.MinScore, f.MaxScore
		if decision.Only == nil && len(f.Label) > 0 {
			decision.Only = slices.DeleteFunc(slices.Clone(f.Label), func(label string) bool { return label == noClause })
			decision.None = len(decision.Only) < len(f.Label)
		}
	}
	return a.decideMany(ctx, in.Body.SentenceSelection, "decided on", func(tx *db.Tx, ids []string) ([]string, error) {
		return decide(ctx, tx, ids, decision)
	})
}

func (a *API) bulkWithdraw(ctx context.Context, in *struct{ Body SentenceSelection }) (Decided, error) {
	in.Body.decided = true
	return a.decideMany(ctx, in.Body, "withdrew the decisions on", func(tx *db.Tx, ids []string) ([]string, error) {
		return a.withdraw(ctx, tx, ids)
	})
}

func (a *API) withdrawSentence(ctx context.Context, in *SentenceRef) (Sentence, error) {
	return inTx(ctx, a, newSentence, func(tx *db.Tx, scope db.Scope) (db.FiledSentence, error) {
		if _, err := tx.FiledSentence(ctx, scope, in.SentenceID); err != nil {
			return db.FiledSentence{}, err
		}
		if _, err := a.withdraw(ctx, tx, []string{in.SentenceID}); err != nil {
			return db.FiledSentence{}, err
		}
		return withClauses(ctx, tx, scope, in.SentenceID)
	})
}

// withdraw withdraws the decisions on all of ids, or refuses with the reasons. It
// returns those that people had decided on.
func (a *API) withdraw(ctx context.Context, tx *db.Tx, ids []string) ([]string, error) {
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

// analyzeAgain queues another analysis of files for which the results that users
// replaced were not stored.
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

// Validation is what a user decides about the labels of a sentence, or confirms.
type Validation struct {
	LabelDecision
	Clause bool `json:"clause,omitempty" doc:"Decide on all sentences of the clauses that the sentence is in with these labels, or with any of its labels"`
}

func (a *API) validateSentence(ctx context.Context, in *struct {
	SentenceRef
	Body *Validation
}) (Sentence, error) {
	scope := auth.Scope(ctx)
	decision, given, err := orNothing(in.Body).decision()
	if err != nil {
		return Sentence{}, err
	}
	if !given {
		decision = db.Decision{Confirm: true}
	}
	var row db.FiledSentence
	err = a.DB.InTx(ctx, func(tx *db.Tx) (err error) {
		if row, err = tx.FiledSentence(ctx, scope, in.SentenceID); err != nil {
			return err
		}
		ids := []string{row.ID}
		if orNothing(in.Body).Clause {
			if ids, err = clauseOf(ctx, tx, row, &decision); err != nil {
				return err
			}
		}
		if _, err := decide(ctx, tx, ids, decision); err != nil {
			return err
		}
		row, err = withClauses(ctx, tx, scope, in.SentenceID)
		return err
	})
	return newSentence(row), err
}

// withClauses is a sentence with its clauses.
func withClauses(ctx context.Context, tx *db.Tx, scope db.Scope, id string) (db.FiledSentence, error) {
	row, err := tx.FiledSentence(ctx, scope, id)
	if err != nil {
		return row, err
	}
	rows := []db.FiledSentence{row}
	err = tx.AddClauses(ctx, scope, rows)
	return rows[0], err
}

// clauseOf is the sentences that a decision on the clauses of a sentence is about. To
// confirm is to confirm the labels of that sentence.
func clauseOf(ctx context.Context, tx *db.Tx, row db.FiledSentence, d *db.Decision) ([]string, error) {
	nodes := slices.Concat(d.Add, d.Remove)
	if len(nodes) == 0 {
		nodes = newList(row.Labels(), labelNode).Items
	}
	if d.Confirm && len(nodes) > 0 {
		d.Only = nodes
	}
	return tx.ClauseSentences(ctx, auth.Scope(ctx), row, nodes)
}

// decide records a decision on all of ids, or refuses it with the reasons. It returns those
// that it changes.
func decide(ctx context.Context, tx *db.Tx, ids []string, d db.Decision) ([]string, error) {
	scope := auth.Scope(ctx)
	if set := slices.Concat(d.Labels, d.Add); len(set) > 0 {
		tags, err := taxonomy(ctx, tx.Queries, scope)
		if err != nil {
			return nil, err
		}
		for _, label := range set {
			if !hasTag(tags, label) {
				return nil, invalid("label", "is not the key of an available tag")
			}
		}
	}
	decided, wrong, err := tx.DecideSentences(ctx, scope, ids, d)
	if err != nil {
		return nil, err
	}
	return decided, refusal("decided on", len(ids), wrong)
}

// refusal lists the sentences for which something failed, and is nil if there are none.
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
	s := &huma.Schema{Type: huma.TypeString, Nullable: true, Description: "Key of an available tag; null for no clause"}
	s.PrecomputeMessages()
	return s
}

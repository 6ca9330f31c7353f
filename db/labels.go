package db

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// Sources of a label.
const (
	sourcePredicted = "predicted" // by a model
	sourceValidated = "validated" // set or confirmed by a person
	sourceRefused   = "refused"   // by a person: the sentence does not have it
)

// Label is a label of a sentence. Refused labels are stored beside those that a sentence
// has, so that no later prediction brings them back.
type Label struct {
	Node        string     `json:"node"`
	Score       *float32   `json:"score,omitempty"` // probability by the model; nil where it does not predict the label
	Source      string     `json:"source"`
	ValidatedBy *string    `json:"validatedBy,omitempty"`
	ValidatedAt *time.Time `json:"validatedAt,omitempty"`
}

func (l Label) decided() bool { return l.Source != sourcePredicted }

// Labelling is the labels of a sentence and what they come from.
//
// The labels are in Stored where there are several, or some were refused. One alone is in
// the other columns, as all were in release 0.1.0. The columns always have the first label.
type Labelling struct {
	Label       *string    `db:"label" json:"label"`         // the first; nil for no clause
	Suggested   *string    `db:"suggested" json:"suggested"` // where there is no label: the one that came closest
	Score       *float32   `db:"score" json:"score"`         // of the first label, or of Suggested
	Close       *float32   `db:"close" json:"close"`         // sum of the scores of other nodes that came close; nil where none did
	Source      *string    `db:"source" json:"source"`       // validated where people decided on every label; nil while not classified
	ModelID     *string    `db:"model_id" json:"model_id"`   // of the scores
	ValidatedBy *string    `db:"validated_by" json:"validated_by"`
	ValidatedAt *time.Time `db:"validated_at" json:"validated_at"` // the latest decision
	Prediction  *Predicted `db:"prediction" json:"prediction"`     // where people have decided: the model's prediction
	Stored      []Label    `db:"labels" json:"labels"`
}

const labellingColumns = `label, suggested, score, close, source, model_id, validated_by, validated_at, prediction, labels`

// values are the columns of l.
func (l Labelling) values() []any {
	var stored any
	if l.Stored != nil {
		stored = l.Stored
	}
	return []any{l.Label, l.Suggested, l.Score, l.Close, l.Source, l.ModelID, l.ValidatedBy, l.ValidatedAt, l.Prediction, stored}
}

// ScoredLabel is a label that a model predicts.
type ScoredLabel struct {
	Node  string   `json:"node"`
	Score *float32 `json:"score"`
}

// Predicted is a model's prediction for a sentence.
type Predicted struct {
	Label     *string       `json:"label"`            // the first; nil for no clause
	Suggested *string       `json:"suggested"`        // where there is no label: the one that came closest
	Score     *float32      `json:"score"`            // of the first label, or of Suggested
	Close     *float32      `json:"close,omitempty"`  // sum of the scores of other nodes that came close; nil where none did
	Labels    []ScoredLabel `json:"labels,omitempty"` // all, best first, where there are several
	ModelID   *string       `json:"modelId"`
}

// NewPredicted is the prediction of labels, the best first, and of nodes that came close.
// Where there are no labels, the closest is suggested.
func NewPredicted(modelID *string, labels, others []ScoredLabel) Predicted {
	p := Predicted{ModelID: modelID}
	switch {
	case len(labels) > 0:
		p.Label, p.Score = &labels[0].Node, labels[0].Score
	case len(others) > 0:
		p.Suggested, p.Score, others = &others[0].Node, others[0].Score, others[1:]
	}
	if len(others) > 0 {
		p.Close = new(float32)
		for _, o := range others {
			*p.Close += *o.Score
		}
	}
	if len(labels) > 1 {
		p.Labels = labels
	}
	return p
}

// All lists the labels, best first.
func (p Predicted) All() []ScoredLabel {
	if p.Label == nil || p.Labels != nil {
		return p.Labels
	}
	return []ScoredLabel{{*p.Label, p.Score}}
}

// without is p without a label.
func (p Predicted) without(node string) Predicted {
	labels := slices.DeleteFunc(slices.Clone(p.All()), func(l ScoredLabel) bool { return l.Node == node })
	if len(labels) == len(p.All()) {
		return p
	}
	return p.relabelled(labels)
}

// renamed is p with another name for a label.
func (p Predicted) renamed(node, into string) Predicted {
	if !slices.ContainsFunc(p.All(), func(l ScoredLabel) bool { return l.Node == node }) {
		return p
	}
	var labels []ScoredLabel
	for _, l := range p.All() {
		if l.Node == node {
			l.Node = into
		}
		if !slices.ContainsFunc(labels, func(other ScoredLabel) bool { return other.Node == l.Node }) {
			labels = append(labels, l)
		}
	}
	return p.relabelled(labels)
}

// relabelled is p with other labels; what else came close stays.
func (p Predicted) relabelled(labels []ScoredLabel) Predicted {
	changed := NewPredicted(p.ModelID, labels, nil)
	changed.Close = p.Close
	return changed
}

// Predict classifies a sentence. Labels that people decided on stay, and where they decided
// on all of them, the prediction counts once that is withdrawn.
func (l *Labelling) Predict(p Predicted) {
	switch {
	case !l.Decided():
		*l = Labelling{}
		l.predict(p)
	case *l.Source == sourceValidated:
		l.Prediction = &p
	default:
		entries := slices.DeleteFunc(l.entries(), func(e Label) bool { return !e.decided() })
		for _, s := range p.All() {
			if indexLabel(entries, s.Node) < 0 {
				entries = append(entries, Label{Node: s.Node, Score: s.Score, Source: sourcePredicted})
			}
		}
		l.Prediction, l.ModelID = &p, p.ModelID
		l.put(entries, l.ValidatedBy, l.ValidatedAt)
		l.open()
	}
}

// predict makes l what a model says.
func (l *Labelling) predict(p Predicted) {
	source := sourcePredicted
	l.Label, l.Suggested, l.Score, l.Close, l.Source, l.ModelID = p.Label, p.Suggested, p.Score, p.Close, &source, p.ModelID
	for _, s := range p.Labels {
		l.Stored = append(l.Stored, Label{Node: s.Node, Score: s.Score, Source: sourcePredicted})
	}
}

// Decided reports whether people decided on a label, or on there being none.
func (l Labelling) Decided() bool {
	return l.Source != nil && (*l.Source == sourceValidated || slices.ContainsFunc(l.Stored, Label.decided))
}

// Labels lists the labels of the sentence, best first: those of people before those of
// models.
func (l Labelling) Labels() []Label { return Standing(l.entries()) }

// Refused lists the labels that people refused.
func (l Labelling) Refused() []Label {
	return slices.DeleteFunc(l.entries(), func(e Label) bool { return e.Source != sourceRefused })
}

// decidedSince is the time of the first decision that stands; a model may have learned
// from it, though others were made since.
func (l Labelling) decidedSince() *time.Time {
	first := l.ValidatedAt
	for _, e := range l.entries() {
		if at := e.ValidatedAt; at != nil && (first == nil || at.Before(*first)) {
			first = at
		}
	}
	return first
}

// Said is what users decided about the labels of a sentence. Where it is open, they decided
// nothing about the labels that are not named.
type Said struct {
	Given, Refused []string
	Open           bool
}

// Said returns what users decided about the sentence.
func (l Labelling) Said() Said {
	said := Said{Open: l.Source == nil || *l.Source != sourceValidated}
	for _, e := range l.entries() {
		switch e.Source {
		case sourceValidated:
			said.Given = append(said.Given, e.Node)
		case sourceRefused:
			said.Refused = append(said.Refused, e.Node)
		}
	}
	return said
}

// entries are all labels, refused ones last.
func (l Labelling) entries() []Label {
	switch {
	case l.Stored != nil:
		return slices.Clone(l.Stored)
	case l.Label == nil:
		return nil
	}
	e := Label{Node: *l.Label, Score: l.Score, Source: sourcePredicted}
	if l.Source != nil {
		e.Source = *l.Source
	}
	if e.decided() {
		e.ValidatedBy, e.ValidatedAt = l.ValidatedBy, l.ValidatedAt
	}
	return []Label{e}
}

// put makes entries the labels of a sentence that people decided on, last by a person at a
// time.
func (l *Labelling) put(entries []Label, by *string, at *time.Time) {
	rank := map[string]int{sourceValidated: 0, sourcePredicted: 1, sourceRefused: 2}
	slices.SortStableFunc(entries, func(a, b Label) int {
		return cmp.Or(cmp.Compare(rank[a.Source], rank[b.Source]), cmp.Compare(probability(b.Score), probability(a.Score)), cmp.Compare(a.Node, b.Node))
	})
	source := sourceValidated
	var model *string
	for _, e := range entries {
		if e.Source == sourcePredicted {
			source = sourcePredicted
		}
		if e.Source != sourceRefused && e.Score != nil {
			model = l.model()
		}
	}
	before := *l
	*l = Labelling{Source: &source, ModelID: model, ValidatedBy: by, ValidatedAt: at, Prediction: before.Prediction}
	switch {
	case len(entries) > 0 && entries[0].Source != sourceRefused:
		l.Label, l.Score = &entries[0].Node, entries[0].Score
	case before.Label == nil:
		l.Suggested, l.Score, l.ModelID = before.Suggested, before.Score, before.ModelID
	}
	if len(entries) > 1 || len(entries) == 1 && l.Label == nil {
		l.Stored = entries
	}
}

// open keeps a sentence open whose other labels nobody decided on, though a model
// predicts none of them.
func (l *Labelling) open() {
	source := sourcePredicted
	l.Stored, l.Source = l.entries(), &source
	if l.Label == nil && l.Suggested == nil && l.Prediction.Label == nil {
		l.Suggested, l.Score, l.ModelID = l.Prediction.Suggested, l.Prediction.Score, l.Prediction.ModelID
	}
}

// model is the one that the scores are of.
func (l Labelling) model() *string {
	if l.ModelID == nil && l.Prediction != nil {
		return l.Prediction.ModelID
	}
	return l.ModelID
}

func probability(score *float32) float32 {
	if score == nil {
		return -1
	}
	return *score
}

func indexLabel(list []Label, node string) int {
	return slices.IndexFunc(list, func(l Label) bool { return l.Node == node })
}

// Decision is what a person decides about sentences: one of Confirm, Set, and Add with
// Remove.
type Decision struct {
	Confirm bool     // all that was predicted
	Only    []string // with Confirm: these labels alone; nil for all, and for there being none
	None    bool     // with Only: there being none as well
	Least   float32  // with Confirm: labels with this score or a higher one
	Most    float32  // with Confirm: labels with this score or a lower one; 0 for any
	Set     bool
	Labels  []string // with Set: all labels of the sentence; none for no clause
	Add     []string // labels that the sentence has beside its others
	Remove  []string // labels that it does not have
}

// confirms reports whether a predicted label is among those that are confirmed.
func (d Decision) confirms(l Label) bool {
	score := probability(l.Score)
	return (d.Only == nil || slices.Contains(d.Only, l.Node)) && score >= d.Least && (d.Most == 0 || score <= d.Most)
}

// decide applies a decision of a person at a time. It returns the labels that were decided
// on as they were, and as they are: both are nil where the decision changes nothing.
func (l *Labelling) decide(d Decision, by *string, at time.Time) (from, to []string) {
	entries := l.entries()
	settle := func(e *Label) {
		from = append(from, e.Node)
		e.Source, e.ValidatedBy, e.ValidatedAt = sourceValidated, by, &at
		to = append(to, e.Node)
	}
	from, to = []string{}, []string{}
	switch {
	case d.Set:
		set := make([]Label, 0, len(d.Labels))
		for _, node := range d.Labels {
			e := Label{Node: node, Source: sourceValidated, ValidatedBy: by, ValidatedAt: &at}
			if i := indexLabel(entries, node); i >= 0 {
				e.Score = entries[i].Score
			}
			set, to = append(set, e), append(to, node)
		}
		for _, e := range l.Labels() {
			from = append(from, e.Node)
		}
		entries = set
	case d.Confirm:
		for i := range entries {
			if e := &entries[i]; e.Source == sourcePredicted && d.confirms(*e) {
				settle(e)
			}
		}
		if len(to) == 0 && (d.Only != nil && !d.None || slices.ContainsFunc(entries, func(e Label) bool { return e.Source == sourcePredicted }) || l.Source != nil && *l.Source == sourceValidated) {
			return nil, nil
		}
	default:
		for _, node := range d.Remove {
			if i := indexLabel(entries, node); i >= 0 && entries[i].Source != sourceRefused {
				from = append(from, node)
				entries[i].Source, entries[i].ValidatedBy, entries[i].ValidatedAt = sourceRefused, by, &at
			}
		}
		for _, node := range d.Add {
			i := indexLabel(entries, node)
			switch {
			case i < 0:
				entries, to = append(entries, Label{Node: node, Source: sourceValidated, ValidatedBy: by, ValidatedAt: &at}), append(to, node)
			case entries[i].Source == sourcePredicted:
				settle(&entries[i])
			case entries[i].Source == sourceRefused:
				entries[i].Source, entries[i].ValidatedBy, entries[i].ValidatedAt = sourceValidated, by, &at
				to = append(to, node)
			}
		}
		if len(from)+len(to) == 0 {
			return nil, nil
		}
	}
	l.keepPrediction()
	l.put(entries, by, &at)
	return from, to
}

// keepPrediction keeps what a model says before people decide for the first time.
func (l *Labelling) keepPrediction() {
	if l.Decided() || l.Source == nil {
		return
	}
	p := Predicted{Label: l.Label, Suggested: l.Suggested, Score: l.Score, Close: l.Close, ModelID: l.ModelID}
	for _, e := range l.Stored {
		p.Labels = append(p.Labels, ScoredLabel{e.Node, e.Score})
	}
	l.Prediction = &p
}

// withdraw makes l what a model says, unclassified where that is not known.
func (l *Labelling) withdraw() {
	p := l.Prediction
	*l = Labelling{}
	if p != nil {
		l.predict(*p)
	}
}

// CarryFrom gives a sentence the decisions about another one with the same words.
func (l *Labelling) CarryFrom(old Labelling) {
	said := l.Source != nil
	now := Predicted{}
	if said {
		l.keepPrediction()
		now = *l.Prediction
	}
	*l = old
	if said { // it has been analysed already
		l.Predict(now)
	}
}

// repredict changes what a model says of a sentence on which nobody decided.
func (l *Labelling) repredict(change func(Predicted) Predicted) {
	if l.Source == nil {
		return
	}
	l.keepPrediction()
	p := change(*l.Prediction)
	*l = Labelling{}
	l.predict(p)
}

// merge gives a label another name.
func (l *Labelling) merge(node, into string) {
	if l.Prediction != nil {
		p := l.Prediction.renamed(node, into)
		l.Prediction = &p
	}
	if !l.Decided() {
		l.repredict(func(p Predicted) Predicted { return p.renamed(node, into) })
		return
	}
	entries := l.entries()
	i, other := indexLabel(entries, node), indexLabel(entries, into)
	if i < 0 {
		return
	}
	entries[i].Node = into
	if other >= 0 {
		if entries[i].Source == sourceValidated || !entries[other].decided() && entries[i].Source == sourcePredicted && probability(entries[i].Score) > probability(entries[other].Score) {
			entries[other] = entries[i]
		}
		entries = slices.Delete(entries, i, i+1)
	}
	l.put(entries, l.ValidatedBy, l.ValidatedAt)
}

// take takes a label away, as if nobody and no model had ever given or refused it. It
// reports whether a decision of a person went with it.
func (l *Labelling) take(node string) (withdrawn bool) {
	if l.Prediction != nil {
		p := l.Prediction.without(node)
		l.Prediction = &p
	}
	if !l.Decided() {
		l.repredict(func(p Predicted) Predicted { return p.without(node) })
		return false
	}
	entries := l.entries()
	i := indexLabel(entries, node)
	if i < 0 {
		return false
	}
	withdrawn = entries[i].decided()
	entries = slices.Delete(entries, i, i+1)
	if !slices.ContainsFunc(entries, Label.decided) {
		l.withdraw()
		return withdrawn
	}
	l.put(entries, l.ValidatedBy, l.ValidatedAt)
	return withdrawn
}

// giveBack undoes take: a sentence was labelled as before, and gets its label back, unless
// it has been labelled otherwise since by people, or by another model.
func (l *Labelling) giveBack(node string, before Labelling) bool {
	taken := before
	taken.take(node)
	i := indexLabel(before.entries(), node)
	switch {
	case l.equal(taken):
		*l = before
	case i >= 0 && before.entries()[i].decided() && !l.Decided():
		l.CarryFrom(before)
	default:
		return false
	}
	return true
}

// equal reports whether two are stored as the same.
func (l Labelling) equal(other Labelling) bool {
	a, b := l.written(), other.written()
	return bytes.Equal(a, b)
}

func (l Labelling) written() []byte {
	utc := func(at *time.Time) *time.Time {
		if at == nil {
			return nil
		}
		in := at.UTC()
		return &in
	}
	l.ValidatedAt, l.Stored = utc(l.ValidatedAt), slices.Clone(l.Stored)
	for i := range l.Stored {
		l.Stored[i].ValidatedAt = utc(l.Stored[i].ValidatedAt)
	}
	text, err := json.Marshal(l)
	if err != nil {
		panic(err) // of plain values
	}
	return text
}

// eachLabel is the labels of a sentence s as rows l: node, score, source and
// validated_by.
const eachLabel = `LATERAL (
	SELECT s.label AS node, s.score, s.source, s.validated_by WHERE s.labels IS NULL AND s.label IS NOT NULL
	UNION ALL
	SELECT x.node, x.score, x.source, x."validatedBy" FROM jsonb_to_recordset(s.labels) x (node text, score real, source text, "validatedBy" uuid) WHERE x.source <> 'refused'
) l`

// Given is a label with its sentence, which is at a place of a list.
type Given struct {
	Label

	At int
}

// EachLabel lists the labels of sentences, in their order.
func EachLabel(sentences []FiledSentence) []Given {
	var all []Given
	for i, s := range sentences {
		for _, l := range s.Labels() {
			all = append(all, Given{l, i})
		}
	}
	return all
}

// labelNodes are the nodes of the labels of a sentence s, best first, and allLabels the
// labels as JSON, with those that were refused.
const (
	labelNodes = `CASE WHEN s.labels IS NULL THEN array_remove(ARRAY[s.label], NULL) ELSE label_nodes(s.labels) END`
	allLabels  = `CASE WHEN s.labels IS NULL AND s.label IS NOT NULL THEN jsonb_build_array(jsonb_build_object(
		'node', s.label, 'score', s.score, 'source', s.source, 'validatedBy', s.validated_by, 'validatedAt', s.validated_at)) ELSE s.labels END`
)

// Standing are those of labels that a sentence has.
func Standing(labels []Label) []Label {
	return slices.DeleteFunc(slices.Clone(labels), func(l Label) bool { return l.Source == sourceRefused })
}

// hasLabel is the condition that a sentence of an alias has any label of a list.
func hasLabel(alias, list string) string {
	return "(" + alias + ".label = ANY(" + list + ") OR " + alias + ".labels IS NOT NULL AND label_nodes(" + alias + ".labels) && " + list + "::text[])"
}

// decidedOn is the condition that people decided on a label of a sentence s, or on there
// being none.
const decidedOn = `(s.source = 'validated' OR s.source = 'predicted' AND s.labels IS NOT NULL AND s.validated_at IS NOT NULL)`

// givenIn is the condition that people gave a sentence s the label in a column.
func givenIn(column string) string {
	return `(s.labels IS NULL AND s.source = 'validated' AND s.label = ` + column + `
		OR s.validated_at IS NOT NULL AND s.labels @> jsonb_build_array(jsonb_build_object('node', ` + column + `, 'source', 'validated')))`
}

// mentions is the condition that a label, @key, is among those of a sentence s, given or
// refused, or in what a model says of it.
const mentions = `(s.label = @key OR (s.labels IS NOT NULL OR s.prediction IS NOT NULL) AND @key = ANY(mentioned_nodes(s.label, s.labels, s.prediction)))`

// labelled is a sentence whose labels change.
type labelled struct {
	ID     string `db:"id" json:"id"`
	FileID string `db:"file_id" json:"-"`
	TeamID string `db:"team_id" json:"team_id"`

	Labelling
}

const labelledColumns = `s.id, s.file_id, s.team_id, s.label, s.suggested, s.score, s.close, s.source, s.model_id, s.validated_by, s.validated_at, s.prediction, s.labels`

// labelledSentences reads the labels of sentences s that a condition asks for. Their files
// are held by the caller, so that nobody else changes them.
func (t *Tx) labelledSentences(ctx context.Context, in Scope, condition string, a args) ([]labelled, error) {
	a["team"] = in.TeamID
	return many[labelled](ctx, t.Queries, `SELECT `+labelledColumns+` FROM sentences s WHERE s.team_id = @team AND `+condition+` ORDER BY s.id`, a)
}

// saveLabellings writes the labels of sentences that were read.
func (t *Tx) saveLabellings(ctx context.Context, rows []labelled) error {
	if len(rows) == 0 {
		return nil
	}
	_, err := exec(ctx, t.Queries, `
		UPDATE sentences s SET (`+labellingColumns+`) = (r.`+strings.ReplaceAll(labellingColumns, ", ", ", r.")+`)
		FROM `+labelledRows+` WHERE s.id = r.id AND s.team_id = r.team_id`, args{"rows": rows})
	return err
}

// labelledRows are rows r of labelled, written as JSON.
const labelledRows = `jsonb_to_recordset(@rows::jsonb) r (id uuid, team_id uuid, label text, suggested text, score real, close real, source text, model_id uuid,
	validated_by uuid, validated_at timestamptz, prediction jsonb, labels jsonb)`

// sentenceEvent is what the audit has of a change of labels.
type sentenceEvent struct {
	ID     string         `json:"id"`
	FileID string         `json:"file_id"`
	Data   map[string]any `json:"data"`
}

// auditSentences adds events about sentences, in their order.
func (t *Tx) auditSentences(ctx context.Context, in Scope, action string, events []sentenceEvent) error {
	_, err := exec(ctx, t.Queries, `
		INSERT INTO audit_events (team_id, actor_kind, actor_id, action, resource_kind, resource_id, file_id, data)
		SELECT @team, @actor_kind, @actor, @action, 'sentence', (e ->> 'id')::uuid, (e ->> 'file_id')::uuid, e -> 'data'
		FROM jsonb_array_elements(@events::jsonb) WITH ORDINALITY x (e, n) ORDER BY n`, args{
		"team": in.TeamID, "actor_kind": in.ActorKind, "actor": nullable(in.ActorID), "action": action, "events": events,
	})
	return err
}

// firstOf is the first of labels, nil for none, as the audit names one.
func firstOf(labels []string) *string {
	if len(labels) == 0 {
		return nil
	}
	return &labels[0]
}

// nodesOf are the nodes of labels.
func nodesOf(labels []Label) []string {
	nodes := make([]string, len(labels))
	for i, l := range labels {
		nodes[i] = l.Node
	}
	return nodes
}

// idsOf are the ids of sentences.
func idsOf(rows []labelled) []string {
	ids := make([]string, len(rows))
	for i, r := range rows {
		ids[i] = r.ID
	}
	return ids
}

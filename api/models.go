package api

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/jobs"
	"github.com/clausemill/clausemill/model"
	"github.com/clausemill/clausemill/nlp"
)

// sectionModels serves the models that label sentences, and sections by them.
func (a *API) sectionModels() {
	session := a.area("Models", withSession)
	get(session, "/api/models/section", "listSectionModels", "List section inference models", a.listModels, describe(
		"The team's own, the newest first, and the base model that comes with the program. The active one labels what comes in. A team's model is trained once 50 new decisions on sentences are in; "+
			"it becomes active if it agrees with no fewer of the decisions that were held back than the one before, which is kept. "+
			"`refused` says why decisions made none."))
	get(session, "/api/models/section/{id}", "getSectionModel", "Get a section inference model", a.getModel, describe("With its measures on decisions that it did not learn from."))
	post(session, "/api/models/section/{id}/activate", "activateSectionModel", "Activate a section inference model", a.activateModel, admins, status(http.StatusAccepted), describe(
		"Goes back to an earlier model, or to the base model: it labels what comes in, and, as the operation that is answered, what another one has labelled. "+
			"Labels set by users stay. 409 if the model is active already. The next decisions may train a model that takes its place."))
}

// Model labels sentences.
type Model struct {
	ID                string         `json:"id"`
	Name              string         `json:"name"`
	Version           string         `json:"version"`
	Kind              string         `json:"kind" enum:"base,team"`
	Status            db.ModelStatus `json:"status" enum:"active,candidate,retired" doc:"candidate: was worse than the active one; retired: was active, or could be"`
	BaseID            string         `json:"baseId,omitempty" doc:"The base model that a team's builds on"`
	TrainedAt         *time.Time     `json:"trainedAt,omitempty" doc:"Of a team's"`
	TrainingSentences *int           `json:"trainingSentences,omitempty" doc:"Of a team's: decisions that it learned from"`
	Metrics           *ModelMetrics  `json:"metrics,omitempty" doc:"Of a team's model, on held-out decisions; of the base model, on held-out contracts, from its model card"`
	Before            *ModelMetrics  `json:"before,omitempty" doc:"Of the model that was active when a team's was trained, on the same decisions: what the training changed"`
}

// ModelMetrics says how well a model labels sentences that it has not seen.
type ModelMetrics struct {
	Sentences int           `json:"sentences" doc:"That it was judged by"`
	Agreed    *int          `json:"agreed,omitempty" doc:"Of them, those where a team's model agrees with the users' labels"`
	Precision float64       `json:"precision"`
	Recall    float64       `json:"recall"`
	MicroF1   float64       `json:"microF1" doc:"Over all labels"`
	MacroF1   float64       `json:"macroF1" doc:"Mean over the nodes that occur"`
	PerNode   []NodeMetrics `json:"perNode" nullable:"false" doc:"Of the nodes that occur"`
}

// NodeMetrics are the metrics of one node.
type NodeMetrics struct {
	Node      string  `json:"node"`
	Sentences int     `json:"sentences"`
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
}

func newModelMetrics(m nlp.Metrics, agreed *int) *ModelMetrics {
	out := &ModelMetrics{Sentences: m.Passages, Agreed: agreed, Precision: m.Precision, Recall: m.Recall, MicroF1: m.MicroF1, MacroF1: m.MacroF1, PerNode: []NodeMetrics{}}
	for _, n := range m.PerNode {
		if n.Labels > 0 {
			out.PerNode = append(out.PerNode, NodeMetrics{n.Node, n.Labels, n.Precision, n.Recall, n.F1})
		}
	}
	return out
}

func newModel(m db.Model) (Model, error) {
	var report model.Report
	err := json.Unmarshal(m.Metrics, &report)
	return Model{
		ID: m.ID, Name: "Team model", Version: strconv.Itoa(m.Version), Kind: "team", Status: m.Status, BaseID: m.BaseID,
		TrainedAt: utc(&m.TrainedAt), TrainingSentences: &m.Sentences,
		Metrics: newModelMetrics(report.Metrics, &report.Agreed), Before: newModelMetrics(report.Before, &report.AgreedBefore),
	}, err
}

// newBaseModel is the model of the program. It is active where no other is.
func newBaseModel(status db.ModelStatus) (Model, error) {
	metrics, err := nlp.BaseMetrics()
	return Model{ID: nlp.BaseModelID(), Name: "Base model", Version: nlp.Version, Kind: "base", Status: status, Metrics: newModelMetrics(metrics, nil)}, err
}

// ModelList is a team's models, and what keeps it from another.
type ModelList struct {
	List[Model]
	Refused *Refusal `json:"refused,omitempty" doc:"The last training since the newest model that came to nothing"`
}

// Refusal is why decisions make no model.
type Refusal struct {
	At     time.Time `json:"at"`
	Reason string    `json:"reason"`
}

func (a *API) listModels(ctx context.Context, _ *struct{}) (ModelList, error) {
	rows, err := a.DB.Models(ctx, auth.Scope(ctx))
	if err != nil {
		return ModelList{}, err
	}
	list, base := ModelList{List: List[Model]{Items: []Model{}}}, db.ModelActive
	refused, err := a.DB.LastRefusal(ctx, auth.Scope(ctx))
	if err != nil {
		return ModelList{}, err
	}
	if refused != nil {
		list.Refused = &Refusal{refused.At.UTC(), refused.Reason}
	}
	for _, row := range rows {
		m, err := newModel(row)
		if err != nil {
			return ModelList{}, err
		}
		if m.Status == db.ModelActive {
			base = db.ModelRetired
		}
		list.Items = append(list.Items, m)
	}
	m, err := newBaseModel(base)
	list.Items = append(list.Items, m)
	return list, err
}

func (a *API) activateModel(ctx context.Context, in *IDRef) (Accepted, error) {
	scope := auth.Scope(ctx)
	var op db.Operation
	err := a.DB.InTx(ctx, func(tx *db.Tx) error {
		if err := tx.ActivateModel(ctx, scope, in.ID, nlp.BaseModelID()); err != nil {
			return err
		}
		var err error
		if op, err = tx.CreateRelabelling(ctx, scope, in.ID); err != nil {
			return err
		}
		return jobs.Insert(ctx, a.Jobs, tx.Raw, jobs.RelabelFiles{OperationID: op.ID, TeamID: scope.TeamID, ModelID: in.ID})
	})
	return newAccepted("relabelling queued", op, ""), err
}

func (a *API) getModel(ctx context.Context, in *IDRef) (Model, error) {
	if in.ID != nlp.BaseModelID() {
		row, err := a.DB.Model(ctx, auth.Scope(ctx), in.ID)
		if err != nil {
			return Model{}, err
		}
		return newModel(row)
	}
	_, err := a.DB.ActiveModel(ctx, auth.Scope(ctx))
	if fault.KindOf(err) == fault.NotFound {
		return newBaseModel(db.ModelActive)
	}
	if err != nil {
		return Model{}, err
	}
	return newBaseModel(db.ModelRetired)
}

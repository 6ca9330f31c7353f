package api

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/nlp"
)

// models serves the models that label sentences, and sections by them.
func (a *API) models() {
	session := a.area("Models", withSession)
	get(session, "/api/models/section", "List section inference models", a.listModels, describe(
		"The team's own, the newest first, and the base model that comes with the program. The active one labels what comes in. A team's model is trained once 50 new decisions on sentences are in; "+
			"it becomes active if it agrees with no fewer of the decisions that were held back than the one before, which is kept."))
	get(session, "/api/models/section/{id}", "Get an inference model", a.getModel)
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
	Metrics           *ModelMetrics  `json:"metrics,omitempty" doc:"Of a team's, on decisions that were held back; those of the base model are in its card"`
}

// ModelMetrics says how well a model labels sentences that it has not seen.
type ModelMetrics struct {
	Sentences int           `json:"sentences" doc:"That it was judged by"`
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

func newModelMetrics(m nlp.Metrics) *ModelMetrics {
	out := &ModelMetrics{Sentences: m.Passages, Precision: m.Precision, Recall: m.Recall, MicroF1: m.MicroF1, MacroF1: m.MacroF1, PerNode: []NodeMetrics{}}
	for _, n := range m.PerNode {
		if n.Labels > 0 {
			out.PerNode = append(out.PerNode, NodeMetrics{n.Node, n.Labels, n.Precision, n.Recall, n.F1})
		}
	}
	return out
}

func newModel(m db.Model) (Model, error) {
	var metrics nlp.Metrics
	err := json.Unmarshal(m.Metrics, &metrics)
	return Model{
		ID: m.ID, Name: "Team model", Version: strconv.Itoa(m.Version), Kind: "team", Status: m.Status, BaseID: m.BaseID,
		TrainedAt: utc(&m.TrainedAt), TrainingSentences: &m.Sentences, Metrics: newModelMetrics(metrics),
	}, err
}

// newBaseModel is the model of the program. It is active where no other is.
func newBaseModel(status db.ModelStatus) Model {
	return Model{ID: nlp.BaseModelID(), Name: "Base model", Version: nlp.Version, Kind: "base", Status: status}
}

func (a *API) listModels(ctx context.Context, _ *struct{}) (List[Model], error) {
	rows, err := a.DB.Models(ctx, auth.Scope(ctx))
	if err != nil {
		return List[Model]{}, err
	}
	list, base := List[Model]{Items: []Model{}}, db.ModelActive
	for _, row := range rows {
		m, err := newModel(row)
		if err != nil {
			return List[Model]{}, err
		}
		if m.Status == db.ModelActive {
			base = db.ModelRetired
		}
		list.Items = append(list.Items, m)
	}
	list.Items = append(list.Items, newBaseModel(base))
	return list, nil
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
		return newBaseModel(db.ModelActive), nil
	}
	return newBaseModel(db.ModelRetired), err
}

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
		"Lists the team's models, newest first, and the built-in base model. The active model labels the sentences of new files. A first team model is trained once there are 50 decisions on sentences, or 5 examples of a label of the team's own; "+
			"then another one within seconds of 5 new decisions, or of a tenth of those that the last one learned from if that is more. "+
			"Each of the team's own labels that has 5 examples is learned. The labels of the base model are corrected only if that raises F1 on files that were held out in 39 of 40 draws of files (bootstrap): `gain` has the difference, `reason` says why it was refused. "+
			"A model that does neither stays a candidate. `refused` has the reason why the last training made no model. Those who decided are notified when what is learned changes."))
	get(session, "/api/models/section/{id}", "getSectionModel", "Get a section inference model", a.getModel, describe("Returns a model with its metrics on data that it was not trained on."))
	post(session, "/api/models/section/{id}/activate", "activateSectionModel", "Activate a section inference model", a.activateModel, admins, status(http.StatusAccepted), describe(
		"Activates an earlier model or the base model. It labels new files, and an operation labels again what other models have labelled. "+
			"Labels set by users stay. 409 if the model is active already. A model that is trained from later decisions may replace it."))
}

// Model labels sentences.
type Model struct {
	ID                string         `json:"id"`
	Name              string         `json:"name"`
	Version           string         `json:"version"`
	Kind              string         `json:"kind" enum:"base,team"`
	Status            db.ModelStatus `json:"status" enum:"active,candidate,retired" doc:"active: in use; candidate: trained, but no better than the base model; retired: was active before, or could be activated"`
	BaseID            string         `json:"baseId,omitempty" doc:"For a team model: id of the base model that it builds on"`
	TrainedAt         *time.Time     `json:"trainedAt,omitempty" doc:"Only for team models"`
	TrainingSentences *int           `json:"trainingSentences,omitempty" doc:"For a team model: number of decisions that it was trained on"`
	Metrics           *ModelMetrics  `json:"metrics,omitempty" doc:"For a team model: metrics of the corrected base model on the decisions about its labels, by cross-validation over files. For the base model: metrics on held-out contracts, from its model card"`
	Before            *ModelMetrics  `json:"before,omitempty" doc:"For a team model: metrics of the base model on the same decisions, for comparison"`
	Gain              *Interval      `json:"gain,omitempty" doc:"For a team model: difference in micro F1"`
	Corrected         *bool          `json:"corrected,omitempty" doc:"For a team model: the labels of the base model are corrected by the team's decisions"`
	Reason            string         `json:"reason,omitempty" doc:"For a team model: why they are not"`
	OwnLabels         []OwnLabel     `json:"ownLabels,omitempty" doc:"For a team model: the team's own labels"`
}

// Interval is a figure with its uncertainty.
type Interval struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low" doc:"Lower end of the 95 % interval"`
	High  float64 `json:"high" doc:"Upper end of the 95 % interval"`
}

// OwnLabel says what was learned of a label that the base model does not know.
type OwnLabel struct {
	Node     string `json:"node"`
	Examples int    `json:"examples" doc:"Number of decisions that confirm it"`
	Learned  bool   `json:"learned" doc:"The model predicts it; otherwise there are too few examples"`
	Found    int    `json:"found" doc:"Number of examples that are found by cross-validation over files"`
	Wrong    int    `json:"wrong" doc:"Number of other decisions where it is predicted by mistake"`
}

// ModelMetrics are metrics of a model on held-out sentences.
type ModelMetrics struct {
	Sentences int           `json:"sentences" doc:"Number of sentences in the held-out set"`
	Agreed    *int          `json:"agreed,omitempty" doc:"For a team model: number of them where it agrees with the labels set by users"`
	Precision float64       `json:"precision"`
	Recall    float64       `json:"recall"`
	MicroF1   float64       `json:"microF1" doc:"F1 over all labels"`
	MacroF1   float64       `json:"macroF1" doc:"Mean F1 of the nodes that occur"`
	PerNode   []NodeMetrics `json:"perNode" nullable:"false" doc:"Metrics for each node that occurs"`
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
	trial := &report.Trial
	out := Model{
		ID: m.ID, Name: "Team model", Version: strconv.Itoa(m.Version), Kind: "team", Status: m.Status, BaseID: m.BaseID,
		TrainedAt: utc(&m.TrainedAt), TrainingSentences: &m.Sentences,
		Metrics: newModelMetrics(trial.After, &trial.Agreed), Before: newModelMetrics(trial.Before, &trial.AgreedBefore),
		Gain: &Interval{trial.Gain.Value, trial.Gain.Low, trial.Gain.High}, Corrected: &trial.Accepted, Reason: trial.Reason,
	}
	for _, label := range report.Own {
		out.OwnLabels = append(out.OwnLabels, OwnLabel{label.Node, label.Examples, label.Learned, label.Found, label.Wrong})
	}
	return out, err
}

// newBaseModel is the built-in model. It is active if no other model is.
func newBaseModel(status db.ModelStatus) (Model, error) {
	metrics, err := nlp.BaseMetrics()
	return Model{ID: nlp.BaseModelID(), Name: "Base model", Version: nlp.Version, Kind: "base", Status: status, Metrics: newModelMetrics(metrics, nil)}, err
}

// ModelList is a team's models, with the reason why the last training made none.
type ModelList struct {
	List[Model]
	Refused *Refusal `json:"refused,omitempty" doc:"The last training after the newest model that made no model"`
}

// Refusal is the reason why a training made no model.
type Refusal struct {
	RefusedAt time.Time `json:"refusedAt"`
	Reason    string    `json:"reason"`
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

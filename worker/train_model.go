package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/riverqueue/river"
	"golang.org/x/sync/errgroup"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/jobs"
	"github.com/clausemill/clausemill/model"
	"github.com/clausemill/clausemill/nlp"
)

// dueTraining is when a team's decisions make a new model.
var dueTraining = db.DueTraining{New: 5, First: 50, Examples: nlp.LeastExamples, Base: nlp.BaseModelID()}

// mostTrainingFiles bounds what is in memory while a model is trained, to
// some hundreds of megabytes.
const mostTrainingFiles = 400

// planTraining finds the teams that have decided enough for a new model.
type planTraining struct {
	river.WorkerDefaults[jobs.PlanTraining]
	*Worker
}

// Work plans once.
func (w *planTraining) Work(ctx context.Context, _ *river.Job[jobs.PlanTraining]) error {
	due, err := w.DB.DueTrainings(ctx, dueTraining)
	if err != nil {
		return err
	}
	assigned, err := w.DB.DueTypeTrainings(ctx, nlp.BaseTypeModelID(), leastAssigned)
	if err != nil {
		return err
	}
	fields, err := w.DB.DueFields(ctx, nlp.LeastFieldExamples)
	if err != nil {
		return err
	}
	var list []river.JobArgs
	for _, t := range fields {
		list = append(list, jobs.TrainField{TeamID: t.TeamID, Key: t.Key, Version: t.Version})
	}
	for _, t := range due {
		list = append(list, jobs.TrainModel{TeamID: t.TeamID, Version: t.Version, Withdrawn: !t.Standing})
	}
	for _, t := range assigned {
		list = append(list, jobs.TrainTypes{TeamID: t.TeamID, Version: t.Version})
	}
	for _, next := range list {
		if err := w.DB.InTx(ctx, func(tx *db.Tx) error { return enqueue(ctx, tx, next) }); err != nil {
			return err
		}
	}
	return nil
}

// trainModel trains a model on the decisions of a team that were not withdrawn: its own
// labels, and a correction of the base model if that is better on files which it did
// not learn from. A model that says anything else than the base becomes the active
// one, and the files are labelled again.
type trainModel struct {
	river.WorkerDefaults[jobs.TrainModel]
	*Worker
}

// Work trains one model.
func (w *trainModel) Work(ctx context.Context, job *river.Job[jobs.TrainModel]) error {
	in := db.System(job.Args.TeamID)
	if job.Args.Withdrawn {
		return w.backToBase(ctx, job)
	}
	stands, err := w.DB.ModelStands(ctx, in)
	if err != nil {
		return err
	}
	decisions, err := w.decisions(ctx, in)
	if err != nil {
		return err
	}
	base, err := nlp.BaseModel()
	if err != nil {
		return err
	}
	var report model.Report
	decisions = base.Read(ctx, decisions)
	trained, own, err := base.Adapt(ctx, decisions)
	if err == nil {
		report.Own = own
		report.Trial, err = base.Try(ctx, decisions)
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil && !stands:
		return w.backToBase(ctx, job)
	case err != nil:
		reason := err.Error()
		if err := w.DB.InTx(ctx, func(tx *db.Tx) error { return tx.RefuseModel(ctx, in, job.Args.Version, reason) }); err != nil {
			return err
		}
		return fault.Wrap(fault.Invalid, "the decisions make no model", err)
	}
	if report.Trial.Accepted {
		trained = trained.Corrected(decisions)
	}
	data, err := trained.AppendBinary(nil)
	if err != nil {
		return err
	}
	metrics, err := json.Marshal(report)
	if err != nil {
		return err
	}
	row := db.Model{
		ID: db.NewID(), Version: job.Args.Version, Status: db.ModelCandidate, BaseID: nlp.BaseModelID(), Sentences: countDecided(decisions), Metrics: metrics,
	}
	if report.Learns() {
		row.Status = db.ModelActive
	}
	return w.DB.InTx(ctx, func(tx *db.Tx) error {
		if err := tell(ctx, tx, in, row, report); err != nil {
			return err
		}
		if err := tx.SaveModel(ctx, in, row, data); err != nil {
			return err
		}
		switch {
		case row.Status == db.ModelActive:
			return w.relabelAll(ctx, tx, job, row.ID)
		case !stands: // what the active one learned is withdrawn in part
			return w.activateBase(ctx, tx, job)
		}
		return jobs.Follow(ctx, tx.Raw, tx, job)
	})
}

// tell notifies those whose decisions made a model of what came of them, where that is
// not what came of the last.
func tell(ctx context.Context, tx *db.Tx, in db.Scope, row db.Model, report model.Report) error {
	var last model.Report
	models, err := tx.Models(ctx, in)
	if err == nil && len(models) > 0 {
		err = json.Unmarshal(models[0].Metrics, &last)
	}
	if err != nil {
		return err
	}
	if len(models) > 0 && last.Trial.Accepted == report.Trial.Accepted && slices.Equal(last.Learned(), report.Learned()) {
		return nil
	}
	n := db.NewNotification{Kind: db.ModelTrained, Link: "/api/models/section/" + row.ID}
	n.Title = fmt.Sprintf("Version %d of your model has learned from %d decisions", row.Version, row.Sentences)
	if row.Status != db.ModelActive {
		n.Title = fmt.Sprintf("Version %d of your model is not used", row.Version)
	}
	said := []string{"The labels that come with the program are corrected by your decisions."}
	if !report.Trial.Accepted {
		said[0] = "The labels that come with the program stay as they are: " + report.Trial.Reason + "."
	}
	for _, label := range report.Own {
		if label.Learned {
			said = append(said, fmt.Sprintf("%s is found in %d of %d examples.", label.Node, label.Found, label.Examples))
		} else {
			said = append(said, fmt.Sprintf("%s is not learned yet: it takes %d examples, and there are %d.", label.Node, nlp.LeastExamples, label.Examples))
		}
	}
	n.Body = strings.Join(said, "\n")
	people, err := tx.Deciders(ctx, in)
	if err != nil {
		return err
	}
	return tx.Notify(ctx, in, people, n)
}

// backToBase activates the base model for a team that has no decisions left to learn
// from.
func (w *trainModel) backToBase(ctx context.Context, job *river.Job[jobs.TrainModel]) error {
	return w.DB.InTx(ctx, func(tx *db.Tx) error { return w.activateBase(ctx, tx, job) })
}

// activateBase ends job, and has the base model label from now on.
func (w *trainModel) activateBase(ctx context.Context, tx *db.Tx, job *river.Job[jobs.TrainModel]) error {
	err := tx.ActivateModel(ctx, db.System(job.Args.TeamID), nlp.BaseModelID(), nlp.BaseModelID())
	if fault.KindOf(err) == fault.Conflict {
		return jobs.Follow(ctx, tx.Raw, tx, job) // it does already
	}
	if err != nil {
		return err
	}
	return w.relabelAll(ctx, tx, job, nlp.BaseModelID())
}

// relabelAll ends job, and has the model that is active now label what another
// one has labelled.
func (w *trainModel) relabelAll(ctx context.Context, tx *db.Tx, job *river.Job[jobs.TrainModel], modelID string) error {
	in := db.System(job.Args.TeamID)
	op, err := tx.CreateRelabelling(ctx, in, modelID)
	if err != nil {
		return err
	}
	return jobs.Follow(ctx, tx.Raw, tx, job, jobs.RelabelFiles{OperationID: op.ID, TeamID: in.TeamID, ModelID: modelID})
}

// decisions are the files of a team with its decisions, and some others.
func (w *Worker) decisions(ctx context.Context, in db.Scope) (decisions []nlp.Example, err error) {
	files, err := w.DB.DecidedFiles(ctx, in, mostTrainingFiles)
	if err != nil {
		return nil, err
	}
	others, err := w.DB.OtherFiles(ctx, in, nlp.OtherFiles)
	if err != nil {
		return nil, err
	}
	files = append(files, others...)
	decisions = make([]nlp.Example, len(files))
	reading, ctx := errgroup.WithContext(ctx)
	reading.SetLimit(runtime.GOMAXPROCS(0)) // most of it is reading the texts again
	for i, id := range files {
		reading.Go(func() (err error) {
			decisions[i], err = w.decisionsOn(ctx, in, id)
			return err
		})
	}
	return decisions, reading.Wait()
}

// decisionsOn returns a file with its decisions.
func (w *Worker) decisionsOn(ctx context.Context, in db.Scope, fileID string) (nlp.Example, error) {
	pages, err := w.DB.PageStructures(ctx, in, fileID)
	if err != nil {
		return nlp.Example{}, err
	}
	decided, err := w.DB.DecidedSentences(ctx, in, fileID)
	if err != nil {
		return nlp.Example{}, err
	}
	seg, err := segment(pages)
	if err != nil {
		return nlp.Example{}, err
	}
	return newExample(seg, decided), nil
}

// newExample is a file with its decisions.
func newExample(seg *nlp.Segmentation, decided []db.Sentence) nlp.Example {
	decision := make(map[nlp.Span]db.Sentence, len(decided))
	for _, s := range decided {
		decision[nlp.Span{Start: s.Start, End: s.End}] = s
	}
	e := nlp.Example{
		Passages: nlp.Passages(seg, nlp.Extract(seg)), Labels: make([][]string, len(seg.Sentences)),
		Decided: make([]bool, len(seg.Sentences)), Partly: map[int]nlp.LabelPart{},
	}
	for i, s := range seg.Sentences {
		d, ok := decision[s.Span]
		switch said := d.Said(); {
		case !ok:
		case said.Open: // what a model predicts beside it was neither confirmed nor refused
			e.Partly[i] = nlp.LabelPart{Given: said.Given, Refused: said.Refused}
		default:
			e.Decided[i], e.Labels[i] = true, said.Given
		}
	}
	return e
}

func countDecided(examples []nlp.Example) (n int) {
	for _, e := range examples {
		for _, decided := range e.Decided {
			if decided {
				n++
			}
		}
		n += len(e.Partly)
	}
	return n
}

// relabelFiles has the active model label what another one has labelled, or
// certain files.
type relabelFiles struct {
	river.WorkerDefaults[jobs.RelabelFiles]
	*Worker
}

// filesPerRelabel keeps one job far below the time that it may take.
const filesPerRelabel = 500

// Work labels some files, and asks for the next. Once another model is active, the rest is
// left to the operation of that.
func (w *relabelFiles) Work(ctx context.Context, job *river.Job[jobs.RelabelFiles]) error {
	in := db.System(job.Args.TeamID)
	superseded, err := w.superseded(ctx, job.Args)
	if err != nil {
		return err
	}
	if superseded {
		return w.DB.InTx(ctx, func(tx *db.Tx) error {
			if err := tx.FinishOperation(ctx, in, job.Args.OperationID, nil, ""); err != nil {
				return err
			}
			return jobs.Follow(ctx, tx.Raw, tx, job)
		})
	}
	files, err := w.next(ctx, job.Args)
	if err != nil {
		return err
	}
	for _, id := range files {
		if err := w.relabel(ctx, job, id); err != nil {
			return err
		}
	}
	return w.DB.InTx(ctx, func(tx *db.Tx) error {
		if len(files) < filesPerRelabel {
			if err := tx.FinishOperation(ctx, in, job.Args.OperationID, nil, ""); err != nil {
				return err
			}
			return jobs.Follow(ctx, tx.Raw, tx, job)
		}
		next := job.Args
		next.After = files[len(files)-1]
		return jobs.Follow(ctx, tx.Raw, tx, job, next)
	})
}

// superseded reports whether another model has become active than the one that args are
// about.
func (w *relabelFiles) superseded(ctx context.Context, args jobs.RelabelFiles) (bool, error) {
	if args.FileIDs != nil {
		return false, nil
	}
	active, err := w.DB.ActiveModel(ctx, db.System(args.TeamID))
	if fault.KindOf(err) == fault.NotFound {
		return args.ModelID != nlp.BaseModelID(), nil
	}
	return active.ID != args.ModelID, err
}

// next lists the files that args ask for, by id and at most as many as a job
// labels.
func (w *relabelFiles) next(ctx context.Context, args jobs.RelabelFiles) ([]string, error) {
	if args.FileIDs == nil {
		return w.DB.LabelledOtherwise(ctx, db.System(args.TeamID), args.ModelID, args.After, filesPerRelabel)
	}
	rest := slices.Sorted(slices.Values(args.FileIDs))
	rest = slices.DeleteFunc(rest, func(id string) bool { return id <= args.After })
	return rest[:min(len(rest), filesPerRelabel)], nil
}

// relabel analyses one file anew. One that went away or was read again
// meanwhile needs nothing more.
func (w *relabelFiles) relabel(ctx context.Context, job *river.Job[jobs.RelabelFiles], fileID string) error {
	in := db.System(job.Args.TeamID)
	save := func(*db.Tx) error { return nil }
	file, err := w.DB.File(ctx, in, fileID)
	if err == nil {
		meaning, analyzeErr := w.analyze(ctx, in, file)
		save, err = func(tx *db.Tx) error { return tx.SaveAnalysis(ctx, in, fileID, meaning) }, analyzeErr
	}
	if err == nil {
		err = w.step(ctx, job, save)
	}
	if kind := fault.KindOf(err); err != nil && (kind == fault.NotFound || kind == fault.Conflict && !errors.Is(err, db.ErrFenced)) {
		return w.step(ctx, job, nothing)
	}
	return err
}

// step saves one file's labels and counts it.
func (w *relabelFiles) step(ctx context.Context, job *river.Job[jobs.RelabelFiles], save func(*db.Tx) error) error {
	return w.DB.InTx(ctx, func(tx *db.Tx) error {
		if err := save(tx); err != nil {
			return err
		}
		if err := tx.AdvanceOperation(ctx, db.System(job.Args.TeamID), job.Args.OperationID, 1); err != nil {
			return err
		}
		return tx.Fence(ctx, job.ID, job.Attempt)
	})
}

// planEvery is how long new decisions wait to be noticed.
const planEvery = 10 * time.Second

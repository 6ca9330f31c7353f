package worker

import (
	"context"
	"encoding/json"
	"errors"
	"hash/fnv"
	"slices"
	"time"

	"github.com/riverqueue/river"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/jobs"
	"github.com/clausemill/clausemill/model"
	"github.com/clausemill/clausemill/nlp"
)

const (
	// leastDecisions is how many new decisions a new model needs: a fifth of them is
	// held out, and an evaluation on fewer than ten would mean nothing.
	leastDecisions = 50
	// mostTrainingFiles bounds what is in memory while a model is trained, to
	// some hundreds of megabytes.
	mostTrainingFiles = 400
	// heldBack is the share of decisions, one in so many, that a model does not
	// learn from but is judged by.
	heldBack = 5
)

// planTraining finds the teams that have decided enough for a new model.
type planTraining struct {
	river.WorkerDefaults[jobs.PlanTraining]
	*Worker
}

// Work plans once.
func (w *planTraining) Work(ctx context.Context, _ *river.Job[jobs.PlanTraining]) error {
	due, err := w.DB.DueTrainings(ctx, leastDecisions)
	if err != nil {
		return err
	}
	assigned, err := w.DB.DueTypeTrainings(ctx, nlp.BaseTypeModelID(), leastAssigned)
	if err != nil {
		return err
	}
	var list []river.JobArgs
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

// trainModel trains a model on the decisions of a team that were not withdrawn. If it
// is no worse than the active one on held-out decisions, it becomes the active one,
// and the files are labelled again.
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
	learned, held, err := w.decisions(ctx, in)
	if err != nil {
		return err
	}
	base, err := nlp.BaseModel()
	if err != nil {
		return err
	}
	_, current, err := w.models.Active(ctx, in)
	if err != nil {
		return err
	}
	stands, err := w.DB.ModelStands(ctx, in)
	if err != nil {
		return err
	}
	if !stands {
		current = base // what the active one learned is withdrawn in part, so that it is no measure
	}
	trained, err := base.Adapt(learned)
	if err != nil && !stands {
		return w.backToBase(ctx, job)
	}
	if err != nil {
		reason := err.Error()
		if err := w.DB.InTx(ctx, func(tx *db.Tx) error { return tx.RefuseModel(ctx, in, job.Args.Version, reason) }); err != nil {
			return err
		}
		return fault.Wrap(fault.Invalid, "the decisions make no model", err)
	}
	data, err := trained.AppendBinary(nil)
	if err != nil {
		return err
	}
	report := model.Report{
		Metrics: nlp.Evaluate(trained, held), Agreed: agreement(trained, held),
		Before: nlp.Evaluate(current, held), AgreedBefore: agreement(current, held),
	}
	metrics, err := json.Marshal(report)
	if err != nil {
		return err
	}
	row := db.Model{
		ID: db.NewID(), Version: job.Args.Version, Status: db.ModelCandidate, BaseID: nlp.BaseModelID(), Sentences: countDecided(learned), Metrics: metrics,
	}
	if report.Agreed >= report.AgreedBefore {
		row.Status = db.ModelActive
	}
	return w.DB.InTx(ctx, func(tx *db.Tx) error {
		if err := tx.SaveModel(ctx, in, row, data); err != nil {
			return err
		}
		switch {
		case row.Status == db.ModelActive:
			return w.relabelAll(ctx, tx, job, row.ID)
		case !stands:
			return w.activateBase(ctx, tx, job)
		}
		return jobs.Follow(ctx, tx.Raw, tx, job)
	})
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

// decisions are those of a team, to learn from and held back.
func (w *Worker) decisions(ctx context.Context, in db.Scope) (learned, held []nlp.Example, err error) {
	files, err := w.DB.DecidedFiles(ctx, in, mostTrainingFiles)
	if err != nil {
		return nil, nil, err
	}
	for _, id := range files {
		pages, err := w.DB.PageStructures(ctx, in, id)
		if err != nil {
			return nil, nil, err
		}
		decided, err := w.DB.ValidatedSentences(ctx, in, id)
		if err != nil {
			return nil, nil, err
		}
		seg, err := segment(pages)
		if err != nil {
			return nil, nil, err
		}
		learned = append(learned, newExample(seg, decided, func(s db.Sentence) bool { return !isHeldBack(s.Text) }))
		held = append(held, newExample(seg, decided, func(s db.Sentence) bool { return isHeldBack(s.Text) }))
	}
	return learned, held, nil
}

// isHeldBack depends on the words only, so that copies of a held-out sentence are
// held out too.
func isHeldBack(text string) bool {
	h := fnv.New32a()
	_, _ = h.Write([]byte(text)) // never fails
	return h.Sum32()%heldBack == 0
}

// newExample is a file with those of its decisions that are chosen.
func newExample(seg *nlp.Segmentation, decided []db.Sentence, chosen func(db.Sentence) bool) nlp.Example {
	decision := make(map[nlp.Span]db.Sentence, len(decided))
	for _, s := range decided {
		if chosen(s) {
			decision[nlp.Span{Start: s.Start, End: s.End}] = s
		}
	}
	e := nlp.Example{Passages: nlp.Passages(seg, nlp.Extract(seg)), Labels: make([][]string, len(seg.Sentences)), Decided: make([]bool, len(seg.Sentences))}
	for i, s := range seg.Sentences {
		d, ok := decision[s.Span]
		e.Decided[i] = ok
		if ok && d.Label != nil {
			e.Labels[i] = []string{*d.Label}
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
	}
	return n
}

// agreement counts the decisions of examples that a model would have made. It
// can be compared between models that know different nodes.
func agreement(m *nlp.Model, examples []nlp.Example) (n int) {
	for _, e := range examples {
		for i, p := range m.Predict(e.Passages) {
			right := p.Label == "" && len(e.Labels[i]) == 0 || slices.Contains(e.Labels[i], p.Label)
			if e.Decided[i] && right {
				n++
			}
		}
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

// Work labels some files, and asks for the next.
func (w *relabelFiles) Work(ctx context.Context, job *river.Job[jobs.RelabelFiles]) error {
	in := db.System(job.Args.TeamID)
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
		if err := tx.StepOperation(ctx, db.System(job.Args.TeamID), job.Args.OperationID, 1, nil); err != nil {
			return err
		}
		return tx.Fence(ctx, job.ID, job.Attempt)
	})
}

// planEvery is how long new decisions wait to be noticed.
const planEvery = time.Minute

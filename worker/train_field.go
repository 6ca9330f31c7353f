package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/riverqueue/river"
	"golang.org/x/sync/errgroup"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/jobs"
	"github.com/clausemill/clausemill/model"
	"github.com/clausemill/clausemill/nlp"
)

// trainField learns a field of a team from the decisions of users on it, and has the files read
// for it anew. Where too few of its values were right in files that were held back, the
// model is refused, and nothing is proposed.
type trainField struct {
	river.WorkerDefaults[jobs.TrainField]
	*Worker
}

// Work trains one model.
func (w *trainField) Work(ctx context.Context, job *river.Job[jobs.TrainField]) error {
	in := db.System(job.Args.TeamID)
	f, err := w.DB.Field(ctx, in, job.Args.Key)
	if err != nil {
		return err
	}
	if f.Version >= job.Args.Version {
		return w.DB.InTx(ctx, func(tx *db.Tx) error { return jobs.Follow(ctx, tx.Raw, tx, job) })
	}
	question := model.Question(f)
	examples, err := w.fieldExamples(ctx, in, f, question)
	if err != nil {
		return err
	}
	others, err := w.otherFiles(ctx, in, f, question)
	if err != nil {
		return err
	}
	trained, report := nlp.LearnField(ctx, examples, others)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	row := db.FieldModel{ID: db.NewID(), Version: job.Args.Version, Status: db.FieldModelRefused}
	var data []byte
	if trained != nil {
		row.Status = db.FieldModelActive
		if data, err = trained.AppendBinary(nil); err != nil {
			return err
		}
	}
	if row.Metrics, err = json.Marshal(report); err != nil {
		return err
	}
	return w.DB.InTx(ctx, func(tx *db.Tx) error {
		if err := tx.SaveFieldModel(ctx, in, f, row, data); err != nil {
			return err
		}
		files, err := tx.CountAllFiles(ctx, in)
		if err != nil {
			return err
		}
		op, err := tx.CreateOperation(ctx, in, "propose", files, nil)
		if err != nil {
			return err
		}
		return jobs.Follow(ctx, tx.Raw, tx, job, jobs.ProposeField{OperationID: op.ID, TeamID: in.TeamID, Key: f.Key, Version: row.Version})
	})
}

// filesAtOnce is how many files are read at the same time to learn from.
const filesAtOnce = 2

// fieldExamples are the files that people said something of for a field. A file that was
// deleted meanwhile is left out.
func (w *Worker) fieldExamples(ctx context.Context, in db.Scope, f db.OwnField, q nlp.FieldQuestion) ([]nlp.FieldExample, error) {
	said, err := w.DB.SaidOfField(ctx, in, f, mostTrainingFiles)
	if err != nil {
		return nil, err
	}
	var byFile [][]db.SaidOfField
	for i, s := range said {
		if i == 0 || said[i-1].FileID != s.FileID {
			byFile = append(byFile, nil)
		}
		byFile[len(byFile)-1] = append(byFile[len(byFile)-1], s)
	}
	files := make([]string, len(byFile))
	for i, list := range byFile {
		files[i] = list[0].FileID
	}
	readings, err := w.readFields(ctx, in, q, files)
	if err != nil {
		return nil, err
	}
	examples := make([]nlp.FieldExample, len(byFile))
	for i, list := range byFile {
		if examples[i], err = newFieldExample(readings[i], list); err != nil {
			return nil, err
		}
	}
	return examples, nil
}

// otherFiles are files of which nobody said anything for a field.
func (w *Worker) otherFiles(ctx context.Context, in db.Scope, f db.OwnField, q nlp.FieldQuestion) ([]*nlp.FieldReading, error) {
	files, err := w.DB.FilesWithoutField(ctx, in, f, nlp.OtherFieldFiles)
	if err != nil {
		return nil, err
	}
	return w.readFields(ctx, in, q, files)
}

// readFields reads files as a field is learned from them.
func (w *Worker) readFields(ctx context.Context, in db.Scope, q nlp.FieldQuestion, files []string) ([]*nlp.FieldReading, error) {
	readings := make([]*nlp.FieldReading, len(files))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(filesAtOnce)
	for i, id := range files {
		group.Go(func() error {
			seg, err := w.segmentation(ctx, in, id)
			if err == nil {
				readings[i] = nlp.ReadField(q, seg)
			}
			return err
		})
	}
	return readings, group.Wait()
}

// segmentation reads and segments the text of a file.
func (w *Worker) segmentation(ctx context.Context, in db.Scope, fileID string) (*nlp.Segmentation, error) {
	pages, err := w.DB.PageStructures(ctx, in, fileID)
	if err != nil {
		return nil, err
	}
	return segment(pages)
}

// newFieldExample is a file with the decisions of users on it. What they marked is all that is
// right; where they marked nothing, it is what they confirmed.
func newFieldExample(reading *nlp.FieldReading, said []db.SaidOfField) (e nlp.FieldExample, err error) {
	e.Reading = reading
	marked := false
	for _, s := range said {
		marked = marked || s.Decision == "marked"
	}
	for _, s := range said {
		var value nlp.Value
		if err := json.Unmarshal(s.Normalized, &value); err != nil {
			return e, err
		}
		if s.Decision == string(db.RefusedValue) || s.Decision == string(db.ConfirmedValue) && marked {
			continue
		}
		mark := nlp.FieldMark{Value: value.String()}
		if mark.Value == "" {
			mark.Value = s.Value
		}
		if s.Start != nil && s.End != nil {
			mark.Span = nlp.Span{Start: *s.Start, End: *s.End}
		}
		e.Marks = append(e.Marks, mark)
	}
	return e, nil
}

// propose reads a text for the fields of the team, as rows of its attributes.
func (w *Worker) propose(ctx context.Context, in db.Scope, seg *nlp.Segmentation) ([]db.Attribute, error) {
	fields, err := w.models.Fields(ctx, in)
	if err != nil {
		return nil, err
	}
	var list []db.Attribute
	for _, f := range fields {
		rows, err := proposals(f, seg)
		if err != nil {
			return nil, err
		}
		list = append(list, rows...)
	}
	return list, nil
}

// firstProposal is the ordinal of the first value that is proposed for a field: they come
// behind what rules read.
const firstProposal = 10_000

// proposals are the values that a text may have for a field.
func proposals(f model.Field, seg *nlp.Segmentation) ([]db.Attribute, error) {
	var list []db.Attribute
	for i, p := range f.Model.Propose(nlp.ReadField(model.Question(f.OwnField), seg)) {
		row, err := newAttribute(seg, nlp.Attribute{Key: nlp.Key(f.Key), Value: p.Value, Confidence: p.Confidence, Spans: []nlp.Span{p.Span}})
		if err != nil {
			return nil, err
		}
		row.Level, row.Ordinal = db.FileLevel, firstProposal+i
		if f.Type == "choice" { // what stands there is the evidence
			row.Value = p.Value.Name
		}
		list = append(list, row)
	}
	return list, nil
}

// proposeField reads the files of a team for one field.
type proposeField struct {
	river.WorkerDefaults[jobs.ProposeField]
	*Worker
}

// Work reads some files, and asks for the next. Once there is a newer model, the rest is
// left to that.
func (w *proposeField) Work(ctx context.Context, job *river.Job[jobs.ProposeField]) error {
	in := db.System(job.Args.TeamID)
	f, err := w.DB.Field(ctx, in, job.Args.Key)
	if fault.KindOf(err) == fault.NotFound {
		return w.end(ctx, job)
	}
	if err != nil {
		return err
	}
	files, err := w.DB.AllFiles(ctx, in, job.Args.After, filesPerRelabel)
	if err != nil {
		return err
	}
	if f.Version != job.Args.Version {
		return w.end(ctx, job)
	}
	fields, err := w.models.Fields(ctx, in)
	if err != nil {
		return err
	}
	active := model.Field{OwnField: f}
	for _, other := range fields {
		if other.Key == f.Key {
			active = other
		}
	}
	for _, id := range files {
		if err := w.read(ctx, job, active, id); err != nil {
			return err
		}
	}
	if len(files) < filesPerRelabel {
		return w.end(ctx, job)
	}
	next := job.Args
	next.After = files[len(files)-1]
	return w.DB.InTx(ctx, func(tx *db.Tx) error { return jobs.Follow(ctx, tx.Raw, tx, job, next) })
}

// end ends the operation with the job.
func (w *proposeField) end(ctx context.Context, job *river.Job[jobs.ProposeField]) error {
	return w.DB.InTx(ctx, func(tx *db.Tx) error {
		err := tx.FinishOperation(ctx, db.System(job.Args.TeamID), job.Args.OperationID, nil, "")
		if err != nil {
			return err
		}
		return jobs.Follow(ctx, tx.Raw, tx, job)
	})
}

// read proposes values for one file; none where the field has no model. A file that has
// no text yet, went away or was read again meanwhile needs nothing more.
func (w *proposeField) read(ctx context.Context, job *river.Job[jobs.ProposeField], f model.Field, fileID string) error {
	in := db.System(job.Args.TeamID)
	file, err := w.DB.File(ctx, in, fileID)
	var rows []db.Attribute
	if err == nil && !file.TextReady {
		return w.step(ctx, job, nothing)
	}
	if err == nil && f.Model != nil {
		var seg *nlp.Segmentation
		if seg, err = w.segmentation(ctx, in, fileID); err == nil {
			rows, err = proposals(f, seg)
		}
	}
	if err == nil {
		err = w.step(ctx, job, func(tx *db.Tx) error { return tx.SaveProposals(ctx, in, fileID, file.Generation, f.Key, rows) })
	}
	if kind := fault.KindOf(err); err != nil && (kind == fault.NotFound || kind == fault.Conflict && !errors.Is(err, db.ErrFenced)) {
		return w.step(ctx, job, nothing)
	}
	if err != nil {
		return fmt.Errorf("propose %s for %s: %w", f.Key, fileID, err)
	}
	return nil
}

// step saves what is proposed for one file and counts it.
func (w *proposeField) step(ctx context.Context, job *river.Job[jobs.ProposeField], save func(*db.Tx) error) error {
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

// carryMarks brings what people marked in a file to its new text. Marks whose words are not
// there any more lose their place.
func carryMarks(ctx context.Context, tx *db.Tx, in db.Scope, fileID string, seg *nlp.Segmentation) error {
	marks, err := tx.MarksOfFile(ctx, in, fileID)
	if err != nil || len(marks) == 0 {
		return err
	}
	placer := nlp.NewPlacer(seg.Text)
	for i := range marks {
		m := &marks[i]
		near := 0
		if m.Start != nil {
			near = *m.Start
		}
		span, ok := placer.Find(m.Quote, near)
		if m.Start, m.End, m.Page = nil, nil, nil; ok {
			m.Start, m.End, m.Page, m.Quote = &span.Start, &span.End, ptr(seg.PageAt(span.Start)), seg.Quote(span)
		}
	}
	return tx.PlaceMarks(ctx, in, fileID, marks)
}

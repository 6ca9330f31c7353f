package worker

import (
	"context"
	"hash/fnv"
	"strings"

	"github.com/riverqueue/river"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/jobs"
	"github.com/clausemill/clausemill/nlp"
)

// leastAssigned is how many new assignments make a new model of types worth its
// while.
const leastAssigned = 10

// trainTypes makes a model of the types that people have assigned. It is used
// from the next file on if it is no worse on files that were held back.
type trainTypes struct {
	river.WorkerDefaults[jobs.TrainTypes]
	*Worker
}

// Work trains one model.
func (w *trainTypes) Work(ctx context.Context, job *river.Job[jobs.TrainTypes]) error {
	in := db.System(job.Args.TeamID)
	files, all, err := w.DB.AssignedFiles(ctx, in, mostTrainingFiles)
	if err != nil {
		return err
	}
	var learned, held []nlp.TypeExample
	for _, f := range files {
		pages, err := w.DB.PageTexts(ctx, in, f.ID)
		if err != nil {
			return err
		}
		example := nlp.TypeExample{Contract: nlp.TypeText{Title: f.Title, Text: strings.Join(pages, "\f")}, Type: f.Type}
		if isHeldBack(f.ID) {
			held = append(held, example)
		} else {
			learned = append(learned, example)
		}
	}
	row := db.TypeModel{ID: db.NewID(), Version: job.Args.Version, Files: all, BaseID: nlp.BaseTypeModelID()}
	if row.Data, err = adaptTypes(learned, held); err != nil {
		return err
	}
	return w.DB.InTx(ctx, func(tx *db.Tx) error {
		if err := tx.SaveTypeModel(ctx, in, row); err != nil {
			return err
		}
		return jobs.Follow(ctx, tx.Raw, tx, job)
	})
}

// heldBack is the share of files, one in so many, that a model of types does not
// learn from but is judged by.
const heldBack = 5

func isHeldBack(fileID string) bool {
	h := fnv.New32a()
	_, _ = h.Write([]byte(fileID)) // never fails
	return h.Sum32()%heldBack == 0
}

// adaptTypes is the base model adapted to what was learned, or nil where that is
// worse on what was held back.
func adaptTypes(learned, held []nlp.TypeExample) ([]byte, error) {
	base, err := nlp.BaseTypeModel()
	if err != nil || len(learned) == 0 {
		return nil, err
	}
	adapted, err := base.Adapt(learned)
	if err != nil {
		return nil, nil //nolint:nilerr // more types than a model can know: the base model stays
	}
	if nlp.EvaluateTypes(adapted, held).Accuracy < nlp.EvaluateTypes(base, held).Accuracy {
		return nil, nil
	}
	return adapted.AppendBinary(nil)
}

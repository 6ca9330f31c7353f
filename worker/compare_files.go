package worker

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/nlp"
)

const (
	// mostSimilar is how many files with bands in common are looked at, and
	// mostCompared how many of them word by word: the likest. A form that was
	// filled in a thousand times costs no more.
	mostSimilar  = 100
	mostCompared = 10
	// leastResemblance is that of two sketches worth comparing the texts. A bad
	// scan of a page has a third of its runs of words right.
	leastResemblance = 0.25
)

// newSketch makes a row of the sketch of a text.
func newSketch(seg *nlp.Segmentation) db.Sketch {
	sketch := nlp.NewSketch(seg.Text)
	return db.Sketch{Data: sketch.Bytes(), Bands: sketch.Bands()}
}

// similar lists the files whose texts are worth comparing with that of one, the likest first.
func similar(ctx context.Context, q db.Queries, in db.Scope, fileID string, sketch db.Sketch) ([]db.SketchedFile, error) {
	if len(sketch.Bands) == 0 {
		return nil, nil
	}
	list, err := q.SimilarSketches(ctx, in, fileID, sketch.Bands, mostSimilar)
	own := nlp.ParseSketch(sketch.Data)
	resemblance := make(map[string]float64, len(list))
	for _, s := range list {
		resemblance[s.ID] = own.Resemblance(nlp.ParseSketch(s.Sketch))
	}
	list = slices.DeleteFunc(list, func(s db.SketchedFile) bool { return resemblance[s.ID] < leastResemblance })
	slices.SortStableFunc(list, func(a, b db.SketchedFile) int { return cmp.Compare(resemblance[b.ID], resemblance[a.ID]) })
	return list[:min(mostCompared, len(list))], err
}

// sameTexts reports whether two lists name the same texts, in any order.
func sameTexts(a, b []db.SketchedFile) bool {
	generations := func(list []db.SketchedFile) map[string]int {
		of := make(map[string]int, len(list))
		for _, f := range list {
			of[f.ID] = f.Generation
		}
		return of
	}
	return maps.Equal(generations(a), generations(b))
}

// compare compares the text of a file with those of similar ones.
func (w *Worker) compare(ctx context.Context, in db.Scope, file db.File, seg *nlp.Segmentation, facts nlp.Attributes, similar []db.SketchedFile) ([]db.Compared, error) {
	own := nlp.Reading{Text: seg.Text, Recognized: file.PagesOCR > 0}
	for _, f := range facts.File {
		if f.Key == nlp.Party {
			own.Parties = append(own.Parties, f.Value.Name)
		}
	}
	return w.compareReading(ctx, in, own, similar)
}

// compareAgain finds the files that one is almost the same as, which came back to
// where others have come in the meantime.
func (w *Worker) compareAgain(ctx context.Context, in db.Scope, fileID string) error {
	sketch, err := w.DB.Sketch(ctx, in, fileID)
	if err != nil {
		return err
	}
	others, err := similar(ctx, w.DB.Queries, in, fileID, sketch)
	if err != nil || len(others) == 0 {
		return err
	}
	own, err := reading(ctx, w.DB.Queries, in, fileID)
	if err != nil {
		return err
	}
	compared, err := w.compareReading(ctx, in, own, others)
	if err != nil {
		return err
	}
	return w.DB.InTx(ctx, func(tx *db.Tx) error { return tx.SaveCompared(ctx, in, fileID, sketch.Generation, compared) })
}

// compareReading compares a text with those of similar files. They are read one after the
// other, as they may be large, and in one transaction, for which reading them is planned once:
// that took longer than to read a short text. Between statements it holds no row.
func (w *Worker) compareReading(ctx context.Context, in db.Scope, own nlp.Reading, similar []db.SketchedFile) ([]db.Compared, error) {
	if len(similar) == 0 {
		return nil, nil
	}
	var compared []db.Compared
	err := w.DB.InTx(ctx, func(tx *db.Tx) error {
		compared = nil
		if err := tx.PlanOnce(ctx); err != nil {
			return err
		}
		for _, s := range similar {
			other, err := reading(ctx, tx.Queries, in, s.ID)
			if fault.KindOf(err) == fault.NotFound {
				continue // it went away
			}
			if err != nil {
				return err
			}
			l := nlp.CompareTexts(own, other)
			compared = append(compared, db.Compared{FileID: s.ID, Generation: s.Generation, Kind: string(l.Kind), Share: float32(l.Share)})
		}
		return nil
	})
	return compared, err
}

// reading is the text of a file as it is compared.
func reading(ctx context.Context, q db.Queries, in db.Scope, fileID string) (nlp.Reading, error) {
	text, err := q.FileText(ctx, in, fileID)
	return nlp.Reading{Text: text.Text, Parties: text.Parties, Recognized: text.Recognized}, err
}

package worker

import (
	"cmp"
	"context"
	"slices"
	"sync"

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

// candidates are the files that one may be almost the same as, by their sketches.
type candidates struct {
	known map[string]int    // generations of all whose sketches were looked at, by id
	best  []db.SketchedFile // those whose texts are worth comparing, the likest first
	open  []int64           // bands by which others are found that come later
}

// similar finds the candidates of a file by all or some of the bands of its sketch.
func similar(ctx context.Context, q db.Queries, in db.Scope, fileID string, sketch db.Sketch, bands []int64) (candidates, error) {
	c := candidates{known: map[string]int{}}
	if len(bands) == 0 {
		return c, nil
	}
	list, open, err := q.SimilarSketches(ctx, in, fileID, bands, mostSimilar)
	own := nlp.ParseSketch(sketch.Data)
	resemblance := make(map[string]float64, len(list))
	for _, s := range list {
		c.known[s.ID], resemblance[s.ID] = s.Generation, own.Resemblance(nlp.ParseSketch(s.Sketch))
	}
	list = slices.DeleteFunc(list, func(s db.SketchedFile) bool { return resemblance[s.ID] < leastResemblance })
	slices.SortStableFunc(list, func(a, b db.SketchedFile) int { return cmp.Compare(resemblance[b.ID], resemblance[a.ID]) })
	c.best, c.open = list[:min(mostCompared, len(list))], open
	return c, err
}

// appeared lists files that are worth comparing with one and that are not among its candidates, or
// with another text.
func (c candidates) appeared(ctx context.Context, q db.Queries, in db.Scope, fileID string, sketch db.Sketch) ([]db.SketchedFile, error) {
	now, err := similar(ctx, q, in, fileID, sketch, c.open)
	return slices.DeleteFunc(now.best, func(s db.SketchedFile) bool { return c.known[s.ID] == s.Generation }), err
}

// add adds files that appeared.
func (c *candidates) add(list []db.SketchedFile) {
	for _, s := range list {
		c.known[s.ID] = s.Generation
		c.best = slices.DeleteFunc(c.best, func(before db.SketchedFile) bool { return before.ID == s.ID })
	}
	c.best = append(c.best, list...)
}

// newReading is a text as it is compared with those of others.
func newReading(file db.File, seg *nlp.Segmentation, facts nlp.Attributes) nlp.Reading {
	var parties []string
	for _, f := range facts.File {
		if f.Key == nlp.Party {
			parties = append(parties, f.Value.Name)
		}
	}
	return nlp.NewReading(seg.Text, parties, file.PagesOCR > 0)
}

// compareAgain finds the files that one is almost the same as, which came back to
// where others have come in the meantime.
func (w *Worker) compareAgain(ctx context.Context, in db.Scope, fileID string) error {
	sketch, err := w.DB.Sketch(ctx, in, fileID)
	if err != nil {
		return err
	}
	others, err := similar(ctx, w.DB.Queries, in, fileID, sketch, sketch.Bands)
	if err != nil || len(others.best) == 0 {
		return err
	}
	own, err := reading(ctx, w.DB.Queries, in, fileID)
	if err != nil {
		return err
	}
	compared, err := w.compare(ctx, in, own, others.best)
	if err != nil {
		return err
	}
	return w.DB.InTx(ctx, func(tx *db.Tx) error { return tx.SaveCompared(ctx, in, fileID, sketch.Generation, compared) })
}

// compare compares a text with those of similar files, of which those that were not compared
// lately are read: one after the other, as they may be large, and in one transaction, for which
// reading them is planned once: that took longer than to read a short text. Between statements
// it holds no row.
func (w *Worker) compare(ctx context.Context, in db.Scope, own nlp.Reading, similar []db.SketchedFile) ([]db.Compared, error) {
	var compared []db.Compared
	var others []db.SketchedFile
	add := func(s db.SketchedFile, other nlp.Reading) {
		l := nlp.CompareTexts(own, other)
		compared = append(compared, db.Compared{FileID: s.ID, Generation: s.Generation, Kind: string(l.Kind), Share: float32(l.Share)})
	}
	for _, s := range similar {
		if other, ok := w.readings.get(s); ok {
			add(s, other)
		} else {
			others = append(others, s)
		}
	}
	if len(others) == 0 {
		return compared, nil
	}
	known := len(compared)
	err := w.DB.InTx(ctx, func(tx *db.Tx) error {
		compared = compared[:known]
		if err := tx.PlanOnce(ctx); err != nil {
			return err
		}
		for _, s := range others {
			other, err := reading(ctx, tx.Queries, in, s.ID)
			if fault.KindOf(err) == fault.NotFound {
				continue // it went away
			}
			if err != nil {
				return err
			}
			w.readings.put(s, other)
			add(s, other)
		}
		return nil
	})
	return compared, err
}

// reading is the text of a file as it is compared.
func reading(ctx context.Context, q db.Queries, in db.Scope, fileID string) (nlp.Reading, error) {
	text, err := q.FileText(ctx, in, fileID)
	return nlp.NewReading(text.Text, text.Parties, text.Recognized), err
}

// readings are the texts that others were compared with last: where a team has one form a thousand
// times, those are always the same few. Which files there are, and of which text, the
// database says each time.
type readings struct {
	mu     sync.Mutex
	of     map[textOf]nlp.Reading
	oldest []textOf // in the order in which they came
	size   int      // bytes
}

// textOf names a text: generations of a file only grow. A text that is replaced while it is read
// may come under the number of the one before, which nobody asks for again.
type textOf struct {
	fileID     string
	generation int
}

// mostReadings is how many bytes of texts a worker keeps. Those of contracts take some fifty
// kilobytes each.
const mostReadings = 16 << 20

func (r *readings) get(s db.SketchedFile) (nlp.Reading, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	reading, ok := r.of[textOf{s.ID, s.Generation}]
	return reading, ok
}

func (r *readings) put(s db.SketchedFile, reading nlp.Reading) {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := textOf{s.ID, s.Generation}
	if _, known := r.of[key]; known || reading.Size() > mostReadings/8 {
		return
	}
	for r.size += reading.Size(); r.size > mostReadings; r.oldest = r.oldest[1:] {
		r.size -= r.of[r.oldest[0]].Size()
		delete(r.of, r.oldest[0])
	}
	r.of[key], r.oldest = reading, append(r.oldest, key)
}

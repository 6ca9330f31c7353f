package worker

import (
	"context"

	"github.com/riverqueue/river"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/document"
	"github.com/clausemill/clausemill/jobs"
	"github.com/clausemill/clausemill/layout"
)

// extractText reads the text that a file carries in itself, where that was not
// done when it was received.
type extractText struct {
	river.WorkerDefaults[jobs.ExtractText]
	*Worker
}

// So many pages are written at a time: enough for a fast copy, few enough to
// show progress and to bound memory.
const pagesPerWrite = 128

// Work extracts one file.
func (w *extractText) Work(ctx context.Context, job *river.Job[jobs.ExtractText]) error {
	in, attempt := about(job.Args.File)
	file, err := w.open(ctx, in, attempt)
	if err != nil {
		return err
	}
	local, release, err := w.local(ctx, file)
	if err != nil {
		return err
	}
	defer release()
	return extract(ctx, w.Worker, job, file, local, nothing)
}

// extract ends a step with the text that a file carries in itself, and with what
// save writes. It sends the pages without good text to be recognised, and makes
// a text of the others if there are none.
func extract[A jobs.FileArgs](ctx context.Context, w *Worker, job *river.Job[A], file db.File, local string, save func(*db.Tx) error) error {
	args := job.Args.About()
	in, attempt := about(args)
	var pages []db.Page
	var pending []int
	read, written := 0, false
	write := func(tx *db.Tx) error {
		if !written {
			if err := save(tx); err != nil {
				return err
			}
			return tx.ReplacePages(ctx, in, file.ID, max(file.PageCount, read), pages)
		}
		return tx.AddPages(ctx, in, file.ID, max(file.PageCount, read), pages)
	}
	err := w.lane(args).Documents.Extract(ctx, local, document.Kind(file.Kind), 1, 0, func(p document.Page) error {
		page, err := newPage(p, file.Options.OCR)
		if err != nil {
			return err
		}
		w.metrics.pages.WithLabelValues(page.Source, page.Reason).Inc()
		if page.Pending {
			pending = append(pending, page.Number)
		}
		pages = append(pages, page)
		read++
		if len(pages) < pagesPerWrite {
			return nil
		}
		err = keep(ctx, w, job, func(tx *db.Tx) error {
			if err := write(tx); err != nil {
				return err
			}
			_, err := tx.EnterStage(ctx, in, attempt, db.StageExtract)
			return err
		})
		written, pages = true, pages[:0]
		return err
	})
	if err != nil {
		return err
	}
	if len(pending) > 0 {
		return follow(ctx, w, job, db.StageRecognize, write, recognition(args, pending)...)
	}
	if written { // too many for one breath
		return follow(ctx, w, job, db.StageSegment, write, jobs.SegmentText{File: args})
	}
	return understand(ctx, w, job, file, pages, true, save)
}

// newPage makes a row of an extracted page. How pages are recognised may be
// forced or forbidden by the attempt's options.
func newPage(p document.Page, ocr string) (db.Page, error) {
	paragraphs, err := newParagraphs(p)
	page := db.Page{
		Number: p.Number, Width: p.Width, Height: p.Height,
		Source: string(document.TextLayer), Reason: string(p.Reason), Confidence: p.Confidence,
		Text: p.Text, Words: layout.EncodeWords(p.Words), Paragraphs: paragraphs, Fields: newFields(p), Emphasis: newEmphasis(p),
	}
	drawn := p.Width > 0 || p.NeedsOCR // only a page that can be drawn can be recognised
	if drawn && ocr != "never" && (p.NeedsOCR || ocr == "force") {
		page.Source, page.Pending = string(document.Recognised), true
		page.Text, page.Confidence = "", 0 // its fields and emphasis stay for where the text layer does
		page.Words = layout.EncodeWords(overlays(p.Words))
		if p.Text != "" {
			page.LayerText = &p.Text
		}
		if !p.NeedsOCR {
			page.Reason = "forced"
		}
	}
	return page, err
}

// overlays are the words that a page shows over its content.
func overlays(words []layout.Word) (over []layout.Word) {
	for _, w := range words {
		if (w.Origin == layout.Field || w.Origin == layout.Annotation) && w.Box != (layout.Box{}) {
			over = append(over, w)
		}
	}
	return over
}

// The fan-out of a long scan: a job for each page while there are few, then
// batches, so that a book does not become thousands of rows. Few pages go
// through the fast lane with their file; many go through the fair scheduler.
const (
	batches       = 256
	longestBatch  = 8
	fastLanePages = 16
)

// recognition cuts the pages of a file into jobs.
func recognition(file jobs.File, pages []int) []river.JobArgs {
	if len(pages) > fastLanePages {
		file.Bulk = true
	}
	size := min(max(1, len(pages)/batches), longestBatch)
	var list []river.JobArgs
	for len(pages) > 0 {
		n := min(size, len(pages))
		list = append(list, jobs.RecognizePages{File: file, Pages: pages[:n:n]})
		pages = pages[n:]
	}
	return list
}

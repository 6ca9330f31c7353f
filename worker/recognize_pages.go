package worker

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/document"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/jobs"
	"github.com/clausemill/clausemill/layout"
	"github.com/clausemill/clausemill/nlp"
	"github.com/clausemill/clausemill/ocr"
)

// recognizePages reads pages off their images. Each page is kept as soon as it
// is done, so a killed worker costs one page; the last page of a file, wherever
// it was read, sends the file on.
type recognizePages struct {
	river.WorkerDefaults[jobs.RecognizePages]
	*Worker
}

// scanDPI is asked of the renderer; scans are rendered at their own resolution
// up to this.
const scanDPI = 300

// Work recognises one batch.
func (w *recognizePages) Work(ctx context.Context, job *river.Job[jobs.RecognizePages]) error {
	in, attempt := about(job.Args.File)
	file, err := w.open(ctx, in, attempt)
	if err != nil {
		return err
	}
	pending, err := w.DB.PendingPages(ctx, in, file.ID)
	if err != nil {
		return err
	}
	waiting := map[int]db.PendingPage{}
	for _, p := range pending {
		waiting[p.Number] = p
	}
	local, release, err := w.local(ctx, file)
	if err != nil {
		return err
	}
	defer release()

	languages := cmp.Or(file.Options.Languages, w.Languages)
	for _, number := range job.Args.Pages {
		waits, ok := waiting[number]
		if !ok {
			continue
		}
		page, err := w.recognize(ctx, file, local, number, languages, w.lane(job.Args.File))
		if err == nil && file.Options.Languages == "" {
			page, languages, err = w.inItsLanguage(ctx, file, local, page, languages, w.lane(job.Args.File))
		}
		if err == nil && waits.Reason == string(document.ReasonImplausible) && file.Options.OCR != "force" {
			page, err = w.confirm(ctx, file, local, page, w.lane(job.Args.File))
		}
		if err == nil && waits.Overlaid && page.Source == "" { // which is that of the text layer where that stays
			page, err = w.overlay(ctx, in, file.ID, page)
		}
		if err != nil {
			if page, err = w.giveUp(ctx, job.JobRow, number, err); err != nil {
				return err
			}
		}
		err = keep(ctx, w.Worker, job, func(tx *db.Tx) error { return tx.SaveRecognized(ctx, in, file.ID, page) })
		if err != nil {
			return err
		}
	}
	return w.DB.InTx(ctx, func(tx *db.Tx) error {
		// Several batches may see none pending, the last of them long after the first sent the file
		// on. The file's row is locked here, so its stage tells.
		open, err := tx.OpenAttempt(ctx, in, attempt)
		if err != nil {
			return err
		}
		left, err := tx.PendingPages(ctx, in, file.ID)
		if err != nil {
			return err
		}
		if len(left) > 0 || open.Stage != db.StageRecognize {
			return jobs.Follow(ctx, tx.Raw, tx, job)
		}
		if _, err := tx.EnterStage(ctx, in, attempt, db.StageSegment); err != nil {
			return err
		}
		next := job.Args.File
		next.Bulk = file.Bulk // its pages may have gone another way
		return jobs.Follow(ctx, tx.Raw, tx, job, jobs.SegmentText{File: next})
	})
}

// A page may be in another script if it was read with less confidence than doubtful. Pages
// in 8 scripts that were read as English have 19 to 50. Fewer code points than leastScript
// say too little of a script.
const (
	doubtful    = 60
	leastScript = 50
)

// inItsLanguage reads a page again that turned out to be in a language that it was not
// read for, where there is a model for it and it then reads better: without the letters of
// its language a text is full of slips. The pages that follow are read for that language
// at once. What was read of a page in a script that no model reads is noise, and dropped.
func (w *recognizePages) inItsLanguage(ctx context.Context, file db.File, local string, read db.Page, languages string, lane Lane) (db.Page, string, error) {
	its := w.model(read.Text)
	if read.Confidence < doubtful && utf8.RuneCountInString(read.Text) >= leastScript {
		script, err := w.script(ctx, file, local, read.Number, lane)
		if err != nil {
			return read, languages, ctx.Err()
		}
		if models := ocr.ModelsOf(script); models != nil {
			if slices.ContainsFunc(strings.Split(languages, "+"), func(l string) bool { return slices.Contains(models, l) }) {
				return read, languages, nil
			}
			if its = ocr.LanguagesOf(script, w.Installed); its == "" {
				return db.Page{Number: read.Number, Width: read.Width, Height: read.Height, Reason: scriptReason + strings.ToLower(script)}, languages, nil
			}
		} else if script == ocr.Latin && its == "" {
			its = w.Languages // another page was in another script
		}
	}
	if its == "" || slices.Contains(strings.Split(languages, "+"), its) || its == languages {
		return read, languages, nil
	}
	again, err := w.recognize(ctx, file, local, read.Number, its, lane)
	if err != nil || again.Confidence <= read.Confidence {
		return read, languages, ctx.Err() // there is a reading already
	}
	return again, its, nil
}

// scriptReason begins the reason of pages in a script that no model here reads.
const scriptReason = "script_"

// script names the script of a page.
func (w *recognizePages) script(ctx context.Context, file db.File, local string, number int, lane Lane) (string, error) {
	image, err := lane.Documents.Render(ctx, local, document.Kind(file.Kind), number, scanDPI)
	if err != nil {
		return "", err
	}
	return lane.OCR.Script(ctx, newImage(image, number))
}

// newImage is a picture of a page for recognition.
func newImage(image document.Image, number int) ocr.Image {
	return ocr.Image{Bytes: image.Bytes, DPI: image.DPI, Width: image.PageWidth, Height: image.PageHeight, Number: number}
}

// model is the one that is installed for the language of text, "" if none is.
func (w *recognizePages) model(text string) string {
	if l, ok := nlp.LanguageOf(text); ok && slices.Contains(w.Installed, l.Tesseract) {
		return l.Tesseract
	}
	return ""
}

// recognize reads one page.
func (w *recognizePages) recognize(ctx context.Context, file db.File, local string, number int, languages string, lane Lane) (db.Page, error) {
	started := time.Now()
	var waited time.Duration
	defer func() { w.metrics.ocrSeconds.Observe((time.Since(started) - waited).Seconds()) }()
	read := func(picture func(context.Context, string, document.Kind, int, float64) (document.Image, error)) (page layout.Page, packed bool, err error) {
		image, err := picture(ctx, local, document.Kind(file.Kind), number, scanDPI)
		if err != nil {
			return layout.Page{}, false, err
		}
		scan := newImage(image, number)
		scan.Languages = languages
		asked := time.Now()
		scan.Begun = func() { waited += time.Since(asked) }
		page, err = lane.OCR.Read(ctx, scan)
		return page, image.JPEG, err
	}
	page, packed, err := read(lane.Documents.Scan)
	if packed && fault.CodeOf(err) == fault.CorruptFile {
		page, _, err = read(lane.Documents.Render) // which shows what there is of a damaged JPEG
	}
	if err != nil {
		return db.Page{}, err
	}
	return db.Page{
		Number: number, Width: page.Width, Height: page.Height, Confidence: page.Confidence,
		Text: page.Text, Words: layout.EncodeWords(page.Words),
	}, nil
}

// confirm keeps a text layer that looked garbled where recognition read the same: it is
// only unusual then, as a page of codes is, and better than any recognition.
func (w *recognizePages) confirm(ctx context.Context, file db.File, local string, read db.Page, lane Lane) (db.Page, error) {
	kept := read
	err := lane.Documents.Extract(ctx, local, document.Kind(file.Kind), read.Number, read.Number, func(own document.Page) error {
		if document.Confirms(read.Text, own.Text) {
			own.Reason = document.ReasonConfirmed
			own.NeedsOCR = false
			confirmed, err := newPage(own, "never")
			if err != nil {
				return err
			}
			kept = confirmed
		}
		return nil
	})
	if err != nil {
		return read, ctx.Err()
	}
	return kept, nil
}

// overlay gives a page what is filled in and drawn over it as the file itself has it, in
// place of what was read there.
func (w *recognizePages) overlay(ctx context.Context, in db.Scope, fileID string, read db.Page) (db.Page, error) {
	rows, err := w.DB.PagesWithWords(ctx, in, fileID, read.Number, read.Number)
	if err != nil || len(rows) == 0 || rows[0].LayerText == nil {
		return read, err
	}
	layer := layout.Page{Text: *rows[0].LayerText}
	if layer.Words, err = layout.DecodeWords(rows[0].Words); err != nil {
		return read, fmt.Errorf("what stands over page %d: %w", read.Number, err)
	}
	page, err := read.Layout()
	if err != nil {
		return read, err
	}
	spans := make([]layout.Piece, len(rows[0].Fields))
	for i, f := range rows[0].Fields {
		spans[i] = layout.Piece{Start: f.Start, End: f.End, Box: f.Box}
	}
	page, spans = layout.Overlay(page, layer, spans)
	read.Text, read.Words, read.Confidence, read.Fields = page.Text, layout.EncodeWords(page.Words), page.Confidence, nil
	for i, f := range rows[0].Fields {
		if f.Start, f.End = spans[i].Start, spans[i].End; f.End > f.Start {
			read.Fields = append(read.Fields, f)
		}
	}
	slices.SortFunc(read.Fields, func(a, b db.Field) int { return a.Start - b.Start })
	return read, nil
}

// giveUp makes a result of a page that cannot be read: it carries its cause,
// and the text layer that was passed over if there is one. It returns the error
// where another try may end better.
func (w *recognizePages) giveUp(ctx context.Context, job *rivertype.JobRow, number int, cause error) (db.Page, error) {
	code, permanent := string(fault.CodeOf(cause)), fault.Permanent(cause)
	switch {
	case ctx.Err() != nil, !permanent && code == string(fault.InternalCode):
		return db.Page{}, cause
	case (!permanent || code == string(fault.OCRCrash)) && tries(job) < internalTries:
		return db.Page{}, fault.Wrap(fault.Internal, "the page is tried again", cause)
	}
	return db.Page{Number: number, ErrorCode: &code}, nil
}

package worker

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/riverqueue/river"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/document"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/jobs"
	"github.com/clausemill/clausemill/nlp"
	"github.com/clausemill/clausemill/ocr"
	"github.com/clausemill/clausemill/redline"
)

// segmentText makes a text of a file's pages that were read before, by
// recognition, by an earlier attempt or a part at a time.
type segmentText struct {
	river.WorkerDefaults[jobs.SegmentText]
	*Worker
}

// Work segments one file.
func (w *segmentText) Work(ctx context.Context, job *river.Job[jobs.SegmentText]) error {
	in, attempt := about(job.Args.File)
	file, err := w.open(ctx, in, attempt)
	if err != nil {
		return err
	}
	pages, err := w.DB.Pages(ctx, in, file.ID)
	if err != nil {
		return err
	}
	return understand(ctx, w.Worker, job, file, pages, false, nothing)
}

// unreadable fails a file of which not one page could be read, with the cause
// of its first page.
func unreadable(pages []db.Page) error {
	for _, p := range pages {
		if p.ErrorCode == nil || p.LayerText != nil {
			return nil
		}
	}
	if len(pages) == 0 {
		return fault.File(fault.EmptyFile, "the file has no pages", nil)
	}
	first := fault.File(fault.Code(*pages[0].ErrorCode), "no page of the file could be recognised", nil)
	first.Page = pages[0].Number
	return first
}

// lowConfidence is where Tesseract's words are wrong more often than a reader
// should have to find out alone.
const lowConfidence = 70

// warnings lists the warnings of a file's text.
func warnings(pages []db.Page, text db.Text) []db.Warning {
	var list []db.Warning
	failed, unread := map[string][]int{}, map[string][]int{}
	var low, forms, incomplete, hidden []int
	for _, p := range pages {
		switch p.Reason {
		case string(document.ReasonForm):
			forms = append(forms, p.Number)
		case string(document.ReasonFormIncomplete):
			incomplete = append(incomplete, p.Number)
		case string(document.ReasonHidden):
			hidden = append(hidden, p.Number)
		}
		script, isScript := strings.CutPrefix(p.Reason, scriptReason)
		switch {
		case isScript:
			unread[script] = append(unread[script], p.Number)
		case p.ErrorCode != nil:
			failed[*p.ErrorCode] = append(failed[*p.ErrorCode], p.Number)
		case p.Source == "ocr" && p.Text != "" && p.Confidence < lowConfidence:
			low = append(low, p.Number)
		}
	}
	for _, code := range slices.Sorted(maps.Keys(failed)) {
		list = append(list, db.Warning{Code: code, Pages: failed[code], Message: "these pages could not be recognised"})
	}
	for _, script := range slices.Sorted(maps.Keys(unread)) {
		list = append(list, db.Warning{Code: "script_not_installed", Pages: unread[script], Message: unreadScript(script)})
	}
	if forms != nil {
		list = append(list, db.Warning{Code: "layout_unknown", Pages: forms, Message: "a form that only Adobe's programs draw: its text was read, and where it stands is not known"})
	}
	if incomplete != nil {
		list = append(list, db.Warning{Code: "form_incomplete", Pages: incomplete, Message: "a form that only Adobe's programs draw: not all of its text could be read"})
	}
	if hidden != nil {
		list = append(list, db.Warning{Code: redline.HiddenText, Pages: hidden, Message: "text is hidden, struck out, white or too small to read; look at the file itself"})
	}
	if low != nil {
		list = append(list, db.Warning{Code: "low_ocr_confidence", Pages: low, Message: "these pages were hard to recognise; check them"})
	}
	if !slices.ContainsFunc(pages, func(p db.Page) bool { return strings.TrimSpace(p.Text) != "" }) {
		list = append(list, db.Warning{Code: "no_text", Message: "the file has no text"})
	}
	if len(text.Orphaned) > 0 {
		list = append(list, db.Warning{Code: "decisions_orphaned", Message: fmt.Sprintf("%d decisions could not be carried over to the new text", len(text.Orphaned))})
	}
	return list
}

// unreadScript tells what is missing to read a script.
func unreadScript(script string) string {
	name := strings.ToUpper(script[:1]) + script[1:]
	message := "these pages were not read: they are in " + name + " script, and no model for it is installed where scans are recognised"
	if models := ocr.ModelsOf(name); models != nil {
		message += fmt.Sprintf(". Have Tesseract's %q installed there, in Debian tesseract-ocr-%s, and reprocess the file", models[0], strings.ReplaceAll(models[0], "_", "-"))
	}
	return message
}

// newText makes rows of a segmentation.
func newText(seg *nlp.Segmentation) db.Text {
	text := db.Text{SegmenterVersion: nlp.SegmenterVersion, Language: seg.Language}
	for i, d := range seg.Documents {
		document := db.Document{
			ID: db.NewID(), Ordinal: i, Kind: string(d.Kind), Title: d.Title,
			Start: d.Start, End: d.End, FirstPage: d.FirstPage, LastPage: d.LastPage,
		}
		text.Documents = append(text.Documents, document)
		for _, b := range d.Blocks {
			block := db.Block{
				Ordinal: b.Ordinal, DocumentID: document.ID, Kind: string(b.Kind), Number: b.Number, Level: b.Level, Origin: b.Origin,
				Text: seg.Quote(b.Span), Start: b.Start, End: b.End, Page: b.Page,
			}
			for _, row := range b.Rows {
				block.Cells = append(block.Cells, newCells(row))
			}
			text.Blocks = append(text.Blocks, block)
		}
	}
	for _, f := range seg.Furniture {
		if b := blockAround(text.Blocks, f.Start, f.End); b != nil {
			b.Furniture = append(b.Furniture, db.Stretch{Start: f.Start, End: f.End})
		}
	}
	for i, s := range seg.Sentences {
		text.Sentences = append(text.Sentences, db.Sentence{
			ID: db.NewID(), Ordinal: i, Block: s.Block, Page: s.Page, Start: s.Start, End: s.End, Text: s.Text,
		})
	}
	for _, token := range nlp.Tokens(seg.Text, nlp.TokenOptions{Language: seg.Language}) {
		text.Tokens = append(text.Tokens, db.Token{Token: token.Token, Stem: token.Stem, Count: token.Count})
		text.TokenTotal += token.Count
		text.Words = append(text.Words, token.Forms...)
	}
	return text
}

// newCells makes the cells of a row.
func newCells(row []nlp.Cell) []db.Cell {
	cells := make([]db.Cell, len(row))
	for i, c := range row {
		cells[i] = db.Cell{Column: c.Column, Start: c.Start, End: c.End, Number: c.Number}
	}
	return cells
}

// carry gives the new sentences what people decided about the old ones, and
// keeps the decisions that found none.
func carry(text *db.Text, seg *nlp.Segmentation, decided []db.Sentence) {
	old := make([]nlp.Anchored, len(decided))
	for i, s := range decided {
		old[i] = nlp.Anchored{Text: s.Text, Start: s.Start}
	}
	matched, orphaned := nlp.Carry(old, seg.Sentences)
	for _, m := range matched {
		from, to := decided[m.Old], &text.Sentences[m.New]
		// The same words stay the same sentence, so that links to it hold.
		if m.Score == 1 {
			to.ID = from.ID
		}
		to.CarryFrom(from.Labelling)
	}
	for _, i := range orphaned {
		text.Orphaned = append(text.Orphaned, decided[i])
	}
}

package draft

import (
	"context"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/clausemill/clausemill/blob"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/document"
	"github.com/clausemill/clausemill/docx"
	"github.com/clausemill/clausemill/fault"
)

// Source says where a draft comes from.
type Source string

// The sources.
const (
	Original Source = "docx" // the file is one
	FromText Source = "text" // built from the file's structure
)

// A Draft is a document that changes can be made to.
type Draft struct {
	Data   []byte
	Source Source
}

// MaxSize bounds the documents that are edited, in bytes: all of one is held in
// memory.
const MaxSize = 64 << 20

// Read returns the draft of a file, or of an earlier version of it (see db.FileAt).
// It is Conflict until the file was read far enough.
func Read(ctx context.Context, d *db.DB, blobs *blob.Store, gallery Gallery, in db.Scope, file db.File) (Draft, error) {
	if document.Kind(file.Kind) == document.DOCX {
		data, err := original(ctx, blobs, file)
		return Draft{data, Original}, err
	}
	blocks, err := blocksOf(ctx, d, in, file)
	if err != nil {
		return Draft{}, err
	}
	var pictures []document.Picture
	if gallery != nil && document.Kind(file.Kind) == document.PDF {
		if pictures, err = gallery.Pictures(ctx, file); err != nil {
			return Draft{}, err
		}
	}
	data, err := Build(blocks, pictures)
	return Draft{data, FromText}, err
}

// Unread is the Conflict of a file without text of its current version: ErrNotReady where some may come.
func Unread(file db.File) error {
	file.TextReady = file.Current() // that of an older version is of no use
	if err := file.Unreadable(); err != nil {
		return err
	}
	return ErrNotReady
}

// ErrNotReady is the fault of a file whose text is not there yet.
var ErrNotReady = &fault.Error{Kind: fault.Conflict, Code: "not_ready", Message: "the file was not read yet; try again"}

func original(ctx context.Context, blobs *blob.Store, file db.File) ([]byte, error) {
	if file.Size > MaxSize {
		return nil, fault.Newf(fault.TooLarge, "documents of more than %d MiB cannot be edited", MaxSize>>20)
	}
	r, err := blobs.Open(ctx, blob.Of(file.ID, file.BytesID))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, MaxSize+1))
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, "the file could not be read; try again", err)
	}
	return data, nil
}

// mostBlocks bounds what a document is built from.
const mostBlocks = 200_000

// blocksOf are those that were read in a version of a file.
func blocksOf(ctx context.Context, d *db.DB, in db.Scope, file db.File) ([]db.Block, error) {
	switch {
	case file.Current():
		return d.Blocks(ctx, in, file.ID, -1, mostBlocks)
	case !file.TextReady || file.CurrentVersion > file.TextVersion:
		return nil, Unread(file)
	}
	kept, err := d.Reading(ctx, in, file.ID, file.CurrentVersion)
	return kept.Blocks[:min(len(kept.Blocks), mostBlocks)], err
}

// Build writes what was read of a file that is no Word document as one: its headings, lists,
// tables and signatures, with all words of the file in their order but those of the running
// headers and footers of pages, and its pictures between them.
func Build(blocks []db.Block, pictures []document.Picture) ([]byte, error) {
	places := placesOf(blocks, pictures)
	passages := make([]docx.Passage, 0, len(blocks)+len(pictures))
	for i := 0; ; i++ {
		for _, p := range places[i] {
			passages = append(passages, docx.Passage{Kind: docx.Illustrated, Picture: &docx.Picture{
				Bytes: p.Bytes, JPEG: p.JPEG, Width: p.Width, Height: p.Height, Text: fmt.Sprintf("Picture on page %d", p.Page),
			}})
		}
		if i == len(blocks) {
			return docx.Build(passages)
		}
		p := passageOf(blocks[i])
		if !covers(p) {
			p.Cells = nil // they would lose words
		}
		passages = append(passages, p)
	}
}

// covers reports whether the cells of a passage are in order and leave no words out.
func covers(p docx.Passage) bool {
	text, at := []rune(p.Text), 0
	blank := func(from, to int) bool {
		return from <= to && to <= len(text) && strings.TrimSpace(string(text[from:to])) == ""
	}
	for _, row := range p.Cells {
		column := 0
		for _, c := range row {
			if !blank(at, c.Start) || c.End < c.Start || c.End > len(text) || c.Column <= column {
				return false
			}
			at, column = c.End, c.Column
		}
	}
	return blank(at, len(text))
}

// passageOf leaves out what runs along the pages that a block goes over, with the blanks
// around it: a line break stands for it.
func passageOf(b db.Block) docx.Passage {
	p := docx.Passage{Kind: docx.PassageKind(b.Kind), Level: b.Level, Number: b.Number, Text: b.Text}
	for _, e := range b.Emphasis {
		p.Emphasis = append(p.Emphasis, docx.Emphasis{Start: e.Start - b.Start, End: e.End - b.Start, Bold: e.Bold, Italic: e.Italic, Underline: e.Underline})
	}
	for _, row := range b.Cells {
		cells := make([]docx.Cell, len(row))
		for i, c := range row {
			cells[i] = docx.Cell{Column: c.Column, Start: c.Start - b.Start, End: c.End - b.Start}
		}
		p.Cells = append(p.Cells, cells)
	}
	if len(b.Furniture) == 0 {
		return p
	}
	text := []rune(b.Text)
	kept := make([]rune, 0, len(text))
	place := make([]int, len(text)+1) // of each character among those that are kept
	furniture := b.Furniture
	for at := 0; at < len(text); {
		next := at
		for next < len(text) && unicode.IsSpace(text[next]) {
			next++
		}
		end := next // of blanks and furniture
		for len(furniture) > 0 && furniture[0].Start-b.Start <= end {
			end = max(end, min(furniture[0].End-b.Start, len(text)))
			for end < len(text) && unicode.IsSpace(text[end]) {
				end++
			}
			furniture = furniture[1:]
		}
		if end > next {
			for i := at; i < end; i++ {
				place[i] = len(kept)
			}
			kept, at = append(kept, '\n'), end
			continue
		}
		if next == at {
			next++
		}
		for ; at < next; at++ {
			place[at] = len(kept)
			kept = append(kept, text[at])
		}
	}
	place[len(text)] = len(kept)
	move := func(at *int) { *at = place[min(max(*at, 0), len(text))] }
	for i := range p.Emphasis {
		move(&p.Emphasis[i].Start)
		move(&p.Emphasis[i].End)
	}
	for _, row := range p.Cells {
		for i := range row {
			move(&row[i].Start)
			move(&row[i].End)
		}
	}
	p.Text = string(kept)
	return p
}

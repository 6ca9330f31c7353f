package worker

import (
	"encoding/json"
	"fmt"
	"sort"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/document"
	"github.com/clausemill/clausemill/layout"
	"github.com/clausemill/clausemill/nlp"
)

// newParagraphs is what the format of a page declares, as it is stored; nil for
// nothing.
func newParagraphs(p document.Page) ([]byte, error) {
	if len(p.Paragraphs) == 0 {
		return nil, nil
	}
	declared := make([]nlp.Declared, len(p.Paragraphs))
	for i, q := range p.Paragraphs {
		d := &declared[i]
		d.Start, d.End, d.Level, d.Number, d.List, d.Depth, d.Continued = q.Start, q.End, q.Level, q.Number, q.List, q.Depth, q.Continued
		d.Table, d.Row, d.Cell = q.Table, q.Row, q.Cell
		switch q.Kind { //nolint:exhaustive // body text is nothing special
		case document.Heading:
			d.Kind = nlp.Heading
		case document.ListItem:
			d.Kind = nlp.ListItem
		case document.Contents:
			d.Kind = nlp.Contents
		}
		if q.Origin != layout.Content {
			d.Origin = q.Origin.String()
		}
	}
	data, err := json.Marshal(declared)
	if err != nil {
		return nil, fmt.Errorf("encode the structure of page %d: %w", p.Number, err)
	}
	return data, nil
}

// segment makes a text of pages and of what their format declares.
func segment(pages []db.PageStructure) (*nlp.Segmentation, error) {
	structured := make([]nlp.Page, len(pages))
	for i, p := range pages {
		structured[i].Text = p.Text
		if p.Paragraphs == nil {
			continue
		}
		if err := json.Unmarshal(p.Paragraphs, &structured[i].Declared); err != nil {
			return nil, fmt.Errorf("decode the structure of page %d: %w", i+1, err)
		}
	}
	return nlp.SegmentPages(structured), nil
}

// newFields are the fields of a page, as they are stored.
func newFields(p document.Page) (fields []db.Field) {
	for _, f := range p.Fields {
		fields = append(fields, db.Field(f))
	}
	return fields
}

// placeFields gives blocks the fields of the pages of their text.
func placeFields(seg *nlp.Segmentation, pages []db.PageStructure, blocks []db.Block) {
	for i, p := range pages {
		for _, f := range p.Fields {
			f.Start, f.End = seg.PageStarts[i]+f.Start, seg.PageStarts[i]+f.End
			if b := blockAround(blocks, f.Start, f.End); b != nil {
				b.Fields = append(b.Fields, f)
			}
		}
	}
}

// blockAround is the block that holds all of a range of the text, nil for none.
func blockAround(blocks []db.Block, start, end int) *db.Block {
	at := sort.Search(len(blocks), func(i int) bool { return blocks[i].End >= end })
	if at < len(blocks) && blocks[at].Start <= start {
		return &blocks[at]
	}
	return nil
}

// newEmphasis is that of a page, as it is stored.
func newEmphasis(p document.Page) (emphasis []db.Emphasis) {
	for _, e := range p.Emphasis {
		emphasis = append(emphasis, db.Emphasis(e))
	}
	return emphasis
}

// placeEmphasis gives blocks the emphasis of the pages of their text. A range that goes
// over the end of a block goes on in the next one.
func placeEmphasis(seg *nlp.Segmentation, pages []db.PageStructure, blocks []db.Block) {
	for i, p := range pages {
		for _, e := range p.Emphasis {
			start, end := seg.PageStarts[i]+e.Start, seg.PageStarts[i]+e.End
			first := sort.Search(len(blocks), func(i int) bool { return blocks[i].End > start })
			for at := first; at < len(blocks) && blocks[at].Start < end; at++ {
				e.Start, e.End = max(start, blocks[at].Start), min(end, blocks[at].End)
				blocks[at].Emphasis = append(blocks[at].Emphasis, e)
			}
		}
	}
}

package api

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/layout"
)

// filesDocuments serves the structure of files.
func (a *API) filesDocuments() {
	keyed := a.area("Files", withKey)
	get(keyed, "/api/files/{fileId}/documents", "listFileDocuments", "List the documents in a file, with their structure", a.listDocuments, describe(
		"Returns the structure and the analysis of a file: the attributes of the file as a whole, and its logical documents in order (the agreement, its exhibits and schedules). "+
			"Each document has its blocks: headings, paragraphs, list items, tables and signature blocks, with their labels and attributes. "+
			"`limit` counts blocks; a document that continues on the next page is listed there again. "+
			"While there is no text the list is empty and `textReady` is false. A cursor from before the file was reprocessed is 409. "+
			"For an earlier `version`, the answer has its text and analysis as they were when the next version replaced it, with the labels set by users. A version that was never processed is 409."))
}

// Documents is the structure of a file.
type Documents struct {
	FileID     string        `json:"fileId"`
	Status     db.FileStatus `json:"status"`
	TextReady  bool          `json:"textReady"`
	Version    *int          `json:"version" doc:"Number of the version that the text belongs to; null while there is no text"`
	Language   string        `json:"language"`
	Attributes []Attribute   `json:"attributes" nullable:"false" doc:"Attributes of the file as a whole"`
	Refused    []Attribute   `json:"refusedAttributes,omitempty" nullable:"false" doc:"Extracted attributes of the file as a whole that users refused; they count nowhere"`
	Items      []Document    `json:"items" nullable:"false"`
	NextCursor string        `json:"nextCursor,omitempty"`
	Total      int           `json:"total" doc:"Number of blocks on all pages of the list"`
}

// Document is one logical document inside a file.
type Document struct {
	ID     string  `json:"id"`
	Index  int     `json:"index" doc:"Position in the file, from 0"`
	Kind   string  `json:"kind" doc:"Kind of document: agreement, amendment, exhibit, schedule, …"`
	Title  string  `json:"title"`
	Span   Span    `json:"span"`
	Pages  []int   `json:"pages" nullable:"false" doc:"First and last page"`
	Blocks []Block `json:"blocks" nullable:"false"`
}

// Block is a piece of a document.
type Block struct {
	Index      int         `json:"index" doc:"Position in the file, from 0"`
	Kind       string      `json:"kind" enum:"heading,paragraph,list_item,table,signature_block"`
	Origin     string      `json:"origin" enum:"content,header,footer,footnote,endnote,textbox" doc:"content: the text itself; the others are beside it, and begin no sections. Headers and footers are listed once, at the end"`
	Number     string      `json:"number,omitempty" doc:"Number as shown: 7.2, (a), … Word counts numbers when it shows a document: then they are no part of the text"`
	Level      int         `json:"level,omitempty" doc:"Level of a heading or list item, from 1"`
	Text       string      `json:"text"`
	Span       Span        `json:"span"`
	Page       int         `json:"page" doc:"Page where it begins"`
	Rows       []TableRow  `json:"rows,omitempty" doc:"Rows of a table, where the format of the file declares them or the page draws lines between cells"`
	Fields     []FormField `json:"fields,omitempty" doc:"What was filled into forms: fields of PDFs and Word documents. Fields that are hidden or empty, and passwords, are left out"`
	Labels     []Label     `json:"labels" nullable:"false"`
	Attributes []Attribute `json:"attributes" nullable:"false" doc:"Attributes that begin in this block"`
}

// FormField is what was filled into a field of a form.
type FormField struct {
	Name   string      `json:"name" doc:"Name of the field in the form, with those of the groups that it is in; empty if it has none"`
	Kind   string      `json:"kind" enum:"text,choice,list,checkbox,radio,date,signature" doc:"Kind of field. The buttons of a radio group are fields of one name; a list shows all its entries"`
	Value  string      `json:"value" doc:"As it is shown"`
	Chosen []string    `json:"chosen,omitempty" doc:"What was chosen, as a PDF calls it: what a checkbox or radio button that is on stands for, the selected entries of a list"`
	Span   Span        `json:"span"`
	Page   int         `json:"page"`
	Box    *layout.Box `json:"box,omitempty" doc:"Where the field is on its page, in points from the upper left corner; absent for formats without positions"`
}

// TableRow is a row of a table.
type TableRow struct {
	Cells []TableCell `json:"cells" nullable:"false" doc:"Cells in order; empty ones are left out"`
}

// TableCell is a cell of a table.
type TableCell struct {
	Column int    `json:"column" minimum:"1" doc:"Position in the row, from 1, with empty cells counted"`
	Number string `json:"number,omitempty" doc:"Number that is shown before it and no part of the text"`
	Text   string `json:"text"`
	Span   Span   `json:"span"`
}

// Label is the label of a block.
type Label struct {
	Label     string   `json:"label"`
	Score     *float32 `json:"score,omitempty" doc:"Probability, 0 to 1, of the most probable sentence"`
	Validated bool     `json:"validated" doc:"Confirmed or set by a user"`
}

func newBlock(b db.Block) Block {
	block := Block{
		Index: b.Ordinal, Kind: b.Kind, Origin: cmp.Or(b.Origin, layout.Content.String()), Number: b.Number, Level: b.Level, Text: b.Text,
		Span: Span{b.Start, b.End}, Page: b.Page, Labels: make([]Label, len(b.Labels)), Attributes: []Attribute{},
	}
	for i, l := range b.Labels {
		block.Labels[i] = Label(l)
	}
	block.Fields = newFormFields(b)
	block.Rows = newRows(b)
	return block
}

func newFormFields(b db.Block) (fields []FormField) {
	values, pages := b.FieldTexts()
	for i, f := range b.Fields {
		field := FormField{Name: f.Name, Kind: cmp.Or(f.Kind, "text"), Value: values[i], Chosen: f.Chosen, Span: Span{f.Start, f.End}, Page: pages[i]}
		if f.Box != (layout.Box{}) {
			field.Box = &f.Box
		}
		fields = append(fields, field)
	}
	return fields
}

// newRows are the rows of a table, with the text of its cells.
func newRows(b db.Block) []TableRow {
	if b.Cells == nil {
		return nil
	}
	texts := b.CellTexts()
	rows := make([]TableRow, len(b.Cells))
	for i, row := range b.Cells {
		rows[i].Cells = newCells(row, texts[i])
	}
	return rows
}

func newCells(row []db.Cell, texts []string) []TableCell {
	cells := make([]TableCell, len(row))
	for i, c := range row {
		cells[i] = TableCell{Column: c.Column, Number: c.Number, Text: texts[i], Span: Span{c.Start, c.End}}
	}
	return cells
}

func newDocument(d db.Document) Document {
	return Document{
		ID: d.ID, Index: d.Ordinal, Kind: d.Kind, Title: d.Title, Span: Span{d.Start, d.End},
		Pages: []int{d.FirstPage, d.LastPage}, Blocks: []Block{},
	}
}

// arrange puts blocks into their documents, and leaves out documents without blocks.
func arrange(documents []db.Document, blocks []db.Block) []Document {
	byDocument := map[string][]Block{}
	for _, b := range blocks {
		byDocument[b.DocumentID] = append(byDocument[b.DocumentID], newBlock(b))
	}
	arranged := []Document{}
	for _, d := range documents {
		if blocks := byDocument[d.ID]; len(blocks) > 0 {
			document := newDocument(d)
			document.Blocks = blocks
			arranged = append(arranged, document)
		}
	}
	return arranged
}

type listDocumentsRequest struct {
	AtVersion
	Page
}

// listDocuments keeps the generation of the text in the cursor, since a list must not
// mix blocks of two generations.
func (a *API) listDocuments(ctx context.Context, in *listDocumentsRequest) (Documents, error) {
	scope := auth.Scope(ctx)
	row, err := a.DB.FileAt(ctx, scope, in.FileID, in.Version)
	if err != nil {
		return Documents{}, err
	}
	if in.Version != 0 && !row.Current() {
		return a.earlierDocuments(ctx, in, row)
	}
	after, err := afterOrdinal(in.Page, "blocks", row.Generation)
	if err != nil {
		return Documents{}, err
	}
	documents, err := a.DB.Documents(ctx, scope, in.FileID)
	if err != nil {
		return Documents{}, err
	}
	blocks, err := a.DB.Blocks(ctx, scope, in.FileID, after, in.Limit+1)
	if err != nil {
		return Documents{}, err
	}
	blocks, more := cut(blocks, in.Limit)
	out := Documents{
		FileID: row.ID, Status: row.Status, TextReady: row.TextReady, Version: textVersion(row), Language: row.Language,
		Items: arrange(documents, blocks),
	}
	if err := a.addAttributes(ctx, &out); err != nil {
		return Documents{}, err
	}
	if more {
		out.NextCursor = ordinalCursor("blocks", row.Generation, last(blocks).Ordinal)
	}
	out.Total, err = a.DB.CountBlocks(ctx, scope, in.FileID)
	return out, err
}

// earlierDocuments is the structure of a version whose text is not that of the file: an
// earlier version, or the current one before it is processed.
func (a *API) earlierDocuments(ctx context.Context, in *listDocumentsRequest, row db.File) (Documents, error) {
	out := Documents{FileID: row.ID, Status: row.Status, Attributes: []Attribute{}, Items: []Document{}}
	if !row.TextReady || row.CurrentVersion > row.TextVersion {
		return out, nil
	}
	// What is stored never changes, so the version's number is enough in the cursor.
	after, err := afterOrdinal(in.Page, "blocks of a version", row.CurrentVersion)
	if err != nil {
		return Documents{}, err
	}
	kept, err := a.DB.Reading(ctx, auth.Scope(ctx), row.ID, row.CurrentVersion)
	if err != nil {
		return Documents{}, err
	}
	rest := kept.Blocks
	for len(rest) > 0 && rest[0].Ordinal <= after {
		rest = rest[1:]
	}
	blocks, more := cut(rest, in.Limit)
	out.TextReady, out.Version, out.Language = true, &row.CurrentVersion, kept.Language
	out.Items, out.Total = arrange(kept.Documents, blocks), len(kept.Blocks)
	if more {
		out.NextCursor = ordinalCursor("blocks of a version", row.CurrentVersion, last(blocks).Ordinal)
	}
	var ofFile, found []db.Attribute
	for _, attribute := range kept.Attributes {
		switch {
		case attribute.Level == db.FileLevel:
			ofFile = append(ofFile, attribute)
		case len(blocks) > 0 && attribute.Spans[0].Start < last(blocks).End && attribute.Spans[0].End > blocks[0].Start:
			found = append(found, attribute)
		}
	}
	if out.Attributes, err = newAttributes(ofFile); err != nil {
		return Documents{}, err
	}
	placed, err := newAttributes(found)
	place(out.Items, placed)
	return out, err
}

// addAttributes adds the attributes of the file, and those in the returned blocks.
func (a *API) addAttributes(ctx context.Context, out *Documents) (err error) {
	if out.Attributes, err = a.attributes(ctx, out.FileID, db.AttributePlace{Level: db.FileLevel, After: -1, Limit: maxFileAttributes}); err != nil {
		return err
	}
	refused, err := a.DB.RefusedAttributes(ctx, auth.Scope(ctx), out.FileID, maxFileAttributes)
	if err != nil {
		return err
	}
	if out.Refused, err = newAttributes(refused); err != nil {
		return err
	}
	shown := blocksOf(out.Items)
	if len(shown) == 0 {
		return nil
	}
	found, err := a.attributes(ctx, out.FileID, db.AttributePlace{
		Level: db.SpanLevel, Start: shown[0].Span.Start, End: last(shown).Span.End, After: -1, Limit: math.MaxInt32,
	})
	place(out.Items, found)
	return err
}

// blocksOf are the blocks of documents, in order.
func blocksOf(documents []Document) (all []*Block) {
	for _, d := range documents {
		all = append(all, pointers(d.Blocks)...)
	}
	return all
}

func pointers[T any](list []T) []*T {
	all := make([]*T, len(list))
	for i := range list {
		all[i] = &list[i]
	}
	return all
}

// place puts attributes into the blocks where they begin. Both are in the order of the
// text.
func place(documents []Document, found []Attribute) {
	shown := blocksOf(documents)
	for _, attribute := range found {
		start := attribute.Spans[0].Start
		i := slices.IndexFunc(shown, func(b *Block) bool { return b.Span.End > start })
		if i < 0 {
			return
		}
		shown = shown[i:]
		if shown[0].Span.Start <= start {
			shown[0].Attributes = append(shown[0].Attributes, attribute)
		}
	}
}

// maxFileAttributes is more than any file has at file level.
const maxFileAttributes = 500

// A placer has the cursor of a page in a kind of list.
type placer interface {
	place(kind string) (string, error)
}

// afterOrdinal is the ordinal after which a page of a text's parts begins, -1 for the
// start. A cursor of another generation of the text is Conflict.
func afterOrdinal(p placer, kind string, generation int) (int, error) {
	place, err := p.place(kind)
	if err != nil || place == "" {
		return -1, err
	}
	made, ordinal, _ := strings.Cut(place, ":")
	after, err := strconv.Atoi(ordinal)
	if err != nil {
		return 0, invalid("query.cursor", "is not the nextCursor of this list")
	}
	if made != strconv.Itoa(generation) {
		return 0, fault.New(fault.Conflict, "the text has changed since the previous page; start from the first page")
	}
	return after, nil
}

// ordinalCursor is the cursor that afterOrdinal reads.
func ordinalCursor(kind string, generation, ordinal int) string {
	return cursor(kind, fmt.Sprintf("%d:%d", generation, ordinal))
}

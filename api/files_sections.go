package api

import (
	"context"
	"math"
	"strings"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/nlp"
)

// filesSections serves the sections of files, which begin with a number or a heading.
func (a *API) filesSections() {
	session := a.area("Files", withSession)
	post(session, "/api/files/{fileId}/sections", "listFileSections", "List the sections of a file", a.listSections, describe(
		"Lists the sections in reading order, as a flat list: articles, sections, numbered paragraphs and list items. `depth` limits the level. `label` selects the sections whose most frequent label it is. "+
			"`includeText` adds the text of each section, without its subsections; while the pages are being read again it is 409. Without a body all sections are listed. While the file is not analysed the list is empty and `analyzed` is false. A cursor from before the file was reprocessed is 409."))
	get(session, "/api/files/{fileId}/sections-new", "getFileSectionTree", "Get the sections of a file as a tree", a.getSectionTree, describe(
		"Returns all sections as a tree. While the file is not analysed it is empty and `analyzed` is false."))
}

// Section is a part of a document that begins with a number or a heading.
type Section struct {
	ID         string   `json:"id"`
	Index      int      `json:"index" doc:"Position in the file, from 0; subsections follow their section"`
	Number     string   `json:"number,omitempty" doc:"Number as printed: 7.2, (a), ARTICLE IX"`
	Path       string   `json:"path,omitempty" doc:"Full number for citations, in a uniform notation: 4.2(b)"`
	Title      string   `json:"title,omitempty"`
	Level      int      `json:"level" minimum:"1"`
	Document   int      `json:"document" doc:"Index of the logical document that contains it"`
	Span       Span     `json:"span" doc:"Span, subsections included"`
	Pages      []int    `json:"pages" nullable:"false" doc:"First and last page"`
	Sentences  int      `json:"sentences" doc:"Number of sentences, those of its subsections included"`
	Label      *string  `json:"label" doc:"The most frequent label of its sentences; null where no sentence is labelled"`
	LabelScore *float32 `json:"labelScore,omitempty" doc:"Probability, 0 to 1, of the most probable of these sentences"`
	ModelID    *string  `json:"modelId,omitempty" doc:"The model that set the label; absent if a user did"`
}

func newSection(s db.Section) Section {
	return Section{
		ID: s.ID, Index: s.Ordinal, Number: s.Number, Path: s.Path, Title: s.Title, Level: s.Level, Document: s.Document,
		Span: Span{s.Start, s.End}, Pages: []int{s.FirstPage, s.LastPage}, Sentences: s.EndSentence - s.FirstSentence,
		Label: s.Label, LabelScore: s.Score, ModelID: s.ModelID,
	}
}

// Sections is a page of the flat list.
type Sections struct {
	FileID     string        `json:"fileId"`
	TextReady  bool          `json:"textReady"`
	Analyzed   bool          `json:"analyzed"`
	Items      []FlatSection `json:"items" nullable:"false"`
	NextCursor string        `json:"nextCursor,omitempty"`
	Total      int           `json:"total" doc:"Number of sections on all pages of the list"`
}

// FlatSection is a section with its own text, without that of subsections.
type FlatSection struct {
	Section
	ParentIndex *int    `json:"parentIndex" doc:"Index of the section that contains it"`
	OwnSpan     Span    `json:"ownSpan" doc:"Span from its number to its first subsection"`
	Text        *string `json:"text,omitempty" doc:"Text of ownSpan; only with includeText"`
}

func newFlatSection(s db.Section) FlatSection {
	return FlatSection{Section: newSection(s), ParentIndex: s.Parent, OwnSpan: Span{s.Start, s.OwnEnd}}
}

type sectionsRequest struct {
	FileRef
	Body *struct {
		BodyPage
		Depth       int    `json:"depth,omitempty" minimum:"1" maximum:"100" doc:"Deepest level to list"`
		Label       string `json:"label,omitempty" maxLength:"200" doc:"Key of a node of the taxonomy"`
		IncludeText bool   `json:"includeText,omitempty"`
	}
}

func (a *API) listSections(ctx context.Context, in *sectionsRequest) (Sections, error) {
	scope := auth.Scope(ctx)
	page, filter, withText := BodyPage{Limit: math.MaxInt32}, db.SectionFilter{}, false
	if in.Body != nil {
		page, withText = in.Body.BodyPage, in.Body.IncludeText
		filter = db.SectionFilter{Depth: in.Body.Depth, Label: in.Body.Label}
	}
	row, analyzed, err := a.analyzed(ctx, in.FileID)
	if err != nil {
		return Sections{}, err
	}
	if withText && row.TextReady {
		if err := unsettled(row); err != nil {
			return Sections{}, err
		}
	}
	out := Sections{FileID: row.ID, TextReady: row.TextReady, Analyzed: analyzed}
	after, err := afterOrdinal(page, "sections", row.Generation)
	if err != nil {
		return Sections{}, err
	}
	rows, err := a.DB.Sections(ctx, scope, in.FileID, filter, after, page.Limit+1)
	if err != nil {
		return Sections{}, err
	}
	rows, more := cut(rows, page.Limit)
	out.Items = newList(rows, newFlatSection).Items
	if more {
		out.NextCursor = ordinalCursor("sections", row.Generation, last(rows).Ordinal)
	}
	if withText {
		if err := a.addTexts(ctx, row, out.Items); err != nil {
			return Sections{}, err
		}
	}
	out.Total, err = a.DB.CountSections(ctx, scope, in.FileID, filter)
	return out, err
}

// addTexts adds the own texts of sections that were read after file was.
func (a *API) addTexts(ctx context.Context, file db.File, sections []FlatSection) error {
	pages, err := a.DB.PageTexts(ctx, auth.Scope(ctx), file.ID)
	if err == nil {
		err = a.still(ctx, file) // otherwise the spans may count in another text
	}
	if err != nil {
		return err
	}
	text := nlp.NewOffsets(strings.Join(pages, "\f"))
	for i := range sections {
		own := text.Slice(nlp.Span(sections[i].OwnSpan))
		sections[i].Text = &own
	}
	return nil
}

// analyzed is a file, and whether its present text has been analysed.
func (a *API) analyzed(ctx context.Context, fileID string) (db.File, bool, error) {
	row, err := a.DB.File(ctx, auth.Scope(ctx), fileID)
	if err != nil {
		return db.File{}, false, err
	}
	done, err := a.DB.Analysis(ctx, auth.Scope(ctx), fileID)
	if fault.KindOf(err) == fault.NotFound {
		return row, false, nil
	}
	return row, done.Generation == row.Generation, err
}

// SectionTree is the sections of a file.
type SectionTree struct {
	FileID    string        `json:"fileId"`
	TextReady bool          `json:"textReady"`
	Analyzed  bool          `json:"analyzed"`
	Items     []SectionNode `json:"items" nullable:"false"`
	Total     int           `json:"total" doc:"Number of sections on all levels"`
}

// SectionNode is a section with those inside it.
type SectionNode struct {
	Section
	Children []SectionNode `json:"children" nullable:"false"`
}

func (a *API) getSectionTree(ctx context.Context, in *FileRef) (SectionTree, error) {
	row, analyzed, err := a.analyzed(ctx, in.FileID)
	if err != nil {
		return SectionTree{}, err
	}
	rows, err := a.DB.Sections(ctx, auth.Scope(ctx), in.FileID, db.SectionFilter{}, -1, math.MaxInt32)
	tree, _ := plant(rows, 0)
	return SectionTree{FileID: row.ID, TextReady: row.TextReady, Analyzed: analyzed, Items: tree, Total: len(rows)}, err
}

// plant makes a tree of the first sections in rows that are below a level, and returns
// it with the remaining rows.
func plant(rows []db.Section, above int) ([]SectionNode, []db.Section) {
	nodes := []SectionNode{}
	for len(rows) > 0 && rows[0].Level > above {
		node := SectionNode{Section: newSection(rows[0])}
		node.Children, rows = plant(rows[1:], rows[0].Level)
		nodes = append(nodes, node)
	}
	return nodes, rows
}

package redline

import (
	"slices"
	"strconv"
	"strings"

	"github.com/clausemill/clausemill/docx"
)

// A Passage is a paragraph or a table of a document as a reader sees it, with its
// tracked changes. Positions are those of anchors.
type Passage struct {
	Part    string       `json:"part" doc:"Part of the document: body, header:N, footer:N, footnote:ID or endnote:ID"`
	Block   int          `json:"block" doc:"Index of the paragraph in its part, as in anchors; of a table, that of its first paragraph"`
	Heading int          `json:"heading,omitempty" doc:"Level of a heading, from 1"`
	Number  string       `json:"number,omitempty" doc:"The number that its list shows"`
	Runs    []PassageRun `json:"runs,omitempty" doc:"Pieces of text in order. A table has none"`
	Changes []string     `json:"changes,omitempty" doc:"Ids of the tracked changes of the paragraph mark and the properties of the paragraph"`
	Rows    []PassageRow `json:"rows,omitempty" doc:"Rows of a table. A paragraph has none"`
}

// A PassageRun is text with the same tracked changes and format.
type PassageRun struct {
	Text      string   `json:"text" doc:"\\t is a tab, \\v ends a line, \\f ends a page, U+FFFC stands for a picture, a note or a formula"`
	Start     int      `json:"start" doc:"Start in code points in the paragraph; deleted text has no length"`
	End       int      `json:"end"`
	Deleted   bool     `json:"deleted,omitempty" doc:"Whether a tracked change deletes it or moves it away"`
	Changes   []string `json:"changes,omitempty" doc:"Ids of the tracked changes around it, outermost first"`
	Bold      bool     `json:"bold,omitempty"`
	Italic    bool     `json:"italic,omitempty"`
	Underline bool     `json:"underline,omitempty"`
	Strike    bool     `json:"strike,omitempty"`
	Hidden    string   `json:"hidden,omitempty" enum:"hidden,struck,white,tiny" doc:"Why a reader may not see it, or take it for deleted, although it is in the text; its styles count as well"`
}

// A PassageRow is a row of a table in a Passage.
type PassageRow struct {
	Changes []string      `json:"changes,omitempty" doc:"Ids of the tracked changes of the row itself"`
	Cells   []PassageCell `json:"cells" nullable:"false"`
}

// A PassageCell is a cell of a PassageRow.
type PassageCell struct {
	Span     int       `json:"span,omitempty" doc:"Number of columns, where there are several"`
	Changes  []string  `json:"changes,omitempty" doc:"Ids of the tracked changes of the cell itself"`
	Passages []Passage `json:"passages" nullable:"false"`
}

// Passages reads a document with its tracked changes, story by story. Text boxes are
// left out.
func Passages(doc *docx.Document) []Passage {
	v := &viewer{numbers: doc.Numbers(), marks: map[docx.Element]string{}, levels: levels(doc), hides: map[lookKey]string{}, doc: doc}
	for r := range doc.Marks() {
		v.marks[r.Element] = r.ID
	}
	all := []Passage{}
	for _, s := range doc.Stories() {
		all = append(all, v.passages(s, s.Root)...)
	}
	return all
}

type viewer struct {
	doc     *docx.Document
	hides   map[lookKey]string // why text that looks so cannot be read
	numbers []string
	marks   map[docx.Element]string
	levels  map[string]int
}

func (v *viewer) passages(s *docx.Story, container docx.Element) []Passage {
	all := []Passage{}
	for e := range docx.Blocks(container) {
		if e.Is("p") {
			all = append(all, v.paragraph(s.ParagraphOf(e)))
		} else if t := v.table(s, e); len(t.Rows) > 0 {
			all = append(all, t)
		}
	}
	return all
}

func (v *viewer) table(s *docx.Story, table docx.Element) Passage {
	out := Passage{Part: s.Key, Block: -1}
	for row := range docx.Rows(table) {
		r := PassageRow{Changes: v.below(row.Child("trPr")), Cells: []PassageCell{}}
		for cell := range docx.Cells(row) {
			properties := cell.Child("tcPr")
			c := PassageCell{Changes: v.below(properties), Passages: v.passages(s, cell)}
			if span, err := strconv.Atoi(properties.Child("gridSpan").Attr("val")); err == nil && span > 1 {
				c.Span = span
			}
			if out.Block < 0 && len(c.Passages) > 0 {
				out.Block = c.Passages[0].Block
			}
			r.Cells = append(r.Cells, c)
		}
		out.Rows = append(out.Rows, r)
	}
	return out
}

func (v *viewer) paragraph(p *docx.Paragraph) Passage {
	out := Passage{Part: p.Story.Key, Block: p.Index, Changes: append(v.below(p.Child("pPr")), v.below(p.Mark())...)}
	if out.Part == "body" {
		out.Number = v.numbers[p.Index]
	}
	out.Heading = v.levels[p.Child("pPr", "pStyle").Attr("val")]
	if level, err := strconv.Atoi(p.Child("pPr", "outlineLvl").Attr("val")); err == nil {
		out.Heading = heading(level)
	}
	for piece := range p.Pieces() {
		if piece.Text == "" || piece.Start == piece.End && !piece.Deleted {
			continue // codes of fields and the like
		}
		run := v.run(p, piece)
		if n := len(out.Runs); n > 0 && out.Runs[n-1].like(run) {
			out.Runs[n-1].Text += run.Text
			out.Runs[n-1].End = run.End
		} else {
			out.Runs = append(out.Runs, run)
		}
	}
	return out
}

// lineEnds are white space where Word writes them into a text.
var lineEnds = strings.NewReplacer("\n", " ", "\r", " ")

func (v *viewer) run(p *docx.Paragraph, piece docx.Piece) PassageRun {
	look := piece.Run.Child("rPr")
	underline := look.Child("u")
	run := PassageRun{
		Text: lineEnds.Replace(piece.Text), Start: piece.Start, End: piece.End, Deleted: piece.Deleted,
		Bold: look.Child("b").On(), Italic: look.Child("i").On(), Strike: look.Child("strike").On(),
		Underline: underline.Exists() && underline.Attr("val") != "none",
	}
	if !piece.Deleted && strings.TrimSpace(piece.Text) != "" {
		run.Hidden = v.hidden(p, look)
	}
	for e := piece.Item; e.Exists() && e != p.Element; e = e.Parent() {
		if id := v.marks[e]; id != "" {
			run.Changes = append([]string{id}, run.Changes...)
		}
	}
	run.Changes = append(run.Changes, v.below(look)...)
	return run
}

// hiding are the reasons of docx.Look.Hidden in one word.
var hiding = map[string]string{"hidden": "hidden", "struck through": "struck", "white": "white", "too small to read": "tiny"}

// hidden is why text of a paragraph that looks so cannot be read, "" where it can.
func (v *viewer) hidden(p *docx.Paragraph, look docx.Element) string {
	key := lookKey{style: p.Child("pPr", "pStyle").Attr("val"), table: p.Closest("tbl").Child("tblPr", "tblStyle").Attr("val"), run: string(look.Raw())}
	why, known := v.hides[key]
	if !known {
		why = hiding[v.doc.TextLook(p, look).Hidden()]
		v.hides[key] = why
	}
	return why
}

// below are the ids of the tracked changes directly below e.
func (v *viewer) below(e docx.Element) (ids []string) {
	for c := range e.Children() {
		if id := v.marks[c]; id != "" {
			ids = append(ids, id)
		}
	}
	return ids
}

func (r PassageRun) like(other PassageRun) bool {
	return slices.Equal(r.Changes, other.Changes) && r.Deleted == other.Deleted && r.Bold == other.Bold && r.Italic == other.Italic && r.Underline == other.Underline && r.Strike == other.Strike && r.Hidden == other.Hidden
}

// heading is the level of a heading by its outline level; body text has 9.
func heading(outline int) int {
	if outline < 0 || outline >= docx.ListLevels {
		return 0
	}
	return outline + 1
}

// levels are the headings among the styles of a document, by their ids.
func levels(doc *docx.Document) map[string]int {
	own, based := map[string]int{}, map[string]string{}
	for style := range doc.Related("styles").Root().Children() {
		if !style.Is("style") || style.Attr("type") != "paragraph" {
			continue
		}
		id := style.Attr("styleId")
		based[id] = style.Child("basedOn").Attr("val")
		if level, err := strconv.Atoi(style.Child("pPr", "outlineLvl").Attr("val")); err == nil {
			own[id] = heading(level)
		}
	}
	all := map[string]int{}
	for id := range based {
		at := id
		for range len(based) { // a circle ends
			if level, known := own[at]; known || at == "" {
				all[id] = level
				break
			}
			at = based[at]
		}
	}
	return all
}

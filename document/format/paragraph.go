package format

import (
	"strings"
	"unicode"

	"github.com/clausemill/clausemill/layout"
)

// ParagraphKind is the role of a paragraph.
type ParagraphKind string

// The kinds of paragraphs.
const (
	Body     ParagraphKind = "paragraph"
	Heading  ParagraphKind = "heading"
	ListItem ParagraphKind = "list_item"
	Contents ParagraphKind = "contents" // of a table of contents
)

// Paragraph describes a range of a page's text, for formats that know their structure
// (DOCX, ODT, RTF, HTML), and what is in the cells of tables that a PDF draws. The numbers
// of lists and headings are not part of the text: they are only here.
type Paragraph struct {
	Start int           `json:"start"` // code points from the start of the page's text
	End   int           `json:"end"`   // half open
	Kind  ParagraphKind `json:"kind"`
	Level int           `json:"level,omitempty"` // of a heading, from 1; 0 for a title
	// Number is the rendered label, such as "2.1" or "(a)"; a bullet is "•".
	Number string `json:"number,omitempty"`
	List   int    `json:"list,omitempty"`  // names the list that counts the paragraph, from 1
	Depth  int    `json:"depth,omitempty"` // in that list, from 1
	Style  string `json:"style,omitempty"` // the name of the paragraph style

	// Table, Row and Cell count from 1; 0 outside of tables. No two tables of a file have
	// one number. What is in a table in a cell belongs to that cell.
	Table int `json:"table,omitempty"`
	Row   int `json:"row,omitempty"`
	Cell  int `json:"cell,omitempty"`

	Origin layout.Origin `json:"origin,omitempty"` // content, or what is beside it

	// Part and Block say where a DOCX holds the paragraph: "body",
	// "footnote:2", "endnote:2", and how many w:p start before it in that part
	// (the XML part: all notes of a kind share one). The text is the paragraph's
	// current view, insertions in and deletions out, less drawings, note marks,
	// soft hyphens, hidden text and blanks around lines: walking both texts in
	// step maps one to the other.
	Part  string `json:"part,omitempty"`
	Block int    `json:"block"`

	Continued bool `json:"continued,omitempty"` // the page begins inside this paragraph
}

// Field is what was filled into a form.
type Field struct {
	Start int        `json:"start"` // code points from the start of the page's text
	End   int        `json:"end"`
	Name  string     `json:"name,omitempty"` // as the form calls it
	Box   layout.Box `json:"box,omitzero"`   // of the field, of formats with geometry
	Kind  string     `json:"kind,omitempty"` // one of the kinds below; "" for text

	// Chosen is what was chosen of what the form offers, as the form calls it: what a box
	// that is checked stands for, the entries of a list.
	Chosen []string `json:"chosen,omitempty"`
}

// Emphasis is a range of a page's text that is set in bold or italic type or underlined.
type Emphasis struct {
	Start     int  `json:"start"` // code points from the start of the page's text
	End       int  `json:"end"`
	Bold      bool `json:"bold,omitempty"`
	Italic    bool `json:"italic,omitempty"`
	Underline bool `json:"underline,omitempty"`
}

// alike reports whether two ranges stand out in the same way.
func (e Emphasis) alike(o Emphasis) bool {
	return e.Bold == o.Bold && e.Italic == o.Italic && e.Underline == o.Underline
}

// maxEmphasis is how many ranges of a page stand out at most: a page has to fit into the
// header of a message, however often it alternates.
const maxEmphasis = 10_000

// AddEmphasis adds e to list, or to its last range where that is set alike and ends at
// before, the end of the text before e. What is too much does not stand out.
func AddEmphasis(list []Emphasis, e Emphasis, before int) []Emphasis {
	if last := len(list) - 1; last >= 0 && list[last].End == before && list[last].alike(e) {
		list[last].End = e.End
		return list
	}
	if e.alike(Emphasis{}) || len(list) >= maxEmphasis {
		return list
	}
	return append(list, e)
}

// The kinds of field beside text.
const (
	FieldChoice    = "choice"   // one of several, or words of one's own
	FieldList      = "list"     // shows all that there is to choose from
	FieldCheckbox  = "checkbox" // checked or not
	FieldRadio     = "radio"    // one button of a group, which all have one name
	FieldDate      = "date"
	FieldSignature = "signature"
)

// maxName bounds the name of a field, in code points.
const maxName = 200

// FieldName is the name of a field as it is kept.
func FieldName(name string) string {
	words := []rune(strings.Join(strings.FieldsFunc(name, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) || NonCharacter(r) }), " "))
	return string(words[:min(len(words), maxName)])
}

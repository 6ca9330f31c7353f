package structure

import (
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/clausemill/clausemill/nlp/lex"
)

// SegmenterVersion names the rules of Segment. It is stored with their results
// and rises with every change that can move a boundary.
const SegmenterVersion = 6

// Segmentation is a text with its parts: the input of all other analyses.
type Segmentation struct {
	Text       string     // the canonical text: the pages, joined by form feeds
	PageStarts []int      // by page, in code points
	Language   string     // ISO 639-1, "" if it was not detected
	Documents  []Document // in order; together they hold every block
	Sentences  []Sentence // in order, without overlap; with Furniture and the tables of contents they hold every word
	Sections   []Section  // in order; those inside another follow it
	Furniture  []lex.Span // running headers, footers and page numbers

	Offsets    *lex.Offsets // of Text
	hyphenated bool         // words are broken at the ends of lines
}

// BlockKind is the part a block plays on the page.
type BlockKind string

// The closed set of kinds.
const (
	Heading        BlockKind = "heading"
	Paragraph      BlockKind = "paragraph"
	ListItem       BlockKind = "list_item"
	Table          BlockKind = "table"
	SignatureBlock BlockKind = "signature_block"
)

// Block is a heading, a paragraph or another unit of a page.
type Block struct {
	lex.Span
	Ordinal  int       `json:"ordinal"` // from 0, over the whole file
	Kind     BlockKind `json:"kind"`
	Page     int       `json:"page"`               // where it begins, from 1
	Number   string    `json:"number,omitempty"`   // as shown: "7.2", "(a)", "ARTICLE IX"
	Title    string    `json:"title,omitempty"`    // the words of a heading, on one line
	Contents bool      `json:"contents,omitempty"` // a table of contents
	Level    int       `json:"level,omitempty"`    // of a heading or list item, from 1: as the format declares it, else that of the section it opens
	Origin   string    `json:"origin,omitempty"`   // where it is not of the content: that of its Declared
	Rows     [][]Cell  `json:"rows,omitempty"`     // of a table, where they are known
}

// Sentence is the unit that is labelled: a sentence, a heading, an item of a
// list or a row of a table.
type Sentence struct {
	lex.Span
	Text  string `json:"text"`  // what the span covers, line breaks included
	Page  int    `json:"page"`  // where it begins, from 1
	Block int    `json:"block"` // the ordinal of its block
}

// Segment reads the page texts of one file. It accepts any bytes: what is not
// UTF-8 becomes U+FFFD and a form feed inside a page a line break, one code
// point for one, so that positions within pages stay what they were.
func Segment(pages []string) *Segmentation { return SegmentIn("", pages) }

// SegmentIn is Segment for a text in a known language, an ISO 639-1 code; "" detects
// the language.
func SegmentIn(language string, pages []string) *Segmentation {
	plain := make([]Page, len(pages))
	for i, text := range pages {
		plain[i].Text = text
	}
	return segment(language, plain)
}

// SegmentPages is Segment for pages with what their format declares.
func SegmentPages(pages []Page) *Segmentation { return segment("", pages) }

// SegmentPagesIn is SegmentPages for a text in a known language, as SegmentIn.
func SegmentPagesIn(language string, pages []Page) *Segmentation { return segment(language, pages) }

func segment(language string, pages []Page) *Segmentation {
	text := join(pages)
	if language == "" {
		language = lex.DetectLanguage(text)
	}
	s := &Segmentation{Text: text, Language: language, Offsets: lex.NewOffsets(text), hyphenated: lex.IsHyphenated(text)}
	s.addPages()
	paragraphs := s.declare(pages)
	lines := scanLines(text, paragraphs)
	markFurniture(text, lines)
	pieces := findBlocks(lex.GrammarOf(language), text, lines, paragraphs)
	s.addFurniture(lines)
	parts := findParts(text, pieces)
	demote(text, pieces)
	s.addDocuments(pieces, parts)
	s.addSections(pieces, parts, paragraphs)
	s.addLevels(pieces)
	s.addSentences(pieces, furnitureOf(lines))
	return s
}

// join makes the canonical text of pages.
func join(pages []Page) string {
	texts := make([]string, len(pages))
	for i, page := range pages {
		texts[i] = page.Text
	}
	whole := strings.Join(texts, "\f")
	if utf8.ValidString(whole) && strings.Count(whole, "\f") == max(0, len(pages)-1) {
		return whole
	}
	for i, text := range texts {
		texts[i] = strings.ReplaceAll(string([]rune(text)), "\f", "\n")
	}
	return strings.Join(texts, "\f")
}

// Quote returns the text that span covers, unchanged.
func (s *Segmentation) Quote(span lex.Span) string { return s.Offsets.Slice(span) }

// SpanOf counts what e covers in code points.
func (s *Segmentation) SpanOf(e lex.Extent) lex.Span {
	return lex.Span{Start: s.Offsets.CodePoint(e.Start), End: s.Offsets.CodePoint(e.End)}
}

// PageAt returns the page, from 1, that holds the code point.
func (s *Segmentation) PageAt(point int) int {
	return sort.SearchInts(s.PageStarts, point+1)
}

func (s *Segmentation) addPages() {
	s.PageStarts = []int{0}
	for i := range len(s.Text) {
		if s.Text[i] == '\f' {
			s.PageStarts = append(s.PageStarts, s.Offsets.CodePoint(i+1))
		}
	}
}

func (s *Segmentation) addFurniture(lines []line) {
	for _, e := range furnitureOf(lines) {
		s.Furniture = append(s.Furniture, s.SpanOf(e))
	}
}

func (s *Segmentation) addDocuments(pieces []piece, parts []part) {
	for i, p := range parts {
		end := len(pieces)
		if i+1 < len(parts) {
			end = parts[i+1].first
		}
		d := Document{
			Span: s.SpanOf(lex.Extent{Start: pieces[p.first].Start, End: pieces[end-1].End}),
			Kind: p.kind, Number: p.number, Title: p.title, Blocks: make([]Block, 0, end-p.first),
		}
		d.FirstPage, d.LastPage = s.PageAt(d.Start), s.PageAt(d.End-1)
		for ordinal := p.first; ordinal < end; ordinal++ {
			b := &pieces[ordinal]
			block := Block{
				Span: s.SpanOf(b.Extent), Ordinal: ordinal, Kind: b.kind, Page: b.page + 1,
				Number: b.number.Label, Title: lex.Unwrap(b.title), Contents: b.contents, Rows: s.cellsOf(b.cells),
			}
			if b.of != nil {
				block.Origin = b.of.Origin
				if b.kind == Heading || b.kind == ListItem {
					block.Level = b.of.level()
				}
			}
			d.Blocks = append(d.Blocks, block)
		}
		s.Documents = append(s.Documents, d)
	}
}

// addLevels gives headings and list items whose format declares none the level of the
// section that they open.
func (s *Segmentation) addLevels(pieces []piece) {
	sections := s.Sections
	for i := range s.Documents {
		for j := range s.Documents[i].Blocks {
			b := &s.Documents[i].Blocks[j]
			for len(sections) > 0 && sections[0].Block < b.Ordinal {
				sections = sections[1:]
			}
			declared := pieces[b.Ordinal].of != nil && pieces[b.Ordinal].of.Kind != ""
			if !declared && (b.Kind == Heading || b.Kind == ListItem) && len(sections) > 0 && sections[0].Block == b.Ordinal {
				b.Level = sections[0].Level
			}
		}
	}
}

// cellsOf places the cells of a piece.
func (s *Segmentation) cellsOf(rows [][]tableCell) [][]Cell {
	if rows == nil {
		return nil
	}
	all := make([][]Cell, len(rows))
	for i, row := range rows {
		all[i] = make([]Cell, len(row))
		for j, cell := range row {
			all[i][j] = Cell{Span: s.SpanOf(cell.Extent), Number: cell.number, Column: cell.column}
		}
	}
	return all
}

func (s *Segmentation) addSentences(pieces []piece, gaps []lex.Extent) {
	rules := lex.GrammarOf(s.Language)
	var cuts []lex.Extent
	for ordinal := range pieces {
		p := &pieces[ordinal]
		cuts = cuts[:0]
		switch {
		case p.contents: // its headings say it again, where it counts
		case p.rows != nil:
			for _, row := range p.rows {
				if row.End-row.Start <= longLine {
					cuts = append(cuts, row)
					continue
				}
				for cell := range strings.SplitSeq(s.Text[row.Start:row.End], "\t") {
					end := row.Start + len(cell)
					cuts = rules.Split(s.Text, lex.Trim(s.Text, lex.Extent{Start: row.Start, End: end}), nil, cuts)
					row.Start = min(end+1, row.End)
				}
			}
		case p.kind == Heading:
			cuts = append(cuts, p.Extent)
		default:
			for len(gaps) > 0 && gaps[0].End <= p.Start {
				gaps = gaps[1:]
			}
			cuts = rules.Split(s.Text, p.Extent, gaps, cuts)
		}
		for _, cut := range cuts {
			if text := s.Text[cut.Start:cut.End]; lex.HasWord(text) {
				span := s.SpanOf(cut)
				s.Sentences = append(s.Sentences, Sentence{Span: span, Text: text, Page: s.PageAt(span.Start), Block: ordinal})
			}
		}
	}
}

// Plain returns the text that span covers in readable form: on one line, with words
// that were hyphenated at line ends joined, and without headers and footers at page
// breaks. Models, indexes and users get this form; offsets still refer to Text.
func (s *Segmentation) Plain(span lex.Span) string {
	from := sort.Search(len(s.Furniture), func(i int) bool { return s.Furniture[i].End > span.Start })
	var parts []string
	for _, f := range s.Furniture[from:] {
		if f.Start >= span.End {
			break
		}
		if f.Start > span.Start {
			parts = append(parts, s.Offsets.Slice(lex.Span{Start: span.Start, End: f.Start}))
		}
		span.Start = min(f.End, span.End)
	}
	parts = append(parts, s.Offsets.Slice(span))
	return lex.JoinLines(strings.Join(parts, "\n"), s.hyphenated)
}

package nlp

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// SegmenterVersion names the rules of Segment. It is stored with their results
// and rises with every change that can move a boundary.
const SegmenterVersion = 1

// Span is a half-open range of code points of the canonical text.
type Span struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// Segmentation is the ground that everything else about a text stands on.
type Segmentation struct {
	Text       string     // the canonical text: the pages, joined by form feeds
	PageStarts []int      // by page, in code points
	Language   string     // ISO 639-1, "" where the text does not tell
	Documents  []Document // in order; together they hold every block
	Sentences  []Sentence // in order, without overlap; together with Furniture they hold every letter
	Furniture  []Span     // running headers, footers and page numbers

	offsets *Offsets
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

// Block is a heading, a paragraph or what else stands for itself on a page.
type Block struct {
	Span
	Ordinal  int       `json:"ordinal"` // from 0, over the whole file
	Kind     BlockKind `json:"kind"`
	Page     int       `json:"page"`               // where it begins, from 1
	Number   string    `json:"number,omitempty"`   // as printed: "7.2", "(a)", "ARTICLE IX"
	Title    string    `json:"title,omitempty"`    // the words of a heading, on one line
	Contents bool      `json:"contents,omitempty"` // a table of contents
}

// Sentence is the unit that is labelled: a sentence, a heading, an item of a
// list or a row of a table.
type Sentence struct {
	Span
	Text  string `json:"text"`  // what the span covers, line breaks included
	Page  int    `json:"page"`  // where it begins, from 1
	Block int    `json:"block"` // the ordinal of its block
}

// Segment reads the page texts of one file. It accepts any bytes: what is not
// UTF-8 becomes U+FFFD and a form feed inside a page a line break, both of them
// one code point for another.
func Segment(pages []string) *Segmentation {
	text := join(pages)
	s := &Segmentation{Text: text, offsets: NewOffsets(text)}
	lines := scanLines(text)
	markFurniture(text, lines)
	var gaps []extent
	for _, l := range lines {
		if l.furniture {
			gaps = append(gaps, l.extent)
		}
	}
	pieces := findBlocks(text, lines)
	s.Language = DetectLanguage(text)
	split := splitSentences
	if s.Language != "" && s.Language != "en" {
		split = splitUnicode
	}
	s.locate(lines)
	s.addDocuments(pieces)
	s.addSentences(pieces, gaps, split)
	return s
}

// locate fills in where pages begin and what their furniture is.
func (s *Segmentation) locate(lines []line) {
	s.PageStarts = []int{0}
	for i := strings.IndexByte(s.Text, '\f'); i >= 0; {
		s.PageStarts = append(s.PageStarts, s.offsets.CodePoint(i+1))
		next := strings.IndexByte(s.Text[i+1:], '\f')
		if next < 0 {
			break
		}
		i += 1 + next
	}
	for _, l := range lines {
		if l.furniture {
			s.Furniture = append(s.Furniture, s.span(l.extent))
		}
	}
}

func (s *Segmentation) span(e extent) Span {
	return Span{s.offsets.CodePoint(e.start), s.offsets.CodePoint(e.end)}
}

func (s *Segmentation) addDocuments(pieces []piece) {
	parts := findParts(s.Text, pieces)
	for i, p := range parts {
		end := len(pieces)
		if i+1 < len(parts) {
			end = parts[i+1].first
		}
		d := Document{
			Span: s.span(extent{pieces[p.first].start, pieces[end-1].end}),
			Kind: p.kind, Number: p.number, Title: p.title,
			FirstPage: pieces[p.first].page + 1, LastPage: pieces[end-1].page + 1,
		}
		for ordinal := p.first; ordinal < end; ordinal++ {
			b := &pieces[ordinal]
			d.Blocks = append(d.Blocks, Block{
				Span: s.span(b.extent), Ordinal: ordinal, Kind: b.kind, Page: b.page + 1,
				Number: b.number.label, Title: strings.Join(strings.Fields(b.title), " "), Contents: b.contents,
			})
		}
		s.Documents = append(s.Documents, d)
	}
}

// splitter is how a block is cut into sentences.
type splitFunc func(text string, block extent, gaps, cuts []extent) []extent

func (s *Segmentation) addSentences(pieces []piece, gaps []extent, split splitFunc) {
	pageStart := 0
	_ = pageStart
	var cuts []extent
	for ordinal := range pieces {
		p := &pieces[ordinal]
		cuts = cuts[:0]
		switch {
		case p.contents: // says nothing that its headings do not say again
		case p.rows != nil:
			for _, row := range p.rows {
				if row.end-row.start > longLine {
					cuts = split(s.Text, row, nil, cuts)
				} else {
					cuts = append(cuts, row)
				}
			}
		case p.kind == Heading:
			cuts = append(cuts, p.extent)
		default:
			for len(gaps) > 0 && gaps[0].end <= p.start {
				gaps = gaps[1:]
			}
			cuts = split(s.Text, p.extent, gaps, cuts)
		}
		for _, cut := range cuts {
			if text := s.Text[cut.start:cut.end]; hasWord(text) {
				span := s.span(cut)
				s.Sentences = append(s.Sentences, Sentence{Span: span, Text: text, Page: s.pageOf(span.Start), Block: ordinal})
			}
		}
	}
}

// pageOf returns the page, from 1, that holds the code point.
func (s *Segmentation) pageOf(point int) int {
	return sort.SearchInts(s.PageStarts, point+1)
}

func join(pages []string) string {
	whole := strings.Join(pages, "\f")
	if utf8.ValidString(whole) && strings.Count(whole, "\f") == max(0, len(pages)-1) {
		return whole
	}
	clean := make([]string, len(pages))
	for i, page := range pages {
		clean[i] = strings.ReplaceAll(string([]rune(page)), "\f", "\n")
	}
	return strings.Join(clean, "\f")
}

package structure_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/nlp/lex"
	"github.com/clausemill/clausemill/nlp/nlptest"
	"github.com/clausemill/clausemill/nlp/structure"
)

// declare makes pages of paragraphs, each with what its format declares. A form feed
// as the text begins the next page.
func declare(paragraphs ...paragraph) []structure.Page {
	pages := make([]structure.Page, 1)
	var text strings.Builder
	at := 0
	for i, p := range paragraphs {
		page := &pages[len(pages)-1]
		if p.text == "\f" {
			page.Text = text.String()
			text.Reset()
			pages, at = append(pages, structure.Page{}), 0
			continue
		}
		if at > 0 {
			gap := "\n\n"
			if before := paragraphs[i-1].Declared; p.Table > 0 && p.Table == before.Table {
				if gap = "\n"; p.Row == before.Row && p.Cell != before.Cell {
					gap = "\t"
				}
			}
			text.WriteString(gap)
			at += len(gap)
		}
		d := p.Declared
		d.Span = lex.Span{Start: at, End: at + utf8.RuneCountInString(p.text)}
		page.Declared = append(page.Declared, d)
		text.WriteString(p.text)
		at = d.End
	}
	pages[len(pages)-1].Text = text.String()
	return pages
}

// paragraph is one of declare.
type paragraph struct {
	structure.Declared
	text string
}

func body(text string) paragraph { return paragraph{text: text} }

func heading(level int, number, text string) paragraph {
	return paragraph{structure.Declared{Kind: structure.Heading, Level: level, Number: number}, text}
}

func item(list, depth int, number, text string) paragraph {
	return paragraph{structure.Declared{Kind: structure.ListItem, List: list, Depth: depth, Number: number}, text}
}

func cell(table, row, column int, text string) paragraph {
	return paragraph{structure.Declared{Table: table, Row: row, Cell: column}, text}
}

func beside(origin, text string) paragraph {
	return paragraph{structure.Declared{Origin: origin}, text}
}

const spoken = "The Seller shall sell the goods to the Buyer, and the Buyer shall pay for them."

func TestDeclaredSections(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		paragraphs []paragraph
		want       []string
	}{
		"Headings": {
			[]paragraph{heading(1, "", "Goods"), body(spoken), heading(2, "", "quality and price"), body(spoken), heading(1, "", "Law"), body(spoken)},
			[]string{"Goods", " quality and price", "Law"},
		},
		"Numbers": {
			[]paragraph{heading(1, "1.", "Goods"), item(1, 2, "1.1", spoken), item(2, 1, "(a)", "nuts;"), item(2, 1, "(b)", "bolts."), item(1, 2, "1.2", "Price. "+spoken), heading(1, "2.", "Law"), body(spoken)},
			[]string{"1 Goods", " 1.1", "  1.1(a)", "  1.1(b)", " 1.2 Price", "2 Law"},
		},
		"Title": {
			[]paragraph{heading(0, "", "A Tale"), body(spoken), heading(1, "", "Goods"), body(spoken)},
			[]string{"Goods"},
		},
		"LooksDoNotCount": {
			[]paragraph{heading(1, "", "Goods"), body("QUALITY"), body(spoken), heading(1, "", "Price"), body(spoken), heading(1, "", "Law"), body(spoken)},
			[]string{"Goods", "Price", "Law"},
		},
		"TypedNumbers": {
			[]paragraph{heading(1, "", "1 Goods"), body("1.1 Price. " + spoken), heading(1, "", "2. Law"), body(spoken)},
			[]string{"1 Goods", " 1.1 Price", "2 Law"},
		},
		"Articles": {
			[]paragraph{heading(1, "Article I", "Goods"), heading(2, "Section 1.01", "Price"), body(spoken), heading(1, "Article II", "Law"), body(spoken)},
			[]string{"1 Goods", " 1.1 Price", "2 Law"},
		},
		"Clause": { // all of it is in the style of a heading
			[]paragraph{heading(2, "1.1", "Term. "+spoken), heading(2, "1.2", spoken), heading(3, "(a)", "nuts")},
			[]string{"1.1 Term", "1.2", " 1.2(a) nuts"},
		},
		"OtherLanguage": {
			[]paragraph{heading(1, "Artikel 1", "Waren"), body(spoken), heading(1, "Erstens", "Preis"), body(spoken)},
			[]string{"1 Waren", "Erstens Preis"},
		},
		"Contents": {
			[]paragraph{{structure.Declared{Kind: structure.Contents}, "1. Goods 1"}, {structure.Declared{Kind: structure.Contents}, "2. Law 1"}, heading(1, "1.", "Goods"), body(spoken), heading(1, "2.", "Law"), body(spoken)},
			[]string{"1 Goods", "2 Law"},
		},
		"NotesDoNotBreak": {
			[]paragraph{heading(1, "1.", "Goods"), item(1, 2, "1.1", spoken), beside("footnote", "1. NOTE"), beside("footnote", "ARTICLE II"), item(1, 2, "1.2", spoken), beside("header", "DRAFT")},
			[]string{"1 Goods", " 1.1", " 1.2"},
		},
		"OverPages": {
			[]paragraph{heading(1, "", "Goods"), body("The Seller shall"), body("\f"), {structure.Declared{Continued: true}, "Sell. The goods."}, heading(1, "", "Law")},
			[]string{"Goods", "Law"},
		},
		"InTable": {
			[]paragraph{cell(1, 1, 1, "a"), {structure.Declared{Kind: structure.Heading, Level: 1, Table: 1, Row: 1, Cell: 2}, "Goods"}, cell(1, 2, 1, spoken), {structure.Declared{Kind: structure.Heading, Level: 1, Table: 1, Row: 3, Cell: 1}, "Law"}, body(spoken)},
			[]string{"Goods", "Law"},
		},
		"LettersAndRomans": {
			[]paragraph{item(1, 1, "(h)", "nuts;"), item(1, 1, "(i)", "bolts;"), item(1, 2, "(i)", "of steel;"), item(1, 2, "(ii)", "of iron;"), item(1, 1, "(j)", "nails.")},
			[]string{"h", "i", " i(i)", " i(ii)", "j"},
		},
		"Bullets": {[]paragraph{heading(1, "", "Goods"), item(1, 1, "•", "nuts"), item(1, 1, "•", "bolts"), body(spoken)}, []string{"Goods"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pages := declare(c.paragraphs...)
			s := structure.SegmentPages(pages)
			nlptest.RequireDeclaredLaws(t, pages, s)
			var got []string
			for _, x := range s.Sections {
				got = append(got, strings.TrimRight(strings.Repeat(" ", x.Level-1)+strings.TrimSpace(x.Path+" "+x.Title), " "))
			}
			require.Equal(t, c.want, got)
		})
	}
}

func TestDeclaredBlocks(t *testing.T) {
	t.Parallel()
	pages := declare(heading(1, "1.", "Goods"), item(1, 2, "1.1", "Price. "+spoken),
		cell(7, 1, 1, "Nuts"), cell(7, 1, 2, "one"), cell(7, 2, 1, "Bolts"), cell(7, 2, 2, "two"), cell(7, 2, 2, "or three"), cell(8, 1, 1, "x"),
		body(spoken), beside("footnote", "A note."))
	s := structure.SegmentPages(pages)
	nlptest.RequireDeclaredLaws(t, pages, s)
	var got []string
	for _, b := range s.Documents[0].Blocks {
		line := strings.TrimSpace(strings.Join([]string{string(b.Kind), b.Origin, b.Number, s.Quote(b.Span)}, "|"))
		for _, row := range b.Rows {
			for _, c := range row {
				line += "/" + s.Quote(c.Span)
			}
			line += ";"
		}
		got = append(got, line)
	}
	require.Equal(t, []string{
		"heading||1|Goods", "heading||1.1|Price.", "paragraph|||" + spoken,
		"table|||Nuts\tone\nBolts\ttwo\nor three/Nuts/one;/Bolts/two\nor three;", "table|||x/x;", "paragraph|||" + spoken, "paragraph|footnote||A note.",
	}, got)
	require.Equal(t, 1, s.Documents[0].Blocks[0].Level)
	require.Equal(t, 2, s.Documents[0].Blocks[1].Level)
}

// TestDeclaredWrongly holds SegmentPages to its promises where what is declared
// does not fit the text.
func TestDeclaredWrongly(t *testing.T) {
	t.Parallel()
	for _, spans := range [][]lex.Span{{{Start: 3, End: 99}}, {{Start: -1, End: 2}}, {{Start: 4, End: 2}}, {{Start: 2, End: 6}, {Start: 0, End: 2}}, {{Start: 1, End: 2}}} {
		pages := []structure.Page{{Text: "a b\n\nc d"}}
		for _, span := range spans {
			pages[0].Declared = append(pages[0].Declared, structure.Declared{Span: span, Kind: structure.Heading, Level: 1})
		}
		nlptest.RequireDeclaredLaws(t, pages, structure.SegmentPages(pages))
	}
}

// FuzzDeclared holds SegmentPages to its promises for whatever is declared of a text.
func FuzzDeclared(f *testing.F) {
	for _, page := range declare(heading(1, "1.", "Goods"), item(1, 2, "1.1", "Price. "+spoken), cell(7, 1, 1, "Nuts"), cell(7, 1, 2, "one"), body(spoken), beside("footnote", "A note.")) {
		data, err := json.Marshal(page.Declared)
		require.NoError(f, err)
		f.Add(page.Text, data)
	}
	f.Fuzz(func(t *testing.T, text string, data []byte) {
		var all []structure.Declared
		if json.Unmarshal(data, &all) != nil {
			return
		}
		var pages []structure.Page
		for text := range strings.SplitSeq(text, "\f") {
			pages = append(pages, structure.Page{Text: text, Declared: all})
		}
		nlptest.RequireDeclaredLaws(t, pages, structure.SegmentPages(pages))
	})
}

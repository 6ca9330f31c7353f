package nlptest

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/nlp/lex"
	"github.com/clausemill/clausemill/nlp/link"
	"github.com/clausemill/clausemill/nlp/structure"
)

// RequireLaws holds a segmentation of pages to what Segment promises.
func RequireLaws(t *testing.T, pages []string, s *structure.Segmentation) {
	t.Helper()
	requireLaws(t, pages, s)
	for _, x := range s.Sections {
		require.True(t, strings.HasPrefix(s.Quote(x.Heading), x.Number))
	}
	require.Equal(t, s.Sentences, structure.Segment(strings.Split(s.Text, "\f")).Sentences, "the text tells its own sentences")
}

// RequireDeclaredLaws holds a segmentation of pages to what SegmentPages promises.
func RequireDeclaredLaws(t *testing.T, pages []structure.Page, s *structure.Segmentation) {
	t.Helper()
	texts := make([]string, len(pages))
	for i, page := range pages {
		texts[i] = page.Text
	}
	requireLaws(t, texts, s)
	for _, d := range s.Documents {
		for _, b := range d.Blocks {
			end := b.Start
			for _, row := range b.Rows {
				require.NotEmpty(t, row)
				for _, cell := range row {
					require.LessOrEqual(t, end, cell.Start, "cells in order")
					require.Less(t, cell.Start, cell.End)
					end = cell.End
				}
			}
			require.LessOrEqual(t, end, b.End, "cells in their table")
		}
	}
}

func requireLaws(t *testing.T, pages []string, s *structure.Segmentation) {
	t.Helper()
	points := []rune(s.Text)
	require.True(t, utf8.ValidString(s.Text))
	whole := 0
	for _, page := range pages {
		whole += utf8.RuneCountInString(page) + 1
	}
	require.Len(t, points, max(0, whole-1), "every code point keeps its place")
	require.Len(t, s.PageStarts, max(1, len(pages)))

	covered := make([]bool, len(points))
	inside := func(span lex.Span, what string) {
		require.LessOrEqual(t, 0, span.Start, what)
		require.Less(t, span.Start, span.End, what)
		require.LessOrEqual(t, span.End, len(points), what)
	}
	page := func(point int) int {
		n := 0
		for n < len(s.PageStarts) && s.PageStarts[n] <= point {
			n++
		}
		return n
	}
	cover := func(span lex.Span) {
		for i := span.Start; i < span.End; i++ {
			covered[i] = true
		}
	}

	end := 0
	for _, span := range s.Furniture {
		inside(span, "furniture")
		require.GreaterOrEqual(t, span.Start, end, "furniture in order")
		end = span.End
		cover(span)
	}

	var blocks []structure.Block
	for _, d := range s.Documents {
		require.NotEmpty(t, d.Blocks)
		require.Equal(t, lex.Span{Start: d.Blocks[0].Start, End: d.Blocks[len(d.Blocks)-1].End}, d.Span)
		require.Equal(t, d.Blocks[0].Page, d.FirstPage)
		require.Equal(t, page(d.End-1), d.LastPage)
		blocks = append(blocks, d.Blocks...)
	}
	end = 0
	for i, b := range blocks {
		inside(b.Span, "block")
		require.GreaterOrEqual(t, b.Start, end, "blocks in order")
		require.Equal(t, i, b.Ordinal)
		require.Equal(t, page(b.Start), b.Page)
		require.Equal(t, b.Kind == structure.Heading, b.Kind == structure.Heading && (b.Title != "" || b.Number != ""))
		end = b.End
		if b.Contents {
			cover(b.Span)
		}
	}

	end = 0
	for _, x := range s.Sentences {
		inside(x.Span, "sentence")
		require.GreaterOrEqual(t, x.Start, end, "sentences in order")
		require.Equal(t, string(points[x.Start:x.End]), x.Text)
		require.Equal(t, strings.TrimSpace(x.Text), x.Text)
		require.True(t, lex.HasWord(x.Text), x.Text)
		require.Equal(t, page(x.Start), x.Page)
		require.GreaterOrEqual(t, x.Start, blocks[x.Block].Start)
		require.LessOrEqual(t, x.End, blocks[x.Block].End)
		end = x.End
		cover(x.Span)
	}
	for i := 1; i < len(points); i++ {
		if isASCIILetter(points[i-1]) && isASCIILetter(points[i]) && !covered[i] {
			require.Fail(t, "a word is in no sentence", "%q", string(points[max(0, i-40):min(len(points), i+40)]))
		}
	}
	requireSectionLaws(t, s, blocks)
	requireTermLaws(t, s)
	requireReferenceLaws(t, s)
	for _, x := range s.Signatures() {
		for _, q := range []structure.Quoted{x.Party, x.By, x.Name, x.Title, x.Date} {
			require.Equal(t, q.Text, lex.Unwrap(s.Quote(q.Span)))
		}
		require.Equal(t, structure.SignatureBlock, blocks[x.Block].Kind)
	}
}

// requireSectionLaws holds the sections of s to being a tree over its blocks.
func requireSectionLaws(t *testing.T, s *structure.Segmentation, blocks []structure.Block) {
	t.Helper()
	within := func(inner, outer lex.Span, what string) {
		require.LessOrEqual(t, outer.Start, inner.Start, what)
		require.LessOrEqual(t, inner.Start, inner.End, what)
		require.LessOrEqual(t, inner.End, outer.End, what)
	}
	ends := map[int]int{} // by parent, where its last child so far ends
	for i, x := range s.Sections {
		require.Equal(t, i, x.Ordinal)
		within(x.Span, s.Documents[x.Document].Span, "section in its document")
		within(x.Heading, x.Span, "heading")
		within(x.Body, x.Span, "body")
		require.Less(t, x.Start, x.End)
		require.Equal(t, x.Start, x.Heading.Start)
		require.LessOrEqual(t, x.Heading.End, x.Body.Start)
		require.Contains(t, lex.Unwrap(s.Quote(x.Heading)), x.Title)
		require.NotEmpty(t, x.Number+x.Title)
		require.Equal(t, x.Number == "", x.Path == "")
		require.Equal(t, s.PageAt(x.Start), x.FirstPage)
		require.Equal(t, s.PageAt(x.End-1), x.LastPage)
		within(lex.Span{Start: x.Start, End: x.Start}, blocks[x.Block].Span, "section begins in its block")
		require.False(t, blocks[x.Block].Contents)
		if x.Parent < 0 {
			require.Equal(t, 1, x.Level)
		} else {
			around := s.Sections[x.Parent]
			require.Less(t, x.Parent, i)
			require.Equal(t, around.Level+1, x.Level)
			require.Equal(t, around.Document, x.Document)
			within(x.Span, around.Span, "section in its parent")
			require.LessOrEqual(t, around.Body.End, x.Start, "a body ends where the first subsection begins")
		}
		require.LessOrEqual(t, ends[x.Parent], x.Start, "sections do not overlap")
		ends[x.Parent] = x.End
	}
}

// requireTermLaws holds the terms of s to being written where they are said to be.
func requireTermLaws(t *testing.T, s *structure.Segmentation) {
	t.Helper()
	type termKey struct {
		name     string
		document int
	}
	names := map[termKey]bool{}
	for _, x := range link.Terms(s) {
		key := termKey{x.Name, x.Document}
		require.False(t, names[key], "a term is listed once")
		names[key] = true
		require.NotEmpty(t, x.Definitions)
		require.Equal(t, x.Name, lex.Unwrap(s.Quote(x.Definitions[0].Term)))
		for i, d := range x.Definitions {
			require.LessOrEqual(t, d.Start, d.Term.Start)
			require.LessOrEqual(t, d.Term.End, d.End)
			require.Equal(t, s.SectionAt(d.Term.Start), d.Section)
			require.True(t, i == 0 || x.Definitions[i-1].Term.Start < d.Term.Start, "definitions in order")
		}
		end := 0
		for _, use := range x.Uses {
			require.LessOrEqual(t, end, use.Start, "uses in order")
			end = use.End
			letters := []rune(lex.Squash(x.Name))
			require.True(t, strings.HasPrefix(lex.Squash(s.Quote(use)), string(letters[:max(0, len(letters)-1)])), "%q is used as %q", x.Name, s.Quote(use))
		}
	}
}

// requireReferenceLaws holds the references of s to what they say of their
// targets.
func requireReferenceLaws(t *testing.T, s *structure.Segmentation) {
	t.Helper()
	end := 0
	for _, x := range link.References(s) {
		require.LessOrEqual(t, end, x.Start, "references in order")
		require.Less(t, x.Start, x.End)
		end = x.End
		require.NotEmpty(t, x.Target)
		require.Less(t, x.Section, len(s.Sections))
		require.Less(t, x.Document, len(s.Documents))
		if x.Section >= 0 {
			require.Equal(t, s.Sections[x.Section].Document, x.Document)
			require.NotEqual(t, link.ToAttachment, x.Kind)
		}
		if x.External != "" {
			require.Negative(t, x.Document)
		}
		if x.Exact {
			require.GreaterOrEqual(t, x.Document, 0)
		}
	}
}

func isASCIILetter(r rune) bool { return r < utf8.RuneSelf && lex.IsLetter(byte(r)) }

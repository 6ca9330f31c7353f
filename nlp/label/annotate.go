package label

import (
	"strings"
	"unicode"

	"github.com/clausemill/clausemill/nlp/lex"
	"github.com/clausemill/clausemill/nlp/structure"
)

// leastShared is how many visible characters a sentence shares with a clause
// that covers it; fewer are a number or a stray word at its edge.
const leastShared = 5

// Annotate returns for each sentence of s the nodes of the quoted clauses that cover
// it: those of which it has five visible characters or more of a quote, or is within
// the quote. White space does not count, "<omitted>" splits a quote, and if a quote
// occurs in the text several times, the first occurrence counts. The quotes are listed
// by node; the nodes of a sentence come in their order in nodes.
func Annotate(s *structure.Segmentation, nodes []string, quotes map[string][]string) [][]string {
	text, before := squeeze(s.Text)
	within := func(span lex.Span) lex.Extent {
		return lex.Extent{Start: before[s.Offsets.Byte(span.Start)], End: before[s.Offsets.Byte(span.End)]}
	}
	sentences := make([]lex.Extent, len(s.Sentences))
	for i, sentence := range s.Sentences {
		sentences[i] = within(sentence.Span)
	}
	labels := make([][]string, len(sentences))
	for _, node := range nodes {
		for _, quote := range quotes[node] {
			for part := range strings.SplitSeq(quote, "<omitted>") {
				visible, _ := squeeze(part)
				at := strings.Index(text, visible)
				if visible == "" || at < 0 {
					continue
				}
				for i, sentence := range sentences {
					shared := min(at+len(visible), sentence.End) - max(at, sentence.Start)
					known := labels[i]
					if shared > 0 && (shared >= leastShared || shared == sentence.End-sentence.Start) &&
						(len(known) == 0 || known[len(known)-1] != node) {
						labels[i] = append(known, node)
					}
				}
			}
		}
	}
	return labels
}

// squeeze removes the white space from text and maps each byte offset, that of the
// end included, to its offset in the result.
func squeeze(text string) (visible string, before []int) {
	var b strings.Builder
	b.Grow(len(text))
	before = make([]int, 0, len(text)+1)
	for i, r := range text {
		for len(before) <= i {
			before = append(before, b.Len())
		}
		if !unicode.IsSpace(r) {
			b.WriteRune(r)
		}
	}
	for len(before) <= len(text) {
		before = append(before, b.Len())
	}
	return b.String(), before
}

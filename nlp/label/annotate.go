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

// Annotate tells the sentences of s that quoted clauses cover: for each
// sentence the nodes of which it holds five visible characters or more of a
// quote, or lies in it altogether. White space does not count, "<omitted>"
// parts a quote, and of what stands in the text several times the first counts.
// The quotes are listed by node; the nodes of a sentence come in their order in
// nodes.
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

// squeeze takes the white space out of text and tells for each byte offset,
// that of the end included, how many bytes stand before it in what is left.
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

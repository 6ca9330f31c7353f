package fact

import (
	"cmp"
	"slices"

	"github.com/clausemill/clausemill/nlp/lex"
	"github.com/clausemill/clausemill/nlp/link"
	"github.com/clausemill/clausemill/nlp/structure"
	"github.com/clausemill/clausemill/nlp/value"
)

// Facts that follow from the structure of a text.
const (
	DefinedTerm    value.Key = "defined_term" // where a definition names its term
	CrossReference value.Key = "reference"
)

// Read extracts everything that can be looked up in a text: the attributes, the
// defined terms and the cross-references. Terms and references are explicit in the
// text, so their confidence is 1.
func Read(s *structure.Segmentation) Attributes {
	found := Extract(s)
	for _, t := range link.Terms(s) {
		for _, d := range t.Definitions {
			found.Findings = append(found.Findings, certain(s, DefinedTerm, d.Term, t.Name))
		}
	}
	for _, r := range link.References(s) {
		target := string(r.Kind) + " " + r.Target
		if r.External != "" {
			target += " of " + r.External
		}
		found.Findings = append(found.Findings, certain(s, CrossReference, r.Span, target))
	}
	slices.SortStableFunc(found.Findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End), cmp.Compare(a.Key, b.Key))
	})
	return found
}

func certain(s *structure.Segmentation, key value.Key, span lex.Span, name string) Finding {
	return Finding{Span: span, Key: key, Text: s.Quote(span), Value: value.Value{Name: lex.Unwrap(name)}, Confidence: 1}
}

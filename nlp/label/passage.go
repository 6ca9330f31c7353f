package label

import (
	"slices"
	"sort"

	"github.com/clausemill/clausemill/nlp/fact"
	"github.com/clausemill/clausemill/nlp/structure"
	"github.com/clausemill/clausemill/nlp/value"
)

// Passage is a sentence with what a model looks at beside its words. Models
// read the passages of a file together and in order, because what a sentence
// means depends on those around it.
type Passage struct {
	Text    string              // on one line, as Plain returns it
	Heading string              // the title of the heading above it, "" before the first
	Kind    structure.BlockKind // of its block
	Facts   []value.Key         // what of the file as a whole is read from it
	// Lead is how many passages before it its lead-in is, as "The Supplier shall:" is
	// that of the items of a list; 0 if there is none.
	Lead int
}

// Passages returns the sentences of s as models read them, one for one. facts are
// those of s.
func Passages(s *structure.Segmentation, facts fact.Attributes) []Passage {
	passages := make([]Passage, 0, len(s.Sentences))
	rest, heading := s.Sentences, ""
	for i := range s.Documents {
		for j := range s.Documents[i].Blocks {
			block := &s.Documents[i].Blocks[j]
			if block.Kind == structure.Heading {
				heading = block.Title
			}
			for len(rest) > 0 && rest[0].Block == block.Ordinal {
				passages = append(passages, Passage{Text: s.Plain(rest[0].Span), Heading: heading, Kind: block.Kind})
				rest = rest[1:]
			}
		}
	}
	for i := range passages {
		if lead := leadIn(s, i); lead >= 0 {
			passages[i].Lead = i - lead
		}
	}
	for _, fact := range facts.File {
		addFact(passages, s.Sentences, fact)
	}
	return passages
}

// leadIn returns the last sentence that a section around that of sentence i says
// itself, the innermost that says anything, or -1.
func leadIn(s *structure.Segmentation, i int) int {
	section := s.SectionAt(s.Sentences[i].Start)
	if section < 0 {
		return -1
	}
	for around := s.Sections[section].Parent; around >= 0; around = s.Sections[around].Parent {
		body := s.Sections[around].Body
		if body.End <= body.Start {
			continue
		}
		last := sort.Search(i, func(j int) bool { return s.Sentences[j].End >= body.End })
		if last < i && s.Sentences[last].Start < body.End {
			return last
		}
		return -1
	}
	return -1
}

// addFact records a fact at the sentences that state it: those of its best evidence,
// and for a party all that introduce it.
func addFact(passages []Passage, sentences []structure.Sentence, fact fact.Attribute) {
	spans := fact.Spans
	if fact.Key != value.Party {
		spans = spans[:1]
	}
	for _, span := range spans {
		first := sort.Search(len(sentences), func(i int) bool { return sentences[i].End > span.Start })
		for i := first; i < len(sentences) && sentences[i].Start < span.End; i++ {
			if p := &passages[i]; !slices.Contains(p.Facts, fact.Key) {
				p.Facts = append(p.Facts, fact.Key)
			}
		}
	}
}

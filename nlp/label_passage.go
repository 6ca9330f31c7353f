package nlp

// Passage is a sentence with what a model looks at beside its words. Models
// read the passages of a file together and in order, because what a sentence
// means depends on those around it.
type Passage struct {
	Text    string    // on one line, as Plain returns it
	Heading string    // the title of the heading it stands under, "" before the first
	Kind    BlockKind // of its block
}

// Passages returns the sentences of s as models read them, one for one.
func Passages(s *Segmentation) []Passage {
	passages := make([]Passage, 0, len(s.Sentences))
	rest, heading := s.Sentences, ""
	for i := range s.Documents {
		for j := range s.Documents[i].Blocks {
			block := &s.Documents[i].Blocks[j]
			if block.Kind == Heading {
				heading = block.Title
			}
			for len(rest) > 0 && rest[0].Block == block.Ordinal {
				passages = append(passages, Passage{s.Plain(rest[0].Span), heading, block.Kind})
				rest = rest[1:]
			}
		}
	}
	return passages
}

package answer

import "github.com/clausemill/clausemill/nlp"

// cite quotes a place in a sentence. A fact is quoted with its whole sentence, unless that
// is long. It is false where the text does not have the words that were stored: then it
// was read anew since.
func (d *Document) cite(p Place, sentence int) (Citation, bool) {
	if sentence < 0 {
		return Citation{}, false
	}
	s := d.Sentences[sentence]
	span, page := p.Span, p.Page
	if p.Quote != "" {
		if said, ok := d.slice(p.Span); !ok || said != p.Quote {
			return Citation{}, false
		}
		if p.Start >= s.Start && p.End <= s.End && s.End-s.Start <= mostQuoted {
			span, page = s.Span, s.Page
		}
	}
	quote, ok := d.slice(span)
	if !ok || span == s.Span && nlp.Squash(quote) != nlp.Squash(s.Text) {
		return Citation{}, false
	}
	return Citation{d.FileID, s.ID, span, page, s.Heading, quote}, true
}

// slice is what the text has at a span.
func (d *Document) slice(span nlp.Span) (string, bool) {
	if span.Start < 0 || span.End <= span.Start || span.End > d.length {
		return "", false
	}
	return d.offsets.Slice(span), true
}

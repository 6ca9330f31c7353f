package fact

import (
	"strings"

	"github.com/clausemill/clausemill/nlp/lex"
	"github.com/clausemill/clausemill/nlp/value"
)

// governingLaw is the place whose law governs the agreement.
func (r *fileReader) governingLaw() (fact, bool) {
	best := fact{}
	for i := range r.sentences {
		if f, ok := r.lawOf(i); ok && f.confidence > best.confidence {
			best = f
		}
	}
	return best, best.confidence > 0
}

// governs are the verbs that put an agreement under a law, with how sure they
// make it.
var governs = map[string]float64{
	"governed": 0.95, "govern": 0.95, "governs": 0.95, "governing": 0.9, "construed": 0.9, "interpreted": 0.85, "construction": 0.7, "interpretation": 0.7, "controlled": 0.7, "enforced": 0.6, "determined": 0.6, "resolved": 0.5, "application": 0.5, "accordance": 0.45, "apply": 0.5, "applies": 0.5, "subject": 0.45, "pursuant": 0.42,
}

// lawOf reads the governing law from sentence number n, and from the next if
// a page break parts them.
func (r *fileReader) lawOf(n int) (fact, bool) {
	in := r.sentences[n]
	whole := in
	if n+1 < len(r.sentences) && r.t.Form(in.next-1) != value.Mark {
		in.next = min(in.next+longestStretch, r.sentences[n+1].next)
	}
	if !r.has(in, "law", "laws", "legislation", "regulations") {
		return fact{}, false
	}
	verb, confidence := -1, 0.0
	m, ok := value.Mention{}, false
	for i := in.first; i < in.next; i++ {
		sure := governs[r.lower(i)]
		if sure > confidence {
			verb, confidence = i, sure
			m, ok = r.lawBehind(stretch{verb, in.next})
		} else if sure == confidence && sure > 0 && !ok { // "except as governed by …, this Agreement is governed by"
			m, ok = r.lawBehind(stretch{i, in.next})
		}
	}
	if verb < 0 {
		return fact{}, false
	}
	if !ok {
		m, ok = r.lawBehind(stretch{in.first, verb})
	}
	if before := r.mentions(value.Jurisdiction, stretch{in.first, verb}); !ok && len(before) > 0 && r.says(in, "laws of that", "laws of such", "laws of said", "laws thereof") {
		m, ok = before[0], true
	}
	if !ok {
		m, ok = r.eitherLaw(stretch{verb, in.next})
	}
	if !ok {
		return fact{}, false
	}
	if r.says(whole, "this agreement", "this contract", "the agreement") {
		confidence += 0.03
	}
	if !r.has(in, "agreement", "agreements", "contract", "contracts", "lease", "license", "note", "deed", "terms", "addendum", "amendment", "guaranty", "hereunder", "parties", "arbitration", "dispute", "disputes") && !r.opensWithThis(whole) {
		confidence -= 0.2
	}
	if confidence < 0.4 {
		return fact{}, false
	}
	said := m.Value
	if other, ok := r.lawBeside(m); ok {
		said = value.Value{Name: said.Name + " and " + other.Name}
	}
	return fact{value.GoverningLaw, said, confidence, []lex.Extent{m.Extent, r.t.Extent(whole.first, whole.next)}}, true
}

// opensWithThis reports whether a sentence is about what the agreement calls itself: "This DPA is
// subject to".
func (r *fileReader) opensWithThis(in stretch) bool {
	const opening = 5 // its number
	for i := range r.each(stretch{in.first, min(in.next, in.first+opening)}, "this") {
		return r.t.IsUpper(i) && r.t.IsUpper(i+1) && r.t.Is(i+2, "is", "shall", "will", "and")
	}
	return false
}

// lawBeside returns the other place of two whose laws govern together: "the laws
// of California and the laws of Hong Kong". Federal law beside that of a state is
// part of it.
func (r *fileReader) lawBeside(m value.Mention) (value.Value, bool) {
	const reach = 6
	next := r.t.Find(m.End)
	at, ok := r.t.Follows(next, "and the laws of")
	if !ok {
		return value.Value{}, false
	}
	others := r.mentions(value.Jurisdiction, stretch{at, min(at+reach, len(r.t.Lexemes))})
	if len(others) == 0 {
		return value.Value{}, false
	}
	other := others[0].Value
	return other, other.Code != m.Value.Code && other.Code != "US" && other.Code != "CA"
}

// eitherLaw reads two places of which a suit or a choice decides whose law governs: "the
// law of the state where the suit is filed, being either Illinois or New York".
func (r *fileReader) eitherLaw(in stretch) (value.Mention, bool) {
	law := r.index(in, "law", "laws")
	if law < 0 {
		return value.Mention{}, false
	}
	for i := range r.each(stretch{law, in.next}, "either") {
		a, next, ok := r.t.TerritoryAt(r.pastTitle(i + 1))
		if !ok || !r.t.Is(next, "or") {
			continue
		}
		if b, end, ok := r.t.TerritoryAt(r.pastTitle(next + 1)); ok && a.Code != b.Code {
			return value.Mention{Extent: r.t.Extent(i, end), Key: value.Jurisdiction, Value: value.Value{Name: a.Name + " or " + b.Name}}, true
		}
	}
	return value.Mention{}, false
}

// pastTitle returns where the name of a place begins whose title is at i: "the State of".
func (r *fileReader) pastTitle(i int) int {
	at := i
	if r.t.Is(at, "the") {
		at++
	}
	if r.t.Is(at, "state", "commonwealth", "province", "republic") && r.t.Is(at+1, "of") {
		return at + 2
	}
	return i
}

func (r *fileReader) lower(i int) string {
	if !r.t.IsWord(i) {
		return ""
	}
	return strings.ToLower(r.t.At(i))
}

// lawBehind returns the place whose law is named first; a state comes before
// the federation that is named with it.
func (r *fileReader) lawBehind(in stretch) (value.Mention, bool) {
	const reach = 90
	in.next = min(in.next, in.first+reach)
	first, ok := value.Mention{}, false
	for _, m := range r.mentions(value.Jurisdiction, in) {
		if !r.namesLaw(r.t.Find(m.Start), r.t.Find(m.End)) {
			continue
		}
		if !ok {
			first, ok = m, true
		} else if first.Value.Code == "US" && len(m.Value.Code) > 2 || first.Value.Code == "CA" && len(m.Value.Code) > 2 {
			return m, true
		}
	}
	return first, ok
}

// namesLaw reports whether the place between two lexemes is named for its law:
// "laws of the State of New York", "English law". Where a company was founded
// is another matter.
func (r *fileReader) namesLaw(first, next int) bool {
	const reach = 14
	if r.t.Is(next, "law", "laws") || r.t.Is(next+1, "law", "laws") && !r.t.Is(next, ",", ".") {
		return true
	}
	for at := first - 1; at >= max(0, first-reach); at-- {
		switch {
		case r.t.Is(at, "law", "laws", "legislation", "regulations"):
			return !r.has(stretch{max(0, at-5), at}, "organized", "existing", "incorporated", "formed", "organised")
		case r.t.Is(at, ".", ";", "court", "courts", "corporation"):
			return false
		}
	}
	return false
}

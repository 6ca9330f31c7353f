package fact

import (
	"strings"

	"github.com/clausemill/clausemill/nlp/lex"
	"github.com/clausemill/clausemill/nlp/structure"
	"github.com/clausemill/clausemill/nlp/value"
)

// documentName is the title above the agreement or, where none is there,
// what its first sentence calls it: "This Services Agreement is made".
func (r *fileReader) documentName() (fact, bool) {
	const reach = 450 // lexemes of a cover page
	named := titleFound{}
	for i := 0; i < min(r.opening, reach); i++ {
		if !structure.Instruments[strings.ToLower(r.t.At(i))] || !r.t.IsUpper(i) && !r.closesTitle(i) {
			continue
		}
		title := r.titleAround(i)
		if title.score > named.score {
			named = title
		}
		i = max(i, title.next-1)
	}
	if named.score < leastTitle {
		return fact{}, false
	}
	name := strings.Trim(r.t.Quote(named.first, named.next), " ,.-–")
	return fact{value.DocumentName, value.Value{Name: name}, min(0.95, named.score), []lex.Extent{r.t.Extent(named.first, named.next)}}, true
}

// leastTitle is the score below which a title is one of something else.
const leastTitle = 0.1

type titleFound struct {
	stretch
	score float64
}

// longestTitleSide is how many lexemes a title continues before its instrument, and
// behind it.
const longestTitleSide = 24

// titleAround reads the title that the instrument at lexeme i is part of.
func (r *fileReader) titleAround(i int) titleFound {
	t := r.t
	capitals := lex.IsCapitals(t.At(i))
	title := r.asRepeated(stretch{r.titleStart(i, capitals), r.titleEnd(i, capitals)})
	switch {
	case t.Is(i, "agreement", "contract", "order", "addendum") && t.Is(i+1, "no", "number", "#") && (title.first == i || t.Is(i+2, ":") || t.Is(i+3, ":")):
		return titleFound{title, leastTitle} // a label
	case t.Is(i-1, "entire"):
		return titleFound{title, leastTitle} // the heading of a section
	case t.Is(title.first-1, "the", "that", "certain", "such", "a", "if", "you", "not", "shall", "will", "would", "has", "have", "been", "is", "are", "was") && !t.Newline(title.first):
		return titleFound{title, leastTitle} // a mention
	}
	const most = 20 // words
	words := 0
	for at := title.first; at < title.next; at++ {
		if t.IsWord(at) {
			words++
		}
	}
	score := 0.9 - float64(i)/1000
	switch {
	case t.Is(title.first-1, "this") && !t.Newline(title.first):
		score -= 0.3
	case words > most, !capitals && !r.opensLine(title.first):
		score -= 0.5
	case !capitals && !r.opensLine(title.next) && !t.Is(title.next, "["):
		score -= 0.4
	}
	if words < 2 {
		score -= 0.35
	}
	if words > 1 && r.repeats(title) {
		score += 0.05 // more than a cover with a shorter name
	}
	return titleFound{title, max(leastTitle/2, score)}
}

// repeats reports whether the sentence behind the title opens with it: "SUPPLY
// AGREEMENT This Supply Agreement is made".
func (r *fileReader) repeats(title stretch) bool {
	if !r.t.Is(title.next, "this") {
		return false
	}
	for i := title.first; i < title.next; i++ {
		if !r.t.Is(title.next+1+i-title.first, r.t.At(i)) {
			return false
		}
	}
	return true
}

// asRepeated returns a title as far as the sentence behind it says it: "FIRST
// AMENDMENT TO SAGEBRUSH" continues in the next line if "This First Amendment to
// Sagebrush Management Agreement" follows.
func (r *fileReader) asRepeated(title stretch) stretch {
	const reach = 40
	this := r.index(stretch{title.next, title.next + reach}, "this")
	if this < 0 {
		return title
	}
	at := title.first
	for at < this && r.t.Is(this+1+at-title.first, r.t.At(at)) {
		at++
	}
	if at > title.next && structure.Instruments[strings.ToLower(r.t.At(at-1))] {
		title.next = at
	}
	return title
}

// titleStart returns where the title begins that continues with the instrument at
// lexeme i.
func (r *fileReader) titleStart(i int, capitals bool) int {
	t, first := r.t, i
	for at := i - 1; at >= max(0, i-longestTitleSide); at-- {
		broken := t.Apart(at+1) && !t.Is(at, ",") && !r.joins(at) && !r.joins(at+1)
		if broken || !r.inTitle(at, capitals) || r.closesName(at) {
			if t.Is(at, "schedule") && t.Is(at+1, "to") && first == at+1 {
				return at
			}
			if t.Is(at, "exhibit", "schedule", "appendix", "annex") && len(t.At(at+1)) == 1 && first == at+1 {
				return min(at+2, i) // behind its letter
			}
			break
		}
		if t.IsUpper(at) || t.Is(at, "#") || t.Is(at, "e") && t.Is(at+1, "-") {
			first = at
		}
	}
	return first
}

// titleEnd returns what follows the title that the instrument at lexeme i is
// part of.
func (r *fileReader) titleEnd(i int, capitals bool) int {
	t, next := r.t, i+1
	if !r.continuesTitle(i+1, capitals) {
		return next
	}
	for at := i + 1; at < min(i+longestTitleSide, len(t.Lexemes)); at++ {
		if broken := t.Apart(at) && !r.joins(at) && !r.joins(at-1); broken || !r.inTitle(at, capitals) || t.Is(at, "between", "dated", "made") {
			break
		}
		if t.IsUpper(at) && !r.joins(at) && !t.Is(at, "no") || t.IsNumber(at) {
			next = at + 1
		}
	}
	if t.Is(next, ":") { // its last words, behind a gap, are the label of a field
		for at := next - 1; at > i; at-- {
			if t.Gap(at) {
				return at
			}
		}
	}
	return next
}

// continuesTitle reports whether a title continues with lexeme i behind its
// instrument.
func (r *fileReader) continuesTitle(i int, capitals bool) bool {
	t := r.t
	return t.Is(i, "no", "number", "#", "n", "regarding", "in", "on") || t.Is(i, "form") && t.Is(i-1, "order") || t.IsNumber(i) || t.Is(i, "-") && t.Is(i+1, "for") ||
		structure.Instruments[strings.ToLower(t.At(i))] || r.joins(i) || r.listsInstruments(i, capitals)
}

// closesName reports whether lexeme i closes the name of a company that stands
// above the title. "CO-BRANDING" closes none.
func (r *fileReader) closesName(i int) bool {
	return r.t.ClosesCompany(i) && !(r.t.Is(i+1, "-") && r.t.Glued(i+1))
}

// inTitle reports whether lexeme i can be in a title that is written in
// capitals, or is not.
func (r *fileReader) inTitle(i int, capitals bool) bool {
	t := r.t
	switch {
	case t.Is(i, "exhibit", "this", "between", "whereas", "by", "schedule", "execution", "version", "confidential", "copy", "draft", "page", "table", "contents", "appendix", "annex", "attachment", "hereto", "you", "not", "is", "are", "if", "would", "has", "have", "been", "was", "shall", "will"):
		return false
	case t.IsUpper(i):
		return !capitals || lex.IsCapitals(t.At(i)) || t.Is(i, "of", "and", "to", "for", "the", "no")
	case t.Is(i, "of", "and", "to", "for", "the", "in", "on", "with", "or", "a", "s", "n"), !capitals && t.IsWord(i) && r.closesTitle(i):
		return true
	case t.IsNumber(i):
		return t.Is(i-1, ".", "#", "number", "amendment", "no", "°", "section") || t.Glued(i) && t.Is(i-1, "-", "/") && t.IsNumber(i-2)
	}
	if t.Is(i, "e") {
		return t.Is(i+1, "-") // "e-business"
	}
	return t.Is(i, "&", "-", "–", "—", "‑", "‐", "/", ",", "'", "’", "#", "°", "®", "™") || t.Is(i, ".") && (t.Is(i-1, "no", "n") || len(t.At(i-1)) == 1 && t.IsUpper(i-1) && t.IsUpper(i+1) && !t.Newline(i+1))
}

// joins reports whether lexeme i joins the lines of a title.
func (r *fileReader) joins(i int) bool {
	return r.t.Is(i, "of", "to", "for", "and", "&") || r.t.Is(i, "the") && r.t.Is(i-1, "of", "to", "for")
}

// listsInstruments reports whether the title continues behind the comma at lexeme
// i: "Software License, Customization and Maintenance Agreement".
func (r *fileReader) listsInstruments(i int, capitals bool) bool {
	const reach = 7
	if !r.t.Is(i, ",") {
		return false
	}
	for at := i + 1; at < i+reach && r.inTitle(at, capitals) && !r.t.Apart(at); at++ {
		if structure.Instruments[strings.ToLower(r.t.At(at))] {
			return true
		}
	}
	return false
}

// closesTitle reports whether the word in small letters at lexeme i is in a
// short line that begins with a capital: "Maintenance and support contract".
func (r *fileReader) closesTitle(i int) bool {
	const longest = 8
	if r.t.IsUpper(i) || !r.t.IsWord(i) {
		return false
	}
	first, next := i, i+1
	for !r.opensLine(first) && first > i-longest && (r.t.IsWord(first) || r.t.Is(first, "-")) {
		first--
	}
	for !r.opensLine(next) && next < i+longest && r.t.IsWord(next) {
		next++
	}
	return r.opensLine(first) && r.t.IsUpper(first) && r.opensLine(next)
}

// opensLine reports whether lexeme i begins a line, and so whether the one
// before closes its own.
func (r *fileReader) opensLine(i int) bool { return r.t.Newline(i) || r.t.Apart(i) }

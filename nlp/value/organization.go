package value

import (
	"strings"

	"github.com/clausemill/clausemill/nlp/lex"
)

// organizations finds companies and other bodies by the words that close their
// names: "Acme Widgets, Inc.", "Hyatt Franchising Latin America, L.L.C.".
type organizations struct{}

// LongestName bounds the lexemes of a name.
const LongestName = 14

func (o organizations) extract(t *Tape) []Mention {
	var found []Mention
	free := 0 // no name begins before the end of the one before it
	for i := 0; i < len(t.Lexemes); i++ {
		if l := &t.Lexemes[i]; l.sense.Class != lex.CorporateWord && l.sense.Class != lex.BodyWord && l.End-l.Start > 1 {
			continue // most words
		}
		if next := t.BodyEnd(i); next > i {
			e, article := t.Extent(i, next), elided(t.At(i))
			e.Start += article
			found = append(found, Mention{e, Organization, Value{Name: t.Quote(i, next)[article:]}, 0.85})
			i, free = next-1, next
			continue
		}
		if t.Initials(i) == i && (t.Sense(i).Class != lex.CorporateWord || !t.IsUpper(i) && !t.closesSmall(i) || t.isHeadword(i) || t.isCapitalized(i)) {
			continue
		}
		if t.isZIP(i+1) || t.Is(i+1, "-") && t.Glued(i+1) {
			continue // "Minden, NV 89423", "Co-Branding"
		}
		start, ok := o.start(t, i, free)
		if _, end, place := t.TerritoryAt(start); !ok || place && end == i {
			continue // "a New York Corporation"
		}
		next := t.CompanyEnd(i)
		found = append(found, Mention{t.Extent(start, next), Organization, Value{Name: t.Quote(start, next)}, 0.9})
		i, free = next-1, next
	}
	return found
}

// isHeadword reports whether the corporate word at i is one that also stands
// alone, as a name for a party: "the Company", "Bank".
func (t *Tape) isHeadword(i int) bool {
	if !t.Is(i, "company", "bank", "trust", "foundation", "university", "partnership", "association", "institute", "co", "limited", "corporation") {
		return false
	}
	return !t.inName(i - 1)
}

// isCapitalized reports whether the word at i, which may be a legal form, is in a text in
// capitals rather than in a name: "TALLERES SUR SE OBLIGA", "GILT AB DEM", "SOWIE JEGLICHE
// GARANTIEN AB". So is "Se" at the start of a sentence.
func (t *Tape) isCapitalized(i int) bool {
	const reach = 4
	if words := formWords[t.language]; words[strings.ToUpper(t.At(i))] {
		if !lex.IsCapitals(t.At(i)) {
			return true
		}
		for at := i - 1; at > i-reach && lex.IsCapitals(t.At(at)); at-- {
			if t.Sense(at).Class == lex.FrameWord && len(t.At(at)) > 1 {
				return true
			}
		}
	}
	return formWords[t.language][t.At(i)] && t.At(i-1) == strings.ToUpper(t.At(i-1)) && t.IsWord(i+1) && !t.Newline(i+1) && lex.IsCapitals(t.At(i+1))
}

// formWords are legal forms that are words of a language, ISO 639-1, as well.
var formWords = map[string]map[string]bool{
	"de": lex.Set("AB"), "fr": lex.Set("SA SE AS"), "es": lex.Set("SE AS"), "it": lex.Set("SE SA"), "nl": lex.Set("AS"),
}

// BodyEnd returns what follows the name of a body that begins with the word for what it is at
// lexeme i, "Fundación de la Cruz", "Stadt Köln", and i where there is none.
func (t *Tape) BodyEnd(i int) int {
	if t.Sense(i).Class != lex.BodyWord && !(t.words != nil && t.Is(i, "stiftung", "genossenschaft", "coöperatie")) || !t.IsUpper(i) && !lex.HasCapital(t.At(i)[elided(t.At(i)):]) || t.inName(i-1) && !t.Apart(i) && t.Sense(i-1).Class != lex.BodyWord {
		return i // "Elm Stiftung" ends with it
	}
	next := i
	for at := i + 1; at <= i+LongestName && !t.Apart(at); at++ {
		switch {
		case t.ClosesCompany(at) && t.Initials(at) > at, t.Sense(at).Class == lex.CorporateWord && t.ClosesCompany(at):
			return t.CompanyEnd(at)
		case t.IsWord(at) && t.inName(at), next > i && t.inName(at), t.Is(at, "het", "la", "le", "il") && t.IsUpper(at) && t.inName(at+1):
			next = at + 1
		case t.Is(at, ",") && t.ClosesCompany(at+1), t.Is(at, ".") && t.inName(at-1) && t.Glued(at) && len(t.At(at-1)) == 1, t.Is(at, "-", "'", "’") && t.Glued(at) && t.inName(at+1) && next == at:
		case bodyJoins[strings.ToLower(t.At(at))] && !t.IsUpper(at) && (t.inName(at+1) || t.inName(at+2) && bodyJoins[strings.ToLower(t.At(at+1))]):
		default:
			return t.wholeBody(i, next)
		}
	}
	return t.wholeBody(i, next)
}

// wholeBody returns the end of the name of a body, or i where it says only what it is:
// "Sociedad Anónima".
func (t *Tape) wholeBody(i, next int) int {
	if t.Is(i+1, "anónima", "anonima", "anônima", "limitada", "civil", "mercantil") || next > i && t.Sense(next-1).Class == lex.FrameWord {
		return i
	}
	return next
}

// bodyJoins are the small words inside names of bodies.
var bodyJoins = lex.Set("de del la las los el da do das dos di della delle dei degli du des les d van voor der den het zur für pour per")

// closesSmall reports whether lexeme i is a legal form that begins with a small letter.
func (t *Tape) closesSmall(i int) bool { return t.At(i) == "eG" || t.At(i) == "mbH" }

// inName reports whether lexeme i can be inside a name.
func (t *Tape) inName(i int) bool {
	if t.words != nil && t.IsUpper(i) && t.IsWord(i-1) && !t.IsUpper(i-1) && t.Is(i, "de", "het", "la", "le", "les", "il", "lo", "el", "los", "las") {
		return true // "tussen De Vries B.V."
	}
	return t.IsUpper(i) && (t.Sense(i).Class != lex.FrameWord || t.IsNumber(i+1) && t.Glued(i+1)) || t.IsNumber(i) && !t.isZIP(i) || t.Is(i, "&")
}

// start finds the first lexeme of the name that the word at i closes.
func (o organizations) start(t *Tape, i, free int) (int, bool) {
	start := i
	for at := i - 1; at >= max(free, i-LongestName); at-- {
		if t.Apart(at + 1) {
			break
		}
		switch {
		case t.inName(at):
			start = at
			continue
		case t.Is(at, ",") && (at == i-1 || t.Sense(at+1).Class == lex.CorporateWord):
			continue
		case t.Is(at, "com", "net", "org") && t.Glued(at) && t.Is(at-1, "."):
			continue
		case t.Is(at, ".", "-", "/", "'", "’", "+", "!") && (t.Glued(at+1) || t.Is(at, ".")) && t.inName(at-1):
			if t.Is(at, ".") && len(t.At(at-1)) > 3 && !t.Glued(at+1) {
				return start, start < i // the end of a sentence
			}
			continue
		case start < i && o.joinsName(t, at):
			continue
		}
		break
	}
	for start < i && (t.IsNumber(start) || t.Is(start, "&", "-", "–") || t.Sense(start).Class == lex.MonthWord) {
		start++
	}
	return start, start < i
}

// joinsName reports whether the small word at lexeme i joins parts of one name:
// "Bank of New York", "Sears, Roebuck and Company".
func (o organizations) joinsName(t *Tape, i int) bool {
	return t.inName(i-1) && (t.Is(i, "of", "de") || t.Is(i, "and") && t.Is(i+2, "company", "co", "trust", "sons", "associates", "partners"))
}

// CompanyEnd finds what follows the name that the word at i closes: further
// corporate words and the stops of abbreviations.
func (t *Tape) CompanyEnd(i int) int {
	next := max(i+1, t.Initials(i))
	for next < i+LongestName {
		switch {
		case t.Initials(next) > next:
			next = t.Initials(next)
		case t.Is(next, ".") && t.Glued(next) && isCorporateShort(t.At(next-1)):
			next++
		case t.Sense(next).Class == lex.CorporateWord && (t.IsUpper(next) || t.closesSmall(next)) && !t.isCapitalized(next) && !(t.Is(next-1, ".") && t.Is(next, "company", "corporation", "bank", "trust")):
			next++
		case t.Is(next, ",") && t.Sense(next+1).Class == lex.CorporateWord && t.IsUpper(next+1) && len(t.At(next+1)) <= 5:
			next += 2
		case t.Is(next, ",") && t.Is(next+1, "national") && t.Is(next+2, "association") && t.IsUpper(next+1):
			next += 3
		case t.Is(next, "&") && t.Is(next+1, "co", "company"):
			next += 2
		default:
			return next
		}
	}
	return next
}

// ClosesCompany reports whether lexeme i is a corporate word after which
// nothing belongs to the name any more.
func (t *Tape) ClosesCompany(i int) bool {
	switch {
	case t.isZIP(i+1) || t.Glued(i) && t.IsNumber(i-1):
		return false // a state before its ZIP code, a code of the post: "EC2N 4AG"
	case t.Initials(i) > i:
		return true
	case t.Sense(i).Class != lex.CorporateWord || t.Is(i, "bank", "trust", "foundation", "university", "partnership", "association", "institute", "company", "co"):
		return false
	}
	return t.IsUpper(i) || t.closesSmall(i) || t.Is(i, "inc", "llc", "ltd", "plc", "llp")
}

// IsDomain reports whether a name in small letters begins at lexeme i that is
// one of the Internet: "ebix.com".
func (t *Tape) IsDomain(i int) bool {
	return t.IsWord(i) && t.Is(i+1, ".") && t.Glued(i+1) && t.Is(i+2, "com", "net", "org") && t.Glued(i+2)
}

// Initials returns what follows the legal form that is at lexeme i in
// initials, "L.P." or "S.A.", and i where there is none.
func (t *Tape) Initials(i int) int {
	if t.Glued(i) && t.Is(i-1, ".") && len(t.At(i-2)) == 1 {
		return i // the end of longer ones: "U.S.A."
	}
	if t.words != nil && t.At(i) == "e" && t.Is(i+1, ".") && t.At(i+2) == "V" && t.Is(i+3, ".") {
		return i + 4 // a registered association: "e. V."
	}
	const most = 4
	var form [most]byte
	n, next := 0, i
	small := t.IsWord(i) && !t.IsUpper(i)
	for n < most && len(t.At(next)) == 1 && (t.IsUpper(next) != small || t.words != nil && n > 0) && t.IsWord(next) && (n == 0 || t.Glued(next)) {
		form[n] = t.At(next)[0] &^ 0x20
		n++
		if !t.Is(next+1, ".", "..") || !t.Glued(next+1) {
			next++
			break
		}
		next += 2
	}
	known := legalForms
	if small {
		known = smallForms
	}
	if n < 2 || !known[string(form[:n])] && (small || t.words == nil || !otherForms[string(form[:n])]) {
		return i
	}
	return next
}

// smallForms are written in small letters: "s.r.o.", "d.o.o.".
var smallForms = lex.Set("SRO DOO")

// otherForms are in initials in texts of languages other than English.
var otherForms = lex.Set("SARL SASU SNC SCI SCP SCA SL SLU SAU SLP SC VOF CV EG UG OHG KG SE")

// legalForms are written in initials as well.
var legalForms = lex.Set("LP LLC LLP SA SAS NV BV AG SRL SPA GIE NA PLC AB AS PC")

// isCorporateShort reports whether a stop behind word belongs to it.
func isCorporateShort(word string) bool {
	switch strings.ToLower(word) {
	case "inc", "corp", "co", "ltd", "lda", "ltda", "pte", "pty", "sdn", "bhd":
		return true
	}
	return false
}

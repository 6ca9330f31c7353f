package nlp

import (
	"strings"

	"github.com/clausemill/clausemill/nlp/lex"
)

// organizations finds companies and other bodies by the words that close their
// names: "Acme Widgets, Inc.", "Hyatt Franchising Latin America, L.L.C.".
type organizations struct{}

// longestName bounds the lexemes of a name.
const longestName = 14

func (o organizations) extract(t *tape) []mention {
	var found []mention
	free := 0 // no name begins before the end of the one before it
	for i := 0; i < len(t.lex); i++ {
		if l := &t.lex[i]; l.sense.Class != lex.CorporateWord && l.end-l.start > 1 {
			continue // most words
		}
		if t.initials(i) == i && (t.sense(i).Class != lex.CorporateWord || !t.isUpper(i) || t.isHeadword(i)) {
			continue
		}
		if t.isZIP(i+1) || t.is(i+1, "-") && t.glued(i+1) {
			continue // "Minden, NV 89423", "Co-Branding"
		}
		start, ok := o.start(t, i, free)
		if _, end, place := t.territoryAt(start); !ok || place && end == i {
			continue // "a New York Corporation"
		}
		next := t.companyEnd(i)
		found = append(found, mention{t.extent(start, next), Organization, Value{Name: t.quote(start, next)}, 0.9})
		i, free = next-1, next
	}
	return found
}

// isHeadword reports whether the corporate word at i is one that also stands
// alone, as a name for a party: "the Company", "Bank".
func (t *tape) isHeadword(i int) bool {
	if !t.is(i, "company", "bank", "trust", "foundation", "university", "partnership", "association", "institute", "co", "limited", "corporation") {
		return false
	}
	return !t.inName(i - 1)
}

// inName reports whether lexeme i can stand inside a name.
func (t *tape) inName(i int) bool {
	return t.isUpper(i) && t.sense(i).Class != lex.FrameWord || t.isNumber(i) && !t.isZIP(i) || t.is(i, "&")
}

// start finds the first lexeme of the name that the word at i closes.
func (o organizations) start(t *tape, i, free int) (int, bool) {
	start := i
	for at := i - 1; at >= max(free, i-longestName); at-- {
		if t.apart(at + 1) {
			break
		}
		switch {
		case t.inName(at):
			start = at
			continue
		case t.is(at, ",") && (at == i-1 || t.sense(at+1).Class == lex.CorporateWord):
			continue
		case t.is(at, "com", "net", "org") && t.glued(at) && t.is(at-1, "."):
			continue
		case t.is(at, ".", "-", "/", "'", "’", "+", "!") && (t.glued(at+1) || t.is(at, ".")) && t.inName(at-1):
			if t.is(at, ".") && len(t.at(at-1)) > 3 && !t.glued(at+1) {
				return start, start < i // the end of a sentence
			}
			continue
		case start < i && o.joinsName(t, at):
			continue
		}
		break
	}
	for start < i && (t.isNumber(start) || t.is(start, "&") || t.sense(start).Class == lex.MonthWord) {
		start++
	}
	return start, start < i
}

// joinsName reports whether the small word at lexeme i joins parts of one name:
// "Bank of New York", "Sears, Roebuck and Company".
func (o organizations) joinsName(t *tape, i int) bool {
	return t.inName(i-1) && (t.is(i, "of", "de") || t.is(i, "and") && t.is(i+2, "company", "co", "trust", "sons", "associates", "partners"))
}

// companyEnd finds what follows the name that the word at i closes: further
// corporate words and the stops of abbreviations.
func (t *tape) companyEnd(i int) int {
	next := max(i+1, t.initials(i))
	for next < i+longestName {
		switch {
		case t.initials(next) > next:
			next = t.initials(next)
		case t.is(next, ".") && t.glued(next) && isCorporateShort(t.at(next-1)):
			next++
		case t.sense(next).Class == lex.CorporateWord && t.isUpper(next) && !(t.is(next-1, ".") && t.is(next, "company", "corporation", "bank", "trust")):
			next++
		case t.is(next, ",") && t.sense(next+1).Class == lex.CorporateWord && t.isUpper(next+1) && len(t.at(next+1)) <= 5:
			next += 2
		case t.is(next, "&") && t.is(next+1, "co", "company"):
			next += 2
		default:
			return next
		}
	}
	return next
}

// closesCompany reports whether lexeme i is a corporate word after which
// nothing belongs to the name any more.
func (t *tape) closesCompany(i int) bool {
	switch {
	case t.isZIP(i + 1):
		return false // a state before its ZIP code
	case t.initials(i) > i:
		return true
	case t.sense(i).Class != lex.CorporateWord || t.is(i, "bank", "trust", "foundation", "university", "partnership", "association", "institute", "company", "co"):
		return false
	}
	return t.isUpper(i) || t.is(i, "inc", "llc", "ltd", "plc", "llp")
}

// isDomain reports whether a name in small letters begins at lexeme i that is
// one of the Internet: "ebix.com".
func (t *tape) isDomain(i int) bool {
	return t.isWord(i) && t.is(i+1, ".") && t.glued(i+1) && t.is(i+2, "com", "net", "org") && t.glued(i+2)
}

// initials returns what follows the legal form that stands at lexeme i in
// initials, "L.P." or "S.A.", and i where there is none.
func (t *tape) initials(i int) int {
	if t.glued(i) && t.is(i-1, ".") && len(t.at(i-2)) == 1 {
		return i // the end of longer ones: "U.S.A."
	}
	const most = 4
	var form [most]byte
	n, next := 0, i
	for n < most && len(t.at(next)) == 1 && t.isUpper(next) && (n == 0 || t.glued(next)) {
		form[n] = t.at(next)[0]
		n++
		if !t.is(next+1, ".", "..") || !t.glued(next+1) {
			next++
			break
		}
		next += 2
	}
	if n < 2 || !legalForms[string(form[:n])] {
		return i
	}
	return next
}

// legalForms are written in initials as well.
var legalForms = lex.Set("LP LLC LLP SA SAS NV BV AG SRL SPA GIE NA PLC AB AS")

// isCorporateShort reports whether a stop behind word belongs to it.
func isCorporateShort(word string) bool {
	switch strings.ToLower(word) {
	case "inc", "corp", "co", "ltd", "pte", "pty", "sdn", "bhd":
		return true
	}
	return false
}

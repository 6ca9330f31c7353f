package nlp

import (
	"slices"
	"strings"
)

// partyFound is a party with the places that name it.
type partyFound struct {
	fact
	mentions []mention
}

// partyName is a party as the opening of an agreement names it.
type partyName struct {
	name    stretch
	aliases []stretch
	company bool // the name closes as those of companies do
}

// known reports whether it is sure that a party was named.
func (p *partyName) known() bool { return p.company || len(p.aliases) > 0 }

// parties reads who makes the agreement from its opening: the list behind
// "between" or, where there is none, the names that are given a short form.
func (r *fileReader) parties() []partyFound {
	const enough = 2
	var best []partyName
	most := 0
	for i := 0; i < r.opening; i++ {
		if !r.t.is(i, "between", "among", "amongst") && !(r.t.is(i, "parties") && (r.t.is(i+1, ":") || r.t.is(i+2, "1", "a"))) {
			continue
		}
		list := r.partiesAt(i + 1)
		if known := countKnown(list); known > most {
			best, most = list, known
		}
		if most >= enough {
			break
		}
	}
	for _, other := range []func() []partyName{r.letteredParties, r.openingParties, r.definedParties, r.signingParties} {
		if most >= enough {
			break
		}
		if list := other(); countKnown(list) > most {
			best, most = list, countKnown(list)
		}
	}
	return r.partiesFrom(best)
}

func countKnown(list []partyName) int {
	known := 0
	for i := range list {
		if list[i].known() {
			known++
		}
	}
	return known
}

// partiesAt reads the list of parties at lexeme i.
func (r *fileReader) partiesAt(i int) []partyName {
	const reach = 600
	var list []partyName
	for end := min(i+reach, len(r.t.lex)); i < end; {
		if r.t.is(i, "(") && r.t.is(i+2, ")") && len(r.t.at(i+1)) <= 3 {
			i += 3 // "(a)", "(ii)"
			continue
		}
		if next := r.t.blank(i); next > i { // a name to fill in
			_, i, _ = r.described(partyName{name: stretch{i, next}}, end)
			continue
		}
		if r.t.form(i) == aMark && strings.Trim(r.t.at(i), "-–—") == "" {
			i++
			continue
		}
		if r.t.is(i, "and", ":", ",", ";", "(", ")", "the", ".", "of", "following", "parties", "both") && !r.t.is(i, "The") || r.t.isNumber(i) && r.t.is(i+1, ".", ")") {
			if i++; r.t.is(i-1, "the") && !r.t.isUpper(i) {
				break
			}
			continue
		}
		name, ok := r.partyNameAt(i)
		if !ok {
			break
		}
		party, next, last := r.described(name, end)
		list = append(list, party)
		if i = next; last {
			break
		}
	}
	return list
}

// closesCompany reports whether lexeme i is a corporate word after which
// nothing belongs to the name any more.
func (t *tape) closesCompany(i int) bool {
	if n, ok := t.count(i + 1); ok && n > 9999 || len(t.at(i+1)) == 5 && t.isNumber(i+1) {
		return false // a state before its ZIP code
	}
	if t.initials(i) > i {
		return true
	}
	return t.sense(i).class == corporateWord && (t.isUpper(i) || t.is(i, "inc", "llc", "ltd", "plc", "llp")) && (!t.is(i, "bank", "trust", "foundation", "university", "partnership", "association", "institute", "company", "co", "as", "se"))
}

// partyNameAt reads the name at lexeme i.
func (r *fileReader) partyNameAt(i int) (partyName, bool) {
	t := r.t
	if !t.isUpper(i) && !t.isNumber(i) && !t.isDomain(i) || t.closesCompany(i) || t.is(i, "whereas", "this", "that", "recitals", "witnesseth", "now", "each", "source", "table", "article", "dated") {
		return partyName{}, false
	}
	p := partyName{}
	next := i
	for at := i; at < i+longestName+8; at++ {
		if at > i && (t.closesCompany(at) || t.is(at, ",") && t.closesCompany(at+1) && t.initials(at+1) > at+1) {
			if t.is(at, ",") {
				at++
			}
			return partyName{name: stretch{i, r.companyEnd(at)}, company: true}, true
		}
		switch {
		case t.isUpper(at) && !t.is(at, "and", "whereas", "between", "dated", "as", "recitals", "this"), t.isNumber(at), at == i:
			p.company = t.sense(at).class == corporateWord
			next = at + 1
		case t.is(at, "&", "+") && (t.isUpper(at+1) || t.isNumber(at+1)), t.is(at, "-", "'", "’", "!", "/", "®") && t.glued(at):
		case t.is(at, ".") && t.glued(at) && (t.glued(at+1) && t.isWord(at+1) || at-i < longestName && len(t.at(at-1)) <= 3):
			if t.glued(at+1) && t.isWord(at+1) {
				at++
			}
			next = at + 1
		case t.is(at, "of", "de", "for", "van", "von", "der", "la", "the", "et", "und") && t.isUpper(at+1):
		case t.is(at, "and") && t.is(at+2, "company", "co", "sons", "trust"):
		case t.is(at, ",") && t.closesCompany(at+1):
		case t.is(at, "(") && t.is(at+2, ")") && t.isUpper(at+1) && (t.sense(at+3).class == corporateWord || t.isUpper(at+3)):
			at += 2
		default:
			if next == i {
				return p, false
			}
			p.name = stretch{i, next}
			return p, true
		}
	}
	p.name = stretch{i, next}
	return p, next > i
}

// companyEnd returns what follows the name that the word at i closes.
func (r *fileReader) companyEnd(i int) int {
	t := r.t
	next := organizations{}.end(t, i)
	if t.is(next, "of") {
		if _, end, ok := t.territoryAt(next + 1); ok {
			next = end
		}
	}
	at := next
	if t.is(at, ",") {
		at++
	}
	switch {
	case t.is(at, "dba"):
		at++
	case t.is(at, "d", "f") && t.is(at+1, "/", ".") && t.is(at+2, "b", "k") && t.is(at+3, "/", ".") && t.is(at+4, "a"):
		at += 5
	default:
		return next
	}
	if p, ok := r.partyNameAt(at); ok {
		return p.name.next
	}
	return next
}

// isDomain reports whether a name in small letters begins at lexeme i that is
// one of the Internet: "ebix.com".
func (t *tape) isDomain(i int) bool {
	return t.isWord(i) && t.is(i+1, ".") && t.glued(i+1) && t.is(i+2, "com", "net", "org") && t.glued(i+2)
}

// longestBrackets is after how many lexemes a bracket that is open was never
// closed.
const longestBrackets = 40

// described reads what is said of the party, what it is called, and where the
// next may be named; last says that there is none.
func (r *fileReader) described(p partyName, end int) (_ partyName, next int, last bool) {
	t := r.t
	open := 0 // lexemes of the brackets that are open, in which nobody else is named
	for i := p.name.next; i < end; i++ {
		if open > 0 {
			open--
		}
		switch {
		case t.is(i, "("):
			open = longestBrackets
		case t.is(i, ")"):
			open = 0
		case t.isQuote(i):
			alias, next := r.quoted(i)
			if next > i+1 && !r.isCommonAlias(alias) {
				p.aliases = append(p.aliases, alias)
			}
			i = max(i, next-1)
		case t.is(i, "whereas", "witnesseth", "recitals", "background", "preamble", "source", "table", "article") && t.isUpper(i):
			return p, end, true
		case t.is(i, "hereinafter", "hereafter") && !t.isQuote(i+1):
			if alias, next, ok := r.unquoted(i); ok {
				p.aliases = append(p.aliases, alias)
				i = next - 1
			}
		case open > 0:
		case t.is(i, "and", ";", "&") && !t.is(i+1, "/") && (len(p.aliases) > 0 || r.namesCompany(i+1)):
			if t.is(i+1, "collectively", "together", "each", "hereinafter") {
				continue
			}
			return p, i + 1, false
		case t.is(i, ",") && (len(p.aliases) > 0 || p.company) && r.namesCompany(i+1) && !r.behindOwner(i):
			return p, i + 1, false
		case t.newline(i) && len(p.aliases) > 0 && r.namesCompany(i) && i > p.name.next:
			return p, i, false
		case t.is(i, ".") && i > p.name.next && !t.glued(i+1) && t.isUpper(i+1) && len(t.at(i-1)) > 2 && t.sense(i-1).class != corporateWord && !t.isUpper(i-1):
			return p, end, true
		case t.is(i, ",") && len(p.aliases) > 0 && r.namesPerson(i+1):
			return p, i + 1, false
		case t.is(i, ".") && (t.is(i-1, ")") || t.isQuote(i-1)) && len(p.aliases) > 0, t.is(i, ".") && t.isNumber(i-1) && t.isUpper(i+1) && !t.glued(i+1):
			return p, end, true
		}
	}
	return p, end, true
}

// quoted reads the words in the quotation marks at lexeme i.
func (r *fileReader) quoted(i int) (stretch, int) {
	const longest = 10
	for at := i + 1; at < i+longest; at++ {
		if r.t.isQuote(at) && at > i+1 {
			words := stretch{i + 1, at}
			if r.t.is(at-1, ",", ".") && at > i+2 {
				words.next--
			}
			return words, at + 1
		}
	}
	return stretch{}, i + 1
}

// unquoted reads "hereinafter referred to as Cremer".
func (r *fileReader) unquoted(i int) (stretch, int, bool) {
	at := i + 1
	for r.t.is(at, "referred", "to", "as", "called", "the", "known") {
		at++
	}
	if r.t.isUpper(at) && at > i+1 {
		return stretch{at, at + 1}, at + 1, true
	}
	return stretch{}, i, false
}

// isCommonAlias reports whether words stand for all parties, or for something
// that is no party.
func (r *fileReader) isCommonAlias(words stretch) bool {
	if words.next == words.first+2 && r.t.is(words.first, "party") && len(r.t.at(words.first+1)) == 1 {
		return false // "Party A"
	}
	return r.has(words, "party", "parties", "agreement", "date", "contract", "amendment")
}

// namesCompany reports whether a company is named at i, or somebody who is
// given a short form at once.
func (r *fileReader) namesCompany(i int) bool {
	for skipped := 0; skipped < 4 && r.t.is(i, "the", ",", "and", ")", "(") && !r.t.isUpper(i); skipped++ {
		i++
	}
	p, ok := r.partyNameAt(i)
	if !ok {
		return false
	}
	if _, _, ok := r.t.territoryAt(i); ok && !p.company {
		return false
	}
	next := p.name.next
	return p.company || r.t.is(next, ",") && r.t.is(next+1, "a", "an", "having")
}

// namesPerson reports whether somebody is named at lexeme i who is given a short
// form at once: "JAMES W. NANTZ III ("Nantz")".
func (r *fileReader) namesPerson(i int) bool {
	if r.t.is(i, "and", "the") && !r.t.isUpper(i) {
		i++
	}
	p, ok := r.partyNameAt(i)
	if _, _, place := r.t.territoryAt(i); !ok || place || p.name.next < i+2 {
		return false
	}
	for at := i; at < p.name.next; at++ {
		if r.t.isNumber(at) {
			return false
		}
	}
	next := p.name.next
	return r.t.is(next, "(") && (r.t.isQuote(next+1) || r.t.isQuote(next+2))
}

// openingParties are those of an agreement that begins with their names.
func (r *fileReader) openingParties() []partyName {
	const reach = 400
	var best []partyName
	for _, m := range r.mentions(Organization, stretch{0, min(r.opening, reach)}) {
		i := r.t.find(m.start)
		if !r.t.newline(i) && !r.t.apart(i) {
			continue
		}
		if list := r.partiesAt(i); countKnown(list) > countKnown(best) && len(list[0].aliases) > 0 {
			best = list
		}
	}
	return best
}

// letteredParties are those of contracts that call them "Party A" and "Party
// B" and name them behind a colon.
func (r *fileReader) letteredParties() []partyName {
	var list []partyName
	for i := 0; i < r.opening; i++ {
		if !r.t.is(i, "party") || len(r.t.at(i+1)) != 1 || !r.t.isUpper(i+1) {
			continue
		}
		at := i + 2
		if r.t.is(at, "(") && r.t.is(at+2, ")") {
			at += 3
		}
		if !r.t.is(at, ":") {
			continue
		}
		if p, ok := r.partyNameAt(at + 1); ok {
			p.aliases = append(p.aliases, stretch{i, i + 2})
			list = append(list, p)
		}
	}
	return list
}

// definedParties are the companies of the opening that are given a short form.
func (r *fileReader) definedParties() []partyName {
	const near = 45
	var list []partyName
	seen := map[string]bool{}
	for _, m := range r.mentions(Organization, stretch{0, min(r.opening, 700)}) {
		first, next := r.t.find(m.start), r.t.find(m.end)
		name := normalizedName(m.value.Name)
		if seen[name] {
			continue
		}
		p := partyName{name: stretch{first, next}, company: true}
		for i := next; i < min(next+near, len(r.t.lex)); i++ {
			if r.t.is(i, "(") && (r.t.isQuote(i+1) || r.t.isQuote(i+2)) {
				alias, _ := r.quoted(i + 1)
				if r.t.isQuote(i + 2) {
					alias, _ = r.quoted(i + 2)
				}
				if alias.next > alias.first && !r.isCommonAlias(alias) {
					p.aliases = append(p.aliases, alias)
				}
				break
			}
			if r.t.closesCompany(i) {
				break
			}
		}
		if len(p.aliases) > 0 {
			list, seen[name] = append(list, p), true
		}
	}
	return list
}

// behindOwner reports whether what stands behind the comma at lexeme i belongs
// to the description of the party before it: "a division of Exxon, Inc."
func (r *fileReader) behindOwner(i int) bool { return r.t.is(i-1, "of", "as", "dba", "formerly") }

// signingParties are the companies above whose signatures their names stand.
func (r *fileReader) signingParties() []partyName {
	const most = 40
	var list []partyName
	for _, m := range r.found {
		first, next := r.t.find(m.start), r.t.find(m.end)
		if m.key != Organization || len(list) == most {
			continue
		}
		if r.t.is(next, "by") && r.t.isUpper(next) && (r.t.is(next+1, ":", "/") || strings.HasPrefix(r.t.at(next+1), "_")) && !r.t.is(first-1, ":") {
			list = append(list, partyName{name: stretch{first, next}, company: true})
		}
	}
	return list
}

func normalizedName(name string) string {
	return strings.ToLower(strings.Join(strings.FieldsFunc(name, func(r rune) bool { return !isWordRune(r) }), " "))
}

// partiesFrom gives the parties their values, and leaves out what is none.
func (r *fileReader) partiesFrom(list []partyName) []partyFound {
	var parties []partyFound
	called := map[string]bool{}
	for i := range list {
		p := &list[i]
		e := r.t.extent(p.name.first, p.name.next)
		value := Value{Name: strings.TrimRight(r.t.quote(p.name.first, p.name.next), ",;")}
		if name := normalizedName(value.Name); called[name] || !p.known() && countKnown(list) >= 2 {
			continue
		} else {
			called[name] = true
		}
		for _, a := range p.aliases {
			alias := r.t.quote(a.first, a.next)
			called[normalizedName(alias)] = true
			if !slices.Contains(value.Aliases, alias) {
				value.Aliases = append(value.Aliases, alias)
			}
			if roles[strings.ToLower(alias)] && value.Role == "" {
				value.Role = alias
			}
		}
		confidence := 0.6
		switch {
		case p.company && len(p.aliases) > 0:
			confidence = 0.95
		case p.known():
			confidence = 0.8
		}
		m := mention{e, Party, value, confidence}
		parties = append(parties, partyFound{fact{Party, value, confidence, []extent{e}}, []mention{m}})
	}
	return parties
}

// roles are what contracts call parties by their part.
var roles = set("company client customer supplier vendor seller buyer purchaser licensor licensee lessor lessee landlord tenant franchisor franchisee distributor reseller " +
	"manufacturer contractor subcontractor consultant advisor adviser agent principal employer employee executive lender borrower guarantor sponsor provider recipient investor issuer " +
	"owner operator shipper carrier transporter artist publisher developer host affiliate bank trustee servicer administrator fund assignor assignee merchant endorser talent producer")

package fact

import (
	"slices"
	"strings"

	"github.com/clausemill/clausemill/nlp/lex"
	"github.com/clausemill/clausemill/nlp/structure"
	"github.com/clausemill/clausemill/nlp/value"
)

// partyName is a party as the opening of an agreement names it.
type partyName struct {
	name    stretch
	aliases []stretch
	company bool // the name closes as those of companies do
	person  bool // it is that of the person whom a letter is to
}

// known reports whether it is sure that a party was named.
func (p *partyName) known() bool { return p.company || p.person || len(p.aliases) > 0 }

// parties reads who makes the agreement from its opening: the list behind
// "between" or, where there is none, the names that are given a short form.
func (r *fileReader) parties() []fact {
	var best []partyName
	for _, list := range []func() []partyName{r.listedParties, r.letteredParties, r.openingParties, r.definedParties, r.labelledParties, r.noteParties, r.letterParties, r.signingParties} {
		if parties := list(); countKnown(parties) > countKnown(best) {
			best = parties
		}
		if countKnown(best) >= enoughParties {
			break
		}
	}
	if countKnown(best) == 1 { // "and the licensee identified below"
		best = append(best, r.labelledParties()...)
	}
	return r.withRoles(r.wholeParties(r.partiesFrom(best)))
}

// wholeParties leaves out names that a comma cut from longer ones, and gives those what they
// are called: "Midwest, Inc." of "Medical Manager, Midwest, Inc.".
func (r *fileReader) wholeParties(parties []fact) []fact {
	var list []fact
	for _, p := range parties {
		first := r.t.Find(p.evidence[0].Start)
		cut := " " + normalizedName(r.t.At(first-2)+" "+p.value.Name)
		at := -1
		if r.t.Is(first-1, ",") && r.t.IsUpper(first-2) {
			at = slices.IndexFunc(list, func(f fact) bool { return strings.HasSuffix(" "+normalizedName(f.value.Name), cut) })
		}
		if at < 0 {
			list = append(list, p)
			continue
		}
		whole := &list[at].value
		for _, alias := range p.value.Aliases {
			if !slices.Contains(whole.Aliases, alias) {
				whole.Aliases = append(whole.Aliases, alias)
			}
		}
	}
	return list
}

// withRoles gives parties that have none the part that is put before their names
// elsewhere, as above signatures: "PROVIDER: Acme Inc.".
func (r *fileReader) withRoles(parties []fact) []fact {
	if !slices.ContainsFunc(parties, func(f fact) bool { return f.value.Role == "" }) {
		return parties
	}
	for _, p := range r.partiesBehind(false) {
		name := normalizedName(r.t.Quote(p.name.first, p.name.next))
		for i := range parties {
			if f := &parties[i]; f.value.Role == "" && normalizedName(f.value.Name) == name {
				f.value.Role = r.t.Quote(p.aliases[0].first, p.aliases[0].next)
			}
		}
	}
	return parties
}

// enoughParties make an agreement.
const enoughParties = 2

// listedParties are those in the first list behind "between" that names enough,
// or else in the one that names most.
func (r *fileReader) listedParties() []partyName {
	var best []partyName
	for i := 0; i < r.opening && countKnown(best) < enoughParties; i++ {
		if !r.t.Is(i, "between", "among", "amongst") && !(r.t.Is(i, "parties") && (r.t.Is(i+1, ":") || r.t.Is(i+2, "1", "a"))) {
			continue
		}
		if list := r.partiesAt(i + 1); countKnown(list) > countKnown(best) {
			best = list
		}
	}
	return best
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
	var label stretch
	for end := min(i+reach, len(r.t.Lexemes)); i < end; {
		if next := r.beforeParty(i); next > i {
			i = next
			continue
		}
		if next := r.roleLabel(i); next > i && r.t.IsUpper(next) { // "Landlord, John Smith"
			label, i = stretch{i, r.roleAt(i)}, next
			continue
		}
		if next := r.t.Blank(i); next > i { // a name to fill in
			_, i, _ = r.described(partyName{name: stretch{i, next}}, end)
			continue
		}
		name, ok := r.partyNameAt(i)
		if !ok {
			break
		}
		party, next, last := r.described(name, end)
		r.withoutAddress(&party)
		if label.next > label.first && len(party.aliases) == 0 {
			party.aliases = append(party.aliases, label)
		}
		label = stretch{}
		list = append(list, party)
		if i = next; last {
			if i = r.furtherParty(party.name.next); i < 0 {
				break
			}
		}
	}
	return list
}

// furtherParty returns what follows the "And:" that stands alone in a line not far
// behind lexeme i, before a party that is named in a paragraph of its own, or -1.
func (r *fileReader) furtherParty(i int) int {
	const reach = 80
	for at := i; at < min(i+reach, len(r.t.Lexemes)); at++ {
		if r.t.Is(at, "and") && r.t.Newline(at) && (r.t.Is(at+1, ":") && r.t.Newline(at+2) || r.t.Newline(at+1)) && r.t.IsUpper(at) {
			return at + 1
		}
	}
	return -1
}

// withoutAddress takes what is behind "of" off the name of a person: "John Smith of
// Westminster" lives there.
func (r *fileReader) withoutAddress(p *partyName) {
	const most = 4 // words
	if p.company || !slices.ContainsFunc(p.aliases, func(a stretch) bool { return personal[strings.ToLower(withoutThe(r.t.Quote(a.first, a.next)))] }) {
		return
	}
	for at := p.name.first + 2; at < min(p.name.first+most+1, p.name.next); at++ {
		if r.t.Is(at, "of") {
			p.name.next = at
			return
		}
	}
}

// personal are parts that people have in agreements.
var personal = lex.Set("employee executive tenant lessee renter landlord lessor consultant contractor borrower lender guarantor worker you")

// letterParties are who employs and who is employed by a letter: "Dear Jane Roe, we are
// delighted to invite you to join Acme Ltd".
func (r *fileReader) letterParties() []partyName {
	const reach = 400
	dear := -1
	for i := 0; i < r.opening && dear < 0; i++ {
		if r.t.Is(i, "dear") && r.t.Newline(i) && r.t.IsUpper(i) {
			dear = i
		}
	}
	body := stretch{dear, min(dear+reach, len(r.t.Lexemes))}
	if dear < 0 || !r.has(body, "employment", "employ", "employed") {
		return nil
	}
	var list []partyName
	for i := range r.each(body, "join", "with", "behalf", "and", "by") {
		at := i + 1
		for r.t.Is(at, "of", "the") {
			at++
		}
		p, ok := r.partyNameAt(at)
		if !ok || !p.company {
			continue
		}
		list = append(list, r.calledAt(p))
		break
	}
	if p, ok := r.addressee(dear); ok {
		list = append(list, p)
	}
	return list
}

// calledAt reads the short forms that a name is given at once: Acme Inc. ("Acme" or the
// "Company").
func (r *fileReader) calledAt(p partyName) partyName {
	if r.t.Is(p.name.next, "(") {
		p, _, _ = r.described(p, min(p.name.next+longestBrackets/2, len(r.t.Lexemes)))
	}
	return p
}

// addressee is whom a letter is to: by the greeting at lexeme dear or, where that has a
// first name alone, by the address above it.
func (r *fileReader) addressee(dear int) (partyName, bool) {
	const reach = 60
	if p, ok := r.personAt(dear + 1); ok {
		return p, true
	}
	for i := max(0, dear-reach); i < dear; i++ {
		if r.t.Newline(i) {
			if p, ok := r.personAt(i); ok {
				return p, true
			}
		}
	}
	return partyName{}, false
}

// personAt reads two to four words with capitals that a line or a mark ends, at lexeme i.
func (r *fileReader) personAt(i int) (partyName, bool) {
	const most = 4
	for r.t.Is(i, "mr", "mrs", "ms", "dr", ".") {
		i++
	}
	words, at := 0, i
	for ; words <= most && at < i+longestBrackets; at++ {
		if at > i && r.t.Newline(at) {
			break
		}
		switch word := r.t.At(at); {
		case r.t.Is(at, ".") && len(r.t.At(at-1)) <= 2 && at > i:
			continue
		case !r.t.IsUpper(at) || r.t.Sense(at).Class != 0 || structure.Instruments[strings.ToLower(word)] || len(word) > 1 && lex.IsCapitals(word):
		default:
			words++
			continue
		}
		break
	}
	if words < 2 || words > most || !r.endsName(at) && !r.t.Is(at, ":") {
		return partyName{}, false
	}
	return partyName{name: stretch{i, at}, person: true}, true
}

// roleLabel returns what follows the part of a party that is put before its name at
// lexeme i, "Landlord: ", "Tenant, ", or i where there is none.
func (r *fileReader) roleLabel(i int) int {
	next := r.roleAt(i)
	if next == i || !r.t.IsUpper(i) {
		return i
	}
	if r.t.Is(next, "'s", "’s") {
		next++
	}
	if r.t.Is(next, "name") {
		next++
	}
	if r.t.Is(next, "(") && r.t.Is(next+1, "party") && r.t.Is(next+3, ")") {
		next += 4 // "Borrower (Party A):"
	}
	if r.t.Is(next, ",", ":") {
		return next + 1
	}
	return i
}

// roleAt returns what follows the part in an agreement that is named at lexeme i, or i.
func (r *fileReader) roleAt(i int) int {
	if r.t.IsWord(i+1) && roles[r.lower(i)+" "+r.lower(i+1)] {
		return i + 2
	}
	if roles[r.lower(i)] {
		return i + 1
	}
	return i
}

// labelledParties are those that a form or a sheet of key terms names behind their parts,
// "Landlord: Jane Roe", "Employee    John Smith".
func (r *fileReader) labelledParties() []partyName { return r.partiesBehind(true) }

// partiesBehind are those behind labels with a mark and, where gaps count, those beside
// one; above signatures what is beside a label may belong to the next column.
func (r *fileReader) partiesBehind(gaps bool) []partyName {
	var list []partyName
	seen := map[string]bool{}
	for i := 0; i < len(r.t.Lexemes); i++ {
		if !r.t.IsUpper(i) || !r.t.Newline(i) && !r.t.Apart(i) && !r.t.Is(i-1, "|", "*") {
			continue
		}
		next := r.roleAt(i)
		if next == i || seen[r.lower(i)] {
			continue
		}
		name := r.roleLabel(i)
		switch {
		case name > i && r.t.Is(name-1, ":") && (gaps || !r.t.Gap(name)):
		case r.t.Is(next, "|"):
			name = next + 1
		case gaps && r.t.Apart(next) && !r.t.Newline(next):
			name = next
		default:
			continue
		}
		if name-next <= 2 && r.t.Newline(name) && r.t.Apart(name) {
			continue
		}
		p, ok := r.partyNameAt(name)
		if !ok || !p.company && (p.name.next < name+2 || !r.endsName(p.name.next)) || r.roleAt(name) > name {
			continue
		}
		seen[r.lower(i)] = true
		p.aliases = append(p.aliases, stretch{i, next})
		list = append(list, p)
	}
	return list
}

// endsName reports whether a name may end before lexeme i: with its line or before a
// mark.
func (r *fileReader) endsName(i int) bool {
	return i >= len(r.t.Lexemes) || r.t.Newline(i) || r.t.Apart(i) || r.t.Is(i, ",", ";", "|", "(") || r.t.Is(i, ".") && !r.t.Glued(i+1)
}

// noteParties are who makes a note, and to whose order: "the undersigned, Acme Inc.,
// promises to pay to the order of First Bank".
func (r *fileReader) noteParties() []partyName {
	const reach = 120
	for i := 0; i < r.opening; i++ {
		next, ok := r.t.Follows(i, "to the order of")
		if !ok || !r.has(stretch{max(0, i-8), i}, "promise", "promises", "pay") {
			continue
		}
		var list []partyName
		if at := r.index(stretch{max(0, i-reach), i}, "undersigned"); at >= 0 {
			for at++; r.t.Is(at, ",") || r.t.IsQuote(at); at++ {
			}
			if p, ok := r.partyNameAt(at); ok {
				p, _, _ = r.described(p, i)
				list = append(list, p)
			}
		}
		for r.t.IsQuote(next) {
			next++
		}
		if p, ok := r.partyNameAt(next); ok {
			p, _, _ = r.described(p, min(next+reach, len(r.t.Lexemes)))
			list = append(list, p)
		}
		return list
	}
	return nil
}

// beforeParty returns what follows the word, mark or number at lexeme i that
// may be before a name in a list of parties, and i where there is none.
func (r *fileReader) beforeParty(i int) int {
	t := r.t
	switch {
	case t.Is(i, "(") && t.Is(i+2, ")") && len(t.At(i+1)) <= 3:
		return i + 3 // "(a)", "(ii)"
	case t.IsNumber(i) && t.Is(i+1, ".", ")"):
		return i + 2
	case t.Is(i, "the") && !t.IsUpper(i):
		if t.IsUpper(i + 1) {
			return i + 1
		}
		return i
	case t.Is(i, "and", ":", ",", ";", "(", ")", ".", "of", "following", "parties", "both"), t.At(i) != "" && strings.Trim(t.At(i), "-–—") == "":
		return i + 1
	}
	return i
}

// partyNameAt reads the name at lexeme i.
func (r *fileReader) partyNameAt(i int) (partyName, bool) {
	t := r.t
	opens := t.IsUpper(i) || t.IsNumber(i) || t.IsDomain(i) || r.opensSmall(i)
	form := t.ClosesCompany(i) && !(t.Initials(i) > i+1 && t.IsUpper(t.Initials(i))) // not "A.B. Watley"
	if !opens || form || t.Is(i, "including", "operation", "whereas", "this", "that", "recitals", "witnesseth", "now", "each", "source", "table", "article", "dated", "near", "opposite", "behind", "beside", "adjacent") {
		return partyName{}, false
	}
	if end := t.BodyEnd(i); end > i {
		return partyName{name: stretch{i, end}, company: true}, true
	}
	p := partyName{}
	next := i
	for at := i; at < i+value.LongestName+8; at++ {
		if at > i && next > i && (t.Apart(at) || t.Newline(at) && r.opensField(at)) {
			break
		}
		if at > i && t.Is(at, "as") && len(t.At(at)) == 2 && lex.IsCapitals(t.At(at)) && t.Is(at+1, ",", "(") { // the Norwegian form
			return partyName{name: stretch{i, at + 1}, company: true}, true
		}
		if at > i && (t.ClosesCompany(at) || t.Is(at, ",") && t.ClosesCompany(at+1) && t.Initials(at+1) > at+1) {
			if t.Is(at, ",") {
				at++
			}
			p = partyName{name: stretch{r.behindTitle(i, at), r.companyEnd(at)}, company: true}
			return p, !r.titles(p.name.next)
		}
		if at < r.smallEnd(i) {
			next = at + 1
			continue
		}
		switch {
		case t.IsUpper(at) && !t.Is(at, "and", "whereas", "between", "dated", "as", "recitals", "this"), t.IsNumber(at), at == i:
			p.company = t.Sense(at).Class == lex.CorporateWord && !(t.Glued(at) && t.IsNumber(at-1)) // not "EC2N 4AG"
			next = at + 1
		case t.Is(at, "&", "+") && (t.IsUpper(at+1) || t.IsNumber(at+1)), t.Is(at, "-", "'", "’", "!", "/", "®") && t.Glued(at), t.Is(at, "/") && t.IsUpper(at+1) && !t.Newline(at+1) && at == i+1:
		case t.Is(at, ".") && t.Glued(at) && (t.Glued(at+1) && t.IsWord(at+1) || at-i < value.LongestName && len(t.At(at-1)) <= 3):
			if t.Glued(at+1) && t.IsWord(at+1) {
				at++
			}
			next = at + 1
		case t.Is(at, "of", "de", "for", "van", "von", "der", "la", "the", "et", "und") && t.IsUpper(at+1) && !(t.Is(at, "of") && t.IsNumber(at+2)): // but for "of Industriparken 55"
		case t.Is(at, "and") && t.Is(at+2, "company", "co", "sons", "trust", "association"):
		case t.Is(at, "and") && t.IsUpper(at+1) && t.Is(at+2, "(") && (t.IsQuote(at+3) || t.IsQuote(at+4)) && r.has(stretch{i, at}, "for", "of"): // "Centre for Tests and Research ("CTR")"
		case t.Is(at, ",") && t.Is(at+1, "national") && t.Is(at+2, "association") && t.IsUpper(at+1): // "First Bank, National Association"
			return partyName{name: stretch{i, at + 3}, company: true}, true
		case t.Is(at, ",") && t.Is(at+1, "(") && t.Is(at+3, ")") && t.ClosesCompany(at+4): // "Columbia Laboratories, (Bermuda) Ltd."
			at += 3
		case t.Is(at, ",") && (t.ClosesCompany(at+1) || t.IsUpper(at+1) && t.Is(at+2, "&") && t.IsUpper(at+3)): // "Keefe, Bruyette & Woods, Inc."
		case t.Is(at, "(") && t.Is(at+2, ")") && t.IsUpper(at+1) && (t.Sense(at+3).Class == lex.CorporateWord || t.IsUpper(at+3)):
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

// opensField reports whether the line at lexeme i begins with the name of a field of a form:
// "Start Date:".
func (r *fileReader) opensField(i int) bool {
	const most = 4 // words
	for at := i; at <= i+most; at++ {
		if at > i && r.t.Is(at, ":") {
			return true
		}
		if !r.t.IsWord(at) || at > i && r.t.Newline(at) {
			return false
		}
	}
	return false
}

// behindTitle returns where the name of a company begins whose legal form is at lexeme form: at
// i, or behind words in small letters before a name in capitals, which say what somebody is:
// "Developer ACME WIDGETS, Inc.", "Vice President ACME PARTNERS LTD".
func (r *fileReader) behindTitle(i, form int) int {
	const least = 2 // words in capitals
	first, words := form, 0
	for at := form - 1; at >= i; at-- {
		switch {
		case r.t.Is(at, ",", "&", ".", "-", "'", "’", "and"), r.t.IsNumber(at):
			continue
		case len(r.t.At(at)) > 1 && lex.IsCapitals(r.t.At(at)):
			first = at
			words++
			continue
		}
		break
	}
	if words < least || first == i {
		return i
	}
	for at := i; at < first; at++ {
		if r.t.IsWord(at) && len(r.t.At(at)) > 3 && !lex.IsCapitals(r.t.At(at)) && (roles[r.lower(at)] || offices[r.lower(at)]) {
			return first
		}
	}
	return i
}

// opensSmall reports whether a name begins at lexeme i with small letters: "e.l.f. Beauty",
// "i3 Solutions", or "e-centives, Inc.", as some do.
func (r *fileReader) opensSmall(i int) bool { return r.smallEnd(i) > i }

// smallEnd returns what follows the small letters that a name begins with at lexeme i, or i.
func (r *fileReader) smallEnd(i int) int {
	const most = 8
	t := r.t
	if !t.IsWord(i) || t.IsUpper(i) {
		return i
	}
	at := i + 1
	for ; t.Is(at, "-") && t.Glued(at) && t.IsWord(at+1) && t.Glued(at+1); at += 2 {
	}
	if at > i+1 && t.Is(at, ",") && t.IsUpper(at+1) && t.ClosesCompany(at+1) {
		return at // "e-centives, Inc."
	}
	if at = i; len(t.At(i)) > 1 {
		return i
	}
	if t.IsNumber(i+1) && t.Glued(i+1) && t.IsUpper(i+2) {
		return i + 2
	}
	for ; at < i+most && t.IsWord(at) && len(t.At(at)) == 1 && t.Is(at+1, ".") && t.Glued(at+1); at += 2 {
	}
	if at < i+4 || !t.IsUpper(at) || t.Apart(at) {
		return i // "e.g."
	}
	return at
}

// titles reports whether an instrument is at lexeme i, so that the words before it are no
// name: "LIMITED PARTNERSHIP AGREEMENT".
func (r *fileReader) titles(i int) bool {
	return r.t.IsUpper(i) && structure.Instruments[strings.ToLower(r.t.At(i))] && !r.t.Apart(i) && (!r.t.Newline(i) || lex.IsCapitals(r.t.At(i)))
}

// companyEnd returns what follows the name that the word at i closes.
func (r *fileReader) companyEnd(i int) int {
	t := r.t
	next := t.CompanyEnd(i)
	if t.Is(next, "of") {
		if _, end, ok := t.TerritoryAt(next + 1); ok {
			next = end
		}
	}
	at := next
	if t.Is(at, ",") {
		at++
	}
	switch {
	case t.Is(at, "dba"):
		at++
	case t.Is(at, "d", "f") && t.Is(at+1, "/", ".") && t.Is(at+2, "b", "k") && t.Is(at+3, "/", ".") && t.Is(at+4, "a"):
		at += 5
	default:
		return next
	}
	if p, ok := r.partyNameAt(at); ok {
		return p.name.next
	}
	return next
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
		open = max(0, open-1)
		switch {
		case t.Newline(i) && i > p.name.next && r.beforeParty(i) > i+1 && !t.Is(i, "the") && r.namesCompany(i):
			return p, i, false // "(2)" in a line of its own
		case t.Is(i, "(") && t.IsUpper(i+1) && r.roleAt(i+1) > i+1 && t.Is(r.roleAt(i+1), ")"): // "(Client)"
			p.aliases = append(p.aliases, stretch{i + 1, r.roleAt(i + 1)})
			i = r.roleAt(i + 1)
		case t.Is(i, "("):
			open = longestBrackets
		case t.Is(i, ")"):
			open = 0
		case t.IsQuote(i):
			alias, next := r.quoted(i)
			if next > i+1 && !r.isCommonAlias(alias) {
				p.aliases = append(p.aliases, alias)
			}
			i = next - 1
		case t.Is(i, "hereinafter", "hereafter") && !t.IsQuote(i+1):
			if alias, next, ok := r.unquoted(i); ok {
				p.aliases = append(p.aliases, alias)
				i = next - 1
			}
		case p.company && t.Is(i, "as") && open == 0 && len(p.aliases) == 0 && t.IsUpper(i+1) && r.roleAt(i+1) > i+1: // "as Borrower"
			p.aliases = append(p.aliases, stretch{i + 1, r.roleAt(i + 1)})
		case r.endsParties(&p, i):
			return p, end, true
		case open == 0 && r.partsParties(&p, i):
			return p, i + 1, false
		case open == 0 && i > p.name.next && t.Newline(i) && len(p.aliases) > 0 && r.namesCompany(i):
			return p, i, false
		}
	}
	return p, end, true
}

// endsParties reports whether the list of parties ends with lexeme i, behind
// what is said of p: with its sentence or before the recitals.
func (r *fileReader) endsParties(p *partyName, i int) bool {
	t := r.t
	switch {
	case t.Is(i, "whereas", "witnesseth", "recitals", "background", "preamble", "source", "table", "article"):
		return t.IsUpper(i)
	case t.Is(i, "this") && t.IsUpper(i) && t.Apart(i):
		return p.company // the cover names it, and the text begins
	case !t.Is(i, ".") || i == p.name.next:
		return false
	case t.Is(i-1, ")") || t.IsQuote(i-1):
		return len(p.aliases) > 0
	case t.Glued(i+1) || !t.IsUpper(i+1):
		return false
	}
	return t.IsNumber(i-1) || len(t.At(i-1)) > 2 && !t.IsUpper(i-1) && t.Sense(i-1).Class != lex.CorporateWord
}

// partsParties reports whether the "and" or the mark at lexeme i parts p from
// the party named next.
func (r *fileReader) partsParties(p *partyName, i int) bool {
	t := r.t
	called := len(p.aliases) > 0
	switch {
	case t.Is(i, "and", ";", "&"):
		return !t.Is(i+1, "/", "collectively", "together", "each", "hereinafter") && (called || r.namesCompany(i+1))
	case t.Is(i, ","):
		owner := t.Is(i-1, "of", "as", "dba", "formerly") // "a division of Exxon, Inc."
		return (called || p.company) && !owner && r.namesCompany(i+1) || called && r.namesPerson(i+1)
	}
	return false
}

// quoted reads the words in the quotation marks at lexeme i.
func (r *fileReader) quoted(i int) (stretch, int) {
	const longest = 10
	for at := i + 1; at < i+longest; at++ {
		if r.t.IsQuote(at) && at > i+1 {
			words := stretch{i + 1, at}
			if r.t.Is(at-1, ",", ".") && at > i+2 {
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
	for r.t.Is(at, "referred", "to", "as", "called", "the", "known") {
		at++
	}
	if r.t.IsUpper(at) && at > i+1 {
		return stretch{at, at + 1}, at + 1, true
	}
	return stretch{}, i, false
}

// isCommonAlias reports whether words stand for all parties, or for something
// that is no party.
func (r *fileReader) isCommonAlias(words stretch) bool {
	if words.next == words.first+2 && r.t.Is(words.first, "party") && len(r.t.At(words.first+1)) == 1 {
		return false // "Party A"
	}
	if r.roleAt(words.first) == words.next {
		return false // "Disclosing Party"
	}
	return r.has(words, "party", "parties", "agreement", "date", "contract", "amendment")
}

// namesCompany reports whether a company is named at i, or somebody who is
// given a short form at once.
func (r *fileReader) namesCompany(i int) bool {
	for skipped := 0; skipped < 4; skipped++ {
		switch {
		case r.t.Is(i, "(") && r.t.Is(i+2, ")") && len(r.t.At(i+1)) <= 3 && r.t.Newline(i):
			i += 3 // the number of a party
		case r.t.Is(i, "the", ",", "and", ")", "(") && !r.t.IsUpper(i):
			i++
		}
	}
	p, ok := r.partyNameAt(i)
	if !ok {
		return false
	}
	if _, _, ok := r.t.TerritoryAt(i); ok && !p.company {
		return false
	}
	next := p.name.next
	return p.company || r.t.Is(next, ",") && r.t.Is(next+1, "a", "an", "having")
}

// namesPerson reports whether somebody is named at lexeme i who is given a short
// form at once: "JAMES W. NANTZ III ("Nantz")".
func (r *fileReader) namesPerson(i int) bool {
	if r.t.Is(i, "and", "the") && !r.t.IsUpper(i) {
		i++
	}
	p, ok := r.partyNameAt(i)
	if _, _, place := r.t.TerritoryAt(i); !ok || place || p.name.next < i+2 {
		return false
	}
	for at := i; at < p.name.next; at++ {
		if r.t.IsNumber(at) {
			return false
		}
	}
	next := p.name.next
	return r.t.Is(next, "(") && (r.t.IsQuote(next+1) || r.t.IsQuote(next+2))
}

// openingParties are those of an agreement that begins with their names.
func (r *fileReader) openingParties() []partyName {
	const reach = 400
	var best []partyName
	for _, m := range r.mentions(value.Organization, stretch{0, min(r.opening, reach)}) {
		i := r.t.Find(m.Start)
		if !r.t.Newline(i) && !r.t.Apart(i) {
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
		if !r.t.Is(i, "party") || len(r.t.At(i+1)) != 1 || !r.t.IsUpper(i+1) {
			continue
		}
		at := i + 2
		if r.t.Is(at, "(") && r.t.Is(at+2, ")") {
			at += 3
		}
		if !r.t.Is(at, ":") {
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
	for _, m := range r.mentions(value.Organization, stretch{0, min(r.opening, 700)}) {
		first, next := r.t.Find(m.Start), r.t.Find(m.End)
		name := normalizedName(m.Value.Name)
		if seen[name] {
			continue
		}
		p := partyName{name: stretch{first, next}, company: true}
		for i := next; i < min(next+near, len(r.t.Lexemes)); i++ {
			if r.t.Is(i, "(") && (r.t.IsQuote(i+1) || r.t.IsQuote(i+2)) {
				alias, _ := r.quoted(i + 1)
				if r.t.IsQuote(i + 2) {
					alias, _ = r.quoted(i + 2)
				}
				if alias.next > alias.first && !r.isCommonAlias(alias) {
					p.aliases = append(p.aliases, alias)
				}
				break
			}
			if r.t.ClosesCompany(i) {
				break
			}
		}
		if len(p.aliases) > 0 {
			list, seen[name] = append(list, p), true
		}
	}
	return list
}

// signingParties are the companies above whose signatures their names stand.
func (r *fileReader) signingParties() []partyName {
	const most = 40
	var list []partyName
	for _, m := range r.found {
		first, next := r.t.Find(m.Start), r.t.Find(m.End)
		if m.Key != value.Organization || len(list) == most {
			continue
		}
		first = r.behindSigner(first, next)
		if r.t.Is(next, "by") && r.t.IsUpper(next) && (r.t.Is(next+1, ":", "/") || strings.HasPrefix(r.t.At(next+1), "_")) && !r.t.Is(first-1, ":") {
			list = append(list, partyName{name: stretch{first, next}, company: true})
		}
	}
	return list
}

// behindSigner returns where the name of a company begins between two lexemes if who signed for
// the one before runs into it, "Jane Roe Authorized Signatory ACME INC.", or else first.
func (r *fileReader) behindSigner(first, next int) int {
	for at := next - 2; at > first; at-- {
		if r.t.Is(at, "signatory", "signature", "president", "secretary", "treasurer", "chairman") || r.t.Is(at, "officer") && r.t.Is(at-1, "executive", "financial", "operating", "authorized") {
			return at + 1
		}
	}
	return first
}

func normalizedName(name string) string {
	return strings.ToLower(strings.Join(strings.FieldsFunc(name, func(r rune) bool { return !lex.IsWordRune(r) }), " "))
}

// partiesFrom gives the parties their values, and leaves out what is none.
func (r *fileReader) partiesFrom(list []partyName) []fact {
	var parties []fact
	called := map[string]bool{}
	for i := range list {
		p := &list[i]
		e := r.t.Extent(p.name.first, p.name.next)
		party := value.Value{Name: strings.TrimRight(r.t.Quote(p.name.first, p.name.next), ",;")}
		name := normalizedName(party.Name)
		if called[name] || r.namesNobody(p.name) || !p.company && !p.person && (!p.known() || lex.IsCapitals(r.t.Quote(p.name.first, p.name.next))) && r.isPhrase(p.name) || !p.known() && countKnown(list) >= enoughParties {
			continue
		}
		called[name] = true
		for _, a := range p.aliases {
			alias := r.t.Quote(a.first, a.next)
			called[normalizedName(alias)] = true
			if !slices.Contains(party.Aliases, alias) {
				party.Aliases = append(party.Aliases, alias)
			}
			if role := withoutThe(alias); roles[strings.ToLower(role)] && party.Role == "" {
				party.Role = role
			}
		}
		confidence := 0.6
		switch {
		case p.company && len(p.aliases) > 0:
			confidence = 0.95
		case p.known():
			confidence = 0.8
		}
		parties = append(parties, fact{value.Party, party, confidence, []lex.Extent{e}})
	}
	return parties
}

// withoutThe is the part in an agreement that an alias names: "THE LESSOR" is LESSOR.
func withoutThe(alias string) string {
	if len(alias) > len("the ") && strings.EqualFold(alias[:len("the ")], "the ") {
		return alias[len("the "):]
	}
	return alias
}

// namesNobody reports whether the words between two lexemes are a part in the
// agreement and no name: "the Customer", "you", "Party A".
func (r *fileReader) namesNobody(words stretch) bool {
	if structure.Instruments[r.lower(words.next-1)] && !r.t.ClosesCompany(words.next-1) {
		return true // "Security Agreement"
	}
	for i := words.first; i < words.next; i++ {
		if word := r.lower(i); len(word) > 1 && !legalForms[word] && word != "you" && word != "party" && word != "registrant" && !roles[word] && r.t.Sense(i).Class != lex.FrameWord {
			return false
		}
	}
	return true
}

// offices are words for what somebody is who signs.
var offices = lex.Set("president vice chairman director officer manager secretary treasurer counsel affairs partner member business executive")

// isPhrase reports whether the words of a name are words of the text besides: each is in small
// letters elsewhere, as those of headings are ("OPERATION OF THE FARM"), and those of names are
// not.
func (r *fileReader) isPhrase(words stretch) bool {
	const short = 3 // "of", "the"
	if r.small == nil {
		r.small = map[string]bool{}
		for i := range r.t.Lexemes {
			if word := r.t.At(i); r.t.IsWord(i) && len(word) > short && !r.t.IsUpper(i) {
				r.small[word] = true
			}
		}
	}
	long := 0
	for i := words.first; i < words.next; i++ {
		if word := r.lower(i); len(word) > short {
			long++
			if !r.small[word] {
				return false
			}
		} else if r.t.IsNumber(i) || len(word) > 1 && lex.IsCapitals(r.t.At(i)) && !r.t.Is(i, "of", "the", "and", "for", "in", "to", "on", "or") {
			return false // "HDB", and more than a word
		}
	}
	return long > 1
}

// legalForms are words that say what somebody is; alone they name nobody.
var legalForms = lex.Set("limited liability general partnership partnerships partner partners joint venture corporation association loan investment individual businessperson businessman of and the a an")

// roles are what contracts call parties by their part.
var roles = func() map[string]bool {
	all := lex.Set("company client customer supplier vendor seller buyer purchaser licensor licensee lessor lessee landlord tenant franchisor franchisee distributor reseller " +
		"manufacturer contractor subcontractor consultant advisor adviser agent principal employer employee executive lender borrower guarantor sponsor provider recipient investor issuer " +
		"owner operator shipper carrier transporter artist publisher developer host affiliate bank trustee servicer administrator fund assignor assignee merchant endorser talent producer " +
		"sender renter maker payee holder creditor debtor mortgagor mortgagee discloser controller processor")
	for _, role := range []string{"disclosing party", "receiving party", "service provider", "administrative agent"} {
		all[role] = true
	}
	return all
}()

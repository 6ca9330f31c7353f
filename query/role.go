package query

import (
	"slices"
	"strings"
)

// What is here are the parts that parties play: "where Acme is the licensor", "in which we
// are the tenant", "contracts with our suppliers", "rent per landlord". Contracts call one
// part by several names, all of which are asked for.

// roles are the parts that mean the same, as contracts call them.
var roles = [][]string{
	{"landlord", "lessor"}, {"tenant", "lessee", "renter"},
	{"supplier", "vendor", "provider", "service provider", "seller"}, {"customer", "client", "buyer", "purchaser"},
	{"licensor"}, {"licensee"}, {"employer"}, {"employee"}, {"lender"}, {"borrower"}, {"consultant", "contractor", "adviser", "advisor"}, {"subcontractor"},
	{"distributor"}, {"reseller"}, {"manufacturer"}, {"franchisor"}, {"franchisee"}, {"disclosing party", "discloser"}, {"receiving party", "recipient"}, {"guarantor"},
	{"assignor"}, {"assignee"}, {"transferor"}, {"transferee"}, {"indemnitor"}, {"indemnitee"}, {"publisher"}, {"sponsor"}, {"investor"}, {"pledgor"}, {"pledgee"}, {"mortgagor"}, {"mortgagee"}, {"insurer"}, {"insured"}, {"processor"}, {"controller"},
}

// takeRole consumes a part, and gives what it is called.
func (p *parser) takeRole() []string {
	for _, names := range roles {
		for _, name := range names {
			if p.takeAny(plural(name), name+" base", name) {
				return names
			}
		}
	}
	return nil
}

// takeRoles consumes parts of which any will do: "landlord or tenant".
func (p *parser) takeRoles() (names []string) {
	joint, ok := p.series(func() bool {
		p.takeAny("a", "an", "the")
		more := p.takeRole()
		names = append(slices.Clone(names), more...)
		return more != nil
	})
	if !ok || joint == "and" {
		return nil
	}
	return names
}

// roleOptions are what a part is called, as values of a field.
func roleOptions(names []string) []Option {
	options := make([]Option, len(names))
	for i, name := range names {
		options[i] = Option{Value: name, Name: strings.ToUpper(name[:1]) + name[1:]}
	}
	return options
}

// signedBy is for "signed by Jane Doe", who is a signatory of files.
func (p *parser) signedBy() (string, bool) {
	p.takeAny("that were", "which were", "that have been", "that are", "which are", "were", "was", "are")
	if !p.takeAny("signed by", "executed by", "countersigned by", "with the signature of", "bearing the signature of", "signed off by") {
		return "", false
	}
	signatory := AttributeField("signatory")
	groups := p.seriesOf(func() []Option { return p.namesOf(signatory, anywhere) })
	if groups == nil {
		return "", false
	}
	return p.anyOf(signatory, slices.Concat(groups...)), true
}

// clause consumes what a clause about a party begins with.
func (p *parser) clause() {
	p.takeAny("and where", "and in which", "where", "in which", "under which", "to which", "that have", "which have", "that name", "which name", "naming", "name", "names", "listing", "with", "and", "that", "which")
}

// plays consumes the verb of such a clause, and "not" where it has one.
func (p *parser) plays() (not, ok bool) {
	ok = p.takeAny("is acting as", "are acting as", "acting as", "is named as", "are named as", "is listed as", "serves as", "serve as", "stand as", "stands as", "appears as", "appear as", "acts as", "act as", "=", "isn't", "aren't", "is", "are", "was", "were", "as")
	not = ok && strings.HasSuffix(p.tokens[p.at-1].lower, "n't")
	not = p.take("not") || not
	p.takeAny("acting as", "named as", "involved as", "as")
	p.takeAny("both", "each", "also")
	p.takeAny("one of the", "a", "an", "the", "our")
	return not, ok
}

// acting is for "where Acme is the licensor", "in which neither Acme nor Bolt is a party" and
// "with Acme as a party".
func (p *parser) acting() (string, bool) {
	p.clause()
	p.article()
	if names := p.takeRole(); names != nil { // "where the consultant is Initech"
		not := p.takeAny("is not", "are not")
		if !not && !p.takeAny("is", "are") {
			return "", false
		}
		groups := p.seriesOf(p.party)
		return p.inPart(groups, names, not), groups != nil
	}
	none := p.takeAny("neither", "none of")
	one := !none && p.take("either")
	p.take("both")
	asked := !none && p.at > 0 && p.takeAny("is", "are") // "in which leases is Hooli the landlord"
	if p.at == len(p.tokens) || !capital(p.tokens[p.at]) {
		return "", false
	}
	groups := p.seriesOf(p.party)
	if groups == nil {
		return "", false
	}
	not, ok := p.plays()
	if n := len(p.filters); !ok && !asked && n > 0 && slices.Contains([]Field{PartyRole, OurRole}, p.filters[n-1].Field) { // "Acme is licensor and Bolt licensee"
		asked = true
	}
	if !ok && !asked {
		return "", false
	}
	if !ok {
		p.takeAny("a", "an", "the")
	}
	not = not || none
	if p.takeAny("party", "parties", "involved", "named", "signatory", "signatories", "counterparty") {
		p.takeAny("to", "in")
		switch {
		case not:
			return p.noneOf(Party, slices.Concat(groups...)), true
		case one:
			return p.anyOf(Party, slices.Concat(groups...)), true
		}
		return p.each(Party, groups), true
	}
	names := p.takeRole()
	if names == nil {
		return "", false
	}
	return p.inPart(groups, names, not), true
}

// inPart asks for files in which parties have a part, or have it not.
func (p *parser) inPart(groups [][]Option, names []string, not bool) string {
	parts := make([][]Option, len(groups))
	for i, group := range groups {
		parts[i] = playing(group, names)
	}
	if not {
		return p.noneOf(PartyRole, slices.Concat(parts...))
	}
	return p.each(PartyRole, parts)
}

// playing are parties in a part.
func playing(parties []Option, names []string) []Option {
	var list []Option
	for _, party := range parties {
		for _, role := range roleOptions(names) {
			list = append(list, Option{Value: Fold(party.Value + " (" + role.Value + ")"), Name: party.Name + " (" + role.Name + ")"})
		}
	}
	return list[:min(len(list), mostValues)]
}

// sides is for the part of the team, or of those with whom it has contracts: "in which we are
// the tenant", "with us as licensor", "contracts with customers", "vendor agreements".
func (p *parser) sides() (string, bool) {
	start := p.at
	p.clause()
	p.takeAny("do", "are")
	asked := p.at > start && p.tokens[p.at-1].lower == "are"
	if p.takeAny("we", "us", "our company", "our organization", "our organisation") {
		if not, ok := p.plays(); ok || asked {
			if !ok {
				p.takeAny("a", "an", "the")
			}
			not = p.take("neither") || not
			if names := p.takeRoles(); names != nil && not {
				return p.noneOf(OurRole, roleOptions(names)), true
			} else if names != nil {
				return p.ofSide(OurRole, names), true
			}
		}
		return "", false
	}
	if p.takeAny("the counterparty", "counterparty", "the other party", "the other side") {
		if not, ok := p.plays(); ok {
			if names := p.takeRole(); names != nil && !not {
				return p.ofSide(CounterpartyRole, names), true
			}
			if groups := p.seriesOf(func() []Option { return p.namesOf(Counterparty, anywhere) }); groups != nil && !not { // "and the other side is Hooli"
				return p.each(Counterparty, groups), true
			}
		}
		return "", false
	}
	p.at = start
	with := p.takeAny("with", "goes to", "go to", "comes from", "come from", "sits with", "is spent with", "is spent on", "of", "from", "for", "across", "among", "involving", "between us and")
	p.takeAny("all our", "our", "the", "a", "an", "all", "any")
	names := p.takeRole()
	if names == nil || !with && !p.rowsFollow() && !p.moneyFollows() || with && p.tokens[start].lower == "of" && !p.rowsFollow() && (p.metric == "" && !(start > 0 && isRows(p.tokens[start-1])) || !p.plural(p.at-1)) {
		return "", false
	}
	for with { // "with suppliers and customers", of which each has one
		end := p.at
		more := []string(nil)
		if joint := p.joint(); joint == "and" || joint == "or" {
			p.takeAny("our", "the")
			more = p.takeRole()
		}
		if more == nil || p.at < len(p.tokens) && !p.stops() && !p.joins() {
			p.at = end
			break
		}
		names = slices.Concat(names, more)
	}
	return p.ofSide(CounterpartyRole, names), true
}

// moneyFollows reports whether an amount is named next: "supplier spend".
func (p *parser) moneyFollows() bool {
	start := p.at
	defer func() { p.at = start }()
	d, ok := p.field()
	return ok && d.IsMoney() && d.Of == Files && !p.isMeasured()
}

// ofSide asks for files in which one side has a part. Which side is the team's is known where
// one of its names is a party.
func (p *parser) ofSide(f Field, names []string) string {
	return p.anyOf(f, roleOptions(names)) + ", where one party is known to be the team"
}

// byRole has parties that are grouped by their part be grouped by as counterparties, of files
// in which they have it: "rent per landlord", "which suppliers", "how many customers".
func (p *parser) byRole() {
	for at := range p.tokens {
		before := "which" // "suppliers with more than 3 contracts"
		if at == 0 && !p.leads() {
			continue
		}
		if at > 0 {
			before = p.tokens[at-1].lower
		}
		valued := p.again()
		if valued.at = at; at > 0 && capital(p.tokens[at-1]) && valued.takeRole() != nil { // "which EMEA suppliers"
			valued.at = at - 1
			if f, options := valued.onlyNamed(""); options != nil && f != Party && f != Matter && valued.at == at {
				if before = "which"; at > 1 {
					before = p.tokens[at-2].lower
				}
			}
		}
		if at > 2 && (before == "and" || before == ",") && slices.ContainsFunc(p.tokens[:at-2], func(t token) bool { return t.lower == "by" || t.lower == "per" }) { // "by month and supplier"
			before = "by"
		}
		if before == "our" && at > 1 && p.tokens[at-2].lower == "of" { // "which of our customers"
			before = "of"
		}
		counted := before == "of" && slices.ContainsFunc(p.tokens[max(0, at-3):at], func(t token) bool {
			return slices.Contains([]string{"number", "count", "names", "which", "many", "list"}, t.lower)
		})
		if p.tokens[at].quoted || !counted && (at == 0 || !p.listsRoles(at)) && !slices.Contains([]string{"by", "per", "each", "every", "which", "many", "top", "smallest", "main", "different", "distinct", "unique", "count", "rank", "most", "fewest", "biggest", "largest", "expensive", "valuable", "costly", "costliest", "cheapest", "counterparties"}, before) && (!isNumber(before) || isDigit(before[0]) && len(before) == len("2027")) {
			continue
		}
		p.at = at
		if _, own := p.field(); own {
			continue
		}
		names := p.takeRole()
		end := p.at
		if names == nil || p.rowsFollow() {
			continue
		}
		several := strings.HasSuffix(p.tokens[end-1].lower, "s") || p.tokens[end-1].lower == "base"
		role := p.tokens[at]
		role.end, role.lower = p.tokens[end-1].end, map[bool]string{true: "counterparties", false: "counterparty"}[several]
		p.tokens = slices.Replace(slices.Clone(p.tokens), at, end, role)
		p.played = append(p.played, Understood{p.phrase(at, at+1), p.ofSide(CounterpartyRole, names)})
		break
	}
	p.at = 0
}

// leads reports whether a question begins with parties by their part, and not with what is of them:
// "suppliers by region", "supplier with the most contracts".
func (p *parser) leads() bool {
	defer func() { p.at = 0 }()
	p.at = 0
	return p.takeRole() != nil && (p.plural(p.at-1) || p.at < len(p.tokens) && p.tokens[p.at].lower == "with")
}

// listsRoles reports whether a part stands where a list of parties is asked for: "list all our
// suppliers".
func (p *parser) listsRoles(at int) bool {
	if at > 2 && slices.Contains([]string{"we", "us"}, p.tokens[at-3].lower) { // "we are the tenant" is no list
		return false
	}
	listed := at == 1 && slices.Contains([]string{"list", "show", "display", "name"}, p.tokens[0].lower) && p.plural(at) // "list vendors"
	return (listed || slices.Contains([]string{"all", "our", "the"}, p.tokens[at-1].lower)) && !slices.ContainsFunc(p.tokens[:at], func(t token) bool {
		return !slices.Contains([]string{"list", "show", "me", "us", "all", "our", "the", "names", "of", "who", "what", "are", "is", "give", "name", "display", "please", "need", "we", "i", "want", "a", "find", "get", "see", "sort", "rank", "order", "from", "with", "would", "like", "to", "have"}, t.lower)
	})
}

// bothOf is for "counterparties that have both an NDA and an MSA": groups with files of each of several
// types.
func (p *parser) bothOf() (string, bool) {
	if len(p.groups) != 1 || p.op != "" || p.having != nil || p.source != "" && p.source != Files {
		return "", false
	}
	d, _ := Lookup(p.groups[0])
	p.takeAny("that", "which", "who")
	if d.Kind != Enum || d.Of != Files || d.Field == DocumentType || !p.takeAny("with", "have signed", "has signed", "have", "has", "having", "signed", "did we sign", "do we have") || !p.take("both") {
		return "", false
	}
	groups := p.seriesOf(func() []Option {
		p.article()
		return p.called(p.types)
	})
	all := slices.Concat(groups...)
	if len(groups) < 2 || len(all) != len(groups) {
		return "", false
	}
	p.op, p.metric, p.source, p.contracts = CountDistinct, DocumentType, Files, true
	p.having = []Bound{{Op: AtLeast, Value: float64(len(groups))}}
	p.filters = append(p.filters, Filter{Field: d.Field, Op: Exists})
	return "those with each of them: " + p.anyOf(DocumentType, all), true
}

func isNumber(word string) bool {
	return slices.Contains(numerals, word) || word != "" && isDigit(word[0])
}

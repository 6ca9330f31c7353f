package query

import (
	"slices"
	"strings"

	"github.com/clausemill/clausemill/nlp"
)

// What is here are the rules for where parties are: "vendors based in California", "German suppliers".
// Files have addresses, of which nobody says whose they are.

var address = AttributeField("address")

// seated is for "based in California", "with a party from Germany" and, behind what parties are called,
// "in Germany".
func (p *parser) seated() (string, bool) {
	if !slices.Contains(p.vocabulary.Keys, "address") {
		return "", false
	}
	named := p.at > 0 && p.partyWord(p.at-1)
	p.relative()
	p.takeAny("that", "which", "who")
	p.takeAny("are", "is", "was", "were")
	not := p.take("not")
	if !p.takeAny("sits in", "sit in", "sitting in", "has its seat in", "have their seat in", "has an address in", "have an address in", "has an office in", "resides in", "lives in", "operates from", "based in", "based out of", "located in", "headquartered in", "seated in", "domiciled in", "resident in", "registered in", "incorporated in", "established in", "with an address in", "with addresses in", "with an office in", "with offices in", "with a registered office in", "with a seat in", "with headquarters in", "whose address is in", "whose addresses are in", "whose registered office is in") &&
		!(named && (p.takeAny("in the", "in", "from the", "from") || p.at < len(p.tokens) && p.tokens[p.at].lower == "outside" || p.placeNamed())) {
		return "", false
	}
	if p.takeAny("outside of", "outside the", "outside") {
		not = !not
	}
	return p.addressIn(not)
}

// placeNamed reports whether a place is named next, and nothing but that: "suppliers California".
func (p *parser) placeNamed() bool {
	start := p.at
	defer func() { p.at = start }()
	if start == len(p.tokens) || !capital(p.tokens[start]) {
		return false
	}
	_, ok := p.place()
	return ok && !strings.HasPrefix(p.tokens[p.at-1].lower, "law") && (p.at == len(p.tokens) || p.stops() || p.joins())
}

// withSeated is for "with parties located in France" and "with a German supplier".
func (p *parser) withSeated() (string, bool) {
	if !slices.Contains(p.vocabulary.Keys, "address") || !p.takeAny("with", "have", "has", "that have", "which have", "but have", "signed with", "involving", "from", "between us and", "whose", "where the", "where our", "where a", "in which the", "where one") {
		return "", false
	}
	p.takeAny("a", "an", "any", "our", "the", "all", "parties that are")
	adjective := p.at
	if place, non, ok := p.nation(); ok {
		if !p.takeParty() || p.isPartyName(adjective) {
			return "", false
		}
		roles := p.rolesBefore()
		return roles + p.namesPlace([]nlp.Territory{place}, non), true
	}
	p.at = adjective
	if !p.takeParty() && !p.takeAny("someone", "somebody", "anyone", "anybody") {
		return "", false
	}
	roles := p.rolesBefore()
	if meaning, ok := p.seated(); ok {
		return roles + meaning, true
	}
	return "", false
}

// foreignParties is for "German counterparties" and "US vendors": the adjective, what they are called
// is read next.
func (p *parser) foreignParties() (string, bool) {
	if !slices.Contains(p.vocabulary.Keys, "address") {
		return "", false
	}
	start := p.at
	place, non, ok := p.nation()
	end := p.at
	if !ok || !p.takeParty() || p.isPartyName(start) {
		return "", false
	}
	p.at = end // they are read next
	return p.namesPlace([]nlp.Territory{place}, non), true
}

// isPartyName reports whether a name of a party begins at a token: "American Airlines".
func (p *parser) isPartyName(at int) bool {
	ahead := p.again()
	ahead.at = at
	return ahead.namesOf(Party, beginning) != nil && ahead.at > at+1
}

// nation consumes an adjective of a place, or the place itself, "German" or "US", or that it is another one: "non-US".
func (p *parser) nation() (place nlp.Territory, non, ok bool) {
	if p.at == len(p.tokens) || p.tokens[p.at].quoted {
		return place, false, false
	}
	written := p.tokens[p.at].word
	if len(written) > len("non-") && strings.EqualFold(written[:len("non-")], "non-") {
		written, non = written[len("non-"):], true
	}
	written = strings.TrimSuffix(strings.TrimSuffix(written, "-based"), "-Based")
	if place, ok = nlp.Place(nations[strings.ToLower(written)]); !ok {
		place, ok = nlp.Place(written)
	}
	if p.at++; ok {
		p.takeAny("based", "located")
	}
	return place, non, ok
}

// takeParty consumes what parties are called, with their part: "counterparties", "suppliers".
func (p *parser) takeParty() bool {
	return p.takeAny("counterparties", "counterparty", "parties", "party", "companies", "company", "entities", "entity", "businesses", "firms") || p.takeRole() != nil
}

// rolesBefore asks for the part that was consumed last, if it was one.
func (p *parser) rolesBefore() string {
	ahead := p.again()
	for ahead.at = max(0, p.at-longestTitle); ahead.at < p.at; {
		from := ahead.at
		if names := ahead.takeRole(); names != nil && ahead.at == p.at {
			return p.ofSide(CounterpartyRole, names) + ", "
		}
		ahead.at = from + 1
	}
	return ""
}

// partyWord reports whether a token is what parties are called.
func (p *parser) partyWord(at int) bool {
	ahead := p.again()
	ahead.at = at
	return ahead.takeParty() && ahead.at == at+1
}

// addressIn consumes places of which one is in an address.
func (p *parser) addressIn(not bool) (string, bool) {
	var places []nlp.Territory
	joint, ok := p.series(func() bool {
		p.takeAny("in", "the", "either", "from")
		place, ok := p.place()
		if ok && strings.HasPrefix(p.tokens[p.at-1].lower, "law") {
			return false
		}
		places = append(places, place)
		return ok
	})
	if !ok || joint == "and" && len(places) > 1 {
		return "", false
	}
	return p.namesPlace(places, not), true
}

// writtenAs is how addresses name places otherwise than by their names. UK would find Ukraine as well, which begins so.
var writtenAs = map[string][]string{"US": {"USA"}, "GB": {"England", "Scotland", "Wales", "Northern Ireland"}}

// namesPlace asks for files of which an address names one of the places.
func (p *parser) namesPlace(places []nlp.Territory, not bool) string {
	var any []Filter
	var names []string
	for _, place := range places {
		for _, name := range append([]string{place.Name}, writtenAs[place.Code]...) {
			any, names = append(any, Compare(address, Contains, name)), append(names, name)
		}
	}
	where := any[0]
	if len(any) > 1 {
		where = Filter{Any: any}
	}
	meaning := "an address in the file, whosever it is, names " + strings.Join(names, " or ")
	if not {
		p.filters = append(p.filters, Filter{Field: address, Op: Exists}, Filter{Not: &where})
		return "not: " + meaning + ", of those with an address"
	}
	p.filters = append(p.filters, where)
	return meaning
}

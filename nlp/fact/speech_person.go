package fact

import (
	"cmp"
	"slices"

	"github.com/clausemill/clausemill/nlp/lex"
	"github.com/clausemill/clausemill/nlp/value"
)

// titles are before names of people in the languages other than English, particles inside them.
var (
	titles    = lex.Set("herr herrn frau dr prof dipl ing mag monsieur madame mademoiselle m mme mlle maître don doña d dña sr sra señor señora sig signor signora dott dottor dottoressa avv heer dhr mevrouw mevr mr drs")
	particles = lex.Set("von van der den ter te de del della di da du des la le zu vom")
)

// withPeople adds to the companies of a list the people in it who are given a short form at
// once, as parties are, and do not act for one of the companies.
func (p *phrases) withPeople(r *fileReader, in stretch, companies []value.Mention) []value.Mention {
	all := companies
	for i := in.first; i < in.next; i++ {
		if i > in.first && !r.t.Newline(i) && !r.t.Is(i-1, ")", ";", ":", ",") && !r.t.Is(i-1, p.and...) && !r.t.Is(i-1, p.between...) {
			continue
		}
		name, titled := r.foreignPerson(i)
		if name.next == name.first || !titled && !r.t.Is(name.next, ",", "(") && !r.t.Newline(name.next) {
			continue
		}
		if _, _, place := r.t.TerritoryAt(name.first); !titled && (place || r.t.Is(i-1, ",")) {
			continue // a place, or the street
		}
		all = append(all, value.Mention{Extent: r.t.Extent(name.first, name.next), Key: value.Person, Value: value.Value{Name: r.t.Quote(name.first, name.next)}})
		i = name.next - 1
	}
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b value.Mention) int { return cmp.Compare(a.Start, b.Start) })
	return slices.DeleteFunc(all, func(m value.Mention) bool {
		if m.Key != value.Person {
			return false
		}
		own := stretch{r.t.Find(m.End), in.next}
		for _, other := range all {
			if at := r.t.Find(other.Start); at >= own.first && at < own.next {
				own.next = at
			}
		}
		for at := own.first; at < own.next; at++ {
			if r.t.Apart(at) {
				own.next = at // what is called so is in another paragraph
			}
		}
		return p.aliasIn(r, own) == "" || r.has(own, p.acts...) || slices.ContainsFunc(companies, func(c value.Mention) bool { return c.Start < m.End && m.Start < c.End })
	})
}

// foreignPerson reads the name of somebody at lexeme i, behind titles if it has any: two to
// five words with capitals.
func (r *fileReader) foreignPerson(i int) (name stretch, titled bool) {
	const most = 5
	t := r.t
	for at := i; at < i+most; at++ {
		if t.Is(at, "der", "die", "den", "de", "la", "le", "il", "el", "l", "'", "’", ".") {
			continue
		}
		if !titles[r.lower(at)] {
			break
		}
		titled, i = true, at+1
		if t.Is(i, ".") {
			i++
		}
	}
	for t.Is(i, "der", "die", "den", "de", "la", "le", "il", "el", "l", "'", "’") && !t.IsUpper(i) {
		i++
	}
	words, next := 0, i
	for at := i; words < most && at < i+2*most; at++ {
		if at > i && t.Newline(at) {
			break
		}
		switch {
		case t.Is(at, ".") && t.Glued(at) && len(t.At(at-1)) <= 2 && words > 0:
			next = at + 1
			continue
		case t.IsWord(at) && t.IsUpper(at) && t.Sense(at).Class == 0:
			words, next = words+1, at+1
			continue
		case t.Is(at, "-") && t.Glued(at) && t.Glued(at+1) && words > 0, particles[r.lower(at)] && t.IsWord(at) && words > 0:
			continue
		}
		break
	}
	if words < 2 {
		return stretch{i, i}, titled
	}
	return stretch{i, next}, titled
}

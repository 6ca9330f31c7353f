package fact

import (
	"strings"

	"github.com/clausemill/clausemill/nlp/lex"
	"github.com/clausemill/clausemill/nlp/value"
)

// addresses are those of parties: the one that is said of a party where it is named first or,
// where none is, the one below its name among the addresses for notices.
func (r *fileReader) addresses(parties []fact) []fact {
	var list []fact
	for i, p := range parties {
		next := len(r.t.Lexemes)
		for _, other := range parties {
			if at := r.t.Find(other.evidence[0].Start); at > r.t.Find(p.evidence[0].Start) {
				next = min(next, at)
			}
		}
		in, sure := r.saidAddress(p, next)
		if sure == 0 {
			in, sure = r.noticeAddress(parties, i)
		}
		if sure > 0 {
			list = append(list, fact{value.Address, value.Value{Name: r.t.Quote(in.first, in.next), Party: p.value.Name}, sure, []lex.Extent{r.t.Extent(in.first, in.next)}})
		}
	}
	return list
}

// saidAddress is the address that is said of a party behind its name, before lexeme next:
// "Acme Inc., a Delaware corporation with offices at 1 Main Street, Springfield".
func (r *fileReader) saidAddress(p fact, next int) (stretch, float64) {
	const (
		reach = 70
		close = 3
	)
	t := r.t
	first := t.Find(p.evidence[0].End)
	in := stretch{first, min(next, first+reach)}
	for i := in.first; i < in.next; i++ {
		switch {
		case t.Is(i, "whereas", "witnesseth", "recitals", "attention", "attn"), t.Is(i, ".") && !t.Glued(i+1) && t.IsUpper(i+1) && len(t.At(i-1)) > 3 && !t.ClosesCompany(i-1):
			return stretch{}, 0
		case t.Is(i, "subsidiary", "division", "affiliate", "owned", "successor", "acting", "behalf", "branch") || i > first+close && t.ClosesCompany(i) && t.IsUpper(i-1):
			return stretch{}, 0 // of somebody else
		}
		at := r.behindPlaceCue(i)
		if at == i {
			continue
		}
		if found := r.placeAt(stretch{at, min(at+reach, next)}); found.next > found.first {
			return found, 0.9
		}
		return stretch{}, 0
	}
	if list := r.mentions(value.Address, in); len(list) > 0 && t.Find(list[0].Start) <= first+close {
		return stretch{t.Find(list[0].Start), t.Find(list[0].End)}, 0.85
	}
	return stretch{}, 0
}

// placeCues are the words behind which an address is.
var placeCues = []string{
	"offices located at", "office located at", "offices at", "office at", "office is located at", "offices are located at", "office is at", "offices are at", "office is", "office situated at",
	"place of business at", "place of business located at", "place of business is located at", "place of business is at", "place of business is", "places of business at", "business address at", "business address is", "business address of",
	"located at", "situated at", "with an address at", "an address at", "address is", "address being", "having an address of", "with an address of", "whose address is", "mailing address is", "residing at", "resides at", "headquartered at", "headquarters at", "headquarters located at", "domiciled at", "seat at", "domicile at", "business at", "offices in", "office in", "offices :", "address :", "address at",
}

// behindPlaceCue returns what follows the words at lexeme i behind which an address is, or i.
func (r *fileReader) behindPlaceCue(i int) int {
	last := i
	if !r.t.Is(i, "offices", "office", "place", "places", "business", "located", "situated", "with", "an", "address", "having", "whose", "mailing", "residing", "resides", "headquartered", "headquarters", "domiciled", "seat", "domicile") {
		return i
	}
	for _, cue := range placeCues {
		if next, ok := r.t.Follows(i, cue); ok && next > last {
			last = next
		}
	}
	return last
}

// placeAt returns the address that a stretch begins with: up to its ZIP code, or to the mark or
// word that ends it. What has no figure, as a city alone, is none.
func (r *fileReader) placeAt(in stretch) stretch {
	const (
		longest = 40
		least   = 4
	)
	t := r.t
	for t.Is(in.first, ":", ",", "the", "at", "located", "situated") || t.IsQuote(in.first) {
		in.first++
	}
	found := stretch{in.first, in.first}
	if list := r.mentions(value.Address, in); len(list) > 0 && t.Find(list[0].Start) <= in.first+2*least {
		found.next = t.Find(list[0].End)
		return found
	}
	for at := in.first; at < min(in.next, in.first+longest); at++ {
		if t.Is(at, ";") && !t.IsUpper(at+1) && !t.IsNumber(at+1) || t.Is(at, "hereinafter", "hereafter", "represented", "herein", "acting", "which", "who", "whose", "whereas", "hereby", "party", "parties", "telephone", "tel", "fax", "facsimile", "attention", "attn", "email", "e", "contact", "phone", "duly", "referred", "as", "is", "are", "has", "having", "being", "together", "organized", "incorporated", "dated", "a", "an", "each", "between") && !(t.IsUpper(at) && len(t.At(at)) == 1) ||
			t.Is(at, "(", ")", "[", "]", "|") || t.IsQuote(at) || t.Blank(at) > at ||
			t.Is(at, "and") && !(t.IsUpper(at+1) && t.IsUpper(at-1) && r.has(stretch{at + 1, at + 4}, "street", "road", "avenue")) ||
			t.Is(at, ".") && !t.Glued(at+1) && len(t.At(at-1)) > 4 || at > in.first && t.Apart(at) {
			break
		}
		found.next = at + 1
	}
	for found.next > found.first && (t.Is(found.next-1, ",", ".", "the", "in", "of") || t.Form(found.next-1) == value.Mark) {
		found.next--
	}
	figures, capitals := 0, 0
	for at := found.first; at < found.next; at++ {
		if t.IsNumber(at) || strings.ContainsAny(t.At(at), "0123456789") {
			figures++
		}
		if t.IsUpper(at) {
			capitals++
		}
	}
	if figures == 0 || capitals < 2 || found.next-found.first < least || len(r.mentions(value.Date, found)) > 0 || !t.IsUpper(found.first) && !t.IsNumber(found.first) {
		return stretch{}
	}
	return found
}

// noticeAddress is the address that is closely behind the name of a party, as above a letter:
// "If to Acme: Acme Inc., 1 Main Street". No other party or company is between.
func (r *fileReader) noticeAddress(parties []fact, of int) (stretch, float64) {
	const (
		reach = 24
		above = 60
	)
	name := nameWords(parties[of].value.Name)
	if len(name) < 2 {
		return stretch{}, 0
	}
	for _, m := range r.found {
		if m.Key != value.Address {
			continue
		}
		at := r.t.Find(m.Start)
		for i := at - 1; i >= max(0, at-reach); i-- {
			if r.t.Is(i, "copy", "copies", "counsel", "llp", "esq") {
				break
			}
			if next, ok := r.follows(i, name); ok && next <= at {
				if r.has(stretch{max(0, i-above), at}, "notice", "notices", "to", "attention", "attn", "address") && !r.namesOther(stretch{next, at}) {
					return stretch{at, r.t.Find(m.End)}, 0.85
				}
				break
			}
		}
	}
	return stretch{}, 0
}

// namesOther reports whether a company is named in a stretch, or a figure is in it: then what is
// beside is set in columns.
func (r *fileReader) namesOther(in stretch) bool {
	for i := in.first; i < in.next; i++ {
		if r.t.IsNumber(i) {
			return true
		}
	}
	return len(r.mentions(value.Organization, in)) > 0
}

// nameWords are the words of a name, without marks.
func nameWords(name string) []string {
	return strings.FieldsFunc(name, func(c rune) bool { return !lex.IsWordRune(c) })
}

// follows reports whether the words are at lexeme i, with any marks between, and returns what
// comes behind.
func (r *fileReader) follows(i int, words []string) (next int, ok bool) {
	for n, word := range words {
		for n > 0 && r.t.Form(i) == value.Mark && i < len(r.t.Lexemes) {
			i++
		}
		if !r.t.Is(i, word) {
			return i, false
		}
		i++
	}
	return i, true
}

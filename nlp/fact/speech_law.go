package fact

import (
	"slices"
	"strings"

	"github.com/clausemill/clausemill/nlp/lex"
	"github.com/clausemill/clausemill/nlp/value"
)

// lawPhrases are those of the law that an agreement is under.
type lawPhrases struct {
	governs  []string // put something under a law
	subjects []string // what they put under it, beside the agreement
	founded  []string // who was founded under a law
	bodies   []string // directly before the law that somebody was founded under
	rules    []string // unless behind these: "règles de droit français"
	exempt   []string // behind a negation that denies no law: "no previsto"
	except   []string // begin what has a negation of its own: "soweit", the convention on sales
	excludes []string // before what does not apply
	excluded []string // behind it
	applies  []string // what of a law is excluded: its application
	that     []string // begins what is excluded, behind a verb of those
	statutes []string // name one statute as well as all law
	topics   []string // say which statute, behind it
	topic    string   // says it unless one of general follows
	general  []string
	and      []string // between two laws that govern together
}

// governingLaw is the place whose law a sentence puts the agreement under. There is none
// where that is denied, or where a sentence has a law for each of several things. It is less
// sure where a sentence denies something else, or another one names another law.
func (p *phrases) governingLaw(r *fileReader) (fact, bool) {
	best, other := fact{}, false
	for _, in := range r.sentences {
		f, ok := p.lawOf(r, in)
		if !ok {
			continue
		}
		if best.evidence != nil && f.value.Name != best.value.Name && f.confidence >= best.confidence {
			other = true
		}
		if f.confidence > best.confidence {
			best, other = f, other && f.confidence == best.confidence
		}
	}
	if other {
		best.confidence = min(best.confidence, severalLaws)
	}
	return best, best.confidence > 0
}

// How sure the law is of a sentence about the agreement, of one about something else, of one
// of several, and of one whose sentence denies something.
const (
	agreedLaw   = 0.9
	someLaw     = 0.7
	severalLaws = 0.45
	deniedLaw   = 0.4
)

// lawOf reads the law that one sentence puts something under.
func (p *phrases) lawOf(r *fileReader, in stretch) (fact, bool) {
	var named []value.Mention
	for _, m := range r.mentions(value.Jurisdiction, in) {
		if r.t.NamesLaw(m) {
			named = append(named, m)
		}
	}
	var laws []value.Mention
	for _, m := range named {
		if !p.isFounded(r, in, m) && !p.isCited(r, m) && !p.isExcluded(r, in, m) {
			laws = append(laws, m)
		}
	}
	said, ok := p.together(r, laws)
	if !ok {
		return fact{}, false
	}
	whole := in
	in = r.between(in, r.t.Find(laws[0].Start), ";")
	if !r.says(in, p.governs...) {
		return fact{}, false
	}
	confidence := someLaw
	if r.has(in, p.agreement...) || r.says(in, p.subjects...) {
		confidence = agreedLaw
	}
	for i := range r.each(in, p.negates...) {
		next := i + 1
		if r.t.Is(next, "-") {
			next++ // "niet-exclusieve"
		}
		switch part := p.partOf(r, in, i); {
		case r.t.Is(next, p.exempt...) || r.says(part, p.except...):
		case r.t.Find(laws[0].Start) >= part.first && r.t.Find(laws[0].Start) < part.next:
			return fact{}, false
		default:
			confidence = min(confidence, deniedLaw)
		}
	}
	return fact{value.GoverningLaw, said, confidence, []lex.Extent{laws[0].Extent, r.t.Extent(whole.first, whole.next)}}, true
}

// together is the one law of a sentence, or those of two that govern together. The law of a
// federation is part of that of its member.
func (p *phrases) together(r *fileReader, laws []value.Mention) (value.Value, bool) {
	if len(laws) == 0 {
		return value.Value{}, false
	}
	said := laws[0].Value
	last, both := laws[0], false
	for _, m := range laws[1:] {
		switch {
		case m.Value.Code == said.Code || strings.HasPrefix(said.Code, m.Value.Code+"-"):
		case strings.HasPrefix(m.Value.Code, said.Code+"-"):
			said = m.Value
		case !both && p.isBeside(r, last, m):
			said, both = value.Value{Name: said.Name + " and " + m.Value.Name}, true
		default:
			return value.Value{}, false
		}
		last = m
	}
	return said, true
}

// isBeside reports whether nothing but "and" and small words are between two laws.
func (p *phrases) isBeside(r *fileReader, a, b value.Mention) bool {
	const reach = 5
	between := stretch{r.t.Find(a.End), r.t.Find(b.Start)}
	if a.End > b.Start { // "deutsches und österreichisches Recht"
		between.first = r.t.Find(a.Start) + 1
	}
	if between.next-between.first > reach || !r.has(between, p.and...) {
		return false
	}
	for i := between.first; i < between.next; i++ {
		if !r.t.IsWord(i) {
			return false
		}
	}
	return true
}

// partOf is the part of a sentence around lexeme i, between commas and the like.
func (p *phrases) partOf(r *fileReader, in stretch, i int) stretch {
	return r.between(in, i, ",", ";", ":", "(", ")", "–", "—")
}

// between is the part of a stretch around lexeme i that has none of marks.
func (r *fileReader) between(in stretch, i int, marks ...string) stretch {
	part := stretch{i, i + 1}
	for part.first > in.first && !r.t.Is(part.first-1, marks...) {
		part.first--
	}
	for part.next < in.next && !r.t.Is(part.next, marks...) {
		part.next++
	}
	return part
}

// isFounded reports whether a law is named because somebody was founded under it: "société
// de droit français", "nach dem Recht der Schweiz gegründet".
func (p *phrases) isFounded(r *fileReader, in stretch, m value.Mention) bool {
	const (
		before = 14
		behind = 3
		beside = 3
	)
	first, next := r.t.Find(m.Start), r.t.Find(m.End)
	if r.has(stretch{next, min(in.next, next+behind)}, p.founded...) {
		return true
	}
	for at := max(in.first, first-beside); at < first; at++ {
		if end, ok := r.opens(at, p.bodies); ok && end >= first-1 && end <= first+1 {
			return !r.t.Is(at-1, p.rules...)
		}
	}
	at := -1
	for i := range r.each(stretch{max(in.first, first-before), first}, p.founded...) {
		at = i
	}
	return at >= 0 && !r.says(stretch{at, first}, p.governs...)
}

// isCited reports whether what is named is one statute, or a field of law: "loi française n°
// 75-1334", "Nederlandse wet op het consumentenkrediet".
func (p *phrases) isCited(r *fileReader, m value.Mention) bool {
	const reach = 6
	first, next := r.t.Find(m.Start), r.t.Find(m.End)
	if !r.has(stretch{max(0, first-reach), next}, p.statutes...) {
		return false
	}
	if r.t.IsNumber(next) {
		return true
	}
	for _, topic := range p.topics {
		if _, ok := r.t.Follows(next, topic); ok {
			return true
		}
	}
	return p.topic != "" && r.t.Is(next, p.topic) && !r.t.Is(next+1, p.general...)
}

// isExcluded reports whether a law is named as one that does not apply: "à l'exclusion du
// droit belge", "deutsches Recht ist ausgeschlossen".
func (p *phrases) isExcluded(r *fileReader, in stretch, m value.Mention) bool {
	const (
		reach  = 6
		object = 4 // lexemes from an exclusion to what is excluded
	)
	first, next := r.t.Find(m.Start), r.t.Find(m.End)
	part := p.partOf(r, in, first)
	for i := range r.each(stretch{part.first, first}, p.excludes...) {
		if r.has(stretch{i + 1, min(i+4, first)}, p.that...) {
			return true
		}
	}
	for at := first - 1; at >= max(part.first, first-reach); at-- {
		if slices.Contains(p.excludes, r.lower(at)) {
			from := at
			if i := r.index(stretch{at, min(at+object, first)}, p.applies...); i >= 0 {
				from = i + 1 // "excluyen la aplicación de la ley inglesa"
			}
			return !r.says(stretch{from, first}, p.governs...) && !r.says(stretch{at, first}, p.except...)
		}
	}
	return r.has(stretch{next, part.next}, p.excluded...)
}

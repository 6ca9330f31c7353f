package fact

import (
	"github.com/clausemill/clausemill/nlp/lex"
	"github.com/clausemill/clausemill/nlp/value"
)

// termPhrases are the words by which a language other than English says how long an
// agreement runs and how it is renewed. Several words are a phrase.
type termPhrases struct {
	lasts      []string // before how long it runs
	expires    []string // before the date of its end
	till       []string // before that, behind words that it runs
	open       []string // it runs until somebody ends it
	others     []string // what else has a term
	after      []string // before what is not now
	renews     []string
	itself     []string // unless somebody objects
	unless     []string // behind for how long it is renewed
	repeatedly []string // renewed again and again
	yearly     []string // renewed for a year, again and again
	notice     []string // before how long before its end somebody has to object, or behind it
	breach     []string // periods of notice for other reasons
}

// terms reads how long the agreement runs, when it ends, for how long it is renewed and by
// what notice it is not.
func (p *phrases) terms(r *fileReader, effective fact) []fact {
	var list []fact
	term, ok := p.initialTerm(r)
	if ok {
		list = append(list, term)
	}
	if f, ok := p.expirationDate(r, term, effective); ok {
		list = append(list, f)
	}
	for n, in := range r.sentences {
		f, ok := p.renewalOf(r, in)
		if !ok {
			continue
		}
		list = append(list, f, p.renewalType(r, in))
		if f, ok := p.noticeOf(r, r.sentences[n:min(len(r.sentences), n+nearRenewal)], f); ok {
			list = append(list, f)
		}
		break
	}
	return list
}

// initialTerm is the period behind words that say how long the agreement runs.
func (p *phrases) initialTerm(r *fileReader) (fact, bool) {
	const reach = 10
	for _, in := range r.sentences {
		if !p.isAboutTerm(r, in) {
			continue
		}
		for _, m := range r.mentions(value.Period, in) {
			at := r.t.Find(m.Start)
			before := stretch{in.first, at}
			if p.isLong(m) && r.says(stretch{max(in.first, at-reach), at}, p.lasts...) && !r.has(before, p.renews...) && !r.has(before, p.after...) && !r.says(before, p.notice...) {
				return fact{value.InitialTerm, m.Value, 0.75, []lex.Extent{m.Extent, r.t.Extent(in.first, in.next)}}, true
			}
		}
	}
	return fact{}, false
}

// isAboutTerm reports whether the agreement, or its term, is what a sentence begins with,
// and nothing else that has one is in it.
func (p *phrases) isAboutTerm(r *fileReader, in stretch) bool {
	const (
		reach = 2 // "le présent contrat"
		of    = 4 // "die Laufzeit dieses Vertrages"
	)
	first := in.first
	for first < in.next && !r.t.IsWord(first) {
		first++ // its number
	}
	opening := stretch{first, min(in.next, first+reach+1)}
	if at := r.index(opening, p.lasts...); at >= 0 {
		opening = stretch{at, min(in.next, at+of)}
	}
	return r.has(opening, p.agreement...) && !r.has(in, p.negates...) && !r.has(in, p.others...)
}

// isLong reports whether a period is one that agreements run for, and none of notice.
func (p *phrases) isLong(m value.Mention) bool {
	unit := m.Value.Duration[len(m.Value.Duration)-1]
	return unit == 'M' || unit == 'Y'
}

// expirationDate is the date at which the agreement says that it ends, or that of its term
// counted from when it takes effect. One that runs until somebody ends it is perpetual.
func (p *phrases) expirationDate(r *fileReader, term, effective fact) (fact, bool) {
	perpetual := fact{}
	for _, in := range r.sentences {
		if !p.isAboutTerm(r, in) {
			continue
		}
		for _, m := range p.dates(r, in) {
			at := r.t.Find(m.Start)
			beside := stretch{max(in.first, at-besideDate), at}
			if r.says(beside, p.expires...) || p.runsTill(r, in, beside) {
				return fact{value.ExpirationDate, m.Value, 0.75, []lex.Extent{m.Extent, r.t.Extent(in.first, in.next)}}, true
			}
		}
		if perpetual.evidence == nil && r.says(in, p.open...) {
			perpetual = fact{value.ExpirationDate, value.Value{Perpetual: true}, 0.6, []lex.Extent{r.t.Extent(in.first, in.next)}}
		}
	}
	if date, ok := addDuration(effective.value.Date, term.value.Duration); ok {
		return fact{value.ExpirationDate, value.Value{Date: date, Duration: term.value.Duration}, 0.7, term.evidence}, true
	}
	return perpetual, perpetual.evidence != nil
}

// runsTill reports whether the word for an end, in a stretch before a date, is behind words
// that the agreement runs, or behind the date from which it does: not "gilt für die bis zum".
func (p *phrases) runsTill(r *fileReader, in, beside stretch) bool {
	till := r.index(beside, p.till...)
	if till < 0 {
		return false
	}
	for _, m := range p.dates(r, stretch{in.first, till}) {
		if from := r.t.Find(m.Start); r.t.Find(m.End) >= till-1 && r.says(stretch{in.first, from}, p.runs...) {
			return true
		}
	}
	return r.has(stretch{max(in.first, till-1), till}, p.runs...)
}

// renewalOf reads from a sentence for how long the agreement is renewed unless somebody
// objects.
func (p *phrases) renewalOf(r *fileReader, in stretch) (fact, bool) {
	const around = 4 // of them a negation is
	verb, itself := r.index(in, p.renews...), r.index(in, p.itself...)
	if verb < 0 || itself < 0 {
		return fact{}, false
	}
	for _, i := range []int{verb, itself} {
		if r.has(stretch{max(in.first, i-around), min(in.next, i+around)}, p.negates...) {
			return fact{}, false
		}
	}
	from := min(verb, itself)
	if r.has(stretch{in.first, from}, p.others...) {
		return fact{}, false
	}
	for _, m := range r.mentions(value.Period, stretch{from, in.next}) {
		at := r.t.Find(m.Start)
		if r.has(stretch{from, at}, p.unless...) {
			break
		}
		if !p.isLong(m) || p.isNotice(r, in, m) {
			continue
		}
		said := m.Value
		said.Recurring = r.says(stretch{from, min(in.next, at+around)}, p.repeatedly...)
		return fact{value.RenewalTerm, said, 0.75, []lex.Extent{m.Extent, r.t.Extent(in.first, in.next)}}, true
	}
	if r.says(in, p.yearly...) {
		return fact{value.RenewalTerm, value.Value{Duration: "P1Y", Recurring: true}, 0.65, []lex.Extent{r.t.Extent(in.first, in.next)}}, true
	}
	return fact{}, false
}

// renewalType is that of a sentence which says that the agreement is renewed unless somebody
// objects.
func (p *phrases) renewalType(r *fileReader, in stretch) fact {
	verb, itself := r.index(in, p.renews...), r.index(in, p.itself...)
	words := r.t.Extent(min(verb, itself), max(verb, itself)+1)
	return fact{value.RenewalType, value.Value{Name: value.Automatic}, 0.75, []lex.Extent{words, r.t.Extent(in.first, in.next)}}
}

// isNotice reports whether a period of a sentence is one of notice: words for it are before
// or behind it, with no comma between.
func (p *phrases) isNotice(r *fileReader, in stretch, m value.Mention) bool {
	const reach = 5
	at, next := r.t.Find(m.Start), r.t.Find(m.End)
	around := stretch{at, next}
	for around.first > max(in.first, at-reach) && !r.t.Is(around.first-1, ",") {
		around.first--
	}
	for around.next < min(in.next, next+reach) && !r.t.Is(around.next, ",") {
		around.next++
	}
	return r.says(around, p.notice...)
}

// noticeOf reads from the sentence about renewal, or from those behind it, how long before
// the end somebody has to object.
func (p *phrases) noticeOf(r *fileReader, sentences []stretch, renewal fact) (fact, bool) {
	for _, in := range sentences {
		if r.has(in, p.breach...) {
			continue
		}
		for _, m := range r.mentions(value.Period, in) {
			if m.Extent != renewal.evidence[0] && p.isNotice(r, in, m) {
				return fact{value.NoticePeriod, m.Value, 0.7, []lex.Extent{m.Extent, r.t.Extent(in.first, in.next)}}, true
			}
		}
	}
	return fact{}, false
}

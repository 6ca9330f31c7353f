package fact

import (
	"time"

	"github.com/clausemill/clausemill/nlp/lex"
	"github.com/clausemill/clausemill/nlp/value"
)

// termSentence is one that says how long the agreement runs.
type termSentence struct {
	stretch
	subject    int // the lexeme of which it says so
	confidence float64
}

func (r *fileReader) termSentences() []termSentence {
	var list []termSentence
	for _, in := range r.sentences {
		if confidence, subject := r.speaksOfTerm(in); confidence > 0 {
			list = append(list, termSentence{in, subject, confidence})
		}
	}
	return list
}

// initialTerm is how long the agreement runs at first.
func (r *fileReader) initialTerm(terms []termSentence) (fact, bool) {
	best := fact{}
	for _, in := range terms {
		if in.confidence <= best.confidence {
			continue
		}
		if m, ok := r.runs(stretch{in.subject, in.next}); ok {
			best = fact{value.InitialTerm, m.Value, in.confidence, []lex.Extent{m.Extent, r.t.Extent(in.first, in.next)}}
		}
	}
	return best, best.confidence > 0
}

// speaksOfTerm is how sure it is that the sentence says how long the agreement
// runs, and 0 where it does not.
func (r *fileReader) speaksOfTerm(in stretch) (confidence float64, subject int) {
	const reach = 40
	t := r.t
	if r.opensCondition(in) {
		return 0, in.first
	}
	for i := range r.each(in, "term", "period", "duration", "agreement", "contract", "amendment", "lease", "employment", "tenancy", "appointment", "engagement", "this") {
		sure, i := r.termAt(in, i)
		if sure == 0 {
			continue
		}
		if r.has(r.clause(in, i), "during", "while", "upon", "prior", "throughout", "after", "following", "end", "under", "if", "any", "pursuant", "within", "expiration", "termination", "by") {
			continue
		}
		if !t.Is(i+1, ":") && !r.has(stretch{i, min(in.next, i+reach)}, "shall", "will", "is", "be", "commence", "commences", "begins", "commencing", "expires", "ends", "terminates", "continues", "runs", "lasts", "means", "for", "until", "through", "remains", "has") && !r.granted(in, i) {
			continue
		}
		if !t.Is(i+1, ":") && !r.has(in, "continue", "continues", "remain", "remains", "expire", "expires", "commence", "commences", "commencing", "begin", "begins", "beginning", "effect", "effective", "valid", "terminate", "years", "year", "months", "until", "through", "extended", "terminating", "ending", "end", "ends") {
			continue
		}
		if sure < 0.5 && !r.lasts(stretch{i + 1, min(in.next, i+reach)}) {
			continue // what the parties owe while it lasts
		}
		if r.says(in, "( the \" term", "( \" term", "the “ term", "( “ term", "“ initial term", "\" initial term") {
			sure += 0.2
		}
		if r.has(in, "continue", "remain", "commence", "commences", "begin", "begins", "commencing", "expire", "expires") {
			sure += 0.15
		}
		if sure > confidence {
			confidence, subject = sure, i
		}
	}
	if confidence > 0 && (r.has(in, "survive", "survives") || r.has(in, "means", "mean") && r.has(in, "calendar", "quarter", "warranty")) {
		return 0, in.first // what continues after the term, or what a word means
	}
	return confidence, subject
}

// termAt is how sure it is that the word at lexeme i is for the agreement or its term, 0 where
// it is not, and the last lexeme of that.
func (r *fileReader) termAt(in stretch, i int) (sure float64, subject int) {
	const (
		before = 40
		none   = 0
	)
	t := r.t
	possessive := t.Is(i-1, "'s", "’s") || t.Is(i-1, "s") && t.Is(i-2, "'", "’")
	switch {
	case t.Is(i, "this"):
		if i = r.namedAgreement(i); i > 0 {
			return 0.45, i
		}
		return none, i
	case t.Is(i, "term") && (t.Is(i+1, "of") && t.Is(i+2, "such", "each", "any", "said", "its") ||
		t.Is(i-1, "a") && t.Is(i-2, "have", "has") && !r.has(stretch{max(in.first, i-before), i}, "agreement", "contract", "lease", "amendment", "it")):
		return none, i // of something else: "the Warrant shall have a term of ten years"
	case t.Is(i, "term") && r.givesTerm(in, i):
		return 0.55, i
	case t.Is(i, "term", "period", "duration") && t.Is(i+1, "of", "for") && t.Is(i+2, "this", "the") && (t.Is(i+3, "agreement", "contract", "lease", "license", "employment", "tenancy") || t.Is(i+3, "employee", "executive") && r.has(stretch{i + 4, i + 7}, "employment")):
		return 0.6, i
	case t.Is(i, "term") && t.Is(i-1, "initial", "contract", "license", "subscription"):
		return 0.55, i
	case t.Is(i, "term") && t.Is(i-1, "the", "this", "a", "effective", `"`, "“"),
		t.Is(i, "period") && (t.Is(i-1, "contract", "agreement") || t.Is(i-1, "service", "services", "engagement") && t.IsUpper(i)),
		t.Is(i, "duration") && t.Is(i-1, "a") && t.Is(i-2, "have", "has"):
		return 0.45, i
	case t.Is(i, "agreement", "contract", "amendment", "lease", "tenancy") && r.has(stretch{max(in.first, i-4), i}, "this") && !t.Is(i-2, "of", "in", "with", "to", "into", "from", "on", "between"),
		t.Is(i, "employment") && (possessive || t.Is(i-1, "your", "executive's", "employee's", "executive’s", "employee’s")),
		t.Is(i, "appointment", "engagement") && (possessive || t.Is(i+1, "hereunder") || t.Is(i-1, "the", "this", "your") && t.IsUpper(i)):
		return 0.45, i
	}
	return none, i
}

// granted reports whether the term at lexeme i is that of what a sentence grants: "lets the
// Premises to the Tenant for a term of five years".
func (r *fileReader) granted(in stretch, i int) bool {
	return r.t.Is(i+1, "of", "ending", "expiring") && r.t.Is(i-1, "a") && r.t.Is(i-2, "for") && r.has(stretch{in.first, i}, "lets", "leases", "demises", "let", "lease", "demise", "hires", "employs", "appoints", "engages")
}

// givesTerm reports whether the term at lexeme i is what a sentence says, as forms and
// definitions do: "TERM: November 1, 2014 to", "Term shall mean the Effective Date through".
func (r *fileReader) givesTerm(in stretch, i int) bool {
	const opening = 4 // its number
	return r.t.IsUpper(i) && (i < in.first+opening || r.t.Newline(i)) && !r.t.Is(i-1, "the", "this", "a", "initial") &&
		(r.t.Is(i+1, ":") || r.t.Is(i+1, "means", "is") || r.t.Is(i+1, "shall", "will") && r.t.Is(i+2, "mean", "be"))
}

// namedAgreement returns the last lexeme of what an agreement calls itself behind the "this" at
// lexeme i, if it says there how long it runs: "this OMA shall expire". It is 0 for the other
// things that agreements have.
func (r *fileReader) namedAgreement(i int) int {
	const longest = 3
	for at := i + 1; at <= i+longest && r.t.IsUpper(at) && r.t.IsWord(at); at++ {
		if r.t.Is(at, "agreement", "contract", "amendment", "lease", "section", "article", "clause", "paragraph", "exhibit", "schedule", "provision", "option", "warranty", "warrant", "term", "offer", "period", "promotion", "subsection") {
			return 0
		}
		if r.t.Is(at+1, "shall", "will", "expires", "commences", "continues", "terminates", "begins", "is", "has") {
			return at
		}
	}
	return 0
}

// opensCondition reports whether a sentence begins with what may happen: "If the Supplier
// fails to deliver".
func (r *fileReader) opensCondition(in stretch) bool {
	const reach = 6 // its number
	for i := in.first; i < min(in.next, in.first+reach); i++ {
		if r.t.IsWord(i) && len(r.t.At(i)) > 1 {
			_, event := r.t.Follows(i, "in the event")
			return r.t.IsUpper(i) && (r.t.Is(i, "if", "should") || event)
		}
	}
	return false
}

// lasts reports whether the verb behind the agreement or its term, in a stretch, is one of
// those that say how long something is: not "shall be binding", "grants".
func (r *fileReader) lasts(in stretch) bool {
	const adverbs = 6
	if r.t.Is(in.first, "of", "for") {
		if _, _, ok := r.t.Quantity(in.first + 1); ok {
			return true // "a term of two years"
		}
	}
	if r.t.Is(in.first, "ending", "expiring") && r.t.Is(in.first+1, "on") && !r.t.Is(in.first+2, "the", "such", "that") {
		return true
	}
	for i := range r.each(in, "shall", "will", "is", "are", "means", "mean", "continues", "remains", "commences", "begins", "expires", "terminates", "ends", "runs", "has", "lasts", "starts", "for", "may", "must", "agrees", "agree") {
		if r.t.Is(i, "may", "must", "agrees", "agree") || r.t.Is(i+1, "terminate") && r.t.Is(i+2, "if", "when") {
			return false
		}
		if r.t.Is(i, "shall", "will") {
			return r.has(stretch{i + 1, min(in.next, i+1+adverbs)}, "continue", "remain", "commence", "begin", "start", "expire", "terminate", "end", "run", "last", "extend", "be", "become", "have", "mean", "take", "enter", "come", "stay")
		}
		return true
	}
	return false
}

// clause returns the words before lexeme i that belong to it closely: those
// behind a mark, and behind the heading that a sentence begins with.
func (r *fileReader) clause(in stretch, i int) stretch {
	const reach = 6
	first := i
	for first > max(in.first, i-reach) && !r.t.Is(first-1, ",", ".", ";", ":", ")") && !(r.t.Is(first, "this", "the") && r.t.IsUpper(first)) {
		first--
	}
	return stretch{first, i}
}

// runs returns the period that the sentence says the agreement runs for, and
// whether it names one.
func (r *fileReader) runs(in stretch) (value.Mention, bool) {
	t := r.t
	for _, m := range r.mentions(value.Period, in) {
		at, next := t.Find(m.Start), t.Find(m.End)
		unit := m.Value.Duration[len(m.Value.Duration)-1]
		before := stretch{max(in.first, at-12), at}
		near := stretch{max(in.first, at-4), at}
		switch {
		case unit == 'D' || unit == 'W':
		case r.has(before, "renew", "renewal", "notice", "additional", "successive", "further", "extended", "renewed", "action"):
		case r.has(near, "least", "within", "each", "every", "more", "any"), t.Is(at-1, "first", "last"), t.Is(at-1, "per"):
		case r.has(stretch{in.first, at}, "during"), t.Is(next, "preceding", "prior", "before"), t.Is(next, "thereafter") && r.says(stretch{at - 5, at}, "and for"):
		case r.has(stretch{next, min(in.next, next+4)}, "notice", "advance"):
		case r.counts(next) && r.has(stretch{next, min(in.next, next+8)}, "termination", "expiration", "end", "sale", "expiry", "cancellation"):
		default:
			return m, true
		}
	}
	return value.Mention{}, false
}

// counts reports whether the words behind a period, at lexeme i, count it from something:
// "two years after", "the two-year period following".
func (r *fileReader) counts(i int) bool {
	if r.t.Is(i, "period") {
		i++
	}
	return r.t.Is(i, "after", "following", "from")
}

// expirationDate is when the agreement ends unless it is renewed: a date that
// it names, or its term counted from when it began. An agreement that runs
// until somebody ends it is perpetual.
func (r *fileReader) expirationDate(terms []termSentence, effective, agreed fact) (fact, bool) {
	for _, in := range r.sentences {
		if f, ok := r.definedEnd(in); ok {
			return f, true
		}
	}
	best := fact{}
	for _, in := range terms {
		if r.has(in.stretch, "hereby") && r.has(in.stretch, "extended", "extends", "extend") { // by an amendment, which recites the end before
			if f, ok := r.endOf(stretch{in.subject, in.next}, fact{}, fact{}); ok && f.value.Date != "" {
				return f, true
			}
		}
		if in.confidence <= best.confidence {
			continue
		}
		if f, ok := r.endOf(stretch{in.subject, in.next}, effective, agreed); ok {
			f.evidence[len(f.evidence)-1] = r.t.Extent(in.first, in.next)
			f.confidence = min(f.confidence, in.confidence)
			if f.confidence > best.confidence {
				best = f
			}
		}
	}
	return best, best.confidence > 0
}

// definedEnd reads "Expiration Date" means March 31, 2020, and March 31, 2020 (the "Maturity
// Date").
func (r *fileReader) definedEnd(in stretch) (fact, bool) {
	const reach = 9
	for i := range r.each(stretch{in.first, in.next - 2}, "expiration", "expiry", "termination", "maturity", "end") {
		if !r.t.Is(i+1, "date") || !r.t.IsUpper(i) || !r.t.Is(i+2, ":") && !r.t.IsQuote(i+2) {
			continue
		}
		around := stretch{i + 2, min(in.next, i+reach)}
		open := i - 1
		for r.t.IsQuote(open) || r.t.Is(open, "the") {
			open--
		}
		if r.t.Is(open, "(") && open < i-1 {
			if r.t.Is(i, "termination") {
				continue // that of somebody's employment, say, which is over
			}
			around = stretch{max(in.first, open-reach), open}
		}
		for _, m := range r.mentions(value.Date, around) {
			if len(m.Value.Date) == len(time.DateOnly) && (around.first > i || r.t.Find(m.End) == around.next) {
				return fact{value.ExpirationDate, value.Value{Date: m.Value.Date}, 0.9, []lex.Extent{m.Extent, r.t.Extent(in.first, in.next)}}, true
			}
		}
	}
	return fact{}, false
}

// includesFirst reports whether it is said that the first day of a term is a day of it.
func (r *fileReader) includesFirst(in stretch) bool {
	return r.says(in, "from and including", "commencing on and including", "beginning on and including", "starting on and including", "begins on and including", "commences on and including", "starts on and including")
}

// endOf reads from a sentence about the term when it ends.
func (r *fileReader) endOf(in stretch, effective, agreed fact) (fact, bool) {
	whole := r.t.Extent(in.first, in.next)
	for _, m := range r.mentions(value.Date, in) {
		at := r.t.Find(m.Start)
		if len(m.Value.Date) == len(time.DateOnly) && !r.includesFirst(stretch{max(in.first, at-4), at}) && (r.t.Is(at-1, "to") || r.has(stretch{max(in.first, at-9), at}, "until", "through", "including", "expire", "expires", "terminate", "terminates", "ending", "expiring", "end", "ends", "concluding", "expiration", "terminating", "conclude", "concludes")) {
			return fact{value.ExpirationDate, value.Value{Date: m.Value.Date}, 0.9, []lex.Extent{m.Extent, whole}}, true
		}
	}
	if f, ok := r.yearEnd(in); ok {
		f.evidence = append(f.evidence, whole)
		return f, true
	}
	begin := r.beginning(in, effective, agreed)
	if m, ok := r.runs(in); ok {
		if r.countsFromEvent(r.t.Find(m.End), in) {
			begin = ""
		}
		date, ok := addDuration(begin, m.Value.Duration)
		if ok && r.includesFirst(in) {
			date, ok = addDuration(date, "P-1D")
		}
		return fact{value.ExpirationDate, value.Value{Date: date, Duration: m.Value.Duration}, 0.8, []lex.Extent{m.Extent, whole}}, ok
	}
	if years, ok := r.lastYear(in); ok {
		duration := value.ISODuration(years, 'Y')
		if date, ok := addDuration(begin, duration); ok {
			return fact{value.ExpirationDate, value.Value{Date: date, Duration: duration}, 0.7, []lex.Extent{whole}}, true
		}
	}
	if years, at, ok := r.anniversary(in); ok {
		duration := value.ISODuration(years, 'Y')
		if date, ok := addDuration(begin, duration); ok {
			if r.says(stretch{max(in.first, at-dayBefore), at}, "day prior to", "day before", "day preceding", "date prior to", "day immediately preceding", "day immediately prior to") {
				date, _ = addDuration(date, "P-1D")
			}
			return fact{value.ExpirationDate, value.Value{Date: date, Duration: duration}, 0.75, []lex.Extent{whole}}, true
		}
	}
	if r.says(in, "until either", "until any", "indefinitely", "perpetual", "in perpetuity", "perpetually", "indefinite period", "indefinite term", "for perpetuity", "when terminated", "indefinite duration") || r.runsUntilEnded(in) {
		return fact{value.ExpirationDate, value.Value{Perpetual: true}, 0.6, []lex.Extent{whole}}, true
	}
	return fact{}, false
}

// runsUntilEnded reports whether the agreement continues until somebody ends it: "until this
// Agreement is terminated", "unless and until terminated", "until termination as provided below".
func (r *fileReader) runsUntilEnded(in stretch) bool {
	const reach = 7
	for i := range r.each(in, "until") {
		for at := i + 1; at < min(in.next, i+reach); at++ {
			switch {
			case r.t.Is(at, "terminated", "cancelled", "canceled", "rescinded"), r.t.Is(at, "termination") && (at == i+1 || r.t.Is(at-1, "its")) && !r.t.Is(at+1, "date"):
				return true
			case r.t.Is(at, "this", "it", "agreement", "contract", "is", "are", "so", "such", "time", "as", "sooner", "earlier", "otherwise", "be", "shall", "has", "been", "the", "its", "same", "lease"):
				continue
			}
			break
		}
	}
	return false
}

// yearEnd reads an end that is that of a year: "in effect until the end of 2006".
func (r *fileReader) yearEnd(in stretch) (fact, bool) {
	for i := range r.each(in, "until", "through", "to", "at", "on") {
		at, ok := r.t.Follows(i+1, "the end of")
		for _, words := range []string{"the", "calendar", "year"} {
			if ok && r.t.Is(at, words) {
				at++
			}
		}
		if year := r.t.At(at); ok && len(year) == 4 && r.t.IsNumber(at) && (year[:2] == "20" || year[:2] == "19") {
			return fact{value.ExpirationDate, value.Value{Date: year + "-12-31"}, 0.8, []lex.Extent{r.t.Extent(at, at+1)}}, true
		}
	}
	return fact{}, false
}

// lastYear returns how many years an agreement runs until the end of one that is counted: "until the end of the fifteenth (15th) Contract Year", "end of Year 3".
func (r *fileReader) lastYear(in stretch) (years int, ok bool) {
	const reach = 11
	for i := range r.each(in, "end", "expiration", "close") {
		if !r.t.Is(i+1, "of") {
			continue
		}
		for at := i + 2; at < min(in.next, i+reach); at++ {
			if !r.t.Is(at, "year") || r.t.Is(at-1, "calendar", "fiscal", "financial") {
				continue
			}
			if n, _, ok := r.t.Quantity(at + 1); ok && n > 0 && n < 100 && r.t.IsUpper(at) {
				return n, true
			}
			for of := i + 2; of < at; of++ {
				if s := r.t.Sense(of); s.Class == lex.OrdinalWord && s.Value > 0 {
					return int(s.Value), true
				}
				if n, next, ok := r.t.Quantity(of); ok && r.t.Is(next, "th", "st", "nd", "rd") && n > 0 && n < 100 {
					return n, true
				}
			}
		}
	}
	return 0, false
}

// dayBefore is how many lexemes the words for the day before an anniversary are before it.
const dayBefore = 8

// anniversary returns the years of the anniversary that a stretch names, and where it does:
// "the fifth (5th) anniversary of the Effective Date", "the four-year anniversary".
func (r *fileReader) anniversary(in stretch) (years, at int, ok bool) {
	const reach = 7
	for i := range r.each(in, "anniversary") {
		for at := i - 1; at >= max(in.first, i-reach); at-- {
			if s := r.t.Sense(at); s.Class == lex.OrdinalWord {
				years = int(s.Value)
				if tens := r.t.Sense(at - 2); r.t.Is(at-1, "-") && tens.Class == lex.NumeralWord && tens.Value >= 20 {
					years += int(tens.Value) // "twenty-fifth"
				}
				return years, at, true
			}
			if n, next, ok := r.t.Quantity(at); ok && n > 0 && (next == i || r.t.Is(next, "th", "st", "nd", "rd", "year", "-", "‑", ")")) {
				return n, at, true
			}
		}
	}
	return 0, in.first, false
}

// countsFromEvent reports whether the period that ends before lexeme i is counted from
// something that happens while the agreement runs: "three years from the Launch Date", "ten
// years after the First Commercial Sale".
func (r *fileReader) countsFromEvent(i int, in stretch) bool {
	const reach = 16
	if r.t.Is(i, ")") {
		i++
	}
	if !r.t.Is(i, "from", "after", "following") && !(r.t.Is(i, "commencing", "beginning", "starting") && r.t.Is(i+1, "on", "upon", "from", "with", "at")) {
		return false
	}
	behind := stretch{i + 1, min(in.next, i+reach)}
	if len(r.mentions(value.Date, behind)) > 0 {
		return false
	}
	for at := behind.first; at < behind.next; at++ {
		if r.t.Is(at, ",", ";", ".") {
			behind.next = at
		}
	}
	return !r.ownDate(behind)
}

// ownDate reports whether the date that a stretch names is one of the agreement's own.
func (r *fileReader) ownDate(in stretch) bool {
	return r.has(in, "effective", "hereof", "execution", "executed", "signature", "signatures", "signing", "signed", "sign", "above", "agreement", "contract", "amendment", "lease", "document", "letter") ||
		r.says(in, "such date", "that date", "said date", "this date", "commencement date", "its date", "its commencement")
}

// beginning is the date from which the term of the sentence is counted.
func (r *fileReader) beginning(in stretch, effective, agreed fact) string {
	for _, m := range r.mentions(value.Date, in) {
		if at := r.t.Find(m.Start); len(m.Value.Date) == len(time.DateOnly) && r.has(stretch{max(in.first, at-6), at}, "commencing", "beginning", "commence", "begin", "starting", "starts", "from", "effective", "on") {
			return m.Value.Date
		}
	}
	for i := range r.each(in, "commence", "commences", "commencing", "begin", "begins", "beginning", "start", "starts", "effective") {
		for at := i + 1; at <= i+4; at++ {
			if r.t.Is(at, "date") && r.t.Is(at-1, "the") && r.t.Is(at+1, "of", "on", "upon", "that", "when", "which") && !r.ownDate(stretch{at + 1, min(in.next, at+12)}) {
				return "" // that of something that happens later
			}
		}
	}
	if effective.value.Date != "" {
		return effective.value.Date
	}
	if r.says(in, "effective date", "commencement date", "launch date", "date of commencement") {
		return ""
	}
	return agreed.value.Date
}

// renewalTerm is for how long the agreement is renewed.
func (r *fileReader) renewalTerm() (fact, bool) {
	best := fact{}
	for _, in := range r.sentences {
		f, ok := r.renewalOf(in)
		if ok && f.confidence > best.confidence {
			best = f
		}
	}
	return best, best.confidence > 0
}

// renewalOf reads the renewal from one sentence.
func (r *fileReader) renewalOf(in stretch) (fact, bool) {
	const near = 14
	t := r.t
	verb := r.index(in, "renew", "renewed", "renewal", "renewable", "renews", "renewing", "extend", "extended", "extends", "extension", "extensions", "extendable", "prolonged", "prolongs")
	if verb < 0 && !r.has(in, "month", "year", "years", "successive", "automatically", "automatic", "tacitly", "thereafter", "additional") || r.has(in, "majeure") {
		return fact{}, false // as most sentences
	}
	if r.holdsOver(in) {
		return fact{}, false // a tenant who stays behind the end renews nothing
	}
	automatic := r.index(in, "automatically", "automatic", "tacitly")
	itself := automatic >= 0 && !t.Is(automatic-1, "not") && !t.Is(automatic+1, "terminate", "terminated")
	if automatic < 0 {
		automatic = r.index(in, "thereafter")
	}
	if f, ok := r.continues(in, verb, automatic); ok {
		return f, true
	}
	if verb < 0 {
		return r.furtherTerms(in)
	}
	best := fact{}
	for verb := range r.each(in, "renew", "renewed", "renewal", "renewable", "renews", "renewing", "extend", "extended", "extends", "extension", "extensions", "extendable", "prolonged", "prolongs") {
		if !r.has(stretch{in.first, min(in.next, verb+near)}, "term", "terms", "agreement", "contract", "franchise", "appointment", "lease", "tenancy", "employment") {
			continue
		}
		if f, ok := r.renewalAt(in, verb, automatic, itself); ok && f.confidence > best.confidence {
			best = f
		}
	}
	return best, best.confidence > 0
}

// holdsOver reports whether a sentence is about a tenant who stays when the lease has ended.
func (r *fileReader) holdsOver(in stretch) bool {
	return r.has(in, "holdover", "holdovers") || r.says(in, "holds over", "hold over", "holding over", "hold - over", "remains in possession", "remain in possession", "remaining in possession", "holds possession", "retains possession", "continues in possession", "continues to occupy", "remains in occupation")
}

// continues reads a renewal that is said without a period: from month to month, from year to
// year, or until somebody ends it.
func (r *fileReader) continues(in stretch, verb, automatic int) (fact, bool) {
	if !r.has(in, "agreement", "term", "contract", "lease", "tenancy", "employment") {
		return fact{}, false
	}
	const opening = 4
	whole := r.t.Extent(in.first, in.next)
	before := in // the words for a renewal
	if verb >= 0 {
		before.next = verb
	}
	switch {
	case verb < 0 && r.says(in, "month to month", "month - to - month"):
		return fact{value.RenewalTerm, value.Value{Duration: "P1M", Recurring: true}, 0.7, []lex.Extent{whole}}, true
	case verb < 0 && r.says(in, "successive annual periods"), r.says(in, "continue on a year to year", "continue from year to year", "continues from year to year"), verb < 0 && r.says(in, "year to year", "year - to - year"):
		return fact{value.RenewalTerm, value.Value{Duration: "P1Y", Recurring: true}, 0.8, []lex.Extent{whole}}, true
	case r.says(before, "indefinitely after that", "thereafter indefinitely", "thereafter until terminated"), r.says(in, "automatically renew for an unlimited", "automatically renew for an indefinite"),
		verb < 0 && automatic >= 0 && !r.t.Is(automatic+1, "terminate", "terminated") && r.says(stretch{automatic, in.next}, "until terminated", "until either party", "until it is terminated", "indefinitely") &&
			(r.has(stretch{in.first, in.first + opening}, "thereafter") || len(r.mentions(value.Period, stretch{in.first, automatic}))+len(r.mentions(value.Date, stretch{in.first, automatic})) > 0):
		return fact{value.RenewalTerm, value.Value{Perpetual: true}, 0.5, []lex.Extent{whole}}, true
	}
	return fact{}, false
}

// furtherTerms reads a renewal that is called a further term: "the option to continue for two
// (2) additional terms of ten (10) years each".
func (r *fileReader) furtherTerms(in stretch) (fact, bool) {
	if !r.has(in, "option", "right", "may", "elect") {
		return fact{}, false
	}
	for i := range r.each(in, "term", "terms", "period", "periods") {
		if !r.t.Is(i-1, "additional", "successive", "further") || !r.t.Is(i+1, "of") {
			continue
		}
		for _, m := range r.mentions(value.Period, stretch{i + 1, min(in.next, i+8)}) {
			if unit := m.Value.Duration[len(m.Value.Duration)-1]; unit == 'Y' || unit == 'M' {
				said := m.Value
				said.Recurring = r.t.Is(i, "terms", "periods")
				said.Times = r.renewals(stretch{max(in.first, i-8), i})
				return fact{value.RenewalTerm, said, 0.55, []lex.Extent{m.Extent, r.t.Extent(in.first, in.next)}}, true
			}
		}
	}
	return fact{}, false
}

// renewalAt reads the renewal that the verb at a lexeme of a sentence says.
func (r *fileReader) renewalAt(in stretch, verb, automatic int, itself bool) (fact, bool) {
	const near = 14
	t := r.t
	whole := t.Extent(in.first, in.next)
	sure := 0.55
	switch {
	case itself:
		sure = 0.9
	case r.has(in, "mutual", "mutually", "amendment", "discussions", "negotiate") || r.says(in, "written agreement", "written consent of both"):
		return fact{}, false
	case t.Is(verb, "renew", "renewed", "renewable", "renews", "renewal", "prolonged", "prolongs") && r.has(in, "successive", "additional", "option", "further", "subsequent", "right", "another", "shall", "will"):
		sure = 0.75
	case !r.has(in, "additional", "successive", "further", "option", "another", "subsequent", "period"), t.Is(verb, "extend", "extends") && t.Is(verb+1, "for", "until", "through", "from", "over"):
		return fact{}, false
	}
	from := verb
	if automatic >= 0 && automatic < verb {
		from = automatic
	}
	for _, m := range r.mentions(value.Period, stretch{from, min(in.next, verb+3*near)}) {
		at, next := t.Find(m.Start), t.Find(m.End)
		unit := m.Value.Duration[len(m.Value.Duration)-1]
		if unit == 'D' || unit == 'W' || r.isLimit(at) || r.has(stretch{max(in.first, at-6), at}, "notice", "least", "prior", "than", "within") || r.has(stretch{next, min(in.next, next+3)}, "notice", "prior", "before", "advance") {
			continue
		}
		said := m.Value
		said.Recurring = r.recurs(at, next, in) || automatic >= 0 && r.has(stretch{at - 3, min(in.next, next+near)}, "another", "every", "basis", "thereafter")
		said.Times = r.renewals(stretch{max(in.first, at-near), at})
		return fact{value.RenewalTerm, said, sure, []lex.Extent{m.Extent, whole}}, true
	}
	behind := stretch{from, min(in.next, from+2*near)}
	switch {
	case r.has(behind, "annual", "annually", "yearly", "anniversary"), r.says(in, "year to year", "year - to - year", "each year", "every year"):
		return fact{value.RenewalTerm, value.Value{Duration: "P1Y", Recurring: true}, sure - 0.1, []lex.Extent{whole}}, true
	case r.says(behind, "an additional year", "another year", "one more year", "a further year"):
		return fact{value.RenewalTerm, value.Value{Duration: "P1Y"}, sure - 0.1, []lex.Extent{whole}}, true
	case r.says(behind, "half a year"):
		return fact{value.RenewalTerm, value.Value{Duration: "P6M"}, sure - 0.1, []lex.Extent{whole}}, true
	}
	return fact{}, false
}

// isLimit reports whether the period at lexeme i is what all renewals come to, or how far one
// may reach: "up to an additional ten years", "for a total of six years".
func (r *fileReader) isLimit(i int) bool {
	for r.t.Is(i-1, "an", "a", "additional", "another", "further", "of", "in", "the") {
		if r.t.Is(i-1, "of") && !r.t.Is(i-2, "total", "maximum", "aggregate") {
			return false
		}
		i--
	}
	return r.t.Is(i-1, "total", "maximum", "aggregate") || r.t.Is(i-1, "to") && r.t.Is(i-2, "up") || r.t.Is(i-1, "exceed", "exceeding")
}

// renewals returns how often the stretch says that the agreement can be renewed,
// "two (2) additional terms", and 0 where it does not say.
func (r *fileReader) renewals(in stretch) int {
	for i := in.first; i < in.next; i++ {
		if n, next, ok := r.t.Quantity(i); ok && r.t.Is(next, "additional", "successive", "consecutive", "renewal", "further", "extension", "terms", "periods") {
			return n
		}
	}
	return 0
}

// recurs reports whether the agreement is renewed for the period between two
// lexemes again and again.
func (r *fileReader) recurs(first, next int, in stretch) bool {
	const near = 7
	around := stretch{max(in.first, first-near), min(in.next, next+near)}
	if r.has(stretch{around.first, first}, "another", "an", "one") && r.has(stretch{around.first, first}, "additional", "single") && !r.has(around, "successive", "each") {
		return false
	}
	return r.has(around, "successive", "consecutive", "each", "annually", "subsequent") || r.has(stretch{first, min(in.next, next+3)}, "terms", "periods", "increments", "extensions", "renewals") ||
		r.has(stretch{max(in.first, first-4), first}, "terms", "periods", "extensions")
}

// nearRenewal is how many sentences from that about renewal on may be about it.
const nearRenewal = 4

// noticePeriod is how long before its end a party has to say that it does not
// want the agreement renewed. It is beside the renewal, or in a sentence
// about nothing else.
func (r *fileReader) noticePeriod(renewal fact) (fact, bool) {
	best, left := fact{}, 0
	for _, in := range r.sentences {
		if left--; renewal.evidence != nil && r.t.Extent(in.first, in.next) == renewal.evidence[len(renewal.evidence)-1] {
			left = nearRenewal
		}
		if left <= 0 && best.confidence > 0 {
			continue
		}
		if f, ok := r.noticeOf(in, renewal, left); ok && f.confidence > best.confidence {
			best = f
		}
	}
	return best, best.confidence > 0
}

// noticeOf reads the period of notice from one sentence; near is above zero for
// the sentences from that about renewal on.
func (r *fileReader) noticeOf(in stretch, renewal fact, near int) (fact, bool) {
	const reach = 6
	if !r.has(in, "notice", "notify", "notifies", "notification", "notifying", "written", "writing", "elects", "terminated") || r.has(in, "breach", "default", "cure", "uncured", "unremedied", "majeure", "insurance", "policy", "policies", "insurer") {
		return fact{}, false
	}
	sure := 0.8
	declines := r.says(in, "not to renew", "non - renewal", "non ‑ renewal", "nonrenewal", "non renewal", "not renew", "not be renewed", "not to extend", "not to be renewed", "not wish")
	if near <= 0 && r.has(in, "terminate", "terminated", "cancel", "cancelled", "canceled") && r.says(in, "any renewal term", "end of the initial term", "end of the term or", "expiration of the initial term", "following the initial term", "after the initial term", "end of its term", "expiration of its term") {
		declines = true
	}
	switch {
	case near <= 0:
		sure = 0.55
		if !declines {
			return fact{}, false
		}
	case r.has(in, "option", "exercise", "elects", "wishing") && !declines && !r.has(in, "terminate", "termination", "cancel", "unless", "wishing"):
		return fact{}, false
	case near < nearRenewal && !r.has(in, "renew", "renewal", "renewed", "renewals", "expiration", "expiry", "end", "extend", "extended", "anniversary"):
		return fact{}, false
	}
	best := fact{}
	for _, m := range r.mentions(value.Period, in) {
		if renewal.evidence != nil && m.Extent == renewal.evidence[0] {
			continue
		}
		at, next := r.t.Find(m.Start), r.t.Find(m.End)
		if r.t.Is(at-1, "within") && r.t.Is(next, "of", "after", "following") {
			continue // how fast somebody has to answer
		}
		confidence := 0.0
		if r.has(stretch{next, min(in.next, next+reach)}, "prior", "before", "notice", "advance", "preceding") {
			confidence = sure
		} else if r.has(stretch{max(in.first, at-reach), at}, "least", "than", "notice", "minimum", "upon") {
			confidence = sure - 0.1
		}
		if confidence > best.confidence {
			best = fact{value.NoticePeriod, m.Value, confidence, []lex.Extent{m.Extent, r.t.Extent(in.first, in.next)}}
		}
	}
	return best, best.confidence > 0
}

package fact

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/clausemill/clausemill/nlp/lex"
	"github.com/clausemill/clausemill/nlp/structure"
	"github.com/clausemill/clausemill/nlp/value"
)

// agreementDate is the date that the agreement bears: the one its opening
// gives it or else the last one that it was signed on.
func (r *fileReader) agreementDate() (fact, bool) {
	best := fact{}
	for _, m := range r.mentions(value.Date, stretch{0, r.opening}) {
		if m.Value.Relative != "" {
			continue
		}
		confidence := r.datesAgreement(r.t.Find(m.Start), r.t.Find(m.End))
		if len(m.Value.Date) < len(time.DateOnly) {
			confidence -= 0.05
		}
		if confidence > best.confidence {
			best = fact{value.AgreementDate, m.Value, confidence, []lex.Extent{m.Extent}}
		}
	}
	if best.confidence >= 0.4 {
		return best, true
	}
	for _, other := range []func() (fact, bool){r.executedDate, r.signedDate} {
		if f, ok := other(); ok {
			return f, true
		}
	}
	return best, best.confidence >= 0.3
}

// readFigures reads dates in figures that can be read in two ways, "3/4/11", as the text
// writes the others, or else as the law of the agreement suggests: in the United States the
// month is first. Where neither decides, both readings stand.
func (r *fileReader) readFigures(law fact) {
	const sure = 0.85
	days, months := 0, 0 // dates that begin with the day, and with the month, beyond doubt
	for _, m := range r.found {
		if m.Key != value.Date || len(m.Value.Date) != len(time.DateOnly) {
			continue
		}
		figures := strings.FieldsFunc(r.s.Text[m.Start:m.End], func(c rune) bool { return c == '/' || c == '-' || c == '.' })
		if len(figures) != 3 || len(figures[0]) > 2 || lex.DigitPrefix(figures[0]) != len(figures[0]) || lex.DigitPrefix(figures[1]) != len(figures[1]) {
			continue
		}
		month, day := strings.TrimLeft(m.Value.Date[5:7], "0"), strings.TrimLeft(m.Value.Date[8:], "0")
		switch {
		case month == day:
		case strings.TrimLeft(figures[0], "0") == day:
			days++
		default:
			months++
		}
	}
	american := law.value.Code == "US" || strings.HasPrefix(law.value.Code, "US-")
	monthFirst := months > 0 && days == 0 || american && days == 0
	dayFirst := days > 0 && months == 0 && !american
	if !monthFirst && !dayFirst {
		return
	}
	for i := range r.found {
		m := &r.found[i]
		if m.Key != value.Date || len(m.Value.Readings) != 2 {
			continue
		}
		m.Value.Date, m.Confidence = m.Value.Readings[0], sure // the month is first in it
		if dayFirst {
			m.Value.Date = m.Value.Readings[1]
		}
		m.Value.Readings = nil
	}
}

// datesAgreement is how sure the words around the date between two lexemes make
// it the date of the agreement.
func (r *fileReader) datesAgreement(first, next int) float64 {
	const reach = 9
	early := 0.3 * float64(first) / openingLexemes
	if r.recites(first) {
		return recited - early/2
	}
	for at := first - 1; at >= max(0, first-reach); at-- {
		switch {
		case r.t.Is(at, "certain", "amended", "expires", "until", "ending", "through", "ends", "terminating", "terminate", "expiring", "commencing", "commences", "beginning", "begins", "starting", "starts", "prior", "originally", "expire", "commence", "begin", "start"):
			return 0.1
		case r.t.Is(at, "date") && r.t.Is(at-1, otherDates...):
			return 0.1
		case r.t.Is(at, "date"):
			return 0.6 - early
		case r.t.Is(at, "as") && r.t.Is(at-1, "effective") && !r.has(stretch{max(0, at-reach), at}, "entered", "made", "executed", "dated"):
			return 0.8 - early
		case r.t.Is(at, "as") && !r.has(stretch{max(0, at-2*reach), at}, "executed", "dated", "agreement", "contract", "amendment", "this", "parties") && !r.has(stretch{max(0, at-100), at}, "entered", "made", "between"):
			return 0.25 - early/2 // "depositors as of"
		case r.t.Is(at, "entered", "made", "executed", "this", "dated", "as"):
			before := at
			for before > max(0, at-16) && !r.t.Apart(before) {
				before--
			}
			if r.has(stretch{before, at}, "certain", "amends", "amend", "pursuant", "under", "whereas", "parties", "prior") && !r.t.Is(at, "this") {
				return 0.25 - early/2
			}
			return 0.9 - early
		case r.t.Is(at, "effective"):
			return 0.8 - early
		}
	}
	const longestName = 8
	if r.t.Is(next, "(") && (r.t.IsQuote(next+1) || r.t.IsQuote(next+2)) && r.has(stretch{next, next + longestName}, "date") {
		return 0.7 - early // not (the "Promotion Period")
	}
	if first < 120 {
		return 0.5 - early
	}
	return 0.2
}

// otherDates are what the fields are called of dates on which nobody agreed: "End Date:".
var otherDates = []string{"start", "end", "commencement", "expiration", "expiry", "closing", "delivery", "completion", "due", "termination", "maturity", "renewal"}

// recited is how sure the words around the date of another agreement make it that of this.
const recited = 0.25

// recites reports whether the date at lexeme i is that of another agreement, which the words
// before it name: "to that certain Supply Agreement, by and between A and B, dated", "to the
// Global Maintenance Agreement dated". What is called this agreement is none.
func (r *fileReader) recites(i int) bool {
	const (
		reach = 60
		title = 12
	)
	verb := i - 1
	for r.t.Is(verb, "of", "as", "on", "into") && verb > i-4 {
		verb--
	}
	if !r.t.Is(verb, "dated", "effective", "executed", "made", "entered") || r.has(stretch{verb - 3, verb}, "is", "are") {
		return false
	}
	for at := i - 1; at >= max(0, i-reach); at-- {
		switch {
		case r.t.Is(at, "the") && (r.t.IsQuote(at+1) || r.t.Is(at+1, "'", "‘")): // (the "Supply Agreement")
		case r.t.Is(at, "supersedes", "replaces", "cancels"):
			return true
		case r.t.Is(at, "this", "whereas"), r.t.Is(at, ".", ";") && !r.t.Glued(at+1) && r.t.IsUpper(at+1) && len(r.t.At(at-1)) > 3 && !r.t.ClosesCompany(at-1):
			return false
		case r.t.Is(at, "certain", "previously") || r.t.Is(at, "that") && r.t.IsUpper(at+1) || r.t.Is(at, "the", "a", "an") && (r.t.Is(at-1, "to", "under", "amends", "amend", "into", "in", "of", "that", "replaces") || r.t.Is(at+1, "original", "existing", "prior", "previous")) && !r.t.Newline(at):
			for j := at + 1; j < min(i, at+title); j++ {
				if structure.Instruments[strings.ToLower(r.t.At(j))] && r.t.IsUpper(j) && j > at+1 {
					return true
				}
			}
		}
	}
	return false
}

// executedDate is the date that the closing words give the agreement: "executed
// as of", "is dated".
func (r *fileReader) executedDate() (fact, bool) {
	const reach = 8
	best := fact{}
	for _, m := range r.found {
		if m.Key != value.Date || len(m.Value.Date) < len(time.DateOnly) {
			continue
		}
		i := r.t.Find(m.Start)
		before := stretch{max(0, i-reach), i}
		if r.t.Is(i-1, "on") {
			before.first = max(0, i-2*reach) // "signed this Agreement in London on"
		}
		if r.recites(i) {
			continue
		}
		if r.has(before, "executed", "dated", "signed") && r.has(stretch{max(0, i-4*reach), i}, "agreement", "witness", "parties", "contract", "effective") &&
			!r.has(before, "certain", "between", "amended", "statement", "form", "was", "letter", "previously", "whereas", "schedule", "report") {
			best = fact{value.AgreementDate, m.Value, 0.45, []lex.Extent{m.Extent}}
		}
	}
	return best, best.confidence > 0
}

// signedDate is the last of the dates that are beside the signatures of the
// agreement.
func (r *fileReader) signedDate() (fact, bool) {
	const apart = 400 // lexemes; farther on another document is signed
	best, last := fact{}, 0
	for _, m := range r.found {
		if m.Key != value.Date || len(m.Value.Date) < len(time.DateOnly) {
			continue
		}
		i := r.t.Find(m.Start)
		if !r.isSigned(i, r.t.Find(m.End)) {
			continue
		}
		if last > 0 && i > last+apart {
			break
		}
		if last = i; m.Value.Date > best.value.Date {
			best = fact{value.AgreementDate, m.Value, 0.5, []lex.Extent{m.Extent}}
		}
	}
	return best, best.confidence > 0
}

// isSigned reports whether the date between two lexemes is one that somebody
// signed on: "Date: 24 October 2011", "Hamburg, 19 November 2012 /s/".
func (r *fileReader) isSigned(i, next int) bool {
	if _, ok := r.t.Follows(next, "/ s /"); ok {
		return true
	}
	if _, ok := r.t.Follows(next, "( date )"); ok {
		return true
	}
	if _, ok := r.t.Follows(i-3, "( signature )"); ok {
		return true
	}
	if r.signs(i) && !r.has(stretch{i - signedNear, i}, "expires", "expire", "effective", "commission", "until", "before") {
		return true
	}
	for at := i - 1; at >= max(0, i-4); at-- {
		if r.t.Is(at, "date", "dated") {
			return !r.t.Is(at-1, "effective", "the") && !r.t.Is(at-1, otherDates...) && (r.t.Is(at+1, ":", ".") || at+1 == i && r.t.Newline(at))
		}
	}
	return false
}

// signedNear is how far before a date among signatures the words are that say what it is.
const signedNear = 6

// signs reports whether lexeme i is in a block of signatures.
func (r *fileReader) signs(i int) bool {
	if r.signatures == nil {
		r.signatures = []stretch{}
		for _, d := range r.s.Documents {
			for _, b := range d.Blocks {
				if b.Kind == structure.SignatureBlock {
					r.signatures = append(r.signatures, stretch{r.t.Find(r.s.Offsets.Byte(b.Start)), r.t.Find(r.s.Offsets.Byte(b.End))})
				}
			}
		}
	}
	_, within := slices.BinarySearchFunc(r.signatures, i, func(s stretch, i int) int {
		switch {
		case s.next <= i:
			return -1
		case s.first > i:
			return 1
		}
		return 0
	})
	return within
}

// effectiveDate is the date from which the agreement has effect, which may be
// named by its own.
func (r *fileReader) effectiveDate(agreed fact) (fact, bool) {
	best := fact{}
	for n, in := range r.sentences {
		for i := range r.each(in, "effective", "commencement", "start", "commence", "commencing", "commences", "begin", "beginning", "begins", "effect", "force") {
			f, ok := r.effectiveAt(i, in, agreed)
			if ok {
				f.confidence -= 0.1 * float64(n) / float64(len(r.sentences))
			}
			if ok && f.confidence > best.confidence {
				best = f
			}
		}
	}
	return best, best.confidence > 0
}

// effectiveAt reads the date that the words at lexeme i give.
func (r *fileReader) effectiveAt(i int, in stretch, agreed fact) (fact, bool) {
	t := r.t
	whole := r.t.Extent(in.first, in.next)
	give := func(m value.Mention, confidence float64) (fact, bool) {
		said := m.Value
		if said.Relative != "" {
			if !r.has(stretch{t.Find(m.Start), t.Find(m.End)}, "above", "hereinabove") && !r.says(in, "effective date") && !r.begins(in, i) {
				return fact{}, false // "the date hereof" of a duty, most often
			}
			said.Date, said.Readings = agreed.value.Date, agreed.value.Readings
		}
		if said.Date == "" && said.Readings == nil {
			return fact{}, false
		}
		return fact{value.EffectiveDate, said, confidence, []lex.Extent{m.Extent, whole}}, true
	}
	if !t.Is(i+1, "date") && t.Is(i, "commencement", "start") || t.Is(i, "commencement", "start") && t.IsWord(i-1) && t.IsUpper(i-1) && !t.Newline(i) {
		return fact{}, false // "Rent Commencement Date"
	}
	if t.Is(i, "effective", "commencement", "start") && t.Is(i+1, "date") {
		if t.IsQuote(i-1) || t.IsQuote(i-2) || t.Is(i-1, "'") || t.Is(i-1, "the") && t.Is(i-2, "(") {
			// June 1, 2020 (the "Effective Date")
			before := r.mentions(value.Date, stretch{max(in.first, i-14), i})
			if len(before) > 0 {
				return give(before[len(before)-1], 0.95)
			}
		}
		if !t.IsUpper(i) && !t.Is(i+2, "of", ":") {
			return fact{}, false
		}
		after := r.mentions(value.Date, stretch{i + 2, min(in.next, i+22)})
		if len(after) > 0 && (t.IsQuote(i+2) || t.IsQuote(i+3) || t.Is(i+2, ":", "means", "shall", "is", "of")) {
			return give(after[0], 0.9)
		}
		if agreed.value.Date != "" && t.IsQuote(i+2) && r.has(stretch{max(in.first, i-12), i}, "above", "hereof", "execution") {
			return fact{value.EffectiveDate, agreed.value, 0.6, []lex.Extent{whole}}, true
		}
		return fact{}, false
	}
	after := r.mentions(value.Date, stretch{i, min(in.next, i+15)})
	if len(after) > 0 {
		at := t.Find(after[0].Start)
		if r.has(stretch{i, at}, "until", "through", "ending", "end", "ends", "terminate", "terminates", "terminated", "expire", "expires") || r.recites(at) || r.has(stretch{max(in.first, i-8), i}, "certain", "previously", "existing", "original") {
			return fact{}, false // its end, or the date of another agreement
		}
	}
	switch {
	case r.has(stretch{max(in.first, i-2), i}, "was", "were", "fiscal", "quarter", "season"), t.Is(i-1, "give", "gives", "given", "giving", "legal", "binding") && t.Is(i, "effect"),
		t.Is(i-2, "then"), r.has(stretch{max(in.first, i-8), i}, "terminate", "terminates", "terminated", "termination", "cancel", "redeemable", "supersedes"),
		t.Is(i, "effective") && t.Is(i-1, ",") && r.has(stretch{max(in.first, i-3), i}, "will", "shall"):
		return fact{}, false
	case len(after) == 0:
		if agreed.value.Date != "" && !t.Is(i+1, "unless", "until", "immediately") && !t.Is(i+2, "unless", "until") && !r.has(stretch{i - 4, i}, "remain", "remains", "remaining", "no") && !r.has(in, "waiver", "counterparts", "counterpart", "variation", "facsimile", "electronic", "warrant", "warrants", "law", "laws") && t.Is(i, "effective", "effect", "force", "commences", "commence") && r.has(stretch{i, min(in.next, i+14)}, "execution", "signature", "signatures", "signed", "sign", "signing", "executed", "above") &&
			r.says(in, "this agreement", "this contract", "this amendment") {
			return fact{value.EffectiveDate, agreed.value, 0.4, []lex.Extent{whole}}, true
		}
		return fact{}, false
	case i > openingLexemes/3 && !r.says(in, "this agreement", "this contract", "this amendment", "the term", "the agreement", "contract period", "signed and effective", "executed and effective"):
		return fact{}, false
	case t.Is(i, "effective") && i < openingLexemes/3:
		return give(after[0], 0.96)
	case t.Is(i, "effective"):
		return give(after[0], 0.85)
	case t.Is(i, "effect", "force") && t.Is(i-1, "take", "takes", "into"):
		return give(after[0], 0.75)
	case r.has(in, "agreement", "term", "contract") && (r.has(in, "term", "continue", "agreement") || r.says(in, "contract period")) && !t.Is(i, "effect"):
		return give(after[0], 0.7)
	}
	return fact{}, false
}

// begins reports whether the word at lexeme i says when the agreement or its term begins: "The
// term of this Agreement will begin on".
func (r *fileReader) begins(in stretch, i int) bool {
	const reach = 12
	for at := max(in.first, i-reach); at < i; at++ {
		if sure, _ := r.termAt(in, at); sure > 0 {
			return r.t.Is(i, "commence", "commences", "begin", "begins", "commencing", "beginning", "effective") && r.has(stretch{at, i}, "shall", "will", "is", "commences", "begins")
		}
	}
	return false
}

// addDuration adds a length of time to a date, both as ISO 8601 writes them.
func addDuration(date, duration string) (string, bool) {
	day, err := time.Parse(time.DateOnly, date)
	if err != nil || len(duration) < 3 {
		return "", false
	}
	n, err := strconv.Atoi(strings.TrimPrefix(duration[:len(duration)-1], "P"))
	if err != nil {
		return "", false
	}
	switch duration[len(duration)-1] {
	case 'D':
		day = day.AddDate(0, 0, n)
	case 'W':
		day = day.AddDate(0, 0, 7*n)
	case 'M':
		day = addMonths(day, n)
	case 'Y':
		day = addMonths(day, 12*n)
	}
	if day.Year() > value.LastYear {
		return "", false
	}
	return day.Format(time.DateOnly), true
}

// addMonths ends in the month it should where the day is not in that month.
func addMonths(day time.Time, n int) time.Time {
	end := day.AddDate(0, n, 0)
	if end.Day() != day.Day() {
		end = end.AddDate(0, 0, -end.Day())
	}
	return end
}

package fact

import (
	"strings"

	"github.com/clausemill/clausemill/nlp/lex"
	"github.com/clausemill/clausemill/nlp/value"
)

// renewalVerbs are the words for a renewal.
var renewalVerbs = []string{"renew", "renewed", "renewal", "renewals", "renewable", "renews", "renewing", "extend", "extended", "extends", "extension", "extensions", "extendable", "prolonged", "prolongs"}

// renewalType is whether the agreement is renewed by itself, if somebody says so, or not at
// all. One that renews itself may be extended by agreement as well.
func (r *fileReader) renewalType() (fact, bool) {
	byName := map[string]fact{}
	for _, in := range r.sentences {
		keep := func(f fact, ok bool) {
			// What a sentence is about else is looked for last: few say anything of a renewal.
			if ok && f.confidence > byName[f.value.Name].confidence && !r.holdsOver(in) && !r.has(in, "majeure") {
				byName[f.value.Name] = f
			}
		}
		for verb := range r.each(in, renewalVerbs...) {
			keep(r.renewalTypeAt(in, verb))
		}
		keep(r.continuesItself(in))
	}
	for _, name := range []string{value.Automatic, value.ByNotice, value.NotRenewed} {
		if f, ok := byName[name]; ok {
			return f, true
		}
	}
	return fact{}, false
}

// renewalTypeAt reads what the verb at a lexeme says of the agreement or its term.
func (r *fileReader) renewalTypeAt(in stretch, verb int) (fact, bool) {
	const (
		near  = 8  // of the verb the words are that change what it says
		reach = 40 // of it a condition is
	)
	t := r.t
	around := stretch{max(in.first, verb-near), min(in.next, verb+near)}
	behind := stretch{verb, min(in.next, verb+reach)}
	before := stretch{around.first, verb}
	if !r.renewsAgreement(in, verb) || t.Is(verb-1, "-", "‑", "non") {
		return fact{}, false // "non-renewal"
	}
	give := func(name string, from int, sure float64) (fact, bool) {
		first, last := min(from, verb), max(from, verb)
		return fact{value.RenewalType, value.Value{Name: name}, sure, []lex.Extent{t.Extent(first, last+1), t.Extent(in.first, in.next)}}, true
	}
	agreed := r.says(behind, "mutual agreement", "mutual written agreement", "mutual consent", "mutual written consent", "written agreement of", "agreement of the parties", "agreement between the parties", "written consent of both", "parties mutually agree", "parties agree", "mutually agreed", "both parties agree", "agreed by both parties", "agreed by the parties", "agreed to by both parties", "agreed in writing by") ||
		r.says(before, "mutually agree to", "mutual agreement", "mutual written agreement", "mutually")
	negated := r.index(before, "not", "no", "neither", "nor", "never")
	automatic := r.index(around, "automatically", "automatic", "tacitly")
	if automatic >= 0 && t.Is(automatic-1, "any", "such", "subject") {
		automatic = -1
	}
	unless := r.index(behind, "unless", "except", "absent", "provided")
	switch {
	case negated >= 0 && (r.has(stretch{negated, verb}, "obligation", "obligated", "obliged", "assurance", "guarantee", "representation", "limited", "later", "less", "more", "than") || r.has(stretch{negated, verb}, ",", ";", "if", "unless")):
		return fact{}, false // "does not give notice, the term is renewed"
	case negated >= 0 && t.Is(verb, "renew", "renewal", "renewed", "renewable") && r.has(stretch{negated, verb}, "elect", "elects", "wish", "wishes", "intend", "intends", "intention", "intent", "desire", "desires", "election", "decision", "decide", "decides", "option", "notice", "to") && automatic < 0:
		return fact{}, false // "notice of its intention not to renew": of what is renewed else
	case negated >= 0 && (agreed || unless >= 0):
		if agreed {
			return give(value.ByNotice, negated, 0.75)
		}
		return fact{}, false
	case negated >= 0 && t.Is(negated-1, "shall", "will", "may", "is", "can") && r.isAgreement(stretch{around.first, negated}) && !r.has(around, "construed", "deemed", "constitute", "considered") && !r.opensCondition(in):
		return give(value.NotRenewed, negated, 0.7)
	case negated >= 0:
		return fact{}, false
	case automatic >= 0 && r.opensCondition(in) && r.has(stretch{in.first, verb}, "notifies", "elects", "exercises", "requests") && !r.has(stretch{in.first, verb}, "not", "fails", "no", "neither"):
		return give(value.ByNotice, verb, 0.75)
	case automatic >= 0 && !t.Is(automatic-1, "not") && !t.Is(automatic+1, "terminate", "terminated", "expire", "expires"):
		return give(value.Automatic, automatic, 0.95)
	case r.renewsItself(in, before, behind, agreed):
		return give(value.Automatic, verb, 0.8)
	}
	may := r.mayRenew(in, before, verb)
	switch {
	case may >= 0:
		return give(value.ByNotice, may, 0.85)
	case t.Is(verb, "renewable", "extendable") && r.has(behind, "option", "agreement", "consent", "notice", "request", "election"):
		return give(value.ByNotice, verb, 0.8)
	case agreed && !r.has(before, "as") && r.has(around, "shall", "will", "be", "can", "is") && t.Is(verb, "renew", "renewed", "extended"):
		return give(value.ByNotice, verb, 0.8)
	}
	return fact{}, false
}

// renewsAgreement reports whether what the verb at a lexeme is about is the agreement or its
// term: not a right, a date or credit.
func (r *fileReader) renewsAgreement(in stretch, verb int) bool {
	const (
		before  = 12
		behind  = 6
		subject = 45 // how far before it what renews itself may be
	)
	t := r.t
	said := stretch{max(in.first, verb-before), min(in.next, verb+behind)}
	if r.has(said, "insurance", "policy", "policies", "warranty", "registration", "registrations", "patent", "patents", "trademark", "trademarks", "domain", "visa", "permit", "permits", "credit", "loan", "note", "deadline", "confidentiality", "indemnification", "jurisdiction", "survive", "bond", "invitation", "offer") {
		return false
	}
	if t.Is(verb, "extend", "extends", "extended") && t.Is(verb+1, "to", "beyond", "credit") && !r.has(stretch{verb, said.next}, "additional", "date") {
		return false
	}
	if t.Is(verb, "extend", "extends") && !t.Is(verb+1, "for", "automatically") && !t.Is(verb-1, "automatically") && r.index(stretch{verb, said.next}, "the", "this", "term") != verb+1 {
		return false // "no liability shall extend under this Agreement"
	}
	renews := !t.Is(verb, "extend", "extends", "extended", "extension", "extensions")
	if renews && r.has(stretch{max(in.first, verb-behind), min(in.next, verb+behind)}, "automatically", "automatic", "tacitly") {
		said.first = max(in.first, verb-subject)
	}
	if t.Is(verb, "extended") {
		said.next = verb // and not what it is by
	}
	return r.isAgreement(said)
}

// isAgreement reports whether a stretch names the agreement or its term as what it is about: not
// "by written agreement", "under this Agreement".
func (r *fileReader) isAgreement(in stretch) bool {
	for i := range r.each(in, "term", "terms", "agreement", "contract", "lease", "tenancy", "employment", "appointment", "franchise", "subscription", "subscriptions") {
		if !r.t.Is(i, "agreement", "contract") || !r.t.Is(i-1, "mutual", "written", "common", "by", "satisfactory", "an") && !r.t.Is(i-2, "under", "in", "to", "purposes") {
			return true
		}
	}
	return false
}

// renewsItself reports whether the words around a verb renew the agreement unless somebody
// objects: "shall be renewed for successive terms of one year unless either party gives notice".
func (r *fileReader) renewsItself(in, before, behind stretch, agreed bool) bool {
	if agreed || !r.has(before, "shall", "will", "is", "renews") && !r.t.Is(behind.first, "renews") || r.has(before, "may", "option", "right", "if") {
		return false
	}
	unless := r.index(stretch{in.first, behind.next}, "unless")
	return unless >= 0 && r.has(behind, "successive", "additional", "further", "another", "year", "yearly", "annual", "annually", "month") &&
		r.has(stretch{unless, behind.next}, "notice", "notifies", "notify", "terminated", "terminates", "cancelled", "objects")
}

// mayRenew returns where the words before a verb are that leave it to somebody whether the
// agreement is renewed, or -1: "may be renewed", "the option, at its sole discretion, to renew".
func (r *fileReader) mayRenew(in, before stretch, verb int) int {
	const reach = 25
	t := r.t
	at := r.index(before, "may", "option", "options", "right", "rights", "elect", "entitled")
	if at < 0 && t.Is(verb-1, "to") {
		at = r.index(stretch{max(in.first, verb-reach), verb}, "option", "right")
	}
	if at < 0 || r.has(stretch{max(in.first, at-3), at}, "as") || r.has(stretch{at, verb}, "terminate", "if", "unless", "upon", "concerning", ";") {
		return -1
	}
	for i := at; i < verb; i++ {
		if t.IsNumber(i) {
			return -1 // a table of contents
		}
	}
	if r.opensCondition(in) && t.Is(verb, "extend") {
		return -1 // how long something takes, then
	}
	return at
}

// continuesItself reads a renewal without a word for one: "thereafter continues from year to
// year", "on a month-to-month basis until terminated".
func (r *fileReader) continuesItself(in stretch) (fact, bool) {
	if !r.has(in, "continue", "continues", "thereafter") || !r.has(in, "agreement", "contract", "term", "lease") || r.has(in, "obligations", "survive", "provisions", "if") {
		return fact{}, false
	}
	for _, phrase := range []string{"month to month", "month - to - month", "year to year", "year - to - year", "successive annual periods", "continue automatically", "automatically continue", "continues automatically", "automatically continues"} {
		first, next, ok := r.find(in, phrase)
		if !ok || strings.Contains(phrase, "automatically") && !r.has(stretch{in.first, first}, "thereafter", "term", "period", "years", "year") {
			continue
		}
		return fact{value.RenewalType, value.Value{Name: value.Automatic}, 0.8, []lex.Extent{r.t.Extent(first, next), r.t.Extent(in.first, in.next)}}, true
	}
	return fact{}, false
}

// find returns the first place of a phrase in a stretch.
func (r *fileReader) find(in stretch, phrase string) (first, next int, ok bool) {
	for i := in.first; i < in.next; i++ {
		if next, ok := r.t.Follows(i, phrase); ok && next <= in.next {
			return i, next, true
		}
	}
	return in.first, in.first, false
}

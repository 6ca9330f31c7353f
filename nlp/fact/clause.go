package fact

import (
	"strings"

	"github.com/clausemill/clausemill/nlp/lex"
	"github.com/clausemill/clausemill/nlp/structure"
	"github.com/clausemill/clausemill/nlp/value"
)

// clauseFacts are facts that single clauses say: when is paid, what liability is limited to, and
// by what notice the agreement can be ended without a cause.
func (r *fileReader) clauseFacts() []fact {
	var list []fact
	for _, read := range []func(stretch) (fact, bool){r.paymentTerm, r.liabilityCap, r.convenience} {
		best := fact{}
		for _, in := range r.sentences {
			if f, ok := read(in); ok && f.confidence > best.confidence {
				best = f
			}
		}
		if best.confidence > 0 {
			list = append(list, best)
		}
	}
	return list
}

// paymentTerm is how long after an invoice it is to be paid: "within thirty (30) days of receipt
// of the invoice", "net 30 days".
func (r *fileReader) paymentTerm(in stretch) (fact, bool) {
	const (
		reach = 12
		near  = 25
	)
	t := r.t
	if !r.has(in, "invoice", "invoices", "invoiced", "net", "payable", "pay", "paid", "payment") {
		return fact{}, false
	}
	for _, m := range r.mentions(value.Period, in) {
		at, next := t.Find(m.Start), t.Find(m.End)
		if unit := m.Value.Duration[len(m.Value.Duration)-1]; unit == 'Y' || unit == 'M' && m.Value.Duration != "P1M" && m.Value.Duration != "P2M" {
			continue
		}
		behind := stretch{next, min(in.next, next+reach)}
		before := stretch{max(in.first, at-near), at}
		switch {
		case r.has(before, "terminate", "terminates", "notice", "dispute", "disputes", "fails", "failure", "late", "overdue", "object", "submit", "default"):
		case r.has(before, "send", "issue", "render", "deliver", "prepare", "notify", "error", "errors", "discrepancy", "question", "contest", "reject", "credit", "refund"):
		case t.Is(at-1, "net") && !r.has(in, "sales", "income", "assets"):
			return fact{value.PaymentTerm, m.Value, 0.85, []lex.Extent{m.Extent, t.Extent(in.first, in.next)}}, true
		case t.Is(at-1, "within", "in") && r.has(behind, "invoice", "invoices") && r.paysAround(before, behind):
			return fact{value.PaymentTerm, m.Value, 0.85, []lex.Extent{m.Extent, t.Extent(in.first, in.next)}}, true
		case t.Is(next, "after", "from", "of", "following") && r.has(behind, "invoice", "invoices") && r.has(before, "due", "payable"):
			return fact{value.PaymentTerm, m.Value, 0.8, []lex.Extent{m.Extent, t.Extent(in.first, in.next)}}, true
		case t.Is(at-1, "within") && r.has(before, "invoice", "invoices") && r.has(before, "pay", "paid", "payable", "due") && t.Is(next, "of", "after", "from", "following"):
			return fact{value.PaymentTerm, m.Value, 0.7, []lex.Extent{m.Extent, t.Extent(in.first, in.next)}}, true
		}
	}
	return r.netDays(in)
}

// netDays reads a term as invoices and order forms have it: "Payment terms: Net 45".
func (r *fileReader) netDays(in stretch) (fact, bool) {
	const least, most = 5, 180
	for i := range r.each(in, "net") {
		days, next, ok := r.t.Quantity(i + 1)
		if !ok || days < least || days > most || r.t.Is(next, "%", "-", ",", "per", "percent") || !r.has(in, "payment", "terms", "invoice", "invoices", "payable", "due") {
			continue
		}
		return fact{value.PaymentTerm, value.Value{Duration: value.ISODuration(days, 'D')}, 0.8, []lex.Extent{r.t.Extent(i, next), r.t.Extent(in.first, in.next)}}, true
	}
	return fact{}, false
}

// paysAround reports whether something is to be paid before a period, or close behind the
// invoice that it is counted from.
func (r *fileReader) paysAround(before, behind stretch) bool {
	const near = 8
	invoice := r.index(behind, "invoice", "invoices")
	for _, in := range []stretch{before, {invoice, invoice + near}} {
		if r.has(in, "pay", "paid", "pays", "payable", "payment", "payments", "due") {
			return true
		}
	}
	return false
}

// liabilityCap is what the liability of a party is limited to: a sum, or else the time whose
// payments are the limit, "the fees paid in the preceding twelve (12) months".
func (r *fileReader) liabilityCap(in stretch) (fact, bool) {
	const reach = 60
	t := r.t
	if !r.has(in, "liability", "liable") || r.has(in, "insurance", "policy", "coverage", "premises") {
		return fact{}, false
	}
	limit := r.limitAt(in)
	if limit < 0 {
		return fact{}, false
	}
	behind := stretch{limit, min(in.next, limit+reach)}
	whole := t.Extent(in.first, in.next)
	for _, m := range r.mentions(value.Money, behind) {
		if m.Value.Amount != "" {
			return fact{value.LiabilityCap, m.Value, 0.95, []lex.Extent{m.Extent, whole}}, true
		}
	}
	if !r.has(behind, "fees", "amount", "amounts", "payments", "charges", "price", "sums", "consideration") || !r.has(behind, "paid", "payable", "received", "due", "owed") {
		return fact{}, false
	}
	for _, m := range r.mentions(value.Period, behind) {
		if unit := m.Value.Duration[len(m.Value.Duration)-1]; unit == 'M' || unit == 'Y' {
			return fact{value.LiabilityCap, value.Value{Name: "payments of a period", Duration: m.Value.Duration}, 0.92, []lex.Extent{m.Extent, whole}}, true
		}
	}
	return fact{value.LiabilityCap, value.Value{Name: "payments under the agreement"}, 0.9, []lex.Extent{whole}}, true
}

// limitAt returns where a sentence says that liability is limited, or -1. A sum that has to be
// reached before anybody is liable is no limit.
func (r *fileReader) limitAt(in stretch) int {
	const (
		reach = 45
		close = 4
	)
	liable := r.index(in, "liability", "liable")
	for i := range r.each(stretch{liable, min(in.next, liable+reach)}, "exceed", "exceeds", "exceeding", "limited", "capped", "excess") {
		between := stretch{liable, i}
		switch {
		case r.has(between, "unless", "until", "deductible", "basket", "threshold") || r.says(between, "only to the extent", "only if"):
		case r.t.Is(i, "limited", "capped"):
			if r.t.Is(i+1, "to", "at") && !r.t.Is(i-1, "including") && !r.has(stretch{max(in.first, i-close), i}, "not", "without", "never") {
				return i
			}
		case r.t.Is(i, "excess") && !r.t.Is(i+1, "of"), r.t.Is(i-1, "including"):
		case r.has(stretch{in.first, i}, "not", "no", "neither", "never", "nor"):
			return i
		}
	}
	return -1
}

// convenience is the notice by which the agreement can be ended without a cause, and by whom.
func (r *fileReader) convenience(in stretch) (fact, bool) {
	const reach = 22
	t := r.t
	if r.has(in, "breach", "breaches", "default", "defaults", "bankruptcy", "insolvent", "cure", "majeure", "renew", "renewal") {
		return fact{}, false
	}
	for i := range r.each(in, "terminate", "terminated", "cancel", "cancelled") {
		asked := stretch{max(in.first, i-8), i}
		if !r.has(asked, "may", "right", "option", "entitled") || r.has(asked, "not", "neither", "nor") || r.says(asked, "no right") {
			continue
		}
		around := stretch{max(in.first, i-reach), min(in.next, i+2*reach)}
		free := r.says(around, "for convenience", "for its convenience", "without cause", "without any cause", "for any reason", "for no reason", "any or no reason", "no cause", "with or without cause", "in its sole discretion", "at will")
		if !r.has(stretch{i, min(in.next, i+8)}, "agreement", "contract", "lease") && !r.has(stretch{max(in.first, i-8), i}, "agreement", "contract", "lease") || !free && !r.says(around, "at any time") || r.has(around, "if", "event", "unless", "upon the occurrence") && !free {
			continue
		}
		for _, m := range r.mentions(value.Period, stretch{i, in.next}) {
			at, next := t.Find(m.Start), t.Find(m.End)
			if !r.has(stretch{max(in.first, at-6), min(in.next, next+5)}, "notice") {
				continue
			}
			said := m.Value
			said.Role = r.whoMay(in, i)
			sure := 0.7
			if free {
				sure = 0.88
			}
			return fact{value.Convenience, said, sure, []lex.Extent{m.Extent, t.Extent(in.first, in.next)}}, true
		}
	}
	return fact{}, false
}

// whoMay returns who may do what the verb at lexeme i says: "either party", or the part of one:
// "Customer". It is "" where that is not said plainly.
func (r *fileReader) whoMay(in stretch, i int) string {
	const reach = 10
	around := stretch{max(in.first, i-reach), min(in.next, i+reach)}
	if r.says(around, "either party", "any party", "each party", "either of the parties", "both parties") {
		return "either party"
	}
	for at := i - 1; at >= around.first; at-- {
		if next := r.roleAt(at); next > at && r.t.IsUpper(at) && (r.t.Is(next, "may", "shall", "has", "is") || r.t.Is(next, ",")) {
			return r.t.Quote(at, next)
		}
	}
	return ""
}

// signatories are the people who sign, with what they are. They are sure where their names
// stand in blocks of signatures.
func (r *fileReader) signatories() []fact {
	const most = 40
	var list []fact
	seen := map[string]bool{}
	for _, signature := range r.s.Signatures() {
		name := strings.TrimSpace(signature.Name.Text)
		if words := len(strings.Fields(name)); words < 2 || words > 5 || strings.ContainsAny(name, "_[]:0123456789/") || strings.Contains(name, "--") || seen[normalizedName(name)] || len(list) == most {
			continue
		}
		seen[normalizedName(name)] = true
		title := strings.TrimSpace(signature.Title.Text)
		if strings.ContainsAny(title, "_[]:") || strings.Contains(title, "--") {
			title = ""
		}
		list = append(list, fact{value.Signatory, value.Value{Name: name, Role: title}, 0.85, []lex.Extent{r.extent(signature.Name)}})
	}
	return list
}

func (r *fileReader) extent(q structure.Quoted) lex.Extent {
	return lex.Extent{Start: r.s.Offsets.Byte(q.Start), End: r.s.Offsets.Byte(q.End)}
}

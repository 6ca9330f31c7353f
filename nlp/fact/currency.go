package fact

import (
	"strings"

	"github.com/clausemill/clausemill/nlp/lex"
	"github.com/clausemill/clausemill/nlp/value"
)

// currencyNames are the words for currencies, with their codes by ISO 4217.
var currencyNames = map[string]string{
	"u . s . dollars": "USD", "u.s dollars": "USD", "u . s . dollar": "USD", "us dollars": "USD", "us dollar": "USD", "united states dollars": "USD", "united states dollar": "USD", "united states currency": "USD", "u . s . currency": "USD", "us $": "USD", "usd": "USD",
	"dollars of the united states": "USD", "currency of the united states": "USD", "money of the united states": "USD",
	"canadian dollars": "CAD", "canadian currency": "CAD", "currency of canada": "CAD", "money of canada": "CAD", "australian dollars": "AUD", "hong kong dollars": "HKD", "singapore dollars": "SGD", "new zealand dollars": "NZD",
	"euro": "EUR", "euros": "EUR", "pounds sterling": "GBP", "british pounds": "GBP", "sterling": "GBP", "japanese yen": "JPY", "yen": "JPY", "renminbi": "CNY", "rmb": "CNY", "swiss francs": "CHF", "israeli shekels": "ILS", "indian rupees": "INR",
}

// moneyWords are such that each name of a currency has one of them.
var moneyWords = []string{"dollars", "dollar", "currency", "$", "usd", "money", "euro", "euros", "sterling", "pounds", "yen", "renminbi", "rmb", "francs", "shekels", "rupees"}

// dollarLands are the countries but the United States whose money is written with the sign of
// a dollar.
var dollarLands = lex.Set("CA AU NZ HK SG TW MX BR CL CO AR JM BB BS BM KY TT")

// currency is that of the sums of an agreement, if it is one for all. An agreement may say it;
// a sign that several countries use says it where the law is that of a country which the sign
// is read as.
func (r *fileReader) currency(law fact) (fact, bool) {
	const fewSums = 3
	said := r.saidCurrency()
	best, sums := said, 0
	for _, m := range r.found {
		if m.Key != value.Money || m.Value.Currency == "" || r.isCapital(r.t.Find(m.Start)) {
			continue
		}
		sums++
		code, signs := m.Value.Currency, signedBy(r.s.Text[m.Start:m.End])
		switch {
		case said.evidence != nil && signs[said.value.Currency]:
			continue // which of those that have the sign it is was said
		case best.evidence != nil && best.value.Currency != code:
			return fact{}, false
		case best.evidence == nil || signs == nil && best.confidence < named:
			best = fact{value.Currency, value.Value{Currency: code}, bySign, []lex.Extent{m.Extent}}
			if signs == nil {
				best.confidence = named
			}
		}
	}
	switch {
	case best.evidence == nil:
		return fact{}, false
	case said.evidence == nil && sums == 1 && best.confidence >= named:
		best.confidence = fewSure // of something else, or no sum: "CHF 235"
		return best, true
	case best.confidence >= named:
		return best, true
	}
	land, _, _ := strings.Cut(law.value.Code, "-")
	switch {
	case best.value.Currency != "USD" || dollarLands[land] || !lex.MaybeEnglish(r.s.Language) || r.namesOtherDollars():
		return fact{}, false
	case land == "US":
		best.confidence = 0.95
	case sums < fewSums:
		best.confidence = fewSure
	}
	return best, true
}

// isCapital reports whether the sum at lexeme i is what a party has for its capital.
func (r *fileReader) isCapital(i int) bool {
	const reach = 5
	return r.has(stretch{i - reach, i}, "capital", "stammkapital", "grundkapital", "capitale", "kapitaal")
}

// How sure a currency is that a sum names, and one that only its sign stands for.
const (
	named   = 0.9
	bySign  = 0.75
	fewSure = 0.6 // where there are few sums
)

// The currencies that share a sign.
var (
	dollarSigns = lex.Set("USD CAD AUD HKD SGD NZD TWD MXN BRL")
	yenSigns    = lex.Set("JPY CNY")
)

// signedBy returns the currencies whose sign, or common name, the words of a sum have, if
// nothing in them says which it is.
func signedBy(words string) map[string]bool {
	lower := strings.ToLower(words)
	switch {
	case strings.Contains(words, "¥"):
		return yenSigns
	case !strings.Contains(words, "$") && !strings.Contains(lower, "dollar"):
		return nil
	}
	for _, land := range []string{"us$", "us $", "u.s.", "u.s ", "usd", "us dollar", "united states"} {
		if strings.Contains(lower, land) {
			return nil
		}
	}
	if at := strings.Index(words, "$"); at > 0 && lex.IsWordRune(rune(words[at-1])) {
		return nil // "C$"
	}
	return dollarSigns
}

// namesOtherDollars reports whether the text names dollars of another country.
func (r *fileReader) namesOtherDollars() bool {
	whole := stretch{0, len(r.t.Lexemes)}
	for i := range r.each(whole, "dollars", "dollar") {
		if r.t.Is(i-1, "canadian", "australian", "kong", "singapore", "zealand", "taiwan", "jamaican", "bermuda") {
			return true
		}
	}
	return r.has(whole, "cad", "aud", "hkd", "sgd", "nzd", "cdn", "ntd")
}

// saidCurrency is the currency in which an agreement says that all is paid: "All amounts are in
// U.S. dollars".
func (r *fileReader) saidCurrency() fact {
	for _, in := range r.sentences {
		if !r.has(in, moneyWords...) || !r.has(in, "all", "currency", "references", "denominated", "expressed", "stated") || !r.has(in, "payments", "amounts", "sums", "prices", "fees", "payment", "monies", "royalties", "references", "dollars", "$", "charges", "invoices", "amount", "price", "currency") {
			continue
		}
		for i := range r.each(in, "in", "mean", "means", "to", "of", "be", "is") {
			at := i + 1
			for r.t.Is(at, "the", "lawful", "legal", "money", "currency", "of", "immediately", "available", "current") && at < i+6 {
				if code, next := r.currencyAt(at); code != "" {
					return r.statedIn(in, i, at, next, code)
				}
				at++
			}
			if code, next := r.currencyAt(at); code != "" {
				if f := r.statedIn(in, i, at, next, code); f.evidence != nil {
					return f
				}
			}
		}
	}
	return fact{}
}

// statedIn is the currency that is named between two lexemes behind the word at lexeme i, if
// that is what the sums of the agreement are in.
func (r *fileReader) statedIn(in stretch, i, at, next int, code string) fact {
	const reach = 25
	before := stretch{max(in.first, i-reach), i}
	if r.t.IsNumber(next) || r.has(before, "convert", "converted", "conversion", "equivalent", "exchange", "if", "except", "rate") || r.has(stretch{next, min(in.next, next+reach)}, "or", "unless", "equivalent") && r.has(stretch{next, min(in.next, next+4)}, "or", "equivalent") {
		return fact{}
	}
	switch {
	case r.t.Is(i, "in") && r.has(before, "all", "payments", "amounts", "sums", "prices", "fees", "payable", "paid", "expressed", "stated", "denominated", "made") && r.has(before, "all", "amounts", "payments", "expressed", "stated", "denominated"):
	case r.t.Is(i, "to", "mean", "means", "be", "is") && r.has(before, "references", "dollars", "$", "currency") && r.has(before, "all", "references", "currency", "reference"):
	default:
		return fact{}
	}
	return fact{value.Currency, value.Value{Currency: code}, 0.95, []lex.Extent{r.t.Extent(at, next), r.t.Extent(in.first, in.next)}}
}

// currencyAt returns the code of the currency that is named at lexeme i, and what follows it.
func (r *fileReader) currencyAt(i int) (code string, next int) {
	for name, code := range currencyNames { // of which at most one is at a place
		if end, ok := r.t.Follows(i, name); ok {
			return code, end
		}
	}
	return "", i
}

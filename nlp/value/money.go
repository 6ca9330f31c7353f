package value

import (
	"strings"
	"unicode/utf8"

	"github.com/clausemill/clausemill/nlp/lex"
)

// amounts finds sums of money: "$1,250.00", "US$ 2.5 million", "EUR 300",
// "five thousand dollars ($5,000)".
type amounts struct{}

// currencies are what stands for a currency before or behind a figure.
var currencies = func() map[string]string {
	all := map[string]string{
		"$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR", "₩": "KRW", "₪": "ILS",
		"franken": "CHF", "fr": "CHF", "sfr": "CHF", "dollar": "USD", "dollars": "USD", "euro": "EUR", "euros": "EUR", "rmb": "CNY", "yen": "JPY", "nis": "ILS", "renminbi": "CNY", "cents": "",
	}
	for code := range strings.FieldsSeq("USD EUR GBP JPY CNY CHF CAD AUD NZD HKD SGD INR KRW TWD ILS SEK NOK DKK PLN CZK HUF BRL MXN ZAR RUB TRY THB MYR IDR PHP AED SAR") {
		all[code] = code
	}
	return all
}()

// dollars are the letters before a dollar sign.
var dollars = map[string]string{
	"US": "USD", "U.S": "USD", "C": "CAD", "CA": "CAD", "CAD": "CAD", "CDN": "CAD", "A": "AUD", "AU": "AUD", "AUD": "AUD", "HK": "HKD", "S": "SGD", "NT": "TWD", "NZ": "NZD", "USD": "USD", "R": "BRL",
}

func (a amounts) extract(t *Tape) []Mention {
	var found []Mention
	for i := 0; i < len(t.Lexemes); i++ {
		if l := &t.Lexemes[i]; l.Form == Word && !l.capital && !t.opensNumeral(i) && (t.words == nil || l.Initial != 'f' && l.Initial != 'e' && l.Initial != 's') {
			continue // most words
		}
		m, next, ok := a.at(t, i)
		if !ok {
			continue
		}
		found = append(found, m)
		i = next - 1
	}
	return found
}

// at reads the sum at lexeme i.
func (a amounts) at(t *Tape, i int) (Mention, int, bool) {
	if t.IsNumber(i) {
		return a.figureFirst(t, i)
	}
	if t.opensNumeral(i) {
		return a.words(t, i)
	}
	currency, next := a.currency(t, i)
	if currency == "" || !t.IsNumber(next) {
		return Mention{}, i, false
	}
	value, end := a.figure(t, next, currency)
	return a.mention(t, i, end, value)
}

// currency reads what is before a figure: "$", "US$", "U.S. $", "EUR".
func (a amounts) currency(t *Tape, i int) (string, int) {
	if at := t.At(i); t.Form(i) == Mark && at != "" && (at[0] == '$' || at[0] >= utf8.RuneSelf) || len(at) == 3 && lex.IsCapitals(at) {
		if code := currencies[at]; code != "" {
			if t.Is(i+1, "$") {
				return code, i + 2
			}
			return code, i + 1
		}
	}
	if t.words != nil && t.Is(i, "fr", "sfr") && t.Is(i+1, ".") && t.IsNumber(i+2) {
		return "CHF", i + 2 // francs of Switzerland: others are behind their figure
	}
	if t.words != nil && t.Is(i, "euro", "euros") && t.IsNumber(i+1) && !t.IsNumber(i-1) {
		return "EUR", i + 1
	}
	if t.IsUpper(i) {
		if t.Is(i+1, "$") && t.Glued(i+1) {
			if code := dollars[t.At(i)]; code != "" {
				return code, i + 2
			}
		}
		if next, ok := t.Follows(i, "U . S ."); ok && t.Is(next, "$") {
			return "USD", next + 1
		}
	}
	return "", i
}

// figureFirst reads "300 dollars", "1.250,00 €", "5 million euros".
func (a amounts) figureFirst(t *Tape, i int) (Mention, int, bool) {
	value, next := a.figure(t, i, "")
	if value.Amount != "" && t.splits(i) {
		// "12 500 €" in a text whose language is not known
		value.Amount, value.Readings = "", []string{value.Amount, t.At(i-1) + value.Amount}
	}
	if t.words != nil {
		next = a.beforeCurrency(t, next)
	}
	if t.Is(next, "us", "u.s", "united") && t.IsUpper(next) {
		next++
		for t.Is(next, "states", ".", "s") {
			next++
		}
	}
	at := strings.TrimPrefix(strings.TrimPrefix(t.At(next), "d'"), "d’")
	if at != strings.ToUpper(at) || len(at) != 3 {
		at = strings.ToLower(at)
	}
	code := currencies[at]
	if t.words == nil && (at == "franken" || at == "fr" || at == "sfr") {
		code = ""
	}
	if code == "" || t.Is(next, "$") || t.Form(next) == Mark && t.IsNumber(next+1) {
		return Mention{}, i, false
	}
	value.Currency = code
	return a.mention(t, i, next+1, value)
}

// splits reports whether the figure at lexeme i may be the last group of one that began
// before: a space is between up to three digits and three.
func (t *Tape) splits(i int) bool {
	return t.IsNumber(i-1) && len(t.At(i-1)) <= 3 && lex.DigitPrefix(t.At(i)) == 3 && (len(t.At(i)) == 3 || t.At(i)[3] != ',' || len(t.At(i)) != 7) &&
		t.Lexemes[i].Start-t.Lexemes[i-1].End <= 3 && !t.Newline(i)
}

// beforeCurrency returns what follows the marks and words between a figure and its
// currency: "100,-- EUR", "12,5 Mio. Euro", "2 millions d'euros", "3 milioni di euro".
func (a amounts) beforeCurrency(t *Tape, next int) int {
	if t.Is(next, ",", ".") && t.Glued(next) && (strings.HasPrefix(t.At(next+1), "-") || t.Is(next+1, "–", "—")) {
		next += 2
	}
	if t.Sense(next-1).Class == lex.ScaleWord {
		if t.Is(next, ".") {
			next++
		}
		if t.Is(next, "de", "di") {
			next++
		}
	}
	return next
}

// words reads "five thousand dollars ($5,000)"; a figure in brackets decides
// the amount.
func (a amounts) words(t *Tape, i int) (Mention, int, bool) {
	n, next, ok := t.numeral(i)
	if !ok || n == 0 {
		return Mention{}, i, false
	}
	for t.Is(next, "and", "no", "/", "us", "u.s", ".", "united", "states") || t.IsNumber(next) && (t.Is(next+1, "/") || t.Is(next-1, "/")) {
		next++
		if next > i+24 {
			return Mention{}, i, false
		}
	}
	if t.words != nil {
		next = a.beforeCurrency(t, next)
	}
	code, named := currencies[t.At(next)] // "five thousand EUR"
	if !named {
		code, named = currencies[strings.TrimPrefix(strings.ToLower(t.At(next)), "d'")]
	}
	if named && t.IsWord(next) {
		next++
	} else {
		named = false
	}
	if t.Is(next, "(", "[") {
		if currency, figure := a.currency(t, next+1); currency != "" && t.IsNumber(figure) {
			if value, end := a.figure(t, figure, currency); t.Is(end, ")", "]") {
				return a.mention(t, i, end+1, value)
			}
		}
	}
	if t.words != nil && t.Is(next, "(", "[") && t.IsNumber(next+1) {
		if m, end, ok := a.figureFirst(t, next+1); ok && t.Is(end, ")", "]") {
			return a.mention(t, i, end+1, m.Value)
		}
	}
	if !named || code == "" {
		return Mention{}, i, false
	}
	return a.mention(t, i, next, Value{Amount: decimalOf(n), Currency: code})
}

// figure reads the number at lexeme i with the million that may follow it.
func (a amounts) figure(t *Tape, i int, currency string) (Value, int) {
	value := Value{Currency: currency}
	readings := t.readings(t.At(i))
	if tails := t.tails(i); currency == "" && tails != nil {
		readings = append(tails, readings...)
	}
	next := i + 1
	if s := t.Sense(next); s.Class == lex.ScaleWord {
		for j := range readings {
			readings[j] = shift(readings[j], int(s.Value))
		}
		next++
	}
	switch len(readings) {
	case 0:
	case 1:
		value.Amount = readings[0]
	default:
		value.Readings = readings
	}
	return value, next
}

func (a amounts) mention(t *Tape, i, next int, value Value) (Mention, int, bool) {
	if value.Amount == "" && value.Readings == nil {
		return Mention{}, i, false
	}
	confidence := 0.97
	if value.Readings != nil {
		confidence = 0.5
	}
	return Mention{t.Extent(i, next), Money, value, confidence}, next, true
}

// decimals returns the readings of a figure as decimals with a stop. Figures in
// groups of three are read as such, with a comma or a stop between them; one
// group behind a stop ("1.250") may be a fraction as well.
func decimals(figure string) []string {
	last := strings.LastIndexAny(figure, ".,")
	if last < 0 {
		return []string{figure}
	}
	whole, fraction, mark := figure[:last], figure[last+1:], figure[last]
	other := '.' + ',' - mark
	switch {
	case strings.IndexByte(whole, mark) >= 0: // one mark, several times: groups
		if strings.IndexByte(whole, other) >= 0 || !grouped(figure, mark) {
			return nil
		}
		return []string{strings.ReplaceAll(figure, string(mark), "")}
	case strings.IndexByte(whole, other) >= 0: // both: the last one parts the fraction
		if !grouped(whole, other) {
			return nil
		}
		return []string{strings.ReplaceAll(whole, string(other), "") + "." + fraction}
	case whole == "0": // "0,125"
	case mark == ',' && len(fraction) == 3:
		if !grouped(figure, mark) {
			return nil
		}
		return []string{whole + fraction}
	case mark == '.' && len(fraction) == 3 && len(whole) <= 3:
		return []string{whole + "." + fraction, whole + fraction}
	}
	return []string{whole + "." + fraction}
}

// grouped reports whether figure is digits in groups of three, of which none is before
// the first: not "0,125,000".
func grouped(figure string, mark byte) bool {
	first := true
	if strings.HasPrefix(figure, "0"+string(mark)) {
		return false
	}
	for group := range strings.SplitSeq(figure, string(mark)) {
		if len(group) != 3 && (!first || len(group) > 3 || group == "") {
			return false
		}
		first = false
	}
	return true
}

// shift multiplies a decimal by a power of ten.
func shift(decimal string, power int) string {
	whole, fraction, _ := strings.Cut(decimal, ".")
	for range power {
		digit := "0"
		if fraction != "" {
			digit, fraction = fraction[:1], fraction[1:]
		}
		whole += digit
	}
	if whole = strings.TrimLeft(whole, "0"); whole == "" {
		whole = "0"
	}
	if fraction == "" {
		return whole
	}
	return whole + "." + fraction
}

package query

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is a word of a prompt, or words in quotes.
type token struct {
	word       string // without quotes and the punctuation around it
	lower      string
	quoted     bool
	start, end int // bytes of the prompt
}

// closers are the quotes by what opens them.
var closers = map[rune]rune{'"': '"', '“': '”', '‘': '’', '«': '»'}

// tokens cuts a prompt into words. A full stop within it stays with its word, for Inc.
func tokens(text string) []token {
	var list []token
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		if closing, ok := closers[r]; ok {
			if length := strings.IndexRune(text[at+size:], closing); length > 0 {
				word := strings.TrimSpace(text[at+size : at+size+length])
				end := at + size + length + utf8.RuneLen(closing)
				if word != "" {
					list = append(list, token{word, strings.ToLower(word), true, at, end})
				}
				at = end
				continue
			}
		}
		if unicode.IsSpace(r) || strings.ContainsRune(`?!;"“”()`, r) || r == utf8.RuneError {
			at += size
			continue
		}
		end := len(text) - len(strings.TrimLeft(text[at:], "<>=")) // >50k are two
		for signs := end > at; end < len(text) && !signs; {
			r, size := utf8.DecodeRuneInString(text[end:])
			if unicode.IsSpace(r) || strings.ContainsRune(`?!;"“”()`, r) || r == ',' && !betweenDigits(text, end) {
				break
			}
			end += size
		}
		if end == at { // a comma by itself
			end++
		}
		word := text[at:end]
		if fullStop.MatchString(word) { // "signed 2023. Over 50k."
			word = strings.TrimSuffix(word, ".")
		}
		if stem := strings.TrimSuffix(word, ":"); stem != "" { // what it is of was named
			word = stem
		}
		list = append(list, contracted(token{word, grammatical(word), false, at, end})...)
		at = end
	}
	for i := range max(0, len(list)-1) {
		if list[i].lower == "no" && list[i+1].lower == "of" {
			list[i].lower = "number"
		}
		if list[i].lower == "expiring" && strings.HasPrefix(list[i+1].lower, "date") { // exp date
			list[i].lower = "expiry"
		}
		if unit := dayWords[list[i+1].lower]; unit != 0 && i > 0 && list[i].lower == "plus" && list[i].end == list[i-1].end+1 { // 30+ days are 30 days or more
			list[i].word, list[i].lower, list[i+1].word, list[i+1].lower = list[i+1].word, list[i+1].lower, list[i].word, list[i].lower
		}
		if list[i+1].lower == "per" && slices.Contains([]string{"notice", "probation", "payment", "renewal"}, list[i].lower) && (i+2 == len(list) || abbreviated(list[i+2])) { // notice per by type
			list[i+1].lower = "period"
		}
	}
	// The full stop that ends the question is no part of its last word. Names are compared without it.
	if n := len(list); n > 0 && !list[n-1].quoted {
		last := &list[n-1]
		if trimmed := strings.TrimRight(last.word, "."); trimmed != "" {
			last.word, last.lower = trimmed, strings.TrimRight(last.lower, ".")
		}
	}
	return list
}

// fullStop is a number that ends a sentence.
var fullStop = regexp.MustCompile(`^\d+[.]$`)

// abbreviated reports whether what follows "per" is no field that is counted by, so that a period is meant.
func abbreviated(next token) bool {
	return slices.Contains([]string{"by", "for", "of", "in", "over", "under", "<", ">", "<=", ">=", "is", "missing"}, next.lower) || isNumber(next.lower)
}

// contractions are words that stand for two.
var contractions = map[string][2]string{
	"year-end": {"year", "end"}, "eoy": {"year", "end"}, "eoq": {"quarter", "end"}, "eom": {"month", "end"}, "quarter-end": {"quarter", "end"}, "month-end": {"month", "end"}, "unvalidated": {"not", "validated"}, "unprocessed": {"not", "processed"}, "that's": {"that", "is"}, "who's": {"who", "is"}, "where's": {"where", "is"}, "there's": {"there", "is"}, "what's": {"what", "is"}, "it's": {"it", "is"}, "when's": {"when", "is"}, "how's": {"how", "is"},
	"whats": {"what", "is"}, "whos": {"who", "is"}, "wheres": {"where", "is"}, "hows": {"how", "is"}, "i'm": {"i", "am"}, "im": {"i", "am"}, "i've": {"i", "have"}, "who've": {"who", "have"},
	"gimme": {"give", "me"}, "govlaw": {"governing", "law"}, "i'd": {"i", "would"}, "we'd": {"we", "would"}, "we'll": {"we", "will"}, "fortnight": {"2", "weeks"},
	"we're": {"we", "are"}, "we've": {"we", "have"}, "they're": {"they", "are"}, "they've": {"they", "have"}, "that've": {"that", "have"},
}

// fiscalYear is one as people write it: FY25.
var fiscalYear = regexp.MustCompile(`^(?:fy|cy)['’]?((?:20)?\d{2})$`)

// monthRange are months, quarters or years with a dash between: Jan-Mar, Q1-Q3.
var monthRange = regexp.MustCompile(`(?i)^((?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*|q[1-4])[-–]((?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*|q[1-4])$`)

// amountRange are figures with a dash between: 4-6%, $1m-$5m, 30-60. Years and months are none.
var amountRange = regexp.MustCompile(`(?i)^([$€£]?\d[\d,.]*(?:k|m|mn|mm|mio|mil|bn|%|d|w|y)?)[-–]([$€£]?\d[\d,.]*(?:k|m|mn|mm|mio|mil|bn|%|d|w|y)?)$`)

// monthOfYear is 2026-03.
var monthOfYear = regexp.MustCompile(`^(19|20)\d\d[-–]\d{1,2}$`)

// shortRange are two years of which the second is told by its last digits: 2024-25.
var shortRange = regexp.MustCompile(`^((?:19|20)(\d\d))[-–](\d\d)$`)

// openAmount is a figure or more: $250k+, 30+.
var openAmount = regexp.MustCompile(`(?i)^([$€£]?\d[\d,.]*(?:k|m|mn|mm|mio|mil|bn|%)?)\+$`)

// dayRange are days of the week with a dash between: Mon-Wed.
var dayRange = regexp.MustCompile(`(?i)^((?:mon|tue|wed|thu|fri|sat|sun)[a-z]*)[-–]((?:mon|tue|wed|thu|fri|sat|sun)[a-z]*)$`)

// topNumber is top10 without a space.
var topNumber = regexp.MustCompile(`^(top)(\d+)$`)

// hyphened is a time as an adjective, or a size without a space.
var hyphened = regexp.MustCompile(`^(\d+|` + strings.Join(numerals, "|") + `)-(days?|weeks?|months?|years?)$|^(\d+)([kmg]b|d|days?|w|wks?|weeks?|mths?|mos?|months?|y|yrs?|years?)$`)

// shortUnits are those of a time behind its number: 90d.
var shortUnits = map[string]string{"d": "days", "w": "weeks", "y": "years"}

// slashes are two words in one: NDA/MSA are alternatives, NDA+MSA both.
var slashes = regexp.MustCompile(`^(\pL{3,})([/+])(\pL{3,})$`)

// contracted are the two words that a token stands for, or the token.
func contracted(t token) []token {
	if m := slashes.FindStringSubmatch(t.word); m != nil {
		at := t.start + len(m[1])
		return []token{{m[1], strings.ToLower(m[1]), false, t.start, at}, {m[2], map[string]string{"/": "or", "+": "and"}[m[2]], false, at, at + 1}, {m[3], strings.ToLower(m[3]), false, at + 1, t.end}}
	}
	if m := fiscalYear.FindStringSubmatch(t.lower); m != nil {
		t.word = "20" + m[1][len(m[1])-2:]
		t.lower = t.word
		return []token{t}
	}
	if m := monthRange.FindStringSubmatch(t.word); m != nil {
		at := t.start + len(m[1])
		return []token{{m[1], strings.ToLower(m[1]), false, t.start, at}, {"to", "to", false, at, t.end - len(m[2])}, {m[2], strings.ToLower(m[2]), false, t.end - len(m[2]), t.end}}
	}
	if m := shortRange.FindStringSubmatch(t.word); m != nil && m[3] > m[2] && m[3] > "12" {
		t.word = m[1] + "-" + m[1][:2] + m[3]
		t.lower = t.word
		return []token{t}
	}
	if m := openAmount.FindStringSubmatch(t.word); m != nil {
		at := t.start + len(m[1])
		return []token{{m[1], strings.ToLower(m[1]), false, t.start, at}, {"plus", "plus", false, at, t.end}}
	}
	if m := dayRange.FindStringSubmatch(t.word); m != nil {
		at := t.start + len(m[1])
		return []token{{"between", "between", false, t.start, t.start}, {m[1], grammatical(m[1]), false, t.start, at}, {"and", "and", false, at, t.end - len(m[2])}, {m[2], grammatical(m[2]), false, t.end - len(m[2]), t.end}}
	}
	if m := amountRange.FindStringSubmatch(t.word); m != nil && !yearsWord.MatchString(t.word) && !monthOfYear.MatchString(t.word) {
		at := t.start + len(m[1])
		last := token{m[2], strings.ToLower(m[2]), false, t.end - len(m[2]), t.end}
		return append([]token{{m[1], strings.ToLower(m[1]), false, t.start, at}, {"to", "to", false, at, last.start}}, contracted(last)...)
	}
	two, ok := contractions[t.lower]
	if m := topNumber.FindStringSubmatch(t.lower); m != nil {
		two, ok = [2]string{m[1], m[2]}, true
	}
	if m := hyphened.FindStringSubmatch(t.lower); m != nil { // 3-year, 20MB
		two, ok = [2]string{m[1] + m[3], cmp.Or(shortUnits[m[4]], grammatical(m[2]+m[4]))}, true
	}
	if !ok {
		return []token{t}
	}
	length := min(len(two[0]), len(t.word))
	if i := strings.LastIndexAny(t.word, "'’"); i > 0 {
		length = i
	}
	at := t.start + length
	return []token{{t.word[:length], two[0], false, t.start, at}, {two[1], two[1], false, at, t.end}}
}

// grammatical is a word as rules have it: "what's" with a plain apostrophe, of days' the days, and
// what is short for it in full.
func grammatical(word string) string {
	word = strings.TrimRight(strings.ReplaceAll(lowerWords(word), "’", "'"), "'")
	if stem := strings.TrimSuffix(word, "."); len(stem) > len("corp") && !strings.Contains(stem, ".") { // of a sentence
		word = stem
	}
	if full, ok := shorthand[word]; ok {
		return full
	}
	return word
}

// shorthand are words as people type them in a hurry.
var shorthand = map[string]string{
	"dont": "don't", "doesnt": "doesn't", "isnt": "isn't", "arent": "aren't", "cant": "cannot", "can't": "cannot", "havent": "haven't", "didnt": "didn't",
	"agmt": "agreement", "agmts": "agreements", "agrmt": "agreement", "agreemnt": "agreement", "doc": "document", "docs": "documents", "ctr": "contract", "ctrs": "contracts",
	"yr": "year", "yrs": "years", "mth": "month", "mths": "months", "mo": "month", "mos": "months", "wk": "week", "wks": "weeks", "qtr": "quarter", "qtrs": "quarters",
	"nr": "number", "nr.": "number", "no.": "number", "num": "number", "qty": "number", "#": "number", "+": "and", "w/": "with", "-": ",", "–": ",", "—": ",", "%": "percentage", "pct": "percent", "w": "with", "b/w": "between", "w/o": "without", "w/out": "without", "&": "and", "pls": "please", "plz": "please", "mio": "million", "mn": "million", "mil": "million",
	"exp": "expiring", "expd": "expired", "sgnd": "signed", "upl": "uploaded", "ctrct": "contract", "ctrcts": "contracts", "cntrct": "contract", "yest": "yesterday", "yesterd": "yesterday", "wo": "without", "suppl": "supplier", "supl": "supplier", "yday": "yesterday", "ystrday": "yesterday", "cnt": "count", "w.": "with", "purch": "purchase", "int": "interest", "shw": "show", "w/in": "within", "w/i": "within", "wout": "without", "n": "and", "bet": "between", "betw": "between", "tot": "total", "dt": "date", "dte": "date", "gov": "governing", "gov.": "governing", "r": "are", "u": "you", "hv": "have", "mny": "many", "hw": "how", "ctrl": "control", "btw": "between", "nxt": "next", "prev": "previous", "val": "value", "vals": "values", "amt": "amount", "empl": "employment", "emp": "employment", "pmt": "payment", "pymt": "payment", "incl": "including", "excl": "excluding", "incl.": "including", "excl.": "excluding", "thru": "through", "til": "until", "b4": "before", "sgd": "signed", "chg": "change", "sig": "signature", "sigs": "signatures",
	"eff": "effective", "liab": "liability", "juris": "jurisdiction", "agt": "agreement", "agts": "agreements", "agrmts": "agreements", "agr": "agreement", "cntr": "contract", "cntrs": "contracts", "contr": "contract", "cpties": "counterparties", "cptys": "counterparties", "cust": "customer", "custs": "customers",
	"lic": "license", "lics": "licenses", "wat": "what", "whn": "when", "wen": "when", "wich": "which", "hav": "have", "wth": "with", "lst": "list", "max.": "maximum", "min.": "minimum", "wiht": "with", "whit": "with", "teh": "the", "thier": "their", "whihc": "which", "witch": "which", "coc": "change-of-control", "tfc": "termination-for-convenience", "t4c": "termination-for-convenience",
	"mon": "monday", "tue": "tuesday", "tues": "tuesday", "wed": "wednesday", "thu": "thursday", "thur": "thursday", "thurs": "thursday", "fri": "friday",
	"rn": "now", "tmrw": "tomorrow", "tmr": "tomorrow", "avg": "average", "ave": "average", "cpty": "counterparty", "cparty": "counterparty",
}

func betweenDigits(text string, at int) bool {
	return at > 0 && at+1 < len(text) && isDigit(text[at-1]) && isDigit(text[at+1])
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

// lowerWords is text in small letters with single spaces.
func lowerWords(text string) string { return strings.Join(strings.Fields(strings.ToLower(text)), " ") }

// numerals are the numbers that people write as words.
var numerals = []string{"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"}

// count consumes a whole number.
func (p *parser) count() (int, bool) {
	if p.at == len(p.tokens) {
		return 0, false
	}
	word := p.tokens[p.at].lower
	n := slices.Index(numerals, word)
	if n < 0 {
		var err error
		if n, err = strconv.Atoi(word); err != nil {
			return 0, false
		}
	}
	p.at++
	return n, true
}

var (
	amountWord = regexp.MustCompile(`^[$€£]?(\d{1,3}(?:,\d{3})+|\d{1,15})(\.\d{1,4})?(k|m|mn|mm|mio|mil|bn)?(%)?$`)
	pointed    = regexp.MustCompile(`^[$€£]?(\d{1,3}(?:\.\d{3}){2,}|\d{1,3}(?:\.\d{3})+,\d{1,2}|\d{1,15},\d{1,2})(k|m|mn|mm|mio|mil|bn)?$`) // 1.000.000 and 1,5, as in Europe
	ambiguous  = regexp.MustCompile(`^[$€£]?\d{1,3}\.\d{3}$`)                                                                               // 10.000 is ten, or ten thousand
	dayWords   = map[string]float64{"day": 1, "days": 1, "week": 7, "weeks": 7, "month": 365. / 12, "months": 365. / 12, "year": 365, "years": 365}
	times      = map[string]float64{"k": 1e3, "m": 1e6, "mn": 1e6, "mm": 1e6, "mio": 1e6, "mil": 1e6, "bn": 1e9, "thousand": 1e3, "million": 1e6, "billion": 1e9, "": 1}
	sizes      = map[string]float64{"kb": 1e3, "mb": 1e6, "gb": 1e9, "bytes": 1, "kilobytes": 1e3, "megabytes": 1e6, "gigabytes": 1e9}
	currencies = []string{"dollars", "dollar", "euros", "euro", "pounds", "pound", "usd", "eur", "gbp", "chf", "francs", "yen", "jpy"}
)

// amount is a number with what it is multiplied by.
type amount struct {
	n, unit float64 // unit is 0 where nothing is said
	days    bool    // the unit is a time
	money   bool    // a currency is named
	percent bool
}

// value is the amount in days, or units of money.
func (a amount) value() float64 {
	switch {
	case a.unit == 0:
		return a.n
	case a.days:
		return math.Round(100*a.n*a.unit) / 100 // as the days of files' values are
	}
	return a.n * a.unit
}

// String writes an amount as values of filters are.
func (a amount) String() string { return strconv.FormatFloat(a.value(), 'f', -1, 64) }

// amount consumes a number: 1 million, 100k, 2 weeks in days. One that has two readings
// is none.
func (p *parser) amount() (amount, bool) {
	p.takeAny("exactly", "precisely", "net", "equal to")
	a := amount{money: p.takeAny(currencies...)}
	if p.at == len(p.tokens) {
		return amount{}, false
	}
	word := p.tokens[p.at].lower
	if start := p.at; p.takeAny("a", "an") { // "less than a month"
		if days := p.factor(dayWords); days != 0 {
			return amount{n: 1, unit: days, days: true}, true
		}
		if scale := p.factor(times); scale != 0 {
			return amount{n: 1, unit: scale, money: p.takeAny(currencies...) || a.money}, true
		}
		p.at = start
	}
	if p.takeAny("half a year") {
		return amount{n: 0.5, unit: dayWords["year"], days: true}, true
	}
	if p.takeAny("half a million", "half million") {
		return amount{n: 0.5, unit: 1e6, money: p.takeAny(currencies...) || a.money}, true
	}
	if m := pointed.FindStringSubmatch(word); m != nil {
		a.n, _ = strconv.ParseFloat(strings.ReplaceAll(strings.ReplaceAll(m[1], ".", ""), ",", "."), 64)
		a.unit = unitOf(m[2])
	} else if m := amountWord.FindStringSubmatch(word); m != nil {
		a.n, _ = strconv.ParseFloat(strings.ReplaceAll(m[1], ",", "")+m[2], 64) // digits and a point
		a.unit, a.percent = unitOf(m[3]), m[4] != ""
	} else if i := slices.Index(numerals, word); i >= 0 {
		a.n = float64(i)
	} else {
		return amount{}, false
	}
	p.at++
	if scale := p.factor(times); scale != 0 {
		a.unit = max(a.unit, 1) * scale
	}
	if days := p.factor(dayWords); days != 0 {
		a.unit, a.days = max(a.unit, 1)*days, true
	}
	a.percent = p.takeAny("percentage", "percent", "per cent") || a.percent
	a.money = !a.percent && p.takeAny(currencies...) || a.money || strings.ContainsRune("$€£", []rune(word)[0])
	return a, a.unit != 0 || !ambiguous.MatchString(word)
}

// unitOf is what the letters after a number stand for.
func unitOf(letters string) float64 {
	if letters == "" {
		return 0
	}
	return times[letters]
}

// factor consumes a word that multiplies a number: 0 where there is none.
func (p *parser) factor(words map[string]float64) float64 {
	if p.at == len(p.tokens) {
		return 0
	}
	n, ok := words[p.tokens[p.at].lower]
	if !ok {
		return 0
	}
	p.at++
	return n
}

package query

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
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

// tokens cuts a prompt into words. A full stop stays with a word, for Inc.
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
		end := at
		for end < len(text) {
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
		list = append(list, token{word, lowerWords(word), false, at, end})
		at = end
	}
	// The full stop that ends a sentence is no part of its last word, unless
	// that has capitals, as Inc. has.
	if n := len(list); n > 0 && list[n-1].lower != "." && list[n-1].word == list[n-1].lower {
		last := &list[n-1]
		if trimmed := strings.TrimRight(last.word, "."); trimmed != "" && !last.quoted {
			last.word, last.lower = trimmed, strings.TrimRight(last.lower, ".")
		}
	}
	return list
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
	amountWord = regexp.MustCompile(`^[$€£]?(\d{1,3}(?:,\d{3})+|\d{1,15})(\.\d{1,4})?(k|m|bn)?$`)
	dayWords   = map[string]float64{"day": 1, "days": 1, "week": 7, "weeks": 7, "month": 365. / 12, "months": 365. / 12, "year": 365, "years": 365}
	times      = map[string]float64{"k": 1e3, "m": 1e6, "bn": 1e9, "thousand": 1e3, "million": 1e6, "billion": 1e9, "": 1}
)

// amount consumes a number with what it is multiplied by: 1 million, 100k, 2
// weeks in days. It is written as values of filters are.
func (p *parser) amount() (string, bool) {
	if p.at == len(p.tokens) {
		return "", false
	}
	var n float64
	if m := amountWord.FindStringSubmatch(p.tokens[p.at].lower); m != nil {
		n, _ = strconv.ParseFloat(strings.ReplaceAll(m[1], ",", "")+m[2], 64) // digits and a point
		n *= times[m[3]]
	} else if i := slices.Index(numerals, p.tokens[p.at].lower); i >= 0 {
		n = float64(i)
	} else {
		return "", false
	}
	p.at++
	n *= p.factor(times)
	if days := p.factor(dayWords); days != 1 {
		n = math.Round(100*n*days) / 100 // as the days of files' values are
	}
	p.takeAny("dollars", "euros", "pounds", "usd", "eur", "gbp")
	return strconv.FormatFloat(n, 'f', -1, 64), true
}

// factor consumes a word that multiplies a number: 1 where there is none.
func (p *parser) factor(words map[string]float64) float64 {
	if p.at == len(p.tokens) {
		return 1
	}
	n, ok := words[p.tokens[p.at].lower]
	if !ok {
		return 1
	}
	p.at++
	return n
}

// isPeriod reports whether a period begins here, and consumes it.
func (p *parser) isPeriod() bool {
	periods := len(p.periods)
	_, ok := p.period()
	p.periods = p.periods[:periods]
	return ok
}

// period is for "last quarter", "in the next 90 days", "in 2021", "before 1
// May 2027".
func (p *parser) period() (string, bool) {
	add := func(meaning string, list ...Filter) (string, bool) {
		p.periods = append(p.periods, list)
		return meaning, true
	}
	from := func(v string) Filter { return Filter{Op: AtLeast, Values: []string{v}} }
	to := func(v string) Filter { return Filter{Op: AtMost, Values: []string{v}} }
	before := func(v string) Filter { return Filter{Op: Below, Values: []string{v}} }
	if p.take("today") {
		return add("today", from("today"), to("today"))
	}
	if p.take("yesterday") {
		return add("yesterday", from("today-1d"), to("today-1d"))
	}
	start := p.at
	p.takeAny("in the", "within the", "during the", "over the", "for the", "in", "within", "during", "the")
	if p.takeAny("this", "current") {
		if b, ok := p.unit(); ok && b != Day {
			return add("this "+string(b), from(string(b)), before(string(b)+"+1"))
		}
		return "", false
	}
	ahead := p.takeAny("next", "coming", "following", "upcoming")
	if ahead || p.takeAny("last", "past", "previous") {
		n, counted := p.count()
		b, ok := p.unit()
		switch {
		case !ok || counted && (n < 1 || n > 9999):
			return "", false
		case counted && ahead:
			return add(lasting("the next", n, b), from("today"), to("today+"+span(n, b)))
		case counted:
			return add(lasting("the last", n, b), from("today-"+span(n, b)), to("today"))
		case b == Day:
			return "", false
		case ahead:
			return add("the next "+string(b), from(string(b)+"+1"), before(string(b)+"+2"))
		default:
			return add("the last "+string(b), from(string(b)+"-1"), before(string(b)))
		}
	}
	p.at = start
	switch {
	case p.takeAny("in", "during", "of"):
		if first, next, ok := p.date(); ok {
			return add("from "+first+" to before "+next, from(first), before(next))
		}
	case p.takeAny("before", "until", "prior to"):
		if first, _, ok := p.date(); ok {
			return add("before "+first, before(first))
		}
	case p.takeAny("after"):
		if _, next, ok := p.date(); ok {
			return add("from "+next, from(next))
		}
	case p.takeAny("since", "from"):
		start := p.at
		if first, next, ok := p.between("to", "until", "through"); ok {
			return add("from "+first+" to before "+next, from(first), before(next))
		}
		p.at = start
		if first, _, ok := p.date(); ok {
			return add("from "+first, from(first))
		}
	case p.take("between"):
		if first, next, ok := p.between("and"); ok {
			return add("from "+first+" to before "+next, from(first), before(next))
		}
	}
	return "", false
}

// between consumes two dates with a word between them, and gives the first day
// and the first after the last. January is of the same year as March 2026 in
// "between January and March 2026".
func (p *parser) between(joints ...string) (first, next string, ok bool) {
	start := p.at
	first, _, dated := p.date()
	for !dated && p.at < len(p.tokens) && !slices.Contains(joints, p.tokens[p.at].lower) {
		p.at++
	}
	words := p.words(start, p.at)
	if !p.takeAny(joints...) {
		return "", "", false
	}
	_, next, ok = p.date()
	if ok && !dated {
		first, _, ok = parseDate(words + " " + p.tokens[p.at-1].word)
	}
	return first, next, ok
}

func lasting(which string, n int, b Bucket) string {
	return which + " " + strconv.Itoa(n) + " " + string(b) + "s"
}

// span is n units as relative dates have them.
func span(n int, b Bucket) string {
	if b == Quarter {
		return strconv.Itoa(3*n) + "m"
	}
	return strconv.Itoa(n) + string(b)[:1]
}

// dateForms are the ways to write a day, a month and a year, with how long that
// lasts.
var dateForms = []struct {
	layout              string
	years, months, days int
}{
	{"2006-01-02", 0, 0, 1}, {"January 2, 2006", 0, 0, 1}, {"January 2 2006", 0, 0, 1}, {"2 January 2006", 0, 0, 1}, {"Jan 2, 2006", 0, 0, 1}, {"2 Jan 2006", 0, 0, 1},
	{"January 2006", 0, 1, 0}, {"Jan 2006", 0, 1, 0}, {"2006-01", 0, 1, 0}, {"2006", 1, 0, 0},
}

// date consumes a date, and gives its first day and the first after it.
func (p *parser) date() (first, next string, ok bool) {
	for length := min(4, len(p.tokens)-p.at); length > 0; length-- {
		if first, next, ok = parseDate(p.words(p.at, p.at+length)); ok {
			p.at += length
			return first, next, true
		}
	}
	return "", "", false
}

// words are tokens with single spaces, as dates have them.
func (p *parser) words(from, to int) string {
	words := make([]string, to-from)
	for i, t := range p.tokens[from:to] {
		words[i] = t.word
	}
	return strings.ReplaceAll(strings.Join(words, " "), " , ", ", ")
}

func parseDate(text string) (first, next string, ok bool) {
	for _, form := range dateForms {
		at, err := time.Parse(form.layout, text)
		if err == nil && at.Year() >= 1900 && at.Year() <= 2200 {
			return at.Format(time.DateOnly), at.AddDate(form.years, form.months, form.days).Format(time.DateOnly), true
		}
	}
	return "", "", false
}

package query

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// What is here are the rules for figures of figures, "average number of contracts per counterparty",
// and for questions that ask for two figures or for how one changes.

// acrossGroups has one figure made of those of all groups, which "average" or "the most" ask for where
// rows are counted: "average number of contracts per counterparty". Of a month without any nothing is
// known, which is said.
func (p *parser) acrossGroups(q *Query) bool {
	timed := len(p.timed) > 0
	if p.metric != "" || len(p.groups) > 1 || timed == (len(p.groups) == 1) || !slices.Contains([]MetricOp{Avg, Median, Max, Min}, p.op) || !p.countsRows() || p.sharing != notShared || p.having != nil {
		return false
	}
	named := cmp.Or(p.averaged, p.opWord)
	of := "those of each " + string(cmp.Or(p.bucket, Month)) + " that has any"
	if !timed {
		if d, _ := Lookup(p.groups[0]); d.Kind != Date {
			of = "those of each " + d.Label
		}
	}
	q.Across = p.op
	p.understood = append(p.understood, Understood{named, "of the figures that are counted, the " + map[MetricOp]string{Avg: "average", Median: "median", Max: "greatest", Min: "least"}[p.op] + " of " + of})
	return true
}

// countsRows reports whether the rows themselves are what a figure is of: "average number of NDAs",
// "average contracts".
func (p *parser) countsRows() bool {
	if p.counted || p.averaged != "" && (p.source != "" || slices.ContainsFunc(p.filters, func(f Filter) bool { return f.Field == DocumentType })) { // "NDAs per month on average"
		return true
	}
	at := slices.IndexFunc(p.tokens, func(t token) bool { return t.word == p.opWord })
	return at >= 0 && at+1 < len(p.tokens) && isRows(p.tokens[at+1]) && p.plural(at+1)
}

// figureWords are what figures are asked for by, of which a question has one.
var figureWords = strings.Fields("count number average mean avg median total sum maximum max minimum min highest lowest longest shortest largest smallest biggest latest earliest")

// mostFigures bounds how many figures of a question are left out.
const mostFigures = 4

// oneFigure leaves out all but the first of several figures that are asked for at once, "average and maximum
// value" or "number of leases and average rent", and says how to ask for each of them.
func (p *parser) oneFigure([]int) (said []Understood, mended bool) {
	for range mostFigures {
		u, ok := p.leaveOut()
		if !ok {
			break
		}
		said = append(said, u)
	}
	return said, len(said) > 0
}

// leaveOut leaves out the last of several figures.
func (p *parser) leaveOut() (Understood, bool) {
	for joint := len(p.tokens) - 2; joint > 0; joint-- {
		if !p.isJoint(joint) {
			continue
		}
		before, second, end := p.figureBehind(joint), p.beyond(joint+1), 0
		if before < 0 || !p.isFigure(second) || p.tokens[second].lower == "how" { // "and how many are still active" says more of them
			continue
		}
		begun := p.figureEnd(before, false)
		switch counts := p.countsAt(before); {
		case begun > before+1 && !counts: // it has a field of its own, as the second has then, or counts
			if end = p.figureEnd(second, true); end == second+1 && !p.countsAt(second) {
				continue
			}
		case counts:
			end = p.figureEnd(second, true)
		default: // both are of the field that follows
			end = second + 1
		}
		first := before // of all figures
		for at := first - 1; at > 0; at-- {
			if earlier := p.figureBehind(at); p.isJoint(at) && earlier >= 0 && p.beyond(at+1) == first {
				first, at = earlier, earlier
			}
		}
		rows := ""
		if p.countsAt(first) {
			counted := p.figureEnd(first, false)
			if next := slices.IndexFunc(p.tokens[counted:], func(t token) bool { return t.lower == "and" || t.lower == "," }); next > 0 && counted+next <= joint {
				rows = "of " + wordsOf(p.tokens[counted:counted+next])
				if end < len(p.tokens) && !ofBoth[p.tokens[end].lower] {
					continue // what follows is of the second alone
				}
			}
		}
		other := strings.Join(strings.Fields(strings.Join([]string{wordsOf(p.tokens[:first]), wordsOf(p.tokens[second:end]), rows, wordsOf(p.tokens[end:])}, " ")), " ")
		question := newParser(other, p.vocabulary)
		question.found = p.found
		if question.read(); len(question.unknown) > 0 {
			continue
		}
		said := Understood{p.phrase(joint, end), `a further figure, which is not in this answer; ask for it by itself: "` + other + `"`}
		p.tokens = slices.Concat(p.tokens[:joint], p.tokens[end:])
		return said, true
	}
	return Understood{}, false
}

// isJoint reports whether a token joins two figures.
func (p *parser) isJoint(at int) bool {
	return !p.tokens[at].quoted && slices.Contains([]string{"and", "plus", ",", "vs", "versus"}, p.tokens[at].lower)
}

// ofBoth are words that begin what is said of both of two figures.
var ofBoth = map[string]bool{"by": true, "per": true, "each": true, "every": true, "grouped": true, "split": true, "in": true, "from": true, "since": true, "last": true, "this": true, "signed": true, "during": true, "between": true}

// isFigure reports whether a figure is asked for at a token.
func (p *parser) isFigure(at int) bool {
	return at < len(p.tokens) && !p.tokens[at].quoted && (slices.Contains(figureWords, p.tokens[at].lower) || p.countsAt(at))
}

// countsAt reports whether rows are counted from a token on.
func (p *parser) countsAt(at int) bool {
	if at+1 < len(p.tokens) && p.tokens[at].lower == "how" && p.tokens[at+1].lower == "many" {
		return true
	}
	return slices.Contains([]string{"count", "number"}, p.tokens[at].lower)
}

// figureBehind is where the figure begins that stands before a token, -1 where there is none.
func (p *parser) figureBehind(joint int) int {
	for at := joint - 1; at >= 0; at-- {
		if p.tokens[at].lower == "many" {
			continue
		}
		if p.isFigure(at) {
			return at
		}
	}
	return -1
}

// figureEnd is the token behind a figure, or behind the field that it is of, or the rows that it counts.
func (p *parser) figureEnd(at int, rows bool) int {
	ahead := p.again()
	ahead.at = at + 1
	if ahead.takeAny("many", "of", "number of"); ahead.at == len(p.tokens) {
		return at + 1
	}
	start := ahead.at
	if p.countsAt(at) {
		if rows && (ahead.nouns(false) || ahead.called(ahead.types) != nil) {
			return ahead.at
		}
		return start
	}
	if d, ok := ahead.field(); ok && d.Kind != Enum {
		return ahead.at
	}
	return at + 1
}

// beyond is the first token from one on that says more than how a figure is asked for.
func (p *parser) beyond(at int) int {
	for at < len(p.tokens) && slices.Contains([]string{"the", "their", "our", "its", "in", "also", "what", "is", "are", "a"}, p.tokens[at].lower) {
		at++
	}
	return at
}

// wordsOf are tokens as they were written.
func wordsOf(tokens []token) string {
	words := make([]string, len(tokens))
	for i, t := range tokens {
		if words[i] = t.word; t.quoted {
			words[i] = strconv.Quote(t.word)
		}
	}
	return strings.Join(words, " ")
}

// mostInOne is for "most contracts signed in a single month": the greatest of the figures of each.
func (p *parser) mostInOne() (string, bool) {
	if p.op != "" || len(p.groups)+len(p.timed) > 0 || len(p.understood) > 0 {
		return "", false
	}
	p.takeAny("what is the", "what was the", "the", "our")
	start := p.at
	op := Max
	if !p.takeAny("most", "highest number of", "largest number of", "greatest number of", "maximum number of", "record number of") {
		if op = Min; !p.takeAny("fewest", "lowest number of", "smallest number of", "minimum number of") {
			return "", false
		}
	}
	for at := p.at; at+2 < len(p.tokens); at++ {
		one := slices.Contains([]string{"single", "one", "any", "given"}, p.tokens[at+1].lower) || at+3 <= len(p.tokens) && p.tokens[at+1].lower == "a"
		last := at + 2
		if p.tokens[at+1].lower == "a" && last+1 < len(p.tokens) && slices.Contains([]string{"single", "given"}, p.tokens[last].lower) {
			last++
		}
		if p.tokens[at].lower == "in" && one && units[p.tokens[last].lower] != "" && (last+1 == len(p.tokens) || p.tokens[last+1].lower != "ago") {
			p.op, p.opWord, p.counted = op, p.phrase(start, p.at), true
			return map[MetricOp]string{Max: "the most", Min: "the fewest"}[op], true
		}
	}
	return "", false
}

// growth is for "year on year change in the number of contracts": the figures side by side.
func (p *parser) growth() (string, bool) {
	start := p.at
	p.takeAny("the", "our")
	b, timed := p.yearOnYear()
	if !p.takeAny("change in", "changes in", "growth in", "growth of", "increase in", "decrease in", "development of", "change of", "trend in", "evolution of", "trend of") || !timed && !p.groupsAhead() || len(p.timed) > 0 {
		p.at = start
		return "", false
	}
	if !timed {
		return "the figures side by side: by how much they change is not reckoned", true
	}
	p.bucket, p.timed = b, append(p.timed, len(p.understood))
	return "per " + string(b) + ", side by side: by how much they change is not reckoned", true
}

// yearOnYear consumes "year on year" and the like.
func (p *parser) yearOnYear() (Bucket, bool) {
	switch {
	case p.takeAny("year-on-year", "year-over-year", "yoy", "y-o-y", "y/y", "annual", "yearly"):
		return Year, true
	case p.takeAny("quarter-on-quarter", "quarter-over-quarter", "qoq", "quarterly"):
		return Quarter, true
	case p.takeAny("month-on-month", "month-over-month", "mom", "monthly"):
		return Month, true
	}
	if start := p.at; p.unitByUnit(start) {
		return units[p.tokens[start].lower], true
	}
	return "", false
}

package search

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/clausemill/clausemill/fault"
)

// group is terms that an operator joins.
type group struct {
	op    operator
	parts []term
	near  int // words from one to the other, of two parts that are near
}

type operator string

// The operators, in capitals as they are typed. Two words beside each other are
// joined by and.
const (
	opAnd  operator = "AND"
	opOr   operator = "OR"
	opNot  operator = "NOT"
	opNear operator = "NEAR/"
)

// The bounds of an expression. NEAR/n is asked of Postgres as one phrase for each
// distance, so that many of them, or such of long phrases, would take it minutes.
const (
	mostNear    = 50
	mostDepth   = 10
	mostNearing = 500 // distances times words
)

// leaves are the words and phrases of terms. What is excluded within something that
// is excluded is not.
func leaves(terms []term) []term {
	var list []term
	for _, t := range terms {
		if t.group == nil {
			list = append(list, t)
			continue
		}
		for _, leaf := range leaves(t.group.parts) {
			leaf.not = leaf.not != t.not
			list = append(list, leaf)
		}
	}
	return list
}

// piece is a word of what was typed, a phrase, an operator or a parenthesis.
type piece struct {
	op   operator // "(" and ")" for parentheses; "" for words
	term term
	near int
}

var nearness = regexp.MustCompile(`^NEAR/(.*)$`)

// isExpression reports whether text has an operator. Only then parentheses group, and
// a text that was copied out of a contract is what it was. So is a heading: where all is
// in capitals and words stand beside each other, AND is one of them.
func isExpression(text string) bool {
	quoted := false
	operators, beside, small, capitals, last := false, false, false, false, ""
	for _, word := range strings.FieldsFunc(strings.Map(func(r rune) rune {
		if isQuote(r) {
			quoted = !quoted
			return ' '
		}
		if quoted {
			return '"'
		}
		return r
	}, text), func(r rune) bool { return unicode.IsSpace(r) || r == '(' || r == ')' }) {
		op := operator(word)
		switch {
		case nearness.MatchString(word):
			return true
		case op == opAnd || op == opOr || op == opNot:
			operators, last = true, ""
		case word[0] != '"':
			small, capitals = small || strings.ToUpper(word) != word, capitals || strings.ToLower(word) != word
			beside = beside || last != ""
			last = word
		}
	}
	heading := beside && capitals && !small
	return operators && !heading
}

// pieces cuts an expression up. What is quoted and no word has no words. While it is
// being typed, its last word may be an operator to be.
func pieces(text string, typing bool) ([]piece, error) {
	var list []piece
	rest := []rune(text)
	for len(rest) > 0 {
		switch r := rest[0]; {
		case unicode.IsSpace(r):
			rest = rest[1:]
			continue
		case r == '(' || r == ')':
			list = append(list, piece{op: operator(r)})
			rest = rest[1:]
			continue
		case r == '-' && len(rest) > 1 && !unicode.IsSpace(rest[1]) && rest[1] != ')':
			list = append(list, piece{op: opNot})
			rest = rest[1:]
			continue
		}
		var t term
		var end, next int
		if isQuote(rest[0]) {
			t.quoted = true
			rest = rest[1:]
			end = indexFunc(rest, isQuote)
			next = min(end+1, len(rest))
		} else {
			end = indexFunc(rest, func(r rune) bool { return unicode.IsSpace(r) || isQuote(r) || r == '(' || r == ')' })
			next = end
		}
		word := string(rest[:end])
		rest = rest[next:]
		if !t.quoted {
			op, err := operatorOf(word)
			if err != nil && (!typing || strings.TrimSpace(string(rest)) != "") {
				return nil, err
			}
			if op.op != "" {
				list = append(list, op)
				continue
			}
		}
		t.words = Words(word)
		list = append(list, piece{term: t})
	}
	return list, nil
}

// ended is pieces without a tail that is no part of an expression. While a text is being
// typed these are operators, parentheses that are opened, and what is no word; the others
// close at the end. Else it is one operator behind a word: it is a word, as in
// Portland, OR.
func ended(list []piece, typing bool) []piece {
	operates := func(p piece) bool { return p.op != "" && p.op != ")" }
	if !typing {
		last := len(list) - 1
		if is := list[last].op; (is == opAnd || is == opOr || is == opNot) && (last == 0 || !operates(list[last-1])) {
			list[last] = piece{term: term{words: Words(string(is)), beside: true}}
		}
		return list
	}
	for last := len(list) - 1; last >= 0 && (operates(list[last]) || list[last].op == "" && list[last].term.empty()); last-- {
		list = list[:last]
	}
	open := 0
	for _, p := range list {
		switch p.op { //nolint:exhaustive // only these nest
		case "(":
			open++
		case ")":
			open--
		}
	}
	for range open {
		list = append(list, piece{op: ")"})
	}
	return list
}

// operatorOf is the operator that a word is, if it is one.
func operatorOf(word string) (piece, error) {
	if op := operator(word); op == opAnd || op == opOr || op == opNot {
		return piece{op: op}, nil
	}
	m := nearness.FindStringSubmatch(word)
	if m == nil {
		return piece{}, nil
	}
	n, err := strconv.Atoi(m[1])
	if err != nil || n < 1 || n > mostNear {
		return piece{op: opNear, near: 1}, fault.Newf(fault.Invalid, "NEAR/ is followed by a number of words from 1 to %d, as in NEAR/5", mostNear)
	}
	return piece{op: opNear, near: n}, nil
}

// parser reads the pieces of an expression, by descent: NOT binds closest, then
// NEAR/n, then AND, then OR.
type parser struct {
	left    []piece
	words   int // and phrases that were read
	nearing int // of mostNearing
	depth   int
}

// parseExpression reads an expression as the terms that must all hold. It is Invalid,
// with the reason, where it is none. While it is being typed, its end is none, and cut
// reports that it was left out.
func parseExpression(text string, typing bool) (terms []term, cut bool, err error) {
	list, err := pieces(text, typing)
	if err != nil || len(list) == 0 {
		return nil, false, err
	}
	before := len(list)
	list = ended(list, typing)
	cut = len(list) < before
	if len(list) == 0 || !cut && !slices.ContainsFunc(list, func(p piece) bool { return p.op != "" && p.op != "(" && p.op != ")" }) {
		return parseWords(text), cut, nil
	}
	p := &parser{left: list}
	t, err := p.or()
	switch {
	case err != nil:
		return nil, cut, err
	case len(p.left) > 0:
		return nil, cut, fault.New(fault.Invalid, "a parenthesis is closed that was not opened")
	case t.empty():
		return nil, cut, nil
	case t.group != nil && t.group.op == opAnd && !t.not:
		return t.group.parts, cut, nil
	}
	return []term{t}, cut, nil
}

// single reports whether t is one word as it was typed, without quotes or synonyms.
func (t term) single() bool {
	return t.group == nil && !t.quoted && len(t.words) == 1 && len(t.others) == 0
}

// empty reports whether t has no words.
func (t term) empty() bool { return t.group == nil && len(t.words) == 0 }

func (p *parser) next() operator {
	if len(p.left) == 0 {
		return ")"
	}
	return p.left[0].op
}

func (p *parser) take() piece {
	first := p.left[0]
	p.left = p.left[1:]
	return first
}

func (p *parser) or() (term, error) {
	if p.depth++; p.depth > mostDepth {
		return term{}, fault.Newf(fault.Invalid, "a search may have %d parentheses in one another", mostDepth)
	}
	defer func() { p.depth-- }()
	parts, err := p.list(p.and, func() bool {
		if p.next() != opOr {
			return false
		}
		p.take()
		return true
	})
	return joined(opOr, parts), err
}

func (p *parser) and() (term, error) {
	var parts []term
	for beside := false; ; {
		t, err := p.near()
		if err != nil {
			return term{}, err
		}
		t.beside = beside
		parts = append(parts, t)
		switch p.next() { //nolint:exhaustive // the others begin a part
		case opAnd:
			p.take()
			beside = false
		case ")", opOr:
			return joined(opAnd, parts), nil
		default:
			beside = true
		}
	}
}

// near reads words and phrases that are near one another: each to the next.
func (p *parser) near() (term, error) {
	last, err := p.one()
	if err != nil || p.next() != opNear {
		return last, err
	}
	var parts []term
	for p.next() == opNear {
		n := p.take().near
		t, err := p.one()
		if err != nil {
			return term{}, err
		}
		for _, side := range []term{last, t} {
			if side.group != nil || side.not {
				return term{}, fault.New(fault.Invalid, "NEAR/n stands between two words or quoted phrases")
			}
		}
		if p.nearing += n * (len(last.words) + len(t.words)); p.nearing > mostNearing {
			return term{}, fault.New(fault.Invalid, "NEAR/n takes too long over so many words; use smaller distances or fewer words")
		}
		switch {
		case last.empty():
			parts = append(parts, t)
		case t.empty():
			parts = append(parts, last)
		default:
			parts = append(parts, term{group: &group{op: opNear, parts: []term{last, t}, near: n}})
		}
		last = t
	}
	return joined(opAnd, parts), nil
}

func (p *parser) one() (term, error) {
	if len(p.left) == 0 {
		return term{}, fault.New(fault.Invalid, "AND, OR, NOT and NEAR/n are followed by a word; quote them to look for them as words")
	}
	switch first := p.take(); first.op { //nolint:exhaustive // the others need a word before them
	case "":
		if p.words++; p.words > MaxTerms {
			return term{}, fault.Newf(fault.Invalid, "a search with operators may have %d words and phrases", MaxTerms)
		}
		return first.term, nil
	case opNot:
		if p.next() == opNot {
			p.take()
			return p.one() // what is excluded twice is meant
		}
		t, err := p.one()
		t.not = !t.not
		return t, err
	case "(":
		t, err := p.or()
		if err != nil {
			return term{}, err
		}
		if len(p.left) == 0 {
			return term{}, fault.New(fault.Invalid, "a parenthesis is not closed")
		}
		p.take()
		return t, nil
	case ")":
		return term{}, fault.New(fault.Invalid, "a parenthesis is closed where a word is missing")
	default:
		return term{}, fault.Newf(fault.Invalid, "%s needs a word before it; quote it to look for it as a word", strings.TrimSuffix(string(first.op), "/"))
	}
}

// list reads parts for as long as more says that another follows.
func (p *parser) list(part func() (term, error), more func() bool) ([]term, error) {
	var parts []term
	for {
		t, err := part()
		if err != nil {
			return nil, err
		}
		parts = append(parts, t)
		if !more() {
			return parts, nil
		}
	}
}

// joined is terms that an operator joins, without parentheses that make no difference
// and without what is no word.
func joined(op operator, parts []term) term {
	parts = slices.DeleteFunc(parts, term.empty)
	switch len(parts) {
	case 0:
		return term{}
	case 1:
		return parts[0]
	}
	var flat []term
	for _, t := range parts {
		if t.group != nil && t.group.op == op && !t.not && op != opNear {
			flat = append(flat, t.group.parts...)
		} else {
			flat = append(flat, t)
		}
	}
	return term{group: &group{op: op, parts: flat}}
}

// anywhere is t with words near each other wherever they are.
func (t term) anywhere() term {
	if t.group == nil {
		return t
	}
	g := group{op: t.group.op}
	if g.op == opNear {
		g.op = opAnd
	}
	for _, part := range t.group.parts {
		g.parts = append(g.parts, part.anywhere())
	}
	t.group = &g
	return t
}

// asserts reports whether t can hold only of what has a word of it.
func (t term) asserts(excluded bool) bool {
	excluded = excluded != t.not
	switch {
	case t.group == nil || t.group.op == opNear:
		return !excluded
	case (t.group.op == opOr) != excluded:
		return !slices.ContainsFunc(t.group.parts, func(part term) bool { return !part.asserts(excluded) })
	default:
		return slices.ContainsFunc(t.group.parts, func(part term) bool { return part.asserts(excluded) })
	}
}

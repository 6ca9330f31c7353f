package search

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// term is a word or a phrase of a query, or terms in parentheses.
type term struct {
	words  []string // as typed, lower case; at least one
	quoted bool     // as they are: no other spelling will do
	not    bool     // must be absent
	group  *group   // in the place of words
	beside bool     // it follows the one before without an operator

	// others are synonyms: any of them matches as well. One of several words matches
	// as a phrase.
	others [][]string
}

// withSynonyms joins terms beside each other that make up a member of a group of
// synonyms, and adds the other members as alternatives. Quoted and excluded terms are
// left unchanged.
func withSynonyms(terms []term, groups [][]string) []term {
	if len(groups) == 0 {
		return terms
	}
	members := map[string][]string{} // to their group
	longest := 1
	for _, group := range groups {
		for _, m := range group {
			members[fold(m)] = append(members[fold(m)], group...)
			longest = max(longest, len(Words(m)))
		}
	}
	var list []term
	for at := 0; at < len(terms); at++ {
		joined := terms[at]
		for n := min(longest, len(terms)-at); n > 0; n-- {
			var whole term
			plain := true
			whole.beside = terms[at].beside
			for i, t := range terms[at : at+n] {
				plain = plain && !t.quoted && !t.not && t.group == nil && (i == 0 || t.beside)
				whole.words = append(whole.words, t.words...)
			}
			member := fold(strings.Join(whole.words, " "))
			group, ok := members[member]
			if !plain || !ok {
				continue
			}
			for _, other := range group {
				if words := Words(other); fold(other) != member && !slices.ContainsFunc(whole.others, func(o []string) bool { return slices.Equal(o, words) }) {
					whole.others = append(whole.others, words)
				}
			}
			joined, at = whole, at+n-1
			break
		}
		if inner := joined.group; inner != nil && !joined.not {
			apart := *inner
			apart.parts = nil
			if inner.op == opAnd {
				apart.parts = withSynonyms(inner.parts, groups)
			} else {
				for _, part := range inner.parts {
					apart.parts = append(apart.parts, withSynonyms([]term{part}, groups)...)
				}
			}
			joined.group = &apart
		}
		list = append(list, joined)
	}
	return list
}

// parse reads what was typed: with an operator in it an expression, which is Invalid
// where it is not well formed. Anything else is accepted: quotes that are not closed
// close at the end, and what is no word only separates.
//
// While it is being typed, the end of an expression is not read, which cut reports.
func parse(text string, typing bool) (terms []term, cut bool, err error) {
	if isExpression(text) {
		return parseExpression(text, typing)
	}
	return parseWords(text), false, nil
}

func parseWords(text string) []term {
	var terms []term
	rest := []rune(text)
	for len(rest) > 0 && len(terms) < MaxTerms {
		if unicode.IsSpace(rest[0]) {
			rest = rest[1:]
			continue
		}
		t := term{beside: len(terms) > 0}
		if rest[0] == '-' && len(rest) > 1 && !unicode.IsSpace(rest[1]) {
			t.not = true
			rest = rest[1:]
		}
		end, next := 0, 0
		if isQuote(rest[0]) {
			t.quoted = true
			rest = rest[1:]
			end = indexFunc(rest, isQuote)
			next = min(end+1, len(rest))
		} else {
			end = indexFunc(rest, func(r rune) bool { return unicode.IsSpace(r) || isQuote(r) })
			next = end
		}
		// What is typed without a space, like 10.1 or non-compete, is a phrase.
		t.words = Words(string(rest[:end]))
		rest = rest[next:]
		if len(t.words) > 0 {
			terms = append(terms, t)
		}
	}
	return terms
}

// Words cuts text into its words, in lower case: runs of letters, digits and the
// marks on them. An accent on nothing is no word.
func Words(text string) []string {
	list := strings.FieldsFunc(text, func(r rune) bool { return !isWord(r) })
	for i, w := range list {
		list[i] = strings.ToLower(w)
	}
	return slices.DeleteFunc(list, func(w string) bool { return fold(w) == "" })
}

// accents are the marks that the function unaccented of the database takes away.
var accents = &unicode.RangeTable{R16: []unicode.Range16{
	{Lo: 0x0300, Hi: 0x036f, Stride: 1}, {Lo: 0x1ab0, Hi: 0x1aff, Stride: 1}, {Lo: 0x1dc0, Hi: 0x1dff, Stride: 1},
	{Lo: 0x20d0, Hi: 0x20ff, Stride: 1}, {Lo: 0xfe20, Hi: 0xfe2f, Stride: 1},
}}

// fold makes one of the ways to write a word, the one that the index has: lower
// case, without accents.
func fold(word string) string {
	word = strings.ToLower(word)
	if !strings.ContainsFunc(word, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return word
	}
	return norm.NFC.String(strings.Map(func(r rune) rune {
		if unicode.Is(accents, r) {
			return -1
		}
		return r
	}, norm.NFD.String(word)))
}

func isWord(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r|0x20 && r|0x20 <= 'z' || '0' <= r && r <= '9'
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

func isQuote(r rune) bool {
	return r == '"' || r == '“' || r == '”' || r == '„' || r == '«' || r == '»'
}

// indexFunc is the place of the first rune that satisfies is, or the length.
func indexFunc(text []rune, is func(rune) bool) int {
	for i, r := range text {
		if is(r) {
			return i
		}
	}
	return len(text)
}

// String is the term as it could have been typed.
func (t term) String() string {
	if t.group != nil {
		return t.group.String(t.not)
	}
	s := strings.Join(t.words, "-")
	if t.quoted {
		s = `"` + strings.Join(t.words, " ") + `"`
	}
	if t.not {
		s = "-" + s
	}
	return s
}

func (g *group) String(excluded bool) string {
	op := string(g.op)
	if g.op == opNear {
		op += strconv.Itoa(g.near)
	}
	parts := make([]string, len(g.parts))
	for i, t := range g.parts {
		parts[i] = t.String()
	}
	s := "(" + strings.Join(parts, " "+op+" ") + ")"
	if excluded {
		s = "-" + s
	}
	return s
}

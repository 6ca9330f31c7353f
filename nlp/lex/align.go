package lex

import (
	"slices"
	"unicode"
)

// Alignment is where a text is in the one that it was read from, in which what is not
// seen differs, and some marks are left out.
type Alignment struct {
	given []rune
	at    []int // for each code point of the text that was read, its place in given
	pages []int // where the pages after the first begin in given
}

// Align finds read in given: its visible characters, in their order.
func Align(read, given string) *Alignment {
	a := &Alignment{given: []rune(given), at: make([]int, 0, len(read))}
	for i, r := range a.given {
		if r == '\f' {
			a.pages = append(a.pages, i+1)
		}
	}
	next := 0
	for _, r := range read {
		at := next
		if !unicode.IsSpace(r) {
			for at < len(a.given) && a.given[at] != r {
				at++
			}
			next = min(at+1, len(a.given))
		}
		a.at = append(a.at, at)
	}
	return a
}

// Span is where a span of the text that was read is in the given one. The span begins and
// ends with what is visible.
func (a *Alignment) Span(s Span) Span {
	if s.Start >= s.End {
		return Span{}
	}
	return Span{Start: a.at[s.Start], End: min(a.at[s.End-1]+1, len(a.given))}
}

// Quote is a span of the given text.
func (a *Alignment) Quote(s Span) string { return string(a.given[s.Start:s.End]) }

// Page is the number of the page where a span of the given text begins. A form feed ends
// a page.
func (a *Alignment) Page(s Span) int {
	before, _ := slices.BinarySearch(a.pages, s.Start+1)
	return before + 1
}

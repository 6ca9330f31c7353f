package redline

import (
	"strings"
	"unicode"
)

// A Hunk is a difference between two texts: old[Start:End] becomes Text.
// Positions are code points.
type Hunk struct {
	Start, End int
	Text       string
}

// Diff compares two texts word by word. What both have in common is in no hunk;
// hunks are in order and do not touch. Each of atoms counts as one word in both
// texts.
func Diff(old, new string, atoms ...string) []Hunk {
	a, b := words(old, atoms), words(new, atoms)
	same := common(a, b)
	var hunks []Hunk
	at, i, j := 0, 0, 0
	advance := func(to int) int {
		n := 0
		for ; i < to; i++ {
			n += len([]rune(a[i]))
		}
		return n
	}
	for _, pair := range append(same, match{len(a), len(b)}) {
		gone := advance(pair.a)
		text := strings.Join(b[j:pair.b], "")
		if gone > 0 || text != "" {
			hunks = append(hunks, Hunk{at, at + gone, text})
		}
		at += gone
		if pair.a < len(a) {
			at += len([]rune(a[pair.a]))
			i = pair.a + 1
		}
		j = pair.b + 1
	}
	return hunks
}

// words cuts a text into words, blanks and single other characters.
func words(text string, atoms []string) []string {
	var out []string
	for text != "" {
		n := atomLength(text, atoms)
		if n == 0 {
			n = wordLength(text)
		}
		out = append(out, text[:n])
		text = text[n:]
	}
	return out
}

func atomLength(text string, atoms []string) int {
	longest := 0
	for _, atom := range atoms {
		if len(atom) > longest && strings.HasPrefix(text, atom) {
			longest = len(atom)
		}
	}
	return longest
}

// wordLength is the length in bytes of the first word: letters and digits, with
// apostrophes and with points and commas between digits.
func wordLength(text string) int {
	var first, before rune
	for i, r := range text {
		switch {
		case i == 0:
			first = r
		case isWord(first) && (isWord(r) || joins(before, r, text[i:])):
		default:
			return i
		}
		if i == 0 && !isWord(r) {
			return len(string(r))
		}
		before = r
	}
	return len(text)
}

func isWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '_'
}

// joins reports whether r holds two parts of one word together.
func joins(before, r rune, rest string) bool {
	after := []rune(rest[:min(len(rest), 8)])
	if len(after) < 2 {
		return false
	}
	switch r {
	case '\'', '’':
		return unicode.IsLetter(before) && unicode.IsLetter(after[1])
	case '.', ',':
		return unicode.IsDigit(before) && unicode.IsDigit(after[1])
	default:
		return false
	}
}

// A match pairs equal items of two sequences.
type match struct{ a, b int }

// maxTable bounds the work on a stretch without unique items in common.
const maxTable = 4 << 20

// common finds a longest common subsequence of two sequences, exactly wherever
// that is affordable. Stretches beyond that are cut at what occurs once in both.
func common[T comparable](a, b []T) []match {
	var out []match
	var within func(a0, a1, b0, b1 int)
	within = func(a0, a1, b0, b1 int) {
		for a0 < a1 && b0 < b1 && a[a0] == b[b0] {
			out = append(out, match{a0, b0})
			a0, b0 = a0+1, b0+1
		}
		tail := 0
		for a0 < a1-tail && b0 < b1-tail && a[a1-1-tail] == b[b1-1-tail] {
			tail++
		}
		a1, b1 = a1-tail, b1-tail
		switch {
		case a0 == a1 || b0 == b1:
		case (a1-a0)*(b1-b0) <= maxTable:
			for _, m := range longest(a[a0:a1], b[b0:b1]) {
				out = append(out, match{a0 + m.a, b0 + m.b})
			}
		default:
			fromA, fromB := a0, b0
			for _, m := range unique(a[a0:a1], b[b0:b1]) {
				within(fromA, a0+m.a, fromB, b0+m.b)
				out = append(out, match{a0 + m.a, b0 + m.b})
				fromA, fromB = a0+m.a+1, b0+m.b+1
			}
			if fromA > a0 {
				within(fromA, a1, fromB, b1)
			}
		}
		for i := range tail {
			out = append(out, match{a1 + i, b1 + i})
		}
	}
	within(0, len(a), 0, len(b))
	return out
}

// longest is the textbook table.
func longest[T comparable](a, b []T) []match {
	width := len(b) + 1
	table := make([]int32, (len(a)+1)*width)
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				table[i*width+j] = table[(i+1)*width+j+1] + 1
			} else {
				table[i*width+j] = max(table[(i+1)*width+j], table[i*width+j+1])
			}
		}
	}
	var out []match
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			out = append(out, match{i, j})
			i, j = i+1, j+1
		case table[(i+1)*width+j] >= table[i*width+j+1]:
			i++
		default:
			j++
		}
	}
	return out
}

// unique pairs the items that occur once in both, as far as they keep their
// order: the longest such row, by patience sorting.
func unique[T comparable](a, b []T) []match {
	type seen struct{ a, b, at, bt int }
	count := map[T]*seen{}
	for i, x := range a {
		s := count[x]
		if s == nil {
			s = &seen{}
			count[x] = s
		}
		s.a, s.at = s.a+1, i
	}
	for j, x := range b {
		if s := count[x]; s != nil {
			s.b, s.bt = s.b+1, j
		}
	}
	var piles []int // index into all of the top of each pile
	var all []match
	var before []int
	for i, x := range a {
		s := count[x]
		if s.a != 1 || s.b != 1 {
			continue
		}
		low, high := 0, len(piles)
		for low < high {
			middle := (low + high) / 2
			if all[piles[middle]].b < s.bt {
				low = middle + 1
			} else {
				high = middle
			}
		}
		previous := -1
		if low > 0 {
			previous = piles[low-1]
		}
		all, before = append(all, match{i, s.bt}), append(before, previous)
		if low == len(piles) {
			piles = append(piles, 0)
		}
		piles[low] = len(all) - 1
	}
	if len(piles) == 0 {
		return nil
	}
	row := make([]match, len(piles))
	for at, k := piles[len(piles)-1], len(piles)-1; k >= 0; at, k = before[at], k-1 {
		row[k] = all[at]
	}
	return row
}

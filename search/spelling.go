package search

import (
	"slices"
	"strings"
	"unicode"
)

// Words below these lengths are too short to distinguish a misspelling from another
// word at one and at two edits.
const (
	oneEditFrom  = 4
	twoEditsFrom = 8
)

// edits is how many edits a misspelling of word may be away.
func edits(word []rune) int {
	for _, r := range word {
		if !unicode.IsLetter(r) {
			return 0 // a wrong digit is another number
		}
	}
	switch {
	case len(word) >= twoEditsFrom:
		return 2
	case len(word) >= oneEditFrom:
		return 1
	}
	return 0
}

// neighbours lists the spellings one edit away from word: a letter left out,
// added or replaced, or two swapped. It is every candidate for a short word;
// for a long one trigrams find those two edits away.
func neighbours(word []rune) []string {
	letters := []rune("abcdefghijklmnopqrstuvwxyz")
	for _, r := range word {
		if !slices.Contains(letters, r) {
			letters = append(letters, r)
		}
	}
	list := make([]string, 0, (2*len(word)+1)*(len(letters)+1))
	var b strings.Builder
	join := func(before []rune, middle string, after []rune) {
		b.Reset()
		b.WriteString(string(before))
		b.WriteString(middle)
		b.WriteString(string(after))
		list = append(list, b.String())
	}
	for i := range len(word) + 1 {
		for _, r := range letters {
			join(word[:i], string(r), word[i:])
			if i < len(word) && r != word[i] {
				join(word[:i], string(r), word[i+1:])
			}
		}
		if i < len(word) {
			join(word[:i], "", word[i+1:])
		}
		if i+1 < len(word) && word[i] != word[i+1] {
			join(word[:i], string([]rune{word[i+1], word[i]}), word[i+2:])
		}
	}
	return list
}

// Distance is the number of edits between a and b (insertions, deletions,
// replacements and swaps of adjacent letters, none of them edited twice), or
// more than most where it exceeds that.
func Distance(a, b []rune, most int) int {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) > most {
		return most + 1
	}
	last, row, next := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			next[j] = min(row[j]+1, next[j-1]+1, row[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				next[j] = min(next[j], last[j-2]+1)
			}
		}
		last, row, next = row, next, last
	}
	return row[len(b)]
}

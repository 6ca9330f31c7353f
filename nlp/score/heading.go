package score

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode"
)

// Contents is the table of contents that a contract prints.
type Contents struct {
	ID      string  `json:"id"`
	Start   int     `json:"body_start"` // where it ends and the text begins, in code points
	Entries []Entry `json:"toc"`
}

// Entry is a heading as a table of contents lists it.
type Entry struct{ Number, Title string }

// UnmarshalJSON reads number, title and page.
func (e *Entry) UnmarshalJSON(data []byte) error {
	return json.Unmarshal(data, &[]any{&e.Number, &e.Title, new(int)})
}

// key is what two mentions of a heading have in common: the value of the number
// and the first 25 letters of the title.
func (e Entry) key() string {
	letters := []rune(strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, e.Title))
	return sectionNumber(e.Number) + " " + string(letters[:min(len(letters), 25)])
}

// sectionNumber writes a number as the entries have it: "ARTICLE IX" is 9,
// "Section 4.02" is 4.2.
func sectionNumber(label string) string {
	words := strings.Fields(label)
	if len(words) == 0 {
		return ""
	}
	parts := strings.Split(strings.Trim(words[len(words)-1], ".:§"), ".")
	for i, part := range parts {
		if value, err := strconv.Atoi(part); err == nil {
			parts[i] = strconv.Itoa(value)
		} else if value := roman(strings.ToLower(part)); value > 0 {
			parts[i] = strconv.Itoa(value)
		}
	}
	return strings.Join(parts, ".")
}

// roman returns the value of a roman number in small letters, or 0.
func roman(s string) int {
	values := map[byte]int{'i': 1, 'v': 5, 'x': 10, 'l': 50}
	total := 0
	for i := range len(s) {
		value, ok := values[s[i]]
		if !ok {
			return 0
		}
		if i+1 < len(s) && values[s[i+1]] > value {
			value = -value
		}
		total += value
	}
	return total
}

// Headings compares the headings behind tables of contents with their entries. A
// heading counts against precision if it has a number and a title at a depth
// that the table lists. Tables are read by machine and noisy: some list only a
// part of the levels that they seem to, and none the headings of exhibits, so
// that headings are counted as wrong which are there rightly.
func (c *Corpus) Headings() (precision, recall Share) {
	for _, contract := range c.Contracts {
		if contract.Contents == nil {
			continue
		}
		listed, depths := map[string]bool{}, map[int]bool{}
		for _, e := range contract.Contents.Entries {
			listed[e.key()] = true
			depths[strings.Count(e.Number, ".")] = true
		}
		seen := map[string]bool{}
		for _, x := range contract.Text.Sections {
			number := sectionNumber(x.Number)
			if x.Start < contract.Contents.Start || x.Title == "" || number == "" || !unicode.IsDigit(rune(number[0])) || !depths[strings.Count(number, ".")] {
				continue
			}
			key := Entry{x.Number, x.Title}.key()
			seen[key] = true
			precision.add(listed[key])
		}
		for _, e := range contract.Contents.Entries {
			recall.add(seen[e.key()])
		}
	}
	return precision, recall
}

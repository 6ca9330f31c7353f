package search

import (
	"html"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"

	"github.com/clausemill/clausemill/db"
)

// snippetLength is about how many code points of a sentence a snippet shows.
const snippetLength = 320

// marker finds the words of a query in a text.
type marker struct {
	stems    map[string]bool // of words that match in any form, all without accents
	prefixes []string        // of words that match as far as they go
	first    map[rune]bool   // the first letters of all of these
	env      *snowballstem.Env
}

// newMarker marks words in any grammatical form, and words that begin with one of
// prefixes; with and without accents.
func newMarker(words, prefixes []string) *marker {
	m := &marker{stems: map[string]bool{}, first: map[rune]bool{}, env: snowballstem.NewEnv("")}
	for _, w := range words {
		w = fold(w)
		stem := m.stem(w)
		m.stems[stem] = true
		m.begins(w)
		m.begins(stem)
	}
	for _, p := range prefixes {
		if p = fold(p); p != "" {
			m.prefixes = append(m.prefixes, p)
			m.begins(p)
		}
	}
	return m
}

func (m *marker) begins(word string) {
	for _, r := range word {
		m.first[r] = true
		return
	}
}

// stem cuts a word as the index does.
func (m *marker) stem(word string) string {
	m.env.SetCurrent(word)
	english.Stem(m.env)
	return m.env.Current()
}

// matches reports whether a word is one of those sought.
func (m *marker) matches(word string) bool {
	word = fold(word)
	if first, _ := utf8.DecodeRuneInString(word); !m.first[first] {
		return false
	}
	for _, p := range m.prefixes {
		if strings.HasPrefix(word, p) {
			return true
		}
	}
	return m.stems[m.stem(word)]
}

// extent is a half-open range of runes.
type extent struct{ start, end int }

// mark returns where in text the words sought are, in order.
func (m *marker) mark(s string) []extent {
	var marks []extent
	text := []rune(s)
	eachWord(text, func(at extent) {
		if m.matches(string(text[at.start:at.end])) {
			marks = append(marks, at)
		}
	})
	return marks
}

// eachWord passes the extent of each word of text to do.
func eachWord(text []rune, do func(extent)) {
	start := -1
	for i, r := range text {
		switch word := isWord(r); {
		case word && start < 0:
			start = i
		case !word && start >= 0:
			do(extent{start, i})
			start = -1
		}
	}
	if start >= 0 {
		do(extent{start, len(text)})
	}
}

// snippet renders text as HTML: escaped, cut to the stretch with the most marks
// where it is long, and with <em> around the marks.
func snippet(text []rune, marks []extent) string {
	from, to := window(text, marks)
	var b strings.Builder
	if from > 0 {
		b.WriteString("… ")
	}
	at := from
	for _, m := range marks {
		if m.start < from || m.end > to {
			continue
		}
		b.WriteString(html.EscapeString(string(text[at:m.start])))
		b.WriteString("<em>")
		b.WriteString(html.EscapeString(string(text[m.start:m.end])))
		b.WriteString("</em>")
		at = m.end
	}
	b.WriteString(html.EscapeString(string(text[at:to])))
	if to < len(text) {
		b.WriteString(" …")
	}
	return b.String()
}

// window chooses the stretch of text that a snippet shows, cut between words
// where words are not endless.
func window(text []rune, marks []extent) (from, to int) {
	if len(text) <= snippetLength {
		return 0, len(text)
	}
	// The best stretch begins shortly before a mark.
	const before = 40
	best := -1
	for i, first := range marks {
		covered := 0
		for _, m := range marks[i:] {
			if m.end > first.start-before+snippetLength {
				break
			}
			covered++
		}
		if covered > best {
			best, from = covered, first.start-before
		}
	}
	from = max(0, min(from, len(text)-snippetLength))
	to = from + snippetLength
	const reach = 30
	for i := from; from > 0 && i < from+reach; i++ {
		if unicode.IsSpace(text[i]) {
			from = i + 1
			break
		}
	}
	for i := to; to < len(text) && i > to-reach; i-- {
		if unicode.IsSpace(text[i]) {
			to = i
			break
		}
	}
	return from, to
}

// newHit renders a sentence with what matched in it.
func newHit(s db.FoundSentence, marks []extent) Hit {
	return Hit{
		FileID: s.FileID, FileName: s.FileName, SentenceID: s.ID, Page: s.Page, Start: s.Start, End: s.End,
		Text: s.Text, Snippet: snippet([]rune(s.Text), marks), Label: s.Label, Score: s.Score,
	}
}

// newFileHit renders a file with what matched in its name and its sentences.
func newFileHit(f db.FoundFile, marks []extent, sentences []Hit) FileHit {
	hit := FileHit{
		FileID: f.ID, FileName: f.Name, Snippet: snippet([]rune(f.Name), marks), NameMatch: f.Named,
		Matches: f.Matched, Pages: []int{}, Hits: []Hit{}, Score: f.Score,
	}
	hit.Hits = append(hit.Hits, sentences...)
	for _, s := range sentences {
		if !slices.Contains(hit.Pages, s.Page) {
			hit.Pages = append(hit.Pages, s.Page)
		}
	}
	slices.Sort(hit.Pages)
	return hit
}

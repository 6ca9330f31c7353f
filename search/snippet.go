package search

import (
	"html"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/nlp"
)

// snippetLength is about how many code points of a sentence a snippet shows.
const snippetLength = 320

// marker finds the words of a query in a text.
type marker struct {
	stemmers []stemmer
	prefixes []prefix       // of words that match as far as they go
	phrases  [][]string     // that match as a whole, whatever their words
	first    map[rune]bool  // the first letters of words and prefixes
	known    map[string]int // words of texts, as they are written, and their places in the query or unsought
}

// stemmer knows words by their stems in a language.
type stemmer struct {
	nlp.Stemmer
	known map[string]string // words without accents, and their stems
	stems map[string]int    // of words that match in any form, all without accents, and their places in the query
}

// stem is Stem, which takes as long as all else that is done to a word; the sentences of an
// answer have few words.
func (s *stemmer) stem(word string) string {
	stem, ok := s.known[word]
	if !ok {
		stem = s.Stem(word)
		s.known[word] = stem
	}
	return stem
}

// prefix is the beginning of words, and its place in the query.
type prefix struct {
	text  string
	place int
}

// newMarker marks words in any grammatical form of languages (of English where there
// are none), and words that begin with one of prefixes; with and without accents. The
// words of a group stand for each other.
func newMarker(groups [][]string, prefixes []prefix, languages ...string) *marker {
	m := &marker{first: map[rune]bool{}, known: map[string]int{}}
	if len(languages) == 0 {
		languages = []string{"en"}
	}
	for _, language := range languages {
		s := stemmer{nlp.Stemmer{Language: language}, map[string]string{}, map[string]int{}}
		for place, words := range groups {
			for _, w := range words {
				w = fold(w)
				stem := s.stem(w)
				if _, ok := s.stems[stem]; !ok {
					s.stems[stem] = place
				}
				m.begins(w)
				m.begins(stem)
			}
		}
		m.stemmers = append(m.stemmers, s)
	}
	for _, p := range prefixes {
		if p.text = fold(p.text); p.text != "" {
			m.prefixes = append(m.prefixes, p)
			m.begins(p.text)
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

// place returns the place in the query of a word, or unsought.
func (m *marker) place(word string) int {
	// Most words begin otherwise than all that are sought. A letter with an accent may be
	// two code points, and is another one then.
	if first := word[0]; first < utf8.RuneSelf && (len(word) == 1 || word[1] < utf8.RuneSelf) && !m.first[unicode.ToLower(rune(first))] {
		return unsought
	}
	place, ok := m.known[word]
	if !ok {
		place = m.placeOf(fold(word))
		m.known[word] = place
	}
	return place
}

// placeOf is place of a word without accents.
func (m *marker) placeOf(word string) int {
	if first, _ := utf8.DecodeRuneInString(word); !m.first[first] {
		return unsought
	}
	for _, p := range m.prefixes {
		if strings.HasPrefix(word, p.text) {
			return p.place
		}
	}
	for i := range m.stemmers {
		s := &m.stemmers[i]
		if place, ok := s.stems[s.stem(word)]; ok {
			return place
		}
	}
	return unsought
}

// alike reports whether two words have a stem in common.
func (m *marker) alike(word, other string) bool {
	word, other = fold(word), fold(other)
	for i := range m.stemmers {
		if s := &m.stemmers[i]; s.stem(word) == s.stem(other) {
			return true
		}
	}
	return false
}

// nothing reports whether m has nothing to mark.
func (m *marker) nothing() bool { return len(m.first) == 0 && len(m.phrases) == 0 }

// extent is a half-open range of bytes.
type extent struct{ start, end int }

// mark returns where in text the words sought are, in order.
func (m *marker) mark(s string) []extent {
	var marks []extent
	words, places := m.sought(s)
	for i, at := range words {
		if places[i] != unsought {
			marks = append(marks, at)
		}
	}
	return marks
}

// What is in place of a place in the query.
const (
	unsought = -1 // of a word that is not sought
	ofPhrase = -2 // of one that is sought within a phrase only
)

// sought returns the words of a text, and their places in the query.
func (m *marker) sought(text string) (words []extent, places []int) {
	words = make([]extent, 0, len(text)/5) // about as many as there are
	eachWord(text, func(at extent) { words = append(words, at) })
	places = make([]int, len(words))
	for i, at := range words {
		places[i] = m.place(text[at.start:at.end])
	}
	for _, phrase := range m.phrases {
		for i := 0; i+len(phrase) <= len(words); i++ {
			whole := true
			for j, word := range phrase {
				at := words[i+j]
				if whole = m.alike(text[at.start:at.end], word); !whole {
					break
				}
			}
			for j := i; whole && j < i+len(phrase); j++ {
				if places[j] == unsought {
					places[j] = ofPhrase
				}
			}
		}
	}
	return words, places
}

// density is higher the closer together the words sought stand in a text, the more
// often they do, and the shorter it is: the cover density by which Postgres ranks
// (ts_rank_cd, divided by the logarithm of the length).
func (m *marker) density(s string) float64 {
	words, places := m.sought(s)
	all := map[int]bool{}
	var found []int // of words
	for i, place := range places {
		if place >= 0 {
			all[place] = true
			found = append(found, i)
		}
	}
	sum, from := 0.0, 0
	in := map[int]int{}
	for to, last := range found {
		in[places[last]]++
		for len(in) == len(all) { // words[found[from]:last+1] is a cover
			first := places[found[from]]
			if in[first]--; in[first] == 0 { // none that is shorter ends here
				delete(in, first)
				noise := last - found[from] - (to - from)
				sum += 1 / float64(1+noise)
			}
			from++
		}
	}
	return sum / math.Log2(float64(len(words)+2))
}

// eachWord passes the extent of each word of text to do.
func eachWord(text string, do func(extent)) {
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
func snippet(text string, marks []extent) string {
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
		b.WriteString(html.EscapeString(text[at:m.start]))
		b.WriteString("<em>")
		b.WriteString(html.EscapeString(text[m.start:m.end]))
		b.WriteString("</em>")
		at = m.end
	}
	b.WriteString(html.EscapeString(text[at:to]))
	if to < len(text) {
		b.WriteString(" …")
	}
	return b.String()
}

// window chooses the stretch of text that a snippet shows, cut between words
// where words are not endless.
func window(text string, marks []extent) (from, to int) {
	latest := back(text, len(text), snippetLength)
	if latest == 0 {
		return 0, len(text)
	}
	// The best stretch begins shortly before a mark.
	const before = 40
	best := -1
	for i, first := range marks {
		start := back(text, first.start, before)
		end := ahead(text, start, snippetLength)
		covered := 0
		for _, m := range marks[i:] {
			if m.end > end {
				break
			}
			covered++
		}
		if covered > best {
			best, from = covered, start
		}
	}
	from = min(from, latest)
	to = ahead(text, from, snippetLength)
	const reach = 30
	if from > 0 {
		if cut := strings.IndexFunc(text[from:ahead(text, from, reach)], unicode.IsSpace); cut >= 0 {
			from = ahead(text, from+cut, 1)
		}
	}
	if to < len(text) {
		last := back(text, to, reach-1)
		if cut := strings.LastIndexFunc(text[last:ahead(text, to, 1)], unicode.IsSpace); cut >= 0 {
			to = last + cut
		}
	}
	return from, to
}

// ahead is the place n code points after at in text, or its end.
func ahead(text string, at, n int) int {
	for ; n > 0 && at < len(text); n-- {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return at
}

// back is the place n code points before at in text, or its start.
func back(text string, at, n int) int {
	for ; n > 0 && at > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(text[:at])
		at -= size
	}
	return at
}

// newHit renders a sentence with what matched in it.
func newHit(s db.FoundSentence, marks []extent) Hit {
	return Hit{
		FileID: s.FileID, FileName: s.FileName, SentenceID: s.ID, Page: s.Page, Start: s.Start, End: s.End,
		Text: s.Text, Snippet: snippet(s.Text, marks), Labels: db.Standing(s.Labels), Score: s.Score,
	}
}

// newFileHit renders a file with what matched in its name and its sentences.
func newFileHit(f db.FoundFile, marks []extent, sentences []Hit) FileHit {
	hit := FileHit{
		FileID: f.ID, FileName: f.Name, ContentType: f.ContentType, Snippet: snippet(f.Name, marks), NameMatch: f.Named,
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

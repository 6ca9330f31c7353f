package label

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clausemill/clausemill/nlp/learn"
	"github.com/clausemill/clausemill/nlp/lex"
	"github.com/clausemill/clausemill/nlp/structure"
)

// The groups of features, in the order in which they are read.
const (
	ownWords = iota
	headingWords
	wordsBefore
	wordsAfter
	sectionWords
	leadWords
)

// groupWeights say how much each group counts, however many features it has, so
// that a long neighbour does not drown a short sentence.
var groupWeights = [learn.MostGroups]float64{ownWords: 1, headingWords: 0.5, wordsBefore: 0.5, wordsAfter: 0.5, sectionWords: 0.5, leadWords: 0.5}

// figures replace numbers, of which only the length is a feature.
const figures = "000000"

// hashWords appends a hash for each word of text, and for the signs of money and
// percent. That of a number depends only on its magnitude, and on being a year.
func hashWords(text string, hashes []uint64) []uint64 {
	for i := 0; i < len(text); {
		start, end, broken, letter := lex.ScanWord(text, i)
		i = end
		if end-start > lex.MaxWord || start == end {
			continue
		}
		word := text[start:end]
		if start > 0 && text[start-1] == '$' {
			hashes = append(hashes, lex.HashString("$"))
		}
		switch {
		case letter:
			hashes = append(hashes, lex.HashWord(word, broken, letter))
		case len(word) == 4 && (word[0] == '1' || word[0] == '2'):
			hashes = append(hashes, lex.HashString("year"))
		default:
			hashes = append(hashes, lex.HashString(figures[:min(len(word), len(figures))]))
		}
		if end < len(text) && text[end] == '%' {
			hashes = append(hashes, lex.HashString("%"))
		}
	}
	return hashes
}

// mostTogether is how many passages under the same heading are seen together.
const mostTogether = 8

// passageFeatures are the features of a passage, each part group by group.
type passageFeatures struct {
	own     []learn.Feature // its words, and then their pairs
	heading []learn.Feature // the same
	beside  []learn.Feature // of the passages before and after
	wide    []learn.Feature // of those that stand with it under the same heading, and of what leads in to it
	same    bool            // heading and wide are those of the passage before
}

// words are those features that are no pairs.
func (f *passageFeatures) words() [4][]learn.Feature {
	return [...][]learn.Feature{f.own[:(len(f.own)+1)/2], f.heading[:(len(f.heading)+1)/2], f.beside, f.wide}
}

// fileFeatures yields the features of each passage of a file. They are good until
// the next.
func fileFeatures(passages []Passage) iter.Seq2[int, passageFeatures] {
	return func(yield func(int, passageFeatures) bool) {
		var f passageFeatures
		var title []uint64
		words := newFileWords(passages)
		first, lead := 0, noLead // of those seen together, and what leads in to them
		for i := range passages {
			fresh := i == 0 || passages[i].Heading != passages[i-1].Heading
			if fresh {
				title = hashWords(passages[i].Heading, title[:0])
				f.heading = appendPairs(appendWords(f.heading[:0], title, headingWords), title, headingWords)
			}
			own, from, to := words.whole(i)
			f.own = appendPairs(appendWords(f.own[:0], own, ownWords), own, ownWords)
			f.beside = appendWords(f.beside[:0], words.of(from-1, from), wordsBefore)
			f.beside = appendWords(f.beside, words.of(to, to+1), wordsAfter)
			if fresh = fresh || i-first == mostTogether; fresh {
				first = i
			}
			led := leadOf(passages, i)
			if f.same = !fresh && led == lead; !f.same {
				lead = led
				last := first + 1
				for last < len(passages) && last-first < mostTogether && passages[last].Heading == passages[first].Heading {
					last++
				}
				f.wide = appendWords(f.wide[:0], words.of(first, last), sectionWords)
				f.wide = appendWords(f.wide, words.of(lead, lead+1), leadWords)
			}
			if !yield(i, f) {
				return
			}
		}
	}
}

// leadOf returns the passage that leads in to one, or less than -1.
func leadOf(passages []Passage, passage int) int {
	if lead := passage - passages[passage].Lead; lead >= 0 && lead < passage {
		return lead
	}
	return noLead
}

// noLead is no passage, nor is the one after it.
const noLead = -2

// fileWords are the hashes of the words of a file.
type fileWords struct {
	hashes []uint64
	starts []int // by passage, and the end
	parted map[int]*parted
}

// parted is one sentence in several passages.
type parted struct {
	words    []uint64
	from, to int // the first of them, and the one after the last
}

func newFileWords(passages []Passage) *fileWords {
	w := &fileWords{starts: make([]int, 1, len(passages)+1)}
	for i := range passages {
		w.hashes = hashWords(passages[i].Text, w.hashes)
		w.starts = append(w.starts, len(w.hashes))
	}
	for i := range passages {
		if rest := restOf(passages, i); rest > 0 && w.parted[rest] == nil { // else a footer is before it, and what it parts
			w.join(i, rest)
		}
	}
	return w
}

// join makes passage rest the end of the sentence that passage i begins or goes on with.
func (w *fileWords) join(i, rest int) {
	p := w.parted[i]
	if p == nil {
		if w.parted == nil {
			w.parted = map[int]*parted{}
		}
		p = &parted{words: slices.Clone(w.of(i, i+1)), from: i}
		w.parted[i] = p
	}
	p.words, p.to = append(p.words, w.of(rest, rest+1)...), rest+1
	w.parted[rest] = p
}

// whole returns the words of the sentence that a passage is or is a part of, and its
// passages, from one up to another.
func (w *fileWords) whole(passage int) (words []uint64, from, to int) {
	if p := w.parted[passage]; p != nil {
		return p.words, p.from, p.to
	}
	return w.of(passage, passage+1), passage, passage + 1
}

const (
	farthestRest    = 3  // passages to the rest of a sentence: a page has a number and a footer
	longestFooter   = 80 // bytes
	shortestSevered = 20 // bytes; what is shorter is a name or a number
)

// restOf returns the passage that goes on with the sentence of passage i, which the end of a
// page has parted, or 0: i has no stop, and the rest begins with a small letter that is no
// item's.
func restOf(passages []Passage, i int) int {
	p := &passages[i]
	if !isProse(p) || len(p.Text) < shortestSevered {
		return 0
	}
	if last, _ := utf8.DecodeLastRuneInString(p.Text); last != ',' && last != ')' && !unicode.IsLetter(last) && !unicode.IsDigit(last) {
		return 0
	}
	if strings.HasSuffix(p.Text, " and") || strings.HasSuffix(p.Text, " or") { // before the next item of a list
		return 0
	}
	for k := i + 1; k < len(passages) && k <= i+farthestRest; k++ {
		rest := &passages[k]
		first, size := utf8.DecodeRuneInString(rest.Text)
		if unicode.IsLower(first) && isProse(rest) {
			if letters := strings.TrimLeft(rest.Text[size:], "abcdefghijklmnopqrstuvwxyz"); strings.HasPrefix(letters, ")") || strings.HasPrefix(letters, ".") && len(rest.Text)-len(letters) < 4 {
				return 0
			}
			return k
		}
		if len(rest.Text) > longestFooter {
			return 0
		}
	}
	return 0
}

func isProse(p *Passage) bool { return p.Kind == structure.Paragraph || p.Kind == structure.ListItem }

// of returns those of the passages from one up to another, as far as the file
// has them.
func (w *fileWords) of(from, to int) []uint64 {
	last := len(w.starts) - 1
	return w.hashes[w.starts[min(max(from, 0), last)]:w.starts[min(max(to, 0), last)]]
}

func appendWords(features []learn.Feature, words []uint64, group uint8) []learn.Feature {
	for _, word := range words {
		features = append(features, learn.Feature{Key: learn.HashKey(learn.WordKey+uint64(group), word), Group: group})
	}
	return features
}

func appendPairs(features []learn.Feature, words []uint64, group uint8) []learn.Feature {
	for i := 1; i < len(words); i++ {
		features = append(features, learn.Feature{Key: learn.HashKey(learn.PairKey+uint64(group), lex.HashPair(words[i-1], words[i])), Group: group})
	}
	return features
}

package label

import (
	"iter"

	"github.com/clausemill/clausemill/nlp/learn"
	"github.com/clausemill/clausemill/nlp/lex"
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
	own     []learn.Feature
	heading []learn.Feature
	beside  []learn.Feature // of the passages before and after
	wide    []learn.Feature // of those that stand with it under the same heading, and of what leads in to it
	same    bool            // heading and wide are those of the passage before
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
			own := words.of(i, i+1)
			f.own = appendPairs(appendWords(f.own[:0], own, ownWords), own, ownWords)
			f.beside = appendWords(f.beside[:0], words.of(i-1, i), wordsBefore)
			f.beside = appendWords(f.beside, words.of(i+1, i+2), wordsAfter)
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
}

func newFileWords(passages []Passage) *fileWords {
	w := &fileWords{starts: make([]int, 1, len(passages)+1)}
	for i := range passages {
		w.hashes = hashWords(passages[i].Text, w.hashes)
		w.starts = append(w.starts, len(w.hashes))
	}
	return w
}

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

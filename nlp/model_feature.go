package nlp

import (
	"iter"
	"math"
	"math/bits"
	"slices"
	"sync"

	"github.com/clausemill/clausemill/nlp/lex"
)

// feature is something that a passage has: a word, two words in a row, a word of
// its heading or of its neighbours.
type feature struct {
	key   uint32
	group uint8
}

// The groups of features, in the order in which they are read.
const (
	ownWords = iota
	headingWords
	wordsBefore
	wordsAfter
	sectionWords
	leadWords

	groups
)

// groupWeights say how much each group counts, however many features it has, so
// that a long neighbour does not drown a short sentence.
var groupWeights = [groups]float64{ownWords: 1, headingWords: 0.5, wordsBefore: 0.5, wordsAfter: 0.5, sectionWords: 0.5, leadWords: 0.5}

// What keys are hashes of: a group, and one word of it or two. Pairs are spread
// before that, so that those of the first groups are told from words of the last.
const (
	one = 0
	two = 4
)

// hashKey spreads hash over the keys of one sort.
func hashKey(sort, hash uint64) uint32 {
	h := (hash ^ sort*0x9e3779b97f4a7c15) * 0xff51afd7ed558ccd
	h = (h ^ h>>32) * 0xc4ceb9fe1a85ec53
	return uint32(h >> 32)
}

// figures stand for numbers, of which only the length tells something.
const figures = "000000"

// hashWords appends a hash for each word of text: for numbers one that tells
// years and magnitudes only, and for the signs of money and percent as well.
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
	own     []feature
	heading []feature
	beside  []feature // of the passages before and after
	wide    []feature // of those that stand with it under the same heading, and of what leads in to it
	same    bool      // heading and wide are those of the passage before
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

func appendWords(features []feature, words []uint64, group uint8) []feature {
	for _, word := range words {
		features = append(features, feature{hashKey(one+uint64(group), word), group})
	}
	return features
}

func appendPairs(features []feature, words []uint64, group uint8) []feature {
	for i := 1; i < len(words); i++ {
		features = append(features, feature{hashKey(two+uint64(group), lex.HashPair(words[i-1], words[i])), group})
	}
	return features
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// vocabulary holds the features that a model knows. The row of a feature is its
// place in the order of the keys.
type vocabulary struct {
	keys   []uint32  // in order
	counts []uint32  // passages that have the feature, of those it was made from
	total  uint32    // the passages it was made from
	weight []float32 // by row: the rarer, the more

	starts []int32 // by the leading bits of keys: the first row of those or more
	shift  int     // how many bits follow the leading ones

	vectorizers sync.Pool // those that nobody uses
}

// newVocabulary takes keys in ascending order.
func newVocabulary(keys, counts []uint32, total uint32) *vocabulary {
	leading := bits.Len(uint(len(keys)))
	v := &vocabulary{
		keys: keys, counts: counts, total: total, weight: make([]float32, len(keys)),
		starts: make([]int32, 1<<leading+1), shift: 32 - leading,
	}
	for row, key := range keys {
		v.weight[row] = float32(math.Log((1+float64(total))/(1+float64(counts[row]))) + 1)
		v.starts[key>>v.shift+1] = int32(row + 1)
	}
	for i := 1; i < len(v.starts); i++ {
		v.starts[i] = max(v.starts[i], v.starts[i-1])
	}
	return v
}

// leastCount is the number of passages that make a feature worth knowing, and
// leastFiles of how many files they have to be. What only one contract says is
// known of no other: it would make the vectors of training longer than those
// that are predicted, and so predictions too sure.
const (
	leastCount = 5
	leastFiles = 3
)

// learnVocabulary collects the features that occur often enough. The passages of
// a file begin at starts.
func learnVocabulary(passages [][]feature, starts []int) *vocabulary {
	type tally struct {
		passages, files uint32
		passage, file   int // the last one
	}
	tallies := map[uint32]tally{}
	file := 0
	for i, features := range passages {
		for file+1 < len(starts) && starts[file+1] <= i {
			file++
		}
		for _, f := range features {
			t := tallies[f.key]
			if t.files == 0 || t.file != file {
				t.files++
			}
			if t.passages == 0 || t.passage != i {
				t.passages++
			}
			t.passage, t.file = i, file
			tallies[f.key] = t
		}
	}
	var keys []uint32
	for key, t := range tallies {
		if t.passages >= leastCount && t.files >= leastFiles {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	counts := make([]uint32, len(keys))
	for i, key := range keys {
		counts[i] = tallies[key].passages
	}
	return newVocabulary(keys, counts, uint32(len(passages)))
}

// row returns the row of key, or -1. Keys are hashes, so that few share their
// leading bits.
func (v *vocabulary) row(key uint32) int32 {
	at := key >> v.shift
	for row := v.starts[at]; row < v.starts[at+1]; row++ {
		if v.keys[row] == key {
			return row
		}
	}
	return -1
}

// entry is one number of a vector that is zero almost everywhere.
type entry struct {
	row   int32
	value float32
}

// vector is what a model sees of a passage: what its own words are, and after
// them what is around it.
type vector struct {
	entries []entry
	own     int // how many of them are of its own words
}

// damped is what a feature counts that a passage has n times.
func damped(n uint16) float32 {
	if int(n) < len(dampedCounts) {
		return dampedCounts[n]
	}
	return float32(1 + math.Log(float64(n)))
}

var dampedCounts = func() (counts [64]float32) {
	for n := range counts {
		counts[n] = float32(1 + math.Log(max(1, float64(n))))
	}
	return counts
}()

// vectorizer turns features into vectors and keeps the space that takes.
type vectorizer struct {
	*vocabulary

	counts []uint16        // by row, of the passage at hand
	groups [groups]float64 // what each group counts
	recent [1 << 15]found  // by the trailing bits of keys
}

// found is a feature that was looked up, and its row, or -1. Texts say the same
// words again and again.
type found struct {
	key uint32
	row int32
}

// newVectorizer returns one that counts groups as passages do.
func newVectorizer(v *vocabulary) *vectorizer {
	made, ok := v.vectorizers.Get().(*vectorizer)
	if !ok {
		made = &vectorizer{vocabulary: v, counts: make([]uint16, len(v.keys))}
		made.recent[0].key = 1 // of another place, as is 0 in all other places
	}
	made.groups = groupWeights
	return made
}

// release lets others use v.
func (v *vectorizer) release() { v.vectorizers.Put(v) }

// row is that of the vocabulary.
func (v *vectorizer) row(key uint32) int32 {
	f := &v.recent[key%uint32(len(v.recent))]
	if f.key != key {
		*f = found{key, v.vocabulary.row(key)}
	}
	return f.row
}

// vector makes a vector of features, of which each part comes group by group: the
// logarithm of their counts times their weights, each group scaled to what it
// counts. It takes the place of entries.
func (v *vectorizer) vector(entries []entry, parts ...[]feature) vector {
	made := vector{entries: entries[:0]}
	for _, features := range parts {
		for len(features) > 0 {
			group, from := features[0].group, len(made.entries)
			for len(features) > 0 && features[0].group == group {
				if row := v.row(features[0].key); row >= 0 {
					if v.counts[row] == 0 {
						made.entries = append(made.entries, entry{row: row})
					}
					v.counts[row] = min(v.counts[row]+1, math.MaxUint16-1)
				}
				features = features[1:]
			}
			v.scale(made.entries[from:], group)
			if group == ownWords {
				made.own = len(made.entries)
			}
		}
	}
	return made
}

// scale gives the entries of a group their values, by how often the passage at
// hand has each, and counts anew.
func (v *vectorizer) scale(entries []entry, group uint8) {
	var square float64
	for i := range entries {
		e := &entries[i]
		e.value = v.weight[e.row]
		e.value *= damped(v.counts[e.row])
		v.counts[e.row] = 0
		square += float64(e.value) * float64(e.value)
	}
	if square > 0 {
		scale := float32(v.groups[group] / math.Sqrt(square))
		for i := range entries {
			entries[i].value *= scale
		}
	}
}

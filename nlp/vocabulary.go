package nlp

import (
	"math"
	"math/bits"
	"slices"
	"sync"
)

// feature is something that a passage has: a word, two words in a row, a word of
// its heading or of its neighbours.
type feature struct {
	key   uint32
	group uint8 // below mostGroups; the first is of what is judged itself
}

// mostGroups is how many groups of features there can be.
const mostGroups = 6

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

	counts []uint16            // by row, of the passage at hand
	groups [mostGroups]float64 // what each group counts
	recent [1 << 15]found      // by the trailing bits of keys
}

// found is a feature that was looked up, and its row, or -1. Texts say the same
// words again and again.
type found struct {
	key uint32
	row int32
}

// newVectorizer returns one in which each group counts what groups say.
func newVectorizer(v *vocabulary, groups *[mostGroups]float64) *vectorizer {
	made, ok := v.vectorizers.Get().(*vectorizer)
	if !ok {
		made = &vectorizer{vocabulary: v, counts: make([]uint16, len(v.keys))}
		made.recent[0].key = 1 // of another place, as is 0 in all other places
	}
	made.groups = *groups
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
			if group == 0 {
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

package learn

import (
	"math"
	"math/bits"
	"slices"
	"sync"
)

// Feature is something that a passage or a contract has: a word, two words in a
// row, a word of its heading, of its title or of its neighbours.
type Feature struct {
	Key   uint32
	Group uint8 // below MostGroups; the first is of what is judged itself
}

// MostGroups is how many groups of features there can be.
const MostGroups = 6

// What is added to a group for HashKey: for one word of it, and for two. Pairs are
// spread before that, so that those of the first groups differ from words of the
// last.
const (
	WordKey = 0
	PairKey = 4
)

// HashKey spreads hash over the keys of one sort.
func HashKey(sort, hash uint64) uint32 {
	h := (hash ^ sort*0x9e3779b97f4a7c15) * 0xff51afd7ed558ccd
	h = (h ^ h>>32) * 0xc4ceb9fe1a85ec53
	return uint32(h >> 32)
}

// Vocabulary holds the features that a model knows. The row of a feature is its
// place in the order of the keys.
type Vocabulary struct {
	Keys   []uint32  // in order
	counts []uint32  // passages that have the feature, of those it was made from
	total  uint32    // the passages it was made from
	weight []float32 // by row: the rarer, the more

	starts []int32 // by the leading bits of keys: the first row of those or more
	shift  int     // how many bits follow the leading ones

	vectorizers sync.Pool // those that nobody uses
}

// NewVocabulary takes keys in ascending order.
func NewVocabulary(keys, counts []uint32, total uint32) *Vocabulary {
	leading := bits.Len(uint(len(keys)))
	v := &Vocabulary{
		Keys: keys, counts: counts, total: total, weight: make([]float32, len(keys)),
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

// TrainVocabulary collects the features that occur often enough. The passages of
// a file begin at starts.
func TrainVocabulary(passages [][]Feature, starts []int) *Vocabulary {
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
			t := tallies[f.Key]
			if t.files == 0 || t.file != file {
				t.files++
			}
			if t.passages == 0 || t.passage != i {
				t.passages++
			}
			t.passage, t.file = i, file
			tallies[f.Key] = t
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
	return NewVocabulary(keys, counts, uint32(len(passages)))
}

// Extended is v with further keys in ascending order, which it does not know, and how
// many of so many passages have each.
func (v *Vocabulary) Extended(keys, counts []uint32, passages int) *Vocabulary {
	all, often := make([]uint32, 0, len(v.Keys)+len(keys)), make([]uint32, 0, len(v.Keys)+len(keys))
	for row, key := range v.Keys {
		for len(keys) > 0 && keys[0] < key {
			all, often = append(all, keys[0]), append(often, v.scaled(counts[0], passages))
			keys, counts = keys[1:], counts[1:]
		}
		all, often = append(all, key), append(often, v.counts[row])
	}
	for i, key := range keys {
		all, often = append(all, key), append(often, v.scaled(counts[i], passages))
	}
	return NewVocabulary(all, often, v.total)
}

// scaled is how many of the passages that v was made from would have what so many of
// others have.
func (v *Vocabulary) scaled(count uint32, passages int) uint32 {
	return uint32(min(float64(v.total), float64(count)*float64(v.total)/float64(max(1, passages))))
}

// Row returns the row of key, or -1. Keys are hashes, so that few share their
// leading bits.
func (v *Vocabulary) Row(key uint32) int32 {
	at := key >> v.shift
	for row := v.starts[at]; row < v.starts[at+1]; row++ {
		if v.Keys[row] == key {
			return row
		}
	}
	return -1
}

// Entry is one number of a vector that is zero almost everywhere.
type Entry struct {
	Row   int32
	Value float32
}

// Vector is what a model sees of a passage: what its own words are, and after
// them what is around it.
type Vector struct {
	Entries []Entry
	Ends    [MostGroups]int // by group: where its entries end, 0 where there are none
}

// Own is how many of the entries are of its own words.
func (v *Vector) Own() int { return v.Ends[0] }

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
	*Vocabulary

	counts []uint16            // by row, of the passage at hand
	groups [MostGroups]float64 // what each group counts
	recent [1 << 15]found      // by the trailing bits of keys
}

// found is a feature that was looked up, and its row, or -1. Texts say the same
// words again and again.
type found struct {
	key uint32
	row int32
}

// NewVectorizer returns one in which each group counts what groups say.
func NewVectorizer(v *Vocabulary, groups *[MostGroups]float64) *vectorizer {
	made, ok := v.vectorizers.Get().(*vectorizer)
	if !ok {
		made = &vectorizer{Vocabulary: v, counts: make([]uint16, len(v.Keys))}
		made.recent[0].key = 1 // of another place, as is 0 in all other places
	}
	made.groups = *groups
	return made
}

// Release lets others use v.
func (v *vectorizer) Release() { v.vectorizers.Put(v) }

// row is that of the vocabulary.
func (v *vectorizer) row(key uint32) int32 {
	f := &v.recent[key%uint32(len(v.recent))]
	if f.key != key {
		*f = found{key, v.Vocabulary.Row(key)}
	}
	return f.row
}

// Vector makes a vector of features, of which each part comes group by group: the
// logarithm of their counts times their weights, each group scaled to what it
// counts. It takes the place of entries.
func (v *vectorizer) Vector(entries []Entry, parts ...[]Feature) Vector {
	made := Vector{Entries: entries[:0]}
	for _, features := range parts {
		for len(features) > 0 {
			group, from := features[0].Group, len(made.Entries)
			for len(features) > 0 && features[0].Group == group {
				if row := v.row(features[0].Key); row >= 0 {
					if v.counts[row] == 0 {
						made.Entries = append(made.Entries, Entry{Row: row})
					}
					v.counts[row] = min(v.counts[row]+1, math.MaxUint16-1)
				}
				features = features[1:]
			}
			v.scale(made.Entries[from:], group)
			made.Ends[group] = len(made.Entries)
		}
	}
	return made
}

// scale gives the entries of a group their values, by how often the passage at
// hand has each, and counts anew.
func (v *vectorizer) scale(entries []Entry, group uint8) {
	var square float64
	for i := range entries {
		e := &entries[i]
		e.Value = v.weight[e.Row]
		e.Value *= damped(v.counts[e.Row])
		v.counts[e.Row] = 0
		square += float64(e.Value) * float64(e.Value)
	}
	if square > 0 {
		scale := float32(v.groups[group] / math.Sqrt(square))
		for i := range entries {
			entries[i].Value *= scale
		}
	}
}

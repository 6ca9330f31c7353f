package corpus

import (
	"cmp"
	"math"
	"slices"
)

// Split is something that some of many files have.
type Split struct {
	Key   string // what it is about, and what it says: of equal ones the order
	Value string
	With  int // files that have it
	Used  int // searches that are kept with a condition on its key
}

// Advice is a split with what it tells.
type Advice struct {
	Split int     // its place in the list that was given
	Gain  float64 // bits, 0 to 1
}

// The weight of a search that is kept beside a bit of information, and how many of
// them count.
const (
	useWeight = 0.02
	mostUses  = 10
)

// Advise finds the splits that tell all files best apart, the best first, at most
// so many. What all files have, or none, tells nothing.
func Advise(splits []Split, all, most int) []Advice {
	var told []Advice
	for i, s := range splits {
		if gain := Gain(s.With, all); gain > 0 {
			told = append(told, Advice{i, gain})
		}
	}
	weight := func(a Advice) float64 { return a.Gain + useWeight*float64(min(splits[a.Split].Used, mostUses)) }
	slices.SortStableFunc(told, func(a, b Advice) int {
		x, y := splits[a.Split], splits[b.Split]
		return cmp.Or(cmp.Compare(weight(b), weight(a)), cmp.Compare(x.Key, y.Key), cmp.Compare(x.Value, y.Value))
	})
	return told[:min(len(told), most)]
}

// Gain is the information, in bits, in whether one of all files is one of n.
func Gain(n, all int) float64 {
	if n <= 0 || n >= all {
		return 0
	}
	p := Share(n, all)
	return -p*math.Log2(p) - (1-p)*math.Log2(1-p)
}

// Weight is how much a word of a file says: its share of the file's words, by how
// rare it is, the natural logarithm of (1 + files) / (1 + having). The file itself
// is among those that have it, even where these were counted before it came.
func Weight(count, words, having, files int) (weight float64, inFiles int) {
	inFiles = max(1, min(having, files))
	return float64(count) / float64(max(1, words)) * math.Log(float64(1+files)/float64(1+inFiles)), inFiles
}

// Ranked is a thing of a list that has a rank.
type Ranked struct {
	Rank int // from 1 on
	At   int // its place in the list
}

// Likeliest ranks the keys of a list that are offered, in its order.
func Likeliest(keys []string, offered func(key string) bool) []Ranked {
	var ranked []Ranked
	for i, key := range keys {
		if offered(key) {
			ranked = append(ranked, Ranked{len(ranked) + 1, i})
		}
	}
	return ranked
}

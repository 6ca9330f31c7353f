package corpus

import (
	"cmp"
	"fmt"
	"slices"
)

// Standing is how a sentence of a file, or a node that it has not, stands beside
// the other files of a type.
type Standing string

// The standings.
const (
	Typical Standing = "typical" // the others put it so
	Unusual Standing = "unusual" // they put it otherwise
	Extra   Standing = "extra"   // they have nothing like it
	Missing Standing = "missing" // the file has no sentence of the node, as most others have
)

const (
	usual    = 0.5  // the frequency of a node that a file is expected to have
	rounding = 1e-5 // of likenesses, which are computed in 32 bits
)

// Stands tells how a sentence stands whose closest one in the other files is so
// like it; nil where there is none. From threshold on it is typical.
func Stands(likeness *float64, threshold float64) Standing {
	switch {
	case likeness == nil:
		return Extra
	case *likeness+rounding >= threshold:
		return Typical
	default:
		return Unusual
	}
}

// Expected reports whether a file without a node misses something, by the share
// of the others that have it.
func Expected(frequency float64) bool { return frequency >= usual }

// Remark is what is to be said of a sentence, or of a node that is missing; ""
// where it is as usual. Name is that of the node, like the closest sentence of
// another file, as far as there is one.
func (s Standing) Remark(name string, likeness, frequency float64, like string) string {
	switch s {
	case Unusual:
		return fmt.Sprintf("%s: unusual wording, %.0f %% like the closest one.\n%s", name, 100*likeness, like)
	case Extra:
		return name + ": no other file of the type has the like."
	case Missing:
		text := fmt.Sprintf("%s: missing. %.0f %% of the files of the type have it.", name, 100*frequency)
		if like != "" {
			text += "\n" + like
		}
		return text
	case Typical:
	}
	return ""
}

// Labelling is a label that a sentence has.
type Labelling struct {
	Label  string
	Score  float64
	Source int // the place of the sentence in whatever list it is of
}

// Clause is the sentences that have one label.
type Clause struct {
	Label   string
	Score   float64 // the highest
	Sources []int
}

// Clauses puts sentences together by their labels, in the order in which these
// come first.
func Clauses(list []Labelling) []Clause {
	var all []Clause
	at := map[string]int{}
	for _, l := range list {
		i, known := at[l.Label]
		if !known {
			i = len(all)
			at[l.Label] = i
			all = append(all, Clause{Label: l.Label, Score: l.Score})
		}
		all[i].Score = max(all[i].Score, l.Score)
		all[i].Sources = append(all[i].Sources, l.Source)
	}
	return all
}

// Surest puts sentences in the order of their scores, the highest first.
func Surest(list []Labelling) []Labelling {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(x, y Labelling) int { return cmp.Compare(y.Score, x.Score) })
	return list
}

package learn

// Bit is 1 for what is so.
func Bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Tally counts what was predicted of pairs, against what is right.
type Tally struct{ Hits, Wrong, Missed int }

// Add counts one pair.
func (t *Tally) Add(predicted, right bool) {
	switch {
	case predicted && right:
		t.Hits++
	case predicted:
		t.Wrong++
	case right:
		t.Missed++
	}
}

// Plus counts the pairs of another.
func (t *Tally) Plus(o Tally) {
	t.Hits += o.Hits
	t.Wrong += o.Wrong
	t.Missed += o.Missed
}

// Precision is the share of what was predicted that is right.
func (t *Tally) Precision() float64 { return Ratio(t.Hits, t.Hits+t.Wrong) }

// Recall is the share of what is right that was predicted.
func (t *Tally) Recall() float64 { return Ratio(t.Hits, t.Hits+t.Missed) }

// F1 is the harmonic mean of both.
func (t *Tally) F1() float64 { return Ratio(2*t.Hits, 2*t.Hits+t.Wrong+t.Missed) }

// Ratio is the share of part in whole, 0 of nothing.
func Ratio(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// Folds is how many parts examples are divided into, so that what is fitted to the
// scores of models is fitted to scores of examples that they had not seen.
const Folds = 5

// Fold parts examples into those that are held back in one of Folds rounds, and
// those that are seen.
func Fold[E any](examples []E, round int) (seen, held []E) {
	for i, example := range examples {
		if i%Folds == round {
			held = append(held, example)
		} else {
			seen = append(seen, example)
		}
	}
	return seen, held
}

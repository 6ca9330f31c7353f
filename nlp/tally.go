package nlp

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// tally counts pairs.
type tally struct{ hits, wrong, missed int }

func (t *tally) add(predicted, right bool) {
	switch {
	case predicted && right:
		t.hits++
	case predicted:
		t.wrong++
	case right:
		t.missed++
	}
}

func (t *tally) plus(o tally) {
	t.hits += o.hits
	t.wrong += o.wrong
	t.missed += o.missed
}

func (t *tally) precision() float64 { return ratio(t.hits, t.hits+t.wrong) }

func (t *tally) recall() float64 { return ratio(t.hits, t.hits+t.missed) }

func (t *tally) f1() float64 { return ratio(2*t.hits, 2*t.hits+t.wrong+t.missed) }

func ratio(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// folds is how many parts the files are divided into, for the forest to learn
// from scores of files that the linear models had not seen.
const folds = 5

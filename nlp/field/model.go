package field

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/clausemill/clausemill/nlp/learn"
	"github.com/clausemill/clausemill/nlp/lex"
	"github.com/clausemill/clausemill/nlp/value"
)

// Model proposes values for one question.
type Model struct {
	finder, picker *machine
	several        bool // files have more than one value
	slope, shift   float32
	border         float32
}

// Proposal is a value that a file may have, and its words.
type Proposal struct {
	Value      value.Value
	Span       lex.Span
	Confidence float64
}

// mostValues is how many values of a file are proposed.
const mostValues = 20

// scored is a value with the best of its candidates.
type scored struct {
	candidate candidate
	score     float32
}

// pick returns the values of a reading, the best first, by what a finder says of its
// sentences and a picker of the value. Of what is measured, the picker has hardly seen
// values of other matters, and the finder says whether there is a right one at all.
func (r *Reading) pick(picker *machine, scores []float32) []scored {
	scorer := picker.scorer()
	defer scorer.vectorizer.Release()
	var list []scored
	for rank, f := range r.ranked(scores, func(int) bool { return false }) {
		tokens := r.tokensOf(f.sentence)
		for _, c := range r.candidatesOf(f.sentence) {
			score := scorer.score(r.ofCandidate(&c, tokens, f, rank))
			if r.question.Kind.measured() {
				score = (score + f.score) / 2
			}
			if i := slices.IndexFunc(list, func(s scored) bool { return s.candidate.canonical == c.canonical }); i < 0 {
				list = append(list, scored{c, score})
			} else if score > list[i].score {
				list[i] = scored{c, score}
			}
		}
	}
	slices.SortStableFunc(list, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	return list
}

// shown is how many of n values are looked at.
func shown(n int, several bool) int {
	if several {
		return min(n, mostValues)
	}
	return min(n, 1)
}

// Propose returns the values that r may have, the surest first.
func (m *Model) Propose(r *Reading) []Proposal {
	s := newStudent(Example{Reading: r})
	s.find(m.finder)
	list := r.pick(m.picker, s.scores)
	var proposals []Proposal
	for _, v := range list[:shown(len(list), m.several)] {
		if p := m.confidence(v.score); p >= float64(m.border) {
			proposals = append(proposals, Proposal{v.candidate.value, r.spanOf(v.candidate.sentence, v.candidate.Extent), p})
		}
	}
	return proposals
}

// confidence is how often values of a score are right.
func (m *Model) confidence(score float32) float64 {
	p := learn.Logistic(float64(m.slope)*float64(max(score, leastScore)) + float64(m.shift))
	return min(max(p, 0.02), 0.98)
}

// leastScore is the score below which all are alike.
const leastScore = -1.25

// outcome is a value that a model found, and whether it is right.
type outcome struct {
	score float32
	right bool
}

// outcomes are the values that are found in a file.
type outcomes []outcome

// trial is what machines that had not seen a file make of it.
type trial struct {
	found  outcomes
	values int
	// absent is what they find where nothing marked is there: as in a file that has no
	// such value.
	absent outcomes
}

// try picks values by a picker that had not seen the file.
func (s *student) try(picker *machine, several bool) trial {
	t := trial{values: len(s.values)}
	all := s.Reading.pick(picker, s.scores)
	for _, v := range all[:shown(len(all), several)] {
		t.found = append(t.found, outcome{v.score, slices.Contains(s.values, v.candidate.canonical)})
	}
	for _, v := range all {
		if len(t.absent) < shown(len(all), several) && !slices.Contains(s.values, v.candidate.canonical) && !s.marked[v.candidate.sentence] && !s.near(v.candidate.sentence) {
			t.absent = append(t.absent, outcome{v.score, false})
		}
	}
	return t
}

// calibrate fits the confidence and the border to trials, and to what is found in other
// files.
func (m *Model) calibrate(trials []trial, others []outcomes) {
	var scores []float32
	var right []bool
	for _, t := range trials {
		for _, o := range slices.Concat(t.found, t.absent) {
			scores, right = append(scores, max(o.score, leastScore)), append(right, o.right)
		}
	}
	m.slope, m.shift = learn.FitLine(scores, right)
	m.slope = max(m.slope, 0.5) // whatever a few examples say
	var unknown []float32
	for _, o := range slices.Concat(others...) {
		unknown = append(unknown, o.score)
	}
	share := m.reweigh(scores, right, unknown)
	m.findBorder(scores, right, share)
}

// reweigh shifts the confidence to what it is in files of which nobody said anything, where
// fewer values are right, and returns how many are (Saerens, Latinne and Decaestecker,
// 2002). Where there are none, it is as in the trials.
func (m *Model) reweigh(scores []float32, right []bool, unknown []float32) (share float64) {
	hits := 0
	for _, is := range right {
		hits += learn.Bit(is)
	}
	before := min(max(learn.Ratio(hits, len(scores)), 0.02), 0.98)
	share = before
	const rounds = 50
	for range rounds {
		odds := math.Log(share/(1-share)) - math.Log(before/(1-before))
		// The trials count as much as a few files, so that few others do not say too much.
		sum, n := 5*before, 5.0
		for _, score := range unknown {
			sum += learn.Logistic(float64(m.slope)*float64(max(score, leastScore)) + float64(m.shift) + odds)
			n++
		}
		share = min(max(sum/n, 0.02), 0.98)
	}
	m.shift += float32(math.Log(share/(1-share)) - math.Log(before/(1-before)))
	return share
}

// findBorder finds the confidence from which F1 is best where a share of the values is
// right, blurred because there are few examples.
func (m *Model) findBorder(scores []float32, right []bool, share float64) {
	const blur, step = 0.05, 0.01
	hits := 0
	for _, is := range right {
		hits += learn.Bit(is)
	}
	weights := [2]float64{(1 - share) / float64(max(1, len(right)-hits)), share / float64(max(1, hits))} // of what is wrong, and right
	best := -1.0
	for at := 0.05; at <= 0.95; at += step {
		found, proposed := 0.0, 0.0
		for i, score := range scores {
			part := learn.Logistic((m.confidence(score)-at)/blur) * weights[learn.Bit(right[i])]
			proposed += part
			found += part * float64(learn.Bit(right[i]))
		}
		if f1 := 2 * found / (proposed + share); f1 > best {
			best, m.border = f1, float32(at)
		}
	}
}

// judge counts what m would have proposed in trials, and refuses it where too little of
// that is right.
func (m *Model) judge(trials []trial, report *Report) {
	var t learn.Tally
	for _, trial := range trials {
		hits := 0
		for _, o := range trial.found {
			if m.confidence(o.score) < float64(m.border) {
				continue
			}
			hits += learn.Bit(o.right)
			t.Wrong += learn.Bit(!o.right)
		}
		t.Hits += hits
		t.Missed += max(0, trial.values-hits)
	}
	report.Precision, report.Recall, report.F1 = t.Precision(), t.Recall(), t.F1()
	if t.Hits == 0 || report.Precision < leastPrecision {
		report.Reason = fmt.Sprintf("of %d values that it would propose in files that were held back, %d are right; at least %.0f %% must be", t.Hits+t.Wrong, t.Hits, 100*leastPrecision)
	}
	if math.IsNaN(float64(m.slope)) || math.IsNaN(float64(m.shift)) {
		report.Reason = "the values do not tell right from wrong"
	}
}

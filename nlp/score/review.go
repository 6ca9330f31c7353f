package score

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/clausemill/clausemill/nlp"
	"github.com/clausemill/clausemill/nlp/learn"
)

// Reviewed is what the first decisions of a review are worth: by how much they raise
// the micro F1 of the labels of the team's contracts.
type Reviewed struct {
	Decisions int            `json:"decisions"`
	ByWorth   learn.Interval `json:"byWorth"` // in the order of the queue
	Random    learn.Interval `json:"random"`  // the same sentences, in random order
	Ratio     learn.Interval `json:"ratio"`   // of the two gains
}

// ReviewSizes are the numbers of decisions that a review is looked at after.
var ReviewSizes = []int{100, 200, 300, 400, 500}

const (
	// leastDoubt and mostDoubt are between which scores the queue asks, and
	// mostConsidered of how many sentences of a kind it takes the worthiest: see
	// db.ClaimReview.
	leastDoubt     = 0.2
	mostDoubt      = 0.8
	mostConsidered = 200
	// claimed is how many are asked at once.
	claimed = 10
	// shuffles is how many random orders there are.
	shuffles = 20
)

// Reviews gathers the reviews of teams, of which each has contracts that its base model
// was not trained on.
type Reviews struct {
	before []learn.Tally   // by contract
	worth  [][]learn.Tally // by size and contract
	random [][]learn.Tally // the same, of all shuffles together
}

// NewReviews returns what has no reviews yet.
func NewReviews() *Reviews {
	return &Reviews{worth: make([][]learn.Tally, len(ReviewSizes)), random: make([][]learn.Tally, len(ReviewSizes))}
}

// Add reviews contracts of a team that m labels: a decision gives a sentence the labels
// that people marked, and all sentences with its words too.
func (r *Reviews) Add(m *nlp.Model, contracts []nlp.Example) {
	q := newQueue(m, contracts)
	r.before = append(r.before, q.tallies()...)
	add := func(to [][]learn.Tally, next func(from, n int) []int) {
		fresh := q.clone()
		done := 0
		for at, size := range ReviewSizes {
			for done < size {
				asked := next(done, min(claimed, size-done))
				for _, wording := range asked {
					fresh.decide(wording)
				}
				if done += len(asked); len(asked) == 0 {
					break
				}
			}
			to[at] = append(to[at], fresh.tallies()...)
		}
	}
	decided := make([]bool, len(q.wordings))
	add(r.worth, func(_, n int) []int { return q.claim(decided, n) })
	random := learn.Randomizer(1)
	var order []int
	for wording := range q.wordings {
		if q.doubted(wording) {
			order = append(order, wording)
		}
	}
	sums := make([][]learn.Tally, len(ReviewSizes))
	for range shuffles {
		random.Shuffle(order)
		once := make([][]learn.Tally, len(ReviewSizes))
		add(once, func(from, n int) []int { return order[min(from, len(order)):min(from+n, len(order))] })
		for at, tallies := range once {
			if sums[at] == nil {
				sums[at] = make([]learn.Tally, len(tallies))
			}
			for i, t := range tallies {
				sums[at][i].Plus(t)
			}
		}
	}
	for at := range sums {
		r.random[at] = append(r.random[at], sums[at]...)
	}
}

// Gains are what the reviews were worth.
func (r *Reviews) Gains() []Reviewed {
	f1 := func(tallies []learn.Tally, drawn []int) float64 {
		var all learn.Tally
		for _, i := range drawn {
			all.Plus(tallies[i])
		}
		return all.F1()
	}
	gains := make([]Reviewed, len(ReviewSizes))
	for at, size := range ReviewSizes {
		worth := func(drawn []int) float64 { return f1(r.worth[at], drawn) - f1(r.before, drawn) }
		random := func(drawn []int) float64 { return f1(r.random[at], drawn) - f1(r.before, drawn) }
		gains[at] = Reviewed{
			Decisions: size, ByWorth: learn.NewInterval(len(r.before), worth), Random: learn.NewInterval(len(r.before), random),
			Ratio: learn.NewInterval(len(r.before), func(drawn []int) float64 { return worth(drawn) / max(random(drawn), 1e-9) }),
		}
	}
	return gains
}

// place is a sentence of a team's contracts.
type place struct{ contract, passage int }

// wording is the sentences with the same words. The first is the one that is asked.
type wording struct {
	places []place
	score  float64 // in doubt
	labels bool    // the score is of a label
	worth  float64 // how many labels of all are expected to be wrong or missing
}

// queue is the contracts of a team as the program has labelled them.
type queue struct {
	contracts []nlp.Example
	labels    [][][]string // by contract and passage
	wordings  []wording
}

func newQueue(m *nlp.Model, contracts []nlp.Example) *queue {
	q := &queue{contracts: contracts}
	known := map[string]int{}
	for contract, e := range contracts {
		labels := make([][]string, len(e.Passages))
		for i, p := range m.Predict(e.Passages) {
			key := strings.Join(strings.FieldsFunc(strings.ToLower(e.Passages[i].Text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), " ")
			at, ok := known[key]
			if !ok {
				at = len(q.wordings)
				known[key] = at
				q.wordings = append(q.wordings, wording{})
			}
			found := wording{}
			for _, l := range p.Labels {
				labels[i] = append(labels[i], l.Node)
				found.labels, found.score = true, l.Probability
				found.worth += 1 - l.Probability
			}
			if !found.labels && len(p.Alternatives) > 0 {
				found.score = p.Alternatives[0].Probability
			}
			for _, a := range p.Alternatives {
				found.worth += a.Probability
			}
			w := &q.wordings[at]
			w.worth += found.worth
			w.places = append(w.places, place{contract, i})
			if len(w.places) == 1 || fromEven(found.score) < fromEven(w.score) {
				last := len(w.places) - 1
				w.places[0], w.places[last] = w.places[last], w.places[0]
				w.score, w.labels = found.score, found.labels
			}
		}
		q.labels = append(q.labels, labels)
	}
	return q
}

// fromEven is how far a score is from being as likely as not.
func fromEven(score float64) float64 { return max(score-0.5, 0.5-score) }

// doubted reports whether the queue would ask about a wording.
func (q *queue) doubted(at int) bool {
	w := &q.wordings[at]
	return w.labels && w.score < mostDoubt || !w.labels && w.score >= leastDoubt
}

// claim returns the wordings that are worth most of those that are considered.
func (q *queue) claim(decided []bool, n int) []int {
	var labelled, others []int
	for at := range q.wordings {
		switch {
		case decided[at] || !q.doubted(at):
		case q.wordings[at].labels:
			labelled = append(labelled, at)
		default:
			others = append(others, at)
		}
	}
	slices.SortStableFunc(labelled, func(a, b int) int { return cmp.Compare(q.wordings[a].score, q.wordings[b].score) })
	slices.SortStableFunc(others, func(a, b int) int { return cmp.Compare(q.wordings[b].score, q.wordings[a].score) })
	considered := slices.Concat(labelled[:min(len(labelled), mostConsidered)], others[:min(len(others), mostConsidered)])
	slices.SortStableFunc(considered, func(a, b int) int { return cmp.Compare(q.wordings[b].worth, q.wordings[a].worth) })
	considered = considered[:min(len(considered), n)]
	for _, at := range considered {
		decided[at] = true
	}
	return considered
}

// clone is q with labels of its own.
func (q *queue) clone() *queue {
	fresh := *q
	fresh.labels = make([][][]string, len(q.labels))
	for i, labels := range q.labels {
		fresh.labels[i] = slices.Clone(labels)
	}
	return &fresh
}

// decide gives all sentences of a wording the right labels of the first.
func (q *queue) decide(at int) {
	places := q.wordings[at].places
	right := q.contracts[places[0].contract].Labels[places[0].passage]
	for _, p := range places {
		q.labels[p.contract][p.passage] = right
	}
}

// tallies compares the labels of each contract with the right ones.
func (q *queue) tallies() []learn.Tally {
	tallies := make([]learn.Tally, len(q.contracts))
	for contract, e := range q.contracts {
		for i, labels := range q.labels[contract] {
			for _, l := range labels {
				tallies[contract].Add(true, slices.Contains(e.Labels[i], l))
			}
			for _, l := range e.Labels[i] {
				if !slices.Contains(labels, l) {
					tallies[contract].Add(false, true)
				}
			}
		}
	}
	return tallies
}

// ReviewChart draws what the decisions of a review are worth.
func ReviewChart(gains []Reviewed) Chart {
	c := comparison("Micro F1 that decisions add to the labels of a team's contracts", 0.1, "by worth", "random order")
	for _, g := range gains {
		c.add(g.Decisions, g.ByWorth, g.Random)
	}
	return c
}

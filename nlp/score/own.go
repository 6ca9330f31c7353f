package score

import (
	"cmp"
	"context"
	"slices"

	"github.com/clausemill/clausemill/nlp"
	"github.com/clausemill/clausemill/nlp/learn"
)

// Taught is how well labels that a team taught are found in contracts that nobody
// decided about: the mean of the F1 of each.
type Taught struct {
	Decisions int            `json:"decisions"` // on each label
	F1        learn.Interval `json:"f1"`
	// Peer is the F1 of logistic regression on the same decisions, at the threshold that
	// is the best for the contracts it is scored on.
	Peer learn.Interval `json:"peer"`
	// Gain is the difference.
	Gain learn.Interval `json:"gain"`
}

// TaughtSizes are the numbers of decisions that labels are taught with.
var TaughtSizes = []int{10, 20, 50, 100, 200}

// taughtLabels is how many labels are held out.
const taughtLabels = 10

// OwnLabels holds out the ten labels with the most sentences, of those that not every
// contract has, one by one. A base model learns the others from two fifths of the
// contracts; a team teaches it the one by random decisions on the next two fifths, of
// which half say that it is right and the rest are on other sentences of the same
// contracts; and it is looked for in the last fifth. tell is told of each label.
func (c *Corpus) OwnLabels(ctx context.Context, tell func(node string, taught []Taught)) ([]Taught, error) {
	nodes, examples := c.Labels()
	counts := map[string]int{}
	for _, e := range examples {
		for _, labels := range e.Labels {
			for _, label := range labels {
				counts[label]++
			}
		}
	}
	held := slices.DeleteFunc(slices.Clone(nodes), func(n string) bool { return counts[n] < 2*nlp.LeastExamples || slices.Contains(Everywhere, n) })
	slices.SortStableFunc(held, func(a, b string) int { return counts[b] - counts[a] })
	held = held[:min(len(held), taughtLabels)]
	var seen, pool, unseen []nlp.Example
	for i, e := range examples {
		switch i % learn.Folds {
		case 0, 1:
			seen = append(seen, e)
		case 2, 3:
			pool = append(pool, e)
		default:
			unseen = append(unseen, e)
		}
	}
	var all [][]taughtTally
	for _, node := range held {
		base, err := nlp.Train(ctx, slices.DeleteFunc(slices.Clone(nodes), func(n string) bool { return n == node }), without(seen, node))
		if err != nil {
			return nil, err
		}
		tallies, err := teach(ctx, base, node, pool, unseen)
		if err != nil {
			return nil, err
		}
		tell(node, newTaught([][]taughtTally{tallies}, len(unseen)))
		all = append(all, tallies)
	}
	return newTaught(all, len(unseen)), nil
}

// without is examples that nobody labelled with node.
func without(examples []nlp.Example, node string) []nlp.Example {
	rest := slices.Clone(examples)
	for i, e := range rest {
		rest[i].Labels = make([][]string, len(e.Labels))
		for k, labels := range e.Labels {
			rest[i].Labels[k] = slices.DeleteFunc(slices.Clone(labels), func(l string) bool { return l == node })
		}
	}
	return rest
}

// taughtTally is what both found of one label after so many decisions, by contract.
type taughtTally struct{ ours, peer []learn.Tally }

// teach teaches base a label by decisions on pool, and looks for it in unseen.
func teach(ctx context.Context, base *nlp.Model, node string, pool, unseen []nlp.Example) ([]taughtTally, error) {
	var asked []terms
	var right []bool
	for _, e := range unseen {
		for i, p := range e.Passages {
			asked, right = append(asked, newTerms(p.Text)), append(right, slices.Contains(e.Labels[i], node))
		}
	}
	tallies := make([]taughtTally, len(TaughtSizes))
	for at, size := range TaughtSizes {
		decisions := decide(pool, node, size)
		team, _, err := base.Adapt(ctx, decisions)
		if err != nil {
			return nil, err
		}
		regression := newRegression(decisions, node)
		scores := make([]float64, len(asked))
		for i, t := range asked {
			scores[i] = regression.score(t)
		}
		threshold := bestThreshold(scores, right)
		n := 0
		for _, e := range unseen {
			var ours, peer learn.Tally
			for i, p := range team.Predict(e.Passages) {
				is := slices.Contains(e.Labels[i], node)
				ours.Add(slices.ContainsFunc(p.Labels, func(s nlp.Score) bool { return s.Node == node }), is)
				peer.Add(scores[n] >= threshold, is)
				n++
			}
			tallies[at].ours, tallies[at].peer = append(tallies[at].ours, ours), append(tallies[at].peer, peer)
		}
	}
	return tallies, nil
}

// decide returns contracts with a number of random decisions on node, and others of
// the team that nobody decided about.
func decide(pool []nlp.Example, node string, size int) []nlp.Example {
	random := learn.Randomizer(size)
	type place struct{ contract, passage int }
	var carrying []place
	for i, e := range pool {
		for k, labels := range e.Labels {
			if slices.Contains(labels, node) {
				carrying = append(carrying, place{i, k})
			}
		}
	}
	order := make([]int, len(carrying))
	for i := range order {
		order[i] = i
	}
	random.Shuffle(order)
	chosen := order[:min(len(order), size/2)]
	decided := map[int]nlp.Example{}
	mark := func(p place) (fresh bool) {
		e, ok := decided[p.contract]
		if !ok {
			e = pool[p.contract]
			e.Decided = make([]bool, len(e.Passages))
			decided[p.contract] = e
		}
		fresh = !e.Decided[p.passage]
		e.Decided[p.passage] = true
		return fresh
	}
	for _, i := range chosen {
		mark(carrying[i])
	}
	for left, tries := size-len(chosen), 0; left > 0 && len(chosen) > 0 && tries < 100*size; tries++ {
		at := carrying[chosen[random.Below(len(chosen))]]
		at.passage = random.Below(len(pool[at.contract].Passages))
		if !slices.Contains(pool[at.contract].Labels[at.passage], node) && mark(at) {
			left--
		}
	}
	var decisions []nlp.Example
	others := 0
	for i, e := range pool {
		if of, ok := decided[i]; ok {
			decisions = append(decisions, of)
		} else if others < nlp.OtherFiles {
			e.Decided = make([]bool, len(e.Passages))
			decisions = append(decisions, e)
			others++
		}
	}
	return decisions
}

// bestThreshold is the score with the best F1.
func bestThreshold(scores []float64, right []bool) (threshold float64) {
	order := make([]int, len(scores))
	total := 0
	for i := range order {
		order[i] = i
		total += learn.Bit(right[i])
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	best, hits := -1.0, 0
	for n, i := range order {
		hits += learn.Bit(right[i])
		if n+1 < len(order) && scores[order[n+1]] == scores[i] {
			continue
		}
		if f1 := learn.Ratio(2*hits, n+1+total); f1 > best {
			best, threshold = f1, scores[i]
		}
	}
	return threshold
}

// newTaught is the means over labels, with their intervals.
func newTaught(labels [][]taughtTally, contracts int) []Taught {
	taught := make([]Taught, len(TaughtSizes))
	for at, size := range TaughtSizes {
		mean := func(drawn []int, of func(t taughtTally) []learn.Tally) (sum float64) {
			for _, l := range labels {
				var all learn.Tally
				for _, i := range drawn {
					all.Plus(of(l[at])[i])
				}
				sum += all.F1() / float64(len(labels))
			}
			return sum
		}
		ours := func(drawn []int) float64 { return mean(drawn, func(t taughtTally) []learn.Tally { return t.ours }) }
		peer := func(drawn []int) float64 { return mean(drawn, func(t taughtTally) []learn.Tally { return t.peer }) }
		taught[at] = Taught{
			Decisions: size, F1: learn.NewInterval(contracts, ours), Peer: learn.NewInterval(contracts, peer),
			Gain: learn.NewInterval(contracts, func(drawn []int) float64 { return ours(drawn) - peer(drawn) }),
		}
	}
	return taught
}

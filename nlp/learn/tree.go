package learn

import (
	"context"
	"math"
	"slices"
	"sort"
)

// tree is a decision tree as a list of branches, the root first. Children come
// after their parents.
type tree []branch

// branch compares one observation with a cut, or is a leaf.
type branch struct {
	observation int16 // leaf if negative
	low, high   int16 // the child nodes: up to the cut and above it
	value       float32
}

const leaf = -1

// MostDepth bounds the branches from the root of a tree to a leaf.
const MostDepth = 5

// fullTree is a tree whose leaves all lie at the same depth, so that walking it
// takes no decision that a processor could guess wrong: the children of branch i
// are 2i+1 and 2i+2, and the leaves come after the branches.
type fullTree struct {
	observations [1<<MostDepth - 1]uint8
	cuts         [1<<MostDepth - 1]float32
	leaves       [1 << MostDepth]float32
}

// fill makes branch at of t, and all below it, of that of a tree, and reports
// whether the tree is no deeper than it may be.
func (t *fullTree) fill(at int, of tree, branch int16) bool {
	b := of[branch]
	if at >= len(t.cuts) {
		t.leaves[at-len(t.cuts)] = b.value
		return b.observation == leaf
	}
	if b.observation == leaf {
		return t.fill(2*at+1, of, branch) && t.fill(2*at+2, of, branch)
	}
	t.observations[at], t.cuts[at] = uint8(b.observation), b.value
	return t.fill(2*at+1, of, b.low) && t.fill(2*at+2, of, b.high)
}

// Forest adds up trees; the sum is the logarithm of the odds.
type Forest struct {
	base  float32
	trees []tree
	full  []fullTree // the same, to be walked
}

// add adds a tree, and reports whether it is no deeper than it may be.
func (f *Forest) add(t tree) bool {
	f.trees, f.full = append(f.trees, t), append(f.full, fullTree{})
	return f.full[len(f.full)-1].fill(0, t, 0)
}

// Score is the logarithm of the odds of what is observed.
func (f *Forest) Score(observations []float32) float32 {
	sum := f.base
	for i := range f.full {
		t, at := &f.full[i], 0
		for range MostDepth {
			at = 2*at + 1 + Bit(!(observations[t.observations[at]] <= t.cuts[at]))
		}
		sum += t.leaves[at-len(t.cuts)]
	}
	return sum
}

// Probability is that of what is observed.
func (f *Forest) Probability(observations []float32) float32 {
	return float32(Logistic(float64(f.Score(observations))))
}

// ForestOptions are the settings of TrainForest.
type ForestOptions struct {
	Trees, Depth int
	LeastRows    int     // in a leaf
	Rate         float64 // at which a tree corrects those before it
	Ridge        float64 // pulls the values of leaves towards zero
}

// bins is the number of quantile bins of a feature; cuts are between them. Examples
// of a node are a tenth of all: with fewer bins their scores would hardly be
// distinguished.
const bins = 128

// TrainForest grows trees one after the other, each on the gradient of the
// logistic loss that those before it leave (Friedman, 2001, with the second
// derivative as in Chen and Guestrin, 2016). rows holds width observations for
// each answer. Every tree sees half of the observations, chosen from a fixed
// seed. It stops where ctx ends; what was learned by then is of no use.
func TrainForest(ctx context.Context, rows []float32, width int, answers []bool, options ForestOptions) *Forest {
	g := &grower{width: width, options: options, binned: make([]uint8, len(rows)), cuts: make([][]float32, width)}
	g.bin(rows)
	yes := 0
	for _, answer := range answers {
		yes += Bit(answer)
	}
	f := &Forest{base: float32(math.Log((float64(yes) + 0.5) / (float64(len(answers)-yes) + 0.5)))}
	g.scores = slices.Repeat([]float32{f.base}, len(answers))
	g.gradient, g.curvature = make([]float64, len(answers)), make([]float64, len(answers))
	g.tried = make([]bool, width)
	random := Randomizer(1)
	order := make([]int32, len(answers))
	for range options.Trees {
		if ctx.Err() != nil {
			break
		}
		for i, answer := range answers {
			p := Logistic(float64(g.scores[i]))
			g.gradient[i], g.curvature[i] = p-float64(Bit(answer)), p*(1-p)
			order[i] = int32(i)
		}
		for i := range g.tried {
			g.tried[i] = random.Below(2) == 0
		}
		g.tree = nil
		g.grow(order, 0)
		f.add(g.tree)
	}
	return f
}

// Logistic makes the logarithm of odds a probability.
func Logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// grower grows the trees of one forest.
type grower struct {
	width   int
	options ForestOptions

	cuts   [][]float32 // by observation, in order
	binned []uint8     // the rows, each observation as the number of cuts below it

	scores              []float32
	gradient, curvature []float64
	tried               []bool // by observation: this tree may look at it
	tree                tree
}

func (g *grower) bin(rows []float32) {
	n := len(rows) / g.width
	column := make([]float32, n)
	for at := range g.width {
		for i := range column {
			column[i] = rows[i*g.width+at]
		}
		slices.Sort(column)
		var cuts []float32
		for b := 1; b < bins; b++ {
			cut := column[b*(n-1)/bins]
			if (len(cuts) == 0 || cut > cuts[len(cuts)-1]) && cut < column[n-1] {
				cuts = append(cuts, cut)
			}
		}
		g.cuts[at] = cuts
		for i := range n {
			value := rows[i*g.width+at]
			g.binned[i*g.width+at] = uint8(sort.Search(len(cuts), func(k int) bool { return value <= cuts[k] }))
		}
	}
}

// grow adds the branch that the rows come to and all below it, and returns its
// place in the tree.
func (g *grower) grow(rows []int32, depth int) int16 {
	at := len(g.tree)
	g.tree = append(g.tree, branch{observation: leaf})
	var gradient, curvature float64
	for _, row := range rows {
		gradient += g.gradient[row]
		curvature += g.curvature[row]
	}
	observation, bin := leaf, 0
	if depth < g.options.Depth {
		observation, bin = g.split(rows, gradient, curvature)
	}
	if observation == leaf {
		value := float32(-g.options.Rate * gradient / (curvature + g.options.Ridge))
		g.tree[at].value = value
		for _, row := range rows {
			g.scores[row] += value
		}
		return int16(at)
	}
	low, high := 0, len(rows)
	for low < high {
		if int(g.binned[int(rows[low])*g.width+observation]) <= bin {
			low++
		} else {
			high--
			rows[low], rows[high] = rows[high], rows[low]
		}
	}
	b := branch{observation: int16(observation), value: g.cuts[observation][bin]}
	b.low = g.grow(rows[:low], depth+1)
	b.high = g.grow(rows[low:], depth+1)
	g.tree[at] = b
	return int16(at)
}

// leastGain is what a split has to gain; less is the noise of rounding.
const leastGain = 1e-3

// split finds the observation and the bin after which rows are best parted, or
// leaf where no split gains anything.
func (g *grower) split(rows []int32, gradient, curvature float64) (observation, bin int) {
	type sums struct {
		gradient, curvature float64
		rows                int
	}
	strength := func(gradient, curvature float64) float64 {
		return gradient * gradient / (curvature + g.options.Ridge)
	}
	best := leastGain + strength(gradient, curvature)
	observation = leaf
	for at, cuts := range g.cuts {
		if !g.tried[at] || len(cuts) == 0 {
			continue
		}
		var histogram [bins]sums
		for _, row := range rows {
			s := &histogram[g.binned[int(row)*g.width+at]]
			s.gradient += g.gradient[row]
			s.curvature += g.curvature[row]
			s.rows++
		}
		var low sums
		for b := range cuts {
			low.gradient += histogram[b].gradient
			low.curvature += histogram[b].curvature
			low.rows += histogram[b].rows
			if low.rows < g.options.LeastRows || len(rows)-low.rows < g.options.LeastRows {
				continue
			}
			if gain := strength(low.gradient, low.curvature) + strength(gradient-low.gradient, curvature-low.curvature); gain > best {
				best, observation, bin = gain, at, b
			}
		}
	}
	return observation, bin
}

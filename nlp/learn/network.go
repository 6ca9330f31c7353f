package learn

import (
	"context"
	"encoding/binary"
	"math"
)

// NetworkOptions are the settings of TrainNetwork. They were chosen by cross-validation
// over contracts; docs/clause-labels.md has the figures.
type NetworkOptions struct {
	Units  int     // of the hidden layer
	Passes int     // over the passages; the last is slower, so that it settles
	Rate   float64 // of Adagrad
}

// Network scores passages for all nodes by one hidden layer of rectified units: it learns
// which words stand for the same, which linear models do not. The weights of one feature
// lie side by side.
type Network struct {
	nodes, units int
	places       []int32   // by row of the vocabulary: the place of its weights, or -1
	weights      []float32 // by place and unit
	bias         []float32 // by unit
	out          []float32 // by node and unit
	outBias      []float32 // by node
}

// Units is how many sums Add makes.
func (n *Network) Units() int { return n.units }

// Knows reports whether a row has weights.
func (n *Network) Knows(row int32) bool { return n.places[row] >= 0 }

// Add adds to the sums of the units what entries weigh.
func (n *Network) Add(entries []Entry, sums []float32) {
	for _, e := range entries {
		place := n.places[e.Row]
		if place < 0 {
			continue
		}
		weights := n.weights[int(place)*n.units:][:len(sums)]
		for unit, weight := range weights {
			sums[unit] += float32(e.Value * weight) // converted, so that no machine fuses it with the sum
		}
	}
}

// Score makes of the sums of the units a score for each node: logarithms of odds, as far as
// they were seen in training. The sums are of no use afterwards.
func (n *Network) Score(sums, scores []float32) {
	for unit, sum := range sums {
		sums[unit] = max(0, sum+n.bias[unit])
	}
	for node := range scores {
		score := n.outBias[node]
		for unit, weight := range n.out[node*n.units:][:len(sums)] {
			score += float32(sums[unit] * weight)
		}
		scores[node] = score
	}
}

// What training starts from and leaves out.
const (
	startingWeight = 0.1  // of each unit, at most, up or down
	startingSquare = 1e-2 // of the gradients, so that the first steps are no leaps
	settling       = 0.3  // of the rate, in the last pass
	rightEnough    = 0.01 // the error from which a passage teaches anything
	nodeEnough     = 1e-3 // and a node of it
)

// TrainNetwork learns the nodes of passages, which wanted has as bit sets, by Adagrad with
// one rate to a feature (Duchi et al., 2011). Half of the features of a passage are left out
// each time, by chance from a fixed seed, so that no unit relies on one word. chosen says of
// which rows it learns. It stops where ctx ends; what was learned by then is of no use.
func TrainNetwork(ctx context.Context, vectors [][]Entry, wanted []uint64, nodes int, chosen []bool, options NetworkOptions) *Network {
	t := newNetworkTrainer(chosen, wanted, nodes, options.Units)
	t.learn(ctx, vectors, wanted, options)
	return &t.Network
}

// networkTrainer is a network while it is being learned, with the squares of the gradients
// so far.
type networkTrainer struct {
	Network

	random      Randomizer
	squares     []float32 // by place
	outSquares  []float32 // by node
	biasSquares float32

	kept            []Entry // of the passage at hand
	sums, hidden    []float32
	errors, unitErr []float32
}

func newNetworkTrainer(chosen []bool, wanted []uint64, nodes, units int) *networkTrainer {
	places, known := make([]int32, len(chosen)), 0
	for row, is := range chosen {
		places[row] = -1
		if is {
			places[row] = int32(known)
			known++
		}
	}
	t := &networkTrainer{
		Network: Network{nodes: nodes, units: units, places: places, weights: make([]float32, known*units), bias: make([]float32, units), out: make([]float32, nodes*units), outBias: make([]float32, nodes)},
		random:  Randomizer(1), squares: make([]float32, known), outSquares: make([]float32, nodes), biasSquares: startingSquare,
		sums: make([]float32, units), hidden: make([]float32, units), errors: make([]float32, nodes), unitErr: make([]float32, units),
	}
	for _, weights := range [...][]float32{t.weights, t.out} {
		for i := range weights {
			weights[i] = startingWeight * (float32(t.random.Below(1<<20))/(1<<19) - 1)
		}
	}
	for _, squares := range [...][]float32{t.squares, t.outSquares} {
		for i := range squares {
			squares[i] = startingSquare
		}
	}
	for node := range nodes {
		count := 1
		for _, set := range wanted {
			count += int(set >> node & 1)
		}
		t.outBias[node] = float32(math.Log(float64(count) / float64(len(wanted)+1)))
	}
	return t
}

func (t *networkTrainer) learn(ctx context.Context, vectors [][]Entry, wanted []uint64, options NetworkOptions) {
	order := make([]int, len(vectors))
	for i := range order {
		order[i] = i
	}
	for pass := range options.Passes {
		if ctx.Err() != nil {
			return
		}
		rate := float32(options.Rate)
		if pass == options.Passes-1 {
			rate *= settling
		}
		t.random.Shuffle(order)
		for _, i := range order {
			t.step(vectors[i], wanted[i], rate)
		}
	}
}

// step learns from one passage.
func (t *networkTrainer) step(entries []Entry, wanted uint64, rate float32) {
	t.kept = t.kept[:0]
	for _, e := range entries {
		if t.places[e.Row] >= 0 && t.random.Below(2) == 0 {
			t.kept = append(t.kept, Entry{Row: e.Row, Value: 2 * e.Value})
		}
	}
	clear(t.sums)
	t.Add(t.kept, t.sums)
	copy(t.hidden, t.sums)
	t.Score(t.hidden, t.errors)
	worst := float32(0)
	for node, score := range t.errors {
		t.errors[node] = float32(Logistic(float64(score))) - float32(wanted>>node&1)
		worst = max(worst, t.errors[node], -t.errors[node])
	}
	if worst < rightEnough {
		return
	}
	clear(t.unitErr)
	length := float32(1)
	for _, x := range t.hidden {
		length += float32(x * x)
	}
	for node, failure := range t.errors {
		if failure < nodeEnough && failure > -nodeEnough {
			continue
		}
		weights := t.out[node*t.units:][:len(t.hidden)]
		t.outSquares[node] += float32(failure*failure) * length / float32(t.units+1)
		step := rate * failure / float32(math.Sqrt(float64(t.outSquares[node])))
		for unit, x := range t.hidden {
			t.unitErr[unit] += float32(failure * weights[unit])
			weights[unit] -= float32(step * x)
		}
		t.outBias[node] -= step
	}
	square := float32(0)
	for unit := range t.unitErr {
		if t.hidden[unit] == 0 {
			t.unitErr[unit] = 0
		}
		square += float32(t.unitErr[unit] * t.unitErr[unit])
	}
	square /= float32(t.units)
	if square == 0 {
		return
	}
	t.biasSquares += square
	step := rate / float32(math.Sqrt(float64(t.biasSquares)))
	for unit, failure := range t.unitErr {
		t.bias[unit] -= float32(step * failure)
	}
	for _, e := range t.kept {
		place := int(t.places[e.Row])
		t.squares[place] += float32(square * e.Value * e.Value)
		step := rate * e.Value / float32(math.Sqrt(float64(t.squares[place])))
		weights := t.weights[place*t.units:][:len(t.unitErr)]
		for unit, failure := range t.unitErr {
			weights[unit] -= float32(step * failure)
		}
	}
}

// Round makes each weight a whole number of the unit of its feature, as Append writes it.
func (n *Network) Round() {
	for place := range len(n.weights) / max(1, n.units) {
		weights := n.weights[place*n.units:][:n.units]
		unit := unitOf(weights)
		for i, weight := range weights {
			weights[i] = float32(float32(math.Round(float64(weight/unit))) * unit)
		}
	}
}

// unitOf is what the weights of a feature are counted in, so that each is a byte.
func unitOf(weights []float32) float32 {
	most := float32(math.SmallestNonzeroFloat32)
	for _, weight := range weights {
		most = max(most, weight, -weight)
	}
	return most / math.MaxInt8
}

// Append writes the weights in a byte each.
func (n *Network) Append(data []byte) []byte {
	data = binary.AppendUvarint(data, uint64(n.units))
	data = binary.AppendUvarint(data, uint64(len(n.weights)/max(1, n.units)))
	last := 0
	for row, place := range n.places {
		if place < 0 {
			continue
		}
		weights := n.weights[int(place)*n.units:][:n.units]
		unit := unitOf(weights)
		data = binary.AppendUvarint(data, uint64(row-last))
		data = AppendFloats(data, []float32{unit})
		for _, weight := range weights {
			data = append(data, byte(int8(math.Round(float64(weight/unit)))))
		}
		last = row
	}
	for _, floats := range [...][]float32{n.bias, n.out, n.outBias} {
		data = AppendFloats(data, floats)
	}
	return data
}

// mostUnits bounds the hidden layer of a network that is read.
const mostUnits = 1 << 10

// Network reads one for so many nodes, of the rows of a vocabulary.
func (p *Parser) Network(nodes, rows int) *Network {
	n := &Network{nodes: nodes, units: int(p.number(mostUnits)), places: make([]int32, rows)}
	for row := range n.places {
		n.places[row] = -1
	}
	known := p.Count(1 + 4 + n.units)
	n.weights = make([]float32, known*n.units)
	row := 0
	for place := range known {
		step := int(p.number(math.MaxInt32))
		row += step
		unit, weights := p.Float(), p.Bytes(n.units)
		if p.failed || row >= rows || place > 0 && step == 0 {
			p.Fail()
			return nil
		}
		n.places[row] = int32(place)
		for i, weight := range weights {
			n.weights[place*n.units+i] = float32(float32(int8(weight)) * unit)
		}
	}
	n.bias, n.out, n.outBias = p.Floats(n.units), p.Floats(nodes*n.units), p.Floats(nodes)
	if p.failed {
		return nil
	}
	return n
}

package nlp

// weights are those of all linear models, packed: most are so small that they
// make no difference, and are left out.
type weights struct {
	starts []uint32 // by row of the vocabulary, and the end: where its weights begin
	packed []weight
}

// weight is a number in units of its model and the slot of that model: the view
// times the nodes, plus the node. They lie in one, because reading them is what
// most of a prediction's time is spent on.
type weight uint16

func newWeight(slot int, value int8) weight { return weight(slot)<<8 | weight(uint8(value)) }

func (w weight) slot() uint8 { return uint8(w >> 8) }

func (w weight) value() int8 { return int8(w) }

// slotSums has room for the sums of every slot there can be, so that none needs to
// be checked.
type slotSums [1 << 8]float32

// calibration makes the sums of one view logarithms of odds, by node.
type calibration struct {
	units []float32
	bias  []float32 // in units of 1
	slope []float32
	shift []float32
}

// add adds to the sum of each model what entries weigh in it. Features around a
// passage have no weight in the view of its own words.
func (w *weights) add(entries []entry, sums *slotSums) {
	for _, e := range entries {
		for _, p := range w.packed[w.starts[e.row]:w.starts[e.row+1]] {
			sums[p.slot()] += float32(e.value * float32(p.value())) // converted, so that no machine fuses it with the sum
		}
	}
}

func (c *calibration) apply(sums, scores []float32) {
	for node := range scores {
		sum := float32(sums[node]*c.units[node]) + c.bias[node]
		scores[node] = float32(sum*c.slope[node]) + c.shift[node]
	}
}

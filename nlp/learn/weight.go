package learn

// LeastPacked is the packed weight below which a feature is left out for a node.
// More than half of all weights are smaller; without them scores are the same.
const LeastPacked = 3

// Weights are those of all linear models, packed: most are so small that they
// make no difference, and are left out.
type Weights struct {
	Starts []uint32 // by row of the vocabulary, and the end: where its weights begin
	Packed []Weight
}

// Weight is a number in units of its model and the slot of that model: the view
// times the nodes, plus the node. They lie in one, because reading them is what
// most of a prediction's time is spent on.
type Weight uint16

// NewWeight is value in a slot.
func NewWeight(slot int, value int8) Weight { return Weight(slot)<<8 | Weight(uint8(value)) }

// Slot is that of the model.
func (w Weight) Slot() uint8 { return uint8(w >> 8) }

// Value is in units of the model.
func (w Weight) Value() int8 { return int8(w) }

// SlotSums has room for the sums of every slot there can be, so that none needs to
// be checked.
type SlotSums [1 << 8]float32

// Add adds to the sum of each model what entries weigh in it. Features around a
// passage have no weight in the view of its own words.
func (w *Weights) Add(entries []Entry, sums *SlotSums) {
	for _, e := range entries {
		for _, p := range w.Packed[w.Starts[e.Row]:w.Starts[e.Row+1]] {
			sums[p.Slot()] += float32(e.Value * float32(p.Value())) // converted, so that no machine fuses it with the sum
		}
	}
}

// Of returns the weight of a row for one slot, in the slot's units.
func (w *Weights) Of(row int32, slot int) float32 {
	for _, p := range w.Packed[w.Starts[row]:w.Starts[row+1]] {
		if int(p.Slot()) == slot {
			return float32(p.Value())
		}
	}
	return 0
}

// Calibration makes the sums of one view logarithms of odds, by node.
type Calibration struct {
	Units []float32
	Bias  []float32 // in units of 1
	Slope []float32
	Shift []float32
}

// Apply makes scores of the sums of one view, one for each node.
func (c *Calibration) Apply(sums, scores []float32) {
	for node := range scores {
		sum := float32(sums[node]*c.Units[node]) + c.Bias[node]
		scores[node] = sum
	}
	c.Line(scores)
}

// Line makes the scores of a model logarithms of odds, one for each node.
func (c *Calibration) Line(scores []float32) {
	for node := range scores {
		scores[node] = float32(scores[node]*c.Slope[node]) + c.Shift[node]
	}
}

package label

import (
	"math"

	"github.com/clausemill/clausemill/nlp/learn"
)

// format opens every model file: a name and the version of the format. A
// change of the features, the views or the observations makes old models
// meaningless, so the version rises with it.
const format = "clausemill labels 5\n"

// AppendBinary appends m in the form that Parse reads.
func (m *Model) AppendBinary(data []byte) ([]byte, error) {
	start := len(data)
	data = append(data, format...)
	data = learn.AppendNames(data, m.nodes, m.known)
	data = learn.AppendFloats(data, m.floors)
	data = learn.AppendFloats(data, m.frequency)
	data = learn.AppendFloats(data, []float32{m.threshold})
	data = learn.AppendFeatures(data, m.vocabulary, &m.weights)
	for view := range linearViews {
		c := &m.views[view]
		for _, floats := range [...][]float32{c.Units, c.Bias, c.Slope, c.Shift} {
			data = learn.AppendFloats(data, floats)
		}
	}
	data = m.network.Append(data)
	data = learn.AppendFloats(learn.AppendFloats(data, m.views[networkView].Slope), m.views[networkView].Shift)
	data = m.forest.Append(data)
	data = m.layer.Append(data)
	data = m.own.append(data)
	return learn.Seal(data, start), nil
}

// Parse reads a model. Bytes that are none give an error, and what they
// claim of sizes is not believed.
func Parse(data []byte) (*Model, error) { return learn.Parse(data, format, read) }

func read(p *learn.Parser) *Model {
	m := &Model{}
	names, nodes, ok := p.Names(1, math.MaxInt)
	if !ok || nodes > mostNodes {
		p.Fail()
		return nil
	}
	m.nodes, m.known = names, nodes
	m.floors, m.frequency, m.threshold = p.Floats(nodes), p.Floats(nodes), p.Float()
	if m.threshold <= 0 || m.threshold >= 1 {
		p.Fail()
	}
	m.vocabulary, m.weights = p.Features(linearViews * nodes)
	for view := range linearViews {
		m.views[view] = learn.Calibration{Units: p.Floats(nodes), Bias: p.Floats(nodes), Slope: p.Floats(nodes), Shift: p.Floats(nodes)}
	}
	if m.vocabulary == nil {
		p.Fail()
		return nil
	}
	m.network = p.Network(nodes, len(m.vocabulary.Keys))
	m.views[networkView] = learn.Calibration{Slope: p.Floats(nodes), Shift: p.Floats(nodes)}
	m.forest = p.Forest(observations)
	m.layer = p.LayerOf(nodes, nodes, m.vocabulary)
	m.own = readOwn(p, m)
	return m
}

// append writes own labels, if there are any.
func (o *own) append(data []byte) []byte {
	if o == nil {
		return append(data, 0)
	}
	data = learn.AppendCounts(append(data, 1), o.strange, o.counts)
	data = learn.AppendFloats(data, []float32{float32(o.passages)})
	data = o.machines.Append(data)
	return learn.AppendFloats(learn.AppendFloats(data, o.slopes), o.shifts)
}

func readOwn(p *learn.Parser, m *Model) *own {
	labels := len(m.nodes) - m.known
	if p.Count(1) == 0 {
		if labels > 0 {
			p.Fail()
		}
		return nil
	}
	o := &own{}
	o.strange, o.counts = p.Counts()
	o.passages = int(p.Float())
	if m.vocabulary == nil {
		p.Fail()
		return nil
	}
	o.vocabulary = m.vocabulary.Extended(o.strange, o.counts, o.passages)
	if o.machines = p.Machines(len(o.vocabulary.Keys) + m.known); o.machines == nil || len(o.machines.Bias) != labels {
		p.Fail()
		return nil
	}
	o.slopes, o.shifts = p.Floats(labels), p.Floats(labels)
	return o
}

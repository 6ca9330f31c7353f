package label

import "github.com/clausemill/clausemill/nlp/learn"

// format opens every model file: a name and the version of the format. A
// change of the features, the views or the observations makes old models
// meaningless, so the version rises with it.
const format = "clausemill labels 3\n"

// AppendBinary appends m in the form that Parse reads.
func (m *Model) AppendBinary(data []byte) ([]byte, error) {
	start := len(data)
	data = append(data, format...)
	data = learn.AppendNames(data, m.nodes, m.known)
	data = learn.AppendFloats(data, m.floors)
	data = learn.AppendFloats(data, m.frequency)
	data = learn.AppendFloats(data, []float32{m.threshold})
	data = learn.AppendFeatures(data, m.vocabulary, &m.weights)
	for view := range m.views {
		c := &m.views[view]
		for _, floats := range [...][]float32{c.Units, c.Bias, c.Slope, c.Shift} {
			data = learn.AppendFloats(data, floats)
		}
	}
	data = m.forest.Append(data)
	data = m.layer.Append(data)
	return learn.Seal(data, start), nil
}

// Parse reads a model. Bytes that are none give an error, and what they
// claim of sizes is not believed.
func Parse(data []byte) (*Model, error) { return learn.Parse(data, format, read) }

func read(p *learn.Parser) *Model {
	m := &Model{}
	names, nodes, ok := p.Names(1, mostNodes)
	if !ok {
		return nil
	}
	m.nodes, m.known = names, nodes
	m.floors, m.frequency, m.threshold = p.Floats(nodes), p.Floats(nodes), p.Float()
	if m.threshold <= 0 || m.threshold >= 1 {
		p.Fail()
	}
	m.vocabulary, m.weights = p.Features(views * nodes)
	for view := range m.views {
		m.views[view] = learn.Calibration{Units: p.Floats(nodes), Bias: p.Floats(nodes), Slope: p.Floats(nodes), Shift: p.Floats(nodes)}
	}
	m.forest = p.Forest(observations)
	m.layer = p.LayerOf(len(names), nodes, m.vocabulary)
	return m
}

package doctype

import "github.com/clausemill/clausemill/nlp/learn"

// format opens every model of types: a name and the version of the
// format, which rises with every change of the features or the views.
const format = "clausemill types 2\n"

// AppendBinary appends m in the form that Parse reads.
func (m *Model) AppendBinary(data []byte) ([]byte, error) {
	start := len(data)
	data = append(data, format...)
	data = learn.AppendNames(data, m.types, m.known)
	data = learn.AppendFloats(data, m.titled[:])
	data = learn.AppendFloats(data, []float32{m.untitled})
	data = learn.AppendFeatures(data, m.vocabulary, &m.weights)
	for view := range m.views {
		data = learn.AppendFloats(data, m.views[view].Units)
		data = learn.AppendFloats(data, m.views[view].Bias)
	}
	data = m.layer.Append(data)
	return learn.Seal(data, start), nil
}

// Parse reads a model of types. Bytes that are none give an error, and
// what they claim of sizes is not believed.
func Parse(data []byte) (*Model, error) { return learn.Parse(data, format, read) }

func read(p *learn.Parser) *Model {
	m := &Model{}
	types, known, ok := p.Names(2, mostTypes)
	if !ok {
		return nil
	}
	m.types, m.known = types, known
	copy(m.titled[:], p.Floats(views))
	m.untitled = p.Float()
	m.vocabulary, m.weights = p.Features(views * known)
	for view := range m.views {
		m.views[view] = learn.Calibration{Units: p.Floats(known), Bias: p.Floats(known)}
	}
	m.layer = p.LayerOf(len(types), known, m.vocabulary)
	return m
}

package label

import (
	"encoding/binary"
	"strings"

	"github.com/clausemill/clausemill/nlp/learn"
)

// format opens every model file: a name and the version of the format. A
// change of the features, the views or the observations makes old models
// meaningless, so the version rises with it.
const format = "clausemill labels 3\n"

// AppendBinary appends m in the form that Parse reads.
func (m *Model) AppendBinary(data []byte) ([]byte, error) {
	start := len(data)
	data = append(data, format...)
	data = binary.AppendUvarint(data, uint64(len(m.nodes)))
	data = binary.AppendUvarint(data, uint64(m.known))
	for _, node := range m.nodes {
		data = binary.AppendUvarint(data, uint64(len(node)))
		data = append(data, node...)
	}
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
func Parse(data []byte) (*Model, error) {
	body, err := learn.Open(data, format)
	if err != nil {
		return nil, err
	}
	return parse(body)
}

// parse reads what lies between the name of the format and the checksum.
func parse(body []byte) (*Model, error) {
	p := &learn.Parser{Data: body}
	m := read(p)
	if err := p.Done(); err != nil {
		return nil, err
	}
	return m, nil
}

func read(p *learn.Parser) *Model {
	m := &Model{}
	all, nodes := p.Count(1), p.Count(1)
	if nodes == 0 || nodes > all || all > mostNodes {
		p.Fail()
		return nil
	}
	m.known = nodes
	for range all {
		m.nodes = append(m.nodes, strings.Clone(string(p.Bytes(p.Count(1)))))
	}
	m.floors, m.frequency, m.threshold = p.Floats(nodes), p.Floats(nodes), p.Float()
	if m.threshold <= 0 || m.threshold >= 1 {
		p.Fail()
	}
	m.vocabulary, m.weights = p.Features(views * nodes)
	for view := range m.views {
		m.views[view] = learn.Calibration{Units: p.Floats(nodes), Bias: p.Floats(nodes), Slope: p.Floats(nodes), Shift: p.Floats(nodes)}
	}
	m.forest = p.Forest(observations)
	m.layer = p.LayerOf(all, nodes, m.vocabulary)
	return m
}

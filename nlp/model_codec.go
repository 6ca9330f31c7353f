package nlp

import (
	"encoding/binary"
	"strings"
)

// modelFormat opens every model file: a name and the version of the format. A
// change of the features, the views or the observations makes old models
// meaningless, so the version rises with it.
const modelFormat = "clausemill labels 3\n"

// AppendBinary appends m in the form that ParseModel reads.
func (m *Model) AppendBinary(data []byte) ([]byte, error) {
	start := len(data)
	data = append(data, modelFormat...)
	data = binary.AppendUvarint(data, uint64(len(m.nodes)))
	data = binary.AppendUvarint(data, uint64(m.known))
	for _, node := range m.nodes {
		data = binary.AppendUvarint(data, uint64(len(node)))
		data = append(data, node...)
	}
	data = appendFloats(data, m.floors)
	data = appendFloats(data, m.frequency)
	data = appendFloats(data, []float32{m.border})
	data = appendFeatures(data, m.vocabulary, &m.weights)
	for view := range m.views {
		c := &m.views[view]
		for _, floats := range [...][]float32{c.units, c.bias, c.slope, c.shift} {
			data = appendFloats(data, floats)
		}
	}
	data = m.forest.append(data)
	data = m.layer.append(data)
	return seal(data, start), nil
}

// ParseModel reads a model. Bytes that are none give an error, and what they
// claim of sizes is not believed.
func ParseModel(data []byte) (*Model, error) {
	body, err := open(data, modelFormat)
	if err != nil {
		return nil, err
	}
	return parseModel(body)
}

// parseModel reads what lies between the name of the format and the checksum.
func parseModel(body []byte) (*Model, error) {
	p := &modelParser{data: body}
	m := readModel(p)
	if err := p.done(); err != nil {
		return nil, err
	}
	return m, nil
}

func readModel(p *modelParser) *Model {
	m := &Model{}
	all, nodes := p.count(1), p.count(1)
	if nodes == 0 || nodes > all || all > mostNodes {
		p.fail()
		return nil
	}
	m.known = nodes
	for range all {
		m.nodes = append(m.nodes, strings.Clone(string(p.bytes(p.count(1)))))
	}
	m.floors, m.frequency, m.border = p.floats(nodes), p.floats(nodes), p.float()
	if m.border <= 0 || m.border >= 1 {
		p.fail()
	}
	m.vocabulary, m.weights = p.features(views * nodes)
	for view := range m.views {
		m.views[view] = calibration{p.floats(nodes), p.floats(nodes), p.floats(nodes), p.floats(nodes)}
	}
	m.forest = p.forest(observations)
	m.layer = p.layerOf(all, nodes, m.vocabulary)
	return m
}

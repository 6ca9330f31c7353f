package nlp

import (
	"encoding/binary"
	"strings"
)

// typeModelFormat opens every model of types: a name and the version of the
// format, which rises with every change of the features or the views.
const typeModelFormat = "clausemill types 2\n"

// AppendBinary appends m in the form that ParseTypeModel reads.
func (m *TypeModel) AppendBinary(data []byte) ([]byte, error) {
	start := len(data)
	data = append(data, typeModelFormat...)
	data = binary.AppendUvarint(data, uint64(len(m.types)))
	data = binary.AppendUvarint(data, uint64(m.known))
	for _, id := range m.types {
		data = binary.AppendUvarint(data, uint64(len(id)))
		data = append(data, id...)
	}
	data = appendFloats(data, m.titled[:])
	data = appendFloats(data, []float32{m.untitled})
	data = appendFeatures(data, m.vocabulary, &m.weights)
	for view := range m.views {
		data = appendFloats(data, m.views[view].units)
		data = appendFloats(data, m.views[view].bias)
	}
	data = m.layer.append(data)
	return seal(data, start), nil
}

// ParseTypeModel reads a model of types. Bytes that are none give an error, and
// what they claim of sizes is not believed.
func ParseTypeModel(data []byte) (*TypeModel, error) {
	body, err := open(data, typeModelFormat)
	if err != nil {
		return nil, err
	}
	return parseTypeModel(body)
}

// parseTypeModel reads what lies between the name of the format and the checksum.
func parseTypeModel(body []byte) (*TypeModel, error) {
	p := &modelParser{data: body}
	m := readTypeModel(p)
	if err := p.done(); err != nil {
		return nil, err
	}
	return m, nil
}

func readTypeModel(p *modelParser) *TypeModel {
	m := &TypeModel{}
	all, known := p.count(1), p.count(1)
	if known < 2 || known > all || all > mostTypes {
		p.fail()
		return nil
	}
	m.known = known
	for range all {
		m.types = append(m.types, strings.Clone(string(p.bytes(p.count(1)))))
	}
	copy(m.titled[:], p.floats(typeViews))
	m.untitled = p.float()
	m.vocabulary, m.weights = p.features(typeViews * known)
	for view := range m.views {
		m.views[view] = calibration{units: p.floats(known), bias: p.floats(known)}
	}
	m.layer = p.layerOf(all, known, m.vocabulary)
	return m
}

package nlp

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
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
	return binary.LittleEndian.AppendUint32(data, crc32.ChecksumIEEE(data[start:])), nil
}

// ParseTypeModel reads a model of types. Bytes that are none give an error, and
// what they claim of sizes is not believed.
func ParseTypeModel(data []byte) (*TypeModel, error) {
	body, ok := bytes.CutPrefix(data, []byte(typeModelFormat))
	if !ok || len(body) < crc32.Size {
		return nil, fmt.Errorf("model: %w", ErrModel)
	}
	end := len(data) - crc32.Size
	if binary.LittleEndian.Uint32(data[end:]) != crc32.ChecksumIEEE(data[:end]) {
		return nil, fmt.Errorf("model: %w", ErrModel)
	}
	return parseTypeModel(body[:len(body)-crc32.Size])
}

// parseTypeModel reads what lies between the name of the format and the checksum.
func parseTypeModel(body []byte) (*TypeModel, error) {
	p := &modelParser{data: body}
	m := p.typeModel()
	if p.failed || len(p.data) > 0 {
		return nil, fmt.Errorf("model: %w", ErrModel)
	}
	return m, nil
}

func (p *modelParser) typeModel() *TypeModel {
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

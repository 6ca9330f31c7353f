package doctype

import (
	"encoding/binary"
	"strings"

	"github.com/clausemill/clausemill/nlp/learn"
)

// format opens every model of types: a name and the version of the
// format, which rises with every change of the features or the views.
const format = "clausemill types 2\n"

// AppendBinary appends m in the form that Parse reads.
func (m *Model) AppendBinary(data []byte) ([]byte, error) {
	start := len(data)
	data = append(data, format...)
	data = binary.AppendUvarint(data, uint64(len(m.types)))
	data = binary.AppendUvarint(data, uint64(m.known))
	for _, id := range m.types {
		data = binary.AppendUvarint(data, uint64(len(id)))
		data = append(data, id...)
	}
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
	all, known := p.Count(1), p.Count(1)
	if known < 2 || known > all || all > mostTypes {
		p.Fail()
		return nil
	}
	m.known = known
	for range all {
		m.types = append(m.types, strings.Clone(string(p.Bytes(p.Count(1)))))
	}
	copy(m.titled[:], p.Floats(views))
	m.untitled = p.Float()
	m.vocabulary, m.weights = p.Features(views * known)
	for view := range m.views {
		m.views[view] = learn.Calibration{Units: p.Floats(known), Bias: p.Floats(known)}
	}
	m.layer = p.LayerOf(all, known, m.vocabulary)
	return m
}

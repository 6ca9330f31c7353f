package field

import "github.com/clausemill/clausemill/nlp/learn"

// format names the layout of a model. What newer rules of reading make of a text is no
// longer what a model was trained on, so they change it too.
const format = "clausemill field model 2\n"

// AppendBinary appends m in the form that Parse reads.
func (m *Model) AppendBinary(data []byte) ([]byte, error) {
	start := len(data)
	data = append(data, format...)
	data = append(data, byte(learn.Bit(m.several)))
	data = learn.AppendFloats(data, []float32{m.slope, m.shift, m.border})
	for _, part := range []*machine{m.finder, m.picker} {
		data = learn.AppendFloats(data, []float32{part.unit, part.bias})
		data = learn.AppendFeatures(data, part.vocabulary, &part.weights)
	}
	return learn.Seal(data, start), nil
}

// Parse reads a model. Bytes that are none give an error.
func Parse(data []byte) (*Model, error) {
	return learn.Parse(data, format, func(p *learn.Parser) *Model {
		m := &Model{}
		if flag := p.Bytes(1); len(flag) == 1 {
			m.several = flag[0] == 1
		}
		m.slope, m.shift, m.border = p.Float(), p.Float(), p.Float()
		m.finder, m.picker = readMachine(p, &sentenceWeights), readMachine(p, &candidateWeights)
		return m
	})
}

func readMachine(p *learn.Parser, groups *[learn.MostGroups]float64) *machine {
	m := &machine{groups: groups, unit: p.Float(), bias: p.Float()}
	m.vocabulary, m.weights = p.Features(1)
	return m
}

package nlp

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
)

// ErrModel says what every flaw of a model file comes down to.
var ErrModel = errors.New("not a model of this version, or damaged")

// seal ends what stands in data from start on, a model with the name of its format
// in front, by its checksum.
func seal(data []byte, start int) []byte {
	return binary.LittleEndian.AppendUint32(data, crc32.ChecksumIEEE(data[start:]))
}

// open returns what lies between the name of the format and the checksum.
func open(data []byte, format string) ([]byte, error) {
	body, ok := bytes.CutPrefix(data, []byte(format))
	if !ok || len(body) < crc32.Size {
		return nil, fmt.Errorf("model: %w", ErrModel)
	}
	end := len(data) - crc32.Size
	if binary.LittleEndian.Uint32(data[end:]) != crc32.ChecksumIEEE(data[:end]) {
		return nil, fmt.Errorf("model: %w", ErrModel)
	}
	return body[:len(body)-crc32.Size], nil
}

// done reports an error where something could not be, or is left over.
func (p *modelParser) done() error {
	if p.failed || len(p.data) > 0 {
		return fmt.Errorf("model: %w", ErrModel)
	}
	return nil
}

// appendFeatures writes each feature with its weights.
func appendFeatures(data []byte, v *vocabulary, w *weights) []byte {
	data = binary.AppendUvarint(data, uint64(v.total))
	data = binary.AppendUvarint(data, uint64(len(v.keys)))
	last := uint32(0)
	for row, key := range v.keys {
		from, to := w.starts[row], w.starts[row+1]
		data = binary.AppendUvarint(data, uint64(key-last))
		data = binary.AppendUvarint(data, uint64(v.counts[row]))
		data = binary.AppendUvarint(data, uint64(to-from))
		for _, p := range w.packed[from:to] {
			data = append(data, p.slot())
		}
		for _, p := range w.packed[from:to] {
			data = append(data, byte(p.value()))
		}
		last = key
	}
	return data
}

// append writes what a team decided, if it did.
func (l *layer) append(data []byte) []byte {
	if l == nil {
		return append(data, 0)
	}
	data = appendFloats(append(data, 1), l.bias)
	data = binary.AppendUvarint(data, uint64(len(l.rows)))
	for place, row := range l.rows {
		data = binary.AppendUvarint(data, uint64(row))
		data = appendFloats(data, l.values[place*l.nodes:][:l.nodes])
	}
	return data
}

// append writes the trees, branch by branch.
func (f *forest) append(data []byte) []byte {
	data = appendFloats(data, []float32{f.base})
	data = binary.AppendUvarint(data, uint64(len(f.trees)))
	for _, t := range f.trees {
		data = binary.AppendUvarint(data, uint64(len(t)))
		for _, b := range t {
			data = append(data, byte(b.observation+1))
			data = appendFloats(data, []float32{b.value})
			if b.observation != leaf {
				data = binary.AppendUvarint(data, uint64(b.low))
				data = binary.AppendUvarint(data, uint64(b.high))
			}
		}
	}
	return data
}

// appendFloats writes numbers in four bytes each.
func appendFloats(data []byte, floats []float32) []byte {
	for _, f := range floats {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(f))
	}
	return data
}

// modelParser reads a model from its bytes. After something that cannot be, it
// has failed and reads zeros.
type modelParser struct {
	data   []byte
	failed bool
}

// fail makes of what was read nothing.
func (p *modelParser) fail() {
	p.data, p.failed = nil, true
}

// bytes reads n of them.
func (p *modelParser) bytes(n int) []byte {
	if n < 0 || n > len(p.data) {
		p.fail()
		return nil
	}
	read := p.data[:n]
	p.data = p.data[n:]
	return read
}

// number reads one up to most.
func (p *modelParser) number(most uint64) uint64 {
	n, size := binary.Uvarint(p.data)
	if size <= 0 || n > most {
		p.fail()
		return 0
	}
	p.data = p.data[size:]
	return n
}

// count reads how many things follow that take at least size bytes each, so that
// there is never more space taken than there are bytes.
func (p *modelParser) count(size int) int { return int(p.number(uint64(len(p.data) / size))) }

// largest bounds the numbers of a model, so that no sum of them overflows.
const largest = 1e9

// floats reads n numbers.
func (p *modelParser) floats(n int) []float32 {
	raw := p.bytes(4 * n)
	floats := make([]float32, len(raw)/4)
	for i := range floats {
		floats[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
		if !(math.Abs(float64(floats[i])) <= largest) { // which NaN is not, either
			p.fail()
			return nil
		}
	}
	return floats
}

// float reads one number.
func (p *modelParser) float() float32 {
	if floats := p.floats(1); len(floats) == 1 {
		return floats[0]
	}
	return 0
}

// layerOf reads the layer of a model, if it has one. A model without one knows
// no more than its base.
func (p *modelParser) layerOf(all, known int, v *vocabulary) *layer {
	if p.number(1) == 1 && !p.failed {
		return p.layer(all, len(v.keys))
	}
	if all > known {
		p.fail()
	}
	return nil
}

// layer reads what a team decided of so many nodes.
func (p *modelParser) layer(nodes, vocabulary int) *layer {
	bias := p.floats(nodes)
	n := p.count(1 + 4*nodes)
	rows, values := make([]int32, 0, n), make([]float32, 0, n*nodes)
	for i := range n {
		row := int(p.number(math.MaxInt32))
		if p.failed || row >= vocabulary || i > 0 && row <= int(rows[i-1]) {
			p.fail()
			return nil
		}
		rows, values = append(rows, int32(row)), append(values, p.floats(nodes)...)
	}
	if p.failed {
		return nil
	}
	l := newLayer(nodes, vocabulary, rows)
	l.bias, l.values = bias, values
	return l
}

// features reads a vocabulary and the weights of its features, each for one of
// so many slots.
func (p *modelParser) features(slots int) (*vocabulary, weights) {
	var w weights
	total := uint32(p.number(math.MaxUint32))
	known := p.count(3)
	keys, counts := make([]uint32, 0, known), make([]uint32, 0, known)
	w.starts = append(make([]uint32, 0, known+1), 0)
	last := uint64(0)
	for row := range known {
		step := p.number(math.MaxUint32 - last)
		last += step
		keys, counts = append(keys, uint32(last)), append(counts, uint32(p.number(uint64(total))))
		n := int(p.number(uint64(slots)))
		places, values := p.bytes(n), p.bytes(n)
		for i, value := range values {
			if int(places[i]) >= slots {
				p.fail()
			}
			w.packed = append(w.packed, newWeight(int(places[i]), int8(value)))
		}
		w.starts = append(w.starts, uint32(len(w.packed)))
		if p.failed || row > 0 && step == 0 {
			p.fail()
			return nil, weights{}
		}
	}
	return newVocabulary(keys, counts, total), w
}

// forest reads one that looks at width observations.
func (p *modelParser) forest(width int) *forest {
	f := &forest{base: p.float()}
	for range p.count(6) {
		t := make(tree, p.count(5))
		for i := range t {
			b := branch{observation: int16(p.number(uint64(width))) - 1, value: p.float()}
			if b.observation != leaf {
				b.low, b.high = int16(p.number(math.MaxInt16)), int16(p.number(math.MaxInt16))
				if int(b.low) <= i || int(b.low) >= len(t) || int(b.high) <= i || int(b.high) >= len(t) {
					p.fail()
					return f
				}
			}
			t[i] = b
		}
		if len(t) == 0 || !f.add(t) {
			p.fail()
			return f
		}
	}
	return f
}

// modelID returns a UUID that is made of the bytes of a model.
func modelID(model []byte) string {
	sum := sha256.Sum256(model)
	id := sum[:16]
	id[6], id[8] = id[6]&0x0f|0x80, id[8]&0x3f|0x80 // version 8: made as its maker likes
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}

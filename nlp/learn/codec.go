package learn

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"strings"
)

// ErrModel says what every flaw of a model file comes down to.
var ErrModel = errors.New("not a model of this version, or damaged")

// Seal appends the checksum of data[start:], a model that begins with the name of its
// format.
func Seal(data []byte, start int) []byte {
	return binary.LittleEndian.AppendUint32(data, crc32.ChecksumIEEE(data[start:]))
}

// Open returns what lies between the name of the format and the checksum.
func Open(data []byte, format string) ([]byte, error) {
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

// Parse reads a model, by what reads the part between the name of its format and
// the checksum.
func Parse[M any](data []byte, format string, read func(p *Parser) *M) (*M, error) {
	body, err := Open(data, format)
	if err != nil {
		return nil, err
	}
	return ParseBody(body, read)
}

// ParseBody reads what Open returns.
func ParseBody[M any](body []byte, read func(p *Parser) *M) (*M, error) {
	p := &Parser{Data: body}
	m := read(p)
	if err := p.Done(); err != nil {
		return nil, err
	}
	return m, nil
}

// Done reports an error where something could not be, or is left over.
func (p *Parser) Done() error {
	if p.failed || len(p.Data) > 0 {
		return fmt.Errorf("model: %w", ErrModel)
	}
	return nil
}

// AppendNames writes what a model tells apart: names, of which the first so many
// are those that it has weights for.
func AppendNames(data []byte, names []string, known int) []byte {
	data = binary.AppendUvarint(data, uint64(len(names)))
	data = binary.AppendUvarint(data, uint64(known))
	for _, name := range names {
		data = binary.AppendUvarint(data, uint64(len(name)))
		data = append(data, name...)
	}
	return data
}

// Names reads what AppendNames wrote: at most so many names, of which at least so
// many are known. It is false where they are not, and parsing has failed.
func (p *Parser) Names(least, most int) (names []string, known int, ok bool) {
	all, known := p.Count(1), p.Count(1)
	if known < least || known > all || all > most {
		p.Fail()
		return nil, 0, false
	}
	for range all {
		names = append(names, strings.Clone(string(p.Bytes(p.Count(1)))))
	}
	return names, known, true
}

// AppendFeatures writes each feature with its weights.
func AppendFeatures(data []byte, v *Vocabulary, w *Weights) []byte {
	data = binary.AppendUvarint(data, uint64(v.total))
	data = binary.AppendUvarint(data, uint64(len(v.Keys)))
	last := uint32(0)
	for row, key := range v.Keys {
		from, to := w.Starts[row], w.Starts[row+1]
		data = binary.AppendUvarint(data, uint64(key-last))
		data = binary.AppendUvarint(data, uint64(v.counts[row]))
		data = binary.AppendUvarint(data, uint64(to-from))
		for _, p := range w.Packed[from:to] {
			data = append(data, p.Slot())
		}
		for _, p := range w.Packed[from:to] {
			data = append(data, byte(p.Value()))
		}
		last = key
	}
	return data
}

// Append writes what a team decided, if it did.
func (l *Layer) Append(data []byte) []byte {
	if l == nil {
		return append(data, 0)
	}
	data = AppendFloats(append(data, 1), l.bias)
	data = binary.AppendUvarint(data, uint64(len(l.rows)))
	for place, row := range l.rows {
		data = binary.AppendUvarint(data, uint64(row))
		data = AppendFloats(data, l.values[place*l.nodes:][:l.nodes])
	}
	return data
}

// Append writes the trees, branch by branch.
func (f *Forest) Append(data []byte) []byte {
	data = AppendFloats(data, []float32{f.base})
	data = binary.AppendUvarint(data, uint64(len(f.trees)))
	for _, t := range f.trees {
		data = binary.AppendUvarint(data, uint64(len(t)))
		for _, b := range t {
			data = append(data, byte(b.observation+1))
			data = AppendFloats(data, []float32{b.value})
			if b.observation != leaf {
				data = binary.AppendUvarint(data, uint64(b.low))
				data = binary.AppendUvarint(data, uint64(b.high))
			}
		}
	}
	return data
}

// AppendFloats writes numbers in four bytes each.
func AppendFloats(data []byte, floats []float32) []byte {
	for _, f := range floats {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(f))
	}
	return data
}

// Parser reads a model from its bytes. After something that cannot be, it
// has failed and reads zeros.
type Parser struct {
	Data   []byte
	failed bool
}

// Fail makes of what was read nothing.
func (p *Parser) Fail() {
	p.Data, p.failed = nil, true
}

// Bytes reads n of them.
func (p *Parser) Bytes(n int) []byte {
	if n < 0 || n > len(p.Data) {
		p.Fail()
		return nil
	}
	read := p.Data[:n]
	p.Data = p.Data[n:]
	return read
}

// number reads one up to most.
func (p *Parser) number(most uint64) uint64 {
	n, size := binary.Uvarint(p.Data)
	if size <= 0 || n > most {
		p.Fail()
		return 0
	}
	p.Data = p.Data[size:]
	return n
}

// Count reads how many things follow that take at least size bytes each, so that
// there is never more space taken than there are bytes.
func (p *Parser) Count(size int) int { return int(p.number(uint64(len(p.Data) / size))) }

// largest bounds the numbers of a model, so that no sum of them overflows.
const largest = 1e9

// Floats reads n numbers.
func (p *Parser) Floats(n int) []float32 {
	raw := p.Bytes(4 * n)
	floats := make([]float32, len(raw)/4)
	for i := range floats {
		floats[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
		if !(math.Abs(float64(floats[i])) <= largest) { // which NaN is not, either
			p.Fail()
			return nil
		}
	}
	return floats
}

// Float reads one number.
func (p *Parser) Float() float32 {
	if floats := p.Floats(1); len(floats) == 1 {
		return floats[0]
	}
	return 0
}

// LayerOf reads the layer of a model, if it has one. A model without one knows
// no more than its base.
func (p *Parser) LayerOf(all, known int, v *Vocabulary) *Layer {
	if p.number(1) == 1 && !p.failed {
		return p.layer(all, len(v.Keys))
	}
	if all > known {
		p.Fail()
	}
	return nil
}

// layer reads what a team decided of so many nodes.
func (p *Parser) layer(nodes, vocabulary int) *Layer {
	bias := p.Floats(nodes)
	n := p.Count(1 + 4*nodes)
	rows, values := make([]int32, 0, n), make([]float32, 0, n*nodes)
	for i := range n {
		row := int(p.number(math.MaxInt32))
		if p.failed || row >= vocabulary || i > 0 && row <= int(rows[i-1]) {
			p.Fail()
			return nil
		}
		rows, values = append(rows, int32(row)), append(values, p.Floats(nodes)...)
	}
	if p.failed {
		return nil
	}
	l := newLayer(nodes, vocabulary, rows)
	l.bias, l.values = bias, values
	return l
}

// AppendCounts writes keys in ascending order, and how many passages have each.
func AppendCounts(data []byte, keys, counts []uint32) []byte {
	data = binary.AppendUvarint(data, uint64(len(keys)))
	last := uint32(0)
	for i, key := range keys {
		data = binary.AppendUvarint(data, uint64(key-last))
		data = binary.AppendUvarint(data, uint64(counts[i]))
		last = key
	}
	return data
}

// Counts reads what AppendCounts wrote.
func (p *Parser) Counts() (keys, counts []uint32) {
	last := uint64(0)
	for i := range p.Count(2) {
		step := p.number(math.MaxUint32 - last)
		last += step
		keys, counts = append(keys, uint32(last)), append(counts, uint32(p.number(math.MaxUint32)))
		if p.failed || i > 0 && step == 0 {
			p.Fail()
			return nil, nil
		}
	}
	return keys, counts
}

// Features reads a vocabulary and the weights of its features, each for one of
// so many slots.
func (p *Parser) Features(slots int) (*Vocabulary, Weights) {
	var w Weights
	total := uint32(p.number(math.MaxUint32))
	known := p.Count(3)
	keys, counts := make([]uint32, 0, known), make([]uint32, 0, known)
	w.Starts = append(make([]uint32, 0, known+1), 0)
	last := uint64(0)
	for row := range known {
		step := p.number(math.MaxUint32 - last)
		last += step
		keys, counts = append(keys, uint32(last)), append(counts, uint32(p.number(uint64(total))))
		n := int(p.number(uint64(slots)))
		places, values := p.Bytes(n), p.Bytes(n)
		for i, value := range values {
			if int(places[i]) >= slots {
				p.Fail()
			}
			w.Packed = append(w.Packed, NewWeight(int(places[i]), int8(value)))
		}
		w.Starts = append(w.Starts, uint32(len(w.Packed)))
		if p.failed || row > 0 && step == 0 {
			p.Fail()
			return nil, Weights{}
		}
	}
	return NewVocabulary(keys, counts, total), w
}

// Forest reads one that looks at width observations.
func (p *Parser) Forest(width int) *Forest {
	f := &Forest{base: p.Float()}
	for range p.Count(6) {
		t := make(tree, p.Count(5))
		for i := range t {
			b := branch{observation: int16(p.number(uint64(width))) - 1, value: p.Float()}
			if b.observation != leaf {
				b.low, b.high = int16(p.number(math.MaxInt16)), int16(p.number(math.MaxInt16))
				if int(b.low) <= i || int(b.low) >= len(t) || int(b.high) <= i || int(b.high) >= len(t) {
					p.Fail()
					return f
				}
			}
			t[i] = b
		}
		if len(t) == 0 || !f.add(t) {
			p.Fail()
			return f
		}
	}
	return f
}

// ID returns a UUID that is made of the bytes of a model.
func ID(model []byte) string {
	sum := sha256.Sum256(model)
	id := sum[:16]
	id[6], id[8] = id[6]&0x0f|0x80, id[8]&0x3f|0x80 // version 8: made as its maker likes
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}

package likeness

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/clausemill/clausemill/nlp/lex"
)

// The shape of a sketch. Texts that share half of their runs of words have a
// band in common in nine of ten cases, those that share a third in three.
const (
	sketchBins = 128
	sketchRows = 4 // bins of a band
	shingle    = 3 // words of a run
)

// Sketch is a MinHash sketch of the runs of three words in a text: each of its bins
// has the least hash of those that fall into it (one permutation hashing, Li, Owen
// and Zhang, 2012; with densification of empty bins, Shrivastava and Li, 2014). The
// zero Sketch is of no text.
type Sketch []uint32

// NewSketch reads a text.
func NewSketch(text string) Sketch {
	s := make(Sketch, sketchBins)
	for i := range s {
		s[i] = math.MaxUint32
	}
	var run [shingle]uint64
	words, found := 0, false
	for word := range wordHashes(text) {
		copy(run[:], run[1:])
		run[shingle-1] = word
		if words++; words >= shingle {
			s.take(run)
			found = true
		}
	}
	if !found && words > 0 {
		s.take(run)
		found = true
	}
	if !found {
		return nil
	}
	s.fill()
	return s
}

func (s Sketch) take(run [shingle]uint64) {
	h := run[0]
	for _, word := range run[1:] {
		h = lex.HashPair(h, word)
	}
	h = (h ^ h>>31) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	bin := int(h >> 32 % sketchBins)
	s[bin] = min(s[bin], uint32(h)&(math.MaxUint32>>1))
}

// fill copies to each empty bin the value of the next one that is not empty, changed
// by the distance: two texts then agree in it as often as in any other (densification).
func (s Sketch) fill() {
	full := append(Sketch(nil), s...)
	for i := range s {
		for step := uint32(1); s[i] == math.MaxUint32; step++ {
			if next := full[(i+int(step))%sketchBins]; next != math.MaxUint32 {
				s[i] = bits.RotateLeft32(next, 7) + step*0x9e3779b9
			}
		}
	}
}

// wordHashes yields a hash of each word of text, in small letters, and of each
// number.
func wordHashes(text string) func(yield func(uint64) bool) {
	return func(yield func(uint64) bool) {
		for i := 0; i < len(text); {
			start, end, broken, letter := lex.ScanWord(text, i)
			i = end
			if start == end {
				return
			}
			if end-start > lex.MaxWord {
				continue
			}
			if !yield(lex.HashWord(text[start:end], broken, letter)) {
				return
			}
		}
	}
}

// Resemblance estimates how much of what two texts have both have, 0 to 1: the
// runs in common by those of either.
func (s Sketch) Resemblance(o Sketch) float64 {
	if len(s) == 0 || len(o) == 0 {
		return 0
	}
	same := 0
	for i := range s {
		if s[i] == o[i] {
			same++
		}
	}
	return float64(same) / float64(len(s))
}

// Bands returns what texts that are much alike have some of in common.
func (s Sketch) Bands() []int64 {
	var bands []int64
	for at := 0; at < len(s); at += sketchRows {
		h := uint64(at)
		for _, bin := range s[at:][:sketchRows] {
			h = lex.HashPair(h, uint64(bin))
			h ^= h >> 29
		}
		bands = append(bands, int64(h)) //nolint:gosec // only to be compared
	}
	return bands
}

// Bytes is the form of a sketch that ParseSketch reads.
func (s Sketch) Bytes() []byte {
	data := make([]byte, 0, 4*len(s))
	for _, bin := range s {
		data = binary.LittleEndian.AppendUint32(data, bin)
	}
	return data
}

// ParseSketch reads a sketch. Bytes that are none are that of no text.
func ParseSketch(data []byte) Sketch {
	if len(data) != 4*sketchBins {
		return nil
	}
	s := make(Sketch, sketchBins)
	for i := range s {
		s[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	return s
}

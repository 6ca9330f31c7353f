package layout

import (
	"encoding/binary"
	"errors"
	"math"
)

// The stored form of words: a version byte, flags, the number of words, then for
// each word the gap since the last one's end, its length, and, with boxes, the
// upper left corner relative to the last word's upper right, width and height in
// tenths of a point, the confidence in per cent, and, with origins, the origin.
// All numbers are varints, so that a word of a text layer takes some ten bytes.
const wordsVersion = 1

// Flags of stored words.
const (
	withBoxes   = 1 << iota // some word has a box
	withOrigins             // some word is not of the content
)

var errWords = errors.New("layout: the stored words are damaged")

// EncodeWords gives words their stored form; none is nil.
func EncodeWords(words []Word) []byte {
	if len(words) == 0 {
		return nil
	}
	flags := byte(0)
	for _, w := range words {
		if w.Box != (Box{}) {
			flags |= withBoxes
		}
		if w.Origin != Content {
			flags |= withOrigins
		}
	}
	b := make([]byte, 0, 4+12*len(words))
	b = append(b, wordsVersion, flags)
	b = binary.AppendUvarint(b, uint64(len(words)))
	var end int
	var x, y int64
	for _, w := range words {
		b = binary.AppendUvarint(b, uint64(w.Start-end))
		b = binary.AppendUvarint(b, uint64(w.End-w.Start))
		end = w.End
		if flags&withBoxes != 0 {
			x0, y0, x1, y1 := tenths(w.Box.X0), tenths(w.Box.Y0), tenths(w.Box.X1), tenths(w.Box.Y1)
			b = binary.AppendVarint(b, x0-x)
			b = binary.AppendVarint(b, y0-y)
			b = binary.AppendVarint(b, x1-x0)
			b = binary.AppendVarint(b, y1-y0)
			x, y = x1, y0
		}
		b = append(b, byte(math.Round(float64(min(max(w.Confidence, 0), 100)))))
		if flags&withOrigins != 0 {
			b = append(b, byte(w.Origin))
		}
	}
	return b
}

func tenths(v float32) int64 { return int64(math.Round(float64(v) * 10)) }

// DecodeWords reads what EncodeWords wrote.
func DecodeWords(b []byte) ([]Word, error) {
	if len(b) == 0 {
		return nil, nil
	}
	if len(b) < 3 || b[0] != wordsVersion {
		return nil, errWords
	}
	flags := b[1]
	if flags&^(withBoxes|withOrigins) != 0 {
		return nil, errWords
	}
	r := reader{b: b[2:]}
	n := r.uvarint()
	if n > uint64(len(b)) { // a word takes more than a byte
		return nil, errWords
	}
	words := make([]Word, 0, n)
	var end int
	var x, y int64
	for range n {
		var w Word
		w.Start = end + int(r.uvarint())
		w.End = w.Start + int(r.uvarint())
		if w.Start < end || w.End < w.Start {
			return nil, errWords
		}
		end = w.End
		if flags&withBoxes != 0 {
			x0 := x + r.varint()
			y0 := y + r.varint()
			x1 := x0 + r.varint()
			y1 := y0 + r.varint()
			x, y = x1, y0
			w.Box = Box{X0: float32(x0) / 10, Y0: float32(y0) / 10, X1: float32(x1) / 10, Y1: float32(y1) / 10}
		}
		w.Confidence = float32(r.byte())
		if flags&withOrigins != 0 {
			if w.Origin = Origin(r.byte()); w.Origin >= origins {
				return nil, errWords
			}
		}
		words = append(words, w)
	}
	if r.failed || len(r.b) > 0 {
		return nil, errWords
	}
	return words, nil
}

// reader takes numbers off a slice and remembers whether one was missing.
type reader struct {
	b      []byte
	failed bool
}

func (r *reader) take(n int) {
	if n <= 0 {
		r.failed, r.b = true, nil
		return
	}
	r.b = r.b[n:]
}

func (r *reader) uvarint() uint64 {
	v, n := binary.Uvarint(r.b)
	r.take(n)
	return v
}

func (r *reader) varint() int64 {
	v, n := binary.Varint(r.b)
	r.take(n)
	return v
}

func (r *reader) byte() byte {
	if len(r.b) == 0 {
		r.failed = true
		return 0
	}
	v := r.b[0]
	r.b = r.b[1:]
	return v
}

package lex

import (
	"sort"
	"unicode/utf8"
)

// Span is a half-open range of code points of the canonical text.
type Span struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// Extent is a half-open range of bytes of the canonical text. Everything that
// reads a text counts bytes; code points appear only in what is found.
type Extent struct{ Start, End int }

// Offsets converts between bytes and code points of one text. It costs one
// pass to make and a short scan to ask.
type Offsets struct {
	text  string
	marks []int // code points before each stride; nil where bytes and code points are the same
}

// stride is the number of bytes between two known positions.
const stride = 64

// NewOffsets prepares the conversion for text.
func NewOffsets(text string) *Offsets {
	o := &Offsets{text: text}
	marks := make([]int, 0, len(text)/stride+1)
	points := 0
	for i := 0; i < len(text); i += stride {
		marks = append(marks, points)
		points += leaders(text[i:min(i+stride, len(text))])
	}
	if points != len(text) {
		o.marks = marks
	}
	return o
}

// leaders counts the bytes of s that begin a code point.
func leaders(s string) int {
	n := 0
	for i := range len(s) {
		if utf8.RuneStart(s[i]) {
			n++
		}
	}
	return n
}

// CodePoint returns the number of code points before the byte offset.
func (o *Offsets) CodePoint(offset int) int {
	if o.marks == nil {
		return offset
	}
	at := min(offset/stride, len(o.marks)-1)
	return o.marks[at] + leaders(o.text[at*stride:offset])
}

// Byte returns the byte offset of the given code point.
func (o *Offsets) Byte(point int) int {
	if o.marks == nil {
		return point
	}
	at := sort.SearchInts(o.marks, point+1) - 1
	offset, left := at*stride, point-o.marks[at]
	for offset < len(o.text) && !utf8.RuneStart(o.text[offset]) {
		offset++
	}
	for ; left > 0; left-- {
		_, size := DecodeRune(o.text[offset:])
		offset += size
	}
	return offset
}

// Slice returns the text that span covers.
func (o *Offsets) Slice(span Span) string { return o.text[o.Byte(span.Start):o.Byte(span.End)] }

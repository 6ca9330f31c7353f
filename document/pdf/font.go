package pdf

import (
	"encoding/binary"
	"math/bits"
)

// emptyGlyph is the number of the glyph that all characters are drawn with. It is not
// 0, the number of the glyph for missing characters.
const emptyGlyph = 1

// glyphlessFont makes the smallest TrueType font that readers accept: two
// glyphs without outlines, as wide as half their height.
func glyphlessFont() []byte {
	const unitsPerEm, glyphs = 1000, emptyGlyph + 1
	u16 := binary.BigEndian.AppendUint16
	u32 := binary.BigEndian.AppendUint32

	head := u32(u32(nil, 0x00010000), 0x00010000) // versions of the table and of the font
	head = u32(u32(head, 0), 0x5F0F3CF5)          // checksum, magic number
	head = u16(u16(head, 0), unitsPerEm)
	head = append(head, make([]byte, 16)...) // created, modified
	for _, v := range []uint16{0, 0, unitsPerEm / 2, unitsPerEm, 0, 8, 2, 0, 0} {
		head = u16(head, v) // bounds, style, smallest size, direction, short offsets, format
	}
	hhea := u16(u16(u32(nil, 0x00010000), unitsPerEm), 0) // ascent, descent
	hhea = u16(u16(hhea, 0), unitsPerEm*glyphWidth)       // line gap, widest advance
	hhea = append(hhea, make([]byte, 22)...)
	hhea = u16(hhea, 1) // advances in hmtx; the last one holds for the rest
	maxp := append(u16(u32(nil, 0x00010000), glyphs), make([]byte, 26)...)
	hmtx := u16(u16(u16(nil, unitsPerEm*glyphWidth), 0), 0)

	tables := []struct {
		tag  string
		data []byte
	}{
		{"glyf", make([]byte, 4)},
		{"head", head},
		{"hhea", hhea},
		{"hmtx", hmtx},
		{"loca", make([]byte, 2*(glyphs+1))},
		{"maxp", maxp},
	}
	n := len(tables)
	power := bits.Len(uint(n)) - 1
	font := u16(u32(nil, 0x00010000), uint16(n))
	font = u16(u16(u16(font, 16<<power), uint16(power)), uint16(16*n-16<<power))
	at := len(font) + 16*n
	var body []byte
	for _, t := range tables {
		for len(t.data)%4 != 0 {
			t.data = append(t.data, 0)
		}
		var sum uint32
		for i := 0; i < len(t.data); i += 4 {
			sum += binary.BigEndian.Uint32(t.data[i:])
		}
		font = append(font, t.tag...)
		font = u32(u32(u32(font, sum), uint32(at+len(body))), uint32(len(t.data)))
		body = append(body, t.data...)
	}
	return append(font, body...)
}

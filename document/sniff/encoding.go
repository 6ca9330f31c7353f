package sniff

import (
	"bytes"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// Decoder detects the encoding of a text from its start. isText decides what is text.
func Decoder(head []byte) transform.Transformer {
	var decoder transform.Transformer = &mixed{}
	if order, ok := utf16Order(head); ok {
		decoder = unicode.UTF16(order, unicode.IgnoreBOM).NewDecoder()
	} else if !validUTF8(head) {
		decoder = charmap.Windows1252.NewDecoder()
	}
	return unicode.BOMOverride(decoder)
}

// mixed decodes UTF-8, and invalid bytes as Windows-1252. The start of a file does not
// show how the rest is encoded, and files often mix both.
type mixed struct{ transform.NopResetter }

func (mixed) Transform(dst, src []byte, atEOF bool) (written, read int, err error) {
	for read < len(src) {
		c, n := utf8.DecodeRune(src[read:])
		if c == utf8.RuneError && n == 1 {
			if !atEOF && !utf8.FullRune(src[read:]) {
				return written, read, transform.ErrShortSrc
			}
			c = charmap.Windows1252.DecodeByte(src[read])
		}
		if written+utf8.RuneLen(c) > len(dst) {
			return written, read, transform.ErrShortDst
		}
		written += utf8.EncodeRune(dst[written:], c)
		read += n
	}
	return written, read, nil
}

// utf16Order recognises UTF-16 by its byte order mark, or by the zeros that are
// every other byte of a text in a Western language.
func utf16Order(head []byte) (unicode.Endianness, bool) {
	switch {
	case bytes.HasPrefix(head, []byte{0xff, 0xfe}):
		return unicode.LittleEndian, true
	case bytes.HasPrefix(head, []byte{0xfe, 0xff}):
		return unicode.BigEndian, true
	}
	var zeros [2]int
	for i, b := range head {
		if b == 0 {
			zeros[i%2]++
		}
	}
	half := len(head) / 2
	switch {
	case half < 8:
		return unicode.LittleEndian, false
	case zeros[1] > half*2/5 && zeros[0] <= half/20:
		return unicode.LittleEndian, true
	case zeros[0] > half*2/5 && zeros[1] <= half/20:
		return unicode.BigEndian, true
	default:
		return unicode.LittleEndian, false
	}
}

// validUTF8 is utf8.Valid for a text that may be cut inside its last character.
func validUTF8(head []byte) bool {
	for cut := range min(utf8.UTFMax, len(head)+1) {
		if utf8.Valid(head[:len(head)-cut]) {
			return true
		}
	}
	return false
}

// isText reports whether the start of a file can be that of a text: it has almost no
// control characters other than those of printed pages.
func isText(head []byte) bool {
	if _, ok := utf16Order(head); ok {
		return true
	}
	controls := 0
	for _, b := range head {
		if b < 0x20 && (b < '\t' || b > '\r') && b != 0x1a && b != 0x1b {
			controls++
		}
	}
	return controls*200 <= len(head)
}

package pdf

import "strings"

// typeface is how letters stand out from those around them.
type typeface struct{ bold, italic, underlined bool }

// typefaces finds the typefaces of the characters of a page. An object has the words of a
// line as a rule, and a page few fonts, so that most are known.
type typefaces struct {
	p      *pdfium
	text   uint64
	object uint64 // the last one, which is set in face
	face   typeface
	fonts  map[uint64]typeface
}

// renderStroked is the text render mode that draws the outlines of letters as well, which
// makes them bold where the font has no bold letters.
const renderStroked = 2

func (t *typefaces) at(i int) typeface {
	p := t.p
	object := p.call(p.textObject, t.text, uint64(i))
	if object == t.object {
		return t.face
	}
	t.object, t.face = object, typeface{}
	if object == 0 {
		return t.face
	}
	if font := p.call(p.objectFont, object); font != 0 {
		face, known := t.fonts[font]
		if !known {
			face = readTypeface(p.nameOfFont(font), uint32(p.call(p.fontFlags, font)))
			t.fonts[font] = face
		}
		t.face = face
	}
	t.face.bold = t.face.bold || p.call(p.renderMode, object) == renderStroked
	return t.face
}

// Flags of font descriptors (ISO 32000-1, table 123).
const (
	flagItalic    = 1 << 6
	flagForceBold = 1 << 18
)

// readTypeface reads the name of a font, such as "ABCDEF+Arial-BoldItalicMT": descriptors
// say that letters are slanted, but not that they are bold.
func readTypeface(name string, flags uint32) typeface {
	if _, plain, prefixed := strings.Cut(name, "+"); prefixed {
		name = plain
	}
	name = strings.ToLower(name)
	has := func(parts ...string) bool {
		for _, part := range parts {
			if strings.Contains(name, part) {
				return true
			}
		}
		return false
	}
	return typeface{
		bold:   flags&flagForceBold != 0 || has("bold", "black", "heavy", "-demi"),
		italic: flags&flagItalic != 0 || has("italic", "oblique"),
	}
}

// maxFontName bounds the name of a font that is read, in bytes.
const maxFontName = 256

func (p *pdfium) nameOfFont(font uint64) string {
	address := p.alloc(maxFontName)
	defer p.call(p.free, uint64(address))
	n := uint32(p.call(p.fontName, font, uint64(address), maxFontName))
	if n == 0 || n > maxFontName || p.err != nil {
		return ""
	}
	name, _ := p.memory.Read(address, n-1) // without the byte that ends it
	return string(name)
}

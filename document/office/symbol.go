package office

import "strconv"

// symbols are the characters of the two symbol fonts that contracts use as
// text: ticks, boxes, bullets and the section of Greek and mathematics. The
// fonts' own tables are the source; what is missing keeps its private code.
var symbols = map[string]map[rune]rune{
	"Wingdings": {
		0x6c: '●', 0x6e: '■', 0x6f: '□', 0x71: '❑', 0x72: '❒', 0x76: '❖', 0x9f: '•', 0xa7: '▪', 0xa8: '☐',
		0xd8: '➢', 0xe0: '→', 0xfb: '✗', 0xfc: '✓', 0xfd: '☒', 0xfe: '☑',
	},
	"Wingdings 2": {0x4f: '✗', 0x50: '✓', 0x51: '☒', 0x52: '☑', 0xa3: '☐'},
	"Symbol": {
		0x2d: '−', 0x61: 'α', 0x62: 'β', 0x64: 'δ', 0x65: 'ε', 0x67: 'γ', 0x6c: 'λ', 0x6d: 'μ', 0x70: 'π',
		0x71: 'θ', 0x73: 'σ', 0x77: 'ω', 0x44: 'Δ', 0x53: 'Σ', 0x57: 'Ω',
		0xa3: '≤', 0xa5: '∞', 0xae: '→', 0xb0: '°', 0xb1: '±', 0xb3: '≥', 0xb4: '×', 0xb7: '•', 0xb8: '÷',
		0xb9: '≠', 0xbb: '≈', 0xd2: '®', 0xd3: '©', 0xd4: '™', 0xe2: '®', 0xe3: '©', 0xe4: '™',
	},
}

// symbol returns the character that a font draws for a code, written in hex.
func symbol(font, code string) string {
	n, err := strconv.ParseUint(code, 16, 16)
	if err != nil {
		return ""
	}
	r := rune(n)
	if known, ok := symbols[font][r&0xff]; ok && (r < 0x100 || r&0xff00 == 0xf000) {
		return string(known)
	}
	return string(r)
}

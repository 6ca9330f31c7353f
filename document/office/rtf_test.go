package office

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/document/format"
	"github.com/clausemill/clausemill/document/formattest"
	"github.com/clausemill/clausemill/fault"
)

const rtfHead = `{\rtf1\ansi\ansicpg1252\deff0\uc1{\fonttbl{\f0\fswiss\fcharset0 Arial;}{\f1\fcharset2 Symbol;}` +
	`{\f2\fcharset204 Times{\*\falt Other};}{\f3\fcharset128 MS Mincho;}{\f4\fcharset2 Wingdings;}}{\colortbl;\red0;}` +
	`{\stylesheet{\ql Normal;}{\s1\outlinelevel0 heading 1;}{\s2 Title;}{\*\cs3 Strong;}}{\info{\title no}{\author {\*\unknown no}no}}`

func TestRTF(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ body, want string }{
		"Paragraphs":   {`One\par Two\par\par Three`, "One\n\nTwo\n\nThree"},
		"Lines":        {"a\\line b\\\nc\r\nd\\tab e", "a\nb\n\ncd\te"},
		"Escapes":      {`\{a\}\\\~b\_c\-d`, "{a}\\\u00a0b\u2011cd"},
		"Characters":   {`\ldblquote a\rdblquote\emdash b\bullet`, "“a”—b•"},
		"CodePages":    {`Caf\'e9 {\f2\'cf\'f0\'e8} {\f3\'93\'fa}`, "Café При 日"},
		"SymbolFonts":  {`{\f1\'b7} {\f4\'a8\u61694?}`, "• ☐☑"},
		"Unicode":      {`\u8364?\u8364\'80 \u-10179?\u-8704?{\uc0\u167}{\uc2\u167??}x`, "€€ 😀§§x"},
		"UnicodeTwins": {`{\upr{no}{\*\ud{yes}}}`, "yes"},
		"Hidden":       {`a{\v b}\v c\v0 d\plain e`, "ade"},
		"Revisions":    {`a {\deleted old }{\revised new}{\deleted\par} b`, "a new b"},
		"Fields":       {`{\field{\*\fldinst REF x}{\fldrslt 2.1}} y`, "2.1 y"},
		"Destinations": {`a{\header no}{\*\bkmkstart no}{\*\nobodyknows no {b} no}{\pict 0a0b}{\object{\*\objdata 00}{\result c}}{\xe no}`, "ac\n\nno"},
		"HeadersOnce":  {`{\header H\par}{\footer F}{\headerf no}a\sect\sectd{\header H\par}b`, "a\fb\n\nH\n\nF"},
		"Binary":       {`a{\pict\bin5 }}}}}}b\bin3 }}}c`, "abc"},
		"TextBox":      {`a{\shp{\*\shpinst{\sp{\sn x}{\sv y}}{\shptxt \pard box\par}}{\shprslt no}} b\par c`, "a b\n\nbox\n\nc"},
		"Table": {
			`x\par\trowd\cellx1\cellx2\pard\intbl a\cell b\cell\row\trowd\pard\intbl\cell c\par d\cell\row\pard y\par`,
			"x\n\na\tb\n\tc\nd\n\ny",
		},
		"Pages":            {`a\page b\par\pard\pagebb c\par`, "a\fb\fc"},
		"Sections":         {`a\sect\sectd b\sect\sectd\sbknone c`, "a\fb\n\nc"},
		"NoLastBrace":      {`a`, "a"},
		"AfterTheEnd":      {`a}b{c}`, "a"},
		"OddControls":      {`\'zza\x-999999999999b\ c`, "abc"},
		"NestedFormatting": {`{\b a{\i b}}{\plain c}`, "abc"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			end := "}"
			if name == "NoLastBrace" {
				end = ""
			}
			require.Equal(t, c.want, text(readAll(t, format.RTF, "", []byte(rtfHead+c.body+end))))
		})
	}
}

func TestRTFStructure(t *testing.T) {
	t.Parallel()
	pages := readAll(t, format.RTF, "", []byte(rtfHead+`\pard\s2 Agreement\par\pard\s1 {\listtext\pard 1.\tab}Terms\par`+
		`\pard\plain\ls1\ilvl1 {\listtext (a)\tab}first{\footnote {\super\chftn} note {\i one}}\par{\listtext{\f1\'b7}\tab}dot{\footnote\ftnalt end}\par`+
		`\pard\outlinelevel2 Sub\par\pard\s1\page More\par\trowd\pard\s1\intbl In\cell\row\pard plain{\footnote two}}`))
	require.Equal(t, strings.Join([]string{
		"heading Agreement", "heading1 1. Terms", "list_item2 (a) first", "list_item2 • dot", "heading3 Sub", "footnote paragraph 1 note one",
		"heading1 More", "1.1.1 heading1 In", "paragraph plain", "footnote paragraph 2 two", "endnote paragraph i end",
	}, "\n"), outline(pages))
	require.Equal(t, "Title", pages[0].Paragraphs[0].Style)
	require.Equal(t, "heading 1", pages[1].Paragraphs[0].Style)
}

func TestRTFFaults(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		data string
		code fault.Code
	}{
		"CutShort": {rtfHead + "{a{b", fault.CorruptFile},
		"CutWord":  {rtfHead + `{{\'a`, fault.CorruptFile},
		"TooDeep":  {rtfHead + strings.Repeat("{", 300), fault.FileTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := read(t, "", []byte(c.data), format.DefaultLimits())
			formattest.RequireCode(t, c.code, err)
		})
	}
}

func TestRTFFields(t *testing.T) {
	t.Parallel()
	pages := readAll(t, format.RTF, "", []byte(rtfHead+`Name: {\field{\*\fldinst FORMTEXT {\*\formfield{\fftype0{\*\ffname n}}}}{\fldrslt Jane {\b Doe}}}. `+
		`{\field{\*\fldinst MERGEFIELD City}{\fldrslt Rome}} {\field{\*\fldinst PAGE}{\fldrslt 1}} `+
		`{\field{\*\fldinst FORMCHECKBOX {\*\formfield{\fftype1\ffres25\ffdefres1}}}{\fldrslt }}`+
		`{\field{\*\fldinst FORMDROPDOWN {\*\formfield{\fftype2\ffres1{\*\ffl red}{\*\ffl blue}}}}}}`))
	require.Equal(t, "Name: Jane Doe. Rome 1 ☒blue", text(pages))
	require.Equal(t, []string{"Jane Doe", "City: Rome", "☒", "blue"}, filled(pages))
}

func FuzzRTF(f *testing.F) {
	f.Add([]byte(rtfHead + `{\header a}{\field{\*\fldinst FORMDROPDOWN {\*\formfield{\ffres1{\*\ffl b}}}}{\fldrslt c}}}`))
	f.Add([]byte(rtfHead + `\pard\intbl a\cell{\footnote b}\u8364?{\shp{\*\shpinst{\shptxt c\par}}}\row\page\'e9}`))
	f.Add([]byte(`{\rtf1{\upr{a}{\*\ud{b}}}{\field{\*\fldinst c}{\fldrslt d}}\sect\deleted\par}`))
	f.Fuzz(func(t *testing.T, data []byte) { fuzzRunning(t, readRTF, data) })
}

package redline

import (
	"maps"
	"strings"
	"unicode/utf8"

	"github.com/clausemill/clausemill/docx"
)

// A field is one that begins and ends in a paragraph, with what it shows now.
type field struct {
	code   string // in one form: "REF fee \h"
	result string
	at     int // where the result begins in the paragraph
}

// counted are the fields that Word works out anew, by their first word: true for those
// that count pages and the like, whose result says nothing about the document.
var counted = map[string]bool{
	"PAGE": true, "NUMPAGES": true, "SECTION": true, "SECTIONPAGES": true, "PAGEREF": true, "NUMWORDS": true, "NUMCHARS": true, "EDITTIME": true, "REVNUM": true, "FILESIZE": true,
	"REF": false, "NOTEREF": false, "SEQ": false, "STYLEREF": false, "FILENAME": false, "DATE": false, "TIME": false, "SAVEDATE": false, "PRINTDATE": false, "CREATEDATE": false,
	"AUTONUM": false, "AUTONUMLGL": false, "LISTNUM": false,
}

// A codebook gives each code of a field that is compared by its code a character that
// no text has. It remembers the paragraphs that it has read.
type codebook struct {
	codes map[string]rune
	read  map[*docx.Paragraph]*wordsRead

	documents map[*docx.Part]*docx.Document
	given     map[docx.Element]rune // of notes and boxes that have a counterpart
	aside     map[docx.Element]bool // paragraphs in a frame and boxes that say the same
	count     int
}

type wordsRead struct {
	wording
	fields []field
}

func newCodebook() *codebook {
	return &codebook{codes: map[string]rune{}, read: map[*docx.Paragraph]*wordsRead{}, documents: map[*docx.Part]*docx.Document{}, given: map[docx.Element]rune{}, aside: map[docx.Element]bool{}}
}

// firstCode begins the private characters of the last plane but one.
const firstCode, lastCode = 0xF0000, 0xFFFFD

func (b *codebook) of(code string) rune {
	r, known := b.codes[code]
	if !known {
		r = min(firstCode+rune(len(b.codes)), lastCode)
		b.codes[code] = r
	}
	return r
}

// A wording is the text of a paragraph with a character of the codebook for each field
// that is compared by its code. Shown is what each character of it stands for.
type wording struct {
	text  []rune
	shown []string
	items map[int]docx.Element // of those characters that stand for no text
}

func (w *wording) add(text string) {
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		w.text, w.shown = append(w.text, r), append(w.shown, text[:size])
		text = text[size:]
	}
}

// standard is the code of a field in one form.
func standard(code string) string {
	words := strings.Fields(code)
	for i := 0; i+1 < len(words); i++ {
		if words[i] == `\*` && strings.EqualFold(words[i+1], "MERGEFORMAT") {
			words = append(words[:i], words[i+2:]...)
			i--
		}
	}
	if len(words) > 0 {
		words[0] = strings.ToUpper(words[0])
	}
	return strings.Join(words, " ")
}

// isCounted reports whether a field is compared by its code, and whether it counts
// pages.
func isCounted(code string) (byCode, pages bool) {
	first, _, _ := strings.Cut(code, " ")
	pages, byCode = counted[first]
	return byCode, pages
}

// An openField is one whose end has not come yet.
type openField struct {
	code   strings.Builder
	began  bool // its result has begun
	at     int
	from   int // in the wording, where its result begins
	result strings.Builder
}

// reads reads a paragraph by the codes of its fields. Fields that go on in another
// paragraph count as text.
func (b *codebook) reads(p *docx.Paragraph) (wording, []field) {
	known := b.read[p]
	if known == nil {
		known = &wordsRead{}
		known.wording, known.fields = b.readNow(p)
		b.read[p] = known
	}
	return known.wording, known.fields
}

func (b *codebook) readNow(p *docx.Paragraph) (wording, []field) {
	length := p.Len()
	w := wording{text: make([]rune, 0, length), shown: make([]string, 0, length)}
	var fields []field
	var open []*openField
	var simple docx.Element
	end := func() {
		f := open[len(open)-1]
		open = open[:len(open)-1]
		code := standard(f.code.String())
		fields = append(fields, field{code, f.result.String(), f.at})
		if byCode, _ := isCounted(code); byCode && len(w.text) > f.from {
			shown := strings.Join(w.shown[f.from:], "")
			w.text, w.shown = append(w.text[:f.from], b.of(code)), append(w.shown[:f.from], shown)
			maps.DeleteFunc(w.items, func(at int, _ docx.Element) bool { return at >= f.from })
		}
	}
	for piece := range p.Pieces() {
		if piece.Deleted || b.aside[piece.Item] {
			continue
		}
		if around := piece.Item.Closest("fldSimple", "p"); around != simple {
			if simple.Is("fldSimple") && len(open) > 0 {
				end()
			}
			if around.Is("fldSimple") {
				f := &openField{began: true, at: piece.Start, from: len(w.text)}
				f.code.WriteString(around.Attr("instr"))
				open = append(open, f)
			}
			simple = around
		}
		switch {
		case piece.Item.Is("fldChar"):
			switch kind := piece.Item.Attr("fldCharType"); {
			case kind == "begin":
				open = append(open, &openField{at: piece.Start, from: len(w.text)})
			case len(open) == 0:
			case kind == "separate":
				f := open[len(open)-1]
				f.began, f.from = true, len(w.text)
			case kind == "end":
				end()
			}
		case piece.Item.Is("instrText") && len(open) > 0 && !open[len(open)-1].began:
			open[len(open)-1].code.WriteString(piece.Item.Chars())
		case piece.End > piece.Start && (piece.Text == "\uFFFC" || piece.Text == "\f"):
			if w.items == nil {
				w.items = map[int]docx.Element{}
			}
			w.items[len(w.text)] = piece.Item
			character := '\f'
			if piece.Text != "\f" {
				character = b.object(piece.Item)
			}
			w.text, w.shown = append(w.text, character), append(w.shown, piece.Text)
			for _, f := range open {
				if f.began {
					f.result.WriteString(piece.Text)
				}
			}
		case piece.End > piece.Start:
			w.add(lineEnds.Replace(piece.Text))
			for _, f := range open {
				if f.began {
					f.result.WriteString(piece.Text)
				}
			}
		}
	}
	if simple.Is("fldSimple") && len(open) > 0 {
		end()
	}
	return w, fields
}

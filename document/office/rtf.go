package office

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	utf "golang.org/x/text/encoding/unicode"

	"github.com/clausemill/clausemill/document/format"
	wml "github.com/clausemill/clausemill/docx"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/layout"
)

// readRTF writes the text that a reader of a Rich Text Format file sees, by the
// rules of readDOCX. The format is that of the specification's version 1.9.1.
func readRTF(ctx context.Context, f *io.SectionReader, to *flow) error {
	p := &rtf{
		r:      bufio.NewReaderSize(contextReader{ctx, f}, 64<<10),
		limits: to.limits,
		body:   to,
		story:  &rtfStory{out: to, paged: true},
		ansi:   charmap.Windows1252,
		fonts:  map[int]*rtfFont{},
		styles: map[int]*rtfStyle{},
	}
	p.fallback, p.paragraph.outline = 1, -1
	to.foot = func() {
		if to.late = p.paragraph.table; !to.late {
			p.writeFootnotes()
		}
	}
	if err := p.parse(); err != nil {
		return err
	}
	p.endParagraph()
	to.footer()
	for i, pages := range p.endnotes {
		to.writeNote(pages, wml.Roman(i+1))
	}
	p.edges.to = to
	p.edges.write()
	return to.err
}

// rtf is a file while it is read.
type rtf struct {
	r      *bufio.Reader
	limits format.Limits
	body   *flow

	group
	outer []group // the groups around the open one, innermost last
	story *rtfStory

	ansi   encoding.Encoding // of the fonts that name no character set
	fonts  map[int]*rtfFont
	styles map[int]*rtfStyle
	newest *rtfFont  // that is being defined
	style  *rtfStyle // that is being defined

	raw       []byte // bytes of the open font that wait for their decoding
	surrogate rune   // the first half of a pair
	skip      int    // characters that stand in for the one before them

	code   strings.Builder // of the field that was begun last
	form   rtfForm         // what that field offers
	edges  edges
	titled bool // first pages have headers and footers of their own

	footnotes [][]format.Page // of the open page
	endnotes  [][]format.Page
	noted     int // footnotes written
}

// A destination is where the characters of a group go.
type destination int

const (
	toText destination = iota
	toNothing
	toInner // to nothing, but groups inside may hold text
	toFonts
	toStyles
	toLabel // to the number of the paragraph
	toCode  // to the code of the field
	toEntry // to the list of choices of the field
)

// A group is what a brace saves and restores.
type group struct {
	to        destination
	starred   bool // the destination that follows may be passed over
	font      int
	hidden    bool // by formatting
	face      face
	deleted   bool // by a tracked change
	fallback  int  // bytes that follow a character in Unicode for older readers
	paragraph rtfParagraph
	aside     *aside // the story that ends with the group
	result    bool   // the result of a form's field ends with the group
	field     bool   // a field ends with the group
}

// rtfForm is what a form's field offers.
type rtfForm struct {
	start          int // length of the page where the field begins
	result, preset int // -1 where nothing is said
	entries        []string
}

// An aside is a story inside a paragraph of another one.
type aside struct {
	around *rtfStory
	pages  []format.Page
	box    bool          // a text box and not a note
	edge   layout.Origin // Header or Footer
	first  bool          // of first pages only
	end    bool          // an endnote
}

// rtfParagraph is what formats a paragraph.
type rtfParagraph struct {
	style      int
	outline    int // from 0; -1 where nothing is said
	list       int // named from 1
	level      int // in it, from 0
	table      bool
	breakFirst bool // it starts a page
}

type rtfFont struct {
	name    strings.Builder
	set     encoding.Encoding // nil for that of the document
	symbols bool
}

type rtfStyle struct {
	name    strings.Builder
	outline int
}

// An rtfStory is a run of paragraphs: the body, a note, a text box.
type rtfStory struct {
	out   *flow
	label strings.Builder
	boxes [][]format.Page // text boxes that hang on the open paragraph

	open    bool // the paragraph has begun
	owed    bool // a cell's paragraph is not its last
	inTable bool // the line before is a row
	at      struct{ table, row, cell int }
	section bool // a section starts with the next paragraph
	paged   bool // sections start on a new page
}

// Code pages by number, and the code pages of font character sets.
var (
	codePages = map[int]encoding.Encoding{
		437: charmap.CodePage437, 850: charmap.CodePage850, 852: charmap.CodePage852, 855: charmap.CodePage855,
		858: charmap.CodePage858, 860: charmap.CodePage860, 862: charmap.CodePage862, 863: charmap.CodePage863,
		865: charmap.CodePage865, 866: charmap.CodePage866, 874: charmap.Windows874,
		932: japanese.ShiftJIS, 936: simplifiedchinese.GBK, 949: korean.EUCKR, 950: traditionalchinese.Big5,
		1250: charmap.Windows1250, 1251: charmap.Windows1251, 1252: charmap.Windows1252, 1253: charmap.Windows1253,
		1254: charmap.Windows1254, 1255: charmap.Windows1255, 1256: charmap.Windows1256, 1257: charmap.Windows1257,
		1258: charmap.Windows1258, 10000: charmap.Macintosh, 10007: charmap.MacintoshCyrillic, 65001: utf.UTF8,
	}
	fontSets = map[int]int{
		77: 10000, 128: 932, 129: 949, 134: 936, 136: 950, 161: 1253, 162: 1254, 163: 1258,
		177: 1255, 178: 1256, 186: 1257, 204: 1251, 222: 874, 238: 1250, 254: 437, 255: 850,
	}
)

// symbolSet is the font character set whose characters are pictures.
const symbolSet = 2

// errEnd stops the parser at the brace that ends the document.
var errEnd = errors.New("end of the document")

func (p *rtf) parse() error {
	start, err := p.r.Peek(8)
	if len(start) == 0 || !bytes.Contains(start, []byte(`{\rt`)) {
		return fault.File(fault.CorruptFile, "the document does not start as Rich Text Format does", err)
	}
	for p.story.out.err == nil {
		c, err := p.r.ReadByte()
		if err == nil {
			err = p.one(c)
		}
		switch {
		case errors.Is(err, errEnd):
			return nil
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			// Sloppy writers forget the last brace; more than that is damage.
			if len(p.outer) > 1 {
				return fault.File(fault.CorruptFile, "the document is cut short", io.ErrUnexpectedEOF)
			}
			p.decode()
			return nil
		case err != nil:
			return err
		}
	}
	return p.story.out.err
}

// one reads what starts with c.
func (p *rtf) one(c byte) error {
	switch c {
	case '{':
		return p.push()
	case '}':
		return p.pop()
	case '\\':
		return p.control()
	case '\r', '\n', 0:
		return nil
	case '\t':
		p.character("\t")
		return nil
	default:
		p.char(c)
		return nil
	}
}

func (p *rtf) push() error {
	p.decode()
	p.skip = 0
	if len(p.outer) >= p.limits.MaxDepth {
		return fault.File(fault.FileTooLarge,
			fmt.Sprintf("the document nests its groups deeper than %d, which is the limit", p.limits.MaxDepth), nil)
	}
	p.outer = append(p.outer, p.group)
	p.aside, p.starred, p.result, p.field = nil, false, false, false
	return nil
}

func (p *rtf) pop() error {
	p.decode()
	p.skip = 0
	if len(p.outer) == 0 {
		return errEnd
	}
	if p.aside != nil {
		if err := p.leaveAside(); err != nil {
			return err
		}
	}
	if p.result {
		p.story.out.endField()
	}
	if p.field {
		p.endField()
	}
	last := len(p.outer) - 1
	p.group, p.outer = p.outer[last], p.outer[:last]
	if last == 0 {
		return errEnd
	}
	return nil
}

// control reads what follows a backslash.
func (p *rtf) control() error {
	c, err := p.r.ReadByte()
	if err != nil {
		return err
	}
	if isLetter(c) {
		return p.controlWord(c)
	}
	switch c {
	case '\'':
		var hex [2]byte
		if _, err := io.ReadFull(p.r, hex[:]); err != nil {
			return err
		}
		if n, err := strconv.ParseUint(string(hex[:]), 16, 8); err == nil {
			p.char(byte(n))
		}
	case '\\', '{', '}':
		p.char(c)
	case '~':
		p.character("\u00a0")
	case '_':
		p.character("\u2011")
	case '*':
		p.starred = true
	case '\r', '\n':
		p.decode()
		p.endParagraph()
	}
	return nil
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// The longest control word, and the longest number of one.
const (
	maxWord   = 32
	maxDigits = 11
)

// controlWord reads a word that starts with c, its number, and the blank that
// may end it.
func (p *rtf) controlWord(c byte) error {
	word, digits := []byte{c}, []byte{}
	for {
		next, err := p.r.ReadByte()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if isLetter(next) && len(digits) == 0 && len(word) < maxWord {
			word = append(word, next)
			continue
		}
		if next >= '0' && next <= '9' || next == '-' && len(digits) == 0 {
			digits = append(digits, next)[:min(len(digits)+1, maxDigits)]
			continue
		}
		if next != ' ' {
			if err := p.r.UnreadByte(); err != nil {
				return err
			}
		}
		break
	}
	n, err := strconv.Atoi(string(digits))
	return p.do(string(word), n, err == nil)
}

// maxRaw bounds the bytes that wait. Most wait for a control word; an ASCII
// character ends every character of several bytes.
const maxRaw = 4096

// char handles a byte in the character set of the open font.
func (p *rtf) char(c byte) {
	if p.skip > 0 {
		p.skip--
		return
	}
	if p.to == toNothing || p.to == toInner {
		return
	}
	p.raw = append(p.raw, c)
	if len(p.raw) >= maxRaw && c < 0x40 || len(p.raw) >= 16*maxRaw {
		p.decode()
	}
}

// decode writes the bytes that wait.
func (p *rtf) decode() {
	if len(p.raw) == 0 {
		return
	}
	set := p.ansi
	font := p.fonts[p.font]
	if p.to == toText || p.to == toLabel {
		if font != nil && font.symbols {
			for _, c := range p.raw {
				p.write(font.symbol(rune(c)))
			}
			p.raw = p.raw[:0]
			return
		}
		if font != nil && font.set != nil {
			set = font.set
		}
	}
	text, err := set.NewDecoder().Bytes(p.raw)
	if err != nil {
		text = bytes.ToValidUTF8(p.raw, []byte("\ufffd"))
	}
	p.raw = p.raw[:0]
	p.write(string(text))
}

func (f *rtfFont) symbol(c rune) string {
	return symbol(strings.Trim(f.name.String(), "; "), strconv.FormatUint(uint64(c), 16))
}

// character handles a character that is written as a control.
func (p *rtf) character(s string) {
	if p.skip > 0 {
		p.skip--
		return
	}
	p.decode()
	p.write(s)
}

// maxName bounds the names of fonts and styles, and written labels, in bytes.
const maxName = 255

// write sends decoded text where the group wants it.
func (p *rtf) write(s string) {
	switch p.to {
	case toText:
		if !p.hidden && !p.deleted {
			p.beginParagraph()
			p.story.out.writeIn(p.face, s)
		}
	case toFonts:
		if p.newest != nil && p.newest.name.Len() < maxName {
			p.newest.name.WriteString(s)
		}
	case toStyles:
		if p.style != nil && p.style.name.Len() < maxName {
			p.style.name.WriteString(s)
		}
	case toLabel:
		if p.story.label.Len() < maxName {
			p.story.label.WriteString(s)
		}
	case toCode:
		if p.code.Len() < maxName {
			p.code.WriteString(s)
		}
	case toEntry:
		if last := len(p.form.entries) - 1; last >= 0 && len(p.form.entries[last]) < maxName {
			p.form.entries[last] += s
		}
	case toNothing, toInner:
	}
}

// maxEntries bounds the choices of a field that are kept.
const maxEntries = 256

// formWord carries out the words that tell what a form's field offers.
func (p *rtf) formWord(word string, n int) bool {
	switch word {
	case "ffres":
		p.form.result = n
	case "ffdefres":
		p.form.preset = n
	case "ffl":
		if p.to != toText && len(p.form.entries) < maxEntries {
			p.to = toEntry
			p.form.entries = append(p.form.entries, "")
		}
	default:
		return false
	}
	return true
}

// endField writes what was chosen in a form's field where its result does not show it.
func (p *rtf) endField() {
	const unsaid = 25
	chosen := p.form.result
	if chosen < 0 || chosen == unsaid {
		chosen = max(p.form.preset, 0)
	}
	if p.story.out.length != p.form.start || p.to != toText {
		return
	}
	var value string
	switch name := codeName(p.code.String()); {
	case name == "FORMCHECKBOX":
		value = tick(chosen == 1, "")
	case name == "FORMDROPDOWN" && chosen < len(p.form.entries):
		value = p.form.entries[chosen]
	}
	if value != "" {
		p.story.out.field(codeArgument(p.code.String()), codeKinds[codeName(p.code.String())])
		p.write(value)
		p.story.out.endField()
	}
}

// unicode handles a unit of UTF-16, which the format writes as a signed number.
func (p *rtf) unicode(n int) {
	p.decode()
	unit := rune(uint16(n)) //nolint:gosec // the sign is an artefact of the format
	font := p.fonts[p.font]
	switch {
	case unit >= 0xd800 && unit < 0xdc00:
		p.surrogate = unit
	case unit >= 0xdc00 && unit < 0xe000:
		p.write(string(utf16.DecodeRune(p.surrogate, unit)))
	case font != nil && font.symbols:
		p.write(font.symbol(unit))
	default:
		p.write(string(unit))
	}
	p.skip = p.fallback
}

// rtfCharacters are the control words that stand for a character.
var rtfCharacters = map[string]string{
	"tab": "\t", "emdash": "—", "endash": "–", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”",
	"bullet": "•", "emspace": "\u2003", "enspace": "\u2002", "qmspace": "\u2005",
}

// rtfDestinations are the groups that are no running text of the story they
// stand in.
var rtfDestinations = func() map[string]destination {
	all := map[string]destination{
		"fonttbl": toFonts, "stylesheet": toStyles, "listtext": toLabel, "pntext": toLabel,
		"upr": toInner, "shpinst": toInner, "object": toInner, "fldinst": toCode,
	}
	for word := range strings.FieldsSeq(`colortbl info pict objdata objclass objname
		ftnsep ftnsepc ftncn aftnsep aftnsepc aftncn
		xe tc tcn rxe txe annotation atnid atnauthor atndate atnicn atnref atrfstart atrfend
		bkmkstart bkmkend shprslt nonshppict nonesttables nesttableprops pnseclvl sp do background
		template revtbl filetbl listtable listoverridetable`) {
		all[word] = toNothing
	}
	return all
}()

// do carries out a control word.
func (p *rtf) do(word string, n int, given bool) error {
	if s, ok := rtfCharacters[word]; ok {
		p.character(s)
		return nil
	}
	if word == "bin" {
		_, err := p.r.Discard(max(n, 0))
		return err
	}
	p.decode()
	p.skip = 0
	starred := p.starred
	p.starred = false
	if p.formWord(word, n) {
		return nil
	}
	if to, ok := rtfDestinations[word]; ok {
		p.enter(to)
		return nil
	}
	if !p.structure(word, n) && !p.format(word, n, !given || n != 0) && starred {
		p.to = toNothing
	}
	return nil
}

// enter makes the open group a destination. A group that is skipped stays so.
func (p *rtf) enter(to destination) {
	if p.to != toText {
		return
	}
	p.to = to
	if to == toLabel {
		p.story.label.Reset()
	}
}

// structure carries out the words that divide the text.
func (p *rtf) structure(word string, n int) bool {
	if p.to == toInner {
		switch word {
		case "ud", "result":
			p.to = toText
		case "shptxt":
			p.to = toText
			p.enterAside(&aside{box: true})
		default:
			return false
		}
		return true
	}
	if p.to != toText {
		return false
	}
	s := p.story
	switch word {
	case "par":
		p.endParagraph()
	case "line", "lbr", "column":
		s.out.line()
	case "page", "softpage":
		s.out.pageBreak()
	case "cell", "nestcell":
		p.endCell()
		if word == "cell" {
			s.at.cell++
		}
	case "row", "nestrow":
		p.endCell()
		s.out.line()
		if word == "row" {
			s.at.row++
			s.at.cell = 1
		}
	case "sect":
		p.endParagraph()
		s.section = true
	case "sectd", "sbkpage", "sbkodd", "sbkeven":
		s.paged = true
	case "sbknone", "sbkcol":
		s.paged = false
	case "footnote":
		if !p.hidden && !p.deleted {
			p.enterAside(&aside{})
		} else {
			p.to = toNothing
		}
	case "header", "headerl", "headerr", "headerf":
		p.enterAside(&aside{edge: layout.Header, first: word == "headerf"})
	case "footer", "footerl", "footerr", "footerf":
		p.enterAside(&aside{edge: layout.Footer, first: word == "footerf"})
	case "titlepg":
		p.titled = true
	case "field":
		p.field = true
		p.code.Reset()
		p.form = rtfForm{start: s.out.length, result: -1, preset: -1}
	case "fldrslt":
		if formCodes[codeName(p.code.String())] {
			p.result = true
			s.out.field(codeArgument(p.code.String()), codeKinds[codeName(p.code.String())])
		}
	case "ftnalt":
		if p.aside != nil {
			p.aside.end = true
			s.out.origin = layout.Endnote
		}
	case "pard":
		p.paragraph = rtfParagraph{outline: -1}
	case "intbl":
		p.paragraph.table = true
	case "pagebb":
		p.paragraph.breakFirst = true
	case "ilvl":
		p.paragraph.level = n
	case "ls":
		p.paragraph.list = max(n, 0)
	default:
		return false
	}
	return true
}

// format carries out the words that format characters and define what formats
// them. The switch on is off for a number of zero.
func (p *rtf) format(word string, n int, on bool) bool {
	switch word {
	case "u":
		p.unicode(n)
	case "uc":
		p.fallback = min(max(n, 0), maxWord)
	case "plain":
		p.hidden, p.deleted, p.face = false, false, face{}
	case "b":
		p.face.bold = on
	case "i":
		p.face.italic = on
	case "ul", "uld", "uldb", "ulw":
		p.face.underlined = on
	case "ulnone":
		p.face.underlined = false
	case "v":
		p.hidden = on
	case "deleted":
		p.deleted = on
	case "f":
		if p.font = n; p.to == toFonts {
			p.newest = &rtfFont{}
			p.fonts[n] = p.newest
		}
	case "fcharset", "cpg":
		if p.to == toFonts && p.newest != nil {
			p.newest.symbols = word == "fcharset" && n == symbolSet
			if word == "fcharset" {
				n = fontSets[n]
			}
			if set := codePages[n]; set != nil {
				p.newest.set = set
			}
		}
	case "s":
		if p.paragraph.style = n; p.to == toStyles {
			p.style = &rtfStyle{outline: -1}
			p.styles[n] = p.style
		}
	case "outlinelevel":
		if p.paragraph.outline = n; p.to == toStyles && p.style != nil {
			p.style.outline = n
		}
	case "ansicpg":
		if set := codePages[n]; set != nil {
			p.ansi = set
		}
	case "mac":
		p.ansi = charmap.Macintosh
	case "pc":
		p.ansi = charmap.CodePage437
	case "pca":
		p.ansi = charmap.CodePage850
	default:
		return false
	}
	return true
}

// beginParagraph describes the open paragraph before its first character.
func (p *rtf) beginParagraph() {
	s := p.story
	if s.open {
		return
	}
	s.open = true
	if s.section && s.paged || p.paragraph.breakFirst {
		s.out.pageBreak()
	}
	s.section = false
	if s.inTable && !p.paragraph.table {
		s.out.paragraph()
		s.inTable, s.owed = false, false
	}
	if s.owed {
		s.out.line()
		s.owed = false
	}
	switch {
	case !p.paragraph.table:
		s.at.table = 0
	case s.at.table == 0:
		*s.out.seen++
		s.at.table, s.at.row, s.at.cell = *s.out.seen, 1, 1
	}
	s.out.begin(p.describe())
}

func (p *rtf) describe() format.Paragraph {
	d := format.Paragraph{Kind: format.Body, Number: label(p.story.label.String())}
	outline := p.paragraph.outline
	if style := p.styles[p.paragraph.style]; style != nil {
		d.Style = strings.Trim(style.name.String(), "; ")
		if outline < 0 {
			outline = style.outline
		}
	}
	level, heading := builtInHeading(d.Style)
	switch {
	case outline >= 0 && outline < wml.ListLevels:
		d.Kind, d.Level = format.Heading, outline+1
	case heading:
		d.Kind, d.Level = format.Heading, level
	case isContentsStyle(d.Style):
		d.Kind = format.Contents
	case d.Number != "":
		d.Kind = format.ListItem
	}
	if d.Number != "" {
		d.List, d.Depth = p.paragraph.list, p.paragraph.level+1
	}
	if at := p.story.at; p.paragraph.table {
		d.Table, d.Row, d.Cell = at.table, at.row, at.cell
	}
	return d
}

// label cleans a number as the file's writer rendered it. Bullets are written by
// the codes of many fonts.
func label(written string) string {
	number := strings.TrimSpace(written)
	if number == "o" || number != "" && !strings.ContainsFunc(number, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) {
		return "•"
	}
	return number
}

// endParagraph closes the open paragraph; if its mark is deleted, the next one
// continues its line.
func (p *rtf) endParagraph() {
	s := p.story
	s.out.end()
	s.open = false
	s.label.Reset()
	switch {
	case p.deleted:
	case p.paragraph.table:
		s.owed = true
	default:
		s.out.paragraph()
	}
	boxes := s.boxes
	s.boxes = nil
	for _, pages := range boxes {
		s.out.replay(pages, "")
		s.out.paragraph()
	}
	if !p.paragraph.table {
		s.out.afterParagraph()
	}
}

func (p *rtf) endCell() {
	s := p.story
	s.out.end()
	s.out.cell()
	s.open, s.owed, s.inTable = false, false, true
	s.label.Reset()
}

// enterAside begins a story that ends with the open group.
func (p *rtf) enterAside(a *aside) {
	if len(p.outer) < 2 { // the document itself is no note
		return
	}
	origin := layout.Footnote
	switch {
	case a.edge != layout.Content:
		origin = a.edge
	case a.box:
		if origin = p.story.out.origin; origin == layout.Content {
			origin = layout.TextBox
		}
	}
	out := p.story.out.aside(origin, &a.pages)
	a.around = p.story
	p.aside = a
	p.story = &rtfStory{out: out}
	p.paragraph = rtfParagraph{outline: -1}
}

// leaveAside keeps the story that ends for the place where it is written.
func (p *rtf) leaveAside() error {
	p.endParagraph()
	if err := p.story.out.finish(); err != nil {
		return err
	}
	a := p.aside
	p.story = a.around
	switch {
	case a.edge != layout.Content:
		if !a.first || p.titled {
			p.edges.add(a.edge, a.pages)
		}
	case a.box:
		p.story.boxes = append(p.story.boxes, a.pages)
	case a.end:
		p.endnotes = append(p.endnotes, a.pages)
	default:
		p.footnotes = append(p.footnotes, a.pages)
	}
	return nil
}

// writeFootnotes writes the footnotes of the page that ends.
func (p *rtf) writeFootnotes() {
	waiting := p.footnotes
	p.footnotes = nil
	for _, pages := range waiting {
		p.noted++
		p.body.writeNote(pages, strconv.Itoa(p.noted))
	}
}

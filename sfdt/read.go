package sfdt

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/clausemill/clausemill/fault"
)

// What a document of the editor may cost. The pictures in it are passed over.
const (
	maxDepth    = 1000      // objects and lists in each other; a table in a table takes six
	maxUnpacked = 256 << 20 // bytes of a packed document
	maxText     = 4 << 20   // characters, of which a paragraph, a revision and a comment take overhead each
	overhead    = 16
	maxMarks    = 32 // revisions at one place; two of them mean a deletion inside an insertion
)

// Saved is what can be read of a document that the editor saved: its words, how
// they are set and who changed them.
type Saved struct {
	Sections  int
	Text      []Line
	Headers   map[Place][]Line // with the footers
	Revisions map[string]Revision
	Comments  []Comment
	Origin    string // names what it was made of; "" where that is not known
}

// A Place is the part of the pages of a section in which a text is.
type Place struct {
	Section int    // from 0
	Kind    string // the name of a field of HeadersFooters
}

// A Line is a paragraph in the order of the document, cells included.
type Line struct {
	Runes   []Rune
	Mark    []string // revisions of the paragraph mark
	Row     []string // revisions of the row around it
	Setting Setting

	row, cell int // numbers of the row and the cell around it, from 1; 0 for none
}

// A Rune is a character of a paragraph. A note, a picture or a shape is one
// U+FFFC.
type Rune struct {
	Char rune
	*Run
	Remarks *Remarks
}

// A Run is what the characters of one inline have in common.
type Run struct {
	Revisions []string
	Look      Look
	Inside    []Line // of a note or a shape
	Counted   bool   // it is part of a page number, or the U+FFFC behind one: the editor counts anew
}

// Remarks are the comments that begin or end at a character.
type Remarks struct {
	Begin []string // before it
	End   []string // behind it
}

// Read reads a document in the long form of the format, in the short one, or
// packed, which may also be in an object with the only field "sfdt". Its errors
// are fault.Malformed.
func Read(data []byte) (*Saved, error) {
	for range 2 { // an object around a string
		data = bytes.TrimSpace(data)
		if len(data) == 0 {
			break
		}
		var packed string
		switch data[0] {
		case '"':
			if err := json.Unmarshal(data, &packed); err != nil {
				return nil, malformed(err)
			}
		case '{':
			var around struct {
				SFDT json.RawMessage `json:"sfdt"`
			}
			if err := json.Unmarshal(data, &around); err != nil {
				return nil, malformed(err)
			}
			if around.SFDT == nil {
				return read(data)
			}
			data = around.SFDT
			continue
		}
		unpacked, err := unpack(packed)
		if err != nil {
			return nil, err
		}
		return read(unpacked)
	}
	return nil, malformed(errors.New("no document inside"))
}

func malformed(cause error) error {
	return fault.Wrap(fault.Malformed, "the SFDT cannot be read; send what the editor's serialize gave", cause)
}

// unpack gives the first entry of an archive in base64.
func unpack(packed string) ([]byte, error) {
	data, err := base64.StdEncoding.DecodeString(packed)
	if err != nil {
		return nil, malformed(err)
	}
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil || len(archive.File) == 0 {
		return nil, malformed(err)
	}
	r, err := archive.File[0].Open()
	if err != nil {
		return nil, malformed(err)
	}
	defer r.Close()
	unpacked, err := io.ReadAll(io.LimitReader(r, maxUnpacked+1))
	switch {
	case err != nil:
		return nil, malformed(err)
	case len(unpacked) > maxUnpacked:
		return nil, fault.Newf(fault.TooLarge, "the SFDT unpacks to more than %d MiB, which is the limit", maxUnpacked>>20)
	}
	return unpacked, nil
}

// A savedReader walks a document token by token. Names of fields are accepted
// in both forms: no object has a long name that is the short one of another.
type savedReader struct {
	tokens *json.Decoder
	saved  *Saved
	depth  int

	savedStory
	spent       int // of maxText
	rows, cells int // counted so far
}

// A savedStory is the state of reading one flow of text.
type savedStory struct {
	lines  []Line
	line   *Line
	fields openFields
	begins []string // comments that begin before the next character

	row    []string // revisions of the row
	inRow  int      // its number
	inCell int
}

// apart reads a flow of text.
func (r *savedReader) apart(read func() error) ([]Line, error) {
	around := r.savedStory
	r.savedStory = savedStory{}
	err := read()
	lines := r.lines
	r.savedStory = around
	return lines, err
}

// spend counts what is kept.
func (r *savedReader) spend(n int) error {
	if r.spent += n; r.spent > maxText {
		return fault.Newf(fault.TooLarge, "the SFDT has more than %d characters, which is the limit", maxText)
	}
	return nil
}

func read(data []byte) (*Saved, error) {
	r := &savedReader{tokens: json.NewDecoder(bytes.NewReader(data)), saved: &Saved{Headers: map[Place][]Line{}, Revisions: map[string]Revision{}}}
	found := false
	err := r.object(func(name string) error {
		switch name {
		case "sections", "sec":
			found = true
			return r.list(r.section)
		case "revisions", "r":
			return r.list(r.revision)
		case "comments", "cm":
			comments, err := r.comments()
			r.saved.Comments = comments
			return err
		case "customXml", "cx":
			return r.list(r.customXML)
		default:
			return r.skip()
		}
	})
	switch {
	case err != nil:
		var known *fault.Error
		if errors.As(err, &known) {
			return nil, err
		}
		return nil, malformed(err)
	case !found:
		return nil, malformed(errors.New("no sections"))
	}
	r.saved.Text = r.lines
	return r.saved, nil
}

var errShape = errors.New("not the value that the format has there")

// object reads a value that is an object, calling field for each name; field
// must read the value. Anything else than an object is passed over.
func (r *savedReader) object(field func(name string) error) error {
	return r.container('{', func() error {
		name, err := r.tokens.Token()
		if err != nil {
			return err
		}
		text, ok := name.(string)
		if !ok {
			return errShape
		}
		return field(text)
	})
}

// list reads a value that is a list, calling item for each.
func (r *savedReader) list(item func() error) error { return r.container('[', item) }

func (r *savedReader) container(open json.Delim, each func() error) error {
	token, err := r.tokens.Token()
	if err != nil {
		return err
	}
	if token == nil {
		return nil // null
	}
	if token != open {
		return errShape
	}
	if r.depth++; r.depth > maxDepth {
		return fault.Newf(fault.Malformed, "the SFDT nests its values deeper than %d, which is the limit", maxDepth)
	}
	for r.tokens.More() {
		if err := each(); err != nil {
			return err
		}
	}
	r.depth--
	_, err = r.tokens.Token()
	return err
}

// skip passes over a value.
func (r *savedReader) skip() error {
	var value passed
	return r.tokens.Decode(&value)
}

// passed takes any value without keeping it.
type passed struct{}

// UnmarshalJSON does nothing.
func (*passed) UnmarshalJSON([]byte) error { return nil }

func (r *savedReader) string() (string, error) {
	var value any
	err := r.tokens.Decode(&value)
	text, _ := value.(string)
	return text, err
}

// marks reads the ids of revisions.
func (r *savedReader) marks() ([]string, error) {
	var all []string
	err := r.list(func() error {
		id, err := r.string()
		if err != nil || id == "" {
			return err
		}
		if all = append(all, id); len(all) > maxMarks {
			return fault.Newf(fault.Malformed, "the SFDT has more than %d tracked changes at one place, which is the limit", maxMarks)
		}
		return nil
	})
	return all, err
}

// number reads a number, -1 for anything else.
func (r *savedReader) number() (int, error) {
	var value any
	err := r.tokens.Decode(&value)
	if n, ok := value.(float64); ok && n == float64(int(n)) {
		return int(n), err
	}
	return -1, err
}

func (r *savedReader) section() error {
	number := r.saved.Sections
	r.saved.Sections++
	return r.object(func(name string) error {
		switch name {
		case "blocks", "b":
			return r.blocks()
		case "headersFooters", "hf":
			return r.object(func(name string) error { return r.header(Place{number, name}) })
		default:
			return r.skip()
		}
	})
}

// headerKinds are the fields of HeadersFooters in both forms.
var headerKinds = func() map[string]string {
	kinds := map[string]string{}
	for _, name := range []string{"header", "footer", "evenHeader", "evenFooter", "firstPageHeader", "firstPageFooter"} {
		kinds[name], kinds[shortNames[name]] = name, name
	}
	return kinds
}()

// header reads a header or a footer.
func (r *savedReader) header(at Place) error {
	if at.Kind = headerKinds[at.Kind]; at.Kind == "" {
		return r.skip()
	}
	lines, err := r.apart(r.body)
	r.saved.Headers[at] = lines
	return err
}

// body reads an object of which only the blocks matter.
func (r *savedReader) body() error {
	return r.object(func(name string) error {
		if name == "blocks" || name == "b" {
			return r.blocks()
		}
		return r.skip()
	})
}

func (r *savedReader) blocks() error { return r.list(r.block) }

// block reads a paragraph, a table or a content control. The fields may come in
// any order, so what a paragraph consists of is put together at its end.
func (r *savedReader) block() error {
	line := &Line{Row: r.row, row: r.inRow, cell: r.inCell}
	isParagraph := false
	err := r.object(func(name string) error {
		switch name {
		case "inlines", "i":
			isParagraph = true
			around := r.line
			r.line = line
			err := r.list(r.inline)
			r.line = around
			return err
		case "characterFormat", "cf":
			return r.format(&line.Mark)
		case "paragraphFormat", "pf":
			return r.setting(&line.Setting)
		case "rows", "r":
			return r.list(r.tableRow)
		case "blocks", "b":
			return r.blocks()
		default:
			return r.skip()
		}
	})
	if isParagraph && err == nil {
		r.lines = append(r.lines, *line)
		err = r.spend(overhead)
	}
	return err
}

// format reads the revisions out of a format.
func (r *savedReader) format(into *[]string) error {
	return r.object(func(name string) (err error) {
		if name == "revisionIds" || name == "rids" {
			*into, err = r.marks()
			return err
		}
		return r.skip()
	})
}

// tableRow reads the format of a row before its cells, whichever comes first.
func (r *savedReader) tableRow() error {
	around, number, first := r.row, r.inRow, len(r.lines)
	r.rows++
	r.row, r.inRow = nil, r.rows
	err := r.object(func(name string) error {
		switch name {
		case "rowFormat", "trpr":
			return r.format(&r.row)
		case "cells", "c":
			return r.list(r.tableCell)
		default:
			return r.skip()
		}
	})
	for i := range r.lines[first:] {
		if line := &r.lines[first+i]; line.row == r.inRow {
			line.Row = r.row
		}
	}
	r.row, r.inRow = around, number
	return err
}

func (r *savedReader) tableCell() error {
	around := r.inCell
	r.cells++
	r.inCell = r.cells
	err := r.body()
	r.inCell = around
	return err
}

// inline reads one inline.
func (r *savedReader) inline() error {
	var text *string
	run := &Run{}
	field, comment, id, isObject := -1, -1, "", false
	err := r.object(func(name string) (err error) {
		switch name {
		case "text", "tlp":
			var value string
			value, err = r.string()
			text = &value
		case "revisionIds", "rids":
			run.Revisions, err = r.marks()
		case "characterFormat", "cf":
			err = r.look(&run.Look)
		case "fieldType", "ft":
			field, err = r.number()
		case "commentCharacterType", "cct":
			comment, err = r.number()
		case "commentId", "cid":
			id, err = r.string()
		case "breakClearType", "bct":
			text = new(lineBreak) // the editor saves a line break by its kind alone
			err = r.skip()
		case "footnoteType", "fnt", "imageString", "img", "shapeId", "sid", "chartType", "ct":
			isObject = true
			err = r.skip()
		case "blocks", "b": // of a note
			run.Inside, err = r.apart(r.blocks)
		case "textFrame", "tf":
			run.Inside, err = r.apart(r.body)
		case "inlines", "i": // a content control, of which the inside reads on in the paragraph
			err = r.list(r.inline)
		default:
			err = r.skip()
		}
		return err
	})
	if err != nil {
		return err
	}
	switch {
	case field >= 0:
		if r.fields.border(field) {
			run.Counted = true
			r.line.Runes = append(r.line.Runes, Rune{Char: object, Run: run})
			err = r.spend(1)
		}
	case comment == 0:
		r.begins = append(r.begins, id)
		err = r.spend(overhead)
	case comment == 1:
		if n := len(r.line.Runes); n > 0 {
			last := r.line.Runes[n-1].remarks()
			last.End = append(last.End, id)
			err = r.spend(overhead)
		}
	case isObject:
		err = r.put(string(object), run)
	case text != nil:
		err = r.put(*text, run)
	}
	return err
}

// put adds text to the paragraph, unless it is the code of a field.
func (r *savedReader) put(text string, run *Run) error {
	if r.fields.code(text) {
		return nil
	}
	run.Counted = r.fields.counted > 0
	for _, c := range savedForms.Replace(text) {
		r.line.Runes = append(r.line.Runes, Rune{Char: c, Run: run})
		if r.begins != nil {
			r.line.Runes[len(r.line.Runes)-1].remarks().Begin = r.begins
			r.begins = nil
		}
	}
	return r.spend(utf8.RuneCountInString(text))
}

// remarks are those of the character, made if there are none.
func (r *Rune) remarks() *Remarks {
	if r.Remarks == nil {
		r.Remarks = &Remarks{}
	}
	return r.Remarks
}

// savedForms undoes what the editor writes in place of other characters.
var savedForms = strings.NewReplacer(columnBreak, "\f", noteMark, "", "\n", " ", "\r", " ")

func (r *savedReader) revision() error {
	var v Revision
	err := r.object(func(name string) (err error) {
		switch name {
		case "revisionId", "rid":
			v.ID, err = r.string()
		case "author", "a":
			v.Author, err = r.string()
		case "date", "dt":
			v.Date, err = r.string()
		case "customData", "cd":
			v.CustomData, err = r.string()
		case "revisionType", "rt":
			v.Type, err = r.revisionType()
		default:
			err = r.skip()
		}
		return err
	})
	if err == nil && v.ID != "" {
		r.saved.Revisions[v.ID] = v
		err = r.spend(overhead)
	}
	return err
}

func (r *savedReader) customXML() error {
	var v CustomXML
	err := r.object(func(name string) (err error) {
		switch name {
		case "itemID", "iid":
			v.ID, err = r.string()
		case "xml", "x":
			v.XML, err = r.string()
		default:
			err = r.skip()
		}
		return err
	})
	if v.ID == originID {
		r.saved.Origin = v.XML
	}
	return err
}

// revisionTypes are the numbers of the kinds in the short form.
var revisionTypes = map[int]string{1: "Insertion", 2: "Deletion", 3: "MoveTo", 4: "MoveFrom"}

func (r *savedReader) revisionType() (string, error) {
	var value any
	if err := r.tokens.Decode(&value); err != nil {
		return "", err
	}
	if n, ok := value.(float64); ok {
		return revisionTypes[int(n)], nil
	}
	name, _ := value.(string)
	return name, nil
}

func (r *savedReader) comments() ([]Comment, error) {
	var all []Comment
	err := r.list(func() error {
		var c Comment
		err := r.object(func(name string) (err error) {
			switch name {
			case "commentId", "cid":
				c.ID, err = r.string()
			case "author", "a":
				c.Author, err = r.string()
			case "initial", "i":
				c.Initial, err = r.string()
			case "date", "dt":
				c.Date, err = r.string()
			case "blocks", "b":
				c.Blocks, err = r.remark()
			case "replyComments", "rc":
				c.Replies, err = r.comments()
			default:
				err = r.skip()
			}
			return err
		})
		if err != nil {
			return err
		}
		all = append(all, c)
		return r.spend(overhead)
	})
	return all, err
}

// remark reads the text of a comment into one paragraph for each line.
func (r *savedReader) remark() ([]Block, error) {
	lines, err := r.apart(r.blocks)
	var blocks []Block
	for _, line := range lines {
		blocks = append(blocks, textParagraph(line.String()))
	}
	return blocks, err
}

// String is the text of the paragraph, deletions included.
func (l Line) String() string {
	var b strings.Builder
	for _, r := range l.Runes {
		b.WriteRune(r.Char)
	}
	return b.String()
}

// Time is when the change was made; zero where that cannot be read.
func (v Revision) Time() time.Time {
	t, err := time.Parse(time.RFC3339, v.Date)
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}

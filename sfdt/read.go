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

	"github.com/clausemill/clausemill/fault"
)

// What a document of the editor may cost. The pictures in it are passed over.
const (
	maxDepth    = 1000      // objects and lists in each other; a table in a table takes six
	maxUnpacked = 256 << 20 // bytes of a packed document
)

// Saved is what can be read of a document that the editor saved: its words and
// who changed them. Formats are passed over.
type Saved struct {
	Text      []Line
	Revisions map[string]Revision
	Comments  []Comment
}

// A Line is a paragraph of the body in the order of the document, cells
// included.
type Line struct {
	Runes []Rune
	Mark  []string // revisions of the paragraph mark
	Row   []string // revisions of the row around it

	row, cell int // numbers of the row and the cell around it, from 1; 0 for none
}

// A Rune is a character of a paragraph with the revisions that it is part of. A
// note, a picture or a shape is one U+FFFC.
type Rune struct {
	Char      rune
	Revisions []string
	Begins    []string // comments that begin before it
	Ends      []string // comments that end behind it
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

	line   *Line
	fields []bool   // open fields: whether the result is reached
	begins []string // comments that begin before the next character

	row         []string // revisions of the row
	inRow       int      // its number
	inCell      int
	rows, cells int // counted so far
}

func read(data []byte) (*Saved, error) {
	r := &savedReader{tokens: json.NewDecoder(bytes.NewReader(data)), saved: &Saved{Revisions: map[string]Revision{}}}
	found := false
	err := r.object(func(name string) error {
		switch name {
		case "sections", "sec":
			found = true
			return r.list(func() error { return r.section() })
		case "revisions", "r":
			return r.list(r.revision)
		case "comments", "cm":
			comments, err := r.comments()
			r.saved.Comments = comments
			return err
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

func (r *savedReader) text() (string, error) {
	var value any
	err := r.tokens.Decode(&value)
	text, _ := value.(string)
	return text, err
}

func (r *savedReader) texts() ([]string, error) {
	var values []any
	if err := r.tokens.Decode(&values); err != nil {
		return nil, err
	}
	var all []string
	for _, value := range values {
		if text, ok := value.(string); ok {
			all = append(all, text)
		}
	}
	return all, nil
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
		case "rows", "r":
			return r.list(r.tableRow)
		case "blocks", "b":
			return r.blocks()
		default:
			return r.skip()
		}
	})
	if isParagraph && err == nil {
		r.saved.Text = append(r.saved.Text, *line)
	}
	return err
}

// format reads the revisions out of a format.
func (r *savedReader) format(into *[]string) error {
	return r.object(func(name string) (err error) {
		if name == "revisionIds" || name == "rids" {
			*into, err = r.texts()
			return err
		}
		return r.skip()
	})
}

// tableRow reads the format of a row before its cells, whichever comes first.
func (r *savedReader) tableRow() error {
	around, number, first := r.row, r.inRow, len(r.saved.Text)
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
	for i := range r.saved.Text[first:] {
		if line := &r.saved.Text[first+i]; line.row == r.inRow {
			line.Row = r.row
		}
	}
	r.row, r.inRow = around, number
	return err
}

// tableCell reads a cell, which has its blocks as a section has.
func (r *savedReader) tableCell() error {
	around := r.inCell
	r.cells++
	r.inCell = r.cells
	err := r.section()
	r.inCell = around
	return err
}

// inline reads one inline.
func (r *savedReader) inline() error {
	var text *string
	var revisions []string
	field, comment, id, object, nested := -1, -1, "", false, [][]Rune(nil)
	err := r.object(func(name string) (err error) {
		switch name {
		case "text", "tlp":
			var value string
			value, err = r.text()
			text = &value
		case "revisionIds", "rids":
			revisions, err = r.texts()
		case "fieldType", "ft":
			field, err = r.number()
		case "commentCharacterType", "cct":
			comment, err = r.number()
		case "commentId", "cid":
			id, err = r.text()
		case "breakClearType", "bct":
			text = new(lineBreak) // the editor saves a line break by its kind alone
			err = r.skip()
		case "footnoteType", "fnt", "imageString", "img", "shapeId", "sid", "chartType", "ct":
			object = true
			err = r.skip()
		case "inlines", "i":
			// A content control: what is inside reads on in the paragraph.
			before := r.line.Runes
			r.line.Runes = nil
			err = r.list(r.inline)
			nested = append(nested, r.line.Runes)
			r.line.Runes = before
		default:
			err = r.skip()
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, runes := range nested {
		r.line.Runes = append(r.line.Runes, runes...)
	}
	n := len(r.fields)
	switch {
	case field == fieldBegins:
		r.fields = append(r.fields, false)
	case field == fieldSeparates && n > 0:
		r.fields[n-1] = true
	case field == fieldEnds && n > 0:
		r.fields = r.fields[:n-1]
	case comment == 0:
		r.begins = append(r.begins, id)
	case comment == 1:
		if n := len(r.line.Runes); n > 0 {
			r.line.Runes[n-1].Ends = append(r.line.Runes[n-1].Ends, id)
		}
	case object:
		r.put("\uFFFC", revisions)
	case text != nil:
		r.put(*text, revisions)
	}
	return nil
}

// put adds text to the paragraph, unless it is the code of a field.
func (r *savedReader) put(text string, revisions []string) {
	for _, result := range r.fields {
		if !result {
			return
		}
	}
	for _, c := range savedForms.Replace(text) {
		r.line.Runes = append(r.line.Runes, Rune{Char: c, Revisions: revisions, Begins: r.begins})
		r.begins = nil
	}
}

// savedForms undoes what the editor writes in place of other characters.
var savedForms = strings.NewReplacer(columnBreak, "\f", noteMark, "", "\n", " ", "\r", " ")

func (r *savedReader) revision() error {
	var v Revision
	err := r.object(func(name string) (err error) {
		switch name {
		case "revisionId", "rid":
			v.ID, err = r.text()
		case "author", "a":
			v.Author, err = r.text()
		case "date", "dt":
			v.Date, err = r.text()
		case "customData", "cd":
			v.CustomData, err = r.text()
		case "revisionType", "rt":
			v.Type, err = r.revisionType()
		default:
			err = r.skip()
		}
		return err
	})
	if err == nil && v.ID != "" {
		r.saved.Revisions[v.ID] = v
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
				c.ID, err = r.text()
			case "author", "a":
				c.Author, err = r.text()
			case "initial", "i":
				c.Initial, err = r.text()
			case "date", "dt":
				c.Date, err = r.text()
			case "blocks", "b":
				c.Blocks, err = r.remark()
			case "replyComments", "rc":
				c.Replies, err = r.comments()
			default:
				err = r.skip()
			}
			return err
		})
		all = append(all, c)
		return err
	})
	return all, err
}

// remark reads the text of a comment into one paragraph for each line.
func (r *savedReader) remark() ([]Block, error) {
	text := r.saved.Text
	r.saved.Text = nil
	err := r.blocks()
	var blocks []Block
	for _, line := range r.saved.Text {
		blocks = append(blocks, textParagraph(line.String()))
	}
	r.saved.Text = text
	return blocks, err
}

// String is the text of the paragraph, whatever became of it.
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

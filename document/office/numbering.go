package office

import (
	"encoding/xml"
	"strconv"
	"strings"

	wml "github.com/clausemill/clausemill/docx"
)

// style has the properties of a Word style that affect structure.
type style struct {
	id, name, basedOn string
	outline           *int
	list              wml.ListRef
	breakBefore       *bool
	look              runLook
}

// readListRef reads a w:numPr.
func readListRef(x *xmlReader) (wml.ListRef, error) {
	var ref wml.ListRef
	err := x.children(func(e xml.StartElement) error {
		switch word(e.Name) {
		case "numId":
			ref.List = attribute(e, "val")
		case "ilvl":
			ref.Level = integer(attribute(e, "val"))
		}
		return nil
	})
	return ref, err
}

// defaultStyle is the key of the style of paragraphs that name none.
const defaultStyle = ""

func (d *docx) readStyles() error {
	d.styles = map[string]*style{}
	return d.read(d.related["styles"], func(x *xmlReader) error {
		return x.children(func(e xml.StartElement) error {
			if word(e.Name) != "style" {
				return nil
			}
			st := &style{id: attribute(e, "styleId")}
			d.styles[st.id] = st
			if attribute(e, "type") == "paragraph" && (attribute(e, "default") == "1" || attribute(e, "default") == "true") {
				d.styles[defaultStyle] = st
			}
			return x.children(func(e xml.StartElement) error {
				switch word(e.Name) {
				case "name":
					st.name = attribute(e, "val")
				case "basedOn":
					st.basedOn = attribute(e, "val")
				case "rPr":
					var err error
					st.look, err = readRunLook(x)
					return err
				case "pPr":
					p, err := readParagraphProperties(x)
					st.outline, st.list, st.breakBefore = p.outline, p.list, p.breakBefore
					return err
				}
				return nil
			})
		})
	})
}

// maxStyles bounds the chain of a style's ancestors, which may be a loop.
const maxStyles = 32

// styleChain lists a style and its ancestors, nearest first.
func (d *docx) styleChain(id string) []*style {
	var chain []*style
	st := d.styles[id]
	if st == nil {
		st = d.styles[defaultStyle]
	}
	for st != nil && len(chain) < maxStyles {
		chain = append(chain, st)
		if st.basedOn == "" {
			break
		}
		st = d.styles[st.basedOn]
	}
	return chain
}

// headingLevel is the outline level of a heading, from 1, or 0 for a title. Built-in
// styles are recognised by name, which translated programs keep.
func headingLevel(properties paragraphProperties, chain []*style) (int, bool) {
	if properties.outline != nil {
		return *properties.outline + 1, *properties.outline >= 0 && *properties.outline < 9
	}
	for _, st := range chain {
		if level, ok := builtInHeading(st.name); ok {
			return level, true
		}
		if st.outline != nil {
			return *st.outline + 1, *st.outline >= 0 && *st.outline < 9
		}
	}
	return 0, false
}

// builtInHeading returns the level of a style by its name, which word processors
// write in English whatever their language.
func builtInHeading(style string) (int, bool) {
	name := strings.ToLower(style)
	if name == "title" {
		return 0, true
	}
	if digit, ok := strings.CutPrefix(name, "heading "); ok {
		n, err := strconv.Atoi(digit)
		return n, err == nil && n >= 1 && n <= wml.ListLevels
	}
	return 0, false
}

func (d *docx) readNumbering() error {
	d.numbers = wml.Numbering{Abstracts: map[string]*wml.AbstractList{}, Lists: map[string]*wml.List{}, Styles: map[string]wml.ListRef{}}
	for id, st := range d.styles {
		d.numbers.Styles[id] = st.list
	}
	return d.read(d.related["numbering"], func(x *xmlReader) error {
		return x.children(func(e xml.StartElement) error {
			switch word(e.Name) {
			case "abstractNum":
				abstract, err := readAbstractList(x)
				d.numbers.Abstracts[attribute(e, "abstractNumId")] = abstract
				return err
			case "num":
				l, err := readList(x)
				d.numbers.Lists[attribute(e, "numId")] = l
				return err
			}
			return nil
		})
	})
}

func readAbstractList(x *xmlReader) (*wml.AbstractList, error) {
	abstract := &wml.AbstractList{}
	err := x.children(func(e xml.StartElement) error {
		switch word(e.Name) {
		case "numStyleLink":
			abstract.StyleLink = attribute(e, "val")
		case "lvl":
			if i := integer(attribute(e, "ilvl")); i != nil && *i >= 0 && *i < wml.ListLevels {
				var err error
				abstract.Levels[*i], err = readListLevel(x)
				return err
			}
		}
		return nil
	})
	return abstract, err
}

func readListLevel(x *xmlReader) (wml.ListLevel, error) {
	level := wml.ListLevel{Format: "decimal"}
	err := x.children(func(e xml.StartElement) error {
		value := attribute(e, "val")
		switch word(e.Name) {
		case "start":
			if n := integer(value); n != nil {
				level.Start = *n
			}
		case "numFmt":
			level.Format = value
		case "lvlText":
			level.Text = value
		case "isLgl":
			level.Legal = isOn(e)
		case "lvlRestart":
			level.Restart = integer(value)
		case "pStyle":
			level.Style = value
		}
		return nil
	})
	return level, err
}

func readList(x *xmlReader) (*wml.List, error) {
	l := &wml.List{Overrides: map[int]wml.ListLevel{}, Starts: map[int]int{}}
	err := x.children(func(e xml.StartElement) error {
		switch word(e.Name) {
		case "abstractNumId":
			l.Abstract = attribute(e, "val")
		case "lvlOverride":
			i := integer(attribute(e, "ilvl"))
			if i == nil {
				return nil
			}
			return x.children(func(e xml.StartElement) error {
				var err error
				switch word(e.Name) {
				case "startOverride":
					if n := integer(attribute(e, "val")); n != nil {
						l.Starts[*i] = *n
					}
				case "lvl":
					l.Overrides[*i], err = readListLevel(x)
				}
				return err
			})
		}
		return nil
	})
	return l, err
}

// label counts a paragraph in its list and renders its number; it is false for a
// paragraph outside of lists.
func (d *docx) label(properties paragraphProperties, chain []*style) (wml.Counted, bool) {
	styles := make([]wml.ListStyle, len(chain))
	for i, st := range chain {
		styles[i] = wml.ListStyle{ID: st.id, ListRef: st.list}
	}
	return d.numbers.Next(properties.list, styles)
}

// listOf names a list by a number, from 1.
func (d *docx) listOf(abstract string) int {
	if d.listed == nil {
		d.listed = map[string]int{}
	}
	n, known := d.listed[abstract]
	if !known {
		n = len(d.listed) + 1
		d.listed[abstract] = n
	}
	return n
}

// numberFormats maps the short names of formats that OpenDocument and HTML share
// to those of FormatNumber.
var numberFormats = map[string]string{
	"1": "decimal", "a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman",
}

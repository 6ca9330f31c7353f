package office

import (
	"cmp"
	"encoding/xml"
	"strings"

	"github.com/clausemill/clausemill/document/format"
)

// A field is an open complex field of a Word document.
type field struct {
	code   string // as far as it matters
	result bool   // its result is reached
	form   bool   // its result was filled in
	choice string // of a drop-down list, shown where there is no result
	name   string // of a form's field
	start  int    // length of the page where the result begins
}

const (
	// maxFields bounds the nesting of fields that are looked at.
	maxFields = 64
	// maxCode bounds the code of a field that is kept, in bytes.
	maxCode = 512
)

// formCodes are the fields that people or programs fill in.
var formCodes = map[string]bool{"FORMTEXT": true, "FORMCHECKBOX": true, "FORMDROPDOWN": true, "MERGEFIELD": true, "FILLIN": true, "DOCPROPERTY": true, "DOCVARIABLE": true}

// codeKinds are the kinds of the fields whose values are no text.
var codeKinds = map[string]string{"FORMCHECKBOX": format.FieldCheckbox, "FORMDROPDOWN": format.FieldChoice}

// controlKinds are the kinds of the content controls whose values are no text.
var controlKinds = map[string]string{
	"date": format.FieldDate, "comboBox": format.FieldChoice, "dropDownList": format.FieldChoice, "checkbox": format.FieldCheckbox,
}

// codeName is the name of a field by its code.
func codeName(code string) string {
	name, _, _ := strings.Cut(strings.TrimSpace(code), " ")
	return strings.ToUpper(name)
}

// codeArgument is what a field is told by its code: the name of what a merge field shows.
func codeArgument(code string) string {
	_, rest, _ := strings.Cut(strings.TrimSpace(code), " ")
	rest = strings.TrimSpace(rest)
	if quoted, ok := strings.CutPrefix(rest, `"`); ok {
		rest, _, _ = strings.Cut(quoted, `"`)
		return rest
	}
	if rest, _, _ = strings.Cut(rest, " "); strings.HasPrefix(rest, `\`) {
		return "" // a switch
	}
	return rest
}

// inCode reports whether the code of a field is read, which is not shown.
func (s *story) inCode() bool {
	for _, f := range s.fields {
		if !f.result {
			return true
		}
	}
	return s.beyond > 0
}

// fieldCode reads a piece of the code of the innermost field.
func (s *story) fieldCode() error {
	text, err := s.xml.text()
	if last := len(s.fields) - 1; last >= 0 && s.beyond == 0 && !s.fields[last].result {
		code := s.fields[last].code + text
		s.fields[last].code = strings.ToValidUTF8(code[:min(len(code), maxCode)], "")
	}
	return err
}

// fieldChar reads the begin, separator or end mark of a complex field.
func (s *story) fieldChar(e xml.StartElement) error {
	last := len(s.fields) - 1
	switch attribute(e, "fldCharType") {
	case "begin":
		if len(s.fields) == maxFields {
			s.beyond++
			return nil
		}
		var f field
		err := s.xml.children(func(e xml.StartElement) error {
			if word(e.Name) == "ffData" {
				return s.formField(&f)
			}
			return nil
		})
		s.fields = append(s.fields, f)
		return err
	case "separate":
		if last >= 0 && s.beyond == 0 && !s.fields[last].result {
			s.beginResult(&s.fields[last])
		}
	case "end":
		switch {
		case s.beyond > 0:
			s.beyond--
		case last >= 0:
			f := s.fields[last]
			s.fields = s.fields[:last]
			s.endResult(f)
		}
	}
	return nil
}

// beginResult begins the result of a field.
func (s *story) beginResult(f *field) {
	name := codeName(f.code)
	f.result = true
	f.start = s.out.length
	if f.form = formCodes[name]; f.form {
		s.out.field(cmp.Or(f.name, codeArgument(f.code)), codeKinds[name])
	}
}

// endResult ends a field, and writes what was chosen in it where nothing shows that.
func (s *story) endResult(f field) {
	if f.form {
		s.out.endField()
	}
	if f.choice != "" && (!f.result || s.out.length == f.start) && !s.inCode() {
		s.fill(f.name, format.FieldChoice, f.choice)
	}
}

// fill writes what was filled into a form.
func (s *story) fill(name, kind, text string) {
	s.out.field(name, kind)
	s.out.write(text)
	s.out.endField()
}

// endParagraphFields sees to it that a field that never ends swallows nothing but its
// paragraph.
func (s *story) endParagraphFields() {
	for i := range s.fields {
		f := &s.fields[i]
		if f.form {
			s.out.endField()
		}
		f.result, f.form = true, false
	}
	s.beyond = 0
}

// simpleField reads a field with its result inside.
func (s *story) simpleField(code string) error {
	if len(s.fields) == maxFields {
		return nil
	}
	f := field{code: code}
	s.beginResult(&f)
	depth := len(s.fields)
	s.fields = append(s.fields, f)
	err := s.inlines()
	s.fields = s.fields[:min(depth, len(s.fields))]
	s.endResult(f)
	return err
}

// formField reads what a form's field offers. A check box is written as a character,
// for the file has no text for it.
func (s *story) formField(f *field) error {
	return s.xml.children(func(e xml.StartElement) error {
		switch word(e.Name) {
		case "name":
			f.name = attribute(e, "val")
		case "checkBox":
			return s.checkBox(f.name)
		case "ddList":
			var err error
			f.choice, err = s.dropDown()
			return err
		}
		return nil
	})
}

func (s *story) checkBox(name string) error {
	preset, checked := false, (*bool)(nil)
	err := s.xml.children(func(e xml.StartElement) error {
		switch word(e.Name) {
		case "default":
			preset = isOn(e)
		case "checked":
			on := isOn(e)
			checked = &on
		}
		return nil
	})
	switch {
	case s.inCode():
	case checked != nil && *checked || checked == nil && preset:
		s.fill(name, format.FieldCheckbox, "☒")
	default:
		s.fill(name, format.FieldCheckbox, "☐")
	}
	return err
}

// dropDown reads the chosen entry of a list.
func (s *story) dropDown() (string, error) {
	var entries []string
	preset, chosen := 0, (*int)(nil)
	err := s.xml.children(func(e xml.StartElement) error {
		switch word(e.Name) {
		case "listEntry":
			entries = append(entries, attribute(e, "val"))
		case "default":
			if n := integer(attribute(e, "val")); n != nil {
				preset = *n
			}
		case "result":
			chosen = integer(attribute(e, "val"))
		}
		return nil
	})
	if chosen != nil {
		preset = *chosen
	}
	if preset < 0 || preset >= len(entries) {
		return "", err
	}
	return entries[preset], err
}

// A contentControl is what matters of a content control.
type contentControl struct {
	name        string
	kind        string // of format.Field
	placeholder bool   // it shows what to fill in, and no value
	plain       bool   // it holds a value: text, a date, a choice
	other       bool   // it holds no value: a picture, a group
	toc         bool   // it holds a table of contents
}

// control reads a content control, around text of a paragraph or around blocks. The
// value of a form is marked as such; rich text around blocks is ordinary text.
func (s *story) control(each func(xml.StartElement) error, inline bool) error {
	var c contentControl
	return s.xml.children(func(e xml.StartElement) error {
		switch word(e.Name) {
		case "sdtPr":
			var err error
			c, err = readControl(s.xml)
			return err
		case "sdtContent":
			if c.toc {
				s.toc++
				defer func() { s.toc-- }()
			}
			if !c.placeholder && (c.plain || inline && !c.other) {
				s.out.field(c.name, c.kind)
				defer s.out.endField()
			}
			return s.xml.children(each)
		}
		return nil
	})
}

func readControl(x *xmlReader) (c contentControl, err error) {
	err = x.children(func(e xml.StartElement) error {
		switch e.Name.Local {
		case "alias":
			c.name = attribute(e, "val")
		case "tag":
			c.name = cmp.Or(c.name, attribute(e, "val"))
		case "showingPlcHdr":
			c.placeholder = isOn(e)
		case "text", "date", "comboBox", "dropDownList", "checkbox":
			c.plain, c.kind = true, controlKinds[e.Name.Local]
		case "picture", "group", "citation", "bibliography", "equation", "repeatingSection", "repeatingSectionItem":
			c.other = true
		case "docPartObj", "docPartList":
			c.other = true
			return x.children(func(e xml.StartElement) error {
				c.toc = c.toc || word(e.Name) == "docPartGallery" && attribute(e, "val") == "Table of Contents"
				return nil
			})
		}
		return nil
	})
	return c, err
}

package office

import (
	"archive/zip"
	"cmp"
	"encoding/xml"

	"github.com/clausemill/clausemill/document/archive"
	"github.com/clausemill/clausemill/document/format"
	"github.com/clausemill/clausemill/layout"
)

// odtFields are the fields that people or programs fill in.
var odtFields = map[string]bool{
	"text:user-field-get": true, "text:user-field-input": true, "text:variable-get": true, "text:variable-set": true, "text:variable-input": true,
	"text:text-input": true, "text:drop-down": true, "text:database-display": true, "text:user-defined": true,
}

// fill writes what was filled into a form.
func (s *odtStory) fill(c odtControl) {
	s.out.field(c.name, c.kind)
	s.write(c.value)
	s.out.endField()
}

// An odtControl is a control of a form.
type odtControl struct{ name, kind, value string }

// odtKinds are the kinds of the controls whose values are no text.
var odtKinds = map[string]string{
	"form:checkbox": format.FieldCheckbox, "form:radio": format.FieldRadio, "form:listbox": format.FieldChoice, "form:combobox": format.FieldChoice, "form:date": format.FieldDate,
}

// readForms reads the values of the controls of all forms. Where a control has a value
// of its own and one that it began with, the first counts.
func (s *odtStory) readForms() error {
	return s.xml.descendants(func(e xml.StartElement) error {
		id, name := attribute(e, "id"), attribute(e, "name")
		kind := odtKinds[odf(e.Name)]
		switch odf(e.Name) {
		case "form:checkbox":
			s.values[id] = odtControl{name, kind, tick(cmp.Or(attribute(e, "current-state"), attribute(e, "state")) == "checked", attribute(e, "label"))}
		case "form:radio":
			s.values[id] = odtControl{name, kind, tick(cmp.Or(attribute(e, "current-selected"), attribute(e, "selected")) == "true", attribute(e, "label"))}
		case "form:listbox":
			chosen, err := s.chosen()
			s.values[id] = odtControl{name, kind, chosen}
			return err
		case "form:text", "form:textarea", "form:formatted-text", "form:number", "form:date", "form:time", "form:combobox":
			s.values[id] = odtControl{name, kind, cmp.Or(attribute(e, "current-value"), attribute(e, "value"))}
		}
		return nil
	})
}

func tick(checked bool, label string) string {
	box := "☐"
	if checked {
		box = "☒"
	}
	if label != "" {
		box += " " + label
	}
	return box
}

// chosen reads the entry of a list that is selected.
func (s *odtStory) chosen() (label string, err error) {
	err = s.xml.children(func(e xml.StartElement) error {
		if odf(e.Name) == "form:option" && (attribute(e, "current-selected") == "true" || attribute(e, "selected") == "true" && label == "") {
			label = attribute(e, "label")
		}
		return nil
	})
	return label, err
}

// odtEdges are the headers and footers that a page style may have.
var odtEdges = map[string]layout.Origin{
	"style:header": layout.Header, "style:header-left": layout.Header, "style:header-first": layout.Header,
	"style:footer": layout.Footer, "style:footer-left": layout.Footer, "style:footer-first": layout.Footer,
}

// writeEdges writes the headers of all page styles and then the footers, the same words
// only once.
func (d *odt) writeEdges(a *archive.ZIP, part *zip.File, to *flow) error {
	r, err := a.Open(part)
	if err != nil {
		return err
	}
	defer r.Close()
	x := newXMLReader(r, d.limits)
	if err := x.enter(); err != nil {
		return err
	}
	found := edges{to: to}
	s := &odtStory{odt: d, place: place{out: to}, xml: x}
	err = x.children(func(e xml.StartElement) error {
		if odf(e.Name) != "office:master-styles" {
			return nil
		}
		return x.children(func(xml.StartElement) error { // page styles
			return x.children(func(e xml.StartElement) error {
				origin, ok := odtEdges[odf(e.Name)]
				if !ok || attribute(e, "display") == "false" {
					return nil
				}
				pages, err := s.aside(e, origin)
				found.add(origin, pages)
				return err
			})
		})
	})
	if err == nil {
		found.write()
		err = to.err
	}
	return err
}

package office

import (
	"encoding/xml"
	"slices"
	"strings"

	"github.com/clausemill/clausemill/document/format"
	"github.com/clausemill/clausemill/layout"
)

// An edge is a header or a footer that a section refers to.
type edge struct {
	origin layout.Origin
	id     string // of the relationship
	kind   string // default, first or even
}

// readEdges reads the headers and footers of the w:sectPr that was entered last. Those
// of the first page are left out where the section has none of its own there.
func readEdges(x *xmlReader) ([]edge, error) {
	var all []edge
	first := false
	err := x.children(func(e xml.StartElement) error {
		switch word(e.Name) {
		case "headerReference":
			all = append(all, edge{layout.Header, attribute(e, "id"), attribute(e, "type")})
		case "footerReference":
			all = append(all, edge{layout.Footer, attribute(e, "id"), attribute(e, "type")})
		case "titlePg":
			first = isOn(e)
		}
		return nil
	})
	return slices.DeleteFunc(all, func(e edge) bool { return e.kind == "first" && !first }), err
}

// writeEdges writes the headers of all sections and then the footers, the same words
// only once.
func (d *docx) writeEdges() error {
	if slices.ContainsFunc(d.edges, func(e edge) bool { return e.kind == "even" }) {
		even, err := d.hasEvenPages()
		if err != nil {
			return err
		}
		d.edges = slices.DeleteFunc(d.edges, func(e edge) bool { return e.kind == "even" && !even })
	}
	read, found := map[string]bool{}, edges{to: d.body}
	for _, e := range d.edges {
		name := d.targets[e.id]
		if name == "" || read[name] {
			continue
		}
		read[name] = true
		pages, err := d.edge(name, e.origin)
		if err := optional(err); err != nil {
			return err
		}
		found.add(e.origin, pages)
	}
	found.write()
	return d.body.err
}

// edges collects headers and footers.
type edges struct {
	to  *flow
	all []collected
}

type collected struct {
	origin layout.Origin
	pages  []format.Page
}

func (e *edges) add(origin layout.Origin, pages []format.Page) {
	e.all = append(e.all, collected{origin, pages})
}

// write writes the headers and then the footers, the same words only once.
func (e *edges) write() {
	said := map[string]bool{}
	for _, origin := range []layout.Origin{layout.Header, layout.Footer} {
		for _, edge := range e.all {
			var text strings.Builder
			for _, page := range edge.pages {
				text.WriteString(page.Text)
			}
			if key := origin.String() + text.String(); edge.origin == origin && text.Len() > 0 && !said[key] {
				said[key] = true
				e.to.writeNote(edge.pages, "")
			}
		}
	}
}

// edge reads a header or a footer.
func (d *docx) edge(name string, origin layout.Origin) (pages []format.Page, err error) {
	err = d.read(name, func(x *xmlReader) (err error) {
		pages, err = d.aside(x, origin.String()+":"+name, origin)
		return err
	})
	return pages, err
}

// hasEvenPages reports whether even pages have headers and footers of their own.
func (d *docx) hasEvenPages() (even bool, err error) {
	err = d.read(d.related["settings"], func(x *xmlReader) error {
		return x.children(func(e xml.StartElement) error {
			even = even || word(e.Name) == "evenAndOddHeaders" && isOn(e)
			return nil
		})
	})
	return even, optional(err)
}

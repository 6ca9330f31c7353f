package redline

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/clausemill/clausemill/docx"
)

// settings are what gives the properties was of a holder the values of is, among those
// called names; among all without names. A style is known by its name in both documents,
// and a list by how it numbers. What the base cannot express, it leaves as it is.
func (c *comparer) settings(of docx.Holder, was, is docx.Element, names map[string]bool) (s docx.Settings) {
	old, new := c.keys(c.trial.doc, was), c.keys(c.new, is)
	can := docx.PropertiesOf(is)
	all := maps.Clone(old)
	maps.Copy(all, new)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		switch {
		case old[name] == new[name], near(name, old[name], new[name]), names != nil && !names[name], !docx.Settable(of, name):
		case new[name] == "":
			s.Unset = append(s.Unset, name)
		case can[name] != nil:
			if set, ok := c.translated(can[name]); ok {
				s.Set = append(s.Set, set...)
			}
		}
	}
	return s
}

// near reports whether two measures are the same but for what is lost between twentieths
// of a point and other units.
func near(name, was, is string) bool {
	switch name {
	case "tcW", "gridCol", "tblW", "tblInd", "wBefore", "wAfter", "spacing", "ind":
	default:
		return false
	}
	a, b := digits.FindAllString(was, -1), digits.FindAllString(is, -1)
	if len(a) != len(b) || digits.ReplaceAllString(was, "") != digits.ReplaceAllString(is, "") {
		return false
	}
	for i := range a {
		x, err := strconv.Atoi(a[i])
		y, otherErr := strconv.Atoi(b[i])
		if err != nil || otherErr != nil || x-y > rounding || y-x > rounding {
			return false
		}
	}
	return true
}

var digits = regexp.MustCompile(`\d+`)

// rounding is how far a width is off after it was written in hundredths of a millimetre.
const rounding = 2

// keys are the properties in e, each as a value that is equal for equal properties.
func (c *comparer) keys(d *docx.Document, e docx.Element) map[string]string {
	all := map[string]string{}
	for p := range e.Children() {
		switch {
		case p.Is("cnfStyle", "divId", "rPr", "sectPr"):
		case p.Is("pStyle", "tblStyle", "rStyle"):
			all[p.Name()] = d.StyleName(p.Attr("val"))
		case p.Is("numPr"):
			list := p.Child("numId").Attr("val")
			if d == c.new {
				list, _ = c.list(list)
			}
			all[p.Name()] = p.Child("ilvl").Attr("val") + " of " + list
		case e.Is("sectPr"):
			if setup := d.Setup(p); setup != "" {
				all[p.Name()] += setup
			}
		case e.Is("tblPr", "tblGrid", "trPr", "tcPr"):
			if property := d.TableProperty(p); property != "" {
				all[p.Name()] += property
			}
		default:
			all[p.Name()] += d.Canon(p)
		}
	}
	return all
}

// styleTypes are the types of the styles that properties name.
var styleTypes = map[string]string{"pStyle": "paragraph", "tblStyle": "table", "rStyle": "character"}

// translated are properties of the other document as the base says them.
func (c *comparer) translated(properties []docx.Property) (all []docx.Property, ok bool) {
	for _, p := range properties {
		switch p.Name {
		case "pStyle", "tblStyle", "rStyle":
			id, known := c.trial.doc.StyleCalled(styleTypes[p.Name], c.new.StyleName(p.Attributes["val"]))
			if !known {
				return nil, false
			}
			p.Attributes = map[string]string{"val": id}
		case "numPr":
			inner := slices.Clone(p.Properties)
			for i := range inner {
				if inner[i].Name != "numId" {
					continue
				}
				id, known := c.list(inner[i].Attributes["val"])
				if !known {
					return nil, false
				}
				inner[i].Attributes = map[string]string{"val": id}
			}
			p.Properties = inner
		}
		all = append(all, p)
	}
	return all, true
}

// list is the list of the base that is one of the other document: the one that numbers
// the same paragraphs, else one that numbers in the same way.
func (c *comparer) list(id string) (of string, known bool) {
	if id == "" || id == "0" {
		return id, true
	}
	if of, known = c.lists[id]; known {
		return of, of != ""
	}
	definition := c.new.ListDefinition(id)
	for _, other := range append([]string{c.shared(id), id}, c.trial.doc.Lists()...) {
		if other != "" && c.trial.doc.ListDefinition(other) == definition && definition != "" {
			of = other
			break
		}
	}
	c.lists[id] = of
	return of, of != ""
}

// shared is the list of the base that most of the paragraphs are in which the list id of
// the other document has, by their words.
func (c *comparer) shared(id string) string {
	if c.votes == nil {
		c.votes = map[string]map[string]int{}
		byText := map[string]string{}
		for _, p := range c.trial.doc.Story("body").Paragraphs() {
			if list := p.Child("pPr", "numPr", "numId").Attr("val"); list != "" && p.Len() > 0 {
				byText[p.Text()] = list
			}
		}
		for _, p := range c.new.Story("body").Paragraphs() {
			list, old := p.Child("pPr", "numPr", "numId").Attr("val"), byText[p.Text()]
			if list == "" || old == "" {
				continue
			}
			if c.votes[list] == nil {
				c.votes[list] = map[string]int{}
			}
			c.votes[list][old]++
		}
	}
	best := ""
	for _, old := range slices.Sorted(maps.Keys(c.votes[id])) {
		if best == "" || c.votes[id][old] > c.votes[id][best] {
			best = old
		}
	}
	return best
}

// elements are the elements of the properties in which two looks differ.
func elements(was, is docx.Look) map[string]bool {
	all := map[string]bool{}
	for _, look := range []docx.Look{was, is} {
		for name := range look {
			of, _, _ := strings.Cut(name, " ")
			if was[name] != is[name] && !near(of, was[name], is[name]) {
				all[of] = true
			}
		}
	}
	return all
}

// set gives something the properties that it has in the other document. P is the first
// paragraph in it, or the last in a section.
func (c *comparer) set(of docx.Holder, p *docx.Paragraph, was, is docx.Element, names map[string]bool) {
	if p == nil {
		return
	}
	if s := c.settings(of, was, is, names); !s.IsZero() {
		c.add(Change{Type: SetProperties, Of: of, Settings: s, Anchor: c.whole(p)})
	}
}

// paragraph gives a paragraph that stays the properties of the other, where it looks
// different: those that only say what a style says are no difference.
func (c *comparer) paragraph(old, new *docx.Paragraph) {
	was, is := c.looks.paragraph(c.trial.doc, old), c.looks.paragraph(c.new, new)
	names := elements(was.look, is.look)
	_, known := c.trial.doc.StyleCalled("paragraph", is.style)
	restyled := was.style != is.style && (known || len(names) > 0)
	if restyled {
		names = nil
	} else if was.list != is.list || c.number(c.trial.doc, old) != c.number(c.new, new) {
		names["numPr"] = true
	}
	if restyled || len(names) > 0 {
		c.set(docx.OfParagraph, old, old.Child("pPr"), new.Child("pPr"), names)
	}
	if names = elements(was.mark, is.mark); len(names) > 0 {
		if restyled {
			names = nil
		}
		c.set(docx.OfMark, old, old.Mark(), new.Mark(), names)
	}
}

// number is what the list of a paragraph of the body shows.
func (c *comparer) number(d *docx.Document, p *docx.Paragraph) string {
	if c.numbers[d] == nil {
		c.numbers[d] = d.Numbers()
	}
	if p.Story.Key != "body" {
		return ""
	}
	return c.numbers[d][p.Index]
}

// tableProperties gives a table that stays the properties of the other, rows and cells
// aside.
func (c *comparer) tableProperties(old, new docx.Element) {
	p := c.firstIn(old, "tbl")
	c.set(docx.OfTable, p, old.Child("tblPr"), new.Child("tblPr"), nil)
	c.set(docx.OfGrid, p, old.Child("tblGrid"), new.Child("tblGrid"), nil)
}

// firstIn is the first paragraph right in a table, row or cell, not in one inside of it.
func (c *comparer) firstIn(e docx.Element, kind string) *docx.Paragraph {
	for p := range e.Descendants() {
		if p.Is("p") && p.Closest(kind, "txbxContent") == e {
			return c.story.ParagraphOf(p)
		}
	}
	return nil
}

// sections gives the sections of the body the setup of the other document, headers aside.
func (c *comparer) sections() {
	was, is := sections(c.trial.doc), sections(c.new)
	c.story = c.trial.doc.Story("body")
	if len(was) != len(is) {
		return
	}
	all := c.story.Paragraphs()
	for i := range was {
		p := c.story.ParagraphOf(was[i].Closest("p"))
		if p == nil && len(all) > 0 {
			p = all[len(all)-1]
		}
		c.set(docx.OfSection, p, was[i], is[i], nil)
	}
}

package docx

import (
	"path"
	"slices"
	"strings"
)

// Faults lists what is wrong with the package and its marks, by the rules that
// Word insists on: what it has to repair, or refuses to open. Documents of other
// programs have faults that Word overlooks; ours must not add any.
func (d *Document) Faults() []string {
	c := checker{doc: d, revisions: map[string]int{}, comments: map[string]*anchors{}}
	c.types()
	for _, name := range d.Names() {
		if strings.HasSuffix(strings.ToLower(name), ".rels") {
			c.targets(name)
		}
	}
	for e := range d.Related("comments").Root().Children() {
		if e.Is("comment") {
			c.anchors(e.Attr("id")).defined++
		}
	}
	for _, part := range d.trackedParts() {
		c.part(part)
	}
	for id, n := range c.revisions {
		if n > 1 {
			c.add("two tracked changes have the id " + id)
		}
	}
	for id, a := range c.comments {
		if a.defined != 1 || a.references != 1 || a.starts != a.ends || a.starts > 1 {
			c.add("comment " + id + " is not defined once and anchored once")
		}
	}
	slices.Sort(c.faults)
	return c.faults
}

type checker struct {
	doc       *Document
	faults    []string
	revisions map[string]int
	comments  map[string]*anchors
}

type anchors struct{ defined, starts, ends, references int }

func (c *checker) add(fault string) { c.faults = append(c.faults, fault) }

func (c *checker) anchors(id string) *anchors {
	a := c.comments[id]
	if a == nil {
		a = &anchors{}
		c.comments[id] = a
	}
	return a
}

// types looks for parts without a content type, and types without a part.
func (c *checker) types() {
	part, err := c.doc.Part("[Content_Types].xml")
	if err != nil {
		c.add("the content types cannot be read")
		return
	}
	known := map[string]bool{}
	for e := range part.Root().Children() {
		switch {
		case e.Is("ct:Default"):
			known["."+strings.ToLower(e.Attr("Extension"))] = true
		case e.Is("ct:Override"):
			name := strings.ToLower(strings.TrimPrefix(e.Attr("PartName"), "/"))
			known[name] = true
			if c.doc.entries[name] == nil {
				c.add("a content type is given for " + name + ", which is missing")
			}
		}
	}
	for _, name := range c.doc.Names() {
		lower := strings.ToLower(name)
		if !strings.HasSuffix(lower, "/") && lower != "[content_types].xml" && !known[lower] && !known[path.Ext(lower)] {
			c.add(name + " has no content type")
		}
	}
}

// targets looks for relationships that lead nowhere.
func (c *checker) targets(name string) {
	of := strings.TrimSuffix(strings.Replace(name, "_rels/", "", 1), ".rels")
	ids := map[string]bool{}
	for _, r := range c.doc.Relationships(of) {
		if ids[r.ID] {
			c.add(name + " has two relationships called " + r.ID)
		}
		ids[r.ID] = true
		target, _, _ := strings.Cut(r.Target, "#")
		if !r.External && target != "" && c.doc.entries[strings.ToLower(target)] == nil {
			c.add(name + " refers to " + target + ", which is missing")
		}
	}
}

// part looks at the marks of one part.
func (c *checker) part(p *Part) {
	fields := map[Decision]int{}
	for e := range descendants(p) {
		switch name := e.name(); name {
		case "t", "instrText":
			if under(e, "del") {
				c.add("text that is not marked as deleted is in a deletion")
			}
		case "delText", "delInstrText":
			if !under(e, "del") {
				c.add("deleted text is in no deletion")
			}
		case "ins", "moveTo":
			c.wrapper(e, "ins", "del")
		case "del", "moveFrom":
			c.wrapper(e, "del")
		case "commentRangeStart":
			c.anchors(e.Attr("id")).starts++
		case "commentRangeEnd":
			c.anchors(e.Attr("id")).ends++
		case "commentReference":
			c.anchors(e.Attr("id")).references++
		case "tc":
			c.cell(e)
		case "fldChar":
			c.field(e, fields)
		}
		if isRevision(e) && !e.Is("tblGridChange") {
			c.revisions[e.Attr("id")]++
			if e.Attr("author") == "" && !e.Is("numberingChange") {
				c.add("a tracked change has no author")
			}
		}
	}
	for view, depth := range fields {
		if depth != 0 {
			c.add(p.Name + " has fields that do not end, after decision " + string('0'+rune(view)))
		}
	}
}

// under reports whether e is in an element called name.
func under(e Element, name string) bool { return e.Closest(name).Exists() }

// wrapper looks at what a mark around runs may not be in.
func (c *checker) wrapper(e Element, outer ...string) {
	if e.Parent().Is("r") {
		c.add("a tracked change is inside a run")
	}
	if around := e.Closest("ins", "del", "p"); around.Is(outer...) && target(e) == "text" {
		c.add("a tracked change is inside one that it cannot be in")
	}
}

func (c *checker) cell(e Element) {
	last := Element{}
	for child := range e.Children() {
		last = child
	}
	if !last.Is("p", "sdt", "bookmarkEnd", "customXml", "altChunk", "commentRangeEnd", "permEnd") {
		c.add("a cell does not end in a paragraph")
	}
}

// field counts the nesting of fields as it is after each decision.
func (c *checker) field(e Element, depth map[Decision]int) {
	step := map[string]int{"begin": 1, "end": -1}[e.Attr("fldCharType")]
	depth[Keep] += step
	if !under(e, "del") && !under(e, "moveFrom") {
		depth[Accept] += step
	}
	if !under(e, "ins") && !under(e, "moveTo") {
		depth[Reject] += step
	}
}

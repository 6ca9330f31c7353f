package docx

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/clausemill/clausemill/fault"
)

// A given is content that is put into the document, with what it brings along.
type given struct {
	root   Element
	brings []ContentPart
	notes  []givenNote
}

// A givenNote is a note with the id that it has in the document.
type givenNote struct {
	kind, id string
	given
}

// A GivenNote is a note that content brings along: its story in the document.
type GivenNote struct {
	Key     string // as that of a Story
	Content *Content
}

// give prepares content to be put into a part, and gives ids to its notes.
func (e *Editor) give(c *Content, into *Part) (*given, []GivenNote, error) {
	if into.strict || into.word() != "w:" || !into.declaresWord() {
		return nil, nil, unsupported("a document whose markup has uncommon names")
	}
	root := c.Root()
	if !root.Exists() || !root.First().Exists() {
		return nil, nil, fault.New(fault.Invalid, "the content is not WordprocessingML")
	}
	g := &given{root: root, brings: c.Parts}
	var notes []GivenNote
	for _, n := range c.Notes {
		inner := n.Content.Root()
		if !inner.Exists() || n.Kind != "footnote" && n.Kind != "endnote" {
			return nil, nil, fault.New(fault.Invalid, "a note of the content is not WordprocessingML")
		}
		if part := e.doc.Related(n.Kind + "s"); part != nil && (part.strict || part.word() != "w:") {
			return nil, nil, unsupported("a document whose markup has uncommon names")
		}
		id := e.noteID(n.Kind)
		g.notes = append(g.notes, givenNote{n.Kind, id, given{root: inner, brings: n.Content.Parts}})
		notes = append(notes, GivenNote{n.Kind + ":" + id, &n.Content})
	}
	return g, notes, nil
}

// noteID is an id that no note of a kind has yet.
func (e *Editor) noteID(kind string) string {
	highest := e.noteIDs[kind]
	for c := range e.doc.Related(kind + "s").Root().Children() {
		if n, err := strconv.Atoi(c.Attr("id")); err == nil {
			highest = max(highest, n)
		}
	}
	e.noteIDs[kind] = highest + 1
	return strconv.Itoa(highest + 1)
}

// InsertObjects puts content in at a position of a paragraph: what is no text there. In
// text, U+FDD0 stands for each of objects. Follows is as for InsertAfterDeleted.
func (e *Editor) InsertObjects(p *Paragraph, at int, text string, objects []*Content, follows bool, by By) ([]GivenNote, error) {
	o := op{kind: opInsert, p: p, start: at, text: text, by: by, follows: follows}
	var notes []GivenNote
	for _, c := range objects {
		g, more, err := e.give(c, p.part)
		if err != nil {
			return nil, err
		}
		o.objects, notes = append(o.objects, g), append(notes, more...)
	}
	if strings.Count(text, ObjectToCome) != len(objects) {
		return nil, fault.New(fault.Invalid, "the text does not have a place for each object")
	}
	return notes, e.insert(o)
}

// ObjectToCome stands in a text for content that is put in there: a character that no
// document has.
const ObjectToCome = "\uFDD0"

// InsertBlocks puts paragraphs and tables before or after p.
func (e *Editor) InsertBlocks(p *Paragraph, before bool, c *Content, by By) ([]GivenNote, error) {
	if err := p.editable(); err != nil {
		return nil, err
	}
	g, notes, err := e.give(c, p.part)
	if err != nil {
		return nil, err
	}
	if !before && !p.following().Exists() {
		return notes, e.appendBlocks(p, g, by)
	}
	at := int(p.node().end)
	if before {
		at = int(p.node().start)
	}
	e.add(op{kind: opSplice, p: p, start: at, by: by, markup: func() string { return e.blocks(g, p.part, by) }})
	return notes, nil
}

// InsertBlocksBeside puts paragraphs and tables before or behind a table.
func (e *Editor) InsertBlocksBeside(table Element, before bool, c *Content, by By) ([]GivenNote, error) {
	if err := e.rowEditable(table); err != nil {
		return nil, err
	}
	g, notes, err := e.give(c, table.part)
	if err != nil {
		return nil, err
	}
	at := int(table.node().end)
	if before {
		at = int(table.node().start)
	}
	e.add(op{kind: opSplice, part: table.part, start: at, by: by, markup: func() string { return e.blocks(g, table.part, by) }})
	return notes, nil
}

// appendBlocks puts blocks after the last paragraph of a story or cell, which is split at
// its end: its mark stays the last.
func (e *Editor) appendBlocks(p *Paragraph, g *given, by By) error {
	var last Element
	table := false
	for b := range g.root.Children() {
		last, table = b, table || b.Is("tbl")
	}
	if table { // which no paragraph can run on across, so the last paragraph of these is all new
		e.add(op{kind: opSplice, p: p, start: int(p.node().end), by: by, markup: func() string {
			end := ""
			if !last.Is("p") && !p.Parent().Is("body") {
				end = "<w:p><w:pPr><w:rPr>" + e.ids.mark("w:", "ins", by) + "</w:rPr></w:pPr></w:p>"
			}
			return e.blocks(g, p.part, by) + end
		}})
		return nil
	}
	if err := e.insert(op{kind: opInsert, p: p, text: "\n", start: p.Len(), by: by, closes: true, objects: []*given{g}}); err != nil {
		return err
	}
	if !p.Child("pPr", "pPrChange").Exists() {
		own := holds(last.Child("pPr"), "rPr", "sectPr")
		if own.String() != resembling(p, "", Settings{}).String() {
			e.add(op{kind: opRestyle, p: p, by: by, like: func() held { return own }})
		}
	}
	return nil
}

// InsertRowOf puts a row before or after another one.
func (e *Editor) InsertRowOf(row Element, before bool, c *Content, by By) ([]GivenNote, error) {
	return e.insertBeside(row, before, "tr", c, by)
}

// InsertCell puts a cell before or after another one.
func (e *Editor) InsertCell(cell Element, before bool, c *Content, by By) ([]GivenNote, error) {
	return e.insertBeside(cell, before, "tc", c, by)
}

func (e *Editor) insertBeside(beside Element, before bool, name string, c *Content, by By) ([]GivenNote, error) {
	if err := e.rowEditable(beside); err != nil {
		return nil, err
	}
	g, notes, err := e.give(c, beside.part)
	if err != nil {
		return nil, err
	}
	if first := g.root.First(); !first.Is(name) || first.Next().Exists() {
		return nil, fault.New(fault.Invalid, "the content is not one "+map[string]string{"tr": "row", "tc": "cell"}[name])
	}
	at := int(beside.node().end)
	if before {
		at = int(beside.node().start)
	}
	e.add(op{kind: opSplice, part: beside.part, start: at, by: by, markup: func() string { return e.blocks(g, beside.part, by) }})
	return notes, nil
}

// DeleteCell deletes a cell with all in it.
func (e *Editor) DeleteCell(cell Element, by By) error {
	properties := cell.Child("tcPr")
	if properties.Child("cellDel").Exists() {
		return gone()
	}
	if properties.Child("cellIns").Exists() || properties.Child("cellMerge").Exists() {
		return unsupported("a cell that a tracked change put in")
	}
	if err := e.deleteWithin(cell, by); err != nil {
		return err
	}
	w := cell.part.word()
	mark := func() string { return e.ids.mark(w, "cellDel", by) }
	o := op{kind: opSplice, part: cell.part, by: by}
	switch change := properties.Child("tcPrChange"); {
	case change.Exists():
		o.start, o.markup = int(change.node().start), mark
	case properties.Exists() && properties.node().open < properties.node().end:
		o.start, o.markup = int(properties.node().close), mark
	case properties.Exists():
		o.start, o.end = int(properties.node().start), int(properties.node().end)
		o.markup = func() string { return properties.startTag() + mark() + properties.endTag() }
	default:
		o.start, o.markup = int(cell.node().open), func() string { return "<" + w + "tcPr>" + mark() + "</" + w + "tcPr>" }
	}
	e.add(o)
	return nil
}

// A giver writes content with its tracked changes.
type giver struct {
	*Editor
	*given
	into  *Part
	by    By
	plain bool // in an insertion of the same author, which it joins
	last  bool // the mark of the last paragraph is not new
	edits splices
}

// blocks writes blocks, a row or a cell as insertions.
func (e *Editor) blocks(g *given, into *Part, by By) string {
	w := &giver{Editor: e, given: g, into: into, by: by}
	return w.write(g.root, Element{})
}

// write is what is in root before the child stop; all without one.
func (g *giver) write(root, stop Element) string {
	g.edits = nil
	for c := range root.Children() {
		if c == stop {
			break
		}
		g.block(c)
	}
	n := root.node()
	end := n.close
	if stop.Exists() {
		end = stop.node().start
	}
	return g.cut(root.part.data, int(n.open), int(end))
}

// cut is a stretch of the content with the edits made.
func (g *giver) cut(data []byte, from, to int) string {
	var inside splices
	for _, s := range g.edits {
		if s.from >= from && s.to <= to {
			inside = append(inside, splice{s.from - from, s.to - from, s.text})
		}
	}
	return g.declared(string(inside.apply(data[from:to])))
}

// declared adds to the outermost start tags what the part does not declare.
func (g *giver) declared(markup string) string {
	missing := false
	for _, d := range g.root.part.declared[0] {
		missing = missing || g.into.root[d.uri] != d.prefix
	}
	if !missing {
		return markup
	}
	part, err := newPart("content", []byte(g.root.startTag()+markup+"</content>"), nil)
	if err != nil {
		return markup
	}
	var edits splices
	root := part.Root()
	declare := func(c Element) {
		used := ""
		for _, d := range g.root.part.declared[0] {
			if g.into.root[d.uri] != d.prefix && needs(string(c.Raw()), d.prefix) {
				used += " xmlns:" + d.prefix + `="` + d.uri + `"`
			}
		}
		edits.insert(int(c.node().start)+1+len(c.qualified())-int(root.node().open), used)
	}
	for c := range root.Children() {
		if !c.Is("ins") {
			declare(c)
			continue
		}
		for inner := range c.Children() { // the mark goes once the change is accepted
			declare(inner)
		}
	}
	return string(edits.apply([]byte(markup)))
}

// needs reports whether markup uses a prefix.
func needs(markup, prefix string) bool {
	return strings.Contains(markup, prefix+":") || strings.Contains(markup, ` Requires="`)
}

func (g *giver) block(e Element) {
	switch {
	case e.Is("p"):
		g.paragraph(e)
	case e.Is("tbl"):
		for c := range e.Children() {
			if c.Is("tr") {
				g.row(c)
			}
		}
	case e.Is("tr"):
		g.row(e)
	case e.Is("tc"):
		g.cell(e, true)
	default:
		g.inside(e)
	}
}

func (g *giver) row(e Element) {
	mark := g.ids.mark("w:", "ins", g.by)
	switch properties := e.Child("trPr"); {
	case properties.Exists():
		g.edits.insert(int(properties.node().close), mark)
	case e.Child("tblPrEx").Exists():
		g.edits.insert(int(e.Child("tblPrEx").node().end), "<w:trPr>"+mark+"</w:trPr>")
	default:
		g.edits.insert(int(e.node().open), "<w:trPr>"+mark+"</w:trPr>")
	}
	for c := range e.Children() {
		if c.Is("tc") {
			g.cell(c, false)
		}
	}
}

func (g *giver) cell(e Element, alone bool) {
	properties := e.Child("tcPr")
	if alone {
		mark := g.ids.mark("w:", "cellIns", g.by)
		if properties.Exists() {
			g.edits.insert(int(properties.node().close), mark)
		} else {
			g.edits.insert(int(e.node().open), "<w:tcPr>"+mark+"</w:tcPr>")
		}
	}
	for c := range e.Children() {
		if !c.Is("tcPr") {
			g.block(c)
		}
	}
}

// paragraph marks the end of a paragraph and all in it.
func (g *giver) paragraph(e Element) {
	properties := e.Child("pPr")
	last := g.last && !e.Next().Exists() && e.Parent() == g.root
	if !last {
		mark := g.ids.mark("w:", "ins", g.by)
		switch {
		case properties.Child("rPr").Exists():
			g.edits.insert(int(properties.Child("rPr").node().open), mark)
		case properties.Exists():
			g.edits.insert(int(properties.node().close), "<w:rPr>"+mark+"</w:rPr>")
		default:
			g.edits.insert(int(e.node().open), "<w:pPr><w:rPr>"+mark+"</w:rPr></w:pPr>")
		}
	}
	g.content(e)
}

// content marks what is in a paragraph.
func (g *giver) content(e Element) {
	first := true
	var end Element
	for c := range e.Children() {
		if c.Is("pPr") {
			continue
		}
		if first && !g.plain {
			g.edits.insert(int(c.node().start), "<w:ins"+g.ids.attributes("w:", g.by)+">")
		}
		first, end = false, c
		g.inside(c)
	}
	if !first && !g.plain {
		g.edits.insert(int(end.node().end), "</w:ins>")
	}
}

// inside gives what is in runs its ids in the document, and marks the text of boxes.
func (g *giver) inside(e Element) {
	if e.Is("txbxContent") {
		plain := g.plain
		g.plain = false
		g.boxed(e)
		g.plain = plain
		return
	}
	g.attributes(e)
	for c := range e.Children() {
		g.inside(c)
	}
}

// boxed marks the text in a box, also in tables. Its rows and the ends of its paragraphs
// come and go with the box.
func (g *giver) boxed(e Element) {
	for c := range e.Children() {
		if c.Is("p") {
			g.content(c)
		} else {
			g.boxed(c)
		}
	}
}

func (g *giver) attributes(e Element) {
	for _, name := range []string{"r:id", "r:embed", "r:link", "r:pict", "r:dm", "r:lo", "r:qs", "r:cs", "r:href"} {
		from, raw, found := e.find(name)
		if !found {
			continue
		}
		id := ""
		if i, err := strconv.Atoi(string(raw)); err == nil && i >= 0 && i < len(g.brings) {
			id = g.attach(g.into.Name, g.brings, i)
		}
		g.edits.replace(from, from+len(raw), id)
	}
	switch {
	case e.Is("footnoteReference", "endnoteReference"):
		if from, raw, found := e.find("id"); found {
			if i, err := strconv.Atoi(string(raw)); err == nil && i >= 0 && i < len(g.notes) {
				note := &g.notes[i]
				g.brought = append(g.brought, broughtNote{note, g.by})
				g.edits.replace(from, from+len(raw), note.id)
			}
		}
	case e.Is("wp:docPr"):
		if from, raw, found := e.find("id"); found {
			g.edits.replace(from, from+len(raw), strconv.Itoa(g.ids.new()))
		}
	}
}

// A broughtNote is a note to be written into its part.
type broughtNote struct {
	*givenNote
	by By
}

// An attached is a relationship to be written.
type attached struct {
	of, id string
	part   ContentPart
	name   string // of the new part, "" for what is outside of the package
}

// attach gives the part called of a relationship to a part of the content.
func (e *Editor) attach(of string, parts []ContentPart, i int) string {
	used := map[string]bool{}
	for _, r := range e.doc.Relationships(of) {
		used[r.ID] = true
	}
	for _, a := range e.attachments {
		if a.of != of {
			continue
		}
		used[a.id] = true
		if p := parts[i]; a.part.Relation == p.Relation && a.part.Target == p.Target && a.part.Type == p.Type && bytes.Equal(a.part.Data, p.Data) && len(p.Relations) == 0 {
			return a.id // the same picture again
		}
	}
	n := 1
	for used["rId"+strconv.Itoa(n)] {
		n++
	}
	id := "rId" + strconv.Itoa(n)
	e.attachAs(of, id, parts, i, 0)
	return id
}

func (e *Editor) attachAs(of, id string, parts []ContentPart, i, depth int) {
	part := parts[i]
	a := attached{of: of, id: id, part: part}
	if part.Target == "" {
		a.name = e.freeName(part.Name)
	}
	e.attachments = append(e.attachments, a)
	for _, r := range part.Relations {
		if r.Part >= 0 && r.Part < len(parts) && r.Part != i && depth < maxRelated {
			e.attachAs(a.name, r.ID, parts, r.Part, depth+1)
		}
	}
}

// freeName is a name of a part that the package does not have.
func (e *Editor) freeName(name string) string {
	base, extension := path.Base("/"+name), path.Ext(name)
	base = strings.TrimSuffix(base, extension)
	taken := func(name string) bool {
		for _, a := range e.attachments {
			if strings.EqualFold(a.name, name) {
				return true
			}
		}
		return e.doc.entries[strings.ToLower(name)] != nil
	}
	for i := 1; ; i++ {
		if full := path.Join(path.Dir(e.doc.main.Name), "media", base+"-"+strconv.Itoa(i)+extension); !taken(full) {
			return full
		}
	}
}

// The media types of the parts of notes, and what they begin with.
const (
	footnotesType = "application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml"
	endnotesType  = "application/vnd.openxmlformats-officedocument.wordprocessingml.endnotes+xml"
)

// writeBrought adds the notes and the parts that content brought along.
func (e *Editor) writeBrought(o *output) error {
	written := len(e.attachments) // their ids are taken, so they come before any others
	if err := o.attach(e.attachments); err != nil {
		return err
	}
	slices.SortStableFunc(e.brought, func(a, b broughtNote) int { // in the order of their ids
		return cmp.Or(cmp.Compare(len(a.id), len(b.id)), cmp.Compare(a.id, b.id))
	})
	names := map[string]string{} // of the parts, by kind: one that is new is made once
	for _, n := range e.brought {
		kind, media := n.kind+"s", footnotesType
		if n.kind == "endnote" {
			media = endnotesType
		}
		name := names[kind]
		if name == "" {
			var err error
			if name, err = o.ensure(kind, relationNS+"/"+kind, media, noteShell(n.kind)); err != nil {
				return err
			}
			names[kind] = name
		}
		part, err := o.part(name)
		if err != nil {
			return err
		}
		w := &giver{Editor: e, given: &n.given, into: part, by: n.by, last: true}
		if err := o.appendTo(name, "<w:"+n.kind+` w:id="`+n.id+`">`+w.write(n.root, Element{})+"</w:"+n.kind+">"); err != nil {
			return err
		}
	}
	return o.attach(e.attachments[written:])
}

// attach adds parts with their relationships.
func (o *output) attach(all []attached) error {
	types, err := o.part("[Content_Types].xml")
	if err != nil || len(all) == 0 {
		return err
	}
	ct := strings.TrimSuffix(types.Root().qualified(), "Types")
	for _, a := range all {
		target, mode := a.part.Target, ` TargetMode="External"`
		if a.name != "" {
			target, mode = "/"+a.name, ""
			o.set(a.name, a.part.Data)
			if err := o.appendTo(types.Name, "<"+ct+`Override PartName="/`+Escape(a.name)+`" ContentType="`+Escape(a.part.Type)+`"/>`); err != nil {
				return err
			}
		}
		if err := o.relateAs(a.of, a.id, a.part.Relation, target, mode); err != nil {
			return err
		}
	}
	return nil
}

// noteShell is a part of notes with those that Word expects: the lines above them.
func noteShell(kind string) string {
	line := func(id, name, mark string) string {
		return "<w:" + kind + ` w:type="` + name + `" w:id="` + id + `"><w:p><w:r><w:` + mark + "/></w:r></w:p></w:" + kind + ">"
	}
	return "<w:" + kind + `s xmlns:w="` + wordNS + `">` + line("-1", "separator", "separator") + line("0", "continuationSeparator", "continuationSeparator") + "</w:" + kind + "s>"
}

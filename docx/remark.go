package docx

import (
	"crypto/sha256"
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/clausemill/clausemill/fault"
)

// A remark is a comment to be written.
type remark struct {
	id     string
	by     By
	text   string
	parent string // id of the comment it answers, "" for none
}

// Comment comments on text from start in one paragraph to end in the same or a
// later one of the story, and returns the comment's id.
func (e *Editor) Comment(from *Paragraph, start int, to *Paragraph, end int, text string, by By) (string, error) {
	for _, p := range []*Paragraph{from, to} {
		if p.Story.Root.Is("hdr", "ftr") {
			return "", unsupported("a header or footer, where Word has no comments")
		}
		if err := p.editable(); err != nil {
			return "", err
		}
	}
	first, err := from.commentPlace(start, false)
	if err != nil {
		return "", err
	}
	last, err := to.commentPlace(end, true)
	if err != nil {
		return "", err
	}
	point := from == to && start == end
	if point { // where text would go that is put in there
		if where, err := from.insertionPlace(start, false, ""); err == nil {
			last = where
		}
		first = last
	}
	id := e.remark(text, "", by)
	e.add(op{kind: opCommentStart, p: from, start: start, text: id, by: by, place: first, point: point})
	e.add(op{kind: opCommentEnd, p: to, start: end, text: id, by: by, place: last})
	return id, nil
}

// Reply adds a reply to a comment of the document, with the same anchor.
func (e *Editor) Reply(parent, text string, by By) (string, error) {
	var found *Comment
	for _, c := range e.doc.Comments() {
		if c.ID == parent {
			found = &c
		}
	}
	if found == nil || found.Story == "" {
		return "", fault.New(fault.NotFound, "there is no such comment in the document")
	}
	root := e.doc.Story(found.Story).Root
	id := e.remark(text, parent, by)
	w := root.part.word()
	after := func(anchor Element, markup string) {
		for anchor.Parent().Is("r", "ins", "del", "moveFrom", "moveTo") {
			anchor = anchor.Parent()
		}
		e.add(op{kind: opSplice, part: root.part, start: int(anchor.node().end), by: by, markup: func() string { return markup }})
	}
	for anchor := range root.Descendants() {
		if anchor.Attr("id") != parent {
			continue
		}
		switch {
		case anchor.Is("commentRangeStart", "commentRangeEnd"):
			after(anchor, "<"+w+anchor.Name()+" "+w+`id="`+id+`"/>`)
		case anchor.Is("commentReference"):
			after(anchor, commentReference(w, id))
		}
	}
	return id, nil
}

func (e *Editor) remark(text, parent string, by By) string {
	highest := -1
	for c := range e.doc.Related("comments").Root().Children() {
		if n, err := strconv.Atoi(c.Attr("id")); err == nil {
			highest = max(highest, n)
		}
	}
	id := strconv.Itoa(highest + 1 + len(e.remarks))
	e.remarks = append(e.remarks, remark{id: id, by: by, text: text, parent: parent})
	return id
}

// The parts that comments need, with the declarations that a document without them
// lacks.
const (
	commentsType    = "application/vnd.openxmlformats-officedocument.wordprocessingml.comments+xml"
	threadsType     = "application/vnd.openxmlformats-officedocument.wordprocessingml.commentsExtended+xml"
	threadsRelation = "http://schemas.microsoft.com/office/2011/relationships/commentsExtended"
	strictRelation  = "http://purl.oclc.org/ooxml/officeDocument/relationships"
	compatNS        = "http://schemas.openxmlformats.org/markup-compatibility/2006"
)

// writeRemarks adds the comments to their parts, and the parts to the package.
func (e *Editor) writeRemarks(o *output) error {
	if len(e.remarks) == 0 {
		return nil
	}
	relation, space := relationNS, wordNS
	if e.doc.main.strict {
		relation, space = strictRelation, wordStrictNS
	}
	name, err := o.ensure("comments", relation+"/comments", commentsType, `<w:comments xmlns:w="`+space+`" xmlns:w14="`+paragraphNS+`" xmlns:mc="`+compatNS+`" mc:Ignorable="w14"></w:comments>`)
	if err != nil {
		return err
	}
	threads := e.threads()
	if len(threads) > 0 {
		if err := o.declare(name, "w14", paragraphNS); err != nil {
			return err
		}
	}
	part, err := o.part(name)
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, r := range e.remarks {
		b.WriteString(r.markup(part, threads))
	}
	if err := o.appendTo(name, b.String()); err != nil || len(threads) == 0 {
		return err
	}
	return e.writeThreads(o, name, threads)
}

// WithoutComments gives the document without its comments, the very bytes if it
// has none.
func (d *Document) WithoutComments() ([]byte, error) {
	o := newOutput(d)
	for _, part := range d.trackedParts() {
		var edits splices
		for e := range descendants(part) {
			if e.Is("commentRangeStart", "commentRangeEnd", "commentReference") {
				n := e.node()
				edits.replace(int(n.start), int(n.end), "")
			}
		}
		if len(edits) > 0 {
			o.set(part.Name, edits.apply(part.data))
		}
	}
	every := func(Element) bool { return true }
	for _, kind := range []string{"comments", "commentsExtended", "commentsIds", "commentsExtensible"} {
		if err := o.cut(d.target(d.main.Name, kind), every); err != nil {
			return nil, err
		}
	}
	return o.bytes()
}

// threads gives the comments that take part in a thread an identifier for their
// last paragraph: what they have, or one made of what they say.
func (e *Editor) threads() map[string]string {
	threads := map[string]string{}
	have := map[string]string{}
	for _, c := range e.doc.Comments() {
		have[c.ID] = c.ParaID
	}
	for _, r := range e.remarks {
		if r.parent == "" {
			continue
		}
		for _, id := range []string{r.parent, r.id} {
			if threads[id] = have[id]; threads[id] == "" {
				sum := sha256.Sum256([]byte(id + r.by.Author + r.text))
				threads[id] = fmt.Sprintf("%02X%X", sum[0]&0x7F, sum[1:4]) // below 80000000, as the format wants
			}
		}
	}
	return threads
}

// markup writes the w:comment.
func (r remark) markup(part *Part, threads map[string]string) string {
	w := part.word()
	var b strings.Builder
	b.WriteString("<" + w + "comment " + w + `id="` + r.id + `" ` + w + `author="` + Escape(r.by.Author) + `" ` + w + `date="` + r.by.Date.UTC().Format("2006-01-02T15:04:05Z") + `"`)
	if r.by.Initials != "" {
		b.WriteString(" " + w + `initials="` + Escape(r.by.Initials) + `"`)
	}
	b.WriteString(">")
	lines := strings.Split(r.text, "\n")
	for i, line := range lines {
		b.WriteString("<" + w + "p")
		if id := threads[r.id]; id != "" && i == len(lines)-1 {
			b.WriteString(" " + part.root[paragraphNS] + `:paraId="` + id + `"`)
		}
		b.WriteString(">")
		if i == 0 {
			b.WriteString("<" + w + "r><" + w + "annotationRef/></" + w + "r>")
		}
		if line != "" {
			b.WriteString(runs(w, line, ""))
		}
		b.WriteString("</" + w + "p>")
	}
	b.WriteString("</" + w + "comment>")
	return b.String()
}

// writeThreads says which comments answer which.
func (e *Editor) writeThreads(o *output, comments string, threads map[string]string) error {
	if err := e.identify(o, comments, threads); err != nil {
		return err
	}
	name, err := o.ensure("commentsExtended", threadsRelation, threadsType,
		`<w15:commentsEx xmlns:w15="`+threadNS+`" xmlns:mc="`+compatNS+`" mc:Ignorable="w15"></w15:commentsEx>`)
	if err != nil {
		return err
	}
	part, err := o.part(name)
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for c := range part.Root().Children() {
		known[c.Attr("w15:paraId")] = true
	}
	w15 := strings.TrimSuffix(part.Root().qualified(), "commentsEx")
	var b strings.Builder
	write := func(id, parent string) {
		if known[threads[id]] {
			return
		}
		known[threads[id]] = true
		b.WriteString("<" + w15 + "commentEx " + w15 + `paraId="` + threads[id] + `"`)
		if parent != "" {
			b.WriteString(" " + w15 + `paraIdParent="` + threads[parent] + `"`)
		}
		b.WriteString(" " + w15 + `done="0"/>`)
	}
	for _, r := range e.remarks {
		if r.parent != "" {
			write(r.parent, "")
			write(r.id, r.parent)
		}
	}
	return o.appendTo(name, b.String())
}

// identify gives the answered comments that have none an identifier.
func (e *Editor) identify(o *output, comments string, threads map[string]string) error {
	part, err := o.part(comments)
	if err != nil {
		return err
	}
	var edits splices
	for c := range part.Root().Children() {
		id := threads[c.Attr("id")]
		if id == "" {
			continue
		}
		var last Element
		for p := range c.Descendants() {
			if p.Is("p") {
				last = p
			}
		}
		if last.Exists() && last.Attr("w14:paraId") == "" {
			edits.insert(int(last.node().start)+1+len(last.qualified()), " "+part.root[paragraphNS]+`:paraId="`+id+`"`)
		}
	}
	if len(edits) > 0 {
		o.set(part.Name, edits.apply(part.data))
	}
	return nil
}

// declare makes a part's root know a vocabulary that readers may ignore.
func (o *output) declare(name, prefix, uri string) error {
	part, err := o.part(name)
	if err != nil || part.root[uri] != "" {
		return err
	}
	root := part.Root()
	attributes := " xmlns:" + prefix + `="` + uri + `"`
	var edits splices
	if at, raw, found := root.find("mc:Ignorable"); found {
		edits.insert(at+len(raw), " "+prefix)
	} else {
		if part.root[compatNS] == "" {
			attributes += ` xmlns:mc="` + compatNS + `"`
		}
		attributes += ` mc:Ignorable="` + prefix + `"`
	}
	edits.insert(int(root.node().start)+1+len(root.qualified()), attributes)
	o.set(part.Name, edits.apply(part.data))
	return nil
}

// ensure finds the part that the main part refers to by a kind of relationship,
// or adds one: the part, its content type and the relationship.
func (o *output) ensure(kind, relation, contentType, root string) (string, error) {
	main := o.from.main.Name
	if name := o.from.target(main, kind); name != "" {
		if part, err := o.from.Part(name); err != nil || part != nil {
			return name, err
		}
	}
	name := path.Join(path.Dir(main), kind+".xml")
	for i := 1; o.from.entries[strings.ToLower(name)] != nil; i++ {
		name = path.Join(path.Dir(main), kind+strconv.Itoa(i)+".xml")
	}
	o.set(name, []byte(`<?xml version="1.0" encoding="UTF-8" standalone="yes"?>`+"\n"+root))
	types, err := o.part("[Content_Types].xml")
	if err != nil {
		return "", err
	}
	ct := strings.TrimSuffix(types.Root().qualified(), "Types")
	if err := o.appendTo(types.Name, "<"+ct+`Override PartName="/`+Escape(name)+`" ContentType="`+contentType+`"/>`); err != nil {
		return "", err
	}
	return name, o.relate(main, name, relation)
}

// relate makes the part called from refer to the part called to.
func (o *output) relate(from, to, relation string) error {
	return o.relateAs(from, "", relation, "/"+to, "")
}

// relateAs adds a relationship with an id, any one without.
func (o *output) relateAs(from, as, relation, target, mode string) error {
	name := relationshipsName(from)
	part, err := o.part(name)
	if err != nil {
		return err
	}
	if part == nil {
		o.set(name, []byte(`<?xml version="1.0" encoding="UTF-8" standalone="yes"?>`+"\n"+
			`<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"></Relationships>`))
		if part, err = newPart(name, o.changed[name], nil); err != nil {
			return err
		}
	}
	used := map[string]bool{}
	for r := range part.Root().Children() {
		used[r.Attr("Id")] = true
	}
	id := 1
	for used["rId"+strconv.Itoa(id)] {
		id++
	}
	if as == "" {
		as = "rId" + strconv.Itoa(id)
	}
	rel := strings.TrimSuffix(part.Root().qualified(), "Relationships")
	return o.appendTo(name, "<"+rel+`Relationship Id="`+Escape(as)+`" Type="`+Escape(relation)+`" Target="`+Escape(target)+`"`+mode+`/>`)
}

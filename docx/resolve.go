package docx

import (
	"bytes"
	"slices"
	"strings"
)

// A Decision is what becomes of a tracked change.
type Decision int

// The decisions. A change that nobody decided on stays.
const (
	Keep Decision = iota
	Accept
	Reject
)

// AcceptAll accepts every tracked change.
func AcceptAll(Revision) Decision { return Accept }

// RejectAll rejects every tracked change.
func RejectAll(Revision) Decision { return Reject }

// Resolve accepts or rejects tracked changes of the document and returns the new
// document, or the original bytes if there is nothing to do. Both halves of a move get
// the same decision. A Revision is passed without its text and span.
//
// A paragraph whose mark goes runs on into the next one, whose properties stay.
// Range marks and comments inside text that goes are kept; those inside a row
// or cell that goes are lost with it.
func (d *Document) Resolve(decide func(Revision) Decision) ([]byte, error) {
	out, err := d.resolve(decide)
	if err != nil {
		return nil, err
	}
	return out.bytes()
}

// Resolved is the document that Resolve gives, without packing and unpacking it.
func (d *Document) Resolved(decide func(Revision) Decision) (*Document, error) {
	out, err := d.resolve(decide)
	if err != nil || len(out.changed) == 0 {
		return d, err
	}
	return d.with(out.changed)
}

func (d *Document) resolve(decide func(Revision) Decision) (*output, error) {
	out := newOutput(d)
	var lost []string
	for _, part := range d.trackedParts() {
		r := newResolver(part)
		if !r.decide(d, d.partKey(part), decide) {
			continue
		}
		written := r.run()
		if len(r.fallen) > 0 { // their other anchors are written already
			r.loseMarks(nil, r.fallen)
			written = r.run()
		}
		out.set(part.Name, written)
		lost = append(lost, r.lostComments...)
	}
	if err := d.dropNotes(out); err != nil {
		return nil, err
	}
	return out, d.dropComments(out, lost)
}

// dropNotes takes notes out whose references went.
func (d *Document) dropNotes(out *output) error {
	for _, kind := range []string{"footnote", "endnote"} {
		notes := d.Related(kind + "s")
		had := d.referred(kind, d.main)
		if notes == nil || len(had) == 0 {
			continue
		}
		main, err := out.read(d.main)
		if err != nil {
			return err
		}
		have := d.referred(kind, main)
		if len(have) == len(had) {
			continue
		}
		if err := out.cut(notes.Name, func(e Element) bool {
			id := e.Attr("id")
			return e.Is(kind) && had[id] && !have[id]
		}); err != nil {
			return err
		}
	}
	return nil
}

// referred are the ids of the notes that a part refers to.
func (d *Document) referred(kind string, part *Part) map[string]bool {
	ids := map[string]bool{}
	if !bytes.Contains(part.data, []byte(kind+"Reference")) {
		return ids
	}
	for e := range descendants(part) {
		if e.Is(kind + "Reference") {
			ids[e.Attr("id")] = true
		}
	}
	return ids
}

// trackedParts lists the parts that may hold tracked changes, each once.
func (d *Document) trackedParts() []*Part {
	var parts []*Part
	known := map[*Part]bool{nil: true}
	add := func(p *Part) {
		if !known[p] {
			parts, known[p] = append(parts, p), true
		}
	}
	for _, s := range d.stories {
		add(s.Root.part)
	}
	for _, kind := range []string{"footnotes", "endnotes", "comments", "styles", "numbering", "glossaryDocument"} {
		add(d.Related(kind))
	}
	return parts
}

// partKey names a part in the ids of the revisions in it: by the story that
// fills it, else by its own name.
func (d *Document) partKey(p *Part) string {
	root := p.Root()
	if p == d.main {
		root = root.Child("body")
	}
	if s := d.byRoot[root]; s != nil {
		return s.Key
	}
	return p.Name
}

// A resolver writes a part anew with decisions carried out.
type resolver struct {
	part    *Part
	fates   map[int32]Decision
	kept    bool   // some change is undecided
	touched []bool // elements with something to do in or below them
	out     []byte

	dropped      map[int32]bool // range marks and whole elements that are not written
	lostComments []string
	fallen       map[string]bool // ids of comments whose reference was in a paragraph that went

	alive int // rejected deletions around what is written
}

func newResolver(part *Part) *resolver {
	return &resolver{part: part, fates: map[int32]Decision{}, touched: make([]bool, len(part.nodes)), dropped: map[int32]bool{}}
}

// decide asks for the fate of every change and reports whether there is
// anything to do.
func (r *resolver) decide(d *Document, key string, decide func(Revision) Decision) bool {
	moves := newMoves()
	var ranges []Element
	for e := range descendants(r.part) {
		switch {
		case isRevision(e):
			fate := decide(d.basicRevision(key, e))
			if fate == Keep {
				r.kept = true
			} else {
				r.fates[e.id] = fate
			}
			moves.meet(e)
		case isRangeMark(e):
			moves.mark(e)
			ranges = append(ranges, e)
		}
	}
	if len(r.fates) == 0 {
		return false
	}
	moves.share(r.fates)
	for id := range r.fates {
		r.touch(id)
	}
	for _, e := range ranges {
		if moves.done(e, r.fates) || !isMoveRange(e) && !r.kept {
			r.dropped[e.id] = true
			r.touch(e.id)
		}
	}
	r.dropCells()
	return true
}

// descendants are all elements of a part, its root included.
func descendants(p *Part) func(yield func(Element) bool) {
	return func(yield func(Element) bool) {
		for id := range p.nodes {
			if !yield(Element{p, int32(id)}) {
				return
			}
		}
	}
}

// touch marks an element and those around it as to be looked into.
func (r *resolver) touch(id int32) {
	for !r.touched[id] {
		r.touched[id] = true
		id = r.part.nodes[id].parent
	}
}

func isMoveRange(e Element) bool {
	return e.Is("moveFromRangeStart", "moveFromRangeEnd", "moveToRangeStart", "moveToRangeEnd")
}

func isRangeMark(e Element) bool {
	name := e.name()
	return isMoveRange(e) || strings.HasPrefix(name, "customXml") && (strings.HasSuffix(name, "RangeStart") || strings.HasSuffix(name, "RangeEnd"))
}

// moves follows which changes lie in which move, so that both halves of one
// share their fate.
type moves struct {
	names map[string]string // id of a range → name of the move
	open  map[string]bool   // ids of the ranges that are open
	parts map[string][]int32
}

func newMoves() *moves {
	return &moves{names: map[string]string{}, open: map[string]bool{}, parts: map[string][]int32{}}
}

// rangeKey identifies a range: the two halves may share ids.
func rangeKey(e Element) string {
	half, _, _ := strings.Cut(e.Name(), "Range")
	return half + " " + e.Attr("id")
}

func (m *moves) mark(e Element) {
	if !isMoveRange(e) {
		return
	}
	key := rangeKey(e)
	if strings.HasSuffix(e.Name(), "Start") {
		m.names[key], m.open[key] = e.Attr("name"), true
	} else {
		delete(m.open, key)
	}
}

func (m *moves) meet(e Element) {
	if !e.Is("moveFrom", "moveTo") {
		return
	}
	for key := range m.open {
		if strings.HasPrefix(key, e.Name()+" ") {
			m.parts[m.names[key]] = append(m.parts[m.names[key]], e.id)
		}
	}
}

// share gives all parts of a move the decision that one of them has.
func (m *moves) share(fates map[int32]Decision) {
	for _, ids := range m.parts {
		for _, id := range ids {
			if fate := fates[id]; fate != Keep {
				for _, other := range ids {
					if fates[other] == Keep {
						fates[other] = fate
					}
				}
				break
			}
		}
	}
}

// done reports whether nothing of the move around e is left to decide.
func (m *moves) done(e Element, fates map[int32]Decision) bool {
	if !isMoveRange(e) {
		return false
	}
	for _, id := range m.parts[m.names[rangeKey(e)]] {
		if fates[id] == Keep {
			return false
		}
	}
	return true
}

// gone reports whether the mark e removes its content.
func (r *resolver) gone(e Element) bool {
	switch r.fates[e.id] {
	case Accept:
		return e.Is("del", "moveFrom", "cellDel")
	case Reject:
		return e.Is("ins", "moveTo", "cellIns")
	default:
		return false
	}
}

// dropCells finds the rows, cells and tables that go as a whole, and what else
// cannot stay without them.
func (r *resolver) dropCells() {
	var gone []Element
	for id := range r.fates {
		e := Element{r.part, id}
		if !r.gone(e) {
			continue
		}
		holder := e.Parent().Parent()
		if on := target(e); on == "row" && holder.Is("tr") || on == "cell" && holder.Is("tc") {
			gone = append(gone, holder)
		}
	}
	slices.SortFunc(gone, func(a, b Element) int { return int(a.id - b.id) })
	for _, e := range gone {
		r.dropped[e.id] = true
	}
	for i := len(gone) - 1; i >= 0; i-- { // innermost first
		row := gone[i]
		if row.Is("tc") {
			row = row.Closest("tr")
		}
		if !row.Exists() || !r.dropped[row.id] && !r.emptied(Cells(row)) {
			continue
		}
		r.dropped[row.id] = true
		gone = append(gone, row)
		if table := row.Closest("tbl"); table.Exists() && r.emptied(Rows(table)) {
			r.dropped[table.id] = true
			gone = append(gone, table)
		}
	}
	r.loseMarks(gone, map[string]bool{})
}

// emptied reports whether all of elements are dropped.
func (r *resolver) emptied(elements func(func(Element) bool)) bool {
	for e := range elements {
		if !r.dropped[e.id] {
			return false
		}
	}
	return true
}

// loseMarks takes the other ends of what begins or ends inside dropped elements
// out as well, and all ends of comments.
func (r *resolver) loseMarks(gone []Element, comments map[string]bool) {
	bookmarks := map[string]bool{}
	for id := range comments {
		r.lostComments = append(r.lostComments, id)
	}
	for _, e := range gone {
		for m := range e.Descendants() {
			switch {
			case m.Is("bookmarkStart", "bookmarkEnd"):
				bookmarks[m.Attr("id")] = true
			case m.Is("commentReference"):
				comments[m.Attr("id")] = true
				r.lostComments = append(r.lostComments, m.Attr("id"))
			}
		}
	}
	if len(bookmarks) == 0 && len(comments) == 0 {
		return
	}
	for e := range descendants(r.part) {
		if e.Is("bookmarkStart", "bookmarkEnd") && bookmarks[e.Attr("id")] ||
			e.Is("commentRangeStart", "commentRangeEnd", "commentReference") && comments[e.Attr("id")] {
			r.dropped[e.id] = true
			r.touch(e.id)
		}
	}
}

// run writes the part.
func (r *resolver) run() []byte {
	r.out = make([]byte, 0, len(r.part.data))
	root := r.part.Root()
	r.out = append(r.out, r.part.data[:root.node().start]...)
	r.write(root)
	r.out = append(r.out, r.part.data[root.node().end:]...)
	return r.out
}

func (r *resolver) raw(from, to int32) { r.out = append(r.out, r.part.data[from:to]...) }

func (r *resolver) write(e Element) {
	n := e.node()
	switch {
	case r.dropped[e.id]:
		return
	case r.alive > 0 && e.Is("delText", "delInstrText"):
		r.revive(e)
		return
	case !r.touched[e.id] && (r.alive == 0 || !bytes.Contains(r.part.data[n.start:n.end], []byte("del"))):
		r.raw(n.start, n.end)
		return
	}
	switch e.name() {
	case "ins", "del", "moveFrom", "moveTo":
		r.mark(e)
	case "body", "tc", "txbxContent", "footnote", "endnote", "hdr", "ftr", "comment", "docPartBody":
		r.container(e)
	case "pPr", "rPr", "tblPr", "trPr", "tcPr", "sectPr", "tblPrEx", "tblGrid":
		r.properties(e)
	case "numPr":
		for c := range e.Children() {
			if r.gone(c) {
				return
			}
		}
		r.around(e)
	case "cellIns", "cellDel", "cellMerge", "numberingChange":
		if r.fates[e.id] == Keep {
			r.raw(n.start, n.end)
		}
	case "fldSimple":
		r.unlessEmpty(e)
	default:
		r.around(e)
	}
}

// around writes an element whose tags stay.
func (r *resolver) around(e Element) {
	n := e.node()
	r.raw(n.start, n.open)
	r.content(e)
	r.raw(n.close, n.end)
}

func (r *resolver) content(e Element) {
	at := e.node().open
	for c := e.First(); c.part != nil; c = c.Next() {
		n := c.node()
		r.raw(at, n.start)
		r.write(c)
		at = n.end
	}
	r.raw(at, e.node().close)
}

// unlessEmpty writes an element that has no meaning without content.
func (r *resolver) unlessEmpty(e Element) {
	n := e.node()
	from := len(r.out)
	r.raw(n.start, n.open)
	begun := len(r.out)
	r.content(e)
	if n.child != 0 && len(bytes.TrimSpace(r.out[begun:])) == 0 {
		r.out = r.out[:from]
		return
	}
	r.raw(n.close, n.end)
}

// mark writes a w:ins, w:del, w:moveFrom or w:moveTo.
func (r *resolver) mark(e Element) {
	on := target(e)
	switch fate := r.fates[e.id]; {
	case fate == Keep && e.node().child != 0:
		alive := r.alive
		if e.Is("del") {
			r.alive = 0
		}
		r.unlessEmpty(e)
		r.alive = alive
	case fate == Keep:
		r.around(e)
	case on == "mark" || on == "row" || on == "numbering" || on == "math" && e.Parent().Is("rPr"):
	case r.gone(e):
		r.hoist(e)
	default:
		r.unwrap(e, func() { r.content(e) })
	}
}

// marks writes the ends of ranges in e that reach beyond it, and returns the
// ids of the comments that it refers to.
func (r *resolver) marks(e Element) []string {
	var comments []string
	for c := range e.Descendants() {
		switch {
		case r.dropped[c.id]:
		case c.Is("bookmarkStart", "bookmarkEnd", "commentRangeStart", "commentRangeEnd", "permStart", "permEnd",
			"moveFromRangeStart", "moveFromRangeEnd", "moveToRangeStart", "moveToRangeEnd"):
			if around := c.Closest("txbxContent"); !around.Exists() || !contains(e, around) {
				r.out = append(r.out, c.Raw()...)
			}
		case c.Is("commentReference"):
			comments = append(comments, c.Attr("id"))
		}
	}
	return comments
}

// hoist writes what stays of an element in a paragraph that goes.
func (r *resolver) hoist(e Element) {
	comments := r.marks(e)
	for c := range e.Descendants() {
		if run := c.Parent(); c.Is("commentReference") && slices.Contains(comments, c.Attr("id")) && !r.dropped[c.id] {
			r.out = append(r.out, run.startTag()...)
			r.out = append(r.out, run.Child("rPr").Raw()...)
			r.out = append(r.out, c.Raw()...)
			r.out = append(r.out, run.endTag()...)
		}
	}
}

// revive writes deleted text as text.
func (r *resolver) revive(e Element) {
	n := e.node()
	name := e.qualified()
	alive := strings.TrimSuffix(name, e.name()) + map[string]string{"delText": "t", "delInstrText": "instrText"}[e.name()]
	r.out = append(r.out, '<')
	r.out = append(r.out, alive...)
	r.raw(n.start+1+int32(len(name)), n.close)
	if n.close < n.end {
		r.out = append(r.out, "</"...)
		r.out = append(r.out, alive...)
		r.out = append(r.out, '>')
	}
}

// properties writes a set of properties whose change was decided on.
func (r *resolver) properties(e Element) {
	n := e.node()
	var change Element
	for c := range e.Children() {
		if strings.HasSuffix(c.name(), "Change") {
			change = c
		}
	}
	if !change.Exists() || r.fates[change.id] == Keep {
		r.around(e)
		return
	}
	if r.fates[change.id] == Accept {
		r.raw(n.start, n.open)
		at := n.open
		for c := range e.Children() {
			r.raw(at, c.node().start)
			if c != change {
				r.write(c)
			}
			at = c.node().end
		}
		r.raw(at, n.close)
		r.raw(n.close, n.end)
		return
	}
	r.out = append(r.out, e.startTag()...)
	before, after := outlive(e.Name())
	r.writeNamed(e, before)
	for c := range change.Child(e.name()).Children() {
		if !isRevision(c) {
			r.out = append(r.out, c.Raw()...)
		}
	}
	r.writeNamed(e, after)
	r.out = append(r.out, e.endTag()...)
}

// outlive names the children of a set of properties that its changes do not
// cover: those before and after the rest.
func outlive(name string) (before, after []string) {
	switch name {
	case "pPr":
		return nil, []string{"rPr", "sectPr"}
	case "rPr":
		return []string{"ins", "del", "moveFrom", "moveTo"}, nil
	case "sectPr":
		return []string{"headerReference", "footerReference"}, nil
	case "trPr":
		return nil, []string{"ins", "del"}
	case "tcPr":
		return nil, []string{"cellIns", "cellDel", "cellMerge"}
	default:
		return nil, nil
	}
}

func (r *resolver) writeNamed(e Element, names []string) {
	for c := range e.Children() {
		if c.Is(names...) {
			r.write(c)
		}
	}
}

// A column is a sequence of blocks while it is written.
type column struct {
	carried
	any       bool // a block was written
	paragraph bool // the last block is a paragraph, as every cell must end
}

// What is carried is what paragraphs left that have lost their mark, to be put
// in front of the next one.
type carried struct {
	shell    Element // the paragraph whose mark went last
	content  []byte
	marks    []byte   // the ends of ranges in content
	comments []string // ids of those that content refers to
	visible  bool
}

// container writes the blocks of a story or cell.
func (r *resolver) container(e Element) {
	r.out = append(r.out, e.startTag()...)
	var c column
	r.blocks(e, &c)
	if e.Is("body") {
		r.flush(&c, !c.any)
	} else {
		r.flush(&c, !c.paragraph)
	}
	r.out = append(r.out, e.endTag()...)
}

func (r *resolver) blocks(e Element, column *column) {
	at := e.node().open
	for c := e.First(); c.part != nil; c = c.Next() {
		n := c.node()
		if c.Is("sectPr") {
			r.flush(column, !column.any)
		}
		r.raw(at, n.start)
		at = n.end
		switch {
		case c.Is("p"):
			r.paragraph(c, column)
		case c.Is("tbl") && r.dropped[c.id] && r.unborn(c): // nothing stood between what is around it
		case c.Is("tbl"):
			r.flush(column, false)
			if !r.dropped[c.id] {
				r.write(c)
				column.any, column.paragraph = true, false
			}
		case isRevision(c) && r.gone(c):
			for _, id := range r.marks(c) {
				r.fall(id)
			}
		case isRevision(c) && r.fates[c.id] != Keep:
			r.unwrap(c, func() { r.blocks(c, column) })
		case c.Is(wrappers...):
			r.raw(n.start, n.open)
			r.blocks(c, column)
			r.raw(n.close, n.end)
		default:
			r.write(c)
		}
	}
	r.raw(at, e.node().close)
}

// unborn reports whether all rows of a table were put in by changes that are rejected.
func (r *resolver) unborn(table Element) bool {
	for row := range Rows(table) {
		if mark := row.Child("trPr", "ins"); !mark.Exists() || r.fates[mark.id] != Reject {
			return false
		}
	}
	return true
}

// unwrap writes the content of a change that was decided to stay, without its
// tags.
func (r *resolver) unwrap(e Element, content func()) {
	if e.Is("del", "moveFrom") {
		r.alive++
		defer func() { r.alive-- }()
	}
	content()
}

// paragraph writes a w:p, or keeps what is left of it for the next one.
func (r *resolver) paragraph(p Element, column *column) {
	gone := false
	if r.touched[p.id] {
		for c := range p.Child("pPr", "rPr").Children() {
			gone = gone || isRevision(c) && r.gone(c)
		}
	}
	switch {
	case gone:
		from := len(r.out)
		r.inside(p)
		column.content = append(column.content, r.out[from:]...)
		r.out = r.out[:from]
		column.comments = append(column.comments, r.marks(p)...)
		column.marks = append(column.marks, r.out[from:]...)
		r.out = r.out[:from]
		column.visible = column.visible || r.shows(p)
		column.shell = p
		return
	case column.shell.Exists():
		r.shell(p, column.content)
		r.inside(p)
		r.out = append(r.out, p.endTag()...)
		column.carried = carried{}
	case r.touched[p.id]:
		r.around(p)
	default:
		r.write(p)
	}
	column.any, column.paragraph = true, true
}

// shell writes the begin of a paragraph, and content.
func (r *resolver) shell(p Element, content []byte) {
	r.out = append(r.out, p.startTag()...)
	if properties := p.Child("pPr"); properties.Exists() {
		r.write(properties)
	}
	r.out = append(r.out, content...)
}

// inside writes the content of a paragraph without its properties.
func (r *resolver) inside(p Element) {
	at := p.node().open
	for c := range p.Children() {
		r.raw(at, c.node().start)
		if !c.Is("pPr") {
			r.write(c)
		}
		at = c.node().end
	}
	r.raw(at, p.node().close)
}

// flush ends what was kept where no paragraph follows that could take it. If
// there is nothing to see in it, it goes unless a paragraph is needed.
func (r *resolver) flush(column *column, needed bool) {
	p := column.shell
	switch {
	case !p.Exists():
		return
	case column.visible || needed:
		r.shell(p, column.content)
		r.out = append(r.out, p.endTag()...)
		column.any, column.paragraph = true, true
	default:
		r.out = append(r.out, column.marks...)
		for _, id := range column.comments {
			r.fall(id)
		}
	}
	column.carried = carried{}
}

// fall notes that a comment has lost its reference.
func (r *resolver) fall(id string) {
	if r.fallen == nil {
		r.fallen = map[string]bool{}
	}
	r.fallen[id] = true
}

// shows reports whether anything of e would be missed.
func (r *resolver) shows(e Element) bool {
	for c := range e.Children() {
		switch {
		case r.dropped[c.id], isRevision(c) && r.gone(c), c.Is("pPr", "rPr", "proofErr", "lastRenderedPageBreak", "commentReference"):
		case c.Is("t", "delText"):
			if textOf(c) != "" {
				return true
			}
		case c.Parent().Is("r"), c.Is("m:oMath", "m:oMathPara"), r.shows(c):
			return true
		}
	}
	return false
}

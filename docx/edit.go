package docx

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/clausemill/clausemill/fault"
)

// Why a place in a document cannot be changed.
const (
	UnsupportedRegion fault.Code = "unsupported_region"
	CrossesStructure  fault.Code = "crosses_structure"
	TargetDeleted     fault.Code = "target_deleted"
)

// By is the author and the time of a change.
type By struct {
	Author   string
	Initials string
	Date     time.Time
}

// An Editor collects changes and writes them as tracked changes. All positions refer
// to the document as it was opened, regardless of earlier changes; the caller makes
// sure that changes do not overlap.
type Editor struct {
	doc     *Document
	ops     []op
	ids     *ids
	remarks []remark
	change  int                // what was asked for since the last Mark
	ending  map[*Paragraph]int // how many ops delete the mark of each

	noteIDs     map[string]int // the highest of each kind that was given out
	brought     []broughtNote  // what content brings along, noted as it is written
	attachments []attached
}

// Edit begins to edit the document, which itself stays as it is.
func (d *Document) Edit() *Editor {
	return &Editor{doc: d, ids: newIDs(d), ending: map[*Paragraph]int{}, noteIDs: map[string]int{}}
}

type opKind int

const (
	opDelete opKind = iota
	opInsert
	opFormat
	opCommentStart
	opCommentEnd
	opDeleteMark // the paragraph's own
	opRestyle    // gives the paragraph other properties
	opSettings   // changes some of its properties, or of its mark's
	opSplice     // puts markup at a byte of the part
)

// An op is one step of a change.
type op struct {
	kind       opKind
	part       *Part
	p          *Paragraph
	start, end int
	text       string
	by         By
	change     int // what was asked for together shares its marks

	whole    bool          // opDelete: all of the paragraph, what cannot be seen included
	follows  bool          // opInsert: replaces what is deleted before start
	closes   bool          // opInsert: at the very end of the paragraph
	objects  []*given      // opInsert: what ObjectToCome stands for in text; blocks where it closes
	point    bool          // opCommentStart: the comment is on a place and not on text
	like     func() held   // opRestyle: the new properties
	of       Holder        // opSettings
	settings Settings      // opSettings, opFormat
	markup   func() string // opSplice; made when the part is written, so that ids ascend
	place    place         // opInsert, opComment…
}

// A Mark is a point to go back to.
type Mark struct{ ops, remarks int }

// Mark begins a change: what is asked for from here on belongs together, and
// can be undone together.
func (e *Editor) Mark() Mark {
	e.change++
	return Mark{len(e.ops), len(e.remarks)}
}

// Undo forgets what was asked for since mark.
func (e *Editor) Undo(mark Mark) {
	for _, o := range e.ops[mark.ops:] {
		if o.kind == opDeleteMark {
			e.ending[o.p]--
		}
	}
	e.ops, e.remarks = e.ops[:mark.ops], e.remarks[:mark.remarks]
}

func (e *Editor) add(o op) {
	o.change = e.change
	if o.part == nil {
		o.part = o.p.part
	}
	if o.kind == opDeleteMark {
		e.ending[o.p]++
	}
	e.ops = append(e.ops, o)
}

func unsupported(kind string) error {
	return fault.File(UnsupportedRegion, "the text is in "+kind+", which cannot be changed safely", nil)
}

func gone() error {
	return &fault.Error{Kind: fault.Conflict, Code: TargetDeleted, Message: "a tracked change of the document deletes this already"}
}

// Delete deletes text of one paragraph.
func (e *Editor) Delete(p *Paragraph, start, end int, by By) error {
	if err := p.editable(); err != nil {
		return err
	}
	if start < 0 || start >= end || end > p.Len() {
		return fault.New(fault.Invalid, "the range is none of the paragraph")
	}
	if err := p.deletable(start, end, false); err != nil {
		return err
	}
	e.add(op{kind: opDelete, p: p, start: start, end: end, by: by})
	return nil
}

// Insert puts text in. A \n in it splits the paragraph, \v is a line break.
func (e *Editor) Insert(p *Paragraph, at int, text string, by By) error {
	return e.insert(op{kind: opInsert, p: p, start: at, text: text, by: by})
}

// InsertAfterDeleted puts text in right behind text that was deleted up to at,
// whose formatting it takes over.
func (e *Editor) InsertAfterDeleted(p *Paragraph, at int, text string, by By) error {
	return e.insert(op{kind: opInsert, p: p, start: at, text: text, by: by, follows: true})
}

// By reports whether any change that was asked for is by an author.
func (e *Editor) By(author string) bool {
	return slices.ContainsFunc(e.ops, func(o op) bool { return o.by.Author == author })
}

func (e *Editor) insert(o op) error {
	if err := o.p.editable(); err != nil {
		return err
	}
	if o.start < 0 || o.start > o.p.Len() {
		return fault.New(fault.Invalid, "the position is none of the paragraph")
	}
	place, err := o.p.insertionPlace(o.start, o.follows, o.by.Author)
	if err != nil {
		return err
	}
	if o.closes {
		place = lastPlace(o.p)
	}
	if strings.Contains(o.text, "\n") && !place.splittable() {
		return fault.File(CrossesStructure, "a paragraph cannot be split inside a link, field or content control", nil)
	}
	o.place = place
	e.add(o)
	return nil
}

// Join deletes the mark of a paragraph, so that the next one is joined to it.
func (e *Editor) Join(p *Paragraph, by By) error {
	if err := p.editable(); err != nil {
		return err
	}
	if p.Child("pPr", "sectPr").Exists() {
		return unsupported("the last paragraph of a section, whose mark holds the section")
	}
	if next := p.following(); !next.Is("p") || next.Parent() != p.Parent() {
		return fault.File(CrossesStructure, "there is no paragraph after this one that it could be joined with", nil)
	}
	e.add(op{kind: opDeleteMark, p: p, by: by})
	return nil
}

// InsertParagraphs puts new paragraphs before or after p, which they resemble
// unless style, the id of a paragraph style, is given, and but for settings.
func (e *Editor) InsertParagraphs(p *Paragraph, before bool, texts []string, style string, settings Settings, by By) error {
	if err := p.editable(); err != nil {
		return err
	}
	if err := settings.Check(OfParagraph); err != nil {
		return err
	}
	if !before && !p.following().Exists() {
		return e.appendParagraphs(p, texts, style, settings, by)
	}
	at := int(p.node().end)
	if before {
		at = int(p.node().start)
	}
	w := p.part.word()
	e.add(op{kind: opSplice, p: p, start: at, by: by, markup: func() string {
		var b strings.Builder
		for _, text := range texts {
			b.WriteString("<" + w + "p" + declared(p.Element) + ">" + shellProperties(p, resembling(p, style, settings), style, e.ids.mark(w, "ins", by), ""))
			if text != "" {
				b.WriteString(e.ids.mark(w, "ins", by, runs(w, text, p.markProperties())))
			}
			b.WriteString("</" + w + "p>")
		}
		return b.String()
	}})
	return nil
}

// appendParagraphs puts paragraphs after the last one of a story or cell, which
// is to split it at its end: the mark of the last one must stay the last.
func (e *Editor) appendParagraphs(p *Paragraph, texts []string, style string, settings Settings, by By) error {
	if err := e.insert(op{kind: opInsert, p: p, start: p.Len(), text: "\n" + strings.Join(texts, "\n"), by: by, closes: true}); err != nil {
		return err
	}
	if (style != "" || !settings.IsZero()) && !p.Child("pPr", "pPrChange").Exists() {
		e.add(op{kind: opRestyle, p: p, by: by, like: func() held { return resembling(p, style, settings) }})
	}
	return nil
}

// DeleteParagraphs deletes paragraphs that follow one another in one story or
// cell, and returns those whose marks go with them. At the end of a story or
// cell that is the mark in front of them, so that nothing empty is left; one
// paragraph stays where there is no other.
func (e *Editor) DeleteParagraphs(all []*Paragraph, by By) ([]*Paragraph, error) {
	marks := all
	last := all[len(all)-1]
	for i, p := range all {
		if err := p.editable(); err != nil {
			return nil, err
		}
		if p.Child("pPr", "sectPr").Exists() {
			return nil, unsupported("the last paragraph of a section, whose mark holds the section")
		}
		if p.MarkDeleted() && p.Len() == 0 {
			return nil, gone()
		}
		if i > 0 && all[i-1].following() != p.Element {
			return nil, fault.File(CrossesStructure, "the paragraphs are not neighbours in one story or cell", nil)
		}
		if err := e.deleteAll(p, by); err != nil {
			return nil, err
		}
	}
	if !last.following().Exists() || e.markGoes(last) {
		marks = slices.Clone(all[:len(all)-1])
		before, end := all[0].before(), last
		for before != nil && e.markGoes(before) { // it was deleted like these
			before = before.before()
		}
		for e.markGoes(end) {
			end = end.Story.ParagraphOf(end.following())
		}
		if before != nil && before.Parent() == last.Parent() && !before.Child("pPr", "sectPr").Exists() {
			marks = append([]*Paragraph{before}, marks...)
			like := func() held { return e.settled(before) }
			if like().String() != resembling(end, "", Settings{}).String() && !end.Child("pPr", "pPrChange").Exists() {
				e.add(op{kind: opRestyle, p: end, by: by, like: like})
			}
		}
	}
	for _, p := range marks {
		e.add(op{kind: opDeleteMark, p: p, by: by})
	}
	return marks, nil
}

// markGoes reports whether the mark of a paragraph is to be deleted.
func (e *Editor) markGoes(p *Paragraph) bool { return e.ending[p] > 0 }

// before is the paragraph right before p in its story or cell, nil for none.
func (p *Paragraph) before() *Paragraph {
	before := p.preceding()
	if !before.Exists() {
		return nil
	}
	return p.Story.ParagraphOf(before)
}

// deleteAll deletes the content of a paragraph.
func (e *Editor) deleteAll(p *Paragraph, by By) error {
	if err := p.deletable(0, p.Len(), true); err != nil {
		return err
	}
	e.add(op{kind: opDelete, p: p, start: 0, end: p.Len(), by: by, whole: true})
	return nil
}

// Format changes how text looks.
func (e *Editor) Format(p *Paragraph, start, end int, settings Settings, by By) error {
	if err := p.editable(); err != nil {
		return err
	}
	if err := settings.Check(OfText); err != nil {
		return err
	}
	if start < 0 || start >= end || end > p.Len() {
		return fault.New(fault.Invalid, "the range is none of the paragraph")
	}
	for i := range p.leaves {
		l := &p.leaves[i]
		if !l.visible() || l.end <= start || l.start >= end {
			continue
		}
		if err := p.lock(l); err != nil {
			return err
		}
		if l.run.Child("rPr", "rPrChange").Exists() {
			return unsupported("a run whose formatting was changed already")
		}
	}
	e.add(op{kind: opFormat, p: p, start: start, end: end, settings: settings, by: by})
	return nil
}

// Made reports whether a tracked change of the document that Bytes wrote is one
// of the editor's own.
func (e *Editor) Made(r Revision) bool { return e.ids.made[r.Element.Attr("id")] }

// Key identifies a mark of a document, also after it was edited: marks with equal keys
// were one mark in the document as it was opened.
func (e *Editor) Key(r Revision) string {
	id := r.Element.Attr("id")
	if old, cut := e.ids.old[id]; cut {
		id = old
	}
	return r.Element.part.Name + " " + r.Kind + " " + id
}

// editable returns why nothing of a paragraph can be changed, or nil.
func (p *Paragraph) editable() error {
	p.Story.walk()
	return editableWithin(p.Parent(), p.Story.Root, Element{})
}

// editableWithin returns why nothing in around can be changed, up to root, or nil.
// Controls in what goes as a whole only have to allow that.
func editableWithin(around, root, goes Element) error {
	for ; around.Exists() && around != root; around = around.Parent() {
		switch {
		case around.Is("txbxContent"):
			return unsupported("a text box")
		case around.Is("mc:AlternateContent"):
			return unsupported("content that is there in two forms")
		case around.Is("ins", "del", "moveFrom", "moveTo"):
			return unsupported("a tracked change of whole paragraphs")
		case around.Is("sdt"):
			if err := controlLock(around, goes.Exists() && contains(goes, around)); err != nil {
				return err
			}
		}
	}
	return nil
}

// controlLock returns why the content of a content control must stay, or nil. One that
// fills itself can go as a whole.
func controlLock(sdt Element, goes bool) error {
	properties := sdt.Child("sdtPr")
	switch lock := properties.Child("lock").Attr("val"); lock {
	case "sdtLocked":
		if goes {
			return unsupported("a locked content control")
		}
	case "contentLocked", "sdtContentLocked":
		return unsupported("a locked content control")
	}
	for c := range properties.Children() {
		if !goes && c.Is("dropDownList", "comboBox", "date", "picture", "w14:checkbox", "dataBinding", "w15:dataBinding", "citation", "bibliography", "equation") {
			return unsupported("a content control that fills itself (" + strings.TrimPrefix(strings.TrimPrefix(c.Name(), "w14:"), "w15:") + ")")
		}
	}
	return nil
}

// lock returns why a leaf can be neither deleted nor formatted, or nil.
func (p *Paragraph) lock(l *leaf) error {
	switch {
	case l.item.Is("m:oMath", "m:oMathPara"):
		return unsupported("a formula")
	case l.item.Is("ruby"):
		return unsupported("text with a phonetic guide")
	case !l.run.Exists():
		return unsupported("markup that is not known")
	}
	return p.around(l, false)
}

// around returns what around a leaf keeps it as it is, or nil.
func (p *Paragraph) around(l *leaf, goes bool) error {
	for around := l.item.Parent(); around.Exists() && around != p.Element; around = around.Parent() {
		switch {
		case around.Is("mc:AlternateContent"):
			return unsupported("content that is there in two forms")
		case around.Is("sdt"):
			if err := controlLock(around, goes); err != nil {
				return err
			}
		}
	}
	return nil
}

// deletable returns why a range cannot be deleted, or nil.
func (p *Paragraph) deletable(start, end int, whole bool) error {
	for i := range p.leaves {
		l := &p.leaves[i]
		if !l.visible() || l.end <= start || l.start >= end {
			continue
		}
		err := p.lock(l)
		switch formula := l.item.Is("m:oMath", "m:oMathPara"); {
		case formula && revised(l.item):
			err = unsupported("a formula with tracked changes")
		case formula, whole: // a formula can go as a whole
			err = p.around(l, whole)
		}
		if err != nil {
			return err
		}
		if l.field != 0 && !p.coversField(l.field, start, end) {
			return unsupported("a part of a field")
		}
	}
	if whole {
		for i := range p.leaves {
			if f := p.leaves[i].field; f != 0 && !p.coversField(f, start, end) {
				return unsupported("a field that goes on in another paragraph")
			}
		}
		return nil
	}
	return p.crosses(start, end)
}

// revised reports whether there are tracked changes inside e.
func revised(e Element) bool {
	for d := range e.Descendants() {
		if isRevision(d) {
			return true
		}
	}
	return false
}

// coversField reports whether a field is in this paragraph only, and all that
// is seen of it in the range.
func (p *Paragraph) coversField(number, start, end int) bool {
	f := p.Story.fields[number]
	if f.paragraph != p || f.last < 0 {
		return false
	}
	for i := f.first; i <= f.last; i++ {
		if l := &p.leaves[i]; l.visible() && (l.start < start || l.end > end) {
			return false
		}
	}
	return true
}

// crosses refuses a range that begins in a link or content control and ends
// outside of it, or the other way round.
func (p *Paragraph) crosses(start, end int) error {
	type extent struct{ inside, outside bool }
	seen := map[int32]*extent{}
	out := 0
	for i := range p.leaves {
		l := &p.leaves[i]
		if !l.visible() {
			continue
		}
		in := l.start < end && l.end > start
		partly := in && (l.start < start || l.end > end)
		for around := l.item.Parent(); around.Exists() && around != p.Element; around = around.Parent() {
			if !around.Is("hyperlink", "sdt") {
				continue
			}
			x := seen[around.id]
			if x == nil {
				x = &extent{}
				seen[around.id] = x
			}
			x.inside = x.inside || in
			x.outside = x.outside || !in || partly
		}
		if in {
			out++
		}
	}
	for id, x := range seen {
		if !x.inside || !x.outside {
			continue
		}
		// Partly covered is fine as long as nothing else is covered.
		around := Element{p.part, id}
		for i := range p.leaves {
			l := &p.leaves[i]
			if l.visible() && l.start < end && l.end > start && !contains(around, l.item) {
				return fault.File(CrossesStructure, "the range crosses the boundary of a link or content control", nil)
			}
		}
	}
	return nil
}

func contains(around, e Element) bool {
	return around.part == e.part && around.node().start <= e.node().start && e.node().end <= around.node().end
}

// following is the block after p in its story or cell, none at its end.
func (p *Paragraph) following() Element {
	p.Story.Columns()
	return p.Story.beside[p.id][1]
}

// preceding is the block before p in its story or cell, none at its begin.
func (p *Paragraph) preceding() Element {
	p.Story.Columns()
	return p.Story.beside[p.id][0]
}

// A place is where something can be put in: in a leaf, or at a byte between
// elements.
type place struct {
	leaf   int     // the leaf that is cut; -1 where none is
	offset int     // code points of the leaf before the place
	at     int     // otherwise: the byte
	parent Element // what holds the place: a paragraph, link, insertion, …
	plain  bool    // inside an insertion of the same author, which the new text joins
	like   Element // the run whose formatting new text takes over; none for the paragraph's own
}

// splittable reports whether a paragraph can end at the place.
func (p place) splittable() bool {
	return p.parent.Is("p") || p.parent.Is("ins", "moveTo") && p.parent.Parent().Is("p") && !p.plain
}

// lastPlace is the end of a paragraph.
func lastPlace(p *Paragraph) place {
	like := Element{}
	for i := range p.leaves {
		if p.leaves[i].visible() {
			like = p.leaves[i].run
		}
	}
	return place{leaf: -1, at: int(p.node().close), parent: p.Element, like: like}
}

// sides finds the visible leaves left and right of an offset, -1 for none. They
// are one where the offset is inside a leaf.
func (p *Paragraph) sides(at int) (left, right int) {
	left, right = -1, -1
	for i := range p.leaves {
		l := &p.leaves[i]
		if !l.visible() {
			continue
		}
		if l.start < at {
			left = i
		}
		if l.end > at {
			return left, i
		}
	}
	return left, right
}

// insertionPlace finds where text at an offset goes. In place of deleted text it
// follows that text; else it goes behind what is left of it, outside of links,
// fields and other people's insertions if the offset is at their boundary.
func (p *Paragraph) insertionPlace(at int, follows bool, author string) (place, error) {
	left, right := p.sides(at)
	if left < 0 && right < 0 {
		return lastPlace(p), nil
	}
	var where place
	var err error
	switch {
	case left >= 0 && left == right:
		where, err = p.within(left, at-p.leaves[left].start)
	case follows:
		if f := p.leaves[left].field; f != 0 {
			left = p.Story.fields[f].last
		}
		where, err = p.beside(left, Element{}, true)
	default:
		where, err = p.border(left, right)
	}
	if err != nil {
		return where, err
	}
	return where, where.enter(author)
}

// enter looks at what is around a place that text is to go to.
func (p *place) enter(author string) error {
	outer := p.parent
	if outer.Is("ins", "moveTo") {
		p.plain = outer.Is("ins") && outer.Attr("author") == author
		outer = outer.Parent()
	}
	for ; outer.Exists() && !outer.Is("p"); outer = outer.Parent() {
		switch {
		case outer.Is("ins", "moveTo", "del", "moveFrom"):
			return unsupported("a structure that was inserted or deleted as a whole")
		case outer.Is("mc:AlternateContent"):
			return unsupported("content that is there in two forms")
		case outer.Is("fldSimple"):
			return unsupported("a part of a field")
		case outer.Is("sdt"):
			if err := controlLock(outer, false); err != nil {
				return err
			}
		}
	}
	return nil
}

// commentPlace finds where a comment on a range begins or ends.
func (p *Paragraph) commentPlace(at int, ends bool) (place, error) {
	left, right := p.sides(at)
	side := right
	if ends {
		side = left
	}
	switch {
	case left >= 0 && left == right && p.leaves[left].field == 0:
		return p.within(left, at-p.leaves[left].start)
	case side < 0:
		side = max(left, right)
		ends = side == left
	}
	if side < 0 {
		return lastPlace(p), nil
	}
	if f := p.leaves[side].field; f != 0 {
		bounds := p.Story.fields[f]
		switch {
		case ends && bounds.paragraph == p && bounds.last >= 0:
			side = bounds.last
		case !ends && bounds.paragraph == p:
			side = bounds.first
		}
	}
	return p.beside(side, Element{}, ends)
}

// within is a place inside a leaf, which must not be part of what is whole.
func (p *Paragraph) within(i, offset int) (place, error) {
	l := &p.leaves[i]
	if err := p.lock(l); err != nil {
		return place{}, err
	}
	if l.field != 0 {
		return place{}, unsupported("a part of a field")
	}
	return place{leaf: i, offset: offset, parent: l.run.Parent(), like: l.run}, nil
}

// border is the place at the boundary of two leaves, of which one may be missing.
func (p *Paragraph) border(left, right int) (place, error) {
	common := p.Element // the innermost element that holds both sides
	if left >= 0 && right >= 0 {
		l, r := &p.leaves[left], &p.leaves[right]
		if l.field != 0 && l.field == r.field {
			return place{}, unsupported("a part of a field")
		}
		for common = l.item.Parent(); !contains(common, r.item); common = common.Parent() {
		}
	}
	side, after := left, true
	if left < 0 {
		side, after = right, false
	}
	like := p.leaves[side].run
	if f := p.leaves[side].field; f != 0 {
		bounds := p.Story.fields[f]
		switch {
		case after && bounds.last >= 0 && bounds.paragraph == p:
			side = bounds.last
		case !after && bounds.paragraph == p:
			side = bounds.first
		default:
			return place{}, unsupported("a field that goes on in another paragraph")
		}
	}
	where, err := p.beside(side, common, after)
	where.like = like
	if left >= 0 && right >= 0 && isLinked(like) && !isLinked(p.leaves[right].run) {
		where.like = p.leaves[right].run
	}
	return where, err
}

// isLinked reports whether a run is in a link, whose looks must not spread.
func isLinked(run Element) bool {
	return run.Exists() && run.Closest("hyperlink", "fldSimple").Exists()
}

// beside is the place before or after a leaf. Where common is given, the place
// is directly in it, otherwise in whatever holds the leaf's run.
func (p *Paragraph) beside(i int, common Element, after bool) (place, error) {
	l := &p.leaves[i]
	where := place{leaf: -1, like: l.run}
	outer := l.item
	if l.run.Exists() && (!common.Exists() || common == l.run) {
		// Inside the run, unless the leaf is at its edge.
		first, last := p.runEdges(i)
		if after && !last || !after && !first {
			where.leaf, where.parent = i, l.run.Parent()
			if after {
				where.offset = utf8.RuneCountInString(l.text)
			}
			return where, nil
		}
		outer, common = l.run, l.run.Parent()
	} else if !common.Exists() {
		common = l.item.Parent()
	}
	if !contains(common, outer) {
		return place{}, unsupported("a field that is not in one piece")
	}
	for outer.Parent() != common {
		outer = outer.Parent()
	}
	where.at, where.parent = int(outer.node().start), common
	if after {
		where.at = int(outer.node().end)
	}
	leaveInsertion(&where)
	return where, nil
}

// leaveInsertion moves a place at the edge of an insertion out of it.
func leaveInsertion(where *place) {
	for where.parent.Is("ins", "moveTo") {
		n := where.parent.node()
		switch where.at {
		case int(n.open):
			where.at = int(n.start)
		case int(n.close):
			where.at = int(n.end)
		default:
			return
		}
		where.parent = where.parent.Parent()
	}
}

// runEdges reports whether a leaf is the first and the last of its run.
func (p *Paragraph) runEdges(i int) (first, last bool) {
	run := p.leaves[i].run
	return i == 0 || p.leaves[i-1].run != run, i == len(p.leaves)-1 || p.leaves[i+1].run != run
}

// markProperties are the properties that new text of an empty paragraph takes:
// those of its mark.
func (p *Paragraph) markProperties() string {
	return runProperties(p.part.word(), p.Mark())
}

// ids gives out numbers that no mark in the document has yet.
type ids struct {
	used map[int]bool
	made map[string]bool   // those of marks that are the editor's own
	old  map[string]string // of a mark that was cut in two, by that of its second half
	next int
}

// maxID is far below what the format's integers hold, so that counting on from
// it stays safe.
const maxID = 1 << 30

func newIDs(d *Document) *ids {
	in := &ids{used: map[int]bool{}, made: map[string]bool{}, old: map[string]string{}, next: 1}
	for _, part := range d.trackedParts() {
		for e := range descendants(part) {
			if !isRevision(e) && !isRangeMark(e) && !e.Is("bookmarkStart") {
				continue
			}
			if n, err := strconv.Atoi(e.Attr("id")); err == nil && n >= 0 {
				in.used[n] = true
				if n < maxID {
					in.next = max(in.next, n+1)
				}
			}
		}
	}
	return in
}

func (in *ids) new() int {
	for in.used[in.next] {
		in.next++
	}
	in.used[in.next] = true
	return in.next
}

// number is the attribute that every mark has.
func (in *ids) number(w string) string {
	id := strconv.Itoa(in.new())
	in.made[id] = true
	return " " + w + `id="` + id + `"`
}

// attributes are those of a mark with an author.
func (in *ids) attributes(w string, by By) string {
	return in.number(w) + fmt.Sprintf(` %[1]sauthor="%[2]s" %[1]sdate="%[3]s"`, w, Escape(by.Author), by.Date.UTC().Format("2006-01-02T15:04:05Z"))
}

// mark writes a tracked change around content; an empty one without.
func (in *ids) mark(w, kind string, by By, content ...string) string {
	open := "<" + w + kind + in.attributes(w, by)
	if len(content) == 0 {
		return open + "/>"
	}
	return open + ">" + strings.Join(content, "") + "</" + w + kind + ">"
}

// renumber gives tracked changes new numbers in a copy of markup that is at a byte of
// their part.
func (in *ids) renumber(markup string, from int, elements iter.Seq[Element]) string {
	var edits splices
	for e := range elements {
		at, raw, found := e.find("id")
		if !found || !isRevision(e) {
			continue
		}
		id := strconv.Itoa(in.new())
		in.old[id] = string(raw)
		edits.replace(at-from, at-from+len(raw), id)
	}
	if len(edits) == 0 {
		return markup
	}
	return string(edits.apply([]byte(markup)))
}

// word is the prefix, with its colon, by which the part calls WordprocessingML.
func (p *Part) word() string {
	uri := wordNS
	if p.strict {
		uri = wordStrictNS
	}
	if prefix := p.root[uri]; prefix != "" {
		return prefix + ":"
	}
	return "w:"
}

// declaresWord reports whether word is declared by the root of the part.
func (p *Part) declaresWord() bool {
	return p.root[wordNS] != "" || p.root[wordStrictNS] != ""
}

// runs writes text as runs with given properties.
func runs(w, text, properties string) string {
	var b strings.Builder
	b.WriteString("<" + w + "r>" + properties)
	writeText(&b, w, text)
	b.WriteString("</" + w + "r>")
	return b.String()
}

// special are the characters that are elements of their own.
var special = map[rune]string{'\t': "tab", '\v': "br", '\u2011': "noBreakHyphen", '\u00AD': "softHyphen"}

func writeText(b *strings.Builder, w, text string) {
	from := 0
	write := func(to int) {
		if to > from {
			b.WriteString("<" + w + `t xml:space="preserve">` + Escape(text[from:to]) + "</" + w + "t>")
		}
	}
	for i, r := range text {
		name, known := special[r]
		if !known {
			continue
		}
		write(i)
		b.WriteString("<" + w + name + "/>")
		from = i + utf8.RuneLen(r)
	}
	write(len(text))
}

// runProperties copies a w:rPr for new text: without tracked changes, and
// without what only the old text is.
func runProperties(w string, rPr Element) string {
	if isReferenceStyle(rPr.Child("rStyle").Attr("val")) {
		return ""
	}
	kept := clean(rPr, "vanish", "specVanish", "webHidden")
	if kept == "" {
		return ""
	}
	return "<" + w + "rPr>" + kept + "</" + w + "rPr>"
}

// clean is the content of e without the children called but, and without
// tracked changes, which cannot be copied.
func clean(e Element, but ...string) string {
	var b strings.Builder
	for c := range e.Children() {
		if c.Is(but...) || isRevision(c) {
			continue
		}
		if tracked := slices.ContainsFunc(slices.Collect(c.Children()), isRevision); tracked {
			b.WriteString(c.startTag() + clean(c) + c.endTag())
		} else {
			b.Write(c.Raw())
		}
	}
	return b.String()
}

func isReferenceStyle(id string) bool {
	return slices.Contains([]string{"FootnoteReference", "EndnoteReference", "CommentReference"}, id)
}

// declared are the declarations of vocabularies in the start tag of e, for a copy
// of something inside it.
func declared(e Element) string {
	var b strings.Builder
	for _, a := range tagAttributes([]byte(e.startTag())) {
		if a[0] == "xmlns" || strings.HasPrefix(a[0], "xmlns:") {
			b.WriteString(" " + a[0] + `="` + Escape(a[1]) + `"`)
		}
	}
	return b.String()
}

// shellProperties are the w:pPr of a new paragraph with given properties: with mark for
// its own mark, which else is like that of p unless the paragraph has another style, and
// with the markup of a change of its properties.
func shellProperties(p *Paragraph, own held, style, mark, change string) string {
	w := p.part.word()
	if style == "" {
		mark += clean(p.Mark())
	}
	return "<" + w + "pPr>" + own.String() + "<" + w + "rPr>" + mark + "</" + w + "rPr>" + change + "</" + w + "pPr>"
}

// resembling are the properties of a paragraph like p, without tracked changes: those
// of p but for settings; of a given style only that and the settings.
func resembling(p *Paragraph, style string, settings Settings) held {
	w := p.part.word()
	var own held
	if style == "" {
		for c := range p.Child("pPr").Children() {
			switch {
			case c.Is("rPr", "sectPr"), isRevision(c):
			case slices.ContainsFunc(slices.Collect(c.Children()), isRevision):
				own = append(own, property{c.Name(), c.startTag() + clean(c) + c.endTag()})
			default:
				own = append(own, property{c.Name(), string(c.Raw())})
			}
		}
	} else {
		own = own.with(Settings{Set: []Property{{Name: "pStyle", Attributes: map[string]string{"val": style}}}}, "pPr", w)
	}
	return own.with(settings, "pPr", w)
}

// settled are the properties that p has once its changes are accepted.
func (e *Editor) settled(p *Paragraph) held {
	own := resembling(p, "", Settings{})
	for _, o := range e.ops {
		if o.kind == opSettings && o.of == OfParagraph && o.p == p {
			own = own.with(o.settings, "pPr", p.part.word())
		}
	}
	return own
}

// propertiesOnly is the part of a w:pPr about the paragraph itself.
func propertiesOnly(pPr Element) string {
	var b strings.Builder
	for c := range pPr.Children() {
		if !c.Is("rPr", "sectPr", "pPrChange") {
			b.Write(c.Raw())
		}
	}
	return b.String()
}

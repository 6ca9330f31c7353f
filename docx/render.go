package docx

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Bytes writes the document with all changes as tracked changes: the very bytes
// of the old one if there are none.
func (e *Editor) Bytes() ([]byte, error) {
	out := newOutput(e.doc)
	e.brought, e.attachments = nil, nil
	for _, part := range e.parts() {
		edits := e.edits(part)
		if !part.declaresWord() {
			root := part.Root().node()
			edits.insert(int(root.open)-len(">"), ` xmlns:w="`+wordNS+`"`)
		}
		out.set(part.Name, edits.apply(part.data))
	}
	if err := e.writeBrought(out); err != nil {
		return nil, err
	}
	if err := e.writeRemarks(out); err != nil {
		return nil, err
	}
	return out.bytes()
}

// parts lists the parts that change, in the order of the document's stories.
func (e *Editor) parts() []*Part {
	var parts []*Part
	for _, s := range e.doc.stories {
		touched := slices.ContainsFunc(e.ops, func(o op) bool { return o.part == s.Root.part })
		if touched && !slices.Contains(parts, s.Root.part) {
			parts = append(parts, s.Root.part)
		}
	}
	return parts
}

// edits are the splices of one part.
func (e *Editor) edits(part *Part) splices {
	byParagraph := map[*Paragraph][]op{}
	var order []*Paragraph
	var spliced []op
	for _, o := range e.ops {
		switch {
		case o.part != part:
		case o.kind == opSplice:
			spliced = append(spliced, o)
		default:
			if byParagraph[o.p] == nil {
				order = append(order, o.p)
			}
			byParagraph[o.p] = append(byParagraph[o.p], o)
		}
	}
	slices.SortFunc(order, func(a, b *Paragraph) int { return cmp.Compare(a.id, b.id) })
	var edits splices
	for _, p := range order {
		r := renderer{Editor: e, p: p, w: part.word(), ops: byParagraph[p]}
		r.render(&edits)
	}
	for _, o := range spliced {
		edits.replace(o.start, max(o.start, o.end), o.markup())
	}
	return edits
}

// A renderer writes the changes of one paragraph.
type renderer struct {
	*Editor
	p   *Paragraph
	w   string
	ops []op

	splits []op // insertions that split the paragraph, one entry a split, in order
	split  int  // how many of them are written
}

func (r *renderer) render(edits *splices) {
	placed := r.placed()
	for _, o := range placed {
		if o.kind == opInsert {
			for range strings.Count(o.text, "\n") {
				r.splits = append(r.splits, o)
			}
		}
	}
	n := r.p.node()
	pPr := r.p.Child("pPr")
	if n.open == n.end { // an empty tag, which has no inside to put anything in
		var b strings.Builder
		b.WriteString(r.head())
		for _, o := range placed {
			b.WriteString(r.markup(o))
		}
		b.WriteString(r.p.endTag())
		edits.replace(int(n.start), int(n.end), b.String())
		return
	}
	switch {
	case pPr.Exists() && len(r.splits) > 0:
		edits.replace(int(n.start), int(pPr.node().end), r.head())
	case len(r.splits) > 0:
		edits.replace(int(n.start), int(n.open), r.head())
	case r.restyles() && pPr.Exists():
		edits.replace(int(pPr.node().start), int(pPr.node().end), r.properties())
	case r.restyles():
		edits.insert(int(n.open), r.properties())
	}
	r.body(placed, edits)
}

// placed are the ops that put something in, in the order of their places.
func (r *renderer) placed() []op {
	var placed []op
	for _, o := range r.ops {
		switch o.kind {
		case opInsert, opCommentStart, opCommentEnd:
			placed = append(placed, o)
		}
	}
	slices.SortStableFunc(placed, func(a, b op) int {
		x, y := r.position(a.place), r.position(b.place)
		return cmp.Or(cmp.Compare(x[0], y[0]), cmp.Compare(x[1], y[1]), cmp.Compare(rank(a), rank(b)))
	})
	return placed
}

func (r *renderer) position(p place) [2]int {
	if p.leaf < 0 {
		return [2]int{p.at, 0}
	}
	return [2]int{int(r.p.leaves[p.leaf].item.node().start), p.offset}
}

// rank orders what is at one place: what follows a deletion stands next to it,
// comments end before others begin.
func rank(o op) int {
	switch {
	case o.point:
		return -1
	case o.closes:
		return 5
	case o.kind == opInsert && o.follows:
		return 0
	case o.kind == opInsert && o.start > 0:
		return 1
	case o.kind == opCommentEnd:
		return 2
	case o.kind == opCommentStart:
		return 3
	default:
		return 4
	}
}

// body writes what changes between the properties and the end.
func (r *renderer) body(placed []op, edits *splices) {
	cuts := map[[2]int][]op{} // what goes inside a run, by leaf and offset
	between := map[int]bool{} // bytes between elements where something goes
	touched := map[Element]bool{}
	for _, o := range placed {
		if o.place.leaf >= 0 {
			key := [2]int{o.place.leaf, o.place.offset}
			cuts[key] = append(cuts[key], o)
			touched[r.p.leaves[o.place.leaf].run] = true
		} else {
			between[o.place.at] = true
		}
	}
	states := r.states()
	for i := range r.p.leaves {
		if len(states[i]) > 1 || states[i][0].state != (state{}) {
			touched[r.p.leaves[i].run] = true
		}
	}
	// Insertions are made as they come in the paragraph, so that splits find
	// their shells and numbers ascend.
	var pieces []piece
	from, to := -1, -1
	flush := func() {
		if from >= 0 {
			edits.replace(from, to, r.join(pieces))
		}
		pieces, from, to = nil, -1, -1
	}
	next := 0
	putBetween := func(limit int) {
		for ; next < len(placed) && (placed[next].place.leaf >= 0 || placed[next].place.at <= limit); next++ {
			if o := placed[next]; o.place.leaf < 0 {
				flush()
				edits.insert(o.place.at, r.markup(o))
			} else if r.position(o.place)[0] > limit {
				return
			}
		}
	}
	for i := 0; i < len(r.p.leaves); {
		run := r.p.leaves[i].run
		j := i + 1
		for j < len(r.p.leaves) && r.p.leaves[j].run == run {
			j++
		}
		if run.Exists() && touched[run] {
			n := run.node()
			if from >= 0 && (to != int(n.start) || between[to]) {
				flush()
			}
			putBetween(int(n.start))
			if from < 0 {
				from = int(n.start)
			}
			to = int(n.end)
			pieces = append(pieces, r.run(run, i, j, states, cuts)...)
		}
		if !run.Exists() {
			for k := i; k < j; k++ { // formulas
				s := states[k][0].state
				if s == (state{}) {
					continue
				}
				n := r.p.leaves[k].item.node()
				if from >= 0 && (to != int(n.start) || between[to]) {
					flush()
				}
				putBetween(int(n.start))
				if from < 0 {
					from = int(n.start)
				}
				to = int(n.end)
				if !s.removed {
					pieces = append(pieces, piece{s.deletes, string(r.p.leaves[k].item.Raw())})
				}
			}
		}
		i = j
	}
	flush()
	putBetween(int(r.p.node().end))
}

// A state is what becomes of a stretch of a run.
type state struct {
	deletes *op
	formats *op
	removed bool // physically, from an insertion of the same author
}

// A stretch is a part of a leaf, in code points, with one state.
type stretch struct {
	from, to int
	state    state
}

// states cuts every leaf into stretches; one that has no text is one stretch.
func (r *renderer) states() [][]stretch {
	all := make([][]stretch, len(r.p.leaves))
	for i := range all {
		all[i] = []stretch{{0, utf8.RuneCountInString(r.p.leaves[i].text), state{}}}
	}
	for k := range r.ops {
		o := &r.ops[k]
		if o.kind != opDelete && o.kind != opFormat {
			continue
		}
		for i := range r.p.leaves {
			l := &r.p.leaves[i]
			switch {
			case l.deleted, !l.run.Exists() && o.kind == opFormat:
			case l.visible():
				if l.start < o.end && l.end > o.start {
					all[i] = paint(all[i], max(0, o.start-l.start), min(l.end-l.start, o.end-l.start), o, r.own(l, o))
				}
			case o.kind == opDelete && r.goesWith(i, o):
				all[i][0].state = painted(all[i][0].state, o, r.own(l, o))
			}
		}
	}
	return all
}

// own reports whether a deletion is of text that the same author put in.
func (r *renderer) own(l *leaf, o *op) bool {
	around := l.run.Parent()
	if !l.run.Exists() {
		around = l.item.Parent()
	}
	return around.Is("ins") && around.Attr("author") == o.by.Author
}

// goesWith reports whether a leaf that is not seen is deleted with what is seen
// around it: the machinery of a field with the field, else what stands between
// deleted leaves of one run. References of comments stay.
func (r *renderer) goesWith(i int, o *op) bool {
	l := &r.p.leaves[i]
	if l.item.Is("commentReference", "annotationRef", "footnoteRef", "endnoteRef", "separator", "continuationSeparator") {
		return false
	}
	if l.field != 0 {
		f := r.p.Story.fields[l.field]
		inside := o.whole || l.start > o.start && l.start < o.end || r.shows(f) && l.start >= o.start && l.start <= o.end
		return inside && r.p.coversField(l.field, o.start, o.end)
	}
	deleted := func(j int) bool {
		return j >= 0 && j < len(r.p.leaves) && r.p.leaves[j].run == l.run && r.p.leaves[j].visible() &&
			r.p.leaves[j].start >= o.start && r.p.leaves[j].end <= o.end
	}
	return deleted(i-1) && deleted(i+1)
}

// shows reports whether anything of a field is seen.
func (r *renderer) shows(f field) bool {
	for i := f.first; i <= f.last; i++ {
		if r.p.leaves[i].visible() {
			return true
		}
	}
	return false
}

func painted(s state, o *op, own bool) state {
	switch {
	case o.kind == opFormat:
		s.formats = o
	case own:
		s.removed = true
	default:
		s.deletes = o
	}
	return s
}

// paint gives a range of stretches a new state.
func paint(all []stretch, from, to int, o *op, own bool) []stretch {
	var out []stretch
	for _, s := range all {
		if s.to <= from || s.from >= to {
			out = append(out, s)
			continue
		}
		if s.from < from {
			out = append(out, stretch{s.from, from, s.state})
		}
		out = append(out, stretch{max(s.from, from), min(s.to, to), painted(s.state, o, own)})
		if s.to > to {
			out = append(out, stretch{to, s.to, s.state})
		}
	}
	return out
}

// A piece is markup beside a run. Neighbours that are deleted by one change
// share a w:del.
type piece struct {
	deletes *op // nil for none
	markup  string
}

// join writes pieces that follow one another without anything between.
func (r *renderer) join(pieces []piece) string {
	var b strings.Builder
	for i := 0; i < len(pieces); {
		o := pieces[i].deletes
		j := i + 1
		if o == nil {
			b.WriteString(pieces[i].markup)
			i = j
			continue
		}
		b.WriteString("<" + r.w + "del" + r.ids.attributes(r.w, o.by) + ">" + pieces[i].markup)
		for ; j < len(pieces) && pieces[j].deletes != nil && pieces[j].deletes.change == o.change && pieces[j].deletes.by == o.by; j++ {
			b.WriteString(pieces[j].markup)
		}
		b.WriteString("</" + r.w + "del>")
		i = j
	}
	return b.String()
}

// run cuts the run of leaves i..j-1 into pieces.
func (r *renderer) run(run Element, i, j int, states [][]stretch, cuts map[[2]int][]op) []piece {
	var pieces []piece
	var content strings.Builder
	var now state
	parts := 0
	flush := func() {
		if content.Len() > 0 && !now.removed {
			properties := string(run.Child("rPr").Raw())
			if parts > 0 {
				properties = r.again(run.Child("rPr"))
			}
			parts++
			if now.formats != nil {
				properties = now.formats.settings.tracked(r.w, "rPr", run.Child("rPr"), r.ids.attributes(r.w, now.formats.by))
			}
			pieces = append(pieces, piece{now.deletes, run.startTag() + properties + content.String() + run.endTag()})
		}
		content.Reset()
	}
	put := func(leaf, offset int) {
		for _, o := range cuts[[2]int{leaf, offset}] {
			flush()
			pieces = append(pieces, piece{nil, r.markup(o)})
		}
	}
	for k := i; k < j; k++ {
		l := &r.p.leaves[k]
		length := utf8.RuneCountInString(l.text)
		put(k, 0)
		for _, s := range states[k] {
			for _, part := range split(s, k, cuts) {
				if part.from > 0 {
					put(k, part.from)
				}
				if part.state != now {
					flush()
					now = part.state
				}
				r.leaf(&content, l, part, length)
			}
		}
		if length > 0 {
			put(k, length)
		}
	}
	flush()
	return pieces
}

// split cuts a stretch where something is put in.
func split(s stretch, leaf int, cuts map[[2]int][]op) []stretch {
	if len(cuts) == 0 {
		return []stretch{s}
	}
	var out []stretch
	from := s.from
	for at := s.from + 1; at < s.to; at++ {
		if len(cuts[[2]int{leaf, at}]) > 0 {
			out = append(out, stretch{from, at, s.state})
			from = at
		}
	}
	return append(out, stretch{from, s.to, s.state})
}

// leaf writes a part of a leaf into its run.
func (r *renderer) leaf(b *strings.Builder, l *leaf, s stretch, length int) {
	deleted := s.state.deletes != nil
	switch {
	case l.item.Is("t") && (deleted || s.from > 0 || s.to < length):
		name := "t"
		if deleted {
			name = "delText"
		}
		text := string([]rune(l.text)[s.from:s.to])
		if text != "" {
			b.WriteString("<" + r.w + name + ` xml:space="preserve">` + Escape(text) + "</" + r.w + name + ">")
		}
	case l.item.Is("instrText") && deleted:
		b.WriteString("<" + r.w + `delInstrText xml:space="preserve">` + string(l.item.Content()) + "</" + r.w + "delInstrText>")
	case deleted && l.item.Is("drawing", "pict", "object", "mc:AlternateContent"):
		b.WriteString(r.struck(l.item, s.state.deletes))
	default:
		b.Write(l.item.Raw())
	}
}

// struck is an object whose text boxes are deleted with it: their text is marked as well.
func (r *renderer) struck(object Element, o *op) string {
	var edits splices
	base := int(object.node().start)
	for e := range object.Descendants() {
		if !e.Is("r") || !e.Closest("txbxContent").Exists() || !contains(object, e.Closest("txbxContent")) || e.Parent().Is("del", "moveFrom") {
			continue
		}
		n := e.node()
		edits.insert(int(n.start)-base, "<"+r.w+"del"+r.ids.attributes(r.w, o.by)+">")
		for c := range e.Children() {
			if name := map[string]string{"t": "delText", "instrText": "delInstrText"}[c.Name()]; name != "" {
				space := " xml:space=\"preserve\""
				edits.replace(int(c.node().start)-base, int(c.node().end)-base, "<"+r.w+name+space+">"+Escape(textOf(c))+"</"+r.w+name+">")
			}
		}
		edits.insert(int(n.end)-base, "</"+r.w+"del>")
	}
	return string(edits.apply(object.Raw()))
}

// markup is what an op puts in.
func (r *renderer) markup(o op) string {
	var text string
	switch o.kind {
	case opCommentStart:
		text = "<" + r.w + "commentRangeStart " + r.w + `id="` + o.text + `"/>`
	case opCommentEnd:
		text = "<" + r.w + "commentRangeEnd " + r.w + `id="` + o.text + `"/>` + commentReference(r.w, o.text)
	default:
		text = r.insertion(o)
	}
	if o.place.parent.Is("ins", "moveTo") && !o.place.plain {
		return o.place.parent.endTag() + text + r.reopened(o.place.parent)
	}
	return text
}

func commentReference(w, id string) string {
	return "<" + w + "r><" + w + "commentReference " + w + `id="` + id + `"/></` + w + "r>"
}

// reopened begins an insertion again that something was put into: by the same
// author, at the same time, with a number of its own.
func (r *renderer) reopened(e Element) string {
	return r.ids.renumber(e.startTag(), int(e.node().start), func(yield func(Element) bool) { yield(e) })
}

// again copies properties for a second part of what they belong to: the tracked
// changes in them get numbers of their own.
func (r *renderer) again(e Element) string {
	if !e.Exists() {
		return ""
	}
	return r.ids.renumber(string(e.Raw()), int(e.node().start), e.Descendants())
}

// insertion writes new text, ending paragraphs where it does.
func (r *renderer) insertion(o op) string {
	properties := r.p.markProperties()
	if o.place.like.Exists() {
		properties = runProperties(r.w, o.place.like.Child("rPr"))
	}
	if o.closes && len(o.objects) > 0 {
		return r.appended(o)
	}
	var b strings.Builder
	objects := o.objects
	for i, line := range strings.Split(o.text, "\n") {
		if i > 0 {
			r.split++
			b.WriteString(r.p.endTag() + r.head())
		}
		switch {
		case line == "":
		case strings.Contains(line, ObjectToCome):
			var inner string
			for j, text := range strings.Split(line, ObjectToCome) {
				if j > 0 {
					g := &giver{Editor: r.Editor, given: objects[0], into: r.p.part, by: o.by, plain: true}
					objects = objects[1:]
					inner += g.write(g.root, Element{})
				}
				if text != "" {
					inner += runs(r.w, text, properties)
				}
			}
			if !o.place.plain {
				inner = r.ids.mark(r.w, "ins", o.by, inner)
			}
			b.WriteString(inner)
		case o.place.plain:
			b.WriteString(runs(r.w, line, properties))
		default:
			b.WriteString(r.ids.mark(r.w, "ins", o.by, runs(r.w, line, properties)))
		}
	}
	return b.String()
}

// appended writes paragraphs behind the paragraph. The last of them takes its place.
func (r *renderer) appended(o op) string {
	g := &giver{Editor: r.Editor, given: o.objects[0], into: r.p.part, by: o.by}
	var last Element
	for c := range g.root.Children() {
		last = c
	}
	r.split++
	all := r.p.endTag() + g.write(g.root, last) + r.head()
	g.edits = nil
	g.content(last)
	from := int(last.node().open)
	if pPr := last.Child("pPr"); pPr.Exists() {
		from = int(pPr.node().end)
	}
	return all + g.cut(last.part.data, from, int(last.node().close))
}

// head begins the next of the paragraphs that the old one becomes: the last of
// them is the old one itself, so that rejecting the others leaves it as it was.
func (r *renderer) head() string {
	if r.split == len(r.splits) {
		return r.p.startTag() + r.properties()
	}
	own, change := r.restyled(resembling(r.p, "", Settings{}), false)
	mark := r.ids.mark(r.w, "ins", r.splits[r.split].by)
	return "<" + r.w + "p" + declared(r.p.Element) + ">" + shellProperties(r.p, own, "", mark, change)
}

// restyles reports whether the paragraph's own properties change.
func (r *renderer) restyles() bool {
	return slices.ContainsFunc(r.ops, func(o op) bool { return o.kind == opDeleteMark || o.kind == opRestyle || o.kind == opSettings })
}

// restyled are the properties of a paragraph after its changes, and the markup that
// keeps the old ones. Text put in at the end of the last paragraph of a story goes to a
// new one that is the last then: the settings are those of the others, and what is to be
// like another paragraph is the last.
func (r *renderer) restyled(own held, last bool) (restyled held, change string) {
	appended := slices.ContainsFunc(r.ops, func(o op) bool { return o.closes })
	old := own
	for _, o := range r.ops {
		switch {
		case o.kind == opRestyle && last:
			own = o.like()
		case o.kind == opSettings && o.of == OfParagraph && !(last && appended):
			own = own.with(o.settings, "pPr", r.w)
		default:
			continue
		}
		if change == "" {
			change = "<" + r.w + "pPrChange" + r.ids.attributes(r.w, o.by) + "><" + r.w + "pPr>" + old.String() + "</" + r.w + "pPr></" + r.w + "pPrChange>"
		}
	}
	return own, change
}

// properties writes the w:pPr of the paragraph with the changes of its mark.
func (r *renderer) properties() string {
	pPr := r.p.Child("pPr")
	if !r.restyles() {
		return string(pPr.Raw())
	}
	w := r.w
	own, change := r.restyled(holds(pPr, "rPr", "sectPr", "pPrChange"), true)
	if change == "" {
		change = string(pPr.Child("pPrChange").Raw())
	}
	mark, section, ends := string(r.p.Mark().Raw()), string(pPr.Child("sectPr").Raw()), ""
	for _, o := range r.ops {
		switch {
		case o.kind == opSettings && o.of == OfMark:
			mark = o.settings.tracked(w, "rPr", r.p.Mark(), r.ids.attributes(w, o.by))
		case o.kind == opSettings && o.of == OfSection:
			section = o.settings.tracked(w, "sectPr", pPr.Child("sectPr"), r.ids.attributes(w, o.by))
		case o.kind == opDeleteMark && ends == "" && !r.p.MarkDeleted():
			ends = r.ids.mark(w, "del", o.by)
		}
	}
	return "<" + w + "pPr>" + own.String() + markedProperties(w, mark, r.p.Mark().Child("ins"), ends) + section + change + "</" + w + "pPr>"
}

// markedProperties puts a mark first in a w:rPr, after an insertion that stands
// there already.
func markedProperties(w, rPr string, inserted Element, mark string) string {
	if mark == "" {
		return rPr
	}
	if rPr == "" || strings.HasSuffix(rPr, "/>") && strings.Count(rPr, "<") == 1 {
		return "<" + w + "rPr>" + mark + "</" + w + "rPr>"
	}
	at := strings.Index(rPr, ">") + 1
	if inserted.Exists() {
		at = strings.Index(rPr, string(inserted.Raw())) + len(inserted.Raw())
	}
	return rPr[:at] + mark + rPr[at:]
}

package pdf

import (
	"slices"
	"unicode"

	"github.com/clausemill/clausemill/document/format"
	"github.com/clausemill/clausemill/layout"
)

// The engine's kinds of annotation that show no words of their own: a link and a
// marking lie over text of the page, notes and popups open on demand.
const (
	annotationText      = 1
	annotationLink      = 2
	annotationHighlight = 9
	annotationUnderline = 10
	annotationSquiggly  = 11
	annotationStrikeOut = 12
	annotationPopup     = 16
	annotationWidget    = 20 // a form field
)

// Flags of annotations (ISO 32000-1, table 165).
const (
	flagHidden = 1 << 1
	flagNoView = 1 << 5
)

var tick = []rune(layout.Tick)[0]

const (
	// maxOverlays bounds the annotations of a page that are read: the engine's time to
	// draw them into the page grows with their square, and is half a second here. A
	// page with more is recognised from its picture, which shows them.
	maxOverlays = 5000

	// maxDrawn bounds those of a page that is drawn with the values of its fields, which
	// takes eight seconds here.
	maxDrawn = 20_000

	// maxComparisons bounds the search for the places where overlays belong.
	maxComparisons = 10_000_000

	// leastOverlay is the least width and height, in points, of what may show a word. To
	// draw overlays into a page and read it anew takes as long again as the page.
	leastOverlay = 2

	flattenForDisplay = 0
)

// overlay is where the page shows something over its content: the value of a form
// field, a signature, a stamp, a note written on the page.
type overlay struct {
	box    layout.Box
	origin layout.Origin
	listed bool // as a field that somebody fills in
	field  format.Field
}

// overlays are those that may show words, and lines that are drawn over the page. What is
// not to be viewed is hidden from the engine, which would draw it. If there are too many,
// ok is false.
func (d *file) overlays(page uint64, v view) (list []overlay, rules []layout.Box, ok bool) {
	p := d.p
	n := int(int32(p.call(p.countAnnotations, page)))
	if n > maxOverlays {
		return nil, nil, false
	}
	if n > 0 {
		defer d.fillIn(page)()
	}
	for i := range n {
		annotation := p.call(p.annotation, page, uint64(i))
		if annotation == 0 {
			continue
		}
		switch o, ok := p.overlay(annotation, v); {
		case !ok:
		case o.origin == layout.Field:
			o.listed, o.field = d.formField(annotation)
			list = append(list, o)
		case min(o.box.X1-o.box.X0, o.box.Y1-o.box.Y0) < leastOverlay:
			rules = append(rules, o.box)
		default:
			list = append(list, o)
		}
		p.call(p.closeAnnotation, annotation)
	}
	return list, rules, true
}

func (p *pdfium) overlay(annotation uint64, v view) (overlay, bool) {
	kind, flags := p.call(p.annotationKind, annotation), p.call(p.annotationFlags, annotation)
	switch kind {
	case annotationText, annotationLink, annotationHighlight, annotationUnderline, annotationSquiggly, annotationStrikeOut, annotationPopup:
		return overlay{}, false
	}
	if flags&flagNoView != 0 {
		p.call(p.setAnnotationFlags, annotation, flags|flagHidden)
	}
	if flags&(flagHidden|flagNoView) != 0 || p.call(p.annotationRect, annotation, uint64(p.out)) == 0 {
		return overlay{}, false
	}
	r := p.floats(4) // FS_RECTF: left, top, right, bottom
	o := overlay{box: v.box(min(r[0], r[2]), min(r[1], r[3]), max(r[0], r[2]), max(r[1], r[3])), origin: layout.Annotation}
	if kind == annotationWidget {
		o.origin = layout.Field
	}
	return o, true
}

// overlaid is the characters that the overlays of a page show. The engine draws them
// into the content of the page, where they stay; they are read alone here.
func (d *file) overlaid(page uint64, number int, v view) []glyph {
	p := d.p
	if !d.flatten(page, number, v) {
		return nil
	}
	flat := p.call(p.loadPage, uint64(d.document), uint64(number-1))
	if flat == 0 {
		return nil
	}
	defer p.call(p.closePage, flat)
	// What was drawn into the page is its last object.
	for n := int32(p.call(p.countObjects, flat)); n > 1; n-- {
		object := p.call(p.object, flat, 0)
		if p.call(p.removeObject, flat, object) == 0 {
			return nil
		}
		p.call(p.destroyObject, object)
	}
	return p.glyphs(flat, v, d.limits.MaxText)
}

// ticked adds a character for each box that is checked where its tick is no text, but a
// drawing.
func ticked(over []glyph, overlays []overlay) []glyph {
	shown := len(over)
	if shown*len(overlays) > maxComparisons {
		return over
	}
	for _, o := range overlays {
		switch o.field.Kind {
		case format.FieldCheckbox, format.FieldRadio:
			if o.field.Chosen != nil && !slices.ContainsFunc(over[:shown], func(g glyph) bool { return !unicode.IsSpace(g.r) && o.box.Contains(g.box.Middle()) }) {
				over = append(over, glyph{r: '\n'}, glyph{r: tick, box: o.box})
			}
		}
	}
	return over
}

// flatten has the engine draw the overlays of a page into its content. It shows when the
// page is loaded again.
func (d *file) flatten(page uint64, number int, v view) bool {
	d.p.draw(page, v, 8*pointsPerInch/float64(max(v.width, v.height))) // appearances that are missing are made where a page is drawn
	const done = 1
	d.flat[number] = d.p.call(d.p.flatten, page, flattenForDisplay) == done
	return d.flat[number]
}

// filledIn is a page with the values of its form fields, which the engine leaves out of
// pictures, as part of its content.
func (d *file) filledIn(page uint64, number int, v view) uint64 {
	p := d.p
	if d.flat[number] || int32(p.call(p.countAnnotations, page)) > maxDrawn {
		return page
	}
	if !p.hasFields(page) {
		return page
	}
	d.fillIn(page)()
	if !d.flatten(page, number, v) {
		return page
	}
	p.call(p.closePage, page)
	return p.call(p.loadPage, uint64(d.document), uint64(number-1))
}

// hasFields reports whether the page shows a form field. Annotations that are not to be
// viewed are hidden from the engine, as for overlays.
func (p *pdfium) hasFields(page uint64) (found bool) {
	for i := range int(int32(p.call(p.countAnnotations, page))) {
		annotation := p.call(p.annotation, page, uint64(i))
		if annotation == 0 {
			continue
		}
		if o, ok := p.overlay(annotation, view{}); ok && o.origin == layout.Field {
			found = true
		}
		p.call(p.closeAnnotation, annotation)
	}
	return found
}

// merge puts the lines of overlays where they stand among those of the page: what is
// one line becomes part of the line beside it, as a value that is filled in; several
// lines stay together, below the line above them.
func merge(lines, over [][]run, overlays []overlay) [][]run {
	words := 0
	for _, line := range over {
		words += len(line)
	}
	if words*len(overlays) > maxComparisons {
		overlays = nil
	}
	groups := grouped(over, overlays)
	if len(groups)*(len(lines)+len(over)) > maxComparisons {
		return slices.Concat(append([][][]run{lines}, groups...)...)
	}
	boxes := make([]layout.Box, len(lines))
	for i, line := range lines {
		boxes[i] = bounds(line)
	}
	for _, g := range groups {
		box := bounds(g[0])
		if at := layout.Beside(boxes, box); at >= 0 && len(g) == 1 {
			first := slices.IndexFunc(lines[at], func(w run) bool { return w.box.X0 > box.X0 })
			if first < 0 {
				first = len(lines[at])
			}
			lines[at], boxes[at] = slices.Insert(lines[at], first, g[0]...), boxes[at].Union(box)
			continue
		}
		at := layout.Below(boxes, box)
		lines = slices.Insert(lines, at, g...)
		inserted := make([]layout.Box, len(g))
		for i, line := range g {
			inserted[i] = bounds(line)
		}
		boxes = slices.Insert(boxes, at, inserted...)
	}
	return lines
}

// grouped is the lines of each overlay, with their origins. Words outside of all are
// a group by line.
func grouped(over [][]run, overlays []overlay) [][][]run {
	var groups [][][]run
	last := -2
	for _, line := range over {
		begun := false
		for _, w := range line {
			at := slices.IndexFunc(overlays, func(o overlay) bool { return o.box.Contains(w.box.Middle()) })
			w.origin = layout.Annotation
			if at >= 0 {
				w.origin = overlays[at].origin
				if overlays[at].listed {
					w.field = at + 1
				}
			}
			if at != last || at < 0 && !begun {
				groups, begun = append(groups, nil), false
			}
			g := &groups[len(groups)-1]
			if !begun {
				*g = append(*g, nil)
			}
			(*g)[len(*g)-1] = append((*g)[len(*g)-1], w)
			last, begun = at, true
		}
	}
	return groups
}

func bounds(line []run) layout.Box {
	box := line[0].box
	for _, w := range line[1:] {
		box = box.Union(w.box)
	}
	return box
}

package layout

import (
	"math"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Overlay puts what a page shows over its content, as the file itself has it, in place of
// what recognition read there: values of form fields, stamps, notes. layer has these words,
// by their origin, and fields are the parts of its text that are fields. It returns the page
// and the same fields in its text, empty where nothing of them is left.
//
// A word that was read is dropped where it is the reading of such words, and stays where it
// is only beneath them: letters of a stamp are several lines high. Words that the file has
// without their meaning are left as they were read, and only named as what they are.
func Overlay(read, layer Page, fields []Piece) (Page, []Piece) {
	quarters := Quarters(read)
	if len(read.Words) == 0 {
		quarters = Quarters(layer)
	}
	o := overlaying{quarters: quarters, lines: readLines(read, quarters)}
	for _, g := range o.groups(layer, fields) {
		o.put(g)
	}
	return o.page(read, fields)
}

// Tick is what a checked box says whose tick is no letter but a drawing.
const Tick = "☒"

// certain is the confidence of a word that the file itself says. Words that were read, and
// are of something that stands over the page, have less.
const certain = 100

// Unwritten returns a page with those of its words alone that its file does not have as
// words: what was read from its picture, and drawn ticks. The others were put there by
// Overlay.
func Unwritten(page Page) Page {
	runes := []rune(page.Text)
	kept := make([]Word, 0, len(page.Words))
	for _, w := range page.Words {
		if w.Origin == Content || w.Confidence < certain || string(runes[w.Start:w.End]) == Tick {
			kept = append(kept, w)
		}
	}
	page.Words = kept
	return page
}

// overlaying is a page that is put together.
type overlaying struct {
	quarters int // see Quarters
	lines    []overline
}

// overline is a line, with what was dropped of it.
type overline struct {
	words []overword
	blank bool // a blank line is before it
}

// overword is a word, and its box in the direction in which the page is read.
type overword struct {
	Word

	text    string
	box     Box
	field   int  // the number of its field, from 1; 0 for none
	dropped bool // it was the reading of words that are there now
	over    bool // it is of the file
}

// overpiece is words of a line that belong together.
type overpiece struct {
	words []overword
	box   Box
}

// upright is a box in the direction in which a page is read that is turned by quarters.
func (b Box) upright(quarters int) Box {
	switch quarters {
	case 1:
		return Box{b.Y0, -b.X1, b.Y1, -b.X0}
	case 2:
		return Box{-b.X1, -b.Y1, -b.X0, -b.Y0}
	case 3:
		return Box{-b.Y1, b.X0, -b.Y0, b.X1}
	}
	return b
}

func readLines(read Page, quarters int) []overline {
	runes := []rune(read.Text)
	var lines []overline
	end := 0
	for _, line := range Lines(read) {
		l := overline{blank: strings.Count(string(runes[end:line[0].Start]), "\n") > 1}
		for _, w := range line {
			l.words = append(l.words, overword{Word: w, text: string(runes[w.Start:w.End]), box: w.Box.upright(quarters)})
			end = w.End
		}
		lines = append(lines, l)
	}
	return lines
}

// box is that of what is left of a line; ok is false if nothing is.
func (l overline) box() (box Box, ok bool) {
	for _, w := range l.words {
		switch {
		case w.dropped:
		case ok:
			box = box.Union(w.box)
		default:
			box, ok = w.box, true
		}
	}
	return box, ok
}

// groups are the overlays of a page: the lines of each.
func (o *overlaying) groups(layer Page, fields []Piece) (groups [][]overpiece) {
	runes := []rune(layer.Text)
	for _, line := range Lines(layer) {
		begun := false // the last piece is of this line
		for _, w := range line {
			if w.Origin != Field && w.Origin != Annotation || w.Box == (Box{}) {
				begun = false
				continue
			}
			over := overword{Word: w, text: string(runes[w.Start:w.End]), box: w.Box.upright(o.quarters), over: true}
			if at := sort.Search(len(fields), func(i int) bool { return fields[i].End > w.Start }); at < len(fields) && fields[at].Start <= w.Start {
				over.field = at + 1
			}
			if begun && groups[len(groups)-1][len(groups[len(groups)-1])-1].goesOn(over) {
				g := groups[len(groups)-1]
				p := &g[len(g)-1]
				p.words, p.box = append(p.words, over), p.box.Union(over.box)
				continue
			}
			groups, begun = append(groups, []overpiece{{words: []overword{over}, box: over.box}}), true
		}
	}
	return joined(groups)
}

// goesOn reports whether a word belongs to the same overlay as those before it in its line.
func (p overpiece) goesOn(w overword) bool {
	last := p.words[len(p.words)-1]
	if last.field != w.field || last.Origin != w.Origin {
		return false
	}
	return w.field > 0 || max(w.box.X0-last.box.X1, last.box.X0-w.box.X1) <= 2*(w.box.Y1-w.box.Y0)
}

// joined makes one group of the lines of one field, and of lines closely below each other.
func joined(groups [][]overpiece) (all [][]overpiece) {
	for _, g := range groups {
		if len(all) > 0 {
			above := all[len(all)-1][len(all[len(all)-1])-1]
			last, first := above.words[0], g[0].words[0]
			if last.field == first.field && last.Origin == first.Origin && (first.field > 0 || isNextLine(above.box, g[0].box)) {
				all[len(all)-1] = append(all[len(all)-1], g...)
				continue
			}
		}
		all = append(all, g)
	}
	return all
}

// isNextLine reports whether b is a line of the same size closely below a.
func isNextLine(a, b Box) bool {
	height := min(a.Y1-a.Y0, b.Y1-b.Y0)
	return b.Y0-a.Y1 < height && b.Y1 > a.Y1+height/2 && max(a.Y1-a.Y0, b.Y1-b.Y0) < 1.5*height && min(a.X1, b.X1) > max(a.X0, b.X0)
}

// put puts an overlay on the page: in place of its reading, or where it stands among the lines.
func (o *overlaying) put(group []overpiece) {
	if slices.ContainsFunc(group, overpiece.isGarbled) {
		for _, p := range group {
			o.name(p)
		}
		return
	}
	at, word := o.replaced(group)
	if at < 0 {
		o.place(group)
		return
	}
	_, others := o.lines[at].box()
	switch {
	case len(group) == 1:
		o.lines[at].words = slices.Insert(o.lines[at].words, word, group[0].words...)
	case others:
		o.insert(at+1, group)
	default:
		o.insert(at, group)
	}
}

// replaced drops the reading of a group, and returns where it begins; line is -1 if there is
// none.
func (o *overlaying) replaced(group []overpiece) (line, word int) {
	line = -1
	for _, p := range group {
		for _, f := range o.reading(p) {
			if o.drop(f, p) && line < 0 && !f.ruled {
				line, word = f.line, f.words[0]
			}
		}
	}
	return line, word
}

// place puts a group where it stands among the lines: what is one line becomes part of the
// line beside it, if it does not stand over that.
func (o *overlaying) place(group []overpiece) {
	boxes, index := o.boxes()
	p := group[0]
	if near := Beside(boxes, p.box); near >= 0 && len(group) == 1 {
		l := &o.lines[index[near]]
		if !slices.ContainsFunc(l.words, func(w overword) bool { return !w.dropped && p.box.Contains(w.box.Middle()) }) {
			l.words = slices.Insert(l.words, l.place(p.box), p.words...)
			return
		}
	}
	at := len(o.lines)
	if under := Below(boxes, p.box); under < len(index) {
		at = index[under]
	}
	o.insert(at, group)
}

// boxes are those of the lines that are left, and their numbers.
func (o *overlaying) boxes() (boxes []Box, index []int) {
	for i, l := range o.lines {
		if box, ok := l.box(); ok {
			boxes, index = append(boxes, box), append(index, i)
		}
	}
	return boxes, index
}

// insert puts lines before the one at a place, as a paragraph if they are several or far
// from the others.
func (o *overlaying) insert(at int, group []overpiece) {
	lines := make([]overline, len(group))
	for i, p := range group {
		lines[i] = overline{words: p.words}
	}
	several := len(group) > 1
	if above := o.left(at-1, -1); above >= 0 {
		box, _ := o.lines[above].box()
		lines[0].blank = several || isApart(box, group[0].box)
	}
	if below := o.left(at, 1); below >= 0 {
		box, _ := o.lines[below].box()
		next := &o.lines[below]
		next.blank = next.blank || several || isApart(group[0].box, box)
	}
	o.lines = slices.Insert(o.lines, at, lines...)
}

// left is the first line from at on, in steps, of which something is left; -1 if there is none.
func (o *overlaying) left(at, step int) int {
	for ; at >= 0 && at < len(o.lines); at += step {
		if _, ok := o.lines[at].box(); ok {
			return at
		}
	}
	return -1
}

// isApart reports whether a line begins a paragraph after another one: below it, higher up
// or of another size.
func isApart(above, below Box) bool {
	d, height, other := below.Y1-above.Y1, below.Y1-below.Y0, above.Y1-above.Y0
	return d > 1.6*height || d < -height/2 || max(height, other) > 2*min(height, other)
}

// place is where in a line a box belongs.
func (l overline) place(box Box) int {
	first, last := l.words[0].box, l.words[len(l.words)-1].box
	at := slices.IndexFunc(l.words, func(w overword) bool {
		if first.X0 > last.X0 { // it is written from right to left
			return w.box.X1 < box.X1
		}
		return w.box.X0 > box.X0
	})
	if at < 0 {
		return len(l.words)
	}
	return at
}

// found is the words of a line that were read where an overlay is.
type found struct {
	line  int
	words []int
	box   Box
	ruled bool // they are only dashes and frames
	alike bool // they say the same
	alone bool // no other line was read there but such
	few   bool // one line was read there at most, but such
}

// reading are the words that were read in the box of a piece, by line. A word that was read
// together with what is printed beside the piece is parted.
func (o *overlaying) reading(p overpiece) (all []found) {
	said := keyed(p.words)
	lines := 0
	for i := range o.lines {
		l := &o.lines[i]
		f := found{line: i, ruled: true}
		var words []overword
		for j := range l.words {
			w := &l.words[j]
			if w.over || w.dropped || !p.holds(w) {
				continue
			}
			f.words, words = append(f.words, j), append(words, *w)
			f.ruled = f.ruled && isRule(w.text)
			if len(words) == 1 {
				f.box = w.box
			} else {
				f.box = f.box.Union(w.box)
			}
		}
		if len(words) == 0 {
			continue
		}
		key := keyed(words)
		f.alike = 2*len(key) > len(said) && strings.Contains(said, key) || 2*len(said) > len(key) && strings.Contains(key, said)
		if !f.ruled {
			lines++
		}
		all = append(all, f)
	}
	for i := range all {
		all[i].alone = lines == 1 && !all[i].ruled
		all[i].few = lines <= 1
	}
	return all
}

// How high a reading is at least, in parts of what it is the reading of: small letters have
// half the height of their type. Where several lines were read in the place of one, all but
// one of them are of the page.
const (
	leastHeight      = 0.25
	leastAmongOthers = 0.4
)

// drop drops what was found, if it is the reading of a piece.
func (o *overlaying) drop(f found, p overpiece) bool {
	least := float32(leastAmongOthers)
	if f.alone {
		least = leastHeight
	}
	if f.ruled && f.few {
		least = 0
	}
	if !f.alike && f.box.Y1-f.box.Y0 < least*(p.box.Y1-p.box.Y0) {
		return false
	}
	for _, j := range f.words {
		o.lines[f.line].words[j].dropped = true
	}
	return true
}

// mostBeside is how much of a word's width may lie beside an overlay that it is of.
const mostBeside = 0.25

// holds reports whether a word was read in the box of a piece. If it has a part beside the
// piece that was not, and is the end or the beginning of that, the word is cut to that part.
func (p overpiece) holds(w *overword) bool {
	x, y := w.box.Middle()
	if y < p.box.Y0 || y > p.box.Y1 {
		return false
	}
	width := w.box.X1 - w.box.X0
	inside := min(w.box.X1, p.box.X1) - max(w.box.X0, p.box.X0)
	if inside <= 0 {
		return false
	}
	if inside < (1-mostBeside)*width {
		said := make([]string, len(p.words))
		for i, word := range p.words {
			said[i] = word.text
		}
		for n := len(said); n > 0; n-- {
			if rest, ok := strings.CutSuffix(w.text, strings.Join(said[:n], "")); ok && rest != "" && w.box.X0 < p.box.X0 {
				w.text, w.box.X1 = rest, p.box.X0
				return false
			}
			if rest, ok := strings.CutPrefix(w.text, strings.Join(said[len(said)-n:], "")); ok && rest != "" && w.box.X1 > p.box.X1 {
				w.text, w.box.X0 = rest, p.box.X1
				return false
			}
		}
	}
	return x >= p.box.X0 && x <= p.box.X1
}

// name says of the words that were read in the box of a piece what they are of.
func (o *overlaying) name(p overpiece) {
	for _, f := range o.reading(p) {
		for _, j := range f.words {
			w := &o.lines[f.line].words[j]
			w.Origin, w.field = p.words[0].Origin, p.words[0].field
			w.Confidence = min(w.Confidence, certain-1)
		}
	}
}

// isGarbled reports whether the file does not say what the letters of a piece mean.
func (p overpiece) isGarbled() bool {
	letters, garbled := 0, 0
	for _, w := range p.words {
		for _, r := range w.text {
			letters++
			if r == unicode.ReplacementChar || unicode.Is(unicode.Co, r) {
				garbled++
			}
		}
	}
	return 5*garbled > letters
}

// isRule reports whether a word is only what lines and frames are read as.
func isRule(text string) bool { return strings.Trim(text, "_-–—|¦[]{}.…=~") == "" }

// keyed is the letters and digits of words, all small.
func keyed(words []overword) string {
	var b strings.Builder
	for _, w := range words {
		for _, r := range w.text {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				b.WriteRune(unicode.ToLower(r))
			}
		}
	}
	return b.String()
}

// page is the page with what is left of its lines, and where the fields are.
func (o *overlaying) page(read Page, fields []Piece) (Page, []Piece) {
	page := read
	page.Words = nil
	placed := slices.Clone(fields)
	for i := range placed {
		placed[i].Start, placed[i].End = 0, 0
	}
	var text strings.Builder
	at := 0
	var confidence, letters float64
	blank := false
	for _, l := range o.lines {
		separator := "\n"
		if blank = blank || l.blank; blank {
			separator = "\n\n"
		}
		for _, w := range l.words {
			if w.dropped {
				continue
			}
			if at > 0 {
				text.WriteString(separator)
				at += len(separator)
			}
			separator, blank = " ", false
			w.Start = at
			text.WriteString(w.text)
			at += utf8.RuneCountInString(w.text)
			w.End = at
			w.Box = w.box.upright((4 - o.quarters) & 3)
			page.Words = append(page.Words, w.Word)
			confidence += float64(w.Confidence) * float64(w.End-w.Start)
			letters += float64(w.End - w.Start)
			if w.field > 0 {
				f := &placed[w.field-1]
				if f.End == 0 {
					f.Start = w.Start
				}
				f.End = w.End
			}
		}
	}
	if at > 0 {
		text.WriteByte('\n')
		page.Confidence = float32(confidence / letters)
	}
	page.Text = text.String()
	return page, placed
}

// Beside is the line at whose height a box stands, the nearest of several; -1 if none.
func Beside(lines []Box, box Box) int {
	nearest, distance := -1, float32(0)
	for i, line := range lines {
		shared := min(box.Y1, line.Y1) - max(box.Y0, line.Y0)
		if shared <= 0 || 2*shared < min(box.Y1-box.Y0, line.Y1-line.Y0) {
			continue
		}
		if away := max(line.X0-box.X1, box.X0-line.X1, 0); nearest < 0 || away < distance {
			nearest, distance = i, away
		}
	}
	return nearest
}

// Below is where in the order of lines a box belongs: behind the lowest of the lines
// that end above its lower edge, or in front of all.
func Below(lines []Box, box Box) int {
	at, lowest := 0, float32(math.Inf(-1))
	for i, line := range lines {
		if line.Y1 <= box.Y1 && line.Y1 >= lowest {
			at, lowest = i+1, line.Y1
		}
	}
	return at
}

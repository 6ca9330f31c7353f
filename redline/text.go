package redline

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/clausemill/clausemill/docx"
	"github.com/clausemill/clausemill/fault"
)

// A Text aligns the text of a file with its Word document. The words are the same and
// in the same order, except for notes, which the text has at the end of its pages;
// blanks, cell boundaries, formulas and drawings are represented differently. It maps
// places in the text to places in the document.
type Text struct {
	reading *reading
	runes   []rune
	sides   []side
}

// A side is a part of a text beside the paragraphs that it was read from.
type side struct {
	column   *column // of paragraphs, whatever is between them
	document folding
	file     folding
	hunks    []Hunk // what makes the folded text of the file of that of the document
}

// NewText puts a text beside a document.
func NewText(doc *docx.Document, text string) *Text {
	t := &Text{reading: read(doc, ""), runes: []rune(text)}
	var body, notes []*docx.Paragraph
	for _, s := range doc.Stories() {
		switch kind, _, _ := strings.Cut(s.Key, ":"); kind {
		case "body":
			body = s.Paragraphs()
		case "footnote", "endnote", "header", "footer":
			notes = append(notes, s.Paragraphs()...)
		}
	}
	left := t.beside(body, fold(t.runes))
	if len(notes) > 0 {
		t.beside(notes, left)
	}
	return t
}

// beside adds a side, and gives what of the text is not on it.
func (t *Text) beside(paragraphs []*docx.Paragraph, file folding) (left folding) {
	s := side{column: newColumn(nil, paragraphs), file: file}
	s.document = fold(s.column.text)
	s.hunks = Diff(string(s.document.text), string(s.file.text))
	t.sides = append(t.sides, s)
	for from, to := range s.differing() {
		left.text = append(left.text, file.text[from:to]...)
		left.from = append(left.from, file.from[from:to]...)
	}
	return left
}

// differing gives the stretches of the folded text of the file that the document
// does not have.
func (s *side) differing() iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		shift := 0
		for _, h := range s.hunks {
			length := len([]rune(h.Text))
			if from := h.Start + shift; !yield(from, from+length) {
				return
			}
			shift += length - (h.End - h.Start)
		}
	}
}

// folded is where a stretch of the text of the file is in the folded one.
func (s *side) folded(start, end int) (from, to int) {
	from, _ = slices.BinarySearch(s.file.from, start)
	to, _ = slices.BinarySearch(s.file.from, end)
	return from, to
}

// shared counts the code points of a stretch of the file that the document has.
func (s *side) shared(start, end int) int {
	from, to := s.folded(start, end)
	n := to - from
	for other, otherEnd := range s.differing() {
		n -= max(0, min(to, otherEnd)-max(from, other))
	}
	return n
}

// stretch is where a stretch of the file is in the column. If one of its ends is in a
// difference, all of the difference belongs to it.
func (s *side) stretch(start, end int) (from, to int) {
	i, j := s.folded(start, end)
	if i == j { // a point, which stays with what is before it
		if i == 0 {
			return 0, 0
		}
		_, to = s.placed(i-1, i)
		return to, to
	}
	return s.placed(i, j)
}

func (s *side) placed(i, j int) (from, to int) {
	shift := 0
	from, to = -1, -1
	for _, h := range s.hunks {
		length := len([]rune(h.Text))
		begins, ends := h.Start+shift, h.Start+shift+length
		if from < 0 && i < ends {
			from = min(i-shift, h.Start)
		}
		if j-1 < begins {
			break
		}
		if j-1 < ends {
			to = h.End
			break
		}
		shift += length - (h.End - h.Start)
	}
	if from < 0 {
		from = i - shift
	}
	if to < 0 {
		to = j - shift
	}
	if from >= to {
		at := s.document.end(from)
		return at, at
	}
	return s.document.from[from], s.document.end(to)
}

// end is where the code points of a folding before i end.
func (f folding) end(i int) int {
	if i == 0 {
		return 0
	}
	return f.from[i-1] + 1
}

// A passage is the part of a stretch in one story or cell.
type passage struct {
	*spot
	at int // where it begins in the column of the side
}

func (p passage) words() string { return string(p.column.text[p.start:p.end]) }

// passages cuts a stretch of a side at the boundaries of cells and text boxes.
func (t *Text) passages(s *side, from, to int) []passage {
	var all []passage
	for i := s.column.at(from); i <= s.column.at(to); i++ {
		p := s.column.paragraphs[i]
		c, at := t.reading.block(p.Story.Key, p.Index)
		if c == nil {
			continue
		}
		begins := s.column.starts[i]
		start, end := c.starts[at]+max(from-begins, 0), c.starts[at]+min(to-begins, c.length(at))
		if n := len(all) - 1; n >= 0 && all[n].column == c {
			all[n].spot = t.reading.spot(c, all[n].start, end, Exact)
		} else if start < end || from == to {
			all = append(all, passage{t.reading.spot(c, start, end, Exact), max(from, begins)})
		}
	}
	return all
}

// Place anchors a change to a stretch of the text, given in code points, whose
// words the change's anchor may quote. If the stretch crosses cells, a change of words
// or of their format becomes one for each cell that it changes, and a comment is at
// the first; the identifiers of those are set by the caller.
func (t *Text) Place(c Change, start, end int) ([]Change, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if start < 0 || end < start || end > len(t.runes) {
		return nil, refuse(fault.Invalid, AnchorMismatch, fmt.Sprintf("the span lies outside of the text of the file, which has %d code points", len(t.runes)))
	}
	quote := string(t.runes[start:end])
	if c.Anchor.Text != "" && !slices.Equal(fold1(c.Anchor.Text), fold1(quote)) {
		return nil, refuse(fault.Conflict, AnchorMismatch, fmt.Sprintf("at the span of the anchor stand other words: %q", brief(quote)))
	}
	s := slices.MaxFunc(indices(t.sides), func(a, b *side) int { return a.shared(start, end) - b.shared(start, end) })
	from, to := s.stretch(start, end)
	all := t.passages(s, from, to)
	if len(all) == 0 || start < end && s.shared(start, end) == 0 {
		return nil, refuse(fault.Invalid, AnchorNotFound, "what stands at the span of the anchor is no text of the document, but a drawing, a formula or a field")
	}
	last := len(all) - 1
	switch {
	case c.Type == Replace:
		return t.replaced(c, s, start, quote, all)
	case c.Type == InsertRow, c.Type == DeleteRow, c.Type == CommentOn, c.Type == InsertParagraph && c.Side == Before, c.Type == Insert && c.Side == Before:
		all = all[:1]
	case c.Type == InsertParagraph, c.Type == Insert:
		all = all[last:]
	case c.onParagraphs() && last > 0:
		return nil, refuse(fault.Invalid, docx.CrossesStructure, "the span crosses the boundary of a cell or text box; each of these needs a change of its own")
	}
	changes := make([]Change, len(all))
	for i, p := range all {
		changes[i] = c
		changes[i].Anchor = p.anchor(c.onParagraphs())
	}
	return changes, nil
}

func indices(sides []side) []*side {
	all := make([]*side, len(sides))
	for i := range sides {
		all[i] = &sides[i]
	}
	return all
}

// brief is the beginning of a text, to identify it.
func brief(text string) string {
	if r := []rune(text); len(r) > around {
		return string(r[:around]) + "…"
	}
	return text
}

// anchor is the place of the passage, by position and by words, so that it is found
// again in a later version of the document.
func (p passage) anchor(whole bool) Anchor {
	a := Anchor{Part: p.Part, ParaID: p.first().ID(), Block: &p.Block}
	if whole {
		p.start, p.end = p.column.starts[p.from], p.column.starts[p.to]+p.column.length(p.to)
		a.EndBlock = &p.EndBlock
	} else {
		end := p.Start + p.end - p.start
		a.Start, a.End = &p.Start, &end
	}
	a.Text = p.words()
	a.Before = string(p.column.text[max(0, p.start-around):p.start])
	a.After = string(p.column.text[p.end:min(len(p.column.text), p.end+around)])
	return a
}

// replaced carries the differences between what was read at start and its new
// words over to the passages that it was read from.
func (t *Text) replaced(c Change, s *side, start int, quote string, all []passage) ([]Change, error) {
	texts := make([]strings.Builder, len(all))
	done := make([]int, len(all)) // how far each is copied, in its column
	for i, p := range all {
		done[i] = p.start
	}
	for _, h := range Diff(quote, c.Text) {
		from, to := s.stretch(start+h.Start, start+h.End)
		i := slices.IndexFunc(all, func(p passage) bool { return from >= p.at && to <= p.at+p.end-p.start })
		if i < 0 {
			return nil, refuse(fault.Invalid, docx.CrossesStructure, fmt.Sprintf("the words run over %d cells or text boxes, and the new ones do not keep the boundaries between them", len(all)))
		}
		p := all[i]
		if from = p.start + from - p.at; from > done[i] {
			texts[i].WriteString(string(p.column.text[done[i]:from]))
		}
		texts[i].WriteString(h.Text)
		done[i] = max(done[i], p.start+to-p.at)
	}
	var changes []Change
	for i, p := range all {
		texts[i].WriteString(string(p.column.text[done[i]:p.end]))
		if text := texts[i].String(); text != p.words() {
			change := c
			change.Anchor, change.Text = p.anchor(false), text
			if text == "" {
				change.Type = Delete
			}
			changes = append(changes, change)
		}
	}
	if len(changes) == 0 {
		return nil, refuse(fault.Invalid, NoChange, "the new text is the old one")
	}
	return changes, nil
}

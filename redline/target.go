package redline

import (
	"slices"
	"strings"

	"github.com/clausemill/clausemill/docx"
)

// A target is what the text of a document is to be once its changes are
// accepted, worked out on texts alone, so that what was written can be checked
// against it.
type target struct {
	steps    []step
	rows     []newRow
	rowsGone []docx.Element
	restyled []docx.Element // what gets other properties
	blocks   []newBlocks
	cells    []newBlocks
	cellGone []docx.Element
	notes    []docx.GivenNote
}

// newBlocks are blocks of other documents beside a block of this one, or a cell beside a
// cell.
type newBlocks struct {
	beside docx.Element
	before bool
	story  *docx.Story
}

// A step changes one paragraph.
type step struct {
	p          *docx.Paragraph
	start, end int
	text       string
	follows    bool // text replaces what was deleted before start
	joins      bool // its end goes
	before     []string
	after      []string
	table      bool // before begins with a table, which nothing runs on across
}

type newRow struct {
	beside docx.Element
	before bool
	cells  []string
	story  *docx.Story // in place of cells
}

func (t *target) edit(p *docx.Paragraph, start, end int, text string) {
	t.steps = append(t.steps, step{p: p, start: start, end: end, text: text})
}

// join takes the end of a paragraph away, unless the document does so already.
func (t *target) join(p *docx.Paragraph) {
	if !p.MarkDeleted() {
		t.steps = append(t.steps, step{p: p, joins: true})
	}
}

func (t *target) paragraphs(p *docx.Paragraph, before bool, lines []string, table bool) {
	if before {
		t.steps = append(t.steps, step{p: p, before: lines, table: table})
	} else {
		t.steps = append(t.steps, step{p: p, after: lines})
	}
}

func (t *target) follow(p *docx.Paragraph, at int, text string) {
	t.steps = append(t.steps, step{p: p, start: at, end: at, text: text, follows: true})
}

func (t *target) deleteParagraphs(all, marks []*docx.Paragraph) {
	for _, p := range all {
		t.edit(p, 0, p.Len(), "")
	}
	for _, p := range marks {
		t.join(p)
	}
}

func (t *target) row(beside docx.Element, before bool, cells []string) {
	t.rows = append(t.rows, newRow{beside, before, cells, nil})
}

func (t *target) set(e docx.Element) { t.restyled = append(t.restyled, e) }

// touched are the blocks directly below the roots of stories that are to change.
func (t *target) touched(d *docx.Document) blockSet {
	roots, set := rootsOf(d), blockSet{}
	add := func(e docx.Element) { set[roots.below(e)] = true }
	for _, s := range t.steps {
		add(s.p.Element)
	}
	for _, r := range t.rows {
		add(r.beside)
	}
	for _, row := range t.rowsGone {
		add(row)
	}
	for _, e := range t.restyled {
		add(e)
	}
	for _, e := range t.cellGone {
		add(e)
	}
	for _, n := range slices.Concat(t.blocks, t.cells) {
		add(n.beside)
	}
	return set
}

// lines are the texts of all paragraphs outside of text boxes, story by story;
// of only some blocks where those are given. Without a target they are those of the
// document.
func lines(d *docx.Document, t *target, only blockSet) []string {
	l := lister{byParagraph: map[*docx.Paragraph][]step{}, only: only, roots: rootsOf(d)}
	if t != nil {
		l.target = t
		for _, s := range t.steps {
			l.byParagraph[s.p] = append(l.byParagraph[s.p], s)
		}
	}
	endnotes := false
	gone := l.notesGone(d)
	for _, s := range d.Stories() {
		if gone[s.Key] {
			continue
		}
		if !endnotes && strings.HasPrefix(s.Key, "endnote:") {
			l.newNotes("footnote:")
			endnotes = true
		}
		l.story = s
		l.out = append(l.out, "\f"+s.Key)
		l.column(s.Root)
	}
	if !endnotes {
		l.newNotes("footnote:")
	}
	l.newNotes("endnote:")
	return l.out
}

// notesGone are the notes whose references all go.
func (l *lister) notesGone(d *docx.Document) map[string]bool {
	if l.target == nil {
		return nil
	}
	left := map[string]int{}
	for e := range d.Story("body").Root.Descendants() {
		if e.Is("footnoteReference", "endnoteReference") {
			left[noteKey(e)]++
		}
	}
	gone := map[string]bool{}
	for _, p := range d.Story("body").Paragraphs() {
		if len(left) == 0 {
			break
		}
		for piece := range p.Pieces() {
			if !piece.Item.Is("footnoteReference", "endnoteReference") || !piece.Deleted && !l.goes(p, piece) {
				continue
			}
			key := noteKey(piece.Item)
			if !piece.Deleted {
				left[key]--
			}
			gone[key] = left[key] == 0
		}
	}
	return gone
}

func noteKey(reference docx.Element) string {
	return strings.TrimSuffix(reference.Name(), "Reference") + ":" + reference.Attr("id")
}

// goes reports whether a piece of a paragraph is deleted.
func (l *lister) goes(p *docx.Paragraph, piece docx.Piece) bool {
	for _, s := range l.byParagraph[p] {
		if s.start <= piece.Start && piece.End <= s.end && s.start < s.end {
			return true
		}
	}
	for around := p.Parent(); around.Exists(); around = around.Parent() {
		if slices.Contains(l.target.rowsGone, around) || slices.Contains(l.target.cellGone, around) {
			return true
		}
	}
	return false
}

// newNotes lists the notes of a kind that content brings along.
func (l *lister) newNotes(kind string) {
	if l.target == nil {
		return
	}
	for _, n := range l.target.notes {
		if strings.HasPrefix(n.Key, kind) {
			l.out = append(l.out, "\f"+n.Key)
			l.given(n.Content.Story())
		}
	}
}

// given lists content of another document.
func (l *lister) given(s *docx.Story) {
	inner := lister{byParagraph: map[*docx.Paragraph][]step{}, roots: blockSet{}, story: s}
	if cell := s.Root.First(); cell.Is("tc") {
		inner.column(cell)
	} else {
		inner.column(s.Root)
	}
	l.out = append(l.out, inner.out...)
}

func (l *lister) newBlocks(all func(*target) []newBlocks, beside docx.Element, before bool) {
	if l.target == nil {
		return
	}
	for _, n := range all(l.target) {
		if n.beside == beside && n.before == before {
			l.given(n.story)
		}
	}
}

func blocksBeside(t *target) []newBlocks { return t.blocks }
func cellsBeside(t *target) []newBlocks  { return t.cells }

type lister struct {
	target      *target
	only        blockSet
	roots       blockSet
	byParagraph map[*docx.Paragraph][]step
	story       *docx.Story
	out         []string
}

func (l *lister) column(container docx.Element) {
	carry, carried, wrote := "", false, false
	fixed := false // something is carried that stays and needs a paragraph
	flush := func(needed bool) {
		if carried && (carry != "" || fixed || needed) {
			l.out = append(l.out, carry)
			wrote = true
		}
		carry, carried, fixed = "", false, false
	}
	for block := range docx.Blocks(container) {
		if l.only != nil && container == l.story.Root && !l.only[l.roots.below(block)] {
			continue
		}
		if block.Is("tbl") {
			flush(false)
			l.newBlocks(blocksBeside, block, true)
			if l.table(block) {
				wrote = container.Is("body") // everything else has to end in a paragraph
			}
			l.newBlocks(blocksBeside, block, false)
			continue
		}
		p := l.story.ParagraphOf(block)
		if slices.ContainsFunc(l.byParagraph[p], func(s step) bool { return s.table }) {
			flush(false)
		}
		text, joins, before, after := l.edited(p)
		l.out = append(l.out, before...)
		all := strings.Split(carry+text, "\n")
		carry, carried = "", false
		if joins {
			l.out = append(l.out, all[:len(all)-1]...)
			carry, carried, fixed = all[len(all)-1], true, fixed || holdsFixed(p)
		} else {
			l.out = append(l.out, all...)
			wrote, fixed = true, false
		}
		l.out = append(l.out, after...)
	}
	flush(!wrote)
}

// holdsFixed reports whether a paragraph holds what no change takes out: text
// that other people deleted, or the number of a note.
func holdsFixed(p *docx.Paragraph) bool {
	for piece := range p.Pieces() {
		if piece.Deleted && piece.Text != "" || piece.Item.Is("footnoteRef", "endnoteRef") {
			return true
		}
	}
	return false
}

// edited is the text of a paragraph with the steps on it taken.
func (l *lister) edited(p *docx.Paragraph) (text string, joins bool, before, after []string) {
	steps := l.byParagraph[p]
	if len(steps) == 0 {
		return p.Text(), false, nil, nil
	}
	var edits []step
	for _, s := range steps {
		before, after = append(before, s.before...), append(after, s.after...)
		joins = joins || s.joins
		if s.before == nil && s.after == nil && !s.joins {
			edits = append(edits, s)
		}
	}
	slices.SortStableFunc(edits, func(a, b step) int {
		if a.start != b.start {
			return a.start - b.start
		}
		if a.follows != b.follows {
			return map[bool]int{true: -1, false: 1}[a.follows]
		}
		return a.end - b.end
	})
	old := []rune(p.Text())
	var b strings.Builder
	at := 0
	for _, e := range edits {
		b.WriteString(string(old[at:max(at, e.start)]))
		b.WriteString(e.text)
		at = max(at, e.end)
	}
	b.WriteString(string(old[at:]))
	return b.String(), joins, before, after
}

// table lists the texts of its cells, and reports whether any row stays.
func (l *lister) table(table docx.Element) (stays bool) {
	for row := range docx.Rows(table) {
		l.newRows(row, true)
		if l.target == nil || !slices.Contains(l.target.rowsGone, row) {
			stays = true
			for cell := range docx.Cells(row) {
				l.newBlocks(cellsBeside, cell, true)
				if l.target == nil || !slices.Contains(l.target.cellGone, cell) {
					l.column(cell)
				}
				l.newBlocks(cellsBeside, cell, false)
			}
		}
		l.newRows(row, false)
	}
	return stays
}

func (l *lister) newRows(beside docx.Element, before bool) {
	if l.target == nil {
		return
	}
	for _, r := range l.target.rows {
		if r.beside == beside && r.before == before {
			if r.story != nil {
				for cell := range docx.Cells(r.story.Root.First()) {
					inner := lister{byParagraph: map[*docx.Paragraph][]step{}, roots: blockSet{}, story: r.story}
					inner.column(cell)
					l.out = append(l.out, inner.out...)
				}
			}
			for _, cell := range r.cells {
				l.out = append(l.out, strings.Split(cell, "\n")...)
			}
		}
	}
}

package redline

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/clausemill/clausemill/docx"
	"github.com/clausemill/clausemill/fault"
)

// Applied is a change that was carried out.
type Applied struct {
	ID       string
	Resolved *Resolved // nil for changes without an anchor
}

// Failed is a change that was not.
type Failed struct {
	ID  string
	Err *Error
}

// An applier puts changes into a document, one by one, each whole or not at all.
type applier struct {
	*reading
	editor *docx.Editor
	target *target
	claims []claim
	lie    map[place][]int // indices of claims, by where they lie

	applied []Applied
	failed  []Failed
}

func newApplier(doc *docx.Document, sha256 string) *applier {
	return &applier{reading: read(doc, sha256), editor: doc.Edit(), target: &target{}, lie: map[place][]int{}}
}

// checkpoint begins a change. Undo discards everything since.
func (a *applier) checkpoint() (undo func()) {
	mark, target, claims, applied, failed := a.editor.Mark(), *a.target, len(a.claims), len(a.applied), len(a.failed)
	return func() {
		a.editor.Undo(mark)
		*a.target = target
		for _, c := range a.claims[claims:] {
			for at := range c.places() {
				a.lie[at] = slices.DeleteFunc(a.lie[at], func(i int) bool { return i >= claims })
			}
		}
		a.claims, a.applied, a.failed = a.claims[:claims], a.applied[:applied], a.failed[:failed]
	}
}

// apply carries out a change.
func (a *applier) apply(c *Change) {
	undo := a.checkpoint()
	where, err := a.carryOut(c)
	if err != nil {
		undo()
		a.failed = append(a.failed, Failed{c.ID, asError(err)})
		return
	}
	a.applied = append(a.applied, Applied{c.ID, where})
}

func (a *applier) carryOut(c *Change) (*Resolved, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if c.Type == Reply {
		_, err := a.editor.Reply(strings.TrimPrefix(c.Target, CommentPrefix), c.Text, c.by())
		if fault.KindOf(err) == fault.NotFound {
			return nil, refuse(fault.NotFound, UnknownTarget, fault.Message(err))
		}
		return nil, err
	}
	s, err := a.locate(c.Anchor, c.onParagraphs())
	if err != nil {
		return nil, err
	}
	if err := a.change(c, s); err != nil {
		return nil, err
	}
	if c.Comment == "" || c.Type == CommentOn {
		return &s.Resolved, nil
	}
	return &s.Resolved, a.comment(c, s, c.Comment)
}

// CommentPrefix begins the ids that comments of a document have among changes.
const CommentPrefix = "com_"

// onParagraphs reports whether a change is about paragraphs and not their text.
func (c *Change) onParagraphs() bool {
	switch c.Type {
	case Rewrite, InsertParagraph, DeleteParagraph, InsertRow, DeleteRow, InsertCell, DeleteCell, SetProperties:
		return true
	default:
		return false
	}
}

func (a *applier) change(c *Change, s *spot) error {
	switch c.Type {
	case Insert:
		return a.insert(c, s)
	case Delete:
		if s.start == s.end {
			return refuse(fault.Invalid, NoChange, "the anchor covers no text")
		}
		return a.replace(c, s, []Hunk{{s.start, s.end, ""}})
	case Replace:
		return a.rewrite(c, s)
	case Rewrite:
		if s.from != s.to {
			return refuse(fault.Invalid, docx.CrossesStructure, "only one paragraph can be rewritten at a time")
		}
		return a.rewrite(c, s)
	case InsertParagraph:
		return a.insertParagraph(c, s)
	case DeleteParagraph:
		return a.deleteParagraphs(c, s)
	case InsertRow, DeleteRow:
		return a.row(c, s)
	case InsertCell, DeleteCell:
		return a.cell(c, s)
	case FormatText:
		return a.format(c, s)
	case SetProperties:
		return a.set(c, s)
	case CommentOn:
		text := c.Text
		if text == "" {
			text = c.Comment
		}
		return a.comment(c, s, text)
	default:
		return refuse(fault.Invalid, BadChange, "the change is a decision and not an edit")
	}
}

func (a *applier) insert(c *Change, s *spot) error {
	at := s.start
	switch {
	case s.start == s.end, c.Side == Before:
	case c.Side == After:
		at = s.end
	default:
		return refuse(fault.Invalid, AnchorMismatch, "an insertion goes to a point, or to one side of the anchor's words: before or after")
	}
	if err := a.claim(c, claim{column: s.column, start: at, end: at}); err != nil {
		return err
	}
	i := s.column.at(at)
	p, offset := s.column.paragraphs[i], at-s.column.starts[i]
	if len(c.Content) == 0 {
		if err := a.editor.Insert(p, offset, c.Text, c.by()); err != nil {
			return err
		}
	} else if err := a.objects(p, offset, c.Text, c.Content, false, c); err != nil {
		return err
	}
	a.target.edit(p, offset, offset, Readable(c.Text, c.Content))
	return nil
}

// objects puts text in with content that it has places for.
func (a *applier) objects(p *docx.Paragraph, at int, text string, content []*docx.Content, follows bool, c *Change) error {
	notes, err := a.editor.InsertObjects(p, at, text, content, follows, c.by())
	a.target.notes = append(a.target.notes, notes...)
	return err
}

// Readable is a text as canonical text has it: with what content is there in place of what
// stands for it.
func Readable(text string, content []*docx.Content) string {
	for _, c := range content {
		text = strings.Replace(text, docx.ObjectToCome, c.Text(), 1)
	}
	return text
}

// rewrite changes text word by word.
func (a *applier) rewrite(c *Change, s *spot) error {
	old := string(s.column.text[s.start:s.end])
	if s.How == Numbered && c.Type == Rewrite {
		return refuse(fault.Invalid, BadChange, "the number of the paragraph is made by its list; anchor the change to the words behind it")
	}
	if s.stands != nil { // what the caller saw; where the document differs from that it stays as it is
		old = c.Anchor.Text
	}
	var hunks []Hunk
	found := Diff(old, c.Text, s.column.fields(s.from, s.to)...)
	if s.stands == nil {
		found = grouped(old, c.Text, found, func(start, end int) bool { return s.column.uniform(s.start+start, s.start+end) })
	}
	for _, h := range found {
		if strings.ContainsAny(h.Text, kept) {
			return refuse(fault.Invalid, BadChange, "the text has U+FFFC or a page break where the old text has none, and they cannot be written")
		}
		if s.renumbers(h) {
			return refuse(fault.Invalid, BadChange, "a number of a paragraph is made by its list and cannot be written; leave it as it is, or out")
		}
		if h = s.placed(h); h.Start < h.End || h.Text != "" {
			hunks = append(hunks, h)
		}
	}
	if len(hunks) == 0 {
		return refuse(fault.Invalid, NoChange, "the new text is the old one")
	}
	return a.replace(c, s, hunks)
}

// fields are the texts of what can only be replaced as a whole.
func (c *column) fields(from, to int) []string {
	var texts []string
	for _, p := range c.paragraphs[from : to+1] {
		number := 0
		for piece := range p.Pieces() {
			if piece.Field == 0 || !piece.Result || piece.Text == "" || piece.Start == piece.End {
				continue
			}
			if piece.Field != number {
				texts = append(texts, "")
				number = piece.Field
			}
			texts[len(texts)-1] += piece.Text
		}
	}
	return texts
}

func (a *applier) replace(c *Change, s *spot, hunks []Hunk) error {
	if err := a.claim(c, claim{column: s.column, start: s.start, end: s.end}); err != nil {
		return err
	}
	content := c.Content
	for _, h := range hunks {
		n := min(strings.Count(h.Text, docx.ObjectToCome), len(content))
		if err := a.hunk(c, s.column, h, content[:n]); err != nil {
			return err
		}
		content = content[n:]
	}
	return nil
}

// hunk deletes and inserts. The insertion is behind the deletion.
func (a *applier) hunk(c *Change, column *column, h Hunk, content []*docx.Content) error {
	var last *docx.Paragraph
	end := 0
	for i := column.at(h.Start); i < len(column.paragraphs) && column.starts[i] <= h.End; i++ {
		p, from := column.paragraphs[i], column.starts[i]
		start, stop := max(h.Start, from)-from, min(h.End-from, column.length(i))
		if start < stop {
			if err := a.editor.Delete(p, start, stop, c.by()); err != nil {
				return err
			}
			a.target.edit(p, start, stop, "")
			last, end = p, stop
		}
		if h.End > from+column.length(i) { // the end of the paragraph goes, too
			if err := a.editor.Join(p, c.by()); err != nil {
				return err
			}
			a.target.join(p)
		}
	}
	switch {
	case h.Text == "":
		return nil
	case last != nil:
		a.target.follow(last, end, Readable(h.Text, content))
		if len(content) > 0 {
			return a.objects(last, end, h.Text, content, true, c)
		}
		return a.editor.InsertAfterDeleted(last, end, h.Text, c.by())
	default:
		i := column.at(h.Start)
		p, at := column.paragraphs[i], h.Start-column.starts[i]
		a.target.edit(p, at, at, Readable(h.Text, content))
		if len(content) > 0 {
			return a.objects(p, at, h.Text, content, false, c)
		}
		return a.editor.Insert(p, at, h.Text, c.by())
	}
}

// blocks puts paragraphs and tables of content in beside a paragraph, or beside the table
// that it is in.
func (a *applier) blocks(c *Change, p *docx.Paragraph) (err error) {
	content, before := c.Content[0], c.Side == Before
	story := content.Story()
	l := lister{byParagraph: map[*docx.Paragraph][]step{}, roots: blockSet{}, story: story}
	l.column(story.Root)
	var notes []docx.GivenNote
	if c.Of == docx.OfTable {
		table := p.Closest("tbl")
		a.target.blocks = append(a.target.blocks, newBlocks{table, before, story})
		notes, err = a.editor.InsertBlocksBeside(table, before, content, c.by())
	} else {
		lines := l.out
		var last docx.Element
		for b := range docx.Blocks(story.Root) {
			last = b
		}
		if following := p.Story.Following(p); !before && !following.Exists() && !last.Is("p") && !p.Parent().Is("body") {
			lines = append(lines, "")
		}
		a.target.paragraphs(p, before, lines, story.Root.First().Is("tbl"))
		notes, err = a.editor.InsertBlocks(p, before, content, c.by())
	}
	a.target.notes = append(a.target.notes, notes...)
	return err
}

// cell puts a cell beside that of the anchor's paragraph, or deletes that.
func (a *applier) cell(c *Change, s *spot) error {
	cell := s.first().Closest("tc", "txbxContent")
	if !cell.Is("tc") {
		return refuse(fault.Invalid, AnchorMismatch, "the anchor's paragraph is in no cell of a table")
	}
	if c.Type == InsertCell {
		if err := a.claim(c, claim{row: cell.Closest("tr"), edge: beside}); err != nil {
			return err
		}
		a.target.cells = append(a.target.cells, newBlocks{cell, c.Side == Before, c.Content[0].Story()})
		notes, err := a.editor.InsertCell(cell, c.Side == Before, c.Content[0], c.by())
		a.target.notes = append(a.target.notes, notes...)
		return err
	}
	if err := a.claim(c, claim{row: cell}); err != nil {
		return err
	}
	if err := a.claimWithin(c, s.Part, cell, "tc"); err != nil {
		return err
	}
	a.target.cellGone = append(a.target.cellGone, cell)
	return a.editor.DeleteCell(cell, c.by())
}

// claimWithin claims all text in a row or cell.
func (a *applier) claimWithin(c *Change, part string, within docx.Element, kind string) error {
	for _, column := range a.part(part) {
		around := column.paragraphs[0].Closest(kind)
		for around.Exists() && around != within {
			around = around.Closest(kind)
		}
		if !around.Exists() {
			continue
		}
		if err := a.claim(c, claim{column: column, start: 0, end: len(column.text) + 1, whole: true}); err != nil {
			return err
		}
	}
	return nil
}

func (a *applier) insertParagraph(c *Change, s *spot) error {
	if c.Of == docx.OfTable && c.whole() {
		table := s.first().Closest("tbl", "txbxContent")
		if !table.Is("tbl") {
			return refuse(fault.Invalid, AnchorMismatch, "the anchor's paragraph is in no table")
		}
		if err := a.claim(c, claim{row: table, edge: beside}); err != nil {
			return err
		}
		return a.blocks(c, s.first())
	}
	i := s.to
	if c.Side == Before {
		i = s.from
	}
	p := s.column.paragraphs[i]
	behind := i
	if c.Side == Before {
		behind--
	}
	if behind >= 0 {
		if err := a.claim(c, s.column.ends(behind)); err != nil {
			return err
		}
	}
	if c.whole() {
		return a.blocks(c, p)
	}
	lines := strings.Split(c.Text, "\n")
	a.target.paragraphs(p, c.Side == Before, lines, false)
	return a.editor.InsertParagraphs(p, c.Side == Before, lines, c.Style, c.Settings, c.by())
}

func (a *applier) deleteParagraphs(c *Change, s *spot) error {
	if err := a.claim(c, claim{column: s.column, start: s.start, end: s.end, whole: true}); err != nil {
		return err
	}
	all := s.column.paragraphs[s.from : s.to+1]
	marks, err := a.editor.DeleteParagraphs(all, c.by())
	if err != nil {
		return err
	}
	a.target.deleteParagraphs(all, marks)
	if s.from > 0 { // what ends there must not run on into what goes
		ends := s.column.ends(s.from - 1)
		ends.edge = before
		if err := a.claim(c, ends); err != nil {
			return err
		}
	}
	for _, p := range marks {
		column, i := a.block(s.Part, p.Index)
		ends := column.ends(i)
		switch {
		case marks[0] == all[0]:
			ends.edge = gone
		case i < s.from-1:
			ends.edge = removed
		default:
			ends.edge = taken
		}
		if err := a.claim(c, ends); err != nil {
			return err
		}
	}
	return nil
}

func (a *applier) row(c *Change, s *spot) error {
	row := s.first().Closest("tr")
	if !row.Exists() || s.first().Closest("txbxContent").Exists() && row.Closest("txbxContent") != s.first().Closest("txbxContent") {
		return refuse(fault.Invalid, AnchorMismatch, "the anchor's paragraph is in no row of a table")
	}
	if c.Type == InsertRow {
		for around := row; around.Exists(); around = around.Closest("tr") {
			if err := a.claim(c, claim{row: around, edge: beside}); err != nil {
				return err
			}
		}
		if c.whole() {
			a.target.rows = append(a.target.rows, newRow{beside: row, before: c.Side == Before, story: c.Content[0].Story()})
			notes, err := a.editor.InsertRowOf(row, c.Side == Before, c.Content[0], c.by())
			a.target.notes = append(a.target.notes, notes...)
			return err
		}
		a.target.row(row, c.Side == Before, c.Cells)
		return a.editor.InsertRow(row, c.Side == Before, c.Cells, c.by())
	}
	if err := a.claim(c, claim{row: row}); err != nil {
		return err
	}
	if err := a.claimWithin(c, s.Part, row, "tr"); err != nil {
		return err
	}
	a.target.rowsGone = append(a.target.rowsGone, row)
	return a.editor.DeleteRow(row, c.by())
}

func (a *applier) format(c *Change, s *spot) error {
	if s.start == s.end {
		return refuse(fault.Invalid, NoChange, "the anchor covers no text")
	}
	if err := a.claim(c, claim{column: s.column, start: s.start, end: s.end}); err != nil {
		return err
	}
	settings := c.Format.Settings()
	settings.Set, settings.Unset = append(settings.Set, c.Settings.Set...), c.Settings.Unset
	for i := s.from; i <= s.to; i++ {
		from := s.column.starts[i]
		start, end := max(s.start, from)-from, min(s.end-from, s.column.length(i))
		if start >= end {
			continue
		}
		if err := a.editor.Format(s.column.paragraphs[i], start, end, settings, c.by()); err != nil {
			return err
		}
	}
	return nil
}

// set changes the properties of what is around the anchor's paragraph.
func (a *applier) set(c *Change, s *spot) error {
	p := s.first()
	on := p.Element
	switch c.Of { // the others are of the paragraph
	case docx.OfTable, docx.OfGrid:
		on = p.Closest("tbl")
	case docx.OfRow:
		on = p.Closest("tr")
	case docx.OfCell:
		on = p.Closest("tc")
	case docx.OfSection:
		on = sectionOf(a.doc, p)
	}
	if !on.Exists() || on != p.Element && p.Closest("txbxContent").Exists() {
		return refuse(fault.Invalid, AnchorMismatch, "the anchor's paragraph is in no "+string(c.Of))
	}
	if err := a.claim(c, claim{row: on, of: c.Of, edge: restyled}); err != nil {
		return err
	}
	for around := on.Closest("tr"); around.Exists(); around = around.Closest("tr") {
		if err := a.claim(c, claim{row: around, edge: inside}); err != nil {
			return err
		}
	}
	a.target.set(on)
	if on == p.Element {
		return a.editor.SetParagraph(c.Of, p, c.Settings, c.by())
	}
	return a.editor.Set(c.Of, on, c.Settings, c.by())
}

func (a *applier) comment(c *Change, s *spot, text string) error {
	start, end, from, to := s.start, s.end, s.from, s.to
	if c.Type == Insert && c.Side == After && start != end {
		start, from = end, to
	} else if c.Type == Insert {
		end, to = start, from
	}
	_, err := a.editor.Comment(s.column.paragraphs[from], start-s.column.starts[from], s.column.paragraphs[to], end-s.column.starts[to], text, c.by())
	return err
}

// A claim is a stretch of text, or a row, that a change has taken for itself.
type claim struct {
	id         string
	row        docx.Element // of a table, in place of text; with of, anything with properties
	of         docx.Holder
	column     *column
	start, end int  // half open; the end of a paragraph counts as one
	whole      bool // paragraphs: nothing can be put in at their edges either
	edge       edge
}

// An edge is what a change has to do with the end of a paragraph, or with a row.
type edge int

const (
	taken    edge = iota // it goes, or is changed
	removed              // it goes with paragraphs further on, as do all in between
	gone                 // it goes with all of its paragraph
	beside               // something is put in there
	before               // all of the next paragraph goes
	inside               // something in the row gets other properties
	restyled             // it gets other properties itself
)

func (c claim) conflicts(other claim) bool {
	switch low, high := min(c.edge, other.edge), max(c.edge, other.edge); {
	case high >= inside:
		return c.row == other.row && (c.of == other.of && low == restyled || low == taken)
	case c.row != other.row, c.column != other.column, high == beside && low >= gone, high == before && low != taken:
		return false
	case c.row.Exists():
		return true
	case c.start == c.end && other.whole, other.start == other.end && c.whole:
		return c.start <= other.end && other.start <= c.end
	default:
		return c.start < other.end && other.start < c.end
	}
}

// ends is the claim on the end of a paragraph.
func (c *column) ends(i int) claim {
	at := c.starts[i] + c.length(i)
	return claim{column: c, start: at, end: at + 1, edge: beside}
}

// A place is a paragraph or a row that claims lie in.
type place struct {
	column    *column
	paragraph int
	row       docx.Element
}

// places are where c lies: claims that conflict have one in common.
func (c claim) places() iter.Seq[place] {
	return func(yield func(place) bool) {
		if c.row.Exists() {
			yield(place{row: c.row})
			return
		}
		for i := c.column.at(c.start); i < len(c.column.starts) && c.column.starts[i] <= c.end; i++ {
			if !yield(place{column: c.column, paragraph: i}) {
				return
			}
		}
	}
}

// claim takes a stretch for a change, unless another one has it.
func (a *applier) claim(c *Change, wanted claim) error {
	known := false // many may insert at one place, and one claim is enough for all
	for at := range wanted.places() {
		for _, i := range a.lie[at] {
			other := a.claims[i]
			if other.id != c.ID && wanted.conflicts(other) {
				return &Error{
					Kind: fault.Conflict, Code: Conflict, With: other.id,
					Message: fmt.Sprintf("the change is about text that change %s is about, too", other.id),
				}
			}
			other.id = ""
			known = known || wanted.edge == beside && other == wanted
		}
	}
	if known {
		return nil
	}
	wanted.id = c.ID
	for at := range wanted.places() {
		a.lie[at] = append(a.lie[at], len(a.claims))
	}
	a.claims = append(a.claims, wanted)
	return nil
}

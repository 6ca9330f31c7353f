package sfdt

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/clausemill/clausemill/docx"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/redline"
)

// Compare returns what users did to a document in the editor, as changes of the
// document: insertions and deletions with tracking on, each by its author and date;
// those without tracking, by author and at the time given; formatting; decisions on
// the document's tracked changes; new comments and replies. It compares the body,
// headers, footers and notes. What is ambiguous, or cannot be expressed by changes, is
// listed in unclear, in sentences that a user can act on. It is Conflict if the editor
// had opened another document: an earlier version, or this one with proposed changes
// shown or applied.
func Compare(src *docx.Document, saved *Saved, author redline.Author, now time.Time) (changes []redline.Change, unclear []string, err error) {
	made, err := Convert(src)
	if err != nil {
		return nil, nil, err
	}
	var long bytes.Buffer
	made.images = nil
	if err := made.Encode(&long); err != nil {
		return nil, nil, err
	}
	base, err := Read(long.Bytes())
	if err != nil {
		return nil, nil, err
	}
	c := &comparison{made: made, base: base, saved: saved, author: author, now: now, decided: map[string]redline.Type{}}
	old := map[string]string{}
	for _, comment := range src.Comments() {
		old[commentID(comment.ID)] = comment.ID
	}
	if saved.Origin != "" && saved.Origin != base.Origin || c.foreign(old) {
		return nil, nil, &fault.Error{
			Kind: fault.Conflict, Code: redline.StaleDocument,
			Message: "what the editor saved is no edit of the document as it stands: it was opened in another version, or with the open changes in it, tracked or carried out; open the view original of this one, and make the edits there",
		}
	}
	c.text(sourcesOf(made.body()), base.Text, saved.Text)
	c.headers()
	c.decisions()
	c.comments(old)
	return c.changes, c.unclear, nil
}

// sourcesOf are the paragraphs that lines come from, nil for those that were
// added for the editor.
func sourcesOf(blocks []Block) []*docx.Paragraph {
	var all []*docx.Paragraph
	for b := range paragraphs(blocks) {
		all = append(all, b.source)
	}
	return all
}

// A comparison puts a document beside what was saved of it.
type comparison struct {
	made        *Document
	base, saved *Saved
	author      redline.Author
	now         time.Time

	columns []*column
	changes []redline.Change
	unclear []string
	decided map[string]redline.Type // by the id of the tracked change
}

// A column aligns the paragraphs of a flow of text with those that were saved.
type column struct {
	*comparison
	lines     []baseLine
	groups    []lineGroup
	unchanged [][2]int // lines with their groups
}

// text compares a flow of text.
func (c *comparison) text(sources []*docx.Paragraph, base, saved []Line) {
	t := &column{comparison: c}
	for i, source := range sources {
		t.lines = append(t.lines, newBaseLine(c.base, base[i], source))
	}
	t.groups = c.group(saved)
	c.columns = append(c.columns, t)
	t.compare()
}

// headers compares the headers and footers. One that several sections show is
// one text.
func (c *comparison) headers() {
	if len(c.made.Sections) != c.saved.Sections {
		c.unclear = append(c.unclear, "Sections were added or removed, which cannot be said by changes; headers and footers were not looked at.")
		return
	}
	shown := map[*docx.Story]string{}
	for i, section := range c.made.Sections {
		for kind, body := range section.HeadersFooters.all() {
			at := Place{i, kind}
			base, saved := c.base.Headers[at], c.saved.Headers[at]
			text := joined(saved)
			if body == nil || saved == nil {
				if text = strings.TrimSpace(joined(base) + text); text != "" {
					c.unclear = append(c.unclear, fmt.Sprintf("A header or footer with the text %q was added or removed; do so in a word processor.", brief(text)))
				}
				continue
			}
			if before, twice := shown[body.story]; twice {
				if before != text {
					c.unclear = append(c.unclear, fmt.Sprintf("The header or footer with the text %q is one in several sections and was edited in one of them; the first one counts.", brief(joined(base))))
				}
				continue
			}
			shown[body.story] = text
			c.text(sourcesOf(body.Blocks), base, saved)
		}
	}
}

// joined is the text of paragraphs, without page numbers.
func joined(lines []Line) string {
	var b strings.Builder
	for _, line := range lines {
		b.WriteString((Line{Runes: steady(line.Runes)}).String() + "\n")
	}
	return b.String()
}

// A baseLine is a paragraph as the editor got it.
type baseLine struct {
	source  *docx.Paragraph
	setting Setting
	breaks  int    // pages and columns that end in it
	runes   []Rune // those that are compared
	offsets []int  // the position of each in the canonical text; nil if unknown
	text    string
}

func newBaseLine(base *Saved, line Line, source *docx.Paragraph) baseLine {
	b := baseLine{source: source, setting: line.Setting, breaks: line.breaks(), runes: steady(line.Runes)}
	b.text = (Line{Runes: b.runes}).String()
	if source == nil {
		return b
	}
	canonical, at := []rune(source.Text()), 0
	number := -1 // where the page number begins that is gone over
	offsets := make([]int, 0, len(b.runes)+1)
	for _, r := range line.Runes {
		switch {
		case r.Char == '\f':
			continue
		case r.Counted && r.Char == object:
			if number < 0 {
				number = at
			}
			offsets = append(offsets, number)
			number = -1
			continue
		case r.Counted && base.gone(r):
			continue
		case base.gone(r):
			offsets = append(offsets, at)
			continue
		}
		// Drawings that the editor does not show, and breaks, are passed over.
		for at < len(canonical) && canonical[at] != r.Char && (canonical[at] == object || canonical[at] == '\f') {
			at++
		}
		if at == len(canonical) || canonical[at] != r.Char {
			return b
		}
		if !r.Counted {
			offsets = append(offsets, at)
		} else if number < 0 {
			number = at
		}
		at++
	}
	offsets = append(offsets, len(canonical))
	b.offsets = offsets
	return b
}

// steady are the characters that stay as they are while nobody edits them: the
// editor drops page breaks in tables, and counts pages anew.
func steady(runes []Rune) []Rune {
	return slices.DeleteFunc(slices.Clone(runes), func(r Rune) bool { return r.Char == '\f' || r.Counted && r.Char != object })
}

func (l Line) breaks() int {
	n := 0
	for _, r := range l.Runes {
		if r.Char == '\f' {
			n++
		}
	}
	return n
}

// object replaces what is no text.
const object = '\uFFFC'

// gone reports whether a tracked change deletes r.
func (s *Saved) gone(r Rune) bool { return s.marked(r.Revisions, "Deletion", "MoveFrom") }

func (s *Saved) marked(ids []string, kinds ...string) bool {
	return slices.ContainsFunc(ids, func(id string) bool { return slices.Contains(kinds, s.Revisions[id].Type) })
}

// A lineGroup is a paragraph of the document as it was saved: several lines
// where its users have split it with tracking on.
type lineGroup struct {
	lines  []Line
	breaks int
	kept   []Rune // what was not typed since
	text   string // of kept
}

// known is the id of the change in the document that a revision is a part of,
// "" for one that was made in the editor.
func (c *comparison) known(id string) string {
	for _, name := range []string{c.saved.Revisions[id].CustomData, id} {
		if _, ok := c.base.Revisions[name]; ok {
			return name
		}
	}
	return ""
}

// foreign reports whether a tracked change or a comment was in the document that the
// editor opened, but is not in this one, whose own comments are old. Other contents of
// that document could then not be distinguished from edits.
func (c *comparison) foreign(old map[string]string) bool {
	for id, r := range c.saved.Revisions {
		if docx.IsRevisionID(r.CustomData) && c.known(id) == "" {
			return true
		}
	}
	return slices.ContainsFunc(c.saved.Comments, func(comment Comment) bool {
		_, known := old[comment.ID]
		return !known && strings.HasPrefix(comment.ID, commentID(""))
	})
}

// fresh is the first revision among ids that was made in the editor and is of
// one of the kinds.
func (c *comparison) fresh(ids []string, kinds ...string) (Revision, bool) {
	for _, id := range ids {
		if r, ok := c.saved.Revisions[id]; ok && slices.Contains(kinds, r.Type) && c.known(id) == "" {
			return r, true
		}
	}
	return Revision{}, false
}

func (c *comparison) typed(ids []string) (Revision, bool) { return c.fresh(ids, "Insertion", "MoveTo") }

func (c *comparison) struck(ids []string) (Revision, bool) {
	return c.fresh(ids, "Deletion", "MoveFrom")
}

// group joins the lines that were one paragraph before tracked splits.
func (c *comparison) group(lines []Line) []lineGroup {
	var groups []lineGroup
	var open lineGroup
	for i, line := range lines {
		open.breaks += line.breaks()
		line.Runes = steady(line.Runes)
		open.lines = append(open.lines, line)
		for _, r := range line.Runes {
			if _, typed := c.typed(r.Revisions); !typed {
				open.kept = append(open.kept, r)
			}
		}
		if _, split := c.typed(line.Mark); split && i+1 < len(lines) && lines[i+1].cell == line.cell {
			continue
		}
		open.text = (Line{Runes: open.kept}).String()
		groups = append(groups, open)
		open = lineGroup{}
	}
	return groups
}

// compare goes through both side by side.
func (c *column) compare() {
	a, b := make([]string, len(c.lines)), make([]string, len(c.groups))
	for i, line := range c.lines {
		a[i] = line.text
	}
	for j, group := range c.groups {
		b[j] = group.text
	}
	i, j := 0, 0
	c.unchanged = alike(a, b)
	for _, pair := range append(slices.Clip(c.unchanged), [2]int{len(a), len(b)}) {
		c.gap(i, pair[0], j, pair[1])
		if pair[0] < len(a) {
			c.same(c.lines[pair[0]], c.groups[pair[1]])
		}
		i, j = pair[0]+1, pair[1]+1
	}
}

// gap compares paragraphs between two that are as they were. As many as there
// were are the same ones; of more or fewer, those with the same begin or end.
func (c *column) gap(i, iEnd, j, jEnd int) {
	for i < iEnd || j < jEnd {
		switch {
		case i < iEnd && j < jEnd && (iEnd-i == jEnd-j || related(c.lines[i].text, c.groups[j].text)):
			c.rewritten(c.lines[i], c.groups[j])
			i++
			j++
		case iEnd-i >= jEnd-j:
			c.removed(i)
			i++
		default:
			c.added(i, j)
			j++
		}
	}
}

// related reports whether two texts share half of the longer one at their ends.
func related(x, y string) bool {
	a, b := []rune(x), []rune(y)
	if len(a) > len(b) {
		a, b = b, a
	}
	head := 0
	for head < len(a) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	return 2*(head+tail) >= len(b) && len(a) > 0
}

// rewritten compares a paragraph with what it has become without tracking, which
// may be nothing but decisions on the tracked changes in it.
func (c *column) rewritten(b baseLine, g lineGroup) {
	for _, keep := range [][2]bool{{true, false}, {false, true}, {false, false}} {
		if decided, ok := c.withDecisions(b, g, keep[0], keep[1]); ok {
			c.decide(decided)
			return
		}
	}
	if b.source == nil {
		return
	}
	if b.offsets == nil || len(c.missing(b, g)) > 0 || len(g.lines) > 1 {
		c.doubt(b, "was edited together with a formula, a tracked change or a line end in it; edit it with tracking on, or one after the other")
		return
	}
	var was, is strings.Builder
	var offsets []int // of what was
	for i, r := range b.runes {
		if !c.base.gone(r) {
			was.WriteRune(r.Char)
			offsets = append(offsets, b.offsets[i])
		}
	}
	for _, r := range g.lines[0].Runes {
		if _, struck := c.struck(r.Revisions); !struck && !c.saved.gone(r) {
			is.WriteRune(r.Char)
		}
	}
	switch {
	case was.String() == is.String():
		return
	case was.String() == b.source.Text() && !strings.ContainsRune(is.String(), object):
		c.change(redline.Change{Type: redline.Rewrite, Anchor: b.whole(), Text: is.String()}, Revision{})
	default:
		c.pieces(b, append(offsets, b.offsets[len(b.runes)]), was.String(), is.String())
	}
	c.newLooks(b, g)
}

// pieces changes only the words of a paragraph that differ: the editor does not
// show all that is in it.
func (c *column) pieces(b baseLine, offsets []int, was, is string) {
	for _, h := range redline.Diff(was, is) {
		change := redline.Change{Type: redline.Replace, Text: h.Text}
		switch {
		case strings.ContainsRune(h.Text, object):
			c.doubt(b, "got a picture, a note or a shape; put it in with a word processor")
			continue
		case h.Start == h.End:
			change.Type, change.Anchor = redline.Insert, b.anchor(offsets[h.Start], offsets[h.Start])
		default:
			if h.Text == "" {
				change.Type = redline.Delete
			}
			change.Anchor = b.anchor(offsets[h.Start], offsets[h.End-1]+1)
		}
		c.change(change, Revision{})
	}
}

// missing are the tracked changes of a paragraph that are in none of its lines.
func (c *comparison) missing(b baseLine, g lineGroup) []string {
	seen := map[string]bool{}
	for _, r := range g.kept {
		for _, own := range r.Revisions {
			seen[c.known(own)] = true
		}
	}
	var all []string
	for _, r := range b.runes {
		for _, id := range r.Revisions {
			if !seen[id] {
				seen[id] = true
				all = append(all, id)
			}
		}
	}
	return all
}

// withDecisions tries whether a paragraph has become what it is by decisions on
// the tracked changes that are missing: the text of insertions, and that of
// deletions, was kept or not.
func (c *comparison) withDecisions(b baseLine, g lineGroup, insertions, deletions bool) (map[string]redline.Type, bool) {
	missing := c.missing(b, g)
	if len(missing) == 0 {
		return nil, false
	}
	decided, out := map[string]redline.Type{}, map[string]bool{}
	for _, id := range missing {
		kept, isInsertion := deletions, c.base.marked([]string{id}, "Insertion", "MoveTo")
		if isInsertion {
			kept = insertions
		}
		out[id], decided[id] = !kept, redline.Reject
		if kept == isInsertion {
			decided[id] = redline.Accept
		}
	}
	var text strings.Builder
	for _, r := range b.runes {
		if !slices.ContainsFunc(r.Revisions, func(id string) bool { return out[id] }) {
			text.WriteRune(r.Char)
		}
	}
	return decided, text.String() == g.text
}

func (c *comparison) decide(decided map[string]redline.Type) {
	for id, decision := range decided {
		if before, twice := c.decided[id]; twice && before != decision {
			c.unclear = append(c.unclear, "A tracked change was accepted in part and rejected in part; decide it as a whole.")
			decision = ""
		}
		c.decided[id] = decision
	}
}

// decisions writes what was decided, in the order of the document.
func (c *comparison) decisions() {
	done := map[string]bool{}
	for _, column := range c.columns {
		for _, line := range column.lines {
			for _, r := range line.runes {
				for _, id := range r.Revisions {
					if decision := c.decided[id]; decision != "" && !done[id] {
						done[id] = true
						c.change(redline.Change{Type: decision, Target: id}, Revision{})
					}
				}
			}
		}
	}
}

// same compares a paragraph with itself: its words are there, and what was done
// to them was tracked.
func (c *column) same(b baseLine, g lineGroup) {
	decided := map[string]redline.Type{}
	for i, r := range b.runes {
		for _, id := range r.Revisions {
			there := slices.ContainsFunc(g.kept[i].Revisions, func(own string) bool { return c.known(own) == id })
			if there {
				continue
			}
			decided[id] = redline.Reject // the text stayed: a deletion was not to be
			if c.base.marked([]string{id}, "Insertion", "MoveTo") {
				decided[id] = redline.Accept
			}
		}
	}
	c.decide(decided)
	c.tracked(b, g)
	c.looks(b, g)
	c.insides(b, g)
}

// tracked reads what was typed and struck in a paragraph.
func (c *column) tracked(b baseLine, g lineGroup) {
	t := tracker{column: c, line: b}
	touched, objects := false, false
	at := 0
	for i, line := range g.lines {
		for _, r := range line.Runes {
			if by, typed := c.typed(r.Revisions); typed {
				touched = true
				switch _, struck := c.struck(r.Revisions); {
				case struck:
				case r.Char == object:
					objects = true
				default:
					t.insert(at, r.Char, by)
				}
				continue
			}
			if by, struck := c.struck(r.Revisions); struck && !c.base.gone(b.runes[at]) {
				touched = true
				t.strike(at, by)
			} else {
				t.flush()
			}
			at++
		}
		if by, typed := c.typed(line.Mark); typed && i+1 < len(g.lines) {
			touched = true
			t.insert(at, '\n', by)
		}
	}
	last := g.lines[len(g.lines)-1]
	if by, struck := c.struck(last.Mark); struck {
		touched = true
		t.strike(at, by)
	}
	if touched && (b.source == nil || b.offsets == nil) {
		c.doubt(b, "was edited, and has a formula or something else that the editor does not show as it is; edit it in a word processor")
		return
	}
	if objects {
		c.doubt(b, "got a picture, a note or a shape; put it in with a word processor")
	}
	if g.breaks > b.breaks {
		c.doubt(b, "got a page break; put it in with a word processor")
	}
	if touched {
		t.finish()
	}
}

// A tracker joins what was typed or struck in one go. Positions are those of the
// line as the editor got it.
type tracker struct {
	*column
	line    baseLine
	changes []redline.Change

	start, end int // struck
	text       []rune
	by         Revision
	open       bool
}

func (t *tracker) insert(at int, r rune, by Revision) {
	if t.open && (t.text == nil || t.by.Author != by.Author || t.start != at) {
		t.flush()
	}
	if !t.open {
		t.open, t.start, t.end, t.by = true, at, at, by
	}
	t.text = append(t.text, r)
}

func (t *tracker) strike(at int, by Revision) {
	if t.open && (t.text != nil || t.by.Author != by.Author || t.end != at) {
		t.flush()
	}
	if !t.open {
		t.open, t.start, t.by = true, at, by
	}
	t.end = at + 1
}

func (t *tracker) flush() {
	if !t.open {
		return
	}
	if t.line.offsets != nil {
		t.close()
	}
	t.open, t.text = false, nil
}

// close makes a change of what is open.
func (t *tracker) close() {
	offsets, length := t.line.offsets, len(t.line.runes)
	start := offsets[t.start]
	if t.text == nil {
		end := offsets[length] + 1 // the mark
		if t.end <= length {
			end = offsets[t.end-1] + 1
		}
		c := redline.Change{Type: redline.Delete, Anchor: t.line.anchor(start, end)}
		if start == 0 && t.end > length {
			c = redline.Change{Type: redline.DeleteParagraph, Anchor: t.line.whole()}
		}
		t.changes = append(t.changes, t.signed(c, t.by))
		return
	}
	text := string(t.text)
	c := redline.Change{Type: redline.Insert, Anchor: t.line.anchor(start, start), Text: text}
	switch {
	case start == 0 && strings.HasSuffix(text, "\n"):
		c = redline.Change{Type: redline.InsertParagraph, Anchor: t.line.whole(), Side: redline.Before, Text: strings.TrimSuffix(text, "\n")}
	case t.start == length && strings.HasPrefix(text, "\n"):
		c = redline.Change{Type: redline.InsertParagraph, Anchor: t.line.whole(), Side: redline.After, Text: text[1:]}
	}
	t.changes = append(t.changes, t.signed(c, t.by))
}

func (t *tracker) finish() {
	t.flush()
	t.comparison.changes = append(t.comparison.changes, t.changes...)
}

// anchor is a place in the paragraph, whole the paragraph itself.
func (b baseLine) anchor(start, end int) redline.Anchor {
	a := b.whole()
	a.Start, a.End = &start, &end
	return a
}

func (b baseLine) whole() redline.Anchor {
	return redline.Anchor{Part: b.source.Story.Key, Block: &b.source.Index, ParaID: b.source.ID()}
}

// change adds a change by its reviser, or by the one who sends the document.
func (c *comparison) change(change redline.Change, by Revision) {
	c.changes = append(c.changes, c.signed(change, by))
}

func (c *comparison) signed(change redline.Change, by Revision) redline.Change {
	change.Author, change.Date = c.author, c.now
	if by.Author != "" {
		change.Author = redline.Author{Name: by.Author, Initials: initials(by.Author)}
	}
	if at := by.Time(); !at.IsZero() {
		change.Date = at
	}
	return change
}

func (c *comparison) doubt(b baseLine, what string) {
	c.unclear = append(c.unclear, fmt.Sprintf("The paragraph %q %s.", brief(b.text), what))
}

// brief is enough of a text to find it by.
func brief(text string) string {
	runes := []rune(strings.TrimSpace(text))
	if len(runes) > 60 {
		runes = append(runes[:60:60], '…')
	}
	return string(runes)
}

// removed is a paragraph that is no longer there.
func (c *column) removed(i int) {
	switch b := c.lines[i]; {
	case b.source == nil:
	case b.source.Closest("tc").Exists():
		c.doubt(b, "was removed from a table; remove rows by a change of the type deleteRow")
	default:
		c.change(redline.Change{Type: redline.DeleteParagraph, Anchor: b.whole()}, Revision{})
	}
}

// added is a paragraph that was not there, before the line i of the document.
func (c *column) added(i, j int) {
	g := c.groups[j]
	by, _ := c.typed(g.lines[0].Mark)
	change := redline.Change{Type: redline.InsertParagraph, Text: strings.ReplaceAll(g.text, string(object), "")}
	if change.Text != g.text {
		c.doubt(baseLine{text: change.Text}, "came with a picture, a note or a shape; put it in with a word processor")
	}
	switch {
	case g.lines[0].cell != 0:
		c.doubt(baseLine{text: g.text}, "was added to a table; add rows by a change of the type insertRow")
		return
	case i < len(c.lines) && c.lines[i].outside():
		change.Anchor, change.Side = c.lines[i].whole(), redline.Before
	case i > 0 && c.lines[i-1].outside():
		change.Anchor, change.Side = c.lines[i-1].whole(), redline.After
	default:
		c.doubt(baseLine{text: g.text}, "was added between tables; add it in a word processor")
		return
	}
	c.change(change, by)
}

// outside reports whether paragraphs can be added beside the line.
func (b baseLine) outside() bool { return b.source != nil && !b.source.Closest("tc").Exists() }

// comments writes the comments and answers that are new; old are the ids of the
// others, by those that they have in the editor. A comment over several paragraphs is
// anchored to the first one.
func (c *comparison) comments(old map[string]string) {
	places := map[string]redline.Anchor{}
	for _, column := range c.columns {
		column.places(places)
	}
	for _, comment := range c.saved.Comments {
		by := Revision{Author: comment.Author, Date: comment.Date}
		if target, known := old[comment.ID]; known {
			for _, reply := range comment.Replies {
				if _, known := old[reply.ID]; !known {
					c.change(redline.Change{Type: redline.Reply, Target: redline.CommentPrefix + target, Text: remark(reply)}, Revision{Author: reply.Author, Date: reply.Date})
				}
			}
			continue
		}
		anchor, found := places[comment.ID]
		if !found {
			c.unclear = append(c.unclear, fmt.Sprintf("The comment %q stands where the document has no text of its own.", remark(comment)))
			continue
		}
		c.change(redline.Change{Type: redline.CommentOn, Anchor: anchor, Text: remark(comment)}, by)
	}
}

// remark is the text of a comment.
func remark(c Comment) string {
	lines := make([]string, len(c.Blocks))
	for i, b := range c.Blocks {
		for _, inline := range *b.Inlines {
			lines[i] += *inline.Text
		}
	}
	return strings.Join(lines, "\n")
}

// places are the places of comments in unchanged paragraphs.
func (c *column) places(found map[string]redline.Anchor) {
	for _, pair := range c.unchanged {
		b, at := c.lines[pair[0]], 0
		begun := map[string]int{}
		for _, r := range c.groups[pair[1]].kept {
			if r.Remarks == nil {
				at++
				continue
			}
			for _, id := range r.Remarks.Begin {
				begun[id] = at
			}
			if at < len(b.offsets)-1 {
				for _, id := range r.Remarks.End {
					if start, ok := begun[id]; ok {
						found[id] = b.anchor(b.offsets[start], b.offsets[at]+1)
					}
				}
			}
			at++
		}
		for id, start := range begun {
			if _, ended := found[id]; !ended && b.offsets != nil {
				found[id] = b.anchor(b.offsets[start], b.offsets[len(b.offsets)-1])
			}
		}
	}
}

// mostAligned bounds the table that paragraphs are aligned by; beyond it those
// between the equal ends of both documents are compared one by one.
const mostAligned = 4 << 20

// alike pairs the equal texts of two lists, as many as can be in order.
func alike(a, b []string) [][2]int {
	var pairs [][2]int
	head := 0
	for head < min(len(a), len(b)) && a[head] == b[head] {
		pairs = append(pairs, [2]int{head, head})
		head++
	}
	tail := 0
	for tail < min(len(a), len(b))-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	x, y := a[head:len(a)-tail], b[head:len(b)-tail]
	if len(x)*len(y) <= mostAligned {
		width := len(y) + 1
		longest := make([]int32, (len(x)+1)*width)
		for i := len(x) - 1; i >= 0; i-- {
			for j := len(y) - 1; j >= 0; j-- {
				if x[i] == y[j] {
					longest[i*width+j] = longest[(i+1)*width+j+1] + 1
				} else {
					longest[i*width+j] = max(longest[(i+1)*width+j], longest[i*width+j+1])
				}
			}
		}
		for i, j := 0, 0; i < len(x) && j < len(y); {
			switch {
			case x[i] == y[j]:
				pairs = append(pairs, [2]int{head + i, head + j})
				i++
				j++
			case longest[(i+1)*width+j] >= longest[i*width+j+1]:
				i++
			default:
				j++
			}
		}
	}
	for n := tail; n > 0; n-- {
		pairs = append(pairs, [2]int{len(a) - n, len(b) - n})
	}
	return pairs
}

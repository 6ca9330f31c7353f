package redline

import (
	"slices"
	"strings"
	"time"

	"github.com/clausemill/clausemill/docx"
	"github.com/clausemill/clausemill/fault"
)

// Carried is a change that is anchored in another version of its document.
type Carried struct {
	Change
	Resolved *Resolved // nil for changes without an anchor
}

// Carry anchors changes that were proposed for one version of a document in the next
// one. A change is carried if its words are unchanged; equal words elsewhere are
// distinguished by what happened to the text around them. If its words were moved, it
// follows them if they are in one place only. Decisions and replies are carried with
// their targets. From may be nil if that version no longer exists: then only the words
// decide.
func Carry(from, to []byte, changes []Change) (carried []Carried, lost []Failed, err error) {
	c := &carrier{flows: map[string][2]*column{}, hunks: map[string][]Hunk{}}
	if from != nil {
		old, err := docx.Open(from)
		if err != nil {
			return nil, nil, err
		}
		c.from = read(old, SHA256(from))
	}
	next, err := docx.Open(to)
	if err != nil {
		return nil, nil, err
	}
	c.to = read(next, SHA256(to))
	for _, change := range changes {
		moved, err := c.carry(change)
		if err != nil {
			lost = append(lost, Failed{change.ID, asError(err)})
			continue
		}
		carried = append(carried, moved)
	}
	return carried, lost, nil
}

// A carrier puts two versions of a document beside each other.
type carrier struct {
	from, to *reading
	flows    map[string][2]*column // of each part, all paragraphs in both versions
	hunks    map[string][]Hunk     // what makes the text of the one that of the other
}

func (c *carrier) carry(change Change) (moved Carried, err error) {
	moved.Change = change
	switch {
	case change.decides():
		moved.Target, err = c.target(change.Target, revisions)
		return moved, err
	case change.Type == Reply:
		id, err := c.target(strings.TrimPrefix(change.Target, CommentPrefix), comments)
		moved.Target = CommentPrefix + id
		return moved, err
	case !change.marks():
		return moved, nil
	}
	found, anchor, err := c.find(change.Anchor, change.onParagraphs())
	if err != nil {
		return moved, err
	}
	moved.Anchor, moved.Resolved = anchor, &found.Resolved
	return moved, nil
}

// find is where the words of an anchor are now, and an anchor on that.
func (c *carrier) find(was Anchor, whole bool) (*spot, Anchor, error) {
	if c.from == nil {
		return c.moved(Anchor{Part: was.Part, Text: was.Text, Before: was.Before, After: was.After}, whole, false)
	}
	old, err := c.from.locate(was, whole)
	if err != nil {
		return nil, was, err
	}
	now := c.counterpart(old)
	if now != nil && (whole && !now.fills() || !sameParagraphs(old, now)) {
		now = nil
	}
	switch {
	case now == nil: // they are elsewhere only if what was around them is there, too
		text := old.column.text
		begin, end := old.column.starts[old.from], old.column.starts[old.to]+old.column.length(old.to)
		a := Anchor{
			Part: was.Part, Text: string(text[old.start:old.end]),
			Before: string(text[max(begin, old.start-around):old.start]), After: string(text[old.end:min(end, old.end+around)]),
		}
		if old.stands != nil {
			a.Text = was.Text
		}
		return c.moved(a, whole, old.stands == nil)
	case old.stands != nil: // the words have numbers, say, that the new ones have as well
		return c.unmoved(Anchor{Part: was.Part, Text: was.Text}, now, whole)
	default:
		return now, c.anchor(now, whole), nil
	}
}

// moved is the new place of words that are not where they were; exactly those, if they
// are the document's own.
func (c *carrier) moved(a Anchor, whole, own bool) (*spot, Anchor, error) {
	if a.Text == "" {
		return nil, a, refuse(fault.Conflict, StaleDocument, "the anchor is a place between words in another version of the file, and what stood around it is not the same any more")
	}
	found, err := c.to.locate(a, whole)
	switch {
	case err != nil:
		return nil, a, err
	case own && string(found.column.text[found.start:found.end]) != a.Text:
		return nil, a, c.to.missing(a)
	case found.stands != nil:
		return found, a, nil
	}
	return found, c.anchor(found, whole), nil
}

// unmoved is an anchor that means a place by words which are not quite those of
// the document.
func (c *carrier) unmoved(a Anchor, place *spot, whole bool) (*spot, Anchor, error) {
	for {
		found, err := c.to.locate(a, whole)
		switch {
		case err == nil && found.column == place.column && found.start == place.start && found.end == place.end:
			return found, a, nil
		case err != nil && (asError(err).Code != AnchorAmbiguous || a.Occurrence > 0):
			return nil, a, err
		case err == nil && a.Occurrence == 0:
			return nil, a, refuse(fault.Invalid, AnchorNotFound, "the words of the anchor do not stand any more where they stood")
		}
		a.Occurrence++
	}
}

// counterpart is what a place became, nil where its words are others now.
func (c *carrier) counterpart(was *spot) *spot {
	flows, known := c.flows[was.Part]
	if !known {
		for i, doc := range []*docx.Document{c.from.doc, c.to.doc} {
			if story := doc.Story(was.Part); story != nil {
				flows[i] = newColumn(story, story.Paragraphs())
			}
		}
		c.flows[was.Part] = flows
		if flows[0] != nil && flows[1] != nil {
			c.hunks[was.Part] = Diff(string(flows[0].text), string(flows[1].text))
		}
	}
	old, next := flows[0], flows[1]
	if old == nil || next == nil {
		return nil
	}
	place := func(paragraph, offset int) int {
		i, _ := slices.BinarySearchFunc(old.paragraphs, paragraph, func(p *docx.Paragraph, at int) int { return p.Index - at })
		return old.starts[i] + offset
	}
	start, end := place(was.Block, was.Start), place(was.EndBlock, was.End)
	shift := 0
	for _, h := range c.hunks[was.Part] {
		if h.Start >= end && h.End > start {
			break
		}
		if h.End > start { // it touches the words
			return nil
		}
		shift += len([]rune(h.Text)) - (h.End - h.Start)
	}
	from, to := next.at(start+shift), next.at(end+shift)
	column, i := c.to.block(was.Part, next.paragraphs[from].Index)
	other, j := c.to.block(was.Part, next.paragraphs[to].Index)
	if column == nil || column != other {
		return nil
	}
	now := c.to.spot(column, column.starts[i]+start+shift-next.starts[from], column.starts[j]+end+shift-next.starts[to], Exact)
	if !slices.Equal(was.column.text[was.start:was.end], column.text[now.start:now.end]) {
		return nil
	}
	return now
}

// fills reports whether s covers all of its paragraphs.
func (s *spot) fills() bool {
	return s.start == s.column.starts[s.from] && s.end == s.column.starts[s.to]+s.column.length(s.to)
}

// sameParagraphs reports whether one place is in the paragraphs of the other as
// they were edited, and not merely in others that have some words in common.
func sameParagraphs(old, now *spot) bool {
	var blocks [2]block
	for i, s := range []*spot{old, now} {
		blocks[i] = block{
			paragraphs: s.column.paragraphs[s.from : s.to+1],
			text:       string(s.column.text[s.column.starts[s.from] : s.column.starts[s.to]+s.column.length(s.to)]),
		}
		blocks[i].count()
	}
	return likeness(&blocks[0], &blocks[1]) >= alike
}

// anchor is on a place, by position and words.
func (c *carrier) anchor(s *spot, whole bool) Anchor {
	block, start, end := s.Block, s.Start, s.Start+s.end-s.start
	a := Anchor{Part: s.Part, ParaID: s.first().ID(), Block: &block, DocSHA256: c.to.sha256}
	if !whole {
		a.Start, a.End = &start, &end
		a.Text = string(s.column.text[s.start:s.end])
		return a
	}
	if s.EndBlock != s.Block {
		last := s.EndBlock
		a.EndBlock = &last
	}
	a.Text = s.first().Text()
	return a
}

// A mark is what changes are about beside words: a tracked change or a comment.
type mark struct {
	id                      string
	kind, on, author, words string
	date                    time.Time
}

func (m mark) anonymous() mark {
	m.id = ""
	return m
}

func revisions(d *docx.Document) (all []mark) {
	for r := range d.Marks() {
		all = append(all, mark{r.ID, r.Kind, r.On, r.Author, r.Text, r.Date})
	}
	return all
}

func comments(d *docx.Document) (all []mark) {
	for _, m := range d.Comments() {
		all = append(all, mark{m.ID, "comment", "", m.Author, m.Text, m.Date})
	}
	return all
}

// target is what a mark of the version before is called in the next one: the one
// of the same kind, words, author and date; of several alike the one at the same
// place among them, where all of them are there still.
func (c *carrier) target(id string, marks func(*docx.Document) []mark) (string, error) {
	gone := refuse(fault.NotFound, UnknownTarget, "what the change is about does not stand in this version")
	if c.from == nil {
		return "", gone
	}
	old := marks(c.from.doc)
	if docx.IsRevisionID(id) && !slices.ContainsFunc(old, func(m mark) bool { return m.id == id }) {
		id = c.from.doc.RevisionNow(id)
	}
	i := slices.IndexFunc(old, func(m mark) bool { return m.id == id })
	if i < 0 {
		return "", gone
	}
	alike := func(all []mark) (ids []string) {
		for _, m := range all {
			if m.anonymous() == old[i].anonymous() {
				ids = append(ids, m.id)
			}
		}
		return ids
	}
	before, now := alike(old), alike(marks(c.to.doc))
	switch {
	case len(now) == 0:
		return "", gone
	case len(now) != len(before) && len(now) > 1:
		return "", refuse(fault.Conflict, AnchorAmbiguous, "what the change is about stands at several places, and it does not show at which it is the same")
	case len(now) != len(before):
		return "", gone
	}
	return now[slices.Index(before, id)], nil
}

package redline

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/clausemill/clausemill/docx"
)

// A Review is what the next version of a document, which somebody else made, does to the
// one before and to the changes that are proposed for that.
type Review struct {
	Tracked   []Mark       // tracked changes and comments that the version before does not have
	Untracked []Difference // what else differs
	Left      []string     // and what of that changes cannot express
	Carried   []Carried    // proposed changes at their places in the next version
	Conflicts []Contention
	Warnings  []string // untracked, hidden_text
}

// Untracked warns of differences that no tracked change shows.
const Untracked = "untracked"

// A Difference is a change that nobody marked. Its anchor is in the version before.
type Difference struct {
	ID string // the same for the same difference, in whatever versions
	Change
	Resolved *Resolved
	Was      string // the text that it changes
}

// A Contention is a proposed change whose text the next version changed as well.
type Contention struct {
	Change
	Base, Ours, Theirs string    // the paragraphs before, as proposed, and in the next version
	Place              *Resolved // of the paragraphs in the next version, nil if they are gone
	Authors            []string  // of the tracked changes in it; none where it was changed without
	Reason             string    // why the proposed change cannot be carried along
	Keep               *Change   // what has Ours in the next version; nil where nothing can
}

// NewReview puts two versions of a document and the changes proposed for the first side
// by side.
func NewReview(from, to []byte, ours []Change) (*Review, error) {
	old, err := docx.Open(from)
	if err != nil {
		return nil, err
	}
	next, err := docx.Open(to)
	if err != nil {
		return nil, err
	}
	known := map[mark]int{}
	for _, m := range slices.Concat(revisions(old), comments(old)) {
		known[m.anonymous()]++
	}
	r := &Review{}
	added := map[string]bool{}
	for _, m := range slices.Concat(revisions(next), comments(next)) {
		if known[m.anonymous()]--; known[m.anonymous()] < 0 {
			added[m.id] = true
		}
	}
	for _, m := range Standing(next, nil) {
		if added[strings.TrimPrefix(m.ID, CommentPrefix)] {
			r.Tracked = append(r.Tracked, m)
		}
	}
	plain, err := next.Resolve(func(m docx.Revision) docx.Decision {
		if added[m.ID] {
			return docx.Reject
		}
		return docx.Keep
	})
	if err != nil {
		return nil, err
	}
	if err := r.untracked(old, from, plain); err != nil {
		return nil, err
	}
	found, err := Compare(from, to) // what is hidden by a tracked change is hidden as well
	if err != nil {
		return nil, err
	}
	if slices.Contains(found.Warnings, HiddenText) {
		r.Warnings = append(r.Warnings, HiddenText)
	}
	carried, lost, err := Carry(from, to, ours)
	if err != nil {
		return nil, err
	}
	r.Carried = carried
	r.contend(old, from, next, to, ours, lost, added)
	return r, nil
}

// untracked lists what differs beside the tracked changes.
func (r *Review) untracked(old *docx.Document, from, plain []byte) error {
	found, err := Compare(from, plain)
	if err != nil {
		return err
	}
	for i := range found.Changes {
		found.Changes[i].ID = strconv.Itoa(i)
	}
	places, failed := Propose(old, SHA256(from), nil, found.Changes)
	found.Drop(failed)
	r.Left = found.Left
	if len(found.Changes)+len(found.Left) > 0 {
		r.Warnings = append(r.Warnings, Untracked)
	}
	alike := map[string]int{}
	for i, c := range found.Changes {
		d := Difference{Change: c, Resolved: places[i].Resolved, Was: c.Anchor.Text}
		what := fmt.Sprintf("%s|%s|%s|%s|%v|%v", c.Type, c.Anchor.Part, c.Anchor.Text, c.Text, c.Format.Settings(), c.Settings)
		sum := sha256.Sum256(fmt.Appendf(nil, "%s|%d", what, alike[what]))
		alike[what]++
		d.ID = "dif_" + hex.EncodeToString(sum[:8])
		r.Untracked = append(r.Untracked, d)
	}
	return nil
}

// contend puts the changes that could not be carried beside what is there now.
func (r *Review) contend(old *docx.Document, from []byte, next *docx.Document, to []byte, ours []Change, lost []Failed, added map[string]bool) {
	if len(lost) == 0 {
		return
	}
	why := map[string]*Error{}
	for _, f := range lost {
		why[f.ID] = f.Err
	}
	marks := map[*docx.Paragraph][]string{}
	for m := range next.Marks() {
		if story := next.Story(m.Story); added[m.ID] && story != nil {
			if p := story.ParagraphOf(m.Element.Closest("p")); p != nil && !slices.Contains(marks[p], m.Author) {
				marks[p] = append(marks[p], m.Author)
			}
		}
	}
	sum := SHA256(to)
	for _, c := range ours {
		failed := why[c.ID]
		if failed == nil {
			continue
		}
		k := Contention{Change: c, Reason: failed.Message}
		a := newApplier(old, SHA256(from))
		if s, err := a.locate(c.Anchor, c.onParagraphs()); err == nil && c.marks() && c.Type != Reply {
			k.Base = paragraphsText(s.column.paragraphs[s.from : s.to+1])
			k.Ours = k.Base
			if a.apply(&c); len(a.failed) == 0 {
				k.Ours = a.proposed(s)
			}
			now := counterpart(next, sum, s, k.Base)
			if now != nil {
				k.Theirs, k.Place = string(now.column.text[now.start:now.end]), &now.Resolved
				for _, p := range now.column.paragraphs[now.from : now.to+1] {
					for _, author := range marks[p] {
						if !slices.Contains(k.Authors, author) {
							k.Authors = append(k.Authors, author)
						}
					}
				}
			}
			if keep := k.keep(s, now, next, sum); keep != nil && k.reached(keep, next, sum) {
				k.Keep = keep
			}
		}
		r.Conflicts = append(r.Conflicts, k)
	}
}

// mostKept bounds the paragraphs of a change that are looked for one by one.
const mostKept = 50

// counterpart is where the paragraphs of a spot are in the next version, from the first to
// the last of them that is still there: nil where none is, or where they are no longer
// together and in their order.
func counterpart(next *docx.Document, sum string, s *spot, base string) *spot {
	story := next.Story(s.Part)
	if s.from == s.to {
		p := nearestTo(story, base, s.Block)
		if p == nil {
			return nil
		}
		return whole(read(next, sum), s.Part, p.Index, p.Index)
	}
	if s.to-s.from >= mostKept {
		return nil
	}
	first, last := -1, -1
	for _, old := range s.column.paragraphs[s.from : s.to+1] {
		p := nearestTo(story, old.Text(), old.Index+max(0, first-s.Block))
		switch {
		case p == nil || old.Len() == 0:
			continue
		case p.Index <= last:
			return nil
		case first < 0:
			first = p.Index
		}
		last = p.Index
	}
	if first < 0 || last-first > 2*(s.to-s.from)+1 { // what they put between is theirs, and not ours to take out
		return nil
	}
	return whole(read(next, sum), s.Part, first, last)
}

// whole is the spot of paragraphs, nil where they are in different cells.
func whole(r *reading, part string, first, last int) *spot {
	column, i := r.block(part, first)
	other, j := r.block(part, last)
	if column == nil || column != other {
		return nil
	}
	return r.spot(column, column.starts[i], column.starts[j]+column.length(j), Context)
}

// reached reports whether a change can be made, and gives the text that it is to keep.
func (k *Contention) reached(keep *Change, next *docx.Document, sum string) bool {
	a := newApplier(next, sum)
	s, err := a.locate(keep.Anchor, keep.onParagraphs())
	if !a.tries(keep) || err != nil {
		return false
	}
	return keep.Type != Replace || a.proposed(s) == k.Ours
}

// keep is the change of the next version that has our words where the paragraphs are now,
// or, where they took them out, behind what was in front of them. Of several paragraphs it
// changes word by word, so that what stays keeps its formatting and its paragraph.
func (k *Contention) keep(s, now *spot, next *docx.Document, sum string) *Change {
	out := Change{ID: k.ID, Author: k.Author, Date: k.Date, Comment: k.Comment}
	if len(k.Content) > 0 || s.to-s.from >= mostKept {
		return nil
	}
	var p *docx.Paragraph
	gone := now == nil
	if gone {
		for _, old := range s.column.paragraphs[s.from : s.to+1] {
			if s.from < s.to && old.Len() > 0 && nearestTo(next.Story(s.Part), old.Text(), old.Index) != nil {
				return nil // some of them is there, elsewhere
			}
		}
	} else {
		p = now.first()
	}
	for i := s.from - 1; p == nil && i >= 0; i-- {
		p = nearestTo(next.Story(s.Part), s.column.paragraphs[i].Text(), s.column.paragraphs[i].Index)
	}
	if p == nil {
		return nil
	}
	at := p.Index
	out.Anchor = Anchor{Part: s.Part, ParaID: p.ID(), Block: &at, Text: p.Text(), DocSHA256: sum}
	several := !gone && now.from < now.to
	switch k.Type { // of the others there is nothing to keep without their place
	case InsertParagraph:
		out.Type, out.Text, out.Side, out.Style = InsertParagraph, k.Change.Text, k.Side, k.Style
		switch {
		case gone:
			out.Side = After
		case several: // beside one of them
			return nil
		}
	case CommentOn:
		if gone {
			return nil
		}
		out.Type, out.Text = CommentOn, k.Change.Text
	case Insert, Delete, Replace, Rewrite, DeleteParagraph:
		switch {
		case gone && k.Ours == "", k.Ours == k.Theirs:
			return nil
		case gone:
			out.Type, out.Text, out.Side = InsertParagraph, k.Ours, After
		case k.Ours == "":
			out.Type = DeleteParagraph
			if several {
				out.Anchor.EndBlock, out.Anchor.Text = &now.EndBlock, k.Theirs
			}
		case several, s.from < s.to:
			start, end := 0, now.end-now.start
			out.Type, out.Text = Replace, k.Ours
			out.Anchor.Start, out.Anchor.End, out.Anchor.Text = &start, &end, k.Theirs
		default:
			out.Type, out.Text = Rewrite, k.Ours
		}
	default:
		return nil
	}
	return &out
}

// tries reports whether a change can be made.
func (a *applier) tries(c *Change) bool {
	a.apply(c)
	return len(a.failed) == 0
}

func paragraphsText(all []*docx.Paragraph) string {
	lines := make([]string, len(all))
	for i, p := range all {
		lines[i] = p.Text()
	}
	return strings.Join(lines, "\n")
}

// proposed is the text of the paragraphs of a spot with the changes made.
func (a *applier) proposed(s *spot) string {
	l := lister{byParagraph: map[*docx.Paragraph][]step{}, target: a.target}
	for _, st := range a.target.steps {
		l.byParagraph[st.p] = append(l.byParagraph[st.p], st)
	}
	var lines []string
	for _, p := range s.column.paragraphs[s.from : s.to+1] {
		text, joins, before, after := l.edited(p)
		lines = append(lines, before...)
		if text != "" || !joins {
			lines = append(lines, text)
		}
		lines = append(lines, after...)
	}
	return strings.Join(lines, "\n")
}

// nearestTo is the paragraph of a story that is most like a text: of several alike the
// one nearest to a place. It is nil where none is alike.
func nearestTo(s *docx.Story, text string, at int) *docx.Paragraph {
	if s == nil {
		return nil
	}
	like := wordsOf(text)
	var best *docx.Paragraph
	most := alike
	for _, p := range s.Paragraphs() {
		one := wordsOf(p.Text())
		switch share := likeness(&like, &one); {
		case share < most, one.total == 0 && like.total > 0:
		case share > most || best == nil || abs(p.Index-at) < abs(best.Index-at):
			best, most = p, share
		}
	}
	return best
}

func abs(n int) int { return max(n, -n) }

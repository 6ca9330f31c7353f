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
	Base, Ours, Theirs string    // the paragraph before, as proposed, and in the next version
	Place              *Resolved // of the paragraph in the next version, nil if it is gone
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
			p := nearestTo(next.Story(s.Part), k.Base, s.Block)
			if p != nil {
				k.Theirs, k.Authors = p.Text(), marks[p]
				k.Place = &Resolved{Part: s.Part, Block: p.Index, EndBlock: p.Index, End: p.Len(), How: Context}
			}
			if keep := k.keep(s, p, next, sum); keep != nil {
				if newApplier(next, sum).tries(keep) {
					k.Keep = keep
				}
			}
		}
		r.Conflicts = append(r.Conflicts, k)
	}
}

// keep is the change of the next version that has our words where p is, or, where p is
// nil because they took the paragraph out, behind what was in front of it.
func (k *Contention) keep(s *spot, p *docx.Paragraph, next *docx.Document, sum string) *Change {
	out := Change{ID: k.ID, Author: k.Author, Date: k.Date, Comment: k.Comment}
	gone := p == nil
	for i := s.from - 1; p == nil && i >= 0; i-- {
		p = nearestTo(next.Story(s.Part), s.column.paragraphs[i].Text(), s.column.paragraphs[i].Index)
	}
	if p == nil || s.from != s.to || len(k.Content) > 0 {
		return nil
	}
	at := p.Index
	out.Anchor = Anchor{Part: s.Part, ParaID: p.ID(), Block: &at, Text: p.Text(), DocSHA256: sum}
	switch k.Type { // of the others there is nothing to keep without their place
	case InsertParagraph:
		out.Type, out.Text, out.Side, out.Style = InsertParagraph, k.Change.Text, k.Side, k.Style
		if gone {
			out.Side = After
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

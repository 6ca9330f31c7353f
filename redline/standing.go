package redline

import (
	"strings"
	"time"

	"github.com/clausemill/clausemill/docx"
)

// A Mark is a tracked change or a comment that stands in a document.
type Mark struct {
	ID       string // as changes name it: of a comment behind CommentPrefix
	Comment  bool
	Kind     string // of a tracked change: docx.Revision's
	On       string // likewise
	Text     string
	Target   string // of a comment: the one that it answers
	Author   Author
	Date     time.Time // zero where it has none
	Decision Type      // Accept or Reject, where one is open
	Done     bool      // of a comment: resolved
	Pair     string    // of a move: the ID of the mark at its other end

	Properties []string  // of a change of properties: see docx.Revision
	Resolved   *Resolved // nil where it stands in no paragraph
}

// Standing lists the tracked changes of a document and then its comments, with
// the decisions among open changes.
func Standing(doc *docx.Document, open []Change) []Mark {
	decided := map[string]Type{}
	for _, c := range open {
		if c.decides() {
			decided[c.Target] = c.Type
		}
	}
	known := map[string]bool{}
	for r := range doc.Marks() {
		known[r.ID] = true
	}
	for id, decision := range decided {
		if !known[id] {
			decided[doc.RevisionNow(id)] = decision
		}
	}
	var all []Mark
	moves := doc.Moves()
	for _, r := range doc.Revisions() {
		m := Mark{ID: r.ID, Kind: r.Kind, On: r.On, Text: r.Text, Author: Author{Name: r.Author}, Date: r.Date, Decision: decided[r.ID], Pair: moves[r.ID], Properties: r.Properties()}
		if r.Paragraph >= 0 {
			m.Resolved = &Resolved{Part: r.Story, Block: r.Paragraph, EndBlock: r.Paragraph, Start: r.Start, End: r.End, How: Exact}
		}
		all = append(all, m)
	}
	for _, c := range doc.Comments() {
		m := Mark{ID: CommentPrefix + c.ID, Comment: true, Text: c.Text, Author: Author{Name: c.Author, Initials: c.Initials}, Date: c.Date, Done: c.Done}
		if c.Parent != "" {
			m.Target = CommentPrefix + c.Parent
		}
		if c.Story != "" {
			m.Resolved = &Resolved{Part: c.Story, Block: c.Paragraph, EndBlock: c.EndBlock, Start: c.Start, End: c.End, How: Exact}
		}
		all = append(all, m)
	}
	return all
}

// decides reports whether c accepts or rejects a tracked change.
func (c Change) decides() bool { return c.Type == Accept || c.Type == Reject }

// Decisions are the ids of the changes that decide on tracked changes.
func Decisions(changes []Change) []string {
	var ids []string
	for _, c := range changes {
		if c.decides() {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

// NewAuthor is somebody of a name, with the initials that Word shows.
func NewAuthor(name string) Author {
	var initials strings.Builder
	for _, word := range strings.Fields(name) {
		initials.WriteRune([]rune(word)[0])
	}
	return Author{Name: name, Initials: strings.ToUpper(initials.String())}
}

// An Asked is a change that somebody asks for, by the span of the file's text that
// it is about where it has one.
type Asked struct {
	Change

	Span *[2]int // code points, half open
}

// Spanned reports whether one of list has a span, so that a Text is needed to place
// it.
func Spanned(list []Asked) bool {
	for _, a := range list {
		if a.Span != nil {
			return true
		}
	}
	return false
}

// PlaceAll gives the changes of a list anchors where they have a span, one change
// becoming several where that runs over cells. From is the place in the list of
// each; where one cannot be placed, it ends with that one's.
func (t *Text) PlaceAll(list []Asked) (changes []Change, from []int, err error) {
	for i, a := range list {
		placed := []Change{a.Change}
		if a.Span != nil {
			if placed, err = t.Place(a.Change, a.Span[0], a.Span[1]); err != nil {
				return nil, append(from, i), err
			}
		}
		for _, c := range placed {
			changes, from = append(changes, c), append(from, i)
		}
	}
	return changes, from, nil
}

// Moved are the ids of the changes of each move.
func (c *Comparison) Moved() [][2]string {
	var moves [][2]string
	for _, m := range c.Moves {
		moves = append(moves, [2]string{c.Changes[m.From].ID, c.Changes[m.To].ID})
	}
	return moves
}

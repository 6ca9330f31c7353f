package docx

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"
)

// A Revision is a tracked change of the document.
type Revision struct {
	ID        string // made of the part, the kind, the mark's own id, author, date and text: it stays as long as the mark does
	Story     string // key; "comments" for one inside a comment
	Paragraph int    // index of the paragraph it is in or around; -1 for a table's or section's
	Kind      string // the element's name: ins, del, moveFrom, moveTo, rPrChange, pPrChange, cellIns, …
	On        string // what it acts on: text, mark, row, cell, numbering, properties, math
	Author    string
	Date      time.Time // zero where the mark has none
	Text      string    // inserted or deleted; "" for what is no text
	Start     int       // its position in the paragraph's canonical text
	End       int

	Element Element
}

// isRevision reports whether e is a tracked change.
func isRevision(e Element) bool { return e.part.tracks[e.node().name] }

// tracks reports whether elements of a name are tracked changes.
func tracks(name string) bool {
	switch name {
	case "ins", "del", "moveFrom", "moveTo", "rPrChange", "pPrChange", "sectPrChange", "tblPrChange", "tblGridChange",
		"trPrChange", "tcPrChange", "tblPrExChange", "numberingChange", "cellIns", "cellDel", "cellMerge":
		return true
	default:
		return false
	}
}

// target is the kind of content that a revision acts on.
func target(e Element) string {
	switch e.Name() {
	case "cellIns", "cellDel", "cellMerge":
		return "cell"
	case "ins", "del", "moveFrom", "moveTo":
	default:
		return "properties"
	}
	switch parent := e.Parent(); parent.Name() {
	case "rPr":
		if parent.Parent().Is("pPr") {
			return "mark"
		}
		return "math"
	case "m:ctrlPr":
		return "math"
	case "trPr":
		return "row"
	case "numPr":
		return "numbering"
	default:
		return "text"
	}
}

// Revisions lists the tracked changes of the document: story by story in
// document order, then those of comments, styles and lists.
func (d *Document) Revisions() []Revision {
	var all []Revision
	for r := range d.Marks() {
		if s := d.storyOf(r.Element); s != nil {
			r.Story = s.Key
			if p := s.ParagraphOf(r.Element.Closest("p")); p != nil {
				r.Paragraph = p.Index
				r.Start, r.End = p.span(r.Element)
			}
		}
		all = append(all, r)
	}
	return all
}

// Marks returns the tracked changes as Revisions does, but without their positions in
// the text, which is not read.
func (d *Document) Marks() iter.Seq[Revision] {
	return func(yield func(Revision) bool) {
		for _, part := range d.trackedParts() {
			key := d.partKey(part)
			for e := range descendants(part) {
				if !isRevision(e) {
					continue
				}
				r := d.basicRevision(key, e)
				if r.On == "text" {
					r.Text = changedText(e)
				}
				if !yield(r) {
					return
				}
			}
		}
	}
}

// storyOf finds the story that contains e, nil for none.
func (d *Document) storyOf(e Element) *Story {
	for ; e.Exists(); e = e.Parent() {
		if s := d.byRoot[e]; s != nil {
			return s
		}
	}
	return nil
}

// basicRevision reads the attributes of a mark itself.
func (d *Document) basicRevision(key string, e Element) Revision {
	return Revision{
		ID: d.revisionID(e), Story: key, Paragraph: -1, Kind: e.Name(), On: target(e),
		Author: e.Attr("author"), Date: dateOf(e), Element: e,
	}
}

// span is the place of e in the paragraph's canonical text.
func (p *Paragraph) span(e Element) (start, end int) {
	p.Story.walk()
	n := e.node()
	i, _ := slices.BinarySearchFunc(p.leaves, n.start, func(l leaf, at int32) int { return int(l.item.node().start - at) })
	if i == len(p.leaves) {
		length := 0
		if len(p.leaves) > 0 {
			length = p.leaves[len(p.leaves)-1].end
		}
		return length, length
	}
	start = p.leaves[i].start
	end = start
	for ; i < len(p.leaves) && p.leaves[i].item.node().start < n.end; i++ {
		end = p.leaves[i].end
	}
	return start, end
}

// revisionID is the id of a mark. It does not depend on where the mark is, so that it is
// the same after others were decided. Marks that are alike in everything are counted,
// since programs use one id twice.
func (d *Document) revisionID(e Element) string {
	if d.revisionIDs == nil {
		d.revisionIDs = map[Element]string{}
		alike := map[string]int{}
		for _, part := range d.trackedParts() {
			key := d.partKey(part)
			for e := range descendants(part) {
				if !isRevision(e) {
					continue
				}
				text := ""
				if target(e) == "text" {
					text = changedText(e)
				}
				what := fmt.Sprintf("%s|%s|%s|%s|%s|%s", key, e.Name(), e.Attr("id"), e.Attr("author"), e.Attr("date"), text)
				sum := sha256.Sum256(fmt.Appendf(nil, "%s|%d", what, alike[what]))
				alike[what]++
				d.revisionIDs[e] = revisionPrefix + hex.EncodeToString(sum[:8])
			}
		}
	}
	return d.revisionIDs[e]
}

// RevisionNow is the present form of a mark's id: earlier releases made it of the mark's
// place.
func (d *Document) RevisionNow(id string) string {
	for _, part := range d.trackedParts() {
		key := d.partKey(part)
		for e := range descendants(part) {
			if !isRevision(e) {
				continue
			}
			sum := sha256.Sum256(fmt.Appendf(nil, "%s|%s|%s|%d", key, e.Name(), e.Attr("id"), e.node().start))
			if revisionPrefix+hex.EncodeToString(sum[:8]) == id {
				return d.revisionID(e)
			}
		}
	}
	return id
}

const revisionPrefix = "rev_"

// IsRevisionID reports whether id has the form of a Revision's.
func IsRevisionID(id string) bool {
	sum, ok := strings.CutPrefix(id, revisionPrefix)
	_, err := hex.DecodeString(sum)
	return ok && err == nil && len(sum) == 16
}

// changedText is what an insertion or deletion puts in or takes out.
func changedText(e Element) string {
	var b strings.Builder
	for c := range e.Descendants() {
		if c.Is("t", "delText") {
			b.WriteString(textOf(c))
		}
	}
	return b.String()
}

// dateOf reads the date of a change or comment. Word writes local time and
// calls it UTC; it is taken at its word.
func dateOf(e Element) time.Time {
	value := e.Attr("date")
	for _, form := range []string{time.RFC3339, "2006-01-02T15:04:05"} {
		if t, err := time.Parse(form, value); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
}

// A Comment is a comment of the document.
type Comment struct {
	ID        string // the w:id that anchors refer to
	Author    string
	Initials  string
	Date      time.Time // zero where it has none
	Text      string    // paragraphs joined by \n
	ParaID    string    // of its last paragraph, which threads refer to
	Parent    string    // ID of the comment that it answers, "" for none
	Done      bool
	Story     string // where it is anchored; "" if nowhere
	Paragraph int    // of the anchor's begin
	Start     int    // in that paragraph's canonical text
	EndBlock  int    // paragraph of the anchor's end
	End       int

	Element Element
}

// Comments lists the comments in the order of their part.
func (d *Document) Comments() []Comment {
	root := d.Related("comments").Root()
	var all []Comment
	byPara := map[string]int{}
	for e := range root.Children() {
		if !e.Is("comment") {
			continue
		}
		c := Comment{ID: e.Attr("id"), Author: e.Attr("author"), Initials: e.Attr("initials"), Date: dateOf(e), Element: e}
		story := &Story{Key: "comment:" + c.ID, Root: e}
		var lines []string
		for _, p := range story.Paragraphs() {
			lines = append(lines, p.Text())
			c.ParaID = p.ID()
		}
		c.Text = strings.Join(lines, "\n")
		if c.ParaID != "" {
			byPara[c.ParaID] = len(all)
		}
		all = append(all, c)
	}
	if len(all) == 0 {
		return nil
	}
	for e := range d.Related("commentsExtended").Root().Children() {
		i, known := byPara[e.Attr("w15:paraId")]
		if !known {
			continue
		}
		all[i].Done = e.Attr("w15:done") == "1" || e.Attr("w15:done") == "true"
		if parent, known := byPara[e.Attr("w15:paraIdParent")]; known {
			all[i].Parent = all[parent].ID
		}
	}
	d.anchor(all)
	return all
}

// anchor finds the places of comments.
func (d *Document) anchor(comments []Comment) {
	byID := map[string]*Comment{}
	for i := range comments {
		byID[comments[i].ID] = &comments[i]
	}
	for _, s := range d.stories {
		for e := range s.Root.Descendants() {
			if !e.Is("commentRangeStart", "commentRangeEnd", "commentReference") {
				continue
			}
			c := byID[e.Attr("id")]
			p := s.ParagraphOf(e.Closest("p"))
			if c == nil || p == nil {
				continue
			}
			at, _ := p.span(e)
			switch {
			case e.Is("commentRangeEnd"):
				c.EndBlock, c.End = p.Index, at
			case e.Is("commentRangeStart"), c.Story == "":
				c.Story, c.Paragraph, c.Start, c.EndBlock, c.End = s.Key, p.Index, at, p.Index, at
			}
		}
	}
}

package sfdt

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"
	"unicode"
)

// A Note is a remark to be shown beside some words of a document.
type Note struct {
	Quote string // the words; "" for the end of the document
	Text  string // its lines become paragraphs
}

// Annotate adds notes as comments, each to the paragraph that has its words, and
// returns how many found one. Notes are looked for in their order, so that words
// which stand twice are found one after the other.
func (d *Document) Annotate(notes []Note, author string, when time.Time) int {
	var all []*[]Inline
	var texts []string
	for b := range paragraphs(d.body()) {
		all = append(all, b.Inlines)
		texts = append(texts, d.current(*b.Inlines))
	}
	placed := 0
	var at place
	for _, note := range notes {
		i := len(all) - 1
		if note.Quote != "" {
			var found bool
			if at, found = at.find(texts, squeeze(note.Quote)); !found {
				continue
			}
			i = at.paragraph
		}
		placed++
		d.comment(all[i], note.Text, author, when)
	}
	return placed
}

// comment puts a comment around a paragraph.
func (d *Document) comment(inlines *[]Inline, text, author string, at time.Time) {
	c := Comment{
		ID: fmt.Sprintf("note-%d", len(d.Comments)+1), Author: author, Initial: initials(author), Date: date(at), Replies: []Comment{},
	}
	for line := range strings.SplitSeq(text, "\n") {
		c.Blocks = append(c.Blocks, textParagraph(line))
	}
	d.Comments = append(d.Comments, c)
	begin, end := Inline{CommentType: new(0), CommentID: c.ID}, Inline{CommentType: new(1), CommentID: c.ID}
	*inlines = slices.Concat([]Inline{begin}, *inlines, []Inline{end})
}

func initials(name string) string {
	var b strings.Builder
	for word := range strings.FieldsSeq(name) {
		b.WriteRune([]rune(word)[0])
	}
	return b.String()
}

// A place is where in the texts of paragraphs the words before have ended.
type place struct{ paragraph, offset int }

// find looks for words behind a place, and then from the start.
func (p place) find(texts []string, words string) (place, bool) {
	if words == "" || len(texts) == 0 {
		return p, false
	}
	for n := range len(texts) + 1 {
		i, from := (p.paragraph+n)%len(texts), 0
		if n == 0 {
			from = p.offset
		}
		if at := strings.Index(texts[i][from:], words); at >= 0 {
			return place{i, from + at + len(words)}, true
		}
	}
	return p, false
}

// body gives the blocks of all sections.
func (d *Document) body() []Block {
	var all []Block
	for _, s := range d.Sections {
		all = append(all, s.Blocks...)
	}
	return all
}

// paragraphs gives those among blocks, cells and content controls included, in
// the order of the document.
func paragraphs(blocks []Block) iter.Seq[Block] {
	return func(yield func(Block) bool) { eachParagraph(blocks, yield) }
}

func eachParagraph(blocks []Block, yield func(Block) bool) bool {
	for _, b := range blocks {
		if b.Inlines != nil && !yield(b) {
			return false
		}
		for _, row := range b.Rows {
			for _, cell := range row.Cells {
				if !eachParagraph(cell.Blocks, yield) {
					return false
				}
			}
		}
		if !eachParagraph(b.Blocks, yield) {
			return false
		}
	}
	return true
}

// current is the text of a paragraph without what was deleted, squeezed.
func (d *Document) current(inlines []Inline) string {
	gone := map[string]bool{}
	for _, r := range d.Revisions {
		gone[r.ID] = r.Type == "Deletion" || r.Type == "MoveFrom"
	}
	var b strings.Builder
	var fields []bool // open fields: whether the result is reached
	var write func([]Inline)
	write = func(all []Inline) {
		for _, i := range all {
			switch {
			case i.FieldType != nil && *i.FieldType == fieldBegins:
				fields = append(fields, false)
			case i.FieldType != nil && *i.FieldType == fieldSeparates && len(fields) > 0:
				fields[len(fields)-1] = true
			case i.FieldType != nil && *i.FieldType == fieldEnds && len(fields) > 0:
				fields = fields[:len(fields)-1]
			case i.Inlines != nil:
				write(*i.Inlines)
			case i.Text != nil && !slices.Contains(fields, false):
				deleted := false
				for _, id := range i.RevisionIDs {
					deleted = deleted || gone[id]
				}
				if !deleted {
					b.WriteString(*i.Text)
				}
			}
		}
	}
	write(inlines)
	return squeeze(b.String())
}

// squeeze takes out what two readings of the same words may differ in: blanks,
// and characters that are not seen.
func squeeze(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.IsControl(r) || r == '\u00ad' || r == '\uFFFC' {
			return -1
		}
		return r
	}, text)
}

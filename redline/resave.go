package redline

import (
	"strconv"
	"strings"

	"github.com/clausemill/clausemill/docx"
)

// Programs write one page in several ways. What is here finds that two documents say the
// same where another program has saved one of them: paragraphs in a frame or in a text
// box, columns that a row leaves empty or fills with empty cells, tables that follow one
// another or are one, the end of a section in a paragraph of its own. None of it is a
// change of what a reader reads, and all of it is in Left, since the page may look
// different.

// storyText is what a story says, by the codes of its fields.
func (b *codebook) storyText(s *docx.Story) string {
	var text strings.Builder
	for _, p := range s.Paragraphs() {
		words, _ := b.reads(p)
		text.WriteString(string(words.text) + "\n")
	}
	return text.String()
}

// frames puts paragraphs in a frame aside, and text boxes that say the same in the other
// document and stand in the paragraph behind.
func (b *codebook) frames(pairs []storyPair) {
	for _, p := range pairs {
		if p.old != nil && p.new != nil {
			b.boxed(p.old, p.new, false)
			b.boxed(p.new, p.old, true)
		}
	}
}

// boxed pairs the frames of a story with the boxes of another, which is the base if
// based is set: what stands in it has to stay, so that only a box counts in a paragraph
// that says the same without it.
func (b *codebook) boxed(framed, boxed *docx.Story, based bool) {
	var frames [][]*docx.Paragraph
	for _, paragraphs := range framed.Columns() {
		joined := false
		for _, p := range paragraphs {
			is := framedIn(p) != "" && !p.Closest("txbxContent").Exists()
			switch {
			case !is:
			case joined && framedIn(p) == framedIn(frames[len(frames)-1][0]):
				frames[len(frames)-1] = append(frames[len(frames)-1], p)
			default:
				frames = append(frames, []*docx.Paragraph{p})
			}
			joined = is
		}
	}
	if len(frames) == 0 {
		return
	}
	boxes := boxesOf(boxed)
	for _, frame := range frames {
		for _, box := range boxes {
			contents := contentsOf(box)
			if _, paired := b.given[box]; paired || b.aside[box] || len(contents) != 1 || b.paragraphsText(frame) != b.contentText(boxed, contents[0]) {
				continue
			}
			around := boxed.ParagraphOf(box.Closest("p"))
			behind := framed.ParagraphOf(framed.Following(frame[len(frame)-1]))
			if around == nil || behind == nil || based && strings.Trim(around.Text(), "\uFFFC") != behind.Text() {
				continue
			}
			b.aside[box] = true
			for _, p := range frame {
				b.aside[p.Element] = true
			}
			break
		}
	}
	clear(b.read) // those that were read with the boxes
}

// framedIn is the frame of a paragraph, "" for none. The large letter at the start of a
// text is part of the text.
func framedIn(p *docx.Paragraph) string {
	frame := p.Child("pPr", "framePr")
	if !frame.Exists() || frame.Attr("dropCap") != "" && frame.Attr("dropCap") != "none" {
		return ""
	}
	return string(frame.Raw())
}

func (b *codebook) paragraphsText(paragraphs []*docx.Paragraph) string {
	var text strings.Builder
	for _, p := range paragraphs {
		words, _ := b.reads(p)
		text.WriteString(string(words.text) + "\n")
	}
	return text.String()
}

func (b *codebook) contentText(s *docx.Story, content docx.Element) string {
	var paragraphs []*docx.Paragraph
	for e := range docx.Blocks(content) {
		if p := s.ParagraphOf(e); p != nil {
			paragraphs = append(paragraphs, p)
		}
	}
	return b.paragraphsText(paragraphs)
}

// unfilled is how many columns a row leaves empty at its start or end.
func unfilled(row docx.Element, side string) int {
	n, err := strconv.Atoi(row.Child("trPr", side).Attr("val"))
	if err != nil || n < 0 || n > maxColumns {
		return 0
	}
	return n
}

// maxColumns is how many columns Word allows a table.
const maxColumns = 63

func spanOf(cell docx.Element) int {
	n, err := strconv.Atoi(cell.Child("tcPr", "gridSpan").Attr("val"))
	if err != nil || n < 1 || n > maxColumns {
		return 1
	}
	return n
}

// isBlank reports whether the blocks of a cell are one paragraph and nothing in it.
func isBlank(blocks []block) bool { return len(blocks) == 0 || len(blocks) == 1 && isEmpty(&blocks[0]) }

// filled are the cells of a row without the blank ones at its ends that fill columns
// which the other row leaves empty.
func (c *comparer) filled(s *docx.Story, row, other docx.Element) []docx.Element {
	cells := cellsOf(row)
	before, after := unfilled(other, "gridBefore")-unfilled(row, "gridBefore"), unfilled(other, "gridAfter")-unfilled(row, "gridAfter")
	for len(cells) > 1 && before >= spanOf(cells[0]) && isBlank(c.blocksOf(s, cells[0])) {
		before -= spanOf(cells[0])
		cells = cells[1:]
	}
	for last := len(cells) - 1; last > 0 && after >= spanOf(cells[last]) && isBlank(c.blocksOf(s, cells[last])); last-- {
		after -= spanOf(cells[last])
		cells = cells[:last]
	}
	return cells
}

// partner notes the paragraph that one which stays is in the other document.
func (c *comparer) partner(old, new *block) {
	if !old.isTable() && !new.isTable() {
		c.partners[old.last()] = new.last()
	}
}

// hasSection reports whether a section ends with a paragraph.
func hasSection(p *docx.Paragraph) bool {
	return p != nil && p.Child("pPr", "sectPr").Exists()
}

// onlySection reports whether a block is only there for the section that ends with it.
func onlySection(b *block) bool {
	return isEmpty(b) && hasSection(b.first())
}

func isEmpty(b *block) bool { return !b.isTable() && b.text == "" && len(b.paragraphs) == 1 }

// besideSections leaves out a paragraph that only ends the section which the text before
// it ends in the other document.
func (c *comparer) besideSections(before *block, old, new []block) (restOld, restNew []block) {
	if !before.takes() {
		return old, new
	}
	switch had, has := hasSection(before.last()), hasSection(c.partners[before.last()]); {
	case had && !has && len(new) > 0 && onlySection(&new[0]):
		return old, new[1:]
	case has && !had && len(old) > 0 && onlySection(&old[0]):
		return old[1:], new
	default:
		return old, new
	}
}

// A tableRun is tables that follow one another, with all their rows.
type tableRun struct {
	from, to int // indices of blocks
	rows     []docx.Element
}

func tableRuns(blocks []block) []tableRun {
	var all []tableRun
	for i := range blocks {
		if !blocks[i].isTable() {
			continue
		}
		if n := len(all); n == 0 || all[n-1].to != i {
			all = append(all, tableRun{from: i})
		}
		run := &all[len(all)-1]
		run.to, run.rows = i+1, append(run.rows, rowsOf(blocks[i].table)...)
	}
	return all
}

// rejoined finds tables that follow one another in one document and are fewer in the
// other, with most of the rows of both.
func (c *comparer) rejoined(old, new []block) (a, b tableRun, found bool) {
	runs, others := tableRuns(old), tableRuns(new)
	for _, a := range runs {
		for _, b := range others {
			if was, is := a.to-a.from, b.to-b.from; was == is || was > 1 && is > 1 {
				continue
			}
			if same := common(c.rowTexts(old[a.from].story, a.rows), c.rowTexts(new[b.from].story, b.rows)); 2*len(same) > max(len(a.rows), len(b.rows)) {
				return a, b, true
			}
		}
	}
	return tableRun{}, tableRun{}, false
}

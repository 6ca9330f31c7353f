package redline

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/clausemill/clausemill/docx"
	"github.com/clausemill/clausemill/fault"
)

// A Comparison is the changes that turn one document into another.
type Comparison struct {
	Changes []Change
	Moves   []Move   // pairs of changes that are one move
	Left    []string // what cannot be said by changes, with both values

	// Warnings are the codes of what a reader of the other document should look at:
	// hidden_text for text that can be read in the base and is hidden, struck out,
	// white or tiny in the other.
	Warnings []string
}

// HiddenText warns of text that a reader does not see, or sees struck out.
const HiddenText = "hidden_text"

// A Move is a paragraph that is deleted in one place and put in in another, as it was
// or edited.
type Move struct {
	From, To int // indices into Changes
}

// Compare finds the changes that give base the text and the formatting of other, word
// by word and paragraph by paragraph. Of both documents it looks at what a reader sees:
// insertions in, deletions out. Fields are compared by their codes: a page number that
// was counted anew is no difference.
//
// All changes can be applied together. What the documents then still say differently, in
// words or in any other way, is listed in Left: an empty Left means that they are equal.
func Compare(base, other []byte) (*Comparison, error) {
	old, err := docx.Open(base)
	if err != nil {
		return nil, err
	}
	new, err := accepted(other)
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, "the file to compare with: "+fault.Message(err), err)
	}
	for _, d := range []*docx.Document{old, new} {
		if err := bounded(d); err != nil {
			return nil, err
		}
	}
	c := &comparer{trial: newApplier(old, SHA256(base)), new: new, codes: newCodebook(), deleted: map[string][]int{}, lists: map[string]string{}, numbers: map[*docx.Document][]string{}, looks: newLookBook(), partners: map[*docx.Paragraph]*docx.Paragraph{}, twins: twinsOf(old, new)}
	pairs := pairStories(old, new)
	c.codes.know(old)
	c.codes.know(new)
	c.codes.match(pairs, c.otherBox)
	c.codes.frames(pairs)
	for _, pair := range pairs {
		if pair.old != nil && pair.new != nil {
			c.story = pair.old
			c.column(c.blocksOf(pair.old, pair.old.Root), c.blocksOf(pair.new, pair.new.Root))
		}
	}
	c.sections()
	c.pairMoves()
	return &c.Comparison, c.check()
}

// maxCompared bounds the text of a document that is compared, in code points: some
// thousand pages. Each takes about a hundred bytes of memory.
const maxCompared = 4 << 20

// bounded refuses a document with more text than can be compared.
func bounded(d *docx.Document) error {
	length := 0
	for _, s := range d.Stories() {
		for _, p := range s.Paragraphs() {
			length += p.Len()
		}
	}
	if length > maxCompared {
		return fault.File(docx.DocumentTooLarge, fmt.Sprintf("the document has %d characters of text, and at most %d can be compared", length, maxCompared), nil)
	}
	return nil
}

// accepted opens a document with all its tracked changes accepted.
func accepted(data []byte) (*docx.Document, error) {
	d, err := docx.Open(data)
	if err != nil {
		return nil, err
	}
	return d.Resolved(docx.AcceptAll)
}

// check applies the changes, and records in Left what the result and the other document
// still say differently.
func (c *comparer) check() error {
	marked, err := c.trial.editor.Bytes()
	if err != nil {
		return err
	}
	tracked, err := c.trial.doc.Reopen(marked)
	if err != nil {
		return err
	}
	reached, err := tracked.Resolved(docx.AcceptAll)
	if err != nil {
		return err
	}
	rest := differences(reached, c.new, c.codes, c.looks)
	c.Left = append(c.Left, rest.said()...)
	if rest.hidden || c.hides {
		c.Warnings = append(c.Warnings, HiddenText)
	}
	return nil
}

// A block is a paragraph or a table, with its text. Paragraphs that tracked changes of
// the document join are one.
type block struct {
	paragraphs []*docx.Paragraph // none for a table
	table      docx.Element
	story      *docx.Story
	text       string   // with a character for each field; see wording
	shown      []string // what each character of text stands for
	items      map[int]docx.Element
	words      map[string]int // how often each is in text
	total      int
}

func (b *block) isTable() bool { return len(b.paragraphs) == 0 }

// takes reports whether paragraphs can be put in beside b, which may be none.
func (b *block) takes() bool { return b != nil && !b.isTable() }

func (b *block) first() *docx.Paragraph { return b.paragraphs[0] }
func (b *block) last() *docx.Paragraph  { return b.paragraphs[len(b.paragraphs)-1] }

// seenText is the text as it is shown.
func (b *block) seenText() string { return strings.Join(b.shown, "") }

// seen is the one paragraph of b that has a text, nil if there are several.
func (b *block) seen() *docx.Paragraph {
	seen := b.last()
	for _, p := range b.paragraphs {
		switch {
		case p.Len() == 0:
		case seen.Len() > 0 && seen != p:
			return nil
		default:
			seen = p
		}
	}
	return seen
}

// blocksOf are the blocks in a story or cell, without those that are deleted.
func (c *comparer) blocksOf(s *docx.Story, container docx.Element) []block {
	var all []block
	var joined []*docx.Paragraph
	end := func() {
		if vanishes(joined, len(all) > 0) {
			joined = nil
		}
		if len(joined) > 0 {
			b := block{paragraphs: joined, story: s}
			for _, p := range joined {
				words, _ := c.codes.reads(p)
				for at, item := range words.items {
					if b.items == nil {
						b.items = map[int]docx.Element{}
					}
					b.items[len(b.shown)+at] = item
				}
				b.text, b.shown = b.text+string(words.text), append(b.shown, words.shown...)
			}
			all = append(all, b)
			joined = nil
		}
	}
	for e := range docx.Blocks(container) {
		if c.codes.aside[e] {
			continue
		}
		if e.Is("p") {
			joined = append(joined, s.ParagraphOf(e))
			if !joined[len(joined)-1].MarkDeleted() {
				end()
			}
			continue
		}
		end()
		if len(rowsOf(e)) > 0 {
			all = append(all, block{table: e, story: s, text: c.tableText(s, e)})
		}
	}
	end()
	return all
}

// vanishes reports whether nothing is left of paragraphs that are joined: the end of the
// last is deleted as well, they show nothing, and are not all that there is.
func vanishes(joined []*docx.Paragraph, others bool) bool {
	if len(joined) == 0 || !others || !joined[len(joined)-1].MarkDeleted() {
		return false
	}
	for _, p := range joined {
		for piece := range p.Pieces() {
			if !piece.Deleted && (piece.Text != "" || piece.Item.Is("footnoteRef", "endnoteRef")) {
				return false
			}
		}
	}
	return true
}

// cellsOf are the cells of a row without those that are deleted.
func cellsOf(row docx.Element) []docx.Element {
	return slices.DeleteFunc(slices.Collect(docx.Cells(row)), func(cell docx.Element) bool { return cell.Child("tcPr", "cellDel").Exists() })
}

// rowsOf are the rows of a table without those that are deleted.
func rowsOf(table docx.Element) []docx.Element {
	return slices.DeleteFunc(slices.Collect(docx.Rows(table)), func(row docx.Element) bool { return row.Child("trPr", "del").Exists() })
}

// tableText is a text that differs between tables, and from all paragraphs.
func (c *comparer) tableText(s *docx.Story, table docx.Element) string {
	var b strings.Builder
	for _, row := range rowsOf(table) {
		b.WriteString(c.rowText(s, row))
	}
	return b.String()
}

func (c *comparer) rowText(s *docx.Story, row docx.Element) string {
	var b strings.Builder
	b.WriteByte('\f')
	b.WriteString(strings.Repeat("\r\n", unfilled(row, "gridBefore")))
	for _, cell := range cellsOf(row) {
		blocks := c.blocksOf(s, cell)
		if isBlank(blocks) { // as columns that are left empty
			b.WriteString(strings.Repeat("\r\n", spanOf(cell)))
			continue
		}
		b.WriteByte('\r')
		for _, inner := range blocks {
			b.WriteString(inner.text + "\n")
		}
	}
	b.WriteString(strings.Repeat("\r\n", unfilled(row, "gridAfter")))
	return b.String()
}

func (c *comparer) rowTexts(s *docx.Story, rows []docx.Element) []string {
	all := make([]string, len(rows))
	for i, row := range rows {
		all[i] = c.rowText(s, row)
	}
	return all
}

type comparer struct {
	Comparison
	trial   *applier // to which every change is made that is found
	new     *docx.Document
	story   *docx.Story
	codes   *codebook
	hides   bool             // a change hides text
	refusal string           // why the last change could not be made
	deleted map[string][]int // indices of changes that delete a paragraph, by its text

	lists   map[string]string         // of the other document, each with that of the base which it is, "" for none
	votes   map[string]map[string]int // how many paragraphs two lists have in common
	numbers map[*docx.Document][]string
	looks   *lookBook
	twins   twins

	partners map[*docx.Paragraph]*docx.Paragraph // of paragraphs that stay, those of the other document
}

// left records a difference that remains in the present story.
func (c *comparer) left(what string) {
	if what = c.story.Key + ": " + what; !slices.Contains(c.Left, what) {
		c.Left = append(c.Left, what)
	}
}

// add takes changes in if all of them can be made, beside those before.
func (c *comparer) add(changes ...Change) bool {
	undo := c.trial.checkpoint()
	for i := range changes {
		change := changes[i]
		change.ID = strconv.Itoa(len(c.Changes) + i)
		c.trial.apply(&change)
	}
	if len(c.trial.failed) > 0 {
		c.refusal = c.trial.failed[0].Err.Message
		undo()
		return false
	}
	c.Changes = append(c.Changes, changes...)
	return true
}

// anchor is on a range of a paragraph.
func (c *comparer) anchor(p *docx.Paragraph, start, end int) Anchor {
	index, text := p.Index, []rune(p.Text())
	return Anchor{Part: c.story.Key, ParaID: p.ID(), Block: &index, Start: &start, End: &end, Text: string(text[start:end]), DocSHA256: c.trial.sha256}
}

// whole is an anchor on a paragraph.
func (c *comparer) whole(p *docx.Paragraph) Anchor { return c.anchor(p, 0, p.Len()) }

// column compares sequences of blocks: equal ones first, then the most similar
// ones of what is between.
func (c *comparer) column(old, new []block) {
	i, j := 0, 0
	for _, m := range append(common(texts(old), texts(new)), match{len(old), len(new)}) {
		c.stretch(old[i:m.a], new[j:m.b], old, i)
		if m.a < len(old) {
			c.format(&old[m.a], &new[m.b])
		}
		i, j = m.a+1, m.b+1
	}
}

func texts(blocks []block) []string {
	all := make([]string, len(blocks))
	for i, b := range blocks {
		all[i] = b.text
	}
	return all
}

// alike is how much of two paragraphs must be the same for one to be the other
// rewritten.
const alike = 0.4

// stretch compares blocks of which no two are equal. At is the index of the first
// in the whole column.
func (c *comparer) stretch(old, new, column []block, at int) {
	if a, b, found := c.rejoined(old, new); found {
		c.stretch(old[:a.from], new[:b.from], column, at)
		c.rows(old[a.from].story, new[b.from].story, a.rows, b.rows)
		c.stretch(old[a.to:], new[b.to:], column, at+a.to)
		return
	}
	for i := range old {
		old[i].count()
	}
	for j := range new {
		new[j].count()
	}
	var before, after *block
	if at > 0 {
		before = &column[at-1]
	}
	i, j := 0, 0
	for _, m := range append(similar(old, new), match{len(old), len(new)}) {
		if after = nil; at+m.a < len(column) {
			after = &column[at+m.a]
		}
		c.gap(before, after, old[i:m.a], new[j:m.b])
		if m.a < len(old) {
			c.change(&old[m.a], &new[m.b])
		}
		before = after
		i, j = m.a+1, m.b+1
	}
}

// gap deletes the old blocks between two that stay, and puts the new ones in.
func (c *comparer) gap(before, after *block, old, new []block) {
	old, new = c.besideSections(before, old, new)
	switch {
	case before != nil && before.isTable() && after == nil && len(old) == 0 && len(new) == 1 && isEmpty(&new[0]):
		return // behind the last table the format wants a paragraph, which some programs leave out
	case before == nil && after == nil && len(old) == 1 && isEmpty(&old[0]) && len(new) == 0:
		return // nothing, which is one empty paragraph
	}
	k, l := lastParagraph(old), lastParagraph(new)
	needed := !before.takes() && !after.takes() || after == nil && k == len(old)-1
	if k >= 0 && l >= 0 && needed { // a paragraph must stay, so the last becomes the last
		c.gap(before, &old[k], old[:k], new[:l])
		c.overwrite(&old[k], &new[l])
		c.gap(&old[k], after, old[k+1:], new[l+1:])
		return
	}
	c.remove(old, after == nil)
	c.insert(new, before, after)
}

// lastParagraph is the index of the last block that is no table, -1 if all are.
func lastParagraph(blocks []block) int {
	for i := len(blocks) - 1; i >= 0; i-- {
		if !blocks[i].isTable() {
			return i
		}
	}
	return -1
}

// similar pairs blocks in order, so that the pairs are as alike as can be. Where
// that is too much work it pairs none.
func similar(old, new []block) []match {
	lookups := 0 // of words, to hold each old block against each new one
	for i := range old {
		lookups += len(old[i].words) * len(new)
	}
	if lookups > maxTable || len(old)*len(new) > maxTable/64 {
		return nil
	}
	width := len(new) + 1
	score := make([]float64, (len(old)+1)*width)
	alikes := make([]float64, len(old)*len(new))
	for i := len(old) - 1; i >= 0; i-- {
		for j := len(new) - 1; j >= 0; j-- {
			s := likeness(&old[i], &new[j])
			alikes[i*len(new)+j] = s
			best := max(score[(i+1)*width+j], score[i*width+j+1])
			if s >= alike {
				best = max(best, score[(i+1)*width+j+1]+s)
			}
			score[i*width+j] = best
		}
	}
	var pairs []match
	for i, j := 0, 0; i < len(old) && j < len(new); {
		s := alikes[i*len(new)+j]
		switch {
		case s >= alike && score[i*width+j] == score[(i+1)*width+j+1]+s:
			pairs = append(pairs, match{i, j})
			i, j = i+1, j+1
		case score[(i+1)*width+j] >= score[i*width+j+1]:
			i++
		default:
			j++
		}
	}
	return pairs
}

// count looks at the words of a block.
func (b *block) count() {
	b.words, b.total = map[string]int{}, 0
	if b.isTable() {
		return
	}
	for _, w := range words(b.text, nil) {
		if strings.TrimSpace(w) != "" {
			b.words[w]++
			b.total++
		}
	}
}

// likeness is the share of words that two blocks have in common: their similarity, 0
// to 1.
func likeness(a, b *block) float64 {
	switch {
	case a.isTable() != b.isTable():
		return 0
	case a.isTable(): // tables in the same place are one table
		return 1
	case a.total+b.total == 0:
		return 1
	}
	shared := 0
	for w, n := range a.words {
		shared += min(n, b.words[w])
	}
	return float64(2*shared) / float64(a.total+b.total)
}

// remove deletes blocks. Paragraphs at the end of a story or cell go together,
// since it is the end in front of them that goes with them.
func (c *comparer) remove(blocks []block, atEnd bool) {
	from := len(blocks)
	for atEnd && from > 0 && !blocks[from-1].isTable() {
		from--
	}
	for i := range blocks[:from] {
		if blocks[i].isTable() {
			for _, row := range rowsOf(blocks[i].table) {
				c.row(DeleteRow, row, "", nil, nil)
			}
			continue
		}
		c.delete(blocks[i : i+1])
	}
	c.delete(blocks[from:])
}

// delete deletes paragraphs that follow one another, or at least their texts.
func (c *comparer) delete(blocks []block) {
	if len(blocks) == 0 {
		return
	}
	change := Change{Type: DeleteParagraph, Anchor: c.whole(blocks[0].first())}
	if last := blocks[len(blocks)-1].last(); last != blocks[0].first() {
		change.Anchor.EndBlock = &last.Index
	}
	if c.add(change) {
		if len(blocks) == 1 {
			text := blocks[0].seenText()
			c.deleted[text] = append(c.deleted[text], len(c.Changes)-1)
		}
		return
	}
	for i := range blocks {
		c.left("a paragraph stays: " + c.refusal)
		for _, p := range blocks[i].paragraphs {
			if p.Len() > 0 {
				c.add(Change{Type: Delete, Anchor: c.whole(p)})
			}
		}
	}
}

// insert puts blocks behind the paragraph or table in front of them or, if nothing is
// there, before the next one.
func (c *comparer) insert(blocks []block, before, after *block) {
	if len(blocks) == 0 {
		return
	}
	like := before
	if like == nil {
		like = after
	}
	at := Change{Type: InsertParagraph, Side: After}
	switch {
	case before.takes():
		at.Anchor = c.whole(before.last())
	case after.takes():
		at.Anchor, at.Side = c.whole(after.first()), Before
	case like != nil:
		p := c.firstIn(like.table, "tbl")
		if p == nil {
			c.left("paragraphs are new beside a table without any")
			return
		}
		at.Anchor, at.Of = c.whole(p), docx.OfTable
		if before == nil {
			at.Side = Before
		}
	default:
		c.left("paragraphs are new where there are none")
		return
	}
	for len(blocks) > 0 {
		n := 1
		if after == nil && slices.ContainsFunc(blocks, func(b block) bool { return !c.plain(&b, like) }) {
			n = len(blocks) // the last of them takes the place of the last paragraph
		}
		c.insertAt(at, blocks[:n], like)
		blocks = blocks[n:]
	}
}

// insertAt puts blocks in at one place, as text where that says all of them.
func (c *comparer) insertAt(at Change, blocks []block, like *block) {
	first := &blocks[0]
	for i := range blocks {
		c.alarm(&blocks[i])
	}
	at.Text = c.texted(blocks)
	if at.Of == docx.OfTable || len(blocks) > 1 || !c.plain(first, like) {
		var all []docx.Element
		for _, b := range blocks {
			for _, p := range b.paragraphs {
				all = append(all, p.Element)
			}
			if b.isTable() {
				all = append(all, b.table)
			}
		}
		content, err := c.take(all...)
		if err == nil {
			whole := at
			whole.Content = []*docx.Content{content}
			if c.add(whole) {
				return
			}
		} else {
			c.refusal = fault.Message(err)
		}
		if at.Of == docx.OfTable {
			c.left("blocks are new beside a table: " + c.refusal)
			return
		}
	}
	for i := range blocks {
		if blocks[i].isTable() {
			c.left("a table is new: " + c.refusal)
			continue
		}
		if at.Text = c.writable(blocks[i].seenText()); !c.add(at) {
			c.left("a paragraph is new: " + c.refusal)
		}
	}
}

// alarm notes that a new block has text that cannot be read.
func (c *comparer) alarm(b *block) {
	all := b.paragraphs
	for e := range b.table.Descendants() {
		if e.Is("p") {
			all = append(all, b.story.ParagraphOf(e))
		}
	}
	for _, p := range all {
		words, _ := c.codes.reads(p)
		for i, look := range c.looksOf(c.new, p).looks {
			c.hides = c.hides || look.look.Hidden() != "" && strings.TrimSpace(words.shown[i]) != ""
		}
	}
}

// texted is what blocks say, for those who list changes.
func (c *comparer) texted(blocks []block) string {
	var lines []string
	for i := range blocks {
		if !blocks[i].isTable() {
			lines = append(lines, blocks[i].seenText())
			continue
		}
		for _, row := range rowsOf(blocks[i].table) {
			var cells []string
			for _, cell := range cellsOf(row) {
				var inner []string
				for _, b := range c.blocksOf(blocks[i].story, cell) {
					inner = append(inner, c.texted([]block{b}))
				}
				cells = append(cells, strings.Join(inner, " "))
			}
			lines = append(lines, strings.Join(cells, "\t"))
		}
	}
	return strings.Join(lines, "\n")
}

// plain reports whether a new block is text that looks like the paragraph that it would
// be put in beside.
func (c *comparer) plain(b, like *block) bool {
	if b.isTable() || len(b.items) > 0 || len(b.paragraphs) > 1 || !like.takes() {
		return !b.isTable() && len(b.items) == 0 && !like.takes() && len(b.paragraphs) == 1
	}
	p, model := b.first(), like.last()
	was, is := c.looks.paragraph(c.trial.doc, model), c.looks.paragraph(c.new, p)
	if was.style != is.style || was.list != is.list || was.look.String() != is.look.String() || p.Child("pPr", "sectPr").Exists() {
		return false
	}
	own := c.looksOf(c.new, p)
	for _, look := range own.looks {
		if look.key != c.looks.markOf(c.trial.doc, model) {
			return false
		}
	}
	return true
}

// take copies elements of the other document, with the names that the base has for
// styles and lists.
func (c *comparer) take(elements ...docx.Element) (*docx.Content, error) {
	return c.new.Take(c.known, elements...)
}

// known is what the base calls a style or list of the other document.
func (c *comparer) known(kind, id string) (string, bool) {
	if kind == "list" {
		return c.list(id)
	}
	return c.trial.doc.StyleCalled(kind, c.new.StyleName(id))
}

// lookAt is the look that text gets which a hunk puts into a block, nil where that is not
// known.
func (c *comparer) lookAt(b *block, h Hunk) *textLook {
	if len(b.paragraphs) != 1 {
		return nil
	}
	looks := c.looksOf(c.trial.doc, b.first()).looks
	at := h.Start
	if h.Start == h.End && at > 0 {
		at--
	}
	if at >= len(looks) {
		return nil
	}
	return looks[at]
}

// written is what changes can write of a part of a block from a position on: its text,
// and the content that stands in it for pictures and the like, and for text that looks
// otherwise than what is put in there.
func (c *comparer) written(b *block, from, to int, like *textLook) (string, []*docx.Content) {
	var out strings.Builder
	var content []*docx.Content
	var looks []*textLook
	if like != nil && len(b.paragraphs) == 1 {
		looks = c.looksOf(c.new, b.first()).looks
	}
	for i := from; i < to; i++ {
		if i < len(looks) && looks[i].key != like.key && !b.items[i].Exists() {
			end := i
			for end < to && looks[end].key == looks[i].key && !b.items[end].Exists() {
				end++
			}
			text := c.writable(strings.Join(b.shown[i:end], ""))
			c.hides = c.hides || looks[i].look.Hidden() != "" && strings.TrimSpace(text) != ""
			if taken, err := c.new.TakeText(c.known, looks[i].rPr, text); err == nil && text != "" {
				out.WriteString(docx.ObjectToCome)
				content = append(content, taken)
				i = end - 1
				continue
			}
		}
		item, found := b.items[i]
		if found {
			if taken, err := c.take(item); err == nil && taken.Text() == b.shown[i] {
				out.WriteString(docx.ObjectToCome)
				content = append(content, taken)
				continue
			}
		}
		out.WriteString(c.writable(b.shown[i]))
	}
	return out.String(), content
}

// writable is text as far as changes can write it; the rest is recorded in Left.
func (c *comparer) writable(text string) string {
	lost := false
	written := strings.Map(func(r rune) rune {
		switch {
		case validText(string(r)) == nil:
			return r
		case r == '\f':
			lost = true
			return '\v'
		default:
			lost = true
			return -1
		}
	}, text)
	if lost {
		c.left("a picture, note, formula or page break is new")
	}
	return written
}

func (c *comparer) change(old, new *block) {
	c.partner(old, new)
	if old.text == new.text {
		c.format(old, new)
		return
	}
	if old.isTable() {
		c.table(old, new)
		return
	}
	if len(old.paragraphs) == 1 && len(new.paragraphs) == 1 {
		c.paragraph(old.first(), new.first())
	}
	p := old.seen()
	if p == nil {
		c.left("paragraphs differ that a tracked change joins")
		return
	}
	text, at, from := "", 0, 0
	var content []*docx.Content
	for _, h := range Diff(old.text, new.text) {
		from += h.Start - at
		length := len([]rune(h.Text))
		written, objects := c.written(new, from, from+length, c.lookAt(old, h))
		text += strings.Join(old.shown[at:h.Start], "") + written
		content = append(content, objects...)
		at, from = h.End, from+length
	}
	if text += strings.Join(old.shown[at:], ""); text == p.Text() || c.add(Change{Type: Rewrite, Anchor: c.whole(p), Text: text, Content: content}) {
		return
	}
	if strings.ContainsAny(text, kept) || !c.replace(p, text, content) {
		c.left("a paragraph differs: " + c.refusal)
	}
}

// overwrite gives a paragraph that must stay the text of another.
func (c *comparer) overwrite(old, new *block) {
	if p := old.seen(); p == nil || likeness(old, new) >= alike {
		c.change(old, new)
	} else {
		c.partner(old, new)
		if len(old.paragraphs) == 1 && len(new.paragraphs) == 1 {
			c.paragraph(old.first(), new.first())
		}
		if text, content := c.written(new, 0, len(new.shown), nil); !c.replace(p, text, content) {
			c.left("a paragraph differs: " + c.refusal)
		}
	}
}

// replace gives a paragraph another text as a whole.
func (c *comparer) replace(p *docx.Paragraph, text string, content []*docx.Content) bool {
	var changes []Change
	if p.Len() > 0 {
		changes = append(changes, Change{Type: Delete, Anchor: c.whole(p)})
	}
	if text != "" {
		changes = append(changes, Change{Type: Insert, Anchor: c.anchor(p, p.Len(), p.Len()), Text: text, Content: content})
	}
	return c.add(changes...)
}

// table compares tables row by row, and rows of as many cells cell by cell.
func (c *comparer) table(old, new *block) {
	c.tableProperties(old.table, new.table)
	c.rows(old.story, new.story, rowsOf(old.table), rowsOf(new.table))
}

func (c *comparer) rows(oldStory, newStory *docx.Story, was, is []docx.Element) {
	i, j := 0, 0
	var before, after docx.Element // the rows around that stay
	for _, m := range append(common(c.rowTexts(oldStory, was), c.rowTexts(newStory, is)), match{len(was), len(is)}) {
		for i < m.a && j < m.b && (cellCount(was[i]) == cellCount(is[j]) || m.a-i == m.b-j) {
			c.cells(oldStory, newStory, was[i], is[j])
			before = was[i]
			i, j = i+1, j+1
		}
		for ; i < m.a; i++ {
			c.row(DeleteRow, was[i], "", nil, nil)
		}
		if after = (docx.Element{}); m.a < len(was) {
			after = was[m.a]
		}
		for ; j < m.b; j++ {
			c.newRow(newStory, before, after, is[j])
		}
		if m.a < len(was) {
			c.cells(oldStory, newStory, was[m.a], is[m.b])
		}
		before = after
		i, j = m.a+1, m.b+1
	}
}

// cellCount counts the cells of a row with the columns that it leaves empty.
func cellCount(row docx.Element) int {
	return len(cellsOf(row)) + unfilled(row, "gridBefore") + unfilled(row, "gridAfter")
}

// newRow puts a row between two: as text beside one that has as many cells, if it has no
// more than that.
func (c *comparer) newRow(s *docx.Story, before, after, row docx.Element) {
	beside, side := before, After
	if !before.Exists() {
		beside, side = after, Before
	}
	if !beside.Exists() {
		c.left("a row is new in a table of which none stays")
		return
	}
	var texts []string
	for _, cell := range cellsOf(row) {
		var lines []string
		for _, b := range c.blocksOf(s, cell) {
			lines = append(lines, c.texted([]block{b}))
		}
		texts = append(texts, strings.Join(lines, "\n"))
	}
	content, err := c.take(row)
	if err != nil {
		c.left("a row is new: " + fault.Message(err))
		return
	}
	c.row(InsertRow, beside, side, texts, content)
}

func (c *comparer) row(kind Type, row docx.Element, side Side, cells []string, content *docx.Content) {
	p := c.firstIn(row, "tr")
	change := Change{Type: kind, Side: side, Cells: cells}
	if content != nil {
		change.Content = []*docx.Content{content}
	}
	if p != nil {
		change.Anchor = c.whole(p)
	}
	switch {
	case p == nil:
		c.left("a row without paragraphs is new or gone")
	case !c.add(change):
		c.left("a row is new or gone: " + c.refusal)
	}
}

func (c *comparer) cells(oldStory, newStory *docx.Story, was, is docx.Element) {
	old, new := c.filled(oldStory, was, is), c.filled(newStory, is, was)
	var names map[string]bool
	if len(old) != len(cellsOf(was)) || len(new) != len(cellsOf(is)) {
		names = map[string]bool{"cantSplit": true, "trHeight": true, "tblHeader": true, "tblCellSpacing": true, "jc": true, "hidden": true} // its columns stay
	}
	c.set(docx.OfRow, c.firstIn(was, "tr"), was.Child("trPr"), is.Child("trPr"), names)
	one := func(i, j int) {
		c.set(docx.OfCell, c.firstIn(old[i], "tc"), old[i].Child("tcPr"), new[j].Child("tcPr"), nil)
		c.column(c.blocksOf(oldStory, old[i]), c.blocksOf(newStory, new[j]))
	}
	if len(old) == len(new) {
		for i := range old {
			one(i, i)
		}
		return
	}
	var before docx.Element
	i, j := 0, 0
	for _, m := range append(pairCells(c.cellBlocks(oldStory, old), c.cellBlocks(newStory, new)), match{len(old), len(new)}) {
		for ; i < m.a; i++ {
			if p := c.firstIn(old[i], "tc"); p == nil || !c.add(Change{Type: DeleteCell, Anchor: c.whole(p)}) {
				c.left("a cell is gone: " + c.refusal)
			}
		}
		for ; j < m.b; j++ {
			beside, side := before, After
			if !before.Exists() {
				beside, side = old[min(m.a, len(old)-1)], Before
			}
			p := c.firstIn(beside, "tc")
			content, err := c.take(new[j])
			if err != nil {
				c.left("a cell is new: " + fault.Message(err))
			} else if p == nil || !c.add(Change{Type: InsertCell, Side: side, Anchor: c.whole(p), Text: c.cellText(newStory, new[j]), Content: []*docx.Content{content}}) {
				c.left("a cell is new: " + c.refusal)
			}
		}
		if m.a < len(old) {
			one(m.a, m.b)
			before = old[m.a]
		}
		i, j = m.a+1, m.b+1
	}
}

// cellText is what a cell says.
func (c *comparer) cellText(s *docx.Story, cell docx.Element) string {
	var lines []string
	for _, b := range c.blocksOf(s, cell) {
		lines = append(lines, c.texted([]block{b}))
	}
	return strings.Join(lines, "\n")
}

func (c *comparer) cellBlocks(s *docx.Story, cells []docx.Element) []block {
	all := make([]block, len(cells))
	for i, cell := range cells {
		all[i] = block{paragraphs: make([]*docx.Paragraph, 1), text: c.cellText(s, cell)}
		all[i].count()
	}
	return all
}

// pairCells pairs the cells of two rows: equal ones, the most similar, and then the rest
// in order.
func pairCells(old, new []block) (pairs []match) {
	i, j := 0, 0
	for _, m := range append(common(texts(old), texts(new)), match{len(old), len(new)}) {
		a, b := i, j
		for _, s := range append(similar(old[i:m.a], new[j:m.b]), match{m.a - i, m.b - j}) {
			for ; a < i+s.a && b < j+s.b; a, b = a+1, b+1 {
				pairs = append(pairs, match{a, b})
			}
			if i+s.a < m.a {
				pairs = append(pairs, match{i + s.a, j + s.b})
			}
			a, b = i+s.a+1, j+s.b+1
		}
		if m.a < len(old) {
			pairs = append(pairs, m)
		}
		i, j = m.a+1, m.b+1
	}
	return pairs
}

// leastMoved is the least length in words of a paragraph that is reported as moved;
// shorter ones are often repeated.
const leastMoved = 3

// pairMoves finds paragraphs that are in another place now: first those that are the
// same, then those that were edited as well.
func (c *comparer) pairMoves() {
	var open []int
	for i, change := range c.Changes {
		if change.Type != InsertParagraph || len(strings.Fields(change.Text)) < leastMoved {
			continue
		}
		from := c.deleted[change.Text]
		if len(from) > 0 {
			c.Moves = append(c.Moves, Move{From: from[0], To: i})
			c.deleted[change.Text] = from[1:]
		} else if !strings.ContainsAny(change.Text, "\n\t") {
			open = append(open, i)
		}
	}
	var gone []block
	var at []int
	for _, text := range slices.Sorted(maps.Keys(c.deleted)) {
		for _, i := range c.deleted[text] {
			if len(strings.Fields(text)) >= leastMoved {
				gone, at = append(gone, wordsOf(text)), append(at, i)
			}
		}
	}
	if len(open)*len(gone) > maxTable/64 {
		return
	}
	for _, to := range open {
		is := wordsOf(c.Changes[to].Text)
		best, most := -1, movedLikeness
		for k := range gone {
			if share := likeness(&gone[k], &is); at[k] >= 0 && (share > most || best < 0 && share == most) {
				best, most = k, share
			}
		}
		if best >= 0 {
			c.Moves = append(c.Moves, Move{From: at[best], To: to})
			at[best] = -1
		}
	}
}

// movedLikeness is how much of a paragraph must be the same for it to be one that was
// moved and edited.
const movedLikeness = 0.7

// wordsOf is a text as a block, to be compared with others.
func wordsOf(text string) block {
	b := block{paragraphs: make([]*docx.Paragraph, 1), text: text}
	b.count()
	return b
}

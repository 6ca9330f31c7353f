package redline

import (
	"slices"
	"strings"

	"github.com/clausemill/clausemill/docx"
	"github.com/clausemill/clausemill/fault"
)

// A Comparison is what turns one document into another.
type Comparison struct {
	Changes []Change
	Moves   []Move   // pairs of changes that are one move
	Left    []string // what cannot be said by changes
}

// A Move is a paragraph that is deleted in one place and put in unchanged in
// another.
type Move struct {
	From, To int // indices into Changes
}

// Compare finds the changes that give base the text of other, word by word and
// paragraph by paragraph. Of both documents it looks at what a reader sees:
// insertions in, deletions out. Formatting and pictures are not compared; tables
// are as far as they have the same columns.
func Compare(base, other []byte) (*Comparison, error) {
	old, err := docx.Open(base)
	if err != nil {
		return nil, err
	}
	new, err := docx.Open(other)
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, "the file to compare with: "+fault.Message(err), err)
	}
	c := &comparer{sha256: SHA256(base)}
	for _, s := range old.Stories() {
		counterpart := new.Story(s.Key)
		if counterpart == nil {
			c.left(s.Key + " has no counterpart")
			continue
		}
		c.story = s
		c.column(blocksOf(s, s.Root), blocksOf(counterpart, counterpart.Root))
	}
	for _, s := range new.Stories() {
		if old.Story(s.Key) == nil {
			c.left(s.Key + " is new")
		}
	}
	c.pairMoves()
	return &c.Comparison, nil
}

// A block is a paragraph or a table, with what it says.
type block struct {
	p     *docx.Paragraph // nil for a table
	table docx.Element
	story *docx.Story
	text  string
}

func blocksOf(s *docx.Story, container docx.Element) []block {
	var all []block
	for e := range docx.Blocks(container) {
		b := block{story: s}
		if e.Is("p") {
			b.p = s.ParagraphOf(e)
			b.text = b.p.Text()
		} else {
			b.table = e
			b.text = tableText(s, e)
		}
		all = append(all, b)
	}
	return all
}

// tableText tells tables apart, and from paragraphs.
func tableText(s *docx.Story, table docx.Element) string {
	var b strings.Builder
	for row := range docx.Rows(table) {
		b.WriteString(rowText(s, row))
	}
	return b.String()
}

func rowText(s *docx.Story, row docx.Element) string {
	var b strings.Builder
	b.WriteByte('\f')
	for cell := range docx.Cells(row) {
		b.WriteByte('\r')
		for _, inner := range blocksOf(s, cell) {
			b.WriteString(inner.text + "\n")
		}
	}
	return b.String()
}

type comparer struct {
	Comparison
	story   *docx.Story
	sha256  string
	deleted map[string][]int // indices of changes that delete a paragraph, by its text
}

func (c *comparer) left(what string) { c.Left = append(c.Left, what) }

func (c *comparer) anchor(p *docx.Paragraph) Anchor {
	index, start, end := p.Index, 0, p.Len()
	return Anchor{Part: c.story.Key, ParaID: p.ID(), Block: &index, Start: &start, End: &end, Text: p.Text(), DocSHA256: c.sha256}
}

// column compares sequences of blocks: equal ones first, then the most similar
// ones of what is between.
func (c *comparer) column(old, new []block) {
	i, j := 0, 0
	for _, m := range append(common(texts(old), texts(new)), match{len(old), len(new)}) {
		c.stretch(old[i:m.a], new[j:m.b], old, i)
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
	pairs := similar(old, new)
	i, j := 0, 0
	for _, m := range append(pairs, match{len(old), len(new)}) {
		kept := column[:at+m.a]
		for ; i < m.a; i++ {
			c.remove(old[i])
		}
		c.insert(new[j:m.b], kept, column[at+m.a:])
		j = m.b + 1
		if m.a < len(old) {
			c.change(old[m.a], new[m.b])
			i = m.a + 1
		}
	}
}

// similar pairs blocks in order, so that the pairs are as alike as can be.
func similar(old, new []block) []match {
	if len(old)*len(new) > maxTable/64 {
		return nil
	}
	width := len(new) + 1
	score := make([]float64, (len(old)+1)*width)
	alikes := make([]float64, len(old)*len(new))
	for i := len(old) - 1; i >= 0; i-- {
		for j := len(new) - 1; j >= 0; j-- {
			s := likeness(old[i], new[j])
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

// likeness is the share of words that two blocks have in common, 0 to 1.
func likeness(a, b block) float64 {
	if (a.p == nil) != (b.p == nil) {
		return 0
	}
	if a.p == nil {
		return 1 // tables in the same place are one table
	}
	counts := map[string]int{}
	all := 0
	for _, w := range words(a.text, nil) {
		if strings.TrimSpace(w) != "" {
			counts[w]++
			all++
		}
	}
	shared := 0
	for _, w := range words(b.text, nil) {
		if strings.TrimSpace(w) == "" {
			continue
		}
		all++
		if counts[w] > 0 {
			counts[w]--
			shared += 2
		}
	}
	if all == 0 {
		return 1
	}
	return float64(shared) / float64(all)
}

func (c *comparer) remove(b block) {
	if b.p == nil {
		for row := range docx.Rows(b.table) {
			c.row(DeleteRow, row, "", nil)
		}
		return
	}
	if c.deleted == nil {
		c.deleted = map[string][]int{}
	}
	c.deleted[b.text] = append(c.deleted[b.text], len(c.Changes))
	c.Changes = append(c.Changes, Change{Type: DeleteParagraph, Anchor: c.anchor(b.p)})
}

// insert puts blocks behind the last paragraph in front of them or, if a table
// or nothing is there, before the next one.
func (c *comparer) insert(blocks, before, after []block) {
	for _, b := range blocks {
		if b.p == nil {
			c.left("a table is new in " + c.story.Key)
			continue
		}
		if strings.Contains(b.text, "\uFFFC") {
			c.left("a picture, note or formula is new in " + c.story.Key)
		}
		change := Change{Type: InsertParagraph, Text: plain(b.text)}
		switch {
		case len(before) > 0 && before[len(before)-1].p != nil:
			change.Anchor, change.Side = c.anchor(before[len(before)-1].p), After
		case len(after) > 0 && after[0].p != nil:
			change.Anchor, change.Side = c.anchor(after[0].p), Before
		default:
			c.left("a paragraph is new between two tables in " + c.story.Key)
			continue
		}
		c.Changes = append(c.Changes, change)
	}
}

// plain is text as far as it can be written: pictures and notes cannot.
func plain(text string) string { return strings.NewReplacer("\uFFFC", "", "\f", "\v").Replace(text) }

func (c *comparer) change(old, new block) {
	if old.text == new.text {
		return
	}
	if old.p == nil {
		c.table(old, new)
		return
	}
	if strings.Count(old.text, "\uFFFC") != strings.Count(new.text, "\uFFFC") {
		c.left("a picture or note in " + c.story.Key)
	}
	text := new.text
	if !strings.Contains(old.text, "\uFFFC") {
		text = plain(text)
	}
	if text != old.text {
		c.Changes = append(c.Changes, Change{Type: Rewrite, Anchor: c.anchor(old.p), Text: text})
	}
}

// table compares tables row by row, and rows of as many cells cell by cell.
func (c *comparer) table(old, new block) {
	was, is := slices.Collect(docx.Rows(old.table)), slices.Collect(docx.Rows(new.table))
	textsOf := func(s *docx.Story, rows []docx.Element) []string {
		all := make([]string, len(rows))
		for i, row := range rows {
			all[i] = rowText(s, row)
		}
		return all
	}
	i, j := 0, 0
	for _, m := range append(common(textsOf(old.story, was), textsOf(new.story, is)), match{len(was), len(is)}) {
		for i < m.a && j < m.b && len(slices.Collect(docx.Cells(was[i]))) == len(slices.Collect(docx.Cells(is[j]))) {
			c.cells(old.story, new.story, was[i], is[j])
			i, j = i+1, j+1
		}
		for ; i < m.a; i++ {
			c.row(DeleteRow, was[i], "", nil)
		}
		for ; j < m.b; j++ {
			c.newRow(new.story, was, m.a, is[j])
		}
		i, j = m.a+1, m.b+1
	}
}

// newRow puts a row behind the one at index at-1, or before the first.
func (c *comparer) newRow(s *docx.Story, rows []docx.Element, at int, row docx.Element) {
	var texts []string
	for cell := range docx.Cells(row) {
		var lines []string
		for _, b := range blocksOf(s, cell) {
			lines = append(lines, plain(b.text))
		}
		texts = append(texts, strings.Join(lines, "\n"))
	}
	beside, side := rows[max(0, at-1)], After
	if at == 0 {
		side = Before
	}
	if len(slices.Collect(docx.Cells(beside))) != len(texts) {
		c.left("a row with other columns is new in " + c.story.Key)
		return
	}
	c.row(InsertRow, beside, side, texts)
}

func (c *comparer) row(kind Type, row docx.Element, side Side, cells []string) {
	for e := range row.Descendants() {
		if !e.Is("p") {
			continue
		}
		if p := c.story.ParagraphOf(e); p != nil {
			c.Changes = append(c.Changes, Change{Type: kind, Anchor: c.anchor(p), Side: side, Cells: cells})
			return
		}
	}
}

func (c *comparer) cells(oldStory, newStory *docx.Story, was, is docx.Element) {
	old, new := slices.Collect(docx.Cells(was)), slices.Collect(docx.Cells(is))
	for i := range old {
		c.column(blocksOf(oldStory, old[i]), blocksOf(newStory, new[i]))
	}
}

// leastMoved is the length in words of a paragraph that is told to have moved;
// shorter ones are often said twice.
const leastMoved = 3

// pairMoves finds paragraphs that are only in another place now.
func (c *comparer) pairMoves() {
	for i, change := range c.Changes {
		if change.Type != InsertParagraph || len(strings.Fields(change.Text)) < leastMoved {
			continue
		}
		from := c.deleted[change.Text]
		if len(from) > 0 {
			c.Moves = append(c.Moves, Move{From: from[0], To: i})
			c.deleted[change.Text] = from[1:]
		}
	}
}

package redline

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/clausemill/clausemill/docx"
	"github.com/clausemill/clausemill/fault"
)

// How is the way in which an anchor was matched.
type How string

// The ways to find an anchor, best first.
const (
	Exact   How = "exact"   // position and words agree
	Moved   How = "moved"   // the words are once in their paragraph
	Context How = "context" // the words are once in their part, by what is around them
	Folded  How = "folded"  // the same, regardless of the kind of white space, paragraph ends, quotes and dashes

	// Numbered is the same, with the list numbers of paragraphs: words that a user
	// copies from a page include them.
	Numbered How = "numbered"
)

// Resolved is the place of an anchor in a document.
type Resolved struct {
	Part     string `json:"part"`
	Block    int    `json:"block"`
	EndBlock int    `json:"endBlock" doc:"Index of the paragraph that contains the end"`
	Start    int    `json:"start" doc:"Start in the paragraph block"`
	End      int    `json:"end" doc:"End in the paragraph endBlock"`
	How      How    `json:"how"`
}

// A spot is a resolved anchor in its document.
type spot struct {
	Resolved
	column *column
	start  int // in the text of the column
	end    int
	from   int // index in the column of the first and last paragraph
	to     int
	quoted []int    // where each code point of the folded words stands in the words of the anchor
	stands []int    // and where in the column; nil where the words were not folded
	labels [][2]int // where numbers of paragraphs stand in the words of the anchor
}

func (s *spot) first() *docx.Paragraph { return s.column.paragraphs[s.from] }

// A column is a sequence of paragraphs with the text of all, joined by \n.
type column struct {
	story      *docx.Story
	paragraphs []*docx.Paragraph
	text       []rune
	starts     []int // of each paragraph in text
}

// at finds the paragraph that holds an offset. At a boundary it is the one that
// begins there unless ends is set.
func (c *column) at(offset int) int {
	i, found := slices.BinarySearch(c.starts, offset)
	if !found {
		i--
	}
	return i
}

// length is the length of a paragraph's text.
func (c *column) length(i int) int {
	if i+1 < len(c.starts) {
		return c.starts[i+1] - 1 - c.starts[i]
	}
	return len(c.text) - c.starts[i]
}

// A reading is a document prepared to find anchors in.
type reading struct {
	doc     *docx.Document
	sha256  string
	columns map[string][]*column
	flows   map[string]*column // all paragraphs of a part, whatever is between them
	folds   map[*column]folding
	labels  map[*column]folding // with the numbers of paragraphs; see labelled
	missed  bool                // words were not found, and similar ones were reported
}

func read(doc *docx.Document, sha256 string) *reading {
	return &reading{doc: doc, sha256: sha256, columns: map[string][]*column{}, flows: map[string]*column{}, folds: map[*column]folding{}, labels: map[*column]folding{}}
}

func (r *reading) part(key string) []*column {
	if columns, known := r.columns[key]; known {
		return columns
	}
	var all []*column
	if story := r.doc.Story(key); story != nil {
		for _, paragraphs := range story.Columns() {
			all = append(all, newColumn(story, paragraphs))
		}
	}
	r.columns[key] = all
	return all
}

func newColumn(story *docx.Story, paragraphs []*docx.Paragraph) *column {
	c := &column{story: story, paragraphs: paragraphs, starts: make([]int, len(paragraphs))}
	length := 0
	for _, p := range paragraphs {
		length += p.Len() + 1
	}
	c.text = make([]rune, 0, length)
	for i, p := range paragraphs {
		if i > 0 {
			c.text = append(c.text, '\n')
		}
		c.starts[i] = len(c.text)
		for _, r := range p.Text() {
			c.text = append(c.text, r)
		}
	}
	return c
}

// block finds the column and index in it of a paragraph.
func (r *reading) block(part string, index int) (*column, int) {
	for _, c := range r.part(part) {
		i, found := slices.BinarySearchFunc(c.paragraphs, index, func(p *docx.Paragraph, at int) int { return p.Index - at })
		if found {
			return c, i
		}
	}
	return nil, 0
}

// locate finds what an anchor means. Whole asks for paragraphs, not text.
func (r *reading) locate(a Anchor, whole bool) (*spot, error) {
	if a.Part == "" {
		a.Part = "body"
	}
	if r.part(a.Part) == nil {
		return nil, refuse(fault.Invalid, AnchorNotFound, "the document has no part "+a.Part)
	}
	if a.Start != nil && a.End != nil && *a.Start > *a.End {
		return nil, refuse(fault.Invalid, AnchorMismatch, "the anchor ends before it starts")
	}
	if (a.Start != nil || a.End != nil) && a.Block == nil {
		return nil, refuse(fault.Invalid, AnchorMismatch, "an offset needs the block that it counts in")
	}
	stale := a.DocSHA256 != "" && a.DocSHA256 != r.sha256
	if a.Text == "" {
		return r.byPosition(a, stale, whole)
	}
	if a.Block != nil && !stale {
		found, err := r.exact(a, whole)
		if found != nil || err != nil {
			return found, err
		}
	}
	if a.binds(r.sha256) {
		return r.inBlock(a, whole)
	}
	found, err := r.byText(a, whole)
	if err != nil && stale && asError(err).Code == AnchorNotFound {
		return nil, refuse(fault.Conflict, StaleDocument, "the anchor was made for another version of the file, and its words do not stand in this one")
	}
	return found, err
}

// byPosition resolves an anchor without words.
func (r *reading) byPosition(a Anchor, stale, whole bool) (*spot, error) {
	if a.ParaID != "" && (whole || a.Block == nil) {
		if found := r.paragraphs(a); len(found) == 1 {
			c, i := r.block(a.Part, found[0].Index)
			return r.span(c, i, a, whole, Moved)
		}
	}
	switch {
	case stale:
		return nil, refuse(fault.Conflict, StaleDocument, "the anchor was made for another version of the file; anchor the change to words")
	case a.Block == nil:
		return nil, refuse(fault.Invalid, AnchorMismatch, "the anchor needs a block or words")
	}
	c, i := r.block(a.Part, *a.Block)
	if c == nil {
		return nil, refuse(fault.Invalid, AnchorMismatch, fmt.Sprintf("the part has no paragraph %d", *a.Block))
	}
	return r.span(c, i, a, whole, Exact)
}

// span makes a spot of offsets in a paragraph; of all of it without them.
func (r *reading) span(c *column, i int, a Anchor, whole bool, how How) (*spot, error) {
	if whole {
		return r.whole(c, i, a, how)
	}
	start, end := c.starts[i], c.starts[i]+c.length(i)
	if a.Start != nil {
		start = c.starts[i] + *a.Start
	}
	switch {
	case a.End != nil:
		end = c.starts[i] + *a.End
	case a.Start != nil:
		end = start
	}
	if start > c.starts[i]+c.length(i) || end > len(c.text) || start > end {
		return nil, &Error{
			Kind: fault.Invalid, Code: AnchorMismatch, Message: fmt.Sprintf("the offsets lie outside of the paragraph, which has %d code points", c.length(i)),
			Candidates: []Candidate{r.candidate(r.spot(c, c.starts[i], c.starts[i]+c.length(i), Exact))},
		}
	}
	return r.spot(c, start, end, how), nil
}

// whole makes a spot of paragraphs.
func (r *reading) whole(c *column, i int, a Anchor, how How) (*spot, error) {
	last := i
	if a.EndBlock != nil {
		other, j := r.block(a.Part, *a.EndBlock)
		if other != c || j < i {
			return nil, refuse(fault.Invalid, docx.CrossesStructure, "endBlock is not a later paragraph of the same story or cell")
		}
		last = j
	}
	return r.spot(c, c.starts[i], c.starts[last]+c.length(last), how), nil
}

func (r *reading) spot(c *column, start, end int, how How) *spot {
	s := &spot{column: c, start: start, end: end, from: c.at(start), to: c.at(end)}
	s.Resolved = Resolved{
		Part: c.story.Key, Block: c.paragraphs[s.from].Index, EndBlock: c.paragraphs[s.to].Index,
		Start: start - c.starts[s.from], End: end - c.starts[s.to], How: how,
	}
	return s
}

// exact looks at the very position: nothing where the words are not there,
// unless the document is known to be the one that the anchor was made for.
func (r *reading) exact(a Anchor, whole bool) (*spot, error) {
	c, i := r.block(a.Part, *a.Block)
	if c == nil {
		if a.DocSHA256 != "" {
			return nil, refuse(fault.Invalid, AnchorMismatch, fmt.Sprintf("the part has no paragraph %d", *a.Block))
		}
		return nil, nil //nolint:nilnil // not there is an answer
	}
	words := []rune(a.Text)
	if whole {
		if slices.Equal(c.text[c.starts[i]:c.starts[i]+c.length(i)], words) {
			return r.whole(c, i, a, Exact)
		}
		return nil, nil //nolint:nilnil // not there is an answer
	}
	if a.Start == nil {
		return nil, nil //nolint:nilnil // not there is an answer
	}
	start := c.starts[i] + *a.Start
	end := start + len(words)
	if a.End != nil {
		end = c.starts[i] + *a.End
	}
	if end <= len(c.text) && start <= end && slices.Equal(c.text[start:end], words) {
		return r.spot(c, start, end, Exact), nil
	}
	if a.DocSHA256 != "" {
		there := r.spot(c, min(start, len(c.text)), min(end, len(c.text)), Exact)
		return nil, &Error{
			Kind: fault.Invalid, Code: AnchorMismatch, Message: "at the offsets of the anchor stand other words",
			Candidates: []Candidate{r.candidate(there)},
		}
	}
	return nil, nil //nolint:nilnil // not there is an answer
}

// paragraphs are those of the part that have the anchor's identifier.
func (r *reading) paragraphs(a Anchor) []*docx.Paragraph {
	var found []*docx.Paragraph
	for _, c := range r.part(a.Part) {
		for _, p := range c.paragraphs {
			if p.ID() == a.ParaID {
				found = append(found, p)
			}
		}
	}
	return found
}

// inBlock looks for the words in the paragraph that the anchor names, and nowhere else:
// occurrences count there.
func (r *reading) inBlock(a Anchor, whole bool) (*spot, error) {
	c, i := r.block(a.Part, *a.Block)
	if c == nil {
		return nil, refuse(fault.Invalid, AnchorMismatch, fmt.Sprintf("the part has no paragraph %d", *a.Block))
	}
	found, err := r.byText(a, whole)
	if err == nil || asError(err).Code != AnchorNotFound {
		return found, err
	}
	return nil, &Error{
		Kind: fault.Invalid, Code: AnchorMismatch, Message: fmt.Sprintf("paragraph %d does not have the words of the anchor; leave block out to look for them everywhere", *a.Block),
		Candidates: []Candidate{r.candidate(r.spot(c, c.starts[i], c.starts[i]+c.length(i), Exact))},
	}
}

// binds reports whether the anchor names the paragraph that its words are in, without
// saying where in it, for the document of a hash.
func (a Anchor) binds(sha256 string) bool {
	return a.Block != nil && a.Start == nil && a.ParaID == "" && (a.DocSHA256 == "" || a.DocSHA256 == sha256)
}

// bound keeps the places in the paragraph that the anchor binds to, if it does.
func (a Anchor) bound(sha256 string, all []*spot) []*spot {
	if !a.binds(sha256) {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(s *spot) bool { return s.Block != *a.Block })
}

// byText looks for the words: in their paragraph, in their part, folded.
func (r *reading) byText(a Anchor, whole bool) (*spot, error) {
	var few []*spot // fewer than the occurrence that is asked for
	for _, search := range []struct {
		how How
		in  func() []*spot
	}{
		{Moved, func() []*spot { return r.inParagraph(a) }},
		{Context, func() []*spot { return r.inContext(a, r.occurrences(a.Part, a.Text, false), false) }},
		{Folded, func() []*spot { return r.inContext(a, r.occurrences(a.Part, a.Text, true), true) }},
		{Numbered, func() []*spot { return r.inContext(a, r.numbered(a), true) }},
	} {
		found := a.bound(r.sha256, search.in())
		if search.how == Moved && len(found) != 1 {
			continue
		}
		switch {
		case a.Occurrence > 0 && a.Occurrence <= len(found):
			found = found[a.Occurrence-1 : a.Occurrence]
		case a.Occurrence > 0 && len(found) > len(few):
			few, found = found, nil
		case a.Occurrence > 0:
			found = nil
		}
		switch {
		case len(found) == 1:
			found[0].How = search.how
			if whole {
				if a.EndBlock == nil {
					a.EndBlock = &found[0].EndBlock
				}
				return r.whole(found[0].column, found[0].from, a, search.how)
			}
			return found[0], nil
		case len(found) > 1:
			return nil, r.ambiguous(found)
		}
	}
	if few != nil {
		return nil, r.tooFew(a, few)
	}
	if a.binds(r.sha256) {
		return nil, refuse(fault.Invalid, AnchorNotFound, "the words of the anchor do not stand in its paragraph")
	}
	if apart := r.apart(a); apart != nil {
		return nil, apart
	}
	return nil, r.missing(a)
}

// apart refuses words that are in the part, but cross the boundary of a cell or text
// box, and lists which of them are where.
func (r *reading) apart(a Anchor) error {
	flow, known := r.flows[a.Part]
	if !known {
		story := r.doc.Story(a.Part)
		flow = newColumn(story, story.Paragraphs())
		r.flows[a.Part] = flow
	}
	found := r.inContext(a, r.within(flow, a.Text, true), true)
	if len(found) == 0 {
		return nil
	}
	e := refuse(fault.Invalid, docx.CrossesStructure, "the words cross the boundary of a cell or text box; each of these needs a change of its own")
	s := found[0]
	for i := s.from; i <= s.to && len(e.Candidates) < maxCandidates; i++ {
		c, at := r.block(a.Part, flow.paragraphs[i].Index)
		start, end := max(s.start, flow.starts[i])-flow.starts[i], min(s.end-flow.starts[i], flow.length(i))
		if c != nil && start < end {
			e.Candidates = append(e.Candidates, r.candidate(r.spot(c, c.starts[at]+start, c.starts[at]+end, Folded)))
		}
	}
	return e
}

// inParagraph looks in the paragraph that the anchor names, if it names one.
func (r *reading) inParagraph(a Anchor) []*spot {
	if a.ParaID == "" || a.Occurrence > 0 {
		return nil
	}
	named := r.paragraphs(a)
	if len(named) != 1 {
		return nil
	}
	var found []*spot
	for _, s := range r.occurrences(a.Part, a.Text, false) {
		if s.first() == named[0] {
			found = append(found, s)
		}
	}
	return found
}

// inContext keeps the places that have the anchor's text around them.
func (r *reading) inContext(a Anchor, all []*spot, fold bool) []*spot {
	if a.Before == "" && a.After == "" {
		return all
	}
	var kept []*spot
	for _, s := range all {
		before := string(s.column.text[max(0, s.start-2*len(a.Before)):s.start])
		after := string(s.column.text[s.end:min(len(s.column.text), s.end+2*len(a.After))])
		wantBefore, wantAfter := a.Before, a.After
		if fold {
			before, after = string(fold1(before)), string(fold1(after))
			wantBefore, wantAfter = string(fold1(wantBefore)), string(fold1(wantAfter))
		}
		if strings.HasSuffix(before, wantBefore) && strings.HasPrefix(after, wantAfter) {
			kept = append(kept, s)
		}
	}
	return kept
}

func fold1(text string) []rune { return fold([]rune(text)).text }

// occurrences finds words in a part, in document order.
func (r *reading) occurrences(part, text string, folded bool) []*spot {
	var found []*spot
	for _, c := range r.part(part) {
		found = append(found, r.within(c, text, folded)...)
	}
	slices.SortFunc(found, func(a, b *spot) int {
		if a.Block != b.Block {
			return a.Block - b.Block
		}
		return a.Start - b.Start
	})
	return found
}

// within finds words in a column.
func (r *reading) within(c *column, text string, folded bool) (found []*spot) {
	words, in := folding{text: []rune(text)}, folding{text: c.text}
	if folded {
		words, in = fold(words.text).trimmed(), r.fold(c)
	}
	if len(words.text) == 0 {
		return nil
	}
	for at := 0; ; at++ {
		i := index(in.text[at:], words.text)
		if i < 0 {
			return found
		}
		at += i
		s := r.spot(c, in.original(at), in.original(at+len(words.text)-1)+1, Context)
		if folded {
			s.quoted, s.stands = words.from, in.from[at:at+len(words.text)]
		}
		found = append(found, s)
	}
}

// labelled is the folded text of a column of the body with the numbers of its
// paragraphs, which stand nowhere: at -1.
func (r *reading) labelled(c *column) folding {
	f, known := r.labels[c]
	if known {
		return f
	}
	var text []rune
	var stands []int
	for i, p := range c.paragraphs {
		if number := r.doc.Numbers()[p.Index]; number != "" {
			for _, x := range number + " " {
				text, stands = append(text, x), append(stands, -1)
			}
		}
		for at := c.starts[i]; at < min(c.starts[i]+c.length(i)+1, len(c.text)); at++ {
			text, stands = append(text, c.text[at]), append(stands, at)
		}
	}
	f = fold(text)
	for i, at := range f.from {
		f.from[i] = stands[at]
	}
	r.labels[c] = f
	return f
}

// numbered finds words that have the numbers of paragraphs in them, all of each.
func (r *reading) numbered(a Anchor) (found []*spot) {
	words := fold([]rune(a.Text)).trimmed()
	if a.Part != "body" || len(words.text) == 0 {
		return nil
	}
	for _, c := range r.part(a.Part) {
		in := r.labelled(c)
		for at, end := 0, 0; ; at++ {
			i := index(in.text[at:], words.text)
			if i < 0 {
				break
			}
			at += i
			end = at + len(words.text)
			if at > 0 && in.from[at] < 0 && in.from[at-1] < 0 || end < len(in.text) && in.from[end-1] < 0 && in.from[end] < 0 {
				continue
			}
			s := spot{}
			for k, stands := range in.from[at:end] {
				switch n := len(s.labels) - 1; {
				case stands >= 0:
					s.quoted, s.stands = append(s.quoted, words.from[k]), append(s.stands, stands)
				case k > 0 && in.from[at+k-1] < 0:
					s.labels[n][1] = words.from[k] + 1
				default:
					s.labels = append(s.labels, [2]int{words.from[k], words.from[k] + 1})
				}
			}
			if len(s.stands) == 0 || s.labels == nil {
				continue
			}
			is := r.spot(c, s.stands[0], s.stands[len(s.stands)-1]+1, Numbered)
			is.quoted, is.stands, is.labels = s.quoted, s.stands, s.labels
			found = append(found, is)
		}
	}
	return found
}

// renumbers reports whether a difference puts something into a number or before
// it.
func (s *spot) renumbers(h Hunk) bool {
	return h.Text != "" && slices.ContainsFunc(s.labels, func(label [2]int) bool { return label[0] <= h.Start && h.Start < label[1] && h.End <= label[1] })
}

// placed puts a difference between the words of the anchor and other words in
// its place in the column.
func (s *spot) placed(h Hunk) Hunk {
	if s.stands == nil {
		return Hunk{s.start + h.Start, s.start + h.End, h.Text}
	}
	from, _ := slices.BinarySearch(s.quoted, h.Start)
	to, _ := slices.BinarySearch(s.quoted, h.End)
	switch {
	case from < to:
		return Hunk{s.stands[from], s.stands[to-1] + 1, h.Text}
	case from < len(s.stands):
		return Hunk{s.stands[from], s.stands[from], h.Text}
	default:
		return Hunk{s.end, s.end, h.Text}
	}
}

// index finds words in text, by their first code point.
func index(text, words []rune) int {
	for at := 0; ; at++ {
		i := slices.Index(text[at:], words[0])
		if i < 0 || at+i+len(words) > len(text) {
			return -1
		}
		if at += i; slices.Equal(text[at:at+len(words)], words) {
			return at
		}
	}
}

// A folding is a normalised text: with one kind of quote and dash, each run of
// paragraph ends and white space as one blank, and without pictures and notes.
type folding struct {
	text []rune
	from []int // the original position of each code point; nil where nothing moved
}

func (f folding) original(i int) int {
	if f.from == nil {
		return i
	}
	return f.from[i]
}

// trimmed is f without blanks at its ends.
func (f folding) trimmed() folding {
	for len(f.text) > 0 && f.text[0] == ' ' {
		f = folding{f.text[1:], f.from[1:]}
	}
	for n := len(f.text); n > 0 && f.text[n-1] == ' '; n-- {
		f = folding{f.text[:n-1], f.from[:n-1]}
	}
	return f
}

func (r *reading) fold(c *column) folding {
	f, known := r.folds[c]
	if !known {
		f = fold(c.text)
		r.folds[c] = f
	}
	return f
}

func fold(text []rune) folding {
	f := folding{from: []int{}}
	for i, x := range text {
		switch {
		case unicode.IsSpace(x), x == '\u200B', x == '\uFEFF':
			if n := len(f.text); n > 0 && f.text[n-1] == ' ' {
				continue
			}
			x = ' '
		case strings.ContainsRune("‘’‚‛′`´", x):
			x = '\''
		case strings.ContainsRune("“”„‟″«»", x):
			x = '"'
		case unicode.Is(unicode.Pd, x), x == '\u2212':
			x = '-'
		case x == '\u00AD', x == '\uFFFC':
			continue
		}
		f.text, f.from = append(f.text, x), append(f.from, i)
	}
	return f
}

// around is how much text is shown beside a place.
const around = 40

func (r *reading) candidate(s *spot) Candidate {
	text := s.column.text
	return Candidate{
		Resolved: s.Resolved,
		Before:   string(text[max(0, s.start-around):s.start]),
		Text:     string(text[s.start:s.end]),
		After:    string(text[s.end:min(len(text), s.end+around)]),
	}
}

// maxCandidates is how many places are named where an anchor means several.
const maxCandidates = 5

func (r *reading) ambiguous(found []*spot) error {
	e := refuse(fault.Conflict, AnchorAmbiguous, fmt.Sprintf("the words stand at %d places; give more context, or say which by occurrence", len(found)))
	for _, s := range found[:min(len(found), maxCandidates)] {
		e.Candidates = append(e.Candidates, r.candidate(s))
	}
	return e
}

// tooFew refuses an occurrence that there is not.
func (r *reading) tooFew(a Anchor, found []*spot) error {
	places := "at one place"
	if len(found) > 1 {
		places = fmt.Sprintf("at %d places", len(found))
	}
	e := refuse(fault.Invalid, AnchorMismatch, fmt.Sprintf("the words stand %s, so there is no occurrence %d", places, a.Occurrence))
	for _, s := range found[:min(len(found), maxCandidates)] {
		e.Candidates = append(e.Candidates, r.candidate(s))
	}
	return e
}

// missing distinguishes words that were deleted from words that never existed.
func (r *reading) missing(a Anchor) error {
	for _, c := range r.part(a.Part) {
		for _, p := range c.paragraphs {
			var all strings.Builder
			deleted := false
			for piece := range p.Pieces() {
				all.WriteString(piece.Text)
				deleted = deleted || piece.Deleted
			}
			if deleted && strings.Contains(all.String(), a.Text) {
				return refuse(fault.Conflict, docx.TargetDeleted, "the words are deleted already, by a tracked change of the document")
			}
		}
	}
	if other := r.otherNumber(a); other != nil {
		return other
	}
	e := refuse(fault.Invalid, AnchorNotFound, "the words of the anchor do not stand in the document")
	if r.missed { // of many, only one is reported with the words that are there instead
		return e
	}
	r.missed = true
	if nearest := r.nearest(a); nearest != nil {
		e.Candidates = []Candidate{r.candidate(nearest)}
	}
	return e
}

// aNumber is what paragraphs are numbered by: 1.1, (a), IV.
var aNumber = regexp.MustCompile(`^\(?(?:\d+|[A-Za-z]{1,5})(?:[.)](?:\d+|[A-Za-z]{1,5}))*[.)]?$`)

// otherNumber reports where the words behind a number begin a paragraph that has
// another number, or none.
func (r *reading) otherNumber(a Anchor) error {
	text := strings.TrimSpace(a.Text)
	i := strings.IndexFunc(text, unicode.IsSpace)
	if a.Part != "body" || i < 0 || !aNumber.MatchString(text[:i]) || !strings.ContainsAny(text[:i], "0123456789.)") {
		return nil
	}
	for _, s := range r.occurrences(a.Part, text[i:], true) {
		if s.Start > 0 {
			continue
		}
		e := refuse(fault.Invalid, AnchorNotFound, fmt.Sprintf("the words stand in the document without the number %q; leave it out", text[:i]))
		if number := r.doc.Numbers()[s.Block]; number != "" {
			e.Message = fmt.Sprintf("the words stand in the document numbered %q and not %q; such numbers are made by their lists, so leave them out", number, text[:i])
		}
		e.Candidates = []Candidate{r.candidate(s)}
		return e
	}
	return nil
}

// likely is the share of the anchor's words that a paragraph must have to be the one
// that was meant.
const likely = 0.6

// nearest is the paragraph that shares most of the anchor's words, nil where none is
// likely to be meant.
func (r *reading) nearest(a Anchor) *spot {
	want := map[string]bool{}
	for _, w := range words(strings.ToLower(a.Text), nil) {
		if len(w) > 3 {
			want[w] = true
		}
	}
	var best *spot
	most := 0
	for _, c := range r.part(a.Part) {
		for i, p := range c.paragraphs {
			shared := map[string]bool{}
			for _, w := range words(strings.ToLower(p.Text()), nil) {
				if want[w] {
					shared[w] = true
				}
			}
			if len(shared) > most && float64(len(shared)) >= likely*float64(len(want)) {
				most = len(shared)
				best = r.spot(c, c.starts[i], c.starts[i]+c.length(i), Folded)
			}
		}
	}
	return best
}

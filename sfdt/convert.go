package sfdt

import (
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/clausemill/clausemill/docx"
)

// Convert makes a document for the editor of a Word document: sections with
// their headers and footers, styles, lists, tables, pictures, text boxes,
// fields, notes, comments and tracked changes. What the editor has no form for
// (changes of formats and cells, charts, drawings without text) is left out.
func Convert(src *docx.Document) (*Document, error) {
	c := &converter{
		src: src, out: &Document{
			AbstractLists: []AbstractList{}, Lists: []List{}, Comments: []Comment{}, Revisions: []Revision{}, CustomXML: []CustomXML{origin(src)},
			notes: map[string][]Block{},
		},
		styles: map[string]docx.Element{}, styleNames: map[string]string{}, lists: map[string]int{},
		levelOfStyle: map[levelKey]int{}, formats: map[string]*CharacterFormat{}, relations: map[string]map[string]docx.Relationship{},
		pictures: map[string]int{}, revisions: map[docx.Element]string{}, listed: map[string]bool{}, comments: map[string]*anchor{},
		fields: map[docx.Element]bool{}, bookmarks: map[docx.Element]string{}, bookmarked: map[string]bool{},
	}
	c.readSettings()
	c.readThemeFonts()
	c.readStyles()
	c.readRevisions()
	c.readComments()
	c.readSections()
	return c.out, c.err
}

// A converter carries what is known of the source from one part to the next.
type converter struct {
	src *docx.Document
	out *Document
	err error // of a picture; sticky

	evenAndOdd   bool
	themeFonts   map[string]string
	styles       map[string]docx.Element // by id
	styleNames   map[string]string       // by id, of those that the editor gets
	lists        map[string]int          // by w:numId
	levelOfStyle map[levelKey]int

	formats   map[string]*CharacterFormat // by the bytes of the w:rPr
	relations map[string]map[string]docx.Relationship
	pictures  map[string]int // by part
	shapes    int

	revisions map[docx.Element]string // the id of the change that an element is
	authors   map[string]docx.Revision
	listed    map[string]bool // changes that are in the document by now
	comments  map[string]*anchor
	fields    map[docx.Element]bool   // marks of fields that have both ends
	bookmarks map[docx.Element]string // names of those that have both ends

	bookmarked map[string]bool
}

func (c *converter) readSettings() {
	settings := c.src.Related("settings").Root()
	out := c.out
	out.DefaultTabWidth = pointsOr(settings.Child("defaultTabStop"), "val", 36)
	out.TrackChanges = settings.Child("trackRevisions").On()
	c.evenAndOdd = settings.Child("evenAndOddHeaders").On()
	out.CompatibilityMode = "Word2003"
	for e := range settings.Child("compat").Children() {
		if e.Attr("name") == "compatibilityMode" {
			switch e.Attr("val") {
			case "12":
				out.CompatibilityMode = "Word2007"
			case "14":
				out.CompatibilityMode = "Word2010"
			case "15", "16":
				out.CompatibilityMode = "Word2013"
			}
		}
	}
	out.ProtectionType = "NoProtection"
	if protection := settings.Child("documentProtection"); on(protection.Attr("enforcement")) {
		if kind, known := protections[protection.Attr("edit")]; known {
			out.ProtectionType, out.Enforcement = kind, true
		}
	}
	if ground := colour(c.src.Main().Root().Child("background").Attr("color")); ground != "" {
		out.Background = &Background{Color: ground}
	}
}

var protections = map[string]string{
	"readOnly": "ReadOnly", "comments": "CommentsOnly", "trackedChanges": "RevisionsOnly", "forms": "FormFieldsOnly",
}

// changeTypes are the kinds of change that the editor knows.
var changeTypes = map[string]string{"ins": "Insertion", "del": "Deletion", "moveFrom": "MoveFrom", "moveTo": "MoveTo"}

func (c *converter) readRevisions() {
	c.authors = map[string]docx.Revision{}
	for _, r := range c.src.Revisions() {
		if changeTypes[r.Kind] == "" {
			continue
		}
		switch r.On {
		case "text", "mark", "row":
			c.revisions[r.Element] = r.ID
			c.authors[r.ID] = r
		}
	}
}

// revision is the id of the change that e is, "" where it is none. The change is
// then listed in the document.
func (c *converter) revision(e docx.Element) string {
	id := c.revisions[e]
	if id != "" && !c.listed[id] {
		c.listed[id] = true
		r := c.authors[id]
		c.out.Revisions = append(c.out.Revisions, Revision{
			ID: id, Type: changeTypes[r.Kind], Author: r.Author, Date: date(r.Date), CustomData: id,
		})
	}
	return id
}

// marks are the ids of the changes in the properties of a paragraph mark or a row.
func (c *converter) marks(properties docx.Element) []string {
	var ids []string
	for e := range properties.Children() {
		if changeTypes[e.Name()] != "" {
			if id := c.revision(e); id != "" {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// date writes a time; a change without one gets the first of all.
func date(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// relation resolves an id in the part of e.
func (c *converter) relation(e docx.Element, id string) docx.Relationship {
	part := e.Part().Name
	known := c.relations[part]
	if known == nil {
		known = map[string]docx.Relationship{}
		for _, r := range c.src.Relationships(part) {
			known[r.ID] = r
		}
		c.relations[part] = known
	}
	return known[id]
}

// readSections cuts the body where paragraphs end sections.
func (c *converter) readSections() {
	body := c.src.Story("body")
	w := c.write(body)
	var blocks []Block
	var last docx.Element
	for e := range topLevel(body.Root) {
		if e.Is("sectPr") {
			last = e
			continue
		}
		blocks = w.block(blocks, e)
		if end := e.Child("pPr", "sectPr"); end.Exists() {
			c.section(blocks, end)
			blocks = nil
		}
	}
	w.finish(blocks)
	if len(blocks) > 0 || len(c.out.Sections) == 0 {
		c.section(blocks, last)
	}
}

// topLevel gives the children of the body, and in place of a content control or
// another wrapper around ends of sections what it holds.
func topLevel(container docx.Element) iter.Seq[docx.Element] {
	return func(yield func(docx.Element) bool) { descend(container, yield) }
}

func descend(container docx.Element, yield func(docx.Element) bool) bool {
	for e := range container.Children() {
		switch {
		case e.Is("sdt", "sdtContent", "customXml", "ins", "moveTo") && endsSection(e):
			if !descend(e, yield) {
				return false
			}
		case !yield(e):
			return false
		}
	}
	return true
}

func endsSection(e docx.Element) bool {
	for c := range e.Descendants() {
		if c.Is("sectPr") && c.Parent().Is("pPr") {
			return true
		}
	}
	return false
}

func (c *converter) section(blocks []Block, properties docx.Element) {
	s := &Section{Format: c.sectionFormat(properties), Blocks: atLeastOne(blocks)}
	c.headersFooters(s, properties)
	c.out.Sections = append(c.out.Sections, s)
}

// atLeastOne are blocks that end in a paragraph, which every container must.
func atLeastOne(blocks []Block) []Block {
	if n := len(blocks); n == 0 || blocks[n-1].Inlines == nil {
		return append(blocks, emptyParagraph())
	}
	return blocks
}

func emptyParagraph() Block { return Block{Inlines: &[]Inline{}} }

func (c *converter) sectionFormat(e docx.Element) SectionFormat {
	size, margin, columns := e.Child("pgSz"), e.Child("pgMar"), e.Child("cols")
	f := SectionFormat{
		PageWidth: pointsOr(size, "w", wordPage), PageHeight: pointsOr(size, "h", wordLength),
		LeftMargin: pointsOr(margin, "left", wordMargin), RightMargin: pointsOr(margin, "right", wordMargin),
		TopMargin: max(0, pointsOr(margin, "top", wordMargin)), BottomMargin: max(0, pointsOr(margin, "bottom", wordMargin)),
		HeaderDistance: pointsOr(margin, "header", wordHeader), FooterDistance: pointsOr(margin, "footer", wordHeader),
		DifferentFirstPage: e.Child("titlePg").On(), DifferentOddAndEvenPages: c.evenAndOdd, Bidi: e.Child("bidi").On(),
		PageStartingNumber: 1, PageNumberStyle: "Arabic", FootnoteNumberFormat: "Arabic", EndnoteNumberFormat: "LowerCaseRoman", BreakCode: "NewPage", NumberOfColumns: 1, EqualWidth: true,
		Columns: []Column{},
	}
	if f.PageWidth < 1 || f.PageHeight < 1 || f.PageWidth-f.LeftMargin-f.RightMargin < 1 {
		f.PageWidth, f.PageHeight, f.LeftMargin, f.RightMargin = wordPage, wordLength, wordMargin, wordMargin
	}
	switch e.Child("type").Attr("val") {
	case "continuous", "nextColumn":
		f.BreakCode = "NoBreak"
	}
	numbers := e.Child("pgNumType")
	if n, ok := whole(numbers.Attr("start")); ok && n >= 0 {
		f.RestartPageNumbering, f.PageStartingNumber = true, n
	}
	if style, known := pageNumbers[numbers.Attr("fmt")]; known {
		f.PageNumberStyle = style
	}
	if style, known := noteNumbers[e.Child("footnotePr", "numFmt").Attr("val")]; known {
		f.FootnoteNumberFormat = style
	}
	if style, known := noteNumbers[e.Child("endnotePr", "numFmt").Attr("val")]; known {
		f.EndnoteNumberFormat = style
	}
	if n, ok := whole(columns.Attr("num")); ok && n > 1 && n <= maxColumns {
		f.columns(columns, n)
	}
	return f
}

// maxColumns is how many columns of text fit on the widest page.
const maxColumns = 45

func (f *SectionFormat) columns(e docx.Element, n int) {
	f.NumberOfColumns, f.EqualWidth, f.LineBetweenColumns = n, e.Attr("equalWidth") == "" || on(e.Attr("equalWidth")), on(e.Attr("sep"))
	space := pointsOr(e, "space", 36)
	width := max(1, (f.PageWidth-f.LeftMargin-f.RightMargin-space*float64(n-1))/float64(n))
	for range n {
		f.Columns = append(f.Columns, Column{Width: width, Space: space})
	}
	if f.EqualWidth {
		return
	}
	i := 0
	for column := range e.Children() {
		if column.Is("col") && i < n {
			f.Columns[i] = Column{Width: pointsOr(column, "w", width), Space: pointsOr(column, "space", 0)}
			i++
		}
	}
}

var pageNumbers = map[string]string{
	"decimal": "Arabic", "lowerRoman": "RomanLower", "upperRoman": "RomanUpper", "lowerLetter": "LetterLower", "upperLetter": "LetterUpper",
}

var noteNumbers = map[string]string{
	"decimal": "Arabic", "lowerRoman": "LowerCaseRoman", "upperRoman": "UpperCaseRoman", "lowerLetter": "LowerCaseLetter", "upperLetter": "UpperCaseLetter",
}

func (c *converter) headersFooters(s *Section, properties docx.Element) {
	hf := &s.HeadersFooters
	places := map[string]**Body{
		"headerReference default": &hf.Header, "headerReference even": &hf.EvenHeader, "headerReference first": &hf.FirstPageHeader,
		"footerReference default": &hf.Footer, "footerReference even": &hf.EvenFooter, "footerReference first": &hf.FirstPageFooter,
	}
	for e := range properties.Children() {
		place := places[e.Name()+" "+e.Attr("type")]
		target := c.relation(properties, e.Attr("r:id")).Target
		if place == nil || *place != nil || target == "" {
			continue
		}
		i := slices.IndexFunc(c.src.Stories(), func(s *docx.Story) bool { return strings.EqualFold(s.Root.Part().Name, target) })
		if i >= 0 {
			story := c.src.Stories()[i]
			w := c.write(story)
			w.remarks = false // the editor has none in headers
			*place = &Body{Blocks: w.all(story.Root), story: story}
		}
	}
}

// note is the body of a note, which begins with its mark, the first time that it
// is asked for.
func (c *converter) note(kind, id string) []Block {
	story := c.src.Story(kind + ":" + id)
	if story == nil || c.out.notes[story.Key] != nil {
		return nil
	}
	w := c.write(story)
	w.noted = true
	c.out.notes[story.Key] = []Block{} // a note may refer to itself
	c.out.notes[story.Key] = w.all(story.Root)
	return c.out.notes[story.Key]
}

// An anchor is the place of a comment, as far as it is known: the elements that begin
// and end it.
type anchor struct {
	story      string
	start, end docx.Element
	answers    []string // ids of the comments that begin and end with it, having no place of their own
}

// readComments lists the comments that are anchored outside headers, each thread under
// its first one.
func (c *converter) readComments() {
	all := c.src.Comments()
	if len(all) == 0 {
		return
	}
	c.anchorComments()
	byID := map[string]docx.Comment{}
	for _, comment := range all {
		byID[comment.ID] = comment
	}
	thread := func(comment docx.Comment) docx.Comment {
		for range maxStyles {
			parent, known := byID[comment.Parent]
			if !known || parent.ID == comment.ID {
				break
			}
			comment = parent
		}
		return comment
	}
	places := map[string]int{}
	for _, comment := range all {
		first := thread(comment)
		place := c.comments[first.ID]
		if _, twice := places[comment.ID]; twice || place == nil {
			continue
		}
		places[comment.ID] = len(c.out.Comments)
		made := Comment{
			ID: commentID(comment.ID), Author: comment.Author, Initial: comment.Initials, Date: date(comment.Date), Done: comment.Done, Replies: []Comment{},
		}
		for line := range strings.SplitSeq(comment.Text, "\n") {
			made.Blocks = append(made.Blocks, textParagraph(line))
		}
		i, started := places[first.ID]
		if comment.ID == first.ID || !started || i >= len(c.out.Comments) {
			c.out.Comments = append(c.out.Comments, made)
			continue
		}
		if c.comments[comment.ID] == nil {
			place.answers = append(place.answers, comment.ID)
		}
		places[comment.ID] = i
		c.out.Comments[i].Replies = append(c.out.Comments[i].Replies, made)
	}
}

// commentID keeps the number of a comment apart from the ids that the editor
// gives to new ones.
func commentID(id string) string { return "comment-" + id }

// textParagraph is a paragraph of one line.
func textParagraph(line string) Block {
	inlines := []Inline{}
	if line != "" {
		inlines = append(inlines, Inline{Text: &line})
	}
	return Block{Inlines: &inlines}
}

// anchorComments finds where each comment begins and ends. One without a whole range
// is anchored at its reference.
func (c *converter) anchorComments() {
	for _, s := range c.src.Stories() {
		if strings.HasPrefix(s.Key, "header") || strings.HasPrefix(s.Key, "footer") {
			continue
		}
		starts := map[string]docx.Element{}
		for e := range s.Root.Descendants() {
			if !e.Is("commentRangeStart", "commentRangeEnd", "commentReference") {
				continue
			}
			id := e.Attr("id")
			at := c.comments[id]
			switch {
			case e.Is("commentRangeStart"):
				if _, twice := starts[id]; !twice {
					starts[id] = e
				}
			case e.Is("commentRangeEnd") && at == nil && starts[id].Exists():
				c.comments[id] = &anchor{story: s.Key, start: starts[id], end: e}
			case e.Is("commentReference") && at == nil:
				c.comments[id] = &anchor{story: s.Key, start: e, end: e}
			}
		}
	}
}

// shapeID counts the boxes of text.
func (c *converter) shapeID() int {
	c.shapes++
	return c.shapes
}

// picture takes a part over as an image, once, and gives its number. It is
// not ok for what browsers do not show.
func (c *converter) picture(part string) (number string, ok bool) {
	if i, known := c.pictures[part]; known {
		return strconv.Itoa(i), i >= 0
	}
	c.pictures[part] = -1
	data, err := c.src.Bytes(part)
	if err != nil && c.err == nil {
		c.err = err
	}
	kind := pictureType(data)
	if kind == "" {
		return "", false
	}
	i := len(c.out.images)
	c.out.images = append(c.out.images, picture{kind, data})
	c.pictures[part] = i
	return strconv.Itoa(i), true
}

package docx

import (
	"archive/zip"
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// A PassageKind is the part that a passage plays in its document.
type PassageKind string

// The kinds of passage.
const (
	BodyPassage PassageKind = "paragraph"
	Heading     PassageKind = "heading"
	ListItem    PassageKind = "list_item"
	Table       PassageKind = "table"           // of Cells; where those are not known, a line for each row and a tab between cells
	Signature   PassageKind = "signature_block" // its lines stay lines, on one page
	Illustrated PassageKind = "picture"         // a picture, in a paragraph of its own
)

// A Passage is a stretch of text whose part in the document is known: what
// there is of a document that was never one of Word's.
type Passage struct {
	Kind   PassageKind
	Level  int    // of headings and list items, from 1; 0 for a title
	Number string // what it is numbered by; printed beside the text unless the text begins with it
	Text   string // the lines of headings, paragraphs and list items flow together, character for character

	Cells    [][]Cell   // of a table, by rows
	Emphasis []Emphasis // in order, without overlap
	Picture  *Picture
}

// A Cell is a range of a passage that is in a cell of a table. Each line is a paragraph.
type Cell struct {
	Column     int // from 1, ascending in a row; those that are left out are empty
	Start, End int // code points from the start of Text
}

// Picture is one that a document shows.
type Picture struct {
	Bytes         []byte
	JPEG          bool    // else it is a PNG
	Width, Height float32 // points; made smaller where the page has no room
	Text          string  // what is read out instead of it
}

// Emphasis is a range of a passage that is set in bold or italic type or underlined.
type Emphasis struct {
	Start, End   int // code points from the start of Text
	Bold, Italic bool
	Underline    bool
}

// Build writes a document of passages: the same bytes for the same passages.
// What XML cannot hold is left out.
func Build(passages []Passage) ([]byte, error) {
	b := builder{labels: map[string]int{}}
	for _, p := range passages {
		b.passage(p)
	}
	if !b.closed {
		b.body.WriteString("<w:p/>") // a body ends in a paragraph
	}
	parts := []struct{ name, content string }{
		{"[Content_Types].xml", b.types()},
		{"_rels/.rels", builtPackage},
		{"word/_rels/document.xml.rels", b.relationships()},
		{"word/document.xml", b.document()},
		{"word/styles.xml", builtStyles()},
		{"word/numbering.xml", b.numbering()},
		{"word/settings.xml", builtSettings},
	}
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, part := range parts {
		w, err := z.Create(part.name)
		if err != nil {
			return nil, fmt.Errorf("write %s: %w", part.name, err)
		}
		if _, err := w.Write([]byte(xmlDeclaration + part.content)); err != nil {
			return nil, fmt.Errorf("write %s: %w", part.name, err)
		}
	}
	for i, m := range b.media {
		w, err := z.Create("word/" + m.name(i))
		if err == nil {
			_, err = w.Write(m.Bytes)
		}
		if err != nil {
			return nil, fmt.Errorf("write a picture: %w", err)
		}
	}
	if err := z.Close(); err != nil {
		return nil, fmt.Errorf("write the document: %w", err)
	}
	return out.Bytes(), nil
}

// A builder writes the body and counts the labels that it needs lists for.
type builder struct {
	body   strings.Builder
	labels map[string]int // label and level → list
	media  []*Picture
	closed bool // the last thing written is a paragraph
}

func (b *builder) passage(p Passage) {
	switch p.Kind {
	case Table:
		b.table(p)
	case Illustrated:
		b.picture(p.Picture)
	case Signature:
		lines := p.styled().split('\n')
		for i, line := range lines {
			properties := ""
			if i < len(lines)-1 {
				properties = "<w:keepNext/><w:keepLines/>"
			}
			b.paragraph(properties, line)
		}
	case Heading:
		style := "Title"
		if p.Level > 0 {
			style = "Heading" + strconv.Itoa(min(p.Level, maxHeading))
		}
		b.paragraph(`<w:pStyle w:val="`+style+`"/>`+b.label(p), p.styled().flow())
	case ListItem:
		b.paragraph(`<w:pStyle w:val="ListParagraph"/>`+b.label(p), p.styled().flow())
	default:
		b.paragraph(b.label(p), p.styled().flow())
	}
}

// label numbers a paragraph by a list of its own whose only level reads exactly
// as the number was printed: counting anew could come out differently.
func (b *builder) label(p Passage) string {
	number := strings.TrimSpace(p.Number)
	if number == "" || strings.HasPrefix(strings.TrimSpace(p.Text), number) {
		return ""
	}
	level := min(max(p.Level, 1), maxHeading)
	key := strconv.Itoa(level) + number
	list, known := b.labels[key]
	if !known {
		list = len(b.labels) + 1
		b.labels[key] = list
	}
	return `<w:numPr><w:ilvl w:val="0"/><w:numId w:val="` + strconv.Itoa(list) + `"/></w:numPr>`
}

// maxHeading is the deepest level that Word has headings and lists for.
const maxHeading = 9

func (b *builder) paragraph(properties string, l styled) {
	b.closed = true
	b.body.WriteString("<w:p>")
	if properties != "" {
		b.body.WriteString("<w:pPr>" + properties + "</w:pPr>")
	}
	for len(l.text) > 0 {
		n := 1
		for n < len(l.text) && l.faces[n] == l.faces[0] {
			n++
		}
		b.run(string(l.text[:n]), l.faces[0])
		l = l.slice(n, len(l.text))
	}
	b.body.WriteString("</w:p>")
}

func (b *builder) run(text string, f face) {
	if text = printable(text); text == "" {
		return
	}
	b.body.WriteString("<w:r>")
	if f != 0 {
		b.body.WriteString("<w:rPr>")
		if f&bold != 0 {
			b.body.WriteString("<w:b/>")
		}
		if f&italic != 0 {
			b.body.WriteString("<w:i/>")
		}
		if f&underlined != 0 {
			b.body.WriteString(`<w:u w:val="single"/>`)
		}
		b.body.WriteString("</w:rPr>")
	}
	for i, cell := range strings.Split(text, "\t") {
		if i > 0 {
			b.body.WriteString("<w:tab/>")
		}
		if cell != "" {
			b.body.WriteString(`<w:t xml:space="preserve">` + Escape(cell) + "</w:t>")
		}
	}
	b.body.WriteString("</w:r>")
}

func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if !IsXML(r) {
			return -1
		}
		return r
	}, text)
}

// face is what type letters are set in.
type face byte

const (
	bold face = 1 << iota
	italic
	underlined
)

// styled is text with the face of each code point.
type styled struct {
	text  []rune
	faces []face
}

func (p Passage) styled() styled {
	l := styled{text: []rune(p.Text)}
	l.faces = make([]face, len(l.text))
	for _, e := range p.Emphasis {
		var f face
		if e.Bold && p.Kind != Heading { // their style is
			f |= bold
		}
		if e.Italic {
			f |= italic
		}
		if e.Underline {
			f |= underlined
		}
		for i := max(e.Start, 0); i < min(e.End, len(l.faces)); i++ {
			l.faces[i] = f
		}
	}
	return l
}

func (l styled) slice(from, to int) styled { return styled{l.text[from:to], l.faces[from:to]} }

// split is strings.Split.
func (l styled) split(at rune) (parts []styled) {
	for {
		i := slices.Index(l.text, at)
		if i < 0 {
			return append(parts, l)
		}
		parts, l = append(parts, l.slice(0, i)), l.slice(i+1, len(l.text))
	}
}

// trim is strings.TrimSpace.
func (l styled) trim() styled {
	from, to := 0, len(l.text)
	for from < to && unicode.IsSpace(l.text[from]) {
		from++
	}
	for from < to && unicode.IsSpace(l.text[to-1]) {
		to--
	}
	return l.slice(from, to)
}

// flow makes blanks of what ended lines and pages on paper.
func (l styled) flow() styled {
	for i, r := range l.text {
		if r == '\n' || r == '\f' {
			l.text[i] = ' '
		}
	}
	return l
}

// textWidth is what the margins leave of the page, in twentieths of a point.
const textWidth = 9360

// rows are the cells of a table, by rows. What is beyond the columns that Word opens is one
// cell.
func (p Passage) rows() (rows [][]styled) {
	text := p.styled()
	if p.Cells == nil {
		for _, line := range text.split('\n') {
			if len(line.trim().text) == 0 {
				continue
			}
			cells := line.split('\t')
			if len(cells) > maxColumns {
				last := 0
				for _, cell := range cells[:maxColumns-1] {
					last += len(cell.text) + 1
				}
				cells = append(cells[:maxColumns-1], line.slice(last, len(line.text)))
			}
			rows = append(rows, cells)
		}
		return rows
	}
	for _, cells := range p.Cells {
		var row []styled
		for i, c := range cells {
			if c.Column > maxColumns {
				row = append(row[:min(i, maxColumns-1)], text.slice(cells[min(i, maxColumns-1)].Start, cells[len(cells)-1].End))
				break
			}
			for len(row) < c.Column-1 {
				row = append(row, styled{})
			}
			row = append(row, text.slice(c.Start, c.End))
		}
		rows = append(rows, row)
	}
	return rows
}

// table writes a table. A row with fewer cells than the longest one ends in empty ones.
func (b *builder) table(p Passage) {
	rows, columns := p.rows(), 1
	for _, row := range rows {
		columns = max(columns, len(row))
	}
	if len(rows) == 0 {
		return
	}
	if b.body.Len() > 0 && !b.closed {
		b.body.WriteString("<w:p/>") // two tables without anything between would be one
	}
	width := textWidth / columns
	cell := `<w:tcPr><w:tcW w:w="` + strconv.Itoa(width) + `" w:type="dxa"/></w:tcPr>`
	b.body.WriteString(`<w:tbl><w:tblPr><w:tblStyle w:val="TableGrid"/><w:tblW w:w="` + strconv.Itoa(width*columns) + `" w:type="dxa"/></w:tblPr><w:tblGrid>` +
		strings.Repeat(`<w:gridCol w:w="`+strconv.Itoa(width)+`"/>`, columns) + "</w:tblGrid>")
	for _, row := range rows {
		b.body.WriteString("<w:tr>")
		for i := range columns {
			b.body.WriteString("<w:tc>" + cell)
			var text styled
			if i < len(row) {
				text = row[i].trim()
			}
			for _, line := range text.split('\n') {
				b.paragraph("", line)
			}
			b.body.WriteString("</w:tc>")
		}
		b.body.WriteString("</w:tr>")
	}
	b.body.WriteString("</w:tbl>")
	b.closed = false
}

// maxColumns is the widest table that Word opens.
const maxColumns = 63

// numbering defines the lists that labels asked for.
func (b *builder) numbering() string {
	keys := make([]string, 0, len(b.labels))
	for key := range b.labels {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(x, y string) int { return cmp.Compare(b.labels[x], b.labels[y]) })
	var abstracts, lists strings.Builder
	for _, key := range keys {
		level, number := int(key[0]-'0'), strings.ReplaceAll(printable(key[1:]), "%", "")
		fmt.Fprintf(&abstracts, `<w:abstractNum w:abstractNumId="%d"><w:multiLevelType w:val="singleLevel"/><w:lvl w:ilvl="0">`+
			`<w:start w:val="1"/><w:numFmt w:val="none"/><w:suff w:val="tab"/><w:lvlText w:val="%s"/><w:lvlJc w:val="left"/>`+
			`<w:pPr><w:ind w:left="%d" w:hanging="720"/></w:pPr></w:lvl></w:abstractNum>`, b.labels[key], Escape(number), 360*(level+1))
		fmt.Fprintf(&lists, `<w:num w:numId="%[1]d"><w:abstractNumId w:val="%[1]d"/></w:num>`, b.labels[key])
	}
	return `<w:numbering xmlns:w="` + wordNS + `">` + abstracts.String() + lists.String() + `</w:numbering>`
}

const (
	xmlDeclaration = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"
	officeTypes    = "application/vnd.openxmlformats-officedocument.wordprocessingml."
	packageNS      = "http://schemas.openxmlformats.org/package/2006/"

	builtTypes = `<Types xmlns="` + packageNS + `content-types">` +
		`<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>` +
		`<Override PartName="/word/document.xml" ContentType="` + officeTypes + `document.main+xml"/>` +
		`<Override PartName="/word/styles.xml" ContentType="` + officeTypes + `styles+xml"/>` +
		`<Override PartName="/word/numbering.xml" ContentType="` + officeTypes + `numbering+xml"/>` +
		`<Override PartName="/word/settings.xml" ContentType="` + officeTypes + `settings+xml"/></Types>`

	builtPackage = `<Relationships xmlns="` + packageNS + `relationships"><Relationship Id="rId1" Type="` + relationNS + `/officeDocument" Target="word/document.xml"/></Relationships>`

	builtRelationships = `<Relationships xmlns="` + packageNS + `relationships">` +
		`<Relationship Id="rId1" Type="` + relationNS + `/styles" Target="styles.xml"/>` +
		`<Relationship Id="rId2" Type="` + relationNS + `/numbering" Target="numbering.xml"/>` +
		`<Relationship Id="rId3" Type="` + relationNS + `/settings" Target="settings.xml"/></Relationships>`

	// Without the mode Word takes the document for one of its 2007 edition.
	builtSettings = `<w:settings xmlns:w="` + wordNS + `"><w:defaultTabStop w:val="720"/><w:compat>` +
		`<w:compatSetting w:name="compatibilityMode" w:uri="http://schemas.microsoft.com/office/word" w:val="15"/></w:compat></w:settings>`
)

func (b *builder) document() string {
	spaces := ""
	if len(b.media) > 0 {
		spaces = ` xmlns:r="` + relationNS + `" xmlns:wp="` + drawingNS + `wordprocessingDrawing" xmlns:a="` + drawingNS + `main" xmlns:pic="` + drawingNS + `picture"`
	}
	return builtDocument(spaces, b.body.String())
}

func builtDocument(spaces, body string) string {
	return `<w:document xmlns:w="` + wordNS + `"` + spaces + `><w:body>` + body +
		`<w:sectPr><w:pgSz w:w="12240" w:h="15840"/><w:pgMar w:top="1440" w:right="1440" w:bottom="1440" w:left="1440" w:header="720" w:footer="720" w:gutter="0"/></w:sectPr>` +
		`</w:body></w:document>`
}

// builtStyles are the styles that passages need, by the names that Word knows
// in every language.
func builtStyles() string {
	var s strings.Builder
	s.WriteString(`<w:styles xmlns:w="` + wordNS + `"><w:docDefaults><w:rPrDefault><w:rPr><w:rFonts w:ascii="Calibri" w:hAnsi="Calibri" w:cs="Calibri"/><w:sz w:val="22"/><w:szCs w:val="22"/></w:rPr></w:rPrDefault>` +
		`<w:pPrDefault><w:pPr><w:spacing w:after="120" w:line="264" w:lineRule="auto"/></w:pPr></w:pPrDefault></w:docDefaults>` +
		`<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/><w:qFormat/></w:style>` +
		`<w:style w:type="character" w:default="1" w:styleId="DefaultParagraphFont"><w:name w:val="Default Paragraph Font"/></w:style>` +
		`<w:style w:type="table" w:default="1" w:styleId="TableNormal"><w:name w:val="Normal Table"/><w:tblPr><w:tblCellMar><w:left w:w="108" w:type="dxa"/><w:right w:w="108" w:type="dxa"/></w:tblCellMar></w:tblPr></w:style>` +
		`<w:style w:type="paragraph" w:styleId="Title"><w:name w:val="Title"/><w:basedOn w:val="Normal"/><w:next w:val="Normal"/><w:qFormat/>` +
		`<w:pPr><w:keepNext/><w:spacing w:before="240" w:after="240"/><w:jc w:val="center"/></w:pPr><w:rPr><w:b/><w:sz w:val="32"/><w:szCs w:val="32"/></w:rPr></w:style>` +
		`<w:style w:type="paragraph" w:styleId="ListParagraph"><w:name w:val="List Paragraph"/><w:basedOn w:val="Normal"/><w:qFormat/><w:pPr><w:ind w:left="720"/></w:pPr></w:style>`)
	for level := 1; level <= maxHeading; level++ {
		size := max(28-2*level, 22)
		fmt.Fprintf(&s, `<w:style w:type="paragraph" w:styleId="Heading%[1]d"><w:name w:val="heading %[1]d"/><w:basedOn w:val="Normal"/><w:next w:val="Normal"/><w:qFormat/>`+
			`<w:pPr><w:keepNext/><w:keepLines/><w:spacing w:before="200"/><w:outlineLvl w:val="%[2]d"/></w:pPr><w:rPr><w:b/><w:sz w:val="%[3]d"/><w:szCs w:val="%[3]d"/></w:rPr></w:style>`,
			level, level-1, size)
	}
	s.WriteString(`<w:style w:type="table" w:styleId="TableGrid"><w:name w:val="Table Grid"/><w:basedOn w:val="TableNormal"/><w:tblPr><w:tblBorders>`)
	for _, side := range []string{"top", "left", "bottom", "right", "insideH", "insideV"} {
		s.WriteString(`<w:` + side + ` w:val="single" w:sz="4" w:space="0" w:color="auto"/>`)
	}
	s.WriteString(`</w:tblBorders></w:tblPr></w:style></w:styles>`)
	return s.String()
}

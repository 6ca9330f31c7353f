package docx

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A Look is the formatting that is in force somewhere, by the names of properties
// (the children of w:rPr or w:pPr) and, where a property has several attributes that
// are inherited one by one, by property and attribute ("ind left"). What is not in it
// has the value that Word assumes.
type Look map[string]string

// String writes a look in order.
func (l Look) String() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(l)) {
		b.WriteString(name + "=" + l[name] + ";")
	}
	return b.String()
}

// toggles are the properties that a style turns over rather than on.
var toggles = []string{"b", "bCs", "i", "iCs", "caps", "smallCaps", "strike", "dstrike", "vanish", "outline", "shadow", "emboss", "imprint"}

// merged are the properties whose attributes are inherited one by one.
var merged = []string{"rFonts", "ind", "spacing", "lang"}

// unseen are properties that do not show: for spelling and for layout grids.
var unseen = []string{"lang", "noProof", "kern", "snapToGrid", "eastAsianLayout", "rStyle", "rPr", "sectPr", "pPrChange", "rPrChange", "pStyle", "numPr", "cnfStyle", "adjustRightInd", "autoSpaceDE", "autoSpaceDN", "suppressAutoHyphens"}

// assumed are the values of properties that are the same as none.
var assumed = map[string]string{
	"sz": "20", "szCs": "20", "color": "auto", "u": "none", "highlight": "none", "vertAlign": "baseline", "w": "100", "position": "0", "jc": "left",
	"effect": "none", "em": "none", "outlineLvl": "9", "textAlignment": "auto", "textDirection": "lrTb",
}

// looks resolves formatting by the styles of a document.
type looks struct {
	doc        *Document
	styles     map[string]Element
	standard   map[string]string // the default style of each type
	run        Look              // of the defaults of the document
	paragraph  Look
	called     map[[2]string]string // ids by type and name; nil until asked for
	themeFonts map[string]string    // by what properties call them; nil until asked for
	byStyle    map[string][2]Look   // run and paragraph properties of a style with its ancestors
}

func (d *Document) resolver() *looks {
	if d.looks != nil {
		return d.looks
	}
	l := &looks{doc: d, styles: map[string]Element{}, standard: map[string]string{}, run: Look{}, paragraph: Look{}, byStyle: map[string][2]Look{}}
	root := d.Related("styles").Root()
	defaults := root.Child("docDefaults")
	l.run.take(d, defaults.Child("rPrDefault", "rPr"))
	l.paragraph.take(d, defaults.Child("pPrDefault", "pPr"))
	for e := range root.Children() {
		if !e.Is("style") {
			continue
		}
		id := e.Attr("styleId")
		if !l.styles[id].Exists() {
			l.styles[id] = e
		}
		if standard := e.Attr("default"); standard == "1" || standard == "true" || standard == "on" {
			l.standard[e.Attr("type")] = id
		}
	}
	d.looks = l
	return l
}

// take lays the properties below e over l.
func (l Look) take(d *Document, e Element) {
	for c := range e.Children() {
		name := c.Name()
		switch {
		case slices.Contains(unseen, name), isRevision(c):
		case slices.Contains(toggles, name):
			l[name] = map[bool]string{true: "on", false: off}[c.On()]
		case slices.Contains(merged, name):
			for _, a := range c.attributes() {
				if name == "ind" {
					a[0] = side(a[0])
				}
				l[name+" "+a[0]] = a[1]
			}
		case name == "tabs":
			l.tabs(c)
		case name == "pBdr":
			l[name] = borders(d, c)
		case c.First().Exists():
			l[name] = d.Canon(c)
		default:
			l.set(name, c)
		}
	}
}

// tabs lays tab stops over those of the styles: one that is cleared where there is none
// changes nothing.
func (l Look) tabs(e Element) {
	stops := map[int]string{}
	for _, stop := range strings.Fields(l["tabs"]) {
		pos, kind, _ := strings.Cut(stop, ":")
		if at, err := strconv.Atoi(pos); err == nil {
			stops[at] = kind
		}
	}
	for c := range e.Children() {
		pos, _, _ := strings.Cut(c.Attr("pos"), ".")
		at, err := strconv.Atoi(pos)
		kind := side(c.Attr("val"))
		switch leader := c.Attr("leader"); {
		case err != nil:
			continue
		case kind == "clear":
			delete(stops, at)
			continue
		case leader != "" && leader != "none":
			kind += ":" + leader
		}
		stops[at] = kind
	}
	var all []string
	for _, at := range slices.Sorted(maps.Keys(stops)) {
		all = append(all, strconv.Itoa(at)+":"+stops[at])
	}
	l["tabs"] = strings.Join(all, " ")
}

// side is a side of the text by its name in the first edition of the format.
func side(name string) string {
	switch name {
	case "start":
		return "left"
	case "end":
		return "right"
	default:
		return name
	}
}

// borders are those that are drawn.
func borders(d *Document, e Element) string {
	var b strings.Builder
	for c := range e.Children() {
		if val := c.Attr("val"); val != "nil" && val != "none" {
			b.WriteString(d.Canon(c))
		}
	}
	return b.String()
}

// Setup is a property of a section in one form, "" where it says what holds without it.
func (d *Document) Setup(e Element) string {
	defaults := map[string]string{}
	switch e.Name() {
	case "formProt", "bidi", "rtlGutter", "noEndnote", "titlePg":
		if !e.On() {
			return ""
		}
		return "<" + e.Name() + ">"
	case "docGrid": // without a type it does nothing
		if kind := e.Attr("type"); kind == "" || kind == "default" {
			return ""
		}
	case "textDirection":
		defaults["val"] = "lrTb"
	case "type":
		defaults["val"] = "nextPage"
	case "vAlign":
		defaults["val"] = "top"
	case "pgNumType":
		defaults["fmt"] = "decimal"
	case "pgSz":
		defaults["orient"] = "portrait"
	case "pgMar":
		defaults["gutter"] = "0"
	case "cols":
		defaults["space"], defaults["num"], defaults["equalWidth"] = "720", "1", "1"
	default:
		return d.Canon(e)
	}
	var attributes []string
	for _, a := range e.attributes() {
		if value := a[1]; value != defaults[a[0]] && !strings.HasPrefix(a[0], "rsid") && !(a[0] == "equalWidth" && value == "true") {
			attributes = append(attributes, " "+a[0]+`="`+Escape(value)+`"`)
		}
	}
	var inner strings.Builder
	for c := range e.Children() {
		inner.WriteString(d.Canon(c))
	}
	if len(attributes) == 0 && inner.Len() == 0 {
		return ""
	}
	slices.Sort(attributes)
	return "<" + e.Name() + strings.Join(attributes, "") + ">" + inner.String() + "</>"
}

// TableProperty is a property of a table, row or cell in one form, "" where it says what
// holds without it.
func (d *Document) TableProperty(e Element) string {
	switch e.Name() {
	case "tcBorders", "tblBorders", "tcMar", "tblCellMar":
		if !e.First().Exists() {
			return ""
		}
		var sides []string
		for c := range e.Children() {
			inner := d.Canon(c)
			if name := side(c.Name()); name != c.Name() {
				inner = "<" + name + strings.TrimPrefix(inner, "<"+c.Name())
			}
			sides = append(sides, whole(inner))
		}
		slices.Sort(sides)
		return "<" + e.Name() + ">" + strings.Join(sides, "") + "</>"
	case "jc":
		if to := side(e.Attr("val")); to != "left" {
			return "<jc " + to + ">"
		}
		return ""
	case "cantSplit", "tblHeader", "hidden", "noWrap", "hideMark", "bidiVisual":
		if e.On() {
			return "<" + e.Name() + ">"
		}
		return ""
	case "trHeight":
		rule := e.Attr("hRule")
		if rule == "auto" || rule == "" {
			rule = "atLeast"
		}
		return whole("<trHeight " + rule + ` val="` + e.Attr("val") + `">`)
	default:
		return whole(d.Canon(e))
	}
}

// whole takes the zeros behind the point of numbers out, which some programs write.
func whole(canon string) string {
	if !strings.Contains(canon, ".0") {
		return canon
	}
	return zeros.ReplaceAllString(canon, `$1"`)
}

var zeros = regexp.MustCompile(`(="-?\d+)\.0+"`)

// set is a property that is one element.
func (l Look) set(name string, e Element) {
	var value string
	attributes := e.attributes()
	slices.SortFunc(attributes, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	for _, a := range attributes {
		switch {
		case a[0] == "val" && len(attributes) == 1:
			value = a[1]
		case a[0] == "val":
			value = a[1] + " " + value
		default:
			value += " " + a[0] + "=" + a[1]
		}
	}
	switch name {
	case "jc":
		value = side(value)
	case "color":
		if color, rest, _ := strings.Cut(value, " "); len(color) == 6 {
			value = strings.TrimSpace(strings.ToUpper(color) + " " + rest)
		}
	}
	if switches[name] {
		value = map[bool]string{true: "on", false: off}[e.On()]
	}
	value = strings.TrimSpace(value)
	if fraction.MatchString(value) && strings.Trim(value[strings.IndexByte(value, '.'):], ".0") == "" {
		value, _, _ = strings.Cut(value, ".") // some programs write 22.0
	}
	l[name] = value
}

// off is a property that is said to be off.
const off = "off"

// effective is l without what is the same as nothing.
func (l Look) effective() Look {
	maps.DeleteFunc(l, func(name, value string) bool {
		switch _, part, several := strings.Cut(name, " "); {
		case name == "widowControl": // it is on unless it is said not to be
			return value != off
		case name == "spacing lineRule":
			return value == "auto"
		case name == "spacing line":
			return value == "240" && (l["spacing lineRule"] == "" || l["spacing lineRule"] == "auto")
		case several && part != "line":
			return value == "0"
		default:
			return value == "" || value == off || value == "nil" || value == assumed[name] || name == "shd" && (value == "clear" || noShading(value))
		}
	})
	return l
}

// noShading reports whether a shading shows no colour.
func noShading(value string) bool {
	words := strings.Fields(value)
	if len(words) == 0 || words[0] != "clear" && words[0] != "nil" {
		return false
	}
	return !slices.ContainsFunc(words[1:], func(w string) bool {
		name, fill, _ := strings.Cut(w, "=")
		return name == "themeFill" || name == "fill" && !strings.EqualFold(fill, "auto") && !isWhite(fill)
	})
}

// isWhite reports whether a colour cannot be told from white paper.
func isWhite(color string) bool {
	n, err := strconv.ParseUint(color, 16, 32)
	return err == nil && len(color) == 6 && n>>16 >= pale && n>>8&0xFF >= pale && n&0xFF >= pale
}

// pale is how light each part of a colour is that nobody sees on white.
const pale = 0xF0

// style gives the looks of a style with its ancestors: toggles counted through.
func (l *looks) style(id string) (run, paragraph Look) {
	if known, ok := l.byStyle[id]; ok {
		return known[0], known[1]
	}
	run, paragraph = Look{}, Look{}
	var chain []Element
	for at := id; len(chain) < maxStyles && l.styles[at].Exists(); at = l.styles[at].Child("basedOn").Attr("val") {
		chain = append(chain, l.styles[at])
	}
	for _, e := range slices.Backward(chain) {
		run.take(l.doc, e.Child("rPr"))
		paragraph.take(l.doc, e.Child("pPr"))
	}
	l.byStyle[id] = [2]Look{run, paragraph}
	return run, paragraph
}

// over lays one look over another; toggles turn over.
func (l Look) over(other Look) {
	for name, value := range other {
		if slices.Contains(toggles, name) {
			on := l[name] == "on"
			value = map[bool]string{true: "on", false: off}[on != (value == "on")]
		}
		l[name] = value
	}
}

func (p *Paragraph) styleID(l *looks) string {
	if id := p.Child("pPr", "pStyle").Attr("val"); l.styles[id].Exists() {
		return id
	}
	return l.standard["paragraph"]
}

// Look is how the paragraph itself is set: alignment, indents, outline level.
func (d *Document) Look(p *Paragraph) Look {
	l := d.resolver()
	_, style := l.style(p.styleID(l))
	look := maps.Clone(l.paragraph)
	maps.Copy(look, style)
	look.take(d, p.Child("pPr"))
	return look.effective()
}

// TextLook is how text with the properties rPr looks in p: those of a run or of the
// paragraph's mark.
func (d *Document) TextLook(p *Paragraph, rPr Element) Look {
	l := d.resolver()
	style, _ := l.style(p.styleID(l))
	look := maps.Clone(l.run)
	if table, _ := l.style(p.Closest("tbl").Child("tblPr", "tblStyle").Attr("val")); len(table) > 0 {
		look.over(table)
	}
	maps.Copy(look, style)
	if character := rPr.Child("rStyle").Attr("val"); l.styles[character].Exists() {
		of, _ := l.style(character)
		look.over(of)
	}
	look.take(d, rPr)
	l.themed(look)
	return look.effective()
}

// themed names the fonts that a look has of the document's theme.
func (l *looks) themed(look Look) {
	for _, script := range []string{"ascii", "hAnsi", "cs"} {
		name := "rFonts " + script + "Theme"
		if script == "cs" {
			name = "rFonts cstheme"
		}
		theme := look[name]
		if theme == "" {
			continue
		}
		delete(look, name)
		if font := l.fonts()[strings.ToLower(theme)]; font != "" {
			look["rFonts "+script] = font
		} else if look["rFonts "+script] == "" {
			look["rFonts "+script] = theme
		}
	}
}

// fonts are those of the theme by what properties call them.
func (l *looks) fonts() map[string]string {
	if l.themeFonts == nil {
		l.themeFonts = map[string]string{}
		for e := range l.doc.Related("theme").Root().Descendants() {
			kind := map[string]string{"a:majorFont": "major", "a:minorFont": "minor"}[e.Parent().Name()]
			if font := e.Attr("typeface"); kind != "" && font != "" {
				for of, names := range map[string][]string{"a:latin": {"hansi", "ascii"}, "a:cs": {"bidi"}} {
					for _, name := range names {
						if e.Is(of) {
							l.themeFonts[kind+name] = font
						}
					}
				}
			}
		}
	}
	return l.themeFonts
}

// ParagraphStyle is the name of the style of a paragraph: where it names none, the
// standard one.
func (d *Document) ParagraphStyle(p *Paragraph) string {
	if id := p.styleID(d.resolver()); id != "" {
		return d.StyleName(id)
	}
	return d.StyleName(p.Child("pPr", "pStyle").Attr("val"))
}

// StyleName is the name of a style, which is the same in every document while its id
// is not.
func (d *Document) StyleName(id string) string {
	if e := d.resolver().styles[id]; e.Exists() {
		return strings.ToLower(e.Child("name").Attr("val"))
	}
	return id
}

// StyleCalled is the id of the style of a type and name, as StyleName gives it: the
// first of several.
func (d *Document) StyleCalled(kind, name string) (id string, known bool) {
	l := d.resolver()
	if l.called == nil {
		l.called = map[[2]string]string{}
		for _, at := range slices.Backward(slices.Sorted(maps.Keys(l.styles))) {
			e := l.styles[at]
			l.called[[2]string{e.Attr("type"), strings.ToLower(e.Child("name").Attr("val"))}] = at
		}
	}
	id, known = l.called[[2]string{kind, name}]
	return id, known
}

// Lists are the ids of the document's lists.
func (d *Document) Lists() []string {
	var all []string
	for e := range d.Related("numbering").Root().Children() {
		if e.Is("num") {
			all = append(all, e.Attr("numId"))
		}
	}
	return all
}

// ListDefinition is how a list numbers at all of its levels, "" for no list.
func (d *Document) ListDefinition(id string) string {
	root := d.Related("numbering").Root()
	list := childBy(root, "num", "numId", id)
	abstract := childBy(root, "abstractNum", "abstractNumId", list.Child("abstractNumId").Attr("val"))
	var b strings.Builder
	for _, e := range []Element{abstract, list} {
		for c := range e.Children() {
			if c.Is("lvl", "lvlOverride", "numStyleLink", "styleLink") {
				b.WriteString(d.Canon(c))
			}
		}
	}
	return b.String()
}

// Hidden reports whether text that looks so cannot be read, or is struck out, and in
// which way: "hidden", "struck through", "white", "too small to read"; "" for text
// that is plain to see.
func (l Look) Hidden() string {
	color, size := strings.ToUpper(strings.Fields(l["color"] + " -")[0]), l["sz"]
	switch {
	case l["vanish"] != "":
		return "hidden"
	case l["strike"] != "" || l["dstrike"] != "":
		return "struck through"
	case isWhite(color) && l["shd"] == "" && (l["highlight"] == "" || l["highlight"] == "white"):
		return "white"
	case tiny(size):
		return "too small to read"
	default:
		return ""
	}
}

// leastRead is the least size of text that can be read, in half points.
const leastRead = 7

func tiny(size string) bool {
	n, err := strconv.ParseFloat(size, 64)
	return err == nil && n < leastRead
}

// List is how the list of a paragraph numbers it at its level: its format, its text and
// where it starts. It is "" for a paragraph in no list. What the list has counted is in
// Numbers.
func (d *Document) List(p *Paragraph) string {
	l := d.resolver()
	numbers, level, byLevel := "", "", ""
	properties := p.Child("pPr")
	at := p.styleID(l)
	for range maxStyles {
		numbered := properties.Child("numPr")
		if numbers == "" {
			numbers = numbered.Child("numId").Attr("val")
		}
		if level == "" {
			level = numbered.Child("ilvl").Attr("val")
		}
		style := l.styles[at]
		if !style.Exists() {
			break
		}
		if byLevel == "" {
			byLevel = at
		}
		properties, at = style.Child("pPr"), style.Child("basedOn").Attr("val")
	}
	if numbers == "" || numbers == "0" {
		return ""
	}
	root := d.Related("numbering").Root()
	list := childBy(root, "num", "numId", numbers)
	abstract := childBy(root, "abstractNum", "abstractNumId", list.Child("abstractNumId").Attr("val"))
	if link := abstract.Child("numStyleLink").Attr("val"); link != "" {
		linked := childBy(root, "num", "numId", l.styles[link].Child("pPr", "numPr", "numId").Attr("val"))
		abstract = childBy(root, "abstractNum", "abstractNumId", linked.Child("abstractNumId").Attr("val"))
	}
	if level == "" {
		level = "0"
		for e := range abstract.Children() {
			if e.Is("lvl") && e.Child("pStyle").Attr("val") == byLevel && byLevel != "" {
				level = e.Attr("ilvl")
			}
		}
	}
	override := childBy(list, "lvlOverride", "ilvl", level)
	definition := override.Child("lvl")
	if !definition.Exists() {
		definition = childBy(abstract, "lvl", "ilvl", level)
	}
	var b strings.Builder
	for c := range definition.Children() {
		switch {
		case c.Is("pStyle"):
		case c.Is("lvlJc"):
			b.WriteString("<lvlJc " + side(c.Attr("val")) + ">")
		case c.Is("pPr", "rPr"):
			look := Look{}
			look.take(d, c)
			withoutTab := strings.TrimPrefix(look["tabs"], "0:num")
			look["tabs"] = strings.TrimSpace(withoutTab)
			b.WriteString("<" + c.Name() + " " + look.effective().String() + ">")
		default:
			b.WriteString(d.Canon(c))
		}
	}
	b.WriteString(d.Canon(override.Child("startOverride")))
	return b.String()
}

// childBy is the child of e of a name whose attribute has a value, none for none.
func childBy(e Element, name, attribute, value string) Element {
	for c := range e.Children() {
		if c.Is(name) && c.Attr(attribute) == value {
			return c
		}
	}
	return Element{}
}

// Styles are the definitions of the document's styles by their type and name, without
// what only says how a program offers them.
func (d *Document) Styles() map[string]string {
	all := map[string]string{}
	for e := range d.Related("styles").Root().Children() {
		name := e.Attr("type") + " style " + strings.ToLower(e.Child("name").Attr("val"))
		if _, twice := all[name]; twice || !e.Is("style") || e.Attr("styleId") == "" {
			continue
		}
		var b strings.Builder
		for c := range e.Children() {
			switch {
			case c.Is("basedOn"):
				b.WriteString("based on " + d.StyleName(c.Attr("val")))
			case c.Is("rPr", "pPr", "tblPr", "trPr", "tcPr", "tblStylePr"):
				b.WriteString(d.Canon(c))
			}
		}
		all[name] = b.String()
	}
	return all
}

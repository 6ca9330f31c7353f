package docx

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/clausemill/clausemill/fault"
)

// A Property is an element of a set of properties, with its values as WordprocessingML
// gives them.
type Property struct {
	Name       string            `json:"name" maxLength:"40" doc:"The element of WordprocessingML, such as jc or pgMar"`
	Attributes map[string]string `json:"attributes,omitempty" doc:"Its values, such as val"`
	Properties []Property        `json:"properties,omitempty" doc:"The elements in it, such as the sides of borders"`
}

// Settings change a set of properties. Those that they do not name stay as they are.
type Settings struct {
	Set   []Property `json:"set,omitempty" doc:"Properties with their new values"`
	Unset []string   `json:"unset,omitempty" doc:"Names of the properties that are taken out, so that those of the style are in force"`
}

// IsZero reports whether the settings change nothing.
func (s Settings) IsZero() bool { return len(s.Set)+len(s.Unset) == 0 }

// Names are the properties that the settings are about.
func (s Settings) Names() []string {
	var names []string
	for _, p := range s.Set {
		if !slices.Contains(names, p.Name) {
			names = append(names, p.Name)
		}
	}
	return append(names, s.Unset...)
}

// A Holder is what has properties.
type Holder string

// The holders. OfMark is the end of a paragraph, which has properties like text.
const (
	OfText      Holder = "text"
	OfParagraph Holder = "paragraph"
	OfMark      Holder = "mark"
	OfTable     Holder = "table"
	OfGrid      Holder = "grid"
	OfRow       Holder = "row"
	OfCell      Holder = "cell"
	OfSection   Holder = "section"
)

// setOf is the set of properties that a holder has, and orders the names in it as the
// format wants them.
var setOf = map[Holder]string{
	OfText: "rPr", OfMark: "rPr", OfParagraph: "pPr", OfTable: "tblPr", OfGrid: "tblGrid", OfRow: "trPr", OfCell: "tcPr", OfSection: "sectPr",
}

var orders = map[string][]string{
	"rPr": runOrder,
	"pPr": strings.Fields(`pStyle keepNext keepLines pageBreakBefore framePr widowControl numPr suppressLineNumbers pBdr shd tabs suppressAutoHyphens
		kinsoku wordWrap overflowPunct topLinePunct autoSpaceDE autoSpaceDN bidi adjustRightInd snapToGrid spacing ind contextualSpacing mirrorIndents
		suppressOverlap jc textDirection textAlignment textboxTightWrap outlineLvl`),
	"tblPr": strings.Fields(`tblStyle tblpPr tblOverlap bidiVisual tblStyleRowBandSize tblStyleColBandSize tblW jc tblCellSpacing tblInd tblBorders shd tblLayout
		tblCellMar tblLook tblCaption tblDescription`),
	"tblGrid": {"gridCol"},
	"trPr":    strings.Fields(`gridBefore gridAfter wBefore wAfter cantSplit trHeight tblHeader tblCellSpacing jc hidden`),
	"tcPr":    strings.Fields(`tcW gridSpan hMerge vMerge tcBorders shd noWrap tcMar textDirection tcFitText vAlign hideMark`),
	"sectPr": strings.Fields(`footnotePr endnotePr type pgSz pgMar paperSrc pgBorders lnNumType pgNumType cols formProt vAlign noEndnote titlePg textDirection
		bidi rtlGutter docGrid printerSettings`),
}

// PropertiesOf are the properties in e by name, those that can be set. One that the
// format does not allow, or that leads to another part, is left out.
func PropertiesOf(e Element) map[string][]Property {
	all := map[string][]Property{}
	order := orders[e.Name()]
	for c := range e.Children() {
		if p, ok := propertyOf(c); ok && p.sound(0) && slices.Contains(order, c.Name()) {
			all[c.Name()] = append(all[c.Name()], p)
		}
	}
	return all
}

// plain are the names in WordprocessingML that have no prefix of their own here.
var plain = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]{0,39}$`)

// fraction is a number that some programs write where the format wants an integer.
var fraction = regexp.MustCompile(`^-?\d+\.\d+$`)

func propertyOf(e Element) (p Property, ok bool) {
	p.Name = e.Name()
	for _, a := range e.attributes() {
		if strings.HasPrefix(a[0], "rsid") {
			continue
		}
		if !plain.MatchString(a[0]) || fraction.MatchString(a[1]) {
			return p, false
		}
		if p.Attributes == nil {
			p.Attributes = map[string]string{}
		}
		p.Attributes[a[0]] = a[1]
	}
	for c := range e.Children() {
		inner, ok := propertyOf(c)
		if !ok || isRevision(c) {
			return p, false
		}
		p.Properties = append(p.Properties, inner)
	}
	return p, plain.MatchString(p.Name)
}

// Check refuses settings that a holder cannot have.
func (s Settings) Check(of Holder) error {
	if setOf[of] == "" {
		return fault.New(fault.Invalid, "the properties are of text, a paragraph, its mark, a table, its grid, a row, a cell or a section")
	}
	names := slices.Clone(s.Unset)
	for _, p := range s.Set {
		if !p.sound(0) {
			return fault.Newf(fault.Invalid, "the property %s is not as WordprocessingML has it", p.Name)
		}
		names = append(names, p.Name)
	}
	for _, name := range names {
		if !Settable(of, name) {
			return fault.Newf(fault.Invalid, "a %s has no property %s that can be set", of, name)
		}
	}
	return nil
}

// required are the values that properties must have.
var required = map[string][]string{
	"pgMar": {"top", "right", "bottom", "left", "header", "footer", "gutter"}, "tab": {"val", "pos"},
}

func init() {
	for _, name := range strings.Fields(`pStyle rStyle tblStyle ilvl numId jc outlineLvl textDirection textAlignment textboxTightWrap color highlight sz szCs vertAlign
		em effect kern position w shd bdr top left start bottom right end insideH insideV between bar gridSpan vAlign gridBefore gridAfter type tblOverlap
		tblStyleRowBandSize tblStyleColBandSize tblCaption tblDescription numFmt numStart numRestart pos`) {
		required[name] = []string{"val"}
	}
}

// maxNested is how deep properties lie in one another in the format.
const maxNested = 3

func (p Property) sound(depth int) bool {
	if depth > maxNested || !plain.MatchString(p.Name) {
		return false
	}
	margins := slices.ContainsFunc([]string{"w", "type"}, func(name string) bool { return p.Attributes[name] != "" }) // sides of cells, not borders
	for _, name := range required[p.Name] {
		if _, given := p.Attributes[name]; !given && !margins {
			return false
		}
	}
	for name, value := range p.Attributes {
		if !plain.MatchString(name) || strings.ContainsFunc(value, func(r rune) bool { return !IsXML(r) }) {
			return false
		}
	}
	return !slices.ContainsFunc(p.Properties, func(inner Property) bool { return !inner.sound(depth + 1) })
}

func (p Property) markup(w string) string {
	var b strings.Builder
	b.WriteString("<" + w + p.Name)
	for _, name := range slices.Sorted(maps.Keys(p.Attributes)) {
		b.WriteString(" " + w + name + `="` + Escape(p.Attributes[name]) + `"`)
	}
	if len(p.Properties) == 0 {
		return b.String() + "/>"
	}
	b.WriteString(">")
	for _, inner := range p.Properties {
		b.WriteString(inner.markup(w))
	}
	return b.String() + "</" + w + p.Name + ">"
}

// A property is one as it is written.
type property struct{ name, markup string }

// held are the properties of something, in order.
type held []property

// holds are the children of e but for those called but.
func holds(e Element, but ...string) held {
	var all held
	for c := range e.Children() {
		if !c.Is(but...) {
			all = append(all, property{c.Name(), string(c.Raw())})
		}
	}
	return all
}

func (h held) String() string {
	var b strings.Builder
	for _, p := range h {
		b.WriteString(p.markup)
	}
	return b.String()
}

// with is h with settings in force, each new property at its place in the order.
func (h held) with(s Settings, of, w string) held {
	var out held
	order := orders[of]
	for _, p := range h {
		if !slices.Contains(s.Unset, p.name) && !slices.ContainsFunc(s.Set, func(q Property) bool { return q.Name == p.name }) {
			out = append(out, p)
		}
	}
	for _, p := range s.Set {
		at := len(out)
		for i := range out {
			if slices.Index(order, out[i].name) > slices.Index(order, p.Name) {
				at = i
				break
			}
		}
		out = slices.Insert(out, at, property{p.Name, p.markup(w)})
	}
	return out
}

// tracked is the set of properties e, called name, with settings in force and the old
// ones kept as a tracked change with attributes.
func (s Settings) tracked(w, name string, e Element, attributes string) string {
	before, after := outlive(name)
	old := holds(e, append(slices.Clone(before), after...)...)
	var front, back strings.Builder // what stands around the rest, and is in no change
	for c := range e.Children() {
		switch {
		case c.Is(before...):
			front.Write(c.Raw())
		case c.Is(after...):
			back.Write(c.Raw())
		}
	}
	open, end := "<"+w+name+">", "</"+w+name+">"
	if e.Exists() {
		open, end = e.startTag(), e.endTag()
	}
	return open + front.String() + old.with(s, name, w).String() + back.String() +
		"<" + w + name + "Change" + attributes + "><" + w + name + ">" + old.String() + "</" + w + name + "></" + w + name + "Change>" + end
}

// Settable reports whether a holder can be given a property, or one be taken from it.
func Settable(of Holder, name string) bool {
	return name != "printerSettings" && slices.Contains(orders[setOf[of]], name)
}

// Set changes the properties of a table, its grid, a row, a cell or a section, as a
// tracked change. E is that table, row, cell or w:sectPr.
func (e *Editor) Set(of Holder, on Element, settings Settings, by By) error {
	if err := settings.Check(of); err != nil {
		return err
	}
	name := setOf[of]
	properties := on.Child(name)
	at := on.node().open
	switch {
	case of == OfSection:
		properties = on
	case of == OfGrid && !properties.Exists():
		return unsupported("a table without a grid")
	case of == OfRow && on.Child("tblPrEx").Exists():
		at = on.Child("tblPrEx").node().end
	}
	for c := range properties.Children() {
		if isRevision(c) && strings.HasSuffix(c.name(), "Change") {
			return unsupported("a " + string(of) + " whose properties were changed already")
		}
	}
	if p := on.Closest("p"); of == OfSection && p.Exists() { // its properties may change as well
		e.add(op{kind: opSettings, p: e.doc.storyOf(p).ParagraphOf(p), by: by, of: of, settings: settings})
		return nil
	}
	w := on.part.word()
	o := op{kind: opSplice, part: on.part, start: int(at), end: int(at), by: by, markup: func() string {
		if of == OfGrid { // the only change without an author
			return settings.tracked(w, name, properties, e.ids.number(w))
		}
		return settings.tracked(w, name, properties, e.ids.attributes(w, by))
	}}
	if properties.Exists() {
		o.start, o.end = int(properties.node().start), int(properties.node().end)
	}
	e.add(o)
	return nil
}

// SetParagraph changes the properties of a paragraph, or of its mark, as a tracked
// change.
func (e *Editor) SetParagraph(of Holder, p *Paragraph, settings Settings, by By) error {
	if err := settings.Check(of); err != nil {
		return err
	}
	if err := p.editable(); err != nil {
		return err
	}
	properties := p.Child("pPr")
	tracked := properties.Child("pPrChange").Exists() || properties.Child("numPr", "ins").Exists() || properties.Child("numPr", "numberingChange").Exists()
	if of == OfMark {
		tracked = p.Mark().Child("rPrChange").Exists()
	}
	if tracked {
		return unsupported("a paragraph whose properties were changed already")
	}
	e.add(op{kind: opSettings, p: p, by: by, of: of, settings: settings})
	return nil
}

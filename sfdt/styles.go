package sfdt

import (
	"strconv"
	"strings"

	"github.com/clausemill/clausemill/docx"
)

// The names by which the editor knows the styles of text that names none.
const (
	normalStyle  = "Normal"
	defaultStyle = "Default Paragraph Font"
)

// maxStyles bounds the chain of a style's ancestors, which may be a loop.
const maxStyles = 32

// readStyles takes over the paragraph and character styles with the lists that
// they stand in. Those of tables are only remembered: their lines and margins
// go into the tables themselves.
func (c *converter) readStyles() {
	root := c.src.Related("styles").Root()
	c.out.CharacterFormat = c.characterFormat(root.Child("docDefaults", "rPrDefault", "rPr"))
	c.out.ParagraphFormat = paragraphFormat(root.Child("docDefaults", "pPrDefault", "pPr"))
	if c.out.CharacterFormat.FontSize == nil {
		c.out.CharacterFormat.FontSize = new(10.0) // what Word takes where nothing is said
	}
	if c.out.CharacterFormat.FontFamily == "" {
		c.out.CharacterFormat.FontFamily = "Times New Roman"
	}
	taken := map[string]bool{}
	var listed []docx.Element
	for e := range root.Children() {
		id := e.Attr("styleId")
		if !e.Is("style") || c.styles[id].Exists() || id == "" {
			continue
		}
		c.styles[id] = e
		kind := styleKinds[e.Attr("type")]
		if kind == "" {
			continue
		}
		name := styleName(e.Child("name").Attr("val"))
		if on(e.Attr("default")) && kind == "Paragraph" {
			name = normalStyle
		} else if name == normalStyle && kind == "Paragraph" {
			name = "Normal 1" // the one that is the default has the name
		}
		for n, base := 2, name; taken[name] || name == ""; n++ {
			name = base + " " + strconv.Itoa(n)
		}
		taken[name] = true
		c.styleNames[id] = name
		listed = append(listed, e)
	}
	c.readLists()
	if !taken[normalStyle] {
		c.out.Styles = append(c.out.Styles, Style{Type: "Paragraph", Name: normalStyle, Next: normalStyle})
	}
	for _, e := range listed {
		c.out.Styles = append(c.out.Styles, c.style(e))
	}
}

var styleKinds = map[string]string{"paragraph": "Paragraph", "character": "Character"}

// styleName gives the built-in styles the names that the editor has for them:
// files keep them in lower case.
func styleName(name string) string {
	if level, ok := strings.CutPrefix(name, "heading "); ok && len(level) == 1 {
		return "Heading " + level
	}
	switch name {
	case "header", "footer", "caption", "title", "subtitle", "footnote text", "footnote reference", "endnote text", "endnote reference":
		return strings.ToUpper(name[:1]) + name[1:]
	}
	return name
}

func (c *converter) style(e docx.Element) Style {
	s := Style{
		Type: styleKinds[e.Attr("type")], Name: c.styleNames[e.Attr("styleId")], BasedOn: c.ancestor(e),
		Next: c.styleNames[e.Child("next").Attr("val")], CharacterFormat: c.characterFormat(e.Child("rPr")),
	}
	if link := c.styles[e.Child("link").Attr("val")]; link.Exists() && link.Attr("type") != e.Attr("type") {
		s.Link = c.styleNames[e.Child("link").Attr("val")]
	}
	if s.Type == "Paragraph" {
		s.ParagraphFormat = paragraphFormat(e.Child("pPr"))
		s.ParagraphFormat.ListFormat = c.styleList(e)
		if s.Next == "" {
			s.Next = s.Name
		}
	}
	return s
}

// ancestor is the name of the style that e is based on, "" where that is of
// another kind or leads back to e.
func (c *converter) ancestor(e docx.Element) string {
	base := c.styles[e.Child("basedOn").Attr("val")]
	if base.Attr("type") != e.Attr("type") {
		return ""
	}
	steps := 0
	for at := base; at.Exists(); at = c.styles[at.Child("basedOn").Attr("val")] {
		if steps++; at == e || steps > maxStyles {
			return ""
		}
	}
	return c.styleNames[base.Attr("styleId")]
}

// styleList is the list of a paragraph style. Its level may be in the list instead of
// the style.
func (c *converter) styleList(e docx.Element) *ListFormat {
	properties := e.Child("pPr", "numPr")
	f := c.listFormat(properties)
	if f == nil || f.List < 0 || f.Level != nil {
		return f
	}
	f.Level = new(c.levelOfStyle[levelKey{f.List, e.Attr("styleId")}])
	return f
}

// A levelKey names a paragraph style in a list.
type levelKey struct {
	list  int
	style string
}

// listFormat reads a w:numPr, nil where it names no list that is there.
func (c *converter) listFormat(e docx.Element) *ListFormat {
	if !e.Exists() {
		return nil
	}
	id := e.Child("numId").Attr("val")
	if id == "0" {
		return &ListFormat{List: -1}
	}
	list, known := c.lists[id]
	if !known {
		return nil
	}
	f := &ListFormat{List: list}
	if level, ok := whole(e.Child("ilvl").Attr("val")); ok && level >= 0 && level < listLevels {
		f.Level = &level
	}
	return f
}

// listLevels is how many levels a list has.
const listLevels = 9

// readLists takes over the lists whose definitions are there.
func (c *converter) readLists() {
	root := c.src.Related("numbering").Root()
	abstracts, numbers := map[string]docx.Element{}, map[string]docx.Element{}
	for e := range root.Children() {
		switch e.Name() {
		case "abstractNum":
			abstracts[e.Attr("abstractNumId")] = e
		case "num":
			numbers[e.Attr("numId")] = e
		}
	}
	// A list may be defined by the list of a numbering style.
	definition := func(number docx.Element) docx.Element {
		abstract := abstracts[number.Child("abstractNumId").Attr("val")]
		for range maxStyles {
			link := abstract.Child("numStyleLink").Attr("val")
			if link == "" {
				break
			}
			linked := c.styles[link].Child("pPr", "numPr", "numId").Attr("val")
			abstract = abstracts[numbers[linked].Child("abstractNumId").Attr("val")]
		}
		return abstract
	}
	known := map[docx.Element]int{}
	for e := range root.Children() {
		id := e.Attr("numId")
		if _, twice := c.lists[id]; !e.Is("num") || twice || id == "" {
			continue
		}
		abstract := definition(e)
		if !abstract.Exists() {
			continue
		}
		if _, there := known[abstract]; !there {
			known[abstract] = len(known)
			c.out.AbstractLists = append(c.out.AbstractLists, AbstractList{ID: known[abstract], Levels: c.levels(abstract)})
		}
		list := List{ID: len(c.out.Lists), Abstract: known[abstract], Overrides: c.overrides(e)}
		c.lists[id] = list.ID
		c.out.Lists = append(c.out.Lists, list)
		for level := range abstract.Children() {
			if n, ok := whole(level.Attr("ilvl")); ok && level.Child("pStyle").Exists() && n >= 0 && n < listLevels {
				c.levelOfStyle[levelKey{list.ID, level.Child("pStyle").Attr("val")}] = n
			}
		}
	}
}

func (c *converter) levels(abstract docx.Element) []ListLevel {
	levels := make([]ListLevel, listLevels)
	for i := range levels {
		levels[i] = ListLevel{
			Pattern: "None", FollowCharacter: "None", StartAt: 1, RestartLevel: i, CharacterFormat: &CharacterFormat{}, ParagraphFormat: &ParagraphFormat{},
		}
	}
	for e := range abstract.Children() {
		if i, ok := whole(e.Attr("ilvl")); ok && e.Is("lvl") && i >= 0 && i < listLevels {
			levels[i] = c.level(e, i)
		}
	}
	return levels
}

func (c *converter) level(e docx.Element, i int) ListLevel {
	level := ListLevel{
		Pattern: "Arabic", NumberFormat: e.Child("lvlText").Attr("val"), RestartLevel: i, FollowCharacter: "Tab",
		Legal: e.Child("isLgl").On(), StyleName: c.styleNames[e.Child("pStyle").Attr("val")],
		CharacterFormat: c.characterFormat(e.Child("rPr")), ParagraphFormat: paragraphFormat(e.Child("pPr")),
	}
	if pattern, known := listPatterns[e.Child("numFmt").Attr("val")]; known {
		level.Pattern = pattern
	}
	if level.Pattern == "Bullet" && level.NumberFormat == "" {
		level.NumberFormat = "•" // a picture
	}
	if n, ok := whole(e.Child("start").Attr("val")); ok && n >= 0 {
		level.StartAt = n
	}
	if n, ok := whole(e.Child("lvlRestart").Attr("val")); ok && n >= 0 && n <= i {
		level.RestartLevel = n
	}
	switch e.Child("suff").Attr("val") {
	case "space":
		level.FollowCharacter = "Space"
	case "nothing":
		level.FollowCharacter = "None"
	}
	return level
}

var listPatterns = map[string]string{
	"decimal": "Arabic", "upperRoman": "UpRoman", "lowerRoman": "LowRoman", "upperLetter": "UpLetter", "lowerLetter": "LowLetter",
	"ordinal": "Ordinal", "cardinalText": "Number", "ordinalText": "OrdinalText", "decimalZero": "LeadingZero", "bullet": "Bullet", "none": "None",
}

func (c *converter) overrides(number docx.Element) []ListOverride {
	var all []ListOverride
	for e := range number.Children() {
		i, ok := whole(e.Attr("ilvl"))
		if !e.Is("lvlOverride") || !ok || i < 0 || i >= listLevels {
			continue
		}
		override := ListOverride{Level: i}
		if level := e.Child("lvl"); level.Exists() {
			override.Instead = new(c.level(level, i))
			override.StartAt = override.Instead.StartAt
		}
		if n, ok := whole(e.Child("startOverride").Attr("val")); ok && n >= 0 {
			override.StartAt = n
		} else if override.Instead == nil {
			continue
		}
		all = append(all, override)
	}
	return all
}

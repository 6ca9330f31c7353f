package document

import (
	"encoding/xml"
	"strconv"
	"strings"
)

// style is a style of a Word document, as far as structure hangs on it.
type style struct {
	id, name, basedOn string
	outline           *int
	list              listRef
	breakBefore       *bool
}

// A listRef is a w:numPr: what puts a paragraph into a list.
type listRef struct {
	list  string // "" where nothing is said, "0" to leave the list of the style
	level *int   // from 0
}

func readListRef(x *xmlReader) (listRef, error) {
	var ref listRef
	err := x.children(func(e xml.StartElement) error {
		switch word(e.Name) {
		case "numId":
			ref.list = attribute(e, "val")
		case "ilvl":
			ref.level = integer(attribute(e, "val"))
		}
		return nil
	})
	return ref, err
}

// defaultStyle is the key of the style of paragraphs that name none.
const defaultStyle = ""

func (d *docx) readStyles() error {
	d.styles = map[string]*style{}
	return d.read(d.related["styles"], func(x *xmlReader) error {
		return x.children(func(e xml.StartElement) error {
			if word(e.Name) != "style" {
				return nil
			}
			st := &style{id: attribute(e, "styleId")}
			d.styles[st.id] = st
			if attribute(e, "type") == "paragraph" && (attribute(e, "default") == "1" || attribute(e, "default") == "true") {
				d.styles[defaultStyle] = st
			}
			return x.children(func(e xml.StartElement) error {
				switch word(e.Name) {
				case "name":
					st.name = attribute(e, "val")
				case "basedOn":
					st.basedOn = attribute(e, "val")
				case "pPr":
					p, err := readParagraphProperties(x)
					st.outline, st.list, st.breakBefore = p.outline, p.list, p.breakBefore
					return err
				}
				return nil
			})
		})
	})
}

// maxStyles bounds the chain of a style's ancestors, which may be a loop.
const maxStyles = 32

// styleChain lists a style and its ancestors, nearest first.
func (d *docx) styleChain(id string) []*style {
	var chain []*style
	st := d.styles[id]
	if st == nil {
		st = d.styles[defaultStyle]
	}
	for st != nil && len(chain) < maxStyles {
		chain = append(chain, st)
		if st.basedOn == "" {
			break
		}
		st = d.styles[st.basedOn]
	}
	return chain
}

// headingLevel is the outline level from 1 of a heading, 0 of a title. The
// built-in styles are known by name, since translated programs keep it.
func headingLevel(properties paragraphProperties, chain []*style) (int, bool) {
	if properties.outline != nil {
		return *properties.outline + 1, *properties.outline >= 0 && *properties.outline < 9
	}
	for _, st := range chain {
		if level, ok := builtInHeading(st.name); ok {
			return level, true
		}
		if st.outline != nil {
			return *st.outline + 1, *st.outline >= 0 && *st.outline < 9
		}
	}
	return 0, false
}

// builtInHeading tells the level of a style by the name that word processors
// give it in files of any language.
func builtInHeading(style string) (int, bool) {
	name := strings.ToLower(style)
	if name == "title" {
		return 0, true
	}
	if digit, ok := strings.CutPrefix(name, "heading "); ok {
		n, err := strconv.Atoi(digit)
		return n, err == nil && n >= 1 && n <= listLevels
	}
	return 0, false
}

// listLevels is how many levels a list has in WordprocessingML.
const listLevels = 9

// numbering holds the lists of a document and how far they have counted.
type numbering struct {
	abstracts map[string]*abstractList
	lists     map[string]*list
}

// An abstractList holds the definition and the counters that lists share.
type abstractList struct {
	levels    [listLevels]listLevel
	styleLink string // the numbering style whose list defines this one
	counts    [listLevels]int
	counted   [listLevels]bool
}

type listLevel struct {
	start   int
	format  string
	text    string // "%1.%2"
	legal   bool   // all numbers in decimal
	restart *int   // the level (from 1) whose progress restarts this one; 0 for none
	style   string // the paragraph style that stands at this level
}

// A list is a w:num: an abstract list with changes.
type list struct {
	abstract  string
	overrides map[int]listLevel
	starts    map[int]int // levels to be restarted when they are next met
}

func (d *docx) readNumbering() error {
	d.numbers = numbering{abstracts: map[string]*abstractList{}, lists: map[string]*list{}}
	return d.read(d.related["numbering"], func(x *xmlReader) error {
		return x.children(func(e xml.StartElement) error {
			switch word(e.Name) {
			case "abstractNum":
				abstract, err := readAbstractList(x)
				d.numbers.abstracts[attribute(e, "abstractNumId")] = abstract
				return err
			case "num":
				l, err := readList(x)
				d.numbers.lists[attribute(e, "numId")] = l
				return err
			}
			return nil
		})
	})
}

func readAbstractList(x *xmlReader) (*abstractList, error) {
	abstract := &abstractList{}
	err := x.children(func(e xml.StartElement) error {
		switch word(e.Name) {
		case "numStyleLink":
			abstract.styleLink = attribute(e, "val")
		case "lvl":
			if i := integer(attribute(e, "ilvl")); i != nil && *i >= 0 && *i < listLevels {
				var err error
				abstract.levels[*i], err = readListLevel(x)
				return err
			}
		}
		return nil
	})
	return abstract, err
}

func readListLevel(x *xmlReader) (listLevel, error) {
	level := listLevel{format: "decimal"}
	err := x.children(func(e xml.StartElement) error {
		value := attribute(e, "val")
		switch word(e.Name) {
		case "start":
			if n := integer(value); n != nil {
				level.start = *n
			}
		case "numFmt":
			level.format = value
		case "lvlText":
			level.text = value
		case "isLgl":
			level.legal = isOn(e)
		case "lvlRestart":
			level.restart = integer(value)
		case "pStyle":
			level.style = value
		}
		return nil
	})
	return level, err
}

func readList(x *xmlReader) (*list, error) {
	l := &list{overrides: map[int]listLevel{}, starts: map[int]int{}}
	err := x.children(func(e xml.StartElement) error {
		switch word(e.Name) {
		case "abstractNumId":
			l.abstract = attribute(e, "val")
		case "lvlOverride":
			i := integer(attribute(e, "ilvl"))
			if i == nil {
				return nil
			}
			return x.children(func(e xml.StartElement) error {
				var err error
				switch word(e.Name) {
				case "startOverride":
					if n := integer(attribute(e, "val")); n != nil {
						l.starts[*i] = *n
					}
				case "lvl":
					l.overrides[*i], err = readListLevel(x)
				}
				return err
			})
		}
		return nil
	})
	return l, err
}

// label counts a paragraph in its list and renders its number. The level is
// from 1; ok is false for a paragraph in no list.
func (d *docx) label(properties paragraphProperties, chain []*style) (number string, level int, ok bool) {
	ref, index := properties.list, -1
	if ref.level != nil {
		index = *ref.level
	}
	for _, st := range chain {
		if ref.list == "" {
			ref.list = st.list.list
		}
		if index < 0 && st.list.level != nil {
			index = *st.list.level
		}
	}
	l := d.numbers.lists[ref.list]
	abstract := d.numbers.definition(l, d.styles)
	if abstract == nil {
		return "", 0, false
	}
	if index < 0 {
		index = abstract.styleLevel(chain)
	}
	if index < 0 || index >= listLevels {
		return "", 0, false
	}
	return l.next(abstract, index), index + 1, true
}

// definition finds the abstract list that defines l, if need be through the
// style that it defers to.
func (n *numbering) definition(l *list, styles map[string]*style) *abstractList {
	if l == nil {
		return nil
	}
	abstract := n.abstracts[l.abstract]
	if abstract == nil || abstract.styleLink == "" {
		return abstract
	}
	if st := styles[abstract.styleLink]; st != nil {
		if linked := n.lists[st.list.list]; linked != nil && n.abstracts[linked.abstract] != nil {
			return n.abstracts[linked.abstract]
		}
	}
	return abstract
}

// styleLevel is the level that the nearest style stands at, else the first.
func (a *abstractList) styleLevel(chain []*style) int {
	for _, st := range chain {
		for i, level := range a.levels {
			if level.style != "" && level.style == st.id {
				return i
			}
		}
	}
	return 0
}

// next counts a paragraph at a level and renders its number.
func (l *list) next(a *abstractList, index int) string {
	level := func(i int) listLevel {
		if override, ok := l.overrides[i]; ok {
			return override
		}
		return a.levels[i]
	}
	for i := range index {
		if !a.counted[i] {
			a.counts[i], a.counted[i] = level(i).start, true
		}
	}
	if start, ok := l.starts[index]; ok {
		delete(l.starts, index)
		a.counts[index] = start
	} else if a.counted[index] {
		a.counts[index]++
	} else {
		a.counts[index] = level(index).start
	}
	a.counted[index] = true
	for i := index + 1; i < listLevels; i++ {
		if restart := level(i).restart; restart == nil || index < *restart {
			a.counted[i] = false
		}
	}
	own := level(index)
	if own.format == "bullet" {
		return "•"
	}
	number := own.text
	for i := range listLevels {
		format := level(i).format
		if own.legal && format != "decimalZero" {
			format = "decimal"
		}
		number = strings.ReplaceAll(number, "%"+strconv.Itoa(i+1), formatNumber(a.counts[i], format))
	}
	return strings.TrimSpace(number)
}

// formatNumber writes n in one of the formats of WordprocessingML; the rarer
// ones, of other scripts, come out in decimal.
func formatNumber(n int, format string) string {
	switch format {
	case "none":
		return ""
	case "decimalZero":
		if n >= 0 && n < 10 {
			return "0" + strconv.Itoa(n)
		}
	case "lowerRoman":
		return roman(n)
	case "upperRoman":
		return strings.ToUpper(roman(n))
	case "lowerLetter":
		return letters(n)
	case "upperLetter":
		return strings.ToUpper(letters(n))
	case "ordinal":
		return ordinal(n)
	case "cardinalText":
		return inWords(n, cardinals)
	case "ordinalText":
		return inWords(n, ordinals)
	}
	return strconv.Itoa(n)
}

// numberFormats maps the short names of formats that OpenDocument and HTML share
// to those of formatNumber.
var numberFormats = map[string]string{
	"1": "decimal", "a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman",
}

// roman writes n in lower-case Roman numerals; numbers they cannot express, and
// those too long to be one, come out in decimal.
func roman(n int) string {
	if n < 1 || n > 4999 {
		return strconv.Itoa(n)
	}
	digits := []struct {
		value int
		text  string
	}{
		{1000, "m"}, {900, "cm"}, {500, "d"}, {400, "cd"}, {100, "c"}, {90, "xc"},
		{50, "l"}, {40, "xl"}, {10, "x"}, {9, "ix"}, {5, "v"}, {4, "iv"}, {1, "i"},
	}
	var b strings.Builder
	for _, digit := range digits {
		for ; n >= digit.value; n -= digit.value {
			b.WriteString(digit.text)
		}
	}
	return b.String()
}

// letters counts a, b, … z, aa, bb, … as word processors do.
func letters(n int) string {
	if n < 1 || n > 26*9 {
		return strconv.Itoa(n)
	}
	return strings.Repeat(string(rune('a'+(n-1)%26)), (n-1)/26+1)
}

func ordinal(n int) string {
	suffix := "th"
	if tens := n / 10 % 10; tens != 1 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return strconv.Itoa(n) + suffix
}

var (
	cardinals = strings.Fields(`Zero One Two Three Four Five Six Seven Eight Nine Ten Eleven Twelve Thirteen
		Fourteen Fifteen Sixteen Seventeen Eighteen Nineteen Twenty Thirty Forty Fifty Sixty Seventy Eighty Ninety`)
	ordinals = strings.Fields(`Zeroth First Second Third Fourth Fifth Sixth Seventh Eighth Ninth Tenth Eleventh Twelfth
		Thirteenth Fourteenth Fifteenth Sixteenth Seventeenth Eighteenth Nineteenth Twentieth Thirtieth Fortieth
		Fiftieth Sixtieth Seventieth Eightieth Ninetieth`)
)

// inWords writes n below 100 in English, as "ARTICLE ONE" is numbered.
func inWords(n int, units []string) string {
	switch {
	case n < 0 || n > 99:
		return strconv.Itoa(n)
	case n <= 20:
		return units[n]
	case n%10 == 0:
		return units[18+n/10]
	default:
		return cardinals[18+n/10] + "-" + units[n%10]
	}
}

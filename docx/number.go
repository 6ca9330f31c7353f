package docx

import (
	"cmp"
	"strconv"
	"strings"
)

// ListLevels is how many levels a list has in WordprocessingML.
const ListLevels = 9

// maxNumber is more than the longest number that anybody reads, in bytes. Every
// paragraph of a document may have one.
const maxNumber = 250

// An AbstractList holds the definition and the counters that lists share.
type AbstractList struct {
	Levels    [ListLevels]ListLevel
	StyleLink string // the numbering style whose list defines this one
	counts    [ListLevels]int
	counted   [ListLevels]bool
}

// A ListLevel is the numbering of the paragraphs of a list at one level.
type ListLevel struct {
	Start   int
	Format  string
	Text    string // "%1.%2"
	Legal   bool   // all numbers in decimal
	Restart *int   // the level (from 1) whose progress restarts this one; 0 for none
	Style   string // the paragraph style of this level
}

// A List is a w:num: an abstract list with changes.
type List struct {
	Abstract  string
	Overrides map[int]ListLevel
	Starts    map[int]int // levels to be restarted when they are next met
}

// A ListRef is a w:numPr: what puts a paragraph into a list.
type ListRef struct {
	List  string // "" where nothing is said, "0" to leave the list of the style
	Level *int   // from 0
}

// A ListStyle is a paragraph style, as far as numbers hang on it.
type ListStyle struct {
	ID string
	ListRef
}

// Numbering is the lists of a document and how far they have counted.
type Numbering struct {
	Abstracts map[string]*AbstractList
	Lists     map[string]*List
	Styles    map[string]ListRef // by id
}

// Counted is what a list says of a paragraph.
type Counted struct {
	Number string // such as "2.1" or "(a)"; a bullet is "•"
	List   string // the abstract list that counts
	Level  int    // from 1
}

// Next counts a paragraph in its list and renders its number. Chain is its style and
// the ancestors of that, nearest first. It is false for a paragraph in no list.
func (n *Numbering) Next(ref ListRef, chain []ListStyle) (Counted, bool) {
	index := -1
	if ref.Level != nil {
		index = *ref.Level
	}
	for _, style := range chain {
		if ref.List == "" {
			ref.List = style.List
		}
		if index < 0 && style.Level != nil {
			index = *style.Level
		}
	}
	l := n.Lists[ref.List]
	abstract := n.definition(l)
	if abstract == nil {
		return Counted{}, false
	}
	if index < 0 {
		index = abstract.styleLevel(chain)
	}
	if index < 0 || index >= ListLevels {
		return Counted{}, false
	}
	return Counted{Number: l.next(abstract, index), List: l.Abstract, Level: index + 1}, true
}

// definition finds the abstract list that defines l, if need be through the
// style that it defers to.
func (n *Numbering) definition(l *List) *AbstractList {
	if l == nil {
		return nil
	}
	abstract := n.Abstracts[l.Abstract]
	if abstract == nil || abstract.StyleLink == "" {
		return abstract
	}
	if linked := n.Lists[n.Styles[abstract.StyleLink].List]; linked != nil && n.Abstracts[linked.Abstract] != nil {
		return n.Abstracts[linked.Abstract]
	}
	return abstract
}

// styleLevel is the level of the nearest style, else the first.
func (a *AbstractList) styleLevel(chain []ListStyle) int {
	for _, style := range chain {
		for i, level := range a.Levels {
			if level.Style != "" && level.Style == style.ID {
				return i
			}
		}
	}
	return 0
}

// next counts a paragraph at a level and renders its number.
func (l *List) next(a *AbstractList, index int) string {
	level := func(i int) ListLevel {
		if override, ok := l.Overrides[i]; ok {
			return override
		}
		return a.Levels[i]
	}
	for i := range index {
		if !a.counted[i] {
			a.counts[i], a.counted[i] = level(i).Start, true
		}
	}
	if start, ok := l.Starts[index]; ok {
		delete(l.Starts, index)
		a.counts[index] = start
	} else if a.counted[index] {
		a.counts[index]++
	} else {
		a.counts[index] = level(index).Start
	}
	a.counted[index] = true
	for i := index + 1; i < ListLevels; i++ {
		if restart := level(i).Restart; restart == nil || index < *restart {
			a.counted[i] = false
		}
	}
	own := level(index)
	if own.Format == "bullet" {
		return "•"
	}
	number := own.Text
	if len(number) > maxNumber {
		return ""
	}
	for i := range ListLevels {
		format := level(i).Format
		if own.Legal && format != "decimalZero" {
			format = "decimal"
		}
		number = strings.ReplaceAll(number, "%"+strconv.Itoa(i+1), FormatNumber(a.counts[i], format))
	}
	if len(number) > maxNumber {
		return ""
	}
	return strings.TrimSpace(number)
}

// Numbers are what the paragraphs of the body are numbered by, in the order of
// Paragraphs: "" for none. Numbers are no part of the canonical text.
func (d *Document) Numbers() []string {
	if d.numbers != nil {
		return d.numbers
	}
	body := d.Story("body")
	numbering, chains := d.numbering()
	d.numbers = make([]string, len(body.Paragraphs()))
	for i, p := range body.Paragraphs() {
		properties := p.Child("pPr")
		ends := properties.Child("sectPr").Exists() && !properties.Next().Exists() // it only holds the break of a section
		if ends || p.MarkDeleted() || p.Closest("tr").Child("trPr", "del").Exists() || p.Closest("mc:Fallback").Exists() {
			continue
		}
		counted, _ := numbering.Next(listRef(properties), chains(properties.Child("pStyle").Attr("val")))
		d.numbers[i] = counted.Number
	}
	return d.numbers
}

// numbering reads the lists, and gives what finds the chain of a style.
func (d *Document) numbering() (*Numbering, func(style string) []ListStyle) {
	n := &Numbering{Abstracts: map[string]*AbstractList{}, Lists: map[string]*List{}, Styles: map[string]ListRef{}}
	for e := range d.Related("numbering").Root().Children() {
		switch {
		case e.Is("abstractNum"):
			n.Abstracts[e.Attr("abstractNumId")] = readAbstractList(e)
		case e.Is("num"):
			n.Lists[e.Attr("numId")] = readList(e)
		}
	}
	base, standard := map[string]string{}, ""
	for e := range d.Related("styles").Root().Children() {
		if !e.Is("style") {
			continue
		}
		id := e.Attr("styleId")
		n.Styles[id], base[id] = listRef(e.Child("pPr")), e.Child("basedOn").Attr("val")
		if isDefault := e.Attr("default"); e.Attr("type") == "paragraph" && (isDefault == "1" || isDefault == "true") {
			standard = id
		}
	}
	return n, func(style string) (chain []ListStyle) {
		if _, known := n.Styles[style]; !known {
			style = standard
		}
		for ; len(chain) < maxStyles; style = base[style] {
			ref, known := n.Styles[style]
			if !known {
				break
			}
			chain = append(chain, ListStyle{style, ref})
		}
		return chain
	}
}

// maxStyles bounds the chain of a style's ancestors, which may be a loop.
const maxStyles = 32

func listRef(properties Element) ListRef {
	numbered := properties.Child("numPr")
	return ListRef{numbered.Child("numId").Attr("val"), integer(numbered.Child("ilvl"))}
}

func readAbstractList(e Element) *AbstractList {
	abstract := &AbstractList{StyleLink: e.Child("numStyleLink").Attr("val")}
	for level := range e.Children() {
		if i := integerOf(level.Attr("ilvl")); level.Is("lvl") && i != nil && *i >= 0 && *i < ListLevels {
			abstract.Levels[*i] = readListLevel(level)
		}
	}
	return abstract
}

func readListLevel(e Element) ListLevel {
	level := ListLevel{
		Format: cmp.Or(e.Child("numFmt").Attr("val"), "decimal"), Text: e.Child("lvlText").Attr("val"), Legal: e.Child("isLgl").On(),
		Restart: integer(e.Child("lvlRestart")), Style: e.Child("pStyle").Attr("val"),
	}
	if start := integer(e.Child("start")); start != nil {
		level.Start = *start
	}
	return level
}

func readList(e Element) *List {
	l := &List{Abstract: e.Child("abstractNumId").Attr("val"), Overrides: map[int]ListLevel{}, Starts: map[int]int{}}
	for override := range e.Children() {
		i := integerOf(override.Attr("ilvl"))
		if !override.Is("lvlOverride") || i == nil {
			continue
		}
		if start := integer(override.Child("startOverride")); start != nil {
			l.Starts[*i] = *start
		}
		if level := override.Child("lvl"); level.Exists() {
			l.Overrides[*i] = readListLevel(level)
		}
	}
	return l
}

// integer is the value of an element, nil where it has none.
func integer(e Element) *int { return integerOf(e.Attr("val")) }

// integerOf reads a number that some exporters write as a decimal.
func integerOf(s string) *int {
	whole, _, _ := strings.Cut(s, ".")
	n, err := strconv.Atoi(whole)
	if err != nil {
		return nil
	}
	return &n
}

// FormatNumber writes n in one of the formats of WordprocessingML; the rarer
// ones, of other scripts, come out in decimal.
func FormatNumber(n int, format string) string {
	switch format {
	case "none":
		return ""
	case "decimalZero":
		if n >= 0 && n < 10 {
			return "0" + strconv.Itoa(n)
		}
	case "lowerRoman":
		return Roman(n)
	case "upperRoman":
		return strings.ToUpper(Roman(n))
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

// Roman writes n in lower-case Roman numerals; numbers they cannot express, and
// those too long to be one, come out in decimal.
func Roman(n int) string {
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

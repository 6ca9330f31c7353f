package redline

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/clausemill/clausemill/docx"
)

// A difference is something that two documents say differently, words or not.
type difference struct{ place, what, was, is string }

// unsaid finds all in which two documents differ that a reader, or Word for a reader,
// could see: the one that changes lead to, with its tracked changes accepted, and the
// one that was to be reached. Nothing is passed over because it is not understood: an
// element that is not known is compared as it is written.
type unsaid struct {
	old, new *docx.Document
	codes    *codebook
	found    []difference
	hidden   bool // text can be read in the old document and not in the new one
	linked   map[string]bool
	book     *lookBook
	notes    map[*docx.Story]string // what each says and how
	twins    twins
	comments map[*docx.Document]map[string]string // what each says, by id
	ends     map[*docx.Part]map[string]string     // the names of bookmarks, by id
}

// differences lists them, body first.
func differences(old, new *docx.Document, codes *codebook, looks *lookBook) *unsaid {
	u := &unsaid{old: old, new: new, codes: codes, twins: twinsOf(old, new), linked: map[string]bool{}, book: looks, notes: map[*docx.Story]string{}, comments: map[*docx.Document]map[string]string{}, ends: map[*docx.Part]map[string]string{}}
	u.anchors()
	codes.know(old)
	pairs := pairStories(old, new)
	codes.match(pairs, nil)
	for _, pair := range u.pairs(pairs) {
		switch {
		case pair.old == nil:
			u.tell(pair.new.Key, "it is new", "", excerpt(storyText(pair.new)))
		case pair.new == nil:
			u.tell(pair.old.Key, "it is gone", excerpt(storyText(pair.old)), "")
		default:
			u.story(pair.old, pair.new)
		}
	}
	u.sections()
	u.parts()
	return u
}

// pairs are the stories to compare: those that are counterparts, and what stands in
// the same slot. Notes are compared where they are referred to.
func (u *unsaid) pairs(paired []storyPair) []storyPair {
	var all []storyPair
	order, filled, unused := slots(u.old)
	others, filledNew, unusedNew := slots(u.new)
	known := map[storyPair]bool{}
	add := func(p storyPair) {
		if !known[p] {
			all, known[p] = append(all, p), true
		}
	}
	add(storyPair{u.old.Story("body"), u.new.Story("body")})
	placed := map[*docx.Story]bool{}
	for _, at := range append(order, others...) {
		placed[filled[at]], placed[filledNew[at]] = true, true
		switch {
		case filled[at] == nil:
			u.tell(at.String(), "it is new", "", excerpt(storyText(filledNew[at])))
		case filledNew[at] == nil:
			u.tell(at.String(), "it is gone", excerpt(storyText(filled[at])), "")
		default:
			add(storyPair{filled[at], filledNew[at]})
		}
	}
	for at, s := range unused {
		if filledNew[at] == nil && unusedNew[at] == nil {
			u.tell(at.String(), "it is gone, and stood on no page", excerpt(storyText(s)), "")
		}
	}
	for at, s := range unusedNew {
		if filled[at] == nil && unused[at] == nil {
			u.tell(at.String(), "it is new, and stands on no page", "", excerpt(storyText(s)))
		}
	}
	for _, p := range paired {
		s := cmp.Or(p.old, p.new)
		if p.new == nil && stories(unused)[s] || p.old == nil && stories(unusedNew)[s] {
			continue
		}
		if !strings.HasPrefix(s.Key, "footnote:") && !strings.HasPrefix(s.Key, "endnote:") && !placed[p.old] && !placed[p.new] {
			add(p)
		}
	}
	return all
}

func stories(at map[slot]*docx.Story) map[*docx.Story]bool {
	all := map[*docx.Story]bool{}
	for _, s := range at {
		all[s] = true
	}
	return all
}

func (u *unsaid) tell(place, what, was, is string) {
	if was != is {
		u.found = append(u.found, difference{place, what, was, is})
	}
}

// anchors notes the bookmarks that something refers to, in either document.
func (u *unsaid) anchors() {
	for _, d := range []*docx.Document{u.old, u.new} {
		for _, s := range d.Stories() {
			for e := range s.Root.Descendants() {
				switch {
				case e.Is("hyperlink"):
					u.linked[e.Attr("anchor")] = true
				case e.Is("instrText"):
					u.refer(e.Chars())
				case e.Is("fldSimple"):
					u.refer(e.Attr("instr"))
				}
			}
		}
	}
}

func (u *unsaid) refer(code string) {
	for _, word := range strings.Fields(code) {
		u.linked[strings.Trim(word, `"`)] = true
	}
}

// excerptLength is how much of a value is told, in code points.
const excerptLength = 80

func excerpt(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > excerptLength {
		return string(runes[:excerptLength]) + "…"
	}
	return text
}

// apart are two values from where they begin to differ.
func apart(was, is string) (string, string) {
	a, b := []rune(was), []rune(is)
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	from := max(0, head-20)
	for from > 0 && a[from-1] != '<' && a[from-1] != ';' && a[from-1] != ' ' && head-from < 40 {
		from--
	}
	return excerpt(string(a[min(from, len(a)):])), excerpt(string(b[min(from, len(b)):]))
}

// differ tells of two values that are long.
func (u *unsaid) differ(place, what, was, is string) {
	if was == is {
		return
	}
	if was != "" && is != "" {
		was, is = apart(was, is)
	} else {
		was, is = excerpt(was), excerpt(is)
	}
	if was == is { // they differ further on
		is += " (changed)"
	}
	u.tell(place, what, was, is)
}

// story compares two stories: their frame of tables and controls, and their
// paragraphs.
func (u *unsaid) story(old, new *docx.Story) {
	u.frame(old, new)
	was, is := u.portraits(u.old, old), u.portraits(u.new, new)
	i, j := 0, 0
	for _, m := range append(common(wordsIn(was), wordsIn(is)), match{len(was), len(is)}) {
		u.gap(was[i:m.a], is[j:m.b])
		if m.a < len(was) {
			u.paragraph(was[m.a], is[m.b])
		}
		i, j = m.a+1, m.b+1
	}
}

func wordsIn(all []*portrait) []string {
	out := make([]string, len(all))
	for i, p := range all {
		out[i] = string(p.words.text)
	}
	return out
}

func blocksIn(all []*portrait) []block {
	out := make([]block, len(all))
	for i, p := range all {
		out[i] = block{paragraphs: []*docx.Paragraph{p.p}, text: string(p.words.text)}
		out[i].count()
	}
	return out
}

// gap compares paragraphs of which no two have the same words.
func (u *unsaid) gap(was, is []*portrait) {
	if len(was)+len(is) == 0 {
		return
	}
	u.draw(u.old, was...)
	u.draw(u.new, is...)
	pairs := similar(blocksIn(was), blocksIn(is))
	if len(was) == len(is) {
		pairs = nil
		for i := range was {
			pairs = append(pairs, match{i, i})
		}
	}
	i, j := 0, 0
	for _, m := range append(pairs, match{len(was), len(is)}) {
		for ; i < m.a; i++ {
			u.differ(was[i].place(), "a paragraph is gone", was[i].whole(), "")
		}
		for ; j < m.b; j++ {
			u.differ(is[j].place(), "a paragraph is new", "", is[j].whole())
		}
		if m.a < len(was) {
			u.differ(was[m.a].place(), "words", strings.Join(was[m.a].words.shown, ""), strings.Join(is[m.b].words.shown, ""))
			u.paragraph(was[m.a], is[m.b])
		}
		i, j = m.a+1, m.b+1
	}
}

// paragraph compares what two paragraphs say beside their words.
func (u *unsaid) paragraph(old, new *portrait) {
	if u.twins.are(old.p, new.p) && old.number == new.number {
		return
	}
	u.draw(u.old, old)
	u.draw(u.new, new)
	place := old.place()
	u.tell(place, "style", old.style, new.style)
	u.tell(place, "list number", old.number, new.number)
	u.differ(place, "list", old.list, new.list)
	u.look(place, "", old.look, new.look)
	u.look(place, "the paragraph's end: ", old.mark, new.mark)
	u.items(old, new)
	u.looks(old, new)
}

// named are properties in words.
var named = map[string]string{
	"vanish": "hidden", "strike": "struck through", "dstrike": "struck through twice", "b": "bold", "i": "italic", "u": "underline", "sz": "size in half points",
	"color": "colour", "highlight": "highlight", "caps": "capitals", "smallCaps": "small capitals", "shd": "shading", "vertAlign": "raised or lowered", "jc": "alignment",
	"spacing val": "letter spacing", "position": "height of the line", "w": "letter width", "outlineLvl": "heading level", "specVanish": "hidden paragraph end",
	"rFonts ascii": "font", "rFonts hAnsi": "font", "pageBreakBefore": "page break before", "framePr": "frame", "pBdr": "borders", "tabs": "tab stops",
}

// look tells of the properties in which two looks differ.
func (u *unsaid) look(place, of string, old, new docx.Look) {
	names := map[string]bool{}
	for name := range old {
		names[name] = true
	}
	for name := range new {
		names[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		u.differ(place, of+cmp.Or(named[name], name), old[name], new[name])
	}
}

// looks compares the formatting of the text that two paragraphs have in common.
func (u *unsaid) looks(old, new *portrait) {
	for at, run := range sharedLooks(old, new) {
		if run.was.Hidden() == "" && run.is.Hidden() != "" {
			u.hidden = true
		}
		u.look(old.place()+", “"+excerpt(strings.Join(old.words.shown[at:at+run.length], ""))+"”", "", run.was, run.is)
	}
}

// A lookRun is text that looks different in two documents, in one way.
type lookRun struct {
	length  int
	shift   int // from its place in the old one to that in the new one
	was, is docx.Look
}

// sharedLooks gives the stretches of the words that two paragraphs have in common in
// which their looks differ, by where they begin in the old one.
func sharedLooks(old, new *portrait) iter.Seq2[int, lookRun] {
	return func(yield func(int, lookRun) bool) {
		at, shift := 0, 0
		if old.uniform() && new.uniform() && old.looks[0].key == new.looks[0].key {
			return
		}
		stretch := func(end int) bool {
			for at < end {
				from, a, b := at, old.looks[at], new.looks[at+shift]
				for at < end && old.looks[at].key == a.key && new.looks[at+shift].key == b.key {
					at++
				}
				if a.key != b.key && !yield(from, lookRun{at - from, shift, a.look, b.look}) {
					return false
				}
			}
			return true
		}
		var hunks []Hunk
		if !slices.Equal(old.words.text, new.words.text) {
			hunks = Diff(string(old.words.text), string(new.words.text))
		}
		for _, h := range hunks {
			if !stretch(h.Start) {
				return
			}
			at, shift = h.End, shift+len([]rune(h.Text))-(h.End-h.Start)
		}
		stretch(len(old.words.text))
	}
}

// sections compares the setup of sections, headers aside.
func (u *unsaid) sections() {
	was, is := sections(u.old), sections(u.new)
	u.tell("sections", "number", strconv.Itoa(len(was)), strconv.Itoa(len(is)))
	for i := range min(len(was), len(is)) {
		u.children("section "+strconv.Itoa(i+1), was[i], is[i], "headerReference", "footerReference", "rsid")
	}
}

// children compares what two elements hold, name by name.
func (u *unsaid) children(place string, old, new docx.Element, but ...string) {
	hold := func(d *docx.Document, e docx.Element) map[string]string {
		all := map[string]string{}
		for c := range e.Children() {
			switch {
			case c.Is(but...):
			case e.Is("sectPr"):
				all[c.Name()] += d.Setup(c)
			default:
				all[c.Name()] += d.Canon(c)
			}
		}
		return all
	}
	was, is := hold(u.old, old), hold(u.new, new)
	names := maps.Clone(was)
	maps.Copy(names, is)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		u.differ(place, name, was[name], is[name])
	}
}

// aToken is a step through the frame of a story.
type aToken struct{ kind, value string }

const paragraphToken = "paragraph"

// frame compares what stands around the paragraphs of two stories.
func (u *unsaid) frame(old, new *docx.Story) {
	was, is := frameOf(u.old, old.Root), frameOf(u.new, new.Root)
	i, j, paragraphs := 0, 0, 0
	for _, m := range append(common(was, is), match{len(was), len(is)}) {
		if i < m.a || j < m.b {
			u.tokens(old.Key+", paragraph "+strconv.Itoa(paragraphs), was[i:m.a], is[j:m.b])
		}
		for _, t := range was[i:min(m.a+1, len(was))] {
			if t.kind == paragraphToken {
				paragraphs++
			}
		}
		i, j = m.a+1, m.b+1
	}
}

func (u *unsaid) tokens(place string, was, is []aToken) {
	byKind := map[string][2][]string{}
	var order []string
	for side, tokens := range [][]aToken{was, is} {
		for _, t := range tokens {
			if t.kind == paragraphToken {
				continue
			}
			values, known := byKind[t.kind]
			if !known {
				order = append(order, t.kind)
			}
			values[side] = append(values[side], t.value)
			byKind[t.kind] = values
		}
	}
	for _, kind := range order {
		a, b := byKind[kind][0], byKind[kind][1]
		for i := range max(len(a), len(b)) {
			var old, new string
			if i < len(a) {
				old = a[i]
			}
			if i < len(b) {
				new = b[i]
			}
			u.differ(place, kind, old, new)
		}
	}
}

// frameOf lists what stands around paragraphs, in order.
func frameOf(d *docx.Document, container docx.Element) []aToken {
	var all []aToken
	known := map[string]string{} // many cells say the same
	properties := func(kind string, e docx.Element, names ...string) {
		var b strings.Builder
		key := ""
		if kind != "content control" {
			for _, name := range names {
				key += string(e.Child(name).Raw())
			}
			if value, again := known[key]; again {
				all = append(all, aToken{kind, value})
				return
			}
		}
		for _, name := range names {
			var held []string
			for c := range e.Child(name).Children() {
				switch {
				case c.Is("cnfStyle"): // what the style of the table says of the place
				case c.Is("tblStyle"):
					held = append(held, "<tblStyle val="+d.StyleName(c.Attr("val"))+">")
				case name == "sdtPr":
					held = append(held, d.Canon(c))
				default:
					held = append(held, d.TableProperty(c))
				}
			}
			if name != "tblGrid" {
				slices.Sort(held)
			}
			b.WriteString(strings.Join(held, ""))
		}
		known[key] = b.String()
		all = append(all, aToken{kind, known[key]})
	}
	var walk func(docx.Element)
	walk = func(container docx.Element) {
		for e := range container.Children() {
			switch {
			case e.Is("p"):
				all = append(all, aToken{paragraphToken, ""})
			case e.Is("tbl"):
				properties("table", e, "tblPr", "tblGrid")
				walk(e)
			case e.Is("tr"):
				properties("row", e, "tblPrEx", "trPr")
				walk(e)
			case e.Is("tc"):
				properties("cell", e, "tcPr")
				walk(e)
			case e.Is("sdt"):
				properties("content control", e, "sdtPr")
				walk(e)
			case e.Is("sdtContent", "customXml", "smartTag", "ins", "moveTo", "mc:AlternateContent", "mc:Choice", "mc:Fallback"):
				walk(e)
			case e.Is("altChunk", "permStart", "permEnd", "m:oMathPara", "m:oMath"):
				all = append(all, aToken{e.Name(), d.Canon(e)})
			}
		}
	}
	walk(container)
	return all
}

// said writes the differences that were found, those of one kind together.
func (u *unsaid) said() []string {
	type key struct{ what, was, is string }
	at := map[key]int{}
	var order []key
	places := map[key][]string{}
	for _, d := range u.found {
		k := key{d.what, d.was, d.is}
		if _, known := at[k]; !known {
			at[k] = len(order)
			order = append(order, k)
		}
		if !slices.Contains(places[k], d.place) {
			places[k] = append(places[k], d.place)
		}
	}
	var all []string
	for _, k := range order {
		where := places[k][0]
		if n := len(places[k]); n > 1 {
			where += fmt.Sprintf(" and %d more places", n-1)
		}
		all = append(all, fmt.Sprintf("%s: %s: %s → %s", where, k.what, quoted(k.was), quoted(k.is)))
	}
	return all
}

func quoted(value string) string {
	if value == "" {
		return "none"
	}
	return "“" + value + "”"
}

package structure

import (
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clausemill/clausemill/nlp/lex"
)

// Section is a part of a document that a number or a heading opens: an article,
// a section, a numbered paragraph, an item of a list. Sections nest. The text before
// the first one of its document, and the signatures, are in none.
type Section struct {
	lex.Span        // from its number or heading to its last word, its subsections included
	Ordinal  int    `json:"ordinal"`  // from 0, over the whole file
	Document int    `json:"document"` // index of its document
	Parent   int    `json:"parent"`   // ordinal of the section around it, -1 where there is none
	Level    int    `json:"level"`    // from 1
	Number   string `json:"number,omitempty"`
	// Path is the full number by which the section is cited, in a normalised
	// notation: "4.2(b)" for item (b) of Section 4.02, "9" for ARTICLE IX. It is ""
	// if the section has no number.
	Path    string   `json:"path,omitempty"`
	Title   string   `json:"title,omitempty"` // on one line
	Heading lex.Span `json:"heading"`         // number and title as they stand
	// Body is what the section says itself: from its heading to its first
	// subsection. It is empty where that follows at once.
	Body      lex.Span `json:"body"`
	Block     int      `json:"block"`     // ordinal of the block it begins in
	FirstPage int      `json:"firstPage"` // from 1
	LastPage  int      `json:"lastPage"`
}

// opener is the kind of number or heading that opens a section, as far as that
// tells the level.
type opener uint8

const (
	byPart             opener = iota // "PART II", "CHAPTER 3"
	byArticle                        // "ARTICLE IX"
	bySection                        // "Section 4", "§ 4"
	byCount                          // "4."
	byDecimal                        // "4.02", "Section 4.02", "4.02(b)"
	byCapital                        // "A."
	byRoman                          // "IV."
	bySmall                          // "a)"
	bySmallRoman                     // "iv)"
	byItem                           // "(a)"
	byItemRoman                      // "(iv)"
	byItemCapital                    // "(A)"
	byItemCapitalRoman               // "(IV)"
	byItemCount                      // "(1)"
	byTitle                          // no number, in capitals
	bySmallTitle                     // no number, in small letters
)

// opening is where a section may begin.
type opening struct {
	lex.Extent               // number and title
	piece      int           // index
	of         *declared     // the paragraph that declares it, or nil
	number     lex.Numbering // of the section; that of the piece or one behind it
	title      string
	// readings are what the number can mean, likelier first: "(i)" counts as a
	// letter and as a roman number.
	readings []reading
}

// reading is one way to understand a number.
type reading struct {
	kind  opener
	value int
	path  string // the number in the notation of Section.Path
}

// openSection is a section that goes on, with the reading of its number.
type openSection struct {
	reading
	ordinal int
	heading int        // where its heading ends
	loud    bool       // its title is in capitals
	of      *declared  // the paragraph that declares it, or nil
	body    lex.Extent // what it has said so far
}

// sectioner builds the section tree of one document after another.
type sectioner struct {
	s        *Segmentation
	pieces   []piece
	declared []declared // paragraphs of the file
	declares bool       // the file has headings that are declared
	document int
	listed   string // what its tables of contents say, squashed
	openings []opening
	next     []int          // by opening, the next one with a number that is no item's; len(openings) where there is none
	begins   map[opener]int // how often each kind of number begins from one in the document
	ended    map[opener]ended
	open     []openSection // outermost first
	end      int           // of the last word that was read, in bytes
}

// ended is the last section of a kind that was closed.
type ended struct{ value, depth int }

// addSections finds the sections of every document.
func (s *Segmentation) addSections(pieces []piece, parts []part, paragraphs []declared) {
	declares := countHeadings(paragraphs) >= leastDeclared
	for i, p := range parts {
		end := len(pieces)
		if i+1 < len(parts) {
			end = parts[i+1].first
		}
		b := sectioner{s: s, pieces: pieces, declared: paragraphs, declares: declares, document: i, begins: map[opener]int{}, ended: map[opener]ended{}}
		b.build(p, end)
	}
}

// build adds the sections of the document p, whose pieces end before piece end.
func (b *sectioner) build(p part, end int) {
	b.openings = b.findOpenings(p, end)
	b.next = make([]int, len(b.openings))
	following := len(b.openings)
	for i, o := range slices.Backward(b.openings) {
		b.next[i] = following
		if kind := o.readings[0].kind; kind <= byDecimal {
			following = i
		}
		for _, r := range o.readings {
			if r.value == 1 {
				b.begins[r.kind]++
			}
		}
	}
	next := 0
	for i := p.first; i < end; i++ {
		p := &b.pieces[i]
		if p.of.beside() {
			continue
		}
		if p.contents || closesSections(b.s.Text, p) {
			b.closeTo(0)
		}
		for said := p.Start; next < len(b.openings) && b.openings[next].piece == i; next++ {
			o := &b.openings[next]
			if above := lex.Trim(b.s.Text, lex.Extent{Start: said, End: o.Start}); above.Start < above.End {
				b.end = above.End
				b.say(above)
			}
			said = o.End
			b.begin(next)
		}
		b.end = p.End
		b.say(p.Extent)
	}
	b.closeTo(0)
}

// say adds what a piece holds behind the headings in it to the body of the
// innermost section.
func (b *sectioner) say(e lex.Extent) {
	if len(b.open) == 0 {
		return
	}
	inner := &b.open[len(b.open)-1]
	if e = lex.Trim(b.s.Text, lex.Extent{Start: max(e.Start, inner.heading), End: e.End}); e.Start < e.End {
		if inner.body.End == 0 {
			inner.body.Start = e.Start
		}
		inner.body.End = e.End
	}
}

// closesSections reports whether p is no part of the section before it: the
// signatures and the words that lead to them.
func closesSections(text string, p *piece) bool {
	return p.kind == SignatureBlock || p.kind == Paragraph && strings.HasPrefix(text[p.Start:p.End], "IN WITNESS")
}

// findOpenings lists where sections may begin in the document p.
func (b *sectioner) findOpenings(p part, end int) []opening {
	var all []opening
	returns := map[string]int{} // by heading without a number
	for i := p.first; i < end; i++ {
		switch q := &b.pieces[i]; {
		case q.contents:
			b.listed += lex.Squash(b.s.Text[q.Start:q.End])
		case q.kind == Heading && q.number.Form == lex.Unnumbered:
			returns[lex.Squash(q.title)]++
		}
	}
	for i := p.first; i < end; i++ {
		q := &b.pieces[i]
		switch {
		case q.kind == Table && q.of != nil:
			all = b.appendCells(all, i)
		case q.contents || q.kind == Table || q.kind == SignatureBlock || q.of.beside():
		case q.of != nil && q.of.Kind == Heading:
			all = b.appendDeclared(all, i)
		case q.kind == Heading && q.number.Form == lex.Unnumbered && b.declares:
		case q.kind == Heading && q.number.Form == lex.Unnumbered:
			if returns[lex.Squash(q.title)] < enoughRepeats && b.heads(p, i, end, len(all) == 0) {
				kind := bySmallTitle
				if lex.IsCapitals(q.title) {
					kind = byTitle
				}
				all = append(all, opening{Extent: q.Extent, piece: i, title: lex.Unwrap(q.title), readings: []reading{{kind: kind}}})
			}
		case q.number.Form >= lex.Bracketed:
			all = b.appendNumbered(all, i)
		}
	}
	return all
}

// heads reports whether the heading without a number at piece i opens a section
// of the document p, and is not its title or a line of its cover.
func (b *sectioner) heads(p part, i, end int, first bool) bool {
	q := &b.pieces[i]
	if i == p.first || i+1 == end || isContentsTitle(q.title) || first && (namesInstrument(q.title) || lex.Unwrap(q.title) == p.title) {
		return false
	}
	if _, attached := readAttachment(q.title); attached || corporate(q.title) {
		return false
	}
	next := &b.pieces[i+1]
	switch next.kind {
	case SignatureBlock:
		return false
	case Heading:
		return next.number.Form != lex.Unnumbered
	case Paragraph: // "and", "dated as of" on a cover; "By: /s/ Jane Doe" below a name; but "o" may be a bullet
		text := b.s.Text[next.Start:next.End]
		if r, _ := utf8.DecodeRuneInString(text); unicode.Is(unicode.Dash, r) || unicode.IsLower(r) && !strings.HasPrefix(text, "o ") || isSignatureLine(text[:min(len(text), shortLine)]) {
			return false
		}
		return len(text) >= leastText || lex.EndsSentence(text)
	}
	return !next.contents
}

// corporate reports whether title is the name of a company.
func corporate(title string) bool {
	return lex.SenseOf(lex.LastWord(strings.TrimRight(title, ".,) "))).Class == lex.CorporateWord
}

// appendNumbered adds the section that the number of piece i opens, and those
// of the numbers that follow it at once: "7.2 (a) The Seller".
func (b *sectioner) appendNumbered(all []opening, i int) []opening {
	q := &b.pieces[i]
	n, at, of := q.number, q.Start, q.of
	for {
		label := n.Label
		if n.Form == lex.Bracketed && strings.Count(label, "(") > 1 {
			label = label[:strings.IndexByte(label, ')')+1] // "(a)(i)" opens two
			n.End = len(label)
		}
		readings := readNumber(n.Form, label)
		if len(readings) == 0 {
			return all
		}
		o := opening{of: of, Extent: lex.Trim(b.s.Text, lex.Extent{Start: at, End: at + n.End}), piece: i, number: lex.Numbering{Label: label, Form: n.Form}, readings: readings}
		at += n.End
		if n = lex.NumberAt(b.s.Text[at:q.End]); n.Form != lex.Bracketed || at >= q.End {
			if q.kind == Heading {
				o.End, o.title = q.End, lex.Unwrap(q.title)
			} else if terms := definedTerms.FindString(b.s.Text[at:q.End]); terms != "" && strings.Contains(b.listed, lex.Squash(label+terms)) {
				o.End, o.title = at+len(terms), lex.Unwrap(terms)
			}
			return append(all, o)
		}
		all = append(all, o)
		of = nil
	}
}

// definedTerms are what a numbered definition defines: 1.12 "Control" or
// "Controlled" means. They are its heading where the table of contents lists
// them; most contracts do not.
var definedTerms = regexp.MustCompile(`^(?:["“][^"”]{1,80}["”](?:,? (?:and|or) )?){1,3}`)

// readNumber says what a printed number can mean, the likelier first; nothing
// where it is none.
func readNumber(form lex.NumberForm, label string) []reading {
	word, number := "", label
	if form == lex.Named {
		word, number = lex.CutWord(label)
	}
	parts := NumberParts(number)
	if len(parts) == 0 || len(parts) > lex.MostParts {
		return nil
	}
	if len(parts) > 1 {
		path := ""
		for _, part := range parts {
			path = JoinPath(path, part, false)
		}
		return []reading{{byDecimal, PartValue(parts[len(parts)-1]), path}}
	}
	value := PartValue(parts[0])
	switch form {
	case lex.Named:
		kind := bySection
		switch word = strings.ToLower(word); {
		case articleWords[word]:
			kind = byArticle
		case partWords[word]:
			kind = byPart
		}
		return []reading{{kind, value, strconv.Itoa(value)}}
	case lex.Lettered:
		return readLetters(parts[0], bySmall, bySmallRoman, byCapital, byRoman, byCount)
	case lex.Bracketed:
		return readLetters(parts[0], byItem, byItemRoman, byItemCapital, byItemCapitalRoman, byItemCount)
	}
	return []reading{{byCount, value, parts[0]}}
}

// articleWords and partWords name what holds sections, in the languages of lex.NumberAt.
var (
	articleWords = lex.Set("article artikel artículo articulo articolo art")
	partWords    = lex.Set("part chapter title teil abschnitt kapitel hoofdstuk afdeling partie chapitre titre capítulo capitulo capitolo")
)

// readLetters reads one letter, figure or roman number as the kinds given.
func readLetters(s string, small, smallRoman, capital, capitalRoman, count opener) []reading {
	if lex.IsDigit(s[0]) {
		return []reading{{count, PartValue(s), s}}
	}
	letter, roman := small, smallRoman
	if s[0] <= 'Z' {
		letter, roman = capital, capitalRoman
	}
	var all []reading
	if len(s) == 1 || len(s) == 2 && s[0] == s[1] {
		all = append(all, reading{letter, letterValue(s), s})
	}
	if value := lex.RomanValue(strings.ToLower(s)); value > 0 {
		path := s
		if roman == byRoman {
			path = strconv.Itoa(value) // as articles are counted
		}
		all = append(all, reading{roman, value, path})
	}
	return all
}

// NumberParts takes a number apart: "4.02(b)" is 4, 2, b; "1.0" is 1.
func NumberParts(number string) []string {
	var parts []string
	for part := range strings.FieldsFuncSeq(number, func(r rune) bool { return strings.ContainsRune(".()-", r) }) {
		if lex.DigitPrefix(part) == len(part) {
			part = strings.TrimLeft(part, "0")
		}
		if part != "" {
			parts = append(parts, part)
		}
	}
	return parts
}

// PartValue returns what a figure, a number in words, a roman number or a
// letter counts.
func PartValue(s string) int {
	if value, err := strconv.Atoi(s); err == nil {
		return value
	}
	if value := lex.NumberValue(s); value > 0 {
		return value
	}
	if value := lex.RomanValue(strings.ToLower(s)); value > 0 {
		return value
	}
	return letterValue(s)
}

// letterValue returns the place of a letter in lists, which continue with "aa"
// after "z".
func letterValue(s string) int { return int(s[0]|0x20-'a') + 1 + 26*(len(s)-1) }

// JoinPath writes the number of a part of a section: "4.2" and "b" make
// "4.2(b)", "4" and "2" make "4.2".
func JoinPath(path, part string, bracketed bool) string {
	switch {
	case bracketed || path != "" && !lex.IsDigit(part[0]):
		return path + "(" + part + ")"
	case path == "":
		return part
	}
	return path + "." + part
}

// begin opens the section of opening i.
func (b *sectioner) begin(i int) {
	o := &b.openings[i]
	r, depth := b.placeDeclared(i)
	if depth < 0 {
		r, depth = b.place(i)
	}
	b.closeTo(depth)
	n := Section{
		Ordinal: len(b.s.Sections), Document: b.document, Parent: -1, Level: depth + 1,
		Number: o.number.Label, Path: r.path, Title: o.title, Heading: b.s.SpanOf(o.Extent), Block: o.piece,
	}
	if depth > 0 {
		n.Parent = b.open[depth-1].ordinal
		if r.kind > byDecimal && r.kind < byTitle || r.kind == byCount || r.kind == bySection {
			n.Path = JoinPath(b.s.Sections[n.Parent].Path, r.path, o.number.Form == lex.Bracketed)
		}
	}
	n.Start = n.Heading.Start
	n.FirstPage = b.s.PageAt(n.Start)
	b.s.Sections = append(b.s.Sections, n)
	b.open = append(b.open, openSection{reading: r, ordinal: n.Ordinal, heading: o.End, loud: lex.IsCapitals(o.title), of: o.of})
	b.end = o.End
}

// closeTo ends the open sections from the given depth on.
func (b *sectioner) closeTo(depth int) {
	for i, o := range b.open[depth:] {
		b.ended[o.kind] = ended{o.value, depth + i}
		n := &b.s.Sections[o.ordinal]
		n.End = b.s.Offsets.CodePoint(b.end)
		n.LastPage = b.s.PageAt(n.End - 1)
		n.Body = lex.Span{Start: n.Heading.End, End: n.Heading.End}
		if o.body.End > 0 {
			n.Body = b.s.SpanOf(o.body)
		}
	}
	b.open = b.open[:depth]
}

// place chooses a reading of opening i and the depth at which it opens a
// section: the number of sections around that.
func (b *sectioner) place(i int) (reading, int) {
	r := b.openings[i].readings[0]
	switch r.kind {
	case byPart, byArticle:
		return r, b.placeArticle(r)
	case byDecimal:
		return r, b.placeDecimal(r)
	case byTitle, bySmallTitle:
		return r, b.placeTitle(i, r)
	}
	readings := b.likely(i)
	loud, follows, below := lex.IsCapitals(b.openings[i].title), r, -1
	for depth, o := range slices.Backward(b.open) {
		for _, r := range readings {
			// Of two that it counts on from it follows the one that is written alike:
			// "3. TERM" continues from "2. PRICE" and not from an item of a list.
			if o.kind == r.kind && o.value+1 == r.value && (below < 0 || o.loud == loud && b.open[below].loud != loud) {
				follows, below = r, depth
			}
		}
	}
	if below >= 0 {
		return follows, below
	}
	r = slices.MinFunc(readings, func(a, b reading) int { return a.value - b.value })
	return r, b.placeAnew(i, r)
}

// likely returns the readings of opening i that what follows allows: "(i)" is
// roman where "(ii)" comes next.
func (b *sectioner) likely(i int) []reading {
	const reach = 8 // openings: the items of "(i)"
	all := b.openings[i].readings
	if len(all) < 2 || all[1].value != 1 {
		return all
	}
	for _, o := range b.openings[i+1 : min(i+1+reach, len(b.openings))] {
		for _, r := range o.readings {
			switch {
			case r.kind == all[1].kind && r.value == 2:
				return all[1:]
			case r.kind == all[0].kind && r.value == all[0].value+1:
				return all
			}
		}
	}
	return all
}

// depthOf returns the depth of the innermost open section of a kind, or -1.
func (b *sectioner) depthOf(kind opener) int {
	for depth, o := range slices.Backward(b.open) {
		if o.kind == kind {
			return depth
		}
	}
	return -1
}

func (b *sectioner) placeArticle(r reading) int {
	if depth := b.depthOf(r.kind); depth >= 0 {
		return depth
	}
	if r.kind == byArticle {
		return b.depthOf(byPart) + 1
	}
	return 0
}

// placeDecimal places a number that names the sections around it.
func (b *sectioner) placeDecimal(r reading) int {
	if depth := b.within(r.path); depth > 0 {
		return depth
	}
	depth := 0
	for i, o := range b.open {
		switch {
		case o.kind == byDecimal && levels(o.path) >= levels(r.path):
			return i
		case o.kind >= byTitle || o.kind <= byArticle:
			depth = i + 1 // the number of the article around it was lost
		}
	}
	return depth
}

// levels counts the numbers that path is made of.
func levels(path string) int { return strings.Count(path, ".") + strings.Count(path, "(") + 1 }

// within returns the depth below the innermost open section that the number
// with the given path names as one around it, or 0.
func (b *sectioner) within(path string) int {
	for depth, o := range slices.Backward(b.open) {
		if o.kind <= byDecimal && len(path) > len(o.path) && strings.HasPrefix(path, o.path) && (path[len(o.path)] == '.' || path[len(o.path)] == '(') {
			return depth + 1
		}
	}
	return 0
}

// placeTitle places a heading without a number: inside the section whose
// numbers continue behind it, else by its letters.
func (b *sectioner) placeTitle(i int, r reading) int {
	if next := b.next[i]; next < len(b.openings) {
		if n := b.openings[next].readings[0]; n.kind == byDecimal {
			if depth := b.within(n.path); depth > 0 {
				return depth
			}
		}
	}
	if r.kind == byTitle {
		return b.depthOf(byPart) + 1
	}
	for depth, o := range slices.Backward(b.open) {
		if lex.IsCapitals(b.s.Sections[o.ordinal].Title) {
			return depth + 1
		}
	}
	return 0
}

// placeAnew places a number that follows no other of its kind: the first of a
// list, or one whose predecessor was lost.
func (b *sectioner) placeAnew(i int, r reading) int {
	same := b.depthOf(r.kind)
	switch before, ok := b.ended[r.kind]; {
	case same < 0 && ok && before.value+1 == r.value && r.kind < byItem:
		return min(before.depth, len(b.open)) // something was between the two
	case same < 0:
	case r.value == 1 && r.kind < byItem && !slices.ContainsFunc(b.open[:same], func(o openSection) bool { return o.kind == r.kind }):
	default:
		return same
	}
	depth := len(b.open)
	if r.kind != byCount && r.kind != bySection && r.kind != byRoman {
		return depth
	}
	// "2." above "2.1" is no item of a list.
	if next := b.next[i]; next < len(b.openings) && strings.HasPrefix(b.openings[next].readings[0].path, r.path+".") {
		for depth > 0 && b.open[depth-1].kind > byDecimal && b.open[depth-1].kind < byTitle {
			depth--
		}
	}
	// Sections that count on through a document are not parts of the heading
	// above the first of them, and none are parts of the recitals.
	for depth > 0 {
		title := depth - 1
		if b.open[title].kind == byCapital && title > 0 {
			title--
		}
		if b.open[title].kind < byTitle || b.begins[r.kind] >= 2 && !recitals[lex.Squash(b.s.Sections[b.open[title].ordinal].Title)] {
			break
		}
		depth = title
	}
	return depth
}

// recitals are the headings above what comes before the sections.
var recitals = lex.Set("recitals recital background witnesseth between parties preamble whereas introduction premises agreement agreements agreedterms")

// SectionAt returns the ordinal of the innermost section that holds the code
// point, or -1.
func (s *Segmentation) SectionAt(point int) int {
	at := sort.Search(len(s.Sections), func(i int) bool { return s.Sections[i].Start > point }) - 1
	for at >= 0 && s.Sections[at].End <= point {
		at = s.Sections[at].Parent
	}
	return at
}

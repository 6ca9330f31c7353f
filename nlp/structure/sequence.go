package structure

import (
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/clausemill/clausemill/nlp/lex"
)

// rank is the number of a section in figures: 4, 2 for "Section 4.02" and 9 for
// "ARTICLE IX". What is behind the last figure is zero.
type rank [lex.MostParts]uint16

// rankOf reads the rank of a number; ok is false where it has letters: "4.2(b)".
func rankOf(n lex.Numbering) (r rank, ok bool) {
	label := n.Label
	if n.Form == lex.Named {
		_, label = lex.CutWord(label)
		if !lex.IsDigit(label[0]) {
			label = strconv.Itoa(PartValue(label))
		}
	}
	depth := 0
	for part := range strings.SplitSeq(label, ".") {
		value, err := strconv.ParseUint(part, 10, 16)
		if err != nil || depth == len(r) {
			return rank{}, false
		}
		r[depth] = uint16(value)
		depth++
	}
	return r, r[0] > 0
}

// depth counts the figures of r. A zero ends them: "4.0" is 4.
func (r rank) depth() int {
	if end := slices.Index(r[:], 0); end >= 0 {
		return end
	}
	return len(r)
}

// head returns the first figures of r.
func (r rank) head(depth int) rank {
	var head rank
	copy(head[:depth], r[:depth])
	return head
}

// before returns the rank beside r that r counts on from; ok is false where r is the
// first.
func (r rank) before() (beside rank, ok bool) {
	last := r.depth() - 1
	r[last]--
	return r, r[last] > 0
}

// mention is a number that opens a piece, or one inside of a piece at which a section may
// begin.
type mention struct {
	rank
	at     int
	family uint8
	opens  bool // a piece
	taken  bool // opens a section inside of a piece
}

// The families of numbers. Those of one figure continue only their own: lists are counted
// within articles.
const (
	several  uint8 = iota // "4.2", "Section 4.2"
	named                 // "ARTICLE IV"
	single                // "4."
	families              // how many there are
)

func familyOf(r rank, form lex.NumberForm) uint8 {
	switch {
	case r.depth() > 1:
		return several
	case form == lex.Named:
		return named
	}
	return single
}

// restore parts the pieces inside of which a section begins because its line break was
// lost: "[***]. 5.2 Purchase Orders. (a)". A reference to a section may look the same, so
// only numbers are taken that are missing in the sequence of those that open pieces.
func (o *outline) restore() {
	all := o.mentions()
	inside := func(m mention) bool { return !m.opens }
	if !slices.ContainsFunc(all, inside) {
		return
	}
	takeMissing(all)
	all = slices.DeleteFunc(all, func(m mention) bool { return !m.taken })
	if len(all) > 0 {
		o.part(all)
	}
}

// mentions lists the numbers that open pieces, and those inside of prose at which a
// section may begin.
func (o *outline) mentions() []mention {
	var all []mention
	line := 0
	for i := range o.pieces {
		p := &o.pieces[i]
		if p.contents || p.of != nil {
			continue
		}
		if p.number.Form >= lex.Counted {
			if r, ok := rankOf(p.number); ok {
				all = append(all, mention{rank: r, at: p.Start, family: familyOf(r, p.number.Form), opens: true})
			}
		}
		if p.kind == Table || p.kind == SignatureBlock {
			continue
		}
		for line < len(o.lines) && o.lines[line].End <= p.Start {
			line++
		}
		for ; line < len(o.lines) && o.lines[line].Start < p.End; line++ {
			l := &o.lines[line]
			all = o.appendInside(all, p, max(l.Start, p.Start+max(1, p.number.End)), min(l.End, p.End))
			if l.End > p.End {
				break // the next piece begins on it
			}
		}
	}
	return all
}

// appendInside adds the numbers in p, on the line from from to to, at which a section may
// begin.
func (o *outline) appendInside(all []mention, p *piece, from, to int) []mention {
	for i := from; i < to; i++ {
		if !opensNumber[o.text[i]] || !lex.ASCIISpace[o.text[i-1]] {
			continue
		}
		n := lex.NumberAt(o.text[i:min(p.End, i+longestTitle)])
		if n.Form < lex.Counted || i+n.End >= p.End {
			continue
		}
		if r, ok := rankOf(n); ok && o.mayOpen(p, i, n) {
			all = append(all, mention{rank: r, at: i, family: familyOf(r, n.Form)})
		}
		i += len(n.Label) - 1
	}
	return all
}

// opensNumber holds the bytes that numbers of sections begin with.
var opensNumber = func() (opens [256]bool) {
	for _, c := range []byte("0123456789SACP") {
		opens[c] = true
	}
	opens["§"[0]] = true
	return opens
}()

// mayOpen reports whether the number n at i in p can open a section as far as the words
// around it tell: none refers to it, and a title or a sentence follows.
func (o *outline) mayOpen(p *piece, i int, n lex.Numbering) bool {
	above := strings.TrimRight(o.text[p.Start:i], " \t\n\f")
	word := strings.ToLower(lex.LastWord(above[max(0, len(above)-shortLine):]))
	if above == "" || strings.IndexByte(",($-", above[len(above)-1]) >= 0 || Connectors[word] || pointers[word] || takesNumber[word] || lex.Labels[strings.TrimPrefix(strings.TrimSuffix(word, "s"), "sub")] {
		return false
	}
	if o.rules.OpensOrdinal(above, o.text[i:p.End]) {
		return false // "am 1. März"
	}
	if end := p.Start + len(above) - 1; o.text[end] == '.' && !o.rules.StopsAt(o.text[:p.End], max(p.Start, end-shortLine), end, i) {
		return false
	}
	rest := o.text[i+n.End : p.End]
	if !lex.StartsUpper(rest) && !strings.HasPrefix(rest, "“") && strings.IndexByte("\"[(", rest[0]) < 0 {
		return false
	}
	ends := lex.EndsSentence(above)
	switch title := headingEnd(o.rules, n.Form, rest) > 0; n.Form {
	case lex.Decimal:
		return true
	case lex.Bare:
		return ends && title
	default:
		return ends || title
	}
}

// pointers come before a number that they refer to: "this Section 4.2".
var pointers = lex.Set("this that such said each any")

// ranks are the ranks that count now. Forgetting them all takes no time, however many
// there are.
type ranks struct {
	turn map[rank]int
	now  int
}

func (r *ranks) add(x rank)      { r.turn[x] = r.now }
func (r *ranks) has(x rank) bool { turn, ok := r.turn[x]; return ok && turn == r.now }
func (r *ranks) forget()         { r.now++ }

func newRanks() (all [families]ranks) {
	for i := range all {
		all[i].turn = map[rank]int{}
	}
	return all
}

// takeMissing takes the mentions inside of pieces that are on a way from a number that
// opens a piece to the next that does, where each number on the way continues the one
// before.
func takeMissing(all []mention) {
	reached := make([]bool, len(all)) // from the number before
	reach := newRanks()               // what the next number may continue
	for i := range all {
		m := &all[i]
		switch {
		case m.opens:
			reach[m.family].forget()
		case !m.continues(&reach):
			continue
		}
		reached[i] = true
		for depth := m.depth(); depth > 0; depth-- {
			reach[m.family].add(m.head(depth))
		}
	}
	within, above, taken := newRanks(), newRanks(), newRanks() // what the number behind continues; its parent; what is taken
	for i := range slices.Backward(all) {
		m := &all[i]
		if m.opens {
			within[m.family].forget()
			above[m.family].forget()
			taken[m.family].forget()
		} else {
			m.taken = reached[i] && !taken[m.family].has(m.rank) && m.leads(&within, &above)
			if !m.taken {
				continue
			}
			taken[m.family].add(m.rank)
		}
		if before, ok := m.before(); ok {
			within[m.family].add(before)
		} else if depth := m.depth(); depth > 1 {
			parent := m.head(depth - 1)
			above[m.family].add(parent)
			if before, ok := parent.before(); ok && depth == 2 {
				within[m.family].add(before)
			}
		}
	}
}

// continues reports whether m is the next number behind one of those that are reached: the
// next beside it or beside one around it, or the first inside of it.
func (m *mention) continues(reach *[families]ranks) bool {
	if before, ok := m.before(); ok {
		return reach[m.family].has(before)
	}
	depth := m.depth()
	if depth == 1 {
		return true // the first of all
	}
	parent := m.head(depth - 1)
	for i := range reach {
		if reach[i].has(parent) {
			return true
		}
	}
	before, ok := parent.before()
	return ok && depth == 2 && reach[several].has(before) // "5.1" behind "4.9"
}

// leads reports whether a number that comes next continues m.
func (m *mention) leads(within, above *[families]ranks) bool {
	for i := range above {
		if above[i].has(m.rank) {
			return true
		}
	}
	for depth := m.depth(); depth > 0; depth-- {
		if within[m.family].has(m.head(depth)) {
			return true
		}
	}
	return false
}

// part makes pieces of their own of what begins at the places.
func (o *outline) part(places []mention) {
	old := o.pieces
	o.pieces, o.at = make([]piece, 0, len(old)+2*len(places)), 0
	for _, p := range old {
		if len(places) == 0 || places[0].at >= p.End {
			o.pieces = append(o.pieces, p)
			continue
		}
		head := lex.Trim(o.text, lex.Extent{Start: p.Start, End: places[0].at})
		if p.kind == Heading && p.number.End > 0 {
			o.read(head)
		} else {
			first := p
			first.Extent = head
			first.number.End = min(p.number.End, head.End-head.Start)
			if p.kind == Heading {
				first.kind, first.title = Paragraph, "" // a legend above the section
			}
			o.pieces = append(o.pieces, first)
		}
		for len(places) > 0 && places[0].at < p.End {
			rest := lex.Extent{Start: places[0].at, End: p.End}
			places = places[1:]
			if len(places) > 0 {
				rest.End = min(rest.End, places[0].at)
			}
			o.read(lex.Trim(o.text, rest))
		}
	}
}

// read adds the units that e, which is prose, is made of.
func (o *outline) read(e lex.Extent) {
	from := sort.Search(len(o.lines), func(i int) bool { return o.lines[i].End > e.Start })
	to := sort.Search(len(o.lines), func(i int) bool { return o.lines[i].Start >= e.End })
	o.headed = false
	o.addText(e, lex.NumberAt(o.text[e.Start:e.End]), from, to, false)
}

// goesOnTo reports whether next is a number that may come behind r: the next beside it or
// beside one around it, or the first inside of either.
func (r rank) goesOnTo(next rank) bool {
	depth := next.depth()
	if before, ok := next.before(); ok {
		return r.head(depth) == before
	}
	if depth == 1 {
		return false
	}
	parent := next.head(depth - 1)
	if r == parent {
		return true
	}
	before, ok := parent.before()
	return ok && r.head(depth-1) == before
}

// numbered is a number that opens a piece, and whether it fits those around it.
type numbered struct {
	rank
	piece int // index
	fits  bool
}

// scatter makes paragraphs of headings whose numbers neither continue those before them
// nor are continued: figures before a title, and rows of tables and indexes, of which
// several follow one another. So is the number of an exhibit above the agreement that it
// is: "10.23 SUPPLY AGREEMENT".
func (o *outline) scatter() {
	all := o.numbered()
	for i, m := range all {
		p := &o.pieces[m.piece]
		if m.fits || p.kind != Heading || p.number.Form == lex.Named {
			continue
		}
		above := i > 0 && !all[i-1].fits && all[i-1].piece == m.piece-1
		below := i+1 < len(all) && !all[i+1].fits && all[i+1].piece == m.piece+1
		exhibit := i == 0 && p.number.Form == lex.Decimal && lex.IsCapitals(p.title) && namesInstrument(lex.Unwrap(p.title))
		if p.number.Form == lex.Bare || above || below || exhibit {
			p.kind, p.title, p.number = Paragraph, "", lex.Numbering{}
		}
	}
}

// numbered lists the numbers that open pieces.
func (o *outline) numbered() []numbered {
	const reach = 3 // numbers, since a stray one may be between two
	var all []numbered
	last := [families]int{-1, -1, -1}
	for i := range o.pieces {
		p := &o.pieces[i]
		if p.contents || p.of != nil || p.number.Form < lex.Counted {
			continue
		}
		r, ok := rankOf(p.number)
		if !ok {
			continue
		}
		m, family := numbered{rank: r, piece: i}, familyOf(r, p.number.Form)
		fit := func(before *numbered) {
			if before.goesOnTo(r) {
				m.fits, before.fits = true, true
			}
		}
		for before := max(0, len(all)-reach); before < len(all); before++ {
			fit(&all[before])
		}
		if last[family] >= 0 {
			fit(&all[last[family]]) // behind all of a list
		}
		last[family] = len(all)
		all = append(all, m)
	}
	return all
}

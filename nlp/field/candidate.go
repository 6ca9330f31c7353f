package field

import (
	"strings"

	"github.com/clausemill/clausemill/nlp/lex"
	"github.com/clausemill/clausemill/nlp/structure"
	"github.com/clausemill/clausemill/nlp/value"
)

// candidate is what a question may be answered with.
type candidate struct {
	lex.Extent           // of the text
	sentence   int       // that holds it
	form       form      // how it was found
	key        value.Key // of a mention
	choice     int       // of a choice
	value      value.Value
	canonical  string // the same for equal values
}

// form is how a candidate stands in its sentence.
type form uint64

// The forms. What is shorter than a sentence comes before it.
const (
	mentioned form = iota
	quoted
	capitals
	afterColon
	line
	part
	whole
	chosen
)

// mostCandidates bounds the candidates of one sentence.
const mostCandidates = 60

// longestName is the length in bytes from which words are no name any more, and
// longestText that of no value.
const (
	longestName = 150
	longestText = 1000
)

// candidatesOf are those of sentence i.
func (r *Reading) candidatesOf(i int) []candidate {
	s := &r.sentences[i]
	switch r.question.Kind {
	case Text:
		return r.phrases(i)
	case Choice:
		list := make([]candidate, len(r.question.Choices))
		for n, choice := range r.question.Choices {
			list[n] = candidate{Extent: s.Extent, sentence: i, form: chosen, choice: n, value: value.Value{Name: choice}, canonical: canonical(Choice, choice)}
		}
		return list
	default:
		list := make([]candidate, 0, len(s.mentions))
		for _, m := range s.mentions[:min(len(s.mentions), mostCandidates)] {
			list = append(list, candidate{Extent: lex.Extent{Start: m.Start, End: min(m.End, s.End)}, sentence: i, key: m.Key, value: m.Value, canonical: canonical(r.question.Kind, m.Value.String())})
		}
		return list
	}
}

// canonical is the same for equal values: of texts for those that differ in case, marks
// and white space only.
func canonical(kind Kind, s string) string {
	if kind == Text {
		return lex.Squash(s)
	}
	return strings.ToLower(s)
}

// phraser collects the candidates of a sentence for a text.
type phraser struct {
	r    *Reading
	in   int
	seen map[lex.Extent]bool
	list []candidate
}

// phrases are the words of a sentence that may be a value by themselves: quoted,
// capitalised, behind a colon, on a line of their own, between commas, or all of it.
func (r *Reading) phrases(i int) []candidate {
	p := &phraser{r: r, in: i, seen: map[lex.Extent]bool{}}
	s := &r.sentences[i]
	p.quotes()
	p.names()
	if colon := strings.IndexByte(r.text[s.Start:s.End], ':'); colon >= 0 {
		p.add(s.Start+colon+1, s.End, afterColon)
	}
	p.pieces("\n", line)
	p.pieces(",;()", part)
	p.add(s.Start, s.End, whole)
	return p.list
}

// add adds what is between two bytes, without white space and marks around it.
func (p *phraser) add(start, end int, f form) {
	const marks = " \t\n\r\f,;:\"“”'‘’()[]*_"
	text := p.r.text[start:end]
	start += len(text) - len(strings.TrimLeft(text, marks))
	text = strings.TrimRight(strings.TrimLeft(text, marks), marks)
	if f == whole || f == part || f == line || f == afterColon {
		text = strings.TrimRight(text, ".")
	}
	e := lex.Extent{Start: start, End: start + len(text)}
	if text == "" || len(text) > longestText || p.seen[e] || len(p.list) >= mostCandidates && f != whole {
		return
	}
	name := canonical(Text, text)
	if name == "" {
		return
	}
	p.seen[e] = true
	p.list = append(p.list, candidate{Extent: e, sentence: p.in, form: f, value: value.Value{Name: lineOf(text)}, canonical: name})
}

// quotes adds what is in quotation marks.
func (p *phraser) quotes() {
	s := &p.r.sentences[p.in]
	text := p.r.text[s.Start:s.End]
	for i := 0; i < len(text); {
		open := strings.IndexAny(text[i:], "\"“„«")
		if open < 0 {
			return
		}
		i += open
		size := len(text[i:]) - len(strings.TrimLeft(text[i:], "\"“„«"))
		end := strings.IndexAny(text[i+size:], "\"”“»")
		if end < 0 {
			return
		}
		p.add(s.Start+i+size, s.Start+i+size+end, quoted)
		i += size + end + 1
	}
}

// pieces adds what is between any of marks.
func (p *phraser) pieces(marks string, f form) {
	s := &p.r.sentences[p.in]
	from := s.Start
	for i := s.Start; i < s.End; i++ {
		if strings.IndexByte(marks, p.r.text[i]) >= 0 {
			p.add(from, i, f)
			from = i + 1
		}
	}
	if from > s.Start {
		p.add(from, s.End, f)
	}
}

// links are the small words inside names.
var links = lex.Set("of the and for in de la du der von van di und et y a an to by between this")

// mostAtoms bounds the parts of a name that are put together.
const mostAtoms = 8

// names adds the runs of capitalised words with the small words that link them, and what
// they are made of: runs of capitals and of other words, of lines, and of what is between
// the links.
func (p *phraser) names() {
	s := &p.r.sentences[p.in]
	tokens := p.r.tokensOf(p.in)
	for first := 0; first < len(tokens); first++ {
		if !tokens[first].capital {
			continue
		}
		last := first
		for next := first + 1; next < len(tokens) && tokens[next].End-tokens[first].Start <= longestName && !p.parted(tokens[next-1].End, tokens[next].Start); next++ {
			switch {
			case tokens[next].capital || tokens[next].figure:
				last = next
			case !p.links(tokens[next]):
				next = len(tokens)
			}
		}
		p.addName(tokens[first:last+1], s.End)
		first = last
	}
}

func (p *phraser) links(t token) bool { return links[strings.ToLower(p.r.text[t.Start:t.End])] }

// addName adds a run of words, all of them first, and each run of its parts.
func (p *phraser) addName(run []token, limit int) {
	starts := []int{0}
	for i := 1; i < len(run); i++ {
		gap := p.r.text[run[i-1].End:run[i].Start]
		if p.links(run[i]) || p.links(run[i-1]) || run[i].figure != run[i-1].figure || strings.Contains(gap, "  ") || strings.Contains(gap, "\n") ||
			p.upper(run[i]) != p.upper(run[i-1]) {
			starts = append(starts, i)
		}
	}
	p.add(run[0].Start, p.abbreviationEnd(run[len(run)-1].End, limit), capitals)
	for from, first := range starts {
		for to := from + 1; to <= min(len(starts), from+mostAtoms); to++ {
			next := len(run)
			if to < len(starts) {
				next = starts[to]
			}
			if run[first].capital && !p.links(run[next-1]) {
				p.add(run[first].Start, p.abbreviationEnd(run[next-1].End, limit), capitals)
			}
		}
	}
}

// upper reports whether a word of more than one letter is all in capitals.
func (p *phraser) upper(t token) bool {
	word := p.r.text[t.Start:t.End]
	return len(word) > 1 && word == strings.ToUpper(word)
}

// abbreviationEnd is end with the stop of "Inc." or "L.P.", if one follows inside the
// sentence.
func (p *phraser) abbreviationEnd(end, limit int) int {
	if end+1 < limit && p.r.text[end] == '.' && p.r.text[end+1] != '\n' {
		return end + 1
	}
	return end
}

// parted reports whether something between two words ends a name.
func (p *phraser) parted(from, to int) bool {
	between := p.r.text[from:to]
	return strings.ContainsAny(between, ";:()[]\"“”") || strings.Count(between, "\n") > 1
}

// token is a word of a sentence with its place in the text.
type token struct {
	lex.Extent
	hash            uint64
	capital, figure bool
}

// tokensOf are the words of sentence i.
func (r *Reading) tokensOf(i int) []token {
	s := &r.sentences[i]
	var list []token
	for at := s.Start; at < s.End; {
		start, end, _, letter := lex.ScanWord(r.text[:s.End], at)
		at = end
		if start == end {
			break
		}
		if end-start > lex.MaxWord {
			continue
		}
		list = append(list, token{Extent: lex.Extent{Start: start, End: end}, hash: s.words[len(list)], capital: lex.HasCapital(r.text[start:end]), figure: !letter})
	}
	return list
}

// isTitle reports whether a sentence is a heading.
func (s *sentence) isTitle() bool { return s.kind == structure.Heading }

package field

import (
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/clausemill/clausemill/nlp/lex"
	"github.com/clausemill/clausemill/nlp/structure"
	"github.com/clausemill/clausemill/nlp/value"
)

// Reading is a text as a Model reads it for one question.
type Reading struct {
	question  Question
	text      string
	sentences []sentence
	asked     map[uint64]bool // the words of the question
	choices   []string        // plainWords of each
}

// sentence is one of a Reading.
type sentence struct {
	lex.Extent
	start    int // in code points
	kind     structure.BlockKind
	words    []uint64 // hashes
	heading  []uint64
	mentions []value.Mention // of the kind; extents are those of the text
}

// eligible reports whether a sentence can hold a value.
func (r *Reading) eligible(i int) bool {
	s := &r.sentences[i]
	switch r.question.Kind {
	case Text, Choice:
		return len(s.words) > 0
	default:
		return len(s.mentions) > 0
	}
}

// Read takes from a text what q may be answered with.
func Read(q Question, s *structure.Segmentation) *Reading {
	q.Language = s.Language
	r := &Reading{question: q, text: s.Text, asked: map[uint64]bool{}}
	for _, words := range q.Words {
		for _, hash := range hashes(words) {
			r.asked[hash] = true
		}
	}
	for _, choice := range q.Choices {
		r.choices = append(r.choices, plainWords(choice))
	}
	gaps := make([]lex.Extent, len(s.Furniture))
	for i, f := range s.Furniture {
		gaps[i] = lex.Extent{Start: s.Offsets.Byte(f.Start), End: s.Offsets.Byte(f.End)}
	}
	var found []value.Mention
	if q.Kind != Text && q.Kind != Choice {
		found = mentions(q, s.Text, gaps)
	}
	rest := s.Sentences
	var heading []uint64
	for i := range s.Documents {
		for j := range s.Documents[i].Blocks {
			block := &s.Documents[i].Blocks[j]
			if block.Kind == structure.Heading {
				heading = hashes(block.Title)
			}
			for len(rest) > 0 && rest[0].Block == block.Ordinal {
				from := lex.Extent{Start: s.Offsets.Byte(rest[0].Start), End: s.Offsets.Byte(rest[0].End)}
				r.sentences = append(r.sentences, sentence{
					Extent: from, start: rest[0].Start, kind: block.Kind, words: hashes(s.Text[from.Start:from.End]), heading: heading, mentions: within(found, from),
				})
				rest = rest[1:]
			}
		}
	}
	return r
}

// within are those mentions, which are in order, that begin in e.
func within(found []value.Mention, e lex.Extent) []value.Mention {
	first := sort.Search(len(found), func(i int) bool { return found[i].Start >= e.Start })
	next := first + sort.Search(len(found)-first, func(i int) bool { return found[first+i].Start >= e.End })
	return found[first:next]
}

// figures replace numbers, of which only the length is a feature.
const figures = "000000"

// hashes are those of the words of text in order.
func hashes(text string) []uint64 {
	var list []uint64
	for i := 0; i < len(text); {
		start, end, broken, letter := lex.ScanWord(text, i)
		i = end
		switch {
		case start == end || end-start > lex.MaxWord:
		case letter:
			list = append(list, lex.HashWord(text[start:end], broken, letter))
		default:
			list = append(list, lex.HashString(figures[:min(end-start, len(figures))]))
		}
	}
	return list
}

// spanOf counts an extent within sentence i in code points.
func (r *Reading) spanOf(i int, e lex.Extent) lex.Span {
	s := &r.sentences[i]
	start := s.start + utf8.RuneCountInString(r.text[s.Start:e.Start])
	return lex.Span{Start: start, End: start + utf8.RuneCountInString(r.text[e.Start:e.End])}
}

// sentencesOf are the sentences that a span overlaps, from one up to another.
func (r *Reading) sentencesOf(span lex.Span) (first, next int) {
	first = sort.Search(len(r.sentences), func(i int) bool {
		s := &r.sentences[i]
		return s.start+utf8.RuneCountInString(r.text[s.Start:s.End]) > span.Start
	})
	next = first
	for next < len(r.sentences) && r.sentences[next].start < span.End {
		next++
	}
	return first, next
}

// lineOf is text on one line.
func lineOf(text string) string { return strings.Join(strings.Fields(text), " ") }

package field

import (
	"math/bits"

	"github.com/clausemill/clausemill/nlp/learn"
	"github.com/clausemill/clausemill/nlp/lex"
)

// The groups of features. Those of a sentence and those of a candidate use the same
// places.
const (
	groupOwn = iota
	groupBefore
	groupAfter
	groupSentence
	groupHeading
	groupShape
)

// sentenceWeights and candidateWeights say how much each group counts, however many
// features it has.
var (
	sentenceWeights  = [learn.MostGroups]float64{groupOwn: 1, groupBefore: 0.3, groupAfter: 0.3, groupHeading: 0.6, groupShape: 0.6}
	candidateWeights = [learn.MostGroups]float64{groupOwn: 0.6, groupBefore: 1, groupAfter: 0.8, groupSentence: 0.6, groupHeading: 0.4, groupShape: 1}
)

// The sorts of features: what their keys are told apart by.
const (
	sortWord = 16 + iota
	sortPair
	sortBeside
	sortTitle
	sortTitlePair
	sortForm
	sortLength
	sortPlace
	sortKind
	sortAsked
	sortAskedTitle
	sortFinder
	sortRank
	sortPosition
	sortBorder
	sortSaid
	sortChoice
	sortChoiceWord
	sortMagnitude
)

// features collects those of one thing, group by group.
type features struct{ list []learn.Feature }

func (f *features) add(group uint8, sort uint64, hash uint64) {
	f.list = append(f.list, learn.Feature{Key: learn.HashKey(sort<<8|uint64(group), hash), Group: group})
}

// words adds words, and pairs of them if asked for.
func (f *features) words(group uint8, words []uint64, pairs bool) {
	for i, word := range words {
		f.add(group, sortWord, word)
		if pairs && i > 0 {
			f.add(group, sortPair, lex.HashPair(words[i-1], word))
		}
	}
}

// ofSentence are the features by which a sentence is found.
func (r *Reading) ofSentence(i int) []learn.Feature {
	var f features
	s := &r.sentences[i]
	f.words(groupOwn, s.words, true)
	if i > 0 {
		f.words(groupBefore, r.sentences[i-1].words, false)
	}
	if i+1 < len(r.sentences) {
		f.words(groupAfter, r.sentences[i+1].words, false)
	}
	f.words(groupHeading, s.heading, true)
	f.add(groupShape, sortKind, lex.HashString(string(s.kind)))
	f.add(groupShape, sortPlace, r.place(i))
	f.add(groupShape, sortLength, size(len(s.words)))
	f.add(groupShape, sortAsked, r.overlap(s.words))
	f.add(groupShape, sortAskedTitle, r.overlap(s.heading))
	f.add(groupShape, sortRank, uint64(min(len(s.mentions), 4)))
	return f.list
}

// place is where in the text sentence i stands: one of the first, or in which tenth.
func (r *Reading) place(i int) uint64 {
	if i < 8 {
		return 100 + uint64(bits.Len(uint(i)))
	}
	return uint64(10 * i / len(r.sentences))
}

// size is the magnitude of a count.
func size(n int) uint64 { return uint64(bits.Len(uint(n))) }

// overlap is how many words of the question are among words.
func (r *Reading) overlap(words []uint64) uint64 {
	n := 0
	for _, word := range words {
		n += learn.Bit(r.asked[word])
	}
	return uint64(min(n, 4))
}

// found is a sentence with what the finder says of it.
type found struct {
	sentence int
	score    float32
}

// How far around a candidate words are looked at.
const (
	wordsBefore = 8
	wordsAfter  = 5
)

// ofCandidate are the features by which a candidate of a sentence is picked. rank is the
// place of the sentence among those found.
func (r *Reading) ofCandidate(c *candidate, tokens []token, f found, rank int) []learn.Feature {
	var list features
	s := &r.sentences[c.sentence]
	if c.form == chosen {
		list.choice(r, c)
	} else {
		first := 0
		for first < len(tokens) && tokens[first].Start < c.Start {
			first++
		}
		next := first
		for next < len(tokens) && tokens[next].Start < c.End {
			next++
		}
		list.around(r, c, tokens, first, next)
	}
	list.words(groupSentence, s.words, false)
	list.words(groupHeading, s.heading, false)
	list.add(groupShape, sortForm, uint64(c.form))
	list.add(groupShape, sortKind, lex.HashString(string(c.key)))
	list.add(groupShape, sortPlace, r.place(c.sentence))
	list.add(groupShape, sortAsked, r.overlap(s.words))
	list.add(groupShape, sortAskedTitle, r.overlap(s.heading))
	list.add(groupShape, sortRank, uint64(min(rank, 3)))
	for step := uint64(0); step < 12 && f.score >= -1.5+0.25*float32(step); step++ {
		list.add(groupShape, sortFinder, step)
	}
	if s.isTitle() {
		list.add(groupShape, sortTitle, 0)
	}
	return list.list
}

// choice adds what a sentence says of one choice.
func (f *features) choice(r *Reading, c *candidate) {
	s := &r.sentences[c.sentence]
	f.add(groupOwn, sortChoice, uint64(c.choice))
	text := plainWords(r.text[s.Start:s.End])
	here, others := says(text, r.choices[c.choice]), 0
	for i, words := range r.choices {
		others += learn.Bit(i != c.choice && says(text, words))
	}
	said := uint64(learn.Bit(here))<<2 | uint64(min(others, 2))
	f.add(groupShape, sortSaid, said)
	for _, word := range s.words {
		f.add(groupBefore, sortChoiceWord, lex.HashPair(word, uint64(c.choice)))
	}
}

// around adds the words of a candidate, tokens[first:next], and those around it.
func (f *features) around(r *Reading, c *candidate, tokens []token, first, next int) {
	if r.question.Kind == Text {
		for i := first; i < min(next, first+20); i++ {
			f.add(groupOwn, sortWord, tokens[i].hash)
		}
		if first < next {
			f.add(groupOwn, sortPosition, tokens[first].hash)
			f.add(groupOwn, sortPosition+100, tokens[next-1].hash)
		}
	} else {
		f.add(groupOwn, sortKind, lex.HashString(string(c.key)))
		for i := first; i < next; i++ {
			if !tokens[i].figure {
				f.add(groupOwn, sortWord, tokens[i].hash) // its unit, or month
			}
		}
		f.add(groupOwn, sortMagnitude, uint64(len(c.value.Amount)))
	}
	for i := 1; i <= wordsBefore && first-i >= 0; i++ {
		f.add(groupBefore, sortBeside, tokens[first-i].hash)
		if i <= 3 {
			f.add(groupBefore, sortPosition+uint64(i)<<4, tokens[first-i].hash)
		}
	}
	if first >= 2 {
		f.add(groupBefore, sortPair, lex.HashPair(tokens[first-2].hash, tokens[first-1].hash))
	}
	for i := 0; i < wordsAfter && next+i < len(tokens); i++ {
		f.add(groupAfter, sortBeside, tokens[next+i].hash)
		if i < 2 {
			f.add(groupAfter, sortPosition+uint64(i+1)<<4, tokens[next+i].hash)
		}
	}
	if next+1 < len(tokens) {
		f.add(groupAfter, sortPair, lex.HashPair(tokens[next].hash, tokens[next+1].hash))
	}
	f.borders(r, c)
	f.add(groupShape, sortLength, size(next-first))
	f.add(groupShape, sortPosition, uint64(min(first, 3)))
	f.add(groupShape, sortPosition+1<<4, uint64(min(len(tokens)-next, 3)))
}

// borders adds the marks right before and after a candidate.
func (f *features) borders(r *Reading, c *candidate) {
	s := &r.sentences[c.sentence]
	before, after := "", ""
	if c.Start > s.Start {
		before = r.text[c.Start-1 : c.Start]
	}
	if c.End < s.End {
		after = r.text[c.End : c.End+1]
	}
	f.add(groupShape, sortBorder, lex.HashString("<"+before))
	f.add(groupShape, sortBorder, lex.HashString(">"+after))
	letters, capital := 0, 0
	for i := c.Start; i < c.End; i++ {
		letters += learn.Bit(lex.IsLetter(r.text[i]))
		capital += learn.Bit(lex.IsLetter(r.text[i]) && lex.IsCapital(r.text[i]))
	}
	f.add(groupShape, sortBorder, 1000+uint64(4*capital/max(1, letters)))
}

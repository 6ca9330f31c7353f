package structure

import (
	"strings"

	"github.com/clausemill/clausemill/nlp/lex"
)

// Readability is the Flesch-Kincaid grade of a text (Kincaid et al., 1975): the
// years of school it takes to follow its paragraphs and lists. ok is false for a
// text that is not English or has no sentence.
func Readability(s *Segmentation) (grade float64, ok bool) {
	if !lex.MaybeEnglish(s.Language) {
		return 0, false
	}
	var kinds []BlockKind // by ordinal
	for i := range s.Documents {
		for j := range s.Documents[i].Blocks {
			kinds = append(kinds, s.Documents[i].Blocks[j].Kind)
		}
	}
	sentences, words, syllables := 0, 0, 0
	for i := range s.Sentences {
		if kind := kinds[s.Sentences[i].Block]; kind != Paragraph && kind != ListItem {
			continue
		}
		before := words
		for word := range strings.FieldsSeq(s.Sentences[i].Text) {
			if n := countSyllables(word); n > 0 {
				words++
				syllables += n
			}
		}
		if words > before {
			sentences++
		}
	}
	if sentences == 0 {
		return 0, false
	}
	return 0.39*float64(words)/float64(sentences) + 11.8*float64(syllables)/float64(words) - 15.59, true
}

// countSyllables counts the groups of vowels of an English word, a silent e at
// its end left out; 0 for what has no letter.
func countSyllables(word string) int {
	syllables, letters, vowel, last := 0, 0, false, byte(0)
	for i := range len(word) {
		if !lex.IsLetter(word[i]) {
			continue
		}
		letters++
		last = word[i] | 0x20
		now := strings.IndexByte("aeiouy", last) >= 0
		if now && !vowel {
			syllables++
		}
		vowel = now
	}
	if last == 'e' && syllables > 1 && !strings.HasSuffix(strings.ToLower(word), "le") {
		syllables--
	}
	if letters > 0 {
		return max(1, syllables)
	}
	return 0
}

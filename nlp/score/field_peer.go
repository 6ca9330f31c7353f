package score

import (
	"fmt"
	"math"
	"regexp"
	"strings"

	"github.com/clausemill/clausemill/nlp"
	"github.com/clausemill/clausemill/nlp/learn"
)

// fieldPeer is what is commonly built to extract a field: a regular expression for what a
// value looks like, and logistic regression on the words around each match.
type fieldPeer struct {
	question   nlp.FieldQuestion
	regression *regression
}

const months = `(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*`

// fieldPatterns are the regular expressions. That of a choice is a sentence: the choice is
// the one that is named in it.
var fieldPatterns = map[nlp.FieldKind]*regexp.Regexp{
	nlp.TextField:   regexp.MustCompile(`[A-Z][\w.&'’-]*(?:[ ,]+(?:(?:of|the|and|for|to|in) +)*[A-Z][\w.&'’-]*)*`),
	nlp.NumberField: regexp.MustCompile(`\b\d{1,3}(?:,\d{3})*(?:\.\d+)?\b`),
	nlp.DateField:   regexp.MustCompile(`(?i)\b` + months + `\.?\s+\d{1,2}(?:st|nd|rd|th)?,?\s+\d{4}\b|\b\d{1,2}(?:st|nd|rd|th)?(?:\s+day\s+of)?\s+` + months + `,?\s+\d{4}\b|\b\d{1,2}/\d{1,2}/\d{4}\b`),
	nlp.MoneyField:  regexp.MustCompile(`(?i)(?:US)?\$\s?[\d,]+(?:\.\d+)?(?:\s+(?:million|thousand|billion))?`),
	nlp.ChoiceField: regexp.MustCompile(`[^.;]+`),
}

const (
	// peerWords are how many words before and after a match are looked at.
	peerWords = 10
	// peerOthers is how many matches of a contract that are not right are learned from.
	peerOthers = 40
	// peerWidth is how many bytes those words are cut from.
	peerWidth = 150
)

// match is what the expression finds in a text.
type match struct {
	start, end int // bytes
	value      string
}

// newFieldPeer learns from the contracts that are marked.
func newFieldPeer(t *fieldTrial, marked []int) *fieldPeer {
	p := &fieldPeer{question: t.question}
	var texts []terms
	var right []float64
	for _, i := range marked {
		f := t.files[i]
		text := f.contract.Text.Text
		var others []terms
		hit := false
		for _, m := range p.matches(text) {
			at := f.contract.Text.Offsets.CodePoint(m.start)
			inside := false
			for _, mark := range f.marks {
				inside = inside || at >= mark.Span.Start-1 && at < mark.Span.End
			}
			if !hit && inside && t.isRight(i, m.value) {
				texts, right, hit = append(texts, p.around(text, m)), append(right, 1), true
			} else if !t.isRight(i, m.value) {
				others = append(others, p.around(text, m))
			}
		}
		random := learn.Randomizer(i + 1)
		for range min(len(others), peerOthers) {
			texts, right = append(texts, others[random.Below(len(others))]), append(right, 0)
		}
	}
	p.regression = trainRegression(texts, right)
	return p
}

// matches are those of the expression, with the values that they are read as.
func (p *fieldPeer) matches(text string) (list []match) {
	for _, at := range fieldPatterns[p.question.Kind].FindAllStringIndex(text, -1) {
		words := text[at[0]:at[1]]
		switch p.question.Kind {
		case nlp.ChoiceField:
			for _, choice := range p.question.Choices {
				if strings.Contains(strings.ToLower(words), choice) {
					list = append(list, match{at[0], at[1], choice})
				}
			}
		case nlp.NumberField:
			list = append(list, match{at[0], at[1], strings.ReplaceAll(words, ",", "")})
		default:
			if v, ok := nlp.FieldValue(p.question, words); ok {
				list = append(list, match{at[0], at[1], v.String()})
			}
		}
	}
	return list
}

// around are the words before, in and after a match, told apart.
func (p *fieldPeer) around(text string, m match) terms {
	if p.question.Kind == nlp.ChoiceField {
		return newTerms(text[m.start:m.end])
	}
	var words []string
	before := strings.Fields(text[max(0, m.start-peerWidth):m.start])
	for _, w := range before[max(0, len(before)-peerWords):] {
		words = append(words, "before_"+w)
	}
	words = append(words, text[m.start:m.end])
	after := strings.Fields(text[m.end:min(len(text), m.end+peerWidth)])
	for _, w := range after[:min(len(after), peerWords)] {
		words = append(words, "after_"+w)
	}
	words = append(words, fmt.Sprintf("place_%d", 10*m.start/max(1, len(text))))
	return newTerms(strings.Join(words, " "))
}

// answer is the match with the highest score.
func (p *fieldPeer) answer(text string) (value string, score float64) {
	score = math.Inf(-1)
	for _, m := range p.matches(text) {
		if s := p.regression.score(p.around(text, m)); s > score {
			value, score = m.value, s
		}
	}
	return value, score
}

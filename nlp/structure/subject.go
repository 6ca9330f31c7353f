package structure

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clausemill/clausemill/nlp/lex"
)

// leastSubjects is how often something has to be the subject of a sentence to end a title
// that it follows without a mark.
const leastSubjects = 2

// duties are the verbs by whose subjects somebody who makes the agreement is known.
var duties = []string{" shall ", " will ", " agrees ", " may "}

// titleBefore returns the end of the title that s, the text of a section, opens with where the
// first sentence follows it without a mark: "Business Expenses [Acme shall pay]". Acme has
// to be a subject elsewhere in the text, since nothing else parts the two.
func (o *outline) titleBefore(s string) int {
	const most = 8 // words of a title
	words, end, previous := 0, 0, 0
	for i := 0; i < min(len(s), longestTitle) && words <= most+1; words++ {
		from := i
		for i < len(s) && !lex.ASCIISpace[s[i]] {
			i++
		}
		word := s[from:i]
		for i < len(s) && lex.ASCIISpace[s[i]] {
			i++
		}
		switch {
		case isDuty(word):
			if rest := s[i:]; strings.HasPrefix(rest, "mean") || strings.HasPrefix(rest, "have the meaning") {
				return 0 // a definition
			}
			return o.parts(s, previous, end, from)
		case words == 0 && (lex.Openers[word] || conditions[word] || subjects[word]), strings.ContainsAny(word, ".,:;()\"“”"), !lex.StartsUpper(word) && !Connectors[word]:
			return 0
		}
		previous, end = end, from
	}
	return 0
}

// parts returns where the title ends of which the words before from, its verb, may be the
// subject: the last of them, at last, or the last two, at previous; 0 where they are none.
func (o *outline) parts(s string, previous, last, from int) int {
	if o.subjects == nil {
		o.subjects = subjectsOf(o.text)
	}
	for _, at := range []int{previous, last} {
		if at == 0 || o.subjects[strings.Join(strings.Fields(s[at:from]), " ")] < leastSubjects {
			continue
		}
		title := strings.TrimRight(s[:at], " \t\n\f")
		if word := lex.LastWord(title); Connectors[strings.ToLower(word)] || !lex.HasLetter(title) {
			return 0 // "Acme and Bolt shall"
		}
		return len(title)
	}
	return 0
}

// noSubjects close names of two words more often than they are one themselves.
var noSubjects = lex.Set("Party Parties Agreement Stock Shares Products Product Services")

func isDuty(word string) bool {
	for _, duty := range duties {
		if word == strings.TrimSpace(duty) {
			return true
		}
	}
	return false
}

// subjectsOf counts the names and parts of one or two words that begin sentences about what
// somebody does, or are behind a small word there: "Acme shall", "and Service Provider may".
func subjectsOf(text string) map[string]int {
	all := map[string]int{}
	for _, duty := range duties {
		for at := 0; ; {
			next := strings.Index(text[at:], duty)
			if next < 0 {
				break
			}
			at += next + 1
			if subject := subjectBefore(text[:at-1]); subject != "" {
				all[subject]++
			}
		}
	}
	return all
}

// subjectBefore returns the one or two words with capitals that s ends with, if what is before
// them is neither one more nor the number of a section.
func subjectBefore(s string) string {
	const most = 2
	start, subject := len(s), ""
	for words := 0; ; words++ {
		end := len(strings.TrimRight(s[max(0, start-3):start], " \t\n\f")) + max(0, start-3)
		from := end
		for from > 0 && !lex.ASCIISpace[s[from-1]] && end-from < longestTitle {
			from--
		}
		word := s[from:end]
		r, _ := utf8.DecodeRuneInString(word)
		switch {
		case subject == "" && noSubjects[word]:
			return "" // "Receiving Party", "Purchase Agreement"
		case word == "" || subject == "" && strings.ContainsAny(word, ".,:;()\"“”"):
			return subject
		case strings.ContainsAny(word[len(word)-1:], ".,:;)\"") && !lex.IsDigit(word[0]), word == "The", word == "A", word == "An", unicode.IsLower(r):
			return subject
		case !unicode.IsUpper(r) || words == most || lex.Openers[word]:
			return ""
		}
		if subject == "" {
			subject = word
		} else {
			subject = word + " " + subject
		}
		start = from
	}
}

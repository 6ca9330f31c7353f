package doctype

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/clausemill/clausemill/nlp/lex"
)

// attachments are what documents are called that change another or belong to it. They say
// nothing of its type: "AMENDMENT NO. 2" is one of any.
var attachments = lex.Set("amendment amendments addendum addenda exhibit exhibits schedule schedules annex annexure appendix attachment rider supplement")

// enumerators are which of several an attachment is.
var enumerators = lex.Set("no nr number first second third fourth fifth sixth seventh eighth ninth tenth one two three i ii iii iv v vi vii viii ix x")

// joints are between an attachment and what it belongs to, and around the two.
var joints = lex.Set("to the of under and an a this that certain agreement agreements contract contracts dated by between")

// attachedTo returns what is left of the title of a document without the words for an
// attachment and which of several it is, and whether there were any: "Supply Agreement" of
// "FIRST AMENDMENT TO SUPPLY AGREEMENT", "" of "AMENDMENT NO. 2 TO AGREEMENT".
func attachedTo(title string) (rest string, attached bool) {
	words := strings.Fields(title)
	kept := make([]string, 0, len(words))
	told := false // a word says more than that
	for _, field := range words {
		word := strings.ToLower(strings.TrimFunc(field, func(r rune) bool { return !lex.IsWordRune(r) }))
		switch {
		case attachments[word]:
			attached = true
		case enumerators[word], isOrdinal(word), len(word) == 1 && !joints[word]:
		default:
			kept = append(kept, field)
			told = told || !joints[word]
		}
	}
	switch {
	case !attached:
		return title, false
	case !told:
		return "", true
	}
	return strings.Join(kept, " "), true
}

// isOrdinal reports whether word, in small letters, is which of several something is: "2",
// "10.2", "2nd", and "" of "#".
func isOrdinal(word string) bool {
	digits := strings.TrimLeftFunc(word, func(r rune) bool { return unicode.IsDigit(r) || r == '.' })
	return digits == "" || len(digits) < len(word) && len(digits) <= 2
}

// parent is how an attachment names what it belongs to: "This Amendment No. 2 (the
// "Amendment") to the Supply Agreement".
var parent = regexp.MustCompile(`(?i:\b(?:amendment|addendum|exhibit|schedule|annex|appendix|attachment|rider|supplement)\b)[^.;]{0,120}?(?:\.\s*\d+[^.;]{0,80}?)?` +
	`\s(?i:to|of|under|amends|supplements)\s+(?i:(?:the|that|a|an|certain)\s+)*((?:[A-Z][\pL&'’-]*,?\s+|and\s+|of\s+|for\s+){0,8}(?:Agreement|AGREEMENT|Contract|CONTRACT|Lease|LEASE|Note|NOTE|License|LICENSE))\b`)

// parentIn returns the name of what an attachment belongs to, by its first words, or "".
func parentIn(text string) string {
	const opening = 1500 // bytes in which it says so
	for _, found := range parent.FindAllStringSubmatch(text[:min(len(text), opening)], -1) {
		if rest, _ := attachedTo("AMENDMENT TO " + found[1]); rest != "" {
			return lex.Unwrap(found[1])
		}
	}
	return ""
}

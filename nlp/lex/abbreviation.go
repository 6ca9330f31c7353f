package lex

import "strings"

// maxAbbreviation bounds how far back the word before a stop is read.
const maxAbbreviation = 24

// abbreviationKind says when the stop behind an abbreviation does not end the
// sentence.
type abbreviationKind uint8

const (
	notAbbreviated abbreviationKind = iota
	beforeName                      // never ends one: a name or a text follows
	beforeNumber                    // does not where a number follows
	beforeDay                       // does not where a figure follows
	afterName                       // ends one only before a word that opens sentences
)

// Openers begin sentences and do not follow a name in its middle.
var Openers = func() map[string]bool {
	all := map[string]bool{}
	for word := range strings.FieldsSeq(`The This These That Those If In Any All Each Every Such Upon Except Notwithstanding It Its He She They We You Our Your
		Unless Until When Where Whenever Whether While Neither Either Nothing No Both During On At As By To From With Within Without Under After Before For Further Furthermore
		However Moreover Accordingly Additionally Also Please Provided Should There Therefore Thereafter Subject Pursuant Since Only Once One Other Following
		WHEREAS NOW Whereas Now`) {
		all[word] = true
	}
	return all
}()

// Labels come before a letter that is their name and not an initial: the stop
// in "as set out in Exhibit B." ends the sentence.
var Labels = map[string]bool{
	"exhibit": true, "schedule": true, "annex": true, "appendix": true, "attachment": true, "section": true, "article": true, "part": true,
	"class": true, "series": true, "type": true, "phase": true, "tranche": true, "group": true, "table": true, "item": true, "clause": true, "paragraph": true, "category": true, "addendum": true, "tier": true, "level": true, "option": true, "plan": true, "party": true,
}

// afterLabel reports whether s closes with a label.
func (g *Grammar) afterLabel(s string) bool {
	s = strings.TrimRight(s, " \t\n\"“‘'")
	word := g.wordBefore(s)
	return word != "" && g.labels[strings.ToLower(word)]
}

// isInitials reports whether word is one capital or capitals with stops between
// them: "J", "U.S", "P.L.C". Where the grammar is wide, small letters are initials
// as well: "z", "d.w.z".
func (g *Grammar) isInitials(word string) bool {
	for i := range len(word) {
		if i%2 == 0 && !IsCapital(word[i]) && (!g.wide || !IsLetter(word[i])) || i%2 == 1 && word[i] != '.' {
			return false
		}
	}
	return len(word)%2 == 1
}

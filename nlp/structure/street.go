package structure

import (
	"strings"

	"github.com/clausemill/clausemill/nlp/lex"
)

// streetWords end the names of streets.
var streetWords = lex.Set("street st avenue ave road rd drive dr boulevard blvd lane ln parkway pkwy highway hwy circle terrace turnpike square plaza broadway")

// isStreet reports whether s, behind a bare figure, is a street: "90 [Merrick Avenue,
// Suite 601]". Its name is one to three words, and no number or verb is among them.
func isStreet(s string) bool {
	const longest = 4 // words, with that of the street
	words := 0
	for word := range strings.FieldsSeq(s) {
		words++
		bare := strings.ToLower(strings.TrimRight(word, ".,"))
		switch {
		case words > longest || !lex.StartsUpper(word):
			return false
		case streetWords[bare]:
			return words > 1 || bare == "broadway"
		case strings.HasSuffix(word, ",") || strings.HasSuffix(word, ":") || len(word) > 3 && strings.HasSuffix(word, "."):
			return false
		}
	}
	return false
}

package nlp

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/nlp/fact"
	"github.com/clausemill/clausemill/nlp/lex"
	"github.com/clausemill/clausemill/nlp/structure"
	"github.com/clausemill/clausemill/nlp/value"
)

// TestLanguagesAgree holds all that is known by language, grammars, stems, stop words,
// lexicons, words of law and phrases, to the list of Languages, and to no other.
func TestLanguagesAgree(t *testing.T) {
	t.Parallel()
	const words = "verträgen parties contratos contrattuali overeenkomsten conventions" // whose stems differ by language
	laws := map[string]string{
		"de": "Dieser Vertrag unterliegt dem Recht der Schweiz.", "en": "This Agreement is governed by the laws of Switzerland.", "es": "El presente contrato se regirá por la ley de Suiza.",
		"fr": "Le présent contrat est régi par la loi de la Suisse.", "it": "Il presente contratto è regolato dalla legge svizzera.", "nl": "Op deze overeenkomst is het recht van Zwitserland van toepassing.",
	}
	stems := func(language string) []lex.Token {
		return lex.Tokens(words, lex.TokenOptions{Language: language, Stopwords: true})
	}
	listed := map[string]bool{}
	for _, l := range Languages() {
		listed[l.Code] = true
		require.Contains(t, laws, l.Code)
	}
	for a := 'a'; a <= 'z'; a++ {
		for b := 'a'; b <= 'z'; b++ {
			code := string(a) + string(b)
			own := listed[code] && code != "en"
			require.Equal(t, listed[code], lex.GrammarOf(code) != lex.GrammarOf("??"), "grammar of %s", code)
			require.Equal(t, own, lex.LexiconOf(code) != nil, "lexicon of %s", code)
			require.Equal(t, own, len(lex.StopwordsOf(code)) != len(lex.StopwordsOf("en")), "stop words of %s", code)
			require.NotEqual(t, own, sameStems(stems(code), stems("en")), "stems of %s", code)
			law := laws[code]
			if law == "" {
				law = laws["de"]
			}
			s := structure.SegmentIn(code, []string{law})
			places := 0
			for _, m := range value.Find(value.NewTape(code, s.Text, nil), code == "en") {
				if m.Key == value.Jurisdiction {
					places++
				}
			}
			require.Equal(t, listed[code], places == 1, "words of law of %s", code)
			require.Equal(t, listed[code], len(fact.Extract(s).File) > 0, "phrases of %s", code)
		}
	}
}

func sameStems(a, b []lex.Token) bool {
	for i := range a {
		if a[i].Stem != b[i].Stem {
			return false
		}
	}
	return true
}

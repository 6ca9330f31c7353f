package lex

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTokens(t *testing.T) {
	t.Parallel()
	text := "The Licensor licenses the Software. Licensed Software is the licensor's; 30 licences, 2nd year.\nLicensee’s non-\nexclusive use – the LICENSOR’S."
	require.Equal(t, []Token{
		{Token: "licensor", Stem: "licensor", Count: 3, Forms: []string{"licensor"}},
		{Token: "licensed", Stem: "licens", Count: 2, Forms: []string{"licensed", "licenses"}},
		{Token: "software", Stem: "softwar", Count: 2, Forms: []string{"software"}},
		{Token: "2nd", Stem: "2nd", Count: 1, Forms: []string{"2nd"}},
		{Token: "licences", Stem: "licenc", Count: 1, Forms: []string{"licences"}},
		{Token: "licensee", Stem: "license", Count: 1, Forms: []string{"licensee"}},
		{Token: "non-exclusive", Stem: "non-exclus", Count: 1, Forms: []string{"non-exclusive"}},
		{Token: "use", Stem: "use", Count: 1, Forms: []string{"use"}},
		{Token: "year", Stem: "year", Count: 1, Forms: []string{"year"}},
	}, Tokens(text, TokenOptions{}))
}

func TestTokensOptions(t *testing.T) {
	t.Parallel()
	text := "The parties terminate; termination of the lease by a party ends it."
	names := func(options TokenOptions) []string {
		var all []string
		for _, token := range Tokens(text, options) {
			all = append(all, token.Token)
		}
		slices.Sort(all)
		return all
	}
	require.Equal(t, []string{"ends", "lease", "parties", "terminate"}, names(TokenOptions{}))
	require.Equal(t, []string{"ends", "lease"}, names(TokenOptions{Exclude: []string{" Party", "TERMINATED"}}))
	require.Equal(t, []string{"parties", "terminate"}, names(TokenOptions{MinLength: 6, Exclude: []string{""}})[:2])
	require.Contains(t, names(TokenOptions{Stopwords: true}), "the")
}

func TestTokensOfOtherScripts(t *testing.T) {
	t.Parallel()
	require.Equal(t, []Token{
		{Token: "договор", Stem: "договор", Count: 2, Forms: []string{"договор"}},
		{Token: "vertragsänderung", Stem: "vertragsänderung", Count: 1, Forms: []string{"vertragsänderung"}},
	}, Tokens("Договор, ДОГОВОР; Vertragsänderung", TokenOptions{}))
}

func TestDataIsNoWord(t *testing.T) {
	t.Parallel()
	require.Empty(t, Tokens(strings.Repeat("ÿ", 2000), TokenOptions{}))
}

func TestStem(t *testing.T) {
	t.Parallel()
	var s Stemmer
	require.Equal(t, s.Stem("terminated"), s.Stem("termination"))
	require.NotEqual(t, s.Stem("party"), s.Stem("part"))
}

func FuzzTokens(f *testing.F) {
	f.Add("The Licensor’s non-\nexclusive licence, 2nd ed.")
	f.Add("a-\u00ad\n\n’\xffé漢-字")
	f.Fuzz(func(t *testing.T, text string) {
		tokens := Tokens(text, TokenOptions{Stopwords: true})
		seen := map[string]bool{}
		for i, token := range tokens {
			require.False(t, seen[token.Stem], "a stem stands once")
			seen[token.Stem] = true
			require.Positive(t, token.Count)
			require.Contains(t, token.Forms, token.Token)
			require.NotEmpty(t, token.Token)
			require.Equal(t, token.Token, strings.TrimSpace(token.Token))
			if i > 0 {
				require.LessOrEqual(t, token.Count, tokens[i-1].Count)
			}
		}
		require.Equal(t, tokens, Tokens(text, TokenOptions{Stopwords: true}))
	})
}

func TestTokensOfLanguages(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ language, text, want string }{
		{"de", "Der Vertrag und die Verträge: Kündigungen, die Kündigung des Vertrages.", "vertrag kundig"},
		{"fr", "Le contrat et les contrats sont résiliés; la résiliation est notifiée.", "contrat résili notifi"},
		{"es", "El contrato y los contratos; la obligación, las obligaciones de una de ellas.", "contrat oblig"},
		{"it", "Il contratto e i contratti; la fornitura delle forniture.", "contratt fornitur"},
		{"nl", "De overeenkomst en de overeenkomsten; het betalen van de betaling.", "overeenkomst betal"},
		{"en", "The contract and the contracts are terminated.", "contract termin"},
		{"pt", "the contract of the contracts", "contract"},
	} {
		var stems []string
		for _, token := range Tokens(c.text, TokenOptions{Language: c.language}) {
			stems = append(stems, token.Stem)
		}
		require.ElementsMatch(t, strings.Fields(c.want), stems, c.text)
	}
	tokens := Tokens("Vertrag Verträge", TokenOptions{Language: "de", Exclude: []string{"Verträgen"}})
	require.Empty(t, tokens, "of all forms")
}

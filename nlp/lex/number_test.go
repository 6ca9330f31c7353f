package lex

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNumberAt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, label, rest string
		form              NumberForm
	}{
		{"7. Term", "7", "Term", Counted},
		{"7) Term", "7", "Term", Counted},
		{"7.2 Term", "7.2", "Term", Decimal},
		{"7.2. Term", "7.2", "Term", Decimal},
		{"7.2.1(b) Term", "7.2.1(b)", "Term", Decimal},
		{"7.B. Term", "7.B", "Term", Decimal},
		{"1.1Definitions", "1.1", "Definitions", Decimal},
		{"7 TERM", "7", "TERM", Bare},
		{"(a) the", "(a)", "the", Bracketed},
		{"(aa) the", "(aa)", "the", Bracketed},
		{"(iv) the", "(iv)", "the", Bracketed},
		{"(a)(ii) the", "(a)(ii)", "the", Bracketed},
		{"A. Term", "A", "Term", Lettered},
		{"b) term", "b", "term", Lettered},
		{"XIV. Term", "XIV", "Term", Lettered},
		{"ARTICLE IX TERM", "ARTICLE IX", "TERM", Named},
		{"Section 4.02(a). Term", "Section 4.02(a)", "Term", Named},
		{"Article One Term", "Article One", "Term", Named},
		{"§ 5 Term", "§ 5", "Term", Named},
		{"• item", "•", "item", Bullet},
		{"- item", "-", "item", Bullet},
		{"ARTICLE 2", "ARTICLE 2", "", Named},
	} {
		t.Run(c.text, func(t *testing.T) {
			t.Parallel()
			n := NumberAt(c.text)
			require.Equal(t, c.label, n.Label)
			require.Equal(t, c.form, n.Form)
			require.Equal(t, c.rest, c.text[n.End:])
		})
	}
	for _, text := range []string{
		"", "30 days", "1.5 million", "3.25%", "2020. It", "(the Buyer)", "(Buyer)", "U.S. law", "Section of", "article 5 of", "-5", "Articles", "MIX. It", "iiii. It", "401 S. Tryon", "12:00 noon", "5th of May", "(12345) x",
	} {
		require.Zero(t, NumberAt(text), text)
	}
}

func TestRomanValue(t *testing.T) {
	t.Parallel()
	for n := 1; n < 90; n++ {
		require.Equal(t, n, RomanValue(formatRoman(n)))
	}
	for _, s := range []string{"", "iiii", "vx", "vvvx", "ic", "a", "xc"} {
		require.Zero(t, RomanValue(s), s)
	}
}

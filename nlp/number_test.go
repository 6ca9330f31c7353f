package nlp

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNumberAt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, label, rest string
		form              numberForm
	}{
		{"7. Term", "7", "Term", counted},
		{"7) Term", "7", "Term", counted},
		{"7.2 Term", "7.2", "Term", decimal},
		{"7.2. Term", "7.2", "Term", decimal},
		{"7.2.1(b) Term", "7.2.1(b)", "Term", decimal},
		{"7.B. Term", "7.B", "Term", decimal},
		{"1.1Definitions", "1.1", "Definitions", decimal},
		{"7 TERM", "7", "TERM", bare},
		{"(a) the", "(a)", "the", bracketed},
		{"(aa) the", "(aa)", "the", bracketed},
		{"(iv) the", "(iv)", "the", bracketed},
		{"(a)(ii) the", "(a)(ii)", "the", bracketed},
		{"A. Term", "A", "Term", lettered},
		{"b) term", "b", "term", lettered},
		{"XIV. Term", "XIV", "Term", lettered},
		{"ARTICLE IX TERM", "ARTICLE IX", "TERM", named},
		{"Section 4.02(a). Term", "Section 4.02(a)", "Term", named},
		{"Article One Term", "Article One", "Term", named},
		{"§ 5 Term", "§ 5", "Term", named},
		{"• item", "•", "item", bullet},
		{"- item", "-", "item", bullet},
		{"ARTICLE 2", "ARTICLE 2", "", named},
	} {
		t.Run(c.text, func(t *testing.T) {
			t.Parallel()
			n := numberAt(c.text)
			require.Equal(t, c.label, n.label)
			require.Equal(t, c.form, n.form)
			require.Equal(t, c.rest, c.text[n.end:])
		})
	}
	for _, text := range []string{
		"", "30 days", "1.5 million", "3.25%", "2020. It", "(the Buyer)", "(Buyer)", "U.S. law", "Section of", "article 5 of", "-5", "Articles", "MIX. It", "iiii. It", "401 S. Tryon", "12:00 noon", "5th of May", "(12345) x",
	} {
		require.Zero(t, numberAt(text), text)
	}
}

func TestRomanValue(t *testing.T) {
	t.Parallel()
	for n := 1; n < 90; n++ {
		require.Equal(t, n, romanValue(formatRoman(n)))
	}
	for _, s := range []string{"", "iiii", "vx", "vvvx", "ic", "a", "xc"} {
		require.Zero(t, romanValue(s), s)
	}
}

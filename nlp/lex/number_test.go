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
		{"§ 6 - Laufzeit", "§ 6", "Laufzeit", Named},
		{"Artikel 3 Haftung", "Artikel 3", "Haftung", Named},
		{"Article 1er – Objet", "Article 1", "Objet", Named},
		{"Article premier. Objet", "Article premier", "Objet", Named},
		{"Article 4 – Durée", "Article 4", "Durée", Named},
		{"Cláusula Quinta.- Objeto", "Cláusula Quinta", "Objeto", Named},
		{"CLÁUSULA DÉCIMA PRIMERA. OBJETO", "CLÁUSULA DÉCIMA PRIMERA", "OBJETO", Named},
		{"Artículo 1.º Objeto", "Artículo 1", "Objeto", Named},
		{"Art. 7 – Durata", "Art. 7", "Durata", Named},
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
		"", "30 days", "1.5 million", "3.25%", "2020. It", "(the Buyer)", "(Buyer)", "U.S. law", "Section of", "article 5 of", "-5", "Articles", "MIX. It", "iiii. It", "401 S. Tryon", "12:00 noon", "5th of May", "(12345) x", "§ 7 Abs. 2 gilt", "Art. 7 der Verordnung", "Artículo sexto, los", "Cláusula", "Éste 5", "§ 1031 Exchange",
	} {
		require.Zero(t, NumberAt(text), text)
	}
}

func TestCutWord(t *testing.T) {
	t.Parallel()
	for label, want := range map[string][2]string{
		"ARTICLE IX": {"ARTICLE", "IX"}, "§ 5": {"", "5"}, "§5": {"", "5"}, "Art. 7": {"Art", "7"}, "Art.7": {"Art", "7"}, "Cláusula Décima Primera": {"Cláusula", "Décima Primera"},
	} {
		word, number := CutWord(label)
		require.Equal(t, want, [2]string{word, number}, label)
	}
}

func TestNumberValue(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]int{"Twelve": 12, "Quinta": 5, "DÉCIMA PRIMERA": 11, "décima décima": 0, "quinta primera": 0, "premier": 1, "": 0, "x": 0} {
		require.Equal(t, want, NumberValue(s), s)
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

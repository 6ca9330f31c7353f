package nlp

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/nlp/structure"
)

func TestFacts(t *testing.T) {
	t.Parallel()
	s := structure.Segment([]string{"SUPPLY AGREEMENT\n\nThis Supply Agreement is made on May 5, 2020 by Acme Inc. and Bolt LLC.\n\n" +
		"1. Definitions\n\n1.1 \"Goods\" means the goods\nlisted in Exhibit A.\n\n2. Price\n\n2.1 The price of the Goods is $1,250.00 as set out in Section 1.1.\n"})
	facts := Facts(s)
	requireAttributes(t, s, facts)
	type line struct {
		key        Key
		text, name string
	}
	var terms []line
	for _, f := range facts.Findings {
		if f.Key == DefinedTerm || f.Key == CrossReference {
			terms = append(terms, line{f.Key, f.Text, f.Value.String()})
		}
	}
	require.Equal(t, []line{
		{DefinedTerm, "Goods", "Goods"},
		{CrossReference, "Exhibit A", "attachment A"},
		{CrossReference, "Section 1.1", "section 1.1"},
	}, terms)
	require.GreaterOrEqual(t, len(facts.Findings), len(terms)+len(Extract(s).Findings))
}

// FuzzFacts holds what is read of any text to the promises of Extract.
func FuzzFacts(f *testing.F) {
	f.Add("\"X\" means Section 1.1 of Exhibit A.\fThis Agreement is made on 5/6/2020 by X (the \"X\").")
	f.Fuzz(func(t *testing.T, text string) {
		s := structure.Segment([]string{text})
		requireAttributes(t, s, Facts(s))
	})
}

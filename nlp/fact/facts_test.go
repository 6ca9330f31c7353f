package fact_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/nlp/fact"
	"github.com/clausemill/clausemill/nlp/nlptest"
	"github.com/clausemill/clausemill/nlp/structure"
	"github.com/clausemill/clausemill/nlp/value"
)

func TestFacts(t *testing.T) {
	t.Parallel()
	s := structure.Segment([]string{"SUPPLY AGREEMENT\n\nThis Supply Agreement is made on May 5, 2020 by Acme Inc. and Bolt LLC.\n\n" +
		"1. Definitions\n\n1.1 \"Goods\" means the goods\nlisted in Exhibit A.\n\n2. Price\n\n2.1 The price of the Goods is $1,250.00 as set out in Section 1.1.\n"})
	facts := fact.Read(s)
	nlptest.RequireAttributes(t, s, facts)
	type line struct {
		key        value.Key
		text, name string
	}
	var terms []line
	for _, f := range facts.Findings {
		if f.Key == fact.DefinedTerm || f.Key == fact.CrossReference {
			terms = append(terms, line{f.Key, f.Text, f.Value.String()})
		}
	}
	require.Equal(t, []line{
		{fact.DefinedTerm, "Goods", "Goods"},
		{fact.CrossReference, "Exhibit A", "attachment A"},
		{fact.CrossReference, "Section 1.1", "section 1.1"},
	}, terms)
	require.GreaterOrEqual(t, len(facts.Findings), len(terms)+len(fact.Extract(s).Findings))
}

// FuzzFacts holds what is read of any text to the promises of Extract.
func FuzzFacts(f *testing.F) {
	f.Add("\"X\" means Section 1.1 of Exhibit A.\fThis Agreement is made on 5/6/2020 by X (the \"X\").")
	f.Fuzz(func(t *testing.T, text string) {
		s := structure.Segment([]string{text})
		nlptest.RequireAttributes(t, s, fact.Read(s))
	})
}

package link_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/nlp/link"
	"github.com/clausemill/clausemill/nlp/nlptest"
	"github.com/clausemill/clausemill/nlp/structure"
)

func TestTerms(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		want []string // names
	}{
		"Means":        {`“Goods” means the goods that are sold. “Price” shall mean their price. "Term" has the meaning set forth in Section 2.`, []string{"Goods", "Price", "Term"}},
		"Several":      {`“Barrel” or “Bbl” shall mean forty-two gallons.`, []string{"Barrel", "Bbl"}},
		"ShortNames":   {`This Lease (this “Lease”) is made by Acme Inc. (the "Lessor") and Foo Ltd. (together with its affiliates, the “Lessee”).`, []string{"Lease", "Lessor", "Lessee"}},
		"Alternatives": {`Acme Inc. ("Seller" or "Acme") and Foo Ltd. (each a “Party” and collectively the “Parties”) agree.`, []string{"Seller", "Acme", "Party", "Parties"}},
		"Hereinafter":  {`Acme Inc., hereinafter referred to as the "Seller", and Foo Ltd., hereinafter “Buyer”, who are referred to herein individually as a “Party” and together as the “Parties”.`, []string{"Seller", "Buyer", "Party", "Parties"}},
		"Clause":       {`It may change the price (any such change, a “Price Change”).`, []string{"Price Change"}},
		"NumberedItem": {"1.5 “Commencement Date” is the first business day of a month.", []string{"Commencement Date"}},
		"VerbFollows":  {"“Insolvency” for any person means that it cannot pay.", []string{"Insolvency"}},
		"Unquoted":     {"UK Listing Authority means the FCA, and whoever succeeds it.", []string{"UK Listing Authority"}},
		"LineBreak":    {"It pays a share of the money that it gets for the goods (the “Net\nSales”) to the Seller.", []string{"Net Sales"}},
		"StopInside":   {`This is made by Acme Inc. (the "Lessor.")`, []string{"Lessor"}},
		"Abbreviation": {`“A.P.I.” shall mean the American Petroleum Institute.`, []string{"A.P.I."}},
		"Speech":       {`The Seller marks the goods "as is" and sends the "Delivery Notice" to the Buyer.`, nil},
		"Exhibit":      {`The prices are those of Exhibit "A" and of "Schedule 1" to it.`, nil},
		"This":         {"This means that the Seller pays.", nil},
		"Unclosed":     {"The “Seller and the \"Buyer are named.", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := structure.Segment([]string{c.text})
			nlptest.RequireLaws(t, []string{c.text}, s)
			var names []string
			for _, term := range link.Terms(s) {
				names = append(names, term.Name)
			}
			require.Equal(t, c.want, names)
		})
	}
}

func TestTermDefinitions(t *testing.T) {
	t.Parallel()
	text := "SUPPLY AGREEMENT\n\nActing for itself, Acme Inc. (the “Seller”) sells the Goods. It bears the risk.\n\n" +
		"1. Definitions\n\n1.1 “Goods” means the goods below. They are new.\n\n(a) nuts; and\n\n(b) bolts.\n\n1.2 “Seller” has the meaning given above."
	s := structure.Segment([]string{text})
	terms := link.Terms(s)
	require.Len(t, terms, 2)
	require.Equal(t, "Seller", terms[0].Name)
	require.Len(t, terms[0].Definitions, 2)
	require.Equal(t, link.ShortName, terms[0].Definitions[0].Kind)
	require.Equal(t, "Acting for itself, Acme Inc. (the “Seller”) sells the Goods.", s.Quote(terms[0].Definitions[0].Span))
	require.Equal(t, -1, terms[0].Definitions[0].Section)
	require.Equal(t, link.Meaning, terms[0].Definitions[1].Kind)
	require.Equal(t, "1.1 “Goods” means the goods below. They are new.\n\n(a) nuts; and\n\n(b) bolts.", s.Quote(terms[1].Definitions[0].Span))
	require.Equal(t, "1.1", s.Sections[terms[1].Definitions[0].Section].Path)
}

func TestTermUses(t *testing.T) {
	t.Parallel()
	text := "“Party” means one of us. “Licensed Product” and “Product” mean what it sells.\n\nIn each of the years that this contract is in force the Parties sell a Licensed\nProduct, Products to all who want to buy one and a LICENSED PRODUCT. “Product” is a Partying word; the Party’s Licensed Goods are none." +
		"\n\nEXHIBIT A\n\nPRICES\n\n“Product” means what is listed below. The Party sells each Product at its price."
	s := structure.Segment([]string{text})
	uses := map[string][]string{}
	for _, term := range link.Terms(s) {
		name := term.Name + []string{"", " of A"}[term.Document]
		for _, use := range term.Uses {
			uses[name] = append(uses[name], s.Quote(use))
		}
	}
	require.Equal(t, map[string][]string{
		"Party":            {"Parties", "Party", "Party"},
		"Licensed Product": {"Licensed\nProduct", "LICENSED PRODUCT"},
		"Product":          {"Products", "Product"},
		"Product of A":     {"Product"},
	}, uses)
}

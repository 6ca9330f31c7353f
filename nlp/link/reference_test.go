package link_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/nlp/link"
	"github.com/clausemill/clausemill/nlp/nlptest"
	"github.com/clausemill/clausemill/nlp/structure"
)

func TestReferences(t *testing.T) {
	t.Parallel()
	const sections = "ARTICLE IX\n\nTERM\n\nSection 9.01 Term. The term is one year.\n\nSection 9.02 Notice. The Seller gives notice:\n\n" +
		"(a) in writing;\n\n(b) by mail, that is\n\n(i) by letter; or\n\n(ii) by card.\n\nARTICLE X\n\nPRICE\n\n10.1 Price. The price is fixed.\n\n"
	const exhibit = "\n\nEXHIBIT A\n\nPRICES\n\n1. Goods. The goods are dear.\n\n2. Services. They are not."
	for name, c := range map[string]struct {
		text string
		want []string // "words > number of the section or document that was found"
	}{
		"Section":     {"See Section 9.02(b)(ii) and section 10.1.", []string{"Section 9.02(b)(ii) > (ii)", "section 10.1 > 10.1"}},
		"Article":     {"See Article IX, article 10 and Article Nine.", []string{"Article IX > ARTICLE IX", "article 10 > ARTICLE X", "Article Nine > ARTICLE IX"}},
		"List":        {"Sections 9.01, 9.02(a), (b) and 10.1 apply.", []string{"Sections 9.01 > Section 9.01", "9.02(a) > (a)", "(b) > (b)", "10.1 > 10.1"}},
		"Range":       {"Under Sections 9.1 through 9.2, it ends.", []string{"Sections 9.1 > Section 9.01", "9.2 > Section 9.02"}},
		"Inside":      {"Under clause (ii) of paragraph (b) of Section 9.02 it ends.", []string{"clause (ii) > (ii)", "paragraph (b) > (b)", "Section 9.02 > Section 9.02"}},
		"Sign":        {"Under § 9.01 and §§ 9.02 and 10.1, it ends.", []string{"§ 9.01 > Section 9.01", "§§ 9.02 > Section 9.02", "10.1 > 10.1"}},
		"Broken":      {"The Seller gives notice to the Buyer under Section\n9.01 and then it ends.", []string{"Section\n9.01 > Section 9.01"}},
		"Around":      {"Under Section 9.01(c) it ends.", []string{"Section 9.01(c) >~ Section 9.01"}},
		"Missing":     {"Under Section 12.4 it ends.", []string{"Section 12.4 > none"}},
		"Law":         {"Under Section 365(n) of the Bankruptcy Code and 17 C.F.R. § 240 it ends.", []string{"Section 365(n) > the Bankruptcy Code", "§ 240 > 17 C.F.R."}},
		"LawOfCommas": {"Under Section 303 of the Federal Food, Drug and Cosmetic Act it ends.", []string{"Section 303 > the Federal Food, Drug and Cosmetic Act"}},
		"Agreement":   {"Under Section 9.01 of this Agreement, Exhibit A and Section 4 of the Master Lease it ends.", []string{"Section 9.01 > Section 9.01", "Exhibit A > exhibit A", "Section 4 > the Master Lease"}},
		"Exhibit":     {"Under Exhibit “A”, Exhibits A and B, and Section 2 of Exhibit A it ends.", []string{"Exhibit “A” > exhibit A", "Exhibits A > exhibit A", "B > none", "Section 2 > 2", "Exhibit A > exhibit A"}},
		"Figures":     {"Under Section 9.01 and 30 days later, or Section 10.1, (ii) it ends.", []string{"Section 9.01 > Section 9.01", "Section 10.1 > 10.1"}},
		"NoNumber":    {"This section and each clause, article and exhibit of it ends; a sectional door, Section A.", []string{"Section A > none"}},
		"Nothing":     {"The Seller pays (a) the price and (b) the tax.", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pages := []string{"SUPPLY AGREEMENT\n\n" + sections + "10.2 Rest. " + c.text + exhibit}
			s := structure.Segment(pages)
			nlptest.RequireLaws(t, pages, s)
			var got []string
			for _, r := range link.References(s) {
				got = append(got, s.Quote(r.Span)+" >"+nlptest.TargetOf(s, r))
			}
			require.Equal(t, c.want, got)
		})
	}
}

// TestRelativeReferences holds what only names a part to mean that part of the
// section around it.
func TestRelativeReferences(t *testing.T) {
	t.Parallel()
	pages := []string{"1. Price\n\n1.1 The Buyer pays\n\n(a) the price; and\n\n(b) the tax on the price in clause (a).\n\n1.2 The Seller pays\n\n(a) the freight; and\n\n(b) the tax on the freight in clause (a).\n\n2. Term. The term is that of clause (a) and of paragraph 1.2 above."}
	s := structure.Segment(pages)
	nlptest.RequireLaws(t, pages, s)
	var got []string
	for _, r := range link.References(s) {
		path := "none"
		if r.Section >= 0 {
			path = s.Sections[r.Section].Path
		}
		got = append(got, s.Quote(r.Span)+" > "+path)
	}
	require.Equal(t, []string{"clause (a) > 1.1(a)", "clause (a) > 1.2(a)", "clause (a) > none", "paragraph 1.2 > 1.2"}, got)
}

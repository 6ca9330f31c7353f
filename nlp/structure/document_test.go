package structure_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/nlp/nlptest"
	"github.com/clausemill/clausemill/nlp/structure"
)

// outlineOf writes the documents of pages as "kind number title".
func outlineOf(t *testing.T, pages ...string) []string {
	t.Helper()
	s := structure.Segment(pages)
	nlptest.RequireLaws(t, pages, s)
	var all []string
	for _, d := range s.Documents {
		all = append(all, strings.TrimSpace(string(d.Kind)+" "+d.Number+" "+d.Title))
	}
	return all
}

const clause = "The Seller delivers the goods to the Buyer on the date that the order names, and bears the risk until then."

func TestDocuments(t *testing.T) {
	t.Parallel()
	signatures := "IN WITNESS WHEREOF, the parties have signed.\n\nACME INC.\n\nBy: ____________\nName: Jane Doe\nTitle: CEO"
	for name, c := range map[string]struct{ pages, want []string }{
		"Agreement": {[]string{"SUPPLY AGREEMENT\n\n" + clause}, []string{"agreement  SUPPLY AGREEMENT"}},
		"Attachments": {
			[]string{"SUPPLY AGREEMENT\n\n" + clause + "\n\nSchedule 1 applies.", signatures, "EXHIBIT A\nPRICES\n\n" + clause, "Schedule 1 - Products\n\n" + clause, "ANNEX II\n\n" + clause, "Appendix C: Forms\n\n" + clause},
			[]string{"agreement  SUPPLY AGREEMENT", "signature_page", "exhibit A PRICES", "schedule 1 Products", "annex II", "appendix C Forms"},
		},
		"FilingNumber":   {[]string{"Exhibit 10.1\n\nSUPPLY AGREEMENT\n\n" + clause}, []string{"agreement  SUPPLY AGREEMENT"}},
		"LetteredFile":   {[]string{"EXHIBIT B\n\nPRICES\n\n" + clause}, []string{"exhibit B PRICES"}},
		"Amendment":      {[]string{"FIRST AMENDMENT TO SUPPLY AGREEMENT\n\n" + clause}, []string{"amendment  FIRST AMENDMENT TO SUPPLY AGREEMENT"}},
		"TwoAgreements":  {[]string{"SUPPLY AGREEMENT\n\n" + clause + "\n\n" + signatures, "AMENDMENT NO. 1 TO SUPPLY AGREEMENT\n\n" + clause}, []string{"agreement  SUPPLY AGREEMENT", "amendment  AMENDMENT NO. 1 TO SUPPLY AGREEMENT"}},
		"Mentions":       {[]string{"SUPPLY AGREEMENT\n\n" + clause + " See\nExhibit A for the prices, and\nSchedule 2 hereto for the rest."}, []string{"agreement  SUPPLY AGREEMENT"}},
		"List":           {[]string{"SUPPLY AGREEMENT\n\nLIST OF EXHIBITS\n\nExhibit A - Prices\nExhibit B - Products\nExhibit C - Forms\n\n" + clause}, []string{"agreement  SUPPLY AGREEMENT"}},
		"Announced":      {[]string{"SUPPLY AGREEMENT\n\nExhibit A - Prices\n\n" + clause + "\n\n1. Price. " + clause, "Exhibit A - Prices\n\n" + clause}, []string{"agreement  SUPPLY AGREEMENT", "exhibit A Prices"}},
		"SignatureTitle": {[]string{"SUPPLY AGREEMENT\n\n" + clause + clause + "\n\n" + signatures + "\n\n[SIGNATURE PAGE TO SUPPLY AGREEMENT]\n\n" + clause}, []string{"agreement  SUPPLY AGREEMENT"}},
		"RunningExhibit": {[]string{"SUPPLY AGREEMENT\n\n" + clause, "EXHIBIT A\n\n" + clause + " One.", "EXHIBIT A\n\n" + clause + " Two.", "EXHIBIT A\n\n" + clause + " Three."}, []string{"agreement  SUPPLY AGREEMENT", "exhibit A"}},
		"Nothing":        {[]string{""}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, outlineOf(t, c.pages...))
		})
	}
}

func TestBlocks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"RunInHeading":     {"7.2 Limitation of Liability. Neither party is liable.", `heading "7.2" "Limitation of Liability"; paragraph`},
		"Article":          {"ARTICLE IX\n\nTERM AND TERMINATION\n\n" + clause, `heading "ARTICLE IX" "TERM AND TERMINATION"; paragraph`},
		"NumberAlone":      {"7.\nDefinitions\n\n" + clause, `heading "7" "Definitions"; paragraph`},
		"Items":            {"The Buyer:\n(a) pays the price;\n(b) takes the goods.", `paragraph; list_item "(a)"; list_item "(b)"`},
		"Wrapped":          {clause + "\nIt insures them at its own cost with a company that both parties have agreed upon in\nwriting.", "paragraph"},
		"WrappedReference": {"The Seller delivers the goods to the Buyer on the date that the order names under Section\n4.2 Delivery, and bears the risk until then, wherever they are to be brought on that day.", "paragraph"},
		"ShortLineEnds":    {clause + " It\ninsures the goods. It also keeps them where the Buyer can see them at all times, and it lets in whom the\nBuyer names.\nThe Buyer pays.\nNotices are in writing. " + clause, "paragraph; paragraph; paragraph"},
		"Capitals":         {"IN NO EVENT SHALL EITHER PARTY BE LIABLE TO THE OTHER FOR ANY LOSS OF PROFIT OR DATA WHATSOEVER.", "paragraph"},
		"Definitions":      {"“Term” means one year;\n“Goods” means the goods;", "paragraph; paragraph"},
		"Table":            {"Item   Price   Unit\nA   1.00   kg\nB   2.00   kg", "table"},
		"Bars":             {"| Item | Price |\n|---|---|\n| A | 1.00 |", "table"},
		"Signatures":       {clause + "\n\nACME INC.\nBy: /s/ Jane Doe\nName: Jane Doe\nTitle:\nCEO", "paragraph; signature_block"},
		"Notices":          {"If to the Seller:\nAttention: Jane Doe\nEmail: ____________________", "paragraph; paragraph; paragraph"},
		"Address":          {"1700 K Street NW\nWashington, DC 20006\nUnited States of America", "paragraph; paragraph; paragraph"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := structure.Segment([]string{c.text})
			nlptest.RequireLaws(t, []string{c.text}, s)
			var got []string
			for _, b := range s.Documents[0].Blocks {
				kind := string(b.Kind)
				if b.Number != "" {
					kind += ` "` + b.Number + `"`
				}
				if b.Title != "" {
					kind += ` "` + b.Title + `"`
				}
				got = append(got, kind)
			}
			require.Equal(t, c.want, strings.Join(got, "; "))
		})
	}
}

func TestContents(t *testing.T) {
	t.Parallel()
	for name, contents := range map[string]string{
		"Leaders":     "TABLE OF CONTENTS\n1. Definitions ........ 1\n2. Term ........ 2\n3. Price ........ 4",
		"NumbersOnly": "CONTENTS\n\n1. Definitions\n\n1\n\n2. Term\n\n2\n\n3. Price\n\n4",
		"NoPages":     "Table of Contents\n\n1. Definitions\n\n2. Term\n\n3. Price",
		"RunTogether": "TABLE OF CONTENTS Page 1. Definitions 1 2. Term 2 3. Price 4",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pages := []string{contents, "1. Definitions\n\n" + clause + "\n\n2. Term\n\n" + clause + "\n\n3. Price\n\n" + clause}
			s := structure.Segment(pages)
			nlptest.RequireLaws(t, pages, s)
			var titles []string
			for _, b := range s.Documents[0].Blocks {
				require.Equal(t, b.Page == 1 && b.Kind == structure.Table, b.Contents)
				if b.Kind == structure.Heading && b.Page == 2 {
					titles = append(titles, b.Title)
				}
			}
			require.True(t, s.Documents[0].Blocks[0].Contents)
			require.Equal(t, []string{"Definitions", "Term", "Price"}, titles)
			require.NotContains(t, s.Sentences[0].Text, "CONTENTS")
		})
	}
}

func TestFurniture(t *testing.T) {
	t.Parallel()
	bodies := strings.Fields("first second third")
	page := func(header string, n int, footer string) string {
		body := "On the " + bodies[n] + " page. " + clause
		return strings.TrimSpace(header + "\n" + body + "\nIt is the " + bodies[n] + ".\n" + footer)
	}
	for name, c := range map[string]struct {
		pages []string
		want  []string
	}{
		"NumbersAndHeaders": {
			[]string{page("Acme – Confidential", 0, "Page 1 of 3"), page("Acme - Confidential", 1, "Page 2 of 3"), page("ACME CONFIDENTIAL", 2, "Page 3 of 3")},
			[]string{"Acme – Confidential", "Page 1 of 3", "Acme - Confidential", "Page 2 of 3", "ACME CONFIDENTIAL", "Page 3 of 3"},
		},
		"NumberInHeader": {
			[]string{page("Lease, p. 4", 0, ""), page("Lease, p. 5", 1, ""), page("Lease, p. 6", 2, "")},
			[]string{"Lease, p. 4", "Lease, p. 5", "Lease, p. 6"},
		},
		"SectionNumbersStay": {
			[]string{page("", 0, "7.\n1"), page("", 1, "8.\n2"), page("", 2, "9.\n3")},
			[]string{"1", "2", "3"},
		},
		"ExhibitsStay": {
			[]string{page("EXHIBIT 1", 0, ""), page("EXHIBIT 2", 1, ""), page("EXHIBIT 3", 2, "")},
			nil,
		},
		"SignaturesStay": {
			[]string{page("", 0, "By:\nName:"), page("", 1, "By:\nName:"), page("", 2, "By:\nName:")},
			nil,
		},
		"LostPageBreaks": {
			[]string{clause + "\n\n" + strings.Repeat(clause+" ", 6) + "\n\n1\n\nAcme Lease\n\n" + strings.Repeat(clause+" ", 6) + "\n\n2\n\nAcme Lease\n\n" + strings.Repeat(clause+" ", 6) + "\n\n3\n\nAcme Lease\n\n" + clause},
			[]string{"1", "Acme Lease", "2", "Acme Lease", "3", "Acme Lease"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := structure.Segment(c.pages)
			nlptest.RequireLaws(t, c.pages, s)
			var got []string
			for _, span := range s.Furniture {
				got = append(got, s.Quote(span))
			}
			require.Equal(t, c.want, got)
		})
	}
}

package structure

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/nlp/lex"
)

func TestHeadingEnd(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ heading, rest string }{
		{"7.2 Limitation of Liability.", " Neither party is liable."},
		{"7.2 Payment terms.", " The Buyer pays."},
		{"(b) Evidence of Insurance:", " Upon request the Seller shows it."},
		{"(b) Reports -", " The Seller reports."},
		{"12. TRANSFER OF TITLE", " The Seller transfers it."},
		{"3.6 Sale of Product", " The Seller sells it."},
		{"10.4 Inventory Returns", " Upon termination the Seller takes them back."},
		{"8. AUDIT RIGHTS", " (a) The Buyer audits."},
		{"2. GRANT OF RIGHTS", " 2.1 The Seller grants them."},
		{"NOTICE.", " This is binding."},
		{"Entire Agreement.", " This is all."},
		{"5.1 Fees; Taxes and Expenses.", " The Buyer pays them."},
		{"ARTICLE IX TERM AND TERMINATION", ""},
		{"Section 4.02 Delivery", ""},
		{"14 Effects of expiration or termination", ""},
		{"WITNESSETH:", ""},
		{"Recitals", ""},
		{"11.4 Termination for Failure to [***].", " The Buyer may terminate."},
		{"9.2 Notice of Events that May Lead to Product Recall.", " The Seller gives notice."},
		{"21. NOTICES", " Notices are in writing."},
		{"", "15.8 If the Executive:"},
		{"", "5. We maintain a site at www.example.com"},
		{"", "The Seller delivers."},
		{"", "(a) the goods;"},
		{"", "(a) The Buyer pays the price of the goods."},
		{"", "IN NO EVENT SHALL THE SELLER BE LIABLE."},
		{"", "7.2 The Seller shall deliver. It pays."},
		{"", "1.1 \"Term\" means one year."},
		{"", "1700 K Street, Washington"},
		{"", "The Buyer:"},
		{"", "30 days after receipt"},
		{"", "Acme Inc. of Delaware."},
	} {
		text := c.heading + c.rest
		n := lex.NumberAt(text)
		end := headingEnd(lex.GrammarOf("en"), n.Form, text[n.End:])
		if end > 0 {
			end += n.End
		}
		require.Equal(t, c.heading, text[:end], text)
	}
}

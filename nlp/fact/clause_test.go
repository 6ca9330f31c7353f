package fact_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/nlp/fact"
	"github.com/clausemill/clausemill/nlp/nlptest"
	"github.com/clausemill/clausemill/nlp/structure"
	"github.com/clausemill/clausemill/nlp/value"
)

// TestClauseFacts reads facts that single clauses say, beside clauses that say something like it.
func TestClauseFacts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		key        value.Key
		text, want string
	}{
		{value.PaymentTerm, "Bolt shall pay each invoice within thirty (30) days of receipt of the invoice.", "P30D "},
		{value.PaymentTerm, "All fees are due and payable 45 days after the date of the invoice.", "P45D "},
		{value.PaymentTerm, "Acme invoices Bolt for the goods on a net 60 day basis.", "P60D "},
		{value.PaymentTerm, "Bolt may dispute an invoice within ten (10) days of receipt of the invoice, and pays the rest.", ""},
		{value.PaymentTerm, "Acme ships the goods within ten days of the order.", ""},
		{value.PaymentTerm, "Within 20 days of receipt of an invoice, Bolt pays the sum due.", "P20D "},
		{value.PaymentTerm, "Acme shall send, within ten days after the end of each month, an invoice for the fees payable.", ""},
		{value.PaymentTerm, "Bolt shall notify Acme of any error within five days of receipt of an invoice and shall pay the rest.", ""},
		{value.PaymentTerm, "The net income of 30 days is payable.", ""},

		{value.LiabilityCap, "In no event shall either party's total liability under this Agreement exceed $200,000.", "200000 USD "},
		{value.LiabilityCap, "Acme's liability is limited to the fees paid by Bolt in the twelve (12) months preceding the claim.", "payments of a period "},
		{value.LiabilityCap, "Neither party is liable for damages that exceed the amounts paid hereunder.", "payments under the agreement "},
		{value.LiabilityCap, "Acme shall not be liable for any claim unless the aggregate of all claims exceeds $50,000.", ""},
		{value.LiabilityCap, "Bolt is liable for costs in excess of $5,000.", ""},
		{value.LiabilityCap, "Acme's liability shall not be limited to $1,000,000.", ""},
		{value.LiabilityCap, "Acme shall have liability insurance of not less than, and not exceeding, $1,000,000.", ""},
		{value.LiabilityCap, "Acme is liable for all damages, including but not limited to $500 for each day of delay.", ""},

		{value.Convenience, "Either party may terminate this Agreement for convenience upon ninety (90) days' prior written notice.", "P90D either party"},
		{value.Convenience, "Customer may terminate this Agreement at any time by giving 30 days' written notice to Acme.", "P30D Customer"},
		{value.Convenience, "This Agreement may be cancelled by any party without cause by notice of two months.", "P2M either party"},
		{value.Convenience, "Customer may not terminate this Agreement for convenience and shall give thirty (30) days' notice of any claim.", ""},
		{value.Convenience, "Neither party may cancel this Agreement at any time without thirty (30) days' notice.", ""},
		{value.Convenience, "Acme may terminate this Agreement upon thirty (30) days' notice of a breach that is not cured.", ""},
		{value.Convenience, "Acme may terminate this Agreement if Bolt does not pay, upon thirty (30) days' notice.", ""},

		{value.Signatory, "IN WITNESS WHEREOF, the parties sign.\n\nAcme Inc.\n\nBy: /s/ Jane Roe\nName: Jane Roe\nTitle: President\n\nBolt LLC\n\nBy: ____________\nName: John Doe\nTitle: ________\n", "Jane Roe President; John Doe "},
	} {
		s := structure.SegmentIn("en", []string{"SUPPLY AGREEMENT\n\nThis Supply Agreement is made by Acme Inc. (\"Acme\") and Bolt LLC (\"Bolt\").\n\n" + c.text})
		found := fact.Read(s)
		nlptest.RequireAttributes(t, s, found)
		var got []string
		for _, a := range found.File {
			if a.Key == c.key {
				got = append(got, fmt.Sprintf("%s %s", a.Value, a.Value.Role))
			}
		}
		require.Equal(t, c.want, strings.Join(got, "; "), "%s of %s", c.key, c.text)
	}
}

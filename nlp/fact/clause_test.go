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
		{value.PaymentTerm, "Payment terms: Net 45", "P45D "},
		{value.PaymentTerm, "The payment is a net 10% of the sales.", ""},

		{value.LiabilityCap, "In no event shall either party's total liability under this Agreement exceed $200,000.", "200000 USD "},
		{value.LiabilityCap, "Acme's liability is limited to the fees paid by Bolt in the twelve (12) months preceding the claim.", "payments of a period "},
		{value.LiabilityCap, "Neither party is liable for damages that exceed the amounts paid hereunder.", "payments under the agreement "},
		{value.LiabilityCap, "Each party's total liability is capped at the amounts paid by Bolt in the 12 months preceding the event.", "payments of a period "},
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

// TestRenewalTypes reads whether agreements are renewed by themselves, beside what else is
// renewed and extended.
func TestRenewalTypes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"This Agreement shall automatically renew for successive one year terms.":                                             "automatic [automatically renew]",
		"The initial term is two years, with automatic annual renewals thereafter.":                                           "automatic [automatic annual renewals]",
		"This Agreement shall be renewed for additional periods of one year unless either party gives notice of termination.": "automatic [renewed]",
		"After the term this Agreement continues on a month-to-month basis.":                                                  "automatic [month-to-month]",
		"This Agreement may be renewed by written agreement of the parties.":                                                  "by notice or agreement [may be renewed]",
		"Bolt shall have the option, at its sole discretion, to extend the term of this Agreement.":                           "by notice or agreement [option, at its sole discretion, to extend]",
		"This Agreement shall renew only upon the mutual written agreement of the parties.":                                   "by notice or agreement [renew]",
		"If Bolt notifies Acme of its wish, the term of this Agreement shall automatically be extended for a year.":           "by notice or agreement [extended]",
		"This Agreement shall not automatically renew except by mutual agreement of the parties.":                             "by notice or agreement [not automatically renew]",
		"This Agreement shall not be renewed.":                                                                                "none [not be renewed]",
		"The term of this Agreement may not be extended.":                                                                     "none [not be extended]",
		"This Agreement shall automatically renew for a year. It may be extended by written agreement of the parties.":        "automatic [automatically renew]",
		"This Agreement is not renewed if Acme fails to pay.":                                                                 "none [not renewed]",
		"Delivery of goods shall not be construed as a renewal of this Agreement.":                                            "",
		"Acme has no obligation to renew this Agreement.":                                                                     "",
		"Under this Agreement the time for an answer may be extended by agreement of the parties.":                            "",
		"Acme shall renew its insurance policy automatically for the term of this Agreement.":                                 "",
		"This Agreement shall extend to and bind the successors of the parties.":                                              "",
		"The Term, as may be extended as provided herein, ends on 1 May 2022.":                                                "",
		"A notice of non-renewal of this Agreement is in writing.":                                                            "",
		"Any holdover by automatic renewal of the lease shall be on a month-to-month basis.":                                  "",
		"Your rights upon renewal of the lease are in its schedule.":                                                          "",
		"Reservation of Rights 5 2.6 Renewal of Franchise 5 2.7 Term.":                                                        "",
	} {
		requireFacts(t, value.RenewalType, text, want)
	}
}

// TestCurrencies reads the currency of all sums of an agreement.
func TestCurrencies(t *testing.T) {
	t.Parallel()
	const law = " This Agreement is governed by the laws of the State of New York."
	for text, want := range map[string]string{
		"Bolt pays $5,000 and later $100.":                                                           "USD [$5,000]", // its confidence says that somebody should look
		"Bolt pays $5,000, then $100 and at last $7." + law:                                          "USD [$5,000]",
		"Bolt pays US$5,000 and $100.":                                                               "USD [US$5,000]",
		"Bolt pays $100 and then US$5,000.":                                                          "USD [US$5,000]",
		"Bolt pays €5,000 and 300 euros.":                                                            "EUR [€5,000]",
		"Bolt pays €5,000 and $100." + law:                                                           "",
		"Bolt pays C$5,000 and $100." + law:                                                          "",
		"Bolt pays $5,000 and $100. This Agreement is governed by the laws of Ontario.":              "",
		"Bolt pays $5,000 and $100. Canadian dollars are paid on request." + law:                     "",
		"All dollar amounts in this Agreement are expressed in Canadian dollars. Bolt pays $500.":    "CAD [Canadian dollars]",
		"All payments shall be made in Euros. Bolt pays $500." + law:                                 "",
		"All references to currency are to lawful money of the United States. Bolt pays $5.":         "USD [money of the United States]",
		"All payments are converted from local currency into Euros at the exchange rate of the day.": "",
		"All payments are in U.S. dollars or euros.":                                                 "",
		"Acme has no sums here.":                                                                     "",
	} {
		requireFacts(t, value.Currency, text, want)
	}
	for words, code := range map[string]string{
		"Canadian currency": "CAD", "Pounds Sterling": "GBP", "Japanese Yen": "JPY", "RMB": "CNY", "Swiss Francs": "CHF", "Israeli Shekels": "ILS", "Indian Rupees": "INR", "USD": "USD", "Euros": "EUR",
	} {
		requireFacts(t, value.Currency, "All payments are made in "+words+".", code+" ["+words+"]")
	}
}

// TestAddresses reads the addresses of parties where they are named, and among those for notices.
func TestAddresses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"This Agreement is made by and between Acme Inc., a Delaware corporation with offices at 1 Main Street, Suite 5, Springfield, IL 62701 (\"Acme\"), and Bolt GmbH, having its registered office at Hauptstrasse 104, 2560 Nidau, Switzerland (\"Bolt\").": "Acme Inc.: 1 Main Street, Suite 5, Springfield, IL 62701; Bolt GmbH: Hauptstrasse 104, 2560 Nidau, Switzerland",
		"This Agreement is made by and between Acme Inc., 787 7th Avenue, New York, New York 10019 (\"Acme\"), and Bolt LLC (\"Bolt\").":                                                                                                                         "Acme Inc.: 787 7th Avenue, New York, New York 10019",
		"This Agreement is made by and between Acme Inc. (\"Acme\") and Bolt LLC (\"Bolt\").\n\nNotices are sent to:\n\nBolt LLC\n99 Oak Road\nBoise, Idaho 83702\nAttention: President\n\nwith a copy to:\n\nRoe LLP\n5 Elm Street\nBoise, Idaho 83702":         "Bolt LLC: 99 Oak Road Boise, Idaho 83702",
		"This Agreement is made by and between Acme Inc. (\"Acme\") and Bolt LLC (\"Bolt\").\n\nNotices to the parties:\n\nAcme Inc.            Bolt LLC\n14 Oak Road          5 Elm Street\nBoise, Idaho 83702   Salem, Oregon 97301":                           "",
		"This Agreement is made by and between Acme Inc., a subsidiary of Roe Holdings with offices at 1 Main Street, Springfield, IL 62701 (\"Acme\"), and Bolt LLC, a company with offices in Boise (\"Bolt\").":                                               "",
	} {
		s := structure.SegmentIn("en", []string{"SUPPLY AGREEMENT\n\n" + text})
		found := fact.Read(s)
		nlptest.RequireAttributes(t, s, found)
		var got []string
		for _, a := range found.File {
			if a.Key == value.Address {
				got = append(got, a.Value.Party+": "+a.Value.String())
			}
		}
		require.Equal(t, want, strings.Join(got, "; "), text)
	}
}

// requireFacts requires the values of a key that an agreement with a text has, with their words.
func requireFacts(t *testing.T, key value.Key, text, want string) {
	t.Helper()
	s := structure.SegmentIn("en", []string{"SUPPLY AGREEMENT\n\nThis Supply Agreement is made by Acme Inc. (\"Acme\") and Bolt LLC (\"Bolt\").\n\n" + text})
	found := fact.Read(s)
	nlptest.RequireAttributes(t, s, found)
	var got []string
	for _, a := range found.File {
		if a.Key == key {
			got = append(got, fmt.Sprintf("%s [%s]", a.Value, s.Quote(a.Spans[0])))
		}
	}
	require.Equal(t, want, strings.Join(got, "; "), text)
}

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

// TestExtractKinds reads who makes leases, employment contracts, loans and order forms,
// and what they are called.
func TestExtractKinds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what, text string
		key        value.Key
		want       string
	}{
		{"the part before the name", `LEASE AGREEMENT. This lease is made on 1 May 2024 by and between Landlord, John Smith ("Landlord"), and Tenant, Jane Doe ("Tenant").`, value.Party, "John Smith [Landlord]; Jane Doe [Tenant]"},
		{"a form", "TENANCY AGREEMENT\n\nLandlord: Jane Roe, of 4 Elm Row, Leeds\n\nTenant: Peter Marsh\n\nThe rent is payable monthly.", value.Party, "Jane Roe [Landlord]; Peter Marsh [Tenant]"},
		{"a table", "EMPLOYMENT AGREEMENT\n\n| Employer | Acme Widgets Ltd |\n| Name of position | Fitter |\n| Employee | John Smith |\n", value.Party, "Acme Widgets Ltd [Employer]; John Smith [Employee]"},
		{"emphasis", "This Lease is made as of **1 May 2024**, by and between:\n\n- **Acme Works**, a company with its office at **1 Main Street** (“**Acme**” or the “**Landlord**”); and\n- **Bolt Partners**, a firm (the “**Tenant**”).", value.Party, "Acme Works [Landlord]; Bolt Partners [Tenant]"},
		{"a paragraph each", "Between:\n\nAcme Offices Ltd, with registered office in London, hereinafter referred to as \"THE LESSOR\". And on its behalf, Ann Low.\n\nAnd:\n\nBolt Starters Ltd, with registered office in Leeds, hereinafter referred to as \"THE LESSEE\".", value.Party, "Acme Offices Ltd [LESSOR]; Bolt Starters Ltd [LESSEE]"},
		{"a person's address", "This agreement is made between: (1) Acme Ltd, a company registered in England (“Acme”); and (2) Ann Low of Westminster, London (“Employee”).", value.Party, "Acme Ltd []; Ann Low [Employee]"},
		{"a letter", "1 March 2024\n\nDear Ann Low,\n\nWe are delighted to invite you to join Acme Widgets Ltd (the \"Company\"). Your employment begins on 2 April 2024.", value.Party, "Acme Widgets Ltd [Company]; Ann Low []"},
		{"a letter to a first name", "Ann B. Low\n12 High Street\n\nDear Ann:\n\nThis letter has the terms of your employment with Acme Widgets Inc. (the \"Company\").", value.Party, "Acme Widgets Inc. [Company]; Ann B. Low []"},
		{"a note", "PROMISSORY NOTE\n\nFOR VALUE RECEIVED, the undersigned ACME INC., a Washington corporation (“Borrower”) promises to pay to the order of FIRST PLAINS BANK, NATIONAL ASSOCIATION (“Bank”) the sum of $500.", value.Party, "ACME INC. [Borrower]; FIRST PLAINS BANK, NATIONAL ASSOCIATION [Bank]"},
		{"a code of the post", "between Acme Works Limited, a company with its office at 1 Hill, London EC2N 4AG, United Kingdom (\"Acme\", the \"Client\"); and Bolt Limited (\"Bolt\", the \"Vendor\").", value.Party, "Acme Works Limited [Client]; Bolt Limited [Vendor]"},
		{"the part above a signature", "This order incorporates the terms between Acme Design Ltd and Bolt Insurance plc.\n\nPROVIDER: Acme Design Ltd        CUSTOMER: Bolt Insurance plc\n\nSignature", value.Party, "Acme Design Ltd [PROVIDER]; Bolt Insurance plc [CUSTOMER]"},
		{"parts with two words", "This Agreement is between Acme Inc. (\"Disclosing Party\") and Bolt LLC (\"Receiving Party\").", value.Party, "Acme Inc. [Disclosing Party]; Bolt LLC [Receiving Party]"},
		{"small initials", "This Agreement is between e.l.f. Widgets, Inc. (the \"Company\") and i3 Acme Solutions, LLC (\"i3\").", value.Party, "e.l.f. Widgets, Inc. [Company]; i3 Acme Solutions, LLC []"},
		{"small letters", "This Agreement is between the Acme Corporation (\"Acme\"), located at 4 Elm Row, and e-bolts, Inc., (\"Provider\"), a Delaware corporation.", value.Party, "Acme Corporation []; e-bolts, Inc. [Provider]"},
		{"who signed for the one before", "JOINT FILING AGREEMENT\n\nThe undersigned agree. ACME HOLDINGS LTD. By: /s/ Jane Roe Jane Roe Authorized Signatory BOLT LIFE CORPORATION By: /s/ John Doe John Doe Chief Executive Officer ELM WORKS INC. By: /s/ Ann Low", value.Party, "ACME HOLDINGS LTD. []; BOLT LIFE CORPORATION []; ELM WORKS INC. []"},
		{"initials that are a legal form elsewhere", "This Agreement is between PC Acme, Inc. (\"PCA\") and A.B. Bolt, Inc., of Chicago (\"ABB\").", value.Party, "PC Acme, Inc. []; A.B. Bolt, Inc. []"},
		{"a place in brackets", "This Agreement is between Acme Works, (Bermuda) Ltd., a limited company (\"Acme\") and Bolt A/S of Elmpark 55, Ballerup (\"Bolt\").", value.Party, "Acme Works, (Bermuda) Ltd. []; Bolt A/S []"},
		{"a legal form alone", "LIMITED PARTNERSHIP AGREEMENT\n\nThis Agreement is made among the LIMITED PARTNERSHIP, INCLUDING THE LIMITED PARTNERS (\"Partners\"), and between Acme Inc. (\"Acme\") and Bolt LLC (\"Bolt\").", value.Party, "Acme Inc. []; Bolt LLC []"},
		{"a title", "Agreement between OPERATION OF HEMP FARMING LIMITED PARTNERSHIP AGREEMENT and others.\n\nThis Agreement is between Acme Inc. (\"Acme\") and Bolt LLC (\"Bolt\").", value.Party, "Acme Inc. []; Bolt LLC []"},
		{"a heading in capitals", "SERVICES AGREEMENT\n\nThis Agreement is made between RUNNING OF THE PLANT (\"Plant\") and Acme Inc. (\"Acme\") and Bolt LLC (\"Bolt\"). The running of the plant is for Acme.", value.Party, "Acme Inc. []; Bolt LLC []"},
		{"a part of an address", "This Agreement is made between Acme Inc., Low Road, Near Elm Bank, Leeds (\"Acme\") and Bolt LLC (\"Bolt\").", value.Party, "Acme Inc. []; Bolt LLC []"},
		{"an office before a name", "This Agreement is made by and between Acme Inc. (\"Acme\") and Vice President BOLT SMALL WORKS, LTD (\"Bolt\").", value.Party, "Acme Inc. []; BOLT SMALL WORKS, LTD []"},
		{"two purposes", "This Agreement is made by and between Centre for Nut Tests and Research (\"CNTR\") and Bolt LLC (\"Bolt\").", value.Party, "Centre for Nut Tests and Research []; Bolt LLC []"},
		{"what a person is", "Between Acme Inc. (\"Acme\") and Dr. Ann Low N.D. Inc., Businessperson, having an office in Leeds (the \"Contractor\").", value.Party, "Acme Inc. []; Dr. Ann Low N.D. Inc. []"},
		{"a name that a comma cuts", "Between\n\nClient Name:    MEDICAL ACME MIDWEST, INC.\n\nMEDICAL ACME, MIDWEST, INC., hereinafter referred to as \"MAM\", agrees to serve, and MTS, INC., hereinafter referred to as \"Customer\", agree.", value.Party, "MEDICAL ACME MIDWEST, INC. [Client]; MTS, INC. [Customer]"},
		{"bodies of other countries", "This Agreement is made between Stichting Elm voor Kinderen, a foundation under the laws of the Netherlands, and Sociedade Elm do Norte, Lda., Lisbon.", value.Party, "Stichting Elm voor Kinderen []; Sociedade Elm do Norte, Lda. []"},
		{"an association", "This Agreement is between Acme Inc. (\"Acme\") and Elm Federal Savings and Loan Association, a federal association (\"Elm\").", value.Party, "Acme Inc. []; Elm Federal Savings and Loan Association []"},
		{"numbers in lines of their own", "NON-DISCLOSURE AGREEMENT\n\nBetween:\n(1) Acme plc (company no. 77), 1 Sun Square, London EC2A 1AB; and\n(2) Bolt Analytics B.V., Elmgracht 12, 1015 CW Amsterdam.", value.Party, "Acme plc []; Bolt Analytics B.V. []"},
		{"as what they act", "TERM LOAN AGREEMENT\n\nbetween\nACME BANK, N.A., as Lender,\nand\nBOLT SHIPPING CORP., as Borrower", value.Party, "ACME BANK, N.A. [Lender]; BOLT SHIPPING CORP. [Borrower]"},
		{"beside each other, above an order", "ORDER FORM\n\nCustomer: Acme, Inc.            Supplier: Bolt Software GmbH\nOrder date: October 14, 2025", value.Party, "Acme, Inc. [Customer]; Bolt Software GmbH [Supplier]"},
		{"parts in brackets", "CONSULTANCY AGREEMENT\n\nPARTIES\n(1) ACME WATER LIMITED, incorporated in England with company number 77, whose registered office is at 3 Weir Road, Leeds LS2 7QT (Client)\n(2) BOLT ADVISORY LLP, of 44 Elm Gate, London WC2A 1LQ (Consultant)", value.Party, "ACME WATER LIMITED [Client]; BOLT ADVISORY LLP [Consultant]"},
		{"the Norwegian form", "DISTRIBUTION AGREEMENT\n\nby and between:\n\nACME AQUACULTURE AS, a Norwegian company (hereinafter \"Supplier\")\nand\nBOLT SEAFOODS PTY LTD (hereinafter \"Distributor\")", value.Party, "ACME AQUACULTURE AS [Supplier]; BOLT SEAFOODS PTY LTD [Distributor]"},
		{"one that is named below", "This Agreement is made between Acme Systems, Inc. (\"Licensor\"), and the licensee identified below (\"Licensee\").\n\nLicensee: Bolt Hospital Group, LLC\nAddress: 77 Elm Street, Raleigh, NC 27601", value.Party, "Acme Systems, Inc. [Licensor]; Bolt Hospital Group, LLC [Licensee]"},
		{"fields of a form", "Services Agreement\n\nClient:          City of Elm\nProvider:        Bolt Group, Inc.\nStart Date:      March 1, 2025\n", value.Party, "City of Elm [Client]; Bolt Group, Inc. [Provider]"},
		{"legal forms in initials", "SUPPLY AGREEMENT\n\nBuyer: Acme Law Group, P.C., Leeds\nSeller: Bolt Castings s.r.o., Brno", value.Party, "Acme Law Group, P.C. [Buyer]; Bolt Castings s.r.o. [Seller]"},
		{"a number in two parts", "Professional Services Agreement No. 2025-118\n\nClient: Acme Inc.", value.DocumentName, "Professional Services Agreement No. 2025-118 []"},
		{"a hyphen that does not break", "MUTUAL NON‑DISCLOSURE AGREEMENT\n\nThis agreement is between Acme Inc. and Bolt LLC.", value.DocumentName, "MUTUAL NON‑DISCLOSURE AGREEMENT []"},
		{"an order form", "Order Form\n\nThis order is placed by Acme Inc.", value.DocumentName, "Order Form []"},
		{"an initial", "Employment Agreement of Ann B. Low\n\nDear Ann:", value.DocumentName, "Employment Agreement of Ann B. Low []"},
		{"a date at which it ends", "LETTER AGREEMENT\n\n16 March 2024\n\nThis Commitment shall expire on 23 March 2025.", value.AgreementDate, "2024-03-16 []"},
	} {
		s := structure.SegmentIn("en", []string{c.text})
		found := fact.Read(s)
		nlptest.RequireAttributes(t, s, found)
		var got []string
		for _, a := range found.File {
			if a.Key == c.key {
				got = append(got, fmt.Sprintf("%s [%s]", a.Value, a.Value.Role))
			}
		}
		require.Equal(t, c.want, strings.Join(got, "; "), c.what)
	}
}

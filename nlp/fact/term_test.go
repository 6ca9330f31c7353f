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

// TestTerms reads when agreements are made and end, and how they are renewed, beside dates
// and periods that say something else.
func TestTerms(t *testing.T) {
	t.Parallel()
	const (
		made = "SUPPLY AGREEMENT\n\nThis Supply Agreement is made on 1 May 2020 (the \"Effective Date\") by Acme Inc. (\"Acme\") and Bolt LLC (\"Bolt\").\n\n"
		bare = "SUPPLY AGREEMENT\n\nThis Supply Agreement is made on 1 May 2020 by Acme Inc. (\"Acme\") and Bolt LLC (\"Bolt\").\n\n"
	)
	for _, c := range []struct {
		key        value.Key
		text, want string
	}{
		{value.ExpirationDate, made + "This Agreement shall continue until the four-year anniversary of the Effective Date.", "2024-05-01"},
		{value.ExpirationDate, made + "The term of this Agreement continues until the fifth (5th) anniversary of the Effective Date.", "2025-05-01"},
		{value.ExpirationDate, made + "This Agreement shall remain in effect until the day before the twenty-fifth anniversary of the Effective Date.", "2045-04-30"},
		{value.ExpirationDate, made + "The term of this Agreement shall begin on the Effective Date and end three (3) years from the Launch Date.", ""},
		{value.ExpirationDate, made + "The term of this Agreement shall be two years and shall commence on the date on which the first sample is delivered.", ""},
		{value.ExpirationDate, made + "The initial term of this Agreement is the Effective Date through March 15, 2022.", "2022-03-15"},
		{value.ExpirationDate, made + "The Term of the Agreement is hereby extended to January 20, 2022.", "2022-01-20"},
		{value.ExpirationDate, made + "Acme's liability under this Agreement is the amount that it was paid in the twelve (12) months preceding the claim.", ""},
		{value.ExpirationDate, made + "In the event the Company terminates this Agreement, it pays the sales for the twelve (12) months until 31 July 2021.", ""},
		{value.ExpirationDate, made + "The report on this Agreement ends on 31 July 2021. Each party keeps it secret for the term of this Agreement and for 20 years thereafter.", ""},
		{value.ExpirationDate, made + "If Acme fails to deliver, this Agreement shall continue for a period of two months.", ""},
		{value.ExpirationDate, made + "This Agreement shall continue until the expiration of the Licence Agreement.", ""},
		{value.ExpirationDate, made + "This Agreement is valid for an indefinite period.", "perpetual"},
		{value.ExpirationDate, made + "Your employment shall continue unless and until either party gives notice.", "perpetual"},
		{value.ExpirationDate, made + "This Agreement shall be effective until\nFebruary 28, 2024.", "2024-02-28"},
		{value.ExpirationDate, made + "The term of this Agreement shall end automatically upon the end of Year 3.", "2023-05-01"},
		{value.ExpirationDate, made + "This Agreement shall continue until the end of the fifteenth (15th) Contract Year.", "2035-05-01"},
		{value.ExpirationDate, made + "This Agreement will be in effect until the end of 2026.", "2026-12-31"},
		{value.ExpirationDate, made + "6. TERM: November 1, 2020 to October 31, 2023\n\n7. Notices.", "2023-10-31"},
		{value.ExpirationDate, made + "Term shall mean the Effective Date through June 15, 2021 and any renewal.", "2021-06-15"},
		{value.ExpirationDate, made + "This OMA shall expire on the first anniversary of the Effective Date.", "2021-05-01"},
		{value.ExpirationDate, made + "This Section shall expire on the first anniversary of the Effective Date.", ""},
		{value.ExpirationDate, made + "This Agreement shall be binding on each Party and have a term of five (5) years commencing as of the Effective Date.", "2025-05-01"},
		{value.ExpirationDate, made + "The Warrant is attached hereto and shall have a term of ten (10) years from the Effective Date.", ""},
		{value.ExpirationDate, made + "The Agent's appointment hereunder shall commence on the Effective Date and continue for three years thereafter.", "2023-05-01"},
		{value.ExpirationDate, made + "This Agreement will end on the first anniversary of the Effective Date, and not in the first three months.", "2021-05-01"},
		{value.ExpirationDate, made + "The Restricted Period is the term of this Agreement and the two-year period following its termination.", ""},
		{value.ExpirationDate, made + "This Agreement shall continue in effect until termination as provided below.", "perpetual"},
		{value.ExpirationDate, made + "The license may be terminated in any period of four consecutive quarters of this Agreement.", ""},
		{value.InitialTerm, "SUPPLY AGREEMENT\n\nThe term of this Agreement is two years from the date of last signature.", "P2Y"},
		{value.ExpirationDate, "SUPPLY AGREEMENT\n\nThe term of this Agreement is two years from the date of last signature.", ""},

		{value.RenewalTerm, made + "If Bolt remains in possession after the expiration of this lease, it is a tenant from month to month.", ""},
		{value.RenewalTerm, made + "Any holdover beyond the term of this Agreement shall be on a month-to-month basis.", ""},
		{value.RenewalTerm, made + "After 30 April 2023 this Agreement continues on a month-to-month basis.", "P1M"},
		{value.AgreementDate, "AMENDMENT No. 1 to the Global Maintenance Agreement ref. 14 dated March 9, 2015\n\nThis amendment is entered into on January 6, 2016 by Acme Inc. and Bolt LLC.", "2016-01-06"},
		{value.AgreementDate, "SCHEDULE\n\nMarch 3, 2011\n\nThis Schedule is made to that Software License, Customization and Maintenance Agreement, by and between Acme Inc. and Bolt LLC, dated November 5, 2010.", "2011-03-03"},
		{value.AgreementDate, "JOINT FILING\n\nThe undersigned agree to the report of certain holders as of December 31, 2019.", ""},
		{value.AgreementDate, "SERVICES AGREEMENT\n\nStart Date: March 1, 2025\nEnd Date: February 28, 2027\n\nAcme Inc.\n\nBy: /s/ Jane Roe\n", ""},
		{value.EffectiveDate, "SERVICES AGREEMENT\n\nStart Date: March 1, 2025\nEnd Date: February 28, 2027\n", "2025-03-01"},
		{value.EffectiveDate, "CONSULTANCY AGREEMENT\n\nThe Consultant shall provide the Services from 1 August 2025 (the Commencement Date).", "2025-08-01"},
		{value.EffectiveDate, "LEASE\n\nThe rent is payable from 1 August 2025 (the \"Rent Commencement Date\").", ""},
		{value.AgreementDate, "SHARE PURCHASE AGREEMENT\n\nbetween\n\nJane Roe (the \"Seller\")\n\nand\n\nAcme GmbH, registered under HRB 98765 (the \"Purchaser\")\n\ndated as of November 4, 2025", "2025-11-04"},
		{value.RenewalTerm, made + "This Agreement shall thereafter be automatically prolonged by periods of one year each, unless terminated by either Party.", "P1Y"},
		{value.ExpirationDate, "SECOND AMENDMENT TO OFFICE LEASE\n\nThe Term of the Lease expires on July 31, 2025.\n\n1. The Term is hereby extended for sixty (60) months, so that it shall expire on July 31, 2030.", "2030-07-31"},
		{value.ExpirationDate, "FRANCHISE AGREEMENT\n\nDATE: September 2, 2024\n\nThe initial term of this Agreement is ten (10) years commencing on the Opening Date.\nThe Franchisee has the option to renew this Agreement for two further terms of five (5) years each.", ""},
		{value.InitialTerm, "LEASE\n\nThe Landlord lets the Premises to the Tenant for a term of five (5) years from and including 25 March 2025.", "P5Y"},
		{value.ExpirationDate, "LEASE\n\nThe Landlord lets the Premises to the Tenant for a term of five (5) years from and including 25 March 2025.", "2030-03-24"},
		{value.ExpirationDate, "LEASE\n\nThe Landlord lets the Premises to the Tenant for a term of five (5) years from 25 March 2025.", "2030-03-25"},
		{value.ExpirationDate, "LEASE\n\nThe Landlord lets the Premises to the Tenant for a term of ten years commencing on and including 1 January 2025.", "2034-12-31"},
		{value.ExpirationDate, "LEASE\n\nThe Landlord lets the Premises to the Tenant for a term ending on and including 31 March 2031.", "2031-03-31"},
		{value.InitialTerm, "ORDER FORM\n\nSubscription term: 36 months, starting November 1, 2025", "P36M"},
		{value.ExpirationDate, "NON-DISCLOSURE AGREEMENT\n\nEffective Date: 2 February 2026\n\nThis Agreement ends two years after the Effective Date unless ended earlier by either party on 30 days' notice.", "2028-02-02"},
		{value.ExpirationDate, "LOAN AGREEMENT\n\nThe Borrower shall repay the Loan in full on September 30, 2030 (the \"Maturity Date\").", "2030-09-30"},
		{value.ExpirationDate, "SEPARATION AGREEMENT\n\nYour employment ended on March 1, 2020 (the \"Termination Date\").", ""},
		{value.RenewalType, "ORDER FORM\n\nThe subscription renews automatically for successive periods of 12 months unless either party gives notice.", "automatic"},
		{value.AgreementDate, "SERVICES AGREEMENT\n\n1. Acme Inc. serves Bolt LLC.\n\n2. Term. This Agreement begins on 1 January 2026 and ends on 31 December 2028.", ""},
		{value.AgreementDate, "SUPPLY AGREEMENT\n\nAcme Inc. and Bolt LLC agree.\n\nIN WITNESS WHEREOF, each party has signed this Agreement in Baoding, People's Republic of China on November 8, 2002.", "2002-11-08"},
		{value.EffectiveDate, bare + "The parties entered into a Selling Agreement, effective as of December 1, 2002.", ""},
		{value.AgreementDate, "FIRST AMENDMENT\n\nThis is the First Amendment to the Development Agreement entered into on April 15, 2010 by and between Acme Inc. and Bolt LLC. It is made on May 7, 2012.", "2012-05-07"},
		{value.AgreementDate, "TERMS OF SERVICE\n\nAs of its beginning this supersedes and cancels the following contract: Service Agreement dated 1 November 2015.\n\nDated: 14 December 2015", "2015-12-14"},
		{value.AgreementDate, "SUPPLY AGREEMENT\n\nThis Agreement is made this 20th day of Friday, March 2020 by Acme Inc. and Bolt LLC.", "2020-03-20"},
		{value.AgreementDate, "SUPPLY AGREEMENT\n\nAcme Inc. and Bolt LLC agree.\n\nIN WITNESS WHEREOF, they sign.\n\nAcme Inc.\n\nBy: /s/ Jane Roe\nName: Jane Roe\nTitle: President\n4/24/2018", "2018-04-24"},
		{value.EffectiveDate, bare + "The term of this Agreement will begin on the date hereof (the \"Start\") and end in 2022.", "2020-05-01"},
		{value.EffectiveDate, bare + "1. EFFECTIVE DATE: November 1, 2020\n\n2. CONTRACT: 12", "2020-11-01"},
		{value.EffectiveDate, bare + "Acme may terminate this Agreement, effective as of December 31, 2023, by notice.", ""},
		{value.EffectiveDate, bare + "A copy of this Agreement that is signed by electronic mail shall have the same legal effect as an original.", ""},
		{value.EffectiveDate, bare + "In accordance with this Agreement, the stock is redeemable beginning October 21, 2022.", ""},
		{value.EffectiveDate, bare + "This Agreement shall be effective through and including March 31, 2024.", ""},
		{value.EffectiveDate, bare + "This Agreement takes effect upon the signatures of both parties.", "2020-05-01"},
		{value.AgreementDate, "SUPPLY AGREEMENT\n\nThis Supply Agreement is made on 3/4/11 by Acme Inc. and Bolt LLC. It is governed by the laws of the State of New York.", "2011-03-04"},
		{value.AgreementDate, "SUPPLY AGREEMENT\n\nThis Supply Agreement is made on 3/4/11 by Acme Inc. and Bolt LLC. It follows the letter of 22/4/11.", "2011-04-03"},
		{value.AgreementDate, "SUPPLY AGREEMENT\n\nThis Supply Agreement is made on 3/4/11 by Acme Inc. and Bolt LLC. It follows the letters of 22/4/11 and 4/22/11.", "2011-03-04 or 2011-04-03"},

		{value.RenewalTerm, made + "The Company may extend the term of this Agreement for up to an additional ten (10) years.", ""},
		{value.RenewalTerm, made + "This Agreement may be renewed for up to three (3) additional periods of twelve (12) months each.", "P12M"},
		{value.RenewalTerm, made + "This Agreement shall be renewed for a total of six years, in additional terms of two years.", "P2Y"},
		{value.RenewalTerm, made + "The Contract Term shall extend for a period of fifty (50) years.", ""},
		{value.RenewalTerm, made + "This Agreement shall remain in effect until the end of the year in which it is made, unless Acme and Bolt agree otherwise in a document that both of them sign, and shall be automatically renewed for successive one (1) year periods.", "P1Y"},
		{value.RenewalTerm, made + "Unless Bolt notifies Acme of its intent not to renew this Agreement within three (3) months, this Agreement shall automatically renew on the same terms for one (1) twelve-month period.", "P12M"},
		{value.RenewalTerm, made + "When this Agreement expires, you have the option to continue for two (2) additional terms of ten (10) years each.", "P10Y"},
		{value.RenewalTerm, made + "Acme shall have the right to renew this Agreement for an additional year.", "P1Y"},
		{value.RenewalTerm, made + "The Initial Term shall automatically be extended for an additional period of half a year.", "P6M"},
		{value.RenewalTerm, made + "This Agreement continues for one (1) years and indefinitely after that until terminated by either party.", "perpetual"},
		{value.RenewalTerm, made + "If the director resigns, this Agreement shall not automatically terminate and continues until terminated by either party.", ""},
		{value.RenewalTerm, made + "Thereafter, this Agreement shall automatically continue in effect until either party ends it.", "perpetual"},
		{value.NoticePeriod, made + "This Agreement may be terminated by either party at the end of the Initial Term upon thirty (30) days written notice.", "P30D"},
		{value.NoticePeriod, made + "This Agreement continues in full force for two years, and thereafter until terminated by either party by sixty (60) days' prior written notice.", "P60D"},
		{value.NoticePeriod, made + "This Agreement is renewed for a year. Unless Acme notifies Bolt of its intention to extend it within 30 days of receiving such notice, the Agreement shall terminate.", ""},
		{value.RenewalTerm, made + "This Agreement may be extended by the additional period of a force majeure event, at most six months.", ""},
		{value.RenewalTerm, made + "This Agreement shall continue on a year to year basis (\"Extended Terms\").", "P1Y"},
	} {
		s := structure.SegmentIn("en", []string{c.text})
		found := fact.Read(s)
		nlptest.RequireAttributes(t, s, found)
		var got []string
		for _, a := range found.File {
			if a.Key == c.key {
				got = append(got, fmt.Sprint(a.Value))
			}
		}
		require.Equal(t, c.want, strings.Join(got, "; "), "%s of %s", c.key, c.text)
	}
}

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
		{value.InitialTerm, "SUPPLY AGREEMENT\n\nThe term of this Agreement is two years from the date of last signature.", "P2Y"},
		{value.ExpirationDate, "SUPPLY AGREEMENT\n\nThe term of this Agreement is two years from the date of last signature.", ""},

		{value.AgreementDate, "AMENDMENT No. 1 to the Global Maintenance Agreement ref. 14 dated March 9, 2015\n\nThis amendment is entered into on January 6, 2016 by Acme Inc. and Bolt LLC.", "2016-01-06"},
		{value.AgreementDate, "SCHEDULE\n\nMarch 3, 2011\n\nThis Schedule is made to that Software License, Customization and Maintenance Agreement, by and between Acme Inc. and Bolt LLC, dated November 5, 2010.", "2011-03-03"},
		{value.AgreementDate, "JOINT FILING\n\nThe undersigned agree to the report of certain holders as of December 31, 2019.", ""},
		{value.AgreementDate, "SUPPLY AGREEMENT\n\nAcme Inc. and Bolt LLC agree.\n\nIN WITNESS WHEREOF, each party has signed this Agreement in Baoding, People's Republic of China on November 8, 2002.", "2002-11-08"},
		{value.EffectiveDate, bare + "The parties entered into a Selling Agreement, effective as of December 1, 2002.", ""},
		{value.EffectiveDate, bare + "This Agreement shall be effective through and including March 31, 2024.", ""},
		{value.EffectiveDate, bare + "This Agreement takes effect upon the signatures of both parties.", "2020-05-01"},
		{value.AgreementDate, "SUPPLY AGREEMENT\n\nThis Supply Agreement is made on 3/4/11 by Acme Inc. and Bolt LLC. It is governed by the laws of the State of New York.", "2011-03-04"},
		{value.AgreementDate, "SUPPLY AGREEMENT\n\nThis Supply Agreement is made on 3/4/11 by Acme Inc. and Bolt LLC. It follows the letter of 22/4/11.", "2011-04-03"},
		{value.AgreementDate, "SUPPLY AGREEMENT\n\nThis Supply Agreement is made on 3/4/11 by Acme Inc. and Bolt LLC. It follows the letters of 22/4/11 and 4/22/11.", "2011-03-04 or 2011-04-03"},

		{value.RenewalTerm, made + "The Company may extend the term of this Agreement for up to an additional ten (10) years.", ""},
		{value.RenewalTerm, made + "This Agreement may be renewed for up to three (3) additional periods of twelve (12) months each.", "P12M"},
		{value.RenewalTerm, made + "This Agreement shall be renewed for a total of six years, in additional terms of two years.", "P2Y"},
		{value.RenewalTerm, made + "The Contract Term shall extend for a period of fifty (50) years.", ""},
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

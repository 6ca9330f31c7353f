package fact_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/nlp/fact"
	"github.com/clausemill/clausemill/nlp/nlptest"
	"github.com/clausemill/clausemill/nlp/structure"
	"github.com/clausemill/clausemill/nlp/value"
)

// TestExtractSums reads what is paid by leases, employment contracts and loans.
func TestExtractSums(t *testing.T) {
	t.Parallel()
	const (
		lease   = "LEASE AGREEMENT\n\nThis Lease is made by Acme Inc. (\"Landlord\") and Jane Doe (\"Tenant\").\n\n"
		hired   = "EMPLOYMENT AGREEMENT\n\nThis Agreement is made by Acme Inc. (the \"Company\") and John Doe (the \"Employee\").\n\n"
		lent    = "LOAN AGREEMENT\n\nThis Agreement is between Acme Inc. (\"Borrower\") and First Plains Bank (\"Lender\").\n\n"
		bought  = "SUPPLY AGREEMENT\n\nThis Agreement is between Acme Inc. (\"Supplier\") and Bolt Inc. (\"Buyer\").\n\n"
		miete   = "MIETVERTRAG\n\nzwischen der Müller GmbH (nachfolgend „Vermieter“) und der Becker AG (nachfolgend „Mieter“).\n\n"
		hypos   = "Darlehensvertrag\n\nzwischen der Müller GmbH (nachfolgend „Darlehensgeber“) und der Becker AG (nachfolgend „Darlehensnehmer“).\n\n"
		arbeid  = "Arbeidsovereenkomst\n\ntussen Bakker B.V. (hierna \"Werkgever\") en Jan Smit (hierna \"Werknemer\").\n\n"
		travail = "CONTRAT DE TRAVAIL\n\nENTRE\n\nDupont SARL, ci-après dénommée « l'Employeur »\n\n"
	)
	for _, c := range []struct{ language, text, want string }{
		{"en", lease + "Tenant shall pay a monthly rent of $2,000.00 on the first day of each month. Tenant pays a security deposit of $3,500.", "rent 2000.00 USD P1M; deposit 3500 USD "},
		{"en", lease + "The annual rental is in the amount of One Hundred Thousand Dollars ($100,000), payable in equal monthly installments.", "rent 100000 USD P1Y"},
		{"en", lease + "Rent: £1,250 per month. A late fee of £50 is added to rent that is late. The pet deposit is £200.", "rent 1250 GBP P1M"},
		{"en", lease + "The estimated aggregate value of all rent is $2,210,418.", ""},
		{"en", lease + "Either party may terminate this tenancy on thirty (30) days' written notice.", "notice_period P30D"},
		{"en", hired + "The Company pays a salary at the fixed rate of $363,000 per annum and a bonus of $50,000. Your salary is reviewed.", "salary 363000 USD P1Y"},
		{"en", hired + "You will receive a bi-weekly salary of $9,615.38. The probationary period is six months.", "salary 9615.38 USD P2W; probation_period P6M"},
		{"en", hired + "Annual Compensation\n\nCAD 100,000\n\nYou are paid monthly.", "salary 100000 CAD P1Y"},
		{"en", hired + "On termination the Company pays severance of six months of salary, at most $100,000.", ""},
		{"en", hired + "You may terminate your employment by giving two (2) weeks' prior written notice.", "notice_period P2W"},
		{"en", lent + "Lender lends the principal amount of Five Million Dollars ($5,000,000.00). The loan shall bear interest at 3.8% per annum.", "principal 5000000.00 USD ; interest_rate 3.8 P1Y"},
		{"en", lent + "Interest accrues at LIBOR plus 2.5% per annum. Advances have a minimum principal amount of $250,000.", ""},
		{"en", bought + "The annual salary of a fitter is $40,000, the monthly rent of the hall is $2,000 and the principal amount is $5,000.", ""},
		{"de", miete + "Die monatliche Kaltmiete beträgt 1.250,00 €. Die Kaution beträgt fünftausend EUR.", "rent 1250.00 EUR P1M; deposit 5000 EUR "},
		{"de", hypos + "Das Darlehen beträgt 80.000,00 EUR. Es wird mit 4,5 % pro Jahr verzinst. Die Verzugszinsen betragen 9 % pro Jahr.", "principal 80000.00 EUR ; interest_rate 4.5 P1Y"},
		{"nl", arbeid + "Werknemer heeft recht op een bruto maandsalaris van € 4.250,00. De proeftijd is twee maanden.", "salary 4250.00 EUR P1M; probation_period P2M"},
		{"fr", travail + "La rémunération brute mensuelle est de 3 200,00 euros. La période d'essai est de trois mois.", "salary 3200.00 EUR P1M; probation_period P3M"},
		{"es", "CONTRATO DE ARRENDAMIENTO\n\nLa renta será de 900,00 euros mensuales. La fianza es de 1.800,00 euros.", "rent 900.00 EUR P1M; deposit 1800.00 EUR "},
		{"it", "CONTRATTO DI LOCAZIONE\n\nIl canone annuo è di 12.000,00 euro.", "rent 12000.00 EUR P1Y"},
	} {
		s := structure.SegmentIn(c.language, []string{c.text})
		found := fact.Read(s)
		nlptest.RequireAttributes(t, s, found)
		var got []string
		for _, a := range found.File {
			switch {
			case a.Value.Amount != "" && a.Key != value.ContractValue:
				got = append(got, fmt.Sprintf("%s %s %s", a.Key, a.Value, a.Value.Period))
			case slices.Contains([]value.Key{value.ProbationPeriod, value.NoticePeriod}, a.Key):
				got = append(got, fmt.Sprintf("%s %s", a.Key, a.Value))
			}
		}
		require.Equal(t, c.want, strings.Join(got, "; "), c.text)
	}
}

// TestExtractOtherSums has figures beside the words of a sum that are another one.
func TestExtractOtherSums(t *testing.T) {
	t.Parallel()
	const (
		lease    = "LEASE AGREEMENT\n\nThis Lease is made by Acme Inc. (\"Landlord\") and Jane Doe (\"Tenant\").\n\n"
		hired    = "EMPLOYMENT AGREEMENT\n\nThis Agreement is made by Acme Inc. (the \"Company\") and John Doe (the \"Employee\").\n\n"
		lent     = "LOAN AGREEMENT\n\nThis Agreement is between Acme Inc. (\"Borrower\") and First Plains Bank (\"Lender\").\n\n"
		services = "SERVICES AGREEMENT\n\nThis Agreement is between Acme Inc. (the \"Credit Company\") and Bolt LLC (the \"Contractor\").\n\n"
	)
	for _, c := range []struct {
		text, want string
		doubtful   bool
	}{
		{lease + "The former tenant paid a monthly rent of $900. Tenant shall pay a monthly rent of $2,000.", "rent 2000 USD", false},
		{lease + "The monthly rent for a parking space is $50. Tenant shall pay a monthly rent of $2,000.", "rent 2000 USD", false},
		{lease + "Tenant pays a deposit of $75 for a remote control. Tenant pays a security deposit of $3,500.", "deposit 3500 USD", false},
		{lease + "Tenant pays a deposit of $75 for the piano. Tenant pays a deposit of $3,500.", "deposit 75 USD", true},
		{lease + "Tenant pays a deposit of $3,500. The deposit of $3,500 is paid back.", "deposit 3500 USD", false},
		{hired + "The former employer paid an annual salary of $90,000. The Company pays an annual salary of $120,000.", "salary 120000 USD", false},
		{hired + "Life cover is twice the annual salary, up to $500,000. The Company pays an annual salary of $120,000.", "salary 120000 USD", false},
		{hired + "The Employee returns the equipment within 10 days of notice of termination.", "", false},
		{hired + "Either party may terminate by giving 30 days of notice.", "notice_period P30D", true},
		{lent + "The usury limit of interest is 25% per annum. The loan bears interest at 3.8% per annum.", "interest_rate 3.8", false},
		{lent + "Borrower holds a 51% interest in Beta LLC. The loan bears interest at 3.8% per annum.", "interest_rate 3.8", false},
		{lent + "Borrower pays interest in arrears at 4% per annum.", "interest_rate 4", false},
		{lent + "The earlier loan in the principal amount of $100,000 is repaid. Lender lends the principal amount of $5,000,000.", "principal 5000000 USD", false},
		{services + "The principal amount of all invoices is $5,000 and interest accrues at 9% per annum.", "", false},
	} {
		s := structure.SegmentIn("en", []string{c.text})
		var got []string
		for _, a := range fact.Read(s).File {
			if slices.Contains([]value.Key{value.Rent, value.Deposit, value.Salary, value.Principal, value.InterestRate, value.NoticePeriod}, a.Key) {
				got = append(got, fmt.Sprintf("%s %s", a.Key, a.Value))
				require.Equal(t, c.doubtful, a.Confidence < 0.7, "%s: %v", c.text, a.Confidence)
			}
		}
		require.Equal(t, c.want, strings.Join(got, "; "), c.text)
	}
}

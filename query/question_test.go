package query_test

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/query"
)

// asked is the vocabulary of a team whose ids can be read.
var asked = query.Vocabulary{
	Keys: []string{ // all that are read from contracts
		"address", "agreement_date", "contract_value", "currency", "deposit", "document_name", "effective_date", "expiration_date", "governing_law", "initial_term", "interest_rate", "liability_cap", "notice_period",
		"party", "payment_term", "principal", "probation_period", "renewal_term", "renewal_type", "rent", "salary", "signatory", "termination_for_convenience",
	},
	Own: []query.Option{
		{Value: "exit_payment", Name: "Break fee"}, {Value: "handover_date", Name: "Handover"}, {Value: "seats_number", Name: "Seats"}, {Value: "discount_rate", Name: "Discount"},
		{Value: "service_fee_amount", Name: "Annual service fee"}, {Value: "risk", Name: "Risk level"}, {Value: "down_payment_amount", Name: "Principal"},
	},
	Values: map[query.Field][]query.Option{
		query.Matter:       {{Value: "northwind", Name: "Northwind"}},
		query.DocumentType: {{Value: "license", Name: "License Agreement"}, {Value: "nda", Name: "Non-Disclosure Agreement"}, {Value: "lease", Name: "Lease"}},
		query.Label: {
			{Value: "governing_law", Name: "Governing law"}, {Value: "anti_assignment", Name: "Anti-assignment"}, {Value: "cap_on_liability", Name: "Cap on liability"},
			{Value: "uncapped_liability", Name: "Uncapped liability"}, {Value: "exclusivity", Name: "Exclusivity"}, {Value: "non_compete", Name: "Non-compete"},
			{Value: "change_of_control", Name: "Change of control"}, {Value: "termination_for_convenience", Name: "Termination for convenience"},
			{Value: "renewal_term", Name: "Renewal term"}, {Value: "insurance", Name: "Insurance"}, {Value: "audit_rights", Name: "Audit rights"},
			{Value: "most_favored_nation", Name: "Most favored nation"}, {Value: "liquidated_damages", Name: "Liquidated damages"},
			{Value: "rofr_rofo_rofn", Name: "Right of first refusal, offer or negotiation"}, {Value: "source_code_escrow", Name: "Source code escrow"},
			{Value: "unlimited_license", Name: "Unlimited license"}, {Value: "no_solicit_of_employees", Name: "No-solicit of employees"},
			{Value: "no_solicit_of_customers", Name: "No-solicit of customers"},
		},
	},
	Find: finds(map[query.Field][]string{
		query.Party:                           append([]string{"Acme Inc.", "Acme Ltd", "Bolt GmbH", "NETGEAR, Inc.", "Under Armour, Inc.", "Bank of the West", "Smith and Sons", "ING Bank N.V."}, holdings()...),
		query.Counterparty:                    {"Acme Inc.", "Acme Ltd", "Bolt GmbH"},
		query.CreatedBy:                       {"Jane Doe", "John Roe"},
		query.MatterOwner:                     {"Jane Doe", "John Roe"},
		query.AttributeField("governing_law"): {"Delaware", "New York", "California", "Texas", "England and Wales", "Germany", "Virginia", "West Virginia", "New Jersey and Hong Kong", "China"},
		query.AttributeField("renewal_type"):  {"automatic", "by notice or agreement", "none"},
		query.AttributeField("risk"):          {"High", "Medium", "Low"},
		query.AttributeField("document_name"): {"Employment Agreement", "End User License Agreement", "First Amendment", "Vendor Services Agreement", "Master Agreement for Services"},
	}),
}

// holdings are more names with "ing" in them than are listed.
func holdings() []string {
	var list []string
	for i := range query.MostFound + 10 {
		list = append(list, fmt.Sprintf("Number %d Holdings", i))
	}
	return list
}

// finds finds values as the team's files are searched for them: anywhere in a name, and not more
// than so many.
func finds(names map[query.Field][]string) func(query.Field, string) []query.Option {
	return func(f query.Field, name string) (found []query.Option) {
		for _, one := range names[f] {
			if strings.Contains(strings.ToLower(one), strings.ToLower(name)) && len(found) < query.MostFound {
				found = append(found, query.Option{Value: one, Name: one})
			}
		}
		return found
	}
}

// TestQuestions asks what testdata/questions.txt lists, in which each question stands
// beside its query in one line.
func TestQuestions(t *testing.T) {
	t.Parallel()
	require.GreaterOrEqual(t, ask(t, "questions.txt", asked), 600)
}

// TestPortfolio asks of a team with more types, parties and fields what testdata/portfolio.txt
// lists: questions that were written down before anybody looked how they are understood.
func TestPortfolio(t *testing.T) {
	t.Parallel()
	require.GreaterOrEqual(t, ask(t, "portfolio.txt", portfolio()), 5200)
}

// TestNoWordIsLost puts a word into questions, at each place: it is named, or it changes what is asked
// or what is said of it.
func TestNoWordIsLost(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/portfolio.txt")
	require.NoError(t, err)
	v, tried := portfolio(), 0
	read := func(question string) (string, bool) {
		config, understood, err := query.Prompt(question, v)
		said := rendered(config)
		for _, u := range understood {
			said += "; " + u.Meaning
		}
		return said, err == nil
	}
	for i, line := range strings.Split(string(text), "\n") {
		question, want, _ := strings.Cut(line, " => ")
		if i%150 != 20 || strings.HasPrefix(want, "? ") {
			continue
		}
		before, ok := read(question)
		require.True(t, ok, question)
		words := strings.Fields(question)
		for at := 1; at <= len(words); at++ {
			for _, word := range []string{"purple", "not"} {
				tried++
				other := strings.Join(slices.Insert(slices.Clone(words), at, word), " ")
				after, ok := read(other)
				require.False(t, ok && after == before, other)
			}
		}
	}
	require.Greater(t, tried, 200)
	for _, question := range []string{
		"average number of parties per contract", "number of leases and average rent of contracts with Acme", "how many leases expired and how many are active", "next 5 leases to expire with their rents", "contracts signed on behalf of Hooli",
		"which contracts can we drop because they expire in March", "for distribution, how many contracts do we have", "average term for Acme contracts against all contracts", "cumulative contract value by month",
	} {
		after, ok := read(question)
		require.False(t, ok, after)
	}
	for question, left := range map[string]string{ // of two figures the other one is named
		"number of leases and average rent per region": "average rent of leases per region",
		"total value and count by type":                "count by type",
		"average and maximum value of NDAs":            "maximum value of NDAs",
	} {
		after, _ := read(question)
		require.Contains(t, after, `ask for it by itself: "`+left+`"`)
	}
}

// ask compares how the questions of a list are understood with what it says, and counts them.
func ask(t *testing.T, list string, v query.Vocabulary) int {
	t.Helper()
	text, err := os.ReadFile("testdata/" + list)
	require.NoError(t, err)
	count := 0
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		count++
		question, want, _ := strings.Cut(line, " => ")
		t.Run(question, func(t *testing.T) {
			t.Parallel()
			config, understood, err := query.Prompt(question, v)
			if words, refused := strings.CutPrefix(want, "? "); refused {
				require.Equal(t, fault.Invalid, fault.KindOf(err), "it was understood as %s", rendered(config))
				require.Contains(t, strings.ToLower(fault.Message(err)), words)
				return
			}
			require.NoError(t, err)
			require.Equal(t, want, rendered(config))
			require.NotEmpty(t, understood)
		})
	}
	return count
}

// portfolio is the vocabulary of a team with many types of contracts.
func portfolio() query.Vocabulary {
	options := func(list ...string) (all []query.Option) {
		for _, one := range list {
			value, name, _ := strings.Cut(one, "=")
			all = append(all, query.Option{Value: value, Name: name})
		}
		return all
	}
	people := []string{"Jane Doe", "John Roe", "Maria Lopez"}
	parties := []string{"Acme Inc.", "Acme Ltd", "Bolt GmbH", "Initech LLC", "Globex Corporation", "Umbrella Corp", "Hooli", "Northwind Traders", "Contoso Ltd", "Stark Industries"}
	v := asked
	v.Own = append(slices.Clone(v.Own), options("cost_centre_number=Cost centre", "risk_rating=Risk rating", "region=Region")...)
	v.Values = map[query.Field][]query.Option{
		query.Matter: options("northwind=Northwind", "falcon=Project Falcon"),
		query.Label: append(slices.Clone(asked.Values[query.Label]), options("ip_ownership_assignment=IP ownership assignment", "non_disparagement=Non-disparagement", "warranty_duration=Warranty duration",
			"minimum_commitment=Minimum commitment", "price_restrictions=Price restrictions", "covenant_not_to_sue=Covenant not to sue", "third_party_beneficiary=Third party beneficiary", "license_grant=License grant",
			"non_transferable_license=Non-transferable license", "post_termination_services=Post-termination services", "notice_period_to_terminate_renewal=Notice period to terminate renewal",
			"revenue_profit_sharing=Revenue or profit sharing", "volume_restriction=Volume restriction", "joint_ip_ownership=Joint IP ownership", "irrevocable_or_perpetual_license=Irrevocable or perpetual license",
			"affiliate_license_licensee=Affiliate license of licensee", "competitive_restriction_exception=Competitive restriction exception")...),
		query.DocumentType: options("license=License Agreement", "nda=Non-Disclosure Agreement", "lease=Lease", "msa=Master Services Agreement", "employment=Employment Agreement", "consulting=Consulting Agreement", "loan=Loan Agreement",
			"supply=Supply Agreement", "amendment=Amendment", "service=Service Agreement", "po=Purchase Order"),
	}
	v.Find = finds(map[query.Field][]string{
		query.Party: parties, query.Counterparty: parties, query.CreatedBy: people, query.MatterOwner: people, query.Category: {"Priority", "Real estate"},
		query.AttributeField("governing_law"): {"Delaware", "New York", "California", "Texas", "England and Wales", "Germany"},
		query.AttributeField("renewal_type"):  {"automatic", "by notice or agreement", "none"},
		query.AttributeField("risk_rating"):   {"High", "Medium", "Low"}, query.AttributeField("risk"): {"High", "Medium", "Low"}, query.AttributeField("region"): {"EMEA", "APAC"},
		query.AttributeField("document_name"): {"Employment Agreement", "End User License Agreement", "First Amendment", "Vendor Services Agreement"},
	})
	return v
}

// rendered is a configuration in one line.
func rendered(c query.Config) string {
	var b strings.Builder
	q := c.Query
	fmt.Fprintf(&b, "%s %s %s", c.Kind, q.Source, q.Metric.Op)
	if q.Metric.Field != "" {
		fmt.Fprintf(&b, "(%s)", strings.TrimSpace(string(q.Metric.Field)+" "+strings.TrimPrefix("in "+string(q.Metric.Unit)+"s", "in s")))
	}
	if q.Metric.Op == query.Share {
		var parts []string
		for _, f := range q.Metric.Filters {
			parts = append(parts, condition(f))
		}
		fmt.Fprintf(&b, "(%s)", strings.Join(parts, "; "))
	}
	join := func(before string, list []string, joint string) {
		if len(list) > 0 {
			b.WriteString(before + strings.Join(list, joint))
		}
	}
	var groups, filters []string
	for _, f := range q.GroupBy {
		groups = append(groups, string(f))
	}
	join(" by ", groups, ", ")
	if q.Bucket != "" {
		b.WriteString(" per " + string(q.Bucket))
	}
	for _, f := range q.Filters {
		filters = append(filters, condition(f))
	}
	join(" where ", filters, "; ")
	var only []string
	for _, f := range q.Only {
		only = append(only, condition(f))
	}
	join(" only ", only, "; ")
	for i, bound := range q.Having {
		fmt.Fprintf(&b, " %s %s %s", []string{"having", "and"}[min(i, 1)], bound.Op, strings.TrimSuffix(strconv.FormatFloat(bound.Value, 'f', -1, 64)+" of the "+string(bound.Across), " of the "))
	}
	if q.Across != "" {
		fmt.Fprintf(&b, " across %s", q.Across)
	}
	if q.Sort != "" {
		b.WriteString(" sort " + string(q.Sort))
	}
	if q.Limit != 0 {
		fmt.Fprintf(&b, " limit %d", q.Limit)
	}
	return b.String()
}

func condition(f query.Filter) string {
	switch {
	case f.Not != nil:
		return "not(" + condition(*f.Not) + ")"
	case f.Any != nil:
		var parts []string
		for _, part := range f.Any {
			parts = append(parts, condition(part))
		}
		return "any(" + strings.Join(parts, " | ") + ")"
	case f.All != nil:
		var parts []string
		for _, part := range f.All {
			parts = append(parts, condition(part))
		}
		return "all(" + strings.Join(parts, "; ") + ")"
	}
	return strings.Join(strings.Fields(fmt.Sprintf("%s %s %s", f.Field, f.Op, f.Than)), " ") + strings.TrimRight(" "+strings.Join(f.Values, "|"), " ")
}

// TestDatesAreNamed reads which date a question is understood to be about.
func TestDatesAreNamed(t *testing.T) {
	t.Parallel()
	for question, want := range map[string]string{
		"contracts between 2015 and 2018":              `Agreement date: from 2015-01-01 to 2018-12-31; say "uploaded", "signed", "effective" or "expiring" for another date`,
		"files since 2024":                             `Uploaded at: from 2024-01-01; say "uploaded", "signed", "effective" or "expiring" for another date`,
		"contracts expiring in the next 90 days":       "Expiration date: the next 90 days",
		"contracts signed since January":               "Agreement date: since the latest January",
		"contracts expiring in March":                  "Expiration date: in the coming March",
		"contracts with Acme or expiring in March":     "or Expiration date: in the coming March",
		"contracts not expiring this year":             "Expiration date: not: this year, or not stated",
		"agreements sorted by effective date":          "by Effective date, the earliest first, of those that have one",
		"contracts expired since 2024":                 "Expiration date: from 2024-01-01, before today",
		"matters with fewer than 5 documents":          "by Matter, those with fewer than 5, of those that have any",
		"Acme vs Bolt":                                 "Party is Acme Inc. or Acme Ltd or Bolt GmbH, split by Party",
		"contracts expiring soon":                      "Expiration date: soon: the next 90 days",
		"leases expiring before 1 July":                "Expiration date: before the coming 1 July",
		"contracts signed since 5 March":               "Agreement date: since the latest 5 March",
		"contracts expiring from March to May":         "Expiration date: from the coming March to May",
		"leases ending before 1 July next year":        "Expiration date: before 1 July of next year",
		"exclusive contracts in the next 90 days":      `Expiration date: the next 90 days; say "uploaded", "signed", "effective" or "expiring" for another date`,
		"contracts with a contract value over 1000000": "Contract value is above 1000000, whatever the currency",
	} {
		_, understood, err := query.Prompt(question, asked)
		require.NoError(t, err, question)
		var meanings []string
		for _, u := range understood {
			meanings = append(meanings, u.Meaning)
		}
		require.Contains(t, meanings, want, question)
	}
}

// TestNearestNames names what may have been meant, where not all is understood.
func TestNearestNames(t *testing.T) {
	t.Parallel()
	for question, want := range map[string]string{
		"happiness by goverming law":                     `"governing law"`,
		"happy contracts with a change of contrl":        `"change of control"`,
		"contracts expirng in the next 90 happy days":    `"expiring"`,
		"contracts expiring in the next 90 days by hapy": `"hapy"`,
	} {
		_, _, err := query.Prompt(question, asked)
		require.ErrorContains(t, err, want, question)
	}
	_, _, err := query.Prompt("sing me a song", asked)
	require.NotContains(t, err.Error(), "did you mean")
}

// TestMisspelt reads words in which a letter is wrong, and says so.
func TestMisspelt(t *testing.T) {
	t.Parallel()
	for question, want := range map[string]query.Understood{
		"contracts by goverming law":            {Phrase: "goverming", Meaning: `read as "governing"`},
		"contracts with a change of contrl":     {Phrase: "contrl", Meaning: `read as "control"`},
		"contracts expirng in the next 90 days": {Phrase: "expirng", Meaning: `read as "expiring"`},
		"contarcts signed last year":            {Phrase: "contarcts", Meaning: `read as "contracts"`},
	} {
		_, understood, err := query.Prompt(question, asked)
		require.NoError(t, err, question)
		require.Contains(t, understood, want)
	}
	for _, question := range []string{"contracts with fines over 5000", "contracts with Initec", "houses signed last year", "contracts by parts"} {
		_, _, err := query.Prompt(question, portfolio())
		require.Error(t, err, question)
	}
}

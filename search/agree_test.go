package search_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db/dbtest"
	"github.com/clausemill/clausemill/search"
)

// questions are what people ask: clauses by their names, phrases, parties, figures,
// misspelt words, sentences with a question mark, and expressions.
var questions = strings.Split(strings.TrimSpace(`
governing law
termination
termination for convenience
limitation of liability
cap on liability
consequential damages
indemnification
indemnify and hold harmless
confidentiality
confidential information
non-disclosure
force majeure
assignment
anti-assignment
change of control
exclusivity
exclusive territory
non-compete
non-solicitation
non-solicitation of employees
no solicitation of customers
most favored nation
right of first refusal
right of first offer
revenue sharing
profit share
minimum commitment
volume restriction
price restrictions
audit rights
audit of books and records
source code escrow
insurance
liquidated damages
warranty duration
post-termination services
covenant not to sue
third party beneficiary
license grant
irrevocable license
perpetual license
non-transferable license
affiliate license
joint ip ownership
intellectual property ownership
renewal term
automatic renewal
notice period to terminate renewal
effective date
expiration date
agreement date
parties
dispute resolution
arbitration
jurisdiction and venue
waiver of jury trial
severability
entire agreement
amendment
counterparts
survival
notices
payment terms
late payment interest
taxes
royalties
royalty rate
milestone payments
data protection
personal data
privacy
security breach
service levels
uptime
acceptance testing
delivery schedule
title and risk of loss
inspection of goods
recall
product liability
compliance with laws
export control
anti-bribery
foreign corrupt practices act
subcontracting
key personnel
independent contractor
relationship of the parties
equitable relief
injunctive relief
specific performance
remedies cumulative
material breach
cure period
insolvency
bankruptcy
merger or consolidation
successors and assigns
"as is"
"by and between"
"in no event"
"at will"
"time is of the essence"
"sole and exclusive remedy"
"gross negligence or willful misconduct"
"without limiting the foregoing"
"to the extent permitted by law"
"for the avoidance of doubt"
"mutatis mutandis"
"laws of the State of New York"
"laws of the State of Delaware"
"courts of England and Wales"
"thirty (30) days"
"prior written consent"
"shall not be unreasonably withheld"
"including but not limited to"
"one or more"
"and/or"
"best efforts"
"commercially reasonable efforts"
"intellectual property rights"
"work made for hire"
"trade secrets"
"affiliates and subsidiaries"
New York
Delaware
California
Texas
England and Wales
Ontario
Hong Kong
Papua New Guinea
Bank of South Pacific
Datec
Microsoft
IBM
Exxon Mobil
Google
Amazon
Pfizer
Novartis
Diamond Foods
Kellogg
Sony
Garman Routing
Vapotherm
Glu Mobile
Fox Mobile Entertainment
Turner Sports
Cerner
PepsiCo
Motorola
Verizon
AT&T
$1,000,000
1000000
$50,000
$500,000 per occurrence
10%
five percent
1.5% per month
30 days
sixty days written notice
90 days prior notice
180 days
six months
twelve (12) months
two years
five year term
January 1, 2019
December 31, 2020
2015
Section 10.1
Exhibit A
Schedule 2
governning law
terminaton notice
indemnifcation
liabilty cap
confidentialty
arbitraton
exclusvie licence
assigment without consent
insurence coverage
renewel term
waranty
roylaties payable
subcontracter
what law governs this agreement?
who owns the intellectual property?
can the agreement be assigned without consent?
when does the agreement expire?
how long is the notice period?
is there a cap on liability?
who pays the taxes?
may either party terminate for convenience?
what happens after termination?
which state's courts have jurisdiction?
are there minimum purchase requirements?
how much insurance is required?
does the licensee have exclusive rights in the territory?
what is the late payment interest?
who bears the risk of loss?
liability -indemnification
termination -"for cause"
license -exclusive -perpetual
"governing law" -arbitration
arbitration OR mediation
(arbitration OR litigation) AND costs
indemnify AND NOT negligence
insurance AND (general OR automobile)
"change of control" OR "change in control"
terminate AND (convenience OR "without cause")
royalty OR royalties
NOT confidential AND disclosure
audit AND (books OR records) AND -financial
licensed trademarks
licensing trademark
governed laws
payments due upon invoices
distributing products
distributor's obligations
franchisee
franchise fee
sponsorship rights
advertising materials
hosting services
maintenance and support
outsourcing
consulting fees
co-branding
joint venture
manufacturing
supply of product
promotion
affiliate
agency
endorsement
transportation
strategic alliance
development plan
collaboration
reseller
remarketer
web site
website
e-mail
user data
click-through
banner advertisements
internet
`), "\n")

// TestAgreement asks both engines what people ask: what they find is the same, in all
// contracts, and so are the files.
func TestAgreement(t *testing.T) { //nolint:paralleltest // it takes the machine for itself
	list := contracts(t, 150)
	d, _ := dbtest.Database(t)
	meili, postgres := newMeili(t, d), search.NewPostgres(d)
	h := newHouse(t, d, meili)
	began := time.Now()
	ids := h.fill(t, list)
	_, err := d.Pool().Exec(t.Context(), "ANALYZE sentences")
	require.NoError(t, err)
	t.Logf("%d contracts filled in %s", len(ids), time.Since(began))
	require.GreaterOrEqual(t, len(questions), 200)

	var sentences, files []float64
	beyond := 0
	for _, text := range questions {
		one, other := &findings{}, &findings{}
		if !one.compare(t, h, meili, postgres, text, nil, ids, other) {
			beyond++
			t.Logf("%q is answered by Postgres alone", text)
			continue
		}
		sentences, files = append(sentences, jaccard(one.sentences, other.sentences)), append(files, jaccard(one.files, other.files))
		if last := len(files) - 1; sentences[last] < 0.98 || files[last] < 0.98 {
			t.Logf("%-50q %.3f of %d and %d sentences, %.3f of %d and %d files", text, sentences[last], len(one.sentences), len(other.sentences),
				files[last], len(one.files), len(other.files))
		}
	}
	t.Logf("asked in %s", time.Since(began))
	slices.Sort(sentences)
	slices.Sort(files)
	for what, list := range map[string][]float64{"sentences": sentences, "files": files} {
		median, worst := list[len(list)/2], list[0]
		t.Logf("%d questions, %s in both: median %.3f, worst %.3f", len(list), what, median, worst)
		require.GreaterOrEqual(t, median, 0.98, what)
		require.GreaterOrEqual(t, worst, 0.9, what)
	}
	require.LessOrEqual(t, beyond, len(questions)/20, "of these Postgres answers alone")
}

// findings are what an engine found.
type findings struct{ sentences, files []string }

// compare asks two engines the same, and where there is more than one answer holds,
// about half of the files and then the other. It reports whether the first answers.
func (f *findings) compare(t *testing.T, h *house, one, two search.Engine, text string, some, all []string, other *findings) bool {
	t.Helper()
	q := search.Query{Text: text, Limit: search.Window, Filter: search.Filter{FileIDs: some}}
	sentences, err := one.Sentences(t.Context(), h.ours, q)
	if err != nil {
		return false
	}
	others, err := two.Sentences(t.Context(), h.ours, q)
	require.NoError(t, err)
	if half := len(all) / 2; (!sentences.Exact || !others.Exact) && half > 0 {
		return f.compare(t, h, one, two, text, all[:half], all[:half], other) && f.compare(t, h, one, two, text, all[half:], all[half:], other)
	}
	files, err := one.Files(t.Context(), h.ours, q)
	require.NoError(t, err)
	otherFiles, err := two.Files(t.Context(), h.ours, q)
	require.NoError(t, err)
	f.add(sentences, files)
	other.add(others, otherFiles)
	return true
}

func (f *findings) add(sentences search.Sentences, files search.Files) {
	for _, hit := range sentences.Hits {
		if !sentences.Relaxed {
			f.sentences = append(f.sentences, hit.SentenceID)
		}
	}
	for _, hit := range files.Hits {
		if !files.Relaxed {
			f.files = append(f.files, hit.FileID)
		}
	}
}

// jaccard is how much of two sets is in both.
func jaccard(one, other []string) float64 {
	all := map[string]int{}
	for _, id := range one {
		all[id] |= 1
	}
	for _, id := range other {
		all[id] |= 2
	}
	if len(all) == 0 {
		return 1
	}
	both := 0
	for _, in := range all {
		both += in / 3
	}
	return float64(both) / float64(len(all))
}

package doctype

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestBaseAbstains holds the base to telling no type of contracts of kinds, and in
// languages, that it has not seen, whatever their words are.
func TestBaseAbstains(t *testing.T) {
	t.Parallel()
	m, err := Base()
	require.NoError(t, err)
	body := strings.TrimPrefix(franchise, "FRANCHISE AGREEMENT")
	require.Equal(t, "franchise", m.Predict(Contract{Title: "FRANCHISE AGREEMENT", Text: body}, every).Type)
	for _, title := range []string{
		"LEASE AGREEMENT", "Commercial Sublease", "Employment Agreement", "PROMISSORY NOTE", "Loan Agreement", "Mutual Non-Disclosure Agreement", "Mutual NDA",
		"STATEMENT OF WORK", "Work Order", "Order Form", "Acme Terms of Service", "Terms & Conditions", "Privacy Policy",
	} {
		p := m.Predict(Contract{Title: title, Text: body}, every)
		require.Empty(t, p.Type, title)
		sum := 0.0
		for _, s := range p.Scores {
			sum += s.Probability
		}
		require.InDelta(t, 1, sum, 1e-6)
	}
	require.Equal(t, "franchise", m.Predict(Contract{Title: "Franchise and Non-Disclosure Agreement", Text: body}, every).Type)
	require.Empty(t, m.Predict(Contract{Text: franchise, Language: "nl"}, every).Type)

	team, err := m.Adapt([]Example{{Contract{Title: "LEASE AGREEMENT", Text: body}, "lease"}, {Contract{Title: "Commercial Lease", Text: body}, "lease"}, {Contract{Title: "Office Lease Agreement", Text: body}, "lease"}})
	require.NoError(t, err)
	require.Equal(t, "lease", team.Predict(Contract{Title: "Lease Agreement", Text: body}, every).Type, "a team teaches its own")
}

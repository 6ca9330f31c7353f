package db_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db/dbtest"
)

// TestIsParty compares parties with what a team calls itself.
func TestIsParty(t *testing.T) {
	t.Parallel()
	d, _ := dbtest.Database(t)
	for _, c := range []struct {
		party, own string
		want       bool
	}{
		{"Acme, Inc.", "Acme GmbH", true},
		{"ACME  Gesellschaft mit beschränkter Haftung", "Acme GmbH", true},
		{"Acme GmbH & Co. KG", "Acme AG", true},
		{"Acme S.à r.l.", "acme", true},
		{"Acme S.p.A.", "Acme", true},
		{"Acme Tools Ltd", "Acme", true}, // of the group
		{"Acme Tools Ltd", "Acme Ltd", false},
		{"Acmeville Ltd", "Acme", false},
		{"The Acme Company", "Acme", false},
		{"Bolt Inc.", "Zap Inc.", false},
		{"Co", "Inc", false},
		{"Société Générale", "SOCIETE GENERALE SA", true},
		{"三菱商事株式会社", "三菱商事株式会社", true},
		{"---", "!!!", false},
		{"Acme", "...", false},
	} {
		var got bool
		require.NoError(t, d.Pool().QueryRow(t.Context(), `SELECT is_party($1, $2)`, c.party, c.own).Scan(&got))
		require.Equal(t, c.want, got, "%q as %q", c.party, c.own)
	}
}

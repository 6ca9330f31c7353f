package db_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/db/dbtest"
	"github.com/clausemill/clausemill/fault"
)

// signIn signs an account in and returns the user.
func signIn(t *testing.T, d *db.DB, a db.Account) db.User {
	t.Helper()
	var user db.User
	require.NoError(t, d.InTx(t.Context(), func(tx *db.Tx) (err error) {
		user, err = tx.SignIn(t.Context(), a)
		return err
	}))
	return user
}

func teamNames(t *testing.T, d *db.DB, userID string) map[string]string {
	t.Helper()
	teams, err := d.Memberships(t.Context(), userID)
	require.NoError(t, err)
	roles := map[string]string{}
	for _, team := range teams {
		roles[team.Name] = team.Role
	}
	return roles
}

func TestAccounts(t *testing.T) {
	t.Parallel()
	d, _ := dbtest.Database(t)
	ada := db.Account{Issuer: "https://id", Subject: "1", Email: "ada@example.com", Name: "Ada"}
	user := signIn(t, d, ada)
	require.Equal(t, user, signIn(t, d, ada))
	home, err := d.HomeTeam(t.Context(), user.ID)
	require.NoError(t, err)
	require.Equal(t, user.PersonalTeamID, home.ID)

	require.NoError(t, d.InTx(t.Context(), func(tx *db.Tx) error {
		_, err := tx.EnsureUser(t.Context(), "grace@example.com", "") // for a key
		return err
	}))
	require.Equal(t, "Grace", signIn(t, d, db.Account{Issuer: "https://id", Subject: "4", Email: "grace@example.com", Name: "Grace"}).Name)

	ada.Email, ada.Name = "ada@new.example", ""
	moved := signIn(t, d, ada)
	require.Equal(t, user.ID, moved.ID, "who has another address is the same person")
	require.Equal(t, "ada@new.example", moved.Email)
	require.Equal(t, "Ada", moved.Name)

	require.NotEqual(t, user.ID, signIn(t, d, db.Account{Issuer: "https://id", Subject: "2", Email: "ada@example.com"}).ID,
		"the old address is somebody else's now, and the contracts are not")
	for _, taken := range []db.Account{
		{Issuer: "https://id", Subject: "3", Email: "ADA@new.example"}, // a new account with a known address
		{Issuer: "https://id", Subject: "2", Email: "ada@new.example"}, // a known one that takes it over
	} {
		require.Equal(t, fault.Conflict, fault.KindOf(d.InTx(t.Context(), func(tx *db.Tx) error {
			_, err := tx.SignIn(t.Context(), taken)
			return err
		})))
	}
	other := db.Account{Issuer: "https://other", Subject: "1", Email: "ada@new.example"}
	require.Equal(t, user.ID, signIn(t, d, other).ID, "an address that another provider vouches for is the same person")
}

func TestOrganizationsByClaim(t *testing.T) {
	t.Parallel()
	d, _ := dbtest.Database(t)
	ada := db.Account{Issuer: "https://id", Subject: "1", Email: "ada@example.com", Organizations: []string{"Beta", "Acme"}}
	user := signIn(t, d, ada)
	require.Equal(t, map[string]string{"ada@example.com": db.Admin, "Acme": db.Admin, "Beta": db.Admin}, teamNames(t, d, user.ID))
	bob := signIn(t, d, db.Account{Issuer: "https://id", Subject: "2", Email: "bob@example.com", Organizations: []string{"acme"}})
	require.Equal(t, map[string]string{"bob@example.com": db.Admin, "Acme": db.Member}, teamNames(t, d, bob.ID))
	home, err := d.HomeTeam(t.Context(), bob.ID)
	require.NoError(t, err)
	require.Equal(t, "Acme", home.Name)

	require.NoError(t, d.CreateSession(t.Context(), []byte("in acme"), user.ID, home.ID, time.Hour))
	require.NoError(t, d.CreateSession(t.Context(), []byte("at home"), user.ID, user.PersonalTeamID, time.Hour))
	require.NoError(t, d.InTx(t.Context(), func(tx *db.Tx) error {
		_, err := tx.CreateOrganization(t.Context(), "Gamma", user.ID)
		return err
	}))
	ada.Organizations = []string{"Beta"}
	signIn(t, d, ada)
	require.Equal(t, map[string]string{"ada@example.com": db.Admin, "Beta": db.Admin, "Gamma": db.Admin}, teamNames(t, d, user.ID),
		"what no claim brought no claim takes away")
	_, err = d.SessionByHash(t.Context(), []byte("in acme"))
	require.Equal(t, fault.NotFound, fault.KindOf(err))
	_, err = d.SessionByHash(t.Context(), []byte("at home"))
	require.NoError(t, err)

	ada.Organizations = nil
	signIn(t, d, ada)
	require.Contains(t, teamNames(t, d, user.ID), "Beta", "who is not asked about organizations leaves none")

	ada.Organizations = []string{"Acme"}
	signIn(t, d, ada)
	require.Equal(t, db.Admin, teamNames(t, d, user.ID)["Acme"], "an organization without an admin gets one")
	require.NotContains(t, teamNames(t, d, user.ID), "Beta")
}

// TestLastAdmin has two admins leave at once: one of them stays.
func TestLastAdmin(t *testing.T) {
	t.Parallel()
	d, _ := dbtest.Database(t)
	for range 5 {
		var in db.Scope
		users := [2]string{}
		require.NoError(t, d.InTx(t.Context(), func(tx *db.Tx) error {
			for i := range users {
				u, err := tx.EnsureUser(t.Context(), db.NewID()+"@example.com", "")
				require.NoError(t, err)
				users[i] = u.ID
			}
			team, err := tx.CreateOrganization(t.Context(), "Acme", users[0])
			require.NoError(t, err)
			in = db.Scope{TeamID: team.ID, ActorKind: "user", ActorID: users[0]}
			return tx.AddMember(t.Context(), team.ID, users[1], db.Admin)
		}))
		left := make(chan error, 2)
		go func() {
			left <- d.InTx(t.Context(), func(tx *db.Tx) error { return tx.RemoveMember(t.Context(), in, users[0]) })
		}()
		go func() {
			left <- d.InTx(t.Context(), func(tx *db.Tx) error { return tx.SetRole(t.Context(), in, users[1], db.Member) })
		}()
		kinds := []bool{<-left == nil, <-left == nil}
		require.ElementsMatch(t, []bool{true, false}, kinds)
	}
}

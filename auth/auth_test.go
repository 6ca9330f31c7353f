package auth_test

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/db/dbtest"
	"github.com/clausemill/clausemill/fault"
)

func TestMain(m *testing.M) {
	code := m.Run()
	dbtest.Drop()
	os.Exit(code)
}

// user makes somebody with a key.
func user(t *testing.T, d *db.DB, expires *time.Time) (db.User, auth.Secret, db.APIKey) {
	t.Helper()
	secret := auth.NewKey(db.UserKey)
	var who db.User
	var key db.APIKey
	// Tests share a database, and a new address is locked until its test ends.
	require.NoError(t, d.InTx(t.Context(), func(tx *db.Tx) (err error) {
		who, err = tx.EnsureUser(t.Context(), "alice@"+rand.Text()+".example", "Alice")
		require.NoError(t, err)
		key, err = tx.CreateAPIKey(t.Context(), db.APIKey{
			Kind: db.UserKey, TeamID: who.PersonalTeamID, UserID: &who.ID, Name: "test", Hint: secret.Hint, ExpiresAt: expires,
		}, secret.Hash)
		return err
	}))
	return who, secret, key
}

func TestKeys(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	a := auth.New(d)
	alice, secret, _ := user(t, d, nil)

	p, err := a.Key(t.Context(), secret.Text)
	require.NoError(t, err)
	require.Equal(t, auth.UserKey, p.Kind)
	require.True(t, p.ByKey())
	require.Equal(t, db.Scope{TeamID: alice.PersonalTeamID, ActorKind: "user", ActorID: alice.ID, Hidden: []string{}}, p.Scope())
	require.Equal(t, "user:"+alice.ID, p.RateSubject())
	keys, err := d.APIKeys(t.Context(), alice.PersonalTeamID)
	require.NoError(t, err)
	require.NotNil(t, keys[0].LastUsedAt)

	for _, text := range []string{
		"", "cm_user_", secret.Text[:len(secret.Text)-1], secret.Text + "0", strings.Replace(secret.Text, "cm_user_", "cm_org_", 1),
		auth.NewKey(db.UserKey).Text, strings.ToUpper(secret.Text),
	} {
		_, err := a.Key(t.Context(), text)
		require.Equal(t, fault.Anonymous, fault.KindOf(err), text)
		require.NotContains(t, err.Error(), "cm_")
	}
}

func TestOrganizationKey(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	secret := auth.NewKey(db.OrganizationKey)
	require.True(t, strings.HasPrefix(secret.Text, "cm_org_"))
	var key db.APIKey
	require.NoError(t, d.InTx(t.Context(), func(tx *db.Tx) error {
		team, err := tx.EnsureOrganization(t.Context(), "Acme "+rand.Text())
		require.NoError(t, err)
		key, err = tx.CreateAPIKey(t.Context(), db.APIKey{Kind: db.OrganizationKey, TeamID: team.ID, Name: "test", Hint: secret.Hint}, secret.Hash)
		return err
	}))
	p, err := auth.New(d).Key(t.Context(), secret.Text)
	require.NoError(t, err)
	require.Equal(t, auth.OrganizationKey, p.Kind)
	require.Equal(t, db.Scope{TeamID: key.TeamID, ActorKind: "key", ActorID: key.ID, Hidden: []string{}}, p.Scope())
	require.Empty(t, p.Scope().UserID(), "no person is behind it")
	require.Equal(t, "team:"+key.TeamID, p.RateSubject())
}

func TestDeadKeys(t *testing.T) {
	t.Parallel()
	t.Run("Expired", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		past := time.Now().Add(-time.Minute)
		_, secret, _ := user(t, d, &past)
		_, err := auth.New(d).Key(t.Context(), secret.Text)
		require.Equal(t, fault.Anonymous, fault.KindOf(err))
	})
	t.Run("Revoked", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		_, secret, key := user(t, d, nil)
		require.NoError(t, d.RevokeAPIKey(t.Context(), key.ID))
		_, err := auth.New(d).Key(t.Context(), secret.Text)
		require.Equal(t, fault.Anonymous, fault.KindOf(err))
	})
}

func TestSessions(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	a := auth.New(d)
	alice, _, _ := user(t, d, nil)
	token := auth.NewToken()
	require.NoError(t, d.CreateSession(t.Context(), token.Hash, alice.ID, alice.PersonalTeamID, auth.SessionLifetime))

	p, err := a.Session(t.Context(), token.Text)
	require.NoError(t, err)
	require.False(t, p.ByKey())
	require.Equal(t, db.Admin, p.Role)
	require.Equal(t, alice.Email, p.Email)
	require.Equal(t, db.Scope{TeamID: alice.PersonalTeamID, ActorKind: "user", ActorID: alice.ID, Admin: true, Hidden: []string{}}, p.Scope())

	for _, text := range []string{"", "x", auth.NewToken().Text} {
		_, err := a.Session(t.Context(), text)
		require.Equal(t, fault.Anonymous, fault.KindOf(err))
	}
	require.NoError(t, d.RevokeSession(t.Context(), auth.HashToken(token.Text)))
	_, err = a.Session(t.Context(), token.Text)
	require.Equal(t, fault.Anonymous, fault.KindOf(err))
}

// TestMemory holds the promise of the cache: a known caller costs no query while
// revocations are heard, and never outlives one.
func TestMemory(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	a := auth.New(d)
	alice, _, _ := user(t, d, nil)
	token := auth.NewToken()
	begin := func() {
		require.NoError(t, d.CreateSession(t.Context(), token.Hash, alice.ID, alice.PersonalTeamID, auth.SessionLifetime))
		_, err := a.Session(t.Context(), token.Text)
		require.NoError(t, err)
		require.NoError(t, d.RevokeSession(t.Context(), token.Hash))
	}
	known := func() bool {
		_, err := a.Session(t.Context(), token.Text)
		return err == nil
	}

	begin()
	require.False(t, known(), "nothing is kept before revocations are heard")
	a.Resume()
	begin()
	require.True(t, known(), "it was not asked again")
	a.Revoked("no hash")
	require.True(t, known())
	a.Revoked(hex.EncodeToString(token.Hash))
	require.False(t, known())
	begin()
	a.Revoked(db.NewID())
	require.True(t, known(), "what those in another team may see has changed")
	a.Revoked(alice.PersonalTeamID)
	require.False(t, known(), "what those in this team may see has changed")
	begin()
	require.True(t, known())
	a.ForgetAll()
	require.False(t, known())
	begin()
	require.True(t, known())
	a.Pause()
	require.False(t, known(), "what is revoked from now on would not be heard")
	begin()
	require.False(t, known())
}

func TestNobody(t *testing.T) {
	t.Parallel()
	require.Equal(t, auth.Nobody, auth.From(context.Background()).Kind)
	require.Zero(t, auth.Scope(context.Background()))
	p := auth.Principal{Kind: auth.Session, UserID: "u", TeamID: "t"}
	require.Equal(t, "t", auth.Scope(auth.With(context.Background(), &p)).TeamID)
}

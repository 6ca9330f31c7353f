package db_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/db/dbtest"
	"github.com/clausemill/clausemill/fault"
)

func TestFirstSignInMakesOneUser(t *testing.T) {
	t.Parallel()
	d, _ := dbtest.Database(t)
	var wg sync.WaitGroup
	ids := make([]string, 8)
	for i := range ids {
		wg.Go(func() {
			_ = d.InTx(t.Context(), func(tx *db.Tx) error {
				u, err := tx.EnsureUser(t.Context(), "Ada@Example.com", "Ada")
				ids[i] = u.ID
				return err
			})
		})
	}
	wg.Wait()
	for _, id := range ids {
		require.Equal(t, ids[0], id)
		require.NotEmpty(t, id)
	}
}

func TestOrganization(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		org, err := tx.EnsureOrganization(t.Context(), "Acme Legal")
		require.NoError(t, err)
		again, err := tx.EnsureOrganization(t.Context(), "acme legal")
		require.NoError(t, err)
		require.Equal(t, org.ID, again.ID)

		namesake, err := tx.CreateOrganization(t.Context(), "Acme Legal", b.ours.ActorID)
		require.NoError(t, err)
		again, err = tx.EnsureOrganization(t.Context(), "Acme Legal")
		require.NoError(t, err)
		require.NotEqual(t, namesake.ID, again.ID, "a user's organization is not the operator's of that name")

		require.NoError(t, tx.AddMember(t.Context(), org.ID, b.ours.ActorID, db.Admin))
		require.NoError(t, tx.AddMember(t.Context(), org.ID, b.ours.ActorID, db.Member), "joining again changes nothing")

		hash := []byte("session")
		require.NoError(t, tx.CreateSession(t.Context(), hash, b.ours.ActorID, org.ID, time.Hour))
		s, err := tx.SessionByHash(t.Context(), hash)
		require.NoError(t, err)
		require.Equal(t, db.Admin, s.Role)
		require.Equal(t, org.ID, s.TeamID)
		require.NoError(t, tx.RevokeSession(t.Context(), hash))
		_, err = tx.SessionByHash(t.Context(), hash)
		require.Equal(t, fault.NotFound, fault.KindOf(err))
		return nil
	}))
}

func TestAPIKeys(t *testing.T) {
	t.Parallel()
	b := setup(t)
	user, past := b.ours.ActorID, time.Now().Add(-time.Hour)
	key, err := b.db.CreateAPIKey(t.Context(), db.APIKey{Kind: db.UserKey, TeamID: b.ours.TeamID, UserID: &user, Name: "ci", Hint: "abcd"}, []byte("live"))
	require.NoError(t, err)
	_, err = b.db.CreateAPIKey(t.Context(), db.APIKey{Kind: db.UserKey, TeamID: b.ours.TeamID, UserID: &user, Name: "old", Hint: "abcd", ExpiresAt: &past}, []byte("expired"))
	require.NoError(t, err)

	found, err := b.db.APIKeyByHash(t.Context(), []byte("live"))
	require.NoError(t, err)
	require.Nil(t, found.LastUsedAt)
	require.NoError(t, b.db.TouchAPIKey(t.Context(), key.ID))
	found, err = b.db.APIKeyByHash(t.Context(), []byte("live"))
	require.NoError(t, err)
	require.NotNil(t, found.LastUsedAt)
	_, err = b.db.APIKeyByHash(t.Context(), []byte("expired"))
	require.Equal(t, fault.NotFound, fault.KindOf(err))

	list, err := b.db.APIKeys(t.Context(), b.ours.TeamID)
	require.NoError(t, err)
	require.Len(t, list, 2)
	all, err := b.db.AllAPIKeys(t.Context())
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(all), 2)

	require.NoError(t, b.db.RevokeAPIKey(t.Context(), key.ID))
	require.Equal(t, fault.NotFound, fault.KindOf(b.db.RevokeAPIKey(t.Context(), key.ID)))
	_, err = b.db.APIKeyByHash(t.Context(), []byte("live"))
	require.Equal(t, fault.NotFound, fault.KindOf(err))
}

// TestKeyKinds holds the rule that only a user key has a user.
func TestKeyKinds(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := b.db.CreateAPIKey(t.Context(), db.APIKey{Kind: db.UserKey, TeamID: b.ours.TeamID, Name: "x"}, []byte("h"))
	require.Equal(t, fault.Invalid, fault.KindOf(err))
}

func TestCountRequestsIsExact(t *testing.T) {
	t.Parallel()
	d, _ := dbtest.Database(t)
	const callers, each = 50, 3
	var wg sync.WaitGroup
	counted := make(chan int, callers)
	for range callers {
		wg.Go(func() {
			// Each with another one besides, which half of them name first.
			w, err := d.CountRequests(t.Context(), map[string]int{"team": each, "another": 1}, time.Hour)
			if err != nil {
				t.Error(err)
			}
			counted <- w["team"].Used
		})
	}
	wg.Wait()
	close(counted)
	seen := map[int]bool{}
	for used := range counted {
		seen[used] = true
	}
	for i := range callers {
		require.True(t, seen[each*(i+1)], "%v", seen)
	}

	for range 2 {
		w, err := d.CountRequests(t.Context(), map[string]int{"other": 2}, time.Nanosecond)
		require.NoError(t, err)
		require.Equal(t, 2, w["other"].Used, "a window that is over starts again")
	}
}

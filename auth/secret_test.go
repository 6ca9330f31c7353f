package auth

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
)

func TestSecretsAreTheirOwn(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 100 {
		for _, s := range []Secret{NewKey(db.UserKey), NewKey(db.OrganizationKey), NewServiceSecret(), NewServiceToken(), NewToken()} {
			require.False(t, seen[s.Text])
			seen[s.Text] = true
			require.Equal(t, hashOf(s.Text), s.Hash)
			require.NotContains(t, string(s.Hash), s.Text)
			require.True(t, strings.HasSuffix(s.Text, s.Hint))
		}
	}
}

func TestChecksumFindsTypingErrors(t *testing.T) {
	t.Parallel()
	key := NewKey(db.UserKey).Text
	require.Regexp(t, `^cm_user_[0-9A-Za-z]{49}$`, key)
	require.True(t, wellFormed(key, userPrefix))
	for i := range key {
		typo := []byte(key)
		typo[i] = '0'
		if key[i] == '0' {
			typo[i] = '1'
		}
		require.False(t, wellFormed(string(typo), userPrefix), "position %d", i)
	}
}

// TestNothingIsKeptAcrossARevocation is the race of a revocation with the query
// that still saw the session.
func TestNothingIsKeptAcrossARevocation(t *testing.T) {
	t.Parallel()
	a := New(nil)
	a.Resume()
	_, err := a.remember([]byte("hash"), func([]byte) (Principal, error) {
		a.Revoked("00")
		return Principal{Kind: Session}, nil
	})
	require.NoError(t, err)
	require.Empty(t, a.known)
}

func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	a := New(nil)
	a.Resume()
	for i := range 3 * cacheSize {
		_, err := a.remember([]byte{byte(i), byte(i >> 8), byte(i >> 16)}, func([]byte) (Principal, error) { return Principal{}, nil })
		require.NoError(t, err)
		require.LessOrEqual(t, len(a.known), cacheSize)
	}
}

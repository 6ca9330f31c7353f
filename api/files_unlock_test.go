package api_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/blob"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
)

// keyring stands in for the reader of documents, a program of its own.
type keyring struct{ blobs *blob.Store }

func (k keyring) Unlock(ctx context.Context, file db.File, password, key string, limit int64) (blob.Written, error) {
	switch password {
	case "Sesame!":
		return k.blobs.Put(ctx, key, strings.NewReader(file.Name+" is open"), limit)
	case "empty":
		return blob.Written{}, fault.File(fault.UnsupportedType, "only PDFs can be unlocked", nil)
	default:
		return blob.Written{}, fault.File(fault.PasswordProtected, "the password is wrong", nil)
	}
}

// failed is a file that could not be read.
func (b *bundle) failed(t *testing.T, who caller, cause fault.Code) db.File {
	t.Helper()
	f := b.file(t, who)
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		return tx.FailAttempt(t.Context(), db.System(who.scope.TeamID), db.Attempt{FileID: f.ID, Number: 1}, db.StageReceived, fault.File(cause, "no", nil))
	}))
	row, err := b.db.File(t.Context(), who.scope, f.ID)
	require.NoError(t, err)
	return row
}

func TestUnlockFile(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *api.Config) { c.Unlocker = keyring{c.Blobs} })
	f := b.failed(t, b.alice, fault.PasswordProtected)
	path := "POST /api/files/" + f.ID + "/unlock"
	before := b.storedBytes(t)

	wrong := get[api.Error](t, b.call(t, b.alice, path, `{"password":"sesame"}`), http.StatusUnprocessableEntity)
	require.Equal(t, "the password is wrong", wrong.Message)
	require.Equal(t, "password_protected", wrong.Code)
	require.Equal(t, "unsupported_type", get[api.Error](t, b.call(t, b.alice, path, `{"password":"empty"}`), http.StatusUnprocessableEntity).Code)
	for _, body := range []string{`{}`, `{"password":""}`, `{"password":null}`, `{"password":"` + strings.Repeat("x", 256) + `"}`} {
		get[api.Error](t, b.call(t, b.alice, path, body), http.StatusUnprocessableEntity)
	}
	for _, who := range []caller{b.mallory, b.acme} {
		get[api.Error](t, b.call(t, who, path, `{"password":"Sesame!"}`), http.StatusNotFound)
	}
	get[api.Error](t, b.call(t, b.aliceKey, path, `{"password":"Sesame!"}`), http.StatusForbidden)
	require.Equal(t, before, b.storedBytes(t))

	w := b.call(t, b.alice, path, `{"password":"Sesame!"}`)
	added := get[api.VersionAdded](t, w, http.StatusAccepted)
	require.Equal(t, added.StatusURL, w.Header().Get("Location"))
	require.Equal(t, 2, added.Version.N)
	require.Equal(t, db.VersionUnlocked, added.Version.Source)
	require.Equal(t, b.alice.scope.ActorID, added.Version.Author.ID)
	now := get[api.File](t, b.call(t, b.alice, "GET /api/files/"+f.ID, ""), http.StatusOK)
	require.Equal(t, db.FileQueued, now.Status)
	require.Equal(t, f.Name, now.Name)
	require.Equal(t, f.Name+" is open", b.call(t, b.alice, "GET /api/files/"+f.ID+"/download", "").Body.String())
	original := get[api.FileVersion](t, b.call(t, b.alice, "GET /api/files/"+f.ID+"/versions/1", ""), http.StatusOK)
	require.Equal(t, db.VersionUploaded, original.Source)
	require.NotEqual(t, original.SHA256, now.SHA256, "the original has kept its hash")
	events, err := b.db.AuditEvents(t.Context(), b.alice.scope, f.ID, 50)
	require.NoError(t, err)
	require.Equal(t, "file.version_added", events[1].Action, "the start of its processing followed")
	require.Contains(t, string(events[1].Data), `"unlock"`)
	for _, password := range []string{"Sesame!", "sesame"} {
		require.NotContains(t, rows(t, b.db), password)
		require.NotContains(t, b.log.String(), password)
	}

	// What is not locked, or no longer, is not opened.
	get[api.Error](t, b.call(t, b.alice, path, `{"password":"Sesame!"}`), http.StatusConflict)
	damaged := b.failed(t, b.alice, fault.CorruptFile)
	get[api.Error](t, b.call(t, b.alice, "POST /api/files/"+damaged.ID+"/unlock", `{"password":"Sesame!"}`), http.StatusConflict)
	require.Equal(t, before+2, b.storedBytes(t))

	b = setup(t)
	other := b.failed(t, b.alice, fault.PasswordProtected)
	get[api.Error](t, b.call(t, b.alice, "POST /api/files/"+other.ID+"/unlock", `{"password":"Sesame!"}`), http.StatusServiceUnavailable)
}

// TestPasswordsAreNotGuessed tries more passwords for a file than a person would.
func TestPasswordsAreNotGuessed(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *api.Config) { c.Unlocker = keyring{c.Blobs} })
	f, other := b.failed(t, b.acme, fault.PasswordProtected), b.failed(t, b.acme, fault.PasswordProtected)
	colleague := b.colleague(t, b.acme, "guesser")
	try := func(who caller, f db.File, password string) int {
		return b.call(t, who, "POST /api/files/"+f.ID+"/unlock", `{"password":"`+password+`"}`).Code
	}
	for range 5 {
		require.Equal(t, http.StatusUnprocessableEntity, try(b.acme, f, "guess"))
		require.Equal(t, http.StatusUnprocessableEntity, try(colleague, f, "guess"))
	}
	w := b.call(t, colleague, "POST /api/files/"+f.ID+"/unlock", `{"password":"Sesame!"}`)
	require.Equal(t, "rate_limited", get[api.Error](t, w, http.StatusTooManyRequests).Code)
	require.NotEmpty(t, w.Header().Get("Retry-After"))
	require.Equal(t, http.StatusTooManyRequests, try(b.acme, f, "Sesame!"))
	require.Equal(t, http.StatusAccepted, try(b.acme, other, "Sesame!"))
}

package api_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
)

// token asks for a token by a form, and by HTTP Basic where basic has two values.
func (b *bundle) token(t *testing.T, form url.Values, basic ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/auth/token", strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if len(basic) == 2 {
		r.SetBasicAuth(basic[0], basic[1])
	}
	return b.send(t, r)
}

func grant(account api.ServiceAccount, scope string) url.Values {
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {account.ID}, "client_secret": {account.Secret}}
	if scope != "" {
		form.Set("scope", scope)
	}
	return form
}

func bearer(token string) caller {
	return caller{header: http.Header{"Authorization": {"Bearer " + token}}}
}

func TestServiceAccounts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	w := b.call(t, b.acme, "POST /api/service-accounts", `{"name":"Nightly export","role":"member","scopes":["export","files:read","export"]}`)
	account := get[api.ServiceAccount](t, w, http.StatusCreated)
	require.Regexp(t, `^cm_svc_`, account.Secret)
	require.Len(t, account.Scopes, 2)
	path := " /api/service-accounts/" + account.ID
	require.Empty(t, get[api.ServiceAccount](t, b.call(t, b.acme, "GET"+path, ""), http.StatusOK).Secret, "shown once")
	for _, body := range []string{
		`{}`, `{"name":"x"}`, `{"name":"x","role":"owner","scopes":["export"]}`, `{"name":"x","role":"viewer","scopes":[]}`,
		`{"name":"x","role":"viewer","scopes":["everything"]}`, `{"name":"x","role":"viewer","scopes":["personal"]}`,
		`{"name":"\u200b","role":"viewer","scopes":["export"]}`, `{"name":"x","role":"viewer","scopes":["export"],"matterIds":["x"]}`,
		`{"name":"x","role":"viewer","scopes":["export"],"matterIds":["` + b.matter(t, b.acme, `{"name":"open"}`).ID + `"]}`,
	} {
		require.Equal(t, http.StatusUnprocessableEntity, b.call(t, b.acme, "POST /api/service-accounts", body).Code, body)
	}

	w = b.token(t, grant(account, ""))
	token := get[api.AccessToken](t, w, http.StatusOK)
	require.Equal(t, "no-store", w.Header().Get("Cache-Control"))
	require.Equal(t, api.AccessToken{Text: token.Text, TokenType: "Bearer", ExpiresIn: 3600, Scope: "export files:read"}, token)
	narrow := get[api.AccessToken](t, b.token(t, url.Values{"grant_type": {"client_credentials"}, "scope": {"export"}}, account.ID, account.Secret), http.StatusOK)
	require.Equal(t, "export", narrow.Scope)

	robot := bearer(token.Text)
	w = b.call(t, robot, "GET /api/files", "")
	require.Equal(t, http.StatusOK, w.Code, w.Body)
	require.NotEmpty(t, w.Header().Get("X-RateLimit-Remaining"))
	require.Equal(t, http.StatusOK, b.call(t, robot, "GET /api/export/files", "").Code)
	require.NotNil(t, get[api.ServiceAccount](t, b.call(t, b.acme, "GET"+path, ""), http.StatusOK).LastUsedAt)
	for who, line := range map[string]string{token.Text: "POST /api/matters", narrow.Text: "GET /api/files"} {
		w = b.call(t, bearer(who), line, `{"name":"x"}`)
		require.Equal(t, "insufficient_scope", get[api.Error](t, w, http.StatusForbidden).Code)
		require.Regexp(t, `^Bearer realm="clausemill", error="insufficient_scope", scope="files:(read|write)"$`, w.Header().Get("WWW-Authenticate"))
	}
	require.Equal(t, http.StatusForbidden, b.call(t, robot, "GET /api/session", "").Code)
	require.Equal(t, http.StatusForbidden, b.call(t, robot, "POST /api/service-accounts", `{}`).Code)

	stale := request(t, b.acme, "PATCH"+path, `{"description":"Every night"}`)
	stale.Header.Set("If-Match", `"7"`)
	require.Equal(t, "conflict", get[api.Error](t, b.send(t, stale), http.StatusConflict).Code)

	// A change holds for tokens that are out.
	get[api.ServiceAccount](t, b.call(t, b.acme, "PATCH"+path, `{"scopes":["files:write"]}`), http.StatusOK)
	require.Equal(t, http.StatusForbidden, b.call(t, robot, "GET /api/export/files", "").Code)
	require.Equal(t, "invalid_scope", get[api.TokenError](t, b.token(t, grant(account, "export")), http.StatusBadRequest).Code)
	writer := bearer(get[api.AccessToken](t, b.token(t, grant(account, "files:write")), http.StatusOK).Text)
	m := get[api.Matter](t, b.call(t, writer, "POST /api/matters", `{"name":"By a program"}`), http.StatusCreated)
	events, err := b.db.AuditEvents(t.Context(), b.acme.scope, m.ID, 10)
	require.NoError(t, err)
	require.Equal(t, []string{"service", account.ID}, []string{events[0].ActorKind, *events[0].ActorID})
	require.Contains(t, b.call(t, b.acme, "GET /api/matters/"+m.ID+"/timeline", "").Body.String(), "Nightly export")

	// What is wrong with requests for tokens.
	for what, wrong := range map[string]struct {
		change url.Values
		code   string
		status int
	}{
		"grant":   {url.Values{"grant_type": {"password"}}, "unsupported_grant_type", 400},
		"nothing": {url.Values{"grant_type": {""}}, "invalid_request", 400},
		"twice":   {url.Values{"client_id": {account.ID, account.ID}}, "invalid_request", 400},
		"secret":  {url.Values{"client_secret": {auth.NewServiceSecret().Text}}, "invalid_client", 401},
		"none":    {url.Values{"client_secret": {""}}, "invalid_client", 401},
		"client":  {url.Values{"client_id": {db.NewID()}}, "invalid_client", 401},
		"no id":   {url.Values{"client_id": {"x"}}, "invalid_client", 401},
		"scope":   {url.Values{"scope": {"personal"}}, "invalid_scope", 400},
	} {
		form := grant(account, "")
		for name, values := range wrong.change {
			form[name] = values
		}
		w := b.token(t, form)
		require.Equal(t, wrong.code, get[api.TokenError](t, w, wrong.status).Code, what)
		require.Equal(t, wrong.status == http.StatusUnauthorized, w.Header().Get("WWW-Authenticate") != "", what)
	}
	require.Equal(t, http.StatusBadRequest, b.token(t, grant(account, ""), account.ID, account.Secret).Code, "in two ways")
	require.Equal(t, http.StatusBadRequest, b.call(t, b.nobody, "POST /auth/token", `{"grant_type":"client_credentials"}`).Code)

	// The secret is replaced: without an interruption, or at once.
	overlapping := get[api.ServiceAccount](t, b.call(t, b.acme, "POST"+path+"/secret", ""), http.StatusOK)
	require.WithinDuration(t, time.Now().Add(24*time.Hour), *overlapping.PreviousSecretUntil, time.Minute)
	require.Equal(t, http.StatusCreated, b.call(t, writer, "POST /api/matters", `{"name":"x"}`).Code)
	for _, secret := range []api.ServiceAccount{account, overlapping} {
		get[api.AccessToken](t, b.token(t, grant(secret, "")), http.StatusOK)
	}
	// The answer was lost, and it is replaced again: programs have the first one still.
	again := get[api.ServiceAccount](t, b.call(t, b.acme, "POST"+path+"/secret", `{"overlapHours":100}`), http.StatusOK)
	require.Equal(t, overlapping.PreviousSecretUntil, again.PreviousSecretUntil, "no longer than was said")
	for _, secret := range []api.ServiceAccount{account, again} {
		get[api.AccessToken](t, b.token(t, grant(secret, "")), http.StatusOK)
	}
	get[api.TokenError](t, b.token(t, grant(overlapping, "")), http.StatusUnauthorized)
	overlapping = get[api.ServiceAccount](t, b.call(t, b.acme, "POST"+path+"/secret", `{"overlapHours":1}`), http.StatusOK)
	require.WithinDuration(t, time.Now().Add(time.Hour), *overlapping.PreviousSecretUntil, time.Minute)
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		_, err := tx.Raw.Exec(t.Context(), `UPDATE service_accounts SET previous_secret_until = now() WHERE id = $1`, account.ID)
		return err
	}))
	get[api.TokenError](t, b.token(t, grant(account, "")), http.StatusUnauthorized)
	next := get[api.ServiceAccount](t, b.call(t, b.acme, "POST"+path+"/secret", ""), http.StatusOK)
	require.WithinDuration(t, time.Now().Add(24*time.Hour), *next.PreviousSecretUntil, time.Minute)
	get[api.AccessToken](t, b.token(t, grant(overlapping, "")), http.StatusOK)
	renewed := get[api.ServiceAccount](t, b.call(t, b.acme, "POST"+path+"/secret", `{"overlapHours":0}`), http.StatusOK)
	require.Nil(t, renewed.PreviousSecretUntil)
	requireInvalidToken(t, b.call(t, writer, "GET /api/matters", ""))
	get[api.TokenError](t, b.token(t, grant(overlapping, "")), http.StatusUnauthorized)

	// The account is revoked at once.
	last := bearer(get[api.AccessToken](t, b.token(t, grant(renewed, "")), http.StatusOK).Text)
	require.Equal(t, http.StatusCreated, b.call(t, last, "POST /api/matters", `{"name":"y"}`).Code)
	get[api.Message](t, b.call(t, b.acme, "DELETE"+path, ""), http.StatusOK)
	requireInvalidToken(t, b.call(t, last, "POST /api/matters", `{"name":"z"}`))
	get[api.TokenError](t, b.token(t, grant(renewed, "")), http.StatusUnauthorized)
	get[api.Error](t, b.call(t, b.acme, "DELETE"+path, ""), http.StatusConflict)
	get[api.Error](t, b.call(t, b.acme, "PATCH"+path, `{"name":"Late"}`), http.StatusConflict)
	require.NotNil(t, get[api.List[api.ServiceAccount]](t, b.call(t, b.acme, "GET /api/service-accounts", ""), http.StatusOK).Items[0].RevokedAt)
}

func requireInvalidToken(t *testing.T, w *httptest.ResponseRecorder) {
	t.Helper()
	get[api.Error](t, w, http.StatusUnauthorized)
	require.Equal(t, `Bearer realm="clausemill", error="invalid_token"`, w.Header().Get("WWW-Authenticate"))
}

func TestServiceTokenExpires(t *testing.T) {
	t.Parallel()
	b := setup(t)
	account := get[api.ServiceAccount](t, b.call(t, b.acme, "POST /api/service-accounts", `{"name":"x","role":"viewer","scopes":["files:read"]}`), http.StatusCreated)
	robot := bearer(get[api.AccessToken](t, b.token(t, grant(account, "")), http.StatusOK).Text)
	require.Equal(t, http.StatusOK, b.call(t, robot, "GET /api/matters", "").Code)
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		_, err := tx.Raw.Exec(t.Context(), `UPDATE service_tokens SET expires_at = now() - interval '1 second' WHERE account_id = $1`, account.ID)
		require.NoError(t, err)
		require.NoError(t, tx.Prune(t.Context()))
		var left int
		require.NoError(t, tx.Raw.QueryRow(t.Context(), `SELECT count(*) FROM service_tokens WHERE account_id = $1`, account.ID).Scan(&left))
		require.Zero(t, left)
		return nil
	}))
	requireInvalidToken(t, b.call(t, robot, "GET /api/matters", ""))
}

// TestTokensAreForSecretsAlone has an account with the hash of what is no secret that
// was handed out: it is refused before the database is asked.
func TestTokensAreForSecretsAlone(t *testing.T) {
	t.Parallel()
	b := setup(t)
	account := get[api.ServiceAccount](t, b.call(t, b.acme, "POST /api/service-accounts", `{"name":"x","role":"viewer","scopes":["files:read"]}`), http.StatusCreated)
	for _, guess := range []string{"guess", account.Secret[:len(account.Secret)-1] + "/", auth.NewServiceToken().Text} {
		require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
			_, err := tx.Raw.Exec(t.Context(), `UPDATE service_accounts SET hash = $1 WHERE id = $2`, auth.HashToken(guess), account.ID)
			return err
		}))
		account.Secret = guess
		get[api.TokenError](t, b.token(t, grant(account, "")), http.StatusUnauthorized)
	}
}

// TestOpenedMattersLeavePrograms opens a matter that a service account lists, and
// restricts it again: the account does not see it then. One that comes back from the
// trash it sees, and one that was purged is listed nowhere.
func TestOpenedMattersLeavePrograms(t *testing.T) {
	t.Parallel()
	b := setup(t)
	restricted := func(name string) string {
		return b.matter(t, b.acme, `{"name":"`+name+`","access":"restricted"}`).ID
	}
	matter, binned, kept := restricted("a"), restricted("b"), restricted("c")
	account := get[api.ServiceAccount](t, b.call(t, b.acme, "POST /api/service-accounts",
		`{"name":"x","role":"viewer","scopes":["files:read"],"matterIds":["`+matter+`","`+binned+`","`+kept+`"]}`), http.StatusCreated)
	path := " /api/service-accounts/" + account.ID
	robot := bearer(get[api.AccessToken](t, b.token(t, grant(account, "")), http.StatusOK).Text)
	seen := func(id string) int { return b.call(t, robot, "GET /api/matters/"+id, "").Code }
	listed := func() []string {
		return get[api.ServiceAccount](t, b.call(t, b.acme, "GET"+path, ""), http.StatusOK).MatterIDs
	}
	require.Equal(t, http.StatusOK, seen(matter))

	get[api.Matter](t, b.call(t, b.acme, "PUT /api/matters/"+matter, `{"access":"open"}`), http.StatusOK)
	require.Equal(t, http.StatusOK, seen(matter))
	trashed := get[struct{ TrashID string }](t, b.call(t, b.acme, "DELETE /api/matters/"+binned, ""), http.StatusOK).TrashID
	require.Equal(t, []string{kept}, listed())
	get[api.ServiceAccount](t, b.call(t, b.acme, "PATCH"+path, `{"matterIds":["`+kept+`"]}`), http.StatusOK)
	get[api.Matter](t, b.call(t, b.acme, "PUT /api/matters/"+matter, `{"access":"restricted"}`), http.StatusOK)
	require.Equal(t, http.StatusNotFound, seen(matter), "it was opened meanwhile")
	require.Equal(t, http.StatusNotFound, seen(binned))
	require.Equal(t, http.StatusOK, b.call(t, b.acme, "POST /api/trash/"+trashed+"/restore", "").Code)
	require.Equal(t, http.StatusOK, seen(binned), "it is back")
	require.ElementsMatch(t, []string{binned, kept}, listed())

	trashed = get[struct{ TrashID string }](t, b.call(t, b.acme, "DELETE /api/matters/"+binned, ""), http.StatusOK).TrashID
	get[api.Message](t, b.call(t, b.acme, "DELETE /api/trash/"+trashed, ""), http.StatusOK)
	var left []string
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		return tx.Raw.QueryRow(t.Context(), `SELECT matter_ids::text[] FROM service_accounts WHERE id = $1`, account.ID).Scan(&left)
	}))
	require.Equal(t, []string{kept}, left)
}

// TestTokensAreLimited tries secrets until it is refused. Who has the right one is
// not locked out by that, and is counted with its other requests.
func TestTokensAreLimited(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *api.Config) { c.Limits.KeyRequests = 3 })
	account := get[api.ServiceAccount](t, b.call(t, b.acme, "POST /api/service-accounts", `{"name":"x","role":"viewer","scopes":["files:read"]}`), http.StatusCreated)
	guess := grant(account, "")
	guess.Set("client_secret", auth.NewServiceSecret().Text)
	for range 3 {
		get[api.TokenError](t, b.token(t, guess), http.StatusUnauthorized)
	}
	for _, client := range []string{account.ID, db.NewID(), "x"} {
		guess.Set("client_id", client)
		w := b.token(t, guess)
		require.Equal(t, "rate_limited", get[api.Error](t, w, http.StatusTooManyRequests).Code)
		require.NotEmpty(t, w.Header().Get("Retry-After"))
	}
	robot := bearer(get[api.AccessToken](t, b.token(t, grant(account, "")), http.StatusOK).Text)
	require.Equal(t, http.StatusOK, b.call(t, robot, "GET /api/matters", "").Code)
	get[api.AccessToken](t, b.token(t, grant(account, "")), http.StatusOK)
	get[api.Error](t, b.token(t, grant(account, "")), http.StatusTooManyRequests)
	get[api.Error](t, b.call(t, robot, "GET /api/matters", ""), http.StatusTooManyRequests)
}

// TestEveryOperationHasAScope is red where an area was added and nobody said which
// service accounts reach it.
func TestEveryOperationHasAScope(t *testing.T) {
	t.Parallel()
	reached := map[string]bool{}
	for line, op := range served() {
		if op.Metadata["access"] == nil || op.Security == nil {
			continue
		}
		for _, way := range op.Security {
			if scopes := way["oauth2"]; scopes != nil {
				require.Len(t, scopes, 1, line)
				require.Contains(t, everyScope, scopes[0], line)
				reached[scopes[0]] = true
			}
		}
		if !accepts(op, "oauth2") {
			require.EqualValues(t, "personal", op.Metadata["scope"], line)
		}
	}
	require.Len(t, reached, len(everyScope))
	require.Len(t, api.OpenAPI().Components.SecuritySchemes["oauth2"].Flows.ClientCredentials.Scopes, len(everyScope))
}

package api_test

import (
	"encoding/hex"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/db"
)

// showsSecret reports whether an operation answers with something that is shown
// once.
func showsSecret(op *huma.Operation) bool {
	for status, answer := range op.Responses {
		content := answer.Content["application/json"]
		if !strings.HasPrefix(status, "2") || content == nil {
			continue
		}
		s := content.Schema
		for s.Ref != "" {
			s = schemas.SchemaFromRef(s.Ref)
		}
		if s.Properties["secret"] != nil || s.Properties["token"] != nil {
			return true
		}
	}
	return false
}

// rows is every row of the database as JSON, but for the secrets of webhooks:
// what is sent is signed with them.
func rows(t *testing.T, d *db.DB) string {
	t.Helper()
	var text string
	require.NoError(t, d.InTx(t.Context(), func(tx *db.Tx) error {
		var tables []string
		if err := tx.Raw.QueryRow(t.Context(), `
			SELECT array_agg(quote_ident(table_name)) FROM information_schema.tables
			WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`).Scan(&tables); err != nil {
			return err
		}
		require.Contains(t, tables, "idempotency_keys")
		for i, table := range tables {
			tables[i] = `SELECT (CASE WHEN '` + table + `' = 'webhooks' THEN to_jsonb(r) - '{secret,previous_secret}'::text[] ELSE to_jsonb(r) END)::text AS row FROM ` + table + ` r`
		}
		return tx.Raw.QueryRow(t.Context(), `SELECT string_agg(row, E'\n') FROM (`+strings.Join(tables, " UNION ALL ")+`) rows`).Scan(&text)
	}))
	return text
}

// TestSecretsAreShownOnce makes everything that has a secret, twice with the
// same Idempotency-Key: no row and no line of the log has the secret, and no
// second answer does.
func TestSecretsAreShownOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	hook := get[api.Webhook](t, b.call(t, b.acme, "POST /api/webhooks", `{"url":"https://example.com/first"}`), http.StatusCreated)
	account := get[api.ServiceAccount](t, b.call(t, b.acme, "POST /api/service-accounts", `{"name":"s","role":"viewer","scopes":["export"]}`), http.StatusCreated)
	bodies := map[string]string{
		"POST /api/service-accounts":             `{"name":"t","role":"viewer","scopes":["export"]}`,
		"POST /api/service-accounts/{id}/secret": "",
		"POST /api/api-keys":                     `{"name":"k","kind":"organization"}`,
		"POST /api/teams/invitations":            `{"email":"bob@example.com"}`,
		"POST /api/webhooks":                     `{"url":"https://example.com/in"}`,
		"POST /api/webhooks/{id}/secret":         "",
	}
	var found []string
	for line, op := range served() {
		if op.Method == http.MethodPost && showsSecret(op) {
			found = append(found, line)
		}
	}
	for line, body := range bodies {
		require.Contains(t, found, line)
		found = slices.DeleteFunc(found, func(l string) bool { return l == line })
		send := func() (id, secret string) {
			about := hook.ID
			if strings.Contains(line, "service") {
				about = account.ID
			}
			r := request(t, b.acme, strings.Replace(line, "{id}", about, 1), body)
			r.Header.Set("Idempotency-Key", "once")
			w := b.send(t, r)
			require.Less(t, w.Code, 300, w.Body.String())
			var answer struct{ ID, Secret, Token string }
			require.NoError(t, json.Unmarshal(w.Body.Bytes(), &answer))
			if secret = answer.Secret + answer.Token; secret != "" {
				require.Equal(t, "no-store", w.Header().Get("Cache-Control"), line)
			}
			return answer.ID, secret
		}
		first, secret := send()
		require.Greater(t, len(secret), 40, line)
		again, second := send()
		require.NotEqual(t, secret, second, line)
		if line == "POST /api/webhooks" || line == "POST /api/service-accounts" {
			require.Equal(t, first, again, "it was made once")
			require.Empty(t, second)
		}
		stored := rows(t, b.db)
		for _, s := range []string{secret, second} {
			if s != "" {
				require.NotContains(t, stored, s, line)
				require.NotContains(t, stored, hex.EncodeToString([]byte(s)), line)
				require.NotContains(t, b.log.String(), s, line)
			}
		}
	}
	require.Empty(t, found, "these show a secret as well: say what becomes of it")
	require.Len(t, get[api.List[api.Webhook]](t, b.call(t, b.acme, "GET /api/webhooks", ""), http.StatusOK).Items, 2)
}

package api_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/db"
)

func TestWebhooks(t *testing.T) {
	t.Parallel()
	b := setup(t)
	bob := b.colleague(t, b.acme, "bob")
	w := b.call(t, b.acme, "POST /api/webhooks", `{"url":"https://example.com/in","types":["file.completed","matter.created"],"description":"CRM"}`)
	hook := get[api.Webhook](t, w, http.StatusCreated)
	require.Equal(t, "/api/webhooks/"+hook.ID, w.Header().Get("Location"))
	require.Regexp(t, `^whsec_`, hook.Secret)
	require.True(t, hook.Active)
	path := " /api/webhooks/" + hook.ID

	shown := get[api.Webhook](t, b.call(t, b.acme, "GET"+path, ""), http.StatusOK)
	require.Empty(t, shown.Secret, "shown once")
	require.Equal(t, []api.Webhook{shown}, get[api.List[api.Webhook]](t, b.call(t, b.acme, "GET /api/webhooks", ""), http.StatusOK).Items)
	for _, line := range []string{
		"GET /api/webhooks", "GET" + path, "PATCH" + path, "DELETE" + path, "POST" + path + "/secret", "POST" + path + "/ping", "GET" + path + "/deliveries",
		"POST" + path + "/deliveries/" + hook.ID + "/replay",
	} {
		require.Equal(t, http.StatusForbidden, b.call(t, bob, line, "").Code, line)
		if line != "GET /api/webhooks" {
			require.Equal(t, http.StatusNotFound, b.call(t, b.mallory, line, "").Code, line)
		}
	}
	require.Equal(t, http.StatusForbidden, b.call(t, bob, "POST /api/webhooks", `{"url":"https://example.com"}`).Code)
	for _, body := range []string{
		`{"url":"http://example.com"}`, `{"url":"https://127.0.0.1"}`, `{"url":"https://localhost"}`, `{"url":"https://169.254.169.254/"}`,
		`{"url":"https://a:b@example.com"}`, `{"url":"x"}`, `{"url":"https://example.com","types":["nothing"]}`,
		`{"url":"https://example.com","types":[]}`,
	} {
		require.Equal(t, http.StatusUnprocessableEntity, b.call(t, b.acme, "POST /api/webhooks", body).Code, body)
	}
	require.Equal(t, http.StatusUnprocessableEntity, b.call(t, b.acme, "PATCH"+path+"?url=https://10.0.0.1/", "").Code)

	// What happens is written for it in the same transaction, of its kinds only.
	m := b.matter(t, b.acme, `{"name":"Merger"}`)
	b.file(t, b.acme)
	b.matter(t, b.mallory, `{"name":"Theirs"}`)
	log := func(query string) []api.Delivery {
		return get[api.List[api.Delivery]](t, b.call(t, b.acme, "GET"+path+"/deliveries"+query, ""), http.StatusOK).Items
	}
	require.Len(t, log(""), 1)
	sent := log("?state=pending&type=matter.created")[0]
	var payload struct {
		Type, Timestamp string
		Data            struct{ ID, Name string }
	}
	require.NoError(t, json.Unmarshal(sent.Payload.RawMessage, &payload))
	require.Equal(t, "matter.created", payload.Type)
	require.Equal(t, m.ID, payload.Data.ID)
	require.Regexp(t, `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$`, payload.Timestamp)

	get[api.Error](t, b.call(t, b.acme, "POST"+path+"/deliveries/"+sent.ID+"/replay", ""), http.StatusConflict)
	ref := db.DeliveryRef{ID: sent.ID, TeamID: b.acme.scope.TeamID, Round: 1}
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		return tx.SaveDelivery(t.Context(), ref, db.DeliveryAttempt{State: db.DeliveryFailed, Error: "no answer"})
	}))
	require.Equal(t, "no answer", *log("?state=failed")[0].Error)
	require.Equal(t, 1, get[api.Webhook](t, b.call(t, b.acme, "GET"+path, ""), http.StatusOK).Failures)
	again := get[api.Delivery](t, b.call(t, b.acme, "POST"+path+"/deliveries/"+sent.ID+"/replay", ""), http.StatusAccepted)
	require.Equal(t, 2, again.Round)
	require.Equal(t, db.DeliveryPending, again.State)
	_, err := b.db.DueDelivery(t.Context(), ref)
	require.Error(t, err, "the first round is over")

	ping := get[api.Delivery](t, b.call(t, b.acme, "POST"+path+"/ping", ""), http.StatusAccepted)
	require.Equal(t, db.PingEvent, ping.Type)
	require.Len(t, log(""), 2)

	renewed := get[api.Webhook](t, b.call(t, b.acme, "POST"+path+"/secret", ""), http.StatusOK)
	require.NotEqual(t, hook.Secret, renewed.Secret)
	require.WithinDuration(t, time.Now().Add(24*time.Hour), *renewed.PreviousSecretUntil, time.Hour)
	due, err := b.db.DueDelivery(t.Context(), db.DeliveryRef{ID: ping.ID, TeamID: b.acme.scope.TeamID, Round: 1})
	require.NoError(t, err)
	require.Equal(t, renewed.Secret, due.Secret)
	require.Equal(t, hook.Secret, *due.Previous)
	lost := renewed
	renewed = get[api.Webhook](t, b.call(t, b.acme, "POST"+path+"/secret", ""), http.StatusOK)
	require.Equal(t, lost.PreviousSecretUntil, renewed.PreviousSecretUntil)
	due, err = b.db.DueDelivery(t.Context(), db.DeliveryRef{ID: ping.ID, TeamID: b.acme.scope.TeamID, Round: 1})
	require.NoError(t, err)
	require.Equal(t, renewed.Secret, due.Secret)
	require.Equal(t, hook.Secret, *due.Previous, "receivers may know that one alone")
	get[api.Error](t, b.call(t, b.acme, "POST"+path+"/secret?overlapHours=200", ""), http.StatusUnprocessableEntity)
	renewed = get[api.Webhook](t, b.call(t, b.acme, "POST"+path+"/secret", `{"overlapHours":0}`), http.StatusOK)
	require.Nil(t, renewed.PreviousSecretUntil)
	stale := request(t, b.acme, "PATCH"+path+"?active=false", "")
	stale.Header.Set("If-Match", `"1"`)
	get[api.Error](t, b.send(t, stale), http.StatusConflict)
	off := get[api.Webhook](t, b.call(t, b.acme, "PATCH"+path+"?active=false", ""), http.StatusOK)
	require.False(t, off.Active)
	require.Zero(t, off.Failures)
	b.matter(t, b.acme, `{"name":"Unheard"}`)
	require.Len(t, log(""), 2)
	require.False(t, get[api.Webhook](t, b.call(t, b.acme, "PATCH"+path, `{"active":false,"types":["file.completed"]}`), http.StatusOK).Active)
	all := get[api.Webhook](t, b.call(t, b.acme, "PATCH"+path, `{"active":true,"types":["*"]}`), http.StatusOK)
	require.Equal(t, []string{"*"}, all.Types)
	b.matter(t, b.acme, `{"name":"Heard"}`)
	require.Len(t, log("?type=matter.created"), 2)
	get[api.Message](t, b.call(t, b.acme, "DELETE"+path, ""), http.StatusOK)
	get[api.Error](t, b.call(t, b.acme, "GET"+path, ""), http.StatusNotFound)

	for range db.MaxWebhooks {
		few := get[api.Webhook](t, b.call(t, b.acme, "POST /api/webhooks", `{"url":"https://example.com"}`), http.StatusCreated)
		require.Equal(t, []string{"file.cancelled", "file.completed", "file.failed", "operation.finished"}, few.Types)
	}
	get[api.Error](t, b.call(t, b.acme, "POST /api/webhooks", `{"url":"https://example.com"}`), http.StatusConflict)
}

package clausemill

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// webhookSecret is the one of the example in the text of Standard Webhooks.
const webhookSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

// event is a signed request about now.
func event(id, body string, at time.Time) *http.Request {
	key, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(webhookSecret, "whsec_"))
	timestamp := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + timestamp + "." + body))
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
	r.Header.Set("webhook-id", id)
	r.Header.Set("webhook-timestamp", timestamp)
	r.Header.Set("webhook-signature", "v1,bm90aGluZw== v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	return r
}

func TestVerifyWebhook(t *testing.T) {
	t.Parallel()

	// The example of the text, which has a time of its own.
	header := http.Header{}
	header.Set("webhook-id", "msg_p5jXN8AQM9LWM0D4loKWxJek")
	header.Set("webhook-timestamp", "1614265330")
	header.Set("webhook-signature", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
	body := []byte(`{"test": 2432232314}`)
	long := time.Since(time.Unix(1614265330, 0)) + time.Hour
	require.NoError(t, VerifyWebhook(webhookSecret, header, body, long))
	require.ErrorContains(t, VerifyWebhook(webhookSecret, header, body, WebhookTolerance), "too old")
	require.ErrorContains(t, VerifyWebhook(webhookSecret, header, []byte(`{"test": 2432232315}`), long), "no signature")
	require.ErrorContains(t, VerifyWebhook("whsec_AAAA", header, body, long), "too short")
	require.ErrorContains(t, VerifyWebhook(webhookSecret, http.Header{}, body, long), "has no webhook-id")

	old := "whsec-of-release-0.1.0-is-a-raw-key"
	mac := hmac.New(sha256.New, []byte(old))
	mac.Write([]byte("msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330." + string(body)))
	header.Set("webhook-signature", "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	require.NoError(t, VerifyWebhook(old, header, body, long))
}

func TestWebhookHandler(t *testing.T) {
	t.Parallel()

	var seen []WebhookEvent
	fail := true
	receiver := WebhookHandler(webhookSecret, func(_ context.Context, e WebhookEvent) error {
		if e.ID == "fails" && fail {
			return errors.New("the database is away")
		}
		seen = append(seen, e)
		return nil
	})
	const body = `{"type":"file.completed","timestamp":"2026-11-22T09:30:00Z","data":{"id":"f"}}`
	send := func(r *http.Request) int {
		w := httptest.NewRecorder()
		receiver.ServeHTTP(w, r)
		return w.Code
	}
	require.Equal(t, http.StatusNoContent, send(event("a", body, time.Now())))
	require.Equal(t, []WebhookEvent{{
		ID: "a", Type: "file.completed", Timestamp: time.Date(2026, time.November, 22, 9, 30, 0, 0, time.UTC), Data: []byte(`{"id":"f"}`),
	}}, seen)
	require.Equal(t, http.StatusNoContent, send(event("a", body, time.Now())), "so that it is not sent again")
	require.Len(t, seen, 1, "though it is not handled twice")

	for name, r := range map[string]*http.Request{
		"Old":    event("b", body, time.Now().Add(-2*WebhookTolerance)),
		"Future": event("b", body, time.Now().Add(2*WebhookTolerance)),
		"Forged": event("b", body, time.Now()),
	} {
		if name == "Forged" {
			r.Header.Set("webhook-id", "c")
		}
		require.Equal(t, http.StatusUnauthorized, send(r), name)
	}
	require.Equal(t, http.StatusBadRequest, send(event("d", "no event", time.Now())))
	require.Equal(t, http.StatusBadRequest, send(event("d", strings.Repeat(" ", maxWebhook+1), time.Now())))
	require.Equal(t, http.StatusInternalServerError, send(event("fails", body, time.Now())))
	fail = false
	require.Equal(t, http.StatusNoContent, send(event("fails", body, time.Now())), "it comes again")
	require.Len(t, seen, 2)
}

func TestRecentForgetsTheOldest(t *testing.T) {
	t.Parallel()

	r := recent{ids: map[string]bool{}}
	for i := range knownWebhooks + 1 {
		require.True(t, r.add(strconv.Itoa(i)))
	}
	require.Len(t, r.ids, knownWebhooks)
	require.True(t, r.add("0"))
	require.False(t, r.add(strconv.Itoa(knownWebhooks)))
}

package clausemill

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"math"
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
	timestamp := strconv.FormatInt(at.Unix(), 10)
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
	r.Header.Set("webhook-id", id)
	r.Header.Set("webhook-timestamp", timestamp)
	r.Header.Set("webhook-signature", "v1,bm90aGluZw== "+sign(webhookKey(webhookSecret), id, timestamp, []byte(body)))
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
	header.Set("webhook-signature", sign([]byte(old), "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", body))
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

// TestWebhookHandlerWhileItRuns has attempts come while the first one is being handled,
// which then fails or panics: none of them may be told that the event was handled.
func TestWebhookHandlerWhileItRuns(t *testing.T) {
	t.Parallel()

	const body = `{"type":"ping","timestamp":"2026-11-22T09:30:00Z","data":{}}`
	begun, fail := make(chan struct{}), make(chan func() error)
	receiver := WebhookHandler(webhookSecret, func(context.Context, WebhookEvent) error {
		begun <- struct{}{}
		return (<-fail)()
	})
	send := func() *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		defer func() { _ = recover() }() // as net/http does
		receiver.ServeHTTP(w, event("a", body, time.Now()))
		return w
	}
	for _, tt := range []struct {
		ends func() error
		want int
	}{
		{func() error { return errors.New("the database is away") }, http.StatusInternalServerError},
		{func() error { panic("a mistake") }, 0},
		{func() error { return nil }, http.StatusNoContent},
	} {
		first := make(chan *httptest.ResponseRecorder)
		go func() { first <- send() }()
		<-begun
		second := send()
		require.Equal(t, http.StatusServiceUnavailable, second.Code)
		require.Equal(t, "30", second.Header().Get("Retry-After"))
		fail <- tt.ends
		if w := <-first; tt.want != 0 {
			require.Equal(t, tt.want, w.Code)
		}
	}
	require.Equal(t, http.StatusNoContent, send().Code, "it is not handled again")
}

func TestRecentForgetsTheOldest(t *testing.T) {
	t.Parallel()

	r := recent{handled: map[string]bool{}}
	calls := 0
	handle := func() error { calls++; return nil }
	away := errors.New("the database is away")
	require.ErrorIs(t, r.once("0", func() error { return away }), away)
	for i := range knownWebhooks {
		require.NoError(t, r.once(strconv.Itoa(i), handle))
	}
	require.NoError(t, r.once("0", handle))
	require.Equal(t, knownWebhooks, calls, "one that failed first is known for as long as the others")
	require.NoError(t, r.once("another", handle))
	require.Len(t, r.handled, knownWebhooks)
	require.NoError(t, r.once("0", handle))
	require.NoError(t, r.once("another", handle))
	require.Equal(t, knownWebhooks+2, calls)
}

// sign is one signature.
func sign(key []byte, id, timestamp string, body []byte) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

func TestVerifyWebhookRefuses(t *testing.T) {
	t.Parallel()
	secret, body, now := "whsec_"+base64.StdEncoding.EncodeToString([]byte(rand.Text())), []byte(`{"a":1}`), time.Now()
	at := func(moment time.Time) http.Header {
		timestamp := strconv.FormatInt(moment.Unix(), 10)
		return http.Header{"Webhook-Id": {"d1"}, "Webhook-Timestamp": {timestamp}, "Webhook-Signature": {sign(webhookKey(secret), "d1", timestamp, body)}}
	}
	with := func(name, value string) http.Header {
		h := at(now)
		h.Set(name, value)
		return h
	}
	good := at(now).Get(webhookSignature)
	const tolerance = 5 * time.Minute
	for what, h := range map[string]http.Header{
		"now": at(now), "slow clock": at(now.Add(-4 * time.Minute)), "fast clock": at(now.Add(4 * time.Minute)),
		"several": with(webhookSignature, "v1,AAAA  v2,x "+good),
	} {
		require.NoError(t, VerifyWebhook(secret, h, body, tolerance), what)
	}
	for what, h := range map[string]http.Header{
		"nothing": {}, "replayed later": at(now.Add(-6 * time.Minute)), "from the future": at(now.Add(6 * time.Minute)),
		"no id": with(webhookID, ""), "another id": with(webhookID, "d2"), "no time": with(webhookTimestamp, ""), "no number": with(webhookTimestamp, "now"),
		"the same time": with(webhookTimestamp, "+"+at(now).Get(webhookTimestamp)), "far away": with(webhookTimestamp, "9223372036854775807"),
		"another time": with(webhookTimestamp, strconv.FormatInt(now.Add(time.Second).Unix(), 10)),
		"unsigned":     with(webhookSignature, ""), "another version": with(webhookSignature, strings.Replace(good, "v1,", "v2,", 1)), "a part": with(webhookSignature, good[:len(good)-2]),
	} {
		require.Error(t, VerifyWebhook(secret, h, body, tolerance), what)
	}
	require.Error(t, VerifyWebhook(secret, at(now), []byte(`{"a":2}`), tolerance))
	require.Error(t, VerifyWebhook("whsec_"+base64.StdEncoding.EncodeToString([]byte(rand.Text())), at(now), body, tolerance))

	// A receiver that is not set up takes nothing.
	for _, empty := range []string{"", "whsec_", "whsec_AAAA"} {
		h := at(now)
		h.Set(webhookSignature, sign(webhookKey(empty), "d1", h.Get(webhookTimestamp), body))
		require.Error(t, VerifyWebhook(empty, h, body, tolerance), empty)
	}

	// Secrets that were made before go on as they are.
	old := "cm_hook_" + strings.Repeat("0f", 32)
	h := at(now)
	h.Set(webhookSignature, sign([]byte(old), "d1", h.Get(webhookTimestamp), body))
	require.NoError(t, VerifyWebhook(old, h, body, tolerance))
}

// FuzzVerifyWebhook holds that nothing but the signature lets a request through.
func FuzzVerifyWebhook(f *testing.F) {
	const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	f.Add("d1", "1614265330", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=", []byte(`{"test": 2432232314}`))
	f.Add("", "-1", " v1, ,", []byte{})
	f.Fuzz(func(t *testing.T, id, timestamp, signature string, body []byte) {
		h := http.Header{}
		h.Set(webhookID, id)
		h.Set(webhookTimestamp, timestamp)
		h.Set(webhookSignature, signature)
		if VerifyWebhook(secret, h, body, math.MaxInt64) == nil {
			require.Contains(t, signature, sign(webhookKey(secret), id, timestamp, body))
		}
	})
}

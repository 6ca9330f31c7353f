package clausemill

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// The headers of a webhook's request beside its type, as Standard Webhooks has them.
const (
	webhookID        = "webhook-id"        // the same for all attempts
	webhookTimestamp = "webhook-timestamp" // of this attempt, in Unix seconds
	webhookSignature = "webhook-signature" // one or more of v1,<base64>, separated by spaces
)

// WebhookTolerance is how old a request may be, and how far from the future: clocks
// differ.
const WebhookTolerance = 5 * time.Minute

const (
	minWebhookKey = 24      // bytes
	maxWebhook    = 4 << 20 // bytes of a body
	knownWebhooks = 10_000  // ids that a handler remembers
	webhookPause  = 30      // seconds after which one that is being handled may come again
)

// WebhookEvent is what a webhook is sent.
type WebhookEvent struct {
	ID        string          `json:"-"` // the same for all attempts and replays
	Type      string          `json:"type"`
	Timestamp time.Time       `json:"timestamp"` // of the event
	Data      json.RawMessage `json:"data"`      // for file.completed a FileEndData, and so on
}

// VerifyWebhook checks that a request was signed with the secret of a webhook not
// longer than tolerance ago, as Standard Webhooks says. A request that was sent twice
// passes twice: see WebhookHandler.
func VerifyWebhook(secret string, header http.Header, body []byte, tolerance time.Duration) error {
	key := webhookKey(secret)
	if len(key) < minWebhookKey {
		return errors.New("the secret is too short to be one")
	}
	id, timestamp := header.Get(webhookID), header.Get(webhookTimestamp)
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if id == "" || err != nil {
		return errors.New("the request has no " + webhookID + " or no " + webhookTimestamp)
	}
	if age := time.Since(time.Unix(seconds, 0)); age > tolerance || age < -tolerance {
		return errors.New("the request is too old, or from the future")
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(body)
	want := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	for signature := range strings.FieldsSeq(header.Get(webhookSignature)) {
		if hmac.Equal([]byte(signature), want) {
			return nil
		}
	}
	return errors.New("the request has no signature made with the secret")
}

// webhookKey is what a secret stands for. Secrets that release 0.1.0 made have another
// prefix: their characters are the key.
func webhookKey(secret string) []byte {
	if encoded, ok := strings.CutPrefix(secret, "whsec_"); ok {
		if key, err := base64.StdEncoding.DecodeString(encoded); err == nil {
			return key
		}
	}
	return []byte(secret)
}

// WebhookHandler receives the requests of a webhook. It answers 401 to those that are
// not signed with the secret, or too old, and calls handle for each event. An error of
// handle is answered with 500: the service sends the event again later.
//
// An event that was handled and comes again is answered with success, and one that is
// still being handled with 503; handle is not called. The last 10,000 that were handled
// are remembered, in memory: where a receiver restarts, or is several processes, handle
// has to tell by WebhookEvent.ID.
func WebhookHandler(secret string, handle func(ctx context.Context, event WebhookEvent) error) http.Handler {
	known := &recent{handled: map[string]bool{}}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxWebhook))
		if err != nil {
			http.Error(w, "the body cannot be read", http.StatusBadRequest)
			return
		}
		if err := VerifyWebhook(secret, r.Header, body, WebhookTolerance); err != nil {
			http.Error(w, err.Error(), http.StatusUnauthorized)
			return
		}
		event := WebhookEvent{ID: r.Header.Get(webhookID)}
		if err := json.Unmarshal(body, &event); err != nil {
			http.Error(w, "the body is no event", http.StatusBadRequest)
			return
		}
		err = known.once(event.ID, func() error { return handle(r.Context(), event) }) //nolint:contextcheck // it is the context of the request
		switch {
		case err == nil:
			w.WriteHeader(http.StatusNoContent)
		case errors.Is(err, errUnderWay):
			// No success yet: the service would not send it again if that call fails.
			w.Header().Set("Retry-After", strconv.Itoa(webhookPause))
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
		default:
			http.Error(w, "the event could not be handled", http.StatusInternalServerError)
		}
	})
}

// errUnderWay is of an event that came again before it was handled.
var errUnderWay = errors.New("the event is being handled")

// recent knows the ids that are being handled, and the last ones that were.
type recent struct {
	mu      sync.Mutex
	handled map[string]bool // false while it is being handled
	order   []string        // of those that were handled, the oldest first
}

// once calls handle, unless it was called with that id before and succeeded, or still
// runs. An id whose handle fails or panics is forgotten.
func (r *recent) once(id string, handle func() error) error {
	r.mu.Lock()
	handled, known := r.handled[id]
	if !known {
		r.handled[id] = false
	}
	r.mu.Unlock()
	switch {
	case handled:
		return nil
	case known:
		return errUnderWay
	}
	done := false
	defer func() { r.end(id, done) }()
	err := handle()
	done = err == nil
	return err
}

func (r *recent) end(id string, done bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !done {
		delete(r.handled, id)
		return
	}
	r.handled[id], r.order = true, append(r.order, id)
	if len(r.order) > knownWebhooks {
		delete(r.handled, r.order[0])
		r.order = r.order[1:]
	}
}

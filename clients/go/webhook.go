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
// not signed with the secret, or too old, and calls handle once for each event. An
// error of handle is answered with 500: the service sends the event again later.
//
// An event that was handled and comes again is answered with success, and handle is
// not called. The last 10,000 are remembered, in memory: where a receiver restarts, or
// is several processes, handle has to tell by WebhookEvent.ID.
func WebhookHandler(secret string, handle func(ctx context.Context, event WebhookEvent) error) http.Handler {
	known := &recent{ids: map[string]bool{}}
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
		if !known.add(event.ID) {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		if err := handle(r.Context(), event); err != nil {
			known.remove(event.ID)
			http.Error(w, "the event could not be handled", http.StatusInternalServerError)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
}

// recent remembers the last ids, the oldest first.
type recent struct {
	mu    sync.Mutex
	ids   map[string]bool
	order []string
}

// add reports whether id is new.
func (r *recent) add(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ids[id] {
		return false
	}
	r.ids[id], r.order = true, append(r.order, id)
	if len(r.order) > knownWebhooks {
		delete(r.ids, r.order[0])
		r.order = r.order[1:]
	}
	return true
}

func (r *recent) remove(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.ids, id)
}

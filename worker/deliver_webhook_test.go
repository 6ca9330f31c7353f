package worker_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/blob"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/db/dbtest"
	"github.com/clausemill/clausemill/jobs"
	"github.com/clausemill/clausemill/search"
	"github.com/clausemill/clausemill/webhook"
	"github.com/clausemill/clausemill/worker"
)

// arrived is what a receiver was sent.
type arrived struct {
	header http.Header
	body   string
}

// signed reports whether one of its signatures was made with the secret, not long ago.
func (a arrived) signed(secret string) bool {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	seconds, errTime := strconv.ParseInt(a.header.Get(webhook.TimestampHeader), 10, 64)
	if err != nil || errTime != nil || time.Since(time.Unix(seconds, 0)).Abs() > time.Hour {
		return false
	}
	mac := hmac.New(sha256.New, key)
	_, _ = io.WriteString(mac, a.header.Get(webhook.IDHeader)+"."+a.header.Get(webhook.TimestampHeader)+"."+a.body)
	return slices.Contains(strings.Fields(a.header.Get(webhook.SignatureHeader)), "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
}

// verify checks it as a receiver does.
func (a arrived) verify(t *testing.T, secret string) {
	t.Helper()
	require.True(t, a.signed(secret))
}

// receiver is a server that keeps what it is sent, and answers with a status
// that may change.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	status int
	got    []arrived
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{status: http.StatusOK}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			t.Error(err)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.got = append(r.got, arrived{req.Header, string(body)})
		w.WriteHeader(r.status)
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) answer(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status = status
}

func (r *receiver) all() []arrived {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]arrived{}, r.got...)
}

// postman is a worker that reads no files, with a team whose events it sends.
type postman struct {
	db     *db.DB
	in     db.Scope
	config worker.Config
}

func newPostman(t *testing.T, private bool) *postman {
	t.Helper()
	d, _ := dbtest.Database(t)
	blobs, err := blob.Open(t.Context(), "mem://")
	require.NoError(t, err)
	p := &postman{db: d}
	require.NoError(t, d.InTx(t.Context(), func(tx *db.Tx) error {
		user, err := tx.EnsureUser(t.Context(), "ada@example.com", "")
		p.in = db.Scope{TeamID: user.PersonalTeamID, ActorKind: "user", ActorID: user.ID}
		return err
	}))
	p.config = worker.Config{
		DB: d, Blobs: blobs, Search: search.NewPostgres(d), Slots: map[string]int{jobs.QueueText: 1}, PrivateWebhooks: private,
		Log: slog.New(slog.DiscardHandler), Fenced: func() { t.Error("this worker lost its jobs") },
	}
	return p
}

func (p *postman) start(t *testing.T) (stop func()) {
	t.Helper()
	p.config.Metrics = prometheus.NewRegistry()
	w, err := worker.New(p.config)
	require.NoError(t, err)
	require.NoError(t, w.Start(context.Background()))
	var once sync.Once
	stop = func() {
		once.Do(func() {
			ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
			defer cancel()
			_ = w.Stop(ctx)
		})
	}
	t.Cleanup(stop)
	return stop
}

func (p *postman) hook(t *testing.T, url string) (hook db.Webhook, secret string) {
	t.Helper()
	secret = webhook.NewSecret()
	kinds := []string{"matter.created"}
	require.NoError(t, p.db.InTx(t.Context(), func(tx *db.Tx) (err error) {
		hook, err = tx.CreateWebhook(t.Context(), p.in, db.WebhookChange{URL: &url, Secret: &secret, Kinds: &kinds})
		return err
	}))
	return hook, secret
}

// happen makes an event of a matter of that name.
func (p *postman) happen(t *testing.T, name string) {
	t.Helper()
	require.NoError(t, p.db.InTx(t.Context(), func(tx *db.Tx) error {
		_, err := tx.CreateMatter(t.Context(), p.in, db.MatterChange{Name: &name})
		return err
	}))
}

func (p *postman) log(t *testing.T, hook db.Webhook) []db.Delivery {
	t.Helper()
	rows, err := p.db.Deliveries(t.Context(), p.in, hook.ID, db.DeliveryFilter{}, "", 500)
	require.NoError(t, err)
	return rows
}

// until waits for a condition, with patience for a busy machine.
func until(t *testing.T, condition func() bool, what string) {
	t.Helper()
	require.Eventually(t, condition, 2*time.Minute, 20*time.Millisecond, what)
}

func TestWebhookIsSigned(t *testing.T) {
	t.Parallel()
	p, r := newPostman(t, true), newReceiver(t)
	hook, secret := p.hook(t, r.URL)
	p.start(t)
	p.happen(t, "Merger")
	until(t, func() bool { return len(r.all()) == 1 }, "nothing arrived")
	got := r.all()[0]
	require.Contains(t, got.body, `"name": "Merger"`)
	require.Contains(t, got.body, `"type": "matter.created"`)
	got.verify(t, secret)
	until(t, func() bool { return p.log(t, hook)[0].State == db.DeliveryDelivered }, "it was not recorded")
	d := p.log(t, hook)[0]
	require.Equal(t, d.ID, got.header.Get(webhook.IDHeader))
	require.Equal(t, d.Payload, got.body)
	require.Equal(t, []int{1, http.StatusOK}, []int{d.Attempts, *d.StatusCode})

	require.NoError(t, p.db.InTx(t.Context(), func(tx *db.Tx) error {
		_, err := tx.Replay(t.Context(), p.in, hook.ID, d.ID)
		return err
	}))
	until(t, func() bool { return len(r.all()) == 2 }, "it was not sent again")
	require.Equal(t, got.body, r.all()[1].body)
	require.Equal(t, d.ID, r.all()[1].header.Get(webhook.IDHeader), "a receiver knows it")
}

// TestWebhookRotation replaces a secret: what is sent is signed with both until the
// time of the old one is over.
func TestWebhookRotation(t *testing.T) {
	t.Parallel()
	p, r := newPostman(t, true), newReceiver(t)
	hook, old := p.hook(t, r.URL)
	replace := func(overlap time.Duration) (secret string) {
		secret = webhook.NewSecret()
		require.NoError(t, p.db.InTx(t.Context(), func(tx *db.Tx) error {
			_, err := tx.UpdateWebhook(t.Context(), p.in, hook.ID, db.WebhookChange{Secret: &secret, Overlap: overlap})
			return err
		}))
		return secret
	}
	next := replace(time.Hour)
	p.start(t)
	p.happen(t, "Merger")
	until(t, func() bool { return len(r.all()) == 1 }, "nothing arrived")
	r.all()[0].verify(t, old)
	r.all()[0].verify(t, next)

	require.NoError(t, p.db.InTx(t.Context(), func(tx *db.Tx) error {
		_, err := tx.Raw.Exec(t.Context(), `UPDATE webhooks SET previous_secret_until = now() - interval '1 second'`)
		return err
	}))
	p.happen(t, "Acquisition")
	until(t, func() bool { return len(r.all()) == 2 }, "nothing arrived")
	r.all()[1].verify(t, next)
	require.False(t, r.all()[1].signed(old), "its time is over")
	require.NoError(t, p.db.Prune(t.Context()))
	require.NoError(t, p.db.InTx(t.Context(), func(tx *db.Tx) error {
		var kept int
		require.NoError(t, tx.Raw.QueryRow(t.Context(), `SELECT count(*) FROM webhooks WHERE previous_secret IS NOT NULL`).Scan(&kept))
		require.Zero(t, kept)
		return nil
	}))

	last := replace(0)
	p.happen(t, "Divorce")
	until(t, func() bool { return len(r.all()) == 3 }, "nothing arrived")
	r.all()[2].verify(t, last)
	require.False(t, r.all()[2].signed(next), "somebody else may know it")
}

// TestWebhookOutlivesWorkers ends a worker between two attempts: another one makes
// the next, and for the receiver it is the same message.
func TestWebhookOutlivesWorkers(t *testing.T) {
	t.Parallel()
	p, r := newPostman(t, true), newReceiver(t)
	r.answer(http.StatusBadGateway)
	hook, secret := p.hook(t, r.URL)
	stop := p.start(t)
	p.happen(t, "Merger")
	until(t, func() bool { return p.log(t, hook)[0].Attempts == 1 }, "no attempt was recorded")
	stop()
	r.answer(http.StatusNoContent)
	p.start(t)
	until(t, func() bool { return p.log(t, hook)[0].State == db.DeliveryDelivered }, "nobody went on with it")
	d := p.log(t, hook)
	require.Len(t, d, 1)
	require.Equal(t, 2, d[0].Attempts)
	require.Len(t, r.all(), 2)
	for _, got := range r.all() {
		got.verify(t, secret)
		require.Equal(t, d[0].Payload, got.body)
		require.Equal(t, d[0].ID, got.header.Get(webhook.IDHeader))
	}
}

// TestWebhooksSurviveRestarts stops and starts workers while events happen: every
// event arrives.
func TestWebhooksSurviveRestarts(t *testing.T) {
	t.Parallel()
	p, r := newPostman(t, true), newReceiver(t)
	p.hook(t, r.URL)
	const rounds, each = 3, 10
	for round := range rounds {
		p.happen(t, fmt.Sprintf("asleep %d", round)) // nobody is there to hear of it
		stop := p.start(t)
		for i := range each {
			p.happen(t, fmt.Sprintf("event %d.%d", round, i))
		}
		stop() // whatever is under way
	}
	p.start(t)
	seen := func() map[string]bool {
		ids := map[string]bool{}
		for _, a := range r.all() {
			ids[a.header.Get(webhook.IDHeader)] = true
		}
		return ids
	}
	until(t, func() bool { return len(seen()) == rounds*(each+1) }, "something was lost")
}

func TestWebhookIsTriedAgain(t *testing.T) {
	t.Parallel()
	p, r := newPostman(t, true), newReceiver(t)
	r.answer(http.StatusInternalServerError)
	hook, _ := p.hook(t, r.URL)
	p.start(t)
	p.happen(t, "Merger")
	until(t, func() bool { return p.log(t, hook)[0].Attempts == 1 }, "no attempt was recorded")
	d := p.log(t, hook)[0]
	require.Equal(t, db.DeliveryPending, d.State)
	require.Equal(t, "the answer was 500 Internal Server Error", *d.Error)
	require.NotNil(t, d.NextAt)
	resting, err := p.db.Webhook(t.Context(), p.in, hook.ID)
	require.NoError(t, err)
	require.Equal(t, 1, resting.Failures)
	r.answer(http.StatusNoContent)
	until(t, func() bool { return p.log(t, hook)[0].State == db.DeliveryDelivered }, "it was not tried again")
	d = p.log(t, hook)[0]
	require.Equal(t, 2, d.Attempts)
	require.Nil(t, d.Error)
	well, err := p.db.Webhook(t.Context(), p.in, hook.ID)
	require.NoError(t, err)
	require.Zero(t, well.Failures)
	require.Nil(t, well.ResumeAt)
}

// TestDeadWebhookRests has an event come to a webhook that has failed for long:
// what waits for it does not wake it every few seconds.
func TestDeadWebhookRests(t *testing.T) {
	t.Parallel()
	p, r := newPostman(t, true), newReceiver(t)
	r.answer(http.StatusInternalServerError)
	hook, _ := p.hook(t, r.URL)
	require.NoError(t, p.db.InTx(t.Context(), func(tx *db.Tx) error {
		_, err := tx.Raw.Exec(t.Context(), `UPDATE webhooks SET failures = 5 WHERE id = $1`, hook.ID)
		return err
	}))
	p.start(t)
	p.happen(t, "Merger")
	until(t, func() bool { return p.log(t, hook)[0].Attempts == 1 }, "no attempt was recorded")
	resting, err := p.db.Webhook(t.Context(), p.in, hook.ID)
	require.NoError(t, err)
	require.Equal(t, 6, resting.Failures)
	require.Greater(t, time.Until(*resting.ResumeAt), 30*time.Minute)
}

// TestWebhookReachesNothingPrivate has one that was let in by its name: where it
// leads to is seen again when it is dialled.
func TestWebhookReachesNothingPrivate(t *testing.T) {
	t.Parallel()
	p, r := newPostman(t, false), newReceiver(t)
	hook, _ := p.hook(t, strings.Replace(r.URL, "127.0.0.1", "localhost", 1))
	p.start(t)
	p.happen(t, "Merger")
	until(t, func() bool { return p.log(t, hook)[0].Error != nil }, "no attempt was recorded")
	require.Equal(t, "the host has no public address", *p.log(t, hook)[0].Error)
	require.Empty(t, r.all())
}

func TestWebhookSwitchedOff(t *testing.T) {
	t.Parallel()
	p, r := newPostman(t, true), newReceiver(t)
	hook, _ := p.hook(t, r.URL)
	p.happen(t, "Merger")
	off := false
	require.NoError(t, p.db.InTx(t.Context(), func(tx *db.Tx) error {
		_, err := tx.UpdateWebhook(t.Context(), p.in, hook.ID, db.WebhookChange{Active: &off})
		return err
	}))
	p.start(t)
	until(t, func() bool { return p.log(t, hook)[0].State == db.DeliveryFailed }, "it still waits")
	require.Empty(t, r.all())
}

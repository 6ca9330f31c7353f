package e2e_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	client "github.com/clausemill/clausemill/clients/go"
	"github.com/clausemill/clausemill/cmd/internal/provider"
)

// person is somebody in a browser.
type person struct {
	*caller

	id string
}

// signIn signs somebody in through the real protocol.
func (h *home) signIn(who string) person {
	h.t.Helper()
	cookies, err := cookiejar.New(nil)
	require.NoError(h.t, err)
	p := person{caller: newCaller(h.t, h.address, http.Header{})}
	p.http.Jar = cookies
	require.Equal(h.t, http.StatusUnauthorized, p.get("/api/session").status)
	var signedIn struct{ User struct{ ID, Email string } }
	p.get("/auth/login?loginHint="+who+"&returnTo=/api/session").into(h.t, http.StatusOK, &signedIn)
	require.Equal(h.t, who, signedIn.User.Email)
	p.id = signedIn.User.ID
	return p
}

// asks sends JSON, and reads the answer of one status.
func (p person) asks(method, path, body string, status int, out any) {
	p.t.Helper()
	p.call(p.t.Context(), method, path, strings.NewReader(body), "Content-Type", "application/json").into(p.t, status, out)
}

// delivery is what a receiver of a webhook was sent.
type delivery struct {
	header http.Header
	body   string
}

// verified is the kind of what was sent, as a receiver with the secret finds it.
func (d delivery) verified(t *testing.T, secret string) (kind string) {
	t.Helper()
	require.NoError(t, client.VerifyWebhook(secret, d.header, []byte(d.body), time.Hour))
	var event struct{ Type string }
	require.NoError(t, json.Unmarshal([]byte(d.body), &event))
	return event.Type
}

// mailbox receives a webhook, each delivery once however often it comes.
type mailbox struct {
	*httptest.Server

	mu  sync.Mutex
	got map[string]delivery
}

func newMailbox(t *testing.T) *mailbox {
	t.Helper()
	m := &mailbox{got: map[string]delivery{}}
	m.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // it comes again
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		m.got[r.Header.Get("webhook-id")] = delivery{r.Header, string(body)}
	}))
	t.Cleanup(m.Close)
	return m
}

// kinds counts what has come, by its kind.
func (m *mailbox) kinds(t *testing.T, secret string) map[string]int {
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	kinds := map[string]int{}
	for _, d := range m.got {
		kinds[d.verified(t, secret)]++
	}
	return kinds
}

const (
	supplyText = "SUPPLY AGREEMENT\n\nThis Agreement is made on March 1, 2024 by and between Acme Corporation and Bolt GmbH.\n\n" +
		"1. Governing Law. This Agreement is governed by the laws of the State of Delaware.\n\n2. Term. This Agreement ends after two years.\n"
	leaseText = "LEASE\n\nThis Lease is made on June 1, 2025 by and between Casa Inc. and Acme Corporation.\n\n" +
		"1. Rent. The Tenant shall pay the rent on the first day of each month.\n"
)

// TestDayOfATeam has two people work in a team from their sign-in until one of
// them leaves.
func TestDayOfATeam(t *testing.T) {
	h, box := newHome(t, nil), newMailbox(t)
	h.dev("CLAUSEMILL_PRIVATE_WEBHOOKS=true")
	ada, bob := h.signIn(provider.User), h.signIn(provider.Colleague)

	// A team of their own.
	var team, message struct{ ID, Message string }
	ada.asks("POST", "/api/teams", `{"name":"Night Shift"}`, http.StatusCreated, &team)
	into := `{"teamId":"` + team.ID + `"}`
	ada.asks("PUT", "/api/session", into, http.StatusOK, &message)
	bob.asks("PUT", "/api/session", into, http.StatusNotFound, &message)
	var invitation struct{ Token string }
	ada.asks("POST", "/api/teams/invitations", `{"email":"`+provider.Colleague+`"}`, http.StatusCreated, &invitation)
	bob.asks("POST", "/api/invitations/accept", `{"token":"`+invitation.Token+`"}`, http.StatusOK, &message)
	bob.asks("PUT", "/api/session", into, http.StatusOK, &message)
	for _, role := range []struct {
		name   string
		status int
	}{{"admin", http.StatusOK}, {"member", http.StatusForbidden}} {
		ada.asks("PATCH", "/api/teams/users/"+bob.id, `{"role":"`+role.name+`"}`, http.StatusOK, &message)
		require.Equal(t, role.status, bob.get("/api/webhooks").status, "a role holds at once")
	}

	// Work comes in.
	var hook, matter, assignment, chat, category struct{ ID, Secret string }
	ada.asks("POST", "/api/webhooks", `{"url":"`+box.URL+`/in","types":["matter.created","assignment.created","file.completed"]}`, http.StatusCreated, &hook)
	ada.asks("POST", "/api/matters", `{"name":"Bolt","description":"Who reads this, @`+provider.Colleague+`?"}`, http.StatusCreated, &matter)
	add := func(p person, name, text string) string {
		var f struct{ ID string }
		p.asks("POST", "/api/files", fmt.Sprintf(`{"name":%q,"matterId":%q,"contentBase64":%q}`, name, matter.ID, base64.StdEncoding.EncodeToString([]byte(text))), http.StatusAccepted, &f)
		require.Equal(t, "completed", p.wait(f.ID, 3*time.Minute).Status)
		return f.ID
	}
	supply, lease := add(ada, "supply.txt", supplyText), add(bob, "lease.txt", leaseText)
	ada.asks("POST", "/api/files/"+supply+"/assign", `{"userId":"`+bob.id+`"}`, http.StatusCreated, &assignment)
	ada.asks("POST", "/api/chats", `{"name":"Bolt","participants":["`+bob.id+`"],"fileId":"`+supply+`"}`, http.StatusCreated, &chat)
	require.Contains(t, string(bob.get("/api/chats/"+chat.ID).body), "supply.txt")
	bob.asks("POST", "/api/categories", `{"name":"Suppliers"}`, http.StatusCreated, &category)

	// Both say what sentences are.
	for p, f := range map[person]string{ada: supply, bob: lease} {
		var sentences struct{ Items []struct{ ID string } }
		p.asks("GET", "/api/sentences?fileId="+f, "", http.StatusOK, &sentences)
		require.NotEmpty(t, sentences.Items)
		var decided struct{ Label, Source, ValidatedBy string }
		p.asks("PATCH", "/api/sentences/"+sentences.Items[0].ID+"/validate", `{"label":"governing_law"}`, http.StatusOK, &decided)
		require.Equal(t, []string{"governing_law", "validated", p.id}, []string{decided.Label, decided.Source, decided.ValidatedBy})
	}

	// What was told.
	var told struct {
		Unread int
		Items  []struct{ ID, Kind string }
	}
	bob.asks("GET", "/api/notifications", "", http.StatusOK, &told)
	kinds := map[string]bool{}
	for _, n := range told.Items {
		kinds[n.Kind] = true
	}
	for _, kind := range []string{"mention", "assignment.created", "file.completed"} {
		require.True(t, kinds[kind], "%s of %v", kind, kinds)
	}
	bob.asks("PATCH", "/api/notifications/"+told.Items[0].ID, "", http.StatusOK, &message)
	unread := told.Unread
	bob.asks("GET", "/api/notifications", "", http.StatusOK, &told)
	require.Equal(t, unread-1, told.Unread)
	want := map[string]int{"matter.created": 1, "assignment.created": 1, "file.completed": 2}
	require.Eventually(t, func() bool {
		got := box.kinds(t, hook.Secret)
		return got["matter.created"]+got["assignment.created"]+got["file.completed"] == 4
	}, 2*time.Minute, 20*time.Millisecond, "the webhook was not sent everything")
	require.Equal(t, want, box.kinds(t, hook.Secret))

	// A question becomes a widget.
	var generated struct{ Config json.RawMessage }
	var config struct{ Query json.RawMessage }
	var widget struct{ ID string }
	var data struct{ Rows [][]any }
	bob.asks("POST", "/api/dashboard-widgets/generate-config", `{"prompt":"files by matter stage"}`, http.StatusOK, &generated)
	ada.asks("POST", "/api/dashboard-widgets", string(generated.Config), http.StatusCreated, &widget)
	require.NoError(t, json.Unmarshal(generated.Config, &config))
	ada.asks("POST", "/api/dashboard-widgets/execute-query", `{"query":`+string(config.Query)+`}`, http.StatusOK, &data)
	require.Equal(t, [][]any{{"intake", 2.0}}, data.Rows)

	// One leaves, at once, and comes back to nothing.
	require.Equal(t, http.StatusOK, bob.get("/api/files/"+supply).status)
	ada.asks("DELETE", "/api/teams/users/"+bob.id, "", http.StatusOK, &message)
	require.Equal(t, http.StatusUnauthorized, bob.get("/api/files/"+supply).status)
	bob.get("/auth/login?loginHint="+provider.Colleague+"&returnTo=/api/session").into(t, http.StatusOK, &message)
	require.Equal(t, http.StatusNotFound, bob.get("/api/files/"+supply).status)
	require.Equal(t, http.StatusNotFound, bob.get("/api/matters/"+matter.ID).status)
	bob.asks("PUT", "/api/session", into, http.StatusNotFound, &message)

	// All of it was written down, with who did it.
	var audit struct {
		Buckets []struct {
			Action string
			Actor  struct{ ID string }
		}
	}
	ada.asks("GET", "/api/audit/aggregate?groupBy=action,actor", "", http.StatusOK, &audit)
	done := map[string]bool{}
	for _, b := range audit.Buckets {
		done[b.Action+" "+b.Actor.ID] = true
	}
	for who, actions := range map[string][]string{
		ada.id: {
			"invitation.created", "member.role_changed", "webhook.created", "matter.created", "file.created", "assignment.created", "chat.created",
			"sentence.validated", "widget.created", "member.removed",
		},
		bob.id: {"invitation.accepted", "session.switched", "file.created", "category.created", "sentence.validated"},
		"":     {"file.completed"},
	} {
		for _, action := range actions {
			require.True(t, done[action+" "+who], "%s by %q is not in %v", action, who, done)
		}
	}
	require.False(t, done["notification.marked "+bob.id], "what he read of what he was told is his own")
}

package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/blob"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/db/dbtest"
)

// uuids are ids in an answer.
var uuids = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

// house is a database with an organization whose things are asked for, and
// another whose people ask.
type house struct {
	*bundle

	t      *testing.T
	pool   *db.DB            // where all of it was committed
	rooms  chan *house       // that nobody is in
	tx     *lent             // that a room is
	owner  caller            // the admin of the one
	member caller            // a member of the other
	viewer caller            // a viewer of the other
	robots map[string]caller // service accounts of the other, each with one scope, and a viewer with all
	robot  caller            // an admin with all
	ended  caller            // a session of the other that was revoked
	theirs map[string]string // the ids of the one's things
	ours   map[string]string // of the other's
	owned  map[string]bool   // everything that belongs to the one
	gone   map[string]string // theirs, but for a file and a matter that are in the trash
	binned map[string]string // ours, in the same way
	before map[string]string // the digest of all of it
	kept   map[string]string // the digest of what belongs to the one
	wrote  map[string]int64  // what was written when it last was as before
}

// secret is in every text of the one organization.
const secret = "quisquilian"

func newHouse(t *testing.T) *house {
	t.Helper()
	d, _ := dbtest.Database(t)
	h := &house{t: t, bundle: newBundle(t, d, unhurried), pool: d, rooms: make(chan *house, 100)}
	require.NoError(t, d.InTx(t.Context(), func(tx *db.Tx) error {
		user, err := tx.EnsureUser(t.Context(), secret+"@example.com", secret)
		require.NoError(t, err)
		team, err := tx.CreateOrganization(t.Context(), secret, user.ID)
		require.NoError(t, err)
		h.owner = h.signIn(t, tx, user.ID, team.ID)
		h.ended = h.signIn(t, tx, h.acme.scope.ActorID, h.acme.scope.TeamID)
		h.robots = map[string]caller{"": h.service(t, tx, h.acme.scope, db.Viewer, nil, everyScope...)}
		for _, scope := range everyScope {
			h.robots[scope] = h.service(t, tx, h.acme.scope, db.Admin, nil, scope)
		}
		h.robot = h.service(t, tx, h.acme.scope, db.Admin, nil, everyScope...)
		return tx.RevokeSession(t.Context(), h.ended.secret.Hash)
	}))
	h.member = h.colleague(t, h.acme, "member")
	h.viewer = h.joining(t, h.acme, "viewer", db.Viewer)
	h.theirs = h.furnish(t, h.owner, secret+"-"+word)
	h.ours = h.furnish(t, h.acme, word)
	maps.DeleteFunc(h.theirs, func(where, id string) bool { return h.ours[where] == id && where != "{n}" }) // everybody's, as the base model
	h.gone, h.binned = h.discarded(t, h.owner, h.theirs), h.discarded(t, h.acme, h.ours)
	h.owned = everyID(t, d, h.owner.scope.TeamID)
	h.owned[h.owner.scope.ActorID] = true
	h.before, h.kept = digest(t, d, everyRow), digest(t, d, h.ofOwner())
	return h
}

// discarded is ids with a file and a matter of who that are in the trash.
func (h *house) discarded(t *testing.T, who caller, ids map[string]string) map[string]string {
	t.Helper()
	ids = maps.Clone(ids)
	ids["{fileId}"], ids["{matterId}"] = h.file(t, who).ID, h.matter(t, who, `{"name":"Gone"}`).ID
	ids["/api/matters/"] = ids["{matterId}"]
	h.discard(t, who, "/api/files/"+ids["{fileId}"])
	h.discard(t, who, "/api/matters/"+ids["{matterId}"])
	return ids
}

// asked is a request of an operation.
type asked struct{ line, body string }

// variants are more requests of an operation than the plain one about ids: about
// what is in the trash, and about an earlier version.
func variants(op *huma.Operation, ids, gone map[string]string) (all []asked) {
	line, body, _ := target{op, ids}.line(word)
	if binned, body, _ := (target{op, gone}).line(word); strings.Contains(binned, gone["{fileId}"]) || strings.Contains(binned, gone["{matterId}"]) {
		all = append(all, asked{binned, body})
	}
	if slices.ContainsFunc(op.Parameters, func(p *huma.Param) bool { return p.In == "query" && p.Name == "version" }) {
		joint := "?"
		if strings.Contains(line, "?") {
			joint = "&"
		}
		all = append(all, asked{line + joint + "version=1", body})
	}
	return all
}

// untouched fails where a room is not as it was before.
func (h *house) untouched(t *testing.T, why ...any) {
	t.Helper()
	if now := written(t, h.db); h.same(t, h.before, now, everyRow, why...) {
		h.wrote = now
	}
}

// same holds that tables that were written to are as they were, by the digest of those of their
// rows of which a condition holds.
func (h *house) same(t *testing.T, before map[string]string, now map[string]int64, condition string, why ...any) (written bool) {
	t.Helper()
	var tables []string
	want := map[string]string{}
	for table, n := range now {
		if n != h.wrote[table] {
			tables, want[table] = append(tables, table), before[table]
		}
	}
	if len(tables) > 0 {
		require.Equal(t, want, digestOf(t, h.db, tables, condition), why...)
	}
	return len(tables) > 0
}

// ofOwner is the condition on what belongs to the one organization.
func (h *house) ofOwner() string {
	return "to_jsonb(r) ->> 'team_id' = '" + h.owner.scope.TeamID + "'"
}

// unhurried lets keys ask as often as they like.
func unhurried(c *api.Config) { c.Limits.KeyRequests = 1 << 30 }

// room is the house as it was at first, for one test to change. It is a
// transaction of its own. The API over it costs more than most of what it is asked,
// so whoever comes next has it over another one.
func (h *house) room(t *testing.T) *house {
	t.Helper()
	tx, err := h.pool.Pool().Begin(context.Background())
	require.NoError(t, err)
	// Requests are counted for each room by itself: a count is held until the end of its
	// transaction, and two rooms would wait for one another.
	_, err = tx.Exec(t.Context(), `CREATE TEMPORARY TABLE rate_limits (LIKE public.rate_limits INCLUDING ALL) ON COMMIT DROP`)
	require.NoError(t, err)
	var room *house
	select {
	case room = <-h.rooms:
		room.tx.Tx = tx
	default:
		room = h.build(tx)
	}
	room.wrote = written(t, room.db)
	t.Cleanup(func() {
		_ = tx.Rollback(context.Background())
		room.log.Reset()
		h.rooms <- room
	})
	return room
}

// lent is one transaction after another.
type lent struct{ pgx.Tx }

// build makes another room, which lasts until the test of the house ends.
func (h *house) build(tx pgx.Tx) *house {
	h.t.Helper()
	blobs, err := blob.Open(context.Background(), "mem://")
	require.NoError(h.t, err)
	h.t.Cleanup(func() { require.NoError(h.t, blobs.Close()) })
	room := *h
	room.tx = &lent{tx}
	b := *h.bundle
	b.db, b.blobs, b.registry, b.log = db.New(room.tx), blobs, prometheus.NewRegistry(), &bytes.Buffer{}
	b.api = b.newAPI(h.t, unhurried)
	room.bundle = &b
	return &room
}

// undone takes back what f changes.
func (h *house) undone(t *testing.T, f func()) {
	t.Helper()
	err := h.db.InTx(t.Context(), func(*db.Tx) error {
		f()
		return errUndone
	})
	require.ErrorIs(t, err, errUndone)
}

var errUndone = errors.New("undone")

// discreet fails where the answer to a request shows what belongs to the other
// organization, and not merely what it was asked with.
func (h *house) discreet(t *testing.T, asked, answer string) {
	t.Helper()
	require.NotContains(t, answer, secret)
	for _, id := range uuids.FindAllString(answer, -1) {
		require.False(t, h.owned[id] && !strings.Contains(asked, id), "%s is another team's", id)
	}
}

// TestPermissions calls every operation as everybody, about the things of
// another team. It is made of the description, so an operation is in it once it
// is registered.
func TestPermissions(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	var cells, refusals, real atomic.Int64
	operations := served()
	t.Run("All", func(t *testing.T) {
		for _, line := range slices.Sorted(maps.Keys(operations)) {
			op := operations[line]
			if op.Metadata["access"] == nil || op.Security == nil {
				continue // open to anybody
			}
			t.Run(strings.ReplaceAll(line, "/", "_"), func(t *testing.T) {
				t.Parallel()
				h := h.room(t)
				byKey := accepts(op, "apiKey")
				forAdmins := op.Metadata["admins"] == true
				creates := op.Method == http.MethodPut && op.Responses["201"] != nil // under an id of the caller's choice, in the caller's team
				line, body, known := target{op, h.theirs}.line(word)
				aboutTheirs := strings.Contains(op.Path, "{") && !creates
				if known && aboutTheirs {
					real.Add(1)
				}
				requests := []asked{{line, body}}
				if aboutTheirs && !(target{op, nil}).endless() {
					requests = append(requests, variants(op, h.theirs, h.gone)...)
				}
				refused := func(name string, who caller, want int) {
					t.Helper()
					for _, asked := range requests {
						cells.Add(1)
						refusals.Add(1)
						w := h.call(t, who, asked.line, asked.body)
						require.Equal(t, want, w.Code, "%s: %s %s%s", name, asked.line, w.Body, h.log)
						h.discreet(t, asked.line+asked.body, w.Body.String())
					}
				}
				keys := map[string]caller{"UserKey": h.aliceKey, "OrganizationKey": h.acmeKey}
				sessions := map[string]caller{"Member": h.member, "Viewer": h.viewer, "Admin": h.acme, "OtherTeam": h.mallory}
				answered := map[string]caller{}
				for name, who := range map[string]caller{
					"Nobody": h.nobody, "RevokedSession": h.ended,
					"BadKey": {header: http.Header{"Authorization": {"Bearer " + auth.NewKey(db.UserKey).Text}}}, "BadToken": {header: http.Header{"Authorization": {"Bearer " + auth.NewServiceToken().Text}}},
				} {
					refused(name, who, http.StatusUnauthorized)
				}
				for name, who := range inOrder(keys) {
					switch {
					case !byKey:
						refused(name, who, http.StatusForbidden)
					case aboutTheirs:
						refused(name, who, http.StatusNotFound)
					default:
						answered[name] = who
					}
				}
				for name, who := range inOrder(sessions) {
					switch {
					case forAdmins && name == "Member", name == "Viewer" && op.Metadata["viewers"] != true:
						refused(name, who, http.StatusForbidden)
					case aboutTheirs:
						refused(name, who, http.StatusNotFound)
					default:
						answered[name] = who
					}
				}
				for scope, who := range inOrder(h.robots) {
					name := "Service " + scope
					switch {
					case !accepts(op, "oauth2"), scope != "" && scope != op.Security[len(op.Security)-1]["oauth2"][0], scope == "" && op.Metadata["viewers"] != true:
						refused(name, who, http.StatusForbidden)
					case aboutTheirs:
						refused(name, who, http.StatusNotFound)
					default:
						answered[name] = who
					}
				}
				if aboutTheirs {
					for _, id := range []string{db.NewID(), "bulk'--"} {
						path := strings.ReplaceAll(op.Path, "{n}", "1") // a number that is none is 422
						cells.Add(1)
						w := h.call(t, h.acme, op.Method+" "+pathParameter.ReplaceAllString(path, id), body)
						require.Equal(t, http.StatusNotFound, w.Code, "nobody's %s: %s", id, w.Body)
					}
				}
				h.untouched(t, "a refused call changed something")

				if (target{op, nil}).endless() {
					return // TestEvents reads it
				}
				for name, who := range inOrder(answered) {
					cells.Add(1)
					h.undone(t, func() {
						w := h.call(t, who, line, body)
						require.NotEqual(t, http.StatusUnauthorized, w.Code, name)
						require.Less(t, w.Code, http.StatusInternalServerError, "%s: %s %s", name, body, h.log)
						h.discreet(t, line+body, w.Body.String())
						if bodies[op.Method+" "+op.Path] != "" {
							h.same(t, h.kept, written(t, h.db), h.ofOwner(), "%s: what is another team's was changed by naming it", name)
						}
					})
				}
			})
		}
	})
	t.Logf("%d cells, %d of them refusals; %d operations about a thing of another team that is there", cells.Load(), refusals.Load(), real.Load())
	require.Greater(t, cells.Load(), int64(3000))
	require.Greater(t, real.Load(), int64(60), "the things of the other team must be there, or nothing is shown")
}

// inOrder yields callers by their names. Rooms are transactions, in which the use of
// a key is noted: two that used the same keys the other way round would wait for one
// another.
func inOrder(callers map[string]caller) iter.Seq2[string, caller] {
	return func(yield func(string, caller) bool) {
		for _, name := range slices.Sorted(maps.Keys(callers)) {
			if !yield(name, callers[name]) {
				return
			}
		}
	}
}

// unmade are the operations that TestOwnThings asks for in vain. Other tests do
// with better reasons to ask.
var unmade = []string{
	"DELETE /api/fields/{key}",                               // users have marked values
	"DELETE /api/files/{fileId}/lifecycle-stage",             // it has not changed
	"DELETE /api/teams/users/{userId}",                       // the last admin, and nobody else by a member
	"POST /api/files/{fileId}/attributes/{key}/decide",       // there is no such value
	"POST /api/files/{fileId}/document-types/scores",         // no features of it are kept
	"POST /api/files/{fileId}/execute-all",                   // of a DOCX
	"POST /api/files/{fileId}/execute-redline-revisions",     // the same
	"POST /api/files/{fileId}/pages",                         // its format has none
	"POST /api/files/{fileId}/unlock",                        // it needs no password
	"POST /api/invitations/accept",                           // the token was shown once
	"POST /api/models/section/{id}/activate",                 // it is active
	"POST /api/operations/{id}/cancel",                       // it has ended
	"POST /api/tools/lookup-document-attribute-value",        // there is none
	"POST /api/tools/lookup-filespan-attribute-value",        // the same
	"POST /api/webhooks/{id}/deliveries/{deliveryId}/replay", // it is on its way
}

// TestOwnThings calls every operation about what belongs to the caller's own
// team: admins, members and viewers are let in as far as their roles go. What
// changes something says so in the audit, with who did it, and neither there nor
// in the log is a word of a contract or a secret.
func TestOwnThings(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	operations := served()
	var cells, said atomic.Int64
	t.Run("All", func(t *testing.T) {
		for _, line := range slices.Sorted(maps.Keys(operations)) {
			op := operations[line]
			if op.Security == nil || (target{op, nil}).endless() {
				continue
			}
			t.Run(strings.ReplaceAll(line, "/", "_"), func(t *testing.T) {
				t.Parallel()
				asked, body, _ := target{op, h.ours}.line(word + "-again")
				h := h.room(t)
				done, last := false, ""
				for name, who := range inOrder(map[string]caller{"Admin": h.acme, "Member": h.member, "Viewer": h.viewer, "Service": h.robot}) {
					h.undone(t, func() {
						h.log.Reset()
						past := h.lastEvent(t)
						h.wrote = written(t, h.db)
						cells.Add(1)
						w := h.call(t, who, asked, body)
						require.NotEqual(t, http.StatusUnauthorized, w.Code, name)
						require.Less(t, w.Code, http.StatusInternalServerError, "%s: %s %s", name, line, h.log)
						h.discreet(t, asked+body, w.Body.String())
						switch {
						case name == "Service":
							require.Equal(t, !accepts(op, "oauth2"), strings.Contains(w.Body.String(), "insufficient_scope"), "%s: %s", line, w.Body)
						case name == "Viewer" && op.Metadata["viewers"] != true:
							require.Equal(t, http.StatusForbidden, w.Code, "%s: %s %s", name, line, w.Body)
						case name == "Admin" || op.Metadata["admins"] == true:
							require.Equal(t, name != "Admin", w.Code == http.StatusForbidden, "%s: %s %s", name, line, w.Body)
						}
						if op.Method == http.MethodGet || op.Method == http.MethodHead {
							return
						}
						done, last = done || w.Code < http.StatusMultipleChoices, w.Body.String()
						events := h.eventsSince(t, past)
						said.Add(int64(len(events)))
						if len(events) == 0 {
							h.untouched(t, "%s: it changed something and did not say so: %s", name, w.Body)
						} else {
							require.NotEqual(t, h.wrote, written(t, h.db), "the events themselves")
						}
						traces := h.log.String()
						for _, e := range events {
							require.Equal(t, who.scope.ActorKind, e.ActorKind)
							require.Equal(t, who.scope.ActorID, *e.ActorID)
							require.NotEmpty(t, e.Action)
							traces += string(e.Data)
						}
						for _, hidden := range append(shown(w), who.secret.Text, "confidential", "applies", tinyIcon) {
							require.NotContains(t, traces, hidden)
						}
						if !strings.Contains(asked, word) { // paths are logged, and a tag is in one by its key
							require.NotContains(t, h.log.String(), word)
						}
					})
				}
				for _, asked := range variants(op, h.ours, h.binned) {
					binned := strings.Contains(asked.line, h.binned["{fileId}"]) || strings.Contains(asked.line, h.binned["{matterId}"])
					for name, who := range inOrder(map[string]caller{"Admin": h.acme, "Member": h.member, "Viewer": h.viewer, "Key": h.acmeKey}) {
						h.undone(t, func() {
							h.wrote = written(t, h.db)
							cells.Add(1)
							w := h.call(t, who, asked.line, asked.body)
							require.Less(t, w.Code, http.StatusInternalServerError, "%s: %s %s", name, asked.line, h.log)
							h.discreet(t, asked.line+asked.body, w.Body.String())
							if binned {
								require.Contains(t, []int{http.StatusNotFound, http.StatusForbidden}, w.Code, "%s: %s is in the trash: %s", name, asked.line, w.Body)
								h.untouched(t, "%s: %s", name, asked.line)
							}
						})
					}
				}
				if op.Method != http.MethodGet && op.Method != http.MethodHead {
					require.Equal(t, done, !slices.Contains(unmade, line), "%s %s: %s", asked, body, last)
				}
			})
		}
	})
	t.Logf("%d cells, %d audit events", cells.Load(), said.Load())
	require.Greater(t, cells.Load(), int64(900))
	require.Greater(t, said.Load(), int64(100))
}

// TestServicePaths asks for what is not of the API itself as everybody and by every
// method: what anybody may read is there for all, with whatever they prove
// themselves by, and for the rest there is nothing, or nothing to them.
func TestServicePaths(t *testing.T) {
	t.Parallel()
	d, _ := dbtest.Database(t)
	b := newBundle(t, d, unhurried)
	callers := map[string]caller{
		"Nobody": b.nobody, "UserKey": b.aliceKey, "OrganizationKey": b.acmeKey, "Member": b.colleague(t, b.acme, "member"),
		"Viewer": b.joining(t, b.acme, "viewer", db.Viewer), "Admin": b.acme, "OtherTeam": b.mallory,
		"BadKey": {header: http.Header{"Authorization": {"Bearer " + auth.NewKey(db.UserKey).Text}}}, "BadToken": {header: http.Header{"Authorization": {"Bearer " + auth.NewServiceToken().Text}}},
	}
	unproven := []string{"Nobody", "BadKey", "BadToken"}
	reads := []string{http.MethodGet, http.MethodHead}
	cells := 0
	for _, path := range []string{"/", "/docs", "/openapi.json", "/livez", "/healthz", "/readyz", "/metrics", "/debug/pprof/", "/admin/river", "/admin/river/", "/admin/river/api/jobs"} {
		for name, who := range inOrder(callers) {
			for _, method := range append(reads, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete) {
				cells++
				want := http.StatusOK
				switch {
				case strings.HasPrefix(path, "/admin/") && slices.Contains(unproven, name):
					want = http.StatusUnauthorized
				case strings.HasPrefix(path, "/admin/"), path == "/metrics", path == "/debug/pprof/":
					want = http.StatusNotFound
				case !slices.Contains(reads, method):
					want = http.StatusMethodNotAllowed
				}
				w := b.call(t, who, method+" "+path, "")
				require.Equal(t, want, w.Code, "%s: %s %s %s", name, method, path, w.Body)
			}
		}
	}
	t.Logf("%d cells", cells)
	require.GreaterOrEqual(t, cells, 500)
}

// shown are the secrets in an answer.
func shown(w *httptest.ResponseRecorder) []string {
	var answer struct{ Secret, Token string }
	_ = json.Unmarshal(w.Body.Bytes(), &answer) // what is no object has none
	return slices.DeleteFunc([]string{answer.Secret, answer.Token}, func(s string) bool { return s == "" })
}

// lastEvent is the id of the newest audit event.
func (h *house) lastEvent(t *testing.T) (id int64) {
	t.Helper()
	require.NoError(t, h.db.InTx(t.Context(), func(tx *db.Tx) error {
		return tx.Raw.QueryRow(t.Context(), `SELECT coalesce(max(id), 0) FROM audit_events`).Scan(&id)
	}))
	return id
}

// eventsSince are the audit events after the one with id past, of whatever team:
// a key of one's own is made in the personal one.
func (h *house) eventsSince(t *testing.T, past int64) (events []audited) {
	t.Helper()
	require.NoError(t, h.db.InTx(t.Context(), func(tx *db.Tx) error {
		rows, err := tx.Raw.Query(t.Context(), `SELECT actor_kind, actor_id::text, action, data FROM audit_events WHERE id > $1`, past)
		if err != nil {
			return err
		}
		events, err = pgx.CollectRows(rows, pgx.RowToStructByPos[audited])
		return err
	}))
	return events
}

// audited is an audit event.
type audited struct {
	ActorKind string
	ActorID   *string
	Action    string
	Data      json.RawMessage
}

package api_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/db/dbtest"
)

// paged is a list that is read page by page.
type paged struct {
	list string
	make func(i int) (id string)
	gone string // where one of its things is deleted; "" where none can be
}

// long is the end of a name that is as long as names may be.
var long = strings.Repeat("ü", 90)

// pagedLists are lists of what the admin of an organization makes, their things
// in another order than they were made in.
func pagedLists(t *testing.T, b *bundle) []paged {
	matter := b.matter(t, b.acme, `{"name":"Work"}`).ID
	post := func(path, body string) func(i int) string {
		return func(i int) string {
			w := b.call(t, b.acme, "POST "+path, strings.ReplaceAll(body, "#", fmt.Sprintf("%03d", i*37%100)))
			require.Equal(t, http.StatusCreated, w.Code, w.Body)
			return idOf(w)
		}
	}
	due := func(i int) string {
		return post("/api/matters", []string{`{"name":"m#","dueAt":"2030-01-02T03:04:05.678Z"}`, `{"name":"m#"}`, `{"name":"m#","dueAt":"2031-01-02T00:00:00Z"}`}[i%3])(i)
	}
	file := func(i int) string {
		name := fmt.Sprintf("%03d%s.txt", i*37%100, long)
		return get[api.File](t, b.upload(t, b.acme, nil, [2]string{name, "Some text."}), http.StatusAccepted).ID
	}
	named := `{"name":"n# ` + long + `"}`
	return []paged{
		{"/api/matters", post("/api/matters", named), "/api/matters/"},
		{"/api/matters?sort=-name", post("/api/matters", named), "/api/matters/"},
		{"/api/matters?sort=dueAt", due, "/api/matters/"},
		{"/api/matters?sort=-dueAt", due, "/api/matters/"},
		{"/api/matters/names-list", post("/api/matters", named), "/api/matters/"},
		{"/api/dashboard/matters", due, "/api/matters/"},
		{"/api/categories", post("/api/categories", named), "/api/categories/"},
		{"/api/saved-searches", post("/api/saved-searches", named), "/api/saved-searches/"},
		{"/api/chats", post("/api/chats", named), "/api/chats/"},
		{"/api/document-types", post("/api/document-types", named), "/api/document-types/"},
		{"/api/files", func(int) string { return b.file(t, b.acme).ID }, "/api/files/"},
		{"/api/files?sort=name", file, "/api/files/"},
		{"/api/files?sort=-createdAt", file, "/api/files/"},
		{"/api/files?sort=-size", func(int) string { return b.file(t, b.acme).ID }, "/api/files/"}, // all are alike
		{"/api/flags", post("/api/flags", `{"key":"k#"}`), "/api/flags/"},
		{"/api/webhooks", post("/api/webhooks", `{"url":"https://example.com/#"}`), "/api/webhooks/"},
		{"/api/teams/invitations", post("/api/teams/invitations", `{"email":"p#@example.com"}`), "/api/teams/invitations/"},
		{"/api/api-keys", post("/api/api-keys", `{"name":"k#"}`), ""},
		{"/api/teams/users", func(i int) string { return b.colleague(t, b.acme, fmt.Sprintf("p%03d", i*37%100)).scope.ActorID }, "/api/teams/users/"},
		{"/api/matters/" + matter + "/assignments", func(i int) string {
			who := b.colleague(t, b.acme, fmt.Sprintf("a%03d", i*37%100)).scope.ActorID
			return post("/api/matters/"+matter+"/assignments", `{"userId":"`+who+`","dueAt":"2030-01-02T03:04:05Z"}`)(i)
		}, "/api/matters/" + matter + "/assignments/"},
		{"/api/audit", func(i int) string {
			id := post("/api/flags", `{"key":"audited#"}`)(i)
			events, err := b.db.AuditEvents(t.Context(), b.acme.scope, id, 1)
			require.NoError(t, err)
			return strconv.FormatInt(events[0].ID, 10)
		}, ""},
		{"/api/trash", func(int) string {
			w := b.call(t, b.acme, "DELETE /api/files/"+b.file(t, b.acme).ID, "")
			return get[api.Deleted](t, w, http.StatusOK).TrashID
		}, "/api/trash/"},
		{"/api/notifications", func(int) string {
			w := b.call(t, b.acme, "POST /api/notifications", `{"title":"x"}`)
			return get[api.Pushed](t, w, http.StatusCreated).Items[0].ID
		}, ""},
	}
}

// walk reads a list two by two, and returns how often each thing was in it.
// Between is called after each page with what was on it.
func (b *bundle) walk(t *testing.T, list string, between func(page []string)) map[string]int {
	t.Helper()
	seen := map[string]int{}
	join := "?"
	if strings.Contains(list, "?") {
		join = "&"
	}
	for cursor, pages := "", 0; ; pages++ {
		require.Less(t, pages, 500, "the list has no end")
		page := get[api.List[json.RawMessage]](t, b.call(t, b.acme, "GET "+list+join+"limit=2&cursor="+cursor, ""), http.StatusOK)
		var ids []string
		for _, item := range page.Items {
			var thing struct{ ID, UserID string }
			require.NoError(t, json.Unmarshal(item, &thing))
			id := thing.ID
			if id == "" {
				id = thing.UserID
			}
			seen[id]++
			ids = append(ids, id)
		}
		if cursor = page.NextCursor; cursor == "" {
			return seen
		}
		between(ids)
	}
}

// TestListsWhileTheyChange adds and deletes between pages, what the last cursor
// stands on included: whatever was there throughout is seen, and nothing twice.
func TestListsWhileTheyChange(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, p := range pagedLists(t, b) {
		var kept, doomed []string
		made := 0
		for range 5 {
			kept, doomed = append(kept, p.make(made)), append(doomed, p.make(made+1))
			made += 2
		}
		remove := func(id string) {
			if at := slices.Index(doomed, id); at >= 0 && p.gone != "" {
				doomed = slices.Delete(doomed, at, at+1)
				require.Equal(t, http.StatusOK, b.call(t, b.acme, "DELETE "+p.gone+id, "").Code)
			}
		}
		seen := b.walk(t, p.list, func(page []string) {
			remove(page[len(page)-1]) // the cursor's own
			if len(doomed) > 0 {
				remove(doomed[0])
			}
			if made < 16 {
				p.make(made)
				made++
			}
		})
		requireOnce(t, p.list, kept, seen)
	}
}

// TestPlacesThatNobodyKeeps has cursors with what no text of ours has.
func TestPlacesThatNobodyKeeps(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, place := range []string{"\x00", "\xff"} {
		e := get[api.Error](t, b.call(t, b.alice, "GET "+documentTypes+"?cursor="+base64.RawURLEncoding.EncodeToString([]byte("document-types:"+place)), ""), http.StatusUnprocessableEntity)
		require.Contains(t, e.Message, "is not the nextCursor of this list")
	}
}

// TestCountedPlaces has cursors that nobody was given, for lists whose cursors
// are numbers.
func TestCountedPlaces(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.file(t, b.alice).ID
	for _, place := range []string{"-5", "-5 postgres", "x", "99999999999999999999"} {
		of := func(kind string) string { return base64.RawURLEncoding.EncodeToString([]byte(kind + ":" + place)) }
		for line, body := range map[string]string{
			"GET /api/search?cursor=" + of("hits"):                                                    "",
			"GET /api/files/search-index?cursor=" + of("hits"):                                        "",
			"GET /api/files/" + id + "/tokens?cursor=" + of("tokens"):                                 "",
			"GET /api/files/" + id + "/changes?cursor=" + of("changes"):                               "",
			"GET /api/attributes/file-level/values?key=party&cursor=" + of("options-attribute.party"): "",
			"POST /api/files/" + id + "/filters/party/options":                                        `{"cursor":"` + of("options-party") + `"}`,
			"POST /api/tools/search-attribute-values":                                                 `{"query":"x","cursor":"` + of("values") + `"}`,
		} {
			e := get[api.Error](t, b.call(t, b.alice, line, body), http.StatusUnprocessableEntity)
			require.Contains(t, e.Message, "is not the nextCursor of this list", line)
		}
	}
}

// requireOnce fails where something of kept was not seen, or anything twice.
func requireOnce(t *testing.T, list string, kept []string, seen map[string]int) {
	t.Helper()
	for _, id := range kept {
		require.Equal(t, 1, seen[id], "%s: it was there all the time", list)
	}
	for id, times := range seen {
		require.Equal(t, 1, times, "%s %s", list, id)
	}
}

// atOnce answers requests at the same time.
func (b *bundle) atOnce(requests ...*http.Request) []*httptest.ResponseRecorder {
	var all sync.WaitGroup
	answers := make([]*httptest.ResponseRecorder, len(requests))
	for i, r := range requests {
		answers[i] = httptest.NewRecorder()
		all.Go(func() { b.api.ServeHTTP(answers[i], r) })
	}
	all.Wait()
	return answers
}

// TestListsAreWalkedWhileOthersWrite is the same with writers that wait for
// nobody.
func TestListsAreWalkedWhileOthersWrite(t *testing.T) {
	t.Parallel()
	d, _ := dbtest.Database(t)
	b := newBundle(t, d)
	name := func(i int) *string { s := fmt.Sprintf("%03d", i*37%100); return &s }
	var kept []string
	for i := range 20 {
		kept = append(kept, b.matter(t, b.acme, `{"name":"`+*name(i)+`"}`).ID)
	}
	stop := make(chan struct{})
	var writers sync.WaitGroup
	for w := range 2 {
		writers.Go(func() {
			for i := w; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				err := d.InTx(t.Context(), func(tx *db.Tx) error {
					m, err := tx.CreateMatter(t.Context(), b.acme.scope, db.MatterChange{Name: name(i)})
					if err != nil || i%2 == 0 {
						return err
					}
					_, _, err = tx.DeleteMatter(t.Context(), b.acme.scope, m.ID)
					return err
				})
				if err != nil {
					t.Error(err)
					return
				}
				if i > 400 {
					return // the lists must have an end
				}
			}
		})
	}
	for _, list := range []string{"/api/matters", "/api/matters?sort=name", "/api/matters/names-list", "/api/dashboard/matters"} {
		seen := b.walk(t, list, func([]string) {})
		requireOnce(t, list, kept, seen)
	}
	close(stop)
	writers.Wait()
}

// TestAtOnce has many do the same at the same time: nothing is counted twice,
// and nothing is lost.
func TestAtOnce(t *testing.T) {
	t.Parallel()
	d, _ := dbtest.Database(t)
	b := newBundle(t, d)
	bob := b.colleague(t, b.acme, "bob")
	people := []caller{b.acme, bob}
	const many = 12
	one := func(sql string, arguments ...any) (n int) {
		require.NoError(t, d.Pool().QueryRow(t.Context(), sql, arguments...).Scan(&n))
		return n
	}
	codes := func(ask func(i int) (who caller, line, body string)) (list []int) {
		requests := make([]*http.Request, many)
		for i := range requests {
			who, line, body := ask(i)
			requests[i] = request(t, who, line, body)
		}
		for _, w := range b.atOnce(requests...) {
			list = append(list, w.Code)
		}
		return list
	}
	all := func(status int) []int { return slices.Repeat([]int{status}, many) }

	f, ids := b.contract(t, b.acme, said{text: "This is law.", label: "governing_law", score: 0.6, source: "predicted"})
	before := one(`SELECT label_generation FROM files WHERE id = $1`, f.ID)
	labels := []string{"governing_law", "anti_assignment"}
	require.Equal(t, all(http.StatusOK), codes(func(i int) (caller, string, string) {
		return people[i%2], "PATCH /api/sentences/" + ids[0] + "/validate", `{"label":"` + labels[i%2] + `"}`
	}))
	require.Equal(t, many, one(`SELECT count(*) FROM audit_events WHERE action = 'sentence.validated' AND resource_id = $1`, ids[0]))
	require.Equal(t, before+many, one(`SELECT label_generation FROM files WHERE id = $1`, f.ID))
	require.Equal(t, 1, one(`
		SELECT count(*) FROM sentences s WHERE s.id = $1 AND s.label = (
			SELECT data ->> 'to' FROM audit_events WHERE resource_id = s.id ORDER BY id DESC LIMIT 1)`, ids[0]), "what was said last stands")

	m := b.matter(t, b.acme, `{"name":"Merger"}`)
	require.Equal(t, all(http.StatusOK), codes(func(i int) (caller, string, string) {
		return people[i%2], "PUT /api/matters/" + m.ID, fmt.Sprintf(`{"description":"by %d"}`, i)
	}))
	require.Equal(t, 1+many, one(`SELECT version FROM matters WHERE id = $1`, m.ID))

	note := get[api.Pushed](t, b.call(t, b.acme, "POST /api/notifications", `{"title":"a"}`), http.StatusCreated).Items[0].ID
	unread := b.notifications(t, b.acme, "").Unread
	require.Equal(t, all(http.StatusOK), codes(func(int) (caller, string, string) { return b.acme, "PATCH /api/notifications/" + note, "" }))
	require.Equal(t, unread-1, b.notifications(t, b.acme, "").Unread)

	requests := make([]*http.Request, many)
	for i := range requests {
		requests[i] = request(t, b.acme, "POST /api/matters", `{"name":"Once"}`)
		requests[i].Header.Set("Idempotency-Key", "once")
	}
	made := map[string]bool{}
	for _, w := range b.atOnce(requests...) {
		made[idOf(w)] = true
	}
	require.Len(t, made, 1)
	require.Equal(t, 1, one(`SELECT count(*) FROM matters WHERE name = 'Once'`))

	taken := codes(func(i int) (caller, string, string) { return people[i%2], "POST /api/categories", `{"name":"One"}` })
	slices.Sort(taken)
	require.Equal(t, append([]int{http.StatusCreated}, slices.Repeat([]int{http.StatusConflict}, many-1)...), taken)
}

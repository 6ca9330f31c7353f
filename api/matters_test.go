package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/db"
)

// colleague is another member of an organization.
func (b *bundle) colleague(t testing.TB, of caller, name string) caller {
	t.Helper()
	return b.joining(t, of, name, db.Member)
}

// joining is somebody of a name who joins a team in a role.
func (b *bundle) joining(t testing.TB, of caller, name, role string) caller {
	t.Helper()
	var out caller
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		user, err := tx.EnsureUser(t.Context(), name+"@"+of.scope.TeamID+".example", name)
		require.NoError(t, err)
		require.NoError(t, tx.AddMember(t.Context(), of.scope.TeamID, user.ID, role))
		out = b.signIn(t, tx, user.ID, of.scope.TeamID)
		return nil
	}))
	return out
}

func (b *bundle) matter(t testing.TB, who caller, body string) api.Matter {
	t.Helper()
	return get[api.Matter](t, b.call(t, who, "POST /api/matters", body), http.StatusCreated)
}

// told lists the kinds of what somebody was told, newest first.
func (b *bundle) told(t testing.TB, who caller) []db.NotificationKind {
	t.Helper()
	rows, err := b.db.Notifications(t.Context(), who.scope, db.NotificationFilter{}, "", 100)
	require.NoError(t, err)
	kinds := []db.NotificationKind{}
	for _, row := range rows {
		kinds = append(kinds, row.Kind)
	}
	return kinds
}

func TestMatterRoundTrip(t *testing.T) {
	t.Parallel()
	b := setup(t)
	bob := b.colleague(t, b.acme, "bob")

	w := b.call(t, b.acme, "POST /api/matters", fmt.Sprintf(`{"name":" Merger ","description":"Ask @bob@%s.example.","stage":"review",
		"dueAt":"2020-01-02T03:04:05Z","parties":[{"name":"Acme","role":"Buyer"}],"counterparties":["Globex"],"source":"e-mail"}`, b.acme.scope.TeamID))
	m := get[api.Matter](t, w, http.StatusCreated)
	require.Equal(t, "/api/matters/"+m.ID, w.Header().Get("Location"))
	require.Equal(t, "Merger", m.Name)
	require.Equal(t, db.MatterStage("review"), m.Stage)
	require.Equal(t, db.MatterStatus("open"), m.Status)
	require.Equal(t, b.acme.scope.ActorID, *m.OwnerID)
	require.Equal(t, []string{"Globex"}, m.Counterparties)
	require.Equal(t, 1, m.Version)
	require.Equal(t, []db.NotificationKind{db.Mention}, b.told(t, bob))

	w = b.call(t, bob, "GET /api/matters/"+m.ID, "")
	require.Equal(t, m, get[api.Matter](t, w, http.StatusOK))
	etag := w.Header().Get("ETag")
	again := request(t, bob, "GET /api/matters/"+m.ID, "")
	again.Header.Set("If-None-Match", etag)
	require.Equal(t, http.StatusNotModified, b.send(t, again).Code)

	put := func(etag, body string) *httptest.ResponseRecorder {
		r := request(t, bob, "PUT /api/matters/"+m.ID, body)
		r.Header.Set("If-Match", etag)
		return b.send(t, r)
	}
	changed := get[api.Matter](t, put(etag, `{"stage":"approval","dueAt":null}`), http.StatusOK)
	require.Equal(t, db.MatterStage("approval"), changed.Stage)
	require.Nil(t, changed.DueAt)
	require.Equal(t, "Merger", changed.Name)
	require.Equal(t, 2, changed.Version)
	require.Equal(t, []db.NotificationKind{db.MatterUpdated}, b.told(t, b.acme), "the owner is told what others change")
	get[api.Error](t, put(etag, `{"name":"Late"}`), http.StatusConflict)
	get[api.Error](t, put(`"x"`, `{"name":"Late"}`), http.StatusConflict)

	for body, at := range map[string]string{
		`{"stage":"done"}`:                              "body.stage",
		`{"name":" "}`:                                  "body.name",
		`{"ownerId":"nobody"}`:                          "body.ownerId",
		`{"documentTypeIds":["x"]}`:                     "body.documentTypeIds[0]",
		`{"dueAt":"tomorrow"}`:                          "body",
		`{"ownerId":"` + b.mallory.scope.ActorID + `"}`: "",
		`{"documentTypeIds":["` + db.NewID() + `"]}`:    "",
	} {
		e := get[api.Error](t, b.call(t, bob, "PUT /api/matters/"+m.ID, body), http.StatusUnprocessableEntity)
		if at != "" {
			require.Contains(t, e.Details[0].Location, at, body)
		}
	}
	require.Equal(t, changed, get[api.Matter](t, b.call(t, bob, "GET /api/matters/"+m.ID, ""), http.StatusOK), "nothing refused was half done")

	f := b.file(t, b.acme)
	get[api.File](t, b.call(t, bob, "PATCH /api/matters/"+m.ID+"/files", `{"fileId":"`+f.ID+`"}`), http.StatusOK)
	get[api.Message](t, b.call(t, bob, "DELETE /api/matters/"+m.ID, ""), http.StatusOK)
	get[api.Error](t, b.call(t, bob, "GET /api/matters/"+m.ID, ""), http.StatusNotFound)
	left := get[api.File](t, b.call(t, bob, "GET /api/files/"+f.ID, ""), http.StatusOK)
	require.Nil(t, left.MatterID)
	require.Equal(t, 3, left.Version, "who follows files hears of it")

	audit, err := b.db.AuditEvents(t.Context(), b.acme.scope, m.ID, 10)
	require.NoError(t, err)
	require.Equal(t, []string{"matter.deleted", "matter.file_added", "matter.updated", "matter.created"}, actions(audit))
}

func actions(events []db.AuditEvent) []string {
	var all []string
	for _, e := range events {
		all = append(all, e.Action)
	}
	return all
}

func TestMatterIsMadeOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	post := func(body string) *httptest.ResponseRecorder {
		r := request(t, b.acme, "POST /api/matters", body)
		r.Header.Set("Idempotency-Key", "k")
		return b.send(t, r)
	}
	first := post(`{"name":"Merger"}`)
	second := post(`{ "name": "Merger" }`)
	require.Equal(t, get[api.Matter](t, first, http.StatusCreated), get[api.Matter](t, second, http.StatusCreated))
	require.Equal(t, first.Header().Get("Location"), second.Header().Get("Location"))
	get[api.Error](t, post(`{"name":"Other"}`), http.StatusUnprocessableEntity)
	require.Equal(t, 1, *get[api.List[api.Matter]](t, b.call(t, b.acme, "GET /api/matters", ""), http.StatusOK).Total)
}

func TestMatterLists(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var ids []string
	for i, body := range []string{
		`{"name":"bravo","stage":"review","dueAt":"2020-01-01T00:00:00Z","counterparties":["Globex"]}`,
		`{"name":"Alpha","status":"closed"}`,
		`{"name":"charlie","stage":"review","dueAt":"2999-01-01T00:00:00Z"}`,
		`{"name":"Delta"}`,
	} {
		m := b.matter(t, b.acme, body)
		require.Len(t, ids, i)
		ids = append(ids, m.ID)
	}
	b.matter(t, b.mallory, `{"name":"theirs"}`)

	names := func(path string) (all []string) {
		cursor := ""
		for {
			page := get[api.List[api.MatterName]](t, b.call(t, b.acme, "GET "+path+"limit=2&cursor="+cursor, ""), http.StatusOK)
			for _, m := range page.Items {
				all = append(all, m.Name)
			}
			if cursor = url.QueryEscape(page.NextCursor); cursor == "" {
				return all
			}
		}
	}
	require.Equal(t, []string{"Delta", "charlie", "Alpha", "bravo"}, names("/api/matters?"))
	require.Equal(t, []string{"Alpha", "bravo", "charlie", "Delta"}, names("/api/matters/names-list?"))
	require.Equal(t, []string{"bravo", "charlie", "Delta"}, names("/api/dashboard/matters?"), "the most urgent first, none that has ended")
	require.Equal(t, []string{"charlie", "bravo"}, names("/api/matters?stage=review&"))
	require.Equal(t, []string{"bravo"}, names("/api/matters?counterparty=GLOBEX&"))
	require.Equal(t, []string{"bravo"}, names("/api/matters?dueBefore=2021-01-01T00:00:00Z&"))
	require.Equal(t, []string{"Alpha"}, names("/api/matters?q=LPH&"))
	require.Empty(t, names("/api/matters?ownerId="+db.NewID()+"&"))
	globex := "filter=" + url.QueryEscape(`{"all":[{"field":"matterCounterparty","op":"in","values":["glöbex"]},{"not":{"field":"matterStatus","op":"in","values":["closed"]}}]}`) + "&"
	for _, path := range []string{"/api/matters?", "/api/matters/names-list?", "/api/dashboard/matters?"} {
		require.Equal(t, []string{"bravo"}, names(path+globex))
		require.Empty(t, names(path+"q=delta&"+globex), "both must hold")
		e := get[api.Error](t, b.call(t, b.acme, "GET "+path+"filter="+url.QueryEscape(`{"field":"label","op":"exists"}`), ""), http.StatusUnprocessableEntity)
		require.Equal(t, "query.filter", e.Details[0].Location)
	}

	for _, path := range []string{"/api/matters", "/api/matters/names-list", "/api/dashboard/matters", "/api/matters/work"} {
		for _, forged := range []string{"x", "bWF0dGVyczox", "ZGFzaGJvYXJkOjE", "d29yazox", "bWF0dGVyIG5hbWVzOjE"} {
			get[api.Error](t, b.call(t, b.acme, "GET "+path+"?cursor="+forged, ""), http.StatusUnprocessableEntity)
		}
	}

	board := get[api.MattersDashboard](t, b.call(t, b.acme, "GET /api/dashboard/matters", ""), http.StatusOK)
	require.Equal(t, 1, board.Overdue)
	require.Equal(t, 3, *board.Total)
	require.Len(t, board.Stages, len(db.MatterStages()))
	require.Contains(t, board.Stages, api.StageCount{Stage: "review", Count: 2, Overdue: 1})
	require.Contains(t, board.Stages, api.StageCount{Stage: "intake", Count: 1})
	require.True(t, board.Items[0].Overdue)
}

func TestMatterFiles(t *testing.T) {
	t.Parallel()
	b := setup(t)
	one, other := b.matter(t, b.acme, `{"name":"One"}`), b.matter(t, b.acme, `{"name":"Other"}`)
	f := b.file(t, b.acme)
	move := func(m api.Matter, body string, status int) *httptest.ResponseRecorder {
		w := b.call(t, b.acme, "PATCH /api/matters/"+m.ID+"/files", body)
		require.Equal(t, status, w.Code, w.Body.String())
		return w
	}
	in := func(m api.Matter) []string {
		page := get[api.List[api.File]](t, b.call(t, b.acme, "GET /api/matters/"+m.ID+"/files", ""), http.StatusOK)
		ids := []string{}
		for _, f := range page.Items {
			ids = append(ids, f.ID)
		}
		return ids
	}
	move(one, `{"fileId":"`+f.ID+`","add":true,"stage":"review"}`, http.StatusOK)
	require.Equal(t, []string{f.ID}, in(one))
	move(one, `{"fileId":"`+f.ID+`","stage":"draft"}`, http.StatusOK)
	move(one, `{"fileId":"`+f.ID+`","stage":"approval"}`, http.StatusOK)
	move(one, `{"fileId":"`+f.ID+`","stage":"draft"}`, http.StatusConflict)
	move(other, `{"fileId":"`+f.ID+`","stage":"signature"}`, http.StatusNotFound)
	move(other, `{"fileId":"`+f.ID+`","remove":true}`, http.StatusNotFound)
	move(other, `{"fileId":"`+f.ID+`","remove":true,"add":true}`, http.StatusUnprocessableEntity)
	move(other, `{"fileId":"`+b.file(t, b.mallory).ID+`"}`, http.StatusNotFound)
	move(other, `{}`, http.StatusUnprocessableEntity)
	move(other, `{"fileId":"`+f.ID+`"}`, http.StatusOK)
	require.Empty(t, in(one))
	require.Equal(t, []string{f.ID}, in(other))
	got := get[api.File](t, move(other, `{"fileId":"`+f.ID+`","remove":true}`, http.StatusOK), http.StatusOK)
	require.Nil(t, got.MatterID)
	require.Empty(t, in(other))

	timeline := func(m api.Matter) (all []string) {
		cursor := ""
		for {
			page := get[api.List[api.TimelineEvent]](t, b.call(t, b.acme, "GET /api/matters/"+m.ID+"/timeline?limit=2&cursor="+cursor, ""), http.StatusOK)
			for _, e := range page.Items {
				require.Equal(t, "Alice", *e.Actor.Name)
				all = append(all, e.Action)
			}
			if cursor = page.NextCursor; cursor == "" {
				return all
			}
		}
	}
	require.Equal(t, []string{
		"matter.file_removed", "file.lifecycle_changed", "file.lifecycle_changed", "file.lifecycle_changed", "matter.file_added", "file.updated", "matter.created",
	}, timeline(one), "what happened to the file while it was there")
	require.Equal(t, []string{"matter.file_removed", "matter.file_added", "file.updated", "matter.created"}, timeline(other))

	move(one, `{"fileId":"`+f.ID+`"}`, http.StatusOK)
	require.Contains(t, timeline(one), "file.created", "all of what is there now")
	get[api.Message](t, b.call(t, b.acme, "DELETE /api/files/"+f.ID, ""), http.StatusOK)
	require.Equal(t, "file.deleted", timeline(one)[0])
}

func TestFileAssignments(t *testing.T) {
	t.Parallel()
	b := setup(t)
	bob := b.colleague(t, b.acme, "bob")
	f := b.file(t, b.acme)
	path := " /api/files/" + f.ID + "/assign"

	mine := get[api.Assignment](t, b.call(t, b.acme, "POST"+path, ""), http.StatusCreated)
	require.Equal(t, b.acme.scope.ActorID, mine.UserID)
	require.Equal(t, db.AssignmentRole("reviewer"), mine.Role)
	require.Equal(t, []db.NotificationKind{db.AssignmentCreated}, b.told(t, b.acme))
	get[api.Error](t, b.call(t, b.acme, "POST"+path, ""), http.StatusConflict)

	his := get[api.Assignment](t, b.call(t, b.acme, "POST"+path+"?role=approver&dueAt=2020-01-01T00:00:00Z&userId="+bob.scope.ActorID, `{"note":"soon"}`), http.StatusCreated)
	require.Equal(t, db.AssignmentRole("approver"), his.Role)
	require.Equal(t, "soon", his.Note)
	require.Equal(t, "bob", his.UserName)
	require.Equal(t, []db.NotificationKind{db.AssignmentCreated}, b.told(t, bob))
	for _, query := range []string{"?userId=" + b.mallory.scope.ActorID, "?userId=nobody", "?role=cook", "?dueAt=soon"} {
		get[api.Error](t, b.call(t, b.acme, "POST"+path+query, ""), http.StatusUnprocessableEntity)
	}

	work := get[api.Work](t, b.call(t, b.acme, "GET /api/users/"+bob.scope.ActorID+"/work", ""), http.StatusOK)
	require.Equal(t, 1, work.Overdue)
	require.Equal(t, f.Name, work.Items[0].Name)
	get[api.Error](t, b.call(t, b.acme, "GET /api/users/"+b.mallory.scope.ActorID+"/work", ""), http.StatusNotFound)

	changed := get[api.Assignment](t, b.call(t, bob, "PUT"+path+"?role=editor&dueAt=", ""), http.StatusOK)
	require.Equal(t, db.AssignmentRole("editor"), changed.Role)
	require.Nil(t, changed.DueAt)
	require.False(t, changed.Done)
	require.True(t, get[api.Assignment](t, b.call(t, bob, "PUT"+path, ""), http.StatusOK).Done)
	require.Zero(t, get[api.Work](t, b.call(t, b.acme, "GET /api/users/"+bob.scope.ActorID+"/work", ""), http.StatusOK).Open)
	require.False(t, get[api.Assignment](t, b.call(t, bob, "PUT"+path, `{"done":false}`), http.StatusOK).Done)

	list := get[api.List[api.Assignment]](t, b.call(t, bob, "GET /api/files/"+f.ID+"/assignments?limit=1", ""), http.StatusOK)
	require.Equal(t, mine.ID, list.Items[0].ID)
	rest := get[api.List[api.Assignment]](t, b.call(t, bob, "GET /api/files/"+f.ID+"/assignments?cursor="+list.NextCursor, ""), http.StatusOK)
	require.Len(t, rest.Items, 1)

	require.Len(t, get[api.Unassigned](t, b.call(t, bob, "DELETE"+path, `{"userId":"`+bob.scope.ActorID+`"}`), http.StatusOK).Removed, 1)
	get[api.Error](t, b.call(t, bob, "DELETE"+path, ""), http.StatusNotFound)
	get[api.Error](t, b.call(t, bob, "PUT"+path, ""), http.StatusNotFound)
	get[api.Error](t, b.call(t, bob, "DELETE"+path+"?all=true", ""), http.StatusForbidden)
	require.Len(t, get[api.Unassigned](t, b.call(t, b.acme, "DELETE"+path+"?all=true", ""), http.StatusOK).Removed, 1)
	audit, err := b.db.AuditTrail(t.Context(), b.acme.scope, db.AuditFilter{FileID: f.ID}, db.AuditPlace{}, 3)
	require.NoError(t, err)
	require.Equal(t, []string{"assignment.deleted", "assignment.deleted", "assignment.updated"}, actions(audit))
}

// TestAssignmentsEnd has work done, declined and opened again, on a matter and on
// a file: who may, who is told, and what is left to be done.
func TestAssignmentsEnd(t *testing.T) {
	t.Parallel()
	b := setup(t)
	bob, eve, lead := b.colleague(t, b.acme, "bob"), b.colleague(t, b.acme, "eve"), b.colleague(t, b.acme, "lead")
	m, f := b.matter(t, b.acme, `{"name":"Merger"}`), b.file(t, b.acme)
	for _, on := range []struct{ list, create string }{
		{"/api/matters/" + m.ID + "/assignments", "/api/matters/" + m.ID + "/assignments"},
		{"/api/files/" + f.ID + "/assignments", "/api/files/" + f.ID + "/assign"},
	} {
		assign := func(who caller, status int) api.Assignment {
			t.Helper()
			w := b.call(t, who, "POST "+on.create, `{"userId":"`+bob.scope.ActorID+`","dueAt":"2020-01-01T00:00:00Z"}`)
			require.Equal(t, status, w.Code, w.Body.String())
			var out api.Assignment
			require.NoError(t, json.Unmarshal(w.Body.Bytes(), &out))
			return out
		}
		his := assign(lead, http.StatusCreated)
		require.Equal(t, db.AssignmentOpen, his.Status)
		patch := func(who caller, body string) api.Assignment {
			t.Helper()
			return get[api.Assignment](t, b.call(t, who, "PATCH "+on.list+"/"+his.ID, body), http.StatusOK)
		}
		told := func(who caller) api.Notification {
			t.Helper()
			return get[api.Notifications](t, b.call(t, who, "GET /api/notifications?limit=1", ""), http.StatusOK).Items[0]
		}
		late := func() []int {
			t.Helper()
			work := get[api.Work](t, b.call(t, eve, "GET /api/users/"+bob.scope.ActorID+"/work", ""), http.StatusOK)
			return []int{work.Open, work.Overdue}
		}
		require.Equal(t, []int{1, 1}, late())

		done := patch(bob, `{"status":"done","note":"read"}`)
		require.True(t, done.Done)
		require.NotNil(t, done.DoneAt)
		require.Equal(t, bob.scope.ActorID, *done.EndedBy)
		require.Equal(t, "read", done.Note)
		require.Equal(t, []int{0, 0}, late())
		require.Equal(t, db.AssignmentUpdated, told(lead).Kind)
		require.Contains(t, told(lead).Title, "bob is done with ")
		again := patch(bob, `{"status":"done"}`)
		require.Equal(t, done.DoneAt, again.DoneAt, "twice is once")

		declined := patch(bob, `{"status":"declined"}`)
		require.Nil(t, declined.DoneAt)
		require.NotNil(t, declined.DeclinedAt)
		require.False(t, declined.Done)
		require.Contains(t, told(lead).Title, "bob declined ")
		require.Equal(t, []int{0, 0}, late())

		open := patch(b.acme, `{"status":"open","role":"owner"}`)
		require.Equal(t, db.AssignmentOpen, open.Status)
		require.Nil(t, open.DeclinedAt)
		require.Nil(t, open.EndedBy)
		require.Contains(t, told(bob).Title, "is open again")
		require.Equal(t, []int{1, 1}, late())
		patch(lead, `{"dueAt":null}`)
		require.Contains(t, told(bob).Title, "was changed")
		require.Equal(t, open.Role, patch(bob, "").Role, "nothing is changed by nothing")

		get[api.Error](t, b.call(t, eve, "PATCH "+on.list+"/"+his.ID, `{"status":"done"}`), http.StatusForbidden)
		get[api.Error](t, b.call(t, b.mallory, "PATCH "+on.list+"/"+his.ID, `{"status":"done"}`), http.StatusNotFound)
		get[api.Error](t, b.call(t, bob, "PATCH "+on.list+"/"+db.NewID(), `{"status":"done"}`), http.StatusNotFound)
		for _, bad := range []string{`{"status":"late"}`, `{"dueAt":"soon"}`, `{"userId":"x"}`} {
			get[api.Error](t, b.call(t, bob, "PATCH "+on.list+"/"+his.ID, bad), http.StatusUnprocessableEntity)
		}

		assign(eve, http.StatusConflict)
		patch(bob, `{"status":"declined"}`)
		anew := assign(eve, http.StatusCreated)
		require.Equal(t, his.ID, anew.ID)
		require.Equal(t, db.AssignmentOpen, anew.Status)
		require.Equal(t, eve.scope.ActorID, *anew.CreatedBy)
		require.Equal(t, db.AssignmentCreated, told(bob).Kind)
		patch(eve, `{"status":"done"}`)
		require.Contains(t, told(bob).Title, "bob is done with ", "somebody else said so")

		events := get[api.List[api.AuditEvent]](t, b.call(t, b.acme, "GET /api/audit?resource="+his.ID, ""), http.StatusOK).Items
		require.Len(t, events, 9)
		var data struct{ Status []string }
		require.NoError(t, json.Unmarshal(events[0].Data, &data))
		require.Equal(t, []string{"open", "done"}, data.Status)
	}
	get[api.Error](t, b.call(t, bob, "PUT /api/files/"+f.ID+"/assign", `{"done":true,"status":"declined"}`), http.StatusUnprocessableEntity)
	require.Equal(t, db.AssignmentDeclined, get[api.Assignment](t, b.call(t, bob, "PUT /api/files/"+f.ID+"/assign?status=declined", ""), http.StatusOK).Status)
}

func TestMatterWork(t *testing.T) {
	t.Parallel()
	b := setup(t)
	bob := b.colleague(t, b.acme, "bob")
	m := b.matter(t, b.acme, `{"name":"Merger"}`)
	closed := b.matter(t, b.acme, `{"name":"Old","status":"closed"}`)
	f := b.file(t, b.acme)
	get[api.File](t, b.call(t, b.acme, "PATCH /api/matters/"+m.ID+"/files", `{"fileId":"`+f.ID+`"}`), http.StatusOK)
	soon := time.Now().Add(48 * time.Hour).UTC().Format(time.RFC3339)
	assigned := get[api.Assignment](t, b.call(t, b.acme, "POST /api/matters/"+m.ID+"/assignments", `{"role":"owner","dueAt":"`+soon+`"}`), http.StatusCreated)
	get[api.Assignment](t, b.call(t, b.acme, "POST /api/matters/"+closed.ID+"/assignments", `{}`), http.StatusCreated)
	get[api.Assignment](t, b.call(t, b.acme, "POST /api/files/"+f.ID+"/assign?dueAt=2020-01-01T00:00:00Z&userId="+bob.scope.ActorID, ""), http.StatusCreated)
	get[api.Assignment](t, b.call(t, b.acme, "POST /api/files/"+b.file(t, b.acme).ID+"/assign", ""), http.StatusCreated)

	for _, path := range []string{"/api/matters/" + m.ID + "/work", "/api/matters/work"} {
		work := get[api.Work](t, b.call(t, b.acme, "GET "+path, ""), http.StatusOK)
		require.Equal(t, []int{2, 1, 1}, []int{work.Open, work.Due, work.Overdue}, path)
		require.Equal(t, bob.scope.ActorID, work.People[0].UserID, "who is late comes first")
		require.Equal(t, f.Name, work.Items[0].Name)
		require.Equal(t, "Merger", *work.Items[0].MatterName)
		require.Equal(t, assigned.ID, work.Items[1].ID)
		require.Len(t, get[api.Work](t, b.call(t, b.acme, "GET "+path+"?overdue=true", ""), http.StatusOK).Items, 1)
		page := get[api.Work](t, b.call(t, b.acme, "GET "+path+"?limit=1", ""), http.StatusOK)
		next := get[api.Work](t, b.call(t, b.acme, "GET "+path+"?cursor="+url.QueryEscape(page.NextCursor), ""), http.StatusOK)
		require.Equal(t, assigned.ID, next.Items[0].ID)
	}
	require.Len(t, get[api.Work](t, b.call(t, b.acme, "GET /api/matters/work?userId="+bob.scope.ActorID, ""), http.StatusOK).Items, 1)
	require.Equal(t, 2, get[api.Work](t, b.call(t, b.acme, "GET /api/users/"+b.acme.scope.ActorID+"/work", ""), http.StatusOK).Open)

	board := get[api.MattersDashboard](t, b.call(t, b.acme, "GET /api/dashboard/matters", ""), http.StatusOK)
	require.Equal(t, []int{1, 2, 1}, []int{board.Items[0].Files, board.Items[0].OpenAssignments, board.Items[0].OverdueAssignments})

	require.Len(t, get[api.List[api.Assignment]](t, b.call(t, bob, "GET /api/matters/"+m.ID+"/assignments", ""), http.StatusOK).Items, 1)
	get[api.Error](t, b.call(t, bob, "DELETE /api/matters/"+m.ID+"/assignments/"+assigned.ID, ""), http.StatusForbidden)
	get[api.Message](t, b.call(t, b.acme, "DELETE /api/matters/"+m.ID+"/assignments/"+assigned.ID, ""), http.StatusOK)
	get[api.Error](t, b.call(t, bob, "DELETE /api/matters/"+m.ID+"/assignments/"+assigned.ID, ""), http.StatusNotFound)
	require.Empty(t, get[api.List[api.Assignment]](t, b.call(t, bob, "GET /api/matters/"+m.ID+"/assignments", ""), http.StatusOK).Items)
}

func TestMatterFileFilters(t *testing.T) {
	t.Parallel()
	b := setup(t)
	m := b.matter(t, b.acme, `{"name":"Merger","counterparties":["Globex GmbH"],"stage":"review"}`)
	for i, names := range []string{`["GLOBEX  GmbH", "Initech"]`, `["initech"]`, `["Initech"]`, `["Hidden"]`} {
		f := b.file(t, b.acme)
		b.call(t, b.acme, "PUT /api/files/"+f.ID, `{"counterparties":`+names+`,"parties":[{"name":"Acme"}]}`)
		if i < 3 {
			get[api.File](t, b.call(t, b.acme, "PATCH /api/matters/"+m.ID+"/files", `{"fileId":"`+f.ID+`"}`), http.StatusOK)
		}
	}
	theirs := b.matter(t, b.mallory, `{"name":"Theirs","counterparties":["Secret"]}`)
	b.call(t, b.mallory, "PATCH /api/matters/"+theirs.ID+"/files", `{"fileId":"`+b.file(t, b.mallory).ID+`"}`)

	facet := func(path string) api.FilterValues {
		return get[api.FilterValues](t, b.call(t, b.acme, "GET /api/matters-files/filters/"+path, ""), http.StatusOK)
	}
	require.Equal(t, api.FilterValues{Key: "counterparties", Files: 3, Items: []api.FilterValue{
		{Value: "globex gmbh", Label: "Globex GmbH", Aliases: []string{"GLOBEX  GmbH"}, Count: 3},
		{Value: "initech", Label: "Initech", Aliases: []string{"initech"}, Count: 3},
	}}, sorted(facet("counterparties")))
	require.Equal(t, api.FilterValues{Key: "parties", Files: 3, Items: []api.FilterValue{{Value: "acme", Label: "Acme", Count: 3}}}, facet("parties"))
	require.Equal(t, api.FilterValues{Key: "document-types", Files: 3, Missing: 3, Items: []api.FilterValue{}}, facet("document-types"))
	require.Equal(t, []api.FilterValue{{Value: "upload", Label: "upload", Count: 3}}, facet("sources").Items)
	stages := facet("stages").Items
	require.Len(t, stages, len(db.MatterStages()))
	require.Equal(t, api.FilterValue{Value: "review", Label: "review", Count: 3}, stages[0])
	require.Len(t, facet("statuses").Items, len(db.MatterStatuses()))
	require.Len(t, facet("counterparties?q=GLOB").Items, 1)
	require.Zero(t, facet("sources?stages=intake").Files)
	require.Equal(t, 3, facet("stages?stages=intake").Files, "what is chosen does not narrow itself")
	require.Zero(t, facet("sources?counterparties=secret").Files)
	require.Zero(t, facet("sources?matterId="+theirs.ID).Files)
	require.Equal(t, 3, facet("sources?counterparties=initech&parties=acme&sources=upload&statuses=open&matterId="+m.ID).Files)

	condition := "filter=" + url.QueryEscape(`{"field":"counterparty","op":"in","values":["Initech"]}`)
	require.Equal(t, 3, facet("sources?"+condition).Files)
	require.Zero(t, facet("sources?counterparties=hidden&"+condition).Files)
	require.Equal(t, 3, facet("sources?parties=ACME").Files, "names are compared as conditions compare them")
	require.Len(t, get[api.List[api.File]](t, b.call(t, b.acme, "GET /api/matters/"+m.ID+"/files?"+condition, ""), http.StatusOK).Items, 3)
	require.Empty(t, get[api.List[api.File]](t, b.call(t, b.acme, "GET /api/matters/"+m.ID+"/files?"+strings.Replace(condition, "Initech", "Hidden", 1), ""), http.StatusOK).Items)

	all := get[api.MatterFileFilters](t, b.call(t, b.acme, "GET /api/matters-files/filters", ""), http.StatusOK).Items
	require.Len(t, all, 6)
	for _, f := range all {
		require.Equal(t, facet(f.Key).Items, f.Options)
		require.Equal(t, 3, f.Files)
	}
}

// sorted puts values of the same count in the order of their names.
func sorted(v api.FilterValues) api.FilterValues {
	slices.SortStableFunc(v.Items, func(a, b api.FilterValue) int { return b.Count - a.Count })
	for _, item := range v.Items {
		slices.Sort(item.Aliases)
	}
	return v
}

package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
)

func (b *bundle) notifications(t testing.TB, who caller, query string) api.Notifications {
	t.Helper()
	return get[api.Notifications](t, b.call(t, who, "GET /api/notifications"+query, ""), http.StatusOK)
}

func TestNotifications(t *testing.T) {
	t.Parallel()
	b := setup(t)
	bob := b.colleague(t, b.acme, "bob")
	push := func(body string, status int) *httptest.ResponseRecorder {
		w := b.call(t, b.acme, "POST /api/notifications", body)
		require.Equal(t, status, w.Code, w.Body.String())
		return w
	}
	own := get[api.Pushed](t, push(`{"title":"Remember"}`, http.StatusCreated), http.StatusCreated).Items
	require.Len(t, own, 1)
	require.Equal(t, b.acme.scope.ActorID, own[0].UserID)
	require.Equal(t, db.CustomNote, own[0].Kind)
	push(fmt.Sprintf(`{"title":"Look","kind":"mention","link":"/api/files","userIds":[%q,%q,%q]}`,
		bob.scope.ActorID, bob.scope.ActorID, b.acme.scope.ActorID), http.StatusCreated)
	for _, refused := range []string{
		`{"title":"x","userIds":["` + b.mallory.scope.ActorID + `"]}`,
		`{"title":"x","userIds":["` + bob.scope.ActorID + `","` + b.mallory.scope.ActorID + `"]}`,
		`{"title":"x","userIds":["nobody"]}`, `{"title":" "}`, `{"title":"x","kind":"file.failed"}`,
		`{"title":"x","link":"javascript:alert(1)"}`, `{"title":"x","link":"//evil.example"}`, `{"title":"x","link":"http://evil.example"}`,
		`{"title":"x","link":"/\\evil.example"}`, `{"title":"x","link":"https://a@evil.example"}`, `{"title":"x","link":"data:text/html,x"}`,
	} {
		push(refused, http.StatusUnprocessableEntity)
	}

	his := b.notifications(t, bob, "")
	require.Len(t, his.Items, 1, "each once, and nothing of what was refused")
	require.Equal(t, 1, his.Unread)
	require.Equal(t, b.acme.scope.ActorID, *his.Items[0].CreatedBy)
	line := "PATCH /api/notifications/" + his.Items[0].ID
	get[api.Error](t, b.call(t, b.acme, line, ""), http.StatusNotFound)
	marked := get[api.Notification](t, b.call(t, bob, line, ""), http.StatusOK)
	require.True(t, marked.Read)
	require.Equal(t, marked, get[api.Notification](t, b.call(t, bob, line, `{"read":true}`), http.StatusOK), "the first reading counts")
	require.Empty(t, b.notifications(t, bob, "?unread=true").Items)
	require.False(t, get[api.Notification](t, b.call(t, bob, line+"?read=false", ""), http.StatusOK).Read)
	require.Len(t, b.notifications(t, bob, "?unread=true&kind=mention").Items, 1)
	require.Empty(t, b.notifications(t, bob, "?kind=custom").Items)

	first := b.notifications(t, b.acme, "?limit=1")
	require.Equal(t, "Look", first.Items[0].Title)
	require.Equal(t, "Remember", b.notifications(t, b.acme, "?cursor="+first.NextCursor).Items[0].Title)
	require.Empty(t, b.notifications(t, b.alice, "").Items, "what was said in one team is not told in another")

	events, err := b.db.Events(t.Context(), bob.scope, 0, 100)
	require.NoError(t, err)
	require.Equal(t, []string{"notification.created", "notification.updated", "notification.updated", "notification.updated"}, kinds(events), "his only")
}

func kinds(events []db.Event) []string {
	all := []string{}
	for _, e := range events {
		all = append(all, e.Kind)
	}
	return all
}

func TestWhatTheServiceTells(t *testing.T) {
	t.Parallel()
	b := setup(t)
	bob := b.colleague(t, b.acme, "bob")
	f := b.file(t, b.acme)
	get[api.Assignment](t, b.call(t, b.acme, "POST /api/files/"+f.ID+"/assign?userId="+bob.scope.ActorID, ""), http.StatusCreated)
	b.process(t, b.acme, f.ID)
	require.Equal(t, []db.NotificationKind{db.FileCompletedNote}, b.told(t, b.acme))
	require.Equal(t, []db.NotificationKind{db.FileCompletedNote, db.AssignmentCreated}, b.told(t, bob))

	other := b.file(t, b.acme)
	get[api.BulkAccepted](t, b.call(t, b.acme, "POST /api/files/bulk/reprocess", `{"fileIds":["`+f.ID+`","`+other.ID+`"]}`), http.StatusAccepted)
	b.process(t, b.acme, f.ID)
	require.Len(t, b.told(t, b.acme), 1, "the operation goes on")
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		return tx.FailAttempt(t.Context(), db.System(b.acme.scope.TeamID), db.Attempt{FileID: other.ID, Number: 2}, "", fault.File(fault.CorruptFile, "no", nil))
	}))
	require.Equal(t, []db.NotificationKind{db.OperationFinished, db.FileCompletedNote}, b.told(t, b.acme))
	op := get[api.List[api.Operation]](t, b.call(t, b.acme, "GET /api/operations", ""), http.StatusOK).Items[0]
	require.Equal(t, []any{"completed", 2, 2, 1}, []any{op.State, op.Total, op.Done, op.Failed})

	alone := b.file(t, b.acme)
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		return tx.FailAttempt(t.Context(), db.System(b.acme.scope.TeamID), db.Attempt{FileID: alone.ID, Number: 1}, "", fault.File(fault.CorruptFile, "it is broken", nil))
	}))
	newest := b.notifications(t, b.acme, "?limit=1").Items[0]
	require.Equal(t, db.FileFailedNote, newest.Kind)
	require.Equal(t, "it is broken", newest.Body)
	require.Equal(t, "/api/files/"+alone.ID, newest.Link)
	require.Nil(t, newest.CreatedBy)
}

func TestChats(t *testing.T) {
	t.Parallel()
	b := setup(t)
	bob, carol := b.colleague(t, b.acme, "bob"), b.colleague(t, b.acme, "carol")
	f := b.file(t, b.acme)
	w := b.call(t, b.acme, "POST /api/chats", `{"name":"Lease","participants":["`+bob.scope.ActorID+`"],"fileId":"`+f.ID+`"}`)
	chat := get[api.Chat](t, w, http.StatusCreated)
	path := " /api/chats/" + chat.ID
	require.Equal(t, strings.TrimSpace(path), w.Header().Get("Location"))
	require.Len(t, chat.Participants, 2)
	require.Equal(t, f.ID, chat.DocumentContext.FileID)
	require.Equal(t, f.Name, chat.DocumentContext.Name)
	require.Nil(t, chat.ReferenceDocumentContext)
	require.Equal(t, []db.NotificationKind{db.Mention}, b.told(t, bob))

	for _, line := range []string{
		"GET" + path, "PATCH" + path, "PUT" + path, "DELETE" + path, "GET" + path + "/name", "GET" + path + "/participants", "POST" + path + "/participants",
		"DELETE" + path + "/participants/" + bob.scope.ActorID, "POST" + path + "/document-context", "DELETE" + path + "/document-context",
		"POST" + path + "/reference-document-context", "DELETE" + path + "/reference-document-context",
	} {
		require.Equal(t, http.StatusNotFound, b.call(t, carol, line, "").Code, line)
	}
	require.Empty(t, get[api.List[api.Chat]](t, b.call(t, carol, "GET /api/chats", ""), http.StatusOK).Items)
	require.Equal(t, chat, get[api.Chat](t, b.call(t, bob, "GET"+path, ""), http.StatusOK))

	etag := b.call(t, bob, "GET"+path, "").Header().Get("ETag")
	rename := func(query string) *httptest.ResponseRecorder {
		r := request(t, bob, "PATCH"+path+query, "")
		r.Header.Set("If-Match", etag)
		return b.send(t, r)
	}
	require.Equal(t, "Office", get[api.Chat](t, rename("?name=Office"), http.StatusOK).Name)
	get[api.Error](t, rename("?name=Late"), http.StatusConflict)
	require.Equal(t, "Office", get[api.Chat](t, b.call(t, bob, "PATCH"+path, ""), http.StatusOK).Name)
	require.Equal(t, api.ChatName{ID: chat.ID, Name: "Office"}, get[api.ChatName](t, b.call(t, bob, "GET"+path+"/name", ""), http.StatusOK))

	get[api.Error](t, b.call(t, bob, "POST"+path+"/participants?userId="+b.mallory.scope.ActorID, ""), http.StatusUnprocessableEntity)
	get[api.Error](t, b.call(t, bob, "POST"+path+"/participants?userId=x", ""), http.StatusUnprocessableEntity)
	require.Len(t, get[api.Chat](t, b.call(t, bob, "POST"+path+"/participants", ""), http.StatusCreated).Participants, 2, "he takes part already")
	require.Len(t, get[api.Chat](t, b.call(t, bob, "POST"+path+"/participants", `{"userId":"`+carol.scope.ActorID+`"}`), http.StatusCreated).Participants, 3)
	require.Equal(t, 3, *get[api.List[db.Participant]](t, b.call(t, carol, "GET"+path+"/participants", ""), http.StatusOK).Total)

	newest := b.file(t, b.acme)
	require.Equal(t, newest.ID, get[api.Chat](t, b.call(t, bob, "POST"+path+"/document-context", ""), http.StatusOK).DocumentContext.FileID)
	require.Equal(t, newest.ID, get[api.Chat](t, b.call(t, bob, "POST"+path+"/reference-document-context", ""), http.StatusOK).ReferenceDocumentContext.FileID)
	require.Equal(t, f.ID, get[api.Chat](t, b.call(t, bob, "POST"+path+"/reference-document-context?fileId="+f.ID, ""), http.StatusOK).ReferenceDocumentContext.FileID)
	get[api.Error](t, b.call(t, bob, "POST"+path+"/document-context?fileId="+b.file(t, b.mallory).ID, ""), http.StatusUnprocessableEntity)
	require.Len(t, get[api.List[api.Chat]](t, b.call(t, bob, "GET /api/chats?fileId="+f.ID, ""), http.StatusOK).Items, 1)
	require.Nil(t, get[api.Chat](t, b.call(t, bob, "DELETE"+path+"/document-context", ""), http.StatusOK).DocumentContext)
	get[api.Message](t, b.call(t, b.acme, "DELETE /api/files/"+f.ID, ""), http.StatusOK)
	require.Nil(t, get[api.Chat](t, b.call(t, bob, "GET"+path, ""), http.StatusOK).ReferenceDocumentContext)
	get[api.Error](t, b.call(t, bob, "POST"+path+"/reference-document-context", ""), http.StatusConflict)

	get[api.Error](t, b.call(t, bob, "DELETE"+path, ""), http.StatusForbidden)
	get[api.Error](t, b.call(t, bob, "DELETE"+path+"/participants/"+carol.scope.ActorID, ""), http.StatusForbidden)
	get[api.Message](t, b.call(t, b.acme, "DELETE"+path+"/participants/"+carol.scope.ActorID, ""), http.StatusOK)
	get[api.Error](t, b.call(t, b.acme, "DELETE"+path+"/participants/"+carol.scope.ActorID, ""), http.StatusNotFound)
	get[api.Message](t, b.call(t, b.acme, "DELETE"+path+"/participants/"+b.acme.scope.ActorID, ""), http.StatusOK)
	get[api.Message](t, b.call(t, bob, "DELETE"+path+"/participants/"+bob.scope.ActorID, ""), http.StatusOK)
	get[api.Error](t, b.call(t, bob, "GET"+path, ""), http.StatusNotFound)
}

func TestEnsureChat(t *testing.T) {
	t.Parallel()
	b := setup(t)
	bob := b.colleague(t, b.acme, "bob")
	id := db.NewID()
	line := "PUT /api/chats/" + id
	made := get[api.Chat](t, b.call(t, b.acme, line+"?name=Mine", ""), http.StatusCreated)
	require.Equal(t, id, made.ID)
	require.Equal(t, made, get[api.Chat](t, b.call(t, b.acme, line, `{"name":"Other"}`), http.StatusOK))
	get[api.Error](t, b.call(t, bob, line, ""), http.StatusNotFound)
	theirs := get[api.Chat](t, b.call(t, b.mallory, line, ""), http.StatusCreated)
	require.Empty(t, theirs.Name, "an id that another team uses is not taken")
	for _, none := range []string{"no-id", "00000000-0000-0000-0000-000000000000"} {
		get[api.Error](t, b.call(t, b.acme, "PUT /api/chats/"+none, ""), http.StatusUnprocessableEntity)
	}
	get[api.Error](t, b.call(t, b.acme, "POST /api/chats/"+id+"/document-context", ""), http.StatusConflict)
	get[api.Message](t, b.call(t, b.acme, "DELETE /api/chats/"+id, ""), http.StatusOK)
	get[api.Error](t, b.call(t, b.acme, "GET /api/chats/"+id, ""), http.StatusNotFound)
	get[api.Chat](t, b.call(t, b.mallory, "GET /api/chats/"+id, ""), http.StatusOK)

	page := get[api.List[api.Chat]](t, b.call(t, b.mallory, "GET /api/chats?limit=1&q=", ""), http.StatusOK)
	require.Empty(t, page.NextCursor)
	get[api.Chat](t, b.call(t, b.mallory, "POST /api/chats", `{"name":"B"}`), http.StatusCreated)
	page = get[api.List[api.Chat]](t, b.call(t, b.mallory, "GET /api/chats?limit=1", ""), http.StatusOK)
	require.Equal(t, "B", page.Items[0].Name)
	require.Equal(t, id, get[api.List[api.Chat]](t, b.call(t, b.mallory, "GET /api/chats?cursor="+page.NextCursor, ""), http.StatusOK).Items[0].ID)
}

func TestCategories(t *testing.T) {
	t.Parallel()
	b := setup(t)
	add := func(name, parent string, status int) api.Category {
		body, err := json.Marshal(map[string]string{"name": name, "parentId": parent})
		require.NoError(t, err)
		w := b.call(t, b.acme, "POST /api/categories", string(body))
		require.Equal(t, status, w.Code, w.Body.String())
		var c api.Category
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &c))
		return c
	}
	top := add("Contracts", "", http.StatusCreated)
	child := add("Leases", top.ID, http.StatusCreated)
	leaf := add("Offices", child.ID, http.StatusCreated)
	add("contracts", "", http.StatusConflict)
	add("LEASES", top.ID, http.StatusConflict)
	add("Leases", "", http.StatusCreated)
	add("X", db.NewID(), http.StatusUnprocessableEntity)
	add("X", "x", http.StatusUnprocessableEntity)

	move := func(c api.Category, query string, status int) api.Category {
		w := b.call(t, b.acme, "PATCH /api/categories/"+c.ID+query, "")
		require.Equal(t, status, w.Code, w.Body.String())
		var out api.Category
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &out))
		return out
	}
	for _, below := range []api.Category{top, child, leaf} {
		move(top, "?parentId="+below.ID, http.StatusUnprocessableEntity)
	}
	move(child, "?parentId=", http.StatusConflict) // a name that stands there
	require.Nil(t, move(leaf, "?parentId=&color=%23a0b1c2&name=Rooms", http.StatusOK).ParentID)
	move(leaf, "?color=red", http.StatusUnprocessableEntity)
	require.Equal(t, "#a0b1c2", move(leaf, "", http.StatusOK).Color)
	move(leaf, "?parentId="+child.ID, http.StatusOK)

	names := func(query string) (all []string) {
		cursor := ""
		for {
			page := get[api.List[api.Category]](t, b.call(t, b.acme, "GET /api/categories?limit=1&"+query+"&cursor="+cursor, ""), http.StatusOK)
			for _, c := range page.Items {
				all = append(all, c.Name)
			}
			if cursor = page.NextCursor; cursor == "" {
				return all
			}
		}
	}
	require.Equal(t, []string{"Contracts", "Leases", "Leases", "Rooms"}, names(""))
	require.Equal(t, []string{"Contracts", "Leases"}, names("parentId=root"))
	require.Equal(t, []string{"Leases"}, names("parentId="+top.ID))
	require.Equal(t, []string{"Rooms"}, names("q=OOM"))
	require.Empty(t, names("parentId="+db.NewID()))
	require.Equal(t, 1, get[api.Category](t, b.call(t, b.acme, "GET /api/categories/"+top.ID, ""), http.StatusOK).Children)

	r := request(t, b.acme, "PATCH /api/categories/"+top.ID+"?name=Late", "")
	r.Header.Set("If-Match", `"7"`)
	get[api.Error](t, b.send(t, r), http.StatusConflict)

	get[api.Error](t, b.call(t, b.acme, "DELETE /api/categories/"+top.ID, ""), http.StatusConflict)
	get[api.Message](t, b.call(t, b.acme, "DELETE /api/categories/"+child.ID, ""), http.StatusOK)
	require.Equal(t, []string{"Rooms"}, names("parentId="+top.ID), "they move up")
	get[api.Error](t, b.call(t, b.acme, "GET /api/categories/"+child.ID, ""), http.StatusNotFound)

	deep := leaf
	for level := 3; level <= 16; level++ {
		deep = add(strconv.Itoa(level), deep.ID, http.StatusCreated)
	}
	add("17", deep.ID, http.StatusUnprocessableEntity)
	move(top, "?parentId="+add("Above", "", http.StatusCreated).ID, http.StatusUnprocessableEntity)
}

func TestBulkChanges(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f, g, theirs := b.file(t, b.acme), b.file(t, b.acme), b.file(t, b.mallory)
	bulk := func(kind, body string) api.BulkAccepted {
		return get[api.BulkAccepted](t, b.call(t, b.acme, "POST /api/files/bulk/update-"+kind, body), http.StatusAccepted)
	}
	read := func(id string) api.File {
		return get[api.File](t, b.call(t, b.acme, "GET /api/files/"+id, ""), http.StatusOK)
	}
	done := bulk("metadata", `{"fileIds":["`+f.ID+`","`+theirs.ID+`","x"],"set":{"a":12345678901234567890,"b":{"c":1}}}`)
	require.Equal(t, 1, done.Accepted)
	require.Len(t, done.Rejected, 2)
	require.JSONEq(t, `{"a":12345678901234567890,"b":{"c":1}}`, string(read(f.ID).Metadata))
	require.Equal(t, 2, read(f.ID).Version)
	op := get[api.Operation](t, b.call(t, b.acme, "GET "+done.StatusURL, ""), http.StatusOK)
	require.Equal(t, []any{"completed", "update-metadata", 1}, []any{op.State, op.Kind, op.Done})

	bulk("metadata", `{"all":true,"set":{"b":2},"unset":["a"]}`)
	require.JSONEq(t, `{"b":2}`, string(read(f.ID).Metadata))
	require.JSONEq(t, `{"b":2}`, string(read(g.ID).Metadata))
	large := strings.Repeat("x", 40<<10)
	b.call(t, b.acme, "PUT /api/files/"+g.ID, `{"metadata":{"large":"`+large+`"}}`)
	done = bulk("metadata", `{"fileIds":["`+f.ID+`","`+g.ID+`"],"set":{"more":"`+large+`"}}`)
	require.Equal(t, 1, done.Accepted)
	require.Equal(t, g.ID, done.Rejected[0].FileID)
	require.NotContains(t, string(read(g.ID).Metadata), "more")

	bulk("parties", `{"all":true,"add":[{"name":"Acme","role":"Buyer"},{"name":"ACME","role":"buyer"},{"name":"Globex"}]}`)
	require.Equal(t, []db.Party{{Name: "Acme", Role: "Buyer"}, {Name: "Globex"}}, read(f.ID).Parties)
	bulk("parties", `{"fileIds":["`+f.ID+`"],"remove":[{"name":"acme","role":"Seller"},{"name":"globex"}],"add":[{"name":"Acme"},{"name":"acme","role":"BUYER"}]}`)
	require.Equal(t, []db.Party{{Name: "Acme", Role: "Buyer"}, {Name: "Acme"}}, read(f.ID).Parties)
	bulk("parties", `{"fileIds":["`+f.ID+`"],"replace":[{"name":"Initech"}],"remove":[{"name":"nobody"}]}`)
	require.Equal(t, []db.Party{{Name: "Initech"}}, read(f.ID).Parties)
	require.Len(t, read(g.ID).Parties, 2)

	var many []string
	for i := range 1000 {
		many = append(many, fmt.Sprintf(`{"name":"p%d"}`, i))
	}
	done = bulk("parties", `{"fileIds":["`+f.ID+`"],"add":[`+strings.Join(many, ",")+`]}`)
	require.Zero(t, done.Accepted)
	require.Contains(t, done.Rejected[0].Error, "1,000")

	for _, body := range []string{`{"all":true}`, `{"set":{"a":1}}`, `{"fileIds":[],"set":[]}`, `{"fileIds":["` + f.ID + `"],"set":{"a":"\u0000"}}`} {
		require.Equal(t, http.StatusUnprocessableEntity, b.call(t, b.acme, "POST /api/files/bulk/update-metadata", body).Code, body)
	}
	require.Equal(t, http.StatusUnprocessableEntity, b.call(t, b.acme, "POST /api/files/bulk/update-parties", `{"all":true}`).Code)

	audit, err := b.db.AuditEvents(t.Context(), b.acme.scope, f.ID, 10)
	require.NoError(t, err)
	require.Equal(t, []string{
		"file.parties_changed", "file.parties_changed", "file.parties_changed", "file.metadata_changed", "file.metadata_changed", "file.metadata_changed", "file.created",
	}, actions(audit))
	other := get[api.File](t, b.call(t, b.mallory, "GET /api/files/"+theirs.ID, ""), http.StatusOK)
	require.JSONEq(t, `{}`, string(other.Metadata))
	require.Equal(t, 1, other.Version)
}

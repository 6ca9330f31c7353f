package api_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/db"
)

func TestAuditAggregate(t *testing.T) {
	t.Parallel()
	b := setup(t)
	member := b.colleague(t, b.acme, "Mia")
	// One event on each of two days, two on a third, by three.
	day := time.Date(2026, 3, 1, 23, 30, 0, 0, time.UTC)
	file := db.NewID()
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		for _, e := range []struct {
			in     db.Scope
			action string
			after  time.Duration
		}{
			{b.acme.scope, "file.updated", 0}, {member.scope, "file.updated", time.Hour},
			{b.acmeKey.scope, "file.created", 2 * time.Hour}, {db.System(b.acme.scope.TeamID), "file.deleted", 40 * 24 * time.Hour},
			{b.mallory.scope, "file.updated", 0},
		} {
			if err := tx.Audit(t.Context(), e.in, e.action, "file", file, nil); err != nil {
				return err
			}
			if _, err := tx.Raw.Exec(t.Context(), `UPDATE audit_events SET created_at = $1 WHERE id = (SELECT max(id) FROM audit_events)`, day.Add(e.after)); err != nil {
				return err
			}
		}
		return nil
	}))
	ask := func(query url.Values) api.AuditAggregate {
		t.Helper()
		return get[api.AuditAggregate](t, b.call(t, b.acme, "GET /api/audit/aggregate?"+query.Encode(), ""), http.StatusOK)
	}
	span := url.Values{"from": {"2026-03-01T00:00:00Z"}, "to": {"2026-05-01T00:00:00Z"}}
	with := func(more ...string) url.Values {
		query := url.Values{"from": span["from"], "to": span["to"]}
		for i := 0; i < len(more); i += 2 {
			query.Add(more[i], more[i+1])
		}
		return query
	}

	byAction := ask(span)
	require.Equal(t, 4, byAction.Total)
	require.Equal(t, []db.AuditGroup{db.ByAction}, byAction.GroupBy)
	require.Equal(t, "file.updated", byAction.Buckets[0].Action)
	require.Equal(t, 2, byAction.Buckets[0].Count)
	require.Equal(t, 2, byAction.Buckets[0].Actors)
	require.Len(t, byAction.Buckets, 3)

	byDay := ask(with("groupBy", "day,actor"))
	require.Len(t, byDay.Buckets, 4)
	require.Equal(t, time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), *byDay.Buckets[0].From, "days are those of UTC")
	require.Equal(t, &api.Actor{Kind: "user", ID: b.acme.scope.ActorID, Name: "Alice"}, byDay.Buckets[0].Actor)
	names := map[string]string{}
	for _, bucket := range byDay.Buckets {
		names[bucket.Actor.Kind+bucket.Actor.ID] = bucket.Actor.Name
	}
	require.Equal(t, map[string]string{
		"user" + b.acme.scope.ActorID: "Alice", "user" + member.scope.ActorID: "Mia", "key" + b.acmeKey.scope.ActorID: "k", "system": "",
	}, names)

	for group, want := range map[string]int{"month": 2, "week": 3, "hour": 4, "resource": 1, "resourceId": 1} {
		require.Len(t, ask(with("groupBy", group)).Buckets, want, group)
	}
	require.Equal(t, 1, ask(with("userId", member.scope.ActorID)).Total)
	require.Equal(t, 4, ask(with("fileId", file)).Total)
	require.Equal(t, 0, ask(with("matterId", db.NewID())).Total)
	require.Equal(t, 0, ask(with("fileId", db.NewID())).Total)
	require.Equal(t, 1, ask(with("action", "file.created")).Total)
	require.Equal(t, 3, ask(with("action", "file.created,file.updated")).Total)
	require.Equal(t, 1, ask(with("actor", member.scope.ActorID, "resourceKind", "file")).Total)
	require.Equal(t, 1, ask(url.Values{"from": {"2026-03-01"}, "to": {"2026-03-02"}}).Total, "days are those of UTC")
	for _, bad := range []string{"groupBy=day,hour", "groupBy=phase", "from=yesterday", "to=2026-13-01", "fileId=" + db.NewID() + "&matterId=" + db.NewID(), "actor=a&userId=b"} {
		get[api.Error](t, b.call(t, b.acme, "GET /api/audit/aggregate?"+bad, ""), http.StatusUnprocessableEntity)
	}
}

// TestAuditTrail follows what is said of a file, of its sentences and of the work
// on it: who did what, and what it was before.
func TestAuditTrail(t *testing.T) {
	t.Parallel()
	b := setup(t)
	member := b.colleague(t, b.acme, "Mia")
	f, ids := b.contract(t, b.acme, said{"The law of Utah governs.", "governing_law", 0.9, "predicted"}, said{"Void.", "", 0.3, "predicted"})
	other, _ := b.contract(t, b.acme, said{"Else.", "governing_law", 0.9, "predicted"})
	matter := b.matter(t, b.acme, `{"name":"Case"}`)
	do := func(who caller, line, body string) {
		t.Helper()
		w := b.call(t, who, line, body)
		require.Less(t, w.Code, 300, w.Body.String())
	}
	do(member, "POST /api/sentences/bulk-assign-label", `{"sentenceIds":["`+ids[0]+`","`+ids[1]+`"],"label":null}`)
	do(b.acme, "DELETE /api/sentences/"+ids[0]+"/validate", "")
	do(b.acme, "PUT /api/files/"+f.ID, `{"matterId":"`+matter.ID+`","attributes":{"term":[{"value":"a year and a day"}]}}`)
	do(member, "POST /api/files/"+f.ID+"/assign", `{"note":"@nobody"}`)
	do(b.acme, "PUT /api/files/"+f.ID+"/lifecycle-stage", `{"stage":"active"}`)

	ask := func(who caller, query string) []api.AuditEvent {
		t.Helper()
		return get[api.List[api.AuditEvent]](t, b.call(t, who, "GET /api/audit?limit=500&"+query, ""), http.StatusOK).Items
	}
	actions := func(events []api.AuditEvent) []string {
		list := make([]string, len(events))
		for i, e := range events {
			list[i] = e.Action
		}
		return list
	}
	whole := []string{
		"file.lifecycle_changed", "assignment.created", "file.attribute_set", "file.updated",
		"sentence.withdrawn", "sentence.validated", "sentence.validated", "file.created",
	}
	events := ask(member, "fileId="+f.ID)
	require.Equal(t, whole, actions(events), "the newest first")
	for _, e := range events {
		require.Equal(t, f.ID, *e.FileID)
		require.NotContains(t, string(e.Data), "Utah")
		require.NotContains(t, string(e.Data), "a year")
	}
	require.Equal(t, matter.ID, *events[0].MatterID, "that it was in")
	require.Equal(t, map[string]string{f.ID: f.Name, matter.ID: "Case"}, events[3].Names)
	require.Equal(t, "assignment", events[1].ResourceKind)
	require.Nil(t, events[4].MatterID)

	sentence := ask(b.acme, "resource="+ids[0])
	require.Equal(t, []string{"sentence.withdrawn", "sentence.validated"}, actions(sentence))
	require.Equal(t, api.Actor{Kind: "user", ID: member.scope.ActorID, Name: "Mia"}, sentence[1].Actor)
	var data struct{ From, To *string }
	require.NoError(t, json.Unmarshal(sentence[1].Data, &data))
	require.Equal(t, "governing_law", *data.From)
	require.Nil(t, data.To)
	require.Equal(t, []string{"assignment.created"}, actions(ask(b.acme, "resource="+*events[1].ResourceID)))
	require.Equal(t, whole[5:7], actions(ask(b.acme, "fileId="+f.ID+"&action=sentence.validated")))
	require.Equal(t, []string{"assignment.created"}, actions(ask(b.acme, "fileId="+f.ID+"&actor="+member.scope.ActorID+"&resourceKind=assignment")))
	require.Equal(t, []string{"file.created"}, actions(ask(b.acme, "fileId="+other.ID)))
	inMatter := actions(ask(b.acme, "matterId="+matter.ID))
	require.Contains(t, inMatter, "matter.created")
	require.Contains(t, inMatter, "file.lifecycle_changed")
	require.NotContains(t, inMatter, "file.created", "it came later")
	require.Len(t, ask(b.acme, "fileId="+f.ID+"&from=2020-01-01&to=2100-01-01T00:00:00Z"), len(whole))
	require.Empty(t, ask(b.acme, "to=2020-01-01"))
	require.Empty(t, ask(b.acme, "resource="+db.NewID()))
	require.Empty(t, ask(b.mallory, "fileId="+f.ID))
	counted := get[api.AuditAggregate](t, b.call(t, b.acme, "GET /api/audit/aggregate?fileId="+f.ID, ""), http.StatusOK)
	require.Equal(t, len(whole), counted.Total)
	for _, bad := range []string{"from=yesterday", "fileId=" + db.NewID() + "&matterId=" + db.NewID(), "cursor=x", "limit=501"} {
		get[api.Error](t, b.call(t, b.acme, "GET /api/audit?"+bad, ""), http.StatusUnprocessableEntity)
	}

	// The matter's timeline tells of the work on its files.
	timeline := b.call(t, b.acme, "GET /api/matters/"+matter.ID+"/timeline", "").Body.String()
	require.Contains(t, timeline, `"action":"assignment.created","actor":{"kind":"user","id":"`+member.scope.ActorID)
}

// TestAuditOfOnesOwn is about what only those hear of whose it is.
func TestAuditOfOnesOwn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	member := b.colleague(t, b.acme, "Mia")
	make := func(who caller, path, body string) string {
		t.Helper()
		w := b.call(t, who, "POST "+path, body)
		require.Equal(t, http.StatusCreated, w.Code, w.Body.String())
		return idOf(w)
	}
	chat := make(b.acme, "/api/chats", `{"name":"Ours"}`)
	secret := make(b.acme, "/api/saved-searches", `{"name":"Mine","filter":{}}`)
	shared := make(b.acme, "/api/saved-searches", `{"name":"Everybody's","shared":true,"filter":{}}`)
	make(b.acme, "/api/notifications", `{"title":"x"}`)
	seen := func(who caller, id string) int {
		t.Helper()
		counted := get[api.AuditAggregate](t, b.call(t, who, "GET /api/audit/aggregate?resource="+id, ""), http.StatusOK).Total
		require.Len(t, get[api.List[api.AuditEvent]](t, b.call(t, who, "GET /api/audit?resource="+id, ""), http.StatusOK).Items, counted)
		return counted
	}
	for _, id := range []string{chat, secret, shared} {
		require.Positive(t, seen(b.acme, id))
	}
	require.Zero(t, seen(member, chat))
	require.Zero(t, seen(member, secret))
	require.Positive(t, seen(member, shared))
	make(b.acme, "/api/chats/"+chat+"/participants", `{"userId":"`+member.scope.ActorID+`"}`)
	require.Positive(t, seen(member, chat), "who takes part sees it all")
	require.Empty(t, get[api.List[api.AuditEvent]](t, b.call(t, member, "GET /api/audit?resourceKind=notification", ""), http.StatusOK).Items)
}

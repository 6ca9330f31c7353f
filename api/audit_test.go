package api_test

import (
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
	require.Equal(t, time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), *byDay.Buckets[0].Time, "days are those of UTC")
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
	require.Equal(t, 0, ask(with("fileId", "nothing")).Total)
	require.Equal(t, 1, ask(with("action", "file.created")).Total)
	for _, bad := range []string{"groupBy=day,hour", "groupBy=phase", "from=yesterday", "fileId=a&matterId=b"} {
		get[api.Error](t, b.call(t, b.acme, "GET /api/audit/aggregate?"+bad, ""), http.StatusUnprocessableEntity)
	}
}

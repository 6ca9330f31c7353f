package db

import (
	"context"
	"slices"
	"strings"
	"time"
)

// AuditGroup is what audit events are counted by.
type AuditGroup string

// The groups.
const (
	ByAction     AuditGroup = "action"
	ByActor      AuditGroup = "actor"
	ByResource   AuditGroup = "resource"   // the kind of thing that was changed
	ByResourceID AuditGroup = "resourceId" // the very thing
	ByHour       AuditGroup = "hour"
	ByDay        AuditGroup = "day"
	ByWeek       AuditGroup = "week" // from Monday
	ByMonth      AuditGroup = "month"
)

// AuditGroups lists the groups.
func AuditGroups() []AuditGroup {
	return []AuditGroup{ByAction, ByActor, ByResource, ByResourceID, ByHour, ByDay, ByWeek, ByMonth}
}

// AuditTimes are the groups by time; they differ in the unit alone.
var AuditTimes = []AuditGroup{ByHour, ByDay, ByWeek, ByMonth}

// AuditFilter narrows audit events; what is empty does not count.
type AuditFilter struct {
	From, To     time.Time // from inclusive, to exclusive
	Actions      []string  // any of these
	ActorID      string
	ResourceKind string
	ResourceID   string
	FileID       string // with what is a part of the file
	MatterID     string // with what was done to files while they were in the matter
}

// where is f as a condition. Events about chats, notifications and unshared searches
// are shown to their owners only.
func (f AuditFilter) where(in Scope, a args) *clauses {
	in.args(a)["me"] = nullable(in.UserID())
	w := startClauses(`team_id = @team AND (
		resource_kind NOT IN ('chat', 'notification', 'saved_search') OR actor_id = @me
		OR resource_kind = 'chat' AND resource_id IN (SELECT chat_id FROM chat_participants WHERE team_id = @team AND user_id = @me)
		OR resource_kind = 'saved_search' AND data @> '{"shared": true}')`+in.seesEvent("audit_events"), a)
	w.when(!f.From.IsZero(), "created_at >= @from", "from", f.From)
	w.when(!f.To.IsZero(), "created_at < @to", "to", f.To)
	w.when(len(f.Actions) > 0, "action = ANY(@actions)", "actions", f.Actions)
	w.when(f.ActorID != "", "actor_id = @actor", "actor", f.ActorID)
	w.when(f.ResourceKind != "", "resource_kind = @kind", "kind", f.ResourceKind)
	w.when(f.ResourceID != "", "resource_id = @resource", "resource", f.ResourceID)
	w.when(f.FileID != "", "(resource_id = @file OR file_id = @file)", "file", f.FileID)
	w.when(f.MatterID != "", "(resource_id = @matter OR matter_id = @matter)", "matter", f.MatterID)
	return w
}

// AuditPlace is where a page of audit events begins: behind one that happened
// then. The zero place is the newest.
type AuditPlace struct {
	At time.Time
	ID int64
}

// AuditTrail lists the events that match filter, the newest first, after a place.
func (q Queries) AuditTrail(ctx context.Context, in Scope, filter AuditFilter, after AuditPlace, limit int) ([]AuditEvent, error) {
	a := args{"limit": limit, "after": after.ID}
	w := filter.where(in, a)
	w.when(after.ID != 0, "(created_at, id) < (@after_at, @after)", "after_at", after.At)
	return many[AuditEvent](ctx, q, `
		SELECT `+auditColumns+` FROM audit_events WHERE `+w.String()+` ORDER BY created_at DESC, id DESC LIMIT @limit`, a)
}

// AuditCount is how many events a group has. What was not grouped by is nil.
type AuditCount struct {
	Action     *string    `db:"action"`
	ActorKind  *string    `db:"actor_kind"`
	ActorID    *string    `db:"actor_id"`
	Resource   *string    `db:"resource_kind"`
	ResourceID *string    `db:"resource_id"`
	Time       *time.Time `db:"time"` // the start of the hour, day, week or month, in UTC
	Count      int        `db:"count"`
	Actors     int        `db:"actors"` // how many different ones
	Total      int        `db:"total"`  // events in all groups, those beyond a limit too
}

// CountAudit counts the team's events by groups, of which one at most is of
// time: in the order of time, then the most frequent first.
func (q Queries) CountAudit(ctx context.Context, in Scope, filter AuditFilter, groups []AuditGroup, limit int) ([]AuditCount, error) {
	column := func(expression string, wanted ...AuditGroup) string {
		if slices.ContainsFunc(groups, func(g AuditGroup) bool { return slices.Contains(wanted, g) }) {
			return expression
		}
		return "NULL"
	}
	a := args{"unit": "", "limit": limit}
	w := filter.where(in, a)
	for _, g := range groups {
		if slices.Contains(AuditTimes, g) {
			a["unit"] = string(g)
		}
	}
	columns := strings.Join([]string{
		column("action", ByAction) + " AS action",
		column("actor_kind", ByActor) + " AS actor_kind",
		column("actor_id::text", ByActor) + " AS actor_id",
		column("resource_kind", ByResource, ByResourceID) + " AS resource_kind",
		column("resource_id::text", ByResourceID) + " AS resource_id",
		column("date_trunc(@unit, created_at, 'UTC')", AuditTimes...) + "::timestamptz AS time",
	}, ", ")
	return many[AuditCount](ctx, q, `
		WITH counted AS (
			SELECT `+columns+`, actor_kind AS by_kind, actor_id AS by FROM audit_events WHERE `+w.String()+`
		)
		SELECT action, actor_kind, actor_id, resource_kind, resource_id, time, count(*) AS count, count(DISTINCT (by_kind, by)) AS actors, sum(count(*)) OVER ()::int AS total
		FROM counted GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY time, count DESC, 1, 2, 3, 4, 5 LIMIT @limit`, a)
}

// ActorNames are the names, or else the addresses, of users and the names of
// keys and service accounts among ids that are or were of the team.
func (q Queries) ActorNames(ctx context.Context, in Scope, ids []string) (map[string]string, error) {
	type named struct {
		ID   string `db:"id"`
		Name string `db:"name"`
	}
	// Whoever did something in the team is no stranger to it.
	rows, err := many[named](ctx, q, `
		WITH actors AS (
			SELECT DISTINCT asked.id FROM unnest(@ids::uuid[]) asked (id)
			WHERE EXISTS (SELECT FROM audit_events WHERE team_id = @team AND actor_id = asked.id OFFSET 0)
		)
		SELECT u.id::text, coalesce(nullif(u.name, ''), u.email) AS name FROM users u JOIN actors USING (id)
		UNION ALL SELECT k.id::text, k.name FROM api_keys k JOIN actors USING (id)
		UNION ALL SELECT s.id::text, s.name FROM service_accounts s JOIN actors USING (id)`, args{"team": in.TeamID, "ids": ids})
	names := make(map[string]string, len(rows))
	for _, r := range rows {
		names[r.ID] = r.Name
	}
	return names, err
}

// ThingNames are the names of things of a team that are there and that somebody sees, by
// their ids: files, matters, members, and what a team declares.
func (q Queries) ThingNames(ctx context.Context, in Scope, ids []string) (map[string]string, error) {
	type named struct {
		ID   string `db:"id"`
		Name string `db:"name"`
	}
	rows, err := many[named](ctx, q, `
		SELECT id::text, name FROM files WHERE team_id = @team AND id = ANY(@ids::uuid[])`+in.seesFile("id")+`
		UNION ALL SELECT id::text, name FROM matters WHERE team_id = @team AND id = ANY(@ids::uuid[])`+in.seesMatter("id")+`
		UNION ALL SELECT u.id::text, coalesce(nullif(u.name, ''), u.email) FROM users u JOIN members m ON m.user_id = u.id AND m.team_id = @team WHERE u.id = ANY(@ids::uuid[])
		UNION ALL SELECT id::text, name FROM document_types WHERE team_id = @team AND id = ANY(@ids::uuid[])
		UNION ALL SELECT id::text, name FROM categories WHERE team_id = @team AND id = ANY(@ids::uuid[])
		UNION ALL SELECT id::text, name FROM nodes WHERE team_id = @team AND id = ANY(@ids::uuid[])
		UNION ALL SELECT id::text, name FROM fields WHERE team_id = @team AND id = ANY(@ids::uuid[])
		UNION ALL SELECT id::text, title FROM widgets WHERE team_id = @team AND id = ANY(@ids::uuid[])
		UNION ALL SELECT id::text, key FROM feature_flags WHERE team_id = @team AND id = ANY(@ids::uuid[])
		UNION ALL SELECT id::text, name FROM service_accounts WHERE team_id = @team AND id = ANY(@ids::uuid[])`, in.args(args{"ids": ids}))
	names := make(map[string]string, len(rows))
	for _, r := range rows {
		names[r.ID] = r.Name
	}
	return names, err
}

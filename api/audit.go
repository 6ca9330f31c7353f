package api

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
)

// audit serves what was done in the team: section 4.8 of the specification.
func (a *API) audit() {
	get(a.area("Analytics", withSession), "/api/audit/aggregate", "Aggregated audit events", a.aggregateAudit, describe(
		"Counts of the changes that were made in the team, by one group or several of which one at most is a time. "+
			"In the order of time, then the most frequent first. Every change has an event, written with it."))
}

// maxAuditBuckets bounds an aggregate; who reaches it narrows the time.
const maxAuditBuckets = 10_000

// AuditAggregate counts audit events.
type AuditAggregate struct {
	From      *time.Time      `json:"from" doc:"null for the beginning"`
	To        *time.Time      `json:"to" doc:"null for now"`
	GroupBy   []db.AuditGroup `json:"groupBy" nullable:"false"`
	Total     int             `json:"total" doc:"Events in all buckets"`
	Buckets   []AuditBucket   `json:"buckets" nullable:"false"`
	Truncated bool            `json:"truncated" doc:"There are more than 10,000 buckets"`
}

// AuditBucket is one group. It has the fields that were grouped by.
type AuditBucket struct {
	Action       string     `json:"action,omitempty" doc:"file.created, flag.updated, …"`
	Actor        *Actor     `json:"actor,omitempty"`
	ResourceKind string     `json:"resourceKind,omitempty" doc:"file, flag, user, …"`
	ResourceID   string     `json:"resourceId,omitempty"`
	Time         *time.Time `json:"time,omitempty" doc:"The start of the hour, day, week or month, in UTC"`
	Count        int        `json:"count"`
	Actors       int        `json:"actors" doc:"How many different ones"`
}

// Actor is who did something.
type Actor struct {
	Kind string `json:"kind" enum:"user,key,system"`
	ID   string `json:"id,omitempty" doc:"Of the user or the API key; absent for the system"`
	Name string `json:"name,omitempty"`
}

func newAuditBucket(c db.AuditCount, names map[string]string) AuditBucket {
	b := AuditBucket{
		Action: text(c.Action), ResourceKind: text(c.Resource), ResourceID: text(c.ResourceID), Time: utc(c.Time),
		Count: c.Count, Actors: c.Actors,
	}
	if c.ActorKind != nil {
		id := text(c.ActorID)
		b.Actor = &Actor{*c.ActorKind, id, names[id]}
	}
	return b
}

func (a *API) aggregateAudit(ctx context.Context, in *struct {
	GroupBy  []db.AuditGroup `query:"groupBy" maxItems:"4" default:"action"`
	From     time.Time       `query:"from" doc:"Inclusive"`
	To       time.Time       `query:"to" doc:"Exclusive"`
	Action   string          `query:"action" maxLength:"100" doc:"Only this one"`
	UserID   string          `query:"userId" maxLength:"36" doc:"Only what this user or key did"`
	FileID   string          `query:"fileId" maxLength:"36" doc:"Only what was done to this file"`
	MatterID string          `query:"matterId" maxLength:"36" doc:"Only what was done to this matter"`
}) (AuditAggregate, error) {
	out := AuditAggregate{From: instant(in.From), To: instant(in.To), GroupBy: in.GroupBy, Buckets: []AuditBucket{}}
	if in.FileID != "" && in.MatterID != "" {
		return out, invalid("query.matterId", "cannot be given beside fileId")
	}
	isTime := func(g db.AuditGroup) bool { return slices.Contains(db.AuditTimes, g) }
	if first := slices.IndexFunc(in.GroupBy, isTime); first >= 0 && slices.ContainsFunc(in.GroupBy[first+1:], isTime) {
		return out, invalid("query.groupBy", "may have one time at most")
	}
	for _, id := range []string{in.UserID, in.FileID, in.MatterID} {
		if id != "" && !isID(id) {
			return out, nil // it names nothing, so nothing was done to it
		}
	}
	filter := db.AuditFilter{From: in.From, To: in.To, Action: in.Action, ActorID: in.UserID, ResourceID: cmp.Or(in.FileID, in.MatterID)}
	rows, err := a.DB.CountAudit(ctx, auth.Scope(ctx), filter, in.GroupBy, maxAuditBuckets+1)
	if err != nil {
		return out, err
	}
	if len(rows) > 0 {
		out.Total = rows[0].Total
	}
	rows, out.Truncated = cut(rows, maxAuditBuckets)
	names, err := a.DB.ActorNames(ctx, auth.Scope(ctx), actorsOf(rows))
	for _, row := range rows {
		out.Buckets = append(out.Buckets, newAuditBucket(row, names))
	}
	return out, err
}

// instant is t for the wire, nil for none.
func instant(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return utc(&t)
}

func actorsOf(rows []db.AuditCount) []string {
	ids := []string{}
	for _, row := range rows {
		if row.ActorID != nil {
			ids = append(ids, *row.ActorID)
		}
	}
	return ids
}

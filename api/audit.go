package api

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
)

// audit serves the audit log of the team: section 4.8 of the specification.
func (a *API) audit() {
	const which = " All given filters must match. `fileId` selects events of a file, its sentences and its assignments. `matterId` selects events of a matter, and those " +
		"of files while they were in it. Events of chats, notifications and searches that are not shared are listed only for the users they belong to."
	session := a.area("Analytics", withSession)
	get(session, "/api/audit", "listAuditEvents", "List audit events", a.listAudit, describe(
		"Lists every change in the team, newest first, with its author and time."+which+
			" `data` has ids, keys and labels before and after the change, and never text of a contract."))
	get(session, "/api/audit/aggregate", "aggregateAuditEvents", "Count audit events by group", scheduled(a, a.aggregateAudit), describe(
		"Counts the changes in the team by one or several groups, at most one of them a time. "+
			"The counts are in order of time, then most frequent first. Every change has an event, which is stored in the same transaction."+which))
}

// AuditEvent is one change that somebody made.
type AuditEvent struct {
	ID           string    `json:"id"`
	CreatedAt    time.Time `json:"createdAt"`
	Action       string    `json:"action" doc:"What was done: file.created, sentence.validated, …"`
	Actor        Actor     `json:"actor"`
	ResourceKind string    `json:"resourceKind" doc:"Kind of thing that was changed: file, sentence, flag, user, …"`
	ResourceID   *string   `json:"resourceId,omitempty"`
	FileID       *string   `json:"fileId,omitempty" doc:"Id of the file that was changed, or that contains what was changed"`
	MatterID     *string   `json:"matterId,omitempty" doc:"Id of the matter that was changed, or that the file was in"`
	Data         Object    `json:"data" doc:"Details of the action: old and new values, fields, counts"`

	Names map[string]string `json:"names" doc:"Names of files, matters, users, document types, labels and other things, by the ids in this event; those that are gone, or that the caller may not see, are absent"`
}

// auditIDs are the ids in an event whose things may have names.
func auditIDs(e db.AuditEvent) []string {
	ids := slices.Concat(ids.FindAllString(string(e.Data), -1), present([]*string{e.ResourceID, e.FileID, e.MatterID}, func(id *string) *string { return id }))
	slices.Sort(ids)
	return slices.Compact(ids)
}

// ids are written so in JSON.
var ids = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

func newAuditEvent(e db.AuditEvent, names, things map[string]string) AuditEvent {
	named := map[string]string{}
	for _, id := range auditIDs(e) {
		if name, ok := things[id]; ok {
			named[id] = name
		}
	}
	return AuditEvent{
		ID: strconv.FormatInt(e.ID, 10), CreatedAt: e.CreatedAt.UTC(), Action: e.Action, Actor: newActor(e.ActorKind, e.ActorID, names),
		ResourceKind: e.ResourceKind, ResourceID: e.ResourceID, FileID: e.FileID, MatterID: e.MatterID, Data: Object(e.Data), Names: named,
	}
}

// AuditFilter narrows audit events.
type AuditFilter struct {
	From         time.Time `query:"from" doc:"Start of the range, inclusive: a day (UTC) or a time as in RFC 3339"`
	To           time.Time `query:"to" doc:"End of the range, exclusive: a day (UTC) or a time as in RFC 3339"`
	Action       []string  `query:"action" maxItems:"20" doc:"Only these actions"`
	Actor        string    `query:"actor" format:"uuid" doc:"Only changes by this user, API key or service account"`
	Resource     string    `query:"resource" format:"uuid" doc:"Only changes of the thing with this id: a file, a sentence, a document type, …"`
	ResourceKind string    `query:"resourceKind" maxLength:"100" doc:"Only changes of things of this kind"`
	FileID       string    `query:"fileId" format:"uuid" doc:"Only changes of this file and its parts"`
	MatterID     string    `query:"matterId" format:"uuid" doc:"Only changes of this matter, and of files while they were in it"`
}

// filter is f for the database.
func (f AuditFilter) filter() (filter db.AuditFilter, err error) {
	filter = db.AuditFilter{
		From: f.From, To: f.To, Actions: f.Action, ActorID: f.Actor, ResourceKind: f.ResourceKind, ResourceID: f.Resource, FileID: f.FileID, MatterID: f.MatterID,
	}
	if f.FileID != "" && f.MatterID != "" {
		return filter, invalid("query.matterId", "cannot be combined with fileId")
	}
	return filter, nil
}

func (a *API) listAudit(ctx context.Context, in *struct {
	Page
	AuditFilter
}) (List[AuditEvent], error) {
	scope := auth.Scope(ctx)
	after, err := in.auditPlace()
	if err != nil {
		return List[AuditEvent]{}, err
	}
	filter, err := in.filter()
	if err != nil {
		return List[AuditEvent]{}, err
	}
	rows, err := a.DB.AuditTrail(ctx, scope, filter, after, in.Limit+1)
	if err != nil {
		return List[AuditEvent]{}, err
	}
	names, err := a.DB.ActorNames(ctx, scope, present(rows, func(e db.AuditEvent) *string { return e.ActorID }))
	if err != nil {
		return List[AuditEvent]{}, err
	}
	var about []string
	for _, e := range rows {
		about = append(about, auditIDs(e)...)
	}
	slices.Sort(about)
	things, err := a.DB.ThingNames(ctx, scope, slices.Compact(about))
	return newPage(rows, in.Limit, auditList,
		func(e db.AuditEvent) AuditEvent { return newAuditEvent(e, names, things) },
		func(e db.AuditEvent) string {
			return e.CreatedAt.UTC().Format(time.RFC3339Nano) + " " + strconv.FormatInt(e.ID, 10)
		}), err
}

// auditList is the list of audit events, for its cursors.
const auditList = "audit"

// auditPlace is place in the list of audit events: when one happened, and its id.
func (p Page) auditPlace() (db.AuditPlace, error) {
	place, err := p.place(auditList)
	if err != nil || place == "" {
		return db.AuditPlace{}, err
	}
	text, number, _ := strings.Cut(place, " ")
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return db.AuditPlace{}, errCursor("query.cursor")
	}
	id, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return db.AuditPlace{}, errCursor("query.cursor")
	}
	return db.AuditPlace{At: at, ID: id}, nil
}

// maxAuditBuckets bounds an aggregate. Callers that reach it can narrow the range.
const maxAuditBuckets = 10_000

// AuditAggregate counts audit events.
type AuditAggregate struct {
	From      *time.Time      `json:"from" doc:"null: from the first event"`
	To        *time.Time      `json:"to" doc:"null: until now"`
	GroupBy   []db.AuditGroup `json:"groupBy" nullable:"false"`
	Total     int             `json:"total" doc:"Number of events in all buckets"`
	Buckets   []AuditBucket   `json:"buckets" nullable:"false"`
	Truncated bool            `json:"truncated" doc:"true if there are more than 10,000 buckets"`
}

// AuditBucket is one group. It has the fields that were grouped by.
type AuditBucket struct {
	Action       string     `json:"action,omitempty" doc:"file.created, flag.updated, …"`
	Actor        *Actor     `json:"actor,omitempty"`
	ResourceKind string     `json:"resourceKind,omitempty" doc:"file, flag, user, …"`
	ResourceID   string     `json:"resourceId,omitempty"`
	From         *time.Time `json:"from,omitempty" doc:"Start of the hour, day, week or month, in UTC"`
	Count        int        `json:"count"`
	Actors       int        `json:"actors" doc:"Number of different actors"`
}

// Actor is who did something.
type Actor struct {
	Kind string `json:"kind" enum:"user,key,service,system"`
	ID   string `json:"id,omitempty" doc:"Id of the user, API key or service account; absent for the system"`
	Name string `json:"name,omitempty"`
}

func newActor(kind string, id *string, names map[string]string) Actor {
	return Actor{kind, text(id), names[text(id)]}
}

func newAuditBucket(c db.AuditCount, names map[string]string) AuditBucket {
	b := AuditBucket{
		Action: text(c.Action), ResourceKind: text(c.Resource), ResourceID: text(c.ResourceID), From: utc(c.Time),
		Count: c.Count, Actors: c.Actors,
	}
	if c.ActorKind != nil {
		actor := newActor(*c.ActorKind, c.ActorID, names)
		b.Actor = &actor
	}
	return b
}

func (a *API) aggregateAudit(ctx context.Context, in *struct {
	GroupBy []db.AuditGroup `query:"groupBy" maxItems:"4" doc:"By default action"`
	AuditFilter
	UserID string `query:"userId" format:"uuid" doc:"The same as actor"`
}) (AuditAggregate, error) {
	if in.UserID != "" {
		if in.Actor != "" && in.Actor != in.UserID {
			return AuditAggregate{}, invalid("query.userId", "differs from actor")
		}
		in.Actor = in.UserID
	}
	filter, err := in.filter()
	if err != nil {
		return AuditAggregate{}, err
	}
	if len(in.GroupBy) == 0 {
		in.GroupBy = []db.AuditGroup{db.ByAction}
	}
	out := AuditAggregate{From: instant(filter.From), To: instant(filter.To), GroupBy: in.GroupBy, Buckets: []AuditBucket{}}
	isTime := func(g db.AuditGroup) bool { return slices.Contains(db.AuditTimes, g) }
	if first := slices.IndexFunc(in.GroupBy, isTime); first >= 0 && slices.ContainsFunc(in.GroupBy[first+1:], isTime) {
		return out, invalid("query.groupBy", "may have at most one time")
	}
	rows, err := a.DB.CountAudit(ctx, auth.Scope(ctx), filter, in.GroupBy, maxAuditBuckets+1)
	if err != nil {
		return out, err
	}
	if len(rows) > 0 {
		out.Total = rows[0].Total
	}
	rows, out.Truncated = cut(rows, maxAuditBuckets)
	names, err := a.DB.ActorNames(ctx, auth.Scope(ctx), present(rows, func(c db.AuditCount) *string { return c.ActorID }))
	out.Buckets = newList(rows, func(c db.AuditCount) AuditBucket { return newAuditBucket(c, names) }).Items
	return out, err
}

// instant is t for the wire, nil for none.
func instant(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return utc(&t)
}

// present lists the ids of rows, without those that have none.
func present[R any](rows []R, id func(R) *string) []string {
	list := []string{}
	for _, row := range rows {
		if id := id(row); id != nil {
			list = append(list, *id)
		}
	}
	return list
}

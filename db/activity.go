package db

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/clausemill/clausemill/fault"
)

// Audit writes that in's actor did action to a resource. Every change calls it
// in its own transaction. Data never holds contract text or secrets. What is
// done to a file while it is in a matter belongs to the matter's timeline too.
func (t *Tx) Audit(ctx context.Context, in Scope, action, resourceKind, resourceID string, data map[string]any) error {
	of := Assignee{}
	switch resourceKind {
	case "matter":
		of.MatterID = resourceID
	case "file":
		of.FileID = resourceID
	}
	return t.auditPart(ctx, in, of, action, resourceKind, resourceID, data)
}

// auditPart is Audit for a part of a file or a matter, or for the whole.
func (t *Tx) auditPart(ctx context.Context, in Scope, of Assignee, action, resourceKind, resourceID string, data map[string]any) error {
	if data == nil {
		data = map[string]any{}
	}
	return later(ctx, t.Queries, `
		INSERT INTO audit_events (team_id, actor_kind, actor_id, action, resource_kind, resource_id, data, file_id, matter_id)
		VALUES (@team, @actor_kind, @actor, @action, @kind, @resource, @data, nullif(@file::uuid, @resource),
			coalesce(@matter, (SELECT matter_id FROM files WHERE id = @file AND team_id = @team)))`, args{
		"team": in.TeamID, "actor_kind": in.ActorKind, "actor": nullable(in.ActorID), "action": action,
		"kind": resourceKind, "resource": nullable(resourceID), "data": data, "file": nullable(of.FileID), "matter": nullable(of.MatterID),
	})
}

// AuditEvent is one change that somebody made.
type AuditEvent struct {
	ID           int64           `db:"id"`
	ActorKind    string          `db:"actor_kind"`
	ActorID      *string         `db:"actor_id"`
	Action       string          `db:"action"`
	ResourceKind string          `db:"resource_kind"`
	ResourceID   *string         `db:"resource_id"`
	FileID       *string         `db:"file_id"`   // that the resource is, or is a part of
	MatterID     *string         `db:"matter_id"` // the same, or that the file was in
	Data         json.RawMessage `db:"data"`
	CreatedAt    time.Time       `db:"created_at"`
}

const auditColumns = `id, actor_kind, actor_id, action, resource_kind, resource_id,
	CASE WHEN resource_kind = 'file' THEN resource_id ELSE file_id END AS file_id, matter_id, data, created_at`

// AuditEvents lists what was done to a resource, newest first.
func (q Queries) AuditEvents(ctx context.Context, in Scope, resourceID string, limit int) ([]AuditEvent, error) {
	return many[AuditEvent](ctx, q, `
		SELECT `+auditColumns+` FROM audit_events e WHERE team_id = @team AND resource_id = @resource`+in.seesEvent("e")+` ORDER BY id DESC LIMIT @limit`,
		in.args(args{"resource": resourceID, "limit": limit}))
}

// The channels of LISTEN. EventsChannel carries "team subject" of each event;
// RevokedChannel the hex hash of a key or session that ended, or the id of a team
// in which somebody may see other things than before.
const (
	EventsChannel  = "clausemill_events"
	RevokedChannel = "clausemill_revoked"
)

// Event is one line of the outbox.
type Event struct {
	ID        int64           `db:"id"`
	Kind      string          `db:"kind"`
	SubjectID string          `db:"subject_id"`
	Data      json.RawMessage `db:"data"`
	CreatedAt time.Time       `db:"created_at"`
}

// outbox collects the events of a transaction, in columns, and the files whose
// attempts it ended. Only flush writes both, with the last statement before the
// commit, because that takes the team's lock.
type outbox struct {
	teams, kinds, subjects, data []string
	users                        []*string
	ended                        map[string][]string // ids of files by team
}

// emit puts an event into the outbox, with what the team's webhooks are to be
// sent of it (nothing of restricted matters: who reads it elsewhere is not known),
// and wakes those who wait for it once the transaction commits. The data is of the
// type that EventTypes has for the kind.
func (t *Tx) emit(ctx context.Context, teamID, kind, subjectID string, data any) error {
	if err := typed(kind, data); err != nil {
		return err
	}
	return t.emitTo(ctx, teamID, "", kind, subjectID, data)
}

// emitTo is emit for one user: nobody else gets the event, and no webhook. For
// "" it is for the team.
func (t *Tx) emitTo(_ context.Context, teamID, userID, kind, subjectID string, data any) error {
	text, err := json.Marshal(data)
	if err != nil {
		return err
	}
	o := &t.outbox
	o.teams, o.users, o.kinds = append(o.teams, teamID), append(o.users, nullable(userID)), append(o.kinds, kind)
	o.subjects, o.data = append(o.subjects, subjectID), append(o.data, string(text))
	return nil
}

// forget removes everything about a subject but its id from the collected events.
func (o *outbox) forget(subject string) {
	for i := range o.subjects {
		if o.subjects[i] == subject {
			o.data[i] = `{"id":"` + subject + `"}`
		}
	}
}

// flush writes the events of the transaction. It locks the teams until the commit,
// which follows at once. So the ids of events are in commit order, and a reader that
// goes by id skips none.
func (t *Tx) flush(ctx context.Context) error {
	for _, team := range slices.Sorted(maps.Keys(t.outbox.ended)) {
		if err := t.endFollowing(ctx, team, t.outbox.ended[team]); err != nil {
			return err
		}
	}
	o := t.outbox
	if len(o.kinds) == 0 {
		return nil
	}
	type subject struct {
		Told       *string  `db:"told"`
		Deliveries []string `db:"deliveries"` // "id team" of all
	}
	collected, a := o.rows()
	a["asked"] = t.asksAtOnce(ctx)
	subjects, err := many[subject](ctx, t.Queries, `
		WITH e (team, person, kind, subject, data, nth) AS MATERIALIZED (`+collected+`), held AS (
			SELECT pg_advisory_xact_lock(hashtextextended('events:' || team, 0))
			FROM (SELECT DISTINCT team FROM e ORDER BY team) teams
		), event AS (
			INSERT INTO events (team_id, user_id, kind, subject_id, data, matter_id)
			SELECT e.team, e.person, e.kind, e.subject, e.data::jsonb,
				CASE WHEN EXISTS (SELECT FROM files WHERE id = e.subject) THEN (SELECT matter_id FROM files WHERE id = e.subject)
				ELSE coalesce((SELECT id FROM matters WHERE id = e.subject),
					(SELECT matter_id FROM trash x WHERE e.kind LIKE 'file.%' AND x.team_id = e.team AND x.kind = 'file' AND x.resource_id = e.subject::text ORDER BY x.id DESC LIMIT 1)) END
			FROM (SELECT count(*) FROM held) locked, e
			ORDER BY e.nth
			RETURNING id, team_id, user_id, kind, subject_id, data, created_at, matter_id
		), delivery AS (
			INSERT INTO webhook_deliveries (id, webhook_id, team_id, kind, asked, payload)
			SELECT new_id(), w.id, w.team_id, e.kind, @asked, `+webhookPayload+`
			FROM event e JOIN webhooks w ON w.team_id = e.team_id AND w.active AND (w.kinds = '{}' OR e.kind = ANY(w.kinds))
			WHERE e.user_id IS NULL AND (SELECT access FROM matters WHERE id = e.matter_id) IS DISTINCT FROM 'restricted'
			ORDER BY e.id
			RETURNING id, team_id
		)
		SELECT pg_notify('`+EventsChannel+`', team_id || ' ' || subject_id)::text AS told,
			(SELECT array_agg(id || ' ' || team_id ORDER BY id) FROM delivery) AS deliveries
		FROM (SELECT DISTINCT team_id, subject_id FROM event) about`, a)
	if err != nil || len(subjects) == 0 {
		return err
	}
	refs := make([]DeliveryRef, len(subjects[0].Deliveries))
	for i, delivery := range subjects[0].Deliveries {
		id, team, _ := strings.Cut(delivery, " ")
		refs[i] = DeliveryRef{ID: id, TeamID: team, Round: 1}
	}
	return t.deliver(ctx, refs...)
}

// rows selects what was collected, with its arguments. A few events, as a step of a file has,
// are single values: of arrays Postgres does not know how long they are, and would plan the
// statement anew each time.
func (o *outbox) rows() (string, args) {
	const few = 4
	if len(o.kinds) > few {
		return `SELECT * FROM unnest(@teams::uuid[], @users::uuid[], @kinds::text[], @subjects::uuid[], @data::text[]) WITH ORDINALITY`,
			args{"teams": o.teams, "users": o.users, "kinds": o.kinds, "subjects": o.subjects, "data": o.data}
	}
	list, a := make([]string, len(o.kinds)), args{}
	for i := range o.kinds {
		list[i] = fmt.Sprintf("(@team%d::uuid, @user%[1]d::uuid, @kind%[1]d::text, @subject%[1]d::uuid, @data%[1]d::text, %[1]d)", i)
		for name, value := range map[string]any{"team": o.teams[i], "user": o.users[i], "kind": o.kinds[i], "subject": o.subjects[i], "data": o.data[i]} {
			a[fmt.Sprint(name, i)] = value
		}
	}
	return `VALUES ` + strings.Join(list, ", "), a
}

// Events lists the events after the one with id after: the team's, and those
// that are for in's own person.
func (q Queries) Events(ctx context.Context, in Scope, after int64, limit int) ([]Event, error) {
	return many[Event](ctx, q, `
		SELECT id, kind, subject_id, data, created_at FROM events e
		WHERE team_id = @team AND id > @after AND (user_id IS NULL OR user_id = @user)`+in.seesNews("e")+` ORDER BY id LIMIT @limit`,
		in.args(args{"user": nullable(in.UserID()), "after": after, "limit": limit}))
}

// LastEvent is the id after which a new reader sees only what comes later.
func (q Queries) LastEvent(ctx context.Context, in Scope) (int64, error) {
	return value[int64](ctx, q, `SELECT coalesce(max(id), 0) FROM events WHERE team_id = @team`, args{"team": in.TeamID})
}

// fileEvent emits a file's status and progress.
func (t *Tx) fileEvent(ctx context.Context, f File) error {
	data := FileStatusData{
		ID: f.ID, Status: f.Status, Stage: f.Stage, Progress: f.Progress(), LifecycleStage: f.LifecycleStage,
		Pages: PagesData{f.PageCount, f.PagesDone, f.PagesOCR},
	}
	if f.EntriesDone > 0 {
		data.Entries = &EntriesData{max(f.Entries, f.EntriesDone), f.EntriesDone}
	}
	return t.emit(ctx, f.TeamID, "file.status", f.ID, data)
}

// ItemError is why one item of a bulk request failed.
type ItemError struct {
	FileID  string `json:"fileId,omitempty"`
	TrashID string `json:"trashId,omitempty"` // of what was to be restored
	Error   string `json:"error"`
}

// Operation is work that a caller may follow.
type Operation struct {
	ID         string          `db:"id"`
	Kind       string          `db:"kind"`
	State      string          `db:"state"`
	Total      int             `db:"total"`
	Done       int             `db:"done"`
	Failed     int             `db:"failed"`
	Errors     []ItemError     `db:"errors"`
	Result     json.RawMessage `db:"result"`
	CreatedAt  time.Time       `db:"created_at"`
	FinishedAt *time.Time      `db:"finished_at"`
}

const operationColumns = `id, kind, state, total, done, failed, errors, result, created_at, finished_at`

// CreateOperation starts an operation of kind over total items.
func (t *Tx) CreateOperation(ctx context.Context, in Scope, kind string, total int, rejected []ItemError) (Operation, error) {
	if rejected == nil {
		rejected = []ItemError{}
	}
	return one[Operation](ctx, t.Queries, `
		INSERT INTO operations (id, team_id, kind, total, errors, created_by)
		VALUES (@id, @team, @kind, @total, @errors, @user)
		RETURNING `+operationColumns, args{
		"id": NewID(), "team": in.TeamID, "kind": kind, "total": total, "errors": rejected, "user": nullable(in.UserID()),
	})
}

// FollowFiles ties an operation to the attempts of files that it asked for. It waits for the
// last of them first: see stillFollows.
func (t *Tx) FollowFiles(ctx context.Context, operationID string, attempts []Attempt) error {
	err := copyRows(ctx, t.Queries, "operation_files", "operation_id, file_id, attempt", attempts, func(_ int, a Attempt) []any {
		return []any{operationID, a.FileID, a.Number}
	})
	if err != nil {
		return err
	}
	_, err = exec(ctx, t.Queries, `
		UPDATE operations SET waiting_for = (SELECT file_id FROM operation_files WHERE operation_id = @id ORDER BY file_id DESC LIMIT 1)
		WHERE id = @id`, args{"id": operationID})
	return err
}

// operations reads operations with their progress. Where one follows files its
// progress is what has become of them: a file counts once its attempt has ended
// or been overtaken, or the file is gone.
const operations = `
	SELECT o.id, o.kind, o.total, o.errors, o.result, o.created_at,
		CASE WHEN p.files > 0 THEN p.done ELSE o.done END AS done,
		CASE WHEN p.files > 0 THEN p.failed ELSE o.failed END AS failed,
		CASE WHEN p.files > 0 AND p.done = p.files THEN 'completed' ELSE o.state END AS state,
		CASE WHEN p.files > 0 AND p.done = p.files THEN p.finished_at ELSE o.finished_at END AS finished_at
	FROM operations o
	LEFT JOIN LATERAL (
		SELECT count(*) AS files,
			count(*) FILTER (WHERE f.id IS NULL OR f.attempt > x.attempt OR f.status IN ('completed', 'completed_with_warnings', 'failed', 'cancelled')) AS done,
			count(*) FILTER (WHERE f.attempt = x.attempt AND f.status = 'failed') AS failed,
			coalesce(max(f.finished_at), o.created_at) AS finished_at
		FROM operation_files x LEFT JOIN files f ON f.id = x.file_id
		WHERE x.operation_id = o.id
	) p ON o.finished_at IS NULL
	WHERE o.team_id = @team`

// Operation is one operation.
func (q Queries) Operation(ctx context.Context, in Scope, id string) (Operation, error) {
	return one[Operation](ctx, q, operations+` AND o.id = @id`, args{"id": id, "team": in.TeamID})
}

// Operations lists operations, newest first, starting after the id `after`
// (exclusive; "" starts at the top).
func (q Queries) Operations(ctx context.Context, in Scope, after string, limit int) ([]Operation, error) {
	return many[Operation](ctx, q, operations+` AND (@after::uuid IS NULL OR o.id < @after::uuid) ORDER BY o.id DESC LIMIT @limit`,
		args{"team": in.TeamID, "after": nullable(after), "limit": limit})
}

// StepOperation adds to an operation's progress, and ends it with the last
// item. It is ErrCancelled where the operation was.
func (t *Tx) StepOperation(ctx context.Context, in Scope, id string, done int, failed []ItemError) error {
	if failed == nil {
		failed = []ItemError{}
	}
	op, err := one[Operation](ctx, t.Queries, `
		UPDATE operations SET done = done + @done, failed = failed + @failed, errors = errors || @errors::jsonb,
			state       = CASE WHEN done + @done >= total THEN 'completed' ELSE state END,
			finished_at = CASE WHEN done + @done >= total THEN now() END
		WHERE id = @id AND team_id = @team AND state = 'running'
		RETURNING `+operationColumns, args{"id": id, "team": in.TeamID, "done": done, "failed": len(failed), "errors": failed})
	if fault.KindOf(err) == fault.NotFound {
		return t.notRunning(ctx, in, id)
	}
	if err != nil {
		return err
	}
	if err := t.progressEvent(ctx, in.TeamID, op); err != nil || op.State == "running" {
		return err
	}
	return t.tellOfOperation(ctx, in.TeamID, op)
}

// AdvanceOperation adds to an operation's progress and never ends it, for jobs that go on
// as long as they find something: after a restart they may count a file twice, and
// there may be more files than when it was asked for. It is ErrCancelled where the
// operation was.
func (t *Tx) AdvanceOperation(ctx context.Context, in Scope, id string, done int) error {
	op, err := one[Operation](ctx, t.Queries, `
		UPDATE operations SET done = least(done + @done, total) WHERE id = @id AND team_id = @team AND state = 'running'
		RETURNING `+operationColumns, args{"id": id, "team": in.TeamID, "done": done})
	if fault.KindOf(err) == fault.NotFound {
		return t.notRunning(ctx, in, id)
	}
	if err != nil {
		return err
	}
	return t.progressEvent(ctx, in.TeamID, op)
}

// progressEvent emits the progress of an operation.
func (t *Tx) progressEvent(ctx context.Context, teamID string, op Operation) error {
	return t.emit(ctx, teamID, "operation.progress", op.ID, OperationData{op.ID, op.Kind, op.State, op.Total, op.Done, op.Failed})
}

// FinishOperation ends an operation with its result, or as failed with a
// message for the caller. One that has ended stays as it is, but for one that was
// cancelled: that is ErrCancelled.
func (t *Tx) FinishOperation(ctx context.Context, in Scope, id string, result any, failure string) error {
	state, errs := "completed", []ItemError{}
	if failure != "" {
		state, errs = "failed", []ItemError{{Error: failure}}
	}
	ended, err := many[Operation](ctx, t.Queries, `
		UPDATE operations SET state = @state, result = @result, errors = errors || @errors::jsonb,
			done = total, finished_at = now()
		WHERE id = @id AND team_id = @team AND state = 'running'
		RETURNING `+operationColumns,
		args{"id": id, "team": in.TeamID, "state": state, "result": result, "errors": errs})
	if err != nil {
		return err
	}
	if len(ended) == 0 {
		if err := t.notRunning(ctx, in, id); errors.Is(err, ErrCancelled) {
			return err
		}
		return nil
	}
	if err := t.progressEvent(ctx, in.TeamID, ended[0]); err != nil {
		return err
	}
	return t.tellOfOperation(ctx, in.TeamID, ended[0])
}

// finishFollowed ends, at the end of the transaction, the operations that waited
// for files and for nothing else.
func (t *Tx) finishFollowed(teamID string, fileIDs ...string) {
	if t.outbox.ended == nil {
		t.outbox.ended = map[string][]string{}
	}
	t.outbox.ended[teamID] = append(t.outbox.ended[teamID], fileIDs...)
}

// stillFollows reports whether a file of an operation, which is held, is under way. Such a
// file is kept as a witness, the last of them: it mostly ends last. Those behind it have
// ended and never come back, so that an operation goes over all its files once.
func (t *Tx) stillFollows(ctx context.Context, operation string) (bool, error) {
	const underWay = `
		FROM operation_files x JOIN files f ON f.id = x.file_id AND f.attempt = x.attempt
		WHERE x.operation_id = o.id AND f.status IN ('queued', 'processing')`
	type witness struct {
		File  *string `db:"file"`
		Moved bool    `db:"moved"`
	}
	seen, err := one[witness](ctx, t.Queries, `
		SELECT file::text, file IS DISTINCT FROM waiting_for AS moved FROM (
			SELECT o.waiting_for, coalesce(
				(SELECT x.file_id`+underWay+` AND x.file_id = o.waiting_for),
				(SELECT x.file_id`+underWay+` AND (o.waiting_for IS NULL OR x.file_id < o.waiting_for) ORDER BY x.file_id DESC LIMIT 1)) AS file
			FROM operations o WHERE o.id = @operation) o`, args{"operation": operation})
	if err != nil || seen.File == nil || !seen.Moved {
		return seen.File != nil, err
	}
	return true, change(ctx, t.Queries, `UPDATE operations SET waiting_for = @file WHERE id = @operation`, args{"operation": operation, "file": *seen.File})
}

// endFollowing does what finishFollowed asked for. The operations are held
// first: of two files that end at once the second one then sees that the first
// has.
func (t *Tx) endFollowing(ctx context.Context, teamID string, fileIDs []string) error {
	following, err := values[string](ctx, t.Queries, `
		SELECT id::text FROM operations
		WHERE id IN (SELECT operation_id FROM operation_files WHERE file_id = ANY(@files)) AND team_id IS NOT DISTINCT FROM @team AND finished_at IS NULL
		ORDER BY id FOR NO KEY UPDATE`, args{"team": teamID, "files": fileIDs})
	if err != nil || len(following) == 0 {
		return err
	}
	var over []string
	for _, id := range following {
		follows, err := t.stillFollows(ctx, id)
		if err != nil {
			return err
		}
		if !follows {
			over = append(over, id)
		}
	}
	if len(over) == 0 {
		return nil
	}
	ended, err := many[Operation](ctx, t.Queries, `
		UPDATE operations o SET state = 'completed', finished_at = now(), done = o.total, failed = (
			SELECT count(*) FROM operation_files x JOIN files f ON f.id = x.file_id AND f.attempt = x.attempt
			WHERE x.operation_id = o.id AND f.status = 'failed')
		WHERE o.id = ANY(@over) AND o.team_id IS NOT DISTINCT FROM @team
		RETURNING `+operationColumns, args{"over": over, "team": teamID})
	if err != nil {
		return err
	}
	for _, op := range ended {
		if err := t.tellOfOperation(ctx, teamID, op); err != nil {
			return err
		}
	}
	return nil
}

// How long events, and the answers of idempotent requests, are kept. Events go with their
// day, when all of it is that old.
const (
	keepEvents     = 24 * time.Hour // and idempotency keys
	eventsGo       = keepEvents + 24*time.Hour
	keepDeliveries = 30 * 24 * time.Hour
)

// Prune forgets what no reader can still ask for: idempotency keys after a day, events
// within two, ended sessions and invitations, old operations, notifications and deliveries, renditions
// that are no longer kept, chats that nobody is left in and nobody wrote in.
func (q Queries) Prune(ctx context.Context) error {
	for _, sql := range []string{
		`SELECT turn_event_days(@events::interval)`,
		`DELETE FROM events WHERE created_at < now() - @eventsGo::interval`, // of no day's table, or of one that could not be dropped
		`DELETE FROM idempotency_keys WHERE created_at < now() - @events::interval`,
		`DELETE FROM sessions WHERE expires_at < now()`,
		`DELETE FROM service_tokens WHERE expires_at < now()`,
		`DELETE FROM invitations WHERE expires_at < now()`,
		`DELETE FROM operations WHERE created_at < now() - interval '30 days'`,
		`DELETE FROM notifications WHERE created_at < now() - interval '90 days'`,
		`DELETE FROM webhook_deliveries WHERE created_at < now() - @deliveries::interval`,
		`UPDATE webhooks SET previous_secret = NULL, previous_secret_until = NULL WHERE previous_secret_until < now()`,
		`DELETE FROM renditions WHERE expires_at < now()`,
		`DELETE FROM chats c WHERE NOT EXISTS (SELECT FROM chat_participants p WHERE p.team_id = c.team_id AND p.chat_id = c.id)
			AND NOT EXISTS (SELECT FROM chat_messages m WHERE m.team_id = c.team_id AND m.chat_id = c.id) AND NOT ` + inTrash("c"),
		`DELETE FROM rate_limits WHERE window_start < now() - interval '1 hour'`,
		`DELETE FROM workers WHERE seen_at < now() - interval '1 hour'`,
		`DELETE FROM vocabulary WHERE files <= 0`,
		`DELETE FROM stems WHERE files <= 0`,
		`DELETE FROM label_counts WHERE sentences = 0 AND firsts = 0`,
		`DELETE FROM file_counts WHERE files = 0`,
		`DELETE FROM name_counts WHERE files = 0`,
		`DELETE FROM words w WHERE NOT EXISTS (SELECT FROM vocabulary v WHERE v.word = w.word)`,
	} {
		if _, err := exec(ctx, q, sql, args{"events": keepEvents, "eventsGo": eventsGo, "deliveries": keepDeliveries}); err != nil {
			return err
		}
	}
	return nil
}

package db

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

// NotificationKind is the reason of a notification.
type NotificationKind string

// The kinds. A custom one is pushed by a caller; so may a mention be.
const (
	FileCompletedNote NotificationKind = "file.completed"
	FileFailedNote    NotificationKind = "file.failed"
	AssignmentCreated NotificationKind = "assignment.created"
	AssignmentUpdated NotificationKind = "assignment.updated"
	OperationFinished NotificationKind = "operation.finished"
	MatterUpdated     NotificationKind = "matter.updated"
	Mention           NotificationKind = "mention"
	ModelTrained      NotificationKind = "model.trained"
	CustomNote        NotificationKind = "custom"
)

// NotificationKinds lists the kinds.
func NotificationKinds() []NotificationKind {
	return []NotificationKind{FileCompletedNote, FileFailedNote, AssignmentCreated, AssignmentUpdated, OperationFinished, MatterUpdated, Mention, ModelTrained, CustomNote}
}

// NewNotification is a notification to be created.
type NewNotification struct {
	Kind  NotificationKind
	Title string
	Body  string
	Link  string // to what it is about; a path of the API or an address elsewhere
}

// about is the file or the matter that n links to, nil where it is neither.
func (n NewNotification) about() (fileID, matterID *string) {
	if id, ok := strings.CutPrefix(n.Link, fileLink("")); ok && uuid.Validate(id) == nil {
		return &id, nil
	}
	if id, ok := strings.CutPrefix(n.Link, matterLink("")); ok && uuid.Validate(id) == nil {
		return nil, &id
	}
	return nil, nil
}

func fileLink(id string) string { return "/api/files/" + id }

// Notification is a notification of one user.
type Notification struct {
	ID        string           `db:"id"`
	UserID    string           `db:"user_id"`
	Kind      NotificationKind `db:"kind"`
	Title     string           `db:"title"`
	Body      string           `db:"body"`
	Link      string           `db:"link"`
	CreatedBy *string          `db:"created_by"`
	CreatedAt time.Time        `db:"created_at"`
	ReadAt    *time.Time       `db:"read_at"`
}

const notificationColumns = `id, user_id, kind, title, body, link, created_by, created_at, read_at`

// Notify creates notifications, in the transaction of the change that they are about.
// Users who are no members of the team, or may not see the subject, are left out.
func (t *Tx) Notify(ctx context.Context, in Scope, userIDs []string, n NewNotification) error {
	_, err := t.PushNotifications(ctx, in, userIDs, n)
	return err
}

// PushNotifications is Notify with what came of it.
func (t *Tx) PushNotifications(ctx context.Context, in Scope, userIDs []string, n NewNotification) ([]Notification, error) {
	if len(userIDs) == 0 {
		return []Notification{}, nil
	}
	file, matter := n.about()
	told, err := many[Notification](ctx, t.forValues(), `
		INSERT INTO notifications (id, team_id, user_id, kind, title, body, link, created_by)
		SELECT new_id(), team_id, user_id, @kind, @title, @body, @link, @creator
		FROM (SELECT coalesce(@matter::uuid, (SELECT matter_id FROM files WHERE id = @file)) AS id) about, members m
		WHERE team_id = @team AND user_id = ANY(@users) AND (
			(SELECT access FROM matters WHERE id = about.id) IS DISTINCT FROM 'restricted'
			OR EXISTS (SELECT FROM matter_people p WHERE p.matter_id = about.id AND p.user_id = m.user_id))
		ORDER BY user_id
		RETURNING `+notificationColumns, args{
		"team": in.TeamID, "users": userIDs, "kind": n.Kind, "title": n.Title, "body": n.Body, "link": n.Link, "creator": nullable(in.UserID()),
		"file": file, "matter": matter,
	})
	if err != nil {
		return nil, err
	}
	for _, row := range told {
		if err := t.emitTo(ctx, in.TeamID, row.UserID, "notification.created", row.ID, map[string]any{
			"id": row.ID, "kind": row.Kind, "title": row.Title, "body": row.Body, "link": row.Link, "createdAt": row.CreatedAt.UTC(),
		}); err != nil {
			return nil, err
		}
	}
	return told, nil
}

// mentioned finds members in a text: an at sign before their address.
var mentioned = regexp.MustCompile(`@([^\s@<>,;:()"']+@[^\s@<>,;:()"']*[\pL\pN])`)

// mention notifies the members who are mentioned in after and were not in before,
// except the author.
func (t *Tx) mention(ctx context.Context, in Scope, before, after, where, link string) error {
	addresses := addressesIn(after)
	known := addressesIn(before)
	addresses = slices.DeleteFunc(addresses, func(a string) bool { return slices.Contains(known, a) })
	if len(addresses) == 0 {
		return nil
	}
	people, err := values[string](ctx, t.Queries, `
		SELECT u.id::text FROM users u JOIN members m ON m.user_id = u.id AND m.team_id = @team
		WHERE lower(u.email) = ANY(@addresses) AND u.id IS DISTINCT FROM @actor::uuid`,
		args{"team": in.TeamID, "addresses": addresses, "actor": nullable(in.UserID())})
	if err != nil {
		return err
	}
	return t.Notify(ctx, in, people, NewNotification{Kind: Mention, Title: "You are mentioned in " + where, Body: after, Link: link})
}

func addressesIn(text string) []string {
	var all []string
	for _, found := range mentioned.FindAllStringSubmatch(text, -1) {
		all = append(all, strings.ToLower(found[1]))
	}
	return all
}

// NotificationFilter narrows a list of notifications.
type NotificationFilter struct {
	Unread bool
	Kinds  []string
}

func (f NotificationFilter) where(in Scope, a args) *clauses {
	in.args(a)["user"] = nullable(in.UserID())
	w := startClauses("team_id = @team AND user_id = @user"+in.seesLink("link"), a)
	if f.Unread {
		w.and("read_at IS NULL")
	}
	w.when(f.Kinds != nil, "kind = ANY(@kinds)", "kinds", f.Kinds)
	return w
}

// Notifications lists the notifications of the caller in the team, newest first,
// starting after the id `after` (exclusive; "" starts at the top).
func (q Queries) Notifications(ctx context.Context, in Scope, filter NotificationFilter, after string, limit int) ([]Notification, error) {
	a := args{"limit": limit}
	w := filter.where(in, a)
	w.when(after != "", "id < @after", "after", nullable(after))
	return many[Notification](ctx, q, `SELECT `+notificationColumns+` FROM notifications WHERE `+w.String()+` ORDER BY id DESC LIMIT @limit`, a)
}

// CountNotifications counts what Notifications would list.
func (q Queries) CountNotifications(ctx context.Context, in Scope, filter NotificationFilter) (int, error) {
	a := args{}
	return value[int](ctx, q, `SELECT count(*) FROM notifications WHERE `+filter.where(in, a).String(), a)
}

// MarkNotification marks a notification of the caller as read or unread.
func (t *Tx) MarkNotification(ctx context.Context, in Scope, id string, read bool) (Notification, error) {
	row, err := one[Notification](ctx, t.Queries, `
		UPDATE notifications SET read_at = CASE WHEN @read THEN coalesce(read_at, now()) END
		WHERE id = @id AND team_id = @team AND user_id = @user
		RETURNING `+notificationColumns, args{"id": id, "team": in.TeamID, "user": nullable(in.UserID()), "read": read})
	if err != nil {
		return Notification{}, err
	}
	if err := t.Audit(ctx, in, "notification.marked", "notification", id, map[string]any{"read": read}); err != nil {
		return Notification{}, err
	}
	return row, t.emitTo(ctx, in.TeamID, row.UserID, "notification.updated", id, map[string]any{"id": id, "read": read})
}

// tellOfFile notifies the uploader and the assignees of a file of the end of an
// attempt. Attempts that are part of an operation are reported with the operation; of
// the entries of an archive only failures are.
func (t *Tx) tellOfFile(ctx context.Context, f File) error {
	n := NewNotification{Kind: FileCompletedNote, Title: f.Name + " is ready", Link: fileLink(f.ID)}
	switch f.Status { //nolint:exhaustive // the others do not end an attempt
	case FileFailed:
		n.Kind, n.Title, n.Body = FileFailedNote, f.Name+" could not be read", text(f.ErrorMessage)
	case FileWithWarnings:
		n.Title += ", with warnings"
	case FileCompleted:
	default:
		return nil
	}
	people, err := values[string](ctx, t.Queries, `
		SELECT user_id::text FROM (
			SELECT created_by AS user_id FROM files WHERE id = @id AND created_by IS NOT NULL AND (parent_id IS NULL OR status = 'failed')
			UNION SELECT user_id FROM assignments WHERE file_id = @id AND status = 'open'
		) concerned
		WHERE NOT EXISTS (SELECT FROM operation_files WHERE file_id = @id AND attempt = @attempt)`,
		args{"id": f.ID, "attempt": f.Attempt})
	if err != nil {
		return err
	}
	return t.Notify(ctx, System(f.TeamID), people, n)
}

// tellOfOperation notifies the user who started an operation of its end.
func (t *Tx) tellOfOperation(ctx context.Context, teamID string, o Operation) error {
	if err := t.emit(ctx, teamID, "operation.finished", o.ID, OperationData{o.ID, o.Kind, o.State, o.Total, o.Done, o.Failed}); err != nil {
		return err
	}
	people, err := values[string](ctx, t.Queries, `SELECT created_by::text FROM operations WHERE id = @id AND created_by IS NOT NULL`, args{"id": o.ID})
	if err != nil {
		return err
	}
	n := NewNotification{Kind: OperationFinished, Title: "The operation " + o.Kind + " has ended", Link: "/api/operations/" + o.ID}
	switch {
	case o.State == "cancelled":
		n.Title = "The operation " + o.Kind + " was cancelled"
	case o.Failed > 0 || o.State == "failed":
		n.Title += ", not all of it well"
	}
	return t.Notify(ctx, System(teamID), people, n)
}

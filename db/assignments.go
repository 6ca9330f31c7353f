package db

import (
	"context"
	"time"

	"github.com/clausemill/clausemill/fault"
)

// AssignmentRole is what somebody is to do with a file or a matter.
type AssignmentRole string

// AssignmentRoles lists the roles; the first is that of who is given none.
func AssignmentRoles() []AssignmentRole {
	return []AssignmentRole{"reviewer", "approver", "editor", "owner"}
}

// Assignee is what somebody is assigned to: a file or a matter. One of the ids
// is set.
type Assignee struct{ FileID, MatterID string }

// resource is how the audit names it.
func (a Assignee) resource() (kind, id string) {
	if a.MatterID != "" {
		return "matter", a.MatterID
	}
	return "file", a.FileID
}

// Assignment is a person's work on a file or a matter.
type Assignment struct {
	ID        string         `db:"id"`
	FileID    *string        `db:"file_id"`
	MatterID  *string        `db:"matter_id"`
	UserID    string         `db:"user_id"`
	UserName  string         `db:"user_name"`
	UserEmail string         `db:"user_email"`
	Role      AssignmentRole `db:"role"`
	Note      string         `db:"note"`
	DueAt     *time.Time     `db:"due_at"`
	DoneAt    *time.Time     `db:"done_at"`
	CreatedBy *string        `db:"created_by"`
	CreatedAt time.Time      `db:"created_at"`
	UpdatedAt time.Time      `db:"updated_at"`
}

const assignmentColumns = `a.id, a.file_id, a.matter_id, a.user_id, u.name AS user_name, u.email AS user_email,
	a.role, a.note, a.due_at, a.done_at, a.created_by, a.created_at, a.updated_at`

// AssignmentChange is what is said of an assignment; a nil field stays as it is,
// and a pointer to the zero time takes the due date away.
type AssignmentChange struct {
	Role  *AssignmentRole
	Note  *string
	DueAt *time.Time
	Done  *bool
}

// Assign gives a member work on to, and tells them. It is Conflict where they
// have that work already, and Invalid where they are no member.
func (t *Tx) Assign(ctx context.Context, in Scope, to Assignee, userID string, c AssignmentChange) (Assignment, error) {
	title, err := t.holdAssignee(ctx, in, to)
	if err != nil {
		return Assignment{}, err
	}
	if err := t.needMember(ctx, in, userID, "userId"); err != nil {
		return Assignment{}, err
	}
	id := NewID()
	n, err := exec(ctx, t.Queries, `
		INSERT INTO assignments (id, team_id, file_id, matter_id, user_id, role, created_by)
		VALUES (@id, @team, @file, @matter, @user, @role, @creator) ON CONFLICT DO NOTHING`, args{
		"id": id, "team": in.TeamID, "file": nullable(to.FileID), "matter": nullable(to.MatterID), "user": userID,
		"role": AssignmentRoles()[0], "creator": nullable(in.UserID()),
	})
	if err != nil {
		return Assignment{}, err
	}
	if n == 0 {
		return Assignment{}, fault.New(fault.Conflict, "that user is assigned already; update the assignment")
	}
	row, err := t.changeAssignment(ctx, in, id, c)
	if err != nil {
		return Assignment{}, err
	}
	if err := t.assignmentEvent(ctx, in, "assignment.created", to, row); err != nil {
		return Assignment{}, err
	}
	_, at := to.resource()
	link := "/api/files/" + at
	if to.MatterID != "" {
		link = matterLink(at)
	}
	if err := t.Notify(ctx, in, []string{userID}, NewNotification{
		Kind: AssignmentCreated, Title: "You are " + string(row.Role) + " of " + title, Body: row.Note, Link: link,
	}); err != nil {
		return Assignment{}, err
	}
	return row, t.mention(ctx, in, "", row.Note, title, link)
}

// holdAssignee is what the file or the matter is called, NotFound where there is
// none. It stays as long as the transaction.
func (t *Tx) holdAssignee(ctx context.Context, in Scope, to Assignee) (title string, err error) {
	kind, id := to.resource()
	return value[string](ctx, t.Queries, `SELECT name FROM `+kind+`s WHERE id = @id AND team_id = @team FOR KEY SHARE`,
		args{"id": id, "team": in.TeamID})
}

// UpdateAssignment changes a member's work on to. It is NotFound where they have
// none.
func (t *Tx) UpdateAssignment(ctx context.Context, in Scope, to Assignee, userID string, c AssignmentChange) (Assignment, error) {
	before, err := one[Assignment](ctx, t.Queries, `
		SELECT `+assignmentColumns+` FROM assignments a JOIN users u ON u.id = a.user_id
		WHERE a.team_id = @team AND (a.file_id = @file OR a.matter_id = @matter) AND a.user_id = @user FOR NO KEY UPDATE OF a`,
		args{"team": in.TeamID, "file": nullable(to.FileID), "matter": nullable(to.MatterID), "user": nullable(userID)})
	if err != nil {
		return Assignment{}, err
	}
	after, err := t.changeAssignment(ctx, in, before.ID, c)
	if err != nil {
		return Assignment{}, err
	}
	if err := t.assignmentEvent(ctx, in, "assignment.updated", to, after); err != nil {
		return Assignment{}, err
	}
	kind, id := to.resource()
	return after, t.mention(ctx, in, before.Note, after.Note, "an assignment", "/api/"+kind+"s/"+id)
}

func (t *Tx) changeAssignment(ctx context.Context, in Scope, id string, c AssignmentChange) (Assignment, error) {
	return one[Assignment](ctx, t.Queries, `
		UPDATE assignments a SET
			role    = coalesce(@role, a.role),
			note    = coalesce(@note, a.note),
			due_at  = CASE WHEN @due::timestamptz IS NULL THEN a.due_at ELSE nullif(@due, '0001-01-01 00:00:00+00'::timestamptz) END,
			done_at = CASE WHEN @done::boolean IS NULL THEN a.done_at WHEN @done THEN coalesce(a.done_at, now()) END,
			updated_at = now()
		FROM users u WHERE a.id = @id AND a.team_id = @team AND u.id = a.user_id
		RETURNING `+assignmentColumns,
		args{"id": id, "team": in.TeamID, "role": c.Role, "note": c.Note, "due": c.DueAt, "done": c.Done})
}

// assignmentEvent writes what happened to an assignment to the audit of what it
// is about, and to the outbox.
func (t *Tx) assignmentEvent(ctx context.Context, in Scope, kind string, to Assignee, a Assignment) error {
	_, id := to.resource()
	data := map[string]any{"assignmentId": a.ID, "userId": a.UserID, "role": a.Role, "done": a.DoneAt != nil}
	if err := t.auditPart(ctx, in, to, kind, "assignment", a.ID, data); err != nil {
		return err
	}
	return t.emit(ctx, in.TeamID, kind, id, map[string]any{
		"id": a.ID, "fileId": a.FileID, "matterId": a.MatterID, "userId": a.UserID, "role": a.Role, "dueAt": a.DueAt, "done": a.DoneAt != nil,
	})
}

// Unassign takes away the work that members have on to, and returns what it was:
// that of userID, or of everybody for "".
func (t *Tx) Unassign(ctx context.Context, in Scope, to Assignee, userID string) ([]Assignment, error) {
	return t.unassign(ctx, in, to, `(a.file_id = @file OR a.matter_id = @matter) AND (@user::uuid IS NULL OR a.user_id = @user)`,
		args{"user": nullable(userID)})
}

// DeleteAssignment takes away one piece of work on to; NotFound where there is
// none of that id.
func (t *Tx) DeleteAssignment(ctx context.Context, in Scope, to Assignee, id string) error {
	gone, err := t.unassign(ctx, in, to, `(a.file_id = @file OR a.matter_id = @matter) AND a.id = @id`, args{"id": id})
	if err == nil && len(gone) == 0 {
		return errNotFound
	}
	return err
}

func (t *Tx) unassign(ctx context.Context, in Scope, to Assignee, which string, a args) ([]Assignment, error) {
	a["team"], a["file"], a["matter"] = in.TeamID, nullable(to.FileID), nullable(to.MatterID)
	gone, err := many[Assignment](ctx, t.Queries, `
		DELETE FROM assignments a USING users u WHERE a.team_id = @team AND u.id = a.user_id AND `+which+`
		RETURNING `+assignmentColumns, a)
	if err != nil {
		return nil, err
	}
	for _, row := range gone {
		if err := t.assignmentEvent(ctx, in, "assignment.deleted", to, row); err != nil {
			return nil, err
		}
	}
	return gone, nil
}

// Assignments lists who works on a file or a matter, the first assigned first,
// starting after the id `after` (exclusive; "" starts at the top).
func (q Queries) Assignments(ctx context.Context, in Scope, to Assignee, after string, limit int) ([]Assignment, error) {
	return many[Assignment](ctx, q, `
		SELECT `+assignmentColumns+` FROM assignments a JOIN users u ON u.id = a.user_id
		WHERE a.team_id = @team AND (a.file_id = @file OR a.matter_id = @matter) AND (@after::uuid IS NULL OR a.id > @after)
		ORDER BY a.id LIMIT @limit`, args{
		"team": in.TeamID, "file": nullable(to.FileID), "matter": nullable(to.MatterID), "after": nullable(after), "limit": limit,
	})
}

// needMember is Invalid unless the user is a member of the team.
func (q Queries) needMember(ctx context.Context, in Scope, userID, what string) error {
	_, err := q.MemberRole(ctx, in.TeamID, userID)
	if fault.KindOf(err) == fault.NotFound {
		return fault.Newf(fault.Invalid, "%s names no member of this team", what)
	}
	return err
}

// WorkFilter says whose open assignments, on what.
type WorkFilter struct {
	UserID   string // of one person
	MatterID string // on one matter and its files
	Matters  bool   // on matters and their files, and not on files outside
	Overdue  bool   // past their due date
}

// where leaves out what is done, and work on matters that have ended.
func (f WorkFilter) where(in Scope, a args) *clauses {
	a["team"] = in.TeamID
	w := startClauses("a.team_id = @team AND a.done_at IS NULL AND (m.id IS NULL OR m.status IN ('open', 'on_hold'))", a)
	w.when(f.UserID != "", "a.user_id = @user", "user", nullable(f.UserID))
	w.when(f.MatterID != "", "m.id = @matter", "matter", nullable(f.MatterID))
	if f.Matters {
		w.and("m.id IS NOT NULL")
	}
	if f.Overdue {
		w.and("a.due_at < now()")
	}
	return w
}

// openWork reads assignments with what they are about: the matter is that of the
// file where a file is assigned.
const openWork = `assignments a
	JOIN users u ON u.id = a.user_id
	LEFT JOIN files f ON f.id = a.file_id
	LEFT JOIN matters m ON m.id = coalesce(a.matter_id, f.matter_id)`

// Work is an open assignment with what it is about.
type Work struct {
	Assignment
	Name       string  `db:"name"`        // of the file or the matter
	InMatterID *string `db:"in_matter"`   // that the file is in, or the matter itself
	MatterName *string `db:"matter_name"` //
	Overdue    bool    `db:"overdue"`
}

// Work lists open assignments, the most urgent first.
func (q Queries) Work(ctx context.Context, in Scope, filter WorkFilter, after DuePlace, limit int) ([]Work, error) {
	a := args{"limit": limit, "after_due": after.Due}
	w := filter.where(in, a)
	w.when(after.ID != "", "(coalesce(a.due_at, 'infinity'), a.id) > (coalesce(@after_due::timestamptz, 'infinity'), @after::uuid)", "after", nullable(after.ID))
	return many[Work](ctx, q, `
		SELECT `+assignmentColumns+`, coalesce(f.name, m.name) AS name, m.id AS in_matter, m.name AS matter_name,
			coalesce(a.due_at < now(), false) AS overdue
		FROM `+openWork+` WHERE `+w.String()+` ORDER BY coalesce(a.due_at, 'infinity'), a.id LIMIT @limit`, a)
}

// PersonWork counts a person's open assignments.
type PersonWork struct {
	UserID  string `db:"user_id"`
	Name    string `db:"name"`
	Email   string `db:"email"`
	Open    int    `db:"open"`
	Due     int    `db:"due"`     // of these, within the next seven days
	Overdue int    `db:"overdue"` // of these, past their due date
}

// WorkByPerson counts open assignments, those with most overdue first.
func (q Queries) WorkByPerson(ctx context.Context, in Scope, filter WorkFilter) ([]PersonWork, error) {
	a := args{}
	return many[PersonWork](ctx, q, `
		SELECT a.user_id, u.name, u.email, count(*) AS open,
			count(*) FILTER (WHERE a.due_at >= now() AND a.due_at < now() + interval '7 days') AS due,
			count(*) FILTER (WHERE a.due_at < now()) AS overdue
		FROM `+openWork+` WHERE `+filter.where(in, a).String()+`
		GROUP BY a.user_id, u.name, u.email ORDER BY overdue DESC, open DESC, a.user_id`, a)
}

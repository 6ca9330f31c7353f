package db

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/clausemill/clausemill/fault"
)

// AssignmentRole is what somebody is to do with a file or a matter.
type AssignmentRole string

// AssignmentRoles lists the roles; the first is the default.
func AssignmentRoles() []AssignmentRole {
	return []AssignmentRole{"reviewer", "approver", "editor", "owner"}
}

// AssignmentStatus is whether work is still to be done.
type AssignmentStatus string

// The statuses. Work that was done or declined may be open again.
const (
	AssignmentOpen     AssignmentStatus = "open"
	AssignmentDone     AssignmentStatus = "done"
	AssignmentDeclined AssignmentStatus = "declined"
)

// AssignmentStatuses lists the statuses.
func AssignmentStatuses() []AssignmentStatus {
	return []AssignmentStatus{AssignmentOpen, AssignmentDone, AssignmentDeclined}
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
	ID         string           `db:"id"`
	FileID     *string          `db:"file_id"`
	MatterID   *string          `db:"matter_id"`
	UserID     string           `db:"user_id"`
	UserName   string           `db:"user_name"`
	UserEmail  string           `db:"user_email"`
	Role       AssignmentRole   `db:"role"`
	Note       string           `db:"note"`
	DueAt      *time.Time       `db:"due_at"`
	Status     AssignmentStatus `db:"status"`
	DoneAt     *time.Time       `db:"done_at"`
	DeclinedAt *time.Time       `db:"declined_at"`
	EndedBy    *string          `db:"ended_by"`   // a user
	CreatedBy  *string          `db:"created_by"` // who assigned it last
	CreatedAt  time.Time        `db:"created_at"`
	UpdatedAt  time.Time        `db:"updated_at"`
}

const assignmentColumns = `a.id, a.file_id, a.matter_id, a.user_id, u.name AS user_name, u.email AS user_email,
	a.role, a.note, a.due_at, a.status, a.done_at, a.declined_at, a.ended_by, a.created_by, a.created_at, a.updated_at`

// AssignmentChange is what is said of an assignment; a nil field stays as it is,
// and a pointer to the zero time takes the due date away.
type AssignmentChange struct {
	Role   *AssignmentRole
	Note   *string
	DueAt  *time.Time
	Status *AssignmentStatus
}

// Assign assigns a member to a file or matter, and notifies them; an assignment that
// they had done or declined is open again. It is Conflict if they are assigned
// already, and Invalid if they are no member.
func (t *Tx) Assign(ctx context.Context, in Scope, to Assignee, userID string, c AssignmentChange) (Assignment, error) {
	title, err := t.holdAssignee(ctx, in, to)
	if err != nil {
		return Assignment{}, err
	}
	if err := t.needMember(ctx, in, userID, "userId"); err != nil {
		return Assignment{}, err
	}
	if err := t.needSeer(ctx, in, to, userID); err != nil {
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
	action, before := "assignment.created", Assignment{}
	if n == 0 {
		if before, err = t.AssignmentForUpdate(ctx, in, to, AssignmentRef{UserID: userID}); err != nil {
			return Assignment{}, err
		}
		if before.Status == AssignmentOpen {
			return Assignment{}, fault.New(fault.Conflict, "that user is assigned already; update the assignment")
		}
		if err := change(ctx, t.Queries, `UPDATE assignments SET created_by = @creator WHERE id = @id AND team_id = @team`,
			args{"id": before.ID, "team": in.TeamID, "creator": nullable(in.UserID())}); err != nil {
			return Assignment{}, err
		}
		again := AssignmentOpen
		action, id, c.Status = "assignment.updated", before.ID, &again
	}
	if to.MatterID != "" {
		if err := t.joinMatterChats(ctx, in, to.MatterID, userID); err != nil {
			return Assignment{}, err
		}
	}
	row, err := t.changeAssignment(ctx, in, id, c)
	if err != nil {
		return Assignment{}, err
	}
	if err := t.assignmentEvent(ctx, in, action, to, before, row); err != nil {
		return Assignment{}, err
	}
	if err := t.Notify(ctx, in, []string{userID}, NewNotification{
		Kind: AssignmentCreated, Title: "You are " + string(row.Role) + " of " + title, Body: row.Note, Link: to.link(),
	}); err != nil {
		return Assignment{}, err
	}
	return row, t.mention(ctx, in, before.Note, row.Note, title, to.link())
}

// link is the path of what the work is on.
func (a Assignee) link() string {
	kind, id := a.resource()
	return "/api/" + kind + "s/" + id
}

// holdAssignee is what the file or the matter is called, NotFound where there is
// none. It stays as long as the transaction.
func (t *Tx) holdAssignee(ctx context.Context, in Scope, to Assignee) (title string, err error) {
	kind, id := to.resource()
	return value[string](ctx, t.Queries, `SELECT name FROM `+kind+`s WHERE id = @id AND team_id = @team`+in.seesAssignee(to)+` FOR KEY SHARE`,
		in.args(args{"id": id}))
}

// AssignmentRef names one piece of work on something: by its id, or by whose it
// is.
type AssignmentRef struct{ ID, UserID string }

// AssignmentForUpdate is one piece of work on to, held until the transaction ends.
// It is NotFound where there is none.
func (t *Tx) AssignmentForUpdate(ctx context.Context, in Scope, to Assignee, ref AssignmentRef) (Assignment, error) {
	return one[Assignment](ctx, t.Queries, `
		SELECT `+assignmentColumns+` FROM assignments a JOIN users u ON u.id = a.user_id
		WHERE a.team_id = @team AND (a.file_id = @file OR a.matter_id = @matter) AND (a.id = @id OR a.user_id = @user) `+in.seesAssigned("a")+` FOR NO KEY UPDATE OF a`, in.args(args{
		"file": nullable(to.FileID), "matter": nullable(to.MatterID), "id": nullable(ref.ID), "user": nullable(ref.UserID),
	}))
}

// UpdateAssignment changes an assignment that is held. It notifies the assigner when
// the assignment ends, and the assignee of changes by others.
func (t *Tx) UpdateAssignment(ctx context.Context, in Scope, to Assignee, before Assignment, c AssignmentChange) (Assignment, error) {
	title, err := t.holdAssignee(ctx, in, to)
	if err != nil {
		return Assignment{}, err
	}
	after, err := t.changeAssignment(ctx, in, before.ID, c)
	if err != nil {
		return Assignment{}, err
	}
	if err := t.assignmentEvent(ctx, in, "assignment.updated", to, before, after); err != nil {
		return Assignment{}, err
	}
	n := NewNotification{Kind: AssignmentUpdated, Title: "Your work on " + title + " was changed", Body: after.Note, Link: to.link()}
	people := []string{after.UserID}
	if before.Status != after.Status {
		people = append(people, text(after.CreatedBy))
		n.Title = map[AssignmentStatus]string{
			AssignmentOpen: title + " is open again", AssignmentDone: after.who() + " is done with " + title, AssignmentDeclined: after.who() + " declined " + title,
		}[after.Status]
	}
	people = slices.DeleteFunc(people, func(id string) bool { return id == "" || id == in.UserID() })
	if err := t.Notify(ctx, in, slices.Compact(people), n); err != nil {
		return Assignment{}, err
	}
	return after, t.mention(ctx, in, before.Note, after.Note, "an assignment", to.link())
}

// who is the assignee as people know them.
func (a Assignment) who() string { return cmp.Or(a.UserName, a.UserEmail) }

func (t *Tx) changeAssignment(ctx context.Context, in Scope, id string, c AssignmentChange) (Assignment, error) {
	return one[Assignment](ctx, t.Queries, `
		UPDATE assignments a SET
			role    = coalesce(@role, a.role),
			note    = coalesce(@note, a.note),
			due_at  = CASE WHEN @due::timestamptz IS NULL THEN a.due_at ELSE nullif(@due, '0001-01-01 00:00:00+00'::timestamptz) END,
			done_at     = CASE WHEN @status::text IS NULL THEN a.done_at WHEN @status = 'done' THEN coalesce(a.done_at, now()) END,
			declined_at = CASE WHEN @status::text IS NULL THEN a.declined_at WHEN @status = 'declined' THEN coalesce(a.declined_at, now()) END,
			ended_by    = CASE WHEN @status::text IS NULL OR @status = a.status THEN a.ended_by WHEN @status <> 'open' THEN @actor::uuid END,
			updated_at  = now()
		FROM users u WHERE a.id = @id AND a.team_id = @team AND u.id = a.user_id
		RETURNING `+assignmentColumns,
		args{"id": id, "team": in.TeamID, "role": c.Role, "note": c.Note, "due": c.DueAt, "status": c.Status, "actor": nullable(in.UserID())})
}

// assignmentEvent writes what happened to an assignment to the audit of what it
// is about, with what changed of one that was there before, and to the outbox.
func (t *Tx) assignmentEvent(ctx context.Context, in Scope, kind string, to Assignee, before, a Assignment) error {
	_, id := to.resource()
	data := map[string]any{"assignmentId": a.ID, "userId": a.UserID, "role": a.Role, "status": a.Status}
	if before.ID != "" && before.Role != a.Role {
		data["role"] = [2]AssignmentRole{before.Role, a.Role}
	}
	if before.ID != "" && before.Status != a.Status {
		data["status"] = [2]AssignmentStatus{before.Status, a.Status}
	}
	if before.ID != "" && !timeOf(before.DueAt).Equal(timeOf(a.DueAt)) {
		data["dueAt"] = [2]*time.Time{before.DueAt, a.DueAt}
	}
	if err := t.auditPart(ctx, in, to, kind, "assignment", a.ID, data); err != nil {
		return err
	}
	return t.emit(ctx, in.TeamID, kind, id, AssignmentData{
		a.ID, a.FileID, a.MatterID, a.UserID, a.Role, a.DueAt, a.Status, a.Status == AssignmentDone,
	})
}

// Unassign takes away the work that members have on to, and returns what it was:
// the one that ref names, or that of everybody for none. It is none where there
// is no such work.
func (t *Tx) Unassign(ctx context.Context, in Scope, to Assignee, ref AssignmentRef) ([]Assignment, error) {
	gone, err := many[Assignment](ctx, t.Queries, `
		DELETE FROM assignments a USING users u WHERE a.team_id = @team AND u.id = a.user_id AND (a.file_id = @file OR a.matter_id = @matter)
			AND (@id::uuid IS NULL OR a.id = @id) AND (@user::uuid IS NULL OR a.user_id = @user)`+in.seesAssigned("a")+`
		RETURNING `+assignmentColumns, in.args(args{
		"file": nullable(to.FileID), "matter": nullable(to.MatterID), "id": nullable(ref.ID), "user": nullable(ref.UserID),
	}))
	if err != nil {
		return nil, err
	}
	for _, row := range gone {
		if err := t.assignmentEvent(ctx, in, "assignment.deleted", to, Assignment{}, row); err != nil {
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
		WHERE a.team_id = @team AND (a.file_id = @file OR a.matter_id = @matter) AND (@after::uuid IS NULL OR a.id > @after)`+in.seesAssigned("a")+`
		ORDER BY a.id LIMIT @limit`, in.args(args{
		"file": nullable(to.FileID), "matter": nullable(to.MatterID), "after": nullable(after), "limit": limit,
	}))
}

// needMember is Invalid unless the user is a member of the team.
func (q Queries) needMember(ctx context.Context, in Scope, userID, what string) error {
	_, err := q.MemberRole(ctx, in.TeamID, userID)
	if fault.KindOf(err) == fault.NotFound {
		return fault.Newf(fault.Invalid, "%s is not the id of a member of this team", what)
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

// where leaves out what is done or declined, and work on matters that have ended.
func (f WorkFilter) where(in Scope, a args) *clauses {
	w := startClauses("a.team_id = @team AND a.status = 'open' AND (m.id IS NULL OR m.status IN ('open', 'on_hold')"+in.seesMatter("m.id")+")", in.args(a))
	w.when(f.UserID != "", "a.user_id = @user", "user", nullable(f.UserID))
	w.when(f.MatterID != "", "m.id = @matter AND (a.matter_id = @matter OR a.file_id IN (SELECT id FROM files WHERE matter_id = @matter))", "matter", nullable(f.MatterID))
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
	LEFT JOIN files f ON f.id = a.file_id AND f.team_id = a.team_id
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

// WorkByPerson counts open assignments, those with most overdue first, and those
// of all people together.
func (q Queries) WorkByPerson(ctx context.Context, in Scope, filter WorkFilter) (people []PersonWork, all PersonWork, err error) {
	a := args{}
	people, err = many[PersonWork](ctx, q, `
		SELECT a.user_id, u.name, u.email, count(*) AS open,
			count(*) FILTER (WHERE a.due_at >= now() AND a.due_at < now() + interval '7 days') AS due,
			count(*) FILTER (WHERE a.due_at < now()) AS overdue
		FROM `+openWork+` WHERE `+filter.where(in, a).String()+`
		GROUP BY a.user_id, u.name, u.email ORDER BY overdue DESC, open DESC, a.user_id`, a)
	for _, p := range people {
		all.Open, all.Due, all.Overdue = all.Open+p.Open, all.Due+p.Due, all.Overdue+p.Overdue
	}
	return people, all, err
}

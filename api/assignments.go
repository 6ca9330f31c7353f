package api

import (
	"cmp"
	"context"
	"time"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
)

// assignments serves the assignments of files and matters to users.
func (a *API) assignments() {
	const either = " Fields are query parameters or in the body."
	const whose = " Only the assignee, the user who assigned them and admins may do this."
	const ends = "Changes an assignment. To end it, set `status` to `done` or `declined`; `open` opens it again. The user who assigned it is notified, and so is the assignee of changes by others." + either
	const again = " A user whose assignment is open is 409. If they have done or declined it, it is opened again."
	files := a.area("Files", withSession)
	create(a, files, "/api/files/{fileId}/assign", "assignFile", "Assign a file to a user", a.assignFile, eitherWay[Assign](a), describe(
		"Assigns a file to a user, by default the caller, in a role, by default reviewer. The assignee is notified. So are members who are mentioned in the note, "+
			"by an at sign before their e-mail address."+again+either))
	put(files, "/api/files/{fileId}/assign", "updateFileAssignments", "Update the assignment of a file to a user", a.updateFileAssignment, eitherWay[AssignmentUpdate](a), describe(
		"Changes the assignment of a user to the file, by default that of the caller. Without any field to change, its status becomes done."+either+whose))
	del(files, "/api/files/{fileId}/assign", "unassignFile", "Remove assignments from a file", a.unassignFile, eitherWay[Unassign](a), describe(
		"Removes the assignment of a user to the file, by default that of the caller; with `all`, the assignments of all users."+either+whose))
	get(files, "/api/files/{fileId}/assignments", "listFileAssignments", "List the assignments of a file", a.listFileAssignments, describe("Lists the assignments of a file, oldest first, done and declined ones included."))
	patch(files, "/api/files/{fileId}/assignments/{assignmentId}", "updateFileAssignment", "Update an assignment of a file", a.patchFileAssignment, eitherWay[AssignmentPatch](a), describe(ends+whose))

	matters := a.area("Matters", withSession)
	get(matters, "/api/matters/{matterId}/assignments", "listMatterAssignments", "List the assignments of a matter", a.listMatterAssignments, describe("Lists the assignments of a matter, oldest first, done and declined ones included."))
	create(a, matters, "/api/matters/{matterId}/assignments", "createMatterAssignment", "Assign a matter to a user", a.assignMatter, describe(
		"Assigns a matter to a user, by default the caller, in a role, by default reviewer. The assignee is notified, and so are members who are mentioned in the note."+again))
	patch(matters, "/api/matters/{matterId}/assignments/{assignmentId}", "updateMatterAssignment", "Update an assignment of a matter", a.patchMatterAssignment, eitherWay[AssignmentPatch](a), describe(ends+whose))
	del(matters, "/api/matters/{matterId}/assignments/{assignmentId}", "deleteMatterAssignment", "Delete an assignment of a matter", a.deleteMatterAssignment, describe(
		"Deletes an assignment. To record that the work was done or declined, update its status instead."+whose))

	const work = " The most urgent come first. The answer also has the number of open assignments of each person, of those due within the next seven days and of those overdue. " +
		"Closed and cancelled matters are not counted."
	get(matters, "/api/matters/work", "listMattersWork", "List work across matters", a.mattersWork, describe("Lists open assignments to matters and their files."+work))
	get(matters, "/api/matters/{matterId}/work", "listMatterWork", "List work on a matter", a.matterWork, describe("Lists open assignments to the matter and its files."+work))
	get(a.area("Teams and users", withSession), "/api/users/{userId}/work", "listUserWork", "List the work of a user", a.userWork, describe(
		"Lists open assignments of one member of the team, to files and matters. A user who is not a member is 404."+work))
}

// Assignment is a person's work on a file or a matter.
type Assignment struct {
	ID         string              `json:"id"`
	FileID     *string             `json:"fileId,omitempty"`
	MatterID   *string             `json:"matterId,omitempty"`
	UserID     string              `json:"userId"`
	UserName   string              `json:"userName"`
	UserEmail  string              `json:"userEmail"`
	Role       db.AssignmentRole   `json:"role"`
	Note       string              `json:"note"`
	DueAt      *time.Time          `json:"dueAt"`
	Status     db.AssignmentStatus `json:"status"`
	Done       bool                `json:"done" doc:"Whether the status is done"`
	DoneAt     *time.Time          `json:"doneAt,omitempty"`
	DeclinedAt *time.Time          `json:"declinedAt,omitempty"`
	EndedBy    *string             `json:"endedBy,omitempty" doc:"Id of the user who marked it as done or declined"`
	CreatedBy  *string             `json:"createdBy" doc:"Id of the user who assigned it last"`
	CreatedAt  time.Time           `json:"createdAt"`
	UpdatedAt  time.Time           `json:"updatedAt"`
}

func newAssignment(a db.Assignment) Assignment {
	return Assignment{
		ID: a.ID, FileID: a.FileID, MatterID: a.MatterID, UserID: a.UserID, UserName: a.UserName, UserEmail: a.UserEmail, Role: a.Role,
		Note: a.Note, DueAt: utc(a.DueAt), Status: a.Status, Done: a.Status == db.AssignmentDone, DoneAt: utc(a.DoneAt),
		DeclinedAt: utc(a.DeclinedAt), EndedBy: a.EndedBy, CreatedBy: a.CreatedBy,
		CreatedAt: a.CreatedAt.UTC(), UpdatedAt: a.UpdatedAt.UTC(),
	}
}

func (a Assignment) address() string {
	if a.MatterID != nil {
		return "/api/matters/" + *a.MatterID + "/assignments/" + a.ID
	}
	return filePath(*a.FileID) + "/assignments"
}

// Assign is a new assignment: who, in which role, by when.
type Assign struct {
	UserID string             `json:"userId,omitempty" maxLength:"36" doc:"Id of a member of the team; by default the caller"`
	Role   *db.AssignmentRole `json:"role,omitempty"`
	DueAt  DueDate            `json:"dueAt,omitzero"`
	Note   *string            `json:"note,omitempty" maxLength:"5000"`
}

func (b Assign) change() db.AssignmentChange {
	return db.AssignmentChange{Role: b.Role, Note: b.Note, DueAt: b.DueAt.change()}
}

// whom is the user that a request names, or the caller.
func whom(ctx context.Context, userID string) (string, error) {
	userID = cmp.Or(userID, auth.Scope(ctx).ActorID) // which is no member where it is a program
	if !isID(userID) {
		return "", invalid("body.userId", "is not the id of a member of this team")
	}
	return userID, nil
}

// assign assigns the file or matter to to a user.
func assign(ctx context.Context, tx *db.Tx, to db.Assignee, b Assign) (Assignment, error) {
	user, err := whom(ctx, b.UserID)
	if err != nil {
		return Assignment{}, err
	}
	row, err := tx.Assign(ctx, auth.Scope(ctx), to, user, b.change())
	return newAssignment(row), err
}

type assignFileRequest struct {
	FileRef
	OnceKey
	Body *Assign
}

func (a *API) assignFile(ctx context.Context, tx *db.Tx, in *assignFileRequest) (Assignment, error) {
	return assign(ctx, tx, db.Assignee{FileID: in.FileID}, orNothing(in.Body))
}

// orNothing is the optional body, or the zero value.
func orNothing[B any](body *B) B {
	if body == nil {
		return *new(B)
	}
	return *body
}

// AssignmentUpdate is what changes about somebody's assignment.
type AssignmentUpdate struct {
	Assign
	Status *db.AssignmentStatus `json:"status,omitempty"`
	Done   *bool                `json:"done,omitempty" doc:"true: the status done; false: the status open"`
}

// change is b for the database; an empty update sets the status done.
func (b AssignmentUpdate) change() (db.AssignmentChange, error) {
	c := b.Assign.change()
	c.Status = b.Status
	if b.Done != nil {
		status := db.AssignmentOpen
		if *b.Done {
			status = db.AssignmentDone
		}
		if b.Status != nil && *b.Status != status {
			return c, invalid("body.done", "contradicts status")
		}
		c.Status = &status
	}
	if c == (db.AssignmentChange{}) {
		done := db.AssignmentDone
		c.Status = &done
	}
	return c, nil
}

// AssignmentPatch is what changes about an assignment.
type AssignmentPatch struct {
	Status *db.AssignmentStatus `json:"status,omitempty"`
	Role   *db.AssignmentRole   `json:"role,omitempty"`
	DueAt  DueDate              `json:"dueAt,omitzero"`
	Note   *string              `json:"note,omitempty" maxLength:"5000"`
}

func (b AssignmentPatch) change() db.AssignmentChange {
	return db.AssignmentChange{Status: b.Status, Role: b.Role, Note: b.Note, DueAt: b.DueAt.change()}
}

// mayChange is Forbidden for callers other than the assignees, those who assigned
// them, and admins.
func mayChange(ctx context.Context, rows ...db.Assignment) error {
	p := auth.From(ctx)
	for _, row := range rows {
		if p.Role != db.Admin && p.UserID != row.UserID && p.UserID != text(row.CreatedBy) {
			return fault.New(fault.Forbidden, "only the assignee, the user who assigned them and admins of the team may do this")
		}
	}
	return nil
}

// changeAssignment changes the assignment ref of the file or matter to.
func (a *API) changeAssignment(ctx context.Context, to db.Assignee, ref db.AssignmentRef, c db.AssignmentChange) (Assignment, error) {
	return inTx(ctx, a, newAssignment, func(tx *db.Tx, scope db.Scope) (db.Assignment, error) {
		before, err := tx.AssignmentForUpdate(ctx, scope, to, ref)
		if err != nil {
			return before, err
		}
		if err := mayChange(ctx, before); err != nil || c == (db.AssignmentChange{}) {
			return before, err
		}
		return tx.UpdateAssignment(ctx, scope, to, before, c)
	})
}

func (a *API) patchFileAssignment(ctx context.Context, in *struct {
	FileRef
	AssignmentID string `path:"assignmentId" format:"uuid"`
	Body         *AssignmentPatch
}) (Assignment, error) {
	return a.changeAssignment(ctx, db.Assignee{FileID: in.FileID}, db.AssignmentRef{ID: in.AssignmentID}, orNothing(in.Body).change())
}

func (a *API) patchMatterAssignment(ctx context.Context, in *struct {
	MatterRef
	AssignmentID string `path:"assignmentId" format:"uuid"`
	Body         *AssignmentPatch
}) (Assignment, error) {
	return a.changeAssignment(ctx, db.Assignee{MatterID: in.MatterID}, db.AssignmentRef{ID: in.AssignmentID}, orNothing(in.Body).change())
}

func (a *API) updateFileAssignment(ctx context.Context, in *struct {
	FileRef
	Body *AssignmentUpdate
}) (Assignment, error) {
	body := orNothing(in.Body)
	if _, err := a.DB.FileState(ctx, auth.Scope(ctx), in.FileID); err != nil {
		return Assignment{}, err
	}
	change, err := body.change()
	if err != nil {
		return Assignment{}, err
	}
	user, err := whom(ctx, body.UserID)
	if err != nil {
		return Assignment{}, err
	}
	return a.changeAssignment(ctx, db.Assignee{FileID: in.FileID}, db.AssignmentRef{UserID: user}, change)
}

// Unassign names the assignments to remove.
type Unassign struct {
	UserID string `json:"userId,omitempty" maxLength:"36" doc:"Id of the user; by default the caller"`
	All    bool   `json:"all,omitempty" doc:"Removes the assignments of all users"`
}

// Unassigned lists the removed assignments.
type Unassigned struct {
	Message string       `json:"message"`
	Removed []Assignment `json:"removed" nullable:"false"`
}

func (a *API) unassignFile(ctx context.Context, in *struct {
	FileRef
	Body *Unassign
}) (Unassigned, error) {
	scope := auth.Scope(ctx)
	body := orNothing(in.Body)
	var rows []db.Assignment
	err := a.DB.InTx(ctx, func(tx *db.Tx) (err error) {
		if _, err := tx.FileState(ctx, scope, in.FileID); err != nil {
			return err
		}
		user := ""
		if !body.All {
			if user, err = whom(ctx, body.UserID); err != nil {
				return err
			}
		}
		rows, err = tx.Unassign(ctx, scope, db.Assignee{FileID: in.FileID}, db.AssignmentRef{UserID: user})
		if err == nil && len(rows) == 0 && !body.All {
			err = fault.New(fault.NotFound, "not found")
		}
		if err != nil {
			return err
		}
		return mayChange(ctx, rows...)
	})
	return Unassigned{"the assignments were removed", newList(rows, newAssignment).Items}, err
}

func (a *API) listFileAssignments(ctx context.Context, in *struct {
	FileRef
	Page
}) (List[Assignment], error) {
	if _, err := a.DB.FileState(ctx, auth.Scope(ctx), in.FileID); err != nil {
		return List[Assignment]{}, err
	}
	return a.pageOfAssignments(ctx, in.Page, db.Assignee{FileID: in.FileID})
}

func (a *API) pageOfAssignments(ctx context.Context, in Page, to db.Assignee) (List[Assignment], error) {
	after, err := in.idPlace("assignments")
	if err != nil {
		return List[Assignment]{}, err
	}
	rows, err := a.DB.Assignments(ctx, auth.Scope(ctx), to, after, in.Limit+1)
	return newPage(rows, in.Limit, "assignments", newAssignment, func(a db.Assignment) string { return a.ID }), err
}

func (a *API) listMatterAssignments(ctx context.Context, in *struct {
	MatterRef
	Page
}) (List[Assignment], error) {
	if err := a.DB.NeedMatter(ctx, auth.Scope(ctx), in.MatterID); err != nil {
		return List[Assignment]{}, err
	}
	return a.pageOfAssignments(ctx, in.Page, db.Assignee{MatterID: in.MatterID})
}

type assignMatterRequest struct {
	MatterRef
	OnceKey
	Body Assign
}

func (a *API) assignMatter(ctx context.Context, tx *db.Tx, in *assignMatterRequest) (Assignment, error) {
	return assign(ctx, tx, db.Assignee{MatterID: in.MatterID}, in.Body)
}

func (a *API) deleteMatterAssignment(ctx context.Context, in *struct {
	MatterRef
	AssignmentID string `path:"assignmentId" format:"uuid"`
}) (Message, error) {
	err := a.DB.InTx(ctx, func(tx *db.Tx) error {
		gone, err := tx.Unassign(ctx, auth.Scope(ctx), db.Assignee{MatterID: in.MatterID}, db.AssignmentRef{ID: in.AssignmentID})
		if err == nil && len(gone) == 0 {
			err = fault.New(fault.NotFound, "not found")
		}
		if err != nil {
			return err
		}
		return mayChange(ctx, gone...)
	})
	return Message{"the assignment was deleted"}, err
}

// Work is a page of open assignments, with the number of each person's.
type Work struct {
	List[WorkItem]
	Open    int          `json:"open"`
	Due     int          `json:"due" doc:"Number of them due within the next seven days"`
	Overdue int          `json:"overdue" doc:"Number of them past their due date"`
	People  []PersonWork `json:"people" nullable:"false" doc:"People with most overdue assignments first"`
}

// WorkItem is an assignment with what it is about.
type WorkItem struct {
	Assignment
	Name       string  `json:"name" doc:"Name of the file or of the matter"`
	MatterName *string `json:"inMatterName,omitempty" doc:"Name of the matter; for a file, of the matter that it is in"`
	InMatter   *string `json:"inMatterId,omitempty" doc:"Id of that matter"`
	Overdue    bool    `json:"overdue"`
}

// PersonWork is the number of one person's open assignments.
type PersonWork struct {
	UserID  string `json:"userId"`
	Name    string `json:"name"`
	Email   string `json:"email"`
	Open    int    `json:"open"`
	Due     int    `json:"due"`
	Overdue int    `json:"overdue"`
}

func newWorkItem(w db.Work) WorkItem {
	return WorkItem{newAssignment(w.Assignment), w.Name, w.MatterName, w.InMatterID, w.Overdue}
}

// WorkPage is the request of a page of Work.
type WorkPage struct {
	Page
	OnlyOverdue bool `query:"overdue" doc:"Only assignments past their due date"`
}

func (a *API) work(ctx context.Context, in WorkPage, filter db.WorkFilter) (Work, error) {
	scope := auth.Scope(ctx)
	after, err := in.duePlace("work")
	if err != nil {
		return Work{}, err
	}
	filter.Overdue = in.OnlyOverdue
	rows, err := a.DB.Work(ctx, scope, filter, after, in.Limit+1)
	if err != nil {
		return Work{}, err
	}
	people, all, err := a.DB.WorkByPerson(ctx, scope, filter)
	out := Work{
		List:   newPage(rows, in.Limit, "work", newWorkItem, func(w db.Work) string { return dueCursor(w.DueAt, w.ID) }),
		People: newList(people, func(p db.PersonWork) PersonWork { return PersonWork(p) }).Items,
		Open:   all.Open, Due: all.Due, Overdue: all.Overdue,
	}
	out.Total = &out.Open
	return out, err
}

func (a *API) mattersWork(ctx context.Context, in *struct {
	WorkPage
	UserID string `query:"userId" format:"uuid" doc:"Only assignments of this user"`
}) (Work, error) {
	return a.work(ctx, in.WorkPage, db.WorkFilter{Matters: true, UserID: in.UserID})
}

func (a *API) matterWork(ctx context.Context, in *struct {
	MatterRef
	WorkPage
}) (Work, error) {
	if err := a.DB.NeedMatter(ctx, auth.Scope(ctx), in.MatterID); err != nil {
		return Work{}, err
	}
	return a.work(ctx, in.WorkPage, db.WorkFilter{MatterID: in.MatterID})
}

func (a *API) userWork(ctx context.Context, in *struct {
	UserID string `path:"userId" format:"uuid" doc:"User id"`
	WorkPage
}) (Work, error) {
	if _, err := a.DB.MemberRole(ctx, auth.Scope(ctx).TeamID, in.UserID); err != nil {
		return Work{}, err
	}
	return a.work(ctx, in.WorkPage, db.WorkFilter{UserID: in.UserID})
}

package api

import (
	"cmp"
	"context"
	"time"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
)

// assignments serves who has to do what, with files and with matters.
func (a *API) assignments() {
	const either = "All fields may be query parameters or in the body. "
	const whose = "For the assignee, whoever assigned them, and admins."
	const ends = either + "`status` is `done` or `declined` when work ends, and `open` when it is to be done again; whoever assigned it is told, and whose it is of what somebody else changes. "
	files := a.area("Files", withSession)
	create(a, files, "/api/files/{fileId}/assign", "assignFile", "Assign a file to a user", a.assignFile, eitherWay[Assign](a), describe(
		either+"Without a user it is the caller, without a role a reviewer. The assignee is notified, and so is who is mentioned in the note, "+
			"as an at sign before their e-mail address. Who is assigned already is 409; who had done or declined it has it again."))
	put(files, "/api/files/{fileId}/assign", "updateFileAssignments", "Update the assignment of a file to a user", a.updateFileAssignment, eitherWay[AssignmentUpdate](a), describe(
		either+"Without a user it is the caller's own. Without anything to change it is done. "+whose))
	del(files, "/api/files/{fileId}/assign", "unassignFile", "Remove assignments from a file", a.unassignFile, eitherWay[Unassign](a), describe(
		either+"Without a user it is the caller's own; with `all` that of everybody. "+whose))
	get(files, "/api/files/{fileId}/assignments", "listFileAssignments", "List the assignments of a file", a.listFileAssignments, describe("The first assigned first, with what is done and declined."))
	patch(files, "/api/files/{fileId}/assignments/{assignmentId}", "updateFileAssignment", "Update an assignment of a file", a.patchFileAssignment, eitherWay[AssignmentPatch](a), describe(ends+whose))

	matters := a.area("Matters", withSession)
	get(matters, "/api/matters/{matterId}/assignments", "listMatterAssignments", "List the assignments of a matter", a.listMatterAssignments, describe("The first assigned first, with what is done and declined."))
	create(a, matters, "/api/matters/{matterId}/assignments", "createMatterAssignment", "Assign a matter to a user", a.assignMatter, describe(
		"Without a user it is the caller, without a role a reviewer. The assignee is notified, and so is who is mentioned in the note. "+
			"Who is assigned already is 409; who had done or declined it has it again."))
	patch(matters, "/api/matters/{matterId}/assignments/{assignmentId}", "updateMatterAssignment", "Update an assignment of a matter", a.patchMatterAssignment, eitherWay[AssignmentPatch](a), describe(ends+whose))
	del(matters, "/api/matters/{matterId}/assignments/{assignmentId}", "deleteMatterAssignment", "Delete an assignment of a matter", a.deleteMatterAssignment, describe(
		"What was done or declined is told by its status instead. "+whose))

	const work = "Assignments that are open, the most urgent first, and how many each person has; those due within the next seven days and those overdue. " +
		"Matters that are closed or cancelled do not count. "
	get(matters, "/api/matters/work", "listMattersWork", "List work across matters", a.mattersWork, describe(work+"On matters and their files."))
	get(matters, "/api/matters/{matterId}/work", "listMatterWork", "List work on a matter", a.matterWork, describe(work+"On the matter and its files."))
	get(a.area("Teams and users", withSession), "/api/users/{userId}/work", "listUserWork", "List the work of a user", a.userWork, describe(
		work+"Of one member of the team, on files and matters. Somebody else is 404."))
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
	Done       bool                `json:"done" doc:"The status is done"`
	DoneAt     *time.Time          `json:"doneAt,omitempty"`
	DeclinedAt *time.Time          `json:"declinedAt,omitempty"`
	EndedBy    *string             `json:"endedBy,omitempty" doc:"The user who marked it as done, or declined it: a user id"`
	CreatedBy  *string             `json:"createdBy" doc:"Who assigned it last"`
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

// Assign is who is to do what, by when.
type Assign struct {
	UserID string             `json:"userId,omitempty" maxLength:"36" doc:"A member of the team; the caller by default"`
	Role   *db.AssignmentRole `json:"role,omitempty"`
	DueAt  DueDate            `json:"dueAt,omitzero"`
	Note   *string            `json:"note,omitempty" maxLength:"5000"`
}

func (b Assign) change() db.AssignmentChange {
	return db.AssignmentChange{Role: b.Role, Note: b.Note, DueAt: b.DueAt.change()}
}

// whom is the user that a request names, or the caller.
func whom(ctx context.Context, userID string) (string, error) {
	userID = cmp.Or(userID, auth.From(ctx).UserID)
	if !isID(userID) {
		return "", invalid("body.userId", "names no member of this team")
	}
	return userID, nil
}

// assign gives somebody work on to.
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

// orNothing is what is behind an optional body, or the zero value.
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
	Done   *bool                `json:"done,omitempty" doc:"true is the status done, false is open"`
}

// change is b for the database; what has nothing to change is done.
func (b AssignmentUpdate) change() (db.AssignmentChange, error) {
	c := b.Assign.change()
	c.Status = b.Status
	if b.Done != nil {
		status := db.AssignmentOpen
		if *b.Done {
			status = db.AssignmentDone
		}
		if b.Status != nil && *b.Status != status {
			return c, invalid("body.done", "says something else than status")
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

// mayChange is Forbidden to who neither has the work, nor assigned it, nor is an
// admin.
func mayChange(ctx context.Context, rows ...db.Assignment) error {
	p := auth.From(ctx)
	for _, row := range rows {
		if p.Role != db.Admin && p.UserID != row.UserID && p.UserID != text(row.CreatedBy) {
			return fault.New(fault.Forbidden, "this is for the assignee, whoever assigned them, and admins of the team")
		}
	}
	return nil
}

// changeAssignment changes the work on to that ref names.
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

// Unassign is whose work is taken away.
type Unassign struct {
	UserID string `json:"userId,omitempty" maxLength:"36" doc:"The caller by default"`
	All    bool   `json:"all,omitempty" doc:"Everybody's"`
}

// Unassigned is what was taken away.
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

// Work is what is to be done, and by whom.
type Work struct {
	List[WorkItem]
	Open    int          `json:"open"`
	Due     int          `json:"due" doc:"Of these, within the next seven days"`
	Overdue int          `json:"overdue" doc:"Of these, past their due date"`
	People  []PersonWork `json:"people" nullable:"false" doc:"Those with most overdue first"`
}

// WorkItem is an assignment with what it is about.
type WorkItem struct {
	Assignment
	Name     string  `json:"name" doc:"Of the file or the matter"`
	Matter   *string `json:"matter,omitempty" doc:"The name of the matter, of the file's where a file is assigned"`
	InMatter *string `json:"inMatterId,omitempty" doc:"Its id"`
	Overdue  bool    `json:"overdue"`
}

// PersonWork is how much one person has to do.
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

// WorkPage is how work is asked for.
type WorkPage struct {
	Page
	OnlyOverdue bool `query:"overdue" doc:"Only what is past its due date"`
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
	UserID string `query:"userId" format:"uuid" doc:"Of one person"`
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

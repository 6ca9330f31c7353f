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
	files := a.area("Files", withSession)
	create(a, files, "/api/files/{fileId}/assign", "Assign a user to the document", a.assignFile, eitherWay[Assign](a), describe(
		either+"Without a user it is the caller, without a role a reviewer. The assignee is notified, and so is who is mentioned in the note, "+
			"as an at sign before their e-mail address. Who is assigned already is 409."))
	put(files, "/api/files/{fileId}/assign", "Update the assignment", a.updateFileAssignment, eitherWay[AssignmentUpdate](a), describe(
		either+"Without a user it is the caller's own. Without anything to change it is done."))
	del(files, "/api/files/{fileId}/assign", "Remove assignments", a.unassignFile, eitherWay[Unassign](a), describe(
		either+"Without a user it is the caller's own; with `all` that of everybody."))
	get(files, "/api/files/{fileId}/assignments", "List assignments", a.listFileAssignments, describe("The first assigned first."))

	matters := a.area("Matters", withSession)
	get(matters, "/api/matters/{matterId}/assignments", "List assignments", a.listMatterAssignments, describe("The first assigned first."))
	create(a, matters, "/api/matters/{matterId}/assignments", "Create an assignment", a.assignMatter, describe(
		"Without a user it is the caller, without a role a reviewer. The assignee is notified, and so is who is mentioned in the note. "+
			"Who is assigned already is 409."))
	del(matters, "/api/matters/{matterId}/assignments/{assignmentId}", "Delete an assignment", a.deleteMatterAssignment)

	const work = "Assignments that are not done, the most urgent first, and how many each person has; those due within the next seven days and those overdue. " +
		"Matters that are closed or cancelled do not count. "
	get(matters, "/api/matters/work", "Work across matters", a.mattersWork, describe(work+"On matters and their files."))
	get(matters, "/api/matters/{matterId}/work", "Work of the matter", a.matterWork, describe(work+"On the matter and its files."))
	get(a.area("Teams and users", withSession), "/api/users/{userId}/work", "Work of a user", a.userWork, describe(
		work+"Of one member of the team, on files and matters. Somebody else is 404."))
}

// Assignment is a person's work on a file or a matter.
type Assignment struct {
	ID        string            `json:"id"`
	FileID    *string           `json:"fileId,omitempty"`
	MatterID  *string           `json:"matterId,omitempty"`
	UserID    string            `json:"userId"`
	UserName  string            `json:"userName"`
	UserEmail string            `json:"userEmail"`
	Role      db.AssignmentRole `json:"role"`
	Note      string            `json:"note"`
	DueAt     *time.Time        `json:"dueAt"`
	Done      bool              `json:"done"`
	DoneAt    *time.Time        `json:"doneAt,omitempty"`
	CreatedBy *string           `json:"createdBy"`
	CreatedAt time.Time         `json:"createdAt"`
	UpdatedAt time.Time         `json:"updatedAt"`
}

func newAssignment(a db.Assignment) Assignment {
	return Assignment{
		ID: a.ID, FileID: a.FileID, MatterID: a.MatterID, UserID: a.UserID, UserName: a.UserName, UserEmail: a.UserEmail, Role: a.Role,
		Note: a.Note, DueAt: utc(a.DueAt), Done: a.DoneAt != nil, DoneAt: utc(a.DoneAt), CreatedBy: a.CreatedBy,
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

// AssignmentUpdate is what changes about an assignment.
type AssignmentUpdate struct {
	Assign
	Done *bool `json:"done,omitempty"`
}

func (a *API) updateFileAssignment(ctx context.Context, in *struct {
	FileRef
	Body *AssignmentUpdate
}) (Assignment, error) {
	body := orNothing(in.Body)
	change := body.change()
	if change.Done = body.Done; change == (db.AssignmentChange{}) {
		done := true
		change.Done = &done
	}
	var row db.Assignment
	err := a.DB.InTx(ctx, func(tx *db.Tx) (err error) {
		if _, err := tx.FileState(ctx, auth.Scope(ctx), in.FileID); err != nil {
			return err
		}
		user, err := whom(ctx, body.UserID)
		if err != nil {
			return err
		}
		row, err = tx.UpdateAssignment(ctx, auth.Scope(ctx), db.Assignee{FileID: in.FileID}, user, change)
		return err
	})
	return newAssignment(row), err
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
		rows, err = tx.Unassign(ctx, scope, db.Assignee{FileID: in.FileID}, user)
		if err == nil && len(rows) == 0 && !body.All {
			err = fault.New(fault.NotFound, "not found")
		}
		return err
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
		return tx.DeleteAssignment(ctx, auth.Scope(ctx), db.Assignee{MatterID: in.MatterID}, in.AssignmentID)
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
	people, err := a.DB.WorkByPerson(ctx, scope, filter)
	out := Work{
		List:   newPage(rows, in.Limit, "work", newWorkItem, func(w db.Work) string { return dueCursor(w.DueAt, w.ID) }),
		People: newList(people, func(p db.PersonWork) PersonWork { return PersonWork(p) }).Items,
	}
	for _, p := range people {
		out.Open, out.Due, out.Overdue = out.Open+p.Open, out.Due+p.Due, out.Overdue+p.Overdue
	}
	out.Total = &out.Open
	return out, err
}

func (a *API) mattersWork(ctx context.Context, in *struct {
	WorkPage
	UserID string `query:"userId" maxLength:"36" doc:"Of one person"`
}) (Work, error) {
	if in.UserID != "" && !isID(in.UserID) {
		return Work{List: List[WorkItem]{Items: []WorkItem{}}, People: []PersonWork{}}, nil
	}
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

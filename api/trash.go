package api

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/blob"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/jobs"
)

// trash serves deleted things that can be restored.
func (a *API) trash() {
	session := a.area("Trash", withSession)
	get(session, "/api/trash", "listTrash", "List what can be restored", a.listTrash, describe(
		"Deleted things, the latest first. They are hidden from lists, searches, counts and exports. They can be restored until `expiresAt`; then they are purged. "+
			"Deleted chats are listed for their participants only, saved searches for their owners only."))
	post(session, "/api/trash/restore", "bulkRestoreTrash", "Restore many entries of the trash", a.restoreMany, status(http.StatusAccepted), body(maxBulkBody), describe(
		"Restores the entries in `ids`, at most 10,000, or with `operationId` all that a bulk operation deleted. A job restores them; the operation shows its progress, "+
			"and the entries that failed because their name is taken."))
	post(session, "/api/trash/{id}/restore", "restoreTrash", "Restore an entry of the trash", a.restoreTrash, describe(
		"Restores ids, text, values and what users set. A container gets its contents back, except those that were moved elsewhere since; "+
			"a thing returns to its container if that exists. A taken name is 409; `name` sets another. A widget whose position is taken moves to the first free one. "+
			"A file that was being processed when it was deleted is processed again. An entry that was restored before is 404."))
	del(session, "/api/trash/{id}", "purgeTrash", "Purge an entry of the trash", a.purgeTrash, admins, describe(
		"Deletes it for good, before `expiresAt`: files and their versions, texts, search index, stored answers and notifications about it. The audit log keeps ids only."))
}

// TrashEntry is something that was deleted.
type TrashEntry struct {
	ID          string         `json:"id" doc:"Id of the entry in the trash"`
	Kind        db.TrashKind   `json:"kind"`
	ResourceID  string         `json:"resourceId" doc:"Id of the deleted thing, which it has again when restored; the key of a tag"`
	Name        string         `json:"name"`
	DeletedAt   time.Time      `json:"deletedAt"`
	DeletedBy   *string        `json:"deletedBy" doc:"Id of the user; null where an API key deleted it"`
	ExpiresAt   time.Time      `json:"expiresAt" doc:"When it is purged"`
	OperationID *string        `json:"operationId,omitempty" doc:"The bulk operation that deleted it"`
	Held        map[string]int `json:"held" doc:"What is restored with it, counted by kind: files, matters, categories, assignments, participants, changes (proposed), decisions (about sentences)"`
}

func (a *API) newTrashEntry(e db.TrashEntry) TrashEntry {
	return TrashEntry{
		ID: e.ID, Kind: e.Kind, ResourceID: e.ResourceID, Name: e.Name, DeletedAt: e.DeletedAt.UTC(), DeletedBy: e.DeletedBy,
		ExpiresAt: e.DeletedAt.UTC().Add(a.Trash), OperationID: e.OperationID, Held: e.Counts,
	}
}

func (a *API) listTrash(ctx context.Context, in *struct {
	Page
	Kind []db.TrashKind `query:"kind" doc:"Any of these"`
	Q    string         `query:"q" maxLength:"200" doc:"Part of the name, ignoring case"`
}) (List[TrashEntry], error) {
	scope := auth.Scope(ctx)
	after, err := in.idPlace("trash")
	if err != nil {
		return List[TrashEntry]{}, err
	}
	filter := db.TrashFilter{Kinds: words(in.Kind), Name: in.Q}
	rows, err := a.DB.Trash(ctx, scope, filter, after, in.Limit+1)
	if err != nil {
		return List[TrashEntry]{}, err
	}
	total, err := a.DB.CountTrash(ctx, scope, filter)
	page := newPage(rows, in.Limit, "trash", a.newTrashEntry, func(e db.TrashEntry) string { return e.ID })
	page.Total = &total
	return page, err
}

// TrashRef is the request of every operation on one thing in the trash.
type TrashRef struct {
	ID string `path:"id" format:"uuid" doc:"Id of the entry in the trash"`
}

func (a *API) restoreTrash(ctx context.Context, in *struct {
	TrashRef
	Body *struct {
		Name string `json:"name,omitempty" maxLength:"200" doc:"New name, where the old one is taken"`
	}
}) (TrashEntry, error) {
	name := ""
	if in.Body != nil {
		name = cleanTitle(in.Body.Name)
		if name == "" && in.Body.Name != "" {
			return TrashEntry{}, invalid("body.name", "has no printable characters")
		}
	}
	return inTx(ctx, a, a.newTrashEntry, func(tx *db.Tx, scope db.Scope) (db.TrashEntry, error) {
		back, err := tx.RestoreTrash(ctx, scope, []string{in.ID}, name, a.Search.Immediate())
		if err != nil {
			return db.TrashEntry{}, err
		}
		if len(back.Entries) == 0 {
			return db.TrashEntry{}, fault.New(fault.NotFound, "not found")
		}
		entry := back.Entries[0]
		if auth.From(ctx).Role == db.Viewer && entry.Kind != db.TrashedChat && entry.Kind != db.TrashedSavedSearch {
			return db.TrashEntry{}, errMembers
		}
		return entry, a.settle(ctx, tx, back.Files, back.Reading)
	})
}

// settle queues the jobs that follow from deleting or restoring files, such as
// processing restored ones.
func (a *API) settle(ctx context.Context, tx *db.Tx, files []string, reading []db.File) error {
	if len(files) == 0 {
		return nil
	}
	scope := auth.Scope(ctx)
	next := []jobs.Args{jobs.SettleFiles{TeamID: scope.TeamID, FileIDs: files}}
	for _, f := range reading {
		next = append(next, jobs.ReceiveFile{File: jobs.File{FileID: f.ID, TeamID: scope.TeamID, Attempt: f.Attempt, Bulk: f.Bulk}})
	}
	return jobs.Insert(ctx, a.Jobs, tx.Raw, next...)
}

// RestoreAccepted is the answer to a bulk restore, which continues in the background.
type RestoreAccepted struct {
	Message     string   `json:"message"`
	OperationID string   `json:"operationId"`
	StatusURL   string   `json:"statusUrl" doc:"URL of the operation, which reports the progress"`
	Accepted    int      `json:"accepted" doc:"How many entries are restored"`
	NotFound    []string `json:"notFound" nullable:"false" doc:"Ids that are not in the trash"`
}

func (r RestoreAccepted) location() string { return r.StatusURL }

func (a *API) restoreMany(ctx context.Context, in *struct {
	Body struct {
		IDs         []string `json:"ids,omitempty" maxItems:"10000" nullable:"false" doc:"Ids of entries in the trash"`
		OperationID string   `json:"operationId,omitempty" maxLength:"36" doc:"Restores all that this bulk operation deleted"`
	}
}) (RestoreAccepted, error) {
	if (in.Body.IDs == nil) == (in.Body.OperationID == "") {
		return RestoreAccepted{}, invalid("body", "must have either ids or operationId")
	}
	if in.Body.OperationID != "" && !isID(in.Body.OperationID) {
		return RestoreAccepted{}, invalid("body.operationId", "is not an id")
	}
	scope := auth.Scope(ctx)
	ids, err := a.DB.TrashIDs(ctx, scope, db.TrashFilter{IDs: onlyIDs(in.Body.IDs), Operation: in.Body.OperationID}, maxBulk)
	if err != nil {
		return RestoreAccepted{}, err
	}
	var op db.Operation
	err = a.DB.InTx(ctx, func(tx *db.Tx) (err error) {
		if op, err = tx.CreateOperation(ctx, scope, "restore", len(ids), nil); err != nil {
			return err
		}
		if err := tx.Audit(ctx, scope, "trash.restore", "operation", op.ID, map[string]any{"things": len(ids)}); err != nil {
			return err
		}
		if len(ids) == 0 {
			return tx.FinishOperation(ctx, scope, op.ID, nil, "")
		}
		return jobs.Insert(ctx, a.Jobs, tx.Raw, jobs.RestoreTrash{
			OperationID: op.ID, TeamID: scope.TeamID, ActorKind: scope.ActorKind, ActorID: scope.ActorID, Admin: scope.Admin, EntryIDs: ids,
		})
	})
	return RestoreAccepted{
		Message: "restoring queued", OperationID: op.ID, StatusURL: "/api/operations/" + op.ID, Accepted: len(ids),
		NotFound: list(without(in.Body.IDs, ids)),
	}, err
}

// onlyIDs are the elements of a list that have the form of ids; nil stays nil.
func onlyIDs(all []string) []string {
	if all == nil {
		return nil
	}
	ids := []string{}
	for _, id := range all {
		if isID(id) {
			ids = append(ids, id)
		}
	}
	return ids
}

func (a *API) purgeTrash(ctx context.Context, in *TrashRef) (Message, error) {
	var gone []db.PurgedFile
	err := a.DB.InTx(ctx, func(tx *db.Tx) (err error) {
		gone, err = a.purge(ctx, tx, in.ID)
		return err
	})
	if err == nil {
		a.forgetBytes(ctx, gone)
	}
	return Message{"it was purged"}, err
}

// purge deletes an entry for good, and queues the removal of what is left of its files
// outside of the database.
func (a *API) purge(ctx context.Context, tx *db.Tx, id string) ([]db.PurgedFile, error) {
	scope := auth.Scope(ctx)
	gone, err := tx.PurgeTrash(ctx, scope, id)
	if err != nil || len(gone.Files) == 0 {
		return nil, err
	}
	list := make([]jobs.Args, len(gone.Files))
	for i, f := range gone.Files {
		list[i] = jobs.PurgeFile{FileID: f.ID, TeamID: scope.TeamID, Bytes: f.Bytes}
	}
	return gone.Files, jobs.Insert(ctx, a.Jobs, tx.Raw, list...)
}

// forgetBytes removes the bytes of purged files before the answer is sent. The jobs
// remove what fails here.
func (a *API) forgetBytes(ctx context.Context, files []db.PurgedFile) {
	for _, f := range files {
		a.forgetFile(ctx, f)
	}
}

func (a *API) forgetFile(ctx context.Context, f db.PurgedFile) {
	for _, id := range f.Bytes {
		if err := a.Blobs.Delete(ctx, blob.Of(f.ID, id)); err != nil {
			a.Log.WarnContext(ctx, "bytes are left for later", slog.String("file", f.ID), slog.Any("error", err))
		}
	}
}

// Purging is the option of a DELETE to bypass the trash.
type Purging struct {
	Purge bool `query:"purge" doc:"Delete for good, without the trash"`
}

// purging describes operations that take Purging.
const purging = "What is deleted moves to the trash. With `purge`, for admins only, it is deleted for good."

// Deleted is the answer to a DELETE of what goes into the trash.
type Deleted struct {
	Message string `json:"message"`
	TrashID string `json:"trashId,omitempty" doc:"Id of the entry in the trash; absent where it was purged"`
}

// remove deletes something: into the trash, or for good if requested.
func (a *API) remove(ctx context.Context, p Purging, what string, remove func(tx *db.Tx, in db.Scope) (db.TrashEntry, error)) (Deleted, error) {
	if p.Purge && auth.From(ctx).Role != db.Admin {
		return Deleted{}, errAdmins
	}
	out := Deleted{Message: what + " was deleted"}
	var gone []db.PurgedFile
	err := a.DB.InTx(ctx, func(tx *db.Tx) error {
		entry, err := remove(tx, auth.Scope(ctx))
		if err != nil {
			return err
		}
		if p.Purge {
			gone, err = a.purge(ctx, tx, entry.ID)
			return err
		}
		out.TrashID = entry.ID
		if entry.Kind == db.TrashedFile {
			return a.settle(ctx, tx, []string{entry.ResourceID}, nil)
		}
		return nil
	})
	if err == nil {
		a.forgetBytes(ctx, gone)
	}
	return out, err
}

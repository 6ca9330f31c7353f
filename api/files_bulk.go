package api

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/jobs"
)

// filesBulk serves bulk requests. One wrong id never fails the rest.
func (a *API) filesBulk() {
	const (
		which  = " The files are selected by `fileIds`, by a `filter` with at least one condition, or by `all: true`; at most 10,000."
		change = which + " With `dryRun` nothing changes: the answer has the number of affected files and the first of them. With `expect`, another number of affected files is 409."
	)
	many := func(op *huma.Operation) {
		body(maxBulkBody)(op)
		lists("status", "errorCode")(op)
	}
	session := a.area("Files", withSession)
	post(session, "/api/files/bulk/delete", "bulkDeleteFiles", "Delete many files", a.bulkDelete, status(http.StatusAccepted), many, orPlan(a),
		describe("Deletes the selected files one by one in the background; the operation reports the progress."+change))
	post(session, "/api/files/bulk/ocr", "bulkCheckOCR", "Check many files for recognised text", a.bulkOCR, many,
		describe("Returns for each of the selected files whether it has text recognised by OCR."+which))
	post(session, "/api/files/bulk/reprocess", "bulkReprocessFiles", "Reprocess many files", a.bulkReprocess, status(http.StatusAccepted), many, orPlan(a), eitherWay[ReprocessOptions](a),
		describe("Starts a new attempt for each of the selected files, as one operation. Fair queueing shares the workers with other teams."+change+
			" With `from` classify the texts stay, and labels and document types are predicted again. A new model of document types applies only to files processed after it; "+
			"`{\"filter\": {\"documentTypeId\": …}}` applies it to the existing files of one type. What users assigned stays."))
	post(session, "/api/files/bulk/status", "bulkGetFileStatus", "Get the processing status of many files", a.bulkStatus, many,
		describe("Returns the status of each of the selected files, without estimates; `summary` has the number of files for each status."+which))
	post(session, "/api/files/bulk/update-metadata", "bulkUpdateMetadata", "Update the metadata of many files", a.bulkMetadata, status(http.StatusAccepted), many, orPlan(a),
		describe("Changes the metadata of the selected files: first `set` sets values by key, then `unset` removes keys. A file whose metadata would exceed 64 KiB is rejected. "+
			"The changes are complete when the answer is sent."+change))
	post(session, "/api/files/bulk/update-parties", "bulkUpdateParties", "Update the parties of many files", a.bulkParties, status(http.StatusAccepted), many, orPlan(a),
		describe("Changes the parties of the selected files: first `replace` sets all parties, then `remove` removes those with a name, and with a role where one is given, "+
			"then `add` adds the missing ones. Names are compared ignoring case. A file that would have more than 1,000 parties is rejected. "+
			"The changes are complete when the answer is sent."+change))
	post(session, "/api/files/bulk/update-categories", "bulkUpdateCategories", "Update the categories of many files", a.bulkCategories, status(http.StatusAccepted), many, orPlan(a),
		describe("Changes the categories of the selected files: first `replace` sets all categories, then `remove` removes some, then `add` adds others. "+
			"The changes are complete when the answer is sent."+change))
}

// Selection names the files of a bulk request, in one of three ways.
type Selection struct {
	FileIDs []string    `json:"fileIds,omitempty" maxItems:"10000" nullable:"false"`
	Filter  *FileFilter `json:"filter,omitempty" doc:"The filters of the list of files, at least one of them; status and errorCode are one value or a list"`
	All     bool        `json:"all,omitempty" doc:"Every file of the team"`
}

type bulkRequest struct{ Body Selection }

type bulkDeleteRequest struct {
	Body struct {
		Selection
		Intent
	}
}

// BulkAccepted is the answer to a bulk request that continues in the background, or to
// a dry run.
type BulkAccepted struct {
	Message     string      `json:"message"`
	OperationID string      `json:"operationId,omitempty"`
	StatusURL   string      `json:"statusUrl,omitempty" doc:"URL of the operation, which reports the progress"`
	DryRun      bool        `json:"dryRun,omitempty" doc:"true for a dry run, which changes nothing"`
	Accepted    int         `json:"accepted" doc:"Number of affected files; for a dry run, the number that would be affected"`
	First       []NamedFile `json:"first,omitempty" doc:"At most ten of the affected files; only for a dry run"`
	Rejected    []ItemError `json:"rejected" nullable:"false"`
}

// NamedFile is a file by its name.
type NamedFile struct {
	FileID string `json:"fileId"`
	Name   string `json:"name"`
}

func (r BulkAccepted) location() string { return r.StatusURL }

func (r BulkAccepted) rehearsed() bool { return r.DryRun }

func newItemErrors(errs []db.ItemError) []ItemError {
	return newList(errs, func(e db.ItemError) ItemError { return ItemError(e) }).Items
}

// ItemError is the reason why one item of a request failed.
type ItemError struct {
	FileID  string `json:"fileId,omitempty"`
	TrashID string `json:"trashId,omitempty" doc:"Id of the entry in the trash, where entries are restored"`
	Error   string `json:"error"`
}

// bulk starts a change of many files as one operation. It selects the files in the
// transaction that changes them, so that the expected number holds for the change.
// narrow removes existing files that cannot be changed; it may be nil.
func (a *API) bulk(
	ctx context.Context, s Selection, i Intent, message string,
	narrow func(tx *db.Tx, ids []string) (left []string, rejected []db.ItemError, err error),
	begin func(tx *db.Tx, ids []string, rejected []db.ItemError) (db.Operation, error),
) (out BulkAccepted, err error) {
	err = a.DB.InTx(ctx, func(tx *db.Tx) error {
		ids, missing, err := a.choose(ctx, tx.Queries, s)
		if err != nil {
			return err
		}
		rejected := reject(missing, "not found")
		if narrow != nil {
			left, unfit, err := narrow(tx, ids)
			if err != nil {
				return err
			}
			ids, rejected = left, append(rejected, unfit...)
		}
		if err := i.check(len(ids), "files"); err != nil {
			return err
		}
		if i.DryRun {
			out, err = rehearse(ctx, tx.Queries, ids, rejected)
			return err
		}
		op, err := begin(tx, ids, rejected)
		out = BulkAccepted{Message: message, OperationID: op.ID, StatusURL: operationPath(op.ID), Accepted: op.Total, Rejected: newItemErrors(op.Errors)}
		return err
	})
	return out, err
}

// rehearse is the answer to a dry run.
func rehearse(ctx context.Context, q db.Queries, ids []string, rejected []db.ItemError) (BulkAccepted, error) {
	some, _ := cut(ids, maxFirst)
	rows, err := q.Files(ctx, auth.Scope(ctx), db.FileFilter{IDs: some}, "", maxFirst)
	return BulkAccepted{
		Message: fmt.Sprintf("nothing was changed: %d files would be affected", len(ids)), DryRun: true, Accepted: len(ids),
		First: newList(rows, func(f db.File) NamedFile { return NamedFile{f.ID, f.Name} }).Items, Rejected: newItemErrors(rejected),
	}, err
}

// choose returns the selected ids that exist, and those that do not.
func (a *API) choose(ctx context.Context, q db.Queries, s Selection) (ids, missing []string, err error) {
	if err := checkSelection("fileIds", s.FileIDs != nil, s.Filter, s.All); err != nil {
		return nil, nil, err
	}
	filter := db.FileFilter{IDs: s.FileIDs}
	if s.Filter != nil {
		if filter, err = s.Filter.filter(ctx, q, nil); err != nil {
			return nil, nil, err
		}
	}
	if ids, err = q.FileIDs(ctx, auth.Scope(ctx), filter, maxBulk+1); err != nil {
		return nil, nil, err
	}
	if len(ids) > maxBulk {
		return nil, nil, tooMany("files")
	}
	found := make(map[string]bool, len(ids))
	for _, id := range ids {
		found[id] = true
	}
	missing = []string{}
	for _, id := range s.FileIDs {
		if !found[id] {
			found[id] = true // reported once, however often it is in the request
			missing = append(missing, id)
		}
	}
	return list(ids), missing, nil
}

// reject gives every id the same reason.
func reject(ids []string, reason string) []db.ItemError {
	errs := make([]db.ItemError, len(ids))
	for i, id := range ids {
		errs[i] = db.ItemError{FileID: id, Error: reason}
	}
	return errs
}

func (a *API) bulkDelete(ctx context.Context, in *bulkDeleteRequest) (BulkAccepted, error) {
	scope := auth.Scope(ctx)
	return a.bulk(ctx, in.Body.Selection, in.Body.Intent, "deletion queued", nil,
		func(tx *db.Tx, ids []string, rejected []db.ItemError) (db.Operation, error) {
			op, err := tx.CreateOperation(ctx, scope, "delete", len(ids), rejected)
			if err != nil {
				return op, err
			}
			if err := tx.Audit(ctx, scope, "files.delete", "operation", op.ID, map[string]any{"files": len(ids)}); err != nil {
				return op, err
			}
			if len(ids) == 0 {
				return op, tx.FinishOperation(ctx, scope, op.ID, nil, "")
			}
			return op, jobs.Insert(ctx, a.Jobs, tx.Raw, jobs.DeleteFiles{
				OperationID: op.ID, TeamID: scope.TeamID, ActorKind: scope.ActorKind, ActorID: scope.ActorID, FileIDs: ids,
			})
		})
}

type bulkReprocessRequest struct {
	Body struct {
		Selection
		Intent
		ReprocessOptions
	}
}

func (a *API) bulkReprocess(ctx context.Context, in *bulkReprocessRequest) (BulkAccepted, error) {
	options, err := a.options(ctx, in.Body.ReprocessOptions)
	if err != nil {
		return BulkAccepted{}, err
	}
	return a.bulk(ctx, in.Body.Selection, in.Body.Intent, "reprocessing queued",
		func(tx *db.Tx, ids []string) ([]string, []db.ItemError, error) {
			if !needsText(options) {
				return ids, nil, nil
			}
			with, without, err := partText(ctx, tx.Queries, ids)
			return with, reject(without, fault.Message(errNoText)), err
		},
		func(tx *db.Tx, ids []string, rejected []db.ItemError) (db.Operation, error) {
			return a.restartMany(ctx, tx, ids, options, rejected)
		})
}

// partText separates the files with text from those without.
func partText(ctx context.Context, q db.Queries, ids []string) (with, without []string, err error) {
	rows, err := q.Files(ctx, auth.Scope(ctx), db.FileFilter{IDs: ids}, "", len(ids))
	for _, row := range rows {
		if row.TextReady {
			with = append(with, row.ID)
		} else {
			without = append(without, row.ID)
		}
	}
	return with, without, err
}

// restartMany is restart for files that exist, as one operation.
func (a *API) restartMany(ctx context.Context, tx *db.Tx, ids []string, options db.FileOptions, rejected []db.ItemError) (db.Operation, error) {
	scope := auth.Scope(ctx)
	op, err := tx.CreateOperation(ctx, scope, "reprocess", len(ids), rejected)
	if err != nil {
		return op, err
	}
	if len(ids) == 0 {
		return op, tx.FinishOperation(ctx, scope, op.ID, nil, "")
	}
	if err := tx.LockFiles(ctx, scope, ids); err != nil {
		return op, err
	}
	if err := a.stop(ctx, tx, ids...); err != nil {
		return op, err
	}
	attempts, err := tx.RestartFiles(ctx, scope, ids, options)
	if err != nil {
		return op, err
	}
	if err := tx.FollowFiles(ctx, op.ID, attempts); err != nil {
		return op, err
	}
	work := make([]jobs.Args, len(attempts))
	for i, attempt := range attempts {
		work[i] = jobs.ReceiveFile{File: jobs.File{FileID: attempt.FileID, TeamID: scope.TeamID, Attempt: attempt.Number, Bulk: true}}
	}
	return op, jobs.InsertNew(ctx, a.Jobs, tx.Raw, work...)
}

// BulkStatus is the status of many files.
type BulkStatus struct {
	Items    []BulkFileStatus      `json:"items" nullable:"false"`
	Summary  map[db.FileStatus]int `json:"summary" doc:"Number of files for each status, 0 included"`
	NotFound []string              `json:"notFound" nullable:"false"`
}

// BulkFileStatus is how far one of many files was read.
type BulkFileStatus struct {
	FileID string `json:"fileId"`
	State
}

func (a *API) bulkStatus(ctx context.Context, in *bulkRequest) (BulkStatus, error) {
	ids, missing, err := a.choose(ctx, a.DB.Queries, in.Body)
	if err != nil {
		return BulkStatus{}, err
	}
	rows, err := a.DB.Files(ctx, auth.Scope(ctx), db.FileFilter{IDs: ids}, "", maxBulk)
	out := BulkStatus{
		Items:   newList(rows, func(f db.File) BulkFileStatus { return BulkFileStatus{FileID: f.ID, State: newState(f.FileState)} }).Items,
		Summary: db.CountStatuses(rows), NotFound: missing,
	}
	return out, err
}

// BulkOCR reports which files have recognised text.
type BulkOCR struct {
	Items    []FileOCR `json:"items" nullable:"false"`
	NotFound []string  `json:"notFound" nullable:"false"`
}

// FileOCR reports whether a file has recognised text.
type FileOCR struct {
	FileID     string `json:"fileId"`
	HasOCRText bool   `json:"hasOcrText"`
}

func (a *API) bulkOCR(ctx context.Context, in *bulkRequest) (BulkOCR, error) {
	ids, missing, err := a.choose(ctx, a.DB.Queries, in.Body)
	if err != nil {
		return BulkOCR{}, err
	}
	found, err := a.DB.HasOCRText(ctx, auth.Scope(ctx), ids)
	return BulkOCR{
		Items:    newList(ids, func(id string) FileOCR { return FileOCR{id, found[id]} }).Items,
		NotFound: missing,
	}, err
}

type bulkMetadataRequest struct {
	Body struct {
		Selection
		Intent
		Set   Object   `json:"set,omitempty" doc:"Keys of the metadata with their new values"`
		Unset []string `json:"unset,omitempty" maxItems:"1000" nullable:"false" doc:"Keys to remove"`
	}
}

func (a *API) bulkMetadata(ctx context.Context, in *bulkMetadataRequest) (BulkAccepted, error) {
	if in.Body.Set == nil && len(in.Body.Unset) == 0 {
		return BulkAccepted{}, invalid("body", "must have set or unset")
	}
	set, err := in.Body.Set.storable("body.set")
	if err != nil {
		return BulkAccepted{}, err
	}
	return a.bulkChange(ctx, in.Body.Selection, in.Body.Intent, "update-metadata", "the metadata would be larger than 64 KiB",
		func(tx *db.Tx, ids []string) ([]string, error) {
			return tx.ChangeMetadata(ctx, auth.Scope(ctx), ids, set, in.Body.Unset)
		})
}

type bulkPartiesRequest struct {
	Body struct {
		Selection
		Intent
		Replace *[]db.Party     `json:"replace,omitempty" maxItems:"1000"`
		Remove  []db.PartyMatch `json:"remove,omitempty" maxItems:"1000" nullable:"false"`
		Add     []db.Party      `json:"add,omitempty" maxItems:"1000" nullable:"false"`
	}
}

func (a *API) bulkParties(ctx context.Context, in *bulkPartiesRequest) (BulkAccepted, error) {
	change := db.PartyChange{Replace: in.Body.Replace, Remove: in.Body.Remove, Add: in.Body.Add}
	if change.Replace == nil && len(change.Remove)+len(change.Add) == 0 {
		return BulkAccepted{}, invalid("body", "must have add, remove or replace")
	}
	return a.bulkChange(ctx, in.Body.Selection, in.Body.Intent, "update-parties", "there would be more than 1,000 parties",
		func(tx *db.Tx, ids []string) ([]string, error) {
			return tx.ChangeParties(ctx, auth.Scope(ctx), ids, change)
		})
}

// bulkChange changes files as one operation, which ends with the request. Files that
// change does not return are rejected, with refusal as the reason.
func (a *API) bulkChange(ctx context.Context, s Selection, i Intent, kind, refusal string, change func(tx *db.Tx, ids []string) ([]string, error)) (BulkAccepted, error) {
	scope := auth.Scope(ctx)
	return a.bulk(ctx, s, i, "the files were changed", nil,
		func(tx *db.Tx, ids []string, rejected []db.ItemError) (db.Operation, error) {
			if err := tx.LockFiles(ctx, scope, ids); err != nil {
				return db.Operation{}, err
			}
			changed, err := change(tx, ids)
			if err != nil {
				return db.Operation{}, err
			}
			rejected = append(rejected, reject(without(ids, changed), refusal)...)
			op, err := tx.CreateOperation(ctx, scope, kind, len(changed), rejected)
			if err != nil {
				return op, err
			}
			return op, tx.FinishOperation(ctx, scope, op.ID, nil, "")
		})
}

// without is the elements of all that are not in some.
func without(all, some []string) []string {
	in := make(map[string]bool, len(some))
	for _, id := range some {
		in[id] = true
	}
	return slices.DeleteFunc(slices.Clone(all), func(id string) bool { return in[id] })
}

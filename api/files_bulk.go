package api

import (
	"context"
	"net/http"
	"slices"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/jobs"
)

// filesBulk serves what is asked of many files at once. One bad id never sinks
// the rest.
func (a *API) filesBulk() {
	const which = "Names the files by `fileIds` or by `filter`, at most 10,000. "
	session := a.area("Files", withSession)
	post(session, "/api/files/bulk/delete", "Bulk delete documents", a.bulkDelete, status(http.StatusAccepted), body(maxBulkBody),
		describe(which+"They go one by one in the background; the operation tells how far it is."))
	post(session, "/api/files/bulk/ocr", "Check OCR text existence for many documents", a.bulkOCR, body(maxBulkBody),
		describe(which+"Answered at once."))
	post(session, "/api/files/bulk/reprocess", "Bulk reprocess", a.bulkReprocess, status(http.StatusAccepted), body(maxBulkBody), eitherWay[ReprocessOptions](a),
		describe(which+"Each gets a new attempt, as one operation. They take turns with the work of other teams. "+
			"With `from` classify the texts stay, and clauses and types are told anew: after the team's assignments have made another model of types, which by itself tells the types of the files that are read from then on, `{\"filter\": {\"documentTypeId\": …}}` asks it about those of one type. What people assigned stays."))
	post(session, "/api/files/bulk/status", "Processing status of many documents", a.bulkStatus, body(maxBulkBody),
		describe(which+"Answered at once, without estimates."))
	post(session, "/api/files/bulk/update-metadata", "Bulk update metadata", a.bulkMetadata, status(http.StatusAccepted), body(maxBulkBody),
		describe(which+"`set` replaces members of each file's metadata, `unset` takes members away, after that. What would become larger than 64 KiB is rejected. "+
			"All of it is done when the answer comes."))
	post(session, "/api/files/bulk/update-parties", "Bulk update parties", a.bulkParties, status(http.StatusAccepted), body(maxBulkBody),
		describe(which+"`replace` gives each file other parties, then `remove` takes away those of a name, and of a role where one is given, "+
			"and `add` adds those that are not there. Names are compared in any case. What would have more than 1,000 is rejected. "+
			"All of it is done when the answer comes."))
}

const (
	maxBulk     = 10_000
	maxBulkBody = 2 << 20
)

// Selection names the files of a bulk request.
type Selection struct {
	FileIDs []string    `json:"fileIds,omitempty" maxItems:"10000" nullable:"false"`
	Filter  *FileFilter `json:"filter,omitempty" doc:"As in the list of files"`
}

type bulkRequest struct{ Body Selection }

// BulkAccepted is the answer to a bulk request whose work goes on.
type BulkAccepted struct {
	Message     string      `json:"message"`
	OperationID string      `json:"operationId"`
	StatusURL   string      `json:"statusUrl" doc:"Where to follow it"`
	Accepted    int         `json:"accepted" doc:"How many files it is about"`
	Rejected    []ItemError `json:"rejected" nullable:"false"`
}

func (r BulkAccepted) location() string { return r.StatusURL }

// ItemError is why one item of a request came to nothing.
type ItemError struct {
	FileID  string `json:"fileId,omitempty"`
	TrashID string `json:"trashId,omitempty" doc:"Where something was to be restored"`
	Error   string `json:"error"`
}

func newBulkAccepted(message string, op db.Operation, accepted int, rejected []db.ItemError) BulkAccepted {
	return BulkAccepted{
		Message: message, OperationID: op.ID, StatusURL: "/api/operations/" + op.ID, Accepted: accepted,
		Rejected: newList(rejected, func(e db.ItemError) ItemError { return ItemError(e) }).Items,
	}
}

// choose is the ids that s names and that exist, and those that do not.
func (a *API) choose(ctx context.Context, s Selection) (ids, missing []string, err error) {
	if (s.FileIDs == nil) == (s.Filter == nil) {
		return nil, nil, invalid("body", "must have either fileIds or filter")
	}
	filter := db.FileFilter{IDs: s.FileIDs}
	if s.Filter != nil {
		if filter, err = s.Filter.filter(nil); err != nil {
			return nil, nil, err
		}
	}
	if ids, err = a.DB.FileIDs(ctx, auth.Scope(ctx), filter, maxBulk+1); err != nil {
		return nil, nil, err
	}
	if len(ids) > maxBulk {
		return nil, nil, invalid("body.filter", "matches more than 10,000 files; narrow it")
	}
	found := make(map[string]bool, len(ids))
	for _, id := range ids {
		found[id] = true
	}
	missing = []string{}
	for _, id := range s.FileIDs {
		if !found[id] {
			found[id] = true // named once, however often it was asked for
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

func (a *API) bulkDelete(ctx context.Context, in *bulkRequest) (BulkAccepted, error) {
	scope := auth.Scope(ctx)
	ids, missing, err := a.choose(ctx, in.Body)
	if err != nil {
		return BulkAccepted{}, err
	}
	rejected := reject(missing, "not found")
	var op db.Operation
	err = a.DB.InTx(ctx, func(tx *db.Tx) (err error) {
		if op, err = tx.CreateOperation(ctx, scope, "delete", len(ids), rejected); err != nil {
			return err
		}
		if err := tx.Audit(ctx, scope, "files.delete", "operation", op.ID, map[string]any{"files": len(ids)}); err != nil {
			return err
		}
		if len(ids) == 0 {
			return tx.FinishOperation(ctx, scope, op.ID, nil, "")
		}
		return jobs.Insert(ctx, a.Jobs, tx.Raw, jobs.DeleteFiles{
			OperationID: op.ID, TeamID: scope.TeamID, ActorKind: scope.ActorKind, ActorID: scope.ActorID, FileIDs: ids,
		})
	})
	return newBulkAccepted("deletion queued", op, len(ids), rejected), err
}

type bulkReprocessRequest struct {
	Body struct {
		Selection
		ReprocessOptions
	}
}

func (a *API) bulkReprocess(ctx context.Context, in *bulkReprocessRequest) (BulkAccepted, error) {
	options, err := a.options(ctx, in.Body.ReprocessOptions)
	if err != nil {
		return BulkAccepted{}, err
	}
	ids, missing, err := a.choose(ctx, in.Body.Selection)
	if err != nil {
		return BulkAccepted{}, err
	}
	rejected := reject(missing, "not found")
	if needsText(options) {
		var without []string
		if ids, without, err = a.partText(ctx, ids); err != nil {
			return BulkAccepted{}, err
		}
		rejected = append(rejected, reject(without, fault.Message(errNoText))...)
	}
	var op db.Operation
	err = a.DB.InTx(ctx, func(tx *db.Tx) (err error) {
		op, err = a.restartMany(ctx, tx, ids, options, rejected)
		return err
	})
	return newBulkAccepted("reprocessing queued", op, len(ids), rejected), err
}

// partText parts the files that have text from those without.
func (a *API) partText(ctx context.Context, ids []string) (with, without []string, err error) {
	rows, err := a.DB.Files(ctx, auth.Scope(ctx), db.FileFilter{IDs: ids}, "", len(ids))
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
	return op, jobs.Insert(ctx, a.Jobs, tx.Raw, work...)
}

// BulkStatus is the status of many files.
type BulkStatus struct {
	Items    []FileStatus `json:"items" nullable:"false"`
	NotFound []string     `json:"notFound" nullable:"false"`
}

func (a *API) bulkStatus(ctx context.Context, in *bulkRequest) (BulkStatus, error) {
	ids, missing, err := a.choose(ctx, in.Body)
	if err != nil {
		return BulkStatus{}, err
	}
	rows, err := a.DB.Files(ctx, auth.Scope(ctx), db.FileFilter{IDs: ids}, "", maxBulk)
	return BulkStatus{
		Items:    newList(rows, func(f db.File) FileStatus { return FileStatus{ID: f.ID, State: newState(f.FileState)} }).Items,
		NotFound: missing,
	}, err
}

// BulkOCR tells which files have recognised text.
type BulkOCR struct {
	Items    []FileOCR `json:"items" nullable:"false"`
	NotFound []string  `json:"notFound" nullable:"false"`
}

// FileOCR tells whether a file has recognised text.
type FileOCR struct {
	FileID     string `json:"fileId"`
	HasOCRText bool   `json:"hasOcrText"`
}

func (a *API) bulkOCR(ctx context.Context, in *bulkRequest) (BulkOCR, error) {
	ids, missing, err := a.choose(ctx, in.Body)
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
		Set   Object   `json:"set,omitempty" doc:"Members of the metadata with their values"`
		Unset []string `json:"unset,omitempty" maxItems:"1000" nullable:"false" doc:"Names of members"`
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
	return a.bulkChange(ctx, in.Body.Selection, "update-metadata", "the metadata would be larger than 64 KiB",
		func(tx *db.Tx, ids []string) ([]string, error) {
			return tx.ChangeMetadata(ctx, auth.Scope(ctx), ids, set, in.Body.Unset)
		})
}

type bulkPartiesRequest struct {
	Body struct {
		Selection
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
	return a.bulkChange(ctx, in.Body.Selection, "update-parties", "there would be more than 1,000 parties",
		func(tx *db.Tx, ids []string) ([]string, error) {
			return tx.ChangeParties(ctx, auth.Scope(ctx), ids, change)
		})
}

// bulkChange changes files as one operation, which ends with the request. Those
// that do not come back from change are rejected, with refusal as the reason.
func (a *API) bulkChange(ctx context.Context, s Selection, kind, refusal string, change func(tx *db.Tx, ids []string) ([]string, error)) (BulkAccepted, error) {
	scope := auth.Scope(ctx)
	ids, missing, err := a.choose(ctx, s)
	if err != nil {
		return BulkAccepted{}, err
	}
	var op db.Operation
	var changed []string
	var rejected []db.ItemError
	err = a.DB.InTx(ctx, func(tx *db.Tx) error {
		if err := tx.LockFiles(ctx, scope, ids); err != nil {
			return err
		}
		if changed, err = change(tx, ids); err != nil {
			return err
		}
		rejected = append(reject(missing, "not found"), reject(without(ids, changed), refusal)...)
		if op, err = tx.CreateOperation(ctx, scope, kind, len(changed), rejected); err != nil {
			return err
		}
		return tx.FinishOperation(ctx, scope, op.ID, nil, "")
	})
	return newBulkAccepted("the files were changed", op, len(changed), rejected), err
}

// without is what of all is not in some.
func without(all, some []string) []string {
	in := make(map[string]bool, len(some))
	for _, id := range some {
		in[id] = true
	}
	return slices.DeleteFunc(slices.Clone(all), func(id string) bool { return in[id] })
}

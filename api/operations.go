package api

import (
	"context"
	"encoding/json"
	"time"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/jobs"
)

// operations serves the progress of work that continues after its request was
// answered.
func (a *API) operations() {
	session := a.area("Operations", withSession)
	get(session, "/api/operations", "listOperations", "List operations", a.listOperations, describe("Lists the operations of the last thirty days, newest first."))
	get(session, "/api/operations/{id}", "getOperation", "Get an operation", a.getOperation, describe(
		"Returns the progress of an operation and, once it has ended, its result and errors."))
	post(session, "/api/operations/{id}/cancel", "cancelOperation", "Cancel an operation", a.cancelOperation, describe(
		"Cancels an operation. Completed steps stay, and `done` counts them. Further steps are not started. Running steps are stopped within two seconds and leave nothing half done. "+
			"Processing attempts that the operation started are cancelled, as by `PUT /api/files/{fileId}/status?status=cancelled`: the text from earlier attempts stays. "+
			"An operation that is cancelled already stays so; one that has ended otherwise is 409."))
}

// Operation is work that can be followed.
type Operation struct {
	ID         string          `json:"id"`
	Kind       string          `json:"kind" doc:"Kind of work, such as reprocess, index, analysis, analyze, relabel, propose, delete, merge, execute, update-metadata, update-parties"`
	State      string          `json:"state" enum:"running,completed,failed,cancelled"`
	Total      int             `json:"total"`
	Done       int             `json:"done" doc:"Number of steps that have ended, failed ones included"`
	Failed     int             `json:"failed"`
	Errors     []ItemError     `json:"errors" nullable:"false"`
	Result     json.RawMessage `json:"result,omitempty" doc:"Depends on the kind"`
	CreatedAt  time.Time       `json:"createdAt"`
	FinishedAt *time.Time      `json:"finishedAt,omitempty"`
}

func newOperation(o db.Operation) Operation {
	return Operation{
		ID: o.ID, Kind: o.Kind, State: o.State, Total: o.Total, Done: o.Done, Failed: o.Failed,
		Errors: newItemErrors(o.Errors),
		Result: o.Result, CreatedAt: o.CreatedAt.UTC(), FinishedAt: utc(o.FinishedAt),
	}
}

func (a *API) listOperations(ctx context.Context, in *Page) (List[Operation], error) {
	after, err := in.place("operations")
	if err != nil {
		return List[Operation]{}, err
	}
	rows, err := a.DB.Operations(ctx, auth.Scope(ctx), after, in.Limit+1)
	if err != nil {
		return List[Operation]{}, err
	}
	rows, more := cut(rows, in.Limit)
	operations := newList(rows, newOperation)
	if more {
		operations.NextCursor = cursor("operations", last(rows).ID)
	}
	return operations, nil
}

func operationPath(id string) string { return "/api/operations/" + id }

// IDRef is the request of every operation on something with an id.
type IDRef struct {
	ID string `path:"id" format:"uuid"`
}

func (a *API) getOperation(ctx context.Context, in *IDRef) (Operation, error) {
	row, err := a.DB.Operation(ctx, auth.Scope(ctx), in.ID)
	return newOperation(row), err
}

// cancelOperation cancels an operation of any kind, by cancelling its jobs and the
// attempts that it follows.
func (a *API) cancelOperation(ctx context.Context, in *IDRef) (Operation, error) {
	err := a.DB.InTx(ctx, func(tx *db.Tx) error {
		running, err := tx.CancelOperation(ctx, auth.Scope(ctx), in.ID)
		if err != nil {
			return err
		}
		return jobs.Cancel(ctx, a.Jobs, tx.Raw, running)
	})
	if err != nil {
		return Operation{}, err
	}
	return a.getOperation(ctx, in)
}

// Accepted is the answer to a request whose work continues in the background.
type Accepted struct {
	Message     string `json:"message"`
	OperationID string `json:"operationId"`
	FileID      string `json:"fileId,omitempty"`
	StatusURL   string `json:"statusUrl" doc:"URL of the operation, which reports the progress"`
}

func newAccepted(message string, op db.Operation, fileID string) Accepted {
	return Accepted{Message: message, OperationID: op.ID, FileID: fileID, StatusURL: operationPath(op.ID)}
}

func (r Accepted) location() string { return r.StatusURL }

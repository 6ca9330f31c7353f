package api

import (
	"context"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
)

// filesLifecycle sets and reads the lifecycle stage of contracts.
func (a *API) filesLifecycle() {
	session := a.area("Files", withSession)
	put(session, "/api/files/{fileId}/lifecycle-stage", "setLifecycleStage", "Set the lifecycle stage of a file", a.setLifecycleStage, eitherWay[LifecycleStep](a), describe(
		"Moves the file to another lifecycle stage. In order, the stages are draft, review, negotiation, approval, signature, active, expired or terminated, archived. "+
			"A file may move forward by any number of stages, back by one, and to archived from any stage; any other step is 409. Only admins may move a file out of archived, to any stage. "+
			"`stage` is a query parameter or in the body; without it the file moves one stage forward."))
	del(session, "/api/files/{fileId}/lifecycle-stage", "withdrawLifecycleStage", "Withdraw the lifecycle stage of a file", a.withdrawLifecycleStage, describe(
		"Undoes the last change of the stage, forward or back: the file returns to the stage before. Only admins may withdraw archived. "+
			"Where the stage was never changed, or the last change was withdrawn already, it is 409."))
}

// LifecycleChange is a change of the lifecycle stage.
type LifecycleChange struct {
	Message        string            `json:"message"`
	ID             string            `json:"id"`
	LifecycleStage db.LifecycleStage `json:"lifecycleStage"`
	Previous       db.LifecycleStage `json:"previous"`
}

// LifecycleStep is the new lifecycle stage.
type LifecycleStep struct {
	Stage db.LifecycleStage `json:"stage,omitempty"`
}

func (a *API) setLifecycleStage(ctx context.Context, in *struct {
	FileRef
	Body *LifecycleStep
}) (LifecycleChange, error) {
	return a.moveLifecycle(ctx, func(tx *db.Tx) (db.LifecycleStage, db.File, error) {
		return toStage(ctx, tx, in.FileID, orNothing(in.Body).Stage)
	})
}

func (a *API) withdrawLifecycleStage(ctx context.Context, in *FileRef) (LifecycleChange, error) {
	return a.moveLifecycle(ctx, func(tx *db.Tx) (db.LifecycleStage, db.File, error) {
		before, after, err := tx.WithdrawLifecycleStage(ctx, auth.Scope(ctx), in.FileID)
		return before, after, mayLeave(ctx, before, err)
	})
}

// toStage moves a file to a lifecycle stage, or one stage forward if stage is empty.
func toStage(ctx context.Context, tx *db.Tx, fileID string, stage db.LifecycleStage) (before db.LifecycleStage, after db.File, err error) {
	before, after, err = tx.SetLifecycleStage(ctx, auth.Scope(ctx), fileID, stage)
	return before, after, mayLeave(ctx, before, err)
}

// mayLeave is err. If that is nil and the stage before was archived, it is errAdmins
// for callers other than admins.
func mayLeave(ctx context.Context, before db.LifecycleStage, err error) error {
	if err == nil && before == db.Archived && auth.From(ctx).Role != db.Admin {
		return errAdmins
	}
	return err
}

// moveLifecycle runs a change of the lifecycle stage, and answers with it.
func (a *API) moveLifecycle(ctx context.Context, step func(tx *db.Tx) (db.LifecycleStage, db.File, error)) (LifecycleChange, error) {
	var out LifecycleChange
	err := a.DB.InTx(ctx, func(tx *db.Tx) error {
		before, after, err := step(tx)
		out = LifecycleChange{
			Message: "the stage is now " + string(after.LifecycleStage), ID: after.ID,
			LifecycleStage: after.LifecycleStage, Previous: before,
		}
		return err
	})
	return out, err
}

package worker

import (
	"context"
	"encoding/json"

	"github.com/riverqueue/river"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/draft"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/jobs"
	"github.com/clausemill/clausemill/redline"
)

// carryChanges moves the open changes of a file along to its current version.
// What cannot come along is stale, with the reason.
type carryChanges struct {
	river.WorkerDefaults[jobs.CarryChanges]
	*Worker
}

// Work carries the changes of one file. A version that was not read far enough
// has nothing that they could be anchored in: when it is read they are carried.
func (w *carryChanges) Work(ctx context.Context, job *river.Job[jobs.CarryChanges]) error {
	in := db.System(job.Args.TeamID)
	file, err := w.DB.File(ctx, in, job.Args.DocumentID)
	if err != nil {
		return err
	}
	carried, lost, err := w.carried(ctx, in, file)
	if err != nil && fault.KindOf(err) != fault.Conflict {
		return err
	}
	return w.DB.InTx(ctx, func(tx *db.Tx) error {
		held, err := tx.FileForUpdate(ctx, in, file.ID)
		if err != nil {
			return err
		}
		if held.CurrentVersion == file.CurrentVersion { // of the next version another job takes care
			if err := tx.CarryChanges(ctx, in, held, carried, lost); err != nil {
				return err
			}
		}
		return jobs.Follow(ctx, tx.Raw, tx, job)
	})
}

// carried is where the open changes of earlier versions are in the current one,
// and why some are nowhere.
func (w *carryChanges) carried(ctx context.Context, in db.Scope, file db.File) (carried []db.Change, lost map[string]json.RawMessage, err error) {
	rows, err := w.DB.Changes(ctx, in, file.ID)
	if err != nil {
		return nil, nil, err
	}
	earlier := map[int][]redline.Change{}
	for _, row := range rows {
		if row.Status != db.ChangeProposed || row.Version >= file.CurrentVersion {
			continue
		}
		var c redline.Change
		if err := json.Unmarshal(row.Body, &c); err != nil {
			return nil, nil, fault.Wrap(fault.Internal, "a change cannot be read", err)
		}
		earlier[row.Version] = append(earlier[row.Version], c)
	}
	if len(earlier) == 0 {
		return nil, nil, nil
	}
	to, err := draft.Read(ctx, w.DB, w.Blobs, w.Pictures, in, file)
	if err != nil {
		return nil, nil, err
	}
	lost = map[string]json.RawMessage{}
	for version, changes := range earlier {
		from, err := w.documentOf(ctx, in, file.ID, version)
		if err != nil {
			return nil, nil, err
		}
		found, failed, err := redline.Carry(from, to.Data, changes)
		if err != nil {
			return nil, nil, err
		}
		for _, c := range found {
			row := db.Change{ID: c.ID}
			if row.Body, err = json.Marshal(c.Change); err != nil {
				return nil, nil, err
			}
			if c.Resolved != nil {
				if row.Resolved, err = json.Marshal(c.Resolved); err != nil {
					return nil, nil, err
				}
			}
			carried = append(carried, row)
		}
		for _, f := range failed {
			if lost[f.ID], err = json.Marshal(redline.Refused{ID: f.ID, Code: string(f.Err.Code), Error: f.Err.Message}); err != nil {
				return nil, nil, err
			}
		}
	}
	return carried, lost, nil
}

// documentOf is the document behind an earlier version, nil where that was never
// read.
func (w *carryChanges) documentOf(ctx context.Context, in db.Scope, fileID string, version int) ([]byte, error) {
	file, err := w.DB.FileAt(ctx, in, fileID, version)
	if err != nil {
		return nil, err
	}
	d, err := draft.Read(ctx, w.DB, w.Blobs, w.Pictures, in, file)
	if fault.KindOf(err) == fault.Conflict {
		return nil, nil
	}
	return d.Data, err
}

package db

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/clausemill/clausemill/fault"
)

// IndexFileKind is the kind of jobs that index a file each.
const IndexFileKind = "index_file"

// AdoptIndexJobs ends waiting jobs of IndexFileKind whose files the caller indexes
// along with its own, and returns those files. Nobody else gets them; if the
// caller dies, they are found by StaleIndexing.
func (q Queries) AdoptIndexJobs(ctx context.Context, limit int) ([]FileRef, error) {
	encoded, err := values[json.RawMessage](ctx, q, `
		UPDATE river_job SET state = 'completed', finalized_at = now()
		WHERE id IN (
			SELECT id FROM river_job WHERE kind = @kind AND state = 'available'
			ORDER BY id LIMIT @limit FOR UPDATE SKIP LOCKED
		)
		RETURNING args`, args{"kind": IndexFileKind, "limit": limit})
	if err != nil {
		return nil, err
	}
	refs := make([]FileRef, len(encoded))
	for i, b := range encoded {
		var a struct {
			TeamID string `json:"team_id"`
			FileID string `json:"file_id"`
		}
		if err := json.Unmarshal(b, &a); err != nil {
			return nil, err
		}
		refs[i] = FileRef{TeamID: a.TeamID, FileID: a.FileID}
	}
	return refs, nil
}

// FinishIndexing records that a file's text up to a generation can be found, and
// ends an attempt that was waiting for it. A file that was completed without
// its index loses the warning, and one that failed for the want of it is completed.
func (t *Tx) FinishIndexing(ctx context.Context, in Scope, fileID string, generation int) error {
	f, err := t.FileForUpdate(ctx, in, fileID)
	if err != nil {
		return err
	}
	if err := t.SetIndexed(ctx, in, fileID, generation); err != nil {
		return err
	}
	if generation < f.Generation {
		return nil // a newer text is on its way
	}
	warnings := slices.DeleteFunc(f.Warnings, func(w Warning) bool { return w.Code == IndexPending })
	if len(warnings) < len(f.Warnings) || f.waitsForIndex() {
		if _, err := exec(ctx, t.Queries, `UPDATE files SET warnings = @warnings WHERE id = @id`, args{"id": fileID, "warnings": warnings}); err != nil {
			return err
		}
	}
	switch {
	case f.waitsForIndex():
		return t.CompleteAttempt(ctx, in, Attempt{FileID: fileID, Number: f.Attempt})
	case f.Status == FileWithWarnings && len(warnings) == 0,
		f.Status == FileFailed && f.ErrorCode != nil && *f.ErrorCode == string(fault.IndexUnavailable) && !f.Searchable():
		return t.endAttempt(ctx, in, f, goodEnd(warnings), args{})
	}
	return nil
}

// goodEnd is the good end of an attempt, of which warnings make the difference.
func goodEnd(warnings []Warning) FileStatus {
	if len(warnings) > 0 {
		return FileWithWarnings
	}
	return FileCompleted
}

// errIndex is why an attempt failed that was about nothing but the index.
var errIndex = fault.File(fault.IndexUnavailable, "the search engine is not available", nil)

// CompleteUnindexed ends an attempt whose text cannot be indexed now: the text is
// complete, with a warning that search finds it later. An attempt that is still
// analysed continues, with the warning. One that only had to index fails; that is
// what failed reports.
func (t *Tx) CompleteUnindexed(ctx context.Context, in Scope, fileID string) (failed bool, err error) {
	f, err := t.FileForUpdate(ctx, in, fileID)
	analysed := f.Status == FileProcessing && f.Stage == StageClassify
	if err != nil || !analysed && !f.waitsForIndex() {
		return false, err
	}
	attempt := Attempt{FileID: fileID, Number: f.Attempt}
	if f.Options.From == string(StageIndex) {
		return true, t.FailAttempt(ctx, in, attempt, StageIndex, errIndex)
	}
	if err := t.AddWarnings(ctx, in, fileID, Warning{Code: IndexPending, Message: "the search engine is not available; the file will be found once it is"}); err != nil {
		return false, err
	}
	if analysed {
		return false, nil
	}
	return false, t.CompleteAttempt(ctx, in, attempt)
}

// AwaitIndex ends an attempt for which nothing is left to do but indexing: at
// once where the search engine has the text or did not answer, else when it has.
func (t *Tx) AwaitIndex(ctx context.Context, in Scope, a Attempt) error {
	f, err := t.EnterStage(ctx, in, a, StageIndex)
	if err != nil {
		return err
	}
	if f.Searchable() || slices.ContainsFunc(f.Warnings, func(w Warning) bool { return w.Code == IndexPending }) {
		return t.CompleteAttempt(ctx, in, a)
	}
	return nil
}

// waitsForIndex reports whether indexing is all that is missing to f's end.
func (f FileState) waitsForIndex() bool { return f.Status == FileProcessing && f.Stage == StageIndex }

// IndexBacklog is the files of all teams whose newest text cannot be found yet.
type IndexBacklog struct {
	Files  int     `db:"files"`
	Oldest float64 `db:"oldest"` // seconds since the one that waits longest was last worked on; 0 where none waits
}

// IndexBacklog measures how far the index is behind.
func (q Queries) IndexBacklog(ctx context.Context) (IndexBacklog, error) {
	return one[IndexBacklog](ctx, q, `
		SELECT count(*) AS files, coalesce(extract(epoch FROM now() - min(progress_at)), 0)::float8 AS oldest
		FROM files f WHERE text_ready AND indexed_generation < generation AND NOT `+inTrash("f"), nil)
}

// StaleIndexing lists files of all teams whose index work was lost on the way:
// indexed but not ended, or with a warning that is no longer true.
func (q Queries) StaleIndexing(ctx context.Context, limit int) ([]FileRef, error) {
	return many[FileRef](ctx, q, `
		SELECT team_id, id AS file_id FROM files f
		WHERE NOT `+inTrash("f")+` AND indexed_generation >= generation AND text_ready AND progress_at < now() - interval '10 seconds'
			AND (status = 'processing' AND stage = 'index' OR status = 'completed_with_warnings' AND warnings @> '[{"code": "`+IndexPending+`"}]')
		LIMIT @limit`, args{"limit": limit})
}

package db

import (
	"context"
	"encoding/json"
	"time"

	"github.com/clausemill/clausemill/fault"
)

// ChangeStatus is what has become of a proposed change.
type ChangeStatus string

// The statuses.
const (
	ChangeProposed  ChangeStatus = "proposed"
	ChangeExecuted  ChangeStatus = "executed"
	ChangeWithdrawn ChangeStatus = "withdrawn"
	ChangeStale     ChangeStatus = "stale" // it could not be carried out when the others were
)

// Change is one that somebody proposed.
type Change struct {
	ID         string          `db:"id"`
	FileID     string          `db:"file_id"`
	Body       json.RawMessage `db:"body"`
	Status     ChangeStatus    `db:"status"`
	Resolved   json.RawMessage `db:"resolved"`
	Error      json.RawMessage `db:"error"`
	BaseSHA256 []byte          `db:"base_sha256"`
	Version    int             `db:"version"`       // of the file, that the anchor is of
	Ended      *int            `db:"ended_version"` // that it was carried out in, or could not come along to
	CreatedBy  *string         `db:"created_by"`
	CreatedAt  time.Time       `db:"created_at"`
}

const changeColumns = `id, file_id, body, status, resolved, error, base_sha256, version, ended_version, created_by, created_at`

// Changes lists those of a file in the order in which they were proposed.
func (q Queries) Changes(ctx context.Context, in Scope, fileID string) ([]Change, error) {
	return many[Change](ctx, q, `
		SELECT `+changeColumns+` FROM changes WHERE file_id = @file AND team_id = @team ORDER BY ordinal`,
		args{"file": fileID, "team": in.TeamID})
}

// ProposeChanges adds changes to a file, whose row the caller holds, in their
// order.
func (t *Tx) ProposeChanges(ctx context.Context, in Scope, file File, list []Change) ([]Change, error) {
	added := make([]Change, 0, len(list))
	for _, c := range list {
		row, err := one[Change](ctx, t.Queries, `
			INSERT INTO changes (id, team_id, file_id, body, resolved, base_sha256, version, created_by)
			VALUES (@id, @team, @file, @body, @resolved, @base, @version, @user)
			RETURNING `+changeColumns, args{
			"id": c.ID, "team": in.TeamID, "file": file.ID, "body": c.Body, "resolved": c.Resolved, "base": file.SHA256, "version": file.CurrentVersion,
			"user": nullable(in.UserID()),
		})
		if err != nil {
			return nil, err
		}
		added = append(added, row)
	}
	if err := t.Audit(ctx, in, "change.proposed", "file", file.ID, map[string]any{"count": len(list)}); err != nil {
		return nil, err
	}
	return added, t.emit(ctx, in.TeamID, "file.changes", file.ID, FileChangesData{ID: file.ID, Proposed: len(list)})
}

// WithdrawChange takes a proposed change back, or one that could not be carried over to a
// later version: NotFound where there is none of that id, Conflict where it was executed
// or withdrawn.
func (t *Tx) WithdrawChange(ctx context.Context, in Scope, fileID, id string) (Change, error) {
	a := args{"id": id, "file": fileID, "team": in.TeamID}
	if _, err := one[Change](ctx, t.Queries, `
		SELECT `+changeColumns+` FROM changes WHERE id = @id AND file_id = @file AND team_id = @team FOR NO KEY UPDATE`, a); err != nil {
		return Change{}, err
	}
	withdrawn, err := many[Change](ctx, t.Queries, `
		UPDATE changes SET status = 'withdrawn' WHERE id = @id AND team_id = @team AND status IN ('proposed', 'stale') RETURNING `+changeColumns, a)
	if err != nil {
		return Change{}, err
	}
	if len(withdrawn) == 0 {
		return Change{}, fault.New(fault.Conflict, "the change is not open any more")
	}
	if err := t.Audit(ctx, in, "change.withdrawn", "file", fileID, map[string]any{"changeId": id}); err != nil {
		return Change{}, err
	}
	return withdrawn[0], t.emit(ctx, in.TeamID, "file.changes", fileID, FileChangesData{ID: fileID, Withdrawn: 1})
}

// EndChanges records the outcome of proposed changes in the current version of the
// file: those in failed are stale and keep the reason, the others were executed.
func (t *Tx) EndChanges(ctx context.Context, in Scope, fileID string, executed []string, failed map[string]json.RawMessage) error {
	if _, err := exec(ctx, t.Queries, `
		UPDATE changes SET status = 'executed', ended_version = (SELECT current_version FROM files WHERE id = @file)
		WHERE id = ANY(@ids) AND file_id = @file AND team_id = @team AND status = 'proposed'`,
		args{"ids": executed, "file": fileID, "team": in.TeamID}); err != nil {
		return err
	}
	for id, reason := range failed {
		if _, err := exec(ctx, t.Queries, `
			UPDATE changes SET status = 'stale', error = @reason, ended_version = (SELECT current_version FROM files WHERE id = @file)
			WHERE id = @id AND file_id = @file AND team_id = @team AND status = 'proposed'`,
			args{"id": id, "reason": reason, "file": fileID, "team": in.TeamID}); err != nil {
			return err
		}
	}
	return nil
}

// CarryChanges anchors open changes in the current version of a file whose row the
// caller holds: carried are those whose bodies have anchors in it, and those in
// lost are stale and keep the reason.
func (t *Tx) CarryChanges(ctx context.Context, in Scope, file File, carried []Change, lost map[string]json.RawMessage) error {
	for _, c := range carried {
		if _, err := exec(ctx, t.Queries, `
			UPDATE changes SET body = @body, resolved = @resolved, version = @version, base_sha256 = @base
			WHERE id = @id AND file_id = @file AND team_id = @team AND status = 'proposed' AND version < @version`, args{
			"id": c.ID, "body": c.Body, "resolved": c.Resolved, "version": file.CurrentVersion, "base": file.SHA256,
			"file": file.ID, "team": in.TeamID,
		}); err != nil {
			return err
		}
	}
	if err := t.EndChanges(ctx, in, file.ID, nil, lost); err != nil || len(carried)+len(lost) == 0 {
		return err
	}
	if err := t.Audit(ctx, in, "change.carried", "file", file.ID, map[string]any{
		"version": file.CurrentVersion, "carried": len(carried), "lost": len(lost),
	}); err != nil {
		return err
	}
	return t.emit(ctx, in.TeamID, "file.changes", file.ID, FileChangesData{ID: file.ID, Carried: len(carried), Lost: len(lost)})
}

// OpenChangesBefore counts the open changes that are anchored in an earlier
// version of a file than its current one.
func (q Queries) OpenChangesBefore(ctx context.Context, in Scope, file File) (int, error) {
	return value[int](ctx, q, `
		SELECT count(*) FROM changes WHERE file_id = @file AND team_id = @team AND status = 'proposed' AND version < @version`,
		args{"file": file.ID, "team": in.TeamID, "version": file.CurrentVersion})
}

// Rendition is a document that was made of a file, and of its changes.
type Rendition struct {
	Report   json.RawMessage `db:"report"`
	Document []byte          `db:"document"` // nil where nothing could be made
}

// How long renditions are kept. An expired one is made again on request. One that
// failed because of its environment expires soon, so that it is retried; until then
// callers get the failure.
const (
	KeepRendition = 7 * 24 * time.Hour
	KeepAttempt   = 15 * time.Second
)

// Rendition finds what was made of a file under a key, NotFound if nothing was
// or it is no longer kept.
func (q Queries) Rendition(ctx context.Context, in Scope, fileID string, key []byte) (Rendition, error) {
	return one[Rendition](ctx, q, `
		SELECT report, document FROM renditions WHERE file_id = @file AND key = @key AND team_id = @team AND expires_at > now()`,
		args{"file": fileID, "key": key, "team": in.TeamID})
}

// RenditionReport is Rendition without the document.
func (q Queries) RenditionReport(ctx context.Context, in Scope, fileID string, key []byte) (json.RawMessage, error) {
	return value[json.RawMessage](ctx, q, `
		SELECT report FROM renditions WHERE file_id = @file AND key = @key AND team_id = @team AND expires_at > now()`,
		args{"file": fileID, "key": key, "team": in.TeamID})
}

// SaveRendition stores a rendition of a file for a time, and notifies waiting
// requests. It is NotFound if the file was deleted in between.
func (t *Tx) SaveRendition(ctx context.Context, in Scope, fileID string, key []byte, r Rendition, keep time.Duration) error {
	if err := change(ctx, t.Queries, `
		INSERT INTO renditions (file_id, key, team_id, report, document, expires_at)
		SELECT id, @key, team_id, @report, @document, now() + @keep::interval FROM files WHERE id = @file AND team_id = @team FOR KEY SHARE
		ON CONFLICT (file_id, key) DO UPDATE SET
			report = excluded.report, document = excluded.document, created_at = now(), expires_at = excluded.expires_at`,
		args{"file": fileID, "key": key, "team": in.TeamID, "report": r.Report, "document": r.Document, "keep": keep}); err != nil {
		return err
	}
	return t.emit(ctx, in.TeamID, "file.rendition", fileID, FileData{fileID})
}

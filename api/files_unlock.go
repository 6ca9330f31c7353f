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
)

// filesUnlock opens files that need a password.
func (a *API) filesUnlock() {
	session := a.area("Files", withSession)
	post(session, "/api/files/{fileId}/unlock", "unlockFile", "Give a file its password", a.unlockFile, status(http.StatusAccepted), describe(
		"Opens a PDF or a Word document that failed with the error `password_protected`. What the password opens becomes a new version of the file, with the source `unlock`, which needs no password and is processed like any other. "+
			"The version before keeps its bytes and their hash. The password is stored nowhere. "+
			"A wrong password is 422 with the code `password_protected`, and a format that cannot be unlocked 422 with the code `unsupported_type`; a file that did not fail for its password is 409. "+
			"Ten passwords a minute can be tried for a file; then it is 429."))
}

// Unlocker opens files with their passwords.
type Unlocker interface {
	// Unlock writes file as one that needs no password to the store, under key, at most
	// limit bytes. A wrong password is fault.PasswordProtected.
	Unlock(ctx context.Context, file db.File, password, key string, limit int64) (blob.Written, error)
}

// Passwords that can be tried for one file in a period.
const (
	unlockTries  = 10
	unlockPeriod = time.Minute
)

type unlockRequest struct {
	FileRef
	Body struct {
		Password string `json:"password" minLength:"1" maxLength:"255" format:"password" writeOnly:"true" doc:"The password that opens the file: that of its readers, or of its owner"`
	}
}

// unlockFile tries the password while the caller waits. It is given to a child process, and
// to nothing that is stored.
func (a *API) unlockFile(ctx context.Context, in *unlockRequest) (VersionAdded, error) {
	row, err := a.DB.File(ctx, auth.Scope(ctx), in.FileID)
	switch {
	case err != nil:
		return VersionAdded{}, err
	case !locked(row):
		return VersionAdded{}, errNotLocked
	case a.Unlocker == nil:
		return VersionAdded{}, fault.New(fault.Unavailable, "this server cannot unlock files")
	}
	if err := a.unlocks.count(ctx, "unlock:"+row.ID, http.Header{}); err != nil {
		return VersionAdded{}, err
	}
	release, err := a.quotas.drawings.take(ctx)
	if err != nil {
		return VersionAdded{}, err
	}
	defer release()
	v := db.NewVersion{BytesID: db.NewID(), Name: row.Name, ContentType: "application/octet-stream", Source: db.VersionUnlocked}
	written, err := a.Unlocker.Unlock(ctx, row, in.Body.Password, blob.Version(v.BytesID), a.Limits.MaxFile)
	if err != nil {
		return VersionAdded{}, coded(err)
	}
	v.Size, v.SHA256 = written.Size, written.SHA256[:]
	return a.unlockedVersion(ctx, row, v)
}

// locked reports whether the current version of a file failed for its password.
func locked(f db.File) bool {
	return f.Status == db.FileFailed && f.ErrorCode != nil && fault.Code(*f.ErrorCode) == fault.PasswordProtected
}

var errNotLocked = fault.New(fault.Conflict, "the file did not fail for a password; only one with the error password_protected can be unlocked")

// unlockedVersion makes a version from stored bytes, which are removed unless a row may
// refer to them.
func (a *API) unlockedVersion(ctx context.Context, row db.File, v db.NewVersion) (VersionAdded, error) {
	var out VersionAdded
	committing := false
	err := a.DB.InTx(ctx, func(tx *db.Tx) error {
		committing = false
		held, err := tx.FileForUpdate(ctx, auth.Scope(ctx), row.ID)
		if err != nil {
			return err
		}
		if held.CurrentVersion != row.CurrentVersion || !locked(held) {
			return errNotLocked
		}
		out, err = a.nextVersion(ctx, tx, held, v)
		committing = err == nil
		return err
	})
	if err != nil && !committing {
		if err := a.Blobs.Delete(context.WithoutCancel(ctx), blob.Version(v.BytesID)); err != nil {
			a.Log.LogAttrs(ctx, slog.LevelWarn, "bytes are left to the sweep", slog.String("file_id", row.ID), slog.Any("error", err))
		}
	}
	return out, err
}

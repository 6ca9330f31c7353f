package worker

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/riverqueue/river"

	"github.com/clausemill/clausemill/blob"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/document"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/jobs"
)

// Entries are written together: so many of them, or as many as come in so long,
// so that reading them begins and progress shows.
const (
	entriesPerWrite = 100
	writeEntries    = time.Second
)

// unpacking makes files of the entries of an archive, or of the attachments of a
// message.
type unpacking struct {
	w    *receiveFile
	job  *river.Job[jobs.ReceiveFile]
	from db.File
	kind document.Kind

	there map[string]bool // entries that are files already, if only in the trash, by id
	known int             // up to which number they were looked up

	begun       time.Time // since what follows comes
	written     int       // the last that was
	files       []db.NewFile
	passedOver  []db.Entry
	done, total int
}

// unpack makes a file of each entry of an archive and each attachment of a message.
// It resumes where an earlier run ended. An entry that cannot be read is skipped,
// with a warning.
func (w *receiveFile) unpack(ctx context.Context, job *river.Job[jobs.ReceiveFile], from db.File, local string, kind document.Kind) error {
	u := &unpacking{w: w, job: job, from: from, kind: kind, begun: time.Now(), written: from.EntriesDone, done: from.EntriesDone}
	err := w.lane(job.Args.File).Documents.Unpack(ctx, local, kind, from.EntriesDone+1, func(e document.Entry, content io.Reader) error {
		return u.add(ctx, e, content)
	})
	if ctx.Err() != nil {
		return err
	}
	err = errors.Join(err, u.write(ctx)) // what was unpacked before an error is of use
	if err == nil && kind == document.ZIP && u.done == 0 {
		err = fault.File(fault.EmptyFile, "the archive has no files", nil)
	}
	return err
}

// add stores the bytes of one entry, and writes those that came until now where
// there are enough of them.
func (u *unpacking) add(ctx context.Context, e document.Entry, content io.Reader) error {
	err := e.Err
	if err == nil {
		err = u.store(ctx, e, content)
	}
	if fault.Permanent(err) {
		u.passedOver = append(u.passedOver, db.Entry{Path: e.Path, Reason: fault.Message(err)})
	} else if err != nil {
		return err
	}
	u.done, u.total = e.Number, e.Of
	if len(u.files) < entriesPerWrite && time.Since(u.begun) < writeEntries {
		return nil
	}
	return u.write(ctx)
}

// store stores the bytes of an entry, unless it is there already. An error of
// reading them is permanent.
func (u *unpacking) store(ctx context.Context, e document.Entry, content io.Reader) error {
	if e.Number > u.known {
		if err := u.lookUp(ctx, e.Number); err != nil {
			return err
		}
	}
	id, err := entryID(u.from.ID, e.Number)
	if err != nil || u.there[id] {
		return err
	}
	// How large it is shows when it is read; the reader bounds it.
	written, err := u.w.Blobs.Put(ctx, blob.Original(id), content, document.DefaultLimits().MaxUnzipped)
	if err != nil {
		return err
	}
	u.files = append(u.files, db.NewFile{
		ID: id, Name: e.Name, Path: strings.TrimSuffix(strings.TrimSuffix(e.Path, e.Name), "/"), Size: written.Size, SHA256: written.SHA256[:],
		Source: string(u.kind), ParentID: u.from.ID, Entry: e.Number, Bulk: true,
	})
	return nil
}

// lookUp finds out which of the next entries are files already.
func (u *unpacking) lookUp(ctx context.Context, from int) (err error) {
	ids := make([]string, entriesPerWrite)
	for i := range ids {
		if ids[i], err = entryID(u.from.ID, from+i); err != nil {
			return err
		}
	}
	u.there, err = u.w.DB.KnownBytes(ctx, ids)
	u.known = from + len(ids) - 1
	return err
}

// write makes files of what was stored, and says how far it has come.
func (u *unpacking) write(ctx context.Context) error {
	if u.done == u.written {
		return nil
	}
	in, _ := about(u.job.Args.File)
	work := make([]river.JobArgs, len(u.files))
	for i, f := range u.files {
		work[i] = jobs.ReceiveFile{File: jobs.File{FileID: f.ID, TeamID: in.TeamID, Attempt: 1, Bulk: true}}
	}
	err := keep(ctx, u.w.Worker, u.job, func(tx *db.Tx) error {
		if len(u.files) > 0 {
			if _, err := tx.CreateFiles(ctx, in, u.files); err != nil {
				return err
			}
			if err := enqueue(ctx, tx, work...); err != nil {
				return err
			}
		}
		return tx.SetEntries(ctx, in, u.from.ID, u.done, u.total, u.passedOver)
	})
	if err == nil {
		u.begun, u.written, u.files, u.passedOver = time.Now(), u.done, nil, nil
	}
	return err
}

// entryID is a UUIDv7 with the parent's time and, for its random bits, a hash of
// the entry's place.
func entryID(parentID string, number int) (string, error) {
	id, err := uuid.Parse(parentID)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s/%d", parentID, number))
	copy(id[6:], sum[:])
	id[6] = id[6]&0x0f | 0x70
	id[8] = id[8]&0x3f | 0x80
	return id.String(), nil
}

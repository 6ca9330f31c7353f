package worker

import (
	"context"
	"os"

	"github.com/riverqueue/river"

	"github.com/clausemill/clausemill/blob"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/document"
	"github.com/clausemill/clausemill/jobs"
)

// mergeFiles makes one PDF of images and PDFs: a new file, which is read like
// any other.
type mergeFiles struct {
	river.WorkerDefaults[jobs.MergeFiles]
	*Worker
}

// Work merges once. The new file's id is in the arguments, so a second run
// writes over the bytes of the first.
func (w *mergeFiles) Work(ctx context.Context, job *river.Job[jobs.MergeFiles]) error {
	in := db.Scope{TeamID: job.Args.TeamID, ActorKind: job.Args.ActorKind, ActorID: job.Args.ActorID}
	var sources []document.Part
	var first db.File
	for i, id := range job.Args.Sources {
		file, err := w.DB.File(ctx, in, id)
		if err != nil {
			return err
		}
		if i == 0 {
			first = file
		}
		local, release, err := w.local(ctx, file)
		if err != nil {
			return err
		}
		defer release()
		sources = append(sources, document.Part{Path: local, Kind: document.Kind(file.Kind)})
	}
	out, err := os.CreateTemp("", "clausemill-merge-*")
	if err != nil {
		return err
	}
	defer os.Remove(out.Name())
	defer out.Close()
	if _, err := w.Now.Documents.Merge(ctx, sources, out.Name()); err != nil {
		return err
	}
	written, err := w.Blobs.Put(ctx, blob.Original(job.Args.FileID), out, maxMerged)
	if err != nil {
		return err
	}
	return w.DB.InTx(ctx, func(tx *db.Tx) error {
		merged := db.NewFile{
			ID: job.Args.FileID, Name: job.Args.Name, Kind: string(document.PDF), ContentType: document.PDF.ContentType(),
			Size: written.Size, SHA256: written.SHA256[:], Source: "merge",
		}
		if first.MatterID != nil {
			merged.MatterID = *first.MatterID
		}
		if _, err := tx.CreateFile(ctx, in, merged); err != nil {
			return err
		}
		if err := tx.FinishOperation(ctx, in, job.Args.OperationID, map[string]string{"fileId": merged.ID}, ""); err != nil {
			return err
		}
		return jobs.Follow(ctx, tx.Raw, tx, job, jobs.ReceiveFile{File: jobs.File{FileID: merged.ID, TeamID: in.TeamID, Attempt: 1}})
	})
}

// maxMerged bounds what a merge may produce.
const maxMerged = 2 << 30

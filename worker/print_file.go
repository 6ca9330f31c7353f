package worker

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/riverqueue/river"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/document"
	"github.com/clausemill/clausemill/draft"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/jobs"
	"github.com/clausemill/clausemill/layout"
)

// printFile lays out a file as pages, and finds its text on them.
type printFile struct {
	river.WorkerDefaults[jobs.PrintFile]
	*Worker
}

// Work prints one file. A failure is stored as the result, as those of executions are.
func (w *printFile) Work(ctx context.Context, job *river.Job[jobs.PrintFile]) error {
	in := db.System(job.Args.TeamID)
	made, err := w.made(ctx, in, job.Args)
	if ctx.Err() != nil || err != nil && !lasting(err) {
		return err
	}
	return w.DB.InTx(ctx, func(tx *db.Tx) error {
		if err != nil {
			if err := endUnmade(ctx, tx, in, job.Args.DocumentID, job.Args.Key, err); err != nil {
				return err
			}
		} else if err := save(ctx, tx, in, job.Args.DocumentID, job.Args.Key, made, db.KeepRendition); err != nil {
			return err
		}
		return jobs.Follow(ctx, tx.Raw, tx, job)
	})
}

// made is the PDF of a file, and where its text is on it.
func (w *printFile) made(ctx context.Context, in db.Scope, args jobs.PrintFile) (made db.Rendition, err error) {
	file, err := w.DB.FileAt(ctx, in, args.DocumentID, args.Version)
	if err != nil {
		return made, err
	}
	texts, err := w.DB.PageTexts(ctx, in, file.ID)
	if err != nil {
		return made, err
	}
	if file.Generation != args.Generation {
		return made, errStale
	}
	local, release, err := w.local(ctx, file)
	if err != nil {
		return made, err
	}
	defer release()
	err = w.print(ctx, local, document.Kind(file.Kind), func(pdf string) error {
		if info, err := os.Stat(pdf); err != nil {
			return err
		} else if info.Size() > draft.MaxSize { // all of it is held in memory
			return fault.Newf(fault.TooLarge, "printed documents of more than %d MiB cannot be kept", draft.MaxSize>>20)
		}
		var printed []layout.Page
		err := w.Now.Documents.Extract(ctx, pdf, document.PDF, 1, 0, func(p document.Page) error {
			printed = append(printed, p.Page)
			return nil
		})
		if err != nil {
			return err
		}
		if made.Report, err = json.Marshal(draft.NewPrint(printed, strings.Join(texts, "\f"))); err != nil {
			return err
		}
		made.Document, err = os.ReadFile(pdf)
		return err
	})
	return made, err
}

// print lays a file out as PDF, which is there until use returns. Where it fails the
// reason may be another one than the file: no LibreOffice, or one that had no time or
// memory.
func (w *Worker) print(ctx context.Context, path string, kind document.Kind, use func(pdf string) error) (err error) {
	dir, err := os.MkdirTemp("", "clausemill-print-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	output := filepath.Join(dir, "document.pdf")
	if err := w.Now.Documents.Print(ctx, path, kind, output); err != nil {
		if fault.CodeOf(err) == fault.ConversionFailed {
			err = &fault.Error{Kind: fault.Unavailable, Code: fault.ConversionFailed, Message: fault.Message(err), Cause: err}
		}
		return err
	}
	return use(output)
}

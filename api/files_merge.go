package api

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/document"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/jobs"
)

// filesMerge makes one file of several.
func (a *API) filesMerge() {
	session := a.area("Files", withSession)
	post(session, "/api/files/{fileId}/merge", "mergeFiles", "Merge the images of files into a PDF", a.mergeFiles, status(http.StatusAccepted), describe(
		"Merges this file and those in `fileIds`, in that order, into one PDF. The PDF becomes a new file, which is processed like any other. "+
			"Only images and PDFs can be merged."))
}

type mergeRequest struct {
	FileRef
	Body *struct {
		FileIDs []string `json:"fileIds,omitempty" maxItems:"500" doc:"Files to add, in this order"`
		Name    string   `json:"name,omitempty" maxLength:"255" doc:"Name of the new file; by default the name of the first file with the extension .pdf"`
	}
}

func (a *API) mergeFiles(ctx context.Context, in *mergeRequest) (Accepted, error) {
	scope := auth.Scope(ctx)
	sources, name := []string{in.FileID}, ""
	if in.Body != nil {
		sources, name = append(sources, in.Body.FileIDs...), cleanName(in.Body.Name)
	}
	first, err := a.mergeable(ctx, sources)
	if err != nil {
		return Accepted{}, err
	}
	if name == "" || name == "." {
		name = withExtension(first.Name, ".pdf")
	}
	job := jobs.MergeFiles{
		TeamID: scope.TeamID, ActorKind: scope.ActorKind, ActorID: scope.ActorID, FileID: db.NewID(), Name: name, Sources: sources,
	}
	var op db.Operation
	err = a.DB.InTx(ctx, func(tx *db.Tx) (err error) {
		if op, err = tx.CreateOperation(ctx, scope, "merge", 1, nil); err != nil {
			return err
		}
		job.OperationID = op.ID
		if err := tx.Audit(ctx, scope, "file.merge", "file", job.FileID, map[string]any{"operationId": op.ID, "sources": len(sources)}); err != nil {
			return err
		}
		return jobs.Insert(ctx, a.Jobs, tx.Raw, job)
	})
	return newAccepted("merging queued", op, job.FileID), err
}

// pictures are the kinds that can be merged. A file that was not inspected yet has no
// kind; for it the job decides.
var pictures = []document.Kind{"", document.PDF, document.PNG, document.JPEG, document.TIFF, document.WebP}

// mergeable is the first of sources, if all exist and can be merged.
func (a *API) mergeable(ctx context.Context, sources []string) (db.File, error) {
	filter := db.FileFilter{IDs: sources}
	rows, err := a.DB.Files(ctx, auth.Scope(ctx), filter, "", len(sources))
	if err != nil {
		return db.File{}, err
	}
	byID := make(map[string]db.File, len(rows))
	for _, row := range rows {
		byID[row.ID] = row
	}
	for i, id := range sources {
		row, ok := byID[id]
		switch {
		case !ok && i == 0:
			return db.File{}, fault.New(fault.NotFound, "not found")
		case !ok:
			return db.File{}, invalid(fmt.Sprintf("body.fileIds[%d]", slices.Index(sources[1:], id)), "does not exist in this team")
		case !slices.Contains(pictures, document.Kind(row.Kind)):
			return db.File{}, fault.Newf(fault.Invalid, "%s is neither an image nor a PDF", row.Name)
		}
	}
	return byID[sources[0]], nil
}

package api

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/jobs"
)

// filesReprocess processes or indexes files again.
func (a *API) filesReprocess() {
	session := a.area("Files", withSession)
	post(session, "/api/files/{fileId}/reprocess", "reprocessFile", "Process a file again", a.reprocessFile, status(http.StatusAccepted), eitherWay[ReprocessOptions](a), describe(
		"Starts a new attempt at stage `from`: extract (the default), segment, classify (analyse the existing text again) or index. `ocr` is auto, force (recognise every page) or never. "+
			"`languages` has Tesseract codes joined by +. A language that is not installed on all workers is 422, with the installed ones. The existing text stays until the new one replaces it; where a reading from the start comes out as before, it stays with the ids of its sentences. What users set is carried over. "+
			"The values are query parameters or in the body."))
	post(session, "/api/files/{fileId}/search-index", "indexFile", "Index a file for search", a.indexFile, status(http.StatusAccepted), describe(
		"Indexes the existing text again. 409 where the file has no text yet."))
}

// ReprocessOptions steer a new attempt.
type ReprocessOptions struct {
	From      string `json:"from,omitempty" enum:"extract,segment,classify,index" doc:"The stage to start from; by default extract"`
	OCR       string `json:"ocr,omitempty" enum:"auto,force,never" doc:"Which pages OCR recognises. force: every page; never: none; auto: those without a good text layer"`
	Languages string `json:"languages,omitempty" maxLength:"100" pattern:"^[A-Za-z_]{3,20}(\\+[A-Za-z_]{3,20})*$" doc:"Tesseract language codes, joined by +"`
}

// options checks o against the languages that the workers have installed. Without a
// running worker any language is accepted.
func (a *API) options(ctx context.Context, o ReprocessOptions) (db.FileOptions, error) {
	wanted := db.FileOptions{From: o.From, OCR: o.OCR, Languages: o.Languages}
	if o.Languages == "" {
		return wanted, nil
	}
	installed, err := a.DB.RecognitionLanguages(ctx)
	if err != nil {
		return db.FileOptions{}, err
	}
	for language := range strings.SplitSeq(o.Languages, "+") {
		if len(installed) > 0 && !slices.Contains(installed, language) {
			return db.FileOptions{}, invalid("languages", language+" is not installed; available are "+oneOf(installed))
		}
	}
	return wanted, nil
}

func (a *API) reprocessFile(ctx context.Context, in *struct {
	FileRef
	Body *ReprocessOptions
}) (Accepted, error) {
	options, err := a.options(ctx, orNothing(in.Body))
	if err != nil {
		return Accepted{}, err
	}
	return a.startAgain(ctx, in.FileID, "reprocess", "reprocessing queued", options)
}

func (a *API) indexFile(ctx context.Context, in *FileRef) (Accepted, error) {
	return a.startAgain(ctx, in.FileID, "index", "indexing queued", db.FileOptions{From: string(db.StageIndex)})
}

// startAgain starts a new attempt as an operation.
func (a *API) startAgain(ctx context.Context, fileID, kind, message string, options db.FileOptions) (Accepted, error) {
	var op db.Operation
	err := a.DB.InTx(ctx, func(tx *db.Tx) error {
		row, err := a.restart(ctx, tx, fileID, options)
		if err != nil {
			return err
		}
		if op, err = tx.CreateOperation(ctx, auth.Scope(ctx), kind, 1, nil); err != nil {
			return err
		}
		return tx.FollowFiles(ctx, op.ID, []db.Attempt{{FileID: row.ID, Number: row.Attempt}})
	})
	return newAccepted(message, op, fileID), err
}

// restart starts a new attempt, which replaces a running one. Stages after extraction
// need the file's text.
func (a *API) restart(ctx context.Context, tx *db.Tx, fileID string, options db.FileOptions) (db.File, error) {
	scope := auth.Scope(ctx)
	row, err := tx.FileForUpdate(ctx, scope, fileID)
	if err != nil {
		return db.File{}, err
	}
	if needsText(options) && !row.TextReady {
		return db.File{}, errNoText
	}
	if err := a.stop(ctx, tx, fileID); err != nil {
		return db.File{}, err
	}
	bulk, err := busy(ctx, tx)
	if err != nil {
		return db.File{}, err
	}
	if row, err = tx.RestartFile(ctx, scope, fileID, options, bulk); err != nil {
		return db.File{}, err
	}
	return row, jobs.Insert(ctx, a.Jobs, tx.Raw, receive(row))
}

var errNoText = fault.New(fault.Conflict, "the file has no text yet; reprocess it from the start")

func needsText(o db.FileOptions) bool { return o.From != "" && o.From != string(db.StageExtract) }

// receive is the first job of a file's attempt.
func receive(f db.File) jobs.ReceiveFile {
	return jobs.ReceiveFile{File: jobs.File{FileID: f.ID, TeamID: f.TeamID, Attempt: f.Attempt, Bulk: f.Bulk}}
}

// laneFiles is how many files of a team may be in processing in the fast lane; further
// ones go through the fair scheduler.
const laneFiles = 4

// busy reports whether the caller's team has so many files in processing that further
// ones are treated as an import.
func busy(ctx context.Context, tx *db.Tx) (bool, error) {
	active, err := tx.ActiveFiles(ctx, auth.Scope(ctx), laneFiles)
	return active >= laneFiles, err
}

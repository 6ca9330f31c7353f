package api

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/blob"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/model"
	"github.com/clausemill/clausemill/query"
)

// files serves single documents: section 4.1 of the specification begins here.
func (a *API) files() {
	keyed := a.area("Files", withKey)
	get(keyed, "/api/files", "listFiles", "List files", a.listFiles, describe(
		"Lists the files of the team, newest first or in the order of `sort`. A file is listed only if it matches all given filters. "+
			"Every item has its status, so thousands of files can be followed with few requests: set `updatedSince` to the latest `updatedAt` seen so far. "+
			"With `deleted` the list also has the files deleted since then."))
	a.createFile(keyed, "/api/files", "uploadFile", "Upload files")
	get(keyed, "/api/files/{fileId}", "getFile", "Get a file", a.getFile, describe(
		"Returns a file with its earlier processing attempts. The ETag changes when users change the file and when its processing advances."))
	put(keyed, "/api/files/{fileId}", "updateFile", "Update a file", a.updateFile, describe(
		"Changes the values that users set on a file. An absent field is left unchanged; `\"\"` removes an id. "+
			"Removing a value restores the one that was extracted or predicted: remove the document type with `\"\"`, parties and counterparties, always both, with null, and an attribute with null or an empty list. "+
			"With `If-Match` the update is 409 if somebody else changed the file since that ETag was read. Processing in between does not count as a change."))
	del(keyed, "/api/files/{fileId}", "deleteFile", "Delete a file", a.deleteFile, describe(
		"Stops the processing of the file and deletes it. Restoring it restores its text, its analysis and what users set. "+purging))
	raw(keyed, http.MethodGet, "/api/files/{fileId}/download", "downloadFile", "Download the bytes of a file", a.downloadFile, etagged, produces(
		"application/octet-stream"), describe(
		"Returns the bytes of a version, unchanged. Without `version` it is the current one; the header `X-Version` has its number. Range requests and `HEAD` are supported. "+
			"The ETag belongs to the version, whose bytes never change."))

	session := a.area("Files", withSession)
	get(session, "/api/files/{fileId}/name", "getFileName", "Get the name of a file", a.getFileName, describe("Returns the name only."))
	get(session, "/api/files/{fileId}/file-type-id", "getFileTypeId", "Get the document type id of a file", a.getFileType, describe(
		"Returns the document type that users assigned or the model predicted, or null where there is neither."))
}

// File is a document as clients see it.
type File struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Path        string `json:"path" doc:"The folder of the file, in its archive or where it was uploaded from; empty where it is not known"`
	ContentType string `json:"contentType" doc:"Media type, detected from the bytes"`
	Size        int64  `json:"size" doc:"Size in bytes"`
	SHA256      string `json:"sha256" doc:"SHA-256 of the bytes, in hexadecimal"`
	PageCount   int    `json:"pageCount"`
	Language    string `json:"language" doc:"ISO 639-1 code; empty until it is known"`
	State
	LifecycleStage     db.LifecycleStage   `json:"lifecycleStage"`
	DocumentTypeID     *string             `json:"documentTypeId"`
	DocumentTypeSource *string             `json:"documentTypeSource,omitempty" enum:"predicted,assigned"`
	DocumentTypeScore  *float32            `json:"documentTypeScore,omitempty"`
	MatterID           *string             `json:"matterId"`
	CategoryIDs        []string            `json:"categoryIds" nullable:"false"`
	Source             string              `json:"source" doc:"Origin of the file: upload, api, zip, eml or merge"`
	Parties            []db.Party          `json:"parties" nullable:"false"`
	Counterparties     []string            `json:"counterparties" nullable:"false" doc:"Names of the other parties. They are extracted from the file where the organization is one of its parties"`
	PartiesSource      *string             `json:"partiesSource,omitempty" enum:"read,given" doc:"Where parties and counterparties come from. read: extracted from the file; given: set by users, and kept when the file is reprocessed"`
	Metadata           Object              `json:"metadata" doc:"Metadata set by users: keys with values"`
	Attributes         map[string][]string `json:"attributes,omitempty" doc:"Values of the attributes that a list was asked for, by key: as written in the file, dates as YYYY-MM-DD or as far as they are known. A key without values is absent"`
	DuplicateOf        *string             `json:"duplicateOf,omitempty" doc:"The oldest file of the team with the same bytes"`
	Duplicates         []LikeFile          `json:"duplicates,omitempty" doc:"Files with the same text, such as copies, scans and other formats. Only in the answer for a single file"`
	VersionOf          *LikeFile           `json:"versionOf,omitempty" doc:"The most similar older file that is the same contract with changes. For a duplicate, it is that of the file it duplicates. Only in the answer for a single file"`
	ParentID           *string             `json:"parentId,omitempty" doc:"Id of the archive or message that contained the file"`
	HasOCRText         bool                `json:"hasOcrText"`
	Version            int                 `json:"version" doc:"Number of changes by users, new versions of the document included; the ETag begins with it"`
	CurrentVersion     int                 `json:"currentVersion" doc:"Number of the current version of the document; all versions from 1 on are kept"`
	TextVersion        *int                `json:"textVersion" doc:"Number of the version that the text, sentences, labels and attributes belong to. It differs from currentVersion until that version is processed; null while there is no text"`
	CreatedBy          *string             `json:"createdBy"`
	CreatedAt          time.Time           `json:"createdAt"`
	StatusURL          string              `json:"statusUrl"`
	Attempts           []Attempt           `json:"attempts,omitempty" doc:"Attempts that have ended, latest first. An attempt that was replaced by a newer one is cancelled. Only in the answer for a single file"`
}

// Attempt is how one attempt ended.
type Attempt struct {
	Attempt    int           `json:"attempt"`
	Status     db.FileStatus `json:"status"`
	Error      *FileError    `json:"error,omitempty"`
	StartedAt  *time.Time    `json:"startedAt,omitempty"`
	FinishedAt time.Time     `json:"finishedAt"`
}

func newFile(f db.File, hasOCR bool, categories []db.CategoryName, attributes map[string][]string) File {
	return File{
		ID: f.ID, Name: f.Name, Path: f.Path, ContentType: f.ContentType, Size: f.Size, SHA256: hex.EncodeToString(f.SHA256),
		PageCount: f.PageCount, Language: f.Language, State: newState(f.FileState), LifecycleStage: f.LifecycleStage,
		DocumentTypeID: f.DocumentTypeID, DocumentTypeSource: f.DocumentTypeSource, DocumentTypeScore: f.DocumentTypeScore,
		MatterID: f.MatterID, CategoryIDs: newList(categories, func(c db.CategoryName) string { return c.ID }).Items, Source: f.Source, Parties: list(f.Parties), Counterparties: list(f.Counterparties), PartiesSource: f.PartiesSource,
		Metadata: Object(f.Metadata), Attributes: attributes, DuplicateOf: f.DuplicateOf, ParentID: f.ParentID, HasOCRText: hasOCR, Version: f.Version,
		CurrentVersion: f.CurrentVersion, TextVersion: textVersion(f), CreatedBy: f.CreatedBy,
		CreatedAt: f.CreatedAt.UTC(), StatusURL: filePath(f.ID) + "/status",
	}
}

// textVersion is the version that the text of a file is of.
func textVersion(f db.File) *int {
	if !f.TextReady {
		return nil
	}
	return &f.TextVersion
}

func newAttempt(a db.FileAttempt) Attempt {
	return Attempt{
		Attempt: a.Attempt, Status: a.Status, StartedAt: utc(a.StartedAt), FinishedAt: a.FinishedAt.UTC(),
		Error: newFileError(a.ErrorCode, a.ErrorStage, a.ErrorMessage, nil),
	}
}

// etag is the version of what users set, which If-Match compares, and that of
// the rest.
func (f File) etag() string { return fmt.Sprintf(`"%d.%s"`, f.Version, f.version()) }

func filePath(id string) string { return "/api/files/" + id }

// FileRef is the request of every operation on one file.
type FileRef struct {
	FileID string `path:"fileId" format:"uuid" doc:"File id"`
}

// AtVersion is the request of an operation that also answers for earlier versions
// of a file.
type AtVersion struct {
	FileRef
	Version int `query:"version" minimum:"1" doc:"Number of a version; by default the current one. A version that does not exist is 404"`
}

// bytesTag is the ETag of the bytes of a version.
func bytesTag(f db.File) string { return fmt.Sprintf(`"%d-%x"`, f.CurrentVersion, f.SHA256) }

// FileFilter narrows a list of files.
type FileFilter struct {
	Status         []db.FileStatus   `query:"status" json:"status,omitempty" minItems:"1" nullable:"false" doc:"Files with any of these statuses"`
	ErrorCode      []string          `query:"errorCode" json:"errorCode,omitempty" minItems:"1" maxItems:"20" nullable:"false" doc:"Files that failed with any of these error codes"`
	UpdatedSince   time.Time         `query:"updatedSince" json:"updatedSince,omitzero" doc:"Files that changed after this time. Times in query parameters may also be a day, which means its start in UTC"`
	DocumentTypeID string            `query:"documentTypeId" json:"documentTypeId,omitempty" format:"uuid"`
	MatterID       string            `query:"matterId" json:"matterId,omitempty" format:"uuid"`
	LifecycleStage db.LifecycleStage `query:"lifecycleStage" json:"lifecycleStage,omitempty"`
	Q              string            `query:"q" json:"q,omitempty" maxLength:"200" doc:"Part of the name, ignoring case"`
	Condition
}

// filter is f for the database.
func (f FileFilter) filter(ctx context.Context, d db.Queries, ids []string) (db.FileFilter, error) {
	where, err := f.Condition.filter(ctx, d, query.Files)
	return db.FileFilter{
		IDs: ids, Statuses: words(f.Status), Causes: f.ErrorCode, UpdatedSince: f.UpdatedSince,
		DocumentTypeID: f.DocumentTypeID, MatterID: f.MatterID, LifecycleStage: string(f.LifecycleStage), Name: f.Q, Where: where,
	}, err
}

// FileList is one page of a list of files.
type FileList struct {
	List[File]
	Deleted []DeletedFile `json:"deleted,omitempty" doc:"Files that were deleted, if they are asked for. They follow the last of items, on this page and the next ones"`
}

// DeletedFile is a file that was deleted.
type DeletedFile struct {
	ID        string     `json:"id"`
	DeletedAt time.Time  `json:"deletedAt"`
	PurgedAt  *time.Time `json:"purgedAt,omitempty" doc:"When the file was purged; it cannot be restored afterwards"`
}

func newDeletedFile(f db.DeletedFile) DeletedFile {
	return DeletedFile{f.FileID, f.DeletedAt.UTC(), utc(f.PurgedAt)}
}

func (a *API) listFiles(ctx context.Context, in *struct {
	Page
	FileSort
	FileFilter
	IDs        []string `query:"ids" format:"uuid" maxItems:"500" doc:"Only these files"`
	Attributes []string `query:"attributes" maxItems:"20" doc:"Keys of attributes of files as a whole, ignoring case: the files of the list have their values in attributes"`
	Deleted    bool     `query:"deleted" doc:"Also list deleted files; with updatedSince, those deleted after that time. Only their ids are known, so other filters do not apply to them. A restored file counts as updated and is no longer listed as deleted"`
}) (FileList, error) {
	filter, err := in.filter(ctx, a.DB.Queries, in.IDs)
	if err != nil {
		return FileList{}, err
	}
	attributes, err := attributeFields(in.Attributes)
	if err != nil {
		return FileList{}, err
	}
	if !in.Deleted {
		page, err := a.filesPage(ctx, in.Page, in.FileSort, filter, attributes)
		return FileList{List: page}, err
	}
	return a.filesAndDeleted(ctx, in.Page, in.FileSort, filter, attributes)
}

// filesAndDeleted is a page of a list of files that continues with deleted files.
func (a *API) filesAndDeleted(ctx context.Context, page Page, sort FileSort, filter db.FileFilter, attributes []query.Definition) (FileList, error) {
	const deleted = "deleted-files" // kind of the cursors in that part: the id of a trash entry, blank at its start
	out := FileList{List: List[File]{Items: []File{}}}
	after, err := page.place(deleted)
	if page.Cursor == "" || err != nil {
		if out.List, err = a.filesPage(ctx, page, sort, filter, attributes); err != nil || out.NextCursor != "" {
			return out, err
		}
		after = ""
	}
	if after = strings.TrimSpace(after); after != "" && !isID(after) {
		return FileList{}, errCursor("query.cursor")
	}
	limit := page.Limit - len(out.Items)
	rows, err := a.DB.DeletedFiles(ctx, auth.Scope(ctx), filter.UpdatedSince, after, limit+1)
	if err != nil {
		return FileList{}, err
	}
	rows, more := cut(rows, limit)
	out.Deleted = newList(rows, newDeletedFile).Items
	switch {
	case more && len(rows) > 0:
		out.NextCursor = cursor(deleted, last(rows).EntryID)
	case more:
		out.NextCursor = cursor(deleted, " ")
	}
	return out, nil
}

// filesPage is a page of the files that match a filter, with the values of attributes.
func (a *API) filesPage(ctx context.Context, page Page, sort FileSort, filter db.FileFilter, attributes []query.Definition) (List[File], error) {
	scope := auth.Scope(ctx)
	order, err := a.order(ctx, sort)
	if err != nil {
		return List[File]{}, err
	}
	after, err := page.sortedPlace("files", query.Files, order)
	if err != nil {
		return List[File]{}, err
	}
	rows, err := a.DB.ListFiles(ctx, scope, filter, order, after, page.Limit+1)
	if err != nil {
		return List[File]{}, err
	}
	rows, more := cut(rows, page.Limit)
	hasOCR, err := a.DB.HasOCRText(ctx, scope, idsOf(rows))
	if err != nil {
		return List[File]{}, err
	}
	categories, err := a.DB.FileCategories(ctx, scope, idsOf(rows))
	if err != nil {
		return List[File]{}, err
	}
	total, err := a.DB.CountFiles(ctx, scope, filter)
	if err != nil {
		return List[File]{}, err
	}
	values, err := a.DB.FactValues(ctx, scope, idsOf(rows), attributes)
	if err != nil {
		return List[File]{}, err
	}
	files := newList(rows, func(f db.ListedFile) File { return newFile(f.File, hasOCR[f.ID], categories[f.ID], values[f.ID]) })
	files.Total = &total
	if more {
		files.NextCursor = sortedCursor("files", order, last(rows).Place())
	}
	return files, nil
}

func (a *API) getFile(ctx context.Context, in *FileRef) (File, error) {
	scope := auth.Scope(ctx)
	row, err := a.DB.File(ctx, scope, in.FileID)
	if err != nil {
		return File{}, err
	}
	file, err := a.fullFile(ctx, row)
	if err != nil {
		return File{}, err
	}
	attempts, err := a.DB.FileAttempts(ctx, scope, in.FileID)
	file.Attempts = newList(attempts, newAttempt).Items
	return file, err
}

// fullFile is a file with what is not in its own row.
func (a *API) fullFile(ctx context.Context, row db.File) (File, error) {
	hasOCR, err := a.DB.HasOCRText(ctx, auth.Scope(ctx), []string{row.ID})
	if err != nil {
		return File{}, err
	}
	categories, err := a.DB.FileCategories(ctx, auth.Scope(ctx), []string{row.ID})
	if err != nil {
		return File{}, err
	}
	file := newFile(row, hasOCR[row.ID], categories[row.ID], nil)
	err = a.addLikenesses(ctx, &file)
	return file, err
}

type updateFileRequest struct {
	FileRef
	OfVersion
	Body struct {
		Name           *string            `json:"name,omitempty" minLength:"1" maxLength:"255"`
		DocumentTypeID *string            `json:"documentTypeId,omitempty" maxLength:"36"`
		MatterID       *string            `json:"matterId,omitempty" maxLength:"36"`
		Parties        OrNull[[]db.Party] `json:"parties,omitzero" maxItems:"1000" doc:"null removes the parties and counterparties that users set and restores those extracted from the text"`
		Counterparties OrNull[[]string]   `json:"counterparties,omitzero" maxItems:"1000" doc:"null removes the parties and counterparties that users set and restores those extracted from the text"`
		CategoryIDs    *Categories        `json:"categoryIds,omitempty" doc:"Replaces all categories of the file"`
		LifecycleStage db.LifecycleStage  `json:"lifecycleStage,omitempty" doc:"The same steps are allowed as in PUT …/lifecycle-stage. The current stage changes nothing"`
		Metadata       Object             `json:"metadata,omitempty" doc:"Replaces all metadata of the file"`

		Attributes map[string][]GivenAttribute `json:"attributes,omitempty" maxProperties:"100" doc:"Attributes of the file as a whole, by key. They replace the extracted values and are kept when the file is reprocessed. null or an empty list removes them and restores the extracted values"`
	}
}

func (a *API) updateFile(ctx context.Context, in *updateFileRequest) (File, error) {
	update, err := in.update()
	if err != nil {
		return File{}, err
	}
	attributes, err := givenAttributes(in.Body.Attributes)
	if err != nil {
		return File{}, err
	}
	var row db.File
	err = a.DB.InTx(ctx, func(tx *db.Tx) (err error) {
		if row, err = tx.UpdateFile(ctx, auth.Scope(ctx), in.FileID, update); err != nil {
			return err
		}
		if stage := in.Body.LifecycleStage; stage != "" && stage != row.LifecycleStage {
			if _, row, err = toStage(ctx, tx, in.FileID, stage); err != nil {
				return err
			}
		}
		return a.setAttributes(ctx, tx, in.FileID, attributes)
	})
	if err != nil {
		return File{}, err
	}
	return a.fullFile(ctx, row)
}

// update is in for the database.
func (in *updateFileRequest) update() (db.FileUpdate, error) {
	update := db.FileUpdate{
		Name: in.Body.Name, DocumentTypeID: in.Body.DocumentTypeID, MatterID: in.Body.MatterID,
		Parties: in.Body.Parties.value, Counterparties: in.Body.Counterparties.value,
		ReadParties: in.Body.Parties.isNull() || in.Body.Counterparties.isNull(),
	}
	if update.ReadParties && (update.Parties != nil || update.Counterparties != nil) {
		return update, invalid("body.parties", "cannot be null if counterparties has values, nor the other way round")
	}
	var err error
	if update.IfVersion, err = ifMatch(in.IfMatch); err != nil {
		return update, err
	}
	if update.Name != nil {
		if *update.Name = cleanName(*update.Name); *update.Name == "" {
			return update, invalid("body.name", "has no printable characters")
		}
	}
	if err := cmp.Or(namesOne("body.documentTypeId", in.Body.DocumentTypeID), namesOne("body.matterId", in.Body.MatterID)); err != nil {
		return update, err
	}
	if update.CategoryIDs, err = in.Body.CategoryIDs.change("body.categoryIds"); err != nil {
		return update, err
	}
	update.Metadata, err = in.Body.Metadata.storable("body.metadata")
	return update, err
}

// readGiven reads values that a user sets for fields of the team by their type, and refuses
// those of another.
func readGiven(ctx context.Context, tx *db.Tx, given map[string][]db.Attribute) error {
	fields, err := tx.Fields(ctx, auth.Scope(ctx))
	for _, f := range fields {
		if err == nil {
			err = readValues(f, given[f.Key])
		}
	}
	return err
}

// readValues reads values that a user sets for one field.
func readValues(f db.OwnField, rows []db.Attribute) error {
	for i, row := range rows {
		value, ok := model.Marked(f, "", "", row.Value)
		if !ok {
			return invalid(fmt.Sprintf("body.attributes.%s[%d].value", f.Key, i), "must be "+model.Wanted(f))
		}
		rows[i] = value
	}
	return nil
}

// setAttributes sets a file's attributes for a user. If removed values replaced
// extracted ones that were not stored, the file is analysed again.
func (a *API) setAttributes(ctx context.Context, tx *db.Tx, fileID string, given map[string][]db.Attribute) error {
	if err := readGiven(ctx, tx, given); err != nil {
		return err
	}
	takenBack := false
	for _, key := range slices.Sorted(maps.Keys(given)) {
		if err := tx.SetAttribute(ctx, auth.Scope(ctx), fileID, key, given[key]); err != nil {
			return err
		}
		takenBack = takenBack || len(given[key]) == 0
	}
	if !takenBack {
		return nil
	}
	unread, err := tx.Unkept(ctx, auth.Scope(ctx), []string{fileID})
	if err != nil {
		return err
	}
	return a.analyzeAgain(ctx, tx, unread)
}

// OfVersion is the header by which a change names the version that it is based on.
type OfVersion struct {
	IfMatch string `header:"If-Match" doc:"The ETag that the change is based on"`
}

// ifMatch is the version in If-Match, 0 for any. A foreign ETag counts as stale.
func ifMatch(header string) (int, error) {
	header = strings.TrimSpace(header)
	if header == "" || header == "*" {
		return 0, nil
	}
	number, _, _ := strings.Cut(strings.Trim(strings.TrimPrefix(header, "W/"), `"`), ".")
	version, err := strconv.Atoi(number)
	if err != nil || version < 1 {
		return 0, fault.New(fault.Conflict, "If-Match is not an ETag of this resource; read it again")
	}
	return version, nil
}

func (a *API) deleteFile(ctx context.Context, in *struct {
	FileRef
	Purging
}) (Deleted, error) {
	return a.remove(ctx, in.Purging, "the file", func(tx *db.Tx, scope db.Scope) (db.TrashEntry, error) {
		entry, err := tx.DeleteFile(ctx, scope, in.FileID)
		if err != nil {
			return entry, err
		}
		return entry, a.stop(ctx, tx, in.FileID)
	})
}

// downloadFile sends the bytes of a version.
func (a *API) downloadFile(ctx context.Context, in *AtVersion, w http.ResponseWriter, r *http.Request) error {
	row, err := a.DB.FileAt(ctx, auth.Scope(ctx), in.FileID, in.Version)
	if err != nil {
		return err
	}
	version, err := a.DB.Version(ctx, auth.Scope(ctx), row.ID, row.CurrentVersion)
	if err != nil {
		return err
	}
	content, err := a.Blobs.Open(ctx, blob.Of(row.ID, row.BytesID))
	if err != nil {
		return err
	}
	defer content.Close()
	header := w.Header()
	header.Set("Content-Type", row.ContentType)
	header.Set("Content-Disposition", attachment(row.Name))
	header.Set("X-Version", strconv.Itoa(row.CurrentVersion))
	header.Set("ETag", bytesTag(row))
	serveContent(w, r, version.CreatedAt, content)
	return nil
}

// FileName is the name of a file.
type FileName struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

func (a *API) getFileName(ctx context.Context, in *FileRef) (FileName, error) {
	row, err := a.DB.File(ctx, auth.Scope(ctx), in.FileID)
	return FileName{row.ID, row.Name}, err
}

// FileType is the document type of a file.
type FileType struct {
	ID         string   `json:"id" doc:"Id of the file"`
	FileTypeID *string  `json:"fileTypeId" doc:"Id of the document type"`
	Source     *string  `json:"source,omitempty" enum:"predicted,assigned"`
	Score      *float32 `json:"score,omitempty"`
}

func (a *API) getFileType(ctx context.Context, in *FileRef) (FileType, error) {
	row, err := a.DB.File(ctx, auth.Scope(ctx), in.FileID)
	return FileType{row.ID, row.DocumentTypeID, row.DocumentTypeSource, row.DocumentTypeScore}, err
}

func idsOf(files []db.ListedFile) []string {
	ids := make([]string, len(files))
	for i, f := range files {
		ids[i] = f.ID
	}
	return ids
}

// text is *p, "" for nil.
func text(p *string) string {
	if p == nil {
		return ""
	}
	return *p
}

// list is never nil, so that it is [] on the wire.
func list[T any](rows []T) []T {
	if rows == nil {
		return []T{}
	}
	return rows
}

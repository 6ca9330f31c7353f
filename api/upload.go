package api

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"log/slog"
	"maps"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/jobs"
)

// createFile registers the upload, and describes its body by hand, because Huma must not
// read it: a form, which is streamed, or JSON.
func (a *API) createFile(area huma.API, path, id, summary string) {
	post(area, path, id, summary, a.uploadFiles, status(http.StatusAccepted), describe(
		"Stores one or many files and queues their processing. The body is `multipart/form-data` with one or many parts named `file` and the fields in any order, or JSON with the bytes in base64. "+
			"The answer is sent once the bytes and the request are stored. Processing continues in the background; `statusUrl` reports its progress. "+
			"The name of a file is the file name in the form, slashes included; the field `path` has its folder. "+
			"The answer to one file is the file; the answer to several has `items`, in the order of the request, and `errors` with the `index` of each file that was refused. "+
			"Supported formats are PDF, DOCX, DOC, RTF, ODT, HTML, EML, text, PNG, JPEG, TIFF, WebP and ZIP. The format is detected from the first bytes: any other is 415, and an empty file 422. "+
			"What can be detected only further into the file, such as the kind of an office document, becomes the error of the file. "+
			"With `Idempotency-Key`, a repeated request within a day gets the first answer and creates no further file. "+
			"The number of concurrent uploads is limited for each caller and each team; above it the answer is 429. A body that arrives slower than 1 KiB a second is 408."))

	a.fields = a.huma.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[uploadFields](), false, "")
	a.fields.PrecomputeMessages()
	form, object := maps.Clone(a.fields.Properties), maps.Clone(a.fields.Properties)
	bytes := huma.Schema{Type: huma.TypeString, Format: "binary"}
	form["file"] = &huma.Schema{Type: huma.TypeArray, Items: &bytes}
	folder := *form["path"]
	form["path"] = &huma.Schema{Type: huma.TypeArray, Items: &folder, Description: "One value for all files, or one for each file, in the same order. " + folder.Description}
	object["name"] = &huma.Schema{Type: huma.TypeString, Description: "File name"}
	object["contentBase64"] = &huma.Schema{Type: huma.TypeString, ContentEncoding: "base64"}
	a.huma.OpenAPI().Paths[path].Post.RequestBody = &huma.RequestBody{
		Required: true,
		Content: map[string]*huma.MediaType{
			formType: {Schema: &huma.Schema{Type: huma.TypeObject, Properties: form, Required: []string{"file"}}},
			jsonType: {Schema: &huma.Schema{Type: huma.TypeObject, Properties: object, Required: []string{"contentBase64", "name"}}},
		},
	}
}

const (
	formType = "multipart/form-data"
	jsonType = "application/json"
)

// uploadFields are the fields of an upload.
type uploadFields struct {
	DocumentTypeID string     `json:"documentTypeId,omitempty" format:"uuid"`
	MatterID       string     `json:"matterId,omitempty" format:"uuid"`
	CategoryIDs    Categories `json:"categoryIds,omitempty"`
	Metadata       Object     `json:"metadata,omitempty" doc:"Metadata set by users: any keys and values; at most 64 KiB"`
	Parties        []db.Party `json:"parties,omitempty" maxItems:"1000" nullable:"false"`
	Path           string     `json:"path,omitempty" maxLength:"4096" doc:"The folder of the file, such as 2020/leases; the name of the file may follow it"`
}

// Uploaded is the answer to an upload of several files.
type Uploaded struct {
	Items  []File        `json:"items" nullable:"false" doc:"The files that were accepted, in the order of the request"`
	Errors []UploadError `json:"errors" nullable:"false"`
}

// UploadError is the reason why one file of several was refused.
type UploadError struct {
	Index int    `json:"index" doc:"Position of the file among the files of the request, from 0"`
	Name  string `json:"name"`
	Error string `json:"error"`
	Code  string `json:"code"`
}

// uploadAnswer is a File or an Uploaded, as JSON, so that a repeated answer for an
// Idempotency-Key has the same bytes.
type uploadAnswer struct {
	json.RawMessage
	place    string // of the one file
	repeated bool
}

func (u uploadAnswer) location() string { return u.place }

// Schema is one or the other.
func (uploadAnswer) Schema(r huma.Registry) *huma.Schema {
	return &huma.Schema{OneOf: []*huma.Schema{
		r.Schema(reflect.TypeFor[File](), true, ""),
		r.Schema(reflect.TypeFor[Uploaded](), true, ""),
	}}
}

// uploadFiles stores the bytes, and then creates rows and jobs for them in one
// transaction. If that fails, the bytes are removed.
func (a *API) uploadFiles(ctx context.Context, in *struct {
	IdempotencyKey string `header:"Idempotency-Key" maxLength:"255"`
}) (uploadAnswer, error) {
	leave, err := a.quotas.uploads.take(auth.From(ctx))
	if err != nil {
		return uploadAnswer{}, err
	}
	defer leave()
	up := a.newUpload()
	err = a.receiveBody(ctx, callOf(ctx), up)
	if err == nil && len(up.files) == 0 {
		err = cmp.Or[error](up.refusal, fault.New(fault.Malformed, "the request has no file; send a part named file"))
	}
	if err != nil {
		a.discard(ctx, up)
		return uploadAnswer{}, err
	}

	var answer uploadAnswer
	committing := false
	err = a.DB.Prepared().InTx(ctx, func(tx *db.Tx) (err error) { // to plan it all takes longer than to do it
		answer, err = a.accept(ctx, tx, in.IdempotencyKey, up)
		committing = err == nil
		return err
	})
	// A commit with an error may still have succeeded. Its bytes are left to the
	// sweep, which checks for rows first.
	if answer.repeated || err != nil && !committing {
		a.discard(ctx, up)
	}
	return answer, err
}

// discard removes the bytes of a failed upload.
func (a *API) discard(ctx context.Context, up *upload) {
	for _, f := range up.files {
		if err := a.Blobs.Delete(context.WithoutCancel(ctx), up.key(f.id)); err != nil {
			a.Log.LogAttrs(ctx, slog.LevelWarn, "bytes are left to the sweep", slog.String("file_id", f.id), slog.Any("error", err))
		}
	}
}

// accept creates files from the stored bytes and queues their processing, or repeats the
// answer for an Idempotency-Key that was used before.
func (a *API) accept(ctx context.Context, tx *db.Tx, key string, up *upload) (uploadAnswer, error) {
	scope := auth.Scope(ctx)
	const operation = "upload"
	if key != "" {
		first, err := tx.Idempotent(ctx, scope, operation, key, up.hash())
		if err != nil || first != nil {
			return repeat(first), err
		}
	}
	rows, err := a.createFiles(ctx, tx, up)
	if err != nil {
		return uploadAnswer{}, err
	}
	categories, err := tx.FileCategories(ctx, scope, newList(rows, func(f db.File) string { return f.ID }).Items)
	if err != nil {
		return uploadAnswer{}, err
	}
	files := newList(rows, func(f db.File) File { return newFile(f, false, categories[f.ID], nil) }).Items
	var body any = Uploaded{files, list(up.failed)}
	var answer uploadAnswer
	if len(files)+len(up.failed) == 1 {
		body, answer.place = files[0], filePath(files[0].ID)
	}
	if answer.RawMessage, err = json.Marshal(body); err != nil || key == "" {
		return answer, err
	}
	return answer, tx.RememberAnswer(ctx, scope, operation, key, answer.RawMessage)
}

// repeat is the first answer again.
func repeat(first json.RawMessage) uploadAnswer {
	answer := uploadAnswer{RawMessage: first, repeated: true}
	var file struct {
		ID string `json:"id"`
	}
	if json.Unmarshal(first, &file) == nil && file.ID != "" {
		answer.place = filePath(file.ID)
	}
	return answer
}

func (a *API) createFiles(ctx context.Context, tx *db.Tx, up *upload) ([]db.File, error) {
	metadata, err := up.fields.Metadata.storable("body.metadata")
	if err != nil {
		return nil, err
	}
	categories, err := up.fields.CategoryIDs.ids("body.categoryIds")
	if err != nil {
		return nil, err
	}
	source := "upload"
	if auth.From(ctx).RateLimited() {
		source = "api"
	}
	active, err := tx.ActiveFiles(ctx, auth.Scope(ctx), laneFiles)
	if err != nil {
		return nil, err
	}
	free := max(0, laneFiles-active)
	list := make([]db.NewFile, len(up.files))
	for i, f := range up.files {
		list[i] = db.NewFile{
			ID: f.id, Name: f.name, Path: f.path, ContentType: "application/octet-stream", Size: f.Size, SHA256: f.SHA256[:], Source: source,
			DocumentTypeID: up.fields.DocumentTypeID, MatterID: up.fields.MatterID, Parties: up.fields.Parties,
			CategoryIDs: categories, Metadata: metadata, Bulk: i >= free,
		}
	}
	rows, err := tx.CreateFiles(ctx, auth.Scope(ctx), list)
	if err != nil {
		return nil, err
	}
	work := make([]jobs.Args, len(rows))
	for i, row := range rows {
		work[i] = receive(row)
	}
	return rows, jobs.Insert(ctx, a.Jobs, tx.Raw, work...)
}

// hash covers everything in an upload's request.
func (up *upload) hash() []byte {
	type file struct {
		Name   string
		Path   string `json:",omitempty"`
		SHA256 []byte
	}
	meant := struct {
		Fields uploadFields
		Files  []file
		Failed []UploadError
	}{Fields: up.fields, Failed: up.failed}
	for _, f := range up.files {
		meant.Files = append(meant.Files, file{f.name, f.path, f.SHA256[:]})
	}
	text, _ := json.Marshal(meant) // strings and bytes always can be
	sum := sha256.Sum256(text)
	return sum[:]
}

package api

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/draft"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/jobs"
)

// filesVersions serves the versions of files.
func (a *API) filesVersions() {
	session := a.area("Files", withSession)
	get(session, "/api/files/{fileId}/versions", "listFileVersions", "List the versions of a file", a.listVersions, describe(
		"Lists the versions of a file, newest first. A version is added when a user uploads an edited document, saves it in the editor, carries out changes or restores an older version. "+
			"Versions are never changed or removed while the file exists. "+
			"Text, sentences, labels, attributes and everything derived from them belong to the current version. "+
			"The parameter `version` of other operations selects a version: its bytes (`download`), its contents (`sfdt`, `changes`, `execute-redline`, `execute-revision`), and its text and analysis (`documents`)."))
	a.createVersion(session, "/api/files/{fileId}/versions", "addFileVersion", "Add a version to a file")
	get(session, "/api/files/{fileId}/versions/{n}", "getFileVersion", "Get a version of a file", a.getVersion, describe(
		"Returns a version. `notCarried` has what could not be carried over from the previous version: labels set by users on sentences that its text does not contain, and open changes whose text it does not contain."))
	get(session, "/api/files/{fileId}/versions/{n}/review", "reviewFileVersion", "Review what a version changes", a.reviewVersion, describe(
		"Puts a version, which the other side sent back, beside the one before and the changes that were proposed for that. `tracked` has its tracked changes and comments, `untracked` the differences that it does not show, with a warning. "+
			"Open proposals whose text is unchanged are in `carried`; the others are in `conflicts`, with the texts of both sides and their authors. "+
			"Decide on one, some or all with createChanges: `accept` and `reject` by the ids of tracked changes, `withdraw` a proposal, or propose one anew at `place`. Ids stay the same while others are decided."))
	post(session, "/api/files/{fileId}/versions/{n}/restore", "restoreFileVersion", "Restore a version of a file", a.restoreVersion, eitherWay[RestoreOptions](a), mayBe(http.StatusAccepted, "VersionAdded"), describe(
		"Adds a new version with the bytes of version `n`, which is then processed again. Other versions stay as they are. "+
			"Decisions and open changes are carried over as for any new version. If the current version has the same bytes, no version is added and the answer is 200."))
}

// FileVersion is one version of a file.
type FileVersion struct {
	N            int              `json:"n" doc:"Number of the version, from 1"`
	Current      bool             `json:"current" doc:"Whether it is the current version, which is the newest"`
	Source       db.VersionSource `json:"source" doc:"upload: the first upload; import: an edited document that was uploaded; editor: saved in the editor; execute: changes were carried out; unlock: the version before without its password. A restored version has the source of the original one"`
	Author       *Actor           `json:"author,omitempty" doc:"Who added the version; absent if unknown"`
	CreatedAt    time.Time        `json:"createdAt"`
	Name         string           `json:"name" doc:"File name at the upload of the version"`
	ContentType  string           `json:"contentType" doc:"Media type, detected from the bytes"`
	Size         int64            `json:"size" doc:"Size in bytes"`
	SHA256       string           `json:"sha256" doc:"SHA-256 of the bytes, in hexadecimal"`
	Note         string           `json:"note" doc:"The author's comment on the version"`
	RestoredFrom *int             `json:"restoredFrom,omitempty" doc:"Number of the version that was restored"`
	TextReady    bool             `json:"textReady" doc:"Whether its text and analysis are available"`
	NotCarried   []NotCarried     `json:"notCarried,omitempty" nullable:"false" doc:"Only in the answer for a single version"`
}

// NotCarried is a label or change that could not be carried over to a version.
type NotCarried struct {
	Kind      string     `json:"kind" enum:"label,change"`
	Text      string     `json:"text" doc:"Text of the sentence, or the text that the change refers to"`
	Label     *string    `json:"label,omitempty" doc:"The label that a user had set; absent for no clause"`
	Refused   bool       `json:"refused,omitempty" doc:"The user had removed this label"`
	ChangeID  string     `json:"changeId,omitempty"`
	Error     string     `json:"error,omitempty" doc:"Why the change could not be carried over"`
	DecidedBy *string    `json:"decidedBy,omitempty"`
	DecidedAt *time.Time `json:"decidedAt,omitempty"`
}

func newFileVersion(v db.Version, current int) FileVersion {
	out := FileVersion{
		N: v.Number, Current: v.Number == current, Source: v.Source, CreatedAt: v.CreatedAt.UTC(), Name: v.Name, ContentType: v.ContentType,
		Size: v.Size, SHA256: hex.EncodeToString(v.SHA256), Note: v.Note, RestoredFrom: v.RestoredFrom, TextReady: v.Read,
	}
	if v.AuthorKind != nil {
		out.Author = &Actor{*v.AuthorKind, text(v.AuthorID), text(v.AuthorName)}
	}
	return out
}

func (v FileVersion) etag() string { return contentTag(v.N, v) }

// VersionRef is the request of every operation on one version of a file.
type VersionRef struct {
	FileRef
	N int `path:"n" minimum:"1" doc:"Number of the version"`
}

func (a *API) listVersions(ctx context.Context, in *struct {
	FileRef
	Page
}) (List[FileVersion], error) {
	place, err := in.place("versions")
	if err != nil {
		return List[FileVersion]{}, err
	}
	before := 0
	if place != "" {
		if before, err = strconv.Atoi(place); err != nil || before < 1 {
			return List[FileVersion]{}, errCursor("query.cursor")
		}
	}
	file, err := a.DB.File(ctx, auth.Scope(ctx), in.FileID)
	if err != nil {
		return List[FileVersion]{}, err
	}
	rows, err := a.DB.Versions(ctx, auth.Scope(ctx), in.FileID, before, in.Limit+1)
	if err != nil {
		return List[FileVersion]{}, err
	}
	out := newPage(rows, in.Limit, "versions", func(v db.Version) FileVersion { return newFileVersion(v, file.CurrentVersion) },
		func(v db.Version) string { return strconv.Itoa(v.Number) })
	out.Total = &file.CurrentVersion
	return out, nil
}

func (a *API) getVersion(ctx context.Context, in *VersionRef) (FileVersion, error) {
	scope := auth.Scope(ctx)
	file, err := a.DB.File(ctx, scope, in.FileID)
	if err != nil {
		return FileVersion{}, err
	}
	row, err := a.DB.Version(ctx, scope, in.FileID, in.N)
	if err != nil {
		return FileVersion{}, err
	}
	out := newFileVersion(row, file.CurrentVersion)
	out.NotCarried, err = a.notCarried(ctx, in.FileID, in.N)
	return out, err
}

// maxNotCarried bounds the listed decisions on sentences.
const maxNotCarried = 1_000

// notCarried lists what could not be carried over to a version.
func (a *API) notCarried(ctx context.Context, fileID string, n int) ([]NotCarried, error) {
	decisions, err := a.DB.OrphanedDecisions(ctx, auth.Scope(ctx), fileID, n, maxNotCarried)
	if err != nil {
		return nil, err
	}
	lost := []NotCarried{}
	for _, d := range decisions {
		lost = append(lost, NotCarried{Kind: "label", Text: d.Text, Label: d.Label, Refused: d.Refused, DecidedBy: d.ValidatedBy, DecidedAt: utc(d.ValidatedAt)})
	}
	rows, err := a.DB.Changes(ctx, auth.Scope(ctx), fileID)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		if row.Status != db.ChangeStale || row.Ended == nil || *row.Ended != n {
			continue
		}
		c, err := newChange(row)
		if err != nil {
			return nil, err
		}
		one := NotCarried{Kind: "change", ChangeID: c.ID, DecidedBy: c.CreatedBy, DecidedAt: c.CreatedAt}
		if c.Anchor != nil {
			one.Text = c.Anchor.Text
		}
		if c.Error != nil {
			one.Error = c.Error.Error
		}
		lost = append(lost, one)
	}
	return lost, nil
}

// versionFields are the fields of a request that adds a version.
type versionFields struct {
	Note          string `json:"note,omitempty" maxLength:"2000" doc:"A comment on the version"`
	ExpectVersion int    `json:"expectVersion,omitempty" minimum:"1" doc:"Number of the version that it is based on; 409 where the file has a newer one"`
}

// RestoreOptions are the fields of a request that restores a version.
type RestoreOptions versionFields

// createVersion registers the upload of a version, and describes its body as
// createFile does.
func (a *API) createVersion(area huma.API, path, id, summary string) {
	post(area, path, id, summary, a.addVersion, mayBe(http.StatusAccepted, "VersionAdded"), describe(
		"Adds a version to a file, such as a document that the other party sent back, in any supported format. The body is `multipart/form-data` with one part named `file`, or JSON with the bytes in base64. "+
			"Tracked changes in it keep their authors (`GET …/changes`). The new version is then processed. Until that is done the file has the text of the previous version, which also stays with that version. "+
			"What users set is carried over. Type, parties, metadata, attributes and assignments stay. Labels move to sentences with the same words, and open changes to places with the same text; "+
			"`notCarried` of the version lists the rest. The file keeps its name, with the extension of the uploaded file. "+
			"The body may also be JSON with what the Syncfusion editor saved of the current version (`sfdt`). Its edits become tracked changes of a new version. Tracked edits keep their author and date; other edits are by the caller. "+
			"Decisions on tracked changes are carried out. This is for Word documents only (422 for others). The version exists once the operation is completed; the result of the operation has its number, and `left` has what changes cannot express. "+
			"With `expectVersion`, or `If-Match` with the ETag of the file or of a download, it is 409 if another version was added since. "+
			"If the current version has the same bytes, no version is added and the answer is 200. "+
			"With `Idempotency-Key`, a repeated request within a day gets the first answer."))

	schemas := a.huma.OpenAPI().Components.Schemas
	a.said = schemas.Schema(reflect.TypeFor[versionFields](), false, "")
	a.said.PrecomputeMessages()
	form, object, edited := maps.Clone(a.said.Properties), maps.Clone(a.said.Properties), maps.Clone(a.said.Properties)
	form["file"] = &huma.Schema{Type: huma.TypeString, Format: "binary"}
	object["name"] = &huma.Schema{Type: huma.TypeString, Description: "File name"}
	object["contentBase64"] = &huma.Schema{Type: huma.TypeString, ContentEncoding: "base64"}
	edited["sfdt"] = &huma.Schema{Description: "The document as the editor saved it, in either form of the format"}
	schemas.Map()["VersionBytes"] = &huma.Schema{Type: huma.TypeObject, Properties: object, Required: []string{"contentBase64", "name"}}
	schemas.Map()["VersionEdits"] = &huma.Schema{Type: huma.TypeObject, Properties: edited, Required: []string{"sfdt"}}
	a.huma.OpenAPI().Paths[path].Post.RequestBody = &huma.RequestBody{
		Required: true,
		Content: map[string]*huma.MediaType{
			formType: {Schema: &huma.Schema{Type: huma.TypeObject, Properties: form, Required: []string{"file"}}},
			jsonType: {Schema: &huma.Schema{OneOf: []*huma.Schema{
				{Ref: "#/components/schemas/VersionBytes"}, {Ref: "#/components/schemas/VersionEdits"},
			}}},
		},
	}
}

// VersionAdded is the answer to a version.
type VersionAdded struct {
	Message     string       `json:"message"`
	Version     *FileVersion `json:"version,omitempty" doc:"The new version, or the current one where none was added; absent while edits are carried out"`
	OperationID string       `json:"operationId,omitempty"`
	StatusURL   string       `json:"statusUrl,omitempty" doc:"URL of the operation, which reports the progress; absent where no version was added"`
	Left        []string     `json:"left,omitempty" doc:"Edits that changes cannot express"`
}

func (v VersionAdded) underway() string { return v.StatusURL }

type addVersionRequest struct {
	FileRef
	OnceKey
	IfMatch string `header:"If-Match" doc:"The ETag of the file, or of the bytes, that the version is based on"`
}

// addVersion stores the bytes, and then makes a row and a job of them in one
// transaction, as uploadFiles does.
func (a *API) addVersion(ctx context.Context, in *addVersionRequest) (VersionAdded, error) {
	leave, err := a.quotas.uploads.take(auth.From(ctx))
	if err != nil {
		return VersionAdded{}, err
	}
	defer leave()
	if _, err := a.DB.File(ctx, auth.Scope(ctx), in.FileID); err != nil {
		return VersionAdded{}, err
	}
	var said versionFields
	up := a.newVersionUpload(&said)
	if err := a.receiveVersion(ctx, up); err != nil {
		a.discard(ctx, up)
		return VersionAdded{}, err
	}
	if up.edited != nil {
		return a.saveEdits(ctx, in, said, up.edited)
	}
	out, used, err := a.saveVersion(ctx, in, said, up)
	if !used {
		a.discard(ctx, up)
	}
	return out, err
}

// receiveVersion reads the one file, or the document of the editor.
func (a *API) receiveVersion(ctx context.Context, up *upload) error {
	err := a.receiveBody(ctx, callOf(ctx), up)
	switch {
	case err != nil || up.edited != nil:
		return err
	case up.refusal != nil:
		return up.refusal
	case len(up.files) == 0:
		return fault.New(fault.Malformed, "the request has no file; send a part named file")
	case len(up.files) > 1:
		return invalid("body.file", "must be a single file, since a version is one document")
	}
	return nil
}

// saveVersion makes a version from stored bytes. used reports whether a row may refer to
// them, because a commit with an error may still have succeeded.
func (a *API) saveVersion(ctx context.Context, in *addVersionRequest, said versionFields, up *upload) (out VersionAdded, used bool, err error) {
	committing := false
	sent := up.files[0]
	err = a.DB.InTx(ctx, func(tx *db.Tx) (err error) {
		used = false
		out, err = once(ctx, tx, "version "+in.FileID, in.OnceKey, []any{said, sent.name, sent.SHA256}, func() (VersionAdded, error) {
			held, err := a.expected(ctx, tx, in.FileID, in.IfMatch, said.ExpectVersion)
			if err != nil {
				return VersionAdded{}, err
			}
			if bytes.Equal(held.SHA256, sent.SHA256[:]) {
				return a.sameVersion(ctx, tx, held)
			}
			used = true
			return a.nextVersion(ctx, tx, held, db.NewVersion{
				BytesID: sent.id, Name: sent.name, ContentType: "application/octet-stream", Size: sent.Size, SHA256: sent.SHA256[:],
				Source: db.VersionImported, Note: said.Note,
			})
		})
		committing = err == nil
		return err
	})
	return out, used && (err == nil || committing), err
}

// expected locks a file for its next version. It is Conflict if the file has changed
// since the caller has seen it.
func (a *API) expected(ctx context.Context, tx *db.Tx, fileID, match string, version int) (db.File, error) {
	held, err := tx.FileForUpdate(ctx, auth.Scope(ctx), fileID)
	if err != nil {
		return held, err
	}
	if version != 0 && version != held.CurrentVersion {
		return held, fault.Newf(fault.Conflict, "the file has version %d now; read that first", held.CurrentVersion)
	}
	if strings.Contains(match, "-") { // of bytes
		if strings.TrimPrefix(strings.TrimSpace(match), "W/") != bytesTag(held) {
			return held, fault.Newf(fault.Conflict, "the file has version %d now; read that first", held.CurrentVersion)
		}
		return held, nil
	}
	counted, err := ifMatch(match)
	if err == nil && counted != 0 && counted != held.Version {
		err = fault.New(fault.Conflict, "it was changed by somebody else; read it again")
	}
	return held, err
}

// sameVersion is the answer if a version would have the bytes of the current one.
func (a *API) sameVersion(ctx context.Context, tx *db.Tx, held db.File) (VersionAdded, error) {
	row, err := tx.Version(ctx, auth.Scope(ctx), held.ID, held.CurrentVersion)
	if err != nil {
		return VersionAdded{}, err
	}
	version := newFileVersion(row, held.CurrentVersion)
	return VersionAdded{Message: fmt.Sprintf("version %d has the same bytes; no version was added", row.Number), Version: &version}, nil
}

// nextVersion adds a version to a locked file, and queues its processing, which replaces
// a running one.
func (a *API) nextVersion(ctx context.Context, tx *db.Tx, held db.File, v db.NewVersion) (VersionAdded, error) {
	scope := auth.Scope(ctx)
	if err := a.stop(ctx, tx, held.ID); err != nil {
		return VersionAdded{}, err
	}
	bulk, err := busy(ctx, tx)
	if err != nil {
		return VersionAdded{}, err
	}
	row, err := tx.AddVersion(ctx, scope, held, v, bulk)
	if err != nil {
		return VersionAdded{}, err
	}
	if err := jobs.Insert(ctx, a.Jobs, tx.Raw, receive(row)); err != nil {
		return VersionAdded{}, err
	}
	op, err := tx.CreateOperation(ctx, scope, "version", 1, nil)
	if err != nil {
		return VersionAdded{}, err
	}
	if err := tx.FollowFiles(ctx, op.ID, []db.Attempt{{FileID: row.ID, Number: row.Attempt}}); err != nil {
		return VersionAdded{}, err
	}
	added, err := tx.Version(ctx, scope, row.ID, row.CurrentVersion)
	if err != nil {
		return VersionAdded{}, err
	}
	version := newFileVersion(added, row.CurrentVersion)
	return VersionAdded{
		Message: fmt.Sprintf("version %d was added and is being processed", added.Number), Version: &version,
		OperationID: op.ID, StatusURL: "/api/operations/" + op.ID,
	}, nil
}

// saveEdits makes a version from edits in the editor. It proposes them as changes, each
// with its author, and queues a job that applies them as tracked changes.
func (a *API) saveEdits(ctx context.Context, in *addVersionRequest, said versionFields, saved EditorDocument) (VersionAdded, error) {
	o, release, err := a.open(ctx, in.FileID, 0)
	if err != nil {
		return VersionAdded{}, err
	}
	defer release()
	if o.Source != draft.Original {
		return VersionAdded{}, coded(errNotDOCX)
	}
	me, err := a.author(ctx)
	if err != nil {
		return VersionAdded{}, err
	}
	asked, err := edits(saved, o, me)
	if err != nil {
		return VersionAdded{}, err
	}
	var out VersionAdded
	err = a.DB.InTx(ctx, func(tx *db.Tx) error {
		out, err = once(ctx, tx, "version "+in.FileID, in.OnceKey, []any{said, saved}, func() (VersionAdded, error) {
			held, err := a.expected(ctx, tx, in.FileID, in.IfMatch, said.ExpectVersion)
			if err != nil {
				return VersionAdded{}, err
			}
			return a.editedVersion(ctx, tx, held, o, asked, said.Note)
		})
		return err
	})
	return out, err
}

// editedVersion proposes the edits, and queues their execution.
func (a *API) editedVersion(ctx context.Context, tx *db.Tx, held db.File, o *opened, asked proposal, note string) (VersionAdded, error) {
	proposed, err := a.propose(ctx, tx, o, asked)
	if err != nil {
		return VersionAdded{}, err
	}
	if len(proposed.Items) == 0 {
		same, err := a.sameVersion(ctx, tx, held)
		same.Left = proposed.Left
		return same, err
	}
	ids := newList(proposed.Items, func(c Change) string { return c.ID }).Items
	op, err := a.replaceFile(ctx, tx, held.ID, "", ids, jobs.ExecuteChanges{Mode: "edit", Note: note})
	if err != nil {
		return VersionAdded{}, err
	}
	return VersionAdded{Message: "the edits are being saved as a version", OperationID: op.ID, StatusURL: operationPath(op.ID), Left: proposed.Left}, nil
}

type restoreVersionRequest struct {
	VersionRef
	OnceKey
	IfMatch string `header:"If-Match" doc:"The ETag of the file, or of its bytes"`
	Body    *RestoreOptions
}

func (a *API) restoreVersion(ctx context.Context, in *restoreVersionRequest) (VersionAdded, error) {
	options := orNothing(in.Body)
	var out VersionAdded
	err := a.DB.InTx(ctx, func(tx *db.Tx) (err error) {
		out, err = once(ctx, tx, fmt.Sprintf("restore %s %d", in.FileID, in.N), in.OnceKey, options, func() (VersionAdded, error) {
			held, err := a.expected(ctx, tx, in.FileID, in.IfMatch, options.ExpectVersion)
			if err != nil {
				return VersionAdded{}, err
			}
			old, err := tx.Version(ctx, auth.Scope(ctx), in.FileID, in.N)
			if err != nil {
				return VersionAdded{}, err
			}
			if bytes.Equal(held.SHA256, old.SHA256) {
				return a.sameVersion(ctx, tx, held)
			}
			return a.nextVersion(ctx, tx, held, db.NewVersion{
				BytesID: old.BytesID, Name: old.Name, Kind: old.Kind, ContentType: old.ContentType, Size: old.Size, SHA256: old.SHA256,
				Source: old.Source, Note: cmp.Or(options.Note, fmt.Sprintf("restored from %d", old.Number)), RestoredFrom: old.Number,
			})
		})
		return err
	})
	return out, err
}

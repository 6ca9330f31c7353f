package api

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/blob"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/document"
	"github.com/clausemill/clausemill/fault"
)

// Bounds of a form, apart from the bytes of files.
const (
	maxParts  = 1000
	maxFields = 1 << 20 // bytes
)

// upload is the contents of a request's body.
type upload struct {
	schema  *huma.Schema           // of its fields
	said    any                    // the struct that they are decoded into
	key     func(id string) string // under which bytes are stored
	edits   bool                   // whether a document of the editor is accepted instead of a file
	fields  uploadFields
	edited  EditorDocument
	files   []stored
	failed  []UploadError
	refusal error // of the first of failed
}

// next is the index, among the files of the request, of the one that comes now.
func (up *upload) next() int { return len(up.files) + len(up.failed) }

// newUpload is for files.
func (a *API) newUpload() *upload {
	up := &upload{schema: a.fields, key: blob.Original}
	up.said = &up.fields
	return up
}

// newVersionUpload is for a version of a file.
func (a *API) newVersionUpload(said *versionFields) *upload {
	return &upload{schema: a.said, said: said, key: blob.Version, edits: true}
}

// stored is a file whose bytes are in the blob store.
type stored struct {
	id   string
	name string
	path string
	at   int // its index among the files of the request
	blob.Written
}

// receiveBody stores the files in the body of a request. After an error the
// caller discards what was stored until then.
func (a *API) receiveBody(ctx context.Context, c *call, up *upload) error {
	c.body.within(a.Limits.UploadTime)
	var err error
	switch mediaType(c.r.Header.Get("Content-Type")) {
	case formType:
		c.body.streamed()
		err = a.receiveForm(ctx, c.r, up)
	case jsonType:
		err = a.receiveJSON(ctx, c.r.Body, c.r.ContentLength, up)
	default:
		err = fault.New(fault.Unsupported, "send "+formType+" or "+jsonType)
	}
	return cmp.Or(c.body.broken(), err) // the cause of whatever came of it
}

// receiveForm stores the files of a form one after the other, as they arrive. The fields
// may be in any order; those before the first file are checked before its bytes are
// read.
func (a *API) receiveForm(ctx context.Context, r *http.Request, up *upload) error {
	// Package multipart asks for 4 KiB at a time, each of which would be a system call.
	r = r.WithContext(ctx)
	r.Body = struct {
		io.Reader
		io.Closer
	}{bufio.NewReaderSize(r.Body, 64<<10), r.Body}
	form, err := r.MultipartReader()
	if err != nil {
		return fault.Wrap(fault.Malformed, "the form cannot be read: "+err.Error(), err)
	}
	fields, room := map[string]json.RawMessage{}, maxFields
	var paths []string
	for range maxParts {
		// Raw, because NextPart would decode quoted-printable, and a file must be
		// stored as it was sent.
		part, err := form.NextRawPart()
		if errors.Is(err, io.EOF) {
			if err := up.place(paths); err != nil {
				return err
			}
			return a.setFields(up, fields)
		}
		if err != nil {
			return brokenForm(err)
		}
		name := part.FormName()
		if name != "file" {
			if _, twice := fields[name]; twice {
				return invalid("body."+name, "is given twice")
			}
			value, err := io.ReadAll(io.LimitReader(part, int64(room)+1))
			if err != nil {
				return brokenForm(err)
			}
			if room -= len(value); room < 0 {
				return fault.Newf(fault.TooLarge, "the fields of a form may have at most %d bytes", maxFields)
			}
			if name == "path" {
				paths = append(paths, string(value))
				continue
			}
			if len(value) > 0 {
				fields[name] = fieldValue(name, value)
			}
			continue
		}
		if up.next() == 0 {
			if err := a.setFields(up, fields); err != nil {
				return err
			}
		}
		if err := a.receivePart(ctx, part, up); err != nil {
			return err
		}
	}
	return fault.Newf(fault.TooLarge, "a form may have fewer than %d parts; send the rest in another request", maxParts)
}

func brokenForm(err error) error {
	return fault.Wrap(fault.Malformed, "the form ends early or cannot be read", err)
}

// receivePart stores one file of a form. A file that is too large, empty or of an
// unsupported format is recorded as failed, and the next ones are still read, unless it
// is so large that reading to its end is not worth it.
func (a *API) receivePart(ctx context.Context, part *multipart.Part, up *upload) error {
	name := cleanName(fileName(part))
	if name == "" {
		name = "untitled"
	}
	content := &partReader{part: part}
	err := a.store(ctx, name, content, a.Limits.MaxFile, up)
	kind := fault.KindOf(err)
	switch {
	case content.failure != nil:
		return brokenForm(content.failure)
	case kind != fault.TooLarge && kind != fault.Unsupported && !errors.Is(err, errEmpty):
		return err
	}
	if _, rest := io.CopyN(io.Discard, part, a.Limits.MaxFile); !errors.Is(rest, io.EOF) {
		return err
	}
	if up.refusal == nil {
		up.refusal = err
	}
	up.failed = append(up.failed, UploadError{up.next(), name, fault.Message(err), codes[statuses[kind]]})
	return nil
}

// fileName is the file name in a form. Part.FileName would cut it at slashes.
func fileName(part *multipart.Part) string {
	_, params, err := mime.ParseMediaType(part.Header.Get("Content-Disposition"))
	if err != nil {
		return ""
	}
	return params["filename"]
}

// place sets the paths of the files: one for all of them, or one for each.
func (up *upload) place(paths []string) error {
	if len(paths) > 1 && len(paths) != up.next() {
		return invalid("body.path", "must be given once, or once for each file")
	}
	for i := range up.files {
		f := &up.files[i]
		switch len(paths) {
		case 0:
			continue
		case 1:
			f.name, f.path = placed(f.name, paths[0])
		default:
			f.name, f.path = placed(f.name, paths[f.at])
		}
		if utf8.RuneCountInString(f.path) > maxPath {
			return invalid("body.path", fmt.Sprintf("has more than %d characters", maxPath))
		}
	}
	return nil
}

// partReader separates errors of reading a part, which are the caller's, from errors of
// storing it, which are ours.
type partReader struct {
	part    io.Reader
	failure error
}

func (r *partReader) Read(p []byte) (int, error) {
	n, err := r.part.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		r.failure = err
	}
	return n, err
}

// fieldValue is the value of a form field as JSON, which some of them are.
func fieldValue(name string, value []byte) json.RawMessage {
	if (name == "metadata" || name == "categoryIds" || name == "parties" || name == "expectVersion") && json.Valid(value) {
		return value
	}
	text, _ := json.Marshal(string(value)) // a string always can be
	return text
}

// receiveJSON stores the one file of a JSON body.
func (a *API) receiveJSON(ctx context.Context, body io.Reader, length int64, up *upload) error {
	limit := a.Limits.MaxJSONFile/3*4 + maxFields
	if length > 0 && length <= limit { // refuse early what would exceed the quota later
		sure := a.quotas.memory.of(auth.From(ctx))
		if err := sure.more(bodyMemory * length); err != nil {
			return err
		}
		sure.release()
	}
	var text bytes.Buffer
	n, err := io.Copy(&text, io.LimitReader(body, limit+1))
	if err != nil {
		return fault.Wrap(fault.Malformed, "the body ends early", err)
	}
	if n > limit {
		_, _ = io.CopyN(io.Discard, body, limit) // so that the caller can receive the answer
		return a.jsonTooLarge()
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text.Bytes(), &fields); err != nil {
		return fault.Wrap(fault.Malformed, "the body is not a JSON object", err)
	}
	if up.edits && fields["sfdt"] != nil && fields["contentBase64"] == nil {
		up.edited = EditorDocument(fields["sfdt"])
		delete(fields, "sfdt")
		return a.setFields(up, fields)
	}
	var name string
	if err := json.Unmarshal(fields["name"], &name); err != nil || cleanName(name) == "" {
		return invalid("body.name", "must be the name of the file")
	}
	if fields["contentBase64"] == nil {
		return invalid("body.contentBase64", "is missing")
	}
	var content []byte
	if err := json.Unmarshal(fields["contentBase64"], &content); err != nil {
		return fault.Wrap(fault.Malformed, "contentBase64 is not base64", err)
	}
	if int64(len(content)) > a.Limits.MaxJSONFile {
		return a.jsonTooLarge()
	}
	delete(fields, "name")
	delete(fields, "contentBase64")
	if err := a.setFields(up, fields); err != nil {
		return err
	}
	if err := a.store(ctx, cleanName(name), bytes.NewReader(content), a.Limits.MaxJSONFile, up); err != nil {
		return err
	}
	return up.place([]string{up.fields.Path})
}

func (a *API) jsonTooLarge() error {
	return fault.Newf(fault.TooLarge, "a file in JSON may have at most %d bytes; send larger ones as "+formType, a.Limits.MaxJSONFile)
}

// setFields validates and decodes the fields, in the same way for a form as for JSON.
func (a *API) setFields(up *upload, fields map[string]json.RawMessage) error {
	text, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		return err
	}
	at, result := huma.NewPathBuffer(nil, 0), &huma.ValidateResult{}
	at.Push("body")
	huma.Validate(a.huma.OpenAPI().Components.Schemas, up.schema, at, huma.ModeWriteToServer, value, result)
	if len(result.Errors) > 0 {
		return huma.NewError(http.StatusUnprocessableEntity, "validation failed", result.Errors...)
	}
	err = json.Unmarshal(text, up.said)
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrong): // of what is valid, only numbers that are too large
		return invalid("body."+wrong.Field, "is out of range")
	case err != nil:
		return fmt.Errorf("fields that are valid cannot be read: %w", err)
	}
	return nil
}

// store stores the bytes of one file, unless their start shows an unsupported format.
func (a *API) store(ctx context.Context, name string, content io.Reader, limit int64, up *upload) error {
	content, err := readable(name, content)
	if err != nil {
		return err
	}
	id := db.NewID()
	written, err := a.Blobs.Put(ctx, up.key(id), content, limit)
	if err != nil {
		return err
	}
	up.files = append(up.files, stored{id: id, name: name, at: up.next(), Written: written})
	return nil
}

var errEmpty = fault.New(fault.Invalid, "the file is empty")

// readable is content, or Unsupported if its format is not supported.
func readable(name string, content io.Reader) (io.Reader, error) {
	buffered := bufio.NewReaderSize(content, document.HeadSize)
	head, err := buffered.Peek(document.HeadSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if len(head) == 0 {
		return nil, errEmpty
	}
	if _, err := document.Sniff(head, name); err != nil {
		return nil, fault.Wrap(fault.Unsupported, fault.Message(err), err)
	}
	return buffered, nil
}

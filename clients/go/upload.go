package clausemill

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"strconv"
)

// MaxIDs is how many files one request may ask about: the address then stays
// within the 8 KiB that proxies let through.
const MaxIDs = 150

// Upload is files to send with one request.
type Upload struct {
	Sources []Source

	DocumentTypeID string // of every file, as is what follows
	MatterID       string
	Metadata       map[string]any

	// IdempotencyKey makes the server give its first answer again instead of
	// taking the files twice.
	// Without one it has a random one.
	IdempotencyKey string

	// Sent, if set, is called with the number of bytes of a source that were sent.
	// It restarts from 0 when an attempt failed.
	Sent func(source int, bytes int64)
}

// Uploaded is what became of one source: the file that the server made of it,
// or why it made none: an *Error without a status, where it is about one of several.
type Uploaded struct {
	File File
	Err  error
}

// uploadAnswer is what the service says to an upload: a file, or, where several
// were sent, those that it took and those that it did not.
type uploadAnswer struct {
	File

	Items  []File        `json:"items"`
	Errors []UploadError `json:"errors"`
}

// UploadFile sends files and returns what became of each, in order. It streams:
// memory does not grow with the files. An error means that none was taken.
//
// POST /api/files.
func (c *Client) UploadFile(ctx context.Context, u Upload) ([]Uploaded, error) {
	var answer uploadAnswer
	if err := c.postForm(ctx, "/api/files", u.form(), u.IdempotencyKey, &answer); err != nil {
		return nil, err
	}
	return answer.match(u.Sources)
}

// Version is a file that takes the place of another, and becomes its next version.
type Version struct {
	Source Source
	Note   string // a comment on the version

	// ExpectVersion is the number of the version that it was made of: the error has
	// status 409 where the file has a newer one by now. 0 takes any.
	ExpectVersion int64

	// IdempotencyKey is as for an Upload.
	IdempotencyKey string
}

// AddFileVersion sends the next version of a file.
//
// POST /api/files/{fileId}/versions.
func (c *Client) AddFileVersion(ctx context.Context, fileID string, v Version) (*VersionAdded, error) {
	f := form{sources: []Source{v.Source}}
	f.field("note", v.Note)
	if v.ExpectVersion != 0 {
		f.field("expectVersion", strconv.FormatInt(v.ExpectVersion, 10))
	}
	added := new(VersionAdded)
	return added, c.postForm(ctx, path("/api/files/{fileId}/versions", fileID), f, v.IdempotencyKey, added)
}

// postForm sends a form with files.
func (c *Client) postForm(ctx context.Context, target string, f form, key string, out any) error {
	if f.err != nil {
		return f.err
	}
	if key == "" {
		key = rand.Text()
	}
	return c.do(ctx, true, func(ctx context.Context, alive func()) (*http.Request, error) {
		body, err := newBody(f, key, alive)
		if err != nil {
			return nil, err
		}
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base.String()+target, body)
		if err != nil {
			return nil, err
		}
		r.ContentLength = body.size
		r.Header.Set("Accept", "application/json")
		r.Header.Set("Content-Type", body.contentType)
		r.Header.Set("Expect", "100-continue")
		r.Header.Set(keyHeader, key)
		return r, nil
	}, func(answer *Stream) error {
		return errors.Join(c.decode(answer, out), answer.Close())
	})
}

// match finds what was said of each source: refusals have its index, and the files that
// were taken are in the order of the others.
func (a *uploadAnswer) match(sources []Source) ([]Uploaded, error) {
	if a.File.ID != "" {
		a.Items = []File{a.File}
	}
	other := fmt.Errorf("the server's answer is about other files than the %d that were sent", len(sources))
	if len(a.Items)+len(a.Errors) != len(sources) {
		return nil, other
	}
	all := make([]Uploaded, len(sources))
	for _, refused := range a.Errors {
		if refused.Index < 0 || refused.Index >= int64(len(all)) || all[refused.Index].Err != nil {
			return nil, other
		}
		all[refused.Index].Err = &Error{Code: refused.Code, Message: refused.Error}
	}
	for i, source := range sources {
		if all[i].Err != nil {
			continue
		}
		all[i].File, a.Items = a.Items[0], a.Items[1:]
		if all[i].File.SHA256 != source.SHA256 {
			return nil, other
		}
	}
	return all, nil
}

package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// MaxIDs is how many files one request may ask about: the address then stays
// within the 8 KiB that proxies let through.
const MaxIDs = 150

// File is a document as the server knows it.
type File struct {
	ID          string    `json:"id"`
	Name        string    `json:"name"`
	Size        int64     `json:"size"`
	SHA256      string    `json:"sha256"`
	Status      string    `json:"status"`
	Stage       string    `json:"stage"`
	Progress    float64   `json:"progress"` // 0 to 1
	PageCount   int       `json:"pageCount"`
	DuplicateOf string    `json:"duplicateOf"`
	Warnings    []Warning `json:"warnings"`
	Error       *Failure  `json:"error"`
}

// Warning is something that went wrong with a file that is usable all the same.
type Warning struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Failure is why a file failed.
type Failure struct { //nolint:errname // it is a part of the answer first
	Code    string `json:"code"` // of a closed set: see the API's description
	Stage   string `json:"stage"`
	Message string `json:"message"`
	Hint    string `json:"hint"`
	Page    int    `json:"page"`
}

func (f *Failure) Error() string {
	text := f.Code
	if f.Message != "" {
		text += ": " + f.Message
	}
	if f.Page > 0 {
		text += fmt.Sprintf(" (page %d)", f.Page)
	}
	if f.Hint != "" {
		text += "; " + f.Hint
	}
	return text
}

// Ended reports whether the server is done with the file.
func (f File) Ended() bool {
	switch f.Status {
	case "completed", "completed_with_warnings", "failed", "cancelled":
		return true
	default:
		return false
	}
}

// Err is why an ended file is of no use, or nil.
func (f File) Err() error {
	switch {
	case f.Status == "cancelled":
		return &Failure{Code: "cancelled", Message: "somebody cancelled it"}
	case f.Status != "failed":
		return nil
	case f.Error == nil:
		return &Failure{Code: "internal", Message: "the server did not say why"}
	default:
		return f.Error
	}
}

// Upload is files to send with one request.
type Upload struct {
	Sources []Source

	DocumentTypeID string // of every file, as is what follows
	MatterID       string
	Metadata       map[string]any

	// IdempotencyKey makes the server give its first answer again instead of
	// taking the files twice.
	IdempotencyKey string

	// Sent, if set, is called with the number of bytes of a source that were sent.
	// It restarts from 0 when an attempt failed.
	Sent func(source int, bytes int64)
}

// Uploaded is what became of one source: the file that the server made of it,
// or why it made none.
type Uploaded struct {
	File File
	Err  error
}

// uploadAnswer is what the server says to an upload: a file, or, where several
// were sent, those that it took and those that it did not.
type uploadAnswer struct {
	File
	Items  []File `json:"items"`
	Errors []struct {
		Name  string `json:"name"`
		Error string `json:"error"`
	} `json:"errors"`
}

// Upload sends files and returns what became of each, in order. It streams:
// memory does not grow with the files. An error means that none was taken.
func (c *Client) Upload(ctx context.Context, u Upload) ([]Uploaded, error) {
	target := c.base.JoinPath("api", "files").String()
	var answer uploadAnswer
	err := c.do(ctx, func(ctx context.Context, alive func()) (*http.Request, error) {
		body, err := newBody(u, alive)
		if err != nil {
			return nil, err
		}
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, target, body)
		if err != nil {
			return nil, err
		}
		r.ContentLength = body.size
		r.Header.Set("Content-Type", body.contentType)
		r.Header.Set("Expect", "100-continue")
		r.Header.Set("Idempotency-Key", u.IdempotencyKey)
		return r, nil
	}, &answer)
	if err != nil {
		return nil, err
	}
	return answer.match(u.Sources)
}

// match finds what was said of each source. The server keeps their order among
// those that it took, and among those that it did not.
func (a *uploadAnswer) match(sources []Source) ([]Uploaded, error) {
	if a.File.ID != "" {
		a.Items = []File{a.File}
	}
	if len(a.Items)+len(a.Errors) != len(sources) {
		return nil, fmt.Errorf("the server's answer is about %d files, and %d were sent", len(a.Items)+len(a.Errors), len(sources))
	}
	all := make([]Uploaded, len(sources))
	for i, source := range sources {
		switch {
		case len(a.Items) > 0 && a.Items[0].SHA256 == source.SHA256:
			all[i].File, a.Items = a.Items[0], a.Items[1:]
		case len(a.Errors) > 0:
			all[i].Err, a.Errors = errors.New(a.Errors[0].Error), a.Errors[1:]
		default:
			return nil, fmt.Errorf("the server's answer does not mention %s", source.Name)
		}
	}
	return all, nil
}

// Files returns those of at most MaxIDs files that the server still has, in no
// particular order.
func (c *Client) Files(ctx context.Context, ids []string) ([]File, error) {
	query := url.Values{"ids": {strings.Join(ids, ",")}, "limit": {strconv.Itoa(len(ids))}}
	var list struct {
		Items []File `json:"items"`
	}
	err := c.do(ctx, c.get("api/files", query), &list)
	return list.Items, err
}

// Follow returns the status of a file once it changes, or as it is after wait.
func (c *Client) Follow(ctx context.Context, id string, wait time.Duration) (File, error) {
	query := url.Values{"wait": {strconv.Itoa(int(wait.Seconds()))}}
	var file File
	err := c.do(ctx, c.get("api/files/"+url.PathEscape(id)+"/status", query), &file)
	return file, err
}

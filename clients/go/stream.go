package clausemill

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"time"
)

// Stream is the body of an answer, which has to be closed, and what its headers say.
type Stream struct {
	Status int
	Header http.Header
	Size   int64 // in bytes; -1 where it is not known

	body io.ReadCloser
	ctx  context.Context //nolint:containedctx // it lasts as long as the body
	idle *time.Timer
	end  func()
}

func newStream(ctx context.Context, response *http.Response, idle *time.Timer, end func()) *Stream {
	return &Stream{
		Status: response.StatusCode, Header: response.Header, Size: response.ContentLength,
		body: response.Body, ctx: ctx, idle: idle, end: end,
	}
}

// Read reads on. It fails where nothing comes for longer than a service lets pass.
func (s *Stream) Read(p []byte) (int, error) {
	s.idle.Reset(idleTimeout)
	n, err := s.body.Read(p)
	s.idle.Stop()
	if err != nil && errors.Is(context.Cause(s.ctx), errIdle) {
		err = errIdle
	}
	return n, err
}

// Close ends the request.
func (s *Stream) Close() error {
	err := s.body.Close()
	s.end()
	return err
}

// ContentType is the media type, without parameters.
func (s *Stream) ContentType() string {
	media, _, _ := mime.ParseMediaType(s.Header.Get("Content-Type"))
	return media
}

// FileName is what the service calls it, or nothing. It is a name and no path, but not
// one that a program should write to unseen.
func (s *Stream) FileName() string {
	_, parameters, _ := mime.ParseMediaType(s.Header.Get("Content-Disposition"))
	return parameters["filename"]
}

package clausemill

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// Error is an answer that is no success.
type Error struct {
	Status     int
	Code       string        // the sort of error, for programs: not_found, conflict, …
	Message    string        // the service's own words, fit for people
	Details    []Detail      // what is wrong with which part of the request
	RequestID  string        // by which the operators of the service find it in their log
	RetryAfter time.Duration // 0 where the service did not say

	location string // where a redirect leads
}

func (e *Error) Error() string {
	if e.Message == "" {
		return fmt.Sprintf("the server answered %d %s", e.Status, http.StatusText(e.Status))
	}
	return e.Message
}

// ErrNotReady is of an answer that is still being made: ask again. Such an answer has
// status 202.
var ErrNotReady = errors.New("it is being made: ask again")

// ErrNotModified is of a question with If-None-Match whose answer is still the same.
var ErrNotModified = errors.New("it is the same as before")

// Is has errors.Is find ErrNotReady and ErrNotModified.
func (e *Error) Is(target error) bool {
	return target == ErrNotReady && e.Status == http.StatusAccepted ||
		target == ErrNotModified && e.Status == http.StatusNotModified
}

// passing reports whether the error is likely to be transient, of the service or of
// a proxy before it.
func (e *Error) passing() bool {
	switch e.Status {
	case http.StatusRequestTimeout, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout,
		http.StatusInsufficientStorage: // somebody makes room
		return true
	default:
		return false
	}
}

// AccessDenied reports whether the service rejects the caller itself, so that every other
// request would fail too.
func AccessDenied(err error) bool {
	var e *Error
	return errors.As(err, &e) && (e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden)
}

// maxError bounds what is read of an answer that is no success.
const maxError = 1 << 20

func newError(answer *Stream) *Error {
	e := &Error{
		Status:     answer.Status,
		RequestID:  answer.Header.Get("X-Request-Id"),
		RetryAfter: parseRetryAfter(answer.Header.Get("Retry-After"), time.Now()),
		location:   answer.Header.Get("Location"),
	}
	var said struct {
		Error, Code, Message string
		Details              []Detail
		Description          string `json:"error_description"` // of OAuth, whose code is in error
	}
	body, err := io.ReadAll(io.LimitReader(answer, maxError))
	if err != nil || json.Unmarshal(body, &said) != nil {
		return e
	}
	e.Code, e.Message, e.Details = said.Code, said.Error, said.Details
	switch {
	case said.Description != "":
		e.Code, e.Message = said.Error, said.Description
	case said.Error == "":
		e.Message = said.Message
	}
	return e
}

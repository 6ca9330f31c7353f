package api

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/validation"

	"github.com/clausemill/clausemill/blob"
	"github.com/clausemill/clausemill/fault"
)

// Error is the body of every error answer.
type Error struct {
	status     int
	retryAfter int    // seconds; 0 for none
	challenge  string // of WWW-Authenticate, after the realm

	Message string   `json:"error" doc:"What went wrong and how to resolve it"`
	Code    string   `json:"code,omitempty" doc:"Error code for programs: malformed, invalid, unauthenticated, forbidden, not_found, conflict, too_large, insufficient_scope, unsupported_type, range_not_satisfiable, timeout, rate_limited, unavailable, insufficient_storage, internal; too_many_uploads, too_many_waiting, too_many_exports, too_many_texts, too_many_pdfs, too_many_drawings, too_many_questions and too_much_memory where the caller or the team has reached the limit of concurrent work"`
	Details []Detail `json:"details,omitempty" doc:"The parts of the request that are wrong"`
}

// Detail is one thing that is wrong with a request.
type Detail struct {
	Location string `json:"location" doc:"Part of the request: body.name, query.limit, …"`
	Message  string `json:"message"`
}

func (e *Error) Error() string { return e.Message }

// GetStatus returns the status for Huma.
func (e *Error) GetStatus() int { return e.status }

// statuses maps kinds of faults to HTTP statuses.
var statuses = map[fault.Kind]int{
	fault.Internal:    http.StatusInternalServerError,
	fault.Malformed:   http.StatusBadRequest,
	fault.Invalid:     http.StatusUnprocessableEntity,
	fault.Anonymous:   http.StatusUnauthorized,
	fault.Forbidden:   http.StatusForbidden,
	fault.NotFound:    http.StatusNotFound,
	fault.Conflict:    http.StatusConflict,
	fault.TooLarge:    http.StatusRequestEntityTooLarge,
	fault.Unsupported: http.StatusUnsupportedMediaType,
	fault.RateLimited: http.StatusTooManyRequests,
	fault.Unavailable: http.StatusServiceUnavailable,
	fault.NoSpace:     http.StatusInsufficientStorage,
}

// codes names the statuses for programs.
var codes = map[int]string{
	http.StatusBadRequest:                   "malformed",
	http.StatusUnauthorized:                 "unauthenticated",
	http.StatusForbidden:                    "forbidden",
	http.StatusNotFound:                     "not_found",
	http.StatusMethodNotAllowed:             "method_not_allowed",
	http.StatusRequestTimeout:               "timeout",
	http.StatusConflict:                     "conflict",
	http.StatusRequestEntityTooLarge:        "too_large",
	http.StatusUnsupportedMediaType:         "unsupported_type",
	http.StatusUnprocessableEntity:          "invalid",
	http.StatusRequestedRangeNotSatisfiable: "range_not_satisfiable",
	http.StatusTooManyRequests:              "rate_limited",
	http.StatusServiceUnavailable:           "unavailable",
	http.StatusInsufficientStorage:          "insufficient_storage",
	http.StatusInternalServerError:          "internal",
}

func newError(status int, message string, details ...Detail) *Error {
	e := &Error{status: status, Message: message, Code: codes[status], Details: details}
	switch status {
	case http.StatusServiceUnavailable:
		e.retryAfter = 1
	case http.StatusInsufficientStorage:
		e.retryAfter = 30 // an operator has to free space
	}
	return e
}

func internal() *Error { return newError(http.StatusInternalServerError, "internal error") }

// Huma keeps its error constructor and its messages in package variables and reads
// them while operations are registered, so they are replaced before any API exists.
func init() {
	plainMessages()
	huma.NewError = func(status int, message string, causes ...error) huma.StatusError {
		if status >= http.StatusInternalServerError {
			return internal()
		}
		details := detailsOf(causes)
		if len(details) > 0 {
			message += ": " + details[0].Location + ": " + details[0].Message
		}
		return newError(status, message, details...)
	}
	plain := huma.NewErrorWithContext
	huma.NewErrorWithContext = func(ctx huma.Context, status int, message string, causes ...error) huma.StatusError {
		c := callOf(ctx.Context())
		if c == nil || c.body == nil || c.body.failure == nil {
			return plain(ctx, status, message, causes...)
		}
		e := problem(ctx.Context(), c.body.failure) // the cause of whatever came of it
		e.setHeaders(c.w.Header())
		return e
	}
}

// plainMessages has Huma say in plain words what is wrong with a value: without
// numbers of RFCs, layouts of Go and what a parser thought of it, which %.0v leaves
// out.
func plainMessages() {
	validation.MsgExpectedRFC3339DateTime = "must be an instant, as 2026-03-31T12:00:00Z"
	validation.MsgExpectedRFC3339Date = "must be a day, as 2026-03-31"
	validation.MsgExpectedRFC4122UUID = "is not an id%.0v"
	validation.MsgExpectedRFC5322Email = "is not an e-mail address%.0v"
	validation.MsgExpectedRFC3986URI = "is not a URL%.0v"
	validation.MsgExpectedBase64String = "is not base64"
	validation.MsgExpectedMatchAtLeastOneSchema = "has none of the forms that it may have"
	validation.MsgExpectedMatchExactlyOneSchema = "has none of the forms that it may have, or several at once"
}

// detailsOf leaves out the values that Huma would echo, because they may be text of a
// contract.
func detailsOf(causes []error) []Detail {
	var details []Detail
	for _, cause := range causes {
		var detail *huma.ErrorDetail
		if errors.As(cause, &detail) {
			details = append(details, Detail{detail.Location, plainly(detail.Message)})
		}
	}
	return details
}

// plainly is a message without what Go says of its own types.
func plainly(message string) string {
	if strings.HasPrefix(message, "json: cannot unmarshal") {
		return "has a value that is too large or of another type"
	}
	return message
}

// problem turns a handler's error into an answer, and logs internal errors and
// unavailable dependencies.
func problem(ctx context.Context, err error) *Error {
	var ready *Error
	if errors.As(err, &ready) {
		return ready
	}
	if fault.KindOf(err) == fault.Internal && blob.Full(err) {
		err = fault.Wrap(fault.NoSpace, "there is no space for temporary files; try again later", err)
	}
	kind := fault.KindOf(err)
	c := callOf(ctx)
	switch {
	case c.hungUp():
		c.log.LogAttrs(ctx, slog.LevelDebug, "the caller hung up", slog.String("request_id", c.id), slog.Any("error", err))
		return newError(statusHungUp, "the request was given up")
	case kind == fault.Internal:
		c.log.LogAttrs(ctx, slog.LevelError, "operation failed", slog.String("request_id", c.id), slog.Any("error", err))
		return internal()
	case kind == fault.Unavailable, kind == fault.NoSpace:
		c.log.LogAttrs(ctx, slog.LevelWarn, "dependency unavailable", slog.String("request_id", c.id), slog.Any("error", err))
	}
	message := fault.Message(err)
	if kind == fault.Unavailable && message == "internal error" { // a bare deadline
		message = "this took too long; try again"
	}
	return newError(statuses[kind], message)
}

// writeError answers with e outside of Huma's handlers.
func writeError(w http.ResponseWriter, e *Error) {
	if e.Code == "" {
		e.Code = codes[e.status]
	}
	header := w.Header()
	e.setHeaders(header)
	header.Del("Content-Disposition") // of what would have been the answer
	if e.status == http.StatusNotModified {
		w.WriteHeader(e.status) // without a body
		return
	}
	header.Set("Content-Type", "application/json")
	w.WriteHeader(e.status)
	_ = json.NewEncoder(w).Encode(e) // the caller has gone; nothing is left to tell
}

func (e *Error) setHeaders(header http.Header) {
	if e.retryAfter > 0 {
		header.Set("Retry-After", strconv.Itoa(e.retryAfter))
	}
	if e.status == http.StatusUnauthorized || e.challenge != "" {
		header.Set("WWW-Authenticate", `Bearer realm="clausemill"`+e.challenge)
	}
}

// invalid refuses one part of a request.
func invalid(location, message string) error {
	return newError(http.StatusUnprocessableEntity, "validation failed: "+location+": "+message, Detail{location, message})
}

// oneOf lists alternatives for a message.
func oneOf[T ~string](values []T) string {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = string(v)
	}
	return strings.Join(words, ", ")
}

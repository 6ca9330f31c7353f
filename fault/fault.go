package fault

import (
	"context"
	"errors"
	"fmt"
)

// Kind classifies an error by how its receiver should react to it.
type Kind int

// The kinds. The zero Kind is Internal: an error without a chosen kind counts as
// a bug.
const (
	Internal    Kind = iota // a bug or a broken dependency: retry, and page someone
	Malformed               // the request cannot be parsed
	Invalid                 // the input can be parsed, and fails however often it is retried
	Anonymous               // no caller is identified
	Forbidden               // the caller may not do this
	NotFound                // it does not exist, or the caller may not see it
	Conflict                // the state changed or a name is taken
	TooLarge                // more bytes, pages or items than the limit named in the message
	Unsupported             // a media type without a reader
	RateLimited             // too many requests
	Unavailable             // a dependency is down or everything is busy: retry later
	NoSpace                 // the disk or quota is full until an operator makes room: retry after a longer pause
)

// Code is the cause of a failed file, as clients see it.
type Code string

// The closed set of causes.
const (
	PasswordProtected Code = "password_protected"
	UnsupportedType   Code = "unsupported_type"
	CorruptFile       Code = "corrupt_file"
	EmptyFile         Code = "empty_file"
	FileTooLarge      Code = "too_large"
	TooManyPages      Code = "too_many_pages"
	OCRTimeout        Code = "ocr_timeout"
	OCRCrash          Code = "ocr_crash"
	OCRMemory         Code = "ocr_memory"
	ConversionFailed  Code = "conversion_failed"
	IndexUnavailable  Code = "index_unavailable"
	BytesLost         Code = "bytes_lost"
	InternalCode      Code = "internal"
)

// Error pairs a message that is safe to show a caller with a cause that is not.
type Error struct {
	Kind    Kind
	Message string // lower case, without a full stop; tells the caller what to do
	Cause   error  // for the log only
	Code    Code   // set where the error decides a file's fate
	Page    int    // the page at fault, from 1; 0 where none is
}

// New makes an error of kind with a message for the caller.
func New(kind Kind, message string) *Error { return &Error{Kind: kind, Message: message} }

// Newf is New with a formatted message. Only values that are safe to show go
// into args.
func Newf(kind Kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// Wrap is New with the cause to log.
func Wrap(kind Kind, message string, cause error) *Error {
	return &Error{Kind: kind, Message: message, Cause: cause}
}

// File makes a permanent error that fails a file with code.
func File(code Code, message string, cause error) *Error {
	return &Error{Kind: Invalid, Message: message, Cause: cause, Code: code}
}

// Error gives the message and the cause: for logs, never for a caller.
func (e *Error) Error() string {
	if e.Cause != nil {
		return e.Message + ": " + e.Cause.Error()
	}
	return e.Message
}

// Unwrap exposes the cause to errors.Is and errors.As.
func (e *Error) Unwrap() error { return e.Cause }

// KindOf returns the kind of the outermost Error in err's chain. Anything else
// is Internal, except that an interrupted call counts as Unavailable.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return Unavailable
	}
	return Internal
}

// CodeOf returns the file cause in err's chain, or InternalCode.
func CodeOf(err error) Code {
	var e *Error
	for errors.As(err, &e) {
		if e.Code != "" {
			return e.Code
		}
		err = e.Cause
	}
	return InternalCode
}

// Message returns what a caller may read of err. What is internal is not for
// callers, unless it decides a file's fate.
func Message(err error) string {
	var e *Error
	if errors.As(err, &e) && (e.Kind != Internal || e.Code != "") {
		return e.Message
	}
	return "internal error"
}

// Permanent reports whether trying again would meet the same error.
func Permanent(err error) bool {
	switch KindOf(err) {
	case Malformed, Invalid, Anonymous, Forbidden, NotFound, Conflict, TooLarge, Unsupported:
		return true
	case Internal, RateLimited, Unavailable, NoSpace:
		return false
	default:
		return false
	}
}

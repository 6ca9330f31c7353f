// Package client uploads files to a Clausemill server and follows them until they
// are processed. `clausemill upload` is built on it; any program may be.
//
// A Client sends single requests, and retries those that may succeed later: it
// obeys Retry-After, backs off after network errors, and sends no bytes twice
// without need. A Batch uploads many files, several at a time. A Journal records
// which files were accepted, so that an interrupted batch resumes.
//
// The package shares no code with the server on purpose: it knows the HTTP API and
// nothing else, like any other client. Terminals, flags and the environment are
// cmd's.
package client

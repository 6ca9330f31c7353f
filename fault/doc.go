// Package fault defines the error type of all packages.
//
// An Error has a Kind. The API maps the Kind to a status code, and the worker
// maps it to a decision to retry or to give up, so neither has to know where the
// error came from. For files an Error may also have a Code: the machine-readable
// cause of a failed file, from a closed set that clients may switch on.
//
// Every package may import this one; it imports only the standard library.
package fault

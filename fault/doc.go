// Package fault names the ways a request or a job can go wrong.
//
// The API turns a Kind into a status code and the worker turns it into a
// decision to retry or give up, so neither has to know where an error began.
// A Code goes one step further for files: it is the machine-readable cause of a
// failed file, from a closed set that clients may switch on.
//
// Every room may import this one; it imports only the standard library.
package fault

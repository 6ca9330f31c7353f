// Package client sends files to a Clausemill server and follows them to their
// end: what `clausemill upload` does, for any program.
//
// A Client asks single questions, and tries again what may succeed later: it
// obeys Retry-After, backs off from errors of the network and never sends more
// than it must. A Batch brings many files over, several at a time. A Journal
// remembers what was accepted, so that an interrupted batch goes on where it
// stopped.
//
// It shares no code with the server on purpose: it knows the wire and nothing
// else, like any other client. Terminals, flags and the environment are cmd's.
package client

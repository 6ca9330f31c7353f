// Package bench measures Clausemill against comparable programs.
//
// Every figure has a peer or a floor that was measured in the same run on the same
// inputs, because machines differ and drift: the ratio is what counts. A peer that is
// not installed is left out, with a message.
//
// It is a client: it gets the address of a running service and readers, and starts
// none of them. README.md describes how to read its table.
package bench

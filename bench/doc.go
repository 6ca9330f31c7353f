// Package bench measures Clausemill beside what it competes with.
//
// Every figure stands next to a peer or a floor that was measured in the same
// run on the same inputs, because machines differ and drift: the ratio is what
// counts. A peer that is not installed is left out with a word.
//
// It is a client: it is given the address of a running service and the rooms'
// own readers, and starts none of them. README.md says how to read its table.
package bench

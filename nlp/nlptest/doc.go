// Package nlptest helps to test the packages of nlp: invariants that hold for the
// analysis of any text, and contracts to check them on.
package nlptest

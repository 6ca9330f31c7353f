// Package nlptest is for tests of the rooms of nlp: what must hold for whatever is
// read of any text, and the contracts to hold it against.
package nlptest

// Package archive opens ZIP containers, those that are uploaded and those that
// office documents are, and makes of the names in them, or of any other, names
// that are safe to show and to store.
//
// The one rule to know: what a directory claims is not believed. Bytes are counted
// as they come out, over all entries and against what they were packed to.
package archive

// Package redline says what a change of a document is, finds the words it is
// anchored to, tells which changes cannot stand together, and carries them out
// as tracked changes, or without a trace, with a proof of what was done. It also
// compares two documents into changes.
//
// How a Word document holds text, tracked changes and comments is left to docx;
// who may change what, and where changes are kept, to api and db.
//
// The one rule: nothing is guessed. A change whose words no longer stand where
// they stood, or stand twice, is refused by name; every change that comes in
// comes out as applied or failed.
package redline

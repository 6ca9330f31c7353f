// Package draft gives the Word document that stands behind a file: the file
// itself, or one that is built from what was read in it, so that every file can
// be edited, whatever it was.
//
// What a Word document is, is left to docx; where bytes lie, to blob; what was
// read in a file, to db.
//
// The one rule: the same version of a file gives the same bytes, so that
// what is anchored to them stays where it is.
package draft

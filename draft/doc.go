// Package draft returns the Word document of a file: its own bytes if it is one,
// and otherwise a document built from the text that was read. So files of any
// format can be edited.
//
// docx knows the format, blob has the bytes, and db has the text.
//
// Pictures of PDFs come from a Gallery, which has a child process cut them out: never is
// a user's file opened here.
//
// The same version of a file always gives the same bytes, so that anchors in them
// stay valid.
package draft

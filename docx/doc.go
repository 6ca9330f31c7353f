// Package docx reads and edits Word documents in place. A document is a package of
// parts, each parsed into a tree of elements with their byte positions in the part.
// Reading gives stories, paragraphs, runs, tracked changes and comments. Writing
// splices new markup into the original bytes, so that all other markup is preserved,
// even if this package does not understand it.
//
// What a change means, its anchor and conflicts are redline's; pages of text for search
// and analysis are document's.
//
// Bytes outside of an edit never change: XML is never decoded and encoded again.
package docx

// Package redline defines changes of a document, resolves their anchors, detects
// conflicts between them, and applies them: as tracked changes, or to a clean
// document, with a proof of the result. It also compares two documents: the result is
// a list of changes.
//
// docx knows the file format; api and db know who may change what, and store the
// changes.
//
// Anchors are never guessed. A change whose words are no longer in their place, or
// occur twice, is refused with the reason. Every change is reported as applied or
// failed.
package redline

// Package office reads running text: Word documents, OpenDocument, RTF, HTML,
// mails and plain text. Each format has a reader that writes to a flow, which
// cleans characters, separates lines and paragraphs and cuts pages. Paragraphs
// keep what the format knows of them: headings, numbers, lists, tables, notes.
//
// A document is read as it would be seen, with insertions in and deletions out. DOC
// is turned into DOCX by LibreOffice first, which also prints.
//
// The one rule to know: readers hold one page, not the file. Whatever nests, and
// whatever waits to be written later, has a bound.
package office

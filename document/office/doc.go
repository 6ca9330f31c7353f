// Package office reads running text: Word documents, OpenDocument, RTF, HTML,
// mails and plain text. The reader of each format writes to a flow, which cleans
// characters, separates lines and paragraphs, and cuts pages. Paragraphs keep what the
// format knows of them: headings, numbers, lists, tables, notes.
//
// Tracked changes are read as accepted: insertions are in, deletions are out.
// LibreOffice converts DOC to DOCX, and documents to PDF. Unlock opens DOCX and DOC that a
// password encrypts.
//
// Readers stream: they hold one page, not the file. Nesting and deferred text are
// bounded.
package office

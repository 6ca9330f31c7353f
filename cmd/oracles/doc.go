// Package oracles holds what Clausemill makes of Word documents against other
// programs that read them: LibreOffice, pandoc and the rules of the format.
//
// CLAUSEMILL_DATA names the collection whose directory docx has the documents,
// CLAUSEMILL_ORACLES the directory whose redline has the scripts that ask the
// programs. What is not installed is skipped with a word. `make oracles` looks at
// all documents, or at one of SHARE.
//
// The rule to know: what another program reads wrongly in a document that nobody
// has edited says nothing about our edits. Such documents are counted, and may be
// few.
package oracles

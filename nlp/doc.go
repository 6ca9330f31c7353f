// Package nlp analyses the text of contracts. It is the interface of the packages
// below it: other packages import nlp only.
//
// Segment comes first (structure): from page texts it makes the logical documents of
// the file, their blocks, the tree of their sections, and their sentences. Extract
// finds parties, dates, terms, governing law, amounts and other attributes, each with
// its quotes; Facts adds defined terms and cross-references (value, link, fact). Model
// labels sentences with clauses (label), and TypeModel predicts document types
// (doctype); FieldModel proposes values for the fields that a team declares (field).
// They are built on learn. CompareTexts, Sketch, Corpus and Wording compare
// texts, and Carry matches the sentences of an old segmentation to those of a new one,
// so that the decisions of users are kept (likeness). Tokens counts words (lex).
//
// The packages are pure: text in, values out. They do no I/O, keep no state and never
// panic. Pages and words with boxes are layout's, formats are document's, and storage
// is db's.
//
// Inside these packages positions are bytes (lex.Extent); outside they are code points
// of the canonical text (Span). structure converts them. For every Span,
// text[start:end] is the quoted text.
package nlp

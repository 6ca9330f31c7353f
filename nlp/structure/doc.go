// Package structure segments a text: the lines of its pages, running headers and
// footers, blocks of lines, the logical documents in a file, the tree of their
// sections, sentences, and signature blocks.
//
// Segment does all of it in this order, and all other analyses start from its result.
// The steps work on bytes (lex.Extent); their results are spans of code points, for
// which text[start:end] is the quoted text.
//
// Single words and numbers are in lex; defined terms and cross-references are in link.
// The rules are our own, developed on the contracts of CUAD; docs/headings.md has
// their scores. Readability is the Flesch-Kincaid grade.
package structure

// Package structure finds the parts of a text: the lines of its pages, what of
// them is running headers and footers, the blocks that lines make, the logical
// documents that a file holds, the tree of their sections, the sentences, and the
// blocks in which people sign.
//
// Segment does all of it in this order and is the ground of whatever is read of a
// text later. The steps work on bytes (lex.Extent); what they find are spans of
// code points, for which text[start:end] == what is quoted.
//
// What single words and numbers are is lex's; what parts have to do with one
// another, terms and references, is link's. The rules are our own, made on the
// contracts of CUAD; docs/headings.md says how well they do. Readability is the
// grade of Flesch and Kincaid.
package structure

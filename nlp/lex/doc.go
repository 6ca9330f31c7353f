// Package lex is the lexical level of text: characters, words, numbering and
// sentences, as far as they need no knowledge of the document around them.
//
// Extent and Span are ranges of bytes and of code points, and Offsets converts one to
// the other. ScanWord finds words, JoinLines joins words that were hyphenated at line
// ends, NumberAt parses the number of a heading or a list item, and Grammar.Split
// cuts a block into sentences. SenseOf is a dictionary of months, numerals, units and
// the words that end names.
//
// Lines and blocks are in structure; dates, amounts and other values are in value.
//
// Stems are those of snowball (Porter2 for English), language detection is by trigrams
// (whatlanggo), and sentences in languages without a Grammar follow Unicode's annex 29;
// the grammars are our own. Hashes are FNV.
package lex

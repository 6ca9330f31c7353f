// Package lex reads a text as characters, words, numberings and sentences: what
// can be told of a few of its words without knowing what part of which document
// they stand in.
//
// Extent and Span are ranges of bytes and of code points, and Offsets is where
// the one becomes the other. ScanWord finds words, JoinLines mends those that
// were broken, NumberAt reads what numbers a heading or an item, SplitSentences
// cuts a block. SenseOf is the dictionary: what months, numerals, units and the
// words that close names mean.
//
// Lines, blocks and whatever needs more of a page are structure's; what words
// say together, as dates and sums, is value's.
//
// English stems are those of Porter2 (snowballstem), languages are told by
// trigrams (whatlanggo), and sentences of languages other than English are those
// of Unicode's annex 29; the rules for English are our own. Hashes are those of
// Fowler, Noll and Vo.
package lex

// Package answer answers questions about one document with quotes from it, and says so
// where the document does not answer them.
//
// Ask parses a question (question.go): what it is about, by the ways to ask that
// topics.txt lists and by the names of the team's own labels and fields, and whether it
// is about one document, its difference from another one, or many. For one document it
// ranks the sentences by their labels, the facts that were read from them, their words
// and those of their heading (rank.go), and quotes the best. For two it pairs the
// passages (difference.go). A question about many documents is left to query.
//
// Nothing is said without a quote: Cite takes each from the text of the document at its
// offsets, and drops what does not stand there. Below a border, which docs/answers.md
// accounts for, a passage does not answer, and is only named as near.
//
// The package is pure. db reads documents and stores answers; score measures them.
package answer

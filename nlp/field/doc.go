// Package field learns the fields that a team declares for its contracts, such as a
// notice period or a cap, from values that people marked, and proposes values for them
// in other contracts.
//
// A Question is what a field asks for. Read takes from a text what the question may be
// answered with: its sentences, and in them the candidates of the kind. Learn makes a
// Model of marked files in two steps: one machine finds the sentences, another picks the
// value among their candidates. Both learn from the words before and after, the heading
// above, the place in the file and the form of the candidate; the second also from what
// the first says of the sentence. Their scores on files that they had not seen give the
// confidence, the border from which values are proposed, and the Report. Propose reads a
// file.
//
// The algorithms are those of learn, and dates, money and numbers are found by value.
// docs/own-fields.md describes the design and has the figures.
package field

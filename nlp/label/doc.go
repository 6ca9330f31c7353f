// Package label labels the sentences of a contract with clauses.
//
// A Passage is a sentence with its context features. A Model predicts the nodes of
// Taxonomy for all passages of a file at once: two linear models and a
// network score each passage, a forest of boosted trees judges each score by its context, and the model abstains
// below a threshold. Adapt learns a team's own labels beside those of a model, Try says
// whether its decisions correct the model, and Corrected does so. Base is the model
// that comes with the program; base.md is its model card. Train and Evaluate train and
// score models, and Annotate maps quoted clauses to sentences.
//
// The learning algorithms are in learn. docs/clause-labels.md describes the design,
// what was compared, and what to expect.
package label

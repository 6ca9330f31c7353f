// Package doctype predicts the document type of a contract: a lease, a licence, or
// none of the known types.
//
// A Model has two views of a contract, its title and its text, and predicts one of
// the types that the caller has; Explain returns the words that decided it. Adapt
// trains a layer on a team's decisions over a model. Base is the model that comes with
// the program; base.md is its model card. Train and Evaluate train and score models.
//
// The learning algorithms are in learn. docs/contract-types.md describes what was
// compared, and the scores.
package doctype

// Package doctype tells what type of contract a text is: a lease, a licence, none
// of those it knows.
//
// Model sees a contract in two views, its title and its text, and predicts one of
// the types that the caller has; Explain says by which words. Adapt lays what a team
// decided over it. Base is the model that comes with the program; base.md beside it
// is its card. Train and Evaluate make models and score them.
//
// How models learn is learn's, how sentences are labelled label's;
// docs/contract-types.md tells what was tried and how well it does.
package doctype

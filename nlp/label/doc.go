// Package label tells which clauses the sentences of a contract are.
//
// Passages are sentences with what a model looks at beside their words; Model
// predicts the nodes of Taxonomy for all of a file at once, by two linear views and a
// forest over what is around each score, and abstains where nothing is likely
// enough. Adapt lays what a team decided over it. Base is the model that comes with
// the program; base.md beside it is its card. Train and Evaluate make models and
// score them, Annotate finds the sentences that quoted clauses cover, and Review says
// what people made of predictions.
//
// How models learn is learn's; docs/clause-labels.md tells why it is done this way,
// what was compared, and what to expect of it.
package label

// Package learn is how models learn and judge, whatever they are about: features
// and the vocabulary of those that are worth knowing, linear models, forests, the
// layer in which a team's decisions lie over a base model, and the bytes that all of
// it is stored in.
//
// Models of clauses are label's and models of contract types doctype's: which
// features there are and what is made of the scores is theirs. What they share is
// here, so that neither has to know the other. Everything is done in an order and
// with a precision that gives the same bytes on every machine of one kind.
//
// Linear models are support vector machines with squared hinge loss, learned by
// coordinate descent in the dual (Hsieh et al., 2008); forests are boosted trees
// (Friedman, 2001; Chen and Guestrin, 2016); layers are logistic regressions by
// gradient descent with a rate for each weight (Duchi et al., 2011).
package learn

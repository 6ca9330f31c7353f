// Package learn has the machine learning that label and doctype share: vocabularies of
// features, linear models, forests of boosted trees, the layer that is trained on a
// team's decisions over a base model, and the serialization of all of these.
//
// label and doctype define their features and what the scores mean. Training is
// deterministic: it gives the same bytes on every machine of one architecture.
//
// Linear models are support vector machines with squared hinge loss, learned by
// coordinate descent in the dual (Hsieh et al., 2008); forests are boosted trees
// (Friedman, 2001; Chen and Guestrin, 2016); layers are logistic regressions by
// gradient descent with a rate for each weight (Duchi et al., 2011).
package learn

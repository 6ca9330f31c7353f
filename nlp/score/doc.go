// Package score evaluates nlp on annotated contracts.
//
// Read reads the contracts of CUAD, and Rows returns the scores. What a row counts is
// defined at the function that counts it. Training takes its examples from here too,
// so that both use the same sentences.
//
// Every model is scored on contracts that it was not trained on, and the titles and
// names of files are never an input.
package score

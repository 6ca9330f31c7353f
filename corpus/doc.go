// Package corpus computes statistics over many contracts, and the position of one
// contract among others: percentiles, ranks, time series and durations
// (percentile.go, dates.go, durations.go); families, outline and graph of a document
// type (outline.go); typical wordings and sentence similarity (wording.go,
// likeness.go); unusual and missing clauses (align.go); information gain and term
// weights (gain.go); and review metrics: agreement, confusion, precision and recall
// (review.go).
//
// The package is pure: values in, values out. db reads the values, and computes in
// SQL what is a sum over rows, such as coverage and rarity; nlp extracts them from
// text.
package corpus

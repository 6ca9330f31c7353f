// Package corpus computes statistics over many contracts, and the position of one
// contract among others: percentiles and quantiles, time series, ranks of
// durations, and the outline of a document type.
//
// The package is pure: values in, values out. db reads the values; nlp extracts
// them from text.
package corpus

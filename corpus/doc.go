// Package corpus computes what many contracts say together, and where one of
// them stands among the others: percentiles and quantiles, series of dates, ranks
// of durations, and the outline of a document type.
//
// The room is pure: values in, values out. Which contracts these are, and what
// each of them says, is read by db; what a text says is nlp's.
package corpus

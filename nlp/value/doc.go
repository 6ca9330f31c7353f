// Package value reads what words say by themselves: dates, sums, durations,
// percentages, jurisdictions, addresses and the names of companies and people.
//
// A Tape is a text as words, numbers and marks; Find runs over it once for each
// sort of value, and returns mentions with the words they stand in. All of them
// look no further than a fixed number of words, so that the work is linear. Value
// is what is known of any of them, written as ISO 8601, 3166 and 4217 have it.
//
// What a value is to the contract, its effective date or its term, is fact's. The
// rules are our own.
package value

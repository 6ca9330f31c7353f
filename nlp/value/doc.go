// Package value extracts values from text: dates, amounts, durations, percentages,
// jurisdictions, addresses and the names of companies and people.
//
// A Tape is a text as lexemes: words, numbers and marks. Find passes over it once for
// each kind of value, and returns the mentions with their places. The look-ahead is
// bounded, so the work is linear. A Value is normalised by ISO 8601, 3166 and 4217.
//
// The role of a value in the contract, such as its effective date or its term, is
// fact's. The rules are our own.
package value

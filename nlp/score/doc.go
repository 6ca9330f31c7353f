// Package score says how well texts are read: it compares what nlp makes of
// annotated contracts with what people wrote down about them.
//
// Read takes the contracts of CUAD in, Rows gives the figures. The definitions
// are those that the figures beside them were measured by: what a row counts is
// told at the function that counts it. Training takes its examples from here,
// too, so that both speak of the same sentences.
//
// The one rule to know: everything that is learned is scored on contracts that it
// was not learned from, and titles and names of files never reach the program.
package score

// Package model finds the model that labels a team's sentences: its own, or the
// one that comes with the program.
//
// The API and the workers both ask; what they share is here so that a text that
// is only looked at is labelled as a file with that text would be. Training is
// the worker's, the models themselves are package nlp's.
//
// The rule to know: which model is active is read from the database each time,
// so that every process follows a change at once; only the models themselves,
// which never change, are remembered.
package model

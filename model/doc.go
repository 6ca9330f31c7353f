// Package model loads the models of a team: its own, or the base model that comes
// with the program.
//
// The API and the workers share this package, so that a text that is analysed
// without being stored gets the same labels as a file with that text. Training is
// in worker, the models themselves are in nlp.
//
// Which model is active is read from the database each time, so that every process
// follows a change at once. Only the models themselves, which never change, are
// cached.
package model

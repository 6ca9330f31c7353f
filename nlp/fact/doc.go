// Package fact reads what a contract as a whole says: its name, its parties, its
// dates and terms, how notice is given, its law and its worth.
//
// Extract finds the values in the text (value), and reads from them and the words
// around them which of them are facts of the file, each with its evidence and a
// confidence that it was given by hand. Read adds what can be looked up in the
// structure of the text: the terms it defines and its references (link).
//
// What single words say is value's; which clause a sentence is, is label's. The
// rules are our own, made on contracts of the development part of CUAD; clausemill
// eval scores them.
package fact

// Package link reads what the parts of a contract have to do with one another:
// which terms it defines and where it uses them (Terms), and which sections,
// exhibits and other agreements it points at (References).
//
// Both walk over the words of a text once that structure has cut, and look up
// what they find: names in a tree of words, numbers in the sections of their
// document. What terms and sections are about is not read here; that is fact's
// and label's. The rules are our own.
package link

// Package likeness compares texts: whole files and single sentences.
//
// A Sketch finds files that are much alike among many (one permutation hashing, Li,
// Owen and Zhang, 2012), and Compare tells what two of them are to one another. A
// Corpus finds the sentences nearest to one by the words they share, weighted by how
// rare they are; Wording is how one thing is put in many of them. DiffWords tells in which words
// two texts differ, and Carry which sentence of a new reading an old one has become.
//
// Nothing here knows what a sentence means: that is label's.
package likeness

// Package likeness measures the similarity of texts: of whole files and of single
// sentences.
//
// A Sketch (MinHash by one permutation hashing: Li, Owen and Zhang, 2012) finds
// candidates for near duplicates among many files, and Compare decides whether two of
// them are duplicates or versions. A Corpus is an inverted index that finds the
// sentences nearest to a text, by words weighted by rarity (idf); written down it is a
// Segment, which is read where it is. A Wording is the
// typical wording of many sentences. DiffWords is a word diff, and Carry matches the
// sentences of an old segmentation to those of a new one.
//
// Labels of sentences are in package label.
package likeness

// Package link finds defined terms and where they are used (Terms), and
// cross-references to sections, exhibits and other agreements (References).
//
// Both pass once over a segmented text, and look up what they find: names in a trie
// of words, numbers in the sections of their document. The rules are our own.
package link

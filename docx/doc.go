// Package docx holds Word documents as the bytes they are: a package of parts,
// each read into a tree of elements that know where in the part they stand.
// Reading gives stories, paragraphs, runs, tracked changes and comments; writing
// splices new markup between the bytes that were there, so that whatever nobody
// touched, understood or not, leaves as it came.
//
// What a change means, where its anchor is and whether two of them conflict is
// left to redline; pages of text for search and analysis to document.
//
// The one rule: bytes that were not asked to change never do. Nothing here
// decodes XML to encode it again.
package docx

// Package document reads the formats contracts come in (PDF, Word, HTML, mail,
// images, archives) into pages of text with word boxes, renders pages for
// recognition, and writes searchable and merged PDFs.
//
// Whatever parses foreign bytes runs in a child process: Reader, on the side of
// the caller, supervises a pool of them, and Serve is what runs inside one. A
// file that hangs, bloats or crashes its reader costs one request and never the
// process that asked. Recognising the words of an image is left to ocr, the
// meaning of the text to nlp, tracked changes to redline.
//
// The one rule: nothing in this package opens a file of a user outside Serve.
// Sniff alone looks at the first bytes of one anywhere.
package document

// Package document reads the formats contracts come in (PDF, Word, HTML, mail,
// images, archives) into pages of text with word boxes, renders pages for
// recognition, and writes searchable and merged PDFs. It is a front: what others
// call, the pool of children and what is said between them. The formats are read
// in the rooms behind it.
//
// sniff tells the format of a file. Those of PDFs (pdf), of pictures (picture) and
// of running text (office) are opened by one room each, which knows nothing of the
// other two; archives are opened by archive, which office has its documents from
// as well. All of them give what format says, and raster is what is done to
// pictures whichever file they are in.
//
// Whatever parses foreign bytes runs in a child process: Reader, on the side of
// the caller, supervises a pool of them, and Serve is what runs inside one. A
// file that hangs, bloats or crashes its reader costs one request and never the
// process that asked. Recognising the words of an image is left to ocr, the
// meaning of the text to nlp, tracked changes to redline.
//
// The one rule: nothing in these rooms opens a file of a user outside Serve.
// Sniff alone looks at the first bytes of one anywhere.
package document

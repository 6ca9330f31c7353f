// Package document reads file formats (PDF, Word, HTML, mail, images, archives) into
// pages of text with word boxes, renders pages for OCR, and writes searchable and
// merged PDFs. It is the interface of the packages below it, and has the pool of
// child processes and their protocol.
//
// sniff detects the format of a file. PDFs (pdf), pictures (picture) and running text
// (office) are opened by one package each, which knows nothing of the other two.
// archive opens archives, and the ZIP containers of office documents. All of them
// return the types of format. raster processes the pictures of pages, from any format.
//
// All parsing of untrusted bytes runs in a child process: Reader is the caller's side
// and supervises a pool of children; Serve runs inside a child. A file that hangs or
// crashes its reader, or exceeds its memory, costs one request and never the calling
// process. OCR is in ocr, the analysis of text in nlp, tracked changes in redline.
//
// Nothing here opens a user's file outside Serve, except for Sniff, which reads only
// the first bytes. ReadText has its text already.
package document

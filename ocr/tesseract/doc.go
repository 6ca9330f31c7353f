// Package tesseract recognises the words of one page image with Tesseract. It is the
// native part of OCR and the only importer of gosseract. It runs only in the child
// program clausemill-ocr, since a hostile image may crash or hang it, or exhaust its
// memory.
//
// A page is prepared with Leptonica (rotated upright, deskewed, scaled to the size at
// which Tesseract is fast and still accurate) and then recognised once; words, lines
// and boxes come from that pass. What it left out is read alone, what was taken out of a
// contract ([***]) is read by its shape, and the order of blocks is judged anew. lines.c
// and threads.c replace functions inside of Tesseract that cost much and bring nothing
// here. The boxes that are returned are in pixels of the original image.
package tesseract

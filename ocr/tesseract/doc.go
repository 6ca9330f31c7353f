// Package tesseract reads the words of one page image with Tesseract. It is
// the native part of recognition and the only importer of gosseract: it runs in
// the child program clausemill-ocr and nowhere else, since a hostile image may
// crash, hang or bloat it.
//
// A page is prepared with Leptonica (set upright, straightened, brought to the
// size at which Tesseract is fast and still right) and then recognised once;
// words, lines, paragraphs and boxes all come from that one pass. lines.c spares
// Tesseract a detour inside of it. The rule to know: boxes leave this room in
// pixels of the image as it came in, whatever was done to it in between.
package tesseract

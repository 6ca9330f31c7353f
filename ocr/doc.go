// Package ocr reads page images: an image in, a layout.Page with words and
// boxes out.
//
// Recognition is native code, so it runs in children of the program
// clausemill-ocr, one for each page that is read at a time. A page that crashes,
// hangs or bloats its child fails with an error that says so, permanently and
// for that page alone. What happens inside the child is in ocr/tesseract, which
// this room does not import; Request and Answer are what the two say to each
// other. Making images of pages is left to document.
//
// The rule to know: a Reader believes nothing that a child answers. Boxes are
// cut to the page and texts cleaned before anyone sees them.
package ocr

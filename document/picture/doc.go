// Package picture reads images: PNG, JPEG, WebP, and TIFF with any number of pages.
// They have no text, so each page is prepared for OCR: upright, grey, and at its
// resolution or, where that is unknown, a probable one.
//
// The size in a header is checked against the limits before anything is unpacked.
package picture

// Package raster processes the image of a page, from any format: it is converted to
// grey, scaled and rotated for OCR, or passed on in colour to become a page of another
// file.
//
// It is pure and parses no bytes of a file; the decoders have bounded the number of
// pixels.
package raster

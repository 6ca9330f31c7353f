// Package raster is what is done to the picture of a page, whichever file it came
// in: it is made grey, scaled and turned as recognition wants it, or handed on in
// its colours to be a page of another file.
//
// It is pure, and looks at no bytes of a file: pixels have been bounded by
// whoever decoded them.
package raster

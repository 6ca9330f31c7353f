// Package picture reads files that are pictures: PNG, JPEG, WebP, and TIFF with as
// many pages as it has. They have no text, so each page is there to be recognised:
// upright, grey and at the density that it has or is likely to have.
//
// The one rule to know: the size that a header tells is held against the limits
// before anything is unpacked.
package picture

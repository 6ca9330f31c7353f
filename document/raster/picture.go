package raster

import (
	"image"
	"io"
)

// Picture is a page that is a picture, on its way into another file.
type Picture struct {
	JPEG   io.Reader    // its bytes, or nil
	Config image.Config // of the JPEG
	Image  image.Image  // unpacked, where it is no JPEG

	Turn                  Orientation // how it is to be turned for display
	PageWidth, PageHeight float32     // the displayed size in points
}

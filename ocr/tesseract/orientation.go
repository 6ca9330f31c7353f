package tesseract

// #cgo LDFLAGS: -ltesseract
// #include <stdlib.h>
// #include <tesseract/capi.h>
import "C"

import (
	"math"
	"unsafe"
)

const (
	// uprightScore is the score of a halved page above which it is certainly
	// upright, if it also beats the score of a quarter turn by uprightMargin.
	uprightScore  = 6
	uprightMargin = 2

	// turnedScore is the score, at full size, below which a page's letters are
	// too few or too strange to turn it.
	turnedScore = 8

	// osdConfidence is Tesseract's own from which its word counts. It is about
	// 10 on degraded pages and 30 on clean ones.
	osdConfidence = 4
)

// quartersToUpright returns the clockwise quarter turns that set a page
// upright. ink is the page in black and white, and half that at half the size.
//
// The letters' ascenders and descenders tell the four orientations apart for 9
// ms on the halved page and 40 ms at full size. Only for a page that looks
// turned is Tesseract asked, whose detection takes 400 ms, and the page is left
// alone unless both agree.
func quartersToUpright(page, ink, half pix, osd *osd) int {
	up, left := half.orientation()
	if up >= uprightScore && up >= uprightMargin*math.Abs(left) {
		return 0
	}
	up, left = ink.orientation()
	quarters := 0
	switch {
	case up >= math.Abs(left):
		return 0
	case -up >= math.Abs(left):
		quarters = 2
	case left > 0:
		quarters = 1
	default:
		quarters = 3
	}
	if max(math.Abs(up), math.Abs(left)) < turnedScore || osd.quarters(page) != quarters {
		return 0
	}
	return quarters
}

// osd is Tesseract's orientation detector, loaded when a page first needs it.
type osd struct {
	api   *C.TessBaseAPI
	tried bool
}

func (o *osd) load() {
	o.tried = true
	language := C.CString("osd")
	defer C.free(unsafe.Pointer(language))
	api := C.TessBaseAPICreate()
	if C.TessBaseAPIInit2(api, nil, language, C.OEM_TESSERACT_ONLY) != 0 {
		C.TessBaseAPIDelete(api) // not installed: pages stay as they are
		return
	}
	C.TessBaseAPISetPageSegMode(api, C.PSM_OSD_ONLY)
	o.api = api
}

// quarters returns the clockwise quarter turns that would set a page upright,
// -1 where Tesseract cannot tell.
func (o *osd) quarters(page pix) int {
	if !o.tried {
		o.load()
	}
	if o.api == nil {
		return -1
	}
	C.TessBaseAPISetImage2(o.api, page.p)
	C.TessBaseAPISetSourceResolution(o.api, usualDPI)
	defer C.TessBaseAPIClear(o.api)
	var degrees C.int
	var confidence, scriptConfidence C.float
	var script *C.char // belongs to the engine
	if C.TessBaseAPIDetectOrientationScript(o.api, &degrees, &confidence, &script, &scriptConfidence) == 0 || confidence < osdConfidence {
		return -1
	}
	return (4 - int(degrees)/90) % 4
}

func (o *osd) close() {
	if o.api != nil {
		C.TessBaseAPIDelete(o.api)
		o.api = nil
	}
}

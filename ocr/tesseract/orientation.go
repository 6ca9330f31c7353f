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
	// Letters are told apart best at the size of 11 point type at 300 dpi.
	// Outside these bounds of their height in pixels the page is scaled first:
	// at half that size Tesseract is wrong, and sure of it.
	bestXHeight               = 18
	leastXHeight, mostXHeight = 14, 30

	// uprightScore is the score of a halved page above which it is certainly
	// upright, if it also beats the score of a quarter turn by uprightMargin.
	uprightScore  = 6
	uprightMargin = 2

	// clearScore is the score at full size above which letters are believed.
	// Capitals alone, and pages with few letters, stay below it.
	clearScore = 8

	// Tesseract's own confidence is 4 to 8 on covers, 10 on worn pages and 30
	// on clean ones. It must reach agreeing where the letters say the same, and
	// alone where they say nothing.
	agreeing, alone = 4, 8

	// scriptSure is Tesseract's least confidence in a script. It is 0.8 to 70 on pages
	// of eight scripts, and below 0.5 where letters are too worn to tell.
	scriptSure = 0.7
)

// quartersToUpright returns the clockwise quarter turns that set a page
// upright. ink is the page in black and white, xHeight that of its letters or 0.
//
// The letters' ascenders and descenders tell the four orientations apart for 9
// ms on the halved page and 40 ms at full size. Only where they do not say that
// the page is upright is Tesseract asked, whose detection takes 200 to 500 ms,
// and where the two disagree the page is left as it is.
func quartersToUpright(page, ink pix, xHeight float64, osd *osd) (int, error) {
	if xHeight > 0 && (xHeight < leastXHeight || xHeight > mostXHeight) {
		scaled, err := page.scale(bestXHeight / xHeight)
		if err != nil {
			return 0, err
		}
		defer scaled.close()
		scaledInk, err := scaled.binary()
		if err != nil {
			return 0, err
		}
		defer scaledInk.close()
		page, ink = scaled, scaledInk
	}
	half, err := ink.halve()
	if err != nil {
		return 0, err
	}
	defer half.close()
	if up, left := half.orientation(); up >= uprightScore && up >= uprightMargin*math.Abs(left) {
		return 0, nil
	}

	letters, needed := -1, float64(agreeing) // what the letters clearly say
	up, left := ink.orientation()
	switch highest := max(math.Abs(up), math.Abs(left)); {
	case highest < clearScore:
		needed = alone
	case highest == up:
		return 0, nil
	case highest == -up:
		letters = 2
	case highest == left:
		letters = 1
	default:
		letters = 3
	}
	quarters, confidence, _ := osd.detect(page)
	if confidence < needed || letters >= 0 && letters != quarters {
		return 0, nil
	}
	return quarters, nil
}

// osd is Tesseract's detector of orientation and script, loaded when a page first needs it.
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

// detect returns the clockwise quarter turns that would set a page upright, how sure
// Tesseract is of them, 0 where it cannot tell, and the script of the page, "" where that is not clear.
func (o *osd) detect(page pix) (quarters int, confidence float64, script string) {
	if !o.tried {
		o.load()
	}
	if o.api == nil {
		return 0, 0, ""
	}
	C.TessBaseAPISetImage2(o.api, page.p)
	C.TessBaseAPISetSourceResolution(o.api, usualDPI)
	defer C.TessBaseAPIClear(o.api)
	var degrees C.int
	var sure, scriptConfidence C.float
	var name *C.char // belongs to the engine
	if C.TessBaseAPIDetectOrientationScript(o.api, &degrees, &sure, &name, &scriptConfidence) == 0 {
		return 0, 0, ""
	}
	if scriptConfidence >= scriptSure {
		script = C.GoString(name)
	}
	return (4 - int(degrees)/90) % 4, float64(sure), script
}

func (o *osd) close() {
	if o.api != nil {
		C.TessBaseAPIDelete(o.api)
		o.api = nil
	}
}

// installedModels names what there is in the directory of models and below it, such as
// "eng" and "script/Cyrillic". Without a model for English the engine does not start, and
// lists what it has all the same.
func installedModels() (names []string) {
	api := C.TessBaseAPICreate()
	defer C.TessBaseAPIDelete(api)
	_ = C.TessBaseAPIInit3(api, nil, nil)
	list := C.TessBaseAPIGetAvailableLanguagesAsVector(api)
	defer C.TessDeleteTextArray(list)
	for name := list; *name != nil; name = (**C.char)(unsafe.Add(unsafe.Pointer(name), unsafe.Sizeof(*name))) {
		names = append(names, C.GoString(*name))
	}
	return names
}

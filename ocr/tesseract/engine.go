package tesseract

// #include <stdlib.h>
// #include "words.h"
import "C"

import (
	"encoding/json"
	"image"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/otiai10/gosseract/v2"

	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/ocr"
)

// Engine recognises pages, one at a time, and keeps its models loaded in
// between.
type Engine struct {
	client    *gosseract.Client
	osd       osd
	installed []string
}

// New makes an engine. Models are loaded by the first page that needs them.
func New() *Engine {
	installed := slices.DeleteFunc(installedModels(), func(l string) bool { return l == "osd" }) // detects, reads nothing
	slices.Sort(installed)
	client := gosseract.NewClient()
	client.Trim = false
	return &Engine{client: client, installed: installed}
}

// Close frees the models.
func (e *Engine) Close() error {
	e.osd.close()
	return e.client.Close()
}

// Handle answers an ocr.Request with an ocr.Answer; it is a child.Handler.
func (e *Engine) Handle(header json.RawMessage, image []byte, reply func(header any, payload []byte) error) error {
	var request ocr.Request
	if err := json.Unmarshal(header, &request); err != nil {
		return err
	}
	if request.List {
		return reply(ocr.Answer{Languages: e.installed}, nil)
	}
	read := e.Read
	if request.Script {
		read = e.script
	}
	answer, err := read(request, image)
	if err != nil {
		return err
	}
	return reply(answer, nil)
}

// Read recognises one page. Its errors are Invalid for a language that is not
// installed and for an image that cannot be read, and TooLarge for one with
// too many pixels.
func (e *Engine) Read(request ocr.Request, image []byte) (ocr.Answer, error) {
	if err := e.use(request.Languages); err != nil {
		return ocr.Answer{}, err
	}
	page, err := prepare(image, request.DPI, &e.osd)
	if err != nil {
		return ocr.Answer{}, err
	}
	if page.blank {
		return ocr.Answer{Width: page.width, Height: page.height}, nil
	}
	defer page.pix.close()
	// One column is the rule in contracts, and there the full analysis (auto)
	// takes the numbers of clauses for a column of their own.
	mode := gosseract.PSM_SINGLE_COLUMN
	if page.columns {
		mode = gosseract.PSM_AUTO
	}
	boxes, err := e.recognise(page.pix, page.dpi, mode)
	if err != nil {
		return ocr.Answer{}, err
	}
	lines, ink, rules, err := e.complete(page, group(boxes))
	if err != nil {
		return ocr.Answer{}, err
	}
	lines = arrange(lines, ink, rules)
	for _, l := range lines {
		for i := range l.words {
			l.words[i].Box = page.restore(l.words[i].Box)
		}
	}
	return ocr.Answer{Width: page.width, Height: page.height, Paragraphs: paragraphs(lines)}, nil
}

// script names the script of a page.
func (e *Engine) script(request ocr.Request, image []byte) (ocr.Answer, error) {
	page, _, err := decode(image, request.DPI)
	if err != nil {
		return ocr.Answer{}, err
	}
	defer page.close()
	_, _, script := e.osd.detect(page)
	return ocr.Answer{Script: script}, nil
}

// use switches to languages ("eng", "eng+deu"), loading models only where they
// changed. Only names of installed ones reach Tesseract, which would take them
// for parts of a path.
func (e *Engine) use(languages string) error {
	names := strings.Split(languages, "+")
	for _, name := range names {
		if !slices.Contains(e.installed, name) {
			return fault.Newf(fault.Invalid, "language %q is not installed, only %s", name, strings.Join(e.installed, ", "))
		}
	}
	if slices.Equal(names, e.client.Languages) {
		return nil
	}
	return e.client.SetLanguage(names...)
}

// recognise reads an image, segmented as the mode says.
func (e *Engine) recognise(page pix, dpi int, mode gosseract.PageSegMode) ([]gosseract.BoundingBox, error) {
	image, err := page.serialise()
	if err != nil {
		return nil, err
	}
	// As a variable the mode survives the loading of models by the first page.
	if err := e.client.SetVariable("tessedit_pageseg_mode", strconv.Itoa(int(mode))); err != nil {
		return nil, err
	}
	if err := e.client.SetVariable("user_defined_dpi", strconv.Itoa(dpi)); err != nil {
		return nil, err
	}
	if err := e.client.SetImageFromBytes(image); err != nil {
		return nil, err
	}
	if _, err := e.client.Text(); err != nil {
		return nil, err
	}
	return e.words(), nil
}

// words returns what was recognised last, as the client's GetBoundingBoxesVerbose does
// slowly: see words.cpp. The client does not export its handle of Tesseract's API.
func (e *Engine) words() []gosseract.BoundingBox {
	api := reflect.ValueOf(e.client).Elem().FieldByName("api").UnsafePointer()
	var n C.int
	found := C.words(api, &n)
	defer C.free(unsafe.Pointer(found))
	boxes := make([]gosseract.BoundingBox, n)
	for i, w := range unsafe.Slice(found, n) {
		boxes[i] = gosseract.BoundingBox{
			Box: image.Rect(int(w.left), int(w.top), int(w.right), int(w.bottom)), Word: C.GoString(w.text), Confidence: float64(w.confidence),
			BlockNum: int(w.block), ParNum: int(w.paragraph), LineNum: int(w.line),
		}
		C.free(unsafe.Pointer(w.text))
	}
	return boxes
}

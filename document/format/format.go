package format

import (
	"context"
	"image"
	"math"
	"slices"

	"github.com/clausemill/clausemill/layout"
)

// Kind is a format, detected from a file's bytes and not from its name.
type Kind string

// The formats that can be read.
const (
	PDF  Kind = "pdf"
	DOCX Kind = "docx"
	DOC  Kind = "doc"
	RTF  Kind = "rtf"
	ODT  Kind = "odt"
	HTML Kind = "html"
	EML  Kind = "eml"
	Text Kind = "text" // plain text and Markdown, in any encoding that can be detected
	PNG  Kind = "png"
	JPEG Kind = "jpeg"
	TIFF Kind = "tiff"
	WebP Kind = "webp"
	ZIP  Kind = "zip" // each entry is a file of its own
)

var contentTypes = map[Kind]string{
	PDF:  "application/pdf",
	DOCX: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
	DOC:  "application/msword",
	RTF:  "application/rtf",
	ODT:  "application/vnd.oasis.opendocument.text",
	HTML: "text/html",
	EML:  "message/rfc822",
	Text: "text/plain",
	PNG:  "image/png",
	JPEG: "image/jpeg",
	TIFF: "image/tiff",
	WebP: "image/webp",
	ZIP:  "application/zip",
}

// ContentType is the registered media type of k, without parameters.
func (k Kind) ContentType() string { return contentTypes[k] }

// Drawn reports whether files of the format have pages that can be drawn. Others flow: what
// is called a page of theirs is a part of their text.
func (k Kind) Drawn() bool { return slices.Contains([]Kind{PDF, PNG, JPEG, TIFF, WebP}, k) }

// Printed reports whether files of the format flow, and can be laid out as pages.
func (k Kind) Printed() bool { return slices.Contains([]Kind{DOCX, DOC, RTF, ODT}, k) }

// Limits bound what one file may cost. A file beyond a limit fails with the
// limit's name and value in the message; it is never truncated silently.
type Limits struct {
	MaxPages    int   `json:"maxPages"`    // pages of one file
	MaxPixels   int   `json:"maxPixels"`   // of one rendered or decoded page; a PDF page is rendered coarser to fit, an image beyond it is refused
	MaxText     int   `json:"maxText"`     // code points of one page
	MaxUnzipped int64 `json:"maxUnzipped"` // bytes all entries of an archive (or the parts of a DOCX) may unpack to
	MaxEntries  int   `json:"maxEntries"`  // entries of an archive, parts of a mail
	MaxDepth    int   `json:"maxDepth"`    // nesting of mails in mails, elements in elements
}

// DefaultLimits are generous to real contracts: the longest that were seen have
// some 3,000 pages, and a page at 300 dpi has 9 million pixels.
func DefaultLimits() Limits {
	return Limits{
		MaxPages:    5000,
		MaxPixels:   40_000_000,
		MaxText:     1_000_000,
		MaxUnzipped: 1 << 30,
		MaxEntries:  10_000,
		MaxDepth:    256,
	}
}

// Page is a page as it was extracted, with the verdict on its text.
type Page struct {
	layout.Page

	NeedsOCR bool   // its text is missing or not to be trusted
	Reason   Reason // why the gate chose so

	// Paragraphs is the structure that the format itself records; nil for
	// formats without one (PDF, images).
	Paragraphs []Paragraph

	Fields   []Field    // in order, without overlap
	Emphasis []Emphasis // likewise; nil where the format or its reader has none

	ImageArea float32 // share of the page that images cover, 0 to 1
	TextArea  float32 // share of the page that words cover, 0 to 1
}

// Image is a page as a picture.
type Image struct {
	Bytes  []byte  // binary PGM (P5), 8 bits a pixel, or a JPEG
	JPEG   bool    // Bytes are the only picture on the page, as it is stored in the file
	Width  int     // pixels
	Height int     // pixels
	DPI    float64 // of the rendering, which a limit may have made lower than requested; for a JPEG its own

	// PageWidth and PageHeight are the displayed size in points, so that a word
	// found at a pixel can be placed on the page.
	PageWidth  float32
	PageHeight float32
}

// Bounds of a page that is drawn for people, in pixels. A JPEG can have four times as many
// lines.
const (
	maxDrawn  = 16_000_000
	maxHeight = 16_000
)

// DrawnSize is the size in pixels of a page that is drawn width pixels wide, or less where
// it would be too high.
func DrawnSize(pageWidth, pageHeight float32, width int) (w, h int) {
	ratio := float64(pageHeight) / float64(pageWidth)
	most := min(math.Sqrt(maxDrawn/ratio), maxHeight/ratio)
	w = max(1, min(width, int(most)))
	return w, max(1, min(int(math.Round(float64(w)*ratio)), maxDrawn/w, maxHeight))
}

// File is an opened file of one format, inside the child.
type File interface {
	// Pages is the number of pages that Extract will return, 0 if it is unknown before
	// the file is read.
	Pages() int
	// Extract calls each for the pages from..to (from 1, inclusive) in order,
	// as far as there are such pages.
	Extract(ctx context.Context, from, to int, each func(Page) error) error
	// Render draws one page at dpi or less; with 0 the page decides. packed allows
	// a JPEG instead of the drawing. Formats without pages return fault.Unsupported.
	Render(ctx context.Context, page int, dpi float64, packed bool) (Image, error)
	// Draw draws one page for people, in colour, width pixels wide or less where it
	// would be too high.
	Draw(ctx context.Context, page, width int) (image.Image, error)
	Close() error
}

// Opener opens the file at path. Its errors are fault.File errors: corrupt,
// protected, empty, too large.
type Opener func(ctx context.Context, path string, limits Limits) (File, error)

// Picture is a picture on a page, such as a logo or a signature.
type Picture struct {
	Page          int     // from 1
	Width, Height float32 // points
	Down          float32 // how far down the page it begins, 0 to 1
	JPEG          bool    // else it is a PNG
	Bytes         []byte
	Above, Below  string // the text that is read before and after it, or some of that
}

// Illustrated is a File of a format whose pages have pictures.
type Illustrated interface {
	// Pictures calls each for the pictures of a file in their order, as many as the
	// format's bounds allow.
	Pictures(ctx context.Context, each func(Picture) error) error
}

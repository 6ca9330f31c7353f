package document

import (
	"context"

	"github.com/clausemill/clausemill/document/archive"
	"github.com/clausemill/clausemill/document/format"
	"github.com/clausemill/clausemill/document/office"
	"github.com/clausemill/clausemill/document/pdf"
	"github.com/clausemill/clausemill/document/sniff"
)

// Types of format, for callers of this package.

type (
	// Kind is a format, detected from a file's bytes and not from its name.
	Kind = format.Kind
	// Limits bound what one file may cost.
	Limits = format.Limits
	// Page is a page as it was extracted, with the verdict on its text.
	Page = format.Page
	// Paragraph is what a format declares about a paragraph of a page.
	Paragraph = format.Paragraph
	// Field is what was filled into a form.
	Field = format.Field
	// Image is a page as a picture.
	Image = format.Image
	// Entry is a file inside a file: of an archive, or attached to a mail.
	Entry = archive.Entry
)

// The formats that others ask for.
const (
	PDF  = format.PDF
	DOCX = format.DOCX
	HTML = format.HTML
	EML  = format.EML
	PNG  = format.PNG
	JPEG = format.JPEG
	TIFF = format.TIFF
	WebP = format.WebP
	ZIP  = format.ZIP
)

// DefaultLimits are generous to real contracts.
func DefaultLimits() Limits { return format.DefaultLimits() }

// HeadSize is how many bytes of the start of a file Sniff looks at.
const HeadSize = sniff.HeadSize

// Sniff detects the format of a file from its first HeadSize bytes, or from all if it
// has fewer, and refuses formats without a reader. ZIP represents every format that is
// a ZIP archive, and DOC every compound file.
func Sniff(head []byte, name string) (Kind, error) { return sniff.Head(head, name) }

// Base returns the last element of a name that looks like a path. In other names a
// slash is part of the name.
func Base(name string) string { return archive.Base(name) }

// ReadText returns the pages of a text that is at hand as those of a text file with it.
func ReadText(ctx context.Context, text string) ([]Page, error) { return office.ReadText(ctx, text) }

// Confirms reports whether a text layer that looks garbled says what recognition read
// off its page.
func Confirms(read, layer string) bool { return pdf.Confirms(read, layer) }

// The kinds of paragraphs that are not just text.
const (
	Heading  = format.Heading
	ListItem = format.ListItem
	Contents = format.Contents
)

// Reasons that a worker treats differently.
const (
	ReasonImplausible    = format.ReasonImplausible
	ReasonConfirmed      = format.ReasonConfirmed
	ReasonForm           = format.ReasonForm
	ReasonFormIncomplete = format.ReasonFormIncomplete
	ReasonHidden         = format.ReasonHidden
)

// CleanFolder turns any path into a relative slash-separated one without "..", drive
// letters, control characters and overlong elements. The result may be empty.
func CleanFolder(name string) string { return archive.CleanFolder(name) }

// Info is what is known about a file before its pages are read.
type Info struct {
	Kind  Kind `json:"kind"`
	Pages int  `json:"pages"` // 0 for formats without pages and for archives
}

// Source is where the text of a page comes from.
type Source string

// The sources of text.
const (
	TextLayer  Source = "text_layer" // the file's own text
	Recognised Source = "ocr"        // read off the page's image
)

package format

import (
	"errors"
	"fmt"
	"os"
	"unicode"

	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/layout"
)

// OpenFile opens the file at path and returns its size.
func OpenFile(path string) (*os.File, int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, fmt.Errorf("open the file: %w", err)
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, 0, fmt.Errorf("open the file: %w", err)
	}
	if info.Size() == 0 {
		f.Close()
		return nil, 0, fault.File(fault.EmptyFile, "the file has no bytes", nil)
	}
	return f, info.Size(), nil
}

// TooManyPages is the fault of a file with more pages than Limits.MaxPages.
func TooManyPages(limits Limits) error {
	return fault.File(fault.TooManyPages, fmt.Sprintf("the file has more than %d pages, which is the limit", limits.MaxPages), nil)
}

// AtPage names the page in a fault.
func AtPage(err error, page int) error {
	var known *fault.Error
	if errors.As(err, &known) {
		at := *known
		at.Page = page
		return &at
	}
	return err
}

// Unreadable is a page whose text cannot be read; it may still be possible to render
// it.
func Unreadable(number int) Page {
	return Page{Page: layout.Page{Number: number}, NeedsOCR: true, Reason: ReasonUnreadable}
}

// NonCharacter reports whether r is a code point that never represents a character.
func NonCharacter(r rune) bool {
	return r&0xFFFE == 0xFFFE || r >= 0xFDD0 && r <= 0xFDEF || r < 0 || r > unicode.MaxRune
}

// The resolutions at which pages are rendered for recognition. A resolution above
// FinestDPI costs time and recognises no more. A scan below CoarsestDPI is enlarged to
// it, because the recogniser is trained on letters of that size.
const (
	FinestDPI   = 300
	CoarsestDPI = 150
)

// AllPages is a last page beyond any limit.
const AllPages = 1 << 30

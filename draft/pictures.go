package draft

import (
	"context"
	"strings"
	"unicode"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/document"
)

// A Gallery has the pictures of PDFs. It returns the same ones for the same bytes, and is
// asked in the process that builds a document, so that it must not open files itself.
type Gallery interface {
	Pictures(ctx context.Context, file db.File) ([]document.Picture, error)
}

// placesOf says before which block each picture belongs; len(blocks) is the end. A picture
// is put behind the block that has the text above it, else before the one with the text
// below it, else as far down among the blocks of its page as it is on the page.
func placesOf(blocks []db.Block, pictures []document.Picture) map[int][]document.Picture {
	places := map[int][]document.Picture{}
	at := 0
	for _, p := range pictures { // in the order of pages
		for at < len(blocks) && blocks[at].Page < p.Page {
			at++
		}
		end := at
		for end < len(blocks) && blocks[end].Page == p.Page {
			end++
		}
		place := placeOf(blocks, max(0, at-1), at, end, p)
		places[place] = append(places[place], p)
	}
	return places
}

// placeOf looks for a place among the blocks of a page, from first to end, and the one
// before them, which may go over to the page.
func placeOf(blocks []db.Block, before, first, end int, p document.Picture) int {
	above, below := squeezed(p.Above), squeezed(p.Below)
	found := -1
	for i := before; i < end; i++ {
		text := squeezed(blocks[i].Text)
		switch {
		case above != "" && strings.Contains(text, above):
			return i + 1
		case found < 0 && i >= first && below != "" && strings.Contains(text, below):
			found = i
		}
	}
	if found >= 0 {
		return found
	}
	return first + int(p.Down*float32(end-first))
}

// squeezed is a text without blanks.
func squeezed(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, text)
}

package draft

import (
	"unicode/utf8"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/layout"
)

// A Print is the pages of a file whose text flows, as it was printed: where the words of
// its text are on them. The pages themselves are a PDF beside it.
type Print struct {
	Pages []PrintedPage `json:"pages"`
}

// PrintedPage is one page of a Print.
type PrintedPage struct {
	Width  float32 `json:"width"` // in points
	Height float32 `json:"height"`
	Start  int     `json:"start"` // code points from the start of the file's text
	Text   string  `json:"text"`  // from there to the next page
	Words  []byte  `json:"words"` // as layout.EncodeWords has them; their spans count from start
}

// NewPrint finds a text on the pages that it was printed on.
func NewPrint(printed []layout.Page, text string) Print {
	var p Print
	for _, page := range layout.Place(printed, text) {
		p.Pages = append(p.Pages, PrintedPage{page.Width, page.Height, page.Start, page.Text, layout.EncodeWords(page.Words)})
	}
	return p
}

// Spans are where the pages are in the text.
func (p Print) Spans() []db.PageSpan {
	spans := make([]db.PageSpan, len(p.Pages))
	for i, page := range p.Pages {
		spans[i] = db.PageSpan{Number: i + 1, Start: page.Start, End: page.Start + utf8.RuneCountInString(page.Text)}
	}
	return spans
}

// Layout is page n, from 1.
func (p Print) Layout(n int) (layout.Page, error) {
	printed := p.Pages[n-1]
	words, err := layout.DecodeWords(printed.Words)
	return layout.Page{Number: n, Width: printed.Width, Height: printed.Height, Text: printed.Text, Words: words, Confidence: 100}, err
}

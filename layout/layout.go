package layout

// Box is a rectangle on the page as it is displayed: in points (1/72 inch),
// with the origin in the upper left corner and y growing downwards.
type Box struct {
	X0 float32 `json:"x0"`
	Y0 float32 `json:"y0"`
	X1 float32 `json:"x1"`
	Y1 float32 `json:"y1"`
}

// Word is a run of non-space characters of Page.Text.
type Word struct {
	Start      int     // code points from the start of Page.Text
	End        int     // half open; text[Start:End] is the word
	Box        Box     // zero where the format has no geometry (DOCX, HTML, text)
	Confidence float32 // 0 to 100; 100 for a text layer
	Origin     Origin
}

// Origin is what a word or a paragraph is part of.
type Origin byte

// Origins of words. Their numbers are stored.
const (
	Content    Origin = iota // of the page itself
	Field                    // the value of a form field
	Annotation               // what is drawn over the page: a signature, a stamp, a note
	Header                   // of pages
	Footer                   // of pages
	Footnote
	Endnote
	TextBox
	origins // how many there are
)

// String is the name of an origin.
func (o Origin) String() string {
	names := [...]string{"content", "field", "annotation", "header", "footer", "footnote", "endnote", "textbox"}
	if int(o) < len(names) {
		return names[o]
	}
	return ""
}

// Page is one page as it was read.
type Page struct {
	Number     int     // from 1
	Width      float32 // points, as displayed; 0 where the format has no pages
	Height     float32
	Text       string  // lines end in \n, paragraphs in a blank line; no form feed, no control characters but tabs between the cells of a table
	Words      []Word  // in reading order, covering every non-space character of Text
	Confidence float32 // mean over the characters; 100 for a text layer
}

// MeanConfidence is that of pages that were recognised, 0 where none was.
func MeanConfidence(pages []float32) float32 {
	var sum float32
	for _, c := range pages {
		sum += c
	}
	return sum / float32(max(1, len(pages)))
}

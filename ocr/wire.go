package ocr

// Request is what the child is asked about the image in the payload.
type Request struct {
	List      bool    `json:"list,omitempty"`   // only name the installed languages
	Script    bool    `json:"script,omitempty"` // only name the script of the page
	DPI       float64 `json:"dpi,omitempty"`    // 0 where unknown
	Languages string  `json:"languages,omitempty"`
}

// Answer is what the child read. Coordinates are pixels of the image as it was
// sent, with fractions, because the child straightens and scales it first.
type Answer struct {
	Languages  []string      `json:"languages,omitempty"`
	Script     string        `json:"script,omitempty"` // "" where it cannot be told
	Width      int           `json:"width,omitempty"`
	Height     int           `json:"height,omitempty"`
	Paragraphs [][][]Reading `json:"paragraphs,omitempty"`
}

// Reading is one word. An Answer groups words in lines and lines in paragraphs.
type Reading struct {
	Text       string     `json:"text"`
	Box        [4]float32 `json:"box"`        // left, top, right, bottom
	Confidence float32    `json:"confidence"` // 0 to 100
}

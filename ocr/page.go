package ocr

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clausemill/clausemill/layout"
)

// assemble makes a page of an answer: text with a line feed after each line and
// a blank line between paragraphs, and words with boxes in points.
func assemble(a Answer, img Image) layout.Page {
	page := layout.Page{Number: img.Number, Width: img.Width, Height: img.Height}
	if page.Width <= 0 || page.Height <= 0 {
		dpi := img.DPI
		if dpi <= 0 {
			dpi = 72 // a pixel is a point
		}
		page.Width, page.Height = float32(float64(a.Width)*72/dpi), float32(float64(a.Height)*72/dpi)
	}
	scaleX, scaleY := page.Width/float32(max(a.Width, 1)), page.Height/float32(max(a.Height, 1))

	var text strings.Builder
	var at int // code points of text
	write := func(s string) (start, end int) {
		text.WriteString(s)
		start = at
		at += utf8.RuneCountInString(s)
		return start, at
	}
	var confidence, letters float64
	for _, lines := range a.Paragraphs {
		begun := false // the paragraph has a word
		for _, line := range lines {
			first := true
			for _, reading := range line {
				word := clean(reading.Text)
				if word == "" {
					continue
				}
				switch {
				case !first:
					write(" ")
				case !begun && at > 0:
					write("\n")
				}
				first, begun = false, true
				start, end := write(word)
				w := layout.Word{Start: start, End: end, Confidence: bounded(reading.Confidence, 100)}
				w.Box = layout.Box{
					X0: bounded(reading.Box[0]*scaleX, page.Width), Y0: bounded(reading.Box[1]*scaleY, page.Height),
					X1: bounded(reading.Box[2]*scaleX, page.Width), Y1: bounded(reading.Box[3]*scaleY, page.Height),
				}
				page.Words = append(page.Words, w)
				confidence += float64(w.Confidence) * float64(end-start)
				letters += float64(end - start)
			}
			if !first {
				write("\n")
			}
		}
	}
	page.Text = text.String()
	if letters > 0 {
		page.Confidence = float32(confidence / letters)
	}
	return page
}

// clean takes out what may not be part of a word.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.IsControl(r) || r == utf8.RuneError {
			return -1
		}
		return r
	}, s)
}

func bounded(v, most float32) float32 {
	if math.IsNaN(float64(v)) {
		return 0
	}
	return min(max(v, 0), most)
}

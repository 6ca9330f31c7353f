package tesseract

import (
	"strings"
	"unicode"

	"github.com/otiai10/gosseract/v2"

	"github.com/clausemill/clausemill/ocr"
)

// group makes paragraphs and lines of the words that Tesseract has numbered by
// block, paragraph and line. Words without text are left out, and so are lines
// and paragraphs of nothing else.
func group(boxes []gosseract.BoundingBox) (paragraphs [][][]ocr.Reading) {
	var last gosseract.BoundingBox // numbers begin with 1
	for _, b := range boxes {
		text := strings.Map(func(r rune) rune {
			if unicode.IsSpace(r) || unicode.IsControl(r) || r == unicode.ReplacementChar {
				return -1
			}
			return r
		}, b.Word)
		if text == "" {
			continue
		}
		if b.BlockNum != last.BlockNum || b.ParNum != last.ParNum {
			paragraphs = append(paragraphs, nil)
			last.LineNum = 0
		}
		lines := &paragraphs[len(paragraphs)-1]
		if b.LineNum != last.LineNum {
			*lines = append(*lines, nil)
		}
		line := &(*lines)[len(*lines)-1]
		*line = append(*line, ocr.Reading{
			Text:       text,
			Box:        [4]float32{float32(b.Box.Min.X), float32(b.Box.Min.Y), float32(b.Box.Max.X), float32(b.Box.Max.Y)},
			Confidence: float32(b.Confidence),
		})
		last = b
	}
	return paragraphs
}

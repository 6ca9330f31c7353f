package tesseract

import (
	"encoding/xml"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode"

	"github.com/clausemill/clausemill/ocr"
)

// parseHOCR reads the words of Tesseract's hOCR, grouped in lines and those in
// paragraphs, with boxes in pixels of the image that was recognised. Words
// without a box or without text are left out.
func parseHOCR(hocr string) ([][][]ocr.Reading, error) {
	d := xml.NewDecoder(strings.NewReader(hocr))
	d.Strict = false
	d.Entity = xml.HTMLEntity
	var (
		paragraphs [][][]ocr.Reading
		word       *ocr.Reading
		depth      int // elements open inside the word
	)
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return tidy(paragraphs), nil
		}
		if err != nil {
			return nil, err
		}
		switch t := token.(type) {
		case xml.StartElement:
			if word != nil {
				depth++
				continue
			}
			class, title := attributes(t)
			switch {
			case class == "ocr_par":
				paragraphs = append(paragraphs, nil)
			case class == "ocrx_word":
				if box, confidence, ok := parseTitle(title); ok {
					word = &ocr.Reading{Box: box, Confidence: confidence}
				}
			case t.Name.Local == "span": // ocr_line, ocr_header, ocr_caption, ocr_textfloat
				if len(paragraphs) == 0 {
					paragraphs = append(paragraphs, nil)
				}
				last := &paragraphs[len(paragraphs)-1]
				*last = append(*last, nil)
			}
		case xml.CharData:
			if word != nil {
				word.Text += string(t)
			}
		case xml.EndElement:
			if word == nil {
				continue
			}
			if depth > 0 {
				depth--
				continue
			}
			add(&paragraphs, *word)
			word = nil
		}
	}
}

func add(paragraphs *[][][]ocr.Reading, word ocr.Reading) {
	word.Text = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.IsControl(r) || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, word.Text)
	if word.Text == "" {
		return
	}
	if len(*paragraphs) == 0 {
		*paragraphs = append(*paragraphs, nil)
	}
	lines := &(*paragraphs)[len(*paragraphs)-1]
	if len(*lines) == 0 {
		*lines = append(*lines, nil)
	}
	line := &(*lines)[len(*lines)-1]
	*line = append(*line, word)
}

// tidy drops lines without words and paragraphs without lines.
func tidy(paragraphs [][][]ocr.Reading) [][][]ocr.Reading {
	var kept [][][]ocr.Reading
	for _, p := range paragraphs {
		var lines [][]ocr.Reading
		for _, line := range p {
			if len(line) > 0 {
				lines = append(lines, line)
			}
		}
		if len(lines) > 0 {
			kept = append(kept, lines)
		}
	}
	return kept
}

func attributes(e xml.StartElement) (class, title string) {
	for _, a := range e.Attr {
		switch a.Name.Local {
		case "class":
			class = a.Value
		case "title":
			title = a.Value
		}
	}
	return class, title
}

// parseTitle reads "bbox 36 92 96 116; x_wconf 93".
func parseTitle(title string) (box [4]float32, confidence float32, ok bool) {
	for property := range strings.SplitSeq(title, ";") {
		fields := strings.Fields(property)
		switch {
		case len(fields) == 5 && fields[0] == "bbox":
			for i := range box {
				v, err := strconv.Atoi(fields[i+1])
				if err != nil || v < 0 || v > 1<<20 {
					return box, 0, false
				}
				box[i] = float32(v)
			}
			ok = box[0] <= box[2] && box[1] <= box[3]
		case len(fields) == 2 && fields[0] == "x_wconf":
			v, err := strconv.Atoi(fields[1])
			if err != nil {
				return box, 0, false
			}
			confidence = float32(min(max(v, 0), 100))
		}
	}
	return box, confidence, ok
}

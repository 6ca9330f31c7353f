package layout

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"iter"
	"strings"
)

// WriteHOCR writes pages as hOCR 1.2: an HTML page with a box for every page,
// line and word. One pixel of it is one point of the page, times scale. It holds
// one page at a time, and returns the first error that comes instead of one.
func WriteHOCR(w io.Writer, title string, pages iter.Seq2[Page, error], scale float64) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, `<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml">
<head>
<meta charset="utf-8"/>
<title>%s</title>
<meta name="ocr-system" content="clausemill"/>
<meta name="ocr-capabilities" content="ocr_page ocr_line ocrx_word"/>
</head>
<body>
`, html.EscapeString(title))
	for page, err := range pages {
		if err != nil {
			return err
		}
		writePage(b, page, scale)
	}
	b.WriteString("</body>\n</html>\n")
	return b.Flush() // bufio keeps the first error
}

func writePage(b *bufio.Writer, page Page, scale float64) {
	fmt.Fprintf(b, "<div class=\"ocr_page\" id=\"page_%d\" title=\"bbox 0 0 %d %d; ppageno %d\">\n",
		page.Number, pixel(page.Width, scale), pixel(page.Height, scale), page.Number-1)
	runes := []rune(page.Text)
	for n, line := range Lines(page) {
		box := line[0].Box
		for _, w := range line[1:] {
			box = box.Union(w.Box)
		}
		fmt.Fprintf(b, "<span class=\"ocr_line\" id=\"line_%d_%d\" title=\"%s\">", page.Number, n+1, bbox(box, scale))
		for i, w := range line {
			if i > 0 {
				b.WriteByte(' ')
			}
			fmt.Fprintf(b, "<span class=\"ocrx_word\" title=\"%s; x_wconf %d\">%s</span>",
				bbox(w.Box, scale), int(w.Confidence), html.EscapeString(string(runes[w.Start:w.End])))
		}
		b.WriteString("</span>\n")
	}
	b.WriteString("</div>\n")
}

func bbox(box Box, scale float64) string {
	return fmt.Sprintf("bbox %d %d %d %d", pixel(box.X0, scale), pixel(box.Y0, scale), pixel(box.X1, scale), pixel(box.Y1, scale))
}

func pixel(v float32, scale float64) int { return int(float64(v)*scale + 0.5) }

// Lines groups the words of a page by the lines of its text.
func Lines(page Page) [][]Word {
	var lines [][]Word
	runes := []rune(page.Text)
	end := 0
	for _, w := range page.Words {
		if w.End > len(runes) {
			break // words and text do not belong together
		}
		if len(lines) == 0 || strings.ContainsRune(string(runes[end:w.Start]), '\n') {
			lines = append(lines, nil)
		}
		lines[len(lines)-1] = append(lines[len(lines)-1], w)
		end = w.End
	}
	return lines
}

// Middle is the point in the middle of b.
func (b Box) Middle() (x, y float32) { return (b.X0 + b.X1) / 2, (b.Y0 + b.Y1) / 2 }

// Contains reports whether a point is in b or on its edge.
func (b Box) Contains(x, y float32) bool { return x >= b.X0 && x <= b.X1 && y >= b.Y0 && y <= b.Y1 }

// Union is the smallest box that holds both.
func (b Box) Union(other Box) Box {
	return Box{min(b.X0, other.X0), min(b.Y0, other.Y0), max(b.X1, other.X1), max(b.Y1, other.Y1)}
}

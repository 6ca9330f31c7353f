package ocrtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
)

// Page is a page image and the text it is known to show.
type Page struct {
	Name  string
	Image *image.Gray
	DPI   float64
	Text  string // as poppler reads it from the text layer
}

// minText is the number of characters below which a page says little about an
// error rate: covers and signature pages.
const minText = 1200

// Pages draws one page with text from each of up to n of the PDFs in dir, in
// name order. The page is the first, from the middle of its document on, on
// whose reading order poppler's three modes agree: on others (tables, columns of
// numbers) an error rate would measure the order and not the letters.
func Pages(ctx context.Context, dir string, n int, dpi float64) ([]Page, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.pdf"))
	if err != nil {
		return nil, err
	}
	var pages []Page
	for _, file := range files {
		if len(pages) == n {
			break
		}
		page, err := plainPage(ctx, file, dpi)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Base(file), err)
		}
		if page.Image != nil {
			pages = append(pages, page)
		}
	}
	if len(pages) == 0 {
		return nil, fmt.Errorf("no PDF with text in %s", dir)
	}
	return pages, nil
}

// plainPage returns a page without an image where the file has none that suits.
func plainPage(ctx context.Context, file string, dpi float64) (Page, error) {
	var modes [3][]string
	for i, mode := range [][]string{nil, {"-layout"}, {"-raw"}} {
		all, err := run(ctx, "pdftotext", append(mode, "-q", "-enc", "UTF-8", file, "-")...)
		if err != nil {
			return Page{}, err
		}
		modes[i] = strings.Split(string(all), "\f")
	}
	texts := modes[0]
	for i := range texts {
		at := (len(texts)/2 + i) % len(texts)
		text := texts[at]
		if len(text) < minText || !sameText(text, modes[1][at]) || !sameText(text, modes[2][at]) {
			continue
		}
		number := strconv.Itoa(at + 1)
		pgm, err := run(ctx, "pdftoppm", "-q", "-gray", "-r", strconv.FormatFloat(dpi, 'f', -1, 64), "-f", number, "-l", number, file)
		if err != nil {
			return Page{}, err
		}
		img, err := DecodePGM(pgm)
		if err != nil {
			return Page{}, err
		}
		name := strings.TrimSuffix(filepath.Base(file), ".pdf") + "-" + number
		return Page{Name: name, Image: img, DPI: dpi, Text: text}, nil
	}
	return Page{}, nil
}

func sameText(a, b string) bool {
	return strings.Join(strings.Fields(a), "") == strings.Join(strings.Fields(b), "")
}

func run(ctx context.Context, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stderr = os.Stderr
	return cmd.Output()
}

// EncodePGM writes img as a binary PGM, the form in which pages reach the
// recogniser fastest.
func EncodePGM(img *image.Gray) []byte {
	size := img.Rect.Size()
	out := fmt.Appendf(make([]byte, 0, size.X*size.Y+32), "P5\n%d %d\n255\n", size.X, size.Y)
	for y := range size.Y {
		out = append(out, img.Pix[y*img.Stride:y*img.Stride+size.X]...)
	}
	return out
}

// DecodePGM reads a binary PGM of 8 bits without comments, as poppler writes it.
func DecodePGM(b []byte) (*image.Gray, error) {
	var w, h, depth int
	if _, err := fmt.Fscanf(bytes.NewReader(b), "P5\n%d %d\n%d", &w, &h, &depth); err != nil {
		return nil, fmt.Errorf("read PGM header: %w", err)
	}
	if depth != 255 || w <= 0 || h <= 0 || len(b) < w*h {
		return nil, errors.New("not a complete PGM of 8 bits")
	}
	return &image.Gray{Pix: b[len(b)-w*h:], Stride: w, Rect: image.Rect(0, 0, w, h)}, nil
}

// Edits counts the insertions, deletions and substitutions of characters that
// turn got into want, and the characters of want, after both were normalised:
// runs of white space count as one space, and quotes and dashes of all shapes
// as the plain ones.
func Edits(got, want string) (edits, length int) {
	a, b := normalise(got), normalise(want)
	return advance(b, begin(a), a)[len(a)], len(b)
}

var shapes = strings.NewReplacer(
	"‘", "'", "’", "'", "“", `"`, "”", `"`, "„", `"`, "`", "'", "´", "'", "′", "'", "″", `"`,
	"–", "-", "—", "-", "‐", "-", "‑", "-", "−", "-", "\u00ad", "-",
	"ﬁ", "fi", "ﬂ", "fl", "ﬀ", "ff", "ﬃ", "ffi", "ﬄ", "ffl", "…", "...", "''", `"`,
)

func normalise(s string) []rune {
	s = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, s)
	return []rune(strings.Join(strings.Fields(shapes.Replace(s)), " "))
}

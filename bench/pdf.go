package bench

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/clausemill/clausemill/document"
	"github.com/clausemill/clausemill/document/documenttest"
	"github.com/clausemill/clausemill/ocr/ocrtest"
)

// textLayers reads the text of born-digital contracts, words with boxes, beside
// pdftotext, which gives words with boxes as well.
func textLayers(ctx context.Context, c *Config) ([]row, error) {
	contracts, err := documenttest.Contracts(c.Data)
	if err != nil {
		return nil, err
	}
	// The first child compiles its engine for the cache; that is paid once an
	// installation.
	warm := c.Documents()
	if _, err := warm.Inspect(ctx, contracts[0].PDF, "x.pdf"); err != nil {
		return nil, err
	}
	_ = warm.Close()

	reader := c.Documents()
	pages := 0
	var words, order []float64
	before := ocrtest.CPU()
	texts := make([]string, len(contracts))
	for i, contract := range contracts {
		var text strings.Builder
		err := reader.Extract(ctx, contract.PDF, document.PDF, 1, 0, func(p document.Page) error {
			pages++
			text.WriteString(p.Text)
			text.WriteByte('\n')
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", contract.ID, err)
		}
		texts[i] = text.String()
	}
	_ = reader.Close()
	ours := float64(pages) / (ocrtest.CPU() - before).Seconds()
	for i, contract := range contracts {
		want, err := os.ReadFile(contract.Text)
		if err != nil {
			return nil, err
		}
		words = append(words, documenttest.Agreement(texts[i], string(want), 1))
		order = append(order, documenttest.Agreement(texts[i], string(want), 4))
	}

	figure := fmt.Sprintf("%.0f pages/CPU s", ours)
	const what, want = "text layer with word boxes", "≥ 1.2"
	rows := []row{missing(what, figure, "pdftotext", want)}
	if installed("pdftotext") {
		before = ocrtest.CPU()
		for _, contract := range contracts {
			if err := exec.CommandContext(ctx, "pdftotext", contract.PDF, os.DevNull).Run(); err != nil {
				return nil, err
			}
		}
		theirs := float64(pages) / (ocrtest.CPU() - before).Seconds()
		rows[0] = row{what, figure, fmt.Sprintf("pdftotext without boxes %.0f", theirs), ours / theirs, want}
	}
	return append(rows,
		row{what: "words against the reference, F1", ours: fmt.Sprintf("median %.4f worst %.3f", median(words), slices.Min(words)), want: "≥ 0.999, ≥ 0.98"},
		row{what: "order against the reference, 4-gram F1", ours: fmt.Sprintf("median %.4f worst %.3f", median(order), slices.Min(order)), want: "≥ 0.995, ≥ 0.93"},
	), nil
}

// The width of pictures of pages, and what the first of a file may take: of a text, and of
// a scan at 300 dpi.
const (
	pictureWidth  = 1000
	firstOfText   = 150 * time.Millisecond
	firstOfScan   = 400 * time.Millisecond
	scansPictured = 12
)

// pagePictures draws a page of files that were not open before, as people who open them
// wait for it, beside pdftoppm with the same page, width and format.
func pagePictures(ctx context.Context, c *Config) ([]row, error) {
	contracts, err := documenttest.Contracts(c.Data)
	if err != nil {
		return nil, err
	}
	reader := c.Documents()
	defer reader.Close()
	if err := reader.Warm(ctx); err != nil {
		return nil, err
	}
	texts := make([]string, len(contracts))
	for i, contract := range contracts {
		texts[i] = contract.PDF
	}
	rows, err := pictured(ctx, reader, "first picture of a text page", texts, c.within(firstOfText))
	if err != nil {
		return nil, err
	}
	if !installed("pdftoppm") {
		return append(rows, missing("first picture of a scan", "not measured", "pdftoppm, which makes the scan", c.within(firstOfScan))), nil
	}
	dir, err := os.MkdirTemp("", "clausemill-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	var scans []string
	for i, contract := range contracts[:min(len(contracts), scansPictured)] {
		picture, scan := filepath.Join(dir, strconv.Itoa(i)), filepath.Join(dir, strconv.Itoa(i)+".pdf")
		if err := exec.CommandContext(ctx, "pdftoppm", "-q", "-jpeg", "-r", "300", "-f", "1", "-l", "1", "-singlefile", contract.PDF, picture).Run(); err != nil {
			return nil, err
		}
		if _, err := reader.Merge(ctx, []document.Part{{Path: picture + ".jpg", Kind: document.JPEG}}, scan); err != nil {
			return nil, err
		}
		scans = append(scans, scan)
	}
	more, err := pictured(ctx, reader, "first picture of a 300-dpi scan", scans, c.within(firstOfScan))
	return append(rows, more...), err
}

// pictured is the time that the first page of files takes, in the middle.
func pictured(ctx context.Context, reader *document.Reader, what string, files []string, want string) ([]row, error) {
	var ours, theirs []float64
	beside := installed("pdftoppm")
	for _, file := range files {
		began := time.Now()
		if _, err := reader.Draw(ctx, file, document.PDF, 1, pictureWidth, document.AsJPEG); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		ours = append(ours, float64(time.Since(began).Microseconds())/1000)
		if !beside {
			continue
		}
		began = time.Now()
		if err := exec.CommandContext(ctx, "pdftoppm", "-q", "-jpeg", "-scale-to-x", strconv.Itoa(pictureWidth), "-scale-to-y", "-1", "-f", "1", "-l", "1", "-singlefile", file, filepath.Join(os.TempDir(), "clausemill-bench-page")).Run(); err != nil {
			return nil, err
		}
		theirs = append(theirs, float64(time.Since(began).Microseconds())/1000)
	}
	figure := fmt.Sprintf("p50 %.0f ms, worst %.0f", median(ours), slices.Max(ours))
	if !beside {
		return []row{missing(what, figure, "pdftoppm", want)}, nil
	}
	return []row{{what, figure, fmt.Sprintf("pdftoppm %.0f ms", median(theirs)), median(theirs) / median(ours), want}}, nil
}

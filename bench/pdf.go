package bench

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

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

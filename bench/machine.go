package bench

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"time"

	"github.com/clausemill/clausemill/document/documenttest"
	"github.com/clausemill/clausemill/ocr/ocrtest"
)

// boundPages is how many pages of the corpus pdftotext reads in a second of the processor of
// the machine that bounds in milliseconds are made for. Where it reads half of them, twice
// as much time is allowed.
const boundPages = 66

// gauge finds out what the machine is worth in this hour, which the bounds go by.
func gauge(ctx context.Context, c *Config) ([]row, error) {
	c.slower = 1
	pages := missing("pages of pdftotext", "unknown", "pdftotext", fmt.Sprintf("bounds in ms are for %d", boundPages))
	if installed("pdftotext") {
		rate, err := pagesOfPdftotext(ctx, c.Data)
		if err != nil {
			return nil, err
		}
		c.slower = boundPages / rate
		pages.ours, pages.peer, pages.ratio = fmt.Sprintf("%.0f/CPU s", rate), "", rate/boundPages
	}
	read, err := times(1, 1000, asked, func(*rand.Rand) error {
		var one int
		return c.DB.Pool().QueryRow(ctx, `SELECT 1 FROM teams WHERE id = $1`, c.Scope.TeamID).Scan(&one)
	})
	if err != nil {
		return nil, err
	}
	return []row{
		pages,
		{what: "a row read by its key, p50", ours: fmt.Sprintf("%.3f ms", 1000*percentile(read, 0.5).Seconds())},
		{what: "SHA-256", ours: fmt.Sprintf("%.0f MB/CPU s", hashed())},
	}, nil
}

// pagesOfPdftotext is how many pages pdftotext reads in a second of the processor, of
// contracts from all parts of the corpus.
func pagesOfPdftotext(ctx context.Context, data string) (float64, error) {
	contracts, err := documenttest.Contracts(data)
	if err != nil {
		return 0, err
	}
	const files = 34
	pages, before := 0, ocrtest.CPU()
	for i := 0; i < len(contracts); i += max(1, len(contracts)/files) {
		text, err := exec.CommandContext(ctx, "pdftotext", contracts[i].PDF, "-").Output()
		if err != nil {
			return 0, err
		}
		pages += bytes.Count(text, []byte("\f"))
	}
	return float64(pages) / (ocrtest.CPU() - before).Seconds(), nil
}

// hashed is how many megabytes are hashed in a second of the processor.
func hashed() float64 {
	const megabytes = 256
	block := make([]byte, 1<<20)
	before := ocrtest.CPU()
	for range megabytes {
		sum := sha256.Sum256(block)
		block[0] = sum[0] // each depends on the one before, so that none is left out
	}
	return megabytes / (ocrtest.CPU() - before).Seconds()
}

// within is the bound of a duration, as it is on this machine.
func (c *Config) within(bound time.Duration) string {
	here := time.Duration(float64(bound) * c.slower)
	if c.slower == 1 {
		return "≤ " + short(bound)
	}
	return fmt.Sprintf("≤ %s (%s)", short(here), short(bound))
}

// short writes a bound in whole milliseconds, or in seconds from one on.
func short(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%d ms", d.Round(time.Millisecond).Milliseconds())
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

package bench

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/jpeg"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/clausemill/clausemill/document"
	"github.com/clausemill/clausemill/ocr"
	"github.com/clausemill/clausemill/ocr/ocrtest"
)

// recognition reads page images: by the reader alone, per second of CPU, and by
// the whole service, from upload to completed.
func recognition(ctx context.Context, c *Config) ([]row, error) {
	if !installed("pdftoppm", "pdftotext", "tesseract") {
		return []row{missing("recognition", "", "poppler-utils or tesseract", "")}, nil
	}
	pages, err := ocrtest.Pages(ctx, filepath.Join(c.Data, "cuad", "pdf"), c.Pages, 300)
	if err != nil {
		return nil, err
	}
	dir, done, err := temporary()
	if err != nil {
		return nil, err
	}
	defer done()

	// A page that is not counted wakes the children, which a service does once.
	first, err := writeScans(ctx, c.Documents(), dir, "first", ocrtest.Clean(pages[:1]))
	if err != nil {
		return nil, err
	}
	if err := c.process(ctx, first); err != nil {
		return nil, err
	}

	var rows []row
	for _, condition := range []struct {
		name  string
		scans []ocrtest.Scan
		want  string
	}{
		{"clean", ocrtest.Clean(pages), "≤ 0.40 %"},
		{"worn", ocrtest.Worn(pages), "≤ 0.50 %"},
	} {
		alone, err := c.alone(ctx, dir, condition.name, condition.scans, condition.want)
		if err != nil {
			return rows, err
		}
		wall, err := c.scanned(ctx, dir, condition.name, condition.scans)
		if err != nil {
			return rows, err
		}
		rows = slices.Concat(rows, alone, wall)
	}
	layouts, err := c.layouts(ctx, dir)
	return append(rows, layouts...), err
}

// layouts reads pages that were chosen for their layout, in the order that is
// nearest of those in which each may be read.
func (c *Config) layouts(ctx context.Context, dir string) ([]row, error) {
	files, err := filepath.Glob(filepath.Join(c.Data, "cuad", "pdf", "*.pdf"))
	if err != nil || c.Layouts == 0 {
		return nil, err
	}
	pages, err := ocrtest.Layouts(ctx, files, c.Layouts, 300)
	if err != nil {
		return nil, err
	}
	reader := c.OCR()
	defer reader.Close()
	var ours, theirs ocrtest.Rates
	for _, page := range pages {
		scan := ocrtest.Clean([]ocrtest.Page{page.Page})[0]
		read, err := reader.Read(ctx, ocr.Image{Bytes: scan.Encoded, DPI: scan.DPI, Number: 1})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", page.Name, err)
		}
		ours.Add(page.Edits(read.Text))
		text, err := ocrtest.Tesseract(ctx, dir, scan)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", page.Name, err)
		}
		theirs.Add(page.Edits(text))
	}
	percent := func(rate float64) string { return fmt.Sprintf("%.2f %%", 100*rate) }
	return []row{
		{"layouts: micro", percent(ours.Micro()), "tesseract " + percent(theirs.Micro()), 0, "≤ 0.80 %"},
		{"layouts: median", percent(ours.Median()), "tesseract " + percent(theirs.Median()), 0, "≤ 0.45 %"},
		{"layouts: worst page", percent(ours.Worst()), "tesseract " + percent(theirs.Worst()), 0, "≤ 4.00 %"},
	}, nil
}

// alone measures a reader of one child beside the program.
func (c *Config) alone(ctx context.Context, dir, name string, scans []ocrtest.Scan, want string) ([]row, error) {
	var ours, theirs ocrtest.Score
	err := inTurns(scans, func(scans []ocrtest.Scan) error {
		reader := c.OCR()
		score, err := ocrtest.Measure(scans, func(s ocrtest.Scan) (string, error) {
			page, err := reader.Read(ctx, ocr.Image{Bytes: s.Encoded, DPI: s.DPI, Number: 1})
			return page.Text, err
		}, reader.Close)
		ours.Add(score)
		return err
	}, func(scans []ocrtest.Scan) error {
		score, err := ocrtest.Measure(scans, func(s ocrtest.Scan) (string, error) {
			return ocrtest.Tesseract(ctx, dir, s)
		}, func() error { return nil })
		theirs.Add(score)
		return err
	})
	return []row{
		{
			"pages " + name, fmt.Sprintf("%.1f/CPU min", 60*ours.PagesPerSecond()),
			fmt.Sprintf("tesseract %.1f", 60*theirs.PagesPerSecond()), ours.PagesPerSecond() / theirs.PagesPerSecond(), "≥ 1.0",
		},
		{
			"characters wrong, " + name, fmt.Sprintf("%.2f %%", 100*ours.ErrorRate()),
			fmt.Sprintf("tesseract %.2f %%", 100*theirs.ErrorRate()), 0, want,
		},
	}, err
}

// scanned sends the pages as image-only PDFs through the service, and through
// the tesseract program and ocrmypdf, two at a time each.
func (c *Config) scanned(ctx context.Context, dir, name string, scans []ocrtest.Scan) ([]row, error) {
	var ours, theirs, whole time.Duration
	var turn sync.Mutex // the program's working file is named after the page
	parts := 0
	measures := []func([]ocrtest.Scan) error{func(scans []ocrtest.Scan) error {
		parts++
		files, err := writeScans(ctx, c.Documents(), dir, fmt.Sprint(name, parts, "-"), scans)
		if err != nil {
			return err
		}
		defer elapsed(&ours)()
		return c.process(ctx, files)
	}, func(scans []ocrtest.Scan) error {
		defer elapsed(&theirs)()
		return pairs(len(scans), func(i int) error {
			turn.Lock()
			own, err := os.MkdirTemp(dir, "tesseract-*")
			turn.Unlock()
			if err != nil {
				return err
			}
			_, err = ocrtest.Tesseract(ctx, own, scans[i])
			return err
		})
	}}
	ocrmypdf := installed("ocrmypdf")
	if ocrmypdf {
		measures = append(measures, func(scans []ocrtest.Scan) error {
			files, err := writeScans(ctx, c.Documents(), dir, name+"-peer-", scans)
			if err != nil {
				return err
			}
			defer elapsed(&whole)()
			for _, file := range files {
				if err := exec.CommandContext(ctx, "ocrmypdf", "--quiet", "--jobs", "2", file, filepath.Join(dir, "out.pdf")).Run(); err != nil {
					return fmt.Errorf("ocrmypdf: %w", err)
				}
			}
			return nil
		})
	}
	if err := inTurns(scans, measures...); err != nil {
		return nil, err
	}
	perMinute := func(took time.Duration) float64 { return float64(len(scans)) / took.Minutes() }
	what, figure := "upload to completed, "+name, fmt.Sprintf("%.1f pages/min", perMinute(ours))
	rows := []row{{what, figure, fmt.Sprintf("2 × tesseract %.1f", perMinute(theirs)), theirs.Seconds() / ours.Seconds(), "≥ 1.3"}}
	const want = "≥ 2.0"
	if !ocrmypdf {
		return append(rows, missing(what, figure, "ocrmypdf", want)), nil
	}
	return append(rows, row{what, figure, fmt.Sprintf("ocrmypdf --jobs 2 %.1f", perMinute(whole)), whole.Seconds() / ours.Seconds(), want}), nil
}

// inTurns gives two files' worth of pages to each measure before the next two
// files', and begins with another one each time: neighbours on the machine
// change its speed by half within minutes.
func inTurns(scans []ocrtest.Scan, measures ...func([]ocrtest.Scan) error) error {
	first := 0
	for part := range slices.Chunk(scans, 2*pagesPerScan) {
		for i := range measures {
			if err := measures[(first+i)%len(measures)](part); err != nil {
				return err
			}
		}
		first++
	}
	return nil
}

// elapsed begins a span of time; what it returns adds that to total.
func elapsed(total *time.Duration) func() {
	started := time.Now()
	return func() { *total += time.Since(started) }
}

// process uploads files, one after the other, and waits until all are done.
func (c *Config) process(ctx context.Context, files []string) error {
	ids := make([]string, len(files))
	for i, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if ids[i], err = c.upload(ctx, filepath.Base(file), content); err != nil {
			return err
		}
	}
	return c.follow(ctx, ids, state.ended)
}

// pagesPerScan is how many pages each image-only PDF has.
const pagesPerScan = 8

// writeScans makes image-only PDFs of scans.
func writeScans(ctx context.Context, reader *document.Reader, dir, name string, scans []ocrtest.Scan) ([]string, error) {
	defer reader.Close()
	var files []string
	for start := 0; start < len(scans); start += pagesPerScan {
		var parts []document.Part
		for i, s := range scans[start:min(start+pagesPerScan, len(scans))] {
			picture := s.Encoded
			if bytes.HasPrefix(picture, []byte("P5")) {
				var err error
				if picture, err = encodeJPEG(s.Image); err != nil {
					return nil, err
				}
			}
			path := filepath.Join(dir, name+strconv.Itoa(start+i)+".jpg")
			if err := os.WriteFile(path, withDPI(picture, int(s.DPI)), 0o600); err != nil {
				return nil, err
			}
			parts = append(parts, document.Part{Path: path, Kind: document.JPEG})
		}
		file := filepath.Join(dir, name+strconv.Itoa(start)+".pdf")
		if _, err := reader.Merge(ctx, parts, file); err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	return files, nil
}

func encodeJPEG(img *image.Gray) ([]byte, error) {
	var b bytes.Buffer
	err := jpeg.Encode(&b, img, &jpeg.Options{Quality: 95})
	return b.Bytes(), err
}

// withDPI puts a JFIF header into a JPEG of the standard library, which writes
// none, so that a page has the size it was drawn with.
func withDPI(picture []byte, dpi int) []byte {
	header := []byte{0xff, 0xd8, 0xff, 0xe0, 0, 16, 'J', 'F', 'I', 'F', 0, 1, 1, 1, byte(dpi >> 8), byte(dpi), byte(dpi >> 8), byte(dpi), 0, 0}
	return append(header, picture[2:]...)
}

// pairs does n things, two at a time.
func pairs(n int, do func(i int) error) error {
	var group errgroup.Group
	group.SetLimit(2)
	for i := range n {
		group.Go(func() error { return do(i) })
	}
	return group.Wait()
}

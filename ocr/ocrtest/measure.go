package ocrtest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"
)

// Scan is a page as it reaches a reader.
type Scan struct {
	Page
	Encoded []byte
}

// Clean gives pages as they were drawn, Worn after Degrade.
func Clean(pages []Page) []Scan {
	scans := make([]Scan, len(pages))
	for i, p := range pages {
		scans[i] = Scan{p, EncodePGM(p.Image)}
	}
	return scans
}

// Worn gives pages after Degrade, each with damage of its own.
func Worn(pages []Page) []Scan {
	scans := make([]Scan, len(pages))
	for i, p := range pages {
		scans[i] = Scan{p, Degrade(p.Image, uint64(i))}
	}
	return scans
}

// Score is how well and at what cost pages were read.
type Score struct {
	Pages      int
	CPU        time.Duration // of this process and the children it has waited for
	Edits      int
	Characters int
}

// PagesPerSecond is per second of CPU.
func (s Score) PagesPerSecond() float64 { return float64(s.Pages) / s.CPU.Seconds() }

// ErrorRate is the character error rate, from 0.
func (s Score) ErrorRate() float64 { return float64(s.Edits) / float64(max(s.Characters, 1)) }

// Add counts the pages of another score as well.
func (s *Score) Add(other Score) {
	s.Pages += other.Pages
	s.CPU += other.CPU
	s.Edits += other.Edits
	s.Characters += other.Characters
}

// Measure reads scans. A reader with children of its own must have waited for
// them when close returns, or their work is not counted.
func Measure(scans []Scan, read func(Scan) (string, error), close func() error) (Score, error) {
	score := Score{Pages: len(scans)}
	texts := make([]string, len(scans))
	before := CPU()
	for i, s := range scans {
		text, err := read(s)
		if err != nil {
			return Score{}, fmt.Errorf("%s: %w", s.Name, err)
		}
		texts[i] = text
	}
	if err := close(); err != nil {
		return Score{}, err
	}
	score.CPU = CPU() - before
	for i, s := range scans {
		edits, length := Edits(texts[i], s.Text)
		score.Edits += edits
		score.Characters += length
	}
	return score, nil
}

// Rates are the character error rates of pages.
type Rates struct {
	edits, length int
	pages         []float64
}

// Add counts a page of some characters that were read with some edits.
func (r *Rates) Add(edits, length int) {
	r.edits += edits
	r.length += length
	r.pages = append(r.pages, float64(edits)/float64(max(length, 1)))
	slices.Sort(r.pages)
}

// Micro is the rate over all characters, so that long pages weigh more.
func (r *Rates) Micro() float64 { return float64(r.edits) / float64(max(r.length, 1)) }

// Median is the rate of the page in the middle, of an even number the worse one.
func (r *Rates) Median() float64 { return r.pages[len(r.pages)/2] }

// Worst is the rate of the worst page.
func (r *Rates) Worst() float64 { return r.pages[len(r.pages)-1] }

// CPU is the time that this process and the children it has waited for have
// used.
func CPU() time.Duration {
	var total time.Duration
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var usage syscall.Rusage
		if err := syscall.Getrusage(who, &usage); err == nil { // fails only for another who
			total += time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
		}
	}
	return total
}

// Tesseract reads a scan as a script would, with the tesseract program, on one
// thread. dir is for its files.
func Tesseract(ctx context.Context, dir string, s Scan) (string, error) {
	file := filepath.Join(dir, "page")
	if err := os.WriteFile(file, s.Encoded, 0o600); err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, "tesseract", file, "stdout", "--dpi", strconv.Itoa(int(s.DPI)))
	cmd.Env = append(os.Environ(), "OMP_THREAD_LIMIT=1")
	out, err := cmd.Output()
	return string(out), err
}

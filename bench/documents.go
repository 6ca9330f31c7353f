package bench

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"time"

	"github.com/clausemill/clausemill/docx"
	"github.com/clausemill/clausemill/ocr/ocrtest"
	"github.com/clausemill/clausemill/redline"
)

// The goals for a contract of 54 pages, in processor time; how much longer four times as
// much may take; and memory as a multiple of the main part.
const (
	wantedListing  = 30 * time.Millisecond
	wantedRedline  = 60 * time.Millisecond
	wantedGrowth   = 4.4
	wantedMultiple = 12
)

// documents measures changes of a long Word document beside the standard
// library reading its main part once.
func documents(_ context.Context, c *Config) ([]row, error) {
	dir := filepath.Join(c.Data, "docx", "timing")
	plain, err := os.ReadFile(filepath.Join(dir, "synth50.docx"))
	if err != nil {
		return nil, err
	}
	tracked, err := os.ReadFile(filepath.Join(dir, "synth50-tc.docx"))
	if err != nil {
		return nil, err
	}
	main, err := mainPart(plain)
	if err != nil {
		return nil, err
	}
	fourfold, err := repeated(plain, main, 4)
	if err != nil {
		return nil, err
	}
	changes, err := hundred(plain)
	if err != nil {
		return nil, err
	}

	floor, err := spent(func() error { return decoded(main) })
	if err != nil {
		return nil, err
	}
	var rows []row
	for _, m := range []struct {
		what string
		want time.Duration
		run  func() error
	}{
		{"list 468 tracked changes", wantedListing, func() error { return listed(tracked) }},
		{"accept them all", wantedListing, func() error { return resolved(tracked) }},
		{"100 changes as a redline, with proof", wantedRedline, func() error { return redlined(plain, changes) }},
	} {
		ours, err := spent(m.run)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row{
			what: m.what, ours: milliseconds(ours), peer: "encoding/xml reads it once " + milliseconds(floor),
			ratio: floor.Seconds() / ours.Seconds(), want: c.within(m.want),
		})
	}

	once, err := spent(func() error { return redlined(plain, changes) })
	if err != nil {
		return nil, err
	}
	four, err := spent(func() error { return redlined(fourfold, changes) })
	if err != nil {
		return nil, err
	}
	rows = append(rows, row{
		what: "the same in four times as much", ours: milliseconds(four), peer: "in as much " + milliseconds(once),
		ratio: once.Seconds() / four.Seconds(), want: fmt.Sprintf("≥ %.2f", 1/wantedGrowth),
	})
	most, err := peak(func() error { return redlined(plain, changes) })
	if err != nil {
		return nil, err
	}
	return append(rows, row{
		what: "most memory of a redline", ours: fmt.Sprintf("%.1f MB", float64(most)/1e6), peer: fmt.Sprintf("main part %.1f MB", float64(len(main))/1e6),
		ratio: float64(len(main)) / float64(most), want: fmt.Sprintf("≥ %.2f", 1.0/wantedMultiple),
	}), nil
}

// spent is the median CPU time of several runs.
func spent(run func() error) (time.Duration, error) {
	var all []time.Duration
	for range 15 {
		before := ocrtest.CPU()
		if err := run(); err != nil {
			return 0, err
		}
		all = append(all, max(ocrtest.CPU()-before, time.Microsecond))
	}
	return percentile(all, 0.5), nil
}

// peak is the most that lay on the heap during a run, beyond what lay there
// before. The collector works more often meanwhile: how much of what is dead lies
// there as well depends on what else this process holds.
func peak(run func() error) (most uint64, err error) {
	const often = 10
	defer debug.SetGCPercent(debug.SetGCPercent(often))
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	read := func() uint64 {
		metrics.Read(sample)
		return sample[0].Value.Uint64()
	}
	runtime.GC()
	before := read()
	done := make(chan error)
	go func() { done <- run() }()
	for {
		select {
		case err := <-done:
			return max(most, 1), err
		case <-time.After(time.Millisecond):
			if now := read(); now > before {
				most = max(most, now-before)
			}
		}
	}
}

func decoded(main []byte) error {
	d := xml.NewDecoder(bytes.NewReader(main))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

func listed(data []byte) error {
	d, err := docx.Open(data)
	if err == nil && len(d.Revisions()) == 0 {
		err = errors.New("no tracked changes")
	}
	return err
}

func resolved(data []byte) error {
	d, err := docx.Open(data)
	if err != nil {
		return err
	}
	_, err = d.Resolve(docx.AcceptAll)
	return err
}

func redlined(data []byte, changes []redline.Change) error {
	r, err := redline.Execute(data, changes, redline.Options{Strict: true})
	if err == nil && !r.Checks.OK() {
		err = errors.New("the redline's proof failed")
	}
	return err
}

// hundred are changes of a document's longer paragraphs, each of some words.
func hundred(data []byte) ([]redline.Change, error) {
	d, err := docx.Open(data)
	if err != nil {
		return nil, err
	}
	var changes []redline.Change
	for _, p := range d.Story("body").Paragraphs() {
		if p.Len() <= 40 || len(changes) == 100 {
			continue
		}
		start, end := 10, 20
		changes = append(changes, redline.Change{
			ID: strconv.Itoa(len(changes)), Type: redline.Replace, Text: "other words", Author: redline.Author{Name: "Ann Lee"},
			Anchor: redline.Anchor{Block: &p.Index, Start: &start, End: &end},
		})
	}
	return changes, nil
}

const mainName = "word/document.xml"

func mainPart(data []byte) ([]byte, error) {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	part, err := z.Open(mainName)
	if err != nil {
		return nil, err
	}
	defer part.Close()
	return io.ReadAll(part)
}

// repeated is a document with its body's content several times over.
func repeated(data, main []byte, times int) ([]byte, error) {
	begin, end := bytes.Index(main, []byte("<w:body>"))+len("<w:body>"), bytes.LastIndex(main, []byte("<w:sectPr"))
	if end < begin {
		return nil, errors.New("the document has no body that can be repeated")
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	to := zip.NewWriter(&b)
	for _, f := range z.File {
		if f.Name != mainName {
			if err := to.Copy(f); err != nil {
				return nil, err
			}
			continue
		}
		w, err := to.Create(f.Name)
		if err != nil {
			return nil, err
		}
		for _, piece := range [][]byte{main[:begin], bytes.Repeat(main[begin:end], times), main[end:]} {
			if _, err := w.Write(piece); err != nil {
				return nil, err
			}
		}
	}
	err = to.Close()
	return b.Bytes(), err
}

package bench

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/clausemill/clausemill/blob"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/document"
	"github.com/clausemill/clausemill/ocr"
	"github.com/clausemill/clausemill/search"
)

// Config is a running service and the parts that are measured by themselves.
type Config struct {
	Data    string // a directory with cuad/contracts.jsonl, cuad/pdf and docx/timing
	Pages   int    // pages to recognise in each condition
	Layouts int    // pages to recognise that are chosen for their layout
	Files   int    // of the team that is measured at scale, and alike ones
	Only    []string

	Workers, Teams int // that are simulated

	URL     string       // of a service that is otherwise idle
	Key     string       // an API key of the team that uploads
	Session *http.Cookie // of the same team
	Scope   db.Scope     // of the same team

	// Service is `clausemill dev` at an address, with its data in dir.
	Service func(ctx context.Context, dir, address string) *exec.Cmd

	// NewTeam makes a team that shares nothing with any other, and has one member.
	NewTeam func(ctx context.Context, name string) (Team, error)

	DB         *db.DB
	Blobs      *blob.Store
	Documents  func() *document.Reader // a reader of one child; the caller closes it
	OCR        func() *ocr.Reader      // likewise
	OCRProgram string
	Engines    []search.Engine

	Out io.Writer

	slower float64 // how many times as long as on the machine of the bounds things take here
}

// Team is how a team asks.
type Team struct {
	Session *http.Cookie
	Key     string
	Scope   db.Scope
}

// as is c for another team.
func (c *Config) as(team Team) *Config {
	other := *c
	other.Session, other.Key, other.Scope = team.Session, team.Key, team.Scope
	return &other
}

// teams makes n teams.
func (c *Config) teams(ctx context.Context, n int) ([]Team, error) {
	list := make([]Team, n)
	for i := range list {
		var err error
		if list[i], err = c.NewTeam(ctx, fresh()); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// row is one line of the table.
type row struct {
	what  string
	ours  string
	peer  string  // what stands beside it, with its figure
	ratio float64 // ours over the peer's, in the direction in which more is better; 0 where nothing is compared
	want  string
}

// section is one group of figures.
type section struct {
	name string
	run  func(ctx context.Context, c *Config) ([]row, error)

	always bool // whatever else is named
	named  bool // it is measured only where it is named: it takes too long
}

func sections() []section {
	return []section{
		{name: "machine", run: gauge, always: true},
		{name: "ocr", run: recognition},
		{name: "pdf", run: textLayers},
		{name: "pictures", run: pagePictures},
		{name: "analysis", run: analysis},
		{name: "documents", run: documents},
		{name: "import", run: imports},
		{name: "archive", run: archives},
		{name: "search", run: searches},
		{name: "api", run: interfaces},
		{name: "neighbours", run: neighbours},
		{name: "starts", run: starts},
		{name: "answers", run: quotedAnswers, named: true},
		{name: "alike", run: alike, named: true},
		{name: "scale", run: scale, named: true},
		{name: "cost", run: costs, named: true},
		{name: "simulate", run: simulate, named: true},
	}
}

// Run measures and prints the table, a section at a time.
func Run(ctx context.Context, c Config) error {
	for _, s := range sections() {
		if !s.always && (len(c.Only) > 0 || s.named) && !slices.Contains(c.Only, s.name) {
			continue
		}
		started := time.Now()
		rows, failed := s.run(ctx, &c)
		fmt.Fprintf(c.Out, "\n%s (%.0f s)\n", s.name, time.Since(started).Seconds())
		t := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(t, "  \tours\tbeside it\tratio\twanted")
		for _, r := range rows {
			ratio := ""
			if r.ratio > 0 {
				ratio = fmt.Sprintf("%.2f", r.ratio)
			}
			fmt.Fprintf(t, "  %s\t%s\t%s\t%s\t%s\n", r.what, r.ours, r.peer, ratio, r.want)
		}
		if err := t.Flush(); err != nil {
			return err
		}
		if failed != nil { // after what was measured before
			return fmt.Errorf("%s: %w", s.name, failed)
		}
	}
	return nil
}

// missing is the row of a peer that is not installed.
func missing(what, ours, program, want string) row {
	return row{what: what, ours: ours, peer: program + " is not installed", want: want}
}

// installed reports whether all programs are there.
func installed(programs ...string) bool {
	return !slices.ContainsFunc(programs, func(name string) bool {
		_, err := exec.LookPath(name)
		return err != nil
	})
}

// temporary makes a directory that done removes.
func temporary() (dir string, done func(), err error) {
	dir, err = os.MkdirTemp("", "clausemill-bench-*")
	return dir, func() { _ = os.RemoveAll(dir) }, err
}

// percentile is the value below which p of the durations lie.
func percentile(durations []time.Duration, p float64) time.Duration {
	sorted := slices.Sorted(slices.Values(durations))
	return sorted[min(int(p*float64(len(sorted))), len(sorted)-1)]
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000)
}

func (c *Config) pdfs() ([]string, error) {
	all, err := filepath.Glob(filepath.Join(c.Data, "cuad", "pdf", "*.pdf"))
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("no PDFs in %s", strings.TrimSuffix(c.Data, "/")+"/cuad/pdf")
	}
	return all, err
}

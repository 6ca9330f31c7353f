package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// imports brings born-digital contracts in, beside the script that one would
// write: pdftotext on two cores into a full-text table of SQLite.
func imports(ctx context.Context, c *Config) ([]row, error) {
	files, err := c.pdfs()
	if err != nil {
		return nil, err
	}
	salt := time.Now().UnixNano()
	// One that is not counted wakes the readers, which a service does once.
	first, err := os.ReadFile(files[0])
	if err != nil {
		return nil, err
	}
	id, err := c.upload(ctx, "first.pdf", fmt.Appendf(first, "\n%% %d first\n", salt))
	if err != nil {
		return nil, err
	}
	if err := c.follow(ctx, []string{id}, state.ended); err != nil {
		return nil, err
	}

	started := time.Now()
	ids := make([]string, len(files))
	err = pairs(len(files), func(i int) error {
		content, err := os.ReadFile(files[i])
		if err != nil {
			return err
		}
		// A byte after the end makes the file new to the service, which would
		// otherwise reuse what it has read before.
		content = append(content, fmt.Appendf(nil, "\n%% %d\n", salt)...)
		ids[i], err = c.upload(ctx, filepath.Base(files[i]), content)
		return err
	})
	if err != nil {
		return nil, err
	}
	perMinute := func() float64 { return float64(len(files)) / time.Since(started).Minutes() }
	if err := c.follow(ctx, ids, func(s state) bool { return s.Searchable }); err != nil {
		return nil, err
	}
	searchable := perMinute()
	if err := c.follow(ctx, ids, state.ended); err != nil {
		return nil, err
	}
	completed := perMinute()

	rows := []row{
		missing("upload to searchable", fmt.Sprintf("%.0f documents/min", searchable), "pdftotext or sqlite3", "≥ 1.0"),
		missing("upload to completed", fmt.Sprintf("%.0f documents/min", completed), "pdftotext or sqlite3", "≥ 0.7"),
	}
	if !installed("pdftotext", "sqlite3") {
		return rows, nil
	}
	script, err := scripted(ctx, files)
	if err != nil {
		return nil, err
	}
	peer := fmt.Sprintf("pdftotext + SQLite %.0f", script)
	rows[0].peer, rows[0].ratio = peer, searchable/script
	rows[1].peer, rows[1].ratio = peer, completed/script
	return rows, nil
}

// scripted is the documents per minute of the script.
func scripted(ctx context.Context, files []string) (float64, error) {
	dir, done, err := temporary()
	if err != nil {
		return 0, err
	}
	defer done()
	started := time.Now()
	err = pairs(len(files), func(i int) error {
		return exec.CommandContext(ctx, "pdftotext", files[i], filepath.Join(dir, filepath.Base(files[i])+".txt")).Run()
	})
	if err != nil {
		return 0, err
	}
	var script strings.Builder
	script.WriteString("CREATE VIRTUAL TABLE t USING fts5(name, text);\nBEGIN;\n")
	for _, file := range files {
		name := filepath.Join(dir, filepath.Base(file)+".txt")
		fmt.Fprintf(&script, "INSERT INTO t VALUES ('%s', CAST(readfile('%s') AS TEXT));\n", filepath.Base(file), name)
	}
	script.WriteString("COMMIT;\n")
	cmd := exec.CommandContext(ctx, "sqlite3", filepath.Join(dir, "index.db"))
	cmd.Stdin = strings.NewReader(script.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		return 0, errors.Join(err, errors.New(string(out)))
	}
	return float64(len(files)) / time.Since(started).Minutes(), nil
}

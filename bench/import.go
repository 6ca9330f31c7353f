package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/clausemill/clausemill/db"
)

// imports brings born-digital contracts in, beside the scripts that one would
// write: pdftotext on two cores into a full-text table of SQLite, or of Postgres.
func imports(ctx context.Context, c *Config) ([]row, error) {
	files, err := c.pdfs()
	if err != nil {
		return nil, err
	}
	salt := time.Now().UnixNano()
	if err := c.wake(ctx, files[0], salt); err != nil {
		return nil, err
	}
	scripts := installed("pdftotext", "sqlite3")
	var before, after script
	if scripts {
		if before, err = c.scripted(ctx, files); err != nil {
			return nil, err
		}
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

	what, figure := "upload to completed", fmt.Sprintf("%.0f documents/min", completed)
	rows := []row{
		missing("upload to searchable", fmt.Sprintf("%.0f documents/min", searchable), "pdftotext or sqlite3", "≥ 1.0"),
		missing(what, figure, "pdftotext or sqlite3", "≥ 0.7"),
		missing(what, figure, "pdftotext or sqlite3", "≥ 1.1"),
	}
	if !scripts {
		return rows, nil
	}
	if after, err = c.scripted(ctx, files); err != nil {
		return nil, err
	}
	// Once before and once after: neighbours on the machine change its speed.
	perMinuteOf := func(took ...time.Duration) float64 { return float64(2*len(files)) / (took[0] + took[1]).Minutes() }
	lite := perMinuteOf(before.text+before.lite, after.text+after.lite)
	postgres := perMinuteOf(before.text+before.postgres, after.text+after.postgres)
	for i, ours := range []float64{searchable, completed, completed} {
		name, peer := "SQLite", lite
		if i == 2 {
			name, peer = "Postgres", postgres
		}
		rows[i].peer, rows[i].ratio = fmt.Sprintf("pdftotext + %s %.0f", name, peer), ours/peer
	}
	return rows, nil
}

// wake uploads copies of a file that are not counted, as a service wakes its readers once.
// They are so many that some are read beside what people wait for, by other readers.
func (c *Config) wake(ctx context.Context, file string, salt int64) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	const copies = 16
	ids := make([]string, copies)
	err = pairs(copies, func(i int) (err error) {
		ids[i], err = c.upload(ctx, "first.pdf", fmt.Appendf(slices.Clone(content), "\n%% %d first %d\n", salt, i))
		return err
	})
	if err != nil {
		return err
	}
	return c.follow(ctx, ids, state.ended)
}

// A script is how long the parts of a script take: the texts, and either table.
type script struct{ text, lite, postgres time.Duration }

// scripted does what the scripts do.
func (c *Config) scripted(ctx context.Context, files []string) (took script, err error) {
	dir, done, err := temporary()
	if err != nil {
		return script{}, err
	}
	defer done()
	text := func(file string) string { return filepath.Join(dir, filepath.Base(file)+".txt") }
	started := time.Now()
	err = pairs(len(files), func(i int) error {
		return exec.CommandContext(ctx, "pdftotext", files[i], text(files[i])).Run()
	})
	if err != nil {
		return script{}, err
	}
	took.text = time.Since(started)

	var commands strings.Builder
	commands.WriteString("CREATE VIRTUAL TABLE t USING fts5(name, text);\nBEGIN;\n")
	for _, file := range files {
		fmt.Fprintf(&commands, "INSERT INTO t VALUES ('%s', CAST(readfile('%s') AS TEXT));\n", filepath.Base(file), text(file))
	}
	commands.WriteString("COMMIT;\n")
	cmd := exec.CommandContext(ctx, "sqlite3", filepath.Join(dir, "index.db"))
	cmd.Stdin = strings.NewReader(commands.String())
	started = time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		return script{}, errors.Join(err, errors.New(string(out)))
	}
	took.lite = time.Since(started)

	started = time.Now()
	err = c.DB.InTx(ctx, func(tx *db.Tx) error {
		const create = `CREATE TABLE bench_script (name text, content text, words tsvector);
			CREATE INDEX ON bench_script USING gin (words)`
		if _, err := tx.Raw.Exec(ctx, create); err != nil {
			return err
		}
		for _, file := range files {
			content, err := os.ReadFile(text(file))
			if err != nil {
				return err
			}
			const insert = `INSERT INTO bench_script VALUES ($1, $2, to_tsvector('english', $2))`
			if _, err := tx.Raw.Exec(ctx, insert, filepath.Base(file), strings.ToValidUTF8(string(content), "")); err != nil {
				return err
			}
		}
		return nil
	})
	took.postgres = time.Since(started)
	if err == nil {
		_, err = c.DB.Pool().Exec(ctx, `DROP TABLE bench_script`)
	}
	return took, err
}

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
	"sync"
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

	searchable, completed, err := bringAll(ctx, files, salt, c)
	if err != nil {
		return nil, err
	}
	teams, err := c.teams(ctx, importTeams)
	if err != nil {
		return nil, err
	}
	of := make([]*Config, len(teams))
	for i, team := range teams {
		of[i] = c.as(team)
	}
	_, eight, err := bringAll(ctx, files, salt+1, of...)
	if err != nil {
		return nil, err
	}

	const what, scripted = "upload to completed", "pdftotext or sqlite3"
	rate := func(perMinute float64) string { return fmt.Sprintf("%.0f documents/min", perMinute) }
	rows := []row{
		missing("upload to searchable", rate(searchable), scripted, "≥ 1.0"),
		missing(what, rate(completed), scripted, "≥ 0.7"),
		missing(what, rate(completed), scripted, "≥ 1.1"),
		missing(fmt.Sprintf("%s, %d teams", what, importTeams), rate(eight), scripted, "≥ 1.1"),
	}
	if !scripts {
		return rows, nil
	}
	if after, err = c.scripted(ctx, files); err != nil {
		return nil, err
	}
	// Once before and once after: neighbours on the machine change its speed.
	text := before.text + after.text
	rows[0].beside("SQLite", searchable, 2*len(files), text+before.lite+after.lite)
	rows[1].beside("SQLite", completed, 2*len(files), text+before.lite+after.lite)
	rows[2].beside("Postgres", completed, 2*len(files), text+before.postgres+after.postgres)
	rows[3].beside("Postgres", eight, 2*len(files), text+before.postgres+after.postgres)
	return rows, nil
}

// importTeams is how many teams share an import that is not of one.
const importTeams = 8

// bringAll uploads files, in turns for all of the teams, and tells how many documents a minute
// were searchable, and completed.
func bringAll(ctx context.Context, files []string, salt int64, of ...*Config) (searchable, completed float64, err error) {
	started := time.Now()
	ids := make([][]string, len(of))
	var mu sync.Mutex
	err = pairs(len(files), func(i int) error {
		content, err := os.ReadFile(files[i])
		if err != nil {
			return err
		}
		// A byte after the end makes the file new to the service, which would
		// otherwise reuse what it has read before.
		content = append(content, fmt.Appendf(nil, "\n%% %d\n", salt)...)
		id, err := of[i%len(of)].upload(ctx, filepath.Base(files[i]), content)
		mu.Lock()
		defer mu.Unlock()
		ids[i%len(of)] = append(ids[i%len(of)], id)
		return err
	})
	perMinute := func(done func(state) bool) float64 {
		for i, team := range of {
			if err == nil {
				err = team.follow(ctx, ids[i], done)
			}
		}
		return float64(len(files)) / time.Since(started).Minutes()
	}
	return perMinute(func(s state) bool { return s.Searchable }), perMinute(state.ended), err
}

// beside puts a script, which took so long for a number of documents, beside a rate per minute.
func (r *row) beside(table string, ours float64, documents int, took time.Duration) {
	theirs := float64(documents) / took.Minutes()
	r.peer, r.ratio = fmt.Sprintf("pdftotext + %s %.0f", table, theirs), ours/theirs
}

// wake uploads copies of a file, which are not counted, to start the readers of both lanes:
// that of what people wait for, which takes a team's first few files, and that of bulk work.
// A service does that once.
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

// script is how long the parts of the scripts take: to extract the texts, and to fill either table.
type script struct{ text, lite, postgres time.Duration }

// scripted runs both scripts, which share the texts.
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

	took.postgres, err = c.fillTable(ctx, files, text)
	return took, err
}

// fillTable is how long Postgres takes to index texts, in a table of its own.
func (c *Config) fillTable(ctx context.Context, files []string, text func(file string) string) (time.Duration, error) {
	const table = "bench_script"
	if _, err := c.DB.Pool().Exec(ctx, `CREATE TABLE `+table+` (name text, content text, words tsvector)`); err != nil {
		return 0, err
	}
	defer c.DB.Pool().Exec(context.WithoutCancel(ctx), `DROP TABLE `+table) //nolint:errcheck // with the database
	started := time.Now()
	err := c.DB.InTx(ctx, func(tx *db.Tx) error {
		if _, err := tx.Raw.Exec(ctx, `CREATE INDEX ON `+table+` USING gin (words)`); err != nil {
			return err
		}
		for _, file := range files {
			content, err := os.ReadFile(text(file))
			if err != nil {
				return err
			}
			const insert = `INSERT INTO ` + table + ` VALUES ($1, $2, to_tsvector('english', $2))`
			if _, err := tx.Raw.Exec(ctx, insert, filepath.Base(file), strings.ToValidUTF8(string(content), "")); err != nil {
				return err
			}
		}
		return nil
	})
	return time.Since(started), err
}

package bench

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/clausemill/clausemill/ocr/ocrtest"
)

const (
	costlyTexts = 60
	costlyPDFs  = 60
	costlyPolls = 2000
	costlyFinds = 300
	costlyIdle  = 10 * time.Second
)

// ticksPerSecond is in what the system counts the time of processes.
const ticksPerSecond = 100

// usage is what the service has used since it began.
type usage struct {
	at      time.Time
	program float64 // seconds of processors, children included, the database not
	server  float64 // of the database
	wal     float64 // bytes
	disk    float64 // bytes of tables and indexes
	commits float64 // transactions
}

// costs measures what a document, a page, a sentence, a poll and a search take, for
// docs/scaling.md. What the service does while nobody asks for anything is told
// first, and taken off from the rest.
func costs(ctx context.Context, c *Config) ([]row, error) {
	if _, err := os.Stat("/proc/self/stat"); errors.Is(err, fs.ErrNotExist) {
		return []row{{what: "costs", peer: "this system does not tell what processes use"}}, nil
	}
	m := meter{Config: c, salt: strconv.FormatInt(time.Now().UnixNano(), 36)}
	pdfs, err := c.pdfs()
	if err != nil {
		return nil, err
	}
	texts, err := filepath.Glob(filepath.Join(c.Data, "cuad", "txt", "*.txt"))
	if err != nil {
		return nil, err
	}
	sentences, err := corpusSentences(c.Data)
	if err != nil {
		return nil, err
	}
	if err := m.send(ctx, pdfs[:1]); err != nil { // it wakes the readers
		return nil, err
	}
	if err := m.idling(ctx); err != nil {
		return nil, err
	}
	for _, measure := range []func() error{
		func() error { return m.reading(ctx, "text", texts[:min(costlyTexts, len(texts))]) },
		func() error { return m.reading(ctx, "PDF", pdfs[1:min(costlyPDFs+1, len(pdfs))]) },
		func() error { return m.scans(ctx) },
		func() error { return m.asking(ctx, sentences) },
	} {
		if err := measure(); err != nil {
			return m.rows, err
		}
	}
	return m.rows, nil
}

// meter measures one thing after the other.
type meter struct {
	*Config
	salt string
	idle usage // in a second
	rows []row
}

// read is what was used until now.
func (m *meter) read(ctx context.Context) (s usage, err error) {
	pause(ctx, 1500*time.Millisecond) // an idle connection tells within a second
	s.at = time.Now()
	if s.program, s.server, err = processors(); err != nil {
		return s, err
	}
	err = m.DB.Pool().QueryRow(ctx, `
		SELECT (pg_current_wal_lsn() - '0/0')::float8, pg_database_size(current_database())::float8,
			(SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database())::float8`).Scan(&s.wal, &s.disk, &s.commits)
	return s, err
}

// since is what was used beside what idling takes.
func (m *meter) since(ctx context.Context, before usage) (usage, error) {
	s, err := m.read(ctx)
	t := s.at.Sub(before.at).Seconds()
	return usage{
		program: s.program - before.program - t*m.idle.program, server: s.server - before.server - t*m.idle.server,
		wal: s.wal - before.wal - t*m.idle.wal, disk: s.disk - before.disk, commits: s.commits - before.commits - t*m.idle.commits,
	}, err
}

// add adds the rows of n units of something.
func (m *meter) add(what string, n float64, s usage) {
	m.rows = append(m.rows, row{
		what: what, ours: fmt.Sprintf("%.2f ms", 1000*(s.program+s.server)/n),
		peer: fmt.Sprintf("database %.2f ms, WAL %s, disk %s, %.1f transactions", 1000*s.server/n, size(s.wal/n), size(s.disk/n), s.commits/n),
	})
}

func size(bytes float64) string { return humanize.Bytes(uint64(max(0, bytes))) }

// idling measures one process that serves and works while nobody asks.
func (m *meter) idling(ctx context.Context) error {
	before, err := m.read(ctx)
	if err != nil {
		return err
	}
	pause(ctx, costlyIdle)
	s, err := m.since(ctx, before)
	if err != nil {
		return err
	}
	t := (costlyIdle + 1500*time.Millisecond).Seconds()
	m.idle = usage{program: s.program / t, server: s.server / t, wal: s.wal / t, commits: s.commits / t}
	m.add("a second without work", t, s)
	return nil
}

// reading measures files from upload to completed.
func (m *meter) reading(ctx context.Context, kind string, files []string) error {
	before, err := m.read(ctx)
	if err != nil {
		return err
	}
	had, err := m.counts(ctx)
	if err != nil {
		return err
	}
	if err := m.send(ctx, files); err != nil {
		return err
	}
	s, err := m.since(ctx, before)
	if err != nil {
		return err
	}
	has, err := m.counts(ctx)
	if err != nil {
		return err
	}
	n := float64(len(files))
	sentences, pages, stored := has[0]-had[0], has[1]-had[1], has[2]-had[2]
	m.add("a "+kind, n, s)
	m.rows = append(m.rows, row{what: "  it has", ours: fmt.Sprintf("%.0f sentences", sentences/n), peer: fmt.Sprintf("%.1f pages, %s in the store", pages/n, size(stored/n))})
	if sentences > 0 {
		m.add("  a sentence of it", sentences, s)
	}
	if pages > 0 {
		m.add("  a page of it", pages, s)
	}
	return nil
}

// counts is how many sentences, pages and bytes of files there are.
func (m *meter) counts(ctx context.Context) (n [3]float64, err error) {
	err = m.DB.Pool().QueryRow(ctx, `
		SELECT (SELECT count(*) FROM sentences WHERE team_id = $1)::float8, coalesce(sum(page_count), 0)::float8, coalesce(sum(size), 0)::float8
		FROM files WHERE team_id = $1`, m.Scope.TeamID).Scan(&n[0], &n[1], &n[2])
	return n, err
}

// send sends files, each with something at its end that makes it new, and waits
// until they are read.
func (m *meter) send(ctx context.Context, files []string) error {
	ids := make([]string, len(files))
	if err := pairs(len(files), func(i int) error {
		content, err := os.ReadFile(files[i])
		if err != nil {
			return err
		}
		mark := "\n" + m.salt + ".\n"
		if strings.HasSuffix(files[i], ".pdf") {
			mark = "\n%% " + m.salt + "\n"
		}
		ids[i], err = m.upload(ctx, filepath.Base(files[i]), append(content, mark...))
		return err
	}); err != nil {
		return err
	}
	// Few questions, since they are counted as well.
	for open := 1; open > 0; pause(ctx, time.Second) {
		if err := m.DB.Pool().QueryRow(ctx, `SELECT count(*) FROM files WHERE id = ANY($1::uuid[]) AND status IN ('queued', 'processing')`, ids).Scan(&open); err != nil {
			return err
		}
	}
	return m.follow(ctx, ids, state.ended)
}

// scans measures pages that have to be recognised.
func (m *meter) scans(ctx context.Context) error {
	if !installed("pdftoppm", "pdftotext") {
		m.rows = append(m.rows, missing("a scan", "", "poppler-utils", ""))
		return nil
	}
	pages, err := ocrtest.Pages(ctx, filepath.Join(m.Data, "cuad", "pdf"), m.Pages, 300)
	if err != nil {
		return err
	}
	dir, done, err := temporary()
	if err != nil {
		return err
	}
	defer done()
	files, err := writeScans(ctx, m.Documents(), dir, "scan", ocrtest.Clean(pages))
	if err != nil {
		return err
	}
	return m.reading(ctx, "scan", files)
}

// asking measures polls and searches of one caller. What the caller takes, which is
// this process too, is among it.
func (m *meter) asking(ctx context.Context, sentences []string) error {
	var id string
	if err := m.DB.Pool().QueryRow(ctx, `SELECT id::text FROM files WHERE team_id = $1 LIMIT 1`, m.Scope.TeamID).Scan(&id); err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(1, 1))
	for _, ask := range []struct {
		what string
		n    int
		path func() string
	}{
		{"a poll of the status of a file", costlyPolls, func() string { return "/api/files/" + id + "/status" }},
		{"a search for sentences", costlyFinds, func() string { return "/api/files/search-index?q=" + url.QueryEscape(phrase(random, sentences)) }},
	} {
		before, err := m.read(ctx)
		if err != nil {
			return err
		}
		for range ask.n {
			if err := m.call(ctx, http.MethodGet, ask.path(), "", nil, nil); err != nil {
				return err
			}
		}
		s, err := m.since(ctx, before)
		if err != nil {
			return err
		}
		m.add(ask.what, float64(ask.n), s)
	}
	return nil
}

// processors is how long this process and its children have used processors, and
// how long the databases below it have. Those that ended are counted by who waited
// for them.
func processors() (program, server float64, err error) {
	all, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return 0, 0, err
	}
	type process struct {
		parent int
		name   string
		used   float64
	}
	running := map[int]process{}
	for _, path := range all {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		id, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		open, end := strings.IndexByte(string(text), '('), strings.LastIndexByte(string(text), ')')
		fields := strings.Fields(string(text[end+1:]))
		p := process{name: string(text[open+1 : end])}
		p.parent, _ = strconv.Atoi(fields[1])
		for _, field := range fields[11:15] { // of its own and of its children that ended, in the program and in the system
			ticks, _ := strconv.ParseFloat(field, 64)
			p.used += ticks / ticksPerSecond
		}
		running[id] = p
	}
	for id, p := range running {
		at := id
		for at != os.Getpid() && at > 1 {
			at = running[at].parent
		}
		switch {
		case at != os.Getpid():
		case p.name == "postgres":
			server += p.used
		default:
			program += p.used
		}
	}
	return program, server, nil
}

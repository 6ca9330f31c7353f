package e2e_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
)

// reading is everything that was found in a file and may not depend on what
// happened while it was read.
type reading struct {
	Status, Kind, Cause, Language  string
	PageCount, PagesDone, PagesOCR int
	TextReady, Searchable          bool
	Warnings                       []string
	Pages, Documents, Blocks       []string
	Sentences, Tokens              []string
}

// readings are the readings of a team's files, by their path: the name, after
// the names of what it was packed in.
func (s *system) readings(in db.Scope) map[string]reading {
	s.t.Helper()
	ctx := s.t.Context()
	files, err := s.db.Files(ctx, in, db.FileFilter{}, "", 100_000)
	require.NoError(s.t, err)
	byID := map[string]db.File{}
	for _, f := range files {
		byID[f.ID] = f
	}
	found := map[string]reading{}
	for _, f := range files {
		path := f.Name
		for parent := f.ParentID; parent != nil; parent = byID[*parent].ParentID {
			path = byID[*parent].Name + "/" + path
		}
		require.NotContains(s.t, found, path, "twice the same file")
		found[path] = s.reading(ctx, in, f)
	}
	return found
}

func (s *system) reading(ctx context.Context, in db.Scope, f db.File) reading {
	s.t.Helper()
	r := reading{
		Status: string(f.Status), Kind: f.Kind, Language: f.Language,
		PageCount: f.PageCount, PagesDone: f.PagesDone, PagesOCR: f.PagesOCR, TextReady: f.TextReady, Searchable: f.Searchable(),
	}
	if f.ErrorCode != nil {
		r.Cause = *f.ErrorCode
	}
	for _, w := range f.Warnings {
		r.Warnings = append(r.Warnings, fmt.Sprint(w))
	}
	pages, err := s.db.PagesWithWords(ctx, in, f.ID, 1, 1_000_000)
	require.NoError(s.t, err)
	texts := make([]string, len(pages))
	for i, p := range pages {
		texts[i] = p.Text
		words := sha256.Sum256(p.Words)
		r.Pages = append(r.Pages, fmt.Sprintf("%d %gx%g %s %s %t %g %q %s %q %q", p.Number, p.Width, p.Height, p.Source, p.Reason, p.Pending, p.Confidence,
			p.Text, hex.EncodeToString(words[:4]), pointed(p.LayerText), pointed(p.ErrorCode)))
	}
	documents, err := s.db.Documents(ctx, in, f.ID)
	require.NoError(s.t, err)
	for _, d := range documents {
		r.Documents = append(r.Documents, fmt.Sprintf("%d %s %q [%d:%d] %d-%d", d.Ordinal, d.Kind, d.Title, d.Start, d.End, d.FirstPage, d.LastPage))
	}
	blocks, err := s.db.Blocks(ctx, in, f.ID, -1, 1_000_000)
	require.NoError(s.t, err)
	for _, b := range blocks {
		r.Blocks = append(r.Blocks, fmt.Sprintf("%d %s %q %d %d [%d:%d] %q", b.Ordinal, b.Kind, b.Number, b.Level, b.Page, b.Start, b.End, b.Text))
	}
	text := []rune(strings.Join(texts, "\f"))
	sentences, err := s.db.Sentences(ctx, in, f.ID)
	require.NoError(s.t, err)
	for i, x := range sentences {
		require.Equal(s.t, i, x.Ordinal, f.Name)
		require.Equal(s.t, x.Text, string(text[x.Start:x.End]), f.Name)
		r.Sentences = append(r.Sentences, fmt.Sprintf("%d %d %d [%d:%d] %q", x.Ordinal, x.Block, x.Page, x.Start, x.End, x.Text))
	}
	if f.TextReady {
		tokens, err := s.db.FileTokens(ctx, in, f.ID)
		require.NoError(s.t, err)
		r.Tokens = []string{strconv.Itoa(tokens.Total), string(tokens.Tokens)}
	}
	return r
}

func pointed(p *string) string {
	if p == nil {
		return ""
	}
	return *p
}

// requireSame compares readings file by file, so that a failure is readable.
func (s *system) requireSame(want, got map[string]reading) {
	s.t.Helper()
	require.Equal(s.t, paths(want), paths(got))
	for path := range want {
		require.Equal(s.t, want[path], got[path], path)
	}
}

func paths(m map[string]reading) []string {
	var all []string
	for path := range m {
		all = append(all, path)
	}
	slices.Sort(all)
	return all
}

// lawful checks what must hold of the whole database, whatever happened.
func (s *system) lawful() {
	s.t.Helper()
	require.Eventually(s.t, func() bool { // a file ends a moment before its last job
		return s.count(`SELECT count(*) FROM river_job WHERE args ? 'file_id' AND state NOT IN ('completed', 'cancelled', 'discarded')`) == 0
	}, time.Minute, 50*time.Millisecond, "a job of a file is left")
	for what, sql := range map[string]string{
		"a file comes to no end": `SELECT count(*) FROM files WHERE status IN ('queued', 'processing')`,
		"a job was discarded":    `SELECT count(*) FROM river_job WHERE state = 'discarded'`,
		// Of an attempt that came to nothing its own pages are counted, and not those of the text before.
		"pages are counted wrong":             `SELECT count(*) FROM files f WHERE text_ready AND status NOT IN ('failed', 'cancelled') AND NOT EXISTS (SELECT FROM pages p WHERE p.file_id = f.id HAVING count(*) = page_count AND count(*) FILTER (WHERE NOT pending) = pages_done)`,
		"pages have gaps":                     `SELECT count(*) FROM (SELECT FROM pages GROUP BY file_id HAVING max(number) <> count(*)) x`,
		"sentences have gaps":                 `SELECT count(*) FROM (SELECT FROM sentences GROUP BY file_id HAVING max(ordinal) + 1 <> count(*)) x`,
		"a text was segmented more than once": `SELECT count(*) FROM files WHERE generation > attempt`,
		"an attempt has no end":               `SELECT count(*) FROM (SELECT FROM file_attempts GROUP BY file_id HAVING count(*) <> max(attempt)) x`,
		"a file was created more than once":   `SELECT count(*) FROM (SELECT FROM audit_events WHERE action = 'file.created' GROUP BY resource_id HAVING count(*) > 1) x`,
		"an audit trail is missing":           `SELECT count(*) FROM files f WHERE NOT EXISTS (SELECT FROM audit_events a WHERE a.resource_id = f.id AND a.action = 'file.created')`,
	} {
		require.Zero(s.t, s.count(sql), what)
	}
}

// count is the number that sql selects.
func (s *system) count(sql string, args ...any) (n int) {
	s.t.Helper()
	require.NoError(s.t, s.db.Pool().QueryRow(s.t.Context(), sql, args...).Scan(&n), sql)
	return n
}

// stored lists the files in the blob directory.
func (s *system) stored() []string {
	s.t.Helper()
	var found []string
	err := filepath.WalkDir(s.blobs(), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && d.Name() != "installation" { // the mark of the store
			found = append(found, path)
		}
		return err
	})
	require.NoError(s.t, err)
	return found
}

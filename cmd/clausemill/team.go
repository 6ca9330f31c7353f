package main

import (
	"archive/tar"
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"log/slog"
	"maps"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/clausemill/clausemill"
	"github.com/clausemill/clausemill/blob"
	"github.com/clausemill/clausemill/cmd/internal/setup"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/jobs"
)

// teamCommands is about teams as a whole.
type teamCommands struct {
	List   listTeams  `cmd:"" help:"List the teams of the installation."`
	Export exportTeam `cmd:"" help:"Write all of a team into one file: rows, files with all versions, decisions, audit."`
	Import importTeam `cmd:"" help:"Read what 'team export' wrote into another installation."`
}

// listTeams shows all teams.
type listTeams struct {
	setup.Database `embed:"" group:"Settings:"`
	output         `embed:""`
}

// Run prints a table.
func (l *listTeams) Run(ctx context.Context, c console) error {
	database, err := l.Open(ctx)
	if err != nil {
		return err
	}
	defer database.Close()
	all, err := database.AllTeams(ctx)
	if err != nil {
		return err
	}
	return table(c, l.output, "ID|KIND|MEMBERS|FILES|CREATED|NAME", all, func(t db.TeamSummary) []string {
		return []string{t.ID, t.Kind, strconv.Itoa(t.Members), strconv.Itoa(t.Files), t.CreatedAt.Format(time.DateOnly), t.Name}
	})
}

// An archive of a team is a tar file: the manifest, the rows as tables/NNNNNN-NAME.ndjson
// in the order in which they are written, the bytes of files as bytes/FILE/BYTES, and
// last the hash of each of these as sha256sum writes it.
const (
	archiveFormat   = 1
	archiveManifest = "manifest.json"
	archiveTables   = "tables/"
	archiveBytes    = "bytes/"
	archiveSums     = "SHA256SUMS"

	// maxChunk bounds what an archive may have in memory: a chunk of rows ends after
	// 4 MiB, and one row is no longer than what Postgres takes.
	maxChunk = 1 << 30
)

// manifest is what an archive says of itself.
type manifest struct {
	Format    int       `json:"format"`
	Release   string    `json:"release"` // of the program
	CreatedAt time.Time `json:"createdAt"`

	db.TeamArchive
}

// archived is the result of an export or import.
type archived struct {
	Team   string         `json:"team"`
	Name   string         `json:"name"`
	Rows   map[string]int `json:"rows"`
	Files  int            `json:"files"` // objects of bytes
	Bytes  int64          `json:"bytes"`
	DryRun bool           `json:"dryRun,omitempty"`
}

func (a archived) sentence(done string) string {
	rows := 0
	for _, n := range a.Rows {
		rows += n
	}
	return fmt.Sprintf("%s team %s: %d rows of %d tables, %d stored files, %d bytes", done, a.Team, rows, len(a.Rows), a.Files, a.Bytes)
}

// exportTeam writes a team.
type exportTeam struct {
	setup.Config `embed:"" group:"Settings:"`
	output       `embed:""`

	Team string `arg:"" help:"Id of the team, from 'clausemill team list'."`
	To   string `short:"o" required:"" placeholder:"FILE" help:"The file to write. It must not exist."`
}

// Help is shown below the flags.
func (exportTeam) Help() string {
	return `The file has everything that the team may see, keys and addresses of webhooks among it: keep it as safe as the database. The service may run meanwhile: the rows are those of one moment.`
}

// Run leaves no file behind that is not whole.
func (e *exportTeam) Run(ctx context.Context, c console) error {
	e.Migrate = false
	rooms, err := setup.Open(ctx, e.Config, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	defer rooms.Close()
	file, err := os.OpenFile(e.To, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return exit{err, exitUsage}
	}
	buffered := bufio.NewWriterSize(file, 1<<20)
	done, err := writeArchive(ctx, rooms, e.Team, buffered)
	if err = errors.Join(err, buffered.Flush(), file.Sync(), file.Close()); err != nil {
		_ = os.Remove(e.To)
		return fmt.Errorf("export team %s: %w", e.Team, err)
	}
	return say(c, e.output, done, done.sentence("exported"))
}

// archiveWriter writes entries, and remembers their hashes.
type archiveWriter struct {
	tar  *tar.Writer
	when time.Time
	sums bytes.Buffer
}

func (w *archiveWriter) add(name string, size int64, from io.Reader) ([]byte, error) {
	err := w.tar.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o600, ModTime: w.when, Format: tar.FormatPAX})
	if err != nil {
		return nil, err
	}
	sum := sha256.New()
	if _, err := io.Copy(io.MultiWriter(w.tar, sum), from); err != nil {
		return nil, err
	}
	fmt.Fprintf(&w.sums, "%x  %s\n", sum.Sum(nil), name)
	return sum.Sum(nil), nil
}

func writeArchive(ctx context.Context, rooms *setup.Rooms, team string, to io.Writer) (archived, error) {
	w := archiveWriter{tar: tar.NewWriter(to), when: time.Now().UTC().Truncate(time.Second)}
	done := archived{Team: team, Rows: map[string]int{}}
	chunks := 0
	err := rooms.DB.ExportTeam(ctx, team, func(a db.TeamArchive) error {
		done.Name = a.Team.Name
		text, err := json.MarshalIndent(manifest{archiveFormat, clausemill.Build(), w.when, a}, "", "  ")
		if err != nil {
			return err
		}
		_, err = w.add(archiveManifest, int64(len(text)), bytes.NewReader(text))
		return err
	}, func(table string, lines []byte) error {
		chunks++
		done.Rows[table] += bytes.Count(lines, []byte{'\n'})
		_, err := w.add(fmt.Sprintf("%s%06d-%s.ndjson", archiveTables, chunks, table), int64(len(lines)), bytes.NewReader(lines))
		return err
	}, func(b db.ArchivedBytes) error {
		from, err := rooms.Blobs.Open(ctx, blob.Of(b.FileID, b.BytesID))
		if err != nil {
			return fmt.Errorf("the bytes of file %s: %w", b.FileID, err)
		}
		defer from.Close()
		sum, err := w.add(archiveBytes+b.FileID+"/"+b.BytesID, b.Size, from)
		if err != nil {
			return fmt.Errorf("the bytes of file %s: %w", b.FileID, err)
		}
		if !bytes.Equal(sum, b.SHA256) {
			return fmt.Errorf("the bytes of file %s are not those that were uploaded", b.FileID)
		}
		done.Files++
		done.Bytes += b.Size
		return nil
	})
	if err != nil {
		return done, err
	}
	sums := bytes.Clone(w.sums.Bytes())
	if _, err := w.add(archiveSums, int64(len(sums)), bytes.NewReader(sums)); err != nil {
		return done, err
	}
	return done, w.tar.Close()
}

// importTeam reads a team.
type importTeam struct {
	setup.Config `embed:"" group:"Settings:"`
	output       `embed:""`

	From   string `arg:"" type:"existingfile" help:"The file that 'team export' wrote."`
	DryRun bool   `help:"Check the file and whether it can be imported, and import nothing."`
}

// Help is shown below the flags.
func (importTeam) Help() string {
	return `All of the team is imported, or nothing. Ids stay what they were. It is refused where the team, or an account with the same address and another id, exists, and where the schema of the database is another one than that of the archive. Workers index the files for search, and read those whose reading was interrupted.`
}

// errDryRun ends the transaction of a dry run.
var errDryRun = errors.New("a dry run")

// Run may be called again after it failed: what it had stored of files is overwritten,
// or removed by the next sweep.
func (i *importTeam) Run(ctx context.Context, c console) error {
	i.Migrate = false
	rooms, err := setup.Open(ctx, i.Config, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	defer rooms.Close()
	client, err := setup.Inserter(rooms.DB)
	if err != nil {
		return err
	}
	var done archived
	err = rooms.DB.InTx(ctx, func(tx *db.Tx) error {
		file, err := os.Open(i.From) // again, where the transaction is
		if err != nil {
			return err
		}
		defer file.Close()
		if done, err = i.read(ctx, rooms, client, tx, bufio.NewReaderSize(file, 1<<20)); err != nil {
			return err
		}
		if i.DryRun {
			return errDryRun
		}
		return nil
	})
	if err != nil && !errors.Is(err, errDryRun) {
		return fmt.Errorf("import %s: nothing was imported: %w", filepath.Base(i.From), err)
	}
	done.DryRun = i.DryRun
	return say(c, i.output, done, done.sentence(map[bool]string{false: "imported", true: "would import"}[i.DryRun]))
}

// damaged is an error of reading. It must not be taken for one of the database, which
// would be tried again.
func damaged(err error) error {
	return fault.Newf(fault.Invalid, "the archive is damaged or not whole: %v", err)
}

// archiveReader checks what it read.
type archiveReader struct {
	manifest manifest
	sums     map[string]string // of entries
	last     string            // the table that came last
	seen     map[string]bool   // tables that came before it
}

// read imports what from has, and checks it on the way.
func (i *importTeam) read(ctx context.Context, rooms *setup.Rooms, client *jobs.Client, tx *db.Tx, from io.Reader) (archived, error) {
	r := archiveReader{sums: map[string]string{}, seen: map[string]bool{}}
	done := archived{Rows: map[string]int{}}
	var into *db.Import
	stored := map[string][]byte{} // hashes of the bytes of versions
	entries := tar.NewReader(from)
	for {
		entry, err := entries.Next()
		if errors.Is(err, io.EOF) {
			return done, damaged(io.ErrUnexpectedEOF)
		}
		if err != nil {
			return done, damaged(err)
		}
		name, sum := path.Clean(entry.Name), sha256.New()
		content := io.TeeReader(entries, sum)
		switch {
		case entry.Typeflag != tar.TypeReg:
			return done, fmt.Errorf("%s is no file", name)
		case into == nil:
			if name != archiveManifest {
				return done, errors.New("this is no archive of a team: it does not begin with a manifest")
			}
			if err := r.readManifest(content); err != nil {
				return done, err
			}
			done.Team, done.Name = r.manifest.Team.ID, r.manifest.Team.Name
			if into, err = tx.BeginImport(ctx, r.manifest.TeamArchive); err != nil {
				return done, err
			}
		case strings.HasPrefix(name, archiveTables):
			rows, err := r.readRows(ctx, into, name, entry.Size, content)
			if err != nil {
				return done, err
			}
			done.Rows[r.last] += rows
		case strings.HasPrefix(name, archiveBytes):
			if err := i.readBytes(ctx, rooms.Blobs, name, entry.Size, content, sum); err != nil {
				return done, err
			}
			stored[strings.TrimPrefix(name, archiveBytes)] = sum.Sum(nil)
			done.Files++
			done.Bytes += entry.Size
		case name == archiveSums:
			if err := r.check(content); err != nil {
				return done, err
			}
			return done, i.end(ctx, client, tx, into, stored)
		default:
			return done, fmt.Errorf("the archive has %s, which archives do not have", name)
		}
		r.sums[name] = hex.EncodeToString(sum.Sum(nil))
	}
}

func (r *archiveReader) readManifest(from io.Reader) error {
	text, err := io.ReadAll(io.LimitReader(from, maxChunk))
	if err != nil {
		return damaged(err)
	}
	if err := json.Unmarshal(text, &r.manifest); err != nil {
		return fmt.Errorf("the manifest cannot be read: %w", err)
	}
	if r.manifest.Format != archiveFormat {
		return fmt.Errorf("the archive has format %d, and this program reads %d", r.manifest.Format, archiveFormat)
	}
	return nil
}

// readRows imports one chunk of rows.
func (r *archiveReader) readRows(ctx context.Context, into *db.Import, name string, size int64, from io.Reader) (int, error) {
	_, table, _ := strings.Cut(strings.TrimSuffix(path.Base(name), ".ndjson"), "-")
	if table != r.last {
		if r.seen[table] {
			return 0, fmt.Errorf("%s comes too late", name)
		}
		r.seen[table], r.last = true, table
	}
	if size > maxChunk {
		return 0, fmt.Errorf("%s is too large", name)
	}
	lines, err := io.ReadAll(from)
	if err != nil {
		return 0, damaged(err)
	}
	return bytes.Count(lines, []byte{'\n'}), into.Rows(ctx, table, lines)
}

// readBytes stores the bytes of a version.
func (i *importTeam) readBytes(ctx context.Context, store *blob.Store, name string, size int64, from io.Reader, sum hash.Hash) error {
	ids := strings.Split(strings.TrimPrefix(name, archiveBytes), "/")
	if len(ids) != 2 || len(ids[0]) != len(db.NewID()) || len(ids[1]) != len(ids[0]) {
		return fmt.Errorf("the archive has %s, which archives do not have", name)
	}
	if i.DryRun {
		if _, err := io.Copy(io.Discard, from); err != nil {
			return damaged(err)
		}
		return nil
	}
	written, err := store.Put(ctx, blob.Of(ids[0], ids[1]), from, math.MaxInt64-1)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return damaged(err)
	}
	if err != nil {
		return err
	}
	if written.Size != size || !bytes.Equal(written.SHA256[:], sum.Sum(nil)) {
		return fmt.Errorf("%s was not stored as it is", name)
	}
	return nil
}

// check compares the hashes that the archive ends with. Nothing may be missing, and
// nothing may be there that they do not name.
func (r *archiveReader) check(from io.Reader) error {
	lines := bufio.NewScanner(from)
	for lines.Scan() {
		sum, name, _ := strings.Cut(lines.Text(), "  ")
		if r.sums[name] != sum {
			return fmt.Errorf("%s is missing or damaged", name)
		}
		delete(r.sums, name)
	}
	if err := lines.Err(); err != nil {
		return damaged(err)
	}
	for _, name := range slices.Sorted(maps.Keys(r.sums)) {
		return fmt.Errorf("%s has no hash", name)
	}
	return nil
}

// end settles what the rows need, once all of them are here.
func (i *importTeam) end(ctx context.Context, client *jobs.Client, tx *db.Tx, into *db.Import, stored map[string][]byte) error {
	left, err := into.End(ctx)
	if err != nil {
		return err
	}
	for _, b := range left.Bytes {
		if !bytes.Equal(stored[b.FileID+"/"+b.BytesID], b.SHA256) {
			return fmt.Errorf("the bytes of file %s are missing or damaged", b.FileID)
		}
	}
	next := []jobs.Args{jobs.ReconcileIndex{}}
	for _, f := range left.Files {
		next = append(next, jobs.ReceiveFile{File: jobs.File{FileID: f.ID, TeamID: f.TeamID, Attempt: f.Attempt, Bulk: true}})
	}
	return jobs.Insert(ctx, client, tx.Raw, next...)
}

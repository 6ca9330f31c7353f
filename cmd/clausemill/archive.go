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
	"io/fs"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/clausemill/clausemill"
	"github.com/clausemill/clausemill/blob"
	"github.com/clausemill/clausemill/cmd/internal/setup"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/jobs"
)

// An archive of a team or of a whole installation is a tar file: the manifest, the rows as tables/NNNNNN-NAME.ndjson
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

	db.Archive
}

// archived is what was written or read.
type archived struct {
	Team   string         `json:"team,omitempty"`
	Name   string         `json:"name,omitempty"`
	Teams  int            `json:"teams,omitempty"` // of a whole installation
	Rows   map[string]int `json:"rows"`
	Files  int            `json:"files"` // objects of bytes
	Bytes  int64          `json:"bytes"`
	DryRun bool           `json:"dryRun,omitempty"`

	File     string `json:"file,omitempty"`     // that a backup went to
	Verified bool   `json:"verified,omitempty"` // what was written was read back
}

func (a archived) sentence(done string) string {
	rows := 0
	for _, n := range a.Rows {
		rows += n
	}
	what := "team " + a.Team
	if a.Team == "" {
		what = fmt.Sprintf("%d teams", a.Teams)
	}
	return fmt.Sprintf("%s %s: %d rows of %d tables, %d stored files, %d bytes", done, what, rows, len(a.Rows), a.Files, a.Bytes)
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

// writeArchive writes all of a team, or of all teams where the id is "".
func writeArchive(ctx context.Context, rooms *setup.Rooms, team string, to io.Writer) (archived, error) {
	w := archiveWriter{tar: tar.NewWriter(to), when: time.Now().UTC().Truncate(time.Second)}
	done := archived{Team: team, Rows: map[string]int{}}
	chunks := 0
	var lost losses
	err := rooms.DB.Export(ctx, team, func(a db.Archive) error {
		if a.Team != nil {
			done.Name = a.Team.Name
		} else {
			done.Teams = a.TeamCount
		}
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
		err := readStored(ctx, rooms.Blobs, b, func(from io.Reader) (sum []byte, err error) {
			return w.add(archiveBytes+b.FileID+"/"+b.BytesID, b.Size, from)
		})
		if lost.take(err) { // name all of them
			return nil
		}
		if err != nil {
			return err
		}
		done.Files++
		done.Bytes += b.Size
		return nil
	})
	if err = errors.Join(err, lost.err()); err != nil {
		return done, err
	}
	sums := bytes.Clone(w.sums.Bytes())
	if _, err := w.add(archiveSums, int64(len(sums)), bytes.NewReader(sums)); err != nil {
		return done, err
	}
	return done, w.tar.Close()
}

// loss is an error of what the store should have of a version and has not.
type loss struct {
	File  string `json:"fileId"`
	Key   string `json:"key"` // in the store
	Fault string `json:"fault"`
}

func (l loss) Error() string { return "the bytes of file " + l.File + " " + l.Fault }

// readStored has read go over the bytes of a version and return their hash. It is a loss where
// they are not those that were uploaded; of a wrong size they are not read.
func readStored(ctx context.Context, store *blob.Store, b db.ArchivedBytes, read func(io.Reader) (sum []byte, err error)) error {
	lost := loss{File: b.FileID, Key: blob.Of(b.FileID, b.BytesID)}
	from, err := store.Open(ctx, lost.Key)
	if fault.KindOf(err) == fault.NotFound {
		lost.Fault = "are missing in the store"
		return lost
	}
	if err != nil {
		return fmt.Errorf("the bytes of file %s: %w", b.FileID, err)
	}
	defer from.Close()
	if from.Size() != b.Size {
		lost.Fault = fmt.Sprintf("are %d and not %d", from.Size(), b.Size)
		return lost
	}
	sum, err := read(from)
	if err != nil {
		return fmt.Errorf("the bytes of file %s: %w", b.FileID, err)
	}
	if !bytes.Equal(sum, b.SHA256) {
		lost.Fault = "are not those that were uploaded"
		return lost
	}
	return nil
}

// losses are those of a backup.
type losses struct {
	named []error
	more  int
}

// take keeps err if it is a loss.
func (l *losses) take(err error) bool {
	const shown = 100
	switch _, ok := errors.AsType[loss](err); {
	case !ok:
		return false
	case len(l.named) < shown:
		l.named = append(l.named, err)
	default:
		l.more++
	}
	return true
}

func (l *losses) err() error {
	if l.more > 0 {
		return errors.Join(append(l.named, fmt.Errorf("and %d more", l.more))...)
	}
	return errors.Join(l.named...)
}

// newArchive writes an archive into a file that does not exist yet. It has a name of
// its own, which ends with .partial, until it is whole; a program that is killed leaves
// that one behind.
func newArchive(ctx context.Context, rooms *setup.Rooms, team, path string) (archived, error) {
	if _, err := os.Lstat(path); err == nil {
		return archived{}, exit{&fs.PathError{Op: "create", Path: path, Err: unix.EEXIST}, exitUsage}
	}
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.partial")
	if err != nil {
		return archived{}, exit{err, exitUsage}
	}
	defer os.Remove(file.Name())
	buffered := bufio.NewWriterSize(file, 1<<20)
	done, err := writeArchive(ctx, rooms, team, buffered)
	if err = errors.Join(err, buffered.Flush(), file.Sync(), file.Close()); err != nil {
		return done, err
	}
	return done, giveName(file.Name(), path)
}

// giveName has a file that is whole go by path, unless there is one by now, and both
// survive a power cut.
func giveName(partial, path string) error {
	err := os.Link(partial, path)
	if _, there := os.Lstat(path); err != nil && errors.Is(there, fs.ErrNotExist) {
		err = os.Rename(partial, path) // the file system has no links
	}
	if err != nil {
		return err
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := dir.Sync(); !errors.Is(err, unix.EINVAL) { // some file systems have nothing to sync there
		return err
	}
	return nil
}

// loading is how an archive is read.
type loading struct {
	from   string // a file
	whole  bool   // it is of an installation, and not of a team
	dryRun bool
	verify bool // read back what was written

	signIns bool // of people who are new here

	stored []db.FileBytes // so far
}

// takeBack removes what was stored of files that are not here now. What it leaves,
// workers remove, or the next try overwrites.
func (l *loading) takeBack(ctx context.Context, rooms *setup.Rooms) {
	ids := make([]string, len(l.stored))
	for i, b := range l.stored {
		ids[i] = b.BytesID
	}
	_, _ = rooms.DB.UnknownBytes(ctx, ids, func(i int) error {
		return rooms.Blobs.Delete(ctx, blob.Of(l.stored[i].FileID, l.stored[i].BytesID))
	})
}

// errDryRun ends the transaction of a dry run.
var errDryRun = errors.New("a dry run")

// load reads all of an archive, or nothing.
func load(ctx context.Context, config setup.Config, l loading) (archived, error) {
	config.Migrate = false
	open := setup.Open
	if l.dryRun {
		open = setup.Look
	}
	rooms, err := open(ctx, config, slog.New(slog.DiscardHandler))
	if err != nil {
		return archived{}, err
	}
	defer rooms.Close()
	client, err := setup.Inserter(rooms.DB)
	if err != nil {
		return archived{}, err
	}
	var done archived
	err = rooms.DB.InTx(ctx, func(tx *db.Tx) error {
		file, err := os.Open(l.from) // again, where the transaction is
		if err != nil {
			return err
		}
		defer file.Close()
		if done, err = l.read(ctx, rooms, client, tx, bufio.NewReaderSize(file, 1<<20)); err != nil {
			return err
		}
		if l.dryRun {
			return errDryRun
		}
		return nil
	})
	if errors.Is(err, errDryRun) {
		err = nil
	}
	if err != nil {
		l.takeBack(context.WithoutCancel(ctx), rooms)
	}
	done.DryRun, done.Verified = l.dryRun, l.verify
	return done, err
}

// damaged is an error of reading. It must not be taken for one of the database, which
// would be tried again.
func damaged(err error) error {
	return fault.Newf(fault.Invalid, "the archive is damaged or not whole: %v", err)
}

// entrySum is the hash of an entry, and whether the archive names it.
type entrySum struct {
	hash  [sha256.Size]byte
	named bool
}

// archiveReader checks what it read. It remembers some 200 bytes of each entry.
type archiveReader struct {
	manifest manifest
	sums     map[string]*entrySum
	last     string          // the table that came last
	seen     map[string]bool // tables that came before it
}

// read imports what from has, and checks it on the way.
func (l *loading) read(ctx context.Context, rooms *setup.Rooms, client *jobs.Client, tx *db.Tx, from io.Reader) (archived, error) {
	r := archiveReader{sums: map[string]*entrySum{}, seen: map[string]bool{}}
	done := archived{Rows: map[string]int{}}
	var into *db.Import
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
		case sparse(entry): // a few bytes could stand for any number of them
			return done, fmt.Errorf("%s has holes", name)
		case into == nil:
			if name != archiveManifest {
				return done, errors.New("this is no archive: it does not begin with a manifest")
			}
			if err := r.readManifest(content); err != nil {
				return done, err
			}
			switch team := r.manifest.Team; {
			case l.whole && team != nil:
				return done, errors.New("this is the archive of a team: read it with 'clausemill team import'")
			case !l.whole && team == nil:
				return done, errors.New("this is the backup of an installation: read it with 'clausemill restore'")
			case team == nil:
				done.Teams = r.manifest.TeamCount
			default:
				done.Team, done.Name = team.ID, team.Name
			}
			if into, err = tx.BeginImport(ctx, r.manifest.Archive, l.signIns); err != nil {
				return done, err
			}
		case strings.HasPrefix(name, archiveTables):
			rows, err := r.readRows(ctx, into, name, entry.Size, content)
			if err != nil {
				return done, err
			}
			done.Rows[r.last] += rows
		case strings.HasPrefix(name, archiveBytes):
			if err := l.readBytes(ctx, rooms.Blobs, into, name, entry.Size, content, sum); err != nil {
				return done, err
			}
			done.Files++
			done.Bytes += entry.Size
		case name == archiveSums:
			if err := r.check(content); err != nil {
				return done, err
			}
			return done, l.end(ctx, rooms.Blobs, client, tx, into, &r)
		default:
			return done, fmt.Errorf("the archive has %s, which archives do not have", name)
		}
		r.sums[name] = &entrySum{hash: [sha256.Size]byte(sum.Sum(nil))}
	}
}

// sparse reports whether an entry does not have all of its bytes in the archive.
func sparse(entry *tar.Header) bool {
	for key := range entry.PAXRecords {
		if strings.HasPrefix(key, "GNU.sparse.") {
			return true
		}
	}
	return false
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

// readBytes stores the bytes of a version, whose row was before them.
func (l *loading) readBytes(ctx context.Context, store *blob.Store, into *db.Import, name string, size int64, from io.Reader, sum hash.Hash) error {
	file, id, _ := strings.Cut(strings.TrimPrefix(name, archiveBytes), "/")
	b := db.FileBytes{FileID: file, BytesID: id}
	needed, err := into.NeedBytes(ctx, b)
	if err != nil {
		return fmt.Errorf("the archive has %s: %w", name, err)
	}
	if size != needed {
		return fmt.Errorf("%s has %d bytes, and its version %d", name, size, needed)
	}
	if l.dryRun {
		if _, err := io.Copy(io.Discard, from); err != nil {
			return damaged(err)
		}
		return nil
	}
	l.stored = append(l.stored, b)
	written, err := store.Put(ctx, blob.Of(file, id), from, needed)
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
		entry := r.sums[name]
		if entry == nil || hex.EncodeToString(entry.hash[:]) != sum {
			return fmt.Errorf("%s is missing or damaged", name)
		}
		entry.named = true
	}
	if err := lines.Err(); err != nil {
		return damaged(err)
	}
	for name, entry := range r.sums {
		if !entry.named {
			return fmt.Errorf("%s has no hash", name)
		}
	}
	return nil
}

// end settles what the rows need, once all of them are here.
func (l *loading) end(ctx context.Context, store *blob.Store, client *jobs.Client, tx *db.Tx, into *db.Import, r *archiveReader) error {
	if l.verify {
		if err := into.Verify(ctx); err != nil {
			return err
		}
	}
	interrupted, err := into.End(ctx, func(b db.ArchivedBytes) error {
		entry := r.sums[archiveBytes+b.FileID+"/"+b.BytesID]
		if entry == nil || !bytes.Equal(entry.hash[:], b.SHA256) {
			return fmt.Errorf("the bytes of file %s are missing or damaged", b.FileID)
		}
		if l.verify && !l.dryRun {
			return readBack(ctx, store, b)
		}
		return nil
	})
	if err != nil {
		return err
	}
	next := []jobs.Args{jobs.ReconcileIndex{Full: l.whole}}
	for _, f := range interrupted {
		next = append(next, jobs.ReceiveFile{File: jobs.File{FileID: f.ID, TeamID: f.TeamID, Attempt: f.Attempt, Bulk: true}})
	}
	return jobs.Insert(ctx, client, tx.Raw, next...)
}

// readBack reads what was stored.
func readBack(ctx context.Context, store *blob.Store, b db.ArchivedBytes) error {
	from, err := store.Open(ctx, blob.Of(b.FileID, b.BytesID))
	if err != nil {
		return fmt.Errorf("read back the bytes of file %s: %w", b.FileID, err)
	}
	defer from.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, from); err != nil {
		return fmt.Errorf("read back the bytes of file %s: %w", b.FileID, err)
	}
	if !bytes.Equal(sum.Sum(nil), b.SHA256) {
		return fmt.Errorf("the store has other bytes of file %s than were written", b.FileID)
	}
	return nil
}

package archive

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"github.com/clausemill/clausemill/document/format"
	"github.com/clausemill/clausemill/fault"
)

// ZIP is an opened container that unpacks no more bytes than the limits allow,
// regardless of the sizes in its directory.
type ZIP struct {
	ctx      context.Context
	zip      *zip.Reader
	limits   format.Limits
	unpacked int64
}

// Unpacking an entry beyond plainRatio is suspicious once it is larger than
// freeBytes: a blank uncompressed scan packs 1000 to 1, text never above 50.
const (
	freeBytes  = 64 << 20
	plainRatio = 200
)

// Open reads the directory of a container.
func Open(ctx context.Context, r io.ReaderAt, size int64, limits format.Limits) (*ZIP, error) {
	// A directory entry has 46 bytes and a name. Reading the directory stops
	// when there is more of it than the permitted entries can need, since the
	// number that the file declares may be a lie.
	budget := &budgetReader{r: r, left: int64(limits.MaxEntries)*512 + 256<<10}
	z, err := zip.NewReader(budget, size)
	switch {
	case budget.left < 0, err == nil && len(z.File) > limits.MaxEntries:
		return nil, fault.File(fault.FileTooLarge,
			fmt.Sprintf("the archive has more than %d entries, which is the limit", limits.MaxEntries), nil)
	case err != nil:
		return nil, fault.File(fault.CorruptFile, "the file's directory cannot be read; it may be cut short", err)
	}
	budget.left = 1<<63 - 1
	return &ZIP{ctx: ctx, zip: z, limits: limits}, nil
}

// A budgetReader fails once more than left bytes were requested.
type budgetReader struct {
	r    io.ReaderAt
	left int64
}

var errBudget = errors.New("more bytes than expected")

func (b *budgetReader) ReadAt(p []byte, off int64) (int, error) {
	if b.left -= int64(len(p)); b.left < 0 {
		return 0, errBudget
	}
	return b.r.ReadAt(p, off)
}

// Part finds the entry called name, whose case, leading slash and kind of slash
// do not matter; nil if there is none.
func (a *ZIP) Part(name string) *zip.File {
	name = strings.TrimPrefix(slashes.Replace(name), "/")
	for _, f := range a.zip.File {
		if strings.EqualFold(slashes.Replace(f.Name), name) {
			return f
		}
	}
	return nil
}

// slashes replaces the backslashes that some Windows programs write as separators.
var slashes = strings.NewReplacer(`\`, "/")

// encrypted is bit 0 of an entry's flags.
const encrypted = 0x1

// Open unpacks an entry.
func (a *ZIP) Open(f *zip.File) (io.ReadCloser, error) {
	if f.Flags&encrypted != 0 {
		return nil, fault.File(fault.PasswordProtected, "the archive's entry is encrypted; upload it without a password", nil)
	}
	r, err := f.Open()
	if err != nil {
		if errors.Is(err, zip.ErrAlgorithm) {
			return nil, fault.File(fault.UnsupportedType,
				fmt.Sprintf("the archive's entry is packed by method %d, which is not supported; pack it by deflate", f.Method), err)
		}
		return nil, fault.File(fault.CorruptFile, "the archive's entry cannot be read", err)
	}
	return &entryReader{archive: a, r: r, packed: int64(f.CompressedSize64)}, nil
}

// An entryReader counts the unpacked bytes of an entry.
type entryReader struct {
	archive  *ZIP
	r        io.ReadCloser
	packed   int64
	unpacked int64
}

func (e *entryReader) Read(p []byte) (int, error) {
	if err := e.archive.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := e.r.Read(p)
	e.unpacked += int64(n)
	e.archive.unpacked += int64(n)
	limit := e.archive.limits.MaxUnzipped
	switch {
	case e.archive.unpacked > limit:
		return 0, tooMuch(e.archive.limits)
	case e.unpacked > freeBytes && e.unpacked/plainRatio > e.packed:
		return 0, fault.File(fault.FileTooLarge,
			fmt.Sprintf("the archive's entry unpacks to more than %d times its size, which is the limit", plainRatio), nil)
	case err == nil || errors.Is(err, io.EOF):
		return n, err
	}
	var disk *fs.PathError
	if errors.As(err, &disk) {
		return n, err
	}
	return n, fault.File(fault.CorruptFile, "the archive's entry is damaged", err)
}

func tooMuch(limits format.Limits) error {
	return fault.File(fault.FileTooLarge, fmt.Sprintf("the archive unpacks to more than %d MiB, which is the limit", limits.MaxUnzipped>>20), nil)
}

func (e *entryReader) Close() error { return e.r.Close() }

// Entry is a file inside a file: of an archive, or attached to a mail.
type Entry struct {
	Name   string `json:"name"`   // the last element of its path, safe to show and to store
	Path   string `json:"path"`   // where it lies in the archive, cleaned; equal to Name in a mail
	Size   int64  `json:"size"`   // bytes as declared; -1 where only reading tells
	Number int    `json:"number"` // its place among those that are delivered, from 1
	Of     int    `json:"of"`     // how many those are; 0 where only reading tells
	Err    error  `json:"-"`      // why it cannot be read; then it comes without bytes
}

// Entries calls each for every file in the archive, in its order, beginning
// with number from. Folders and metadata files of desktop systems are skipped.
func Entries(ctx context.Context, f *os.File, size int64, limits format.Limits, from int, each func(Entry, io.Reader) error) error {
	a, err := Open(ctx, f, size, limits)
	if err != nil {
		return err
	}
	var locations []string
	files := slices.DeleteFunc(a.zip.File, func(entry *zip.File) bool {
		location := cleanPath(entryName(entry))
		if entry.FileInfo().IsDir() || strings.HasSuffix(entry.Name, `\`) || litter(location) {
			return true
		}
		locations = append(locations, location)
		return false
	})
	for i, entry := range files {
		if i+1 < from {
			continue
		}
		location := locations[i]
		e := Entry{Name: path.Base(location), Path: location, Size: int64(entry.UncompressedSize64), Number: i + 1, Of: len(files)}
		if err := a.deliver(entry, e, each); err != nil {
			return err
		}
		if a.unpacked > limits.MaxUnzipped { // as the entry's reader was told: none of the others could be read
			return tooMuch(limits)
		}
	}
	return nil
}

func (a *ZIP) deliver(entry *zip.File, e Entry, each func(Entry, io.Reader) error) error {
	r, err := a.Open(entry)
	if err != nil {
		e.Err = err
		return each(e, nil)
	}
	defer r.Close()
	return each(e, r)
}

// entryName decodes a name that is not marked as UTF-8 and is not UTF-8: code
// page 437 is what the format prescribes.
func entryName(f *zip.File) string {
	if !f.NonUTF8 || utf8.ValidString(f.Name) {
		return f.Name
	}
	name, err := charmap.CodePage437.NewDecoder().String(f.Name)
	if err != nil {
		return f.Name
	}
	return name
}

// litter reports whether the file at location is metadata that a desktop system
// left in the archive.
func litter(location string) bool {
	base := path.Base(location)
	return strings.HasPrefix(location, "__MACOSX/") || strings.HasPrefix(base, "._") ||
		base == ".DS_Store" || strings.EqualFold(base, "thumbs.db") || strings.EqualFold(base, "desktop.ini")
}

// ReadHead reads the start of a part; nil if there is no such part.
func (a *ZIP) ReadHead(name string, limit int64) ([]byte, error) {
	part := a.Part(name)
	if part == nil {
		return nil, nil
	}
	r, err := a.Open(part)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(io.LimitReader(r, limit))
}

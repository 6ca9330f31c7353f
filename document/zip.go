package document

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

	"github.com/clausemill/clausemill/fault"
)

// openFile opens the file at path and tells its size.
func openFile(path string) (*os.File, int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, fmt.Errorf("open the file: %w", err)
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, 0, fmt.Errorf("open the file: %w", err)
	}
	if info.Size() == 0 {
		f.Close()
		return nil, 0, fault.File(fault.EmptyFile, "the file has no bytes", nil)
	}
	return f, info.Size(), nil
}

// isContext reports whether err only says that nobody waits any more.
func isContext(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// An archive is an opened ZIP container that gives out no more bytes than the
// limits allow, whatever its directory claims.
type archive struct {
	ctx      context.Context
	zip      *zip.Reader
	limits   Limits
	unpacked int64
}

// Unpacking an entry beyond plainRatio is suspicious once it is larger than
// freeBytes: a blank uncompressed scan packs 1000 to 1, text never above 50.
const (
	freeBytes  = 64 << 20
	plainRatio = 200
)

func openArchive(ctx context.Context, r io.ReaderAt, size int64, limits Limits) (*archive, error) {
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
	return &archive{ctx: ctx, zip: z, limits: limits}, nil
}

// A budgetReader fails once more than left bytes were asked of it.
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

// part finds the entry called name, whose case, leading slash and kind of slash
// do not matter; nil if there is none.
func (a *archive) part(name string) *zip.File {
	name = strings.TrimPrefix(slashes.Replace(name), "/")
	for _, f := range a.zip.File {
		if strings.EqualFold(slashes.Replace(f.Name), name) {
			return f
		}
	}
	return nil
}

// slashes undoes the separators that some Windows programs write.
var slashes = strings.NewReplacer(`\`, "/")

// encrypted is bit 0 of an entry's flags.
const encrypted = 0x1

// open unpacks an entry.
func (a *archive) open(f *zip.File) (io.ReadCloser, error) {
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

// An entryReader counts what comes out of an entry.
type entryReader struct {
	archive  *archive
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

func tooMuch(limits Limits) error {
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

// zipEntries calls each for every file in the archive, in its order, beginning
// with number from. Folders, and what desktop systems leave beside files, are
// passed over.
func zipEntries(ctx context.Context, f *os.File, size int64, limits Limits, from int, each func(Entry, io.Reader) error) error {
	a, err := openArchive(ctx, f, size, limits)
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

func (a *archive) deliver(entry *zip.File, e Entry, each func(Entry, io.Reader) error) error {
	r, err := a.open(entry)
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

// litter reports whether desktop systems made the file at location for
// themselves.
func litter(location string) bool {
	base := path.Base(location)
	return strings.HasPrefix(location, "__MACOSX/") || strings.HasPrefix(base, "._") ||
		base == ".DS_Store" || strings.EqualFold(base, "thumbs.db") || strings.EqualFold(base, "desktop.ini")
}

// maxName is the longest name in bytes that common file systems take.
const maxName = 255

// maxPath is how long in bytes the folders of a path may be together.
const maxPath = 4096

// cleanPath makes a relative slash-separated path without "..", drive letters,
// control characters and overlong elements out of whatever an archive calls a
// file.
func cleanPath(name string) string {
	folder, last := CleanFolder(name), ""
	if at := strings.LastIndexByte(folder, '/'); at >= 0 {
		folder, last = folder[:at], folder[at:]
	}
	for len(folder) > maxPath { // as much of it as can be kept, whole elements
		folder = folder[:max(0, strings.LastIndexByte(folder, '/'))]
	}
	if folder+last == "" {
		return "unnamed"
	}
	return strings.TrimPrefix(folder+last, "/")
}

// cleanName makes a name of whatever a mail calls a file.
func cleanName(name string) string {
	if name = shorten(Base(strings.TrimSpace(printable(name)))); strings.Trim(name, `./\`) == "" {
		return "unnamed"
	}
	return name
}

// Base is a name without the folders before it, where it begins as a path does;
// else a slash is part of it.
func Base(name string) string {
	if !isPath(name) {
		return name
	}
	name = CleanFolder(name)
	return name[strings.LastIndexByte(name, '/')+1:]
}

// isPath reports whether a name is one that a careless or malicious program made
// of a path: /tmp/a.pdf, ../a.pdf, C:\a.pdf.
func isPath(name string) bool {
	name = slashes.Replace(strings.TrimSpace(name))
	return strings.HasPrefix(name, "/") || strings.HasPrefix(name, "./") || strings.HasPrefix(name, "../") || len(name) > 2 && name[1:3] == ":/"
}

// CleanFolder makes a relative slash-separated path without "..", drive letters,
// control characters and overlong elements out of any. It may come out empty.
func CleanFolder(name string) string {
	var kept []string
	for element := range strings.SplitSeq(slashes.Replace(printable(name)), "/") {
		element = strings.TrimSpace(element)
		if element == "" || element == "." || element == ".." || len(element) == 2 && element[1] == ':' {
			continue
		}
		kept = append(kept, shorten(element))
	}
	return strings.Join(kept, "/")
}

// printable is name without control characters.
func printable(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r < 0x20 || r >= 0x7f && r < 0xa0 || isDirectional(r):
			return -1
		default:
			return r
		}
	}, strings.ToValidUTF8(name, "\ufffd"))
}

// isDirectional reports characters that make a name read backwards, which is
// how "fdp.exe" is dressed up as "exe.pdf".
func isDirectional(r rune) bool {
	return r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069' || r == '\u200e' || r == '\u200f'
}

// shorten cuts a name to maxName and keeps its extension.
func shorten(name string) string {
	if len(name) <= maxName {
		return name
	}
	extension := path.Ext(name)
	if len(extension) > 16 {
		extension = ""
	}
	return strings.TrimSpace(strings.ToValidUTF8(name[:maxName-len(extension)], "")) + extension
}

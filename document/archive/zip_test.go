package archive

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/document/format"
	"github.com/clausemill/clausemill/document/formattest"
	"github.com/clausemill/clausemill/fault"
)

// unzip lists an archive as path and content, or as path and the fault of the
// entry.
func unzip(tb testing.TB, data []byte, limits format.Limits) ([]string, error) {
	tb.Helper()
	f, size, err := format.OpenFile(formattest.TempFile(tb, "a.zip", data))
	require.NoError(tb, err)
	defer f.Close()
	var got []string
	err = Entries(tb.Context(), f, size, limits, 1, func(e Entry, r io.Reader) error {
		require.True(tb, strings.HasSuffix("/"+e.Path, "/"+e.Name))
		if e.Err != nil {
			require.Nil(tb, r)
			got = append(got, e.Path+"!"+string(fault.CodeOf(e.Err)))
			return nil
		}
		content, err := io.ReadAll(r)
		got = append(got, e.Path+"="+string(content))
		return err
	})
	return got, err
}

func TestZIPEntries(t *testing.T) {
	t.Parallel()
	data := formattest.Zipped(t, "a.txt", "one", "dir/", "", "dir/b.txt", "two", "__MACOSX/._a.txt", "x", "dir/.DS_Store", "x", "Thumbs.db", "x",
		`win\c.txt`, "three", "../../etc/passwd", "four", "/abs.txt", "five", `C:\d.txt`, "six", "a\x00\nb.txt", "seven", "\u202efdp.exe", "eight", "..", "nine",
		"\x81.txt", "ten", strings.Repeat("n", 300)+".pdf", "eleven", "empty.txt", "")
	got, err := unzip(t, data, format.DefaultLimits())
	require.NoError(t, err)
	require.Equal(t, []string{
		"a.txt=one", "dir/b.txt=two", "win/c.txt=three", "etc/passwd=four", "abs.txt=five", "d.txt=six", "ab.txt=seven", "fdp.exe=eight",
		"unnamed=nine", "ü.txt=ten", strings.Repeat("n", 251) + ".pdf=eleven", "empty.txt=",
	}, got)
}

// An entry that cannot be read costs itself and not the archive.
func TestZIPEntryFaults(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	raw := func(name string, flags, method uint16) {
		f, err := w.CreateRaw(&zip.FileHeader{Name: name, Flags: flags, Method: method, CompressedSize64: 1, UncompressedSize64: 1})
		require.NoError(t, err)
		_, err = f.Write([]byte("x"))
		require.NoError(t, err)
	}
	raw("secret.pdf", encrypted, zip.Store)
	raw("exotic.pdf", 0, 97)
	f, err := w.Create("good.txt")
	require.NoError(t, err)
	_, err = f.Write([]byte("good"))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	got, err := unzip(t, b.Bytes(), format.DefaultLimits())
	require.NoError(t, err)
	require.Equal(t, []string{"secret.pdf!password_protected", "exotic.pdf!unsupported_type", "good.txt=good"}, got)

	damaged := formattest.Zipped(t, "a.txt", "content that has a checksum")
	damaged[bytes.Index(damaged, []byte("a.txt"))+8] ^= 0xff
	_, err = unzip(t, damaged, format.DefaultLimits())
	formattest.RequireCode(t, fault.CorruptFile, err)
}

func TestZIPLimits(t *testing.T) {
	t.Parallel()
	many := make([]string, 0, 40)
	for i := range 20 {
		many = append(many, fmt.Sprintf("%d.txt", i), "x")
	}
	limits := format.DefaultLimits()
	limits.MaxEntries, limits.MaxUnzipped = 10, 1<<20
	for name, c := range map[string]struct {
		data []byte
		code fault.Code
	}{
		"Entries":   {formattest.Zipped(t, many...), fault.FileTooLarge},
		"Total":     {formattest.Zipped(t, "a", strings.Repeat("a", 600<<10), "b", strings.Repeat("b", 600<<10)), fault.FileTooLarge},
		"CutShort":  {formattest.Zipped(t, "a", "b")[:40], fault.CorruptFile},
		"Directory": {slackDirectory(t), fault.FileTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := unzip(t, c.data, limits)
			formattest.RequireCode(t, c.code, err)
		})
	}
	t.Run("Ratio", func(t *testing.T) {
		t.Parallel()
		limits := format.DefaultLimits()
		got, err := unzip(t, formattest.Zipped(t, "blank.tif", strings.Repeat("\xff", 60<<20)), limits)
		require.NoError(t, err, "a blank scan is no bomb")
		require.Len(t, got, 1)
		_, err = unzip(t, formattest.Zipped(t, "bomb", strings.Repeat("\x00", 80<<20)), limits)
		formattest.RequireCode(t, fault.FileTooLarge, err)
	})
}

// slackDirectory makes an archive whose directory is larger than its entries
// need, by the comments in it.
func slackDirectory(tb testing.TB) []byte {
	tb.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := range 10 {
		_, err := w.CreateHeader(&zip.FileHeader{Name: strconv.Itoa(i), Comment: strings.Repeat("c", 60<<10)})
		require.NoError(tb, err)
	}
	require.NoError(tb, w.Close())
	return b.Bytes()
}

func TestZIPStopsWithItsContext(t *testing.T) {
	t.Parallel()
	data := formattest.Zipped(t, "a", strings.Repeat("a", 1<<20), "b", "b")
	ctx, cancel := context.WithCancel(t.Context())
	err := Entries(ctx, formattest.OpenedFile(t, data), int64(len(data)), format.DefaultLimits(), 1, func(_ Entry, r io.Reader) error {
		cancel()
		_, err := io.Copy(io.Discard, r)
		return err
	})
	require.ErrorIs(t, err, context.Canceled)
	stop := errors.New("stop")
	err = Entries(t.Context(), formattest.OpenedFile(t, data), int64(len(data)), format.DefaultLimits(), 1, func(Entry, io.Reader) error { return stop })
	require.ErrorIs(t, err, stop)
}

func FuzzZIP(f *testing.F) {
	seed := func(data []byte) { f.Add(data) }
	seed(formattest.Zipped(f, "a.txt", "one", "dir/b.txt", "two"))
	data := formattest.Zipped(f, "a.txt", "one")
	binary.LittleEndian.PutUint16(data[6:], encrypted)
	seed(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) == 0 {
			return
		}
		limits := format.DefaultLimits()
		limits.MaxUnzipped = 1 << 20
		_, err := unzip(t, data, limits)
		if err != nil {
			formattest.RequireCode(t, fault.CodeOf(err), err)
			require.NotEqual(t, fault.InternalCode, fault.CodeOf(err), "%v", err)
		}
	})
}

func FuzzCleanPath(f *testing.F) {
	f.Add(`..\..//C:\a.pdf`)
	f.Fuzz(func(t *testing.T, name string) {
		clean := cleanPath(name)
		require.True(t, utf8.ValidString(clean))
		require.Equal(t, clean, cleanPath(clean))
		require.LessOrEqual(t, len(clean), maxPath+1+longestName)

		whole := CleanName(name)
		require.NotEmpty(t, whole)
		require.LessOrEqual(t, len(whole), longestName)
		require.Equal(t, whole, CleanName(whole))
		require.False(t, strings.ContainsFunc(whole, unicode.IsControl))
		for element := range strings.SplitSeq(clean, "/") {
			require.NotContains(t, []string{"", ".", ".."}, element)
			require.LessOrEqual(t, len(element), longestName)
		}
	})
}

package document

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf16"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/fault"
)

// zipped packs parts, given as name and content by turns.
func zipped(tb testing.TB, parts ...string) []byte {
	tb.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for part := range slices.Chunk(parts, 2) {
		f, err := w.Create(part[0])
		require.NoError(tb, err)
		_, err = io.WriteString(f, part[1])
		require.NoError(tb, err)
	}
	require.NoError(tb, w.Close())
	return b.Bytes()
}

const wordRoot = `<w:document xmlns:w="` + wordNS + `" xmlns:mc="` + compatNS + `" xmlns:m="` + mathNS +
	`" xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" xmlns:v="urn:schemas-microsoft-com:vml">`

// wordDocument makes a Word document of a body, and of parts given as by zipped.
func wordDocument(tb testing.TB, body string, parts ...string) []byte {
	tb.Helper()
	return zipped(tb, append([]string{
		"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`,
		"word/document.xml", wordRoot + "<w:body>" + body + "</w:body></w:document>",
	}, parts...)...)
}

// wordPart wraps the content of a part of a Word document in its root element.
func wordPart(root, content string) string {
	return `<w:` + root + ` xmlns:w="` + wordNS + `">` + content + `</w:` + root + `>`
}

// read opens data as serving does, its format told by its bytes, and reads it.
func read(tb testing.TB, name string, data []byte, limits Limits) (Kind, []Page, error) {
	tb.Helper()
	path := tempFile(tb, "file", data)
	f, size, err := openFile(path)
	if err != nil {
		return "", nil, err
	}
	defer f.Close()
	kind, err := sniff(tb.Context(), f, size, name, limits)
	if err != nil {
		return "", nil, err
	}
	open := (&session{}).opener(kind)
	require.NotNil(tb, open, kind)
	opened, err := open(tb.Context(), path, limits)
	if err != nil {
		return kind, nil, err
	}
	defer opened.close()
	var pages []Page
	err = opened.extract(tb.Context(), 1, allPages, func(p Page) error {
		checkText(tb, p)
		pages = append(pages, p)
		return nil
	})
	return kind, pages, err
}

// readAll is read of a file without fault, of the format that it should be.
func readAll(tb testing.TB, kind Kind, name string, data []byte) []Page {
	tb.Helper()
	got, pages, err := read(tb, name, data, DefaultLimits())
	require.NoError(tb, err)
	require.Equal(tb, kind, got)
	return pages
}

// text joins pages as the canonical text of a file is joined.
func text(pages []Page) string {
	all := make([]string, len(pages))
	for i, p := range pages {
		all[i] = p.Text
	}
	return strings.Join(all, "\f")
}

// checkText asserts what every page without geometry promises.
func checkText(tb testing.TB, p Page) {
	tb.Helper()
	if p.NeedsOCR {
		require.Empty(tb, p.Text)
		return
	}
	characters, covered := []rune(p.Text), 0
	for _, w := range p.Words {
		require.Empty(tb, strings.TrimSpace(string(characters[covered:w.Start])), "characters outside words")
		require.False(tb, strings.ContainsFunc(string(characters[w.Start:w.End]), unicode.IsSpace))
		require.Less(tb, w.Start, w.End)
		covered = w.End
	}
	require.Empty(tb, strings.TrimSpace(string(characters[covered:])))
	require.NotContains(tb, p.Text, "\n\n\n")
	for _, r := range characters {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || nonCharacter(r)) {
			require.Failf(tb, "a character that is none", "%U", r)
		}
	}
	end := 0
	for _, q := range p.Paragraphs {
		require.LessOrEqual(tb, end, q.Start)
		require.Less(tb, q.Start, q.End)
		require.LessOrEqual(tb, q.End, len(characters))
		end = q.End
	}
}

// outline writes what is told of paragraphs, a line each.
func outline(pages []Page) string {
	var b strings.Builder
	for _, page := range pages {
		characters := []rune(page.Text)
		for _, p := range page.Paragraphs {
			b.WriteString(string(p.Kind))
			if p.Level > 0 {
				b.WriteByte(byte('0' + p.Level))
			}
			b.WriteString(" " + strings.TrimSpace(p.Number+" "+string(characters[p.Start:p.End])) + "\n")
		}
	}
	return strings.TrimSpace(b.String())
}

// requireCode asserts that err fails a file by code, for good, with words that
// a caller may read.
func requireCode(tb testing.TB, code fault.Code, err error) {
	tb.Helper()
	require.Error(tb, err)
	require.Equal(tb, code, fault.CodeOf(err), "%v", err)
	require.True(tb, fault.Permanent(err))
	require.NotEqual(tb, "internal error", fault.Message(err))
}

// compound writes a compound file with streams, given as name and content by
// turns ([MS-CFB], version 3, without a mini stream).
func compound(tb testing.TB, streams ...string) []byte {
	tb.Helper()
	const sector, endOfChain, free = 512, 0xfffffffe, 0xffffffff
	le := binary.LittleEndian
	entry := func(name string, kind byte, left, right, child, start uint32, size int) []byte {
		e := make([]byte, 128)
		units := utf16.Encode([]rune(name + "\x00"))
		for i, u := range units {
			le.PutUint16(e[2*i:], u)
		}
		le.PutUint16(e[64:], uint16(2*len(units)))
		e[66], e[67] = kind, 1
		le.PutUint32(e[68:], left)
		le.PutUint32(e[72:], right)
		le.PutUint32(e[76:], child)
		le.PutUint32(e[116:], start)
		le.PutUint64(e[120:], uint64(size))
		return e
	}
	// Sector 0 is the allocation table, sector 1 the directory.
	table := []uint32{0xfffffffd, endOfChain}
	directory := entry("Root Entry", 5, free, free, 1, endOfChain, 0)
	var content []byte
	for i, s := range slices.Collect(slices.Chunk(streams, 2)) {
		data := make([]byte, max(len(s[1]), 4096+sector-1)/sector*sector)
		copy(data, s[1])
		right := uint32(free)
		if 2*i+2 < len(streams) {
			right = uint32(i + 2)
		}
		directory = append(directory, entry(s[0], 2, free, right, free, uint32(len(table)), len(data))...)
		for range len(data)/sector - 1 {
			table = append(table, uint32(len(table)+1))
		}
		table = append(table, endOfChain)
		content = append(content, data...)
	}
	require.LessOrEqual(tb, len(table), sector/4)
	require.LessOrEqual(tb, len(directory), sector)
	out := make([]byte, 3*sector, 3*sector+len(content))
	copy(out, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
	le.PutUint16(out[24:], 0x3e)
	le.PutUint16(out[26:], 3)
	le.PutUint16(out[28:], 0xfffe)
	le.PutUint16(out[30:], 9)
	le.PutUint16(out[32:], 6)
	le.PutUint32(out[44:], 1) // sectors of the table
	le.PutUint32(out[48:], 1) // where the directory starts
	le.PutUint32(out[56:], 4096)
	le.PutUint32(out[60:], endOfChain)
	le.PutUint32(out[68:], endOfChain)
	for i := range 109 {
		le.PutUint32(out[76+4*i:], free)
	}
	le.PutUint32(out[76:], 0)
	for i := range sector / 4 {
		next := uint32(free)
		if i < len(table) {
			next = table[i]
		}
		le.PutUint32(out[sector+4*i:], next)
	}
	copy(out[2*sector:], directory)
	return append(out, content...)
}

// openedFile is a file that is closed with the test.
func openedFile(tb testing.TB, data []byte) *os.File {
	tb.Helper()
	f, _, err := openFile(tempFile(tb, "file", data))
	require.NoError(tb, err)
	tb.Cleanup(func() { f.Close() })
	return f
}

package formattest

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"io"
	"slices"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"
)

// Zipped packs parts, given as name and content by turns.
func Zipped(tb testing.TB, parts ...string) []byte {
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

// WordRoot opens the main part of a Word document.
const WordRoot = `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"` +
	` xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"` +
	` xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"` +
	` xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" xmlns:v="urn:schemas-microsoft-com:vml">`

// WordDocument makes a Word document of a body, and of parts given as by Zipped.
func WordDocument(tb testing.TB, body string, parts ...string) []byte {
	tb.Helper()
	return Zipped(tb, append([]string{
		"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`,
		"word/document.xml", WordRoot + "<w:body>" + body + "</w:body></w:document>",
	}, parts...)...)
}

// Compound writes a compound file with streams, given as name and content by
// turns ([MS-CFB], version 3, without a mini stream).
func Compound(tb testing.TB, streams ...string) []byte {
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

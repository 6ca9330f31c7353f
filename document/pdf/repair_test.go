package pdf

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/document/format"
	"github.com/clausemill/clausemill/document/formattest"
	"github.com/clausemill/clausemill/fault"
)

// packed is a PDF whose structure is in an object stream of a type that does not exist.
func packed(content string) string {
	members := []string{
		"<</Type /Catalog /Pages 2 0 R>>", "<</Type /Pages /Kids [3 0 R] /Count 1>>",
		"<</Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R /Resources <</Font <</F0 4 0 R>>>>>>",
		"<</Type /Font /Subtype /Type1 /BaseFont /Helvetica>>",
	}
	return "%PDF-1.5\n9 0 obj\n<</Type /Odd /N 4 /First 40 /Length 999>>\nstream\n" +
		offsets(members) + strings.Join(members, " ") + "\nendstream\nendobj\n" +
		"5 0 obj\n<</Length 7>>\nstream\n" + content + "\nendstream\nendobj\nstartxref\n3\n%%EOF\n"
}

// offsets is the head of an object stream, 40 bytes long.
func offsets(members []string) string {
	var b bytes.Buffer
	at := 0
	for i, m := range members {
		fmt.Fprintf(&b, "%d %d ", i+1, at)
		at += len(m) + 1
	}
	return b.String() + strings.Repeat(" ", 40-b.Len())
}

// swapped is a PDF whose table has the places of its pages and their contents in the wrong
// order.
func swapped(whole string) string {
	before, table, _ := strings.Cut(whole, "0000000000 65535 f \n")
	table, after, _ := strings.Cut(table, "trailer")
	entries := strings.SplitAfter(table, "\n")
	slices.Reverse(entries[2 : len(entries)-1])
	return before + "0000000000 65535 f \n" + strings.Join(entries, "") + "trailer" + after
}

func TestPDFRepaired(t *testing.T) {
	t.Parallel()
	line := formattest.Line(72, 700, "Still here")
	whole := string(formattest.PDF(formattest.PDFPage{Content: line}, formattest.PDFPage{Content: formattest.Line(72, 700, "And here")}))
	at := strings.LastIndex(whole, "xref\n0")
	garbage := "trailer\n<</Size 9 /Root 1 0 R /ID [<904e5a\xa4\x49\x9e\xc1"
	for name, data := range map[string]string{
		"NoHeader":      "%\xe2\xe3\xcf\xd3\n" + strings.TrimPrefix(whole, "%PDF-1.7\n"),
		"NoRoot":        whole[:at] + "trailer\n<</Size 9>>\nstartxref\n9\n%%EOF\n",
		"BrokenTrailer": whole[:at] + garbage,
		"NotAtStart":    "\x1b%-12345X@PJL\n" + whole[:at] + garbage,
		"OtherPlaces":   strings.NewReplacer("00000 n", "00000 f", "/Root 1 0 R", "/Root 7 0 R").Replace(whole),
		"Swapped":       swapped(whole),
		"OldObject":     strings.Replace(whole[:at], "%PDF-1.7\n", "%PDF-1.7\n1 0 obj\n<</Type /Catalog /Pages 99 0 R>>\nendobj\n", 1) + garbage,
		"InStream":      whole[:at] + "90 0 obj\n<</Length 40>>\nstream\n1 0 obj\n<</Type /Catalog /Pages 99 0 R>>\nendobj\nendstream\nendobj\n" + garbage,
		"ObjectStream":  packed(line),
	} {
		pages := readPDF(t, []byte(data))
		require.Equal(t, "Still here\n", pages[0].Text, name)
		if name != "ObjectStream" {
			require.Len(t, pages, 2, name)
			require.Equal(t, "And here\n", pages[1].Text, name)
		}
	}

	for name, data := range map[string]string{
		"CutShort":   whole[:at-20],
		"NoCatalog":  strings.Replace(whole[:at], "/Catalog", "/Dialogue", 1) + garbage,
		"Encrypted":  whole[:at] + "trailer\n<</Size 9 /Encrypt 8 0 R",
		"NoObjects":  "%PDF-1.7\nobj 0 obj x obj 99999999 0 obj\n" + garbage,
		"NoTrailer":  whole[:at],
		"OnlyHeader": "%PDF-1.7\n",
	} {
		require.Nil(t, repair([]byte(data)), name)
	}
	_, err := testEngine(t).Open(t.Context(), formattest.TempFile(t, "a.pdf", []byte(whole[:at-200])), format.DefaultLimits())
	require.Equal(t, fault.CorruptFile, fault.CodeOf(err), "a part of a contract is not taken for all of it")
}

// TestRepairedIsEdited adds words to a PDF that is damaged.
func TestRepairedIsEdited(t *testing.T) {
	t.Parallel()
	whole := formattest.PDF(formattest.PDFPage{Content: formattest.Line(72, 700, "Still here")})
	damaged := append(bytes.Clone(whole[:bytes.LastIndex(whole, []byte("xref\n0"))]), "trailer\n<</Size 9>>\n"...)
	p, err := testEngine(t).OpenSound(t.Context(), formattest.TempFile(t, "a.pdf", damaged), t.TempDir(), format.DefaultLimits())
	require.NoError(t, err)
	defer p.Close()
	require.Len(t, p.pages, 1)
}

// TestRepairGoesBack reads a file that opens without its first page, and whose repair does not
// open.
func TestRepairGoesBack(t *testing.T) {
	t.Parallel()
	whole := string(formattest.PDF(formattest.PDFPage{Content: formattest.Line(72, 700, "Lost")}, formattest.PDFPage{Content: formattest.Line(72, 700, "Still here")}))
	at := strings.LastIndex(whole, "xref\n0")
	objects := strings.Replace(whole[:at], "/Kids [4 0 R", "/Kids [9 0 R", 1) + "8 0 obj\n<</Type /Catalog /Pages 7 0 R>>\nendobj\n"
	table, _, _ := strings.Cut(whole[at:], "startxref")
	pages := readPDF(t, fmt.Appendf(nil, "%s%sstartxref\n%d\n%%%%EOF\n", objects, table, len(objects)))
	require.Len(t, pages, 2)
	require.Equal(t, "Still here\n", pages[1].Text)
}

// TestRepairIsBounded repairs small files that unpack to very much.
func TestRepairIsBounded(t *testing.T) {
	t.Parallel()
	const root = "1 0 obj\n<</Type /Catalog /Pages 2 0 R>>\nendobj\n"
	stream := func(n int, place func(i int) int, body string) string {
		var head strings.Builder
		for i := range n {
			fmt.Fprintf(&head, "%d %d ", 10+i, place(i))
		}
		var packed bytes.Buffer
		z := zlib.NewWriter(&packed)
		_, err := io.WriteString(z, head.String()+body)
		require.NoError(t, err)
		require.NoError(t, z.Close())
		return fmt.Sprintf("9 0 obj\n<</N %d /First %d /Filter /FlateDecode>>\nstream\n%s\nendstream\nendobj\n", n, head.Len(), packed.String())
	}
	first := func(int) int { return 0 }
	for name, data := range map[string]string{
		"SameValue":   stream(2000, first, "("+strings.Repeat("a", 100<<10)+")"),
		"ManyStreams": strings.Repeat(stream(1, first, "("+strings.Repeat("a", 8<<20)+")"), 10),
		"NotTakenApart": strings.Repeat(stream(1, first, "("+strings.Repeat("a", 8<<20)), 10) +
			stream(1, first, "(the last one)"),
	} {
		data = "%PDF-1.7\n" + root + data + "trailer\n<<>>\n"
		require.Less(t, len(data), 200<<10, name)
		r := &repairing{data: []byte(data), room: maxHeld, places: map[int]int{}}
		r.collect()
		require.LessOrEqual(t, r.room, int64(0), name)
		require.LessOrEqual(t, r.added.Len(), maxHeld+1<<10, name)
		require.NotContains(t, r.added.String(), "the last one", name)
		require.Nil(t, repair([]byte(data)), name)
	}

	// What begins inside of another object is not read over and over.
	d, err := raw("<</N 1000 /First 100000>>").dict()
	require.NoError(t, err)
	var head strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&head, "%d %d ", 10+i, i)
	}
	for _, body := range []string{strings.Repeat(" ", 1000) + "0", strings.Repeat("[", 50) + strings.Repeat("0 ", 1000)} {
		_, _, err = members(d, []byte(head.String()+strings.Repeat(" ", 100000-head.Len())+body))
		require.ErrorIs(t, err, errUnsound)
	}
}

func FuzzRepair(f *testing.F) {
	whole := formattest.PDF(formattest.PDFPage{Content: formattest.Line(72, 700, "Text")})
	f.Add(whole)
	f.Add(modernPDF())
	f.Add([]byte(packed("BT ET")))
	f.Fuzz(func(t *testing.T, data []byte) {
		out := repair(data)
		if out == nil {
			return
		}
		objects, err := openObjects(bytes.NewReader(out), int64(len(out)), maxFileObjects)
		require.NoError(t, err)
		root, ok := objects.trailer.get("/Root").reference()
		require.True(t, ok)
		require.NotZero(t, objects.places[root].offset)
	})
}

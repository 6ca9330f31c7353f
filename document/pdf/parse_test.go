package pdf

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/document/format"
	"github.com/clausemill/clausemill/document/formattest"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/layout"
)

func TestPDFLexer(t *testing.T) {
	t.Parallel()
	source := `<< /Name/A#20b /Text (a (nested\) one) \\) /Hex<0a0B>/List[1 -2.5 3 0 R true null[]] /Ref 12 0 R /In<</X 1>> % remark
/Last 7 >>`
	d, err := raw(source).dict()
	require.NoError(t, err)
	require.Equal(t, []string{"/Name", "/Text", "/Hex", "/List", "/Ref", "/In", "/Last"}, d.keys)
	require.Equal(t, "/A#20b", string(d.get("/Name")))
	require.Equal(t, `(a (nested\) one) \\)`, string(d.get("/Text")))
	number, ok := d.get("/Ref").reference()
	require.True(t, ok)
	require.Equal(t, 12, number)
	list, err := d.get("/List").array()
	require.NoError(t, err)
	require.Len(t, list, 6)
	again, err := d.raw().dict()
	require.NoError(t, err)
	require.Equal(t, d, again)

	renumbered, err := d.get("/List").renumbered(func(n int) int { return n + 100 })
	require.NoError(t, err)
	require.Equal(t, "[ 1 -2.5 103 0 R true null [ ] ] ", string(renumbered))

	for _, broken := range []string{"<</A", "<</A 1", "<<1 2>>", "[1", "[>>]", "<</A (open>>", strings.Repeat("[", 200) + " "} {
		v := raw(broken)
		_, err := v.dict()
		if v.isArray() {
			_, err = v.array()
		}
		require.True(t, errors.Is(err, errUnsound) || errors.Is(err, errShort), "%s: %v", broken, err)
	}
}

func deflated(data string) string {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	_, _ = io.WriteString(z, data)
	z.Close()
	return b.String()
}

// modernPDF keeps its objects in an object stream, and their places in a
// cross-reference stream with predictors.
func modernPDF() []byte {
	var b bytes.Buffer
	offsets := map[int]int{}
	begin := func(n int) {
		offsets[n] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n", n)
	}
	b.WriteString("%PDF-1.7\n")
	content := formattest.Line(72, 700, "Modern structure")
	begin(5)
	fmt.Fprintf(&b, "<</Length 6 0 R>>\nstream\n%s\nendstream\nendobj\n", content)
	begin(6)
	fmt.Fprintf(&b, "%d\nendobj\n", len(content))
	objects := []string{
		"<</Type/Catalog/Pages 2 0 R>>",
		"<</Type/Pages/Count 1/Kids 4 0 R/MediaBox[0 0 300 400]/Rotate 90/Resources<</Font<</F0<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>",
		"<</Type/Page/Parent 2 0 R/Contents 5 0 R/MediaBox 8 0 R>>",
		"[3 0 R]",
	}
	var head, body string
	for i, o := range objects {
		head += fmt.Sprintf("%d %d ", i+1, len(body))
		body += o + " "
	}
	packed := deflated(head + body)
	begin(7)
	fmt.Fprintf(&b, "<</Type/ObjStm/N %d/First %d/Filter[/FlateDecode]/Length %d>>\nstream\n%s\nendstream\nendobj\n", len(objects), len(head), len(packed), packed)
	begin(8)
	b.WriteString("[0 0 612 792]\nendobj\n")
	offsets[9] = b.Len()
	rows := make([][]byte, 10)
	for i := range rows {
		switch {
		case i == 0:
			rows[i] = []byte{0, 0, 0, 0}
		case i <= 4:
			rows[i] = []byte{2, 0, 7, byte(i - 1)}
		default:
			rows[i] = []byte{1, byte(offsets[i] >> 8), byte(offsets[i]), 0}
		}
	}
	var filtered []byte
	above := make([]byte, 4)
	for i, row := range rows { // every filter in turn
		filter := byte(i % 5)
		filtered = append(filtered, filter)
		for j, v := range row {
			var left, corner byte
			if j > 0 {
				left, corner = row[j-1], above[j-1]
			}
			switch filter {
			case 1:
				v -= left
			case 2:
				v -= above[j]
			case 3:
				v -= byte((int(left) + int(above[j])) / 2)
			case 4:
				v -= paeth(left, above[j], corner)
			}
			filtered = append(filtered, v)
		}
		above = row
	}
	table := deflated(string(filtered))
	fmt.Fprintf(&b, "9 0 obj\n<</Type/XRef/Size 10/W[1 2 1]/Root 1 0 R/Filter/FlateDecode/DecodeParms<</Predictor 12/Columns 4>>/Length %d>>\nstream\n%s\nendstream\nendobj\nstartxref\n%d\n%%%%EOF\n", len(table), table, offsets[9])
	return b.Bytes()
}

func TestPDFObjectsInStreams(t *testing.T) {
	t.Parallel()
	data := modernPDF()
	p, err := openObjects(bytes.NewReader(data), int64(len(data)), maxFileObjects)
	require.NoError(t, err)
	require.True(t, p.streams)
	require.NoError(t, p.check())
	pages, err := p.leaves(format.DefaultLimits())
	require.NoError(t, err)
	require.Len(t, pages, 1)
	require.Equal(t, 3, pages[0].number)
	require.Equal(t, "90", string(pages[0].dict.get("/Rotate")), "inherited")
	require.Equal(t, "8 0 R", string(pages[0].dict.get("/MediaBox")), "its own")

	layer := formattest.Recognised(1, 792, 612)
	output := layered(t, data, layer)
	after := readPDF(t, output)
	require.Contains(t, after[0].Text, "Modern structure")
	formattest.RequireWords(t, layer, after[0])
	formattest.RequireFound(t, formattest.TempFile(t, "out.pdf", output), layer)
	formattest.RequireWords(t, layer, readPDF(t, layered(t, output, layer))[0]) // an update of an update

	var merged bytes.Buffer
	w := NewWriter(&merged)
	for _, part := range [][]byte{data, output} {
		require.NoError(t, openedSound(t, part).CopyPages(w))
	}
	require.Equal(t, 2, w.Pages())
	require.NoError(t, w.Finish())
	require.Contains(t, readPDF(t, merged.Bytes())[0].Text, "Modern structure")
}

func openedSound(tb testing.TB, data []byte) *Sound {
	tb.Helper()
	p, err := testEngine(tb).OpenSound(tb.Context(), formattest.TempFile(tb, "a.pdf", data), tb.TempDir(), format.DefaultLimits())
	require.NoError(tb, err)
	tb.Cleanup(p.Close)
	return p
}

// layered is a PDF with words under its pages.
func layered(tb testing.TB, data []byte, layers ...layout.Page) []byte {
	tb.Helper()
	var b bytes.Buffer
	require.NoError(tb, openedSound(tb, data).LayWords(&b, layers))
	return b.Bytes()
}

func TestPDFUnsound(t *testing.T) {
	t.Parallel()
	whole := string(formattest.PDF(formattest.PDFPage{Content: formattest.Line(72, 700, "Text")}))
	for name, data := range map[string]string{
		"Junk":       "junk" + whole,
		"NoTable":    whole[:strings.LastIndex(whole, "xref\n0")],
		"WrongPlace": strings.Replace(whole, "0000000009 00000 n", "0000000010 00000 n", 1),
		"Circle":     strings.Replace(whole, "/Kids [", "/Kids [2 0 R ", 1),
		"Generation": strings.Replace(whole, "1 0 obj", "1 7 obj", 1),
	} {
		p, err := openObjects(strings.NewReader(data), int64(len(data)), maxFileObjects)
		if err == nil {
			if _, err = p.leaves(format.DefaultLimits()); err == nil {
				err = p.check()
			}
		}
		require.ErrorIs(t, err, errUnsound, name)
	}
	limits := format.DefaultLimits()
	limits.MaxPages = 1
	data := formattest.PDF(formattest.PDFPage{}, formattest.PDFPage{})
	p, err := openObjects(bytes.NewReader(data), int64(len(data)), maxFileObjects)
	require.NoError(t, err)
	_, err = p.leaves(limits)
	require.Equal(t, fault.TooManyPages, fault.CodeOf(err))
}

// FuzzPDFObjects asserts that a structure is read or refused, and that what is
// read can be copied and added to.
func FuzzPDFObjects(f *testing.F) {
	f.Add(modernPDF())
	f.Add(formattest.PDF(formattest.PDFPage{Content: formattest.Line(72, 700, "Text")}, formattest.PDFPage{Attributes: "/Rotate 90 /CropBox [0 0 100 100]"}))
	limits := format.DefaultLimits()
	limits.MaxPages = 20
	f.Fuzz(func(t *testing.T, data []byte) {
		objects, err := openObjects(bytes.NewReader(data), int64(len(data)), maxFileObjects)
		if err != nil {
			return
		}
		p := &Sound{objects: objects}
		if p.pages, err = objects.leaves(limits); err != nil || objects.check() != nil {
			return
		}
		var update, merged bytes.Buffer
		if len(p.pages) > 0 && p.LayWords(&update, []layout.Page{formattest.Recognised(1, 612, 792)}) == nil {
			require.True(t, bytes.HasPrefix(update.Bytes(), data))
			again, err := openObjects(bytes.NewReader(update.Bytes()), int64(update.Len()), maxFileObjects)
			require.NoError(t, err)
			pages, err := again.leaves(limits)
			require.NoError(t, err)
			require.Len(t, pages, len(p.pages))
		}
		out := NewWriter(&merged)
		if p.CopyPages(out) == nil {
			require.NoError(t, out.Finish())
			again, err := openObjects(bytes.NewReader(merged.Bytes()), int64(merged.Len()), maxFileObjects)
			require.NoError(t, err)
			require.NoError(t, again.check())
			pages, err := again.leaves(limits)
			require.NoError(t, err)
			require.Len(t, pages, len(p.pages))
		}
	})
}

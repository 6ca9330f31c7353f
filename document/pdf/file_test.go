package pdf

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/jpeg"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/document/format"
	"github.com/clausemill/clausemill/document/formattest"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/layout"
)

func testEngine(tb testing.TB) *Engine {
	tb.Helper()
	return &Engine{CacheDir: formattest.Cache()}
}

// scan is the picture of a page: grey noise-free paper with dark bars for lines.
func scan(tb testing.TB, width, height int) []byte {
	tb.Helper()
	m := image.NewGray(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			m.Pix[y*m.Stride+x] = 240
			if y/20%2 == 1 && x > width/10 && x < width*9/10 {
				m.Pix[y*m.Stride+x] = 30
			}
		}
	}
	var b bytes.Buffer
	require.NoError(tb, jpeg.Encode(&b, m, nil))
	return b.Bytes()
}

// paragraph sets text in lines of 12 points from y downwards.
func paragraph(y float64, text string, mode int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d Tr\n", mode)
	words := strings.Fields(text)
	for len(words) > 0 {
		n := min(len(words), 9)
		b.WriteString(formattest.Line(72, y, strings.Join(words[:n], " ")))
		words, y = words[n:], y-14
	}
	return b.String()
}

func readPDF(tb testing.TB, data []byte) []format.Page {
	tb.Helper()
	var pages []format.Page
	extractAll(tb, testEngine(tb), formattest.TempFile(tb, "a.pdf", data), func(p format.Page) {
		formattest.CheckPage(tb, p)
		pages = append(pages, p)
	})
	return pages
}

func TestPDFText(t *testing.T) {
	t.Parallel()
	pages := readPDF(t, formattest.PDF(
		formattest.PDFPage{Content: formattest.Line(72, 700, "1. First clause of the") + formattest.Line(72, 686, "agreement.") + formattest.Line(72, 640, "2. Second clause.")},
		formattest.PDFPage{},
	))
	require.Len(t, pages, 2)
	first := pages[0]
	require.Equal(t, "1. First clause of the\nagreement.\n\n2. Second clause.\n", first.Text)
	require.Equal(t, 1, first.Number)
	require.Equal(t, []float32{612, 792}, []float32{first.Width, first.Height})
	require.False(t, first.NeedsOCR)
	require.Equal(t, format.ReasonGood, first.Reason)
	require.Len(t, first.Words, 9)
	agreement := first.Words[5].Box
	require.InDelta(t, 72, agreement.X0, 1)
	require.InDelta(t, 792-686, agreement.Y1, 4, "the baseline is 106 points from the top")
	require.Greater(t, first.Words[6].Box.Y0, agreement.Y1)
	require.Equal(t, format.ReasonBlank, pages[1].Reason)
	require.False(t, pages[1].NeedsOCR)
}

func TestPDFTurnedAndCropped(t *testing.T) {
	t.Parallel()
	content := formattest.Line(100, 700, "Corner")
	for name, test := range map[string]struct {
		attributes    string
		width, height float32
		x, y          float64 // of the word's start, on the baseline
	}{
		"Upright": {"", 612, 792, 100, 92},
		"Quarter": {"/Rotate 90", 792, 612, 700, 100},
		"Half":    {"/Rotate 180", 612, 792, 512, 700},
		"Three":   {"/Rotate 270", 792, 612, 92, 512},
		"Cropped": {"/CropBox [50 600 250 750]", 200, 150, 50, 50},
		"Both":    {"/CropBox [50 600 250 750] /Rotate 90", 150, 200, 100, 50},
		"Shifted": {"/MediaBox [-100 -100 512 692]", 612, 792, 200, 0},
	} {
		pages := readPDF(t, formattest.PDF(formattest.PDFPage{Attributes: test.attributes, Content: content}))
		require.Equal(t, test.width, pages[0].Width, name)
		require.Equal(t, test.height, pages[0].Height, name)
		require.Len(t, pages[0].Words, 1, name)
		box := pages[0].Words[0].Box
		nearest := func(x, low, high float32) float64 { return float64(min(max(x, low), high)) }
		require.InDelta(t, test.x, nearest(float32(test.x), box.X0, box.X1), 4, "%s: %v", name, box)
		require.InDelta(t, test.y, nearest(float32(test.y), box.Y0, box.Y1), 4, "%s: %v", name, box)
	}
}

func TestPDFCharacters(t *testing.T) {
	t.Parallel()
	pages := readPDF(t, formattest.PDF(formattest.PDFPage{
		Font:    `<</Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding <</Type /Encoding /Differences [1 /fi /fl /bullet /eacute]>>>>`,
		Content: formattest.Line(72, 700, "\x01nal \x02ow caf\x04 long-") + formattest.Line(72, 686, "term \x03 end"),
	}))
	require.Equal(t, "final flow café long-\nterm • end\n", pages[0].Text)
}

func TestPDFGate(t *testing.T) {
	t.Parallel()
	clause := clauses["English"]
	secret := garbles[2].f(nil, clause)
	picture := scan(t, 1275, 1650)
	pages := readPDF(t, formattest.PDF(
		formattest.PDFPage{Content: formattest.FullPageImage, Image: picture},
		formattest.PDFPage{Content: formattest.FullPageImage + formattest.Line(40, 20, "Envelope 1234-5678"), Image: picture},
		formattest.PDFPage{Content: formattest.FullPageImage + paragraph(700, clause, 3), Image: picture},
		formattest.PDFPage{Content: formattest.FullPageImage + paragraph(700, secret, 3), Image: picture},
		formattest.PDFPage{Content: paragraph(700, secret, 0)},
		formattest.PDFPage{Content: "q 100 0 0 50 72 700 cm /I0 Do Q\n" + paragraph(600, clause, 0), Image: picture},
		formattest.PDFPage{Content: "1 1 1 rg 0 0 612 792 re f"},
		formattest.PDFPage{Content: "100 100 m 200 300 l 300 100 l b"},
		formattest.PDFPage{Content: "0 0 612 792 re W n"},
		formattest.PDFPage{Content: "72 400 468 1 re f 72 100 m 72 700 l S"},
		formattest.PDFPage{Content: "72 400 468 1 re f 300 402 m 302 405 l 304 402 l S"},
		formattest.PDFPage{Content: "300 400 10 1 re f 300 400 1 12 re f 300 406 8 1 re f 300 411 10 1 re f"},
	))
	var reasons []format.Reason
	for _, p := range pages {
		reasons = append(reasons, p.Reason)
	}
	require.Equal(t, []format.Reason{
		format.ReasonNoText, format.ReasonImage, format.ReasonGood, format.ReasonImplausible, format.ReasonImplausible, format.ReasonGood,
		format.ReasonBlank, format.ReasonNoText, format.ReasonBlank,
		format.ReasonBlank, format.ReasonNoText, format.ReasonNoText,
	}, reasons)
	require.InDelta(t, 1, pages[0].ImageArea, 0.01)
	require.InDelta(t, 5000.0/612/792, pages[5].ImageArea, 0.001)
	require.Greater(t, pages[2].TextArea, float32(0.02))
}

func TestPDFFaults(t *testing.T) {
	t.Parallel()
	whole := formattest.PDF(formattest.PDFPage{Content: formattest.Line(72, 700, "Text")})
	empty := bytes.Replace(formattest.PDF(), []byte("/Count 1"), []byte("/Count 0"), 1)
	for name, test := range map[string]struct {
		data   []byte
		limits func(*format.Limits)
		want   fault.Code
	}{
		"Protected": {data: formattest.Encrypt(t, whole, "secret"), want: fault.PasswordProtected},
		"Garbage":   {data: []byte("%PDF-1.7\nnothing of the kind"), want: fault.CorruptFile},
		"Truncated": {data: whole[:60], want: fault.CorruptFile},
		"NoPages":   {data: empty, want: fault.EmptyFile},
		"NoBytes":   {data: nil, want: fault.EmptyFile},
		"TooMany": {
			data:   formattest.PDF(formattest.PDFPage{}, formattest.PDFPage{}, formattest.PDFPage{}),
			limits: func(l *format.Limits) { l.MaxPages = 2 }, want: fault.TooManyPages,
		},
	} {
		limits := format.DefaultLimits()
		if test.limits != nil {
			test.limits(&limits)
		}
		_, err := testEngine(t).Open(t.Context(), formattest.TempFile(t, "a.pdf", test.data), limits)
		require.Error(t, err, name)
		require.Equal(t, test.want, fault.CodeOf(err), "%s: %v", name, err)
		require.True(t, fault.Permanent(err), name)
	}
}

func TestPDFOpensWithOwnerPassword(t *testing.T) {
	t.Parallel()
	pages := readPDF(t, formattest.Encrypt(t, formattest.PDF(formattest.PDFPage{Content: formattest.Line(72, 700, "Readable by all")}), ""))
	require.Equal(t, "Readable by all\n", pages[0].Text)
}

func TestPDFWithDamagedTable(t *testing.T) {
	t.Parallel()
	data := formattest.PDF(formattest.PDFPage{Content: formattest.Line(72, 700, "Still here")})
	pages := readPDF(t, data[:bytes.LastIndex(data, []byte("xref"))])
	require.Equal(t, "Still here\n", pages[0].Text)
}

func TestPDFRender(t *testing.T) {
	t.Parallel()
	data := formattest.PDF(
		formattest.PDFPage{Content: formattest.Line(72, 700, "Text"), Attributes: "/Rotate 90"},
		formattest.PDFPage{Content: formattest.FullPageImage, Image: scan(t, 1700, 2200)},                                                     // 200 dpi
		formattest.PDFPage{Content: formattest.FullPageImage, Image: scan(t, 612, 792)},                                                       // 72 dpi
		formattest.PDFPage{Content: "q 14400 0 0 14400 0 0 cm /I0 Do Q", Image: scan(t, 600, 600), Attributes: "/MediaBox [0 0 14400 14400]"}, // 200 inches
	)
	engine := testEngine(t)
	limits := format.DefaultLimits()
	limits.MaxPixels = 10_000_000
	f, err := engine.Open(t.Context(), formattest.TempFile(t, "a.pdf", data), limits)
	require.NoError(t, err)
	defer f.Close()
	for i, want := range []struct {
		asked, dpi    float64
		width, height int
	}{
		{0, 300, 3300, 2550},
		{0, 200, 1700, 2200},
		{0, 150, 1275, 1650},
		{0, 15.81, 3162, 3162},
	} {
		img, err := f.Render(t.Context(), i+1, want.asked, false)
		require.NoError(t, err)
		require.InDelta(t, want.dpi, img.DPI, 0.01)
		require.InDelta(t, want.width, img.Width, 1)
		require.InDelta(t, want.height, img.Height, 1)
		header := fmt.Sprintf("P5\n%d %d\n255\n", img.Width, img.Height)
		require.True(t, bytes.HasPrefix(img.Bytes, []byte(header)))
		pixels := img.Bytes[len(header):]
		require.Len(t, pixels, img.Width*img.Height)
		require.Less(t, bytes.IndexFunc(pixels, func(r rune) bool { return r < 100 }), len(pixels), "something dark")
		require.GreaterOrEqual(t, bytes.IndexFunc(pixels, func(r rune) bool { return r < 100 }), 0)
	}
	coarse, err := f.Render(t.Context(), 1, 72, false)
	require.NoError(t, err)
	require.Equal(t, []int{792, 612}, []int{coarse.Width, coarse.Height})
	require.Equal(t, []float32{792, 612}, []float32{coarse.PageWidth, coarse.PageHeight})
	_, err = f.Render(t.Context(), 5, 0, false)
	require.Equal(t, fault.NotFound, fault.KindOf(err))
}

// TestPDFTrapCostsOnePage fills the sandbox with pointers to nowhere between two
// pages, which costs the one that follows them.
func TestPDFTrapCostsOnePage(t *testing.T) {
	t.Parallel()
	engine := testEngine(t)
	path := formattest.TempFile(t, "a.pdf", formattest.PDF(formattest.PDFPage{Content: formattest.Line(72, 700, "One")}, formattest.PDFPage{Content: formattest.Line(72, 700, "Two")}, formattest.PDFPage{Content: formattest.Line(72, 700, "Three")}))
	opened, err := engine.Open(t.Context(), path, format.DefaultLimits())
	require.NoError(t, err)
	defer opened.Close()
	var texts []string
	var reasons []format.Reason
	require.NoError(t, opened.Extract(t.Context(), 1, 3, func(p format.Page) error {
		texts, reasons = append(texts, p.Text), append(reasons, p.Reason)
		if p.Number == 1 {
			memory := engine.instance.memory
			require.True(t, memory.Write(0, bytes.Repeat([]byte{0xFF}, int(memory.Size()))))
		}
		return nil
	}))
	require.Equal(t, []string{"One\n", "", "Three\n"}, texts)
	require.Equal(t, []format.Reason{format.ReasonGood, format.ReasonUnreadable, format.ReasonGood}, reasons)
}

func TestPDFStopsWithItsContext(t *testing.T) {
	t.Parallel()
	f, err := testEngine(t).Open(t.Context(), formattest.TempFile(t, "a.pdf", formattest.PDF(formattest.PDFPage{}, formattest.PDFPage{})), format.DefaultLimits())
	require.NoError(t, err)
	defer f.Close()
	ctx, cancel := context.WithCancel(t.Context())
	err = f.Extract(ctx, 1, 2, func(format.Page) error {
		cancel()
		return nil
	})
	require.ErrorIs(t, err, context.Canceled)
}

// FuzzPDF damages a PDF and expects an error or pages that keep their promises.
func FuzzPDF(f *testing.F) {
	f.Add(formattest.PDF(formattest.PDFPage{Content: formattest.Line(72, 700, "Text of a clause")}, formattest.PDFPage{Attributes: "/Rotate 90"}))
	f.Add(formattest.PDF(formattest.PDFPage{Content: formattest.FullPageImage, Image: scan(f, 60, 80)}))
	f.Add(formattest.PDF(formattest.PDFPage{Content: "q 72 0 0 72 0 0 cm /I0 Do Q", Image: scan(f, 200, 200), Attributes: "/MediaBox [0 0 72 72]"}))
	engine := testEngine(f)
	limits := format.DefaultLimits()
	limits.MaxPages, limits.MaxPixels = 20, 250_000
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := engine.Open(t.Context(), formattest.TempFile(t, "a.pdf", data), limits)
		if err != nil {
			require.True(t, fault.Permanent(err), err)
			return
		}
		defer file.Close()
		err = file.Extract(t.Context(), 1, file.Pages(), func(p format.Page) error {
			formattest.CheckPage(t, p)
			return nil
		})
		require.NoError(t, err)
		if img, err := file.Render(t.Context(), 1, 50, len(data)%2 == 0); err == nil {
			require.LessOrEqual(t, img.Width*img.Height, limits.MaxPixels)
		} else {
			require.True(t, fault.Permanent(err), err)
		}
		require.NoError(t, file.(format.Illustrated).Pictures(t.Context(), func(p format.Picture) error { //nolint:forcetypeassert // it is a PDF
			require.True(t, p.Width > 0 && p.Height > 0 && p.Down >= 0 && p.Down <= 1)
			_, _, err := image.Decode(bytes.NewReader(p.Bytes))
			return err
		}))
	})
}

// TestPDFScan hands the JPEG over where it is all that a page shows, and draws
// every page whose picture it is not.
func TestPDFScan(t *testing.T) {
	t.Parallel()
	grey := formattest.Paper(t, 1275, 1650)
	var colour, odd bytes.Buffer
	require.NoError(t, jpeg.Encode(&colour, image.NewYCbCr(image.Rect(0, 0, 1275, 1650), image.YCbCrSubsampleRatio420), nil))
	require.NoError(t, jpeg.Encode(&odd, image.NewGray(image.Rect(0, 0, 1275, 1450)), nil))
	const rotated = "/MediaBox [0 0 792 612] /Rotate 90"
	for name, test := range map[string]struct {
		page formattest.PDFPage
		edit [2]string // of the same length
		jpeg bool
	}{
		"Upright":        {page: formattest.PDFPage{Content: formattest.FullPageImage}, jpeg: true},
		"Colour":         {page: formattest.PDFPage{Content: formattest.FullPageImage, Image: colour.Bytes()}, edit: [2]string{"/DeviceGray", "/DeviceRGB "}, jpeg: true},
		"TurnedBack":     {page: formattest.PDFPage{Content: "q 0 612 -792 0 792 0 cm /I0 Do Q", Attributes: rotated}, jpeg: true},
		"HiddenText":     {page: formattest.PDFPage{Content: formattest.FullPageImage + "3 Tr " + formattest.Line(72, 700, "What was read before")}, jpeg: true},
		"WholeClip":      {page: formattest.PDFPage{Content: "q 0 0 612 792 re W n 612 0 0 792 0 0 cm /I0 Do Q"}, jpeg: true},
		"MovedBox":       {page: formattest.PDFPage{Content: "q 612 0 0 792 50 -20 cm /I0 Do Q", Attributes: "/MediaBox [50 -20 662 772]"}, jpeg: true},
		"PageTurned":     {page: formattest.PDFPage{Content: formattest.FullPageImage, Attributes: "/Rotate 90"}},
		"PageUpsideDown": {page: formattest.PDFPage{Content: formattest.FullPageImage, Attributes: "/Rotate 180"}},
		"Mirrored":       {page: formattest.PDFPage{Content: "q -612 0 0 792 612 0 cm /I0 Do Q"}},
		"Flipped":        {page: formattest.PDFPage{Content: "q 612 0 0 -792 0 792 cm /I0 Do Q"}},
		"Slanted":        {page: formattest.PDFPage{Content: "q 612 20 -20 792 0 0 cm /I0 Do Q"}},
		"Cropped":        {page: formattest.PDFPage{Content: formattest.FullPageImage, Attributes: "/CropBox [10 10 602 782]"}},
		"Margins":        {page: formattest.PDFPage{Content: "q 610 0 0 790 1 1 cm /I0 Do Q"}},
		"Stretched":      {page: formattest.PDFPage{Content: formattest.FullPageImage, Image: odd.Bytes()}},
		"Coarse":         {page: formattest.PDFPage{Content: formattest.FullPageImage, Image: formattest.Paper(t, 850, 1100)}},
		"Clipped":        {page: formattest.PDFPage{Content: "q 0 0 612 400 re W n 612 0 0 792 0 0 cm /I0 Do Q"}},
		"Stamped":        {page: formattest.PDFPage{Content: formattest.FullPageImage + formattest.Line(72, 72, "Stamp")}},
		"Twice":          {page: formattest.PDFPage{Content: formattest.FullPageImage + formattest.FullPageImage}},
		"ColourSpace":    {page: formattest.PDFPage{Content: formattest.FullPageImage}, edit: [2]string{"/DeviceGray", "/DeviceRGB "}},
		"Inverted":       {page: formattest.PDFPage{Content: formattest.FullPageImage}, edit: [2]string{"/Type /XObject /Subtype", "/Decode [1 0] /Subtype "}},
		"Masked":         {page: formattest.PDFPage{Content: formattest.FullPageImage}, edit: [2]string{"/Type /XObject /Subtype", "/Mask [0 250] /Subtype "}},
		"SoftMask":       {page: formattest.PDFPage{Content: formattest.FullPageImage}, edit: [2]string{"/Type /XObject /Subtype", "/SMask 3 0 R  /Subtype "}},
		"Optional":       {page: formattest.PDFPage{Content: formattest.FullPageImage}, edit: [2]string{"/Type /XObject /Subtype", "/OC <<>>      /Subtype "}},
		"Parameters":     {page: formattest.PDFPage{Content: formattest.FullPageImage}, edit: [2]string{"/Type /XObject /Subtype /Image", "/DecodeParms<<>>/Subtype/Image"}},
		"Length":         {page: formattest.PDFPage{Content: formattest.FullPageImage}, edit: [2]string{fmt.Sprint("/Length ", len(grey)), fmt.Sprint("/Length ", len(grey)-1)}},
		"PlainColours":   {page: formattest.PDFPage{Content: formattest.FullPageImage, Font: "<<>>>> /ColorSpace <</DefaultGray /DeviceGray"}},
		"Transparent":    {page: formattest.PDFPage{Content: "/G0 gs " + formattest.FullPageImage, Font: "<<>>>> /ExtGState <</G0 <</ca 0.5>>"}},
		"NoStructure":    {page: formattest.PDFPage{Content: formattest.FullPageImage}, edit: [2]string{"startxref", "startzref"}},
		"Encrypted":      {page: formattest.PDFPage{Content: formattest.FullPageImage}, edit: [2]string{"/Root 1 0 R>>", "/Root 1 0 R/Encrypt 9 0 R>>"}},
	} {
		if test.page.Image == nil {
			test.page.Image = grey
		}
		data := formattest.PDF(test.page)
		require.Contains(t, string(data), test.edit[0], name)
		if name != "Encrypted" { // which is said behind all places
			require.Len(t, test.edit[1], len(test.edit[0]), name)
		}
		data = bytes.Replace(data, []byte(test.edit[0]), []byte(test.edit[1]), 1)
		f, err := testEngine(t).Open(t.Context(), formattest.TempFile(t, "a.pdf", data), format.DefaultLimits())
		require.NoError(t, err, name)
		img, err := f.Render(t.Context(), 1, 300, true)
		require.NoError(t, err, name)
		require.Equal(t, test.jpeg, img.JPEG, name)
		if test.jpeg {
			require.Equal(t, test.page.Image, img.Bytes, name)
			require.InDelta(t, 150, img.DPI, 0.01, name)
		}
		drawn, err := f.Render(t.Context(), 1, 300, false)
		require.NoError(t, err, name)
		require.True(t, bytes.HasPrefix(drawn.Bytes, []byte("P5")), name)
		require.Equal(t, []float32{drawn.PageWidth, drawn.PageHeight}, []float32{img.PageWidth, img.PageHeight}, name)
		if test.jpeg {
			require.Equal(t, []int{drawn.Width, drawn.Height}, []int{img.Width, img.Height}, name)
		}
		require.NoError(t, f.Close())
	}
}

// TestPDFScansAreTakenOut compares pages composed from their images with the
// same pages drawn.
func TestPDFScansAreTakenOut(t *testing.T) {
	t.Parallel()
	image := formattest.Paper(t, 400, 500)
	for name, test := range map[string]struct {
		content, attributes string
		scan                bool
	}{
		"Upright":        {formattest.FullPageImage, "", true},
		"PageTurned":     {formattest.FullPageImage, "/Rotate 90", true},
		"PageUpsideDown": {formattest.FullPageImage, "/Rotate 180", true},
		"PageTurnedBack": {formattest.FullPageImage, "/Rotate 270", true},
		"Mirrored":       {"q -612 0 0 792 612 0 cm /I0 Do Q", "", true},
		"UpsideDown":     {"q -612 0 0 -792 612 792 cm /I0 Do Q", "", true},
		"Flipped":        {"q 612 0 0 -792 0 792 cm /I0 Do Q", "", true},
		"Turned":         {"q 0 792 -612 0 612 0 cm /I0 Do Q", "", true},
		"TurnedBack":     {"q 0 -792 612 0 0 792 cm /I0 Do Q", "", true},
		"Diagonal":       {"q 0 792 612 0 0 0 cm /I0 Do Q", "", true},
		"AntiDiagonal":   {"q 0 -792 -612 0 612 792 cm /I0 Do Q", "/Rotate 90", true},
		"Margins":        {"q 580 0 0 760 20 12 cm /I0 Do Q", "", true},
		"Strips":         {"q 612 0 0 396 0 0 cm /I0 Do Q q 612 0 0 396 0 396 cm /I0 Do Q", "/Rotate 270", true},
		"Cropped":        {formattest.FullPageImage, "/CropBox [10 10 602 782]", true},
		"FarBeyond":      {"q 1600 0 0 1600 -300 -300 cm /I0 Do Q", "", false},
		"Slanted":        {"q 612 20 -20 792 0 0 cm /I0 Do Q", "", false},
		"Stamped":        {formattest.FullPageImage + formattest.Line(72, 72, "Stamp"), "", false},
		"Layered":        {formattest.FullPageImage + formattest.FullPageImage, "", false},
		"Small":          {"q 300 0 0 300 20 12 cm /I0 Do Q", "", false},
	} {
		f, err := testEngine(t).Open(t.Context(), formattest.TempFile(t, "a.pdf", formattest.PDF(formattest.PDFPage{Content: test.content, Attributes: test.attributes, Image: image})), format.DefaultLimits())
		require.NoError(t, err)
		d := f.(*file)
		page := d.p.call(d.p.loadPage, uint64(d.document), 0)
		v := d.p.view(page)
		scanned, ok := d.p.scan(page, v, d.p.content(page, v), 100, format.DefaultLimits().MaxPixels)
		require.Equal(t, test.scan, ok, name)
		if ok {
			drawn := d.p.draw(page, v, 100)
			require.Equal(t, drawn.Width, scanned.Width, name)
			require.Len(t, scanned.Bytes, len(drawn.Bytes), name)
			differ := 0
			for i := range drawn.Bytes {
				if d := int(drawn.Bytes[i]) - int(scanned.Bytes[i]); d < -60 || d > 60 {
					differ++
				}
			}
			require.Less(t, ratio(differ, len(drawn.Bytes)), 0.01, name)
		}
		require.NoError(t, f.Close())
	}
}

// TestPDFNumbersAreWhole has numbers of sections with wide letters, with digits that are
// moved apart, and with the small gap of a tab behind them.
func TestPDFNumbersAreWhole(t *testing.T) {
	t.Parallel()
	show := func(operators string) string { return "BT /F0 12 Tf 72 700 Td " + operators + " ET\n" }
	for want, content := range map[string]string{
		"2.02 Confidentiality\n": show("1 Tc (2.02 Confidentiality) Tj"),
		"6.3 Term\n":             show("[(6.3 T) -90 (erm)] TJ"),
		"2.02 Notices\n":         show("[(2.0) -100 (2 Notices)] TJ"),
		"12.10 Rent\n":           show("[(12.1) -120 (0 Rent)] TJ"),
		"6. The rent\n":          show("[(6.) -120 (The rent)] TJ"),
		"(a) the rent\n":         show("[(\\(a\\)) -120 (the rent)] TJ"),
		"4.2 The rent\n":         show("[(4.2) -120 (The rent)] TJ"),
		"5. 30 days\n":           show("[(5.) -120 (30 days)] TJ"),
		"7. The end\n":           show("0.3 Tc [(7.) -140 (The end)] TJ"),
	} {
		require.Equal(t, want, readPDF(t, formattest.PDF(formattest.PDFPage{Content: content}))[0].Text)
	}
}

// TestRightToLeft turns Hebrew around that is in the order of the page, and no other text.
func TestRightToLeft(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text  string
		width float32 // from one character to the next
		want  string
	}{
		"Turned":   {"A: יכש תוריכש!", 8, "A: שכירות שכי!"},
		"Right":    {"שכירות שכי", -8, "שכירות שכי"},
		"Numbers":  {"ב 12 א", 8, "ב 12 א"},
		"TwoLines": {"תוריכש\nתוריכש", 8, "שכירות\nשכירות"},
		"Latin":    {"abc def", 8, "abc def"},
	} {
		var glyphs []glyph
		for i, r := range []rune(c.text) {
			x := 300 + float32(i)*c.width
			glyphs = append(glyphs, glyph{r: r, box: layout.Box{X0: x, X1: x + 8}})
		}
		order(glyphs)
		var got []rune
		for _, g := range glyphs {
			got = append(got, g.r)
		}
		require.Equal(t, c.want, string(got), name)
	}
}

package document

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/jpeg"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/fault"
)

// testCache shares compiled code between tests and runs.
func testCache() string { return filepath.Join(os.TempDir(), "clausemill-test-wasm") }

func testEngine(tb testing.TB) *pdfEngine {
	tb.Helper()
	return &pdfEngine{cacheDir: testCache()}
}

// pdfPage is a page to build a PDF of.
type pdfPage struct {
	attributes string // of the page's dictionary, such as /Rotate 90
	content    string // its content stream; the font is /F0, the image /I0
	image      []byte // a JPEG
	font       string // the dictionary of /F0; Helvetica if empty
}

// line places a line of text.
func line(x, y float64, text string) string {
	text = strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`).Replace(text)
	return fmt.Sprintf("BT /F0 12 Tf %g %g Td (%s) Tj ET\n", x, y, text)
}

// buildPDF writes a plain PDF of pages that are US Letter unless they say
// otherwise.
func buildPDF(pages ...pdfPage) []byte {
	var b bytes.Buffer
	var offsets []int
	object := func(body string) int {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", len(offsets), body)
		return len(offsets)
	}
	stream := func(dict string, data []byte) int {
		return object(fmt.Sprintf("<<%s /Length %d>>\nstream\n%s\nendstream", dict, len(data), data))
	}
	b.WriteString("%PDF-1.7\n")
	object("<</Type /Catalog /Pages 2 0 R>>")
	tree := object("") // replaced by its place in the table below
	var kids strings.Builder
	for _, p := range pages {
		resources := "/Font <</F0 " + p.font + ">>"
		if p.font == "" {
			resources = "/Font <</F0 <</Type /Font /Subtype /Type1 /BaseFont /Helvetica>>>>"
		}
		if p.image != nil {
			config, err := jpeg.DecodeConfig(bytes.NewReader(p.image))
			if err != nil {
				panic(err)
			}
			id := stream(fmt.Sprintf("/Type /XObject /Subtype /Image /Width %d /Height %d /BitsPerComponent 8 /ColorSpace /DeviceGray /Filter /DCTDecode",
				config.Width, config.Height), p.image)
			resources += fmt.Sprintf(" /XObject <</I0 %d 0 R>>", id)
		}
		contents := stream("", []byte(p.content))
		attributes := p.attributes
		if !strings.Contains(attributes, "/MediaBox") {
			attributes += " /MediaBox [0 0 612 792]"
		}
		page := object(fmt.Sprintf("<</Type /Page /Parent 2 0 R %s /Resources <<%s>> /Contents %d 0 R>>", attributes, resources, contents))
		fmt.Fprintf(&kids, "%d 0 R ", page)
	}
	offsets[tree-1] = b.Len()
	fmt.Fprintf(&b, "2 0 obj\n<</Type /Pages /Kids [%s] /Count %d>>\nendobj\n", kids.String(), len(pages))
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, at := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d /Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, start)
	return b.Bytes()
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

const fullPageImage = "q 612 0 0 792 0 0 cm /I0 Do Q\n"

// paragraph sets text in lines of 12 points from y downwards.
func paragraph(y float64, text string, mode int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d Tr\n", mode)
	words := strings.Fields(text)
	for len(words) > 0 {
		n := min(len(words), 9)
		b.WriteString(line(72, y, strings.Join(words[:n], " ")))
		words, y = words[n:], y-14
	}
	return b.String()
}

func tempFile(tb testing.TB, name string, data []byte) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), name)
	require.NoError(tb, os.WriteFile(path, data, 0o600))
	return path
}

func readPDF(tb testing.TB, data []byte) []Page {
	tb.Helper()
	var pages []Page
	extractAll(tb, testEngine(tb), tempFile(tb, "a.pdf", data), func(p Page) {
		checkPage(tb, p)
		pages = append(pages, p)
	})
	return pages
}

func TestPDFText(t *testing.T) {
	t.Parallel()
	pages := readPDF(t, buildPDF(
		pdfPage{content: line(72, 700, "1. First clause of the") + line(72, 686, "agreement.") + line(72, 640, "2. Second clause.")},
		pdfPage{},
	))
	require.Len(t, pages, 2)
	first := pages[0]
	require.Equal(t, "1. First clause of the\nagreement.\n\n2. Second clause.\n", first.Text)
	require.Equal(t, 1, first.Number)
	require.Equal(t, []float32{612, 792}, []float32{first.Width, first.Height})
	require.False(t, first.NeedsOCR)
	require.Equal(t, ReasonGood, first.Reason)
	require.Len(t, first.Words, 9)
	agreement := first.Words[5].Box
	require.InDelta(t, 72, agreement.X0, 1)
	require.InDelta(t, 792-686, agreement.Y1, 4, "the baseline is 106 points from the top")
	require.Greater(t, first.Words[6].Box.Y0, agreement.Y1)
	require.Equal(t, ReasonBlank, pages[1].Reason)
	require.False(t, pages[1].NeedsOCR)
}

func TestPDFTurnedAndCropped(t *testing.T) {
	t.Parallel()
	content := line(100, 700, "Corner")
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
		pages := readPDF(t, buildPDF(pdfPage{attributes: test.attributes, content: content}))
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
	pages := readPDF(t, buildPDF(pdfPage{
		font:    `<</Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding <</Type /Encoding /Differences [1 /fi /fl /bullet /eacute]>>>>`,
		content: line(72, 700, "\x01nal \x02ow caf\x04 long-") + line(72, 686, "term \x03 end"),
	}))
	require.Equal(t, "final flow café long-\nterm • end\n", pages[0].Text)
}

func TestPDFGate(t *testing.T) {
	t.Parallel()
	clause := clauses["English"]
	secret := garbles[2].f(nil, clause)
	picture := scan(t, 1275, 1650)
	pages := readPDF(t, buildPDF(
		pdfPage{content: fullPageImage, image: picture},
		pdfPage{content: fullPageImage + line(40, 20, "Envelope 1234-5678"), image: picture},
		pdfPage{content: fullPageImage + paragraph(700, clause, 3), image: picture},
		pdfPage{content: fullPageImage + paragraph(700, secret, 3), image: picture},
		pdfPage{content: paragraph(700, secret, 0)},
		pdfPage{content: "q 100 0 0 50 72 700 cm /I0 Do Q\n" + paragraph(600, clause, 0), image: picture},
		pdfPage{content: "1 1 1 rg 0 0 612 792 re f"},
		pdfPage{content: "100 100 m 200 300 l 300 100 l b"},
		pdfPage{content: "0 0 612 792 re W n"},
	))
	var reasons []Reason
	for _, p := range pages {
		reasons = append(reasons, p.Reason)
	}
	require.Equal(t, []Reason{
		ReasonNoText, ReasonImage, ReasonGood, ReasonImplausible, ReasonImplausible, ReasonGood,
		ReasonBlank, ReasonNoText, ReasonBlank,
	}, reasons)
	require.InDelta(t, 1, pages[0].ImageArea, 0.01)
	require.InDelta(t, 5000.0/612/792, pages[5].ImageArea, 0.001)
	require.Greater(t, pages[2].TextArea, float32(0.02))
}

func encrypt(tb testing.TB, data []byte, user string) []byte {
	tb.Helper()
	api.DisableConfigDir()
	config := model.NewAESConfiguration(user, "owner", 256)
	var out bytes.Buffer
	require.NoError(tb, api.Encrypt(bytes.NewReader(data), &out, config))
	return out.Bytes()
}

func TestPDFFaults(t *testing.T) {
	t.Parallel()
	whole := buildPDF(pdfPage{content: line(72, 700, "Text")})
	empty := bytes.Replace(buildPDF(), []byte("/Count 1"), []byte("/Count 0"), 1)
	for name, test := range map[string]struct {
		data   []byte
		limits func(*Limits)
		want   fault.Code
	}{
		"Protected": {data: encrypt(t, whole, "secret"), want: fault.PasswordProtected},
		"Garbage":   {data: []byte("%PDF-1.7\nnothing of the kind"), want: fault.CorruptFile},
		"Truncated": {data: whole[:60], want: fault.CorruptFile},
		"NoPages":   {data: empty, want: fault.EmptyFile},
		"NoBytes":   {data: nil, want: fault.EmptyFile},
		"TooMany": {
			data:   buildPDF(pdfPage{}, pdfPage{}, pdfPage{}),
			limits: func(l *Limits) { l.MaxPages = 2 }, want: fault.TooManyPages,
		},
	} {
		limits := DefaultLimits()
		if test.limits != nil {
			test.limits(&limits)
		}
		_, err := testEngine(t).open(t.Context(), tempFile(t, "a.pdf", test.data), limits)
		require.Error(t, err, name)
		require.Equal(t, test.want, fault.CodeOf(err), "%s: %v", name, err)
		require.True(t, fault.Permanent(err), name)
	}
}

func TestPDFOpensWithOwnerPassword(t *testing.T) {
	t.Parallel()
	pages := readPDF(t, encrypt(t, buildPDF(pdfPage{content: line(72, 700, "Readable by all")}), ""))
	require.Equal(t, "Readable by all\n", pages[0].Text)
}

func TestPDFWithDamagedTable(t *testing.T) {
	t.Parallel()
	data := buildPDF(pdfPage{content: line(72, 700, "Still here")})
	pages := readPDF(t, data[:bytes.LastIndex(data, []byte("xref"))])
	require.Equal(t, "Still here\n", pages[0].Text)
}

func TestPDFRender(t *testing.T) {
	t.Parallel()
	data := buildPDF(
		pdfPage{content: line(72, 700, "Text"), attributes: "/Rotate 90"},
		pdfPage{content: fullPageImage, image: scan(t, 1700, 2200)},                                                                // 200 dpi
		pdfPage{content: fullPageImage, image: scan(t, 612, 792)},                                                                  // 72 dpi
		pdfPage{content: "q 14400 0 0 14400 0 0 cm /I0 Do Q", image: scan(t, 600, 600), attributes: "/MediaBox [0 0 14400 14400]"}, // 200 inches
	)
	engine := testEngine(t)
	limits := DefaultLimits()
	limits.MaxPixels = 10_000_000
	f, err := engine.open(t.Context(), tempFile(t, "a.pdf", data), limits)
	require.NoError(t, err)
	defer f.close()
	for i, want := range []struct {
		asked, dpi    float64
		width, height int
	}{
		{0, 300, 3300, 2550},
		{0, 200, 1700, 2200},
		{0, 150, 1275, 1650},
		{0, 15.81, 3162, 3162},
	} {
		img, err := f.render(t.Context(), i+1, want.asked, false)
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
	coarse, err := f.render(t.Context(), 1, 72, false)
	require.NoError(t, err)
	require.Equal(t, []int{792, 612}, []int{coarse.Width, coarse.Height})
	require.Equal(t, []float32{792, 612}, []float32{coarse.PageWidth, coarse.PageHeight})
	_, err = f.render(t.Context(), 5, 0, false)
	require.Equal(t, fault.NotFound, fault.KindOf(err))
}

// TestPDFTrapCostsOnePage fills the sandbox with pointers to nowhere between two
// pages, which costs the one that follows them.
func TestPDFTrapCostsOnePage(t *testing.T) {
	t.Parallel()
	engine := testEngine(t)
	path := tempFile(t, "a.pdf", buildPDF(pdfPage{content: line(72, 700, "One")}, pdfPage{content: line(72, 700, "Two")}, pdfPage{content: line(72, 700, "Three")}))
	opened, err := engine.open(t.Context(), path, DefaultLimits())
	require.NoError(t, err)
	defer opened.close()
	var texts []string
	var reasons []Reason
	require.NoError(t, opened.extract(t.Context(), 1, 3, func(p Page) error {
		texts, reasons = append(texts, p.Text), append(reasons, p.Reason)
		if p.Number == 1 {
			memory := engine.instance.memory
			require.True(t, memory.Write(0, bytes.Repeat([]byte{0xFF}, int(memory.Size()))))
		}
		return nil
	}))
	require.Equal(t, []string{"One\n", "", "Three\n"}, texts)
	require.Equal(t, []Reason{ReasonGood, ReasonUnreadable, ReasonGood}, reasons)
}

func TestPDFStopsWithItsContext(t *testing.T) {
	t.Parallel()
	f, err := testEngine(t).open(t.Context(), tempFile(t, "a.pdf", buildPDF(pdfPage{}, pdfPage{})), DefaultLimits())
	require.NoError(t, err)
	defer f.close()
	ctx, cancel := context.WithCancel(t.Context())
	err = f.extract(ctx, 1, 2, func(Page) error {
		cancel()
		return nil
	})
	require.ErrorIs(t, err, context.Canceled)
}

// FuzzPDF damages a PDF and expects an error or pages that keep their promises.
func FuzzPDF(f *testing.F) {
	f.Add(buildPDF(pdfPage{content: line(72, 700, "Text of a clause")}, pdfPage{attributes: "/Rotate 90"}))
	f.Add(buildPDF(pdfPage{content: fullPageImage, image: scan(f, 60, 80)}))
	f.Add(buildPDF(pdfPage{content: "q 72 0 0 72 0 0 cm /I0 Do Q", image: scan(f, 200, 200), attributes: "/MediaBox [0 0 72 72]"}))
	engine := testEngine(f)
	limits := DefaultLimits()
	limits.MaxPages, limits.MaxPixels = 20, 250_000
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := engine.open(t.Context(), tempFile(t, "a.pdf", data), limits)
		if err != nil {
			require.True(t, fault.Permanent(err), err)
			return
		}
		defer file.close()
		err = file.extract(t.Context(), 1, file.pages(), func(p Page) error {
			checkPage(t, p)
			return nil
		})
		require.NoError(t, err)
		if img, err := file.render(t.Context(), 1, 50, len(data)%2 == 0); err == nil {
			require.LessOrEqual(t, img.Width*img.Height, limits.MaxPixels)
		} else {
			require.True(t, fault.Permanent(err), err)
		}
	})
}

// paper is a picture whose four corners differ.
func paper(tb testing.TB, width, height int) []byte {
	tb.Helper()
	m := image.NewGray(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			m.Pix[y*m.Stride+x] = 255
			if x < width/2 && y < height/8 {
				m.Pix[y*m.Stride+x] = 100
			}
			if x < width/8 && y < height/2 {
				m.Pix[y*m.Stride+x] = 0
			}
		}
	}
	var b bytes.Buffer
	require.NoError(tb, jpeg.Encode(&b, m, &jpeg.Options{Quality: 95}))
	return b.Bytes()
}

// TestPDFScan hands the JPEG over where it is all that a page shows, and draws
// every page whose picture it is not.
func TestPDFScan(t *testing.T) {
	t.Parallel()
	grey := paper(t, 1275, 1650)
	var colour, odd bytes.Buffer
	require.NoError(t, jpeg.Encode(&colour, image.NewYCbCr(image.Rect(0, 0, 1275, 1650), image.YCbCrSubsampleRatio420), nil))
	require.NoError(t, jpeg.Encode(&odd, image.NewGray(image.Rect(0, 0, 1275, 1450)), nil))
	const rotated = "/MediaBox [0 0 792 612] /Rotate 90"
	for name, test := range map[string]struct {
		page pdfPage
		edit [2]string // of the same length
		jpeg bool
	}{
		"Upright":        {page: pdfPage{content: fullPageImage}, jpeg: true},
		"Colour":         {page: pdfPage{content: fullPageImage, image: colour.Bytes()}, edit: [2]string{"/DeviceGray", "/DeviceRGB "}, jpeg: true},
		"TurnedBack":     {page: pdfPage{content: "q 0 612 -792 0 792 0 cm /I0 Do Q", attributes: rotated}, jpeg: true},
		"HiddenText":     {page: pdfPage{content: fullPageImage + "3 Tr " + line(72, 700, "What was read before")}, jpeg: true},
		"WholeClip":      {page: pdfPage{content: "q 0 0 612 792 re W n 612 0 0 792 0 0 cm /I0 Do Q"}, jpeg: true},
		"MovedBox":       {page: pdfPage{content: "q 612 0 0 792 50 -20 cm /I0 Do Q", attributes: "/MediaBox [50 -20 662 772]"}, jpeg: true},
		"PageTurned":     {page: pdfPage{content: fullPageImage, attributes: "/Rotate 90"}},
		"PageUpsideDown": {page: pdfPage{content: fullPageImage, attributes: "/Rotate 180"}},
		"Mirrored":       {page: pdfPage{content: "q -612 0 0 792 612 0 cm /I0 Do Q"}},
		"Flipped":        {page: pdfPage{content: "q 612 0 0 -792 0 792 cm /I0 Do Q"}},
		"Slanted":        {page: pdfPage{content: "q 612 20 -20 792 0 0 cm /I0 Do Q"}},
		"Cropped":        {page: pdfPage{content: fullPageImage, attributes: "/CropBox [10 10 602 782]"}},
		"Margins":        {page: pdfPage{content: "q 610 0 0 790 1 1 cm /I0 Do Q"}},
		"Stretched":      {page: pdfPage{content: fullPageImage, image: odd.Bytes()}},
		"Coarse":         {page: pdfPage{content: fullPageImage, image: paper(t, 850, 1100)}},
		"Clipped":        {page: pdfPage{content: "q 0 0 612 400 re W n 612 0 0 792 0 0 cm /I0 Do Q"}},
		"Stamped":        {page: pdfPage{content: fullPageImage + line(72, 72, "Stamp")}},
		"Twice":          {page: pdfPage{content: fullPageImage + fullPageImage}},
		"ColourSpace":    {page: pdfPage{content: fullPageImage}, edit: [2]string{"/DeviceGray", "/DeviceRGB "}},
		"Inverted":       {page: pdfPage{content: fullPageImage}, edit: [2]string{"/Type /XObject /Subtype", "/Decode [1 0] /Subtype "}},
		"Masked":         {page: pdfPage{content: fullPageImage}, edit: [2]string{"/Type /XObject /Subtype", "/Mask [0 250] /Subtype "}},
		"SoftMask":       {page: pdfPage{content: fullPageImage}, edit: [2]string{"/Type /XObject /Subtype", "/SMask 3 0 R  /Subtype "}},
		"Optional":       {page: pdfPage{content: fullPageImage}, edit: [2]string{"/Type /XObject /Subtype", "/OC <<>>      /Subtype "}},
		"Parameters":     {page: pdfPage{content: fullPageImage}, edit: [2]string{"/Type /XObject /Subtype /Image", "/DecodeParms<<>>/Subtype/Image"}},
		"Length":         {page: pdfPage{content: fullPageImage}, edit: [2]string{fmt.Sprint("/Length ", len(grey)), fmt.Sprint("/Length ", len(grey)-1)}},
		"PlainColours":   {page: pdfPage{content: fullPageImage, font: "<<>>>> /ColorSpace <</DefaultGray /DeviceGray"}},
		"Transparent":    {page: pdfPage{content: "/G0 gs " + fullPageImage, font: "<<>>>> /ExtGState <</G0 <</ca 0.5>>"}},
		"NoStructure":    {page: pdfPage{content: fullPageImage}, edit: [2]string{"startxref", "startzref"}},
		"Encrypted":      {page: pdfPage{content: fullPageImage}, edit: [2]string{"/Root 1 0 R>>", "/Root 1 0 R/Encrypt 9 0 R>>"}},
	} {
		if test.page.image == nil {
			test.page.image = grey
		}
		data := buildPDF(test.page)
		require.Contains(t, string(data), test.edit[0], name)
		if name != "Encrypted" { // which is said behind all places
			require.Len(t, test.edit[1], len(test.edit[0]), name)
		}
		data = bytes.Replace(data, []byte(test.edit[0]), []byte(test.edit[1]), 1)
		f, err := testEngine(t).open(t.Context(), tempFile(t, "a.pdf", data), DefaultLimits())
		require.NoError(t, err, name)
		img, err := f.render(t.Context(), 1, 300, true)
		require.NoError(t, err, name)
		require.Equal(t, test.jpeg, img.JPEG, name)
		if test.jpeg {
			require.Equal(t, test.page.image, img.Bytes, name)
			require.InDelta(t, 150, img.DPI, 0.01, name)
		}
		drawn, err := f.render(t.Context(), 1, 300, false)
		require.NoError(t, err, name)
		require.True(t, bytes.HasPrefix(drawn.Bytes, []byte("P5")), name)
		require.Equal(t, []float32{drawn.PageWidth, drawn.PageHeight}, []float32{img.PageWidth, img.PageHeight}, name)
		if test.jpeg {
			require.Equal(t, []int{drawn.Width, drawn.Height}, []int{img.Width, img.Height}, name)
		}
		require.NoError(t, f.close())
	}
}

// TestPDFScansAreTakenOut compares pages composed from their images with the
// same pages drawn.
func TestPDFScansAreTakenOut(t *testing.T) {
	t.Parallel()
	image := paper(t, 400, 500)
	for name, test := range map[string]struct {
		content, attributes string
		scan                bool
	}{
		"Upright":        {fullPageImage, "", true},
		"PageTurned":     {fullPageImage, "/Rotate 90", true},
		"PageUpsideDown": {fullPageImage, "/Rotate 180", true},
		"PageTurnedBack": {fullPageImage, "/Rotate 270", true},
		"Mirrored":       {"q -612 0 0 792 612 0 cm /I0 Do Q", "", true},
		"UpsideDown":     {"q -612 0 0 -792 612 792 cm /I0 Do Q", "", true},
		"Flipped":        {"q 612 0 0 -792 0 792 cm /I0 Do Q", "", true},
		"Turned":         {"q 0 792 -612 0 612 0 cm /I0 Do Q", "", true},
		"TurnedBack":     {"q 0 -792 612 0 0 792 cm /I0 Do Q", "", true},
		"Diagonal":       {"q 0 792 612 0 0 0 cm /I0 Do Q", "", true},
		"AntiDiagonal":   {"q 0 -792 -612 0 612 792 cm /I0 Do Q", "/Rotate 90", true},
		"Margins":        {"q 580 0 0 760 20 12 cm /I0 Do Q", "", true},
		"Strips":         {"q 612 0 0 396 0 0 cm /I0 Do Q q 612 0 0 396 0 396 cm /I0 Do Q", "/Rotate 270", true},
		"Cropped":        {fullPageImage, "/CropBox [10 10 602 782]", true},
		"FarBeyond":      {"q 1600 0 0 1600 -300 -300 cm /I0 Do Q", "", false},
		"Slanted":        {"q 612 20 -20 792 0 0 cm /I0 Do Q", "", false},
		"Stamped":        {fullPageImage + line(72, 72, "Stamp"), "", false},
		"Layered":        {fullPageImage + fullPageImage, "", false},
		"Small":          {"q 300 0 0 300 20 12 cm /I0 Do Q", "", false},
	} {
		f, err := testEngine(t).open(t.Context(), tempFile(t, "a.pdf", buildPDF(pdfPage{content: test.content, attributes: test.attributes, image: image})), DefaultLimits())
		require.NoError(t, err)
		d := f.(*pdfFile)
		page := d.p.call(d.p.loadPage, uint64(d.document), 0)
		v := d.p.view(page)
		scanned, ok := d.p.scan(page, v, d.p.content(page, v), 100, DefaultLimits().MaxPixels)
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
		require.NoError(t, f.close())
	}
}

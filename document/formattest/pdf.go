package formattest

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/stretchr/testify/require"
)

// Cache shares compiled code between tests and runs.
func Cache() string { return filepath.Join(os.TempDir(), "clausemill-test-wasm") }

// PDFPage is a page to build a PDF of.
type PDFPage struct {
	Attributes  string // of the page's dictionary, such as /Rotate 90
	Content     string // its content stream; the font is /F0, the image /I0
	Image       []byte // a JPEG
	Font        string // the dictionary of /F0; Helvetica if empty
	Meaningless bool   // the letters of /F0 mean nothing: it maps them to private characters

	// Appearances are contents of form XObjects, 200 by 20 points, in the same font.
	// Attributes refer to them as @0, @1, …
	Appearances []string

	// Fields are the dictionaries of the form's fields on the page, and of their
	// parents. They refer to each other as #0, #1, …
	Fields []string

	Form string // of the form's dictionary, such as /NeedAppearances true
}

// Line places a line of text.
func Line(x, y float64, text string) string {
	text = strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`).Replace(text)
	return fmt.Sprintf("BT /F0 12 Tf %g %g Td (%s) Tj ET\n", x, y, text)
}

// PDF writes a plain PDF of pages that are US Letter unless they say
// otherwise.
func PDF(pages ...PDFPage) []byte {
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
	filled := slices.ContainsFunc(pages, func(p PDFPage) bool { return p.Fields != nil })
	if filled {
		object("<</Type /Catalog /Pages 2 0 R /AcroForm 3 0 R>>")
	} else {
		object("<</Type /Catalog /Pages 2 0 R>>")
	}
	tree := object("") // replaced by its place in the table below
	if filled {
		object("") // likewise
	}
	var kids, fields, form strings.Builder
	for _, p := range pages {
		resources := "/Font <</F0 " + p.Font + ">>"
		if p.Font == "" {
			resources = "/Font <</F0 <</Type /Font /Subtype /Type1 /BaseFont /Helvetica>>>>"
		}
		if p.Meaningless {
			resources = fmt.Sprintf("/Font <</F0 <</Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode %d 0 R>>>>", stream("", []byte(meaningless)))
		}
		if p.Image != nil {
			config, err := jpeg.DecodeConfig(bytes.NewReader(p.Image))
			if err != nil {
				panic(err)
			}
			id := stream(fmt.Sprintf("/Type /XObject /Subtype /Image /Width %d /Height %d /BitsPerComponent 8 /ColorSpace /DeviceGray /Filter /DCTDecode",
				config.Width, config.Height), p.Image)
			resources += fmt.Sprintf(" /XObject <</I0 %d 0 R>>", id)
		}
		contents := stream("", []byte(p.Content))
		var places []string
		for i, content := range p.Appearances {
			id := stream("/Type /XObject /Subtype /Form /BBox [0 0 200 20] /Resources <<"+resources+">>", []byte(content))
			places = append([]string{fmt.Sprintf("@%d", i), fmt.Sprintf("%d 0 R", id)}, places...) // @10 before @1
		}
		attributes := strings.NewReplacer(places...).Replace(p.Attributes)
		if p.Fields != nil {
			var ids []string
			for i := range p.Fields {
				ids = append(ids, fmt.Sprintf("#%d", i), fmt.Sprintf("%d 0 R", len(offsets)+1+i))
			}
			refer := strings.NewReplacer(append(ids, places...)...)
			var annotations strings.Builder
			for _, field := range p.Fields {
				fmt.Fprintf(&annotations, "%d 0 R ", object(refer.Replace(field)))
			}
			attributes += " /Annots [" + annotations.String() + "]"
			fields.WriteString(annotations.String())
			form.WriteString(p.Form)
		}
		if !strings.Contains(attributes, "/MediaBox") {
			attributes += " /MediaBox [0 0 612 792]"
		}
		page := object(fmt.Sprintf("<</Type /Page /Parent 2 0 R %s /Resources <<%s>> /Contents %d 0 R>>", attributes, resources, contents))
		fmt.Fprintf(&kids, "%d 0 R ", page)
	}
	if filled {
		offsets[tree] = b.Len()
		fmt.Fprintf(&b, "3 0 obj\n<</Fields [%s] %s>>\nendobj\n", fields.String(), form.String())
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

// meaningless maps all letters to characters of private use.
const meaningless = `/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /M def /CMapType 2 def
1 begincodespacerange <00> <FF> endcodespacerange
1 beginbfrange <20> <7E> <E020> endbfrange
endcmap CMapName currentdict /CMap defineresource pop end end`

// FullPageImage draws /I0 over a page of US Letter.
const FullPageImage = "q 612 0 0 792 0 0 cm /I0 Do Q\n"

// Encrypt protects a PDF by an owner's password, and by that of a user or "".
func Encrypt(tb testing.TB, data []byte, user string) []byte {
	tb.Helper()
	api.DisableConfigDir()
	config := model.NewAESConfiguration(user, "owner", 256)
	var out bytes.Buffer
	require.NoError(tb, api.Encrypt(bytes.NewReader(data), &out, config))
	return out.Bytes()
}

// Paper is a picture whose four corners differ.
func Paper(tb testing.TB, width, height int) []byte {
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

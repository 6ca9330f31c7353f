package e2e_test

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// The words of the fixtures: every file has different ones, so that none is a
// duplicate of another.
var (
	parties  = []string{"Tenant", "Landlord", "Supplier", "Customer", "Licensor", "Licensee", "Agent", "Borrower", "Lender", "Contractor"}
	duties   = []string{"pay the rent", "repair the roof", "deliver the goods", "insure the premises", "keep the books", "return the documents", "grant a licence", "provide the service"}
	moments  = []string{"within thirty days", "on the first of May", "before the end of the term", "at the date of closing", "after written notice", "every quarter"}
	excepted = []string{"unless both parties agree", "except in an emergency", "at its own expense", "without further notice", "as set out in the schedule", "for the sum of 1,200 dollars"}
)

// clauses are n sentences that follow from a seed.
func clauses(seed uint64, n int) []string {
	rng := rand.New(rand.NewPCG(seed, 0))
	pick := func(from []string) string { return from[rng.IntN(len(from))] }
	lines := make([]string, n)
	for i := range lines {
		lines[i] = fmt.Sprintf("The %s shall %s %s, %s.", pick(parties), pick(duties), pick(moments), pick(excepted))
	}
	lines[0] = fmt.Sprintf("Agreement number %d of the %s.", 1000+seed, pick(parties))
	return lines
}

// scanDPI and the size of a scanned page: half a letter, which is read in a
// second.
const (
	scanDPI    = 200
	scanWidth  = 8 * scanDPI
	scanHeight = 4 * scanDPI
	linesAPage = 8
)

// scan draws lines as a scanner sees them.
func scan(t testing.TB, lines []string) *image.Gray {
	t.Helper()
	regular, err := opentype.Parse(goregular.TTF)
	require.NoError(t, err)
	face, err := opentype.NewFace(regular, &opentype.FaceOptions{Size: 12, DPI: scanDPI})
	require.NoError(t, err)
	defer face.Close()
	page := image.NewGray(image.Rect(0, 0, scanWidth, scanHeight))
	draw.Draw(page, page.Rect, image.White, image.Point{}, draw.Src)
	pen := font.Drawer{Dst: page, Src: image.NewUniform(color.Gray{20}), Face: face}
	for i, line := range lines {
		pen.Dot = fixed.P(scanDPI/2, scanDPI/2+i*scanDPI/3)
		pen.DrawString(line)
	}
	return page
}

func encodePNG(t testing.TB, m image.Image) []byte {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, png.Encode(&out, m))
	return out.Bytes()
}

func encodeJPEG(t testing.TB, m image.Image) []byte {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, jpeg.Encode(&out, m, &jpeg.Options{Quality: 80}))
	return out.Bytes()
}

// encodeTIFF writes pictures as the pages of one file, one strip each, not
// packed.
func encodeTIFF(pages ...*image.Gray) []byte {
	out := []byte("II*\x00")
	link := len(out) // where the offset of the next directory belongs
	out = append(out, 0, 0, 0, 0)
	for _, page := range pages {
		strip := len(out)
		out = append(out, page.Pix...)
		binary.LittleEndian.PutUint32(out[link:], uint32(len(out)))
		entries := [][3]uint32{ // tag, type (3 is SHORT, 4 is LONG), value
			{256, 4, uint32(page.Rect.Dx())}, {257, 4, uint32(page.Rect.Dy())}, {258, 3, 8}, {259, 3, 1}, {262, 3, 1},
			{273, 4, uint32(strip)}, {277, 3, 1}, {278, 4, uint32(page.Rect.Dy())}, {279, 4, uint32(len(page.Pix))},
		}
		out = binary.LittleEndian.AppendUint16(out, uint16(len(entries)))
		for _, e := range entries {
			out = binary.LittleEndian.AppendUint16(out, uint16(e[0]))
			out = binary.LittleEndian.AppendUint16(out, uint16(e[1]))
			out = binary.LittleEndian.AppendUint32(out, 1)
			out = binary.LittleEndian.AppendUint32(out, e[2])
		}
		link = len(out)
		out = append(out, 0, 0, 0, 0)
	}
	return out
}

// pdfPage is a page of a PDF: lines of text, or a picture.
type pdfPage struct {
	lines         []string
	jpeg          []byte
	width, height int // points; 0 for letter, or for the scan's own size
}

// encodePDF writes pages in the plainest form there is.
func encodePDF(pages ...pdfPage) []byte {
	var out bytes.Buffer
	out.WriteString("%PDF-1.4\n")
	var offsets []int
	object := func(format string, args ...any) {
		offsets = append(offsets, out.Len())
		fmt.Fprintf(&out, "%d 0 obj\n", len(offsets))
		fmt.Fprintf(&out, format, args...)
		out.WriteString("\nendobj\n")
	}
	const first, perPage = 4, 3 // the catalogue, the pages and the font come first
	var kids strings.Builder
	for i := range pages {
		fmt.Fprintf(&kids, "%d 0 R ", first+i*perPage)
	}
	object("<< /Type /Catalog /Pages 2 0 R >>")
	object("<< /Type /Pages /Count %d /Kids [%s] >>", len(pages), kids.String())
	object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
	for i, p := range pages {
		number := first + i*perPage
		var content bytes.Buffer
		if p.width == 0 {
			p.width, p.height = 612, 792
			if p.jpeg != nil {
				p.width, p.height = scanWidth*72/scanDPI, scanHeight*72/scanDPI
			}
		}
		if p.jpeg != nil {
			fmt.Fprintf(&content, "q %d 0 0 %d 0 0 cm /Im Do Q", p.width, p.height)
		}
		for j, line := range p.lines {
			escaped := strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`).Replace(line)
			fmt.Fprintf(&content, "BT /F 11 Tf 60 %d Td (%s) Tj ET\n", p.height-60-16*j, escaped)
		}
		object("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %d %d] /Contents %d 0 R /Resources << /Font << /F 3 0 R >> /XObject << /Im %d 0 R >> >> >>",
			p.width, p.height, number+1, number+2)
		object("<< /Length %d >>\nstream\n%s\nendstream", content.Len(), content.String())
		if p.jpeg == nil {
			object("null")
			continue
		}
		object("<< /Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /DCTDecode /Length %d >>\nstream\n%s\nendstream",
			scanWidth, scanHeight, len(p.jpeg), p.jpeg)
	}
	table := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, at := range offsets {
		fmt.Fprintf(&out, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&out, "trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, table)
	return out.Bytes()
}

// textPDF has n pages of text.
func textPDF(seed uint64, n int) []byte {
	pages := make([]pdfPage, n)
	for i := range pages {
		pages[i].lines = clauses(seed<<8+uint64(i), 30)
	}
	return encodePDF(pages...)
}

// scannedPDF has n pages that are pictures.
func scannedPDF(t testing.TB, seed uint64, n int) []byte {
	t.Helper()
	pages := make([]pdfPage, n)
	for i := range pages {
		pages[i].jpeg = encodeJPEG(t, scan(t, clauses(seed<<8+uint64(i), linesAPage)))
	}
	return encodePDF(pages...)
}

// entry is a file in an archive.
type entry struct {
	name    string
	content []byte
}

func encodeZIP(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, e := range entries {
		part, err := w.Create(e.name)
		require.NoError(t, err)
		_, err = part.Write(e.content)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return out.Bytes()
}

// encodeDOCX has a paragraph for each line.
func encodeDOCX(t testing.TB, prolog string, lines []string) []byte {
	t.Helper()
	var body strings.Builder
	for _, line := range lines {
		fmt.Fprintf(&body, "<w:p><w:r><w:t>%s</w:t></w:r></w:p>", line)
	}
	return encodeZIP(t,
		entry{"[Content_Types].xml", []byte(`<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` +
			`<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
			`<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`)},
		entry{"_rels/.rels", []byte(`<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` +
			`<Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`)},
		entry{"word/document.xml", []byte(`<?xml version="1.0"?>` + prolog +
			`<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>` + body.String() + `</w:body></w:document>`)},
	)
}

func encodeRTF(lines []string) []byte {
	return []byte(`{\rtf1\ansi\deff0{\fonttbl{\f0 Arial;}}\f0 ` + strings.Join(lines, `\par `) + `\par}`)
}

func encodeHTML(lines []string) []byte {
	return []byte("<!DOCTYPE html><html><head><title>Agreement</title></head><body><p>" + strings.Join(lines, "</p>\n<p>") + "</p></body></html>")
}

// encodeEML is a message with one attachment.
func encodeEML(lines []string, attached entry) []byte {
	return []byte("From: ada@example.com\r\nTo: bob@example.com\r\nSubject: " + lines[0] + "\r\nDate: Mon, 4 May 2026 10:00:00 +0000\r\n" +
		"MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=part\r\n\r\n" +
		"--part\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n" + strings.Join(lines, "\r\n") + "\r\n" +
		"--part\r\nContent-Type: application/octet-stream\r\nContent-Transfer-Encoding: base64\r\nContent-Disposition: attachment; filename=\"" + attached.name + "\"\r\n\r\n" +
		wrap(base64.StdEncoding.EncodeToString(attached.content)) + "\r\n--part--\r\n")
}

// wrap breaks base64 into lines as mails have them.
func wrap(text string) string {
	var out strings.Builder
	for len(text) > 76 {
		out.WriteString(text[:76] + "\r\n")
		text = text[76:]
	}
	return out.String() + text
}

// bigPNG claims a size that it does not have the bytes for.
func bigPNG(t testing.TB, width, height uint32) []byte {
	t.Helper()
	out := encodePNG(t, image.NewGray(image.Rect(0, 0, 8, 8)))
	const header = 8 + 4 + 4 // signature, length and name of the first chunk
	binary.BigEndian.PutUint32(out[header:], width)
	binary.BigEndian.PutUint32(out[header+4:], height)
	binary.BigEndian.PutUint32(out[header+13:], crc32.ChecksumIEEE(out[header-4:header+13]))
	return out
}

// entityBomb is a document type in which ten entities unfold a billion times.
func entityBomb() string {
	var out strings.Builder
	out.WriteString(`<!DOCTYPE bomb [<!ENTITY e0 "boom">`)
	for i := 1; i < 10; i++ {
		fmt.Fprintf(&out, `<!ENTITY e%d "%s">`, i, strings.Repeat(fmt.Sprintf("&e%d;", i-1), 10))
	}
	return out.String() + "]>"
}

package e2e_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
)

// mixed is an import as it comes from an office: rounds times every format, one
// archive among them and a few files that cannot be read.
func mixed(t testing.TB, rounds int) []upload {
	t.Helper()
	var all []upload
	seed := uint64(0)
	add := func(name string, content []byte) {
		all = append(all, upload{fmt.Sprintf("%03d-%s", len(all), name), content})
	}
	next := func() uint64 { seed++; return seed }
	page := func() []byte { return encodePNG(t, scan(t, clauses(next(), linesAPage))) }
	for range rounds {
		add("contract.pdf", textPDF(next(), 1))
		add("lease.pdf", textPDF(next(), 4))
		add("scan.pdf", scannedPDF(t, next(), 3))
		add("mixed.pdf", encodePDF(
			pdfPage{lines: clauses(next(), 30)},
			pdfPage{jpeg: encodeJPEG(t, scan(t, clauses(next(), linesAPage)))},
		))
		add("scan.png", page())
		add("photo.jpg", encodeJPEG(t, scan(t, clauses(next(), linesAPage))))
		add("fax.tiff", encodeTIFF(scan(t, clauses(next(), linesAPage)), scan(t, clauses(next(), linesAPage))))
		add("letter.docx", encodeDOCX(t, "", clauses(next(), 40)))
		add("old.rtf", encodeRTF(clauses(next(), 20)))
		add("web.html", encodeHTML(clauses(next(), 20)))
		add("note.txt", []byte(joined(clauses(next(), 10))))
		add("mail.eml", encodeEML(clauses(next(), 6), entry{"attached.pdf", textPDF(next(), 1)}))
		add("import.zip", encodeZIP(t,
			entry{"a/first.txt", []byte(joined(clauses(next(), 8)))},
			entry{"b/second.pdf", textPDF(next(), 2)},
			entry{"b/third.png", page()},
		))
	}
	add("cut.pdf", textPDF(next(), 3)[:700])
	add("prices.xlsx", encodeZIP(t, entry{"[Content_Types].xml", []byte("spreadsheetml.sheet")}))
	add("empty.pdf", textPDF(next(), 0))
	add("bomb.docx", encodeDOCX(t, entityBomb(), []string{"&e9;"}))
	add("huge.png", bigPNG(t, 60_000, 60_000))
	add("zeros.zip", encodeZIP(t, entry{"zeros.txt", make([]byte, 80<<20)}))
	add("copy-of-contract.pdf", slices.Clone(all[0].content))
	return all
}

func joined(lines []string) string {
	var out bytes.Buffer
	for _, line := range lines {
		out.WriteString(line + "\n")
	}
	return out.String()
}

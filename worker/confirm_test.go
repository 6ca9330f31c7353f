package worker_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
)

// typed is a PDF of one page with lines, whose characters mean what the CMap says, or
// what they show where that is empty.
func typed(lines []string, cmap string) []byte {
	var content strings.Builder
	for i, line := range lines {
		fmt.Fprintf(&content, "BT /F 14 Tf 72 %d Td (%s) Tj ET\n", 720-24*i, line)
	}
	meaning := ""
	if cmap != "" {
		meaning = "/ToUnicode 6 0 R"
	}
	return fmt.Appendf(nil, "%%PDF-1.7\n1 0 obj\n<</Type /Catalog /Pages 2 0 R>>\nendobj\n"+
		"2 0 obj\n<</Type /Pages /Kids [3 0 R] /Count 1>>\nendobj\n"+
		"3 0 obj\n<</Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources <</Font <</F 5 0 R>>>> /Contents 4 0 R>>\nendobj\n"+
		"4 0 obj\n<</Length %d>>\nstream\n%s\nendstream\nendobj\n"+
		"5 0 obj\n<</Type /Font /Subtype /Type1 /BaseFont /Helvetica %s>>\nendobj\n"+
		"6 0 obj\n<</Length %d>>\nstream\n%s\nendstream\nendobj\ntrailer\n<</Root 1 0 R>>\n",
		content.Len(), content.String(), meaning, len(cmap), cmap)
}

// TestUnusualTextIsKept has a page of codes, whose words look garbled: recognition
// reads the same, so the page keeps its own text. Where the characters of a page mean
// others than it shows, recognition reads other words, and these count.
func TestUnusualTextIsKept(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	m.start()
	read := func(name string, content []byte) (db.File, db.Page) {
		f := m.upload(name, content)
		m.wait(f.ID)
		pages, err := m.db.Pages(t.Context(), m.in, f.ID)
		require.NoError(t, err)
		return m.file(f.ID), pages[0]
	}
	codes := []string{"Grbflx Qwtzkr Vbnmcd", "Xsplrt Zmrkqw Tgbvfr", "Plkmnb Wrtzps Hjklgf", "Cvbnxy Dfghsk Rtzbwq", "Mkljhp Sdfgvb Bnmklz"}
	file, page := read("codes.pdf", typed(codes, ""))
	require.Equal(t, []string{"text_layer", "text_layer_confirmed"}, []string{page.Source, page.Reason})
	require.Contains(t, page.Text, "Grbflx Qwtzkr Vbnmcd\n")
	require.Zero(t, file.PagesOCR)
	m.restart(file.ID, db.FileOptions{OCR: "force"})
	require.Equal(t, 1, m.wait(file.ID).PagesOCR, "who forces recognition gets it")

	clauses := []string{"The Tenant shall pay the monthly rent.", "The Landlord shall repair the roof", "within thirty days after written notice.", "This Agreement is governed by English law."}
	shifted := "begincmap 1 begincodespacerange <00> <FF> endcodespacerange\n" +
		"4 beginbfrange <61> <76> <0065> <77> <7A> <0061> <41> <56> <0045> <57> <5A> <0041> endbfrange endcmap"
	file, page = read("garbled.pdf", typed(clauses, shifted))
	require.Equal(t, []string{"ocr", "implausible_words"}, []string{page.Source, page.Reason})
	require.Contains(t, page.Text, "The Tenant shall pay the monthly rent.")
	require.Contains(t, *page.LayerText, "Xli Xirerx wlepp")
	require.Equal(t, 1, file.PagesOCR)
}

package worker_test

import (
	"bytes"
	"fmt"
	"image"
	"image/draw"
	"image/jpeg"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/document"
	"github.com/clausemill/clausemill/document/formattest"
	"github.com/clausemill/clausemill/layout"
)

// scannedForm is a scan of a form with five lines, on which somebody filled in two fields, at
// the end of the second line and in the third, and wrote a note below the fourth. The page may
// be stored turned.
func scannedForm(t *testing.T, turned bool, lines, over []string) formattest.PDFPage {
	t.Helper()
	const dpi = 150
	regular, err := opentype.Parse(goregular.TTF)
	require.NoError(t, err)
	face, err := opentype.NewFace(regular, &opentype.FaceOptions{Size: 12, DPI: dpi})
	require.NoError(t, err)
	defer face.Close()
	paper := image.NewGray(image.Rect(0, 0, 17*dpi/2, 11*dpi))
	draw.Draw(paper, paper.Rect, image.White, image.Point{}, draw.Src)
	pen := font.Drawer{Dst: paper, Src: image.Black, Face: face}
	for i, line := range lines {
		y := []int{92, 132, 172, 212, 332}[i]
		pen.Dot = fixed.P(72*dpi/72, y*dpi/72)
		pen.DrawString(line)
	}
	var scan bytes.Buffer
	require.NoError(t, jpeg.Encode(&scan, paper, &jpeg.Options{Quality: 90}))

	page := formattest.PDFPage{Image: scan.Bytes(), Content: formattest.FullPageImage}
	at := func(kind string, x, y, number int, more string) string {
		rect := [4]int{x, y, x + 200, y + 20}
		if turned { // the page is stored lying on its side, and so is what stands on it
			rect = [4]int{792 - y - 20, x, 792 - y, x + 200}
		}
		return fmt.Sprintf("<</Type /Annot /Subtype /%s /F 4 /Rect [%d %d %d %d] /AP <</N @%d>> %s>>", kind, rect[0], rect[1], rect[2], rect[3], number, more)
	}
	page.Fields = []string{
		at("Widget", 250, 655, 0, "/FT /Tx /T (name)"),
		at("Widget", 255, 615, 1, "/FT /Tx /T (sum)"),
		at("FreeText", 72, 535, 2, ""),
	}
	for _, text := range over {
		appearance := formattest.Line(2, 5, text)
		if turned { // the engine stretches it from 200 by 20 points to 20 by 200
			appearance = "q 0 0.1 -10 0 200 0 cm " + appearance + "Q"
		}
		page.Appearances = append(page.Appearances, appearance)
	}
	if turned {
		page.Attributes = "/MediaBox [0 0 792 612] /Rotate 90"
		page.Content = "q 0 612 -792 0 792 0 cm /I0 Do Q\n"
	}
	return page
}

// TestFilledScan recognises scans on which somebody filled in fields, one of them turned: their
// values and a note are in its text as the file has them, once, and are what they are.
func TestFilledScan(t *testing.T) {
	t.Parallel()
	lease := []string{
		"RESIDENTIAL LEASE AGREEMENT", "The tenant of the premises is", "who pays the landlord rent of                       each month.",
		"The landlord shall repair the roof and the walls at its own cost.", "The parties have read this lease and agree to all of its terms.",
	}
	deposit := []string{
		"SCHEDULE OF DEPOSITS", "The keys are handed over to", "and the deposit amounts to                                in cash.",
		"Whoever loses a key pays for another one within two weeks.", "Nothing else is owed when the premises are handed over.",
	}
	m := newMill(t)
	m.start()
	f := m.upload("form.pdf", formattest.PDF(
		scannedForm(t, false, lease, []string{"Ilva Qvist", "1,250.00", "No pets, l0O% sure"}), scannedForm(t, true, deposit, []string{"Ole Brandt", "EUR 3,1OO", "Approved Q7"}),
	))
	m.wait(f.ID)
	m.lawful(f.ID)
	pages, err := m.db.PagesWithWords(t.Context(), m.in, f.ID, 1, 9)
	require.NoError(t, err)
	require.Len(t, pages, 2)
	require.Equal(t, lease[0]+"\n\n"+lease[1]+" Ilva Qvist\n\nwho pays the landlord rent of 1,250.00 each month.\n\n"+lease[3]+"\n\nNo pets, l0O% sure\n\n"+lease[4]+"\n", pages[0].Text)
	require.Equal(t, deposit[0]+"\n\n"+deposit[1]+" Ole Brandt\n\nand the deposit amounts to EUR 3,1OO in cash.\n\n"+deposit[3]+"\n\nApproved Q7\n\n"+deposit[4]+"\n", pages[1].Text)
	words := []string{
		"field Ilva, field Qvist, field 1,250.00, annotation No, annotation pets,, annotation l0O%, annotation sure",
		"field Ole, field Brandt, field EUR, field 3,1OO, annotation Approved, annotation Q7",
	}
	values := [][]string{{"name: Ilva Qvist", "sum: 1,250.00"}, {"name: Ole Brandt", "sum: EUR 3,1OO"}}
	for i, page := range pages {
		require.Equal(t, []string{"ocr", "image_without_text"}, []string{page.Source, page.Reason})
		read, err := layout.DecodeWords(page.Words)
		require.NoError(t, err)
		var over []string
		for _, w := range read {
			if w.Origin != layout.Content {
				over = append(over, w.Origin.String()+" "+string([]rune(page.Text)[w.Start:w.End]))
				require.EqualValues(t, 100, w.Confidence)
			}
		}
		require.Equal(t, words[i], strings.Join(over, ", "))
		require.Equal(t, values[i], listed(page.Fields, page.Text))
		require.Equal(t, layout.Box{X0: 250, Y0: 792 - 675, X1: 450, Y1: 792 - 655}, page.Fields[0].Box)
	}
	blocks, err := m.db.Blocks(t.Context(), m.in, f.ID, -1, 99)
	require.NoError(t, err)
	var inBlocks []db.Field
	for _, b := range blocks {
		inBlocks = append(inBlocks, b.Fields...)
	}
	require.Equal(t, slices.Concat(values...), listed(inBlocks, m.text(f.ID)))

	m.restart(f.ID, db.FileOptions{OCR: "force"})
	m.wait(f.ID)
	again, err := m.db.PagesWithWords(t.Context(), m.in, f.ID, 1, 9)
	require.NoError(t, err)
	require.Equal(t, []string{pages[0].Text, pages[1].Text}, []string{again[0].Text, again[1].Text})
	require.Equal(t, pages[1].Words, again[1].Words)
	require.Equal(t, pages[1].Fields, again[1].Fields)
}

// TestFilledScanWithoutMeaning recognises scans on which somebody filled in fields and wrote a
// note in a font that does not say what its letters mean, and ticked a box: the searchable PDF has all words of
// its text, and those once that the file has itself.
func TestFilledScanWithoutMeaning(t *testing.T) {
	t.Parallel()
	lease := []string{
		"RESIDENTIAL LEASE AGREEMENT", "The tenant of the premises is", "who pays the landlord rent of                                      each month.",
		"The landlord shall repair the roof and the walls at its own cost.", "The parties have read this lease and agree to all of its terms.",
	}
	m := newMill(t)
	m.start()
	garbled, plain := scannedForm(t, false, lease, []string{"Ilva Qvist", "1,250.00", "Subject to approval"}), scannedForm(t, false, lease, []string{"Ole Brandt", "3,100.00", "Seen"})
	garbled.Meaningless = true
	garbled.Appearances = append(garbled.Appearances, "1 w 2 2 m 14 14 l 2 14 m 14 2 l S\n")
	garbled.Fields = append(garbled.Fields, "<</Type /Annot /Subtype /Widget /F 4 /Rect [40 575 56 591] /FT /Btn /T (pets) /V /Yes /AS /Yes /AP <</N <</Yes @3>>>>>>")
	data := formattest.PDF(garbled, plain)
	f := m.upload("form.pdf", data)
	m.wait(f.ID)
	m.lawful(f.ID)
	rows, err := m.db.PagesWithWords(t.Context(), m.in, f.ID, 1, 9)
	require.NoError(t, err)
	require.Len(t, rows, 2)
	var layers []layout.Page
	for _, row := range rows {
		require.Equal(t, "ocr", row.Source)
		page, err := row.Layout()
		require.NoError(t, err)
		layers = append(layers, layout.Unwritten(page))
	}
	require.Equal(t, []string{"name: Ilva Qvist", "sum: 1,250.00", "pets: ☒"}, listed(rows[0].Fields, rows[0].Text))

	self, err := os.Executable()
	require.NoError(t, err)
	reader := document.NewReader(document.Config{Command: []string{self, "reader"}, Size: 1, CacheDir: os.TempDir(), Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(func() { require.NoError(t, reader.Close()) })
	output := filepath.Join(t.TempDir(), "searchable.pdf")
	require.NoError(t, reader.Searchable(t.Context(), formattest.TempFile(t, "form.pdf", data), document.PDF, layers, output))
	for _, row := range rows {
		formattest.RequireFound(t, output, layout.Page{Text: row.Text})
	}
	text, ok := formattest.Pdftotext(t, output)
	for word, times := range map[string]int{"Qvist": 1, "Brandt": 1, "approval": 1, "Seen": 1, "☒": 1, "RESIDENTIAL": 2} {
		require.True(t, !ok || strings.Count(text, word) == times, "%s in %q", word, text)
	}
}

// listed is fields with what they hold in a text.
func listed(fields []db.Field, text string) (all []string) {
	for _, f := range fields {
		all = append(all, f.Name+": "+string([]rune(text)[f.Start:f.End]))
	}
	return all
}

package sheet

import (
	"archive/zip"
	"bufio"
	"encoding/xml"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// mostRows is the limit of rows in a sheet. Further rows go to another sheet, below
// the same headings.
const mostRows = 1_048_576

const (
	office        = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	packages      = "http://schemas.openxmlformats.org/package/2006/"
	spreadsheetML = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
	sheetTypes    = "application/vnd.openxmlformats-officedocument.spreadsheetml."
)

// NewXLSX writes rows as a workbook. Text is text and never a formula.
func NewXLSX(w io.Writer) (Writer, error) {
	out := &xlsxWriter{archive: zip.NewWriter(w)}
	// They come first so that nobody takes the workbook for any other archive.
	for _, p := range []struct{ name, text string }{
		{"[Content_Types].xml", `<Types xmlns="` + packages + `content-types">` +
			`<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
			`<Default Extension="xml" ContentType="` + sheetTypes + `worksheet+xml"/>` +
			`<Override PartName="/xl/workbook.xml" ContentType="` + sheetTypes + `sheet.main+xml"/></Types>`},
		{"_rels/.rels", `<Relationships xmlns="` + packages + `relationships">` +
			`<Relationship Id="rId1" Type="` + office + `/officeDocument" Target="xl/workbook.xml"/></Relationships>`},
	} {
		if err := out.part(p.name, p.text); err != nil {
			return nil, err
		}
	}
	return out, out.begin()
}

type xlsxWriter struct {
	archive  *zip.Writer
	sheet    *bufio.Writer
	sheets   int
	rows     int // of the sheet
	headings []any
}

// part writes a whole part.
func (w *xlsxWriter) part(name, text string) error {
	part, err := w.archive.Create(name)
	if err == nil {
		_, err = io.WriteString(part, xml.Header+text)
	}
	return err
}

// begin begins a sheet.
func (w *xlsxWriter) begin() error {
	w.sheets++
	w.rows = 0
	part, err := w.archive.Create("xl/worksheets/sheet" + strconv.Itoa(w.sheets) + ".xml")
	if err != nil {
		return err
	}
	w.sheet = bufio.NewWriter(part)
	_, err = w.sheet.WriteString(xml.Header + `<worksheet xmlns="` + spreadsheetML + `"><sheetData>`)
	return err
}

// end ends a sheet.
func (w *xlsxWriter) end() error {
	w.sheet.WriteString(`</sheetData></worksheet>`)
	return w.sheet.Flush()
}

func (w *xlsxWriter) Row(cells ...any) error {
	if w.headings == nil {
		w.headings = cells
	}
	if w.rows == mostRows {
		if err := w.end(); err != nil {
			return err
		}
		if err := w.begin(); err != nil {
			return err
		}
		if err := w.row(w.headings); err != nil {
			return err
		}
	}
	return w.row(cells)
}

// row writes a row. The writer of the sheet keeps the first error, and gives it
// to the last write.
func (w *xlsxWriter) row(cells []any) error {
	w.rows++
	w.sheet.WriteString(`<row r="` + strconv.Itoa(w.rows) + `">`)
	for _, c := range cells {
		text, number := cell(c)
		switch {
		case text == "":
			w.sheet.WriteString(`<c/>`)
		case number:
			w.sheet.WriteString(`<c><v>` + text + `</v></c>`)
		default:
			w.sheet.WriteString(`<c t="inlineStr"><is><t xml:space="preserve">`)
			if err := xml.EscapeText(w.sheet, []byte(verbatim(fit(clean(text))))); err != nil {
				return err
			}
			w.sheet.WriteString(`</t></is></c>`)
		}
	}
	_, err := w.sheet.WriteString(`</row>`)
	return err
}

func (w *xlsxWriter) Close() error {
	if err := w.end(); err != nil {
		return err
	}
	var sheets, links strings.Builder
	for i := range w.sheets {
		number, name := strconv.Itoa(i+1), "Export"
		if i > 0 {
			name += " " + number
		}
		sheets.WriteString(`<sheet name="` + name + `" sheetId="` + number + `" r:id="rId` + number + `"/>`)
		links.WriteString(`<Relationship Id="rId` + number + `" Type="` + office + `/worksheet" Target="worksheets/sheet` + number + `.xml"/>`)
	}
	if err := w.part("xl/workbook.xml", `<workbook xmlns="`+spreadsheetML+`" xmlns:r="`+office+`"><sheets>`+sheets.String()+`</sheets></workbook>`); err != nil {
		return err
	}
	if err := w.part("xl/_rels/workbook.xml.rels", `<Relationships xmlns="`+packages+`relationships">`+links.String()+`</Relationships>`); err != nil {
		return err
	}
	return w.archive.Close()
}

// escape begins with what spreadsheets read as a character by its number: one of
// four digits, and in LibreOffice of fewer.
var escape = regexp.MustCompile(`^_x[0-9A-Fa-f]{1,4}_`)

// verbatim is text in which nothing is read as an escape.
func verbatim(text string) string {
	if !strings.Contains(text, "_x") {
		return text
	}
	var b strings.Builder
	for i, r := range text {
		if r == '_' && escape.MatchString(text[i:]) {
			b.WriteString("_x005F")
		}
		b.WriteRune(r)
	}
	return b.String()
}

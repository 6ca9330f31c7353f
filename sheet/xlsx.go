package sheet

import (
	"archive/zip"
	"bufio"
	"encoding/xml"
	"errors"
	"io"
	"strconv"
)

// The parts of a workbook beside its one sheet.
var parts = []struct{ name, text string }{
	{"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` +
		`<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
		`<Default Extension="xml" ContentType="application/xml"/>` +
		`<Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>` +
		`<Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>`},
	{"_rels/.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` +
		`<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>`},
	{"xl/workbook.xml", `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">` +
		`<sheets><sheet name="Export" sheetId="1" r:id="rId1"/></sheets></workbook>`},
	{"xl/_rels/workbook.xml.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` +
		`<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`},
}

const sheetStart = `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>`

// errFull is the answer to a row more than a sheet has room for.
var errFull = errors.New("a sheet has no room for more rows")

// NewXLSX writes rows as a workbook with one sheet. Text is text and never a
// formula.
func NewXLSX(w io.Writer) (Writer, error) {
	archive := zip.NewWriter(w)
	for _, p := range parts {
		part, err := archive.Create(p.name)
		if err != nil {
			return nil, err
		}
		if _, err := io.WriteString(part, xml.Header+p.text); err != nil {
			return nil, err
		}
	}
	part, err := archive.Create("xl/worksheets/sheet1.xml")
	if err != nil {
		return nil, err
	}
	out := &xlsxWriter{archive: archive, sheet: bufio.NewWriter(part)}
	_, err = out.sheet.WriteString(xml.Header + sheetStart)
	return out, err
}

type xlsxWriter struct {
	archive *zip.Writer
	sheet   *bufio.Writer
	rows    int
}

// Row writes a row. The writer keeps the first error, and gives it to the last
// write.
func (w *xlsxWriter) Row(cells ...any) error {
	if w.rows++; w.rows > MaxRows {
		return errFull
	}
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
			if err := xml.EscapeText(w.sheet, []byte(clean(text))); err != nil {
				return err
			}
			w.sheet.WriteString(`</t></is></c>`)
		}
	}
	_, err := w.sheet.WriteString(`</row>`)
	return err
}

func (w *xlsxWriter) Close() error {
	w.sheet.WriteString(`</sheetData></worksheet>`)
	if err := w.sheet.Flush(); err != nil {
		return err
	}
	return w.archive.Close()
}

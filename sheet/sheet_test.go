package sheet_test

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/sheet"
)

// hostile are cells that a spreadsheet could carry out, or not hold.
var hostile = []any{
	"=1+1", "+49 30", "-5", "@SUM(A1)", "\t=1", " =1", "＝1", "a, \"b\"\r\nc", "<b>&amp;", "a\x00b\x01\ufffe", "é", strings.Repeat("x", 40_000), strings.Repeat("😀", 20_000), strings.Repeat("=", 40_000), "",
}

func TestCSV(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	w, err := sheet.NewCSV(&out)
	require.NoError(t, err)
	require.NoError(t, w.Row(hostile...))
	score, none, never := float32(0.5), (*string)(nil), (*time.Time)(nil)
	require.NoError(t, w.Row(never, -5, 1.25, json.Number("150.50"), true, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), nil, none, &score, int64(7)))
	require.NoError(t, w.Close())
	text, ok := strings.CutPrefix(out.String(), "\ufeff")
	require.True(t, ok)
	reader := csv.NewReader(strings.NewReader(text))
	reader.FieldsPerRecord = -1
	rows, err := reader.ReadAll()
	require.NoError(t, err)
	require.Equal(t, []string{
		"'=1+1", "'+49 30", "'-5", "'@SUM(A1)", "'\t=1", "' =1", "'＝1", "a, \"b\"\nc", "<b>&amp;", "ab", "é", strings.Repeat("x", 32_767), strings.Repeat("😀", 16_383), "'" + strings.Repeat("=", 32_766), "",
	}, rows[0])
	require.Equal(t, []string{"", "-5", "1.25", "150.50", "true", "2026-01-02T03:04:05Z", "", "", "0.5", "7"}, rows[1])
}

// cells are the texts of the cells of a workbook by row, and which are numbers.
func cells(t *testing.T, workbook []byte) (rows [][]string, numbers int) {
	t.Helper()
	archive, err := zip.NewReader(bytes.NewReader(workbook), int64(len(workbook)))
	require.NoError(t, err)
	require.Len(t, archive.File, 5)
	for _, f := range archive.File {
		part, err := f.Open()
		require.NoError(t, err)
		text, err := io.ReadAll(part)
		require.NoError(t, err)
		var document struct {
			Rows []struct {
				Cells []struct {
					Value string `xml:"v"`
					Text  string `xml:"is>t"`
					F     string `xml:"f"`
				} `xml:"c"`
			} `xml:"sheetData>row"`
		}
		require.NoError(t, xml.Unmarshal(text, &document), f.Name)
		for _, r := range document.Rows {
			var row []string
			for _, c := range r.Cells {
				require.Empty(t, c.F)
				if c.Value != "" {
					numbers++
				}
				row = append(row, c.Value+c.Text)
			}
			rows = append(rows, row)
		}
	}
	return rows, numbers
}

func TestXLSX(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	w, err := sheet.NewXLSX(&out)
	require.NoError(t, err)
	require.NoError(t, w.Row(hostile...))
	require.NoError(t, w.Row(-5, json.Number("150.50"), "5", nil, true))
	require.NoError(t, w.Close())
	rows, numbers := cells(t, out.Bytes())
	require.Equal(t, []string{"=1+1", "+49 30", "-5", "@SUM(A1)", "\t=1", " =1", "＝1", "a, \"b\"\nc", "<b>&amp;", "ab", "é", strings.Repeat("x", 32_767), strings.Repeat("😀", 16_383), strings.Repeat("=", 32_767), ""}, rows[0])
	require.Equal(t, []string{"-5", "150.50", "5", "", "true"}, rows[1])
	require.Equal(t, 2, numbers)
}

func TestEscapesInCells(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	w, err := sheet.NewXLSX(&out)
	require.NoError(t, err)
	require.NoError(t, w.Row("Annex_x0041_", "_x000d__x000D_", "_x0041_x0042_", "x_y_xyzw_", "_x005F_", "_xA_x5f__x00041_"))
	require.NoError(t, w.Close())
	rows, _ := cells(t, out.Bytes())
	require.Equal(t, []string{"Annex_x005F_x0041_", "_x005F_x000d__x005F_x000D_", "_x005F_x0041_x005F_x0042_", "x_y_xyzw_", "_x005F_x005F_", "_x005F_xA_x005F_x5f__x00041_"}, rows[0])
}

func TestManyRows(t *testing.T) {
	t.Parallel()
	const room = 1_048_576
	var out bytes.Buffer
	w, err := sheet.NewXLSX(&out)
	require.NoError(t, err)
	require.NoError(t, w.Row("number"))
	for i := range room {
		require.NoError(t, w.Row(i))
	}
	require.NoError(t, w.Close())
	archive, err := zip.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	require.NoError(t, err)
	parts := map[string]string{}
	for _, f := range archive.File {
		part, err := f.Open()
		require.NoError(t, err)
		text, err := io.ReadAll(part)
		require.NoError(t, err)
		parts[f.Name] = string(text)
	}
	require.Equal(t, room, strings.Count(parts["xl/worksheets/sheet1.xml"], "<row "))
	require.Equal(t, 2, strings.Count(parts["xl/worksheets/sheet2.xml"], "<row "))
	require.Contains(t, parts["xl/worksheets/sheet2.xml"], ">number<")
	require.Contains(t, parts["xl/worksheets/sheet2.xml"], "<v>1048575</v>")
	require.Contains(t, parts["xl/workbook.xml"], `<sheet name="Export 2" sheetId="2" r:id="rId2"/>`)
	require.Contains(t, parts["xl/_rels/workbook.xml.rels"], `Id="rId2"`)
}

// full takes no more than so many bytes.
type full int

func (f *full) Write(p []byte) (int, error) {
	if *f -= full(len(p)); *f < 0 {
		return 0, errors.New("full")
	}
	return len(p), nil
}

func TestErrorsAreTold(t *testing.T) {
	t.Parallel()
	for _, make := range []func(io.Writer) (sheet.Writer, error){sheet.NewCSV, sheet.NewXLSX} {
		for _, room := range []full{0, 100, 5000} {
			w, err := make(&room)
			for range 5000 {
				if err == nil {
					err = w.Row("some text that takes room", strings.Repeat("x", 100))
				}
			}
			if err == nil {
				err = w.Close()
			}
			require.Error(t, err)
		}
	}
}

package sheet

import (
	"encoding/csv"
	"io"
	"strings"
)

// NewCSV writes rows as RFC 4180 has them, in UTF-8 with a mark by which
// spreadsheets know it. Text that a spreadsheet would take for a formula is
// preceded by an apostrophe.
func NewCSV(w io.Writer) (Writer, error) {
	if _, err := io.WriteString(w, "\ufeff"); err != nil {
		return nil, err
	}
	out := csv.NewWriter(w)
	out.UseCRLF = true
	return csvWriter{out}, nil
}

type csvWriter struct{ out *csv.Writer }

func (w csvWriter) Row(cells ...any) error {
	row := make([]string, len(cells))
	for i, c := range cells {
		text, number := cell(c)
		if !number {
			text = fit(harmless(clean(text)))
		}
		row[i] = text
	}
	return w.out.Write(row)
}

func (w csvWriter) Close() error {
	w.out.Flush()
	return w.out.Error()
}

// harmless is text that no spreadsheet carries out.
func harmless(text string) string {
	if strings.ContainsAny(firstOf(strings.TrimLeft(text, " ")), "=+-@\t\r\n＝＋－＠|%") {
		return "'" + text
	}
	return text
}

// firstOf is the first character of text.
func firstOf(text string) string {
	for _, r := range text {
		return string(r)
	}
	return ""
}

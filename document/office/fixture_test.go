package office

import (
	"fmt"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/document/format"
	"github.com/clausemill/clausemill/document/formattest"
	"github.com/clausemill/clausemill/document/sniff"
	"github.com/clausemill/clausemill/layout"
)

// wordPart wraps the content of a part of a Word document in its root element.
func wordPart(root, content string) string {
	return `<w:` + root + ` xmlns:w="` + wordNS + `">` + content + `</w:` + root + `>`
}

// read opens data as serving does, its format told by its bytes, and reads it.
func read(tb testing.TB, name string, data []byte, limits format.Limits) (format.Kind, []format.Page, error) {
	tb.Helper()
	path := formattest.TempFile(tb, "file", data)
	f, size, err := format.OpenFile(path)
	if err != nil {
		return "", nil, err
	}
	defer f.Close()
	kind, err := sniff.File(tb.Context(), f, size, name, limits)
	if err != nil {
		return "", nil, err
	}
	open := Opener(kind, "")
	require.NotNil(tb, open, kind)
	opened, err := open(tb.Context(), path, limits)
	if err != nil {
		return kind, nil, err
	}
	defer opened.Close()
	var pages []format.Page
	err = opened.Extract(tb.Context(), 1, format.AllPages, func(p format.Page) error {
		checkText(tb, p)
		pages = append(pages, p)
		return nil
	})
	return kind, pages, err
}

// readAll is read of a file without fault, of the format that it should be.
func readAll(tb testing.TB, kind format.Kind, name string, data []byte) []format.Page {
	tb.Helper()
	got, pages, err := read(tb, name, data, format.DefaultLimits())
	require.NoError(tb, err)
	require.Equal(tb, kind, got)
	return pages
}

// text joins pages as the canonical text of a file is joined.
func text(pages []format.Page) string {
	all := make([]string, len(pages))
	for i, p := range pages {
		all[i] = p.Text
	}
	return strings.Join(all, "\f")
}

// checkText asserts what every page without geometry promises.
func checkText(tb testing.TB, p format.Page) {
	tb.Helper()
	if p.NeedsOCR {
		require.Empty(tb, p.Text)
		return
	}
	characters, covered := []rune(p.Text), 0
	for _, w := range p.Words {
		require.Empty(tb, strings.TrimSpace(string(characters[covered:w.Start])), "characters outside words")
		require.False(tb, strings.ContainsFunc(string(characters[w.Start:w.End]), unicode.IsSpace))
		require.Less(tb, w.Start, w.End)
		covered = w.End
	}
	require.Empty(tb, strings.TrimSpace(string(characters[covered:])))
	require.NotContains(tb, p.Text, "\n\n\n")
	for _, r := range characters {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || format.NonCharacter(r)) {
			require.Failf(tb, "a character that is none", "%U", r)
		}
	}
	end := 0
	for _, q := range p.Paragraphs {
		require.LessOrEqual(tb, end, q.Start)
		require.Less(tb, q.Start, q.End)
		require.LessOrEqual(tb, q.End, len(characters))
		end = q.End
	}
	end = 0
	for _, e := range p.Emphasis {
		require.LessOrEqual(tb, end, e.Start)
		require.Less(tb, e.Start, e.End)
		require.LessOrEqual(tb, e.End, len(characters))
		require.True(tb, e.Bold || e.Italic || e.Underline)
		end = e.End
	}
}

// outline writes what is told of paragraphs, a line each.
func outline(pages []format.Page) string {
	var b strings.Builder
	for _, page := range pages {
		characters := []rune(page.Text)
		for _, p := range page.Paragraphs {
			if p.Table > 0 {
				fmt.Fprintf(&b, "%d.%d.%d ", p.Table, p.Row, p.Cell)
			}
			if p.Origin != layout.Content {
				b.WriteString(p.Origin.String() + " ")
			}
			b.WriteString(string(p.Kind))
			if level := max(p.Level, p.Depth); level > 0 {
				b.WriteByte(byte('0' + level))
			}
			b.WriteString(" " + strings.TrimSpace(p.Number+" "+string(characters[p.Start:p.End])) + "\n")
		}
	}
	return strings.TrimSpace(b.String())
}

package layout_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/clausemill/clausemill/layout"
)

func TestWordsRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		boxes, origins := rapid.Bool().Draw(t, "boxes"), rapid.Bool().Draw(t, "origins")
		var words []layout.Word
		end := 0
		for range rapid.IntRange(0, 50).Draw(t, "words") {
			w := layout.Word{Start: end + rapid.IntRange(0, 300).Draw(t, "gap"), Confidence: float32(rapid.IntRange(0, 100).Draw(t, "confidence"))}
			w.End = w.Start + rapid.IntRange(1, 40).Draw(t, "length")
			end = w.End
			if boxes {
				at := func(name string) float32 { return float32(rapid.IntRange(-100, 20_000).Draw(t, name)) / 10 }
				w.Box = layout.Box{X0: at("x0"), Y0: at("y0"), X1: at("x1"), Y1: at("y1")}
			}
			if origins {
				w.Origin = rapid.SampledFrom([]layout.Origin{layout.Content, layout.Field, layout.Annotation}).Draw(t, "origin")
			}
			words = append(words, w)
		}
		got, err := layout.DecodeWords(layout.EncodeWords(words))
		require.NoError(t, err)
		require.Equal(t, words, got)
	})
}

func FuzzDecodeWords(f *testing.F) {
	f.Add(layout.EncodeWords([]layout.Word{{Start: 1, End: 3, Box: layout.Box{X1: 9, Y1: 3}, Confidence: 96}}))
	f.Add([]byte{1, 1, 255, 255, 255, 255, 15})
	f.Add([]byte{1, 4, 0})
	f.Add([]byte{1, 2, 1, 0, 1, 96, 200})
	f.Fuzz(func(t *testing.T, b []byte) {
		words, err := layout.DecodeWords(b)
		if err != nil {
			return
		}
		for _, w := range words {
			require.LessOrEqual(t, w.Start, w.End)
			require.NotEqual(t, layout.Origin(200), w.Origin, "of a later release")
		}
	})
}

func TestHOCR(t *testing.T) {
	t.Parallel()
	page := layout.Page{Number: 2, Width: 612, Height: 792, Text: "This <Lease>\nis made", Words: []layout.Word{
		{Start: 0, End: 4, Box: layout.Box{X0: 10, Y0: 10, X1: 30, Y1: 20}, Confidence: 91},
		{Start: 5, End: 12, Box: layout.Box{X0: 35, Y0: 9, X1: 70, Y1: 20}, Confidence: 80},
		{Start: 13, End: 15, Box: layout.Box{X0: 10, Y0: 25, X1: 20, Y1: 35}, Confidence: 99},
		{Start: 16, End: 20, Box: layout.Box{X0: 25, Y0: 25, X1: 50, Y1: 35}, Confidence: 99},
	}}
	var out strings.Builder
	require.NoError(t, layout.WriteHOCR(&out, "A & B", func(yield func(layout.Page, error) bool) { yield(page, nil) }, 1))
	for _, want := range []string{
		`title="bbox 0 0 612 792; ppageno 1"`,
		`<span class="ocr_line" id="line_2_1" title="bbox 10 9 70 20">`,
		`title="bbox 35 9 70 20; x_wconf 80">&lt;Lease&gt;</span>`,
		`<title>A &amp; B</title>`,
	} {
		require.Contains(t, out.String(), want)
	}
	decoder := xml.NewDecoder(strings.NewReader(strings.TrimPrefix(out.String(), "<!DOCTYPE html>")))
	for {
		_, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
	}
	require.Len(t, layout.Lines(page), 2)
}

// A page is on its way before the next but one is asked for, and what was broken
// off has no end.
func TestHOCRIsWrittenAsItComes(t *testing.T) {
	t.Parallel()
	page := layout.Page{}
	for range 200 {
		start := len(page.Text)
		page.Text += "word\n"
		page.Words = append(page.Words, layout.Word{Start: start, End: start + 4})
	}
	broken := errors.New("no more pages")
	var out strings.Builder
	err := layout.WriteHOCR(&out, "", func(yield func(layout.Page, error) bool) {
		for page.Number = 1; page.Number <= 20; page.Number++ {
			if page.Number > 2 {
				require.Contains(t, out.String(), fmt.Sprintf("id=\"page_%d\"", page.Number-2))
			}
			if !yield(page, nil) {
				return
			}
		}
		yield(layout.Page{}, broken)
	}, 1)
	require.Equal(t, broken, err)
	require.NotContains(t, out.String(), "</html>")
}

func TestMeanConfidence(t *testing.T) {
	t.Parallel()
	require.Zero(t, layout.MeanConfidence(nil))
	require.InDelta(t, 70, layout.MeanConfidence([]float32{90, 50}), 1e-6)
}

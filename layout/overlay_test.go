package layout_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/clausemill/clausemill/layout"
)

// put is a word at a place, and what it is part of: seven points for each letter.
type put struct {
	x, y, height float32
	text         string
	origin       layout.Origin
}

// pageOf is a page of words. Those of one height from the top are a line, and more than 30
// points make a paragraph.
func pageOf(words ...put) layout.Page {
	page := layout.Page{Number: 1, Width: 612, Height: 792}
	at := 0
	for i, w := range words {
		if i > 0 {
			gap := " "
			if d := w.y - words[i-1].y; d > 30 {
				gap = "\n\n"
			} else if d != 0 {
				gap = "\n"
			}
			page.Text += gap
			at += len(gap)
		}
		n := len([]rune(w.text))
		page.Text += w.text
		page.Words = append(page.Words, layout.Word{
			Start: at, End: at + n, Origin: w.origin, Confidence: 80,
			Box: layout.Box{X0: w.x, Y0: w.y, X1: w.x + float32(7*n), Y1: w.y + w.height},
		})
		at += n
	}
	page.Text += "\n"
	return page
}

// spanOf is where a part of a page's text is.
func spanOf(t *testing.T, page layout.Page, text string) layout.Piece {
	t.Helper()
	at := strings.Index(page.Text, text)
	require.GreaterOrEqual(t, at, 0, text)
	start := len([]rune(page.Text[:at]))
	return layout.Piece{Start: start, End: start + len([]rune(text))}
}

// held is the texts of fields.
func held(page layout.Page, fields []layout.Piece) (values []string) {
	runes := []rune(page.Text)
	for _, f := range fields {
		values = append(values, string(runes[f.Start:f.End]))
	}
	return values
}

const (
	field = layout.Field
	note  = layout.Annotation
)

// TestOverlay has what was read of a form in all ways in which it may be read, and what the
// form says.
func TestOverlay(t *testing.T) {
	t.Parallel()
	jane := []put{{140, 98, 14, "Jane", field}, {175, 98, 14, "Doe", field}}
	for name, c := range map[string]struct {
		read, layer []put
		fields      []string
		want        string
	}{
		"Misread": {
			[]put{{72, 100, 10, "Tenant:", 0}, {140, 100, 10, "Jame", 0}, {175, 100, 10, "D0e", 0}, {300, 100, 10, "hereby", 0}, {72, 112, 10, "agrees", 0}},
			jane, []string{"Jane Doe"}, "Tenant: Jane Doe hereby\nagrees\n",
		},
		"NotRead": {
			[]put{{72, 100, 10, "Tenant:", 0}, {300, 100, 10, "hereby", 0}, {72, 112, 10, "agrees", 0}},
			jane, []string{"Jane Doe"}, "Tenant: Jane Doe hereby\nagrees\n",
		},
		"ReadInOneWord": {
			[]put{{86, 100, 10, "Tenant:Jane", 0}, {175, 100, 10, "Doe", 0}},
			[]put{{137, 98, 14, "Jane", field}, {175, 98, 14, "Doe", field}}, []string{"Jane Doe"}, "Tenant: Jane Doe\n",
		},
		"ReadWithShortCaption": {
			[]put{{119, 100, 10, "By:JaneDoe", 0}},
			jane, []string{"Jane Doe"}, "By: Jane Doe\n",
		},
		"Dotted": { // the line that somebody writes on goes on behind the value
			[]put{{72, 100, 10, "Tenant:", 0}, {140, 100, 10, "______", 0}, {220, 100, 10, "hereby", 0}},
			jane, []string{"Jane Doe"}, "Tenant: Jane Doe hereby\n",
		},
		"Alone": { // in a line of its own, at its place between the lines
			[]put{{72, 60, 10, "Above", 0}, {72, 100, 10, "agree", 0}, {72, 140, 10, "Below", 0}},
			[]put{{72, 78, 14, "Agreed", note}}, nil, "Above\nAgreed\n\nagree\n\nBelow\n",
		},
		"ReadAlone": { // in a line of its own, where it was read
			[]put{{72, 60, 10, "Left", 0}, {300, 100, 10, "Jane", 0}, {340, 100, 10, "Doe", 0}, {72, 140, 10, "Below", 0}},
			[]put{{300, 98, 14, "Jane", field}, {340, 98, 14, "Doe", field}}, []string{"Jane Doe"}, "Left\n\nJane Doe\n\nBelow\n",
		},
		"TwoFieldsInALine": {
			[]put{{72, 100, 10, "Tenant:", 0}, {230, 100, 10, "Date:", 0}, {280, 100, 10, "1", 0}, {294, 100, 10, "Mav", 0}},
			append(jane, put{280, 98, 14, "1", field}, put{294, 98, 14, "May", field}), []string{"Jane Doe", "1 May"}, "Tenant: Jane Doe Date: 1 May\n",
		},
		"SeveralLines": {
			[]put{{72, 100, 10, "Notes:", 0}, {140, 100, 10, "no", 0}, {140, 116, 10, "pefs", 0}, {72, 160, 10, "Signed", 0}},
			[]put{{140, 98, 14, "no", field}, {140, 114, 14, "pets", field}}, []string{"no\npets"}, "Notes:\n\nno\npets\n\nSigned\n",
		},
		"StampOverText": { // what it stands over is not its reading
			[]put{{72, 100, 8, "The", 0}, {100, 100, 8, "rent", 0}, {72, 114, 8, "is", 0}, {90, 114, 8, "due.", 0}, {72, 160, 8, "End", 0}},
			[]put{{72, 95, 40, "VOIDVOID", note}}, nil, "The rent\nis due.\n\nVOIDVOID\n\nEnd\n",
		},
		"StampOverTextRead": {
			[]put{{72, 100, 8, "The", 0}, {72, 114, 8, "rent", 0}, {72, 114.5, 30, "RECENED", 0}, {72, 160, 8, "End", 0}},
			[]put{{72, 95, 50, "RECEIVED", note}}, nil, "The\nrent\nRECEIVED\n\nEnd\n",
		},
		"Ticked": {
			[]put{{72, 100, 10, "X", 0}, {100, 100, 10, "Pets", 0}},
			[]put{{70, 98, 14, "☒", field}}, []string{"☒"}, "☒ Pets\n",
		},
		"Garbled": { // by a font whose letters have no meaning
			[]put{{72, 100, 10, "Tenant:", 0}, {140, 100, 10, "Jane", 0}},
			[]put{{140, 98, 14, "\ue001\ue002\ue003\ue004", field}}, []string{"\ue001\ue002\ue003\ue004"}, "Tenant: Jane\n",
		},
		"NothingRead": {nil, jane, []string{"Jane Doe"}, "Jane Doe\n"},
		"NoPlace":     {[]put{{72, 100, 10, "Content", 0}}, []put{{0, 0, 0, "", field}}, nil, "Content\n"},
	} {
		for quarters, turn := range turns {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				read, layer := pageOf(c.read...), pageOf(c.layer...)
				if quarters > 0 && len(c.read) == 0 {
					t.Skip("nothing tells how it is turned")
				}
				if quarters > 0 { // a line of two words tells it
					read = pageOf(append([]put{{72, 0, 10, "This", 0}, {120, 0, 10, "lease", 0}, {170, 0, 10, "is", 0}, {200, 0, 10, "made", 0}, {250, 0, 10, "by", 0}}, c.read...)...)
				}
				for _, page := range []layout.Page{read, layer} {
					for i := range page.Words {
						page.Words[i].Box = turn(page.Words[i].Box)
					}
				}
				var fields []layout.Piece
				for _, f := range c.fields {
					fields = append(fields, spanOf(t, layer, f))
				}
				page, placed := layout.Overlay(read, layer, fields)
				text := page.Text
				if quarters > 0 {
					_, text, _ = strings.Cut(page.Text, "This lease is made by")
					text = strings.TrimLeft(text, "\n")
				}
				require.Equal(t, c.want, text)
				if name == "Garbled" {
					require.Equal(t, []string{"Jane"}, held(page, placed))
				} else {
					require.Equal(t, c.fields, held(page, placed))
				}
				again, _ := layout.Overlay(read, layer, fields)
				require.Equal(t, page, again)
			})
		}
	}
}

// TestUnwritten keeps of a page what its file does not say in words: what was read, also of a
// value in a font without meaning, and a tick.
func TestUnwritten(t *testing.T) {
	t.Parallel()
	read := pageOf(put{72, 100, 10, "Tenant:", 0}, put{140, 100, 10, "Jane", 0}, put{72, 140, 10, "Rent:", 0}, put{140, 140, 10, "900", 0}, put{72, 180, 10, "X", 0}, put{100, 180, 10, "Pets", 0})
	layer := pageOf(put{140, 98, 14, "\ue001\ue002\ue003\ue004", field}, put{140, 138, 14, "900", field}, put{70, 178, 14, layout.Tick, field})
	for _, page := range []layout.Page{read, layer} {
		for i := range page.Words {
			page.Words[i].Confidence = 100
		}
	}
	page, _ := layout.Overlay(read, layer, nil)
	require.Equal(t, "Tenant: Jane\n\nRent: 900\n\n☒ Pets\n", page.Text)
	stored, err := layout.DecodeWords(layout.EncodeWords(page.Words))
	require.NoError(t, err)
	page.Words = stored
	var kept []string
	for _, w := range layout.Unwritten(page).Words {
		kept = append(kept, string([]rune(page.Text)[w.Start:w.End]))
	}
	require.Equal(t, []string{"Tenant:", "Jane", "Rent:", "☒", "Pets"}, kept)
}

// TestOverlayKeepsWords holds that any page remains one: its words are where its text is,
// all of the file are there with their boxes, and nothing is lost that was read elsewhere.
func TestOverlayKeepsWords(t *testing.T) {
	t.Parallel()
	words := func(origin layout.Origin) *rapid.Generator[[]put] {
		return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) put {
			return put{
				float32(rapid.IntRange(0, 500).Draw(t, "x")), float32(rapid.IntRange(0, 60).Draw(t, "y") * 12), float32(rapid.IntRange(2, 40).Draw(t, "height")),
				rapid.SampledFrom([]string{"a", "rent", "VOID", "___", "(é)"}).Draw(t, "text"), origin,
			}
		}), 1, 12)
	}
	rapid.Check(t, func(t *rapid.T) {
		read, layer := pageOf(words(layout.Content).Draw(t, "read")...), pageOf(words(rapid.SampledFrom([]layout.Origin{field, note}).Draw(t, "origin")).Draw(t, "layer")...)
		page, _ := layout.Overlay(read, layer, nil)
		runes := []rune(page.Text)
		boxes := map[layout.Box]int{}
		end, over := 0, 0
		for _, w := range page.Words {
			require.Empty(t, strings.TrimSpace(string(runes[end:w.Start])))
			require.NotContains(t, string(runes[w.Start:w.End]), " ")
			end = w.End
			boxes[w.Box]++
			if w.Origin != layout.Content {
				over++
			}
		}
		require.Equal(t, "\n", string(runes[end:]))
		require.Equal(t, len(layer.Words), over)
		for _, w := range layer.Words {
			require.Positive(t, boxes[w.Box])
		}
	})
}

package tesseract

import (
	"fmt"
	"image"
	"image/draw"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/ocr"
	"github.com/clausemill/clausemill/ocr/ocrtest"
)

// at is a line of a block with words of letters ten pixels wide, twenty high.
func at(block, x, y int, text string) line {
	l := line{block: block, paragraph: 1}
	for _, w := range strings.Fields(text) {
		next := x + 10*len(w)
		l.add(ocr.Reading{Text: w, Box: [4]float32{float32(x), float32(y), float32(next), float32(y + 20)}, Confidence: 90})
		x = next + 8
	}
	return l
}

func texts(lines []line) (texts []string) {
	for _, l := range lines {
		var words []string
		for _, w := range l.words {
			words = append(words, w.Text)
		}
		texts = append(texts, strings.Join(words, " "))
	}
	return texts
}

func TestArrange(t *testing.T) {
	t.Parallel()
	prose := func(block, x, y, n int, name string) (lines []line) {
		for i := range n {
			lines = append(lines, at(block, x, y+30*i, fmt.Sprintf("the %s runs on in %d", name, i)))
		}
		return lines
	}
	join := func(parts ...[]line) (all []line) {
		for _, p := range parts {
			all = append(all, p...)
		}
		return all
	}
	one := func(l line) []line { return []line{l} }
	row := func(y int, cells ...string) []line { // in columns of 300
		var l line
		for i, cell := range cells {
			for _, w := range at(1, 300*i, y, cell).words {
				l.add(w)
			}
		}
		l.block = 1
		return []line{l}
	}
	for _, tc := range []struct {
		name  string
		lines []line
		rules []image.Rectangle
		want  []string
	}{
		{
			"numbers of clauses go to their clauses",
			join(one(at(1, 0, 0, "1.")), one(at(1, 0, 60, "2.")), prose(2, 100, 0, 3, "text")),
			nil,
			[]string{"1. the text runs on in 0", "the text runs on in 1", "2. the text runs on in 2"},
		},
		{
			"a table is read by its rows",
			[]line{
				at(1, 0, 0, "Fee"), at(1, 0, 30, "Tax"), at(2, 300, 2, "one hundred"), at(2, 300, 32, "two hundred"),
				at(3, 600, 0, "5"), at(3, 600, 30, "6"),
			},
			nil,
			[]string{"Fee one hundred 5", "Tax two hundred 6"},
		},
		{
			"a heading before its table",
			[]line{at(1, 0, 40, "1"), at(1, 0, 70, "2"), at(2, 100, 40, "Definitions used here"), at(2, 100, 70, "Term"), at(3, 80, 0, "CONTENTS")},
			nil,
			[]string{"CONTENTS", "1 Definitions used here", "2 Term"},
		},
		{
			"lines of a tall block stand between those of another",
			[]line{at(1, 100, 30, "HEADING"), at(1, 100, 120, "PAGE"), at(2, 0, 0, "above the heading"), at(2, 0, 60, "and below it")},
			nil,
			[]string{"above the heading", "HEADING", "and below it", "PAGE"},
		},
		{
			"two blocks of one width stay apart",
			[]line{at(1, 0, 0, "ACME INC."), at(1, 0, 30, "By: Smith"), at(2, 200, 0, "BOLT LLC"), at(2, 200, 30, "By: Jones")},
			nil,
			[]string{"ACME INC.", "By: Smith", "BOLT LLC", "By: Jones"},
		},
		{
			"but not figures from what they are of",
			[]line{at(1, 0, 0, "Fees of users"), at(1, 0, 30, "Sum of these"), at(2, 300, 0, "$ 3,000 $ 40"), at(2, 300, 30, "$ 3,660 $ 50")},
			nil,
			[]string{"Fees of users $ 3,000 $ 40", "Sum of these $ 3,660 $ 50"},
		},
		{
			"nor rows of figures that are as long as text",
			join(prose(1, 0, 0, 5, "left"), []line{
				at(2, 400, 0, "$ 3,000 $ 1,980"), at(2, 400, 30, "$ 4,980 $ 6,000"), at(2, 400, 60, "$ 3,960 $ 18,000"), at(2, 400, 90, "$ 11,880 $ 29,880"), at(2, 400, 120, "$ 50,710 $ 382,630"),
			}),
			nil,
			[]string{
				"the left runs on in 0 $ 3,000 $ 1,980", "the left runs on in 1 $ 4,980 $ 6,000", "the left runs on in 2 $ 3,960 $ 18,000",
				"the left runs on in 3 $ 11,880 $ 29,880", "the left runs on in 4 $ 50,710 $ 382,630",
			},
		},
		{
			"and not the foot of the page",
			[]line{at(1, 0, 0, "ACME INC."), at(1, 0, 30, "By: Smith"), at(1, 0, 90, "Agreement"), at(2, 200, 0, "BOLT LLC"), at(2, 200, 30, "By: Jones"), at(2, 200, 90, "Page 1")},
			nil,
			[]string{"ACME INC.", "By: Smith", "BOLT LLC", "By: Jones", "Agreement Page 1"},
		},
		{
			"columns of text stay apart, three of them",
			join(prose(1, 0, 0, 4, "first"), prose(2, 400, 0, 4, "second"), prose(3, 800, 0, 4, "third")),
			nil,
			texts(join(prose(1, 0, 0, 4, "first"), prose(2, 400, 0, 4, "second"), prose(3, 800, 0, 4, "third"))),
		},
		{
			"lines above and below that go on over both are not cut",
			join(
				one(at(1, 0, 0, "the heading that stands above all of")), prose(1, 0, 30, 4, "left side of a page"), one(at(1, 0, 150, "the notice that stands below all of")),
				one(at(2, 360, 0, "both of these columns of text")), prose(2, 400, 30, 4, "right side of a page"), one(at(2, 350, 150, "both of the columns of this page")),
			),
			nil,
			slices.Concat(
				[]string{"the heading that stands above all of both of these columns of text"}, texts(prose(1, 0, 30, 4, "left side of a page")), texts(prose(2, 400, 30, 4, "right side of a page")),
				[]string{"the notice that stands below all of both of the columns of this page"}),
		},
		{
			"columns that were read across are parted",
			func() []line {
				lines := prose(1, 0, 0, 4, "left")
				for i, l := range prose(1, 400, 0, 4, "right") {
					for _, w := range l.words {
						lines[i].add(w)
					}
				}
				return append(lines, at(1, 0, 120, "and a line that goes on below both of these columns of text"))
			}(),
			nil,
			append(texts(join(prose(1, 0, 0, 4, "left"), prose(1, 0, 0, 4, "right"))), "and a line that goes on below both of these columns of text"),
		},
		{
			"but not the cells of a row",
			[]line{at(1, 0, 0, "By: Smith  "), func() line {
				l := at(1, 0, 30, "Name: Ann")
				for _, w := range at(1, 400, 30, "Name: Bob Jones").words {
					l.add(w)
				}
				return l
			}()},
			nil,
			[]string{"By: Smith", "Name: Ann Name: Bob Jones"},
		},
		{
			"text in cells, rows parted by white",
			join(
				row(0, "Level one", "the service stands still", "we answer it within an"), row(30, "", "for all of its users", "hour of the day"), row(60, "", "or most of them", ""),
				row(120, "Level two", "the service is so slow", "we answer it the next"), row(150, "", "that no one works", "day of work"),
			),
			nil,
			[]string{
				"Level one the service stands still", "for all of its users", "or most of them", "we answer it within an", "hour of the day",
				"Level two the service is so slow", "that no one works", "we answer it the next", "day of work",
			},
		},
		{
			"text in cells between rules, as many lines in each",
			join(row(0, "the service stands still", "we answer it within an"), row(30, "for all of its users", "hour of the day"), row(60, "it is only slow", "we fix it next year")),
			[]image.Rectangle{image.Rect(0, -10, 900, -8), image.Rect(0, 54, 900, 56), image.Rect(0, 85, 900, 87)},
			[]string{"the service stands still", "for all of its users", "we answer it within an", "hour of the day", "it is only slow we fix it next year"},
		},
		{
			"labels that run on beside figures",
			join(row(0, "fees of all users and", ""), row(30, "of others", "3,000", "1,980"), row(60, "sums of these and of", ""), row(90, "all others", "3,660", "2,880"), row(120, "taxes", "10", "20")),
			nil,
			[]string{"fees of all users and", "of others 3,000 1,980", "sums of these and of", "all others 3,660 2,880", "taxes 10 20"},
		},
		{
			"items in columns",
			join(row(0, "atkins", "minerals", "weights"), row(30, "calcium", "sulphur", "weight"), row(60, "echinacea", "natrol", "wellness"), row(90, "ginseng", "", "yoga"), row(120, "herbs", "", "")),
			nil,
			[]string{"atkins minerals weights", "calcium sulphur weight", "echinacea natrol wellness", "ginseng yoga", "herbs"},
		},
		{"nothing", nil, nil, nil},
	} {
		require.Equal(t, tc.want, texts(arrange(tc.lines, nil, tc.rules)), tc.name)
	}
	parted := paragraphs(arrange(append(prose(1, 0, 0, 4, "left"), prose(2, 400, 0, 4, "right")...), nil, nil))
	require.Len(t, parted, 2)

	stamp := []image.Rectangle{image.Rect(300, 10, 390, 100)}
	require.Equal(t, "the left runs on in 0 the right runs on in 0",
		texts(arrange(append(prose(1, 0, 0, 3, "left"), prose(2, 400, 0, 3, "right")...), stamp, nil))[0])
}

func TestInsert(t *testing.T) {
	t.Parallel()
	lines := func() []line { return []line{at(1, 0, 0, "first line"), at(1, 0, 60, "third")} }
	inserted := func(l line) []string { return texts(arrange(insert(lines(), l), nil, nil)) }
	require.Equal(t, []string{"first line goes on", "third"}, inserted(at(-1, 120, 2, "goes on")))
	require.Equal(t, []string{"a first line", "third"}, inserted(at(-1, -20, 2, "a")))
	require.Equal(t, []string{"first line", "second", "third"}, inserted(at(-1, 0, 30, "second")))
	require.Equal(t, []string{"first line", "third", "last"}, inserted(at(-1, 0, 90, "last")))
	require.Equal(t, []string{"first line 9", "third"}, inserted(at(-1, 400, 0, "9")))
	require.Equal(t, []string{"first line", "third"}, inserted(at(-1, 2, 1, "first line")), "known")
	unsure := at(-1, 0, 30, "second")
	unsure.words[0].Confidence = sureOfMissed - 1
	require.Equal(t, []string{"first line", "third"}, inserted(unsure))
}

func TestWithoutLeaders(t *testing.T) {
	t.Parallel()
	l := at(1, 0, 0, "Term eceececeee 5 of")
	letters := []image.Rectangle{bounds(l.words[0]), bounds(l.words[3])}
	require.Equal(t, []string{"Term 5 of"}, texts(withoutLeaders([]line{l, at(1, 0, 40, "seeee")}, letters)))
}

// A row of letters that no word covers is read alone, and neither what has a
// word nor dots, rules, frames and single marks.
func TestMissed(t *testing.T) {
	t.Parallel()
	img := image.NewGray(image.Rect(0, 0, 600, 400))
	for i := range img.Pix {
		img.Pix[i] = 255
	}
	ink := func(x0, y0, x1, y1 int) {
		draw.Draw(img, image.Rect(x0, y0, x1, y1), image.Black, image.Point{}, draw.Src)
	}
	letters := func(x, y, n int) {
		for i := range n {
			ink(x+12*i, y, x+12*i+8, y+12)
		}
	}
	letters(20, 20, 20)
	letters(20, 60, 20)
	letters(400, 20, 2) // a number in a column of its own
	letters(20, 200, 1)
	ink(20, 300, 500, 303) // a rule
	ink(300, 100, 500, 104)
	ink(300, 180, 500, 184)
	ink(300, 100, 304, 184)
	ink(496, 100, 500, 184)
	for x := 300; x < 400; x += 6 {
		ink(x, 70, x+2, 72)
	}
	page, black := scanned(t, img)
	all, _ := black.pieces()
	pieces := slices.DeleteFunc(all, func(b image.Rectangle) bool { return b.Dy() < 8 })
	read := line{}
	read.add(ocr.Reading{Text: "read", Box: [4]float32{20, 20, 260, 32}})
	missed := prepared{pix: page}.missed([]line{read}, pieces, 12)
	require.ElementsMatch(t, []image.Rectangle{image.Rect(14, 54, 262, 78), image.Rect(394, 14, 426, 38)}, missed)
	require.Len(t, prepared{pix: page}.missed(nil, pieces, 12), 2, "lines that follow each other are one block")
}

// scanned is a page with a picture, and what of it is black.
func scanned(t *testing.T, img *image.Gray) (page, black pix) {
	t.Helper()
	page, _, err := decode(ocrtest.EncodePGM(img), 0)
	require.NoError(t, err)
	t.Cleanup(page.close)
	black, err = page.binary()
	require.NoError(t, err)
	t.Cleanup(black.close)
	return page, black
}

// Level lines are found alone and in a frame, and not among letters that nearly touch.
func TestRules(t *testing.T) {
	t.Parallel()
	img := image.NewGray(image.Rect(0, 0, 600, 300))
	draw.Draw(img, img.Rect, image.White, image.Point{}, draw.Src)
	for _, r := range [][4]int{{20, 200, 500, 203}, {300, 100, 500, 104}, {300, 180, 500, 184}, {300, 100, 304, 184}, {496, 100, 500, 184}, {20, 240, 500, 270}} {
		draw.Draw(img, image.Rect(r[0], r[1], r[2], r[3]), image.Black, image.Point{}, draw.Src)
	}
	for x := 20; x < 260; x += 10 {
		draw.Draw(img, image.Rect(x, 20, x+9, 28), image.Black, image.Point{}, draw.Src)
	}
	_, black := scanned(t, img)
	rules, err := black.rules(72, 8)
	require.NoError(t, err)
	require.ElementsMatch(t, []image.Rectangle{image.Rect(20, 200, 500, 203), image.Rect(300, 100, 500, 104), image.Rect(300, 180, 500, 184)}, rules)
}

package ocrtest

import (
	"cmp"
	"context"
	"encoding/xml"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Kinds of layout, in the order in which pages are chosen.
const (
	Table    = "table"    // rows of three cells and more
	Prose    = "columns"  // text that runs down two columns
	Blocks   = "blocks"   // signatures, notices or addresses side by side
	Contents = "contents" // a table of contents
	Margin   = "margin"   // numbers of clauses hang in the margin
	Cover    = "cover"    // few words, most lines centred
	Set      = "set"      // running text set anew, in two columns or with addresses side by side
	Marked   = "marked"   // running text below a stamp and a signature
)

var kinds = []string{Table, Prose, Blocks, Contents, Margin, Cover, Set, Marked}

// Layout is a page whose words stand in more than one column, or not in lines
// of running text, and the orders in which they may be read.
type Layout struct {
	Page
	Kind  string
	steps []step
}

// Edits is the least number of edits that turn got into the page's text in any
// of the orders in which it may be read (see read), and the characters of that
// text. Leaders and blanks to fill in, three marks and more in a row, count as
// one space.
func (l Layout) Edits(got string) (n, length int) {
	text := plain(got)
	return edits(l.steps, begin(text), text)[len(text)], len(first(l.steps))
}

// Layouts chooses n pages of PDFs for their layout, as many of each kind as
// there are, and draws them. Up to two pages of a kind come from one file. The
// choice sees what the text layer says of a page and never how it is read.
func Layouts(ctx context.Context, files []string, n int, dpi float64) ([]Layout, error) {
	rng := rand.New(rand.NewPCG(1, 1))
	found := map[string][]candidate{}
	for _, file := range files {
		pages, err := words(ctx, file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Base(file), err)
		}
		rng.Shuffle(len(pages), func(i, j int) { pages[i], pages[j] = pages[j], pages[i] })
		taken := map[string]int{}
		for _, p := range pages {
			for _, kind := range p.kinds() {
				if taken[kind] < 2 {
					taken[kind]++
					found[kind] = append(found[kind], candidate{file, p})
				}
			}
		}
	}
	for _, kind := range kinds { // before the first is taken, so that each has its own order
		rng.Shuffle(len(found[kind]), func(i, j int) { found[kind][i], found[kind][j] = found[kind][j], found[kind][i] })
	}
	var out []Layout
	used := map[string]bool{}
	for more := true; more && len(out) < n; {
		more = false
		for _, kind := range kinds {
			for len(found[kind]) > 0 && len(out) < n {
				c := found[kind][0]
				found[kind] = found[kind][1:]
				if used[c.name()] {
					continue
				}
				layout, sound, err := c.draw(ctx, kind, dpi, uint64(len(out)))
				if err != nil {
					return nil, fmt.Errorf("%s: %w", c.name(), err)
				}
				if sound {
					used[c.name()], more = true, true
					out = append(out, layout)
					break
				}
			}
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("none of %d PDFs has a page to choose for its layout", len(files))
	}
	return out, nil
}

type candidate struct {
	file string
	page sheet
}

func (c candidate) name() string {
	return strings.TrimSuffix(filepath.Base(c.file), ".pdf") + "-" + strconv.Itoa(c.page.number)
}

// draw renders a page, and sets or marks it where its kind says so. It is not
// sound where the picture does not show the words of the text layer.
func (c candidate) draw(ctx context.Context, kind string, dpi float64, seed uint64) (Layout, bool, error) {
	number := strconv.Itoa(c.page.number)
	pgm, err := run(ctx, "pdftoppm", "-q", "-gray", "-r", strconv.FormatFloat(dpi, 'f', -1, 64), "-f", number, "-l", number, c.file)
	if err != nil {
		return Layout{}, false, err
	}
	img, err := DecodePGM(pgm)
	if err != nil {
		return Layout{}, false, err
	}
	page := c.page.scaled(dpi / 72)
	if !shows(img, page.words) {
		return Layout{}, false, nil
	}
	switch kind {
	case Set:
		img, page = set(img, page, seed)
	case Marked:
		mark(img, seed)
	}
	out := Layout{Page: Page{Name: c.name() + " " + kind, Image: img, DPI: dpi}, Kind: kind, steps: read(page.rows())}
	out.Text = string(first(out.steps))
	return out, true, nil
}

// A word of a page, with its box from the top left.
type word struct {
	X0   float64 `xml:"xMin,attr"`
	Y0   float64 `xml:"yMin,attr"`
	X1   float64 `xml:"xMax,attr"`
	Y1   float64 `xml:"yMax,attr"`
	Text string  `xml:",chardata"`
}

func (w word) height() float64 { return w.Y1 - w.Y0 }

// A sheet is the text layer of a page.
type sheet struct {
	number int
	words  []word
}

func words(ctx context.Context, file string) ([]sheet, error) {
	out, err := run(ctx, "pdftotext", "-q", "-bbox", file, "-")
	if err != nil {
		return nil, err
	}
	out = []byte(strings.Map(func(r rune) rune { // control characters, which XML does not have
		if r < ' ' && r != '\n' {
			return '\ufffd'
		}
		return r
	}, string(out)))
	var doc struct {
		Pages []struct {
			Words []word `xml:"word"`
		} `xml:"body>doc>page"`
	}
	decoder := xml.NewDecoder(strings.NewReader(string(out)))
	decoder.Entity, decoder.Strict = xml.HTMLEntity, false
	if err := decoder.Decode(&doc); err != nil {
		return nil, err
	}
	var pages []sheet
	for i, p := range doc.Pages {
		pages = append(pages, sheet{i + 1, p.Words})
	}
	return pages, nil
}

func (s sheet) scaled(by float64) sheet {
	s.words = slices.Clone(s.words)
	for i, w := range s.words {
		s.words[i] = word{w.X0 * by, w.Y0 * by, w.X1 * by, w.Y1 * by, w.Text}
	}
	return s
}

// A row is a line of text across the page, from left to right.
type row []word

// rows joins words whose middles are in the height of each other.
func (s sheet) rows() []row {
	sorted := slices.Clone(s.words)
	slices.SortStableFunc(sorted, func(a, b word) int { return cmp.Compare(a.Y0+a.Y1, b.Y0+b.Y1) })
	var rows []row
	for _, w := range sorted {
		if len(rows) > 0 {
			last := rows[len(rows)-1]
			if middle := (w.Y0 + w.Y1) / 2; middle < last.bottom()-last.height()/4 && (last[0].Y0+last[0].Y1)/2 > w.Y0 {
				rows[len(rows)-1] = append(last, w)
				continue
			}
		}
		rows = append(rows, row{w})
	}
	for _, r := range rows {
		slices.SortStableFunc(r, func(a, b word) int { return cmp.Compare(a.X0, b.X0) })
	}
	return rows
}

func (r row) top() float64 {
	return slices.MinFunc(r, func(a, b word) int { return cmp.Compare(a.Y0, b.Y0) }).Y0
}

func (r row) bottom() float64 {
	return slices.MaxFunc(r, func(a, b word) int { return cmp.Compare(a.Y1, b.Y1) }).Y1
}

// height is that of the median word.
func (r row) height() float64 {
	heights := make([]float64, len(r))
	for i, w := range r {
		heights[i] = w.height()
	}
	slices.Sort(heights)
	return heights[len(heights)/2]
}

func (r row) text() string {
	texts := make([]string, len(r))
	for i, w := range r {
		texts[i] = w.Text
	}
	return strings.Join(texts, " ")
}

// cells parts a row where it has a gap of the height of its letters, which
// justified text has not.
func (r row) cells() (cells []row) {
	gap := cellGap * r.height()
	for i, w := range r {
		if i == 0 || w.X0-r[i-1].X1 > gap {
			cells = append(cells, nil)
		}
		cells[len(cells)-1] = append(cells[len(cells)-1], w)
	}
	return cells
}

const cellGap = 1.2

package score

import (
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/clausemill/clausemill/nlp/learn"
)

// Line is one line of a Chart: its figures, from the left to the right.
type Line struct {
	Name    string
	Figures []learn.Interval
}

// Chart draws shares over a number that grows.
type Chart struct {
	Title, Below string
	Most         float64 // the share at the top
	At           []int
	Lines        []Line
}

// The places of a chart, in pixels.
const (
	chartWidth, chartHeight = 640, 400
	chartLeft, chartTop     = 60, 50
	plotWidth, plotHeight   = 460, 280
)

var chartColors = []string{"#1f6f54", "#8a5a00", "#374f8f", "#8f2d56"}

// SVG writes the chart. The numbers are as far from one another whatever they are, the
// shares go from 0 to the most, and intervals are vertical.
func (c Chart) SVG(w io.Writer) error {
	var b strings.Builder
	text := func(x, y float64, anchor, s string) {
		fmt.Fprintf(&b, `<text x="%.0f" y="%.0f" text-anchor="%s">`, x, y, anchor)
		_ = xml.EscapeText(&b, []byte(s)) // a builder takes everything
		b.WriteString("</text>\n")
	}
	x := func(i int) float64 { return chartLeft + plotWidth*float64(i)/float64(max(1, len(c.At)-1)) }
	y := func(share float64) float64 { return chartTop + plotHeight*(1-share/c.Most) }
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="13">`+"\n", chartWidth, chartHeight)
	text(chartLeft, chartTop-20, "start", c.Title)
	const steps = 5
	for step := range steps + 1 {
		share := c.Most * float64(step) / steps
		fmt.Fprintf(&b, `<path d="M%d %.1fh%d" stroke="#ccc"/>`+"\n", chartLeft, y(share), plotWidth)
		text(chartLeft-8, y(share)+4, "end", strconv.FormatFloat(share, 'g', 2, 64))
	}
	for i, at := range c.At {
		text(x(i), y(0)+20, "middle", strconv.Itoa(at))
	}
	text(chartLeft+plotWidth/2, y(0)+42, "middle", c.Below)
	for n, line := range c.Lines {
		color := chartColors[n%len(chartColors)]
		var points []string
		for i, f := range line.Figures {
			points = append(points, fmt.Sprintf("%.1f,%.1f", x(i), y(f.Value)))
			fmt.Fprintf(&b, `<path d="M%.1f %.1fV%.1f" stroke="%s" opacity=".4"/>`+"\n", x(i)+2*float64(n), y(f.Low), y(f.High), color)
		}
		fmt.Fprintf(&b, `<polyline points="%s" fill="none" stroke="%s" stroke-width="2"/>`+"\n", strings.Join(points, " "), color)
		if len(line.Figures) > 0 {
			text(x(len(line.Figures)-1)+10, y(line.Figures[len(line.Figures)-1].Value)+4, "start", line.Name)
		}
	}
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// TaughtChart draws how well labels are found that a team taught.
func TaughtChart(taught []Taught) Chart {
	c := comparison("F1 of labels that a team taught, on contracts that nobody decided about", 1, "Clausemill", "regression*")
	for _, t := range taught {
		c.add(t.Decisions, t.F1, t.Peer)
	}
	return c
}

// comparison begins a chart of two lines over decisions.
func comparison(title string, most float64, ours, other string) Chart {
	return Chart{Title: title, Below: "decisions", Most: most, Lines: []Line{{Name: ours}, {Name: other}}}
}

// add puts a figure at the right end of each line.
func (c *Chart) add(at int, figures ...learn.Interval) {
	c.At = append(c.At, at)
	for i, f := range figures {
		c.Lines[i].Figures = append(c.Lines[i].Figures, f)
	}
}

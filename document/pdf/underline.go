package pdf

import (
	"cmp"
	"encoding/binary"
	"slices"
	"sort"
	"strings"
	"unicode"

	"github.com/clausemill/clausemill/layout"
)

// PDFs have no underlined type: what underlines words is drawn as thin lines beneath them.
// So are the borders of tables, the lines that signatures go on and what separates
// footnotes. What tells underlining is that it stands close beneath words, begins and ends
// with them, and meets no line that goes up or down.

// Bounds of the lines of a page that are looked at. Drawings have thousands of them.
const (
	maxRules  = 4000
	thickRule = 3 // points

	maxRuleComparisons = 2_000_000 // with words, and with lines that they may meet
)

// rule keeps a path that may be a line. Most paths are, and a few calls for each are what
// their page costs at most.
func (p *pdfium) rule(c *content, v view, object uint64, place matrix) {
	if len(c.rules) >= maxRules || c.drawings > 4*maxRules {
		return
	}
	out := uint64(p.out)
	p.call(p.objectBounds, object, out, out+4, out+8, out+12)
	b := p.floats(4) // left, bottom, right, top
	box := v.place(place.bounds(b[0], b[1], b[2], b[3]))
	if across, down := box.X1-box.X0, box.Y1-box.Y0; !(min(across, down) <= thickRule) || !(max(across, down) < 1e5) {
		return
	}
	if p.inked(object) {
		c.rules = append(c.rules, box)
	}
}

// inked reports whether a path is drawn in a colour that shows on white.
func (p *pdfium) inked(object uint64) bool {
	out := uint64(p.out)
	if p.call(p.pathMode, object, out, out+4) == 0 {
		return false
	}
	mode, _ := p.memory.Read(p.out, 8)
	filled, stroked := binary.LittleEndian.Uint32(mode) != 0, binary.LittleEndian.Uint32(mode[4:]) != 0
	const lightest = 230
	shows := func(colour uint64) bool {
		rgba, _ := p.memory.Read(p.out, 16)
		at := func(i int) uint32 { return binary.LittleEndian.Uint32(rgba[4*i:]) }
		return colour == 0 || at(3) > 0 && min(at(0), at(1), at(2)) < lightest
	}
	return filled && shows(p.call(p.fillColour, object, out, out+4, out+8, out+12)) ||
		stroked && shows(p.call(p.strokeColour, object, out, out+4, out+8, out+12))
}

// How a line underlines words, in parts of the height of theirs where nothing else is said.
// Letters take up four fifths of it, and stand on a line a fifth above its lower edge.
const (
	aboveEdge = 0.32 // how far the line may be above the lower edge of the words
	belowEdge = 0.06 // and below
	beyond    = 0.3  // how far it may begin before the words
	behind    = 0.5  // and end after them, where a blank may be
	thickest  = 0.2  // strokes have boxes of twice their width
	widest    = 1.5  // the gap between two words that one line underlines
	touching  = 1.0  // points between two lines that meet
)

// underline finds the words of a page that are underlined.
func underline(lines [][]run, rules []layout.Box) {
	level, upright := sortRules(rules)
	if len(level) == 0 {
		return
	}
	left := maxRuleComparisons
	for _, line := range lines {
		first, last := line[0].box.Y1, line[0].box.Y1
		height := float32(0)
		for _, w := range line {
			first, last, height = min(first, w.box.Y1), max(last, w.box.Y1), max(height, w.box.Y1-w.box.Y0)
		}
		from := sort.Search(len(level), func(i int) bool { return level[i].Y1 >= first-aboveEdge*height })
		for _, rule := range level[from:] {
			if rule.Y0 > last+thickRule+belowEdge*height {
				break
			}
			if left -= len(line); left < 0 {
				return
			}
			if words := underlined(line, rule); len(words) > 0 && !meets(rule, upright, &left) {
				for _, i := range words {
					line[i].face.underlined = true
				}
			}
		}
	}
}

// sortRules are the level lines of a page from top to bottom, those in one that are drawn
// piece by piece, and the upright ones from left to right.
func sortRules(rules []layout.Box) (level, upright []layout.Box) {
	for _, r := range rules {
		if across, down := r.X1-r.X0, r.Y1-r.Y0; across > 2*down {
			level = append(level, r)
		} else if down > 2*across {
			upright = append(upright, r)
		}
	}
	slices.SortFunc(upright, func(a, b layout.Box) int { return cmp.Compare(a.X0, b.X0) })
	middle := func(b layout.Box) float32 { return (b.Y0 + b.Y1) / 2 }
	slices.SortFunc(level, func(a, b layout.Box) int { return cmp.Or(cmp.Compare(middle(a), middle(b)), cmp.Compare(a.X0, b.X0)) })
	joined := level[:0]
	for _, r := range level {
		if last := len(joined) - 1; last >= 0 {
			if l := joined[last]; middle(r)-middle(l) < 0.3 && r.X0 >= l.X0 && r.X0-l.X1 < touching {
				joined[last] = l.Union(r)
				continue
			}
		}
		joined = append(joined, r)
	}
	slices.SortFunc(joined, func(a, b layout.Box) int { return cmp.Compare(a.Y1, b.Y1) })
	return joined, upright
}

// underlined are the words of a line that a level line underlines, by their places, and none
// if it goes on where there are no words.
func underlined(line []run, rule layout.Box) (words []int) {
	y := (rule.Y0 + rule.Y1) / 2
	end := rule.X0 // how far there are words above
	var height float32
	for i, w := range line {
		height = w.box.Y1 - w.box.Y0
		across := min(w.box.X1, rule.X1) - max(w.box.X0, rule.X0)
		if across <= 0 {
			continue
		}
		if y < w.box.Y1-aboveEdge*height || y > w.box.Y1+belowEdge*height || rule.Y1-rule.Y0 > max(thickest*height, 1) {
			return nil
		}
		gap := w.box.X0 - end
		if len(words) == 0 && gap > beyond*height || gap > widest*height {
			return nil
		}
		end = max(end, w.box.X1)
		if across >= (w.box.X1-w.box.X0)/2 && strings.IndexFunc(w.text, isLetterOrDigit) >= 0 {
			words = append(words, i)
		}
	}
	if rule.X1-end > behind*height {
		return nil
	}
	return words
}

func isLetterOrDigit(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// meets reports whether a level line touches one of the upright ones, as those of tables do.
func meets(rule layout.Box, upright []layout.Box, left *int) bool {
	from := sort.Search(len(upright), func(i int) bool { return upright[i].X0 >= rule.X0-thickRule-touching })
	for _, u := range upright[from:] {
		if *left--; u.X0 > rule.X1+touching || *left < 0 {
			return false
		}
		if u.X1 >= rule.X0-touching && u.Y0 <= rule.Y1+touching && u.Y1 >= rule.Y0-touching {
			return true
		}
	}
	return false
}

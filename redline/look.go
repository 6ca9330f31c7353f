package redline

import (
	"strconv"
	"strings"

	"github.com/clausemill/clausemill/docx"
)

// format gives text that stays the formatting that it has in the other document, as
// far as changes can say it.
func (c *comparer) format(old, new *block) {
	c.partner(old, new)
	switch {
	case old.isTable():
		c.table(old, new)
		return
	case len(old.paragraphs) != 1 || len(new.paragraphs) != 1:
		return
	}
	p := old.paragraphs[0]
	if c.twins.are(p, new.paragraphs[0]) && c.number(c.trial.doc, p) == c.number(c.new, new.paragraphs[0]) {
		return
	}
	c.paragraph(p, new.paragraphs[0])
	was, is := c.looksOf(c.trial.doc, p), c.looksOf(c.new, new.paragraphs[0])
	style := new.paragraphs[0].Child("pPr", "pStyle").Attr("val")
	_, known := c.trial.doc.StyleCalled("paragraph", c.new.StyleName(style))
	known = known || style == ""
	at, offset := 0, 0
	for from, run := range sharedLooks(was, is) {
		offset += length(was.words.shown[at:from])
		at = from
		if known && was.looks[from].direct == is.looks[from+run.shift].direct {
			continue // a style differs: another one was given, or it is defined otherwise, which no change says
		}
		end := offset + length(was.words.shown[from:from+run.length])
		change := Change{Type: FormatText, Anchor: c.anchor(p, offset, end)}
		names := elements(run.was, run.is)
		change.Format = formatOf(run.was, run.is)
		for _, p := range change.Format.Settings().Set {
			delete(names, p.Name)
		}
		change.Settings = c.settings(docx.OfText, was.looks[from].rPr, is.looks[from+run.shift].rPr, names)
		if (!change.Format.IsZero() || !change.Settings.IsZero()) && c.add(change) && run.is.Hidden() != "" {
			c.hides = true
		}
	}
}

func (c *comparer) looksOf(d *docx.Document, p *docx.Paragraph) *portrait {
	words, _ := c.codes.reads(p)
	return &portrait{p: p, words: words, looks: c.looks.of(d, p, words)}
}

func length(shown []string) int { return len([]rune(strings.Join(shown, ""))) }

// formatOf is the change of format that makes one look into another, as far as there
// is one.
func formatOf(was, is docx.Look) (f docx.Format) {
	toggle := func(name string) *bool {
		if was[name] == is[name] {
			return nil
		}
		on := is[name] != ""
		return &on
	}
	f.Bold, f.Italic, f.Strike, f.Caps, f.Hidden = toggle("b"), toggle("i"), toggle("strike"), toggle("caps"), toggle("vanish")
	if was["u"] != is["u"] && (is["u"] == "" || is["u"] == "single") {
		f.Underline = toggle("u")
	}
	if color := is["color"]; was["color"] != color && (color == "" || len(color) == 6) {
		if color == "" {
			color = "auto"
		}
		f.Color = &color
	}
	if mark := is["highlight"]; was["highlight"] != mark && !strings.Contains(mark, " ") {
		if mark == "" {
			mark = "none"
		}
		f.Highlight = &mark
	}
	if was["sz"] != is["sz"] {
		size := 20
		if n, err := strconv.Atoi(is["sz"]); err == nil {
			size = n
		}
		f.Size = &size
	}
	return f
}

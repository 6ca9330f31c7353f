package sfdt

import (
	"bytes"
	"strings"

	"github.com/clausemill/clausemill/docx"
)

// drawing reads a w:drawing, w:pict or w:object: its pictures and the boxes of
// text in it.
func (w *storyWriter) drawing(e docx.Element) {
	place := w.place(e)
	for c := range e.Descendants() {
		switch c.Name() {
		case "a:blip":
			w.image(c, c.Attr("r:embed"), place)
		case "v:imagedata":
			w.image(c, c.Attr("r:id"), place)
		case "txbxContent":
			if shown(c, e) && c.Closest("txbxContent", "drawing", "pict", "object") == e {
				w.textBox(c, place)
			}
		}
	}
}

// shown reports whether no branch of an AlternateContent inside the drawing
// hides e.
func shown(e, within docx.Element) bool {
	for at := e.Parent(); at.Exists() && at != within; at = at.Parent() {
		if at.Is("mc:Fallback") && at.Parent().Child("mc:Choice").Exists() {
			return false
		}
	}
	return true
}

func (w *storyWriter) image(e docx.Element, id string, place Drawing) {
	target := w.relation(e, id)
	if target.Target == "" || target.External {
		return // what lies elsewhere is not fetched for a document
	}
	number, ok := w.picture(target.Target)
	if !ok {
		return
	}
	w.add(Inline{
		Image: &Image{Source: number, IsInline: place.TextWrappingStyle == "Inline"}, Drawing: &place,
		CharacterFormat: &CharacterFormat{},
	})
}

// textBox writes a box of text. The text of a box that hangs in a line stays
// there.
func (w *storyWriter) textBox(content docx.Element, place Drawing) {
	inner := &storyWriter{converter: w.converter, story: w.story, remarks: w.remarks}
	blocks := inner.all(content)
	if place.TextWrappingStyle == "Inline" {
		place.TextWrappingStyle = "TopAndBottom"
	}
	if place.Width < 1 || place.Height < 1 {
		place.Width, place.Height = 2*wordMargin, wordMargin
	}
	w.add(Inline{
		Shape: &Shape{
			ID: w.shapeID(), Type: "Rectangle", LineFormat: &LineFormat{Type: "None", Color: "#000000FF", LineStyle: "Solid"},
			FillFormat: &FillFormat{Color: "#FFFFFFFF"},
			TextFrame: &TextFrame{
				VerticalAlignment: "Top", LeftMargin: 7.2, RightMargin: 7.2, TopMargin: 3.6, BottomMargin: 3.6, Blocks: blocks,
			},
		},
		Drawing: &place, CharacterFormat: &CharacterFormat{},
	})
}

// place reads the position and the size of a drawing.
func (w *storyWriter) place(e docx.Element) Drawing {
	d := Drawing{
		WidthScale: 100, HeightScale: 100, Visible: true, TextWrappingStyle: "Inline", TextWrappingType: "Both",
		HorizontalOrigin: "Column", HorizontalAlignment: "None", VerticalOrigin: "Paragraph", VerticalAlignment: "None",
		AllowOverlap: true, LayoutInCell: true,
	}
	if inline := e.Child("wp:inline"); inline.Exists() {
		d.extent(inline)
		return d
	}
	if anchor := e.Child("wp:anchor"); anchor.Exists() {
		d.extent(anchor)
		d.anchor(anchor)
		return d
	}
	for c := range e.Descendants() {
		if c.Is("v:shape", "v:rect", "v:roundrect") {
			d.vector(c)
			break
		}
	}
	return d
}

func measure(e docx.Element, name string) float64 {
	n, _ := length(e.Attr(name), emus)
	return min(max(n, -longest), longest)
}

func (d *Drawing) extent(e docx.Element) {
	size := e.Child("wp:extent")
	d.Width, d.Height = max(0, measure(size, "cx")), max(0, measure(size, "cy"))
	properties := e.Child("wp:docPr")
	d.AlternativeText = properties.Attr("descr")
}

func (d *Drawing) anchor(e docx.Element) {
	d.DistanceTop, d.DistanceBottom = max(0, measure(e, "distT")), max(0, measure(e, "distB"))
	d.DistanceLeft, d.DistanceRight = max(0, measure(e, "distL")), max(0, measure(e, "distR"))
	d.AllowOverlap, d.LayoutInCell = on(e.Attr("allowOverlap")), on(e.Attr("layoutInCell"))
	if order, ok := number64(e.Attr("relativeHeight")); ok {
		d.ZOrderPosition = max(0, order)
	}
	d.TextWrappingStyle = "InFrontOfText"
	for c := range e.Children() {
		switch c.Name() {
		case "wp:wrapSquare", "wp:wrapTight", "wp:wrapThrough":
			d.TextWrappingStyle = "Square"
			if side, known := wrapSides[c.Attr("wrapText")]; known {
				d.TextWrappingType = side
			}
		case "wp:wrapTopAndBottom":
			d.TextWrappingStyle = "TopAndBottom"
		case "wp:wrapNone":
			if on(e.Attr("behindDoc")) {
				d.TextWrappingStyle = "Behind"
			}
		case "wp:positionH":
			d.HorizontalOrigin, d.HorizontalAlignment, d.HorizontalPosition = position(c, horizontalOrigins)
		case "wp:positionV":
			d.VerticalOrigin, d.VerticalAlignment, d.VerticalPosition = position(c, verticalOrigins)
		}
	}
}

var wrapSides = map[string]string{"bothSides": "Both", "left": "Left", "right": "Right", "largest": "Largest"}

var horizontalOrigins = map[string]string{
	"column": "Column", "character": "Character", "insideMargin": "InsideMargin", "leftMargin": "LeftMargin", "margin": "Margin",
	"outsideMargin": "OutsideMargin", "page": "Page", "rightMargin": "RightMargin", "": "Column",
}

var verticalOrigins = map[string]string{
	"paragraph": "Paragraph", "bottomMargin": "BottomMargin", "insideMargin": "InsideMargin", "line": "Line", "margin": "Margin",
	"outsideMargin": "OutsideMargin", "page": "Page", "topMargin": "TopMargin", "": "Paragraph",
}

func position(e docx.Element, origins map[string]string) (origin, alignment string, offset float64) {
	origin = origins[e.Attr("relativeFrom")]
	if origin == "" {
		origin = origins[""]
	}
	alignment = "None"
	switch value := e.Child("wp:align").Chars(); value {
	case "left", "center", "right", "top", "bottom", "inside", "outside":
		alignment = strings.ToUpper(value[:1]) + value[1:]
	}
	if points, ok := length(e.Child("wp:posOffset").Chars(), emus); ok {
		offset = min(max(points, -longest), longest)
	}
	return origin, alignment, offset
}

// vector reads the size of a shape of the older vocabulary from its style.
func (d *Drawing) vector(e docx.Element) {
	d.AlternativeText = e.Attr("alt")
	for declaration := range strings.SplitSeq(e.Attr("style"), ";") {
		name, value, _ := strings.Cut(declaration, ":")
		value = strings.TrimSpace(value)
		switch strings.TrimSpace(name) {
		case "width":
			d.Width, _ = length(value, 1)
		case "height":
			d.Height, _ = length(value, 1)
		case "position":
			if value == "absolute" {
				d.TextWrappingStyle = "InFrontOfText"
			}
		}
	}
	d.Width, d.Height = min(max(d.Width, 0), longest), min(max(d.Height, 0), longest)
}

// pictureType detects the type of a picture by its first bytes, "" for one that
// browsers do not show.
func pictureType(data []byte) string {
	for start, kind := range map[string]string{
		"\x89PNG\r\n\x1a\n": "image/png", "\xff\xd8\xff": "image/jpeg", "GIF8": "image/gif", "BM": "image/bmp",
	} {
		if bytes.HasPrefix(data, []byte(start)) {
			return kind
		}
	}
	if len(data) > 12 && string(data[:4]) == "RIFF" && string(data[8:12]) == "WEBP" {
		return "image/webp"
	}
	return ""
}

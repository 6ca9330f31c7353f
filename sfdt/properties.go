package sfdt

import (
	"math"
	"strconv"
	"strings"

	"github.com/clausemill/clausemill/docx"
)

const (
	twips       = 20    // to a point
	emus        = 12700 // to a point
	lineUnits   = 240   // to a line
	borderUnits = 8     // to a point
	halfPoints  = 2     // to a point
	wordPage    = 8.5 * 72
	wordLength  = 11 * 72
	wordMargin  = 72
	wordHeader  = 36
)

// length reads a measure: a number of units, or one with the name of a unit
// behind it, as the strict edition of the format writes.
func length(value string, perPoint float64) (float64, bool) {
	for suffix, points := range map[string]float64{"pt": 1, "in": 72, "cm": 72 / 2.54, "mm": 72 / 25.4, "pc": 12, "pi": 12} {
		if number, ok := strings.CutSuffix(value, suffix); ok {
			n, ok := number64(number)
			return n * points, ok
		}
	}
	n, ok := number64(value)
	return n / perPoint, ok
}

// longest bounds every length: a page of Word is at most 22 inches.
const longest = 100_000

func number64(s string) (float64, bool) {
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(n) || math.Abs(n) > longest*emus {
		return 0, false
	}
	return n, true
}

// points reads an attribute in twips, nil where there is none.
func points(e docx.Element, names ...string) *float64 {
	for _, name := range names {
		if value := e.Attr(name); value != "" {
			if n, ok := length(value, twips); ok && math.Abs(n) <= longest {
				return &n
			}
		}
	}
	return nil
}

func pointsOr(e docx.Element, name string, otherwise float64) float64 {
	if n := points(e, name); n != nil {
		return *n
	}
	return otherwise
}

// whole reads an integer that some exporters write as a decimal.
func whole(s string) (int, bool) {
	n, ok := number64(s)
	return int(n), ok
}

// toggle reads a switch, nil where it is missing.
func toggle(e docx.Element) *bool {
	if !e.Exists() {
		return nil
	}
	return new(e.On())
}

// colour reads "RRGGBB"; "auto" leaves the choice to the editor.
func colour(value string) string {
	if len(value) != 6 {
		return ""
	}
	if _, err := strconv.ParseUint(value, 16, 32); err != nil {
		return ""
	}
	return "#" + strings.ToUpper(value)
}

// paragraphFormat reads a w:pPr without the list, the style and the mark, which
// need to know the document.
func paragraphFormat(e docx.Element) *ParagraphFormat {
	f := &ParagraphFormat{}
	for c := range e.Children() {
		switch c.Name() {
		case "ind":
			f.LeftIndent, f.RightIndent, f.FirstLineIndent = points(c, "left", "start"), points(c, "right", "end"), points(c, "firstLine")
			if hanging := points(c, "hanging"); hanging != nil {
				f.FirstLineIndent = new(-*hanging)
			}
		case "spacing":
			f.spacing(c)
		case "jc":
			f.TextAlignment = alignments[c.Attr("val")]
		case "outlineLvl":
			if n, ok := whole(c.Attr("val")); ok && n >= 0 && n < 9 {
				f.OutlineLevel = "Level" + strconv.Itoa(n+1)
			} else {
				f.OutlineLevel = "BodyText"
			}
		case "keepNext":
			f.KeepWithNext = toggle(c)
		case "keepLines":
			f.KeepLinesTogether = toggle(c)
		case "widowControl":
			f.WidowControl = toggle(c)
		case "contextualSpacing":
			f.ContextualSpacing = toggle(c)
		case "bidi":
			f.Bidi = toggle(c)
		case "pBdr":
			f.Borders = borders(c)
		case "tabs":
			f.Tabs = tabs(c)
		}
	}
	return f
}

var alignments = map[string]string{
	"left": "Left", "start": "Left", "center": "Center", "right": "Right", "end": "Right", "both": "Justify", "distribute": "Justify",
}

func (f *ParagraphFormat) spacing(e docx.Element) {
	f.BeforeSpacing, f.AfterSpacing = points(e, "before"), points(e, "after")
	if e.Attr("beforeAutospacing") != "" {
		f.SpaceBeforeAuto = new(on(e.Attr("beforeAutospacing")))
	}
	if e.Attr("afterAutospacing") != "" {
		f.SpaceAfterAuto = new(on(e.Attr("afterAutospacing")))
	}
	line, ok := length(e.Attr("line"), twips)
	if !ok || line == 0 {
		return
	}
	switch e.Attr("lineRule") {
	case "exact":
		f.LineSpacing, f.LineSpacingType = new(math.Abs(line)), "Exactly"
	case "atLeast":
		f.LineSpacing, f.LineSpacingType = new(math.Abs(line)), "AtLeast"
	default:
		f.LineSpacing, f.LineSpacingType = new(math.Abs(line)*twips/lineUnits), "Multiple"
	}
}

func on(value string) bool { return value == "1" || value == "true" || value == "on" }

func tabs(e docx.Element) []Tab {
	var all []Tab
	for c := range e.Children() {
		position := points(c, "pos")
		if !c.Is("tab") || position == nil {
			continue
		}
		tab := Tab{Position: *position, Justification: "Left", Leader: "None"}
		switch c.Attr("val") {
		case "clear":
			tab.Position, tab.DeletePosition = 0, *position
		case "center":
			tab.Justification = "Center"
		case "right", "end":
			tab.Justification = "Right"
		case "decimal":
			tab.Justification = "Decimal"
		case "bar":
			tab.Justification = "Bar"
		case "num":
			tab.Justification = "List"
		}
		switch c.Attr("leader") {
		case "dot", "middleDot":
			tab.Leader = "Dot"
		case "hyphen":
			tab.Leader = "Hyphen"
		case "underscore", "heavy":
			tab.Leader = "Underscore"
		}
		all = append(all, tab)
	}
	return all
}

// characterFormat reads a w:rPr without the style and the revisions.
func (c *converter) characterFormat(e docx.Element) *CharacterFormat {
	f := &CharacterFormat{}
	for p := range e.Children() {
		switch p.Name() {
		case "b":
			f.Bold = toggle(p)
		case "bCs":
			f.BoldBidi = toggle(p)
		case "i":
			f.Italic = toggle(p)
		case "iCs":
			f.ItalicBidi = toggle(p)
		case "u":
			f.Underline, f.UnderlineColor = underlines[p.Attr("val")], colour(p.Attr("color"))
		case "strike":
			f.strike(p, "SingleStrike")
		case "dstrike":
			f.strike(p, "DoubleStrike")
		case "vertAlign":
			f.BaselineAlignment = map[string]string{"superscript": "Superscript", "subscript": "Subscript", "baseline": "Normal"}[p.Attr("val")]
		case "highlight":
			f.HighlightColor = highlights[p.Attr("val")]
		case "sz":
			f.FontSize = fontSize(p)
		case "szCs":
			f.FontSizeBidi = fontSize(p)
		case "rFonts":
			c.fonts(p, f)
		case "color":
			f.FontColor = colour(p.Attr("val"))
		case "caps":
			f.AllCaps = toggle(p)
		case "vanish":
			f.Hidden = toggle(p)
		case "rtl":
			f.Bidi = toggle(p)
		case "cs":
			f.ComplexScript = toggle(p)
		case "spacing":
			f.CharacterSpacing = points(p, "val")
		case "w":
			if n, ok := number64(strings.TrimSuffix(p.Attr("val"), "%")); ok && n > 0 && n <= 600 {
				f.Scaling = &n
			}
		}
	}
	return f
}

func (f *CharacterFormat) strike(e docx.Element, kind string) {
	if e.On() {
		f.Strikethrough = kind
	} else if f.Strikethrough == "" {
		f.Strikethrough = "None"
	}
}

func fontSize(e docx.Element) *float64 {
	n, ok := length(e.Attr("val"), halfPoints)
	if !ok || n <= 0 || n > 1638 { // the largest that Word takes
		return nil
	}
	return &n
}

// fonts reads a w:rFonts, whose theme fonts come before named ones.
func (c *converter) fonts(e docx.Element, f *CharacterFormat) {
	font := func(theme, name string) string {
		if known := c.themeFonts[e.Attr(theme)]; known != "" {
			return known
		}
		return e.Attr(name)
	}
	f.FontFamilyASCII = font("asciiTheme", "ascii")
	f.FontFamily = f.FontFamilyASCII
	f.FontFamilyOther = font("hAnsiTheme", "hAnsi")
	f.FontFamilyFarEast = font("eastAsiaTheme", "eastAsia")
	f.FontFamilyBidi = font("cstheme", "cs")
	if f.FontFamily == "" {
		f.FontFamily = f.FontFamilyOther
	}
}

// readThemeFonts names the fonts that themes give by their use.
func (c *converter) readThemeFonts() {
	c.themeFonts = map[string]string{}
	scheme := c.src.Related("theme").Root().Child("a:themeElements", "a:fontScheme")
	for kind, element := range map[string]string{"major": "a:majorFont", "minor": "a:minorFont"} {
		fonts := scheme.Child(element)
		latin := fonts.Child("a:latin").Attr("typeface")
		c.themeFonts[kind+"Ascii"], c.themeFonts[kind+"HAnsi"] = latin, latin
		c.themeFonts[kind+"EastAsia"] = fonts.Child("a:ea").Attr("typeface")
		c.themeFonts[kind+"Bidi"] = fonts.Child("a:cs").Attr("typeface")
	}
}

var underlines = map[string]string{
	"none": "None", "single": "Single", "words": "Words", "double": "Double", "thick": "Thick", "dotted": "Dotted",
	"dottedHeavy": "DottedHeavy", "dash": "Dash", "dashedHeavy": "DashHeavy", "dashLong": "DashLong",
	"dashLongHeavy": "DashLongHeavy", "dotDash": "DotDash", "dashDotHeavy": "DotDashHeavy", "dotDotDash": "DotDotDash",
	"dashDotDotHeavy": "DotDotDashHeavy", "wave": "Wavy", "wavyHeavy": "WavyHeavy", "wavyDouble": "WavyDouble",
}

var highlights = map[string]string{
	"none": "NoColor", "yellow": "Yellow", "green": "BrightGreen", "cyan": "Turquoise", "magenta": "Pink", "blue": "Blue",
	"red": "Red", "darkBlue": "DarkBlue", "darkCyan": "Teal", "darkGreen": "Green", "darkMagenta": "Violet",
	"darkRed": "DarkRed", "darkYellow": "DarkYellow", "darkGray": "Gray50", "lightGray": "Gray25", "black": "Black",
}

// borders reads the sides of a w:pBdr, w:tblBorders or w:tcBorders.
func borders(e docx.Element) *Borders {
	if !e.Exists() {
		return nil
	}
	b := &Borders{}
	for c := range e.Children() {
		switch c.Name() {
		case "top":
			b.Top = border(c)
		case "left", "start":
			b.Left = border(c)
		case "right", "end":
			b.Right = border(c)
		case "bottom":
			b.Bottom = border(c)
		case "insideH", "between":
			b.Horizontal = border(c)
		case "insideV":
			b.Vertical = border(c)
		case "tl2br":
			b.DiagonalDown = border(c)
		case "tr2bl":
			b.DiagonalUp = border(c)
		}
	}
	return b
}

func border(e docx.Element) *Border {
	b := &Border{LineStyle: "Single", Color: "#000000", Shadow: on(e.Attr("shadow"))}
	if style, known := lineStyles[e.Attr("val")]; known {
		b.LineStyle = style
	}
	b.HasNoneStyle = b.LineStyle == "None"
	if value := colour(e.Attr("color")); value != "" {
		b.Color = value
	}
	if width, ok := length(e.Attr("sz"), borderUnits); ok && width >= 0 && width <= 100 {
		b.LineWidth = width
	}
	if space, ok := number64(e.Attr("space")); ok && space >= 0 && space <= 100 {
		b.Space = space
	}
	return b
}

var lineStyles = map[string]string{
	"none": "None", "nil": "Cleared", "single": "Single", "thick": "Thick", "double": "Double", "triple": "Triple",
	"dotted": "Dot", "dashed": "DashLargeGap", "dashSmallGap": "DashSmallGap", "dotDash": "DashDot", "dotDotDash": "DashDotDot",
	"thinThickSmallGap": "ThinThickSmallGap", "thickThinSmallGap": "ThickThinSmallGap", "thinThickThinSmallGap": "ThinThickThinSmallGap",
	"thinThickMediumGap": "ThinThickMediumGap", "thickThinMediumGap": "ThickThinMediumGap", "thinThickThinMediumGap": "ThinThickThinMediumGap",
	"thinThickLargeGap": "ThinThickLargeGap", "thickThinLargeGap": "ThickThinLargeGap", "thinThickThinLargeGap": "ThinThickThinLargeGap",
	"wave": "SingleWavy", "doubleWave": "DoubleWavy", "dashDotStroked": "DashDotStroked", "threeDEmboss": "Emboss3D",
	"threeDEngrave": "Engrave3D", "outset": "Outset", "inset": "Inset",
}

// shading reads a w:shd. Patterns are shown as their ground.
func shading(e docx.Element) *Shading {
	if !e.Exists() {
		return nil
	}
	ground := colour(e.Attr("fill"))
	if e.Attr("val") == "solid" {
		ground = colour(e.Attr("color"))
	}
	if ground == "" {
		return nil
	}
	return &Shading{BackgroundColor: ground, ForegroundColor: "empty", Texture: "TextureNone"}
}

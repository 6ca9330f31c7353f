package docx

import (
	"strconv"
	"strings"
)

// A Format is a change of the format of text. Fields that are not set stay unchanged.
type Format struct {
	Bold      *bool   `json:"bold,omitempty"`
	Italic    *bool   `json:"italic,omitempty"`
	Underline *bool   `json:"underline,omitempty"`
	Strike    *bool   `json:"strike,omitempty"`
	Caps      *bool   `json:"caps,omitempty"`
	Hidden    *bool   `json:"hidden,omitempty" doc:"Whether the text is left out where the document is shown and printed"`
	Color     *string `json:"color,omitempty" pattern:"^([0-9A-Fa-f]{6}|auto)$" doc:"Six hexadecimal digits: red, green, blue; auto is that of the reader's window"`
	Highlight *string `json:"highlight,omitempty" enum:"none,yellow,green,cyan,magenta,blue,red,darkBlue,darkCyan,darkGreen,darkMagenta,darkRed,darkYellow,darkGray,lightGray,black,white"`
	Size      *int    `json:"size,omitempty" minimum:"2" maximum:"3276" doc:"Font size in half points"`
}

// IsZero reports whether the format changes nothing.
func (f Format) IsZero() bool { return f == Format{} }

// runOrder is the order in which the format wants the children of a w:rPr.
var runOrder = []string{
	"rStyle", "rFonts", "b", "bCs", "i", "iCs", "caps", "smallCaps", "strike", "dstrike", "outline", "shadow", "emboss", "imprint",
	"noProof", "snapToGrid", "vanish", "webHidden", "color", "spacing", "w", "kern", "position", "sz", "szCs", "highlight", "u", "effect",
	"bdr", "shd", "fitText", "vertAlign", "rtl", "cs", "em", "lang", "eastAsianLayout", "specVanish", "oMath",
}

// Settings are those of the text that f formats.
func (f Format) Settings() Settings {
	var s Settings
	value := func(name, value string) {
		s.Set = append(s.Set, Property{Name: name, Attributes: map[string]string{"val": value}})
	}
	toggle := func(on *bool, names ...string) {
		for _, name := range names {
			switch {
			case on == nil:
			case *on:
				s.Set = append(s.Set, Property{Name: name})
			default:
				value(name, "0")
			}
		}
	}
	toggle(f.Bold, "b", "bCs")
	toggle(f.Italic, "i", "iCs")
	toggle(f.Strike, "strike")
	toggle(f.Caps, "caps")
	toggle(f.Hidden, "vanish")
	if f.Underline != nil {
		value("u", map[bool]string{true: "single", false: "none"}[*f.Underline])
	}
	if f.Color != nil {
		color := strings.ToUpper(*f.Color)
		if color == "AUTO" {
			color = "auto"
		}
		value("color", color)
	}
	if f.Highlight != nil {
		value("highlight", *f.Highlight)
	}
	if f.Size != nil {
		value("sz", strconv.Itoa(*f.Size))
		value("szCs", strconv.Itoa(*f.Size))
	}
	return s
}

package docx

import (
	"slices"
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
	Color     *string `json:"color,omitempty" pattern:"^[0-9A-Fa-f]{6}$" doc:"Six hexadecimal digits: red, green, blue"`
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

// settings are the children of a w:rPr that f sets, by name.
func (f Format) settings(w string) map[string]string {
	set := map[string]string{}
	element := func(name, value string) { set[name] = "<" + w + name + " " + w + `val="` + Escape(value) + `"/>` }
	toggle := func(on *bool, names ...string) {
		for _, name := range names {
			switch {
			case on == nil:
			case *on:
				set[name] = "<" + w + name + "/>"
			default:
				element(name, "0")
			}
		}
	}
	toggle(f.Bold, "b", "bCs")
	toggle(f.Italic, "i", "iCs")
	toggle(f.Strike, "strike")
	toggle(f.Caps, "caps")
	if f.Underline != nil {
		element("u", map[bool]string{true: "single", false: "none"}[*f.Underline])
	}
	if f.Color != nil {
		element("color", strings.ToUpper(*f.Color))
	}
	if f.Highlight != nil {
		element("highlight", *f.Highlight)
	}
	if f.Size != nil {
		element("sz", strconv.Itoa(*f.Size))
		element("szCs", strconv.Itoa(*f.Size))
	}
	return set
}

// apply writes a w:rPr with the settings of f in it and the old one kept as a
// tracked change with attributes.
func (f Format) apply(w string, rPr Element, attributes string) string {
	set := f.settings(w)
	var old, body strings.Builder
	rest := slices.Clone(runOrder)
	writeUpTo := func(name string) {
		at := slices.Index(rest, name)
		if at < 0 {
			return
		}
		for _, before := range rest[:at] {
			body.WriteString(set[before])
			delete(set, before)
		}
		rest = rest[at:]
	}
	for c := range rPr.Children() {
		old.Write(c.Raw())
		writeUpTo(c.Name())
		if set[c.Name()] != "" {
			continue // the new setting takes its place
		}
		body.Write(c.Raw())
	}
	for _, name := range runOrder {
		body.WriteString(set[name])
	}
	return "<" + w + "rPr>" + body.String() + "<" + w + "rPrChange" + attributes + "><" + w + "rPr>" + old.String() + "</" + w + "rPr></" + w + "rPrChange></" + w + "rPr>"
}

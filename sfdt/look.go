package sfdt

import (
	"slices"
	"strings"
)

// A Look is how characters are set, as far as it was said of them and not of
// their style.
type Look struct {
	Bold, Italic, Caps           Toggle
	Underline, Strike, Highlight string
	Color                        string
	Size                         float64 // points; 0 for none
	Font, Baseline, Style        string
}

// A Toggle is on, off or left to the style.
type Toggle int8

// The states of a Toggle.
const (
	Unset Toggle = iota
	Off
	On
)

// A Setting is how a paragraph is set, as far as it was said of it.
type Setting struct {
	Style, Align string
	List         float64 // 0 for none
	Level        float64
	Left, First  float64 // indents in points
}

// The numbers of names in the short form of the format.
var (
	underlineNames = []string{
		"None", "Single", "Words", "Double", "Dotted", "Thick", "Dash", "DashLong", "DotDash", "DotDotDash", "Wavy", "DottedHeavy",
		"DashHeavy", "DashLongHeavy", "DotDashHeavy", "DotDotDashHeavy", "WavyHeavy", "WavyDouble",
	}
	strikeNames    = []string{"None", "SingleStrike", "DoubleStrike"}
	highlightNames = []string{
		"NoColor", "Yellow", "BrightGreen", "Turquoise", "Pink", "Blue", "Red", "DarkBlue", "Teal", "Green", "Violet", "DarkRed",
		"DarkYellow", "Gray50", "Gray25", "Black",
	}
	baselineNames  = []string{"Normal", "Superscript", "Subscript"}
	alignmentNames = []string{"Left", "Center", "Right", "Justify"}
)

// look reads a format of characters.
func (r *savedReader) look(into *Look) error {
	return r.object(func(name string) (err error) {
		switch name {
		case "bold", "b":
			into.Bold, err = r.toggle()
		case "italic", "i":
			into.Italic, err = r.toggle()
		case "allCaps", "ac":
			into.Caps, err = r.toggle()
		case "underline", "u":
			into.Underline, err = r.name(underlineNames)
		case "strikethrough", "st":
			into.Strike, err = r.name(strikeNames)
		case "highlightColor", "hc":
			into.Highlight, err = r.name(highlightNames)
		case "fontColor", "fc":
			into.Color, err = r.string()
			into.Color = strings.ToUpper(into.Color)
		case "fontSize", "fsz":
			into.Size, err = r.measure()
		case "fontFamily", "ff":
			into.Font, err = r.string()
		case "baselineAlignment", "ba":
			into.Baseline, err = r.name(baselineNames)
		case "styleName", "stn":
			into.Style, err = r.string()
		default:
			err = r.skip()
		}
		return err
	})
}

// setting reads a format of a paragraph.
func (r *savedReader) setting(into *Setting) error {
	return r.object(func(name string) (err error) {
		switch name {
		case "styleName", "stn":
			into.Style, err = r.string()
		case "textAlignment", "ta":
			into.Align, err = r.name(alignmentNames)
		case "leftIndent", "lin":
			into.Left, err = r.measure()
		case "firstLineIndent", "fin":
			into.First, err = r.measure()
		case "listFormat", "lif":
			err = r.object(func(name string) (err error) {
				switch name {
				case "listId", "lid":
					into.List, err = r.measure()
				case "listLevelNumber", "lilno":
					into.Level, err = r.measure()
				default:
					err = r.skip()
				}
				return err
			})
		default:
			err = r.skip()
		}
		return err
	})
}

func (r *savedReader) toggle() (Toggle, error) {
	var value any
	err := r.tokens.Decode(&value)
	switch value {
	case true, 1.0:
		return On, err
	case false, 0.0:
		return Off, err
	default:
		return Unset, err
	}
}

// name reads a name, or its number among names.
func (r *savedReader) name(names []string) (string, error) {
	var value any
	err := r.tokens.Decode(&value)
	if n, ok := value.(float64); ok && n >= 0 && int(n) < len(names) {
		return names[int(n)], err
	}
	name, _ := value.(string)
	if !slices.Contains(names, name) {
		name = ""
	}
	return name, err
}

// measure reads a number, 0 for anything else.
func (r *savedReader) measure() (float64, error) {
	var value any
	err := r.tokens.Decode(&value)
	n, _ := value.(float64)
	return n, err
}

// openFields are the fields around a place, innermost last.
type openFields struct {
	fields  []savedField
	coding  int // of these, those of which the result is not reached
	counted int // and those whose result is reached and is a page number
}

type savedField struct {
	code   string // the first letters of it
	result bool   // is reached
}

// code takes what is the code of a field.
func (f *openFields) code(text string) bool {
	if f.coding == 0 {
		return false
	}
	const longest = 32 // enough to distinguish page numbers from other fields
	if last := &f.fields[len(f.fields)-1]; len(last.code) < longest {
		last.code += text[:min(len(text), longest)]
	}
	return true
}

// border passes a begin, separator or end mark of a field, and reports whether it ends
// a page number.
func (f *openFields) border(kind int) (numbered bool) {
	n := len(f.fields)
	switch {
	case kind == fieldBegins:
		f.fields = append(f.fields, savedField{})
		f.coding++
	case n == 0:
	case kind == fieldSeparates && !f.fields[n-1].result:
		f.fields[n-1].result = true
		f.coding--
		if f.fields[n-1].numbers() {
			f.counted++
		}
	case kind == fieldEnds:
		last := f.fields[n-1]
		f.fields = f.fields[:n-1]
		numbered = last.numbers()
		switch {
		case !last.result:
			f.coding--
		case numbered:
			f.counted--
		}
		return numbered && f.coding == 0
	}
	return false
}

// numbers reports whether the field is a page number.
func (f savedField) numbers() bool {
	words := strings.Fields(f.code)
	return len(words) > 0 && slices.Contains([]string{"PAGE", "NUMPAGES", "SECTIONPAGES"}, strings.ToUpper(words[0]))
}

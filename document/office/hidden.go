package office

import (
	"encoding/xml"
	"strconv"
	"strings"
)

// A runLook is what decides whether text can be read. Nothing is said by what is nil or
// empty.
type runLook struct {
	vanish, strike, double *bool
	color                  string
	shaded                 bool
	size                   int // in half points
	style                  string
}

// leastSize is the least size of text that can be read, in half points.
const leastSize = 7

// readRunLook reads the w:rPr that was entered last.
func readRunLook(x *xmlReader) (runLook, error) {
	var l runLook
	err := x.children(func(e xml.StartElement) error {
		on := isOn(e)
		switch word(e.Name) {
		case "vanish":
			l.vanish = &on
		case "strike":
			l.strike = &on
		case "dstrike":
			l.double = &on
		case "color":
			l.color = strings.ToUpper(attribute(e, "val"))
		case "shd", "highlight":
			l.shaded = true
		case "sz":
			l.size, _ = strconv.Atoi(attribute(e, "val"))
		case "rStyle":
			l.style = attribute(e, "val")
		}
		return nil
	})
	return l, err
}

// under takes over what l does not say itself.
func (l runLook) under(base runLook) runLook {
	if l.vanish == nil {
		l.vanish = base.vanish
	}
	if l.strike == nil {
		l.strike = base.strike
	}
	if l.double == nil {
		l.double = base.double
	}
	if l.color == "" {
		l.color = base.color
	}
	if l.size == 0 {
		l.size = base.size
	}
	l.shaded = l.shaded || base.shaded
	return l
}

// effective is a look with what the styles of the run and of its paragraph say.
func (s *story) effective(l runLook) runLook {
	if s.styles[l.style] != nil {
		for _, style := range s.styleChain(l.style) {
			l = l.under(style.look)
		}
	}
	for _, style := range s.styleChain(s.styled) {
		l = l.under(style.look)
	}
	return l
}

// conceals reports whether text that looks so is hidden from a reader or struck out. In
// a table white text mostly stands on a dark ground.
func (s *story) conceals(l runLook) bool {
	is := func(on *bool) bool { return on != nil && *on }
	return is(l.vanish) || is(l.strike) || is(l.double) || l.color == "FFFFFF" && !l.shaded && s.tables == 0 || l.size > 0 && l.size < leastSize
}

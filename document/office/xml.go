package office

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/clausemill/clausemill/document/format"
	"github.com/clausemill/clausemill/fault"
)

// An xmlReader walks a part of an office document element by element. It never
// holds more than one token, refuses document types (and with them every
// entity) and gives up on absurd nesting.
type xmlReader struct {
	tokens *xml.Decoder
	depth  int
	limits format.Limits

	paragraphs int // elements w:p that were entered
}

func newXMLReader(r io.Reader, limits format.Limits) *xmlReader {
	return &xmlReader{tokens: format.NewXMLDecoder(r), limits: limits}
}

// next returns the next token, valid until the call after it.
func (x *xmlReader) next() (xml.Token, error) {
	token, err := x.tokens.Token()
	if err != nil {
		return nil, xmlFault(err)
	}
	switch t := token.(type) {
	case xml.StartElement:
		if word(t.Name) == "p" {
			x.paragraphs++
		}
		x.depth++
		if x.depth > x.limits.MaxDepth {
			return nil, fault.File(fault.FileTooLarge,
				fmt.Sprintf("the document nests its elements deeper than %d, which is the limit", x.limits.MaxDepth), nil)
		}
	case xml.EndElement:
		x.depth--
	case xml.Directive:
		return nil, fault.File(fault.CorruptFile, "the document declares a document type, which its format forbids", nil)
	}
	return token, nil
}

// xmlFault passes on the faults of the underlying reader; any other error means that
// the document is corrupt.
func xmlFault(err error) error {
	var known *fault.Error
	if errors.As(err, &known) || isContext(err) {
		return err
	}
	return fault.File(fault.CorruptFile, "the document's XML cannot be read", err)
}

// enter goes into the outermost element.
func (x *xmlReader) enter() error {
	for {
		token, err := x.next()
		if err != nil {
			return err
		}
		if _, ok := token.(xml.StartElement); ok {
			return nil
		}
	}
}

// children calls each for every child of the element that was entered last, and
// returns past its end. What each leaves unread of a child is skipped.
func (x *xmlReader) children(each func(xml.StartElement) error) error {
	return x.content(each, nil)
}

// content is like children, and also calls for the text between them.
func (x *xmlReader) content(each func(xml.StartElement) error, text func(string)) error {
	inside := x.depth
	for {
		token, err := x.next()
		if err != nil {
			return err
		}
		switch t := token.(type) {
		case xml.StartElement:
			if err := each(t); err != nil {
				return err
			}
			if err := x.leave(inside); err != nil {
				return err
			}
		case xml.CharData:
			if text != nil {
				text(string(t))
			}
		case xml.EndElement:
			if x.depth < inside {
				return nil
			}
		}
	}
}

// descendants calls each for every element below the one that was entered last,
// except below those that each reads itself.
func (x *xmlReader) descendants(each func(xml.StartElement) error) error {
	inside := x.depth
	for {
		token, err := x.next()
		if err != nil {
			return err
		}
		if start, ok := token.(xml.StartElement); ok {
			if err := each(start); err != nil {
				return err
			}
		}
		if x.depth < inside {
			return nil
		}
	}
}

// leave skips to the end of whatever is open below depth.
func (x *xmlReader) leave(depth int) error {
	for x.depth > depth {
		if _, err := x.next(); err != nil {
			return err
		}
	}
	return nil
}

// text returns the character data of the element that was entered last, its
// descendants' included.
func (x *xmlReader) text() (string, error) {
	var b strings.Builder
	inside := x.depth
	for {
		token, err := x.next()
		if err != nil {
			return "", err
		}
		switch t := token.(type) {
		case xml.CharData:
			b.Write(t)
		case xml.EndElement:
			if x.depth < inside {
				return b.String(), nil
			}
		}
	}
}

// attribute returns the value of the attribute called local in any namespace,
// or "": office formats never use one local name twice in an element.
func attribute(e xml.StartElement, local string) string {
	for _, a := range e.Attr {
		if a.Name.Local == local {
			return a.Value
		}
	}
	return ""
}

// isContext reports whether err is only the end of a context.
func isContext(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

package format

import (
	"encoding/xml"
	"io"
	"strings"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// NewXMLDecoder reads XML in any encoding that browsers know, by its byte order mark or its
// declaration. An encoding that is not known is an error of the first token.
func NewXMLDecoder(r io.Reader) *xml.Decoder {
	// What is in UTF-16 has a byte order mark; what it declares is then void.
	decoder := xml.NewDecoder(transform.NewReader(r, unicode.BOMOverride(transform.Nop)))
	decoder.CharsetReader = func(label string, in io.Reader) (io.Reader, error) {
		if strings.HasPrefix(strings.ToLower(label), "utf-16") {
			return in, nil
		}
		return charset.NewReaderLabel(label, in)
	}
	return decoder
}

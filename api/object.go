package api

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// maxObject is the maximum size of a file's metadata in bytes.
const maxObject = 64 << 10

// Object is a JSON object that is stored and returned unchanged, with all digits of
// its numbers.
type Object json.RawMessage

// MarshalJSON writes the object unchanged.
func (o Object) MarshalJSON() ([]byte, error) { return json.RawMessage(o).MarshalJSON() }

// UnmarshalJSON keeps the bytes.
func (o *Object) UnmarshalJSON(b []byte) error {
	*o = bytes.Clone(b)
	return nil
}

// Schema is any object.
func (Object) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}
}

// storable is o for the database, nil for nil. Postgres does not store NUL or half a
// surrogate pair.
func (o Object) storable(location string) (json.RawMessage, error) {
	if o == nil {
		return nil, nil
	}
	if len(o) > maxObject {
		return nil, invalid(location, "is larger than 64 KiB")
	}
	decoder := json.NewDecoder(bytes.NewReader(o))
	decoder.UseNumber()
	var object map[string]any
	if err := decoder.Decode(&object); err != nil || object == nil {
		return nil, invalid(location, "must be a JSON object")
	}
	clean, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	if strings.Contains(string(clean), `\u0000`) {
		return nil, invalid(location, "has a NUL character")
	}
	return clean, nil
}

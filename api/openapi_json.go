package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"sync"

	"github.com/danielgtaylor/huma/v2"
)

// Description is the published description of the API, in OpenAPI 3.1 or, for tools
// without support for that, 3.0.3.
func Description(old bool) []byte {
	if old {
		return description30()
	}
	return description31()
}

// The documents are the same for every API value, and take most of the time to make
// one.
var (
	description31 = sync.OnceValue(func() []byte {
		text, err := json.Marshal(OpenAPI())
		if err != nil {
			panic(err) // it is made of strings
		}
		return formsFirst(text)
	})
	description30 = sync.OnceValue(func() []byte {
		description := OpenAPI()
		examples := takeExamples(description)
		text, err := description.Downgrade()
		var document map[string]any
		if err == nil {
			err = json.Unmarshal(text, &document)
		}
		if err == nil {
			license := document["info"].(map[string]any)["license"].(map[string]any) //nolint:forcetypeassert // we have one
			delete(license, "identifier")                                            // 3.0 has addresses only
			license["url"] = "https://www.apache.org/licenses/LICENSE-2.0"
			document["x-webhooks"] = document["webhooks"] // as tools of 3.0 know them
			delete(document, "webhooks")
			text, err = json.Marshal(older(document))
		}
		if err != nil {
			panic(err)
		}
		for mark, example := range examples {
			text = bytes.Replace(text, mark, example, 1)
		}
		return formsFirst(text)
	})
)

// takeExamples replaces examples by marks, since Huma treats fields called type or
// examples in them as parts of a schema. It returns the examples by their marks.
func takeExamples(description *huma.OpenAPI) iter.Seq2[[]byte, []byte] {
	var all []json.RawMessage
	mark := func(n int) string { return fmt.Sprintf("example %d;", n) }
	take := func(content map[string]*huma.MediaType) {
		for _, media := range content {
			if example, ok := media.Example.(json.RawMessage); ok {
				media.Example = mark(len(all))
				all = append(all, example)
			}
		}
	}
	for _, op := range operationsOf(description) {
		if op.RequestBody != nil {
			take(op.RequestBody.Content)
		}
		for _, response := range op.Responses {
			take(response.Content)
		}
	}
	return func(yield func(mark, example []byte) bool) {
		for n, example := range all {
			if !yield([]byte(`"`+mark(n)+`"`), example) {
				return
			}
		}
	}
}

// formsFirst puts a body's form before its JSON, because generators use the first
// media type, and a file of 500 MB should be sent as a form.
func formsFirst(text []byte) []byte {
	var document struct {
		Paths map[string]map[string]struct {
			RequestBody struct{ Content json.RawMessage }
		}
	}
	if err := json.Unmarshal(text, &document); err != nil {
		panic(err) // it was just written
	}
	for _, operations := range document.Paths {
		for _, op := range operations {
			var media map[string]json.RawMessage
			if op.RequestBody.Content == nil || json.Unmarshal(op.RequestBody.Content, &media) != nil || len(media) != 2 || media[formType] == nil {
				continue
			}
			ordered := bytes.Join([][]byte{[]byte(`{"` + formType + `":`), media[formType], []byte(`,"` + jsonType + `":`), media[jsonType], []byte(`}`)}, nil)
			text = bytes.Replace(text, op.RequestBody.Content, ordered, 1)
		}
	}
	return text
}

// older converts to OpenAPI 3.0 what Huma does not: in 3.0 a reference has no siblings,
// and a constant is a set of one value.
func older(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for name, field := range v {
			v[name] = older(field)
		}
		if ref, ok := v["$ref"].(string); ok && len(v) > 1 {
			delete(v, "$ref")
			v["allOf"] = []any{map[string]any{"$ref": ref}}
		}
		if only, ok := v["const"].(string); ok {
			delete(v, "const")
			v["enum"] = []any{only}
		}
	case []any:
		for i := range v {
			v[i] = older(v[i])
		}
	}
	return value
}

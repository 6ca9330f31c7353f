package api_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"pgregory.net/rapid"

	"github.com/clausemill/clausemill/db"
)

// odd are texts that programs stumble over.
var odd = []string{
	"", " ", "null", "0", "-1", "9223372036854775808", "1e999", "NaN", "true", "[]", "{}", "%", "%00", "\x00", "\u202e", "\xff\xfe", "'; --", "*:*", "\"",
	"00000000-0000-0000-0000-000000000000", "2030-02-30T25:61:61Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", strings.Repeat("ä", 5000), word,
}

// anyText is a text that a caller may send.
func anyText() *rapid.Generator[string] {
	return rapid.OneOf(rapid.SampledFrom(odd), rapid.String(), rapid.StringMatching(`[a-z0-9 .:_-]{1,20}`))
}

// anyValue is a value that s allows, or nearly.
func anyValue(t *rapid.T, s *huma.Schema, ids []string, depth int) any {
	for s != nil && s.Ref != "" {
		s = schemas.SchemaFromRef(s.Ref)
	}
	if s == nil || depth == 0 || rapid.IntRange(0, 19).Draw(t, "wrong") == 0 {
		return rapid.SampledFrom([]any{nil, true, -1, 1e300, "x", []any{}, []any{nil}, map[string]any{"x": 1}}).Draw(t, "value")
	}
	if len(s.OneOf) > 0 {
		return anyValue(t, rapid.SampledFrom(s.OneOf).Draw(t, "one"), ids, depth)
	}
	if len(s.Enum) > 0 {
		return rapid.SampledFrom(s.Enum).Draw(t, "enum")
	}
	switch s.Type {
	case huma.TypeObject:
		out := map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
			if slices.Contains(s.Required, name) || rapid.Bool().Draw(t, name) {
				out[name] = anyValue(t, s.Properties[name], ids, depth-1)
			}
		}
		return out
	case huma.TypeArray:
		out := []any{}
		for range rapid.IntRange(0, 3).Draw(t, "items") {
			out = append(out, anyValue(t, s.Items, ids, depth-1))
		}
		return out
	case huma.TypeInteger:
		return rapid.OneOf(rapid.IntRange(-1, 10), rapid.Int()).Draw(t, "integer")
	case huma.TypeNumber:
		return rapid.OneOf(rapid.Float64Range(-1, 2), rapid.Float64()).Draw(t, "number")
	case huma.TypeBoolean:
		return rapid.Bool().Draw(t, "boolean")
	}
	return rapid.OneOf(rapid.SampledFrom(ids), anyText(), rapid.Just("2030-01-02T03:04:05Z")).Draw(t, "text")
}

// anyRequest is a request for an operation, or nearly.
func anyRequest(t *rapid.T, op *huma.Operation, ids []string) (line, body string, header map[string]string) {
	path := pathParameter.ReplaceAllStringFunc(op.Path, func(string) string {
		return url.PathEscape(rapid.OneOf(rapid.SampledFrom(ids), rapid.StringMatching(`[a-z0-9%'.-]{1,40}`)).Draw(t, "id"))
	})
	query, header := url.Values{}, map[string]string{}
	for _, p := range op.Parameters {
		if p.In == "path" || !rapid.Bool().Draw(t, p.Name) {
			continue
		}
		value := anyText().Draw(t, "text")
		if rapid.Bool().Draw(t, "fits") {
			value = fmt.Sprint(anyValue(t, p.Schema, ids, 2))
		}
		if p.In == "query" {
			query.Add(p.Name, value)
		} else if p.In == "header" {
			header[p.Name] = value
		}
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	if content := (target{op, nil}).content(); content != nil {
		text, err := json.Marshal(anyValue(t, content, ids, 5))
		if err != nil {
			text = []byte(`{`) // JSON has no infinity
		}
		body = string(text)
	}
	return op.Method + " " + path, body, header
}

// TestAnyRequest sends requests that are made of the description, and some that
// are not quite: none of them is more than the service can answer, and every
// answer is one that the description knows. `make apifuzz` sends more.
func TestAnyRequest(t *testing.T) {
	t.Parallel()
	h := newHouse(t).room(t)
	operations := served()
	maps.DeleteFunc(operations, func(_ string, op *huma.Operation) bool { return (target{op, nil}).endless() })
	lines := slices.Sorted(maps.Keys(operations))
	ids := append(slices.Sorted(maps.Values(h.ours)), db.NewID(), h.acme.scope.ActorID)
	ids = append(ids, slices.Sorted(maps.Values(h.theirs))...)
	callers := []caller{h.acme, h.acme, h.acme, h.member, h.mallory, h.acmeKey, h.nobody}
	rapid.Check(t, func(rt *rapid.T) {
		line, body, header := anyRequest(rt, operations[rapid.SampledFrom(lines).Draw(rt, "operation")], ids)
		who := rapid.SampledFrom(callers).Draw(rt, "caller")
		h.undone(t, func() {
			r := request(t, who, line, body)
			for name, value := range header {
				r.Header.Set(name, value)
			}
			h.log.Reset()
			w := httptest.NewRecorder()
			h.api.ServeHTTP(w, r)
			if w.Code >= 500 {
				rt.Fatalf("%s %s %v: %d %s\n%s", line, body, header, w.Code, w.Body, h.log)
			}
			if err := undescribed(r, w); err != nil {
				rt.Fatalf("%s %s: %d %s: %v", line, body, w.Code, w.Body, err)
			}
		})
	})
}

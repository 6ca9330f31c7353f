package api

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"

	"github.com/danielgtaylor/huma/v2"
)

// eitherWay accepts fields of B, which is a body or a part of one, as query parameters
// of the same name too, except lists and objects. A field that is given in both ways
// must have the same value.
func eitherWay[B any](a *API) option {
	schemas := a.huma.OpenAPI().Components.Schemas
	fields := map[string]*huma.Schema{}
	for name, field := range huma.SchemaFromType(schemas, reflect.TypeFor[B]()).Properties {
		if field.Ref != "" {
			field = schemas.SchemaFromRef(field.Ref)
		}
		switch field.Type {
		case huma.TypeString, huma.TypeBoolean, huma.TypeInteger, huma.TypeNumber:
			fields[name] = field
		}
	}
	return func(op *huma.Operation) {
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			schema := *fields[name]
			schema.Nullable, schema.Description = false, ""
			op.Parameters = append(op.Parameters, &huma.Param{Name: name, In: "query", Description: fields[name].Description, Schema: &schema})
		}
		op.Middlewares = append(op.Middlewares, func(ctx huma.Context, next func(huma.Context)) {
			u := ctx.URL()
			given := given(u.Query(), fields)
			if len(given) == 0 {
				next(ctx)
				return
			}
			// More than the limit, so that a body that is too large is still refused.
			sent, err := io.ReadAll(io.LimitReader(ctx.BodyReader(), cmp.Or(op.MaxBodyBytes, 1<<20)+1))
			if err != nil {
				refuse(ctx, cmp.Or[error](callOf(ctx.Context()).body.broken(), newError(http.StatusBadRequest, "the body could not be read")))
				return
			}
			body, err := merge(sent, given)
			if err != nil {
				refuse(ctx, err)
				return
			}
			next(merged{ctx, bytes.NewReader(body), len(sent) == 0})
		})
	}
}

// given is the query parameters for fields, as JSON. The word null means null for a
// nullable field. An empty parameter counts as absent if no valid value is empty.
func given(query url.Values, fields map[string]*huma.Schema) map[string]json.RawMessage {
	out := map[string]json.RawMessage{}
	for name, field := range fields {
		values, ok := query[name]
		if !ok || values[0] == "" && (len(field.Enum) > 0 || field.Pattern != "") {
			continue
		}
		value := json.RawMessage(values[0])
		null := field.Nullable && values[0] == "null"
		if field.Type == huma.TypeString && !null || !json.Valid(value) {
			value, _ = json.Marshal(values[0]) // a string always can be
		}
		out[name] = value
	}
	return out
}

// merge adds parameters to the fields of a body, which may not have other values. A
// body that is not a JSON object is returned as it is, to be refused later.
func merge(body []byte, given map[string]json.RawMessage) ([]byte, error) {
	fields := map[string]json.RawMessage{}
	if len(bytes.TrimSpace(body)) > 0 {
		if err := json.Unmarshal(body, &fields); err != nil || fields == nil {
			return body, nil //nolint:nilerr // see above
		}
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if inBody, ok := fields[name]; ok && !sameJSON(inBody, given[name]) {
			return nil, invalid("query."+name, "differs from body."+name)
		}
		fields[name] = given[name]
	}
	return json.Marshal(fields)
}

// sameJSON reports whether two values are the same, however they are written.
func sameJSON(x, y json.RawMessage) bool {
	var a, b any
	return json.Unmarshal(x, &a) == nil && json.Unmarshal(y, &b) == nil && reflect.DeepEqual(a, b)
}

// humaContext is another name, since a Context embedded as such hides its method
// Context.
type humaContext = huma.Context

// merged is a request with another body, which is JSON where there was none.
type merged struct {
	humaContext
	body io.Reader
	made bool
}

// Unwrap is the request as it came.
func (m merged) Unwrap() huma.Context { return m.humaContext }

// BodyReader reads the other body.
func (m merged) BodyReader() io.Reader { return m.body }

// Header is as it came but for the type of a body that was made here.
func (m merged) Header(name string) string {
	if m.made && name == "Content-Type" {
		return jsonType
	}
	return m.humaContext.Header(name)
}

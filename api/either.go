package api

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"

	"github.com/danielgtaylor/huma/v2"
)

// eitherWay lets each field of an optional body of B that is no list and no
// object come as a query parameter of the same name instead. Where it comes both
// ways the parameter counts.
func eitherWay[B any](a *API) option {
	fields := map[string]*huma.Schema{}
	for name, field := range huma.SchemaFromType(a.huma.OpenAPI().Components.Schemas, reflect.TypeFor[B]()).Properties {
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
			sent, err := io.ReadAll(io.LimitReader(ctx.BodyReader(), maxEitherBody))
			if err != nil {
				refuse(ctx, newError(http.StatusBadRequest, "the body could not be read"))
				return
			}
			next(merged{ctx, bytes.NewReader(merge(sent, given)), len(sent) == 0})
		})
	}
}

// maxEitherBody is more than bodies may have, so that one which is too large
// still is.
const maxEitherBody = 2 << 20

// given is the parameters that fields have in a query, as JSON.
func given(query url.Values, fields map[string]*huma.Schema) map[string]json.RawMessage {
	out := map[string]json.RawMessage{}
	for name, field := range fields {
		values, ok := query[name]
		if !ok {
			continue
		}
		value := json.RawMessage(values[0])
		if field.Type == huma.TypeString || !json.Valid(value) {
			value, _ = json.Marshal(values[0]) // a string always can be
		}
		out[name] = value
	}
	return out
}

// merge puts parameters over the fields of a body. What is no JSON object is left
// to be refused as it is.
func merge(body []byte, over map[string]json.RawMessage) []byte {
	fields := map[string]json.RawMessage{}
	if len(bytes.TrimSpace(body)) > 0 {
		if err := json.Unmarshal(body, &fields); err != nil || fields == nil {
			return body
		}
	}
	maps.Copy(fields, over)
	out, err := json.Marshal(fields)
	if err != nil {
		return body
	}
	return out
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

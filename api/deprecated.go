package api

import (
	"cmp"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

// deprecated marks an operation that will go: since when that is so, when it will not
// answer any more, and the path of what to call in its place. The document says so,
// and each answer (RFC 9745 and RFC 8594). It comes last in its line.
// docs/releases.md says how long there has to be between.
func deprecated(since, sunset time.Time, successor string) option {
	headers := map[string]string{
		"Deprecation": "@" + strconv.FormatInt(since.Unix(), 10),
		"Sunset":      sunset.UTC().Format(http.TimeFormat),
		"Link":        "<" + successor + `>; rel="successor-version"`,
	}
	return func(op *huma.Operation) {
		op.Deprecated = true
		op.Middlewares = append(op.Middlewares, func(c huma.Context, next func(huma.Context)) {
			for name, value := range headers {
				c.AppendHeader(name, value)
			}
			next(c)
		})
		if op.Responses == nil {
			op.Responses = map[string]*huma.Response{}
		}
		success := strconv.Itoa(cmp.Or(op.DefaultStatus, http.StatusOK))
		if op.Responses[success] == nil {
			op.Responses[success] = &huma.Response{}
		}
		for _, response := range op.Responses {
			if response.Headers == nil {
				response.Headers = map[string]*huma.Param{}
			}
			for name, value := range headers {
				response.Headers[name] = &huma.Header{Schema: &huma.Schema{Type: huma.TypeString}, Example: value}
			}
		}
	}
}

package api

import (
	"cmp"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

// deprecated marks an operation as deprecated since a time, with the time of its
// removal and the path of its successor. The OpenAPI document and the headers of each
// answer have them (RFC 9745 and RFC 8594). It has to be the last option in its line.
// docs/releases.md defines the minimum time between the two.
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

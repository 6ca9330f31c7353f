package api

import (
	"cmp"
	"context"
	"net/http"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-chi/chi/v5"
)

// A handler answers one operation. It sees a decoded request and returns the
// response body; everything about HTTP stays in this file.
type handler[I, O any] = func(ctx context.Context, in *I) (O, error)

// A rawHandler answers one operation whose answer is not JSON: it writes that
// itself, or returns an error before it has written anything.
type rawHandler[I any] = func(ctx context.Context, in *I, w http.ResponseWriter, r *http.Request) error

// An option adjusts an operation at the end of its line.
type option func(*huma.Operation)

// tagged is a body that has a version. It is sent with an ETag; callers that have that
// version get 304.
type tagged interface{ etag() string }

// unfinished is a body that may report work in the background: the URL of its
// operation, or "". If there is one, the status is 202.
type unfinished interface{ underway() string }

// maybeMade is the body of something that the request may have created. If so, the
// status is 201.
type maybeMade interface{ fresh() bool }

// rehearsal is a body that may be the result of a dry run. If so, the status is 200.
type rehearsal interface{ rehearsed() bool }

// located is the body of something with its own URL, which is sent as Location.
type located interface{ location() string }

// area starts a route table: its operations share a tag and an access rule.
func (a *API) area(tag string, who access) huma.API {
	group := huma.NewGroup(a.huma)
	group.UseSimpleModifier(func(op *huma.Operation) {
		op.Tags = []string{tag}
		if op.Metadata == nil {
			op.Metadata = map[string]any{}
		}
		op.Metadata[accessKey] = who
		who.document(op)
	})
	group.UseMiddleware(a.allow(who), meant)
	return group
}

func get[I, O any](area huma.API, path, id, summary string, h handler[I, O], with ...option) {
	route(area, http.MethodGet, path, id, summary, h, with)
}

func post[I, O any](area huma.API, path, id, summary string, h handler[I, O], with ...option) {
	route(area, http.MethodPost, path, id, summary, h, with)
}

func put[I, O any](area huma.API, path, id, summary string, h handler[I, O], with ...option) {
	route(area, http.MethodPut, path, id, summary, h, with)
}

func patch[I, O any](area huma.API, path, id, summary string, h handler[I, O], with ...option) {
	route(area, http.MethodPatch, path, id, summary, h, with)
}

func del[I, O any](area huma.API, path, id, summary string, h handler[I, O], with ...option) {
	route(area, http.MethodDelete, path, id, summary, h, with)
}

// describe sets the description of an operation. It begins with what the operation does
// or returns; parameters, defaults, limits and errors follow.
func describe(text string) option {
	return func(op *huma.Operation) { op.Description = text }
}

// status sets the status of success where it is not 200.
func status(code int) option {
	return func(op *huma.Operation) { op.DefaultStatus = code }
}

// body sets how many bytes a request may have where it is not 1 MiB.
func body(bytes int64) option {
	return func(op *huma.Operation) { op.MaxBodyBytes = bytes }
}

// route registers one operation: a JSON body of O with status 200, or the
// error's own status and an {"error": …} body.
func route[I, O any](area huma.API, method, path, id, summary string, h handler[I, O], with []option) {
	type response struct {
		Status int
		Body   O
	}

	op := operation(method, path, id, summary, with)
	if _, ok := any(new(O)).(tagged); ok {
		etagged(&op)
	}
	huma.Register(area, op, func(ctx context.Context, in *I) (*response, error) {
		out, err := h(ctx, in)
		if err != nil {
			e := problem(ctx, err)
			e.setHeaders(callOf(ctx).w.Header())
			return nil, e
		}
		answer := &response{cmp.Or(op.DefaultStatus, http.StatusOK), out}
		body := any(&answer.Body) // the pointer has the methods of the body, without a copy
		if version, ok := body.(tagged); ok {
			if err := conditional(callOf(ctx), version.etag()); err != nil {
				return nil, err
			}
		}
		if place, ok := body.(located); ok && place.location() != "" {
			callOf(ctx).w.Header().Set("Location", place.location())
		}
		if thing, ok := body.(maybeMade); ok && thing.fresh() {
			answer.Status = http.StatusCreated
		}
		if plan, ok := body.(rehearsal); ok && plan.rehearsed() {
			answer.Status = http.StatusOK
		}
		if work, ok := body.(unfinished); ok && work.underway() != "" {
			answer.Status = http.StatusAccepted
			callOf(ctx).w.Header().Set("Location", work.underway())
		}
		return answer, nil
	})
}

// raw registers an operation whose answer is not JSON.
func raw[I any](area huma.API, method, path, id, summary string, h rawHandler[I], with ...option) {
	huma.Register(area, operation(method, path, id, summary, with), func(ctx context.Context, in *I) (*huma.StreamResponse, error) {
		return &huma.StreamResponse{Body: func(huma.Context) {
			c := callOf(ctx)
			if err := h(ctx, in, &c.w, c.r.WithContext(ctx)); err != nil {
				if c.w.lost {
					panic(http.ErrAbortHandler) // the caller has gone, which is not our error
				}
				answer := problem(ctx, err)
				if c.w.status != 0 {
					panic(http.ErrAbortHandler) // too late for an error: the caller must see that the answer is incomplete
				}
				writeError(&c.w, answer)
			}
		}}, nil
	})
}

func operation(method, path, id, summary string, with []option) huma.Operation {
	op := huma.Operation{
		OperationID: id,
		Method:      method,
		Path:        path,
		Summary:     summary,

		BodyReadTimeout: -1, // paced limits the time of bodies
	}
	for _, adjust := range with {
		adjust(&op)
	}
	return op
}

// etagKey marks, in an operation's metadata, one whose answer has an ETag.
const etagKey = "etag"

// etagged is an option of operations whose answer has an ETag, and that answer 304
// where the caller names it.
func etagged(op *huma.Operation) {
	if op.Metadata == nil {
		op.Metadata = map[string]any{}
	}
	op.Metadata[etagKey] = true
}

// conditional sends the ETag, and ends the request with 304 if the caller has that
// version.
func conditional(c *call, etag string) error {
	c.w.Header().Set("ETag", etag)
	if etagMatches(c.r.Header.Get("If-None-Match"), etag) {
		return &Error{status: http.StatusNotModified}
	}
	return nil
}

// etagMatches compares weakly, as If-None-Match asks for.
func etagMatches(header, etag string) bool {
	if header == "*" {
		return true
	}
	etag = strings.TrimPrefix(etag, "W/")
	for candidate := range strings.SplitSeq(header, ",") {
		if strings.TrimPrefix(strings.TrimSpace(candidate), "W/") == etag {
			return true
		}
	}
	return false
}

// methodNotAllowed answers with the methods that the path supports.
func methodNotAllowed(router *chi.Mux) http.HandlerFunc {
	methods := []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}
	return func(w http.ResponseWriter, r *http.Request) {
		for _, method := range methods {
			if router.Match(chi.NewRouteContext(), method, r.URL.Path) {
				w.Header().Add("Allow", method)
			}
		}
		writeError(w, newError(http.StatusMethodNotAllowed, "this path does not support this method"))
	}
}

// head registers an operation that answers with a status only.
func head[I any](area huma.API, path, id, summary string, h func(ctx context.Context, in *I) error, with ...option) {
	raw(area, http.MethodHead, path, id, summary, func(ctx context.Context, in *I, w http.ResponseWriter, _ *http.Request) error {
		if err := h(ctx, in); err != nil {
			return err
		}
		w.WriteHeader(http.StatusOK)
		return nil
	}, with...)
}

// produces documents the media types of an answer that is not JSON.
func produces(types ...string) option {
	return func(op *huma.Operation) {
		content := map[string]*huma.MediaType{}
		for _, t := range types {
			content[t] = &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}
		}
		op.Responses = map[string]*huma.Response{"200": {Description: http.StatusText(http.StatusOK), Content: content}}
	}
}

// orPlan documents that the answer of a dry run is 200.
func orPlan(a *API) option {
	schema := a.huma.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[BulkAccepted](), true, "")
	return func(op *huma.Operation) {
		op.Responses = map[string]*huma.Response{"200": {Description: "The result of a dry run", Content: map[string]*huma.MediaType{jsonType: {Schema: schema}}}}
	}
}

// orUnfinished documents that the answer is 202 while the work of B goes on.
func orUnfinished[B unfinished](a *API) option {
	schema := a.huma.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[B](), true, "")
	return func(op *huma.Operation) {
		op.Responses = map[string]*huma.Response{"202": {Description: "It takes longer", Content: map[string]*huma.MediaType{jsonType: {Schema: schema}}}}
	}
}

// orLater documents that the answer is 202 while the result is not ready.
func orLater(a *API) option {
	schema := a.huma.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[Message](), true, "")
	return func(op *huma.Operation) {
		op.Responses["202"] = &huma.Response{Description: "The document is being made; repeat the request", Content: map[string]*huma.MediaType{jsonType: {Schema: schema}}}
	}
}

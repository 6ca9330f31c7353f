package api

import (
	"net/http"
	"slices"
)

// What pages of other origins may send and read, beside what browsers allow anyway.
const (
	sentByPages = "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Range, X-Request-Id"
	readByPages = "Content-Disposition, Deprecation, ETag, Link, Location, Retry-After, Sunset, X-RateLimit-Limit, X-RateLimit-Remaining, " +
		"X-RateLimit-Reset, X-Request-Id, X-Version"
	pagesMethods = "GET, HEAD, POST, PUT, PATCH, DELETE"
)

// shareWithOrigin lets pages of the origins that the operator names call the API
// (CORS). They prove who they are by a key or a token in a header: cookies do not
// count for them, and browsers are not told that they may send any. It reports
// whether the request was only a browser's question whether it may ask.
func (a *API) shareWithOrigin(w http.ResponseWriter, r *http.Request) bool {
	if len(a.Origins) == 0 {
		return false
	}
	header := w.Header()
	header.Add("Vary", "Origin") // a cache must not give the answer for one origin to another
	origin := r.Header.Get("Origin")
	if !slices.Contains(a.Origins, origin) {
		return false
	}
	header.Set("Access-Control-Allow-Origin", origin)
	header.Set("Access-Control-Expose-Headers", readByPages)
	r.Header.Del("Cookie")
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	callOf(r.Context()).operation = "preflight"
	header.Set("Access-Control-Allow-Methods", pagesMethods)
	header.Set("Access-Control-Allow-Headers", sentByPages)
	header.Set("Access-Control-Max-Age", "600")
	w.WriteHeader(http.StatusNoContent)
	return true
}

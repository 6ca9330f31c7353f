package api

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/go-chi/chi/v5"
	"github.com/swaggest/swgui/v5/static"

	"github.com/clausemill/clausemill/auth"
)

// The page of the documentation, and what it adds to Swagger UI.
var (
	//go:embed documentation.html
	documentationPage []byte
	//go:embed documentation.css
	documentationStyle []byte
	//go:embed documentation.js
	documentationScript []byte
)

// documentationPolicy is the Content-Security-Policy of the documentation: scripts and
// data from here alone. Swagger UI draws with styles and pictures in its own text.
const documentationPolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; " +
	"frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

// documentation serves the description of the API, for programs, and for people as
// Swagger UI shows it. The page needs nothing from elsewhere.
func (a *API) documentation(router chi.Router) {
	const description = "application/openapi+json"
	router.Get("/openapi.json", fixed("openapi", description, "", sync.OnceValue(func() []byte { return a.description(false) })))
	router.Get("/openapi-3.0.json", fixed("openapi", description, "", sync.OnceValue(func() []byte { return a.description(true) })))
	router.Get("/docs", fixed("docs", "text/html; charset=utf-8", documentationPolicy, func() []byte { return documentationPage }))
	router.Get("/docs/page.css", asset("text/css; charset=utf-8", func() []byte { return zipped(documentationStyle) }))
	router.Get("/docs/page.js", asset("text/javascript; charset=utf-8", func() []byte { return zipped(documentationScript) }))
	router.Get("/docs/swagger-ui.css", asset("text/css; charset=utf-8", vendored("swagger-ui.css.gz")))
	router.Get("/docs/swagger-ui.js", asset("text/javascript; charset=utf-8", vendored("swagger-ui-bundle.js.gz")))
}

// description is Description with the session cookie named as this service sets it:
// without TLS it has another name.
func (a *API) description(old bool) []byte {
	text := Description(old)
	if a.plain() {
		text = bytes.ReplaceAll(text, []byte(auth.CookieName), []byte(auth.PlainCookieName))
	}
	return text
}

// pagePolicy is the Content-Security-Policy of pages that are all in one piece.
const pagePolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

// fixed serves the same bytes always.
func fixed(operation, contentType, policy string, content func() []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		callOf(r.Context()).operation = operation
		w.Header().Set("Content-Type", contentType)
		if policy != "" {
			w.Header().Set("Content-Security-Policy", policy)
		}
		_, _ = w.Write(content()) // the reader has gone; nothing is left to tell
	}
}

// asset serves a part of a page that is kept compressed: compressed is called once, when
// it is asked for. A browser asks whether it is the same still.
func asset(contentType string, compressed func() []byte) http.HandlerFunc {
	compressed = sync.OnceValue(compressed)
	tag := sync.OnceValue(func() string {
		sum := sha256.Sum256(compressed())
		return `"` + hex.EncodeToString(sum[:8]) + `"`
	})
	return func(w http.ResponseWriter, r *http.Request) {
		callOf(r.Context()).operation = "docs"
		header := w.Header()
		header.Set("Content-Type", contentType)
		header.Set("Cache-Control", "no-cache")
		header.Set("Vary", "Accept-Encoding")
		header.Set("ETag", tag())
		if etagMatches(r.Header.Get("If-None-Match"), tag()) {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		content := compressed()
		if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			header.Set("Content-Encoding", "gzip")
		} else {
			content = unzipped(content)
		}
		_, _ = w.Write(content) // the reader has gone; nothing is left to tell
	}
}

// vendored is a file of Swagger UI.
func vendored(name string) func() []byte {
	return func() []byte {
		text, err := static.FS.ReadFile(name)
		if err != nil {
			panic(err) // it is part of the program
		}
		return text
	}
}

func zipped(text []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(text); err != nil {
		panic(err) // a buffer takes all
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return out.Bytes()
}

func unzipped(compressed []byte) []byte {
	r, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		panic(err) // it is part of the program
	}
	text, err := io.ReadAll(r)
	if err != nil {
		panic(err)
	}
	return text
}

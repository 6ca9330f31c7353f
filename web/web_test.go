package web

import (
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

func TestHandler(t *testing.T) {
	t.Parallel()

	h := newHandler(fstest.MapFS{
		"index.html":        {Data: []byte("<title>Clausemill</title>")},
		"icon.svg":          {Data: []byte("<svg/>")},
		"assets/app-1a.js":  {Data: []byte("export {}")},
		"assets/app-1a.css": {Data: []byte("a{}")},
		".gitignore":        {Data: []byte("*")},
	})
	ask := func(path, accept, encoding string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
		r.Header.Set("Accept", accept)
		r.Header.Set("Accept-Encoding", encoding)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	for path, want := range map[string]struct{ contentType, cache, body string }{
		"/":                 {"text/html; charset=utf-8", "no-cache", "<title>Clausemill</title>"},
		"/files/1?tab=text": {"text/html; charset=utf-8", "no-cache", "<title>Clausemill</title>"},
		"/.gitignore":       {"text/html; charset=utf-8", "no-cache", "<title>Clausemill</title>"},
		"/icon.svg":         {"image/svg+xml", "no-cache", "<svg/>"},
		"/assets/app-1a.js": {"text/javascript; charset=utf-8", "public, max-age=31536000, immutable", "export {}"},
	} {
		for _, encoding := range []string{"", "br, gzip"} {
			w := ask(path, "text/html,*/*;q=0.8", encoding)
			require.Equal(t, http.StatusOK, w.Code, path)
			require.Equal(t, want.contentType, w.Header().Get("Content-Type"), path)
			require.Equal(t, want.cache, w.Header().Get("Cache-Control"), path)
			require.Equal(t, Policy, w.Header().Get("Content-Security-Policy"), path)
			body := io.Reader(w.Body)
			if encoding != "" {
				require.Equal(t, "gzip", w.Header().Get("Content-Encoding"), path)
				var err error
				body, err = gzip.NewReader(body)
				require.NoError(t, err)
			}
			text, err := io.ReadAll(body)
			require.NoError(t, err)
			require.Equal(t, want.body, string(text), path)
		}
	}
	// A page of an older release asks for scripts that are gone; HTML would not run.
	// So does a program that asks for what is nothing.
	for _, gone := range []*httptest.ResponseRecorder{ask("/assets/app-0f.js", "text/html", ""), ask("/file", "*/*", "")} {
		require.Equal(t, http.StatusNotFound, gone.Code)
		require.Equal(t, "no-cache", gone.Header().Get("Cache-Control"))
		require.JSONEq(t, `{"error":"not found","code":"not_found"}`, gone.Body.String())
	}
	for _, there := range []string{"/", "/icon.svg"} {
		require.Equal(t, http.StatusOK, ask(there, "*/*", "").Code, there)
	}
}

// TestTypesAreOurOwn asks for files whose types the tables of a machine may not have.
func TestTypesAreOurOwn(t *testing.T) {
	t.Parallel()

	types := map[string]string{
		"assets/a-1a.woff2": "font/woff2", "licences.txt": "text/plain; charset=utf-8", "a.webmanifest": "application/manifest+json",
		"a.odd": "application/octet-stream", "noextension": "application/octet-stream",
	}
	files := fstest.MapFS{"index.html": {Data: []byte("<title>Clausemill</title>")}}
	for name := range types {
		files[name] = &fstest.MapFile{Data: []byte("x")}
	}
	h := newHandler(files)
	for name, want := range types {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/"+name, nil))
		require.Equal(t, want, w.Header().Get("Content-Type"), name)
	}

	built, err := fs.Sub(dist, "dist")
	require.NoError(t, err)
	require.NoError(t, fs.WalkDir(built, ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && !strings.HasPrefix(entry.Name(), ".") {
			require.Contains(t, contentTypes, path.Ext(name), name)
		}
		return err
	}))
}

// TestEncodingsAndTags asks for a page in encodings, and again with its tag.
func TestEncodingsAndTags(t *testing.T) {
	t.Parallel()

	h := newHandler(fstest.MapFS{"index.html": {Data: []byte("<title>Clausemill</title>")}})
	ask := func(encoding, tag string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		r.Header.Set("Accept-Encoding", encoding)
		r.Header.Set("If-None-Match", tag)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	for encoding, zipped := range map[string]bool{
		"": false, "br": false, "gzip;q=0": false, "gzip; q=0.000, br": false, "identity, *;q=0": false, "*, gzip;q=0": false, "gzip;q=x": false,
		"gzip": true, "GZIP;q=0.5": true, "br, *": true, "*;q=0, gzip": true,
	} {
		w := ask(encoding, "")
		require.Equal(t, zipped, w.Header().Get("Content-Encoding") == "gzip", encoding)
		tag := w.Header().Get("ETag")
		require.NotEmpty(t, tag)
		for again, want := range map[string]int{tag: 304, "W/" + tag: 304, `"other", ` + tag: 304, "*": 304, `"other"`: 200} {
			w := ask(encoding, again)
			require.Equal(t, want, w.Code, again)
			require.Equal(t, tag, w.Header().Get("ETag"))
			require.Equal(t, "no-cache", w.Header().Get("Cache-Control"))
			require.Equal(t, want == 304, w.Body.Len() == 0)
		}
	}
	require.NotEqual(t, ask("", "").Header().Get("ETag"), ask("gzip", "").Header().Get("ETag"))
}

// What the scripts may weigh as they are sent, in bytes.
const (
	firstPage = 150_000 // of those that the start page loads by itself
	allPages  = 400_000
)

// TestScriptsAreSmall weighs what was built.
func TestScriptsAreSmall(t *testing.T) {
	t.Parallel()

	page, err := dist.ReadFile("dist/" + start)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("the console is not built: make console")
	}
	require.NoError(t, err)
	first, all := 0, 0
	scripts, err := fs.Glob(dist, "dist/"+hashed+"*.js")
	require.NoError(t, err)
	for _, script := range scripts {
		content, err := dist.ReadFile(script)
		require.NoError(t, err)
		size := len(zip(content))
		all += size
		if strings.Contains(string(page), strings.TrimPrefix(script, "dist")) {
			first += size
		}
	}
	t.Logf("%d bytes for the first page, %d in %d scripts", first, all, len(scripts))
	require.Positive(t, first, "the start page names no script")
	require.LessOrEqual(t, first, firstPage)
	require.LessOrEqual(t, all, allPages)
}

// TestNoMarkupFromData holds the console to text: what contracts, file names and people say
// is never parsed as markup or run.
func TestNoMarkupFromData(t *testing.T) {
	t.Parallel()

	sinks := regexp.MustCompile(`(?:inner|outer)HTML\s*\+?=[^=]|insertAdjacentHTML|dangerouslySetInnerHTML|document\.write|DOMParser|createContextualFragment|srcdoc|\beval\(|new Function|javascript:`)
	read := 0
	require.NoError(t, filepath.WalkDir("app", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path) //nolint:gosec // a source of this package
		read++
		require.Empty(t, sinks.FindAllString(string(content), -1), path)
		return err
	}))
	require.Greater(t, read, 50)
	page, err := os.ReadFile("index.html")
	require.NoError(t, err)
	require.NotRegexp(t, `(?i)\son\w+=|<style|<script(?:[^>]*[^/])?>[^<]`, string(page))
}

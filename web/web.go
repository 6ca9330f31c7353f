package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
)

// dist is what Vite builds. A program that is built without it has no console.
//
//go:embed all:dist
var dist embed.FS

// start is the page that all addresses of the console show: which of them it is, its
// script finds out.
const start = "index.html"

// hashed is the directory of what has a hash of its content in its name.
const hashed = "assets/"

// Policy is the Content-Security-Policy of the console: everything from here, nothing
// inline, and no text parsed as markup. Page images of files not yet uploaded are blobs.
const Policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; font-src 'self'; connect-src 'self'; manifest-src 'self'; " +
	"frame-ancestors 'none'; base-uri 'none'; form-action 'self'; require-trusted-types-for 'script'; trusted-types 'none'"

// Handler serves the console; nil where the program was built without it. It answers
// files of the build by their names, and every other address with the start page, if a
// browser loads it as a page. The root is the start page for whoever asks, programs that
// look whether the service is there among them.
func Handler() http.Handler {
	built, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // the name is a constant
	}
	if _, err := fs.Stat(built, start); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return newHandler(built)
}

// contentTypes are those of the files of the build, by their extensions. The tables of the
// machine are not asked: a small image has none.
var contentTypes = map[string]string{
	".css":         "text/css; charset=utf-8",
	".html":        "text/html; charset=utf-8",
	".ico":         "image/x-icon",
	".js":          "text/javascript; charset=utf-8",
	".json":        "application/json",
	".map":         "application/json",
	".mjs":         "text/javascript; charset=utf-8",
	".pdf":         "application/pdf",
	".png":         "image/png",
	".svg":         "image/svg+xml",
	".txt":         "text/plain; charset=utf-8",
	".wasm":        "application/wasm",
	".webmanifest": "application/manifest+json",
	".webp":        "image/webp",
	".woff":        "font/woff",
	".woff2":       "font/woff2",
}

// contentType is the type of a file by its name.
func contentType(name string) string {
	if known := contentTypes[path.Ext(name)]; known != "" {
		return known
	}
	return "application/octet-stream"
}

// page is a file of the build, as it is sent.
type page struct {
	contentType string
	tag         string // its ETag, without quotes
	plain       []byte
	zipped      func() []byte
}

func newHandler(built fs.FS) http.Handler {
	pages := map[string]page{}
	err := fs.WalkDir(built, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasPrefix(entry.Name(), ".") {
			return err
		}
		content, err := fs.ReadFile(built, name)
		if err != nil {
			return err
		}
		pages[name] = page{contentType(name), fmt.Sprintf("%x", sha256.Sum256(content))[:32], content, sync.OnceValue(func() []byte { return zip(content) })}
		return nil
	})
	if err != nil {
		panic(err) // it is part of the program
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(r.URL.Path, "/")
		found, ok := pages[name]
		header := w.Header()
		header.Set("Content-Security-Policy", Policy)
		header.Set("Cache-Control", "no-cache")
		switch {
		case ok && strings.HasPrefix(name, hashed):
			header.Set("Cache-Control", "public, max-age=31536000, immutable")
		case ok, name == "":
		case strings.HasPrefix(name, hashed), !strings.Contains(r.Header.Get("Accept"), "text/html"):
			header.Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusNotFound)
			_, _ = w.Write([]byte(`{"error":"not found","code":"not_found"}` + "\n"))
			return
		}
		if !ok {
			found = pages[start]
		}
		header.Set("Content-Type", found.contentType)
		header.Set("Vary", "Accept-Encoding")
		zipped, tag := acceptsGzip(r.Header.Values("Accept-Encoding")), `"`+found.tag+`"`
		if zipped {
			tag = `"` + found.tag + `-gzip"`
		}
		header.Set("ETag", tag)
		if matches(r.Header.Values("If-None-Match"), tag) {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		content := found.plain
		if zipped {
			header.Set("Content-Encoding", "gzip")
			content = found.zipped()
		}
		_, _ = w.Write(content) // the reader has gone; nothing is left to tell
	})
}

// acceptsGzip reports whether the values of Accept-Encoding have gzip, or anything, and do not
// refuse it by a quality of 0.
func acceptsGzip(values []string) bool {
	accepts := false
	for coding := range strings.SplitSeq(strings.Join(values, ","), ",") {
		name, parameters, _ := strings.Cut(coding, ";")
		name = strings.ToLower(strings.TrimSpace(name))
		if name != "gzip" && name != "*" {
			continue
		}
		quality, has := strings.CutPrefix(strings.ToLower(strings.TrimSpace(parameters)), "q=")
		n, err := strconv.ParseFloat(quality, 64)
		accepts = !has || err == nil && n > 0
		if name == "gzip" {
			return accepts
		}
	}
	return accepts
}

// matches reports whether If-None-Match has a tag.
func matches(values []string, tag string) bool {
	for value := range strings.SplitSeq(strings.Join(values, ","), ",") {
		if value = strings.TrimSpace(value); value == "*" || strings.TrimPrefix(value, "W/") == tag {
			return true
		}
	}
	return false
}

func zip(content []byte) []byte {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		panic(err) // the level is a constant
	}
	if _, err := w.Write(content); err != nil {
		panic(err) // a buffer takes all
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return out.Bytes()
}

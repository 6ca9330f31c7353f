package api

import (
	"io"
	"net/http"
	"time"
)

// serveContent answers with content or the part that was asked for, and has
// errors look like all others.
func serveContent(w http.ResponseWriter, r *http.Request, modified time.Time, content io.ReadSeeker) {
	http.ServeContent(&contentWriter{ResponseWriter: w}, r, "", modified, content)
}

// contentWriter replaces error messages of the standard library, which are plain text,
// by an Error.
type contentWriter struct {
	http.ResponseWriter
	refused bool
}

func (c *contentWriter) WriteHeader(status int) {
	switch {
	case status == http.StatusRequestedRangeNotSatisfiable:
		c.refused = true
		writeError(c.ResponseWriter, newError(status, "the range is not within the file"))
	case status >= http.StatusInternalServerError:
		c.refused = true
		writeError(c.ResponseWriter, newError(status, "the file could not be read; try again"))
	default:
		c.ResponseWriter.WriteHeader(status)
	}
}

func (c *contentWriter) Write(p []byte) (int, error) {
	if c.refused {
		return len(p), nil
	}
	return c.ResponseWriter.Write(p)
}

// ReadFrom allows the kernel to send files directly.
func (c *contentWriter) ReadFrom(r io.Reader) (int64, error) { return io.Copy(c.ResponseWriter, r) }

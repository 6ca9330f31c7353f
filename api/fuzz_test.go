package api

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	"image/png"
	"io"
	"mime"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/blob"
	"github.com/clausemill/clausemill/fault"
)

// FuzzName holds names to what is promised: fit for a screen, a column and a
// header, and the same when cleaned twice.
func FuzzName(f *testing.F) {
	for _, name := range []string{
		"lease.pdf", "../../etc/passwd", `C:\lease.pdf`, "a\x00b\r\nSet-Cookie: x", "\u202Efdp.exe", "Zürich “lease” 100%.pdf",
		strings.Repeat("ü", 300) + ".pdf", ".", "..", "/", "\xff\xfe", "a." + strings.Repeat("b", 300), "%2e%2e%2f", "\ufeff", "A/S Norge.txt",
	} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		clean := cleanName(name)
		require.True(t, utf8.ValidString(clean))
		require.LessOrEqual(t, utf8.RuneCountInString(clean), maxName)
		require.False(t, strings.ContainsFunc(clean, unicode.IsControl))
		require.False(t, strings.HasPrefix(clean, "/") || strings.HasPrefix(clean, `\`) || strings.HasPrefix(clean, "../"))
		require.NotContains(t, []string{".", ".."}, clean)
		require.Equal(t, clean, cleanName(clean))

		header := attachment(clean)
		require.False(t, strings.ContainsFunc(header, func(r rune) bool { return r < ' ' || r > '~' }))
		media, params, err := mime.ParseMediaType(header)
		require.NoError(t, err, header)
		require.Equal(t, "attachment", media)
		saved := strings.NewReplacer("/", "_", `\`, "_").Replace(clean)
		require.Equal(t, saved, params["filename"], "what is saved is what was named, and no path")
	})
}

// FuzzCursor holds the cursors of lists to their kind, and the places in them to
// what was put there.
func FuzzCursor(f *testing.F) {
	f.Add("files", "0199")
	f.Add("blocks", "3:41")
	f.Add("", "")
	f.Add("names", "\x88")
	f.Add("names", "a\x00")
	f.Fuzz(func(t *testing.T, kind, place string) {
		if strings.Contains(kind, ":") {
			return // kinds are ours
		}
		got, err := Page{Cursor: cursor(kind, place)}.place(kind)
		if text := kind + ":" + place; utf8.ValidString(text) && !strings.Contains(text, "\x00") {
			require.NoError(t, err)
			require.Equal(t, place, got)
		} else {
			require.Error(t, err, "no text of ours has that")
		}
		_, err = Page{Cursor: cursor(kind+"x", place)}.place(kind)
		require.Error(t, err)
		_, _ = Page{Cursor: place}.place(kind)
		_, _ = afterOrdinal(Page{Cursor: place}, "blocks", 1)
		_, _ = afterOrdinal(BodyPage{Cursor: cursor("blocks", place)}, "blocks", 1)
	})
}

// FuzzObject holds metadata to being the same object after it was made
// storable.
func FuzzObject(f *testing.F) {
	for _, text := range []string{`{}`, `{"a":[1.50,1e999,"\ud800",null]}`, `{"\u0000":1}`, `[]`, `null`, `{"a":1}{`, `{"a":"<&>"}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if text == nil {
			return // nothing was sent
		}
		clean, err := Object(text).storable("body")
		if err != nil {
			return
		}
		require.True(t, json.Valid(clean))
		require.NotContains(t, string(clean), `\u0000`)
		again, err := Object(clean).storable("body")
		require.NoError(t, err)
		require.Equal(t, string(clean), string(again))
	})
}

// FuzzUpload sends any body as any type, and holds what is stored to the limits.
func FuzzUpload(f *testing.F) {
	const form = "multipart/form-data; boundary=b"
	f.Add(form, []byte("--b\r\nContent-Disposition: form-data; name=\"metadata\"\r\n\r\n{\"a\":1}\r\n--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.pdf\"\r\n\r\n%PDF\r\n--b--\r\n"))
	f.Add(form, []byte("--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n=\r\n--b"))
	f.Add("application/json", []byte(`{"name":"a","contentBase64":"JVBERg==","parties":[{"name":"Acme"}]}`))
	f.Add("application/json", []byte(`{"name":1}`))
	f.Add(form, []byte("--b\r\nContent-Disposition: form-data; name=\"expectVersion\"\r\n\r\n2\r\n--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.pdf\"\r\n\r\n%PDF\r\n--b--\r\n"))
	f.Add("application/json", []byte(`{"sfdt":{"sections":[]},"expectVersion":2,"note":"x"}`))
	f.Add("text/plain", []byte("x"))
	blobs, err := blob.Open(f.Context(), "mem://")
	require.NoError(f, err)
	const limit = 64
	limits := DefaultLimits()
	limits.MaxFile, limits.MaxJSONFile = limit, limit/2
	a := &API{Config: Config{Blobs: blobs, Limits: limits}, quotas: newQuotas(limits, newMetrics(prometheus.NewRegistry(), newHub()).quotas)}
	a.routes()
	f.Fuzz(func(t *testing.T, contentType string, body []byte) {
		for _, up := range []*upload{a.newUpload(), a.newVersionUpload(&versionFields{})} {
			c := &call{r: httptest.NewRequest(http.MethodPost, "/api/files", bytes.NewReader(body))}
			c.w.ResponseWriter = httptest.NewRecorder()
			c.r.Header.Set("Content-Type", contentType)
			c.body = newPaced(c.r.Body, http.NewResponseController(&c.w), &limits, func() *grant { return a.quotas.memory.of(c.principal) })
			c.r.Body = c.body
			err := a.receiveBody(context.Background(), c, up)
			for _, file := range up.files {
				require.LessOrEqual(t, file.Size, int64(limit))
				require.NotEmpty(t, file.name)
				require.NoError(t, blobs.Delete(context.Background(), up.key(file.id)))
			}
			if err != nil {
				require.Less(t, statusOf(err), http.StatusInternalServerError, "%v", err)
			} else if len(up.files) > 0 {
				require.NotEmpty(t, up.hash())
			}
			_, _ = io.Copy(io.Discard, c.r.Body)
		}
	})
}

// statusOf is the status that an error is answered with.
func statusOf(err error) int {
	if ready, ok := err.(*Error); ok { //nolint:errorlint // it is never wrapped here
		return ready.status
	}
	return statuses[fault.KindOf(err)]
}

// FuzzIcon holds icons to being small PNGs, whatever they were made of.
func FuzzIcon(f *testing.F) {
	var square bytes.Buffer
	require.NoError(f, png.Encode(&square, image.NewGray(image.Rect(0, 0, 3, 700))))
	f.Add(square.Bytes())
	f.Add([]byte("\xff\xd8\xff\xe0\x00\x10JFIF\x00"))
	f.Add([]byte("<svg/>"))
	f.Fuzz(func(t *testing.T, content []byte) {
		icon, err := drawIcon(content)
		if err != nil {
			require.Less(t, statusOf(err), http.StatusInternalServerError, "%v", err)
			return
		}
		config, err := png.DecodeConfig(bytes.NewReader(icon))
		require.NoError(t, err)
		require.LessOrEqual(t, max(config.Width, config.Height), iconSide)
	})
}

package api_test

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
)

// reaction is what one of many requests was answered.
type reaction struct {
	status     int
	retryAfter string
	api.Error
}

// attack sends n requests of who, each over a connection of its own that stays
// open until the test ends, and tells of each answer.
func attack(t *testing.T, server *httptest.Server, who caller, n int, request string) <-chan reaction {
	t.Helper()
	line, rest, _ := strings.Cut(request, "\r\n")
	var header strings.Builder
	require.NoError(t, who.header.Write(&header))
	reactions := make(chan reaction, n)
	for range n {
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
		require.NoError(t, err)
		t.Cleanup(func() { _ = conn.Close() })
		_, err = fmt.Fprintf(conn, "%s HTTP/1.1\r\nHost: localhost\r\n%s%s", line, &header, rest)
		require.NoError(t, err)
		go func() {
			response, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				return // the test has ended
			}
			defer func() { _ = response.Body.Close() }()
			r := reaction{status: response.StatusCode, retryAfter: response.Header.Get("Retry-After")}
			if r.status >= http.StatusBadRequest {
				_ = json.NewDecoder(response.Body).Decode(&r.Error) // what is missing is seen below
			}
			reactions <- r
		}()
	}
	return reactions
}

// TestManySlowUploads has one caller begin as many uploads as the process takes,
// and end none.
func TestManySlowUploads(t *testing.T) {
	t.Parallel()
	b, server, _ := live(t)
	limits := api.DefaultLimits()
	const part = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.pdf\"\r\n\r\n%PDF"
	reactions := attack(t, server, b.mallory, int(limits.Uploads.Process),
		"POST /api/files\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 100000\r\n\r\n"+part)
	for range limits.Uploads.Process - limits.Uploads.Caller {
		r := <-reactions
		require.Equal(t, http.StatusTooManyRequests, r.status)
		require.Equal(t, "too_many_uploads", r.Code)
		require.NotEmpty(t, r.retryAfter)
	}
	for range 20 {
		body, contentType := form(t, nil, [2]string{"a.pdf", "%PDF"})
		r := liveRequest(t, server, b.acme, "POST /api/files", body.String())
		r.Header.Set("Content-Type", contentType)
		response, err := server.Client().Do(r)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		require.Equal(t, http.StatusAccepted, response.StatusCode)
	}
	require.Empty(t, reactions, "the others are still under way")
}

// TestManyStreams has one session open as many event streams as the process
// takes.
func TestManyStreams(t *testing.T) {
	t.Parallel()
	share := api.WaitingShare(64)
	b, server, _ := live(t, func(c *api.Config) { c.Limits.Waiting = share })
	reactions := attack(t, server, b.mallory, int(share.Process), "GET /api/events\r\n\r\n")
	open := int64(0)
	for range share.Process {
		r := <-reactions
		if r.status == http.StatusOK {
			open++
			continue
		}
		require.Equal(t, http.StatusTooManyRequests, r.status)
		require.Equal(t, "too_many_waiting", r.Code)
		require.NotEmpty(t, r.retryAfter)
	}
	require.Equal(t, share.Caller, open)

	stream := do(t, server, b.acme, "GET /api/events", "")
	require.Equal(t, http.StatusOK, stream.StatusCode)
	f := b.file(t, b.acme)
	require.Contains(t, (<-events(t, stream.Body)).data, f.ID)
	told := make(chan *http.Response, 1)
	poll := liveRequest(t, server, b.acme, "GET /api/files/"+f.ID+"/status?wait=60", "")
	go func() {
		response, err := server.Client().Do(poll)
		if err != nil {
			t.Error(err)
		}
		told <- response
	}()
	b.process(t, b.acme, f.ID)
	response := <-told
	require.Equal(t, http.StatusOK, response.StatusCode)
	require.NoError(t, response.Body.Close())
}

// trickle is a request whose body comes a piece at a time, until it ends or is
// answered.
func trickle(t *testing.T, server *httptest.Server, who caller, line, contentType string, every time.Duration, pieces ...string) *http.Response {
	t.Helper()
	reader, writer := io.Pipe()
	r := liveRequest(t, server, who, line, "")
	r.Body = reader
	r.Header.Set("Content-Type", contentType)
	go func() {
		for _, piece := range pieces {
			time.Sleep(every) // the slowness is what is tested
			if _, err := io.WriteString(writer, piece); err != nil {
				return
			}
		}
		_ = writer.Close()
	}()
	response, err := server.Client().Do(r)
	require.NoError(t, err)
	t.Cleanup(func() { _ = response.Body.Close() })
	return response
}

// TestPace sends bodies that never stand still: ten bytes at a time are too slow,
// and thousands are not, however long that takes.
func TestPace(t *testing.T) {
	t.Parallel()
	const patience = time.Second
	b, server, _ := live(t, func(c *api.Config) { c.Limits.BodyPatience = patience })
	upload := func(size, n int) (contentType string, pieces []string) {
		pieces = append(pieces, "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.pdf\"\r\n\r\n%PDF")
		for range n {
			pieces = append(pieces, strings.Repeat("x", size))
		}
		return "multipart/form-data; boundary=b", append(pieces, "\r\n--b--\r\n")
	}
	category := func(size, n int) (contentType string, pieces []string) {
		pieces = append(pieces, `{"name": "slow", "description": "short"`)
		for range n {
			pieces = append(pieces, strings.Repeat(" ", size))
		}
		return "application/json", append(pieces, "}")
	}
	for name, tt := range map[string]struct {
		line    string
		body    func(size, n int) (string, []string)
		success int
	}{
		"Upload": {"POST /api/files", upload, http.StatusAccepted},
		"JSON":   {"POST /api/categories", category, http.StatusCreated},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			contentType, pieces := tt.body(10, 1000)
			response := trickle(t, server, b.acme, tt.line, contentType, patience/20, pieces...)
			require.Equal(t, http.StatusRequestTimeout, response.StatusCode)
			var e api.Error
			require.NoError(t, json.NewDecoder(response.Body).Decode(&e))
			require.Contains(t, e.Message, "1 KiB")
			require.True(t, response.Close)

			contentType, pieces = tt.body(2000, 30)
			response = trickle(t, server, b.acme, tt.line, contentType, patience/20, pieces...)
			require.Equal(t, tt.success, response.StatusCode)
		})
	}
}

// TestBodyMemory has a caller send what has to be held whole, and end it not.
func TestBodyMemory(t *testing.T) {
	t.Parallel()
	const size = 1 << 20
	b, server, _ := live(t, func(c *api.Config) { c.Limits.MaxJSONFile, c.Limits.BodyMemory = size, 0 })
	body := `{"name": "a.pdf", "contentBase64": "` + base64.StdEncoding.EncodeToString(append([]byte("%PDF-1.7\n"), make([]byte, size-9)...)) + `"`
	hold := func() <-chan reaction {
		return attack(t, server, b.alice, 1, fmt.Sprintf(
			"POST /api/files\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body)+1, body))
	}
	reactions := hold()
	require.Eventually(t, func() bool { // it takes a moment to be read
		select {
		case <-reactions: // the other one was read first
			reactions = hold()
		default:
		}
		response := do(t, server, b.alice, "POST /api/files", body+"}")
		var e api.Error
		return response.StatusCode == http.StatusTooManyRequests && json.NewDecoder(response.Body).Decode(&e) == nil && e.Code == "too_much_memory"
	}, time.Minute, 10*time.Millisecond)
	require.Empty(t, reactions)

	text := `{"text": "` + strings.Repeat("x", size) + `"}`
	response := do(t, server, b.alice, "POST /api/text/nlp/score-text", text)
	require.Equal(t, http.StatusTooManyRequests, response.StatusCode, "whatever the body is for")
	require.Equal(t, http.StatusAccepted, do(t, server, b.mallory, "POST /api/files", body+"}").StatusCode)
}

func TestSharesOfWork(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *api.Config) { c.Limits.Exports = api.Share{Team: 1, Process: 1} })
	w := b.call(t, b.alice, "GET /api/export/files", "")
	require.Equal(t, "too_many_exports", get[api.Error](t, w, http.StatusTooManyRequests).Code)
	require.NotEmpty(t, w.Header().Get("Retry-After"))
}

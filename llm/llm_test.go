package llm

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// client asks a server that answers as h does, without pauses between tries.
func client(t testing.TB, h http.HandlerFunc) *Client {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	c, err := New(Config{URL: server.URL + "/v1/", Model: "model", Key: "secret", Timeout: time.Minute, PromptPrice: 2, CompletionPrice: 8})
	require.NoError(t, err)
	c.pause = func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	return c
}

func (c *Client) text(t testing.TB) (string, Reply, error) {
	t.Helper()
	var b strings.Builder
	reply, err := c.Ask(t.Context(), Request{System: "Answer.", User: "Which law?", MaxTokens: 50}, func(piece string) error {
		b.WriteString(piece)
		return nil
	})
	return b.String(), reply, err
}

const ohio = "The law is that of Ohio — “Ohio”."

// TestServers replays what servers send.
func TestServers(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]Reply{
		"llamacpp.sse": {"gemma-4-31B-it-UD-Q6_K_XL.gguf", 17, 84},
		"vllm.sse":     {"Qwen/Qwen2.5-7B-Instruct", 41, 11},
		"router.sse":   {"some/model", Estimate("Answer.Which law?"), (len(ohio) + 3) / 4},
		"whole.json":   {"gpt-4.1-2025-04-14", 19, 10},
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			recorded, err := os.ReadFile(filepath.Join("testdata", file))
			require.NoError(t, err)
			var asked completion
			c := client(t, func(w http.ResponseWriter, r *http.Request) {
				if r.Method+r.URL.Path+r.Header.Get("Authorization") != "POST/v1/chat/completionsBearer secret" || json.NewDecoder(r.Body).Decode(&asked) != nil {
					w.WriteHeader(http.StatusTeapot)
					return
				}
				w.Header().Set("Content-Type", map[string]string{".sse": "text/event-stream; charset=utf-8", ".json": "application/json"}[filepath.Ext(file)])
				for len(recorded) > 0 { // in pieces that end anywhere
					n := min(97, len(recorded))
					_, _ = w.Write(recorded[:n])
					_ = http.NewResponseController(w).Flush()
					recorded = recorded[n:]
				}
			})
			text, reply, err := c.text(t)
			require.NoError(t, err)
			require.Equal(t, ohio, text)
			require.Equal(t, want, reply)
			require.InDelta(t, float64(2*want.PromptTokens+8*want.CompletionTokens)/1e6, c.Cost(reply), 1e-12)
			require.Equal(t, completion{
				Model: "model", Messages: []message{{"system", "Answer."}, {"user", "Which law?"}}, MaxTokens: 50,
				Temperature: new(float64), Stream: true, StreamOptions: &streamOptions{IncludeUsage: true},
			}, asked)
		})
	}
}

func said(w http.ResponseWriter, text string) {
	_ = json.NewEncoder(w).Encode(map[string]any{"choices": []any{map[string]any{"message": message{"assistant", text}}}})
}

// TestTries has servers that fail, some of them for a while.
func TestTries(t *testing.T) {
	t.Parallel()
	const begun = `data: {"choices":[{"delta":{"content":"The law"}}]}` + "\n\n"
	for name, test := range map[string]struct {
		answers []func(w http.ResponseWriter) // the last one again and again
		want    error
		tries   int32
	}{
		"busy for a while": {[]func(http.ResponseWriter){status(503), status(429), func(w http.ResponseWriter) { said(w, ohio) }}, nil, 3},
		"busy":             {[]func(http.ResponseWriter){status(500)}, ErrBusy, 3},
		"wrong key":        {[]func(http.ResponseWriter){status(401)}, ErrRefused, 1},
		"no such model":    {[]func(http.ResponseWriter){status(404)}, ErrRefused, 1},
		"leads elsewhere": {[]func(http.ResponseWriter){func(w http.ResponseWriter) {
			w.Header().Set("Location", "/v1/elsewhere")
			w.WriteHeader(http.StatusTemporaryRedirect)
		}}, ErrRefused, 1},
		"no streams": {[]func(http.ResponseWriter){status(422), func(w http.ResponseWriter) { said(w, ohio) }}, nil, 2},
		"no page of an API": {[]func(http.ResponseWriter){func(w http.ResponseWriter) {
			_, _ = io.WriteString(w, "<html>It works!</html>")
		}}, ErrGarbled, 3},
		"says nothing": {[]func(http.ResponseWriter){func(w http.ResponseWriter) { said(w, "") }}, ErrGarbled, 3},
		"error in the stream": {[]func(http.ResponseWriter){func(w http.ResponseWriter) {
			stream(w, `data: {"error":{"message":"out of memory"}}`+"\n\n")
		}}, ErrBusy, 3},
		"stops in the middle":    {[]func(http.ResponseWriter){func(w http.ResponseWriter) { stream(w, begun) }}, ErrUnreachable, 1},
		"garbles in the middle":  {[]func(http.ResponseWriter){func(w http.ResponseWriter) { stream(w, begun+"data: {\n\n") }}, ErrGarbled, 1},
		"does not end":           {[]func(http.ResponseWriter){func(w http.ResponseWriter) { stream(w, strings.Repeat(begun, 2*maxReplyText/7)) }}, ErrGarbled, 1},
		"sends one endless line": {[]func(http.ResponseWriter){func(w http.ResponseWriter) { stream(w, "data: "+strings.Repeat(" ", 2*maxLine)) }}, ErrGarbled, 3},
		"dies":                   {[]func(http.ResponseWriter){func(http.ResponseWriter) { panic(http.ErrAbortHandler) }}, ErrUnreachable, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var tries atomic.Int32
			c := client(t, func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				n := int(tries.Add(1))
				test.answers[min(n, len(test.answers))-1](w)
			})
			text, reply, err := c.text(t)
			require.ErrorIs(t, err, test.want)
			require.Equal(t, test.tries, tries.Load())
			if test.want == nil {
				require.Equal(t, ohio, text)
				require.Equal(t, "model", reply.Model)
			}
		})
	}
}

// TestPlainRequests keeps to plain requests where a server answers those only, and not
// where it refuses what one of them holds.
func TestPlainRequests(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		takes func(n int, streams bool) bool // the nth request
		want  []bool                         // which requests ask for a stream
	}{
		"of a server without streams": {func(_ int, streams bool) bool { return !streams }, []bool{true, false, false}},
		"of one that refuses a text":  {func(n int, _ bool) bool { return n > 2 }, []bool{true, false, true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []bool
			c := client(t, func(w http.ResponseWriter, r *http.Request) {
				var asked struct{ Stream bool }
				if json.NewDecoder(r.Body).Decode(&asked) != nil {
					t.Error("no JSON")
				}
				if got = append(got, asked.Stream); test.takes(len(got), asked.Stream) {
					said(w, ohio)
				} else {
					w.WriteHeader(http.StatusBadRequest)
				}
			})
			for len(got) < len(test.want) {
				_, _, err := c.text(t)
				require.True(t, err == nil || errors.Is(err, ErrRefused), err)
			}
			require.Equal(t, test.want, got)
		})
	}
}

func status(code int) func(w http.ResponseWriter) {
	return func(w http.ResponseWriter) { w.WriteHeader(code) }
}

func stream(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, text)
}

// TestHangs has servers that take a request and say nothing, or stop in the middle.
func TestHangs(t *testing.T) {
	t.Parallel()
	for _, begin := range []string{"", `data: {"choices":[{"delta":{"content":"The law"}}]}` + "\n\n"} {
		c := client(t, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			stream(w, begin)
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		})
		c.Timeout = 50 * time.Millisecond
		_, _, err := c.text(t)
		require.ErrorIs(t, err, ErrSlow)
	}
}

// TestRests leaves a dead server alone, and an answer that its reader ends is no failure.
func TestRests(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	c := client(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		asked.Add(1)
		said(w, ohio)
	})
	enough := errors.New("enough")
	for range restAfter + 1 {
		_, err := c.Ask(t.Context(), Request{User: "?"}, func(string) error { return enough })
		require.ErrorIs(t, err, enough)
	}
	require.Equal(t, int32(restAfter+1), asked.Load(), "nothing is tried again of which something was heard")
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := c.Ask(gone, Request{User: "?"}, func(string) error { return nil })
	require.ErrorIs(t, err, context.Canceled)
	_, _, err = c.text(t)
	require.NoError(t, err)

	c.endpoint.Host = "127.0.0.1:1"
	for range restAfter {
		_, _, err := c.text(t)
		require.ErrorIs(t, err, ErrUnreachable)
	}
	_, _, err = c.text(t)
	require.ErrorIs(t, err, ErrResting)
	c.resting = time.Now().Add(-time.Second)
	_, _, err = c.text(t)
	require.ErrorIs(t, err, ErrUnreachable, "it is tried again after a while")
}

func TestReady(t *testing.T) {
	t.Parallel()
	var list string
	c := client(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method+r.URL.Path != "GET/v1/models" || list == "" {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		_, _ = io.WriteString(w, list)
	})
	require.ErrorIs(t, c.Ready(t.Context()), ErrRefused)
	list = `{"object":"list","data":[{"id":"other"},{"id":"model"}]}`
	require.NoError(t, c.Ready(t.Context()))
	list = `{"data":[{"id":"other"}]}`
	require.ErrorContains(t, c.Ready(t.Context()), `no model "model"`)
	list = `<html>`
	require.ErrorIs(t, c.Ready(t.Context()), ErrGarbled)
}

func TestNew(t *testing.T) {
	t.Parallel()
	good := Config{URL: "https://models.example.com/v1", Model: "m", Timeout: time.Second}
	_, err := New(good)
	require.NoError(t, err)
	for _, spoil := range []func(c *Config){
		func(c *Config) { c.URL = "models.example.com" }, func(c *Config) { c.URL = "file:///etc/passwd" }, func(c *Config) { c.URL = "https://u:p@models.example.com" },
		func(c *Config) { c.URL = "https://models.example.com/v1?key=x" }, func(c *Config) { c.URL = "http://%zz" }, func(c *Config) { c.Model = "" },
		func(c *Config) { c.Timeout = 0 }, func(c *Config) { c.PromptPrice = -1 },
	} {
		bad := good
		spoil(&bad)
		_, err := New(bad)
		require.Error(t, err, "%+v", bad)
	}
}

// FuzzStream reads whatever a server may send.
func FuzzStream(f *testing.F) {
	for _, name := range []string{"llamacpp.sse", "vllm.sse", "router.sse", "whole.json"} {
		recorded, err := os.ReadFile(filepath.Join("testdata", name))
		require.NoError(f, err)
		f.Add(recorded)
	}
	f.Add([]byte(`data: {"choices":[{"delta":null,"message":{"content":"\ud800"}}],"usage":{"prompt_tokens":-1}}`))
	f.Fuzz(func(t *testing.T, sent []byte) {
		for _, whole := range []bool{false, true} {
			heard := 0
			a := attempt{c: &Client{Config: Config{Model: "model"}}, sent: true, hear: func(piece string) error {
				heard += len(piece)
				return nil
			}}
			var err error
			if whole {
				err = a.whole(sent)
			} else {
				err = a.stream(strings.NewReader(string(sent)))
			}
			r := a.reply(Request{})
			if heard > maxReplyText || r.PromptTokens < 0 || r.CompletionTokens < 0 || r.Model == "" || err == nil && heard == 0 {
				t.Fatalf("%d bytes, %+v, %v", heard, r, err)
			}
		}
	})
}

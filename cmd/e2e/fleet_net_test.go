package e2e_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// balancer is a load balancer as operators have them: it asks each replica whether
// it is ready, and sends a request to another one where a replica did not answer.
type balancer struct {
	replicas []string
	ready    []atomic.Bool
	next     atomic.Uint64
	again    atomic.Int64 // requests that a second replica was asked for
	http     *http.Transport
}

// newBalancer balances between addresses until the test ends, and returns its own.
func newBalancer(t testing.TB, replicas ...string) (b *balancer, address string) {
	t.Helper()
	b = &balancer{replicas: replicas, ready: make([]atomic.Bool, len(replicas)), http: &http.Transport{MaxIdleConnsPerHost: 100}}
	ctx, cancel := context.WithCancel(context.Background())
	var looking sync.WaitGroup
	for i := range replicas {
		looking.Go(func() {
			for ctx.Err() == nil {
				b.ready[i].Store(ready(replicas[i]))
				select {
				case <-ctx.Done():
				case <-time.After(100 * time.Millisecond):
				}
			}
		})
	}
	server := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host = "http", r.In.Host // the transport chooses
		},
		Transport: b,
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) { // a test that fails by it says why
			w.WriteHeader(http.StatusBadGateway)
			_, _ = io.WriteString(w, err.Error())
		},
	})
	t.Cleanup(func() {
		server.Close()
		cancel()
		looking.Wait()
		b.http.CloseIdleConnections()
	})
	return b, server.Listener.Addr().String()
}

// RoundTrip asks a replica that is ready, and the next one where nothing came back.
func (b *balancer) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
	}
	var errs []error
	tried := false
	first := int(b.next.Add(1))
	for i := range b.replicas {
		at := (first + i) % len(b.replicas)
		if !b.ready[at].Load() {
			errs = append(errs, fmt.Errorf("replica %d is not ready", at))
			continue
		}
		if tried {
			b.again.Add(1)
		}
		tried = true
		try := r.Clone(r.Context())
		try.URL.Host, try.Body = b.replicas[at], io.NopCloser(bytes.NewReader(body))
		response, err := b.http.RoundTrip(try)
		if err == nil || r.Context().Err() != nil {
			return response, err
		}
		errs = append(errs, fmt.Errorf("replica %d: %w", at, err))
	}
	return nil, errors.Join(errs...)
}

// tunnel is a TCP connection to a server that can go silent: what is sent stays on
// the way, and nobody is told.
type tunnel struct {
	mu     sync.Mutex
	silent chan struct{} // closed when it speaks again; nil while it does
}

// newTunnel leads from the address that it returns to a server, until the test ends.
func newTunnel(t testing.TB, network, to string) (w *tunnel, address string) {
	t.Helper()
	w = &tunnel{}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	var copying sync.WaitGroup
	copying.Go(func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			copying.Go(func() {
				far, err := (&net.Dialer{}).DialContext(ctx, network, to)
				if err != nil {
					_ = near.Close()
					return
				}
				stop := context.AfterFunc(ctx, func() { _, _ = near.Close(), far.Close() })
				defer stop()
				copying.Go(func() { w.carry(ctx, far, near) })
				w.carry(ctx, near, far)
			})
		}
	})
	t.Cleanup(func() {
		cancel()
		_ = l.Close()
		copying.Wait()
	})
	return w, l.Addr().String()
}

// carry copies one direction, and ends both with it.
func (w *tunnel) carry(ctx context.Context, to, from net.Conn) {
	defer to.Close()
	defer from.Close()
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			w.mu.Lock()
			silent := w.silent
			w.mu.Unlock()
			if silent != nil {
				select {
				case <-silent:
				case <-ctx.Done():
					return
				}
			}
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// stall has the tunnel go silent until the function it returns is called.
func (w *tunnel) stall() (speak func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	silent := make(chan struct{})
	w.silent = silent
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.silent = nil
		close(silent)
	}
}

// trouble is what happens on the way to an S3 server.
type trouble int32

const (
	none      trouble = iota
	slow              // each request takes two seconds longer
	failing           // of ten requests four get a 500, a 503 or a cut connection
	forbidden         // the credentials are wrong
	absent            // nobody is there
	silent            // somebody is there and says nothing
)

func (tr trouble) String() string {
	return [...]string{"none", "slow", "failing", "forbidden", "absent", "silent"}[tr]
}

// crossing is a way to an S3 server with troubles on it.
type crossing struct {
	now      atomic.Int32
	requests atomic.Int64
	failed   atomic.Int64 // of them, because of a trouble
}

func (c *crossing) set(tr trouble) { c.now.Store(int32(tr)) }

// newCrossing leads from the address that it returns to an S3 server, until the test ends.
func newCrossing(t testing.TB, to string) (c *crossing, address string) {
	t.Helper()
	c = &crossing{}
	target := &url.URL{Scheme: "http", Host: to}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Host = r.In.Host // which is signed
			if trouble(c.now.Load()) == forbidden {
				r.Out.Header.Set("Authorization", strings.Replace(r.In.Header.Get("Authorization"), "Signature=", "Signature=0", 1))
			}
		},
		Transport:    &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 100},
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
	ended := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.requests.Add(1)
		tr := trouble(c.now.Load())
		if tr == slow {
			time.Sleep(2 * time.Second)
		}
		if tr == forbidden || tr == absent || tr == silent {
			c.failed.Add(1)
		}
		switch at := rand.IntN(10); {
		case tr == silent:
			select {
			case <-r.Context().Done():
			case <-ended:
			}
			panic(http.ErrAbortHandler)
		case tr == absent, tr == failing && at == 0:
			c.failed.Add(1)
			panic(http.ErrAbortHandler)
		case tr == failing && at == 1: // the answer is cut in its midst, or at its end
			c.failed.Add(1)
			answer := httptest.NewRecorder()
			proxy.ServeHTTP(answer, r)
			for name, values := range answer.Header() {
				w.Header()[name] = values
			}
			w.WriteHeader(answer.Code)
			_, _ = w.Write(answer.Body.Bytes()[:answer.Body.Len()/2])
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		case tr == failing && at < 4:
			c.failed.Add(1)
			_, _ = io.Copy(io.Discard, r.Body)
			w.Header().Set("Content-Type", "application/xml")
			status, code := http.StatusInternalServerError, "InternalError"
			if at == 2 {
				status, code = http.StatusServiceUnavailable, "SlowDown"
			}
			w.WriteHeader(status)
			_, _ = io.WriteString(w, `<?xml version="1.0"?><Error><Code>`+code+`</Code><Message>try again</Message></Error>`)
		default:
			proxy.ServeHTTP(w, r)
		}
	}))
	server.Config.ErrorLog = nil
	t.Cleanup(func() {
		close(ended)
		server.CloseClientConnections()
		server.Close()
	})
	return c, server.Listener.Addr().String()
}

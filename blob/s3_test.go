package blob

import (
	"bytes"
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/fault"
)

// TestSilentBucket asks servers that take requests and never answer, or stop in the
// midst of an answer: it is an outage and not a wait.
func TestSilentBucket(t *testing.T) { // sets the environment: not parallel
	t.Setenv("AWS_ACCESS_KEY_ID", "test")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "test")
	for name, answer := range map[string]http.HandlerFunc{
		"Nothing": func(http.ResponseWriter, *http.Request) {},
		"Half": func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet {
				w.Header().Set("Content-Length", "100000")
				_, _ = io.WriteString(w, "half of it")
				_ = http.NewResponseController(w).Flush()
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s3 := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				answer(w, r)
				<-r.Context().Done()
			}))
			t.Cleanup(s3.Close)
			u, err := url.Parse("s3://contracts?region=us-east-1&use_path_style=true&ssetype=aes256&endpoint=" + s3.URL)
			require.NoError(t, err)
			bucket, err := openS3(t.Context(), u, 100*time.Millisecond)
			require.NoError(t, err)
			store := &Store{bucket: bucket}
			_, err = store.Put(t.Context(), "original/ab/x", strings.NewReader("clause"), 10)
			require.Equal(t, fault.Unavailable, fault.KindOf(err), "%v", err)
			require.ErrorContains(t, err, "i/o timeout")
			_, _, err = store.Local(t.Context(), "original/ab/x")
			require.Equal(t, fault.Unavailable, fault.KindOf(err), "%v", err)
			require.Error(t, store.Ready(t.Context()))
			require.NoError(t, store.Close())
		})
	}
}

// TestSlowConnection reads from somebody who takes longer for all of it than for any
// byte one may, and then says nothing.
func TestSlowConnection(t *testing.T) {
	t.Parallel()
	near, far := net.Pipe()
	defer far.Close()
	conn := &impatient{near, 300 * time.Millisecond}
	defer conn.Close()
	const bytesEach, times = 10, 5
	go func() {
		for range times { // together they take longer than one may
			time.Sleep(100 * time.Millisecond)
			_, _ = far.Write(make([]byte, bytesEach))
		}
	}()
	got := make([]byte, times*bytesEach)
	_, err := io.ReadFull(conn, got)
	require.NoError(t, err)
	require.True(t, bytes.Equal(make([]byte, times*bytesEach), got))
	_, err = conn.Read(got)
	var timeout net.Error
	require.ErrorAs(t, err, &timeout)
	require.True(t, timeout.Timeout())
}

// TestOwnAuthority opens a bucket whose certificate is of an authority that AWS_CA_BUNDLE names.
func TestOwnAuthority(t *testing.T) { // sets the environment: not parallel
	s3 := httptest.NewTLSServer(gofakes3.New(s3mem.New()).Server())
	t.Cleanup(s3.Close)
	bundle := filepath.Join(t.TempDir(), "authority.pem")
	require.NoError(t, os.WriteFile(bundle, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s3.Certificate().Raw}), 0o600))
	t.Setenv("AWS_ACCESS_KEY_ID", "test")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "test")
	t.Setenv("AWS_CA_BUNDLE", bundle)
	store, err := Open(t.Context(), "s3://contracts?region=us-east-1&use_path_style=true&endpoint="+s3.URL)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	require.ErrorContains(t, store.Ready(t.Context()), "no such bucket", "it answers, without a bucket")
}

package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	client "github.com/clausemill/clausemill/clients/go"
)

// serveUploads accepts files unless their name says not to.
func serveUploads(t *testing.T) (address string, uploads *atomic.Int64) {
	t.Helper()

	uploads = new(atomic.Int64)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Path == "/auth/token" {
			if id, secret, _ := r.BasicAuth(); id != "robot" || secret != "cm_svs_right" {
				w.WriteHeader(http.StatusUnauthorized)
				fmt.Fprint(w, `{"error":"invalid_client","error_description":"the client_id is not known, or the client_secret is wrong"}`)
				return
			}
			fmt.Fprint(w, `{"access_token":"cm_svt_right","token_type":"Bearer","expires_in":3600}`)
			return
		}
		if caller := r.Header.Get("Authorization"); caller != "Bearer cm_user_right" && caller != "Bearer cm_svt_right" {
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprint(w, `{"error":"the API key is not valid"}`)
			return
		}
		if id, status := strings.CutSuffix(r.URL.Path, "/status"); status { // asked of the last file alone
			fmt.Fprintf(w, `{"id":%q,"status":"completed"}`, path.Base(id))
			return
		}
		if r.Method == http.MethodGet {
			var files []string
			for _, id := range r.URL.Query()["ids"] {
				files = append(files, fmt.Sprintf(`{"id":%q,"status":"completed"}`, id))
			}
			fmt.Fprintf(w, `{"items":[%s]}`, strings.Join(files, ","))
			return
		}
		form, err := r.MultipartReader()
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		const refusal = "a spreadsheet is no contract"
		var items, failed []map[string]any
		for {
			part, err := form.NextPart()
			if err != nil {
				break
			}
			if strings.HasPrefix(part.FileName(), "bad") {
				failed = append(failed, map[string]any{"name": part.FileName(), "error": refusal})
				continue
			}
			sum := sha256.New()
			_, _ = io.Copy(sum, part)
			items = append(items, map[string]any{
				"id": fmt.Sprintf("f%d", uploads.Add(1)), "status": "queued", "name": part.FileName(), "sha256": hex.EncodeToString(sum.Sum(nil)),
			})
		}
		var answer any = map[string]any{"items": items, "errors": failed}
		switch {
		case len(items) == 0:
			w.WriteHeader(http.StatusUnsupportedMediaType)
			answer = map[string]any{"error": refusal}
		case len(items)+len(failed) == 1:
			answer = items[0]
		}
		_ = json.NewEncoder(w).Encode(answer)
	}))
	t.Cleanup(server.Close)
	return server.URL, uploads
}

func contracts(t *testing.T, names ...string) (dir string) {
	t.Helper()

	dir = t.TempDir()
	for _, name := range names {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600))
	}
	return dir
}

func TestUploadCommand(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("CLAUSEMILL_API_KEY", "cm_user_right")
	server, uploads := serveUploads(t)
	good := contracts(t, "a.pdf", "b.pdf")

	status, stdout, stderr := command(t, "upload", "--url", server, good)
	require.Zero(t, status, stderr)
	require.Equal(t, "     2  accepted\n", stdout)

	status, stdout, _ = command(t, "upload", "--url", server, "--wait", good)
	require.Zero(t, status)
	require.Equal(t, "     2  completed\n", stdout)
	require.EqualValues(t, 2, uploads.Load(), "sent twice")

	mixed := contracts(t, "bad.xlsx", "c.pdf")
	status, stdout, stderr = command(t, "upload", "--url", server, mixed)
	require.Equal(t, exitFailed, status)
	require.Equal(t, "     1  accepted\n     1  not sent\nnot sent  "+mixed+"/bad.xlsx  a spreadsheet is no contract\n", stdout)
	require.Contains(t, stderr, "accepted "+mixed+"/c.pdf as f3\n")

	status, stdout, _ = command(t, "upload", "--url", server, "--json", mixed)
	require.Equal(t, exitFailed, status)
	lines := json.NewDecoder(strings.NewReader(stdout))
	for _, want := range []map[string]any{
		{"path": mixed + "/bad.xlsx", "outcome": "not sent", "error": "a spreadsheet is no contract"},
		{"path": mixed + "/c.pdf", "outcome": "completed", "id": "f3", "status": "completed", "resumed": true},
	} {
		var got map[string]any
		require.NoError(t, lines.Decode(&got))
		require.Equal(t, want, got)
	}

	t.Setenv("CLAUSEMILL_API_KEY", "cm_user_wrong")
	status, stdout, stderr = command(t, "upload", "--url", server, good)
	require.Equal(t, exitEndedEarly, status)
	require.Contains(t, stdout, "     2  not sent\n")
	require.Contains(t, stderr, "clausemill: the API key is not valid\n")

	status, _, stderr = command(t, "upload", "--url", "http://127.0.0.1:1", "--patience=1ms", good)
	require.Equal(t, exitEndedEarly, status)
	require.Contains(t, stderr, "connection refused")

	status, _, stderr = command(t, "upload", "--url", server, t.TempDir())
	require.Equal(t, exitUsage, status)
	require.Contains(t, stderr, "there are no files in these folders")
}

func TestUploadAsServiceAccount(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	server, uploads := serveUploads(t)
	good := contracts(t, "a.pdf", "b.pdf")
	secret := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(secret, []byte("cm_svs_right\n"), 0o600))

	t.Setenv("CLAUSEMILL_CLIENT_ID", "robot")
	status, _, stderr := command(t, "upload", "--url", server, good)
	require.Equal(t, exitUsage, status)
	require.Contains(t, stderr, "needs both CLAUSEMILL_CLIENT_ID and CLAUSEMILL_CLIENT_SECRET")

	t.Setenv("CLAUSEMILL_CLIENT_SECRET_FILE", secret)
	for range 2 {
		status, _, stderr = command(t, "upload", "--url", server, "--wait", good)
		require.Zero(t, status, stderr)
		require.EqualValues(t, 2, uploads.Load(), "sent once")
	}

	t.Setenv("CLAUSEMILL_API_KEY", "cm_user_right")
	status, _, stderr = command(t, "upload", "--url", server, good)
	require.Equal(t, exitUsage, status)
	require.Contains(t, stderr, "both set")

	t.Setenv("CLAUSEMILL_API_KEY", "")
	t.Setenv("CLAUSEMILL_CLIENT_SECRET_FILE", "")
	t.Setenv("CLAUSEMILL_CLIENT_SECRET", "guessed")
	status, _, stderr = command(t, "upload", "--url", server, good)
	require.Equal(t, exitEndedEarly, status)
	require.Contains(t, stderr, "the client_secret is wrong")
}

func TestUploadFindsTheKeyOfDev(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	server, uploads := serveUploads(t)
	data := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(data, devKeyFile), []byte("cm_user_right\n"), 0o600))

	status, _, stderr := command(t, "upload", "--url", server, "--data-dir", data, contracts(t, "a.pdf"))
	require.Zero(t, status, stderr)
	require.EqualValues(t, 1, uploads.Load())

	status, _, stderr = command(t, "upload", "--url", "http://example.com", "--data-dir", data, contracts(t, "a.pdf"))
	require.Equal(t, exitUsage, status)
	require.Contains(t, stderr, "an API key is needed")
}

// TestInterruptedUpload tells what the server has from what it has not.
func TestInterruptedUpload(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	items := []*client.Item{
		{Path: "read.pdf", File: client.File{ID: "1", Status: "completed"}},
		{Path: "waits.pdf", File: client.File{ID: "2", Status: "queued"}, Err: client.ErrUnfinished},
		{Path: "here.pdf", Err: errors.New("not done: the batch ended before")},
		{Path: "broken.pdf", File: client.File{ID: "3", Status: "failed"}, Err: errors.New("the file is damaged")},
		{Path: "a\x1b[2Jb.pdf", Err: errors.New("no\x1b]0;title\a\nfailed  other.pdf")},
	}
	require.NoError(t, (&upload{}).report(&out, items))
	require.NotContains(t, out.String(), "waits.pdf", "nothing is wrong with it")
	for _, line := range []string{`1  completed\n`, `1  accepted, still being read\n`, `1  failed\n`, `2  not sent\n`, `failed +broken.pdf`, `not sent +here.pdf`, `a\?\[2Jb.pdf +no\?]0;title\?\?failed`} {
		require.Regexp(t, line, out.String())
	}
}

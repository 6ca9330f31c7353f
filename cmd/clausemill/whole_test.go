package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/cmd/internal/provider"
	"github.com/clausemill/clausemill/db/dbtest"
	"github.com/clausemill/clausemill/web"
)

// running is `clausemill dev` in a process of its own.
type running struct {
	cmd       *exec.Cmd
	url       string
	operators string // address for them
	key       string
	steps     []string    // commands that it says come next
	log       chan string // what it said after it was ready, once it has ended
}

var (
	welcome   = regexp.MustCompile(`runs at (http://\S+?),`)
	operators = regexp.MustCompile(`msg="metrics and health" address=(\S+)`)
)

// startDev runs dev on dir and returns when it is ready.
func startDev(t *testing.T, dir string, settings ...string) *running {
	t.Helper()

	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), self, "dev", "--addr=127.0.0.1:0", "--data-dir="+dir)
	for _, setting := range os.Environ() {
		if !strings.HasPrefix(setting, "DATABASE_URL=") {
			cmd.Env = append(cmd.Env, setting)
		}
	}
	cmd.Env = append(cmd.Env, settings...)
	stderr, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())

	r := &running{cmd: cmd, log: make(chan string, 1)}
	var said strings.Builder
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		said.WriteString(lines.Text() + "\n")
		if at := welcome.FindStringSubmatch(lines.Text()); at != nil {
			r.url = at[1]
			require.Equal(t, web.Handler() != nil, strings.Contains(said.String(), "Open "+r.url+"/\n"), said.String())
		}
		if at := operators.FindStringSubmatch(lines.Text()); at != nil {
			r.operators = at[1]
		}
		if step, ok := strings.CutPrefix(lines.Text(), "    "); ok {
			r.steps = append(r.steps, step)
		}
		if lines.Text() == "Ctrl-C stops it." {
			break
		}
	}
	require.NotEmpty(t, r.url, said.String())
	go func() {
		said, _ := io.ReadAll(stderr)
		r.log <- string(said)
	}()
	key, err := os.ReadFile(filepath.Join(dir, devKeyFile))
	require.NoError(t, err)
	r.key = strings.TrimSpace(string(key))
	return r
}

// end signals the process, waits until it is gone, and returns what it said.
func (r *running) end(t *testing.T, signal syscall.Signal) (*os.ProcessState, string) {
	t.Helper()

	require.NoError(t, r.cmd.Process.Signal(signal))
	said := <-r.log
	_ = r.cmd.Wait()
	return r.cmd.ProcessState, said
}

// search returns the ids of the files in which text is found.
func (r *running) search(t *testing.T, text string) (files []string) {
	t.Helper()

	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, r.url+"/api/files/search-index?q="+url.QueryEscape(text), nil)
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+r.key)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	require.Equal(t, http.StatusOK, response.StatusCode)
	var found struct {
		Items []struct {
			FileID string `json:"fileId"`
		} `json:"items"`
	}
	require.NoError(t, json.NewDecoder(response.Body).Decode(&found))
	for _, item := range found.Items {
		files = append(files, item.FileID)
	}
	return files
}

// browser keeps cookies.
func (r *running) browser(t *testing.T) *http.Client {
	t.Helper()

	cookies, err := cookiejar.New(nil)
	require.NoError(t, err)
	return &http.Client{Jar: cookies}
}

// searchablePDF signs in to the organization of the key and returns the file as a PDF.
func (r *running) searchablePDF(t *testing.T, id string) string {
	t.Helper()

	browser := r.browser(t)
	response, err := browser.Get(r.url + "/auth/login?loginHint=" + provider.User)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusOK, response.StatusCode)

	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, r.url+"/api/files/"+id+"/ocr-download?format=pdf", nil)
	require.NoError(t, err)
	response, err = browser.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, response.StatusCode, string(body))
	return string(body)
}

// TestLanguageWithoutModel starts dev with a language that nothing reads: it must
// not say first that it runs.
func TestLanguageWithoutModel(t *testing.T) {
	t.Parallel()

	_, url := dbtest.Database(t)
	status, stdout, stderr := command(t, "dev", "--addr=127.0.0.1:0", "--data-dir="+t.TempDir(), "--database-url="+url, "--ocr-languages=eng+xyz")
	require.Equal(t, exitFailed, status)
	require.Empty(t, stdout)
	require.Contains(t, stderr, `CLAUSEMILL_OCR_LANGUAGES names "xyz"`)
	require.NotContains(t, stderr, "runs at")
}

// TestInterruptedStart presses Ctrl-C while dev makes its database, which all
// programs of the terminal hear of: none of them may complain.
func TestInterruptedStart(t *testing.T) {
	t.Parallel()

	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), self, "dev", "--addr=127.0.0.1:0", "--data-dir="+t.TempDir(), "--database-url=")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stderr, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewScanner(stderr)
	require.True(t, lines.Scan())
	require.Regexp(t, operators, lines.Text())
	require.NoError(t, syscall.Kill(-cmd.Process.Pid, syscall.SIGINT))
	for lines.Scan() {
		t.Errorf("it says: %s", lines.Text())
	}
	_ = cmd.Wait() // its status tells
	require.Equal(t, exitInterrupted, cmd.ProcessState.ExitCode())
}

// TestWhole follows a scan from the command line to a search hit, and does not
// let the power go out quietly.
func TestWhole(t *testing.T) {
	if os.Getenv("CLAUSEMILL_OCR") == "" {
		t.Skip("needs the OCR child: run the tests with `make test`")
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	// Under root the database runs as somebody else, who has to get there.
	dir, err := os.MkdirTemp("", "clausemill-whole-")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	require.NoError(t, os.Chmod(dir, 0o711)) //nolint:gosec // see above
	data := filepath.Join(dir, "data")

	scan := filepath.Join("..", "..", "ocr", "testdata", "clauses.png")
	lease := filepath.Join(t.TempDir(), "lease.txt")
	require.NoError(t, os.WriteFile(lease, []byte("LEASE\n\n1. The tenant keeps no ostrich on the premises.\n"), 0o600))

	r := startDev(t, data)
	require.Len(t, r.steps, 3)
	r.steps[2] += `; exec "` + os.Args[0] + `" jobs list --kind=receive_file`
	for _, step := range r.steps {
		out, err := exec.CommandContext(t.Context(), "sh", "-c", step).CombinedOutput() //nolint:gosec // it is what people paste
		require.NoError(t, err, "%s: %s", step, out)
		require.Regexp(t, `3\s+completed|"status":"queued"|receive_file`, string(out), step)
	}
	upload := func() (ids map[string]string) {
		status, stdout, stderr := command(t, "upload", "--url", r.url, "--data-dir", data, "--wait", "--json", scan, lease)
		require.Zero(t, status, stderr)
		ids = map[string]string{}
		lines := json.NewDecoder(strings.NewReader(stdout))
		for lines.More() {
			var line struct{ Path, ID, Outcome string }
			require.NoError(t, lines.Decode(&line))
			require.Equal(t, "completed", line.Outcome)
			ids[filepath.Base(line.Path)] = line.ID
		}
		return ids
	}
	ids := upload()
	require.Contains(t, r.search(t, "ostrich"), ids["lease.txt"])
	require.Contains(t, r.search(t, "\"rights of third parties\""), ids["clauses.png"])

	require.True(t, strings.HasPrefix(r.searchablePDF(t, ids["clauses.png"]), "%PDF-"))

	response, err := http.Get("http://" + r.operators + "/metrics")
	require.NoError(t, err)
	defer response.Body.Close()
	metrics, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Contains(t, string(metrics), "clausemill_queue_jobs{")
	home, err := http.Get(r.url)
	require.NoError(t, err)
	defer home.Body.Close()
	page, err := io.ReadAll(home.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, home.StatusCode)
	says := []string{`href="/auth/login"`, `href="/docs"`, r.url + "/api/files", "<code>make build</code>"}
	if web.Handler() != nil {
		says = []string{`<div id="app">`, `href="/docs"`}
	}
	for _, wanted := range says {
		require.Contains(t, string(page), wanted)
	}
	public, err := http.Get(r.url + "/metrics")
	require.NoError(t, err)
	require.NoError(t, public.Body.Close())
	require.Equal(t, http.StatusNotFound, public.StatusCode)
	status, stdout, stderr := command(t, "health", "--metrics-addr", r.operators)
	require.Zero(t, status, stderr)
	require.Equal(t, "ok\ndatabase: ok\nfiles: ok\nrecognition: ok\nworker: ok\n", stdout)

	state, _ := r.end(t, syscall.SIGKILL)
	require.False(t, state.Success())

	url := r.url
	r = startDev(t, data)
	require.NotEqual(t, url, r.url)
	require.Contains(t, r.search(t, "ostrich"), ids["lease.txt"], "lost with the power")
	require.Contains(t, r.search(t, "\"rights of third parties\""), ids["clauses.png"])

	state, said := r.end(t, syscall.SIGINT)
	require.Zero(t, state.ExitCode(), said)
	require.NoFileExists(t, filepath.Join(data, "postgres", "data", "postmaster.pid"), "the database goes on")
}

package main

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/cmd/internal/provider"
)

// block is a program in a guide: its language, the name of its file, or "", and its
// text.
var block = regexp.MustCompile("(?s)```(sh|python)(?: (\\S+))?\n(.*?)```")

// TestGuides runs every program of docs/guides.md, in order, against a service.
func TestGuides(t *testing.T) {
	if os.Getenv("CLAUSEMILL_OCR") == "" {
		t.Skip("needs the OCR child: run the tests with `make test`")
	}
	interpreters := map[string][]string{"sh": {"sh", "-eu"}, "python": {"python3"}}
	for _, program := range []string{"curl", "python3"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(program + " is not installed")
		}
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("CLAUSEMILL_PRIVATE_WEBHOOKS", "true") // the receiver is on this machine
	// Under root the database runs as somebody else, who has to get there.
	dir, err := os.MkdirTemp("", "clausemill-guides-")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	require.NoError(t, os.Chmod(dir, 0o711)) //nolint:gosec // see above
	r := startDev(t, filepath.Join(dir, "data"))
	account := r.serviceAccount(t)

	text, err := os.ReadFile("../../docs/guides.md")
	require.NoError(t, err)
	work := t.TempDir()
	ran := 0
	for _, found := range block.FindAllStringSubmatch(string(text), -1) {
		language, name, program := found[1], found[2], found[3]
		if name != "" {
			require.NoError(t, os.WriteFile(filepath.Join(work, name), []byte(program), 0o600))
			continue
		}
		ran++
		file := filepath.Join(work, "block")
		require.NoError(t, os.WriteFile(file, []byte(program), 0o600))
		cmd := exec.CommandContext(t.Context(), interpreters[language][0], append(interpreters[language][1:], file)...) //nolint:gosec // it is what people paste
		cmd.Dir = work
		cmd.Env = append(os.Environ(), "CLAUSEMILL_URL="+r.url, "CLAUSEMILL_CLIENT_ID="+account.ID, "CLAUSEMILL_CLIENT_SECRET="+account.Secret, "PYTHONPATH="+work)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s\n%s", program, out)
	}
	require.Equal(t, 10, ran, "five guides, each in curl and Python")
	state, _ := r.end(t, syscall.SIGINT)
	require.True(t, state.Exited())
}

// TestReadme runs the commands of the README with which people try the service, beside
// the data of a service as `make run` starts it.
func TestReadme(t *testing.T) {
	if os.Getenv("CLAUSEMILL_OCR") == "" {
		t.Skip("needs the OCR child: run the tests with `make test`")
	}
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("curl is not installed")
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir, err := os.MkdirTemp("", "clausemill-readme-")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	require.NoError(t, os.Chmod(dir, 0o711)) //nolint:gosec // the database runs as somebody else, who has to get there
	r := startDev(t, filepath.Join(dir, "data"))
	self, err := os.Executable()
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(filepath.Join(dir, "bin"), 0o700))
	require.NoError(t, os.Symlink(self, filepath.Join(dir, "bin", "clausemill")))

	text, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	blocks := block.FindAllStringSubmatch(string(text), -1)
	require.Len(t, blocks, 1)
	program := blocks[0][3]
	for said, meant := range map[string]string{
		"http://127.0.0.1:8080": r.url,
		"~/contracts":           contracts(t, "nda.txt"),
		"/api/files\nid=…":      `/api/files | tee answer` + "\n" + `id=$(grep -o '"id":"[^"]*"' answer | head -n 1 | cut -d '"' -f 4)`,
		`status?wait=30"`:       `status?wait=30" | tee answer` + "\n" + `until grep -q '"textReady":true' answer; do api "` + r.url + `/api/files/$id/status?wait=30" >answer; done`,
	} {
		require.Contains(t, program, said)
		program = strings.ReplaceAll(program, said, meant)
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-euc", program) //nolint:gosec // it is what people paste
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CLAUSEMILL_URL="+r.url)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s\n%s", program, out)
	require.NotContains(t, string(out), `"error":"`)
	require.Contains(t, string(out), `"blocks"`)
	require.Contains(t, string(out), "1  completed")
	state, _ := r.end(t, syscall.SIGINT)
	require.True(t, state.Exited())
}

// credentials are those of a service account.
type credentials struct{ ID, Secret string }

// serviceAccount makes one that may do what the guides do.
func (r *running) serviceAccount(t *testing.T) (made credentials) {
	t.Helper()

	browser := r.browser(t)
	response, err := browser.Get(r.url + "/auth/login?loginHint=" + provider.User)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	response, err = browser.Post(r.url+"/api/service-accounts", "application/json",
		strings.NewReader(`{"name":"guides","role":"admin","scopes":["files:read","files:write","export","webhooks"]}`))
	require.NoError(t, err)
	defer response.Body.Close()
	require.Equal(t, http.StatusCreated, response.StatusCode)
	require.NoError(t, json.NewDecoder(response.Body).Decode(&made))
	return made
}

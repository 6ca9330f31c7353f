package cmd

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestVulnerabilities has the script of `make lint` ask a database that knows a
// vulnerability, one that knows none, and one that does not answer.
func TestVulnerabilities(t *testing.T) {
	t.Parallel()
	makefile, err := os.ReadFile("../Makefile")
	require.NoError(t, err)
	tool := regexp.MustCompile(`(?m)^GOVULNCHECK := (.+)$`).FindSubmatch(makefile)
	require.NotNil(t, tool, "the Makefile names no version")
	ask := func(database string) (said string, status int) {
		cmd := exec.Command("../scripts/vulnerabilities.sh", string(tool[1]), "./fault")
		cmd.Env = append(cmd.Environ(), "GOVULNDB="+database)
		out, _ := cmd.CombinedOutput()
		if strings.Contains(string(out), "cannot be had") {
			t.Skip(string(out))
		}
		return string(out), cmd.ProcessState.ExitCode()
	}

	said, status := ask("file://" + vulnerabilities(t, "As"))
	require.Equal(t, 3, status, said)
	require.Contains(t, said, "GO-2000-0001")

	said, status = ask("file://" + vulnerabilities(t, "SomethingElse"))
	require.Zero(t, status, said)
	require.Empty(t, said)

	for _, silent := range []string{"http://127.0.0.1:1", "file:///nowhere"} {
		said, status = ask(silent)
		require.Zero(t, status, said)
		require.Contains(t, said, "vulnerabilities were not looked up: ")
		require.Equal(t, 1, strings.Count(said, "\n"), said)
	}
}

// vulnerabilities is the directory of a database in which a function of errors is
// vulnerable.
func vulnerabilities(t *testing.T, function string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	const modified = `"modified": "2026-01-01T00:00:00Z"`
	for name, text := range map[string]string{
		"index/db.json":      `{` + modified + `}`,
		"index/modules.json": `[{"path": "stdlib", "vulns": [{"id": "GO-2000-0001", ` + modified + `}]}]`,
		"ID/GO-2000-0001.json": `{"schema_version": "1.3.1", "id": "GO-2000-0001", ` + modified + `, "published": "2026-01-01T00:00:00Z", "details": "made up", "database_specific": {"url": "https://example.com"},
			"affected": [{"package": {"name": "stdlib", "ecosystem": "Go"}, "ranges": [{"type": "SEMVER", "events": [{"introduced": "0"}]}],
			"ecosystem_specific": {"imports": [{"path": "errors", "symbols": ["` + function + `"]}]}}]}`,
	} {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	return dir
}

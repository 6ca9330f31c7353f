package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCompletion has bash complete command lines.
func TestCompletion(t *testing.T) {
	t.Parallel()

	status, script, stderr := command(t, "completion", "bash")
	require.Zero(t, status, stderr)
	for line, want := range map[string]string{
		"":                           "serve work",
		"jo":                         "jobs",
		"jobs ":                      "list retry cancel --help",
		"jobs can":                   "cancel",
		"jobs list --st":             "--state",
		"jobs list --state ru":       "running",
		"jobs list --state = dis":    "discarded", // as bash cuts --state=dis
		"jobs list --state =":        "pending available",
		"jobs --help retry --l":      "--limit",
		"completion ":                "bash zsh fish",
		"serve --no-m":               "--no-migrate",
		"serve --trash-days ":        "",                 // names of files, by complete -o default
		"serve --oidc-client-secret": "",                 // no flag
		"reader --":                  "--help --version", // hidden
	} {
		words := strings.Split(line, " ")
		quotedWords := make([]string, len(words))
		for i, word := range words {
			quotedWords[i] = quoted(word)
		}
		run := exec.CommandContext(t.Context(), "bash", "-c", script+"\nCOMP_WORDS=(clausemill "+strings.Join(quotedWords, " ")+"); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _clausemill; echo ${COMPREPLY[@]}")
		offered, err := run.CombinedOutput()
		require.NoError(t, err, "%s", offered)
		if want == "" {
			require.Empty(t, strings.TrimSpace(string(offered)), line)
		}
		require.True(t, strings.HasPrefix(string(offered), want), "%q is offered %q", line, offered)
	}
	for _, shell := range []string{"zsh", "fish"} {
		status, script, stderr := command(t, "completion", shell)
		require.Zero(t, status, stderr)
		require.Contains(t, script, "'jobs cancel'")
		require.NotContains(t, script, "oidc-client-secret", "it is no flag")
		if program, err := exec.LookPath(shell); err == nil {
			file := filepath.Join(t.TempDir(), "script")
			require.NoError(t, os.WriteFile(file, []byte(script), 0o600))
			said, err := exec.CommandContext(t.Context(), program, "-n", file).CombinedOutput()
			require.NoError(t, err, "%s", said)
		}
	}
	status, _, _ = command(t, "completion", "sh")
	require.Equal(t, exitUsage, status)
}

// TestManual finds each command and each of its flags in the manual page.
func TestManual(t *testing.T) {
	t.Parallel()

	status, page, stderr := command(t, "man")
	require.Zero(t, status, stderr)
	for _, leaf := range newParser(t.Context(), console{io.Discard, io.Discard}).Model.Leaves(true) {
		require.Contains(t, page, "\n.SS "+leaf.Path())
		for _, f := range leaf.Flags {
			if !f.Hidden { // or it is listed for another command
				require.Regexp(t, `\\-\\-(\[no\\-\])?`+strings.ReplaceAll(f.Name, "-", `\\-`), page, leaf.Path())
			}
		}
	}
	if program, err := exec.LookPath("groff"); err == nil {
		format := exec.CommandContext(t.Context(), program, "-man", "-Tutf8", "-ww", "-z")
		format.Stdin = strings.NewReader(page)
		said, err := format.CombinedOutput()
		require.NoError(t, err)
		require.Empty(t, string(said))
	}
}

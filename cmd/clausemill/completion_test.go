package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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
	status, _, _ = command(t, "completion", "sh")
	require.Equal(t, exitUsage, status)
}

// offersOf ask a shell what it offers for a command line: the script is $1, the line
// $2. Each line of the answer begins with a word.
var offersOf = map[string][]string{
	"fish": {"--no-config", "-c", `source $argv[1]; complete -C "$argv[2]"`},
	// It completes in a terminal only, and what is added there is written down.
	"zsh": {"-f", "-c", `
zmodload zsh/zpty
export FPATH_OF_SCRIPT=${1:h} OFFERED=$1.offered
zpty shell zsh -f -i
zpty -w shell 'PS1=; fpath=($FPATH_OF_SCRIPT $fpath); autoload -Uz compinit; compinit -u -D; bindkey "^I" complete-word
compadd() { local -a words; case "${@[1,(i)(-|--)]}" in (*-[OAD]*) builtin compadd "$@"; return ;; esac; builtin compadd -A words "$@"; print -rl -- $words >>$OFFERED }
comppostfuncs=(exit); print REA""DY'
zpty -r shell said '*READY*'
zpty -w -n shell "$2"$'\t'
while zpty -r shell said; do :; done
touch $OFFERED
cat $OFFERED`, "zsh"},
}

// TestOtherShellsComplete has zsh and fish complete command lines, where they are
// installed.
func TestOtherShellsComplete(t *testing.T) {
	t.Parallel()
	for shell, args := range offersOf {
		t.Run(shell, func(t *testing.T) {
			t.Parallel()
			status, script, stderr := command(t, "completion", shell)
			require.Zero(t, status, stderr)
			require.Contains(t, script, "'jobs cancel'")
			require.NotContains(t, script, "oidc-client-secret", "it is no flag")
			program, err := exec.LookPath(shell)
			if err != nil {
				t.Skip("there is no " + shell)
			}
			home := t.TempDir()
			file := filepath.Join(home, "_clausemill")
			require.NoError(t, os.WriteFile(file, []byte(script), 0o600))
			for line, want := range map[string]string{
				"clausemill up":                           "upload",
				"clausemill jobs can":                     "cancel",
				"clausemill jobs list --st":               "--state",
				"clausemill jobs list --state ru":         "running",
				"clausemill jobs list --state=dis":        "discarded",
				"clausemill jobs --help retry --l":        "--limit",
				"clausemill completion ":                  "bash fish zsh",
				"clausemill serve --no-m":                 "--no-migrate",
				"clausemill upload " + home + "/_clausem": "_clausemill",
				"clausemill serve --oidc-client-secret":   "",                 // no flag
				"clausemill reader --":                    "--help --version", // hidden
			} {
				run := exec.CommandContext(t.Context(), program, append(slices.Clone(args), file, line)...)
				run.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_DATA_HOME="+home)
				offered, err := run.CombinedOutput()
				require.NoError(t, err, "%s", offered)
				var words []string
				for answer := range strings.Lines(string(offered)) {
					word, _, _ := strings.Cut(strings.TrimSpace(answer), "\t") // its description follows
					if word = strings.TrimPrefix(strings.TrimPrefix(word, "--state="), home+"/"); word != "" {
						words = append(words, word)
					}
				}
				slices.Sort(words)
				require.Equal(t, want, strings.Join(slices.Compact(words), " "), line)
				_ = os.Remove(file + ".offered")
			}
		})
	}
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

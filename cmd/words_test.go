package cmd_test

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// offTerms are phrases of ours that a standard term replaces; CONTRIBUTING.md has
// the whole list. Only phrases that are never right are here.
var offTerms = map[string]string{
	`people (say|said|say or said) of`: "set by users",
	`zombie`:                           "a stale worker, refused by its fencing token",
	`(went|falls?) silent`:             "sends no heartbeat",
	`other end of the wire`:            "client, or server",
	`itself left out`:                  "without itself, excluding itself",
}

// rightThere are the files where such a phrase is the standard term.
var rightThere = map[string][]string{
	`zombie`: {"child/process.go"}, // a process that ended and was not waited for
}

// TestDocsUseStandardTerms reads code and documents as running text: a phrase may
// be cut by the end of a line.
func TestDocsUseStandardTerms(t *testing.T) {
	t.Parallel()

	list := exec.CommandContext(t.Context(), "git", "ls-files", "*.go", "*.md")
	list.Dir = ".."
	out, err := list.Output()
	require.NoError(t, err)
	lineEnd := regexp.MustCompile(`\s*\n\s*(//\s*)?`)
	for file := range strings.Lines(string(out)) {
		file = strings.TrimSpace(file)
		if file == "CONTRIBUTING.md" || file == "cmd/words_test.go" {
			continue // they name the phrases
		}
		text, err := os.ReadFile("../" + file)
		if os.IsNotExist(err) {
			continue // deleted and not yet committed
		}
		require.NoError(t, err)
		running := lineEnd.ReplaceAllString(string(text), " ")
		for phrase, term := range offTerms {
			if slices.Contains(rightThere[phrase], file) {
				continue
			}
			for _, at := range regexp.MustCompile(`(?i)`+phrase).FindAllStringIndex(running, -1) {
				t.Errorf("%s: %q: write: %s", file, running[max(0, at[0]-40):min(len(running), at[1]+20)], term)
			}
		}
	}
}

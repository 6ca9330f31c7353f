package cmd_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill"
)

// TestReleasesAreWhole holds that a release is the same in each place that says
// so, and that what it has left behind is kept.
func TestReleasesAreWhole(t *testing.T) {
	t.Parallel()

	changelog, err := os.ReadFile("../CHANGELOG.md")
	require.NoError(t, err)
	sections := regexp.MustCompile(`(?m)^## (.*)$`).FindAllStringSubmatch(string(changelog), -1)
	require.Equal(t, "[Unreleased]", sections[0][1])
	for i, section := range sections[1:] {
		version := regexp.MustCompile(`^\[(\d+\.\d+\.\d+)\] - \d{4}-\d\d-\d\d$`).FindStringSubmatch(section[1])
		require.NotNil(t, version, section[1])
		if i == 0 {
			require.Equal(t, clausemill.Version, version[1], "VERSION has the newest release")
		}
		for _, left := range []string{".sql.gz", ".files.tar.gz"} {
			require.FileExists(t, "../db/testdata/releases/"+version[1]+left, "run: make freeze")
		}
	}
}

// TestDocsNameWhatExists keeps the documents true when files move: every path
// in them leads somewhere, every make target is one, and the README lists them all.
func TestDocsNameWhatExists(t *testing.T) {
	t.Parallel()

	paths := regexp.MustCompile("`((?:[a-z_]+/)+[a-z_]*(?:\\.[a-z]+)?)`")
	targets := regexp.MustCompile(`\bmake ([a-z]+)\b`)
	makefile, err := os.ReadFile("../Makefile")
	require.NoError(t, err)
	readme, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	documents, err := filepath.Glob("../docs/*.md")
	require.NoError(t, err)
	for _, path := range append(documents, "../README.md", "../CONTRIBUTING.md") {
		document := strings.TrimPrefix(path, "../")
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.True(t, document == "README.md" || strings.Contains(string(readme), "]("+document+")"), "README.md does not list %s", document)
		for _, found := range paths.FindAllStringSubmatch(string(text), -1) {
			if strings.HasPrefix(found[1], "cache/") || strings.HasPrefix(found[1], "cuad/") {
				continue // made by the program, or part of the data set
			}
			_, err := os.Stat(filepath.Join("..", found[1]))
			require.NoError(t, err, "%s names %s", document, found[1])
		}
		for _, found := range targets.FindAllStringSubmatch(string(text), -1) {
			if strings.Contains(string(text), "`make "+found[1]) || strings.Contains(string(text), "    make "+found[1]) {
				require.Contains(t, string(makefile), "\n"+found[1]+":", document)
			}
		}
	}
}

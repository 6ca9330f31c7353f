package cmd_test

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/dustin/go-humanize"
	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill"
	"github.com/clausemill/clausemill/cmd/internal/setup"
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

// TestProxiesTakeTheLargestUpload holds that the proxies of the notes let through what
// the service takes unless it is told otherwise.
func TestProxiesTakeTheLargestUpload(t *testing.T) {
	t.Parallel()

	notes, err := os.ReadFile("../docs/operating.md")
	require.NoError(t, err)
	field, ok := reflect.TypeFor[setup.Config]().FieldByName("MaxFile")
	require.True(t, ok)
	largest, err := humanize.ParseBytes(field.Tag.Get("default"))
	require.NoError(t, err)
	nginx := regexp.MustCompile(`client_max_body_size (\d+)m;`).FindStringSubmatch(string(notes))
	require.NotNil(t, nginx)
	caddy := regexp.MustCompile(`max_size (\d+\w+)\n`).FindStringSubmatch(string(notes))
	require.NotNil(t, caddy)
	for _, bound := range []string{nginx[1] + "MiB", caddy[1]} {
		lets, err := humanize.ParseBytes(bound)
		require.NoError(t, err)
		require.Greater(t, lets, largest, bound)
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

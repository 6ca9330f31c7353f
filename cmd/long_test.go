package cmd_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLongTestsAreRun holds that what `make test` skips as too long is what `make long` runs,
// and that it looks where it is.
func TestLongTestsAreRun(t *testing.T) {
	t.Parallel()
	makefile, err := os.ReadFile("../Makefile")
	require.NoError(t, err)
	named := strings.Split(string(regexp.MustCompile(`(?m)^LONG := (.+)$`).FindSubmatch(makefile)[1]), "|")
	rooms := strings.Fields(string(regexp.MustCompile(`-run '\^\(\$\(LONG\)\)\$\$' (.+)\n`).FindSubmatch(makefile)[1]))

	function := regexp.MustCompile(`(?ms)^func (Test\w*)\(t \*testing\.T\) \{\n(.*?)^\}`)
	skips := regexp.MustCompile(`(?m)^\t(long\(t\)|if testing\.Short\(\) \{)$`)
	var long []string
	require.NoError(t, filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "node_modules" || strings.HasPrefix(entry.Name(), ".") && path != ".."):
			return filepath.SkipDir
		case !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, f := range function.FindAllSubmatch(text, -1) {
			if skips.Match(f[2]) {
				long = append(long, string(f[1]))
				require.Contains(t, rooms, "./"+filepath.ToSlash(strings.TrimPrefix(filepath.Dir(path), ".."+string(filepath.Separator))))
			}
		}
		return nil
	}))
	slices.Sort(long)
	require.Equal(t, named, long)
}

package thirdparty_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/cmd/internal/thirdparty"
)

// TestPackagesOfTheConsole reads a lock file without what it names, and then with it.
func TestPackagesOfTheConsole(t *testing.T) {
	t.Parallel()

	dir := tree(t, mit)
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, "web", name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	lock := func(version, licence string) {
		t.Helper()
		write("package-lock.json", `{"packages": {"": {"version": "0.1.0"},
			"node_modules/builder": {"version": "9.0.0", "dev": true, "license": "GPL-3.0"},
			"node_modules/a/node_modules/@of/font": {"version": "`+version+`", "license": "`+licence+`"}}}`)
	}
	lock("1.0.0", "OFL-1.1")
	absent, err := thirdparty.Components(t.Context(), dir)
	require.NoError(t, err)
	require.Len(t, absent, 3)
	require.Equal(t, thirdparty.Component{
		Name: "@of/font", Version: "1.0.0", Within: thirdparty.InConsole, Licences: []string{"OFL-1.1"},
		Source: "pkg:npm/%40of/font@1.0.0",
	}, absent[2])

	file := "node_modules/a/node_modules/@of/font/LICENSE"
	write(file, "SIL OPEN FONT LICENSE Version 1.1\n")
	installed, err := thirdparty.Components(t.Context(), dir)
	require.NoError(t, err)
	require.Equal(t, []string{"SIL OPEN FONT LICENSE Version 1.1"}, installed[2].Texts)
	written := thirdparty.Notices(installed)
	require.Contains(t, written, "In the console\n\n  @of/font 1.0.0: OFL-1.1\n")

	// Notices that were written are good for both, and not for another version or text.
	require.True(t, thirdparty.UpToDate(written, installed))
	require.True(t, thirdparty.UpToDate(written, absent))
	require.False(t, thirdparty.UpToDate(strings.ReplaceAll(written, "SIL OPEN", "SIL OTHER"), installed))
	for _, all := range [][]thirdparty.Component{installed, absent} {
		require.False(t, thirdparty.UpToDate(strings.ReplaceAll(written, "1.0.0", "1.0.1"), all))
	}

	lock("1.0.0", "GPL-3.0")
	_, err = thirdparty.Components(t.Context(), dir)
	require.ErrorContains(t, err, "@of/font is under GPL-3.0, which is not allowed")
	lock("1.0.0", "OFL-1.1")
	write(file, "GNU General Public License")
	_, err = thirdparty.Components(t.Context(), dir)
	require.ErrorContains(t, err, "@of/font is under GPL, which is not allowed")
	require.NoError(t, os.Remove(filepath.Join(dir, "web", file)))
	_, err = thirdparty.Components(t.Context(), dir)
	require.ErrorContains(t, err, "@of/font has no licence")
	write("package-lock.json", "{")
	_, err = thirdparty.Components(t.Context(), dir)
	require.ErrorContains(t, err, "package-lock.json of the console")
}

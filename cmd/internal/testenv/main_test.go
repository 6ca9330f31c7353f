package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRunTellsTheCommandWhereThingsAre(t *testing.T) {
	t.Setenv(databaseURL, "")
	t.Setenv(ocrProgram, "")
	t.Chdir(t.TempDir())
	require.NoError(t, os.Mkdir("bin", 0o700))
	require.NoError(t, os.WriteFile(ocrPath, nil, 0o600))

	code, err := run(t.Context(), []string{"sh", "-c", "echo \"$" + databaseURL + "\" \"$" + ocrProgram + "\" > said; exit 7"})
	require.NoError(t, err)
	require.Equal(t, 7, code)

	said, err := os.ReadFile("said")
	require.NoError(t, err)
	here, err := filepath.Abs(ocrPath)
	require.NoError(t, err)
	require.Regexp(t, `^postgres://.*host=\S+ `+here+`\n$`, string(said))
}

func TestRunKeepsWhatIsSet(t *testing.T) {
	t.Setenv(databaseURL, "postgres://elsewhere/")
	t.Chdir(t.TempDir())

	code, err := run(t.Context(), []string{"sh", "-c", "test $" + databaseURL + " = postgres://elsewhere/"})
	require.NoError(t, err)
	require.Zero(t, code)
}

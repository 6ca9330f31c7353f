package formattest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/document/format"
	"github.com/clausemill/clausemill/fault"
)

// TempFile is the path of a file that goes with the test.
func TempFile(tb testing.TB, name string, data []byte) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), name)
	require.NoError(tb, os.WriteFile(path, data, 0o600))
	return path
}

// OpenedFile is a file that is closed with the test.
func OpenedFile(tb testing.TB, data []byte) *os.File {
	tb.Helper()
	f, _, err := format.OpenFile(TempFile(tb, "file", data))
	require.NoError(tb, err)
	tb.Cleanup(func() { f.Close() })
	return f
}

// RequireCode asserts that err fails a file by code, for good, with words that
// a caller may read.
func RequireCode(tb testing.TB, code fault.Code, err error) {
	tb.Helper()
	require.Error(tb, err)
	require.Equal(tb, code, fault.CodeOf(err), "%v", err)
	require.True(tb, fault.Permanent(err))
	require.NotEqual(tb, "internal error", fault.Message(err))
}

// Program writes a converter that does what a script says.
func Program(tb testing.TB, script string) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "soffice")
	require.NoError(tb, os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o700)) //nolint:gosec // it is to be run
	return path
}

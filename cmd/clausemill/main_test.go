package main

import (
	"bytes"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMain lets the test binary stand in for the program: `clausemill dev`
// starts itself again as a reader of documents.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && slices.Contains([]string{"dev", "reader", "upload", "jobs"}, os.Args[1]) {
		main()
	}
	os.Exit(m.Run())
}

// command runs a command line.
func command(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()

	var out, err bytes.Buffer
	status = run(t.Context(), args, console{&out, &err})
	return status, out.String(), err.String()
}

// TestOwnSettings looks which settings the help of a command lists, and that all
// are taken.
func TestOwnSettings(t *testing.T) {
	t.Parallel()

	parser := newParser(t.Context(), console{io.Discard, io.Discard})
	for _, command := range parser.Model.Children {
		listed := map[string]bool{}
		for _, flag := range command.Flags {
			listed[flag.Name] = !flag.Hidden
		}
		switch command.Name {
		case "serve":
			require.True(t, listed["addr"] && listed["oidc-issuer"] && listed["blob-url"])
			require.False(t, listed["ocr-languages"] || listed["text-slots"])
		case "work":
			require.True(t, listed["ocr-languages"] && listed["queues"] && listed["blob-url"])
			require.False(t, listed["addr"] || listed["oidc-issuer"] || listed["rate-limit"])
		case "dev":
			require.True(t, listed["addr"] && listed["ocr-languages"])
		}
	}
	for _, args := range [][]string{{"serve", "--ocr-languages=deu"}, {"work", "--addr=127.0.0.1:1"}} {
		_, err := parser.Parse(args)
		require.NoError(t, err)
	}
}

func TestUsage(t *testing.T) {
	t.Parallel()

	for _, tt := range []struct {
		args string
		says string
	}{
		{"", "expected one of"},
		{"fly", "unexpected argument fly"},
		{"keys create", "--user=EMAIL or --organization=NAME"},
		{"keys create --user a@b.c --organization d", "--user and --organization can't be used together"},
		{"upload", `expected "<path> ..."`},
		{"upload /nonexistent/contract.pdf", "no such file"},
		{"upload main_test.go --key=k", "set CLAUSEMILL_API_KEY, or CLAUSEMILL_API_KEY_FILE"},
		{"upload main_test.go --client-secret=s", "set CLAUSEMILL_CLIENT_SECRET, or CLAUSEMILL_CLIENT_SECRET_FILE"},
		{"dev --addr=:8080", "dev signs anybody in"},
		{"dev --addr=192.0.2.1:8080", "dev signs anybody in"},
		{"serve --max-file=big", "is no size"},
		{"serve --public-url=https://a.example --oidc-client-id=c --oidc-issuer=http://127.0.0.1:8080/dev/identity", "OIDC_ISSUER must be an address that begins with https://"},
	} {
		t.Run(tt.args, func(t *testing.T) {
			t.Parallel()

			status, stdout, stderr := command(t, strings.Fields(tt.args)...)
			require.Equal(t, exitUsage, status)
			require.Empty(t, stdout)
			require.Contains(t, stderr, tt.says)
		})
	}
}

func TestOpenAPI(t *testing.T) {
	t.Parallel()

	status, stdout, _ := command(t, "openapi")
	require.Zero(t, status)
	require.Contains(t, stdout, `"openapi": "3.1`)
	require.Contains(t, stdout, `"/api/files/{fileId}/status"`)
}

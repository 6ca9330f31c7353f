package thirdparty_test

import (
	"context"
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/cmd/internal/thirdparty"
)

const (
	root = "../../.."
	file = root + "/THIRD_PARTY_NOTICES"
)

var update = flag.Bool("update", false, "rewrite THIRD_PARTY_NOTICES")

// components asks the compiler once for all tests.
var components = sync.OnceValues(func() ([]thirdparty.Component, error) {
	return thirdparty.Components(context.Background(), root)
})

// TestNotices fails where a module came, went or changed without its notices, and
// where one has a licence that is not allowed.
func TestNotices(t *testing.T) {
	t.Parallel()

	all, err := components()
	require.NoError(t, err)
	text := thirdparty.Notices(all)
	if *update {
		require.True(t, slices.ContainsFunc(all, func(c thirdparty.Component) bool { return c.Name == "preact" && len(c.Texts) > 0 }), "run: make console")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644)) //nolint:gosec // part of the source
		return
	}
	written, err := os.ReadFile(file)
	require.NoError(t, err)
	if !thirdparty.UpToDate(string(written), all) { // the whole of both would fill the screen
		t.Fatal("what is compiled has changed: run make notices, and read the diff")
	}
}

// TestEveryNoticeIsPassedOn looks for each NOTICE of a module in the text, whatever
// package of it is used, and for each module that the compiler wrote into this test.
func TestEveryNoticeIsPassedOn(t *testing.T) {
	t.Parallel()

	all, err := components()
	require.NoError(t, err)
	text := strings.Join(strings.Fields(thirdparty.Notices(all)), " ")
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-tags", "production",
		"-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}", root+"/cmd/clausemill").Output()
	require.NoError(t, err)
	notices, modules := 0, map[string]bool{}
	for line := range strings.Lines(string(out)) {
		module := strings.Fields(line)
		if len(module) == 0 || modules[module[0]] {
			continue
		}
		modules[module[0]] = true
		require.Contains(t, text, " "+module[0]+" "+module[1]+": ")
		found, err := filepath.Glob(filepath.Join(module[2], "NOTICE*"))
		require.NoError(t, err)
		for _, notice := range found {
			content, err := os.ReadFile(notice)
			require.NoError(t, err)
			require.Contains(t, text, strings.Join(strings.Fields(string(content)), " "), notice)
			notices++
		}
	}
	require.Greater(t, len(modules), 80)
	require.GreaterOrEqual(t, notices, 9)
	for _, part := range []string{"PDFium", "FreeType", "OpenJPEG", "libjpeg-turbo", "Little CMS", "ICU", "Anti-Grain Geometry", "React", "Leptonica", "CUAD"} {
		require.Contains(t, strings.ToLower(text), strings.ToLower(part))
	}
}

// tree is a source with one program that holds one module, which is beside it.
func tree(t *testing.T, licence string) (dir string) {
	t.Helper()

	dir = t.TempDir()
	files := fstest.MapFS{
		"go.mod":                           {Data: []byte("module example.com/a\n\ngo 1.26\n\nrequire example.com/b v1.0.0\n\nreplace example.com/b v1.0.0 => ./b\n")},
		"cmd/clausemill/main.go":           {Data: []byte("package main\n\nimport \"example.com/b/inner\"\n\nfunc main() { inner.Do() }\n")},
		"cmd/clausemill-ocr/main.go":       {Data: []byte("package main\n\nfunc main() {}\n")},
		"b/go.mod":                         {Data: []byte("module example.com/b\n\ngo 1.26\n")},
		"b/inner/inner.go":                 {Data: []byte("// Package inner does nothing.\npackage inner\n\nfunc Do() {}\n")},
		"cmd/internal/thirdparty/parts/.x": {},
		"web/package-lock.json":            {Data: []byte(`{"packages": {"": {"name": "console"}}}`)},
	}
	if licence != "" {
		files["b/LICENSE"] = &fstest.MapFile{Data: []byte(licence)}
	}
	for name, f := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, f.Data, 0o600))
	}
	require.NoError(t, os.Remove(filepath.Join(dir, "cmd/internal/thirdparty/parts/.x")))
	return dir
}

const mit = "Permission is hereby granted, free of charge, to any\r\n  person obtaining a copy of it.\r\n"

func TestLicencesAreLookedAt(t *testing.T) {
	t.Parallel()

	for licence, says := range map[string]string{
		"":                                     "example.com/b has no licence",
		"All rights reserved.":                 "is a licence that nobody has looked at yet",
		"GNU Affero General Public License v3": "example.com/b is under AGPL, which is not allowed",
		"Take " + mit + "\nor the GNU Lesser\nGeneral Public License": "example.com/b is under LGPL, which is not allowed",
	} {
		_, err := thirdparty.Components(t.Context(), tree(t, licence))
		require.ErrorContains(t, err, says)
	}

	dir := tree(t, mit)
	for name, text := range map[string]string{"b/NOTICE": "By us.\n", "b/inner/LICENSE.txt": "Apache License\n\tVersion 2.0, January 2004\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	all, err := thirdparty.Components(t.Context(), dir)
	require.NoError(t, err)
	require.Len(t, all, 2)
	require.Equal(t, thirdparty.Component{
		Name: "example.com/b", Version: "v1.0.0", Licences: []string{"Apache-2.0", "MIT"}, Source: "https://pkg.go.dev/example.com/b@v1.0.0",
		Texts:   []string{"Apache License\n\tVersion 2.0, January 2004", "Permission is hereby granted, free of charge, to any\n  person obtaining a copy of it."},
		Notices: []string{"By us."},
	}, all[0])
	require.Contains(t, all[1].Name, "Go standard library")
	require.Equal(t, []string{"BSD-3-Clause"}, all[1].Licences)
}

// TestPartsAreOfTheirVersion has a module that holds something come in another
// version.
func TestPartsAreOfTheirVersion(t *testing.T) {
	t.Parallel()

	dir := tree(t, mit)
	parts := filepath.Join(dir, "cmd/internal/thirdparty/parts/example.com")
	require.NoError(t, os.MkdirAll(parts, 0o700))
	record := "Name: Bytes, More Bytes\nLicence: MIT, Zlib\nSource: https://example.com/\n\nTake it.\n"
	right, wrong := filepath.Join(parts, "b@v1.0.0.txt"), filepath.Join(parts, "b@v0.9.0.txt")
	require.NoError(t, os.WriteFile(right, []byte(record+"\n%%\n"+record), 0o600))
	all, err := thirdparty.Components(t.Context(), dir)
	require.NoError(t, err)
	require.Len(t, all, 4)
	require.Equal(t, "Within example.com/b", all[3].Within)
	require.Equal(t, []string{"MIT", "Zlib"}, all[3].Licences)
	require.Equal(t, 1, strings.Count(thirdparty.Notices(all), "\nTake it.\n"))

	require.NoError(t, os.Rename(right, wrong))
	_, err = thirdparty.Components(t.Context(), dir)
	require.ErrorContains(t, err, "see what example.com/b holds now")
	require.NoError(t, os.Remove(wrong))
	require.NoError(t, os.WriteFile(right, []byte("Name: Bytes\n\nTake it.\n"), 0o600))
	_, err = thirdparty.Components(t.Context(), dir)
	require.ErrorContains(t, err, "a record needs Name, Licence, Source")
	_, err = thirdparty.Components(t.Context(), filepath.Join(dir, "nowhere"))
	require.ErrorIs(t, err, fs.ErrNotExist)
}

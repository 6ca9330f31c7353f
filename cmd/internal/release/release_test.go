package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill"
)

// TestReleaseIsReproducible builds twice, and compares every byte.
func TestReleaseIsReproducible(t *testing.T) {
	t.Parallel()

	if testing.Short() {
		t.Skip("builds the programs twice")
	}
	var all [2]map[string][]byte
	for i := range all {
		b := building{Root: "../../..", Out: filepath.Join(t.TempDir(), "dist"), Platforms: []string{runtime.GOARCH}}
		require.NoError(t, b.Run(t.Context()))
		all[i] = map[string][]byte{}
		files, err := os.ReadDir(b.Out)
		require.NoError(t, err)
		for _, f := range files {
			all[i][f.Name()], err = os.ReadFile(filepath.Join(b.Out, f.Name()))
			require.NoError(t, err)
		}
	}
	name := "clausemill_" + clausemill.Version + "_linux_" + runtime.GOARCH
	require.Len(t, all[0], 3)
	for file, content := range all[0] {
		require.True(t, bytes.Equal(content, all[1][file]), "%s differs from one build to the next", file)
	}
	require.Len(t, strings.Split(strings.TrimSpace(string(all[0]["SHA256SUMS"])), "\n"), 2)

	// What is in it: the programs, and what has to go with them.
	unpacked, err := gzip.NewReader(bytes.NewReader(all[0][name+".tar.gz"]))
	require.NoError(t, err)
	contents := map[string][]byte{}
	for entries := tar.NewReader(unpacked); ; {
		entry, err := entries.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		contents[strings.TrimPrefix(entry.Name, name+"/")], err = io.ReadAll(entries)
		require.NoError(t, err)
	}
	for file, text := range map[string]string{"LICENSE": clausemill.License, "NOTICE": clausemill.Notice, noticesFile: clausemill.ThirdParty} {
		require.Equal(t, text, string(contents[file]))
	}

	require.True(t, bytes.HasPrefix(contents["clausemill.1"], []byte(".TH CLAUSEMILL 1")))
	for _, file := range []string{"clausemill.bash", "clausemill.fish", "_clausemill"} {
		require.Contains(t, string(contents[file]), "completion for clausemill", file)
		require.NotContains(t, string(contents[file]), "bench", "that is for development")
	}

	// The list of what is in the programs has each module of them.
	var list bom
	require.NoError(t, json.Unmarshal(all[0][name+".cdx.json"], &list))
	require.Equal(t, clausemill.Version, list.Metadata.Component.Version)
	for _, program := range []string{"clausemill", "clausemill-ocr"} {
		info, err := buildinfo.Read(bytes.NewReader(contents[program]))
		require.NoError(t, err)
		require.NotEmpty(t, info.Deps)
		for _, m := range info.Deps {
			i := slices.IndexFunc(list.Components, func(c bomPart) bool { return c.PURL == "pkg:golang/"+m.Path+"@"+m.Version })
			require.GreaterOrEqual(t, i, 0, "%s is not listed", m.Path)
			require.NotEmpty(t, list.Components[i].Licences, m.Path)
		}
	}
	for _, of := range []string{"pkg:npm/preact@", "pkg:npm/%40zag-js/preact@"} { // that the console is built of
		require.True(t, slices.ContainsFunc(list.Components, func(c bomPart) bool { return strings.HasPrefix(c.PURL, of) }), of)
	}
	refs := map[string]bool{list.Metadata.Component.Ref: true}
	for _, c := range list.Components {
		require.False(t, refs[c.Ref], c.Ref)
		refs[c.Ref] = true
		require.NotContains(t, c.Name, "zitadel", "that is for development")
	}
	for _, d := range list.Dependencies {
		for _, ref := range append(d.DependsOn, d.Ref) {
			require.True(t, refs[ref], ref)
		}
	}
	require.True(t, slices.ContainsFunc(list.Dependencies, func(d bomDepends) bool {
		return strings.Contains(d.Ref, "go-pdfium") && slices.ContainsFunc(d.DependsOn, func(ref string) bool { return strings.HasSuffix(ref, "/FreeType") })
	}))
}

// TestPackForgetsWhereItWasMade packs the same file, written at two times.
func TestPackForgetsWhereItWasMade(t *testing.T) {
	t.Parallel()

	file := filepath.Join(t.TempDir(), "program")
	var packed [2]bytes.Buffer
	for i := range packed {
		require.NoError(t, os.WriteFile(file, []byte("#!/bin/sh\n"), 0o700)) //nolint:gosec // a program
		require.NoError(t, os.Chtimes(file, time.Time{}, time.Unix(int64(i)*1e6, 0)))
		require.NoError(t, pack(&packed[i], "dir", []string{file}, time.Unix(1, 0)))
	}
	require.Equal(t, packed[0].Bytes(), packed[1].Bytes())
	require.Error(t, pack(io.Discard, "dir", []string{file + "-that-is-not-there"}, time.Unix(1, 0)))
}

// TestClientIsOfTheRelease holds that the TypeScript client can be packed beside the
// programs.
func TestClientIsOfTheRelease(t *testing.T) {
	t.Parallel()

	require.NoError(t, sameVersion(filepath.Join("../../..", clientDir)))
	dir := t.TempDir()
	for text, says := range map[string]string{
		`{"version": "0.0.9"}`: "has the version 0.0.9",
		`{"version": "` + clausemill.Version + `", "dependencies": {"left-pad": "1.3.0"}}`: "left-pad",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "package.json"), []byte(text), 0o600))
		require.ErrorContains(t, sameVersion(dir), says)
	}
}

func TestReleased(t *testing.T) {
	t.Parallel()

	when, err := released("../../..")
	require.NoError(t, err)
	require.Zero(t, when.Hour())
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "CHANGELOG.md"), []byte("## [Unreleased]\n"), 0o600))
	_, err = released(dir)
	require.ErrorContains(t, err, "does not say when "+clausemill.Version+" was released")
}

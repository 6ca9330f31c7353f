package main

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/clausemill/clausemill"
	"github.com/clausemill/clausemill/cmd/internal/thirdparty"
)

// beside is what goes with the programs, of the source.
var beside = []string{"CHANGELOG.md", "LICENSE", "NOTICE", "README.md", noticesFile}

// shown is what the program prints of itself, by the name of the file that it goes to.
var shown = map[string][]string{
	"clausemill.1":    {"man"},
	"clausemill.bash": {"completion", "bash"},
	"clausemill.fish": {"completion", "fish"},
	"_clausemill":     {"completion", "zsh"}, // as zsh finds it
}

// show writes the files of shown below dir, and lists them. It builds the program for
// this machine.
func show(ctx context.Context, root, dir string) ([]string, error) {
	program := filepath.Join(dir, "clausemill")
	if err := compile(ctx, root, program, runtime.GOARCH, "0"); err != nil {
		return nil, err
	}
	var files []string
	for _, name := range slices.Sorted(maps.Keys(shown)) {
		text, err := exec.CommandContext(ctx, program, shown[name]...).Output()
		if err != nil {
			return nil, fmt.Errorf("clausemill %s: %w", strings.Join(shown[name], " "), err)
		}
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, text, 0o644); err != nil { //nolint:gosec // for whoever fetches it
			return nil, err
		}
		files = append(files, file)
	}
	return files, nil
}

// released is when the changelog says that the newest release was made. Everything in
// the archives is of that time, whenever they are built.
func released(root string) (time.Time, error) {
	changelog, err := os.ReadFile(filepath.Join(root, "CHANGELOG.md"))
	if err != nil {
		return time.Time{}, err
	}
	found := regexp.MustCompile(`(?m)^## \[` + regexp.QuoteMeta(clausemill.Version) + `\] - (.*)$`).FindSubmatch(changelog)
	if found == nil {
		return time.Time{}, fmt.Errorf("CHANGELOG.md does not say when %s was released", clausemill.Version)
	}
	return time.Parse(time.DateOnly, string(found[1]))
}

// archive builds the programs for a processor, and writes them with the files that go
// with them, and beside that what is in them.
func archive(ctx context.Context, root, out, platform string, when time.Time, all []thirdparty.Component, with []string) error {
	name := fmt.Sprintf("clausemill_%s_linux_%s", clausemill.Version, platform)
	built, err := os.MkdirTemp("", "clausemill-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(built)
	programs := []string{filepath.Join(built, "clausemill")}
	if err := compile(ctx, root, programs[0], platform, "0"); err != nil {
		return err
	}
	// The child that recognises is linked with C libraries, which are those of this
	// machine.
	if platform == runtime.GOARCH && runtime.GOOS == "linux" {
		programs = append(programs, filepath.Join(built, "clausemill-ocr"))
		if err := compile(ctx, root, programs[1], platform, "1"); err != nil {
			return err
		}
	}
	bom, err := sbom(programs, platform, when, all)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(out, name+".cdx.json"), bom, 0o644); err != nil { //nolint:gosec // for whoever fetches it
		return err
	}
	files := slices.Concat(programs, with)
	for _, file := range beside {
		files = append(files, filepath.Join(root, file))
	}
	to, err := os.Create(filepath.Join(out, name+".tar.gz"))
	if err != nil {
		return err
	}
	return errors.Join(pack(to, name, files, when), to.Close())
}

// compile builds the program that has the name of the file to. The compiler is that of
// 'go run', which puts its own directory first in PATH.
func compile(ctx context.Context, root, to, platform, cgo string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-tags", "production", "-ldflags", "-s -w", "-o", to, "./cmd/"+filepath.Base(to))
	cmd.Dir = root
	cmd.Env = append(cmd.Environ(), "GOOS=linux", "GOARCH="+platform, "CGO_ENABLED="+cgo)
	cmd.Stderr = os.Stderr
	return cmd.Run()
}

// pack writes an archive with the files below dir. It says nothing of who made it, on
// which machine or when but for the time of the release.
func pack(to io.Writer, dir string, files []string, when time.Time) error {
	packed, err := gzip.NewWriterLevel(to, gzip.BestCompression)
	if err != nil {
		return err
	}
	entries := tar.NewWriter(packed)
	for _, file := range files {
		if err := add(entries, dir, file, when); err != nil {
			return err
		}
	}
	return errors.Join(entries.Close(), packed.Close())
}

// add writes one file.
func add(entries *tar.Writer, dir, file string, when time.Time) error {
	from, err := os.Open(file)
	if err != nil {
		return err
	}
	defer from.Close()
	info, err := from.Stat()
	if err != nil {
		return err
	}
	mode := int64(0o644)
	if info.Mode()&0o100 != 0 {
		mode = 0o755
	}
	err = entries.WriteHeader(&tar.Header{
		Typeflag: tar.TypeReg, Name: path.Join(dir, filepath.Base(file)), Size: info.Size(), Mode: mode, ModTime: when, Format: tar.FormatUSTAR,
	})
	if err != nil {
		return err
	}
	_, err = io.Copy(entries, from)
	return err
}

// sums writes the hashes of all that is in dir, as sha256sum does.
func sums(dir string) error {
	root := os.DirFS(dir)
	files, err := fs.ReadDir(root, ".")
	if err != nil {
		return err
	}
	var text strings.Builder
	for _, f := range files {
		content, err := root.Open(f.Name())
		if err != nil {
			return err
		}
		hash := sha256.New()
		_, err = io.Copy(hash, content)
		if err := errors.Join(err, content.Close()); err != nil {
			return err
		}
		fmt.Fprintf(&text, "%s  %s\n", hex.EncodeToString(hash.Sum(nil)), f.Name())
	}
	return os.WriteFile(filepath.Join(dir, "SHA256SUMS"), []byte(text.String()), 0o644) //nolint:gosec // for whoever fetches it
}

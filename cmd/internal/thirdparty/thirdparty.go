package thirdparty

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Component is something of others.
type Component struct {
	Name    string
	Version string // of modules and packages only
	Within  string // the module that holds it as bytes, the console, or what else it is for
	// Licences are identifiers of SPDX, and AGG, which has none.
	Licences []string
	Source   string // where it can be had
	Texts    []string
	Notices  []string // what has to be passed on besides: NOTICE and PATENTS
}

// allowed are the licences under which others may pass on what we make of it under
// Apache-2.0.
var allowed = []string{
	"0BSD", "AGG", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD-2-Clause", "BSD-3-Clause", "CC-BY-4.0", "FTL", "IJG", "ISC", "MIT",
	"MPL-2.0", "OFL-1.1", "Unicode-3.0", "Unlicense", "Zlib",
}

// programs are those that are released.
var programs = []string{"./cmd/clausemill", "./cmd/clausemill-ocr"}

// Platforms are those that there are releases for.
var Platforms = []string{"amd64", "arm64"}

// pkg is what `go list` says of a package.
type pkg struct {
	Dir    string
	Module *struct {
		Path, Version, Dir string
		Main               bool
	}
}

// Components is all that the programs of the source below root hold, with what is
// for development. It wants the modules, as building does.
func Components(ctx context.Context, root string) ([]Component, error) {
	modules := map[string]*Component{}
	texts := map[string][]string{} // files of a module that were read
	for _, platform := range Platforms {
		packages, err := compiled(ctx, root, platform)
		if err != nil {
			return nil, err
		}
		for _, p := range packages {
			m := p.Module
			if m == nil || m.Main {
				continue
			}
			c := modules[m.Path]
			if c == nil {
				c = &Component{Name: m.Path, Version: m.Version, Source: "https://pkg.go.dev/" + m.Path + "@" + m.Version}
				modules[m.Path] = c
			}
			for dir := p.Dir; ; dir = filepath.Dir(dir) {
				if !slices.Contains(texts[m.Path], dir) {
					texts[m.Path] = append(texts[m.Path], dir)
					if err := c.read(dir); err != nil {
						return nil, err
					}
				}
				if dir == m.Dir {
					break
				}
			}
		}
	}
	library, err := standardLibrary(ctx)
	if err != nil {
		return nil, err
	}
	all := []Component{library}
	for _, c := range modules {
		slices.Sort(c.Licences)
		c.Licences = slices.Compact(c.Licences)
		all = append(all, *c)
	}
	held, err := parts(os.DirFS(filepath.Join(root, "cmd", "internal", "thirdparty", "parts")), modules)
	if err != nil {
		return nil, err
	}
	all = append(all, held...)
	console, err := packages(filepath.Join(root, "web"))
	if err != nil {
		return nil, err
	}
	all = append(all, console...)
	slices.SortStableFunc(all, func(a, b Component) int {
		return cmp.Or(cmp.Compare(a.Within, b.Within), cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), cmp.Compare(a.Version, b.Version))
	})
	return all, check(all)
}

// compiled are the packages that the programs are compiled from.
func compiled(ctx context.Context, root, platform string) ([]pkg, error) {
	cmd := exec.CommandContext(ctx, "go", append([]string{"list", "-deps", "-json=Dir,Module"}, programs...)...)
	cmd.Dir = root
	cmd.Env = append(cmd.Environ(), "GOOS=linux", "GOARCH="+platform, "CGO_ENABLED=1", "GOFLAGS=")
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w: %s", err, complaints.String())
	}
	var all []pkg
	for list := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		err := list.Decode(&p)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
}

// standardLibrary is what comes with the compiler. Its version is the compiler's, so
// it is not told.
func standardLibrary(ctx context.Context) (Component, error) {
	c := Component{Name: "Go standard library and runtime", Source: "https://go.dev/"}
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return c, err
	}
	return c, c.read(strings.TrimSpace(string(root)))
}

var (
	licenceFile = regexp.MustCompile(`(?i)^(licen[sc]e|copying|unlicense)(\.(md|txt))?$`)
	noticeFile  = regexp.MustCompile(`(?i)^(notice|patents)(\.(md|txt))?$`)
)

// read takes up the licences and notices in a directory.
func (c *Component) read(dir string) error {
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, f := range files {
		licence, notice := licenceFile.MatchString(f.Name()), noticeFile.MatchString(f.Name())
		if f.IsDir() || !licence && !notice {
			continue
		}
		content, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			return err
		}
		text := tidy(string(content))
		if notice {
			c.Notices = append(c.Notices, text)
			continue
		}
		found := licences(text)
		if len(found) == 0 {
			return fmt.Errorf("%s of %s is a licence that nobody has looked at yet", f.Name(), c.Name)
		}
		c.Licences = append(c.Licences, found...)
		c.Texts = append(c.Texts, text)
	}
	return nil
}

// tidy is a text without what editors leave behind.
func tidy(text string) string {
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
	lines := strings.Split(strings.ReplaceAll(text, "\f", ""), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \t")
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

// phrases tell licences from one another.
var phrases = []struct{ says, licence string }{
	{"apache license version 2.0", "Apache-2.0"},
	{"sil open font license version 1.1", "OFL-1.1"},
	{"mozilla public license version 2.0", "MPL-2.0"},
	{"permission is hereby granted, free of charge, to any person obtaining a copy", "MIT"},
	{"permission to use, copy, modify, and distribute this software for any purpose with or without fee is hereby granted", "ISC"},
	{"permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted", "ISC"},
	{"this is free and unencumbered software released into the public domain", "Unlicense"},
	{"gnu general public license", "GPL"},
	{"gnu lesser general public license", "LGPL"},
	{"gnu affero general public license", "AGPL"},
}

// licences are those that a text has the words of.
func licences(text string) (found []string) {
	words := strings.ToLower(strings.Join(strings.Fields(strings.ReplaceAll(text, ",", " , ")), " "))
	words = strings.ReplaceAll(words, " , ", ", ")
	for _, p := range phrases {
		if strings.Contains(words, p.says) {
			if p.licence == "MPL-2.0" {
				return []string{p.licence} // its words name others that it goes with
			}
			found = append(found, p.licence)
		}
	}
	if strings.Contains(words, "redistribution and use in source and binary forms") {
		if strings.Contains(words, "endorse or promote") {
			return append(found, "BSD-3-Clause")
		}
		return append(found, "BSD-2-Clause")
	}
	return found
}

// parts are what modules hold as bytes, each by its module, and what is linked or
// learned from.
func parts(dir fs.FS, modules map[string]*Component) (all []Component, err error) {
	within := map[string]string{
		"data":   "Models and test data",
		"linked": "Linked by clausemill-ocr, not part of the archives",
	}
	err = fs.WalkDir(dir, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		of := strings.TrimSuffix(path, ".txt")
		holder, ok := within[of]
		if !ok {
			name, version, _ := strings.Cut(of, "@")
			if m := modules[name]; m == nil || m.Version != version {
				return fmt.Errorf("parts/%s is of a version that is not used: see what %s holds now, and rename it", path, name)
			}
			holder = "Within " + name
		}
		content, err := fs.ReadFile(dir, path)
		if err != nil {
			return err
		}
		for record := range strings.SplitSeq(string(content), "\n%%\n") {
			c := Component{Within: holder}
			head, text, _ := strings.Cut(record, "\n\n")
			fields := map[string]string{}
			for line := range strings.Lines(head) {
				name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
				fields[name] = value
			}
			c.Name, c.Source, c.Texts = fields["Name"], fields["Source"], []string{tidy(text)}
			c.Licences = strings.Split(fields["Licence"], ", ")
			if c.Name == "" || len(fields) != 3 || c.Texts[0] == "" {
				return fmt.Errorf("parts/%s: a record needs Name, Licence, Source and a text, and has %v", path, slices.Sorted(maps.Keys(fields)))
			}
			all = append(all, c)
		}
		return nil
	})
	return all, err
}

// check wants a licence of everything, and one that is allowed.
func check(all []Component) error {
	var wrong []error
	for _, c := range all {
		if len(c.Licences) == 0 {
			wrong = append(wrong, fmt.Errorf("%s has no licence", c.Name))
		}
		for _, l := range c.Licences {
			if !slices.Contains(allowed, l) {
				wrong = append(wrong, fmt.Errorf("%s is under %s, which is not allowed", c.Name, l))
			}
		}
	}
	return errors.Join(wrong...)
}

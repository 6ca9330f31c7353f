package client

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Collect lists the files that paths name, as absolute paths in the order
// given: files as they are, folders with all below them in order of name.
// Inside folders, hidden files and what is no plain file are left out.
func Collect(paths []string) ([]string, error) {
	var files []string
	seen := map[string]bool{}
	add := func(path string) {
		if !seen[path] {
			seen[path] = true
			files = append(files, path)
		}
	}
	for _, path := range paths {
		path, err := filepath.Abs(path)
		if err != nil {
			return nil, err
		}
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			add(path)
			continue
		}
		err = filepath.WalkDir(path, func(below string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case below != path && strings.HasPrefix(entry.Name(), "."):
				if entry.IsDir() {
					return filepath.SkipDir
				}
			case entry.Type().IsRegular():
				add(below)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}

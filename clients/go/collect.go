package clausemill

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Collect lists the files that paths name, as absolute paths in the order
// given: files as they are, folders with all below them in order of name.
// Inside folders, hidden files and everything but regular files are left out. For
// a file in a subfolder, folders maps its path to the subfolder, with slashes and
// relative to the folder that was named.
func Collect(paths []string) (files []string, folders map[string]string, err error) {
	folders = map[string]string{}
	seen := map[string]bool{}
	add := func(path, folder string) {
		if seen[path] {
			return
		}
		seen[path] = true
		files = append(files, path)
		if folder != "." {
			folders[path] = filepath.ToSlash(folder)
		}
	}
	for _, path := range paths {
		path, err := filepath.Abs(path)
		if err != nil {
			return nil, nil, err
		}
		info, err := os.Stat(path)
		if err != nil {
			return nil, nil, err
		}
		if !info.IsDir() {
			add(path, ".")
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
				folder, err := filepath.Rel(path, filepath.Dir(below))
				if err != nil {
					return err
				}
				add(below, folder)
			}
			return nil
		})
		if err != nil {
			return nil, nil, err
		}
	}
	return files, folders, nil
}

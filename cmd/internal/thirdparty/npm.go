package thirdparty

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// InConsole is where the packages of npm are that the scripts of the console hold.
const InConsole = "In the console"

// modulesDir is where npm installs packages, each below the one that it is for.
const modulesDir = "node_modules/"

// packages are those of npm that the console below web is built of. Names, versions and
// licences are those of the lock file; texts are beside what was installed. Where nothing
// was there are none, and no console in the program.
func packages(web string) ([]Component, error) {
	content, err := os.ReadFile(filepath.Join(web, "package-lock.json"))
	if err != nil {
		return nil, err
	}
	var lock struct {
		Packages map[string]struct {
			Version, License string
			Dev              bool
		}
	}
	if err := json.Unmarshal(content, &lock); err != nil {
		return nil, fmt.Errorf("package-lock.json of the console: %w", err)
	}
	_, err = os.Stat(filepath.Join(web, modulesDir))
	installed := !errors.Is(err, fs.ErrNotExist)
	var all []Component
	for dir, p := range lock.Packages {
		i := strings.LastIndex(dir, modulesDir)
		if i < 0 || p.Dev {
			continue // the console itself, or what builds it
		}
		c := Component{Name: dir[i+len(modulesDir):], Version: p.Version, Within: InConsole, Licences: strings.Fields(p.License)}
		c.Source = "pkg:npm/" + strings.Replace(c.Name, "@", "%40", 1) + "@" + c.Version // purl
		if installed {
			if err := c.beside(filepath.Join(web, dir)); err != nil {
				return nil, err
			}
		}
		all = append(all, c)
	}
	return all, nil
}

// beside takes up the texts in the directory of a package, whose licences have to be
// allowed as well: of what it is made of, a package declares nothing.
func (c *Component) beside(dir string) error {
	found := Component{Name: c.Name}
	if err := found.read(dir); err != nil {
		return err
	}
	c.Texts, c.Notices = found.Texts, found.Notices
	return check([]Component{found})
}

// UpToDate reports whether notices that were written are those of all. Where the
// packages of the console are not installed it compares all but the texts.
func UpToDate(written string, all []Component) bool {
	want := Notices(all)
	for _, c := range all {
		if c.Within == InConsole && len(c.Texts) == 0 {
			written, _, _ = strings.Cut(written, rule)
			want, _, _ = strings.Cut(want, rule)
			break
		}
	}
	return written == want
}

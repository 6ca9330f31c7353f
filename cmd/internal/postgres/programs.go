package postgres

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// builtinLocaleSince is the first major version with a C.UTF-8 that does not
// depend on the C library.
const builtinLocaleSince = 17

// programs is one installed version of the server.
type programs struct {
	bin   string // directory that holds postgres and initdb
	major int
}

// findPrograms returns the newest installed version, or the one that made the
// cluster in data where there is one: a cluster can be read by no other.
func findPrograms(data string) (programs, error) {
	installed := installedPrograms()
	if len(installed) == 0 {
		return programs{}, errors.New("no Postgres server found in /usr/lib/postgresql or on PATH: " +
			"install the package postgresql (scripts/install-deps.sh does), or set DATABASE_URL to one that runs elsewhere")
	}
	version, err := os.ReadFile(filepath.Join(data, "PG_VERSION"))
	if errors.Is(err, os.ErrNotExist) {
		return installed[0], nil
	}
	if err != nil {
		return programs{}, err
	}
	major, _ := strconv.Atoi(strings.TrimSpace(string(version)))
	for _, p := range installed {
		if p.major == major {
			return p, nil
		}
	}
	return programs{}, fmt.Errorf("%s was made by Postgres %s, which is no longer installed: install it again, "+
		"or move the directory away to start afresh", data, strings.TrimSpace(string(version)))
}

// installedPrograms lists every version found, newest first. Debian keeps them
// apart by version and off PATH; elsewhere pg_config names the directory.
func installedPrograms() []programs {
	dirs, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	if out, err := exec.Command("pg_config", "--bindir").Output(); err == nil {
		dirs = append(dirs, strings.TrimSpace(string(out)))
	}
	if path, err := exec.LookPath("postgres"); err == nil {
		dirs = append(dirs, filepath.Dir(path))
	}
	var found []programs
	for _, dir := range dirs {
		if _, err := os.Stat(filepath.Join(dir, "initdb")); err != nil {
			continue // pg_config comes with the client library too
		}
		out, err := exec.Command(filepath.Join(dir, "postgres"), "--version").Output()
		if err != nil {
			continue
		}
		if major, ok := majorVersion(string(out)); ok {
			found = append(found, programs{dir, major})
		}
	}
	slices.SortStableFunc(found, func(a, b programs) int { return cmp.Compare(b.major, a.major) })
	return found
}

// majorVersion reads "postgres (PostgreSQL) 15.14 (Debian 15.14-0+deb12u1)".
func majorVersion(line string) (int, bool) {
	_, rest, ok := strings.Cut(line, "(PostgreSQL) ")
	if !ok {
		return 0, false
	}
	digits := strings.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
	if digits < 0 {
		digits = len(rest)
	}
	major, err := strconv.Atoi(rest[:digits])
	return major, err == nil
}

// locale is the initdb options for byte order collation over UTF-8: the same
// order on every machine, whatever its C library.
func (p programs) locale() []string {
	if p.major >= builtinLocaleSince {
		return []string{"--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C.UTF-8"}
	}
	return []string{"--locale=C.UTF-8"}
}

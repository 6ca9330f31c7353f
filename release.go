// Package clausemill says which release this is, and under which licences it is.
package clausemill

import (
	_ "embed"
	"fmt"
	"runtime/debug"
	"strings"
)

//go:embed VERSION
var version string

// Version is that of the newest release, 0.1.0, without what git puts before it.
// What is built between two releases has that of the one before.
var Version = strings.TrimSpace(version)

// License, Notice and ThirdParty are what goes with every copy of the programs: their
// own licence, its notice, and the licences and notices of what they hold of others.
var (
	//go:embed LICENSE
	License string
	//go:embed NOTICE
	Notice string
	//go:embed THIRD_PARTY_NOTICES
	ThirdParty string
)

// Build is Version and, where git was there when the program was built, the commit
// that it is of.
func Build() string {
	commit, changed := "", ""
	if build, ok := debug.ReadBuildInfo(); ok {
		for _, s := range build.Settings {
			switch {
			case s.Key == "vcs.revision":
				commit = s.Value[:min(len(s.Value), 12)]
			case s.Key == "vcs.modified" && s.Value == "true":
				changed = ", changed"
			}
		}
	}
	if commit == "" {
		return Version
	}
	return fmt.Sprintf("%s (%s%s)", Version, commit, changed)
}

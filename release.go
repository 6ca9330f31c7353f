// Package clausemill says which release this is.
package clausemill

import (
	_ "embed"
	"strings"
)

//go:embed VERSION
var version string

// Version is that of the newest release, 0.1.0, without what git puts before it.
// What is built between two releases has that of the one before.
var Version = strings.TrimSpace(version)

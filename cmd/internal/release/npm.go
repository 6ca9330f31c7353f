package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/clausemill/clausemill"
)

// clientDir is the TypeScript client, in the source.
const clientDir = "clients/typescript"

// npmPackage builds the TypeScript client and packs it below out, as npm takes it. The
// package depends on no other, so there is nothing of others to list.
func npmPackage(ctx context.Context, root, out string) error {
	dir := filepath.Join(root, clientDir)
	if err := sameVersion(dir); err != nil {
		return err
	}
	out, err := filepath.Abs(out)
	if err != nil {
		return err
	}
	for _, args := range [][]string{{"ci", "--silent", "--ignore-scripts"}, {"pack", "--silent", "--pack-destination", out}} {
		npm := exec.CommandContext(ctx, "npm", args...)
		npm.Dir, npm.Stderr = dir, os.Stderr
		if err := npm.Run(); err != nil {
			return fmt.Errorf("npm %s: %w", args[0], err)
		}
	}
	return nil
}

// sameVersion holds that the client has the version of the service, and depends on
// nothing.
func sameVersion(dir string) error {
	text, err := os.ReadFile(filepath.Join(dir, "package.json"))
	if err != nil {
		return err
	}
	var about struct {
		Version      string
		Dependencies map[string]string
	}
	if err := json.Unmarshal(text, &about); err != nil {
		return err
	}
	if about.Version != clausemill.Version {
		return fmt.Errorf("package.json has the version %s, and VERSION %s", about.Version, clausemill.Version)
	}
	if len(about.Dependencies) > 0 {
		return fmt.Errorf("package.json has dependencies, of which nothing says what licences they have: %v", about.Dependencies)
	}
	return nil
}

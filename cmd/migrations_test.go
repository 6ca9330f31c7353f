package cmd_test

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill"
)

// TestSchemaIsOfTheseMigrations holds that whoever changes migrations says what
// they make then, or programs would refuse what they have migrated themselves.
func TestSchemaIsOfTheseMigrations(t *testing.T) {
	t.Parallel()

	schema, err := os.ReadFile("../db/schema.tsv")
	require.NoError(t, err)
	paths, err := filepath.Glob("../db/migrations/*.sql")
	require.NoError(t, err)
	var made strings.Builder
	for _, path := range paths {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		fmt.Fprintf(&made, "migration\t%s\t%x\n", filepath.Base(path), sha256.Sum256(text))
	}
	require.True(t, strings.HasPrefix(string(schema), made.String()+"extension\t"),
		"migrations have changed: run 'make schema', and read the diff")
}

// TestReleasedMigrationsStay holds that nobody edits what databases have seen.
func TestReleasedMigrationsStay(t *testing.T) {
	t.Parallel()

	list, err := os.Open("../db/migrations/released.sum")
	require.NoError(t, err)
	defer list.Close()
	released := map[string]bool{}
	newest := ""
	for lines := bufio.NewScanner(list); lines.Scan(); {
		hash, name, ok := strings.Cut(lines.Text(), "  ")
		require.True(t, ok, lines.Text())
		text, err := os.ReadFile(filepath.Join("../db/migrations", name))
		require.NoError(t, err, "released migrations stay: databases have seen it")
		sum := sha256.Sum256(text)
		require.Equal(t, hash, hex.EncodeToString(sum[:]), "%s was released, so there are databases that it will never be applied to again: "+
			"put it back as it was (git checkout v%s -- db/migrations/%s), and change the schema in a new migration", name, clausemill.Version, name)
		released[name], newest = true, max(newest, name)
	}
	require.NotEmpty(t, released)

	all, err := filepath.Glob("../db/migrations/*.sql")
	require.NoError(t, err)
	for _, path := range all {
		name := filepath.Base(path)
		require.True(t, released[name] || name[:4] > newest[:4], "%s comes before %s, which was released: give it a higher number", name, newest)
	}
}

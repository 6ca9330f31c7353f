package clausemill

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "note that generated.go is made of the document as it is")

// document is the description of the API that the client is generated from.
const document = "../../api/testdata/openapi.json"

// TestGenerated compares hashes with those that `make generate` noted: of the document
// without its examples, of the templates, and of what they made.
func TestGenerated(t *testing.T) {
	t.Parallel()

	const noted = "generate/generated.sum"
	text, err := os.ReadFile(document)
	require.NoError(t, err)
	var described any
	require.NoError(t, json.Unmarshal(text, &described))
	text, err = json.Marshal(plain(described))
	require.NoError(t, err)
	sums := sumOf(text) + "  openapi.json without examples\n"
	files, err := filepath.Glob("generate/*l")
	require.NoError(t, err)
	for _, file := range append(files, "generated.go") {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		sums += sumOf(text) + "  " + filepath.ToSlash(file) + "\n"
	}
	if *update {
		require.NoError(t, os.WriteFile(noted, []byte(sums), 0o600))
	}
	was, err := os.ReadFile(noted)
	require.NoError(t, err)
	require.Equal(t, string(was), sums, "make generate")
}

func sumOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// plain is a part of the document without what the client is not made of.
func plain(part any) any {
	switch part := part.(type) {
	case map[string]any:
		kept := map[string]any{}
		for name, value := range part {
			if name == "properties" { // one may be called example
				properties := map[string]any{}
				for property, schema := range value.(map[string]any) {
					properties[property] = plain(schema)
				}
				kept[name] = properties
			} else if name != "example" && name != "examples" {
				kept[name] = plain(value)
			}
		}
		return kept
	case []any:
		list := slices.Clone(part)
		for i := range list {
			list[i] = plain(list[i])
		}
		return list
	default:
		return part
	}
}

// TestEveryOperationIsAMethod holds that nothing of the document was left out.
func TestEveryOperationIsAMethod(t *testing.T) {
	t.Parallel()

	text, err := os.ReadFile(document)
	require.NoError(t, err)
	var described struct {
		Paths map[string]map[string]struct{ OperationID string }
	}
	require.NoError(t, json.Unmarshal(text, &described))
	generated, err := os.ReadFile("generated.go")
	require.NoError(t, err)
	uploads, err := os.ReadFile("upload.go")
	require.NoError(t, err)
	tokens, err := os.ReadFile("token.go")
	require.NoError(t, err)
	for path, methods := range described.Paths {
		for method, op := range methods {
			line := "// " + strings.ToUpper(method) + " " + path + "."
			require.Equal(t, 1, strings.Count(string(generated)+string(uploads)+string(tokens), line), "%s: %s", op.OperationID, line)
		}
	}
}

package setup

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSecretsFromFiles reads every secret that there is from a file.
func TestSecretsFromFiles(t *testing.T) {
	t.Setenv("CLAUSEMILL_LOG_LEVEL", "info") // so that no other test runs beside it
	path := filepath.Join(t.TempDir(), "secret")
	write := func(text string) { require.NoError(t, os.WriteFile(path, []byte(text), 0o600)) }
	for variable, of := range map[string]func(Config) string{
		"DATABASE_URL":       func(c Config) string { return c.DatabaseURL },
		"MEILI_KEY":          func(c Config) string { return c.MeiliKey },
		"OIDC_CLIENT_SECRET": func(c Config) string { return c.OIDCClientSecret },
	} {
		t.Setenv(variable, "")
		t.Setenv(variable+"_FILE", path)
		write("postgres://a:b c@d/\n")
		c, err := parse(t)
		require.NoError(t, err)
		require.Equal(t, "postgres://a:b c@d/", of(c))

		for text, says := range map[string]string{
			"": "is empty", "\n\n": "is empty", "a\nb\n": "has more than one line", strings.Repeat("x", maxSecret+1): "is too large for a secret",
		} {
			write(text)
			_, err = parse(t)
			require.ErrorContains(t, err, variable+"_FILE: "+path+" "+says)
		}
		t.Setenv(variable+"_FILE", path+"-that-is-not-there")
		_, err = parse(t)
		require.ErrorIs(t, err, os.ErrNotExist)
		t.Setenv(variable+"_FILE", path)
		t.Setenv(variable, "here as well")
		_, err = parse(t)
		require.ErrorContains(t, err, variable+" and "+variable+"_FILE are both set")
		t.Setenv(variable+"_FILE", "")
		c, err = parse(t)
		require.NoError(t, err)
		require.Equal(t, "here as well", of(c))
	}
}

func TestSecretsAreNoFlags(t *testing.T) {
	t.Parallel()

	for _, arg := range []string{
		"--meili-key=x", "--oidc-client-secret=x", "--database-url=postgres://a:b@c/d", "--database-url=postgres://c/d?user=a&password=b",
		"--database-url=host=c password=b",
	} {
		_, err := parse(t, arg)
		name, _, _ := strings.Cut(strings.TrimPrefix(arg, "--"), "=")
		variable := strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
		require.EqualError(t, err, "--"+name+" would show a secret in the list of processes: set "+variable+", or "+variable+"_FILE to the path of a file with it")
	}
	c, err := parse(t, "--database-url=postgres://a@c/d")
	require.NoError(t, err)
	require.Equal(t, "postgres://a@c/d", c.DatabaseURL)
}

package setup

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the table of settings in docs/settings.md")

const (
	settings   = "../../../docs/settings.md"
	tableBegin = "<!-- settings -->\n"
	tableEnd   = "<!-- /settings -->\n"
)

func TestSettingsAreDocumented(t *testing.T) {
	t.Parallel()

	text, err := os.ReadFile(settings)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(text), tableBegin)
	require.True(t, found)
	table, after, found := strings.Cut(rest, tableEnd)
	require.True(t, found)
	if *update {
		require.NoError(t, os.WriteFile(settings, []byte(before+tableBegin+settingsTable()+tableEnd+after), 0o644)) //nolint:gosec // a document
		return
	}
	require.Equal(t, settingsTable(), table, "run: go test ./cmd/internal/setup -update")
}

// settingsTable is the settings as Markdown, in the order of Config.
func settingsTable() string {
	var table strings.Builder
	table.WriteString("| Variable | Default | |\n|---|---|---|\n")
	for _, field := range reflect.VisibleFields(reflect.TypeFor[Config]()) {
		if field.Anonymous {
			continue // its fields follow
		}
		tag := field.Tag
		initial := tag.Get("default")
		if initial != "" {
			initial = "`" + initial + "`"
		}
		help := strings.ReplaceAll(tag.Get("help"), "${enum}", strings.ReplaceAll(tag.Get("enum"), ",", ", "))
		variable := "`" + tag.Get("env") + "`"
		if _, secret := tag.Lookup("secret"); secret {
			variable += ", `" + tag.Get("env") + "_FILE`"
		}
		fmt.Fprintf(&table, "| %s | %s | %s |\n", variable, initial, help)
	}
	return table.String()
}

// parse reads a command line as the subcommands do.
func parse(t *testing.T, args ...string) (Config, error) {
	t.Helper()

	var c Config
	parser, err := kong.New(&c, kong.Resolvers(Secrets()), kong.Exit(func(int) { t.Fatal("kong ended the program") }))
	require.NoError(t, err)
	parsed, err := parser.Parse(args)
	if err == nil {
		err = NoSecretFlags(parsed)
	}
	return c, err
}

func TestConfigFromEnvironmentAndFlags(t *testing.T) {
	t.Setenv("DATABASE_URL", "postgres://somewhere/")
	t.Setenv("CLAUSEMILL_MAX_FILE", "2GiB")
	t.Setenv("CLAUSEMILL_OPERATORS", "a@example.com,b@example.com")
	t.Setenv("CLAUSEMILL_MIGRATE", "false")

	c, err := parse(t, "--ocr-slots=3")
	require.NoError(t, err)
	require.EqualValues(t, 2<<30, c.MaxFile)
	require.EqualValues(t, 50<<20, c.MaxJSONFile)
	require.Equal(t, []string{"a@example.com", "b@example.com"}, c.Operators)
	require.False(t, c.Migrate)
	require.Equal(t, 3, c.OCRSlots)
	require.Equal(t, "eng", c.OCRLanguages)
}

func TestConfigRefuses(t *testing.T) {
	t.Parallel()

	_, err := parse(t, "--max-file=much")
	require.ErrorContains(t, err, `"much" is no size: write 500MiB`)
	_, err = parse(t, "--log-level=loud")
	require.ErrorContains(t, err, "debug")

	_, err = Database{}.Connect(t.Context())
	require.ErrorContains(t, err, "DATABASE_URL is needed")
}

func TestSignInNeedsTLS(t *testing.T) {
	t.Parallel()

	none, err := Config{}.SignIn()
	require.NoError(t, err)
	require.Nil(t, none)
	good := Config{PublicURL: "https://contracts.example.com/", OIDCIssuer: "https://id.example.com/realms/x", OIDCClientID: "clausemill"}
	provider, err := good.SignIn()
	require.NoError(t, err)
	require.NotNil(t, provider)
	require.Equal(t, "https://contracts.example.com", good.origin())

	for says, change := range map[string]func(*Config){
		"CLAUSEMILL_PUBLIC_URL is needed": func(c *Config) { c.PublicURL = "" },
		"OIDC_CLIENT_ID is needed":        func(c *Config) { c.OIDCClientID = "" },
		`OIDC_ISSUER must be an address that begins with https://, and not "http://127.0.0.1:8080/dev/identity"`: func(c *Config) {
			c.OIDCIssuer = "http://127.0.0.1:8080/dev/identity"
		},
		`CLAUSEMILL_PUBLIC_URL must be an address that begins with https://`: func(c *Config) { c.PublicURL = "http://contracts.example.com" },
		`CLAUSEMILL_PUBLIC_URL must have no path`:                            func(c *Config) { c.PublicURL = "https://example.com/contracts" },
		`OIDC_ISSUER must be`: func(c *Config) { c.OIDCIssuer = "https://user:password@id.example.com" },
	} {
		c := good
		change(&c)
		_, err := c.SignIn()
		require.ErrorContains(t, err, says)
	}

	// The browsers of one machine need none.
	good.PublicURL = "http://localhost:8080"
	for issuer, allowed := range map[string]bool{
		"http://dex.localhost:5556/dex": true, "http://127.0.0.1:5556/dex": true, "http://[::1]:5556": true, "https://id.example.com": true,
		"http://id.example.com": false, "http://localhost.example.com": false, "http://10.0.0.1": false, "ftp://localhost": false,
	} {
		good.OIDCIssuer = issuer
		_, err := good.SignIn()
		require.Equal(t, allowed, err == nil, issuer)
	}
}

func TestOriginsOfPages(t *testing.T) {
	t.Parallel()

	require.NoError(t, checkOrigins(nil))
	require.NoError(t, checkOrigins([]string{"https://app.example.com", "http://localhost:5173"}))
	for _, origin := range []string{"*", "app.example.com", "https://app.example.com/", "https://*.example.com/x", "null", "https://APP.example.com", "https://me@app.example.com", "file:///x"} {
		require.ErrorContains(t, checkOrigins([]string{"https://app.example.com", origin}), "CORS_ORIGINS must be origins", origin)
	}
}

package cmd

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// TestCompose holds compose.yaml to what its first users need: each service tells
// how it is and has a bound of memory, and images have a version.
func TestCompose(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../compose.yaml")
	require.NoError(t, err)
	var file struct {
		Services map[string]struct {
			Image       string
			Memory      string         `yaml:"mem_limit"`
			Healthcheck map[string]any `yaml:"healthcheck"`
			Environment map[string]string
		}
	}
	require.NoError(t, yaml.Unmarshal(text, &file))
	for name, service := range file.Services {
		require.NotEmpty(t, service.Memory, name)
		require.NotEmpty(t, service.Healthcheck["test"], name)
		if service.Image != "" {
			require.Regexp(t, `:v?\d`, service.Image, name)
		}
	}
	require.Len(t, file.Services, 5)

	var dex struct {
		Issuer  string
		Clients []struct {
			ID, Secret   string
			RedirectURIs []string `yaml:"redirectURIs"`
		} `yaml:"staticClients"`
	}
	text, err = os.ReadFile("../compose/dex.yaml")
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(text, &dex))
	api := file.Services["api"].Environment
	origin := unset(api["CLAUSEMILL_PUBLIC_URL"])
	require.Equal(t, dex.Issuer, unset(api["OIDC_ISSUER"]))
	require.Equal(t, dex.Clients[0].ID, unset(api["OIDC_CLIENT_ID"]))
	require.Equal(t, dex.Clients[0].Secret, unset(api["OIDC_CLIENT_SECRET"]))
	require.Equal(t, []string{origin + "/auth/callback"}, dex.Clients[0].RedirectURIs)
}

// unset is what ${NAME:-value} is where nobody sets NAME.
func unset(setting string) string {
	_, value, _ := strings.Cut(strings.TrimSuffix(setting, "}"), ":-")
	return value
}

// TestComposeConfig asks the program itself, where it is installed.
func TestComposeConfig(t *testing.T) {
	t.Parallel()
	if exec.CommandContext(t.Context(), "docker", "compose", "version").Run() != nil {
		t.Skip("docker compose is not installed")
	}
	out, err := exec.CommandContext(t.Context(), "docker", "compose", "-f", "../compose.yaml", "config", "--quiet").CombinedOutput()
	require.NoError(t, err, string(out))
}

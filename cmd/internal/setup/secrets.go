package setup

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"

	"github.com/alecthomas/kong"
)

// Settings with the tag `secret` are secrets: environment variables, or the contents
// of a file whose path is in the variable of the same name with _FILE, as container
// engines mount secrets. They are no flags, since every account of a machine can read
// the command lines of all processes. Of `secret:"url"` only a password is secret.

// maxSecret is the largest file that is read as a secret.
const maxSecret = 64 << 10

// Secrets reads the files that variables with _FILE name. It is a resolver of kong.
func Secrets() kong.Resolver {
	return kong.ResolverFunc(func(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
		if !flag.Tag.Has("secret") {
			return nil, nil
		}
		for _, variable := range flag.Tag.Envs {
			path := os.Getenv(variable + "_FILE")
			if path == "" {
				continue
			}
			if os.Getenv(variable) != "" {
				return nil, fmt.Errorf("%s and %[1]s_FILE are both set: unset one", variable)
			}
			secret, err := readSecret(path)
			if err != nil {
				return nil, fmt.Errorf("%s_FILE: %w", variable, err)
			}
			return secret, nil
		}
		return nil, nil
	})
}

// readSecret is what a file contains, without the end of its last line.
func readSecret(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, maxSecret+1))
	if err != nil {
		return "", err
	}
	secret := strings.TrimRight(string(content), "\r\n")
	switch {
	case len(content) > maxSecret:
		return "", fmt.Errorf("%s is too large for a secret", path)
	case secret == "":
		return "", fmt.Errorf("%s is empty", path)
	case strings.ContainsAny(secret, "\r\n\x00"):
		return "", fmt.Errorf("%s has more than one line", path)
	}
	return secret, nil
}

// NoSecretFlags is an error where the command line has a secret.
func NoSecretFlags(parsed *kong.Context) error {
	for _, p := range parsed.Path {
		if p.Flag == nil || p.Resolved || !p.Flag.Tag.Has("secret") {
			continue
		}
		if p.Flag.Tag.Get("secret") == "url" && !hasPassword(fmt.Sprint(parsed.FlagValue(p.Flag))) {
			continue
		}
		variable := p.Flag.Tag.Envs[0]
		return errors.New("--" + p.Flag.Name + " would show a secret in the list of processes: set " + variable + ", or " + variable + "_FILE to the path of a file with it")
	}
	return nil
}

// hasPassword reports whether an address of Postgres, in either form, has a password.
func hasPassword(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Scheme == "" {
		return strings.Contains(address, "password")
	}
	_, has := u.User.Password()
	return has || u.Query().Has("password")
}

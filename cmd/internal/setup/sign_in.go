package setup

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/clausemill/clausemill/auth"
)

// SignIn is where people sign in to a public service; nil where no identity
// provider is named. Both ends need TLS, since whoever reads along has the
// session; the provider for development has none, so it is refused as well.
func (c Config) SignIn() (*auth.Provider, error) {
	if c.PublicURL != "" {
		if err := overTLS("CLAUSEMILL_PUBLIC_URL", c.PublicURL); err != nil {
			return nil, err
		}
	}
	switch {
	case c.OIDCIssuer == "":
		return nil, nil //nolint:nilnil // there are only API keys then
	case c.PublicURL == "":
		return nil, errors.New("CLAUSEMILL_PUBLIC_URL is needed where OIDC_ISSUER is set: the identity provider sends browsers back there")
	case c.OIDCClientID == "":
		return nil, errors.New("OIDC_CLIENT_ID is needed where OIDC_ISSUER is set")
	}
	if err := overTLS("OIDC_ISSUER", c.OIDCIssuer); err != nil {
		return nil, err
	}
	return auth.NewProvider(auth.ProviderConfig{
		Issuer: c.OIDCIssuer, ClientID: c.OIDCClientID, ClientSecret: c.OIDCClientSecret,
		CallbackURL: c.origin() + "/auth/callback", LogoutURL: c.origin() + "/docs",
		Scopes: c.OIDCScopes, OrganizationClaim: c.OIDCOrganizationClaim,
	}), nil
}

// origin is PublicURL without what a path would begin with.
func (c Config) origin() string { return strings.TrimSuffix(c.PublicURL, "/") }

func overTLS(variable, address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return fmt.Errorf("%s must be an address that begins with https://, and not %q", variable, address)
	}
	if variable == "CLAUSEMILL_PUBLIC_URL" && strings.Trim(u.Path, "/") != "" {
		return fmt.Errorf("%s must have no path: %q", variable, address)
	}
	return nil
}

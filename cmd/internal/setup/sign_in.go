package setup

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"

	"github.com/clausemill/clausemill/auth"
)

// SignIn is where people sign in to a public service; nil where no identity
// provider is named. Both ends need TLS, since whoever reads along has the
// session, unless the service is for the browsers of this machine only.
func (c Config) SignIn() (*auth.Provider, error) {
	if c.PublicURL != "" {
		if err := secure("CLAUSEMILL_PUBLIC_URL", c.PublicURL, true); err != nil {
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
	if err := secure("OIDC_ISSUER", c.OIDCIssuer, strings.HasPrefix(c.PublicURL, "http://")); err != nil {
		return nil, err
	}
	return auth.NewProvider(auth.ProviderConfig{
		Issuer: c.OIDCIssuer, ClientID: c.OIDCClientID, ClientSecret: c.OIDCClientSecret,
		CallbackURL: c.origin() + "/auth/callback", LogoutURL: c.origin() + "/",
		Scopes: c.OIDCScopes, OrganizationClaim: c.OIDCOrganizationClaim,
	}), nil
}

// origin is PublicURL without what a path would begin with.
func (c Config) origin() string { return strings.TrimSuffix(c.PublicURL, "/") }

// secure refuses an address that is not reached over TLS, unless it may be one of
// this machine and is.
func secure(variable, address string, orHere bool) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" ||
		u.Scheme != "https" && (u.Scheme != "http" || !orHere || !here(u.Hostname())) {
		return fmt.Errorf("%s must be an address that begins with https://, and not %q; http:// is for localhost", variable, address)
	}
	if variable == "CLAUSEMILL_PUBLIC_URL" && strings.Trim(u.Path, "/") != "" {
		return fmt.Errorf("%s must have no path: %q", variable, address)
	}
	return nil
}

// checkOrigins refuses what browsers never send as an origin, such as * and an
// address with a path: nothing would be allowed by it.
func checkOrigins(origins []string) error {
	for _, origin := range origins {
		u, err := url.Parse(origin)
		if err != nil || u.Host == "" || origin != u.Scheme+"://"+u.Host || origin != strings.ToLower(origin) || u.Scheme != "https" && u.Scheme != "http" {
			return fmt.Errorf("CORS_ORIGINS must be origins such as https://app.example.com, without a path or *, and not %q", origin)
		}
	}
	return nil
}

// here reports whether browsers take a host for the machine that they run on:
// what they send there needs no TLS. See W3C Secure Contexts, 3.1.
func here(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || ip != nil && ip.IsLoopback()
}

package auth

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/mail"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
)

// AttemptLifetime is how long somebody may take to sign in.
const AttemptLifetime = 10 * time.Minute

const (
	providerTimeout = 10 * time.Second // of one request to it
	providerAnswer  = 1 << 20          // bytes of one answer

	// clockSkew is how far the provider's clock may be behind ours. The
	// library bears with one that is ahead by minutes.
	clockSkew = time.Minute

	maxAccountName   = 200
	maxOrganizations = 100
)

// ProviderConfig says where people sign in.
type ProviderConfig struct {
	Issuer       string // as in the tokens; discovery is at a path below it
	ClientID     string
	ClientSecret string   // empty for a public client
	CallbackURL  string   // where it sends browsers back to
	LogoutURL    string   // where it sends them after they left it as well
	Scopes       []string // openid, email and what else is wanted

	// OrganizationClaim names the claim with the organizations of an account: a
	// string or a list of them. Empty where it has none.
	OrganizationClaim string
}

// Provider is an OpenID Connect identity provider. It is asked for its
// description when somebody first signs in, so that the service starts while it
// is away.
type Provider struct {
	config ProviderConfig
	http   *http.Client

	mu    sync.Mutex
	known *discovered
}

// discovered is what the provider says of itself.
type discovered struct {
	*oidc.Provider
	oauth      oauth2.Config
	verifier   *oidc.IDTokenVerifier
	endSession string
}

// NewProvider is the provider of c.
func NewProvider(c ProviderConfig) *Provider {
	return &Provider{config: c, http: &http.Client{Timeout: providerTimeout, Transport: bounded{http.DefaultTransport}}}
}

// An attempt is a sign-in in progress. State, nonce and PKCE verifier are derived
// from a secret that only the browser keeps. So nothing is stored for sign-ins that
// are abandoned, and any replica can finish one.
type attempt struct{ state, nonce, verifier string }

func attemptOf(secret string) attempt {
	derive := func(purpose string) string {
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write([]byte(purpose))
		return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
	}
	return attempt{derive("state"), derive("nonce"), derive("verifier")}
}

// Begin is where to send a browser that keeps secret, a new token, for signing
// in. The hint is whom it is likely to be, or "".
func (p *Provider) Begin(ctx context.Context, secret, hint string) (string, error) {
	known, err := p.discover(ctx)
	if err != nil {
		return "", err
	}
	a := attemptOf(secret)
	options := []oauth2.AuthCodeOption{oidc.Nonce(a.nonce), oauth2.S256ChallengeOption(a.verifier)}
	if hint != "" {
		options = append(options, oauth2.SetAuthURLParam("login_hint", hint))
	}
	return known.oauth.AuthCodeURL(a.state, options...), nil
}

var (
	errAttempt = fault.New(fault.Malformed, "this sign-in was not begun in this browser, or too long ago; begin again")
	errEmail   = fault.New(fault.Forbidden, "the identity provider does not vouch for your e-mail address")
)

// refused is that the provider, or what it sent, signs nobody in.
func refused(cause error) error {
	return fault.Wrap(fault.Anonymous, "the identity provider did not sign you in", cause)
}

// unwell is that the provider does not do its part.
func unwell(cause error) error {
	return fault.Wrap(fault.Unavailable, "the identity provider does not answer as it should; try again", cause)
}

// Finish is the account that signed in, by the query with which the provider
// sent the browser that keeps secret back. It is Malformed where another browser
// began, Anonymous where the provider refuses, and Forbidden where it does not
// vouch for the e-mail address.
func (p *Provider) Finish(ctx context.Context, secret string, answer url.Values) (db.Account, error) {
	a := attemptOf(secret)
	if !equal(answer.Get("state"), a.state) {
		return db.Account{}, errAttempt
	}
	if issuer := answer.Get("iss"); issuer != "" && issuer != p.config.Issuer {
		return db.Account{}, errAttempt // another provider's answer (RFC 9207)
	}
	if answer.Get("error") != "" {
		return db.Account{}, refused(nil)
	}
	known, err := p.discover(ctx)
	if err != nil {
		return db.Account{}, err
	}
	ctx = oidc.ClientContext(ctx, p.http)
	token, err := known.oauth.Exchange(ctx, answer.Get("code"), oauth2.VerifierOption(a.verifier))
	if err != nil {
		return db.Account{}, exchangeFault(err)
	}
	claims, subject, err := p.claims(ctx, known, token, a.nonce)
	if err != nil {
		return db.Account{}, err
	}
	return p.account(subject, claims)
}

// exchangeFault distinguishes an invalid code from a provider that is unavailable.
func exchangeFault(err error) error {
	var said *oauth2.RetrieveError
	if errors.As(err, &said) && said.ErrorCode == "invalid_grant" {
		return refused(err)
	}
	return unwell(err)
}

// claims is what the provider says of an account, once it is certain that the
// provider says it and that it was asked for in this attempt.
func (p *Provider) claims(ctx context.Context, known *discovered, token *oauth2.Token, nonce string) (claims map[string]any, subject string, err error) {
	raw, _ := token.Extra("id_token").(string)
	id, err := known.verifier.Verify(ctx, raw)
	if err != nil {
		return nil, "", refused(err)
	}
	if !equal(id.Nonce, nonce) || id.AccessTokenHash != "" && id.VerifyAccessToken(token.AccessToken) != nil {
		return nil, "", refused(errors.New("the ID token is of another attempt"))
	}
	if err := id.Claims(&claims); err != nil {
		return nil, "", unwell(err)
	}
	for _, needed := range []string{"email", "email_verified", p.config.OrganizationClaim} {
		if _, ok := claims[needed]; ok || needed == "" {
			continue
		}
		// Many providers keep the token small and have the other claims only here.
		info, err := known.UserInfo(ctx, oauth2.StaticTokenSource(token))
		if err != nil {
			return nil, "", unwell(err)
		}
		if info.Subject != id.Subject {
			return nil, "", refused(errors.New("the user info is of another account"))
		}
		more := map[string]any{}
		if err := info.Claims(&more); err != nil {
			return nil, "", unwell(err)
		}
		maps.Copy(claims, more)
		break
	}
	return claims, id.Subject, nil
}

// account reads claims as what we keep of an account.
func (p *Provider) account(subject string, claims map[string]any) (db.Account, error) {
	email, _ := claims["email"].(string)
	name, _ := claims["name"].(string)
	parsed, err := mail.ParseAddress(email)
	if err != nil || parsed.Address != email || !affirmed(claims["email_verified"]) {
		return db.Account{}, errEmail
	}
	account := db.Account{Issuer: p.config.Issuer, Subject: subject, Email: email, Name: displayable(name)}
	if p.config.OrganizationClaim != "" {
		account.Organizations = organizations(claims[p.config.OrganizationClaim])
	}
	return account, nil
}

// affirmed reads a truth that some providers write as a string.
func affirmed(v any) bool { return v == true || v == "true" }

// organizations reads a claim that is a name or a list of names. What is neither
// is nobody's organization.
func organizations(claim any) []string {
	listed, ok := claim.([]any)
	if !ok {
		listed = []any{claim}
	}
	names, seen := []string{}, map[string]bool{}
	for _, v := range listed[:min(len(listed), maxOrganizations)] {
		name, _ := v.(string)
		name = displayable(name)
		if key := strings.ToLower(name); name != "" && !seen[key] {
			seen[key] = true
			names = append(names, name)
		}
	}
	return names
}

// displayable makes a provider's text fit for a screen and a column.
func displayable(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, text)
	runes := []rune(strings.TrimSpace(text))
	return strings.TrimSpace(string(runes[:min(len(runes), maxAccountName)]))
}

// Logout is where to send a browser that shall leave the provider too, or ""
// where the provider does not offer that.
func (p *Provider) Logout(ctx context.Context) string {
	known, err := p.discover(ctx)
	if err != nil || known.endSession == "" {
		return ""
	}
	leave, err := url.Parse(known.endSession)
	if err != nil {
		return ""
	}
	query := leave.Query()
	query.Set("client_id", p.config.ClientID)
	query.Set("post_logout_redirect_uri", p.config.LogoutURL)
	leave.RawQuery = query.Encode()
	return leave.String()
}

// Ready reports whether the identity provider answers, and is the one that is meant.
func (p *Provider) Ready(ctx context.Context) error {
	_, err := p.discover(ctx)
	return err
}

// discover is what the provider says of itself, asked for once.
func (p *Provider) discover(ctx context.Context) (*discovered, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known != nil {
		return p.known, nil
	}
	// What is known outlives the request, so its client may not end with it.
	provider, err := oidc.NewProvider(oidc.ClientContext(context.WithoutCancel(ctx), p.http), p.config.Issuer)
	if err != nil {
		return nil, unwell(err)
	}
	var more struct {
		EndSession string `json:"end_session_endpoint"`
	}
	if err := provider.Claims(&more); err != nil {
		return nil, unwell(err)
	}
	p.known = &discovered{
		Provider: provider,
		oauth: oauth2.Config{
			ClientID: p.config.ClientID, ClientSecret: p.config.ClientSecret, Endpoint: provider.Endpoint(),
			RedirectURL: p.config.CallbackURL, Scopes: withOpenID(p.config.Scopes),
		},
		verifier: provider.Verifier(&oidc.Config{
			ClientID: p.config.ClientID,
			Now:      func() time.Time { return time.Now().Add(-clockSkew) },
		}),
		endSession: more.EndSession,
	}
	return p.known, nil
}

func withOpenID(scopes []string) []string {
	if slices.Contains(scopes, oidc.ScopeOpenID) {
		return scopes
	}
	return append([]string{oidc.ScopeOpenID}, scopes...)
}

func equal(got, want string) bool { return subtle.ConstantTimeCompare([]byte(got), []byte(want)) == 1 }

// bounded cuts off answers that no provider gives.
type bounded struct{ http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		response.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(response.Body, providerAnswer), response.Body}
	}
	return response, err
}

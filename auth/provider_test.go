package auth_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/auth/authtest"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
)

const origin = "https://clausemill.example"

// attempt begins a sign-in and returns the secret and what the issuer answers.
func attempt(t *testing.T, p *auth.Provider, issuer *authtest.Issuer) (secret string, answer url.Values) {
	t.Helper()
	secret = auth.NewToken().Text
	there, err := p.Begin(t.Context(), secret, "ada@example.com")
	require.NoError(t, err)
	asked, err := url.Parse(there)
	require.NoError(t, err)
	query := asked.Query()
	require.Equal(t, "ada@example.com", query.Get("login_hint"))
	require.Equal(t, "openid email", query.Get("scope"))
	require.NotContains(t, there, secret, "it stays in the browser")
	require.NotEqual(t, query.Get("state"), query.Get("nonce"))
	back := issuer.Visit(there)
	require.Equal(t, origin, back.Scheme+"://"+back.Host)
	return secret, back.Query()
}

func TestProvider(t *testing.T) {
	t.Parallel()
	issuer := authtest.New(t, "ada@example.com")
	issuer.Account["organizations"] = []string{"Acme", " acme ", "Beta\x00 Ltd", ""}
	p := auth.NewProvider(issuer.Config(origin))
	secret, answer := attempt(t, p, issuer)
	account, err := p.Finish(t.Context(), secret, answer)
	require.NoError(t, err)
	require.Equal(t, db.Account{
		Issuer: issuer.URL, Subject: authtest.Subject, Email: "ada@example.com", Name: "Ada Lovelace", Organizations: []string{"Acme", "Beta Ltd"},
	}, account)

	_, err = p.Finish(t.Context(), secret, answer)
	require.Equal(t, fault.Anonymous, fault.KindOf(err), "a code is good once")

	require.Equal(t, issuer.URL+"/logout?client_id=clausemill&post_logout_redirect_uri="+url.QueryEscape(origin+"/docs")+"&x=1", p.Logout(t.Context()))
}

// TestProviderLies holds that nobody is signed in by what the provider, or who
// pretends to be it, did not say or did not say here.
func TestProviderLies(t *testing.T) {
	t.Parallel()
	token := func(change func(claims map[string]any)) func(*authtest.Issuer) {
		return func(i *authtest.Issuer) { i.Token = change }
	}
	for name, tt := range map[string]struct {
		lie  func(*authtest.Issuer)
		kind fault.Kind
	}{
		"ForeignKey":     {func(i *authtest.Issuer) { i.Key = authtest.ForeignKey() }, fault.Anonymous},
		"OtherNonce":     {token(func(c map[string]any) { c["nonce"] = "other" }), fault.Anonymous},
		"NoNonce":        {token(func(c map[string]any) { delete(c, "nonce") }), fault.Anonymous},
		"OtherAudience":  {token(func(c map[string]any) { c["aud"] = "somebody" }), fault.Anonymous},
		"OtherIssuer":    {token(func(c map[string]any) { c["iss"] = "https://evil.example" }), fault.Anonymous},
		"Expired":        {token(func(c map[string]any) { c["exp"] = time.Now().Add(-5 * time.Minute).Unix() }), fault.Anonymous},
		"OtherAccess":    {token(func(c map[string]any) { c["at_hash"] = "bm90IGl0" }), fault.Anonymous},
		"Unverified":     {token(func(c map[string]any) { c["email_verified"] = false }), fault.Forbidden},
		"UnverifiedText": {token(func(c map[string]any) { c["email_verified"] = "false" }), fault.Forbidden},
		"NoEmail":        {token(func(c map[string]any) { delete(c, "email") }), fault.Forbidden},
		"NoAddress":      {token(func(c map[string]any) { c["email"] = "Ada <ada@example.com>" }), fault.Forbidden},
		"Refused":        {func(i *authtest.Issuer) { i.Refuses = "access_denied" }, fault.Anonymous},
		"InfoOfAnother": {func(i *authtest.Issuer) {
			i.Token = func(c map[string]any) { delete(c, "email") }
			i.Info = func(c map[string]any) {
				c["sub"], c["email"], c["email_verified"] = "account-2", "eve@example.com", true
			}
		}, fault.Anonymous},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			issuer := authtest.New(t, "ada@example.com")
			issuer.Account["organizations"] = "Acme"
			tt.lie(issuer)
			p := auth.NewProvider(issuer.Config(origin))
			secret, answer := attempt(t, p, issuer)
			_, err := p.Finish(t.Context(), secret, answer)
			require.Equal(t, tt.kind, fault.KindOf(err), "%v", err)
			require.NotContains(t, fault.Message(err), "eyJ", "no token in a message")
		})
	}
}

// TestForeignAttempt holds that a sign-in ends in the browser that began it.
func TestForeignAttempt(t *testing.T) {
	t.Parallel()
	issuer := authtest.New(t, "ada@example.com")
	p := auth.NewProvider(issuer.Config(origin))
	secret, answer := attempt(t, p, issuer)
	without := url.Values{"code": answer["code"]}
	other := url.Values{"code": answer["code"], "state": answer["state"], "iss": {"https://evil.example"}}
	for _, tt := range []struct {
		secret string
		answer url.Values
	}{{auth.NewToken().Text, answer}, {"", answer}, {secret, without}, {secret, nil}, {secret, other}} {
		_, err := p.Finish(t.Context(), tt.secret, tt.answer)
		require.Equal(t, fault.Malformed, fault.KindOf(err))
	}
	_, err := p.Finish(t.Context(), secret, answer)
	require.NoError(t, err, "it was not used up")
}

func TestClaims(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(*authtest.Issuer)
		want   []string
	}{
		"FromUserInfo": {func(i *authtest.Issuer) {
			i.Token = func(c map[string]any) { delete(c, "email"); delete(c, "email_verified"); delete(c, "name") }
			i.Info = func(c map[string]any) {
				c["email"], c["email_verified"], c["name"], c["organizations"] = "ada@example.com", "true", "Ada Lovelace", "Acme"
			}
		}, []string{"Acme"}},
		"BehindByLessThanAMinute": {func(i *authtest.Issuer) {
			i.Account["organizations"] = []any{}
			i.Token = func(c map[string]any) { c["exp"] = time.Now().Add(-20 * time.Second).Unix() }
		}, []string{}},
		"NoList":  {func(i *authtest.Issuer) { i.Account["organizations"] = 7 }, []string{}},
		"Nowhere": {func(*authtest.Issuer) {}, []string{}},
		"Long":    {func(i *authtest.Issuer) { i.Account["organizations"] = strings.Repeat("ü", 300) }, []string{strings.Repeat("ü", 200)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			issuer := authtest.New(t, "ada@example.com")
			tt.change(issuer)
			p := auth.NewProvider(issuer.Config(origin))
			secret, answer := attempt(t, p, issuer)
			account, err := p.Finish(t.Context(), secret, answer)
			require.NoError(t, err)
			require.Equal(t, "Ada Lovelace", account.Name)
			require.Equal(t, tt.want, account.Organizations)
		})
	}
	t.Run("NotAskedFor", func(t *testing.T) {
		t.Parallel()
		issuer := authtest.New(t, "ada@example.com")
		config := issuer.Config(origin)
		config.OrganizationClaim = ""
		p := auth.NewProvider(config)
		secret, answer := attempt(t, p, issuer)
		account, err := p.Finish(t.Context(), secret, answer)
		require.NoError(t, err)
		require.Nil(t, account.Organizations)
	})
}

func TestProviderAway(t *testing.T) {
	t.Parallel()
	issuer := authtest.New(t, "ada@example.com")
	issuer.Broken.Store(true)
	p := auth.NewProvider(issuer.Config(origin))
	_, err := p.Begin(t.Context(), "secret", "")
	require.Equal(t, fault.Unavailable, fault.KindOf(err))
	require.Empty(t, p.Logout(t.Context()))

	issuer.Broken.Store(false)
	secret, answer := attempt(t, p, issuer)
	issuer.Broken.Store(true)
	_, err = p.Finish(t.Context(), secret, answer)
	require.Equal(t, fault.Unavailable, fault.KindOf(err))
}

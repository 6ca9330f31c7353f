// Package authtest is an identity provider for tests: it does what the protocol
// asks for, and can be told to do something else.
package authtest

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/auth"
)

// The client that the issuer knows.
const (
	ClientID     = "clausemill"
	ClientSecret = "s3cret"
)

// Issuer signs in one account, without asking.
type Issuer struct {
	URL     string
	Account map[string]any // what it says of the account, in the ID token

	// Token changes the ID token before it is signed, Info what the user info
	// endpoint says; nil leaves them as they should be.
	Token, Info func(claims map[string]any)

	Key     *rsa.PrivateKey // that it signs with
	Broken  atomic.Bool     // it answers nothing but errors
	Refuses string          // the error that it sends browsers back with

	t        testing.TB
	mu       sync.Mutex
	attempts map[string]url.Values // by code
}

// Subject names the account.
const Subject = "account-1"

// keys are made once: they take long.
var keys = sync.OnceValue(func() [2]*rsa.PrivateKey {
	var made [2]*rsa.PrivateKey
	for i := range made {
		made[i], _ = rsa.GenerateKey(rand.Reader, 2048) // fails where there is no randomness, which ends everything
	}
	return made
})

// ForeignKey is one that the issuer does not publish.
func ForeignKey() *rsa.PrivateKey { return keys()[1] }

// New is an issuer that ends with the test.
func New(t testing.TB, email string) *Issuer {
	t.Helper()
	i := &Issuer{
		Account: map[string]any{"email": email, "email_verified": true, "name": "Ada Lovelace"},
		Key:     keys()[0], t: t, attempts: map[string]url.Values{},
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", i.describe)
	mux.HandleFunc("GET /authorize", i.authorize)
	mux.HandleFunc("POST /token", i.token)
	mux.HandleFunc("GET /keys", i.keys)
	mux.HandleFunc("GET /userinfo", i.info)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if i.Broken.Load() {
			http.Error(w, "out of order", http.StatusInternalServerError)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	i.URL = server.URL
	return i
}

// Config is how to sign in here and come back to origin.
func (i *Issuer) Config(origin string) auth.ProviderConfig {
	return auth.ProviderConfig{
		Issuer: i.URL, ClientID: ClientID, ClientSecret: ClientSecret,
		CallbackURL: origin + "/auth/callback", LogoutURL: origin + "/docs", Scopes: []string{"email"}, OrganizationClaim: "organizations",
	}
}

// Visit does what a browser does that is sent to address, and returns where it
// is sent back to.
func (i *Issuer) Visit(address string) *url.URL {
	i.t.Helper()
	browser := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := browser.Get(address) //nolint:noctx // a test's own server
	require.NoError(i.t, err)
	require.NoError(i.t, response.Body.Close())
	require.Equal(i.t, http.StatusFound, response.StatusCode)
	back, err := response.Location()
	require.NoError(i.t, err)
	return back
}

func (i *Issuer) describe(w http.ResponseWriter, _ *http.Request) {
	i.answer(w, map[string]any{
		"issuer": i.URL, "authorization_endpoint": i.URL + "/authorize", "token_endpoint": i.URL + "/token",
		"jwks_uri": i.URL + "/keys", "userinfo_endpoint": i.URL + "/userinfo", "end_session_endpoint": i.URL + "/logout?x=1",
		"id_token_signing_alg_values_supported": []string{"RS256"},
	})
}

func (i *Issuer) authorize(w http.ResponseWriter, r *http.Request) {
	asked := r.URL.Query()
	back, err := url.Parse(asked.Get("redirect_uri"))
	if err != nil || asked.Get("client_id") != ClientID || asked.Get("code_challenge_method") != "S256" || asked.Get("response_type") != "code" {
		http.Error(w, "malformed", http.StatusBadRequest)
		return
	}
	code := rand.Text()
	i.mu.Lock()
	i.attempts[code] = asked
	i.mu.Unlock()
	answer := url.Values{"state": asked["state"], "code": {code}}
	if i.Refuses != "" {
		answer = url.Values{"state": asked["state"], "error": {i.Refuses}}
	}
	back.RawQuery = answer.Encode()
	http.Redirect(w, r, back.String(), http.StatusFound)
}

func (i *Issuer) token(w http.ResponseWriter, r *http.Request) {
	id, secret, _ := r.BasicAuth()
	code := r.PostFormValue("code")
	i.mu.Lock()
	asked, ok := i.attempts[code]
	delete(i.attempts, code)
	i.mu.Unlock()
	proof := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	if !ok || id != ClientID || secret != ClientSecret || r.PostFormValue("redirect_uri") != asked.Get("redirect_uri") ||
		base64.RawURLEncoding.EncodeToString(proof[:]) != asked.Get("code_challenge") {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		i.answer(w, map[string]any{"error": "invalid_grant"})
		return
	}
	claims := map[string]any{
		"iss": i.URL, "sub": Subject, "aud": ClientID, "nonce": asked.Get("nonce"),
		"iat": time.Now().Unix(), "exp": time.Now().Add(time.Minute).Unix(),
	}
	maps.Copy(claims, i.Account)
	if i.Token != nil {
		i.Token(claims)
	}
	i.answer(w, map[string]any{"access_token": "access", "token_type": "Bearer", "expires_in": 60, "id_token": i.sign(claims)})
}

func (i *Issuer) sign(claims map[string]any) string {
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: jose.JSONWebKey{Key: i.Key, KeyID: "1"}}, nil)
	require.NoError(i.t, err)
	payload, err := json.Marshal(claims)
	require.NoError(i.t, err)
	signed, err := signer.Sign(payload)
	require.NoError(i.t, err)
	text, err := signed.CompactSerialize()
	require.NoError(i.t, err)
	return text
}

func (i *Issuer) keys(w http.ResponseWriter, _ *http.Request) {
	i.answer(w, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: &keys()[0].PublicKey, KeyID: "1", Use: "sig", Algorithm: "RS256"}}})
}

func (i *Issuer) info(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "Bearer access" {
		http.Error(w, "who?", http.StatusUnauthorized)
		return
	}
	claims := map[string]any{"sub": Subject}
	if i.Info != nil {
		i.Info(claims)
	}
	i.answer(w, claims)
}

func (i *Issuer) answer(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(body) // the caller has gone
}

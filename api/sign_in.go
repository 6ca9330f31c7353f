package api

import (
	"cmp"
	"context"
	"encoding/base64"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
)

// signIn serves signing in and out. Browsers are navigated to login and callback, so
// both are GET; the attempt's cookie protects them.
func (a *API) signIn() {
	anybody := a.area("Sign-in", open)
	raw(anybody, http.MethodGet, "/auth/login", "login", "Sign in", a.logIn, redirects(http.StatusFound), describe(
		"Starts signing in. Open it in a browser: it redirects to the identity provider, which leads back to `returnTo`."))
	raw(anybody, http.MethodGet, "/auth/callback", "completeLogin", "Complete signing in, back from the identity provider", a.comeBack, redirects(http.StatusSeeOther), foreign, describe(
		"Starts a session after the identity provider has redirected back. The first sign-in creates the user and their personal team. A previous session of the browser ends."))
	post(a.area("Sign-in", withSession), "/auth/logout", "logout", "Sign out", a.logOut, describe(
		"Ends the session on all servers, with immediate effect. The identity provider may keep the user signed in; `providerLogoutUrl` signs out there too."))
}

// redirects documents an operation that answers with a redirect.
func redirects(status int) option {
	return func(op *huma.Operation) {
		code := strconv.Itoa(status)
		op.Responses = map[string]*huma.Response{code: {Description: http.StatusText(status)}}
	}
}

// attemptCookie has the state of a sign-in: its secret, and the path to return to.
const attemptCookie = "clausemill_sign_in"

func (a *API) logIn(ctx context.Context, in *struct {
	ReturnTo  string `query:"returnTo" maxLength:"2000" doc:"Path on this server to return to; by default the console, or /docs where there is none"`
	LoginHint string `query:"loginHint" maxLength:"320" doc:"E-mail address that the identity provider fills in"`
}, w http.ResponseWriter, _ *http.Request) error {
	if a.SignIn == nil {
		return fault.New(fault.NotFound, "signing in is not set up on this server; use an API key")
	}
	returnTo, err := localPath(cmp.Or(in.ReturnTo, a.startPage()))
	if err != nil {
		return invalid("query.returnTo", "is not a path on this server")
	}
	token := auth.NewToken()
	there, err := a.SignIn.Begin(ctx, token.Text, in.LoginHint)
	if err != nil {
		return err
	}
	value := token.Text + "." + base64.RawURLEncoding.EncodeToString([]byte(returnTo))
	http.SetCookie(w, a.cookie(attemptCookie, value, int(auth.AttemptLifetime.Seconds())))
	leadTo(w, there, http.StatusFound)
	return nil
}

// leadTo redirects, with an answer that caches do not store.
func leadTo(w http.ResponseWriter, address string, status int) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Location", address)
	w.WriteHeader(status)
}

// localPath is path in encoded form, if a browser that is redirected there stays on this
// server. Browsers read a backslash as a slash, ignore tabs and line ends, and read two
// slashes as the beginning of a host.
func localPath(path string) (string, error) {
	if !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") ||
		strings.ContainsFunc(path, func(r rune) bool { return r <= ' ' || r > '~' || r == '\\' }) {
		return "", errNotLocal
	}
	parsed, err := url.Parse(path)
	if err != nil {
		return "", errNotLocal
	}
	return parsed.String(), nil
}

var errNotLocal = fault.New(fault.Invalid, "not a path on this server")

func (a *API) comeBack(ctx context.Context, _ *struct{}, w http.ResponseWriter, r *http.Request) error {
	if a.SignIn == nil {
		return fault.New(fault.NotFound, "signing in is not set up on this server; use an API key")
	}
	secret, returnTo := a.attemptOf(r)
	account, err := a.SignIn.Finish(ctx, secret, r.URL.Query())
	if err != nil {
		return err
	}
	token, old := auth.NewToken(), auth.HashToken(a.sessionToken(r))
	if err := a.DB.InTx(ctx, func(tx *db.Tx) error {
		// The browser's previous session could not be used or ended without its cookie.
		if err := tx.RevokeSession(ctx, old); err != nil && fault.KindOf(err) != fault.NotFound {
			return err
		}
		return beginSession(ctx, tx, account, token.Hash)
	}); err != nil {
		return err
	}
	http.SetCookie(w, a.cookie(attemptCookie, "", -1))
	a.setSession(w, token)
	leadTo(w, returnTo, http.StatusSeeOther)
	return nil
}

// attemptOf is the state in the browser's attempt cookie. Without the cookie the secret
// is random and matches no state.
func (a *API) attemptOf(r *http.Request) (secret, returnTo string) {
	cookie, err := a.readCookie(r, attemptCookie)
	if err != nil {
		return auth.NewToken().Text, a.startPage()
	}
	secret, encoded, _ := strings.Cut(cookie.Value, ".")
	path, _ := base64.RawURLEncoding.DecodeString(encoded) // an invalid path is not local either
	returnTo, err = localPath(string(path))
	if err != nil {
		return secret, a.startPage()
	}
	return secret, returnTo
}

// beginSession signs an account in. The token is always new, which prevents session
// fixation.
func beginSession(ctx context.Context, tx *db.Tx, account db.Account, hash []byte) error {
	user, err := tx.SignIn(ctx, account)
	if err != nil {
		return err
	}
	team, err := tx.HomeTeam(ctx, user.ID)
	if err != nil {
		return err
	}
	scope := db.Scope{TeamID: team.ID, ActorKind: "user", ActorID: user.ID}
	if err := tx.Audit(ctx, scope, "session.created", "user", user.ID, nil); err != nil {
		return err
	}
	return tx.CreateSession(ctx, hash, user.ID, team.ID, auth.SessionLifetime)
}

// SignedOut has the URL to sign out of the identity provider too.
type SignedOut struct {
	Message           string `json:"message"`
	ProviderLogoutURL string `json:"providerLogoutUrl,omitempty" doc:"Open it to sign out of the identity provider too; absent where the provider does not support it"`
}

func (a *API) logOut(ctx context.Context, _ *struct{}) (SignedOut, error) {
	c := callOf(ctx)
	hash := auth.HashToken(a.sessionToken(c.r))
	err := a.DB.InTx(ctx, func(tx *db.Tx) error {
		if err := tx.RevokeSession(ctx, hash); err != nil {
			return err
		}
		return tx.Audit(ctx, auth.Scope(ctx), "session.ended", "user", c.principal.UserID, nil)
	})
	if err != nil {
		return SignedOut{}, err
	}
	a.auth.Forget(hash)
	http.SetCookie(&c.w, a.cookie(auth.PlainCookieName, "", -1))
	out := SignedOut{Message: "signed out"}
	if a.SignIn != nil {
		out.ProviderLogoutURL = a.SignIn.Logout(ctx)
	}
	return out, nil
}

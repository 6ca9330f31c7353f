package api

import (
	"net/http"
	"strings"

	"github.com/clausemill/clausemill/auth"
)

// plain reports whether cookies are sent without TLS, as in development, where
// PublicURL is plain http.
func (a *API) plain() bool { return strings.HasPrefix(a.PublicURL, "http://") }

// cookieName is the name under which browsers keep the cookie called name. See
// auth.CookieName.
func (a *API) cookieName(name string) string {
	if a.plain() {
		return name
	}
	return "__Host-" + name
}

// cookie is a cookie that scripts cannot read. Requests from other sites have it only
// when a link leads here. A negative age removes it.
func (a *API) cookie(name, value string, maxAge int) *http.Cookie {
	return &http.Cookie{
		Name: a.cookieName(name), Value: value, Path: "/", MaxAge: maxAge,
		HttpOnly: true, Secure: !a.plain(), SameSite: http.SameSiteLaxMode,
	}
}

func (a *API) readCookie(r *http.Request, name string) (*http.Cookie, error) {
	return r.Cookie(a.cookieName(name))
}

// setSession hands a session to the browser.
func (a *API) setSession(w http.ResponseWriter, token auth.Secret) {
	http.SetCookie(w, a.cookie(auth.PlainCookieName, token.Text, int(auth.SessionLifetime.Seconds())))
}

// sessionToken is the token that the browser sent, or "".
func (a *API) sessionToken(r *http.Request) string {
	cookie, err := a.readCookie(r, auth.PlainCookieName)
	if err != nil {
		return ""
	}
	return cookie.Value
}

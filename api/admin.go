package api

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"riverqueue.com/riverui"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/jobs"
)

// adminPath is the path of the queue's user interface.
const adminPath = "/admin/river"

// admin is River's own user interface.
type admin = riverui.Handler

func newAdmin(client *jobs.Client, log *slog.Logger) (*admin, error) {
	handler, err := riverui.NewHandler(&riverui.HandlerOpts{
		Endpoints: riverui.NewEndpoints(client, nil),
		Logger:    log,
		Prefix:    adminPath,
	})
	if err != nil {
		return nil, fmt.Errorf("prepare the queue's pages: %w", err)
	}
	return handler, nil
}

// operatorsOnly refuses everybody but operators. The queue has the jobs of all teams,
// so admins of one team have no access; for them it is 404. A browser that is not
// signed in is redirected to the sign-in, and then back.
func (a *API) operatorsOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := callOf(r.Context())
		c.operation = "admin"
		switch {
		case c.principal.Kind == auth.Nobody && a.SignIn != nil && navigates(r):
			leadTo(w, "/auth/login?returnTo="+url.QueryEscape(r.URL.RequestURI()), http.StatusSeeOther)
		case c.principal.Kind == auth.Nobody:
			writeError(w, problem(r.Context(), errNobody))
		case !a.operates(c.principal):
			writeError(w, problem(r.Context(), fault.New(fault.NotFound, "not found")))
		case r.URL.Path == adminPath:
			leadTo(w, adminPath+"/", http.StatusPermanentRedirect)
		default:
			w.Header().Set("Content-Security-Policy",
				"default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'")
			next.ServeHTTP(w, r)
		}
	})
}

// navigates reports whether a browser requests a page for a user.
func navigates(r *http.Request) bool {
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) && strings.Contains(r.Header.Get("Accept"), "text/html")
}

func (a *API) operates(p auth.Principal) bool {
	return p.Kind == auth.Session &&
		slices.ContainsFunc(a.Operators, func(email string) bool { return strings.EqualFold(email, p.Email) })
}

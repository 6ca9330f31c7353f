package api

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
)

// devSignIn lets anybody on this machine be anybody: for development, where
// there is no identity provider.
func (a *API) devSignIn() {
	post(a.area("Sign-in", open), "/auth/dev", "Sign in for development", a.signInDev, describe(
		"Makes the user and the organization where they are missing; the first member of an organization is its admin."))
}

func (a *API) signOut() {
	post(a.area("Sign-in", withSession), "/auth/sign-out", "Sign out", a.endSession, describe(
		"Ends the session everywhere, at once."))
}

// SignedIn is who is signed in now.
type SignedIn struct {
	UserID   string `json:"userId"`
	Email    string `json:"email"`
	TeamID   string `json:"teamId" doc:"The current team"`
	TeamKind string `json:"teamKind" enum:"personal,organization"`
	Role     string `json:"role" enum:"admin,member"`
}

type devSignInRequest struct {
	Body struct {
		Email        string `json:"email" format:"email" maxLength:"320"`
		Organization string `json:"organization,omitempty" maxLength:"200" doc:"Becomes the current team; without it the personal one is"`
	}
}

func (a *API) signInDev(ctx context.Context, in *devSignInRequest) (SignedIn, error) {
	c := callOf(ctx)
	if !local(c.r) {
		return SignedIn{}, fault.New(fault.Forbidden, "sign-in for development works on the machine itself only")
	}
	token := auth.NewToken()
	var out SignedIn
	err := a.DB.InTx(ctx, func(tx *db.Tx) (err error) {
		if out, err = signIn(ctx, tx, in.Body.Email, in.Body.Organization); err != nil {
			return err
		}
		scope := db.Scope{TeamID: out.TeamID, ActorKind: "user", ActorID: out.UserID}
		if err := tx.Audit(ctx, scope, "session.created", "user", out.UserID, nil); err != nil {
			return err
		}
		return tx.CreateSession(ctx, token.Hash, out.UserID, out.TeamID, auth.SessionLifetime)
	})
	if err != nil {
		return SignedIn{}, err
	}
	http.SetCookie(&c.w, a.cookie(token.Text, int(auth.SessionLifetime.Seconds())))
	return out, nil
}

// signIn finds or makes the user and the team.
func signIn(ctx context.Context, tx *db.Tx, email, organization string) (SignedIn, error) {
	user, err := tx.EnsureUser(ctx, email, "")
	if err != nil {
		return SignedIn{}, err
	}
	out := SignedIn{UserID: user.ID, Email: user.Email, TeamID: user.PersonalTeamID, TeamKind: db.PersonalTeam, Role: db.Admin}
	if organization == "" {
		return out, nil
	}
	team, err := tx.EnsureOrganization(ctx, organization)
	if err != nil {
		return SignedIn{}, err
	}
	role := db.Member
	if inhabited, err := tx.HasMembers(ctx, team.ID); err != nil {
		return SignedIn{}, err
	} else if !inhabited {
		role = db.Admin
	}
	if err := tx.AddMember(ctx, team.ID, user.ID, role); err != nil {
		return SignedIn{}, err
	}
	out.TeamID, out.TeamKind = team.ID, db.OrganizationTeam
	out.Role, err = tx.MemberRole(ctx, team.ID, user.ID)
	return out, err
}

func (a *API) endSession(ctx context.Context, _ *struct{}) (Message, error) {
	c := callOf(ctx)
	cookie, err := c.r.Cookie(auth.CookieName)
	if err != nil {
		return Message{}, errNobody
	}
	err = a.DB.InTx(ctx, func(tx *db.Tx) error {
		if err := tx.RevokeSession(ctx, auth.HashToken(cookie.Value)); err != nil {
			return err
		}
		return tx.Audit(ctx, auth.Scope(ctx), "session.ended", "user", c.principal.UserID, nil)
	})
	http.SetCookie(&c.w, a.cookie("", -1))
	return Message{"signed out"}, err
}

func (a *API) cookie(value string, maxAge int) *http.Cookie {
	return &http.Cookie{
		Name: auth.CookieName, Value: value, Path: "/", MaxAge: maxAge,
		HttpOnly: true, Secure: !a.Dev, SameSite: http.SameSiteLaxMode,
	}
}

// local reports whether a request was made on this machine, under a name of this
// machine: a foreign name is how a web page reaches a local server, and a
// forwarded request may come from anywhere.
func local(r *http.Request) bool {
	remote, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || !remote.Addr().Unmap().IsLoopback() || r.Header.Get("X-Forwarded-For") != "" || r.Header.Get("Forwarded") != "" {
		return false
	}
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	address, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return host == "localhost" || err == nil && address.IsLoopback()
}

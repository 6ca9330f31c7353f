package api

import (
	"context"
	"time"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
)

// session serves the sessions of users.
func (a *API) session() {
	session := a.area("Sign-in", withSession)
	get(session, "/api/session", "getSession", "Get the session's user and teams", a.getSession, describe("Returns the user, the current team of the session, and the teams that the user may switch to."))
	put(session, "/api/session", "switchTeam", "Switch the current team", a.switchTeam, describe(
		"Switches the session to another team of the user. All requests of a session refer to its current team. The cookie is replaced. The next sign-in starts in this team."))
	get(session, "/api/sessions", "listSessions", "List your sessions", a.listSessions, describe("Lists the sessions of the caller, one for each browser that is signed in, newest first."))
	del(session, "/api/sessions/{id}", "endSession", "End one of your sessions", a.deleteSession, describe("Ends a session of the caller, with immediate effect."))
}

// SignedIn is the user of the session, with their teams.
type SignedIn struct {
	User  User         `json:"user"`
	Team  TeamOfUser   `json:"team" doc:"The current team"`
	Teams []TeamOfUser `json:"teams" nullable:"false" doc:"All teams that the user may switch to, the personal team first"`

	Operator bool `json:"operator" doc:"Whether the user is an operator of the installation, who may call getInstallation and look into the queue at /admin/river/"`
}

// User is a person.
type User struct {
	ID    string `json:"id"`
	Email string `json:"email"`
	Name  string `json:"name"`
}

// TeamOfUser is a team with the role that a user has in it.
type TeamOfUser struct {
	ID   string `json:"id"`
	Kind string `json:"kind" enum:"personal,organization"`
	Name string `json:"name"`
	Role string `json:"role" enum:"admin,member,viewer"`
}

func newTeamOfUser(m db.Membership) TeamOfUser {
	return TeamOfUser{ID: m.ID, Kind: m.Kind, Name: m.Name, Role: m.Role}
}

func (a *API) getSession(ctx context.Context, _ *struct{}) (SignedIn, error) {
	return a.signedIn(ctx, auth.Scope(ctx))
}

// signedIn is the user of a scope, in its team.
func (a *API) signedIn(ctx context.Context, in db.Scope) (SignedIn, error) {
	member, err := a.DB.Member(ctx, in, in.ActorID)
	if err != nil {
		return SignedIn{}, err
	}
	teams, err := a.DB.Memberships(ctx, in.ActorID)
	out := SignedIn{
		User:  User{ID: member.UserID, Email: member.Email, Name: member.Name},
		Teams: newList(teams, newTeamOfUser).Items,

		Operator: a.operates(auth.From(ctx)),
	}
	for _, team := range out.Teams {
		if team.ID == in.TeamID {
			out.Team = team
		}
	}
	return out, err
}

// switchTeam replaces the session instead of changing it, so that what other replicas
// have cached for a token stays correct.
func (a *API) switchTeam(ctx context.Context, in *struct {
	Body struct {
		TeamID string `json:"teamId" format:"uuid" doc:"Id of one of the caller's teams"`
	}
}) (SignedIn, error) {
	c := callOf(ctx)
	from, token := auth.HashToken(a.sessionToken(c.r)), auth.NewToken()
	scope := db.Scope{TeamID: in.Body.TeamID, ActorKind: "user", ActorID: c.principal.UserID}
	err := a.DB.InTx(ctx, func(tx *db.Tx) error {
		if err := tx.SwitchSession(ctx, from, token.Hash, in.Body.TeamID); err != nil {
			return err
		}
		return tx.Audit(ctx, scope, "session.switched", "user", scope.ActorID, nil)
	})
	if err != nil {
		return SignedIn{}, err
	}
	a.auth.Forget(from)
	a.setSession(&c.w, token)
	return a.signedIn(ctx, scope)
}

// OpenSession is a browser that is signed in.
type OpenSession struct {
	ID        string    `json:"id"`
	TeamID    string    `json:"teamId" doc:"Id of the current team of the session"`
	Current   bool      `json:"current" doc:"Whether it is the session of this request"`
	CreatedAt time.Time `json:"createdAt"`
	ExpiresAt time.Time `json:"expiresAt"`
}

func newOpenSession(s db.OpenSession) OpenSession {
	return OpenSession{ID: s.ID, TeamID: s.TeamID, Current: s.Current, CreatedAt: s.CreatedAt.UTC(), ExpiresAt: s.ExpiresAt.UTC()}
}

func (a *API) listSessions(ctx context.Context, _ *struct{}) (List[OpenSession], error) {
	c := callOf(ctx)
	rows, err := a.DB.OpenSessions(ctx, c.principal.UserID, auth.HashToken(a.sessionToken(c.r)))
	return newList(rows, newOpenSession), err
}

func (a *API) deleteSession(ctx context.Context, in *IDRef) (Message, error) {
	scope := auth.Scope(ctx)
	err := a.DB.InTx(ctx, func(tx *db.Tx) error {
		if err := tx.EndOpenSession(ctx, scope.ActorID, in.ID); err != nil {
			return err
		}
		return tx.Audit(ctx, scope, "session.ended", "session", in.ID, nil)
	})
	a.auth.ForgetAll()
	return Message{"the session was ended"}, err
}

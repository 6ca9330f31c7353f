package api

import (
	"context"
	"net/http"
	"time"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
)

// members serves the members of organizations, and invitations.
func (a *API) members() {
	session := a.area("Teams and users", withSession)
	patch(session, "/api/teams/users/{userId}", "setTeamUserRole", "Change the role of a user", a.setRole, admins, describe(
		"Changes the role of a user, with immediate effect in all sessions. The last admin of a team cannot get another role (409)."))
	del(session, "/api/teams/users/{userId}", "removeTeamUser", "Remove a user from the team", a.removeMember, describe(
		"Removes a user from the team. Admins may remove anybody, other users only themselves. Sessions in the team end at once. The last admin cannot be removed (409)."))
	get(session, "/api/teams/invitations", "listInvitations", "List open invitations", a.listInvitations, admins, describe("Lists open invitations, newest first."))
	post(session, "/api/teams/invitations", "createInvitation", "Invite a person to the team", a.createInvitation, admins, status(http.StatusCreated), describe(
		"Invites a person to the current organization. The answer has the token, which is not stored and cannot be shown again: send it to the person. "+
			"Only a user who signs in with that e-mail address can use it, for seven days. Another invitation of the same address replaces it."))
	del(session, "/api/teams/invitations/{id}", "deleteInvitation", "Withdraw an invitation", a.deleteInvitation, admins, describe("Withdraws an invitation. Its token can no longer be used."))
	post(session, "/api/invitations/accept", "acceptInvitation", "Accept an invitation", a.acceptInvitation, describe(
		"Adds the caller to the team that the invitation is for. Switch to it with `PUT /api/session`."))
}

// invitationLifetime is how long an invitation stays open.
const invitationLifetime = 7 * 24 * time.Hour

// UserRef is the request of every operation on one user of the team.
type UserRef struct {
	UserID string `path:"userId" format:"uuid" doc:"User id"`
}

// Invitation invites a person to the team.
type Invitation struct {
	ID        string    `json:"id"`
	Email     string    `json:"email"`
	Role      string    `json:"role" enum:"admin,member,viewer"`
	InvitedBy string    `json:"invitedBy" doc:"Id of the user who invited"`
	CreatedAt time.Time `json:"createdAt"`
	ExpiresAt time.Time `json:"expiresAt"`
}

func newInvitation(i db.Invitation) Invitation {
	return Invitation{ID: i.ID, Email: i.Email, Role: i.Role, InvitedBy: i.InvitedBy, CreatedAt: i.CreatedAt.UTC(), ExpiresAt: i.ExpiresAt.UTC()}
}

// NewInvitation is an invitation with its token, which is returned only once.
type NewInvitation struct {
	Invitation

	Token string `json:"token" doc:"Token for POST /api/invitations/accept. It is shown only once"`
}

func (a *API) setRole(ctx context.Context, in *struct {
	UserRef
	Body struct {
		Role string `json:"role" enum:"admin,member,viewer"`
	}
}) (TeamUser, error) {
	var row db.TeamMember
	err := a.DB.InTx(ctx, func(tx *db.Tx) (err error) {
		if err := tx.SetRole(ctx, auth.Scope(ctx), in.UserID, in.Body.Role); err != nil {
			return err
		}
		row, err = tx.Member(ctx, auth.Scope(ctx), in.UserID)
		return err
	})
	a.auth.ForgetAll()
	return newTeamUser(row), err
}

func (a *API) removeMember(ctx context.Context, in *UserRef) (Message, error) {
	p := auth.From(ctx)
	if p.TeamKind == db.PersonalTeam {
		return Message{}, a.needMember(ctx, in.UserID, errPersonal)
	}
	if p.Role != db.Admin && p.UserID != in.UserID {
		return Message{}, a.needMember(ctx, in.UserID, errAdmins)
	}
	err := a.DB.InTx(ctx, func(tx *db.Tx) error { return tx.RemoveMember(ctx, p.Scope(), in.UserID) })
	a.auth.ForgetAll()
	return Message{"the user was removed from the team"}, err
}

// errPersonal is for what only organizations have.
var errPersonal = fault.New(fault.Conflict, "a personal team has one user; switch to an organization with PUT /api/session")

// needMember is refusal, or NotFound if the user is not a member of the team, so that a
// refusal does not reveal which users exist.
func (a *API) needMember(ctx context.Context, userID string, refusal error) error {
	if _, err := a.DB.Member(ctx, auth.Scope(ctx), userID); err != nil {
		return err
	}
	return refusal
}

func (a *API) listInvitations(ctx context.Context, in *Page) (List[Invitation], error) {
	after, err := in.idPlace("invitations")
	if err != nil {
		return List[Invitation]{}, err
	}
	rows, err := a.DB.Invitations(ctx, auth.Scope(ctx), after, in.Limit+1)
	return pageByID(rows, in.Limit, "invitations", func(i db.Invitation) string { return i.ID }, newInvitation), err
}

func (a *API) createInvitation(ctx context.Context, in *struct {
	Body struct {
		Email string `json:"email" format:"email" maxLength:"320" doc:"E-mail address that the person signs in with"`
		Role  string `json:"role,omitempty" enum:"admin,member,viewer" default:"member"`
	}
}) (NewInvitation, error) {
	if auth.From(ctx).TeamKind == db.PersonalTeam {
		return NewInvitation{}, errPersonal
	}
	token := auth.NewToken()
	var row db.Invitation
	err := a.DB.InTx(ctx, func(tx *db.Tx) (err error) {
		_, err = tx.MemberByEmail(ctx, auth.Scope(ctx), in.Body.Email)
		if err == nil {
			return fault.New(fault.Conflict, "that user belongs to the team already")
		} else if fault.KindOf(err) != fault.NotFound {
			return err
		}
		row, err = tx.CreateInvitation(ctx, auth.Scope(ctx), in.Body.Email, in.Body.Role, token.Hash, invitationLifetime)
		return err
	})
	unstored(ctx)
	return NewInvitation{newInvitation(row), token.Text}, err
}

func (a *API) deleteInvitation(ctx context.Context, in *IDRef) (Message, error) {
	err := a.DB.InTx(ctx, func(tx *db.Tx) error { return tx.DeleteInvitation(ctx, auth.Scope(ctx), in.ID) })
	return Message{"the invitation was withdrawn"}, err
}

func (a *API) acceptInvitation(ctx context.Context, in *struct {
	Body struct {
		Token string `json:"token" minLength:"1" maxLength:"100"`
	}
}) (TeamOfUser, error) {
	userID := auth.From(ctx).UserID
	var out TeamOfUser
	err := a.DB.InTx(ctx, func(tx *db.Tx) error {
		team, err := tx.AcceptInvitation(ctx, userID, auth.HashToken(in.Body.Token))
		if err != nil {
			return err
		}
		role, err := tx.MemberRole(ctx, team.ID, userID)
		out = TeamOfUser{ID: team.ID, Kind: team.Kind, Name: team.Name, Role: role}
		return err
	})
	return out, err
}

package db

import (
	"context"
	"time"
)

// Invitation asks a person into a team. It is without its token, which only the
// one who invites has seen.
type Invitation struct {
	ID        string    `db:"id"`
	Email     string    `db:"email"`
	Role      string    `db:"role"`
	InvitedBy string    `db:"invited_by"`
	CreatedAt time.Time `db:"created_at"`
	ExpiresAt time.Time `db:"expires_at"`
}

const invitationColumns = `id, email, role, invited_by, created_at, expires_at`

// CreateInvitation stores an invitation by the hash of its token. It takes the
// place of an earlier one to the same address.
func (t *Tx) CreateInvitation(ctx context.Context, in Scope, email, role string, hash []byte, lifetime time.Duration) (Invitation, error) {
	made, err := one[Invitation](ctx, t.Queries, `
		INSERT INTO invitations (id, team_id, email, role, hash, invited_by, expires_at)
		VALUES (@id, @team, @email, @role, @hash, @user, now() + @lifetime::interval)
		ON CONFLICT (team_id, lower(email)) DO UPDATE SET id = excluded.id, email = excluded.email, role = excluded.role,
			hash = excluded.hash, invited_by = excluded.invited_by, created_at = now(), expires_at = excluded.expires_at
		RETURNING `+invitationColumns, args{
		"id": NewID(), "team": in.TeamID, "email": email, "role": role, "hash": hash, "user": in.UserID(), "lifetime": lifetime,
	})
	if err != nil {
		return Invitation{}, err
	}
	return made, t.Audit(ctx, in, "invitation.created", "invitation", made.ID, map[string]any{"role": role})
}

// Invitations lists the team's open invitations, newest first, starting after
// the id `after` ("" for the start).
func (q Queries) Invitations(ctx context.Context, in Scope, after string, limit int) ([]Invitation, error) {
	return many[Invitation](ctx, q, `
		SELECT `+invitationColumns+` FROM invitations
		WHERE team_id = @team AND expires_at > now() AND (@after::uuid IS NULL OR id < @after::uuid) ORDER BY id DESC LIMIT @limit`,
		args{"team": in.TeamID, "after": nullable(after), "limit": limit})
}

// DeleteInvitation takes an invitation back.
func (t *Tx) DeleteInvitation(ctx context.Context, in Scope, id string) error {
	if err := change(ctx, t.Queries, `DELETE FROM invitations WHERE id = @id AND team_id = @team`,
		args{"id": id, "team": in.TeamID}); err != nil {
		return err
	}
	return t.Audit(ctx, in, "invitation.deleted", "invitation", id, nil)
}

// AcceptInvitation lets the user into the team of the invitation with that hash
// and returns the team. It is NotFound unless the invitation is open and was
// made to the user's own address.
func (t *Tx) AcceptInvitation(ctx context.Context, userID string, hash []byte) (Team, error) {
	type accepted struct {
		ID     string `db:"id"`
		TeamID string `db:"team_id"`
		Role   string `db:"role"`
	}
	found, err := one[accepted](ctx, t.Queries, `
		DELETE FROM invitations i USING users u
		WHERE i.hash = @hash AND i.expires_at > now() AND u.id = @user AND lower(u.email) = lower(i.email)
		RETURNING i.id, i.team_id, i.role`, args{"hash": hash, "user": userID})
	if err != nil {
		return Team{}, err
	}
	if err := t.AddMember(ctx, found.TeamID, userID, found.Role); err != nil {
		return Team{}, err
	}
	in := Scope{TeamID: found.TeamID, ActorKind: "user", ActorID: userID}
	if err := t.Audit(ctx, in, "invitation.accepted", "invitation", found.ID, map[string]any{"role": found.Role}); err != nil {
		return Team{}, err
	}
	return t.Team(ctx, in)
}

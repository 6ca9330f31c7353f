package db

import (
	"context"
	"time"

	"github.com/clausemill/clausemill/fault"
)

// AddMember puts a user into a team, or leaves the role as it is where the user
// is already there.
func (q Queries) AddMember(ctx context.Context, teamID, userID, role string) error {
	_, err := exec(ctx, q, `
		INSERT INTO members (team_id, user_id, role) VALUES (@team, @user, @role)
		ON CONFLICT DO NOTHING`, args{"team": teamID, "user": userID, "role": role})
	return err
}

// MemberRole is the role of a user in a team; NotFound where the user does not
// belong to it.
func (q Queries) MemberRole(ctx context.Context, teamID, userID string) (string, error) {
	return value[string](ctx, q, `SELECT role FROM members WHERE team_id = @team AND user_id = @user`,
		args{"team": teamID, "user": userID})
}

// TeamMember is a user as a team sees them.
type TeamMember struct {
	UserID   string    `db:"user_id"`
	Email    string    `db:"email"`
	Name     string    `db:"name"`
	Role     string    `db:"role"`
	JoinedAt time.Time `db:"joined_at"`
}

const members = `SELECT m.user_id, u.email, u.name, m.role, m.created_at AS joined_at
	FROM members m JOIN users u ON u.id = m.user_id WHERE m.team_id = @team`

// Members lists the members of the team in the order of their ids, starting
// after the id `after` ("" for the start).
func (q Queries) Members(ctx context.Context, in Scope, after string, limit int) ([]TeamMember, error) {
	return many[TeamMember](ctx, q, members+` AND (@after::uuid IS NULL OR m.user_id > @after::uuid) ORDER BY m.user_id LIMIT @limit`,
		args{"team": in.TeamID, "after": nullable(after), "limit": limit})
}

// MemberNames is what members of the team are called, by their ids.
func (q Queries) MemberNames(ctx context.Context, in Scope, ids []string) (map[string]string, error) {
	return q.names(ctx, `
		SELECT u.id, coalesce(nullif(u.name, ''), u.email) AS name FROM users u JOIN members m ON m.user_id = u.id WHERE m.team_id = @team AND u.id = ANY(@ids::uuid[])`, in, ids)
}

// CountMembers counts the members of the team.
func (q Queries) CountMembers(ctx context.Context, in Scope) (int, error) {
	return value[int](ctx, q, `SELECT count(*) FROM members WHERE team_id = @team`, args{"team": in.TeamID})
}

// Member is one member of the team.
func (q Queries) Member(ctx context.Context, in Scope, userID string) (TeamMember, error) {
	return one[TeamMember](ctx, q, members+` AND m.user_id = @user`, args{"team": in.TeamID, "user": userID})
}

// MemberByEmail is the member of the team with that address, in any case.
func (q Queries) MemberByEmail(ctx context.Context, in Scope, email string) (TeamMember, error) {
	return one[TeamMember](ctx, q, members+` AND lower(u.email) = lower(@email)`, args{"team": in.TeamID, "email": email})
}

// errLastAdmin keeps a team from being nobody's.
var errLastAdmin = fault.New(fault.Conflict, "the team would have no admin left; give somebody else that role first")

// lockAdmins makes changes of a team's admins wait for one another, so that two
// at once cannot leave it without one.
func (t *Tx) lockAdmins(ctx context.Context, teamID string) error {
	_, err := exec(ctx, t.Queries, `SELECT FROM teams WHERE id = @team FOR NO KEY UPDATE`, args{"team": teamID})
	return err
}

// needAdmin is a Conflict where the team has no admin.
func (t *Tx) needAdmin(ctx context.Context, teamID string) error {
	has, err := t.hasAdmin(ctx, teamID)
	if err == nil && !has {
		return errLastAdmin
	}
	return err
}

func (t *Tx) hasAdmin(ctx context.Context, teamID string) (bool, error) {
	return value[bool](ctx, t.Queries, `SELECT EXISTS (SELECT FROM members WHERE team_id = @team AND role = 'admin')`, args{"team": teamID})
}

// SetRole gives a member another role; their sessions have it at once. It is a
// Conflict where the team would be left without an admin.
func (t *Tx) SetRole(ctx context.Context, in Scope, userID, role string) error {
	if err := t.lockAdmins(ctx, in.TeamID); err != nil {
		return err
	}
	if err := change(ctx, t.Queries, `UPDATE members SET role = @role WHERE team_id = @team AND user_id = @user`,
		args{"team": in.TeamID, "user": userID, "role": role}); err != nil {
		return err
	}
	if err := t.needAdmin(ctx, in.TeamID); err != nil {
		return err
	}
	if err := t.refreshSessions(ctx, in.TeamID, userID); err != nil {
		return err
	}
	return t.Audit(ctx, in, "member.role_changed", "user", userID, map[string]any{"role": role})
}

// RemoveMember takes a user out of the team and ends their sessions in it. It is
// a Conflict where the team would be left without an admin.
func (t *Tx) RemoveMember(ctx context.Context, in Scope, userID string) error {
	if err := t.lockAdmins(ctx, in.TeamID); err != nil {
		return err
	}
	if err := change(ctx, t.Queries, `DELETE FROM members WHERE team_id = @team AND user_id = @user`,
		args{"team": in.TeamID, "user": userID}); err != nil {
		return err
	}
	if err := t.needAdmin(ctx, in.TeamID); err != nil {
		return err
	}
	return t.memberLeft(ctx, in, userID)
}

// memberLeft follows up on a membership that has ended.
func (t *Tx) memberLeft(ctx context.Context, in Scope, userID string) error {
	if err := t.endSessions(ctx, in.TeamID, userID); err != nil {
		return err
	}
	if err := t.leaveMatters(ctx, in, userID); err != nil {
		return err
	}
	return t.Audit(ctx, in, "member.removed", "user", userID, nil)
}

// Membership is a team as one of its members sees it.
type Membership struct {
	Team
	Role string `db:"role"`
}

// Memberships lists the teams of a user: the personal one first, then by age of
// the membership.
func (q Queries) Memberships(ctx context.Context, userID string) ([]Membership, error) {
	return many[Membership](ctx, q, `
		SELECT t.id, t.kind, t.name, t.created_at, m.role FROM members m JOIN teams t ON t.id = m.team_id
		WHERE m.user_id = @user ORDER BY t.kind DESC, m.created_at, t.id`, args{"user": userID})
}

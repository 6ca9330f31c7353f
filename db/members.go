package db

import "context"

// MemberRole is the role of a user in a team; NotFound where the user does not
// belong to it.
func (q Queries) MemberRole(ctx context.Context, teamID, userID string) (string, error) {
	return value[string](ctx, q, `SELECT role FROM members WHERE team_id = @team AND user_id = @user`,
		args{"team": teamID, "user": userID})
}

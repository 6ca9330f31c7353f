package db

import (
	"context"
	"time"
)

// Session is a signed-in browser with its current team.
type Session struct {
	UserID    string    `db:"user_id"`
	Email     string    `db:"email"`
	TeamID    string    `db:"team_id"`
	TeamKind  string    `db:"team_kind"`
	Role      string    `db:"role"`
	ExpiresAt time.Time `db:"expires_at"`
}

// CreateSession stores a session by the hash of its token.
func (q Queries) CreateSession(ctx context.Context, hash []byte, userID, teamID string, lifetime time.Duration) error {
	_, err := exec(ctx, q, `
		INSERT INTO sessions (hash, user_id, team_id, expires_at) VALUES (@hash, @user, @team, now() + @lifetime::interval)`,
		args{"hash": hash, "user": userID, "team": teamID, "lifetime": lifetime})
	return err
}

// SessionByHash is the live session with that hash. It is NotFound once it has
// expired, was revoked, or its user left the team.
func (q Queries) SessionByHash(ctx context.Context, hash []byte) (Session, error) {
	return one[Session](ctx, q, `
		SELECT s.user_id, u.email, s.team_id, t.kind AS team_kind, m.role, s.expires_at
		FROM sessions s
		JOIN users u ON u.id = s.user_id
		JOIN teams t ON t.id = s.team_id
		JOIN members m ON m.team_id = s.team_id AND m.user_id = s.user_id
		WHERE s.hash = @hash AND s.expires_at > now()`, args{"hash": hash})
}

// RevokeSession ends a session, and tells the caches that know it.
func (q Queries) RevokeSession(ctx context.Context, hash []byte) error {
	return change(ctx, q, `
		WITH revoked AS (DELETE FROM sessions WHERE hash = @hash RETURNING hash)
		SELECT pg_notify('clausemill_revoked', encode(hash, 'hex')) FROM revoked`, args{"hash": hash})
}

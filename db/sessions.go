package db

import (
	"context"
	"time"
)

// Session is a signed-in browser with its current team, which it keeps: another
// team is another session.
type Session struct {
	UserID    string    `db:"user_id"`
	Email     string    `db:"email"`
	TeamID    string    `db:"team_id"`
	TeamKind  string    `db:"team_kind"`
	Role      string    `db:"role"`
	Hidden    []string  `db:"hidden"` // see HiddenMatters
	ExpiresAt time.Time `db:"expires_at"`
}

// CreateSession stores a session by the hash of its token.
func (q Queries) CreateSession(ctx context.Context, hash []byte, userID, teamID string, lifetime time.Duration) error {
	_, err := exec(ctx, q, `
		INSERT INTO sessions (id, hash, user_id, team_id, expires_at) VALUES (@id, @hash, @user, @team, now() + @lifetime::interval)`,
		args{"id": NewID(), "hash": hash, "user": userID, "team": teamID, "lifetime": lifetime})
	return err
}

// SessionByHash is the live session with that hash. It is NotFound once it has
// expired, was revoked, or its user left the team.
func (q Queries) SessionByHash(ctx context.Context, hash []byte) (Session, error) {
	return one[Session](ctx, q, `
		SELECT s.user_id, u.email, s.team_id, t.kind AS team_kind, m.role, ARRAY(`+hiddenMatters("s.team_id", "s.user_id", "NULL")+`) AS hidden, s.expires_at
		FROM sessions s
		JOIN users u ON u.id = s.user_id
		JOIN teams t ON t.id = s.team_id
		JOIN members m ON m.team_id = s.team_id AND m.user_id = s.user_id
		WHERE s.hash = @hash AND s.expires_at > now()`, args{"hash": hash})
}

// RevokeSession revokes a session, and invalidates the caches that have it.
func (q Queries) RevokeSession(ctx context.Context, hash []byte) error {
	return change(ctx, q, `
		WITH revoked AS (DELETE FROM sessions WHERE hash = @hash RETURNING hash)
		SELECT pg_notify('clausemill_revoked', encode(hash, 'hex')) FROM revoked`, args{"hash": hash})
}

// SwitchSession replaces a session by one in another team of its user, with a
// token of its own and the same end, and remembers the choice for the next
// sign-in. It is NotFound where the user does not belong to that team.
func (t *Tx) SwitchSession(ctx context.Context, from, to []byte, teamID string) error {
	a := args{"from": from, "to": to, "team": teamID, "id": NewID()}
	if err := change(ctx, t.Queries, `
		INSERT INTO sessions (id, hash, user_id, team_id, expires_at)
		SELECT @id, @to, s.user_id, m.team_id, s.expires_at
		FROM sessions s JOIN members m ON m.user_id = s.user_id AND m.team_id = @team
		WHERE s.hash = @from AND s.expires_at > now()`, a); err != nil {
		return err
	}
	if _, err := exec(ctx, t.Queries, `
		UPDATE users SET current_team_id = @team WHERE id = (SELECT user_id FROM sessions WHERE hash = @to)`, a); err != nil {
		return err
	}
	return t.RevokeSession(ctx, from)
}

// OpenSession is a session as its user sees it.
type OpenSession struct {
	ID        string    `db:"id"`
	TeamID    string    `db:"team_id"`
	Current   bool      `db:"current"` // the one that asks
	CreatedAt time.Time `db:"created_at"`
	ExpiresAt time.Time `db:"expires_at"`
}

// OpenSessions lists the live sessions of a user, newest first.
func (q Queries) OpenSessions(ctx context.Context, userID string, current []byte) ([]OpenSession, error) {
	return many[OpenSession](ctx, q, `
		SELECT id, team_id, hash = @current AS current, created_at, expires_at FROM sessions
		WHERE user_id = @user AND expires_at > now() ORDER BY created_at DESC, id DESC`,
		args{"user": userID, "current": current})
}

// EndOpenSession ends one session of a user.
func (q Queries) EndOpenSession(ctx context.Context, userID, id string) error {
	return change(ctx, q, `
		WITH revoked AS (DELETE FROM sessions WHERE id = @id AND user_id = @user RETURNING hash)
		SELECT pg_notify('clausemill_revoked', encode(hash, 'hex')) FROM revoked`, args{"user": userID, "id": id})
}

// endSessions ends the sessions of a user in a team.
func (q Queries) endSessions(ctx context.Context, teamID, userID string) error {
	_, err := exec(ctx, q, `
		WITH revoked AS (DELETE FROM sessions WHERE team_id = @team AND user_id = @user RETURNING hash)
		SELECT pg_notify('clausemill_revoked', encode(hash, 'hex')) FROM revoked`, args{"team": teamID, "user": userID})
	return err
}

// refreshSessions has the caches ask again about the sessions of a user in a
// team.
func (q Queries) refreshSessions(ctx context.Context, teamID, userID string) error {
	_, err := exec(ctx, q, `
		SELECT pg_notify('clausemill_revoked', encode(hash, 'hex')) FROM sessions WHERE team_id = @team AND user_id = @user`,
		args{"team": teamID, "user": userID})
	return err
}

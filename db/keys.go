package db

import (
	"context"
	"maps"
	"slices"
	"time"
)

// The kinds of API key.
const (
	UserKey         = "user"
	OrganizationKey = "organization"
)

// APIKey is a key without its secret.
type APIKey struct {
	ID         string     `db:"id"`
	Kind       string     `db:"kind"`
	TeamID     string     `db:"team_id"`
	UserID     *string    `db:"user_id"`
	Name       string     `db:"name"`
	Hint       string     `db:"hint"`
	CreatedAt  time.Time  `db:"created_at"`
	LastUsedAt *time.Time `db:"last_used_at"`
	ExpiresAt  *time.Time `db:"expires_at"`
	RevokedAt  *time.Time `db:"revoked_at"`
}

// LiveKey is a key that is good, with what its owner does not see.
type LiveKey struct {
	APIKey

	Hidden []string `db:"hidden"` // see HiddenMatters
}

const apiKeyColumns = `id, kind, team_id, user_id, name, hint, created_at, last_used_at, expires_at, revoked_at`

// CreateAPIKey stores a key by the hash of its secret.
func (q Queries) CreateAPIKey(ctx context.Context, k APIKey, hash []byte) (APIKey, error) {
	return one[APIKey](ctx, q, `
		INSERT INTO api_keys (id, kind, team_id, user_id, name, hash, hint, expires_at)
		VALUES (@id, @kind, @team, @user, @name, @hash, @hint, @expires)
		RETURNING `+apiKeyColumns, args{
		"id": NewID(), "kind": k.Kind, "team": k.TeamID, "user": k.UserID,
		"name": k.Name, "hash": hash, "hint": k.Hint, "expires": k.ExpiresAt,
	})
}

// APIKeyByHash is the live key with that hash; a revoked or expired one is
// NotFound.
func (q Queries) APIKeyByHash(ctx context.Context, hash []byte) (LiveKey, error) {
	return one[LiveKey](ctx, q, `
		SELECT `+apiKeyColumns+`, ARRAY(`+hiddenMatters("k.team_id", "k.user_id", "k.id")+`) AS hidden FROM api_keys k
		WHERE hash = @hash AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`, args{"hash": hash})
}

// TouchAPIKey notes that a key was used, at most once a minute.
func (q Queries) TouchAPIKey(ctx context.Context, id string) error {
	_, err := exec(ctx, q, `
		UPDATE api_keys SET last_used_at = now()
		WHERE id = @id AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')`, args{"id": id})
	return err
}

// APIKeys lists the keys of a team, newest first, revoked ones included.
func (q Queries) APIKeys(ctx context.Context, teamID string) ([]APIKey, error) {
	return many[APIKey](ctx, q, `
		SELECT `+apiKeyColumns+` FROM api_keys WHERE team_id = @team ORDER BY id DESC`, args{"team": teamID})
}

// AllAPIKeys lists every key of the installation, newest first: for its
// operator.
func (q Queries) AllAPIKeys(ctx context.Context) ([]NamedKey, error) {
	return many[NamedKey](ctx, q, `
		SELECT `+apiKeyColumns+`, coalesce((SELECT email FROM users WHERE id = k.user_id), (SELECT name FROM teams WHERE id = k.team_id)) AS owner
		FROM api_keys k ORDER BY id DESC`, nil)
}

// NamedKey is a key with whose it is.
type NamedKey struct {
	APIKey

	Owner string `db:"owner"` // e-mail address of a user, or name of an organization
}

// KeyOwner says whose keys are meant: a user's own, and those of an organization
// that the user answers for, if there is one.
type KeyOwner struct{ UserID, OrganizationID string }

const ownedKeys = `SELECT ` + apiKeyColumns + ` FROM api_keys
	WHERE (user_id = @user OR kind = 'organization' AND team_id = @organization)`

// OwnedAPIKeys lists the keys of an owner, newest first, starting after the id
// `after` ("" for the start), revoked ones included.
func (q Queries) OwnedAPIKeys(ctx context.Context, owner KeyOwner, after string, limit int) ([]APIKey, error) {
	return many[APIKey](ctx, q, ownedKeys+` AND (@after::uuid IS NULL OR id < @after::uuid) ORDER BY id DESC LIMIT @limit`, args{
		"user": owner.UserID, "organization": nullable(owner.OrganizationID), "after": nullable(after), "limit": limit,
	})
}

// OwnedAPIKey is one key of an owner.
func (q Queries) OwnedAPIKey(ctx context.Context, owner KeyOwner, id string) (APIKey, error) {
	return one[APIKey](ctx, q, ownedKeys+` AND id = @id`,
		args{"user": owner.UserID, "organization": nullable(owner.OrganizationID), "id": id})
}

// PersonalTeam is the id of a user's personal team.
func (q Queries) PersonalTeam(ctx context.Context, userID string) (string, error) {
	return value[string](ctx, q, `SELECT personal_team_id::text FROM users WHERE id = @user`, args{"user": userID})
}

// RevokeAPIKey revokes a key for good, and invalidates the caches that have it.
func (q Queries) RevokeAPIKey(ctx context.Context, id string) error {
	return change(ctx, q, `
		WITH revoked AS (
			UPDATE api_keys SET revoked_at = now() WHERE id = @id AND revoked_at IS NULL RETURNING hash
		)
		SELECT pg_notify('clausemill_revoked', encode(hash, 'hex')) FROM revoked`, args{"id": id})
}

// CountRequests counts so many requests of subjects against their windows and returns the
// state of those by subject. It is a single statement on the database's clock, so
// that any number of replicas share one exact count. In the order of their names none
// waits for another that waits for it.
func (q Queries) CountRequests(ctx context.Context, requests map[string]int, window time.Duration) (map[string]RateWindow, error) {
	subjects := slices.Sorted(maps.Keys(requests))
	counts := make([]int, len(subjects))
	for i, subject := range subjects {
		counts[i] = requests[subject]
	}
	rows, err := many[RateWindow](ctx, q.prepared(), `
		INSERT INTO rate_limits AS r (subject, window_start, used)
		SELECT subject, clock_timestamp(), n FROM unnest(`+opaque("subjects", "text[]")+`, `+opaque("counts", "int[]")+`) c (subject, n)
		ON CONFLICT (subject) DO UPDATE SET
			window_start = CASE WHEN r.window_start <= clock_timestamp() - @window::interval THEN clock_timestamp() ELSE r.window_start END,
			used         = CASE WHEN r.window_start <= clock_timestamp() - @window::interval THEN excluded.used ELSE least(r.used + excluded.used, 1 << 30) END
		RETURNING subject, used, window_start + @window::interval AS resets_at,
			extract(epoch FROM window_start + @window::interval - clock_timestamp())::float8 AS seconds_left`,
		args{"subjects": subjects, "counts": counts, "window": window})
	windows := make(map[string]RateWindow, len(rows))
	for _, row := range rows {
		windows[row.Subject] = row
	}
	return windows, err
}

// RateWindow is a subject's window after requests were counted.
type RateWindow struct {
	Subject     string    `db:"subject"`
	Used        int       `db:"used"` // by all requests in the window, those that were refused among them
	ResetsAt    time.Time `db:"resets_at"`
	SecondsLeft float64   `db:"seconds_left"`
}

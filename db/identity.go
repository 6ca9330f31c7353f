package db

import (
	"context"
	"time"
)

// The kinds of team.
const (
	PersonalTeam     = "personal"
	OrganizationTeam = "organization"
)

// The roles of a member.
const (
	Admin  = "admin"  // also people, keys, flags, purging, and types and labels that others use
	Member = "member" // all but that
	Viewer = "viewer" // reads and comments
)

// Team owns files and everything about them.
type Team struct {
	ID        string    `db:"id"`
	Kind      string    `db:"kind"`
	Name      string    `db:"name"`
	CreatedAt time.Time `db:"created_at"`
}

const teamColumns = `id, kind, name, created_at`

// User is a person who signs in.
type User struct {
	ID             string    `db:"id"`
	Email          string    `db:"email"`
	Name           string    `db:"name"`
	PersonalTeamID string    `db:"personal_team_id"`
	CreatedAt      time.Time `db:"created_at"`
}

const userColumns = `id, email, name, personal_team_id, created_at`

// User is one user.
func (q Queries) User(ctx context.Context, id string) (User, error) {
	return one[User](ctx, q, `SELECT `+userColumns+` FROM users WHERE id = @id`, args{"id": id})
}

// EnsureUser returns the user with that address, made with a personal team at
// first sight, and called name if nobody has said how.
func (t *Tx) EnsureUser(ctx context.Context, email, name string) (User, error) {
	// Two first sign-ins at once must end in one user: the address is the lock.
	if _, err := exec(ctx, t.Queries, `SELECT pg_advisory_xact_lock(hashtextextended('user:' || lower(@email), 0))`, args{"email": email}); err != nil {
		return User{}, err
	}
	found, err := many[User](ctx, t.Queries, `
		UPDATE users SET name = coalesce(nullif(name, ''), @name) WHERE lower(email) = lower(@email) RETURNING `+userColumns, args{"email": email, "name": name})
	if err != nil || len(found) == 1 {
		return first(found), err
	}
	team, err := t.createTeam(ctx, PersonalTeam, email)
	if err != nil {
		return User{}, err
	}
	user, err := one[User](ctx, t.Queries, `
		INSERT INTO users (id, email, name, personal_team_id) VALUES (@id, @email, @name, @team)
		RETURNING `+userColumns, args{"id": NewID(), "email": email, "name": name, "team": team.ID})
	if err != nil {
		return User{}, err
	}
	return user, t.AddMember(ctx, team.ID, user.ID, Admin)
}

// EnsureOrganization returns the organization that the identity provider or the
// operator knows by that name, made at first sight. What users call theirs does
// not count.
func (t *Tx) EnsureOrganization(ctx context.Context, name string) (Team, error) {
	if _, err := exec(ctx, t.Queries, `SELECT pg_advisory_xact_lock(hashtextextended('team:' || lower(@name), 0))`, args{"name": name}); err != nil {
		return Team{}, err
	}
	found, err := many[Team](ctx, t.Queries, `SELECT `+teamColumns+` FROM teams WHERE external_name = lower(@name)`, args{"name": name})
	if err != nil || len(found) == 1 {
		return first(found), err
	}
	return one[Team](ctx, t.Queries, `
		INSERT INTO teams (id, kind, name, external_name) VALUES (@id, 'organization', @name, lower(@name))
		RETURNING `+teamColumns, args{"id": NewID(), "name": name})
}

func (t *Tx) createTeam(ctx context.Context, kind, name string) (Team, error) {
	return one[Team](ctx, t.Queries, `
		INSERT INTO teams (id, kind, name) VALUES (@id, @kind, @name)
		RETURNING `+teamColumns, args{"id": NewID(), "kind": kind, "name": name})
}

// first is the first of list, or the zero value.
func first[T any](list []T) T {
	if len(list) == 0 {
		var zero T
		return zero
	}
	return list[0]
}

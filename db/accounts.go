package db

import (
	"context"
	"slices"
	"strings"

	"github.com/clausemill/clausemill/fault"
)

// Account is a person as an identity provider vouches for them.
type Account struct {
	Issuer  string
	Subject string // the provider's own name for the account, which never changes
	Email   string // verified by the provider
	Name    string

	// Organizations are the names of those that the account belongs to; nil
	// where the provider is not asked about that.
	Organizations []string
}

// SignIn finds or makes the user of an account, and brings the memberships that
// come of claims up to date. It is a Conflict where the address belongs to
// another account of the provider: an address may be given away, and its new
// owner must not find the old one's contracts.
func (t *Tx) SignIn(ctx context.Context, a Account) (User, error) {
	user, err := t.accountUser(ctx, a)
	if err != nil || a.Organizations == nil {
		return user, err
	}
	return user, t.followClaims(ctx, user, a.Organizations)
}

func (t *Tx) accountUser(ctx context.Context, a Account) (User, error) {
	known := args{"issuer": a.Issuer, "subject": a.Subject, "email": a.Email, "name": a.Name}
	found, err := many[User](ctx, t.Queries, `
		UPDATE users SET email = @email, name = coalesce(nullif(@name, ''), name)
		WHERE id = (SELECT user_id FROM identities WHERE issuer = @issuer AND subject = @subject)
		RETURNING `+userColumns, known)
	if err == nil && len(found) == 1 {
		return found[0], nil
	}
	if err != nil {
		return User{}, otherAccount(err)
	}
	user, err := t.EnsureUser(ctx, a.Email, a.Name)
	if err != nil {
		return User{}, err
	}
	known["user"] = user.ID
	_, err = exec(ctx, t.Queries, `
		INSERT INTO identities (issuer, subject, user_id) VALUES (@issuer, @subject, @user)
		ON CONFLICT (issuer, subject) DO NOTHING`, known)
	return user, otherAccount(err)
}

// otherAccount turns a taken e-mail address into a fault.
func otherAccount(err error) error {
	if fault.KindOf(err) == fault.Conflict {
		return fault.Wrap(fault.Conflict, "another account of the identity provider signs in with your e-mail address; ask your administrator", err)
	}
	return err
}

// followClaims adds the user to the organizations that the provider's claim lists,
// and removes the user from those that it listed before. If an organization has no
// admin, the next user who is added becomes one.
func (t *Tx) followClaims(ctx context.Context, user User, names []string) error {
	// In one order always, since each is locked.
	names = slices.Clone(names)
	slices.SortFunc(names, func(x, y string) int { return strings.Compare(strings.ToLower(x), strings.ToLower(y)) })
	named := make([]string, 0, len(names))
	for _, name := range names {
		team, err := t.EnsureOrganization(ctx, name)
		if err != nil {
			return err
		}
		named = append(named, team.ID)
		if err := t.joinByClaim(ctx, team.ID, user.ID); err != nil {
			return err
		}
	}
	left, err := values[string](ctx, t.Queries, `
		DELETE FROM members WHERE user_id = @user AND by_claim AND team_id <> ALL(@named::uuid[]) RETURNING team_id::text`,
		args{"user": user.ID, "named": named})
	if err != nil {
		return err
	}
	for _, teamID := range left {
		if err := t.memberLeft(ctx, System(teamID), user.ID); err != nil {
			return err
		}
	}
	return nil
}

func (t *Tx) joinByClaim(ctx context.Context, teamID, userID string) error {
	administered, err := t.hasAdmin(ctx, teamID)
	if err != nil {
		return err
	}
	role := Admin
	if administered {
		role = Member
	}
	joined, err := exec(ctx, t.Queries, `
		INSERT INTO members (team_id, user_id, role, by_claim) VALUES (@team, @user, @role, true)
		ON CONFLICT DO NOTHING`, args{"team": teamID, "user": userID, "role": role})
	if err != nil || joined == 0 {
		return err
	}
	return t.Audit(ctx, System(teamID), "member.added", "user", userID, map[string]any{"role": role, "by": "claim"})
}

// HomeTeam is the team that a user begins in: the one chosen last, else an
// organization, else the personal one.
func (q Queries) HomeTeam(ctx context.Context, userID string) (Team, error) {
	return one[Team](ctx, q, `
		SELECT t.id, t.kind, t.name, t.created_at
		FROM users u JOIN members m ON m.user_id = u.id JOIN teams t ON t.id = m.team_id
		WHERE u.id = @user
		ORDER BY (t.id = u.current_team_id) IS TRUE DESC, t.kind = 'organization' DESC, m.created_at, t.id LIMIT 1`,
		args{"user": userID})
}

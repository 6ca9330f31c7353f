package main

import (
	"context"
	"errors"
	"time"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/cmd/internal/setup"
	"github.com/clausemill/clausemill/db"
)

// keys manages API keys for whoever runs the installation.
type keys struct {
	Create createKey `cmd:"" help:"Make a key and print it. It cannot be shown again."`
	List   listKeys  `cmd:"" help:"List the keys of all users and organizations."`
	Revoke revokeKey `cmd:"" help:"End a key at once."`
}

// createKey makes a key, and its owner where that is new.
type createKey struct {
	setup.Database `embed:"" group:"Settings:"`
	output         `embed:""`

	User         string `xor:"owner" placeholder:"EMAIL" help:"Either: make the key of a user. It acts as that user in the personal team."`
	Organization string `xor:"owner" placeholder:"NAME" help:"Or: make the key of an organization."`
	Name         string `default:"command line" help:"What the key is for."`
	Days         int    `placeholder:"DAYS" help:"Let it expire. It lasts until it is revoked otherwise."`
}

// Validate wants an owner. As required flags, both would seem to be needed.
func (k *createKey) Validate() error {
	if k.User == "" && k.Organization == "" {
		return errors.New("say whose key it is: --user=EMAIL or --organization=NAME")
	}
	return nil
}

// Run prints the key and nothing else on standard output, for scripts.
func (k *createKey) Run(ctx context.Context, c console) error {
	database, err := k.Open(ctx)
	if err != nil {
		return err
	}
	defer database.Close()
	wanted := db.APIKey{Kind: db.UserKey, Name: k.Name}
	if k.Days > 0 {
		expires := time.Now().AddDate(0, 0, k.Days)
		wanted.ExpiresAt = &expires
	}
	owner := k.User
	if k.Organization != "" {
		wanted.Kind, owner = db.OrganizationKey, k.Organization
	}
	made, secret, err := newKey(ctx, database, wanted, owner)
	if err != nil {
		return err
	}
	return say(c, k.output, createdKey{newKeyRow(db.NamedKey{APIKey: made, Owner: owner}), secret}, secret)
}

// createdKey is a key on the one occasion.
type createdKey struct {
	keyRow

	Secret string `json:"secret"`
}

// keyRow is a key as it is printed.
type keyRow struct {
	ID         string     `json:"id"`
	Kind       string     `json:"kind"`
	Owner      string     `json:"owner"`
	Hint       string     `json:"hint"`
	Name       string     `json:"name"`
	CreatedAt  time.Time  `json:"createdAt"`
	LastUsedAt *time.Time `json:"lastUsedAt"`
	ExpiresAt  *time.Time `json:"expiresAt"`
	RevokedAt  *time.Time `json:"revokedAt"`
}

func newKeyRow(k db.NamedKey) keyRow {
	return keyRow{k.ID, k.Kind, k.Owner, k.Hint, k.Name, k.CreatedAt, k.LastUsedAt, k.ExpiresAt, k.RevokedAt}
}

// newKey stores a key of the user or organization called owner, and returns it with
// its secret.
func newKey(ctx context.Context, database *db.DB, key db.APIKey, owner string) (made db.APIKey, text string, err error) {
	secret := auth.NewKey(key.Kind)
	key.Hint = secret.Hint
	err = database.InTx(ctx, func(tx *db.Tx) error {
		if key.Kind == db.UserKey {
			user, err := tx.EnsureUser(ctx, owner, owner)
			if err != nil {
				return err
			}
			key.TeamID, key.UserID = user.PersonalTeamID, &user.ID
		} else {
			team, err := tx.EnsureOrganization(ctx, owner)
			if err != nil {
				return err
			}
			key.TeamID = team.ID
		}
		if made, err = tx.CreateAPIKey(ctx, key, secret.Hash); err != nil {
			return err
		}
		return tx.Audit(ctx, db.System(key.TeamID), "api_key.created", "api_key", made.ID, map[string]any{"name": key.Name})
	})
	return made, secret.Text, err
}

// listKeys shows all keys, without their secrets.
type listKeys struct {
	setup.Database `embed:"" group:"Settings:"`
	output         `embed:""`
}

// Run prints a table, newest first.
func (l *listKeys) Run(ctx context.Context, c console) error {
	database, err := l.Open(ctx)
	if err != nil {
		return err
	}
	defer database.Close()
	all, err := database.AllAPIKeys(ctx)
	if err != nil {
		return err
	}
	rows := make([]keyRow, len(all))
	for i, k := range all {
		rows[i] = newKeyRow(k)
	}
	return table(c, l.output, "ID|KIND|OWNER|ENDS IN|NAME|CREATED|LAST USED|STATE", rows, func(k keyRow) []string {
		return []string{k.ID, k.Kind, k.Owner, "…" + k.Hint, k.Name, k.CreatedAt.Format(time.DateOnly), day(k.LastUsedAt), k.state()}
	})
}

func day(t *time.Time) string {
	if t == nil {
		return "never"
	}
	return t.Format(time.DateOnly)
}

func (k keyRow) state() string {
	switch {
	case k.RevokedAt != nil:
		return "revoked " + day(k.RevokedAt)
	case k.ExpiresAt == nil:
		return "valid"
	case k.ExpiresAt.Before(time.Now()):
		return "expired " + day(k.ExpiresAt)
	default:
		return "valid until " + day(k.ExpiresAt)
	}
}

// revokeKey ends a key.
type revokeKey struct {
	setup.Database `embed:"" group:"Settings:"`
	output         `embed:""`

	ID string `arg:"" help:"Id of the key, from 'clausemill keys list'."`
}

// Run ends the key in every running process as well.
func (r *revokeKey) Run(ctx context.Context, c console) error {
	database, err := r.Open(ctx)
	if err != nil {
		return err
	}
	defer database.Close()
	all, err := database.AllAPIKeys(ctx)
	if err != nil {
		return err
	}
	for _, k := range all {
		if k.ID == r.ID && k.RevokedAt == nil {
			err := database.InTx(ctx, func(tx *db.Tx) error {
				if err := tx.RevokeAPIKey(ctx, k.ID); err != nil {
					return err
				}
				return tx.Audit(ctx, db.System(k.TeamID), "api_key.revoked", "api_key", k.ID, nil)
			})
			if err != nil {
				return err
			}
			return say(c, r.output, map[string]string{"id": k.ID, "state": "revoked"}, "revoked key "+k.ID)
		}
	}
	return errors.New("no valid key has that id: see 'clausemill keys list'")
}

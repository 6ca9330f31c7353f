package api

import (
	"context"
	"net/http"
	"time"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
)

// apiKeys serves the keys that signed-in users create for programs: section 5 of the
// specification.
func (a *API) apiKeys() {
	session := a.area("API keys", withSession)
	get(session, "/api/api-keys", "listAPIKeys", "List API keys", a.listAPIKeys, describe(
		"Lists the caller's own keys and, for admins, those of the current organization, newest first. Revoked keys are included."))
	post(session, "/api/api-keys", "createAPIKey", "Create an API key", a.createAPIKey, status(http.StatusCreated), describe(
		"Creates an API key. A user key acts for the caller in their personal team. An organization key acts for the current organization and belongs to no user; only its admins may create one. "+
			"The answer has the secret, which is not stored and cannot be shown again. For that reason `Idempotency-Key` is not supported."))
	get(session, "/api/api-keys/{id}", "getAPIKey", "Get an API key", a.getAPIKey, describe("Returns an API key without its secret, which is shown only when the key is created."))
	del(session, "/api/api-keys/{id}", "revokeAPIKey", "Revoke an API key", a.revokeAPIKey, describe(
		"Revokes an API key. It stops working at once, and this cannot be undone. The key is still listed."))
}

// APIKey is a key without its secret.
type APIKey struct { //nolint:revive // the schema's name
	ID         string     `json:"id"`
	Kind       string     `json:"kind" enum:"user,organization"`
	Name       string     `json:"name"`
	Hint       string     `json:"hint" doc:"The last characters of the secret, to identify the key"`
	CreatedAt  time.Time  `json:"createdAt"`
	LastUsedAt *time.Time `json:"lastUsedAt" doc:"Precise to the minute; null if it was never used"`
	ExpiresAt  *time.Time `json:"expiresAt" doc:"null if it never expires"`
	RevokedAt  *time.Time `json:"revokedAt" doc:"null while the key is valid"`
}

func newAPIKey(k db.APIKey) APIKey {
	return APIKey{
		ID: k.ID, Kind: k.Kind, Name: k.Name, Hint: k.Hint, CreatedAt: k.CreatedAt.UTC(),
		LastUsedAt: utc(k.LastUsedAt), ExpiresAt: utc(k.ExpiresAt), RevokedAt: utc(k.RevokedAt),
	}
}

// NewAPIKey is a key with its secret, which is returned only once.
type NewAPIKey struct {
	APIKey

	Secret string `json:"secret" doc:"Send it as Authorization: Bearer. It is shown only once"`
}

func (k NewAPIKey) location() string { return "/api/api-keys/" + k.ID }

// manages is the owner of the keys that the caller may see and revoke.
func manages(ctx context.Context) db.KeyOwner {
	p := auth.From(ctx)
	owner := db.KeyOwner{UserID: p.UserID}
	if p.TeamKind == db.OrganizationTeam && p.Role == db.Admin {
		owner.OrganizationID = p.TeamID
	}
	return owner
}

func (a *API) listAPIKeys(ctx context.Context, in *Page) (List[APIKey], error) {
	after, err := in.idPlace("api-keys")
	if err != nil {
		return List[APIKey]{}, err
	}
	rows, err := a.DB.OwnedAPIKeys(ctx, manages(ctx), after, in.Limit+1)
	return pageByID(rows, in.Limit, "api-keys", func(k db.APIKey) string { return k.ID }, newAPIKey), err
}

func (a *API) createAPIKey(ctx context.Context, in *struct {
	Body struct {
		Name      string    `json:"name" minLength:"1" maxLength:"200" doc:"Name of the key, such as its purpose"`
		Kind      string    `json:"kind,omitempty" enum:"user,organization" default:"user"`
		ExpiresAt time.Time `json:"expiresAt,omitzero" doc:"By default the key is valid until it is revoked"`
	}
}) (NewAPIKey, error) {
	p := auth.From(ctx)
	key := db.APIKey{Kind: in.Body.Kind, TeamID: p.TeamID, Name: cleanTitle(in.Body.Name)}
	if key.Name == "" {
		return NewAPIKey{}, invalid("body.name", "has no printable characters")
	}
	if !in.Body.ExpiresAt.IsZero() {
		if !in.Body.ExpiresAt.After(time.Now()) {
			return NewAPIKey{}, invalid("body.expiresAt", "is in the past")
		}
		key.ExpiresAt = &in.Body.ExpiresAt
	}
	switch {
	case key.Kind == db.UserKey:
		key.UserID = &p.UserID
	case p.TeamKind != db.OrganizationTeam:
		return NewAPIKey{}, invalid("body.kind", "the current team is not an organization; switch to one with PUT /api/session")
	case p.Role != db.Admin:
		return NewAPIKey{}, errAdmins
	}
	secret := auth.NewKey(key.Kind)
	key.Hint = secret.Hint
	err := a.DB.InTx(ctx, func(tx *db.Tx) (err error) {
		if key.UserID != nil {
			if key.TeamID, err = tx.PersonalTeam(ctx, p.UserID); err != nil {
				return err
			}
		}
		if key, err = tx.CreateAPIKey(ctx, key, secret.Hash); err != nil {
			return err
		}
		return tx.Audit(ctx, ownedBy(ctx, key), "api_key.created", "api_key", key.ID, map[string]any{"kind": key.Kind})
	})
	unstored(ctx)
	return NewAPIKey{newAPIKey(key), secret.Text}, err
}

// ownedBy is the scope of a change to a key: that of the key's team, which for a user
// key is not always the current one.
func ownedBy(ctx context.Context, key db.APIKey) db.Scope {
	scope := auth.Scope(ctx)
	scope.TeamID = key.TeamID
	return scope
}

func (a *API) getAPIKey(ctx context.Context, in *IDRef) (APIKey, error) {
	row, err := a.DB.OwnedAPIKey(ctx, manages(ctx), in.ID)
	return newAPIKey(row), err
}

func (a *API) revokeAPIKey(ctx context.Context, in *IDRef) (Message, error) {
	err := a.DB.InTx(ctx, func(tx *db.Tx) error {
		key, err := tx.OwnedAPIKey(ctx, manages(ctx), in.ID)
		if err != nil {
			return err
		}
		if err := tx.RevokeAPIKey(ctx, key.ID); err != nil {
			return err
		}
		return tx.Audit(ctx, ownedBy(ctx, key), "api_key.revoked", "api_key", key.ID, nil)
	})
	a.auth.ForgetAll()
	return Message{"the key was revoked"}, err
}

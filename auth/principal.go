package auth

import (
	"context"
	"time"

	"github.com/clausemill/clausemill/db"
)

// Kind is the way in which a caller proved who it is.
type Kind int

// The ways. The zero Kind is nobody.
const (
	Nobody Kind = iota
	Session
	UserKey
	OrganizationKey
	Service
)

// Principal is the authenticated caller of a request.
type Principal struct {
	Kind     Kind
	UserID   string // empty for an organization's key and a service account
	KeyID    string // of the key or the service account; empty for a session
	Name     string // of a service account
	TeamID   string // the current team
	TeamKind string // db.PersonalTeam or db.OrganizationTeam
	Role     string // db.Admin, db.Member or db.Viewer; empty for keys
	Email    string // empty for keys

	// Scopes are what a service account may do, within its role.
	Scopes []string

	// Hidden are the matters of the team that the caller does not see: see
	// db.Scope.
	Hidden []string

	expires time.Time // zero for never
}

// ByKey reports whether the caller sent an API key.
func (p Principal) ByKey() bool { return p.Kind == UserKey || p.Kind == OrganizationKey }

// RateLimited reports whether the caller is a program, whose requests are counted.
func (p Principal) RateLimited() bool { return p.ByKey() || p.Kind == Service }

// Scope is whose rows the principal may see. A user's key acts as the user; an
// organization's key answers for itself.
func (p Principal) Scope() db.Scope {
	switch p.Kind {
	case Session, UserKey:
		return db.Scope{TeamID: p.TeamID, ActorKind: "user", ActorID: p.UserID, Admin: p.Role == db.Admin, Hidden: p.Hidden}
	case OrganizationKey:
		return db.Scope{TeamID: p.TeamID, ActorKind: "key", ActorID: p.KeyID, Hidden: p.Hidden}
	case Service:
		return db.Scope{TeamID: p.TeamID, ActorKind: "service", ActorID: p.KeyID, Admin: p.Role == db.Admin, Hidden: p.Hidden}
	case Nobody:
		return db.Scope{}
	}
	return db.Scope{}
}

// RateSubject is what requests by key are counted against: all keys of a user
// together, all keys of an organization together, each service account by itself.
func (p Principal) RateSubject() string {
	if p.Kind == Service {
		return "service:" + p.KeyID
	}
	if p.Kind == UserKey {
		return "user:" + p.UserID
	}
	return "team:" + p.TeamID
}

type contextKey struct{}

// With returns ctx with p as its principal; p may be filled in later, before it is
// first read.
func With(ctx context.Context, p *Principal) context.Context {
	return context.WithValue(ctx, contextKey{}, p)
}

// From returns the principal of ctx; Nobody if With was not called.
func From(ctx context.Context) Principal {
	if p, ok := ctx.Value(contextKey{}).(*Principal); ok {
		return *p
	}
	return Principal{}
}

// Scope is the scope of the principal of ctx. The scope of Nobody sees no rows.
func Scope(ctx context.Context) db.Scope { return From(ctx).Scope() }

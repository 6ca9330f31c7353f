package auth

import (
	"context"
	"encoding/hex"
	"maps"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
)

// The cache bounds how long a change of role or membership goes unseen, and how
// much memory keys and sessions take.
const (
	cacheTTL  = 10 * time.Second
	cacheSize = 10_000
)

// Authenticator knows callers by their secrets. It remembers them for a few
// seconds, so that a busy caller costs no query; but only while revocations
// reach it, so that a revoked secret is refused at once.
type Authenticator struct {
	db *db.DB

	mu        sync.RWMutex
	listening bool
	changes   uint64 // revocations seen; an answer read before one is not kept
	known     map[string]entry
}

type entry struct {
	principal Principal
	until     time.Time
}

// New authenticates against d. It keeps nothing in memory until Resume is
// called.
func New(d *db.DB) *Authenticator {
	return &Authenticator{db: d, known: map[string]entry{}}
}

// Resume begins to remember: revocations arrive from now on.
func (a *Authenticator) Resume() { a.reset(true) }

// Pause forgets everything and remembers nothing more: revocations no longer
// arrive.
func (a *Authenticator) Pause() { a.reset(false) }

func (a *Authenticator) reset(listening bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.listening = listening
	a.changes++
	clear(a.known)
}

// Revoked drops cached entries named on db.RevokedChannel: the secret with a hash, in
// hex, or for the id of a team what those in it may do.
func (a *Authenticator) Revoked(what string) {
	if uuid.Validate(what) == nil {
		a.ForgetTeam(what)
	} else if hash, err := hex.DecodeString(what); err == nil {
		a.Forget(hash)
	}
}

// Forget drops the cached secret with that hash at once, for the process that has
// just revoked it: it need not wait for the notification.
func (a *Authenticator) Forget(hash []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.changes++
	delete(a.known, string(hash))
}

// ForgetTeam is Forget for who has just changed what those in a team may do.
// Whoever is in it at the moment is known by it; who is in another one is not
// touched.
func (a *Authenticator) ForgetTeam(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.changes++
	maps.DeleteFunc(a.known, func(_ string, e entry) bool { return e.principal.TeamID == id })
}

// ForgetAll is Forget for who has just changed what others may do, and does not
// know their secrets.
func (a *Authenticator) ForgetAll() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.changes++
	clear(a.known)
}

// Key is the owner of an API key. An unknown, expired or revoked one is
// Anonymous.
func (a *Authenticator) Key(ctx context.Context, text string) (Principal, error) {
	if !wellFormed(text, userPrefix, organizationPrefix) {
		return Principal{}, errKey
	}
	p, err := a.remember(hashOf(text), func(hash []byte) (Principal, error) {
		key, err := a.db.APIKeyByHash(ctx, hash)
		if err != nil {
			return Principal{}, err
		}
		return ofKey(key), a.db.TouchAPIKey(ctx, key.ID)
	})
	if fault.KindOf(err) == fault.NotFound {
		return Principal{}, errKey
	}
	return p, err
}

func ofKey(key db.LiveKey) Principal {
	p := Principal{Kind: OrganizationKey, KeyID: key.ID, TeamID: key.TeamID, TeamKind: db.OrganizationTeam, Hidden: key.Hidden}
	if key.UserID != nil {
		p.Kind, p.UserID, p.TeamKind = UserKey, *key.UserID, db.PersonalTeam
	}
	if key.ExpiresAt != nil {
		p.expires = *key.ExpiresAt
	}
	return p
}

// Service is the service account of a token. An unknown or expired one, and one of
// an account that was revoked, is Anonymous.
func (a *Authenticator) Service(ctx context.Context, text string) (Principal, error) {
	if !wellFormed(text, tokenPrefix) {
		return Principal{}, errToken
	}
	p, err := a.remember(hashOf(text), func(hash []byte) (Principal, error) {
		s, err := a.db.ServiceSessionByHash(ctx, hash)
		if err != nil {
			return Principal{}, err
		}
		return Principal{
			Kind: Service, KeyID: s.ID, Name: s.Name, TeamID: s.TeamID, TeamKind: s.TeamKind, Role: s.Role, Scopes: s.Scopes, Hidden: s.Hidden,
			expires: s.ExpiresAt,
		}, a.db.TouchServiceAccount(ctx, s.ID)
	})
	if fault.KindOf(err) == fault.NotFound {
		return Principal{}, errToken
	}
	return p, err
}

// Session is the user of a session token. An unknown or ended one is Anonymous.
func (a *Authenticator) Session(ctx context.Context, token string) (Principal, error) {
	p, err := a.remember(HashToken(token), func(hash []byte) (Principal, error) {
		s, err := a.db.SessionByHash(ctx, hash)
		return Principal{
			Kind: Session, UserID: s.UserID, Email: s.Email, TeamID: s.TeamID, TeamKind: s.TeamKind, Role: s.Role, Hidden: s.Hidden,
			expires: s.ExpiresAt,
		}, err
	})
	if fault.KindOf(err) == fault.NotFound {
		return Principal{}, errSession
	}
	return p, err
}

var (
	errKey     = fault.New(fault.Anonymous, "the API key is not valid")
	errToken   = fault.New(fault.Anonymous, "the access token is not valid, or its hour is over")
	errSession = fault.New(fault.Anonymous, "sign in or send an API key")
)

// remember answers from memory, or asks and keeps the answer.
func (a *Authenticator) remember(hash []byte, ask func(hash []byte) (Principal, error)) (Principal, error) {
	now := time.Now()
	a.mu.RLock()
	found, ok := a.known[string(hash)]
	changes := a.changes
	a.mu.RUnlock()
	if ok && now.Before(found.until) {
		return found.principal, nil
	}

	p, err := ask(hash)
	if err != nil {
		return Principal{}, err
	}
	until := now.Add(cacheTTL)
	if !p.expires.IsZero() && p.expires.Before(until) {
		until = p.expires
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.listening && a.changes == changes {
		if len(a.known) >= cacheSize {
			clear(a.known) // simpler than an order of use, and the next second fills it again
		}
		a.known[string(hash)] = entry{p, until}
	}
	return p, nil
}

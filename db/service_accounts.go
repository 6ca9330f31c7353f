package db

import (
	"context"
	"slices"
	"time"

	"github.com/clausemill/clausemill/fault"
)

// MaxServiceAccounts is how many service accounts that are not revoked a team may
// have.
const MaxServiceAccounts = 100

// ServiceAccount is a program that works by itself, without its secret.
type ServiceAccount struct {
	ID          string     `db:"id"`
	Name        string     `db:"name"`
	Description string     `db:"description"`
	Role        string     `db:"role"` // Admin, Member or Viewer
	Scopes      []string   `db:"scopes"`
	MatterIDs   []string   `db:"matter_ids"` // restricted matters that it sees, of those that the caller sees
	Hint        string     `db:"hint"`
	Version     int        `db:"version"`
	CreatedBy   *string    `db:"created_by"`
	CreatedAt   time.Time  `db:"created_at"`
	UpdatedAt   time.Time  `db:"updated_at"`
	LastUsedAt  *time.Time `db:"last_used_at"` // to the minute
	RevokedAt   *time.Time `db:"revoked_at"`

	PreviousSecretUntil *time.Time `db:"previous_secret_until"` // that one is good too; nil where there is none
}

// listedMatters selects the matters of an account that a caller is shown. Those that
// they do not see stay with it, and so do those in the trash, which may come back.
const listedMatters = `SELECT r.id FROM matters r WHERE r.team_id = @team AND r.access = 'restricted'
	AND r.id = ANY(matter_ids) AND r.id <> ALL(coalesce(@hidden::uuid[], '{}'))`

// serviceAccountColumns need @team and @hidden.
const serviceAccountColumns = `id, name, description, role, scopes, ARRAY(SELECT id::text FROM (` + listedMatters + `) l ORDER BY id) AS matter_ids,
	hint, CASE WHEN previous_secret_until > now() THEN previous_secret_until END AS previous_secret_until,
	version, created_by, created_at, updated_at, last_used_at, revoked_at`

// ServiceAccountChange is what is said of a service account; a nil field stays as it is.
type ServiceAccountChange struct {
	Name        *string
	Description *string
	Role        *string
	Scopes      *[]string
	MatterIDs   *[]string
	IfVersion   int // 0 for any; otherwise another version is Conflict
}

// CreateServiceAccount adds a service account with the hash of its secret. It is
// Conflict where the team has as many as it may.
func (t *Tx) CreateServiceAccount(ctx context.Context, in Scope, c ServiceAccountChange, hash []byte, hint string) (ServiceAccount, error) {
	if _, err := exec(ctx, t.Queries, `SELECT pg_advisory_xact_lock(hashtextextended('service accounts:' || @team, 0))`, args{"team": in.TeamID}); err != nil {
		return ServiceAccount{}, err
	}
	n, err := value[int](ctx, t.Queries, `SELECT count(*) FROM service_accounts WHERE team_id = @team AND revoked_at IS NULL`, args{"team": in.TeamID})
	if err != nil {
		return ServiceAccount{}, err
	}
	if n >= MaxServiceAccounts {
		return ServiceAccount{}, fault.Newf(fault.Conflict, "a team may have %d service accounts; revoke one first", MaxServiceAccounts)
	}
	if err := t.needRestricted(ctx, in, c.MatterIDs); err != nil {
		return ServiceAccount{}, err
	}
	row, err := one[ServiceAccount](ctx, t.Queries, `
		INSERT INTO service_accounts (id, team_id, name, description, role, scopes, matter_ids, hash, hint, created_by)
		VALUES (@id, @team, @name, coalesce(@description, ''), @role, @scopes, coalesce(@matters::uuid[], '{}'), @hash, @hint, @user)
		RETURNING `+serviceAccountColumns, in.args(args{
		"id": NewID(), "name": c.Name, "description": c.Description, "role": c.Role, "scopes": c.Scopes, "matters": c.MatterIDs,
		"hash": hash, "hint": hint, "user": nullable(in.UserID()),
	}))
	if err != nil {
		return ServiceAccount{}, err
	}
	return row, t.Audit(ctx, in, "service_account.created", "service_account", row.ID, accountData(row))
}

// accountData is what the audit says of a service account. Which restricted matters
// it sees is not for all who read the audit.
func accountData(a ServiceAccount) map[string]any {
	return map[string]any{"role": a.Role, "scopes": a.Scopes}
}

// needRestricted is Invalid unless all of ids are restricted matters that in sees.
// So nobody makes a program see more than they do. They are held: one that is opened
// meanwhile is taken off.
func (t *Tx) needRestricted(ctx context.Context, in Scope, ids *[]string) error {
	if ids == nil {
		return nil
	}
	distinct := slices.Compact(slices.Sorted(slices.Values(*ids)))
	n, err := value[int](ctx, t.Queries, `
		SELECT count(*) FROM (
			SELECT FROM matters WHERE team_id = @team AND access = 'restricted' AND id = ANY(@ids::uuid[])`+in.seesMatter("id")+` ORDER BY id FOR SHARE) m`,
		in.args(args{"ids": append([]string{}, distinct...)}))
	if err == nil && n < len(distinct) {
		return fault.New(fault.Invalid, "matterIds names what is no restricted matter, or none that you see")
	}
	return err
}

// UpdateServiceAccount applies c at once, to tokens that are out as well. Matters
// that in is not shown stay. A revoked account is Conflict.
func (t *Tx) UpdateServiceAccount(ctx context.Context, in Scope, id string, c ServiceAccountChange) (ServiceAccount, error) {
	before, err := t.liveServiceAccount(ctx, in, id)
	if err != nil {
		return ServiceAccount{}, err
	}
	if c.IfVersion != 0 && c.IfVersion != before.Version {
		return ServiceAccount{}, errStale
	}
	if err := t.needRestricted(ctx, in, c.MatterIDs); err != nil {
		return ServiceAccount{}, err
	}
	after, err := one[ServiceAccount](ctx, t.Queries, `
		UPDATE service_accounts SET
			name = coalesce(@name, name), description = coalesce(@description, description), role = coalesce(@role, role),
			scopes = coalesce(@scopes::text[], scopes),
			matter_ids = coalesce(@matters::uuid[] || ARRAY(SELECT m FROM unnest(matter_ids) m WHERE m NOT IN (`+listedMatters+`)), matter_ids),
			version = version + 1, updated_at = now()
		WHERE id = @id AND team_id = @team
		RETURNING `+serviceAccountColumns, in.args(args{
		"id": id, "name": c.Name, "description": c.Description, "role": c.Role, "scopes": c.Scopes, "matters": c.MatterIDs,
	}))
	if err != nil {
		return ServiceAccount{}, err
	}
	if err := t.Audit(ctx, in, "service_account.updated", "service_account", id, accountData(after)); err != nil {
		return ServiceAccount{}, err
	}
	return after, t.refreshTeam(ctx, in.TeamID)
}

// liveServiceAccount holds an account for a change; Conflict where it was revoked.
func (t *Tx) liveServiceAccount(ctx context.Context, in Scope, id string) (ServiceAccount, error) {
	row, err := one[ServiceAccount](ctx, t.Queries, `
		SELECT `+serviceAccountColumns+` FROM service_accounts WHERE id = @id AND team_id = @team FOR NO KEY UPDATE`, in.args(args{"id": id}))
	if err == nil && row.RevokedAt != nil {
		return row, fault.New(fault.Conflict, "the service account was revoked")
	}
	return row, err
}

// ReplaceServiceSecret gives an account another secret. The one before is good for
// overlap as well, as overlapping says; without an overlap it ends at once, and all
// tokens with it. It is
// Forbidden where the account sees matters that in does not: whoever has the secret
// sees them.
func (t *Tx) ReplaceServiceSecret(ctx context.Context, in Scope, id string, hash []byte, hint string, overlap time.Duration) (ServiceAccount, error) {
	more, err := value[bool](ctx, t.Queries, `
		SELECT matter_ids && coalesce(@hidden::uuid[], '{}') FROM service_accounts WHERE id = @id AND team_id = @team FOR NO KEY UPDATE`, in.args(args{"id": id}))
	if err != nil {
		return ServiceAccount{}, err
	}
	if more {
		return ServiceAccount{}, fault.New(fault.Forbidden, "the service account sees restricted matters that you do not see; somebody who sees them may replace its secret, and you may revoke it")
	}
	return t.changeLive(ctx, in, id, "service_account.secret_replaced", overlap == 0, overlapping("hash", "previous_hash")+`,
		hash = @hash, hint = @hint`, args{"hash": hash, "hint": hint, "overlap": overlap})
}

// RevokeServiceAccount ends an account for good, with all of its tokens. It stays in
// the list.
func (t *Tx) RevokeServiceAccount(ctx context.Context, in Scope, id string) (ServiceAccount, error) {
	return t.changeLive(ctx, in, id, "service_account.revoked", true, `revoked_at = now()`, args{})
}

// changeLive changes an account that was not revoked, and may end its tokens.
func (t *Tx) changeLive(ctx context.Context, in Scope, id, action string, endTokens bool, assignments string, a args) (ServiceAccount, error) {
	if _, err := t.liveServiceAccount(ctx, in, id); err != nil {
		return ServiceAccount{}, err
	}
	a["id"] = id
	row, err := one[ServiceAccount](ctx, t.Queries, `
		UPDATE service_accounts SET `+assignments+`, version = version + 1, updated_at = now() WHERE id = @id AND team_id = @team
		RETURNING `+serviceAccountColumns, in.args(a))
	if err != nil {
		return ServiceAccount{}, err
	}
	if endTokens {
		if _, err := exec(ctx, t.Queries, `DELETE FROM service_tokens WHERE account_id = @id`, args{"id": id}); err != nil {
			return ServiceAccount{}, err
		}
	}
	if err := t.Audit(ctx, in, action, "service_account", id, nil); err != nil {
		return ServiceAccount{}, err
	}
	return row, t.refreshTeam(ctx, in.TeamID)
}

// takeOffPrograms takes a matter off the service accounts that list it. Were it
// restricted again, they would see it though nobody said so.
func (t *Tx) takeOffPrograms(ctx context.Context, in Scope, matterID string) error {
	_, err := exec(ctx, t.Queries, `
		UPDATE service_accounts SET matter_ids = array_remove(matter_ids, @id::uuid), version = version + 1, updated_at = now()
		WHERE team_id = @team AND @id::uuid = ANY(matter_ids)`, args{"team": in.TeamID, "id": matterID})
	return err
}

// ServiceAccount is one service account.
func (q Queries) ServiceAccount(ctx context.Context, in Scope, id string) (ServiceAccount, error) {
	return one[ServiceAccount](ctx, q, `SELECT `+serviceAccountColumns+` FROM service_accounts WHERE id = @id AND team_id = @team`, in.args(args{"id": id}))
}

// ServiceAccounts lists a team's service accounts, newest first, revoked ones
// included, starting after the id `after` (exclusive; "" starts at the top).
func (q Queries) ServiceAccounts(ctx context.Context, in Scope, after string, limit int) ([]ServiceAccount, error) {
	return many[ServiceAccount](ctx, q, `
		SELECT `+serviceAccountColumns+` FROM service_accounts WHERE team_id = @team AND (@after::uuid IS NULL OR id < @after)
		ORDER BY id DESC LIMIT @limit`, in.args(args{"after": nullable(after), "limit": limit}))
}

// proven is the condition of an account that was not revoked, by its id and the hash
// of a secret that is good. It is of any team: the secret says whose.
const proven = `id = @id AND revoked_at IS NULL AND (hash = @secret OR previous_hash = @secret AND previous_secret_until > now())`

// ProvenScopes are the scopes of the account whose id and secret a program sent.
// NotFound where there is none, or it has another secret.
func (q Queries) ProvenScopes(ctx context.Context, id string, secretHash []byte) ([]string, error) {
	return value[[]string](ctx, q, `SELECT scopes FROM service_accounts WHERE `+proven, args{"id": id, "secret": secretHash})
}

// CreateServiceToken stores a token by its hash for who proves to be an account, as
// for ProvenScopes.
func (q Queries) CreateServiceToken(ctx context.Context, id string, secretHash, hash []byte, scopes []string, lifetime time.Duration) error {
	return change(ctx, q, `
		WITH account AS (SELECT id FROM service_accounts WHERE `+proven+` FOR NO KEY UPDATE)
		INSERT INTO service_tokens (hash, account_id, scopes, expires_at) SELECT @hash, id, @scopes, now() + @lifetime::interval FROM account`,
		args{"id": id, "secret": secretHash, "hash": hash, "scopes": scopes, "lifetime": lifetime})
}

// ServiceSession is what a token opens.
type ServiceSession struct {
	ID        string    `db:"id"` // of the account
	Name      string    `db:"name"`
	TeamID    string    `db:"team_id"`
	TeamKind  string    `db:"team_kind"`
	Role      string    `db:"role"`
	Scopes    []string  `db:"scopes"`
	Hidden    []string  `db:"hidden"` // see Scope
	ExpiresAt time.Time `db:"expires_at"`
}

// ServiceSessionByHash is the live session of the token with that hash, with the
// scopes that both the token and the account have.
func (q Queries) ServiceSessionByHash(ctx context.Context, hash []byte) (ServiceSession, error) {
	return one[ServiceSession](ctx, q, `
		SELECT a.id, a.name, a.team_id, t.kind AS team_kind, a.role, s.expires_at,
			ARRAY(SELECT unnest(s.scopes) INTERSECT SELECT unnest(a.scopes)) AS scopes,
			ARRAY(`+restrictedMatters("a.team_id", "%s <> ALL(a.matter_ids)")+`) AS hidden
		FROM service_tokens s
		JOIN service_accounts a ON a.id = s.account_id AND a.revoked_at IS NULL
		JOIN teams t ON t.id = a.team_id
		WHERE s.hash = @hash AND s.expires_at > now()`, args{"hash": hash})
}

// TouchServiceAccount notes that an account was used, at most once a minute. It waits
// for nobody: who holds the row notes it, or changes it.
func (q Queries) TouchServiceAccount(ctx context.Context, id string) error {
	_, err := exec(ctx, q, `
		UPDATE service_accounts SET last_used_at = now() WHERE id IN (
			SELECT id FROM service_accounts WHERE id = @id AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')
			FOR NO KEY UPDATE SKIP LOCKED)`, args{"id": id})
	return err
}

package db

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/trace"
)

// MaxWebhooks is how many webhooks a team may have: each makes every event
// dearer.
const MaxWebhooks = 20

// PingEvent is what a webhook is sent to try it out. It is no event of the team.
const PingEvent = "ping"

// Webhook is an address that a team's events are sent to.
type Webhook struct {
	ID          string     `db:"id"`
	URL         string     `db:"url"`
	Kinds       []string   `db:"kinds"` // none for all
	Description string     `db:"description"`
	Active      bool       `db:"active"`
	Failures    int        `db:"failures"`  // since the last success
	ResumeAt    *time.Time `db:"resume_at"` // nothing is sent before
	Version     int        `db:"version"`
	CreatedBy   *string    `db:"created_by"`
	CreatedAt   time.Time  `db:"created_at"`
	UpdatedAt   time.Time  `db:"updated_at"`

	PreviousSecretUntil *time.Time `db:"previous_secret_until"` // requests are signed with that one too; nil where there is none
}

const webhookColumns = `id, url, kinds, description, active, failures, resume_at, version,
	CASE WHEN previous_secret_until > now() THEN previous_secret_until END AS previous_secret_until, created_by, created_at, updated_at`

// webhookPayload is what is sent of an event e.
const webhookPayload = `jsonb_build_object('type', e.kind,
	'timestamp', to_char(e.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), 'data', e.data)::text`

// WebhookChange is what is said of a webhook; a nil field stays as it is.
type WebhookChange struct {
	URL         *string
	Kinds       *[]string
	Description *string
	Active      *bool
	Secret      *string
	Overlap     time.Duration // with Secret: how long the one before is good as well
	IfVersion   int           // 0 for any; otherwise another version is Conflict
}

// CreateWebhook adds a webhook. It is Conflict where the team has as many as it
// may.
func (t *Tx) CreateWebhook(ctx context.Context, in Scope, c WebhookChange) (Webhook, error) {
	if _, err := exec(ctx, t.Queries, `SELECT pg_advisory_xact_lock(hashtextextended('webhooks:' || @team, 0))`, args{"team": in.TeamID}); err != nil {
		return Webhook{}, err
	}
	n, err := value[int](ctx, t.Queries, `SELECT count(*) FROM webhooks WHERE team_id = @team`, args{"team": in.TeamID})
	if err != nil {
		return Webhook{}, err
	}
	if n >= MaxWebhooks {
		return Webhook{}, fault.Newf(fault.Conflict, "a team may have %d webhooks; delete one first", MaxWebhooks)
	}
	hook, err := one[Webhook](ctx, t.Queries, `
		INSERT INTO webhooks (id, team_id, url, kinds, description, active, secret, created_by)
		VALUES (@id, @team, @url, coalesce(@kinds::text[], '{}'), coalesce(@description, ''), coalesce(@active, true), @secret, @user)
		RETURNING `+webhookColumns, args{
		"id": NewID(), "team": in.TeamID, "url": c.URL, "kinds": c.Kinds, "description": c.Description, "active": c.Active,
		"secret": c.Secret, "user": nullable(in.UserID()),
	})
	if err != nil {
		return Webhook{}, err
	}
	return hook, t.Audit(ctx, in, "webhook.created", "webhook", hook.ID, nil)
}

// UpdateWebhook applies c. What failed before is forgotten: the change may have
// mended it.
func (t *Tx) UpdateWebhook(ctx context.Context, in Scope, id string, c WebhookChange) (Webhook, error) {
	before, err := one[Webhook](ctx, t.Queries, `SELECT `+webhookColumns+` FROM webhooks WHERE id = @id AND team_id = @team FOR NO KEY UPDATE`,
		args{"id": id, "team": in.TeamID})
	if err != nil {
		return Webhook{}, err
	}
	if c.IfVersion != 0 && c.IfVersion != before.Version {
		return Webhook{}, errStale
	}
	secrets := ""
	if c.Secret != nil {
		secrets = overlapping("secret", "previous_secret") + `, secret = @secret, `
	}
	after, err := one[Webhook](ctx, t.Queries, `
		UPDATE webhooks SET
			url = coalesce(@url, url), kinds = coalesce(@kinds::text[], kinds), description = coalesce(@description, description),
			active = coalesce(@active, active), `+secrets+`failures = 0, resume_at = NULL, version = version + 1, updated_at = now()
		WHERE id = @id AND team_id = @team
		RETURNING `+webhookColumns, args{
		"id": id, "team": in.TeamID, "url": c.URL, "kinds": c.Kinds, "description": c.Description, "active": c.Active, "secret": c.Secret, "overlap": c.Overlap,
	})
	if err != nil {
		return Webhook{}, err
	}
	return after, t.Audit(ctx, in, "webhook.updated", "webhook", id, map[string]any{
		"moved": before.URL != after.URL, "active": after.Active, "kinds": after.Kinds, "secret": c.Secret != nil,
	})
}

// overlapping assigns what is good beside a new secret for @overlap: the secret that
// a column has, or the previous one while that is good still. Who replaces a secret
// twice may have lost the first answer, and programs have neither of the later two.
// None is good for longer than was said when it was replaced.
func overlapping(secret, previous string) string {
	return strings.NewReplacer("SECRET", secret, "PREVIOUS", previous).Replace(`
		PREVIOUS = CASE WHEN @overlap::interval = interval '0' THEN NULL WHEN previous_secret_until > now() THEN PREVIOUS ELSE SECRET END,
		previous_secret_until = CASE WHEN @overlap::interval = interval '0' THEN NULL
			WHEN previous_secret_until > now() THEN least(previous_secret_until, now() + @overlap::interval) ELSE now() + @overlap::interval END`)
}

// DeleteWebhook removes a webhook with its log. What waits for it is not sent.
func (t *Tx) DeleteWebhook(ctx context.Context, in Scope, id string) error {
	if err := change(ctx, t.Queries, `DELETE FROM webhooks WHERE id = @id AND team_id = @team`, args{"id": id, "team": in.TeamID}); err != nil {
		return err
	}
	return t.Audit(ctx, in, "webhook.deleted", "webhook", id, nil)
}

// Webhook is one webhook.
func (q Queries) Webhook(ctx context.Context, in Scope, id string) (Webhook, error) {
	return one[Webhook](ctx, q, `SELECT `+webhookColumns+` FROM webhooks WHERE id = @id AND team_id = @team`,
		args{"id": id, "team": in.TeamID})
}

// Webhooks lists a team's webhooks, newest first, starting after the id `after`
// (exclusive; "" starts at the top).
func (q Queries) Webhooks(ctx context.Context, in Scope, after string, limit int) ([]Webhook, error) {
	return many[Webhook](ctx, q, `
		SELECT `+webhookColumns+` FROM webhooks WHERE team_id = @team AND (@after::uuid IS NULL OR id < @after)
		ORDER BY id DESC LIMIT @limit`, args{"team": in.TeamID, "after": nullable(after), "limit": limit})
}

// DeliveryState is what became of a delivery.
type DeliveryState string

// The states. Failed is the end of a round in which no attempt succeeded.
const (
	DeliveryPending   DeliveryState = "pending"
	DeliveryDelivered DeliveryState = "delivered"
	DeliveryFailed    DeliveryState = "failed"
)

// DeliveryStates lists the states.
func DeliveryStates() []DeliveryState {
	return []DeliveryState{DeliveryPending, DeliveryDelivered, DeliveryFailed}
}

// Delivery is one event on its way to one webhook.
type Delivery struct {
	ID          string        `db:"id"`
	WebhookID   string        `db:"webhook_id"`
	Kind        string        `db:"kind"`
	Payload     string        `db:"payload"`
	State       DeliveryState `db:"state"`
	Round       int           `db:"round"`    // 1, and one more with each replay
	Attempts    int           `db:"attempts"` // in this round
	StatusCode  *int          `db:"status_code"`
	Error       *string       `db:"error"`
	AttemptedAt *time.Time    `db:"attempted_at"`
	NextAt      *time.Time    `db:"next_at"`
	CreatedAt   time.Time     `db:"created_at"`
}

const deliveryColumns = `id, webhook_id, kind, payload, state, round, attempts, status_code, error, attempted_at, next_at, created_at`

// DeliveryFilter narrows the log of a webhook.
type DeliveryFilter struct {
	States []string
	Kinds  []string
}

// Deliveries lists what was sent to a webhook and what waits for it, newest
// first, starting after the id `after` (exclusive; "" starts at the top).
func (q Queries) Deliveries(ctx context.Context, in Scope, webhookID string, filter DeliveryFilter, after string, limit int) ([]Delivery, error) {
	a := in.args(args{"webhook": webhookID, "limit": limit})
	w := startClauses("webhook_id = @webhook AND team_id = @team"+in.seesDelivery("payload"), a)
	w.when(filter.States != nil, "state = ANY(@states)", "states", filter.States)
	w.when(filter.Kinds != nil, "kind = ANY(@kinds)", "kinds", filter.Kinds)
	w.when(after != "", "id < @after", "after", nullable(after))
	return many[Delivery](ctx, q, `SELECT `+deliveryColumns+` FROM webhook_deliveries WHERE `+w.String()+` ORDER BY id DESC LIMIT @limit`, a)
}

// Ping has a webhook sent an event that means nothing.
func (t *Tx) Ping(ctx context.Context, in Scope, webhookID string) (Delivery, error) {
	d, err := one[Delivery](ctx, t.Queries, `
		INSERT INTO webhook_deliveries (id, webhook_id, team_id, kind, asked, payload)
		SELECT new_id(), w.id, w.team_id, e.kind, @asked, `+webhookPayload+`
		FROM webhooks w, (SELECT @kind AS kind, now() AS created_at, '{}'::jsonb AS data) e
		WHERE w.id = @webhook AND w.team_id = @team
		RETURNING `+deliveryColumns, args{"webhook": webhookID, "team": in.TeamID, "kind": PingEvent, "asked": t.asksAtOnce(ctx)})
	if err != nil {
		return Delivery{}, err
	}
	if err := t.deliver(ctx, DeliveryRef{ID: d.ID, TeamID: in.TeamID, Round: d.Round}); err != nil {
		return Delivery{}, err
	}
	return d, t.Audit(ctx, in, "webhook.pinged", "webhook", webhookID, nil)
}

// Replay has a delivery made again, from its first attempt. It is Conflict while
// it is still on its way.
func (t *Tx) Replay(ctx context.Context, in Scope, webhookID, id string) (Delivery, error) {
	d, err := one[Delivery](ctx, t.Queries, `
		SELECT `+deliveryColumns+` FROM webhook_deliveries WHERE id = @id AND webhook_id = @webhook AND team_id = @team`+in.seesDelivery("payload")+` FOR NO KEY UPDATE`,
		in.args(args{"id": id, "webhook": webhookID}))
	if err != nil {
		return Delivery{}, err
	}
	if d.State == DeliveryPending {
		return Delivery{}, fault.New(fault.Conflict, "the delivery is still on its way")
	}
	d, err = one[Delivery](ctx, t.Queries, `
		UPDATE webhook_deliveries SET state = 'pending', round = round + 1, asked = @asked, attempts = 0, next_at = NULL
		WHERE id = @id AND team_id = @team RETURNING `+deliveryColumns, args{"id": id, "team": in.TeamID, "asked": t.asksAtOnce(ctx)})
	if err != nil {
		return Delivery{}, err
	}
	if err := t.deliver(ctx, DeliveryRef{ID: d.ID, TeamID: in.TeamID, Round: d.Round}); err != nil {
		return Delivery{}, err
	}
	return d, t.Audit(ctx, in, "webhook.replayed", "webhook", webhookID, map[string]any{"deliveryId": id})
}

// DeliveryRef names a round of a delivery.
type DeliveryRef struct {
	ID     string `db:"id"`
	TeamID string `db:"team_id"`
	Round  int    `db:"round"`
}

// Deliver asks for jobs that make deliveries, in the transaction that brings them.
type Deliver func(ctx context.Context, tx pgx.Tx, refs []DeliveryRef) error

// DeliverInTraces has the deliveries of a transaction that is part of a trace asked for
// at once, while their trace is known. All others, and those of processes without it,
// are found by AskDeliveries a moment later. It is called before anything else.
func (d *DB) DeliverInTraces(ask Deliver) { d.deliver = ask }

// asksAtOnce tells whether the transaction asks for its deliveries itself. These are written
// as asked for: AskDeliveries would lock them and then wait for their jobs, which lock them the
// other way round.
func (t *Tx) asksAtOnce(ctx context.Context) bool { return t.asks != nil && trace.On(ctx) }

// deliver asks for what was just brought, if ctx is part of a trace.
func (t *Tx) deliver(ctx context.Context, refs ...DeliveryRef) error {
	if len(refs) == 0 || !t.asksAtOnce(ctx) {
		return nil
	}
	return t.asks(ctx, t.Raw, refs)
}

// AskDeliveries takes deliveries that no job was asked for, at most limit, the
// oldest first, for the caller to ask for jobs in the same transaction. What
// another caller is taking is left to them.
func (t *Tx) AskDeliveries(ctx context.Context, limit int) ([]DeliveryRef, error) {
	refs, err := many[DeliveryRef](ctx, t.Queries, `
		UPDATE webhook_deliveries SET asked = true WHERE id IN (
			SELECT id FROM webhook_deliveries WHERE state = 'pending' AND NOT asked ORDER BY id LIMIT @limit FOR UPDATE SKIP LOCKED
		) RETURNING id, team_id, round`, args{"limit": limit})
	slices.SortFunc(refs, func(a, b DeliveryRef) int { return strings.Compare(a.ID, b.ID) })
	return refs, err
}

// DueDelivery is what it takes to make a delivery.
type DueDelivery struct {
	Delivery
	URL      string     `db:"url"`
	Secret   string     `db:"secret"`
	Previous *string    `db:"previous_secret"` // while it is good as well
	Failures int        `db:"failures"`        // of the webhook
	ResumeAt *time.Time `db:"resume_at"`       // of the webhook
}

// DueDelivery is NotFound where that round of a delivery is over, or the webhook
// is gone or switched off.
func (q Queries) DueDelivery(ctx context.Context, ref DeliveryRef) (DueDelivery, error) {
	return one[DueDelivery](ctx, q, `
		SELECT d.*, w.url, w.secret, CASE WHEN w.previous_secret_until > now() THEN w.previous_secret END AS previous_secret, w.failures, w.resume_at
		FROM (SELECT `+deliveryColumns+` FROM webhook_deliveries WHERE id = @id AND team_id = @team AND round = @round AND state = 'pending') d
		JOIN webhooks w ON w.id = d.webhook_id AND w.active`, args{"id": ref.ID, "team": ref.TeamID, "round": ref.Round})
}

// DeliveryAttempt is how an attempt ended.
type DeliveryAttempt struct {
	State      DeliveryState // pending where there will be another
	StatusCode *int          // nil where no answer came
	Error      string        // "" for a success
	NextAt     *time.Time    // with pending
}

// SaveDelivery records an attempt. After a failure the webhook as a whole rests
// until the next attempt, so that one that never answers costs little.
func (t *Tx) SaveDelivery(ctx context.Context, ref DeliveryRef, a DeliveryAttempt) error {
	webhook, err := value[string](ctx, t.Queries, `
		UPDATE webhook_deliveries SET state = @state, attempts = attempts + 1, status_code = @status, error = nullif(@error, ''),
			attempted_at = now(), next_at = @next
		WHERE id = @id AND team_id = @team AND round = @round AND state = 'pending'
		RETURNING webhook_id::text`, args{
		"id": ref.ID, "team": ref.TeamID, "round": ref.Round, "state": string(a.State), "status": a.StatusCode, "error": a.Error, "next": a.NextAt,
	})
	if err != nil {
		return err
	}
	_, err = exec(ctx, t.Queries, `
		UPDATE webhooks SET failures = CASE WHEN @well THEN 0 ELSE failures + 1 END, resume_at = CASE WHEN NOT @well THEN @next::timestamptz END
		WHERE id = @webhook AND (NOT @well OR failures > 0)`,
		args{"webhook": webhook, "well": a.State == DeliveryDelivered, "next": a.NextAt})
	return err
}

// DropDelivery ends a delivery that nobody wants any more.
func (t *Tx) DropDelivery(ctx context.Context, ref DeliveryRef) error {
	_, err := exec(ctx, t.Queries, `
		UPDATE webhook_deliveries SET state = 'failed', error = 'the webhook was switched off', next_at = NULL
		WHERE id = @id AND team_id = @team AND round = @round AND state = 'pending'`,
		args{"id": ref.ID, "team": ref.TeamID, "round": ref.Round})
	return err
}

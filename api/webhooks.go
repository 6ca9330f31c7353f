package api

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/webhook"
)

// webhooks serves the addresses that a team's events are sent to. Only admins may see
// and change them, because a webhook receives all events of the team.
func (a *API) webhooks() {
	session := a.area("Webhooks", withSession)
	get(session, "/api/webhooks", "listWebhooks", "List webhooks", a.listWebhooks, admins, describe("Lists the webhooks of the team, newest first."))
	create(a, session, "/api/webhooks", "createWebhook", "Create a webhook", a.createWebhook, admins, describe(
		"Creates a webhook, which receives events of the team. Every event of the given types is sent at least once, as a POST of `{type, timestamp, data}`; `webhooks` in this document describes each type. "+
			"Without `types` it receives how files and operations ended. Requests follow Standard Webhooks. `webhook-signature` has `v1,` and an HMAC-SHA256 in base64. "+
			"It is computed over `webhook-id`, `webhook-timestamp` and the body, joined by full stops. Its key is the part of the secret after `whsec_`, decoded from base64. "+
			"Receivers should refuse a `webhook-timestamp` that is more than five minutes off, and ignore a `webhook-id` that they have received before: retries and replays have the same id. "+
			"A delivery fails unless the answer is 2xx within ten seconds. It is retried with growing delays for about a day. Redirects are not followed. "+
			"The secret is in this answer only. An answer repeated for an `Idempotency-Key` does not have it; a lost secret has to be replaced. "+
			"Private addresses are refused, and so are hosts that resolve to one. A team may have twenty webhooks."))
	get(session, "/api/webhooks/{id}", "getWebhook", "Get a webhook", a.getWebhook, admins, describe("Returns a webhook without its secret."))
	patch(session, "/api/webhooks/{id}", "updateWebhook", "Update a webhook", a.updateWebhook, admins, eitherWay[WebhookUpdate](a), describe(
		"Changes a webhook. An absent field is left unchanged. With `If-Match` a stale version is 409."))
	del(session, "/api/webhooks/{id}", "deleteWebhook", "Delete a webhook", a.deleteWebhook, admins, describe("Deletes a webhook and its delivery log. Pending deliveries are not sent."))
	post(session, "/api/webhooks/{id}/secret", "replaceWebhookSecret", "Replace the secret of a webhook", a.replaceSecret, admins, eitherWay[SecretReplacement](a), describe(
		"Replaces the secret. The new one is in this answer only. From now on requests are signed with it. For `overlapHours` they are also signed with the previous one, "+
			"so that receivers can switch at any time. If an earlier one is still in use because of a recent replacement, that one stays, no longer than announced, "+
			"and the secret between ends: its answer may have been lost."))
	post(session, "/api/webhooks/{id}/ping", "pingWebhook", "Send a test event to a webhook", a.pingWebhook, admins, status(http.StatusAccepted), describe("Sends an event of the type ping to the webhook."))
	get(session, "/api/webhooks/{id}/deliveries", "listWebhookDeliveries", "List the deliveries of a webhook", a.listDeliveries, admins, describe(
		"Lists the deliveries of the last thirty days, newest first, pending ones included."))
	post(session, "/api/webhooks/{id}/deliveries/{deliveryId}/replay", "replayWebhookDelivery", "Replay a delivery of a webhook", a.replayDelivery, admins, status(http.StatusAccepted), describe(
		"Sends a delivery again with the same `webhook-id`, whether it succeeded or failed. A pending delivery is 409."))
	a.describeEvents()
}

// Webhook is an address that events are sent to.
type Webhook struct {
	ID          string     `json:"id"`
	URL         string     `json:"url"`
	Types       []string   `json:"types" nullable:"false" doc:"Types of events; * for all"`
	Description string     `json:"description"`
	Active      bool       `json:"active"`
	Failures    int        `json:"failures" doc:"Number of attempts that failed since the last success"`
	ResumesAt   *time.Time `json:"resumesAt,omitempty" doc:"After failures: nothing is sent before this time"`
	Version     int        `json:"version"`
	CreatedBy   *string    `json:"createdBy"`
	CreatedAt   time.Time  `json:"createdAt"`
	UpdatedAt   time.Time  `json:"updatedAt"`
	Secret      string     `json:"secret,omitempty" doc:"Only in the answer that creates or replaces it"`

	PreviousSecretUntil *time.Time `json:"previousSecretUntil,omitempty" doc:"After a replacement: until this time, requests are also signed with the previous secret"`
}

func newWebhook(w db.Webhook) Webhook {
	return Webhook{
		ID: w.ID, URL: w.URL, Types: typesOf(w.Kinds), Description: w.Description, Active: w.Active, Failures: w.Failures, ResumesAt: utc(w.ResumeAt),
		Version: w.Version, CreatedBy: w.CreatedBy, CreatedAt: w.CreatedAt.UTC(), UpdatedAt: w.UpdatedAt.UTC(),
		PreviousSecretUntil: utc(w.PreviousSecretUntil),
	}
}

// allTypes asks for every kind of event, those that are yet to come among them.
const allTypes = "*"

// typesOf are the types of events of a webhook for the answer: the database stores an
// empty list for all.
func typesOf(stored []string) []string {
	if len(stored) == 0 {
		return []string{allTypes}
	}
	return stored
}

func (w Webhook) address() string { return "/api/webhooks/" + w.ID }

func (w Webhook) withoutSecret() any {
	w.Secret = ""
	return w
}

// etag also changes with failures.
func (w Webhook) etag() string { return contentTag(w.Version, w) }

func (a *API) listWebhooks(ctx context.Context, in *Page) (List[Webhook], error) {
	scope := auth.Scope(ctx)
	after, err := in.idPlace("webhooks")
	if err != nil {
		return List[Webhook]{}, err
	}
	rows, err := a.DB.Webhooks(ctx, scope, after, in.Limit+1)
	return newPage(rows, in.Limit, "webhooks", newWebhook, func(w db.Webhook) string { return w.ID }), err
}

// WebhookFields are the fields of a webhook other than its URL.
type WebhookFields struct {
	Types       *[]string `json:"types,omitempty" minItems:"1" maxItems:"100" doc:"Types of events; * for all"`
	Description *string   `json:"description,omitempty" maxLength:"1000"`
	Active      *bool     `json:"active,omitempty"`
}

// webhookChange is f and an address for the database.
func (a *API) webhookChange(f WebhookFields, url *string) (db.WebhookChange, error) {
	if url != nil {
		if err := webhook.CheckURL(*url, a.PrivateWebhooks); err != nil {
			return db.WebhookChange{}, invalid("body.url", fault.Message(err))
		}
	}
	if f.Types != nil {
		known := eventKinds(func(db.EventType) bool { return true })
		for _, kind := range *f.Types {
			if kind != allTypes && !slices.Contains(known, kind) {
				return db.WebhookChange{}, invalid("body.types", "must be * or any of "+strings.Join(known, ", "))
			}
		}
		if slices.Contains(*f.Types, allTypes) {
			f.Types = &[]string{}
		}
	}
	return db.WebhookChange{URL: url, Kinds: f.Types, Description: f.Description, Active: f.Active}, nil
}

type createWebhookRequest struct {
	OnceKey
	Body struct {
		URL string `json:"url" format:"uri" maxLength:"2000"`
		WebhookFields
	}
}

func (a *API) createWebhook(ctx context.Context, tx *db.Tx, in *createWebhookRequest) (Webhook, error) {
	scope := auth.Scope(ctx)
	change, err := a.webhookChange(in.Body.WebhookFields, &in.Body.URL)
	if err != nil {
		return Webhook{}, err
	}
	if change.Kinds == nil {
		kinds := eventKinds(func(e db.EventType) bool { return e.Default })
		change.Kinds = &kinds
	}
	secret := webhook.NewSecret()
	change.Secret = &secret
	row, err := tx.CreateWebhook(ctx, scope, change)
	out := newWebhook(row)
	out.Secret = secret
	unstored(ctx)
	return out, err
}

func (a *API) getWebhook(ctx context.Context, in *IDRef) (Webhook, error) {
	scope := auth.Scope(ctx)
	row, err := a.DB.Webhook(ctx, scope, in.ID)
	return newWebhook(row), err
}

// WebhookUpdate has the fields of a webhook that can be changed.
type WebhookUpdate struct {
	URL *string `json:"url,omitempty" format:"uri" maxLength:"2000"`
	WebhookFields
}

func (a *API) updateWebhook(ctx context.Context, in *struct {
	IDRef
	OfVersion
	Body *WebhookUpdate
}) (Webhook, error) {
	body := orNothing(in.Body)
	change, err := a.webhookChange(body.WebhookFields, body.URL)
	if err != nil {
		return Webhook{}, err
	}
	if change.IfVersion, err = ifMatch(in.IfMatch); err != nil {
		return Webhook{}, err
	}
	return a.changeWebhook(ctx, in.ID, change)
}

func (a *API) changeWebhook(ctx context.Context, id string, change db.WebhookChange) (Webhook, error) {
	return inTx(ctx, a, newWebhook, func(tx *db.Tx, scope db.Scope) (db.Webhook, error) { return tx.UpdateWebhook(ctx, scope, id, change) })
}

func (a *API) deleteWebhook(ctx context.Context, in *IDRef) (Message, error) {
	scope := auth.Scope(ctx)
	err := a.DB.InTx(ctx, func(tx *db.Tx) error { return tx.DeleteWebhook(ctx, scope, in.ID) })
	return Message{"the webhook was deleted"}, err
}

// SecretReplacement sets how long the previous secret stays in use.
type SecretReplacement struct {
	OverlapHours *int `json:"overlapHours,omitempty" minimum:"0" maximum:"168" doc:"Hours in which the previous secret is also used; by default 24. Use 0 if the secret may have leaked"`
}

// overlap is how long both secrets are good.
func (s *SecretReplacement) overlap() time.Duration {
	hours := 24
	if asked := orNothing(s).OverlapHours; asked != nil {
		hours = *asked
	}
	return time.Duration(hours) * time.Hour
}

func (a *API) replaceSecret(ctx context.Context, in *struct {
	IDRef
	Body *SecretReplacement
}) (Webhook, error) {
	secret := webhook.NewSecret()
	out, err := a.changeWebhook(ctx, in.ID, db.WebhookChange{Secret: &secret, Overlap: in.Body.overlap()})
	out.Secret = secret
	unstored(ctx)
	return out, err
}

// Delivery is the delivery of one event to one webhook.
type Delivery struct {
	ID            string           `json:"id" doc:"The webhook-id of the requests"`
	Type          string           `json:"type" doc:"Kind of the event"`
	Payload       eventBody        `json:"payload" doc:"The body of the request"`
	State         db.DeliveryState `json:"state" doc:"failed: no attempt is left"`
	Round         int              `json:"round" doc:"1 at first; each replay adds one"`
	Attempts      int              `json:"attempts" doc:"Number of attempts in this round"`
	StatusCode    *int             `json:"statusCode,omitempty" doc:"HTTP status of the last answer"`
	Error         *string          `json:"error,omitempty" doc:"Why the last attempt failed"`
	AttemptedAt   *time.Time       `json:"attemptedAt,omitempty"`
	NextAttemptAt *time.Time       `json:"nextAttemptAt,omitempty"`
	CreatedAt     time.Time        `json:"createdAt"`
}

func newDelivery(d db.Delivery) Delivery {
	return Delivery{
		ID: d.ID, Type: d.Kind, Payload: eventBody{json.RawMessage(d.Payload)}, State: d.State, Round: d.Round, Attempts: d.Attempts, StatusCode: d.StatusCode,
		Error: d.Error, AttemptedAt: utc(d.AttemptedAt), NextAttemptAt: utc(d.NextAt), CreatedAt: d.CreatedAt.UTC(),
	}
}

// The handlers below create deliveries; the workers find them by themselves.

func (a *API) pingWebhook(ctx context.Context, in *IDRef) (Delivery, error) {
	return inTx(ctx, a, newDelivery, func(tx *db.Tx, scope db.Scope) (db.Delivery, error) { return tx.Ping(ctx, scope, in.ID) })
}

func (a *API) replayDelivery(ctx context.Context, in *struct {
	IDRef
	DeliveryID string `path:"deliveryId" format:"uuid"`
}) (Delivery, error) {
	return inTx(ctx, a, newDelivery, func(tx *db.Tx, scope db.Scope) (db.Delivery, error) {
		return tx.Replay(ctx, scope, in.ID, in.DeliveryID)
	})
}

func (a *API) listDeliveries(ctx context.Context, in *struct {
	IDRef
	Page
	State []db.DeliveryState `query:"state" doc:"Deliveries with any of these states"`
	Type  []string           `query:"type" maxItems:"50" doc:"Deliveries of any of these kinds of events"`
}) (List[Delivery], error) {
	scope := auth.Scope(ctx)
	after, err := in.idPlace("deliveries")
	if err != nil {
		return List[Delivery]{}, err
	}
	if _, err := a.DB.Webhook(ctx, scope, in.ID); err != nil {
		return List[Delivery]{}, err
	}
	rows, err := a.DB.Deliveries(ctx, scope, in.ID, db.DeliveryFilter{States: words(in.State), Kinds: in.Type}, after, in.Limit+1)
	return newPage(rows, in.Limit, "deliveries", newDelivery, func(d db.Delivery) string { return d.ID }), err
}

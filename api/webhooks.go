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
	get(session, "/api/webhooks", "listWebhooks", "List webhooks", a.listWebhooks, admins, describe("Newest first."))
	create(a, session, "/api/webhooks", "createWebhook", "Create a webhook", a.createWebhook, admins, describe(
		"Every event of the kinds is sent as a POST of `{type, timestamp, data}`, at least once; `webhooks` in this document describes each kind. "+
			"Without `kinds` it is sent how files and operations ended. Requests follow Standard Webhooks: `webhook-signature` has `v1,` and the "+
			"HMAC-SHA256 in base64, under the key that the secret has in base64 after `whsec_`, of `webhook-id`, `webhook-timestamp` and the body, joined by full stops. "+
			"Refuse a `webhook-timestamp` that is more than five minutes off, and drop a `webhook-id` that came before: it is the same whenever a delivery is tried again, "+
			"with growing pauses for about a day, or replayed. An answer other than 2xx within ten seconds is a failure; redirects are not followed. The secret is shown in this answer only: where it is given again by its "+
			"`Idempotency-Key` the secret is missing, and who has lost it replaces it. "+
			"Private addresses are refused, and so are hosts whose name leads to one. A team may have twenty webhooks."))
	get(session, "/api/webhooks/{id}", "getWebhook", "Get a webhook", a.getWebhook, admins)
	patch(session, "/api/webhooks/{id}", "updateWebhook", "Update a webhook", a.updateWebhook, admins, eitherWay[WebhookUpdate](a), describe(
		"An absent field is left unchanged. With `If-Match` a stale version is 409."))
	del(session, "/api/webhooks/{id}", "deleteWebhook", "Delete a webhook", a.deleteWebhook, admins, describe("With its log. What waits for it is not sent."))
	post(session, "/api/webhooks/{id}/secret", "replaceWebhookSecret", "Replace the secret of a webhook", a.replaceSecret, admins, eitherWay[SecretReplacement](a), describe(
		"The new one is shown in this answer only. What is sent from now on is signed with it, and for `overlapHours` with the one before as well, "+
			"so that receivers can change over when they like."))
	post(session, "/api/webhooks/{id}/ping", "pingWebhook", "Send a test event to a webhook", a.pingWebhook, admins, status(http.StatusAccepted), describe("Sends it an event of the kind ping."))
	get(session, "/api/webhooks/{id}/deliveries", "listWebhookDeliveries", "List the deliveries of a webhook", a.listDeliveries, admins, describe(
		"What was sent and what waits, newest first, of the last thirty days."))
	post(session, "/api/webhooks/{id}/deliveries/{deliveryId}/replay", "replayWebhookDelivery", "Replay a delivery of a webhook", a.replayDelivery, admins, status(http.StatusAccepted), describe(
		"Sends the same again under the same `webhook-id`, whether it arrived or not. One that is on its way is 409."))
	a.describeEvents()
}

// Webhook is an address that events are sent to.
type Webhook struct {
	ID          string     `json:"id"`
	URL         string     `json:"url"`
	Kinds       []string   `json:"kinds" nullable:"false" doc:"Of events; * for all"`
	Description string     `json:"description"`
	Active      bool       `json:"active"`
	Failures    int        `json:"failures" doc:"Attempts that failed since the last one that did not"`
	ResumesAt   *time.Time `json:"resumesAt,omitempty" doc:"After failures: nothing is sent before"`
	Version     int        `json:"version"`
	CreatedBy   *string    `json:"createdBy"`
	CreatedAt   time.Time  `json:"createdAt"`
	UpdatedAt   time.Time  `json:"updatedAt"`
	Secret      string     `json:"secret,omitempty" doc:"Only in the answers that make it"`

	PreviousSecretUntil *time.Time `json:"previousSecretUntil,omitempty" doc:"After a replacement: requests are signed with the secret before, too, until then"`
}

func newWebhook(w db.Webhook) Webhook {
	return Webhook{
		ID: w.ID, URL: w.URL, Kinds: kindsOf(w.Kinds), Description: w.Description, Active: w.Active, Failures: w.Failures, ResumesAt: utc(w.ResumeAt),
		Version: w.Version, CreatedBy: w.CreatedBy, CreatedAt: w.CreatedAt.UTC(), UpdatedAt: w.UpdatedAt.UTC(),
		PreviousSecretUntil: utc(w.PreviousSecretUntil),
	}
}

// allKinds asks for every kind of event, those that are yet to come among them.
const allKinds = "*"

// kindsOf are the kinds of a webhook as they are shown: the database has none for
// all.
func kindsOf(stored []string) []string {
	if len(stored) == 0 {
		return []string{allKinds}
	}
	return stored
}

func (w Webhook) address() string { return "/api/webhooks/" + w.ID }

func (w Webhook) withoutSecret() any {
	w.Secret = ""
	return w
}

// etag changes with what failed too.
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

// WebhookFields is what can be said of a webhook beside its address.
type WebhookFields struct {
	Kinds       *[]string `json:"kinds,omitempty" minItems:"1" maxItems:"100" doc:"Of events; * for all"`
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
	if f.Kinds != nil {
		known := eventKinds(func(db.EventType) bool { return true })
		for _, kind := range *f.Kinds {
			if kind != allKinds && !slices.Contains(known, kind) {
				return db.WebhookChange{}, invalid("body.kinds", "must be * or of "+strings.Join(known, ", "))
			}
		}
		if slices.Contains(*f.Kinds, allKinds) {
			f.Kinds = &[]string{}
		}
	}
	return db.WebhookChange{URL: url, Kinds: f.Kinds, Description: f.Description, Active: f.Active}, nil
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

// WebhookUpdate is what changes about a webhook.
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

// SecretReplacement says what becomes of the secret before.
type SecretReplacement struct {
	OverlapHours *int `json:"overlapHours,omitempty" minimum:"0" maximum:"168" doc:"How long requests are signed with the secret before as well; 24 if absent, 0 where somebody else may know it"`
}

func (a *API) replaceSecret(ctx context.Context, in *struct {
	IDRef
	Body *SecretReplacement
}) (Webhook, error) {
	secret, hours := webhook.NewSecret(), 24
	if asked := orNothing(in.Body).OverlapHours; asked != nil {
		hours = *asked
	}
	out, err := a.changeWebhook(ctx, in.ID, db.WebhookChange{Secret: &secret, Overlap: time.Duration(hours) * time.Hour})
	out.Secret = secret
	unstored(ctx)
	return out, err
}

// Delivery is one event on its way to one webhook.
type Delivery struct {
	ID            string           `json:"id" doc:"Sent as webhook-id"`
	Kind          string           `json:"kind" doc:"Of the event"`
	Payload       json.RawMessage  `json:"payload" doc:"What is sent"`
	State         db.DeliveryState `json:"state" doc:"failed once no attempt is left"`
	Round         int              `json:"round" doc:"1, and one more with each replay"`
	Attempts      int              `json:"attempts" doc:"In this round"`
	StatusCode    *int             `json:"statusCode,omitempty" doc:"Of the last answer"`
	Error         *string          `json:"error,omitempty" doc:"Why the last attempt failed"`
	AttemptedAt   *time.Time       `json:"attemptedAt,omitempty"`
	NextAttemptAt *time.Time       `json:"nextAttemptAt,omitempty"`
	CreatedAt     time.Time        `json:"createdAt"`
}

func newDelivery(d db.Delivery) Delivery {
	return Delivery{
		ID: d.ID, Kind: d.Kind, Payload: json.RawMessage(d.Payload), State: d.State, Round: d.Round, Attempts: d.Attempts, StatusCode: d.StatusCode,
		Error: d.Error, AttemptedAt: utc(d.AttemptedAt), NextAttemptAt: utc(d.NextAt), CreatedAt: d.CreatedAt.UTC(),
	}
}

// What is below has something sent: the workers find it by themselves.

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
	State []db.DeliveryState `query:"state" doc:"Any of these"`
	Kind  []string           `query:"kind" maxItems:"50" doc:"Any of these"`
}) (List[Delivery], error) {
	scope := auth.Scope(ctx)
	after, err := in.idPlace("deliveries")
	if err != nil {
		return List[Delivery]{}, err
	}
	if _, err := a.DB.Webhook(ctx, scope, in.ID); err != nil {
		return List[Delivery]{}, err
	}
	rows, err := a.DB.Deliveries(ctx, scope, in.ID, db.DeliveryFilter{States: words(in.State), Kinds: in.Kind}, after, in.Limit+1)
	return newPage(rows, in.Limit, "deliveries", newDelivery, func(d db.Delivery) string { return d.ID }), err
}

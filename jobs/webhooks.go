package jobs

import "github.com/riverqueue/river"

// DeliverWebhook asks for a round of a delivery to be made, attempt by attempt.
type DeliverWebhook struct {
	DeliveryID string `json:"delivery_id"`
	TeamID     string `json:"team_id"`
	Round      int    `json:"round"`
}

// Kind is written in the database and never changes.
func (DeliverWebhook) Kind() string { return "deliver_webhook" }

// InsertOpts keeps addresses that answer slowly out of everybody's way.
func (DeliverWebhook) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueWebhook, UniqueOpts: once}
}

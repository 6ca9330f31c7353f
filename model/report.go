package model

import "github.com/clausemill/clausemill/nlp"

// Report evaluates a training: the metrics of the new model on the held-out
// decisions, and those of the previously active model on the same decisions.
// db.Model keeps it as its metrics.
type Report struct {
	nlp.Metrics

	Agreed       int         `json:"agreed"` // decisions that the model would have made
	Before       nlp.Metrics `json:"before"`
	AgreedBefore int         `json:"agreedBefore"`
}

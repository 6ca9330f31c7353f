package model

import "github.com/clausemill/clausemill/nlp"

// Report tells what a training was good for: how the new model does on the
// decisions that it did not learn from, and how the one that was active before
// does on the same. It is what db.Model keeps as its metrics.
type Report struct {
	nlp.Metrics

	Agreed       int         `json:"agreed"` // decisions that the model would have made
	Before       nlp.Metrics `json:"before"`
	AgreedBefore int         `json:"agreedBefore"`
}

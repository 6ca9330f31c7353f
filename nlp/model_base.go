package nlp

import (
	_ "embed"
	"encoding/json"
	"sync"
)

//go:embed labels.model
var baseModel []byte

//go:embed labels.json
var baseMetrics []byte

// BaseModel returns the model that comes with the program. It knows the nodes of
// Taxonomy, reads English and was trained by `clausemill train`; its scores are
// in docs/clause-labels.md.
var BaseModel = sync.OnceValues(func() (*Model, error) { return ParseModel(baseModel) })

// BaseMetrics returns the scores of the base model on contracts that were held
// back, those of its card.
var BaseMetrics = sync.OnceValues(func() (Metrics, error) {
	var m Metrics
	err := json.Unmarshal(baseMetrics, &m)
	return m, err
})

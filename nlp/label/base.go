package label

import (
	_ "embed"
	"encoding/json"
	"sync"

	"github.com/clausemill/clausemill/nlp/learn"
	"github.com/clausemill/clausemill/nlp/lex"
)

//go:embed base.model
var baseBytes []byte

//go:embed base.json
var baseMetrics []byte

// Base returns the model that comes with the program. It knows the nodes of
// Taxonomy, reads English and was trained by `clausemill train`; its scores are
// in docs/clause-labels.md.
var Base = sync.OnceValues(func() (*Model, error) { return Parse(baseBytes) })

// BaseMetrics returns the scores of the base model on contracts that were held
// back, those of its card.
var BaseMetrics = sync.OnceValues(func() (Metrics, error) {
	var m Metrics
	err := json.Unmarshal(baseMetrics, &m)
	return m, err
})

// BaseID returns the id of the base model, a UUID that is made of its
// bytes.
var BaseID = sync.OnceValue(func() string { return learn.ID(baseBytes) })

// Reads reports whether the base model can label texts in a language: English, or one
// that was not detected.
func Reads(language string) bool { return lex.MaybeEnglish(language) }

package nlp

import (
	_ "embed"
	"sync"
)

//go:embed labels.model
var baseModel []byte

// BaseModel returns the model that comes with the program. It knows the nodes of
// Taxonomy, reads English and was trained by `clausemill train`; its scores are
// in docs/clause-labels.md.
var BaseModel = sync.OnceValues(func() (*Model, error) { return ParseModel(baseModel) })

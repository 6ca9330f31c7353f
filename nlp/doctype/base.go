package doctype

import (
	_ "embed"
	"sync"

	"github.com/clausemill/clausemill/nlp/learn"
)

//go:embed base.model
var baseBytes []byte

// Base returns the model of contract types that comes with the program.
// It knows All, reads English and was trained by `clausemill train`;
// its scores are in base.md beside it.
var Base = sync.OnceValues(func() (*Model, error) { return Parse(baseBytes) })

// BaseID returns its id, a UUID that is made of its bytes.
var BaseID = sync.OnceValue(func() string { return learn.ID(baseBytes) })

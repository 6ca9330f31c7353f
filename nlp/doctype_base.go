package nlp

import (
	_ "embed"
	"sync"
)

//go:embed types.model
var baseTypeModel []byte

// BaseTypeModel returns the model of contract types that comes with the program.
// It knows DocumentTypes, reads English and was trained by `clausemill train`;
// its scores are in types.md beside it.
var BaseTypeModel = sync.OnceValues(func() (*TypeModel, error) { return ParseTypeModel(baseTypeModel) })

// BaseTypeModelID returns its id, a UUID that is made of its bytes.
var BaseTypeModelID = sync.OnceValue(func() string { return modelID(baseTypeModel) })

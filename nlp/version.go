package nlp

import (
	"fmt"
	"sync"

	"github.com/clausemill/clausemill/nlp/fact"
	"github.com/clausemill/clausemill/nlp/lex"
	"github.com/clausemill/clausemill/nlp/structure"
)

// Version names the rules of all that is read from a text. It is stored with
// what was read, so that what newer rules would read otherwise can be found.
var Version = fmt.Sprintf("%d.%d", structure.SegmenterVersion, fact.Version)

// BaseModelID returns the id of the base model, a UUID that is made of its
// bytes.
var BaseModelID = sync.OnceValue(func() string { return modelID(baseModel) })

// Labels reports whether the base model can label texts in a language: it reads
// English, and texts that do not tell.
func Labels(language string) bool { return lex.MaybeEnglish(language) }

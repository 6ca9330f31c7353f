package nlp

import (
	"crypto/sha256"
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

func modelID(model []byte) string {
	sum := sha256.Sum256(model)
	id := sum[:16]
	id[6], id[8] = id[6]&0x0f|0x80, id[8]&0x3f|0x80 // version 8: made as its maker likes
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}

// Labels reports whether the base model can label texts in a language: it reads
// English, and texts that do not tell.
func Labels(language string) bool { return lex.MaybeEnglish(language) }

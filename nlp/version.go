package nlp

import (
	"fmt"

	"github.com/clausemill/clausemill/nlp/fact"
	"github.com/clausemill/clausemill/nlp/structure"
)

// Version names the rules of all that is read from a text. It is stored with
// what was read, so that what newer rules would read otherwise can be found.
var Version = fmt.Sprintf("%d.%d", structure.SegmenterVersion, fact.Version)

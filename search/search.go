package search

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
)

// The bounds of a question. A page beyond Window is refused: nobody reads that
// far, and an engine that ranks a window ranks the same one for each of its
// pages, so that none repeats or skips a hit.
const (
	Window       = 1000  // hits that can be paged through, and counted exactly
	DefaultLimit = 20    //
	MaxText      = 4_000 // code points; what is longer is cut
	MaxTerms     = 40    // words and phrases; further ones are ignored
)

// Filter narrows a question; see db.SearchFilter.
type Filter = db.SearchFilter

// Facet names a field whose values can be counted.
type Facet string

// The closed set of facets. All but Label count matching files; Label counts
// matching sentences.
const (
	DocumentType   Facet = "documentType" // ids
	Matter         Facet = "matter"       // ids
	Status         Facet = "status"
	LifecycleStage Facet = "lifecycleStage"
	Language       Facet = "language"
	Label          Facet = "label"
)

// Facets lists them all.
func Facets() []Facet {
	return []Facet{DocumentType, Matter, Status, LifecycleStage, Language, Label}
}

// Query is a query to an engine.
//
// All words of Text must match, in any order and grammatical form, with or without
// accents, but for those of grammar. "Quoted words" match as a phrase, with whatever is
// in it, and -word or -"a phrase" is an exclusion. AND, OR, NOT, NEAR/5 (five words
// apart at most) and parentheses join words and phrases; where they are not well formed
// the query is Invalid. Words that the team does not use are corrected, unless they are
// quoted. An empty Text lists the newest; one without a letter or digit finds nothing.
type Query struct {
	Text     string
	Synonyms [][]string // groups of words or phrases that are synonyms
	Prefix   bool       // the last word is still being typed
	Filter   Filter
	Facets   []Facet
	Limit    int // hits of a page; DefaultLimit where 0
	Offset   int // hits before it
	Top      int // sentences that an answer in files has beside them, of engines that rank them along
	// Engine is the name of the one that returned the earlier pages; "" for any. No
	// other can continue an answer.
	Engine string

	strict bool // nothing less than all words will do
}

// checked is q with defaults filled in, or Invalid.
func (q Query) checked() (Query, error) {
	if q.Limit == 0 {
		q.Limit = DefaultLimit
	}
	if q.Limit < 0 || q.Offset < 0 {
		return q, fault.New(fault.Invalid, "limit and offset cannot be negative")
	}
	if q.Offset+q.Limit > Window {
		return q, fault.Newf(fault.Invalid, "only the first %d hits can be paged through; narrow the search", Window)
	}
	known := Facets()
	for _, facet := range q.Facets {
		if !slices.Contains(known, facet) {
			return q, fault.Newf(fault.Invalid, "%q is no facet", facet)
		}
	}
	q.Text = clean(q.Text)
	return q, nil
}

// clean makes any bytes a text that both engines accept, its letters composed.
func clean(text string) string {
	if len(text) > MaxText*utf8.UTFMax {
		text = text[:MaxText*utf8.UTFMax]
	}
	text = strings.Map(func(r rune) rune {
		if r == 0 || r == utf8.RuneError {
			return ' '
		}
		return r
	}, text)
	text = norm.NFC.String(text)
	if runes := []rune(text); len(runes) > MaxText {
		text = string(runes[:MaxText])
	}
	return strings.TrimSpace(text)
}

// Summary describes an answer.
type Summary struct {
	Total     int                       `json:"total"`               // what matched: exact, or at least, or about
	Exact     bool                      `json:"exact"`               // Total and the facets are exact
	Facets    map[Facet][]db.FacetCount `json:"facets,omitempty"`    // commonest value first
	Corrected string                    `json:"corrected,omitempty"` // what was searched for, where a misspelling was passed over
	Relaxed   bool                      `json:"relaxed,omitempty"`   // nothing held all the words, so these hold most of them
	Engine    string                    `json:"engine"`
	Next      int                       `json:"-"` // the offset of the next page; 0 where this is the last
	Took      time.Duration             `json:"-"`
}

// Hit is a sentence that matched. Start and End are its span in the file's
// canonical text.
type Hit struct {
	FileID     string     `json:"fileId"`
	FileName   string     `json:"fileName"`
	SentenceID string     `json:"sentenceId"`
	Page       int        `json:"page"`
	Start      int        `json:"start"`
	End        int        `json:"end"`
	Text       string     `json:"text"`
	Snippet    string     `json:"snippet"` // HTML: the escaped text, shortened where long, with <em> around what matched
	Labels     []db.Label `json:"labels"`  // best first
	Score      float64    `json:"score"`   // higher is better; compare within one answer only
}

// FileHit is a file that matched by name or by text, with its best sentences.
type FileHit struct {
	FileID      string  `json:"fileId"`
	FileName    string  `json:"fileName"`
	ContentType string  `json:"contentType"`
	Snippet     string  `json:"snippet"`   // HTML of the name, with <em> around what matched
	NameMatch   bool    `json:"nameMatch"` // the name holds the words
	Matches     int     `json:"matches"`   // sentences that matched, of those considered
	Pages       []int   `json:"pages"`     // of Hits, ascending
	Hits        []Hit   `json:"hits"`      // best first, at most BestOfFile
	Score       float64 `json:"score"`
}

// BestOfFile is how many of its sentences a FileHit shows.
const BestOfFile = 3

// Sentences is an answer in sentences, best first.
type Sentences struct {
	Summary
	Hits []Hit `json:"hits"`
}

// Files is an answer in files: those that match by name first, then those with
// the best sentences.
type Files struct {
	Summary
	Hits []FileHit `json:"hits"`
	Top  *Top      `json:"top,omitempty"` // nil where the engine did not rank sentences along, or only names matched
}

// Top is the best sentences of an answer in files: what Sentences has first.
type Top struct {
	Hits  []Hit `json:"hits"`
	Total int   `json:"total"` // sentences that match, as far as counted
}

// Drift is what a comparison with the database found and healed.
type Drift struct {
	Indexed int // files that were missing or stale
	Removed int // files that should not have been there
}

// Engine finds sentences and files, and keeps an index of them.
type Engine interface {
	// Name is postgres or meilisearch.
	Name() string

	// Sentences and Files answer q with what in's team has. A page beyond
	// Window is Invalid, and an engine that cannot answer is Unavailable.
	Sentences(ctx context.Context, in db.Scope, q Query) (Sentences, error)
	Files(ctx context.Context, in db.Scope, q Query) (Files, error)

	// Immediate reports whether a text can be found as soon as its rows are
	// committed, so that nothing has to be indexed.
	Immediate() bool

	// Index makes the present text of files findable, in one batch and over
	// teams. It returns when the engine has confirmed it, with the generations
	// that it confirmed; a file that has no text or is gone is not among them.
	Index(ctx context.Context, files []db.FileRef) ([]db.Indexed, error)

	// Remove forgets files, whose rows may be gone already.
	Remove(ctx context.Context, files []db.FileRef) error

	// Reconcile indexes what waits to be indexed, and if full is set compares
	// everything and heals the differences.
	Reconcile(ctx context.Context, full bool) (Drift, error)

	// Healthy reports whether the engine answers.
	Healthy(ctx context.Context) error
}

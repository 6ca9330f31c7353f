package search

import (
	"cmp"
	"context"
	"log/slog"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/nlp"
)

// Nearest finds sentences that are close in words to a text. It begins with the index
// of a team that a worker has stored, which it maps, or reads all of the team's sentences
// where there is none; every further question reads what has changed since.
type Nearest struct {
	db     *db.DB
	stored Stored
	log    *slog.Logger
	slots  chan struct{} // searches at once: more than there are processors would only delay one another

	mu         sync.Mutex
	teams      map[string]*corpus
	distrusted map[string]string // by team, the index that could not be read
}

// Stored gives the bytes of an index as a file on this machine, which stays at least
// until release; NotFound where there are none.
type Stored func(ctx context.Context, bytesID string) (path string, release func(), err error)

// NewNearest answers from d, and from indexes that are stored; nil where none are.
func NewNearest(d *db.DB, stored Stored, log *slog.Logger) *Nearest {
	return &Nearest{
		db: d, stored: stored, log: log, slots: make(chan struct{}, runtime.GOMAXPROCS(0)),
		teams: map[string]*corpus{}, distrusted: map[string]string{},
	}
}

// The bounds of what is kept and looked at.
const (
	// idle is how long the sentences of a team are kept after the last question.
	idle = 15 * time.Minute
	// renewed is how often it is looked whether a team has got another index.
	renewed = time.Minute
	// overlap is how much older than the newest change known a change may be that
	// was not seen yet: longer than it takes to write the text of a file.
	overlap = 2 * time.Minute
	// countEach is how often files are counted, to see that some are gone or that one
	// took longer than overlap to write. That costs more than all else where there are many.
	countEach = time.Second
	// filesAtOnce is how many files' sentences are read with one question.
	filesAtOnce = 100
	// mostDeleted is how many deleted files are looked at one by one.
	mostDeleted = 1000
	// shallow is how many of the closest are filtered at first. Mostly they suffice.
	shallow = 512
	// depth is how many sentences are compared one by one where few match a filter,
	// and how many of the closest are filtered where many do.
	depth = 8192
	// equals is how many of the same words are read to find the same text among them:
	// likeness knows no numbers.
	equals = 64
	// examples is how many sentences represent a label.
	examples = 100
)

// NearQuery asks for the sentences closest to a text.
type NearQuery struct {
	Text          string
	Filter        db.SentenceFilter
	Without       string // a sentence that is not to be found: the text's own
	MinSimilarity float64
	Limit         int
}

// Near is a sentence with its similarity to the text in question.
type Near struct {
	db.FiledSentence

	Similarity float64 // 0 to 1
}

// Sentences lists the sentences closest to a text, the closest first; of those that have
// the same words, the same text is. Where a filter matches more than 8,192 sentences it is applied to the 8,192 closest,
// so that a question about a large team takes no longer.
func (n *Nearest) Sentences(ctx context.Context, in db.Scope, q NearQuery) ([]Near, error) {
	const tries = 3
	var near []Near
	err := n.ask(ctx, in, func(c *corpus) error {
		for try := 1; ; try++ {
			list, err := n.likely(ctx, in, c, q)
			if err != nil {
				return err
			}
			list = slices.DeleteFunc(list, func(l likely) bool { return l.id == q.Without || l.score < q.MinSimilarity })
			list = list[:worthReading(list, q.Limit)]
			near, err = n.read(ctx, in, list)
			// Where some have got another text meanwhile, it is looked at as well.
			if err != nil || len(near) == len(list) || try == tries {
				return err
			}
			if _, err = c.update(ctx, n.db, in, true); err != nil {
				return err
			}
		}
	})
	slices.SortStableFunc(near, func(a, b Near) int {
		switch {
		case a.Similarity != b.Similarity:
			return cmp.Compare(b.Similarity, a.Similarity)
		case a.Text == b.Text:
			return 0
		case a.Text == q.Text:
			return -1
		case b.Text == q.Text:
			return 1
		}
		return 0
	})
	return near[:min(q.Limit, len(near))], err
}

// worthReading is how many of the closest are read for the first n: more, where behind them
// are others that may have the very text.
func worthReading(list []likely, n int) int {
	const same = 1 - 1e-9
	for n < min(len(list), equals) && list[n].score >= same {
		n++
	}
	return min(n, len(list))
}

// read reads the sentences of list that are still there, in its order.
func (n *Nearest) read(ctx context.Context, in db.Scope, list []likely) ([]Near, error) {
	if len(list) == 0 {
		return nil, nil
	}
	ids := make([]string, len(list))
	for i, l := range list {
		ids[i] = l.id
	}
	rows, err := n.db.FiledSentences(ctx, in, db.SentenceFilter{IDs: ids}, db.ByPlace, db.SentencePlace{}, len(ids))
	byID := make(map[string]db.FiledSentence, len(rows))
	for _, r := range rows {
		byID[r.ID] = r
	}
	near := make([]Near, 0, len(list))
	for _, l := range list {
		if row, still := byID[l.id]; still {
			near = append(near, Near{row, l.score})
		}
	}
	return near, err
}

// likely is a sentence that may be among the closest.
type likely struct {
	id    string
	score float64
}

// likely lists the sentences that match the filter, the closest first.
func (n *Nearest) likely(ctx context.Context, in db.Scope, c *corpus, q NearQuery) ([]likely, error) {
	if !q.Filter.Narrows() && len(in.Hidden) == 0 {
		return n.closest(ctx, c, q.Text, q.Limit+1)
	}
	closest, err := n.closest(ctx, c, q.Text, shallow)
	if err != nil {
		return nil, err
	}
	list, err := n.matching(ctx, in, q.Filter, closest)
	if err != nil || len(list) > q.Limit || len(closest) < shallow {
		return list, err
	}
	matches, err := n.db.CountSentences(ctx, in, q.Filter, depth+1)
	if err != nil {
		return nil, err
	}
	if matches <= depth {
		texts, err := n.db.SentenceTexts(ctx, in, q.Filter)
		return c.compare(q.Text, texts), err
	}
	if closest, err = n.closest(ctx, c, q.Text, depth); err != nil {
		return nil, err
	}
	return n.matching(ctx, in, q.Filter, closest)
}

// closest lists the sentences closest to text, once there is a slot.
func (n *Nearest) closest(ctx context.Context, c *corpus, text string, limit int) ([]likely, error) {
	select {
	case n.slots <- struct{}{}:
		defer func() { <-n.slots }()
		return c.nearest(text, limit), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// matching is those of list that match the filter.
func (n *Nearest) matching(ctx context.Context, in db.Scope, filter db.SentenceFilter, list []likely) ([]likely, error) {
	filter.IDs = make([]string, len(list))
	for i, l := range list {
		filter.IDs[i] = l.id
	}
	ids, err := n.db.SentenceIDs(ctx, in, filter, len(list))
	matches := make(map[string]bool, len(ids))
	for _, id := range ids {
		matches[id] = true
	}
	return slices.DeleteFunc(list, func(l likely) bool { return !matches[l.id] }), err
}

// NearNode is a label with the similarity of the sentences that have it.
type NearNode struct {
	Label      string
	Similarity float64         // to their centroid, 0 to 1
	Support    int             // how many it was made of
	Example    db.LabelledText // the closest of them
}

// Nodes lists those of labels whose sentences are closest to text as a whole,
// the closest first. Without names a sentence that does not count: the text's
// own.
func (n *Nearest) Nodes(ctx context.Context, in db.Scope, text, without string, labels []string, limit int) ([]NearNode, error) {
	var nodes []NearNode
	err := n.ask(ctx, in, func(c *corpus) error {
		labelled, err := n.db.Examples(ctx, in, labels, examples)
		if err != nil {
			return err
		}
		labelled = slices.DeleteFunc(labelled, func(l db.LabelledText) bool { return l.ID == without })
		nodes = c.nodes(text, labelled)
		return nil
	})
	return nodes[:min(limit, len(nodes))], err
}

// nearest lists the n sentences closest to text.
func (c *corpus) nearest(text string, n int) []likely {
	c.mu.RLock()
	defer c.mu.RUnlock()
	found := c.words.Nearest(text, n)
	list := make([]likely, len(found))
	for i, f := range found {
		list[i] = likely{uuid.UUID(c.id(f.Sentence)).String(), f.Score}
	}
	return list
}

// compare sorts texts by their similarity to text, and leaves out those without a
// word in common.
func (c *corpus) compare(text string, texts []db.SentenceText) []likely {
	c.mu.RLock()
	defer c.mu.RUnlock()
	vector := c.words.Vectors()
	v := vector(text)
	var list []likely
	for _, t := range texts {
		if score := v.Likeness(vector(t.Text)); score > 0 {
			list = append(list, likely{uuid.UUID(t.ID).String(), score})
		}
	}
	slices.SortFunc(list, func(a, b likely) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.id, b.id))
	})
	return list
}

// nodes sorts labels by the similarity of their sentences to text. Sentences of
// one label must be adjacent.
func (c *corpus) nodes(text string, labelled []db.LabelledText) []NearNode {
	c.mu.RLock()
	defer c.mu.RUnlock()
	vector := c.words.Vectors()
	v := vector(text)
	nodes := []NearNode{}
	var vectors []nlp.Vector
	var closest float64
	for i, l := range labelled {
		if i == 0 || labelled[i-1].Label != l.Label {
			nodes = append(nodes, NearNode{Label: l.Label, Example: l})
			vectors, closest = vectors[:0], 0
		}
		node := &nodes[len(nodes)-1]
		w := vector(l.Text)
		if score := v.Likeness(w); score > closest {
			node.Example, closest = l, score
		}
		vectors = append(vectors, w)
		node.Support = len(vectors)
		if i+1 == len(labelled) || labelled[i+1].Label != l.Label {
			node.Similarity = v.Likeness(nlp.Centroid(vectors))
		}
	}
	nodes = slices.DeleteFunc(nodes, func(n NearNode) bool { return n.Similarity == 0 })
	slices.SortStableFunc(nodes, func(a, b NearNode) int { return cmp.Compare(b.Similarity, a.Similarity) })
	return nodes
}

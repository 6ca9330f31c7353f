package search

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/nlp"
)

// Nearest finds sentences that are close in words to a text. It keeps what it
// needs of a team's sentences in memory while they are asked about; the first
// question reads them all, and every further one what has changed since.
type Nearest struct {
	db *db.DB

	mu    sync.Mutex
	teams map[string]*corpus
}

// NewNearest answers from d.
func NewNearest(d *db.DB) *Nearest { return &Nearest{db: d, teams: map[string]*corpus{}} }

// The bounds of what is kept and looked at.
const (
	// idle is how long the sentences of a team are kept after the last question.
	idle = 15 * time.Minute
	// overlap is how much older than the newest change known a change may be that
	// was not seen yet: longer than it takes to write the text of a file.
	overlap = 2 * time.Minute
	// filesAtOnce is how many files' sentences are read with one question.
	filesAtOnce = 100
	// shallow is how many of the closest are filtered at first. Mostly they suffice.
	shallow = 512
	// depth is how many sentences are compared one by one where few match a filter,
	// and how many of the closest are filtered where many do.
	depth = 8192
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

// Sentences lists the sentences closest to a text, the closest first. Where a
// filter matches more than 8,192 sentences it is applied to the 8,192 closest,
// so that a question about a large team takes no longer.
func (n *Nearest) Sentences(ctx context.Context, in db.Scope, q NearQuery) ([]Near, error) {
	const tries = 3
	for try := 1; ; try++ {
		c, err := n.corpus(ctx, in)
		if err != nil {
			return nil, err
		}
		list, err := n.likely(ctx, in, c, q)
		if err != nil {
			return nil, err
		}
		list = slices.DeleteFunc(list, func(l likely) bool { return l.id == q.Without || l.score < q.MinSimilarity })
		list = list[:min(q.Limit, len(list))]
		near, err := n.read(ctx, in, list)
		// Where some have got another text meanwhile, it is looked at as well.
		if err != nil || len(near) == len(list) || try == tries {
			return near, err
		}
	}
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
		return c.nearest(q.Text, q.Limit+1), nil
	}
	closest := c.nearest(q.Text, shallow)
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
	return n.matching(ctx, in, q.Filter, c.nearest(q.Text, depth))
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
	c, err := n.corpus(ctx, in)
	if err != nil {
		return nil, err
	}
	labelled, err := n.db.Examples(ctx, in, labels, examples)
	if err != nil {
		return nil, err
	}
	labelled = slices.DeleteFunc(labelled, func(l db.LabelledText) bool { return l.ID == without })
	nodes := c.nodes(text, labelled)
	return nodes[:min(limit, len(nodes))], nil
}

// corpus is the up-to-date index of a team's sentences: of all of them, regardless of
// the caller.
func (n *Nearest) corpus(ctx context.Context, in db.Scope) (*corpus, error) {
	in = db.System(in.TeamID)
	c := n.open(in.TeamID)
	c.mu.RLock()
	seen, known := c.seen, len(c.files)
	c.mu.RUnlock()
	if !seen.IsZero() {
		seen = seen.Add(-overlap)
	}
	states, err := n.db.TextStates(ctx, in, seen)
	if err != nil {
		return nil, err
	}
	stale := c.stale(states)
	files, err := n.db.CountTextFiles(ctx, in)
	if err != nil || len(stale) == 0 && files == known {
		return c, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c, n.refresh(ctx, in, c, states)
}

// open is what is kept of a team, and keeps it for a while longer.
func (n *Nearest) open(teamID string) *corpus {
	n.mu.Lock()
	defer n.mu.Unlock()
	c := n.teams[teamID]
	if c == nil {
		c = &corpus{words: nlp.NewCorpus(), files: map[string]reading{}}
		c.forget = time.AfterFunc(idle, func() {
			n.mu.Lock()
			defer n.mu.Unlock()
			delete(n.teams, teamID)
		})
		n.teams[teamID] = c
	}
	c.forget.Reset(idle)
	return c
}

// refresh reads what is new in states, and where that does not explain how many
// files there are, compares them all. What was read stays where it fails
// halfway. Hold c.
func (n *Nearest) refresh(ctx context.Context, in db.Scope, c *corpus, states []db.TextState) error {
	for some := range slices.Chunk(c.changed(states), filesAtOnce) {
		if err := n.readFiles(ctx, in, c, some); err != nil {
			return err
		}
	}
	for _, s := range states {
		if s.ProgressAt.After(c.seen) {
			c.seen = s.ProgressAt
		}
	}
	files, err := n.db.CountTextFiles(ctx, in)
	if err != nil {
		return err
	}
	if files != len(c.files) {
		if err := n.compareFiles(ctx, in, c); err != nil {
			return err
		}
	}
	if c.removed > c.words.Len()/2 {
		// The next question reads anew what is left; this one finds it as it is.
		defer n.drop(in.TeamID)
	}
	c.words.Settle()
	return nil
}

// compareFiles reads the files that are not known, however long ago they
// changed, and forgets those that are gone. Hold c.
func (n *Nearest) compareFiles(ctx context.Context, in db.Scope, c *corpus) error {
	states, err := n.db.TextStates(ctx, in, time.Time{})
	if err != nil {
		return err
	}
	c.keepOnly(states)
	for some := range slices.Chunk(c.changed(states), filesAtOnce) {
		if err := n.readFiles(ctx, in, c, some); err != nil {
			return err
		}
	}
	return nil
}

// drop lets go of a team's sentences.
func (n *Nearest) drop(teamID string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if c := n.teams[teamID]; c != nil {
		c.forget.Stop()
		delete(n.teams, teamID)
	}
}

// readFiles replaces what is known of some files.
func (n *Nearest) readFiles(ctx context.Context, in db.Scope, c *corpus, some []db.TextState) error {
	ids := make([]string, len(some))
	for i, s := range some {
		ids[i] = s.FileID
	}
	texts, err := n.db.SentenceTexts(ctx, in, db.SentenceFilter{FileIDs: ids})
	if err != nil {
		return err
	}
	byFile := make(map[string][]db.SentenceText, len(some))
	for _, t := range texts {
		byFile[t.FileID] = append(byFile[t.FileID], t)
	}
	for _, s := range some {
		c.replace(s, byFile[s.FileID])
	}
	return nil
}

// corpus is the sentences of a team.
type corpus struct {
	forget *time.Timer

	mu      sync.RWMutex
	words   *nlp.Corpus
	ids     [][16]byte         // by number in words
	files   map[string]reading // by id
	removed int                // sentences that words holds in vain
	seen    time.Time          // the newest change
}

// reading is which text of a file is known, and the numbers of its sentences.
type reading struct{ generation, first, end int }

// stale is changed for who does not hold c.
func (c *corpus) stale(states []db.TextState) []db.TextState {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.changed(states)
}

// changed are those of states whose text is not known. Hold c.
func (c *corpus) changed(states []db.TextState) []db.TextState {
	var list []db.TextState
	for _, s := range states {
		if known, ok := c.files[s.FileID]; !ok || known.generation != s.Generation {
			list = append(list, s)
		}
	}
	return list
}

// replace makes texts those of a file. Hold c.
func (c *corpus) replace(s db.TextState, texts []db.SentenceText) {
	c.remove(s.FileID)
	first := c.words.Len()
	for _, t := range texts {
		c.words.Add(t.Text)
		c.ids = append(c.ids, t.ID)
	}
	c.files[s.FileID] = reading{s.Generation, first, c.words.Len()}
}

// remove forgets a file. Hold c.
func (c *corpus) remove(fileID string) {
	r := c.files[fileID]
	for sentence := r.first; sentence < r.end; sentence++ {
		c.words.Remove(sentence)
	}
	c.removed += r.end - r.first
	delete(c.files, fileID)
}

// keepOnly forgets all files but those of states. Hold c.
func (c *corpus) keepOnly(states []db.TextState) {
	there := make(map[string]bool, len(states))
	for _, s := range states {
		there[s.FileID] = true
	}
	for id := range c.files {
		if !there[id] {
			c.remove(id)
		}
	}
}

// nearest lists the n sentences closest to text.
func (c *corpus) nearest(text string, n int) []likely {
	c.mu.RLock()
	defer c.mu.RUnlock()
	found := c.words.Nearest(text, n)
	list := make([]likely, len(found))
	for i, f := range found {
		list[i] = likely{uuid.UUID(c.ids[f.Sentence]).String(), f.Score}
	}
	return list
}

// compare sorts texts by their similarity to text, and leaves out those without a
// word in common.
func (c *corpus) compare(text string, texts []db.SentenceText) []likely {
	c.mu.RLock()
	defer c.mu.RUnlock()
	v := c.words.Vector(text)
	var list []likely
	for _, t := range texts {
		if score := v.Likeness(c.words.Vector(t.Text)); score > 0 {
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
	v := c.words.Vector(text)
	nodes := []NearNode{}
	var vectors []nlp.Vector
	var closest float64
	for i, l := range labelled {
		if i == 0 || labelled[i-1].Label != l.Label {
			nodes = append(nodes, NearNode{Label: l.Label, Example: l})
			vectors, closest = vectors[:0], 0
		}
		node := &nodes[len(nodes)-1]
		w := c.words.Vector(l.Text)
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

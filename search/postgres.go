package search

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/clausemill/clausemill/db"
)

// Postgres searches in the rows themselves: what is committed is searchable.
type Postgres struct {
	db      *db.DB
	lexicon *lexicon

	// slots is a semaphore of concurrent searches: one for each processor. More would
	// share the processors, which slows down all of them, and the longest the most.
	// There are at least two, so that one long search does not block all others.
	slots chan struct{}

	mu      sync.Mutex
	recents map[string]recents // by team
}

// recents are the recent files of a team, as of a time.
type recents struct {
	list   []db.RecentFiles
	readAt time.Time
}

// mostTeams is how many teams something is remembered of.
const mostTeams = 10_000

// NewPostgres answers from d.
func NewPostgres(d *db.DB) *Postgres {
	return &Postgres{db: d, lexicon: newLexicon(d), slots: make(chan struct{}, max(2, runtime.GOMAXPROCS(0))), recents: map[string]recents{}}
}

var _ Engine = (*Postgres)(nil)

// Name is postgres.
func (*Postgres) Name() string { return "postgres" }

// Healthy reports whether Postgres answers.
func (p *Postgres) Healthy(ctx context.Context) error { return p.db.Ping(ctx) }

// Immediate is true: the index is part of the rows.
func (*Postgres) Immediate() bool { return true }

// Index has nothing to do: the index is part of the rows.
func (p *Postgres) Index(ctx context.Context, files []db.FileRef) ([]db.Indexed, error) {
	rows, err := p.db.IndexFiles(ctx, files)
	if err != nil {
		return nil, err
	}
	return confirmed(rows), nil
}

// Remove has nothing to do: the index goes with the rows.
func (*Postgres) Remove(context.Context, []db.FileRef) error { return nil }

// Reconcile confirms what waits to be confirmed; nothing else can differ.
func (p *Postgres) Reconcile(ctx context.Context, _ bool) (Drift, error) {
	return indexWaiting(ctx, p.db, p)
}

// Sentences answers q in sentences.
func (p *Postgres) Sentences(ctx context.Context, in db.Scope, q Query) (answer Sentences, err error) {
	ctx, end := traced(ctx, p, "search sentences")
	defer func() { end(answer.Summary, err) }()
	found, seen, summary, err := p.answer(ctx, in, q, false)
	answer = Sentences{Summary: summary, Hits: []Hit{}}
	for _, s := range found.Sentences {
		answer.Hits = append(answer.Hits, newHit(s, seen.mark(s.Text)))
	}
	answer.Next = following(q, len(answer.Hits), answer.Total)
	return answer, err
}

// Files answers q in files.
func (p *Postgres) Files(ctx context.Context, in db.Scope, q Query) (answer Files, err error) {
	ctx, end := traced(ctx, p, "search files")
	defer func() { end(answer.Summary, err) }()
	found, seen, summary, err := p.answer(ctx, in, q, true)
	answer = Files{Summary: summary, Hits: []FileHit{}}
	for _, f := range found.Files {
		f.Named = f.Named && !seen.nothing() // a list of the newest comes by name, without one
		var hits []Hit
		for _, s := range f.Sentences {
			hits = append(hits, newHit(s, seen.mark(s.Text)))
		}
		answer.Hits = append(answer.Hits, newFileHit(f, seen.mark(f.Name), hits))
	}
	if q.Top > 0 && (found.Ranked > 0 || found.Total == 0) {
		answer.Top = &Top{Hits: []Hit{}, Total: found.Ranked}
		for _, s := range found.Sentences {
			answer.Top.Hits = append(answer.Top.Hits, newHit(s, seen.mark(s.Text)))
		}
	}
	answer.Next = following(q, len(answer.Hits), answer.Total)
	return answer, err
}

// following is where the page begins that follows one of so many hits; 0 where none does.
func following(q Query, shown, total int) int {
	if end := q.Offset + shown; shown > 0 && end < min(total, Window) {
		return end
	}
	return 0
}

// answer relaxes the query step by step until something is found.
func (p *Postgres) answer(ctx context.Context, in db.Scope, query Query, byFile bool) (db.Found, *marker, Summary, error) {
	began := time.Now()
	summary := Summary{Engine: p.Name(), Exact: true}
	query, err := query.checked()
	if err != nil {
		return db.Found{}, nil, summary, err
	}
	select {
	case p.slots <- struct{}{}:
		defer func() { <-p.slots }()
	case <-ctx.Done():
		return db.Found{}, nil, summary, ctx.Err()
	}
	q, err := p.lexicon.question(ctx, in, query, byFile)
	if err != nil {
		return db.Found{}, nil, summary, err
	}
	var found db.Found
	if len(q.terms) > 0 || query.Text == "" {
		if found, summary, err = p.relax(ctx, q, summary); err != nil {
			return db.Found{}, nil, summary, err
		}
	}
	summary.Facets = facetsOf(query.Facets, found.Facets)
	summary.Took = time.Since(began)
	return found, q.marker(), summary, nil
}

// relax is answer once the question is understood.
func (p *Postgres) relax(ctx context.Context, q *question, summary Summary) (db.Found, Summary, error) {
	found, exact, err := p.find(ctx, q, q.all(), q.likelihood())
	if err != nil {
		return db.Found{}, summary, err
	}
	if found.Total == 0 && !q.strict {
		if found, exact, err = p.findMost(ctx, q); err != nil {
			return db.Found{}, summary, err
		}
		summary.Relaxed = found.Total > 0
	}
	summary.Total, summary.Exact = found.Total, exact
	summary.Corrected = q.corrected(best(found))
	return found, summary, nil
}

// best is the text of the best hit, or the name of its file; "" where nothing was
// found.
func best(found db.Found) string {
	switch {
	case len(found.Sentences) > 0:
		return found.Sentences[0].Text
	case len(found.Files) > 0 && len(found.Files[0].Sentences) > 0:
		return found.Files[0].Sentences[0].Text
	case len(found.Files) > 0:
		return found.Files[0].Name
	}
	return ""
}

// The bounds of what is read for one answer.
const (
	enough   = 250    // matching sentences that are ranked against each other, where there are more than can be
	crowd    = 500    // the same, of all that the team has
	tooFew   = 50     // so many and all that are known of: the rest is looked at as well
	walkRows = 40_000 // sentences of files that are read one by one
	fewFiles = 50     // so many files are read one by one rather than looked up
	whole    = 0.2    // share of all sentences from which on a team is not looked up
	guesses  = 2      // so many times recent files are looked into, before all
	stride   = 2      // the second time skips a part of them: it covers four times as many files
	spread   = 10_000 // sentences whose files are listed, where those that are ranked are in too few

	// For one sentence that a filter on files is to let through so many are read:
	// of recent files, where the next best is to read files one by one, and of all,
	// where a filter that lets a quarter of them through leaves a crowd to rank.
	rawRecent = 8
	rawAll    = 2
)

// find runs words, a tsquery that a share of about likelihood of all sentences matches,
// with the cheapest plan. It reports whether the total is exact.
//
// The plan is deterministic and does not depend on the page, so that all pages of an
// answer are cut from the same ranking.
func (p *Postgres) find(ctx context.Context, q *question, words string, likelihood float64) (db.Found, bool, error) {
	if words == "" && q.Text != "" {
		return db.Found{}, true, nil // stop words only
	}
	if q.Filter.FileIDs != nil && len(q.Filter.FileIDs) <= fewFiles || !q.positive() {
		return p.walk(ctx, q, words)
	}
	plan := q.plan(words)
	plan.Whole = q.teamShare() >= whole
	recent, err := p.recent(ctx, q, likelihood)
	if err != nil {
		return db.Found{}, false, err
	}
	raw := func(most, factor int) int {
		if plan.Filter.OnFiles() {
			return most * factor
		}
		return most
	}
	for i := 0; i < len(recent) && i < guesses*stride; i += stride { // there is plenty: the newest will do
		plan.Recent = recent[i]
		plan.Most, plan.Block = enough, enough
		switch {
		case q.Offset+q.Limit >= enough:
			plan.Most = Window
		case q.byFile && !plan.Filter.OnFiles(): // as many as of all files, as they are in few
			plan.Most = crowd
		}
		plan.Raw = raw(plan.Most, rawRecent)
		found, err := p.db.SearchSentences(ctx, q.scope, plan)
		if err != nil || found.Total >= tooFew || q.byFile && found.Ranked == plan.Most { // as many would be ranked of all
			if plan.Most == crowd {
				found.Ranked = min(found.Ranked, enough) // as many as a search for sentences tells
			}
			return found, false, err
		}
		if plan.Filter.OnFiles() && found.Matched == plan.Raw {
			return p.walk(ctx, q, words) // common words in few files
		}
	}
	plan.Recent, plan.Most, plan.Block, plan.Raw, plan.Crowd = db.RecentFiles{}, Window, crowd, raw(Window, rawAll), crowd
	if q.Offset+q.Limit >= crowd {
		plan.Crowd = Window
	}
	found, err := p.db.SearchSentences(ctx, q.scope, plan)
	if err != nil {
		return db.Found{}, false, err
	}
	if plan.Filter.OnFiles() && found.Matched == plan.Raw && found.Total < tooFew {
		walked, exact, err := p.walk(ctx, q, words)
		if err != nil || walked.Total > found.Total {
			return walked, exact, err
		}
	}
	counted := found.Matched < plan.Raw || allRead(found)
	return found, counted && found.Total < Window, nil
}

// allRead reports whether all sentences were read for the files that they are in.
func allRead(found db.Found) bool { return 0 < found.Spread && found.Spread < spread }

// recent are ever larger parts of the newest files of the team, of which each
// should have enough sentences where about likelihood of all match, and none is
// so large that looking into all is no dearer.
func (p *Postgres) recent(ctx context.Context, q *question, likelihood float64) ([]db.RecentFiles, error) {
	const part = 0.3 // of the team's sentences
	share := q.teamShare()
	if likelihood == 0 || share == 0 {
		return nil, nil
	}
	list, err := p.newest(ctx, q.scope)
	return slices.DeleteFunc(slices.Clone(list), func(r db.RecentFiles) bool {
		sentences := float64(r.Files) * q.statistics.PerFile
		return sentences*likelihood < 1.5*enough || sentences > part*share*q.statistics.Sentences
	}), err
}

// newest lists the newest files of a team, as of the last minute.
func (p *Postgres) newest(ctx context.Context, in db.Scope) ([]db.RecentFiles, error) {
	const lifetime = time.Minute
	p.mu.Lock()
	known, ok := p.recents[in.TeamID]
	p.mu.Unlock()
	if ok && time.Since(known.readAt) <= lifetime {
		return known.list, nil
	}
	list, err := p.db.RecentFiles(ctx, in)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.recents) > mostTeams {
		clear(p.recents)
	}
	p.recents[in.TeamID] = recents{list, time.Now()}
	return list, nil
}

// walk reads the newest of the files that the filter lets through, one by one.
func (p *Postgres) walk(ctx context.Context, q *question, words string) (db.Found, bool, error) {
	plan := q.plan(words)
	plan.Block, plan.Most = enough, enough
	if q.Offset+q.Limit > enough {
		plan.Most = Window
	}
	plan.Newest = int(max(1, walkRows/q.statistics.PerFile))
	listed := words == "" && q.byFile
	if words == "" {
		plan.Newest = Window
	}
	if listed { // all of them, and such of their sentences as are asked for
		plan.Most, plan.Block = Window, Window
	}
	if n := len(q.Filter.FileIDs); n > 0 && n <= fewFiles {
		plan.Newest, plan.Most, plan.Block = n+1, Window, Window
	}
	found, err := p.db.SearchSentences(ctx, q.scope, plan)
	counted := found.Matched < plan.Most || allRead(found) || listed && !slices.Contains(plan.Facets, string(Label)) // labels are of sentences
	return found, found.Read < plan.Newest && counted, err
}

// mostRare are the words that a relaxed search is about, the rarest of them.
const mostRare = 8

// rareWords are the words that most are to be found of, the rarest first; none where
// there is nothing to choose.
func (q *question) rareWords() []rated {
	rare := q.rarest()
	if len(rare) < 2 {
		return nil
	}
	rare = used(rare)
	return rare[:min(len(rare), mostRare)]
}

// lookedUp is how many of words, the rarest first, are looked up: three of those that
// are not common, and one at least. Of a common one the index has too much to read.
func lookedUp(words []rated) int {
	const most = 3
	n := 1
	for n < min(most, len(words)) && words[n].share == 0 {
		n++
	}
	return n
}

// mostFiles are files that hold the most of words: so many of the first of each.
const mostFiles = 25

// findMost looks for most of the words, since nothing holds them all: first in
// files that hold the most of them somewhere, then two of the rarest in a sentence,
// then any.
func (p *Postgres) findMost(ctx context.Context, q *question) (db.Found, bool, error) {
	rare := q.spared(q.rareWords())
	if len(rare) == 0 {
		return db.Found{}, true, nil
	}
	q.first = rare[0].query
	any, likely := singles(rare)
	plan := q.plan("")
	plan.Whole = q.teamShare() >= whole
	if recent, err := p.recent(ctx, q, rare[0].share); err != nil {
		return db.Found{}, false, err
	} else if len(recent) > 0 {
		plan.Recent = recent[0]
	}
	ids, err := p.db.FilesWithMost(ctx, q.scope, plan, queries(rare), lookedUp(rare), mostFiles)
	if err != nil {
		return db.Found{}, false, err
	}
	if len(ids) > 0 {
		here := *q
		here.Filter.FileIDs = ids
		return p.walk(ctx, &here, any)
	}
	if len(rare) > 1 {
		two, together := pairs(rare)
		found, exact, err := p.find(ctx, q, two, together)
		if err != nil || found.Total > 0 {
			return found, exact, err
		}
	}
	return p.find(ctx, q, any, likely)
}

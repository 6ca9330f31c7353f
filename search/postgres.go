package search

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/clausemill/clausemill/db"
)

// Postgres answers from the rows themselves: what is committed can be found.
type Postgres struct {
	db *db.DB

	mu         sync.Mutex
	statistics db.WordStatistics
	readAt     time.Time
}

// NewPostgres answers from d.
func NewPostgres(d *db.DB) *Postgres { return &Postgres{db: d} }

var _ Engine = (*Postgres)(nil)

// Name is postgres.
func (*Postgres) Name() string { return "postgres" }

// Healthy reports whether Postgres answers.
func (p *Postgres) Healthy(ctx context.Context) error { return p.db.Ping(ctx) }

// Index has nothing to do: the index is part of the rows.
func (p *Postgres) Index(ctx context.Context, files []db.FileRef) ([]Indexed, error) {
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
func (p *Postgres) Sentences(ctx context.Context, in db.Scope, q Query) (Sentences, error) {
	found, seen, summary, err := p.answer(ctx, in, q, false)
	answer := Sentences{Summary: summary, Hits: []Hit{}}
	for _, s := range found.Sentences {
		answer.Hits = append(answer.Hits, newHit(s, seen.mark(s.Text)))
	}
	return answer, err
}

// Files answers q in files.
func (p *Postgres) Files(ctx context.Context, in db.Scope, q Query) (Files, error) {
	found, seen, summary, err := p.answer(ctx, in, q, true)
	answer := Files{Summary: summary, Hits: []FileHit{}}
	for _, f := range found.Files {
		f.Named = f.Named && len(seen.stems) > 0 // a list of the newest comes by name, without one
		var hits []Hit
		for _, s := range f.Sentences {
			hits = append(hits, newHit(s, seen.mark(s.Text)))
		}
		answer.Hits = append(answer.Hits, newFileHit(f, seen.mark(f.Name), hits))
	}
	return answer, err
}

// answer asks ever less strictly until something is found.
func (p *Postgres) answer(ctx context.Context, in db.Scope, query Query, byFile bool) (db.Found, *marker, Summary, error) {
	began := time.Now()
	summary := Summary{Engine: p.Name(), Exact: true}
	query, err := query.checked()
	if err != nil {
		return db.Found{}, nil, summary, err
	}
	q := &question{Query: query, scope: in, byFile: byFile, terms: parse(query.Text)}
	var found db.Found
	if len(q.terms) > 0 || query.Text == "" {
		if q.statistics, err = p.wordStatistics(ctx); err != nil {
			return db.Found{}, nil, summary, err
		}
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
	if err := p.understand(ctx, q); err != nil {
		return db.Found{}, summary, err
	}
	found, exact, err := p.find(ctx, q, q.all(), q.likelihood())
	if err != nil {
		return db.Found{}, summary, err
	}
	if found.Total == 0 {
		respelled, err := p.respell(ctx, q, true)
		if err != nil {
			return db.Found{}, summary, err
		}
		if respelled {
			if found, exact, err = p.find(ctx, q, q.all(), q.likelihood()); err != nil {
				return db.Found{}, summary, err
			}
		}
	}
	if found.Total == 0 {
		if found, exact, err = p.findMost(ctx, q); err != nil {
			return db.Found{}, summary, err
		}
		summary.Relaxed = found.Total > 0
	}
	summary.Total, summary.Exact = found.Total, exact
	summary.Corrected = q.corrected(found)
	return found, summary, nil
}

// understand looks the words of q up, and finds other spellings for those that
// the team does not use.
func (p *Postgres) understand(ctx context.Context, q *question) error {
	q.forms = map[string]*form{}
	for _, t := range q.terms {
		for _, w := range t.words {
			q.forms[w] = &form{}
		}
	}
	if len(q.forms) == 0 {
		return nil
	}
	list := slices.Sorted(maps.Keys(q.forms))
	known, err := p.db.WordForms(ctx, q.scope, list)
	if err != nil {
		return err
	}
	for i, w := range list {
		q.forms[w].WordForm = known[i]
		q.forms[w].share = q.share(known[i].Query)
	}
	if q.Prefix {
		if err := p.complete(ctx, q); err != nil {
			return err
		}
	}
	_, err = p.respell(ctx, q, false)
	return err
}

// complete lets the last word of q stand for whatever begins with it.
func (p *Postgres) complete(ctx context.Context, q *question) error {
	last := q.terms[len(q.terms)-1]
	if last.quoted || last.not {
		return nil
	}
	const most = 30
	word := last.words[len(last.words)-1]
	longer, err := p.db.WordsWithPrefix(ctx, q.scope, word, most)
	if err != nil {
		return err
	}
	f := q.forms[word]
	f.prefix = true
	for _, l := range longer {
		if l.Query != "" && !slices.Contains(f.others, l.Query) {
			f.others = append(f.others, l.Query)
			f.share += q.share(l.Query)
			f.Files += l.Files
		}
	}
	return nil
}

// Spellings that stand in for one word, and words that are respelled at once.
const (
	mostSpellings = 4
	mostRespelled = 8
)

// respell finds other spellings: for words that the team does not use or, if
// even is set, for those that it does use as well. It reports whether it found
// any.
func (p *Postgres) respell(ctx context.Context, q *question, even bool) (bool, error) {
	var list []string
	var near [][]string
	for _, t := range q.terms {
		for _, w := range t.words {
			f := q.forms[w]
			runes := []rune(w)
			skip := t.quoted || t.not || f.Query == "" || f.prefix || f.respelled || edits(runes) == 0 || len(runes) > maxWord
			if skip || !even && (f.Files > 0 || f.share > 0) || len(list) == mostRespelled {
				continue
			}
			f.respelled = true
			list, near = append(list, w), append(near, neighbours(runes))
		}
	}
	if len(list) == 0 {
		return false, nil
	}
	spellings, err := p.db.Spellings(ctx, q.scope, list, near)
	if err != nil {
		return false, err
	}
	for _, w := range list {
		q.forms[w].spell(w, spellings)
		for _, other := range q.forms[w].others {
			q.forms[w].share += q.share(other)
		}
	}
	return len(spellings) > 0, nil
}

// The costs of the two ways to read, in sentences.
const (
	walkBlock  = 100    // candidates that are ranked against each other
	walkRows   = 20_000 // the most that is read of the newest files for a block
	walkLikely = 0.01   // where one sentence in so many matches, walking is faster
	fewFiles   = 50     // so many files are read rather than looked up
	whole      = 0.2    // share of all sentences from which on a team is not looked up
)

// find carries out words, a tsquery, in the cheaper way. It tells whether the
// total is exact.
func (p *Postgres) find(ctx context.Context, q *question, words string, likelihood float64) (db.Found, bool, error) {
	if words == "" && q.Text != "" {
		return db.Found{}, true, nil // stop words only
	}
	share := q.statistics.Frequencies[db.TeamLexeme(q.scope.TeamID)]
	few := q.Filter.FileIDs != nil && len(q.Filter.FileIDs) <= fewFiles
	plenty := likelihood >= walkLikely && likelihood*share*q.statistics.Sentences >= 2*Window
	if few || plenty || !q.positive() {
		found, exact, err := p.walk(ctx, q, words, few || !q.positive())
		if err != nil || few || !q.positive() || exact || found.Total >= walkBlock {
			return found, exact, err
		}
	}
	plan := q.plan(words)
	plan.Whole = share >= whole
	plan.Most, plan.Block = Window, Window
	found, err := p.db.SearchSentences(ctx, q.scope, plan)
	if err != nil {
		return db.Found{}, false, err
	}
	read := Window
	if plan.Filter.OnFiles() {
		read = db.RawFactor * Window
	}
	exact := found.Matched < read && found.Total < Window
	if plan.Filter.OnFiles() && found.Matched == read && found.Total < walkBlock {
		// Common words in few files: those files are read instead.
		walked, all, err := p.walk(ctx, q, words, true)
		if err != nil || walked.Total > found.Total {
			return walked, all, err
		}
	}
	return found, exact, nil
}

// walk reads the newest files. Patient, it goes on for longer before it gives
// up.
func (p *Postgres) walk(ctx context.Context, q *question, words string, patient bool) (db.Found, bool, error) {
	plan := q.plan(words)
	plan.Block = walkBlock
	blocks := (q.Offset + q.Limit + walkBlock - 1) / walkBlock
	plan.Most = blocks * walkBlock
	rows := float64(walkRows * blocks)
	if patient {
		rows *= 4
	}
	plan.Newest = int(max(1, rows/q.statistics.PerFile))
	if words == "" {
		plan.Newest = Window
	}
	if n := len(q.Filter.FileIDs); n > 0 && n <= fewFiles {
		plan.Newest, plan.Most = n+1, Window
	}
	found, err := p.db.SearchSentences(ctx, q.scope, plan)
	return found, found.Read < plan.Newest && found.Matched < plan.Most, err
}

// findMost looks for most of the words, since nothing holds them all: first in
// files that hold each of them somewhere, then two of the rarest in a sentence,
// then any.
func (p *Postgres) findMost(ctx context.Context, q *question) (db.Found, bool, error) {
	const most, files = 5, 40
	rare := q.rarest()
	if len(rare) < 2 {
		return db.Found{}, true, nil
	}
	rare = rare[:min(len(rare), most)]
	ids, err := p.db.FilesWithAll(ctx, q.scope, q.Filter, rare, files)
	if err != nil {
		return db.Found{}, false, err
	}
	if len(ids) > 0 {
		here := *q
		here.Filter.FileIDs = ids
		plan := here.plan(either(rare))
		plan.Newest, plan.Most, plan.Block = len(ids)+1, Window, Window
		found, err := p.db.SearchSentences(ctx, q.scope, plan)
		return found, found.Matched < Window && len(ids) < files, err
	}
	found, exact, err := p.find(ctx, q, pairs(rare), 0)
	if err != nil || found.Total > 0 {
		return found, exact, err
	}
	return p.find(ctx, q, either(rare), 0)
}

// wordStatistics are renewed every few minutes; they change as slowly as the
// language of contracts.
func (p *Postgres) wordStatistics(ctx context.Context) (db.WordStatistics, error) {
	const lifetime = 5 * time.Minute
	p.mu.Lock()
	defer p.mu.Unlock()
	if time.Since(p.readAt) < lifetime {
		return p.statistics, nil
	}
	fresh, err := p.db.WordStatistics(ctx)
	if err != nil {
		return db.WordStatistics{}, err
	}
	p.statistics, p.readAt = fresh, time.Now()
	return fresh, nil
}

package bench

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/clausemill/clausemill/search"
)

// searches asks both engines for phrases of the corpus, beside a bare query of
// the same words.
func searches(ctx context.Context, c *Config) ([]row, error) {
	sentences, err := corpusSentences(c.Data)
	if err != nil {
		return nil, err
	}
	var rows []row
	latency, err := c.addToSearchable(ctx)
	if err != nil {
		return nil, err
	}
	rows = append(rows, latency)
	for _, engine := range c.Engines {
		more, err := c.questions(ctx, engine, sentences)
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	asking := func(parameters string) func(*rand.Rand) string {
		return func(r *rand.Rand) string {
			return "/api/search?" + parameters + "q=" + url.QueryEscape(phrase(r, sentences))
		}
	}
	for _, over := range []struct {
		what, parameters string
		most             time.Duration
	}{{"files alone", "groups=files&", 50 * time.Millisecond}, {"all groups", "", 80 * time.Millisecond}} {
		r, err := c.overHTTP(ctx, "GET /api/search of three words, "+over.what, over.most, asking(over.parameters))
		if err != nil {
			return nil, err
		}
		rows = append(rows, r)
	}
	return append(rows, c.size(ctx)), nil
}

// overHTTP measures what is got from a path, by one caller and by eight at once, after others
// of its kind, as among people who ask all day: to plan its first statements a connection
// reads the catalog and the statistics of their tables. What that may take is told beside it.
func (c *Config) overHTTP(ctx context.Context, what string, most time.Duration, path func(*rand.Rand) string) (row, error) {
	get := func(r *rand.Rand) error { return c.call(ctx, http.MethodGet, path(r), "", nil, nil) }
	first, err := times(8, 10, warm, get)
	if err != nil {
		return row{}, err
	}
	alone, err := times(1, 20, asked, get)
	if err != nil {
		return row{}, err
	}
	together, err := times(8, 10, asked, get)
	if err != nil {
		return row{}, err
	}
	return row{
		what: what + ", p95 of 8 at once", ours: milliseconds(percentile(together, 0.95)), want: c.within(most),
		peer: fmt.Sprintf("p50 %s, of one caller %s, at first up to %s", milliseconds(percentile(together, 0.5)), milliseconds(percentile(alone, 0.5)), milliseconds(slices.Max(first))),
	}, nil
}

// questions puts questions of all kinds to an engine, to one caller and to
// eight.
func (c *Config) questions(ctx context.Context, engine search.Engine, sentences []string) ([]row, error) {
	var rows []row
	for _, kind := range []struct {
		name string
		ask  func(r *rand.Rand) search.Query
	}{
		{"a common word", func(r *rand.Rand) search.Query {
			return search.Query{Text: []string{"agreement", "party", "notice", "shall"}[r.IntN(4)]}
		}},
		{"three words", func(r *rand.Rand) search.Query { return search.Query{Text: phrase(r, sentences)} }},
		{"a phrase of three words", func(r *rand.Rand) search.Query { return search.Query{Text: `"` + phrase(r, sentences) + `"`} }},
		{"a misspelt word", func(r *rand.Rand) search.Query { return search.Query{Text: misspell(r, phrase(r, sentences))} }},
		{"three words with facets", func(r *rand.Rand) search.Query {
			return search.Query{Text: phrase(r, sentences), Facets: search.Facets()}
		}},
		{"the same, of a stage", func(r *rand.Rand) search.Query {
			return search.Query{Text: phrase(r, sentences), Facets: search.Facets(), Filter: search.Filter{LifecycleStages: []string{"active"}}}
		}},
	} {
		put := func(r *rand.Rand) error {
			q := kind.ask(r)
			if _, err := engine.Sentences(ctx, c.Scope, q); err != nil {
				return fmt.Errorf("%s: %q: %w", engine.Name(), q.Text, err)
			}
			return nil
		}
		// As among people who search all day: a server that reads its index from
		// the disk may be too late at first.
		_, _ = times(8, 50, warm, put)
		alone, err := times(1, 50, asked, put)
		if err != nil {
			return nil, err
		}
		together, err := times(8, 25, asked, put)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row{
			what: engine.Name() + ", " + kind.name + ", p95 of 8 at once", ours: milliseconds(percentile(together, 0.95)),
			peer: "p50 " + milliseconds(percentile(together, 0.5)) + ", of one caller " + milliseconds(percentile(alone, 0.5)), want: c.within(50 * time.Millisecond),
		})
	}
	return rows, nil
}

// size tells among how many files and sentences something was measured.
func (c *Config) size(ctx context.Context) row {
	var files, stored int
	r := row{what: "among", want: "100 k, 5 M"}
	if err := c.DB.Pool().QueryRow(ctx, `SELECT (SELECT count(*) FROM files), (SELECT count(*) FROM sentences)`).Scan(&files, &stored); err != nil {
		r.ours = err.Error()
		return r
	}
	r.ours = fmt.Sprintf("%d files, %d sentences", files, stored)
	return r
}

// Two sequences of random questions, which have none in common.
const (
	asked uint64 = iota + 1
	warm
)

// times does something so many times in each of some goroutines, at random from a
// sequence, and tells how long each time took.
func times(at, each int, sequence uint64, do func(r *rand.Rand) error) ([]time.Duration, error) {
	var mu sync.Mutex
	var took []time.Duration
	var group errgroup.Group
	for i := range at {
		r := rand.New(rand.NewPCG(sequence, uint64(i)))
		group.Go(func() error {
			for range each {
				started := time.Now()
				if err := do(r); err != nil {
					return err
				}
				mu.Lock()
				took = append(took, time.Since(started))
				mu.Unlock()
			}
			return nil
		})
	}
	return took, group.Wait()
}

// addToSearchable uploads one short contract at a time and waits until it is
// found.
func (c *Config) addToSearchable(ctx context.Context) (row, error) {
	const n = 20
	var took []time.Duration
	for range n {
		word := fresh()
		started := time.Now()
		id, err := c.upload(ctx, "short.txt", []byte("The parties call this agreement "+word+" between themselves.\n"))
		if err != nil {
			return row{}, err
		}
		if err := c.follow(ctx, []string{id}, func(s state) bool { return s.Searchable }); err != nil {
			return row{}, err
		}
		took = append(took, time.Since(started))
	}
	return row{what: "one file added to searchable, p50", ours: milliseconds(percentile(took, 0.5)), want: c.within(300 * time.Millisecond)}, nil
}

// corpusSentences are lines of contracts that read like sentences.
func corpusSentences(data string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(data, "cuad", "txt", "*.txt"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("no texts in %s/cuad/txt: %w", data, err)
	}
	var sentences []string
	for _, file := range files[:min(len(files), 40)] {
		f, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			if words := strings.Fields(lines.Text()); len(words) >= 8 {
				sentences = append(sentences, lines.Text())
			}
		}
		_ = f.Close()
	}
	return sentences, nil
}

// phrase is three words in a row that are not the shortest.
func phrase(r *rand.Rand, sentences []string) string {
	for {
		words := strings.FieldsFunc(sentences[r.IntN(len(sentences))], func(r rune) bool { return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z') })
		at := r.IntN(max(1, len(words)-3))
		if at+3 > len(words) {
			continue
		}
		if picked := strings.Join(words[at:at+3], " "); len(picked) >= 15 {
			return picked
		}
	}
}

// misspell swaps two letters in the longest word.
func misspell(r *rand.Rand, text string) string {
	words := strings.Fields(text)
	longest := 0
	for i, w := range words {
		if len(w) > len(words[longest]) {
			longest = i
		}
	}
	w := []byte(words[longest])
	i := 1 + r.IntN(len(w)-2)
	w[i], w[i-1] = w[i-1], w[i]
	words[longest] = string(w)
	return strings.Join(words, " ")
}

package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"

	"github.com/clausemill/clausemill/blob"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/jobs"
	"github.com/clausemill/clausemill/query"
	"github.com/clausemill/clausemill/search"
)

// scale measures what grows with the files of a team.
func scale(ctx context.Context, c *Config) ([]row, error) {
	if err := c.fill(ctx); err != nil {
		return nil, err
	}
	sentences, err := corpusSentences(c.Data)
	if err != nil {
		return nil, err
	}
	// A server that has been asked for a day has read all of them.
	if _, err := c.DB.Pool().Exec(ctx, `
		CREATE EXTENSION IF NOT EXISTS pg_prewarm;
		SELECT sum(pg_prewarm(c.oid)) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'i')`); err != nil {
		return nil, err
	}
	rows := []row{c.size(ctx), c.hugePages(ctx)}
	for _, measure := range []func(context.Context, []string) ([]row, error){
		c.engines, c.nearest, c.requests, c.floors, c.analyses, resident, c.nearestWhole,
	} {
		if err != nil {
			break
		}
		var more []row
		more, err = measure(ctx, sentences)
		rows = append(rows, more...)
	}
	return rows, err
}

// hugePages tells whether the shared memory of a Postgres on this machine lies in huge pages.
// Without them each connection maps what it touches by 4 KB, and searches touch gigabytes.
func (c *Config) hugePages(ctx context.Context) row {
	r := row{what: "shared memory of Postgres in huge pages", ours: "unknown"}
	err := c.DB.Pool().AcquireFunc(ctx, func(conn *pgxpool.Conn) error {
		memory, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", conn.Conn().PgConn().PID()))
		if err != nil {
			return err
		}
		if regexp.MustCompile(`(?m)^(Shared|Private)_Hugetlb:\s+[1-9]`).Match(memory) {
			r.ours = "yes"
		} else {
			r.ours = "no"
		}
		return nil
	})
	if err != nil {
		r.peer = err.Error()
	}
	return r
}

// resident is the memory of this process, which is the interface and a worker
// and has kept what it remembers of so many files.
func resident(context.Context, []string) ([]row, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return nil, err
	}
	megabytes := func(field string) string {
		_, after, _ := strings.Cut(string(status), field+":")
		number, _, _ := strings.Cut(strings.TrimSpace(after), " ")
		kilobytes, _ := strconv.Atoi(number) // 0 where the system does not tell
		return fmt.Sprintf("%d MB", kilobytes>>10)
	}
	return []row{{what: "memory of interface and worker, resident", ours: megabytes("VmRSS"), peer: "at most " + megabytes("VmHWM")}}, nil
}

// engines measures how fast each engine takes all in that is not in it, and how
// fast it answers.
func (c *Config) engines(ctx context.Context, sentences []string) ([]row, error) {
	var rows []row
	for _, engine := range c.Engines {
		if !engine.Immediate() {
			started := time.Now()
			drift, err := engine.Reconcile(ctx, true)
			if err != nil {
				return rows, err
			}
			rows = append(rows, row{
				what: engine.Name() + " brought up to date", ours: time.Since(started).Round(time.Second).String(), peer: fmt.Sprintf("%d files", drift.Indexed),
			})
		}
		questions, err := c.questions(ctx, engine, sentences)
		rows = append(rows, questions...)
		if err != nil {
			return rows, err
		}
	}
	return rows, nil
}

// requests measures what the interface answers from many files, and counts
// the tables that it read from end to end for that.
func (c *Config) requests(ctx context.Context, sentences []string) ([]row, error) {
	var about string
	if err := c.DB.Pool().QueryRow(ctx, `SELECT id::text FROM sentences WHERE team_id = $1 AND length(text) > 100 LIMIT 1`, c.Scope.TeamID).Scan(&about); err != nil {
		return nil, err
	}
	var rows []row
	for _, r := range []struct {
		what string
		most time.Duration // in milliseconds
		path func(r *rand.Rand) string
	}{
		{"search with all groups", 80, func(r *rand.Rand) string { return "/api/search?q=" + url.QueryEscape(phrase(r, sentences)) }},
		{"sentences nearest to one", 100, func(*rand.Rand) string { return "/api/sentences/" + about + "/nearest-matches" }},
		{"filter of counterparties", 50, filterOf("counterparties")},
		{"filter of document types", 50, filterOf("document-types")},
		{"filter of parties", 50, filterOf("parties")},
		{"filter of sources", 50, filterOf("sources")},
		{"filter of stages", 50, filterOf("stages")},
		{"filter of statuses", 50, filterOf("statuses")},
		{"list of matters", 50, func(*rand.Rand) string { return "/api/matters" }},
		{"list of sentences", 50, func(*rand.Rand) string { return "/api/sentences" }},
		{"list of files of a stage", 50, func(*rand.Rand) string { return "/api/files?lifecycleStage=active" }},
		{"list of completed files", 50, func(*rand.Rand) string { return "/api/files?status=completed" }},
	} {
		before, err := c.scans(ctx)
		if err != nil {
			return rows, err
		}
		measured, err := c.overHTTP(ctx, r.what, r.most*time.Millisecond, r.path)
		if err != nil {
			return rows, err
		}
		after, err := c.scans(ctx)
		if err != nil {
			return rows, err
		}
		measured.peer += fmt.Sprintf(", %d tables read whole", after-before)
		rows = append(rows, measured)
	}
	return rows, nil
}

// nearest measures the first question about nearest sentences that a process is asked, of
// an index that the worker of this process builds, and what is kept in memory for it.
func (c *Config) nearest(ctx context.Context, sentences []string) ([]row, error) {
	client, err := river.NewClient(c.DB.Driver(), &river.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, err
	}
	started := time.Now()
	if err := c.DB.InTx(ctx, func(tx *db.Tx) error {
		return jobs.Insert(ctx, client, tx.Raw, jobs.BuildNearest{TeamID: c.Scope.TeamID})
	}); err != nil {
		return nil, err
	}
	var index db.NearestIndex
	for {
		if index, err = c.DB.NearestIndex(ctx, c.Scope); err == nil && index.BuiltAt.After(started.Add(-time.Second)) {
			break
		}
		if err != nil && fault.KindOf(err) != fault.NotFound || ctx.Err() != nil {
			return nil, errors.Join(err, ctx.Err())
		}
		time.Sleep(20 * time.Millisecond)
	}
	built := time.Since(started)
	first, kept, err := c.firstQuestion(ctx, sentences[0], func(ctx context.Context, id string) (string, func(), error) {
		return c.Blobs.Local(ctx, blob.Nearest(id))
	})
	return []row{
		{what: "index of nearest sentences built", ours: built.Round(100 * time.Millisecond).String(), peer: fmt.Sprintf("%d sentences, %.1f bytes each", index.Sentences, float64(index.Size)/float64(max(1, index.Sentences)))},
		{what: "sentences nearest to one, first question of a process", ours: milliseconds(first), want: c.within(100 * time.Millisecond), peer: kept},
	}, err
}

// nearestWhole measures the same without an index. It comes last: all sentences stay in
// memory for a while, which is more than this process is to have, so that it collects garbage
// all the time.
func (c *Config) nearestWhole(ctx context.Context, sentences []string) ([]row, error) {
	first, kept, err := c.firstQuestion(ctx, sentences[0], nil)
	return []row{{what: "the same question without an index", ours: milliseconds(first), peer: kept}}, err
}

// firstQuestion has a process that knows nothing yet look for the sentences nearest to text,
// and tells what it keeps in memory.
func (c *Config) firstQuestion(ctx context.Context, text string, stored search.Stored) (took time.Duration, kept string, err error) {
	before := inUse()
	n := search.NewNearest(c.DB, stored, slog.New(slog.DiscardHandler))
	started := time.Now()
	_, err = n.Sentences(ctx, c.Scope, search.NearQuery{Text: text, Limit: 10})
	took = time.Since(started)
	kept = fmt.Sprintf("%.1f MB on the heap", max(0, inUse()-before)/1e6)
	runtime.KeepAlive(n)
	return took, kept, err
}

// inUse is how many bytes are in use.
func inUse() float64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.GC() // of pools as well
	runtime.ReadMemStats(&stats)
	return float64(stats.HeapAlloc)
}

func filterOf(facet string) func(*rand.Rand) string {
	return func(*rand.Rand) string { return "/api/matters-files/filters/" + facet }
}

// scans counts how often large tables were read from end to end, as the server
// has heard of it.
func (c *Config) scans(ctx context.Context) (n int, err error) {
	const heard = 1500 * time.Millisecond // an idle connection tells within a second
	time.Sleep(heard)
	err = c.DB.Pool().QueryRow(ctx, `
		SELECT coalesce(sum(seq_scan), 0) FROM pg_stat_user_tables WHERE relname IN ('files', 'sentences', 'sections', 'attributes', 'file_nodes')`).Scan(&n)
	return n, err
}

// floors measures requests beside servers that do no more than ask the database
// the same and write down what it says.
func (c *Config) floors(ctx context.Context, _ []string) ([]row, error) {
	var matter string
	if err := c.DB.Pool().QueryRow(ctx, `SELECT id::text FROM matters WHERE team_id = $1 LIMIT 1`, c.Scope.TeamID).Scan(&matter); err != nil {
		return nil, err
	}
	grouped := query.Query{Source: query.Sentences, Metric: query.Metric{Op: query.Count}, GroupBy: []query.Field{query.Label}, Limit: 50}
	body, err := json.Marshal(map[string]any{"query": grouped})
	if err != nil {
		return nil, err
	}
	grouped, err = grouped.Checked(time.Now())
	if err != nil {
		return nil, err
	}
	type measured struct {
		what  string
		ours  func(*rand.Rand) error
		floor func(context.Context) (any, error)
	}
	all := []measured{
		{"50 files of all", func(*rand.Rand) error {
			return c.call(ctx, http.MethodGet, "/api/files", "", nil, nil)
		}, func(ctx context.Context) (any, error) {
			files, err := c.DB.Files(ctx, c.Scope, db.FileFilter{}, "", 51)
			if err != nil {
				return nil, err
			}
			count, err := c.DB.CountFiles(ctx, c.Scope, db.FileFilter{})
			return []any{files, count}, err
		}},
		{"one matter", func(*rand.Rand) error {
			return c.call(ctx, http.MethodGet, "/api/matters/"+matter, "", nil, nil)
		}, func(ctx context.Context) (any, error) {
			return c.DB.Matter(ctx, c.Scope, matter)
		}},
		{"sentences by label", func(*rand.Rand) error {
			return c.call(ctx, http.MethodPost, "/api/dashboard-widgets/execute-query", "application/json", bytes.NewReader(body), nil)
		}, func(ctx context.Context) (any, error) {
			return c.DB.Aggregate(ctx, c.Scope, grouped, time.Minute)
		}},
	}
	for _, facet := range db.MatterFacets() {
		all = append(all, measured{"filter of " + string(facet), func(*rand.Rand) error {
			return c.call(ctx, http.MethodGet, "/api/matters-files/filters/"+string(facet)+"?limit=50", "", nil, nil)
		}, func(ctx context.Context) (any, error) {
			return c.DB.MatterFacetValues(ctx, c.Scope, facet, db.MatterFileFilter{}, "", 50)
		}})
	}
	var rows []row
	for _, r := range all {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
			answer, err := r.floor(request.Context())
			if err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
			_ = json.NewEncoder(w).Encode(answer) // who has gone away is told nothing
		}))
		defer server.Close()
		beside := *c
		beside.URL = server.URL
		floor := func(*rand.Rand) error { return beside.call(ctx, http.MethodGet, "/", "", nil, nil) }
		var ours, theirs []time.Duration
		for range 3 { // in turns, so that whatever else the machine does meets both
			for do, took := range map[*func(*rand.Rand) error]*[]time.Duration{&r.ours: &ours, &floor: &theirs} {
				more, err := times(1, 10, asked, *do)
				if err != nil {
					return rows, fmt.Errorf("%s: %w", r.what, err)
				}
				*took = append(*took, more...)
			}
		}
		a, b := percentile(ours, 0.5), percentile(theirs, 0.5)
		rows = append(rows, row{r.what + ", p50 (p99)", milliseconds(a) + " (" + milliseconds(percentile(ours, 0.99)) + ")", "the same queries alone " + milliseconds(b), b.Seconds() / a.Seconds(), "≥ 0.67"})
	}
	return rows, nil
}

// analyses measures what one more file costs that is compared with many.
func (c *Config) analyses(ctx context.Context, sentences []string) ([]row, error) {
	started := time.Now()
	if _, err := c.DB.DueAnalyses(ctx, time.Hour); err != nil {
		return nil, err
	}
	plan := time.Since(started)
	started = time.Now()
	id, err := c.upload(ctx, "One more.txt", []byte(fresh()+" AGREEMENT\n\n"+sentences[0]+"\n\n"+sentences[1]+"\n"))
	if err != nil {
		return nil, err
	}
	if err := c.follow(ctx, []string{id}, state.ended); err != nil {
		return nil, err
	}
	one := time.Since(started)
	var kind string
	var files int
	if err := c.DB.Pool().QueryRow(ctx, `
		SELECT document_type_id::text, count(*) FROM files WHERE team_id = $1 AND document_type_id IS NOT NULL GROUP BY 1 ORDER BY 2 DESC LIMIT 1`,
		c.Scope.TeamID).Scan(&kind, &files); err != nil {
		return nil, err
	}
	started = time.Now()
	var operation struct {
		OperationID string `json:"operationId"`
		State       string `json:"state"`
	}
	if err := c.call(ctx, http.MethodPost, "/api/document-types/"+kind+"/analyze", "", nil, &operation); err != nil {
		return nil, err
	}
	for operation.State != "completed" {
		if operation.State == "failed" {
			return nil, fmt.Errorf("the analysis of type %s failed", kind)
		}
		if err := c.call(ctx, http.MethodGet, "/api/operations/"+operation.OperationID, "", nil, &operation); err != nil {
			return nil, err
		}
		time.Sleep(10 * time.Millisecond)
	}
	return []row{
		{what: "which analyses are due, over all files", ours: milliseconds(plan)},
		{what: "one more file, to completed", ours: milliseconds(one)},
		{what: fmt.Sprintf("the analysis of a type of %d files", files), ours: milliseconds(time.Since(started))},
	}, nil
}

package search_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/meilisearch/meilisearch-go"
	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/db/dbtest"
	"github.com/clausemill/clausemill/search"
)

// benchFile is how many sentences a file has in a benchmark.
const benchFile = 50

// benchSize is how many sentences to search in: CLAUSEMILL_BENCH_SENTENCES, or
// what takes a minute to fill.
func benchSize(b *testing.B) int {
	b.Helper()
	size := os.Getenv("CLAUSEMILL_BENCH_SENTENCES")
	if size == "" {
		return 50_000
	}
	n, err := strconv.Atoi(size)
	require.NoError(b, err)
	return n
}

// benchSentences are the sentences of real contracts, up to n, in files of equal
// size.
func benchSentences(b *testing.B, n int) [][]string {
	b.Helper()
	var files [][]string
	for _, sentences := range contracts(b, 1000) {
		for part := range slices.Chunk(sentences, benchFile) {
			if len(files)*benchFile >= n {
				return files
			}
			files = append(files, part)
		}
	}
	return files
}

// fillCopies fills a team with real sentences and copies of them, n in all, and
// brings the statistics up to date as the server would in time.
func (h *house) fillCopies(b *testing.B, n int) [][]string {
	b.Helper()
	ctx := context.Background()
	files := benchSentences(b, n)
	ids := h.fill(b, files)
	for made := len(files); made*benchFile < n; made += len(ids) {
		some := ids[:min(len(ids), n/benchFile-made+1)]
		copies := make([]string, len(some))
		for i := range copies {
			copies[i] = db.NewID()
		}
		for _, sql := range []string{
			`INSERT INTO files (id, team_id, name, size, sha256, language, lifecycle_stage, status, text_ready, generation)
				SELECT c.copy, team_id, name, size, sha256, language, (ARRAY['draft', 'review', 'active', 'archived'])[1 + get_byte(uuid_send(c.copy), 15) % 4],
					'completed', true, 1
				FROM unnest(@ids::uuid[], @copies::uuid[]) c (id, copy) JOIN files USING (id)`,
			`INSERT INTO sentences (id, file_id, team_id, ordinal, block, page, start_at, end_at, text)
				SELECT gen_random_uuid(), c.copy, team_id, ordinal, block, page, start_at, end_at, text
				FROM unnest(@ids::uuid[], @copies::uuid[]) c (id, copy) JOIN sentences s ON s.file_id = c.id`,
		} {
			_, err := h.db.Pool().Exec(ctx, sql, pgx.NamedArgs{"ids": some, "copies": copies})
			require.NoError(b, err)
		}
	}
	_, err := h.Reconcile(ctx, true)
	require.NoError(b, err)
	_, err = h.db.Pool().Exec(ctx, "VACUUM ANALYZE")
	require.NoError(b, err)
	return files
}

// engines open each engine over a database.
var engines = []struct {
	name string
	open func(b *testing.B, d *db.DB) search.Engine
}{
	{"Postgres", func(_ *testing.B, d *db.DB) search.Engine { return search.NewPostgres(d) }},
	{"Meili", func(b *testing.B, d *db.DB) search.Engine { return newMeili(b, d) }},
}

// BenchmarkSearch measures answers to eight callers at once, with a team, facets
// and, in one case, a filter. It reports the median and the 95th percentile.
func BenchmarkSearch(b *testing.B) {
	for _, engine := range engines {
		b.Run(engine.name, func(b *testing.B) {
			d, _ := dbtest.Database(b)
			h := newHouse(b, d, engine.open(b, d))
			files := h.fillCopies(b, benchSize(b))
			random := rand.New(rand.NewPCG(1, 2))
			all := slices.Concat(files...)
			someWords := func(n int) []string {
				for {
					words := slices.DeleteFunc(search.Words(all[random.IntN(len(all))]), func(w string) bool { return len(w) < 4 })
					if len(words) >= n {
						return shuffle(random, words)[:n]
					}
				}
			}
			for _, question := range []struct {
				name string
				ask  func() search.Query
			}{
				{"OneWord", func() search.Query { return search.Query{Text: someWords(1)[0]} }},
				{"ThreeWords", func() search.Query { return search.Query{Text: strings.Join(someWords(3), " ")} }},
				{"Misspelt", func() search.Query { return search.Query{Text: strings.Join(mistype(random, someWords(3)), " ")} }},
				{"Phrase", func() search.Query {
					_, phrase := pick(random, all, 6, 9)
					return search.Query{Text: strings.Join(phrase, " ")}
				}},
				{"Common", func() search.Query { return search.Query{Text: "notice termination agreement"} }},
				{"Filtered", func() search.Query {
					return search.Query{Text: strings.Join(someWords(3), " "), Filter: search.Filter{LifecycleStages: []string{"draft"}}}
				}},
			} {
				questions := make([]search.Query, 500)
				for i := range questions {
					questions[i] = question.ask()
					questions[i].Facets = []search.Facet{search.DocumentType, search.Status, search.LifecycleStage, search.Language}
				}
				b.Run(question.name, func(b *testing.B) {
					measure(b, 8, func(i int) error {
						_, err := h.Sentences(context.Background(), h.ours, questions[i%len(questions)])
						return err
					})
				})
				b.Run(question.name+"ByFile", func(b *testing.B) {
					measure(b, 8, func(i int) error {
						_, err := h.Files(context.Background(), h.ours, questions[i%len(questions)])
						return err
					})
				})
			}
		})
	}
}

// measure calls do from several goroutines and reports how long it took.
func measure(b *testing.B, callers int, do func(i int) error) {
	b.Helper()
	var mu sync.Mutex
	var took []time.Duration
	var group sync.WaitGroup
	next := make(chan int)
	b.ResetTimer()
	for range callers {
		group.Go(func() {
			for i := range next {
				began := time.Now()
				err := do(i)
				mu.Lock()
				took = append(took, time.Since(began))
				if err != nil {
					b.Error(err)
				}
				mu.Unlock()
			}
		})
	}
	for i := range b.N {
		next <- i
	}
	close(next)
	group.Wait()
	b.StopTimer()
	slices.Sort(took)
	percentile := func(p int) float64 { return float64(took[len(took)*p/100].Microseconds()) / 1000 }
	b.ReportMetric(percentile(50), "p50-ms")
	b.ReportMetric(percentile(95), "p95-ms")
}

// BenchmarkIndex measures sentences a second: ours, with everything that makes
// a text findable and confirmed, and the engine's own for the same sentences in
// large batches.
func BenchmarkIndex(b *testing.B) {
	const atOnce = 512 // files
	files := benchSentences(b, 20_000)
	total := 0
	for _, sentences := range files {
		total += len(sentences)
	}
	rate := func(b *testing.B) {
		b.ReportMetric(float64(total*b.N)/b.Elapsed().Seconds(), "sentences/s")
	}
	for _, engine := range engines {
		b.Run(engine.name, func(b *testing.B) {
			d, _ := dbtest.Database(b)
			h := newHouse(b, d, engine.open(b, d))
			for b.Loop() {
				b.StopTimer()
				ids := make([]string, len(files))
				for i := range files {
					ids[i] = h.create(b, h.ours, "upload.pdf", nil)
				}
				if engine.name == "Meili" { // the rows are written already
					for i, sentences := range files {
						require.NoError(b, saveText(b.Context(), d, h.ours, ids[i], "en", sentences))
					}
				}
				b.StartTimer()
				if engine.name == "Postgres" {
					for i, sentences := range files {
						require.NoError(b, saveText(b.Context(), d, h.ours, ids[i], "en", sentences))
					}
				}
				for some := range slices.Chunk(ids, atOnce) {
					h.index(b, h.ours, some...)
				}
			}
			rate(b)
		})
	}
	b.Run("PostgresOwn", func(b *testing.B) {
		d, _ := dbtest.Database(b)
		h := newHouse(b, d, search.NewPostgres(d))
		for b.Loop() {
			b.StopTimer()
			ids := make([]string, len(files))
			for i := range files {
				ids[i] = h.create(b, h.ours, "upload.pdf", nil)
			}
			var rows [][]any
			for i, sentences := range files {
				for j, s := range sentences {
					rows = append(rows, []any{db.NewID(), ids[i], h.ours.TeamID, j, 0, 1, 0, len(s), s})
				}
			}
			b.StartTimer()
			_, err := d.Pool().CopyFrom(b.Context(), pgx.Identifier{"sentences"},
				[]string{"id", "file_id", "team_id", "ordinal", "block", "page", "start_at", "end_at", "text"}, pgx.CopyFromRows(rows))
			require.NoError(b, err)
		}
		rate(b)
	})
	b.Run("MeiliOwn", func(b *testing.B) {
		d, _ := dbtest.Database(b)
		config := meiliConfig(b)
		_, err := search.NewMeili(d, config).Reconcile(b.Context(), false) // makes the index with our settings
		require.NoError(b, err)
		index := meiliServer(config).Index(config.Prefix + "_v1")
		for b.Loop() {
			b.StopTimer()
			var lines bytes.Buffer
			lists := json.NewEncoder(&lines)
			for i, sentences := range files {
				for j, s := range sentences {
					require.NoError(b, lists.Encode(map[string]any{
						"id": db.NewID(), "kind": "sentence", "teamId": "t", "fileId": fmt.Sprint("f", i), "ordinal": j, "text": s, "label": nil, "status": "completed",
						"documentTypeId": nil, "matterId": nil, "lifecycleStage": "draft", "language": "en", "createdAt": 1, "generation": 1,
					}))
				}
			}
			b.StartTimer()
			task, err := index.AddDocumentsNdjson(lines.Bytes(), nil)
			require.NoError(b, err)
			done, err := meiliServer(config).WaitForTask(task.TaskUID, 5*time.Millisecond)
			require.NoError(b, err)
			require.Equal(b, meilisearch.TaskStatusSucceeded, done.Status)
		}
		rate(b)
	})
}

// BenchmarkSearchable measures how long one more file takes to be findable once
// its text is stored.
func BenchmarkSearchable(b *testing.B) {
	for _, engine := range engines {
		b.Run(engine.name, func(b *testing.B) {
			d, _ := dbtest.Database(b)
			h := newHouse(b, d, engine.open(b, d))
			files := benchSentences(b, 10_000)
			h.fill(b, files)
			ids := make([]string, b.N)
			for i := range ids {
				ids[i] = h.create(b, h.ours, "upload.pdf", nil)
				require.NoError(b, saveText(b.Context(), d, h.ours, ids[i], "en", files[i%len(files)]))
			}
			measure(b, 1, func(i int) error {
				_, err := h.Index(b.Context(), refs(h.ours, ids[i]))
				return err
			})
		})
	}
}

package search_test

import (
	"context"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/meilisearch/meilisearch-go"
	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/db/dbtest"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/query"
	"github.com/clausemill/clausemill/search"
)

// outages is a Meilisearch of a test's own that can be stopped and started. Its
// address stays the same; its data do, too.
type outages struct {
	program, dir, url, key string
	target                 atomic.Pointer[url.URL] // nil while it is stopped
	process                *exec.Cmd
}

func newOutages(t *testing.T) *outages {
	t.Helper()
	o := &outages{program: os.Getenv("MEILI_TEST_PROGRAM"), dir: t.TempDir(), key: db.NewID()}
	if o.program == "" {
		t.Skip("needs a Meilisearch to stop: run the tests with `make test`, or set MEILI_TEST_PROGRAM")
	}
	door := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		target := o.target.Load()
		if target == nil {
			panic(http.ErrAbortHandler) // the connection ends, as it does with a server that is gone
		}
		proxy := httputil.NewSingleHostReverseProxy(target)
		proxy.ErrorHandler = func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) }
		proxy.ServeHTTP(w, r)
	}))
	o.url = door.URL
	t.Cleanup(func() {
		o.stop(t)
		door.Close()
	})
	o.start(t)
	return o
}

// start returns when the server answers.
func (o *outages) start(t *testing.T) {
	t.Helper()
	port, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := port.Addr().String()
	require.NoError(t, port.Close())
	log, err := os.Create(filepath.Join(o.dir, "log"))
	require.NoError(t, err)
	defer log.Close()
	o.process = exec.Command(o.program, "--http-addr", address, "--env", "production", "--no-analytics", "--log-level", "WARN", "--max-indexing-threads", "1") //nolint:gosec // the test's own
	o.process.Env = append(os.Environ(), "MEILI_MASTER_KEY="+o.key)
	o.process.Dir, o.process.Stdout, o.process.Stderr = o.dir, log, log
	o.process.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	require.NoError(t, o.process.Start())
	server := meilisearch.New("http://"+address, meilisearch.WithAPIKey(o.key))
	require.Eventually(t, server.IsHealthy, time.Minute, 20*time.Millisecond)
	o.target.Store(&url.URL{Scheme: "http", Host: address})
}

// stop kills the server in the middle of what it does.
func (o *outages) stop(t *testing.T) {
	t.Helper()
	if o.target.Swap(nil) == nil {
		return
	}
	require.NoError(t, o.process.Process.Kill())
	_ = o.process.Wait() // killed
}

func (o *outages) up() bool { return o.target.Load() != nil }

// TestNoDrift walks at random through uploads, new texts, other facts, labels,
// deletions and outages, and compares in the end what the server has with what
// the database has, word for word. CLAUSEMILL_WALK is how many steps to go, and
// CLAUSEMILL_SEED another way.
func TestNoDrift(t *testing.T) {
	t.Parallel()
	server := newOutages(t)
	d, _ := dbtest.Database(t)
	meili := search.NewMeili(d, search.MeiliConfig{URL: server.url, Key: server.key, Timeout: time.Minute})
	_, err := meili.Reconcile(t.Context(), false)
	require.NoError(t, err)
	h := newHouse(t, d, search.NewFallback(meili, search.NewPostgres(d)))
	w := &walk{house: h, server: server, random: rand.New(rand.NewPCG(uint64(number(t, "CLAUSEMILL_SEED", 1)), 0))}
	for range number(t, "CLAUSEMILL_WALK", 25) {
		w.step(t)
	}

	if !server.up() {
		server.start(t)
	}
	_, err = meili.Reconcile(t.Context(), true)
	require.NoError(t, err)
	drift, err := meili.Reconcile(t.Context(), true)
	require.NoError(t, err)
	require.Zero(t, drift)
	require.Equal(t, w.stored(t), w.indexed(t))
	require.NotEmpty(t, w.stored(t))
}

// number is a setting of a test.
func number(t *testing.T, name string, otherwise int) int {
	t.Helper()
	if os.Getenv(name) == "" {
		return otherwise
	}
	n, err := strconv.Atoi(os.Getenv(name))
	require.NoError(t, err)
	return n
}

// walk is a team whose files come and go.
type walk struct {
	*house
	server *outages
	random *rand.Rand
	files  []string
}

// step does one thing. What follows from it in the index is done as a worker
// does it: at once, and left to a reconciliation where the server is away.
func (w *walk) step(t *testing.T) {
	t.Helper()
	if len(w.files) == 0 {
		w.upload(t)
		return
	}
	at := w.random.IntN(len(w.files))
	id := w.files[at]
	switch w.random.IntN(9) {
	case 0, 1:
		w.upload(t)
	case 2: // read again
		w.text(t, w.ours, id, "en", w.sentences(1+w.random.IntN(4))...)
		w.tell(t, id)
	case 3: // deleted, and sometimes brought again
		w.change(t, func(ctx context.Context, tx *db.Tx) error { _, err := tx.DeleteFile(ctx, w.ours, id); return err })
		w.files = slices.Delete(w.files, at, at+1)
		w.expect(t, w.Remove(t.Context(), refs(w.ours, id)))
		if w.random.IntN(2) == 0 {
			w.upload(t)
		}
	case 4: // labelled
		labels := []string{"governing_law", "renewal_term", "cap_on_liability"}[w.random.IntN(3):]
		w.change(t, func(ctx context.Context, tx *db.Tx) error {
			if _, err := tx.Raw.Exec(ctx, `
				UPDATE sentences SET label = ($2::text[])[1], source = 'validated', labels = (
					SELECT jsonb_agg(jsonb_build_object('node', node, 'source', 'validated') ORDER BY n)
					FROM unnest($2::text[]) WITH ORDINALITY x (node, n) HAVING count(*) > 1)
				WHERE file_id = $1 AND ordinal = 0`, id, labels); err != nil {
				return err
			}
			return tx.LabelsChanged(ctx, w.ours, []string{id})
		})
	case 5: // renamed
		name := w.sentences(1)[0]
		w.change(t, func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.UpdateFile(ctx, w.ours, id, db.FileUpdate{Name: &name})
			return err
		})
	case 6:
		if w.server.up() {
			w.server.stop(t)
		} else {
			w.server.start(t)
		}
	case 7: // the minute's turn
		_, err := w.Reconcile(t.Context(), false)
		w.expect(t, err)
	case 8: // whoever searches is answered, and finds nothing but what there is
		found, err := w.house.Engine.Sentences(t.Context(), w.ours, search.Query{Text: w.sentences(1)[0], Facets: search.Facets()})
		require.NoError(t, err)
		for _, hit := range found.Hits {
			require.Contains(t, w.files, hit.FileID)
		}
	}
}

func (w *walk) upload(t *testing.T) {
	t.Helper()
	id := w.create(t, w.ours, w.sentences(1)[0], nil)
	w.text(t, w.ours, id, "en", w.sentences(1+w.random.IntN(4))...)
	w.files = append(w.files, id)
	w.tell(t, id)
}

// tell has a file indexed, if the server is there to do it.
func (w *walk) tell(t *testing.T, id string) {
	t.Helper()
	_, err := w.Index(t.Context(), refs(w.ours, id))
	w.expect(t, err)
}

// expect allows an error that will pass, where the server is stopped.
func (w *walk) expect(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		require.False(t, w.server.up(), "%v", err)
		require.Equal(t, fault.Unavailable, fault.KindOf(err), "%v", err)
	}
}

func (w *walk) change(t *testing.T, do func(ctx context.Context, tx *db.Tx) error) {
	t.Helper()
	require.NoError(t, w.db.InTx(t.Context(), func(tx *db.Tx) error { return do(t.Context(), tx) }))
}

// sentences are n of a few words each.
func (w *walk) sentences(n int) []string {
	words := []string{"party", "notice", "law", "term", "fee", "licence", "delay", "breach", "goods", "site"}
	list := make([]string, n)
	for i := range list {
		list[i] = words[w.random.IntN(len(words))] + " and " + words[w.random.IntN(len(words))]
	}
	return list
}

// entry is a document of the index, in what a search could find it by.
type entry struct{ stems, labels, name string }

// stored are the entries that the rows of the database make.
func (w *walk) stored(t *testing.T) map[string]entry {
	t.Helper()
	rows, err := w.db.Pool().Query(t.Context(), `
		SELECT id::text, in_order(vector), coalesce(array_to_string(label_nodes(labels), ' '), label, ''), '' FROM sentences WHERE team_id = $1
		UNION ALL SELECT id::text, '', '', in_order(vector) FROM files WHERE text_ready AND team_id = $1`, w.ours.TeamID) // what is deleted is in the trash
	require.NoError(t, err)
	defer rows.Close()
	entries := map[string]entry{}
	for rows.Next() {
		var id string
		var e entry
		require.NoError(t, rows.Scan(&id, &e.stems, &e.labels, &e.name))
		entries[id] = e
	}
	require.NoError(t, rows.Err())
	return entries
}

// indexed are the entries that the server has.
func (w *walk) indexed(t *testing.T) map[string]entry {
	t.Helper()
	const all = 100_000
	server := meilisearch.New(w.server.url, meilisearch.WithAPIKey(w.server.key))
	indexes, err := server.ListIndexes(&meilisearch.IndexesQuery{Limit: 10})
	require.NoError(t, err)
	require.Len(t, indexes.Results, 1)
	var documents meilisearch.DocumentsResult
	require.NoError(t, indexes.Results[0].GetDocuments(&meilisearch.DocumentsQuery{Filter: "kind EXISTS", Limit: all}, &documents))
	var found []struct {
		ID     string   `json:"id"`
		Stems  string   `json:"stems"`
		Labels []string `json:"label"`
		Name   string   `json:"name"`
	}
	require.NoError(t, documents.Results.DecodeInto(&found))
	entries := map[string]entry{}
	for _, f := range found {
		entries[f.ID] = entry{f.Stems, strings.Join(f.Labels, " "), f.Name}
	}
	return entries
}

// TestFallbackBetweenPages has the server stop after the first page, of a search
// for all files and of searches that are narrowed: by what the index has, by
// what only the database knows, and by what sentences are asked.
func TestFallbackBetweenPages(t *testing.T) {
	t.Parallel()
	server := newOutages(t)
	d := dbtest.New(t)
	meili := search.NewMeili(d, search.MeiliConfig{URL: server.url, Key: server.key, Timeout: time.Minute})
	_, err := meili.Reconcile(t.Context(), false)
	require.NoError(t, err)
	h := newHouse(t, d, search.NewFallback(meili, search.NewPostgres(d)))
	const leases, others = 9, 5
	var ids []string
	for i := range leases + others {
		name := "lease.pdf"
		if i >= leases {
			name = "other.pdf"
		}
		id := h.create(t, h.ours, name, nil)
		h.text(t, h.ours, id, "en", notice+" "+strconv.Itoa(i), "Any written notice is of use.", law)
		if i < leases {
			require.NoError(t, d.InTx(t.Context(), func(tx *db.Tx) error {
				_, _, err := tx.SetLifecycleStage(t.Context(), h.ours, id, "active")
				return err
			}))
		}
		ids = append(ids, id)
	}
	h.index(t, h.ours, ids...)

	where := func(f query.Field, op query.Op, value string) search.Filter {
		filter, err := query.Compare(f, op, value).Checked(query.Sentences, time.Now())
		require.NoError(t, err)
		return search.Filter{Where: filter}
	}
	first := where(query.Page, query.AtMost, "1")
	first.LifecycleStages = []string{"active"}
	narrowed := map[string]struct {
		search.Filter
		want int
	}{
		"not at all":        {search.Filter{}, 2 * (leases + others)},
		"by a fact":         {search.Filter{LifecycleStages: []string{"active"}}, 2 * leases},
		"by the database":   {where(query.Name, query.Contains, "other"), 2 * others},
		"by both, and page": {first, leases},
	}
	type answer struct {
		engine string
		seen   []string
		facets map[search.Facet][]db.FacetCount
	}
	ask := func(q search.Query, want int) (a answer) {
		for ; q.Offset < want; q.Offset += q.Limit {
			found, err := h.Sentences(t.Context(), h.ours, q)
			require.NoError(t, err)
			require.Equal(t, want, found.Total)
			for _, hit := range found.Hits {
				a.seen = append(a.seen, hit.SentenceID)
				require.Equal(t, []string{"written", "notice"}, marked(hit.Snippet))
			}
			a.engine, a.facets, q.Engine = found.Engine, found.Facets, found.Engine
		}
		slices.Sort(a.seen)
		require.Len(t, slices.Compact(slices.Clone(a.seen)), want)
		return a
	}
	question := func(name string) search.Query {
		return search.Query{Text: "written notice", Filter: narrowed[name].Filter, Facets: search.Facets(), Limit: 4}
	}
	before := map[string]answer{}
	for name, n := range narrowed {
		before[name] = ask(question(name), n.want)
		require.Equal(t, "meilisearch", before[name].engine, name)
	}

	server.stop(t)
	for name, n := range narrowed {
		next := question(name)
		next.Offset, next.Engine = next.Limit, "meilisearch"
		_, err = h.Sentences(t.Context(), h.ours, next)
		require.Equal(t, fault.Unavailable, fault.KindOf(err), "%s: another ranking would repeat and skip hits", name)
		after := ask(question(name), n.want)
		require.Equal(t, answer{"postgres", before[name].seen, before[name].facets}, after, name)
	}

	server.start(t)
	for name := range narrowed {
		next := question(name)
		next.Offset, next.Engine = next.Limit, "postgres"
		found, err := h.Sentences(t.Context(), h.ours, next)
		require.NoError(t, err)
		require.Equal(t, "postgres", found.Engine, "%s: it goes on where it began", name)
	}
	var found search.Sentences
	for range search.TripAfter {
		if found, err = meili.Sentences(t.Context(), h.ours, question("by a fact")); err == nil {
			break
		}
	}
	require.NoError(t, err, "the server is as it was")
	require.Equal(t, narrowed["by a fact"].want, found.Total)
}

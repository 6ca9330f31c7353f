package e2e_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/blob"
	"github.com/clausemill/clausemill/blob/blobtest"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/db/dbtest"
	"github.com/clausemill/clausemill/jobs"
	"github.com/clausemill/clausemill/search"
	"github.com/clausemill/clausemill/worker"
)

const (
	cutOff = 25 * time.Second // longer than others wait for a worker
	lasts  = 5 * time.Second  // of a portion of uploads, at least

	smallShare = 90 // files, of `make long`
)

// How much TestCluster does; `make cluster` names more.
var (
	clustered = flag.Int("clustered", smallShare, "how many files TestCluster uploads")
	atOnce    = flag.Int("at-once", 30, "how many of them at once")
)

// fleet is a service of several processes with a directory each, as on machines of
// their own, and its files in a bucket.
type fleet struct {
	*system

	t        testing.TB
	bucket   string    // the directory of what is in the bucket
	s3       *crossing // between the processes and the S3 server
	database *tunnel   // between the database and those who are given wired
	wired    string    // setting
	members  []*member
}

// member is a process of a fleet.
type member struct {
	*process

	name     string
	address  string // of its probes
	run      func() *process
	killed   int
	ownStart *process // the first one
}

// newFleet prepares a fleet without members.
func newFleet(t testing.TB, settings ...string) *fleet {
	t.Helper()
	server, bucket := blobtest.S3(t)
	s3, address := newCrossing(t, server)
	t.Setenv("AWS_ACCESS_KEY_ID", blobtest.AccessKey)
	t.Setenv("AWS_SECRET_ACCESS_KEY", blobtest.SecretKey)
	d, direct := dbtest.Database(t)
	to, err := pgx.ParseConfig(direct)
	require.NoError(t, err)
	network, at := pgNetwork(to)
	database, wired := newTunnel(t, network, at)
	f := &fleet{t: t, bucket: bucket, s3: s3, database: database}
	f.system = newSystemAt(t, d, direct, slices.Concat(meilisearch(), []string{
		"BLOB_URL=" + blobtest.BlobURL(address),
		"AWS_ACCESS_KEY_ID=" + blobtest.AccessKey,
		"AWS_SECRET_ACCESS_KEY=" + blobtest.SecretKey,
		"CLAUSEMILL_OCR_SLOTS=1",
		"CLAUSEMILL_DRAIN_DELAY=5s",
		fmt.Sprintf("CLAUSEMILL_UPLOADS=%d", 16**atOnce), // one caller may have an eighth of them
	}, settings)...)
	f.wired = fmt.Sprintf("DATABASE_URL=postgres://%s:%s@%s/%s?sslmode=disable", to.User, to.Password, wired, to.Database)
	return f
}

// meilisearch are the settings for an index of its own on the test server, if there is one.
func meilisearch() []string {
	server := os.Getenv("MEILI_TEST_URL")
	if server == "" {
		return nil
	}
	return []string{"MEILI_URL=" + server, "MEILI_KEY=" + os.Getenv("MEILI_TEST_KEY"), "CLAUSEMILL_MEILI_PREFIX=e2e-" + db.NewID()}
}

// pgNetwork is where a Postgres listens.
func pgNetwork(to *pgx.ConnConfig) (network, address string) {
	if strings.HasPrefix(to.Host, "/") {
		return "unix", fmt.Sprintf("%s/.s.PGSQL.%d", to.Host, to.Port)
	}
	return "tcp", net.JoinHostPort(to.Host, strconv.Itoa(int(to.Port)))
}

// join starts a member. Its address is that of its probes.
func (f *fleet) join(name string, settings []string, args ...string) *member {
	f.t.Helper()
	dir := filepath.Join(f.dir, name)
	cache := filepath.Join(dir, "cache")
	require.NoError(f.t, os.MkdirAll(cache, 0o700))
	for _, from := range []string{filepath.Join(cacheDir, "wazero*"), filepath.Join(f.dir, "*", "cache", "wazero*")} {
		compiled, err := filepath.Glob(from)
		require.NoError(f.t, err)
		if len(compiled) > 0 { // or each of them takes half a minute for it
			require.NoError(f.t, os.Symlink(compiled[0], filepath.Join(cache, filepath.Base(compiled[0]))))
			break
		}
	}
	m := &member{name: name, address: freeAddress(f.t)}
	env := slices.Concat(f.env, []string{"CLAUSEMILL_DATA_DIR=" + dir, "CLAUSEMILL_METRICS_ADDR=" + m.address}, settings)
	m.run = func() *process { return start(f.t, dir, env, program, args...) }
	m.process = m.run()
	m.ownStart = m.process
	f.members = append(f.members, m)
	return m
}

// ready waits until all members are.
func (f *fleet) ready() {
	f.t.Helper()
	for _, m := range f.members {
		require.Eventually(f.t, func() bool { return !m.running() || ready(m.address) }, 2*time.Minute, 20*time.Millisecond, m.name)
		require.True(f.t, m.running(), "%s: %s", m.name, m.said(4<<10))
	}
}

// serve is a replica of the API at an address.
func (f *fleet) serve(name, address string) *member {
	return f.join(name, []string{"CLAUSEMILL_ADDR=" + address}, "serve")
}

// work is a worker, which says what it calls itself.
func (f *fleet) work(name, setting string, args ...string) *member {
	settings := []string{"CLAUSEMILL_LOG_LEVEL=info"}
	if setting != "" {
		settings = append(settings, setting)
	}
	return f.join(name, settings, append([]string{"work"}, args...)...)
}

// checks are what the probe of a member says of what it needs.
func (m *member) checks() map[string]string {
	var said struct{ Checks map[string]string }
	response, err := http.Get("http://" + m.address + "/readyz")
	if err != nil {
		return nil
	}
	defer response.Body.Close()
	_ = json.NewDecoder(response.Body).Decode(&said) // then it has none
	return said.Checks
}

var workerID = regexp.MustCompile(`worker started.* worker=(\S+)`)

// id is what the worker that runs calls itself in the queue.
func (m *member) id() string {
	found := workerID.FindAllStringSubmatch(m.said(1<<20), -1)
	if found == nil {
		return ""
	}
	return found[len(found)-1][1]
}

// leaseOf is a file that no other number has; below 0 they are long scans.
func leaseOf(t testing.TB, number int) upload {
	t.Helper()
	seed := uint64(number)
	lines := clauses(seed, 12)
	switch {
	case number < 0:
		return upload{fmt.Sprintf("long%d.pdf", number), scannedPDF(t, seed, 12)}
	case number%50 == 1:
		return upload{fmt.Sprintf("scan-%d.pdf", number), scannedPDF(t, seed, 2)}
	case number%4 == 0:
		return upload{fmt.Sprintf("lease-%d.pdf", number), textPDF(seed, 1)}
	case number%4 == 1:
		return upload{fmt.Sprintf("lease-%d.docx", number), encodeDOCX(t, "", lines)}
	case number%4 == 2:
		return upload{fmt.Sprintf("lease-%d.html", number), encodeHTML(lines)}
	}
	return upload{fmt.Sprintf("lease-%d.txt", number), []byte(strings.Join(lines, "\n\n"))}
}

// taken are the ids of uploads by their keys, and what was answered.
type taken struct {
	mu       sync.Mutex
	ids      map[string]string // by key
	statuses map[int]int       // how many answers; 0 is none
	refusals map[string]int    // by body
}

// sendAll uploads the files from first to last, so many at a time and in no less time than lasts,
// each until it is taken, and every tenth once more.
func (f *fleet) sendAll(ctx context.Context, c *caller, first, last, atOnce int, lasts time.Duration, took *taken) {
	f.t.Helper()
	note := func(a answer) {
		took.mu.Lock()
		defer took.mu.Unlock()
		took.statuses[a.status]++
		if !a.ok() {
			text := string(a.body)
			if a.err != nil {
				text = a.err.Error()
			}
			took.refusals[errorID.ReplaceAllString(text, "")]++
		}
	}
	numbers := make(chan int)
	var senders sync.WaitGroup
	for range atOnce {
		senders.Go(func() {
			for i := range numbers {
				file, key := leaseOf(f.t, i), fmt.Sprintf("contract-%d", i)
				for tries := 0; tries < 1+btoi(i%10 == 0); {
					a := c.send(ctx, file, key)
					note(a)
					if !a.ok() {
						if ctx.Err() != nil {
							return
						}
						time.Sleep(300 * time.Millisecond)
						continue
					}
					tries++
					id := a.file(f.t).ID
					took.mu.Lock()
					if known := took.ids[key]; known != "" && known != id {
						f.t.Errorf("%s made two files: %s and %s", key, known, id)
					}
					took.ids[key] = id
					took.mu.Unlock()
				}
			}
		})
	}
	for i := first; i < last; i++ {
		numbers <- i
		time.Sleep(lasts / time.Duration(last-first))
	}
	close(numbers)
	senders.Wait()
}

// errorID is what is different in each refusal.
var errorID = regexp.MustCompile(`"(requestId|instance)":"[^"]*",?`)

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func newTaken() *taken {
	return &taken{ids: map[string]string{}, statuses: map[int]int{}, refusals: map[string]int{}}
}

// settled waits for all files to end, and holds what there is to what was taken: each once, with
// its bytes in the bucket and no others.
func (f *fleet) settled(c *caller, took *taken, within time.Duration) {
	t := f.t
	t.Helper()
	require.Eventually(t, func() bool {
		return f.count(`SELECT count(*) FROM files WHERE status IN ('queued', 'processing')`) == 0
	},
		within, 500*time.Millisecond, "files come to no end")
	ended := map[string]file{}
	for _, file := range c.list() {
		require.NotContains(t, ended, file.ID)
		ended[file.ID] = file
		require.Equal(t, "completed", file.Status, "%s %s: %+v", file.ID, file.Name, file.Error)
	}
	lost, ids := 0, map[string]bool{}
	for key, id := range took.ids {
		if _, there := ended[id]; !there {
			lost++
			t.Errorf("%s is lost: %s", key, id)
		}
		ids[id] = true
	}
	require.Len(t, ids, len(took.ids), "two keys have one file")
	doubled := len(ended) - len(ids)
	require.Zero(t, doubled, "files that nobody was told of")
	f.lawful()

	blobs, err := blob.Open(t.Context(), f.setting("BLOB_URL"))
	require.NoError(t, err)
	defer blobs.Close()
	swept, err := (&worker.Worker{Config: worker.Config{DB: f.db, Blobs: blobs}}).Sweep(t.Context(), 0)
	require.NoError(t, err)
	stored := map[string]bool{}
	require.NoError(t, blobs.Objects(t.Context(), func(o blob.Object) error { stored[o.ID] = true; return nil }))
	missing, orphaned := 0, 0
	for id := range ended {
		if !stored[id] {
			missing++
		}
	}
	for id := range stored {
		if _, there := ended[id]; !there && f.count(`SELECT count(*) FROM nearest_indexes WHERE bytes_id = $1`, id) == 0 {
			orphaned++
		}
	}
	t.Logf("%d files: %d lost, %d doubled, %d without bytes, %d objects without a file after a sweep of %d", len(ended), lost, doubled, missing, orphaned, swept)
	require.Zero(t, missing)
	require.Zero(t, orphaned)
	f.indexed(c, within)
}

// indexed waits until Meilisearch has all files, holds its index to the database, and asks it.
func (f *fleet) indexed(c *caller, within time.Duration) {
	t := f.t
	t.Helper()
	server := f.setting("MEILI_URL")
	if server == "" {
		return
	}
	began := time.Now()
	require.Eventually(t, func() bool {
		return f.count(`SELECT count(*) FROM files WHERE indexed_generation < generation OR indexed_label_generation < label_generation`) == 0
	}, within, 500*time.Millisecond, "files do not come into the index")
	engine := search.NewMeili(f.db, search.MeiliConfig{URL: server, Key: f.setting("MEILI_KEY"), Prefix: f.setting("CLAUSEMILL_MEILI_PREFIX")})
	drift, err := engine.Reconcile(t.Context(), true)
	require.NoError(t, err)
	require.Zero(t, drift, "the index is not that of the files")
	var hits struct {
		Engine string
		Total  int
	}
	a := c.get("/api/files/search-index?q=agreement")
	require.NoError(t, json.Unmarshal(a.body, &hits), "%d %s", a.status, a.body)
	require.Equal(t, "meilisearch", hits.Engine)
	require.Positive(t, hits.Total)
	t.Logf("all in Meilisearch %s after they were read", time.Since(began).Round(time.Second))
}

// keepAsking asks for files, several callers at once, until the function that it returns is
// called, which is told how many answers there were. All have to be good.
func (f *fleet) keepAsking(c *caller) (stop func() int64) {
	var answers atomic.Int64
	var over atomic.Bool
	var asking sync.WaitGroup
	for range 4 {
		asking.Go(func() {
			for !over.Load() {
				if a := c.get("/api/files?limit=1"); !a.ok() {
					f.t.Errorf("%d %s %v", a.status, a.body, a.err)
				}
				answers.Add(1)
				time.Sleep(5 * time.Millisecond)
			}
		})
	}
	return func() int64 {
		over.Store(true)
		asking.Wait()
		return answers.Load()
	}
}

// setting is the value of one.
func (s *system) setting(name string) string {
	for _, pair := range slices.Backward(s.env) {
		if value, ok := strings.CutPrefix(pair, name+"="); ok {
			return value
		}
	}
	return ""
}

// recovery measures how long jobs of killed workers lie idle.
type recovery struct {
	mu      sync.Mutex
	by      map[string][]time.Duration // by kind
	pending sync.WaitGroup
}

// held is a job that a worker has.
type held struct {
	id      int64
	kind    string
	attempt int
}

func (f *fleet) runsOf(worker string) (all []held) {
	rows, err := f.db.Pool().Query(f.t.Context(), `
		SELECT id, kind, attempt FROM river_job
		WHERE state = 'running' AND attempted_by[array_upper(attempted_by, 1)] = $1 AND args ? 'file_id'`, worker)
	require.NoError(f.t, err)
	all, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (r held, err error) {
		err = row.Scan(&r.id, &r.kind, &r.attempt)
		return r, err
	})
	require.NoError(f.t, err)
	return all
}

// killAndWatch kills a worker without a chance to tidy up, and measures when others take each of
// the jobs that it had.
func (f *fleet) killAndWatch(m *member, r *recovery) {
	id := m.id()
	m.kill()
	m.killed++
	at := time.Now()
	for _, job := range f.runsOf(id) {
		r.pending.Go(func() {
			for time.Since(at) < 2*time.Minute {
				var attempt int
				var state string
				err := f.db.Pool().QueryRow(context.Background(), `SELECT attempt, state FROM river_job WHERE id = $1`, job.id).Scan(&attempt, &state)
				if err == nil && (attempt > job.attempt && state == "running" || state == "completed" || state == "cancelled") {
					break
				}
				time.Sleep(100 * time.Millisecond)
			}
			r.mu.Lock()
			defer r.mu.Unlock()
			r.by[job.kind] = append(r.by[job.kind], time.Since(at))
		})
	}
}

// TestCluster uploads files through a load balancer while replicas of the API are replaced one
// after the other, workers are killed and started again, and one worker is cut off from the
// database for longer than its jobs wait for it. Each file is there once and read, and who was not
// killed runs.
func TestCluster(t *testing.T) {
	long(t)
	f := newFleet(t)
	one, other := freeAddress(t), freeAddress(t)
	apis := []*member{f.serve("api-1", one), f.serve("api-2", other)}
	far := f.work("text-1", f.wired, "--queues", "text=2")
	f.ready() // and what it has compiled is there for the others
	workers := []*member{
		f.work("text-2", ""),
		f.work("scans-1", "", "--queues", "ocr=1"),
		f.work("scans-2", "", "--queues", "ocr=1"),
	}
	f.ready()
	b, address := newBalancer(t, one, other)
	require.Eventually(t, func() bool { return b.ready[0].Load() && b.ready[1].Load() }, time.Minute, 20*time.Millisecond)
	c := f.account("ada@example.com").byKey(t, address)

	ctx, cancel := context.WithTimeout(t.Context(), time.Duration(*clustered)*time.Second+5*time.Minute)
	defer cancel()
	took, begun, sent := newTaken(), time.Now(), 0
	var uploading time.Duration
	during := func(what func()) { // a third of the files, and a scan that is read for as long as it lasts
		first, last := sent, min(sent+(*clustered+2)/3, *clustered)
		sent = last
		var sending sync.WaitGroup
		sending.Go(func() {
			began := time.Now()
			f.sendAll(ctx, c, -1-first, -first, 1, 0, took)
			f.sendAll(ctx, c, first, last, *atOnce, lasts, took)
			uploading += time.Since(began)
		})
		what()
		sending.Wait()
	}

	found, kills := &recovery{by: map[string][]time.Duration{}}, 0
	rng := rand.New(rand.NewPCG(1, 0))
	recognises := func(m *member) (n int) {
		for _, job := range f.runsOf(m.id()) {
			n += btoi(job.kind == jobs.RecognizePages{}.Kind())
		}
		return n
	}
	killSome := func() { // two of three, one that recognises pages first
		for until := time.Now().Add(20 * time.Second); time.Now().Before(until); time.Sleep(20 * time.Millisecond) {
			if at := slices.IndexFunc(workers, func(m *member) bool { return recognises(m) > 0 }); at >= 0 {
				workers[0], workers[at] = workers[at], workers[0]
				break
			}
		}
		victims := []*member{workers[0], workers[1+rng.IntN(2)]}
		for _, m := range victims {
			f.killAndWatch(m, found)
			kills++
		}
		time.Sleep(time.Second)
		for _, m := range victims {
			m.process = m.run()
		}
		for _, m := range victims {
			require.Eventually(t, func() bool { return ready(m.address) }, time.Minute, 20*time.Millisecond, m.name)
		}
	}
	restart := func(i int) {
		apis[i].signal(syscall.SIGTERM)
		apis[i].ends(time.Minute)
		require.Zero(t, apis[i].cmd.ProcessState.ExitCode(), apis[i].said(4<<10))
		apis[i].process = apis[i].run()
		require.Eventually(t, func() bool { return ready(b.replicas[i]) }, time.Minute, 20*time.Millisecond)
		b.ready[i].Store(false) // what the balancer knows may be of the process before
		require.Eventually(t, func() bool { return b.ready[i].Load() }, time.Minute, 20*time.Millisecond)
	}
	during(killSome)
	during(func() {
		asked := f.keepAsking(c)
		restart(0)
		restart(1)
		n := asked()
		t.Logf("both replicas were replaced while %d requests were answered", n)
		killSome()
	})
	require.Len(t, took.statuses, 1, "a request failed: %v", took.refusals)
	during(func() { // what it holds of the database's locks others may wait for: requests can be refused meanwhile
		require.Eventually(t, func() bool { return len(f.runsOf(far.id())) > 0 }, time.Minute, time.Millisecond, "there is no work that it has")
		had, speak := len(f.runsOf(far.id())), f.database.stall()
		silent := time.Now()
		time.Sleep(cutOff / 2)
		killSome()
		time.Sleep(time.Until(silent.Add(cutOff)))
		speak()
		back := time.Now()
		require.Eventually(t, func() bool {
			said := strings.Contains(far.said(1<<20), "beginning anew") // before it is ready again
			return ready(far.address) && (said || had == 0 || time.Since(back) > cutOff/2)
		}, time.Minute, 20*time.Millisecond, "it does not come back")
		t.Logf("a worker with %d jobs was cut off for %s, and was ready %s later; it began anew: %t",
			had, cutOff, time.Since(back).Round(100*time.Millisecond), strings.Contains(far.said(1<<20), "beginning anew"))
	})
	t.Logf("%d files and scans in %s, %d at once: answers by status %v, a second replica was asked %d times, refusals %v",
		len(took.ids), uploading.Round(time.Second), *atOnce, took.statuses, b.again.Load(), took.refusals)
	require.Len(t, took.ids, *clustered+3)
	f.settled(c, took, time.Duration(*clustered)*time.Second+3*time.Minute)
	t.Logf("all read after %s", time.Since(begun).Round(time.Second))
	found.pending.Wait()
	for kind, all := range found.by {
		t.Logf("%d kills: %d jobs of kind %s went on after %s at most (of 30 s)", kills, len(all), kind, slices.Max(all).Round(100*time.Millisecond))
	}
	require.Same(t, far.ownStart, far.process)
	for _, m := range f.members {
		require.True(t, m.running(), "%s: %s", m.name, m.said(4<<10))
	}
}

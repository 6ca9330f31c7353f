package e2e_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/blob"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/worker"
)

// chaosVariable makes TestChaos last as long as it says, with a larger import.
// What happens follows from seedVariable, as far as processes can be told when
// to do what.
const (
	chaosVariable = "CLAUSEMILL_CHAOS"
	seedVariable  = "CLAUSEMILL_CHAOS_SEED"
)

// TestChaos uploads an import while every process is killed at random, and
// compares what comes of it with the same import left alone.
func TestChaos(t *testing.T) {
	long(t)
	lasts, rounds := 30*time.Second, 1
	if text := os.Getenv(chaosVariable); text != "" {
		var err error
		lasts, err = time.ParseDuration(text)
		require.NoError(t, err)
		rounds = 5
	}
	seed := uint64(1)
	if text := os.Getenv(seedVariable); text != "" {
		var err error
		seed, err = strconv.ParseUint(text, 10, 64)
		require.NoError(t, err)
	}
	files := mixed(t, rounds)
	want := undisturbed(t, files)

	postgres := newCluster(t)
	d := postgres.open()
	// The largest file is smaller than what is refused below.
	s := newSystemAt(t, d, postgres.url(), "CLAUSEMILL_MAX_FILE=8MiB")
	m := &mayhem{system: s, postgres: postgres, address: freeAddress(t), rng: rand.New(rand.NewPCG(seed, 0))}
	m.api = m.keep(func() *process {
		return start(t, s.dir, append(slices.Clone(s.env), "CLAUSEMILL_ADDR="+m.address), program, "serve")
	})
	require.Eventually(t, func() bool { return ready(m.address) }, time.Minute, 50*time.Millisecond)
	for range 3 {
		m.workers = append(m.workers, m.keep(func() *process { return s.worker() }))
	}
	ada := s.account("ada@example.com")
	c := ada.byKey(t, m.address)

	accepted := m.importAll(c, files, lasts)
	t.Logf("kills: %v", m.kills)
	require.Eventually(t, func() bool { return ready(m.address) }, time.Minute, 50*time.Millisecond)
	ended := c.allEnd(5 * time.Minute)

	ids := map[string]bool{}
	for _, f := range ended {
		ids[f.ID] = true
	}
	for id := range accepted {
		require.Contains(t, ids, id, "an accepted file is gone")
	}
	require.Equal(t, len(accepted), s.count(`SELECT count(*) FROM files WHERE parent_id IS NULL`), "a refused upload left a file")
	s.lawful()
	s.vocabularyIsTrue(ada.in)
	s.requireSame(want, s.readings(ada.in))

	blobs, err := blob.Open(t.Context(), "file://"+s.blobs())
	require.NoError(t, err)
	swept, err := (&worker.Worker{Config: worker.Config{DB: d, Blobs: blobs}}).Sweep(t.Context(), 0)
	require.NoError(t, err)
	t.Logf("%d files, %d uploads, %d objects swept", len(ended), len(accepted), swept)
	require.Len(t, s.stored(), len(ended), "bytes without a file, or a file without bytes: %v", s.stored())
}

// undisturbed is what comes of files when nothing happens.
func undisturbed(t *testing.T, files []upload) map[string]reading {
	t.Helper()
	s := newSystem(t)
	ada := s.account("ada@example.com")
	address := freeAddress(t)
	api := s.api(address)
	work := s.worker()
	c := ada.byKey(t, address)
	for _, f := range files {
		a := c.send(t.Context(), f, "")
		require.True(t, a.ok(), "%s: %d %s %v", f.name, a.status, a.body, a.err)
	}
	c.allEnd(5 * time.Minute)
	s.lawful()
	readings := s.readings(ada.in)
	api.kill()
	work.kill()
	return readings
}

// mayhem is a system in which everything is killed and comes back.
type mayhem struct {
	*system

	postgres *cluster
	address  string
	api      *kept
	workers  []*kept
	rng      *rand.Rand
	kills    map[string]int
}

// kept is a program that is started again whenever it ends.
type kept struct {
	mu  sync.Mutex
	now *process
}

func (k *kept) process() *process {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.now
}

// keep does what a supervisor of services does.
func (m *mayhem) keep(run func() *process) *kept {
	k := &kept{now: run()}
	over := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		for {
			select {
			case <-over:
				return
			case <-k.process().ended:
			}
			select {
			case <-over:
				return
			case <-time.After(300 * time.Millisecond): // as a supervisor waits
			}
			next := run()
			k.mu.Lock()
			k.now = next
			k.mu.Unlock()
		}
	})
	m.t.Cleanup(func() {
		close(over)
		watching.Wait()
	})
	return k
}

// importAll sends files one after the other over a time in which everything is
// killed, and returns the ids of those that were accepted.
func (m *mayhem) importAll(c *caller, files []upload, lasts time.Duration) map[string]bool {
	m.t.Helper()
	ctx, cancel := context.WithTimeout(m.t.Context(), lasts+2*time.Minute)
	defer cancel()
	calm, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		m.rage(calm)
	}()
	accepted := map[string]bool{}
	var mu sync.Mutex
	var senders sync.WaitGroup
	begun := time.Now()
	for i, f := range files {
		senders.Go(func() {
			time.Sleep(time.Until(begun.Add(lasts * time.Duration(i) / time.Duration(len(files)+1))))
			id, err := persist(ctx, c, f, fmt.Sprintf("import-%d", i))
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				m.t.Errorf("%s was not accepted: %v", f.name, err)
			}
			accepted[id] = true
			if i%8 == 0 {
				refused := c.send(ctx, upload{"large.bin", make([]byte, 9<<20)}, "")
				if refused.ok() {
					m.t.Error("a file over the limit was taken")
				}
			}
		})
	}
	time.Sleep(time.Until(begun.Add(lasts)))
	close(calm)
	<-done
	senders.Wait()
	return accepted
}

// persist sends a file again and again until it is accepted, under one key.
func persist(ctx context.Context, c *caller, f upload, key string) (id string, err error) {
	for {
		a := c.send(ctx, f, key)
		switch {
		case a.ok():
			return a.file(c.t).ID, nil
		case a.err == nil && a.status != http.StatusTooManyRequests && a.status < http.StatusInternalServerError:
			return "", fmt.Errorf("%d %s", a.status, a.body)
		case ctx.Err() != nil:
			return "", fmt.Errorf("%w; the last answer was %d %s %w", ctx.Err(), a.status, a.body, a.err)
		}
		time.Sleep(200 * time.Millisecond)
	}
}

// rage kills until calm is closed.
func (m *mayhem) rage(calm <-chan struct{}) {
	m.kills = map[string]int{}
	acts := []struct {
		name   string
		weight int
		do     func()
	}{
		{"worker", 4, func() { m.anyWorker().kill() }},
		{"reading child", 4, func() { m.killChild(" reader") }},
		{"recognising child", 4, func() { m.killChild("clausemill-ocr") }},
		{"api", 3, func() { m.api.process().kill() }},
		{"postgres", 2, func() {
			m.postgres.crash()
			m.pause(2 * time.Second)
			m.postgres.start()
		}},
	}
	total := 0
	for _, act := range acts {
		total += act.weight
	}
	for {
		select {
		case <-calm:
			return
		case <-time.After(time.Duration(m.rng.Int64N(int64(2 * time.Second)))):
		}
		at := m.rng.IntN(total)
		for _, act := range acts {
			if at -= act.weight; at < 0 {
				act.do()
				m.kills[act.name]++
				break
			}
		}
	}
}

// pause waits for up to most.
func (m *mayhem) pause(most time.Duration) { time.Sleep(time.Duration(m.rng.Int64N(int64(most)))) }

func (m *mayhem) anyWorker() *process { return m.workers[m.rng.IntN(len(m.workers))].process() }

// killChild kills a child of any worker whose command line has what.
func (m *mayhem) killChild(what string) {
	var found []stat
	for _, w := range m.workers {
		for _, s := range w.process().children() {
			if strings.Contains(s.arguments, what) {
				found = append(found, s)
			}
		}
	}
	if len(found) > 0 {
		_ = syscall.Kill(found[m.rng.IntN(len(found))].pid, syscall.SIGKILL) // it may be gone already
	}
}

// vocabularyIsTrue counts the words of a team afresh and compares.
func (s *system) vocabularyIsTrue(in db.Scope) {
	s.t.Helper()
	require.NoError(s.t, s.db.FoldVocabulary(s.t.Context(), in.TeamID))
	require.Zero(s.t, s.count(`
		SELECT count(*) FROM (
			SELECT word, count(*) AS files FROM file_tokens, unnest(words) word WHERE team_id = $1 GROUP BY word
		) counted
		FULL JOIN (SELECT word, files FROM vocabulary WHERE team_id = $1 AND files <> 0) kept USING (word)
		WHERE counted.files IS DISTINCT FROM kept.files`, in.TeamID), "words are counted wrong")
}

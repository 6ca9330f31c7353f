package bench

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// The measure of neighbours. A tenth of a second apart, uploads leave a small
// machine time to read what it takes.
const (
	neighbourRounds = 3
	neighbourSpan   = 10 * time.Second
	neighbourEvery  = 100 * time.Millisecond
)

// neighbours measures what a team notices of another one that takes whatever it
// gets, in turns with what it notices of nobody.
func neighbours(ctx context.Context, c *Config) ([]row, error) {
	other, err := c.NewTeam(ctx, "neighbour")
	if err != nil {
		return nil, err
	}
	them := c.as(other)
	errand(ctx, c, 0, new(noticed)) // it wakes the readers
	var rows []row
	for _, attack := range []struct {
		what string
		n    int
		hold attack
	}{
		{"uploads that drip", 64, them.drip},
		{"uploads that drip", 512, them.drip},
		{"event streams", 4096, them.listen},
	} {
		var quiet, beside noticed
		for range neighbourRounds {
			quiet.gather(ctx, c)
			end := crowd(ctx, attack.n, attack.hold)
			beside.gather(ctx, c)
			end()
		}
		if ctx.Err() != nil {
			return rows, ctx.Err()
		}
		name := fmt.Sprintf("beside %d %s: ", attack.n, attack.what)
		rows = append(rows,
			compared(name+"upload accepted, p99", &beside.accepted, &quiet.accepted),
			compared(name+"told of the end (long poll), p99", &beside.told, &quiet.told))
	}
	more, err := c.besideBacklog(ctx, them)
	return append(rows, more...), err
}

// besideBacklog measures what a team notices of thousands of files of another one, which wait
// or are being read: all processors work on them.
func (c *Config) besideBacklog(ctx context.Context, them *Config) ([]row, error) {
	const files = 6000
	texts := make([]string, files)
	for i := range texts {
		texts[i] = fmt.Sprintf("The Tenant of house number %s-%d shall pay the rent.", fresh(), i)
	}
	content, err := pack(texts)
	if err != nil {
		return nil, err
	}
	quiet, beside := noticed{asks: true}, noticed{asks: true}
	for range neighbourRounds {
		quiet.gather(ctx, c)
	}
	id, err := them.upload(ctx, "texts.zip", content)
	if err != nil {
		return nil, err
	}
	if err := them.follow(ctx, []string{id}, state.ended); err != nil {
		return nil, err
	}
	for range neighbourRounds {
		beside.gather(ctx, c)
	}
	left, err := them.unread(ctx, id, files)
	if err != nil {
		return nil, err
	}
	if left == 0 {
		return nil, fmt.Errorf("all %d files were read before the measure was over", files)
	}
	var rows []row
	for _, of := range []struct {
		what          string
		beside, quiet *waits
	}{
		{"upload accepted", &beside.accepted, &quiet.accepted},
		{"told of the end (long poll)", &beside.told, &quiet.told},
		{"searched", &beside.searched, &quiet.searched},
		{"listed", &beside.listed, &quiet.listed},
	} {
		r := compared(fmt.Sprintf("beside %d files that wait, %d at the end: %s, p99", files, left, of.what), of.beside, of.quiet)
		r.want = ""
		rows = append(rows, r)
	}
	return rows, them.allRead(ctx, id, files)
}

// compared is the row of one figure, beside the same without an attack.
func compared(what string, beside, quiet *waits) row {
	r := row{what: what, ours: beside.String(), peer: "alone " + quiet.String(), want: "≤ 1.5, none refused"}
	if len(beside.took) > 0 && len(quiet.took) > 0 {
		r.ratio = float64(percentile(beside.took, 0.99)) / float64(percentile(quiet.took, 0.99))
	}
	return r
}

// noticed is what became of a team's errands.
type noticed struct {
	asks                             bool // searches and lists as well
	accepted, told, searched, listed waits
}

// waits is how long requests took, and how many were refused.
type waits struct {
	mu      sync.Mutex
	took    []time.Duration
	refused int
}

func (w *waits) add(took time.Duration, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil {
		w.refused++
	} else {
		w.took = append(w.took, took)
	}
}

func (w *waits) String() string {
	switch {
	case len(w.took) == 0:
		return fmt.Sprintf("all %d refused", w.refused)
	case w.refused > 0:
		return fmt.Sprintf("%s, %d of %d refused", milliseconds(percentile(w.took, 0.99)), w.refused, w.refused+len(w.took))
	}
	return milliseconds(percentile(w.took, 0.99))
}

// gather runs errands for a while, each begun when it is due and not when the
// one before has ended: who waits must not be asked less.
func (n *noticed) gather(ctx context.Context, c *Config) {
	var all sync.WaitGroup
	due := time.NewTicker(neighbourEvery)
	defer due.Stop()
	for i := range int(neighbourSpan / neighbourEvery) {
		select {
		case <-due.C:
		case <-ctx.Done():
			return
		}
		all.Go(func() { errand(ctx, c, i, n) })
	}
	all.Wait()
}

// errand uploads a small file, follows it to its end, and may search for it and list files.
func errand(ctx context.Context, c *Config, i int, n *noticed) {
	began := time.Now()
	id, err := c.upload(ctx, "note.txt", fmt.Appendf(nil, "Note %d of %s: the parties meet on day %d to settle %s.", i, fresh(), i, fresh()))
	n.accepted.add(time.Since(began), err)
	if err == nil {
		n.told.add(c.awaitEnd(ctx, id))
	}
	if !n.asks {
		return
	}
	for path, took := range map[string]*waits{"/api/search?q=parties+meet+to+settle": &n.searched, "/api/files?limit=50": &n.listed} {
		began := time.Now()
		err := c.call(ctx, http.MethodGet, path, "", nil, nil)
		took.add(time.Since(began), err)
	}
}

// crowd has n callers hold what they get, and try again when they are told to
// where they get nothing. It returns once each holds something or was refused, and
// ends with the function that it returns.
func crowd(ctx context.Context, n int, hold attack) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	attacker := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DisableCompression: true}}
	var all, there sync.WaitGroup
	there.Add(n)
	for range n {
		all.Go(func() {
			arrived := sync.OnceFunc(there.Done)
			defer arrived()
			for ctx.Err() == nil {
				if refused, again := hold(ctx, attacker, arrived); refused {
					arrived()
					pause(ctx, again)
				}
			}
		})
	}
	there.Wait()
	return func() {
		cancel()
		all.Wait()
	}
}

// attack takes a place with client and keeps it for as long as it is let, or tells
// when it may be tried again. It says when it holds the place.
type attack func(ctx context.Context, client *http.Client, held func()) (refused bool, again time.Duration)

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// drip uploads a byte a second until it is refused.
func (c *Config) drip(ctx context.Context, client *http.Client, held func()) (refused bool, again time.Duration) {
	const boundary = "drip"
	body := io.MultiReader(
		strings.NewReader("--"+boundary+"\r\nContent-Disposition: form-data; name=\"file\"; filename=\"note.txt\"\r\n\r\n"),
		&drops{ctx: ctx, taken: held})
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.URL+"/api/files", body)
	if err != nil {
		return true, time.Second
	}
	request.Header.Set("Content-Type", "multipart/form-data; boundary="+boundary)
	return c.hold(client, request, held)
}

// listen opens an event stream and reads it until it ends.
func (c *Config) listen(ctx context.Context, client *http.Client, held func()) (refused bool, again time.Duration) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.URL+"/api/events", nil)
	if err != nil {
		return true, time.Second
	}
	return c.hold(client, request, held)
}

// hold sends a request and reads its answer to the end.
func (c *Config) hold(client *http.Client, request *http.Request, held func()) (refused bool, again time.Duration) {
	request.AddCookie(c.Session)
	answer, err := client.Do(request)
	if err != nil {
		return true, time.Second
	}
	defer answer.Body.Close()
	if answer.StatusCode < http.StatusBadRequest {
		held()
		_, _ = io.Copy(io.Discard, answer.Body)
		return false, 0
	}
	seconds, err := strconv.Atoi(answer.Header.Get("Retry-After"))
	if err != nil {
		seconds = 1
	}
	return true, time.Duration(seconds) * time.Second
}

// drops is a byte a second, without end. Of what is taken for the fifth time the
// start was taken, too.
type drops struct {
	ctx   context.Context
	sent  int
	taken func()
}

func (d *drops) Read(p []byte) (int, error) {
	if d.sent++; d.sent == 5 {
		d.taken()
	}
	pause(d.ctx, time.Second)
	p[0] = 'x'
	return 1, d.ctx.Err()
}

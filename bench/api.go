package bench

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/clausemill/clausemill/db"
)

// interfaces measures the API and the queue.
func interfaces(ctx context.Context, c *Config) ([]row, error) {
	rows, err := uploads(ctx, c)
	if err != nil {
		return nil, err
	}
	bulk, err := bulkReprocess(ctx, c)
	if err != nil {
		return nil, err
	}
	reads, err := statusReads(ctx, c)
	return append(append(rows, bulk), reads...), err
}

// uploads sends a megabyte at a time, little of which is text, and follows each
// to its end by long poll.
func uploads(ctx context.Context, c *Config) ([]row, error) {
	const n = 40
	var accepted, told []time.Duration
	var ids []string
	for i := range n {
		page := fmt.Sprintf("<p>The Supplier shall deliver order %d within thirty days.</p><!-- %s -->", i, strings.Repeat("x", 1<<20))
		started := time.Now()
		id, err := c.upload(ctx, "order.html", []byte(page))
		if err != nil {
			return nil, err
		}
		accepted = append(accepted, time.Since(started))
		late, err := c.awaitEnd(ctx, id)
		if err != nil {
			return nil, err
		}
		told = append(told, late)
		ids = append(ids, id)
	}
	var start float64
	err := c.DB.Pool().QueryRow(ctx, `
		SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM attempted_at - created_at))::float8
		FROM river_job WHERE kind = 'receive_file' AND args ->> 'file_id' = ANY($1)`, ids).Scan(&start)
	if err != nil {
		return nil, err
	}
	return []row{
		{what: "upload of 1 MB accepted, p50", ours: milliseconds(percentile(accepted, 0.5)), want: c.within(15 * time.Millisecond)},
		{what: "job inserted to started, p50", ours: fmt.Sprintf("%.1f ms", 1000*start), want: c.within(5 * time.Millisecond)},
		{what: "end committed to client told (long poll), p50", ours: milliseconds(percentile(told, 0.5)), want: c.within(100 * time.Millisecond)},
		{what: "end committed to client told (long poll), p99", ours: milliseconds(percentile(told, 0.99)), want: c.within(500 * time.Millisecond)},
	}, nil
}

// awaitEnd follows a file by long poll and returns how long after its end the
// answer came.
func (c *Config) awaitEnd(ctx context.Context, id string) (time.Duration, error) {
	for {
		var s struct {
			state
			FinishedAt time.Time
		}
		if err := c.call(ctx, http.MethodGet, "/api/files/"+id+"/status?wait=30", "", nil, &s); err != nil {
			return 0, err
		}
		if s.Status == "failed" {
			return 0, fmt.Errorf("file %s failed", id)
		}
		if s.ended() {
			return max(0, time.Since(s.FinishedAt)), nil
		}
	}
}

// statusWants are the goals of status reads, beside a server of net/http and pgx that reads one
// row, by how many connections ask.
var statusWants = []struct {
	connections  int
	session, key float64
}{{1, 0.6, 0.5}, {32, 0.85, 0.7}, {400, 1.2, 1}}

// manyTeams is how many teams ask at once where more than one does.
const manyTeams = 32

// statusReads asks for the status of files that wait, each time for another one, beside a
// server that does no more than read one row by its key: of one team, and of many.
func statusReads(ctx context.Context, c *Config) ([]row, error) {
	const waiting = 10_000
	others, err := c.teams(ctx, manyTeams)
	if err != nil {
		return nil, err
	}
	own, err := queued(ctx, c, waiting)
	if err != nil {
		return nil, err
	}
	// A worker would find after a while that these have no jobs.
	defer c.DB.Pool().Exec(context.WithoutCancel(ctx), `DELETE FROM files WHERE name = $1`, waitingName) //nolint:errcheck // with the database
	one := []asks{{Team{c.Session, c.Key, c.Scope}, own}}
	many := make([]asks, len(others))
	for i, other := range others {
		files, err := queued(ctx, c.as(other), waiting/manyTeams)
		if err != nil {
			return nil, err
		}
		many[i] = asks{other, files}
	}
	floor := httptest.NewServer(c.floor())
	defer floor.Close()
	var rows []row
	for _, of := range []struct {
		name  string
		teams []asks
	}{{"one team", one}, {fmt.Sprintf("%d teams", manyTeams), many}} {
		for _, want := range statusWants {
			more, err := c.statusRows(ctx, of.name, of.teams, floor.URL, want.connections, [2]float64{want.session, want.key})
			rows = append(rows, more...)
			if err != nil {
				return rows, err
			}
		}
	}
	return rows, nil
}

// asks is a team with the files that it asks about.
type asks struct {
	Team

	files []string
}

// waitingName is the name of files that wait for ever.
const waitingName = "waits.pdf"

// queued stores files of a team that wait for workers, of which none takes them: they have no
// jobs.
func queued(ctx context.Context, c *Config, n int) ([]string, error) {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = db.NewID()
	}
	_, err := c.DB.Pool().Exec(ctx, `
		INSERT INTO files (id, team_id, name, size, sha256, status)
		SELECT id, $2, $3, 1, sha256(id::text::bytea), 'queued' FROM unnest($1::uuid[]) id`, ids, c.Scope.TeamID, waitingName)
	return ids, err
}

// statusRows measures one number of connections, with sessions and with keys.
func (c *Config) statusRows(ctx context.Context, whose string, of []asks, floor string, connections int, wants [2]float64) ([]row, error) {
	session := func(r *http.Request, t Team) { r.AddCookie(t.Session) }
	key := func(r *http.Request, t Team) { r.Header.Set("Authorization", "Bearer "+t.Key) }
	// In turns, so that whatever else the machine does meets all.
	var rates [3][]float64
	for range 3 {
		for i, l := range []struct {
			url        string
			credential func(*http.Request, Team)
		}{{c.URL, session}, {c.URL, key}, {floor, session}} {
			rate, err := load(ctx, l.url, of, connections, l.credential)
			if err != nil {
				return nil, err
			}
			rates[i] = append(rates[i], rate)
		}
	}
	theirs := median(rates[2])
	rows := make([]row, 2)
	for i, credential := range []string{"session", "key"} {
		ours := median(rates[i])
		rows[i] = row{
			fmt.Sprintf("status of queued files, %s, %d connections, %s", whose, connections, credential), fmt.Sprintf("%.0f/s", ours),
			fmt.Sprintf("net/http and pgx %.0f/s", theirs), ours / theirs, fmt.Sprintf("≥ %.2f", wants[i]),
		}
	}
	return rows, nil
}

// floor reads one row by its key and writes it as JSON. It asks nobody who he is.
func (c *Config) floor() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/files/{id}/status", func(w http.ResponseWriter, r *http.Request) {
		var answer struct {
			ID       string    `json:"id"`
			Status   string    `json:"status"`
			Stage    string    `json:"stage"`
			QueuedAt time.Time `json:"queuedAt"`
		}
		err := c.DB.Pool().QueryRow(r.Context(), `SELECT id::text, status, stage, queued_at FROM files WHERE id = $1`, r.PathValue("id")).
			Scan(&answer.ID, &answer.Status, &answer.Stage, &answer.QueuedAt)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(answer) // who has gone away is told nothing
	})
	return mux
}

// load asks for statuses over so many connections, in turns for all files, for a second, and
// returns the answers a second.
func load(ctx context.Context, url string, of []asks, connections int, credential func(*http.Request, Team)) (float64, error) {
	const span = time.Second
	var answers atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	started := time.Now()
	for i := range connections {
		team := of[i%len(of)]
		group.Go(func() error {
			for at := i; time.Since(started) < span; at += connections {
				file := url + "/api/files/" + team.files[at%len(team.files)] + "/status"
				request, err := http.NewRequestWithContext(ctx, http.MethodGet, file, nil)
				if err != nil {
					return err
				}
				credential(request, team.Team)
				answer, err := client.Do(request)
				if err != nil {
					return err
				}
				_, err = io.Copy(io.Discard, answer.Body)
				_ = answer.Body.Close()
				if err != nil {
					return err
				}
				if answer.StatusCode != http.StatusOK {
					return fmt.Errorf("%s: %s", file, answer.Status)
				}
				answers.Add(1)
			}
			return nil
		})
	}
	err := group.Wait()
	return float64(answers.Load()) / time.Since(started).Seconds(), err
}

// bulkReprocess asks for ten thousand files to be read again. The files have no
// bytes, and the work is taken back at once: what is measured is the asking.
func bulkReprocess(ctx context.Context, c *Config) (row, error) {
	const n = 10_000
	ids := make([]string, n)
	err := c.DB.InTx(ctx, func(tx *db.Tx) error {
		for i := range ids {
			ids[i] = db.NewID()
		}
		_, err := tx.Raw.Exec(ctx, `
			INSERT INTO files (id, team_id, name, size, sha256, status, stage)
			SELECT id, $2, 'bench', 1, sha256(id::text::bytea), 'completed', 'done' FROM unnest($1::uuid[]) id`, ids, c.Scope.TeamID)
		return err
	})
	if err != nil {
		return row{}, err
	}
	body, err := json.Marshal(map[string]any{"fileIds": ids})
	if err != nil {
		return row{}, err
	}
	started := time.Now()
	err = c.call(ctx, http.MethodPost, "/api/files/bulk/reprocess", "application/json", strings.NewReader(string(body)), nil)
	took := time.Since(started)
	if err != nil {
		return row{}, err
	}
	_, err = c.DB.Pool().Exec(ctx, `DELETE FROM river_job WHERE args ->> 'file_id' = ANY($1) AND state <> 'running'`, ids)
	if err != nil {
		return row{}, err
	}
	_, err = c.DB.Pool().Exec(ctx, `DELETE FROM files WHERE id = ANY($1)`, ids)
	return row{what: "10,000 files to reprocess, enqueued", ours: milliseconds(took), want: c.within(time.Second)}, err
}

// fresh is a word that no corpus has.
func fresh() string { return "clausemill" + strings.ToLower(rand.Text()[:12]) }

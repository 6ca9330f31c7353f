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

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/chi/v5"
	"golang.org/x/sync/errgroup"

	"github.com/clausemill/clausemill/db"
)

// interfaces measures the API and the queue.
func interfaces(ctx context.Context, c *Config) ([]row, error) {
	ids, rows, err := uploads(ctx, c)
	if err != nil {
		return nil, err
	}
	reads, err := statusReads(ctx, c, ids)
	if err != nil {
		return nil, err
	}
	bulk, err := bulkReprocess(ctx, c)
	return append(append(rows, reads...), bulk), err
}

// uploads sends a megabyte at a time, little of which is text, and follows each
// to its end by long poll.
func uploads(ctx context.Context, c *Config) ([]string, []row, error) {
	const n = 40
	var accepted, told []time.Duration
	var ids []string
	for i := range n {
		page := fmt.Sprintf("<p>The Supplier shall deliver order %d within thirty days.</p><!-- %s -->", i, strings.Repeat("x", 1<<20))
		started := time.Now()
		id, err := c.upload(ctx, "order.html", []byte(page))
		if err != nil {
			return nil, nil, err
		}
		accepted = append(accepted, time.Since(started))
		late, err := c.awaitEnd(ctx, id)
		if err != nil {
			return nil, nil, err
		}
		told = append(told, late)
		ids = append(ids, id)
	}
	var start float64
	err := c.DB.Pool().QueryRow(ctx, `
		SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM attempted_at - created_at))::float8
		FROM river_job WHERE kind = 'receive_file' AND args ->> 'file_id' = ANY($1)`, ids).Scan(&start)
	if err != nil {
		return nil, nil, err
	}
	return ids, []row{
		{what: "upload of 1 MB accepted, p50", ours: milliseconds(percentile(accepted, 0.5)), want: "≤ 15 ms"},
		{what: "job inserted to started, p50", ours: fmt.Sprintf("%.1f ms", 1000*start), want: "≤ 5 ms"},
		{what: "end committed to client told (long poll), p50", ours: milliseconds(percentile(told, 0.5)), want: "< 100 ms"},
		{what: "end committed to client told (long poll), p99", ours: milliseconds(percentile(told, 0.99)), want: "< 500 ms"},
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
		if s.ended() {
			return max(0, time.Since(s.FinishedAt)), nil
		}
	}
}

// statusReads asks for the status of files over and over, beside a server that
// does no more than Huma and one query must.
func statusReads(ctx context.Context, c *Config, ids []string) ([]row, error) {
	floor := httptest.NewServer(c.floor(false))
	defer floor.Close()
	limited := httptest.NewServer(c.floor(true))
	defer limited.Close()

	var rows []row
	for _, r := range []struct {
		what, url, floor string
		credential       func(*http.Request)
	}{
		{"status reads with a session", c.URL, floor.URL, func(r *http.Request) { r.AddCookie(c.Session) }},
		{"status reads with a key", c.URL, limited.URL, func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+c.Key) }},
	} {
		// In turns, so that whatever else the machine does meets both.
		var ours, theirs []float64
		for range 5 {
			for url, rates := range map[string]*[]float64{r.url: &ours, r.floor: &theirs} {
				rate, err := load(ctx, url, ids, r.credential)
				if err != nil {
					return nil, err
				}
				*rates = append(*rates, rate)
			}
		}
		rows = append(rows, row{
			r.what, fmt.Sprintf("%.0f/s", median(ours)),
			fmt.Sprintf("floor %.0f/s", median(theirs)), median(ours) / median(theirs), "≥ 0.85",
		})
	}
	return rows, nil
}

// floor reads one row by its key and writes it as JSON, through Huma and pgx;
// with a limit it counts the request as well.
func (c *Config) floor(limited bool) http.Handler {
	type answer struct {
		Body struct {
			ID       string    `json:"id"`
			Status   string    `json:"status"`
			Stage    string    `json:"stage"`
			QueuedAt time.Time `json:"queuedAt"`
		}
	}
	router := chi.NewRouter()
	api := humachi.New(router, huma.DefaultConfig("floor", "1"))
	huma.Get(api, "/api/files/{fileId}/status", func(ctx context.Context, in *struct {
		FileID string `path:"fileId"`
	},
	) (*answer, error) {
		if limited {
			if _, err := c.DB.CountRequests(ctx, "bench", 1, time.Minute); err != nil {
				return nil, err
			}
		}
		var a answer
		err := c.DB.Pool().QueryRow(ctx, `SELECT id::text, status, stage, queued_at FROM files WHERE id = $1 AND team_id = $2`,
			in.FileID, c.Scope.TeamID).Scan(&a.Body.ID, &a.Body.Status, &a.Body.Stage, &a.Body.QueuedAt)
		return &a, err
	})
	return router
}

// load asks for statuses over 32 connections, each for that of another file, for a
// second and returns the answers a second.
func load(ctx context.Context, url string, ids []string, credential func(*http.Request)) (float64, error) {
	const connections, span = 32, time.Second
	var answers atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	started := time.Now()
	for i := range connections {
		file := url + "/api/files/" + ids[i%len(ids)] + "/status"
		group.Go(func() error {
			for time.Since(started) < span {
				request, err := http.NewRequestWithContext(ctx, http.MethodGet, file, nil)
				if err != nil {
					return err
				}
				credential(request)
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
	return row{what: "10,000 files to reprocess, enqueued", ours: milliseconds(took), want: "< 1 s"}, err
}

// fresh is a word that no corpus has.
func fresh() string { return "clausemill" + strings.ToLower(rand.Text()[:12]) }

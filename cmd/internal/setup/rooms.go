package setup

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"github.com/clausemill/clausemill/blob"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/jobs"
	"github.com/clausemill/clausemill/search"
)

// Rooms is what the API and the workers share.
type Rooms struct {
	Config
	DB      *db.DB
	Blobs   *blob.Store
	Search  search.Engine
	Log     *slog.Logger
	Metrics *prometheus.Registry

	children *prometheus.CounterVec
}

// Open connects to what c names. Close gives it back.
func Open(ctx context.Context, c Config, log *slog.Logger) (*Rooms, error) {
	database, err := OpenDatabase(ctx, c.Database, log)
	if err != nil {
		return nil, err
	}
	address, err := c.blobURL()
	if err != nil {
		return nil, err
	}
	blobs, err := blob.Open(ctx, address)
	if err != nil {
		database.Close()
		return nil, err
	}
	r := &Rooms{
		Config:  c,
		DB:      database,
		Blobs:   blobs,
		Search:  c.engine(database),
		Log:     log,
		Metrics: prometheus.NewRegistry(),
		children: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "clausemill_children_ended_total",
			Help: "Child processes that ended, by what they run and why.",
		}, []string{"program", "cause"}),
	}
	r.Metrics.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		r.children, newBacklog(database))
	return r, nil
}

// OpenDatabase connects to the database alone, and brings its schema up to date
// if that is wanted.
func OpenDatabase(ctx context.Context, c Database, log *slog.Logger) (*db.DB, error) {
	if c.DatabaseURL == "" {
		return nil, errors.New("DATABASE_URL is needed: postgres://user:password@host/database (or run 'clausemill dev', which brings its own)")
	}
	database, err := db.Open(ctx, c.DatabaseURL, c.DatabaseConns)
	if err != nil {
		return nil, err
	}
	if err := database.Ping(ctx); err != nil {
		database.Close()
		return nil, fmt.Errorf("the database does not answer: %w", err)
	}
	if c.Migrate {
		steps := log
		if !log.Enabled(ctx, slog.LevelDebug) {
			steps = slog.New(slog.DiscardHandler) // every step is told there
		}
		if err := database.Migrate(ctx, steps); err != nil {
			database.Close()
			return nil, err
		}
	}
	return database, nil
}

// Close ends all connections.
func (r *Rooms) Close() error {
	err := r.Blobs.Close()
	r.DB.Close()
	return err
}

// inserter is a client of the queue that asks for jobs and works none.
func (r *Rooms) inserter() (*jobs.Client, error) {
	return river.NewClient(riverpgxv5.New(r.DB.Pool()), &river.Config{
		Logger: r.Log,
		// An inserter wakes the workers of a queue once in this time. With the
		// default of 100 ms a job that came soon after another lay until the
		// next poll.
		FetchCooldown: river.FetchCooldownMin,
	})
}

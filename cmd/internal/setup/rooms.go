package setup

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"sync/atomic"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/riverqueue/river"

	"github.com/clausemill/clausemill"
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
	health   *health
	draining atomic.Bool
	traces   *traces // nil where there are none
}

// Open connects to what c names. Close gives it back.
func Open(ctx context.Context, c Config, log *slog.Logger) (*Rooms, error) {
	return open(ctx, c, log, true)
}

// Look is Open for those who change nothing: a store that nobody has marked stays so.
func Look(ctx context.Context, c Config, log *slog.Logger) (*Rooms, error) {
	return open(ctx, c, log, false)
}

func open(ctx context.Context, c Config, log *slog.Logger, mark bool) (*Rooms, error) {
	var options []db.OpenOption
	if collector, _ := c.Tracing.endpoint(); collector != "" { // a wrong one is Trace's to refuse
		options = append(options, db.Traced)
	}
	database, err := c.Connect(ctx, options...)
	if err != nil {
		return nil, err
	}
	if err := settle(ctx, c, database, log); err != nil {
		database.Close()
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
	err = claim(ctx, database, blobs, mark)
	if err == nil && mark {
		err = c.keepCopies(blobs)
	}
	if err != nil {
		_ = blobs.Close()
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
		health: newHealth(log),
	}
	r.Metrics.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		r.children, newBacklog(database), prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name:        "clausemill_build_info",
			Help:        "1, and what the process was built of.",
			ConstLabels: prometheus.Labels{"build": clausemill.Build()},
		}, func() float64 { return 1 }))
	go r.watchConnections(ctx)
	return r, nil
}

// keepCopies gives a bucket room for copies on this machine.
func (c Config) keepCopies(blobs *blob.Store) error {
	cache, err := c.cacheDir()
	if err != nil {
		return err
	}
	return blobs.Keep(filepath.Join(cache, "originals"), int64(c.BlobCache))
}

// settle brings the schema up to date, if that is wanted, and looks whether this
// program can work with it.
func settle(ctx context.Context, c Config, database *db.DB, log *slog.Logger) error {
	if c.Migrate {
		applied, err := Migrate(ctx, database, log)
		if err != nil {
			return err
		}
		if len(applied) > 0 {
			log.InfoContext(ctx, "migrated the database", slog.Any("applied", applied))
		}
	}
	schema, err := database.Schema(ctx)
	if err == nil && schema.Newer {
		log.WarnContext(ctx, schema.String())
	}
	return err
}

// Migrate is database.Migrate, which says more of its steps than people want to
// hear unless they look for a fault.
func Migrate(ctx context.Context, database *db.DB, log *slog.Logger) (applied []string, err error) {
	if !log.Enabled(ctx, slog.LevelDebug) {
		log = slog.New(slog.DiscardHandler)
	}
	return database.Migrate(ctx, log)
}

// Connect opens the database alone, whatever its schema.
func (c Database) Connect(ctx context.Context, options ...db.OpenOption) (*db.DB, error) {
	if c.DatabaseURL == "" {
		return nil, errors.New("DATABASE_URL is needed: postgres://user:password@host/database (or run 'clausemill dev', which brings its own)")
	}
	open := db.Open
	if c.DatabaseDirectURL != "" {
		open = func(ctx context.Context, url string, maxConns int, options ...db.OpenOption) (*db.DB, error) {
			return db.OpenPooled(ctx, url, c.DatabaseDirectURL, maxConns, options...)
		}
	}
	database, err := open(ctx, c.DatabaseURL, c.DatabaseConns, options...)
	if err != nil {
		return nil, err
	}
	if err := database.Ping(ctx); err != nil {
		database.Close()
		return nil, fmt.Errorf("the database does not answer: %w", decisive(err))
	}
	return database, nil
}

// decisive is what a server said or, where none did, the network: of an error that
// tells of each way that was tried, with TLS and without.
func decisive(err error) error {
	var server *pgconn.PgError
	if errors.As(err, &server) {
		return errors.New(server.Message)
	}
	var network *net.OpError
	if errors.As(err, &network) {
		return network
	}
	return err
}

// Open is Connect to a database with a schema that this program can work with. It
// never migrates: that is for those who run the service.
func (c Database) Open(ctx context.Context) (*db.DB, error) {
	database, err := c.Connect(ctx)
	if err != nil {
		return nil, err
	}
	if err := database.Fits(ctx); err != nil {
		database.Close()
		return nil, err
	}
	return database, nil
}

// OpenQueue is Open, with an Inserter.
func (c Database) OpenQueue(ctx context.Context) (*db.DB, *jobs.Client, error) {
	database, err := c.Open(ctx)
	if err != nil {
		return nil, nil, err
	}
	client, err := Inserter(database)
	if err != nil {
		database.Close()
		return nil, nil, err
	}
	return database, client, nil
}

// Inserter is a client of the job queue that enqueues and works no jobs.
func Inserter(database *db.DB) (*jobs.Client, error) {
	return river.NewClient(database.Driver(), &river.Config{Logger: slog.New(slog.DiscardHandler)})
}

// Close sends what is left of traces, and ends all connections.
func (r *Rooms) Close() error {
	r.traces.close()
	err := r.Blobs.Close()
	r.DB.Close()
	return err
}

// inserter is a client of the queue that asks for jobs and works none.
func (r *Rooms) inserter() (*jobs.Client, error) {
	return river.NewClient(r.DB.Driver(), &river.Config{
		Logger: jobs.Quiet(r.Log),
		// An inserter wakes the workers of a queue once in this time. With the
		// default of 100 ms a job that came soon after another lay until the
		// next poll.
		FetchCooldown: river.FetchCooldownMin,
	})
}

package db

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
)

// mostSessions is how many sessions a process has beside a pooler: one that listens, and
// while it migrates one for the lock and one for the statements.
const mostSessions = 3

// OpenPooled is Open where url is that of a pooler that has connections for a transaction
// each, such as PgBouncer with pool_mode = transaction. Nothing is prepared then, and what
// needs a session, listening and migrating, connects to Postgres itself, at direct.
func OpenPooled(ctx context.Context, url, direct string, maxConns int, options ...OpenOption) (*DB, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("the database URL cannot be read: %w", err)
	}
	config.MaxConns = int32(maxConns)
	config.ConnConfig.DefaultQueryExecMode = planned
	for _, option := range options {
		option(config)
	}
	sessions, err := connect(ctx, direct, mostSessions, options...)
	if err != nil {
		return nil, err
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		sessions.Close()
		return nil, err
	}
	return open(ctx, pool, sessions)
}

// Driver is what River asks the database with.
func (d *DB) Driver() riverdriver.Driver[pgx.Tx] {
	if d.sessions == d.pool {
		return riverpgxv5.New(d.pool)
	}
	return pooledDriver{riverpgxv5.New(d.pool), riverpgxv5.New(d.sessions)}
}

// pooledDriver listens beside the pooler.
type pooledDriver struct {
	*riverpgxv5.Driver

	sessions *riverpgxv5.Driver
}

// GetListener gives the listener a session of its own.
func (d pooledDriver) GetListener(params *riverdriver.GetListenenerParams) riverdriver.Listener {
	return d.sessions.GetListener(params)
}

package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"

	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/database"
	"github.com/pressly/goose/v3/lock"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

// Migrate brings the schema up to date and names what it has applied: River's
// tables first, since ours index them. Replicas that start together wait for one
// another on a session lock. It leaves alone what a later release has migrated;
// whether this program can work with that, or with the schema at all, is for
// Schema to say.
func (d *DB) Migrate(ctx context.Context, log *slog.Logger) (applied []string, err error) {
	std := stdlib.OpenDBFromPool(d.sessions)
	defer std.Close()

	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return nil, err
	}
	conn, err := std.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	if err := locker.SessionLock(ctx, conn); err != nil {
		return nil, err
	}
	defer func() { _ = locker.SessionUnlock(context.WithoutCancel(ctx), conn) }() // closing the connection unlocks as well

	s, missing, err := d.migrated(ctx)
	if err != nil {
		return nil, err
	}
	if s.QueueVersion < s.QueueWanted {
		river, err := rivermigrate.New(riverpgxv5.New(d.sessions), &rivermigrate.Config{Logger: log})
		if err != nil {
			return nil, err
		}
		done, err := river.Migrate(ctx, rivermigrate.DirectionUp, nil)
		if err != nil {
			return nil, fmt.Errorf("migrate the queue: %w", err)
		}
		for _, v := range done.Versions {
			applied = append(applied, fmt.Sprintf("river %d: %s", v.Version, v.Name))
		}
	}
	if len(missing) == 0 {
		return applied, nil
	}
	files, err := fs.Sub(migrationFiles, "migrations")
	if err != nil {
		return applied, err
	}
	// What one release adds has higher numbers than the one before; within a release
	// they may come in any order.
	ours, err := goose.NewProvider(goose.DialectCustom, std, files, goose.WithStore(history{}), goose.WithAllowOutofOrder(true), goose.WithSlog(log))
	if err != nil {
		return applied, err
	}
	done, err := ours.Up(ctx)
	if partial := (*goose.PartialError)(nil); errors.As(err, &partial) {
		done = partial.Applied
	}
	for _, m := range done {
		applied = append(applied, m.Source.Path)
	}
	if err != nil {
		return applied, fmt.Errorf("migrate the schema: %w", err)
	}
	return applied, nil
}

// historyTable has the migrations that were applied, each with its hash at that time.
const historyTable = "clausemill_migrations"

// history is what goose writes down in the transaction of each migration.
type history struct{}

var _ database.StoreExtender = history{}

// Tablename is where it is.
func (history) Tablename() string { return historyTable }

// TableExists finds it by the search path.
func (history) TableExists(ctx context.Context, db database.DBTxConn) (exists bool, err error) {
	err = db.QueryRowContext(ctx, `SELECT to_regclass($1) IS NOT NULL`, historyTable).Scan(&exists)
	return exists, err
}

// CreateVersionTable is the first thing that is done to a database.
func (history) CreateVersionTable(ctx context.Context, db database.DBTxConn) error {
	_, err := db.ExecContext(ctx, `
		CREATE TABLE `+historyTable+` (
			version    bigint PRIMARY KEY,
			name       text NOT NULL,
			sha256     bytea NOT NULL,
			release    text NOT NULL,
			applied_at timestamptz NOT NULL DEFAULT now()
		)`)
	return err
}

// Insert writes down a migration of this program. Goose begins with a version 0,
// which is none.
func (history) Insert(ctx context.Context, db database.DBTxConn, r database.InsertRequest) error {
	for _, m := range migrations() {
		if m.Version == r.Version {
			_, err := db.ExecContext(ctx, `INSERT INTO `+historyTable+` (version, name, sha256, release) VALUES ($1, $2, $3, $4)`, m.Version, m.Name, m.SHA256, m.Release)
			return err
		}
	}
	return nil
}

// Delete is for going back, which no migration can.
func (history) Delete(context.Context, database.DBTxConn, int64) error { return errors.ErrUnsupported }

// GetMigration is one that was applied.
func (history) GetMigration(ctx context.Context, db database.DBTxConn, version int64) (*database.GetMigrationResult, error) {
	found := database.GetMigrationResult{IsApplied: true}
	err := db.QueryRowContext(ctx, `SELECT applied_at FROM `+historyTable+` WHERE version = $1`, version).Scan(&found.Timestamp)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, database.ErrVersionNotFound
	}
	return &found, err
}

// GetLatestVersion is 0 where none was applied.
func (history) GetLatestVersion(ctx context.Context, db database.DBTxConn) (version int64, err error) {
	err = db.QueryRowContext(ctx, `SELECT coalesce(max(version), 0) FROM `+historyTable).Scan(&version)
	return version, err
}

// ListMigrations has the newest first, and goose's 0 at the end.
func (history) ListMigrations(ctx context.Context, db database.DBTxConn) (list []*database.ListMigrationsResult, err error) {
	rows, err := db.QueryContext(ctx, `SELECT version FROM `+historyTable+` UNION ALL SELECT 0 ORDER BY 1 DESC`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		m := database.ListMigrationsResult{IsApplied: true}
		if err := rows.Scan(&m.Version); err != nil {
			return nil, err
		}
		list = append(list, &m)
	}
	return list, rows.Err()
}

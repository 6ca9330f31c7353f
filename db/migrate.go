package db

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"log/slog"

	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrate brings the schema up to date: River's tables first, since ours index
// them. Replicas that start together wait for one another on a session lock.
func (d *DB) Migrate(ctx context.Context, log *slog.Logger) error {
	std := stdlib.OpenDBFromPool(d.pool)
	defer std.Close()

	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return err
	}
	conn, err := std.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := locker.SessionLock(ctx, conn); err != nil {
		return err
	}
	defer func() { _ = locker.SessionUnlock(context.WithoutCancel(ctx), conn) }() // closing the connection unlocks as well

	river, err := rivermigrate.New(riverpgxv5.New(d.pool), &rivermigrate.Config{Logger: log})
	if err != nil {
		return err
	}
	if _, err := river.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return fmt.Errorf("migrate the queue: %w", err)
	}

	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	ours, err := goose.NewProvider(goose.DialectPostgres, std, files, goose.WithSlog(log))
	if err != nil {
		return err
	}
	if _, err := ours.Up(ctx); err != nil {
		return fmt.Errorf("migrate the schema: %w", err)
	}
	return nil
}

package db

import (
	"context"
	"io/fs"
	"strconv"
	"strings"

	"github.com/clausemill/clausemill/fault"
)

// Ready reports whether Postgres answers and has the schema that this program
// was built for, or a later one: during a rolling upgrade the new release
// migrates first. Anything else is Unavailable.
func (q Queries) Ready(ctx context.Context) error {
	version, err := value[int64](ctx, q, `SELECT coalesce(max(version_id), 0) FROM goose_db_version WHERE is_applied`, nil)
	if err != nil {
		return fault.Wrap(fault.Unavailable, "the database is not available", err)
	}
	if want := latestMigration(); version < want {
		return fault.Newf(fault.Unavailable, "the database schema is at version %d and this program needs %d: migrate it", version, want)
	}
	return nil
}

// latestMigration is the number of the newest embedded migration.
func latestMigration() int64 {
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil || len(names) == 0 {
		panic("no migrations are embedded")
	}
	last := strings.TrimPrefix(names[len(names)-1], "migrations/")
	number, _, _ := strings.Cut(last, "_")
	version, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		panic("the migration " + last + " has no number")
	}
	return version
}

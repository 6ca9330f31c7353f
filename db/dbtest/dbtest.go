// Package dbtest gives tests a Postgres of their own.
//
// New is a database inside a transaction that is rolled back: milliseconds, and
// good for whatever needs no second connection. Database is a real one, cloned
// from a migrated template, for tests of commits, notifications and
// concurrency. Empty is one without a schema, for tests of migrating. All need
// CLAUSEMILL_TEST_DATABASE_URL, which `make test` sets; without it they skip.
package dbtest

import (
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
)

// template is the name of the migrated database that every test starts from.
// It carries the process id, since packages are tested in processes of their
// own and side by side.
var template = sync.OnceValues(func() (string, error) {
	ctx := context.Background()
	admin, err := pgx.Connect(ctx, os.Getenv("CLAUSEMILL_TEST_DATABASE_URL"))
	if err != nil {
		return "", err
	}
	defer admin.Close(ctx)

	name := fmt.Sprintf("clausemill_template_%d", os.Getpid())
	for _, sql := range []string{
		`DROP DATABASE IF EXISTS ` + name,
		`CREATE DATABASE ` + name,
	} {
		if _, err := admin.Exec(ctx, sql); err != nil {
			return "", err
		}
	}
	d, err := db.Open(ctx, urlOf(name), 4)
	if err != nil {
		return "", err
	}
	defer d.Close()
	_, err = d.Migrate(ctx, slog.New(slog.DiscardHandler))
	return name, err
})

// shared is the database in which the rolled-back transactions run.
var shared = sync.OnceValues(func() (*db.DB, error) {
	name, err := template()
	if err != nil {
		return nil, err
	}
	clone := name + "_shared"
	if err := create(clone, name); err != nil {
		return nil, err
	}
	return db.Open(context.Background(), urlOf(clone), 16)
})

// New is a database whose every change is rolled back when the test ends. It is
// one connection: no second goroutine may use it, and its clock stands still.
func New(t testing.TB) *db.DB {
	t.Helper()
	need(t)
	d, err := shared()
	require.NoError(t, err)
	tx, err := d.Pool().Begin(context.Background())
	require.NoError(t, err)
	t.Cleanup(func() { _ = tx.Rollback(context.Background()) })
	return db.New(tx)
}

// Database is a real database that is dropped when the test ends, and its URL.
func Database(t testing.TB) (*db.DB, string) {
	t.Helper()
	need(t)
	from, err := template()
	require.NoError(t, err)
	url := copied(t, from)
	d, err := db.Open(context.Background(), url, 16)
	require.NoError(t, err)
	t.Cleanup(d.Close)
	return d, url
}

// Empty is the URL of a real database without a schema, which is dropped when the
// test ends.
func Empty(t testing.TB) string {
	t.Helper()
	need(t)
	return copied(t, "template0")
}

// copied is the URL of a copy of another database.
func copied(t testing.TB, from string) string {
	t.Helper()
	sum := sha256.Sum256([]byte(t.Name() + time.Now().String()))
	name := fmt.Sprintf("clausemill_test_%x", sum[:8])
	require.NoError(t, create(name, from))
	t.Cleanup(func() { drop(name) })
	// The server's log then says which test a deadlock is of.
	return urlOf(name) + "&application_name=" + url.QueryEscape(t.Name())
}

// Drop removes the databases of this process; call it after m.Run in TestMain
// of a package that made many.
func Drop() {
	if os.Getenv("CLAUSEMILL_TEST_DATABASE_URL") == "" {
		return
	}
	name := fmt.Sprintf("clausemill_template_%d", os.Getpid())
	drop(name + "_shared")
	drop(name)
}

// Deadlocks is the application_name of transactions in which a test means Postgres
// to find a deadlock. Any other one fails the run: testenv reads the server's log.
const Deadlocks = "clausemill-deadlocks"

func need(t testing.TB) {
	t.Helper()
	if os.Getenv("CLAUSEMILL_TEST_DATABASE_URL") == "" {
		t.Skip("needs Postgres: run the tests with `make test`, or set CLAUSEMILL_TEST_DATABASE_URL")
	}
}

// cloning is serial: Postgres refuses to copy a template that is in use.
var cloning sync.Mutex

func create(name, from string) error {
	cloning.Lock()
	defer cloning.Unlock()
	ctx := context.Background()
	admin, err := pgx.Connect(ctx, os.Getenv("CLAUSEMILL_TEST_DATABASE_URL"))
	if err != nil {
		return err
	}
	defer admin.Close(ctx)
	_, err = admin.Exec(ctx, `CREATE DATABASE `+name+` TEMPLATE `+from)
	return err
}

func drop(name string) {
	ctx := context.Background()
	admin, err := pgx.Connect(ctx, os.Getenv("CLAUSEMILL_TEST_DATABASE_URL"))
	if err != nil {
		return
	}
	defer admin.Close(ctx)
	_, _ = admin.Exec(ctx, `DROP DATABASE IF EXISTS `+name+` WITH (FORCE)`) // the whole server goes soon after
}

func urlOf(database string) string {
	u, err := url.Parse(os.Getenv("CLAUSEMILL_TEST_DATABASE_URL"))
	if err != nil {
		return ""
	}
	u.Path = "/" + database
	// An odd time zone brings to light whatever depends on the server's.
	query := u.Query()
	query.Set("timezone", "America/St_Johns")
	u.RawQuery = query.Encode()
	return u.String()
}

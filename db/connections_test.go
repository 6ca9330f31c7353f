package db_test

import (
	"context"
	"fmt"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/db/dbtest"
)

// TestNoConnectionIsLeft asks while others have all connections: it waits for one,
// as long as its caller does.
func TestNoConnectionIsLeft(t *testing.T) {
	t.Parallel()
	d, address := dbtest.Database(t)
	role := fmt.Sprintf("narrow_%d", time.Now().UnixNano())
	require.NoError(t, d.InTx(t.Context(), func(tx *db.Tx) error {
		_, err := tx.Raw.Exec(t.Context(), "CREATE ROLE "+role+" LOGIN CONNECTION LIMIT 1")
		return err
	}))
	t.Cleanup(func() {
		_, err := d.Pool().Exec(context.Background(), "DROP ROLE "+role)
		require.NoError(t, err)
	})
	narrow, err := url.Parse(address)
	require.NoError(t, err)
	narrow.User = url.User(role)
	open := func() *db.DB {
		d, err := db.Open(t.Context(), narrow.String(), 1)
		require.NoError(t, err)
		t.Cleanup(d.Close)
		return d
	}
	first, second := open(), open()
	held, err := first.Pool().Acquire(t.Context())
	require.NoError(t, err)

	brief, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	require.Error(t, second.Ping(brief))

	answered := make(chan error, 1)
	go func() {
		answered <- second.InTx(t.Context(), func(tx *db.Tx) error {
			_, err := tx.Raw.Exec(t.Context(), "SELECT 1")
			return err
		})
	}()
	require.Never(t, func() bool { return len(answered) > 0 }, 500*time.Millisecond, 10*time.Millisecond)
	require.NoError(t, held.Conn().Close(t.Context()))
	held.Release()
	require.NoError(t, <-answered)
}

// TestConnections adds up what processes may ask for.
func TestConnections(t *testing.T) {
	t.Parallel()
	_, address := dbtest.Database(t)
	anonymous, err := url.Parse(address)
	require.NoError(t, err)
	query := anonymous.Query()
	query.Del("application_name")
	anonymous.RawQuery = query.Encode()
	before, err := func() (db.Connections, error) { d, _ := dbtest.Database(t); return d.Connections(t.Context()) }()
	require.NoError(t, err)
	for i, most := range []int{3, 50_000} {
		d, err := db.Open(t.Context(), anonymous.String(), most)
		require.NoError(t, err)
		t.Cleanup(d.Close)
		seen, err := d.Connections(t.Context())
		require.NoError(t, err)
		require.GreaterOrEqual(t, seen.Processes, i+1)
		require.GreaterOrEqual(t, seen.Asked, most+2, "one listens, and one answers probes")
		require.Equal(t, before.There, seen.There)
		require.Positive(t, seen.There)
		require.Equal(t, most == 50_000, seen.Asked > seen.There)
	}
}

// TestBusyIsReady probes while requests have all connections of the pool.
func TestBusyIsReady(t *testing.T) {
	t.Parallel()
	_, address := dbtest.Database(t)
	d, err := db.Open(t.Context(), address, 1)
	require.NoError(t, err)
	t.Cleanup(d.Close)
	busy, err := d.Pool().Acquire(t.Context())
	require.NoError(t, err)
	defer busy.Release()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	require.NoError(t, d.Fits(ctx))
}

// TestWorkMemory opens connections to a database that nothing is configured for, one with
// more, and by an address that says how much.
func TestWorkMemory(t *testing.T) {
	t.Parallel()
	plain, address := dbtest.Database(t)
	shows := func(address, want string) {
		d, err := db.Open(t.Context(), address, 1)
		require.NoError(t, err)
		defer d.Close()
		var told string
		require.NoError(t, d.Pool().QueryRow(t.Context(), `SHOW work_mem`).Scan(&told))
		require.Equal(t, want, told)
	}
	shows(address, "32MB")
	u, err := url.Parse(address)
	require.NoError(t, err)
	q := u.Query()
	q.Set("work_mem", "8MB")
	u.RawQuery = q.Encode()
	shows(u.String(), "8MB")
	_, err = plain.Pool().Exec(t.Context(), "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET work_mem = %L', current_database(), '64MB'); END $$")
	require.NoError(t, err)
	shows(address, "64MB")
}

// TestConnectionsAreGivenUp has Postgres end a transaction of a process that hangs, whose locks
// others would wait for.
func TestConnectionsAreGivenUp(t *testing.T) {
	t.Parallel()
	_, address := dbtest.Database(t)
	for set, want := range map[string]string{"": "10min", "200": "200ms"} {
		u, err := url.Parse(address)
		require.NoError(t, err)
		q := u.Query()
		if set != "" {
			q.Set("idle_in_transaction_session_timeout", set)
		}
		u.RawQuery = q.Encode()
		d, err := db.Open(t.Context(), u.String(), 1)
		require.NoError(t, err)
		t.Cleanup(d.Close)
		var told string
		require.NoError(t, d.Pool().QueryRow(t.Context(), `SHOW idle_in_transaction_session_timeout`).Scan(&told))
		require.Equal(t, want, told)
		if set == "" {
			continue
		}
		require.Error(t, d.InTx(t.Context(), func(tx *db.Tx) error {
			time.Sleep(time.Second) // it hangs
			_, err := tx.Raw.Exec(t.Context(), "SELECT 1")
			return err
		}))
		require.NoError(t, d.Ping(t.Context()), "there is another connection")
	}
}

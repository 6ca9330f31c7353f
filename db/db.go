package db

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/clausemill/clausemill/fault"
)

// Conn is what a query needs. A pool and a transaction both satisfy it, so a
// test can hand New a transaction and roll everything back.
type Conn interface {
	Begin(ctx context.Context) (pgx.Tx, error)
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	CopyFrom(ctx context.Context, table pgx.Identifier, columns []string, rows pgx.CopyFromSource) (int64, error)
}

// Queries holds one method per question asked of the database.
type Queries struct {
	conn   Conn
	mode   pgx.QueryExecMode
	cached pgx.QueryExecMode // of what is prepared, whoever asks it; see prepared
}

// DB answers each query on its own connection.
type DB struct {
	Queries
	pool     *pgxpool.Pool // nil where a test runs in a transaction
	sessions *pgxpool.Pool // for what needs one connection for long; the same pool without a pooler
	probes   *pgxpool.Pool // of one connection, for probes; nil where New made it
	rehearse bool
	deliver  Deliver

	compared struct { // the schema, with what it should be
		sync.Mutex

		at time.Time // when nothing was wrong with it
	}
}

// Tx answers every query inside one transaction.
type Tx struct {
	Queries
	Raw pgx.Tx // for River's InsertTx, so that a row and its job commit together

	outbox outbox
	asks   Deliver
	texts  map[string]int // generations of texts, of files that are held until the end
}

// Scope says whose rows a query may see and who answers for a change.
type Scope struct {
	TeamID    string
	ActorKind string // user, key, service or system
	ActorID   string // a user, an API key or a service account; empty for the system

	// Admin says that the actor is an admin of the team, where what they may do
	// depends on more than the operation.
	Admin bool

	// Hidden are the restricted matters of the team that the actor is not listed
	// on. The service itself sees them, and so their files are read as all others.
	Hidden []string
}

// System is the scope of work that the service does for a team by itself.
func System(teamID string) Scope { return Scope{TeamID: teamID, ActorKind: "system"} }

// UserID is the person behind the scope, or "" where there is none.
func (s Scope) UserID() string {
	if s.ActorKind == "user" {
		return s.ActorID
	}
	return ""
}

// New answers queries on conn.
func New(conn Conn) *DB {
	pool, _ := conn.(*pgxpool.Pool)
	if pool != nil {
		conn = patient{pool}
	}
	return &DB{Queries: Queries{conn, planned, pgx.QueryExecModeCacheStatement}, pool: pool, sessions: pool}
}

// Prepared is the same database for those who ask the same of one file after the
// other, as workers do: their statements are prepared, which spares the planning.
// TestPlans holds what they ask to the plans that they get then. See planned. Behind a
// pooler nothing is prepared.
func (d *DB) Prepared() *DB {
	return &DB{Queries: d.prepared(), pool: d.pool, sessions: d.sessions, probes: d.probes, rehearse: d.rehearse, deliver: d.deliver}
}

// beside is how many connections a process has beside those of its pool: one that listens, and
// one for probes.
const beside = 2

// givenUp is when Postgres gives a connection up, and the locks of its transaction: half a
// minute after the other side stopped answering, as one does that the network was cut to, and
// ten minutes after its last statement, as one does that hangs. Left to itself Postgres waits
// two hours, and for ever. What is in the URL wins.
var givenUp = map[string]string{
	"tcp_keepalives_idle": "20", "tcp_keepalives_interval": "5", "tcp_keepalives_count": "3",
	"idle_in_transaction_session_timeout": "10min",
}

// workMemory is enough for the bitmap of a search for common words among some million
// sentences. With the 4 MB of Postgres it becomes lossy: of most pages all sentences are read
// and compared. More stays where it is configured; what is in the URL wins.
const workMemory = `SELECT set_config('work_mem', '32MB', false) WHERE pg_size_bytes(current_setting('work_mem')) < pg_size_bytes('32MB')`

// compression has long values compressed by lz4 where the server has it: that of pages and
// their words took a tenth of what the server does for an import. What is stored is read
// either way; what is in the URL wins.
const compression = `SELECT set_config('default_toast_compression', 'lz4', false) FROM pg_settings WHERE name = 'default_toast_compression' AND 'lz4' = ANY(enumvals);`

// Open connects to url with at most maxConns connections, so that a busy
// service queues in the process and not in Postgres. One more listens and one answers probes.
func Open(ctx context.Context, url string, maxConns int, options ...OpenOption) (*DB, error) {
	pool, err := connect(ctx, url, maxConns, options...)
	if err != nil {
		return nil, err
	}
	return open(ctx, pool, pool)
}

// open answers queries on the connections of pool.
func open(ctx context.Context, pool, sessions *pgxpool.Pool) (*DB, error) {
	config := pool.Config()
	config.MaxConns = 1
	probes, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		pool.Close()
		sessions.Close()
		return nil, err
	}
	d := New(pool)
	d.sessions, d.probes = sessions, probes
	if sessions != pool {
		d.cached = planned
	}
	return d, nil
}

// connect makes a pool, which connects when it is first asked.
func connect(ctx context.Context, url string, maxConns int, options ...OpenOption) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("the database URL cannot be read: %w", err)
	}
	config.MaxConns = int32(maxConns)
	config.MaxConnIdleTime = 5 * time.Minute
	params := config.ConnConfig.RuntimeParams
	var settings strings.Builder
	for name, value := range givenUp {
		if _, set := params[name]; !set {
			fmt.Fprintf(&settings, "SET %s = '%s';", name, value)
		}
	}
	if _, set := params["default_toast_compression"]; !set {
		settings.WriteString(compression)
	}
	if _, set := params["work_mem"]; !set {
		settings.WriteString(workMemory)
	}
	config.AfterConnect = func(ctx context.Context, c *pgx.Conn) error { // poolers take no such parameters when one connects
		textUUIDs(c)
		_, err := c.Exec(ctx, settings.String())
		return err
	}
	if params["application_name"] == "" {
		params["application_name"] = applicationName(maxConns + beside)
	}
	for _, option := range options {
		option(config)
	}
	return pgxpool.NewWithConfig(ctx, config)
}

// Pool is the pool that Open made.
func (d *DB) Pool() *pgxpool.Pool { return d.pool }

// Close waits for running queries and closes every connection.
func (d *DB) Close() {
	d.pool.Close()
	d.sessions.Close()
	if d.probes != nil {
		d.probes.Close()
	}
}

// Ping reports whether Postgres answers.
func (d *DB) Ping(ctx context.Context) error {
	_, err := d.conn.Exec(ctx, "SELECT 1")
	return classify(err)
}

// InTx runs fn in a transaction that commits if fn returns nil and is rolled back
// otherwise. The events of fn are written after it, right before the commit.
//
// After a deadlock or a serialization failure fn runs again, so it may set variables
// outside, but not add to them.
func (d *DB) InTx(ctx context.Context, fn func(tx *Tx) error) error {
	for try := 1; ; try++ {
		err := classify(d.inTx(ctx, fn))
		if try >= patience(err) || d.pool == nil { // in a test's own transaction all is lost
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(rand.N(conflictPause << try)):
		}
	}
}

func (d *DB) inTx(ctx context.Context, fn func(tx *Tx) error) error {
	run := func(raw pgx.Tx) error {
		pipe := newPipelined(raw)
		tx := &Tx{Queries: Queries{pipe, d.mode, d.cached}, Raw: pipe, asks: d.deliver, texts: map[string]int{}}
		err := fn(tx)
		switch {
		case err == nil:
			return cmp.Or(tx.flush(ctx), pipe.send(ctx))
		case ended(err) && !raw.Conn().IsClosed():
			return elsewhere{err}
		default:
			return err
		}
	}
	if d.rehearse {
		err := pgx.BeginFunc(ctx, d.conn, func(raw pgx.Tx) error { return cmp.Or(run(raw), errRehearsed) })
		if !errors.Is(err, errRehearsed) {
			return err
		}
	}
	return pgx.BeginFunc(ctx, d.conn, run)
}

// Rehearse has each transaction run once for nothing before it counts. It is for
// tests, which find what InTx is given and may not run twice.
func (d *DB) Rehearse() { d.rehearse = true }

var errRehearsed = errors.New("this was the rehearsal")

// conflictPause is the longest that a transaction waits before its second run;
// before each later one it is twice as long.
const conflictPause = 5 * time.Millisecond

// patience is how often a transaction that ended with err is worth running.
func patience(err error) int {
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		return 1
	}
	switch pg.Code {
	case "40001", "40P01": // serialization_failure, deadlock_detected
		return 10 // eight were used up once where six kept filing into matters that another one deleted and restored
	case "23503": // foreign_key_violation: what it refers to may have gone since it was read
		return 2
	}
	return 1
}

// NewID makes an id. UUIDv7 sorts by time, so a list by id is a list by age.
func NewID() string { return uuid.Must(uuid.NewV7()).String() }

// unavailable says that the database did not answer, unless err says so already.
func unavailable(err error) error {
	var said *fault.Error
	if errors.As(err, &said) && said.Kind == fault.Unavailable {
		return err
	}
	return fault.Wrap(fault.Unavailable, "the database is not available; try again", err)
}

// planned has Postgres plan a statement for the values that come with it. What is
// prepared gets a plan for any values after a few times, and that is made for a
// team of middling size and a value of middling frequency: it goes over all files
// of a large team for the few that failed. Planning costs a tenth of a millisecond
// and more, so what is asked most of all is prepared: FileStates, what each search asks
// (prepared), and all that workers ask (Prepared).
const planned = pgx.QueryExecModeCacheDescribe

// forValues is q whose statements are planned for the values that come with them. What
// ranges over rows of a team asks by it. What finds rows by their keys may be prepared:
// it says `team_id IS NOT DISTINCT FROM @team` where an index of the team looks as good
// as the key to a plan for any team. That is the same, and no index serves it.
func (q Queries) forValues() Queries { return Queries{q.conn, planned, q.cached} }

// prepared is q whose statements are prepared. It is for few statements, whose plan is the
// same for any values: each connection keeps the plans of them all.
func (q Queries) prepared() Queries { return Queries{q.conn, q.cached, q.cached} }

// opaque is a value that was given, of a statement that is prepared, which the planner is
// not to look at: a plan for this very list, word or query would look better each time than
// one for any, and be made each time. Kind is its type.
func opaque(name, kind string) string { return "(SELECT @" + name + "::" + kind + ")" }

// given renders values of a statement that is prepared, as opaque, or that is planned for them.
func given(prepared bool) func(name, kind string) string {
	if prepared {
		return opaque
	}
	return func(name, kind string) string { return "@" + name + "::" + kind }
}

// one returns the single row that sql selects.
func one[T any](ctx context.Context, q Queries, sql string, a args) (T, error) {
	rows, _ := q.conn.Query(ctx, sql, q.mode, a) // an error here resurfaces in Collect
	row, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[T])
	return row, classify(err)
}

// value returns the single value that sql selects.
func value[T any](ctx context.Context, q Queries, sql string, a args) (T, error) {
	rows, _ := q.conn.Query(ctx, sql, q.mode, a)
	v, err := pgx.CollectExactlyOneRow(rows, pgx.RowTo[T])
	return v, classify(err)
}

// many returns every row that sql selects; none is an empty slice, not nil.
func many[T any](ctx context.Context, q Queries, sql string, a args) ([]T, error) {
	rows, _ := q.conn.Query(ctx, sql, q.mode, a)
	list, err := pgx.AppendRows([]T{}, rows, pgx.RowToStructByName[T])
	return list, classify(err)
}

// values returns the single column that sql selects.
func values[T any](ctx context.Context, q Queries, sql string, a args) ([]T, error) {
	rows, _ := q.conn.Query(ctx, sql, q.mode, a)
	list, err := pgx.AppendRows([]T{}, rows, pgx.RowTo[T])
	return list, classify(err)
}

// exec runs sql and returns the number of rows it touched.
func exec(ctx context.Context, q Queries, sql string, a args) (int64, error) {
	tag, err := q.conn.Exec(ctx, sql, q.mode, a)
	return tag.RowsAffected(), classify(err)
}

// change runs sql and is NotFound where it touched no row.
func change(ctx context.Context, q Queries, sql string, a args) error {
	n, err := exec(ctx, q, sql, a)
	if err == nil && n == 0 {
		return errNotFound
	}
	return err
}

// fewRows is how many rows at most, and fewBytes how much text in them, is written by a statement
// that may be prepared. A COPY is parsed each time, and pgx asks for the types of the columns first;
// but it holds one row at a time in memory, and not all that is sent together.
const (
	fewRows  = 4
	fewBytes = 64 << 10
)

// copyRows writes rows in Postgres' fastest way.
func copyRows[T any](ctx context.Context, q Queries, table string, columns string, rows []T, row func(i int, r T) []any) error {
	if len(rows) == 0 {
		return nil
	}
	names := strings.Fields(strings.ReplaceAll(columns, ",", " "))
	if len(rows) <= fewRows {
		var values []any
		for i, r := range rows {
			values = append(values, row(i, r)...)
		}
		if textOf(values) <= fewBytes {
			return insertRows(ctx, q, table, names, values)
		}
	}
	_, err := q.conn.CopyFrom(ctx, pgx.Identifier{table}, names, pgx.CopyFromSlice(len(rows), func(i int) ([]any, error) {
		return row(i, rows[i]), nil
	}))
	return classify(err)
}

// textOf is how many bytes of text are among values.
func textOf(values []any) (bytes int) {
	for _, v := range values {
		switch v := v.(type) {
		case string:
			bytes += len(v)
		case *string:
			if v != nil {
				bytes += len(*v)
			}
		case []byte:
			bytes += len(v)
		}
	}
	return bytes
}

// insertRows writes rows of values, those of one row after those of the other.
func insertRows(ctx context.Context, q Queries, table string, names []string, values []any) error {
	lists := make([]string, len(values)/len(names))
	for i := range lists {
		places := make([]string, len(names))
		for at := range names {
			places[at] = "$" + strconv.Itoa(i*len(names)+at+1)
		}
		lists[i] = "(" + strings.Join(places, ", ") + ")"
	}
	return later(ctx, q, `INSERT INTO `+table+` (`+strings.Join(names, ", ")+`) VALUES `+strings.Join(lists, ", "), values...)
}

// errNotFound is also the answer for a row of another team, so that existence
// never leaks.
var errNotFound = fault.New(fault.NotFound, "not found")

// errStale is the answer to a change of a version that is not the latest.
var errStale = fault.New(fault.Conflict, "it has changed since it was read; read it again")

// classify turns an error of Postgres into a fault.
func classify(err error) error {
	if err == nil {
		return nil
	}
	var other elsewhere
	if errors.As(err, &other) {
		return other.error
	}
	if errors.Is(err, pgx.ErrNoRows) {
		return errNotFound
	}
	var already *fault.Error
	if errors.As(err, &already) {
		return err
	}
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		if pgconn.Timeout(err) || errors.Is(err, context.Canceled) {
			return err
		}
		if disconnected(err) {
			return unavailable(err)
		}
		return err
	}
	switch pg.Code {
	case "23505": // unique_violation
		return fault.Wrap(fault.Conflict, "that already exists", err)
	case "23503": // foreign_key_violation
		return fault.Wrap(fault.Invalid, "that refers to something that does not exist", err)
	case "22P02": // invalid_text_representation: only ids reach Postgres unchecked
		return errNotFound
	case "22021": // character_not_in_repertoire
		return fault.Wrap(fault.Invalid, "a text has a NUL character, or one that is no UTF-8", err)
	case "23514", "22001", "22003", "22P05", "54001":
		// check_violation, too long, out of range, half a character, nested too
		// deeply
		return fault.Wrap(fault.Invalid, "a value is not allowed", err)
	}
	if pg.Code == "53100" { // disk_full
		return fault.Wrap(fault.NoSpace, "the database has no space left; try again later", err)
	}
	switch pg.Code[:2] {
	case "08", "40", "53", "57":
		// connection lost, serialization or deadlock, out of a resource, shutting
		// down or cancelled
		return fault.Wrap(fault.Unavailable, "the database is busy; try again", err)
	}
	return err
}

// disconnected reports whether err is of the way to the server and not of what
// was asked: it went away, before or after it did its work.
func disconnected(err error) bool {
	var connect *pgconn.ConnectError
	return errors.As(err, &connect) || pgconn.SafeToRetry(err) || ended(err)
}

// ended reports whether err is of a connection, or of anything else that was read and
// ended too early.
func ended(err error) bool {
	var network net.Error
	return errors.As(err, &network) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed)
}

// elsewhere is an error that ended a transaction and is not of its connection, which
// works: a file was cut off, say.
type elsewhere struct{ error }

func (e elsewhere) Unwrap() error { return e.error }

// nullable is nil for the empty string, so that optional ids are NULL and not
// a malformed uuid.
func nullable(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

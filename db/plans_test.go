package db_test

import (
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/db/dbtest"
)

// plan is a node of what Postgres did for a statement.
type plan struct {
	Kind      string  `json:"Node Type"`
	Table     string  `json:"Relation Name"`
	Index     string  `json:"Index Name"`
	Loops     float64 `json:"Actual Loops"`
	Rows      float64 `json:"Actual Rows"` // of one loop, as what follows
	Filtered  float64 `json:"Rows Removed by Filter"`
	Rechecked float64 `json:"Rows Removed by Index Recheck"`
	Hit       int     `json:"Shared Hit Blocks"` // with those below
	Read      int     `json:"Shared Read Blocks"`
	Plans     []plan  `json:"Plans"`
}

// read is how many rows of tables and entries of indexes p went over.
func (p plan) read() (rows int) {
	if p.Table != "" && p.Kind != "ModifyTable" || p.Index != "" {
		rows = int(p.Loops * (p.Rows + p.Filtered + p.Rechecked))
	}
	for _, part := range p.Plans {
		rows += part.read()
	}
	return rows
}

// String is the scans of p that read most, for people.
func (p plan) String() string {
	var lines []string
	var walk func(p plan)
	walk = func(p plan) {
		if n := int(p.Loops * (p.Rows + p.Filtered + p.Rechecked)); n > 200 && (p.Table != "" || p.Index != "") {
			lines = append(lines, fmt.Sprintf("    %s %s %s: %d rows in %.0f loops", p.Kind, p.Table, p.Index, n, p.Loops))
		}
		for _, part := range p.Plans {
			walk(part)
		}
	}
	walk(p)
	return strings.Join(lines, "\n")
}

// done is a statement that was carried out.
type done struct {
	SQL  string `json:"Query Text"`
	Plan plan   `json:"Plan"`
}

// explainer is a connection on which Postgres tells the plan of whatever it
// carries out, what triggers and foreign keys ask included.
type explainer struct {
	conn     *pgx.Conn
	told     []done
	prepared bool // statements are, as those of workers
}

func newExplainer(t *testing.T, url string) *explainer {
	t.Helper()
	config, err := pgx.ParseConfig(url)
	require.NoError(t, err)
	e := &explainer{}
	config.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) {
		if _, text, ok := strings.Cut(n.Message, "plan:\n"); ok {
			var d done
			require.NoError(t, json.Unmarshal([]byte(text), &d))
			e.told = append(e.told, d)
		}
	}
	e.conn, err = pgx.ConnectConfig(t.Context(), config)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.conn.Close(context.Background())) })
	_, err = e.conn.Exec(t.Context(), `
		LOAD 'auto_explain';
		SET auto_explain.log_min_duration = 0; SET auto_explain.log_level = notice; SET auto_explain.log_format = json;
		SET auto_explain.log_analyze = on; SET auto_explain.log_buffers = on; SET auto_explain.log_timing = off; SET auto_explain.log_nested_statements = on;
		SET jit = off; SET statement_timeout = 20000`)
	require.NoError(t, err)
	return e
}

// during is what is carried out in f, in a transaction that leaves no trace.
func (e *explainer) during(t *testing.T, name string, f func(d *db.DB, tx *db.Tx) error) []done {
	t.Helper()
	raw, err := e.conn.Begin(t.Context())
	require.NoError(t, err)
	defer func() { require.NoError(t, raw.Rollback(context.Background())) }()
	e.told = nil
	d := db.New(raw)
	if e.prepared {
		d = d.Prepared()
	}
	if err := d.InTx(t.Context(), func(tx *db.Tx) error { return f(d, tx) }); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	return e.told
}

// asker asks for a team, as a member of it.
type asker struct {
	*db.Tx
	*subjects

	ctx context.Context
	db  *db.DB
}

// subjects is what questions are about: of each sort of things the one in the
// middle.
type subjects struct {
	in, guest db.Scope // a member, and one who does not see the restricted matters

	user, key, account, file, waiting, running, matter, kind, rare, sentence, reviewed, decided, chat, message, category, widget, savedSearch string

	operation, notification, hook, entry, flag, model string

	session, keyHash, token, secret []byte
	files                           []string
	job                             int64
}

func subjectsOf(t *testing.T, conn *pgx.Conn, name string) *subjects {
	t.Helper()
	var team string
	require.NoError(t, conn.QueryRow(t.Context(), `SELECT id::text FROM teams WHERE name = $1`, pgx.QueryExecModeExec, name).Scan(&team))
	find := func(into any, sql string) {
		require.NoError(t, conn.QueryRow(t.Context(), sql, pgx.QueryExecModeExec, team).Scan(into), sql)
	}
	s := &subjects{}
	for _, of := range []struct {
		into *string
		rows string
	}{
		{&s.key, "api_keys WHERE team_id = $1"},
		{&s.account, "service_accounts WHERE team_id = $1"},
		{&s.file, "files WHERE team_id = $1 AND text_ready AND matter_id IS NOT NULL"},
		{&s.waiting, "files WHERE team_id = $1 AND status = 'queued'"},
		{&s.running, "files WHERE team_id = $1 AND status = 'processing'"},
		{&s.kind, "document_types WHERE team_id = $1 AND key IS NOT NULL"},
		{&s.rare, "document_types WHERE team_id = $1 AND key IS NULL"},
		{&s.sentence, "sentences WHERE team_id = $1"},
		{&s.reviewed, "sentences WHERE team_id = $1 AND label IS NULL"},
		{&s.decided, "sentences WHERE team_id = $1 AND source = 'validated'"},
		{&s.category, "categories WHERE team_id = $1"},
		{&s.widget, "widgets WHERE team_id = $1"},
		{&s.operation, "operations WHERE team_id = $1 AND state = 'running'"},
		{&s.hook, "webhooks WHERE team_id = $1"},
		{&s.entry, "trash WHERE team_id = $1"},
		{&s.flag, "feature_flags WHERE team_id = $1"},
		{&s.model, "models WHERE team_id = $1"},
	} {
		find(of.into, "WITH x AS (SELECT id FROM "+of.rows+") SELECT id::text FROM x ORDER BY id OFFSET (SELECT count(*) / 2 FROM x) LIMIT 1")
	}
	find(&s.matter, "SELECT matter_id::text FROM files WHERE team_id = $1 AND id = '"+s.file+"'")
	find(&s.user, "SELECT user_id::text FROM members WHERE team_id = $1 ORDER BY user_id LIMIT 1")
	find(&s.savedSearch, "SELECT coalesce((SELECT id FROM saved_searches WHERE team_id = $1 ORDER BY id LIMIT 1), gen_random_uuid())::text")
	find(&s.chat, "SELECT chat_id::text FROM chat_participants WHERE team_id = $1 AND user_id = '"+s.user+"' LIMIT 1")
	find(&s.message, "SELECT id::text FROM chat_messages WHERE team_id = $1 AND chat_id = '"+s.chat+"' AND number = 2")
	find(&s.notification, "SELECT id::text FROM notifications WHERE team_id = $1 AND user_id = '"+s.user+"' ORDER BY id LIMIT 1")
	find(&s.keyHash, "SELECT hash FROM api_keys WHERE team_id = $1 LIMIT 1")
	find(&s.token, "SELECT hash FROM service_tokens WHERE account_id = '"+s.account+"' AND $1 <> '' LIMIT 1")
	find(&s.secret, "SELECT hash FROM service_accounts WHERE team_id = $1 AND id = '"+s.account+"'")
	find(&s.session, "SELECT hash FROM sessions WHERE team_id = $1 AND user_id = '"+s.user+"' LIMIT 1")
	find(&s.job, "SELECT id FROM river_job WHERE state = 'running' AND args ->> 'team_id' = $1")
	find(&s.files, "SELECT array_agg(id::text) FROM (SELECT id FROM files WHERE team_id = $1 AND text_ready ORDER BY id LIMIT 5) x")
	s.in = db.Scope{TeamID: team, ActorKind: "user", ActorID: s.user, Admin: true}
	s.guest = s.in
	find(&s.guest.Hidden, "SELECT coalesce(array_agg(id::text), ARRAY[gen_random_uuid()::text]) FROM matters WHERE team_id = $1 AND access = 'restricted'")
	return s
}

// system is the scope of the service.
func (s *subjects) system() db.Scope { return db.System(s.in.TeamID) }

// attempt is that of the file which is being read.
func (s *subjects) attempt() db.Attempt { return db.Attempt{FileID: s.running, Number: 1} }

// question is a call of a method whose plan is held.
type question struct {
	name string // the method; behind a slash what is special
	most int    // rows that it may read for the large team
	ask  func(a asker) error
}

// TestPlans carries out every question that is asked often, for a team that has
// nearly a hundred thousand files and for one that has ten. It counts what is read:
// a plan that goes over all rows where a few answer is too much.
func TestPlans(t *testing.T) {
	if testing.Short() {
		t.Skip("fills a large database")
	}
	t.Parallel()
	url := largeDatabase(t)
	e := newExplainer(t, url)
	large, small := subjectsOf(t, e.conn, "team 0"), subjectsOf(t, e.conn, "team 1")
	for _, q := range slices.Concat(hot, ofAll) {
		e.ask(t, q, "large", large, q.most)
	}
	// What a small team asks is not to cost what large ones have.
	for _, q := range hot {
		e.ask(t, q, "small", small, min(q.most, some))
	}

	// What workers ask is prepared, and some of what others do. It may get a plan for any values after five times:
	// so often it is asked for the small team here. Where many small teams are beside a
	// large one such a plan takes each team for small.
	manyTeams(t, e.conn)
	e = newExplainer(t, url)
	e.prepared = true
	asked := asksOfWorkers(t)
	always := []string{"FileStates", "WordForms", "Spellings", "SearchSentences", "FilesWithMost", "SectionsTitled", "MetadataLike", "Named", "AttributeValues", "FileCategories", "HasOCRText", "Relatives", "RelativeBytes", "ClauseSentences"}
	// What only the API asks under the same name, and what reads each row twice, by an
	// index and from the table.
	others := []string{
		"Count", "Files/with metadata", "FoldVocabulary",
		// These are planned for their values.
		"AttributeValues", "AttributeValues/exact", "AttributeValues/restricted", "Named/chats", "SearchSentences/with a text", "SearchSentences/the newest", "SearchSentences/without words",
	}
	once := []string{"WordForms", "Spellings", "SearchSentences", "FilesWithMost", "SectionsTitled", "Named", "AttributeValues"} // to plan them takes long
	for _, q := range hot {
		name, _, _ := strings.Cut(q.name, "/")
		if !asked[name] && !slices.Contains(always, name) || slices.Contains(others, q.name) {
			continue
		}
		require.NoError(t, e.conn.DeallocateAll(t.Context()))
		for range 5 {
			e.during(t, q.name, func(d *db.DB, tx *db.Tx) error {
				return q.ask(asker{Tx: tx, subjects: small, ctx: t.Context(), db: d})
			})
		}
		e.ask(t, q, "large", large, q.most)
		if slices.Contains(once, name) {
			e.plannedOnce(t, q.name)
		}
	}
}

// plannedOnce fails the test where a statement that was carried out more than five times is
// planned for its values each time: Postgres does that where it looks cheaper.
func (e *explainer) plannedOnce(t *testing.T, name string) {
	t.Helper()
	rows, err := e.conn.Query(t.Context(), `SELECT statement FROM pg_prepared_statements WHERE custom_plans > 5`, pgx.QueryExecModeExec)
	require.NoError(t, err)
	statements, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	for _, sql := range statements {
		t.Errorf("%s is planned each time: %s", name, strings.Join(strings.Fields(sql), " "))
	}
}

// asksOfWorkers are the names of the methods that rooms call whose statements are
// prepared, and that uploads call, as theirs are. See DB.Prepared.
func asksOfWorkers(t *testing.T) map[string]bool {
	t.Helper()
	called := map[string]bool{}
	for _, files := range []string{"worker/*.go", "corpus/*.go", "jobs/*.go", "api/upload.go"} {
		paths, err := filepath.Glob(filepath.Join("..", files))
		require.NoError(t, err)
		require.NotEmpty(t, paths)
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			for node := range ast.Preorder(file) {
				if call, ok := node.(*ast.SelectorExpr); ok {
					called[call.Sel.Name] = true
				}
			}
		}
	}
	return called
}

// ask fails the test where a question reads more than most rows.
func (e *explainer) ask(t *testing.T, q question, size string, of *subjects, most int) {
	t.Helper()
	told := e.during(t, q.name+" of the "+size+" team", func(d *db.DB, tx *db.Tx) error {
		return q.ask(asker{Tx: tx, subjects: of, ctx: t.Context(), db: d})
	})
	read := 0
	for _, d := range told {
		read += d.Plan.read()
	}
	if read <= most {
		return
	}
	var text strings.Builder
	for _, d := range told {
		if d.Plan.read() > 200 {
			fmt.Fprintf(&text, "\n%s\n%s", strings.Join(strings.Fields(d.SQL), " "), d.Plan)
		}
	}
	t.Errorf("%s of the %s team reads %d rows and not %d:%s", q.name, size, read, most, text.String())
}

// TestPlansOfAllQueries finds queries of which TestPlans does not know whether they
// are asked often.
func TestPlansOfAllQueries(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, q := range slices.Concat(hot, ofAll) {
		name, _, _ := strings.Cut(q.name, "/")
		known[name] = true
	}
	for _, names := range cold {
		for _, name := range strings.Fields(names) {
			require.False(t, known[name], "%s is listed twice", name)
			known[name] = true
		}
	}
	var methods []string
	for _, of := range []reflect.Type{reflect.TypeFor[*db.DB](), reflect.TypeFor[*db.Tx](), reflect.TypeFor[db.Facets]()} {
		for m := range of.Methods() {
			if m.Type.NumIn() > 1 && m.Type.In(1) == reflect.TypeFor[context.Context]() && !slices.Contains(methods, m.Name) {
				methods = append(methods, m.Name)
			}
		}
	}
	for name := range known {
		require.Contains(t, methods, name, "there is no such query")
	}
	for _, name := range methods {
		require.True(t, known[name], "%s is in neither list of plans_test.go", name)
	}
}

// largeDatabase is one with what testdata/large.sql makes.
func largeDatabase(t *testing.T) (url string) {
	t.Helper()
	_, url = dbtest.Database(t)
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(context.Background())) }()
	sql, err := os.ReadFile("testdata/large.sql")
	require.NoError(t, err)
	for _, step := range []string{string(sql), "VACUUM ANALYZE"} {
		_, err = conn.Exec(t.Context(), step)
		require.NoError(t, err)
	}
	return url
}

// manyTeams has the planner believe that each table has rows of ten thousand teams.
func manyTeams(t *testing.T, conn *pgx.Conn) {
	t.Helper()
	_, err := conn.Exec(t.Context(), `SET statement_timeout = 0`) // analysing all tables is no question
	require.NoError(t, err)
	_, err = conn.Exec(t.Context(), `
		DO $$
		DECLARE at regclass;
		BEGIN
			FOR at IN SELECT c.oid FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'team_id'
				WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
			LOOP
				EXECUTE format('ALTER TABLE %s ALTER COLUMN team_id SET (n_distinct = 10000, n_distinct_inherited = 10000)', at);
			END LOOP;
		END $$;
		ANALYZE`)
	require.NoError(t, err)
}

// TestPrepared has statements prepared for workers and for nobody else.
func TestPrepared(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	prepared := func() int {
		rows, _ := d.Conn().Query(t.Context(), `SELECT count(*) FROM pg_prepared_statements`, pgx.QueryExecModeExec)
		n, err := pgx.CollectExactlyOneRow(rows, pgx.RowTo[int])
		require.NoError(t, err)
		return n
	}
	ask := func(d *db.DB) {
		_, err := d.Models(t.Context(), db.System(db.NewID()))
		require.NoError(t, err)
		require.NoError(t, d.InTx(t.Context(), func(tx *db.Tx) error {
			_, err := tx.MetadataKeys(t.Context(), db.System(db.NewID()))
			return err
		}))
	}
	before := prepared()
	ask(d)
	require.Equal(t, before, prepared())
	ask(d.Prepared())
	require.Equal(t, before+2, prepared())
}

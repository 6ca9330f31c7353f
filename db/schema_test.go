package db_test

import (
	"flag"
	"log/slog"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/db/dbtest"
	"github.com/clausemill/clausemill/fault"
)

var update = flag.Bool("update", false, "write schema.tsv anew")

// TestSchema compares what the migrations make with what programs look for when
// they start.
func TestSchema(t *testing.T) {
	t.Parallel()

	d, _ := dbtest.Database(t)
	lines, err := d.Catalogue(t.Context())
	require.NoError(t, err)
	made := strings.Join(lines, "")
	if *update {
		require.NoError(t, os.WriteFile("schema.tsv", []byte(made), 0o644)) //nolint:gosec // part of the source
	}
	written, err := os.ReadFile("schema.tsv")
	require.NoError(t, err)
	require.Equal(t, string(written), made, "run 'make schema', and read the diff")
}

// alter changes a database behind the program's back.
func alter(t *testing.T, d *db.DB, statements ...string) {
	t.Helper()
	for _, sql := range statements {
		_, err := d.Pool().Exec(t.Context(), sql)
		require.NoError(t, err)
	}
}

// newerRelease is what a later release leaves behind.
const newerRelease = `INSERT INTO clausemill_migrations (version, name, sha256, release) VALUES (9000, '9000_later.sql', '\x00', '9.0.0')`

func TestMigrate(t *testing.T) {
	t.Parallel()

	d, err := db.Open(t.Context(), dbtest.Empty(t), 4)
	require.NoError(t, err)
	t.Cleanup(d.Close)
	_, err = d.Schema(t.Context())
	require.EqualError(t, err, "the database has no schema of Clausemill yet: run 'clausemill migrate'")
	require.Equal(t, fault.Unavailable, fault.KindOf(err))

	silent := slog.New(slog.DiscardHandler)
	applied, err := d.Migrate(t.Context(), silent)
	require.NoError(t, err)
	require.Contains(t, applied, "0001_baseline.sql")
	require.Len(t, slices.DeleteFunc(slices.Clone(applied), func(s string) bool { return !strings.HasPrefix(s, "river ") }), db.QueueVersion())
	s, err := d.Schema(t.Context())
	require.NoError(t, err)
	require.Equal(t, s.Wanted, s.Version)
	require.Equal(t, clausemill.Build(), s.Release)
	require.Regexp(t, `^the schema is at \d+, as this program wants it$`, s.String())

	applied, err = d.Migrate(t.Context(), silent)
	require.NoError(t, err)
	require.Empty(t, applied)

	// What was not applied yet is told, and applied.
	alter(t, d, `DELETE FROM river_migration WHERE version = (SELECT max(version) FROM river_migration)`)
	require.ErrorContains(t, d.Fits(t.Context()), "the tables of the queue are at")
	applied, err = d.Migrate(t.Context(), silent)
	require.NoError(t, err)
	require.Len(t, applied, 1)
	require.NoError(t, d.Fits(t.Context()))
}

// TestSchemaThatDoesNotFit changes databases by hand in ways that migrating does
// not mend.
func TestSchemaThatDoesNotFit(t *testing.T) {
	t.Parallel()

	for name, tt := range map[string]struct {
		changes []string
		says    string
		refuses bool // to migrate too
	}{
		"edited migration": {
			[]string{`UPDATE clausemill_migrations SET sha256 = '\x00' WHERE version = 1`},
			"0001_baseline.sql is not what was applied to this database (by " + clausemill.Build() + ")", true,
		},
		"before 0.1.0": {
			[]string{`CREATE TABLE goose_db_version AS SELECT generate_series(0, 15) AS version_id, true AS is_applied`, `DROP TABLE clausemill_migrations`},
			"the database was made before release 0.1.0, and cannot be brought to the schema of a release: make a new one", true,
		},
		"no extension": {[]string{`DROP EXTENSION pg_trgm CASCADE`}, "the extension pg_trgm is missing, the index attribute_values_trigrams is missing", false},
		"no function":  {[]string{`DROP FUNCTION magnitude(text)`}, "the function magnitude(text) numeric is missing; put that right", false},
		"other function": {
			[]string{`CREATE OR REPLACE FUNCTION fold(text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN lower($1)`},
			"the function fold(text) text is another", false,
		},
		"no table":              {[]string{`DROP TABLE synonyms`}, "the table synonyms is missing, the column synonyms.id uuid is missing", false},
		"no column":             {[]string{`ALTER TABLE files DROP COLUMN error_page`}, "the column files.error_page integer is missing", false},
		"other type":            {[]string{`ALTER TABLE files ALTER error_page TYPE text`}, "the column files.error_page integer is missing", false},
		"no default":            {[]string{`ALTER TABLE files ALTER created_at DROP DEFAULT`}, "the column files.created_at timestamp with time zone is another", false},
		"nullable":              {[]string{`ALTER TABLE files ALTER name DROP NOT NULL`}, "the column files.name text is another", false},
		"no check":              {[]string{`ALTER TABLE files DROP CONSTRAINT files_status_check`}, "the constraint files_status_check of files is missing", false},
		"no key":                {[]string{`ALTER TABLE identities DROP CONSTRAINT identities_pkey`}, "the constraint identities_pkey of identities is missing", false},
		"no index":              {[]string{`DROP INDEX files_list`}, "the index files_list is missing", false},
		"other index":           {[]string{`DROP INDEX files_list`, `CREATE INDEX files_list ON files (team_id, id)`}, "the index files_list is another", false},
		"index not built":       {[]string{`UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'files_list'::regclass`}, "the index files_list is missing", false},
		"trigger switched off":  {[]string{`ALTER TABLE files DISABLE TRIGGER files_facts`}, "the trigger files_facts of files is missing", false},
		"queue without a state": {[]string{`ALTER TYPE river_job_state RENAME VALUE 'pending' TO 'waiting'`}, "the type river_job_state is another", false},
		"much": {
			[]string{`DROP INDEX files_list, files_status, files_progress, files_lifecycle, files_under_way`},
			"the index files_lifecycle is missing, the index files_list is missing, the index files_progress is missing and 2 more", false,
		},
		"newer, without a column": {
			[]string{newerRelease, `ALTER TABLE files DROP COLUMN error_page`},
			"release 9.0.0 has brought the schema to 9000 and the tables of the queue to", false,
		},
		"newer, with a column that has to have a value": {
			[]string{newerRelease, `ALTER TABLE files ADD COLUMN shelf text NOT NULL`},
			"it cannot work with that: the column files.shelf text has to have a value", false,
		},
		"of another branch": {[]string{newerRelease, `DELETE FROM clausemill_migrations WHERE version = 1`}, "0001_baseline.sql was never applied: they are of two branches", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			d, _ := dbtest.Database(t)
			alter(t, d, tt.changes...)
			err := d.Fits(t.Context())
			require.ErrorContains(t, err, tt.says)
			require.Equal(t, fault.Unavailable, fault.KindOf(err))

			applied, err := d.Migrate(t.Context(), slog.New(slog.DiscardHandler))
			require.Empty(t, applied)
			if tt.refuses {
				require.Error(t, err)
			} else {
				require.NoError(t, err)
				require.ErrorContains(t, d.Fits(t.Context()), tt.says)
			}
		})
	}
}

// TestFitsRemembers asks often: objects are compared once in a while, migrations
// each time.
func TestFitsRemembers(t *testing.T) {
	t.Parallel()

	d, _ := dbtest.Database(t)
	require.NoError(t, d.Fits(t.Context()))
	alter(t, d, `DROP FUNCTION magnitude(text)`)
	require.NoError(t, d.Fits(t.Context()))
	_, err := d.Schema(t.Context())
	require.Error(t, err)
	alter(t, d, `UPDATE clausemill_migrations SET sha256 = ''`)
	require.ErrorContains(t, d.Fits(t.Context()), "is not what was applied to this database")
}

// TestSchemaThatFitsAllTheSame has what operators add and tune, and what a later
// release may do while this one goes on.
func TestSchemaThatFitsAllTheSame(t *testing.T) {
	t.Parallel()

	byHand := []string{
		`CREATE TABLE theirs (id int NOT NULL)`, `CREATE VIEW counts AS SELECT count(*) FROM files`, `CREATE INDEX files_size ON files (size)`,
		`ALTER TABLE files ADD COLUMN theirs text`, `ALTER TABLE files SET (autovacuum_vacuum_scale_factor = 0.01)`, `ALTER TABLE files ALTER name SET STATISTICS 1000`,
	}
	later := []string{
		newerRelease, `INSERT INTO river_migration (line, version) VALUES ('main', 900)`,
		`CREATE TABLE shelves (id uuid PRIMARY KEY)`, `ALTER TABLE files ADD COLUMN shelf_id uuid REFERENCES shelves, ADD COLUMN place int NOT NULL DEFAULT 0`,
		`ALTER TABLE files DROP CONSTRAINT files_status_check, ADD CHECK (status <> '')`, `DROP INDEX files_list`, `ALTER TABLE files ALTER name DROP NOT NULL`,
	}
	for name, changes := range map[string][]string{"by hand": byHand, "newer": later} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			d, _ := dbtest.Database(t)
			alter(t, d, changes...)
			s, err := d.Schema(t.Context())
			require.NoError(t, err)
			require.Equal(t, name == "newer", s.Newer)
			if s.Newer {
				require.Regexp(t, `^release 9.0.0 has brought the schema to 9000 and the tables of the queue to 900, and this program, .+, knows them up to \d+ and \d+; what this program needs is there$`, s.String())
			}
			applied, err := d.Migrate(t.Context(), slog.New(slog.DiscardHandler))
			require.NoError(t, err)
			require.Empty(t, applied)
		})
	}
}

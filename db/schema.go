package db

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"

	"github.com/clausemill/clausemill"
	"github.com/clausemill/clausemill/fault"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// schemaFile is the schema that the migrations make, River's included, one object a
// line as the query catalogue returns it. TestSchema writes it. It begins with the
// migrations that it was made of, with their hashes.
//
//go:embed schema.tsv
var schemaFile string

// The major versions of Postgres: the oldest that can run the migrations, and the
// newest that is known to print the definitions as in schemaFile. Of a newer one only
// names are compared: if it prints an expression in another way, programs must still
// start.
const oldestPostgres, newestPostgres = 15, 18

// migration is a step that this program knows, or one that a database has seen.
type migration struct {
	Version int64  `db:"version"`
	Name    string `db:"name"`    // of the file
	SHA256  []byte `db:"sha256"`  // of the file
	Release string `db:"release"` // that applied it
}

// migrations are those of this program, the oldest first.
var migrations = sync.OnceValue(func() []migration {
	paths, err := fs.Glob(migrationFiles, "migrations/*.sql")
	if err != nil || len(paths) == 0 {
		panic("no migrations are embedded")
	}
	list := make([]migration, 0, len(paths))
	for _, path := range paths {
		text, err := migrationFiles.ReadFile(path)
		if err != nil {
			panic(err)
		}
		name := strings.TrimPrefix(path, "migrations/")
		number, _, _ := strings.Cut(name, "_")
		version, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			panic("the migration " + name + " has no number")
		}
		hash := sha256.Sum256(text)
		list = append(list, migration{version, name, hash[:], clausemill.Build()})
	}
	slices.SortFunc(list, func(a, b migration) int { return int(a.Version - b.Version) })
	return list
})

// queueVersion is that of River's newest migration.
var queueVersion = sync.OnceValue(func() int {
	river, err := rivermigrate.New(riverpgxv5.New(nil), nil)
	if err != nil {
		panic(err)
	}
	all := river.AllVersions()
	return all[len(all)-1].Version
})

// object is a part of a schema. The name has what queries rely on, types among
// it; the definition is all else.
type object struct {
	Kind       string `db:"kind"`
	Name       string `db:"name"`
	Definition string `db:"definition"`
}

// kinds of objects, those first whose names occur in queries.
var kinds, named = []string{"extension", "type", "function", "table", "column", "constraint", "index", "trigger"}, 5

// wanted are the objects that the migrations make.
var wanted = sync.OnceValue(func() []object {
	var list []object
	for line := range strings.Lines(schemaFile) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if slices.Contains(kinds, fields[0]) {
			list = append(list, object{fields[0], fields[1], fields[2]})
		}
	}
	return list
})

// catalogue lists the objects of the schema that tables are looked for in first,
// without those of extensions and of partitions, which have what their table has: only
// that a default one exists. What operators tune is left out: storage
// parameters, statistics, tablespaces. An index that was not built to its end and
// a trigger that is switched off count as missing.
const catalogue = `
	WITH home AS (SELECT oid FROM pg_namespace WHERE nspname = current_schema()),
	tables AS (
		SELECT c.oid, c.relname AS name FROM pg_class c
		WHERE c.relnamespace = (SELECT oid FROM home) AND c.relkind IN ('r', 'p', 'v', 'm') AND NOT c.relispartition
			AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
	)
	SELECT 'extension' AS kind, extname::text AS name, '' AS definition FROM pg_extension
	UNION ALL
	SELECT 'type', t.typname, string_agg(e.enumlabel, ' ' ORDER BY e.enumsortorder)
	FROM pg_type t JOIN pg_enum e ON e.enumtypid = t.oid WHERE t.typnamespace = (SELECT oid FROM home) GROUP BY t.oid
	UNION ALL
	SELECT 'function', format('%s(%s) %s', p.proname, pg_get_function_identity_arguments(p.oid), pg_get_function_result(p.oid)),
		concat_ws(' ', l.lanname, p.provolatile, p.proparallel, CASE WHEN p.proisstrict THEN 'strict' END,
			left(encode(sha256(convert_to(coalesce(pg_get_function_sqlbody(p.oid), p.prosrc), 'UTF8')), 'hex'), 16))
	FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
	WHERE p.pronamespace = (SELECT oid FROM home) AND p.prokind = 'f'
		AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
	UNION ALL
	SELECT 'table', name, '' FROM tables
	UNION ALL
	SELECT 'table', relname, '' FROM pg_class WHERE relnamespace = (SELECT oid FROM home) AND pg_get_expr(relpartbound, oid) = 'DEFAULT'
	UNION ALL
	SELECT 'column', format('%s.%s %s', t.name, a.attname, format_type(a.atttypid, a.atttypmod)),
		concat_ws(' ', CASE WHEN a.attidentity <> '' THEN 'identity' WHEN a.attgenerated <> '' THEN 'generated' WHEN d.oid IS NOT NULL THEN 'default' END,
			regexp_replace(pg_get_expr(d.adbin, d.adrelid), '\s+', ' ', 'g'), CASE WHEN a.attnotnull THEN 'not null' END,
			CASE WHEN a.attcollation <> y.typcollation THEN 'collate ' || c.collname END)
	FROM tables t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
		JOIN pg_type y ON y.oid = a.atttypid
		LEFT JOIN pg_collation c ON c.oid = a.attcollation
		LEFT JOIN pg_attrdef d ON d.adrelid = t.oid AND d.adnum = a.attnum
	UNION ALL
	SELECT 'constraint', format('%s of %s', c.conname, t.name), pg_get_constraintdef(c.oid, true)
	FROM tables t JOIN pg_constraint c ON c.conrelid = t.oid AND c.contype IN ('c', 'f', 'p', 'u', 'x')
	UNION ALL
	SELECT 'index', i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid, 0, true)
	FROM tables t JOIN pg_index i ON i.indrelid = t.oid AND i.indisvalid
	WHERE NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = i.indexrelid AND c.conrelid = i.indrelid)
	UNION ALL
	SELECT 'trigger', format('%s of %s', g.tgname, t.name), pg_get_triggerdef(g.oid, true)
	FROM tables t JOIN pg_trigger g ON g.tgrelid = t.oid AND NOT g.tgisinternal AND g.tgenabled <> 'D'`

// Schema is how far a database has come, and how far this program goes.
type Schema struct {
	Version, Wanted           int64  // numbers of the newest migrations
	QueueVersion, QueueWanted int    // of River's
	Release                   string // that was the last to migrate the database
	Newer                     bool   // it has migrations that this program does not know

	postgres int // major version
}

// String is for people.
func (s Schema) String() string {
	if s.Newer {
		return s.newer() + "; what this program needs is there"
	}
	return fmt.Sprintf("the schema is at %d, as this program wants it", s.Version)
}

func (s Schema) newer() string {
	return fmt.Sprintf("release %s has brought the schema to %d and the tables of the queue to %d, and this program, %s, knows them up to %d and %d",
		s.Release, s.Version, s.QueueVersion, clausemill.Build(), s.Wanted, s.QueueWanted)
}

// Fits is nil where Postgres answers and this program can work with the schema.
// It is Schema for those who ask often: while all is well, objects are compared
// once in a while. It has a connection of its own: where all those of the pool are
// in use, the process is busy, and who takes it out of service makes the others busier.
func (d *DB) Fits(ctx context.Context) error {
	q := d.Queries
	if d.probes != nil {
		q.conn = patient{d.probes}
	}
	s, err := q.progress(ctx)
	if err != nil {
		return err
	}
	d.compared.Lock()
	defer d.compared.Unlock()
	if time.Since(d.compared.at) < compareEvery {
		return nil
	}
	if err := q.compare(ctx, s); err != nil {
		return err
	}
	d.compared.at = time.Now()
	return nil
}

// compareEvery is for how long objects are believed to be there: to read all of
// them costs the server some ten milliseconds, and everybody may ask.
const compareEvery = 10 * time.Second

// Schema compares the schema of the database with the one that this program's
// migrations make. It is Unavailable, with a message for operators, if this program
// should not work with it. During a rollout the release before keeps working on a
// newer schema: there it requires only that all names in its queries exist, and that
// no column without a default is missing from its inserts.
func (q Queries) Schema(ctx context.Context) (Schema, error) {
	s, err := q.progress(ctx)
	if err == nil {
		err = q.compare(ctx, s)
	}
	return s, err
}

// progress is Unavailable where a migration of this program was not applied, or
// was another one when it was.
func (q Queries) progress(ctx context.Context) (Schema, error) {
	s, missing, err := q.migrated(ctx)
	switch {
	case err != nil:
		return s, err
	case s.Version == 0:
		return s, fault.New(fault.Unavailable, "the database has no schema of Clausemill yet: run 'clausemill migrate'")
	case len(missing) > 0:
		return s, fault.Newf(fault.Unavailable, "the schema is at %d and lacks %s, which this program, %s, needs: run 'clausemill migrate'",
			s.Version, enumerate(missing), clausemill.Build())
	case s.QueueVersion < s.QueueWanted:
		return s, fault.Newf(fault.Unavailable, "the tables of the queue are at %d, and this program, %s, needs %d: run 'clausemill migrate'",
			s.QueueVersion, clausemill.Build(), s.QueueWanted)
	}
	return s, nil
}

// compare is Unavailable where objects are not there, or not as the migrations
// make them.
func (q Queries) compare(ctx context.Context, s Schema) error {
	found, err := many[object](ctx, q, catalogue, nil)
	if err != nil {
		return err
	}
	if s.Newer {
		if wrong := lacks(wanted(), found); len(wrong) > 0 {
			return fault.New(fault.Unavailable, s.newer()+"; it cannot work with that: "+enumerate(wrong))
		}
		return nil
	}
	if wrong := differs(wanted(), found, s.postgres <= newestPostgres); len(wrong) > 0 {
		return fault.Newf(fault.Unavailable, "the schema is at %d and not what the migrations have made: %s; put that right by hand, or restore a backup",
			s.Version, enumerate(wrong))
	}
	return nil
}

// migrated reads which migrations the database has seen, and names those of this
// program that it has not. It is Unavailable where one of them was another when it
// was applied, or where nobody can know: before release 0.1.0 that was not written
// down.
func (q Queries) migrated(ctx context.Context) (s Schema, missing []string, err error) {
	made, err := one[struct {
		Postgres              int
		History, Queue, Early bool
	}](ctx, q, `
		SELECT current_setting('server_version_num')::int / 10000 AS postgres,
			to_regclass('`+historyTable+`') IS NOT NULL AS history, to_regclass('river_migration') IS NOT NULL AS queue,
			to_regclass('goose_db_version') IS NOT NULL AND to_regclass('api_keys') IS NOT NULL AS early`, nil)
	if err != nil {
		return s, nil, unavailable(err)
	}
	if made.Postgres < oldestPostgres {
		return s, nil, fault.Newf(fault.Unavailable, "Postgres %d is too old: %d or later is needed", made.Postgres, oldestPostgres)
	}
	s.postgres = made.Postgres
	s.Wanted, s.QueueWanted = migrations()[len(migrations())-1].Version, queueVersion()
	var applied []migration
	switch {
	case made.History:
		if applied, err = many[migration](ctx, q, `SELECT version, name, sha256, release FROM `+historyTable+` ORDER BY version`, nil); err != nil {
			return s, nil, err
		}
	case made.Early:
		return s, nil, fault.New(fault.Unavailable, "the database was made before release 0.1.0, and cannot be brought to the schema of a release: make a new one, and upload the files again")
	}
	if made.Queue {
		if s.QueueVersion, err = value[int](ctx, q, `SELECT coalesce(max(version), 0) FROM river_migration WHERE line = 'main'`, nil); err != nil {
			return s, nil, err
		}
	}
	s.Newer = s.QueueVersion > s.QueueWanted
	known := map[int64]migration{}
	for _, m := range migrations() {
		known[m.Version] = m
	}
	for _, a := range applied {
		s.Version, s.Release = a.Version, a.Release
		m, ok := known[a.Version]
		if !ok {
			s.Newer = true
		} else if !bytes.Equal(a.SHA256, m.SHA256) {
			return s, nil, fault.Newf(fault.Unavailable, "%s is not what was applied to this database (by %s): it was changed since, which is done only before a release; "+
				"use the program that made the database, or make a new one", m.Name, a.Release)
		}
		delete(known, a.Version)
	}
	for _, m := range migrations() {
		if _, ok := known[m.Version]; ok {
			missing = append(missing, m.Name)
		}
	}
	if s.Newer && len(missing) > 0 {
		return s, nil, fault.New(fault.Unavailable, s.newer()+"; but "+enumerate(missing)+" was never applied: they are of two branches")
	}
	return s, missing, nil
}

// differs lists what was removed or changed by hand. Additions are ignored.
func differs(want, found []object, definitions bool) (wrong []string) {
	definition := map[[2]string]string{}
	for _, o := range found {
		definition[[2]string{o.Kind, o.Name}] = o.Definition
	}
	for _, o := range want {
		if is, ok := definition[[2]string{o.Kind, o.Name}]; !ok {
			wrong = append(wrong, fmt.Sprintf("the %s %s is missing", o.Kind, o.Name))
		} else if definitions && is != o.Definition {
			wrong = append(wrong, fmt.Sprintf("the %s %s is another", o.Kind, o.Name))
		}
	}
	return wrong
}

// lacks lists what keeps a program from working with a schema newer than its own:
// names in its queries that do not exist, and required columns that its inserts leave
// out.
func lacks(want, found []object) (wrong []string) {
	var rely []object
	tables, columns := map[string]bool{}, map[string]bool{}
	for _, o := range want {
		tables[o.Name] = tables[o.Name] || o.Kind == "table"
		columns[o.Name] = columns[o.Name] || o.Kind == "column"
		if slices.Contains(kinds[:named], o.Kind) {
			rely = append(rely, o)
		}
	}
	wrong = differs(rely, found, false)
	for _, o := range found {
		table, _, _ := strings.Cut(o.Name, ".")
		if o.Kind == "column" && tables[table] && !columns[o.Name] && strings.HasPrefix(o.Definition, "not null") {
			wrong = append(wrong, fmt.Sprintf("the column %s has to have a value", o.Name))
		}
	}
	return wrong
}

// enumerate names the first few.
func enumerate(list []string) string {
	const few = 3
	if n := len(list) - few; n > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(list[:few], ", "), n)
	}
	return strings.Join(list, ", ")
}

package db

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/clausemill/clausemill/fault"
)

// This file moves all rows of a team, or of all teams, from one installation to
// another. A row is a JSON
// object with the text of each column, as Postgres writes it, so that nothing is lost
// on the way: not even the difference between NULL and a JSON null.
//
// The rows of a team are those of the team itself and of what is in its trash, which
// has teams of its own.

// archivedTable says which rows of a table are a team's.
type archivedTable struct {
	name  string
	where string // of @teams; by team_id where it is ""
}

func ofTeams(column, parent string) string {
	return column + ` IN (SELECT id FROM ` + parent + ` WHERE team_id = ANY(@teams))`
}

// archivedTables are the tables of teams, each behind those that it refers to.
// Before them come teams and the accounts of people.
var archivedTables = []archivedTable{
	{"members", ""}, {"invitations", ""}, {"api_keys", ""}, {"service_accounts", ""}, {"team_icons", ""}, {"synonyms", ""}, {"metadata_keys", ""}, {"fields", ""}, {"field_models", ""},
	{"nodes", ""}, {"retired_nodes", ""}, {"models", ""}, {"type_models", ""},
	{"categories", ""}, {"document_types", ""}, {"document_type_categories", ofTeams("document_type_id", "document_types")},
	{"matters", ""}, {"matter_people", ""}, {"matter_categories", ofTeams("matter_id", "matters")}, {"matter_document_types", ofTeams("matter_id", "matters")},
	{"files", ""}, {"file_versions", ""}, {"file_attempts", ""}, {"file_categories", ofTeams("file_id", "files")}, {"file_types", ""},
	{"pages", ""}, {"documents", ""}, {"blocks", ""}, {"sections", ""}, {"sentences", ""}, {"analyses", ""}, {"attributes", ""},
	{"overruled_attributes", ""}, {"attribute_decisions", ""}, {"field_marks", ""}, {"orphaned_decisions", ""}, {"file_nodes", ""}, {"file_sketches", ""}, {"sketch_bands", ""},
	{"file_tokens", ""}, {"file_likeness", ""}, {"changes", ""}, {"type_analyses", ""},
	{"assignments", ""}, {"chats", ""}, {"chat_participants", ""}, {"chat_messages", ""}, {"feature_flags", ""}, {"flag_conditions", ofTeams("flag_id", "feature_flags")},
	{"saved_searches", ""}, {"widgets", ""}, {"webhooks", ""}, {"webhook_deliveries", ""}, {"notifications", ""},
	{"operations", ""}, {"operation_files", ofTeams("operation_id", "operations")}, {"audit_events", ""}, {"trash", ""},
	{"vocabulary", ""}, {"stems", ""}, {"vocabulary_changes", ""},
}

// unarchivedTables are all others, with the reason. TestEveryTableIsArchivedOrNot
// holds that there is none beside.
var unarchivedTables = map[string]string{
	"base_document_types": "of the program", "clausemill_migrations": "of the schema", "installation": "of the installation",
	"river_job": "of the queue", "river_leader": "of the queue", "river_migration": "of the queue", "river_notification": "of the queue", "river_queue": "of the queue",
	"workers": "of processes", "admissions": "of the queue", "rate_limits": "of minutes", "sessions": "people sign in anew", "service_tokens": "of an hour", "idempotency_keys": "of a day", "model_tokens": "of a day", "review_claims": "of two minutes", "events": "of a day",
	"renditions": "made again when they are asked for", "words": "of all teams: those of vocabulary",
	"label_counts": "counted again", "label_changes": "counted again", "file_counts": "counted again", "file_count_changes": "counted again", "name_counts": "counted again", "name_changes": "counted again", "attribute_values": "gathered again", "attribute_values_lost": "gathered again", "corpus_changes": "noted again", "nearest_indexes": "built again",
	"teams": "by itself", "users": "by itself", "identities": "by itself",
}

func (a archivedTable) rows() string {
	if a.where == "" {
		return "team_id = ANY(@teams)"
	}
	return a.where
}

// accounts are the tables of people, who may be in several teams. Of the teams, their
// personal ones come along, so that an account has one.
const (
	teamsTable, usersTable, identitiesTable = "teams", "users", "identities"
)

// Archive is whose rows an archive has, and of which schema.
type Archive struct {
	Team      *TeamSummary `json:"team,omitempty"` // nil for all: a backup
	Teams     []string     `json:"teams"`          // with what is in the trash
	TeamCount int          `json:"teamCount"`      // without that
	Schema    int64        `json:"schema"`
	Applied   []int64      `json:"applied"` // all migrations that made it
	Release   string       `json:"release"` // that the schema is of
}

// whole reports whether the archive is of the whole installation.
func (a Archive) whole() bool { return a.Team == nil }

// ArchivedBytes are the bytes of a version of a file.
type ArchivedBytes struct {
	FileBytes

	Size   int64  `db:"size"`
	SHA256 []byte `db:"sha256"`
}

// archivedBytes gives those that the versions of the files of teams have. The query is
// not over before each has returned.
func (q Queries) archivedBytes(ctx context.Context, teams []string, each func(ArchivedBytes) error) error {
	rows, err := q.conn.Query(ctx, `
		SELECT DISTINCT ON (file_id, bytes_id) file_id::text, bytes_id::text, size, sha256 FROM file_versions WHERE team_id = ANY(@teams) ORDER BY file_id, bytes_id, number`,
		args{"teams": teams})
	if err != nil {
		return classify(err)
	}
	defer rows.Close()
	for rows.Next() {
		b, err := pgx.RowToStructByName[ArchivedBytes](rows)
		if err != nil {
			return err
		}
		if err := each(b); err != nil {
			return err
		}
	}
	return classify(rows.Err())
}

// StoredVersion is the bytes of a version of a file.
type StoredVersion struct {
	ArchivedBytes

	Number int `db:"number"` // of the version
}

// StoredVersions lists versions of files, of all teams and with those in the trash, in the order
// of their files and numbers and from the one behind after.
func (q Queries) StoredVersions(ctx context.Context, after StoredVersion, limit int) ([]StoredVersion, error) {
	return many[StoredVersion](ctx, q, `
		SELECT file_id::text, number, bytes_id::text, size, sha256 FROM file_versions v
		WHERE (v.file_id, v.number) > (coalesce(nullif(@file, ''), '00000000-0000-0000-0000-000000000000')::uuid, @number::int) ORDER BY v.file_id, v.number LIMIT @limit`,
		args{"file": after.FileID, "number": after.Number, "limit": limit})
}

// tableColumn is one that rows are written with.
type tableColumn struct {
	Name     string `db:"name"`
	Type     string `db:"type"`
	Identity bool   `db:"identity"` // numbered by the database
}

// columns are those of a table that are not computed, as vectors of words are by a trigger. A person's current team may be
// none of the archive, unless that is whole.
func (q Queries) columns(ctx context.Context, table string, whole bool) ([]tableColumn, error) {
	return many[tableColumn](ctx, q, `
		SELECT attname AS name, format_type(atttypid, atttypmod) AS type, attidentity <> '' AS identity FROM pg_attribute
		WHERE attrelid = @table::text::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' AND atttypid <> 'tsvector'::regtype AND (@whole OR (@table::text, attname::text) <> ('users', 'current_team_id'))
		ORDER BY attnum`, args{"table": table, "whole": whole})
}

// peopleOf is the condition of the users that rows of teams refer to.
func (q Queries) peopleOf(ctx context.Context) (string, error) {
	type reference struct {
		Table  string `db:"table"`
		Column string `db:"column"`
	}
	all, err := many[reference](ctx, q, `
		SELECT c.conrelid::regclass::text AS "table", a.attname AS "column"
		FROM pg_constraint c JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
		WHERE c.contype = 'f' AND c.confrelid = 'users'::regclass AND cardinality(c.conkey) = 1 ORDER BY 1, 2`, nil)
	if err != nil {
		return "", err
	}
	unions := []string{`SELECT id FROM users WHERE personal_team_id = ANY(@teams)`}
	for _, r := range all {
		i := slices.IndexFunc(archivedTables, func(a archivedTable) bool { return a.name == r.Table })
		if i >= 0 {
			unions = append(unions, `SELECT `+r.Column+` FROM `+r.Table+` WHERE `+archivedTables[i].rows())
		}
	}
	return `id IN (` + strings.Join(unions, " UNION ") + `)`, nil
}

// archiveChunk is after how many bytes of rows a chunk ends.
const archiveChunk = 4 << 20

// Export gives all rows of a team, or of all where teamID is "", a chunk of lines at a
// time, and then the bytes that their files have, as they are at one moment. NotFound
// where there is no such team.
func (d *DB) Export(ctx context.Context, teamID string, begin func(Archive) error, chunk func(table string, lines []byte) error, stored func(ArchivedBytes) error) error {
	schema, err := d.Schema(ctx)
	if err != nil {
		return err
	}
	if schema.Newer {
		return errors.New(schema.String() + ": export with that release")
	}
	return pgx.BeginTxFunc(ctx, d.pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(raw pgx.Tx) error {
		q := Queries{raw, planned, planned}
		if err := q.plainText(ctx); err != nil {
			return err
		}
		archive, err := q.archiveOf(ctx, teamID)
		if err != nil {
			return err
		}
		archive.Schema, archive.Release = schema.Version, schema.Release
		if archive.Applied, err = q.applied(ctx); err != nil {
			return err
		}
		if err := begin(archive); err != nil {
			return err
		}
		tables, err := q.tablesOf(ctx, archive)
		if err != nil {
			return err
		}
		for _, table := range tables {
			if err := q.export(ctx, table, archive, chunk); err != nil {
				return fmt.Errorf("table %s: %w", table.name, err)
			}
		}
		return q.archivedBytes(ctx, archive.Teams, stored)
	})
}

// applied are the versions of the migrations that the database has seen.
func (q Queries) applied(ctx context.Context) ([]int64, error) {
	return values[int64](ctx, q, `SELECT version FROM `+historyTable+` ORDER BY version`, nil)
}

// plainText has Postgres write values in one way, whatever its settings and time zone,
// until the transaction ends.
func (q Queries) plainText(ctx context.Context) error {
	_, err := q.conn.Exec(ctx, `
		SELECT set_config(name, setting, true) FROM (VALUES ('timezone', 'UTC'), ('datestyle', 'ISO, YMD'), ('intervalstyle', 'postgres'),
			('extra_float_digits', '1'), ('bytea_output', 'hex')) settings (name, setting)`)
	return classify(err)
}

// archiveOf is the archive of a team, or of all where the id is "".
func (q Queries) archiveOf(ctx context.Context, teamID string) (Archive, error) {
	if teamID == "" {
		teams, err := values[string](ctx, q, `SELECT id::text FROM teams ORDER BY id`, nil)
		if err != nil {
			return Archive{}, err
		}
		count, err := value[int](ctx, q, `SELECT count(*) FROM teams WHERE kind <> 'trash'`, nil)
		return Archive{Teams: teams, TeamCount: count}, err
	}
	all, err := q.AllTeams(ctx)
	if err != nil {
		return Archive{}, err
	}
	i := slices.IndexFunc(all, func(t TeamSummary) bool { return t.ID == teamID })
	if i < 0 {
		return Archive{}, errNotFound
	}
	binned, err := values[string](ctx, q, `SELECT id::text FROM trash WHERE team_id = @team AND purged_at IS NULL ORDER BY id`, args{"team": teamID})
	return Archive{Team: &all[i], Teams: append([]string{teamID}, binned...), TeamCount: 1}, err
}

// tablesOf are the tables of an archive, in the order in which rows are written.
func (q Queries) tablesOf(ctx context.Context, archive Archive) ([]archivedTable, error) {
	if archive.whole() {
		return append([]archivedTable{{teamsTable, `true`}, {usersTable, `true`}, {identitiesTable, `true`}}, archivedTables...), nil
	}
	people, err := q.peopleOf(ctx)
	return append([]archivedTable{
		{teamsTable, `(id = ANY(@teams) OR id IN (SELECT personal_team_id FROM users WHERE ` + people + `))`},
		{usersTable, people}, {identitiesTable, `user_id IN (SELECT id FROM users WHERE ` + people + `)`},
	}, archivedTables...), err
}

// export writes the rows of one table.
func (q Queries) export(ctx context.Context, table archivedTable, archive Archive, chunk func(table string, lines []byte) error) error {
	columns, err := q.columns(ctx, table.name, archive.whole())
	if err != nil {
		return err
	}
	order := ""
	texts := make([]string, len(columns))
	for i, c := range columns {
		texts[i] = `"` + c.Name + `"::text AS "` + c.Name + `"`
		if c.Identity {
			order = ` ORDER BY ` + table.name + `."` + c.Name + `"`
		}
	}
	rows, err := q.conn.Query(ctx, `SELECT row_to_json(r)::text FROM (SELECT `+strings.Join(texts, ", ")+` FROM `+table.name+` WHERE `+table.rows()+order+`) r`,
		args{"teams": archive.Teams})
	if err != nil {
		return classify(err)
	}
	defer rows.Close()
	var lines bytes.Buffer
	for rows.Next() {
		if _, err := lines.Write(rows.RawValues()[0]); err != nil {
			return err
		}
		lines.WriteByte('\n')
		if lines.Len() >= archiveChunk {
			if err := chunk(table.name, lines.Bytes()); err != nil {
				return err
			}
			lines.Reset()
		}
	}
	if err := rows.Err(); err != nil {
		return classify(err)
	}
	if lines.Len() == 0 {
		return nil
	}
	return chunk(table.name, lines.Bytes())
}

// Import writes the rows of an archive, table by table, in the transaction that it
// was begun in.
type Import struct {
	tx      *Tx
	archive Archive
	table   string            // that rows are being staged of
	rows    int               // staged
	people  []string          // whose accounts were not here
	teams   []string          // that were not here
	signIns bool              // how they sign in comes along
	digests map[string]digest // of what came, by table
}

// digest is a hash of rows that does not depend on their order.
type digest struct {
	rows int
	sum  [sha256.Size / 8]uint64
}

func (d *digest) add(lines []byte) {
	for line := range bytes.Lines(lines) {
		sum := sha256.Sum256(bytes.TrimSuffix(line, []byte{'\n'}))
		for i := range d.sum {
			d.sum[i] += binary.LittleEndian.Uint64(sum[8*i:])
		}
		d.rows++
	}
}

// BeginImport refuses an archive of another schema, and of a team that exists. One of
// the whole installation is refused where there is any team. By which accounts of the
// identity provider people sign in who are new here is only taken over with signIns, or
// with the whole installation: otherwise their verified addresses decide.
func (t *Tx) BeginImport(ctx context.Context, archive Archive, signIns bool) (*Import, error) {
	if err := t.plainText(ctx); err != nil {
		return nil, err
	}
	applied, err := t.applied(ctx)
	if err != nil {
		return nil, err
	}
	if version := slices.Max(append(applied, 0)); version != archive.Schema {
		return nil, fault.Newf(fault.Conflict, "the archive has schema %d, of release %s, and this database has %d: bring both to the same release", archive.Schema, archive.Release, version)
	}
	if !slices.Equal(applied, archive.Applied) {
		return nil, fault.Newf(fault.Conflict, "the archive has schema %d, of release %s, and this database has come to it by other migrations: bring both to the same release", archive.Schema, archive.Release)
	}
	if !archive.whole() && (len(archive.Teams) == 0 || archive.Teams[0] != archive.Team.ID) {
		return nil, fault.New(fault.Invalid, "the archive does not say whose it is")
	}
	if _, err := exec(ctx, t.Queries, `SELECT pg_advisory_xact_lock_shared(`+bytesLock+`)`, nil); err != nil {
		return nil, err
	}
	if archive.whole() { // nobody signs in for the first time meanwhile
		if _, err := t.conn.Exec(ctx, `LOCK TABLE teams, users IN SHARE ROW EXCLUSIVE MODE`); err != nil {
			return nil, classify(err)
		}
	}
	taken, err := values[string](ctx, t.Queries, `SELECT id::text FROM teams WHERE id = ANY(@teams) OR @whole ORDER BY id LIMIT 1`, args{"teams": archive.Teams, "whole": archive.whole()})
	if err != nil {
		return nil, err
	}
	if len(taken) > 0 && archive.whole() {
		return nil, fault.New(fault.Conflict, "the installation is not empty: restore into a new database and a new file store")
	}
	if len(taken) > 0 {
		return nil, fault.Newf(fault.Conflict, "there is a team %s already", taken[0])
	}
	_, err = t.conn.Exec(ctx, `CREATE TEMPORARY TABLE staged (n bigint GENERATED ALWAYS AS IDENTITY, content jsonb NOT NULL) ON COMMIT DROP`)
	return &Import{tx: t, archive: archive, signIns: signIns || archive.whole(), digests: map[string]digest{}}, classify(err)
}

// bytesLock is shared by imports, whose bytes are stored before any row with them is
// seen, and taken by those who remove bytes without a row.
const bytesLock = `hashtextextended('bytes', 0)`

// UnknownBytes calls remove with the place in ids of bytes that no file of any team
// has, and returns how many there were. It may call it twice for one. While an archive
// is imported it calls it for none, and none begins before it returns.
func (d *DB) UnknownBytes(ctx context.Context, ids []string, remove func(i int) error) (int, error) {
	removed := 0
	err := d.InTx(ctx, func(tx *Tx) error {
		removed = 0
		free, err := value[bool](ctx, tx.Queries, `SELECT pg_try_advisory_xact_lock(`+bytesLock+`)`, nil)
		if err != nil || !free {
			return err
		}
		known, err := tx.KnownBytes(ctx, ids)
		if err != nil {
			return err
		}
		for i, id := range ids {
			if known[id] {
				continue
			}
			if err := remove(i); err != nil {
				return err
			}
			removed++
		}
		return nil
	})
	return removed, err
}

// NeedBytes returns how many these bytes are. It is Invalid unless a version that came
// has them, and Conflict where they are of another team as well: an archive must not
// bring its own in their place.
func (m *Import) NeedBytes(ctx context.Context, b FileBytes) (int64, error) {
	if err := m.flush(ctx); err != nil {
		return 0, err
	}
	type use struct {
		Size  *int64 `db:"size"` // nil where no version that came has them
		Taken bool   `db:"taken"`
	}
	used, err := one[use](ctx, m.tx.Queries, `
		SELECT min(size) FILTER (WHERE team_id = ANY(@teams) AND file_id::text = @file AND bytes_id::text = @bytes) AS size,
			coalesce(bool_or(team_id <> ALL(@teams)), false) AS taken
		FROM file_versions WHERE bytes_id = @bytes::uuid`, args{"teams": m.archive.Teams, "file": b.FileID, "bytes": b.BytesID})
	switch {
	case err != nil && fault.KindOf(err) != fault.NotFound:
		return 0, err
	case err != nil || used.Size == nil:
		return 0, fault.New(fault.Invalid, "these are the bytes of no version in it")
	case used.Taken:
		return 0, fault.New(fault.Conflict, "another team has these bytes")
	}
	return *used.Size, nil
}

// Rows takes a chunk of the rows of a table. Tables come in the order of Export.
func (m *Import) Rows(ctx context.Context, table string, lines []byte) error {
	if table != m.table {
		if err := m.flush(ctx); err != nil {
			return err
		}
		if _, err := m.scope(table); err != nil {
			return err
		}
		m.table = table
	}
	read := m.digests[table]
	read.add(lines)
	m.digests[table] = read
	scanner := bufio.NewScanner(bytes.NewReader(lines))
	scanner.Buffer(nil, len(lines)+1)
	n, err := m.tx.conn.CopyFrom(ctx, pgx.Identifier{"staged"}, []string{"content"}, pgx.CopyFromFunc(func() ([]any, error) {
		if !scanner.Scan() {
			return nil, scanner.Err()
		}
		if !json.Valid(scanner.Bytes()) {
			return nil, fault.Newf(fault.Invalid, "a row of %s is no JSON", table)
		}
		return []any{scanner.Text()}, nil
	}))
	m.rows += int(n)
	return classify(err)
}

// scope is the condition of the archive's rows in a table.
func (m *Import) scope(table string) (string, error) {
	switch table {
	case teamsTable:
		return `id = ANY(@teams)`, nil
	case usersTable, identitiesTable:
		return "", nil
	}
	i := slices.IndexFunc(archivedTables, func(a archivedTable) bool { return a.name == table })
	if i < 0 {
		return "", fault.Newf(fault.Invalid, "the archive has a table %q, which archives do not have", table)
	}
	return archivedTables[i].rows(), nil
}

// flush writes what is staged into its table.
func (m *Import) flush(ctx context.Context) error {
	if m.table == "" || m.rows == 0 {
		return nil
	}
	columns, err := m.tx.columns(ctx, m.table, m.archive.whole())
	if err != nil {
		return err
	}
	var names, texts, given []string
	numbered := ""
	for _, c := range columns {
		given = append(given, c.Name)
		if c.Identity {
			numbered = c.Name
		}
		if c.Identity && !m.archive.whole() {
			continue // numbered anew, in the same order
		}
		names = append(names, `"`+c.Name+`"`)
		texts = append(texts, `(content ->> '`+c.Name+`')::`+c.Type)
	}
	slices.Sort(given)
	a := args{"teams": m.archive.Teams, "columns": given}
	odd, err := value[bool](ctx, m.tx.Queries, `
		SELECT EXISTS (SELECT FROM staged WHERE ARRAY(SELECT k FROM jsonb_object_keys(content) k ORDER BY k COLLATE "C") <> @columns::text[])`, a)
	if err != nil {
		return err
	}
	if odd {
		return fault.Newf(fault.Conflict, "the archive has other columns of %s than this database", m.table)
	}
	scope, err := m.scope(m.table)
	if err != nil {
		return err
	}
	which, conflict := "", ""
	switch m.table {
	case teamsTable:
		conflict = ` ON CONFLICT (id) DO NOTHING RETURNING id::text` // personal teams of people who are here
	case usersTable:
		if err := m.samePeople(ctx); err != nil {
			return err
		}
		conflict = ` ON CONFLICT (id) DO NOTHING RETURNING id::text`
	case identitiesTable: // who is here signs in as before
		which, conflict = ` WHERE @sign_ins AND (content ->> 'user_id')::uuid = ANY(@people::uuid[])`, ` ON CONFLICT DO NOTHING`
	default: // what triggers made of the rows before
		if _, err := exec(ctx, m.tx.Queries, `DELETE FROM `+m.table+` WHERE `+scope, a); err != nil {
			return err
		}
	}
	came, err := values[string](ctx, m.tx.Queries, `INSERT INTO `+m.table+` (`+strings.Join(names, ", ")+`) OVERRIDING SYSTEM VALUE SELECT `+strings.Join(texts, ", ")+
		` FROM staged`+which+` ORDER BY n`+conflict, args{"people": m.people, "sign_ins": m.signIns})
	switch m.table {
	case usersTable:
		m.people = came
	case teamsTable:
		m.teams = came
	}
	var refused *pgconn.PgError
	if errors.As(err, &refused) && refused.Code == "23505" {
		return fault.Wrap(fault.Conflict, fmt.Sprintf("a row of %s exists here already: %s", m.table, refused.Detail), err)
	}
	if err != nil {
		return fmt.Errorf("table %s: %w", m.table, classify(err))
	}
	if scope != "" && m.table != teamsTable {
		there, err := value[int](ctx, m.tx.Queries, `SELECT count(*) FROM `+m.table+` WHERE `+scope, a)
		if err != nil {
			return err
		}
		if there != m.rows {
			return fault.Newf(fault.Invalid, "the archive has rows of %s that are of another team", m.table)
		}
	}
	if numbered != "" && m.archive.whole() {
		_, err := m.tx.conn.Exec(ctx, `SELECT setval(pg_get_serial_sequence('`+m.table+`', '`+numbered+`'), max("`+numbered+`")) FROM `+m.table)
		if err != nil {
			return classify(err)
		}
	}
	m.table, m.rows = "", 0
	_, err = m.tx.conn.Exec(ctx, `TRUNCATE staged`)
	return classify(err)
}

// samePeople refuses accounts that are somebody else's here. Who has the same id and
// address is the same person.
func (m *Import) samePeople(ctx context.Context) error {
	others, err := values[string](ctx, m.tx.Queries, `
		SELECT u.email FROM staged s JOIN users u ON (u.id = (s.content ->> 'id')::uuid) <> (lower(u.email) = lower(s.content ->> 'email'))
		ORDER BY 1 LIMIT 3`, nil)
	if err != nil {
		return err
	}
	if len(others) > 0 {
		return fault.Newf(fault.Conflict, "there are accounts with the same address and another id, or with the same id and another address: %s", strings.Join(others, ", "))
	}
	return nil
}

// Interrupted is a file whose reading has to begin anew.
type Interrupted struct {
	ID      string `db:"id"`
	TeamID  string `db:"team_id"`
	Attempt int    `db:"attempt"`
}

// finish writes what is still staged. Of a table of which the archive has no row,
// nothing is left that triggers made of others.
func (m *Import) finish(ctx context.Context) error {
	if err := m.flush(ctx); err != nil {
		return err
	}
	for _, table := range slices.Backward(archivedTables) {
		if m.digests[table.name].rows > 0 {
			continue
		}
		if _, err := exec(ctx, m.tx.Queries, `DELETE FROM `+table.name+` WHERE `+table.rows(), args{"teams": m.archive.Teams}); err != nil {
			return err
		}
	}
	if m.archive.whole() {
		return nil
	}
	if err := m.onlyItsOwn(ctx); err != nil {
		return err
	}
	return m.refersToItself(ctx)
}

// onlyItsOwn refuses teams and people that an archive of a team does not have: its teams
// are the team, what is in its trash, and the personal teams of people who came along;
// and these people are those that its rows refer to.
func (m *Import) onlyItsOwn(ctx context.Context) error {
	people, err := m.tx.peopleOf(ctx)
	if err != nil {
		return err
	}
	a := args{"teams": m.archive.Teams, "team": m.archive.Team.ID, "came": m.teams, "people": m.people}
	for _, odd := range []struct{ what, sql string }{
		{"teams", `SELECT FROM teams t WHERE id = ANY(@came::uuid[]) AND id <> ALL(@teams::uuid[])
			AND NOT (kind = 'personal' AND id IN (SELECT personal_team_id FROM users WHERE ` + people + `))`},
		{"teams", `SELECT FROM teams t WHERE id = ANY(@teams::uuid[]) AND id <> @team::uuid
			AND NOT (kind = 'trash' AND id IN (SELECT id FROM trash WHERE team_id = @team::uuid AND purged_at IS NULL))`},
		{"people", `SELECT FROM users WHERE id = ANY(@people::uuid[])
			AND NOT (` + people + ` AND personal_team_id = ANY(@came::uuid[]) AND personal_team_id IN (SELECT id FROM teams WHERE kind = 'personal'))`},
	} {
		found, err := value[bool](ctx, m.tx.Queries, `SELECT EXISTS (`+odd.sql+`)`, a)
		if err != nil {
			return err
		}
		if found {
			return fault.Newf(fault.Invalid, "the archive has %s that are not of its team", odd.what)
		}
	}
	return nil
}

// refersToItself refuses rows that refer to those of another team: foreign keys do not
// have the team in them.
func (m *Import) refersToItself(ctx context.Context) error {
	type key struct {
		Table  string `db:"table"`
		Column string `db:"column"`
		To     string `db:"to"`
		ToID   string `db:"to_id"`
	}
	keys, err := many[key](ctx, m.tx.Queries, `
		SELECT c.conrelid::regclass::text AS "table", a.attname AS "column", c.confrelid::regclass::text AS "to", f.attname AS to_id
		FROM pg_constraint c
		JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
		JOIN pg_attribute f ON f.attrelid = c.confrelid AND f.attnum = c.confkey[1]
		WHERE c.contype = 'f' AND cardinality(c.conkey) = 1 AND a.attname <> 'team_id' ORDER BY 1, 2`, nil)
	if err != nil {
		return err
	}
	of := func(table string) (archivedTable, bool) {
		i := slices.IndexFunc(archivedTables, func(a archivedTable) bool { return a.name == table })
		if i < 0 {
			return archivedTable{}, false
		}
		return archivedTables[i], true
	}
	for _, k := range keys {
		from, ours := of(k.Table)
		to, scoped := of(k.To)
		if !ours || !scoped {
			continue
		}
		other, err := value[bool](ctx, m.tx.Queries, `SELECT EXISTS (SELECT FROM `+from.name+` WHERE `+from.rows()+` AND `+k.Column+` IS NOT NULL AND NOT EXISTS (
			SELECT FROM (SELECT `+k.ToID+` AS to_id FROM `+to.name+` WHERE `+to.rows()+`) t WHERE to_id = `+from.name+`.`+k.Column+`))`, args{"teams": m.archive.Teams})
		if err != nil {
			return err
		}
		if other {
			return fault.Newf(fault.Invalid, "the archive has rows of %s that refer to %s of another team", from.name, to.name)
		}
	}
	return nil
}

// Verify reads back what was written, and compares it with the rows that came: it is
// for a whole installation, whose rows stay as they are. The archive has no more rows.
func (m *Import) Verify(ctx context.Context) error {
	if err := m.finish(ctx); err != nil {
		return err
	}
	tables, err := m.tx.tablesOf(ctx, m.archive)
	if err != nil {
		return err
	}
	for _, table := range tables {
		var here digest
		err := m.tx.export(ctx, table, m.archive, func(_ string, lines []byte) error {
			here.add(lines)
			return nil
		})
		if err != nil {
			return fmt.Errorf("table %s: %w", table.name, err)
		}
		if came := m.digests[table.name]; here != came {
			return fault.Newf(fault.Internal, "table %s has %d rows that are not the %d of the archive", table.name, here.rows, came.rows)
		}
	}
	return nil
}

// End writes what is still staged, and settles what the jobs of the other installation
// would have: files are indexed here, deliveries that wait are sent, operations that
// ran are cancelled. It returns
// the files that were being read, and gives the bytes that the store has to have.
func (m *Import) End(ctx context.Context, stored func(ArchivedBytes) error) ([]Interrupted, error) {
	if err := m.finish(ctx); err != nil {
		return nil, err
	}
	a := args{"teams": m.archive.Teams, "action": "team.imported"}
	if m.archive.whole() {
		a["action"] = "team.restored"
	}
	const present = `SELECT id FROM teams WHERE id = ANY(@teams) AND id NOT IN (SELECT id FROM trash)` // not in the trash
	for _, sql := range []string{
		`INSERT INTO words SELECT DISTINCT word FROM vocabulary WHERE team_id = ANY(@teams) ON CONFLICT DO NOTHING`,
		`UPDATE operations SET state = 'cancelled', finished_at = now() WHERE team_id = ANY(@teams) AND state = 'running'`,
		`UPDATE files SET indexed_generation = 0, indexed_label_generation = 0 WHERE team_id = ANY(@teams)`,
		`UPDATE webhook_deliveries SET asked = false WHERE team_id = ANY(@teams) AND state = 'pending' AND asked`,
		`INSERT INTO audit_events (team_id, actor_kind, action, resource_kind, resource_id) SELECT id, 'system', @action, 'team', id FROM (` + present + `) t`,
	} {
		if _, err := exec(ctx, m.tx.Queries, sql, a); err != nil {
			return nil, err
		}
	}
	if err := m.tx.archivedBytes(ctx, m.archive.Teams, stored); err != nil {
		return nil, err
	}
	return many[Interrupted](ctx, m.tx.Queries, `
		SELECT id::text, team_id::text, attempt FROM files WHERE team_id IN (`+present+`) AND status IN ('queued', 'processing') ORDER BY id`, a)
}

package db

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/clausemill/clausemill/fault"
)

// TrashKind is what sort of thing is in the trash.
type TrashKind string

// The kinds.
const (
	TrashedFile         TrashKind = "file"
	TrashedMatter       TrashKind = "matter"
	TrashedDocumentType TrashKind = "document_type"
	TrashedChat         TrashKind = "chat"
	TrashedWidget       TrashKind = "widget"
	TrashedSavedSearch  TrashKind = "saved_search"
	TrashedTag          TrashKind = "tag"
	TrashedCategory     TrashKind = "category"
	TrashedField        TrashKind = "field"
)

// TrashKinds lists the kinds.
func TrashKinds() []TrashKind {
	return []TrashKind{
		TrashedFile, TrashedMatter, TrashedDocumentType, TrashedChat, TrashedWidget, TrashedSavedSearch, TrashedTag, TrashedCategory, TrashedField,
	}
}

// shelf is where the rows of things of one kind are. What has rows of its own in
// the trash takes them along: their team is that of its entry meanwhile.
type shelf struct {
	table string
	name  string            // the column of what it is called
	key   string            // the column of its id
	parts map[string]string // the other tables with rows of it, and the column of its id there
	loose []string          // columns that refer to what does not go along; they are held
}

// shelves are the shelves of all kinds. TestTrashTakesAllRows holds that there is
// no other table with a team's rows of a thing.
var shelves = map[TrashKind]shelf{
	TrashedFile: {"files", "name", "id", map[string]string{
		"analyses": "file_id", "attribute_decisions": "file_id", "attributes": "file_id", "blocks": "file_id", "changes": "file_id", "documents": "file_id",
		"field_marks": "file_id", "file_attempts": "file_id", "file_nodes": "file_id", "file_sketches": "file_id", "file_tokens": "file_id", "file_types": "file_id",
		"file_versions": "file_id", "orphaned_decisions": "file_id", "overruled_attributes": "file_id", "pages": "file_id", "renditions": "file_id", "sections": "file_id", "sentences": "file_id", "sketch_bands": "file_id",
	}, []string{"matter_id", "document_type_id", "document_type_source", "document_type_score", "parent_id"}},
	TrashedMatter:       {"matters", "name", "id", nil, nil},
	TrashedDocumentType: {"document_types", "name", "id", map[string]string{"type_analyses": "document_type_id"}, nil},
	TrashedChat:         {"chats", "name", "id", nil, nil},
	TrashedWidget:       {"widgets", "title", "id", nil, nil},
	TrashedSavedSearch:  {"saved_searches", "name", "id", nil, nil},
	TrashedTag:          {"nodes", "name", "key", nil, nil},
	TrashedCategory:     {"categories", "name", "id", nil, []string{"parent_id"}},
	TrashedField:        {"fields", "name", "key", nil, nil},
}

// TrashEntry is a thing in the trash.
type TrashEntry struct {
	ID          string         `db:"id"` // also that of the team which its rows belong to
	Kind        TrashKind      `db:"kind"`
	ResourceID  string         `db:"resource_id"` // of the thing itself; the key of a tag or field
	Name        string         `db:"name"`
	Counts      map[string]int `db:"counts"` // of what it held
	OperationID *string        `db:"operation_id"`
	DeletedBy   *string        `db:"deleted_by"` // a person
	DeletedAt   time.Time      `db:"deleted_at"`
}

const trashColumns = `id, kind, resource_id, name, counts, operation_id, deleted_by, deleted_at`

// held is what does not go into the trash with a thing, and joins it again when
// it comes back.
type held struct {
	MatterID     string    `json:"matterId,omitempty"` // that a file was in, or the matter itself
	DocumentType *heldType `json:"documentType,omitempty"`
	ParentID     string    `json:"parentId,omitempty"` // of a file out of an archive, of a category
	Interrupted  bool      `json:"interrupted,omitempty"`

	Files      []heldFile `json:"files,omitempty"`      // in a matter, of a document type, out of an archive
	Within     []string   `json:"within,omitempty"`     // the entries of those that went with a restricted matter
	Matters    []string   `json:"matters,omitempty"`    // about a document type
	Categories []string   `json:"categories,omitempty"` // that were below one

	Sentences json.RawMessage `json:"sentences,omitempty"` // what was said of those with a tag
	Merged    []string        `json:"merged,omitempty"`    // keys of tags that were merged into one

	Rows map[string][]json.RawMessage `json:"rows,omitempty"` // by table, of members: they end with the membership
}

// heldType is the document type of a file, as of the time of the deletion.
type heldType struct {
	ID     string   `json:"id"`
	Source *string  `json:"source"`
	Score  *float32 `json:"score"`
}

// heldFile is a file that something was taken from.
type heldFile struct {
	ID     string   `json:"id" db:"id"`
	Source *string  `json:"source,omitempty" db:"source"` // of its document type
	Score  *float32 `json:"score,omitempty" db:"score"`
}

// discarded is a thing on its way into the trash.
type discarded struct {
	ID         string         `json:"id"` // of the entry; made where there is none
	Kind       TrashKind      `json:"kind"`
	ResourceID string         `json:"resource_id"`
	Name       string         `json:"name"`
	UserIDs    []string       `json:"user_ids,omitempty"`
	Restricted bool           `json:"restricted"` // a matter
	Counts     map[string]int `json:"counts"`
	Held       held           `json:"held"`
	Operation  *string        `json:"operation_id"`
}

// hold locks a thing against changes and new references until the transaction ends;
// NotFound if it does not exist. Every transaction that writes a row about it also
// looks it up in its team, before or after.
func (t *Tx) hold(ctx context.Context, in Scope, kind TrashKind, id string) error {
	s := shelves[kind]
	_, err := value[bool](ctx, t.Queries, `SELECT true FROM `+s.table+` WHERE `+s.key+` = @id AND team_id = @team FOR UPDATE`,
		args{"id": id, "team": in.TeamID})
	return err
}

// holdWith is hold for something that files refer to by a column.
func (t *Tx) holdWith(ctx context.Context, in Scope, kind TrashKind, column, id string) error {
	return t.holdReferring(ctx, `f.`+column+` = @id AND f.team_id = @team`, args{"id": id, "team": in.TeamID}, func() error { return t.hold(ctx, in, kind, id) })
}

// holdReferring locks files, which are a condition on f, before hold locks what they refer to: a
// transaction that writes to a file more than once checks its references again, and would wait
// for the other while it has the file locked. Files that have come between the two are locked
// behind it, without waiting: where somebody has one, the transaction runs again.
func (t *Tx) holdReferring(ctx context.Context, which string, a args, hold func() error) error {
	files := ` FROM files f WHERE ` + which
	lock := `SELECT` + files + ` ORDER BY f.id FOR NO KEY UPDATE`
	locked, err := exec(ctx, t.Queries, lock, a)
	if err != nil {
		return err
	}
	if err := hold(); err != nil {
		return err
	}
	all, err := value[int64](ctx, t.Queries, `SELECT count(*)`+files, a)
	if err != nil || all == locked { // what is locked stays
		return err
	}
	if locked, err = exec(ctx, t.Queries, lock+` SKIP LOCKED`, a); err == nil && all > locked {
		err = errLate
	}
	return err
}

// discard moves a thing into the trash that the caller holds. What cannot go along
// the caller has taken away.
func (t *Tx) discard(ctx context.Context, in Scope, d discarded) (TrashEntry, error) {
	entries, err := t.discardAll(ctx, in, []discarded{d})
	return first(entries), err
}

// discardAll is discard for things of one kind, each as an entry of its own.
func (t *Tx) discardAll(ctx context.Context, in Scope, things []discarded) ([]TrashEntry, error) {
	moves := make([]move, len(things))
	for i := range things {
		if things[i].ID == "" {
			things[i].ID = NewID()
		}
		maps.DeleteFunc(things[i].Counts, func(_ string, n int) bool { return n == 0 })
		if things[i].Counts == nil {
			things[i].Counts = map[string]int{}
		}
		moves[i] = move{id: things[i].ResourceID, from: in.TeamID, to: things[i].ID}
	}
	a := args{"team": in.TeamID, "things": things, "actor_kind": in.ActorKind, "user": nullable(in.UserID())}
	if _, err := exec(ctx, t.Queries, `
		INSERT INTO teams (id, kind, name) SELECT id, 'trash', 'trash' FROM jsonb_to_recordset(@things) d (id uuid)`, a); err != nil {
		return nil, err
	}
	if err := t.move(ctx, things[0].Kind, moves); err != nil {
		return nil, err
	}
	// The entries come last, with the time as of now: who follows deletions by
	// their time then misses none that took long.
	return many[TrashEntry](ctx, t.Queries, `
		INSERT INTO trash (id, team_id, kind, resource_id, name, user_ids, restricted, counts, held, searchable, operation_id, actor_kind, deleted_by)
		SELECT d.id, @team, d.kind, d.resource_id, d.name, d.user_ids, d.restricted, d.counts, d.held, d.kind = 'file', d.operation_id, @actor_kind, @user
		FROM jsonb_to_recordset(@things) d (id uuid, kind text, resource_id text, name text, user_ids uuid[], restricted boolean, counts jsonb, held jsonb, operation_id uuid)
		ORDER BY d.id
		RETURNING `+trashColumns, a)
}

// move is that the rows of a thing go from one team to another.
type move struct{ id, from, to string }

// move carries moves of things of one kind out. It is Conflict where a name or
// place is taken there.
func (t *Tx) move(ctx context.Context, kind TrashKind, moves []move) error {
	s := shelves[kind]
	ids, from, to := make([]string, len(moves)), make([]string, len(moves)), make([]string, len(moves))
	for i, m := range moves {
		ids[i], from[i], to[i] = m.id, m.from, m.to
	}
	a := args{"ids": ids, "from": from, "to": to}
	tables := []string{s.table}
	tables = append(tables, slices.Sorted(maps.Keys(s.parts))...)
	for _, table := range tables {
		column, id, loose := s.key, "m.id", ""
		if part, ok := s.parts[table]; ok {
			column = part
		} else {
			for _, c := range s.loose {
				loose += ", " + c + " = NULL"
			}
		}
		if column != "key" {
			id += "::uuid"
		}
		if _, err := exec(ctx, t.Queries, `
			UPDATE `+table+` x SET team_id = m.to_team`+loose+` FROM unnest(@ids::text[], @from::uuid[], @to::uuid[]) m (id, from_team, to_team)
			WHERE x.`+column+` = `+id+` AND x.team_id IS NOT DISTINCT FROM m.from_team`, a); err != nil {
			return err
		}
	}
	return nil
}

// takeAway takes rows of members out of a table, by the things that a column
// names: they refer to their membership, which the trash has none of.
func (t *Tx) takeAway(ctx context.Context, in Scope, table, column string, ids []string) (map[string][]json.RawMessage, error) {
	type row struct {
		Of  string          `db:"of"`
		Row json.RawMessage `db:"row"`
	}
	rows, err := many[row](ctx, t.Queries, `
		DELETE FROM `+table+` x WHERE x.`+column+` = ANY(@ids) AND x.team_id = @team RETURNING x.`+column+`::text AS of, to_jsonb(x) AS row`,
		args{"team": in.TeamID, "ids": ids})
	taken := make(map[string][]json.RawMessage, len(rows))
	for _, r := range rows {
		taken[r.Of] = append(taken[r.Of], r.Row)
	}
	return taken, err
}

// rowsOf is rows of a table to be held.
func rowsOf(table string, rows []json.RawMessage) map[string][]json.RawMessage {
	if len(rows) == 0 {
		return nil
	}
	return map[string][]json.RawMessage{table: rows}
}

// putBack is for what takeAway took, of those who are still members.
func (t *Tx) putBack(ctx context.Context, in Scope, rows map[string][]json.RawMessage) error {
	for _, table := range slices.Sorted(maps.Keys(rows)) {
		a := args{"team": in.TeamID, "table": table, "rows": rows[table]}
		columns, err := value[string](ctx, t.Queries, `
			SELECT string_agg(quote_ident(attname), ', ') FROM pg_attribute
			WHERE attrelid = to_regclass(@table) AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`, a)
		if err != nil {
			return err
		}
		if _, err := exec(ctx, t.Queries, `
			INSERT INTO `+table+` (`+columns+`) SELECT `+columns+` FROM jsonb_populate_recordset(NULL::`+table+`, @rows) x
			WHERE x.team_id = @team AND EXISTS (SELECT FROM members m WHERE m.team_id = x.team_id AND m.user_id = x.user_id)
			ON CONFLICT DO NOTHING`, a); err != nil {
			return err
		}
	}
	return nil
}

// binned is an entry with what joins its thing again.
type binned struct {
	TrashEntry

	Held held `db:"held"`
}

// TrashFilter narrows the list of the trash.
type TrashFilter struct {
	IDs       []string
	Kinds     []string
	Name      string // part of the name, any case
	Operation string
}

// where is also which entries somebody knows of: the service knows of all.
func (f TrashFilter) where(in Scope, a args) string {
	a["team"] = in.TeamID
	w := startClauses(`x.team_id = @team AND x.purged_at IS NULL`, a)
	w.when(in.ActorKind != System(in.TeamID).ActorKind, "(x.user_ids IS NULL OR @user = ANY(x.user_ids))", "user", nullable(in.UserID()))
	w.when(len(in.Hidden) > 0, "(x.matter_id IS NULL OR x.matter_id <> ALL(@hidden::uuid[]))", "hidden", in.Hidden)
	w.when(f.IDs != nil, "x.id = ANY(@ids)", "ids", f.IDs)
	w.when(f.Kinds != nil, "x.kind = ANY(@kinds)", "kinds", f.Kinds)
	w.when(f.Name != "", `x.name ILIKE '%' || @name || '%'`, "name", likeLiteral.Replace(f.Name))
	w.when(f.Operation != "", "x.operation_id = @operation", "operation", nullable(f.Operation))
	return w.String()
}

// Trash lists what is in the trash, the latest first, starting after the id
// `after` (exclusive; "" starts at the top).
func (q Queries) Trash(ctx context.Context, in Scope, filter TrashFilter, after string, limit int) ([]TrashEntry, error) {
	a := args{"after": nullable(after), "limit": limit}
	return many[TrashEntry](ctx, q, `SELECT `+trashColumns+` FROM trash x WHERE `+filter.where(in, a)+`
		AND (@after::uuid IS NULL OR x.id < @after::uuid) ORDER BY x.id DESC LIMIT @limit`, a)
}

// CountTrash counts what Trash would list.
func (q Queries) CountTrash(ctx context.Context, in Scope, filter TrashFilter) (int, error) {
	a := args{}
	return value[int](ctx, q, `SELECT count(*) FROM trash x WHERE `+filter.where(in, a), a)
}

// TrashIDs lists the ids that match filter, those of files behind what they may
// go into and else the first deleted first, at most limit.
func (q Queries) TrashIDs(ctx context.Context, in Scope, filter TrashFilter, limit int) ([]string, error) {
	a := args{"limit": limit}
	return values[string](ctx, q, `SELECT x.id::text FROM trash x WHERE `+filter.where(in, a)+` ORDER BY x.kind = 'file', x.id LIMIT @limit`, a)
}

// Restored is what came back out of the trash.
type Restored struct {
	Entries []TrashEntry
	Files   []string // that are to be settled: indexed, and compared with others
	Reading []File   // of them, those whose reading was interrupted: each has begun another attempt
}

// RestoreTrash brings entries back, those that are there, and their things get
// another name where one is given. It is Conflict where a name is taken, and then
// none of them comes back. Findable says that the text of files can be found as
// soon as it is there.
func (t *Tx) RestoreTrash(ctx context.Context, in Scope, ids []string, name string, findable bool) (Restored, error) {
	entries, err := t.holdTrash(ctx, in, ids)
	if err != nil || len(entries) == 0 {
		return Restored{}, err
	}
	back := Restored{}
	var files []string
	for _, e := range entries {
		back.Entries = append(back.Entries, e.TrashEntry)
		if e.Kind == TrashedFile {
			files = append(files, e.ID)
			continue
		}
		if err := t.restore(ctx, in, e, name); err != nil {
			return Restored{}, err
		}
		if len(e.Held.Within) > 0 {
			files, name = append(files, e.Held.Within...), "" // which was that of the matter
		}
	}
	if len(files) > 0 { // last: into what has just come back, and knows of them
		// Those that went with a matter may have been purged since.
		if entries, err = t.holdTrash(ctx, in, files); err == nil && len(entries) > 0 {
			back.Files, back.Reading, err = t.restoreFiles(ctx, in, entries, name, findable)
		}
	}
	return back, err
}

// joinLater has files that are in the trash themselves go, when they come back,
// to where they were before that had gone, too: to what has come back now. The
// member of held says what that is. A file that was put in another place meanwhile
// goes there, unless people had said the one, and a model the other.
func (t *Tx) joinLater(ctx context.Context, in Scope, member string, files []heldFile, place func(heldFile) any) error {
	if len(files) == 0 {
		return nil
	}
	type joining struct {
		ID    string `json:"id"`
		Place any    `json:"place"`
	}
	list := make([]joining, len(files))
	for i, f := range files {
		list[i] = joining{f.ID, place(f)}
	}
	_, err := exec(ctx, t.Queries, `
		UPDATE trash x SET held = x.held || jsonb_build_object(@member::text, f.place)
		FROM jsonb_to_recordset(@files) f (id text, place jsonb)
		WHERE x.team_id = @team AND x.kind = 'file' AND x.resource_id = f.id AND x.purged_at IS NULL AND (NOT x.held ? @member
			OR f.place ->> 'source' = 'assigned' AND x.held -> @member ->> 'source' IS DISTINCT FROM 'assigned')`,
		args{"team": in.TeamID, "member": member, "files": list})
	return err
}

// holdTrash reads entries that somebody knows of, and keeps others from restoring
// and purging them.
func (t *Tx) holdTrash(ctx context.Context, in Scope, ids []string) ([]binned, error) {
	a := args{}
	return many[binned](ctx, t.Queries, `SELECT `+trashColumns+`, held FROM trash x WHERE `+TrashFilter{IDs: ids}.where(in, a)+` ORDER BY x.id FOR UPDATE`, a)
}

// restore brings a thing back that is no file.
func (t *Tx) restore(ctx context.Context, in Scope, e binned, name string) error {
	again := map[TrashKind]func(context.Context, Scope, binned, string) error{
		TrashedMatter: t.restoreMatter, TrashedDocumentType: t.restoreDocumentType, TrashedChat: t.restoreChat, TrashedWidget: t.restoreWidget,
		TrashedSavedSearch: t.restoreSavedSearch, TrashedTag: t.restoreNode, TrashedCategory: t.restoreCategory,
		TrashedField: t.restoreField,
	}[e.Kind]
	err := again(ctx, in, e, name)
	if isTaken(err) {
		if e.Kind == TrashedChat {
			return fault.Wrap(fault.Conflict, "there is another chat of that id by now; delete it first", err)
		}
		return fault.Wrap(fault.Conflict, "there is another "+strings.ReplaceAll(string(e.Kind), "_", " ")+" of that name by now; restore this one with another name", err)
	}
	return err
}

// isTaken reports whether err is that a name or an id is taken.
func isTaken(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == "23505"
}

// comeBack moves the rows of things of one kind back to their team, by another
// name where one is given, and ends their entries.
func (t *Tx) comeBack(ctx context.Context, in Scope, name string, entries ...binned) error {
	s := shelves[entries[0].Kind]
	moves := make([]move, len(entries))
	for i, e := range entries {
		moves[i] = move{id: e.ResourceID, from: e.ID, to: in.TeamID}
		if name == "" {
			continue
		}
		if err := change(ctx, t.Queries, `UPDATE `+s.table+` SET `+s.name+` = @name WHERE team_id = @id`, args{"id": e.ID, "name": name}); err != nil {
			return err
		}
	}
	if err := t.move(ctx, entries[0].Kind, moves); err != nil {
		return err
	}
	return t.endEntries(ctx, entries...)
}

// endEntries ends entries whose things are back.
func (t *Tx) endEntries(ctx context.Context, entries ...binned) error {
	ids := make([]string, len(entries))
	for i, e := range entries {
		ids[i] = e.ID
	}
	a := args{"ids": ids}
	for _, sql := range []string{`DELETE FROM trash WHERE id = ANY(@ids)`, `DELETE FROM teams WHERE id = ANY(@ids) AND kind = 'trash'`} {
		if _, err := exec(ctx, t.Queries, sql, a); err != nil {
			return err
		}
	}
	return nil
}

// Purged is what was purged, for what is left of it outside the database.
type Purged struct {
	Kind       TrashKind
	ResourceID string
	Files      []PurgedFile
}

// PurgedFile is a file of which there is nothing any more but bytes.
type PurgedFile struct {
	ID    string   `db:"id"`
	Bytes []string `db:"bytes"` // the ids that those of its versions lie under
}

// PurgeTrash ends an entry for good. Nothing is left of its thing but that there
// was one of its id, and when. A restricted matter takes along what was in it:
// without it everybody would see that.
func (t *Tx) PurgeTrash(ctx context.Context, in Scope, id string) (Purged, error) {
	entries, err := t.holdTrash(ctx, in, []string{id})
	if err != nil {
		return Purged{}, err
	}
	if len(entries) == 0 {
		return Purged{}, errNotFound
	}
	e := entries[0]
	gone := Purged{Kind: e.Kind, ResourceID: e.ResourceID}
	a := args{"id": id, "team": in.TeamID, "key": e.ResourceID}
	if gone.Files, err = many[PurgedFile](ctx, t.Queries, `
		SELECT f.id, ARRAY(SELECT DISTINCT bytes_id::text FROM file_versions WHERE file_id = f.id) AS bytes FROM files f WHERE f.team_id = @id ORDER BY f.id`, a); err != nil {
		return Purged{}, err
	}
	if err := t.forgetAnswers(ctx, gone.Files); err != nil {
		return Purged{}, err
	}
	subject := e.ResourceID // of the audit
	var chats []string      // that go with a matter
	switch e.Kind {         //nolint:exhaustive // the others are by themselves
	case TrashedTag:
		if subject, err = value[string](ctx, t.Queries, `SELECT id::text FROM nodes WHERE team_id = @id AND key = @key`, a); err != nil {
			return Purged{}, err
		}
	case TrashedField:
		if subject, err = value[string](ctx, t.Queries, `SELECT id::text FROM fields WHERE team_id = @id AND key = @key`, a); err != nil {
			return Purged{}, err
		}
		if err := t.forgetField(ctx, id); err != nil {
			return Purged{}, err
		}
	case TrashedMatter:
		for _, within := range []struct {
			which string
			by    Scope
		}{{`x.kind = 'file' AND m.access = 'restricted'`, in}, {`x.kind = 'chat'`, System(in.TeamID)}} { // chats that who purges it may not know of
			ids, err := values[string](ctx, t.Queries, `
				SELECT x.id::text FROM trash x JOIN matters m ON m.id = x.matter_id AND m.team_id = @id
				WHERE x.team_id = @team AND `+within.which+` AND x.purged_at IS NULL ORDER BY x.id`, a)
			if err != nil {
				return Purged{}, err
			}
			for _, id := range ids {
				part, err := t.PurgeTrash(ctx, within.by, id)
				if err != nil {
					return Purged{}, err
				}
				gone.Files = append(gone.Files, part.Files...)
			}
		}
		if chats, err = values[string](ctx, t.Queries, `SELECT id::text FROM chats WHERE matter_id = @key::uuid ORDER BY id`, a); err != nil {
			return Purged{}, err
		}
		if err := t.takeOffPrograms(ctx, in, e.ResourceID); err != nil {
			return Purged{}, err
		}
	}
	for _, sql := range []string{
		`DELETE FROM teams WHERE id = @id AND kind = 'trash'`, // and with it all that belongs to it
		`UPDATE trash SET name = '', user_ids = NULL, counts = '{}', purged_at = clock_timestamp(),
			held = jsonb_strip_nulls(jsonb_build_object('matterId', held -> 'matterId')) WHERE id = @id`,
	} {
		if _, err := exec(ctx, t.Queries, sql, a); err != nil {
			return Purged{}, err
		}
	}
	for _, f := range gone.Files { // found while they went
		if _, err := exec(ctx, t.Queries, forgetLikeness, args{"id": f.ID, "team": in.TeamID}); err != nil {
			return Purged{}, err
		}
	}
	for _, chat := range chats {
		if err := t.forgetNames(ctx, in, TrashEntry{Kind: TrashedChat, ResourceID: chat, DeletedAt: e.DeletedAt}, chat); err != nil {
			return Purged{}, err
		}
	}
	if err := t.forgetNames(ctx, in, e.TrashEntry, subject); err != nil {
		return Purged{}, err
	}
	return gone, t.Audit(ctx, in, resourceKinds[e.Kind]+".purged", resourceKinds[e.Kind], subject, map[string]any{"trashId": id})
}

// resourceKinds is how the audit names the kinds.
var resourceKinds = map[TrashKind]string{
	TrashedFile: "file", TrashedMatter: "matter", TrashedDocumentType: "document_type", TrashedChat: "chat",
	TrashedWidget: "widget", TrashedSavedSearch: "saved_search", TrashedTag: "node", TrashedCategory: "category", TrashedField: "field",
}

// links is where notifications lead to that are about a thing.
var links = map[TrashKind]string{TrashedFile: "/api/files/", TrashedMatter: "/api/matters/", TrashedChat: "/api/chats/"}

// forgetNames forgets what was written down of a thing beside its rows: what it
// was called, and what was answered to who made it. The audit and the outbox know
// it by subject. What Prune has forgotten since it was deleted is not looked for.
func (t *Tx) forgetNames(ctx context.Context, in Scope, e TrashEntry, subject string) error {
	a := args{
		"team": in.TeamID, "subject": subject, "link": links[e.Kind] + e.ResourceID, "mention": "%" + likeLiteral.Replace(`"`+e.ResourceID+`"`) + "%",
	}
	statements := []string{
		`UPDATE audit_events SET data = data - 'name' - 'title' WHERE team_id = @team AND resource_id = @subject::uuid AND data ?| '{name,title}'`,
		`DELETE FROM notifications WHERE team_id = @team AND link = @link`,
	}
	if since := time.Since(e.DeletedAt); since < keepDeliveries+time.Hour {
		statements = append(statements,
			`DELETE FROM webhook_deliveries d USING webhooks w
				WHERE w.team_id = @team AND d.webhook_id = w.id AND d.payload LIKE @mention AND d.kind NOT LIKE '%.deleted'`,
			`UPDATE webhook_deliveries d SET payload = jsonb_set(d.payload::jsonb, '{data}', jsonb_build_object('id', @subject::text))::text FROM webhooks w
				WHERE w.team_id = @team AND d.webhook_id = w.id AND d.payload LIKE @mention`)
		if since < keepEvents+time.Hour {
			statements = append(statements, `DELETE FROM idempotency_keys WHERE team_id = @team AND response::text LIKE @mention`)
		}
		if since < eventsGo+time.Hour {
			statements = append(statements,
				`DELETE FROM events WHERE team_id = @team AND kind LIKE 'notification.%' AND data ->> 'link' = @link`,
				`UPDATE events SET data = jsonb_build_object('id', @subject::text) WHERE team_id = @team AND subject_id = @subject::uuid`)
		}
	}
	for _, sql := range statements {
		if _, err := exec(ctx, t.Queries, sql, a); err != nil {
			return err
		}
	}
	t.outbox.forget(subject)
	return nil
}

// TrashRef names an entry of any team.
type TrashRef struct {
	ID     string `db:"id"`
	TeamID string `db:"team_id"` // whose it was
}

// DueTrash lists the entries of all teams that have been in the trash for keep,
// the oldest first, at most limit.
func (q Queries) DueTrash(ctx context.Context, keep time.Duration, limit int) ([]TrashRef, error) {
	return many[TrashRef](ctx, q, `
		SELECT id, team_id FROM trash WHERE purged_at IS NULL AND deleted_at <= now() - @keep::interval ORDER BY deleted_at LIMIT @limit`,
		args{"keep": keep, "limit": limit})
}

// inTrash is that rows x of any team are in the trash. It is asked row by row: as a
// join Postgres takes it that nearly all rows are, of whichever team, and does
// for each of those few what is to be done once.
func inTrash(x string) string {
	return `EXISTS (SELECT FROM trash WHERE trash.id = ` + x + `.team_id OFFSET 0)`
}

// DeletedFile is a file that went into the trash.
type DeletedFile struct {
	EntryID   string     `db:"id"`
	FileID    string     `db:"file_id"`
	DeletedAt time.Time  `db:"deleted_at"`
	PurgedAt  *time.Time `db:"purged_at"`
}

// DeletedFiles lists files that were deleted later than since and did not come
// back, the latest first, starting after the entry `after` (exclusive; "" starts
// at the top).
func (q Queries) DeletedFiles(ctx context.Context, in Scope, since time.Time, after string, limit int) ([]DeletedFile, error) {
	a := args{"team": in.TeamID, "limit": limit}
	w := startClauses(`x.team_id = @team AND x.kind = 'file' AND NOT EXISTS (SELECT FROM files f WHERE f.id = x.resource_id::uuid AND f.team_id = @team)`, a)
	w.when(len(in.Hidden) > 0, "(x.matter_id IS NULL OR x.matter_id <> ALL(@hidden::uuid[]))", "hidden", in.Hidden)
	w.when(!since.IsZero(), "x.deleted_at > @since", "since", since)
	w.when(after != "", "x.id < @after", "after", nullable(after))
	return many[DeletedFile](ctx, q, `
		SELECT x.id, x.resource_id AS file_id, x.deleted_at, x.purged_at FROM trash x WHERE `+w.String()+` ORDER BY x.id DESC LIMIT @limit`, a)
}

// Vanished lists the files of a team that a search engine beside Postgres may
// still have although they were deleted, at most limit.
func (q Queries) Vanished(ctx context.Context, in Scope, limit int) ([]string, error) {
	return values[string](ctx, q, `SELECT resource_id FROM trash WHERE team_id = @team AND searchable ORDER BY id DESC LIMIT @limit`,
		args{"team": in.TeamID, "limit": limit})
}

// SetRemoved records that files were removed from the search index. Those that were
// restored in between are indexed again, unless the engine is immediate: it finds all
// that is in the database.
func (t *Tx) SetRemoved(ctx context.Context, in Scope, fileIDs []string, immediate bool) error {
	a := args{"team": in.TeamID, "ids": fileIDs}
	if _, err := exec(ctx, t.Queries, `
		UPDATE trash SET searchable = false WHERE team_id = @team AND kind = 'file' AND resource_id = ANY(@ids) AND searchable`, a); err != nil || immediate {
		return err
	}
	_, err := exec(ctx, t.Queries, `
		UPDATE files SET indexed_generation = 0, indexed_label_generation = 0 WHERE id = ANY(@ids) AND team_id IS NOT DISTINCT FROM @team`, a)
	return err
}

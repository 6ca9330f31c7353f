package db

import (
	"context"
	"time"

	"github.com/clausemill/clausemill/fault"
)

// DocumentType is a sort of contract that a team keeps apart.
type DocumentType struct {
	ID          string    `db:"id"`
	Key         *string   `db:"key"` // of the base model; nil where the team made the type
	Name        string    `db:"name"`
	Description string    `db:"description"`
	Hidden      bool      `db:"hidden"` // is neither offered nor predicted
	CreatedBy   *string   `db:"created_by"`
	Version     int       `db:"version"`
	CreatedAt   time.Time `db:"created_at"`
	UpdatedAt   time.Time `db:"updated_at"`
}

// ModelKey is what models know the type by.
func (t DocumentType) ModelKey() string {
	if t.Key != nil {
		return *t.Key
	}
	return t.ID
}

const documentTypeColumns = `id, key, name, description, hidden, created_by, version, created_at, updated_at`

// ListedType is a document type with the size and the state of its corpus.
type ListedType struct {
	DocumentType

	CategoryIDs []string `db:"category_ids"`

	Files      int        `db:"files"`
	Assigned   int        `db:"assigned"` // of them, by people
	AnalyzedAt *time.Time `db:"analyzed_at"`
	Analysis   int        `db:"analysis"` // version of the latest, 0 before there is one
	Stale      bool       `db:"stale"`    // the corpus has changed since; true before there is an analysis
}

// corpusState changes with any change of what the files of a corpus say: which
// they are, their texts and their labels. It is of the files that everybody in the
// team sees, since analyses are made of them and shown to everybody. A condition narrows
// matters to one team's, where the rows are of one. The word before the figures changes
// with the way of counting, so that analyses of another way are made anew: a migration
// names all types in corpus_changes then. The triggers that fill that table know what the
// state is made of.
func corpusState(team string) string {
	return `md5(concat('once:', count(*) FILTER (WHERE text_ready AND ` + shared(team) + `), ':',
	sum(hashtextextended(concat(id, ':', generation, ':', label_generation), 0)::numeric) FILTER (WHERE text_ready AND ` + shared(team) + `)))`
}

// listedTypes reads document types. Whether an analysis is of what its corpus is now is
// looked at only where something has changed: see corpus_changes.
func listedTypes(in Scope) string {
	return `
	SELECT t.id, t.key, t.name, t.description, t.hidden, t.created_by, t.version, t.created_at, t.updated_at,
		` + categorizedTypes.of("t") + ` AS category_ids, coalesce(f.files, 0) AS files, coalesce(f.assigned, 0) AS assigned,
		a.analyzed_at, coalesce(a.version, 0) AS analysis,
		CASE WHEN a.version IS NULL THEN true
			WHEN t.stale_since IS NOT NULL OR (SELECT true FROM corpus_changes c WHERE c.document_type_id = t.id LIMIT 1)
			THEN a.state IS DISTINCT FROM (SELECT ` + corpusState(ofTeam) + ` FROM files WHERE team_id = @team AND document_type_id = t.id)
			ELSE false END AS stale
	FROM document_types t
	LEFT JOIN (
		SELECT document_type_id, sum(files) AS files, coalesce(sum(files) FILTER (WHERE document_type_source = 'assigned'), 0) AS assigned
		FROM ` + fileFigures + ` f WHERE true` + in.sees("f") + ` GROUP BY document_type_id
	) f ON f.document_type_id = t.id
	LEFT JOIN LATERAL (
		SELECT version, state, analyzed_at FROM type_analyses WHERE document_type_id = t.id ORDER BY version DESC LIMIT 1
	) a ON true
	WHERE t.team_id = @team`
}

// DocumentTypes lists document types by name, those after a name ("" for the
// start), at most limit. What is hidden is left out unless asked for.
func (q Queries) DocumentTypes(ctx context.Context, in Scope, hidden bool, after string, limit int) ([]ListedType, error) {
	return many[ListedType](ctx, q, listedTypes(in)+` AND (@all OR NOT t.hidden) AND (@after = '' OR lower(t.name) > lower(@after)) ORDER BY lower(t.name) LIMIT @limit`,
		in.args(args{"after": after, "all": hidden, "limit": limit}))
}

// CountDocumentTypes counts them.
func (q Queries) CountDocumentTypes(ctx context.Context, in Scope, hidden bool) (int, error) {
	return value[int](ctx, q, `SELECT count(*) FROM document_types WHERE team_id = @team AND (@all OR NOT hidden)`, args{"team": in.TeamID, "all": hidden})
}

// DocumentType is one document type.
func (q Queries) DocumentType(ctx context.Context, in Scope, id string) (ListedType, error) {
	return one[ListedType](ctx, q.forValues(), listedTypes(in)+` AND t.id = @id`, in.args(args{"id": id}))
}

// TypeKeys lists the document types of a team without their corpora.
func (q Queries) TypeKeys(ctx context.Context, in Scope) ([]DocumentType, error) {
	return many[DocumentType](ctx, q, `SELECT `+documentTypeColumns+` FROM document_types WHERE team_id = @team ORDER BY lower(name)`,
		args{"team": in.TeamID})
}

// DocumentTypeNames is what document types are called, by their ids.
func (q Queries) DocumentTypeNames(ctx context.Context, in Scope, ids []string) (map[string]string, error) {
	return q.names(ctx, `SELECT id, name FROM document_types WHERE team_id = @team AND id = ANY(@ids::uuid[])`, in, ids)
}

// names is what a statement on ids calls them, by id.
func (q Queries) names(ctx context.Context, sql string, in Scope, ids []string) (map[string]string, error) {
	type row struct {
		ID   string `db:"id"`
		Name string `db:"name"`
	}
	names := map[string]string{}
	if len(ids) == 0 {
		return names, nil
	}
	rows, err := many[row](ctx, q, sql, in.args(args{"ids": ids}))
	for _, r := range rows {
		names[r.ID] = r.Name
	}
	return names, err
}

// errTypeName is the answer to a name that is taken.
var errTypeName = fault.New(fault.Conflict, "a document type of that name exists already")

// CreateDocumentType adds a type of the team's own. A name that is taken, in any
// case, is Conflict.
func (t *Tx) CreateDocumentType(ctx context.Context, in Scope, name, description string, categories ...string) (DocumentType, error) {
	row, err := one[DocumentType](ctx, t.Queries, `
		INSERT INTO document_types (id, team_id, name, description, created_by) VALUES (@id, @team, @name, @description, @user)
		ON CONFLICT (team_id, lower(name)) DO NOTHING
		RETURNING `+documentTypeColumns, args{"id": NewID(), "team": in.TeamID, "name": name, "description": description, "user": nullable(in.UserID())})
	if fault.KindOf(err) == fault.NotFound {
		return row, errTypeName
	}
	if err != nil {
		return row, err
	}
	if err := t.categorize(ctx, in, categorizedTypes, []string{row.ID}, categories); err != nil {
		return row, err
	}
	return row, t.Audit(ctx, in, "document_type.created", "document_type", row.ID, map[string]any{"name": name})
}

// DocumentTypeChange is what changes about a type; what is nil stays as it is.
type DocumentTypeChange struct {
	Name        *string
	Description *string
	CategoryIDs *[]string
	Hidden      *bool // is neither offered nor predicted; for admins
	IfVersion   int   // 0 for any; otherwise another version is Conflict
}

// UpdateDocumentType applies c. It is Forbidden to members who did not make the
// type, or where others use it; categories are everybody's.
func (t *Tx) UpdateDocumentType(ctx context.Context, in Scope, id string, c DocumentTypeChange) error {
	before, err := one[DocumentType](ctx, t.Queries, `SELECT `+documentTypeColumns+` FROM document_types WHERE id = @id AND team_id = @team FOR NO KEY UPDATE`,
		args{"id": id, "team": in.TeamID})
	if err != nil {
		return err
	}
	if c.IfVersion != 0 && c.IfVersion != before.Version {
		return errStale
	}
	if c.Hidden != nil && !in.Admin {
		return fault.New(fault.Forbidden, "document types are hidden and shown by admins of the team")
	}
	if (c.Name != nil || c.Description != nil) && !in.made(before.CreatedBy) {
		return errMade("document type")
	}
	if c.CategoryIDs != nil {
		if err := t.recategorize(ctx, in, categorizedTypes, []string{id}, *c.CategoryIDs); err != nil {
			return err
		}
	}
	name, err := value[string](ctx, t.Queries, `
		UPDATE document_types SET name = coalesce(@name, name), description = coalesce(@description, description),
			hidden = coalesce(@hidden, hidden), version = version + 1, updated_at = now()
		WHERE id = @id AND team_id = @team
		RETURNING name`, args{"id": id, "team": in.TeamID, "name": c.Name, "description": c.Description, "hidden": c.Hidden})
	if fault.KindOf(err) == fault.Conflict {
		return errTypeName
	}
	if err != nil {
		return err
	}
	return t.Audit(ctx, in, "document_type.updated", "document_type", id, map[string]any{"name": name})
}

// DeleteDocumentType moves a type into the trash with its analyses. Its files stay,
// without a type until it is back.
//
// One of the program is Conflict. Members may delete what they made themselves, and
// what nobody uses.
func (t *Tx) DeleteDocumentType(ctx context.Context, in Scope, id string) (TrashEntry, error) {
	if err := t.holdWith(ctx, in, TrashedDocumentType, "document_type_id", id); err != nil {
		return TrashEntry{}, err
	}
	a := args{"id": id, "team": in.TeamID}
	before, err := t.DocumentType(ctx, in, id)
	switch {
	case err != nil:
		return TrashEntry{}, err
	case before.Key != nil:
		return TrashEntry{}, fault.New(fault.Conflict, `document types of the program stay; an admin can hide them: PUT with {"hidden": true}`)
	case !in.made(before.CreatedBy):
		return TrashEntry{}, errMade("document type")
	case before.Files > 0 && !in.Admin:
		return TrashEntry{}, fault.Newf(fault.Forbidden, "%d files are of this document type; admins of the team may delete it", before.Files)
	}
	name := before.Name
	files, err := many[heldFile](ctx, t.Queries, `
		WITH typed AS (
			SELECT id, document_type_source AS source, document_type_score AS score FROM files
			WHERE document_type_id = @id AND team_id = @team ORDER BY id FOR NO KEY UPDATE
		)
		UPDATE files f SET document_type_id = NULL, document_type_source = NULL, document_type_score = NULL,
			version = version + 1, updated_at = now(), progress_at = now()
		FROM typed WHERE f.id = typed.id
		RETURNING f.id, typed.source, typed.score`, a)
	if err != nil {
		return TrashEntry{}, err
	}
	matters, err := values[string](ctx, t.Queries, `DELETE FROM matter_document_types WHERE document_type_id = @id RETURNING matter_id::text`, a)
	if err != nil {
		return TrashEntry{}, err
	}
	entry, err := t.discard(ctx, in, discarded{
		Kind: TrashedDocumentType, ResourceID: id, Name: name, Held: held{Files: files, Matters: matters},
		Counts: map[string]int{"files": len(files), "matters": len(matters)},
	})
	if err != nil {
		return TrashEntry{}, err
	}
	return entry, t.Audit(ctx, in, "document_type.deleted", "document_type", id, map[string]any{"files": len(files), "trashId": entry.ID})
}

// restoreDocumentType brings a type back, with those of its files that are of no
// other one by now. What people had assigned wins over what was predicted since.
func (t *Tx) restoreDocumentType(ctx context.Context, in Scope, e binned, name string) error {
	if err := t.stay(ctx, in, TrashedFile, fileIDs(e.Held.Files)); err != nil {
		return err
	}
	if err := t.comeBack(ctx, in, name, e); err != nil {
		return err
	}
	a := args{"id": e.ResourceID, "team": in.TeamID, "files": list(e.Held.Files), "matters": list(e.Held.Matters)}
	files, err := exec(ctx, t.Queries, `
		WITH untyped AS (
			SELECT f.id, h.source, h.score FROM jsonb_to_recordset(@files) h (id uuid, source text, score real) JOIN files f ON f.id = h.id AND f.team_id = @team
			WHERE f.document_type_id IS NULL OR h.source = 'assigned' AND f.document_type_source IS DISTINCT FROM 'assigned'
			ORDER BY f.id FOR NO KEY UPDATE OF f
		)
		UPDATE files f SET document_type_id = @id, document_type_source = u.source, document_type_score = u.score,
			version = version + 1, updated_at = now(), progress_at = now()
		FROM untyped u WHERE f.id = u.id`, a)
	if err != nil {
		return err
	}
	if err := t.joinLater(ctx, in, "documentType", e.Held.Files, func(f heldFile) any { return heldType{e.ResourceID, f.Source, f.Score} }); err != nil {
		return err
	}
	if _, err := exec(ctx, t.Queries, `
		INSERT INTO matter_document_types (matter_id, document_type_id)
		SELECT id, @id FROM matters WHERE id = ANY(@matters) AND (team_id = @team OR team_id IN (SELECT id FROM trash WHERE team_id = @team))
		ON CONFLICT DO NOTHING`, a); err != nil {
		return err
	}
	return t.Audit(ctx, in, "document_type.restored", "document_type", e.ResourceID, map[string]any{"files": files, "trashId": e.ID})
}

// TypeScore is how likely a file is of a type.
type TypeScore struct {
	Type        string  `json:"type"` // a key of the base model, or the id of a type of the team's own
	Probability float64 `json:"probability"`
}

// TypeGuess is what a model of types made of a file.
type TypeGuess struct {
	Generation int         `db:"generation"` // of the text
	ModelID    string      `db:"model_id"`
	Title      string      `db:"title"` // that the model read
	Abstained  bool        `db:"abstained"`
	Scores     []TypeScore `db:"scores"` // the likeliest first
}

// TypeGuess is what the model of types made of a file; NotFound before it was
// asked.
func (q Queries) TypeGuess(ctx context.Context, in Scope, fileID string) (TypeGuess, error) {
	return one[TypeGuess](ctx, q, `SELECT generation, model_id, title, abstained, scores FROM file_types WHERE file_id = @id AND team_id = @team`,
		args{"id": fileID, "team": in.TeamID})
}

// saveType stores the predicted document type of a file, and assigns it unless users
// have set the type.
func (t *Tx) saveType(ctx context.Context, in Scope, fileID string, g TypeGuess) error {
	a := args{
		"id": fileID, "team": in.TeamID, "generation": g.Generation, "model": g.ModelID, "title": g.Title, "abstained": g.Abstained, "scores": g.Scores,
	}
	if err := later(ctx, t.Queries, `
		INSERT INTO file_types (file_id, team_id, generation, model_id, title, abstained, scores)
		VALUES (@id, @team, @generation, @model, @title, @abstained, @scores)
		ON CONFLICT (file_id) DO UPDATE SET generation = excluded.generation, model_id = excluded.model_id, title = excluded.title,
			abstained = excluded.abstained, scores = excluded.scores`, a); err != nil {
		return err
	}
	return later(ctx, t.Queries, `
		UPDATE files f SET document_type_id = guessed_type, document_type_source = guessed_source, document_type_score = guessed_score,
			label_generation = label_generation + 1, progress_at = now()
		FROM `+guessedType+`
		WHERE f.id = @id AND f.team_id = @team AND f.document_type_source IS DISTINCT FROM 'assigned'
			AND (f.document_type_id, f.document_type_score) IS DISTINCT FROM (guessed_type, guessed_score)`, a)
}

// guessedType is a row with the type that the model of types gives the file @id:
// of nulls where it abstained, was not asked, or gave one that is gone.
const guessedType = `(
		SELECT t.id AS guessed_type, CASE WHEN t.id IS NOT NULL THEN 'predicted' END AS guessed_source,
			CASE WHEN t.id IS NOT NULL THEN (g.scores -> 0 ->> 'probability')::real END AS guessed_score
		FROM (VALUES (1)) nothing
		LEFT JOIN file_types g ON g.file_id = @id AND g.team_id = @team AND NOT g.abstained
		LEFT JOIN document_types t ON t.team_id = @team AND NOT t.hidden AND coalesce(t.key, t.id::text) = g.scores -> 0 ->> 'type'
	) guess`

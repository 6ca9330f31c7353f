package db

import "context"

// Sketch stands for the words of a file's text; of one without words it is empty.
type Sketch struct {
	Generation int // of the text
	Data       []byte
	Bands      []int64
}

// SaveSketch replaces the sketch of a file. It is Conflict where the text has
// become another one meanwhile. The team's next sketch waits for the end of the
// transaction: of two files that are read at the same time, the one that comes
// second then finds the first.
func (t *Tx) SaveSketch(ctx context.Context, in Scope, fileID string, s Sketch) error {
	if err := t.sameText(ctx, in, fileID, s.Generation); err != nil {
		return err
	}
	if _, err := exec(ctx, t.Queries, `SELECT pg_advisory_xact_lock(hashtextextended('sketches:' || @team, 0))`, args{"team": in.TeamID}); err != nil {
		return err
	}
	_, err := exec(ctx, t.Queries, `
		INSERT INTO file_sketches (file_id, team_id, generation, sketch, bands) VALUES (@id, @team, @generation, @sketch, @bands)
		ON CONFLICT (file_id) DO UPDATE SET generation = excluded.generation, sketch = excluded.sketch, bands = excluded.bands`,
		args{"id": fileID, "team": in.TeamID, "generation": s.Generation, "sketch": list(s.Data), "bands": list(s.Bands)})
	return err
}

// SketchedFile is a file whose sketch has something in common with another's.
type SketchedFile struct {
	ID     string `db:"file_id"`
	Sketch []byte `db:"sketch"`
}

// SimilarSketches lists files other than one whose sketches have bands in
// common with it, those with the most first, at most limit.
func (q Queries) SimilarSketches(ctx context.Context, in Scope, fileID string, bands []int64, limit int) ([]SketchedFile, error) {
	return many[SketchedFile](ctx, q, `
		SELECT file_id, sketch FROM file_sketches
		WHERE team_id = @team AND bands && @bands::bigint[] AND file_id <> @id
		ORDER BY cardinality(ARRAY(SELECT unnest(bands) INTERSECT SELECT unnest(@bands::bigint[]))) DESC, file_id DESC LIMIT @limit`,
		args{"team": in.TeamID, "id": fileID, "bands": bands, "limit": limit})
}

// Likeness is a file that is almost the same as another.
type Likeness struct {
	FileID string  `db:"file_id"`
	Name   string  `db:"name"`
	Kind   string  `db:"kind"`  // duplicate, version or template
	Share  float32 `db:"share"` // of the words that both have, 0 to 1
}

// saveLikeness replaces what is known of the files that are almost the same as
// one. Those that went away meanwhile are left out.
func (t *Tx) saveLikeness(ctx context.Context, in Scope, fileID string, list []Likeness) error {
	ids, kinds, shares := make([]string, len(list)), make([]string, len(list)), make([]float32, len(list))
	for i, l := range list {
		ids[i], kinds[i], shares[i] = l.FileID, l.Kind, l.Share
	}
	a := args{"id": fileID, "team": in.TeamID, "ids": ids, "kinds": kinds, "shares": shares}
	if _, err := exec(ctx, t.Queries, `DELETE FROM file_likeness WHERE (file_id = @id OR other_id = @id) AND team_id = @team`, a); err != nil {
		return err
	}
	_, err := exec(ctx, t.Queries, `
		INSERT INTO file_likeness (file_id, other_id, team_id, kind, share)
		SELECT greatest(@id::uuid, f.id), least(@id::uuid, f.id), @team, l.kind, l.share
		FROM unnest(@ids::uuid[], @kinds::text[], @shares::real[]) l (id, kind, share) JOIN files f ON f.id = l.id AND f.team_id = @team
		ORDER BY 1, 2
		ON CONFLICT (file_id, other_id) DO UPDATE SET kind = excluded.kind, share = excluded.share`, a)
	return err
}

// Likenesses lists the files that are almost the same as one, the likest first.
func (q Queries) Likenesses(ctx context.Context, in Scope, fileID string) ([]Likeness, error) {
	return many[Likeness](ctx, q, `
		SELECT f.id AS file_id, f.name, l.kind, l.share FROM file_likeness l
		JOIN files f ON f.id = CASE WHEN l.file_id = @id THEN l.other_id ELSE l.file_id END
		WHERE (l.file_id = @id OR l.other_id = @id) AND l.team_id = @team AND f.team_id = @team
		ORDER BY l.share DESC, f.id`, args{"id": fileID, "team": in.TeamID})
}

// PartyNames lists the parties that a file names, as rules read them.
func (q Queries) PartyNames(ctx context.Context, in Scope, fileID string) ([]string, error) {
	return values[string](ctx, q, `
		SELECT value FROM attributes WHERE file_id = @id AND team_id = @team AND level = 'file' AND key = 'party' AND source = 'rule' ORDER BY ordinal`,
		args{"id": fileID, "team": in.TeamID})
}

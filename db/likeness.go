package db

import (
	"context"
	"slices"
)

// Sketch is the similarity sketch of a file's text; it is empty if the text has no
// words.
type Sketch struct {
	Generation int     `db:"generation"` // of the text
	Data       []byte  `db:"sketch"`
	Bands      []int64 `db:"bands"`
}

// SaveSketch replaces the sketch of a file. It is Conflict where the text has
// become another one meanwhile. Call LockSketches before the end of the transaction.
func (t *Tx) SaveSketch(ctx context.Context, in Scope, fileID string, s Sketch) error {
	if err := t.sameText(ctx, in, fileID, s.Generation); err != nil {
		return err
	}
	return later(ctx, t.Queries, `
		WITH sketch AS (
			INSERT INTO file_sketches (file_id, team_id, generation, sketch) VALUES (@id, @team, @generation, @sketch)
			ON CONFLICT (file_id) DO UPDATE SET generation = excluded.generation, sketch = excluded.sketch
		), gone AS (
			DELETE FROM sketch_bands WHERE file_id = @id AND band <> ALL(@bands)
		)
		INSERT INTO sketch_bands (file_id, team_id, band) SELECT DISTINCT @id::uuid, @team::uuid, band FROM unnest(@bands::bigint[]) band
		ON CONFLICT (file_id, band) DO NOTHING`,
		args{"id": fileID, "team": in.TeamID, "generation": s.Generation, "sketch": list(s.Data), "bands": list(s.Bands)})
}

// LockSketches has the transactions of a team that store sketches end one after the other: of
// two files that are read at the same time, the one that comes second finds the first, if it
// looks for it behind this. Whatever can be done before is done before.
func (t *Tx) LockSketches(ctx context.Context, in Scope) error {
	return later(ctx, t.Queries, `SELECT pg_advisory_xact_lock(hashtextextended('sketches:' || @team, 0))`, args{"team": in.TeamID})
}

// Sketch is the sketch of a file's text; NotFound before there is one.
func (q Queries) Sketch(ctx context.Context, in Scope, fileID string) (Sketch, error) {
	return one[Sketch](ctx, q, `
		SELECT generation, sketch, ARRAY(SELECT band FROM sketch_bands WHERE file_id = @id AND team_id = @team) AS bands
		FROM file_sketches WHERE file_id = @id AND team_id = @team`, args{"id": fileID, "team": in.TeamID})
}

// SketchedFile is a file whose sketch has something in common with another's.
type SketchedFile struct {
	ID         string `db:"file_id"`
	Generation int    `db:"generation"` // of the text
	Sketch     []byte `db:"sketch"`
}

// filesPerBand is how many files are looked at that have a band in common, the
// oldest ones. It bounds the search where a team has one form ten thousand times;
// what two of those have in common besides is found by their other bands.
const filesPerBand = 16

// SimilarSketches lists files other than one whose sketches have bands in
// common with it, at most limit, the most promising first: a band tells the more the fewer
// files it finds. In a portfolio of one form some hundred are found, nearly all by a single
// band that many have. Of copies it is the oldest ones, so that each copy is compared with
// the original. How like they are, their sketches tell. Open are the bands by which files
// that come later are found, too: fewer have them than are looked at.
func (q Queries) SimilarSketches(ctx context.Context, in Scope, fileID string, bands []int64, limit int) (files []SketchedFile, open []int64, err error) {
	type row struct {
		SketchedFile
		Full []int64 `db:"full"`
	}
	rows, err := many[row](ctx, q, `
		WITH near AS MATERIALIZED (
			SELECT own.band, near.file_id, near.files FROM unnest(@bands::bigint[]) own (band) CROSS JOIN LATERAL (
				SELECT file_id, count(*) OVER () AS files FROM (
					SELECT b.file_id FROM sketch_bands b WHERE b.team_id = @team AND b.band = own.band AND b.file_id <> @id
					ORDER BY b.team_id, b.band, b.file_id LIMIT @each
				) first
			) near
		), found AS (
			SELECT file_id, sum(1 / files::float8 ^ 2) AS worth FROM near GROUP BY file_id ORDER BY worth DESC, file_id LIMIT @limit
		)
		SELECT k.file_id, k.generation, k.sketch, ARRAY(SELECT band FROM near WHERE files = @each GROUP BY band) AS full
		FROM found CROSS JOIN LATERAL ( -- the limit has Postgres look them up, and not read all of the team
			SELECT * FROM file_sketches k WHERE k.file_id = found.file_id AND k.team_id = @team LIMIT 1
		) k ORDER BY found.worth DESC, k.file_id`,
		args{"team": in.TeamID, "id": fileID, "bands": bands, "each": filesPerBand, "limit": limit})
	for _, r := range rows {
		files = append(files, r.SketchedFile)
	}
	if len(rows) == 0 {
		return files, bands, err
	}
	return files, slices.DeleteFunc(slices.Clone(bands), func(band int64) bool { return slices.Contains(rows[0].Full, band) }), err
}

// Likeness is a file that is almost the same as another.
type Likeness struct {
	FileID string  `db:"file_id"`
	Name   string  `db:"name"`
	Kind   string  `db:"kind"`  // duplicate, version or template
	Share  float32 `db:"share"` // of the words that both have, 0 to 1
}

// Compared is what became of the comparison of a file's text with another's.
type Compared struct {
	FileID     string // the other
	Generation int    // of the other's text
	Kind       string // as in Likeness; empty where the two are not almost the same
	Share      float32
}

// saveCompared stores the result of comparing a file with others. A pair that was not
// compared is left unchanged, because the other file may have been read later and
// found this one. A result about a text that was replaced in between is dropped: the
// reading of the new text finds this file.
func (t *Tx) saveCompared(ctx context.Context, in Scope, fileID string, list []Compared) error {
	if len(list) == 0 {
		return nil
	}
	ids, generations := make([]string, len(list)), make([]int, len(list))
	kinds, shares := make([]string, len(list)), make([]float32, len(list))
	for i, c := range list {
		ids[i], generations[i], kinds[i], shares[i] = c.FileID, c.Generation, c.Kind, c.Share
	}
	a := args{"id": fileID, "team": in.TeamID, "ids": ids, "generations": generations, "kinds": kinds, "shares": shares}
	// Which files count in the analysis of their type depends on it: that becomes stale.
	return later(ctx, t.Queries, `
		WITH current AS MATERIALIZED (
			SELECT greatest(@id::uuid, o.id) AS file_id, least(@id::uuid, o.id) AS other_id, o.kind, o.share
			FROM unnest(@ids::uuid[], @generations::int[], @kinds::text[], @shares::real[]) o (id, generation, kind, share)
			JOIN file_sketches k ON k.file_id = o.id AND k.team_id = @team AND k.generation = o.generation
		), gone AS (
			DELETE FROM file_likeness l USING current c
			WHERE l.file_id = c.file_id AND l.other_id = c.other_id AND l.team_id = @team AND c.kind = '' RETURNING l.file_id
		), changed AS (
			INSERT INTO file_likeness AS l (file_id, other_id, team_id, kind, share)
			SELECT file_id, other_id, @team, kind, share FROM current WHERE kind <> ''
			ORDER BY file_id, other_id
			ON CONFLICT (file_id, other_id) DO UPDATE SET kind = excluded.kind, share = excluded.share
				WHERE (l.kind, l.share) IS DISTINCT FROM (excluded.kind, excluded.share)
			RETURNING l.file_id
		)
		UPDATE files SET label_generation = label_generation + 1
		WHERE id = @id AND team_id = @team AND EXISTS (SELECT FROM gone UNION ALL SELECT FROM changed)`, a)
}

// forgetLikeness forgets which files a file is almost the same as.
const forgetLikeness = `DELETE FROM file_likeness WHERE (file_id = @id OR other_id = @id) AND team_id IS NOT DISTINCT FROM @team`

// SaveCompared keeps what was found out about a text and others. It is Conflict
// where the file has another text by now.
func (t *Tx) SaveCompared(ctx context.Context, in Scope, fileID string, generation int, list []Compared) error {
	if err := t.sameText(ctx, in, fileID, generation); err != nil {
		return err
	}
	return t.saveCompared(ctx, in, fileID, list)
}

// Likenesses lists the files that are almost the same as one, the likest first.
func (q Queries) Likenesses(ctx context.Context, in Scope, fileID string) ([]Likeness, error) {
	return many[Likeness](ctx, q, `
		SELECT f.id AS file_id, f.name, l.kind, l.share FROM file_likeness l
		JOIN files f ON f.id = CASE WHEN l.file_id = @id THEN l.other_id ELSE l.file_id END
		WHERE (l.file_id = @id OR l.other_id = @id) AND l.team_id = @team AND f.team_id = @team`+in.sees("f")+`
		ORDER BY l.share DESC, f.id`, in.args(args{"id": fileID}))
}

// relatives reads the ids of what is the same contract as a file, itself included: files
// with the same bytes, duplicates and versions, and theirs. The file is @id. Bytes
// have a row of their own, without an id, so that those of a thousand copies are looked
// for once.
func relatives(in Scope) string {
	other := func(id string) string { // the limit has Postgres look up this file, and not read all of the team
		return `SELECT id, sha256 FROM files WHERE id = ` + id + ` AND team_id IS NOT DISTINCT FROM @team` + in.sees("files") + ` LIMIT 1`
	}
	return `WITH RECURSIVE relatives AS (
			SELECT id, sha256 FROM files WHERE id = @id AND team_id IS NOT DISTINCT FROM @team` + in.sees("files") + `
			UNION
			SELECT near.id, near.sha256 FROM relatives r CROSS JOIN LATERAL (
				SELECT NULL::uuid AS id, r.sha256 WHERE r.id IS NOT NULL
				UNION ALL
				SELECT id, sha256 FROM files WHERE r.id IS NULL AND team_id = @team AND sha256 = r.sha256` + in.sees("files") + `
				UNION ALL
				SELECT f.id, f.sha256 FROM file_likeness l CROSS JOIN LATERAL (` + other("l.other_id") + `) f
				WHERE l.file_id = r.id AND l.team_id IS NOT DISTINCT FROM @team AND l.kind IN ('duplicate', 'version')
				UNION ALL
				SELECT f.id, f.sha256 FROM file_likeness l CROSS JOIN LATERAL (` + other("l.file_id") + `) f
				WHERE l.other_id = r.id AND l.team_id IS NOT DISTINCT FROM @team AND l.kind IN ('duplicate', 'version')
			) near
		) SELECT id, sha256 FROM relatives WHERE id IS NOT NULL`
}

// Relatives lists the ids of the duplicates and versions of a file.
func (q Queries) Relatives(ctx context.Context, in Scope, fileID string) ([]string, error) {
	return values[string](ctx, q.prepared(), `SELECT id::text FROM (`+relatives(in)+`) r WHERE id <> @id ORDER BY id`, in.args(args{"id": fileID}))
}

// RelativeBytes lists the hashes of the bytes of a file, and of its duplicates and
// versions, each once.
func (q Queries) RelativeBytes(ctx context.Context, in Scope, fileID string) ([][]byte, error) {
	return values[[]byte](ctx, q.prepared(), `SELECT DISTINCT sha256 FROM (`+relatives(in)+`) r ORDER BY sha256`, in.args(args{"id": fileID}))
}

// onceOf is the condition that a file f stands for its contract: an older file of the
// same document type is not the same, by its bytes or as far as it can be read. Only
// files that count themselves can stand for others: chosen is the FROM and the WHERE of
// those, f again, as of a subquery; "" for all that are visible. It is none where copies
// count.
func onceOf(in Scope, copies bool, chosen string) string {
	if copies {
		return ""
	}
	if chosen != "" {
		chosen = ` AND EXISTS (SELECT FROM ` + chosen + ` AND f.id = o.id)`
	}
	return `
		AND NOT EXISTS (SELECT FROM files o WHERE o.team_id = f.team_id AND o.sha256 = f.sha256 AND o.id < f.id
			AND o.document_type_id IS NOT DISTINCT FROM f.document_type_id` + in.sees("o") + chosen + `)
		AND NOT EXISTS (SELECT FROM file_likeness l JOIN files o ON o.id = l.other_id AND o.team_id = l.team_id
			WHERE l.file_id = f.id AND l.team_id = f.team_id AND l.kind IN ('duplicate', 'version')
				AND o.document_type_id IS NOT DISTINCT FROM f.document_type_id` + in.sees("o") + chosen + `)`
}

// onceRead is onceOf among the files with text.
func onceRead(in Scope, copies bool) string { return onceOf(in, copies, `files f WHERE f.text_ready`) }

// VersionOf is the file that one is a version of: the likest of those that are
// older. Where that is the same document, with the same bytes or as far as it can
// be read, it is the file that this one is a version of, and so on. It is NotFound
// where there is none.
func (q Queries) VersionOf(ctx context.Context, in Scope, fileID string) (Likeness, error) {
	return one[Likeness](ctx, q, `
		WITH RECURSIVE back AS (
			SELECT id AS file_id, name, sha256, '' AS kind, 0::real AS share FROM files WHERE id = @id AND team_id = @team`+in.sees("files")+`
			UNION ALL
			SELECT likest.* FROM back CROSS JOIN LATERAL (
				(SELECT id, name, sha256, 'duplicate' AS kind, 1::real AS share FROM files
				WHERE team_id = @team AND sha256 = back.sha256 AND id < back.file_id`+in.sees("files")+` ORDER BY id LIMIT 1)
				UNION ALL
				(SELECT f.id, f.name, f.sha256, l.kind, l.share FROM file_likeness l JOIN files f ON f.id = l.other_id AND f.team_id = l.team_id
				WHERE l.file_id = back.file_id AND l.team_id = @team AND l.kind IN ('duplicate', 'version')`+in.sees("f")+`)
				ORDER BY share DESC, kind, id LIMIT 1
			) likest WHERE back.kind <> 'version'
		)
		SELECT file_id, name, kind, share FROM back WHERE kind = 'version'`, in.args(args{"id": fileID}))
}

// FileText is a file's text as it is compared with others.
type FileText struct {
	Ready      bool     `db:"text_ready"`
	Text       string   `db:"text"`       // pages are parted by form feeds
	Parties    []string `db:"parties"`    // the names that rules read
	Recognized bool     `db:"recognized"` // at least one page, from an image
}

// FileText is the text of a file with its parties; NotFound for a file that is not
// there.
func (q Queries) FileText(ctx context.Context, in Scope, fileID string) (FileText, error) {
	return one[FileText](ctx, q, `
		SELECT f.text_ready, f.pages_ocr > 0 AS recognized,
			coalesce((SELECT string_agg(p.text, E'\f' ORDER BY p.number) FROM pages p WHERE p.file_id = f.id AND p.team_id = f.team_id), '') AS text,
			ARRAY(SELECT a.value FROM attributes a
				WHERE a.file_id = f.id AND a.team_id = f.team_id AND a.level = 'file' AND a.key = 'party' AND a.source = 'rule' ORDER BY a.ordinal) AS parties
		FROM files f WHERE f.id = @id AND f.team_id = @team`+in.sees("f"), in.args(args{"id": fileID}))
}

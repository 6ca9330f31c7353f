package db

import (
	"context"

	"github.com/clausemill/clausemill/query"
)

// renewNodes brings what corpora are compared by in line with the labels of
// files.
func (t *Tx) renewNodes(ctx context.Context, in Scope, fileIDs []string) error {
	a := args{"ids": fileIDs, "team": in.TeamID}
	if err := later(ctx, t.Queries, `DELETE FROM file_nodes WHERE file_id = ANY(@ids) AND team_id IS NOT DISTINCT FROM @team`, a); err != nil {
		return err
	}
	return later(ctx, t.Queries, `
		INSERT INTO file_nodes (file_id, team_id, label, sentences, validated, first_at, place, sentence_id)
		SELECT s.file_id, @team, l.node, count(*), count(*) FILTER (WHERE l.source = 'validated'), min(s.ordinal),
			(min(s.ordinal) + 0.5) / (1 + (SELECT max(ordinal) FROM sentences WHERE file_id = s.file_id)),
			(array_agg(s.id ORDER BY l.source = 'validated' DESC, l.score DESC NULLS LAST, s.ordinal))[1]
		FROM sentences s CROSS JOIN `+eachLabel+` WHERE s.file_id = ANY(@ids) AND s.team_id IS NOT DISTINCT FROM @team
		GROUP BY s.file_id, l.node`, a)
}

// Corpus is what a file is compared with: the analysed files of its document
// type, or of the team where that is nil. They are the newest, so that with the
// file itself there are at most Most. Its duplicates and versions are not among them,
// and of those of another the oldest is, unless Copies is set.
type Corpus struct {
	FileID         string
	DocumentTypeID *string
	Where          query.Filter // of query.Files, and checked: on the others
	Copies         bool
	Most           int
}

// files reads the ids of c, the file itself first: a CTE named corpus, with its
// arguments.
func (c Corpus) files(in Scope) (string, args, error) {
	a := in.args(args{"id": c.FileID, "type": c.DocumentTypeID, "most": c.Most})
	where, err := conditions(c.Where, a, query.Files)
	chosen := `files f JOIN analyses a ON a.file_id = f.id WHERE f.team_id = @team` + also(where)
	once := onceOf(in, c.Copies, chosen)
	if !c.Copies { // what is one of these is no copy of another file
		once += ` AND f.id NOT IN (SELECT id FROM (` + relatives(in) + `) own)`
	}
	return `corpus AS MATERIALIZED (
		SELECT f.id FROM files f JOIN analyses a ON a.file_id = f.id WHERE f.id = @id AND f.team_id = @team` + in.sees("f") + `
		UNION ALL (
			SELECT f.id FROM ` + chosen + ` AND f.id <> @id AND (@type::uuid IS NULL OR f.document_type_id = @type) ` + in.sees("f") + once + `
			ORDER BY f.id DESC LIMIT @most - 1
		)
	)`, a, err
}

// CountCorpus counts the files of a corpus, the file itself included.
func (q Queries) CountCorpus(ctx context.Context, in Scope, c Corpus) (int, error) {
	corpus, a, err := c.files(in)
	if err != nil {
		return 0, err
	}
	return value[int](ctx, q, `WITH `+corpus+` SELECT count(*) FROM corpus`, a)
}

// FamilyNode says which family a node belongs to.
type FamilyNode struct {
	Family string
	Label  string
}

// familyColumns are nodes as two columns.
func familyColumns(nodes []FamilyNode) (families, labels []string) {
	families, labels = make([]string, len(nodes)), make([]string, len(nodes))
	for i, n := range nodes {
		families[i], labels[i] = n.Family, n.Label
	}
	return families, labels
}

// Axis is how fully a file covers a family of clauses, beside its corpus. The
// coverage is the sum of the frequencies of the nodes that a file has, by that
// of all nodes of the family, so 1 for a file with all that occur.
type Axis struct {
	Family string  `db:"family"`
	Value  float64 `db:"value"`
	Mean   float64 `db:"mean"`
	P10    float64 `db:"p10"`
	P90    float64 `db:"p90"`
}

// Radar computes for each family how fully a file covers it.
func (q Queries) Radar(ctx context.Context, in Scope, c Corpus, nodes []FamilyNode) ([]Axis, error) {
	corpus, a, err := c.files(in)
	if err != nil {
		return nil, err
	}
	a["families"], a["labels"] = familyColumns(nodes)
	return many[Axis](ctx, q, `
		WITH `+corpus+`, weights AS MATERIALIZED (
			SELECT w.family, w.label, count(n.file_id)::float8 AS weight
			FROM unnest(@families::text[], @labels::text[]) w (family, label)
			LEFT JOIN (file_nodes n JOIN corpus ON corpus.id = n.file_id) ON n.label = w.label
			GROUP BY w.family, w.label
		), totals AS (
			SELECT family, sum(weight) AS total FROM weights GROUP BY family
		), covered AS MATERIALIZED (
			SELECT n.file_id, w.family, sum(w.weight) AS weight FROM file_nodes n JOIN corpus ON corpus.id = n.file_id JOIN weights w ON w.label = n.label
			GROUP BY n.file_id, w.family
		), shares AS (
			SELECT t.family, corpus.id, coalesce(c.weight / nullif(t.total, 0), 0) AS share
			FROM totals t CROSS JOIN corpus LEFT JOIN covered c ON c.family = t.family AND c.file_id = corpus.id
		)
		SELECT family, coalesce(max(share) FILTER (WHERE id = @id), 0) AS value, avg(share) AS mean,
			percentile_cont(0.1) WITHIN GROUP (ORDER BY share) AS p10, percentile_cont(0.9) WITHIN GROUP (ORDER BY share) AS p90
		FROM shares GROUP BY family`, a)
}

// NodeShare is a node of a file beside its corpus.
type NodeShare struct {
	Label     string  `db:"label"`
	Sentences int     `db:"sentences"` // of the file that have it
	Frequency float64 `db:"frequency"` // share of the corpus that has it
}

// NodeShares lists the nodes that occur in a corpus.
func (q Queries) NodeShares(ctx context.Context, in Scope, c Corpus) ([]NodeShare, error) {
	corpus, a, err := c.files(in)
	if err != nil {
		return nil, err
	}
	return many[NodeShare](ctx, q, `
		WITH `+corpus+`
		SELECT n.label, coalesce(max(n.sentences) FILTER (WHERE n.file_id = @id), 0) AS sentences, count(*)::float8 / (SELECT count(*) FROM corpus) AS frequency
		FROM file_nodes n JOIN corpus ON corpus.id = n.file_id GROUP BY n.label ORDER BY frequency DESC, n.label`, a)
}

// Alike is a file with its similarity to another, by the clauses they have.
type Alike struct {
	FileID         string         `db:"id"`
	Name           string         `db:"name"`
	Score          float64        `db:"score"`
	Shared         []string       `db:"shared"`  // nodes that both have
	Missing        []string       `db:"missing"` // nodes that only this one has
	Extra          []string       `db:"extra"`   // nodes that only the other has
	LifecycleStage LifecycleStage `db:"lifecycle_stage"`
	DocumentTypeID *string        `db:"document_type_id"`
}

// Scoreboard ranks the files of a corpus by their similarity to its file, the most
// similar first, at most limit. The similarity is a weighted Jaccard index: the
// summed rarity of the nodes that both have, divided by that of the nodes that
// either has. The rarity of a node is log2(1 + files of the corpus / files with it).
// A file without nodes is similar to none.
func (q Queries) Scoreboard(ctx context.Context, in Scope, c Corpus, limit int) ([]Alike, error) {
	corpus, a, err := c.files(in)
	if err != nil {
		return nil, err
	}
	a["limit"] = limit
	return many[Alike](ctx, q, `
		WITH `+corpus+`, nodes AS MATERIALIZED (
			SELECT n.file_id, n.label FROM file_nodes n JOIN corpus ON corpus.id = n.file_id
		), rarity AS MATERIALIZED (
			SELECT label, log(2, 1 + (SELECT count(*) FROM corpus)::numeric / count(*))::float8 AS weight FROM nodes GROUP BY label
		), own AS MATERIALIZED (
			SELECT label FROM nodes WHERE file_id = @id
		), sums AS (
			SELECT n.file_id, sum(r.weight) AS weight, sum(r.weight) FILTER (WHERE o.label IS NOT NULL) AS shared
			FROM nodes n JOIN rarity r USING (label) LEFT JOIN own o USING (label) WHERE n.file_id <> @id GROUP BY n.file_id
		), ranked AS (
			SELECT s.file_id, s.shared / (s.weight + (SELECT sum(weight) FROM own JOIN rarity USING (label)) - s.shared) AS score
			FROM sums s WHERE s.shared > 0
			ORDER BY round((s.shared / (s.weight + (SELECT sum(weight) FROM own JOIN rarity USING (label)) - s.shared))::numeric, 9) DESC, s.file_id DESC LIMIT @limit
		)
		SELECT f.id, f.name, r.score, f.lifecycle_stage, f.document_type_id,
			ARRAY(SELECT label FROM own INTERSECT SELECT label FROM nodes WHERE file_id = f.id ORDER BY 1) AS shared,
			ARRAY(SELECT label FROM nodes WHERE file_id = f.id EXCEPT SELECT label FROM own ORDER BY 1) AS missing,
			ARRAY(SELECT label FROM own EXCEPT SELECT label FROM nodes WHERE file_id = f.id ORDER BY 1) AS extra
		FROM ranked r JOIN files f ON f.id = r.file_id
		ORDER BY round(r.score::numeric, 9) DESC, f.id DESC`, a)
}

// Scorable is how many files of a team, or of one of its document types, can be
// ranked by what clauses they have.
type Scorable struct {
	Count   int `db:"count"`   // analysed, with clauses
	Pending int `db:"pending"` // not analysed yet, but on their way
}

// CountScorable counts them, of the files that a condition lets through.
func (q Queries) CountScorable(ctx context.Context, in Scope, documentTypeID string, where query.Filter) (Scorable, error) {
	a := in.args(args{"type": nullable(documentTypeID)})
	condition, err := conditions(where, a, query.Files)
	if err != nil {
		return Scorable{}, err
	}
	return one[Scorable](ctx, q, `
		SELECT count(*) FILTER (WHERE EXISTS (SELECT FROM file_nodes n WHERE n.file_id = f.id)) AS count,
			count(*) FILTER (WHERE f.status IN ('queued', 'processing') AND NOT EXISTS (SELECT FROM analyses a WHERE a.file_id = f.id)) AS pending
		FROM files f WHERE f.team_id = @team AND (@type::uuid IS NULL OR f.document_type_id = @type)`+in.sees("f")+also(condition), a)
}

// Distribution is the distribution of an attribute's values over files.
type Distribution struct {
	Key    string       `db:"key" json:"key"`
	Files  int          `db:"files" json:"files" doc:"Number of files that have a value"`
	Values []ValueCount `db:"values" json:"values" nullable:"false" doc:"The most frequent values, at most 20"`
}

// ValueCount is how many files say the same.
type ValueCount struct {
	Value string `json:"value" doc:"The most frequent wording"`
	Files int    `json:"files"`
}

// saidAs is the key under which an attribute t and others say the same. Contracts write
// half a year as 180 days and as six months: thirty days count as a month there, up to
// twelve of them, and 365 days as a year.
const saidAs = `CASE WHEN t.normalized ? 'duration' AND magnitude(t.normal) IS NOT NULL THEN CASE
		WHEN t.normal ~ '[dw]$' AND magnitude(t.normal) BETWEEN 30 AND 360 AND magnitude(t.normal) % 30 = 0 THEN 'p' || trunc(magnitude(t.normal) / 30) || 'm'
		WHEN t.normal ~ '[dw]$' AND magnitude(t.normal) % 365 = 0 THEN 'p' || trunc(magnitude(t.normal) / 365 * 12) || 'm'
		WHEN t.normal ~ '[dw]$' THEN 'p' || trunc(magnitude(t.normal)) || 'd'
		ELSE 'p' || round(magnitude(t.normal) * 12 / 365) || 'm'
	END ELSE t.normal END`

// distributions counts what the files of the set named chosen say at file level.
var distributions = `
	SELECT key, (SELECT count(DISTINCT x.file_id) FROM attributes x JOIN chosen ON chosen.id = x.file_id WHERE x.level = 'file' AND x.key = counted.key) AS files,
		coalesce(jsonb_agg(jsonb_build_object('value', value, 'files', files) ORDER BY files DESC, value) FILTER (WHERE place <= 20), '[]') AS values
	FROM (
		SELECT key, value, files, row_number() OVER (PARTITION BY key ORDER BY files DESC, value) AS place FROM (
			SELECT t.key, mode() WITHIN GROUP (ORDER BY ` + shownAs("t") + `) AS value, count(DISTINCT t.file_id) AS files
			FROM attributes t JOIN chosen ON chosen.id = t.file_id WHERE t.team_id = @team AND t.level = 'file' GROUP BY t.key, ` + saidAs + `
		) grouped
	) counted
	GROUP BY key ORDER BY key`

// OwnDistribution is a Distribution with the value of one more file.
type OwnDistribution struct {
	Distribution

	Own      *string `db:"own"`       // nil where the one more says nothing of it
	OwnFiles int     `db:"own_files"` // that say the same
}

// Distributions returns the distributions of the attributes of files, with the values
// of a file that is not one of them.
func (q Queries) Distributions(ctx context.Context, in Scope, fileIDs []string, ownID string) ([]OwnDistribution, error) {
	if len(fileIDs) == 0 {
		return []OwnDistribution{}, nil
	}
	return many[OwnDistribution](ctx, q, `
		WITH chosen AS MATERIALIZED (SELECT id FROM files WHERE id = ANY(@ids) AND team_id IS NOT DISTINCT FROM @team`+in.sees("files")+`)
		SELECT d.key, d.files, d.values, o.value AS own, (
			SELECT count(DISTINCT t.file_id) FROM attributes t JOIN chosen ON chosen.id = t.file_id WHERE t.level = 'file' AND t.key = d.key AND `+saidAs+` = o.said
		) AS own_files
		FROM (`+distributions+`) d
		LEFT JOIN LATERAL (
			SELECT `+shownAs("t")+` AS value, `+saidAs+` AS said FROM attributes t WHERE t.file_id = @own AND t.team_id = @team AND t.level = 'file' AND t.key = d.key
			ORDER BY t.source, t.confidence DESC, t.ordinal LIMIT 1
		) o ON true
		ORDER BY d.key`, in.args(args{"ids": fileIDs, "own": ownID}))
}

// NodeLift is how much more often the files of a type have a node than those of
// the team.
type NodeLift struct {
	Label     string  `db:"label"`
	Sentences int     `db:"sentences"` // of the file
	Lift      float64 `db:"lift"`
}

// NodeLifts lists the nodes of a file that are more frequent in a type than elsewhere
// (lift), the highest lift first, at most limit. A type without analysed files has
// none. Duplicates and versions of the file are not among those counted, unless copies
// is set.
func (q Queries) NodeLifts(ctx context.Context, in Scope, fileID, documentTypeID string, copies bool, limit int) ([]NodeLift, error) {
	others := ""
	if !copies {
		others = ` AND (f.id = @id OR f.id NOT IN (SELECT id FROM (` + relatives(in) + `) own))`
	}
	return many[NodeLift](ctx, q, `
		WITH files_of AS (
			SELECT count(*)::float8 AS team, count(*) FILTER (WHERE f.document_type_id = @type)::float8 AS type
			FROM files f JOIN analyses a ON a.file_id = f.id WHERE f.team_id = @team`+in.sees("f")+others+`
		), counts AS (
			SELECT n.label, count(*)::float8 AS team, count(*) FILTER (WHERE f.document_type_id = @type)::float8 AS type
			FROM file_nodes n JOIN files f ON f.id = n.file_id
			WHERE n.team_id = @team`+in.sees("f")+others+` AND n.label IN (SELECT label FROM file_nodes WHERE file_id = @id) GROUP BY n.label
		)
		SELECT o.label, o.sentences, c.type / files_of.type / (c.team / files_of.team) AS lift
		FROM file_nodes o JOIN counts c USING (label) CROSS JOIN files_of
		WHERE o.file_id = @id AND o.team_id = @team AND files_of.type > 0
		ORDER BY lift DESC, o.label LIMIT @limit`, in.args(args{"id": fileID, "type": documentTypeID, "limit": limit}))
}

// Dated is a date or a duration that a file of a corpus states.
type Dated struct {
	FileID   string  `db:"file_id"`
	Key      string  `db:"key"`
	Date     *string `db:"date"`     // as far as it is known: 2020, 2020-01 or 2020-01-05
	Duration *string `db:"duration"` // ISO 8601
}

// DatesOf lists the dates and durations that the files of a corpus state, by key and
// file.
func (q Queries) DatesOf(ctx context.Context, in Scope, c Corpus) ([]Dated, error) {
	corpus, a, err := c.files(in)
	if err != nil {
		return nil, err
	}
	return many[Dated](ctx, q, `
		WITH `+corpus+`
		SELECT DISTINCT ON (t.key, t.file_id) t.file_id, t.key, t.normalized ->> 'date' AS date, t.normalized ->> 'duration' AS duration
		FROM attributes t JOIN corpus ON corpus.id = t.file_id
		WHERE t.team_id = @team AND t.level = 'file' AND (t.normalized ? 'date' OR t.normalized ? 'duration')
		ORDER BY t.key, t.file_id, t.source, t.confidence DESC, t.ordinal`, a)
}

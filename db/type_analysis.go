package db

import (
	"context"
	"slices"
	"strconv"
	"time"
)

// TypeAnalysis is the analysis of the corpus of a document type.
type TypeAnalysis struct {
	Version    int          `db:"version"`
	Files      int          `db:"files"`
	AnalyzedAt time.Time    `db:"analyzed_at"`
	Result     CorpusResult `db:"result"`
}

// CorpusResult is the part of an analysis that is stored whole.
type CorpusResult struct {
	Nodes      []CorpusNode   `json:"nodes"`
	Edges      []CorpusEdge   `json:"edges"`
	Terms      []CorpusTerm   `json:"terms"`
	Attributes []Distribution `json:"attributes"`
	OverTime   []CorpusYear   `json:"overTime"`
	Unusual    []UnusualFile  `json:"unusual"`
	TermFiles  int            `json:"termFiles"` // that the terms were counted in

	// Copies is the same with copies and versions counted; nil where there are none.
	Copies *CopiesResult `json:"copies,omitempty"`
}

// CopiesResult is an analysis of all files of a type, however many are one contract.
type CopiesResult struct {
	CorpusResult

	Files int `json:"files"`
}

// Counting is an analysis with copies and versions counted, or without.
func (t TypeAnalysis) Counting(copies bool) TypeAnalysis {
	if copies && t.Result.Copies != nil {
		t.Files, t.Result = t.Result.Copies.Files, t.Result.Copies.CorpusResult
	}
	return t
}

// CorpusNode is a node of the taxonomy as the files of a type have it.
type CorpusNode struct {
	Label     string         `db:"label" json:"label" doc:"Key of the node"`
	Files     int            `db:"files" json:"files" doc:"Number of files that have it"`
	Sentences int            `db:"sentences" json:"sentences" doc:"Number of sentences with this label"`
	Validated int            `db:"validated" json:"validated" doc:"Number of them whose label users confirmed or set"`
	Frequency float64        `db:"frequency" json:"frequency" doc:"Share of the files that have it, 0 to 1"`
	Rarity    float64        `db:"rarity" json:"rarity" doc:"Rarity in bits: 0 if every file has it, 1 if half of them do, 2 for a quarter"`
	Place     float64        `db:"place" json:"place" doc:"Median relative position of its first sentence in a file, from 0 to 1"`
	Wording   *CorpusWording `db:"wording" json:"wording,omitempty" doc:"Typical wording, from the latest analysis"`
}

// CorpusWording is how a node is put in the files of a type.
type CorpusWording struct {
	SentenceID string  `json:"sentenceId" doc:"Id of the most central sentence, which is closest to all others"`
	Text       string  `json:"text"`
	Spread     float64 `json:"spread" doc:"Mean distance of the wordings from the most central one: 0 if all have the same words, towards 1 if they have none in common"`
	Sentences  int     `json:"sentences" doc:"Number of sentences compared: the most probable one of each of the newest files, at most 200"`
}

// CorpusEdge joins two nodes of a corpus.
type CorpusEdge struct {
	From   string   `db:"source" json:"source" doc:"Key of a node"`
	To     string   `db:"target" json:"target"`
	Kind   string   `db:"kind" json:"kind" enum:"follows,cooccurs,parent,similar"`
	Weight float64  `db:"weight" json:"weight" doc:"follows: share of the files with the source in which the target is the next node, where those that begin in one sentence stand by key. cooccurs: number of files with both nodes divided by those with either. similar: cosine of their wordings. parent: share of the files with any node of the family that have this one"`
	Lift   *float64 `db:"lift" json:"lift,omitempty" doc:"Only for cooccurs: how many times more often the nodes occur together than if they were independent"`
	Files  int      `db:"files" json:"files,omitempty" doc:"Number of files that have this edge; absent for similar"`
}

// CorpusTerm is a word that is more frequent in a type's files than in the
// team's others.
type CorpusTerm struct {
	Token  string  `db:"token" json:"token" doc:"The most frequent form of the word"`
	Stem   string  `db:"stem" json:"stem"`
	Files  int     `db:"files" json:"files" doc:"Number of files of the type that have it"`
	Count  int     `db:"count" json:"count" doc:"Number of occurrences in these files"`
	Weight float64 `db:"weight" json:"weight" doc:"How much it distinguishes the type: its share of the type's files, times the logarithm of how much rarer it is in the team"`
}

// CorpusYear is the files of a type that were made in one year.
type CorpusYear struct {
	Year  string         `db:"year" json:"year" doc:"Year of the agreement date, or else of the effective date, or of the upload"`
	Files int            `db:"files" json:"files"`
	Nodes map[string]int `db:"nodes" json:"nodes" nullable:"false" doc:"Number of files for each node"`
}

// UnusualFile is a file with clauses that others of its type have not.
type UnusualFile struct {
	FileID string   `db:"file_id" json:"fileId"`
	Name   string   `db:"name" json:"name"`
	Rarity float64  `db:"rarity" json:"rarity" doc:"Mean rarity of its nodes, in bits"`
	Nodes  []string `db:"nodes" json:"nodes" nullable:"false" doc:"Its rarest nodes, rarest first, at most 5"`
}

// typeNodes reads the nodes of the files of a type, and how many files there are. Each
// contract counts once, by its oldest copy or version, unless copies is set.
func typeNodes(in Scope, copies bool) string {
	return `corpus AS MATERIALIZED (
		SELECT f.id FROM files f WHERE f.team_id = @team AND f.document_type_id = @type AND f.text_ready` + in.sees("f") + onceRead(in, copies) + `
	), nodes AS MATERIALIZED (
		SELECT n.* FROM file_nodes n JOIN corpus ON corpus.id = n.file_id
	), size AS (
		SELECT count(*)::float8 AS files FROM corpus
	)`
}

// CorpusNodes lists the nodes that occur in the files of a type, the most
// frequent first. They are as of now, without wordings.
func (q Queries) CorpusNodes(ctx context.Context, in Scope, documentTypeID string, copies bool) ([]CorpusNode, error) {
	return many[CorpusNode](ctx, q, `
		WITH `+typeNodes(in, copies)+`
		SELECT n.label, count(*) AS files, sum(n.sentences) AS sentences, sum(n.validated) AS validated, count(*) / size.files AS frequency,
			log(2, (size.files / count(*))::numeric)::float8 AS rarity, percentile_cont(0.5) WITHIN GROUP (ORDER BY n.place) AS place, NULL::jsonb AS wording
		FROM nodes n CROSS JOIN size GROUP BY n.label, size.files ORDER BY files DESC, n.label`, in.args(args{"type": documentTypeID}))
}

// FamilyPrefix begins the key of a family in a list of nodes.
const FamilyPrefix = "family:"

// CorpusEdges lists how the nodes of a type's files follow one another, which
// occur together, and which of families they are.
func (q Queries) CorpusEdges(ctx context.Context, in Scope, documentTypeID string, copies bool, families []FamilyNode) ([]CorpusEdge, error) {
	a := in.args(args{"type": documentTypeID, "prefix": FamilyPrefix})
	a["families"], a["labels"] = familyColumns(families)
	return many[CorpusEdge](ctx, q, `
		WITH `+typeNodes(in, copies)+`, families AS (
			SELECT w.family, n.file_id, n.label FROM nodes n JOIN unnest(@families::text[], @labels::text[]) w (family, label) USING (label)
		), counts AS (
			SELECT label, count(*)::float8 AS files FROM nodes GROUP BY label
		), steps AS (
			SELECT label AS source, lead(label) OVER (PARTITION BY file_id ORDER BY first_at, label) AS target FROM nodes
		)
		SELECT s.source, s.target, 'follows' AS kind, count(*) / c.files AS weight, NULL::float8 AS lift, count(*) AS files
		FROM steps s JOIN counts c ON c.label = s.source WHERE s.target IS NOT NULL GROUP BY s.source, s.target, c.files
		UNION ALL
		SELECT a.label, b.label, 'cooccurs', count(*) / (x.files + y.files - count(*)), count(*) * size.files / (x.files * y.files), count(*)
		FROM nodes a JOIN nodes b ON b.file_id = a.file_id AND b.label > a.label
		JOIN counts x ON x.label = a.label JOIN counts y ON y.label = b.label CROSS JOIN size
		GROUP BY a.label, b.label, x.files, y.files, size.files
		UNION ALL
		SELECT @prefix || family, label, 'parent', count(*)::float8 / (SELECT count(DISTINCT file_id) FROM families WHERE family = f.family), NULL, count(*)
		FROM families f GROUP BY family, label
		ORDER BY kind DESC, files DESC, source, target`, a)
}

// CorpusExamples lists for each node the surest sentence of each of the newest
// files of a type that have it, at most so many.
func (q Queries) CorpusExamples(ctx context.Context, in Scope, documentTypeID string, copies bool, each int) ([]LabelledText, error) {
	return many[LabelledText](ctx, q, `
		WITH `+typeNodes(in, copies)+`
		SELECT n.label, s.id, s.text FROM (
			SELECT label, sentence_id, row_number() OVER (PARTITION BY label ORDER BY file_id DESC) AS place FROM nodes
		) n JOIN sentences s ON s.id = n.sentence_id
		WHERE n.place <= @each ORDER BY n.label, n.place`, in.args(args{"type": documentTypeID, "each": each}))
}

// CorpusTerms lists the words that distinguish the newest files of a type, at most
// mostFiles, from the team's other files, and counts those files.
func (q Queries) CorpusTerms(ctx context.Context, in Scope, documentTypeID string, copies bool, mostFiles, limit int) (terms []CorpusTerm, files int, err error) {
	a := in.args(args{"type": documentTypeID, "most": mostFiles, "limit": limit})
	newest := `newest AS MATERIALIZED (
		SELECT f.id FROM files f WHERE f.team_id = @team AND f.document_type_id = @type AND f.text_ready` + in.sees("f") + onceRead(in, copies) + ` ORDER BY f.id DESC LIMIT @most
	)`
	if files, err = value[int](ctx, q, `WITH `+newest+` SELECT count(*) FROM newest`, a); err != nil {
		return nil, 0, err
	}
	a["files"] = max(1, files)
	terms, err = many[CorpusTerm](ctx, q, `
		WITH `+newest+`, terms AS (
			SELECT w.stem, mode() WITHIN GROUP (ORDER BY w.token) AS token, count(*) AS files, sum(w.count) AS count
			FROM file_tokens t JOIN newest ON newest.id = t.file_id CROSS JOIN jsonb_to_recordset(t.tokens) w (token text, stem text, count int)
			GROUP BY w.stem HAVING count(*) * 10 >= @files
		)
		SELECT t.token, t.stem, t.files, t.count,
			t.files::float8 / @files * ln(1 + (SELECT count(*) FROM files WHERE team_id = @team AND text_ready`+in.sees("files")+`)::float8 / greatest(s.files, t.files)) AS weight
		FROM terms t LEFT JOIN stems s ON s.team_id = @team AND s.stem = t.stem
		ORDER BY weight DESC, t.stem LIMIT @limit`, a)
	return terms, files, err
}

// CorpusAttributes returns the distributions of the attributes of a type's files.
func (q Queries) CorpusAttributes(ctx context.Context, in Scope, documentTypeID string, copies bool) ([]Distribution, error) {
	return many[Distribution](ctx, q, `
		WITH chosen AS MATERIALIZED (SELECT f.id FROM files f WHERE f.document_type_id = @type AND f.team_id = @team AND f.text_ready`+in.sees("f")+onceRead(in, copies)+`)`+distributions,
		in.args(args{"type": documentTypeID}))
}

// CorpusOverTime returns which nodes the files of each year have.
func (q Queries) CorpusOverTime(ctx context.Context, in Scope, documentTypeID string, copies bool) ([]CorpusYear, error) {
	return many[CorpusYear](ctx, q, `
		WITH `+typeNodes(in, copies)+`, dated AS MATERIALIZED (
			SELECT c.id, left(coalesce(
				(SELECT min(normalized ->> 'date') FROM attributes WHERE file_id = c.id AND level = 'file' AND key = 'agreement_date'),
				(SELECT min(normalized ->> 'date') FROM attributes WHERE file_id = c.id AND level = 'file' AND key = 'effective_date'),
				to_char(f.created_at AT TIME ZONE 'UTC', 'YYYY')), 4) AS year
			FROM corpus c JOIN files f ON f.id = c.id
		)
		SELECT y.year, y.files, coalesce(n.nodes, '{}') AS nodes
		FROM (SELECT year, count(*) AS files FROM dated GROUP BY year) y
		LEFT JOIN (
			SELECT year, jsonb_object_agg(label, files) AS nodes FROM (
				SELECT d.year, n.label, count(*) AS files FROM nodes n JOIN dated d ON d.id = n.file_id GROUP BY d.year, n.label
			) counted GROUP BY year
		) n ON n.year = y.year
		ORDER BY y.year`, in.args(args{"type": documentTypeID}))
}

// UnusualFiles lists the files of a type with the rarest nodes, at most limit.
func (q Queries) UnusualFiles(ctx context.Context, in Scope, documentTypeID string, copies bool, limit int) ([]UnusualFile, error) {
	return many[UnusualFile](ctx, q, `
		WITH `+typeNodes(in, copies)+`, rarity AS (
			SELECT label, log(2, ((SELECT files FROM size) / count(*))::numeric)::float8 AS rarity FROM nodes GROUP BY label
		)
		SELECT n.file_id, f.name, avg(r.rarity) AS rarity, (array_agg(n.label ORDER BY r.rarity DESC, n.label))[1:5] AS nodes
		FROM nodes n JOIN rarity r USING (label) JOIN files f ON f.id = n.file_id
		GROUP BY n.file_id, f.name HAVING avg(r.rarity) > 0
		ORDER BY round(avg(r.rarity)::numeric, 9) DESC, n.file_id LIMIT @limit`, in.args(args{"type": documentTypeID, "limit": limit}))
}

// CorpusState is how many contracts with text a type has, and a digest that changes with
// their contents.
type CorpusState struct {
	Files    int    `db:"files"`
	AllFiles int    `db:"all_files"` // copies and versions included
	State    string `db:"state"`
}

// CorpusState is the state of a type's corpus as of now.
func (q Queries) CorpusState(ctx context.Context, in Scope, documentTypeID string) (CorpusState, error) {
	return one[CorpusState](ctx, q.forValues(), `
		SELECT (SELECT count(*) FROM files f WHERE f.team_id = @team AND f.document_type_id = @type AND f.text_ready`+in.sees("f")+onceRead(in, false)+`) AS files,
			count(*) FILTER (WHERE text_ready) AS all_files,
			`+corpusState(ofTeam)+` AS state FROM files WHERE team_id = @team AND document_type_id = @type`+in.sees("files"),
		in.args(args{"type": documentTypeID}))
}

// DueAnalysis is a document type whose corpus is to be analysed, and the version
// that its analysis will be.
type DueAnalysis struct {
	TeamID         string `db:"team_id"`
	DocumentTypeID string `db:"id"`
	Version        int    `db:"version"`
}

// DueAnalyses lists the document types of all teams whose corpora are others than
// when they were analysed, and have settled: they are as the call before saw
// them. A corpus that never settles is due when it and its analysis have waited
// for patience. Only what has changed since that call is looked at, and what was stale
// then.
func (q Queries) DueAnalyses(ctx context.Context, patience time.Duration) ([]DueAnalysis, error) {
	return many[DueAnalysis](ctx, q, `
		WITH changed AS (
			DELETE FROM corpus_changes RETURNING document_type_id AS id
		), present AS MATERIALIZED (
			SELECT t.id, t.team_id, t.seen_state, t.stale_since, l.version, l.analyzed_at, c.state, c.state IS DISTINCT FROM l.state AS stale
			FROM document_types t CROSS JOIN LATERAL (
				SELECT count(*) AS files, `+corpusState("")+` AS state FROM files WHERE team_id = t.team_id AND document_type_id = t.id AND text_ready
			) c LEFT JOIN LATERAL (
				SELECT version, state, analyzed_at FROM type_analyses WHERE document_type_id = t.id ORDER BY version DESC LIMIT 1
			) l ON true
			WHERE t.id IN (SELECT id FROM changed UNION SELECT id FROM document_types WHERE stale_since IS NOT NULL)
				AND (c.files > 0 OR l.version IS NOT NULL) AND NOT `+inTrash("t")+`
		), noted AS (
			UPDATE document_types t SET seen_state = p.state, stale_since = CASE WHEN p.stale THEN coalesce(p.stale_since, now()) END
			FROM present p WHERE t.id = p.id AND (t.seen_state IS DISTINCT FROM p.state OR (t.stale_since IS NOT NULL) <> p.stale)
		)
		SELECT team_id, id, coalesce(version, 0) + 1 AS version FROM present
		WHERE stale AND (seen_state = state OR greatest(stale_since, analyzed_at) < now() - @patience::interval)
		ORDER BY team_id, id`, args{"patience": patience})
}

// keptAnalyses is how many versions of an analysis are kept.
const keptAnalyses = 10

// SaveTypeAnalysis adds an analysis of the corpus that had a state, as the next
// version.
func (t *Tx) SaveTypeAnalysis(ctx context.Context, in Scope, documentTypeID string, s CorpusState, r CorpusResult) error {
	a := args{"type": documentTypeID, "team": in.TeamID, "files": s.Files, "state": s.State, "result": r, "kept": keptAnalyses}
	version, err := value[int](ctx, t.Queries, `
		INSERT INTO type_analyses (document_type_id, team_id, version, files, state, result)
		SELECT t.id, t.team_id, 1 + coalesce((SELECT max(version) FROM type_analyses WHERE document_type_id = t.id), 0), @files, @state, @result
		FROM document_types t WHERE t.id = @type AND t.team_id = @team
		RETURNING version`, a)
	if err != nil {
		return err
	}
	a["version"] = version
	for _, sql := range []string{
		`DELETE FROM type_analyses WHERE document_type_id = @type AND version <= @version::int - @kept::int`,
		`INSERT INTO corpus_changes VALUES (@type)`, // the state may be older than that of another analysis
	} {
		if _, err := exec(ctx, t.Queries, sql, a); err != nil {
			return err
		}
	}
	return t.Audit(ctx, in, "document_type.analyzed", "document_type", documentTypeID, map[string]any{"version": version, "files": s.Files})
}

// TypeAnalysis is an analysis of a type's corpus, the latest for version 0;
// NotFound where there is none.
func (q Queries) TypeAnalysis(ctx context.Context, in Scope, documentTypeID string, version int) (TypeAnalysis, error) {
	return one[TypeAnalysis](ctx, q, `
		SELECT version, files, analyzed_at, result FROM type_analyses
		WHERE document_type_id = @type AND team_id = @team AND (@version = 0 OR version = @version) ORDER BY version DESC LIMIT 1`,
		args{"type": documentTypeID, "team": in.TeamID, "version": version})
}

// TypeStats is how much the files of a type hold.
type TypeStats struct {
	ID         string     `db:"id"`
	Name       string     `db:"name"`
	Files      int        `db:"files"`
	Assigned   int        `db:"assigned"`
	Analyzed   int        `db:"analyzed"` // files
	Pages      int        `db:"pages"`
	Words      int        `db:"words"`
	Sentences  int        `db:"sentences"`
	Labelled   int        `db:"labelled"`
	Validated  int        `db:"validated"`
	AnalyzedAt *time.Time `db:"analyzed_at"` // the corpus
	Stale      bool       `db:"stale"`
}

// TypeStats counts what the files of each type hold, or those of one: each contract
// once, unless copies is set.
func (q Queries) TypeStats(ctx context.Context, in Scope, documentTypeID string, copies bool) ([]TypeStats, error) {
	// As onceOf says, and reads each file once. A file with text stands for its copies
	// before one without.
	once := `WHERE c.copy = 1 AND NOT EXISTS (
				SELECT FROM file_likeness l JOIN typed o ON o.id = l.other_id
				WHERE l.file_id = c.id AND l.team_id = @team AND l.kind IN ('duplicate', 'version') AND o.document_type_id = c.document_type_id
					AND o.text_ready >= c.text_ready
			) AND NOT EXISTS (
				SELECT FROM file_likeness l JOIN typed o ON o.id = l.file_id
				WHERE l.other_id = c.id AND l.team_id = @team AND l.kind IN ('duplicate', 'version') AND o.document_type_id = c.document_type_id
					AND o.text_ready > c.text_ready
			)`
	if copies {
		once = ""
	}
	return many[TypeStats](ctx, q, `
		WITH typed AS MATERIALIZED (
			SELECT f.id, f.document_type_id, f.document_type_source, f.page_count, f.text_ready,
				row_number() OVER (PARTITION BY f.document_type_id, f.sha256 ORDER BY f.text_ready DESC, f.id) AS copy
			FROM files f WHERE f.team_id = @team`+in.sees("f")+` AND f.document_type_id IS NOT NULL AND (@type::uuid IS NULL OR f.document_type_id = @type)
		), counted AS MATERIALIZED (
			SELECT c.* FROM typed c `+once+`
		)
		SELECT t.id, t.name, coalesce(s.files, 0) AS files, coalesce(s.assigned, 0) AS assigned, t.analyzed_at, t.stale, coalesce(s.analyzed, 0) AS analyzed, coalesce(s.pages, 0) AS pages,
			coalesce(s.words, 0) AS words, coalesce(s.sentences, 0) AS sentences, coalesce(n.labelled, 0) AS labelled, coalesce(n.validated, 0) AS validated
		FROM (`+listedTypes(in)+` AND (@type::uuid IS NULL OR t.id = @type)) t
		LEFT JOIN (
			SELECT c.document_type_id, count(*) AS files, count(*) FILTER (WHERE c.document_type_source = 'assigned') AS assigned, count(a.file_id) AS analyzed,
				sum(c.page_count) AS pages, sum((a.counts ->> 'words')::bigint) AS words, sum((a.counts ->> 'sentences')::bigint) AS sentences
			FROM counted c LEFT JOIN analyses a ON a.file_id = c.id GROUP BY c.document_type_id
		) s ON s.document_type_id = t.id
		LEFT JOIN (
			SELECT c.document_type_id, sum(n.sentences) AS labelled, sum(n.validated) AS validated
			FROM file_nodes n JOIN counted c ON c.id = n.file_id GROUP BY c.document_type_id
		) n ON n.document_type_id = t.id
		ORDER BY lower(t.name)`, in.args(args{"type": nullable(documentTypeID)}))
}

// CountUntyped counts the files of a team that are of no type, each contract once
// unless copies is set.
func (q Queries) CountUntyped(ctx context.Context, in Scope, copies bool) (int, error) {
	return value[int](ctx, q, `SELECT count(*) FROM files f WHERE f.team_id = @team AND f.document_type_id IS NULL`+in.sees("f")+onceOf(in, copies, ""), in.args(args{}))
}

// TypeDecision is what a person said of a label of a sentence, and what was said before.
type TypeDecision struct {
	Part      string // names the sentence, and which of its labels followed one another
	UserID    *string
	From      *string // nil for no clause
	To        *string
	Predicted bool // From is what a model said
	At        time.Time
}

// TypeDecisions lists the decisions on sentences of the files of a type, in
// their order: the latest, at most limit. One about several labels is one about each.
// Those that were withdrawn, and those on sentences that went with an earlier text, are
// not among them.
func (q Queries) TypeDecisions(ctx context.Context, in Scope, documentTypeID string, limit int) ([]TypeDecision, error) {
	type row struct {
		SentenceID string    `db:"sentence_id"`
		UserID     *string   `db:"user_id"`
		From       []string  `db:"from_labels"`
		To         []string  `db:"to_labels"`
		Predicted  bool      `db:"predicted"`
		At         time.Time `db:"created_at"`
	}
	labels := func(which string) string {
		return `ARRAY(
			SELECT coalesce(n.merged_into, l) FROM jsonb_array_elements_text(coalesce(e.data -> '` + which + `Labels', jsonb_build_array(e.data -> '` + which + `'))) l
			LEFT JOIN retired_nodes n ON n.team_id = @team AND n.key = l WHERE l IS NOT NULL)`
	}
	rows, err := many[row](ctx, q, `
		SELECT sentence_id, user_id, from_labels, to_labels, predicted, created_at FROM (
			SELECT e.id, e.resource_id AS sentence_id, e.actor_id AS user_id, `+labels("from")+` AS from_labels, `+labels("to")+` AS to_labels,
				e.data ->> 'source' = 'predicted' AS predicted, e.created_at
			FROM audit_events e JOIN sentences s ON s.id = e.resource_id JOIN files f ON f.id = s.file_id
			WHERE e.team_id = @team AND e.action = 'sentence.validated' AND f.document_type_id = @type AND f.team_id = @team`+in.sees("f")+`
				AND NOT EXISTS (
					SELECT FROM audit_events w
					WHERE w.team_id = @team AND w.resource_id = e.resource_id AND w.id > e.id AND w.action = 'sentence.withdrawn'
				)
			ORDER BY e.id DESC LIMIT @limit
		) latest ORDER BY id`, in.args(args{"type": documentTypeID, "limit": limit}))
	var list []TypeDecision
	parts := map[string][]*string{} // of sentences: their present labels
	for _, r := range rows {
		taken := map[int]bool{}
		for _, change := range changes(r.From, r.To) {
			i := slices.IndexFunc(parts[r.SentenceID], func(label *string) bool {
				return (label == nil) == (change[0] == nil) && (label == nil || *label == *change[0])
			})
			if i < 0 || taken[i] {
				i = len(parts[r.SentenceID])
				parts[r.SentenceID] = append(parts[r.SentenceID], nil)
			}
			parts[r.SentenceID][i], taken[i] = change[1], true
			list = append(list, TypeDecision{r.SentenceID + "/" + strconv.Itoa(i), r.UserID, change[0], change[1], r.Predicted, r.At})
		}
	}
	return list, err
}

// changes pairs labels with those that take their place: a label that stays with itself,
// and one that comes with one that goes, as long as there are any.
func changes(from, to []string) [][2]*string {
	var pairs [][2]*string
	var gone []string
	come := slices.Clone(to)
	for _, label := range from {
		if i := slices.Index(come, label); i >= 0 {
			come = slices.Delete(come, i, i+1)
			pairs = append(pairs, [2]*string{&label, &label})
		} else {
			gone = append(gone, label)
		}
	}
	for i := range max(len(gone), len(come)) {
		var pair [2]*string
		if i < len(gone) {
			pair[0] = &gone[i]
		}
		if i < len(come) {
			pair[1] = &come[i]
		}
		pairs = append(pairs, pair)
	}
	if len(pairs) == 0 {
		pairs = append(pairs, [2]*string{})
	}
	return pairs
}

// ReviewState is how far the review of a type's sentences has come.
type ReviewState struct {
	Label     *string  `db:"label"` // nil for no clause
	Predicted int      `db:"predicted"`
	Validated int      `db:"validated"`
	Score     *float64 `db:"score"` // mean of those predicted
}

// ReviewStates counts the sentences of a type's files by label.
func (q Queries) ReviewStates(ctx context.Context, in Scope, documentTypeID string) ([]ReviewState, error) {
	return many[ReviewState](ctx, q, `
		SELECT l.node AS label, count(*) FILTER (WHERE coalesce(l.source, s.source) = 'predicted') AS predicted,
			count(*) FILTER (WHERE coalesce(l.source, s.source) = 'validated') AS validated,
			avg(l.score) FILTER (WHERE l.source = 'predicted') AS score
		FROM sentences s JOIN files f ON f.id = s.file_id LEFT JOIN `+eachLabel+` ON true
		WHERE s.team_id = @team AND f.team_id = @team AND f.document_type_id = @type AND s.source IS NOT NULL`+in.sees("f")+`
		GROUP BY l.node ORDER BY l.node`, in.args(args{"type": documentTypeID}))
}

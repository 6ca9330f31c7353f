package db

import (
	"context"
	"time"

	"github.com/clausemill/clausemill/fault"
)

// Section is a part of a document that a number or a heading opens. Its label is
// that of most of its sentences, as they are labelled now.
type Section struct {
	ID            string   `db:"id"`
	Ordinal       int      `db:"ordinal"`
	Document      int      `db:"document"` // ordinal
	Parent        *int     `db:"parent"`   // ordinal
	Level         int      `db:"level"`    // from 1
	Number        string   `db:"number"`
	Path          string   `db:"path"`
	Title         string   `db:"title"`
	Start         int      `db:"start_at"`
	End           int      `db:"end_at"`
	FirstPage     int      `db:"first_page"`
	LastPage      int      `db:"last_page"`
	FirstSentence int      `db:"first_sentence"` // ordinal
	EndSentence   int      `db:"end_sentence"`   // ordinal of the first one behind it
	OwnEnd        int      `db:"own_end"`        // where its first subsection begins, or else where it ends; it is read only
	Label         *string  `db:"label"`
	Score         *float32 `db:"score"`
	ModelID       *string  `db:"model_id"` // nil where people gave the label
}

const sectionColumns = `id, ordinal, document, parent, level, number, path, title, start_at, end_at, first_page, last_page, first_sentence, end_sentence`

// Analysis is what was made of a file's text.
type Analysis struct {
	Generation int       `db:"generation"` // of the text
	Version    string    `db:"version"`    // of the rules
	ModelID    *string   `db:"model_id"`   // that labelled the sentences
	Counts     Counts    `db:"counts"`
	AnalyzedAt time.Time `db:"analyzed_at"`
}

// Counts is how much of each sort a text has.
type Counts struct {
	Words           int `json:"words"`
	Sentences       int `json:"sentences"`
	Sections        int `json:"sections"`
	DefinedTerms    int `json:"definedTerms"`
	CrossReferences int `json:"crossReferences"`

	Readability *float64 `json:"readability,omitempty"` // Flesch-Kincaid grade, of English texts
}

const analysisColumns = `generation, version, model_id, counts, analyzed_at`

// Meaning is an analysis with its results, ready to be stored.
type Meaning struct {
	Analysis
	Sections   []Section
	Attributes []Attribute
	Labels     []Prediction // none where there is no model, or where the sentences have them already
	Type       *TypeGuess   // nil where no model of types reads the language
	Compared   []Compared   // with texts of other files
	Digest     []byte       // of the pages, the text and this: see CompleteUnchanged; nil where the text was stored before
}

// Prediction is what a model says of a sentence.
type Prediction struct {
	SentenceID string
	Predicted
}

// SaveAnalysis replaces what was made of a file's text. It is Conflict where the
// text has become another one meanwhile.
func (t *Tx) SaveAnalysis(ctx context.Context, in Scope, fileID string, m Meaning) error {
	if err := t.sameText(ctx, in, fileID, m.Generation); err != nil {
		return err
	}
	a := args{
		"id": fileID, "team": in.TeamID, "generation": m.Generation, "version": m.Version, "model": m.ModelID,
		"counts": m.Counts, "digest": m.Digest,
	}
	if err := later(ctx, t.Queries, `DELETE FROM sections WHERE file_id = @id AND team_id = @team`, a); err != nil {
		return err
	}
	if err := t.saveAttributes(ctx, in, fileID, m.Attributes); err != nil {
		return err
	}
	if err := t.saveLabels(ctx, in, fileID, m.Labels); err != nil {
		return err
	}
	if err := t.saveCompared(ctx, in, fileID, m.Compared); err != nil {
		return err
	}
	if m.Type != nil {
		if err := t.saveType(ctx, in, fileID, *m.Type); err != nil {
			return err
		}
	}
	// Behind what counts the labels of the file on.
	if err := later(ctx, t.Queries, `
		INSERT INTO analyses (file_id, team_id, generation, version, model_id, counts, keeps_overruled, digest, label_generation)
		SELECT @id, @team, @generation, @version, @model, @counts, true, @digest, label_generation FROM files WHERE id = @id AND team_id IS NOT DISTINCT FROM @team
		ON CONFLICT (file_id) DO UPDATE SET generation = excluded.generation, version = excluded.version, model_id = excluded.model_id,
			counts = excluded.counts, keeps_overruled = true, digest = excluded.digest, label_generation = excluded.label_generation,
			analyzed_at = now()`, a); err != nil {
		return err
	}
	return copyRows(ctx, t.Queries, "sections", "file_id, team_id, "+sectionColumns, m.Sections, func(_ int, s Section) []any {
		return []any{
			fileID, in.TeamID, s.ID, s.Ordinal, s.Document, s.Parent, s.Level, s.Number, s.Path, s.Title,
			s.Start, s.End, s.FirstPage, s.LastPage, s.FirstSentence, s.EndSentence,
		}
	})
}

// saveLabels writes a model's predictions for the sentences of a file, which is held.
// Where users have set a label, the prediction is kept beside it. There is nothing to
// write if the sentences were stored with their predictions.
func (t *Tx) saveLabels(ctx context.Context, in Scope, fileID string, predictions []Prediction) error {
	if len(predictions) == 0 {
		return nil
	}
	said := make(map[string]Predicted, len(predictions))
	for _, p := range predictions {
		said[p.SentenceID] = p.Predicted
	}
	rows, err := t.labelledSentences(ctx, in, `s.file_id = @file`, args{"file": fileID})
	if err != nil {
		return err
	}
	var changed []labelled
	relabelled := false
	for _, row := range rows {
		p, ok := said[row.ID]
		before := row.Labelling
		if ok {
			row.Predict(p)
		}
		if before.equal(row.Labelling) {
			continue
		}
		changed = append(changed, row)
		after := row.Labelling
		before.Prediction, after.Prediction = nil, nil
		relabelled = relabelled || !before.equal(after)
	}
	if err := t.saveLabellings(ctx, changed); err != nil || !relabelled {
		return err
	}
	return t.LabelsChanged(ctx, in, []string{fileID})
}

// sameText holds a file until the transaction ends. It is Conflict where its
// text is of another generation.
func (t *Tx) sameText(ctx context.Context, in Scope, fileID string, generation int) error {
	if held, ok := t.texts[fileID]; ok && held == generation {
		return nil
	}
	f, err := t.FileForUpdate(ctx, in, fileID)
	if err == nil && f.Generation != generation {
		err = fault.New(fault.Conflict, "the text has changed meanwhile")
	}
	if err == nil {
		t.texts[fileID] = generation
	}
	return err
}

// Analysis returns which text was analysed, and by which model; NotFound before
// there is an analysis.
func (q Queries) Analysis(ctx context.Context, in Scope, fileID string) (Analysis, error) {
	return one[Analysis](ctx, q, `SELECT `+analysisColumns+` FROM analyses WHERE file_id = @id AND team_id = @team`,
		args{"id": fileID, "team": in.TeamID})
}

// SectionFilter narrows a list of sections; the zero filter is all of them.
type SectionFilter struct {
	Depth int // deepest level, 0 for any
	Label string
}

// sections reads sections with their labels, narrowed by a filter.
const sections = `
	FROM (
		SELECT *, least(end_at, lead(start_at) OVER (ORDER BY ordinal)) AS own_end FROM sections WHERE file_id = @id AND team_id = @team
	) c LEFT JOIN LATERAL (
		SELECT l.node AS label, max(l.score) AS score, CASE WHEN bool_and(l.source = 'predicted') THEN min(s.model_id::text) END AS model_id
		FROM sentences s CROSS JOIN ` + eachLabel + `
		WHERE s.file_id = @id AND s.ordinal >= c.first_sentence AND s.ordinal < c.end_sentence AND s.label IS NOT NULL
		GROUP BY l.node ORDER BY count(*) DESC, max(l.score) DESC NULLS LAST, l.node LIMIT 1
	) l ON true
	WHERE (@depth = 0 OR c.level <= @depth) AND (@label = '' OR l.label = @label)`

func (f SectionFilter) args(in Scope, fileID string) args {
	return args{"id": fileID, "team": in.TeamID, "depth": f.Depth, "label": f.Label}
}

// SectionTitle is a section with nothing but its name and place.
type SectionTitle struct {
	Number string `db:"number"`
	Title  string `db:"title"`
	Start  int    `db:"start_at"`
	End    int    `db:"end_at"`
}

// SectionTitles lists all sections of a file in order; those inside another follow it.
func (q Queries) SectionTitles(ctx context.Context, in Scope, fileID string) ([]SectionTitle, error) {
	return many[SectionTitle](ctx, q, `SELECT number, title, start_at, end_at FROM sections WHERE file_id = @id AND team_id = @team ORDER BY ordinal`,
		args{"id": fileID, "team": in.TeamID})
}

// Sections lists sections of a file in order, those with ordinals after `after`
// (-1 for the start), at most limit.
func (q Queries) Sections(ctx context.Context, in Scope, fileID string, filter SectionFilter, after, limit int) ([]Section, error) {
	a := filter.args(in, fileID)
	a["after"], a["limit"] = after, limit
	return many[Section](ctx, q, `SELECT `+sectionColumns+`, own_end, l.label, l.score, l.model_id`+sections+`
		AND c.ordinal > @after ORDER BY c.ordinal LIMIT @limit`, a)
}

// CountSections counts what Sections would list.
func (q Queries) CountSections(ctx context.Context, in Scope, fileID string, filter SectionFilter) (int, error) {
	return value[int](ctx, q, `SELECT count(*)`+sections, filter.args(in, fileID))
}

// LabelledSentences lists the sentences of a file that have a label, in order.
func (q Queries) LabelledSentences(ctx context.Context, in Scope, fileID string) ([]FiledSentence, error) {
	return many[FiledSentence](ctx, q, `
		SELECT `+filedColumns+` FROM `+filed+` WHERE s.file_id = @id AND s.team_id = @team AND s.label IS NOT NULL ORDER BY s.ordinal`,
		args{"id": fileID, "team": in.TeamID})
}

// LabelMeasure begins the key of a measure that counts the sentences with a
// label.
const LabelMeasure = "label:"

// Measure is a number of a file beside the same number of others.
type Measure struct {
	Key        string  `db:"key"` // a name of Counts, pages, ocrConfidence, or a label behind LabelMeasure
	Value      float64 `db:"value"`
	Mean       float64 `db:"mean"`
	Percentile float64 `db:"percentile"` // share of the files that have less, and of half of those that have as much
	Files      int     `db:"files"`      // compared, itself included
}

// Measures compares an analysed file with the newest others of the team, or of
// one document type, so that there are most files in all. A file without a label
// has none of its sentences; a file without another measure is left out of it.
func (q Queries) Measures(ctx context.Context, in Scope, fileID string, documentTypeID *string, most int) ([]Measure, error) {
	return many[Measure](ctx, q, `
		WITH corpus AS MATERIALIZED (
			SELECT f.id, f.page_count, a.counts FROM files f JOIN analyses a ON a.file_id = f.id WHERE f.id = @id AND f.team_id = @team
			UNION ALL (
				SELECT f.id, f.page_count, a.counts FROM files f JOIN analyses a ON a.file_id = f.id
				WHERE f.team_id = @team AND f.id <> @id AND (@type::uuid IS NULL OR f.document_type_id = @type)
				ORDER BY f.id DESC LIMIT @most - 1
			)
		), measures AS MATERIALIZED (
			SELECT c.id, m.key, m.value FROM corpus c CROSS JOIN LATERAL (
				SELECT key, value::float8 FROM jsonb_each_text(c.counts)
				UNION ALL SELECT 'pages', c.page_count
				UNION ALL SELECT 'ocrConfidence', avg(confidence) FROM pages WHERE file_id = c.id AND source = 'ocr' AND text <> '' HAVING count(*) > 0
				UNION ALL SELECT @label || label, sentences FROM file_nodes WHERE file_id = c.id
			) m
		), sums AS (
			SELECT m.key, coalesce(o.value, 0) AS value, sum(m.value) AS sum, count(*) AS present,
				count(*) FILTER (WHERE m.value < coalesce(o.value, 0)) AS less, count(*) FILTER (WHERE m.value = coalesce(o.value, 0)) AS equal,
				(SELECT count(*) FROM corpus) AS files, starts_with(m.key, @label) AS labelled
			FROM measures m LEFT JOIN measures o ON o.key = m.key AND o.id = @id
			WHERE o.key IS NOT NULL OR starts_with(m.key, @label)
			GROUP BY m.key, o.value
		)
		SELECT key, value, sum / of AS mean, files,
			(less + CASE WHEN value > 0 THEN without ELSE 0 END + 0.5 * (equal + CASE WHEN value > 0 THEN 0 ELSE without END))::float8 / of AS percentile
		FROM sums, LATERAL (SELECT CASE WHEN labelled THEN files ELSE present END AS of, CASE WHEN labelled THEN files - present ELSE 0 END AS without) n
		ORDER BY key`, args{"id": fileID, "team": in.TeamID, "type": documentTypeID, "most": most, "label": LabelMeasure})
}

// LabelsChanged records that labels in files changed, so that they are indexed again
// and the analyses of their types become stale. Call it in each transaction that
// changes labels.
func (t *Tx) LabelsChanged(ctx context.Context, in Scope, fileIDs []string) error {
	if len(fileIDs) == 0 {
		return nil
	}
	if err := t.renewNodes(ctx, in, fileIDs); err != nil {
		return err
	}
	return later(ctx, t.Queries, `UPDATE files SET label_generation = label_generation + 1 WHERE id = ANY(@ids) AND team_id IS NOT DISTINCT FROM @team`,
		args{"ids": fileIDs, "team": in.TeamID})
}

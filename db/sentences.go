package db

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/clausemill/clausemill/query"
)

// FiledSentence is a sentence with its file.
type FiledSentence struct {
	Sentence

	FileID         string  `db:"file_id"`
	FileName       string  `db:"file_name"`
	DocumentTypeID *string `db:"document_type_id"`
	SectionID      *string `db:"section_id"` // the innermost

	Clauses map[string]string `db:"-"` // ids by label, once AddClauses has set them
}

// filedColumns are those of FiledSentence, read from filed. Sections inside
// another one follow it.
var filedColumns = "s." + strings.ReplaceAll(sentenceColumns, ", ", ", s.") + `, s.file_id, f.name AS file_name, f.document_type_id, (
		SELECT c.id FROM sections c WHERE c.file_id = s.file_id AND c.first_sentence <= s.ordinal AND c.end_sentence > s.ordinal
		ORDER BY c.ordinal DESC LIMIT 1
	) AS section_id`

const filed = `sentences s JOIN files f ON f.id = s.file_id`

// SentenceFilter narrows a list of sentences; the zero filter is all of them.
type SentenceFilter struct {
	IDs            []string
	FileIDs        []string
	DocumentTypeID string
	Labels         []string // any of these
	Unlabelled     bool     // beside Labels, those that were found to be no clause
	Labelled       bool     // only those with a label
	Source         string   // predicted or validated
	Decided        bool     // only those on which people decided
	MinScore       float32
	MaxScore       float32      // 0 for any
	Wording        string       // of ReviewSentence
	Without        [][]byte     // hashes: none of files with these bytes
	Where          query.Filter // of query.Sentences, and checked
}

// tree is f as one condition, but for the wording.
func (f SentenceFilter) tree() query.Filter {
	labels := among(query.Label, f.Labels)
	if f.Unlabelled {
		unlabelled := query.And(query.Filter{Field: query.Label, Op: query.Missing}, query.Filter{Field: query.LabelSource, Op: query.Exists})
		if labels.IsZero() {
			labels = unlabelled
		} else {
			labels = query.Filter{Any: []query.Filter{labels, unlabelled}}
		}
	}
	var labelled query.Filter
	if f.Labelled {
		labelled = query.Filter{Field: query.Label, Op: query.Exists}
	}
	var pairs query.Filter
	if len(f.Labels) == 0 { // otherwise onePair asks for them
		pairs = f.pair()
	}
	return query.And(
		among(query.Sentence, f.IDs), among(query.File, f.FileIDs), same(query.DocumentType, f.DocumentTypeID), labels, labelled, pairs, f.Where)
}

// onePair is that one of the labels asked for, and no other one of a sentence, has the
// source and the score that are asked for.
func (f SentenceFilter) onePair(a args) (string, error) {
	if len(f.Labels) == 0 || f.Source == "" && f.MinScore == 0 && f.MaxScore == 0 {
		return "", nil
	}
	d := newDialect(a, query.Sentences)
	d.pairs = true
	labels := among(query.Label, f.Labels)
	if f.Unlabelled {
		labels = query.Filter{Any: []query.Filter{labels, {Field: query.Label, Op: query.Missing}}}
	}
	condition, err := query.And(labels, f.pair()).Render(d)
	return " AND EXISTS (SELECT FROM (SELECT) one LEFT JOIN " + eachLabel + " ON true WHERE " + condition + ")", err
}

// pair is what is asked of the source and the score of a label. A label that a person
// gave where no model had predicted it has no score, and is as sure as any.
func (f SentenceFilter) pair() query.Filter {
	least := score(query.AtLeast, f.MinScore)
	if !least.IsZero() {
		given := query.And(query.Filter{Field: query.Label, Op: query.Exists}, query.Filter{Field: query.LabelScore, Op: query.Missing})
		least = query.Filter{Any: []query.Filter{least, given}}
	}
	return query.And(same(query.LabelSource, f.Source), least, score(query.AtMost, f.MaxScore))
}

// score compares a sentence's score with one that is not 0.
func score(op query.Op, value float32) query.Filter {
	if value == 0 {
		return query.Filter{}
	}
	return query.Compare(query.LabelScore, op, strconv.FormatFloat(float64(value), 'g', -1, 32))
}

func (f SentenceFilter) where(in Scope, a args) (string, error) {
	condition, err := conditions(f.tree(), in.args(a), query.Sentences, query.Files)
	if err != nil {
		return "", err
	}
	pair, err := f.onePair(a)
	where := "s.team_id = @team AND f.team_id = @team" + in.sees("f") + also(condition) + pair
	if f.Decided {
		where += also(decidedOn)
	}
	if f.Wording != "" {
		a["wording"] = f.Wording
		where += also(undecided("s")) + " AND wording(s.text) = @wording::uuid"
	}
	if len(f.Without) > 0 {
		a["without"] = f.Without
		where += " AND f.sha256 <> ALL(@without::bytea[])"
	}
	return where, err
}

// Narrows reports whether the filter leaves any sentence out.
func (f SentenceFilter) Narrows() bool {
	return !f.tree().IsZero() || f.Decided || f.Wording != "" || len(f.Without) > 0
}

// onlyLabel is the label that all sentences that match have, "" where there is no one.
func (f SentenceFilter) onlyLabel() string {
	if len(f.Labels) != 1 || f.Unlabelled {
		return ""
	}
	return f.Labels[0]
}

// SentencePlace is where a page of a list begins. Which fields count depends on
// the order; the zero place is the start.
type SentencePlace struct {
	FileID  string
	Ordinal int
	Score   float32
	ID      string
}

// SentenceOrder is an order of a list of sentences.
type SentenceOrder string

// The orders. Those by score hold no sentence without one.
const (
	ByPlace  SentenceOrder = "place"  // the newest file first, and each from its start
	ByDoubt  SentenceOrder = "score"  // the lowest score first
	BySurety SentenceOrder = "-score" // the highest first
)

// FiledSentences lists sentences that match filter, after a place.
func (q Queries) FiledSentences(ctx context.Context, in Scope, filter SentenceFilter, order SentenceOrder, after SentencePlace, limit int) ([]FiledSentence, error) {
	a := args{
		"limit": limit, "after_file": nullable(after.FileID), "ordinal": after.Ordinal, "score": after.Score, "after": nullable(after.ID),
	}
	where, err := filter.where(in, a)
	if err != nil {
		return nil, err
	}
	from := filed
	switch order {
	case ByDoubt:
		where += ` AND s.score IS NOT NULL AND (@after::uuid IS NULL OR (s.score, s.id) > (@score::real, @after::uuid)) ORDER BY s.score, s.id`
	case BySurety:
		where += ` AND s.score IS NOT NULL AND (@after::uuid IS NULL OR (s.score, s.id) < (@score::real, @after::uuid)) ORDER BY s.score DESC, s.id DESC`
	case ByPlace:
		// Where one label is asked for, file_nodes knows its files in their order.
		file := "f.id"
		if label := filter.onlyLabel(); label != "" {
			a["node"] = label
			from, file = from+` JOIN file_nodes n ON n.team_id = @team AND n.label = @node AND n.file_id = f.id AND n.file_id = s.file_id`, "n.file_id"
		}
		where += ` AND (@after_file::uuid IS NULL OR s.file_id <= @after_file::uuid AND ` + file + ` <= @after_file::uuid AND (` + file + ` < @after_file::uuid OR s.ordinal > @ordinal))
			ORDER BY ` + file + ` DESC, s.ordinal`
	}
	return many[FiledSentence](ctx, q, `SELECT `+filedColumns+` FROM `+from+` WHERE `+where+` LIMIT @limit`, a)
}

// CountSentences counts what FiledSentences would list, as far as most.
func (q Queries) CountSentences(ctx context.Context, in Scope, filter SentenceFilter, most int) (int, error) {
	a := args{"most": most}
	label, rest := filter.onlyLabel(), filter
	if label != "" {
		rest.Labels = nil
	}
	switch a = in.args(a); {
	case rest.Narrows():
	case label != "":
		a["label"] = label
		return value[int](ctx, q, `SELECT least(coalesce(sum(sentences), 0), @most)::int FROM `+countedLabels(in)+` f WHERE label = @label`, a)
	default:
		return value[int](ctx, q, `SELECT least(coalesce(sum(firsts), 0), @most)::int FROM `+countedLabels(in)+` f`, a)
	}
	where, err := filter.where(in, a)
	if err != nil {
		return 0, err
	}
	return value[int](ctx, q, `SELECT count(*) FROM (SELECT FROM `+filed+` WHERE `+where+` LIMIT @most) counted`, a)
}

// SentenceIDs lists the ids that match filter, at most limit.
func (q Queries) SentenceIDs(ctx context.Context, in Scope, filter SentenceFilter, limit int) ([]string, error) {
	a := args{"limit": limit}
	where, err := filter.where(in, a)
	if err != nil {
		return nil, err
	}
	return values[string](ctx, q, `SELECT s.id::text FROM `+filed+` WHERE `+where+` ORDER BY s.id LIMIT @limit`, a)
}

// FiledSentence is one sentence.
func (q Queries) FiledSentence(ctx context.Context, in Scope, id string) (FiledSentence, error) {
	return one[FiledSentence](ctx, q, `SELECT `+filedColumns+` FROM `+filed+` WHERE s.id = @id AND s.team_id = @team`+in.sees("f"),
		in.args(args{"id": id}))
}

// Neighbors lists the sentences of s's file within window sentences of it, in order
// and without s.
func (q Queries) Neighbors(ctx context.Context, in Scope, s FiledSentence, window int) ([]FiledSentence, error) {
	return many[FiledSentence](ctx, q, `
		SELECT `+filedColumns+` FROM `+filed+`
		WHERE s.file_id = @file AND s.team_id = @team AND s.ordinal BETWEEN @at::int - @window::int AND @at::int + @window::int AND s.ordinal <> @at`+in.sees("f")+`
		ORDER BY s.ordinal`, in.args(args{"file": s.FileID, "at": s.Ordinal, "window": window}))
}

// undecided is the condition of the indexes for review: found to be no clause,
// and not by a person.
func undecided(table string) string {
	return table + ".label IS NULL AND " + table + ".source = 'predicted'"
}

// ReviewSentence is a sentence that may be a clause after all. It represents all
// sentences with the same wording.
type ReviewSentence struct {
	FiledSentence

	Wording string `db:"wording"` // what those with its words have in common
	Copies  int    `db:"copies"`  // itself included
}

// ReviewSentences lists sentences that were found to be no clause, the most
// doubtful first and each wording once, from after a place on. A document type
// narrows them to its files.
func (q Queries) ReviewSentences(ctx context.Context, in Scope, documentTypeID string, after SentencePlace, limit int) ([]ReviewSentence, error) {
	ofType := ""
	if documentTypeID != "" {
		ofType = ` AND EXISTS (SELECT FROM files x WHERE x.id = d.file_id AND x.document_type_id = @type)`
	}
	seen := in.seesFile("d.file_id")
	same := `FROM sentences d WHERE d.team_id = @team AND ` + undecided("d") + ` AND wording(d.text) = wording(s.text)` + ofType + seen
	return many[ReviewSentence](ctx, q, `
		SELECT r.*, (SELECT count(*) FROM sentences d WHERE d.team_id = @team AND `+undecided("d")+` AND wording(d.text) = r.wording`+ofType+seen+`) AS copies
		FROM (
			SELECT `+filedColumns+`, wording(s.text) AS wording FROM `+filed+`
			WHERE s.team_id = @team AND `+undecided("s")+` AND s.score IS NOT NULL`+in.sees("f")+`
				AND (@type::uuid IS NULL OR f.document_type_id = @type)
				AND (@after::uuid IS NULL OR (s.score, s.id) < (@score::real, @after::uuid))
				AND NOT EXISTS (SELECT `+same+` AND (d.score, d.id) > (s.score, s.id))
			ORDER BY s.score DESC, s.id DESC LIMIT @limit
		) r
		ORDER BY r.score DESC, r.id DESC`,
		in.args(args{"type": nullable(documentTypeID), "score": after.Score, "after": nullable(after.ID), "limit": limit}))
}

// SentenceError is why nothing could be decided about a sentence.
type SentenceError struct {
	ID    string
	Error string
}

// DecideSentences records a decision about all of ids, or about none: then it returns
// an error for each that failed. It returns the ids of those whose decisions are others
// than before. The audit has the decision with the old labels.
func (t *Tx) DecideSentences(ctx context.Context, in Scope, ids []string, d Decision) (decided []string, wrong []SentenceError, err error) {
	files, err := t.holdFilesOf(ctx, in, ids)
	if err != nil {
		return nil, nil, err
	}
	if wrong, err := t.undecidable(ctx, in, ids, d); wrong != nil || err != nil {
		return nil, wrong, err
	}
	at, err := value[time.Time](ctx, t.Queries, `SELECT now()`, nil)
	if err != nil {
		return nil, nil, err
	}
	rows, err := t.labelledSentences(ctx, in, `s.id = ANY(@ids)`, args{"ids": ids})
	if err != nil {
		return nil, nil, err
	}
	var changed []labelled
	var events []sentenceEvent
	for _, row := range rows {
		before := row.Labelling
		from, to := row.decide(d, nullable(in.UserID()), at.UTC())
		if from == nil && to == nil {
			continue
		}
		data := map[string]any{"from": firstOf(from), "to": firstOf(to), "source": before.Source, "score": before.Score, "modelId": before.ModelID}
		if len(from) > 1 || len(to) > 1 {
			data["fromLabels"], data["toLabels"] = from, to
		}
		changed, events = append(changed, row), append(events, sentenceEvent{row.ID, row.FileID, data})
	}
	if len(changed) == 0 {
		return nil, nil, nil
	}
	if err := t.saveLabellings(ctx, changed); err != nil {
		return nil, nil, err
	}
	if err := t.auditSentences(ctx, in, "sentence.validated", events); err != nil {
		return nil, nil, err
	}
	if err := t.LabelsChanged(ctx, in, files); err != nil {
		return nil, nil, err
	}
	return idsOf(changed), nil, t.emit(ctx, in.TeamID, "sentences.validated", in.TeamID, SentencesData{len(changed), len(files)})
}

// undecidable lists which of ids cannot be labelled, and why.
func (t *Tx) undecidable(ctx context.Context, in Scope, ids []string, d Decision) ([]SentenceError, error) {
	type row struct {
		ID     string  `db:"id"`
		Source *string `db:"source"`
	}
	rows, err := many[row](ctx, t.Queries, `SELECT id, source FROM sentences WHERE id = ANY(@ids) AND team_id = @team`+in.seesFile("file_id"),
		in.args(args{"ids": ids}))
	if err != nil {
		return nil, err
	}
	source := make(map[string]*string, len(rows))
	for _, r := range rows {
		source[r.ID] = r.Source
	}
	var wrong []SentenceError
	for _, id := range ids {
		predicted, found := source[id]
		switch {
		case !found:
			wrong = append(wrong, SentenceError{id, "not found"})
		case d.Confirm && predicted == nil:
			wrong = append(wrong, SentenceError{id, "has no prediction to confirm"})
		}
	}
	return wrong, nil
}

// SentenceText is a sentence for comparing it.
type SentenceText struct {
	ID     [16]byte `db:"id"` // of the sentence; a corpus has many
	FileID string   `db:"file_id"`
	Text   string   `db:"text"`
}

// SentenceTexts lists the texts of sentences that match filter, grouped by file and
// otherwise unordered.
func (q Queries) SentenceTexts(ctx context.Context, in Scope, filter SentenceFilter) ([]SentenceText, error) {
	a := args{}
	where, err := filter.where(in, a)
	if err != nil {
		return nil, err
	}
	return many[SentenceText](ctx, q, `SELECT s.id, s.file_id, s.text FROM `+filed+` WHERE `+where+` ORDER BY s.file_id`, a)
}

// TextState identifies the text that a file has.
type TextState struct {
	TextFile

	ProgressAt time.Time `db:"progress_at"`
}

// TextStates lists the files with text that have changed since a time.
func (q Queries) TextStates(ctx context.Context, in Scope, since time.Time) ([]TextState, error) {
	return many[TextState](ctx, q, `
		SELECT id, generation, progress_at FROM files WHERE team_id = @team AND text_ready AND progress_at >= @since`+in.sees("files"),
		in.args(args{"since": since}))
}

// CountTextFiles counts the files with text.
func (q Queries) CountTextFiles(ctx context.Context, in Scope) (int, error) {
	return value[int](ctx, q, `SELECT count(*) FROM files WHERE team_id = @team AND text_ready`+in.sees("files"), in.args(args{}))
}

// LabelledText is a text with its label.
type LabelledText struct {
	Label string `db:"label"`
	ID    string `db:"id"`
	Text  string `db:"text"`
}

// Examples lists for each label at most so many sentences that have it, those
// that people decided on first and then the newest.
func (q Queries) Examples(ctx context.Context, in Scope, labels []string, each int) ([]LabelledText, error) {
	return many[LabelledText](ctx, q, `
		SELECT l.label, s.id, s.text FROM unnest(@labels::text[]) WITH ORDINALITY l (label, at)
		CROSS JOIN LATERAL (
			SELECT DISTINCT ON (source, id) id, text, source FROM (
				(SELECT id, text, source FROM sentences
				WHERE team_id = @team AND label = l.label`+in.seesFile("file_id")+` ORDER BY source DESC, id DESC LIMIT @each)
				UNION ALL
				(SELECT id, text, source FROM sentences
				WHERE team_id = @team AND labels IS NOT NULL AND label_nodes(labels) && ARRAY[l.label]`+in.seesFile("file_id")+` ORDER BY source DESC, id DESC LIMIT @each)
			) e ORDER BY source DESC, id DESC LIMIT @each
		) s ORDER BY l.at`, in.args(args{"labels": labels, "each": each}))
}

// LabelCount is how often a label is given.
type LabelCount struct {
	Label     string `db:"label"`
	Sentences int    `db:"sentences"`
	Validated int    `db:"validated"` // of them, by people
}

// LabelCounts counts the labels of a team's sentences, or of those in files of
// one document type.
func (q Queries) LabelCounts(ctx context.Context, in Scope, documentTypeID string) ([]LabelCount, error) {
	ofType := ""
	if documentTypeID != "" {
		ofType = ` AND file_id IN (SELECT id FROM files WHERE team_id = @team AND document_type_id = @type)`
	}
	return many[LabelCount](ctx, q, `
		SELECT label, sum(sentences) AS sentences, sum(validated) AS validated
		FROM file_nodes WHERE team_id = @team`+ofType+in.seesFile("file_id")+`
		GROUP BY label ORDER BY label`, in.args(args{"type": nullable(documentTypeID)}))
}

// NeedDocumentType is NotFound unless the team has the document type.
func (q Queries) NeedDocumentType(ctx context.Context, in Scope, id string) error {
	_, err := value[bool](ctx, q, `SELECT true FROM document_types WHERE id = @id AND team_id = @team`, args{"id": id, "team": in.TeamID})
	return err
}

package db

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/layout"
)

// Page is one page of a file as it was read.
type Page struct {
	Number     int        `db:"number"`
	Width      float32    `db:"width"`
	Height     float32    `db:"height"`
	Source     string     `db:"source"` // text_layer or ocr
	Reason     string     `db:"reason"`
	Pending    bool       `db:"pending"`
	Confidence float32    `db:"confidence"`
	Text       string     `db:"text"`
	Words      []byte     `db:"words"` // see Layout; of a pending page those over its content, in LayerText
	LayerText  *string    `db:"layer_text"`
	ErrorCode  *string    `db:"error_code"`
	Paragraphs []byte     `db:"paragraphs"` // what the format declares, as JSON; nil for nothing
	Fields     []Field    `db:"fields"`     // counted from the start of Text
	Emphasis   []Emphasis `db:"emphasis"`   // likewise
}

// Layout is what was read on the page, with its words decoded where they were
// asked for. Of a page that waits to be recognised nothing was.
func (p Page) Layout() (layout.Page, error) {
	if p.Pending {
		p.Words = nil
	}
	words, err := layout.DecodeWords(p.Words)
	return layout.Page{Number: p.Number, Width: p.Width, Height: p.Height, Text: p.Text, Words: words, Confidence: p.Confidence}, err
}

const pageColumns = `number, width, height, source, reason, pending, confidence, text, words, layer_text, error_code, paragraphs, fields, emphasis`

// ReplacePages is AddPages in place of all pages that a file has.
func (t *Tx) ReplacePages(ctx context.Context, in Scope, fileID string, total int, pages []Page) error {
	if err := t.ExchangePages(ctx, in, fileID, pages); err != nil {
		return err
	}
	return t.countPages(ctx, in, fileID, total, true)
}

// ExchangePages is ReplacePages without the counts, for pages whose text is saved along with
// them: see Text.Pages.
func (t *Tx) ExchangePages(ctx context.Context, in Scope, fileID string, pages []Page) error {
	if err := t.clearPages(ctx, in, fileID); err != nil {
		return err
	}
	return t.copyPages(ctx, in, fileID, pages)
}

// clearPages forgets the pages of a file. Call countPages when others have taken their place.
func (t *Tx) clearPages(ctx context.Context, in Scope, fileID string) error {
	return later(ctx, t.Queries, `DELETE FROM pages WHERE file_id = @id AND team_id IS NOT DISTINCT FROM @team`, args{"id": fileID, "team": in.TeamID})
}

// AddPages writes pages that were extracted and counts those that need no
// recognition as done. total is the number of pages of the file. After the last pages
// of a transaction call EnterStage or CompleteAttempt.
func (t *Tx) AddPages(ctx context.Context, in Scope, fileID string, total int, pages []Page) error {
	if err := t.copyPages(ctx, in, fileID, pages); err != nil {
		return err
	}
	return t.countPages(ctx, in, fileID, total, false)
}

func (t *Tx) copyPages(ctx context.Context, in Scope, fileID string, pages []Page) error {
	return copyRows(ctx, t.Queries, "pages", "file_id, team_id, "+pageColumns, pages, func(_ int, p Page) []any {
		return []any{fileID, in.TeamID, p.Number, p.Width, p.Height, p.Source, p.Reason, p.Pending, p.Confidence, p.Text, p.Words, p.LayerText, p.ErrorCode, p.Paragraphs, p.Fields, p.Emphasis}
	})
}

// countPages brings a file's page counts in line with its pages. Pages that are new are ahead
// of the text that is there.
func (t *Tx) countPages(ctx context.Context, in Scope, fileID string, total int, fresh bool) error {
	return change(ctx, t.Queries, `
		UPDATE files SET page_count = @total, pages_done = p.done, pages_ocr = p.ocr, progress_at = now(),
			pages_ahead = pages_ahead OR @fresh AND text_ready
		FROM (
			SELECT count(*) FILTER (WHERE NOT pending) AS done, count(*) FILTER (WHERE source = 'ocr') AS ocr
			FROM pages WHERE file_id = @id
		) p
		WHERE id = @id AND team_id = @team`, args{"id": fileID, "team": in.TeamID, "total": total, "fresh": fresh})
}

// CopyPages gives a file the pages of another one with the same bytes in place
// of its own, and returns how many there were. It copies nothing where the
// other's reading is not complete, or of other bytes by now.
func (t *Tx) CopyPages(ctx context.Context, in Scope, fromID, toID string) (int, error) {
	if err := t.clearPages(ctx, in, toID); err != nil {
		return 0, err
	}
	n, err := exec(ctx, t.Queries, `
		INSERT INTO pages (file_id, team_id, `+pageColumns+`)
		SELECT @to, team_id, `+pageColumns+` FROM pages
		WHERE file_id = @from AND team_id = @team
			AND NOT EXISTS (SELECT FROM pages WHERE file_id = @from AND (pending OR error_code IS NOT NULL))
			AND EXISTS (
				SELECT FROM files f JOIN files t ON t.id = @to AND t.team_id = f.team_id AND t.sha256 = f.sha256
				WHERE f.id = @from AND f.text_ready AND f.text_version = f.current_version
					AND NOT (f.status = 'processing' AND f.stage IN ('received', 'extract', 'recognize')))`,
		args{"from": fromID, "to": toID, "team": in.TeamID})
	if err != nil || n == 0 {
		return 0, err
	}
	return int(n), t.countPages(ctx, in, toID, int(n), true)
}

// PendingPage is a page that waits to be recognised.
type PendingPage struct {
	Number   int    `db:"number"`
	Reason   string `db:"reason"`   // why its text layer was not used
	Overlaid bool   `db:"overlaid"` // fields are filled in, or something is drawn over it
}

// PendingPages lists the pages that wait to be recognised.
func (q Queries) PendingPages(ctx context.Context, in Scope, fileID string) ([]PendingPage, error) {
	return many[PendingPage](ctx, q, `
		SELECT number, reason, words IS NOT NULL AS overlaid FROM pages WHERE file_id = @id AND team_id = @team AND pending ORDER BY number`,
		args{"id": fileID, "team": in.TeamID})
}

// SaveRecognized writes one recognised page; one with an error code gets the
// text layer that was passed over with its fields and emphasis, where there is one. A source and reason, if set,
// take the place of those of the page. A page that is no longer pending is left as it
// is: somebody else was faster.
func (t *Tx) SaveRecognized(ctx context.Context, in Scope, fileID string, p Page) error {
	n, err := exec(ctx, t.Queries, `
		UPDATE pages SET pending = false, confidence = @confidence, words = @words, error_code = @code,
			source = coalesce(nullif(@source, ''), source), reason = coalesce(nullif(@reason, ''), reason),
			text = CASE WHEN @code::text IS NULL THEN @text ELSE coalesce(layer_text, '') END,
			fields = CASE WHEN @code::text IS NULL THEN @fields::jsonb ELSE fields END,
			emphasis = CASE WHEN @code::text IS NULL THEN @emphasis::jsonb ELSE emphasis END,
			width = CASE WHEN @width::real > 0 THEN @width ELSE width END, height = CASE WHEN @height::real > 0 THEN @height ELSE height END
		WHERE file_id = @id AND team_id = @team AND number = @number AND pending`, args{
		"id": fileID, "team": in.TeamID, "number": p.Number, "confidence": p.Confidence, "text": p.Text, "words": p.Words, "fields": p.Fields, "emphasis": p.Emphasis,
		"code": p.ErrorCode, "width": p.Width, "height": p.Height, "source": p.Source, "reason": p.Reason,
	})
	if err != nil || n == 0 {
		return err
	}
	f, err := one[File](ctx, t.Queries, `
		UPDATE files SET pages_done = pages_done + 1, pages_ocr = pages_ocr - (@source = 'text_layer')::int, progress_at = now()
		WHERE id = @id AND team_id = @team
		RETURNING `+fileColumns, args{"id": fileID, "team": in.TeamID, "source": p.Source})
	if err != nil {
		return err
	}
	return t.fileEvent(ctx, f)
}

// Pages lists the pages of a file in order, without their words.
func (q Queries) Pages(ctx context.Context, in Scope, fileID string) ([]Page, error) {
	return many[Page](ctx, q, `
		SELECT number, width, height, source, reason, pending, confidence, text, NULL::bytea AS words, layer_text, error_code, paragraphs, fields, emphasis
		FROM pages WHERE file_id = @id AND team_id = @team ORDER BY number`, args{"id": fileID, "team": in.TeamID})
}

// PageTexts lists the texts of a file's pages, in order.
func (q Queries) PageTexts(ctx context.Context, in Scope, fileID string) ([]string, error) {
	return values[string](ctx, q, `SELECT text FROM pages WHERE file_id = @id AND team_id = @team ORDER BY number`,
		args{"id": fileID, "team": in.TeamID})
}

// A PageStructure is the text of a page with what its format declares.
type PageStructure struct {
	Text       string     `db:"text"`
	Paragraphs []byte     `db:"paragraphs"` // JSON; nil for nothing
	Fields     []Field    `db:"fields"`
	Emphasis   []Emphasis `db:"emphasis"`
}

// PageStructures lists the texts of a file's pages with what is declared of them, in
// order.
func (q Queries) PageStructures(ctx context.Context, in Scope, fileID string) ([]PageStructure, error) {
	return many[PageStructure](ctx, q, `SELECT text, paragraphs, fields, emphasis FROM pages WHERE file_id = @id AND team_id = @team ORDER BY number`,
		args{"id": fileID, "team": in.TeamID})
}

// PagesWithWords is Pages from one number to another, with words and boxes.
func (q Queries) PagesWithWords(ctx context.Context, in Scope, fileID string, from, to int) ([]Page, error) {
	return many[Page](ctx, q, `
		SELECT `+pageColumns+` FROM pages
		WHERE file_id = @id AND team_id = @team AND number BETWEEN @from AND @to ORDER BY number`,
		args{"id": fileID, "team": in.TeamID, "from": from, "to": to})
}

// HasOCRText returns for each id whether the file has recognised text.
func (q Queries) HasOCRText(ctx context.Context, in Scope, ids []string) (map[string]bool, error) {
	if len(ids) == 0 {
		return map[string]bool{}, nil
	}
	type row struct {
		ID  string `db:"id"`
		OCR bool   `db:"ocr"`
	}
	rows, err := many[row](ctx, q.prepared(), `
		SELECT f.id, EXISTS (SELECT FROM pages p WHERE p.file_id = f.id AND p.source = 'ocr' AND p.text <> '') AS ocr
		FROM files f WHERE f.id = ANY(`+opaque("ids", "uuid[]")+`::uuid[]) AND f.team_id IS NOT DISTINCT FROM @team`, args{"ids": ids, "team": in.TeamID})
	found := make(map[string]bool, len(rows))
	for _, r := range rows {
		found[r.ID] = r.OCR
	}
	return found, err
}

// Document is one logical document inside a file.
type Document struct {
	ID        string `db:"id"`
	Ordinal   int    `db:"ordinal"`
	Kind      string `db:"kind"`
	Title     string `db:"title"`
	Start     int    `db:"start_at"`
	End       int    `db:"end_at"`
	FirstPage int    `db:"first_page"`
	LastPage  int    `db:"last_page"`
}

const documentColumns = `id, ordinal, kind, title, start_at, end_at, first_page, last_page`

// Block is a heading, paragraph, list item, table or signature block.
type Block struct {
	Ordinal    int          `db:"ordinal"`
	DocumentID string       `db:"document_id"`
	Kind       string       `db:"kind"`
	Number     string       `db:"number"`
	Level      int          `db:"level"`
	Text       string       `db:"text"`
	Start      int          `db:"start_at"`
	End        int          `db:"end_at"`
	Page       int          `db:"page"`
	Origin     string       `db:"origin"` // "" for the content
	Cells      [][]Cell     `db:"cells"`  // of a table by rows, where they are known
	Fields     []Field      `db:"fields"`
	Emphasis   []Emphasis   `db:"emphasis"`
	Furniture  []Stretch    `db:"furniture"` // running headers and footers, where it goes over a page break
	Labels     []BlockLabel `db:"labels"`    // of its sentences, the likeliest first
}

// Field is what was filled into a form.
type Field struct {
	Start int        `json:"start"`
	End   int        `json:"end"`
	Name  string     `json:"name,omitempty"` // as the form calls it
	Box   layout.Box `json:"box,omitzero"`   // of the field, of formats with geometry
	Kind  string     `json:"kind,omitempty"` // choice, list, checkbox, radio, date, signature; "" for text

	Chosen []string `json:"chosen,omitempty"` // of what the form offers, as it calls it
}

// Stretch is a part of the text of a file.
type Stretch struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// Emphasis is a range that is set in bold or italic type or underlined.
type Emphasis struct {
	Start     int  `json:"start"`
	End       int  `json:"end"`
	Bold      bool `json:"bold,omitempty"`
	Italic    bool `json:"italic,omitempty"`
	Underline bool `json:"underline,omitempty"`
}

// CellTexts are the texts of the cells, by rows.
func (b Block) CellTexts() [][]string {
	text := []rune(b.Text)
	all := make([][]string, len(b.Cells))
	for i, row := range b.Cells {
		for _, c := range row {
			all[i] = append(all[i], string(text[c.Start-b.Start:c.End-b.Start]))
		}
	}
	return all
}

// FieldTexts are what the fields hold, and on which pages they begin.
func (b Block) FieldTexts() (values []string, pages []int) {
	text := []rune(b.Text)
	for _, f := range b.Fields {
		values = append(values, string(text[f.Start-b.Start:f.End-b.Start]))
		pages = append(pages, b.Page+strings.Count(string(text[:f.Start-b.Start]), "\f"))
	}
	return values, pages
}

// Cell is a cell of a table.
type Cell struct {
	Column int    `json:"column"` // from 1; empty cells count
	Start  int    `json:"start"`
	End    int    `json:"end"`
	Number string `json:"number,omitempty"` // shown before it and no part of the text
}

// BlockLabel is a label that sentences of a block have.
type BlockLabel struct {
	Label     string   `json:"label"`
	Score     *float32 `json:"score"`     // of the likeliest sentence
	Validated bool     `json:"validated"` // by people, one of them at least
}

const blockColumns = `ordinal, document_id, kind, number, level, text, start_at, end_at, page, origin, cells, fields, emphasis, furniture`

// Sentence is what is labelled, searched and compared.
type Sentence struct {
	ID      string `db:"id"`
	Ordinal int    `db:"ordinal"`
	Block   int    `db:"block"`
	Page    int    `db:"page"`
	Start   int    `db:"start_at"`
	End     int    `db:"end_at"`
	Text    string `db:"text"`

	Labelling
}

const sentenceColumns = `id, ordinal, block, page, start_at, end_at, text, ` + labellingColumns

// Token is a stem of a file with its commonest form.
type Token struct {
	Token string `json:"token"`
	Stem  string `json:"stem"`
	Count int    `json:"count"`
}

// Text is a file's segmented text, ready to be stored.
type Text struct {
	SegmenterVersion int
	Language         string
	Documents        []Document
	Blocks           []Block
	Sentences        []Sentence
	Tokens           []Token
	TokenTotal       int
	Words            []string // distinct words in lower case, for correcting typing errors
	Orphaned         []Sentence
	Pages            *PageCounts // nil where those of the file hold
}

// PageCounts is how many pages a file has, how many of them were read, and of those recognised.
type PageCounts struct{ All, Done, Recognised int }

// DecidedSentences lists the sentences of a file that people have decided on, be it on one
// of several labels.
func (q Queries) DecidedSentences(ctx context.Context, in Scope, fileID string) ([]Sentence, error) {
	return many[Sentence](ctx, q, `
		SELECT `+sentenceColumns+` FROM sentences s WHERE file_id = @id AND team_id IS NOT DISTINCT FROM @team AND `+decidedOn+` ORDER BY ordinal`,
		args{"id": fileID, "team": in.TeamID})
}

// SaveText replaces a file's segmented text, and with it what search finds. The
// text of another version than the current one is kept with that.
func (t *Tx) SaveText(ctx context.Context, in Scope, fileID string, text Text) (File, error) {
	if err := t.keepReading(ctx, in, fileID); err != nil {
		return File{}, err
	}
	a := args{"id": fileID, "team": in.TeamID, "language": text.Language, "version": text.SegmenterVersion, "pages": nil, "done": nil, "recognised": nil}
	if p := text.Pages; p != nil {
		a["pages"], a["done"], a["recognised"] = p.All, p.Done, p.Recognised
	}
	file, err := one[File](ctx, t.Queries, `
		UPDATE files SET text_ready = true, pages_ahead = false, text_version = current_version, generation = generation + 1, language = @language, segmenter_version = @version,
			page_count = coalesce(@pages, page_count), pages_done = coalesce(@done, pages_done), pages_ocr = coalesce(@recognised, pages_ocr),
			progress_at = now(), updated_at = now()
		WHERE id = @id AND team_id = @team
		RETURNING `+fileColumns, a)
	if err != nil {
		return File{}, err
	}
	t.texts[fileID] = file.Generation
	if file.Generation > 1 {
		if err := t.forgetText(ctx, in, fileID); err != nil {
			return File{}, err
		}
	}
	if err := copyRows(ctx, t.Queries, "documents", "file_id, team_id, "+documentColumns, text.Documents, func(_ int, d Document) []any {
		return []any{fileID, in.TeamID, d.ID, d.Ordinal, d.Kind, d.Title, d.Start, d.End, d.FirstPage, d.LastPage}
	}); err != nil {
		return File{}, err
	}
	if err := copyRows(ctx, t.Queries, "blocks", "file_id, team_id, "+blockColumns, text.Blocks, func(_ int, b Block) []any {
		return []any{fileID, in.TeamID, b.Ordinal, b.DocumentID, b.Kind, b.Number, b.Level, b.Text, b.Start, b.End, b.Page, b.Origin, b.Cells, b.Fields, b.Emphasis, b.Furniture}
	}); err != nil {
		return File{}, err
	}
	if err := copyRows(ctx, t.Queries, "sentences", "file_id, team_id, language, "+sentenceColumns, text.Sentences, func(_ int, s Sentence) []any {
		return append([]any{fileID, in.TeamID, text.Language, s.ID, s.Ordinal, s.Block, s.Page, s.Start, s.End, s.Text}, s.values()...)
	}); err != nil {
		return File{}, err
	}
	if len(text.Orphaned) > 0 {
		if err := copyRows(ctx, t.Queries, "orphaned_decisions", "id, file_id, team_id, version, text, label, refused, validated_by, validated_at", orphaned(text.Orphaned), func(_ int, d OrphanedDecision) []any {
			return []any{NewID(), fileID, in.TeamID, file.CurrentVersion, d.Text, d.Label, d.Refused, d.ValidatedBy, d.ValidatedAt}
		}); err != nil {
			return File{}, err
		}
	}
	if err := t.saveTokens(ctx, in, fileID, text); err != nil {
		return File{}, err
	}
	return file, t.renewNodes(ctx, in, []string{fileID})
}

// forgetText removes a file's segmented text and what was made of it, in one statement. The
// analysis of the old text refers to positions in it, and its words leave the vocabulary.
func (t *Tx) forgetText(ctx context.Context, in Scope, fileID string) error {
	return later(ctx, t.Queries, `
		WITH sentences_gone AS (DELETE FROM sentences WHERE file_id = @id AND team_id = @team),
			documents_gone AS (DELETE FROM documents WHERE file_id = @id AND team_id = @team), -- and their blocks
			analyses_gone AS (DELETE FROM analyses WHERE file_id = @id AND team_id = @team),
			sections_gone AS (DELETE FROM sections WHERE file_id = @id AND team_id = @team),`+forgetAttributes+`,
			likeness_gone AS (`+forgetLikeness+`)
		`+forgetWords, args{"id": fileID, "team": in.TeamID})
}

func (t *Tx) saveTokens(ctx context.Context, in Scope, fileID string, text Text) error {
	tokens := text.Tokens
	if tokens == nil {
		tokens = []Token{}
	}
	// Only words beyond ASCII can have accents. To take them off each word would be a
	// twentieth of what Postgres does for a file.
	plain, accented := []string{}, []string{}
	for _, word := range text.Words {
		if strings.ContainsFunc(word, func(r rune) bool { return r >= utf8.RuneSelf }) {
			accented = append(accented, word)
		} else {
			plain = append(plain, word)
		}
	}
	stems := make([]string, len(tokens))
	for i, token := range tokens {
		stems[i] = token.Stem
	}
	a := args{"id": fileID, "team": in.TeamID, "total": text.TokenTotal, "tokens": tokens, "plain": plain, "accented": accented, "stems": stems}
	return later(ctx, t.Queries, `
		WITH told AS (
			SELECT @plain::text[] || ARRAY(SELECT unaccented(w) FROM unnest(@accented::text[]) w EXCEPT SELECT unnest(@plain::text[])) AS words
		), saved AS (
			INSERT INTO file_tokens (file_id, team_id, total, tokens, words, counted)
			SELECT @id, @team, @total, @tokens, words, (SELECT `+seenBeside("f", "NULL")+` FROM files f WHERE f.id = @id) FROM told
			ON CONFLICT (file_id) DO UPDATE SET total = excluded.total, tokens = excluded.tokens, words = excluded.words, counted = excluded.counted
			RETURNING words, counted
		)
		INSERT INTO vocabulary_changes (team_id, words, stems, files) SELECT @team, words, @stems, 1 FROM saved WHERE counted`, a)
}

// forgetWords takes a file's words back from the vocabulary.
const forgetWords = `
	INSERT INTO vocabulary_changes (team_id, words, stems, files)
	SELECT team_id, words, ARRAY(SELECT e ->> 'stem' FROM jsonb_array_elements(tokens) e), -1
	FROM file_tokens WHERE file_id = @id AND team_id = @team AND counted`

// FoldVocabulary brings a team's vocabulary up to date with the changes that
// were appended. One caller at a time folds; another waits, and folds what that
// one came too early for.
func (d *DB) FoldVocabulary(ctx context.Context, teamID string) error {
	return d.InTx(ctx, func(t *Tx) error {
		if _, err := exec(ctx, t.Queries, `SELECT pg_advisory_xact_lock(hashtextextended('vocabulary:' || @team, 0))`, args{"team": teamID}); err != nil {
			return err
		}
		_, err := exec(ctx, t.forValues(), `
			WITH changes AS (
				DELETE FROM vocabulary_changes WHERE team_id = @team RETURNING words, stems, files
			), word_sums AS (
				SELECT word, sum(files) AS files FROM changes, unnest(words) word GROUP BY word HAVING sum(files) <> 0
			), stem_sums AS (
				SELECT stem, sum(files) AS files FROM changes, unnest(stems) stem GROUP BY stem HAVING sum(files) <> 0
			), known AS (
				INSERT INTO words SELECT word FROM word_sums WHERE files > 0 ORDER BY word ON CONFLICT DO NOTHING
			), vocabulary AS (
				INSERT INTO vocabulary AS v (team_id, word, files) SELECT @team, word, files FROM word_sums
				ON CONFLICT (team_id, word) DO UPDATE SET files = v.files + excluded.files
			)
			INSERT INTO stems AS s (team_id, stem, files) SELECT @team, stem, files FROM stem_sums
			ON CONFLICT (team_id, stem) DO UPDATE SET files = s.files + excluded.files`, args{"team": teamID})
		return err
	})
}

// StaleVocabularies lists teams whose vocabulary has changes to fold.
func (q Queries) StaleVocabularies(ctx context.Context) ([]string, error) {
	return values[string](ctx, q, `SELECT DISTINCT team_id::text FROM vocabulary_changes`, nil)
}

// Documents lists the logical documents of a file in order.
func (q Queries) Documents(ctx context.Context, in Scope, fileID string) ([]Document, error) {
	return many[Document](ctx, q, `SELECT `+documentColumns+` FROM documents WHERE file_id = @id AND team_id = @team ORDER BY ordinal`,
		args{"id": fileID, "team": in.TeamID})
}

// Blocks lists a file's blocks with ordinals after `after` (-1 for the start),
// at most limit.
func (q Queries) Blocks(ctx context.Context, in Scope, fileID string, after, limit int) ([]Block, error) {
	return many[Block](ctx, q, `
		SELECT `+blockColumns+`, coalesce(l.labels, '[]') AS labels
		FROM (
			SELECT * FROM blocks WHERE file_id = @id AND team_id = @team AND ordinal > @after ORDER BY ordinal LIMIT @limit
		) b LEFT JOIN (
			SELECT block, jsonb_agg(jsonb_build_object('label', label, 'score', score, 'validated', validated)
				ORDER BY validated DESC, score DESC NULLS LAST, label) AS labels
			FROM (
				SELECT s.block, l.node AS label, max(l.score) AS score, bool_or(l.source = 'validated') AS validated FROM sentences s CROSS JOIN `+eachLabel+`
				WHERE s.file_id = @id AND s.team_id = @team AND s.label IS NOT NULL GROUP BY s.block, l.node
			) labelled GROUP BY block
		) l ON l.block = b.ordinal
		ORDER BY b.ordinal`,
		args{"id": fileID, "team": in.TeamID, "after": after, "limit": limit})
}

// CountBlocks counts a file's blocks.
func (q Queries) CountBlocks(ctx context.Context, in Scope, fileID string) (int, error) {
	return value[int](ctx, q, `SELECT count(*) FROM blocks WHERE file_id = @id AND team_id = @team`, args{"id": fileID, "team": in.TeamID})
}

// Sentences lists the sentences of a file in order.
func (q Queries) Sentences(ctx context.Context, in Scope, fileID string) ([]Sentence, error) {
	return many[Sentence](ctx, q, `
		SELECT `+sentenceColumns+` FROM sentences WHERE file_id = @id AND team_id = @team ORDER BY ordinal`, args{"id": fileID, "team": in.TeamID})
}

// FileTokens are the counted words of one file beside its team's.
type FileTokens struct {
	Total     int             `db:"total"`
	Tokens    json.RawMessage `db:"tokens"` // []Token, most frequent first
	TeamFiles int             `db:"team_files"`
}

// FileTokens reads the token counts of a file; NotFound before it has text.
func (q Queries) FileTokens(ctx context.Context, in Scope, fileID string) (FileTokens, error) {
	return one[FileTokens](ctx, q, `
		SELECT total, tokens, (SELECT count(*) FROM file_tokens WHERE team_id = @team AND counted) AS team_files
		FROM file_tokens WHERE file_id = @id AND team_id = @team`+in.seesFile("file_id"), in.args(args{"id": fileID}))
}

// StemFiles returns in how many of the team's files each stem occurs.
func (q Queries) StemFiles(ctx context.Context, in Scope, stems []string) (map[string]int, error) {
	type row struct {
		Stem  string `db:"stem"`
		Files int    `db:"files"`
	}
	rows, err := many[row](ctx, q, `SELECT stem, files FROM stems WHERE team_id = @team AND stem = ANY(@stems)`,
		args{"team": in.TeamID, "stems": stems})
	count := make(map[string]int, len(rows))
	for _, r := range rows {
		count[r.Stem] = r.Files
	}
	return count, err
}

func asFault(err error) (*fault.Error, bool) {
	var e *fault.Error
	ok := errors.As(err, &e)
	return e, ok
}

// StemTexts has the texts of at most limit files be stemmed by their language that are
// not, and returns how many there were: a program of release 0.1.0 saved them, which
// knows of no other stems than those of English. They are indexed again.
func (q Queries) StemTexts(ctx context.Context, limit int) (int, error) {
	n, err := exec(ctx, q, `
		WITH wrong AS MATERIALIZED (
			SELECT f.id, f.language FROM files f
			WHERE f.language IN ('de', 'es', 'fr', 'it', 'nl')
				AND (SELECT s.language FROM sentences s WHERE s.file_id = f.id ORDER BY s.ordinal LIMIT 1) <> f.language -- one text, one program
			LIMIT @limit FOR NO KEY UPDATE OF f SKIP LOCKED
		), stemmed AS (
			UPDATE sentences s SET language = w.language FROM wrong w WHERE s.file_id = w.id
		)
		UPDATE files f SET indexed_generation = 0 FROM wrong w WHERE f.id = w.id`, args{"limit": limit})
	return int(n), err
}

package bench

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"
)

// A portfolio is made of parts of contracts, which the service reads and
// analyses like all that comes in, and of copies of what it made of them.
const (
	portfolioParts = 500   // that are uploaded
	partSize       = 9_000 // bytes of a part: about fifty sentences
	filledAtOnce   = 500   // files copied in a transaction
	portfolioDays  = 365   // over which the copies seem to have come in
	mattersOfMany  = 200   // that the files are in
	oneTypeInTen   = 10    // of the files are of one type
)

// template is a file that is copied, and its sentences.
type template struct {
	fileID    string
	sentences []templateSentence
}

type templateSentence struct {
	Ordinal, Block, Page, StartAt, EndAt int
	Text                                 string
	Label, Source, ModelID, Suggested    *string
	Score                                *float32
}

// fill brings the team to so many files. What an earlier run has made is kept.
func (c *Config) fill(ctx context.Context) error {
	var have int
	err := c.DB.Pool().QueryRow(ctx, `SELECT count(*) FROM files WHERE team_id = $1 AND text_ready`, c.Scope.TeamID).Scan(&have)
	if err != nil || have >= c.Files {
		return err
	}
	if have == 0 {
		if err := c.uploadParts(ctx); err != nil {
			return err
		}
	}
	templates, err := c.templates(ctx)
	if err != nil {
		return err
	}
	if _, err := c.DB.Pool().Exec(ctx, `
		INSERT INTO matters (id, team_id, name, stage, status, counterparties)
		SELECT gen_random_uuid(), $1, 'Matter ' || n, (ARRAY['intake', 'drafting', 'review', 'signature'])[1 + n % 4], (ARRAY['open', 'on_hold', 'closed'])[1 + n % 3],
			ARRAY['Counterparty ' || n % 50]
		FROM generate_series(1, $2::int) n WHERE NOT EXISTS (SELECT FROM matters WHERE team_id = $1)`, c.Scope.TeamID, mattersOfMany); err != nil {
		return err
	}
	f := filling{Config: c, random: rand.New(rand.NewPCG(1, 2)), templates: templates, started: time.Now()}
	for have = max(have, len(templates)); have < c.Files; have += filledAtOnce {
		if err := f.copyFiles(ctx, min(filledAtOnce, c.Files-have), float64(have)/float64(c.Files)); err != nil {
			return err
		}
	}
	for _, table := range []string{"vocabulary", "stems"} {
		// The commonest word is in nearly every file.
		if _, err := c.DB.Pool().Exec(ctx, `
			UPDATE `+table+` SET files = greatest(files, files * $2::bigint / (SELECT greatest(max(files), 1) FROM `+table+` WHERE team_id = $1))
			WHERE team_id = $1`, c.Scope.TeamID, c.Files); err != nil {
			return err
		}
	}
	_, err = c.DB.Pool().Exec(ctx, "VACUUM ANALYZE")
	return err
}

// uploadParts sends parts of contracts, from all over the corpus, and waits
// until they are analysed.
func (c *Config) uploadParts(ctx context.Context) error {
	names, err := filepath.Glob(filepath.Join(c.Data, "cuad", "txt", "*.txt"))
	if err != nil || len(names) == 0 {
		return fmt.Errorf("no texts in %s/cuad/txt: %w", c.Data, err)
	}
	var parts []string
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		parts = append(parts, split(string(text), partSize)...)
	}
	n := min(portfolioParts, len(parts), c.Files)
	ids := make([]string, n)
	group, uploading := errgroup.WithContext(ctx)
	group.SetLimit(4)
	for i := range ids {
		group.Go(func() (err error) {
			ids[i], err = c.upload(uploading, fmt.Sprintf("Part %d.txt", i+1), []byte(parts[i*len(parts)/n]))
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return c.follow(ctx, ids, state.ended)
}

// split cuts a text between lines into parts of about a size; what is left over
// at its end is left out.
func split(text string, size int) []string {
	var parts []string
	for len(text) > size {
		end := strings.IndexByte(text[size:], '\n')
		if end < 0 {
			break
		}
		parts, text = append(parts, text[:size+end]), text[size+end:]
	}
	return parts
}

// templates reads the newest files of the team, which are those uploaded.
func (c *Config) templates(ctx context.Context) ([]template, error) {
	rows, err := c.DB.Pool().Query(ctx, `
		SELECT f.id::text, s.ordinal, s.block, s.page, s.start_at, s.end_at, s.text, s.label, s.source, s.model_id::text, s.suggested, s.score
		FROM (SELECT id FROM files WHERE team_id = $1 AND text_ready ORDER BY id DESC LIMIT $2) f JOIN sentences s ON s.file_id = f.id ORDER BY 1, 2`, c.Scope.TeamID, portfolioParts)
	if err != nil {
		return nil, err
	}
	var list []template
	var fileID string
	var s templateSentence
	_, err = pgx.ForEachRow(rows, []any{
		&fileID, &s.Ordinal, &s.Block, &s.Page, &s.StartAt, &s.EndAt, &s.Text, &s.Label, &s.Source, &s.ModelID, &s.Suggested, &s.Score,
	}, func() error {
		if len(list) == 0 || list[len(list)-1].fileID != fileID {
			list = append(list, template{fileID: fileID})
		}
		last := &list[len(list)-1]
		last.sentences = append(last.sentences, s)
		return nil
	})
	return list, err
}

// filling is a portfolio on its way.
type filling struct {
	*Config
	random    *rand.Rand
	templates []template
	started   time.Time
}

// copyFiles adds n files that came in at a part of the time that the portfolio
// spans, with all that is known of the files that they are copies of.
func (f *filling) copyFiles(ctx context.Context, n int, at float64) error {
	ids, copies, times := make([]string, n), make([]string, n), make([]time.Time, n)
	came := f.started.Add(-time.Duration((1 - at) * portfolioDays * 24 * float64(time.Hour)))
	step := time.Duration(portfolioDays*24*float64(time.Hour)) / time.Duration(f.Files)
	var rows [][]any
	for i := range n {
		of := f.templates[f.random.IntN(len(f.templates))]
		times[i] = came.Add(time.Duration(i) * step)
		ids[i], copies[i] = of.fileID, f.newID(times[i])
		for _, s := range of.sentences {
			rows = append(rows, []any{
				f.newID(times[i]), copies[i], f.Scope.TeamID, s.Ordinal, s.Block, s.Page, s.StartAt, s.EndAt, f.reworded(s.Text),
				s.Label, s.Source, s.ModelID, s.Suggested, s.Score,
			})
		}
	}
	return pgx.BeginFunc(ctx, f.DB.Pool(), func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SET LOCAL synchronous_commit = off`); err != nil {
			return err
		}
		a := pgx.NamedArgs{"team": f.Scope.TeamID, "ids": ids, "copies": copies, "times": times, "matters": mattersOfMany, "share": oneTypeInTen}
		for _, sql := range []string{`
			INSERT INTO files (id, team_id, name, kind, content_type, size, sha256, source, document_type_id, document_type_source, document_type_score, matter_id,
				parties, counterparties, parties_source, lifecycle_stage, created_at, status, stage, language, page_count, pages_done, text_ready, generation, indexed_generation,
				label_generation, indexed_label_generation, segmenter_version, progress_at)
			SELECT c.copy, f.team_id, 'Contract ' || right(c.copy::text, 6) || ' ' || f.name, f.kind, f.content_type, f.size, sha256(uuid_send(c.copy)), f.source,
				CASE WHEN c.at % @share::int = 0 THEN (SELECT id FROM document_types WHERE team_id = @team ORDER BY name LIMIT 1) ELSE f.document_type_id END,
				'predicted', f.document_type_score, m.id, f.parties, f.counterparties, f.parties_source, (ARRAY['draft', 'review', 'active', 'archived'])[1 + c.at % 4],
				c.came, f.status, f.stage, f.language, f.page_count, f.pages_done, true, 1, 1, 1, 1, f.segmenter_version, c.came
			FROM unnest(@ids::uuid[], @copies::uuid[], @times::timestamptz[]) WITH ORDINALITY c (id, copy, came, at) JOIN files f USING (id)
			LEFT JOIN matters m ON m.team_id = @team AND m.name = 'Matter ' || 1 + (c.at * 7919) % (@matters::int * 4 / 3)`, `
			INSERT INTO sections (id, file_id, team_id, ordinal, document, parent, level, number, path, title, start_at, end_at, first_page, last_page, first_sentence, end_sentence)
			SELECT gen_random_uuid(), c.copy, team_id, ordinal, document, parent, level, number, path, title, start_at, end_at, first_page, last_page, first_sentence, end_sentence
			FROM unnest(@ids::uuid[], @copies::uuid[]) c (id, copy) JOIN sections s ON s.file_id = c.id`, `
			INSERT INTO attributes (id, file_id, team_id, level, ordinal, key, value, normalized, confidence, source, spans, start_at, end_at, folded, normal)
			SELECT gen_random_uuid(), c.copy, team_id, level, ordinal, key, value, normalized, confidence, source, spans, start_at, end_at, folded, normal
			FROM unnest(@ids::uuid[], @copies::uuid[]) c (id, copy) JOIN attributes a ON a.file_id = c.id WHERE level = 'file'`, `
			INSERT INTO analyses (file_id, team_id, generation, version, model_id, counts)
			SELECT c.copy, team_id, 1, version, model_id, counts FROM unnest(@ids::uuid[], @copies::uuid[]) c (id, copy) JOIN analyses a ON a.file_id = c.id`,
		} {
			if _, err := tx.Exec(ctx, sql, a); err != nil {
				return err
			}
		}
		if _, err := tx.CopyFrom(ctx, pgx.Identifier{"sentences"}, []string{
			"id", "file_id", "team_id", "ordinal", "block", "page", "start_at", "end_at", "text", "label", "source", "model_id", "suggested", "score",
		}, pgx.CopyFromRows(rows)); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `
			INSERT INTO file_nodes (file_id, team_id, label, sentences, validated, first_at, place, sentence_id)
			SELECT c.copy, n.team_id, n.label, n.sentences, n.validated, n.first_at, n.place, s.id
			FROM unnest(@ids::uuid[], @copies::uuid[]) c (id, copy) JOIN file_nodes n ON n.file_id = c.id JOIN sentences s ON s.file_id = c.copy AND s.ordinal = n.first_at`, a)
		return err
	})
}

// newID is an id as one made at a time.
func (f *filling) newID(at time.Time) string {
	var id uuid.UUID
	binary.BigEndian.PutUint64(id[8:], f.random.Uint64())
	binary.BigEndian.PutUint64(id[:8], uint64(at.UnixMilli())<<16|uint64(f.random.IntN(1<<12)))
	id[6] = 0x70 | id[6]&0x0f
	id[8] = 0x80 | id[8]&0x3f
	return id.String()
}

// reworded is text with about every eighth word from elsewhere in the corpus,
// which keeps common words common. Every fifth text stays as it is.
func (f *filling) reworded(text string) string {
	if f.random.IntN(5) == 0 {
		return text
	}
	words := strings.Split(text, " ")
	for i := range words {
		if f.random.IntN(8) == 0 {
			of := f.templates[f.random.IntN(len(f.templates))].sentences
			others := strings.Fields(of[f.random.IntN(len(of))].Text)
			if len(others) > 0 {
				words[i] = others[f.random.IntN(len(others))]
			}
		}
	}
	return strings.Join(words, " ")
}

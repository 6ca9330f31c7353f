package db

import (
	"context"
	"slices"
	"strconv"

	"github.com/google/uuid"
)

// A clause is a run of sentences with the same label that follow one another in one
// section. Its id is made of its file, its label and the words that it begins with, so
// that it stays when the text is read anew, and nothing has to be stored.

// clauseSentence is a sentence with one of its labels.
type clauseSentence struct {
	ID        string  `db:"id"`
	FileID    string  `db:"file_id"`
	Ordinal   int     `db:"ordinal"`
	Node      string  `db:"node"`
	SectionID *string `db:"section_id"`
	Wording   string  `db:"wording"`

	clause string
}

// follows reports whether s and the sentence before it, of the same label, are in one
// clause.
func (s clauseSentence) follows(before clauseSentence) bool {
	sameSection := (s.SectionID == nil) == (before.SectionID == nil) && (s.SectionID == nil || *s.SectionID == *before.SectionID)
	return s.FileID == before.FileID && s.Node == before.Node && s.Ordinal == before.Ordinal+1 && sameSection
}

// clauseSentences lists the sentences of files that have labels, clause by clause.
func (q Queries) clauseSentences(ctx context.Context, in Scope, files, nodes []string) ([]clauseSentence, error) {
	const section = `(SELECT c.id FROM sections c WHERE c.file_id = s.file_id AND c.first_sentence <= s.ordinal AND c.end_sentence > s.ordinal ORDER BY c.ordinal DESC LIMIT 1)`
	rows, err := many[clauseSentence](ctx, q.prepared(), `
		WITH asked AS (SELECT DISTINCT * FROM unnest(@files::uuid[], @nodes::text[]) a (file_id, node)), found AS (
			SELECT s.id, s.file_id, s.ordinal, s.text, a.node FROM asked a JOIN sentences s ON s.file_id = a.file_id AND s.label = a.node
			WHERE s.team_id IS NOT DISTINCT FROM @team AND s.labels IS NULL`+in.seesFile("s.file_id")+`
			UNION ALL
			SELECT s.id, s.file_id, s.ordinal, s.text, a.node FROM asked a JOIN sentences s ON s.file_id = a.file_id AND s.labels IS NOT NULL AND a.node = ANY(label_nodes(s.labels))
			WHERE s.team_id = @team`+in.seesFile("s.file_id")+`
		)
		SELECT s.id, s.file_id, s.ordinal, s.node, wording(s.text)::text AS wording, `+section+` AS section_id FROM found s ORDER BY s.file_id, s.node, s.ordinal`,
		in.args(args{"files": files, "nodes": nodes}))
	times := map[string]int{}
	for i := range rows {
		row := &rows[i]
		if i > 0 && row.follows(rows[i-1]) {
			row.clause = rows[i-1].clause
			continue
		}
		begins := row.Node + "\x00" + row.Wording
		row.clause = uuid.NewSHA1(uuid.MustParse(row.FileID), []byte(begins+"\x00"+strconv.Itoa(times[row.FileID+begins]))).String()
		times[row.FileID+begins]++
	}
	return rows, err
}

// AddClauses sets the clauses of sentences.
func (q Queries) AddClauses(ctx context.Context, in Scope, sentences []FiledSentence) error {
	var files, nodes []string
	for _, l := range EachLabel(sentences) {
		files, nodes = append(files, sentences[l.At].FileID), append(nodes, l.Node)
	}
	if len(files) == 0 {
		return nil
	}
	rows, err := q.clauseSentences(ctx, in, files, nodes)
	clauses := map[[2]string]string{}
	for _, row := range rows {
		clauses[[2]string{row.ID, row.Node}] = row.clause
	}
	for _, l := range EachLabel(sentences) {
		s := &sentences[l.At]
		if s.Clauses == nil {
			s.Clauses = map[string]string{}
		}
		s.Clauses[l.Node] = clauses[[2]string{s.ID, l.Node}]
	}
	return err
}

// ClauseSentences lists the ids of a sentence and of all sentences that are in a clause
// with it, for any of labels.
func (q Queries) ClauseSentences(ctx context.Context, in Scope, s FiledSentence, nodes []string) ([]string, error) {
	rows, err := q.clauseSentences(ctx, in, slices.Repeat([]string{s.FileID}, len(nodes)), nodes)
	own := map[string]bool{}
	for _, row := range rows {
		if row.ID == s.ID {
			own[row.clause] = true
		}
	}
	ids := []string{s.ID}
	for _, row := range rows {
		if own[row.clause] && !slices.Contains(ids, row.ID) {
			ids = append(ids, row.ID)
		}
	}
	return ids, err
}

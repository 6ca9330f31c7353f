package db

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/clausemill/clausemill/query"
)

// FoldCounts adds what has changed to the counts of a team's labels, of its files and of
// whom they name, so that there are few changes to read with them, and drops values that no
// file has any more. One caller at a time folds; another waits, and folds what that one came
// too early for.
func (d *DB) FoldCounts(ctx context.Context, teamID string) error {
	err := d.InTx(ctx, func(t *Tx) error {
		a := args{"team": teamID}
		for _, sql := range []string{
			`SELECT pg_advisory_xact_lock(hashtextextended('counts:' || @team, 0))`,
			`WITH changes AS (
				DELETE FROM label_changes WHERE team_id = @team RETURNING labels, sentences, firsts
			)
			INSERT INTO label_counts AS c (team_id, label, sentences, firsts)
			SELECT @team, label, sum(x.sentences), sum(x.firsts) FROM changes, unnest(labels, sentences, firsts) x (label, sentences, firsts)
			GROUP BY label HAVING sum(x.sentences) <> 0 OR sum(x.firsts) <> 0
			ON CONFLICT (team_id, label) DO UPDATE SET sentences = c.sentences + excluded.sentences, firsts = c.firsts + excluded.firsts`,
			`WITH changes AS (
				DELETE FROM file_count_changes WHERE team_id = @team RETURNING matter_id, document_type_id, document_type_source, source, files
			)
			INSERT INTO file_counts AS c (team_id, matter_id, document_type_id, document_type_source, source, files)
			SELECT @team, matter_id, document_type_id, document_type_source, source, sum(files) FROM changes
			GROUP BY matter_id, document_type_id, document_type_source, source HAVING sum(files) <> 0
			ON CONFLICT (team_id, matter_id, document_type_id, document_type_source, source) DO UPDATE SET files = c.files + excluded.files`,
			`WITH changes AS (
				DELETE FROM name_changes WHERE team_id = @team RETURNING facets, vals, names, files, firsts
			)
			INSERT INTO name_counts AS c (team_id, facet, value, name, files, firsts)
			SELECT @team, facet, value, name, sum(x.files), sum(x.firsts) FROM changes, unnest(facets, vals, names, changes.files, changes.firsts) x (facet, value, name, files, firsts)
			GROUP BY facet, value, name HAVING sum(x.files) <> 0 OR sum(x.firsts) <> 0
			ON CONFLICT (team_id, facet, value, name) DO UPDATE SET files = c.files + excluded.files, firsts = c.firsts + excluded.firsts`,
		} {
			if _, err := exec(ctx, t.Queries, sql, a); err != nil {
				return err
			}
		}
		return nil
	})
	return errors.Join(err, d.dropValues(ctx, teamID))
}

// dropValues drops values that a team's files lost and that no other of them has. Files are
// given none meanwhile. For those that are being given some it waits for a moment, and leaves
// the rest to the next time: who waits behind it may hold what they wait for.
func (d *DB) dropValues(ctx context.Context, teamID string) error {
	const filesAtATime = 100
	a := args{"team": teamID, "most": filesAtATime}
	for {
		if lost, err := value[bool](ctx, d.Queries, `SELECT EXISTS (SELECT FROM attribute_values_lost WHERE team_id = @team)`, a); err != nil || !lost {
			return err
		}
		err := d.InTx(ctx, func(t *Tx) error {
			for _, sql := range []string{
				`SET LOCAL lock_timeout = '100ms'`,
				`SELECT pg_advisory_xact_lock(values_lock(@team))`,
				`WITH lost AS (
					DELETE FROM attribute_values_lost WHERE ctid = ANY(ARRAY(SELECT ctid FROM attribute_values_lost WHERE team_id = @team LIMIT @most))
					RETURNING levels, keys, normals, foldeds
				), gone AS MATERIALIZED (
					SELECT DISTINCT x.* FROM lost, unnest(levels, keys, normals, foldeds) x (level, key, normal, folded)
				)
				DELETE FROM attribute_values v USING gone g
				WHERE (v.team_id::text || v.normal) COLLATE "C" = (@team || g.normal) COLLATE "C" AND v.level = g.level AND v.key = g.key AND v.folded = g.folded AND (
					SELECT true FROM attributes a
					WHERE a.team_id = @team AND a.level = g.level AND a.key = g.key AND a.normal = g.normal AND a.folded = g.folded LIMIT 1
				) IS NULL`,
			} {
				if _, err := exec(ctx, t.Queries, sql, a); err != nil {
					return err
				}
			}
			return nil
		})
		var pg *pgconn.PgError
		if errors.As(err, &pg) && pg.Code == "55P03" { // lock_not_available
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// StaleCounts lists teams whose counts have changes to fold. What happened in the trash is
// forgotten: nobody counts there.
func (q Queries) StaleCounts(ctx context.Context) ([]string, error) {
	return values[string](ctx, q, `
		WITH changed AS (
			SELECT c.team_id, t.id IS NOT NULL AS counts
			FROM (
				SELECT team_id FROM label_changes UNION SELECT team_id FROM file_count_changes UNION SELECT team_id FROM name_changes UNION SELECT team_id FROM attribute_values_lost
			) c LEFT JOIN teams t ON t.id = c.team_id AND t.kind <> 'trash'
		), labels_gone AS (
			DELETE FROM label_changes WHERE team_id IN (SELECT team_id FROM changed WHERE NOT counts)
		), files_gone AS (
			DELETE FROM file_count_changes WHERE team_id IN (SELECT team_id FROM changed WHERE NOT counts)
		), values_gone AS (
			DELETE FROM attribute_values_lost WHERE team_id IN (SELECT team_id FROM changed WHERE NOT counts)
		), names_gone AS (
			DELETE FROM name_changes WHERE team_id IN (SELECT team_id FROM changed WHERE NOT counts)
		)
		SELECT team_id::text FROM changed WHERE counts`, nil)
}

// countedFiles are the files of a team as rows with how many there are of each sort: in
// which matter, of which type, by whom that was said, and from where.
const countedFiles = `(
	SELECT team_id, matter_id, document_type_id, document_type_source, source, sum(files) AS files FROM ` + fileFigures + ` figures
	GROUP BY 1, 2, 3, 4, 5 HAVING sum(files) > 0)`

// fileFigures are the same for those who add them up: several rows may be of one sort, and
// some have less than no files.
const fileFigures = `(
	SELECT team_id, matter_id, document_type_id, document_type_source, source, files FROM file_counts WHERE team_id = @team
	UNION ALL SELECT team_id, matter_id, document_type_id, document_type_source, source, files FROM file_count_changes WHERE team_id = @team)`

// countable reports whether countedFiles has all columns that a filter and fields ask for.
// It has them under the names of those of files.
func countable(filter query.Filter, fields ...query.Field) bool {
	return !slices.ContainsFunc(slices.Concat(filter.Uses(), fields), func(f query.Field) bool {
		return f != query.Matter && f != query.DocumentType && f != query.DocumentTypeSource && f != query.FileSource
	})
}

// countedLabels are the labels that sentences have, "" for none, as rows with how many have
// each, and how many have it as their first. What is in hidden matters is taken from the
// figures of all.
func countedLabels(in Scope) string {
	hidden := ""
	if len(in.Hidden) > 0 {
		hidden = `
			UNION ALL SELECT c.counted, -c.sentences, -c.firsts FROM sentences s CROSS JOIN labels_counted(s.label, s.labels) c
			WHERE s.team_id = @team AND s.file_id IN (` + hiddenFiles + `)`
	}
	return `(
		SELECT label, sentences, firsts FROM label_counts WHERE team_id = @team
		UNION ALL SELECT x.* FROM label_changes c, unnest(c.labels, c.sentences, c.firsts) x WHERE c.team_id = @team` + hidden + `)`
}

// countedNames are the names that files have in a facet of name_counts, @facet, as rows with
// how many files have each: a value for each name, with files that spell it so and those of
// them that it is the first spelling of. What is in hidden matters is taken from the figures
// of all.
func countedNames(in Scope) string {
	hidden := ""
	if len(in.Hidden) > 0 {
		hidden = `
			UNION ALL SELECT c.value, c.name, -c.files, -c.firsts FROM files f LEFT JOIN matters m ON m.id = f.matter_id
			CROSS JOIN file_names_counted(f.parties, f.counterparties, m.parties, m.counterparties) c
			WHERE f.team_id = @team AND f.id IN (` + hiddenFiles + `) AND c.facet = @facet`
	}
	return `(
		SELECT value, name, sum(files) AS files, sum(firsts) AS firsts FROM (
			SELECT value, name, files, firsts FROM name_counts WHERE team_id = @team AND facet = @facet
			UNION ALL SELECT x.value, x.name, x.files, x.firsts FROM name_changes c, unnest(c.facets, c.vals, c.names, c.files, c.firsts) x (facet, value, name, files, firsts)
			WHERE c.team_id = @team AND x.facet = @facet` + hidden + `
		) figures GROUP BY 1, 2 HAVING sum(files) > 0)`
}

// counted reports whether kept figures have the answer to a question: how many sentences a
// team has, or has with each label, and how many files name whom.
func counted(q query.Query) bool {
	if q.Metric.Op != query.Count || len(q.Filters) > 0 || len(q.Only) > 0 || q.Across != "" || slices.ContainsFunc(q.Having, func(b query.Bound) bool { return b.Across != "" }) {
		return false
	}
	switch q.Source { //nolint:exhaustive // of the others nothing is kept
	case query.Sentences:
		return len(q.GroupBy) == 0 || slices.Equal(q.GroupBy, []query.Field{query.Label})
	case query.Files:
		return len(q.GroupBy) == 1 && namesOf[q.GroupBy[0]] != ""
	default:
		return false
	}
}

// aggregateCounts renders a question that counted is true of, and adds its values to a.
func aggregateCounts(in Scope, q query.Query, a args) string {
	if q.Source == query.Files {
		a["facet"] = q.GroupBy[0]
		return groupsOf(q, a, `value`, commonest+`[1]`, `sum(firsts)::int`, `(
			SELECT value, name, files, firsts FROM `+countedNames(in)+` names WHERE value <> ''
			UNION ALL SELECT NULL, NULL, files, files FROM (
				SELECT coalesce((SELECT sum(files) FROM `+fileFigures+` f WHERE team_id = @team`+in.sees("f")+`), 0)
					- coalesce((SELECT firsts FROM `+countedNames(in)+` names WHERE value = ''), 0) AS files
			) nobody WHERE files > 0)`)
	}
	figures := countedLabels(in)
	if len(q.GroupBy) == 0 {
		return `SELECT '{}'::text[] AS keys, '{}'::text[] AS names, to_jsonb(coalesce(sum(firsts), 0)) AS value, 1 AS groups FROM ` + figures + ` f`
	}
	return groupsOf(q, a, `nullif(label, '')`, `nullif(label, '')`, `sum(sentences)`, figures)
}

// groupsOf renders a question with one key of rows that have figures.
func groupsOf(q query.Query, a args, key, name, sum, rows string) string {
	bounds, _ := having(q, sum, a) // counted
	// The order of a question's keys is that of columns.
	return `
		SELECT ARRAY[k0] AS keys, ARRAY[w0] AS names, to_jsonb(value) AS value, groups FROM (
			SELECT ` + key + ` AS k0, ` + name + ` AS w0, ` + sum + ` AS value, count(*) OVER () AS groups FROM ` + rows + ` f
			GROUP BY ` + key + ` HAVING ` + strings.Join(append(bounds, sum+" > 0"), " AND ") + `
		) g` + ordering(q, []string{"k0"}) + ` LIMIT @limit`
}

package db

import (
	"context"
	"strings"
	"time"

	"github.com/clausemill/clausemill/query"
)

// Option is a value that a field has in files.
type Option struct {
	Value string `db:"value"`
	Label string `db:"label"` // as people say it
	Files int    `db:"files"` // that have it
	Total int    `db:"total"` // values, beyond the limit too
}

// Range is where the values of a field lie, as text: of numbers, or of instants.
type Range struct {
	Min   *string `db:"least"`
	Max   *string `db:"most"`
	Files int     `db:"files"` // that have a value
}

// Facets answers what values fields have in files, in one transaction that can
// only read.
type Facets struct {
	tx *Tx
	in Scope
}

// Facets runs fn with the means to ask; each question may take as long as
// patience.
func (d *DB) Facets(ctx context.Context, in Scope, patience time.Duration, fn func(f Facets) error) error {
	return d.readOnly(ctx, patience, func(t *Tx) error { return fn(Facets{t, in}) })
}

// Count counts the files that filter, which was checked, lets through.
func (f Facets) Count(ctx context.Context, filter query.Filter) (int, error) {
	return f.tx.CountFiles(ctx, f.in, FileFilter{Where: filter})
}

// spellings counts what rows said have, each a file's id and a name of it, and each once:
// files by name, as rows spelled, with the value that the name is when folded. Folding takes
// long, and there are far fewer names than files that have them. filesOfSpellings is how many
// files have the value of some rows s of them, though a file may have two of its names, and
// commonest lists the names of a value as labels, the one that most files spell first.
const (
	spellings = `spelled AS MATERIALIZED (
			SELECT name, fold(name) AS value, files FROM (SELECT name, count(*) AS files FROM said GROUP BY name) n
		), twice AS MATERIALIZED (
			SELECT value, sum(names - 1) AS files FROM (
				SELECT x.value, count(*) AS names FROM said JOIN (
					SELECT name, value, count(*) OVER (PARTITION BY value) AS spellings FROM spelled
				) x USING (name) WHERE x.spellings > 1 GROUP BY said.id, x.value
			) n GROUP BY value
		)`
	commonest        = `(array_agg(left(name, 200) ORDER BY files DESC, name COLLATE "C"))`
	filesOfSpellings = `(sum(files) - coalesce((SELECT t.files FROM twice t WHERE t.value = s.value), 0))::int`
)

// namesOf is what names a file f has, each once, of fields whose values are those folded.
var namesOf = map[query.Field]string{
	query.Counterparty: `SELECT DISTINCT c AS name FROM unnest(f.counterparties) c WHERE c ~ '\w' OR fold(c) <> ''`,
	query.Party:        `SELECT DISTINCT p ->> 'name' AS name FROM jsonb_array_elements(f.parties) p WHERE p ->> 'name' ~ '\w' OR fold(p ->> 'name') <> ''`,
}

// Options lists the values of a field in the files that filter lets through,
// the commonest first. Text narrows them to those whose label has it as a part.
func (f Facets) Options(ctx context.Context, filter query.Filter, field query.Definition, text string, limit, offset int) ([]Option, error) {
	a := f.in.args(args{"limit": limit, "offset": offset})
	condition, err := conditions(filter, a, query.Files)
	if err != nil {
		return nil, err
	}
	like := ""
	if text != "" {
		like = "AND label ILIKE '%' || @text || '%'"
		a["text"] = likeLiteral.Replace(text)
	}
	where := `f.team_id = @team` + f.in.sees("f") + also(condition)
	counted := countedOptions(field, where, countable(filter, field.Field))
	if names := namesOf[field.Field]; names != "" && filter.IsZero() {
		a["facet"] = field.Field
		counted = `SELECT value, ` + commonest + `[1] AS label, sum(firsts)::int AS files FROM ` + countedNames(f.in) + ` names WHERE value <> '' GROUP BY value`
	} else if names != "" {
		counted = `
			WITH said AS MATERIALIZED (SELECT f.id, v.name FROM files f CROSS JOIN LATERAL (` + names + `) v WHERE ` + where + `), ` + spellings + `
			SELECT value, ` + commonest + `[1] AS label, ` + filesOfSpellings + ` AS files FROM spelled s GROUP BY value`
	}
	return many[Option](ctx, f.tx.Queries, `
		SELECT value, label, files, count(*) OVER () AS total FROM (`+counted+`) named WHERE true `+like+`
		ORDER BY files DESC, value LIMIT @limit OFFSET @offset`, a)
}

// countedOptions has the values of a field in files, with their labels and how many files
// have each: from countedFiles, or from the files themselves.
func countedOptions(field query.Definition, where string, countable bool) string {
	from := newSelection(query.Files)
	files, words := "count(*)", "NULL"
	if countable {
		from, files = countedSelection(), "sum(f.files)::int"
	}
	e := from.value(field, true)
	if field.Of == query.Sentences {
		files = "count(DISTINCT f.id)"
	}
	if e.words != "" {
		words = "mode() WITHIN GROUP (ORDER BY " + e.words + ` COLLATE "C")`
	}
	return `
		SELECT x::text AS value, coalesce(` + e.name("x", "w") + `, x::text) AS label, files FROM (
			SELECT ` + e.sql + ` AS x, ` + words + ` AS w, ` + files + ` AS files
			FROM ` + from.sql.String() + ` WHERE ` + where + ` AND ` + e.sql + ` IS NOT NULL
			GROUP BY 1
		) counted`
}

// Range is where the values of a number or a date lie in the files that filter
// lets through.
func (f Facets) Range(ctx context.Context, filter query.Filter, field query.Definition) (Range, error) {
	a := f.in.args(args{})
	from := newSelection(query.Files)
	e := from.value(field, false)
	condition, err := conditions(filter, a, query.Files)
	if err != nil {
		return Range{}, err
	}
	text := func(measure string) string {
		if field.Kind == query.Date {
			return writtenTime(measure)
		}
		return "(" + measure + ")::text"
	}
	sql := []string{
		text("min("+e.sql+")") + " AS least", text("max("+e.sql+")") + " AS most",
		"count(DISTINCT f.id) FILTER (WHERE " + e.sql + " IS NOT NULL) AS files",
	}
	return one[Range](ctx, f.tx.Queries, `SELECT `+strings.Join(sql, ", ")+` FROM `+from.sql.String()+` WHERE f.team_id = @team`+f.in.sees("f")+also(condition), a)
}

// AttributeOptions is Options for all attributes of files at once, by their
// fields: at most limit of each, without those of numbers and dates.
func (f Facets) AttributeOptions(ctx context.Context, filter query.Filter, limit int) (map[query.Field][]Option, error) {
	type row struct {
		Option
		Key string `db:"key"`
	}
	a := f.in.args(args{"limit": limit})
	condition, err := conditions(filter, a, query.Files)
	if err != nil {
		return nil, err
	}
	rows, err := many[row](ctx, f.tx.Queries, `
		SELECT key, value, label, files, total FROM (
			SELECT k.key, k.normal AS value, mode() WITHIN GROUP (ORDER BY `+shownAs("k")+` COLLATE "C") AS label, count(DISTINCT k.file_id) AS files,
				count(*) OVER (PARTITION BY k.key) AS total,
				row_number() OVER (PARTITION BY k.key ORDER BY count(DISTINCT k.file_id) DESC, k.normal) AS at
			FROM attributes k JOIN files f ON f.id = k.file_id AND f.team_id = @team
			WHERE k.team_id = @team AND k.level = 'file'`+f.in.sees("f")+also(condition)+`
			GROUP BY k.key, k.normal
		) counted WHERE at <= @limit ORDER BY key, at`, a)
	options := map[query.Field][]Option{}
	for _, r := range rows {
		if d, ok := query.Lookup(query.AttributeField(r.Key)); ok && d.Kind == query.Enum {
			options[d.Field] = append(options[d.Field], r.Option)
		}
	}
	return options, err
}

// AttributeFields lists the fields that are attributes of the team's files, the
// commonest first.
func (f Facets) AttributeFields(ctx context.Context, limit int) ([]query.Definition, error) {
	keys, err := f.tx.AttributeKeys(ctx, f.in, FileLevel, "", MatchExact, limit)
	var list []query.Definition
	for _, k := range keys {
		if d, ok := query.Lookup(query.AttributeField(k.Key)); ok {
			list = append(list, d)
		}
	}
	return list, err
}

// MetadataFields lists the fields that the team has declared of its files'
// metadata.
func (f Facets) MetadataFields(ctx context.Context) ([]query.Definition, error) {
	keys, err := f.tx.MetadataKeys(ctx, f.in)
	list := make([]query.Definition, len(keys))
	for i, k := range keys {
		list[i] = k.Field()
	}
	return list, err
}

// Fact is a value of a file-level attribute in the forms that filters compare.
type Fact struct {
	Key        string          `db:"key"`
	Value      string          `db:"value"` // as it is written
	Normal     string          `db:"normal"`
	Number     *float64        `db:"number"`
	Day        *string         `db:"day"`
	Confidence float32         `db:"confidence"`
	Source     string          `db:"source"`
	Spans      []AttributeSpan `db:"spans"`
}

// FactValues are the values of file-level attributes of files, by file and key in
// their order: as they are written, of dates what filters compare.
func (q Queries) FactValues(ctx context.Context, in Scope, fileIDs []string, fields []query.Definition) (map[string]map[string][]string, error) {
	values := map[string]map[string][]string{}
	if len(fields) == 0 {
		return values, nil
	}
	keys, dates := make([]string, len(fields)), []string{}
	for i, d := range fields {
		keys[i] = d.Key
		if d.Kind == query.Date {
			dates = append(dates, d.Key)
		}
	}
	type row struct {
		FileID string   `db:"file_id"`
		Key    string   `db:"key"`
		Values []string `db:"values"`
	}
	rows, err := many[row](ctx, q, `
		SELECT file_id, key, array_agg(CASE WHEN key = ANY(@dates) THEN normal ELSE value END ORDER BY ordinal) AS values FROM attributes
		WHERE file_id = ANY(@ids::uuid[]) AND team_id = @team AND level = 'file' AND key = ANY(@keys)`+in.seesFile("file_id")+` GROUP BY file_id, key`,
		in.args(args{"ids": fileIDs, "keys": keys, "dates": dates}))
	for _, r := range rows {
		if values[r.FileID] == nil {
			values[r.FileID] = map[string][]string{}
		}
		values[r.FileID][r.Key] = r.Values
	}
	return values, err
}

// Facts lists the values of a file's own attributes, in their order.
func (q Queries) Facts(ctx context.Context, in Scope, fileID string) ([]Fact, error) {
	return many[Fact](ctx, q, `
		SELECT key, value, normal, magnitude(normal)::float8 AS number, to_char(day(normal), 'YYYY-MM-DD') AS day, confidence, source, spans
		FROM attributes WHERE file_id = @id AND team_id = @team AND level = 'file' ORDER BY ordinal, key`,
		args{"id": fileID, "team": in.TeamID})
}

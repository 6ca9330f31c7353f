package db

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/query"
)

// AttributeLevel is what an attribute is about.
type AttributeLevel string

// The levels.
const (
	FileLevel AttributeLevel = "file" // the file as a whole
	SpanLevel AttributeLevel = "span" // a place in it
)

// Attribute is a fact of a file.
type Attribute struct {
	ID         string          `db:"id"`
	Level      AttributeLevel  `db:"level"`
	Ordinal    int             `db:"ordinal"` // its place within the level
	Key        string          `db:"key"`     // in small letters, digits and underscores
	Value      string          `db:"value"`   // its words on one line
	Normalized json.RawMessage `db:"normalized"`
	Confidence float32         `db:"confidence"` // 0 to 1
	Source     string          `db:"source"`     // rule or human
	Spans      []AttributeSpan `db:"spans"`      // the best evidence first; none where users set the value, or another reading than this found it

	// What a person decided on this value by itself.
	Decision  *AttributeDecision `db:"decision"`
	DecidedBy *string            `db:"decided_by"`
	DecidedAt *time.Time         `db:"decided_at"`

	// Canonical is Normalized on one line, the same for equal values; "" where
	// there is nothing but the words. It is written only.
	Canonical string `db:"-"`
}

// AttributeSpan is a place that an attribute was read from.
type AttributeSpan struct {
	Start int    `json:"start"` // code points of the canonical text, half open
	End   int    `json:"end"`
	Page  int    `json:"page"`  // where it begins, from 1
	Quote string `json:"quote"` // what the text has there
}

// attributeColumns are those of Attribute, read from decided.
const attributeColumns = `a.id, a.level, a.ordinal, a.key, a.value, a.normalized, a.confidence, a.source, a.spans, d.decision, d.decided_by, d.decided_at`

// decided joins the decisions to attributes of an alias a. What people set has none.
const decided = ` a LEFT JOIN attribute_decisions d
	ON d.file_id = a.file_id AND d.key = a.key AND d.normal = a.normal AND a.level = 'file' AND a.source <> 'human'`

// SaveAttributes replaces what was read of a file with list, in its order. What
// users set on the file stays and wins: a key that they gave has no other
// value at the file level. It is Conflict where the text is no longer that of
// generation.
func (t *Tx) SaveAttributes(ctx context.Context, in Scope, fileID string, generation int, list []Attribute) error {
	if err := t.sameText(ctx, in, fileID, generation); err != nil {
		return err
	}
	return t.saveAttributes(ctx, in, fileID, list)
}

// saveAttributes is SaveAttributes of the text that is there.
func (t *Tx) saveAttributes(ctx context.Context, in Scope, fileID string, list []Attribute) error {
	before, err := t.fileValues(ctx, in, fileID)
	if err != nil {
		return err
	}
	if err := later(ctx, t.Queries, `WITH `+forgetAttributes+` SELECT`, args{"id": fileID, "team": in.TeamID}); err != nil {
		return err
	}
	return t.addRead(ctx, in, fileID, "", list, before)
}

// SaveProposals replaces what models propose for a field in a file with list. What people
// said stays and wins. It is Conflict where the text is no longer that of generation.
func (t *Tx) SaveProposals(ctx context.Context, in Scope, fileID string, generation int, key string, list []Attribute) error {
	if err := t.sameText(ctx, in, fileID, generation); err != nil {
		return err
	}
	before, err := t.fileValues(ctx, in, fileID)
	if err != nil {
		return err
	}
	for _, table := range []string{"attributes", "overruled_attributes"} {
		if _, err := exec(ctx, t.Queries, `DELETE FROM `+table+` WHERE file_id = @id AND team_id = @team AND level = 'file' AND key = @key AND source = 'model'`,
			args{"id": fileID, "team": in.TeamID, "key": key}); err != nil {
			return err
		}
	}
	return t.addRead(ctx, in, fileID, key, list, before)
}

// addRead adds what was read of a file, of one key if that is given. before are the values
// of the file level that were there.
func (t *Tx) addRead(ctx context.Context, in Scope, fileID, key string, list []Attribute, before []string) error {
	type known struct {
		Said  []string `db:"said"`  // keys that people gave values
		Own   []string `db:"own"`   // keys of the team's fields
		Named bool     `db:"named"` // the file has parties that were read in it
	}
	is, err := one[known](ctx, t.Queries, `
		SELECT ARRAY(SELECT DISTINCT key FROM attributes WHERE file_id = @id AND team_id = @team AND source = 'human') AS said,
			ARRAY(SELECT key FROM fields WHERE team_id = @team) AS own,
			EXISTS (SELECT FROM files WHERE id = @id AND team_id IS NOT DISTINCT FROM @team AND parties_source = 'read' AND parties <> '[]') AS named`,
		args{"id": fileID, "team": in.TeamID})
	if err != nil {
		return err
	}
	verdicts, again, err := t.verdicts(ctx, in, fileID, key, list)
	if err != nil {
		return err
	}
	kept, overruled := make([]Attribute, 0, len(list)), []Attribute{}
	for _, a := range slices.Concat(list, again) {
		a.Source = "rule"
		if a.Level == FileLevel && slices.Contains(is.Own, a.Key) {
			a.Source = "model"
		}
		if a.Level == SpanLevel || !slices.Contains(is.Said, a.Key) && verdicts[a.sameValue()] != RefusedValue {
			kept = append(kept, a)
		} else {
			overruled = append(overruled, a)
		}
	}
	if err := t.addAttributes(ctx, in, "attributes", fileID, kept); err != nil {
		return err
	}
	if err := t.addAttributes(ctx, in, "overruled_attributes", fileID, overruled); err != nil {
		return err
	}
	after, err := t.fileValues(ctx, in, fileID)
	if err != nil {
		return err
	}
	if is.Named || slices.ContainsFunc(slices.Concat(before, after), func(value string) bool { return strings.HasPrefix(value, "party=") }) {
		if err := t.readParties(ctx, in, fileID); err != nil {
			return err
		}
	}
	if slices.Equal(before, after) {
		return nil
	}
	return t.LabelsChanged(ctx, in, []string{fileID})
}

// forgetAttributes removes what was read of a file, what people overruled included: two
// parts of a statement, which take its id and its team.
const forgetAttributes = `
	attributes_gone AS (DELETE FROM attributes WHERE file_id = @id AND team_id = @team AND source <> 'human'),
	overruled_gone AS (DELETE FROM overruled_attributes WHERE file_id = @id AND team_id IS NOT DISTINCT FROM @team)`

// fileValues are the values of the file level, which a search engine filters by.
func (q Queries) fileValues(ctx context.Context, in Scope, fileID string) ([]string, error) {
	return values[string](ctx, q, `
		SELECT key || '=' || normal FROM attributes WHERE file_id = @id AND team_id = @team AND level = 'file' ORDER BY 1`,
		args{"id": fileID, "team": in.TeamID})
}

// SetAttribute records what a person says the values of a key of a file are, in
// place of what was read and of what was said before. No values take back what
// was said: what was read counts again. It is Invalid where key is none.
func (t *Tx) SetAttribute(ctx context.Context, in Scope, fileID, key string, list []Attribute) error {
	if !attributeKey.MatchString(key) {
		return fault.New(fault.Invalid, "a key is a small letter and at most 99 small letters, digits and underscores")
	}
	if _, err := t.FileForUpdate(ctx, in, fileID); err != nil {
		return err
	}
	if err := t.markGiven(ctx, in, fileID, key, list); err != nil {
		return err
	}
	before, err := t.writeAttribute(ctx, in, fileID, key, list)
	if err != nil || before == 0 && len(list) == 0 {
		return err
	}
	action := "file.attribute_set"
	if len(list) == 0 {
		action = "file.attribute_withdrawn"
	}
	return t.Audit(ctx, in, action, "file", fileID, map[string]any{"key": key, "values": len(list), "before": before})
}

// writeAttribute puts values of people for a key of a file, which is held, in place of those
// before, which it counts, and of what was read.
func (t *Tx) writeAttribute(ctx context.Context, in Scope, fileID, key string, list []Attribute) (before int, err error) {
	before, err = t.overrule(ctx, in, fileID, key, len(list) > 0)
	if err != nil || before == 0 && len(list) == 0 {
		return before, err
	}
	if err := t.addGiven(ctx, in, fileID, key, list); err != nil {
		return before, err
	}
	if err := t.readParties(ctx, in, fileID); err != nil {
		return before, err
	}
	if err := t.decidedOnField(ctx, in, key); err != nil {
		return before, err
	}
	return before, t.LabelsChanged(ctx, in, []string{fileID})
}

// addGiven adds values that people gave.
func (t *Tx) addGiven(ctx context.Context, in Scope, fileID, key string, list []Attribute) error {
	said := make([]Attribute, len(list))
	for i, a := range list {
		a.Level, a.Ordinal, a.Key, a.Source, a.Confidence = FileLevel, i, key, "human", 1
		said[i] = a
	}
	return t.addAttributes(ctx, in, "attributes", fileID, said)
}

// replaceGiven writes the values that people gave for a key anew: their places have changed
// with the text.
func (t *Tx) replaceGiven(ctx context.Context, in Scope, fileID, key string, list []Attribute) error {
	if _, err := exec(ctx, t.Queries, `DELETE FROM attributes WHERE file_id = @id AND team_id = @team AND level = 'file' AND key = @key AND source = 'human'`,
		args{"id": fileID, "team": in.TeamID, "key": key}); err != nil {
		return err
	}
	return t.addGiven(ctx, in, fileID, key, list)
}

// overrule deletes the values that users set for a key of a file, counts them, and takes
// what was read out of what holds or puts it back there.
func (t *Tx) overrule(ctx context.Context, in Scope, fileID, key string, overruled bool) (said int, err error) {
	a := args{"id": fileID, "team": in.TeamID, "key": key}
	const which = `WHERE file_id = @id AND team_id = @team AND level = 'file' AND key = @key`
	n, err := exec(ctx, t.Queries, `DELETE FROM attributes `+which+` AND source = 'human'`, a)
	if err != nil {
		return 0, err
	}
	if overruled {
		return int(n), t.moveAttributes(ctx, "attributes", "overruled_attributes", which, a)
	}
	return int(n), t.moveAttributes(ctx, "overruled_attributes", "attributes", which+` AND NOT EXISTS (
		SELECT FROM attribute_decisions d
		WHERE d.file_id = @id AND d.key = @key AND d.normal = overruled_attributes.normal AND d.decision = 'refused')`, a)
}

// moveAttributes takes attributes out of what holds, or puts them back there.
func (t *Tx) moveAttributes(ctx context.Context, from, to, where string, a args) error {
	_, err := exec(ctx, t.Queries, `
		WITH moved AS (DELETE FROM `+from+` `+where+` RETURNING `+attributeRow+`)
		INSERT INTO `+to+` (`+attributeRow+`) SELECT `+attributeRow+` FROM moved`, a)
	return err
}

// readParties gives files the parties that their attributes name, unless people
// have given them others. The counterparties are those that are not the team, where one
// is: which side a team is on is not known otherwise. A team is known by its own
// names, and an organization by that of the team as well until people have set others.
func (t *Tx) readParties(ctx context.Context, in Scope, fileIDs ...string) error {
	_, err := exec(ctx, t.Queries, `
		WITH held AS MATERIALIZED (
			SELECT id FROM files WHERE id = ANY(@ids) AND team_id IS NOT DISTINCT FROM @team AND parties_source IS DISTINCT FROM 'given' ORDER BY id FOR NO KEY UPDATE
		), own AS MATERIALIZED (
			SELECT unnest(own_names) AS name FROM teams WHERE id = @team
			UNION SELECT name FROM teams WHERE id = @team AND kind = 'organization' AND own_names_source IS DISTINCT FROM 'given'
		), named AS (
			SELECT a.file_id, left(coalesce(nullif(a.normalized ->> 'name', ''), a.value), 500) AS name, left(coalesce(a.normalized ->> 'role', ''), 200) AS role,
				row_number() OVER (PARTITION BY a.file_id ORDER BY a.ordinal) AS place
			FROM attributes a JOIN held h ON h.id = a.file_id WHERE a.team_id = @team AND a.level = 'file' AND a.key = 'party'
		), sides AS (
			SELECT n.*, EXISTS (SELECT FROM own o WHERE is_party(n.name, o.name)) AS ours FROM named n WHERE place <= @most
		), told AS (
			SELECT h.id,
				coalesce(jsonb_agg(CASE WHEN role = '' THEN jsonb_build_object('name', name) ELSE jsonb_build_object('name', name, 'role', role) END ORDER BY place)
					FILTER (WHERE s.file_id IS NOT NULL), '[]') AS parties,
				coalesce(CASE WHEN bool_or(ours) THEN array_agg(name ORDER BY place) FILTER (WHERE NOT ours) END, '{}') AS counterparties
			FROM held h LEFT JOIN sides s ON s.file_id = h.id GROUP BY h.id
		)
		UPDATE files f SET parties = told.parties, counterparties = told.counterparties, parties_source = 'read', progress_at = now()
		FROM told
		WHERE f.id = told.id AND (f.parties, f.counterparties) IS DISTINCT FROM (told.parties, told.counterparties)`,
		args{"ids": fileIDs, "team": in.TeamID, "most": maxParties})
	return err
}

// IsAttributeKey reports whether an attribute may have a key.
func IsAttributeKey(key string) bool { return attributeKey.MatchString(key) }

var attributeKey = regexp.MustCompile(`^[a-z][a-z0-9_]{0,99}$`)

// attributeRow is all columns of attributes, and of those that were overruled.
const attributeRow = `id, file_id, team_id, level, ordinal, key, value, normalized, confidence, source, spans, start_at, end_at, folded, normal`

// addAttributes writes rows to attributes, or to those that were overruled.
func (t *Tx) addAttributes(ctx context.Context, in Scope, table, fileID string, list []Attribute) error {
	return copyRows(ctx, t.Queries, table, attributeRow, list, func(_ int, a Attribute) []any {
		normalized, spans := a.Normalized, a.Spans
		if normalized == nil {
			normalized = json.RawMessage("{}")
		}
		if spans == nil {
			spans = []AttributeSpan{}
		}
		var start, end *int
		if len(spans) > 0 {
			start, end = &spans[0].Start, &spans[0].End
		}
		return []any{NewID(), fileID, in.TeamID, a.Level, a.Ordinal, a.Key, a.Value, normalized, a.Confidence, a.Source, spans, start, end, query.Fold(a.Value), a.normal()}
	})
}

// normal is the same for equal values.
func (a Attribute) normal() string { return cmp.Or(query.Fold(a.Canonical), query.Fold(a.Value)) }

// AttributePlace narrows what is read of a file's attributes.
type AttributePlace struct {
	Level AttributeLevel
	Key   string // "" is any
	Start int    // code points; of what overlaps the range, which is the whole text where End is 0
	End   int
	After int // the ordinal that they follow, -1 for the start
	Limit int
}

// Attributes lists the attributes of a file in order; of a key, those that
// people gave are all there are at the file level.
func (q Queries) Attributes(ctx context.Context, in Scope, fileID string, p AttributePlace) ([]Attribute, error) {
	return many[Attribute](ctx, q, `
		SELECT `+attributeColumns+` FROM attributes`+decided+`
		WHERE a.file_id = @id AND a.team_id = @team AND a.level = @level AND (@key = '' OR a.key = @key) AND a.ordinal > @after
			AND (@end = 0 OR (a.start_at < @end AND a.end_at > @start))
		ORDER BY a.ordinal, a.key LIMIT @limit`, args{
		"id": fileID, "team": in.TeamID, "level": p.Level, "key": p.Key, "after": p.After, "start": p.Start, "end": p.End, "limit": p.Limit,
	})
}

// CountAttributes counts what Attributes would list without After and Limit.
func (q Queries) CountAttributes(ctx context.Context, in Scope, fileID string, p AttributePlace) (int, error) {
	return value[int](ctx, q, `
		SELECT count(*) FROM attributes
		WHERE file_id = @id AND team_id = @team AND level = @level AND (@key = '' OR key = @key)
			AND (@end = 0 OR (start_at < @end AND end_at > @start))`, args{
		"id": fileID, "team": in.TeamID, "level": p.Level, "key": p.Key, "start": p.Start, "end": p.End,
	})
}

// AttributeMatch is how close a value must be to what is looked for.
type AttributeMatch string

// The ways, each of which takes what those before it do.
const (
	MatchExact   AttributeMatch = "exact"   // the same but for capitals, accents and spaces
	MatchPrefix  AttributeMatch = "prefix"  // begins with it
	MatchSimilar AttributeMatch = "similar" // has its words, wherever and in spite of typing errors
)

// AttributeSearch asks for the values that a team's files have.
type AttributeSearch struct {
	Levels      []AttributeLevel
	Keys        []string     // nil is any
	FileIDs     []string     // nil is any
	Where       query.Filter // of query.Attributes, and checked
	Text        string       // "" is any
	Match       AttributeMatch
	Most        int // values to look at where more match Text, in each way to, and for the spellings of one; 0 is all
	Occurrences int // how many to list of each value
	Limit       int
	Offset      int
}

// FoundValue is a value of a key with all the words that it is written in.
type FoundValue struct {
	Level       AttributeLevel    `db:"level"`
	Key         string            `db:"key"`
	Value       string            `db:"value"` // its commonest words
	Aliases     []string          `db:"aliases"`
	Normalized  json.RawMessage   `db:"normalized"`
	Count       int               `db:"count"`
	Files       int               `db:"files"`
	Score       float64           `db:"score"` // 1 is exact, more than similarScore a prefix; 0 without a text
	Occurrences []ValueOccurrence `db:"occurrences"`
	Total       int               `db:"total"` // of all pages
}

// Match is how the value matches the search text, "" where that was empty.
func (v FoundValue) Match() AttributeMatch { return matchOf(v.Score) }

// ValueOccurrence is a place that has a value.
type ValueOccurrence struct {
	FileID     string          `json:"file_id"`
	FileName   string          `json:"file_name"`
	Value      string          `json:"value"`
	Confidence float32         `json:"confidence"`
	Spans      []AttributeSpan `json:"spans"`
}

// The scores of what fits; what is similar gets its part of similarScore.
const (
	prefixScore  = 0.9
	similarScore = 0.8
)

func matchOf(score float64) AttributeMatch {
	switch {
	case score == 0:
		return ""
	case score >= 1:
		return MatchExact
	case score > similarScore:
		return MatchPrefix
	default:
		return MatchSimilar
	}
}

// leastSimilar is the share of a word's trigrams that a value must have: of a
// word of eight letters with one wrong it has half.
const leastSimilar = 0.4

// mostCompared is how many attributes of a value are counted to tell which of values that
// match equally well is the commoner.
const mostCompared = 50

// mostAliases is how many ways to write a value are listed, the commonest first.
const mostAliases = 10

// AttributeValues lists values, the best fit first and the commonest of equal
// ones.
func (d *DB) AttributeValues(ctx context.Context, in Scope, s AttributeSearch) ([]FoundValue, error) {
	s.Text = query.Fold(s.Text)
	a := args{
		"team": in.TeamID, "hidden": in.Hidden, "levels": s.Levels, "keys": s.Keys, "files": s.FileIDs, "text": s.Text, "words": wordsOf(s.Text),
		"least": leastSimilar, "prefix": prefixScore, "similar": similarScore,
		"aliases": mostAliases, "occurrences": s.Occurrences, "limit": s.Limit, "offset": s.Offset, "most": s.Most, "compared": mostCompared,
	}
	condition, err := conditions(s.Where, a, query.Attributes)
	if err != nil {
		return nil, err
	}
	anyWords := s.Match == MatchSimilar && s.Most > 0 && s.Keys == nil && s.FileIDs == nil && condition == ""
	arg := given(anyWords)
	if anyWords {
		d = d.Prepared() // the index of trigrams
	}
	where := `a.team_id = ` + arg("team", "uuid") + ` AND a.level = ANY(` + arg("levels", "text[]") + `::text[])` + in.seesFile("a.file_id")
	if s.Keys != nil {
		where += ` AND a.key = ANY(@keys)`
	}
	if s.FileIDs != nil {
		where += ` AND a.file_id = ANY(@files)`
	}
	where += also(condition)
	const same = ` AND (a.level, a.key, a.normal) = (m.level, m.key, m.normal)`
	score, ways, grouped := `0::float8`, ``, `SELECT `+valueColumns+` FROM attributes a WHERE `+where+byValue
	counted, joined, spelled := `m.count, m.files`, ``, ``
	if s.Text != "" {
		score = `(SELECT max(` + scoreOf(`folded`, `g.normal`) + `) FROM unnest(g.folded) folded)`
		ways, grouped = s.matching(where, anyWords && len(in.Hidden) == 0, a, arg)
	}
	if s.Text != "" && s.Most > 0 {
		spelled = ` LIMIT ` + arg("most", "bigint")
		counted, joined = `c.count, c.files`, `CROSS JOIN LATERAL (
			SELECT count(*) AS count, count(DISTINCT a.file_id) AS files FROM attributes a WHERE `+where+same+`
		) c`
	}
	var found []FoundValue
	err = d.InTx(ctx, func(t *Tx) (err error) {
		if err := t.setLeastSimilar(ctx); err != nil {
			return err
		}
		found, err = many[FoundValue](ctx, t.Queries, `
			WITH `+ways+`grouped AS (`+grouped+`
			), matching AS (
				SELECT level, key, normal, count, files, `+score+` AS score FROM grouped g
			), shown AS (
				SELECT *, count(*) OVER () AS total FROM matching
				ORDER BY score DESC, files DESC, count DESC, key, normal, level LIMIT `+arg("limit", "bigint")+` OFFSET `+arg("offset", "bigint")+`
			)
			SELECT m.level, m.key, w.aliases[1] AS value, w.aliases[2:] AS aliases, w.normalized, `+counted+`, m.score, o.occurrences, m.total
			FROM shown m CROSS JOIN LATERAL (
				SELECT array_agg(value ORDER BY count DESC, value) AS aliases, (array_agg(normalized ORDER BY count DESC, value))[1] AS normalized
				FROM (
					SELECT a.value, min(a.normalized::text)::jsonb AS normalized, count(*) AS count FROM (
						SELECT a.value, a.normalized FROM attributes a WHERE `+where+same+spelled+`
					) a GROUP BY a.value ORDER BY count DESC, a.value LIMIT `+arg("aliases", "bigint")+` + 1
				) a
			) w CROSS JOIN LATERAL (
				SELECT coalesce(jsonb_agg(jsonb_build_object('file_id', x.file_id, 'file_name', f.name, 'value', x.value,
					'confidence', x.confidence, 'spans', x.spans) ORDER BY x.file_id DESC, x.ordinal), '[]') AS occurrences
				FROM (
					SELECT a.* FROM attributes a WHERE `+where+same+`
					ORDER BY a.file_id DESC, a.ordinal LIMIT `+arg("occurrences", "bigint")+`
				) x JOIN files f ON f.id = x.file_id AND f.team_id = @team
			) o `+joined+`
			ORDER BY m.score DESC, m.files DESC, m.count DESC, m.key, m.normal, m.level`, a)
		return err
	})
	return found, err
}

// Attributes a as rows of values: their columns, and what they are grouped by.
const (
	valueColumns = `a.level, a.key, a.normal, count(*) AS count, count(DISTINCT a.file_id) AS files, array_agg(DISTINCT a.folded) AS folded`
	byValue      = ` GROUP BY a.level, a.key, a.normal`
)

// matching renders the values that match the folded text, of attributes a that where lets through:
// common table expressions, and the query of valueColumns that reads them. Where any file will
// do, so many values are looked at as s.Most, and of each no more attributes than show which
// of them are common: a hundred thousand files may have few values between them. Otherwise it
// is so many attributes, as most values may be of other files.
func (s AttributeSearch) matching(where string, anyFile bool, a args, arg func(name, kind string) string) (ways, grouped string) {
	fits := fitting(s.Match, wordsOf(s.Text), a, arg)
	known := func(fits string) string {
		values := `v.level, v.key, v.normal, v.folded FROM attribute_values v WHERE (` + fits + `) AND v.level = ANY(` + arg("levels", "text[]") + `::text[])`
		if s.Keys != nil {
			values += ` AND v.key = ANY(@keys)`
		}
		return values
	}
	// Value by value: joined in any order, all attributes of a team may be read for a few values.
	has := func(fits string) string {
		return `(SELECT DISTINCT ` + known(fits) + `) v CROSS JOIN LATERAL (
			SELECT a.id, a.level, a.key, a.normal, a.folded, a.file_id FROM attributes a
			WHERE ` + where + ` AND (a.level, a.key, a.normal, a.folded) = (v.level, v.key, v.normal, v.folded) OFFSET 0
		) a`
	}
	if s.Most == 0 {
		return "", `SELECT ` + valueColumns + ` FROM ` + has(strings.Join(fits, ` OR `)) + byValue
	}
	for i, way := range fits {
		if anyFile {
			fits[i] = known(way)
		} else {
			fits[i] = `a.* FROM ` + has(way)
		}
	}
	ways = considered(fits, arg("most", "bigint"))
	if !anyFile {
		return ways, `SELECT ` + valueColumns + ` FROM considered a` + byValue
	}
	return ways, `
		SELECT v.level, v.key, v.normal, c.count, c.count AS files, v.folded
		FROM (SELECT level, key, normal, array_agg(folded) AS folded FROM considered GROUP BY level, key, normal) v
		CROSS JOIN LATERAL (
			SELECT count(*) AS count FROM (
				SELECT FROM attributes a WHERE ` + where + ` AND (a.level, a.key, a.normal) = (v.level, v.key, v.normal) LIMIT ` + arg("compared", "bigint") + `
			) a
		) c WHERE c.count > 0`
}

// considered renders what is looked at where not all of it is: of each of ways
// to fit, which are queries but for their SELECT, the first that the index has. What is not
// limited there is planned as if all were read, by the index and not from end to end.
func considered(ways []string, most string) string {
	var all, first []string
	for i, way := range ways {
		all = append(all, fmt.Sprintf(`way_%d AS MATERIALIZED (SELECT %s), `, i, way))
		first = append(first, fmt.Sprintf(`(SELECT * FROM way_%d LIMIT %s)`, i, most))
	}
	return strings.Join(all, ``) + `considered AS (` + strings.Join(first, ` UNION `) + `), `
}

// fitting is the conditions of a way to match, on attribute_values v of a team: one of them
// is enough. Of the words that are looked for it adds to args the longest. Arg renders one of
// them.
func fitting(match AttributeMatch, words []string, a args, arg func(name, kind string) string) []string {
	a["placed"] = fmt.Sprint(a["team"], a["text"])
	placed := arg("placed", "text")
	exact, prefix := []string{}, []string{}
	for _, column := range []string{"normal", "folded"} {
		value := `(v.team_id::text || v.` + column + `) COLLATE "C"` // as indexed
		exact = append(exact, value+` = `+placed)
		prefix = append(prefix, value+` >= `+placed+` AND `+value+` < `+placed+` || U&'\+10FFFF'`) // a range, which an index knows to find
	}
	either := func(of []string) string { return strings.Join(of, ` OR `) }
	switch {
	case match == MatchExact:
		return []string{either(exact)}
	case match == MatchPrefix || len(words) == 0:
		return []string{either(exact), either(prefix)}
	}
	// The index knows what has a word like another. Asked for all of them it reads
	// of the common ones no more than the rare ones have.
	const both, most = `(v.folded || ' ' || v.normal)`, 8
	similar := `v.team_id = ` + arg("team", "uuid")
	if len(words) > most {
		similar += ` AND ` + hasWords(both)
		words = slices.SortedStableFunc(slices.Values(words), func(x, y string) int { return cmp.Compare(len(y), len(x)) })[:most]
	}
	for i, word := range words {
		name := fmt.Sprintf("word_%d", i)
		a[name] = word
		similar += ` AND ` + arg(name, "text") + ` <% ` + both
	}
	return []string{either(exact), either(prefix), similar}
}

// hasWords is the condition that a text has every word that is looked for, or
// one like it.
func hasWords(text string) string {
	return `cardinality(@words::text[]) > 0 AND NOT EXISTS (SELECT FROM unnest(@words::text[]) w WHERE word_similarity(w, ` + text + `) < @least)`
}

// scoreOf renders how well one of two texts fits.
func scoreOf(x, y string) string {
	return `CASE WHEN @text IN (` + x + `, ` + y + `) THEN 1::float8
		WHEN starts_with(` + x + `, @text) OR starts_with(` + y + `, @text) THEN @prefix
		ELSE @similar * (SELECT avg(word_similarity(w, ` + x + ` || ' ' || ` + y + `)) FROM unnest(` + opaque("words", "text[]") + `) w) END`
}

// setLeastSimilar sets the similarity threshold of pg_trgm for the transaction.
func (t *Tx) setLeastSimilar(ctx context.Context) error {
	_, err := exec(ctx, t.Queries, `SELECT set_config('pg_trgm.word_similarity_threshold', @least, true)`, args{"least": fmt.Sprint(leastSimilar)})
	return err
}

// wordsOf cuts folded text into its words.
func wordsOf(folded string) []string {
	return strings.FieldsFunc(folded, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) })
}

// FoundKey is a key that files of a team have.
type FoundKey struct {
	Key      string   `db:"key"`
	Count    int      `db:"count"`
	Files    int      `db:"files"`
	Score    float64  `db:"score"`
	Examples []string `db:"examples"` // the first of its values in the order of the alphabet
}

// Match is how the key matches the search text, "" where that was empty.
func (k FoundKey) Match() AttributeMatch { return matchOf(k.Score) }

// AttributeKeys lists the keys of a level that are like text, or all of them,
// the best fit first and then the commonest.
func (q Queries) AttributeKeys(ctx context.Context, in Scope, level AttributeLevel, text string, match AttributeMatch, limit int) ([]FoundKey, error) {
	text = strings.ReplaceAll(query.Fold(text), "_", " ")
	a := args{
		"team": in.TeamID, "hidden": in.Hidden, "level": level, "text": text, "words": wordsOf(text), "limit": limit,
		"least": leastSimilar, "prefix": prefixScore, "similar": similarScore,
	}
	score, fits := `0::float8`, `true`
	if text != "" {
		score, fits = scoreOf(`k.words`, `k.words`), map[AttributeMatch]string{
			MatchExact:   `k.words = @text`,
			MatchPrefix:  `starts_with(k.words, @text)`,
			MatchSimilar: `starts_with(k.words, @text) OR ` + hasWords(`k.words`),
		}[match]
	}
	return many[FoundKey](ctx, q, `
		WITH by_file AS (
			SELECT key, file_id, count(*) AS count FROM attributes WHERE team_id = @team AND level = @level`+in.seesFile("file_id")+` GROUP BY key, file_id
		), keys AS (
			SELECT key, replace(key, '_', ' ') AS words, sum(count)::bigint AS count, count(*) AS files FROM by_file GROUP BY key
		)
		SELECT k.key, k.count, k.files, `+score+` AS score, ARRAY(
			SELECT min(a.value) FROM (
				SELECT value, normal FROM attributes WHERE team_id = @team AND level = @level AND key = k.key`+in.seesFile("file_id")+` ORDER BY normal LIMIT 100
			) a GROUP BY a.normal ORDER BY a.normal LIMIT 3
		) AS examples
		FROM keys k WHERE `+fits+`
		ORDER BY score DESC, files DESC, count DESC, k.key LIMIT @limit`, a)
}

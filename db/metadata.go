package db

import (
	"context"
	"crypto/md5" //nolint:gosec // of what is public
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/query"
)

// MetadataType is what the values of a declared key of metadata are: text, number,
// date, money or choice.
type MetadataType string

// MetadataKey is what a team has declared of a member of its files' metadata.
type MetadataKey struct {
	Key         string       `db:"key"`
	ID          string       `db:"id"` // what the audit knows it by
	Type        MetadataType `db:"type"`
	Choices     []string     `db:"choices"`
	Description string       `db:"description"`
	CreatedBy   *string      `db:"created_by"`
	CreatedAt   time.Time    `db:"created_at"`
	UpdatedAt   time.Time    `db:"updated_at"`
}

const metadataColumns = `key, id, type, choices, description, created_by, created_at, updated_at`

// maxMetadataKeys is how many a team may declare.
const maxMetadataKeys = 200

// Field is how lists of files are filtered by the key.
func (k MetadataKey) Field() query.Definition {
	d, _ := query.Lookup(query.MetadataField(k.Key))
	d.Kind = map[MetadataType]query.Kind{"number": query.Number, "money": query.Number, "date": query.Date, "choice": query.Enum}[k.Type]
	if d.Kind == "" {
		d.Kind = query.Text
	}
	return d
}

// MetadataKeys lists what a team has declared, by key.
func (q Queries) MetadataKeys(ctx context.Context, in Scope) ([]MetadataKey, error) {
	return many[MetadataKey](ctx, q, `SELECT `+metadataColumns+` FROM metadata_keys WHERE team_id = @team ORDER BY key`, args{"team": in.TeamID})
}

// MetadataKey is one of them.
func (q Queries) MetadataKey(ctx context.Context, in Scope, key string) (MetadataKey, error) {
	return one[MetadataKey](ctx, q, `SELECT `+metadataColumns+` FROM metadata_keys WHERE team_id = @team AND key = @key`, args{"team": in.TeamID, "key": key})
}

// MetadataUse is how many files have a member of metadata.
type MetadataUse struct {
	Files int `db:"files"`
	Unfit int `db:"unfit"` // with a value that is not of the type
}

// MetadataUse counts the files that have what k declares.
func (q Queries) MetadataUse(ctx context.Context, in Scope, k MetadataKey) (MetadataUse, error) {
	return one[MetadataUse](ctx, q, `
		SELECT count(*) AS files, count(*) FILTER (WHERE NOT metadata_fits(f.metadata -> @key, @type, @choices)) AS unfit
		FROM files f WHERE f.team_id = @team AND f.metadata <> '{}' AND f.metadata ? @key`+in.sees("f"),
		in.args(args{"key": k.Key, "type": string(k.Type), "choices": list(k.Choices)}))
}

// DeclareMetadata adds a key; one that is declared is Conflict.
func (t *Tx) DeclareMetadata(ctx context.Context, in Scope, k MetadataKey) (MetadataKey, error) {
	declared, err := t.MetadataKeys(ctx, in)
	if err != nil {
		return k, err
	}
	if len(declared) >= maxMetadataKeys {
		return k, fault.Newf(fault.Conflict, "a team declares %d keys of metadata at most", maxMetadataKeys)
	}
	row, err := one[MetadataKey](ctx, t.Queries, `
		INSERT INTO metadata_keys (team_id, key, type, choices, description, created_by) VALUES (@team, @key, @type, @choices, @description, @user)
		ON CONFLICT DO NOTHING RETURNING `+metadataColumns, args{
		"team": in.TeamID, "key": k.Key, "type": string(k.Type), "choices": list(k.Choices), "description": k.Description, "user": nullable(in.UserID()),
	})
	if fault.KindOf(err) == fault.NotFound {
		return row, fault.New(fault.Conflict, "that key is declared already")
	}
	if err != nil {
		return row, err
	}
	return row, t.Audit(ctx, in, "metadata_key.created", "metadata_key", row.ID, map[string]any{"key": row.Key, "type": row.Type})
}

// MetadataChange is what is said of a key; a nil field stays as it is.
type MetadataChange struct {
	Type        *MetadataType
	Choices     *[]string
	Description *string
}

// ChangeMetadataKey applies c. What the key has then is checked by fits.
func (t *Tx) ChangeMetadataKey(ctx context.Context, in Scope, key string, c MetadataChange, fits func(MetadataKey) error) (MetadataKey, error) {
	row, err := one[MetadataKey](ctx, t.Queries, `
		UPDATE metadata_keys SET type = coalesce(@type, type), choices = coalesce(@choices, choices), description = coalesce(@description, description), updated_at = now()
		WHERE team_id = @team AND key = @key RETURNING `+metadataColumns,
		args{"team": in.TeamID, "key": key, "type": c.Type, "choices": c.Choices, "description": c.Description})
	if err != nil {
		return row, err
	}
	if err := fits(row); err != nil {
		return row, err
	}
	return row, t.Audit(ctx, in, "metadata_key.updated", "metadata_key", row.ID, map[string]any{"key": row.Key, "type": row.Type})
}

// ForgetMetadataKey takes a declaration back. Values stay.
func (t *Tx) ForgetMetadataKey(ctx context.Context, in Scope, key string) error {
	id, err := value[string](ctx, t.Queries, `DELETE FROM metadata_keys WHERE team_id = @team AND key = @key RETURNING id::text`,
		args{"team": in.TeamID, "key": key})
	if err != nil {
		return err
	}
	return t.Audit(ctx, in, "metadata_key.deleted", "metadata_key", id, map[string]any{"key": key})
}

// checkMetadata is Invalid where a value that is new is not what its key was
// declared as. What stays as it was, before, is left.
func (t *Tx) checkMetadata(ctx context.Context, in Scope, before, metadata json.RawMessage) error {
	if metadata == nil {
		return nil
	}
	if before == nil {
		before = json.RawMessage("{}")
	}
	unfit, err := many[MetadataKey](ctx, t.Queries, `
		SELECT `+metadataColumns+` FROM metadata_keys
		WHERE team_id = @team AND @metadata::jsonb ? key AND @metadata::jsonb -> key IS DISTINCT FROM @before::jsonb -> key
			AND NOT metadata_fits(@metadata::jsonb -> key, type, choices) ORDER BY key LIMIT 1`,
		args{"team": in.TeamID, "metadata": metadata, "before": before})
	if err != nil || len(unfit) == 0 {
		return err
	}
	k := unfit[0]
	must := map[MetadataType]string{
		"text": "text", "number": `a number, as 12.5 or "12.5"`, "date": "a day, as 2026-03-31", "money": `money, as {"amount": "1250.00", "currency": "USD"}`,
	}[k.Type]
	if k.Type == "choice" {
		must = "one of " + strings.Join(k.Choices, ", ")
	}
	return fault.Newf(fault.Invalid, "metadata: %s must be %s, or a list of such values", k.Key, must)
}

// memberColumn is where a member of metadata lives. The key is anybody's word.
func memberColumn(d query.Definition) column {
	c := column{rows: "metadata_values(f.metadata -> " + literal(d.Member) + ") v", sql: "(v #>> '{}')"}
	switch d.Kind { //nolint:exhaustive // the others are words
	case query.Number:
		c.sql = "metadata_number(v)"
	case query.Date:
		c.sql = "day(v #>> '{}')::timestamp AT TIME ZONE 'UTC'"
	case query.Enum:
		c.sql = "fold(v #>> '{}')"
	}
	return c
}

// literal is a text as SQL has it.
func literal(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// wholeValues are the lexemes of metadata_vector for folded values of a member.
func wholeValues(member string, values []string) string {
	lexemes := make([]string, len(values))
	for i, v := range values {
		sum := md5.Sum([]byte(member + " " + v)) //nolint:gosec // of what is public
		lexemes[i] = "'is=" + hex.EncodeToString(sum[:]) + "'"
	}
	return strings.Join(lexemes, " | ")
}

// indexed is a condition that a member of metadata is one of values, with the
// index in front.
func (d *dialect) indexed(c query.Comparison, condition string) string {
	if len(c.Texts) == 0 {
		return "false"
	}
	team, _ := d.args["team"].(string)
	words := d.arg(fmt.Sprintf("'%s' & (%s)", TeamLexeme(team), wholeValues(c.Member, c.Texts)))
	return "(f.metadata <> '{}' AND metadata_vector(f.team_id, f.metadata) @@ " + words + "::tsquery AND " + condition + ")"
}

// FoundMetadata is a value in the metadata of a file.
type FoundMetadata struct {
	FileID   string `db:"file_id"`
	FileName string `db:"file_name"`
	Key      string `db:"key"`
	Value    string `db:"value"`
	Total    int    `db:"total"` // as far as mostRanked
}

// MetadataLike lists values in the metadata of files that have all words of text,
// in the files that filter, which was checked, lets through; the newest file first.
func (q Queries) MetadataLike(ctx context.Context, in Scope, text string, filter query.Filter, limit int) ([]FoundMetadata, error) {
	a := in.args(args{"text": text, "most": mostRanked, "limit": limit, "within": "'" + TeamLexeme(in.TeamID) + "'"})
	condition, err := conditions(filter, a, query.Files)
	if err != nil {
		return nil, err
	}
	ofTeam := `f.team_id = @team`
	if condition == "" { // the index of metadata, whatever the words
		q, ofTeam = q.prepared(), `f.team_id IS NOT DISTINCT FROM @team`
	}
	return many[FoundMetadata](ctx, q, `
		WITH asked AS (SELECT websearch_to_tsquery('english', searchable(@text)) AS words), found AS MATERIALIZED (
			SELECT f.id AS file_id, f.name AS file_name, f.metadata FROM asked, files f
			WHERE f.metadata <> '{}' AND numnode(asked.words) > 0 AND metadata_vector(f.team_id, f.metadata) @@ (asked.words && @within::tsquery)
				AND `+ofTeam+in.sees("f")+also(condition)+` LIMIT @most
		)
		SELECT f.file_id, f.file_name, m.key, v #>> '{}' AS value, count(*) OVER () AS total
		FROM asked, found f, jsonb_each(f.metadata) m, metadata_values(m.value) v
		WHERE to_tsvector('english', searchable(v #>> '{}')) @@ asked.words
		ORDER BY f.file_id DESC, m.key, value LIMIT @limit`, a)
}

package db

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"github.com/clausemill/clausemill/query"
)

// table is where the rows of a source live.
type table struct {
	name, alias string
	link        string // to the file that a row belongs to
}

// tables is the star that questions are asked of, with files in its middle.
var tables = map[query.Source]table{
	query.Files:      {"files", "f", ""},
	query.Sentences:  {"sentences", "s", "s.file_id = f.id"},
	query.Attributes: {"attributes", "a", "a.file_id = f.id"},
	query.Matters:    {"matters", "m", "m.id = f.matter_id"},
	query.Audit:      {"audit_events", "e", ""},
}

// column is where a field lives.
type column struct {
	sql  string // an expression over the rows of its table, or over those of rows
	rows string // what a row of its table has several of, in a FROM
	link string // to that row, where it is not in rows: a condition that Postgres can begin with
	name string // an expression for what to show of value x, where that is not x
	real bool   // a number of single precision, as which it must be compared
}

// columns is where each field lives. A field that is absent here cannot reach
// SQL, which is what keeps dynamic queries free of injection.
var columns = map[query.Field]column{
	query.File:               {sql: "f.id", name: "(SELECT name FROM files WHERE id = x AND team_id = @team)"},
	query.Name:               {sql: "f.name"},
	query.Path:               {sql: "nullif(f.path, '')"},
	query.Status:             {sql: "f.status"},
	query.ErrorCode:          {sql: "f.error_code"},
	query.DocumentType:       {sql: "f.document_type_id", name: "(SELECT name FROM document_types WHERE id = x AND team_id = @team)"},
	query.DocumentTypeSource: {sql: "f.document_type_source"},
	query.Matter:             {sql: "f.matter_id", name: "(SELECT name FROM matters WHERE id = x AND team_id = @team)"},
	query.LifecycleStage:     {sql: "f.lifecycle_stage"},
	query.Language:           {sql: "nullif(f.language, '')"},
	query.FileSource:         {sql: "f.source"},
	query.ContentType:        {sql: "f.content_type"},
	query.PageCount:          {sql: "f.page_count"},
	query.Size:               {sql: "f.size"},
	query.Party:              {sql: "fold(p ->> 'name')", rows: "jsonb_array_elements(f.parties) p"},
	query.Counterparty:       {sql: "fold(c)", rows: "unnest(f.counterparties) c"},
	query.PartyRole:          {sql: "fold(" + partyInRole + ")", rows: partiesWith("true")},
	query.OurRole:            {sql: "fold(p ->> 'role')", rows: partiesWith("cardinality(f.counterparties) > 0 AND NOT " + isCounterparty)},
	query.CounterpartyRole:   {sql: "fold(p ->> 'role')", rows: partiesWith(isCounterparty)},
	query.Category:           {sql: "g.id", rows: categorizedFiles.rows(), link: categorizedFiles.link("f"), name: categoryName},
	query.CreatedBy:          {sql: "f.created_by", name: userName},
	query.CreatedAt:          {sql: "f.created_at"},
	query.UpdatedAt:          {sql: "f.progress_at"},
	query.HasOCR:             {sql: "f.pages_ocr > 0"},
	query.Duplicate:          {sql: "f.duplicate_of IS NOT NULL"},
	query.NeedsReview:        {sql: hasDoubtful},

	query.Sentence:    {sql: "s.id"},
	query.Label:       {sql: "s.label"}, // the first: where there are several, see labelOf, pairColumns and hasLabel
	query.LabelSource: {sql: "s.source"},
	query.LabelScore:  {sql: "s.score", real: true},
	query.Page:        {sql: "s.page"},

	query.AttributeKey:    {sql: "a.key"},
	query.AttributeLevel:  {sql: "a.level"},
	query.AttributeValue:  {sql: "a.normal"},
	query.AttributeOrigin: {sql: "a.source"},
	query.Confidence:      {sql: "a.confidence", real: true},
	query.ValueNumber:     {sql: "magnitude(a.normal)"},
	query.ValueDate:       {sql: "day(a.normal)::timestamp AT TIME ZONE 'UTC'"},
	query.Currency:        {sql: currencyOf("a")},

	query.MatterName:         {sql: "m.name"},
	query.MatterStage:        {sql: "m.stage"},
	query.MatterStatus:       {sql: "m.status"},
	query.MatterSource:       {sql: "nullif(fold(m.source), '')"},
	query.MatterParty:        {sql: "fold(p ->> 'name')", rows: "jsonb_array_elements(m.parties) p"},
	query.MatterCounterparty: {sql: "fold(c)", rows: "unnest(m.counterparties) c"},
	query.MatterOwner:        {sql: "m.owner_id", name: userName},
	query.MatterCategory:     {sql: "g.id", rows: categorizedMatters.rows(), link: categorizedMatters.link("m"), name: categoryName},
	query.MatterDueAt:        {sql: "m.due_at"},
	query.MatterCreatedAt:    {sql: "m.created_at"},

	query.Action:       {sql: "lower(e.action)"},
	query.Actor:        {sql: "e.actor_id", name: userName},
	query.ActorKind:    {sql: "e.actor_kind"},
	query.ResourceKind: {sql: "lower(e.resource_kind)"},
	query.OccurredAt:   {sql: "e.created_at"},
}

// partyInRole is a party of a file with what the contract calls it, and isCounterparty is
// that it is one of those that are not the team. Files have few parties.
const (
	partyInRole    = `(p ->> 'name') || ' (' || (p ->> 'role') || ')'`
	isCounterparty = `fold(p ->> 'name') IN (SELECT fold(c) FROM unnest(f.counterparties) c)`
)

// partiesWith are the parties of a file that have a role, those for which a condition holds.
func partiesWith(condition string) string {
	return "(SELECT p FROM jsonb_array_elements(f.parties) p WHERE p ->> 'role' <> '' AND " + condition + ") r"
}

// labelOf is where the labels of files live, and pairColumns is where the fields of labels
// do in rows of sentences with each of their labels, as l.
var (
	labelOf     = column{sql: "n.label", rows: "file_nodes n", link: "n.file_id = f.id AND n.team_id = @team"}
	pairColumns = map[query.Field]column{
		query.Label:       {sql: "l.node"},
		query.LabelSource: {sql: "coalesce(l.source, s.source)"},
		query.LabelScore:  {sql: "CASE WHEN l.node IS NULL THEN s.score ELSE l.score END", real: true},
	}
)

// hasDoubtful is that a file has a value that is as unsure as nlp.DoubtfulFact and that nobody
// decided on. The index attributes_doubtful has its first part.
const hasDoubtful = `EXISTS (
	SELECT FROM attributes doubt WHERE doubt.file_id = f.id AND doubt.team_id = @team AND doubt.level = 'file' AND doubt.source <> 'human' AND doubt.confidence < 0.75
		AND NOT EXISTS (SELECT FROM attribute_decisions d WHERE d.file_id = doubt.file_id AND d.key = doubt.key AND d.normal = doubt.normal))`

// userName is the name of a user who is, or was, of use to the team.
const userName = "(SELECT coalesce(nullif(name, ''), email) FROM users WHERE id = x)"

// categoryName is the name of a category.
const categoryName = "(SELECT name FROM categories WHERE id = x AND team_id = @team)"

// currencyOf is the currency of an amount of attributes of an alias.
func currencyOf(alias string) string { return "nullif(" + alias + ".normalized ->> 'currency', '')" }

// shownAs is how people see a value of attributes of an alias: its words, and of a place its
// plain name, however the contract writes it.
func shownAs(alias string) string {
	keys := make([]string, len(query.Places))
	for i, key := range query.Places {
		keys[i] = "'" + key + "'"
	}
	return strings.ReplaceAll("CASE WHEN a.key IN ("+strings.Join(keys, ", ")+") THEN coalesce(nullif(a.normalized ->> 'name', ''), a.value) ELSE a.value END", "a.", alias+".")
}

// columnOf is where d lives. The key of an attribute is letters, digits and
// underscores.
func columnOf(d query.Definition) column {
	if d.Member != "" {
		return memberColumn(d)
	}
	if d.Key == "" {
		return columns[d.Field]
	}
	c := column{rows: "attributes k", sql: "k.normal"}
	switch d.Kind { //nolint:exhaustive // the others are words
	case query.Number:
		c.sql = "magnitude(k.normal)"
		if known, _ := query.Lookup(d.Field); known.Kind == query.Enum { // of a cap on liability: no duration
			c.sql = "CASE WHEN k.normal !~ '^p' THEN magnitude(k.normal) END"
		}
	case query.Date:
		c.sql = "day(k.normal)::timestamp AT TIME ZONE 'UTC'"
	}
	return c
}

// rowsOf is what of a column's rows belong to one row of its table, as a FROM
// and a WHERE.
func (c column) rowsOf(d query.Definition) string {
	if d.Key != "" {
		return c.rows + " WHERE " + attributesOf(d.Key)
	}
	return c.rows + " WHERE " + cmp.Or(c.link, "true")
}

// attributesOf is that attributes k are those of a file with a key.
func attributesOf(key string) string {
	return "k.file_id = f.id AND k.team_id = @team AND k.level = 'file' AND k.key = '" + key + "'"
}

// dialect writes conditions for Postgres.
type dialect struct {
	args   args
	direct map[query.Source]bool // tables whose alias is in reach
	base   query.Source          // of them, the one that others are linked to
	pairs  bool                  // rows are sentences with each of their labels
}

// conditions renders filter for statements that have the given tables, under
// their aliases, and @team. It adds the values to a. The first table is the
// one that the rows are of.
func conditions(filter query.Filter, a args, base query.Source, joined ...query.Source) (string, error) {
	return filter.Render(newDialect(a, base, joined...))
}

func newDialect(a args, base query.Source, joined ...query.Source) *dialect {
	d := &dialect{args: a, direct: map[query.Source]bool{base: true}, base: base}
	for _, s := range joined {
		d.direct[s] = true
	}
	return d
}

// arg keeps a value and returns how to name it.
func (d *dialect) arg(v any) string {
	name := fmt.Sprintf("filter%d", len(d.args))
	d.args[name] = v
	return "@" + name
}

// Not holds of what a condition does not hold of, NULL included.
func (d *dialect) Not(condition string) string { return "(" + condition + ") IS NOT TRUE" }

// Compare is a condition on a field, wherever that lives.
func (d *dialect) Compare(c query.Comparison) string {
	if c.Words != nil {
		return d.reach(c.Of, d.says(*c.Words))
	}
	if c.Than != nil {
		return d.reach(c.Of, d.than(c))
	}
	negated := false
	switch c.Op { //nolint:exhaustive // the others are as they are
	case query.NotIn:
		c.Op, negated = query.In, true
	case query.Missing:
		c.Op, negated = query.Exists, true
	}
	where := columnOf(c.Definition)
	pair, ofLabel := pairColumns[c.Field]
	switch {
	case d.pairs && ofLabel:
		where = pair
	case c.Field == query.Label && !d.direct[query.Sentences]:
		where, c.Of = labelOf, query.Files
	}
	condition := d.compare(where, c)
	switch {
	case where.rows != "":
		condition = "EXISTS (SELECT FROM " + where.rowsOf(c.Definition) + " AND " + condition + ")"
		if c.Member != "" && c.Op == query.In {
			condition = d.indexed(c, condition)
		}
	case c.Field == query.Label && !d.pairs && c.Op == query.In:
		condition = hasLabel("s", d.arg(c.Texts))
	}
	condition = d.reach(c.Of, condition)
	if negated {
		return d.Not(condition)
	}
	return condition
}

// than is a condition on two fields of a file: any value of the one compares so with any of the
// other, sums of money with those of the same currency. The keys lead to the few rows of a file.
func (d *dialect) than(c query.Comparison) string {
	one, other := columnOf(c.Definition), columnOf(*c.Than)
	if c.Than.Key != "" { // beside the attributes of the first
		other.rows, other.sql = "attributes k2", strings.ReplaceAll(other.sql, "k.", "k2.")
	}
	switch {
	case len(c.Texts) > 0:
		other.sql = "(" + other.sql + " + " + d.arg(c.Texts[0]) + "::text::interval)"
	case len(c.Numbers) > 0:
		other.sql = "(" + other.sql + ") * " + d.arg(c.Numbers[0]) + "::float8"
	}
	condition := one.sql + " " + comparisons[c.Op] + " " + other.sql
	if c.MayBeMoney() {
		condition += " AND " + currencyOf("k") + " IS NOT DISTINCT FROM " + currencyOf("k2")
	}
	var from, where []string
	for _, side := range []struct {
		d     query.Definition
		c     column
		alias string
	}{{c.Definition, one, "k"}, {*c.Than, other, "k2"}} {
		if side.d.Key != "" {
			from = append(from, side.c.rows)
			where = append(where, strings.ReplaceAll(attributesOf(side.d.Key), "k.", side.alias+"."))
		}
	}
	if len(from) == 0 {
		return condition
	}
	return "EXISTS (SELECT FROM " + strings.Join(from, ", ") + " WHERE " + strings.Join(append(where, condition), " AND ") + ")"
}

// OfOneLabel is that one label of a sentence meets all of list. Postgres can begin with
// the sentences that have it.
func (d *dialect) OfOneLabel(list []query.Comparison) (condition string, ok bool) {
	if d.pairs || !d.direct[query.Sentences] {
		return "", false
	}
	pairs := *d
	pairs.pairs = true
	var has, meets []string
	for _, c := range list {
		if c.Field == query.Label && c.Op == query.In {
			has = append(has, hasLabel("s", d.arg(c.Texts)))
		}
		meets = append(meets, pairs.Compare(c))
	}
	has = append(has, "EXISTS (SELECT FROM (SELECT) one LEFT JOIN "+eachLabel+" ON true WHERE "+strings.Join(meets, " AND ")+")")
	return "(" + strings.Join(has, " AND ") + ")", true
}

// says is that a file has a sentence, or a name, that a search finds. The index has
// the team with each sentence. What asks for nothing to be there is in most files, so
// that theirs are read, one after the other up to the first.
func (d *dialect) says(w query.Words) string {
	if w.Query == "" {
		return "false"
	}
	if w.Absent {
		return "EXISTS (SELECT FROM (SELECT said.vector FROM sentences said WHERE said.file_id = f.id AND said.team_id = @team OFFSET 0) said WHERE said.vector @@ " + d.arg(w.Query) + "::tsquery)"
	}
	team, _ := d.args["team"].(string)
	words := d.arg(fmt.Sprintf("'%s' & (%s)", TeamLexeme(team), w.Query)) + "::tsquery"
	return `f.id IN (
		SELECT said.file_id FROM sentences said WHERE said.vector @@ ` + words + ` AND said.team_id = @team
		UNION ALL SELECT called.id FROM files called WHERE called.vector @@ ` + words + ` AND called.team_id = @team
	)`
}

// reach makes a condition on one table a condition on those that are direct.
func (d *dialect) reach(of query.Source, condition string) string {
	if !d.direct[of] && of != query.Files {
		t := tables[of]
		condition = "EXISTS (SELECT FROM " + t.name + " " + t.alias + " WHERE " + t.link + " AND " + t.alias + ".team_id = @team AND " + condition + ")"
		of = query.Files
	}
	if !d.direct[of] {
		condition = "EXISTS (SELECT FROM files f WHERE " + tables[d.base].link + " AND f.team_id = @team AND " + condition + ")"
	}
	return condition
}

var comparisons = map[query.Op]string{query.AtLeast: ">=", query.AtMost: "<=", query.Above: ">", query.Below: "<"}

func (d *dialect) compare(where column, c query.Comparison) string {
	sql, number := where.sql, "float8"
	if where.real {
		number = "real"
	}
	switch {
	case c.Op == query.Exists:
		return sql + " IS NOT NULL"
	case c.Kind == query.Enum && c.Op == query.Contains:
		return "' ' || regexp_replace(" + sql + ", '[" + query.Punctuation + " ]+', ' ', 'g') LIKE '% ' || " + d.arg(likeLiteral.Replace(c.Texts[0])) + " || '%'"
	case c.Kind == query.Enum && c.Names:
		return sql + " = ANY(" + d.arg(uuids(c.Texts)) + "::uuid[])"
	case c.Kind == query.Enum:
		return sql + " = ANY(" + d.arg(c.Texts) + ")"
	case c.Op == query.StartsWith:
		return sql + " ILIKE " + d.arg(likeLiteral.Replace(c.Texts[0])) + " || '%'"
	case c.Kind == query.Text && c.Op == query.In:
		return "fold(" + sql + ") = ANY(" + d.arg(c.Texts) + ")"
	case c.Kind == query.Text:
		return sql + " ILIKE '%' || " + d.arg(likeLiteral.Replace(c.Texts[0])) + " || '%'"
	case c.Kind == query.Boolean && c.Yes:
		return "(" + sql + ")"
	case c.Kind == query.Boolean:
		return "NOT (" + sql + ")"
	case c.Kind == query.Number && c.Op == query.In:
		return sql + " = ANY(" + d.arg(c.Numbers) + "::" + number + "[])"
	case c.Kind == query.Number:
		return sql + " " + comparisons[c.Op] + " " + d.arg(c.Numbers[0]) + "::" + number
	default:
		return sql + " " + comparisons[c.Op] + " " + d.arg(c.Time) + "::timestamptz"
	}
}

// likeLiteral escapes % and _ for LIKE.
var likeLiteral = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// uuids leaves out what is no id, and so names nothing.
func uuids(list []string) []string {
	ids := []string{}
	for _, v := range list {
		if len(v) == 36 && uuid.Validate(v) == nil {
			ids = append(ids, v)
		}
	}
	return ids
}

// also is a condition as it follows others.
func also(condition string) string {
	if condition == "" {
		return ""
	}
	return " AND " + condition
}

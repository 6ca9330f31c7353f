package db

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/query"
)

// Group is a group of rows and its measure.
type Group struct {
	Keys   []*string       `db:"keys"`   // the values that its rows share, nil for none
	Names  []*string       `db:"names"`  // their display names
	Value  json.RawMessage `db:"value"`  // a number, an instant, or nil where there is nothing to measure
	Groups int             `db:"groups"` // of all, beyond the limit too
}

// CurrencyKey is the column that is added to the keys where amounts of money
// are measured: there is no sum over currencies.
const CurrencyKey = "currency"

// Aggregate carries out a question that was checked, in a transaction that can
// only read. It is Invalid where that takes longer than patience, and adds a
// key for the currency where ByCurrency says so.
func (d *DB) Aggregate(ctx context.Context, in Scope, q query.Query, patience time.Duration) ([]Group, error) {
	a := in.args(args{"limit": q.Limit})
	var sql string
	if counted(q) {
		sql = aggregateCounts(in, q, a)
	} else {
		var err error
		if sql, err = aggregate(in, q, a); err != nil {
			return nil, err
		}
	}
	var groups []Group
	err := d.readOnly(ctx, patience, func(t *Tx) (err error) {
		groups, err = many[Group](ctx, t.Queries, sql, a)
		return err
	})
	return groups, err
}

// readOnly runs fn in a transaction that can only read, with a limit for each
// statement.
func (d *DB) readOnly(ctx context.Context, patience time.Duration, fn func(t *Tx) error) error {
	err := d.InTx(ctx, func(t *Tx) error {
		if _, err := exec(ctx, t.Queries, `SET TRANSACTION READ ONLY`, nil); err != nil {
			return err
		}
		if _, err := exec(ctx, t.Queries, `SELECT set_config('statement_timeout', @limit, true)`, args{"limit": strconv.FormatInt(patience.Milliseconds(), 10)}); err != nil {
			return err
		}
		t.Queries = t.forValues()
		return fn(t)
	})
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.Code == "57014" && ctx.Err() == nil {
		return fault.Wrap(fault.Invalid, "the question takes too long to answer; narrow it by filters", err)
	}
	return err
}

// ByCurrency reports whether the groups of q have their currency as a last key.
func ByCurrency(q query.Query) bool {
	d, _ := query.Lookup(q.Metric.Field)
	return d.MayBeMoney() && q.Metric.Op != query.CountDistinct && !slices.Contains(q.GroupBy, query.Currency)
}

// selection is a FROM that grows by what fields need.
type selection struct {
	base   query.Source
	joined []query.Source
	sql    strings.Builder
	many   int
	pairs  bool // rows are sentences with each of their labels
}

func newSelection(base query.Source) *selection {
	s := &selection{base: base}
	s.sql.WriteString(tables[base].name + " " + tables[base].alias)
	return s
}

// countedSelection is that of countedFiles: each row stands for f.files files. See countable.
func countedSelection() *selection {
	s := &selection{base: query.Files}
	s.sql.WriteString(countedFiles + " f")
	return s
}

// has reports whether the rows of a source are in the FROM.
func (s *selection) has(of query.Source) bool { return of == s.base || slices.Contains(s.joined, of) }

// join adds what a source's fields need. A matter is optional, the file of a
// sentence or an attribute is not.
func (s *selection) join(of query.Source) {
	if s.has(of) {
		return
	}
	if of != query.Files {
		s.join(query.Files)
	}
	t, kind, link := tables[of], "JOIN", tables[of].link
	switch of { //nolint:exhaustive // the others have a row for each
	case query.Files:
		link = tables[s.base].link
	case query.Matters:
		kind = "LEFT JOIN"
	}
	fmt.Fprintf(&s.sql, " %s %s %s ON %s AND %[3]s.team_id = @team", kind, t.name, t.alias, link)
	s.joined = append(s.joined, of)
}

// expression is a field as the rows of a selection have it.
type expression struct {
	query.Definition
	sql      string
	words    string // how a value is written, of fields where that differs; else ""
	currency string // of an attribute that is money; else ""
}

// value adds a field. Of several values that a row has it gets a row for each,
// and for equal ones one if distinct.
func (s *selection) value(d query.Definition, distinct bool) expression {
	c := columnOf(d)
	pair, ofLabel := pairColumns[d.Field]
	switch {
	case s.pairs && ofLabel:
		return expression{Definition: d, sql: pair.sql}
	case d.Field == query.Label:
		c = labelOf
	default:
		s.join(d.Of)
	}
	if c.rows == "" {
		e := expression{Definition: d, sql: c.sql}
		if d.Field == query.AttributeValue {
			e.words = shownAs("a")
		}
		if d.Field == query.ValueNumber {
			e.currency = currencyOf("a")
		}
		return e
	}
	alias := fmt.Sprintf("v%d", s.many)
	s.many++
	columns, once := c.sql+" AS x", ""
	e := expression{Definition: d, sql: alias + ".x"}
	switch {
	case d.Member != "" && d.Kind == query.Enum:
		columns, e.words = columns+", v #>> '{}' AS w", alias+".w"
	case d.Key != "" && d.Kind == query.Enum:
		columns, e.words = columns+", "+shownAs("k")+" AS w", alias+".w"
	case d.Field == query.Party:
		columns, e.words = columns+", p ->> 'name' AS w", alias+".w"
	case d.Field == query.PartyRole:
		columns, e.words = columns+", "+partyInRole+" AS w", alias+".w"
	case d.Field == query.OurRole, d.Field == query.CounterpartyRole:
		columns, e.words = columns+", p ->> 'role' AS w", alias+".w"
	case d.Field == query.Counterparty:
		columns, e.words = columns+", c AS w", alias+".w"
	case d.MayBeMoney():
		columns, e.currency = columns+", "+currencyOf("k")+" AS u", alias+".u"
	}
	if distinct {
		once = "DISTINCT ON (x) "
		columns = once + "* FROM (SELECT " + columns
		fmt.Fprintf(&s.sql, " LEFT JOIN LATERAL (SELECT %s FROM %s) v ORDER BY x) %s ON true", columns, c.rowsOf(d), alias)
		return e
	}
	fmt.Fprintf(&s.sql, " LEFT JOIN LATERAL (SELECT %s FROM %s) %s ON true", columns, c.rowsOf(d), alias)
	return e
}

// name is the display name of the value in column x, w being how it is written.
func (e expression) name(x, w string) string {
	switch c := columns[e.Field]; {
	case c.name != "":
		return strings.ReplaceAll(c.name, "= x", "= "+x)
	case e.words != "":
		return w
	default:
		return x + "::text"
	}
}

// measures are the metrics as SQL.
var measures = map[query.MetricOp]string{
	query.CountDistinct: "count(DISTINCT %s)", query.Sum: "sum(%s)", query.Avg: "avg(%s)", query.Min: "min(%s)", query.Max: "max(%s)",
	query.Median: "percentile_cont(0.5) WITHIN GROUP (ORDER BY (%s)::float8)",
}

// aggregate renders q, which was checked, for what in sees, and adds its values to
// a.
func aggregate(in Scope, q query.Query, a args) (string, error) {
	from := newSelection(q.Source)
	byCounts := q.Source == query.Files && q.Metric.Op == query.Count && countable(q.Filter(), q.GroupBy...)
	if byCounts {
		from = countedSelection()
	}
	if q.Source == query.Sentences && (slices.Contains(q.GroupBy, query.Label) || q.Metric.Field == query.Label) {
		from.pairs = true
		from.sql.WriteString(" LEFT JOIN " + eachLabel + " ON true")
	}
	var keys []expression
	for _, f := range q.GroupBy {
		d, _ := query.Lookup(f)
		e := from.value(d, true)
		if d.Kind == query.Date {
			e.sql = fmt.Sprintf("date_trunc('%s', %s AT TIME ZONE 'UTC')::date", buckets[q.Bucket], e.sql)
		}
		keys = append(keys, e)
	}
	measure, measured := "count(*)", ""
	if byCounts {
		measure = "coalesce(sum(f.files), 0)::int"
	}
	if q.Metric.Field != "" {
		d := q.Metric.Measured()
		e := from.value(d, false)
		since := d.Kind == query.Date && q.Metric.Unit != ""
		if since {
			e.sql = "extract(epoch FROM now() - " + e.sql + ") / 86400"
		}
		if measured = e.sql; q.Metric.Op != query.Share {
			measure = fmt.Sprintf(measures[q.Metric.Op], e.sql)
		}
		if q.Metric.IsDate() {
			measure = writtenTime(measure)
		}
		if days := q.Metric.Unit.Days(); days > 1 || since {
			measure = fmt.Sprintf("round((%s)::numeric / %v, 2)", measure, days)
		}
		if ByCurrency(q) {
			keys = append(keys, expression{sql: e.currency})
		}
	}
	d := newDialect(a, from.base, from.joined...)
	d.pairs = from.pairs
	condition, err := q.Filter().Render(d)
	if err != nil {
		return "", err
	}
	only, err := query.And(q.Only...).Render(keyDialect{d, keys})
	if err != nil {
		return "", err
	}
	if q.Metric.Op == query.Share {
		share, err := q.Metric.Condition().Render(d)
		if err != nil {
			return "", err
		}
		measure = "round(100 * avg(coalesce((" + share + "), false)::int), 2)"
		if measured != "" { // of nothing there is no share
			measure = fmt.Sprintf("round(100 * coalesce(sum(%[1]s) FILTER (WHERE %[2]s), 0)::numeric / nullif(sum(%[1]s), 0)::numeric, 2)", measured, share)
		}
	}

	inner := []string{measure + " AS value"}
	bounds, beyond := having(q, measure, a)
	if beyond == "" {
		inner = append(inner, "count(*) OVER () AS groups")
	}
	var outerKeys, outerNames, group, order []string
	for i, k := range keys {
		x, w := fmt.Sprintf("k%d", i), fmt.Sprintf("w%d", i)
		inner = append(inner, k.sql+" AS "+x)
		if k.words != "" {
			inner = append(inner, "mode() WITHIN GROUP (ORDER BY "+k.words+` COLLATE "C") AS `+w)
		}
		outerKeys, outerNames = append(outerKeys, x+"::text"), append(outerNames, k.name(x, w))
		group, order = append(group, k.sql), append(order, x)
	}
	grouping := ""
	if len(keys) > 0 {
		grouping = " GROUP BY " + strings.Join(group, ", ")
	}
	if len(bounds) > 0 {
		grouping += " HAVING " + strings.Join(bounds, " AND ")
	}
	grouped := fmt.Sprintf(`SELECT %s FROM %s WHERE %s.team_id = @team%s%s`,
		strings.Join(inner, ", "), from.sql.String(), tables[q.Source].alias, in.seesRows(q.Source)+also(condition)+also(only), grouping)
	if beyond != "" {
		grouped = "SELECT *, count(*) OVER () AS groups FROM (SELECT *, " + wholes(q) + " FROM (" + grouped + ") g) g WHERE " + beyond
	}
	if q.Across != "" {
		return across(q, grouped), nil
	}
	return fmt.Sprintf(`
		SELECT ARRAY[%s]::text[] AS keys, ARRAY[%s]::text[] AS names, to_jsonb(value) AS value, groups FROM (%s%s LIMIT @limit) g%[4]s`,
		strings.Join(outerKeys, ", "), strings.Join(outerNames, ", "), grouped, ordering(q, order)), nil
}

// across is one figure of the measures of groups, for each currency where they have one as their
// last key. What has no value of a field that is grouped by is in none of them.
func across(q query.Query, grouped string) string {
	key, grouping := "", ""
	if ByCurrency(q) {
		key = fmt.Sprintf("k%d", len(q.GroupBy))
		grouping = " GROUP BY " + key
	}
	figure := fmt.Sprintf(measures[q.Across], "value")
	return fmt.Sprintf(`
		SELECT ARRAY[%s]::text[] AS keys, ARRAY[%[1]s]::text[] AS names, to_jsonb(round((%s)::numeric, 2)) AS value, (count(*) OVER ())::int AS groups
		FROM (%s) g WHERE %s%s ORDER BY max(value) DESC NULLS LAST LIMIT @limit`,
		key, figure, grouped, allNamed(q), grouping)
}

// allNamed is that a group has a value of all fields that are grouped by.
func allNamed(q query.Query) string {
	list := make([]string, len(q.GroupBy))
	for i := range q.GroupBy {
		list[i] = fmt.Sprintf("k%d IS NOT NULL", i)
	}
	return strings.Join(list, " AND ")
}

// having are the conditions on the measure of each group of q by itself, and beyond is that on figures
// of all groups, "" where there is none. Their values are added to a.
func having(q query.Query, measure string, a args) (conditions []string, beyond string) {
	var whole []string
	for i, b := range q.Having {
		key := fmt.Sprintf("having%d", i)
		a[key] = strconv.FormatFloat(b.Value, 'f', -1, 64)
		if b.Across != "" {
			whole = append(whole, fmt.Sprintf("value::numeric %s whole%d::numeric * @%s::numeric", comparisons[b.Op], i, key))
			continue
		}
		conditions = append(conditions, fmt.Sprintf("(%s)::numeric %s @%s::numeric", measure, comparisons[b.Op], key))
	}
	return conditions, strings.Join(whole, " AND ")
}

// wholes are the figures of all groups that bounds of q are, for each currency where groups have one.
func wholes(q query.Query) string {
	var list []string
	over := ""
	if ByCurrency(q) {
		over = fmt.Sprintf("PARTITION BY k%d", len(q.GroupBy))
	}
	for i, b := range q.Having {
		if b.Across != "" {
			list = append(list, fmt.Sprintf("%s FILTER (WHERE %s) OVER (%s) AS whole%d", fmt.Sprintf(measures[b.Across], "value"), allNamed(q), over, i))
		}
	}
	return strings.Join(list, ", ")
}

// keyDialect writes conditions on the keys of groups.
type keyDialect struct {
	*dialect

	keys []expression
}

// Compare is a condition on the key that a field is grouped by.
func (d keyDialect) Compare(c query.Comparison) string {
	i := slices.IndexFunc(d.keys, func(k expression) bool { return k.Field == c.Field })
	return d.compare(column{sql: d.keys[i].sql}, c)
}

// buckets are the periods that Postgres knows; a caller's word never is one.
var buckets = map[query.Bucket]string{
	query.Day: "day", query.Week: "week", query.Month: "month", query.Quarter: "quarter", query.Year: "year",
}

// ordering sorts groups by their value and the columns of their keys.
func ordering(q query.Query, keys []string) string {
	return " ORDER BY " + strings.Join(ordered(q.Sort, keys), ", ")
}

// ordered are the columns to sort by.
func ordered(s query.Sort, keys []string) []string {
	direction := ""
	if s == query.ByKeyDesc {
		direction = " DESC"
	}
	byKey := make([]string, len(keys))
	for i, k := range keys {
		byKey[i] = k + direction + " NULLS LAST"
	}
	switch s { //nolint:exhaustive // the others are about keys alone
	case query.ByValue:
		return append([]string{"value NULLS LAST"}, byKey...)
	case query.ByValueDesc:
		return append([]string{"value DESC NULLS LAST"}, byKey...)
	default:
		return append(byKey, "value")
	}
}

// writtenTime is a time as text, to the microsecond where it is so fine: as a
// bound it includes what it was read of.
func writtenTime(sql string) string {
	return "rtrim(rtrim(to_char(" + sql + ` AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z'`
}

package query_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/query"
)

// now is a Wednesday.
var now = time.Date(2026, 2, 18, 15, 4, 5, 0, time.UTC)

// words writes conditions so that people can read them.
type words struct{}

func (words) Not(condition string) string { return "not " + condition }

func (words) Compare(c query.Comparison) string {
	value := strings.Join(c.Texts, ",")
	switch c.Kind {
	case query.Number:
		for _, n := range c.Numbers {
			value += strconv.FormatFloat(n, 'g', -1, 64)
		}
	case query.Date:
		value = c.Time.Format(time.RFC3339)
	case query.Boolean:
		value = strconv.FormatBool(c.Yes)
	case query.Enum, query.Text:
	}
	return string(c.Field) + " " + string(c.Op) + " " + value
}

func render(t *testing.T, f query.Filter) string {
	t.Helper()
	checked, err := f.Checked(query.Files, now)
	require.NoError(t, err)
	text, err := checked.Render(words{})
	require.NoError(t, err)
	return text
}

func TestRender(t *testing.T) {
	t.Parallel()
	law := query.Is(query.AttributeField("governing_law"), "  New  YORK ")
	require.Equal(t, "attribute.governing_law in new york", render(t, law))
	require.Empty(t, render(t, query.And()))
	require.Equal(t, "(status in failed,queued AND not name contains Draft)", render(t, query.And(
		query.Is(query.Status, "failed", "queued"), query.Filter{}, query.Filter{Not: &query.Filter{Field: query.Name, Op: query.Contains, Values: []string{"Draft"}}})))
	require.Equal(t, "(pageCount gte 10 OR (hasOcr in true AND label missing ))", render(t, query.Filter{Any: []query.Filter{
		query.Compare(query.PageCount, query.AtLeast, "10"),
		{All: []query.Filter{query.Is(query.HasOCR, "true"), {Field: query.Label, Op: query.Missing}}},
	}}))
}

// TestDates holds dates to what they say: a day lasts until the next begins.
func TestDates(t *testing.T) {
	t.Parallel()
	for value, start := range map[string]string{
		"2024-02-29": "2024-02-29", "today": "2026-02-18", "today+90d": "2026-05-19", "today-2w": "2026-02-04",
		"today+1m": "2026-03-18", "today-1y": "2025-02-18", "week": "2026-02-16", "week-1": "2026-02-09",
		"month": "2026-02-01", "month+11": "2027-01-01", "month-2": "2025-12-01",
		"quarter": "2026-01-01", "quarter-1": "2025-10-01", "quarter+4": "2027-01-01", "year": "2026-01-01", "year-1": "2025-01-01",
		"january": "2026-01-01", "february": "2026-02-01", "march": "2025-03-01", "december+1m": "2026-01-01", "march-1y": "2024-03-01",
		"next-january": "2027-01-01", "next-february": "2026-02-01", "next-march": "2026-03-01", "next-march-2m": "2026-01-01", "next-december+1m": "2027-01-01",
		"february+17d": "2026-02-18", "february+18d": "2025-02-19", "next-february+17d": "2026-02-18", "next-february+16d": "2027-02-17", "february+0m+18d": "2026-02-19",
		"year+1+6m": "2027-07-01", "year-1+2m+14d": "2025-03-15", "quarter+1m": "2026-02-01", "next-march-1m+14d": "2026-02-15",
		"monday": "2026-02-16", "wednesday": "2026-02-18", "thursday": "2026-02-12", "next-monday": "2026-02-23", "next-wednesday": "2026-02-18", "next-friday": "2026-02-20", "friday-1w": "2026-02-06",
	} {
		day, err := time.Parse(time.DateOnly, start)
		require.NoError(t, err)
		next := day.AddDate(0, 0, 1)
		for op, want := range map[query.Op]string{
			query.AtLeast: "gte " + day.Format(time.RFC3339), query.Below: "lt " + day.Format(time.RFC3339),
			query.AtMost: "lt " + next.Format(time.RFC3339), query.Above: "gte " + next.Format(time.RFC3339),
		} {
			require.Equal(t, "createdAt "+want, render(t, query.Compare(query.CreatedAt, op, value)), value)
		}
	}
	require.Equal(t, "createdAt gt 2026-01-02T03:04:05Z", render(t, query.Compare(query.CreatedAt, query.Above, "2026-01-02T04:04:05+01:00")))
	_, err := query.Compare(query.CreatedAt, query.AtLeast, "today").Render(words{})
	require.Error(t, err, "somebody has to say what day it is")

	for op, want := range map[query.Op]string{query.AtMost: "lt", query.Above: "gte"} {
		f, err := query.Compare(query.CreatedAt, op, "9999-12-31").Checked(query.Files, now)
		require.NoError(t, err)
		require.Equal(t, "createdAt "+want+" 9999-12-31T23:59:59Z", render(t, f), "there is no day after it")
	}

	last := time.Date(2025, 12, 31, 23, 0, 0, 0, time.UTC)
	f, err := query.Compare(query.CreatedAt, query.AtLeast, "today+2m").Checked(query.Files, last)
	require.NoError(t, err)
	require.Equal(t, query.Values{"2026-02-28T00:00:00Z"}, f.Values, "a month's end stays one")
}

func TestFiltersThatAreNone(t *testing.T) {
	t.Parallel()
	deep := query.Is(query.Status, "failed")
	for range 6 {
		deep = query.Filter{Not: &deep}
	}
	many := query.Filter{}
	for range 101 {
		many.All = append(many.All, query.Is(query.Status, "failed"))
	}
	for about, f := range map[string]query.Filter{
		"is no field":            query.Is("colour", "red"),
		"is no field of files":   query.Is(query.Action, "file.created"),
		"\"attribute.A;\"":       query.Is(query.AttributeField("A;"), "x"),
		"takes in, notIn":        query.Compare(query.Status, query.AtLeast, "x"),
		"one value":              {Field: query.PageCount, Op: query.AtLeast, Values: []string{"1", "2"}},
		"takes no values":        {Field: query.PageCount, Op: query.Exists, Values: []string{"1"}},
		"is no number":           query.Compare(query.PageCount, query.AtLeast, "NaN"),
		"is no date":             query.Compare(query.CreatedAt, query.AtLeast, "soon"),
		"\"99999-01-01\"":        query.Compare(query.CreatedAt, query.AtLeast, "99999-01-01"),
		"takes true or false":    query.Is(query.HasOCR, "maybe"),
		"NUL":                    query.Is(query.Status, "a\x00"),
		"not empty":              query.Compare(query.Name, query.Contains, ""),
		"levels deep":            deep,
		"100 conditions":         many,
		"exactly one of field":   {Field: query.Status, Op: query.In, Any: []query.Filter{{}}},
		"need conditions":        {All: []query.Filter{}},
		"exactly one of field, ": {Op: query.In},
		"more than 500 values":   query.Is(query.Status, make([]string, 501)...),
		"cannot be compared":     query.Than(query.AttributeField("agreement_date"), query.Below, query.AttributeField("rent")),
		"with attribute.rent":    query.Than(query.PageCount, query.Below, query.AttributeField("rent")),
		"how far":                query.Than(query.CreatedAt, query.Above, query.UpdatedAt, "soon"),
		"a factor above 0":       query.Than(query.AttributeField("rent"), query.Above, query.AttributeField("deposit"), "-2"),
		"one value at most":      query.Than(query.CreatedAt, query.Above, query.UpdatedAt, "+1d", "+2d"),
		"than goes with":         query.Than(query.CreatedAt, query.In, query.UpdatedAt),
		"\"colour\" is no field": query.Than(query.CreatedAt, query.Above, "colour"),
		"longer than":            query.Is(query.Status, strings.Repeat("x", 3000)),
	} {
		_, err := f.Checked(query.Files, now)
		require.Equal(t, fault.Invalid, fault.KindOf(err), about)
		require.Contains(t, fault.Message(err), about)
	}
}

func TestParts(t *testing.T) {
	t.Parallel()
	status, label := query.Is(query.Status, "failed"), query.Is(query.Label, "governing_law")
	either := query.Filter{Any: []query.Filter{status, label}}
	f := query.And(query.And(status, label), either)
	require.Equal(t, []query.Filter{status, label, either}, f.Parts())
	require.Equal(t, []query.Field{query.Status, query.Label}, f.Uses())
	require.Equal(t, []query.Field{query.CreatedAt, query.UpdatedAt}, query.Than(query.CreatedAt, query.Below, query.UpdatedAt).Uses())
	require.True(t, f.UsesOf(query.Sentences))
	require.False(t, status.UsesOf(query.Sentences))
	require.Equal(t, query.And(label, either), f.Without(query.Status), "what is about more than the field stays")
	require.Nil(t, query.Filter{}.Parts())
	require.True(t, label.Asserts())
	require.False(t, query.Filter{Any: []query.Filter{label, {Not: &label}}}.Asserts())
}

// TestEveryFieldIsAskable holds definitions together: each is found by its name,
// belongs to a source and has operators.
func TestEveryFieldIsAskable(t *testing.T) {
	t.Parallel()
	for _, s := range query.Sources() {
		require.NotEmpty(t, query.Fields(s))
		for _, d := range query.Fields(s) {
			found, ok := query.Lookup(d.Field)
			require.True(t, ok)
			require.Equal(t, d, found)
			require.NotEmpty(t, d.Label)
			require.NotEmpty(t, d.Operators(), d.Field)
		}
	}
	for key, kind := range map[string]query.Kind{
		"governing_law": query.Enum, "expiration_date": query.Date, "renewal_term": query.Number, "notice_period": query.Number, "contract_value": query.Number,
		"rent": query.Number, "deposit": query.Number, "salary": query.Number, "principal": query.Number, "interest_rate": query.Number, "probation_period": query.Number,
	} {
		d, ok := query.Lookup(query.AttributeField(key))
		require.True(t, ok)
		require.Equal(t, kind, d.Kind, key)
		require.Equal(t, key, d.Key)
	}
}

func TestFold(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ in, want string }{
		{" Société  GÉNÉRALE\n", "societe generale"}, {"", ""}, {"ﬁne", "fine"}, {"a\u200db", "ab"},
		{strings.Repeat("x", 300), strings.Repeat("x", 200)},
	} {
		require.Equal(t, tt.want, query.Fold(tt.in))
		require.Equal(t, tt.want, query.Fold(tt.want))
	}
}

func TestQueriesAreChecked(t *testing.T) {
	t.Parallel()
	count := query.Metric{Op: query.Count}
	q, err := query.Query{Source: query.Files, Metric: count, GroupBy: []query.Field{query.CreatedAt}}.Checked(now)
	require.NoError(t, err)
	require.Equal(t, query.Query{Source: query.Files, Metric: count, GroupBy: []query.Field{query.CreatedAt}, Bucket: query.Month, Sort: query.ByKey, Limit: 100}, q)
	q, err = query.Query{Source: query.Files, Metric: count, GroupBy: []query.Field{query.Status}, Filters: []query.Filter{query.Compare(query.CreatedAt, query.AtLeast, "today")}}.Checked(now)
	require.NoError(t, err)
	require.Equal(t, query.ByValueDesc, q.Sort)
	require.Equal(t, "2026-02-18T00:00:00Z", q.Filters[0].Values[0])

	for about, q := range map[string]query.Query{
		"source must be":         {Source: "users", Metric: count},
		"the metric must be":     {Source: query.Files, Metric: query.Metric{Op: "mode", Field: query.Size}},
		"count takes no field":   {Source: query.Files, Metric: query.Metric{Op: query.Count, Field: query.Size}},
		"there is no sum of":     {Source: query.Files, Metric: query.Metric{Op: query.Sum, Field: query.Status}},
		"there is no share of":   {Source: query.Files, Metric: query.Metric{Op: query.Share, Field: query.Status, Filters: []query.Filter{query.Is(query.Status, "failed")}}},
		"share takes no unit":    {Source: query.Files, Metric: query.Metric{Op: query.Share, Unit: query.Year, Filters: []query.Filter{query.Is(query.Status, "failed")}}},
		"is no field":            {Source: query.Files, Metric: query.Metric{Op: query.Sum}},
		"is no field of audit":   {Source: query.Audit, Metric: count, GroupBy: []query.Field{query.Status}},
		"is no field of files":   {Source: query.Files, Metric: count, GroupBy: []query.Field{query.Label}},
		"at most 3 fields":       {Source: query.Files, Metric: count, GroupBy: []query.Field{query.Status, query.Matter, query.Language, query.Party}},
		"grouped by twice":       {Source: query.Files, Metric: count, GroupBy: []query.Field{query.Status, query.Status}},
		"a bucket needs a date":  {Source: query.Files, Metric: count, Bucket: query.Day},
		"bucket must be":         {Source: query.Files, Metric: count, GroupBy: []query.Field{query.CreatedAt}, Bucket: "hour"},
		"sort must be":           {Source: query.Files, Metric: count, Sort: "up"},
		"limit must be":          {Source: query.Files, Metric: count, Limit: 1001},
		"having needs a field":   {Source: query.Files, Metric: count, Having: []query.Bound{{Op: query.Above, Value: 3}}},
		"having needs a measure": {Source: query.Files, Metric: query.Metric{Op: query.Max, Field: query.CreatedAt}, GroupBy: []query.Field{query.Status}, Having: []query.Bound{{Op: query.Above, Value: 3}}},
		"having takes gte, lte":  {Source: query.Files, Metric: count, GroupBy: []query.Field{query.Status}, Having: []query.Bound{{Op: query.In, Value: 3}}},
		"a bound of having is":   {Source: query.Files, Metric: count, GroupBy: []query.Field{query.Status}, Having: []query.Bound{{Op: query.Above, Value: 1, Across: query.Median}}},
		"there is no avg of":     {Source: query.Files, Metric: query.Metric{Op: query.Avg, Field: query.CreatedAt}},
		"at most 2 bounds":       {Source: query.Files, Metric: count, GroupBy: []query.Field{query.Status}, Having: make([]query.Bound, 3)},
		"only takes conditions":  {Source: query.Files, Metric: count, GroupBy: []query.Field{query.Party}, Only: []query.Filter{query.Is(query.Status, "failed")}},
		"count takes no unit":    {Source: query.Files, Metric: query.Metric{Op: query.Count, Unit: query.Year}},
		"a unit is that of":      {Source: query.Files, Metric: query.Metric{Op: query.Avg, Field: query.PageCount, Unit: query.Year}},
		"takes in, notIn":        {Source: query.Files, Metric: count, Filters: []query.Filter{query.Compare(query.Status, query.AtLeast, "x")}},
		"exactly one of field, ": {Source: query.Files, Metric: count, Filters: []query.Filter{{Op: query.In}}},
	} {
		_, err := q.Checked(now)
		require.Equal(t, fault.Invalid, fault.KindOf(err), about)
		require.Contains(t, fault.Message(err), about)
	}
}

// FuzzFilter holds any filter that passes the check to rendering, and to
// resolving to the same again.
func FuzzFilter(f *testing.F) {
	f.Add("status", "in", "failed", 3)
	f.Add("attribute.expiration_date", "lte", "today+90d", 1)
	f.Add("pageCount", "gt", "1e308", 0)
	f.Fuzz(func(t *testing.T, field, op, value string, shape int) {
		filter := query.Filter{Field: query.Field(field), Op: query.Op(op), Values: []string{value}}
		switch shape {
		case 1:
			filter = query.Filter{Not: &filter}
		case 2:
			filter = query.Filter{Any: []query.Filter{filter, filter}}
		}
		checked, err := filter.Checked(query.Files, now)
		if err != nil {
			require.Equal(t, fault.Invalid, fault.KindOf(err))
			return
		}
		text, err := checked.Render(words{})
		require.NoError(t, err)
		again, err := checked.Checked(query.Files, now.AddDate(1, 0, 0))
		require.NoError(t, err)
		same, err := again.Render(words{})
		require.NoError(t, err)
		require.Equal(t, text, same)
	})
}

func TestLabelsTellUnits(t *testing.T) {
	t.Parallel()
	for key, label := range map[string]string{"notice_period": "Notice period in days", "renewal_term": "Renewal term in days", "governing_law": "Governing law"} {
		d, ok := query.Lookup(query.AttributeField(key))
		require.True(t, ok)
		require.Equal(t, label, d.Label)
	}
}

package db_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/query"
)

// contract gives a file a text with labelled sentences, and attributes.
func (b *bundle) contract(t *testing.T, in db.Scope, name string, labels []string, values map[string]string, change ...func(*db.NewFile)) db.File {
	t.Helper()
	f := b.file(t, in, append([]func(*db.NewFile){func(f *db.NewFile) { f.Name = name }}, change...)...)
	text := db.Text{Language: "en"}
	for i := range labels {
		text.Sentences = append(text.Sentences, db.Sentence{ID: db.NewID(), Ordinal: i, Page: i + 1, Start: 10 * i, End: 10*i + 9, Text: fmt.Sprintf("Sentence %d.", i)})
	}
	var list []db.Attribute
	for key, value := range values {
		normalized := "{}"
		if len(value) > 4 && value[len(value)-4] == ' ' {
			normalized = `{"currency":"` + value[len(value)-3:] + `"}`
		}
		list = append(list, db.Attribute{Level: db.FileLevel, Key: key, Value: value, Canonical: value, Confidence: 0.9, Normalized: json.RawMessage(normalized)})
	}
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		row, err := tx.SaveText(t.Context(), db.System(in.TeamID), f.ID, text)
		require.NoError(t, err)
		meaning := db.Meaning{Analysis: db.Analysis{Generation: row.Generation, Version: "1"}, Attributes: list}
		score := float32(0.9)
		for i, label := range labels {
			p := db.Prediction{SentenceID: text.Sentences[i].ID, Predicted: db.Predicted{Score: &score}}
			if label != "" {
				p.Label = &label
			}
			meaning.Labels = append(meaning.Labels, p)
		}
		return tx.SaveAnalysis(t.Context(), db.System(in.TeamID), f.ID, meaning)
	}))
	return f
}

// TestEveryFieldHasItsColumn asks every source about every field that it may
// use, in every way.
func TestEveryFieldHasItsColumn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.contract(t, b.ours, "one.pdf", []string{"governing_law"}, map[string]string{"expiration_date": "2027-03"})
	for _, s := range query.Sources() {
		fields := query.Fields(s)
		for _, key := range []string{"governing_law", "expiration_date", "contract_value", "notice_period"} {
			if d, ok := query.Lookup(query.AttributeField(key)); ok && s != query.Matters && s != query.Audit {
				fields = append(fields, d)
			}
		}
		for _, d := range fields {
			for _, op := range d.Operators() {
				f := query.Filter{Field: d.Field, Op: op, Values: []string{map[query.Kind]string{
					query.Enum: "x", query.Text: "x", query.Number: "1", query.Date: "2026-01-01", query.Boolean: "true",
				}[d.Kind]}}
				if op == query.Exists || op == query.Missing {
					f.Values = nil
				}
				for _, filter := range []query.Filter{f, {Not: &f}} {
					q, err := query.Query{Source: s, Metric: query.Metric{Op: query.Count}, Filters: []query.Filter{filter}}.Checked(time.Now())
					require.NoError(t, err, "%s %s %s", s, d.Field, op)
					read, err := q.Filter().Read(func(query.Op, string) (query.Words, error) { return query.Words{Query: "'x'"}, nil })
					require.NoError(t, err)
					q.Filters = read.Parts()
					_, err = b.db.Aggregate(t.Context(), b.ours, q, time.Minute)
					require.NoError(t, err, "%s %s %s", s, d.Field, op)
				}
			}
			if s == query.Files && d.Of == query.Sentences || d.Field == query.Said {
				continue // of which a file has many
			}
			for i, op := range []query.MetricOp{query.Count, query.CountDistinct, query.Sum, query.Avg, query.Median, query.Min, query.Max, query.Avg, query.Median, query.Max} {
				m := query.Metric{Op: op, Field: d.Field}
				if op == query.Count {
					m.Field = ""
				}
				if i > 6 { // again, of how long ago it is
					m.Unit = query.Day
				}
				q, err := query.Query{Source: s, Metric: m, GroupBy: []query.Field{d.Field}}.Checked(time.Now())
				if err != nil {
					require.NotContains(t, []query.MetricOp{query.Count, query.CountDistinct}, op)
					continue
				}
				_, err = b.db.Aggregate(t.Context(), b.ours, q, time.Minute)
				require.NoError(t, err, "%s %s %s", s, d.Field, op)
			}
		}
	}
}

// cabinet is a team with three contracts, and another with one like the first.
func cabinet(t *testing.T) (b *bundle, names map[string]string) {
	t.Helper()
	b = setup(t)
	names = map[string]string{}
	add := func(in db.Scope, name string, labels []string, values map[string]string, parties ...string) {
		f := b.contract(t, in, name, labels, values, func(f *db.NewFile) {
			for _, p := range parties {
				f.Parties = append(f.Parties, db.Party{Name: p})
			}
		})
		names[f.ID] = name
	}
	delaware := map[string]string{"governing_law": "Delaware", "expiration_date": "2027-03-31", "contract_value": "100.00 USD", "notice_period": "P1M"}
	add(b.ours, "one.pdf", []string{"governing_law", "governing_law", "anti_assignment"}, delaware, "Acme Inc.", "Bolt LLC")
	add(b.ours, "two.pdf", []string{"governing_law", ""}, map[string]string{"governing_law": "DELAWARE", "expiration_date": "2026", "contract_value": "50.50 USD"}, "ACME  Inc.")
	add(b.ours, "three.pdf", []string{"", ""}, map[string]string{"governing_law": "Société", "contract_value": "7.00 EUR"})
	add(b.theirs, "theirs.pdf", []string{"governing_law"}, delaware, "Acme Inc.")
	return b, names
}

// namesOf are those, by id, of the files for which a condition holds.
func (b *bundle) namesOf(t *testing.T, where query.Filter, names map[string]string) (list []string) {
	t.Helper()
	filter, err := where.Checked(query.Files, time.Now())
	require.NoError(t, err)
	ids, err := b.db.FileIDs(t.Context(), b.ours, db.FileFilter{Where: filter}, 10)
	require.NoError(t, err)
	for _, id := range ids {
		list = append(list, names[id])
	}
	return list
}

func TestFilesByConditions(t *testing.T) {
	t.Parallel()
	b, names := cabinet(t)
	law, expiry, value := query.AttributeField("governing_law"), query.AttributeField("expiration_date"), query.AttributeField("contract_value")
	for name, tt := range map[string]struct {
		filter query.Filter
		want   []string
	}{
		"InAnyCase":      {query.Is(law, "delaware"), []string{"one.pdf", "two.pdf"}},
		"WithoutAccents": {query.Is(law, "SOCIETE"), []string{"three.pdf"}},
		"NotIn":          {query.Compare(law, query.NotIn, "Delaware"), []string{"three.pdf"}},
		"Party":          {query.Is(query.Party, "acme inc."), []string{"one.pdf", "two.pdf"}},
		"NotParty":       {query.Compare(query.Party, query.NotIn, "bolt llc"), []string{"two.pdf", "three.pdf"}},
		"NoParty":        {query.Filter{Field: query.Party, Op: query.Missing}, []string{"three.pdf"}},
		"DateAtMost":     {query.Compare(expiry, query.AtMost, "2027-03-31"), []string{"one.pdf", "two.pdf"}},
		"DateBelow":      {query.Compare(expiry, query.Below, "2027-03-31"), []string{"two.pdf"}},
		"DateOfAYear":    {query.Compare(expiry, query.AtMost, "2026-01-01"), []string{"two.pdf"}},
		"NoDate":         {query.Filter{Field: expiry, Op: query.Missing}, []string{"three.pdf"}},
		"Money":          {query.Compare(value, query.Above, "50.5"), []string{"one.pdf"}},
		"Duration":       {query.Compare(query.AttributeField("notice_period"), query.AtLeast, "30"), []string{"one.pdf"}},
		"Label":          {query.Is(query.Label, "anti_assignment"), []string{"one.pdf"}},
		"SameScore":      {query.Compare(query.LabelScore, query.AtLeast, "0.9"), []string{"one.pdf", "two.pdf", "three.pdf"}},
		"NoLabelAnd": {query.And(query.Compare(query.Label, query.NotIn, "anti_assignment"), query.Is(query.Party, "Acme Inc.")),
			[]string{"two.pdf"}},
		"Name":        {query.Compare(query.Name, query.Contains, "T"), []string{"two.pdf", "three.pdf"}},
		"NamePercent": {query.Compare(query.Name, query.Contains, "%"), nil},
		"Either": {query.Filter{Any: []query.Filter{query.Is(query.Party, "Bolt LLC"), query.Is(law, "Société")}},
			[]string{"one.pdf", "three.pdf"}},
		"Duplicate":  {query.Is(query.Duplicate, "true"), []string{"two.pdf", "three.pdf"}},
		"NoIDAtAll":  {query.Is(query.Matter, "x'; DROP TABLE files"), nil},
		"NotNothing": {query.Filter{Not: &query.Filter{Field: query.Matter, Op: query.Exists}}, []string{"one.pdf", "two.pdf", "three.pdf"}},
	} {
		require.ElementsMatch(t, tt.want, b.namesOf(t, tt.filter, names), name)
	}
	_, err := b.db.FileIDs(t.Context(), b.ours, db.FileFilter{Where: query.Is("colour", "red")}, 10)
	require.Equal(t, fault.Invalid, fault.KindOf(err))
}

// TestFieldsCompared asks for files of which one fact compares so with another one.
func TestFieldsCompared(t *testing.T) {
	t.Parallel()
	b := setup(t)
	names := map[string]string{}
	for name, values := range map[string]map[string]string{
		"late.pdf":  {"agreement_date": "2024-03-01", "effective_date": "2024-01-01", "contract_value": "100.00 USD", "liability_cap": "50.00 USD", "notice_period": "P2M", "payment_term": "P1M"},
		"early.pdf": {"agreement_date": "2024-01-01", "effective_date": "2024-03-01", "contract_value": "100.00 USD", "liability_cap": "50.00 EUR", "notice_period": "P1M", "payment_term": "P2M"},
		"same.pdf":  {"agreement_date": "2024-01-01", "effective_date": "2024-01-01", "contract_value": "10.00 EUR", "liability_cap": "P12M"},
		"half.pdf":  {"agreement_date": "2023-01-01", "contract_value": "100.00 USD"},
	} {
		f := b.contract(t, b.ours, name, nil, values)
		names[f.ID] = name
	}
	of := query.AttributeField
	for name, tt := range map[string]struct {
		filter query.Filter
		want   []string
	}{
		"After":     {query.Than(of("agreement_date"), query.Above, of("effective_date")), []string{"late.pdf"}},
		"Before":    {query.Than(of("agreement_date"), query.Below, of("effective_date")), []string{"early.pdf"}},
		"NotAfter":  {query.Than(of("agreement_date"), query.AtMost, of("effective_date")), []string{"early.pdf", "same.pdf"}},
		"Not":       {query.Filter{Not: &query.Filter{Field: of("agreement_date"), Op: query.AtMost, Than: of("effective_date")}}, []string{"late.pdf", "half.pdf"}},
		"Money":     {query.Than(of("liability_cap"), query.Below, of("contract_value")), []string{"late.pdf"}},
		"Durations": {query.Than(of("notice_period"), query.Above, of("payment_term")), []string{"late.pdf"}},
		"Months":    {query.Than(of("agreement_date"), query.AtLeast, of("effective_date"), "+2m"), []string{"late.pdf"}},
		"Years":     {query.Than(of("agreement_date"), query.Above, of("effective_date"), "-1y"), []string{"late.pdf", "early.pdf", "same.pdf"}},
		"Half":      {query.Than(of("liability_cap"), query.AtLeast, of("contract_value"), "0.5"), []string{"late.pdf"}},
		"Twice":     {query.Than(of("contract_value"), query.Above, of("liability_cap"), "2"), nil},
		"OfTheFile": {query.Than(query.CreatedAt, query.Above, of("agreement_date")), []string{"late.pdf", "early.pdf", "same.pdf", "half.pdf"}},
		"ToTheFile": {query.Than(of("agreement_date"), query.Above, query.CreatedAt), nil},
		"BothOfIt":  {query.Than(query.CreatedAt, query.Above, query.UpdatedAt), nil},
	} {
		require.ElementsMatch(t, tt.want, b.namesOf(t, tt.filter, names), name)
	}
	capOf := func(op query.MetricOp) query.Query {
		return query.Query{Source: query.Files, Metric: query.Metric{Op: op, Field: of("liability_cap")}, Sort: query.ByKey}
	}
	byName := capOf(query.Max)
	byName.GroupBy, byName.Filters = []query.Field{query.Name}, []query.Filter{query.Compare(of("liability_cap"), query.AtLeast, "0")}
	for name, tt := range map[string]struct {
		q    query.Query
		want []string
	}{
		"SumOfCaps":    {capOf(query.Sum), []string{"EUR 50.00", "USD 50.00", "- "}}, // one file tells it in months, and one has none
		"KindsOfCaps":  {capOf(query.CountDistinct), []string{"3"}},
		"CapsInAnyWay": {byName, []string{"early.pdf EUR 50.00", "late.pdf USD 50.00"}},
	} {
		q, err := tt.q.Checked(time.Now())
		require.NoError(t, err, name)
		groups, err := b.db.Aggregate(t.Context(), b.ours, q, time.Minute)
		require.NoError(t, err, name)
		require.Equal(t, tt.want, table(groups), name)
	}
	for unit, days := range map[query.Bucket]float64{query.Day: 1, query.Year: 365} {
		q, err := query.Query{Source: query.Files, Metric: query.Metric{Op: query.Avg, Field: of("agreement_date"), Unit: unit}}.Checked(time.Now())
		require.NoError(t, err)
		groups, err := b.db.Aggregate(t.Context(), b.ours, q, time.Minute)
		require.NoError(t, err)
		age, err := strconv.ParseFloat(string(groups[0].Value), 64)
		require.NoError(t, err)
		var want float64
		for _, signed := range []time.Time{time.Date(2024, 3, 1, 0, 0, 0, 0, time.UTC), time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2023, 1, 1, 0, 0, 0, 0, time.UTC)} {
			want += time.Since(signed).Hours() / 24 / days / 4
		}
		require.InDelta(t, want, age, 0.01, "per %s", unit)
	}
	q, err := query.Query{Source: query.Sentences, Metric: query.Metric{Op: query.Count}, Filters: []query.Filter{query.Than(of("agreement_date"), query.Above, of("effective_date"))}}.Checked(time.Now())
	require.NoError(t, err)
	_, err = b.db.Aggregate(t.Context(), b.ours, q, time.Minute)
	require.NoError(t, err)
}

// TestRoles asks for files by the parts that their parties play.
func TestRoles(t *testing.T) {
	t.Parallel()
	b := setup(t)
	names := map[string]string{}
	for name, parties := range map[string][]db.Party{
		"out.pdf":   {{Name: "Our Own Ltd", Role: "Licensor"}, {Name: "Acme Inc.", Role: "Licensee"}},
		"in.pdf":    {{Name: "Acme Inc.", Role: "LICENSOR"}, {Name: "Our Own Ltd", Role: "Licensee"}, {Name: "Bolt LLC"}},
		"other.pdf": {{Name: "Acme Inc.", Role: "Licensor"}, {Name: "Bolt LLC", Role: "Licensee"}},
	} {
		f := b.contract(t, b.ours, name, nil, nil, func(f *db.NewFile) { f.Parties = parties })
		names[f.ID] = name
		if name != "other.pdf" {
			require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
				_, err := tx.UpdateFile(t.Context(), b.ours, f.ID, db.FileUpdate{Counterparties: &[]string{"ACME Inc."}})
				return err
			}))
		}
	}
	for name, tt := range map[string]struct {
		filter query.Filter
		want   []string
	}{
		"Party":           {query.Is(query.PartyRole, "Acme Inc. (Licensor)"), []string{"in.pdf", "other.pdf"}},
		"NotParty":        {query.Compare(query.PartyRole, query.NotIn, "acme inc. (licensor)"), []string{"out.pdf"}},
		"Ours":            {query.Is(query.OurRole, "licensor"), []string{"out.pdf"}},
		"Theirs":          {query.Is(query.CounterpartyRole, "licensor"), []string{"in.pdf"}},
		"NobodyKnowsOurs": {query.Filter{Field: query.OurRole, Op: query.Missing}, []string{"other.pdf"}},
	} {
		require.ElementsMatch(t, tt.want, b.namesOf(t, tt.filter, names), name)
	}
	for field, want := range map[query.Field][]string{
		query.PartyRole:        {"Acme Inc. (LICENSOR) 2", "Acme Inc. (Licensee) 1", "Bolt LLC (Licensee) 1", "Our Own Ltd (Licensee) 1", "Our Own Ltd (Licensor) 1"},
		query.OurRole:          {"- 1", "Licensee 1", "Licensor 1"},
		query.CounterpartyRole: {"- 1", "LICENSOR 1", "Licensee 1"},
	} {
		q, err := query.Query{Source: query.Files, Metric: query.Metric{Op: query.Count}, GroupBy: []query.Field{field}}.Checked(time.Now())
		require.NoError(t, err)
		groups, err := b.db.Aggregate(t.Context(), b.ours, q, time.Minute)
		require.NoError(t, err)
		require.ElementsMatch(t, want, table(groups), field)
	}
}

// table is groups in words.
func table(groups []db.Group) []string {
	lines := []string{}
	for _, g := range groups {
		line := ""
		for _, name := range g.Names {
			if name == nil {
				line += "- "
				continue
			}
			line += *name + " "
		}
		lines = append(lines, line+string(g.Value))
	}
	return lines
}

func TestAggregate(t *testing.T) {
	t.Parallel()
	b, _ := cabinet(t)
	law, expiry, value := query.AttributeField("governing_law"), query.AttributeField("expiration_date"), query.AttributeField("contract_value")
	count := query.Metric{Op: query.Count}
	for name, tt := range map[string]struct {
		q    query.Query
		want []string
	}{
		"Count":       {query.Query{Source: query.Files, Metric: count}, []string{"3"}},
		"ByAttribute": {query.Query{Source: query.Files, Metric: count, GroupBy: []query.Field{law}}, []string{"DELAWARE 2", "Société 1"}},
		"ByParty":     {query.Query{Source: query.Files, Metric: count, GroupBy: []query.Field{query.Party}}, []string{"ACME  Inc. 2", "Bolt LLC 1", "- 1"}},
		"ByMonth": {query.Query{Source: query.Files, Metric: count, GroupBy: []query.Field{expiry}, Bucket: query.Quarter},
			[]string{"2026-01-01 1", "2027-01-01 1", "- 1"}},
		"Sum": {query.Query{Source: query.Files, Metric: query.Metric{Op: query.Sum, Field: value}, Sort: query.ByKey}, []string{"EUR 7.00", "USD 150.50"}},
		"SumBy": {query.Query{Source: query.Files, Metric: query.Metric{Op: query.Sum, Field: value}, GroupBy: []query.Field{query.Party}, Filters: []query.Filter{{Field: query.Party, Op: query.Exists}}},
			[]string{"ACME  Inc. USD 150.50", "Bolt LLC USD 100.00"}},
		"Labels": {query.Query{Source: query.Sentences, Metric: count, GroupBy: []query.Field{query.Label}, Sort: query.ByKey},
			[]string{"anti_assignment 1", "governing_law 3", "- 3"}},
		"SentencesOfFiles": {query.Query{Source: query.Sentences, Metric: count, GroupBy: []query.Field{query.Name}, Filters: []query.Filter{query.Is(query.Label, "governing_law"), query.Is(law, "Delaware")}},
			[]string{"one.pdf 2", "two.pdf 1"}},
		"Latest":           {query.Query{Source: query.Files, Metric: query.Metric{Op: query.Max, Field: expiry}}, []string{`"2027-03-31T00:00:00Z"`}},
		"Limit":            {query.Query{Source: query.Files, Metric: count, GroupBy: []query.Field{query.Name}, Sort: query.ByKeyDesc, Limit: 2}, []string{"two.pdf 1", "three.pdf 1"}},
		"Nothing":          {query.Query{Source: query.Files, Metric: query.Metric{Op: query.Avg, Field: query.PageCount}, Filters: []query.Filter{query.Is(query.Status, "failed")}}, []string{""}},
		"Values":           {query.Query{Source: query.Attributes, Metric: count, GroupBy: []query.Field{query.AttributeKey}, Limit: 1}, []string{"contract_value 3"}},
		"Audit":            {query.Query{Source: query.Audit, Metric: count, GroupBy: []query.Field{query.Action}}, []string{"file.created 3"}},
		"Matters":          {query.Query{Source: query.Matters, Metric: count}, []string{"0"}},
		"Share":            {query.Query{Source: query.Files, Metric: query.Metric{Op: query.Share, Filters: []query.Filter{query.Is(law, "Delaware"), query.Is(query.Label, "governing_law")}}}, []string{"66.67"}},
		"ShareBy":          {query.Query{Source: query.Files, Metric: query.Metric{Op: query.Share, Filters: []query.Filter{{Field: query.Party, Op: query.Exists}}}, GroupBy: []query.Field{law}, Sort: query.ByKey}, []string{"DELAWARE 100.00", "Société 0.00"}},
		"ShareOfSum":       {query.Query{Source: query.Files, Metric: query.Metric{Op: query.Share, Field: value, Filters: []query.Filter{query.Is(query.Party, "Bolt LLC")}}, Sort: query.ByKey}, []string{"EUR 0.00", "USD 66.45"}},
		"ShareOfPages":     {query.Query{Source: query.Files, Metric: query.Metric{Op: query.Share, Field: query.PageCount, Filters: []query.Filter{query.Is(law, "Delaware")}}, Filters: []query.Filter{query.Is(query.Status, "failed")}}, []string{""}},
		"ShareOfSumBy":     {query.Query{Source: query.Files, Metric: query.Metric{Op: query.Share, Field: value, Filters: []query.Filter{query.Is(query.Party, "Bolt LLC")}}, GroupBy: []query.Field{law}, Having: []query.Bound{{Op: query.Above, Value: 50}}}, []string{"DELAWARE USD 66.45"}},
		"ShareOfSentences": {query.Query{Source: query.Sentences, Metric: query.Metric{Op: query.Share, Filters: []query.Filter{{Field: query.Label, Op: query.Exists}}}}, []string{"57.14"}},
		"Having":           {query.Query{Source: query.Files, Metric: count, GroupBy: []query.Field{query.Party}, Having: []query.Bound{{Op: query.Above, Value: 1}}}, []string{"ACME  Inc. 2"}},
		"HavingBetween":    {query.Query{Source: query.Files, Metric: count, GroupBy: []query.Field{law}, Having: []query.Bound{{Op: query.AtLeast, Value: 1}, {Op: query.AtMost, Value: 1}}}, []string{"Société 1"}},
		"HavingTypes":      {query.Query{Source: query.Files, Metric: count, GroupBy: []query.Field{query.DocumentType}, Having: []query.Bound{{Op: query.Below, Value: 0.5}}}, []string{}},
		"HavingLabels":     {query.Query{Source: query.Sentences, Metric: count, GroupBy: []query.Field{query.Label}, Having: []query.Bound{{Op: query.AtLeast, Value: 2.5}}, Sort: query.ByKey}, []string{"governing_law 3", "- 3"}},
		"HavingSum":        {query.Query{Source: query.Files, Metric: query.Metric{Op: query.Sum, Field: value}, GroupBy: []query.Field{query.Party}, Having: []query.Bound{{Op: query.Above, Value: 100}}}, []string{"ACME  Inc. USD 150.50"}},
		"HavingMedian":     {query.Query{Source: query.Files, Metric: query.Metric{Op: query.Median, Field: value}, GroupBy: []query.Field{query.Party}, Having: []query.Bound{{Op: query.Above, Value: 75.24}, {Op: query.Below, Value: 75.26}}}, []string{"ACME  Inc. USD 75.25"}},
		"HavingShare":      {query.Query{Source: query.Files, Metric: query.Metric{Op: query.Share, Filters: []query.Filter{{Field: query.Party, Op: query.Exists}}}, GroupBy: []query.Field{law}, Having: []query.Bound{{Op: query.Below, Value: 50}}}, []string{"Société 0.00"}},
		"HavingClauses":    {query.Query{Source: query.Sentences, Metric: query.Metric{Op: query.CountDistinct, Field: query.File}, GroupBy: []query.Field{query.Label}, Filters: []query.Filter{{Field: query.Label, Op: query.Exists}}, Having: []query.Bound{{Op: query.Above, Value: 1}}}, []string{"governing_law 2"}},
		"Only":             {query.Query{Source: query.Files, Metric: count, GroupBy: []query.Field{query.Party, law}, Filters: []query.Filter{query.Is(query.Party, "acme inc.")}, Only: []query.Filter{query.Is(query.Party, "Acme Inc."), query.Is(law, "delaware")}}, []string{"ACME  Inc. DELAWARE 2"}},
		"OnlyLabels":       {query.Query{Source: query.Sentences, Metric: count, GroupBy: []query.Field{query.Label}, Only: []query.Filter{query.Is(query.Label, "governing_law")}}, []string{"governing_law 3"}},
		"OnlyTypes":        {query.Query{Source: query.Files, Metric: count, GroupBy: []query.Field{query.DocumentType}, Only: []query.Filter{query.Is(query.DocumentType, "0190a7c1-0000-7000-8000-000000000001")}}, []string{}},
		"Months":           {query.Query{Source: query.Files, Metric: query.Metric{Op: query.Avg, Field: query.AttributeField("notice_period"), Unit: query.Month}, GroupBy: []query.Field{law}, Filters: []query.Filter{query.Is(law, "delaware")}, Having: []query.Bound{{Op: query.AtMost, Value: 1}}}, []string{"DELAWARE 1.00"}},
		"AcrossParties":    {query.Query{Source: query.Files, Metric: count, GroupBy: []query.Field{query.Party}, Across: query.Avg}, []string{"1.50"}},
		"AcrossNames":      {query.Query{Source: query.Files, Metric: count, GroupBy: []query.Field{query.Counterparty}, Across: query.Max}, []string{""}},
		"AcrossMonths":     {query.Query{Source: query.Files, Metric: count, GroupBy: []query.Field{expiry}, Bucket: query.Year, Across: query.Sum}, []string{"2.00"}},
		"AcrossValues":     {query.Query{Source: query.Files, Metric: query.Metric{Op: query.Sum, Field: value}, GroupBy: []query.Field{law}, Across: query.Median}, []string{"USD 150.50", "EUR 7.00"}},
		"AcrossHaving":     {query.Query{Source: query.Files, Metric: count, GroupBy: []query.Field{query.Party}, Having: []query.Bound{{Op: query.Above, Value: 1}}, Across: query.Min}, []string{"2.00"}},
		"AboveAverage":     {query.Query{Source: query.Files, Metric: count, GroupBy: []query.Field{law}, Having: []query.Bound{{Op: query.Above, Value: 1, Across: query.Avg}}}, []string{"DELAWARE 2"}},
		"AboveByCurrency":  {query.Query{Source: query.Files, Metric: query.Metric{Op: query.Sum, Field: value}, GroupBy: []query.Field{query.Name}, Having: []query.Bound{{Op: query.AtLeast, Value: 1, Across: query.Avg}}, Sort: query.ByKey}, []string{"one.pdf USD 100.00", "three.pdf EUR 7.00"}},
		"TwiceTheAverage":  {query.Query{Source: query.Files, Metric: count, GroupBy: []query.Field{law}, Having: []query.Bound{{Op: query.Above, Value: 2, Across: query.Avg}}}, []string{}},
		"AboveNone":        {query.Query{Source: query.Files, Metric: count, GroupBy: []query.Field{query.Party}, Having: []query.Bound{{Op: query.Below, Value: 1, Across: query.Avg}}, Sort: query.ByKey}, []string{"Bolt LLC 1", "- 1"}},
		"ShareOfAll":       {query.Query{Source: query.Files, Metric: count, GroupBy: []query.Field{law}, Having: []query.Bound{{Op: query.Above, Value: 0.5, Across: query.Sum}, {Op: query.Below, Value: 10}}}, []string{"DELAWARE 2"}},
		"AcrossAbove":      {query.Query{Source: query.Files, Metric: count, GroupBy: []query.Field{law}, Having: []query.Bound{{Op: query.Above, Value: 1, Across: query.Min}}, Across: query.Sum}, []string{"2.00"}},
		"Columns":          {query.Query{Source: query.Files, Metric: query.Metric{Op: query.Max, Field: value}, GroupBy: []query.Field{query.AttributeField("notice_period"), expiry, query.Name}, Bucket: query.Day, Sort: query.ByKey}, []string{"30.42 2027-03-31 one.pdf USD 100.00", "- 2026-01-01 two.pdf USD 50.50", "- - three.pdf EUR 7.00"}},
		"Distinct":         {query.Query{Source: query.Files, Metric: query.Metric{Op: query.CountDistinct, Field: law}}, []string{"2"}},
	} {
		q, err := tt.q.Checked(time.Now())
		require.NoError(t, err, name)
		groups, err := b.db.Aggregate(t.Context(), b.ours, q, time.Minute)
		require.NoError(t, err, name)
		require.Equal(t, tt.want, table(groups), name)
		if name == "Limit" {
			require.Equal(t, 3, groups[0].Groups)
		}
		if name == "Having" || name == "AboveAverage" {
			require.Equal(t, 1, groups[0].Groups, "groups beyond the bounds are none")
		}
	}
}

func TestAggregateIsOfTheTeam(t *testing.T) {
	t.Parallel()
	b, _ := cabinet(t)
	q, err := query.Query{Source: query.Files, Metric: query.Metric{Op: query.Count}, GroupBy: []query.Field{query.Name}}.Checked(time.Now())
	require.NoError(t, err)
	groups, err := b.db.Aggregate(t.Context(), b.theirs, q, time.Minute)
	require.NoError(t, err)
	require.Equal(t, []string{"theirs.pdf 1"}, table(groups))
}

// TestPlaces shows places by their plain names and finds them by any of their names, where
// contracts write them as they like.
func TestPlaces(t *testing.T) {
	t.Parallel()
	b := setup(t)
	law, _ := query.Lookup(query.AttributeField("governing_law"))
	for i, said := range []string{"DELAWARE", "DELAWARE", "State of Delaware", "PRC", "the People's Republic of China"} {
		place := []string{"Delaware", "Delaware", "Delaware", "China", "China"}[i]
		f := b.contract(t, b.ours, fmt.Sprintf("%d.pdf", i), nil, map[string]string{"document_name": "Executive Employment-Agreement (" + said + ")"})
		require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
			return tx.SetAttribute(t.Context(), b.ours, f.ID, law.Key, []db.Attribute{{Value: said, Normalized: json.RawMessage(`{"name":"` + place + `"}`), Canonical: place}})
		}))
	}
	want := []db.Option{{"delaware", "Delaware", 3, 2}, {"china", "China", 2, 2}}
	require.NoError(t, b.db.Facets(t.Context(), b.ours, time.Minute, func(f db.Facets) error {
		got, err := f.Options(t.Context(), query.Filter{}, law, "", 10, 0)
		require.NoError(t, err)
		require.Equal(t, want, got)
		all, err := f.AttributeOptions(t.Context(), query.Filter{}, 10)
		require.NoError(t, err)
		require.Equal(t, want, all[law.Field])
		for text, files := range map[string]int{"Delaware": 3, "STATE OF DELAWARE": 3, "China": 2, "P.R.C.": 2, "People’s Republic of China": 2, "Texas": 0} {
			n, err := f.Count(t.Context(), query.Is(law.Field, text))
			require.NoError(t, err)
			require.Equal(t, files, n, text)
		}
		// Names of documents have words, from their beginning on.
		for text, files := range map[string]int{"employment agreement": 5, "Employment": 5, "PRC": 1, "loyment": 0, "executive agreement": 0, "100%": 0, "Executive Employment-Agreement (PRC)": 1, "agreement, (state": 1} {
			n, err := f.Count(t.Context(), query.Compare(query.AttributeField("document_name"), query.Contains, text))
			require.NoError(t, err)
			require.Equal(t, files, n, text)
		}
		return nil
	}))
	q, err := query.Query{Source: query.Files, Metric: query.Metric{Op: query.Count}, GroupBy: []query.Field{law.Field}}.Checked(time.Now())
	require.NoError(t, err)
	groups, err := b.db.Aggregate(t.Context(), b.ours, q, time.Minute)
	require.NoError(t, err)
	require.Equal(t, []string{"Delaware 3", "China 2"}, table(groups))
}

func TestOptions(t *testing.T) {
	t.Parallel()
	b, _ := cabinet(t)
	define := func(f query.Field) query.Definition {
		d, ok := query.Lookup(f)
		require.True(t, ok)
		return d
	}
	require.NoError(t, b.db.Facets(t.Context(), b.ours, time.Minute, func(f db.Facets) error {
		for field, want := range map[query.Field][]db.Option{
			query.AttributeField("governing_law"): {{"delaware", "DELAWARE", 2, 2}, {"societe", "Société", 1, 2}},
			query.Party:                           {{"acme inc.", "ACME  Inc.", 2, 2}, {"bolt llc", "Bolt LLC", 1, 2}},
			query.Label:                           {{"governing_law", "governing_law", 2, 2}, {"anti_assignment", "anti_assignment", 1, 2}},
			query.Status:                          {{"queued", "queued", 3, 1}},
			query.CreatedBy:                       {{b.ours.ActorID, "ours@example.com", 3, 1}},
			query.Matter:                          {},
		} {
			got, err := f.Options(t.Context(), query.Filter{}, define(field), "", 10, 0)
			require.NoError(t, err)
			require.Equal(t, want, got, field)
			// Each can be executed, and says how many files that finds.
			for _, o := range got {
				n, err := f.Count(t.Context(), query.Is(field, o.Value))
				require.NoError(t, err)
				require.Equal(t, o.Files, n, field)
			}
		}
		got, err := f.Options(t.Context(), query.Is(query.Label, "anti_assignment"), define(query.Label), "", 10, 0)
		require.NoError(t, err)
		require.Equal(t, []db.Option{{"anti_assignment", "anti_assignment", 1, 2}, {"governing_law", "governing_law", 1, 2}}, got, "of the files that have the clause")
		got, err = f.Options(t.Context(), query.Filter{}, define(query.Party), "BOLT", 10, 0)
		require.NoError(t, err)
		require.Len(t, got, 1)
		r, err := f.Range(t.Context(), query.Filter{}, define(query.AttributeField("expiration_date")))
		require.NoError(t, err)
		require.Equal(t, []any{"2026-01-01T00:00:00Z", "2027-03-31T00:00:00Z", 2}, []any{*r.Min, *r.Max, r.Files})
		r, err = f.Range(t.Context(), query.Filter{}, define(query.CreatedAt))
		require.NoError(t, err)
		n, err := f.Count(t.Context(), query.And(query.Compare(query.CreatedAt, query.AtLeast, *r.Min), query.Compare(query.CreatedAt, query.AtMost, *r.Max)))
		require.NoError(t, err)
		require.Equal(t, 3, n, "its ends are in a range, to the microsecond")
		fields, err := f.AttributeFields(t.Context(), 2)
		require.NoError(t, err)
		require.Len(t, fields, 2)
		return nil
	}))
}

func TestSQLFunctions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		for sql, want := range map[string]string{
			`day('2020')`: "2020-01-01", `day('2020-05')`: "2020-05-01", `day('2020-02-31')`: "2020-03-02", `day('0000-01-01')`: "", `day('soon')`: "",
			`magnitude('1250.00 usd')`: "1250.00", `magnitude('p2w')`: "14", `magnitude('p1m')`: "30.42", `magnitude('p6m')`: "182.5", `magnitude('p12m')`: "365", `magnitude('p1y')`: "365", `magnitude('12 percent')`: "", `magnitude('p1y6m')`: "",
			`magnitude(repeat('9', 400))`:                  "",
			`fold('  Société ' || chr(10) || ' GÉNÉRALE')`: query.Fold("  Société \n GÉNÉRALE"),
		} {
			var got *string
			require.NoError(t, tx.Raw.QueryRow(t.Context(), "SELECT ("+sql+")::text").Scan(&got), sql)
			if want == "" {
				require.Nil(t, got, sql)
				continue
			}
			require.Equal(t, want, *got, sql)
		}
		return nil
	}))
}

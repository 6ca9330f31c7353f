package db_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/db/dbtest"
	"github.com/clausemill/clausemill/fault"
)

// fact is an attribute of the file level with words of its own.
func fact(key, value, canonical string) db.Attribute {
	return db.Attribute{
		Level: db.FileLevel, Key: key, Value: value, Canonical: canonical, Confidence: 0.8,
		Normalized: json.RawMessage(`{"name":` + string(must(json.Marshal(canonical))) + `}`),
		Spans:      []db.AttributeSpan{{Start: 3, End: 9, Page: 1, Quote: value}},
	}
}

// place is an attribute of a span.
func place(key, value string, start int) db.Attribute {
	return db.Attribute{
		Level: db.SpanLevel, Key: key, Value: value, Confidence: 0.7,
		Spans: []db.AttributeSpan{{Start: start, End: start + len(value), Page: 1, Quote: value}},
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// save gives a file attributes, each with its place in the list as its ordinal.
func (b *bundle) save(t *testing.T, in db.Scope, fileID string, list ...db.Attribute) {
	t.Helper()
	for i := range list {
		list[i].Ordinal = i
	}
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		f, err := tx.File(t.Context(), in, fileID)
		require.NoError(t, err)
		return tx.SaveAttributes(t.Context(), in, fileID, f.Generation, list)
	}))
}

func (b *bundle) attributes(t *testing.T, in db.Scope, fileID string, p db.AttributePlace) []string {
	t.Helper()
	p.Limit = max(p.Limit, 100*(1-p.Limit))
	list, err := b.db.Attributes(t.Context(), in, fileID, p)
	require.NoError(t, err)
	n, err := b.db.CountAttributes(t.Context(), in, fileID, p)
	require.NoError(t, err)
	require.GreaterOrEqual(t, n, len(list))
	out := make([]string, len(list))
	for i, a := range list {
		out[i] = a.Source + " " + a.Key + "=" + a.Value
	}
	return out
}

func TestAttributes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	f := b.file(t, b.ours)
	law := fact("governing_law", "the laws of the State of Delaware", "Delaware")
	b.save(t, b.ours, f.ID, law, fact("party", "Acme Inc.", "Acme Inc."), fact("party", "Bolt LLC", "Bolt LLC"),
		place("date", "May 5, 2020", 10), place("money", "$12", 40))

	files := db.AttributePlace{Level: db.FileLevel, After: -1}
	spans := db.AttributePlace{Level: db.SpanLevel, After: -1}
	require.Equal(t, []string{"rule governing_law=the laws of the State of Delaware", "rule party=Acme Inc.", "rule party=Bolt LLC"}, b.attributes(t, b.ours, f.ID, files))
	require.Equal(t, []string{"rule date=May 5, 2020", "rule money=$12"}, b.attributes(t, b.ours, f.ID, spans))
	spans.Key = "money"
	require.Equal(t, []string{"rule money=$12"}, b.attributes(t, b.ours, f.ID, spans))
	spans.Key, spans.Start, spans.End = "", 21, 41
	require.Equal(t, []string{"rule money=$12"}, b.attributes(t, b.ours, f.ID, spans))
	spans.End = 40
	require.Empty(t, b.attributes(t, b.ours, f.ID, spans), "it begins where the range ends")
	require.Equal(t, []string{"rule money=$12"}, b.attributes(t, b.ours, f.ID, db.AttributePlace{Level: db.SpanLevel, After: 3, Limit: 1}))
	require.Empty(t, b.attributes(t, b.theirs, f.ID, db.AttributePlace{Level: db.SpanLevel, After: -1}))
	read, err := b.db.Attributes(ctx, b.ours, f.ID, db.AttributePlace{Level: db.FileLevel, Key: "governing_law", After: -1, Limit: 1})
	require.NoError(t, err)
	require.JSONEq(t, `{"name":"Delaware"}`, string(read[0].Normalized))
	require.Equal(t, law.Spans, read[0].Spans)

	// A second reading replaces the first.
	b.save(t, b.ours, f.ID, fact("governing_law", "English law", "England"))
	require.Equal(t, []string{"rule governing_law=English law"}, b.attributes(t, b.ours, f.ID, files))

	err = b.db.InTx(ctx, func(tx *db.Tx) error { return tx.SaveAttributes(ctx, b.ours, f.ID, 7, nil) })
	require.Equal(t, fault.Conflict, fault.KindOf(err), "of another text")
	for _, bad := range []string{"", "Governing Law", "1st", strings.Repeat("k", 101)} {
		err = b.db.InTx(ctx, func(tx *db.Tx) error {
			return tx.SaveAttributes(ctx, b.ours, f.ID, 0, []db.Attribute{fact(bad, "x", "x")})
		})
		require.Equal(t, fault.Invalid, fault.KindOf(err), bad)
		err = b.db.InTx(ctx, func(tx *db.Tx) error { return tx.SetAttribute(ctx, b.ours, f.ID, bad, nil) })
		require.Equal(t, fault.Invalid, fault.KindOf(err), bad)
	}
	for name, write := range map[string]func(*db.Tx) error{
		"save": func(tx *db.Tx) error { return tx.SaveAttributes(ctx, b.theirs, f.ID, 0, nil) },
		"set":  func(tx *db.Tx) error { return tx.SetAttribute(ctx, b.theirs, f.ID, "party", nil) },
	} {
		require.Equal(t, fault.NotFound, fault.KindOf(b.db.InTx(ctx, write)), name)
	}
}

// TestWhatPeopleSayStays reads a file again after a person has corrected it, and
// cuts its text anew.
func TestWhatPeopleSayStays(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	f := b.file(t, b.ours)
	set := func(key string, values ...string) {
		list := make([]db.Attribute, len(values))
		for i, v := range values {
			list[i] = db.Attribute{Value: v}
		}
		require.NoError(t, b.db.InTx(ctx, func(tx *db.Tx) error { return tx.SetAttribute(ctx, b.ours, f.ID, key, list) }))
	}
	read := func() {
		b.save(t, b.ours, f.ID, fact("party", "Acme", "Acme"), fact("governing_law", "English law", "England"), place("party", "Acme", 1))
	}
	segment := func() {
		require.NoError(t, b.db.InTx(ctx, func(tx *db.Tx) error {
			_, err := tx.SaveText(ctx, b.ours, f.ID, db.Text{})
			return err
		}))
	}
	files := db.AttributePlace{Level: db.FileLevel, After: -1}
	segment()
	read()
	set("party", "Acme Incorporated", "Bolt LLC")
	said := []string{"human party=Acme Incorporated", "human party=Bolt LLC"}
	require.ElementsMatch(t, append([]string{"rule governing_law=English law"}, said...), b.attributes(t, b.ours, f.ID, files))
	segment()
	require.Equal(t, said, b.attributes(t, b.ours, f.ID, files), "what was read belonged to the text that is gone")
	require.Empty(t, b.attributes(t, b.ours, f.ID, db.AttributePlace{Level: db.SpanLevel, After: -1}))
	read()
	require.ElementsMatch(t, append([]string{"rule governing_law=English law"}, said...), b.attributes(t, b.ours, f.ID, files))
	require.Equal(t, []string{"rule party=Acme"}, b.attributes(t, b.ours, f.ID, db.AttributePlace{Level: db.SpanLevel, After: -1}))
	set("party")
	read()
	require.ElementsMatch(t, []string{"rule governing_law=English law", "rule party=Acme"}, b.attributes(t, b.ours, f.ID, files))
	audit, err := b.db.AuditEvents(ctx, b.ours, f.ID, 1)
	require.NoError(t, err)
	require.Equal(t, "file.attribute_withdrawn", audit[0].Action)
}

// TestPartiesGoWithTheirText gives a file a text without the parties of the one before.
func TestPartiesGoWithTheirText(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.file(t, b.ours)
	for _, list := range [][]db.Attribute{{fact("party", "Acme Inc.", "Acme Inc.")}, {}, {fact("party", "Bolt LLC", "Bolt LLC")}} {
		b.do(t, func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.SaveText(ctx, b.ours, f.ID, db.Text{})
			return err
		})
		b.save(t, b.ours, f.ID, list...)
		row, err := b.db.File(t.Context(), b.ours, f.ID)
		require.NoError(t, err)
		require.Len(t, row.Parties, len(list))
	}
}

func TestAttributeValues(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	first, second, theirs := b.file(t, b.ours), b.file(t, b.ours), b.file(t, b.theirs)
	b.save(t, b.ours, first.ID, fact("governing_law", "the laws of the State of Delaware", "Delaware"), fact("party", "Acme Inc.", "Acme Inc."),
		place("jurisdiction", "Delaware", 1), place("jurisdiction", "DELAWARE", 30), place("organization", "Müller & Söhne GmbH", 60))
	b.save(t, b.ours, second.ID, fact("governing_law", "Delaware law", "Delaware"), fact("party", "100% Acme\nHoldings_", ""),
		place("jurisdiction", "New York", 1), place("jurisdiction", "Delaware", 40), place("jurisdiction", "New Jersey", 60))
	b.save(t, b.theirs, theirs.ID, fact("governing_law", "Delaware law", "Delaware"))

	found := func(s db.AttributeSearch) []string {
		t.Helper()
		if s.Levels == nil {
			s.Levels = []db.AttributeLevel{db.FileLevel, db.SpanLevel}
		}
		if s.Match == "" {
			s.Match = db.MatchSimilar
		}
		s.Limit = max(s.Limit, 50*(1-s.Limit))
		list, err := b.db.AttributeValues(ctx, b.ours, s)
		require.NoError(t, err)
		out := make([]string, len(list))
		for i, v := range list {
			out[i] = string(v.Match()) + " " + v.Key + "=" + v.Value
			require.Len(t, v.Occurrences, min(v.Count, s.Occurrences))
		}
		return out
	}

	// Equal values are one, with all their words and counts.
	list, err := b.db.AttributeValues(ctx, b.ours, db.AttributeSearch{
		Levels: []db.AttributeLevel{db.SpanLevel}, Text: " delaware", Match: db.MatchExact, Limit: 5, Occurrences: 2,
	})
	require.NoError(t, err)
	require.Len(t, list, 1)
	v := list[0]
	require.Equal(t, []any{"Delaware", []string{"DELAWARE"}, 3, 2, 1, 1.0}, []any{v.Value, v.Aliases, v.Count, v.Files, v.Total, v.Score})
	require.Equal(t, second.ID, v.Occurrences[0].FileID, "newest file first")
	require.Equal(t, "lease.pdf", v.Occurrences[0].FileName)
	require.Equal(t, "DELAWARE", found0(t, b, db.AttributeSearch{
		Levels: []db.AttributeLevel{db.SpanLevel}, FileIDs: []string{first.ID}, Text: "delaware", Match: db.MatchExact, Limit: 5,
	}).Value, "of these files alone both are as common, and capitals come first")

	require.Equal(t, []string{"exact jurisdiction=Delaware", "exact governing_law=Delaware law"}, found(db.AttributeSearch{Text: "Delaware", Occurrences: 1}))
	require.Equal(t, []string{"similar governing_law=Delaware law"}, found(db.AttributeSearch{Text: "state  of DELAWERE", Keys: []string{"governing_law"}}),
		"the words of one way to write it, one of them misspelt")
	require.Equal(t, []string{"similar jurisdiction=Delaware", "similar governing_law=Delaware law"}, found(db.AttributeSearch{Text: "delwaare"}))
	require.Equal(t, []string{"exact jurisdiction=New York"}, found(db.AttributeSearch{Text: "new york"}), "New Jersey has nothing like York")
	require.Equal(t, []string{"prefix jurisdiction=New Jersey", "prefix jurisdiction=New York"}, found(db.AttributeSearch{Text: "new ", Match: db.MatchPrefix}))
	require.Equal(t, []string{"exact organization=Müller & Söhne GmbH"}, found(db.AttributeSearch{Text: "MÜLLER & SÖHNE GMBH", Match: db.MatchExact}))
	require.Equal(t, []string{"exact organization=Müller & Söhne GmbH"}, found(db.AttributeSearch{Text: "Mu\u00adller &\x00 Söhne\tGmbH", Match: db.MatchExact}))
	require.Equal(t, []string{"similar organization=Müller & Söhne GmbH"}, found(db.AttributeSearch{Text: "sohne muller"}))
	require.Equal(t, []string{"prefix party=100% Acme\nHoldings_"}, found(db.AttributeSearch{Text: "100% ac"}))
	require.Equal(t, []string{"prefix party=Acme Inc.", "similar party=100% Acme\nHoldings_"}, found(db.AttributeSearch{Text: "acme"}))

	// Where not all are looked at the best still come, and all of each are counted.
	require.Equal(t, []string{"prefix party=Acme Inc.", "similar party=100% Acme\nHoldings_"}, found(db.AttributeSearch{Text: "acme", Most: 2}))
	v = found0(t, b, db.AttributeSearch{Levels: []db.AttributeLevel{db.SpanLevel}, Text: "delaware", Match: db.MatchSimilar, Most: 1, Limit: 5})
	require.Equal(t, []any{"jurisdiction", 3, 2, 1, 1.0}, []any{v.Key, v.Count, v.Files, v.Total, v.Score})

	for _, text := range []string{"%", "_", "'", `\`, "nothing like it", "\U0010FFFF"} {
		require.Empty(t, found(db.AttributeSearch{Text: text}), text)
	}
	require.Empty(t, found(db.AttributeSearch{Text: "delawere", Match: db.MatchPrefix}))
	require.Empty(t, found(db.AttributeSearch{Text: "dela", Match: db.MatchExact}))

	// Without a text the commonest come first, page by page.
	all := found(db.AttributeSearch{})
	require.Len(t, all, 7)
	require.Equal(t, " jurisdiction=Delaware", all[0])
	require.Equal(t, all[2:4], found(db.AttributeSearch{Limit: 2, Offset: 2}))
	require.Empty(t, found(db.AttributeSearch{FileIDs: []string{theirs.ID}}))
	require.Empty(t, found(db.AttributeSearch{Keys: []string{}}))
}

// TestCommonValueHidesNoOther has more attributes of one value than are looked at of another.
func TestCommonValueHidesNoOther(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for range 5 {
		b.save(t, b.ours, b.file(t, b.ours).ID, fact("governing_law", "State of Delaware", "Delaware"))
	}
	b.save(t, b.ours, b.file(t, b.ours).ID, fact("governing_law", "State of Maine", "Maine"))
	list, err := b.db.AttributeValues(t.Context(), b.ours, db.AttributeSearch{
		Levels: []db.AttributeLevel{db.FileLevel, db.SpanLevel}, Text: "state", Match: db.MatchSimilar, Most: 2, Limit: 5,
	})
	require.NoError(t, err)
	require.Len(t, list, 2)
	require.Equal(t, []any{"State of Delaware", 5, 5, 2}, []any{list[0].Value, list[0].Count, list[0].Files, list[0].Total}, "the commoner of two that match alike")
	require.Equal(t, "State of Maine", list[1].Value)
}

// TestValuesThatNoFileHas are dropped, and those that a file is being given are not.
func TestValuesThatNoFileHas(t *testing.T) {
	t.Parallel()
	d, _ := dbtest.Database(t)
	b := &bundle{db: d, ours: scopeOf(t, d, "ours@example.com")}
	ctx := t.Context()
	known := func() []string {
		t.Helper()
		rows, err := b.db.Pool().Query(ctx, `SELECT key || '=' || normal FROM attribute_values WHERE team_id = $1 ORDER BY 1`, b.ours.TeamID)
		require.NoError(t, err)
		list, err := pgx.CollectRows(rows, pgx.RowTo[string])
		require.NoError(t, err)
		return list
	}
	fold := func() {
		t.Helper()
		require.NoError(t, b.db.FoldCounts(ctx, b.ours.TeamID))
	}
	first, second := b.file(t, b.ours), b.file(t, b.ours)
	acme, bolt := fact("party", "Acme", ""), fact("party", "Bolt", "")
	b.save(t, b.ours, first.ID, acme, bolt)
	b.save(t, b.ours, second.ID, acme, acme)
	require.Equal(t, []string{"party=acme", "party=bolt"}, known(), "each of them once")
	b.save(t, b.ours, first.ID)
	require.Equal(t, []string{"party=acme", "party=bolt"}, known())
	teams, err := b.db.StaleCounts(ctx)
	require.NoError(t, err)
	require.Contains(t, teams, b.ours.TeamID)
	fold()
	require.Equal(t, []string{"party=acme"}, known())

	// A file is given what the only other one loses.
	b.save(t, b.ours, second.ID)
	err = b.db.InTx(ctx, func(tx *db.Tx) error {
		if err := tx.SaveAttributes(ctx, b.ours, first.ID, first.Generation, []db.Attribute{acme}); err != nil {
			return err
		}
		fold() // it does not wait for long
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, []string{"party=acme"}, known())
	fold()
	require.Equal(t, []string{"party=acme"}, known(), "it is theirs now")

	b.save(t, b.ours, first.ID)
	fold()
	require.Empty(t, known())
	teams, err = b.db.StaleCounts(ctx)
	require.NoError(t, err)
	require.NotContains(t, teams, b.ours.TeamID, "nothing is left to do")
}

func found0(t *testing.T, b *bundle, s db.AttributeSearch) db.FoundValue {
	t.Helper()
	list, err := b.db.AttributeValues(t.Context(), b.ours, s)
	require.NoError(t, err)
	require.NotEmpty(t, list)
	return list[0]
}

func TestAttributeKeys(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first, second := b.file(t, b.ours), b.file(t, b.ours)
	b.save(t, b.ours, first.ID, fact("governing_law", "Ohio", ""), fact("party", "B", ""), fact("party", "A", ""), place("date", "2020", 1))
	b.save(t, b.ours, second.ID, fact("party", "C", ""), fact("party", "a", ""), fact("party", "D", ""))
	keys := func(in db.Scope, level db.AttributeLevel, text string, match db.AttributeMatch) (names []string, list []db.FoundKey) {
		list, err := b.db.AttributeKeys(t.Context(), in, level, text, match, 10)
		require.NoError(t, err)
		for _, k := range list {
			names = append(names, string(k.Match())+" "+k.Key)
		}
		return names, list
	}
	names, list := keys(b.ours, db.FileLevel, "", db.MatchSimilar)
	require.Equal(t, []string{" party", " governing_law"}, names)
	require.Equal(t, []any{5, 2, []string{"A", "B", "C"}}, []any{list[0].Count, list[0].Files, list[0].Examples})
	for text, want := range map[string][]string{
		"Governing_Law": {"exact governing_law"}, "governing": {"prefix governing_law"}, "law": {"similar governing_law"},
		"govering  law": {"similar governing_law"}, "partys": {"similar party"}, "price": nil, "date": nil, "%": nil,
	} {
		names, _ := keys(b.ours, db.FileLevel, text, db.MatchSimilar)
		require.Equal(t, want, names, text)
	}
	names, _ = keys(b.ours, db.FileLevel, "govern", db.MatchExact)
	require.Empty(t, names)
	names, _ = keys(b.ours, db.FileLevel, "law", db.MatchPrefix)
	require.Empty(t, names)
	names, _ = keys(b.ours, db.SpanLevel, "", db.MatchExact)
	require.Equal(t, []string{" date"}, names)
	names, _ = keys(b.theirs, db.FileLevel, "", db.MatchSimilar)
	require.Empty(t, names)
}

package search_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/query"
	"github.com/clausemill/clausemill/search"
)

// conditions holds an engine to finding, under any filter, what the database
// lists under the same.
func conditions(t *testing.T, h *house) {
	say := func(in db.Scope, id string, values map[string][]string) {
		require.NoError(t, h.db.InTx(t.Context(), func(tx *db.Tx) error {
			for key, list := range values {
				var said []db.Attribute
				for _, v := range list {
					said = append(said, db.Attribute{Value: v, Canonical: v, Normalized: json.RawMessage("{}")})
				}
				require.NoError(t, tx.SetAttribute(t.Context(), in, id, key, said))
			}
			return nil
		}))
	}
	add := func(in db.Scope, name string, parties []string, values map[string][]string) {
		id := h.create(t, in, name, func(f *db.NewFile) {
			for _, p := range parties {
				f.Parties = append(f.Parties, db.Party{Name: p})
			}
		})
		h.text(t, in, id, "en", notice, law)
		say(in, id, values)
		h.index(t, in, id)
	}
	add(h.ours, "one.pdf", []string{"Acme Inc.", "Bolt LLC"}, map[string][]string{"governing_law": {"Delaware", "New York"}, "expiration_date": {"2027-03-31"}, "contract_value": {"100.50 USD"}})
	add(h.ours, "two.pdf", []string{"ACME  Inc."}, map[string][]string{"governing_law": {"DELAWARE"}, "expiration_date": {"2026"}, "notice_period": {"P1M"}})
	add(h.ours, "three.pdf", nil, map[string][]string{"governing_law": {`Société "Generale"`}})
	add(h.ours, "four.pdf", []string{"Société Générale"}, nil)
	add(h.theirs, "theirs.pdf", []string{"Acme Inc."}, map[string][]string{"governing_law": {"Delaware"}})

	law, expiry := query.AttributeField("governing_law"), query.AttributeField("expiration_date")
	not := func(f query.Filter) query.Filter { return query.Filter{Not: &f} }
	either := func(list ...query.Filter) query.Filter { return query.Filter{Any: list} }
	none := func(f query.Field, op query.Op) query.Filter { return query.Filter{Field: f, Op: op} }
	seen := 0
	for _, f := range []query.Filter{
		query.Is(law, "delaware"), query.Is(law, "new york", "texas"), query.Compare(law, query.NotIn, "Delaware"), not(query.Is(law, "Delaware")),
		query.Is(law, `societe "generale"`), query.Is(law, `x" OR kind = "sentence`), none(law, query.Exists), none(law, query.Missing),
		query.Is(query.Party, "acme inc."), query.Is(query.Party, "SOCIETE GENERALE"), query.Compare(query.Party, query.NotIn, "Bolt LLC"), none(query.Party, query.Missing), none(query.Counterparty, query.Exists),
		query.Compare(expiry, query.AtMost, "2026-01-01"), query.Compare(expiry, query.Above, "2026-01-01"), query.Compare(expiry, query.AtLeast, "2027-03-31"), query.Compare(expiry, query.Below, "today+36500d"), none(expiry, query.Missing),
		query.Compare(query.AttributeField("contract_value"), query.AtLeast, "100.5"), query.Is(query.AttributeField("contract_value"), "100.5"), query.Compare(query.AttributeField("notice_period"), query.AtMost, "30"),
		query.Is(query.Language, "en"), query.Is(query.HasOCR, "false"), query.Is(query.HasOCR, "true"), query.Is(query.Duplicate, "true"), query.Is(query.NeedsReview, "true"), query.Is(query.NeedsReview, "false"), query.Is(query.FileSource, "upload"),
		none(query.DocumentType, query.Exists), none(query.Matter, query.Missing), query.Is(query.CreatedBy, h.ours.ActorID), query.Compare(query.Size, query.AtLeast, "1"), query.Compare(query.PageCount, query.Above, "0"),
		query.Compare(query.CreatedAt, query.AtLeast, "today-1d"), query.Compare(query.CreatedAt, query.Above, "today+1d"),
		query.Compare(query.Name, query.Contains, "T"), query.Compare(query.UpdatedAt, query.AtLeast, "today-1d"), query.Compare(query.MatterName, query.Contains, "x"),
		query.Than(query.CreatedAt, query.Below, expiry), query.Than(query.CreatedAt, query.Above, expiry, "-50y"), not(query.Than(expiry, query.AtLeast, query.CreatedAt)),
		either(query.Is(law, "New York"), none(law, query.Missing)), either(query.Is(query.Party, "Bolt LLC"), query.Compare(query.Name, query.Contains, "three")),
		query.And(query.Is(law, "Delaware"), not(query.Is(query.Party, "Bolt LLC"))), not(either(query.Is(law, "Delaware"), none(law, query.Missing))),
	} {
		filter, err := f.Checked(query.Sentences, time.Now())
		require.NoError(t, err)
		want, err := h.db.FileIDs(t.Context(), h.ours, db.FileFilter{Where: filter}, 10)
		require.NoError(t, err)
		seen += len(want)
		for _, text := range []string{"notice", ""} {
			found := h.files(t, h.ours, search.Query{Text: text, Filter: search.Filter{Where: filter}})
			got := []string{}
			for _, hit := range found.Hits {
				got = append(got, hit.FileID)
			}
			require.ElementsMatch(t, want, got, "%q %+v", text, f)
			require.Equal(t, len(want), found.Total)
		}
		require.Len(t, h.sentences(t, h.ours, search.Query{Text: "notice", Filter: search.Filter{Where: filter}}).Hits, len(want))
	}
	require.Greater(t, seen, 50, "most of these find something")

	for f, want := range map[*query.Filter]int{
		{Field: query.Page, Op: query.In, Values: []string{"2"}}:                                       4,
		{Field: query.Label, Op: query.Missing}:                                                        8,
		{Field: query.LabelSource, Op: query.Exists}:                                                   0,
		{Any: []query.Filter{query.Compare(query.Page, query.AtMost, "1"), query.Is(law, "New York")}}: 5,
	} {
		filter, err := f.Checked(query.Sentences, time.Now())
		require.NoError(t, err)
		require.Equal(t, want, h.sentences(t, h.ours, search.Query{Filter: search.Filter{Where: filter}}).Total, "%+v", f)
	}
}

// listing holds an engine that is asked for no words to what the database lists:
// files, whatever of their sentences a condition is about, and all of them
// however many sentences they have.
func listing(t *testing.T, h *house) {
	long := make([]string, 1200)
	for i := range long {
		long[i] = fmt.Sprintf("Item %d is delivered.", i)
	}
	for i, text := range [][]string{{law, notice}, {notice}, {law}, long} {
		id := h.create(t, h.ours, fmt.Sprintf("%d.pdf", i), nil)
		h.text(t, h.ours, id, "en", text...)
		require.NoError(t, h.db.InTx(t.Context(), func(tx *db.Tx) error {
			_, err := tx.Raw.Exec(t.Context(), `UPDATE sentences SET label = 'governing_law', source = 'predicted', score = 0.1 + 0.1::real * $2 WHERE file_id = $1 AND text = $3`, id, i, law)
			require.NoError(t, err)
			return tx.LabelsChanged(t.Context(), h.ours, []string{id})
		}))
		h.index(t, h.ours, id)
	}
	var score float32
	require.NoError(t, h.db.InTx(t.Context(), func(tx *db.Tx) error {
		return tx.Raw.QueryRow(t.Context(), `SELECT max(score) FROM sentences WHERE team_id = $1`, h.ours.TeamID).Scan(&score)
	}))
	labelled, second := query.Is(query.Label, "governing_law"), query.Is(query.Page, "2")
	both := query.And(labelled, second)
	either := query.Filter{Any: []query.Filter{both, query.Compare(query.Name, query.Contains, "3")}}
	for f, n := range map[*query.Filter]int{
		{}: 4, &labelled: 2, &second: 2, &both: 1, &either: 2, {Not: &labelled}: 2, {Not: &both}: 3,
		{Field: query.Page, Op: query.Exists}:                                                                       4,
		{Field: query.Label, Op: query.Missing}:                                                                     2,
		{Field: query.Label, Op: query.NotIn, Values: []string{"governing_law"}}:                                    2,
		{Field: query.LabelScore, Op: query.In, Values: []string{strconv.FormatFloat(float64(score), 'f', -1, 64)}}: 1,
	} {
		filter, err := f.Checked(query.Sentences, time.Now())
		require.NoError(t, err)
		want, err := h.db.FileIDs(t.Context(), h.ours, db.FileFilter{Where: filter}, 10)
		require.NoError(t, err)
		require.Len(t, want, n, "%+v", *f)
		found := h.files(t, h.ours, search.Query{Filter: search.Filter{Where: filter}})
		got := []string{}
		for _, hit := range found.Hits {
			got = append(got, hit.FileID)
		}
		require.ElementsMatch(t, want, got, "%+v", *f)
		require.Equal(t, n, found.Total)
		require.True(t, found.Exact)
	}
	hits := h.files(t, h.ours, search.Query{Filter: search.Filter{Where: labelled}}).Hits
	require.Equal(t, law, hits[0].Hits[0].Text, "with the sentences that are asked for")
}

// TestEveryFieldHasItsAttribute fails for a field that the index neither has nor
// leaves to the database.
func TestEveryFieldHasItsAttribute(t *testing.T) {
	t.Parallel()
	left := []query.Field{query.Name, query.UpdatedAt, query.Category, query.Path, query.Said, query.NeedsReview, query.PartyRole, query.OurRole, query.CounterpartyRole}
	for _, d := range query.Fields(query.Sentences) {
		if d.Of == query.Matters {
			left = append(left, d.Field)
		}
	}
	for _, d := range query.Fields(query.Sentences) {
		ofFile, ofSentence := search.Indexed(d.Field)
		if d.Of == query.Sentences {
			require.Equal(t, d.Field != query.Sentence, ofSentence, "the database finds files, and no sentences: %s", d.Field)
			continue
		}
		require.Equal(t, !slices.Contains(left, d.Field), ofFile, d.Field)
	}
}

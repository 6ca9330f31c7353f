package db_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/query"
)

// filed is a file of a matter by the values of each facet, folded.
type filed map[db.MatterFacet][]string

// has reports whether the file has any of values.
func (f filed) has(facet db.MatterFacet, values []string) bool {
	return len(values) == 0 || slices.ContainsFunc(values, func(v string) bool { return slices.Contains(f[facet], query.Fold(v)) })
}

// TestMatterFacetsAreConditions chooses values of the filters over the files of
// matters at random, and compares what they count with the list of files under
// the same as a condition, and with what was put in.
func TestMatterFacetsAreConditions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	stages, statuses := db.MatterStages(), db.MatterStatuses()
	names := [][]string{{"Acme Inc.", "ACME  inc."}, {"Bolt LLC"}, {"Société Générale", "societe generale"}, {}}
	parties := func(list []string) []db.Party {
		out := []db.Party{}
		for _, name := range list {
			out = append(out, db.Party{Name: name, Role: "buyer"})
		}
		return out
	}
	fold := func(lists ...[]string) []string {
		out := []string{}
		for _, name := range slices.Concat(lists...) {
			out = append(out, query.Fold(name))
		}
		return out
	}
	var files []filed
	require.NoError(t, b.db.InTx(ctx, func(tx *db.Tx) error {
		types, err := tx.TypeKeys(ctx, b.ours)
		require.NoError(t, err)
		for i := range 24 {
			source := []string{"upload", "api", "zip"}[i%3]
			ours, theirs := names[i%4], names[i/4%4]
			row := b.file(t, b.ours, func(f *db.NewFile) {
				f.Source, f.Parties = source, parties(ours)
				if i%5 > 0 {
					f.DocumentTypeID = types[i%5].ID
				}
			})
			if _, err := tx.UpdateFile(ctx, b.ours, row.ID, db.FileUpdate{Counterparties: &theirs}); err != nil {
				return err
			}
			if i%8 == 7 {
				continue // a file of no matter
			}
			name, ofMatter, ofOther := "Matter", parties(names[i%3]), names[(i+1)%4]
			m, err := tx.CreateMatter(ctx, b.ours, db.MatterChange{
				Name: &name, Stage: &stages[i%len(stages)], Status: &statuses[i%len(statuses)], Parties: &ofMatter, Counterparties: &ofOther,
			})
			require.NoError(t, err)
			if _, err := tx.PutIntoMatter(ctx, b.ours, m.ID, row.ID); err != nil {
				return err
			}
			f := filed{
				"parties": fold(ours, names[i%3]), "counterparties": fold(theirs, ofOther), "sources": {source},
				"stages": {string(m.Stage)}, "statuses": {string(m.Status)},
			}
			if i%5 > 0 {
				f["document-types"] = []string{types[i%5].ID}
			}
			files = append(files, f)
		}
		return nil
	}))
	for _, field := range []query.Field{query.Counterparty, query.Party} {
		d, _ := query.Lookup(field)
		require.NoError(t, b.db.Facets(ctx, b.ours, time.Minute, func(f db.Facets) error {
			options, err := f.Options(ctx, query.Filter{}, d, "", 10, 0)
			require.Len(t, options, 3)
			require.Equal(t, "ACME  inc.", options[0].Label, "of the names that are as common the first")
			for _, o := range options {
				n, err := f.Count(ctx, query.Is(field, o.Value))
				require.NoError(t, err)
				require.Equal(t, n, o.Files, o.Value)
				require.Equal(t, 3, o.Total)
			}
			return err
		}))
	}
	all := map[db.MatterFacet][]string{}
	for _, facet := range db.MatterFacets() {
		found, err := b.db.MatterFacetValues(ctx, b.ours, facet, db.MatterFileFilter{}, "", 100)
		require.NoError(t, err)
		require.Equal(t, len(files), found.Total)
		require.NotEmpty(t, found.Items)
		for _, v := range found.Items {
			all[facet] = append(all[facet], v.Value)
		}
	}
	count := func(t require.TestingT, conditions ...query.Filter) int {
		n, err := b.db.CountFiles(ctx, b.ours, db.FileFilter{Where: query.And(append(conditions, query.Filter{Field: query.Matter, Op: query.Exists})...)})
		require.NoError(t, err)
		return n
	}
	rapid.Check(t, func(t *rapid.T) {
		filter := db.MatterFileFilter{Chosen: map[db.MatterFacet][]string{}}
		var conditions []query.Filter
		for _, facet := range db.MatterFacets() {
			if chosen := rapid.SliceOfNDistinct(rapid.SampledFrom(all[facet]), 0, 3, rapid.ID).Draw(t, string(facet)); len(chosen) > 0 {
				filter.Chosen[facet] = chosen
				conditions = append(conditions, facet.Condition(chosen...))
			}
		}
		facet := rapid.SampledFrom(db.MatterFacets()).Draw(t, "facet")
		own := filter.Chosen[facet]
		delete(filter.Chosen, facet)
		found, err := b.db.MatterFacetValues(ctx, b.ours, facet, filter, "", 100)
		require.NoError(t, err)
		let := func(also db.MatterFacet, values ...string) (n int) {
			for _, f := range files {
				through := f.has(also, values)
				for _, other := range db.MatterFacets() {
					through = through && f.has(other, filter.Chosen[other])
				}
				if through {
					n++
				}
			}
			return n
		}
		require.Equal(t, let(facet), found.Total)
		require.Equal(t, let(facet, own...), count(t, conditions...))
		conditions = nil
		for other, chosen := range filter.Chosen {
			conditions = append(conditions, other.Condition(chosen...))
		}
		for _, v := range found.Items {
			require.Equal(t, let(facet, v.Value), v.Count, "%s %s", facet, v.Value)
		}
		if len(found.Items) > 0 {
			v := rapid.SampledFrom(found.Items).Draw(t, "value")
			require.Equal(t, v.Count, count(t, append(conditions, facet.Condition(v.Value))...), "%s %s", facet, v.Value)
		}
	})
}

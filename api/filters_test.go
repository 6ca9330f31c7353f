package api_test

import (
	"encoding/json"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/query"
)

const lease = `LEASE AGREEMENT

This Lease is made on June 1, 2021 by and between Acme Inc., a Delaware corporation ("Acme"), and Casa GmbH (the "Tenant").

1. Governing Law. This Lease is governed by the laws of the State of New York.
`

// shelf gives alice four contracts, of which the first three are of one type and
// one has no text, and mallory one.
func shelf(t *testing.T, b *bundle) (typeID string, files []string) {
	t.Helper()
	types := get[api.List[api.DocumentType]](t, b.call(t, b.alice, "GET /api/document-types", ""), http.StatusOK)
	typeID = types.Items[0].ID
	for i, text := range []string{supply, supply, lease, ""} {
		id := b.file(t, b.alice).ID
		if text != "" {
			b.read(t, b.alice, id, text)
		}
		files = append(files, id)
		if i < 3 {
			require.Equal(t, http.StatusOK, b.call(t, b.alice, "PUT /api/files/"+id, `{"documentTypeId":"`+typeID+`"}`).Code)
		}
	}
	b.label(t, b.alice, files[0], "governing_law")
	b.read(t, b.mallory, b.file(t, b.mallory).ID, supply)
	return typeID, files
}

// label gives a file two sentences, the first with a label.
func (b *bundle) label(t *testing.T, who caller, fileID, label string) {
	t.Helper()
	in := db.System(who.scope.TeamID)
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		for i, l := range []*string{&label, nil} {
			_, err := tx.Raw.Exec(t.Context(), `INSERT INTO sentences (id, file_id, team_id, ordinal, block, page, start_at, end_at, text, label, score, source)
				VALUES ($1, $2, $3, $4, 0, 1, $5, $6, 'Governed by law.', $7, 0.75, 'predicted')`,
				db.NewID(), fileID, in.TeamID, 1000+i, 20*i, 20*i+16, l)
			require.NoError(t, err)
		}
		return tx.LabelsChanged(t.Context(), in, []string{fileID})
	}))
}

// found is how many files the list, the search and a widget find by a condition.
func (b *bundle) found(t *testing.T, who caller, condition query.Filter) []int {
	t.Helper()
	text := string(must(json.Marshal(condition)))
	parameter := "filter=" + url.QueryEscape(text)
	files := get[api.List[api.File]](t, b.call(t, who, "GET /api/files?"+parameter, ""), http.StatusOK)
	hits := get[api.FileHits](t, b.call(t, who, "GET /api/search?"+parameter, ""), http.StatusOK)
	data := get[api.Data](t, b.call(t, who, "POST "+widgets+"/execute-query", `{"query":{"source":"files","metric":{"op":"count"},"filters":[`+text+`]}}`), http.StatusOK)
	return []int{*files.Total, hits.Total, int(data.Rows[0][0].(float64))}
}

// TestFiltersCanBeExecuted holds every option that is offered to finding as many
// files as it says, wherever it is used.
func TestFiltersCanBeExecuted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	typeID, files := shelf(t, b)
	for _, line := range []string{"POST /api/documents/" + typeID + "/get-filters", "POST /api/files/" + files[0] + "/get-filters", "POST /api/documents/" + files[0] + "/get-filters"} {
		out := get[api.Filters](t, b.call(t, b.alice, line, `{}`), http.StatusOK)
		require.Equal(t, query.Is(query.DocumentType, typeID), out.Corpus.Filter)
		require.Equal(t, 3, out.Corpus.Files)
		seen := map[string]bool{}
		for _, f := range out.Items {
			seen[f.ID] = true
			for _, o := range f.Options {
				n := o.Count
				require.Equal(t, []int{n, n, n}, b.found(t, b.alice, query.And(out.Corpus.Filter, query.Is(query.Field(f.ID), o.Value))), "%s %s", f.ID, o.Value)
			}
			if f.Range != nil {
				n := f.Range.Count
				require.Equal(t, []int{n, n, n}, b.found(t, b.alice, query.And(out.Corpus.Filter, query.Compare(query.Field(f.ID), query.AtLeast, *f.Range.Min), query.Compare(query.Field(f.ID), query.AtMost, *f.Range.Max))), f.ID)
			}
		}
		for _, id := range []string{"attribute.governing_law", "attribute.party", "attribute.agreement_date", "documentType", "status", "label", "createdAt", "duplicate"} {
			require.True(t, seen[id], id)
		}
		require.False(t, seen["matter"], "no file is in one")
	}
}

func filterOf(t *testing.T, list []api.FieldFilter, id string) api.FieldFilter {
	t.Helper()
	i := slices.IndexFunc(list, func(f api.FieldFilter) bool { return f.ID == id })
	require.GreaterOrEqual(t, i, 0, id)
	return list[i]
}

// TestPlacesByAnyName finds the law that users set for a file by any name of the place, in lists,
// searches and widgets, and shows its plain name; the words that were set stay.
func TestPlacesByAnyName(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.file(t, b.alice).ID
	b.read(t, b.alice, id, lease)
	get[api.File](t, b.call(t, b.alice, "PUT /api/files/"+id, `{"attributes":{"governing_law":[{"value":"the laws of the P.R.C."}]}}`), http.StatusOK)
	for _, name := range []string{"China", "PRC", "People's Republic of China"} {
		require.Equal(t, []int{1, 1, 1}, b.found(t, b.alice, query.Is(query.AttributeField("governing_law"), name)), name)
		options := get[api.List[api.FilterOption]](t, b.call(t, b.alice, "POST /api/files/"+id+"/filters/attribute.governing_law/options", `{"query":"`+name+`"}`), http.StatusOK)
		require.Equal(t, []api.FilterOption{{Value: "china", Label: "China", Count: 1}}, options.Items, name)
	}
	require.Equal(t, []int{0, 0, 0}, b.found(t, b.alice, query.Is(query.AttributeField("governing_law"), "Taiwan")))
	made := get[api.Generated](t, b.call(t, b.alice, "POST "+widgets+"/generate-config", `{"prompt":"contracts by governing law"}`), http.StatusOK)
	require.Equal(t, [][]any{{"China", 1.}}, made.Preview.Rows)
	law := get[api.FileLookup](t, b.call(t, b.alice, "POST /api/tools/lookup-document-attribute-value", `{"fileId":"`+id+`","key":"governing_law"}`), http.StatusOK)
	require.Equal(t, []string{"the laws of the P.R.C.", "CN"}, []string{law.Items[0].Value, law.Items[0].Normalized.Code})
}

func TestFiltersOfAFile(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, files := shelf(t, b)
	line := "POST /api/files/" + files[2] + "/get-filters"
	out := get[api.Filters](t, b.call(t, b.alice, line, `{}`), http.StatusOK)
	law := filterOf(t, out.Items, "attribute.governing_law")
	require.Equal(t, []api.FilterOption{{Value: "delaware", Label: "Delaware", Count: 2}, {Value: "new york", Label: "New York", Count: 1, OfFile: true}}, laws(law.Options))
	require.Equal(t, 2, *law.Total)
	require.Equal(t, "file", law.Scope)
	label := filterOf(t, out.Items, "label")
	require.Equal(t, []api.FilterOption{{Value: "governing_law", Label: "governing_law", Count: 1}}, label.Options)
	require.Equal(t, "sentence", label.Scope)
	require.Equal(t, "2020-05-05T00:00:00Z", *filterOf(t, out.Items, "attribute.agreement_date").Range.Min)

	// A selection narrows the other filters, and not its own.
	out = get[api.Filters](t, b.call(t, b.alice, line, `{"filter":{"field":"attribute.governing_law","op":"in","values":["new york"]}}`), http.StatusOK)
	require.Equal(t, 1, out.Corpus.Files)
	require.Len(t, filterOf(t, out.Items, "attribute.governing_law").Options, 2)
	require.Equal(t, 1, filterOf(t, out.Items, "documentType").Options[0].Count)
	require.Len(t, filterOf(t, get[api.Filters](t, b.call(t, b.alice, line, `{"limit":1}`), http.StatusOK).Items, "attribute.governing_law").Options, 1)
	e := get[api.Error](t, b.call(t, b.alice, line, `{"filter":{"field":"colour"}}`), http.StatusUnprocessableEntity)
	require.Equal(t, "body.filter", e.Details[0].Location)

	untyped := get[api.Filters](t, b.call(t, b.alice, "POST /api/files/"+files[3]+"/get-filters", `{}`), http.StatusOK)
	require.Equal(t, untyped, get[api.Filters](t, b.call(t, b.alice, "POST /api/files/"+files[3]+"/get-filters", ""), http.StatusOK))
	get[api.List[api.FilterOption]](t, b.call(t, b.alice, "POST /api/files/"+files[3]+"/filters/status/options", ""), http.StatusOK)
	require.Equal(t, 4, untyped.Corpus.Files, "all of the team's where it has no type")

	listed := get[api.AvailableFilters](t, b.call(t, b.alice, "POST /api/files/"+files[0]+"/list-filters", ""), http.StatusOK)
	for _, f := range listed.Items {
		require.Nil(t, f.Options)
		require.NotEmpty(t, f.Operators)
		d, ok := query.Lookup(query.Field(f.ID))
		require.True(t, ok)
		require.Equal(t, d.Kind, f.Kind)
	}
	for _, id := range []string{"name", "matterName", "labelScore", "attribute.party"} {
		filterOf(t, listed.Items, id)
	}
}

// laws are options as they are counted, their labels without what differs by
// the words of the text.
func laws(options []api.FilterOption) []api.FilterOption {
	out := slices.Clone(options)
	for i := range out {
		if out[i].Value == "delaware" {
			out[i].Label = "Delaware"
		} else {
			out[i].Label = "New York"
		}
	}
	return out
}

func TestOptions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, files := shelf(t, b)
	of := func(field, body string, status int) api.List[api.FilterOption] {
		return get[api.List[api.FilterOption]](t, b.call(t, b.alice, "POST /api/files/"+files[0]+"/filters/"+field+"/options", body), status)
	}
	all := of("attribute.party", "{}", http.StatusOK)
	require.Equal(t, 3, *all.Total)
	require.Equal(t, 3, all.Items[0].Count, "Acme is in all")
	var paged []api.FilterOption
	more := ""
	for range all.Items {
		page := of("attribute.party", `{"limit":1`+more+`}`, http.StatusOK)
		paged = append(paged, page.Items...)
		more = `,"cursor":"` + page.NextCursor + `"`
	}
	require.Equal(t, all.Items, paged)
	require.Equal(t, `,"cursor":""`, more)
	require.Len(t, of("attribute.party", `{"query":"CASA"}`, http.StatusOK).Items, 1)
	require.Empty(t, of("attribute.party", `{"query":"%"}`, http.StatusOK).Items)
	require.Equal(t, 1, *of("attribute.governing_law", `{"filter":{"field":"attribute.party","op":"in","values":["casa gmbh"]}}`, http.StatusOK).Total)
	require.Equal(t, "true", of("duplicate", "{}", http.StatusOK).Items[0].Value)
	for field, status := range map[string]int{"colour": http.StatusNotFound, "action": http.StatusNotFound, "name": http.StatusUnprocessableEntity, "createdAt": http.StatusUnprocessableEntity} {
		of(field, "{}", status)
	}
	of("status", `{"cursor":"`+of("attribute.party", `{"limit":1}`, http.StatusOK).NextCursor+`"}`, http.StatusUnprocessableEntity)
}

func TestAttributeKeysAndValues(t *testing.T) {
	t.Parallel()
	b := setup(t)
	shelf(t, b)
	keys := get[api.List[api.AttributeField]](t, b.call(t, b.alice, "GET /api/attributes/file-level/keys", ""), http.StatusOK)
	byKey := map[string]api.AttributeField{}
	for _, k := range keys.Items {
		byKey[k.Key] = k
	}
	require.Equal(t, api.AttributeField{Key: "governing_law", Field: "attribute.governing_law", Label: "Governing law", Kind: query.Enum, Files: 3}, byKey["governing_law"])
	require.Equal(t, query.Date, byKey["agreement_date"].Kind)
	values := get[api.List[api.FilterOption]](t, b.call(t, b.alice, "GET /api/attributes/file-level/values?key=Governing-Law", ""), http.StatusOK)
	require.Equal(t, []int{2, 1}, []int{values.Items[0].Count, values.Items[1].Count})
	dates := get[api.List[api.FilterOption]](t, b.call(t, b.alice, "GET /api/attributes/file-level/values?key=agreement_date&limit=1", ""), http.StatusOK)
	require.Equal(t, "2020-05-05", dates.Items[0].Value)
	require.NotEmpty(t, dates.NextCursor)
	next := get[api.List[api.FilterOption]](t, b.call(t, b.alice, "GET /api/attributes/file-level/values?key=agreement_date&limit=1&cursor="+dates.NextCursor, ""), http.StatusOK)
	require.Equal(t, "2021-06-01", next.Items[0].Value)
	require.Empty(t, get[api.List[api.FilterOption]](t, b.call(t, b.mallory, "GET /api/attributes/file-level/values?key=party&query=casa", ""), http.StatusOK).Items)
	get[api.Error](t, b.call(t, b.alice, "GET /api/attributes/file-level/values", ""), http.StatusUnprocessableEntity)
	get[api.Error](t, b.call(t, b.alice, "GET /api/attributes/file-level/values?key=--", ""), http.StatusUnprocessableEntity)
}

func TestFiltersFromAFile(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, files := shelf(t, b)
	later := b.file(t, b.alice).ID
	b.read(t, b.alice, later, strings.Replace(lease, "June 1, 2021", "March 3, 2021", 1))
	b.label(t, b.alice, files[1], "governing_law")
	out := get[api.FactFilters](t, b.call(t, b.alice, "GET /api/files/"+files[0]+"/get-filters-ai", ""), http.StatusOK)
	byID := map[string]api.FactFilter{}
	for _, f := range out.Items {
		byID[f.ID] = f
		require.Equal(t, []int{f.Count, f.Count, f.Count}, b.found(t, b.alice, f.Filter), f.ID)
		require.Greater(t, f.Count, 1, "it finds more than the file itself")
		if f.Source == "attribute" {
			for _, s := range f.Spans {
				require.Equal(t, string([]rune(supply)[s.Start:s.End]), s.Text)
			}
		}
	}
	require.Equal(t, 2, byID["attribute.governing_law"].Count)
	require.NotEmpty(t, byID["attribute.governing_law"].Spans)
	require.Len(t, byID["attribute.party"].Filter.Values, 2)
	require.Equal(t, 4, byID["attribute.party"].Count)
	require.Equal(t, 2, byID["attribute.agreement_date"].Count)
	require.Equal(t, float32(0.75), *byID["label"].Confidence)
	require.Equal(t, "Governed by law.", byID["label"].Spans[0].Text)

	// A day that no other file has is widened to its year, and what only the file has is left out.
	for _, id := range []string{files[2], later} {
		out = get[api.FactFilters](t, b.call(t, b.alice, "GET /api/files/"+id+"/get-filters-ai", ""), http.StatusOK)
		at := slices.IndexFunc(out.Items, func(f api.FactFilter) bool { return f.ID == "attribute.agreement_date" })
		require.GreaterOrEqual(t, at, 0)
		year := query.AttributeField("agreement_date")
		require.Equal(t, query.And(query.Compare(year, query.AtLeast, "2021-01-01"), query.Compare(year, query.AtMost, "2021-12-31")), out.Items[at].Filter)
		require.Equal(t, 2, out.Items[at].Count)
	}

	sentences := get[api.List[api.Sentence]](t, b.call(t, b.alice, "GET /api/sentences?fileId="+files[0], ""), http.StatusOK).Items
	said := sentences[len(sentences)-1].ID
	require.Equal(t, http.StatusOK, b.call(t, b.alice, "PATCH /api/sentences/"+said+"/validate", `{"label":"insurance"}`).Code)
	b.label(t, b.alice, files[2], "insurance")
	out = get[api.FactFilters](t, b.call(t, b.alice, "GET /api/files/"+files[0]+"/get-filters-ai", ""), http.StatusOK)
	at := slices.IndexFunc(out.Items, func(f api.FactFilter) bool { return slices.Equal(f.Filter.Values, []string{"insurance"}) })
	require.GreaterOrEqual(t, at, 0, "what people say is a clause as well")
	require.Nil(t, out.Items[at].Confidence)
	require.Empty(t, get[api.FactFilters](t, b.call(t, b.alice, "GET /api/files/"+files[3]+"/get-filters-ai", ""), http.StatusOK).Items)
}

func TestRecommendedFilters(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, files := shelf(t, b)
	line := "GET /api/files/" + files[2] + "/get-filters-recommended"
	out := get[api.Recommendations](t, b.call(t, b.alice, line, ""), http.StatusOK)
	require.Equal(t, 3, out.Corpus.Files)
	require.NotEmpty(t, out.Items)
	third := -1.0/3*math.Log2(1.0/3) - 2.0/3*math.Log2(2.0/3)
	for i, f := range out.Items {
		require.NotContains(t, []string{"status", "attribute.document_name"}, f.ID)
		require.InDelta(t, third, f.Gain, 1e-9, "one or two of three")
		require.Contains(t, f.Reason, "splits 3 files into")
		n := f.Count
		require.Equal(t, []int{n, n, n}, b.found(t, b.alice, query.And(out.Corpus.Filter, f.Filter)), f.ID)
		require.Less(t, i, 12)
	}
	require.NotEqual(t, "attribute.governing_law", out.Items[0].ID)
	signed := out.Items[slices.IndexFunc(out.Items, func(f api.Recommendation) bool { return f.ID == "attribute.agreement_date" })]
	require.Equal(t, []any{"2021", 1}, []any{signed.Value, signed.Count})
	saved := `{"name":"New York","filter":{"field":"attribute.governing_law","op":"in","values":["new york"]}}`
	require.Equal(t, http.StatusCreated, b.call(t, b.alice, "POST /api/saved-searches", saved).Code)
	out = get[api.Recommendations](t, b.call(t, b.alice, line, ""), http.StatusOK)
	require.Equal(t, "attribute.governing_law", out.Items[0].ID, "what the team uses comes first")
	require.Equal(t, 1, out.Items[0].Used)
}

// TestRecommendedFiltersOfAlikeFiles has the only file of its type, then two of
// one type that nothing tells apart: both are told apart from the others of the team.
func TestRecommendedFiltersOfAlikeFiles(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, files := shelf(t, b)
	types := get[api.List[api.DocumentType]](t, b.call(t, b.alice, "GET /api/document-types", ""), http.StatusOK).Items
	like, typeID := b.file(t, b.alice).ID, types[1].ID
	for i, id := range []string{files[3], like} {
		require.Equal(t, http.StatusOK, b.call(t, b.alice, "PUT /api/files/"+id, `{"documentTypeId":"`+typeID+`"}`).Code)
		out := get[api.Recommendations](t, b.call(t, b.alice, "GET /api/files/"+id+"/get-filters-recommended", ""), http.StatusOK)
		require.Equal(t, api.Corpus{Files: 5}, out.Corpus, "all of the team")
		require.NotEmpty(t, out.Items)
		at := slices.IndexFunc(out.Items, func(f api.Recommendation) bool { return f.ID == "documentType" })
		require.GreaterOrEqual(t, at, 0)
		require.Equal(t, query.Is(query.DocumentType, typeID), out.Items[at].Filter)
		require.Equal(t, i+1, out.Items[at].Count)
	}
	b.label(t, b.alice, like, "governing_law")
	out := get[api.Recommendations](t, b.call(t, b.alice, "GET /api/files/"+like+"/get-filters-recommended", ""), http.StatusOK)
	require.Equal(t, api.Corpus{Filter: query.Is(query.DocumentType, typeID), Files: 2}, out.Corpus, "the type's tell it apart now")
	require.NotEmpty(t, out.Items)
}

package api_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/query"
)

// saying is the condition that a file says something.
func saying(op query.Op, text string) query.Filter { return query.Compare(query.Said, op, text) }

// byText are the ids of the files that a condition lets through.
func (b *bundle) byText(t *testing.T, who caller, condition query.Filter) []string {
	t.Helper()
	list := get[api.List[api.File]](t, b.call(t, who, "GET /api/files?filter="+url.QueryEscape(string(must(json.Marshal(condition)))), ""), http.StatusOK)
	return sortedIDs(list.Items, func(f api.File) string { return f.ID })
}

// sortedIDs are the ids of rows, in order.
func sortedIDs[T any](rows []T, id func(T) string) []string {
	ids := make([]string, len(rows))
	for i, r := range rows {
		ids[i] = id(r)
	}
	slices.Sort(ids)
	return ids
}

// TestFiltersByText asks for files by what they say: what the search finds, everywhere
// that conditions are.
func TestFiltersByText(t *testing.T) {
	t.Parallel()
	b := setup(t)
	law, _ := b.contract(t, b.alice, said{text: "This Agreement is governed by the laws of the State of Delaware."}, said{text: "Notices are sent by mail."})
	court, _ := b.contract(t, b.alice, said{text: "The laws apply."}, said{text: "Delaware has courts, and either party may terminate upon notice."})
	lease, _ := b.contract(t, b.alice, said{text: "Rent is paid as is."})
	named := get[api.File](t, b.upload(t, b.alice, nil, [2]string{"Delaware filing.txt", "x"}), http.StatusAccepted)
	foreign, _ := b.contract(t, b.mallory, said{text: "Delaware laws of others."})
	get[api.Synonyms](t, b.call(t, b.alice, "PUT /api/search/synonyms", `{"groups":[["rent","monthly fee"]]}`), http.StatusOK)

	for condition, want := range map[*query.Filter][]api.File{
		{Field: query.Said, Op: query.Contains, Values: []string{"delaware"}}:               {law, court, named},
		{Field: query.Said, Op: query.Contains, Values: []string{"terminating notices"}}:    {court}, // in one sentence, in any form
		{Field: query.Said, Op: query.Contains, Values: []string{"mail delaware"}}:          {},
		{Field: query.Said, Op: query.Contains, Values: []string{`"State of Delaware"`}}:    {law},
		{Field: query.Said, Op: query.Contains, Values: []string{"delawere"}}:               {}, // nothing is corrected
		{Field: query.Said, Op: query.Contains, Values: []string{"laws OR rent"}}:           {}, // words
		{Field: query.Said, Op: query.Contains, Values: []string{"as is"}}:                  {lease},
		{Field: query.Said, Op: query.Contains, Values: []string{"monthly fee"}}:            {lease},
		{Field: query.Said, Op: query.Contains, Values: []string{"…"}}:                      {},
		{Field: query.Said, Op: query.Matches, Values: []string{"mail OR rent"}}:            {law, lease},
		{Field: query.Said, Op: query.Matches, Values: []string{"laws NOT delaware"}}:       {court},
		{Field: query.Said, Op: query.Matches, Values: []string{"laws AND delaware"}}:       {law},
		{Field: query.Said, Op: query.Matches, Values: []string{"laws NEAR/5 delaware"}}:    {law}, // within one sentence
		{Field: query.Said, Op: query.Matches, Values: []string{"delaware NEAR/5 laws"}}:    {law},
		{Field: query.Said, Op: query.Matches, Values: []string{"laws NEAR/4 delaware"}}:    {},
		{Field: query.Said, Op: query.Matches, Values: []string{"NOT laws"}}:                {law, court, lease}, // a sentence without it
		{Field: query.Said, Op: query.Matches, Values: []string{`(mail OR "as is") -rent`}}: {law},
	} {
		ids := sortedIDs(want, func(f api.File) string { return f.ID })
		require.Equal(t, ids, b.byText(t, b.alice, *condition), condition.Values)
		require.Equal(t, []int{len(want), len(want), len(want)}, b.found(t, b.alice, *condition), condition.Values)
		if condition.Op == query.Matches {
			found := get[api.FileHits](t, b.call(t, b.alice, "GET /api/search?q="+url.QueryEscape(condition.Values[0]), ""), http.StatusOK)
			if !found.Relaxed {
				require.Equal(t, ids, sortedIDs(found.Items, func(h api.FileHit) string { return h.FileID }), condition.Values)
			}
		}
	}
	delaware := saying(query.Contains, "delaware")
	require.Len(t, b.byText(t, b.alice, query.Filter{Not: &delaware}), 1)
	require.Len(t, b.byText(t, b.alice, query.And(delaware, saying(query.Contains, "mail"))), 1, "in two sentences")
	require.Equal(t, []string{foreign.ID}, b.byText(t, b.mallory, delaware))

	filter := string(must(json.Marshal(delaware)))
	rehearsed := get[api.BulkAccepted](t, b.call(t, b.alice, "POST /api/files/bulk/delete", `{"dryRun":true,"filter":{"filter":`+filter+`}}`), http.StatusOK)
	require.Equal(t, 3, rehearsed.Accepted)
	require.Len(t, b.exported(t, b.alice, "GET /api/export/files?format=csv&filter="+url.QueryEscape(filter), ""), 3)
	sentences := get[api.SentenceHits](t, b.call(t, b.alice, "GET /api/files/search-index?q=notice&filter="+url.QueryEscape(filter), ""), http.StatusOK)
	require.Equal(t, 2, sentences.Total, "sentences of files that say it")
	saved := get[api.SavedSearch](t, b.call(t, b.alice, "POST /api/saved-searches", `{"name":"Delaware","filter":`+filter+`}`), http.StatusCreated)
	require.Equal(t, delaware, saved.Filter, "as it was written")
	options := get[api.List[api.FilterOption]](t, b.call(t, b.alice, "POST /api/files/"+law.ID+"/filters/status/options", `{"filter":`+filter+`}`), http.StatusOK)
	require.Equal(t, 3, options.Items[0].Count)

	restricted := b.matter(t, b.acme, `{"name":"Wall","access":"restricted"}`)
	colleague := b.colleague(t, b.acme, "colleague")
	inside, _ := b.contract(t, b.acme, said{text: "Courts of Delaware."})
	get[api.File](t, b.call(t, b.acme, "PUT /api/files/"+inside.ID, `{"matterId":"`+restricted.ID+`"}`), http.StatusOK)
	require.Len(t, b.byText(t, b.acme, delaware), 1)
	require.Empty(t, b.byText(t, colleague, delaware))
	require.Equal(t, []int{0, 0, 0}, b.found(t, colleague, delaware))
}

// TestFiltersByTextAreChecked has expressions be refused as searches refuse them,
// wherever a condition can be kept or used.
func TestFiltersByTextAreChecked(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for text, reason := range map[string]string{
		`(laws OR rent AND delaware`: "a parenthesis is not closed",
		`laws NEAR/0 delaware`:       "from 1 to 50",
		`laws AND AND delaware`:      "needs a word before it",
	} {
		filter := string(must(json.Marshal(saying(query.Matches, text))))
		for _, line := range []string{
			"GET /api/files?filter=" + url.QueryEscape(filter),
			"GET /api/search?filter=" + url.QueryEscape(filter),
			"GET /api/search?q=" + url.QueryEscape(text),
			`POST /api/saved-searches {"name":"x","filter":` + filter + `}`,
			"POST " + widgets + `/execute-query {"query":{"source":"files","metric":{"op":"count"},"filters":[` + filter + `]}}`,
			"POST " + widgets + ` {"title":"x","kind":"number","query":{"source":"files","metric":{"op":"count"},"filters":[` + filter + `]}}`,
			`POST /api/files/bulk/delete {"filter":{"filter":` + filter + `}}`,
		} {
			method, rest, _ := strings.Cut(line, " ")
			body := ""
			if at := strings.Index(rest, "{"); method == http.MethodPost && at > 0 {
				rest, body = rest[:at-1], rest[at:]
			}
			e := get[api.Error](t, b.call(t, b.alice, method+" "+rest, body), http.StatusUnprocessableEntity)
			require.Contains(t, string(must(json.Marshal(e))), reason, line)
		}
		require.Empty(t, b.byText(t, b.alice, saying(query.Contains, `zz `+text)), "words are no expression")
	}
	many := query.Filter{Any: slices.Repeat([]query.Filter{saying(query.Contains, "x")}, 11)}
	for condition, reason := range map[*query.Filter]string{
		{Field: query.Said, Op: query.In, Values: []string{"x"}}:            "contains, matches",
		{Field: query.Said, Op: query.Contains, Values: []string{"x", "y"}}: "takes one value",
		{Field: query.Name, Op: query.Matches, Values: []string{"x"}}:       "not \\\"matches\\\"",
		&many: "10 conditions on text",
	} {
		e := b.call(t, b.alice, "GET /api/files?filter="+url.QueryEscape(string(must(json.Marshal(condition)))), "")
		require.Equal(t, http.StatusUnprocessableEntity, e.Code)
		require.Contains(t, e.Body.String(), reason)
	}
	require.Equal(t, http.StatusUnprocessableEntity, b.call(t, b.alice, "POST "+widgets+"/execute-query",
		`{"query":{"source":"files","metric":{"op":"count"},"groupBy":["text"]}}`).Code)
}

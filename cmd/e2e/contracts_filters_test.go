package e2e_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/query"
)

// option is a value that files have.
type option struct {
	Value string
	Files int
	words []string // how it is written
}

// optionsOf are the values of a field in files, the commonest first.
func (c *corpus) optionsOf(what field, files []*fileRow) []option {
	byValue := map[string]*option{}
	for _, f := range files {
		seen := map[string]bool{}
		for _, v := range what.read(c.rows, f) {
			key := fmt.Sprint(v.value)
			o := byValue[key]
			if o == nil {
				o = &option{Value: key}
				byValue[key] = o
			}
			o.words = append(o.words, cmp.Or(v.words, key))
			if !seen[key] {
				o.Files++
				seen[key] = true
			}
		}
	}
	list := []option{}
	for _, o := range values(byValue) {
		list = append(list, *o)
	}
	return sorted(list, func(o option) string { return fmt.Sprintf("%09d %s", 1e9-o.Files-1, o.Value) })
}

// requireOptions compares the options that are told with those that there are.
func (c *corpus) requireOptions(where string, want []option, got []api.FilterOption, limit int) {
	c.t.Helper()
	byValue, words := map[string]api.FilterOption{}, map[string][]string{}
	for _, o := range want {
		byValue[o.Value], words[o.Value] = api.FilterOption{Value: o.Value, Count: o.Files}, o.words
	}
	told := slices.Clone(got)
	for i, o := range told {
		require.Contains(c.t, words[o.Value], o.Label, "%s: how %q is written", where, o.Value)
		told[i].Label, told[i].OfFile = "", false
	}
	agreeTop(c, where, byValue, told, limit, func(o api.FilterOption) string { return o.Value }, func(o api.FilterOption) float64 { return float64(o.Count) })
}

// requireFilters compares filters with what files have. They are counted in the
// files of a corpus that a selection lets through, but for the part of it that is
// about the filter itself.
func (c *corpus) requireFilters(where string, got api.Filters, of *fileRow, corpus, selection query.Filter, limit int) {
	c.t.Helper()
	under := func(q query.Filter) []*fileRow {
		return c.rows.which(func(f *fileRow) bool { return c.holds(corpus, f) && c.holds(q, f) })
	}
	c.agree(where, api.Corpus{Filter: corpus, Files: len(under(selection))}, got.Corpus)
	offered := []string{}
	for _, what := range c.rows.allFields() {
		files := under(selection)
		if string(selection.Field) == what.id {
			files = under(query.Filter{})
		}
		options := c.optionsOf(what, files)
		if len(options) == 0 || what.kind == query.Text {
			continue
		}
		offered = append(offered, what.id)
		at := slices.IndexFunc(got.Items, func(f api.FieldFilter) bool { return f.ID == what.id })
		require.GreaterOrEqual(c.t, at, 0, "%s: %s is not offered", where, what.id)
		filter := got.Items[at]
		name := where + " " + what.id
		c.requireField(what, filter)
		if what.kind == query.Number || what.kind == query.Date {
			c.requireRange(name, what, files, filter.Range)
			continue
		}
		c.agree(name, len(options), filter.Total)
		c.requireOptions(name, options, filter.Options, limit)
		for _, o := range filter.Options {
			own := of != nil && c.holds(query.Is(query.Field(what.id), o.Value), of)
			c.agree(name+" "+o.Value+" of the file", own, o.OfFile)
		}
	}
	require.Len(c.t, got.Items, len(offered), "%s: only %v", where, offered)
}

// requireField compares what is told of a field itself.
func (c *corpus) requireField(what field, got api.FieldFilter) {
	c.t.Helper()
	operators := map[query.Kind][]query.Op{
		query.Enum: {"in", "notIn", "exists", "missing"}, query.Text: {"contains", "startsWith", "in", "notIn", "exists", "missing"}, query.Boolean: {"in"},
		query.Number: {"gte", "lte", "gt", "lt", "in", "exists", "missing"}, query.Date: {"gte", "lte", "gt", "lt", "exists", "missing"},
	}
	taken := operators[what.kind]
	if strings.HasPrefix(what.id, "attribute.") && what.kind == query.Enum { // which are words
		taken = []query.Op{"in", "notIn", "contains", "exists", "missing"}
		if what.id == "attribute.liability_cap" { // or a sum
			taken = []query.Op{"in", "notIn", "contains", "gte", "lte", "gt", "lt", "exists", "missing"}
		}
	}
	c.agree(what.id, []any{strings.TrimPrefix(what.id, "attribute."), what.kind, what.scope, what.multi, taken},
		[]any{got.Key, got.Kind, got.Scope, got.Multi, got.Operators})
}

// requireRange compares where numbers or dates lie.
func (c *corpus) requireRange(where string, what field, files []*fileRow, got *api.ValueRange) {
	c.t.Helper()
	require.NotNil(c.t, got, where)
	count := 0
	var numbers []float64
	var times []time.Time
	for _, f := range files {
		list := what.read(c.rows, f)
		count += min(1, len(list))
		for _, v := range list {
			if at, ok := v.value.(time.Time); ok {
				times = append(times, at)
			} else {
				numbers = append(numbers, v.value.(float64))
			}
		}
	}
	c.agree(where+" files", count, got.Count)
	if what.kind == query.Date {
		for i, text := range []*string{got.Min, got.Max} {
			at, err := time.Parse(time.RFC3339Nano, *text)
			require.NoError(c.t, err)
			c.agree(where, []time.Time{slices.MinFunc(times, time.Time.Compare), slices.MaxFunc(times, time.Time.Compare)}[i].UTC(), at.UTC())
		}
		return
	}
	least, err := strconv.ParseFloat(*got.Min, 64)
	require.NoError(c.t, err)
	most, err := strconv.ParseFloat(*got.Max, 64)
	require.NoError(c.t, err)
	c.agree(where, []float64{slices.Min(numbers), slices.Max(numbers)}, []float64{least, most})
}

// requireFinds holds a condition to the same files wherever it is executed: in
// the list, in the search of each engine and in a widget. Searches are about
// files with a text.
func (c *corpus) requireFinds(where string, condition query.Filter) {
	c.t.Helper()
	want, text := []string{}, []string{}
	for _, f := range c.rows.files {
		if c.holds(condition, f) {
			want = append(want, f.ID)
			if f.TextReady {
				text = append(text, f.ID)
			}
		}
	}
	slices.Sort(want)
	slices.Sort(text)
	filter, err := json.Marshal(condition)
	require.NoError(c.t, err)
	where += " " + string(filter)
	parameter := "?limit=500&filter=" + url.QueryEscape(string(filter))
	var listed api.List[struct{ ID string }]
	c.get(&listed, "/api/files"+parameter)
	ids := []string{}
	for _, f := range listed.Items {
		ids = append(ids, f.ID)
	}
	c.agree(where+" in the list", []any{want, len(want)}, []any{sortedWords(ids), listed.Total})

	for engine, who := range c.by {
		var hits api.FileHits
		c.ask(who, http.MethodGet, "/api/search"+parameter, nil, &hits)
		c.answered[hits.Engine]++
		c.agree(where+" of "+engine, []any{len(hits.Items), true}, []any{hits.Total, hits.Exact})
		ids := []string{}
		for _, h := range hits.Items {
			if c.rows.byID[h.FileID].TextReady {
				ids = append(ids, h.FileID)
			}
		}
		c.agree(where+" in the search of "+engine, text, sortedWords(ids))
	}

	var data api.Data
	c.post(map[string]any{"query": query.Query{Source: query.Files, Metric: query.Metric{Op: query.Count}, GroupBy: []query.Field{query.File}, Filters: []query.Filter{condition}, Limit: 1000}},
		&data, "/api/dashboard-widgets/execute-query")
	ids = []string{}
	for i, key := range data.Keys {
		ids = append(ids, *key[0])
		c.agree(where+" in a widget", 1, data.Rows[i][1])
	}
	c.agree(where+" in a widget", want, sortedWords(ids))
}

func sortedWords(list []string) []string {
	sort.Strings(list)
	return list
}

func (c *corpus) attributeKeys() {
	var got api.List[api.AttributeField]
	c.get(&got, "/api/attributes/file-level/keys")
	want := map[string]api.AttributeField{}
	for key, said := range sayings(c.rows.files) {
		files := map[string]bool{}
		for _, s := range said {
			for id := range s.files {
				files[id] = true
			}
		}
		want[key] = api.AttributeField{Key: key, Field: "attribute." + key, Kind: attributeField(key).kind, Files: len(files)}
	}
	for i := range got.Items {
		got.Items[i].Label = ""
	}
	agreeTop(c, "keys", want, got.Items, math.MaxInt, func(a api.AttributeField) string { return a.Key }, func(a api.AttributeField) float64 { return float64(a.Files) })
}

func (c *corpus) attributeValues() {
	for _, key := range attributeKeysOf(c.rows.files) {
		what := attributeField(key)
		what.read = func(_ *rows, f *fileRow) (list []valued) { // the values as they are written
			for _, a := range f.attributes {
				if a.Key == key {
					list = append(list, valued{a.Normal, a.shown()})
				}
			}
			return list
		}
		var all []api.FilterOption
		want := c.optionsOf(what, c.rows.files)
		for cursor := ""; ; {
			var page api.List[api.FilterOption]
			c.get(&page, "/api/attributes/file-level/values?limit=99&key="+key+"&cursor="+cursor)
			c.agree(key+" values", len(want), page.Total)
			all = append(all, page.Items...)
			if cursor = page.NextCursor; cursor == "" {
				break
			}
		}
		c.requireOptions(key, want, all, math.MaxInt)
	}
}

func (c *corpus) documentFilters() {
	const limit = 100
	for i, t := range c.rows.types {
		var got api.Filters
		corpus := query.Is(query.DocumentType, t.ID)
		c.post(map[string]any{"limit": limit}, &got, "/api/documents/{id}/get-filters", t.ID)
		c.requireFilters(t.Name, got, nil, corpus, query.Filter{}, limit)
		for _, f := range got.Items {
			for j, o := range f.Options {
				if j < 2 && (i+j)%12 == 0 {
					c.requireFinds(t.Name, query.And(corpus, query.Is(query.Field(f.ID), o.Value)))
				}
			}
			if f.Range != nil && i%12 == 0 {
				id := query.Field(f.ID)
				c.requireFinds(t.Name, query.And(corpus, query.Compare(id, query.AtLeast, *f.Range.Min), query.Compare(id, query.AtMost, *f.Range.Max)))
			}
		}
	}
	f := c.samples(3)[2]
	var got api.Filters
	c.post(map[string]any{}, &got, "/api/documents/{id}/get-filters", f.ID)
	c.requireFilters(f.Name, got, f, corpusOf(f), query.Filter{}, 20)
}

// corpusOf is the condition for the files around one.
func corpusOf(f *fileRow) query.Filter {
	if f.TypeID == nil {
		return query.Filter{}
	}
	return query.Is(query.DocumentType, *f.TypeID)
}

func (c *corpus) fileFilters() {
	for i, f := range c.samples(8) {
		selection := []query.Filter{
			{}, query.Is(query.Label, "governing_law"), query.Is("attribute.governing_law", "delaware", "new york"), query.Is(query.DocumentTypeSource, "assigned"),
		}[i%4]
		body := map[string]any{}
		if !selection.IsZero() {
			body["filter"] = selection
		}
		var got api.Filters
		c.post(body, &got, "/api/files/{fileId}/get-filters", f.ID)
		c.requireFilters(f.Name, got, f, corpusOf(f), selection, 20)
	}
}

// availableFilters executes every operator of every field, with a value from the
// middle of those that there are.
func (c *corpus) availableFilters() {
	f := c.samples(1)[0]
	var got api.AvailableFilters
	c.post(nil, &got, "/api/files/{fileId}/list-filters", f.ID)
	got.Items = slices.DeleteFunc(got.Items, func(f api.FieldFilter) bool { return f.ID == string(query.Said) }) // searches are compared elsewhere
	all := c.rows.allFields()
	require.Len(c.t, got.Items, len(all))
	for _, what := range all {
		at := slices.IndexFunc(got.Items, func(f api.FieldFilter) bool { return f.ID == what.id })
		require.GreaterOrEqual(c.t, at, 0, "%s is not offered", what.id)
		c.requireField(what, got.Items[at])
		values := c.someValues(what)
		for _, op := range got.Items[at].Operators {
			condition := query.Filter{Field: query.Field(what.id), Op: op}
			switch {
			case op == query.Exists || op == query.Missing:
			case len(values) == 0:
				continue
			case what.kind == query.Enum && compares(op):
				condition.Values = []string{"500000"}
			case (op == query.In || op == query.NotIn) && what.kind != query.Boolean:
				condition.Values = values
			default:
				condition.Values = values[:1]
			}
			c.requireFinds("", condition)
		}
	}
	law, capped := query.Is("attribute.governing_law", "New York"), query.Is(query.Label, "cap_on_liability")
	early := query.Compare("attribute.agreement_date", query.Below, "2010-01-01")
	none := query.And(law, capped)
	for _, condition := range []query.Filter{
		query.And(law, early), query.And(capped, early, query.Is(query.DocumentTypeSource, "assigned")),
		{Any: []query.Filter{law, early}}, {Any: []query.Filter{capped, law}}, {Not: &law}, {Not: &none},
		query.And(query.Filter{Any: []query.Filter{law, early}}, query.Filter{Not: &early}),
	} {
		c.requireFinds("", condition)
	}
}

// someValues are two values of a field as conditions take them, from the middle
// and from a quarter of those that there are.
func (c *corpus) someValues(what field) []string {
	options := c.optionsOf(what, c.rows.files)
	if len(options) == 0 {
		return nil
	}
	var list []string
	for _, at := range []int{len(options) / 2, len(options) / 4} {
		value := options[at].Value
		switch what.kind {
		case query.Text:
			value = strings.ToUpper(value[1:min(4, len(value))])
		case query.Date:
			for _, f := range c.rows.files {
				for _, v := range what.read(c.rows, f) {
					if fmt.Sprint(v.value) == value {
						value = v.value.(time.Time).UTC().Format(time.RFC3339Nano)
					}
				}
			}
			if at == len(options)/2 {
				value = value[:len(time.DateOnly)]
			}
		case query.Enum, query.Number, query.Boolean: // as they are offered
		}
		list = append(list, value)
	}
	return slices.Compact(list)
}

func (c *corpus) filterOptions() {
	for i, f := range c.samples(4) {
		around := c.rows.which(func(o *fileRow) bool { return c.holds(corpusOf(f), o) })
		for _, what := range c.rows.allFields() {
			if what.kind != query.Enum && what.kind != query.Boolean {
				continue
			}
			want := c.optionsOf(what, around)
			all := []api.FilterOption{}
			for cursor := ""; ; {
				var page api.List[api.FilterOption]
				c.post(map[string]any{"limit": 7 + 50*i, "cursor": cursor}, &page, "/api/files/{fileId}/filters/{id}/options", f.ID, what.id)
				c.agree(what.id, len(want), page.Total)
				all = append(all, page.Items...)
				if cursor = page.NextCursor; cursor == "" {
					break
				}
			}
			c.requireOptions(f.Name+" "+what.id, want, all, math.MaxInt)
			if len(all) == 0 {
				continue
			}
			part := strings.ToUpper(all[0].Label[:min(3, len(all[0].Label))])
			some := 0
			for _, o := range all {
				if strings.Contains(strings.ToLower(o.Label), strings.ToLower(part)) {
					some++
				}
			}
			var page api.List[api.FilterOption]
			c.post(map[string]any{"limit": 500, "query": part}, &page, "/api/files/{fileId}/filters/{id}/options", f.ID, what.id)
			c.agree(f.Name+" "+what.id+" with "+part, []int{some, some}, []int{*page.Total, len(page.Items)})
		}
	}
}

func (c *corpus) factFilters() {
	for i, f := range c.samples(eachSample) {
		var got api.FactFilters
		c.get(&got, "/api/files/{fileId}/get-filters-ai", f.ID)
		said := map[string]query.Filter{} // what the file says, as a condition where that is of a set
		if f.TypeID != nil {
			said["documentType"] = query.Is(query.DocumentType, *f.TypeID)
		}
		for label := range f.nodes {
			said["label="+label] = query.Is(query.Label, label)
		}
		for _, key := range attributeKeysOf([]*fileRow{f}) {
			what := attributeField(key)
			own := query.Filter{Field: query.Field(what.id), Op: query.In}
			for _, v := range what.read(c.rows, f) {
				own.Values = append(own.Values, fmt.Sprint(v.value))
			}
			if what.kind != query.Enum {
				own = query.Filter{}
			}
			if len(what.read(c.rows, f)) > 0 {
				said[what.id] = own
			}
		}
		for _, filter := range got.Items {
			key := filter.ID
			if key == "label" {
				key += "=" + filter.Filter.Values[0]
			}
			require.Contains(c.t, said, key, "%s says nothing of %s", f.Name, key)
			delete(said, key)
			require.Greater(c.t, filter.Count, 1, "%s: %s finds the file alone", f.Name, key)
			c.requireFact(f, filter)
			if i < 2 {
				c.requireFinds(f.Name, filter.Filter)
			}
		}
		for key, condition := range said {
			if condition.Field != "" {
				require.Len(c.t, c.rows.which(func(o *fileRow) bool { return c.holds(condition, o) }), 1, "%s: %s is left out", f.Name, key)
			}
		}
	}
}

// requireFact compares a condition that a file suggests with what the file has,
// and with the places that it was read in.
func (c *corpus) requireFact(f *fileRow, got api.FactFilter) {
	c.t.Helper()
	where := f.Name + " " + got.ID
	c.agree(where, len(c.rows.which(func(o *fileRow) bool { return c.holds(got.Filter, o) })), got.Count)
	require.True(c.t, c.holds(got.Filter, f), "%s: not true of the file itself", where)
	text := []rune(f.text)
	for _, s := range got.Spans {
		c.agree(where+" quote", string(text[s.Start:s.End]), s.Text)
	}
	what := c.rows.field(query.Field(got.ID))
	if got.Source == "attribute" && got.Filter.Op == query.In {
		own := []string{}
		for _, v := range what.read(c.rows, f) {
			own = append(own, fmt.Sprint(v.value))
		}
		c.agree(where, slices.Compact(sortedWords(own)), sortedWords(slices.Clone(got.Filter.Values)))
	}
	if got.Source == "clause" {
		n := f.nodes[got.Filter.Values[0]]
		confidence := n.surest.Score
		if n.validated > 0 { // nobody doubts it
			confidence = nil
		}
		c.agree(where, []any{min(5, n.sentences), confidence}, []any{len(got.Spans), got.Confidence})
	}
}

func (c *corpus) recommendedFilters() {
	const most, useWeight = 12, 0.02
	used := map[string]int{}
	for _, s := range c.rows.searches {
		var filter query.Filter
		require.NoError(c.t, json.Unmarshal(s.Filter, &filter))
		used[string(filter.Field)]++
	}
	for i, f := range c.samples(eachSample) {
		around := corpusOf(f)
		files := c.rows.which(func(o *fileRow) bool { return c.holds(around, o) })
		want := c.splits(f, files, used)
		if len(want) == 0 {
			around, files = query.Filter{}, c.rows.files
			want = c.splits(f, files, used)
		}
		var got api.Recommendations
		c.get(&got, "/api/files/{fileId}/get-filters-recommended", f.ID)
		c.agree(f.Name, api.Corpus{Filter: around, Files: len(files)}, got.Corpus)
		var values []api.Recommendation // the others are years and sizes
		for _, r := range got.Items {
			if i < 2 {
				c.requireFinds(f.Name, query.And(got.Corpus.Filter, r.Filter))
			}
			c.requireField(c.rows.field(query.Field(r.ID)), r.FieldFilter)
			if r.Filter.All == nil {
				values = append(values, api.Recommendation{Filter: r.Filter, Count: r.Count, Gain: r.Gain, Used: r.Used})
				continue
			}
			require.True(c.t, c.holds(r.Filter, f), "%s: %v is not true of the file itself", f.Name, r.Filter)
			n := 0
			for _, o := range files {
				if c.holds(r.Filter, o) {
					n++
				}
			}
			c.agree(f.Name+" "+r.ID, []any{n, information(n, len(files))}, []any{r.Count, r.Gain})
		}
		agreeTop(c, f.Name, want, values, most-(len(got.Items)-len(values)),
			func(r api.Recommendation) string { return string(r.Filter.Field) + "=" + r.Filter.Values[0] },
			func(r api.Recommendation) float64 { return r.Gain + useWeight*float64(min(10, r.Used)) })
	}
}

// unsplit are the fields and labels by which nobody splits files: how a file was read, and
// what is its own.
var unsplit = []string{
	"status", "errorCode", "hasOcr", "needsReview", "labelSource", "attribute.document_name", "attribute.signatory", "attribute.address",
	"label=document_name", "label=parties", "label=agreement_date", "label=effective_date", "label=expiration_date",
}

// splits are the values of a file that some files have and others have not.
func (c *corpus) splits(f *fileRow, files []*fileRow, used map[string]int) map[string]api.Recommendation {
	found := map[string]api.Recommendation{}
	for _, what := range c.rows.allFields() {
		twice := what.id == "attribute.party" // files have them as well
		if twice || what.kind != query.Enum && what.kind != query.Boolean {
			continue
		}
		for _, own := range c.optionsOf(what, []*fileRow{f}) {
			if slices.Contains(unsplit, what.id) || what.id == "label" && slices.Contains(unsplit, "label="+own.Value) {
				continue
			}
			condition := query.Is(query.Field(what.id), own.Value)
			n := 0
			for _, o := range files {
				if c.holds(condition, o) {
					n++
				}
			}
			if n < len(files) {
				found[what.id+"="+own.Value] = api.Recommendation{Filter: condition, Count: n, Gain: information(n, len(files)), Used: used[what.id]}
			}
		}
	}
	return found
}

// information is how many bits it tells whether one of all is one of n.
func information(n, all int) float64 {
	bits := 0.0
	for _, part := range []int{n, all - n} {
		share := float64(part) / float64(all)
		bits -= share * math.Log2(share)
	}
	return bits
}

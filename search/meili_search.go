package search

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/meilisearch/meilisearch-go"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/query"
)

// The marks that Meilisearch puts around what matched: private characters, which
// no text has that it is given.
const (
	markStart = '\ue000'
	markEnd   = '\ue001'
)

// plain is text as it is sent to Meilisearch: rune for rune, with a space for each
// character outside of words. To the server a comma is a distance of eight words, and
// would break phrases.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if isWord(r) {
			return r
		}
		return ' '
	}, text)
}

// marks are the extents between marks, in the text without them.
func marks(text string) []extent {
	var list []extent
	at, start := 0, -1
	for _, r := range text {
		switch r {
		case markStart:
			start = at
		case markEnd:
			if start >= 0 && start < at {
				list = append(list, extent{start, at})
			}
			start = -1
		default:
			at++
		}
	}
	return list
}

// bare is text without its marks: what their extents are of.
func bare(text string) []rune {
	return slices.DeleteFunc([]rune(text), func(r rune) bool { return r == markStart || r == markEnd })
}

// asked is a query in Meilisearch's words.
type asked struct {
	Query
	terms       []term
	text        string
	onFiles     Filter // the query's, for documents of files
	onSentences Filter // and for those of sentences
}

// ask understands q. The text is put together afresh, so that nothing but words,
// quotes and minus signs reaches the server.
func ask(q Query) (asked, error) {
	q, err := q.checked()
	if err != nil {
		return asked{}, err
	}
	if synonymous(q) {
		// The synonyms of the server are those of all teams.
		return asked{}, fault.New(fault.Unavailable, "the search engine cannot answer with synonyms")
	}
	a := asked{Query: q, terms: parse(q.Text)}
	for i, t := range a.terms {
		a.terms[i].quoted = t.quoted || len(t.words) > 1 && hasDigit(t.words) // 10.1 is not 10 and 1
	}
	words := a.absent()
	for _, t := range a.present() {
		words = append(words, t.String())
	}
	// The server reads ten words, and completes the last one unless a space
	// follows.
	a.text = strings.Join(words, " ")
	if a.text != "" && !q.Prefix {
		a.text += " "
	}
	return a, nil
}

// seenBy narrows q to what in sees, so that nothing else is counted either.
func seenBy(in db.Scope, q Query) Query {
	if len(in.Hidden) > 0 {
		q.Filter.Where = query.And(q.Filter.Where, query.Filter{Field: query.Matter, Op: query.NotIn, Values: in.Hidden})
	}
	return q
}

// present are the terms that must be there.
func (a asked) present() []term {
	return slices.DeleteFunc(slices.Clone(a.terms), func(t term) bool { return t.not })
}

// absent are the terms that must not be there, as they are typed.
func (a asked) absent() []string {
	var list []string
	for _, t := range a.terms {
		if t.not {
			list = append(list, t.String())
		}
	}
	return list
}

func hasDigit(words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.ContainsAny(w, "0123456789") })
}

// nothing reports whether a can have no answer: it has text, and no word in it.
func (a asked) nothing() bool { return len(a.terms) == 0 && a.Text != "" }

// sentences is a search for a in the text of sentences.
func (a asked) sentences(index string, filter Filter) (*meilisearch.SearchRequest, error) {
	return a.request(index, "text", kindSentence, filter)
}

// files is a search for a in the names of files.
func (a asked) files(index string) (*meilisearch.SearchRequest, error) {
	return a.request(index, "name", kindFile, a.onFiles)
}

func (a asked) request(index, field, kind string, filter Filter) (*meilisearch.SearchRequest, error) {
	condition, err := meiliFilter(kind, filter)
	return &meilisearch.SearchRequest{
		IndexUID: index, Filter: condition, Query: a.text, AttributesToSearchOn: []string{field}, MatchingStrategy: meilisearch.All,
		Offset: int64(a.Offset), Limit: int64(a.Limit), AttributesToRetrieve: []string{"id", "fileId"}, ShowRankingScore: true,
		AttributesToHighlight: []string{field}, HighlightPreTag: string(markStart), HighlightPostTag: string(markEnd),
	}, err
}

// and joins two filters.
func and(filter, other string) string { return filter + " AND " + other }

// meiliHit is what is read of a hit.
type meiliHit struct {
	ID        string  `json:"id"`
	FileID    string  `json:"fileId"`
	Score     float64 `json:"_rankingScore"`
	Formatted struct {
		Text string `json:"text"`
		Name string `json:"name"`
	} `json:"_formatted"`
}

// response is what is read of an answer.
type response struct {
	hits   []meiliHit
	total  int
	facets map[string]map[string]int
}

// search carries requests out for a team, in one call.
func (m *Meili) search(ctx context.Context, in db.Scope, requests ...*meilisearch.SearchRequest) ([]response, error) {
	complete, err := m.isComplete(ctx)
	if err != nil {
		return nil, err
	}
	if !complete {
		return nil, fault.New(fault.Unavailable, "the search index is being built; try again later")
	}
	client, err := m.searcher(ctx, in.TeamID)
	if err != nil {
		return nil, err
	}
	answer, err := client.MultiSearchWithContext(ctx, &meilisearch.MultiSearchRequest{Queries: requests})
	if err != nil {
		switch code(err) {
		case "index_not_found", "invalid_api_key":
			m.forget() // another server, or its data are gone
			return nil, fault.Wrap(fault.Unavailable, "the search engine is not available; try again", safe(err))
		}
		return nil, unavailable(err)
	}
	list := make([]response, len(answer.Results))
	for i, result := range answer.Results {
		r := response{total: int(max(result.TotalHits, result.EstimatedTotalHits))}
		if err := result.Hits.DecodeInto(&r.hits); err != nil {
			return nil, err
		}
		if r.facets, err = facetCounts(result.FacetDistribution); err != nil {
			return nil, err
		}
		list[i] = r
	}
	return list, nil
}

// facetsWanted are the facets that the server counts for q: labels itself, and
// files by their ids, for what the database knows of them.
func (a asked) facetsWanted(files bool) []string {
	var wanted []string
	for _, facet := range a.Facets {
		if facet == Label {
			wanted = append(wanted, "label")
		} else {
			files = true
		}
	}
	if files {
		wanted = append(wanted, "fileId")
	}
	return wanted
}

// facets counts facets over the files of ids and the labels that the server
// counted.
func (m *Meili) facets(ctx context.Context, in db.Scope, a asked, ids []string, labels map[string]int) (map[Facet][]db.FacetCount, error) {
	if len(a.Facets) == 0 {
		return nil, nil
	}
	fields := make([]string, len(a.Facets))
	for i, facet := range a.Facets {
		fields[i] = string(facet)
	}
	counted, err := m.db.FileFacets(ctx, in, ids, fields)
	if err != nil {
		return nil, err
	}
	if counted == nil {
		counted = map[string][]db.FacetCount{}
	}
	for value, count := range labels {
		counted[string(Label)] = append(counted[string(Label)], db.FacetCount{Value: value, Count: count})
	}
	slices.SortFunc(counted[string(Label)], func(a, b db.FacetCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Value, b.Value))
	})
	return facetsOf(a.Facets, counted), nil
}

// Sentences answers q in sentences.
func (m *Meili) Sentences(ctx context.Context, in db.Scope, q Query) (Sentences, error) {
	began := time.Now()
	answer := Sentences{Summary: Summary{Engine: m.Name(), Exact: true}, Hits: []Hit{}}
	a, err := ask(seenBy(in, q))
	if err != nil {
		return answer, err
	}
	if a.nothing() {
		answer.Facets = facetsOf(a.Facets, nil)
		return answer, nil
	}
	ctx, cancel := context.WithTimeout(ctx, m.config.Timeout)
	defer cancel()

	if a.onSentences, err = m.narrowed(ctx, in, kindSentence, a.Filter); err != nil {
		return answer, err
	}
	request, err := a.sentences(m.index(), a.onSentences)
	if err != nil {
		return answer, err
	}
	request.Facets = a.facetsWanted(false)
	if a.text == "" {
		request.Sort = []string{"createdAt:desc", "fileId:desc", "ordinal:asc"}
	}
	found, relaxed, err := m.insist(ctx, in, a, request)
	if err != nil {
		return answer, err
	}
	hits, err := m.hits(ctx, in, a.Filter, found.hits)
	if err != nil {
		return answer, err
	}
	stale := len(found.hits) - len(hits)
	answer.Hits = hits
	answer.Total, answer.Exact = found.total-stale, found.total < Window && stale == 0
	answer.Relaxed = relaxed
	answer.Corrected = a.corrected(found.hits)
	if answer.Facets, err = m.facets(ctx, in, a, ids(found.facets["fileId"]), found.facets["label"]); err != nil {
		return answer, err
	}
	answer.Took = time.Since(began)
	return answer, nil
}

// insist asks for all words and, where nothing has them, for most.
func (m *Meili) insist(ctx context.Context, in db.Scope, a asked, request *meilisearch.SearchRequest) (response, bool, error) {
	found, err := m.search(ctx, in, request)
	if err != nil || found[0].total > 0 {
		return first(found), false, err
	}
	ok, err := m.relax(ctx, in, a, request)
	if err != nil || !ok {
		return response{}, false, err
	}
	found, err = m.search(ctx, in, request)
	return first(found), err == nil && found[0].total > 0, err
}

func first(list []response) response {
	if len(list) == 0 {
		return response{}
	}
	return list[0]
}

// relax makes requests ask for most of a's words: only for those that are found
// anywhere, in the files that have all the rare ones if there are such, and there
// for as many as can be had together. It reports whether that may find more.
func (m *Meili) relax(ctx context.Context, in db.Scope, a asked, requests ...*meilisearch.SearchRequest) (bool, error) {
	present := a.present()
	const most = 10 // the server reads no more words
	present = present[:min(len(present), most)]
	if len(present) < 2 {
		return false, nil
	}
	single := make([]*meilisearch.SearchRequest, len(present))
	for i, t := range present {
		single[i] = &meilisearch.SearchRequest{
			IndexUID: m.index(), Query: t.String() + " ", AttributesToSearchOn: []string{"text"}, MatchingStrategy: meilisearch.All,
			Limit: 1, AttributesToRetrieve: []string{"id"}, Filter: requests[0].Filter,
		}
	}
	found, err := m.search(ctx, in, single...)
	if err != nil {
		return false, err
	}
	var there []string
	var rare []*meilisearch.SearchRequest
	for i, f := range found {
		if f.total > 0 {
			there = append(there, present[i].String())
		}
		if f.total > 0 && f.total < Window {
			single[i].Facets = []string{"fileId"}
			rare = append(rare, single[i])
		}
	}
	if len(there) == 0 {
		return false, nil
	}
	together, err := m.together(ctx, in, rare)
	if err != nil {
		return false, err
	}
	for _, r := range requests {
		r.Query = strings.Join(append(a.absent(), there...), " ") + " "
		r.MatchingStrategy = meilisearch.Frequency // the commonest words are let go first
		if len(together) > 0 {
			r.Filter = and(fmt.Sprint(r.Filter), among("fileId", together))
		}
	}
	return true, nil
}

// together are the files that have what each of requests asks for, which count
// files. One alone is sure to be asked for anyway.
func (m *Meili) together(ctx context.Context, in db.Scope, requests []*meilisearch.SearchRequest) ([]string, error) {
	if len(requests) < 2 {
		return nil, nil
	}
	found, err := m.search(ctx, in, requests...)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(ids(found[0].facets["fileId"]), func(id string) bool {
		return slices.ContainsFunc(found[1:], func(f response) bool { return f.facets["fileId"][id] == 0 })
	}), nil
}

// hits reads the found sentences from the database. Those that no longer exist are
// left out.
func (m *Meili) hits(ctx context.Context, in db.Scope, filter Filter, found []meiliHit) ([]Hit, error) {
	hits := make([]Hit, 0, len(found))
	if len(found) == 0 {
		return hits, nil
	}
	asked := make([]string, len(found))
	byID := make(map[string]meiliHit, len(found))
	for i, h := range found {
		asked[i], byID[h.ID] = h.ID, h
	}
	rows, err := m.db.SentencesFound(ctx, in, filter, asked)
	if err != nil {
		return nil, err
	}
	for _, s := range rows {
		h := byID[s.ID]
		s.Score = h.Score
		hits = append(hits, newHit(s, marks(h.Formatted.Text)))
	}
	return hits, nil
}

// Files answers q in files.
func (m *Meili) Files(ctx context.Context, in db.Scope, q Query) (Files, error) {
	began := time.Now()
	answer := Files{Summary: Summary{Engine: m.Name(), Exact: true}, Hits: []FileHit{}}
	a, err := ask(seenBy(in, q))
	if err != nil {
		return answer, err
	}
	if a.nothing() {
		answer.Facets = facetsOf(a.Facets, nil)
		return answer, nil
	}
	ctx, cancel := context.WithTimeout(ctx, m.config.Timeout)
	defer cancel()

	if a.text == "" {
		if a.Filter, err = m.listed(ctx, in, a.Filter); err != nil {
			return answer, err
		}
	}
	if a.onFiles, err = m.narrowed(ctx, in, kindFile, a.Filter); err != nil {
		return answer, err
	}
	if a.text != "" || a.Filter.OnSentences() {
		if a.onSentences, err = m.narrowed(ctx, in, kindSentence, a.onFiles); err != nil {
			return answer, err
		}
	}
	named, err := m.named(ctx, in, a)
	if err != nil {
		return answer, err
	}
	byText, relaxed, err := m.byText(ctx, in, a, named)
	if err != nil {
		return answer, err
	}
	page := slices.Clone(named.hits[min(a.Offset, len(named.hits)):min(a.Offset+a.Limit, len(named.hits))])
	for _, h := range byText.hits {
		page = append(page, meiliHit{ID: h.FileID, Score: h.Score})
	}
	if answer.Hits, err = m.fileHits(ctx, in, a, page, byText); err != nil {
		return answer, err
	}
	stale := len(page) - len(answer.Hits)
	all := ids(byText.facets["fileId"])
	for _, h := range named.hits {
		if byText.facets["fileId"][h.ID] == 0 {
			all = append(all, h.ID)
		}
	}
	answer.Total, answer.Exact = len(all)-stale, len(all) < Window && stale == 0
	answer.Relaxed = relaxed
	answer.Corrected = a.corrected(append(byText.hits, named.hits...))
	if answer.Facets, err = m.facets(ctx, in, a, all, byText.facets["label"]); err != nil {
		return answer, err
	}
	answer.Took = time.Since(began)
	return answer, nil
}

// named finds files by name: all of them up to Window, since the other files
// follow after the last of them. Without words these are the newest files.
func (m *Meili) named(ctx context.Context, in db.Scope, a asked) (response, error) {
	if a.Filter.OnSentences() || a.text != "" && len(a.present()) == 0 {
		return response{}, nil // a name has no label, and no want of words
	}
	request, err := a.files(m.index())
	if err != nil {
		return response{}, err
	}
	request.Offset, request.Limit = 0, Window
	if a.text == "" {
		request.Sort = []string{"createdAt:desc", "fileId:desc"}
	}
	found, err := m.search(ctx, in, request)
	if err != nil {
		return response{}, err
	}
	return found[0], nil
}

// byText finds the page's files by their sentences, without those that were
// named, and counts sentences by file and label over all of them.
func (m *Meili) byText(ctx context.Context, in db.Scope, a asked, named response) (response, bool, error) {
	if a.text == "" && !a.Filter.OnSentences() {
		return response{}, false, nil
	}
	counts, err := a.sentences(m.index(), a.onSentences)
	if err != nil {
		return response{}, false, err
	}
	counts.Facets = a.facetsWanted(true)
	counts.Offset, counts.Limit = 0, 1

	hits, err := a.sentences(m.index(), a.onSentences)
	if err != nil {
		return response{}, false, err
	}
	if len(named.hits) > 0 {
		hits.Filter = and(fmt.Sprint(counts.Filter), "NOT "+among("fileId", fileIDs(named.hits)))
	}
	hits.Offset = int64(max(0, a.Offset-len(named.hits)))
	hits.Limit = int64(max(0, a.Offset+a.Limit-max(a.Offset, len(named.hits))))
	hits.Distinct = "fileId"
	requests := []*meilisearch.SearchRequest{counts, hits}
	if hits.Limit == 0 {
		requests = requests[:1]
	}

	found, err := m.search(ctx, in, requests...)
	if err != nil {
		return response{}, false, err
	}
	relaxed := false
	if found[0].total == 0 && len(named.hits) == 0 {
		ok, err := m.relax(ctx, in, a, requests...)
		if err != nil || !ok {
			return response{}, false, err
		}
		if found, err = m.search(ctx, in, requests...); err != nil {
			return response{}, false, err
		}
		relaxed = found[0].total > 0
	}
	both := response{total: found[0].total, facets: found[0].facets}
	if len(found) > 1 {
		both.hits = found[1].hits
	}
	return both, relaxed, nil
}

// fileHits reads the files of a page from the database, with their best sentences.
func (m *Meili) fileHits(ctx context.Context, in db.Scope, a asked, page []meiliHit, byText response) ([]FileHit, error) {
	hits := make([]FileHit, 0, len(page))
	if len(page) == 0 {
		return hits, nil
	}
	rows, err := m.db.FilesFound(ctx, in, a.Filter, fileIDs(page))
	if err != nil {
		return nil, err
	}
	sentences, err := m.bestOf(ctx, in, a, page, byText)
	if err != nil {
		return nil, err
	}
	byID := make(map[string]meiliHit, len(page))
	for _, h := range page {
		byID[h.ID] = h
	}
	for _, f := range rows {
		h := byID[f.ID]
		name := marks(h.Formatted.Name)
		f.Named, f.Score, f.Matched = len(name) > 0, h.Score, byText.facets["fileId"][f.ID]
		hits = append(hits, newFileHit(f, name, sentences[f.ID]))
	}
	return hits, nil
}

// bestOf finds the best sentences of each file of a page: the one that put it
// there, and more where there are more.
func (m *Meili) bestOf(ctx context.Context, in db.Scope, a asked, page []meiliHit, byText response) (map[string][]Hit, error) {
	var with []string
	for _, h := range page {
		if byText.facets["fileId"][h.ID] > 0 || len(byText.facets["fileId"]) == Window {
			with = append(with, h.ID)
		}
	}
	if len(with) == 0 {
		return nil, nil
	}
	// One question for all files finds most of what one for each would.
	narrow := a.onSentences
	narrow.FileIDs = with
	more, err := a.sentences(m.index(), narrow)
	if err != nil {
		return nil, err
	}
	more.Offset, more.Limit = 0, int64(min(2*BestOfFile*len(with), Window))
	found, _, err := m.insist(ctx, in, a, more)
	if err != nil {
		return nil, err
	}
	chosen := map[string][]string{}
	var list []meiliHit
	for _, h := range append(slices.Clone(byText.hits), found.hits...) {
		if ids := chosen[h.FileID]; len(ids) < BestOfFile && !slices.Contains(ids, h.ID) {
			chosen[h.FileID] = append(ids, h.ID)
			list = append(list, h)
		}
	}
	hits, err := m.hits(ctx, in, a.Filter, list)
	if err != nil {
		return nil, err
	}
	byFile := map[string][]Hit{}
	for _, h := range hits {
		byFile[h.FileID] = append(byFile[h.FileID], h)
	}
	return byFile, nil
}

// corrected is the text that was searched for, derived from the marks in the best hit.
func (a asked) corrected(found []meiliHit) string {
	if len(found) == 0 {
		return ""
	}
	marked := found[0].Formatted.Text + found[0].Formatted.Name
	text := bare(marked)
	var there []string
	for _, at := range marks(marked) {
		there = append(there, strings.ToLower(string(text[at.start:at.end])))
	}
	return respelled(a.terms, func(w string) string {
		runes := []rune(fold(w))
		if holds(there, w) {
			return w
		}
		best, at := w, edits(runes)+1
		for _, other := range there {
			if d := Distance(runes, []rune(fold(other)), at); d < at {
				best, at = other, d
			}
		}
		return best
	})
}

// ids are the keys of counts, in order.
func ids(counts map[string]int) []string {
	list := make([]string, 0, len(counts))
	for id := range counts {
		list = append(list, id)
	}
	slices.Sort(list)
	return list
}

func fileIDs(files []meiliHit) []string {
	list := make([]string, len(files))
	for i, f := range files {
		list[i] = f.ID
	}
	return list
}

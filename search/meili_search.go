package search

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/meilisearch/meilisearch-go"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/query"
)

// plain is stems as they are sent to Meilisearch: rune for rune, with a space for each
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

// asked is a query in Meilisearch's words.
type asked struct {
	*question
	clauses     []clause // any of which will do
	onFiles     Filter   // the query's, for documents of files
	onSentences Filter   // and for those of sentences
}

// ask understands q. The text is put together afresh, of stems that the database
// knows, so that nothing but words, quotes and minus signs reaches the server.
func (m *Meili) ask(ctx context.Context, in db.Scope, q Query, byFile bool) (asked, error) {
	q, err := q.checked()
	if err != nil {
		return asked{}, err
	}
	understood, err := m.lexicon.question(ctx, in, q, byFile)
	if err != nil {
		return asked{}, err
	}
	a := asked{question: understood}
	var ok bool
	if a.clauses, ok = understood.clauses(); !ok {
		return asked{}, errBeyond
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

// nothing reports whether a can have no answer: it has text, and nothing in it that is
// looked for.
func (a asked) nothing() bool { return a.Text != "" && a.all() == "" }

// sentences is a search for a in the stems of sentences.
func (a asked) sentences(index string, filter Filter) (*meilisearch.SearchRequest, error) {
	return a.request(index, "stems", kindSentence, filter)
}

// files is a search for a in the names of files.
func (a asked) files(index string) (*meilisearch.SearchRequest, error) {
	return a.request(index, "name", kindFile, a.onFiles)
}

func (a asked) request(index, field, kind string, filter Filter) (*meilisearch.SearchRequest, error) {
	condition, err := meiliFilter(kind, filter)
	return &meilisearch.SearchRequest{
		IndexUID: index, Filter: condition, AttributesToSearchOn: []string{field}, MatchingStrategy: meilisearch.All,
		Offset: int64(a.Offset), Limit: int64(a.Limit), AttributesToRetrieve: []string{"id", "fileId"}, ShowRankingScore: true,
	}, err
}

// both joins two filters.
func both(filter, other string) string { return filter + " AND " + other }

// meiliHit is what is read of a hit.
type meiliHit struct {
	ID     string  `json:"id"`
	FileID string  `json:"fileId"`
	Score  float64 `json:"_rankingScore"`
}

// response is what is read of an answer.
type response struct {
	hits   []meiliHit
	total  int
	facets map[string]map[string]int
}

// search carries a request out for what any of clauses holds of; for all documents
// where there are none.
func (m *Meili) search(ctx context.Context, in db.Scope, clauses []clause, request *meilisearch.SearchRequest) (response, error) {
	if len(clauses) < 2 {
		if len(clauses) == 1 {
			request.Query = clauses[0].String()
		}
		found, err := m.put(ctx, in, meilisearch.MultiSearchRequest{Queries: []*meilisearch.SearchRequest{request}})
		if err != nil {
			return response{}, err
		}
		result := found.Results[0]
		return read(result.Hits, max(result.TotalHits, result.EstimatedTotalHits), result.FacetDistribution)
	}
	federation := &meilisearch.MultiSearchFederation{Offset: request.Offset, Limit: request.Limit}
	if len(request.Facets) > 0 {
		federation.FacetsByIndex = map[string][]string{request.IndexUID: request.Facets}
		federation.MergeFacets = &meilisearch.MultiSearchFederationMergeFacets{MaxValuesPerFacet: Window}
	}
	requests := make([]*meilisearch.SearchRequest, len(clauses))
	for i, c := range clauses {
		one := *request
		one.Query, one.Facets, one.Offset, one.Limit = c.String(), nil, 0, 0
		if c.weight > 0 {
			one.FederationOptions = &meilisearch.SearchFederationOptions{Weight: c.weight}
		}
		requests[i] = &one
	}
	found, err := m.put(ctx, in, meilisearch.MultiSearchRequest{Federation: federation, Queries: requests})
	if err != nil {
		return response{}, err
	}
	var facets json.RawMessage
	if len(found.FacetDistribution) > 0 {
		if facets, err = json.Marshal(found.FacetDistribution); err != nil {
			return response{}, err
		}
	}
	return read(found.Hits, found.EstimatedTotalHits, facets)
}

// read decodes an answer.
func read(hits meilisearch.Hits, total int64, facets json.RawMessage) (response, error) {
	r := response{total: int(total)}
	if err := hits.DecodeInto(&r.hits); err != nil {
		return r, err
	}
	var err error
	r.facets, err = facetCounts(facets)
	return r, err
}

// put puts a request to the server for a team.
func (m *Meili) put(ctx context.Context, in db.Scope, request meilisearch.MultiSearchRequest) (*meilisearch.MultiSearchResponse, error) {
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
	answer, err := client.MultiSearchWithContext(ctx, &request)
	if err != nil {
		switch code(err) {
		case "index_not_found", "invalid_api_key":
			m.forget() // another server, or its data are gone
			return nil, fault.Wrap(fault.Unavailable, "the search engine is not available; try again", safe(err))
		}
		return nil, unavailable(err)
	}
	return answer, nil
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

// blockOf is how many hits are ranked against one another by their words as they are
// typed, which the server does not know.
const blockOf = 100

// wholeBlocks makes a request ask for the blocks that its hits are in.
func wholeBlocks(r *meilisearch.SearchRequest) {
	end := min((r.Offset+r.Limit+blockOf-1)/blockOf*blockOf, Window)
	r.Offset = r.Offset / blockOf * blockOf
	r.Limit = max(0, end-r.Offset)
}

// Sentences answers q in sentences.
func (m *Meili) Sentences(ctx context.Context, in db.Scope, q Query) (answer Sentences, err error) {
	ctx, end := traced(ctx, m, "search sentences")
	defer func() { end(answer.Summary, err) }()
	began := time.Now()
	answer = Sentences{Summary: Summary{Engine: m.Name(), Exact: true}, Hits: []Hit{}}
	a, err := m.ask(ctx, in, seenBy(in, q), false)
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
	if a.Text == "" {
		request.Sort = []string{"createdAt:desc", "fileId:desc", "ordinal:asc"}
	} else {
		wholeBlocks(request)
	}
	found, clauses, relaxed, err := m.insist(ctx, in, a, request)
	if err != nil {
		return answer, err
	}
	hits, pages, err := m.sentencesPage(ctx, in, a, found, clauses, request, relaxed)
	if err != nil {
		return answer, err
	}
	first, last := pages.cut()
	answer.Hits, answer.Next = a.shown(hits[first:last]), pages.next()
	answer.Total, answer.Exact = found.total-pages.stale, found.total < Window && pages.stale == 0
	answer.Relaxed = relaxed
	if len(hits) > 0 {
		answer.Corrected = a.corrected(hits[0].Text)
	}
	if answer.Facets, err = m.facets(ctx, in, a, ids(found.facets["fileId"]), found.facets["label"]); err != nil {
		return answer, err
	}
	answer.Took = time.Since(began)
	return answer, nil
}

// sentencesPage reads and ranks the sentences of a page, and those around it that are ranked with
// them. The server found the first of them already, as request asked for it.
func (m *Meili) sentencesPage(ctx context.Context, in db.Scope, a asked, found response, clauses []clause, request *meilisearch.SearchRequest, relaxed bool) ([]db.FoundSentence, paged, error) {
	pages := paged{from: a.Offset, limit: a.Limit, end: int(request.Offset), total: min(found.total, Window)}
	var hits []db.FoundSentence
	for raw := found.hits; ; {
		live, err := m.hits(ctx, in, a, raw, relaxed)
		if err != nil {
			return nil, pages, err
		}
		first := pages.end
		for i, place := range places(live, raw, a.Text != "") {
			hits = append(hits, live[i])
			pages.add(first + place)
		}
		if pages.read(len(raw), int(request.Limit), len(live)); !pages.wanting() {
			break
		}
		request.Facets, request.Offset, request.Limit = nil, int64(pages.end), int64(min(blockOf, Window-pages.end))
		more, err := m.search(ctx, in, clauses, request)
		if err != nil {
			return nil, pages, err
		}
		raw = more.hits
	}
	return hits, pages, nil
}

// insist asks for all words and, where nothing has them, for most. It returns what it
// asked for at last.
func (m *Meili) insist(ctx context.Context, in db.Scope, a asked, request *meilisearch.SearchRequest) (response, []clause, bool, error) {
	found, err := m.search(ctx, in, a.clauses, request)
	if err != nil || found.total > 0 {
		return found, a.clauses, false, err
	}
	clauses, err := m.relax(ctx, in, a, request)
	if err != nil || len(clauses) == 0 {
		return response{}, nil, false, err
	}
	found, err = m.search(ctx, in, clauses, request)
	return found, clauses, err == nil && found.total > 0, err
}

// paged is a page of what a server has, of which some is gone. Places are those that the
// server counts: of each block what is there comes first, so that a page that begins at a
// place repeats nothing, whatever was left out before it.
type paged struct {
	from, limit int
	places      []int // of what is there, in order
	end         int   // of what was read
	total       int   // on the server
	stale       int   // what was read and is not there
}

func (p *paged) add(place int) { p.places = append(p.places, place) }

// read notes that so many more were read of those that were asked for, and so many are
// there. Where the server has less, that is all.
func (p *paged) read(raw, asked, live int) {
	p.end += raw
	p.stale += raw - live
	if raw < asked {
		p.total = p.end
	}
}

// wanting reports whether to read on: to fill the page and, where something is gone, to
// know whether anything follows.
func (p *paged) wanting() bool {
	first, last := p.cut()
	short := last-first < p.limit
	return p.end < p.total && (short || p.stale > 0 && last == len(p.places))
}

// cut is where the page begins and ends among places.
func (p *paged) cut() (first, last int) {
	first, _ = slices.BinarySearch(p.places, p.from)
	return first, min(first+p.limit, len(p.places))
}

// next is the place where the next page begins; 0 where nothing follows.
func (p *paged) next() int {
	_, last := p.cut()
	switch {
	case last < len(p.places):
		return p.places[last]
	case p.end < p.total:
		return p.end
	}
	return 0
}

// places are where hits stand that are left of what a server found: those of each block
// follow one another, if they are ranked.
func places(live []db.FoundSentence, found []meiliHit, ranked bool) []int {
	at := make(map[string]int, len(found))
	for i, h := range found {
		at[h.ID] = i
	}
	list := make([]int, len(live))
	for i, h := range live {
		list[i] = at[h.ID]
		if !ranked {
			continue
		}
		list[i] -= list[i] % blockOf
		if i > 0 && list[i-1] >= list[i] {
			list[i] = list[i-1] + 1
		}
	}
	return list
}

// relax is what to ask for instead of all of a's words: most of them. It makes requests
// ask in the files that have the most of them, if there are such.
func (m *Meili) relax(ctx context.Context, in db.Scope, a asked, requests ...*meilisearch.SearchRequest) ([]clause, error) {
	rare := a.rareWords()
	if len(rare) == 0 {
		return nil, nil
	}
	clauses, ok := a.most(rare)
	if !ok {
		return nil, errBeyond
	}
	files, err := m.db.FilesWithMost(ctx, in, db.SearchPlan{Filter: a.Filter}, queries(a.spared(rare)), lookedUp(rare), mostFiles)
	if err != nil {
		return nil, err
	}
	for _, r := range requests {
		if len(files) > 0 {
			r.Filter = both(fmt.Sprint(r.Filter), among("fileId", files))
		}
	}
	return clauses, nil
}

// hits reads the found sentences from the database, and ranks those of each block.
// Those that no longer exist are left out. Of relaxed answers the server knows better
// which of the words says most.
func (m *Meili) hits(ctx context.Context, in db.Scope, a asked, found []meiliHit, relaxed bool) ([]db.FoundSentence, error) {
	if len(found) == 0 {
		return nil, nil
	}
	asked := make([]string, len(found))
	place := make(map[string]int, len(found))
	for i, h := range found {
		asked[i], place[h.ID] = h.ID, i
	}
	rows, err := m.db.SentencesFound(ctx, in, a.Filter, asked)
	if err != nil {
		return nil, err
	}
	if a.Text != "" {
		rating, typed, seen := make(map[string]float64, len(rows)), a.typed(), a.marker()
		for _, s := range rows {
			rating[s.ID] = typed(s.Text)
			if !relaxed {
				rating[s.ID] += seen.density(s.Text)
			}
		}
		slices.SortStableFunc(rows, func(one, other db.FoundSentence) int {
			return cmp.Or(cmp.Compare(place[one.ID]/blockOf, place[other.ID]/blockOf), cmp.Compare(rating[other.ID], rating[one.ID]))
		})
	}
	for i := range rows {
		rows[i].Score = found[place[rows[i].ID]].Score
	}
	return rows, nil
}

// shown renders the sentences of a page, which are fewer than those that are ranked.
func (a asked) shown(sentences []db.FoundSentence) []Hit {
	hits, seen := make([]Hit, len(sentences)), a.marker()
	for i, s := range sentences {
		hits[i] = newHit(s, seen.mark(s.Text))
	}
	return hits
}

// Files answers q in files.
func (m *Meili) Files(ctx context.Context, in db.Scope, q Query) (answer Files, err error) {
	ctx, end := traced(ctx, m, "search files")
	defer func() { end(answer.Summary, err) }()
	began := time.Now()
	answer = Files{Summary: Summary{Engine: m.Name(), Exact: true}, Hits: []FileHit{}}
	a, err := m.ask(ctx, in, seenBy(in, q), true)
	if err != nil {
		return answer, err
	}
	if a.nothing() {
		answer.Facets = facetsOf(a.Facets, nil)
		return answer, nil
	}
	ctx, cancel := context.WithTimeout(ctx, m.config.Timeout)
	defer cancel()

	if a.Text == "" {
		if a.Filter, err = m.listed(ctx, in, a.Filter); err != nil {
			return answer, err
		}
	}
	if a.onFiles, err = m.narrowed(ctx, in, kindFile, a.Filter); err != nil {
		return answer, err
	}
	if a.Text != "" || a.Filter.OnSentences() {
		if a.onSentences, err = m.narrowed(ctx, in, kindSentence, a.onFiles); err != nil {
			return answer, err
		}
	}
	named, err := m.named(ctx, in, a)
	if err != nil {
		return answer, err
	}
	byText, err := m.byText(ctx, in, a, named)
	if err != nil {
		return answer, err
	}
	all := ids(byText.facets["fileId"])
	for _, h := range named.hits {
		if byText.facets["fileId"][h.ID] == 0 {
			all = append(all, h.ID)
		}
	}
	page, pages, err := m.filesPage(ctx, in, a, named, byText, len(all))
	if err != nil {
		return answer, err
	}
	if answer.Hits, err = m.fileHits(ctx, in, a, page, byText); err != nil {
		return answer, err
	}
	answer.Total, answer.Exact, answer.Next = len(all)-pages.stale, len(all) < Window && pages.stale == 0, pages.next()
	answer.Relaxed = byText.relaxed
	answer.Corrected = a.corrected(bestOf(answer.Hits))
	if answer.Facets, err = m.facets(ctx, in, a, all, byText.facets["label"]); err != nil {
		return answer, err
	}
	answer.Took = time.Since(began)
	return answer, nil
}

// named finds files by name: all of them up to Window, since the other files
// follow after the last of them. Without words these are the newest files.
func (m *Meili) named(ctx context.Context, in db.Scope, a asked) (response, error) {
	if a.Filter.OnSentences() || a.Text != "" && !a.positive() {
		return response{}, nil // a name has no label, and no want of words
	}
	request, err := a.files(m.index())
	if err != nil {
		return response{}, err
	}
	request.Offset, request.Limit = 0, Window
	if a.Text == "" {
		request.Sort = []string{"createdAt:desc", "fileId:desc"}
	}
	return m.search(ctx, in, a.clauses, request)
}

// texts is what sentences say of files: counts by file and label, and how to ask for
// the files themselves.
type texts struct {
	response
	clauses []clause
	request *meilisearch.SearchRequest
	relaxed bool
}

// byText counts sentences by file and label, and prepares to ask for files by their
// sentences, without those that were named.
func (m *Meili) byText(ctx context.Context, in db.Scope, a asked, named response) (texts, error) {
	if a.Text == "" && !a.Filter.OnSentences() {
		return texts{}, nil
	}
	counts, err := a.sentences(m.index(), a.onSentences)
	if err != nil {
		return texts{}, err
	}
	counts.Facets = a.facetsWanted(true)
	counts.Offset, counts.Limit = 0, 1

	hits, err := a.sentences(m.index(), a.onSentences)
	if err != nil {
		return texts{}, err
	}
	if len(named.hits) > 0 {
		hits.Filter = both(fmt.Sprint(counts.Filter), "NOT "+among("fileId", fileIDs(named.hits)))
	}
	hits.Distinct = "fileId"

	total, err := m.search(ctx, in, a.clauses, counts)
	if err != nil {
		return texts{}, err
	}
	found := texts{response: total, clauses: a.clauses, request: hits}
	if total.total == 0 && len(named.hits) == 0 {
		if found.clauses, err = m.relax(ctx, in, a, counts, hits); err != nil || len(found.clauses) == 0 {
			return texts{}, err
		}
		if found.response, err = m.search(ctx, in, found.clauses, counts); err != nil {
			return texts{}, err
		}
		found.relaxed = found.total > 0
	}
	found.hits = nil // of these only the counts
	return found, nil
}

// pagedFile is a file of a page, with the sentence that put it there, or itself.
type pagedFile struct {
	db.FoundFile
	best meiliHit
}

// filesPage reads the files of a page: those that are named, and then those with the best
// sentences. Of all, which the server has, some may be gone.
func (m *Meili) filesPage(ctx context.Context, in db.Scope, a asked, named response, byText texts, all int) ([]pagedFile, paged, error) {
	pages := paged{from: a.Offset, limit: a.Limit, end: a.Offset, total: min(all, Window)}
	n := len(named.hits)
	var list []pagedFile
	for pages.wanting() {
		from, to := pages.cut()
		p, err := m.someFiles(ctx, in, a, named, byText, pages.end, max(1, a.Limit-(to-from)))
		if err != nil {
			return nil, pages, err
		}
		rows, err := m.db.FilesFound(ctx, in, a.Filter, fileIDs(p.hits))
		if err != nil {
			return nil, pages, err
		}
		there := make(map[string]db.FoundFile, len(rows))
		for _, f := range rows {
			there[f.ID] = f
		}
		for i, h := range p.hits {
			if f, ok := there[h.FileID]; ok {
				f.Named, f.Score = p.first < n && a.Text != "", h.Score
				list = append(list, pagedFile{FoundFile: f, best: h})
				pages.add(p.at[i])
			}
		}
		pages.end = p.first
		pages.read(p.raw, p.asked, len(rows))
	}
	from, to := pages.cut()
	return list[from:to], pages, nil
}

// some is a part of what a server has of files: the hits that are there, as far as
// sentences tell, with their places; from where it was asked, for how many, and how many
// the server had.
type some struct {
	hits              []meiliHit
	at                []int
	first, asked, raw int
}

// someFiles reads files from a place on: those that are named, or else those with the best
// sentences, in whole blocks where they are ranked.
func (m *Meili) someFiles(ctx context.Context, in db.Scope, a asked, named response, byText texts, from, need int) (some, error) {
	n := len(named.hits)
	if from < n {
		p := some{hits: named.hits[from:min(from+need, n)], first: from}
		for i := range p.hits {
			p.at = append(p.at, from+i)
		}
		p.raw, p.asked = len(p.hits), len(p.hits)
		return p, nil
	}
	if byText.request == nil || byText.total == 0 {
		return some{first: from, asked: need}, nil
	}
	request := *byText.request
	request.Offset, request.Limit = int64(from-n), int64(need)
	ranked := !byText.relaxed && a.Text != ""
	if ranked {
		wholeBlocks(&request)
	}
	p := some{first: n + int(request.Offset), asked: int(request.Limit)}
	found, err := m.bestSentences(ctx, in, byText.clauses, &request)
	if err != nil {
		return some{}, err
	}
	hits, err := m.hits(ctx, in, a, found, byText.relaxed)
	if err != nil {
		return some{}, err
	}
	place := make(map[string]int, len(found))
	for i, h := range found {
		place[h.ID] = i
	}
	if !ranked { // as the server has them
		slices.SortFunc(hits, func(one, other db.FoundSentence) int { return cmp.Compare(place[one.ID], place[other.ID]) })
	}
	p.raw, p.at = len(found), places(hits, found, ranked)
	for i, h := range hits {
		p.hits = append(p.hits, found[place[h.ID]])
		p.at[i] += p.first
	}
	return p, nil
}

// bestSentences are the best sentences of files: one of each, as request pages them.
func (m *Meili) bestSentences(ctx context.Context, in db.Scope, clauses []clause, request *meilisearch.SearchRequest) ([]meiliHit, error) {
	if len(clauses) < 2 {
		found, err := m.search(ctx, in, clauses, request)
		return found.hits, err
	}
	// The server has one of each file for each clause.
	from, to := int(request.Offset), int(request.Offset+request.Limit)
	request.Offset, request.Limit = 0, int64(to*len(clauses))
	found, err := m.search(ctx, in, clauses, request)
	if err != nil {
		return nil, err
	}
	files := map[string]bool{}
	list := slices.DeleteFunc(found.hits, func(h meiliHit) bool {
		again := files[h.FileID]
		files[h.FileID] = true
		return again
	})
	return list[min(from, len(list)):min(to, len(list))], nil
}

// fileHits are the files of a page with their best sentences.
func (m *Meili) fileHits(ctx context.Context, in db.Scope, a asked, page []pagedFile, byText texts) ([]FileHit, error) {
	hits := make([]FileHit, 0, len(page))
	if len(page) == 0 {
		return hits, nil
	}
	sentences, err := m.shownOf(ctx, in, a, page, byText)
	if err != nil {
		return nil, err
	}
	seen := a.marker()
	for _, f := range page {
		f.Matched = byText.facets["fileId"][f.ID]
		hits = append(hits, newFileHit(f.FoundFile, seen.mark(f.Name), sentences[f.ID]))
	}
	return hits, nil
}

// bestOf is the text of the best hit, or the name of its file; "" where there is none.
func bestOf(hits []FileHit) string {
	switch {
	case len(hits) == 0:
		return ""
	case len(hits[0].Hits) > 0:
		return hits[0].Hits[0].Text
	}
	return hits[0].FileName
}

// shownOf finds the best sentences of each file of a page: the one that put it
// there, and more where there are more.
func (m *Meili) shownOf(ctx context.Context, in db.Scope, a asked, page []pagedFile, byText texts) (map[string][]Hit, error) {
	var with []string
	var best []meiliHit
	for _, h := range page {
		if h.best.ID != h.ID { // a sentence
			best = append(best, h.best)
		}
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
	found, _, relaxed, err := m.insist(ctx, in, a, more)
	if err != nil {
		return nil, err
	}
	chosen := map[string][]string{}
	var list []meiliHit
	for _, h := range append(best, found.hits...) {
		if ids := chosen[h.FileID]; len(ids) < BestOfFile && !slices.Contains(ids, h.ID) {
			chosen[h.FileID] = append(ids, h.ID)
			list = append(list, h)
		}
	}
	hits, err := m.hits(ctx, in, a, list, relaxed)
	if err != nil {
		return nil, err
	}
	byFile := map[string][]Hit{}
	for _, h := range a.shown(hits) {
		byFile[h.FileID] = append(byFile[h.FileID], h)
	}
	return byFile, nil
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
		list[i] = f.FileID
	}
	return list
}

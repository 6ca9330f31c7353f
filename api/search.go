package api

import (
	"cmp"
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/query"
	"github.com/clausemill/clausemill/search"
)

// search serves the two searches of section 4.1.
func (a *API) search() {
	const syntax = "All words of `q` must occur, in any order and grammatical form, with or without accents; words such as \"the\" are passed over. \"Quoted words\" must occur together in their order, with whatever is between the quotes; `-word` must not occur. " +
		"`AND`, `OR`, `NOT`, `NEAR/n` (at most n words from each other, in one sentence) and parentheses join words and phrases: `(convenience OR cause) AND terminate NEAR/5 notice`. NOT binds closest, then NEAR/n, AND, OR. A text wholly in capitals with words beside each other is a heading without operators. An expression that is not well formed is 422. " +
		"Words that the team's files do not have are corrected, and `corrected` has the corrected query. An empty `q` lists the newest. " +
		"All given filters must match. Conditions on clauses and pages apply to each sentence that is found, `not` and `missing` included; " +
		"in lists of files they apply to all sentences of a file. The first 1,000 hits can be paged through. " +
		"`snippet` is escaped HTML with `<em>` around the matches."
	keyed := a.area("Search", withKey)
	get(keyed, "/api/files/search-index", "searchSentences", "Search in the text of all files", scheduled(a, a.searchSentences), describe(
		"Searches the text of all files. It returns sentences, best matches first, each with its position in the file. "+syntax))
	get(keyed, "/api/search", "searchFiles", "Search files by name, text and metadata", scheduled(a, a.searchFiles), describe(
		"Searches for files by name and by text. Files whose name matches come first, then those with the best sentences, which are included. "+
			"On the first page of a search with words, `groups` has the first of other matches: sentences, sections by heading, "+
			"values of attributes and of metadata, and matters, document types and chats by name. Filters apply to sentences, sections, attributes and metadata too. "+
			"With filters, matters, document types and chats are left out. Only chats of the caller are found. "+
			"Without words the answer has the files that `GET /api/files` lists with the same filter: a condition on sentences matches a file if it matches any of its sentences. "+syntax))
}

// Summary is the part of an answer that all searches have.
type Summary struct {
	NextCursor string             `json:"nextCursor,omitempty"`
	Total      int                `json:"total" doc:"Number of hits on all pages"`
	Exact      bool               `json:"exact" doc:"Whether the total and the facets are exact"`
	Facets     map[string][]Facet `json:"facets,omitempty" doc:"Values by field, most frequent first"`
	Corrected  string             `json:"corrected,omitempty" doc:"The corrected query, where words were misspelt"`
	Relaxed    bool               `json:"relaxed,omitempty" doc:"true if nothing has all the words: the hits have most of them"`
	Engine     string             `json:"engine" enum:"postgres,meilisearch"`
	TookMS     int64              `json:"tookMs"`
}

// Facet is how many hits have a value.
type Facet struct {
	Value string `json:"value" doc:"The value, as used in conditions; for document types and matters, their id"`
	Label string `json:"label" doc:"Display name"`
	Count int    `json:"count"`
}

// Hit is a sentence that matched.
type Hit struct {
	FileID     string          `json:"fileId"`
	FileName   string          `json:"fileName"`
	SentenceID string          `json:"sentenceId"`
	Page       int             `json:"page"`
	Span       Span            `json:"span"`
	Text       string          `json:"text"`
	Snippet    string          `json:"snippet" doc:"Escaped HTML with <em> around the matches"`
	Label      *string         `json:"label" doc:"The first of labels"`
	Labels     []SentenceLabel `json:"labels" nullable:"false"`
	Score      float64         `json:"score" doc:"Scores can be compared within one answer only"`
}

// FileHit is a file that matched by name or by text.
type FileHit struct {
	FileID      string  `json:"fileId"`
	FileName    string  `json:"fileName"`
	ContentType string  `json:"contentType" doc:"Media type of the file. PDFs and images have pages that can be drawn, Word documents once they are laid out"`
	Snippet     string  `json:"snippet" doc:"The name as escaped HTML with <em> around the matches"`
	NameMatch   bool    `json:"nameMatch"`
	Matches     int     `json:"matches" doc:"Number of sentences that matched, among those considered"`
	Pages       []int   `json:"pages" nullable:"false" doc:"Pages of the sentences in hits"`
	Hits        []Hit   `json:"hits" nullable:"false" doc:"The best sentences of the file"`
	Score       float64 `json:"score"`
}

// SentenceHits is an answer in sentences.
type SentenceHits struct {
	Items []Hit `json:"items" nullable:"false"`
	Summary
}

// FileHits is an answer in files.
type FileHits struct {
	Items []FileHit `json:"items" nullable:"false"`
	Summary
	Groups *HitGroups `json:"groups,omitempty" doc:"Other matches; absent on further pages and without words"`
}

func newHit(h search.Hit) Hit {
	return Hit{h.FileID, h.FileName, h.SentenceID, h.Page, Span{h.Start, h.End}, h.Text, h.Snippet, firstLabel(h.Labels), newList(h.Labels, newSentenceLabel).Items, h.Score}
}

// firstLabel is the node of the first of labels, nil for none.
func firstLabel(labels []db.Label) *string {
	if len(labels) == 0 {
		return nil
	}
	return &labels[0].Node
}

func newFileHit(h search.FileHit) FileHit {
	return FileHit{h.FileID, h.FileName, h.ContentType, h.Snippet, h.NameMatch, h.Matches, list(h.Pages), newList(h.Hits, newHit).Items, h.Score}
}

// summary tells of a page, with the names of what was counted.
func (a *API) summary(ctx context.Context, s search.Summary) (Summary, error) {
	out := Summary{
		Total: s.Total, Exact: s.Exact, Corrected: s.Corrected, Relaxed: s.Relaxed, Engine: s.Engine, TookMS: s.Took.Milliseconds(),
	}
	if s.Next > 0 {
		out.NextCursor = cursor("hits", strconv.Itoa(s.Next)+" "+s.Engine)
	}
	for field, counts := range s.Facets {
		if out.Facets == nil {
			out.Facets = map[string][]Facet{}
		}
		label, err := a.facetLabels(ctx, field, counts)
		if err != nil {
			return Summary{}, err
		}
		out.Facets[string(field)] = newList(counts, func(c db.FacetCount) Facet { return Facet{c.Value, label(c.Value), c.Count} }).Items
	}
	return out, nil
}

// facetLabels is what people call the values of a facet.
func (a *API) facetLabels(ctx context.Context, field search.Facet, counts []db.FacetCount) (func(value string) string, error) {
	ids := newList(counts, func(c db.FacetCount) string { return c.Value }).Items
	var names map[string]string
	var err error
	switch field { //nolint:exhaustive // the others are words already
	case search.DocumentType:
		names, err = a.DB.DocumentTypeNames(ctx, auth.Scope(ctx), ids)
	case search.Matter:
		names, err = a.DB.NamesOfMatters(ctx, auth.Scope(ctx), ids)
	case search.Label:
		named, err := a.named(ctx)
		return func(label string) string { return named(label).Name }, err
	}
	return func(value string) string { return cmp.Or(names[value], value) }, err
}

// SearchQuestion is the request of both searches.
type SearchQuestion struct {
	Page
	Q              string              `query:"q" maxLength:"4000" doc:"The words to search for"`
	Prefix         bool                `query:"prefix" doc:"The last word is the beginning of a word, as while typing"`
	Facets         []search.Facet      `query:"facets" doc:"Fields whose values are counted"`
	FileID         []string            `query:"fileId" format:"uuid" maxItems:"500"`
	Status         []db.FileStatus     `query:"status"`
	DocumentTypeID []string            `query:"documentTypeId" format:"uuid" maxItems:"100"`
	MatterID       []string            `query:"matterId" format:"uuid" maxItems:"100"`
	LifecycleStage []db.LifecycleStage `query:"lifecycleStage"`
	Language       []string            `query:"language" maxItems:"100" doc:"ISO 639-1 codes"`
	Label          []string            `query:"label" maxItems:"100"`
	CreatedFrom    time.Time           `query:"createdFrom"`
	CreatedTo      time.Time           `query:"createdTo" doc:"End of the range, exclusive"`
	Condition
}

// query is the request for a search engine.
func (r *SearchQuestion) query(ctx context.Context, d db.Queries) (search.Query, error) {
	place, err := r.place("hits")
	if err != nil {
		return search.Query{}, err
	}
	at, engine, _ := strings.Cut(place, " ")
	offset, err := offsetOf(at, "query.cursor")
	if err != nil {
		return search.Query{}, err
	}
	if offset >= search.Window {
		return search.Query{}, errCursor("query.cursor")
	}
	where, err := r.Condition.filter(ctx, d, query.Sentences)
	if err != nil {
		return search.Query{}, err
	}
	return search.Query{
		Text: r.Q, Prefix: r.Prefix, Facets: r.Facets, Offset: offset, Limit: min(r.Limit, search.Window-offset), Engine: engine,
		Filter: search.Filter{
			FileIDs: r.FileID, Statuses: words(r.Status), DocumentTypeIDs: r.DocumentTypeID, MatterIDs: r.MatterID,
			LifecycleStages: words(r.LifecycleStage), Languages: r.Language, Labels: r.Label,
			CreatedFrom: r.CreatedFrom, CreatedTo: r.CreatedTo, Where: where,
		},
	}, nil
}

func (a *API) searchSentences(ctx context.Context, in *SearchQuestion) (SentenceHits, error) {
	q, err := in.query(ctx, a.DB.Queries)
	if err != nil {
		return SentenceHits{}, err
	}
	if q.Synonyms, err = a.synonyms(ctx); err != nil {
		return SentenceHits{}, err
	}
	found, err := a.Search.Sentences(ctx, auth.Scope(ctx), q)
	if err != nil {
		return SentenceHits{}, err
	}
	summary, err := a.summary(ctx, found.Summary)
	return SentenceHits{newList(found.Hits, newHit).Items, summary}, err
}

func (a *API) searchFiles(ctx context.Context, in *struct {
	SearchQuestion
	GroupChoice
}) (FileHits, error) {
	q, err := in.query(ctx, a.DB.Queries)
	if err != nil {
		return FileHits{}, err
	}
	if q.Synonyms, err = a.synonyms(ctx); err != nil {
		return FileHits{}, err
	}
	grouped := q.Offset == 0 && q.Text != ""
	if grouped && in.wants("sentences") {
		q.Top = in.GroupLimit
	}
	found, err := a.Search.Files(ctx, auth.Scope(ctx), q)
	if err != nil {
		return FileHits{}, err
	}
	summary, err := a.summary(ctx, found.Summary)
	out := FileHits{Items: newList(found.Hits, newFileHit).Items, Summary: summary}
	if err == nil && grouped {
		out.Groups, err = a.groups(ctx, q, found, in.GroupChoice)
	}
	return out, err
}

// synonyms are the synonyms of the team.
func (a *API) synonyms(ctx context.Context) ([][]string, error) {
	rows, err := a.DB.SynonymGroups(ctx, auth.Scope(ctx))
	return newList(rows, func(g db.SynonymGroup) []string { return g.Words }).Items, err
}

// words is values as plain strings, nil for nil.
func words[T ~string](values []T) []string {
	if values == nil {
		return nil
	}
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = string(v)
	}
	return out
}

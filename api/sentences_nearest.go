package api

import (
	"context"
	"slices"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/corpus"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/query"
	"github.com/clausemill/clausemill/search"
)

// sentencesNearest serves the sentences and nodes closest to a sentence.
func (a *API) sentencesNearest() {
	const likeness = " The similarity is the cosine over word stems, which are weighted by their rarity in the team's sentences; stop words and numbers do not count. " +
		"In a large team, the first request after a while takes seconds, and the next ones milliseconds."
	session := a.area("Sentences", withSession)
	get(session, "/api/sentences/nearest-non-null", "listNearestLabelledSentences", "List the closest labelled sentences", scheduled(a, a.listNearestLabelled), describe(
		"Lists the closest labelled sentences, and proposes a label by them, for one sentence (`sentenceId`) or for any `text`. "+
			"Without either it does so for the groups of the null review, in pages."+likeness))
	get(session, "/api/sentences/{sentenceid}/nearest-matches", "listNearestSentences", "List the closest sentences of the corpus", scheduled(a, a.listNearestMatches), describe(
		"Lists the closest other sentences of the team, but for those of duplicates and versions of its file, unless `copies` is true. A filter that matches more than 8,192 sentences is applied to the 8,192 closest."+likeness))
	get(session, "/api/sentences/{sentenceid}/nearest-nodes", "listNearestNodes", "List the closest nodes of the taxonomy", scheduled(a, a.listNearestNodes), describe(
		"Lists the nodes whose sentences are closest as a whole. Each node is represented by the centroid of up to 100 of its sentences: those labelled by users first, then the newest predicted ones. "+
			"A node without sentences is never listed."+likeness))
}

// NearSentence is a sentence with its similarity to another.
type NearSentence struct {
	Sentence   Sentence `json:"sentence"`
	Similarity float64  `json:"similarity" doc:"0 to 1; 1 if the stems are the same"`
}

func newNearSentence(n search.Near) NearSentence {
	return NearSentence{newSentence(n.FiledSentence), n.Similarity}
}

// NearestMatches are the sentences closest to one.
type NearestMatches struct {
	SentenceID string         `json:"sentenceId"`
	Items      []NearSentence `json:"items" nullable:"false" doc:"Closest first"`
}

func (a *API) listNearestMatches(ctx context.Context, in *struct {
	SentenceRef
	SentenceFilter
	Copies
	Limit         int     `query:"limit" minimum:"1" maximum:"100" default:"10" doc:"Maximum number of items"`
	MinSimilarity float64 `query:"minSimilarity" minimum:"0" maximum:"1"`
}) (NearestMatches, error) {
	scope := auth.Scope(ctx)
	row, err := a.DB.FiledSentence(ctx, scope, in.SentenceID)
	if err != nil {
		return NearestMatches{}, err
	}
	out := NearestMatches{SentenceID: row.ID, Items: []NearSentence{}}
	filter, err := in.filter(ctx, a.DB.Queries)
	if err != nil {
		return out, err
	}
	if !in.Copies.Copies {
		more, err := a.DB.Relatives(ctx, scope, row.FileID)
		if err != nil {
			return out, err
		}
		if len(more) > 0 {
			filter.Where = query.And(filter.Where, query.Filter{Field: query.File, Op: query.NotIn, Values: more})
		}
	}
	near, err := a.nearest.Sentences(ctx, scope, search.NearQuery{
		Text: row.Text, Filter: filter, Without: row.ID, MinSimilarity: in.MinSimilarity, Limit: in.Limit,
	})
	out.Items = newList(near, newNearSentence).Items
	return out, err
}

// NearestNodes are the nodes closest to a sentence.
type NearestNodes struct {
	SentenceID string     `json:"sentenceId"`
	Items      []NearNode `json:"items" nullable:"false" doc:"Closest first"`
}

// NearNode is a node with the similarity of its sentences to another.
type NearNode struct {
	Key               string  `json:"key"`
	Name              string  `json:"name"`
	Family            string  `json:"family"`
	Similarity        float64 `json:"similarity" doc:"Similarity to the centroid of its sentences, 0 to 1"`
	Support           int     `json:"support" doc:"Number of sentences that the centroid is computed from"`
	ExampleSentenceID string  `json:"exampleSentenceId" doc:"Id of the closest of these sentences"`
	Example           string  `json:"example" doc:"Text of that sentence"`
}

func (a *API) listNearestNodes(ctx context.Context, in *struct {
	SentenceRef
	Limit int `query:"limit" minimum:"1" maximum:"100" default:"10" doc:"Maximum number of items"`
}) (NearestNodes, error) {
	scope := auth.Scope(ctx)
	row, err := a.DB.FiledSentence(ctx, scope, in.SentenceID)
	if err != nil {
		return NearestNodes{}, err
	}
	tags, err := taxonomy(ctx, a.DB.Queries, scope)
	if err != nil {
		return NearestNodes{}, err
	}
	byKey, keys := make(map[string]Tag, len(tags)), make([]string, len(tags))
	for i, t := range tags {
		byKey[t.Key], keys[i] = t, t.Key
	}
	near, err := a.nearest.Nodes(ctx, scope, row.Text, row.ID, keys, in.Limit)
	nodes := newList(near, func(n search.NearNode) NearNode {
		t := byKey[n.Label]
		return NearNode{t.Key, t.Name, t.Family, n.Similarity, n.Support, n.Example.ID, n.Example.Text}
	})
	return NearestNodes{row.ID, nodes.Items}, err
}

// NearestLabelled is a sentence or a text with the closest sentences that have a
// label.
type NearestLabelled struct {
	Sentence *Sentence      `json:"sentence,omitempty" doc:"Absent where the request has text"`
	Nearest  []NearSentence `json:"nearest" nullable:"false" doc:"Closest first"`
	Proposed *Proposal      `json:"proposed,omitempty" doc:"Absent where no sentence is close"`
}

// Proposal is a label that is proposed by the closest labelled sentences.
type Proposal struct {
	Label   string  `json:"label"`
	Score   float64 `json:"score" doc:"Share of the label in the sum of the similarities, 0 to 1"`
	Support int     `json:"support" doc:"Number of the nearest sentences with the label"`
}

// propose lets the nearest sentences vote for their labels, weighted by similarity.
func propose(near []search.Near) *Proposal {
	labels := db.EachLabel(newList(near, func(n search.Near) db.FiledSentence { return n.FiledSentence }).Items)
	best, ok := corpus.Propose(newList(labels, func(l db.Given) corpus.Vote {
		return corpus.Vote{Label: l.Node, Similarity: near[l.At].Similarity}
	}).Items)
	if !ok {
		return nil
	}
	return &Proposal{best.Label, best.Score, best.Support}
}

type nearestLabelledRequest struct {
	SentenceID     string `query:"sentenceId" format:"uuid" doc:"Id of the sentence to find the closest ones for"`
	Text           string `query:"text" minLength:"1" maxLength:"4000" doc:"Any text, instead of sentenceId"`
	DocumentTypeID string `query:"documentTypeId" format:"uuid" doc:"Only files of this document type, for the closest sentences and for the null review"`
	Nearest        int    `query:"nearest" minimum:"1" maximum:"20" default:"5" doc:"Maximum number of closest sentences for each item"`
	Limit          int    `query:"limit" minimum:"1" maximum:"50" default:"10" doc:"Maximum number of groups of the null review"`
	Cursor         string `query:"cursor" maxLength:"200" doc:"The nextCursor of the previous page"`
}

func (a *API) listNearestLabelled(ctx context.Context, in *nearestLabelledRequest) (List[NearestLabelled], error) {
	out := List[NearestLabelled]{Items: []NearestLabelled{}}
	if in.Text != "" && in.SentenceID != "" {
		return out, invalid("query.text", "cannot be combined with sentenceId")
	}
	if in.Text != "" {
		item, err := a.nearestLabelled(ctx, in, in.Text, nil)
		out.Items = append(out.Items, item)
		return out, err
	}
	sentences, next, err := a.sentencesToReview(ctx, in)
	if err != nil {
		return out, err
	}
	out.NextCursor = next
	for _, s := range sentences {
		item, err := a.nearestLabelled(ctx, in, s.Text, &s)
		if err != nil {
			return out, err
		}
		out.Items = append(out.Items, item)
	}
	return out, nil
}

// sentencesToReview is the sentence in the request, or else a page of the null review.
func (a *API) sentencesToReview(ctx context.Context, in *nearestLabelledRequest) ([]db.FiledSentence, string, error) {
	if in.SentenceID != "" {
		row, err := a.DB.FiledSentence(ctx, auth.Scope(ctx), in.SentenceID)
		return []db.FiledSentence{row}, "", err
	}
	after, err := Page{Cursor: in.Cursor}.sentencePlace(reviewOrder)
	if err != nil {
		return nil, "", err
	}
	rows, err := a.DB.ReviewSentences(ctx, auth.Scope(ctx), in.DocumentTypeID, after, in.Limit+1)
	rows, more := cut(rows, in.Limit)
	list := newList(rows, func(r db.ReviewSentence) db.FiledSentence { return r.FiledSentence }).Items
	if more {
		return list, sentenceCursor(reviewOrder, last(list)), nil
	}
	return list, "", err
}

func (a *API) nearestLabelled(ctx context.Context, in *nearestLabelledRequest, text string, about *db.FiledSentence) (NearestLabelled, error) {
	q := search.NearQuery{Text: text, Filter: db.SentenceFilter{Labelled: true, DocumentTypeID: in.DocumentTypeID}, Limit: in.Nearest}
	item := NearestLabelled{}
	if about != nil {
		q.Without = about.ID
		s := newSentence(*about)
		item.Sentence = &s
	}
	near, err := a.nearest.Sentences(ctx, auth.Scope(ctx), q)
	near = slices.DeleteFunc(near, func(n search.Near) bool { return n.Label == nil }) // the label was removed in the meantime
	item.Nearest, item.Proposed = newList(near, newNearSentence).Items, propose(near)
	return item, err
}

package api

import (
	"context"
	"slices"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/nlp"
)

// sentencesTags serves the available labels of sentences.
func (a *API) sentencesTags() {
	const tags = "Lists the nodes of the clause taxonomy: first the built-in ones, by family, then those that the team added. " +
		"Each has the number of sentences with that label."
	session := a.area("Sentences", withSession)
	get(session, "/api/sentences/available-tags", "listTags", "List the tags of the team", a.listTags, describe(tags))
	get(session, "/api/sentences/available-tags/{filetypeid}", "listDocumentTypeAvailableTags", "List the tags for a document type", a.listTypeTags, describe(
		tags+" Only sentences in files of the document type are counted."))
}

// Tags are the labels that there are.
type Tags struct {
	Items []Tag `json:"items" nullable:"false"`
}

// Tag is a node of the taxonomy: a kind of clause.
type Tag struct {
	Key         string `json:"key" doc:"The value of a sentence's label"`
	Name        string `json:"name"`
	Family      string `json:"family" doc:"The group of clauses that it belongs to; empty where it has none"`
	Description string `json:"description,omitempty"`
	Own         bool   `json:"own" doc:"true if the team added it"`
	Sentences   int    `json:"sentences" doc:"Number of sentences with this label"`
	Validated   int    `json:"validated" doc:"Number of them whose label users confirmed or set"`

	ID        string  `json:"id,omitempty" doc:"Only for a node that the team added: its id in the audit log"`
	CreatedBy *string `json:"createdBy,omitempty" doc:"Id of the user"`
}

func (a *API) listTags(ctx context.Context, _ *struct{}) (Tags, error) {
	return a.countedTags(ctx, "")
}

func (a *API) listTypeTags(ctx context.Context, in *FileTypeRef) (Tags, error) {
	if err := a.DB.NeedDocumentType(ctx, auth.Scope(ctx), in.FileTypeID); err != nil {
		return Tags{}, err
	}
	return a.countedTags(ctx, in.FileTypeID)
}

// countedTags counts the sentences of each node. A label that is no longer in the
// taxonomy is listed as long as sentences have it.
func (a *API) countedTags(ctx context.Context, documentTypeID string) (Tags, error) {
	scope := auth.Scope(ctx)
	nodes, err := taxonomy(ctx, a.DB.Queries, scope)
	if err != nil {
		return Tags{}, err
	}
	counts, err := a.DB.LabelCounts(ctx, scope, documentTypeID)
	if err != nil {
		return Tags{}, err
	}
	for _, c := range counts {
		i := slices.IndexFunc(nodes, func(t Tag) bool { return t.Key == c.Label })
		if i < 0 {
			i = len(nodes)
			nodes = append(nodes, Tag{Key: c.Label, Name: c.Label})
		}
		nodes[i].Sentences, nodes[i].Validated = c.Sentences, c.Validated
	}
	return Tags{nodes}, nil
}

// taxonomy is the nodes that a team may use: those of the base model, whose keys are its
// labels, and the team's own.
func taxonomy(ctx context.Context, q db.Queries, in db.Scope) ([]Tag, error) {
	families := map[string]string{}
	for _, f := range nlp.Families() {
		families[f.ID] = f.Name
	}
	tags := []Tag{}
	for _, n := range nlp.Taxonomy() {
		tags = append(tags, Tag{Key: n.ID, Name: n.Name, Family: families[n.Family], Description: n.Description})
	}
	own, err := q.Nodes(ctx, in)
	for _, n := range own {
		tags = append(tags, newTag(n))
	}
	return tags, err
}

// hasTag reports whether a label is the key of one of tags.
func hasTag(tags []Tag, label string) bool {
	return slices.ContainsFunc(tags, func(t Tag) bool { return t.Key == label })
}

// NewNode is a clause to be added to the taxonomy.
type NewNode struct {
	Name   string `json:"name" minLength:"1" maxLength:"100" doc:"Name in any script. The key is derived from a Latin name: Step-in rights becomes step_in_rights"`
	Family string `json:"family,omitempty" maxLength:"100"`
}

package db

import (
	"context"
	"encoding/json"

	"github.com/clausemill/clausemill/query"
)

// MatterFileFilter narrows the files of matters: what all of its fields match,
// each any of its values. The zero filter is all of them.
type MatterFileFilter struct {
	MatterID string
	Chosen   map[MatterFacet][]string
	Where    query.Filter // of query.Files, and checked
}

// MatterFacet is something that the files of matters are told apart by.
type MatterFacet string

// matterFacets says what values a file f in a matter m has: an expression for a
// table of (value, label).
var matterFacets = map[MatterFacet]string{
	"counterparties": `SELECT DISTINCT ON (1) fold(name), name FROM unnest(f.counterparties || m.counterparties) name`,
	"document-types": `SELECT t.id::text, t.name FROM document_types t WHERE t.id = f.document_type_id`,
	"parties":        `SELECT DISTINCT ON (1) fold(p ->> 'name'), p ->> 'name' FROM jsonb_array_elements(f.parties || m.parties) p`,
	"sources":        `SELECT f.source, f.source`,
	"stages":         `SELECT m.stage, m.stage`,
	"statuses":       `SELECT m.status, m.status`,
}

// MatterFacets lists them.
func MatterFacets() []MatterFacet {
	return []MatterFacet{"counterparties", "document-types", "parties", "sources", "stages", "statuses"}
}

// Condition is that a file has any of values of a facet, as questions about files
// take it.
func (facet MatterFacet) Condition(values ...string) query.Filter {
	either := func(file, matter query.Field) query.Filter {
		return query.Filter{Any: []query.Filter{query.Is(file, values...), query.Is(matter, values...)}}
	}
	switch facet {
	case "counterparties":
		return either(query.Counterparty, query.MatterCounterparty)
	case "document-types":
		return query.Is(query.DocumentType, values...)
	case "parties":
		return either(query.Party, query.MatterParty)
	case "sources":
		return query.Is(query.FileSource, values...)
	case "stages":
		return query.Is(query.MatterStage, values...)
	default:
		return query.Is(query.MatterStatus, values...)
	}
}

// tree is f as one condition. What was chosen of the facet `but` does not count:
// among its own values one wants to see the others too.
func (f MatterFileFilter) tree(but MatterFacet) query.Filter {
	parts := []query.Filter{same(query.Matter, f.MatterID), f.Where}
	for _, facet := range MatterFacets() {
		if values := f.Chosen[facet]; len(values) > 0 && facet != but {
			parts = append(parts, facet.Condition(values...))
		}
	}
	return query.And(parts...)
}

// FacetValue is one value with the files that have it.
type FacetValue struct {
	Value   string   `db:"value"`   // to choose it by
	Label   string   `db:"label"`   // its most frequent spelling
	Aliases []string `db:"aliases"` // its other spellings
	Count   int      `db:"count"`
}

// FacetValues is the values of a facet.
type FacetValues struct {
	Items   []FacetValue
	Missing int // files without any
	Total   int // files altogether
}

// MatterFacetValues counts the files of matters by the values of a facet, the
// most frequent first, of those whose label has a part (in any case).
func (q Queries) MatterFacetValues(ctx context.Context, in Scope, facet MatterFacet, filter MatterFileFilter, part string, limit int) (FacetValues, error) {
	type row struct {
		Items json.RawMessage `db:"items"`
		With  int             `db:"present"`
		Total int             `db:"total"`
	}
	a := args{"team": in.TeamID, "part": likeLiteral.Replace(part), "limit": limit}
	where, err := conditions(filter.tree(facet), a, query.Files, query.Matters)
	if err != nil {
		return FacetValues{}, err
	}
	r, err := one[row](ctx, q, `
		WITH counted AS MATERIALIZED (
			SELECT f.id, v.value, v.label
			FROM files f JOIN matters m ON m.id = f.matter_id
			LEFT JOIN LATERAL (`+matterFacets[facet]+`) v(value, label) ON v.value <> ''
			WHERE f.team_id = @team`+also(where)+`
		), spelled AS (
			SELECT value, label, count(*) AS count FROM counted
			WHERE value IS NOT NULL GROUP BY value, label
		), valued AS (
			SELECT value, (array_agg(label ORDER BY count DESC, label))[1] AS label,
				(array_agg(label ORDER BY count DESC, label))[2:] AS aliases, sum(count)::int AS count
			FROM spelled GROUP BY value HAVING bool_or(label ILIKE '%' || @part || '%')
			ORDER BY count DESC, value LIMIT @limit
		)
		SELECT (SELECT coalesce(jsonb_agg(to_jsonb(v) ORDER BY v.count DESC, v.value), '[]') FROM valued v) AS items,
			(SELECT count(DISTINCT id) FROM counted WHERE value IS NOT NULL) AS present,
			(SELECT count(DISTINCT id) FROM counted) AS total`, a)
	if err != nil {
		return FacetValues{}, err
	}
	out := FacetValues{Missing: r.Total - r.With, Total: r.Total}
	return out, json.Unmarshal(r.Items, &out.Items)
}

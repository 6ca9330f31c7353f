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

// MatterFacet is a facet of the files of matters.
type MatterFacet string

// matterFacets has the SQL for the values of a file f in a matter m.
var matterFacets = map[MatterFacet]struct {
	own    string // the column of f that they come from, if any
	values string // where a file has one: an expression for a table of (value, label)
	names  string // where it may have several: one for its names, each once, which are the same if they are when folded
}{
	"counterparties": {names: `SELECT DISTINCT name FROM unnest(f.counterparties || m.counterparties) name`},
	"document-types": {own: "document_type_id", values: `SELECT t.id::text, t.name FROM document_types t WHERE t.id = f.document_type_id`},
	"parties":        {names: `SELECT DISTINCT p ->> 'name' FROM jsonb_array_elements(f.parties || m.parties) p`},
	"sources":        {own: "source", values: `SELECT f.source, f.source`},
	"stages":         {values: `SELECT m.stage, m.stage`},
	"statuses":       {values: `SELECT m.status, m.status`},
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

// counted reports whether f asks for nothing that fileFigures do not have.
func (f MatterFileFilter) counted() bool {
	return f.Where.IsZero() && len(f.Chosen["counterparties"]) == 0 && len(f.Chosen["parties"]) == 0
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
	a := args{"team": in.TeamID, "hidden": in.Hidden, "part": likeLiteral.Replace(part), "limit": limit}
	where, err := conditions(filter.tree(facet), a, query.Files, query.Matters)
	if err != nil {
		return FacetValues{}, err
	}
	from := matterFacets[facet]
	files := `files f JOIN matters m ON m.id = f.matter_id`
	where = `f.team_id = @team` + in.sees("f") + also(where)
	var counts, sum string
	switch {
	case from.names != "" && filter.tree(facet).IsZero():
		a["facet"] = facet
		counts, sum = `counted AS MATERIALIZED (SELECT value, name, files, firsts FROM `+countedNames(in)+` names),
			spelled AS (SELECT value, name, files, firsts FROM counted WHERE value <> ''),
			present AS (SELECT coalesce(sum(firsts), 0) AS files FROM counted WHERE value = ''),
			total AS (SELECT coalesce(sum(files), 0) AS files FROM `+fileFigures+` f WHERE f.matter_id IS NOT NULL`+in.sees("f")+`)`, "sum(firsts)::int"
	case from.names != "":
		counts, sum = `said AS MATERIALIZED (
			SELECT f.id, v.* FROM `+files+` CROSS JOIN LATERAL (
				SELECT name, row_number() OVER () AS nth FROM (`+from.names+`) v (name) WHERE name ~ '\w' OR fold(name) <> ''
			) v WHERE `+where+`
		), `+spellings+`, present AS (SELECT count(*) AS files FROM said WHERE nth = 1), total AS (SELECT count(*) AS files FROM `+files+` WHERE `+where+`)`, filesOfSpellings
	default:
		own, matters := "f.matter_id", " JOIN matters m ON m.id = f.matter_id"
		if from.own != "" {
			own, matters = "f."+from.own, ""
		}
		count := "count(*)"
		if filter.counted() {
			files, count = fileFigures+` f JOIN matters m ON m.id = f.matter_id`, "sum(f.files)"
		}
		// Those alike are counted first.
		counts, sum = `alike AS MATERIALIZED (
			SELECT `+own+`, `+count+` AS files FROM `+files+` WHERE `+where+` GROUP BY `+own+` HAVING `+count+` > 0
		), spelled AS MATERIALIZED (
			SELECT v.value, v.label AS name, sum(f.files) AS files FROM alike f`+matters+` CROSS JOIN LATERAL (`+from.values+`) v (value, label)
			WHERE v.value <> '' GROUP BY v.value, v.label
		), present AS (SELECT coalesce(sum(files), 0) AS files FROM spelled), total AS (SELECT coalesce(sum(files), 0) AS files FROM alike)`, "sum(files)::int"
	}
	r, err := one[row](ctx, q, `
		WITH `+counts+`, valued AS (
			SELECT value, `+commonest+`[1] AS label, `+commonest+`[2:] AS aliases, `+sum+` AS count
			FROM spelled s GROUP BY value HAVING bool_or(name ILIKE '%' || @part || '%')
			ORDER BY count DESC, value LIMIT @limit
		)
		SELECT (SELECT coalesce(jsonb_agg(to_jsonb(v) ORDER BY v.count DESC, v.value), '[]') FROM valued v) AS items,
			(SELECT files FROM present) AS present, (SELECT files FROM total) AS total`, a)
	if err != nil {
		return FacetValues{}, err
	}
	out := FacetValues{Missing: r.Total - r.With, Total: r.Total}
	return out, json.Unmarshal(r.Items, &out.Items)
}

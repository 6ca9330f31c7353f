package db

import (
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/clausemill/clausemill/query"
)

// Order is what a list is ordered by; equal values are in the order of the ids.
// The zero order is the age of the rows, the newest first.
type Order struct {
	By         string // one of SortKeys, or the field of a declared member of metadata
	Descending bool
	Type       MetadataType // of that member
}

// Place is where a page of a list begins: behind a row, which had an id and, of
// what the list is ordered by, a value or none. The zero place is the start.
type Place struct {
	Value *string
	ID    string
}

// sorting is how rows are ordered by something that they have.
type sorting struct {
	sql  string // an expression over them
	kind string // its type
	gaps bool   // some may have none; they come last either way
}

// sortings is what lists can be ordered by. A word that is absent here cannot
// reach SQL.
var sortings = map[query.Source]map[string]sorting{
	query.Files: {
		"name":      {sql: "lower(f.name)", kind: "text"},
		"createdAt": {sql: "f.created_at", kind: "timestamptz"},
		"updatedAt": {sql: "f.progress_at", kind: "timestamptz"},
		"size":      {sql: "f.size", kind: "bigint"},
		"pageCount": {sql: "f.page_count", kind: "bigint"},
	},
	query.Matters: {
		"name":      {sql: "lower(m.name)", kind: "text"},
		"createdAt": {sql: "m.created_at", kind: "timestamptz"},
		"updatedAt": {sql: "m.updated_at", kind: "timestamptz"},
		"dueAt":     {sql: "m.due_at", kind: "timestamptz", gaps: true},
	},
}

// sorting is that of o, for rows of a source.
func (o Order) sorting(of query.Source) sorting {
	member, ok := query.Field(o.By).Member()
	if !ok {
		return sortings[of][o.By]
	}
	expression, kind := "fold(v #>> '{}')", "text"
	switch o.Type {
	case "number", "money":
		expression, kind = "metadata_number(v)", "numeric"
	case "date":
		expression, kind = "day(v #>> '{}')", "date"
	}
	return sorting{sql: "(SELECT min(" + expression + ") FROM metadata_values(f.metadata -> " + literal(member) + ") v)", kind: kind, gaps: true}
}

var decimal = regexp.MustCompile(`^-?\d{1,30}(\.\d{1,30})?$`)

// SortKeys lists what rows of a source can be ordered by.
func SortKeys(of query.Source) []string {
	keys := make([]string, 0, len(sortings[of]))
	for key := range sortings[of] {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// Takes reports whether a place could be one in a list of rows of a source in
// this order.
func (o Order) Takes(of query.Source, p Place) bool {
	if p.Value == nil || o.By == "" {
		return p.Value == nil
	}
	var err error
	switch o.sorting(of).kind {
	case "numeric":
		return decimal.MatchString(*p.Value)
	case "date":
		_, err = time.Parse(time.DateOnly, *p.Value)
	case "bigint":
		_, err = strconv.ParseInt(*p.Value, 10, 64)
	case "timestamptz":
		_, err = time.Parse(time.RFC3339Nano, *p.Value)
	}
	return err == nil
}

// page is an expression for the value of a Place, the condition that rows come
// after one, and their order.
func (o Order) page(of query.Source, after Place, a args) (value, condition, order string) {
	id := tables[of].alias + ".id"
	sort := " ORDER BY "
	compare, direction := " > ", ""
	if o.Descending || o.By == "" {
		compare, direction = " < ", " DESC"
	}
	a["after"], a["after_value"] = nullable(after.ID), after.Value
	s := o.sorting(of)
	if o.By == "" {
		value, condition, order = "NULL::text", id+compare+"@after::uuid", sort+id+direction
	} else {
		value, order = s.sql+"::text", sort+s.sql+direction+" NULLS LAST, "+id+direction
		if !s.gaps {
			order = sort + s.sql + direction + ", " + id + direction // as an index has it
		}
		if s.kind == "timestamptz" {
			value = writtenTime(s.sql)
		}
		condition = "(" + s.sql + ", " + id + ")" + compare + "(@after_value::text::" + s.kind + ", @after::uuid)"
		switch {
		case s.gaps && after.Value == nil:
			condition = s.sql + " IS NULL AND " + id + compare + "@after::uuid"
		case s.gaps:
			condition = "(" + condition + " OR " + s.sql + " IS NULL)"
		}
	}
	if after.ID == "" {
		condition = "true"
	}
	return value, condition, order
}

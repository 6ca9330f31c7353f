package api

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/query"
	"github.com/clausemill/clausemill/search"
)

// Condition narrows a list by any field that list-filters lists. It is JSON in a query
// parameter, or part of a body.
type Condition struct {
	Filter string        `query:"filter" json:"-" maxLength:"16000" doc:"A condition as JSON: {\"field\":\"attribute.governing_law\",\"op\":\"in\",\"values\":[\"Delaware\"]}, or a combination of conditions by all, any and not. POST /api/files/{fileId}/list-filters lists the fields"`
	Where  *query.Filter `json:"filter,omitempty" doc:"A condition on any field that POST /api/files/{fileId}/list-filters lists"`
}

// filter is the condition on rows of a source, with relative dates and words resolved.
func (c Condition) filter(ctx context.Context, d db.Queries, s query.Source) (query.Filter, error) {
	var f query.Filter
	location := "body.filter"
	switch {
	case c.Where != nil:
		f = *c.Where
	case c.Filter != "":
		location = "query.filter"
		decoder := json.NewDecoder(strings.NewReader(c.Filter))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&f); err != nil || decoder.More() {
			return f, invalid(location, "is not a condition as JSON")
		}
	}
	return checked(ctx, d, f, s, location)
}

// checked is f, validated for a source, with relative dates and words resolved.
func checked(ctx context.Context, d db.Queries, f query.Filter, s query.Source, location string) (query.Filter, error) {
	f, err := f.Checked(s, time.Now())
	if err == nil {
		f, err = search.Read(ctx, auth.Scope(ctx), f, d)
	}
	if fault.KindOf(err) == fault.Invalid {
		return f, invalid(location, fault.Message(err))
	}
	return f, err
}

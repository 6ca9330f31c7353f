package api

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/query"
)

// FileSort is the requested order of files.
type FileSort struct {
	Sort string `query:"sort" maxLength:"300" doc:"Field to sort by: name (ignoring case), createdAt, updatedAt, size, pageCount, or metadata. followed by a declared key, with files without a value last. A leading - sorts in descending order, as in -name. By default the newest come first"`
}

// order is s for the database. Only declared keys of metadata can be sorted by, because
// the type of their values is known.
func (a *API) order(ctx context.Context, s FileSort) (db.Order, error) {
	order := orderOf(s.Sort)
	if member, ok := query.Field(order.By).Member(); ok {
		key, err := a.DB.MetadataKey(ctx, auth.Scope(ctx), member)
		if fault.KindOf(err) == fault.NotFound {
			err = invalid("query.sort", "is a metadata key that the team has not declared; an admin can declare it with POST /api/metadata-keys")
		}
		order.Type = key.Type
		return order, err
	}
	if s.Sort != "" && !slices.Contains(db.SortKeys(query.Files), order.By) {
		return order, invalid("query.sort", "must be one of "+strings.Join(db.SortKeys(query.Files), ", ")+", or metadata. followed by a declared key, optionally after -")
	}
	return order, nil
}

// MatterSort is the requested order of matters.
type MatterSort struct {
	Sort string `query:"sort" enum:"name,-name,createdAt,-createdAt,updatedAt,-updatedAt,dueAt,-dueAt" doc:"Field to sort by; names are compared ignoring case. A leading - sorts in descending order. Matters without a due date come last. By default the newest come first"`
}

// order is s for the database.
func (s MatterSort) order() db.Order { return orderOf(s.Sort) }

func orderOf(sort string) db.Order {
	by, descending := strings.CutPrefix(sort, "-")
	return db.Order{By: by, Descending: descending}
}

// sorted is the kind of a list in an order, so that cursors of other orders are refused.
func sorted(kind string, order db.Order) string {
	if order.By == "" {
		return kind
	}
	direction := " by "
	if order.Descending {
		direction = " by -"
	}
	return kind + direction + url.QueryEscape(order.By)
}

// sortedPlace is place in a list of rows of a source: an id and, where it has one,
// the value that the list is ordered by.
func (p Page) sortedPlace(kind string, of query.Source, order db.Order) (db.Place, error) {
	text, err := p.place(sorted(kind, order))
	if err != nil || text == "" {
		return db.Place{}, err
	}
	id, value, valued := strings.Cut(text, " ")
	place := db.Place{ID: id}
	if valued {
		place.Value = &value
	}
	if !isID(id) || !order.Takes(of, place) {
		return db.Place{}, errCursor("query.cursor")
	}
	return place, nil
}

// sortedCursor is the cursor that sortedPlace reads.
func sortedCursor(kind string, order db.Order, p db.Place) string {
	place := p.ID
	if p.Value != nil {
		place += " " + *p.Value
	}
	return cursor(sorted(kind, order), place)
}

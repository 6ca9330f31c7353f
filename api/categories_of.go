package api

import (
	"context"
	"fmt"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
)

// Categories are the ids of the categories of a file, matter or document type.
type Categories []string

// Schema is a list of ids.
func (Categories) Schema(schemas huma.Registry) *huma.Schema {
	s := *huma.SchemaFromType(schemas, reflect.TypeFor[[]string]())
	most := 100
	s.Nullable, s.MaxItems, s.Description = false, &most, "Ids of its categories"
	s.PrecomputeMessages()
	return &s
}

// ids is c for the database. Anything but an id does not exist.
func (c Categories) ids(location string) ([]string, error) {
	for i, id := range c {
		if !isID(id) {
			return nil, invalid(fmt.Sprintf("%s[%d]", location, i), "does not exist in this team")
		}
	}
	return c, nil
}

// change is ids of what may be absent.
func (c *Categories) change(location string) (*[]string, error) {
	if c == nil {
		return nil, nil //nolint:nilnil // they stay as they are
	}
	ids, err := c.ids(location)
	return &ids, err
}

type bulkCategoriesRequest struct {
	Body struct {
		Selection
		Intent
		Replace *Categories `json:"replace,omitempty"`
		Remove  Categories  `json:"remove,omitempty"`
		Add     Categories  `json:"add,omitempty"`
	}
}

func (a *API) bulkCategories(ctx context.Context, in *bulkCategoriesRequest) (BulkAccepted, error) {
	if in.Body.Replace == nil && len(in.Body.Remove)+len(in.Body.Add) == 0 {
		return BulkAccepted{}, invalid("body", "must have add, remove or replace")
	}
	var change db.CategoryLinks
	var err error
	if change.Replace, err = in.Body.Replace.change("body.replace"); err != nil {
		return BulkAccepted{}, err
	}
	if change.Remove, err = in.Body.Remove.ids("body.remove"); err != nil {
		return BulkAccepted{}, err
	}
	if change.Add, err = in.Body.Add.ids("body.add"); err != nil {
		return BulkAccepted{}, err
	}
	return a.bulkChange(ctx, in.Body.Selection, in.Body.Intent, "update-categories", "the file is gone",
		func(tx *db.Tx, ids []string) ([]string, error) {
			return tx.ChangeCategories(ctx, auth.Scope(ctx), ids, change)
		})
}

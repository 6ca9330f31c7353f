package api

import (
	"context"
	"time"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
)

// categories serves the tree of names under which a team files things.
func (a *API) categories() {
	session := a.area("Categories", withSession)
	get(session, "/api/categories", "listCategories", "List categories", a.listCategories, describe(
		"By name, each with the number of its files, matters and document types, not counting those of categories below it. `parentId` leads from one level of the tree to the next. "+
			"They are put there by `categoryIds` where they are created and updated, files also by `POST /api/files/bulk/update-categories`, and found by the filters `category` and `matterCategory`."))
	create(a, session, "/api/categories", "createCategory", "Create a category", a.createCategory, describe(
		"Below `parentId`, or at the top. A name that is there already is 409. The tree is sixteen levels deep at most."))
	get(session, "/api/categories/{id}", "getCategory", "Get a category", a.getCategory, describe("With its place in the tree."))
	patch(session, "/api/categories/{id}", "updateCategory", "Update a category", a.updateCategory, eitherWay[CategoryUpdate](a), describe(
		"Fields may be query parameters or in the body; without any nothing changes. A `parentId` of `\"\"` is the top, and one that stands below the "+
			"category itself is 422. With `If-Match` a stale version is 409. It is for who made it and for admins: 403."))
	del(session, "/api/categories/{id}", "deleteCategory", "Delete a category", a.deleteCategory, describe(
		"Those right below it move up to where it was; where one of their names is taken there it is 409 and nothing changes. They go below it again when it is restored. "+purging))
}

// Category is a name under which a team files things.
type Category struct {
	ID          string  `json:"id"`
	Name        string  `json:"name"`
	Color       string  `json:"color" doc:"#rrggbb; empty for none"`
	ParentID    *string `json:"parentId" doc:"null at the top"`
	Description string  `json:"description"`
	Children    int     `json:"children" doc:"Number of its direct children"`

	Files         int `json:"files" doc:"How many are in it, not counting categories below it"`
	Matters       int `json:"matters" doc:"How many are in it, not counting categories below it"`
	DocumentTypes int `json:"documentTypes" doc:"How many are in it, not counting categories below it"`

	Version   int       `json:"version"`
	CreatedBy *string   `json:"createdBy"`
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
}

func newCategory(c db.Category) Category {
	return Category{
		ID: c.ID, Name: c.Name, Color: c.Color, ParentID: c.ParentID, Description: c.Description, Children: c.Children,
		Files: c.Files, Matters: c.Matters, DocumentTypes: c.Types,
		Version: c.Version, CreatedBy: c.CreatedBy, CreatedAt: c.CreatedAt.UTC(), UpdatedAt: c.UpdatedAt.UTC(),
	}
}

func (c Category) address() string { return "/api/categories/" + c.ID }

// etag changes with how many stand below it too.
func (c Category) etag() string { return contentTag(c.Version, c) }

func (a *API) listCategories(ctx context.Context, in *struct {
	Page
	ParentID string `query:"parentId" maxLength:"36" doc:"Those right below this one; the word root for those at the top"`
	Q        string `query:"q" maxLength:"200" doc:"Part of the name, in any case"`
}) (List[Category], error) {
	after, err := in.namePlace("categories")
	if err != nil {
		return List[Category]{}, err
	}
	filter := db.CategoryFilter{ParentID: in.ParentID, Name: in.Q}
	switch {
	case in.ParentID == "root":
		filter.Roots, filter.ParentID = true, ""
	case in.ParentID != "" && !isID(in.ParentID):
		return List[Category]{}, invalid("query.parentId", "is not an id, nor the word root")
	}
	rows, err := a.DB.Categories(ctx, auth.Scope(ctx), filter, after, in.Limit+1)
	return newPage(rows, in.Limit, "categories", newCategory, func(c db.Category) string { return c.ID + " " + c.Name }), err
}

// CategoryFields is what can be said of a category beside its name.
type CategoryFields struct {
	Color       *string `json:"color,omitempty" pattern:"^(#[0-9a-fA-F]{6})?$" doc:"#rrggbb; empty takes it away"`
	ParentID    *string `json:"parentId,omitempty" maxLength:"36"`
	Description *string `json:"description,omitempty" maxLength:"5000"`
}

// change is f for the database.
func (f CategoryFields) change(name *string) (db.CategoryChange, error) {
	name, err := newTitle("body.name", name)
	if err != nil {
		return db.CategoryChange{}, err
	}
	return db.CategoryChange{Name: name, Color: f.Color, ParentID: f.ParentID, Description: f.Description}, namesOne("body.parentId", f.ParentID)
}

type createCategoryRequest struct {
	OnceKey
	Body struct {
		Name string `json:"name" minLength:"1" maxLength:"200"`
		CategoryFields
	}
}

func (a *API) createCategory(ctx context.Context, tx *db.Tx, in *createCategoryRequest) (Category, error) {
	change, err := in.Body.change(&in.Body.Name)
	if err != nil {
		return Category{}, err
	}
	row, err := tx.CreateCategory(ctx, auth.Scope(ctx), change)
	return newCategory(row), err
}

func (a *API) getCategory(ctx context.Context, in *IDRef) (Category, error) {
	row, err := a.DB.Category(ctx, auth.Scope(ctx), in.ID)
	return newCategory(row), err
}

// CategoryUpdate is what changes about a category.
type CategoryUpdate struct {
	Name *string `json:"name,omitempty" minLength:"1" maxLength:"200"`
	CategoryFields
}

func (a *API) updateCategory(ctx context.Context, in *struct {
	IDRef
	OfVersion
	Body *CategoryUpdate
}) (Category, error) {
	body := orNothing(in.Body)
	change, err := body.change(body.Name)
	if err != nil {
		return Category{}, err
	}
	if change.IfVersion, err = ifMatch(in.IfMatch); err != nil {
		return Category{}, err
	}
	if change == (db.CategoryChange{}) {
		return a.getCategory(ctx, &in.IDRef)
	}
	return inTx(ctx, a, newCategory, func(tx *db.Tx, scope db.Scope) (db.Category, error) {
		return tx.UpdateCategory(ctx, scope, in.ID, change)
	})
}

func (a *API) deleteCategory(ctx context.Context, in *struct {
	IDRef
	Force bool `query:"force" doc:"Even if it has items"`
	Purging
}) (Deleted, error) {
	return a.remove(ctx, in.Purging, "the category", func(tx *db.Tx, scope db.Scope) (db.TrashEntry, error) {
		return tx.DeleteCategory(ctx, scope, in.ID, in.Force)
	})
}

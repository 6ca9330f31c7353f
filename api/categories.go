package api

import (
	"context"
	"time"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
)

// categories serves a team's tree of categories.
func (a *API) categories() {
	session := a.area("Categories", withSession)
	get(session, "/api/categories", "listCategories", "List categories", a.listCategories, describe(
		"Lists categories by name, each with the number of its files, matters and document types, not counting those of its subcategories. `parentId` selects the direct children of a category. "+
			"Files, matters and document types get categories by `categoryIds` when they are created or updated, files also by `POST /api/files/bulk/update-categories`. The filters `category` and `matterCategory` find them."))
	create(a, session, "/api/categories", "createCategory", "Create a category", a.createCategory, describe(
		"Creates a category as a child of `parentId`, by default at the top level. A name that another category with the same parent has is 409. The tree has at most sixteen levels."))
	get(session, "/api/categories/{id}", "getCategory", "Get a category", a.getCategory, describe("Returns a category with its parent and the number of its children."))
	patch(session, "/api/categories/{id}", "updateCategory", "Update a category", a.updateCategory, eitherWay[CategoryUpdate](a), describe(
		"Changes a category. Fields are query parameters or in the body; without any, nothing changes. A `parentId` of `\"\"` moves it to the top level; a `parentId` below the "+
			"category itself is 422. With `If-Match` a stale version is 409. Only its creator and admins may change it (403 for others)."))
	del(session, "/api/categories/{id}", "deleteCategory", "Delete a category", a.deleteCategory, describe(
		"Deletes a category. Its children move to its parent; if one of their names is taken there, it is 409 and nothing changes. They return to it when it is restored. "+purging))
}

// Category is a node in the team's tree of categories.
type Category struct {
	ID          string  `json:"id"`
	Name        string  `json:"name"`
	Color       string  `json:"color" doc:"Color as #rrggbb; empty for none"`
	ParentID    *string `json:"parentId" doc:"Id of the parent; null at the top level"`
	Description string  `json:"description"`
	Children    int     `json:"children" doc:"Number of its direct children"`

	Files         int `json:"files" doc:"Number of files in it, not counting its subcategories"`
	Matters       int `json:"matters" doc:"Number of matters in it, not counting its subcategories"`
	DocumentTypes int `json:"documentTypes" doc:"Number of document types in it, not counting its subcategories"`

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

// etag also changes with the number of its children and items.
func (c Category) etag() string { return contentTag(c.Version, c) }

func (a *API) listCategories(ctx context.Context, in *struct {
	Page
	ParentID string `query:"parentId" maxLength:"36" doc:"Only direct children of this category; the word root selects the top level"`
	Q        string `query:"q" maxLength:"200" doc:"Part of the name, ignoring case"`
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
		return List[Category]{}, invalid("query.parentId", "must be an id or the word root")
	}
	rows, err := a.DB.Categories(ctx, auth.Scope(ctx), filter, after, in.Limit+1)
	return newPage(rows, in.Limit, "categories", newCategory, func(c db.Category) string { return c.ID + " " + c.Name }), err
}

// CategoryFields is what can be said of a category beside its name.
type CategoryFields struct {
	Color       *string `json:"color,omitempty" pattern:"^(#[0-9a-fA-F]{6})?$" doc:"Color as #rrggbb; an empty string removes it"`
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
	Force bool `query:"force" doc:"Deletes it even if it has files, matters or document types"`
	Purging
}) (Deleted, error) {
	return a.remove(ctx, in.Purging, "the category", func(tx *db.Tx, scope db.Scope) (db.TrashEntry, error) {
		return tx.DeleteCategory(ctx, scope, in.ID, in.Force)
	})
}

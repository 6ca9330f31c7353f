package db

import (
	"context"
	"fmt"
	"time"

	"github.com/clausemill/clausemill/fault"
)

// maxCategoryDepth is the maximum depth of the tree of categories.
const maxCategoryDepth = 16

// Category is a name under which a team files things, in a tree.
type Category struct {
	ID          string    `db:"id"`
	ParentID    *string   `db:"parent_id"`
	Name        string    `db:"name"`
	Color       string    `db:"color"`
	Description string    `db:"description"`
	Children    int       `db:"children"` // right below it
	Files       int       `db:"files"`    // in it, that the caller sees
	Matters     int       `db:"matters"`
	Types       int       `db:"types"`
	Version     int       `db:"version"`
	CreatedBy   *string   `db:"created_by"`
	CreatedAt   time.Time `db:"created_at"`
	UpdatedAt   time.Time `db:"updated_at"`
}

// categoryColumns reads categories with the number of their items.
func categoryColumns(in Scope) string {
	return `c.id, c.parent_id, c.name, c.color, c.description,
	(SELECT count(*) FROM categories below WHERE below.team_id = c.team_id AND below.parent_id = c.id) AS children,
	(SELECT count(*) FROM file_categories l JOIN files f ON f.id = l.file_id AND f.team_id = @team WHERE l.category_id = c.id` + in.sees("f") + `) AS files,
	(SELECT count(*) FROM matter_categories l JOIN matters m ON m.id = l.matter_id AND m.team_id = @team WHERE l.category_id = c.id` + in.seesMatter("m.id") + `) AS matters,
	(SELECT count(*) FROM document_type_categories l JOIN document_types d ON d.id = l.document_type_id AND d.team_id = @team WHERE l.category_id = c.id) AS types,
	c.version, c.created_by, c.created_at, c.updated_at`
}

// Use is how many items that the caller may see are in the category.
func (c Category) Use() int { return c.Files + c.Matters + c.Types }

// Category is one category.
func (q Queries) Category(ctx context.Context, in Scope, id string) (Category, error) {
	return one[Category](ctx, q, `SELECT `+categoryColumns(in)+` FROM categories c WHERE c.id = @id AND c.team_id = @team`,
		in.args(args{"id": id}))
}

// CategoryFilter narrows a list of categories.
type CategoryFilter struct {
	Roots    bool   // those without a parent
	ParentID string // those right below one
	Name     string // part of the name, any case
}

// Categories lists categories by name, starting after a place.
func (q Queries) Categories(ctx context.Context, in Scope, filter CategoryFilter, after NamePlace, limit int) ([]Category, error) {
	a := in.args(args{"limit": limit, "after_name": after.Name})
	w := startClauses("c.team_id = @team", a)
	if filter.Roots {
		w.and("c.parent_id IS NULL")
	}
	w.when(filter.ParentID != "", "c.parent_id = @parent", "parent", nullable(filter.ParentID))
	w.when(filter.Name != "", `c.name ILIKE '%' || @name || '%'`, "name", likeLiteral.Replace(filter.Name))
	w.when(after.ID != "", "(lower(c.name), c.id) > (lower(@after_name), @after::uuid)", "after", nullable(after.ID))
	return many[Category](ctx, q, `
		SELECT `+categoryColumns(in)+` FROM categories c WHERE `+w.String()+` ORDER BY lower(c.name), c.id LIMIT @limit`, a)
}

// CategoryChange is what is said of a category; a nil field stays as it is, and
// a parent of "" makes it one of those at the top.
type CategoryChange struct {
	Name        *string
	Color       *string
	ParentID    *string
	Description *string
	IfVersion   int // 0 for any; otherwise another version is Conflict
}

// CreateCategory adds a category. A name that its siblings have is Conflict.
func (t *Tx) CreateCategory(ctx context.Context, in Scope, c CategoryChange) (Category, error) {
	if err := t.lockCategories(ctx, in); err != nil {
		return Category{}, err
	}
	id := NewID()
	if err := t.mayStandBelow(ctx, in, id, c.ParentID); err != nil {
		return Category{}, err
	}
	if _, err := exec(ctx, t.Queries, `
		INSERT INTO categories (id, team_id, parent_id, name, color, description, created_by)
		VALUES (@id, @team, nullif(@parent, '')::uuid, @name, coalesce(@color, ''), coalesce(@description, ''), @user)`, args{
		"id": id, "team": in.TeamID, "parent": c.ParentID, "name": c.Name, "color": c.Color, "description": c.Description,
		"user": nullable(in.UserID()),
	}); err != nil {
		return Category{}, siblings(err)
	}
	if err := t.Audit(ctx, in, "category.created", "category", id, nil); err != nil {
		return Category{}, err
	}
	return t.Category(ctx, in, id)
}

// UpdateCategory applies c. A parent that is below the category itself is Invalid,
// since both would be cut off from the tree.
func (t *Tx) UpdateCategory(ctx context.Context, in Scope, id string, c CategoryChange) (Category, error) {
	if err := t.lockCategories(ctx, in); err != nil {
		return Category{}, err
	}
	before, err := t.Category(ctx, in, id)
	if err != nil {
		return Category{}, err
	}
	if c.IfVersion != 0 && c.IfVersion != before.Version {
		return Category{}, errStale
	}
	if !in.made(before.CreatedBy) {
		return Category{}, errMade("category")
	}
	if err := t.mayStandBelow(ctx, in, id, c.ParentID); err != nil {
		return Category{}, err
	}
	if err := change(ctx, t.Queries, `
		UPDATE categories SET
			name        = coalesce(@name, name),
			color       = coalesce(@color, color),
			description = coalesce(@description, description),
			parent_id   = CASE WHEN @parent::text IS NULL THEN parent_id ELSE nullif(@parent, '')::uuid END,
			version = version + 1, updated_at = now()
		WHERE id = @id AND team_id = @team`,
		args{"id": id, "team": in.TeamID, "name": c.Name, "color": c.Color, "description": c.Description, "parent": c.ParentID}); err != nil {
		return Category{}, siblings(err)
	}
	after, err := t.Category(ctx, in, id)
	if err != nil {
		return Category{}, err
	}
	return after, t.Audit(ctx, in, "category.updated", "category", id, map[string]any{"moved": text(before.ParentID) != text(after.ParentID)})
}

// DeleteCategory moves a category into the trash. Those right below it move up to
// where it was, until it is back; it is Conflict where one of their names is taken
// there.
//
// It is Conflict where the category has items, unless forced. To members it is
// Forbidden if they did not make it, or if it has items.
func (t *Tx) DeleteCategory(ctx context.Context, in Scope, id string, force bool) (TrashEntry, error) {
	if err := t.lockCategories(ctx, in); err != nil {
		return TrashEntry{}, err
	}
	if err := t.hold(ctx, in, TrashedCategory, id); err != nil {
		return TrashEntry{}, err
	}
	before, err := t.Category(ctx, in, id)
	if err != nil {
		return TrashEntry{}, err
	}
	if !in.made(before.CreatedBy) {
		return TrashEntry{}, errMade("category")
	}
	used := fmt.Sprintf("%d files, %d matters and %d document types stand in the category; ", before.Files, before.Matters, before.Types)
	switch {
	case before.Use() > 0 && !in.Admin:
		return TrashEntry{}, fault.New(fault.Forbidden, used+"admins of the team may delete it")
	case before.Use() > 0 && !force:
		return TrashEntry{}, fault.New(fault.Conflict, used+"send force=true to delete it all the same")
	}
	children, err := values[string](ctx, t.Queries, `
		UPDATE categories SET parent_id = @parent, version = version + 1, updated_at = now() WHERE parent_id = @id AND team_id = @team RETURNING id::text`,
		args{"id": id, "team": in.TeamID, "parent": before.ParentID})
	if err != nil {
		return TrashEntry{}, siblings(err)
	}
	if err := t.recategorized(ctx, in, id); err != nil {
		return TrashEntry{}, err
	}
	entry, err := t.discard(ctx, in, discarded{
		Kind: TrashedCategory, ResourceID: id, Name: before.Name, Held: held{ParentID: text(before.ParentID), Categories: children},
		Counts: map[string]int{"categories": len(children)},
	})
	if err != nil {
		return TrashEntry{}, err
	}
	return entry, t.Audit(ctx, in, "category.deleted", "category", id, map[string]any{"movedUp": len(children), "trashId": entry.ID})
}

// restoreCategory restores a category to its place in the tree. Its former children
// that were not moved since are below it again.
func (t *Tx) restoreCategory(ctx context.Context, in Scope, e binned, name string) error {
	if err := t.lockCategories(ctx, in); err != nil {
		return err
	}
	// If its parent is in the trash too, it is placed where the parent's other
	// children went, and moves below the parent when that is restored.
	parent := nullable(e.Held.ParentID)
	for parent != nil {
		there, err := many[binned](ctx, t.Queries, `
			SELECT `+trashColumns+`, held FROM trash WHERE team_id = @team AND kind = 'category' AND resource_id = @parent AND purged_at IS NULL FOR UPDATE`,
			args{"team": in.TeamID, "parent": *parent})
		if err != nil {
			return err
		}
		if len(there) == 0 {
			break
		}
		if err := change(ctx, t.Queries, `UPDATE trash SET held = jsonb_set(held, '{categories}', coalesce(held -> 'categories', '[]') || to_jsonb(@id::text)) WHERE id = @entry`,
			args{"id": e.ResourceID, "entry": there[0].ID}); err != nil {
			return err
		}
		parent = nullable(there[0].Held.ParentID)
	}
	a := args{"id": e.ResourceID, "entry": e.ID, "team": in.TeamID, "parent": parent, "name": nullable(name), "children": list(e.Held.Categories)}
	if err := change(ctx, t.Queries, `
		UPDATE categories c SET team_id = @team, name = coalesce(@name, c.name), parent_id = (SELECT id FROM categories WHERE id = @parent AND team_id = @team)
		WHERE c.id = @id AND c.team_id = @entry`, a); err != nil {
		return err
	}
	if err := t.endEntries(ctx, e); err != nil {
		return err
	}
	for _, sql := range []string{
		`UPDATE categories c SET parent_id = @id, version = c.version + 1, updated_at = now() FROM categories back
			WHERE back.id = @id AND back.team_id = @team AND c.id = ANY(@children::text[]::uuid[]) AND c.team_id = @team AND c.parent_id IS NOT DISTINCT FROM back.parent_id`,
		`UPDATE trash x SET held = x.held || jsonb_build_object('parentId', back.id) FROM categories back
			WHERE back.id = @id AND back.team_id = @team AND x.team_id = @team AND x.kind = 'category' AND x.resource_id = ANY(@children::text[])
				AND x.purged_at IS NULL AND x.held ->> 'parentId' IS NOT DISTINCT FROM back.parent_id::text`,
	} {
		if _, err := exec(ctx, t.Queries, sql, a); err != nil {
			return err
		}
	}
	back, err := t.Category(ctx, in, e.ResourceID)
	if err != nil {
		return err
	}
	if err := t.mayStandBelow(ctx, in, back.ID, back.ParentID); err != nil {
		return err
	}
	if err := t.recategorized(ctx, in, back.ID); err != nil {
		return err
	}
	return t.Audit(ctx, in, "category.restored", "category", back.ID, map[string]any{"trashId": e.ID})
}

// lockCategories lets one change of a team's tree through at a time: two moves
// that are right by themselves could make a circle together.
func (t *Tx) lockCategories(ctx context.Context, in Scope) error {
	_, err := exec(ctx, t.Queries, `SELECT pg_advisory_xact_lock(hashtextextended('categories:' || @team, 0))`, args{"team": in.TeamID})
	return err
}

// mayStandBelow is Invalid if a category cannot be below parent: the parent does not
// exist, it is the category itself or below it, or the tree would become too deep.
func (t *Tx) mayStandBelow(ctx context.Context, in Scope, id string, parent *string) error {
	if text(parent) == "" {
		return nil
	}
	type way struct {
		Length int  `db:"length"` // from the parent to the top
		Circle bool `db:"circle"`
		Height int  `db:"height"` // of what is below the category, itself included
	}
	w, err := one[way](ctx, t.Queries, `
		WITH RECURSIVE above AS (
			SELECT id, parent_id FROM categories WHERE id = @parent AND team_id = @team
			UNION ALL SELECT c.id, c.parent_id FROM categories c JOIN above a ON c.id = a.parent_id
		), below AS (
			SELECT @id::uuid AS id, 1 AS depth
			UNION ALL SELECT c.id, b.depth + 1 FROM categories c JOIN below b ON c.parent_id = b.id AND c.team_id = @team
		)
		SELECT (SELECT count(*) FROM above) AS length, EXISTS (SELECT FROM above WHERE id = @id) AS circle,
			(SELECT max(depth) FROM below) AS height`, args{"id": id, "parent": parent, "team": in.TeamID})
	switch {
	case err != nil:
		return err
	case w.Length == 0:
		return fault.New(fault.Invalid, "parentId does not exist in this team")
	case w.Circle:
		return fault.New(fault.Invalid, "a category cannot be below itself")
	case w.Length+w.Height > maxCategoryDepth:
		return fault.Newf(fault.Invalid, "categories can be nested %d deep at most", maxCategoryDepth)
	}
	return nil
}

// siblings says which Conflict it is.
func siblings(err error) error {
	if fault.KindOf(err) == fault.Conflict {
		return fault.Wrap(fault.Conflict, "a category of that name is there already", err)
	}
	return err
}

package db

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/clausemill/clausemill/fault"
)

// categorized is a kind of items that can be in categories. A category in the trash
// keeps its items; nobody sees that, since it belongs to another team.
type categorized struct {
	links  string // the table of links between items and categories
	column string // of its id there
}

var (
	categorizedFiles   = categorized{"file_categories", "file_id"}
	categorizedMatters = categorized{"matter_categories", "matter_id"}
	categorizedTypes   = categorized{"document_type_categories", "document_type_id"}
)

// of is an expression for the ids of the categories of the row of an alias, in
// order.
func (c categorized) of(alias string) string {
	return `ARRAY(SELECT g.id::text FROM ` + c.links + ` l JOIN categories g ON g.id = l.category_id AND g.team_id = ` + alias + `.team_id
		WHERE l.` + c.column + ` = ` + alias + `.id ORDER BY g.id)`
}

// rows are the categories of rows, as a FROM; link says whose they are.
func (c categorized) rows() string {
	return c.links + " l JOIN categories g ON g.id = l.category_id AND g.team_id = @team"
}

func (c categorized) link(alias string) string { return "l." + c.column + " = " + alias + ".id" }

// categorize adds items to categories, in addition to those that they are in. One of
// another team is Invalid.
func (t *Tx) categorize(ctx context.Context, in Scope, kind categorized, things, categories []string) error {
	if len(categories) == 0 {
		return nil
	}
	if err := t.needCategories(ctx, in, categories); err != nil {
		return err
	}
	_, err := exec(ctx, t.Queries, `
		INSERT INTO `+kind.links+` (`+kind.column+`, category_id)
		SELECT thing.id, g.id FROM unnest(@things::uuid[]) thing (id) CROSS JOIN categories g
		WHERE g.id = ANY(@categories::uuid[]) AND g.team_id = @team
		ON CONFLICT DO NOTHING`, args{"things": things, "categories": categories, "team": in.TeamID})
	return err
}

// recategorize puts things into categories and out of all others.
func (t *Tx) recategorize(ctx context.Context, in Scope, kind categorized, things, categories []string) error {
	if err := t.uncategorize(ctx, in, kind, things, `<> ALL(@categories::uuid[])`, categories); err != nil {
		return err
	}
	return t.categorize(ctx, in, kind, things, categories)
}

// uncategorize takes things out of those categories whose id is as a condition
// says.
func (t *Tx) uncategorize(ctx context.Context, in Scope, kind categorized, things []string, which string, categories []string) error {
	_, err := exec(ctx, t.Queries, `
		DELETE FROM `+kind.links+` l USING categories g
		WHERE l.`+kind.column+` = ANY(@things::uuid[]) AND g.id = l.category_id AND g.team_id = @team AND g.id `+which,
		args{"things": things, "categories": list(categories), "team": in.TeamID})
	return err
}

// recategorized marks the items of a category as changed when it is deleted or
// restored, for clients that poll for changes.
func (t *Tx) recategorized(ctx context.Context, in Scope, id string) error {
	for _, sql := range []string{
		`WITH held AS (SELECT id FROM files WHERE team_id = @team AND id IN (SELECT file_id FROM file_categories WHERE category_id = @id) ORDER BY id FOR NO KEY UPDATE)
		UPDATE files f SET version = version + 1, updated_at = now(), progress_at = now() FROM held WHERE f.id = held.id`,
		`UPDATE matters SET version = version + 1, updated_at = now() WHERE team_id = @team AND id IN (SELECT matter_id FROM matter_categories WHERE category_id = @id)`,
		`UPDATE document_types SET version = version + 1, updated_at = now()
		WHERE team_id = @team AND id IN (SELECT document_type_id FROM document_type_categories WHERE category_id = @id)`,
	} {
		if _, err := exec(ctx, t.Queries, sql, args{"id": id, "team": in.TeamID}); err != nil {
			return err
		}
	}
	return nil
}

// needCategories is Invalid unless all categories are the team's.
func (t *Tx) needCategories(ctx context.Context, in Scope, categories []string) error {
	distinct := map[string]bool{}
	for _, id := range categories {
		distinct[strings.ToLower(id)] = true
	}
	n, err := value[int](ctx, t.Queries, `SELECT count(*) FROM categories WHERE id = ANY(@categories::uuid[]) AND team_id = @team`,
		args{"categories": categories, "team": in.TeamID})
	if err == nil && n < len(distinct) {
		return fault.New(fault.Invalid, "categoryIds names something that is not in this team")
	}
	return err
}

// categorizeNew puts new files where it was said that they belong, and what came
// out of an archive or a message where that is.
func (t *Tx) categorizeNew(ctx context.Context, in Scope, files []NewFile) error {
	together := map[string][]string{} // files by their categories
	var parts []string
	for _, f := range files {
		if len(f.CategoryIDs) > 0 {
			key := strings.Join(f.CategoryIDs, " ")
			together[key] = append(together[key], f.ID)
		}
		if f.ParentID != "" {
			parts = append(parts, f.ID)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(together)) {
		if err := t.categorize(ctx, in, categorizedFiles, together[key], strings.Fields(key)); err != nil {
			return err
		}
	}
	if len(parts) == 0 {
		return nil
	}
	_, err := exec(ctx, t.Queries, `
		INSERT INTO file_categories (file_id, category_id)
		SELECT f.id, l.category_id FROM files f JOIN file_categories l ON l.file_id = f.parent_id
		WHERE f.id = ANY(@ids) AND f.team_id = @team
		ON CONFLICT DO NOTHING`, args{"ids": parts, "team": in.TeamID})
	return err
}

// CategoryName is a category by its name.
type CategoryName struct {
	ID   string
	Name string
}

// FileCategories are the categories of files, in the order of their ids. A file
// without any is absent.
func (q Queries) FileCategories(ctx context.Context, in Scope, fileIDs []string) (map[string][]CategoryName, error) {
	type row struct {
		FileID string `db:"file_id"`
		ID     string `db:"id"`
		Name   string `db:"name"`
	}
	rows, err := many[row](ctx, q.prepared(), `
		SELECT l.file_id, g.id, g.name FROM file_categories l
		JOIN files f ON f.id = l.file_id AND f.team_id IS NOT DISTINCT FROM @team
		CROSS JOIN LATERAL ( -- the limit has Postgres look them up, and not read all of the team
			SELECT g.id, g.name FROM categories g WHERE g.id = l.category_id AND g.team_id IS NOT DISTINCT FROM @team LIMIT 1
		) g
		WHERE l.file_id = ANY(`+opaque("ids", "uuid[]")+`::uuid[])`+in.sees("f")+` ORDER BY g.id`, in.args(args{"ids": fileIDs}))
	of := map[string][]CategoryName{}
	for _, r := range rows {
		of[r.FileID] = append(of[r.FileID], CategoryName{r.ID, r.Name})
	}
	return of, err
}

// FiledUnder is the names of what a file is filed under beside categories; nil
// where that is nothing.
type FiledUnder struct {
	FileID       string  `db:"id"`
	DocumentType *string `db:"document_type"`
	Matter       *string `db:"matter"`
}

// FiledUnder is by the ids of files.
func (q Queries) FiledUnder(ctx context.Context, in Scope, fileIDs []string) (map[string]FiledUnder, error) {
	rows, err := many[FiledUnder](ctx, q, `
		SELECT f.id, t.name AS document_type, m.name AS matter FROM files f
		LEFT JOIN document_types t ON t.id = f.document_type_id AND t.team_id = @team
		LEFT JOIN matters m ON m.id = f.matter_id AND m.team_id = @team
		WHERE f.team_id = @team AND f.id = ANY(@ids::uuid[])`+in.sees("f"), in.args(args{"ids": fileIDs}))
	of := map[string]FiledUnder{}
	for _, r := range rows {
		of[r.FileID] = r
	}
	return of, err
}

// CategoryLinks is applied in the order of its fields.
type CategoryLinks struct {
	Replace *[]string
	Remove  []string
	Add     []string
}

// ChangeCategories puts files into categories and out of others, and returns those
// that were changed. Hold the files first.
func (t *Tx) ChangeCategories(ctx context.Context, in Scope, ids []string, c CategoryLinks) ([]string, error) {
	if err := t.needCategories(ctx, in, slices.Concat(c.Remove, c.Add)); err != nil {
		return nil, err
	}
	if c.Replace != nil {
		if err := t.recategorize(ctx, in, categorizedFiles, ids, *c.Replace); err != nil {
			return nil, err
		}
	}
	if err := t.uncategorize(ctx, in, categorizedFiles, ids, `= ANY(@categories::uuid[])`, c.Remove); err != nil {
		return nil, err
	}
	if err := t.categorize(ctx, in, categorizedFiles, ids, c.Add); err != nil {
		return nil, err
	}
	return t.changeFiles(ctx, in, ids, "file.categories_changed", "categories", "", "true", args{})
}

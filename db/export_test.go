package db

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/clausemill/clausemill/query"
)

// Catalogue is the lines of schema.tsv: the migrations, and every object of the
// schema.
func (q Queries) Catalogue(ctx context.Context) (lines []string, err error) {
	for _, m := range migrations() {
		lines = append(lines, fmt.Sprintf("migration\t%s\t%x\n", m.Name, m.SHA256))
	}
	objects, err := many[object](ctx, q, catalogue, nil)
	slices.SortFunc(objects, func(a, b object) int {
		return cmp.Or(slices.Index(kinds, a.Kind)-slices.Index(kinds, b.Kind), cmp.Compare(a.Name, b.Name))
	})
	for _, o := range objects {
		lines = append(lines, o.Kind+"\t"+o.Name+"\t"+o.Definition+"\n")
	}
	return lines, err
}

// QueueVersion is that of River's newest migration.
func QueueVersion() int { return queueVersion() }

// Shelf is a shelf, for tests.
type Shelf struct {
	Table string
	Parts map[string]string
}

// Shelves are all of them, for tests.
func Shelves() map[TrashKind]Shelf {
	all := map[TrashKind]Shelf{}
	for kind, s := range shelves {
		all[kind] = Shelf{s.table, s.parts}
	}
	return all
}

// FilesPlan is how the first page of the files of a team is read in an order, where
// neither sorting nor reading the whole table is cheap.
func (t *Tx) FilesPlan(ctx context.Context, in Scope, order Order) (string, error) {
	for _, way := range []string{"enable_sort", "enable_incremental_sort", "enable_seqscan", "enable_bitmapscan"} {
		if _, err := exec(ctx, t.Queries, "SET LOCAL "+way+" = off", nil); err != nil {
			return "", err
		}
	}
	a := args{"limit": 100}
	where, err := FileFilter{}.where(in, a)
	if err != nil {
		return "", err
	}
	value, rest, sorted := order.page(query.Files, Place{}, a)
	lines, err := values[string](ctx, t.Queries, `EXPLAIN SELECT `+fileColumns+`, `+value+` AS value FROM files f WHERE `+where+` AND `+rest+sorted+` LIMIT @limit`, a)
	return strings.Join(lines, "\n"), err
}

// ArchivedTables are the tables that a team's archive has, and the others with why it
// has not.
func ArchivedTables() (archived []string, left map[string]string) {
	for _, a := range archivedTables {
		archived = append(archived, a.name)
	}
	return archived, unarchivedTables
}

// Conn is where queries go, for questions of tests alone.
func (q Queries) Conn() Conn { return q.conn }

// Later is later, of a transaction.
func Later(ctx context.Context, t *Tx, sql string, arguments ...any) error {
	return later(ctx, t.Queries, sql, arguments...)
}

package main

import (
	"context"
	"fmt"

	"github.com/clausemill/clausemill/cmd/internal/setup"
)

// migrate brings the schema up to date.
type migrate struct {
	setup.Database `embed:"" group:"Settings:"`
	setup.Logging  `embed:"" group:"Settings:"`
	output         `embed:""`
}

// migrated is how far the schema is.
type migrated struct {
	Applied []string `json:"applied"` // now
	Schema  int64    `json:"schema"`
	Wanted  int64    `json:"wanted"`  // by this program
	Release string   `json:"release"` // that was the last to migrate the database
}

// Run may be called by any number of machines at once, and again. It says what it
// has applied, and how far the schema is then.
func (m *migrate) Run(ctx context.Context, c console) error {
	database, err := m.Connect(ctx)
	if err != nil {
		return err
	}
	defer database.Close()
	applied, err := setup.Migrate(ctx, database, m.NewLog(c.err))
	if !m.JSON {
		for _, name := range applied {
			fmt.Fprintln(c.out, "applied", name)
		}
	}
	if err != nil {
		return err
	}
	schema, err := database.Schema(ctx)
	if err != nil {
		return err
	}
	return say(c, m.output, migrated{append([]string{}, applied...), schema.Version, schema.Wanted, schema.Release}, schema.String())
}

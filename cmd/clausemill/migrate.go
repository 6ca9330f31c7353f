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
	for _, name := range applied {
		fmt.Fprintln(c.out, "applied", name)
	}
	if err != nil {
		return err
	}
	schema, err := database.Schema(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintln(c.out, schema)
	return nil
}
